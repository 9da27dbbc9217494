//! From the tutorial and back: its settings as a plan, and what of a plan the tutorial can show.

use memory_wall_app::state::dimensions::Dimension;
use memory_wall_core::number::Kilo;
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::tables::models::Model;
use memory_wall_core::{Architecture, Mode};
use memory_wall_plan::{AsTyped, OwnModel, Plan, Value, by_name};

use crate::link::{Asked, Notice, PRICE, TOKENS};
use crate::words;

/// How a link begins whose settings are those of the tutorial.
const FROM: &str = "from=tutorial";
/// Keys of the tutorial with the option that they are here, and what they say where they are left out.
const KEYS: [(&str, &str, Option<&str>); 13] = [
    ("model", "model", Some("llama-2-7b")),
    ("mode", "mode", Some("inference")),
    ("batch", "batch", Some("1")),
    ("seq", "seq", Some("2048")),
    ("weights", "weights", None),
    ("kv", "kv", Some("bf16")),
    ("attention", "attention", Some("flash")),
    ("optimizer", "optimizer", Some("adamw")),
    ("checkpointing", "checkpointing", Some("none")),
    ("recipe", "recipe", Some("mixed")),
    ("targets", "lora_targets", Some("all")),
    ("adapters", "lora_dtype", None),
    ("gpu", "gpu", Some("a100-80-sxm")),
];
/// The weights of the tutorial in inference, where nothing is said.
const WEIGHTS: &str = "bf16";
/// What it calls adapters on queries and values.
const QV: (&str, &str) = ("qv", "q,v");

/// The plan of a link with the tutorial's settings, and what of it could not be used; nothing of another link.
/// What only changes the tutorial's drawings is passed over.
///
/// # Example
/// ```
/// use memory_wall_planner::tutorial;
/// let (plans, notices) = tutorial::read("from=tutorial&v=1&seq=8192&gpu=l40s&tier=l2").unwrap();
/// assert_eq!(notices, []);
/// let plan = &plans[0].plan;
/// assert_eq!(["model", "seq", "gpu"].map(|name| plan.get(name).unwrap().to_string()), ["llama-2-7b", "8192", "l40s"]);
/// ```
pub fn read(query: &str) -> Option<(Vec<Asked>, Vec<Notice>)> {
    let rest = query.strip_prefix(FROM)?;
    let said: Vec<(&str, &str)> = rest.split('&').filter_map(|part| part.split_once('=')).collect();
    let (mut asked, mut notices) = (Asked { plan: Plan::new(words::from_tutorial()), ..Asked::default() }, Vec::new());
    let value = |key: &str| said.iter().find(|(own, _)| *own == key).map(|(_, value)| *value);
    let mut put = |key: &str, name: &str, text: &str| {
        let Some(option) = by_name(name) else { return };
        match option.kind.typed(if text == QV.0 { QV.1 } else { text }, Kilo::Decimal) {
            Ok(read) => asked.plan.set(option.name, read),
            Err(_) => notices.push(Notice::Value(key.into(), text.chars().take(40).collect())),
        }
    };
    for (key, name, usual) in KEYS {
        if let Some(text) = value(key).or(usual) {
            put(key, name, text);
        }
    }
    for (key, kind, place) in
        [("price", PRICE, &mut asked.spending.price), ("train_tokens", TOKENS, &mut asked.spending.tokens)]
    {
        *place = value(key).and_then(|text| kind.read(text));
    }
    let dimension = |it: Dimension| value(it.id()).and_then(|text| text.parse::<u32>().ok());
    if let Some(changed) = Dimension::ALL.iter().find(|it| dimension(**it).is_some()) {
        match asked.plan.model().and_then(|model| described(model, dimension)) {
            Some(own) => {
                asked.plan.unset("model");
                asked.plan.set("config", Value::Own(own));
            }
            None => notices.push(Notice::Unknown(changed.id().into())),
        }
    }
    if asked.plan.scenario().is_some_and(|it| it.mode == Mode::Inference) && asked.plan.get("weights").is_none() {
        let weights = by_name("weights").and_then(|option| option.kind.word(WEIGHTS).ok());
        asked.plan.set("weights", weights?);
    }
    // What changes nothing is not said.
    if let Some(scenario) = asked.plan.scenario() {
        let idle = KEYS.iter().filter_map(|(_, name, _)| by_name(name)).filter(|option| option.name != "model");
        let idle: Vec<_> = idle.filter(|option| !asked.plan.has_effect(option, &scenario)).collect();
        for option in idle {
            asked.plan.unset(option.name);
        }
    }
    Some((vec![asked], notices))
}

