//! The roofline: a GPU's limits as lines, operations as points under them, both axes logarithmic.
//!
//! [`Plot`] says what is drawn and where, from the state and the engine alone; `board` turns it into shapes ([`marks`]),
//! [`draw`] puts these onto whatever can be drawn on.

mod axes;
mod board;
mod dots;
pub mod draw;
pub mod marks;
pub mod quantity;
pub mod sketch;
mod text;

use memory_wall_core::precision::ComputePrecision;
use memory_wall_core::roofline::latency::Estimate;
use memory_wall_core::roofline::rates::Rates;
use memory_wall_core::roofline::{Roof, multiplies_in};
use memory_wall_core::units::{ByteRate, FlopRate};

pub use axes::Axis;
pub(crate) use axes::ten;
pub use dots::{Dot, Key, Kind};

use crate::state::State;
use crate::state::decimal::Decimal;
use crate::state::roofline::{Precisions, complete};
use crate::words;

/// What a roof belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The rig's GPU, in the precision that its matrices use.
    Rig,
    /// The same GPU's vector units.
    Vector,
    /// The same GPU in another precision.
    Precision,
    /// A GPU to compare with.
    Versus,
    /// The reader's own.
    Custom,
}

/// A roof and its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What it belongs to.
    pub owner: Owner,
    /// Its name on the plot.
    pub name: String,
    /// Its limits.
    pub roof: Roof,
}

/// Where a pass stood before the last change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ghost {
    /// Which pass.
    pub key: Key,
    /// FLOP per byte.
    pub intensity: f64,
    /// FLOP/s.
    pub rate: f64,
}

/// What of the plot the reader looks at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    /// The point that was chosen.
    pub selected: Option<Key>,
    /// The point that the pointer is over, read off as long as it is there.
    pub hovered: Option<Key>,
    /// Where the passes stood before the last series of changes.
    pub ghosts: Vec<Ghost>,
}

/// Everything that is drawn, in the engine's numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// The roofs; the rig's comes first.
    pub lines: Vec<Line>,
    /// The points in the order of the table; see [`Plot::walk`] for the one along the axis.
    pub dots: Vec<Dot>,
    /// FLOP per byte.
    pub x: Axis,
    /// FLOP/s.
    pub y: Axis,
    /// The passes of the model with their times.
    pub passes: Vec<Estimate>,
    /// The point that is read off.
    pub selected: Key,
    /// What the reader measured, in FLOP/s.
    pub measured: Option<f64>,
    /// Where the passes stood before.
    pub ghosts: Vec<Ghost>,
    state: State,
    precision: ComputePrecision,
}

impl Plot {
    /// Asks the engine. The point that the reader chose counts while it is there.
    #[inline(never)]
    pub fn of(state: &State, look: &Look) -> Self {
        let scenario = state.scenario();
        let (precision, _) = multiplies_in(&scenario, state.gpu);
        let rates = Rates::of(&scenario, state.gpu);
        let passes = dots::estimates(state, &scenario);
        let dots = dots::all(state, &scenario, &rates, precision, &passes);
        let there = |key: &Key| dots.iter().any(|dot| dot.key == *key);
        let selected = look.hovered.filter(there).or(look.selected.filter(there));
        let selected = selected.or_else(|| dots.iter().find(|dot| dot.leads).map(|dot| dot.key)).unwrap_or(Key::NONE);
        let lines = lines(state, &rates, precision, &dots);
        let (x, y) = axes::spanning(&lines, &dots);
        let measured = complete([state.roofline.rate]).map(|[rate]| Decimal::RATE.value(rate) * 1e12);
        let moved = |ghost: &&Ghost| {
            let now = dots.iter().find(|dot| dot.key == ghost.key);
            now.is_some_and(|now| (now.intensity, now.rate) != (ghost.intensity, ghost.rate))
        };
        let ghosts = look.ghosts.iter().filter(moved).copied().collect();
        Self { lines, dots, x, y, passes, selected, measured, ghosts, state: *state, precision }
    }

