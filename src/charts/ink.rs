//! The colours of a drawing, by role; what a role looks like is decided by the style sheet alone.

use plotters::style::RGBColor;

/// A role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Text and axes.
    Ink,
    /// Gridlines and what stands back.
    Faint,
    /// Weights.
    Weights,
    /// KV cache.
    KvCache,
    /// The card's line.
    Line,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 5] = [Self::Ink, Self::Faint, Self::Weights, Self::KvCache, Self::Line];

    /// The custom property that holds its colour.
    pub const fn property(self) -> &'static str {
        match self {
            Self::Ink => "--ink",
            Self::Faint => "--hairline",
            Self::Weights => "--weights",
            Self::KvCache => "--kv_cache",
            Self::Line => "--line",
        }
    }
}

/// A colour for each role.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Palette([RGBColor; 5]);

impl Palette {
    /// Colours that stand for roles in an SVG, to be replaced by the custom properties: each is different, none is used.
    pub const STAND_INS: Self =
        Self([RGBColor(1, 2, 3), RGBColor(1, 2, 4), RGBColor(1, 2, 5), RGBColor(1, 2, 6), RGBColor(1, 2, 7)]);

    /// A palette from a colour for each role.
    pub fn new(colour: impl FnMut(Role) -> RGBColor) -> Self {
        Self(Role::ALL.map(colour))
    }

    /// The colour of a role.
    pub fn of(&self, role: Role) -> RGBColor {
        let [ink, faint, weights, kv_cache, line] = self.0;
        match role {
            Role::Ink => ink,
            Role::Faint => faint,
            Role::Weights => weights,
            Role::KvCache => kv_cache,
            Role::Line => line,
        }
    }

    /// An SVG drawn with the stand-ins, with the custom properties in their place: it follows the theme without a script.
    pub fn into_properties(svg: &str) -> String {
        Role::ALL.iter().fold(svg.to_owned(), |svg, &role| {
            let RGBColor(red, green, blue) = Self::STAND_INS.of(role);
            svg.replace(&format!("#{red:02X}{green:02X}{blue:02X}"), &format!("var({})", role.property()))
        })
    }
}

/// `#1F5FA8` as a colour; `None` for anything else.
pub fn from_hex(text: &str) -> Option<RGBColor> {
    let digits = text.trim().strip_prefix('#')?;
    if digits.len() != 6 {
        return None;
    }
    let part = |from: usize| digits.get(from..from + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    Some(RGBColor(part(0)?, part(2)?, part(4)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_from_style_sheets() {
        assert_eq!(from_hex(" #1F5FA8 "), Some(RGBColor(0x1f, 0x5f, 0xa8)));
        assert_eq!(from_hex("rgb(1, 2, 3)"), None);
        assert_eq!(from_hex("#12345é"), None);
    }

    #[test]
    fn stand_ins_become_properties() {
        assert_eq!(Palette::into_properties(r##"<line stroke="#010206"/>"##), r#"<line stroke="var(--kv_cache)"/>"#);
    }
}
