//! Scripts without their comments and indentation, and those that come when they are needed.

/// Whole lines of comment and the white space around lines go. The glue has no text that spans lines, so no more is needed to be safe.
pub(crate) fn without_comments(script: &str) -> String {
    let mut out = String::with_capacity(script.len());
    let mut comment = false;
    for line in script.lines().map(str::trim) {
        let starts = line.starts_with("/*");
        let ends = line.ends_with("*/");
        if comment || starts {
            comment = !ends;
        } else if !line.is_empty() && !line.starts_with("//") {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

/// The tag of a script that `later.js` asks for when the reader comes near the element with the id `place`; `more` are further attributes.
pub(crate) fn near(place: &str, name: &str, digest: &str, more: &str) -> String {
    format!("<script data-near=\"{place}\" data-src=\"./{name}\" integrity=\"sha256-{digest}\"{more}></script>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_of_a_figure_names_its_file_for_later_alone() {
        let tag = near("figure-a", "a-1.js", "x", " data-b=\"./b\"");
        assert_eq!(
            tag,
            "<script data-near=\"figure-a\" data-src=\"./a-1.js\" integrity=\"sha256-x\" data-b=\"./b\"></script>"
        );
    }

    #[test]
    fn only_whole_lines_of_comment_go() {
        let script =
            "/**\n * a\n */\nexport function f() {\n    // b\n    return 'http://x /* y */'; // c\n}\n/* d */\nf();\n";
        assert_eq!(without_comments(script), "export function f() {\nreturn 'http://x /* y */'; // c\n}\nf();\n");
    }
}
