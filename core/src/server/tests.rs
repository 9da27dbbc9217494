extern crate std;
use std::string::ToString;
use std::vec::Vec;
use std::{assert, assert_eq, vec};

use super::*;
use crate::scenario::Scenario;
use crate::tables::{gpus, models};

/// Llama 2 7B on an A100 with 80 GB.
const COSTS: Costs = Costs { weights: 8_444_000_000, token: 62_200_000, cache: 333_900, attention: 2_462 };
const LOAD: Load = Load { arrivals: 150, prompt: 2_048, answer: 512, prefix: 512 };
const SETTINGS: Settings =
    Settings { load: LOAD, page: 16, pages: 7_000, max_num_seqs: 256, max_num_batched_tokens: 2_048, costs: COSTS };

/// Settings of every kind.
fn all() -> impl Iterator<Item = Settings> {
    let arrivals = [1, 30, 120, 600, 1_200];
    let lengths = [(1, 1, 0), (100, 20, 64), (2_048, 512, 512), (2_000, 64, 1_990), (8_000, 900, 0)];
    let pools = [(1, 10_000), (16, 650), (16, 7_000), (128, 200)];
    arrivals.into_iter().flat_map(move |arrivals| {
        lengths.into_iter().flat_map(move |(prompt, answer, prefix)| {
            pools.into_iter().map(move |(page, pages)| {
                let load = Load { arrivals, prompt, answer, prefix };
                Settings { load, page, pages: pages.max(load.longest().div_ceil(page)), ..SETTINGS }
            })
        })
    })
}

/// The whole minute: its steps, and its requests at the end.
fn run(settings: Settings) -> (Vec<Step>, Vec<Request>) {
    let mut room = vec![Request::default(); settings.load.arrivals as usize * 5 / 4 + 64];
    let mut minute = Minute::new(settings, &mut room).unwrap();
    let steps = minute.by_ref().collect();
    let requests = minute.requests().to_vec();
    (steps, requests)
}

fn sum(steps: &[Step], of: fn(&Step) -> u32) -> u64 {
    steps.iter().map(|step| u64::from(of(step))).sum()
}

#[test]
fn every_request_comes_once_and_ends_at_most_once_and_every_token_is_written_once() {
    for settings in all() {
        let (steps, requests) = run(settings);
        assert!(requests.is_sorted_by_key(|request| request.arrival), "{settings:?}");
        let done = requests.iter().filter(|request| request.stage == Stage::Done);
        assert_eq!(sum(&steps, |step| step.finished), done.clone().count() as u64, "{settings:?}");
        assert!(done.clone().all(|request| request.written == request.answer && request.pages == 0));
        let written: u64 = requests.iter().map(|request| u64::from(request.written)).sum();
        assert_eq!(sum(&steps, |step| step.written), written, "{settings:?}");
        let preemptions: u64 = requests.iter().map(|request| u64::from(request.preemptions)).sum();
        assert_eq!(sum(&steps, |step| step.preempted), preemptions, "{settings:?}");
        assert!(steps.windows(2).all(|pair| pair[0].end <= pair[1].start), "{settings:?}");
        assert!(steps.iter().all(|step| step.start < step.end && step.start < MINUTE), "{settings:?}");
        assert!(steps.iter().all(|step| step.read + step.written > 0), "every step does something: {settings:?}");
        assert!(steps.iter().all(|step| step.running <= settings.max_num_seqs));
    }
}

#[test]
fn pages_in_use_are_those_of_live_requests_and_never_more_than_there_are() {
    for settings in all() {
        let mut room = vec![Request::default(); settings.load.arrivals as usize * 5 / 4 + 64];
        let mut minute = Minute::new(settings, &mut room).unwrap();
        while let Some(step) = minute.next() {
            assert!(step.used <= settings.pages, "{settings:?}");
            assert_eq!(step.used == 0, step.running == 0, "{settings:?}");
            let requests = minute.requests();
            let own: u32 = requests.iter().map(|request| request.pages).sum();
            let shared = if requests.iter().any(|request| request.shares) { settings.shared_pages() } else { 0 };
            assert_eq!(own + shared, settings.pages - minute.free(), "{settings:?}");
            for request in requests {
                let held = request.pages + if request.shares { settings.shared_pages() } else { 0 };
                assert_eq!(held, request.computed.div_ceil(settings.page), "{settings:?}: {request:?}");
                let runs = matches!(request.stage, Stage::Prefill | Stage::Decode);
                assert!(runs || held == 0, "{settings:?}: {request:?}");
            }
            // Only the last page of a request has empty places.
            assert!(step.empty <= step.running * (settings.page - 1), "{settings:?}");
        }
    }
}

