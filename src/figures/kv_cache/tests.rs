use memory_wall_core::display::THIN_SPACE;

use super::model::Row;
use super::*;
use crate::figures::{Model as _, said};
use crate::live::Snapshot;
use crate::state::query;

fn says(query: &str, binding: Binding) -> String {
    said::<Model>(&Snapshot::of(query::decode(query).state), binding).replace(THIN_SPACE, " ")
}

fn row(id: &str) -> Row {
    Row::ALL.into_iter().find(|row| row.id() == id).unwrap()
}

#[test]
fn the_figures_of_the_prose() {
    for (query, binding, text) in [
        ("seq=4096", Binding::Bf16(row("mha")), "2.15 GB"),
        ("seq=4096", Binding::Bf16(row("gqa")), "537 MB"),
        ("seq=4096", Binding::Bf16(row("mqa")), "67.1 MB"),
        ("seq=4096", Binding::Bf16(row("latent")), "151 MB"),
        ("seq=4096", Binding::Int8(row("mha")), "1.07 GB"),
        ("seq=4096", Binding::Int4(row("mha")), "537 MB"),
        ("model=deepseek-v3", Binding::Token(Row::Yours), "70.3 kB"),
        ("model=deepseek-v3", Binding::Whole, "5.00 MB"),
        ("model=deepseek-v3", Binding::Saving, "71.1"),
        ("model=qwen3-30b-a3b", Binding::Shortcut, "50%"),
        ("model=gemma-3-27b-text", Binding::Shortcut, "131%"),
        ("v=1", Binding::UsefulLow, "20%"),
        ("v=1", Binding::UsefulHigh, "38%"),
        ("v=1", Binding::Fits(row("mha")), "65"),
    ] {
        assert_eq!(says(query, binding), text, "{query}: {binding:?}");
    }
    assert_eq!((USERS.answer)(), Some(32.0));
    assert_eq!(says("seq=4096", Binding::Fits(Row::Yours)), "32");
}

#[test]
fn every_factor_moves_every_mark_by_the_same_step() {
    let step = |row: Row| {
        let at = |query: &str| says(query, Binding::AtBf16(row)).trim_end_matches('%').parse::<f64>().unwrap();
        [at("seq=4096") - at("seq=2048"), at("batch=2") - at("v=1")]
    };
    for id in ["mha", "gqa", "mqa", "latent", "yours"] {
        for step in step(row(id)) {
            assert!((step - libm::log10(2.0) / 7.0 * 100.0).abs() < 0.02, "{id}: {step}");
        }
    }
    assert!(step(row("sliding"))[0] < step(row("mha"))[0], "most of its layers keep the window only");
}

#[test]
fn the_rows_are_the_reader_s_model_and_every_kind() {
    let kinds = memory_wall_core::memory::kinds::Kind::ALL.iter().map(|kind| kind.id());
    assert!(std::iter::once("yours").chain(kinds).eq(Row::ALL.iter().map(|row| row.id())));
    assert_eq!(Model::ID, "kv_cache");
}
