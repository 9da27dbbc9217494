//! The price of context: what kinds of attention keep of the reader's tokens, drawn to one logarithmic scale, and what is set aside for it.

use memory_wall_core::display::{Figure, Grouped, Percent};
use memory_wall_core::memory::kinds::{self, Kind};
#[cfg(not(target_arch = "wasm32"))]
use memory_wall_core::memory::paging;
use memory_wall_core::memory::{kv_cache, paging::EXAMPLE};
use memory_wall_core::{Bucket, Bytes, Checked, Engine, KvPrecision, Mode, evaluate, worked};

use crate::charts::vllm_pool;
use crate::charts::wall::percent;
use crate::dials::Dial;
use crate::live::Snapshot;
use crate::state::State;
use crate::words::{fill, fill_with, t};

/// Powers of ten at the ends of the scale, in bytes: a megabyte to ten terabytes.
pub const DECADES: (i32, i32) = (6, 13);
/// The formats that are drawn, widest first.
pub const FORMATS: [KvPrecision; 3] = [KvPrecision::Bf16, KvPrecision::Int8, KvPrecision::Int4];
/// The row of the reader's own model.
pub const YOURS: &str = "yours";
/// Programs whose reservation is shown.
pub const PROGRAMS: [Engine; 3] = [Engine::Hf, Engine::Vllm, Engine::LlamaCpp];
/// Tokens of each sequence that the dial asks about.
const ASKED: u32 = 4_096;

/// How many sequences fit beside the weights, on the page's first card.
pub static USERS: Dial = Dial {
    id: "users",
    unit: "sequences",
    range: (1.0, 10_000.0),
    answer: || {
        let scenario = State::default().scenario().with_seq_length(ASKED);
        evaluate(&scenario).fit.map(|fit| fit.max_batch.into())
    },
};

/// Where a size stands, in percent of the drawing.
pub fn x(bytes: f64) -> f64 {
    let (low, high) = DECADES;
    let part = (libm::log10(bytes.max(1.0)) - f64::from(low)) / f64::from(high - low);
    part.clamp(0.0, 1.0) * 100.0
}

/// The reader's scenario, generating, with the attention of a row.
fn scenario(of: &Snapshot, row: &str) -> Option<Checked> {
    let own = of.state.scenario().with(|it| it.mode = Mode::Inference).ok()?;
    if row == YOURS {
        return Some(own);
    }
    let architecture = Kind::from_id(row)?.shape();
    own.with(|it| it.architecture = architecture).ok()
}

fn cache(scenario: &Checked) -> Bytes {
    worked::total(|sink| kv_cache::terms(scenario, sink))
}

/// Sequences of this length that fit on the card, all told.
fn fits(scenario: &Checked) -> String {
    evaluate(scenario).fit.map(|fit| Grouped(fit.max_batch.into()).to_string()).unwrap_or_default()
}

