//! The page for teachers: it makes the text that puts a figure into a page of theirs.
//!
//! Without its script it is complete as a table of figures and a list of hosts with worked examples.

mod goals;
mod hosts;
mod packages;
mod weeks;

use std::fmt::Write as _;
use std::path::Path;

use memory_wall_app::heights::{self, Heights};
use memory_wall_app::registry;
use memory_wall_app::words::section_title;

use self::hosts::{Chosen, GROUPS, Host};
use crate::apart::Script;
use crate::embed;
use crate::planner::framed;
use crate::wording::{Words, escaped};
use crate::{apart, banks, policy, read, write};

/// The page's parts, by their anchors, in their order.
const PARTS: [&str; 9] = ["course", "class", "build", "figures", "hosts", "packages", "banks", "contract", "cite"];

/// The pages for a class, in the order in which a lesson is prepared.
const CLASS: [&str; 6] = ["lessons", "slides", "worksheet", "problems", "test", "lab"];

/// Options of a figure's link and their values, the first of which need not be said.
const OPTIONS: [(&str, &[&str]); 3] =
    [("theme", &["auto", "light", "dark"]), ("predict", &["optional", "required", "off"]), ("ui", &["full", "min"])];

/// The widths that heights are published for, and the one that is offered first.
const WIDTHS: [u32; 7] = [320, 400, 480, 640, 720, 800, 960];
const WIDTH: u32 = 800;

/// What the worked examples show, and where they pretend to have it from.
const EXAMPLE: (&str, &str) = ("kv_cache", "model=llama-3.1-8b&seq=32768");
const BASE: &str = "https://example.org/memory-wall/";

/// The longest query that is taken over; more than the longest link of the tutorial.
const MOST: u32 = 2000;

/// Writes the page, its style sheet, its script, and the documents that it leads to.
pub(crate) fn build(root: &Path, staging: &Path) -> Result<(), String> {
    let words = Words::read("teach.txt")?;
    let content = content(&words)?;
    // The preview is a frame with a page of this site.
    let policy = policy::still().replace("base-uri", "frame-src 'self'; base-uri");
    for (from, to) in [("docs/embedding.md", "embedding.txt"), ("docs/messages.schema.json", "messages.schema.json")] {
        write(&staging.join(to), &read(&root.join(from))?)?;
    }
    // What the script shows stands above the rest, which would jump if it came later.
    apart::write_page(
        root,
        staging,
        "teach",
        &words,
        &policy,
        Script::First("teach", "defer blocking=\"render\""),
        &content,
    )
}

/// Everything between header and footer.
fn content(words: &Words) -> Result<String, String> {
    let heights = heights::all()?;
    apart::content(words, &PARTS, |id| {
        Ok(match id {
            "course" => goals::list(words, &Words::read("goals.txt")?)?,
            "class" => class(words)?,
            "build" => builder(words),
            "figures" => words.paragraphs("figures.lead", &[]) + &table(words, &heights)?,
            "hosts" => list(words, &heights)?,
            "packages" => packages::chooser(words)?,
            "banks" => banks::links(words)?,
            "contract" => words.paragraphs("contract", &[]),
            _ => cite(words),
        })
    })
}

/// The pages that are made for a class, each by its own title.
fn class(words: &Words) -> Result<String, String> {
    let items = CLASS.iter().map(|page| {
        let title = Words::read(&format!("{page}.txt"))?.say("title");
        Ok(format!("<li><a href=\"{page}.html\">{title}</a>: {}</li>", words.say(&format!("class.{page}"))))
    });
    let items = items.collect::<Result<String, String>>()?;
    Ok(format!("{}<ul id=\"class-pages\">{items}</ul>{}", words.paragraphs("class", &[]), weeks::plan(words)?))
}

