//! What must hold for every legal input, over the whole range of `bounds` and every choice.
//!
//! 2,000 cases a property, or as many as the environment variable `PROPTEST_CASES` says.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

#[path = "common/any.rs"]
#[allow(dead_code, reason = "its whole scenarios serve the tests of ranks and engines")]
mod any;

use std::collections::HashMap;

use any::within;
use memory_wall_core::architecture::{Biases, Mlp, Norm, Positions, SlidingWindow};
use memory_wall_core::bounds::{self, Bounds};
use memory_wall_core::display::{ByteUnit, Count, Margin, Percent, Size};
use memory_wall_core::engines;
use memory_wall_core::memory::backward::Moment;
use memory_wall_core::memory::{activations, host};
use memory_wall_core::roofline::operations::Kernels;
use memory_wall_core::roofline::roof_of;
use memory_wall_core::tables::gpus::GPUS;
use memory_wall_core::worked::{Item, Term};
use memory_wall_core::{
    Architecture, Attention, Bucket, Bytes, Checkpointing, Evaluation, KvPrecision, Mode, Optimizer, Phase, Scenario,
    ScenarioError, WeightFormat, evaluate, solve,
};
use proptest::prelude::*;
use proptest::sample::select;

/// A scenario for laws about widths, and how a width is to be rounded up in it.
///
/// In a file of llama.cpp rows that are not a whole number of blocks go to a wider layout, so there a wider model can take less,
/// and of a count of parameters that is given the layouts are all that changes.
fn in_whole_blocks(scenario: &Scenario) -> (Scenario, impl Fn(u32) -> u32) {
    let mixed = scenario.mode == Mode::Inference && scenario.weights.is_gguf();
    let mut scenario = *scenario;
    if mixed {
        scenario.architecture.rounded_parameters = None;
    }
    (scenario, move |width: u32| if mixed { (width / 256).max(1) * 256 } else { width })
}

fn config() -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { config } else { ProptestConfig { cases: 2_000, ..config } }
}

/// Query heads and KV heads that divide them.
fn heads() -> impl Strategy<Value = (u32, u32)> {
    (within(bounds::HEADS), any::<prop::sample::Index>()).prop_map(|(heads, index)| {
        let divisors: Vec<u32> = (1..=heads).filter(|divisor| heads.is_multiple_of(*divisor)).collect();
        (heads, *index.get(&divisors))
    })
}

fn architecture() -> impl Strategy<Value = Architecture> {
    let sizes = (
        within(bounds::LAYERS),
        within(bounds::HIDDEN_SIZE),
        heads(),
        within(bounds::HEAD_DIM),
        within(bounds::INTERMEDIATE_SIZE),
        within(bounds::VOCAB_SIZE),
    );
    let kinds = (
        select([Mlp::Gated, Mlp::Gelu, Mlp::GeluNew].as_slice()),
        select([Norm::RmsNorm, Norm::LayerNorm].as_slice()),
        prop_oneof![Just(Positions::Rotary), within(bounds::POSITIONS).prop_map(Positions::Learned)],
        any::<[bool; 4]>(),
        proptest::option::of((within(bounds::SLIDING_WINDOW), 0.0..=1.0)),
        proptest::option::of(within(bounds::POSITIONS)),
        proptest::option::weighted(0.1, 1..=10_000_000_000_000u64),
    );
    (sizes, kinds).prop_map(
        |((layers, hidden_size, (heads, kv_heads), head_dim, intermediate_size, vocab_size), kinds)| {
            let (
                mlp,
                norm,
                positions,
                [qkv, attention_output, biased_mlp, tied_embeddings],
                sliding,
                trained_context,
                rounded,
            ) = kinds;
            Architecture {
                layers,
                hidden_size,
                heads,
                kv_heads,
                head_dim,
                intermediate_size,
                vocab_size,
                mlp,
                norm,
                positions,
                biases: Biases { qkv, attention_output, mlp: biased_mlp },
                tied_embeddings,
                sliding_window: sliding.map(|(window, share): (u32, f64)| {
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "a share of the layers"
                    )]
                    let sliding = (share * f64::from(layers)).round() as u32;
                    SlidingWindow::over(sliding, window)
                }),
                trained_context,
                rounded_parameters: rounded,
                ..Architecture::llama([1; 7])
            }
        },
    )
}

