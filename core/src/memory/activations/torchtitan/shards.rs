//! What FSDP and the pipeline hold beside the states: buffers, gathered weights and gradients that wait.

use super::{Rank, Sink, Stages, product};
use crate::scenario::Mode;
use crate::worked::{Factor, Item, Symbol};

impl Rank<'_> {
    /// Buffers, gathered weights, and the gradients of some of the rank's stages.
    pub(super) fn shards(&self, gradients: Stages, sink: Sink<'_>) {
        if self.sharded() {
            self.gathered(sink);
            if self.pipeline() {
                // No micro-batch but the last shares its gradients out, and until then whole fp32 sums are kept.
                let parameters = match (self.scenario.mode, gradients) {
                    (Mode::Training, Stages::Last) => self.last_chunk(),
                    (Mode::Training, Stages::All) => self.root() + self.layers(),
                    _ => self.scenario.trained_parameters(),
                };
                weights(sink, Item::ReducedGradients, 4, parameters);
            }
        }
        if self.pipeline() {
            self.neighbours(sink);
        }
    }

    /// Weights in 16 bits that other ranks' shards were gathered into, and what gathering takes.
    fn gathered(&self, sink: Sink<'_>) {
        let (root, block) = (self.root(), self.block_parameters());
        // Two outputs are alive, since FSDP2 holds one until the next is copied out; and this rank's own shards, cast.
        let buffers = root.max(block) + block;
        weights(sink, Item::Communication, 2, buffers);
        weights(sink, Item::Communication, 2, buffers.div_ceil(self.scenario.parallel.shard_ranks()));
        // The tables stay gathered through the forward pass, and so does the last block; under a pipeline everything does.
        let given_back = !self.pipeline() && self.scenario.training.reshard_after_forward;
        weights(sink, Item::GatheredWeights, 2, root + if given_back { block } else { self.layers() });
    }

    /// Buffers for what goes to and comes from the stages before and behind.
    fn neighbours(&self, sink: Sink<'_>) {
        let parallel = &self.scenario.parallel;
        let stages = u64::from(parallel.virtual_stages);
        let before = stages - u64::from(parallel.stage == 0);
        let behind = stages - u64::from(self.local.head);
        let all = self.micro_batches;
        let in_flight = self.local.chunks_in_flight.div_ceil(stages);
        // Inputs, of which those in flight are counted as saved by the first block; gradients of outputs, and the outputs in flight.
        let tensors = before * (all - in_flight) + behind * (all + in_flight);
        product(sink, Item::Communication, &[Factor::number(2 * tensors), self.shared, self.hidden]);
    }

    /// Parameters of the tables and the final norm, which FSDP gathers together.
    pub(super) fn root(&self) -> u64 {
        let norm = if self.local.head { self.final_norm() } else { 0 };
        self.held.embedding + self.held.positions + self.held.head + norm
    }

    /// Parameters of all blocks here.
    fn layers(&self) -> u64 {
        self.held.total() - self.root()
    }

    /// Parameters of one block.
    pub(super) fn block_parameters(&self) -> u64 {
        self.layers().div_ceil(self.local.layers.max(1))
    }

    /// Parameters of the chunk whose backward pass comes first.
    fn last_chunk(&self) -> u64 {
        let parallel = &self.scenario.parallel;
        let chunk = parallel.stage + (parallel.virtual_stages - 1) * parallel.pp;
        let layers = parallel.layers_of_chunk(self.scenario.architecture.layers, chunk);
        let head = if self.local.head { self.held.head + self.final_norm() } else { 0 };
        u64::from(layers) * self.block_parameters() + head
    }

    fn final_norm(&self) -> u64 {
        let shape = &self.scenario.architecture;
        (shape.norm.vectors() * u64::from(shape.hidden_size)).div_ceil(self.tp).min(self.held.vectors)
    }
}

fn weights(sink: Sink<'_>, item: Item, bytes: u64, parameters: u64) {
    product(sink, item, &[Factor::new(Symbol::Parameters, parameters), Factor::new(Symbol::BytesPerValue, bytes)]);
}
