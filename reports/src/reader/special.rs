//! Texts that begin something which takes more than one pattern to read.

use alloc::boxed::Box;

use super::State;
use super::joined::{Goes, Joined, LONGEST_FRONT, LONGEST_JOINED};
use crate::line::Line;
use crate::report::{Device, Fact};
use crate::tables::{Account, Table, Tensors};
use crate::traceback::Trace;
use crate::what::{Kind, What};
use crate::{name, scan};

/// Bytes between the head of PyTorch's message and the size that was asked for.
const NEAR_HEAD: usize = 256;

/// The head of `vm_stat`.
const PAGES: &str = "Mach Virtual Memory Statistics: (page size of ";

/// Bytes of a table's row.
pub(super) const LONGEST_ROW: usize = 4 << 10;

/// What other texts begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    Traceback,
    Frame,
    Message(Kind),
    NvidiaTable,
    XpuTable,
    NvidiaRow,
    NvidiaParts,
    NvidiaQuery,
    Csv,
    Account,
    Monitored,
    Listed,
    Headless,
    TensorCount,
    Tensor,
    RocmTable,
    Accelerate,
    AccelerateHead,
    Buffers,
    OneBuffer,
    Padded,
    Zero,
    Monitor,
    Gpustat,
    Stats,
    Killed,
    NpuTable,
    AmdTable,
    Loaded,
    Top,
    Nodes,
    Pages,
    Pair,
    Words,
    Prose,
    Banner,
}

