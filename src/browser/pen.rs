//! Draws on a canvas. The surface is that of plotters-canvas; shapes and letters are put on it here, since setting the same
//! font again for every text took longer than all the rest of a drawing, and writing a transparency as a float weighed as
//! much as the figure's own marks.

use std::f64::consts::TAU;

use plotters::prelude::DrawingBackend;
use plotters_backend::text_anchor::HPos;
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind, FontStyle};
use plotters_canvas::CanvasBackend;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// A canvas, and what its letters are set to.
pub(super) struct Pen {
    surface: CanvasBackend,
    ink: CanvasRenderingContext2d,
    font: (u32, bool),
}

type Done = Result<(), DrawingErrorKind<<CanvasBackend as DrawingBackend>::ErrorType>>;

impl Pen {
    /// A pen for a canvas, if it can be drawn on.
    pub(super) fn on(canvas: &HtmlCanvasElement) -> Option<Self> {
        let ink: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        ink.set_text_baseline("middle");
        let surface = CanvasBackend::with_canvas_object(canvas.clone())?;
        Some(Self { surface, ink, font: (0, false) })
    }

    /// Lays a path, to be drawn or filled.
    fn lay(&self, path: impl IntoIterator<Item = BackendCoord>) {
        self.ink.begin_path();
        for (x, y) in path {
            // The first of them begins the path.
            self.ink.line_to(x.into(), y.into());
        }
    }

    fn stroke(&self, colour: BackendColor, width: u32) {
        self.ink.set_stroke_style_str(&css(colour));
        self.ink.set_line_width(width.into());
        self.ink.stroke();
    }

    fn fill(&self, colour: BackendColor) {
        self.ink.set_fill_style_str(&css(colour));
        self.ink.fill();
    }
}

/// A colour as style sheets write it, with its transparency in whole percent.
fn css(BackendColor { rgb: (red, green, blue), alpha }: BackendColor) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 100")]
    let percent = (alpha * 100.0 + 0.5) as u8;
    format!("rgba({red},{green},{blue},{percent}%)")
}

impl DrawingBackend for Pen {
    type ErrorType = <CanvasBackend as DrawingBackend>::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        self.surface.get_size()
    }

    fn ensure_prepared(&mut self) -> Done {
        Ok(())
    }

    fn present(&mut self) -> Done {
        Ok(())
    }

    fn draw_pixel(&mut self, at: BackendCoord, color: BackendColor) -> Done {
        self.surface.draw_pixel(at, color)
    }

    fn draw_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, fill: bool) -> Done {
        let corners = [from, (to.0, from.1), to, (from.0, to.1), from];
        if fill { self.fill_polygon(corners, style) } else { self.draw_path(corners, style) }
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Done {
        self.lay(path);
        self.stroke(style.color(), style.stroke_width());
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Done {
        self.lay(path);
        self.fill(style.color());
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(&mut self, (x, y): BackendCoord, radius: u32, style: &S, fill: bool) -> Done {
        self.ink.begin_path();
        // A radius is never negative, which is all that a circle is refused for.
        let _ = self.ink.arc(x.into(), y.into(), radius.into(), 0.0, TAU);
        if fill {
            self.fill(style.color());
        } else {
            self.stroke(style.color(), style.stroke_width());
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Done {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole pixels")]
        let size = style.size() as u32;
        let font = (size, matches!(style.style(), FontStyle::Bold));
        if self.font != font {
            self.font = font;
            let weight = if font.1 { "bold " } else { "" };
            self.ink.set_font(&format!("{weight}{size}px {}", style.family().as_str()));
        }
        self.ink.set_fill_style_str(&css(style.color()));
        self.ink.set_text_align(match style.anchor().h_pos {
            HPos::Left => "start",
            HPos::Center => "center",
            HPos::Right => "end",
        });
        // A text that a browser refuses is one that the table says too.
        let _ = self.ink.fill_text(text, x.into(), y.into());
        Ok(())
    }
}