/// Two requests with pages of 4 tokens in a pool of 5: worked out on paper.
#[test]
fn a_small_minute_can_be_followed_with_a_pencil() {
    let costs = Costs { weights: 1_000_000, token: 100_000, cache: 0, attention: 0 };
    let load = Load { arrivals: 1, prompt: 8, answer: 4, prefix: 0 };
    let settings = Settings { load, page: 4, pages: 5, max_num_seqs: 4, max_num_batched_tokens: 6, costs };
    let request = |arrival, prompt, answer| Request { arrival, prompt, answer, ..Request::default() };
    let mut requests = [request(0, 8, 6), request(500, 5, 5)];
    let mut minute = Minute::with(settings, &mut requests);
    let seen: Vec<_> =
        minute.by_ref().map(|step| [step.read, step.written, step.running, step.used, step.empty]).collect();
    #[rustfmt::skip]
    let expected = [
        // The first 6 of 8 tokens of A's prompt; 2 pages.
        [6, 0, 1, 2, 2],
        // The other 2, and 4 of 5 of B's: A writes its first token.
        [6, 1, 2, 3, 0],
        // A's ninth token needs a third page, and B's fifth a second one: B writes its first.
        [1, 2, 2, 5, 6],
        [0, 2, 2, 5, 4],
        [0, 2, 2, 5, 2],
        [0, 2, 2, 5, 0],
        // A's 13th token needs a page and takes those of B, which has written 4; A is done with it.
        [0, 1, 1, 4, 3],
        // B is computed again, 6 of 9 tokens and then 3: with them it writes its last.
        [6, 0, 1, 2, 2],
        [3, 1, 1, 3, 3],
    ];
    assert_eq!(seen, expected);
    assert_eq!(requests.map(|it| (it.stage, it.written, it.preemptions)), [(Stage::Done, 6, 0), (Stage::Done, 5, 1)]);
    // A step of 1 to 10 tokens takes what reading the weights takes, 1 µs.
    assert_eq!(requests.map(|it| (it.first, it.last)), [(2_000, 7_000), (3_000, 9_000)]);
    assert_eq!(requests.map(|it| (it.ttft(), it.tpot())), [(Some(2_000), Some(1_000)), (Some(2_500), Some(1_500))]);
}

/// Pages of 4, a common beginning of 9 tokens: two whole pages of it are stored once.
#[test]
fn a_common_beginning_is_stored_and_computed_once() {
    let load = Load { arrivals: 1, prompt: 12, answer: 2, prefix: 9 };
    let costs = Costs { weights: 1_000_000, token: 0, cache: 0, attention: 0 };
    let settings = Settings { load, page: 4, pages: 20, max_num_seqs: 4, max_num_batched_tokens: 64, costs };
    assert_eq!(settings.shared_pages(), 2);
    let request = |arrival| Request { arrival, prompt: 12, answer: 2, ..Request::default() };
    let mut requests = [request(0), request(0), request(5_000)];
    let minute = Minute::with(settings, &mut requests);
    let seen: Vec<_> = minute.map(|step| [step.read, step.written, step.running, step.used, step.saved]).collect();
    // The second computes 4 of its 12 tokens, and so does the third, long after both have gone: the pages still keep the beginning.
    assert_eq!(seen, [[16, 2, 2, 4, 2], [0, 2, 2, 6, 2], [4, 1, 1, 3, 0], [0, 1, 1, 4, 0]]);
    assert_eq!(Settings { page: 16, ..settings }.shared_pages(), 0, "no whole page is common");
}

/// Little's law: requests in the system on average are arrivals a second times the time that each is there.
#[test]
fn as_many_are_there_as_littles_law_says() {
    let mut looked = 0;
    for settings in all() {
        let (steps, requests) = run(settings);
        let ended = steps.last().map_or(0, |step| step.end);
        let there: f64 =
            steps.iter().map(|step| f64::from(step.running + step.waiting) * (step.end - step.start) as f64).sum();
        let times = requests.iter().filter(|request| request.arrival < ended).map(|request| {
            let left = if request.stage == Stage::Done { request.last } else { ended };
            left.saturating_sub(request.arrival) as f64
        });
        let times: f64 = times.sum();
        // Who comes in the middle of a step is counted from the next one on.
        if settings.load.arrivals >= 30 && settings.load.answer >= 64 {
            assert!((there / times - 1.0).abs() < 0.03, "{settings:?}: {}", there / times);
            looked += 1;
        }
    }
    assert!(looked > 40, "{looked}");
}

