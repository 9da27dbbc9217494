//! The reference: GPUs, models, formulas, errors and words on a page of its own, beside the tutorial.
//!
//! It is drawn at build time from the same tables and functions, has no program, and is complete without its script.

mod errors;
mod examples;
mod examples_speed;
mod glossary;
mod gpus;
mod listed;
mod models;
mod sheet;
mod table;

use std::path::Path;

use memory_wall_app::words::language;

use crate::wording::Words;
use crate::{apart, page, policy, read};

/// The page's parts, by their anchors, in their order.
const PARTS: [&str; 5] = ["hardware", "models", "formulas", "accuracy", "glossary"];

/// Writes the page, its style sheet and its script.
pub(crate) fn build(root: &Path, staging: &Path) -> Result<(), String> {
    let words = Words::read("reference.txt")?;
    let content = content(&words)?;
    apart::write_page(root, staging, "reference", &words, &policy::still(), apart::Script::Late("reference"), &content)
}

/// Everything between header and footer.
fn content(words: &Words) -> Result<String, String> {
    let text = |name: &str| read(&language().folder.join(name));
    apart::content(words, &PARTS, |id| {
        Ok(match id {
            "hardware" => gpus::html(words),
            "models" => models::html(words)?,
            "formulas" => sheet::html(&text("formulas.md")?, words)?,
            "accuracy" => errors::html(words),
            _ => glossary::html(&text("glossary.md")?, &page::titles(&page::texts()?), words)?,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apart::{quoted, root};
    use crate::wording::MISSING;
    use memory_wall_accuracy::{Data, all};
    use memory_wall_app::registry::SECTIONS;
    use memory_wall_core::tables::{gpus, models};
    use std::collections::BTreeSet;

    #[test]
    fn every_row_of_every_table_is_there_and_every_link_arrives() {
        let words = Words::read("reference.txt").unwrap();
        let html = content(&words).unwrap();
        let _ = apart::headed(&root(), "reference", &words).unwrap();
        assert_eq!(words.left(), Vec::<&String>::new(), "words that nobody says");
        assert!(!html.contains(MISSING), "words are missing");
        let all_ids = quoted(&html, " id=\"");
        let ids: BTreeSet<&str> = all_ids.iter().copied().collect();
        assert_eq!(ids.len(), all_ids.len(), "an id is there twice");
        let gpus = gpus::GPUS.iter().map(|gpu| format!("card-{}", gpu.id));
        let rows = gpus.chain(models::MODELS.iter().map(|model| format!("model-{}", model.id)));
        let rows = rows.chain(all(&Data::carried()).iter().map(|set| format!("set-{}", set.name)).collect::<Vec<_>>());
        for id in rows.chain(PARTS.map(String::from)) {
            assert!(ids.contains(id.as_str()), "{id} is missing");
        }
        for target in quoted(&html, " href=\"") {
            match (target.strip_prefix('#'), target.strip_prefix("./#")) {
                (Some(id), _) => assert!(ids.contains(id), "#{id} leads nowhere"),
                (_, Some(section)) => assert!(SECTIONS.contains(&section), "{section} is no section"),
                _ => assert!(target.starts_with("https://") && !target.contains(' '), "{target}"),
            }
        }
        for trace in ["{{", " style=\"", "NaN", "inf</", "None", "Some("] {
            assert!(!html.contains(trace), "{trace}: {}", html.split(trace).next().unwrap_or_default().len());
        }
        for attribute in [" aria-labelledby=\"", " data-over=\""] {
            assert!(quoted(&html, attribute).iter().all(|id| ids.contains(id)), "{attribute} points nowhere");
        }
    }

    #[test]
    fn figures_are_the_engines() {
        let words = Words::read("reference.txt").unwrap();
        let html = content(&words).unwrap();
        // What other tests and texts hold to be so.
        for figure in ["67,108,864,000", "6,738,415,616", "12,879,925,248", "26,703", "156", "85.0", "79.1"] {
            assert!(html.contains(figure), "{figure}");
        }
        let rows: usize = all(&Data::carried()).iter().map(|set| set.rows.len()).sum();
        assert!(html.matches("<tr").count() > rows, "every comparison has its row");
    }

    #[test]
    fn it_is_written_with_its_own_files_and_needs_no_others() {
        let staging = std::env::temp_dir().join(format!("memory-wall-reference-{}", std::process::id()));
        std::fs::create_dir_all(&staging).unwrap();
        let result = build(&root(), &staging);
        let names: Vec<String> = std::fs::read_dir(&staging)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        let html = read(&staging.join("reference.html"));
        std::fs::remove_dir_all(&staging).unwrap();
        (result.unwrap(), assert_eq!(names.len(), 3));
        let html = html.unwrap();
        // What lets the page go without a network is put in last, by another.
        let left = ["<!-- offline -->", "<!-- keep -->", "<!-- carry -->"];
        assert_eq!(html.matches("<!--").count(), left.len(), "a mark is left");
        assert!(left.iter().all(|mark| html.contains(mark)));
        for name in names.iter().filter(|name| name.as_str() != "reference.html") {
            assert_eq!(html.matches(&format!("\"./{name}\"")).count(), 1, "{name}");
        }
        let head = html.split("</head>").next().unwrap();
        assert!(head.contains("default-src 'none'; script-src 'self'") && !head.contains("unsafe"), "{head}");
        assert!(
            html.matches("<script>").count() == 1 && !html.contains(" onclick"),
            "scripts are files but the one that brings them"
        );
    }
}
