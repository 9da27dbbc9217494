//! Memory against context length, both logarithmic: the KV cache is the straight line that crosses the others.

use memory_wall_core::display::{ByteUnit, Grouped, Size};
use memory_wall_core::{Bucket, Bytes, Phase, Scenario, Verdict, evaluate, solve, worked};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::combinators::{IntoLogRange, LogCoord};
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::{Circle, PathElement};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontFamily, IntoFont, RGBColor, ShapeStyle, TextStyle};
use plotters_backend::DrawingBackend;

use super::ink::{Palette, Role};
use crate::words::{fill, t};

/// The shortest and the longest context drawn.
const FROM: u32 = 512;
const TO: u32 = 2 << 20;
/// Lengths in the table.
const ROWS: [u32; 6] = [2_048, 8_192, 32_768, 128_000, 262_144, 1_000_000];

/// One row of the table behind the drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Tokens.
    pub seq_length: u32,
    /// The cache.
    pub kv_cache: Bytes,
    /// Everything.
    pub total: Bytes,
    /// Against the card.
    pub verdict: Option<Verdict>,
}

/// What is drawn: sampled from the engine, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Where the reader stands.
    pub here: Row,
    /// The weights, the same at every length.
    pub weights: Bytes,
    /// The card.
    pub capacity: Option<Bytes>,
    /// Where the cache passes the weights.
    pub passes_weights: Option<u32>,
    /// The longest context that fits.
    pub longest: Option<u32>,
    /// The table.
    pub rows: Vec<Row>,
    samples: Vec<(f64, f64, f64)>,
}

fn row(scenario: &Scenario, seq_length: u32) -> Row {
    let evaluation = evaluate(&Scenario { seq_length, ..*scenario });
    Row {
        seq_length,
        kv_cache: evaluation.bytes(Bucket::KvCache),
        total: evaluation.total,
        verdict: evaluation.fit.map(|fit| fit.verdict),
    }
}

impl Chart {
    /// Samples the engine.
    pub fn of(scenario: &Scenario) -> Self {
        let bucket =
            |bucket: Bucket, scenario: &Scenario| worked::total(|sink| bucket.terms(scenario, Phase::Forward, sink));
        let octaves = (TO / FROM).ilog2();
        let samples = (0..=octaves * 4)
            .map(|step| {
                let tokens = f64::from(FROM) * f64::from(step).mul_add(0.25, 0.0).exp2();
                // At most 2^21: the cast is exact enough for a line that is drawn.
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                let at = Scenario { seq_length: tokens.round() as u32, ..*scenario };
                (
                    f64::from(at.seq_length),
                    bucket(Bucket::KvCache, &at).0 as f64,
                    memory_wall_core::evaluate::total(&at).0 as f64,
                )
            })
            .collect();
        let fit = evaluate(scenario).fit;
        Self {
            here: row(scenario, scenario.seq_length),
            weights: bucket(Bucket::Weights, scenario),
            capacity: fit.map(|fit| fit.capacity),
            passes_weights: solve::kv_cache_passes_weights(scenario)
                .filter(|_| bucket(Bucket::KvCache, scenario) > Bytes::ZERO),
            longest: fit.map(|fit| fit.max_seq),
            rows: ROWS.map(|seq_length| row(scenario, seq_length)).into(),
            samples,
        }
    }

    fn cache_is_drawn(&self) -> bool {
        self.here.kv_cache > Bytes::ZERO
    }

    /// The plot in a sentence.
    pub fn sentence(&self) -> String {
        let grouped = |n: u32| Grouped(n.into()).to_string();
        let limit = grouped(memory_wall_core::bounds::SEQ_LENGTH.max);
        let weights = match self.passes_weights {
            _ if !self.cache_is_drawn() => t("context.sentence.training").to_owned(),
            Some(tokens) => fill("context.sentence.weights", &[("n", &grouped(tokens))]),
            None => fill("context.sentence.never.weights", &[("n", &limit)]),
        };
        let card = match self.longest {
            Some(0) => t("context.sentence.nowhere").to_owned(),
            Some(tokens) if tokens < memory_wall_core::bounds::SEQ_LENGTH.max => {
                fill("context.sentence.card", &[("n", &grouped(tokens + 1))])
            }
            _ => fill("context.sentence.never.card", &[("n", &limit)]),
        };
        format!("{weights}; {card}.")
    }

