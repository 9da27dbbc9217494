//! A page in fewer letters: what HTML lets one leave out is left out, and attributes stand in one order, so that more of a tag is
//! what an earlier one was. A browser makes the same document of both.

/// Elements of drawings that have nothing in them.
const SHAPES: [&str; 8] = ["circle", "ellipse", "line", "path", "polygon", "polyline", "rect", "use"];

/// Elements without an end, which need no slash either.
const VOID: [&str; 10] = ["area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "wbr"];

/// Elements whose content is no markup, or none where scripts run.
const TEXT: [&str; 5] = ["noscript", "script", "style", "textarea", "title"];

/// Ends that go without saying right before one of these tags. What opens is written without its bracket: it may have attributes.
const ENDS: [(&str, &[&str]); 9] = [
    ("li", &["<li", "</ol>", "</ul>"]),
    ("dt", &["<dd", "<dt"]),
    ("dd", &["<dd", "<dt", "</dl>"]),
    ("td", &["<td", "<th", "</tr>"]),
    ("th", &["<td", "<th", "</tr>"]),
    ("tr", &["<tr", "</table>", "</tbody>", "</thead>"]),
    ("option", &["<optgroup", "<option", "</optgroup>", "</select>"]),
    ("optgroup", &["<optgroup", "</select>"]),
    ("p", &["<div", "<ol", "<p", "<table", "<ul", "</div>", "</figcaption>", "</li>", "</section>", "</td>"]),
];

/// Attributes that keep their quotes: others read them in the text of the page, not only in a document.
const QUOTED: [&str; 7] = ["content", "for", "href", "id", "integrity", "rel", "src"];

/// Attributes of which one tag has other values than the one before it: they stand behind those that are the same.
const LAST: [&str; 9] = ["x", "y", "x1", "x2", "y1", "y2", "width", "height", "data-b"];

/// The same page in fewer letters. It takes quotes as `"`; what is written in another way stays as it is.
#[must_use]
pub fn markup(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((text, after)) = rest.split_once('<') {
        out.push_str(text);
        let Some((tag, behind)) = split_tag(after) else {
            out.push('<');
            rest = after;
            continue;
        };
        rest = behind;
        if let Some(name) = tag.strip_prefix('/') {
            if !goes_without_saying(name, behind) {
                out.extend(["</", name, ">"]);
            }
            continue;
        }
        let Some(read) = Tag::read(tag) else {
            out.extend(["<", tag, ">"]);
            continue;
        };
        let end = format!("</{}>", read.name);
        let empty = behind.strip_prefix(&end).filter(|_| SHAPES.contains(&read.name));
        rest = empty.unwrap_or(behind);
        read.write(empty.is_some(), &mut out);
        if TEXT.contains(&read.name) {
            let text = rest.split_inclusive(&end).next().unwrap_or_default();
            out.push_str(text);
            rest = rest.get(text.len()..).unwrap_or_default();
        }
    }
    out + rest
}

/// A tag or comment, and what follows it. Inside quotes and comments a bracket is none.
fn split_tag(after: &str) -> Option<(&str, &str)> {
    let close = if after.starts_with("!--") { "-->" } else { ">" };
    let is_whole = |tag: &str| close != ">" || tag.matches('"').count().is_multiple_of(2);
    let ends = after.match_indices(close).map(|(end, _)| end + close.len() - 1);
    let mut tags = ends.filter_map(|end| after.get(..end).zip(after.get(end + 1..)));
    tags.find(|(tag, _)| is_whole(tag))
}

/// Whether an element ends by what follows its end.
fn goes_without_saying(name: &str, behind: &str) -> bool {
    let follows = |tag: &&str| {
        let more = behind.strip_prefix(*tag);
        more.is_some_and(|more| tag.ends_with('>') || more.starts_with([' ', '>']))
    };
    ENDS.iter().any(|(own, tags)| *own == name && tags.iter().any(follows))
}

/// An opening tag.
struct Tag<'a> {
    name: &'a str,
    attributes: Vec<(&'a str, &'a str)>,
    is_closed: bool,
}

