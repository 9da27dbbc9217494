//! How high a figure is at a width: published for those who show it in a frame without a script.

/// What of a figure is shown, and the pixels of height that it needs at widths in pixels.
pub struct Heights {
    /// The figure.
    pub figure: &'static str,
    /// Of the self-check, the one section that is asked about.
    pub only: Option<&'static str>,
    /// Width and height.
    pub at: Vec<(u32, u32)>,
}

/// All of them, as `tests/e2e/heights.mjs` measured them.
pub fn all() -> Result<Vec<Heights>, String> {
    let lines = include_str!("heights.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| read(line).ok_or(format!("heights.txt: not `figure width:height …`: {line}"))).collect()
}

fn read(line: &'static str) -> Option<Heights> {
    let mut words = line.split(' ');
    let shown = words.next()?;
    let (figure, only) = shown.split_once("?only=").map_or((shown, None), |(figure, only)| (figure, Some(only)));
    let pair =
        |word: &str| word.split_once(':').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    Some(Heights { figure, only, at: words.map(pair).collect::<Option<_>>()? })
}

impl Heights {
    /// The height that is enough up to one of the widths, and above the one before it.
    pub fn of(&self, width: u32) -> Option<u32> {
        self.at.iter().find(|(known, _)| *known == width).map(|(_, height)| *height)
    }

    /// The most that it needs at any width up to this one.
    pub fn highest(&self, width: u32) -> u32 {
        self.at.iter().filter(|(known, _)| *known <= width).map(|(_, height)| *height).max().unwrap_or_default()
    }
}
