//! A plot put together from shapes. It is pure, so that tests can look at it.

use memory_wall_core::roofline::Roof;
use memory_wall_core::units::Intensity;

use super::axes::ten;
use super::marks::{Frame, Ink, Mark, Role, Side};
use super::quantity::{decade, digits, rate};
use super::{Dot, Kind, Line, Owner, Plot, ascending};
use crate::words;

const fn full(role: Role) -> Ink {
    Ink { role, percent: 100 }
}

/// What was before.
const GHOST: u8 = 35;
/// What lies between a name and the roofs that run through it: they are seen, and it is read.
const PLATE: u8 = 80;

/// A box that a label takes.
type Extent = [f64; 4];

/// Draws up the shapes.
struct Board<'a> {
    plot: &'a Plot,
    frame: Frame,
    /// Left, top, right and bottom of the field in pixels.
    field: [f64; 4],
    marks: Vec<Mark>,
    taken: Vec<Extent>,
}

/// Every shape of a plot, the lowest first.
pub(super) fn marks(plot: &Plot, frame: Frame) -> Vec<Mark> {
    let [left, top, right, bottom] = frame.field();
    let (width, height) = (f64::from(frame.width), f64::from(frame.height));
    let field = [left * width, top * height, right * width, bottom * height];
    let mut board = Board { plot, frame, field, marks: Vec::new(), taken: Vec::new() };
    board.ground();
    board.grid();
    board.ridge();
    board.lines();
    board.dots();
    // Heavy letters last: setting a canvas to another font takes longer than drawing a text.
    let heavy = |mark: &Mark| matches!(mark, Mark::Text { bold: true, .. });
    let (last, mut first): (Vec<_>, Vec<_>) = board.marks.into_iter().partition(heavy);
    first.extend(last);
    first
}

/// Points from the heaviest to the lightest.
fn by_weight<'a>(dots: &[&'a Dot], weight: &dyn Fn(&Dot) -> f64) -> Vec<&'a Dot> {
    let order = ascending(&dots.iter().map(|dot| -weight(dot)).collect::<Vec<_>>());
    order.into_iter().filter_map(|place| dots.get(place).copied()).collect()
}

/// The nearest whole pixel.
fn pixel(value: f64) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "drawings are a few thousand pixels large")]
    let whole = value.clamp(-30_000.0, 30_000.0).round() as i32;
    whole
}