prop_compose! {
    fn scenario()(
        architecture in architecture(),
        (batch, seq_length) in (within(bounds::BATCH), within(bounds::SEQ_LENGTH)),
        mode in select(Mode::ALL),
        (any_weights, trained_weights) in (
            select(WeightFormat::ALL),
            select([WeightFormat::Fp32, WeightFormat::Fp16, WeightFormat::Bf16].as_slice()),
        ),
        kv in select(KvPrecision::ALL),
        optimizer in select(Optimizer::ALL),
        checkpointing in select(Checkpointing::ALL),
        attention in select(Attention::ALL),
        gpu in proptest::option::weighted(0.8, select(GPUS)),
    ) -> Scenario {
        let scenario = Scenario {
            architecture,
            mode,
            batch,
            seq_length,
            weights: match mode {
                Mode::Training | Mode::Lora => trained_weights,
                Mode::Qlora => WeightFormat::Nf4,
                Mode::Inference => any_weights,
            },
            kv,
            optimizer,
            checkpointing,
            attention,
            gpu: gpu.and_then(|gpu| GPUS.iter().find(|card| card.id == gpu.id)),
            ..Scenario::new(architecture)
        };
        // bitsandbytes does not run on every accelerator.
        match scenario.check() {
            Err(ScenarioError::Runtime(_)) => Scenario { gpu: None, ..scenario },
            _ => scenario,
        }
    }
}

/// A value and a larger one: by one, or by any step.
fn growing(bounds: Bounds) -> impl Strategy<Value = (u32, u32)> {
    prop_oneof![
        within(Bounds { max: bounds.max - 1, ..bounds }).prop_map(|value| (value, value + 1)),
        (within(bounds), within(bounds)).prop_map(|(one, other)| (one.min(other), one.max(other))),
    ]
}

/// The total, without the two inverse questions.
/// With its GPU, which decides about kernels, where that can run it at all.
fn total(scenario: &Scenario) -> Bytes {
    let anywhere = || Scenario { gpu: None, ..*scenario }.check().unwrap();
    evaluate(&scenario.check().unwrap_or_else(|_| anywhere())).total
}

/// Sets one dimension of the shape.
fn shaped(scenario: &Scenario, set: impl FnOnce(&mut Architecture)) -> Scenario {
    let mut architecture = scenario.architecture;
    set(&mut architecture);
    Scenario { architecture, ..*scenario }
}

