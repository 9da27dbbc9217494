//! What is assumed of vLLM: its release, what it takes beside PyTorch, the longest request, scales.

use super::Assumption;
use crate::checked::Checked;
use crate::engines::vllm;
use crate::precision::WeightFormat;
use crate::scenario::{ScenarioError, Unsupported};
use crate::serving::Engine;

/// What vLLM takes beside PyTorch, where logs leave a range.
pub(super) fn beside_pytorch(scenario: &Checked) -> Option<Assumption> {
    let run = vllm::Run::of(scenario);
    let [context, non_torch, graphs] = [run.context_span(), run.non_torch_span(), run.graphs_span()];
    let range = [context, non_torch, graphs].iter().any(|span| span.is_range());
    range.then_some(Assumption::BesidePytorch { context, non_torch, graphs, over_ranks: run.estimates_over_ranks() })
}

/// The release of vLLM that is meant.
pub(super) fn release(scenario: &Checked) -> Assumption {
    let run = vllm::Run::of(scenario);
    let vllm::Constants { releases, graphs, context_inside, .. } = *run.constants();
    Assumption::Release {
        releases,
        graphs: run.graphs_lie(),
        estimates: graphs != vllm::Graphs::Beside,
        context_inside,
    }
}

/// What vLLM is told about the longest request, beside what it would take by itself.
pub(super) fn max_model_len(scenario: &Checked) -> Assumption {
    let own = scenario.architecture.trained_context;
    let held = |own: u32| {
        let alone = scenario.with(|it| (it.batch, it.seq_length, it.serving.max_model_len) = (1, own, None)).ok()?;
        match vllm::start(&alone, scenario.capacity()?).refusal {
            Some(vllm::Refusal::Length { estimated, .. }) => Some(estimated),
            Some(_) => None,
            None => Some(own),
        }
    };
    Assumption::MaxModelLen {
        taken: scenario.longest_request(),
        asked: scenario.serving.max_model_len.is_some(),
        own,
        holds: own.and_then(held),
    }
}

/// Why the 8-bit weights that vLLM serves would not start with a scale for each block or group.
pub(super) fn no_block_scales(scenario: &Checked) -> Option<Assumption> {
    let in_blocks = match scenario.weights {
        WeightFormat::Fp8 => WeightFormat::Fp8Block,
        WeightFormat::Int8 => WeightFormat::Int4,
        _ => return None,
    };
    if scenario.runtime() != Some(Engine::Vllm) {
        return None;
    }
    match scenario.with(|it| it.weights = in_blocks) {
        Err(ScenarioError::Runtime(Unsupported::Blocks { blocks, marlin })) => {
            Some(Assumption::NoBlockScales { blocks, marlin })
        }
        _ => None,
    }
}