    /// Powers of ten around everything that is drawn.
    fn range(&self) -> (f64, f64) {
        let lows = self.samples.iter().map(|&(_, cache, total)| if cache > 0.0 { cache } else { total });
        let low = lows.fold(self.weights.0 as f64, f64::min).max(1.0);
        let high =
            self.samples.iter().map(|&(.., total)| total).fold(self.capacity.unwrap_or_default().0 as f64, f64::max);
        (10f64.powf(low.log10().floor()), (high * 1.6).max(low * 100.0))
    }
}

type Plane = Cartesian2d<LogCoord<f64>, LogCoord<f64>>;
type Drawn<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

/// One pixel of the page in pixels of the drawing, and the colours.
struct Pen<'a> {
    ratio: f64,
    palette: &'a Palette,
}

impl Pen<'_> {
    fn px(&self, css: f64) -> i32 {
        // Screen sizes are small.
        #[expect(clippy::cast_possible_truncation)]
        let pixels = (css * self.ratio).round() as i32;
        pixels
    }

    fn line(&self, role: Role, css_width: f64) -> ShapeStyle {
        self.colour(self.palette.of(role), css_width)
    }

    fn colour(&self, colour: RGBColor, css_width: f64) -> ShapeStyle {
        ShapeStyle { color: colour.to_rgba(), filled: false, stroke_width: self.px(css_width).unsigned_abs().max(1) }
    }

    fn text(&self, role: Role, css_size: f64, h: HPos, v: VPos) -> TextStyle<'static> {
        let size = css_size * self.ratio;
        let font = (FontFamily::Name("system-ui, sans-serif"), size).into_font();
        TextStyle { font, color: self.palette.of(role).to_backend_color(), pos: Pos::new(h, v) }
    }
}

/// Draws the chart over the whole area. `ratio` is pixels of the area to one pixel of the page.
///
/// Axes and labels are set by hand: plotters' own measure text by putting elements with inline styles into the page,
/// which a strict content security policy forbids.
pub fn draw<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    chart: &Chart,
    palette: &Palette,
    unit: ByteUnit,
    ratio: f64,
) -> Drawn<DB> {
    let pen = Pen { ratio, palette };
    let (width, height) = area.dim_in_pixel();
    let [width, height] = [width, height].map(|pixels| i32::try_from(pixels).unwrap_or(i32::MAX));
    let (left, right) = (pen.px(58.0), (width - pen.px(10.0)).max(pen.px(60.0)));
    let (top, bottom) = (pen.px(24.0), (height - pen.px(46.0)).max(pen.px(30.0)));
    let (low, high) = chart.range();
    let plane: Plane = Cartesian2d::new(
        (f64::from(FROM)..f64::from(TO)).log_scale(),
        (low..high).log_scale(),
        (left..right, bottom..top),
    );
    let at = |x: f64, y: f64| plane_point(&plane, x, y);

    grid(area, &pen, &at, (left, right, top, bottom), (low, high), unit)?;

    let flat = |bytes: f64| vec![(left, at(f64::from(FROM), bytes).1), (right, at(f64::from(FROM), bytes).1)];
    let curve = |pick: fn(&(f64, f64, f64)) -> f64| {
        chart.samples.iter().map(|sample| at(sample.0, pick(sample))).collect::<Vec<_>>()
    };
    area.draw(&PathElement::new(flat(chart.weights.0 as f64), pen.line(Role::Weights, 2.0)))?;
    area.draw(&PathElement::new(curve(|sample| sample.2), pen.line(Role::Ink, 2.0)))?;
    if chart.cache_is_drawn() {
        area.draw(&PathElement::new(curve(|sample| sample.1), pen.line(Role::KvCache, 3.0)))?;
    }
    if let Some(capacity) = chart.capacity {
        dashes(area, &flat(capacity.0 as f64), pen.line(Role::Line, 2.0), pen.px(6.0))?;
    }
    marker(area, &pen, chart, &at, (top, bottom))?;
    labels(area, &pen, chart, &at, (left, right), unit)
}

