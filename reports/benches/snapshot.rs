//! How long a snapshot takes to be read, and how much memory: a real step and a million events. Prints `name<TAB>value<TAB>unit<TAB>bound` a line.

#[path = "../tests/made/mod.rs"]
mod made;

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use made::training::Training;
use memory_wall_reports::snapshot::{Flame, Snapshot};

/// Events, frames of a stack, the most milliseconds, and the most megabytes beside the file itself.
const CASES: [(u64, usize, f64, f64); 2] = [(20_000, 45, 150.0, 60.0), (1_000_000, 45, 2_000.0, 300.0)];
/// Columns of a wide screen.
const COLUMNS: u32 = 2_560;

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    // A process of its own has a peak of its own.
    if let (Some("read"), Some(path)) = (arguments.next().as_deref(), arguments.next()) {
        return read(Path::new(&path));
    }
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    for (events, depth, most_ms, most_mb) in CASES {
        let (pickle, expected) = Training::of_events(events, depth).pickle(4);
        let path = std::env::temp_dir().join(format!("memory-wall-bench-{}.pickle", std::process::id()));
        std::fs::write(&path, &pickle).map_err(|error| error.to_string())?;
        let output = Command::new(&program).arg("read").arg(&path).output().map_err(|error| error.to_string())?;
        let _ = std::fs::remove_file(&path);
        let said = String::from_utf8_lossy(&output.stdout);
        let values: Vec<f64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [peak, time, memory, column_ms, graph_ms] = values[..] else {
            return Err(format!("the reader said {said} {}", String::from_utf8_lossy(&output.stderr)));
        };
        let name = format!("{} events, {} bytes", expected.events, pickle.len());
        println!("native snapshot, read: {name}\t{time:.1}\tms\t{most_ms}");
        println!("native snapshot, memory: {name}\t{memory:.1}\tMB\t{most_mb}");
        println!("native snapshot, frame of {COLUMNS} columns: {name}\t{column_ms:.2}\tms\t16");
        println!("native snapshot, flame graph: {name}\t{graph_ms:.2}\tms\t100");
        if (peak - expected.peak as f64).abs() > 0.5 || time > most_ms || memory > most_mb {
            return Err(format!("{name}: a peak of {peak} bytes, {time:.1} ms, {memory:.1} MB"));
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<(), String> {
    let pickle = std::fs::read(path).map_err(|error| error.to_string())?;
    let start = processor_time();
    let snapshot = Snapshot::read(black_box(&pickle)).map_err(|refused| refused.to_string())?;
    let device = snapshot.fullest().ok_or("no device")?;
    let peak = device.trace.peak();
    let time = processor_time() - start;
    let timeline = &device.trace.timeline;
    let (last, frames) = (timeline.len(), 100);
    let start = Instant::now();
    for frame in 0..frames {
        // As a reader zooms in.
        let from = last / 2 / frames * frame;
        black_box(timeline.columns(from, last - from, COLUMNS));
    }
    let drawn = start.elapsed() / frames;
    let start = Instant::now();
    black_box(Flame::of(&device.trace, &snapshot.frames, peak.event, true));
    let graph = start.elapsed();
    let [drawn, graph] = [drawn, graph].map(|time| time.as_secs_f64() * 1e3);
    let memory = most_memory() - pickle.len() as f64 / 1e6;
    println!("{} {time} {memory} {drawn} {graph}", peak.bytes);
    Ok(())
}

/// Milliseconds that this process computed: what others do on the machine is not in it. The system counts hundredths of a second.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<f64> = stat.split_whitespace().skip(13).take(2).filter_map(|word| word.parse().ok()).collect();
    fields.iter().sum::<f64>() * 10.0
}

/// The most memory that this process had, in megabytes; 0 where the system does not say.
fn most_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: f64 = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0.0);
    kib * 1_024.0 / 1e6
}
