//! The places that teachers put figures into, and the text that each of them takes.
//!
//! A template holds `@{value}` and `@{value|escape,escape}`; `teach.js` fills the same templates by the same rules, and a
//! test in the browser compares the two.

use crate::template;

/// A kind of host; its words are `host.<id>.name` and `host.<id>.1` and so on.
pub(crate) struct Host {
    /// Its name in words and anchors.
    pub(crate) id: &'static str,
    /// The narrowest of the published widths that its column of text has room in.
    pub(crate) width: u32,
    /// Whether its pages are light, whatever the reader's system is.
    pub(crate) light: bool,
    /// Whether `cargo xtask hosts` builds it.
    pub(crate) tried: bool,
    /// What it takes.
    pub(crate) template: &'static str,
}

/// The script that gives frames their height and colours.
macro_rules! script {
    () => {
        "<script src=\"@{script|html}\" defer></script>\n"
    };
}

/// A frame, and a link for where it is not shown. Some hosts take the attributes out of it, some the style.
macro_rules! frame {
    ($mark:literal) => {
        concat!(
            "<iframe ",
            $mark,
            "src=\"@{url|html}\" title=\"@{title|html}\" width=\"100%\" height=\"@{height}\" frameborder=\"0\" \
             style=\"border:0;max-width:@{width}px;height:@{high}\" loading=\"lazy\"></iframe>\n\
             <p><a href=\"@{url|html}\">@{title|html}</a></p>"
        )
    };
}

const FRAME: &str = frame!("");
const SCRIPTED: &str = concat!(script!(), frame!("data-memory-wall "));

const PYTHON: &str = r#"from IPython.display import IFrame

IFrame("@{url|python}", width="100%", height=@{height}, extras=["title=\"@{title|html,python}\" style=\"border:0;max-width:@{width}px;height:@{high}\""])"#;

