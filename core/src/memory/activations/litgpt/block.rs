//! What LitGPT keeps of its blocks.

use super::{Code, Era, Method, Product};
use crate::architecture::Mlp;
use crate::memory::activations::sizes::Kinds;
use crate::scenario::Attention;
use crate::worked::{Factor, Item, Symbol};

/// The first block with prompts of its own, and their tokens (LLaMA-Adapter).
pub(super) const PROMPTS_FROM: u64 = 2;
pub(super) const PROMPT_TOKENS: u64 = 10;

/// Blocks that keep the same.
#[derive(Clone, Copy)]
struct Blocks {
    layers: u64,
    /// Whether their input needs a gradient: not where nothing below learns.
    input: bool,
    /// Whether they have prompts.
    prompts: bool,
}

/// The blocks that leave anything, by what they keep: the first, some without prompts, the others.
fn groups(code: &Code<'_>) -> [Blocks; 3] {
    let held = code.sizes.held;
    let group = |layers, input, prompts| Blocks { layers, input, prompts };
    let none = group(0, true, false);
    match code.run.method {
        Method::OfTheMode if code.full => [none, none, group(held, true, false)],
        Method::OfTheMode => {
            let first = u64::from(code.sizes.local.embedding).min(held);
            [group(first, false, false), none, group(held - first, true, false)]
        }
        Method::Adapter => {
            // Nothing learns below the first prompts.
            let prompted = held.saturating_sub(PROMPTS_FROM);
            let first = prompted.min(1);
            [group(first, false, true), none, group(prompted - first, true, true)]
        }
        Method::AdapterV2 => {
            let (first, below) = (held.min(1), held.min(PROMPTS_FROM));
            [group(first, false, false), group(below - first, true, false), group(held - below, true, true)]
        }
    }
}

/// What needs a gradient in some blocks.
impl Blocks {
    /// The output of the first norm.
    fn norm(self, code: &Code<'_>) -> bool {
        self.input || code.norms_learn()
    }

    /// Queries, keys and values.
    fn queries(self, code: &Code<'_>) -> bool {
        self.norm(code) || projections(code) > 0
    }

    /// The output of attention.
    fn attention(self, code: &Code<'_>) -> bool {
        self.queries(code) || self.prompts
    }

    /// The input of the second norm.
    fn middle(self, code: &Code<'_>) -> bool {
        self.input || (!code.sizes.shape.parallel_residual && (self.attention(code) || code.targets.o))
    }

    /// The input of the MLP.
    fn mlp(self, code: &Code<'_>) -> bool {
        self.middle(code) || code.norms_learn()
    }

    /// What is inside the MLP.
    fn inner(self, code: &Code<'_>) -> bool {
        self.mlp(code) || code.targets.mlp
    }
}

/// How many of queries, keys and values have an adapter.
fn projections(code: &Code<'_>) -> u64 {
    [code.targets.q, code.targets.k, code.targets.v].map(u64::from).into_iter().sum()
}

/// Whether one norm serves attention and MLP.
fn shared_norm(code: &Code<'_>) -> bool {
    code.sizes.shape.norms_per_layer == 1
}

/// A width that a tensor has for each token.
#[derive(Clone, Copy)]
enum Width {
    One,
    Hidden,
    Queries,
    Keys,
    Heads,
    Scores,
    Rank,
}

/// `bytes` for each value of a tensor in each of `layers` layers.
fn tensor(code: &Code<'_>, layers: u64, item: Item, bytes: u64, width: Width, product: Product<'_>) {
    if bytes * layers == 0 {
        return;
    }
    let sizes = &code.sizes;
    let (n, l, t) = (Factor::number(bytes), Factor::new(Symbol::Layers, layers), sizes.tokens);
    let dim = Factor::new(Symbol::HeadDim, sizes.shape.head_dim.into());
    match width {
        Width::One => product(item, &[n, l, t]),
        Width::Hidden => product(item, &[n, l, t, sizes.hidden]),
        Width::Queries => product(item, &[n, l, t, sizes.heads, dim]),
        Width::Keys => product(item, &[n, l, t, Factor::new(Symbol::KvHeads, sizes.local.kv_heads), dim]),
        Width::Heads => product(item, &[n, l, t, sizes.heads]),
        Width::Scores => product(item, &[n, l, t, sizes.heads, sizes.seq]),
        Width::Rank => product(item, &[n, l, t, code.rank()]),
    }
}

