//! The hints and answers of the self-check, in a file of their own: on a page of somebody else it weighs as much as its questions, and
//! the rest comes when somebody begins to answer.

use std::fmt::Write as _;

const BEGIN: &str = "<details class=\"solution\"";
const HEAD: &str = "</summary>";
const END: &str = "</details>";
const HINTS: &str = " class=\"hints\">";
const HINTS_END: &str = "</div>";

/// A page without its hints and what stands under each answer's head, and the script that puts both back.
pub(super) fn apart(html: &str, script: &str) -> Result<(String, String), String> {
    let mut page = String::with_capacity(html.len());
    let mut answers = String::from("{\n");
    let mut rest = html;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let (_, asked) = before.rsplit_once(" data-quiz=\"").ok_or("an answer stands in no question")?;
        let (asked, _) = asked.split_once('"').ok_or("a question's name is not closed")?;
        // A claim has none, and those of the question before are gone already.
        let (start, hints, end) = match before.rsplit_once(HINTS) {
            Some((start, hints)) => {
                let (hints, end) = hints.split_once(HINTS_END).ok_or("hints are not closed")?;
                (start, hints, [HINTS, HINTS_END, end].concat())
            }
            None => (before, "", String::new()),
        };
        let (head, inside) = after.split_once(HEAD).ok_or("an answer has no head")?;
        let (answer, behind) = inside.split_once(END).ok_or("an answer is not closed")?;
        if answer.contains("<details") {
            return Err(format!("the answer of {asked} holds something folded, which answers.rs does not look into"));
        }
        // Rust's and JavaScript's texts in quotes differ in what no page holds: control characters.
        let _ = writeln!(answers, "{asked:?}: [{hints:?}, {answer:?}],");
        page.extend([start, &end, BEGIN, head, HEAD, END]);
        rest = behind;
    }
    page.push_str(rest);
    Ok((page, script.replace("{{answers}}", &(answers + "}"))))
}

#[cfg(test)]
mod tests {
    use super::apart;

    #[test]
    fn answers_leave_the_page_for_the_script() {
        let html = "<li data-quiz=\"a.b\"><div aria-live=\"polite\" class=\"hints\"><p>2</p></div> \
            <details class=\"solution\" x><summary>S</summary><p>\"1\"</p></details></li>\
            <li data-quiz=\"a.c\"><details class=\"solution\"><summary>S</summary>3</details></li><p>";
        let (page, script) = apart(html, "const answers = {{answers}};").unwrap();
        assert_eq!(page, html.replace("<p>2</p>", "").replace("<p>\"1\"</p>", "").replace('3', ""));
        assert_eq!(
            script,
            "const answers = {\n\"a.b\": [\"<p>2</p>\", \"<p>\\\"1\\\"</p>\"],\n\"a.c\": [\"\", \"3\"],\n};"
        );
        assert!(apart("<details class=\"solution\"><summary></summary></details>", "").is_err(), "it is nobody's");
    }
}