/// The texts by which they are found.
pub(super) const SPECIAL: &[(&str, Special)] = &[
    ("Traceback (most recent call last)", Special::Traceback),
    ("File \"", Special::Frame),
    ("CUDA out of memory", Special::Message(Kind::Cuda)),
    ("cuda out of memory", Special::Message(Kind::Cuda)),
    ("HIP out of memory", Special::Message(Kind::Hip)),
    ("MPS backend out of memory", Special::Message(Kind::Mps)),
    ("XPU out of memory", Special::Message(Kind::Xpu)),
    ("NPU out of memory", Special::Message(Kind::Npu)),
    ("can NOT allocate memory block", Special::Message(Kind::Xpu)),
    ("Tried to allocate", Special::Message(Kind::Cuda)),
    ("NVIDIA-SMI ", Special::NvidiaTable),
    // From 2.0 as `nvidia-smi` has it (intel/xpumanager#145).
    ("XPU-SMI v", Special::XpuTable),
    // Rows that were copied without their head.
    ("Off |", Special::NvidiaRow),
    ("On  |", Special::NvidiaRow),
    ("Default |", Special::NvidiaRow),
    ("Process |", Special::NvidiaRow),
    ("MIG devices:", Special::NvidiaParts),
    ("NVSMI LOG", Special::NvidiaQuery),
    ("memory.used", Special::Csv),
    ("memory.total", Special::Csv),
    ("memory.free", Special::Csv),
    ("used_gpu_memory", Special::Csv),
    ("VRAM Total Memory (B),", Special::Csv),
    ("Card Series,", Special::Csv),
    ("gpu,total_vram,", Special::Csv),
    ("MaxRSS", Special::Account),
    ("ReqMem", Special::Account),
    ("DeviceStatsMonitor.", Special::Monitored),
    ("(UUID: GPU-", Special::Listed),
    // PyTorch's `collect_env`.
    ("GPU models and configuration", Special::Listed),
    ("NVIDIA ", Special::Headless),
    ("Tesla ", Special::Headless),
    ("Quadro ", Special::Headless),
    // The head of a list of tensors, and its rows.
    ("pairs and ", Special::TensorCount),
    ("Dumping ", Special::TensorCount),
    ("token_embd.", Special::Tensor),
    ("output_norm.", Special::Tensor),
    ("blk.", Special::Tensor),
    ("VRAM%", Special::RocmTable),
    ("Memory Usage for loading", Special::Accelerate),
    // Its page prints the same table in other marks.
    ("Largest Layer or Residual Group", Special::AccelerateHead),
    ("Estimated memory needed for params, optim states", Special::Zero),
    ("# gpu ", Special::Monitor),
    ("\u{b0}C, ", Special::Gpustat),
    ("'C, ", Special::Gpustat),
    ("Extra memory due to padding", Special::Padded),
    ("Total hbm usage >=", Special::Buffers),
    ("Peak buffers:", Special::Buffers),
    // One of its buffers, copied without the head.
    ("Buffer ", Special::OneBuffer),
    ("Largest program allocations", Special::Buffers),
    ("allocated_bytes", Special::Stats),
    ("reserved_bytes", Special::Stats),
    ("active_bytes", Special::Stats),
    ("requested_bytes", Special::Stats),
    ("inactive_split_bytes", Special::Stats),
    ("num_ooms", Special::Stats),
    ("num_alloc_retries", Special::Stats),
    // What a shell says of a process that was killed.
    ("Killed", Special::Killed),
    ("HBM-Usage(MB)", Special::NpuTable),
    ("AMD-SMI ", Special::AmdTable),
    ("VRAM_USAGE", Special::AmdTable),
    ("VRAM_TOTAL", Special::AmdTable),
    // `nvitop` has the table of `nvidia-smi` in drawn bars, `nvtop` one of processes.
    ("NVITOP ", Special::NvidiaTable),
    ("VRAM Used", Special::Nodes),
    ("Off \u{2502}", Special::NvidiaRow),
    ("Default \u{2502}", Special::NvidiaRow),
    ("HOST MEM Command", Special::Top),
    (PAGES, Special::Pages),
    ("mem_get_info", Special::Pair),
    // Any program's own words, which count where nothing else is read.
    ("out of memory", Special::Words),
    ("Out of memory", Special::Words),
    ("Out of Memory", Special::Words),
    ("OutOfMemoryError", Special::Words),
    ("out of VRAM", Special::Words),
    ("out of application memory", Special::Words),
    ("OOM ", Special::Words),
    ("OOM,", Special::Words),
    ("OOM.", Special::Words),
    ("OOM)", Special::Words),
    ("insufficient memory", Special::Words),
    ("Insufficient memory", Special::Words),
    ("ErrorOutOfMemory", Special::Words),
    ("ERROR_OUT_OF_", Special::Words),
    // `ollama ps`.
    ("PROCESSOR ", Special::Loaded),
    // What a person writes above a log.
    ("GPU ", Special::Prose),
    ("GPU: ", Special::Prose),
    ("GPU:*", Special::Prose),
    ("GPU*", Special::Prose),
    ("GPUs", Special::Prose),
    ("GPU(s)", Special::Prose),
    ("Hardware", Special::Prose),
    ("Device: ", Special::Prose),
    ("raphics card", Special::Prose),
    ("CUDA device", Special::Prose),
    ("Num GPUs = ", Special::Banner),
];

