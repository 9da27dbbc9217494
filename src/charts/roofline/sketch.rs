//! A drawing as SVG text: the picture in the prerendered page and on paper, and the one to be saved.

use std::convert::Infallible;
use std::fmt::Write as _;

use plotters::drawing::IntoDrawingArea;
use plotters::style::RGBColor;
use plotters_backend::text_anchor::HPos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
};

use super::Plot;
use super::draw::{Style, draw};
use super::marks::{Frame, Role};

/// SVG in the making.
struct Sketch<'a> {
    out: &'a mut String,
    frame: Frame,
    /// Whether colours are named by their roles, for the page's style sheet, or written out.
    by_role: bool,
}

type Done = Result<(), DrawingErrorKind<Infallible>>;

/// A plot as SVG for the page: its colours follow the style sheet, and those who do not see it are told elsewhere.
pub fn still(plot: &Plot, frame: Frame) -> String {
    // Each role is a colour that tells which one it is.
    let mut role = 0;
    let colours = Role::ALL.map(|_| {
        role += 1;
        RGBColor(role - 1, 0, 0)
    });
    let style = Style { frame, colours, family: String::new(), ground: false };
    let class = if frame == Frame::NARROW { "still still-narrow" } else { "still still-wide" };
    let head = format!("class=\"{class}\" aria-hidden=\"true\" focusable=\"false\"");
    written(plot, &style, &head, true)
}

/// A plot as an SVG file of its own.
pub fn file(plot: &Plot, style: &Style) -> String {
    let Frame { width, height, .. } = style.frame;
    let head = format!(
        "xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"{}\"",
        style.family.replace('"', "'")
    );
    written(plot, style, &head, false)
}

fn written(plot: &Plot, style: &Style, head: &str, by_role: bool) -> String {
    let Frame { width, height, .. } = style.frame;
    let mut out = format!("<svg viewBox=\"0 0 {width} {height}\" {head}>");
    let area = Sketch { out: &mut out, frame: style.frame, by_role }.into_drawing_area();
    // Writing into a string does not fail.
    let _ = draw(plot, &area, style);
    drop(area);
    out + "</svg>"
}

impl Sketch<'_> {
    /// A colour as the value or the class of what it fills or strokes.
    fn paint(&mut self, what: &str, BackendColor { rgb: (red, green, blue), alpha }: BackendColor) {
        let _ = if self.by_role {
            let role = Role::ALL.get(usize::from(red)).map_or("", |role| role.token());
            write!(self.out, " class=\"{what}-{role}\"")
        } else {
            write!(self.out, " {what}=\"#{red:02x}{green:02x}{blue:02x}\"")
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between nothing and all")]
        let percent = (alpha * 100.0).round() as u32;
        if percent < 100 {
            let _ = write!(self.out, " opacity=\".{percent:02}\"");
        }
    }

    fn stroke<S: BackendStyle>(&mut self, style: &S) {
        self.paint("stroke", style.color());
        let _ = match style.stroke_width() {
            1 => Ok(()),
            width => write!(self.out, " stroke-width=\"{width}\""),
        };
    }

    fn points(&mut self, points: impl IntoIterator<Item = BackendCoord>) {
        self.out.push_str(" points=\"");
        for (x, y) in points {
            let _ = write!(self.out, "{x},{y} ");
        }
        self.out.push('"');
    }
}

impl DrawingBackend for Sketch<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.frame.width, self.frame.height)
    }

    fn ensure_prepared(&mut self) -> Done {
        Ok(())
    }

    fn present(&mut self) -> Done {
        Ok(())
    }

    fn draw_pixel(&mut self, at: BackendCoord, color: BackendColor) -> Done {
        self.draw_rect(at, (at.0 + 1, at.1 + 1), &color, true)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Done {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, fill: bool) -> Done {
        let corners = [from, (to.0, from.1), to, (from.0, to.1), from];
        if fill { self.fill_polygon(corners, style) } else { self.draw_path(corners, style) }
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Done {
        self.out.push_str("<polyline fill=\"none\"");
        self.points(path);
        self.stroke(style);
        self.out.push_str("></polyline>");
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Done {
        self.out.push_str("<polygon");
        self.points(path);
        self.paint("fill", style.color());
        self.out.push_str("></polygon>");
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(&mut self, (x, y): BackendCoord, radius: u32, style: &S, fill: bool) -> Done {
        let _ = write!(self.out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"");
        if fill {
            self.paint("fill", style.color());
        } else {
            self.out.push_str(" fill=\"none\"");
            self.stroke(style);
        }
        self.out.push_str("></circle>");
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Done {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole pixels")]
        let size = style.size() as u32;
        let anchor = match style.anchor().h_pos {
            HPos::Left => "",
            HPos::Center => " text-anchor=\"middle\"",
            HPos::Right => " text-anchor=\"end\"",
        };
        let weight = if matches!(style.style(), FontStyle::Bold) { " font-weight=\"bold\"" } else { "" };
        let _ = write!(self.out, "<text x=\"{x}\" y=\"{y}\" dy=\".35em\" font-size=\"{size}\"{anchor}{weight}");
        self.paint("fill", style.color());
        self.out.push('>');
        for character in text.chars() {
            match character {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                other => self.out.push(other),
            }
        }
        self.out.push_str("</text>");
        Ok(())
    }
}
