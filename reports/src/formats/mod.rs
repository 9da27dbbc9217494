//! What programs print, program by program: each line that says something about memory, with what its numbers mean.

mod answers;
mod ggml;
mod gpu_tables;
mod host;
mod llama_cpp;
mod ollama;
mod others;
mod pytorch;
mod servers;
mod training;
mod vllm;
mod xla;

use crate::pattern::{Hole, Pattern, Says};
use crate::settings::Key;
use crate::what::Kind;

pub(crate) use pytorch::MESSAGE;
pub(crate) use vllm::CALL;

/// A line that says what its numbers say.
const fn line(kind: Kind, text: &'static str, holes: &'static [Hole]) -> Pattern {
    Pattern { kind, text, holes, says: Says::Nothing }
}

impl Pattern {
    const fn saying(self, says: Says) -> Self {
        Self { says, ..self }
    }
}

/// Every line that is read by itself.
pub(crate) const TABLES: &[&[Pattern]] = &[
    vllm::LINES,
    servers::SGLANG,
    servers::TENSORRT_LLM,
    servers::TGI,
    servers::LMDEPLOY,
    llama_cpp::LINES,
    ggml::LINES,
    ollama::LINES,
    pytorch::LINES,
    training::LINES,
    xla::LINES,
    gpu_tables::LINES,
    others::LINES,
    host::LINES,
    answers::LINES,
];

/// Lines with settings: what they are found by, whose they are, and the settings' names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// The text by which they are found.
    pub(crate) mark: &'static str,
    /// Whose settings they are.
    pub(crate) kind: Kind,
    /// Their names.
    pub(crate) keys: &'static [Key],
    /// Whether they begin where the mark ends, and not at the beginning of the line.
    pub(crate) behind: bool,
    /// Whether a program starts here.
    pub(crate) starts: bool,
}

/// Every one of them.
pub(crate) const SETTINGS: &[&[Settings]] =
    &[vllm::SETTINGS, servers::SETTINGS, llama_cpp::SETTINGS, ollama::SETTINGS, training::SETTINGS];
