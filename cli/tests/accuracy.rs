//! `memory-wall accuracy`: the sets that the project carries, or those of a folder.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests fail by panicking")]

mod common;

use std::path::PathBuf;

use common::{json, program, run};
use memory_wall_accuracy::{Data, all};
use serde_json::Value;

/// A folder of this test run with some of the files that the project carries.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for (file, text) in files {
        std::fs::write(folder.join(file), text).unwrap();
    }
    folder
}

fn carried(file: &str) -> String {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../accuracy/data/");
    std::fs::read_to_string(format!("{data}{file}")).unwrap()
}

#[test]
fn every_set_is_there_and_in_its_bound() {
    let (code, it) = json("accuracy");
    let sets = it["sets"].as_array().unwrap();
    let known = all(&Data::carried());
    assert_eq!(sets.len(), known.len());
    for (set, known) in sets.iter().zip(&known) {
        assert_eq!((set["name"].as_str(), set["rows"].as_u64()), (Some(known.name), Some(known.rows.len() as u64)));
        let figure = |key: &str| set[key].is_number() || set[key].is_null();
        for key in [
            "mean_abs_error",
            "max_abs_error",
            "fitted_mean_abs_error",
            "unfitted_max_abs_error",
            "reported_max_abs_error",
            "bound",
            "bound_mean",
        ] {
            assert!(set.get(key).is_some() && figure(key), "{key} in {set}");
        }
        for key in ["fitted_rows", "compared", "not_modelled", "verdicts", "verdicts_right"] {
            assert!(set[key].is_u64(), "{key} in {set}");
        }
        assert!(set["about"].is_string() && set.get("row_results").is_none());
        let rows = ["compared", "not_modelled", "verdicts"].map(|key| set[key].as_u64().unwrap());
        assert_eq!(rows.iter().sum::<u64>(), known.rows.len() as u64, "{set}");
        if let (Some(error), Some(bound), true) =
            (set["max_abs_error"].as_f64(), set["bound"].as_f64(), set["ok"] == true)
        {
            assert!(error <= bound, "{set}");
        }
    }
    let ok = sets.iter().all(|set| set["ok"] == true);
    assert_eq!((code, &it["ok"]), (i32::from(!ok), &Value::Bool(ok)));
}

#[test]
fn rows_are_shown_where_asked() {
    let (_, it) = json("accuracy --rows");
    let text = run("accuracy --rows").out;
    for set in it["sets"].as_array().unwrap() {
        let rows = set["row_results"].as_array().unwrap();
        assert_eq!(rows.len() as u64, set["rows"].as_u64().unwrap());
        for row in rows {
            assert!(row["id"].is_string() && row["unit"].is_string() && row["fitted"].is_boolean(), "{row}");
            assert_eq!(row["predicted"].is_number(), row["measured"].is_number(), "{row}");
            let id = row["id"].as_str().unwrap();
            assert!(text.lines().any(|line| line.starts_with(id)), "{id}");
        }
    }
}

#[test]
fn the_text_has_a_line_for_each_set() {
    let run = run("accuracy");
    assert_eq!(run.err, "");
    for set in all(&Data::carried()) {
        assert!(run.out.lines().any(|line| line.split(' ').next() == Some(set.name)), "{}", set.name);
    }
    assert!(run.out.lines().all(|line| line.trim_end() == line), "{}", run.out);
}

#[test]
fn a_folder_takes_the_place_of_what_is_carried() {
    let file = "formula_vectors.csv";
    let whole = folder("accuracy-whole", &[(file, &carried(file))]);
    let at = |folder: &PathBuf, more: &[&str]| -> common::Run {
        program().args(["accuracy", "--data", folder.to_str().unwrap()]).args(more).output().unwrap().into()
    };
    let run = at(&whole, &[]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(
        run.out.contains("logits-and-loss is absent: the folder has no file for it, or one without rows.\n"),
        "{}",
        run.out
    );
    let it: Value = serde_json::from_str(&at(&whole, &["--json"]).out).unwrap();
    let set = |name: &str| it["sets"].as_array().unwrap().iter().find(|set| set["name"] == name).cloned().unwrap();
    assert_eq!((&set("formula-vectors")["absent"], &set("formula-vectors")["ok"]), (&false.into(), &true.into()));
    assert_eq!((&set("logits-and-loss")["absent"], &set("logits-and-loss")["rows"]), (&true.into(), &0.into()));
}

#[test]
fn a_set_out_of_its_bound_is_a_no() {
    let file = "formula_vectors.csv";
    // The first published figure, ten times as large.
    let wrong = carried(file).replacen(",9.25391,", ",92.5391,", 1);
    let folder = folder("accuracy-wrong", &[(file, &wrong)]);
    for more in [&[][..], &["--json"]] {
        let run: common::Run =
            program().args(["accuracy", "--data", folder.to_str().unwrap()]).args(more).output().unwrap().into();
        assert_eq!((run.code, run.err.as_str()), (1, ""));
        assert!(run.out.contains(if more.is_empty() { " NO\n" } else { "\"ok\": false" }), "{}", run.out);
    }
}
