use super::view::{Cut, GPUS, TOKENS, saved, sent, weights};
use memory_wall_core::Bytes;
use memory_wall_core::tables::models;

/// Widths of Llama 2 7B: hidden, of the MLP, layers.
const H: u128 = 4_096;
const F: u128 = 11_008;
const L: u128 = 32;

#[test]
fn every_cell_is_what_one_gets_by_hand() {
    let model = models::by_id("llama-2-7b").unwrap();
    let [none, tensor, sequence, context] = Cut::ALL.map(|cut| cut.over(model).unwrap());
    let [gpus, tokens] = [u128::from(GPUS), u128::from(TOKENS)];
    // Inputs and outputs of two norms, then queries, keys, values, what attention makes and a gated MLP.
    let [around, inside] = [8 * H, 8 * H + 6 * F].map(|bytes| bytes * tokens * L);
    assert_eq!(saved(&none), Bytes(around + inside));
    assert_eq!(saved(&tensor), Bytes(around + inside / gpus));
    assert_eq!([&sequence, &context].map(saved), [Bytes((around + inside) / gpus); 2]);
    // Four sums a layer, each sent nearly twice; keys, values and twice as much on the way back, to seven others.
    assert_eq!([&tensor, &sequence].map(sent), [Bytes(4 * 2 * (gpus - 1) * H * 2 / gpus); 2]);
    assert_eq!(sent(&context), Bytes(3 * 2 * H * 2 * (gpus - 1) / gpus));
    assert_eq!(sent(&none), Bytes(0));
    assert_eq!(weights(&none), weights(&context));
    // Norms are copied.
    assert!(weights(&tensor).0.abs_diff(weights(&none).0 / gpus) * 500 < weights(&tensor).0);
}

#[test]
fn fewer_key_heads_make_context_parallelism_cheaper() {
    let sent = |id| sent(&Cut::Context.over(models::by_id(id).unwrap()).unwrap()).0;
    assert_eq!(sent("llama-2-7b"), 4 * sent("llama-3.1-8b"));
}