/// The same for a tensor as wide as an MLP inside, in dense layers and shared experts and, where `routed`, in the experts that a token visits.
fn inside_mlp(code: &Code<'_>, layers: u64, item: Item, bytes: u64, routed: bool, product: Product<'_>) {
    if bytes * layers == 0 {
        return;
    }
    let sizes = &code.sizes;
    let kinds = Kinds::of(sizes.shape, layers);
    let (n, t) = (Factor::number(bytes), sizes.tokens);
    let [dense, mixed] = [kinds.dense, kinds.moe].map(|layers| Factor::new(Symbol::Layers, layers));
    if kinds.dense > 0 {
        product(item, &[n, dense, t, Factor::new(Symbol::IntermediateSize, sizes.local.intermediate_size)]);
    }
    if let Some(moe) = sizes.shape.moe.filter(|_| kinds.moe > 0) {
        if routed {
            let visited = Factor::new(Symbol::ExpertsPerToken, moe.experts_per_token.into());
            product(item, &[n, mixed, t, visited, sizes.width(moe.intermediate_size)]);
        }
        if moe.shared_intermediate_size > 0 {
            product(item, &[n, mixed, t, sizes.width(moe.shared_intermediate_size)]);
        }
    }
}

/// Layers whose MLP can carry adapters.
fn adaptable(code: &Code<'_>, layers: u64) -> u64 {
    let kinds = Kinds::of(code.sizes.shape, layers);
    let shared = code.sizes.shape.moe.is_some_and(|moe| moe.shared_intermediate_size > 0);
    kinds.dense + if shared { kinds.moe } else { 0 }
}

/// Everything that the blocks keep.
///
/// # Formula
/// Bytes a token, with h, q, k and f the widths of the stream, of queries, of keys and inside the MLP, a heads, r the rank, e = 2:
/// each norm whose input needs a gradient 4h + 4 (LayerNorm 2h + 8, of two side by side the second 8); norm weights that learn 2h more (in 2023 4h).
/// Flash attention 6q (with as many keys as queries 4q + 2·(q + 2k), values are a view of all three), its output 2q and 4a;
/// soft-capped 6q and 8·a·s; in 2023 with one KV head 2q + 2k + 2·(q + 2k) and 2·a·s. Gated MLP 6f, plain 2f.
/// Inputs of matrices that learn or are quantised: 2h, 2q, 2h (not behind a shared norm), 2f.
/// Adapters with dropout: a copy, a mask and the output of the first matrix for each input: queries, keys and values together 3h + 2r each, output 3q + 2r,
/// first matrices of the MLP 3h + 2r each, the last 3f + 2r; fewer than three of queries, keys and values keep what they scatter, 2·(widths), and an index of 8 bytes
/// a column. Prompts: 2q + 4a and a mask of 32·s. The first block, whose input needs no gradient, keeps less.
pub(super) fn terms(code: &Code<'_>, product: Product<'_>) {
    of(code, &groups(code), product);
}

/// One block like most.
pub(super) fn one(code: &Code<'_>, product: Product<'_>) {
    let last = groups(code).into_iter().rev().find(|group| group.layers > 0);
    of(code, last.map(|group| Blocks { layers: 1, ..group }).as_slice(), product);
}

fn of(code: &Code<'_>, groups: &[Blocks], product: Product<'_>) {
    for &group in groups {
        norms(code, group, product);
    }
    for &group in groups {
        attention(code, group, product);
    }
    for &group in groups {
        let bytes = match code.sizes.shape.mlp {
            Mlp::Gated => 3 * code.e, // gate, its activation, up
            Mlp::Relu | Mlp::Gelu | Mlp::Xielu | Mlp::GeluNew => code.e,
        };
        if group.inner(code) {
            inside_mlp(code, group.layers, Item::MlpTensors, bytes, true, product);
        }
    }
    if code.keeps_inputs() {
        for &group in groups {
            inputs_of(code, group, product);
        }
    }
    for &group in groups {
        adapters(code, group, product);
        if code.run.method == Method::AdapterV2 {
            scales(code, group, product);
        }
    }
}

/// The inputs of all matrices of all blocks.
pub(super) fn inputs(code: &Code<'_>, product: Product<'_>) {
    for group in groups(code) {
        inputs_of(code, group, product);
    }
}

fn norms(code: &Code<'_>, group: Blocks, product: Product<'_>) {
    let shape = code.sizes.shape;
    let mut norm = |input: bool, shares_input: bool| {
        let [per_value, per_token] = code.norm(input);
        let per_value = if shares_input { 0 } else { per_value };
        tensor(code, group.layers, Item::NormInputs, per_value, Width::Hidden, product);
        tensor(code, group.layers, Item::NormInputs, per_token, Width::One, product);
    };
    norm(group.input, false);
    if !shared_norm(code) {
        // Side by side, two LayerNorms keep the same input.
        let layer_norm = shape.norm == crate::architecture::Norm::LayerNorm;
        norm(group.middle(code), shape.parallel_residual && layer_norm);
    }
    // Behind attention and behind the MLP.
    for _ in 2..shape.norms_per_layer {
        norm(true, false);
    }
}