impl<'a> Tag<'a> {
    /// Nothing if it is none, or is not written as the pages write their tags.
    fn read(tag: &'a str) -> Option<Self> {
        let (tag, is_closed) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, mut rest) = tag.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((tag, ""));
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let mut attributes = Vec::new();
        while !rest.trim_start().is_empty() {
            rest = rest.trim_start();
            let end = rest.find(|c: char| c == '=' || c.is_ascii_whitespace()).unwrap_or(rest.len());
            let (attribute, behind) = rest.split_at_checked(end)?;
            let (value, behind) = match behind.strip_prefix('=') {
                Some(value) => value.strip_prefix('"')?.split_once('"')?,
                None => ("", behind),
            };
            attributes.push((attribute, value));
            rest = behind;
        }
        Some(Self { name, attributes, is_closed })
    }

    fn write(&self, is_empty: bool, out: &mut String) {
        let mut attributes = self.attributes.clone();
        // What has an id is found by it in the text, at the start of its tag.
        let has_id = attributes.iter().any(|(name, _)| *name == "id");
        attributes.sort_by_key(|(name, _)| match *name {
            "class" if !has_id => 0,
            name => LAST.iter().position(|last| *last == name).map_or(1, |place| 2 + place),
        });
        out.extend(["<", self.name]);
        let slash = if is_empty || (self.is_closed && !VOID.contains(&self.name)) { "/" } else { "" };
        let last = attributes.len().saturating_sub(1);
        for (place, (name, value)) in attributes.into_iter().enumerate() {
            // A slash behind a value without quotes would be part of it.
            let is_quoted = QUOTED.contains(&name) || !is_plain(value) || (place == last && !slash.is_empty());
            match value {
                "" => out.extend([" ", name]),
                _ if is_quoted => out.extend([" ", name, "=\"", value, "\""]),
                _ => out.extend([" ", name, "=", value]),
            }
        }
        out.extend([slash, ">"]);
    }
}

/// Whether a value can stand without quotes. The names of files keep theirs, by which they are found in a page.
fn is_plain(value: &str) -> bool {
    let is_number = value.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '%' | ','));
    is_number || value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '-' | '%'))
}

#[cfg(test)]
mod tests {
    use super::markup;

    #[test]
    fn what_html_lets_one_leave_out_is_left_out() {
        for (page, squeezed) in [
            (r#"<a title="b" class="x y">"#, r#"<a class="x y" title=b>"#),
            (r#"<section id="b" class="c">"#, r#"<section id="b" class=c>"#),
            (
                r#"<td data-b="1:2" scope="row" class="z">1</td><td hidden=""></td></tr>"#,
                "<td class=z scope=row data-b=1:2>1<td hidden></tr>",
            ),
            (r#"<ul><li class="a">1</li><li>2</li> <li>3</li></ul>"#, "<ul><li class=a>1<li>2</li> <li>3</ul>"),
            ("<p>1</p><p>2</p>\n<p>3</p></a>", "<p>1<p>2</p>\n<p>3</p></a>"),
            ("<p>1</p><pre>2</pre>", "<p>1</p><pre>2</pre>"),
            (r#"<rect y="1" x="2.5%" class="a"></rect>"#, r#"<rect class=a x=2.5% y="1"/>"#),
            (r#"<rect class="a"><title>1</title></rect>"#, "<rect class=a><title>1</title></rect>"),
            (r#"<meta name="a" content="b" /><use a="b" />"#, r#"<meta name=a content="b"><use a="b"/>"#),
            (r#"<b data-file="a-1.js" title="it's 2 > 1">"#, r#"<b data-file="a-1.js" title="it's 2 > 1">"#),
        ] {
            assert_eq!(markup(page), squeezed, "{page}");
        }
    }

    #[test]
    fn what_is_no_tag_of_ours_stays_as_it_is() {
        for page in [
            "<!doctype html>\n<p>1 &lt; 2</p>",
            "<!-- <td>1</td><td class=\"a\"> --><b>",
            "<script>if (a<b) c = '<td class=\"a\"></td><td>';</script>",
            "<style>a>b{}</style><title>1 > 2</title>",
            "<a b='c'>",
            "<a b=c>",
            "1 < 2",
            "<",
            "",
        ] {
            assert_eq!(markup(page), page);
        }
    }
}