/// A model with other dimensions, as a plan describes it; nothing of one whose kind a few dimensions do not say.
fn described(model: &Model, dimension: impl Fn(Dimension) -> Option<u32>) -> Option<OwnModel> {
    let published = model.architecture;
    let of = |it: Dimension| dimension(it).unwrap_or_else(|| it.of(&published));
    let fields = Dimension::ALL.iter().map(|it| format!("\"{}\":{}", field(*it), of(*it)));
    let tied = format!("\"tie_word_embeddings\":{}", published.tied_embeddings);
    // As long as its published relative reads: a config without it would be taken for one of 2,048 tokens.
    let context = published.trained_context.map(|tokens| format!("\"max_position_embeddings\":{tokens}"));
    let fields: Vec<String> = fields.chain([tied]).chain(context).collect();
    let own = OwnModel::read(&format!("{{\"model_type\":\"llama\",{}}}", fields.join(","))).ok()?;
    // Only where they say all of it.
    let shape = Dimension::ALL.iter().fold(published, |shape, it| it.with(published, shape, of(*it)));
    let untrained = |shape: Architecture| Architecture { trained_context: None, ..shape };
    (untrained(own.architecture()) == untrained(shape)).then_some(own)
}

/// What `config.json` calls a dimension.
fn field(dimension: Dimension) -> &'static str {
    match dimension.id() {
        "layers" => "num_hidden_layers",
        "heads" => "num_attention_heads",
        "kv_heads" => "num_key_value_heads",
        other => other,
    }
}

/// What of a plan the tutorial can show, as its query: one GPU, without a runtime. Nothing of a plan whose model or GPU it does not have.
pub(crate) fn write(plan: &Plan) -> Option<String> {
    plan.model()?;
    let scenario = plan.scenario()?;
    if scenario.gpu.is_some_and(Gpu::is_own) || scenario.architecture.untrained().is_some() {
        return None;
    }
    let mut query = String::from("v=1");
    for (key, name, _) in KEYS {
        let option = by_name(name)?;
        if let Some(value) = plan.value(option, &scenario).filter(|value| shows(key, value)) {
            let text = AsTyped(&value).to_string();
            query.extend(["&", key, "=", if text == QV.1 { QV.0 } else { &text }]);
        }
    }
    Some(query)
}

/// Whether the tutorial has this: of adapters it has three places.
fn shows(key: &str, value: &Value) -> bool {
    key != "targets" || ["q,v", "q,k,v,o"].contains(&value.to_string().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_app::state::query;
    use memory_wall_core::evaluate;

    /// What the tutorial says to its settings, the planner says to its plan.
    #[test]
    fn settings_of_the_tutorial_are_the_same_run_here() {
        for link in [
            "",
            "v=1&model=llama-3.1-8b&seq=32768&kv=fp8&gpu=l40s",
            "v=1&model=gpt-oss-20b",
            "v=1&mode=training&optimizer=adamw8bit&checkpointing=full&recipe=autocast&batch=4&train_tokens=2000000000&price=2.5",
            "v=1&mode=lora&targets=qv&adapters=bf16",
            "v=1&mode=qlora&targets=attention&gpu=t4",
            "v=1&model=llama-3.1-8b&layers=16&hidden_size=2048&heads=16&head_dim=128",
            "v=1&gpu=v100-sxm2-16&attention=eager&tier=l2&dots=phases",
        ] {
            let state = query::decode(link).state;
            let (plans, notices) = read(&format!("{FROM}&{link}")).unwrap();
            assert_eq!(notices, [], "{link}");
            let there = plans[0].plan.scenario().unwrap().check().unwrap();
            let [ours, theirs] = [there, state.scenario()].map(|scenario| evaluate(&scenario).total);
            assert_eq!(ours, theirs, "{link}: {:?}", plans[0].plan);
        }
        let (plans, _) = read(&format!("{FROM}&v=1&mode=training&train_tokens=2000000000&price=2.5")).unwrap();
        assert_eq!(plans[0].spending.price.zip(plans[0].spending.tokens), Some((2_500, 2_000_000_000)));
        assert!(read("v=1&model=llama-3.1-8b").is_none());
        // A mixture is more than its dimensions.
        let (_, notices) = read(&format!("{FROM}&v=1&model=mixtral-8x7b&layers=16")).unwrap();
        assert_eq!(notices, [Notice::Unknown("layers".into())]);
        let (_, notices) = read(&format!("{FROM}&v=1&seq=none")).unwrap();
        assert_eq!(notices, [Notice::Value("seq".into(), "none".into())]);
    }

    #[test]
    fn a_plan_opens_in_the_tutorial() {
        for (link, total) in [
            ("v=1&model=llama-3.1-8b&weights=fp8&gpu=l40s&seq=8192", true),
            ("v=1&model=llama-3.1-8b&mode=training&optimizer=lion&gpu=h100-sxm", true),
            ("v=1&model=llama-3.1-8b&mode=lora&lora_targets=q,v&gpu=h100-sxm", true),
            ("v=1&model=llama-3.3-70b&engine=vllm&tp=2&gpu=h100-sxm", false),
        ] {
            let plan = &crate::link::read(link).0[0].plan;
            let query = write(plan).unwrap();
            let read = query::decode(&query);
            assert!(read.notices.is_empty(), "{query}");
            let own = evaluate(&plan.scenario().unwrap().check().unwrap()).total;
            assert_eq!(evaluate(&read.state.scenario()).total == own, total, "{query}");
        }
        for link in ["v=1&gpu=l4", "v=1&model=llama-3.1-8b&gpu=own&gpu_memory=24", "v=1&model=command-a&gpu=b200"] {
            assert_eq!(write(&crate::link::read(link).0[0].plan), None, "{link}");
        }
    }
}
