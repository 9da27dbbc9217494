//! The time line of a pipeline: which stage works on which micro-batch when, and what it holds for backward meanwhile.
//!
//! Backward takes twice as long as forward, and sending takes no time.

use crate::parallelism::Parallelism;

choices! {
    /// The order in which the stages of a pipeline work through the micro-batches of a step.
    Schedule {
        /// All forward passes, then all backward passes.
        GPipe = "gpipe";
        /// As few forward passes as fill the pipeline, then one forward and one backward in turn: 1F1B.
        OneForwardOneBackward = "1f1b";
        /// The same with two chunks of layers on each stage, so that a micro-batch passes every stage twice.
        Interleaved = "interleaved";
    }
}

choices! {
    /// Which way a micro-batch goes through the layers.
    Pass {
        /// Computes the loss, and saves tensors for backward.
        Forward = "forward";
        /// Computes gradients, and frees them.
        Backward = "backward";
    }
}

/// The most stages and chunks of micro-batches that a time line can have.
const STAGES: usize = 8;
const CHUNKS: usize = 64;

/// A pipeline and its schedule.
///
/// # Source
/// Huang et al. 2019 (`GPipe`); Narayanan et al. 2021 (Megatron-LM), figures 3 and 4, whose order of chunks this is.
///
/// # Example
/// ```
/// use memory_wall_core::pipeline::{Schedule, TimeLine};
/// let of = |schedule| TimeLine::new(schedule, 4, 8).unwrap();
/// // 3 of 11 slots, and 3 of 19.
/// assert!((of(Schedule::GPipe).idle() - 3.0 / 11.0).abs() < 1e-9);
/// assert!((of(Schedule::Interleaved).idle() - 3.0 / 19.0).abs() < 1e-9);
/// assert_eq!([0, 1, 2, 3].map(|stage| of(Schedule::OneForwardOneBackward).held(stage)), [4.0, 3.0, 2.0, 1.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLine {
    schedule: Schedule,
    stages: u32,
    micro_batches: u32,
}

/// One pass of a micro-batch through a chunk of a stage's layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The stage, from 0.
    pub stage: u32,
    /// The micro-batch, from 0.
    pub micro_batch: u32,
    /// The chunk of the stage's layers, from 0.
    pub chunk: u32,
    /// Forward or backward.
    pub pass: Pass,
    /// When it starts, in [ticks](TimeLine::TICKS).
    pub start: u32,
    /// How long it takes.
    pub length: u32,
}

impl TimeLine {
    /// Ticks that the forward pass of one micro-batch takes a stage.
    pub const TICKS: u32 = 2;

    /// `None` for more than 8 stages or 64 chunks of micro-batches, and for an interleaved one that the stages do not divide.
    pub fn new(schedule: Schedule, stages: u32, micro_batches: u32) -> Option<Self> {
        let line = Self { schedule, stages, micro_batches };
        let fits = (1..=STAGES).contains(&(stages as usize)) && (1..=CHUNKS).contains(&(line.passes() as usize));
        let even = schedule != Schedule::Interleaved || micro_batches.is_multiple_of(stages);
        (fits && even).then_some(line)
    }

    /// Chunks of layers on each stage.
    pub const fn chunks(self) -> u32 {
        match self.schedule {
            Schedule::Interleaved => 2,
            _ => 1,
        }
    }

    /// Forward passes of a stage, and as many backward.
    const fn passes(self) -> u32 {
        self.micro_batches.saturating_mul(self.chunks())
    }

    /// Forward passes before the first backward pass of a stage.
    fn ahead(self, stage: u32) -> u32 {
        if self.schedule == Schedule::GPipe {
            return self.passes();
        }
        let behind = self.stages - 1 - stage.min(self.stages - 1);
        let ahead = if self.chunks() == 1 { behind } else { 2 * behind + (self.chunks() - 1) * self.stages };
        // The forward pass that the first backward pass waits for comes on top.
        (ahead + 1).min(self.passes())
    }

    /// What a stage does as its `nth`, without the time: all forward passes ahead, then backward and forward in turn, then what is left.
    fn order(self, stage: u32, nth: u32) -> Slot {
        let ahead = self.ahead(stage);
        let (pass, place) = if nth < ahead {
            (Pass::Forward, nth)
        } else {
            let (behind, rest) = (nth - ahead, self.passes() - ahead);
            match behind {
                _ if behind >= 2 * rest => (Pass::Backward, behind - rest),
                _ if behind.is_multiple_of(2) => (Pass::Backward, behind / 2),
                _ => (Pass::Forward, ahead + behind / 2),
            }
        };
        let chunks = self.chunks();
        // So many micro-batches as there are stages go through one chunk, and then through the next one.
        let group = self.stages * chunks;
        let within = place % group;
        let [micro_batch, chunk] = match chunks {
            1 => [place, 0],
            _ => [place / group * self.stages + within % self.stages, within / self.stages],
        };
        let chunk = if pass == Pass::Backward { chunks - 1 - chunk } else { chunk };
        let forward = Self::TICKS / chunks;
        let length = if pass == Pass::Backward { 2 * forward } else { forward };
        Slot { stage, micro_batch, chunk, pass, start: 0, length }
    }

