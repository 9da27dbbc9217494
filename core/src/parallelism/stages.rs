//! The stages of a pipeline: which layers a rank has, and of how many micro-batches it holds activations.

use super::Parallelism;
use crate::architecture::Architecture;

choices! {
    /// How a pipeline works through the micro-batches of a training step.
    PipelineSchedule {
        /// One forward and one backward pass in turn, interleaved where a rank has several chunks of layers.
        OneForwardOneBackward = "1f1b";
        /// `DeepSeek`'s `DualPipe`: micro-batches start at both ends, and each rank holds two stages, as far from the first and from the last.
        DualPipe = "dualpipe";
        /// The same cut in half: twice as many stages as ranks, which a micro-batch passes to and fro.
        DualPipeV = "dualpipev";
    }
}

impl PipelineSchedule {
    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneForwardOneBackward => "1F1B",
            Self::DualPipe => "DualPipe",
            Self::DualPipeV => "DualPipeV",
        }
    }
}

impl Parallelism {
    /// Whether each rank holds two stages: one counted from the start of the model, and one equally far from its end.
    pub const fn both_ways(&self) -> bool {
        !matches!(self.schedule, PipelineSchedule::OneForwardOneBackward)
    }

    /// How many ranks hold a copy of the same layers.
    pub const fn copies(&self) -> u32 {
        if matches!(self.schedule, PipelineSchedule::DualPipe) { 2 } else { 1 }
    }

    /// How often a micro-batch passes each rank on its way through the layers.
    pub const fn turns(&self) -> u32 {
        match self.schedule {
            PipelineSchedule::OneForwardOneBackward => self.virtual_stages,
            PipelineSchedule::DualPipe => 1,
            PipelineSchedule::DualPipeV => 2,
        }
    }

    /// Chunks of layers of a rank that, taken in turn, make a pipeline wait as briefly as its schedule does, where backward computes so many forward passes again: see
    /// [`crate::cost::bubble`].
    pub(crate) fn interleaving(&self, again: f64) -> f64 {
        if !self.both_ways() {
            return self.virtual_stages.into();
        }
        // F + B over F&B + B − 3·W, each in forward passes.
        let shorter = (3.0 + again) / (2.0 + 2.0 * again);
        let [stages, turns] = [self.pp * self.turns(), self.turns()].map(f64::from);
        turns * shorter * f64::from(self.pp - 1) / (stages / 2.0 - 1.0)
    }

    /// Whether the stage that is looked at has the first layer and the embedding, and whether the last and the head.
    pub const fn ends(&self) -> [bool; 2] {
        let [first, last] = [self.stage == 0, self.stage + 1 == self.pp];
        match self.schedule {
            PipelineSchedule::OneForwardOneBackward => [first, last],
            PipelineSchedule::DualPipe => [first || last; 2],
            PipelineSchedule::DualPipeV => [first; 2],
        }
    }

    /// The first layer of the stage that is looked at, and the one behind its last; the first stages take what is left over.
    pub(crate) fn layers_of_stage(&self, layers: u32) -> (u32, u32) {
        let (each, rest) = (layers / self.pp, layers % self.pp);
        let start = |stage: u32| stage * each + stage.min(rest);
        (start(self.stage), start(self.stage + 1))
    }

    /// The same as torchtitan cuts: of what is left over the chunk behind the embedding gets nothing, the next ones a layer each, the head's the rest.
    ///
    /// A rank with several chunks has layers from all over the model; they count as if they followed each other.
    pub(crate) fn layers_beside_tables(&self, layers: u32) -> (u32, u32) {
        let before = |stage: u32| {
            let chunks = (0..self.virtual_stages).map(|chunk| chunk * self.pp);
            chunks.map(|first| self.start_of_chunk(layers, first + stage) - self.start_of_chunk(layers, first)).sum()
        };
        (before(self.stage), before(self.stage + 1))
    }

