//! How gentle a combination of fixes is, and which of its fixes it could do without.

use crate::checked::Checked;
use crate::scenario::Scenario;

/// A setting that fixes change.
struct Setting {
    /// What a change of it asks of the reader, in points: 1 for a flag that changes nothing else, more for what slows down, needs host memory
    /// or changes results.
    burden: fn(&Scenario) -> u32,
    /// Takes the first scenario back to the second in this setting.
    revert: fn(&mut Scenario, &Scenario),
}

/// Every setting that the search changes, the heaviest first.
const SETTINGS: [Setting; 16] = [
    Setting { burden: |_| 8, revert: |it, from| it.offload.parameters = from.offload.parameters },
    Setting { burden: |_| 6, revert: |it, from| it.offload.kv_cache = from.offload.kv_cache },
    Setting { burden: |_| 6, revert: |it, from| it.offload.optimizer = from.offload.optimizer },
    Setting {
        burden: |it| if it.weights.block().bits_per_value() < 8.0 { 5 } else { 2 },
        // Weights frozen in 4 bits are a mode of their own.
        revert: |it, from| (it.mode, it.weights) = (from.mode, from.weights),
    },
    Setting {
        burden: |it| if it.kv.block().bits_per_value() < 8.0 { 6 } else { 3 },
        revert: |it, from| it.kv = from.kv,
    },
    Setting { burden: |_| 3, revert: |it, from| it.optimizer = from.optimizer },
    Setting { burden: |_| 2, revert: |it, from| it.checkpointing = from.checkpointing },
    Setting { burden: |_| 2, revert: |it, from| it.training.lora.upcast = from.training.lora.upcast },
    Setting { burden: |_| 4, revert: |it, from| it.training.lora.experts = from.training.lora.experts },
    Setting { burden: |_| 2, revert: |it, from| it.parallel.zero = from.parallel.zero },
    Setting {
        burden: |_| 2,
        revert: |it, from| (it.batch, it.training.micro_batches) = (from.batch, from.training.micro_batches),
    },
    Setting { burden: |_| 1, revert: |it, from| it.training.loss = from.training.loss },
    Setting { burden: |_| 1, revert: |it, from| it.training.stock.outputs_kept = from.training.stock.outputs_kept },
    Setting { burden: |_| 1, revert: |it, from| it.attention = from.attention },
    Setting {
        burden: |_| 1,
        revert: |it, from| {
            (it.serving.max_num_seqs, it.serving.usual_seqs) = (from.serving.max_num_seqs, from.serving.usual_seqs);
        },
    },
    Setting {
        burden: |_| 1,
        revert: |it, from| it.serving.gpu_memory_utilization = from.serving.gpu_memory_utilization,
    },
];

/// What the changes from one scenario to another ask of the reader, in points.
pub(super) fn burden(from: &Scenario, to: &Scenario) -> u32 {
    SETTINGS.iter().filter(|setting| without(to, from, setting) != *to).map(|setting| (setting.burden)(to)).sum()
}

/// The changes from one scenario to another, each taken back alone, as far as what is left is legal.
pub fn single_reverts(from: &Checked, to: &Checked) -> impl Iterator<Item = Checked> + use<> {
    let (from, to) = (*from, *to);
    SETTINGS
        .iter()
        .map(move |setting| without(&to, &from, setting))
        .filter(move |it| *it != *to)
        .filter_map(|it| it.check().ok())
}

/// The combination without every fix that it does not need to be good enough.
pub(super) fn pruned(from: &Checked, to: &Checked, enough: impl Fn(&Checked) -> bool) -> Checked {
    let mut kept = *to;
    loop {
        let less = single_reverts(from, &kept).find(&enough);
        match less {
            Some(less) => kept = less,
            None => return kept,
        }
    }
}

fn without(to: &Scenario, from: &Scenario, setting: &Setting) -> Scenario {
    let mut it = *to;
    (setting.revert)(&mut it, from);
    it
}
