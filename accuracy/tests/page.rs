//! The page that publishes the errors says what the engine says today.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

use memory_wall_accuracy::{Data, all, sets, table};

/// Replace what stands between the marks with what is printed, when this fails.
#[test]
fn the_page_of_errors_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/accuracy.md");
    let mut page = std::fs::read_to_string(path).unwrap();
    let compared = all(&Data::carried());
    for (name, text) in [
        ("table", table::markdown(&compared)),
        ("sets", table::legend(&compared)),
        ("vllm errors", sets::vllm_errors(&Data::carried())),
        ("vllm", sets::vllm_by_gpu(&Data::carried())),
        ("left out", table::left_out(&compared)),
    ] {
        let (start, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
        let (before, rest) = page.split_once(&start).unwrap_or_else(|| panic!("no mark {name}"));
        let (found, after) = rest.split_once(&end).unwrap_or_else(|| panic!("no end of {name}"));
        if std::env::var_os("MEMORY_WALL_UPDATE").is_some() {
            page = format!("{before}{start}\n{text}\n{end}{after}");
            std::fs::write(path, &page).unwrap();
        } else {
            assert_eq!(
                found.trim(),
                text.trim(),
                "{name}: run again with MEMORY_WALL_UPDATE=1 to bring the page up to date"
            );
        }
    }
}