    /// Layers of one of all chunks, as torchtitan cuts.
    pub(crate) fn layers_of_chunk(&self, layers: u32, chunk: u32) -> u32 {
        self.start_of_chunk(layers, chunk + 1) - self.start_of_chunk(layers, chunk)
    }

    fn start_of_chunk(&self, layers: u32, chunk: u32) -> u32 {
        let chunks = self.pp * self.virtual_stages;
        if chunk >= chunks {
            return layers;
        }
        chunk * (layers / chunks) + chunk.saturating_sub(1).min(layers % chunks)
    }

    /// Layers of one of all chunks, as Megatron-LM spreads them, with those that predict further tokens (MTP).
    fn layers_of_megatron(&self, layers: u32, chunk: u32) -> u32 {
        let predicting = self.split.layout.filter(|layout| layout.predicted_at() == Some(chunk));
        self.split.layers_of_chunk(layers, self.pp, self.turns(), chunk)
            + predicting.map_or(0, |layout| layout.predicting())
    }

    /// The chunks of the stage that is looked at.
    fn chunks(&self) -> impl Iterator<Item = u32> + use<> {
        let (it, held) = (*self, self.turns().max(self.copies()));
        let mirrored = self.pp * self.turns() - 1 - self.stage;
        (0..held).map(move |turn| if it.both_ways() && turn > 0 { mirrored } else { turn * it.pp + it.stage })
    }

    /// Layers of the chunks of the stage, each as often as it is held at once, of those in front of a layer and of all; with so many of them at most.
    ///
    /// # Formula
    /// Each of p stages is held p − i times: of both of a rank's together p + 1 times.
    ///
    /// # Source
    /// `DualPipe.step` and `DualPipeV.step` of github.com/deepseek-ai/DualPipe at 3da1bbe (2025-03): forward passes of either chunk before its first backward pass, and one more
    /// while the two overlap; `README.md` has PP + 1. Read 2026-11-27.
    pub(crate) fn held_both_ways(&self, layers: u32, in_front: u32) -> [u64; 2] {
        let stages = self.pp * self.turns();
        self.chunks().fold([0; 2], |[front, all], chunk| {
            let before: u32 = (0..chunk).map(|chunk| self.layers_of_megatron(layers, chunk)).sum();
            let here = self.layers_of_megatron(layers, chunk);
            let in_front = in_front.saturating_sub(before).min(here);
            let times = u64::from(stages - chunk);
            [front + times * u64::from(in_front), all + times * u64::from(here)]
        })
    }

    /// MTP layers of the stage that is looked at, in a layout of Megatron-LM.
    pub(crate) fn predicting(&self) -> u32 {
        let layout =
            self.split.layout.filter(|it| it.predicted_at().is_some_and(|at| self.chunks().any(|chunk| chunk == at)));
        layout.map_or(0, |layout| layout.predicting())
    }

    /// How often the chunk with MTP layers is held at once where micro-batches pass both ways.
    pub(crate) fn predictions_held(&self) -> Option<u64> {
        let at = self.split.layout.filter(|_| self.both_ways())?.predicted_at()?;
        Some((self.pp * self.turns() - at).into())
    }

    /// The first layer of the stage that is looked at, and the one behind its last, as Megatron-LM spreads layers.
    ///
    /// A rank with several chunks has layers from all over the model: they count as if they followed each other, with as many of the
    /// dense layers in front of a mixture's as there are among them.
    pub(crate) fn layers_in_megatron(&self, shape: &Architecture) -> (u32, u32) {
        let layers = shape.layers;
        let of = |stage: u32| self.at_stage(stage).chunks().map(|chunk| self.layers_of_megatron(layers, chunk)).sum();
        let here: u32 = of(self.stage);
        let in_front = shape.moe.filter(|moe| !moe.alternating).map_or(0, |moe| moe.dense_layers);
        if in_front == 0 || self.virtual_stages == 1 && !self.both_ways() {
            // The other half of a pipeline with two copies has the same layers.
            let first = if self.copies() == 1 { self.stage } else { self.stage.min(self.pp - 1 - self.stage) };
            let before: u32 = (0..first).map(of).sum();
            // Behind MTP layers on another stage than the last there are no others.
            let start = before.min(layers);
            return (start, start + here);
        }
        let dense: u32 = self
            .chunks()
            .map(|chunk| {
                let before: u32 = (0..chunk).map(|chunk| self.layers_of_megatron(layers, chunk)).sum();
                in_front.saturating_sub(before).min(self.layers_of_megatron(layers, chunk))
            })
            .sum();
        (in_front - dense, in_front - dense + here)
    }

