//! What is asked of any bytes, whatever a fuzzer or a hostile file holds: an answer or words, and nothing that does not add up.

use memory_wall_reports::model_files::{ModelFile, ModelJson, Reader, breakdown, kv_bytes_per_token, read_model_json};
use memory_wall_reports::snapshot::{Flame, Snapshot, leaks};

/// A file as a model file, in pieces of a size that the bytes themselves choose.
pub(crate) fn ask_model_file(bytes: &[u8]) -> Option<String> {
    match read_model_json(bytes) {
        Ok(Some(ModelJson::Config(config))) => {
            let _ = config.architecture.map_err(|error| words(&error));
        }
        Ok(_) => {}
        Err(error) => drop(words(&error)),
    }
    let piece = 1 + bytes.last().map_or(0, |byte| usize::from(*byte) << 8);
    let mut reader = Reader::of(bytes, bytes.len() as u64)?;
    while let Some(range) = reader.wants() {
        assert!(range.start <= range.end && range.end <= bytes.len() as u64, "{range:?} of {}", bytes.len());
        let [start, end] = [range.start, range.end].map(|at| usize::try_from(at).unwrap_or(bytes.len()));
        let long = end.min(start + piece.max(1 << 16));
        if let Err(error) = reader.give(&bytes[start..long]) {
            assert!(error.at <= bytes.len() as u64);
            return Some(words(&error));
        }
    }
    match reader.finish()? {
        ModelFile::Safetensors(file) => {
            let sum: u64 = file.tensors.iter().map(|tensor| tensor.bytes).sum();
            let shares: u64 = breakdown(&file.tensors).iter().map(|share| share.bytes).sum();
            assert_eq!(sum, shares);
            assert_eq!(file.header + sum + file.trailing, bytes.len() as u64 + file.missing);
        }
        ModelFile::Gguf(file) => {
            let shares: u128 = breakdown(&file.tensors).iter().map(|share| u128::from(share.tensors)).sum();
            assert_eq!(shares, file.tensors.len() as u128);
            let _ = (file.mix(), file.most_common(), file.sidecar());
            match file.architecture() {
                Ok(shape) => assert!(kv_bytes_per_token(shape).is_some()),
                Err(error) => drop(words(&error)),
            }
        }
    }
    None
}

/// A file as a snapshot, and everything that is made of one.
pub(crate) fn ask_snapshot(bytes: &[u8]) -> Option<String> {
    let snapshot = match Snapshot::read(bytes) {
        Ok(snapshot) => snapshot,
        Err(refused) => return Some(words(&refused)),
    };
    for device in &snapshot.devices {
        let (trace, totals) = (&device.trace, &device.totals);
        assert!(totals.requested <= totals.allocated && totals.allocated <= totals.active);
        assert!(totals.active + totals.fragmented + totals.cached <= totals.reserved);
        let peak = trace.peak();
        assert_eq!(peak.composition.iter().sum::<u64>(), peak.bytes);
        let timeline = &trace.timeline;
        let last = timeline.len();
        for (from, to, count) in [(0, last, 100), (last / 3, last / 2, 7), (0, u32::MAX, 1), (last, 0, 5)] {
            let columns = timeline.columns(from, to, count);
            assert!(columns.len() <= count as usize);
            for column in columns {
                assert!(column.least <= column.most && column.from < column.to);
                assert_eq!(column.composition.iter().sum::<u64>(), column.most);
                assert!(column.most <= peak.bytes);
            }
        }
        for event in [None, peak.event, last.checked_sub(1)] {
            let flame = Flame::of(trace, &snapshot.frames, event, true);
            assert_eq!(flame.nodes[0].bytes, timeline.allocated(event));
            let top: u64 = trace.top(&snapshot.frames, event, usize::MAX).iter().map(|top| top.bytes).sum();
            assert_eq!(top, timeline.allocated(event));
        }
        trace.remarks().iter().for_each(|remark| drop(words(remark)));
        for leak in leaks(trace, &snapshot.frames) {
            let _ = leak.line.map(|line| (snapshot.frames.place(line), snapshot.frames.name(line)));
        }
    }
    None
}

/// The words of a refusal: some, and not an essay.
fn words(error: &dyn std::fmt::Display) -> String {
    let words = error.to_string();
    assert!(!words.is_empty() && words.len() < 1_000, "{words}");
    assert!(!words.chars().any(|letter| letter.is_control() && letter != '\n'), "{words:?}");
    words
}
