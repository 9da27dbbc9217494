//! Draws on a canvas: shapes as plotters-canvas does, letters without setting the same font again for every text,
//! which took longer than all the rest of a drawing.

use plotters::prelude::DrawingBackend;
use plotters_backend::text_anchor::HPos;
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind, FontStyle};
use plotters_canvas::CanvasBackend;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// A canvas, and what its letters are set to.
pub(super) struct Pen {
    shapes: CanvasBackend,
    letters: CanvasRenderingContext2d,
    font: (u32, bool),
    colour: Option<(u8, u8, u8)>,
}

type Done = Result<(), DrawingErrorKind<<CanvasBackend as DrawingBackend>::ErrorType>>;

impl Pen {
    /// A pen for a canvas, if it can be drawn on.
    pub(super) fn on(canvas: &HtmlCanvasElement) -> Option<Self> {
        let letters: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        letters.set_text_baseline("middle");
        let shapes = CanvasBackend::with_canvas_object(canvas.clone())?;
        Some(Self { shapes, letters, font: (0, false), colour: None })
    }
}

impl DrawingBackend for Pen {
    type ErrorType = <CanvasBackend as DrawingBackend>::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        self.shapes.get_size()
    }

    fn ensure_prepared(&mut self) -> Done {
        Ok(())
    }

    fn present(&mut self) -> Done {
        Ok(())
    }

    fn draw_pixel(&mut self, at: BackendCoord, color: BackendColor) -> Done {
        self.shapes.draw_pixel(at, color)
    }

    fn draw_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, fill: bool) -> Done {
        self.shapes.draw_rect(from, to, style, fill)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Done {
        self.shapes.draw_path(path, style)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Done {
        self.colour = None;
        self.shapes.fill_polygon(path, style)
    }

    fn draw_circle<S: BackendStyle>(&mut self, at: BackendCoord, radius: u32, style: &S, fill: bool) -> Done {
        self.colour = None;
        self.shapes.draw_circle(at, radius, style, fill)
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Done {
        // Whole pixels.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let size = style.size() as u32;
        let font = (size, matches!(style.style(), FontStyle::Bold));
        if self.font != font {
            self.font = font;
            let weight = if font.1 { "bold " } else { "" };
            self.letters.set_font(&format!("{weight}{size}px {}", style.family().as_str()));
        }
        let (red, green, blue) = style.color().rgb;
        if self.colour != Some((red, green, blue)) {
            self.colour = Some((red, green, blue));
            self.letters.set_fill_style_str(&format!("#{red:02x}{green:02x}{blue:02x}"));
        }
        self.letters.set_text_align(match style.anchor().h_pos {
            HPos::Left => "start",
            HPos::Center => "center",
            HPos::Right => "end",
        });
        // A text that a browser refuses is one that the table says too.
        let _ = self.letters.fill_text(text, x.into(), y.into());
        Ok(())
    }
}
