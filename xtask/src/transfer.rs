//! Which files a first visit transfers.

/// A file of the built page: its name and, for text that can name other files, the text.
pub(crate) struct Asset {
    /// The path below `dist`, with forward slashes.
    pub(crate) name: String,
    /// The text, when the file is HTML, CSS or JavaScript.
    pub(crate) text: Option<String>,
}

/// Marks the files that a browser loads when it opens `index.html`: those it names, and those they name.
///
/// An upper bound: a font that a style sheet names counts even when no letter of it is drawn.
pub(crate) fn first_visit(assets: &[Asset]) -> Vec<bool> {
    let mut reached: Vec<bool> = assets.iter().map(|asset| asset.name == "index.html").collect();
    loop {
        let texts: Vec<String> = assets
            .iter()
            .zip(&reached)
            .filter(|(_, reached)| **reached)
            .filter_map(|(asset, _)| Some(without_data(&without_links(asset.text.as_deref()?))))
            .collect();
        let next: Vec<bool> = assets
            .iter()
            .zip(&reached)
            .map(|(asset, already)| {
                *already || (!comes_later(&asset.name) && texts.iter().any(|text| names(text, &asset.name)))
            })
            .collect();
        if next == reached {
            return reached;
        }
        reached = next;
    }
}

/// Marks the worker and what it keeps once the page is there: its own list names them.
pub(crate) fn kept(assets: &[Asset]) -> Vec<bool> {
    let worker = assets.iter().find(|asset| asset.name == WORKER).and_then(|asset| asset.text.as_deref());
    let list = |name: &str| worker.is_some_and(|text| text.contains(&format!("'{name}'")));
    assets.iter().map(|asset| asset.name == WORKER || list(&asset.name)).collect()
}

/// What the page's scripts name and the browser asks for when the page is already there, or the reader has gone on.
fn comes_later(name: &str) -> bool {
    name == WORKER || name.starts_with("far-")
}

/// The name of the service worker.
const WORKER: &str = "sw.js";

/// Whether the text names the file, as a word of its own: `a.js` is not named by `data.js`.
pub(crate) fn names(text: &str, file: &str) -> bool {
    let base = file.rsplit('/').next().unwrap_or(file);
    let part_of_a_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.match_indices(base).any(|(start, _)| {
        let before = text.get(..start).and_then(|text| text.chars().next_back());
        let after = text.get(start.saturating_add(base.len())..).and_then(|text| text.chars().next());
        !before.is_some_and(part_of_a_name) && !after.is_some_and(part_of_a_name)
    })
}

/// Removes the `<a …>` and `<meta …>` tags, and the icon of home screens: what they name is not loaded with the page.
fn without_links(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let (before, tag) = rest.split_at(start);
        kept.push_str(before);
        let is_link = ["<a ", "<a\n", "<meta ", "<meta\n", "<link rel=\"apple-touch-icon\""]
            .iter()
            .any(|open| tag.starts_with(open));
        let end = if is_link {
            tag.find('>').map_or(tag.len(), |end| end.saturating_add(1))
        } else {
            kept.push('<');
            1
        };
        rest = tag.get(end..).unwrap_or("");
    }
    kept.push_str(rest);
    kept
}

/// Removes the values of `data-…="…"`: a file that is named there is for a script to load when somebody asks.
fn without_data(text: &str) -> String {
    let mut pieces = text.split(" data-");
    let mut kept = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let attribute =
            piece.split_once("=\"").filter(|(name, _)| name.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
        kept.push_str(attribute.and_then(|(_, value)| value.split_once('"')).map_or(piece, |(_, behind)| behind));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::{Asset, first_visit, kept, names, without_data, without_links};

    fn asset(name: &str, text: Option<&str>) -> Asset {
        Asset { name: name.to_owned(), text: text.map(str::to_owned) }
    }

    #[test]
    fn files_named_by_named_files_count() {
        let page = r#"<meta property="og:image" content="card.png"><a href="data.json">data</a>
            <link rel="stylesheet" href="./style-1f.css"><script>init('./app-2a_bg.wasm')</script>"#;
        let assets = [
            asset("app-2a_bg.wasm", None),
            asset("card.png", None),
            asset("data.json", None),
            asset("fonts/text.woff2", None),
            asset("index.html", Some(page)),
            asset("style-1f.css", Some("@font-face { src: url(fonts/text.woff2) }")),
        ];
        assert_eq!(first_visit(&assets), [true, false, false, true, true, true]);
    }

    #[test]
    fn what_a_worker_keeps_is_no_part_of_a_first_visit() {
        let page = r#"<link rel="apple-touch-icon" href="icons/180.png"><script src="./offline-1f.js"></script>"#;
        let assets = [
            asset("icons/180.png", None),
            asset("index.html", Some(page)),
            asset("offline-1f.js", Some("register('sw.js')")),
            asset("other.html", Some("")),
            asset("screens/a.png", None),
            asset(
                "sw.js",
                Some(
                    "// screens/\n['icons/180.png', 'x'], ['index.html', 'x'], ['offline-1f.js', 'x'], ['other.html', 'x']",
                ),
            ),
        ];
        assert_eq!(first_visit(&assets), [false, true, true, false, false, false]);
        assert_eq!(kept(&assets), [true, true, true, true, false, true]);
    }

    #[test]
    fn a_name_inside_a_name_is_not_named() {
        assert!(names("import './a.js'", "snippets/a.js"));
        assert!(!names("import './data.js'", "a.js"));
        assert!(!names("a.js.map", "a.js"));
    }

    #[test]
    fn what_is_loaded_on_demand_is_not_named() {
        assert_eq!(
            without_data("<script src=\"a.js\" data-qr=\"b.js\" async>x</script>"),
            "<script src=\"a.js\" async>x</script>"
        );
    }

    #[test]
    fn only_links_are_removed() {
        assert_eq!(without_links("<p>x < y</p><a href=\"u\">t</a><abbr>"), "<p>x < y</p>t</a><abbr>");
    }
}
