//! Eight operations, and where they stand to the ridge of two cards. One table of shapes; everything else follows from it.

use memory_wall_core::Bytes;
use memory_wall_core::display::{Figure, THIN_SPACE};
use memory_wall_core::precision::ComputePrecision;
use memory_wall_core::roofline::{Accounting, Bound, Kernel, Roof, Work};
use memory_wall_core::tables::gpus;

use crate::charts::wall::percent;
use crate::live::Snapshot;
use crate::predictions::{Mark, Round};
use crate::words::fill;

/// Bytes of a value: bf16.
pub const BYTES: u64 = 2;
/// The card that is asked about first, and the one that came after it.
pub static CARDS: [&str; 2] = ["a100-80-sxm", "h100-sxm"];

/// An operation with its shape.
pub struct Operation {
    /// Its name in the page and in the words.
    pub id: &'static str,
    /// What is done, and to how much.
    pub kernel: Kernel,
}

const fn on(id: &'static str, kernel: Kernel) -> Operation {
    Operation { id, kernel }
}

/// The width of the model, and that of its MLP: Llama 3.1 8B.
const WIDTH: u64 = 4_096;
const MLP: u64 = 14_336;
/// Tokens of a prompt, or of a cache; and the batch that is large for decoding.
const TOKENS: u64 = 4_096;
const BATCH: u64 = 256;

/// The operations, in the order in which they are asked about.
pub static OPERATIONS: [Operation; 8] = [
    on("gemm", Kernel::Gemm { m: WIDTH, n: WIDTH, k: WIDTH }),
    on("relu", Kernel::Relu { elements: TOKENS * MLP }),
    on("token", Kernel::Gemm { m: 1, n: MLP, k: WIDTH }),
    on("softmax", Kernel::Softmax { elements: 32 * TOKENS * TOKENS }),
    on("batch", Kernel::Gemm { m: BATCH, n: MLP, k: WIDTH }),
    on("flash", Kernel::FlashAttention { batch: 1, seq_length: TOKENS, heads: 32, kv_heads: 8, head_dim: 128 }),
    on("layer_norm", Kernel::LayerNorm { elements: TOKENS * WIDTH }),
    on("cache", Kernel::KvRead { batch: BATCH, context: TOKENS, heads: 32, kv_heads: 8, head_dim: 128 }),
];

/// What is sorted: the sides on the first card.
pub static SIDES: Round = Round {
    id: "sides",
    questions: &["gemm", "relu", "token", "softmax", "batch", "flash", "layer_norm", "cache"],
    options: &["memory", "compute"],
    answer: |id| Some(by_id(id)?.bound(CARDS[0])?.id()),
};

/// What is asked next: whether the second card has more of them on the side of memory.
pub static RIDGE: Round = Round {
    id: "ridge",
    questions: &["ridge"],
    options: &["more", "fewer", "same"],
    answer: |id| {
        let [first, second] = CARDS.map(waiting);
        (id == "ridge").then_some(match second.cmp(&first) {
            std::cmp::Ordering::Greater => "more",
            std::cmp::Ordering::Less => "fewer",
            std::cmp::Ordering::Equal => "same",
        })
    },
};

/// An operation by its name.
pub fn by_id(id: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.id == id)
}

/// The roof of a card, for bf16.
pub fn roof(card: &str) -> Option<Roof> {
    Roof::of(gpus::by_id(card)?, ComputePrecision::Bf16)
}

/// How many of the operations wait for memory on a card.
pub fn waiting(card: &str) -> usize {
    OPERATIONS.iter().filter(|operation| operation.bound(card) == Some(Bound::Memory)).count()
}

impl Operation {
    /// What it does.
    pub fn work(&self) -> Work {
        self.kernel.work(BYTES)
    }

    /// FLOPs for each byte.
    pub fn intensity(&self) -> f64 {
        self.work().intensity(Accounting::ReadsAndWrites).0
    }

    /// What holds it back on a card.
    pub fn bound(&self, card: &str) -> Option<Bound> {
        Some(roof(card)?.bound(self.work().intensity(Accounting::ReadsAndWrites)))
    }
}

/// Powers of ten at the ends of the scale of intensities.
pub const DECADES: (i32, i32) = (-1, 4);

/// How far from the left an intensity stands, in percent.
pub fn x(intensity: f64) -> f64 {
    let (low, high) = DECADES;
    let part = (libm::log10(intensity.max(1e-9)) - f64::from(low)) / f64::from(high - low);
    part.clamp(0.0, 1.0) * 100.0
}

/// How far from the left the ridge of a card stands, in percent.
pub fn ridge(card: &str) -> Option<f64> {
    Some(x(roof(card)?.ridge().0))
}

/// The card whose ridge is drawn: the second one, once the reader has asked about it.
fn shown(of: &Snapshot) -> &'static str {
    let [first, second] = CARDS;
    if of.predictions.is_open(&RIDGE) { second } else { first }
}

