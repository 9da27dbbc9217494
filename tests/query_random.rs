//! Any state as a link, and anything as a query: every state survives the journey, and nothing that is typed into an address
//! breaks the page.
//!
//! 1,000 cases a property, or as many as the environment variable `PROPTEST_CASES` says.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

#[path = "common/cases.rs"]
mod cases;
#[path = "common/hostile.rs"]
mod hostile;
#[path = "common/keys.rs"]
mod keys;

use memory_wall_app::state::State;
use memory_wall_app::state::cluster::{Cluster, GpuCount};
use memory_wall_app::state::decimal::Decimal;
use memory_wall_app::state::dimensions::Dimension;
use memory_wall_app::state::query::{LONGEST, decode, encode};
use memory_wall_app::state::roofline::{Dots, Levers, Precisions};
use memory_wall_app::state::spending::Spending;
use memory_wall_app::state::trace::{self, Trace, TraceGpu};
use memory_wall_core::allocation_trace::Step;
use memory_wall_core::bounds::Bounds;
use memory_wall_core::display::ByteUnit;
use memory_wall_core::hierarchy::Tier;
use memory_wall_core::roofline::operations::Kernels;
use memory_wall_core::roofline::{Accounting, Pass};
use memory_wall_core::scaling::Purpose;
use memory_wall_core::tables::gpus::GPUS;
use memory_wall_core::{Attention, Checkpointing, KvPrecision, Mode, Optimizer, WeightFormat};
use proptest::prelude::*;
use proptest::sample::select;

use keys::{KEYS, choices};

/// A value of an input: its ends, a power of two, something small, or anything.
fn within(Bounds { min, max, .. }: Bounds) -> impl Strategy<Value = u32> {
    prop_oneof![
        1 => Just(min),
        1 => Just(max),
        3 => (0..32_u32).prop_map(move |power| (1 << power).clamp(min, max)),
        3 => min..=max.min(min + 70),
        3 => min..=max,
    ]
}

/// Every setting of the roofline, fields half filled in among them.
fn levers() -> impl Strategy<Value = Levers> {
    let field = |max: u64| prop_oneof![2 => Just(0), 1 => Just(max), 3 => 1..=max.min(5_000), 3 => 1..=max];
    let choices = (
        select(Dots::ALL),
        select([Pass::Prefill, Pass::Decode].as_slice()),
        prop::option::of(select(Kernels::ALL)),
        select(Accounting::ALL),
        select(Precisions::ALL),
    );
    let gpus = (prop::option::of(0..GPUS.len()), prop::option::of(0..GPUS.len()));
    let rate = || field(Decimal::RATE.max);
    let numbers = (
        [rate(), rate(), rate()],
        [field(Decimal::COUNT.max), field(Decimal::COUNT.max)],
        [(); 3].map(|()| field(Decimal::SIDE.max)),
    );
    (choices, gpus, numbers).prop_map(
        |((dots, pass, kernels, accounting, precisions), (first, second), (rates, op, gemm))| {
            let second = second.filter(|second| Some(*second) != first);
            Levers {
                kernels,
                accounting,
                pass,
                dots,
                precisions,
                versus: [first, second].map(|place| place.map(|place| &GPUS[place])),
                own_gpu: [rates[0], rates[1]],
                op,
                gemm,
                rate: rates[2],
            }
        },
    )
}

/// Every program that runs line by line, wherever the reader stands in it.
fn tapes() -> impl Strategy<Value = Trace> {
    let sizes = [0, 1, 2].map(|place: usize| within(trace::SIZES[place].bounds));
    let switches = prop::collection::vec(select(trace::SWITCHES.as_slice()), 0..4);
    (sizes, switches, select(Step::ALL), select(TraceGpu::ALL.as_slice())).prop_map(|(sizes, switches, step, gpu)| {
        let mut trace = Trace { step, gpu, ..Trace::default() };
        for switch in switches {
            trace::flip(&mut trace.program, switch);
        }
        [trace.program.features, trace.program.batch, trace.program.seq_length] = sizes;
        trace
    })
}

/// Every setting of time and money, empty fields among them.
fn spendings() -> impl Strategy<Value = Spending> {
    let field = |max: u64| prop_oneof![2 => Just(0), 1 => Just(max), 3 => 1..=max.min(5_000), 3 => 1..=max];
    let share = || field(Decimal::SHARE.max);
    (field(Decimal::SIDE.max), field(Decimal::COUNT.max), [share(), share()], field(Decimal::RATE.max))
        .prop_map(|(gpus, tokens, mfu, price)| Spending { gpus, tokens, mfu, price })
}

