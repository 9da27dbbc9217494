//! The Python of the page in colours, at build time: nothing that marks code up is ever loaded.

use std::fmt::Write as _;

/// Words that Python keeps for itself, as far as they stand in the page.
const KEPT: [&str; 12] = ["as", "def", "for", "from", "if", "import", "in", "not", "return", "while", "with", "None"];

/// Every block of Python in a piece of HTML, marked up, in a region that a keyboard can scroll.
pub(crate) fn blocks(html: &str, label: &str) -> Result<String, String> {
    let mut pieces = html.split("<pre><code class=\"language-python\">");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (code, behind) = piece.split_once("</code></pre>").ok_or("a block of code is not closed")?;
        out.push_str("<pre class=\"code\" tabindex=\"0\" role=\"region\" aria-label=\"");
        out.push_str(label);
        out.push_str("\"><code>");
        out.push_str(&python(code));
        out.push_str("</code></pre>");
        out.push_str(behind);
    }
    Ok(out)
}

/// Python, escaped as HTML, with its comments, texts, numbers, kept words and calls in spans.
fn python(code: &str) -> String {
    let mut out = String::with_capacity(code.len() * 2);
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let (length, class) = match first {
            '#' => (rest.find('\n').unwrap_or(rest.len()), "comment"),
            '"' | '\'' => (text(rest, first), "text"),
            c if c.is_ascii_digit() => (run(rest, |c| c.is_ascii_digit() || c == '.' || c == '_'), "number"),
            c if c.is_alphabetic() || c == '_' => {
                let length = run(rest, |c| c.is_alphanumeric() || c == '_');
                let (word, behind) = rest.split_at(length);
                let called = behind.starts_with('(');
                (
                    length,
                    if KEPT.contains(&word) {
                        "kept"
                    } else if called {
                        "call"
                    } else {
                        ""
                    },
                )
            }
            // `&lt;` is one sign.
            '&' => (rest.find(';').map_or(1, |end| end + 1), ""),
            c => (c.len_utf8(), ""),
        };
        let (token, behind) = rest.split_at(length);
        if class.is_empty() {
            out.push_str(token);
        } else {
            // Writing into a string does not fail.
            let _ = write!(out, "<span class=\"code-{class}\">{token}</span>");
        }
        rest = behind;
    }
    out
}

/// How long the run of such characters at the start is.
fn run(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

/// How long the text in quotes at the start is.
fn text(code: &str, quote: char) -> usize {
    code.get(1..).and_then(|inside| inside.find([quote, '\n'])).map_or(code.len(), |end| end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_marked_and_nothing_is_lost() {
        let html = blocks(
            "<p>a</p><pre><code class=\"language-python\">for x in f(2): # 3 &lt; 4\n    g('y', in_)\n</code></pre>b",
            "Code",
        )
        .unwrap();
        assert_eq!(
            html,
            "<p>a</p><pre class=\"code\" tabindex=\"0\" role=\"region\" aria-label=\"Code\"><code><span class=\"code-kept\">for</span> x \
             <span class=\"code-kept\">in</span> <span class=\"code-call\">f</span>(<span class=\"code-number\">2</span>): \
             <span class=\"code-comment\"># 3 &lt; 4</span>\n    <span class=\"code-call\">g</span>(<span class=\"code-text\">'y'</span>, in_)\n</code></pre>b"
        );
        assert!(blocks("<pre><code class=\"language-python\">x", "").is_err());
    }

    #[test]
    fn what_is_not_closed_ends_with_the_code() {
        assert_eq!(python("'abc"), "<span class=\"code-text\">'abc</span>");
        assert_eq!(python("é & 1"), "é & <span class=\"code-number\">1</span>");
    }
}