impl State {
    /// Begins what a text begins.
    pub(super) fn special(&mut self, special: Special, line: &Line, at: usize, device: Device, joined: bool) {
        let place = line.place(at);
        // Rows of tables are short: a long line would be looked through once for each mark in it.
        let row = matches!(
            special,
            Special::NvidiaRow
                | Special::Csv
                | Special::Account
                | Special::Listed
                | Special::Headless
                | Special::Tensor
                | Special::Accelerate
                | Special::OneBuffer
                | Special::Gpustat
        );
        if row && line.text.len() > LONGEST_ROW {
            return;
        }
        match special {
            Special::Traceback => {
                self.keep_orphan();
                self.trace = Some(Trace::begin(place.line));
            }
            Special::Frame => {
                let text = line.text.get(at + 6..).unwrap_or_default();
                let text = text.get(..LONGEST_ROW).unwrap_or(text);
                if scan::has(text, "\", line ") {
                    self.trace.get_or_insert_with(|| Trace::begin(place.line)).frame(text, place);
                }
            }
            Special::Message(kind) if !joined => {
                // A message that has begun already, and a server's own words of the same beginning.
                if self.joined.is_some() {
                    return;
                }
                let text = line.text.get(at..).unwrap_or_default();
                let text = text.get(..LONGEST_JOINED).unwrap_or(text);
                let front = line.text.get(at.saturating_sub(NEAR_HEAD)..at).unwrap_or_default();
                let begun = text.starts_with(b"Tried")
                    && (scan::has(front, "out of memory") || scan::has(front, "can NOT allocate memory block"));
                if begun || text.get(5..).is_some_and(|rest| rest.starts_with(b"out of memory occurred")) {
                    return;
                }
                let mut joined = Joined::new(place.line, Goes::Message(kind, device));
                let front = line.text.get(..at).unwrap_or_default();
                joined.front.extend_from_slice(front.get(..LONGEST_FRONT).unwrap_or(front));
                joined.line.add_at(text, place);
                if text.starts_with(b"cuda") {
                    capitalise(&mut joined.line.text);
                }
                self.joined = Some(Box::new(joined));
                self.end_if_whole();
            }
            Special::XpuTable => self.begin(Table::nvidia(Kind::XpuSmi), place.line),
            Special::NvidiaTable => self.begin(Table::nvidia(Kind::NvidiaSmi), place.line),
            Special::NvidiaRow => {
                if self.table.is_none() && Table::is_nvidia_row(&line.text) {
                    self.begin(Table::nvidia(Kind::NvidiaSmi), place.line);
                    self.in_table(line);
                }
            }
            // Parts of split GPUs, copied without the table above them.
            Special::NvidiaParts => {
                if self.table.is_none() {
                    self.begin(
                        Table::Nvidia { kind: Kind::NvidiaSmi, gpu: None, processes: false, parts: true },
                        place.line,
                    );
                }
            }
            Special::NvidiaQuery => self.begin(Table::NvidiaQuery { gpus: 0, memory: false }, place.line),
            Special::Csv => {
                if self.table.as_ref().is_none_or(Table::gives_way)
                    && let Some(table) = Table::csv(&line.text)
                {
                    self.begin(table, place.line);
                }
            }
            Special::Account => {
                if !matches!(self.table, Some(Table::Account(_)))
                    && let Some(account) = Account::of(&line.text)
                {
                    self.begin(Table::Account(account), place.line);
                }
            }
            // The head of its file: names in the order of the alphabet, too many for a row of other tables.
            Special::Monitored => {
                if at == 0
                    && let Some(table) = Table::csv(&line.text)
                {
                    self.begin(table, place.line);
                }
            }
            Special::Listed if matches!(self.table, Some(Table::Listed)) => {}
            Special::Listed => {
                self.table = Some(Table::Listed);
                self.idle = 0;
                self.in_table(line);
            }
            Special::TensorCount => {
                let rest = line.text.get(at..).unwrap_or_default();
                let behind = ["pairs and ", "Dumping "].iter().find_map(|words| rest.strip_prefix(words.as_bytes()));
                let told = behind.and_then(Tensors::told);
                if told.is_some() {
                    self.tensors = told;
                    self.table = None;
                }
            }
            Special::Tensor if matches!(self.table, Some(Table::Tensors(_))) || !Tensors::is_row(&line.text) => {}
            Special::Tensor => {
                self.table = Some(Table::Tensors(Tensors::of(self.tensors.take())));
                self.idle = 0;
                self.in_table(line);
            }
            Special::RocmTable => self.begin(Table::Rocm, place.line),
            Special::Accelerate => {
                self.begin(Table::Accelerate, place.line);
                let name = scan::behind(&line.text, "`").and_then(|rest| rest.split(|byte| *byte == b'`').next());
                if let Some(value) = name.and_then(|name| name::value(What::Model, name)) {
                    let fact = Fact { place, device: Device::Unsaid, what: What::Model, value };
                    self.report(Kind::Accelerate, false, place.line).add(fact);
                }
            }
            // The heading of the page has the model's name in other quotes, or none.
            Special::AccelerateHead => {
                if self.table.is_none() {
                    self.begin(Table::Accelerate, place.line);
                }
            }
            Special::Zero => self.begin(Table::Zero, place.line),
            Special::Monitor => {
                if let Some(table) = Table::monitor(&line.text) {
                    self.begin(table, place.line);
                }
            }
            Special::Gpustat => self.gpustat(line),
            Special::Killed => {
                // At the end of a line, or with the command that was killed behind it.
                let front = line.text.get(..at).unwrap_or_default().trim_ascii_end();
                let rest = line.text.get(at + 6..).unwrap_or_default();
                let number = front.last().is_some_and(u8::is_ascii_digit) && rest.starts_with(b"  ");
                if number || rest.trim_ascii().is_empty() {
                    self.report(Kind::Killed, false, place.line);
                }
            }
            Special::Top => {
                self.table = Some(Table::Top);
                self.idle = 0;
            }
            Special::Nodes => self.begin(Table::Nodes(0), place.line),
            Special::Pages => {
                let page = line.text.get(at + PAGES.len()..).and_then(scan::Number::read);
                if let Some(page) = page.and_then(|page| page.count()) {
                    self.begin(Table::Pages(page, 0), place.line);
                }
            }
            Special::Pair => self.told_pair(line, at),
            Special::Words => self.keep_message(line, at),
            Special::Prose => self.keep_name(line, at),
            Special::Banner => self.banner(line, at),
            Special::NpuTable => self.begin(Table::Npu(0), place.line),
            Special::AmdTable => self.begin(Table::Amd, place.line),
            Special::Loaded => {
                let rest = line.text.get(at..).unwrap_or_default();
                let (front, rest) =
                    (line.text.get(at.saturating_sub(NEAR_HEAD)..at), rest.get(..NEAR_HEAD).unwrap_or(rest));
                if front.is_some_and(|front| scan::has(front, "NAME ")) {
                    self.begin(Table::Loaded(scan::has(rest, " CONTEXT ")), place.line);
                }
            }
            // In the middle of one of its buffers, copied without the head.
            Special::Padded | Special::Headless if self.table.is_some() => {}
            Special::Headless => self.headless(line),
            Special::Padded => {
                self.begin(Table::Buffers, place.line);
                self.in_table(line);
            }
            Special::OneBuffer if self.table.is_some() || !is_buffer(&line.text) => {}
            Special::Buffers | Special::OneBuffer => {
                self.table = Some(Table::Buffers);
                self.idle = 0;
            }
            Special::Message(_) | Special::Stats => {}
        }
    }
}

/// Gives the words of PyTorch's message back the letters by which they are found.
fn capitalise(text: &mut [u8]) {
    for (words, letters) in [
        (&b" gib"[..], &b" GiB"[..]),
        (b" mib", b" MiB"),
        (b"tried to", b"Tried to"),
        (b"gpu ", b"GPU "),
        (b"by pytorch", b"by PyTorch"),
        (b"of the allocated", b"Of the allocated"),
    ] {
        let mut from = 0;
        while let Some(at) = text.get(from..).and_then(|rest| scan::find(rest, words)) {
            from += at + words.len();
            if let Some(place) = text.get_mut(from - words.len()..from) {
                place.copy_from_slice(letters);
            }
        }
    }
}

/// Whether a line is the head of one of XLA's buffers: `Buffer 11:`.
fn is_buffer(text: &[u8]) -> bool {
    let number = text.trim_ascii().strip_prefix(b"Buffer ").and_then(scan::Number::read);
    number.is_some_and(|number| number.rest == b":")
}
