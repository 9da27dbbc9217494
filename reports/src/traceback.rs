//! Tracebacks of Python: what a run was doing, by the functions and the lines of code that it stood in.

use crate::Place;
use crate::scan;
use crate::what::{Part, Phase};

/// The phase and the part of the model that the frames so far tell.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trace {
    /// When, and the frame that says so.
    pub(crate) phase: Option<(Phase, Place)>,
    /// In which part of the model.
    pub(crate) part: Option<(Part, Place)>,
    /// The line of the last frame.
    pub(crate) last: usize,
    /// Whether the line of code of a frame may come.
    pub(crate) code_follows: bool,
    /// The line of the first frame.
    pub(crate) first: usize,
}

/// Words of a function's name and of its file, and the phase that both mean.
type Rule<T> = (&'static [&'static str], &'static [&'static str], T);

/// Functions by their exact names, and a part of their file's path; no files are all files.
const PHASES: &[Rule<Phase>] = &[
    (
        &["_init_group", "init_state", "initialize_optimizer_states", "_initialize_state", "_init_state"],
        &["optim", "zero"],
        Phase::OptimizerFirstStep,
    ),
    (
        &["step", "_single_tensor_adamw", "_fused_adamw", "adamw", "adam", "update_step"],
        &["optim"],
        Phase::OptimizerStep,
    ),
    (&["_multi_tensor_adamw", "_multi_tensor_adam"], &["optim"], Phase::OptimizerForeach),
    (&["_optimizer_step", "_take_model_step"], &["zero", "engine.py"], Phase::OptimizerStep),
    (&["_engine_run_backward", "run_backward"], &[], Phase::Backward),
    (&["backward"], &["_tensor.py", "autograd", "accelerator.py", "engine.py", "trainer"], Phase::Backward),
    (
        &[
            "initialize_kv_cache",
            "_allocate_kv_cache",
            "_allocate_kv_cache_tensors",
            "initialize_kv_cache_tensors",
            "_init_cache_engine",
            "init_cache_engine",
            "initialize_cache",
            "allocate_gpu_cache",
            "init_memory_pool",
            "_create_buffers",
            "init_kv_cache",
            "initialize_from_config",
            "create_kv_cache_manager",
        ],
        &[],
        Phase::KvCache,
    ),
    (&["update", "lazy_initialization"], &["cache_utils.py"], Phase::KvCache),
    (
        &[
            "capture_model",
            "capture",
            "_capture_cudagraphs",
            "capture_one_batch_size",
            "init_cuda_graphs",
            "init_device_graphs",
        ],
        &["runner", "graph", "worker"],
        Phase::GraphCapture,
    ),
    (&["wake_up", "resume_memory_occupation"], &[], Phase::Wake),
    (&["_dummy_sampler_run", "_dummy_pooler_run"], &[], Phase::WarmUp),
    (
        &[
            "determine_available_memory",
            "determine_num_available_blocks",
            "profile_run",
            "profile_num_available_blocks",
            "warmup",
        ],
        &[],
        Phase::Profile,
    ),
    (
        &[
            "from_pretrained",
            "_load_state_dict_into_meta_model",
            "load_state_dict",
            "_load_pretrained_model",
            "load_checkpoint_in_model",
            "set_module_tensor_to_device",
            "load_weights",
            "load_model",
            "initialize_model",
            "dispatch_model",
            "prepare_model_for_kbit_training",
            "load_checkpoint",
            "_load_checkpoint",
            "create_weights",
            "process_weights_after_loading",
        ],
        &[],
        Phase::Load,
    ),
    (
        &["to", "cuda", "_apply", "convert", "half", "bfloat16", "float"],
        &["nn/modules/module.py", "modeling_utils.py"],
        Phase::Load,
    ),
    (
        &[
            "cross_entropy",
            "fixed_cross_entropy",
            "ForCausalLMLoss",
            "compute_loss_func",
            "log_softmax",
            "selective_log_softmax",
            "get_batch_logps",
            "_get_per_token_logps",
            "get_per_token_logps",
            "concatenated_forward",
            "entropy_from_logits",
        ],
        &[],
        Phase::Loss,
    ),
    (
        &[
            "_gather_state_dict",
            "full_state_dict",
            "_save_checkpoint",
            "save_model",
            "get_state_dict",
            "_zero3_consolidated_16bit_state_dict",
            "save_pretrained",
        ],
        &[],
        Phase::Save,
    ),
    (&["generate", "_sample", "_prefill", "_beam_search", "execute_model"], &[], Phase::Generate),
    (&["forward", "_conv_forward", "_call_impl", "training_step"], &[], Phase::Forward),
];

