//! How high a figure is at a width: published for those who show it in a frame without a script.

/// What of a figure is shown, and the pixels of height that it needs at widths in pixels.
pub(crate) struct Heights {
    /// The figure.
    pub(crate) figure: &'static str,
    /// Of the self-check, the one section that is asked about.
    pub(crate) only: Option<&'static str>,
    /// Width and height.
    pub(crate) at: Vec<(u32, u32)>,
}

/// All of them, as `tests/e2e/heights.mjs` measured them.
pub(crate) fn all() -> Result<Vec<Heights>, String> {
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
    /// The height at one of the widths.
    pub(crate) fn of(&self, width: u32) -> Option<u32> {
        self.at.iter().find(|(known, _)| *known == width).map(|(_, height)| *height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed;
    use memory_wall_app::registry;

    #[test]
    fn every_figure_and_every_part_of_the_self_check_has_its_heights() {
        let all = all().unwrap();
        for figure in registry::alone() {
            assert!(all.iter().any(|row| row.figure == figure && row.only.is_none()), "{figure}");
        }
        for section in embed::asked() {
            assert!(all.iter().any(|row| row.figure == "quiz" && row.only == Some(section)), "{section}");
        }
        assert_eq!(all.len(), registry::alone().count() + embed::asked().len());
        let widths = |row: &Heights| row.at.iter().map(|(width, _)| *width).collect::<Vec<_>>();
        assert!(all.iter().all(|row| widths(row) == [320, 480, 640, 800, 960]));
        assert_eq!(all.iter().find(|row| row.figure == "trips").unwrap().of(640), Some(840));
    }
}