/// Every state that the controls lead to: a model, changes of its dimensions one after the other, and every choice.
fn states() -> impl Strategy<Value = State> {
    let change =
        select(Dimension::ALL.as_slice()).prop_flat_map(|dimension| (Just(dimension), within(dimension.bounds())));
    let sizes = (any::<u32>(), any::<u32>(), 0..32_u32, 0..32_u32)
        .prop_map(|(batch, seq, by, also_by)| (batch >> by, seq >> also_by));
    let formats = (select(WeightFormat::ALL), select(KvPrecision::ALL));
    let training = (select(Optimizer::ALL), select(Checkpointing::ALL), select(Attention::ALL));
    let model = (0..State::models().count(), prop::collection::vec(change, 0..8));
    let rest = (
        0..GPUS.len(),
        select(ByteUnit::EACH.as_slice()),
        select(Mode::ALL),
        select(Tier::ALL),
        (levers(), select(GpuCount::ALL), select(Purpose::ALL), spendings()),
        tapes(),
    );
    (model, sizes, formats, training, rest).prop_map(
        |(
            (model, changes),
            (batch, seq),
            (weights, kv),
            (optimizer, checkpointing, attention),
            (gpu, unit, mode, tier, (roofline, gpus, purpose, spending), trace),
        )| {
            let mut state = State {
                mode,
                weights,
                kv,
                optimizer,
                checkpointing,
                attention,
                gpu: &GPUS[gpu],
                unit,
                tier,
                roofline,
                trace,
                cluster: Cluster { gpus, purpose },
                spending,
                ..State::default()
            };
            state.choose_model(State::models().nth(model).unwrap());
            for (dimension, value) in changes {
                state.set_dimension(dimension, value);
            }
            // A draft stays on its page: links have the last dimensions that went together.
            state.draft = None;
            state.set_batch(batch);
            state.set_seq_length(seq);
            // What bitsandbytes does not run on is taken back where the reader chooses it.
            state.mended().0
        },
    )
}

/// Text that no key is spelled with.
fn foreign_key() -> impl Strategy<Value = String> {
    prop::collection::vec(any::<char>().prop_filter("would end the key", |c| !matches!(c, '&' | '=')), 0..30)
        .prop_map(|characters| characters.into_iter().fold(String::from("x-"), |key, c| key + &c.to_string()))
}

/// Values that are wrong, hide something, or belong to another key.
const JUNK: &[&str] = &[
    "",
    "-1",
    "0",
    "1e99",
    "NaN",
    "inf",
    "+5",
    "5.0",
    "0x10",
    "null",
    "undefined",
    "__proto__",
    "%",
    "%%",
    "%0",
    "%zz",
    "%00",
    "%e2%80%ae",
    "%ff",
    "\u{0}",
    "\u{202e}",
    "\u{2067}",
    "\u{61c}",
    "\u{2028}",
    "\u{fffd}",
    "=",
    "==",
    "a=b",
    "<script>",
    "\"'>",
    "{model}",
    "{{live total}}",
    "99999999999999999999999999",
    "128000 ",
    "training",
    "int4",
    "5",
    "llama-3.1-8b",
    "h100-sxm",
    "1000000",
];

/// Values as they come by accident or by malice.
fn junk_value() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(JUNK).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => "[0-9]{1,30}",
        1 => "(%[0-9a-fA-F]{2}){1,40}",
    ]
}

/// Settings that are each legal and may not go together: some of them, in any order.
fn settings() -> impl Strategy<Value = String> {
    let models: Vec<&str> = State::models().map(|model| model.id).collect();
    let choices = choices();
    let one = |key: &'static str| select(choices[key].clone()).prop_map(move |id| format!("{key}={id}"));
    let layers = prop_oneof![2 => 1..=64_u32, 1 => within(Dimension::Layers.bounds())];
    // The one model whose layers can all lose their attention comes up in half of all cases.
    let model = prop_oneof![Just("qwen3-next-80b-a3b"), select(models)];
    let parts = (
        model.prop_map(|id| format!("model={id}")),
        layers.prop_map(|layers| format!("layers={layers}")),
        (one("mode"), one("targets"), one("adapters")),
        (one("weights"), one("recipe"), one("kernels")),
    );
    let parts = parts.prop_map(|(model, layers, (mode, targets, adapters), (weights, recipe, kernels))| {
        vec![model, layers, mode, targets, adapters, weights, recipe, kernels]
    });
    (parts.prop_shuffle(), 4..=8_usize).prop_map(|(parts, taken)| parts[..taken].join("&"))
}