    /// The pass that has to end before this one can start; `None` for the first of a micro-batch.
    fn before(self, slot: Slot) -> Option<(Pass, u32, u32)> {
        let [last, top] = [self.stages - 1, self.chunks() - 1];
        match slot.pass {
            Pass::Forward if slot.stage > 0 => Some((Pass::Forward, slot.stage - 1, slot.chunk)),
            Pass::Forward if slot.chunk > 0 => Some((Pass::Forward, last, slot.chunk - 1)),
            Pass::Forward => None,
            Pass::Backward if slot.stage < last => Some((Pass::Backward, slot.stage + 1, slot.chunk)),
            Pass::Backward if slot.chunk < top => Some((Pass::Backward, 0, slot.chunk + 1)),
            Pass::Backward => Some((Pass::Forward, last, top)),
        }
    }

    /// Every pass of every stage; those of one stage come in the order of time.
    pub fn slots(self, sink: &mut dyn FnMut(Slot)) {
        // When each pass ends: by direction, stage and micro-batch with its chunk; 0 while that is not known.
        let mut ends = [[[0u32; CHUNKS]; STAGES]; 2];
        let place = |pass: Pass, stage: u32, chunk: u32, micro_batch: u32| {
            [pass as usize, stage as usize, (micro_batch * self.chunks() + chunk) as usize]
        };
        // Passes done by each stage, and when it is free.
        let mut stages = [(0u32, 0u32); STAGES];
        let all = 2 * self.passes();
        loop {
            let mut moved = false;
            for (stage, (done, free)) in (0..self.stages).zip(&mut stages) {
                while *done < all {
                    let slot = self.order(stage, *done);
                    let ready = self.before(slot).map(|(pass, stage, chunk)| {
                        let [pass, stage, at] = place(pass, stage, chunk, slot.micro_batch);
                        ends.get(pass).and_then(|of| of.get(stage)).and_then(|of| of.get(at)).copied().unwrap_or(0)
                    });
                    if ready == Some(0) {
                        break;
                    }
                    let start = ready.unwrap_or(0).max(*free);
                    *free = start + slot.length;
                    *done += 1;
                    moved = true;
                    let [pass, own, at] = place(slot.pass, stage, slot.chunk, slot.micro_batch);
                    if let Some(end) = ends.get_mut(pass).and_then(|of| of.get_mut(own)).and_then(|of| of.get_mut(at)) {
                        *end = *free;
                    }
                    sink(Slot { start, ..slot });
                }
            }
            if !moved {
                return;
            }
        }
    }

    /// How long the step takes, in ticks.
    pub fn ticks(self) -> u32 {
        let mut end = 0;
        self.slots(&mut |slot| end = end.max(slot.start + slot.length));
        end
    }

    /// The share of the step in which a stage waits, of all stages together: the bubble.
    pub fn idle(self) -> f64 {
        let (mut busy, mut end) = (0u32, 0u32);
        self.slots(&mut |slot| {
            busy += slot.length;
            end = end.max(slot.start + slot.length);
        });
        1.0 - f64::from(busy) / f64::from(end * self.stages).max(1.0)
    }

    /// The most micro-batches whose activations a stage holds for backward at once; a chunk is its share of one.
    pub fn held(self, stage: u32) -> f64 {
        let (mut held, mut most) = (0u32, 0u32);
        self.slots(&mut |slot| {
            if slot.stage == stage {
                held = if slot.pass == Pass::Forward { held + 1 } else { held.saturating_sub(1) };
                most = most.max(held);
            }
        });
        f64::from(most) / f64::from(self.chunks())
    }

