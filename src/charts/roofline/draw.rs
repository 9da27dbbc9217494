//! Puts a plot onto whatever plotters can draw on: a canvas in the browser, a `Sketch` elsewhere.

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::{Circle, PathElement, Polygon, Text};
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, RGBAColor, RGBColor, ShapeStyle, TextStyle};

use super::Plot;
use super::board::marks;
use super::marks::{Frame, Ink, Mark, Role, Side};

/// How a drawing looks: its size, the colour of each role, its letters.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// Its size.
    pub frame: Frame,
    /// One colour for each of [`Role::ALL`].
    pub colours: [RGBColor; Role::ALL.len()],
    /// A family of letters, as style sheets name it.
    pub family: String,
    /// Whether the ground is painted too, as a picture of its own needs it.
    pub ground: bool,
}

impl Style {
    fn colour(&self, ink: Ink) -> RGBAColor {
        let place = Role::ALL.iter().position(|role| *role == ink.role);
        let colour = place.and_then(|place| self.colours.get(place)).copied().unwrap_or(RGBColor(0, 0, 0));
        colour.mix(f64::from(ink.percent) / 100.0)
    }

    fn shape(&self, ink: Ink, width: u32) -> ShapeStyle {
        ShapeStyle { color: self.colour(ink), filled: width == 0, stroke_width: width }
    }
}

/// Draws a plot.
pub fn draw<DB: DrawingBackend>(
    plot: &Plot,
    area: &DrawingArea<DB, Shift>,
    style: &Style,
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
    if style.ground {
        area.fill(&style.colour(Ink { role: Role::Paper, percent: 100 }))?;
    }
    let marks = marks(plot, style.frame);
    let font = |mark: &Mark| match mark {
        Mark::Text { size, bold, .. } => Some((*size, *bold)),
        _ => None,
    };
    // Shapes first, then the letters of each kind together: setting another font costs as much as a dozen shapes.
    let mut fonts = vec![None];
    for mark in &marks {
        if !fonts.contains(&font(mark)) {
            fonts.push(font(mark));
        }
    }
    let in_turn = fonts.into_iter().flat_map(|one| marks.iter().filter(move |mark| font(mark) == one));
    for mark in in_turn.cloned() {
        match mark {
            Mark::Line { points, ink, width } => area.draw(&PathElement::new(points, style.shape(ink, width)))?,
            Mark::Area { points, ink } => area.draw(&Polygon::new(points, style.shape(ink, 0)))?,
            Mark::Circle { at, radius, ink, width } => area.draw(&Circle::new(at, radius, style.shape(ink, width)))?,
            Mark::Text { text, at, ink, size, bold, side } => {
                let weight = if bold { FontStyle::Bold } else { FontStyle::Normal };
                let font = FontDesc::new(FontFamily::Name(&style.family), size.into(), weight);
                let across = match side {
                    Side::Start => HPos::Left,
                    Side::Middle => HPos::Center,
                    Side::End => HPos::Right,
                };
                let colour = style.colour(ink);
                let letters = TextStyle::from(font).color(&colour).pos(Pos::new(across, VPos::Center));
                area.draw(&Text::new(text, at, letters))?;
            }
        }
    }
    Ok(())
}
