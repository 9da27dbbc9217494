//! What must hold for every legal cut over GPUs, every engine and every fix: over the whole range of `bounds` and every choice.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

#[path = "common/any.rs"]
mod any;

use any::{alone, on_one_gpu, scenario, served};
use memory_wall_core::advise::{self, Mitigation};
use memory_wall_core::communication::{self, Traffic};
use memory_wall_core::evaluate::{fits, per_rank, total};
use memory_wall_core::parameters::Parameters;
use memory_wall_core::worked::Item;
use memory_wall_core::{
    Bucket, Bytes, Checked, Implementation, Mode, Parallelism, Recipe, Scenario, Verdict, WeightFormat, ZeroStage,
    alternatives, bounds, cost, evaluate, solve,
};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{TestCaseResult, TestRunner};

fn config() -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { config } else { ProptestConfig { cases: 2_000, ..config } }
}

fn classes(parameters: &Parameters) -> [u64; 7] {
    let Parameters { embedding, positions, matrices, experts, routers, vectors, head } = *parameters;
    [embedding, positions, matrices, experts, routers, vectors, head]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_legal_scenario_passes_its_check(scenario in scenario(), alone in on_one_gpu()) {
        prop_assert_eq!(scenario.check().err(), None);
        prop_assert_eq!(alone.check().err(), None);
    }

    #[test]
    fn parts_sum_to_the_total_on_every_rank(scenario in scenario()) {
        let evaluation = evaluate(&scenario.check().unwrap());
        let sum: Bytes = evaluation.buckets.iter().map(|(_, bytes)| *bytes).sum();
        prop_assert_eq!(sum, evaluation.total);
        prop_assert!(evaluation.total.0 < 1 << 127);
        // The peak is the fullest phase, and the fullest rank is the fullest.
        let highest = evaluation.phases.iter().map(|(_, bytes)| bytes).max().unwrap();
        prop_assert_eq!(highest, evaluation.total);
        prop_assert!(evaluation.phases.iter().any(|it| it == (evaluation.peak_phase, evaluation.total)));
        let mut fullest = Bytes::ZERO;
        for rank in per_rank(&scenario.check().unwrap()) {
            prop_assert_eq!(rank.buckets.iter().map(|(_, bytes)| *bytes).sum::<Bytes>(), rank.total);
            fullest = fullest.max(rank.total);
        }
        // The fullest stage is met; where kinds of layers mix, up to a layer's cache.
        let shape = &scenario.architecture;
        let mixed = shape.sliding_window.is_some()
            || shape.linear_attention.is_some()
            || shape.moe.is_some()
            || shape.shared_cache_layers + shape.mlp_layers > 0
            // The first layer beside adapters keeps less than the others.
            || scenario.mode.adapts();
        prop_assert!(fullest >= evaluation.total);
        let missed = (fullest - evaluation.total).share_of(fullest);
        prop_assert!(mixed || missed < 0.02, "{} {}", fullest, evaluation.total);
        // Largest first, and none larger than the whole.
        let largest: Vec<Bytes> = evaluation.largest_items.iter().flatten().map(|(_, bytes)| *bytes).collect();
        prop_assert!(largest.is_sorted_by(|one, next| one >= next));
        prop_assert!(largest.iter().copied().sum::<Bytes>() <= evaluation.total);
    }

    /// A pipeline loses no parameter and invents none but the copy of a tied table.
    #[test]
    fn stages_add_up_to_the_model(scenario in scenario()) {
        let shape = scenario.architecture;
        let whole = shape.parameters();
        let cut = Parallelism { pp: scenario.parallel.pp, ..Parallelism::ONE };
        let mut sum = [0u64; 7];
        for stage in 0..cut.pp {
            let part = classes(&shape.parameters_on(&Parallelism { stage, ..cut }));
            for (sum, part) in sum.iter_mut().zip(part) {
                *sum += part;
            }
        }
        let mut expected = classes(&whole);
        if cut.pp > 1 && shape.tied_embeddings {
            expected[6] = expected[0];
        }
        // A round count is spread over the layers and rounded up on each stage.
        let slack = if shape.rounded_parameters.is_some() { u64::from(cut.pp) } else { 0 };
        for (sum, expected) in sum.into_iter().zip(expected) {
            prop_assert!((expected..=expected + slack).contains(&sum), "{} is not {}", sum, expected);
        }
    }

    /// Tensor-parallel ranks together hold at least the model: what they do not divide they copy.
    #[test]
    fn tensor_parallel_ranks_hold_the_model(scenario in scenario()) {
        let cut = Parallelism { tp: scenario.parallel.tp, ..Parallelism::ONE };
        let part = scenario.architecture.parameters_on(&cut).total();
        let whole = scenario.architecture.parameters().total();
        prop_assert!(u128::from(part) * u128::from(cut.tp) >= u128::from(whole));
        prop_assert!(part <= whole);
    }

    /// Sharding never makes a rank fuller, and a higher stage never fuller than a lower one.
    #[test]
    fn sharding_never_fills_a_rank(mut scenario in scenario()) {
        // Frozen weights in 4 bits wait in host memory with ZeRO-3 alone.
        scenario.offload.parameters &= scenario.mode != Mode::Qlora;
        let at = |zero| {
            let mut sharded = scenario;
            sharded.parallel.zero = zero;
            // Not every code shards gradients or weights beside a pipeline.
            let sharded = sharded.check().ok()?;
            let states = [Bucket::Weights, Bucket::Gradients, Bucket::Optimizer]
                .map(|bucket| {
                    memory_wall_core::worked::total(|sink| {
                        bucket.terms(&sharded, memory_wall_core::Phase::OptimizerStep, &mut |term| {
                            // Copies of a step are the price, not the states; and so is DeepSpeed's clone of weights that have no other copy.
                            let price = match term.item {
                                Item::StepTemporary => true,
                                Item::MasterWeights => !matches!(sharded.recipe(), Recipe::Mixed | Recipe::MixedFp32Gradients),
                                _ => false,
                            };
                            if !price {
                                sink(term);
                            }
                        });
                    })
                })
                .into_iter()
                .sum::<Bytes>();
            Some(states)
        };
        let totals: Vec<Bytes> = ZeroStage::ALL.iter().filter_map(|&zero| at(zero)).collect();
        prop_assert!(totals.is_sorted_by(|less, more| less >= more), "{:?}", totals);
    }

    /// torchtitan cuts stages and counts chunks in its own way, and still nothing falls when an input grows.
    #[test]
    fn nothing_falls_under_torchtitan(
        scenario in scenario(),
        mode in select([Mode::Training, Mode::Lora].as_slice()),
        more in [1u32..bounds::BATCH.max, 1u32..bounds::SEQ_LENGTH.max, 1u32..64],
    ) {
        let mut scenario = Scenario { mode, weights: WeightFormat::Bf16, gpu: None, ..scenario };
        scenario.training.implementation = Implementation::Torchtitan;
        // Some models have no matrix for the chosen adapters.
        let Ok(legal) = scenario.check() else { return Ok(()) };
        let [batch, seq_length, layers] = more;
        for step in [1, batch] {
            let batch = (scenario.batch + step).min(bounds::BATCH.max);
            prop_assert!(total(&legal) <= total(&legal.with_batch(batch)), "batch {}", batch);
        }
        for step in [1, seq_length] {
            let seq_length = (scenario.seq_length + step).min(bounds::SEQ_LENGTH.max);
            prop_assert!(total(&legal) <= total(&legal.with_seq_length(seq_length)), "length {}", seq_length);
        }
        // Layers of one kind: of several the mean block can shrink.
        let shape = &mut scenario.architecture;
        (shape.sliding_window, shape.linear_attention, shape.moe, shape.rounded_parameters) = (None, None, None, None);
        (shape.shared_cache_layers, shape.mlp_layers) = (0, 0);
        (shape.embedding_norm, shape.keys_as_values, scenario.parallel.ep) = (false, false, 1);
        let mut deeper = scenario;
        for step in [1, layers] {
            deeper.architecture.layers = (scenario.architecture.layers + step).min(bounds::LAYERS.max);
            prop_assert!(total(&scenario.check().unwrap()) <= total(&deeper.check().unwrap()), "{} layers more", step);
        }
        // No stage holds more than the ones that are looked at.
        let fullest = per_rank(&scenario.check().unwrap()).map(|rank| rank.total).max();
        prop_assert_eq!(fullest, Some(total(&scenario.check().unwrap())));
    }

    #[test]
    fn one_gpu_sends_nothing(scenario in scenario()) {
        let alone = alone(scenario);
        prop_assert_eq!(communication::between_ranks(&alone.check().unwrap()), Bytes::ZERO);
        for traffic in Traffic::EACH {
            prop_assert!(communication::bytes(&scenario.check().unwrap(), traffic).0 < 1 << 127);
        }
    }

    #[test]
    fn times_are_numbers(scenario in scenario()) {
        let seconds = cost::seconds(&scenario.check().unwrap());
        prop_assert!(seconds.is_finite() && seconds > 0.0, "{}", seconds);
        prop_assert!(cost::offload_seconds(&scenario.check().unwrap()).is_none_or(|seconds| seconds.is_finite() && seconds > 0.0));
        let same = cost::time_ratio(&scenario.check().unwrap(), &scenario.check().unwrap());
        prop_assert!((same - 1.0).abs() < 1e-12);
    }

    /// Every mitigation is a legal scenario or a reason, and says what the engine says.
    #[test]
    fn mitigations_agree_with_the_engine(scenario in scenario()) {
        let before = total(&scenario.check().unwrap());
        let mut mitigations = 0;
        for (mitigation, effect) in advise::ladder(&scenario.check().unwrap()) {
            mitigations += 1;
            match effect {
                Ok(effect) => {
                    prop_assert_eq!(total(&effect.scenario), effect.total);
                    prop_assert_eq!(before.minus(effect.total), effect.saved);
                    prop_assert!(effect.time_ratio.is_finite() && effect.time_ratio > 0.0, "{:?}", mitigation);
                }
                Err(reason) => prop_assert!(!reason.id().is_empty()),
            }
        }
        prop_assert_eq!(mitigations, Mitigation::ALL.len());
    }
}

