//! What must hold of any bytes whatever that someone pastes. The fuzzer asks the same.

use memory_wall_reports::explain::{Stated, explain};
use memory_wall_reports::{Found, MOST, MOST_FACTS, MOST_REPORTS, Reader, SAME, Value, read};

/// Reads the bytes, in one piece and in several, and asks everything there is to ask.
pub(crate) fn ask_everything(bytes: &[u8]) -> Found {
    let found = read(bytes);
    let lines = bytes.split(|byte| *byte == b'\n').count();
    assert!(found.reports.len() <= MOST_REPORTS);
    for report in &found.reports {
        assert!(report.facts.len() <= MOST_FACTS);
        assert!(report.from >= 1 && report.from <= report.to && report.to <= lines, "{report:?} of {lines} lines");
        for fact in &report.facts {
            assert!((1..=lines).contains(&fact.place.line) && fact.place.column >= 1, "{fact:?}");
            let alike = report.facts.iter().filter(|other| other.what == fact.what).count();
            assert!(alike <= SAME);
            match &fact.value {
                Value::Size(size) => {
                    assert!(
                        size.bytes.abs() <= MOST && size.least() <= size.bytes && size.bytes <= size.most(),
                        "{size:?}"
                    );
                }
                Value::Name(name) => {
                    assert!(
                        !name.is_empty() && name.len() <= 128 && !name.contains(['/', '\\', '@', '\n', '\u{1b}']),
                        "{name:?}"
                    );
                }
                Value::Shape(shape) => assert!((1..=8).contains(&shape.len())),
                _ => {}
            }
        }
    }
    // However the bytes arrive, the same is found.
    let mut reader = Reader::new();
    for piece in bytes.chunks(7) {
        reader.feed(piece);
    }
    assert_eq!(reader.finish(), found);
    let stated = Stated { model: None, gpu: None, mode: None, adjust: &|_| (), sizes: false };
    let explanation = explain(&found, &[], &stated);
    for sentence in
        explanation.causes.iter().map(ToString::to_string).chain(explanation.notes.iter().map(ToString::to_string))
    {
        assert!(sentence.ends_with('.') && sentence.len() < 600, "{sentence}");
    }
    for contradiction in &explanation.contradictions {
        assert!(contradiction.to_string().ends_with('.'));
    }
    assert!(explanation.changes.len() <= 3 && explanation.about.len() <= found.reports.len());
    found
}