/// Under which terms the tutorial may be used, and how it is cited.
fn cite(words: &Words) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let name = words.say("cite.bibtex");
    let day = std::env::var("MEMORY_WALL_RELEASE").unwrap_or_default();
    // A version between releases has no year.
    let year = day.split_once('-').map(|(year, _)| format!("\n  year    = {{{year}}},")).unwrap_or_default();
    format!(
        "{}<pre class=\"snippet\" tabindex=\"0\" role=\"group\" aria-label=\"{name}\"><code>@misc{{memory-wall,\n  \
         title   = {{{{{}}}}},\n  author  = {{{{{}}}}},{}\n  note    = {{{}}}\n}}</code></pre>",
        words.paragraphs("cite", &[]),
        words.say("cite.title"),
        words.say("cite.author"),
        escaped(&year),
        words.say_with("cite.version", &[("version", version.to_owned())]),
    )
}

/// What one of them is called.
fn title(words: &Words, shown: &str) -> String {
    if shown == framed::NAME { words.say("figures.planner") } else { embed::title(shown).to_owned() }
}

/// Everything that is made for frames: every figure, and the planner.
fn shown() -> impl Iterator<Item = &'static str> {
    registry::alone().chain([framed::NAME])
}

/// What a row of the table shows.
fn name(words: &Words, row: &Heights) -> String {
    let figure = escaped(&title(words, row.figure));
    match row.only {
        Some(section) => {
            let section = escaped(section_title(section));
            words.say_with("figures.only", &[("figure", figure), ("section", section)])
        }
        None => figure,
    }
}

/// Every figure with its file and its heights, from which the script reads them.
fn table(words: &Words, heights: &[Heights]) -> Result<String, String> {
    let caption = words.say("figures.caption");
    let mut out = format!(
        "<div class=\"table-scroll\" tabindex=\"0\" role=\"group\" aria-labelledby=\"figures-caption\"><table id=\"heights\"><caption id=\"figures-caption\">{caption}</caption><thead><tr><th scope=\"col\">{}</th><th scope=\"col\">{}</th>",
        words.say("figures.column.name"),
        words.say("figures.column.file"),
    );
    for width in WIDTHS {
        let head = words.say_with("figures.column.width", &[("width", width.to_string())]);
        let _ = write!(out, "<th scope=\"col\" class=\"numeric\">{head}</th>");
    }
    out.push_str("</tr></thead><tbody>");
    // In the order of the tutorial, each figure before its parts.
    for figure in shown() {
        for row in heights.iter().filter(|row| row.figure == figure) {
            let query = row.only.map(|only| format!("?only={only}")).unwrap_or_default();
            let file = if figure == framed::NAME { framed::FILE.into() } else { format!("embed/{figure}.html{query}") };
            let _ = write!(
                out,
                "<tr data-figure=\"{figure}{query}\"><th scope=\"row\">{}</th><td><a href=\"{file}\"><code>{file}</code></a></td>",
                name(words, row)
            );
            for width in WIDTHS {
                let height = row.of(width).ok_or(format!("{file} has no height at {width} pixels"))?;
                let _ = write!(out, "<td class=\"numeric\" data-width=\"{width}\">{height}</td>");
            }
            out.push_str("</tr>");
        }
    }
    Ok(out + "</tbody></table></div>")
}

/// Every host with what it takes, worked out for the example, and what is to be known about it.
fn list(words: &Words, heights: &[Heights]) -> Result<String, String> {
    let (figure, query) = EXAMPLE;
    let title = embed::title(figure);
    let row = heights.iter().find(|row| row.figure == figure).ok_or(format!("{figure} has no heights"))?;
    let tried = GROUPS.iter().flat_map(|(_, hosts)| *hosts).filter(|host| host.tried);
    let tried: Vec<String> = tried.map(|host| words.say(&format!("host.{}.name", host.id))).collect();
    let values = [("figure", escaped(title)), ("base", BASE.to_owned()), ("built", tried.join(", "))];
    let mut out = words.paragraphs("hosts.lead", &values);
    for (group, hosts) in GROUPS {
        let _ = write!(out, "<h3>{}</h3>", words.say(&format!("group.{group}")));
        for Host { id, width, light, template, .. } in hosts {
            let query = format!("{query}{}", if *light { "&theme=light" } else { "" });
            let height = row.of(*width).ok_or(format!("{figure} has no height at {width} pixels"))?;
            let highest = row.highest(*width);
            let chosen = Chosen { base: BASE, figure, title, query: &query, width: *width, height, highest };
            let snippet = chosen.fill(template).ok_or(format!("the template of {id} asks for what there is not"))?;
            let light = if *light { " data-light" } else { "" };
            let _ = write!(
                out,
                "<article class=\"host\" id=\"host-{id}\" data-width=\"{width}\"{light}><h4>{}</h4><div class=\"notes\">{}</div><pre class=\"snippet\" tabindex=\"0\" role=\"group\" aria-label=\"{0}\" data-template=\"{}\"><code>{}</code></pre></article>",
                words.say(&format!("host.{id}.name")),
                words.paragraphs(&format!("host.{id}"), &[]),
                escaped(template).replace('\n', "&#10;"),
                escaped(&snippet),
            );
        }
    }
    Ok(out)
}

