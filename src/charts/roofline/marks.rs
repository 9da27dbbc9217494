//! The shapes that a plot is drawn with: what stands where, how thick, in which ink.

/// A point in pixels.
pub type Pixel = (i32, i32);

/// What a colour is for; the style sheet says which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Lines and words.
    Ink,
    /// What is said more quietly.
    Quiet,
    /// Gridlines.
    Hairline,
    /// Ground under the roof.
    Raised,
    /// The page.
    Paper,
    /// The KV cache, and what is selected.
    Warm,
}

impl Role {
    /// Every role, in the order of a style's colours.
    pub const ALL: [Self; 6] = [Self::Ink, Self::Quiet, Self::Hairline, Self::Raised, Self::Paper, Self::Warm];

    /// The token of the style sheet.
    pub const fn token(self) -> &'static str {
        match self {
            Self::Ink => "ink",
            Self::Quiet => "quiet",
            Self::Hairline => "hairline",
            Self::Raised => "raised",
            Self::Paper => "paper",
            Self::Warm => "warm",
        }
    }
}

/// A colour, as strong as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ink {
    /// Which.
    pub role: Role,
    /// Percent of it.
    pub percent: u8,
}

/// Where a text stands from its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Its beginning stands there.
    Start,
    /// Its middle.
    Middle,
    /// Its end.
    End,
}

/// One shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A line through points.
    Line { points: Vec<Pixel>, ink: Ink, width: u32 },
    /// A filled shape.
    Area { points: Vec<Pixel>, ink: Ink },
    /// A ring, or with no width a disc.
    Circle { at: Pixel, radius: u32, ink: Ink, width: u32 },
    /// A text, centred on its point's height.
    Text { text: String, at: Pixel, ink: Ink, size: u32, bold: bool, side: Side },
}

/// The size of a drawing in pixels, and how many of them make one of the page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Across.
    pub width: u32,
    /// Down.
    pub height: u32,
    /// Pixels of the drawing for one of the page.
    pub scale: f64,
}

impl Frame {
    /// The drawing of a wide page, and of a narrow one: what the style sheet gives `.roofline-plot` as its proportions.
    pub const WIDE: Self = Self { width: 928, height: 522, scale: 1.0 };
    /// For phones.
    pub const NARROW: Self = Self { width: 336, height: 370, scale: 1.0 };

    pub(super) fn is_narrow(&self) -> bool {
        self.width < self.height
    }

    /// Left, top, right and bottom of the field in parts of the whole; the style sheet lays the points over the same field.
    pub fn field(&self) -> [f64; 4] {
        if self.is_narrow() { [0.11, 0.08, 0.98, 0.86] } else { [0.06, 0.06, 0.99, 0.88] }
    }
}
