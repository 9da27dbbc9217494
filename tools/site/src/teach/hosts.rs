//! The places that teachers put figures into, and the text that each of them takes.
//!
//! A template holds `@{value}` and `@{value|escape,escape}`; `teach.js` fills the same templates by the same rules, and a
//! test in the browser compares the two.

use crate::template;

/// A kind of host; its words are `host.<id>.name` and `host.<id>.1` and so on.
pub(crate) struct Host {
    /// Its name in words and anchors.
    pub(crate) id: &'static str,
    /// What it takes.
    pub(crate) template: &'static str,
}

/// An ordinary frame.
const FRAME: &str = r#"<iframe src="@{url|html}" title="@{title|html}" width="100%" height="@{height}" style="border:0;max-width:@{width}px" loading="lazy"></iframe>"#;

/// The hosts in groups, whose words are `group.<id>`.
#[rustfmt::skip]
pub(crate) const GROUPS: [(&str, &[Host]); 4] = [
    ("page", &[
        Host { id: "html", template: FRAME },
        Host { id: "script", template: r#"<script src="@{script|html}" defer></script>
<iframe data-memory-wall src="@{url|html}" title="@{title|html}" width="100%" height="@{height}" style="border:0;max-width:@{width}px" loading="lazy"></iframe>"# },
        Host { id: "element", template: r#"<script src="@{script|html}" defer></script>
<memory-wall figure="@{figure}"@{attributes} height="@{height}"><a href="@{url|html}">@{title|html}</a></memory-wall>"# },
        Host { id: "wordpress", template: FRAME },
        Host { id: "url", template: "@{url}" },
    ]),
    ("course", &[
        Host { id: "moodle", template: FRAME },
        Host { id: "canvas", template: FRAME },
        Host { id: "blackboard", template: FRAME },
        Host { id: "classroom", template: "@{url}" },
    ]),
    ("book", &[
        Host { id: "jupyter", template: r#"from IPython.display import IFrame

IFrame("@{url|python}", width="100%", height=@{height}, extras=["title=\"@{title|html,python}\""])"# },
        Host { id: "myst", template: "```{iframe} @{url}\n:width: 100%\n@{title|markdown}\n```" },
        Host { id: "quarto", template: r#"::: {.content-visible when-format="html"}
<iframe src="@{url|html}" title="@{title|html}" width="100%" height="@{height}" style="border:0;max-width:@{width}px" loading="lazy"></iframe>
:::

::: {.content-hidden when-format="html"}
[@{title|markdown}](@{url})
:::"# },
        Host { id: "mdbook", template: FRAME },
        Host { id: "docusaurus", template: r#"<iframe
  src="@{url|html}"
  title="@{title|html}"
  width="100%"
  height="@{height}"
  style={{border: 0, maxWidth: "@{width}px"}}
  loading="lazy"
/>"# },
        Host { id: "markdown", template: "[@{title|markdown}](@{url})" },
    ]),
    ("paper", &[
        Host { id: "reveal", template: r#"<section>
  <iframe data-src="@{url|html}" title="@{title|html}" width="@{width}" height="640" style="border:0"></iframe>
</section>"# },
        Host { id: "latex", template: r"% In the preamble: \usepackage{hyperref,qrcode}
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
}

impl Chosen<'_> {
    fn value(&self, name: &str) -> Option<String> {
        let Chosen { base, figure, title, query, width, height } = self;
        let mark = if query.is_empty() { "" } else { "?" };
        Some(match name {
            "url" => format!("{base}embed/{figure}.html{mark}{query}"),
            "script" => format!("{base}embed.js"),
            "figure" => (*figure).to_owned(),
            "title" => (*title).to_owned(),
            "width" => width.to_string(),
            "height" => height.to_string(),
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
        let chosen = Chosen { base: "https://a.b/c/", figure: "kv_cache", title, query, width: 800, height: 1140 };
        chosen.fill(hosts().find(|host| host.id == id).unwrap().template).unwrap()
    }

    #[test]
    fn every_template_is_filled_and_escapes_what_is_not_its_own() {
        for host in hosts() {
            let text = filled(host.id, HOSTILE);
            assert!(!text.contains("@{") && text.contains("embed/kv") && text.contains("https://a.b/c/"), "{text}");
            // What could begin an element or end an attribute or a string is nowhere as it was.
            let prose = ["myst", "quarto", "markdown", "latex"].contains(&host.id);
            assert!(host.id == "latex" || !text.contains("<d>"), "{}: {text}", host.id);
            assert!(prose || !text.contains("\"b\""), "{}: {text}", host.id);
        }
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
        assert_eq!(
            filled("html", "T"),
            format!(
                "<iframe src=\"{url}\" title=\"T\" width=\"100%\" height=\"1140\" style=\"border:0;max-width:800px\" loading=\"lazy\"></iframe>"
            )
        );
        assert!(
            filled("element", "T").contains("<memory-wall figure=\"kv_cache\" model=\"llama-3.1-8b\" seq=\"32768\" x=")
        );
        assert!(filled("docusaurus", "T").contains("style={{border: 0, maxWidth: \"800px\"}}"));
        assert!(
            filled("latex", "A & B").contains(
                "\\href{https://a.b/c/embed/kv\\_cache.html?model=llama-3.1-8b\\&seq=32768\\&x=\\%22}{A \\& B}"
            )
        );
        // Quotation marks within an attribute within a string.
        assert!(filled("jupyter", "a \"b\"").contains("extras=[\"title=\\\"a &quot;b&quot;\\\"\"]"));
        assert_eq!(
            filled("markdown", "a [b]"),
            "[a \\[b\\]](https://a.b/c/embed/kv_cache.html?model=llama-3.1-8b&seq=32768&x=%22)"
        );
        assert!(filled("classroom", "T").starts_with("https://a.b/c/embed/kv_cache.html?"));
    }
}