/// Queries from real settings, real keys with junk values, and what stands between them.
fn near_queries() -> impl Strategy<Value = String> {
    let key = prop_oneof![5 => select(KEYS.as_slice()).prop_map(str::to_owned), 1 => foreign_key()];
    let between = select(["&", "&", "&", "&", "&&", "=", "", "%26", "?", ";"].as_slice());
    let equals = select(["=", "=", "=", "=", "", "==", "%3d", "&"].as_slice());
    let junk = prop::collection::vec((key, equals, junk_value(), between), 0..60).prop_map(|parts| {
        parts.into_iter().map(|(key, equals, value, between)| key + equals + &value + between).collect::<String>()
    });
    (prop::option::weighted(0.75, settings()), junk)
        .prop_map(|(settings, junk)| settings.map_or_else(|| junk.clone(), |settings| format!("{settings}&{junk}")))
}

proptest! {
    #![proptest_config(cases::config())]

    #[test]
    fn every_state_survives_the_journey(state in states()) {
        let link = encode(&state);
        prop_assert!(link.len() <= LONGEST && link.is_ascii(), "{link}");
        prop_assert!(link.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"&=-._,".contains(&byte)), "{link}");
        let back = decode(&link);
        prop_assert_eq!(&back.notices, &Vec::<String>::new(), "{}", &link);
        prop_assert_eq!(back.state, hostile::settled(&state), "{}", &link);
        prop_assert_eq!(encode(&back.state), link);
        // A round number stands for a published model alone; any other is counted.
        prop_assert!(!state.is_changed() || state.shape.rounded_parameters.is_none());
    }

    #[test]
    fn parts_may_come_in_any_order(state in states(), seed in any::<u64>()) {
        let link = encode(&state);
        let mut parts: Vec<&str> = link.split('&').collect();
        // Sorted by a hash of each: an order as good as any.
        parts.sort_by_key(|part| part.bytes().fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)));
        prop_assert_eq!(decode(&parts.join("&")), decode(&link));
    }

    #[test]
    fn junk_breaks_nothing(characters in prop::collection::vec(any::<char>(), 0..5_000)) {
        hostile::decoded(&decode(&characters.into_iter().collect::<String>()));
    }

    #[test]
    fn what_looks_like_a_query_breaks_nothing(query in near_queries()) {
        hostile::decoded(&decode(&query));
    }

    #[test]
    fn what_is_valid_is_kept_among_junk(
        state in states(),
        junk in prop::collection::vec((foreign_key(), junk_value().prop_map(|value| value.replace('&', ""))), 0..20),
    ) {
        let link = encode(&state);
        let mut mixed = Vec::new();
        let mut junk = junk.iter();
        for part in link.split('&') {
            mixed.extend(junk.next().map(|(key, value)| format!("{key}={value}")));
            mixed.push(part.to_owned());
        }
        // Again and otherwise: the first is used.
        mixed.extend(link.split('&').filter_map(|part| Some(format!("{}=1", part.split_once('=')?.0))));
        let mixed = mixed.join("&");
        prop_assume!(mixed.len() <= LONGEST);
        let decoded = decode(&mixed);
        hostile::decoded(&decoded);
        prop_assert_eq!(decoded.state, hostile::settled(&state), "{}", mixed);
    }

    #[test]
    fn what_is_cut_off_is_as_if_it_were_not_there(state in states(), padding in 1_700..LONGEST) {
        let link = encode(&state);
        let long = format!("{}&{link}&{}", "&".repeat(padding), "y".repeat(500));
        let decoded = decode(&long);
        hostile::decoded(&decoded);
        let whole: Vec<&str> = long[..=LONGEST].rsplit_once('&').unwrap().0.split('&').filter(|part| !part.is_empty()).collect();
        prop_assert_eq!(decoded.state, decode(&whole.join("&")).state);
    }
}
