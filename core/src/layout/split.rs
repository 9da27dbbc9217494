//! How Megatron-LM is told to spread layers over the stages of a pipeline, and what it refuses.

use core::fmt;

use super::Layout;
use crate::display::Grouped;

/// How Megatron-LM spreads layers over the stages of a pipeline, where it is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PipelineSplit {
    /// Layers of the first stage; the others share the rest.
    pub first: Option<u32>,
    /// Layers of the last stage.
    pub last: Option<u32>,
    /// The embedding counts as a layer.
    pub embedding: bool,
    /// The loss counts as a layer.
    pub loss: bool,
    /// Every stage by itself.
    pub layout: Option<Layout>,
}

/// Why layers cannot be spread so over the stages of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitError {
    /// One stage is not split.
    OneStage,
    /// Two ways of splitting that exclude each other.
    Both,
    /// The same number of layers for every stage, or for all but those with one of their own, is not whole.
    Uneven {
        /// What is shared out: layers, with the tables that count as layers.
        layers: u32,
        /// Over how many stages, or chunks of all stages.
        chunks: u32,
    },
    /// The stages with a number of their own take more layers than there are, or leave some over.
    Ends {
        /// What they take.
        taken: u32,
        /// Layers of the model.
        layers: u32,
    },
    /// A layout whose stages are no multiple of the pipeline's, or are other chunks than were asked for.
    Stages {
        /// Stages of the layout.
        stages: u32,
        /// Stages of the pipeline.
        pp: u32,
        /// Chunks of each of them.
        virtual_stages: u32,
    },
    /// A layout for another number of layers.
    Layers {
        /// Those of the layout.
        layout: u32,
        /// Those of the model.
        layers: u32,
    },
    /// MTP layers in another than the last chunk of a rank.
    Prediction,
    /// A number for the first or the last stage, which are on one rank.
    BothEnds,
}

impl fmt::Display for SplitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |count: u32| Grouped(count.into());
        match *self {
            Self::OneStage => f.write_str("layers are spread over a pipeline of two stages or more, and there is one stage"),
            Self::Both => f.write_str(
                "Megatron-LM takes one of three: layers of the first and last stage, tables that count as layers, or a layout",
            ),
            Self::Uneven { layers, chunks } => write!(
                f,
                "Megatron-LM gives stages the same number of layers unless it is told otherwise (--pipeline-model-parallel-layout, --decoder-first-pipeline-num-layers and their like), and {} layers over {} stages are not whole",
                number(layers),
                number(chunks)
            ),
            Self::Ends { taken, layers } => write!(
                f,
                "the stages with a number of their own take {} layers, and the model has {}",
                number(taken),
                number(layers)
            ),
            Self::Stages { stages, pp, virtual_stages } => write!(
                f,
                "the layout has {} stages, and the pipeline {} with {} chunks each",
                number(stages),
                number(pp),
                number(virtual_stages)
            ),
            Self::Layers { layout, layers } => {
                write!(f, "the layout is for {} layers, and the model has {}", number(layout), number(layers))
            }
            Self::Prediction => f.write_str("Megatron-LM has MTP layers in the last chunk of a rank"),
            Self::BothEnds => f.write_str(
                "DualPipeV has the first and the last stage on one rank, and --pipeline-model-parallel-layout says how many layers each has",
            ),
        }
    }
}

impl core::error::Error for SplitError {}

impl PipelineSplit {
    /// Whether nothing is told: every stage has the same number of layers.
    pub fn is_even(&self) -> bool {
        *self == Self::default()
    }

    /// Tables that count as layers.
    fn tables(&self) -> u32 {
        u32::from(self.embedding) + u32::from(self.loss)
    }

    /// Whether `layers` go on `pp` stages of so many chunks.
    ///
    /// # Errors
    /// The first thing that Megatron-LM refuses.
    ///
    /// # Source
    /// Megatron-LM at d98e8a6 (2026-08): `get_num_layers_to_build` of `megatron/core/transformer/transformer_block.py`; `TransformerConfig.__post_init__`;
    /// `PipelineParallelLayerLayout.validate_layer_layout`. Read 2026-11-26.
    pub(crate) fn check(&self, layers: u32, pp: u32, virtual_stages: u32) -> Result<(), SplitError> {
        let ends = self.first.is_some() || self.last.is_some();
        if pp == 1 {
            return if self.is_even() { Ok(()) } else { Err(SplitError::OneStage) };
        }
        if u32::from(ends) + u32::from(self.tables() > 0) + u32::from(self.layout.is_some()) > 1 {
            return Err(SplitError::Both);
        }
        if let Some(layout) = self.layout {
            if pp.checked_mul(virtual_stages) != Some(layout.stages()) {
                return Err(SplitError::Stages { stages: layout.stages(), pp, virtual_stages });
            }
            if layout.layers() != layers {
                return Err(SplitError::Layers { layout: layout.layers(), layers });
            }
            let last = layout.predicted_at().is_none_or(|chunk| chunk / pp + 1 == virtual_stages);
            return if last { Ok(()) } else { Err(SplitError::Prediction) };
        }
        let taken = self.first.unwrap_or(0).saturating_add(self.last.unwrap_or(0));
        let left = pp - u32::from(self.first.is_some()) - u32::from(self.last.is_some());
        let Some(rest) = layers.checked_sub(taken).filter(|rest| left > 0 || *rest == 0) else {
            return Err(SplitError::Ends { taken, layers });
        };
        let shared = [(Some(rest + self.tables()), left), (self.first, 1), (self.last, 1)];
        for (layers, stages) in shared {
            let chunks = stages.saturating_mul(virtual_stages);
            if let Some(layers) = layers.filter(|layers| chunks > 0 && !layers.is_multiple_of(chunks)) {
                return Err(SplitError::Uneven { layers, chunks });
            }
        }
        Ok(())
    }

