//! A report: the facts that one program printed in one go.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::what::{Kind, Part, Phase, Refusal, What};
use crate::{Place, Size};

/// What a fact says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number of bytes.
    Size(Size),
    /// A number.
    Count(u64),
    /// A ratio in millionths: 900,000 is 0.9.
    Millionths(u64),
    /// A name, a version or a setting's value; never a path.
    Name(Box<str>),
    /// A setting that is on or off.
    Flag(bool),
    /// The dimensions of a tensor.
    Shape(Box<[u64]>),
    /// When it happened.
    Phase(Phase),
    /// In which part of the model.
    Part(Part),
    /// Why it did not start.
    Refusal(Refusal),
}

/// What a fact is about: one GPU or rank, the host, or what isn't said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Device {
    /// The text doesn't say.
    #[default]
    Unsaid,
    /// A GPU or a rank, by its number.
    Gpu(u16),
    /// The memory of the computer.
    Host,
}

/// One fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Where it stands.
    pub place: Place,
    /// Of which device.
    pub device: Device,
    /// What it is about.
    pub what: What,
    /// What it says.
    pub value: Value,
}

/// Facts of one kind in a report; more are counted only, but for the greatest.
pub const SAME: usize = 64;
/// Facts of a report.
pub const MOST_FACTS: usize = 512;

/// The facts that one program printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Which program, and what it is.
    pub kind: Kind,
    /// Of several texts that were read together, which one, from 0.
    pub source: u16,
    /// The line of its first fact.
    pub from: usize,
    /// The line of its last fact.
    pub to: usize,
    /// How often the same report stands in the text: ranks often print theirs each.
    pub times: u32,
    /// Its facts, in the order of the text.
    pub facts: Vec<Fact>,
    /// Facts that were there and are not kept, since there are too many.
    pub left_out: u64,
    /// The text itself, where another reader takes it as a whole: a `config.json`.
    pub text: Option<Box<str>>,
}

impl Report {
    /// Without facts.
    pub(crate) const fn new(kind: Kind, source: u16, line: usize) -> Self {
        Self { kind, source, from: line, to: line, times: 1, facts: Vec::new(), left_out: 0, text: None }
    }

    /// Adds a fact; one that is there already is not added again.
    pub(crate) fn add(&mut self, fact: Fact) {
        self.to = self.to.max(fact.place.line);
        let alike = |known: &&mut Fact| known.what == fact.what;
        // A model with two kinds of layers has two caches in llama.cpp, which may be of one size.
        let adds_up = match self.kind {
            Kind::LlamaCpp => matches!(fact.what, What::KvCache | What::RecurrentState | What::KvTotal),
            // Parts of one GPU are often of one size.
            Kind::NvidiaSmi => matches!(fact.what, What::PartUsed | What::PartCapacity),
            _ => false,
        };
        let same = |known: &Fact| {
            // So may be what two processes hold.
            let other = fact.what == What::OtherProcess && known.place != fact.place;
            !adds_up && !other && (known.what, known.device, &known.value) == (fact.what, fact.device, &fact.value)
        };
        // What ranks print together stands together: the newest are looked at first.
        if self.facts.iter().rev().any(same) {
            return;
        }
        let of_its_kind = self.facts.iter().filter(|known| known.what == fact.what).count();
        if of_its_kind < SAME && self.facts.len() < MOST_FACTS {
            self.facts.push(fact);
            return;
        }
        self.left_out += 1;
        // The greatest is always kept.
        if let Value::Size(size) = &fact.value
            && let Some(last) = self.facts.iter_mut().rev().find(alike)
            && matches!(&last.value, Value::Size(known) if known.bytes < size.bytes)
        {
            *last = fact;
        }
    }

    /// Adds facts.
    pub(crate) fn extend(&mut self, facts: impl IntoIterator<Item = Fact>) {
        for fact in facts {
            self.add(fact);
        }
    }

    /// The facts about something.
    pub fn all(&self, what: What) -> impl Iterator<Item = &Fact> {
        self.facts.iter().filter(move |fact| fact.what == what)
    }

    /// Whether there is one.
    pub fn has(&self, what: What) -> bool {
        self.all(what).next().is_some()
    }

    /// The first size of something.
    pub fn size(&self, what: What) -> Option<Size> {
        self.all(what).find_map(|fact| if let Value::Size(size) = fact.value { Some(size) } else { None })
    }

    /// The last size of something.
    pub fn last_size(&self, what: What) -> Option<Size> {
        self.all(what).filter_map(|fact| if let Value::Size(size) = fact.value { Some(size) } else { None }).last()
    }

    /// The greatest size of something.
    pub fn greatest(&self, what: What) -> Option<Size> {
        self.all(what).filter_map(|fact| if let Value::Size(size) = fact.value { Some(size) } else { None }).max()
    }

    /// The last number of something.
    pub fn count(&self, what: What) -> Option<u64> {
        self.all(what).filter_map(|fact| if let Value::Count(count) = fact.value { Some(count) } else { None }).last()
    }

    /// The last ratio of something, in millionths.
    pub fn millionths(&self, what: What) -> Option<u64> {
        let ratio = |fact: &Fact| if let Value::Millionths(value) = fact.value { Some(value) } else { None };
        self.all(what).filter_map(ratio).last()
    }

    /// The first name of something: what follows is often that of a draft model.
    pub fn name(&self, what: What) -> Option<&str> {
        self.all(what).find_map(|fact| if let Value::Name(name) = &fact.value { Some(&**name) } else { None })
    }

    /// Whether a setting is on; `None` where it isn't said.
    pub fn flag(&self, what: What) -> Option<bool> {
        self.all(what).filter_map(|fact| if let Value::Flag(flag) = fact.value { Some(flag) } else { None }).last()
    }

    /// When it happened, by its traceback.
    pub fn phase(&self) -> Option<Phase> {
        self.all(What::Phase).find_map(|fact| if let Value::Phase(phase) = fact.value { Some(phase) } else { None })
    }

    /// In which part of the model, by its traceback.
    pub fn part(&self) -> Option<Part> {
        self.all(What::Part).find_map(|fact| if let Value::Part(part) = fact.value { Some(part) } else { None })
    }

    /// Why it did not start.
    pub fn refusal(&self) -> Option<Refusal> {
        let refusal = |fact: &Fact| if let Value::Refusal(why) = fact.value { Some(why) } else { None };
        let all = || self.all(What::Refusal).filter_map(refusal);
        // What follows a limit says only which buffer it was, and what follows a buffer that it was one.
        let limit = all().find(|why| *why == Refusal::AllocationLimit);
        limit.or_else(|| all().filter(|why| *why != Refusal::Buffer).last()).or_else(|| all().last())
    }

    /// Whether it says that memory ran out.
    pub fn is_failure(&self) -> bool {
        self.has(What::Refusal)
            || self.kind == Kind::Ggml && !self.has(What::Retried)
            || matches!(
                self.kind,
                Kind::Cuda
                    | Kind::Hip
                    | Kind::Mps
                    | Kind::Xpu
                    | Kind::Npu
                    | Kind::CudaError
                    | Kind::Cublas
                    | Kind::Metal
                    | Kind::HostMemory
                    | Kind::Killed
                    | Kind::OutOfMemory
                    | Kind::OnnxRuntime
                    | Kind::Paddle
                    | Kind::Xla
                    | Kind::TensorFlow
            )
    }
}