/// The text with this name; `None` for a name that is not known.
pub fn value(of: &Snapshot, part: &str) -> Option<String> {
    let own = scenario(of, YOURS)?;
    let token = || kv_cache::bytes_per_token(&own);
    let times = |tokens: u64| of.size(Bytes(token().0 * u128::from(tokens)));
    Some(match part {
        "sentence" => {
            let seq = Grouped(own.seq_length.into()).to_string();
            let values = [
                ("model", of.state.model_name()),
                ("batch", Grouped(own.batch.into()).to_string()),
                ("seq", seq),
                ("kv", own.kv.label().into()),
                ("cache", of.size(cache(&own))),
                ("token", of.size(token())),
                ("n", fits(&own)),
                ("gpu", of.state.gpu.name.into()),
            ];
            fill_with("cache.sentence", &values)
        }
        "room" => percent(x(room(of, &own).0 as f64)),
        "room_label" => fill("cache.room", &[("room", &of.size(room(of, &own)))]),
        "shape_sentence" => shape(of),
        // Asked for at fixed states only, and the same in either unit: the program in the browser does without.
        #[cfg(not(target_arch = "wasm32"))]
        "shortcut" => Percent(kinds::shortcut(&own.architecture)?).to_string(),
        "whole" => of.size(Bytes(kinds::whole_heads(&own.architecture)?.into())),
        #[cfg(not(target_arch = "wasm32"))]
        "saving" => {
            let whole = kinds::whole_heads(&own.architecture)?;
            Figure(whole as f64 / (token().0.max(1) as f64)).to_string()
        }
        "pages.slots" => times(EXAMPLE.slots()),
        "pages.pages" => times(EXAMPLE.pages()),
        "pages.shared" => times(EXAMPLE.shared_pages()),
        #[cfg(not(target_arch = "wasm32"))]
        "useful.low" => Percent(paging::USEFUL_BEFORE_PAGES[0]).to_string(),
        #[cfg(not(target_arch = "wasm32"))]
        "useful.high" => Percent(paging::USEFUL_BEFORE_PAGES[1]).to_string(),
        _ => {
            let (row, what) = part.split_once('.')?;
            if let Some(engine) = Engine::from_id(row) {
                // What vLLM sets aside follows from the GPU, not from the tokens.
                if engine == Engine::Vllm {
                    return vllm_pool::value(of, &own, what);
                }
                return aside(of, &own, engine, what);
            }
            let scenario = scenario(of, row)?;
            let stored = |kv: KvPrecision| scenario.with(|it| it.kv = kv).ok();
            match what.split_at_checked(2) {
                Some(("x.", format)) => percent(x(cache(&stored(KvPrecision::from_id(format)?)?).0 as f64)),
                _ if what == "token" => of.size(kv_cache::bytes_per_token(&stored(KvPrecision::Bf16)?)),
                _ if what == "fits" => fits(&scenario),
                _ => of.size(cache(&stored(KvPrecision::from_id(what)?)?)),
            }
        }
    })
}

/// What the card has beside everything that is no cache.
fn room(of: &Snapshot, own: &Checked) -> Bytes {
    let evaluation = evaluate(own);
    let rest = evaluation.total.0.saturating_sub(evaluation.bytes(Bucket::KvCache).0);
    Bytes(of.state.gpu.capacity.0.saturating_sub(rest))
}

/// What a program without a pool sets aside for the reader's cache, and how many times the exact one that is.
fn aside(of: &Snapshot, own: &Checked, engine: Engine, what: &str) -> Option<String> {
    let served = own.with(|it| {
        it.serving.engine = engine;
        if let Some(gpu) = it.gpu {
            *it = it.on(gpu);
        }
    });
    let Ok(served) = served else { return Some(t("cache.program.no").into()) };
    let reserved = kv_cache::reserved(&served);
    Some(match what {
        "bytes" => of.size(reserved.bytes),
        "times" => Figure(reserved.bytes.0 as f64 / (reserved.exact.0.max(1) as f64)).to_string(),
        _ => return None,
    })
}