    /// Layers of one chunk, of a split that passes [`PipelineSplit::check`]; chunks count in the order in which a micro-batch passes them.
    pub(crate) fn layers_of_chunk(&self, layers: u32, pp: u32, virtual_stages: u32, chunk: u32) -> u32 {
        if let Some(layout) = &self.layout {
            return layout.at(chunk);
        }
        let stage = chunk % pp;
        let own = self.first.filter(|_| stage == 0).or(self.last.filter(|_| stage + 1 == pp));
        if let Some(own) = own {
            return own / virtual_stages;
        }
        let left = pp - u32::from(self.first.is_some()) - u32::from(self.last.is_some());
        let rest = layers - self.first.unwrap_or(0) - self.last.unwrap_or(0) + self.tables();
        let here = rest / (left * virtual_stages).max(1);
        let embedding = self.embedding && chunk == 0;
        let loss = self.loss && chunk + 1 == pp * virtual_stages;
        here.saturating_sub(u32::from(embedding) + u32::from(loss))
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::vec::Vec;

    use super::*;

    fn layers(split: PipelineSplit, layers: u32, pp: u32, virtual_stages: u32) -> Vec<u32> {
        assert_eq!(split.check(layers, pp, virtual_stages), Ok(()));
        (0..pp * virtual_stages).map(|chunk| split.layers_of_chunk(layers, pp, virtual_stages, chunk)).collect()
    }

    #[test]
    fn stages_hold_what_megatron_builds() {
        let even = PipelineSplit::default();
        assert_eq!(layers(even, 8, 2, 2), [2; 4]);
        // `gpt3_mcore_te_tp1_pp4_vp1_uneven_pipeline`, and the same with chunks.
        let ends = PipelineSplit { first: Some(2), last: Some(4), ..even };
        assert_eq!(layers(ends, 12, 4, 1), [2, 3, 3, 4]);
        assert_eq!(layers(PipelineSplit { first: Some(4), ..even }, 16, 4, 2), [2; 8]);
        assert_eq!(layers(ends, 6, 2, 2), [1, 2, 1, 2]);
        // Llama 3.1 405B of Megatron-Bridge: 126 layers and two tables over 64 chunks.
        let tables = PipelineSplit { embedding: true, loss: true, ..even };
        let chunks = layers(tables, 126, 8, 8);
        assert_eq!((chunks[0], chunks[1], chunks[63], chunks.iter().sum()), (1, 2, 1, 126));
        let layout = PipelineSplit { layout: Layout::read("Et|(tt|)*30mL").ok(), ..even };
        assert_eq!(layers(layout, 61, 8, 4).iter().sum::<u32>(), 61);
    }

    #[test]
    fn what_megatron_refuses_is_refused() {
        let even = PipelineSplit::default();
        let layout = |text| PipelineSplit { layout: Layout::read(text).ok(), ..even };
        let first = |layers| PipelineSplit { first: Some(layers), ..even };
        for (split, layers, pp, virtual_stages, error) in [
            (first(2), 8, 1, 1, SplitError::OneStage),
            (PipelineSplit { loss: true, ..first(2) }, 8, 2, 1, SplitError::Both),
            (PipelineSplit { loss: true, ..layout("Et|tL") }, 2, 2, 1, SplitError::Both),
            (even, 61, 8, 4, SplitError::Uneven { layers: 61, chunks: 32 }),
            (PipelineSplit { loss: true, ..even }, 126, 8, 8, SplitError::Uneven { layers: 127, chunks: 64 }),
            (first(4), 61, 8, 1, SplitError::Uneven { layers: 57, chunks: 7 }),
            (first(3), 9, 4, 2, SplitError::Uneven { layers: 3, chunks: 2 }),
            (first(9), 8, 2, 1, SplitError::Ends { taken: 9, layers: 8 }),
            (PipelineSplit { last: Some(3), ..first(4) }, 8, 2, 1, SplitError::Ends { taken: 7, layers: 8 }),
            (layout("Et|tt|tL"), 4, 2, 1, SplitError::Stages { stages: 3, pp: 2, virtual_stages: 1 }),
            (layout("Et|tL"), 4, 2, 1, SplitError::Layers { layout: 2, layers: 4 }),
            (layout("Ett|m||L"), 2, 2, 2, SplitError::Prediction),
        ] {
            assert_eq!(split.check(layers, pp, virtual_stages), Err(error), "{split:?}");
        }
        for text in ["Ett||m|L", "Ett|||mL"] {
            assert_eq!(layout(text).check(2, 2, 2), Ok(()), "{text}");
        }
    }
}