const PARTS: &[Rule<Part>] = &[
    (
        &[
            "sdpa_attention_forward",
            "eager_attention_forward",
            "flash_attention_forward",
            "_flash_attention_forward",
            "scaled_dot_product_attention",
            "repeat_kv",
            "apply_rotary_pos_emb",
            "multi_head_attention_forward",
            "flex_attention_forward",
        ],
        &[],
        Part::Attention,
    ),
    (&["fused_moe", "fused_experts", "fused_experts_impl", "select_experts"], &[], Part::Experts),
    (&["embedding"], &["functional.py"], Part::Embedding),
    (&["rms_norm", "layer_norm"], &["functional.py"], Part::Norm),
    (
        &[
            "cross_entropy",
            "fixed_cross_entropy",
            "ForCausalLMLoss",
            "log_softmax",
            "selective_log_softmax",
            "compute_logits",
            "get_logits",
            "_get_logits",
        ],
        &[],
        Part::Head,
    ),
];

/// What stands in the code of a frame.
const CODE_PARTS: &[(&[&str], Part)] = &[
    (&["lm_head", "logits", "cross_entropy", "embed_out"], Part::Head),
    (&["embed_tokens", "wte(", "word_embeddings(", "tok_embeddings"], Part::Embedding),
    (&["self.experts", "fused_experts", "self.block_sparse_moe", "expert_layer"], Part::Experts),
    (&["self.mlp", "gate_proj", "down_proj", "up_proj", "act_fn", "feed_forward", "self.fc1", "gate_up"], Part::Mlp),
    (
        &[
            "self.self_attn",
            "self.attn",
            "self.attention",
            "attn_weights",
            "scaled_dot_product",
            "qkv_proj",
            "q_proj",
            "k_proj",
            "v_proj",
            "o_proj",
            "softmax(",
            "flash_attn",
        ],
        Part::Attention,
    ),
    (&["layernorm", "self.norm", "rms_norm", "variance"], Part::Norm),
];

const CODE_PHASES: &[(&[&str], Phase)] = &[
    (&["optimizer.step(", "optim.step("], Phase::OptimizerStep),
    (
        &[
            "state[\"exp_avg",
            "state['exp_avg",
            "exp_avg = torch.zeros",
            "exp_avg_sq = torch.zeros",
            "state[\"momentum_buffer\"]",
        ],
        Phase::OptimizerFirstStep,
    ),
    (&["loss.backward(", ".backward("], Phase::Backward),
    (&["from_pretrained(", "load_state_dict("], Phase::Load),
    (&["model.to(", "model.cuda(", "model = model.to"], Phase::Load),
    (&["cross_entropy(", "logits.float(", "logits.log_softmax", "logsumexp"], Phase::Loss),
    (&["self.lm_head(", "lm_head("], Phase::Loss),
];

impl Trace {
    /// Begins a traceback.
    pub(crate) fn begin(line: usize) -> Self {
        Self { first: line, last: line, ..Self::default() }
    }

    /// Takes a frame, `File "...", line 12, in forward`, whose path begins at `text`.
    pub(crate) fn frame(&mut self, text: &[u8], place: Place) {
        self.last = place.line;
        self.code_follows = true;
        let path = text.iter().position(|byte| *byte == b'"').and_then(|end| text.get(..end)).unwrap_or_default();
        let Some(function) = scan::behind(text, ", in ") else { return };
        let length = function.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let function = function.get(..length).unwrap_or_default();
        let name = |names: &[&str]| names.iter().any(|name| name.as_bytes() == function);
        let file = |files: &[&str]| files.is_empty() || scan::has_any(path, files);
        if let Some((.., phase)) = PHASES.iter().find(|(names, files, _)| name(names) && file(files)) {
            self.phase(*phase, place);
        }
        if let Some((.., part)) = PARTS.iter().find(|(names, files, _)| name(names) && file(files)) {
            self.part = Some((*part, place));
        }
    }

    /// Takes the line of code behind a frame.
    pub(crate) fn code(&mut self, text: &[u8], place: Place) {
        self.code_follows = false;
        let has = |words: &[&str]| scan::has_any(text, words);
        if let Some((_, phase)) = CODE_PHASES.iter().find(|(words, _)| has(words)) {
            self.phase(*phase, place);
        }
        if let Some((_, part)) = CODE_PARTS.iter().find(|(words, _)| has(words)) {
            self.part = Some((*part, place));
        }
    }

