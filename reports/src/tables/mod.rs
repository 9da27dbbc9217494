//! Tables: of `nvidia-smi` in all its forms, of `rocm-smi`, of other programs' estimates, of XLA's largest buffers and a GGUF file's tensors.
//!
//! A table is begun by its head, and each line behind it belongs to it until one does not.

mod accelerators;
mod account;
mod csv;
mod estimates;
mod nvidia;
mod rocm;
mod tensors;
mod xla;

use alloc::vec::Vec;

use crate::report::{Device, Value};
use crate::scan;
use crate::size::Unit;
use crate::what::{Kind, What};

pub(crate) use account::Account;
pub(crate) use csv::headless;
pub(crate) use tensors::Tensors;

/// What takes a fact from a row of a table: the device, the quantity, its value, and its column in the line.
pub(crate) type Row<'a> = &'a mut dyn FnMut(Device, What, Value, usize);

/// Lines of a table that say nothing before it counts as ended.
const IDLE: u16 = 120;

/// A table that has begun.
#[derive(Debug)]
pub(crate) enum Table {
    /// The default output of `nvidia-smi`, and of what looks like it.
    Nvidia {
        /// Whose it is.
        kind: Kind,
        /// The GPU whose row came last.
        gpu: Option<u16>,
        /// Whether the list of processes has begun.
        processes: bool,
        /// Whether the parts of split GPUs have begun, which are no GPUs.
        parts: bool,
    },
    /// `nvidia-smi -q`.
    NvidiaQuery {
        /// GPUs so far.
        gpus: u16,
        /// Whether the block of the GPU's own memory has begun.
        memory: bool,
    },
    /// `nvidia-smi --query-gpu=... --format=csv`, and `rocm-smi --csv`: the program, the columns, and the rows so far.
    Csv(Kind, Vec<Option<(What, Unit)>>, u16),
    /// `sacct` of Slurm.
    Account(Account),
    /// The default output of `rocm-smi`.
    Rocm,
    /// `accelerate estimate-memory`.
    Accelerate,
    /// The largest buffers of XLA.
    Buffers,
    /// What DeepSpeed's formulas say of a model with ZeRO.
    Zero,
    /// `nvidia-smi dmon` or `pmon`: the column of the memory in use, and that of the process.
    Monitor {
        /// The column behind the GPU's number that is MB of memory.
        memory: usize,
        /// Whether rows are of processes.
        processes: bool,
    },
    /// GPUs by their numbers and names: `nvidia-smi -L`.
    Listed,
    /// A GGUF file's tensors.
    Tensors(Tensors),
    /// `npu-smi info`: the chips so far.
    Npu(u16),
    /// `amd-smi` and `amd-smi monitor`.
    Amd,
    /// Processes of `nvtop`.
    Top,
    /// Nodes of a graph of `InvokeAI`, and the most that one of them took.
    Nodes(i64),
    /// `vm_stat`: the bytes of a page, and of all pages that may be had.
    Pages(u64, i64),
    /// `ollama ps`, and whether it has the context.
    Loaded(bool),
}

impl Table {
    /// A table as `nvidia-smi` has it, before its first row.
    pub(crate) const fn nvidia(kind: Kind) -> Self {
        Self::Nvidia { kind, gpu: None, processes: false, parts: false }
    }

    /// Whose report it is.
    pub(crate) const fn kind(&self) -> Kind {
        match self {
            Self::NvidiaQuery { .. } | Self::Monitor { .. } | Self::Listed => Kind::NvidiaSmi,
            Self::Nvidia { kind, .. } | Self::Csv(kind, ..) => *kind,
            Self::Rocm => Kind::RocmSmi,
            Self::Accelerate => Kind::Accelerate,
            Self::Buffers => Kind::Xla,
            Self::Tensors(_) => Kind::LlamaCpp,
            Self::Zero => Kind::DeepSpeed,
            Self::Npu(_) => Kind::NpuSmi,
            Self::Amd => Kind::AmdSmi,
            Self::Top => Kind::Nvtop,
            Self::Nodes(_) => Kind::InvokeAi,
            Self::Pages(..) | Self::Account(_) => Kind::System,
            Self::Loaded(_) => Kind::Ollama,
        }
    }

    /// After how many lines without a number it has ended.
    pub(crate) const fn patience(&self) -> u16 {
        match self {
            Self::NvidiaQuery { .. } => 4 * IDLE,
            Self::Csv(..)
            | Self::Accelerate
            | Self::Zero
            | Self::Monitor { .. }
            | Self::Listed
            | Self::Top
            | Self::Nodes(_)
            | Self::Pages(..)
            | Self::Account(_)
            | Self::Loaded(_) => 3,
            Self::Nvidia { .. } | Self::Rocm | Self::Tensors(_) | Self::Npu(_) | Self::Amd => 24,
            Self::Buffers => IDLE,
        }
    }

    /// The columns of `nvidia-smi dmon` and `pmon`, where one of them is the memory in use.
    pub(crate) fn monitor(text: &[u8]) -> Option<Self> {
        let head = scan::behind(text, "# gpu")?;
        let mut columns = head.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).take(64);
        let memory = columns.position(|column| column == b"fb")?;
        Some(Self::Monitor { memory, processes: scan::has(head, " pid ") })
    }

    /// Whether a line is a row of a GPU in the default output of `nvidia-smi`, that of its name or that of its memory.
    pub(crate) fn is_nvidia_row(text: &[u8]) -> bool {
        let mut facts = 0;
        nvidia::nvidia(&nvidia::barred(text), &mut None, &mut false, &mut false, &mut |_, _, _, _| facts += 1);
        facts > 0
    }

    /// Takes a line of it; whether it said something.
    pub(crate) fn line(&mut self, text: &[u8], row: Row<'_>) -> bool {
        match self {
            Self::Nodes(most) => estimates::node(text, most, row),
            Self::Pages(page, pages) => estimates::page(text, *page, pages, row),
            Self::Nvidia { gpu, processes, parts, .. } => {
                nvidia::nvidia(&nvidia::barred(text), gpu, processes, parts, row)
            }
            Self::NvidiaQuery { gpus, memory } => nvidia::nvidia_query(text, gpus, memory, row),
            Self::Csv(kind, columns, rows) => csv::csv(*kind, text, columns, rows, row),
            Self::Account(account) => account.line(text, row),
            Self::Rocm => rocm::rocm(text, row),
            Self::Accelerate => estimates::accelerate(text, row),
            Self::Buffers => xla::buffer(text, row),
            Self::Zero => estimates::zero(text, row),
            Self::Monitor { memory, processes } => nvidia::monitor(text, *memory, *processes, row),
            Self::Listed => nvidia::listed(text, row),
            Self::Tensors(tensors) => tensors.line(text, row),
            Self::Npu(chips) => accelerators::npu(text, chips, row),
            Self::Amd => accelerators::amd(text, row),
            Self::Top => nvidia::top(text, row),
            Self::Loaded(context) => accelerators::loaded(text, *context, row),
        }
    }
}

/// Where a part of a text begins in it.
fn offset(text: &[u8], part: &[u8]) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len())
}

/// A line behind the marks of a quotation, of a comment or of a notebook.
fn unquoted(text: &[u8]) -> &[u8] {
    let front = text.iter().take_while(|byte| b" \t\"'>#".contains(byte)).count();
    text.get(front..).unwrap_or_default()
}
