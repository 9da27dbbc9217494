//! Where the measured rows come from: the ones that the project carries, or a folder with files of the same names.

use std::path::{Path, PathBuf};

use crate::csv::File;

macro_rules! carried {
    ($($name:literal),* $(,)?) => {
        /// Every file that is known, with its text.
        const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../data/", $name)))),*];
    };
}

carried! {
    "kv_cache.csv",
    "kv_cache_run.csv",
    "formula_vectors.csv",
    "saved_activations.csv",
    "logits_ce.csv",
    "step_peaks.csv",
    "real_gpu.csv",
    "one_gpu_steps.csv",
    "training_peaks.csv",
    "megatron_runs.csv",
    "deepspeed_steps.csv",
    "peft_runs.csv",
    "adapter_runs.csv",
    "inference_peaks.csv",
    "vllm_runs.csv",
    "vllm_starts.csv",
    "llamacpp_starts.csv",
    "pool_starts.csv",
    "speed.csv",
}

/// The measured rows.
#[derive(Clone, Debug)]
pub struct Data {
    folder: Option<PathBuf>,
}

impl Data {
    /// The rows that the project carries.
    pub const fn carried() -> Self {
        Self { folder: None }
    }

    /// The rows of a folder; an error in words if it holds none of the files.
    pub fn folder(path: &Path) -> Result<Self, String> {
        if !path.is_dir() {
            return Err(format!("{} is not a folder", path.display()));
        }
        if !FILES.iter().any(|(name, _)| path.join(name).is_file()) {
            let names: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
            return Err(format!("{} holds none of {}", path.display(), names.join(", ")));
        }
        Ok(Self { folder: Some(path.into()) })
    }

    /// The rows of one file; none where the folder does not have it.
    pub fn file(&self, name: &str) -> File {
        match &self.folder {
            None => {
                FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| File::read(text)).unwrap_or_default()
            }
            Some(folder) => std::fs::read(folder.join(name))
                .map(|bytes| File::read(&String::from_utf8_lossy(&bytes)))
                .unwrap_or_default(),
        }
    }
}