/// A list to choose from, with its label.
fn choice(words: &Words, name: &str, options: &str) -> String {
    format!(
        "<p class=\"field\" data-field=\"{name}\"><label for=\"teach-{name}\">{}</label><select id=\"teach-{name}\" name=\"{name}\">{options}</select></p>",
        words.say(&format!("build.{name}"))
    )
}

/// The builder. It comes to life with the script and is not shown before.
fn builder(words: &Words) -> String {
    let option = |value: &str, name: &str, chosen: bool| {
        format!("<option value=\"{value}\"{}>{name}</option>", if chosen { " selected" } else { "" })
    };
    let figures: String = shown().map(|id| option(id, &escaped(&title(words, id)), id == "buckets")).collect();
    let sections = embed::asked().into_iter().map(|id| option(id, &escaped(section_title(id)), false));
    let sections = option("", &words.say("build.only.all"), true) + &sections.collect::<String>();
    let options = OPTIONS.iter().fold(String::new(), |all, (key, values)| {
        let options = values.iter().map(|value| option(value, &words.say(&format!("build.{key}.{value}")), false));
        all + &choice(words, key, &options.collect::<String>())
    });
    let px = |width: u32| words.say_with("build.width.px", &[("width", width.to_string())]);
    let widths: String =
        WIDTHS.into_iter().map(|width| option(&width.to_string(), &px(width), width == WIDTH)).collect();
    let hosts = GROUPS.iter().fold(String::new(), |all, (group, hosts)| {
        let hosts: String =
            hosts.iter().map(|host| option(host.id, &words.say(&format!("host.{}.name", host.id)), false)).collect();
        all + &format!("<optgroup label=\"{}\">{hosts}</optgroup>", words.say(&format!("group.{group}")))
    });
    // What the script says, in attributes of the form.
    let said = [
        "copied",
        "selected",
        "said",
        "phone",
        "preview.of",
        "link.foreign",
        "link.state",
        "link.letters",
        "link.long",
    ]
    .into_iter()
    .fold(String::new(), |all, key| {
        all + &format!(" data-{}=\"{}\"", key.replace('.', "-"), words.say(&format!("build.{key}")))
    });
    format!(
        "<noscript><p class=\"no-script\">{}</p></noscript><form id=\"builder\" hidden data-most=\"{MOST}\"{said}><p>{}</p><p class=\"no-script\" id=\"teach-local\" hidden>{}</p>\
         <div class=\"builder\"><div class=\"choices\">{}\
         <p class=\"field\"><label for=\"teach-link\">{}</label><input id=\"teach-link\" name=\"link\" type=\"text\" inputmode=\"url\" autocomplete=\"off\" spellcheck=\"false\" aria-describedby=\"teach-hint teach-error\" /></p>\
         <p class=\"quiet\" id=\"teach-hint\">{}</p><p class=\"error\" id=\"teach-error\" role=\"alert\"></p>{}{options}\
         <p class=\"field check\"><input id=\"teach-reveal\" name=\"reveal\" type=\"checkbox\" /><label for=\"teach-reveal\">{}</label></p>{}{}</div>\
         <div class=\"result\"><p class=\"field\"><label for=\"teach-snippet\">{}</label><textarea id=\"teach-snippet\" readonly rows=\"7\" spellcheck=\"false\"></textarea></p>\
         <p class=\"act\"><button type=\"button\" id=\"teach-copy\">{}</button> <span id=\"teach-said\" role=\"status\"></span></p><p class=\"quiet\" id=\"teach-phone\"></p><h3>{}</h3><div id=\"teach-notes\"></div></div></div>\
         <h3>{}</h3><div class=\"preview\" id=\"teach-preview\" tabindex=\"0\" role=\"group\" aria-label=\"{}\"></div></form>",
        words.say("build.no_script"),
        words.say("build.lead"),
        words.say("build.local"),
        choice(words, "figure", &figures),
        words.say("build.link"),
        words.say("build.link.hint"),
        choice(words, "only", &sections),
        words.say("build.reveal"),
        choice(words, "width", &widths),
        choice(words, "host", &hosts),
        words.say("build.snippet"),
        words.say("build.copy"),
        words.say("build.notes"),
        words.say("build.preview"),
        words.say("build.preview"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apart::{quoted, root};
    use crate::wording::MISSING;
    use std::collections::BTreeSet;

    #[test]
    fn it_is_cited_in_one_way() {
        let citation = read(&root().join("CITATION.cff")).unwrap();
        let words = Words::read("teach.txt").unwrap();
        let html = cite(&words);
        assert!(citation.contains(&format!("\nversion: {}\n", env!("CARGO_PKG_VERSION"))), "{citation}");
        for key in ["cite.title", "cite.author"] {
            assert!(citation.contains(&words.plain(key)) && html.contains(&words.say(key)), "{key}");
        }
        assert_eq!(html.matches('{').count(), html.matches('}').count(), "{html}");
    }

    #[test]
    fn every_figure_and_every_host_is_there_with_its_words() {
        let words = Words::read("teach.txt").unwrap();
        let html = content(&words).unwrap();
        let _ = apart::headed(&root(), "teach", &words).unwrap();
        assert_eq!(words.left(), Vec::<&String>::new(), "words that nobody says");
        assert!(!html.contains(MISSING), "words are missing");
        let ids = quoted(&html, " id=\"");
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "an id is there twice");
        for figure in registry::alone() {
            assert!(html.contains(&format!("<option value=\"{figure}\"")), "{figure} cannot be chosen");
            assert!(html.contains(&format!("<tr data-figure=\"{figure}\">")), "{figure} has no row");
        }
        for section in embed::asked() {
            assert!(html.contains(&format!("<tr data-figure=\"quiz?only={section}\">")), "{section}");
        }
        for host in GROUPS.iter().flat_map(|(_, hosts)| *hosts) {
            assert!(ids.contains(&format!("host-{}", host.id).as_str()), "{}", host.id);
            assert!(words.has(&format!("host.{}.1", host.id)), "{} has no note", host.id);
        }
        for trace in [" style=\"", "NaN", "Some("] {
            assert!(!html.replace("&quot;", "").contains(trace), "{trace}");
        }
        for target in quoted(&html, " aria-describedby=\"").into_iter().flat_map(str::split_whitespace) {
            assert!(ids.contains(&target), "{target}");
        }
    }

    #[test]
    fn every_page_for_a_class_is_led_to() {
        let mut pages = CLASS;
        pages.sort_unstable();
        let mut asked = apart::ASKED;
        asked.sort_unstable();
        assert_eq!(pages, asked);
        let html = class(&Words::read("teach.txt").unwrap()).unwrap();
        assert!(html.contains("<a href=\"slides.html\">Slides</a>: a deck"), "{html}");
    }

    #[test]
    fn it_is_written_with_its_own_files() {
        let staging = std::env::temp_dir().join(format!("memory-wall-teach-{}", std::process::id()));
        std::fs::create_dir_all(&staging).unwrap();
        let result = build(&root(), &staging);
        let files = std::fs::read_dir(&staging).unwrap().count();
        let html = read(&staging.join("teach.html"));
        std::fs::remove_dir_all(&staging).unwrap();
        result.unwrap();
        assert_eq!(files, 5);
        let html = html.unwrap();
        let head = html.split("</head>").next().unwrap();
        assert!(head.contains("default-src 'none'; script-src 'self'") && head.contains("frame-src 'self';"), "{head}");
        assert!(!head.contains("unsafe") && html.matches("<script>").count() == 1);
        // What is left is for the one who has it kept.
        assert_eq!(html.matches("<!--").count(), 3, "a mark is left");
    }
}
