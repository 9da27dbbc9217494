//! `torch.cuda.memory_stats()`: its repr, JSON or a pretty print, flat or nested.

use crate::report::Value;
use crate::scan::{self, Number};
use crate::size::{MOST, Size};
use crate::what::What;

/// The keys whose numbers are kept, of all pools: what is allocated, active, reserved, requested, and free parts of segments in use.
const KEYS: [(&str, What, What); 5] = [
    ("allocated_bytes", What::Allocated, What::PeakAllocated),
    ("active_bytes", What::Active, What::PeakActive),
    ("reserved_bytes", What::Reserved, What::PeakReserved),
    ("requested_bytes", What::RequestedByTensors, What::RequestedByTensors),
    ("inactive_split_bytes", What::InactiveSplit, What::InactiveSplit),
];

/// How far a nested dictionary has been read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Nested {
    /// The key on the outside.
    key: Option<usize>,
    /// Whether the numbers are those of all pools.
    all: bool,
    /// Lines since the last key.
    pub(crate) idle: u16,
}

/// Reads a line; hands on each number with its place, and says whether there was one or a part of one.
pub(crate) fn read(text: &[u8], nested: &mut Nested, mut each: impl FnMut(What, Value, usize)) -> bool {
    let mut at = 0;
    let mut seen = false;
    while let Some(quote) = text.get(at..).and_then(|rest| rest.iter().position(|byte| matches!(byte, b'"' | b'\''))) {
        let start = at + quote + 1;
        let rest = text.get(start..).unwrap_or_default();
        let length = rest.iter().take(64).take_while(|byte| !matches!(byte, b'"' | b'\'' | b'\\')).count();
        let word = rest.get(..length).unwrap_or_default();
        at = start + length + 1;
        // What stands behind the quote and its separator; the repr of an OrderedDict has a comma.
        let behind = rest.get(length..).unwrap_or_default();
        let behind = behind.strip_prefix(b"\\").unwrap_or(behind);
        let behind = scan::unspaced(behind.get(1..).unwrap_or_default());
        let Some((b':' | b',', value)) = behind.split_first() else { continue };
        let Ok(word) = core::str::from_utf8(word) else { continue };
        let place = text.len() - scan::unspaced(value).len();
        let number = Number::read(value).and_then(|number| number.count()).and_then(|count| i64::try_from(count).ok());
        let number = number.filter(|bytes| *bytes <= MOST);
        let mut flat = word.split('.');
        let name = flat.next().unwrap_or_default();
        let key = KEYS.iter().position(|(key, ..)| *key == name);
        match (word, key, number) {
            ("num_ooms", _, Some(count)) => each(What::OutOfMemoryEvents, Value::Count(count.unsigned_abs()), place),
            ("num_alloc_retries", _, Some(count)) => each(What::Retries, Value::Count(count.unsigned_abs()), place),
            (_, Some(key), Some(bytes)) => {
                if flat.next() == Some("all") {
                    hand(key, flat.next().unwrap_or_default(), bytes, place, &mut each);
                }
            }
            (_, Some(key), None) => *nested = Nested { key: Some(key), all: false, idle: 0 },
            ("all", None, None) => nested.all = true,
            ("large_pool" | "small_pool", None, None) => nested.all = false,
            (which, None, Some(bytes)) => {
                if let Some(key) = nested.key.filter(|_| nested.all) {
                    hand(key, which, bytes, place, &mut each);
                }
            }
            _ => continue,
        }
        seen = true;
    }
    seen
}

fn hand(key: usize, which: &str, bytes: i64, place: usize, each: &mut impl FnMut(What, Value, usize)) {
    let Some((_, current, peak)) = KEYS.get(key) else { return };
    let what = match which {
        "current" => *current,
        // Of these two the peak stands for nothing else.
        "peak" if current != peak => *peak,
        _ => return,
    };
    each(what, Value::Size(Size::exact(bytes)), place);
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec::Vec;

    fn found(lines: &[&str]) -> String {
        let mut nested = Nested::default();
        let mut found = Vec::new();
        for line in lines {
            read(line.as_bytes(), &mut nested, |what, value, _| found.push(alloc::format!("{} {value:?}", what.id())));
        }
        found.join("; ").replace("Size(Size { bytes: ", "").replace(", grain: 0, floor: false })", "")
    }

    #[test]
    fn flat_and_nested_say_the_same() {
        let all = "allocated 4096; peak_allocated 8192";
        assert_eq!(
            found(&[
                "{'allocated_bytes.all.current': 4096, 'allocated_bytes.all.peak': 8192, 'allocated_bytes.small_pool.peak': 7}"
            ]),
            all
        );
        assert_eq!(
            found(&[
                "OrderedDict([('allocated_bytes.all.current', 4096), ('allocated_bytes.all.peak', 8192), ('x', 1)])"
            ]),
            all
        );
        assert_eq!(
            found(&[
                "{\"allocated_bytes\": {\"all\": {\"current\": 4096, \"peak\": 8192}, \"large_pool\": {\"current\": 5}}}"
            ]),
            all
        );
        assert_eq!(
            found(&[
                "\"allocated_bytes\": {",
                " \"all\": {",
                "\"current\": 4096,",
                "\"peak\": 8192",
                "}, \"small_pool\": {",
                "\"peak\": 7"
            ]),
            all
        );
        assert_eq!(found(&["'active_bytes.all.peak': 12, 'num_ooms': 3}"]), "peak_active 12; ooms Count(3)");
        assert_eq!(
            found(&["'allocated_bytes.all.peak': 99999999999999999999}", "'", "'a", "\"allocated_bytes\":"]),
            ""
        );
    }
}