/// Whether the heads of the reader's model are as wide together as the model.
fn shape(of: &Snapshot) -> String {
    let shape = &of.state.shape;
    let n = |n: u32| Grouped(n.into()).to_string();
    let wide = Grouped(u128::from(shape.heads) * u128::from(shape.head_dim)).to_string();
    let values = [
        ("model", of.state.model_name()),
        ("heads", n(shape.heads)),
        ("head_dim", n(shape.head_dim)),
        ("wide", wide),
        ("hidden", n(shape.hidden_size)),
        ("share", kinds::shortcut(shape).map(|ratio| Percent(ratio).to_string()).unwrap_or_default()),
    ];
    let key = match kinds::shortcut(shape) {
        None => "cache.shape.latent",
        // Whole numbers that are equal.
        Some(_) if u64::from(shape.heads) * u64::from(shape.head_dim) == u64::from(shape.hidden_size) => {
            "cache.shape.same"
        }
        Some(_) => "cache.shape.other",
    };
    fill_with(key, &values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::query;
    use memory_wall_core::display::THIN_SPACE;
    use memory_wall_core::tables::models::MODELS;

    fn at(query: &str, name: &str) -> String {
        let decoded = query::decode(query);
        assert_eq!(decoded.notices, Vec::<String>::new());
        Snapshot::of(decoded.state).value(name).unwrap().replace(THIN_SPACE, " ")
    }

    #[test]
    fn the_figures_of_the_prose() {
        for (query, name, text) in [
            ("seq=4096", "cache.mha.bf16", "2.15 GB"),
            ("seq=4096", "cache.gqa.bf16", "537 MB"),
            ("seq=4096", "cache.mqa.bf16", "67.1 MB"),
            ("seq=4096", "cache.latent.bf16", "151 MB"),
            ("seq=4096", "cache.mha.int8", "1.07 GB"),
            ("seq=4096", "cache.mha.int4", "537 MB"),
            ("model=deepseek-v3", "kv_bytes_per_token", "70.3 kB"),
            ("model=deepseek-v3", "cache.whole", "5.00 MB"),
            ("model=deepseek-v3", "cache.saving", "71.1"),
            ("model=qwen3-30b-a3b", "cache.shortcut", "50%"),
            ("model=gemma-3-27b-text", "cache.shortcut", "131%"),
            ("v=1", "cache.useful.low", "20%"),
            ("v=1", "cache.useful.high", "38%"),
            ("v=1", "cache.pages.slots", "12.9 GB"),
            ("v=1", "cache.mha.fits", "65"),
        ] {
            assert_eq!(at(query, name), text, "{query}: {name}");
        }
        assert_eq!((USERS.answer)(), Some(32.0));
        assert_eq!(at("seq=4096", "max_batch"), "32");
    }

    #[test]
    fn every_factor_moves_every_mark_by_the_same_step() {
        let step = |row: &str| {
            let at =
                |query: &str| at(query, &format!("cache.{row}.x.bf16")).trim_end_matches('%').parse::<f64>().unwrap();
            [at("seq=4096") - at("seq=2048"), at("batch=2") - at("v=1")]
        };
        for row in ["mha", "gqa", "mqa", "latent", YOURS] {
            for step in step(row) {
                assert!((step - libm::log10(2.0) / 7.0 * 100.0).abs() < 0.02, "{row}: {step}");
            }
        }
        assert!(step("sliding")[0] < step("mha")[0], "most of its layers keep the window only");
    }

    #[test]
    fn every_name_has_an_answer_for_every_model_at_any_size() {
        for model in MODELS {
            for (batch, seq_length) in [(1, 1), (1_000_000, 10_000_000)] {
                let mut state = State { batch, seq_length, ..State::default() };
                state.choose_model(model);
                let snapshot = Snapshot::of(state);
                for row in Kind::ALL.iter().map(|kind| kind.id()).chain([YOURS]) {
                    for what in ["token", "bf16", "int8", "int4", "fits", "x.bf16", "x.int4"] {
                        let text = value(&snapshot, &format!("{row}.{what}")).unwrap();
                        assert!(!text.is_empty() && !text.contains("NaN"), "{}: {row}.{what}", model.id);
                    }
                }
                for engine in PROGRAMS {
                    assert!(value(&snapshot, &format!("{}.times", engine.id())).is_some_and(|it| !it.contains("NaN")));
                }
                for name in ["sentence", "shape_sentence", "room", "room_label", "pages.shared"] {
                    assert!(value(&snapshot, name).is_some_and(|it| !it.is_empty() && !it.contains("NaN")), "{name}");
                }
            }
        }
        let snapshot = Snapshot::of(State::default());
        for name in ["", "mha", "mha.", "mha.x", "mha.x.x", "attic.bf16", "vllm.x", "whole"] {
            assert_eq!(value(&snapshot, name), None, "{name}");
        }
    }
}
