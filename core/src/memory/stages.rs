//! Which stages of a pipeline can be fullest, by what their ranks hold.

use crate::architecture::LayerKinds;
use crate::checked::Checked;
use crate::memory::kv_cache::CachedLayers;

/// What the ranks of a stage hold, as far as it decides how full they are.
#[derive(Clone, Copy, PartialEq)]
struct Content {
    /// Embedding, output head, and the copy of the embedding beside MTP layers.
    tables: [bool; 3],
    /// Layers whose activations are held at once.
    in_flight: u64,
    /// Layers without experts and with them.
    layers: [u32; 2],
    /// Layers by kind of attention.
    kinds: LayerKinds,
    /// Those of them with a cache or a state of their own.
    cached: CachedLayers,
}

impl Content {
    fn of(scenario: &Checked) -> Self {
        let (shape, local) = (&scenario.architecture, scenario.local());
        let (start, end) = scenario.layers_here();
        let kinds = shape.kinds_between(start, end);
        Self {
            tables: [local.embedding, local.head, scenario.predicting_here() > 0],
            in_flight: local.layers_in_flight,
            layers: [kinds.dense, kinds.moe],
            kinds,
            cached: CachedLayers::on(scenario),
        }
    }

    /// Whether a rank with this is at least as full as one with `other`. With layers of several
    /// kinds a program may pad, so that fewer layers can take more.
    fn covers(&self, other: &Self, scenario: &Checked) -> bool {
        // Of layers without experts and with them other shares may be in flight.
        if scenario.parallel.both_ways() {
            return self == other;
        }
        let shape = &scenario.architecture;
        // Of layers that wait in host memory two are on the GPU, as large as the stage's are on average.
        let averaged = scenario.offload.parameters && shape.moe.is_some();
        let several_kinds =
            averaged || shape.sliding_window.is_some() || shape.linear_attention.is_some() || shape.mlp_layers > 0;
        // Under torchtitan a stage without the embedding saves what it receives.
        let tables = self.tables == other.tables
            || !scenario.torchtitan() && self.tables.iter().zip(other.tables).all(|(here, there)| *here || !there);
        let layers = self.layers.iter().zip(other.layers).all(|(here, there)| *here >= there);
        let same = self.kinds == other.kinds && self.cached == other.cached;
        let in_flight = self.in_flight >= other.in_flight;
        let by_layers = |it: &CachedLayers| [it.full, it.indexed, it.heavy];
        let cached = by_layers(&self.cached).iter().zip(by_layers(&other.cached)).all(|(here, there)| *here >= there);
        tables && layers && in_flight && (same || !several_kinds && cached)
    }
}

/// Contents that are remembered; a stage beyond them is looked at without need.
const MOST: usize = 24;

/// The stages that can be fullest: all but those that hold no more than one before them. Of the same, those in front hold more micro-batches.
pub(crate) fn full_stages(scenario: &Checked) -> impl Iterator<Item = u32> + use<> {
    let scenario = *scenario;
    let mut seen = [None::<Content>; MOST];
    (0..scenario.parallel.pp).filter(move |&stage| {
        let here = Content::of(&scenario.at_stage(stage));
        if seen.iter().flatten().any(|known| known.covers(&here, &scenario)) {
            return false;
        }
        if let Some(place) = seen.iter_mut().find(|place| place.is_none()) {
            *place = Some(here);
        }
        true
    })
}
