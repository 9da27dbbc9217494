use super::servers::{self, LOAD, PAGE};
use super::stops::{Places, SERVERS, SHARES, STOPS};
use memory_wall_core::server::{Load, MINUTE, Request, Stage, percentile};
use memory_wall_minute::Film;

/// The first server with another load, page or share of the GPU.
fn film(load: Load, page: u32, percent: u32) -> Film {
    Film::of(servers::first().unwrap().settings(&load, page, percent).unwrap()).unwrap()
}

fn first() -> Film {
    film(LOAD, PAGE, servers::first().unwrap().usual())
}

/// The 95th percentile of the time to the first token, by a moment, in seconds.
fn ttft(film: &Film, time: u64) -> f64 {
    let came = film.requests.iter().filter(|request| request.first <= time);
    percentile(&came.filter_map(Request::ttft), 95).unwrap() as f64 / 1e9
}

fn tpot(film: &Film, time: u64) -> f64 {
    let complete = film.requests.iter().filter(|request| request.last <= time);
    percentile(&complete.filter_map(Request::tpot), 50).unwrap() as f64 / 1e9
}

/// When the first request loses its pages.
fn first_preemption(film: &Film) -> Option<u64> {
    Some(film.steps.iter().find(|step| step.preempted > 0)?.start)
}

/// Tokens a second.
fn written(film: &Film, from: u64, to: u64) -> f64 {
    let steps = film.steps.iter().filter(|step| step.end > from && step.end <= to);
    steps.map(|step| f64::from(step.written)).sum::<f64>() / ((to - from) as f64 / 1e9)
}

/// What the text under the figure says of it.
#[test]
fn the_first_minute_has_a_full_pool_in_its_second_half() {
    let first = first();
    let third = MINUTE / 3;
    assert!(ttft(&first, third) < 0.5 && ttft(&first, MINUTE) > 5.0 * ttft(&first, third), "{}", ttft(&first, MINUTE));
    assert!(tpot(&first, MINUTE) > 1.3 * tpot(&first, third), "{}", tpot(&first, MINUTE));
    let lost = first_preemption(&first).unwrap();
    assert!(lost > MINUTE / 2 && lost < MINUTE * 3 / 4, "{lost}");
    // While the queue grows, as much is written.
    let [before, after] = [written(&first, third, 2 * third), written(&first, 2 * third, MINUTE)];
    assert!((after / before - 1.0).abs() < 0.2, "{before} {after}");
    assert!(first.requests.iter().any(|request| request.stage == Stage::Decode && request.preemptions > 0));
}

#[test]
fn what_if_is_answered_as_the_text_says() {
    let usual = servers::first().unwrap().usual();
    let calm = film(Load { arrivals: 90, ..LOAD }, PAGE, usual);
    assert!(first_preemption(&calm).is_none() && ttft(&calm, MINUTE) < 0.6, "{}", ttft(&calm, MINUTE));
    assert!(first_preemption(&film(Load { answer: 256, ..LOAD }, PAGE, usual)).is_none(), "shorter answers");
    let lost = |percent| first_preemption(&film(LOAD, PAGE, percent)).unwrap();
    assert!(lost(80) < lost(usual) && lost(usual) < lost(95));
    // The sibling with a quarter of the cache for each token.
    let sibling = servers::all().nth(1).unwrap();
    let sibling = Film::of(sibling.settings(&LOAD, PAGE, usual).unwrap()).unwrap();
    assert!(first_preemption(&sibling).is_none());
    let empty = |film: &Film| {
        let shares = film.steps.iter().map(|step| f64::from(step.empty) / f64::from(step.used.max(1)));
        shares.sum::<f64>() / film.steps.len() as f64 / f64::from(film.settings.page)
    };
    let [small, large] = [first(), film(LOAD, 256, usual)].map(|film| empty(&film));
    assert!(small < 0.02 && large > 4.0 * small, "{small} {large}");
    let apart = film(Load { prefix: 0, ..LOAD }, PAGE, usual);
    assert!(first_preemption(&apart).unwrap() < lost(usual));
}

#[test]
fn every_server_starts_with_every_share_and_its_pool_grows_with_it() {
    assert_eq!(servers::all().count(), SERVERS);
    for server in servers::all() {
        assert!(server.context().is_some_and(|context| context >= LOAD.longest()), "{}", server.model.id);
        assert!(SHARES.contains(&server.usual()));
        let pools = SHARES.map(|share| server.pool(share));
        assert!(
            pools.iter().all(Option::is_some) && pools.is_sorted(),
            "{} {}: {pools:?}",
            server.model.id,
            server.gpu.id
        );
    }
}

#[test]
fn a_link_may_ask_for_what_the_levers_offer() {
    assert_eq!(servers::keys().count(), 8);
    let taken = ["minute.arrivals=90", "minute.server=llama-3.1-8b,a100-80-sxm", "minute.at=0", "minute.at=42.5"];
    assert!(taken.into_iter().all(servers::takes));
    let refused =
        ["minute.arrivals=91", "minute.server=llama-3.1-8b", "minute.at=61", "minute.at=", "minute.speed=2", "seq=64"];
    assert!(!refused.into_iter().any(servers::takes));
}

#[test]
fn levers_begin_with_the_load_of_the_start() {
    let usual = servers::first().unwrap().usual();
    let first = [LOAD.arrivals, LOAD.prompt, LOAD.answer, usual, PAGE, LOAD.prefix];
    let begun = Places::START.stops.iter().zip(STOPS).map(|(place, (_, stops))| stops[*place]);
    assert!(begun.eq(first));
    assert!(STOPS.iter().all(|(_, stops)| stops.is_sorted()));
}

#[test]
fn places_are_read_as_they_are_said() {
    let other = Places { server: SERVERS - 1, stops: STOPS.map(|(_, stops)| stops.len() - 1) };
    for places in [Places::START, other] {
        assert_eq!(Places::read(&places.text()), Some(places));
    }
    for wrong in
        ["", "0", "0 1 1 1 1 1", "3 0 0 0 0 0 0", "0 18 0 0 0 0 0", "0 0 0 0 0 0 9", "0 a 0 0 0 0 0", "-1 0 0 0 0 0 0"]
    {
        assert_eq!(Places::read(wrong), None, "{wrong}");
    }
}
