//! The axes: whole decades that hold the roofs and every point, and do not jump while a lever moves.

use super::{Dot, Line};

/// A logarithmic axis, by the powers of ten at its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// The power at its beginning.
    pub from: f64,
    /// The power at its end.
    pub to: f64,
}

/// The powers that an axis may reach; what lies beyond stands on its edge.
const LOWEST: f64 = -6.0;
const HIGHEST: f64 = 24.0;

impl Axis {
    /// How far along a value stands, from 0 to 1.
    pub fn part(self, value: f64) -> f64 {
        ((log(value) - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }

    /// Whether a value lies within.
    pub fn holds(self, value: f64) -> bool {
        (self.from..=self.to).contains(&log(value))
    }

    /// The whole powers of ten within it, every second or third one where they are many.
    pub fn decades(self) -> impl Iterator<Item = i32> {
        #[expect(clippy::cast_possible_truncation, reason = "a few dozen at most")]
        let [first, last] = [libm::ceil(self.from) as i32, libm::floor(self.to) as i32];
        let step = (last - first) / 9 + 1;
        (first..=last).filter(move |power| power % step == 0)
    }
}

/// Ten to a whole power.
pub(crate) fn ten(power: f64) -> f64 {
    let (mut value, mut left) = (1.0, power.abs());
    // Three dozen rounds at most.
    while left >= 1.0 {
        value *= 10.0;
        left -= 1.0;
    }
    if power < 0.0 { 1.0 / value } else { value }
}

/// The power of ten of a value, kept within what an axis may reach.
fn log(value: f64) -> f64 {
    if value > 0.0 { libm::log10(value).clamp(LOWEST, HIGHEST) } else { LOWEST }
}

/// Axes for roofs and points. The horizontal one shows at least from 0.1 to 10,000, so that it stands still most of the time.
pub(super) fn spanning(lines: &[Line], dots: &[Dot]) -> (Axis, Axis) {
    let mut x = Axis { from: -1.0, to: 4.0 };
    let mut widen = |intensity: f64| {
        x.from = x.from.min(libm::floor(log(intensity) - 0.1));
        x.to = x.to.max(libm::ceil(log(intensity) + 0.1));
    };
    for line in lines {
        widen(line.roof.ridge().0);
    }
    for dot in dots.iter().filter(|dot| dot.has_place()) {
        widen(dot.intensity);
    }
    let peaks = || lines.iter().map(|line| line.roof.peak.0);
    let lowest_peak = peaks().fold(f64::INFINITY, f64::min);
    let start = ten(x.from);
    let starts = lines.iter().map(|line| line.roof.bandwidth.0 * start);
    let lowest =
        starts.chain(dots.iter().filter(|dot| dot.has_place()).map(|dot| dot.rate)).fold(lowest_peak, f64::min);
    let highest = peaks().fold(lowest, f64::max);
    // Room above the highest roof for its name.
    let y = Axis { from: libm::floor(log(lowest) + 0.05), to: libm::ceil((log(highest) + 0.2) * 4.0) / 4.0 };
    (x, y)
}
