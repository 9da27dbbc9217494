//! GRPO: bytes by hand for a small model, what every run must keep, what is refused, and public figures.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use memory_wall_core::tables::{gpus, models};
use memory_wall_core::units::{GIB, MIB};
use memory_wall_core::{
    Architecture, Checkpointing, Implementation, Loss, Mode, Scenario, Share, Verdict, WeightFormat, ZeroStage,
};
use memory_wall_runtimes::Span;
use memory_wall_runtimes::rollout::{
    Held, Moment, Placed, Reference, Refused, Remedy, Rollout, Told, longest_completion, most_sequences, remedies,
    rollout,
};

/// Two layers of 64 channels, 8 heads of 8 and 2 of keys, an MLP of 128, a vocabulary of 32,000: 4,165,952 parameters.
const SMALL: Architecture = Architecture::llama([2, 64, 8, 2, 8, 128, 32_000]);
const PARAMETERS: u128 = 2 * 64 * 32_000 + 2 * (2 * 64 * 64 + 2 * 64 * 16 + 3 * 64 * 128 + 2 * 64) + 64;

fn small() -> Scenario {
    let mut it = Scenario { mode: Mode::Training, batch: 8, seq_length: 512, ..Scenario::new(SMALL) };
    (it.checkpointing, it.gpu) = (Checkpointing::Full, gpus::by_id("h100-sxm"));
    it
}

/// The question that people ask: 7B on 8 H100.
fn seven() -> Scenario {
    let mut it = Scenario::new(models::by_id("qwen2.5-7b").unwrap().architecture);
    (it.mode, it.checkpointing, it.gpu) = (Mode::Training, Checkpointing::Full, gpus::by_id("h100-sxm"));
    (it.parallel.dp, it.parallel.zero, it.seq_length, it.batch) = (8, ZeroStage::Weights, 1_024, 4);
    it
}

fn told() -> Told {
    Told { completion: 256, ..Told::default() }
}

fn of(scenario: &Scenario, told: Told) -> Rollout {
    rollout(&scenario.check().unwrap(), &told).unwrap()
}

fn at(made: &Rollout, moment: Moment) -> Held {
    *made.moments.iter().find(|held| held.moment == moment).unwrap()
}

fn refused(scenario: &Scenario, told: Told) -> Refused {
    rollout(&scenario.check().unwrap(), &told).unwrap_err()
}

/// 2 bytes of weights, 2 of gradients that stay, 12 of the master copy and both moments; a context of 512 MiB; a reference of 2 bytes; 0.30 of the GPU.
#[test]
fn a_small_run_is_what_it_comes_to_by_hand() {
    let gpu = gpus::by_id("h100-sxm").unwrap().capacity;
    let made = of(&small(), Told { reference: Reference::Resident, ..told() });
    let generate = at(&made, Moment::Generate);
    assert_eq!(generate.trainer, Span::exactly(16 * PARAMETERS + 512 * MIB));
    assert_eq!(generate.reference, Span::exactly(2 * PARAMETERS));
    let generator = made.generator.unwrap();
    assert_eq!(generator.start.pool.requested, Share::percent(30).of(gpu));
    // Graphs of a dense model lie beside the share in vLLM 0.25.
    assert!(generate.vllm.low >= generator.start.pool.requested.0 && generate.vllm.high > generate.vllm.low);
    assert_eq!(generate.work, Span::default());
    // 2,048 tokens of completions: logits in 16 bits with DeepSpeed, and two sequences of log-softmax.
    assert_eq!(made.logits.scored, 2 * 2_048 * 32_000 + 2 * 2 * 256 * 32_000);
    assert_eq!(made.logits.forward, Span::exactly(6 * 2_048 * 32_000 + 3 * 2 * 128 * 32_000));
    assert_eq!(made.logits.backward, Span::exactly(8 * 2_048 * 32_000));
    assert_eq!(at(&made, Moment::Sync).work, Span::default());
    assert_eq!(generator.sequences, 8);
}

/// The step is the training step of the same scenario with other logits, on top of what vLLM keeps.
#[test]
fn the_step_is_the_trainers_with_the_logits_of_grpo() {
    let scenario = small().check().unwrap();
    let alone = memory_wall_core::evaluate(&scenario);
    let logits = 12 * 8 * 512 * 32_000 + 8;
    assert_eq!(alone.bytes(memory_wall_core::Bucket::Logits).0, logits);
    let made = of(&small(), Told { placed: Placed::Server, ..told() });
    let step = at(&made, Moment::Step);
    assert_eq!((step.vllm, step.reference), (Span::default(), Span::default()));
    assert_eq!(step.total().high, alone.total.0 - logits + 8 * 2_048 * 32_000);
}

