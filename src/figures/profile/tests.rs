use memory_wall_core::display::{ByteUnit, THIN_SPACE};
use memory_wall_core::memory::overhead::CONTEXT_BYTES;
use memory_wall_core::profile::{self, Row};
use memory_wall_core::tables::models;
use memory_wall_core::{Mode, evaluate};

use super::model::planned;
use super::*;
use crate::figures;
use crate::live::Snapshot;
use crate::state::State;

fn text(snapshot: &Snapshot, binding: Binding) -> String {
    figures::said::<Model>(snapshot, binding).replace(THIN_SPACE, " ")
}

fn at(measured: [u64; 3]) -> Snapshot {
    Snapshot::of(State { measured, ..planned() })
}

fn said_of(measured: [u64; 3]) -> String {
    said_by(&at(measured))
}

/// An out-of-memory message with this request and this much held.
fn message(asked: &str, held: &str) -> String {
    format!(
        "CUDA out of memory. Tried to allocate {asked}. GPU 0 has a total capacity of 23.65 GiB of which 1.00 GiB is free. \
         Of the allocated memory {held} is allocated by PyTorch, and 430.00 MiB is reserved by PyTorch but unallocated."
    )
}

/// A training run on four sequences of 2,048 tokens that died with this message.
fn died(model: &str, message: &str) -> Snapshot {
    let mut state = State { mode: Mode::Training, batch: 4, unit: ByteUnit::Gib, ..State::default() };
    state.choose_model(models::by_id(model).unwrap());
    take(&mut state, &profile::read(message));
    Snapshot::of(state)
}

fn said_by(snapshot: &Snapshot) -> String {
    text(snapshot, Binding::Sentence)
}

#[test]
fn a_run_that_died_needs_what_it_held_and_what_it_asked_for() {
    let snapshot = died("llama-3.1-8b", &message("1.96 GiB", "21.50 GiB"));
    let said = said_by(&snapshot);
    assert!(said.contains("held 21.5 GiB when the run died, and asked for 1.96 GiB more"), "{said}");
    assert!(said.contains("needs at least 23.5 GiB"), "{said}");
    // It died below the estimate: it would have asked for more.
    assert!(said.contains("had not reached its peak") && !said.contains("Likeliest"), "{said}");
    assert!(!said.contains("different runs"), "what was reserved is less than what was needed: {said}");
    assert_eq!(text(&snapshot, Binding::Name(Row::Allocated)), "Needed: held and asked for");
    assert_eq!(text(&snapshot, Binding::Value(Row::Allocated)), "23.5 GiB");
    assert_eq!(text(&at([0; 3]), Binding::Name(Row::Allocated)), "Allocated at the peak");
}

#[test]
fn the_tensor_that_was_asked_for_is_named_with_what_makes_it_smaller() {
    let said = |model: &str, asked: &str| said_by(&died(model, &message(asked, "21.50 GiB")));
    for (asked, parts) in [
        ("1.96 GiB", ["is the size of the logits (4 × 2,048 × 128,256 × 2 bytes).", "A chunked loss"]),
        ("3.91 GiB", ["is the size of the logits (4 × 2,048 × 128,256 × 4 bytes).", "A chunked loss"]),
        ("1.00 GiB", ["attention scores (4 × 32 × 2,048 × 2,048 × 2 bytes).", "FlashAttention"]),
        ("502.00 MiB", ["the embedding table or output head", "ZeRO-3"]),
        ("1.23 GiB", ["None of the tensors looked at has the size of 1.23 GiB", "memory snapshot"]),
        ("20.00 MiB", ["may hold any small tensor", "simply full"]),
    ] {
        let text = said("llama-3.2-1b", asked);
        assert!(parts.iter().all(|part| text.contains(part)), "{asked}: {text}");
    }
    // Only tensors that the model has are named: every layer of Mixtral is a mixture.
    let dense = said("llama-3.2-1b", "1.23 GiB");
    assert!(dense.contains("one MLP matrix") && !dense.contains("experts"), "{dense}");
    let mixture = said("mixtral-8x7b", "1.23 GiB");
    assert!(mixture.contains("one layer's attention scores") && mixture.contains("Tensors of experts"), "{mixture}");
    assert!(!mixture.contains("MLP"), "{mixture}");
    // 128,256 × 4,096 × 4 bytes are as many: nothing but the traceback tells which.
    let several = said("llama-3.1-8b", "1.96 GiB");
    for part in ["several tensors", "the logits (4", "head, its gradient", "traceback", "chunked loss", "ZeRO-3"] {
        assert!(several.contains(part), "{several}");
    }
}

#[test]
fn the_example_names_what_it_was_made_with() {
    let said = said_of([0; 3]);
    assert!(said.contains("more than the estimate of"), "{said}");
    assert!(said.contains("Likeliest: attention ran in separate kernels"), "{said}");
    assert!(said.ends_with("about what a context takes."), "{said}");
    // Whatever the settings of the page are: it is an example of its own.
    assert_eq!(said_by(&Snapshot::of(State::default())), said);
}

#[test]
fn each_kind_of_reading_has_its_sentence() {
    let estimate = u64::try_from(evaluate::total(&planned().scenario()).0).unwrap() - CONTEXT_BYTES;
    let gib = 1 << 30;
    for (measured, part) in [
        ([estimate, 0, 0], "no bucket is missing"),
        ([estimate, estimate - gib, 0], "two are from different runs"),
        ([estimate, estimate + gib, estimate], "asked at another moment"),
        ([estimate, estimate + gib, estimate + 5 * gib], "or another program"),
        ([0, estimate, 0], "is not given"),
        ([1 << 50, 0, 0], "No single setting explains that"),
    ] {
        let said = said_of(measured);
        assert!(said.contains(part), "{measured:?}: {said}");
    }
    assert!(said_of([estimate / 2, 0, 0]).contains(" less than the estimate"));
}

#[test]
fn every_row_has_its_names_whatever_was_measured() {
    let most = 1 << 50;
    for measured in [[0; 3], [1, 0, 0], [0, 0, 1], [most; 3], [1, most, 1], [most, 1, most]] {
        let snapshot = at(measured);
        for row in Row::ALL {
            for binding in [Binding::Value(*row), Binding::X(*row), Binding::Width(*row)] {
                let text = text(&snapshot, binding);
                assert!(!text.is_empty() && !text.contains("NaN"), "{measured:?} {binding:?}: {text}");
            }
        }
    }
    assert_eq!(text(&at([0; 3]), Binding::Value(Row::Unexplained)).chars().next(), Some('+'));
}

#[test]
fn what_was_pasted_is_named_and_never_repeated() {
    let mut state = State::default();
    let hostile =
        "<img src=x onerror=alert(1)> {'allocated_bytes.all.peak': 31139561472, 'reserved_bytes.all.peak': nan}";
    let paste = profile::read(hostile);
    take(&mut state, &paste);
    assert_eq!(state.measured, [31_139_561_472, 0, 0]);
    let said_now = said(&paste, ByteUnit::Gib).replace('\u{202f}', " ");
    assert_eq!(
        said_now,
        "Allocated at the peak: 29.0 GiB. Reserved at the peak: no size between a byte and a pebibyte, not used. Used, by nvidia-smi: not in the text. "
    );
    assert!(said(&profile::read("hello"), ByteUnit::Gb).starts_with("Nothing was found"));
    let long = format!("'allocated_bytes.all.peak': 5{}", " ".repeat(profile::LONGEST));
    assert!(said(&profile::read(&long), ByteUnit::Gb).contains("only its first"));
    assert_eq!(crate::state::query::encode(&state), "", "what was measured is in no link");
}
