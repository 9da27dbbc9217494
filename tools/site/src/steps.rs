//! The marks of bindings on the tutorial as steps from one to the next, which packs into 3 kB less. See [`Places`] for how they are read.
//!
//! [`Places`]: memory_wall_app::figures::Places

use memory_wall_app::figures::{Place, Steps};

/// What stands before the marks of an element.
const MARKS: &str = " data-b=\"";

/// The tutorial with steps in place of numbers. Each section begins anew, and the self-check, into which more comes later, keeps its numbers.
pub(crate) fn stepped(html: &str) -> String {
    let (html, check) = html.split_at(html.find("<section id=\"check\"").unwrap_or(html.len()));
    let mut out = String::with_capacity(html.len() + check.len());
    for (number, section) in html.split("<section ").enumerate() {
        if number > 0 {
            out.push_str("<section ");
        }
        let mut steps = Steps::default();
        let mut rest = section;
        while let Some((before, after)) = rest.split_once(MARKS) {
            let (marks, behind) = after.split_once('"').unwrap_or((after, ""));
            let marks: Vec<String> = marks.split(' ').map(|mark| step(mark, &mut steps)).collect();
            out.extend([before, MARKS, &marks.join(" "), "\""]);
            rest = behind;
        }
        out.push_str(rest);
    }
    out + check
}

/// A mark, such as `9:13`, `y=9:2` or `*9:3/oom.copy`, with a step in it.
fn step(mark: &str, steps: &mut Steps) -> String {
    let (own, about) = mark.split_at(mark.find('/').unwrap_or(mark.len()));
    let (aspect, numbers) = own.split_at(own.find(['=', '?', '*']).map_or(0, |at| at + 1));
    let place = numbers
        .split_once(':')
        .and_then(|(figure, binding)| Some(Place { figure: figure.parse().ok()?, binding: binding.parse().ok()? }));
    place.map_or_else(|| mark.to_owned(), |place| format!("{aspect}{}{about}", steps.written(place)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_begins_anew_and_the_self_check_keeps_its_numbers() {
        let html = "<b data-b=\"4:5\"></b><section id=\"a\"><i data-b=\"4:6 y=4:7 on?2:1\"></i><i data-b=\"*4:3/a:b\"></i>\
                    <section id=\"check\"><i data-b=\"4:9\"></i><i data-b=\"4:10\"></i>";
        assert_eq!(
            stepped(html),
            "<b data-b=\"4:5\"></b><section id=\"a\"><i data-b=\"4:6 y=+1 on?2:1\"></i><i data-b=\"*4-4/a:b\"></i>\
             <section id=\"check\"><i data-b=\"4:9\"></i><i data-b=\"4:10\"></i>"
        );
    }
}