#[test]
fn zero3_shares_a_reference_out_and_gathers_a_table_to_hand_weights_on() {
    let one = of(&small(), Told { reference: Reference::Resident, ..told() });
    let mut scenario = small();
    (scenario.parallel.dp, scenario.parallel.zero) = (8, ZeroStage::Weights);
    let eight = of(&scenario, Told { reference: Reference::Resident, ..told() });
    let [whole, part] = [&one, &eight].map(|made| at(made, Moment::Step).reference.high);
    assert!(part < whole && part * 8 >= whole && part * 8 < whole + 8 * 64, "{part} {whole}");
    assert_eq!(at(&eight, Moment::Sync).work, Span::new(2 * 64 * 32_000, 2 * 2 * 64 * 32_000));
}

#[test]
fn more_of_anything_takes_no_less() {
    let peak = |scenario: &Scenario, told: Told| of(scenario, told).peak().total().high;
    let base = Told { generations: 4, completion: 512, ..Told::default() };
    let here = peak(&seven(), base);
    for more in [
        peak(&Scenario { batch: 8, ..seven() }, base),
        peak(&Scenario { seq_length: 2_048, ..seven() }, base),
        peak(&seven(), Told { completion: 768, ..base }),
        peak(&seven(), Told { share: Share::percent(40), ..base }),
        peak(&seven(), Told { reference: Reference::Resident, ..base }),
    ] {
        assert!(more > here, "{more} {here}");
    }
    for less in [
        peak(&seven(), Told { sleep: true, ..base }),
        peak(&seven(), Told { share: Share::percent(25), ..base }),
        peak(&seven(), Told { placed: Placed::Server, ..base }),
    ] {
        assert!(less < here, "{less} {here}");
    }
    // How many of the sequences belong to one prompt changes nothing.
    assert_eq!(peak(&seven(), Told { generations: 16, ..base }), here);
    // A reference that waits in host memory lies there only while it is asked.
    let waits = of(&seven(), Told { reference: Reference::Offloaded, ..base });
    assert_eq!(at(&waits, Moment::Step).reference, Span::default());
    assert!(at(&waits, Moment::LogProbs).reference.low > 0);
}

#[test]
fn adapters_need_no_second_model() {
    let mut scenario = Scenario { mode: Mode::Lora, ..seven() };
    (scenario.parallel.dp, scenario.parallel.zero) = (8, ZeroStage::None);
    let made = |reference| of(&scenario, Told { reference, ..Told::default() });
    assert_eq!(made(Reference::Resident).moments, made(Reference::None).moments);
    // Autocast hands logits on in fp32.
    assert_eq!(made(Reference::None).logits.bytes, 4);
    assert_eq!(refused(&scenario, Told { reference: Reference::Offloaded, ..Told::default() }), Refused::NoReference);
    // Quantised for the trainer is quantised for vLLM.
    let quantised = Scenario { mode: Mode::Qlora, weights: WeightFormat::Nf4, ..scenario };
    let [narrow, wide] = [of(&quantised, Told::default()), made(Reference::None)]
        .map(|made| made.generator.unwrap().start.pool.weights.0);
    assert!(narrow * 2 < wide, "{narrow} {wide}");
}

#[test]
fn what_fits_is_the_largest_that_fits() {
    let checked = seven().check().unwrap();
    let told = Told { sleep: true, ..Told::default() };
    let holds = |batch, completion| {
        let scenario = Scenario { batch, seq_length: 512 + completion, ..seven() };
        let told = Told { generations: 2, completion, ..told };
        of(&scenario, told).verdict.unwrap().holds()
    };
    let (batch, completion) = (most_sequences(&checked, &told).unwrap(), longest_completion(&checked, &told).unwrap());
    assert!(batch > 4 && completion > 512, "{batch} {completion}");
    assert_eq!([holds(batch, 512), holds(batch + 1, 512)], [true, false]);
    assert_eq!([holds(4, completion), holds(4, completion + 1)], [true, false]);
    let nowhere = Scenario { gpu: None, ..seven() }.check().unwrap();
    assert_eq!(most_sequences(&nowhere, &Told { placed: Placed::Server, ..told }), None);
}

#[test]
fn changes_that_help_lower_the_peak_and_are_whole_runs() {
    let mut scenario = seven();
    (scenario.batch, scenario.checkpointing, scenario.parallel.zero) = (8, Checkpointing::None, ZeroStage::None);
    let trainer = scenario.check().unwrap();
    let told = Told { reference: Reference::Resident, ..Told::default() };
    let now = rollout(&trainer, &told).unwrap();
    assert_eq!(now.verdict, Some(Verdict::DoesNotFit));
    let all = remedies(&trainer, &told);
    for wanted in [
        Remedy::Sleep,
        Remedy::Checkpointing,
        Remedy::Liger,
        Remedy::Zero3,
        Remedy::NoReference,
        Remedy::HalfBatch,
        Remedy::Server,
    ] {
        let (_, _, made) = all.iter().find(|(remedy, ..)| *remedy == wanted).unwrap();
        assert!(made.peak().total().high < now.peak().total().high, "{wanted:?}");
    }
    assert!(all.is_sorted_by_key(|(_, _, made)| (made.verdict.unwrap() as u8, made.peak().total().high)));
}