/// The text with this name; `None` for a name that is not known.
pub fn value(of: &Snapshot, part: &str) -> Option<String> {
    if part == "ridge" {
        return Some(percent(ridge(shown(of))?));
    }
    if part == "ridge_label" {
        let roof = roof(shown(of))?;
        let name = gpus::by_id(shown(of))?.name;
        return Some(fill("sort.ridge", &[("gpu", name), ("ridge", &Figure(roof.ridge().0).to_string())]));
    }
    if part == "score" {
        return Some(of.predictions.outcome(&SIDES));
    }
    let (what, id) = part.split_once('.')?;
    let operation = by_id(id)?;
    let work = operation.work();
    Some(match what {
        // Where the reader has put it until it is known where it is: in the middle of the side.
        "at" => percent(match (of.predictions.mark(id)?, of.predictions.guess(id)) {
            (Mark::Hidden, Some(guess)) => middle(guess)?,
            _ => x(operation.intensity()),
        }),
        "intensity" => Figure(operation.intensity()).to_string(),
        "reads_only" => Figure(work.intensity(Accounting::ReadsOnly).0).to_string(),
        "bytes" => of.size(Bytes(work.read + work.written)),
        _ => return None,
    })
}

/// The middle of a side of the first card's ridge, in percent.
pub fn middle(side: &str) -> Option<f64> {
    let ridge = ridge(CARDS[0])?;
    Some(if side == "memory" { ridge / 2.0 } else { f64::midpoint(ridge, 100.0) })
}

/// FLOPs with three digits: `137 GFLOP`.
pub fn flops(flops: u128) -> String {
    let ladder = [(1e12, "TFLOP"), (1e9, "GFLOP"), (1e6, "MFLOP"), (1e3, "kFLOP")];
    let flops = flops as f64;
    let (one, unit) = ladder.into_iter().find(|(one, _)| flops >= *one * 0.999_5).unwrap_or((1.0, "FLOP"));
    format!("{}{THIN_SPACE}{unit}", Figure(flops / one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intensities_and_sides_are_those_that_come_out_by_hand() {
        // A matrix of n × n: n / 3. A vector of 4,096 times 4,096 × 14,336: 2kn / 2(k + kn + n). A batch of 256: 256kn / (256k + kn + 256n).
        // Flash: 4·s(s + 1)/2 of 4,096 each, over 2·s·(2 × 4,096 + 2 × 1,024). A cache: 4 queries share a key and a value.
        for (id, intensity, sides) in [
            ("gemm", 1_365.33, ["compute", "compute"]),
            ("relu", 0.25, ["memory", "memory"]),
            ("token", 0.999_69, ["memory", "memory"]),
            ("softmax", 1.25, ["memory", "memory"]),
            ("batch", 236.95, ["compute", "memory"]),
            ("flash", 1_638.8, ["compute", "compute"]),
            ("layer_norm", 2.0, ["memory", "memory"]),
            ("cache", 3.996, ["memory", "memory"]),
        ] {
            let operation = by_id(id).unwrap();
            assert!((operation.intensity() / intensity - 1.0).abs() < 1e-4, "{id}: {}", operation.intensity());
            assert_eq!(CARDS.map(|card| operation.bound(card).unwrap().id()), sides, "{id}");
        }
    }

    #[test]
    fn exactly_one_operation_changes_sides_and_it_is_the_batch() {
        let moved: Vec<_> = OPERATIONS.iter().filter(|it| it.bound(CARDS[0]) != it.bound(CARDS[1])).collect();
        assert_eq!(moved.iter().map(|it| it.id).collect::<Vec<_>>(), ["batch"]);
        assert_eq!(CARDS.map(waiting), [5, 6]);
        assert_eq!((RIDGE.answer)("ridge"), Some("more"));
    }

    #[test]
    fn the_round_asks_about_every_operation_in_order() {
        assert_eq!(OPERATIONS.iter().map(|it| it.id).collect::<Vec<_>>(), SIDES.questions);
    }

    #[test]
    fn no_operation_stands_so_near_a_ridge_that_its_side_could_be_argued_about() {
        for operation in &OPERATIONS {
            for card in CARDS {
                let ratio = operation.intensity() / roof(card).unwrap().ridge().0;
                assert!(!(0.85..=1.18).contains(&ratio), "{} on {card}: {ratio}", operation.id);
            }
        }
    }

    #[test]
    fn a_guess_is_drawn_on_its_side_until_the_truth_is() {
        let mut snapshot = Snapshot::of(crate::state::State::default());
        let at = |snapshot: &Snapshot| value(snapshot, "at.relu");
        snapshot.predictions.take("relu", "compute");
        assert_eq!(at(&snapshot), Some(percent(middle("compute").unwrap())));
        snapshot.predictions.turn(&SIDES, true);
        assert_eq!(at(&snapshot).as_deref(), Some("7.96%"));
        let before = value(&snapshot, "ridge");
        snapshot.predictions.turn(&RIDGE, true);
        assert_ne!(value(&snapshot, "ridge"), before);
        assert_eq!(value(&snapshot, "ridge_label").as_deref(), Some("H100 SXM5 80GB: ridge 295"));
    }

    #[test]
    fn work_is_written_with_three_digits() {
        assert_eq!(by_id("gemm").map(|it| flops(it.work().flops)).as_deref(), Some("137\u{202f}GFLOP"));
        assert_eq!(flops(999_600), "1.00\u{202f}MFLOP");
        assert_eq!(flops(12), "12.0\u{202f}FLOP");
    }
}
