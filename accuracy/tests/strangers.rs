//! Rows of other selections: whatever a cell says, each row is shown in some set and nothing panics.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use memory_wall_accuracy::{Data, all, csv};

/// Files whose rows come in many selections, with the column that names a row.
const FILES: [(&str, &str, &str); 7] = [
    ("training_peaks.csv", "row_id", include_str!("../data/training_peaks.csv")),
    ("peft_runs.csv", "row_id", include_str!("../data/peft_runs.csv")),
    ("kv_cache.csv", "case_id", include_str!("../data/kv_cache.csv")),
    ("kv_cache_run.csv", "name", include_str!("../data/kv_cache_run.csv")),
    ("vllm_runs.csv", "row_id", include_str!("../data/vllm_runs.csv")),
    ("vllm_starts.csv", "row_id", include_str!("../data/vllm_starts.csv")),
    ("inference_peaks.csv", "row_id", include_str!("../data/inference_peaks.csv")),
];

const ODD: [&str; 7] = ["", "x", "0", "-1", "0.5", "4294967295", "99999999999999999999"];

/// A folder of its own, gone when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("memory-wall-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A text with one column replaced in all rows.
fn with_column(text: &str, column: &str, value: &str) -> String {
    let header = text.lines().find(|line| !line.starts_with('#')).unwrap();
    let names: Vec<&str> = header.split(',').collect();
    let quoted = |cell: &str| format!("\"{}\"", cell.replace('"', "\"\""));
    let mut changed = header.to_owned();
    for row in csv::File::read(text).rows() {
        let cells: Vec<String> =
            names.iter().map(|name| quoted(if *name == column { value } else { row.text(name) })).collect();
        changed.push('\n');
        changed.push_str(&cells.join(","));
    }
    changed
}

/// The rows that a folder with this one file shows, by the first word of their names.
fn shown(folder: &Folder, file: &str, text: &str) -> BTreeSet<String> {
    fs::write(folder.0.join(file), text).unwrap();
    let data = Data::folder(&folder.0).unwrap();
    let rows = all(&data).into_iter().flat_map(|set| set.rows);
    rows.map(|row| row.id.split(' ').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn no_cell_makes_a_row_vanish() {
    // Each file has a thread of its own: one after the other they take over a minute.
    std::thread::scope(|scope| {
        for (file, name, text) in FILES {
            scope.spawn(move || no_cell_of_a_file_makes_a_row_vanish(file, name, text));
        }
    });
}

fn no_cell_of_a_file_makes_a_row_vanish(file: &str, name: &str, text: &str) {
    let folder = Folder::new(file);
    let header = text.lines().next().unwrap();
    let rows = csv::File::read(text);
    let first = |row: csv::Row<'_>| row.text(name).split(' ').next().unwrap_or_default().to_owned();
    let names: BTreeSet<String> = rows.rows().map(first).collect();
    for column in header.split(',') {
        for odd in ODD {
            let seen = shown(&folder, file, &with_column(text, column, odd));
            if column != name {
                assert_eq!(seen, names, "{file}: {column} {odd:?}");
            }
        }
    }
}
