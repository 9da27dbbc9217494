//! What can be packed: the whole tutorial, a section with its questions, a figure, or the questions about a section.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use memory_wall_app::registry;
use memory_wall_app::words::section_title;
use sha2::{Digest, Sha256};

use super::items::{self, Item};
use super::json::{list, object, text};
use crate::markup::{attribute, tags};
use crate::wording::Words;
use crate::{check, embed, page, read, words};

/// The page in one file, which holds every section.
const WHOLE: &str = "memory-wall.html";

/// What a platform's page shows, one at a time.
struct View {
    /// The word on its button.
    word: &'static str,
    /// The page of the site that it is.
    page: String,
    /// What of it is asked for: a query without `?`, a place without `#`.
    query: String,
    place: String,
}

/// A part that can be packed.
pub(super) struct Part {
    /// Its name in files and links.
    pub(super) id: String,
    /// What it is called.
    pub(super) title: String,
    /// Every file of the site that is in the package.
    pub(super) files: Vec<String>,
    /// What is asked.
    pub(super) items: Vec<Item>,
    views: Vec<View>,
}

impl Part {
    /// The part as platforms tell activities apart: an address that is the same in every build and nobody's page.
    pub(super) fn activity(&self) -> String {
        let digest: String = Sha256::digest(format!("memory-wall {}", self.id))
            .iter()
            .take(16)
            .fold(String::new(), |all, byte| all + &format!("{byte:02x}"));
        let at = |from: usize, to: usize| digest.get(from..to).unwrap_or_default();
        // Version 8: made in a way of its own.
        format!("urn:uuid:{}-{}-8{}-8{}-{}", at(0, 8), at(8, 12), at(13, 16), at(17, 20), at(20, 32))
    }

    /// What the package's script reads: what is shown, and what is asked.
    pub(super) fn json(&self, words: &Words) -> String {
        let view = |View { word, page, query, place }: &View| {
            let word = words.plain(&format!("view.{word}"));
            object([("name", text(&word)), ("page", text(page)), ("query", text(query)), ("place", text(place))])
        };
        object([
            ("id", text(&self.id)),
            ("views", list(self.views.iter().map(view))),
            ("items", list(self.items.iter().map(Item::json))),
        ])
    }
}

/// The pages of a built site, by their names.
pub(super) struct Site<'a> {
    folder: &'a Path,
    files: BTreeSet<String>,
    pages: BTreeMap<String, String>,
}

impl<'a> Site<'a> {
    /// The site that lies in a folder, with these files.
    pub(super) fn of(folder: &'a Path, files: &[String]) -> Result<Self, String> {
        let names = files.iter().filter(|name| name.starts_with("embed/") || *name == WHOLE);
        let pages = names.map(|name| Ok((name.clone(), unlinked(&read(&folder.join(name))?))));
        Ok(Self { folder, files: files.iter().cloned().collect(), pages: pages.collect::<Result<_, String>>()? })
    }

    fn page(&self, name: &str) -> Result<&str, String> {
        self.pages.get(name).map(String::as_str).ok_or(format!("there is no {name}"))
    }

    /// A file as it goes into packages: pages without the links that lead out of them.
    pub(super) fn packed(&self, name: &str) -> Result<Vec<u8>, String> {
        match self.pages.get(name) {
            Some(page) => Ok(page.clone().into_bytes()),
            None => self.whole(name),
        }
    }

    /// A file as it lies in the site.
    pub(super) fn whole(&self, name: &str) -> Result<Vec<u8>, String> {
        let path = self.folder.join(name);
        std::fs::read(&path).map_err(|error| format!("{} cannot be read: {error}", path.display()))
    }

    /// A page with every file that it names.
    fn needed(&self, page: &str) -> Result<Vec<String>, String> {
        let mut needed = BTreeSet::from([page.to_owned()]);
        for tag in tags(self.page(page)?) {
            // Some attributes name several.
            for value in tag.split('"').skip(1).step_by(2).flat_map(|values| values.split(' ')) {
                let Some(name) = value.strip_prefix("../") else { continue };
                if !self.files.contains(name) {
                    return Err(format!("{page} names {value}, which is not there"));
                }
                needed.insert(name.to_owned());
            }
        }
        Ok(needed.into_iter().collect())
    }
}

