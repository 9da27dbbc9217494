//! One style sheet out of the files of `style/`, named by its content; and inline styles moved out of the HTML into it.

use std::fmt::Write as _;
use std::path::Path;

use memory_wall_app::registry;

use crate::{apart, policy};

/// The figures at the head of the tutorial: the bar, and the wall of the opening.
const HEAD: [&str; 2] = ["rig", "opening"];

/// Stand for the styles in the folders of those figures, and of all others, in the order of the registry.
const OWN_HEAD: &str = "of figures at the head";
const OWN: &str = "of figures";

/// What the head of the tutorial looks like: these styles stand in the page. The order is that of the layers.
const FIRST: &[&str] =
    &["tokens", "base", "prose", "nav", "widgets", "buttons", "rig", "tables", "masonry", "figures", OWN_HEAD];

/// What only stands further down, which is asked for once the head has been painted.
const REST: &[&str] = &[
    "finder",
    "slider",
    "adapted",
    "dial",
    "calculator",
    "predictions",
    "roofline",
    "kv_cache",
    "code",
    OWN,
    "quiz",
    "embed",
    "still",
    "offline",
    "print",
    "paper",
    "paper_quiz",
];

/// The files of the reference, which is a page of its own: what it shares with the first, and its tables.
const REFERENCE: &[&str] = &["tokens", "base", "prose", "nav", "reference", "formula_sheet", "offline", "print"];

/// Those of the page for addresses where nothing is.
const LOST: &[&str] = &["tokens", "base", "lost"];

/// The files of the page for teachers, which has tables too.
const TEACH: &[&str] = &["tokens", "base", "prose", "nav", "reference", "teach", "offline", "print"];

/// The files of the planner, whose walls are those of the tutorial.
const PLANNER: &[&str] = &[
    "tokens",
    "base",
    "prose",
    "nav",
    "buttons",
    "tables",
    "masonry",
    "planner",
    "planner_inputs",
    "finder",
    "planner_answers",
    "embed",
    "still",
    "offline",
    "print",
];

/// Those of what else there is for teachers.
const COURSE: &[&str] = &["tokens", "base", "prose", "nav", "reference", "course", "offline", "print"];

/// The files of the slides.
const SLIDES: &[&str] = &[
    "tokens", "base", "prose", "widgets", "tables", "masonry", "figures", "roofline", "kv_cache", OWN_HEAD, OWN,
    "print", "slides",
];

/// The tutorial's styles in two parts: those of its head, and the rest.
pub(crate) fn bundle(root: &Path) -> Result<[String; 2], String> {
    Ok([bundled(root, FIRST)?, joined(&gathered(root, REST)?)])
}

/// Those of a page beside it.
pub(crate) fn apart(root: &Path, name: &str) -> Result<String, String> {
    let files = match name {
        "teach" => TEACH,
        "planner" => PLANNER,
        name if apart::ASKED.contains(&name) => COURSE,
        _ => REFERENCE,
    };
    bundled(root, files)
}

/// Those of the slides, which have figures too.
pub(crate) fn slides(root: &Path) -> Result<String, String> {
    bundled(root, SLIDES)
}

/// Those of the page for addresses where nothing is.
pub(crate) fn lost(root: &Path) -> Result<String, String> {
    bundled(root, LOST)
}

/// These files as one, the first of them the colours, without comments and indentation.
fn bundled(root: &Path, files: &[&str]) -> Result<String, String> {
    Ok(joined(&themed(&gathered(root, files)?)?))
}

fn gathered(root: &Path, files: &[&str]) -> Result<String, String> {
    let mut css = String::new();
    for file in files {
        if ![OWN_HEAD, OWN].contains(file) {
            css.push_str(&squeezed(&crate::read(&root.join("style").join(format!("{file}.css")))?));
            continue;
        }
        for figure in registry::FIGURES.iter().filter(|figure| HEAD.contains(&figure.id) == (*file == OWN_HEAD)) {
            let own = root.join("src/figures").join(figure.id).join("style.css");
            if own.exists() {
                css.push_str(&squeezed(&crate::read(&own)?));
            }
        }
    }
    Ok(css)
}

/// Line breaks taken away behind what separates declarations, rules and the parts of a list: nothing hangs on them there.
fn joined(css: &str) -> String {
    ["{\n", "}\n", ";\n", ",\n"].iter().fold(css.to_owned(), |css, end| css.replace(end, end.trim_end()))
}

