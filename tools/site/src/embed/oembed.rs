//! What sites that look a link up before they show it are told of a figure: oEmbed, version 1.0.

use memory_wall_app::heights::Heights;

use crate::wording::escaped;
use crate::words;

/// The width that is offered.
const WIDTH: u32 = 640;

/// Where the site will lie, up to its last slash, as the one who builds it says; nothing where addresses stay relative.
pub(crate) fn public() -> Result<Option<String>, String> {
    std::env::var("MEMORY_WALL_URL").map_or(Ok(None), |said| address(&said).map(Some))
}

/// An address with a slash at its end, if it is one that can be written anywhere as it is.
fn address(said: &str) -> Result<String, String> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-._~:/%".contains(letter);
    let rest = said.strip_prefix("https://").or_else(|| said.strip_prefix("http://"));
    match rest {
        Some(rest) if !rest.is_empty() && rest.chars().all(plain) => Ok(format!("{}/", said.trim_end_matches('/'))),
        _ => Err(format!("MEMORY_WALL_URL is no address such as https://example.org/memory-wall/: {said}")),
    }
}

/// The link in a figure's page by which it is found.
pub(super) fn link(figure: &str, title: &str, public: Option<&str>) -> String {
    let base = public.unwrap_or("../");
    let title = escaped(title);
    format!(
        "<link rel=\"alternate\" type=\"application/json+oembed\" href=\"{base}oembed/{figure}.json\" title=\"{title}\" />"
    )
}

/// The answer: a frame for the figure. Without a public address it is relative to the file itself.
pub(super) fn json(heights: &Heights, title: &str, public: Option<&str>) -> Result<String, String> {
    let figure = heights.figure;
    let height = heights.of(WIDTH).ok_or(format!("{figure} has no height at {WIDTH} pixels"))?;
    let base = public.unwrap_or("../");
    let html = format!(
        "<iframe src=\"{base}embed/{figure}.html\" title=\"{}\" width=\"{WIDTH}\" height=\"{height}\" style=\"border:0;max-width:100%\"></iframe>",
        escaped(title)
    );
    Ok(format!(
        "{{\n  \"version\": \"1.0\",\n  \"type\": \"rich\",\n  \"title\": {},\n  \"provider_name\": {},\n  \"provider_url\": {},\n  \
         \"html\": {},\n  \"width\": {WIDTH},\n  \"height\": {height},\n  \"cache_age\": 86400\n}}\n",
        text(title),
        text(words::page_title()),
        text(base),
        text(&html)
    ))
}

/// A text as JSON writes it.
pub(crate) fn text(text: &str) -> String {
    let letters = text.chars().map(|letter| match letter {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\0'..='\u{1f}' => format!("\\u{:04x}", u32::from(letter)),
        letter => letter.to_string(),
    });
    format!("\"{}\"", letters.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory_wall_app::heights;

    fn trips() -> Heights {
        heights::all().unwrap().into_iter().find(|row| row.figure == "trips").unwrap()
    }

    #[test]
    fn a_public_address_stands_in_file_and_link() {
        let base = address("https://example.org/memory-wall").unwrap();
        assert_eq!(base, "https://example.org/memory-wall/");
        let json = json(&trips(), "A \"B\" & C", Some(&base)).unwrap();
        assert!(json.contains("\"title\": \"A \\\"B\\\" & C\",\n"), "{json}");
        assert!(json.contains("\"provider_url\": \"https://example.org/memory-wall/\""));
        assert!(json.contains(
            "<iframe src=\\\"https://example.org/memory-wall/embed/trips.html\\\" title=\\\"A &quot;B&quot; &amp; C\\\""
        ));
        assert!(json.contains("\"version\": \"1.0\"") && json.contains("\"width\": 640,\n  \"height\": 850,"));
        let link = link("trips", "A & B", Some(&base));
        assert!(
            link.contains("href=\"https://example.org/memory-wall/oembed/trips.json\" title=\"A &amp; B\""),
            "{link}"
        );
    }

    #[test]
    fn without_one_addresses_are_relative() {
        let json = json(&trips(), "A", None).unwrap();
        assert!(
            json.contains("<iframe src=\\\"../embed/trips.html\\\"") && json.contains("\"provider_url\": \"../\""),
            "{json}"
        );
        assert!(link("trips", "A", None).contains("href=\"../oembed/trips.json\""));
    }

    #[test]
    fn what_is_no_address_stops_the_build() {
        for wrong in ["", "example.org", "https://", "ftp://a", "https://a b", "https://a\"b", "https://a/?b"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
        assert_eq!(address("http://localhost:8080/a/").unwrap(), "http://localhost:8080/a/");
    }

    #[test]
    fn letters_that_json_keeps_to_itself_are_escaped() {
        assert_eq!(text("a\"b\\c\nd"), "\"a\\\"b\\\\c\\u000ad\"");
    }
}