/// vLLM wants room for one request of 131,072 tokens unless it is told of shorter ones.
#[test]
fn a_vllm_with_too_little_cache_for_the_longest_request_is_told_of_shorter_ones() {
    let mut scenario = seven();
    scenario.architecture = models::by_id("llama-3.1-8b").unwrap().architecture;
    let made = of(&scenario, Told::default());
    assert_eq!(made.verdict, Some(Verdict::DoesNotFit));
    assert_eq!(made.generator.unwrap().start.refusal.unwrap().id(), "max_model_len");
    let all = remedies(&scenario.check().unwrap(), &Told::default());
    let (_, told, there) = all.iter().find(|(remedy, ..)| *remedy == Remedy::ShorterRequests).unwrap();
    assert_eq!((told.max_model_len, there.verdict), (Some(1_024), Some(Verdict::Fits)));
    assert_eq!(there.peak().total(), made.peak().total());
}

#[test]
fn what_is_not_modelled_is_refused_by_name() {
    let training = |change: fn(&mut Scenario)| {
        let mut scenario = seven();
        change(&mut scenario);
        scenario
    };
    let start = Told::default();
    let inference = training(|it| (it.mode, it.checkpointing) = (Mode::Inference, Checkpointing::None));
    for (scenario, told, said) in [
        (inference, start, "trains a policy"),
        (training(|it| it.gpu = None), start, "none is named"),
        (training(|it| it.training.implementation = Implementation::Torchtitan), start, "transformers' code"),
        (training(|it| (it.parallel.dp, it.parallel.tp) = (4, 2)), start, "with ZeRO or FSDP alone"),
        (training(|it| it.training.loss = Loss::Compiled), start, "plain, or Liger's"),
        (training(|it| it.seq_length = 512), start, "leaves no prompt"),
        (seven(), Told { generations: 1, ..start }, "is 2 or more"),
        (seven(), Told { generations: 5, ..start }, "the generation batch of 32"),
        (seven(), Told { tp: 3, ..start }, "does not divide the 8 GPUs"),
        (seven(), Told { placed: Placed::Server, sleep: true, ..start }, "frees nothing for the trainer"),
        (seven(), Told { max_model_len: Some(1_000), ..start }, "longer than the 1,000"),
        (seven(), Told { tp: 8, ..start }, "as vLLM generates"),
    ] {
        let why = refused(&scenario, told).to_string();
        assert!(why.contains(said), "{why}");
    }
}

/// A share that doesn't hold the weights is no start, however much room there is.
#[test]
fn a_vllm_that_does_not_start_does_not_fit() {
    let small =
        of(&seven(), Told { share: Share::percent(15), placed: Placed::Colocate, sleep: true, ..Told::default() });
    assert_eq!(small.verdict, Some(Verdict::DoesNotFit));
    assert!(small.generator.unwrap().start.refusal.is_some());
}

/// What a sleeping vLLM was said to keep, less a context of half a GiB: 1.19 GiB of Qwen3 4B (vllm-project/vllm issue 28714), 774 MiB of Llama 3.2 1B on one GPU and 2,440 MiB on two
/// (NVIDIA-NeMo/RL issue 223).
#[test]
fn sleeping_servers_of_public_logs_are_within_the_range() {
    let asleep = |model: &str, tp: u32| {
        let mut scenario = Scenario { batch: 64, ..seven() };
        (scenario.architecture, scenario.parallel.dp) = (models::by_id(model).unwrap().architecture, tp);
        scenario.parallel.zero = ZeroStage::None;
        of(&scenario, Told { tp, sleep: true, ..Told::default() }).generator.unwrap().asleep
    };
    for (model, tp, kept) in [
        ("qwen3-4b", 1, GIB * 119 / 100 - GIB / 2),
        ("llama-3.2-1b", 1, 774 * MIB - GIB / 2),
        ("llama-3.2-1b", 2, 2_440 * MIB - GIB / 2),
    ] {
        let range = asleep(model, tp);
        assert!(range.holds(kept), "{model} {tp}: {range:?} {kept}");
    }
}

/// What TRL has no option for is not advised.
#[test]
fn a_pool_with_too_few_states_is_told_of_what_trl_has() {
    let mut it = Scenario::new(models::by_id("qwen3.5-4b").unwrap().architecture);
    (it.mode, it.checkpointing, it.gpu) = (Mode::Lora, Checkpointing::Full, gpus::by_id("h100-sxm"));
    (it.seq_length, it.batch) = (1_024, 4_096);
    let made = of(&it, Told { share: Share::percent(60), max_model_len: Some(1_024), ..Told::default() });
    let said = made.generator.unwrap().refusal().unwrap();
    assert!(said.contains("take a smaller batch or steps_per_generation"), "{said}");
    assert!(!said.contains("--max-num-seqs") && !said.contains("graphs"), "{said}");
}
