//! A `config.json`, through the engine's own reader.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use memory_wall_core::config::Config;
use memory_wall_core::memory::kv_cache;
use memory_wall_core::{Architecture, Bytes, Scenario, WeightFormat};
use serde::Deserialize;

use crate::Place;
use crate::values::JsonError;

/// What a `config.json` says of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// Its `model_type`.
    pub family: Option<String>,
    /// Its shape, or why there is none, in words.
    pub architecture: Result<Architecture, NotUsed>,
    /// The format in which it is stored, where that is one of the engine's.
    pub weights: Option<WeightFormat>,
    /// How it is quantised, in the file's own words.
    pub quantisation: Option<String>,
    /// What a reader should know about how it was read.
    pub remarks: Vec<String>,
}

/// Why a config gives no shape, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotUsed(pub String);

impl fmt::Display for NotUsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Described {
    /// Reads a config.
    pub(crate) fn of(text: &[u8]) -> Result<Self, JsonError> {
        let config: Config = serde_json::from_slice(text).map_err(|error| JsonError {
            place: Place { line: error.line().max(1), column: error.column().max(1) },
            reason: error.to_string(),
        })?;
        Ok(Self::of_config(&config))
    }

    /// That of a model within a report of `memory_report.py`; nothing where it has none.
    pub(crate) fn within(report: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct WithConfig {
            config: Option<Config>,
        }
        Some(Self::of_config(&serde_json::from_slice::<WithConfig>(report).ok()?.config?))
    }

    fn of_config(config: &Config) -> Self {
        Self {
            family: config.family().map(Into::into),
            architecture: config.architecture().map_err(|error| NotUsed(plain(&error.to_string()))),
            weights: config.stored_weights(),
            quantisation: config.quantisation().map(Into::into),
            remarks: config.remarks().iter().map(ToString::to_string).collect(),
        }
    }
}

/// Words that quote the file, without its control characters.
fn plain(words: &str) -> String {
    words.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect()
}

/// What one more token of one sequence adds to the KV cache, with 16-bit values; nothing for a shape that cannot be.
///
/// # Example
/// ```
/// use memory_wall_core::{Bytes, tables::models};
/// use memory_wall_reports::model_files::kv_bytes_per_token;
/// let llama = models::by_id("llama-3.1-8b").unwrap().architecture;
/// assert_eq!(kv_bytes_per_token(llama), Some(Bytes(131_072)));
/// ```
pub fn kv_bytes_per_token(architecture: Architecture) -> Option<Bytes> {
    let scenario = Scenario::new(architecture).check().ok()?;
    Some(kv_cache::bytes_per_token(&scenario))
}