/// A point of the plane in pixels.
fn plane_point(plane: &Plane, x: f64, y: f64) -> (i32, i32) {
    use plotters::coord::CoordTranslate;
    plane.translate(&(x, y))
}

type At<'a> = &'a dyn Fn(f64, f64) -> (i32, i32);

fn grid<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    pen: &Pen<'_>,
    at: At<'_>,
    (left, right, top, bottom): (i32, i32, i32, i32),
    (low, high): (f64, f64),
    unit: ByteUnit,
) -> Drawn<DB> {
    let faint = pen.line(Role::Faint, 1.0);
    for (tokens, text) in [(1_000u32, "1k"), (10_000, "10k"), (100_000, "100k"), (1_000_000, "1M")] {
        let x = at(f64::from(tokens), low).0;
        area.draw(&PathElement::new(vec![(x, top), (x, bottom)], faint))?;
        area.draw_text(text, &pen.text(Role::Ink, 12.0, HPos::Center, VPos::Top), (x, bottom + pen.px(6.0)))?;
    }
    // Decades of the unit: 100 MB, 1 GB, 10 GB, ... or their binary sisters.
    let giga = unit.giga();
    let decades = (0..16).map(|power| giga.saturating_mul(10u128.pow(power)) / 1_000_000);
    for bytes in decades.filter(|bytes| (low..=high).contains(&(*bytes as f64))) {
        let y = at(1_000.0, bytes as f64).1;
        area.draw(&PathElement::new(vec![(left, y), (right, y)], faint))?;
        let text = decade(bytes, unit);
        area.draw_text(&text, &pen.text(Role::Ink, 12.0, HPos::Right, VPos::Center), (left - pen.px(6.0), y))?;
    }
    area.draw(&PathElement::new(vec![(left, top), (left, bottom), (right, bottom)], pen.line(Role::Ink, 1.0)))?;
    area.draw_text(t("context.y"), &pen.text(Role::Ink, 12.0, HPos::Left, VPos::Top), (pen.px(2.0), pen.px(2.0)))?;
    let below = (right, bottom + pen.px(26.0));
    area.draw_text(t("context.x"), &pen.text(Role::Ink, 12.0, HPos::Right, VPos::Top), below)
}

/// A decade without decimals: `10 GB`.
fn decade(bytes: u128, unit: ByteUnit) -> String {
    let text = Size::new(Bytes(bytes), unit).to_string();
    let (number, name) = text.split_once(memory_wall_core::display::THIN_SPACE).unwrap_or((&text, ""));
    let whole = number.strip_suffix(".00").or_else(|| number.strip_suffix(".0")).unwrap_or(number);
    format!("{whole}{}{name}", memory_wall_core::display::THIN_SPACE)
}

fn dashes<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    line: &[(i32, i32)],
    style: ShapeStyle,
    dash: i32,
) -> Drawn<DB> {
    let (Some(&(from, y)), Some(&(to, _))) = (line.first(), line.last()) else { return Ok(()) };
    let dash = dash.max(1);
    let mut x = from;
    while x < to {
        area.draw(&PathElement::new(vec![(x, y), ((x + dash).min(to), y)], style))?;
        x += dash + dash * 2 / 3;
    }
    Ok(())
}

