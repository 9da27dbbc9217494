//! Puts the page together.

use std::path::Path;

use memory_wall_app::registry::SECTIONS;
use memory_wall_app::words::{self, fill, t};

use crate::program::{self, Program};
use crate::wording::escaped;
use crate::{directives, embed, figures, policy, prose, read, script, share, style, write};

/// Fills the page that Trunk staged, and puts a small page for each figure beside it.
pub(crate) fn build(root: &Path, staging: &Path, strict: bool) -> Result<Program, String> {
    let path = staging.join("index.html");
    let mut html = read(&path)?;
    let mut content = String::new();
    let texts = texts()?;
    let titles = titles(&texts);
    let drawn = SECTIONS.iter().zip(&texts).map(|(id, text)| prose::section(id, text));
    let drawn = drawn.collect::<Result<Vec<_>, _>>()?;
    for (place, section) in drawn.iter().enumerate() {
        content.push_str(section);
        content.push_str(&if place == 0 {
            prose::contents(&titles, &drawn)
        } else {
            prose::neighbours(&titles, place)
        });
    }
    let rig = figures::figure("rig").ok_or("there is no figure rig")?;
    put(&mut html, "<!-- patterns -->", &figures::patterns())?;
    put(&mut html, "<!-- figure rig -->", &rig)?;
    let watch = format!("<script>{}</script>", script::without_comments(include_str!("stuck.js")));
    put(&mut html, "<!-- watch -->", &watch)?;
    html = put_off(&html, "<link rel=\"preload\"", "<!-- words -->");
    put(&mut html, "<!-- words -->", &spoken())?;
    put(&mut html, "<!-- notice -->", &figures::notice())?;
    put(&mut html, "<!-- stuck -->", &stuck())?;
    put(&mut html, "<!-- content -->", &content)?;
    html = body(&titled(&html)?)?;

    html = script::squeezed(staging, &html)?;
    let program = program::staged(staging)?;
    let mut rules = style::Rules::default();
    html = rules.externalise(&html);
    let embeds = embed::build(root, staging, &program, &texts, &mut rules)?;
    let css = style::bundle(root)? + &rules.css();
    let (name, link) = style::link(&css);
    write(&staging.join(&name), &css)?;
    put(&mut html, "<!-- style -->", &link)?;
    embed::finish(staging, embeds, &name)?;
    put(&mut html, "<!-- share -->", &share::tag(root, staging)?)?;

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
    put(&mut html, "{{page.description}}", t("page.description"))?;
    put(&mut html, "{{page.skip}}", t("page.skip"))?;
    put(&mut html, "{{page.reference}}", t("page.reference"))?;
    put(&mut html, "{{page.teach}}", t("page.teach"))?;
    put(&mut html, "{{page.colophon}}", t("page.colophon"))?;
    put(&mut html, "{{page.printed}}", t("page.printed"))?;
    put(&mut html, "{{page.version}}", &version(std::env::var("MEMORY_WALL_RELEASE").ok().as_deref()))?;
    Ok(html.replace("{{page.title}}", t("page.title")))
}

/// Which version this is: of a release with its day, as `cargo xtask release` tells it; any other build says that it is
/// none, and nothing of when and where it was made, so that two builds are the same.
fn version(released: Option<&str>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    match released {
        Some(date) => fill("page.version.released", &[("version", version), ("date", &escaped(date))]),
        None => fill("page.version.between", &[("version", version)]),
    }
}

/// The body's directives filled in; the head has none, and its scripts are no text to look into.
pub(crate) fn body(html: &str) -> Result<String, String> {
    let (head, body) = html.split_once("<body").ok_or("the page has no body")?;
    Ok(format!("{head}<body{}", directives::filled(body)?))
}

/// Takes an element from the head to a place further down: the program comes behind the page that it brings to life, so that what
/// is read first has the line to itself.
fn put_off(html: &str, element: &str, mark: &str) -> String {
    let Some((before, rest)) = html.split_once(element) else { return html.to_owned() };
    let Some((inner, behind)) = rest.split_once('>') else { return html.to_owned() };
    [before, &behind.replace(mark, &format!("{element}{inner}>{mark}"))].concat()
}

/// The words that the program says too, as data: nothing runs in it.
fn spoken() -> String {
    format!("<script type=\"text/plain\" id=\"words\">\n{}\n</script>", words())
}

/// These words, a line each.
pub(crate) fn words() -> String {
    let lines = words::language().spoken.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.collect::<Vec<_>>().join("\n")
}

/// What is said where the program cannot start.
fn stuck() -> String {
    format!("<p class=\"notice\" id=\"stuck\" role=\"alert\" hidden>{}</p>", t("page.stuck"))
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