    /// A deeper frame says more than the one around it, but for phases in which a forward pass runs again or runs for another end.
    fn phase(&mut self, phase: Phase, place: Place) {
        use Phase::{
            Backward, Forward, Generate, GraphCapture, KvCache, Load, Loss, OptimizerFirstStep, OptimizerForeach,
            OptimizerStep, Profile, Save, Wake, WarmUp,
        };
        let stays = match self.phase.map(|(phase, _)| phase) {
            Some(Backward) => matches!(phase, Forward | Loss | Load | Generate),
            Some(OptimizerFirstStep | OptimizerForeach | Wake) => true,
            Some(OptimizerStep) => !matches!(phase, OptimizerFirstStep | OptimizerForeach),
            Some(Profile | WarmUp | GraphCapture) => matches!(phase, Forward | Loss | Generate | Load | Profile),
            Some(KvCache | Save) => matches!(phase, Forward | Load | Generate | Profile),
            Some(Load) => matches!(phase, Forward | Load | Generate),
            Some(Loss) => matches!(phase, Forward | Load),
            Some(Generate) => phase == Forward,
            Some(Forward) | None => false,
        };
        if !stays {
            self.phase = Some((phase, place));
            // What runs again or for another end is told with its own parts.
            self.part = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(frames: &[(&str, &str, &str)]) -> (Option<Phase>, Option<Part>) {
        let mut trace = Trace::begin(1);
        for (file, function, code) in frames {
            let place = Place { line: 2, column: 1 };
            trace.frame(alloc::format!("{file}\", line 12, in {function}").as_bytes(), place);
            trace.code(code.as_bytes(), place);
        }
        (trace.phase.map(|(phase, _)| phase), trace.part.map(|(part, _)| part))
    }

    const TRAINER: (&str, &str, &str) =
        ("/x/transformers/trainer.py", "training_step", "loss = self.compute_loss(model, inputs)");
    const LAYER: (&str, &str, &str) =
        ("/x/models/llama/modeling_llama.py", "forward", "hidden_states = self.mlp(hidden_states)");

    #[test]
    fn the_deepest_frame_names_phase_and_part() {
        assert_eq!(told(&[TRAINER, LAYER]), (Some(Phase::Forward), Some(Part::Mlp)));
        let head = ("/x/modeling_llama.py", "forward", "logits = self.lm_head(hidden_states[:, slice_indices, :])");
        assert_eq!(told(&[TRAINER, head]), (Some(Phase::Loss), Some(Part::Head)));
        let entropy = ("/x/torch/nn/functional.py", "cross_entropy", "return torch._C._nn.cross_entropy_loss(");
        assert_eq!(told(&[TRAINER, entropy]), (Some(Phase::Loss), Some(Part::Head)));
        let embedding = ("/x/torch/nn/functional.py", "embedding", "return torch.embedding(weight, input)");
        assert_eq!(told(&[TRAINER, embedding]).1, Some(Part::Embedding));
    }

    #[test]
    fn a_recomputed_layer_belongs_to_the_backward_pass() {
        let backward = ("/x/torch/_tensor.py", "backward", "torch.autograd.backward(");
        let engine =
            ("/x/torch/autograd/graph.py", "_engine_run_backward", "return Variable._execution_engine.run_backward(");
        assert_eq!(told(&[TRAINER, backward, engine]), (Some(Phase::Backward), None));
        assert_eq!(told(&[TRAINER, backward, engine, LAYER]), (Some(Phase::Backward), Some(Part::Mlp)));
    }

    #[test]
    fn the_first_step_makes_the_states() {
        let step = ("/x/torch/optim/adamw.py", "step", "has_complex = self._init_group(");
        let first = ("/x/torch/optim/adamw.py", "_init_group", "state[\"exp_avg\"] = torch.zeros_like(");
        assert_eq!(told(&[TRAINER, step]).0, Some(Phase::OptimizerStep));
        assert_eq!(told(&[TRAINER, step, first]).0, Some(Phase::OptimizerFirstStep));
        // The copy that a step on lists of tensors takes, at any step.
        let copy = (
            "/x/torch/optim/adamw.py",
            "_multi_tensor_adamw",
            "exp_avg_sq_sqrt = torch._foreach_sqrt(device_exp_avg_sqs)",
        );
        assert_eq!(told(&[TRAINER, step, copy]).0, Some(Phase::OptimizerForeach));
    }

    #[test]
    fn servers_have_phases_of_their_own() {
        let profile =
            ("/x/vllm/v1/worker/gpu_worker.py", "determine_available_memory", "self.model_runner.profile_run()");
        let model = (
            "/x/vllm/model_executor/models/llama.py",
            "forward",
            "hidden_states = self.self_attn(positions=positions)",
        );
        assert_eq!(told(&[profile, model]), (Some(Phase::Profile), Some(Part::Attention)));
        let cache = ("/x/vllm/v1/worker/gpu_model_runner.py", "_allocate_kv_cache_tensors", "tensor = torch.zeros(");
        assert_eq!(told(&[cache]).0, Some(Phase::KvCache));
        let load = ("/x/transformers/modeling_utils.py", "from_pretrained", "model = cls._load_pretrained_model(");
        let empty = ("/x/torch/nn/modules/module.py", "_apply", "param_applied = fn(param)");
        assert_eq!(told(&[load, empty]).0, Some(Phase::Load));
    }
}