    /// The same pipeline as a cut of a model, as far as it is one that the engine evaluates.
    pub fn cut(self) -> Parallelism {
        Parallelism { pp: self.stages, virtual_stages: self.chunks(), ..Parallelism::ONE }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::vec::Vec;

    use super::*;
    use crate::scenario::{Mode, Scenario};
    use crate::tables::models;
    use crate::training::Implementation;
    use crate::{Checked, cost};

    /// Every pipeline that a time line can have, up to 16 micro-batches.
    fn all() -> impl Iterator<Item = TimeLine> {
        let cuts = (1..=8).flat_map(|stages| (1..=16).map(move |micro_batches| (stages, micro_batches)));
        cuts.flat_map(|(p, m)| Schedule::EACH.into_iter().filter_map(move |schedule| TimeLine::new(schedule, p, m)))
    }

    fn slots(line: TimeLine) -> Vec<Slot> {
        let mut slots = Vec::new();
        line.slots(&mut |slot| slots.push(slot));
        slots
    }

    /// What the engine evaluates, with so many micro-batches.
    fn scenario(line: TimeLine) -> Option<Checked> {
        let mut scenario = Scenario::new(models::by_id("llama-2-7b")?.architecture);
        (scenario.mode, scenario.parallel) = (Mode::Training, line.cut());
        scenario.training.implementation = Implementation::Megatron;
        scenario.training.micro_batches = line.micro_batches;
        scenario.check().ok()
    }

    #[test]
    fn every_micro_batch_goes_through_every_chunk_once_each_way_and_no_stage_does_two_things_at_once() {
        let mut lines = 0;
        for line in all() {
            let slots = slots(line);
            assert_eq!(slots.len(), (2 * line.stages * line.passes()) as usize, "{line:?}");
            for stage in 0..line.stages {
                let own: Vec<_> = slots.iter().filter(|slot| slot.stage == stage).collect();
                assert!(own.windows(2).all(|pair| pair[0].start + pair[0].length <= pair[1].start), "{line:?}");
                for (pass, other) in [(Pass::Forward, Pass::Backward), (Pass::Backward, Pass::Forward)] {
                    for slot in own.iter().filter(|slot| slot.pass == pass) {
                        let key = (slot.micro_batch, slot.chunk);
                        let same =
                            |of: Pass| own.iter().filter(move |it| it.pass == of && (it.micro_batch, it.chunk) == key);
                        assert_eq!((same(pass).count(), same(other).count()), (1, 1), "{line:?}");
                    }
                }
            }
            lines += 1;
        }
        assert!(lines > 250, "{lines}");
    }

    #[test]
    fn nothing_starts_before_what_it_needs_has_ended() {
        for line in all() {
            let slots = slots(line);
            let end = |pass, stage, chunk, micro_batch| {
                let of =
                    |it: &&Slot| (it.pass, it.stage, it.chunk, it.micro_batch) == (pass, stage, chunk, micro_batch);
                slots.iter().find(of).map(|it| it.start + it.length).unwrap()
            };
            for slot in &slots {
                if let Some((pass, stage, chunk)) = line.before(*slot) {
                    assert!(end(pass, stage, chunk, slot.micro_batch) <= slot.start, "{line:?}: {slot:?}");
                }
                if slot.pass == Pass::Backward {
                    assert!(
                        end(Pass::Forward, slot.stage, slot.chunk, slot.micro_batch) <= slot.start,
                        "{line:?}: {slot:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_bubble_and_what_is_held_are_those_of_the_formulas() {
        let mut seen = [0; 3];
        for line in all() {
            if line.schedule == Schedule::GPipe {
                let (p, m) = (f64::from(line.stages), f64::from(line.micro_batches));
                assert!((line.idle() - (p - 1.0) / (m + p - 1.0)).abs() < 1e-9, "{line:?}: {}", line.idle());
                assert!((0..line.stages).all(|stage| line.held(stage).to_bits() == m.to_bits()), "{line:?}");
                seen[0] += 1;
            } else if let Some(scenario) = scenario(line) {
                assert!((line.idle() - cost::bubble(&scenario)).abs() < 1e-9, "{line:?}: {}", line.idle());
                for stage in 0..line.stages {
                    let cut = Parallelism { stage, ..line.cut() };
                    let held = cut.chunks_in_flight(line.micro_batches) as f64 / f64::from(line.chunks());
                    assert!((line.held(stage) - held).abs() < 1e-9, "{line:?}, stage {stage}: {}", line.held(stage));
                }
                seen[line.schedule as usize] += 1;
            }
        }
        assert!(seen.iter().all(|seen| *seen > 5), "{seen:?}");
    }

    #[test]
    fn what_it_cannot_draw_is_refused() {
        for (schedule, stages, micro_batches) in [
            (Schedule::GPipe, 0, 1),
            (Schedule::GPipe, 9, 1),
            (Schedule::GPipe, 1, 0),
            (Schedule::GPipe, 1, 65),
            (Schedule::Interleaved, 4, 6),
            (Schedule::Interleaved, 1, 33),
        ] {
            assert_eq!(TimeLine::new(schedule, stages, micro_batches), None, "{schedule:?} {stages} {micro_batches}");
        }
    }
}