    /// Layers whose activations a stage holds at once where its chunks have different numbers of them, each as often as it is held.
    ///
    /// # Formula
    /// The most of any moment: as many forward passes of chunks as [`Parallelism::chunks_in_flight`], and from then on one backward and one
    /// forward pass in turn. `pp` micro-batches go through one chunk before the next one, backward from the last chunk to the first.
    ///
    /// # Source
    /// Megatron-LM at d98e8a6 (2026-08): `get_schedule_table` and `get_pp_rank_microbatches` of `megatron/core/pipeline_parallel/schedules.py`. Read 2026-11-26.
    pub(crate) fn layers_in_flight(&self, layers: u32, micro_batches: u32) -> u64 {
        if self.both_ways() {
            return self.held_both_ways(layers, 0)[1];
        }
        let (in_flight, v) = (self.chunks_in_flight(micro_batches), u64::from(self.virtual_stages));
        let (pp, all) = (u64::from(self.pp), u64::from(micro_batches) * v);
        let at = |turn: u64| {
            let turn = u32::try_from(turn).unwrap_or(0);
            u64::from(self.layers_of_megatron(layers, turn * self.pp + self.stage))
        };
        let forward = |pass: u64| at(pass / pp % v);
        let backward = |pass: u64| at(v - 1 - pass / pp % v);
        let mut held: u64 = (0..in_flight).map(forward).sum();
        let mut most = held;
        // It repeats with every round through all chunks.
        for pass in 0..(pp * v).min(all - in_flight) {
            held = held + forward(in_flight + pass) - backward(pass);
            most = most.max(held);
        }
        most
    }

    /// Layer chunks whose activations a stage holds at once.
    ///
    /// # Formula
    /// min(p − i, m) for stage i of p with m micro-batches; interleaved over v chunks a rank: min(2(p − i − 1) + (v − 1)·p + 1, m·v). Both ways: p + 1 of p stages.
    ///
    /// # Source
    /// Narayanan et al. 2021 (Megatron-LM), section 2.2; on the first stage p·v + p − 1 chunks, the (1 + (p − 1)/(p·v)) of Korthikanti et al. 2022.
    pub(crate) fn chunks_in_flight(&self, micro_batches: u32) -> u64 {
        if self.both_ways() {
            return u64::from(self.pp * self.turns() + 1);
        }
        let [p, v, m] = [self.pp, self.virtual_stages, micro_batches].map(u64::from);
        let behind = p - 1 - u64::from(self.stage).min(p - 1);
        if v == 1 { (behind + 1).min(m) } else { (2 * behind + (v - 1) * p + 1).min(m * v) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn torchtitan_gives_the_stages_with_a_table_a_layer_less() {
        let layers = |stage, virtual_stages| {
            let cut = Parallelism { pp: 8, virtual_stages, stage, ..Parallelism::ONE };
            let (start, end) = cut.layers_beside_tables(126);
            end - start
        };
        assert_eq!([0, 1, 6, 7].map(|stage| layers(stage, 1)), [15, 16, 16, 15]);
        // Chunks of 7, 14 times 8, and 7.
        assert_eq!([0, 1, 6, 7].map(|stage| layers(stage, 2)), [15, 16, 16, 15]);
    }
}
