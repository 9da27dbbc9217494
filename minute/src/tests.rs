use memory_wall_core::server::{Costs, Load, MINUTE, Refusal, Stage};

use super::*;

/// The default settings of the figure: Llama 2 7B on an A100 with 80 GB.
fn default() -> Settings {
    let load = Load { arrivals: 150, prompt: 2_048, answer: 512, prefix: 512 };
    let costs = Costs { weights: 8_444_000_000, token: 62_200_000, cache: 333_900, attention: 2_462 };
    Settings { load, page: 16, pages: 7_000, max_num_seqs: 256, max_num_batched_tokens: 2_048, costs }
}

fn text(settings: &Settings) -> String {
    settings.to_string()
}

#[test]
fn every_request_is_somewhere_from_its_arrival_on() {
    let film = Film::of(default()).unwrap();
    for (place, request) in film.requests.iter().enumerate() {
        let own: Vec<_> = film.spans.iter().filter(|span| span.request == place).collect();
        assert!(own.windows(2).all(|pair| pair[0].to == pair[1].from), "{own:?}");
        let end = if request.stage == Stage::Done { request.last.min(MINUTE) } else { MINUTE };
        let (first, last) = (own.first().unwrap(), own.last().unwrap());
        // Who is let in at once has not waited.
        assert!(first.from >= request.arrival && last.to == end, "{own:?}");
        let gaps = own.iter().filter(|span| span.stage == Stage::Preempted).count();
        assert_eq!(gaps, request.preemptions as usize, "{own:?}");
    }
    let decodes = film.spans.iter().filter(|span| span.stage == Stage::Decode).count();
    assert!(decodes > 60, "{decodes}");
}

#[test]
fn a_moment_says_what_the_steps_say() {
    let film = Film::of(default()).unwrap();
    let start = Moment::of(&film, 0);
    assert_eq!((start.time.as_str(), start.running.as_str(), start.ttft[0].as_str()), ("0.0\u{202f}s", "0", "–"));
    let end = Moment::of(&film, MINUTE);
    assert_eq!(end.time, "60.0\u{202f}s");
    assert_eq!(end.preempted, Summary::of(&film).preempted);
    // As far as the steps go one by one, and back again.
    let mut time = 0;
    for (place, step) in film.steps.iter().enumerate().take(500) {
        assert_eq!(film.before(film.after(time)), time, "{place}");
        time = film.after(time);
        let said = Moment::of(&film, time);
        assert_eq!(said.step, memory_wall_core::display::Grouped(place as u128 + 1).to_string());
        assert_eq!((said.running, said.written), (step.running.to_string(), step.written.to_string()));
    }
    assert_eq!((film.after(MINUTE), film.before(0)), (MINUTE, 0));
}

#[test]
fn the_page_gets_lines_and_no_player_where_there_is_no_server() {
    let player = Player::of(&text(&default()), 4_096).unwrap();
    assert!(Player::of(&text(&default()), 3_583).is_none() && Player::of(&text(&default()), 3_584).is_some());
    assert_eq!(player.paths().lines().count(), 10);
    assert_eq!(player.moment(31.2).lines().count(), 17);
    assert_eq!(player.summary().lines().count(), 5);
    let next = player.after(31.2);
    assert!(next > 31.2 && next < 31.5 && player.before(player.after(next)).to_bits() == next.to_bits());
    for hostile in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
        assert_eq!(player.moment(hostile).lines().count(), 17);
    }
    for refused in ["", "1", "a b c", &text(&Settings { pages: 3, ..default() })] {
        assert!(Player::of(refused, 4_096).is_none(), "{refused}");
    }
    assert!(matches!(Film::of(Settings { pages: 3, ..default() }), Err(Refusal::Pool { .. })));
}

#[test]
fn drawings_stay_in_their_boxes() {
    let quiet = Settings { load: Load { arrivals: 1, ..default().load }, ..default() };
    for settings in [default(), quiet, Settings { pages: 300, ..default() }] {
        let film = Film::of(settings).unwrap();
        let paths = Paths::of(&film);
        assert_eq!(paths.lanes, format!("0 -1 300 {}", film.requests.len() + 1));
        for path in &paths.stages {
            let [mut x, mut y] = [0, 0];
            for line in path.split('m').skip(1) {
                let (right, rest) = line.split_once(' ').unwrap();
                let (down, wide) = rest.split_once('h').unwrap();
                let [right, down, wide] = [right, down, wide].map(|number| number.parse::<i64>().unwrap());
                [x, y] = [x + right, y + down];
                assert!(x >= 0 && wide > 0 && usize::try_from(y).is_ok_and(|row| row < film.requests.len()), "{line}");
                x += wide;
                assert!(x <= 301, "{line}");
            }
        }
        for path in [&paths.used, &paths.rate] {
            let heights = path.split('V').skip(1).filter_map(|rest| rest.split(['h', 'z']).next()?.parse::<u64>().ok());
            assert!(heights.clone().all(|height| height <= 100), "{path}");
        }
    }
    // Without sharing more pages would be needed than there are.
    assert!(Paths::of(&Film::of(default()).unwrap()).pool.parse::<u64>().unwrap() > 10);
}