/// The colours of the dark theme not only where the reader's system is dark, but also where a page is told to be.
fn themed(css: &str) -> Result<String, String> {
    const DARK: &str = "@media (prefers-color-scheme:dark){\n:root{\n";
    let (before, after) = css.split_once(DARK).ok_or("tokens.css has no dark theme")?;
    let (colours, behind) = after.split_once("}\n}\n").ok_or("the dark theme does not end")?;
    Ok(format!(
        "{before}@media (prefers-color-scheme:dark){{\n:root:not([data-theme=light]){{\n{colours}}}\n}}\n\
         :root[data-theme=dark]{{\n{colours}}}\n{behind}"
    ))
}

/// Comments and leading white space taken away; compression does the rest.
fn squeezed(css: &str) -> String {
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some((before, after)) = rest.split_once("/*") {
        out.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, behind)| behind);
    }
    out.push_str(rest);
    let lines = out.lines().map(str::trim).filter(|line| !line.is_empty());
    // A line break stays a line break: what a property's value means by its spaces is not looked into.
    lines.fold(String::new(), |all, line| all + &line.replace(": ", ":").replace(" {", "{") + "\n")
}

/// Inline styles that were moved out of pages, each once: the security policy allows none.
#[derive(Default)]
pub(crate) struct Rules(Vec<String>);

impl Rules {
    /// Takes `style="…"` out of `html` and leaves the number of a rule in its place.
    pub(crate) fn externalise(&mut self, html: &str) -> String {
        let mut out = String::with_capacity(html.len());
        let mut rest = html;
        while let Some((before, after)) = rest.split_once(" style=\"") {
            let (style, behind) = after.split_once('"').unwrap_or((after, ""));
            let number = self.0.iter().position(|known| *known == style).unwrap_or_else(|| {
                self.0.push(style.to_owned());
                self.0.len() - 1
            });
            out.push_str(before);
            // Writing into a string does not fail.
            let _ = write!(out, " data-s=\"{number}\"");
            rest = behind;
        }
        out.push_str(rest);
        out
    }

    /// The rules, for the style sheet.
    pub(crate) fn css(&self) -> String {
        let mut css = String::new();
        for (number, style) in self.0.iter().enumerate() {
            let _ = writeln!(css, "[data-s=\"{number}\"]{{{style}}}");
        }
        css
    }
}

/// A style sheet's name, made from its content, and the link to it.
pub(crate) fn link(stem: &str, css: &str) -> (String, String) {
    let (name, digest) = named(stem, css, "css");
    let tag = format!("<link rel=\"stylesheet\" href=\"./{name}\" integrity=\"sha256-{digest}\" />");
    (name, tag)
}

/// A name that changes with the content, and the content's digest.
pub(crate) fn named(stem: &str, content: impl AsRef<[u8]>, ending: &str) -> (String, String) {
    let digest = policy::hash(content);
    let short: String = digest.chars().filter(char::is_ascii_alphanumeric).take(16).collect();
    (format!("{stem}-{}.{ending}", short.to_ascii_lowercase()), digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_styles_become_rules() {
        let mut rules = Rules::default();
        let html = rules.externalise("<a style=\"--at:1\"></a><b style=\"--at:2\"></b><i style=\"--at:1\">");
        assert_eq!(html, "<a data-s=\"0\"></a><b data-s=\"1\"></b><i data-s=\"0\">");
        assert_eq!(rules.externalise("<u style=\"--at:2\">"), "<u data-s=\"1\">", "another page shares the rules");
        assert_eq!(rules.css(), "[data-s=\"0\"]{--at:1}\n[data-s=\"1\"]{--at:2}\n");
    }

    #[test]
    fn a_page_can_be_told_to_be_dark_or_light() {
        let css = themed("a{}\n@media (prefers-color-scheme:dark){\n:root{\n--b:c;\n}\n}\nd{}\n").unwrap();
        assert_eq!(
            css,
            "a{}\n@media (prefers-color-scheme:dark){\n:root:not([data-theme=light]){\n--b:c;\n}\n}\n:root[data-theme=dark]{\n--b:c;\n}\nd{}\n"
        );
        assert!(themed("a{}").is_err());
    }

    #[test]
    fn breaks_stay_only_where_they_are_a_space() {
        assert_eq!(joined("a,\nb{\nc:d,\ne\nf;\n}\ng{}\n"), "a,b{c:d,e\nf;}g{}");
    }

    #[test]
    fn comments_go_and_rules_stay() {
        assert_eq!(squeezed("/* a */\na {\n  b: c; /* d\n e */\n}\n"), "a{\nb:c;\n}\n");
    }
}