/// A page without links to other pages of the site, and without its entry for sites that look links up.
///
/// `pack.js` does the same.
fn unlinked(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("<a ") {
        let (link, behind) = after.split_once("</a>").unwrap_or((after, ""));
        let (attributes, inside) = link.split_once('>').unwrap_or((link, ""));
        out.push_str(before);
        if attributes.contains("href=\"../") {
            out.push_str(inside);
        } else {
            out.extend(["<a ", link, "</a>"]);
        }
        rest = behind;
    }
    out.push_str(rest);
    match out.split_once("<link rel=\"alternate\"") {
        Some((before, after)) => format!("{before}{}", after.split_once(" />").map_or("", |(_, behind)| behind)),
        None => out,
    }
}

/// The names of what a text of a page asks.
fn asked(html: &str) -> BTreeSet<String> {
    let of = |tag| {
        let dial = || attribute(tag, "id")?.strip_prefix("dial-");
        attribute(tag, "data-question").or(attribute(tag, "data-quiz")).or_else(dial).map(str::to_owned)
    };
    tags(html).into_iter().filter_map(of).collect()
}

/// Everything that can be packed, in the order in which it is offered.
pub(super) fn all(site: &Site<'_>) -> Result<Vec<Part>, String> {
    let items = items::all()?;
    let of = |is: &dyn Fn(&str) -> bool| items.iter().filter(|item| is(&item.id)).cloned().collect::<Vec<_>>();
    let whole = site.page(WHOLE)?;
    let all_asked = asked(whole);
    let view = |word, page: &str, query: &str, place: &str| View {
        word,
        page: page.to_owned(),
        query: query.to_owned(),
        place: place.to_owned(),
    };
    let quiz = "embed/quiz.html";
    let mut parts = vec![Part {
        id: "course".into(),
        title: words::page_title().into(),
        files: vec![WHOLE.into()],
        items: of(&|id| all_asked.contains(id)),
        views: vec![view("read", WHOLE, "", "opening")],
    }];
    let with_questions = embed::asked();
    for (section, title) in page::titles(&page::texts()?).into_iter().filter(|(id, _)| *id != check::SECTION) {
        let start = format!("<section id=\"{section}\"");
        let text = whole.split_once(&start).and_then(|(_, rest)| rest.split_once("</section>"));
        let (text, _) = text.ok_or(format!("the tutorial has no section {section}"))?;
        let here = asked(text);
        let prefix = format!("{section}.");
        let mut views = vec![view("read", WHOLE, "", section)];
        let mut files = vec![WHOLE.to_owned()];
        if with_questions.contains(&section) {
            views.push(view("ask", quiz, &format!("only={section}"), ""));
            files.extend(site.needed(quiz)?);
        }
        files.sort();
        parts.push(Part {
            id: section.into(),
            title,
            files,
            items: of(&|id| here.contains(id) || id.starts_with(&prefix)),
            views,
        });
    }
    for figure in registry::alone() {
        let page = format!("embed/{figure}.html");
        let here = asked(site.page(&page)?);
        parts.push(Part {
            id: format!("figure-{figure}"),
            title: embed::title(figure).into(),
            files: site.needed(&page)?,
            items: of(&|id| here.contains(id)),
            views: vec![view("read", &page, "", "")],
        });
    }
    for section in with_questions {
        let prefix = format!("{section}.");
        parts.push(Part {
            id: format!("questions-{section}"),
            title: section_title(section).into(),
            files: site.needed(quiz)?,
            items: of(&|id| id.starts_with(&prefix)),
            views: vec![view("ask", quiz, &format!("only={section}"), "")],
        });
    }
    Ok(parts)
}
