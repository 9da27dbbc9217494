//! Reading finished pages: their tags, as far as links and files are concerned.

/// The opening tags of a page; what stands in scripts and style sheets is no markup.
pub(crate) fn tags(html: &str) -> Vec<&str> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some((_, after)) = rest.split_once('<') {
        let (tag, behind) = after.split_once('>').unwrap_or((after, ""));
        let closed = ["script", "style"].into_iter().find(|name| name_of(tag) == *name);
        rest = closed.map_or(behind, |name| behind.split_once(&format!("</{name}>")).map_or("", |(_, rest)| rest));
        if tag.starts_with(|first: char| first.is_ascii_alphabetic()) {
            tags.push(tag);
        }
    }
    tags
}

/// The element that a tag opens.
pub(crate) fn name_of(tag: &str) -> &str {
    tag.split(|c: char| c.is_ascii_whitespace() || c == '/').next().unwrap_or_default()
}

/// The value of an attribute, as it is written.
pub(crate) fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = tag.split_once(&format!(" {name}=\""))?;
    value.split('"').next()
}

/// Takes out every element that begins with `open` and is not wanted, up to its `close`.
pub(crate) fn without(html: &str, open: &str, close: &str, unwanted: impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, after)) = rest.split_once(open) {
        let (element, behind) = after.split_once(close).unwrap_or((after, ""));
        out.push_str(before);
        if !unwanted(&format!("{open}{element}")) {
            out.push_str(open);
            out.push_str(element);
            out.push_str(close);
        }
        rest = behind;
    }
    out + rest
}

/// A text without every element that is not wanted, by its opening tag, with all that is in it.
pub(crate) fn dropped(html: &str, unwanted: impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    // The element that goes, and how many of its name are open.
    let mut going: Option<(&str, u32)> = None;
    while let Some((text, after)) = rest.split_once('<') {
        let (tag, behind) = after.split_once('>').unwrap_or((after, ""));
        let (name, is_end) = tag.strip_prefix('/').map_or((name_of(tag), false), |name| (name, true));
        let is_whole = tag.ends_with('/') || VOID.contains(&name);
        if going.is_none() {
            out.push_str(text);
        }
        match &mut going {
            Some((going_name, open)) if *going_name == name && !is_whole => {
                *open = if is_end { open.saturating_sub(1) } else { open.saturating_add(1) };
                if *open == 0 {
                    going = None;
                }
            }
            Some(_) => {}
            None if !is_end && unwanted(tag) => going = (!is_whole).then_some((name, 1)),
            None => out.extend(["<", tag, ">"]),
        }
        rest = behind;
    }
    out + rest
}

/// Elements without an end.
pub(crate) const VOID: [&str; 8] = ["area", "br", "col", "hr", "img", "input", "source", "wbr"];

/// Every link written anew: what stands before its address is what `open` says of it.
pub(crate) fn relinked(html: &str, open: impl Fn(&str) -> &'static str) -> String {
    let mut pieces = html.split("href=\"");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |all, piece| all + open(piece.split('"').next().unwrap_or_default()) + piece)
}

/// Whether a link leads to a place, and the page has it.
pub(crate) fn is_here(html: &str, link: &str) -> Option<bool> {
    link.strip_prefix('#').map(|id| html.contains(&format!(" id=\"{id}\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_those_of_the_page_and_not_of_its_scripts() {
        let html =
            "<a href=\"x\">1 < 2</a><script src=\"y\">'<b id=\"no\">'</script><br/><style>a<i</style><p id=\"z\">";
        let tags = tags(html);
        assert_eq!(tags.iter().map(|tag| name_of(tag)).collect::<Vec<_>>(), ["a", "script", "br", "style", "p"]);
        assert_eq!(attribute(tags[0], "href"), Some("x"));
        assert_eq!(attribute("a data-href=\"x\"", "href"), None);
    }

    #[test]
    fn what_is_dropped_takes_its_inside_along() {
        let html = "a<div><p x>b<input c><p>d</p></p>e</div><input x>f<svg><path x/><g/></svg>";
        assert_eq!(dropped(html, |tag| tag.contains(" x")), "a<div>e</div>f<svg><g/></svg>");
    }

    #[test]
    fn only_what_is_unwanted_goes() {
        let html = "a<a b>c</a>d<a e>f</a>g";
        assert_eq!(without(html, "<a ", "</a>", |element| element.contains(" e")), "a<a b>c</a>dg");
    }
}
