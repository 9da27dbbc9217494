//! What lets the page go without a network: the worker that keeps it, the app's manifest, the page in one file, and the page
//! for addresses where nothing is. It runs last and looks at every file that is there: each is kept or stands on a list
//! with its reason, and no link between them is dead.
//!
//! Only release builds have any of it: a page that is being worked on must not be kept. `MEMORY_WALL_OFFLINE=off` is the way
//! back: its worker takes the place of those that readers have, forgets what they kept and leaves.

mod edition;
mod kept;
mod links;

pub(crate) use self::kept::files;

use std::fmt::Write as _;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use memory_wall_core::Bytes;
use memory_wall_core::display::{ByteUnit, Size};

use crate::program::Program;
use crate::wording::escaped;
use crate::{check, kit, page, policy, read, script, style, words, write};

/// Where a page says in its head how it looks when it is kept, where it has that done, and where it says in its foot how it can be
/// taken along.
const HEAD: &str = "<!-- offline -->";
const KEEP: &str = "<!-- keep -->";
const FOOT: &str = "<!-- carry -->";

/// The page in one file.
const ONE_FILE: &str = "memory-wall.html";

/// Fills the marks of every page and writes what lies beside the pages.
pub(crate) fn build(root: &Path, staging: &Path, program: &Program, strict: bool) -> Result<(), String> {
    let is_on = std::env::var("MEMORY_WALL_OFFLINE").map_or(true, |choice| choice != "off");
    let mut pages = Vec::new();
    for name in files(staging)?.into_iter().filter(|name| kept::kind(name) == "html") {
        let html = read(&staging.join(&name))?;
        pages.push((name, html));
    }
    let (mut head, mut keep, mut foot) = (String::new(), String::new(), String::new());
    if strict {
        write(&staging.join("404.html"), &lost(root, staging)?)?;
        write(&staging.join("manifest.webmanifest"), &manifest(root)?)?;
        let page = |file: &str| {
            pages.iter().find(|(name, _)| name == file).map(|(_, html)| html).ok_or(format!("there is no {file}"))
        };
        let alone = edition::build(staging, program, &check::whole(page("index.html")?, page("check.html")?)?)?;
        write(&staging.join(ONE_FILE), &alone)?;
        head = self::head(root)?;
        // Browsers fetch a manifest as soon as they see it, and the first paint can wait for no file.
        keep.push_str("<link rel=\"manifest\" href=\"manifest.webmanifest\" />");
        if is_on {
            keep += &self::keep(staging)?;
        }
        foot = self::foot(alone.len());
    }
    for (name, html) in pages.iter().filter(|(_, html)| [HEAD, KEEP, FOOT].iter().any(|mark| html.contains(mark))) {
        let html = html.replace(HEAD, &head).replace(KEEP, &keep).replace(FOOT, &foot);
        write(&staging.join(name), if strict && !is_packed(name) { memory_wall_squeeze::markup(&html) } else { html })?;
    }
    if !strict {
        return Ok(());
    }
    kit::build(staging, &files(staging)?)?;
    write(&staging.join(kept::WORKER), &kept::worker(staging, is_on)?)?;
    links::check(staging, &files(staging)?)
}

/// Whether packages for learning platforms are made of a page: what packs them looks for tags as they were written.
fn is_packed(name: &str) -> bool {
    name.contains('/')
}

/// For the head of every page: how the app looks.
fn head(root: &Path) -> Result<String, String> {
    let mut out = String::from("<link rel=\"apple-touch-icon\" href=\"icons/apple-180.png\" />");
    for (scheme, paper) in ["light", "dark"].into_iter().zip(papers(root)?) {
        // Writing into a string does not fail.
        let _ =
            write!(out, "<meta name=\"theme-color\" media=\"(prefers-color-scheme: {scheme})\" content=\"{paper}\" />");
    }
    Ok(out)
}