/// Where the reader stands: a thin line down to the axis, and a dot on each curve.
fn marker<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    pen: &Pen<'_>,
    chart: &Chart,
    at: At<'_>,
    (top, bottom): (i32, i32),
) -> Drawn<DB> {
    let tokens = chart.here.seq_length;
    if !(FROM..=TO).contains(&tokens) {
        return Ok(());
    }
    let x = at(tokens.into(), 1e9).0;
    area.draw(&PathElement::new(vec![(x, top), (x, bottom)], pen.line(Role::Ink, 1.0)))?;
    let dot = |bytes: Bytes, role: Role| {
        let style = ShapeStyle { filled: true, ..pen.line(role, 1.0) };
        area.draw(&Circle::new((x, at(tokens.into(), bytes.0 as f64).1), pen.px(5.0), style))
    };
    dot(chart.here.total, Role::Ink)?;
    if chart.cache_is_drawn() {
        dot(chart.here.kv_cache, Role::KvCache)?;
    }
    let text = fill("context.here", &[("n", &Grouped(tokens.into()).to_string())]);
    // The label keeps to the inner side of the drawing.
    let (side, gap) = if tokens > 30_000 { (HPos::Right, -6.0) } else { (HPos::Left, 6.0) };
    area.draw_text(&text, &pen.text(Role::Ink, 12.0, side, VPos::Bottom), (x + pen.px(gap), bottom - pen.px(4.0)))
}

/// Names at the curves instead of a legend, each where its curve is alone.
fn labels<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    pen: &Pen<'_>,
    chart: &Chart,
    at: At<'_>,
    (left, right): (i32, i32),
    unit: ByteUnit,
) -> Drawn<DB> {
    let y = |bytes: f64| at(1_000.0, bytes).1;
    let weights = y(chart.weights.0 as f64);
    area.draw_text(
        t("bucket.weights"),
        &pen.text(Role::Weights, 13.0, HPos::Right, VPos::Top),
        (right, weights + pen.px(4.0)),
    )?;
    if let Some(capacity) = chart.capacity {
        let point = (left + pen.px(8.0), y(capacity.0 as f64) - pen.px(4.0));
        let text = fill("wall.line", &[("capacity", &Size::new(capacity, unit).to_string())]);
        area.draw_text(&text, &pen.text(Role::Line, 13.0, HPos::Left, VPos::Bottom), point)?;
    }
    let two_thirds = chart.samples.len() * 5 / 8;
    if let Some(&(tokens, _, total)) = chart.samples.get(two_thirds) {
        let (x, y) = at(tokens, total);
        area.draw_text(
            t("context.total"),
            &pen.text(Role::Ink, 13.0, HPos::Right, VPos::Bottom),
            (x - pen.px(6.0), y - pen.px(4.0)),
        )?;
    }
    if chart.cache_is_drawn()
        && let Some(&(tokens, cache, _)) = chart.samples.get(chart.samples.len() / 4)
    {
        let (x, y) = at(tokens, cache);
        area.draw_text(
            t("bucket.kv_cache"),
            &pen.text(Role::KvCache, 13.0, HPos::Left, VPos::Top),
            (x + pen.px(8.0), y + pen.px(4.0)),
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::State;
    use memory_wall_core::Mode;

    #[test]
    fn the_sentence_says_where_the_lines_cross() {
        let chart = Chart::of(&State::default().scenario());
        assert_eq!(chart.passes_weights, Some(25_706));
        assert!(
            chart
                .sentence()
                .starts_with("The KV cache passes the weights at 25,706 tokens; the total passes the card at 13")
        );
        let training = Chart::of(&State { mode: Mode::Training, ..State::default() }.scenario());
        assert!(training.sentence().starts_with("Training keeps no KV cache; "));
    }

    #[test]
    fn every_legal_state_has_a_finite_range() {
        for (mode, batch, seq_length) in
            [(Mode::Inference, 1, 1), (Mode::Inference, 1_000_000, 10_000_000), (Mode::Training, 1_000_000, 1)]
        {
            let (low, high) = Chart::of(&State { mode, batch, seq_length, ..State::default() }.scenario()).range();
            assert!(low > 0.0 && high > low && high.is_finite());
        }
    }

    #[test]
    fn decades_have_no_decimals() {
        assert_eq!(decade(10_000_000_000, ByteUnit::Gb), "10\u{202f}GB");
        assert_eq!(decade(100 << 30, ByteUnit::Gib), "100\u{202f}GiB");
    }
}
