//! What each layer of a file holds, in bytes.

use alloc::vec::Vec;

use memory_wall_core::memory::weights;
use memory_wall_core::precision::Block;
use memory_wall_core::worked::Item;
use memory_wall_core::{Checked, ScenarioError};

/// A layer's tensors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Layer {
    /// All but the routed experts.
    pub(super) dense: u128,
    /// The routed experts.
    pub(super) experts: u128,
    /// The largest tensor among the dense ones, at most.
    pub(super) largest_dense: u128,
    /// The largest tensor among the experts, at most: of one layer all experts are in one.
    pub(super) largest_expert: u128,
}

/// A model by layers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Model {
    /// The layers, each as a stage of a pipeline that has one layer a stage.
    pub(super) layers: Vec<Layer>,
    /// The same as scenarios, each attending as the layer at its place in a file does.
    pub(super) ranks: Vec<Checked>,
    /// Whether each stage attends to everything.
    kinds: Vec<bool>,
    /// What stands before the layers: the token table and learned positions.
    pub(super) input: u128,
    /// The output matrix, where it is one of its own or a copy.
    pub(super) head: u128,
    /// The last norm, which is beside the head.
    pub(super) norm: u128,
}

impl Model {
    pub(super) fn of(scenario: &Checked) -> Result<Self, ScenarioError> {
        let shape = &scenario.architecture;
        // The stages stand for layers of one computer, not for GPUs.
        let all = scenario.without_gpu().with(|it| (it.parallel.pp, it.parallel.stage) = (shape.layers, 0))?;
        let ranks: Vec<Checked> = (0..shape.layers).map(|stage| all.at_stage(stage)).collect();
        let hidden = u128::from(shape.hidden_size);
        let mut model = Self { layers: Vec::new(), input: 0, head: 0, norm: 0, ranks: Vec::new(), kinds: Vec::new() };
        for rank in &ranks {
            let mut layer = Layer::default();
            let mut vectors = 0;
            let mut widest = Block { values: 1, bytes: 0 };
            weights::kinds(rank, &rank.local_parameters(), |item, count, block| {
                let bytes = of_block(count.into(), block);
                match item {
                    Item::EmbeddingTable | Item::PositionTable => model.input += bytes,
                    Item::OutputHead => model.head += bytes,
                    Item::Experts => {
                        layer.experts += bytes;
                    }
                    Item::NormsAndBiases => {
                        vectors += bytes;
                        if rank.local().head {
                            model.norm = of_block(hidden, block);
                        }
                    }
                    _ => {
                        layer.dense += bytes;
                        if count > 0 && is_wider(block, widest) {
                            widest = block;
                        }
                    }
                }
            });
            if rank.local().head {
                vectors -= model.norm.min(vectors);
            }
            layer.dense += vectors;
            let kinds = shape.kinds_between(rank.parallel.stage, rank.parallel.stage + 1);
            model.kinds.push(kinds.full > 0);
            let width = if kinds.dense > 0 { shape.intermediate_size } else { 0 };
            let wide = hidden * u128::from(width).max(u128::from(shape.heads) * u128::from(shape.head_dim));
            layer.largest_dense = of_block(wide, widest).min(layer.dense);
            // Of a mix one of an expert's matrices is wider than the others, by a quarter at most.
            layer.largest_expert = layer.experts.div_ceil(u128::from(shape.mlp.matrices()).max(1)) * 5 / 4;
            layer.largest_expert = layer.largest_expert.min(layer.experts);
            model.layers.push(layer);
        }
        let order = order(scenario, &ranks);
        model.attend(&order);
        model.ranks = order.iter().filter_map(|at| ranks.get(*at).copied()).collect();
        Ok(model)
    }

    /// Gives each layer the matrices of the kind of attention that it has: the mean of that kind, in place of the mean of the kind that it was counted with.
    fn attend(&mut self, order: &[usize]) {
        let counted: Vec<u128> = self.layers.iter().map(|layer| layer.dense).collect();
        let others: Vec<u128> = order.iter().filter_map(|at| counted.get(*at).copied()).collect();
        if counted == others {
            return;
        }
        // Layers of a kind differ by what a mix gives them, which stays with the place; kinds differ by more.
        let kind_of = |at: usize| self.kinds.get(at).copied().unwrap_or_default();
        let mean = |full: bool| {
            let of_kind = || counted.iter().enumerate().filter(|(at, _)| kind_of(*at) == full).map(|(_, bytes)| *bytes);
            of_kind().sum::<u128>() / (of_kind().count() as u128).max(1)
        };
        let means = [mean(false), mean(true)];
        let own: Vec<(bool, bool)> = order.iter().enumerate().map(|(at, from)| (kind_of(at), kind_of(*from))).collect();
        for (layer, (was, is)) in self.layers.iter_mut().zip(own) {
            let [was, is] = [was, is].map(|full| if full { means[1] } else { means[0] });
            layer.dense = (layer.dense + is).saturating_sub(was);
        }
    }
}

/// For each layer of a file the stage that has its kind of attention: the engine spreads kinds evenly from a layer that sees everything, files end each period
/// with one.
///
/// # Source
/// `full_attention_interval` and `sliding_window_pattern` of configs, `set_swa_pattern` of llama.cpp.
fn order(scenario: &Checked, ranks: &[Checked]) -> Vec<usize> {
    let shape = &scenario.architecture;
    let is_full = |rank: &Checked| shape.kinds_between(rank.parallel.stage, rank.parallel.stage + 1).full > 0;
    let (full, others): (Vec<usize>, Vec<usize>) = (0..ranks.len()).partition(|at| ranks.get(*at).is_some_and(is_full));
    let period = ranks.len().checked_div(full.len()).unwrap_or(0);
    let regular = period > 1 && ranks.len() / period == full.len() && shape.shared_cache_layers == 0;
    if !regular {
        return (0..ranks.len()).collect();
    }
    let (mut full, mut others) = (full.into_iter(), others.into_iter());
    (0..ranks.len()).filter_map(|at| if at % period == period - 1 { full.next() } else { others.next() }).collect()
}

fn is_wider(block: Block, than: Block) -> bool {
    u64::from(block.bytes) * u64::from(than.values) > u64::from(than.bytes) * u64::from(block.values)
}

fn of_block(count: u128, block: Block) -> u128 {
    (count * u128::from(block.bytes)).div_ceil(block.values.into())
}