/// A term multiplied out anew; fails where 128 bits do not hold it.
fn product(term: &Term<'_>) -> u128 {
    let product = term.factors.iter().try_fold(1u128, |product, factor| product.checked_mul(factor.value.into()));
    product.unwrap().div_ceil(term.divisor.into())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_legal_scenario_passes_its_check(scenario in scenario()) {
        prop_assert_eq!(scenario.check().err(), None);
    }

    #[test]
    fn parts_sum_to_the_total_and_terms_to_the_parts(scenario in scenario()) {
        let Evaluation { buckets, total, peak_phase, .. } = evaluate(&scenario.check().unwrap());
        let mut sum = 0u128;
        for (bucket, bytes) in buckets {
            let mut terms = 0u128;
            bucket.terms(&scenario.check().unwrap(), peak_phase, &mut |term| terms = terms.checked_add(product(term)).unwrap());
            prop_assert_eq!(Bytes(terms), bytes, "{:?}", bucket);
            sum += terms;
        }
        prop_assert_eq!(Bytes(sum), total);
        // So nothing saturated on the way, and a margin has room for its sign.
        prop_assert!(total.0 < 1 << 127);
        prop_assert!(buckets.map(|(bucket, _)| bucket) == Bucket::EACH);
    }

    #[test]
    fn nothing_is_larger_than_the_largest_items(scenario in scenario()) {
        let scenario = scenario.check().unwrap();
        let evaluation = evaluate(&scenario);
        let mut sums = HashMap::new();
        for bucket in Bucket::EACH {
            bucket.terms(&scenario, evaluation.peak_phase, &mut |term| {
                *sums.entry((bucket, term.item)).or_insert(0) += product(term);
            });
        }
        let mut sums: Vec<u128> = sums.into_values().filter(|bytes| *bytes > 0).collect();
        sums.sort_unstable_by(|one, other| other.cmp(one));
        sums.truncate(3);
        let said: Vec<u128> = evaluation.largest_items.iter().flatten().map(|(_, bytes)| bytes.0).collect();
        prop_assert_eq!(said, sums);
    }

    /// A scenario of any numbers whatever: refused in words or evaluated, and what needs no check answers.
    #[test]
    fn an_unchecked_scenario_is_refused_or_evaluated(numbers in any::<[u32; 25]>(), mask in any::<u32>(), scenario in scenario()) {
        let hostile = with_numbers(scenario, numbers, mask);
        match hostile.check() {
            Ok(checked) => prop_assert!(evaluate(&checked).total.0 < 1 << 127),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
        let _ = (hostile.recipe(), hostile.ties(), hostile.tied_here(), hostile.tokens());
        let _ = (hostile.parallel.ranks(), hostile.parallel.shard_ranks(), Kernels::of(&hostile), hostile.runtime());
        for gpu in GPUS {
            prop_assert!(roof_of(&hostile, gpu).peak.0 > 0.0);
        }
    }

    #[test]
    fn only_training_keeps_gradients_and_only_inference_a_cache(scenario in scenario()) {
        let evaluation = evaluate(&scenario.check().unwrap());
        let training = scenario.mode.trains();
        prop_assert!(training || evaluation.bytes(Bucket::Gradients) == Bytes::ZERO);
        prop_assert_eq!(evaluation.bytes(Bucket::KvCache) > Bytes::ZERO, !training);
        prop_assert_eq!(evaluation.peak_phase == Phase::Forward, !training);
        prop_assert!(evaluation.bytes(Bucket::Weights) > Bytes::ZERO);
    }

    #[test]
    fn never_falls_with_seq_length(scenario in scenario(), (less, more) in growing(bounds::SEQ_LENGTH)) {
        let at = |seq_length| total(&Scenario { seq_length, ..scenario });
        prop_assert!(at(less) <= at(more), "{} to {}: {} to {}", less, more, at(less), at(more));
    }

    #[test]
    fn never_falls_where_a_window_fills(scenario in scenario(), window in within(Bounds { max: 9_999_999, ..bounds::SLIDING_WINDOW })) {
        let layers = scenario.architecture.layers;
        let scenario = shaped(&scenario, |shape| shape.sliding_window = Some(SlidingWindow::over(layers, window)));
        let at = |seq_length| total(&Scenario { seq_length, ..scenario });
        prop_assert!(at(window) <= at(window + 1), "{} to {}", at(window), at(window + 1));
    }

    #[test]
    fn never_falls_with_batch(scenario in scenario(), (less, more) in growing(bounds::BATCH)) {
        let at = |batch| total(&Scenario { batch, ..scenario });
        prop_assert!(at(less) <= at(more));
    }

    #[test]
    fn never_falls_with_layers(scenario in scenario(), (less, more) in growing(bounds::LAYERS)) {
        let (scenario, _) = in_whole_blocks(&scenario);
        let sliding = scenario.architecture.sliding_window.map(|sliding| SlidingWindow { layers: sliding.layers.min(less), ..sliding });
        let at = |layers| total(&shaped(&scenario, |shape| (shape.layers, shape.sliding_window) = (layers, sliding)));
        prop_assert!(at(less) <= at(more));
    }

    #[test]
    fn never_falls_with_hidden_size(scenario in scenario(), (less, more) in growing(bounds::HIDDEN_SIZE)) {
        let (scenario, whole) = in_whole_blocks(&scenario);
        let at = |hidden_size| total(&shaped(&scenario, |shape| shape.hidden_size = whole(hidden_size)));
        prop_assert!(at(less) <= at(more));
    }

    #[test]
    fn never_falls_with_intermediate_size(scenario in scenario(), (less, more) in growing(bounds::INTERMEDIATE_SIZE)) {
        let (scenario, whole) = in_whole_blocks(&scenario);
        let at = |intermediate_size| total(&shaped(&scenario, |shape| shape.intermediate_size = whole(intermediate_size)));
        prop_assert!(at(less) <= at(more));
    }

    #[test]
    fn never_falls_with_vocab_size(scenario in scenario(), (less, more) in growing(bounds::VOCAB_SIZE)) {
        let (scenario, _) = in_whole_blocks(&scenario);
        let at = |vocab_size| total(&shaped(&scenario, |shape| shape.vocab_size = vocab_size));
        prop_assert!(at(less) <= at(more));
    }

    #[test]
    fn never_falls_with_kv_heads(scenario in scenario(), other in any::<prop::sample::Index>()) {
        let heads = scenario.architecture.heads;
        let divisors: Vec<u32> = (1..=heads).filter(|divisor| heads.is_multiple_of(*divisor)).collect();
        let (one, other) = (scenario.architecture.kv_heads, *other.get(&divisors));
        let (mut scenario, _) = in_whole_blocks(&scenario);
        // Grouped queries may have no fused kernel where as many heads as queries have one.
        scenario.training.stock.efficient_kernel = true;
        let at = |kv_heads| total(&shaped(&scenario, |shape| shape.kv_heads = kv_heads));
        prop_assert!(at(one.min(other)) <= at(one.max(other)));
    }

    #[test]
    fn never_falls_with_the_bits_of_the_cache(scenario in scenario()) {
        // Widest first.
        let totals: Vec<Bytes> = KvPrecision::ALL.iter().map(|&kv| total(&Scenario { kv, ..scenario })).collect();
        prop_assert!(totals.is_sorted_by(|wide, narrow| wide >= narrow), "{:?}", totals);
    }

    #[test]
    fn the_recomputed_layer_is_a_whole_layer(scenario in scenario()) {
        let scenario = Scenario {
            mode: Mode::Training,
            weights: WeightFormat::Bf16,
            checkpointing: Checkpointing::Full,
            attention: Attention::Flash,
            // As a training step with 8-bit states it does not run on every accelerator.
            gpu: None,
            ..scenario
        };
        let mut recomputed = Bytes::ZERO;
        activations::in_backward(&scenario.check().unwrap(), Moment::LastLayer, &mut |term| {
            if term.item == Item::RecomputedLayer {
                recomputed += term.bytes();
            }
        });
        let kept = activations::saved_per_layer(&Scenario { checkpointing: Checkpointing::None, ..scenario }.check().unwrap());
        prop_assert_eq!(recomputed, kept);
    }

    #[test]
    fn no_figure_is_shown_as_nan_or_infinite(scenario in scenario()) {
        let evaluation = evaluate(&scenario.check().unwrap());
        let mut shown = vec![Count(evaluation.parameters.total()).to_string()];
        for unit in ByteUnit::EACH {
            for (_, bytes) in evaluation.buckets {
                let share = bytes.share_of(evaluation.total);
                prop_assert!((0.0..=1.0).contains(&share));
                shown.extend([Size::new(bytes, unit).to_string(), Percent(share).to_string()]);
            }
            shown.push(Size::new(evaluation.total, unit).plain().to_string());
            if let Some(fit) = evaluation.fit {
                shown.push(Margin { bytes: fit.margin, unit }.to_string());
                shown.push(Percent(evaluation.total.share_of(fit.capacity)).to_string());
            }
        }
        for text in shown {
            prop_assert!(!text.contains("NaN") && !text.contains("inf"), "{}", text);
            prop_assert!(text.chars().any(|letter| letter.is_ascii_digit()), "{}", text);
        }
        prop_assert!(evaluation.assumptions.iter().all(|assumption| assumption.to_string().ends_with('.')));
    }

    #[test]
    fn the_longest_sequence_fits_and_one_token_more_does_not(scenario in scenario(), capacity in capacity()) {
        let answer = solve::max_seq_length(&scenario.check().unwrap(), capacity);
        is_the_last_that_fits(answer, bounds::SEQ_LENGTH, capacity, |seq_length| Scenario { seq_length, ..scenario })?;
    }

    #[test]
    fn the_largest_batch_fits_and_one_more_does_not(scenario in scenario(), capacity in capacity()) {
        let answer = solve::max_batch(&scenario.check().unwrap(), capacity);
        is_the_last_that_fits(answer, bounds::BATCH, capacity, |batch| Scenario { batch, ..scenario })?;
    }

    #[test]
    fn the_cache_passes_the_weights_where_it_is_said(scenario in scenario()) {
        let scenario = Scenario { mode: Mode::Inference, gpu: None, ..scenario };
        let passes = |seq_length| {
            let evaluation = evaluate(&Scenario { seq_length, ..scenario }.check().unwrap());
            evaluation.bytes(Bucket::KvCache) > evaluation.bytes(Bucket::Weights)
        };
        match solve::kv_cache_passes_weights(&scenario.check().unwrap()) {
            Some(first) => prop_assert!(passes(first) && (first == 1 || !passes(first - 1))),
            None => prop_assert!(!passes(bounds::SEQ_LENGTH.max)),
        }
    }

    #[test]
    fn a_verdict_agrees_with_its_answers(scenario in scenario()) {
        let evaluation = evaluate(&scenario.check().unwrap());
        prop_assert_eq!(evaluation.fit.is_some(), scenario.gpu.is_some());
        let Some(fit) = evaluation.fit else { return Ok(()) };
        // Paged states and doubtful buffers give way, and host memory has a word of its own.
        let (rank, no) = (scenario.check().unwrap(), Some(memory_wall_core::Verdict::DoesNotFit));
        let room = fit.limit + memory_wall_core::evaluate::gives_way(&rank);
        prop_assert_eq!(fit.margin.0 >= 0, evaluation.total <= room);
        let on_host = host::verdict(&rank) != no;
        let fits = evaluation.total <= room && on_host;
        prop_assert_eq!(fit.verdict != memory_wall_core::Verdict::DoesNotFit, fits);
        prop_assert_eq!(fit.max_seq >= scenario.seq_length, fits);
        prop_assert_eq!(fit.max_batch >= scenario.batch, fits);
        if on_host {
            // What a newer macOS lends holds more.
            let most = rank.newer_lends().map_or(fit.limit, |newer| engines::limit(&rank, newer));
            is_the_last_that_fits(fit.max_seq, bounds::SEQ_LENGTH, most, |seq_length| Scenario { seq_length, ..scenario })?;
            is_the_last_that_fits(fit.max_batch, bounds::BATCH, most, |batch| Scenario { batch, ..scenario })?;
        } else {
            prop_assert_eq!([fit.max_seq, fit.max_batch], [0; 2]);
        }
    }
}

/// Some of a scenario's numbers replaced by any others, nothing and the largest among them.
fn with_numbers(mut scenario: Scenario, numbers: [u32; 25], mask: u32) -> Scenario {
    let Scenario { architecture: shape, batch, seq_length, parallel, training, serving, .. } = &mut scenario;
    let places = [
        batch,
        seq_length,
        &mut shape.layers,
        &mut shape.hidden_size,
        &mut shape.heads,
        &mut shape.kv_heads,
        &mut shape.head_dim,
        &mut shape.intermediate_size,
        &mut shape.vocab_size,
        &mut shape.shared_cache_layers,
        &mut shape.mlp_layers,
        &mut parallel.dp,
        &mut parallel.tp,
        &mut parallel.pp,
        &mut parallel.cp,
        &mut parallel.ep,
        &mut parallel.virtual_stages,
        &mut parallel.stage,
        &mut training.micro_batches,
        &mut training.lora.rank,
        &mut serving.max_num_seqs,
        &mut serving.max_num_batched_tokens,
    ];
    for (bit, (place, number)) in places.into_iter().zip(numbers).enumerate() {
        if mask >> bit & 1 == 1 {
            // Nothing, a little, and anything.
            *place = match number % 4 {
                0 => 0,
                1 => number >> 28,
                2 => u32::MAX,
                _ => number,
            };
        }
    }
    scenario
}

/// From a kilobyte to more than anything needs, large and small magnitudes alike.
fn capacity() -> impl Strategy<Value = Bytes> {
    (10u32..126, any::<u128>()).prop_map(|(bits, noise)| Bytes((1 << bits) + noise % (1 << bits)))
}

/// What a scenario takes, less what gives way there.
fn needed(scenario: &Scenario) -> Bytes {
    total(scenario) - memory_wall_core::evaluate::gives_way(&scenario.check().unwrap())
}

fn is_the_last_that_fits(
    answer: u32,
    bounds: Bounds,
    capacity: Bytes,
    scenario: impl Fn(u32) -> Scenario,
) -> Result<(), TestCaseError> {
    prop_assert!(answer <= bounds.max);
    if answer > 0 {
        prop_assert!(needed(&scenario(answer)) <= capacity, "{} does not fit", answer);
    }
    if answer < bounds.max {
        prop_assert!(needed(&scenario(answer + 1)) > capacity, "{} fits too", answer + 1);
    }
    Ok(())
}

/// The largest values of everything at once: nothing wraps, saturates or fails.
#[test]
fn the_far_corner() {
    let architecture = Architecture {
        layers: bounds::LAYERS.max,
        hidden_size: bounds::HIDDEN_SIZE.max,
        heads: bounds::HEADS.max,
        kv_heads: bounds::KV_HEADS.max,
        head_dim: bounds::HEAD_DIM.max,
        intermediate_size: bounds::INTERMEDIATE_SIZE.max,
        vocab_size: bounds::VOCAB_SIZE.max,
        mlp: Mlp::Gated,
        norm: Norm::LayerNorm,
        positions: Positions::Learned(bounds::POSITIONS.max),
        biases: Biases { qkv: true, attention_output: true, mlp: true },
        tied_embeddings: false,
        ..Architecture::llama([1; 7])
    };
    let corner = Scenario {
        batch: bounds::BATCH.max,
        seq_length: bounds::SEQ_LENGTH.max,
        weights: WeightFormat::Fp32,
        kv: KvPrecision::Fp32,
        attention: Attention::Eager,
        gpu: GPUS.first(),
        ..Scenario::new(architecture)
    };
    for &mode in Mode::ALL {
        for &checkpointing in Checkpointing::ALL {
            let weights = if mode == Mode::Qlora { WeightFormat::Nf4 } else { WeightFormat::Fp32 };
            let scenario = Scenario { mode, checkpointing, weights, ..corner };
            assert_eq!(scenario.check().err(), None);
            let total = total(&scenario);
            assert!(total.0 < 1 << 127);
            assert!(!Size::new(total, ByteUnit::Gib).to_string().contains("NaN"));
        }
    }
}

/// A window that fills in a narrow fp32 model with many heads: the kernel's padded statistics stay, with the mask or without it.
#[test]
fn never_falls_where_a_window_fills_in_a_narrow_model() {
    let architecture = Architecture {
        layers: 1,
        hidden_size: 1,
        heads: bounds::HEADS.max,
        kv_heads: 1,
        head_dim: 1,
        intermediate_size: 1,
        vocab_size: 1,
        mlp: Mlp::Gated,
        norm: Norm::RmsNorm,
        positions: Positions::Rotary,
        biases: Biases::default(),
        tied_embeddings: false,
        ..Architecture::llama([1; 7])
    };
    for weights in [WeightFormat::Fp32, WeightFormat::Bf16] {
        for window in 1..100 {
            let scenario = Scenario { mode: Mode::Training, weights, ..Scenario::new(architecture) };
            let scenario = shaped(&scenario, |shape| shape.sliding_window = Some(SlidingWindow::over(1, window)));
            let at = |seq_length| total(&Scenario { seq_length, ..scenario });
            assert!(at(window) <= at(window + 1), "{weights}, window {window}");
        }
    }
}

/// Every place at which the shown digits of a size change, from one byte to 999 EB and EiB: the last byte before it and the first behind.
#[test]
fn sizes_round_half_up_at_every_boundary() {
    for unit in ByteUnit::EACH {
        let show = |bytes: u128| Size::new(Bytes(bytes), unit).plain().to_string();
        let (step, names) = match unit {
            ByteUnit::Gb => (1_000u128, ["B", "kB", "MB", "GB", "TB", "PB", "EB"]),
            ByteUnit::Gib => (1_024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]),
        };
        for bytes in 0..1_000 {
            assert_eq!(show(bytes), format!("{bytes} B"));
        }
        for (rung, name) in names.iter().enumerate().skip(1) {
            let one = step.pow(u32::try_from(rung).unwrap());
            // The labels of this rung in thousandths, each with the place of its last digit; a binary rung begins below 1.
            let first = if step == 1_024 { 977 } else { 1_000 };
            let labels = (first..1_000u128)
                .map(|label| (label, 1))
                .chain((100..1_000).map(|label| (label * 10, 10)))
                .chain((100..1_000).map(|label| (label * 100, 100)))
                .chain((100..1_000).map(|label| (label * 1_000, 1_000)));
            let written = |label: u128, place: u128| match place {
                1 => format!("0.{label:03} {name}"),
                10 => format!("{}.{:02} {name}", label / 1_000, label % 1_000 / 10),
                100 => format!("{}.{} {name}", label / 1_000, label % 1_000 / 100),
                _ => format!("{} {name}", label / 1_000),
            };
            let labels: Vec<_> = labels.collect();
            for pair in labels.windows(2) {
                let [(label, place), (next, next_place)] = *pair else { continue };
                let boundary = ((2 * label + place) * one).div_ceil(2_000);
                assert_eq!(show(boundary - 1), written(label, place), "{} bytes", boundary - 1);
                assert_eq!(show(boundary), written(next, next_place), "{boundary} bytes");
            }
            // Behind the last label comes the next rung, where there is one.
            let boundary = (1_999 * one).div_ceil(2);
            assert_eq!(show(boundary - 1), format!("999 {name}"));
            let behind = match names.get(rung + 1) {
                Some(next) if step == 1_000 => format!("1.00 {next}"),
                Some(next) => format!("0.976 {next}"),
                None => format!("1,000 {name}"),
            };
            assert_eq!(show(boundary), behind);
            // Around each power itself.
            assert_eq!(show(one), format!("1.00 {name}"));
        }
        assert_eq!(show(999), "999 B");
        assert_eq!(show(1_000), if step == 1_000 { "1.00 kB" } else { "0.977 KiB" });
        assert_eq!(show(1_023), if step == 1_000 { "1.02 kB" } else { "0.999 KiB" });
        assert_eq!(show(1_024), if step == 1_000 { "1.02 kB" } else { "1.00 KiB" });
    }
}
