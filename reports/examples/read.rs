//! Reads files and prints what was understood: `cargo run --release -p memory-wall-reports --example read FILE ...`.

use std::time::Instant;

use memory_wall_reports::files::{self, File, Kind};
use memory_wall_reports::model_files::{self, ModelFile, breakdown, kv_bytes_per_token};
use memory_wall_reports::snapshot::{CATEGORIES, Flame, Snapshot, leaks};

fn main() {
    for path in std::env::args().skip(1) {
        println!("{path}");
        match std::fs::read(&path) {
            Ok(bytes) => match files::recognise(&bytes, bytes.len() as u64) {
                Some(Kind::Model) => model(&bytes),
                Some(Kind::Pickle | Kind::Json) => whole(&bytes),
                Some(Kind::Refused(why)) => println!("  {why}"),
                None => println!("  a text, or not known"),
            },
            Err(error) => println!("  {error}"),
        }
    }
}

fn whole(bytes: &[u8]) {
    let start = Instant::now();
    let read = files::read(bytes);
    println!("  {} bytes in {:.1} ms", bytes.len(), start.elapsed().as_secs_f64() * 1e3);
    match read {
        Err(error) => println!("  {error}"),
        Ok(Some(File::Snapshot(read))) => snapshot(&read),
        Ok(other) => println!("  {other:?}"),
    }
}

fn snapshot(snapshot: &Snapshot) {
    for device in &snapshot.devices {
        let (totals, trace) = (&device.totals, &device.trace);
        println!("  device {}: {totals:?}", device.number);
        println!("  {} events, {} tensors, {:?}", trace.events.len(), trace.allocations.len(), trace.fit);
        for remark in trace.remarks() {
            println!("  {remark}");
        }
        let peak = trace.peak();
        println!("  peak {peak:?}");
        for (name, place) in [("peak", peak.event), ("end", trace.timeline.len().checked_sub(1))] {
            let composition = trace.timeline.composition(place);
            let parts =
                CATEGORIES.iter().zip(composition).map(|(category, bytes)| format!("{} {bytes}", category.name()));
            println!("  {name}: {}", parts.collect::<Vec<_>>().join(", "));
        }
        for top in trace.top(&snapshot.frames, peak.event, 5) {
            let line = top.line.map_or_else(|| "?".into(), |line| snapshot.frames.place(line));
            println!("    {} in {} {} from {line}", top.bytes, top.count, top.category.name());
        }
        let flame = Flame::of(trace, &snapshot.frames, peak.event, true);
        println!("  {} nodes, {} leaks", flame.nodes.len(), leaks(trace, &snapshot.frames).len());
    }
}

fn model(bytes: &[u8]) {
    let start = Instant::now();
    let read = model_files::read(bytes);
    println!("  {} bytes in {:.1} ms", bytes.len(), start.elapsed().as_secs_f64() * 1e3);
    let tensors = match read {
        Err(error) => return println!("  {error}"),
        Ok(ModelFile::Safetensors(file)) => {
            println!("  safetensors, header of {} bytes, {} missing", file.header, file.missing);
            file.tensors
        }
        Ok(ModelFile::Gguf(file)) => {
            println!("  GGUF {}, data at {}, {} missing, {:?}", file.version, file.data, file.missing, file.sidecar());
            println!("  mix {:?}, {:?}, {} keys", file.mix(), file.weights(), file.metadata.iter().count());
            match file.architecture() {
                Ok(shape) => println!("  {shape:?}\n  {:?} a token", kv_bytes_per_token(shape)),
                Err(error) => println!("  {error}"),
            }
            file.tensors
        }
    };
    for share in breakdown(&tensors) {
        println!("  {} {}: {} tensors, {} bytes", share.class.name(), share.dtype, share.tensors, share.bytes);
    }
}
