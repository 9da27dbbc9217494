//! The terms of the tutorial, each with a sentence or two and the section that explains it.

use std::fmt::Write as _;

use super::table;
use crate::prose;
use crate::wording::{Words, inline};

/// One term.
#[derive(Debug, PartialEq)]
struct Term<'a> {
    name: &'a str,
    /// The section that explains it.
    section: &'a str,
    /// What figures link to it by, in every language; without it the anchor is made from the name.
    id: Option<&'a str>,
    says: &'a str,
}

/// Blocks of a heading, `in: section` or `in: section #id`, and a line.
fn read(text: &str) -> Result<Vec<Term<'_>>, String> {
    let blocks = text.split("## ").skip(1);
    let terms = blocks.map(|block| {
        let mut lines = block.trim().lines();
        let mut next = || lines.next().ok_or(format!("glossary.md: too little is said about {block}"));
        let (name, section, says) = (next()?, next()?, next()?);
        let section = section.strip_prefix("in: ").ok_or(format!("glossary.md: {name} is in no section"))?;
        let (section, id) = section.split_once(" #").map_or((section, None), |(section, id)| (section, Some(id)));
        Ok(Term { name, section, id, says })
    });
    terms.collect()
}

/// The anchor of a term.
fn anchor(name: &str) -> String {
    format!("term-{}", prose::slug(name))
}

/// All terms, with the titles of the sections.
pub(crate) fn html(text: &str, sections: &[(&str, String)], words: &Words) -> Result<String, String> {
    let mut out = table::tools(words, "terms", "terms-list", "");
    out.push_str("<dl class=\"terms\" id=\"terms-list\">");
    for term in read(text)? {
        let Term { name, section, id, says } = term;
        let title = sections.iter().find(|(id, _)| *id == section);
        let (_, title) = title.ok_or(format!("glossary.md: {name} is in {section}, which is no section"))?;
        // Writing into a string does not fail.
        let _ = write!(
            out,
            "<div id=\"{id}\"><dt><a class=\"permalink\" href=\"#{id}\">{name}</a></dt><dd>{} <a class=\"explained\" href=\"./#{section}\">{title}</a></dd></div>",
            inline(says),
            id = id.map_or_else(|| anchor(name), |id| format!("term-{id}")),
        );
    }
    Ok(out + "</dl>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_app::registry::SECTIONS;
    use std::path::Path;

    #[test]
    fn terms_are_many_in_order_and_explained_somewhere() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let text = std::fs::read_to_string(root.join("content/en/glossary.md")).unwrap();
        let terms = read(&text).unwrap();
        assert!(terms.len() >= 60, "{}", terms.len());
        let key = |term: &Term<'_>| anchor(term.name);
        for pair in terms.windows(2) {
            assert!(key(&pair[0]) < key(&pair[1]), "{} stands before {}", pair[0].name, pair[1].name);
        }
        for term in &terms {
            assert!(SECTIONS.contains(&term.section), "{} is in {}", term.name, term.section);
            assert!(term.says.ends_with('.') && !term.says.contains('!'), "{}", term.name);
        }
        for section in SECTIONS.iter().filter(|section| !["check", "scaling"].contains(section)) {
            assert!(terms.iter().any(|term| term.section == *section), "{section} explains no term");
        }
    }

    #[test]
    fn half_a_term_is_refused() {
        assert!(read("## A\nin: b\n").is_err() && read("## A\nb\nc.\n").is_err());
        assert_eq!(read("## A\nin: b\nC.\n").unwrap(), [Term { name: "A", section: "b", id: None, says: "C." }]);
        assert_eq!(read("## A\nin: b #c\nD.\n").unwrap()[0].id, Some("c"));
    }
}
