//! The questions of the self-check as question banks for learning platforms, one file a format.

mod canvas;
mod gift;
mod moodle;
mod qti;
#[cfg(test)]
mod tests;
mod xml;

use std::fs;
use std::path::Path;

use memory_wall_app::sections::quiz::bank::{self, Choosable, Item};
use memory_wall_app::words::section_title;

use crate::wording::{Words, escaped};
use crate::{page, words, write};

/// The folder of the banks below the page.
const FOLDER: &str = "banks";

/// The files, by the key of their words on the page for teachers.
const FILES: [(&str, &str); 4] = [
    ("gift", "memory-wall.gift"),
    ("moodle", "memory-wall-moodle.xml"),
    ("canvas", "memory-wall-canvas.zip"),
    ("qti", "memory-wall-qti21.zip"),
];

/// Writes every bank.
pub(crate) fn build(staging: &Path) -> Result<(), String> {
    let items = bank::items()?;
    let folder = staging.join(FOLDER);
    fs::create_dir_all(&folder).map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
    let title = words::page_title();
    for (format, file) in FILES {
        let content = match format {
            "gift" => gift::written(title, &items).into_bytes(),
            "moodle" => moodle::written(title, &items).into_bytes(),
            "canvas" => canvas::package(title, &items)?,
            _ => qti::package(title, &page::language(), &items)?,
        };
        write(&folder.join(file), content)?;
    }
    Ok(())
}

/// Every bank with how it is taken in, for the page for teachers.
pub(crate) fn links(words: &Words) -> Result<String, String> {
    let items = bank::items()?;
    let values = [("questions", items.len().to_string()), ("percent", bank::tolerance(100.0).to_string())];
    let list = FILES.iter().fold(String::new(), |all, (format, file)| {
        let about = words.prose(&format!("banks.{format}"), &[]);
        all + &format!("<li><a href=\"{FOLDER}/{file}\" download>{}</a>: {about}</li>", escaped(file))
    });
    Ok(format!("{}<ul id=\"bank-files\">{list}</ul>", words.paragraphs("banks", &values)))
}

/// The folders of a bank that a question lies in, from the outermost: the book, the section, and a folder of its own for a
/// question that is there with several sets of numbers, so that a quiz can draw one of them.
fn folders<'a>(book: &'a str, item: &'a Item) -> Vec<&'a str> {
    [book, section_title(item.section)].into_iter().chain(item.family.as_deref()).collect()
}

/// The share of the points that each right option is worth, where several are; a wrong one costs as much.
fn share(options: &[Choosable]) -> f64 {
    let right = options.iter().filter(|option| option.wrong.is_none()).count();
    1.0 / right.max(1) as f64
}

/// The same in percent, as Moodle knows it: five digits behind the point at most.
fn percent(share: f64) -> String {
    let text = format!("{:.5}", share * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The questions with the folders in which they lie, which are named only where others begin.
fn in_folders<'a>(book: &'a str, items: &'a [Item]) -> impl Iterator<Item = (Option<Vec<&'a str>>, &'a Item)> {
    let mut before = Vec::new();
    items.iter().map(move |item| {
        let folders = folders(book, item);
        let new = (folders != before).then(|| folders.clone());
        before = folders;
        (new, item)
    })
}

/// Where a category lies in Moodle's question bank. A slash in a name is written twice.
fn category(folders: &[&str]) -> String {
    let names: Vec<String> = folders.iter().map(|name| name.replace('/', "//")).collect();
    format!("$course$/top/{}", names.join("/"))
}