fn attention(code: &Code<'_>, group: Blocks, product: Product<'_>) {
    let (sizes, e) = (&code.sizes, code.e);
    let shape = sizes.shape;
    let mut keep = |item, bytes, width| tensor(code, group.layers, item, bytes, width, product);
    let queries = group.queries(code);
    if queries {
        let one_kv_head = shape.kv_heads == 1 && shape.heads > 1 && code.run.era == Era::Y2023;
        let flash = !one_kv_head && !shape.soft_capped && sizes.scenario.attention == Attention::Flash;
        if one_kv_head {
            keep(Item::AttentionTensors, 2 * e, Width::Queries);
            keep(Item::AttentionTensors, 3 * e, Width::Keys);
        } else {
            keep(Item::AttentionTensors, 3 * e, Width::Queries);
            if shape.kv_heads == shape.heads && !shape.soft_capped {
                keep(Item::AttentionTensors, 2 * e, Width::Keys);
            }
        }
        if flash {
            keep(Item::AttentionTensors, e, Width::Queries);
            keep(Item::SoftmaxStatistics, 4, Width::Heads);
        } else {
            // Soft-capped: the hyperbolic tangent, an fp32 softmax and its 16-bit copy.
            keep(Item::AttentionScores, if shape.soft_capped { 2 * e + 4 } else { e }, Width::Scores);
        }
    }
    if group.prompts {
        // Its output, and the queries where nothing else keeps them.
        keep(Item::AttentionTensors, if queries { e } else { 2 * e }, Width::Queries);
        keep(Item::SoftmaxStatistics, 4, Width::Heads);
        if group.layers > 0 {
            // The mask of 10 prompt tokens, padded to 16.
            product(Item::AttentionMask, &[Factor::number(32), Factor::new(Symbol::Layers, group.layers), sizes.seq]);
        }
    }
}

fn inputs_of(code: &Code<'_>, group: Blocks, product: Product<'_>) {
    let (e, layers) = (code.e, group.layers);
    if group.norm(code) {
        tensor(code, layers, Item::NormOutputs, e, Width::Hidden, product);
    }
    if group.mlp(code) && !shared_norm(code) {
        tensor(code, layers, Item::NormOutputs, e, Width::Hidden, product);
    }
    if group.attention(code) {
        // A copy: the fused kernel's output lies as its queries do.
        tensor(code, layers, Item::AttentionTensors, e, Width::Queries, product);
    }
    if group.inner(code) {
        inside_mlp(code, layers, Item::MlpTensors, e, true, product);
    }
}

/// What LoRA's matrices keep.
fn adapters(code: &Code<'_>, group: Blocks, product: Product<'_>) {
    let (e, targets, layers) = (code.e, code.targets, group.layers);
    let item = Item::AdapterTensors;
    // A dropped copy, and the mask where the gradient goes further down; without dropout the input itself, unless the matrix keeps it already.
    let input = |needs_gradient: bool| match (code.dropout(), code.keeps_inputs()) {
        (true, _) => e + u64::from(needs_gradient),
        (false, true) if needs_gradient => 0,
        (false, _) => e,
    };
    let chosen = projections(code);
    if chosen > 0 {
        tensor(code, layers, item, input(group.norm(code)), Width::Hidden, product);
        tensor(code, layers, item, e * chosen, Width::Rank, product);
        if chosen < 3 {
            let keys = u64::from(targets.k) + u64::from(targets.v);
            tensor(code, layers, item, e * u64::from(targets.q), Width::Queries, product);
            tensor(code, layers, item, e * keys, Width::Keys, product);
            let dim = u64::from(code.sizes.shape.head_dim);
            let columns = (u64::from(targets.q) * code.sizes.local.heads + keys * code.sizes.local.kv_heads) * dim;
            if layers > 0 {
                product(item, &[Factor::number(8 * columns), Factor::new(Symbol::Layers, layers)]);
            }
        }
    }
    if targets.o {
        tensor(code, layers, item, input(group.attention(code)), Width::Queries, product);
        tensor(code, layers, item, e, Width::Rank, product);
    }
    if targets.mlp {
        let layers = adaptable(code, layers);
        let first = code.sizes.shape.mlp.matrices() - 1;
        // Without dropout gate and up read the same tensor.
        let copies = if code.dropout() { first } else { 1 };
        tensor(code, layers, item, copies * input(group.mlp(code)), Width::Hidden, product);
        tensor(code, layers, item, e * (first + 1), Width::Rank, product);
        inside_mlp(code, group.layers, item, input(true), false, product);
    }
}

/// What the second LLaMA-Adapter keeps: the output of each matrix in front of its scale.
fn scales(code: &Code<'_>, group: Blocks, product: Product<'_>) {
    let (e, layers, item) = (code.e, group.layers, Item::AdapterTensors);
    tensor(code, layers, item, e, Width::Queries, product);
    tensor(code, layers, item, 2 * e, Width::Keys, product);
    tensor(code, layers, item, 2 * e, Width::Hidden, product);
    inside_mlp(code, layers, item, e * (code.sizes.shape.mlp.matrices() - 1), true, product);
}