    /// Where the passes of a state stand, to be remembered.
    #[inline(never)]
    pub fn ghosts_of(state: &State) -> Vec<Ghost> {
        let scenario = state.scenario();
        let rates = Rates::of(&scenario, state.gpu);
        let dots = dots::estimates(state, &scenario).into_iter().map(|pass| dots::of_pass(state, &rates, &pass));
        dots.map(|Dot { key, intensity, rate, .. }| Ghost { key, intensity, rate }).collect()
    }

    /// The points that have a place, from left to right: the way that the arrow keys take.
    pub fn walk(&self) -> Vec<&Dot> {
        let dots: Vec<&Dot> = self.dots.iter().filter(|dot| dot.has_place()).collect();
        let order = ascending(&dots.iter().map(|dot| dot.intensity).collect::<Vec<_>>());
        order.into_iter().filter_map(|place| dots.get(place).copied()).collect()
    }

    /// The point that is read off.
    pub fn at(&self) -> Option<&Dot> {
        self.dots.iter().find(|dot| dot.key == self.selected)
    }

    /// The rig's roof.
    pub fn roof(&self) -> Roof {
        let none = Roof { peak: FlopRate(1.0), bandwidth: ByteRate(1.0) };
        self.lines.first().map_or(none, |line| line.roof)
    }

    /// A place in percent from the left and from the top of the plot's field; what lies outside is put on its edge.
    pub fn place(&self, intensity: f64, rate: f64) -> (f64, f64) {
        (self.x.part(intensity) * 100.0, 100.0 - self.y.part(rate) * 100.0)
    }
}

/// The places of some numbers, the smallest number first, equal ones as they come.
/// A few dozen at most: the library's sorting would be ten times the program.
fn ascending(numbers: &[f64]) -> Vec<usize> {
    let mut order = Vec::<(f64, usize)>::with_capacity(numbers.len());
    for (place, number) in numbers.iter().enumerate() {
        let at = order.iter().position(|(other, _)| other > number).unwrap_or(order.len());
        order.insert(at, (*number, place));
    }
    order.into_iter().map(|(_, place)| place).collect()
}

/// The roofs that the state asks for.
fn lines(state: &State, rates: &Rates, precision: ComputePrecision, dots: &[Dot]) -> Vec<Line> {
    let gpu = state.gpu;
    let levers = &state.roofline;
    let named = |name: &str, precision: &str| format!("{name}, {precision}");
    let mut lines = vec![Line { owner: Owner::Rig, name: named(gpu.name, precision.id()), roof: rates.matrix }];
    if dots.iter().any(|dot| dot.on_vectors && dot.has_place()) && rates.vector.peak < rates.matrix.peak {
        lines.push(Line { owner: Owner::Vector, name: words::roofline_vector().into(), roof: rates.vector });
    }
    if levers.precisions == Precisions::All {
        for other in ComputePrecision::EACH {
            let Some(roof) = Roof::of(gpu, other).filter(|_| other != precision) else { continue };
            // Precisions of one rate are one line with two names.
            match lines.iter_mut().find(|line| line.roof.peak == roof.peak && line.owner != Owner::Vector) {
                Some(line) => line.name = named(&line.name, other.id()),
                None => lines.push(Line { owner: Owner::Precision, name: other.id().into(), roof }),
            }
        }
    }
    for other in levers.versus.into_iter().flatten().filter(|other| other.id != gpu.id) {
        let scenario = memory_wall_core::Scenario { gpu: Some(other), ..*state.scenario() };
        let (precision, peak) = multiplies_in(&scenario, other);
        let roof = Roof { peak, bandwidth: other.bandwidth };
        lines.push(Line { owner: Owner::Versus, name: named(other.name, precision.id()), roof });
    }
    if let Some(card) = complete(levers.own_gpu) {
        let [peak, bandwidth] = card.map(|rate| Decimal::RATE.value(rate));
        let roof = Roof { peak: FlopRate::from_tflops(peak), bandwidth: ByteRate::from_gb_per_s(bandwidth) };
        lines.push(Line { owner: Owner::Custom, name: words::roofline_gpu_own().into(), roof });
    }
    lines
}

#[cfg(test)]
mod tests;