/// A twentieth of the cases for a property of a search, which runs thousands of evaluations for each. Not by `proptest!`:
/// there the environment's number goes before any other.
fn search<S: Strategy>(any: S, holds: impl Fn(S::Value) -> TestCaseResult) {
    let config = ProptestConfig { cases: config().cases / 20 + 1, ..config() };
    TestRunner::new(config).run(&any, holds).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn the_plan_fits_and_needs_each_of_its_fixes() {
    search(scenario(), |scenario| {
        let Some(plan) = advise::gentlest(&scenario.check().unwrap()) else { return Ok(()) };
        let capacity = scenario.gpu.unwrap().capacity;
        prop_assert!(fits(&plan.effect.scenario, capacity));
        prop_assert_eq!(evaluate::verdict(&plan.effect.scenario), Some(Verdict::Fits));
        prop_assert_eq!(total(&plan.effect.scenario), plan.effect.total);
        let scenario = scenario.check().unwrap();
        // Where the scenario fits as it is, nothing is proposed.
        if evaluate::verdict(&scenario) == Some(Verdict::Fits) {
            prop_assert!(!plan.lossy && plan.effect.scenario == scenario);
        }
        for less in advise::single_reverts(&scenario, &plan.effect.scenario) {
            let roomy = evaluate::verdict(&less) == Some(Verdict::Fits);
            prop_assert!(!roomy || cost::time_ratio(&scenario, &less) > advise::TOO_SLOW, "{:?}", less);
        }
        Ok(())
    });
}

#[test]
fn the_fewest_gpus_fit_and_one_rank_fewer_does_not() {
    search((scenario(), 30u32..43, any::<bool>()), |(scenario, capacity, tight)| {
        let capacity = Bytes(1 << capacity);
        let scenario = scenario.check().unwrap();
        let Some(cluster) = solve::fewest_gpus(&scenario, capacity, tight) else { return Ok(()) };
        let enough = |scenario: &Checked| match evaluate::verdict_on(scenario, capacity) {
            Verdict::Fits => true,
            Verdict::Tight => tight,
            Verdict::Queues | Verdict::DoesNotFit => false,
        };
        let found = solve::in_cut(&scenario, cluster.parallel).unwrap();
        prop_assert!(enough(&found));
        prop_assert_eq!(total(&found), cluster.total);
        prop_assert_eq!(cluster.gpus, cluster.parallel.ranks());
        // In training ranks that share the experts come and go together.
        let step = if scenario.mode.trains() { cluster.parallel.ep } else { 1 };
        if cluster.parallel.dp > 2 && cluster.parallel.dp > step {
            let fewer = Parallelism { dp: cluster.parallel.dp - step, ..cluster.parallel };
            prop_assert!(!enough(&solve::in_cut(&scenario, fewer).unwrap()));
        }
        Ok(())
    });
}

#[test]
fn the_smallest_gpu_and_the_largest_model_fit() {
    search(scenario(), |scenario| {
        let checked = scenario.check().unwrap();
        if let Some(gpu) = solve::smallest_gpu(&checked) {
            // What a program takes for itself depends on the GPU, so that one is asked.
            prop_assert!(fits(&checked.on(gpu).check().unwrap(), gpu.capacity));
            let smaller = alternatives::of(&checked).filter(|other| other.gpu.unwrap().capacity < gpu.capacity);
            for other in smaller {
                prop_assert_ne!(evaluate::verdict(&other), Some(Verdict::Fits));
            }
        }
        let capacity = scenario.gpu.map_or(Bytes(80 << 30), |gpu| gpu.capacity);
        let alone = served(Scenario { parallel: Parallelism::ONE, mode: Mode::Inference, ..scenario });
        if let Some(model) = solve::largest_model(&alone.check().unwrap(), capacity) {
            let tried = Scenario { architecture: model.architecture, ..alone };
            prop_assert!(fits(&tried.check().unwrap(), capacity));
        }
        if let Some(weights) = solve::widest_weights(&alone.check().unwrap(), capacity) {
            let narrower = Scenario { weights, ..alone };
            prop_assert!(fits(&narrower.check().unwrap(), capacity));
        }
        Ok(())
    });
}

/// Layers with an indexer hold more than the others, and a stage in the middle may have more of them than the first.
#[test]
fn the_stage_with_most_indexers_is_met() {
    let mut scenario = Scenario::new(memory_wall_core::tables::models::by_id("glm-5").unwrap().architecture);
    for layers in [7, 31, 50] {
        scenario.architecture.indexer.as_mut().unwrap().layers = layers;
        for pp in 2..=16 {
            scenario.parallel.pp = pp;
            let checked = scenario.check().unwrap();
            let fullest = per_rank(&checked).map(|rank| rank.total).max();
            assert_eq!(
                Some(evaluate(&checked).total),
                fullest,
                "{layers} of {} layers, pp {pp}",
                scenario.architecture.layers
            );
        }
    }
}