#[test]
fn nobody_is_preempted_where_the_pool_holds_all() {
    for settings in all() {
        let most = settings.load.longest().div_ceil(settings.page).saturating_mul(settings.load.arrivals * 2 + 64);
        let (steps, _) = run(Settings { pages: most, ..settings });
        assert_eq!(sum(&steps, |step| step.preempted), 0, "{settings:?}");
    }
}

#[test]
fn a_larger_pool_writes_no_less_and_a_larger_page_wastes_more() {
    let of = |settings: Settings| {
        let (steps, requests) = run(settings);
        let empty = sum(&steps, |step| step.empty) / steps.len() as u64;
        (
            sum(&steps, |step| step.written),
            sum(&steps, |step| step.preempted),
            empty,
            percentile(&requests.iter().filter_map(Request::ttft), 95),
        )
    };
    let pools = [1_000, 2_000, 3_500, 5_000, 7_000, 9_000].map(|pages| of(Settings { pages, ..SETTINGS }));
    assert!(pools.is_sorted_by_key(|it| it.0), "{pools:?}");
    assert!(pools.iter().rev().is_sorted_by_key(|it| it.3), "{pools:?}");
    let pages = [1, 16, 64, 256].map(|page| of(Settings { page, pages: 112_000 / page, ..SETTINGS }));
    assert!(pages.is_sorted_by_key(|it| it.2), "{pages:?}");
    assert_eq!(pages[0].2, 0, "a page of one token has no empty place");
    let busier = [30, 60, 120, 240].map(|arrivals| of(Settings { load: Load { arrivals, ..LOAD }, ..SETTINGS }));
    assert!(busier.is_sorted_by_key(|it| it.3), "who comes to a busier server waits longer: {busier:?}");
}

#[test]
fn a_run_is_the_same_every_time_and_its_numbers_travel() {
    assert_eq!(run(SETTINGS), run(SETTINGS));
    assert_eq!(Settings::read(&SETTINGS.to_string()), Some(SETTINGS));
    let mut numbers = SETTINGS.numbers();
    numbers[5] = u64::MAX;
    assert_eq!(Settings::of(numbers), None);
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    let refused = |settings: Settings| settings.check().unwrap_err().to_string();
    let load = |load| Settings { load, ..SETTINGS };
    assert_eq!(refused(load(Load { arrivals: 0, ..LOAD })), "arrivals 0 is outside 1 to 1,200 requests");
    assert_eq!(refused(load(Load { prompt: u32::MAX, ..LOAD })), "prompt 4,294,967,295 is outside 1 to 131,072 tokens");
    assert_eq!(refused(load(Load { answer: 0, ..LOAD })), "answer 0 is outside 1 to 32,768 tokens");
    assert_eq!(refused(Settings { page: 0, ..SETTINGS }), "page 0 is outside 1 to 1,024 tokens");
    assert_eq!(
        refused(Settings { pages: 100, ..SETTINGS }),
        "the longest request needs 224 pages, and the pool has 100"
    );
    let mut room = [Request::default(); 3];
    assert_eq!(Minute::new(SETTINGS, &mut room).unwrap_err(), Refusal::Requests);
    let longest = Load { arrivals: 1_200, prompt: u32::MAX, answer: u32::MAX, prefix: u32::MAX }.longest();
    assert_eq!(longest, u32::MAX, "no sum wraps");
}

#[test]
fn the_costs_are_those_of_the_engine() {
    let scenario = Scenario::new(models::by_id("llama-2-7b").unwrap().architecture).check().unwrap();
    let costs = Costs::of(&scenario, gpus::by_id("a100-80-sxm").unwrap(), 2_048);
    for (known, here) in COSTS.numbers().into_iter().zip(costs.numbers()) {
        assert!((here as f64 / known as f64 - 1.0).abs() < 0.02, "{costs:?}");
    }
    // Every model and GPU has costs that can be counted with.
    for model in models::MODELS {
        let Ok(scenario) = Scenario::new(model.architecture).check() else { continue };
        for gpu in gpus::GPUS {
            let costs = Costs::of(&scenario, gpu, 2_048);
            assert!(costs.weights > 0 && costs.token > 0, "{} {}: {costs:?}", model.id, gpu.id);
            assert!(costs.numbers().iter().all(|cost| *cost < 1 << 50), "{} {}: {costs:?}", model.id, gpu.id);
        }
    }
}