/// The script that has a page kept.
fn keep(staging: &Path) -> Result<String, String> {
    let program = script::without_comments(include_str!("./offline.js"));
    let (name, digest) = style::named("offline", &program, "js");
    write(&staging.join(&name), &program)?;
    let said = [("update", words::offline_update()), ("use", words::offline_use()), ("close", words::offline_close())];
    let said = said.map(|(word, text)| format!(" data-{word}=\"{}\"", escaped(text))).concat();
    Ok(format!("<script defer src=\"./{name}\" integrity=\"sha256-{digest}\"{said}></script>"))
}

/// For the foot of every page: whether it is kept, and how to take it along.
fn foot(bytes: usize) -> String {
    let size = Size::new(Bytes(bytes.try_into().unwrap_or_default()), ByteUnit::Gb).to_string();
    let about = words::OfflineFileAbout { size: &size }.text();
    format!(
        "<p class=\"carry\"><span id=\"offline-ready\" hidden>{} </span><a href=\"{ONE_FILE}\" download>{}</a> {about}\
         <span id=\"offline-apple\" hidden> {}</span></p>",
        words::offline_ready(),
        words::offline_file(),
        words::offline_apple(),
    )
}

/// The colour of the page in light and in dark, from the one place where colours are named.
fn papers(root: &Path) -> Result<[String; 2], String> {
    let css = read(&root.join("style/tokens.css"))?;
    let mut papers = css.split("--paper:").skip(1).filter_map(|rest| Some(rest.split_once(';')?.0.trim().to_owned()));
    papers
        .next()
        .zip(papers.next())
        .map(|(light, dark)| [light, dark])
        .ok_or("style/tokens.css has no two papers".into())
}

/// The app as an installer sees it.
///
/// Its `id` is empty, which stands for its start: any other would be the same for every copy on one host, since the folder
/// that a copy lies in does not count when an `id` is resolved.
fn manifest(root: &Path) -> Result<String, String> {
    let [paper, _] = papers(root)?;
    let text = include_str!("manifest.webmanifest").replace("{{lang}}", &page::language()).replace("{{paper}}", &paper);
    Ok(said(&text, |text| text.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// The page that hosts answer with where nothing is: it may be asked for at any depth, so it needs no other file.
fn lost(root: &Path, staging: &Path) -> Result<String, String> {
    let mut html = include_str!("404.html").replace("{{lang}}", &page::language());
    let icon = read(&staging.join("icon.svg"))?;
    html = said(&html.replace("{{icon}}", &data_uri(&icon)), escaped);
    let program = script::without_comments(include_str!("./lost.js"));
    page::put(&mut html, "<!-- picture -->", &icon.replace("<svg ", "<svg aria-hidden=\"true\" "))?;
    page::put(&mut html, "<!-- style -->", &format!("<style>{}</style>", style::lost(root)?))?;
    page::put(&mut html, "<!-- script -->", &format!("<script>{program}</script>"))?;
    let policy = policy::alone(&html, "", "connect-src 'self'; ");
    page::put(&mut html, "<!-- policy -->", &policy)?;
    Ok(html)
}

/// A template with its `{{key}}`s said.
fn said(template: &str, written: impl Fn(&'static str) -> String) -> String {
    KEYS.iter().fold(template.to_owned(), |text, (key, say)| text.replace(&format!("{{{{{key}}}}}"), &written(say())))
}

/// A function of [`words`].
type Word = fn() -> &'static str;

/// The words of the two templates.
const KEYS: [(&str, Word); 10] = [
    ("page.title", words::page_title),
    ("page.description", words::page_description),
    ("page.reference", words::page_reference),
    ("app.short", words::app_short),
    ("app.calculator", words::app_calculator),
    ("app.quiz", words::app_quiz),
    ("app.screenshot", words::app_screenshot),
    ("lost.title", words::lost_title),
    ("lost.lead", words::lost_lead),
    ("lost.home", words::lost_home),
];

/// An SVG as an address.
fn data_uri(svg: &str) -> String {
    format!("data:image/svg+xml;base64,{}", STANDARD.encode(svg))
}
