//! What must hold of any bytes whatever that someone hands over as a `config.json`. The fuzzer runs the same function.

use memory_wall_core::config::Config;
use memory_wall_core::tables::gpus::GPUS;
use memory_wall_core::{Mode, Scenario, WeightFormat, evaluate};

/// Reads the bytes and asks everything there is to ask: either there is a model, which is checked and can be evaluated,
/// or there is a message. Says whether there was a model.
pub(crate) fn ask_everything(bytes: &[u8]) -> bool {
    let config: Config = match serde_json::from_slice(bytes) {
        Ok(config) => config,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return false;
        }
    };
    assert!(config.stored_weights().is_none() || config.is_quantised());
    assert!(config.quantisation().is_none() || config.is_quantised());
    for remark in config.remarks() {
        assert!(remark.to_string().ends_with('.'));
    }
    let architecture = match config.architecture() {
        Ok(architecture) => architecture,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return false;
        }
    };
    assert!(config.family().is_some());
    assert_eq!(architecture.check(), Ok(()));
    let parameters = architecture.parameters().total();
    assert!((1..=parameters).contains(&architecture.active_parameters()));
    for mode in Mode::ALL {
        let weights = match mode {
            Mode::Inference => config.stored_weights().unwrap_or(WeightFormat::Bf16),
            Mode::Training | Mode::Lora => WeightFormat::Bf16,
            Mode::Qlora => WeightFormat::Nf4,
        };
        let scenario =
            Scenario { mode: *mode, weights, seq_length: 4_096, gpu: GPUS.first(), ..Scenario::new(architecture) };
        if let Ok(scenario) = scenario.check() {
            let evaluation = evaluate(&scenario);
            assert_eq!(evaluation.parameters.total(), parameters);
            assert_eq!(
                evaluation.buckets.iter().map(|(_, bytes)| *bytes).sum::<memory_wall_core::Bytes>(),
                evaluation.total
            );
        }
    }
    true
}
