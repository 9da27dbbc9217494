//! Scripts without their comments and indentation.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_lines_of_comment_go() {
        let script =
            "/**\n * a\n */\nexport function f() {\n    // b\n    return 'http://x /* y */'; // c\n}\n/* d */\nf();\n";
        assert_eq!(without_comments(script), "export function f() {\nreturn 'http://x /* y */'; // c\n}\nf();\n");
    }
}