impl Board<'_> {
    /// So many pixels of the page, in pixels of the drawing.
    fn px(&self, pixels: f64) -> f64 {
        pixels * self.frame.scale
    }

    fn thick(&self, pixels: f64) -> u32 {
        u32::try_from(pixel(self.px(pixels)).max(1)).unwrap_or(1)
    }

    fn at(&self, intensity: f64, rate: f64) -> (f64, f64) {
        let (x, y) = self.plot.place(intensity, rate);
        let [left, top, right, bottom] = self.field;
        (left + (right - left) * x / 100.0, top + (bottom - top) * y / 100.0)
    }

    fn line(&mut self, points: &[(f64, f64)], ink: Ink, width: f64) {
        let points = points.iter().map(|&(x, y)| (pixel(x), pixel(y))).collect();
        let width = self.thick(width);
        self.marks.push(Mark::Line { points, ink, width });
    }

    /// A line in dashes.
    fn dashed(&mut self, points: &[(f64, f64)], ink: Ink, width: f64, dash: f64, gap: f64) {
        let (dash, gap) = (self.px(dash), self.px(gap));
        for pair in points.windows(2) {
            let [(x1, y1), (x2, y2)] = pair else { continue };
            let length = ((x2 - x1) * (x2 - x1) + (y2 - y1) * (y2 - y1)).sqrt();
            let along = |at: f64| (x1 + (x2 - x1) * at / length, y1 + (y2 - y1) * at / length);
            let mut at = 0.0;
            // At most a few hundred dashes.
            while at < length {
                self.line(&[along(at), along((at + dash).min(length))], ink, width);
                at += dash + gap;
            }
        }
    }

    fn size(&self) -> f64 {
        self.px(if self.frame.is_narrow() { 11.0 } else { 13.0 })
    }

    /// The box of a text around a point; letters are taken as wide as most are.
    fn extent(&self, text: &str, (x, y): (f64, f64), side: Side) -> Extent {
        let width = text.chars().count() as f64 * self.size() * 0.54;
        let left = match side {
            Side::Start => x,
            Side::Middle => x - width / 2.0,
            Side::End => x - width,
        };
        let half = self.size() * 0.62;
        [left, y - half, left + width, y + half]
    }

    fn text(&mut self, text: &str, at: (f64, f64), side: Side, role: Role, bold: bool) {
        self.taken.push(self.extent(text, at, side));
        let letters = u32::try_from(pixel(self.size())).unwrap_or(1);
        let at = (pixel(at.0), pixel(at.1));
        self.marks.push(Mark::Text { text: text.into(), at, ink: full(role), size: letters, bold, side });
    }

    /// The corners of a roof within the field: its beginning, its ridge, its end.
    fn corners(&self, roof: Roof) -> Vec<(f64, f64)> {
        let x = self.plot.x;
        let ends = [ten(x.from), roof.ridge().0, ten(x.to)];
        let inside = ends.into_iter().enumerate().filter(|(place, at)| *place != 1 || x.holds(*at));
        inside.map(|(_, at)| self.at(at, roof.attainable(Intensity(at)).0)).collect()
    }

    /// What can be reached at all lies under the roof.
    fn ground(&mut self) {
        let [left, _, right, bottom] = self.field;
        let mut points: Vec<(i32, i32)> =
            self.corners(self.plot.roof()).into_iter().map(|(x, y)| (pixel(x), pixel(y))).collect();
        points.extend([(pixel(right), pixel(bottom)), (pixel(left), pixel(bottom))]);
        self.marks.push(Mark::Area { points, ink: full(Role::Raised) });
    }

    fn grid(&mut self) {
        let [left, top, right, bottom] = self.field;
        let (x, y) = (self.plot.x, self.plot.y);
        let gap = self.px(if self.frame.is_narrow() { 12.0 } else { 16.0 });
        for power in x.decades() {
            let (at, _) = self.at(ten(power.into()), 1.0);
            self.line(&[(at, top), (at, bottom)], full(Role::Hairline), 1.0);
            // At the right edge there is no room for half of it.
            let side = if at > right - self.px(12.0) { Side::End } else { Side::Middle };
            self.text(&decade(power), (at, bottom + gap), side, Role::Quiet, false);
        }
        for power in y.decades() {
            let (_, at) = self.at(1.0, ten(power.into()));
            self.line(&[(left, at), (right, at)], full(Role::Hairline), 1.0);
            // In TFLOP/s.
            let name = decade(power - 12);
            self.text(&name, (left - self.px(6.0), at), Side::End, Role::Quiet, false);
        }
        self.line(&[(left, top), (left, bottom), (right, bottom)], full(Role::Quiet), 1.0);
        let above = top - self.px(if self.frame.is_narrow() { 16.0 } else { 18.0 });
        self.text(words::roofline_axis_y(), (self.px(1.0), above), Side::Start, Role::Quiet, false);
        let below = bottom + gap + self.px(if self.frame.is_narrow() { 17.0 } else { 22.0 });
        self.text(words::roofline_axis_x(), (right, below), Side::End, Role::Quiet, false);
    }

    /// The ridge of the rig's GPU: on its left work waits for memory, on its right it computes.
    fn ridge(&mut self) {
        let roof = self.plot.roof();
        if !self.plot.x.holds(roof.ridge().0) {
            return;
        }
        let (x, y) = self.at(roof.ridge().0, roof.peak.0);
        let bottom = self.field[3];
        self.line(&[(x, y), (x, bottom)], full(Role::Quiet), 1.0);
        let ridge = digits(roof.ridge().0);
        let ridge = if self.frame.is_narrow() {
            words::RooflineRidgeShort { ridge: &ridge }.text()
        } else {
            words::RooflineRidge { ridge: &ridge }.text()
        };
        let row = |number: f64| bottom - self.px(14.0) - number * self.size() * 1.5;
        let (first, second) = (row(1.0), row(0.0));
        let gap = self.px(8.0);
        let (left, right) = if self.frame.is_narrow() {
            (words::roofline_side_memory_short(), words::roofline_side_compute_short())
        } else {
            (words::roofline_side_memory(), words::roofline_side_compute())
        };
        self.text(&ridge, (x + gap, first), Side::Start, Role::Ink, true);
        self.text(right, (x + gap, second), Side::Start, Role::Quiet, false);
        self.text(left, (x - gap, second), Side::End, Role::Quiet, false);
    }

    /// Roofs, the rig's on top, each with its name at its right end, moved apart where they would touch.
    fn lines(&mut self) {
        let [_, top, right, _] = self.field;
        let mut names: Vec<(f64, &Line)> = Vec::new();
        for line in self.plot.lines.iter().rev() {
            let corners = self.corners(line.roof);
            match line.owner {
                Owner::Rig => self.line(&corners, full(Role::Ink), 2.5),
                Owner::Vector | Owner::Precision => self.line(&corners, full(Role::Quiet), 1.0),
                Owner::Versus => self.dashed(&corners, full(Role::Ink), 1.5, 8.0, 4.0),
                Owner::Custom => self.dashed(&corners, full(Role::Ink), 1.5, 2.0, 3.0),
            }
            if let Some((_, y)) = corners.last() {
                names.push((*y, line));
            }
        }
        let order = ascending(&names.iter().map(|(y, _)| *y).collect::<Vec<_>>());
        let step = self.size() * 1.3;
        // From the lowest up, each above its line and clear of the one below.
        let mut ceiling = f64::INFINITY;
        let mut placed = Vec::new();
        for &(y, line) in order.into_iter().rev().filter_map(|place| names.get(place)) {
            // Points lie on the rig's roof.
            let above = if line.owner == Owner::Rig { 1.25 } else { 0.8 };
            let at = (y - self.size() * above).min(ceiling);
            ceiling = at - step;
            placed.push((at, line));
        }
        // What would leave the field at the top pushes the others down again.
        let mut floor = top + self.size() * 0.2;
        for (at, line) in placed.iter_mut().rev() {
            *at = at.max(floor);
            floor = *at + step;
            let short = self.frame.is_narrow() && line.owner == Owner::Vector;
            let name = if short { words::roofline_vector_short() } else { &line.name };
            let name = format!("{name}: {}", rate(line.roof.peak.0));
            let rig = line.owner == Owner::Rig;
            let role =
                if matches!(line.owner, Owner::Rig | Owner::Versus | Owner::Custom) { Role::Ink } else { Role::Quiet };
            let at = (right - self.px(4.0), *at);
            let [x1, y1, x2, y2] = self.extent(&name, at, Side::End);
            if !self.clear([x1, y1, x2, y2]) {
                // Names stand above their roofs: those of lower ones on the ground under the rig's.
                let ground = if self.height(self.plot.roof(), at.0) < at.1 { Role::Raised } else { Role::Paper };
                let points = [(x1, y1), (x2, y1), (x2, y2), (x1, y2)].map(|(x, y)| (pixel(x), pixel(y))).to_vec();
                self.marks.push(Mark::Area { points, ink: Ink { role: ground, percent: PLATE } });
            }
            self.text(&name, at, Side::End, role, rig);
        }
    }

    fn radius(&self, dot: &Dot) -> f64 {
        self.px(match (dot.key.kind, dot.share) {
            (Kind::Task, Some(share)) => 3.0 + 5.0 * share.clamp(0.0, 1.0).sqrt(),
            (Kind::Kernel, _) => 5.0,
            _ => 7.0,
        })
    }

    fn circle(&mut self, (x, y): (f64, f64), radius: f64, ink: Ink, width: u32) {
        let radius = u32::try_from(pixel(radius).max(1)).unwrap_or(1);
        self.marks.push(Mark::Circle { at: (pixel(x), pixel(y)), radius, ink, width });
    }

    /// Ghosts, then points from the largest to the smallest, then names where there is room for them.
    fn dots(&mut self) {
        for ghost in &self.plot.ghosts {
            let before = self.at(ghost.intensity, ghost.rate);
            let ink = Ink { role: Role::Ink, percent: GHOST };
            if let Some(now) = self.plot.dots.iter().find(|dot| dot.key == ghost.key) {
                self.line(&[before, self.at(now.intensity, now.rate)], ink, 2.0);
            }
            self.circle(before, self.px(7.0), ink, 0);
        }
        let plot = self.plot;
        let dots = by_weight(&plot.walk(), &|dot| self.radius(dot));
        for dot in &dots {
            let at = self.at(dot.intensity, dot.rate);
            let radius = self.radius(dot);
            // The KV cache is what decoding's attention reads.
            let cache = dot.key.id == "attention" && plot.passes.len() > 1;
            let whole = matches!(dot.key.kind, Kind::Pass | Kind::Own);
            let edge = self.thick(1.5);
            match (whole, cache) {
                (true, _) => self.circle(at, radius, full(Role::Ink), 0),
                (_, true) => self.circle(at, radius, full(Role::Warm), 0),
                _ => {
                    self.circle(at, radius, full(Role::Paper), 0);
                    self.circle(at, radius, full(Role::Ink), edge);
                }
            }
            let [x, y] = [at.0, at.1];
            self.taken.push([x - radius, y - radius, x + radius, y + radius]);
        }
        self.measured();
        if let Some(dot) = plot.at().filter(|dot| dot.has_place()) {
            let (at, radius) = (self.at(dot.intensity, dot.rate), self.radius(dot));
            let (ring, width) = (radius + self.px(3.5), self.thick(2.0));
            self.circle(at, ring, full(Role::Warm), width);
        }
        self.names(&dots);
    }

    /// What the reader measured, straight under the selected point.
    fn measured(&mut self) {
        let (Some(measured), Some(dot)) = (self.plot.measured, self.plot.at()) else { return };
        let (from, to) = (self.at(dot.intensity, dot.rate), self.at(dot.intensity, measured));
        self.dashed(&[from, to], full(Role::Warm), 1.5, 3.0, 3.0);
        let (arm, width) = (self.px(6.0), 2.5);
        let (x, y) = to;
        self.line(&[(x - arm, y - arm), (x + arm, y + arm)], full(Role::Warm), width);
        self.line(&[(x - arm, y + arm), (x + arm, y - arm)], full(Role::Warm), width);
        let name = words::RooflineMeasured { rate: &rate(measured) }.text();
        self.label(&name, to, arm, true);
    }

    /// Names of the points, the weightiest first.
    fn names(&mut self, dots: &[&Dot]) {
        let weight: &dyn Fn(&Dot) -> f64 = &|dot| match dot.key.kind {
            Kind::Own => 4.0,
            Kind::Pass => 3.0,
            Kind::Kernel => 2.0,
            Kind::Task => dot.share.unwrap_or(0.0) + if dot.key.id == "attention" { 1.0 } else { 0.0 },
        };
        let mut named = Vec::<(f64, f64)>::new();
        for dot in by_weight(dots, weight) {
            let bold = matches!(dot.key.kind, Kind::Pass | Kind::Own);
            let (at, radius) = (self.at(dot.intensity, dot.rate), self.radius(dot));
            // Of points on one spot the weightiest is named; the others say their names when they are chosen.
            let near = self.px(14.0);
            if named.iter().all(|(x, y)| (x - at.0).abs() > near || (y - at.1).abs() > near) {
                self.label(&dot.name, at, radius, bold);
                named.push(at);
            }
        }
    }

    /// How far down a roof runs at a place across.
    fn height(&self, roof: Roof, at: f64) -> f64 {
        let [left, top, right, bottom] = self.field;
        let (x, y) = (self.plot.x, self.plot.y);
        let power = x.from + (x.to - x.from) * (at - left) / (right - left);
        let rate = (libm::log10(roof.bandwidth.0) + power).min(libm::log10(roof.peak.0));
        bottom - (bottom - top) * (rate - y.from) / (y.to - y.from)
    }

    /// Whether no roof runs through a box: roofs rise to the right, so their heights at its sides tell.
    fn clear(&self, [x1, y1, x2, y2]: Extent) -> bool {
        self.plot.lines.iter().all(|line| self.height(line.roof, x1) < y1 || self.height(line.roof, x2) > y2)
    }

    /// A name beside a point, where it touches nothing; none where there is no room.
    fn label(&mut self, name: &str, (x, y): (f64, f64), radius: f64, bold: bool) {
        let (gap, half) = (radius + self.px(6.0), self.size() * 0.75);
        let places = [
            ((x + gap, y + half), Side::Start),
            ((x - gap, y - half), Side::End),
            ((x, y + gap + half), Side::Middle),
            ((x + gap, y + half * 3.0), Side::Start),
            ((x - gap, y - half * 3.0), Side::End),
            ((x + gap, y + half * 5.0), Side::Start),
            ((x - gap, y + half), Side::End),
            ((x + gap, y - half), Side::Start),
        ];
        let [left, top, right, bottom] = self.field;
        let free = |place: &&((f64, f64), Side)| {
            let [x1, y1, x2, y2] = self.extent(name, place.0, place.1);
            let inside = x1 >= left && x2 <= right && y1 >= top && y2 <= bottom;
            inside
                && self.clear([x1, y1, x2, y2])
                && self.taken.iter().all(|[a, b, c, d]| x2 < *a || *c < x1 || y2 < *b || *d < y1)
        };
        if let Some(&(at, side)) = places.iter().find(free) {
            self.text(name, at, side, Role::Ink, bold);
        }
    }
}
