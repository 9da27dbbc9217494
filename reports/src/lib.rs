//! What other programs print or save: messages of runs that died, logs of servers, model files, memory snapshots.
//!
//! Bytes go in and typed facts come out, each with the place where it stands. Nothing that is read is executed, and every reader is
//! bounded in memory and time. What a text doesn't hold stays unknown; what can't be read is said with its place.
//!
//! [`Reader`] takes texts, recognises by their content what they are, and gives [`Report`]s.
//!
//! ```
//! use memory_wall_reports::{Kind, What, read};
//! let found = read(b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0 has a total capacity of 79.11 GiB of which 512.00 MiB is free.");
//! let report = &found.reports[0];
//! assert_eq!((report.kind, report.size(What::Free).unwrap().bytes), (Kind::Cuda, 512 << 20));
//! ```
//!
//! [`explain`] sets the engine's estimate beside them.
#![no_std]

extern crate alloc;

#[cfg(test)]
extern crate std;

#[macro_use]
mod names;

mod by_name;
mod capital;
mod decode;
#[cfg(feature = "estimate")]
pub mod explain;
pub mod files;
mod fold;
mod formats;
pub mod handover;
mod line;
mod marks;
pub mod memory_report;
pub mod model_files;
mod name;
mod order;
mod pattern;
pub mod pickle;
mod pile;
mod place;
mod reader;
mod report;
mod scan;
mod settings;
mod size;
pub mod snapshot;
mod stats;
mod tables;
mod told;
mod traceback;
pub mod values;
mod what;

pub use by_name::ByName;
pub use capital::capital;
pub use line::LONGEST_LINE;
pub use pile::{How, Pile, Sources};
pub use place::Place;
pub use reader::{Found, MOST_REPORTS, Reader, read};
pub use report::{Device, Fact, MOST_FACTS, Report, SAME, Value};
pub use size::{Base, MOST, Size, Unit};
pub use what::{Kind, Part, Phase, Refusal, What};
