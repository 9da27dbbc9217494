//! Ours against the calculation by hand, the calculations themselves, and the page that shows them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

use std::{env, fs};

use memory_wall_accuracy::peers::{self, Case, How, worth};

fn cases() -> Vec<Case> {
    peers::cases().unwrap()
}

#[test]
fn every_calculation_by_hand_comes_out() {
    for case in cases() {
        assert_eq!(worth(&case.sum), Ok(case.hand), "{}", case.id);
        assert!(!case.words.is_empty() && !case.quantity.is_empty(), "{} is not said in words", case.id);
        assert!(["bytes", "parameters"].contains(&case.unit.as_str()), "{}: {}", case.id, case.unit);
    }
}

#[test]
fn ours_is_the_calculation_by_hand() {
    for case in cases() {
        let ours = peers::ours(&case.id).unwrap_or_else(|| panic!("{} is not computed", case.id));
        assert_eq!(ours.to_string(), format!("{:.0}", case.hand), "{}", case.id);
    }
}

#[test]
fn every_case_has_a_peer_and_every_difference_a_reason() {
    for case in cases() {
        assert!(!case.figures.is_empty(), "{} has no peer", case.id);
        for figure in &case.figures {
            let what = format!("{} of {}", figure.tool, case.id);
            assert!(!figure.version.is_empty() && !figure.call.is_empty(), "{what}: version or call is missing");
            let apart = !figure.same_question || !figure.agrees(&case);
            assert_eq!(figure.note.is_empty(), !apart, "{what}: a reason is for what differs, and each has one");
            if figure.how == How::Formula {
                assert_eq!(worth(&figure.call), Ok(figure.output), "{what}");
            }
        }
    }
}

#[test]
fn a_tool_has_one_version() {
    let figures: Vec<_> = cases().into_iter().flat_map(|case| case.figures).collect();
    for figure in &figures {
        let others = figures.iter().filter(|other| other.tool == figure.tool);
        assert!(others.into_iter().all(|other| other.version == figure.version), "{}", figure.tool);
    }
}

#[test]
fn rows_that_cannot_be_read_are_refused() {
    let head = "case_id,quantity,unit,tool,version,how,answers,call,output,rounded_to,note\n";
    for (rows, why) in [
        ("a,q,bytes,x,1,run,same,call,1,,\n", "a begins without a calculation by hand"),
        ("a,q,bytes,by hand,,hand,same,1,1,,w\na,q,bytes,by hand,,hand,same,1,1,,w\n", "a is calculated by hand twice"),
        ("a,q,bytes,by hand,,hand,same,1,1,,w\na,q,bytes,x,1,guess,same,call,1,,\n", "how \"guess\" is not known"),
        (
            "a,q,bytes,by hand,,hand,same,1,1,,w\na,q,bytes,x,1,run,no,call,1,,\n",
            "answers \"no\" is neither same nor other",
        ),
        ("a,q,bytes,by hand,,hand,same,1,,,w\n", "output is not stated"),
    ] {
        assert_eq!(peers::read(&format!("{head}{rows}")), Err(why.into()));
    }
}

/// Run again with `MEMORY_WALL_UPDATE=1` to bring the tables up to date, when this fails.
#[test]
fn the_page_shows_what_the_data_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/side-by-side.md");
    let mut page = fs::read_to_string(path).unwrap();
    for (name, text) in peers::parts(&cases()) {
        let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
        let (before, rest) = page.split_once(&start).unwrap_or_else(|| panic!("no mark {name}"));
        let (found, after) = rest.split_once(&end).unwrap_or_else(|| panic!("no end of {name}"));
        if env::var_os("MEMORY_WALL_UPDATE").is_some() {
            page = format!("{before}{start}\n{}\n\n{end}{after}", text.trim());
            fs::write(path, &page).unwrap();
        } else {
            assert_eq!(found.trim(), text.trim(), "{name}: run again with MEMORY_WALL_UPDATE=1");
        }
    }
}
