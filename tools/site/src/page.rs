//! Puts the page together.

use std::path::Path;

use memory_wall_app::live::Snapshot;
use memory_wall_app::registry::SECTIONS;
use memory_wall_app::state::State;

use crate::program::{self, File, Program};
use crate::wording::escaped;
use crate::{
    check, directives, embed, explain, far, figures, markup, policy, progress, prose, read, script, share, steps,
    style, words, write,
};

/// What the file of the styles is called that come after the first paint.
pub(crate) const REST: &str = "rest";

/// Fills the page that Trunk staged, and puts a small page for each figure beside it.
pub(crate) fn build(root: &Path, staging: &Path, strict: bool) -> Result<Program, String> {
    let path = staging.join("index.html");
    let mut html = without_start(&read(&path)?);
    let mut content = String::new();
    let texts = texts()?;
    let titles = titles(&texts);
    let drawn = SECTIONS.iter().zip(&texts).map(|(id, text)| prose::section(id, text));
    let drawn = drawn.collect::<Result<Vec<_>, _>>()?;
    let mut check = String::new();
    for (place, section) in drawn.iter().enumerate() {
        if SECTIONS.get(place) == Some(&check::SECTION) {
            content.push_str(&check::cut(section)?);
            check.clone_from(section);
        } else {
            content.push_str(section);
        }
        content.push_str(&if place == 0 {
            prose::contents(&titles, &drawn)
        } else {
            prose::neighbours(&titles, place)
        });
    }
    let rig = figures::figure("rig").ok_or("there is no figure rig")?;
    put(&mut html, "<!-- patterns -->", &figures::patterns())?;
    put(&mut html, "<!-- figure rig -->", &rig)?;
    let scripts = [include_str!("stuck.js"), include_str!("arrive.js")];
    let watch = format!("<script>{}</script>", script::without_comments(&scripts.concat()));
    put(&mut html, "<!-- watch -->", &watch)?;
    put(&mut html, "<!-- notice -->", &figures::notice())?;
    put(&mut html, "<!-- still -->", &still(&words::PageStill { rig: &first_settings() }.text()))?;
    put(&mut html, "<!-- stuck -->", &stuck())?;
    put(&mut html, "<!-- content -->", &content)?;
    html = body(&titled(&html)?)?;

    let program = program::staged(root, staging)?;
    put(&mut html, "<!-- start -->", &start(&program, staging)?)?;
    put(&mut html, "<!-- later -->", &later())?;
    let mut rules = style::Rules::default();
    html = steps::stepped(&rules.externalise(&html));
    let check = rules.externalise(&check::drawn(root, &check)?);
    let embeds = embed::build(root, staging, &program, &texts, &mut rules)?;
    let [mut first, rest] = style::bundle(root)?;
    first += &rules.css();
    let css = first.clone() + &rest;
    let (name, link) = style::link("style", &css);
    write(&staging.join(&name), &css)?;
    let (rest_name, rest_link) = style::link(REST, &rest);
    write(&staging.join(&rest_name), &rest)?;
    // The head's in the page itself: a file of its own would have the first paint wait for another round trip. A script
    // asks for the rest after that paint, see `arrive.js`; where none runs, the browser asks at once.
    put(&mut html, "<!-- style -->", &format!("<style>{first}</style><noscript>{rest_link}</noscript>"))?;
    put(&mut html, "<!-- check -->", &check::finish(root, staging, check, &link)?)?;
    embed::finish(staging, embeds, &name)?;
    put(&mut html, "<!-- share -->", &share::tag(root, staging)?)?;
    put(&mut html, "<!-- progress -->", &progress::tag(root, staging)?)?;
    put(&mut html, "<!-- explain -->", &explain::tag(root, staging)?)?;
    put(&mut html, "<!-- minute -->", &program.minute.tag())?;

    let policy = if strict { policy::meta(&html) } else { String::new() };
    put(&mut html, "<!-- policy -->", &policy)?;
    write(&path, &html)?;
    Ok(program)
}

/// The prose of every section, in their order.
pub(crate) fn texts() -> Result<Vec<String>, String> {
    SECTIONS.iter().map(|id| read(&words::language().folder.join(format!("{id}.md")))).collect()
}

/// The sections by their titles.
pub(crate) fn titles(texts: &[String]) -> Vec<(&'static str, String)> {
    SECTIONS.iter().zip(texts).filter_map(|(id, text)| Some((*id, prose::title(text)?))).collect()
}