/// The hosts in groups, whose words are `group.<id>`. Widths are those that `cargo xtask hosts` finds, or 800 where no host could be built.
#[rustfmt::skip]
pub(crate) const GROUPS: [(&str, &[Host]); 5] = [
    ("page", &[
        Host { id: "html", width: 800, light: false, tried: false, template: FRAME },
        Host { id: "script", width: 800, light: false, tried: false, template: SCRIPTED },
        Host { id: "element", width: 800, light: false, tried: false, template: concat!(script!(), r#"<memory-wall figure="@{figure}"@{attributes} height="@{height}"><a href="@{url|html}">@{title|html}</a></memory-wall>"#) },
        Host { id: "wordpress", width: 800, light: true, tried: false, template: FRAME },
        Host { id: "url", width: 800, light: false, tried: false, template: "@{url}" },
    ]),
    ("course", &[
        Host { id: "moodle", width: 800, light: true, tried: false, template: FRAME },
        // Canvas follows the height by the attribute, over which a style would win.
        Host { id: "canvas", width: 800, light: true, tried: false, template: r#"<iframe src="@{url|html}" title="@{title|html}" width="100%" height="@{height}" frameborder="0" style="border:0;max-width:@{width}px" loading="lazy"></iframe>"# },
        Host { id: "blackboard", width: 800, light: true, tried: false, template: FRAME },
        Host { id: "brightspace", width: 800, light: true, tried: false, template: FRAME },
        Host { id: "openedx", width: 800, light: true, tried: false, template: FRAME },
        Host { id: "ilias", width: 800, light: true, tried: false, template: "@{url}" },
        Host { id: "classroom", width: 800, light: false, tried: false, template: "@{url}" },
    ]),
    ("site", &[
        Host { id: "hugo", width: 800, light: false, tried: true, template: SCRIPTED },
        Host { id: "jekyll", width: 800, light: false, tried: true, template: SCRIPTED },
        Host { id: "vitepress", width: 640, light: false, tried: true, template: concat!("<!-- Once, in .vitepress/config.mts: head: [['script', { src: '@{script}', defer: '' }]], -->\n", frame!("data-memory-wall ")) },
        Host { id: "starlight", width: 640, light: false, tried: true, template: SCRIPTED },
        Host { id: "docusaurus", width: 720, light: false, tried: true, template: r#"{/* Once, in docusaurus.config.js: scripts: [{ src: '@{script}', defer: true }], */}
<iframe
  data-memory-wall
  src="@{url|html}"
  title="@{title|html}"
  width="100%"
  height="@{height}"
  style={{border: 0, maxWidth: "@{width}px", height: "@{high}"}}
  loading="lazy"
/>

[@{title|markdown}](@{url})"# },
        Host { id: "mkdocs", width: 720, light: false, tried: true, template: SCRIPTED },
        Host { id: "sphinx", width: 720, light: false, tried: true, template: concat!(".. raw:: html\n\n   <script src=\"@{script|html}\" defer></script>\n   ", r#"<iframe data-memory-wall src="@{url|html}" title="@{title|html}" width="100%" height="@{height}" frameborder="0" style="border:0;max-width:@{width}px;height:@{high}" loading="lazy"></iframe>
   <p><a href="@{url|html}">@{title|html}</a></p>"#) },
        Host { id: "mdbook", width: 800, light: false, tried: true, template: SCRIPTED },
    ]),
    ("book", &[
        Host { id: "jupyter", width: 960, light: true, tried: true, template: PYTHON },
        Host { id: "colab", width: 800, light: false, tried: false, template: PYTHON },
        Host { id: "marimo", width: 720, light: true, tried: true, template: r#"mo.Html("""<iframe src="@{url|html,python}" title="@{title|html,python}" width="100%" height="@{height}" style="border:0;max-width:@{width}px;height:@{high}" loading="lazy"></iframe>""")"# },
        Host { id: "observable", width: 720, light: false, tried: true, template: SCRIPTED },
        Host { id: "jupyterbook", width: 720, light: false, tried: true, template: SCRIPTED },
        Host { id: "myst", width: 800, light: false, tried: false, template: "```{iframe} @{url}\n:width: 100%\n@{title|markdown}\n```" },
        Host { id: "quarto", width: 800, light: true, tried: false, template: concat!("::: {.content-visible when-format=\"html\"}\n", script!(), frame!("data-memory-wall "), r#"
:::

::: {.content-hidden when-format="html"}
[@{title|markdown}](@{url})
:::"#) },
        Host { id: "obsidian", width: 800, light: false, tried: false, template: FRAME },
        Host { id: "markdown", width: 800, light: false, tried: false, template: "[@{title|markdown}](@{url})" },
    ]),
    ("paper", &[
        Host { id: "reveal", width: 960, light: false, tried: true, template: r#"<section>
  <iframe data-src="@{url|html}" title="@{title|html}" width="@{width}" height="640" style="border:0"></iframe>
</section>"# },
        Host { id: "marp", width: 960, light: true, tried: true, template: r#"<iframe src="@{url|html}" title="@{title|html}" width="100%" height="560" style="border:0"></iframe>"# },
        Host { id: "slidev", width: 960, light: false, tried: true, template: r#"---
layout: full
---

<iframe src="@{url|html}" title="@{title|html}" width="100%" height="480" style="border:0"></iframe>"# },
        Host { id: "latex", width: 800, light: false, tried: false, template: r"% In the preamble: \usepackage{hyperref,qrcode}
\href{@{url|address}}{@{title|latex}}

\qrcode[height=2.5cm]{@{url|address}}" },
    ]),
];

/// What a template is filled with.
pub(crate) struct Chosen<'a> {
    /// Where the site lies, up to its last slash.
    pub(crate) base: &'a str,
    /// The figure, by its id.
    pub(crate) figure: &'a str,
    /// What it is called.
    pub(crate) title: &'a str,
    /// The link's query, without `?`.
    pub(crate) query: &'a str,
    /// In pixels.
    pub(crate) width: u32,
    /// The height published for this width.
    pub(crate) height: u32,
    /// The most of the heights published for this width and all below it.
    pub(crate) highest: u32,
}

impl Chosen<'_> {
    fn value(&self, name: &str) -> Option<String> {
        let Chosen { base, figure, title, query, width, height, highest } = self;
        let mark = if query.is_empty() { "" } else { "?" };
        Some(match name {
            "url" => format!("{base}embed/{figure}.html{mark}{query}"),
            "script" => format!("{base}embed.js"),
            "figure" => (*figure).to_owned(),
            "title" => (*title).to_owned(),
            "width" => width.to_string(),
            "height" => height.to_string(),
            // On a screen that is narrower than the column the figure is higher, and no script may be there to say so.
            "high" => match highest.saturating_sub(*height) {
                0 => format!("{height}px"),
                more => format!("calc({height}px + clamp(0px, ({width}px - 100vw) * 9999, {more}px))"),
            },
            "attributes" => {
                query.split('&').filter_map(|pair| pair.split_once('=')).fold(String::new(), |all, (key, value)| {
                    all + &format!(" {key}=\"{}\"", escaped(value, "html").unwrap_or_default())
                })
            }
            _ => return None,
        })
    }

    /// The template with everything in its place; nothing when it asks for what there is not.
    pub(crate) fn fill(&self, template: &str) -> Option<String> {
        let value = |name: &str| {
            let (name, places) = name.split_once('|').unwrap_or((name, ""));
            let mut places = places.split(',').filter(|place| !place.is_empty());
            places.try_fold(self.value(name)?, |text, place| escaped(&text, place))
        };
        template::fill(template, value).ok()
    }
}

/// A text as it has to be written in a place; nothing for a place that is not known.
pub(crate) fn escaped(text: &str, place: &str) -> Option<String> {
    // What a backslash before it makes a letter like any other.
    let slashed = match place {
        "html" => "",
        "python" => "\\\"'",
        "markdown" => "\\`*_[]<>${}|~",
        "latex" => "%#&_${}",
        "address" => "%#&_",
        _ => return None,
    };
    let letter = |letter: char| match (place, letter) {
        (_, letter) if slashed.contains(letter) => format!("\\{letter}"),
        ("html", '&') => "&amp;".into(),
        ("html", '<') => "&lt;".into(),
        ("html", '>') => "&gt;".into(),
        ("html", '"') => "&quot;".into(),
        ("html", '\'') => "&#39;".into(),
        ("latex", '\\') => "\\textbackslash{}".into(),
        ("latex", '~') => "\\textasciitilde{}".into(),
        ("latex", '^') => "\\textasciicircum{}".into(),
        ("python" | "markdown" | "latex", '\n') => " ".into(),
        (_, letter) => letter.to_string(),
    };
    Some(text.chars().map(letter).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a & \"b\" 'c' <d> 50% #1 \\e {f} [g] _h_ ~i ^j $k `l`";

    fn hosts() -> impl Iterator<Item = &'static Host> {
        GROUPS.iter().flat_map(|(_, hosts)| *hosts)
    }

    fn filled(id: &str, title: &str) -> String {
        let query = "model=llama-3.1-8b&seq=32768&x=%22";
        let chosen = Chosen {
            base: "https://a.b/c/",
            figure: "kv_cache",
            title,
            query,
            width: 800,
            height: 1140,
            highest: 1720,
        };
        chosen.fill(hosts().find(|host| host.id == id).unwrap().template).unwrap()
    }

    #[test]
    fn every_template_is_filled_and_escapes_what_is_not_its_own() {
        for host in hosts() {
            let text = filled(host.id, HOSTILE);
            assert!(!text.contains("@{") && text.contains("embed/kv") && text.contains("https://a.b/c/"), "{text}");
            // What could begin an element or end an attribute or a string is nowhere as it was.
            let prose = ["docusaurus", "myst", "quarto", "markdown", "latex"].contains(&host.id);
            assert!(host.id == "latex" || !text.contains("<d>"), "{}: {text}", host.id);
            assert!(prose || !text.contains("\"b\""), "{}: {text}", host.id);
        }
    }

    #[test]
    fn a_host_is_tried_if_there_is_a_page_for_it() {
        let folder = crate::apart::root().join("tests/hosts");
        for host in hosts() {
            assert_eq!(folder.join(host.id).is_dir(), host.tried, "{}", host.id);
        }
    }

    #[test]
    fn a_frame_grows_on_narrow_screens_if_its_figure_does() {
        let high = |height, highest| {
            let chosen = Chosen { base: "", figure: "", title: "", query: "", width: 800, height, highest };
            chosen.fill("@{high}").unwrap()
        };
        assert_eq!(high(1140, 1720), "calc(1140px + clamp(0px, (800px - 100vw) * 9999, 580px))");
        assert_eq!(high(1140, 1140), "1140px");
    }

    #[test]
    fn each_place_has_its_own_letters() {
        assert_eq!(escaped("a&b<c>\"d\"'e'", "html").unwrap(), "a&amp;b&lt;c&gt;&quot;d&quot;&#39;e&#39;");
        assert_eq!(escaped("a\"b\\c'\n", "python").unwrap(), "a\\\"b\\\\c\\' ");
        assert_eq!(escaped("[a](b) *c* <d>", "markdown").unwrap(), "\\[a\\](b) \\*c\\* \\<d\\>");
        assert_eq!(
            escaped("50% & a_b {c} \\d ~", "latex").unwrap(),
            "50\\% \\& a\\_b \\{c\\} \\textbackslash{}d \\textasciitilde{}"
        );
        assert_eq!(escaped("https://a/~b/?c_d=1&e=%20#f", "address").unwrap(), "https://a/~b/?c\\_d=1\\&e=\\%20\\#f");
        assert_eq!(escaped("a", "elsewhere"), None);
    }

    #[test]
    fn hosts_get_what_they_take() {
        let url = "https://a.b/c/embed/kv_cache.html?model=llama-3.1-8b&amp;seq=32768&amp;x=%22";
        let high = "calc(1140px + clamp(0px, (800px - 100vw) * 9999, 580px))";
        assert_eq!(
            filled("html", "T"),
            format!(
                "<iframe src=\"{url}\" title=\"T\" width=\"100%\" height=\"1140\" frameborder=\"0\" style=\"border:0;max-width:800px;height:{high}\" loading=\"lazy\"></iframe>\n<p><a href=\"{url}\">T</a></p>"
            )
        );
        let script = "<script src=\"https://a.b/c/embed.js\" defer></script>\n<iframe data-memory-wall src=";
        assert!(filled("script", "T").starts_with(script));
        assert!(!filled("vitepress", "T").contains("<script"), "a script in its page breaks the build");
        assert!(
            filled("element", "T").contains("<memory-wall figure=\"kv_cache\" model=\"llama-3.1-8b\" seq=\"32768\" x=")
        );
        assert!(filled("docusaurus", "T").contains("style={{border: 0, maxWidth: \"800px\", height: \"calc("));
        assert!(
            filled("latex", "A & B").contains(
                "\\href{https://a.b/c/embed/kv\\_cache.html?model=llama-3.1-8b\\&seq=32768\\&x=\\%22}{A \\& B}"
            )
        );
        // Quotation marks within an attribute within a string.
        assert!(filled("jupyter", "a \"b\"").contains("extras=[\"title=\\\"a &quot;b&quot;\\\" style="));
        assert_eq!(
            filled("markdown", "a [b]"),
            "[a \\[b\\]](https://a.b/c/embed/kv_cache.html?model=llama-3.1-8b&seq=32768&x=%22)"
        );
        assert!(filled("classroom", "T").starts_with("https://a.b/c/embed/kv_cache.html?"));
    }
}