/// The language of the page, as its folder is called.
pub(crate) fn language() -> String {
    words::language().folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// What the page is called, and said to be, in its own language.
fn titled(html: &str) -> Result<String, String> {
    let mut html = html.to_owned();
    put(&mut html, "lang=\"en\"", &format!("lang=\"{}\"", language()))?;
    put(&mut html, "{{page.description}}", words::page_description())?;
    put(&mut html, "{{page.skip}}", words::page_skip())?;
    put(&mut html, "{{page.planner}}", words::page_planner())?;
    put(&mut html, "{{page.reference}}", words::page_reference())?;
    put(&mut html, "{{page.teach}}", words::page_teach())?;
    put(&mut html, "{{page.colophon}}", words::page_colophon())?;
    put(&mut html, "{{page.printed}}", words::page_printed())?;
    put(&mut html, "{{page.version}}", &version(std::env::var("MEMORY_WALL_RELEASE").ok().as_deref()))?;
    Ok(html.replace("{{page.title}}", words::page_title()))
}

/// Which version this is: of a release with its day, as `cargo xtask release` tells it; any other build says that it is
/// none, and nothing of when and where it was made, so that two builds are the same.
fn version(released: Option<&str>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    match released {
        Some(date) => words::PageVersionReleased { version, date: &escaped(date) }.text(),
        None => words::PageVersionBetween { version }.text(),
    }
}

/// The body's directives filled in; the head has none, and its scripts are no text to look into.
pub(crate) fn body(html: &str) -> Result<String, String> {
    let (head, body) = html.split_once("<body").ok_or("the page has no body")?;
    Ok(format!("{head}<body{}", directives::filled(body)?))
}

/// The page as Trunk was given it: what it adds starts the program before the page is read, see `later.js`.
fn without_start(html: &str) -> String {
    let elements = [
        ("<script type=\"module\">", "</script>"),
        ("<link rel=\"modulepreload\"", ">"),
        ("<link rel=\"preload\"", ">"),
    ];
    elements.iter().fold(html.to_owned(), |html, (open, close)| markup::without(&html, open, close, |_| true))
}

/// What every page has from the beginning: what brings all that its `later` holds once it has been painted, and the way to its end.
pub(crate) fn later() -> String {
    let scripts = [include_str!("later.js"), include_str!("end.js")];
    format!("<script>{}</script>", script::without_comments(&scripts.concat()))
}

/// What starts the program, with the words that it says in a file of their own.
fn start(program: &Program, staging: &Path) -> Result<String, String> {
    let (own, words) = spoken();
    write(&staging.join(&own.name), &words)?;
    let preloaded = [&program.glue, &own].map(|File { name, integrity }| {
        format!("<link rel=\"modulepreload\" href=\"./{name}\" integrity=\"{integrity}\" />")
    });
    let mut script = script::without_comments(include_str!("start.js"));
    for (mark, text) in [
        ("{{program}}", &program.wasm.name),
        ("{{program integrity}}", &program.wasm.integrity),
        ("{{glue}}", &program.glue.name),
        ("{{words}}", &own.name),
    ] {
        put(&mut script, mark, text)?;
    }
    let far = program.far.as_ref().map(|_| {
        let near = prose::anchor(far::first());
        format!(" data-far-near=\"{near}\"")
    });
    Ok(format!("{}<script type=\"module\"{}>{script}</script>", preloaded.concat(), far.unwrap_or_default()))
}

/// The file of the words that programs say, and what is in it.
pub(crate) fn spoken() -> (File, String) {
    let words = format!("export const words = {:?};\n", words());
    let (name, digest) = style::named("words", &words, "js");
    (File { name, integrity: format!("sha256-{digest}") }, words)
}

/// These words, a line each.
pub(crate) fn words() -> String {
    words::language().spoken.join("\n")
}

/// What the page stands for before anybody has changed it. Where no script runs it stays so: nothing of it follows a state.
pub(crate) fn first_settings() -> String {
    escaped(&Snapshot::of(State::default()).rig_line())
}

/// What is said where no script runs: there alone it is an element of the page, and the style sheet leaves the controls out.
pub(crate) fn still(text: &str) -> String {
    format!("<noscript><p class=\"no-script\">{text}</p></noscript>")
}

/// What is said where the program cannot start.
fn stuck() -> String {
    format!("<p class=\"notice\" id=\"stuck\" role=\"alert\" hidden>{}</p>", words::page_stuck())
}

/// Puts `text` in the one place that a mark keeps.
pub(crate) fn put(html: &mut String, mark: &str, text: &str) -> Result<(), String> {
    if html.matches(mark).count() != 1 {
        return Err(format!("the page has {mark} not exactly once"));
    }
    *html = html.replace(mark, text);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::version;

    #[test]
    fn a_release_says_its_day_and_others_that_they_are_none() {
        let number = env!("CARGO_PKG_VERSION");
        assert_eq!(version(Some("2026-11-22")), format!("Version {number} of 2026-11-22."));
        assert_eq!(version(None), format!("Version {number}, built between releases."));
    }
}
