//! Questions about a token in a layer, and about a server with many requests.

use memory_wall_core::display::{Count, Duration, Grouped};
use memory_wall_core::memory::paging::Served;
use memory_wall_core::roofline::Pass;
use memory_wall_core::roofline::latency::{Counting, estimate};
use memory_wall_core::server::{Load, MINUTE, Request, percentile};
use memory_wall_core::{Architecture, Bytes, Scenario};
use memory_wall_minute::Film;

use super::numbers::{Values, Variant, model};
use super::written::{figure, number, size};
use crate::figures::minute::servers::{self, LOAD, PAGE, Server};

/// How wide queries and keys are, all heads together.
pub(in crate::sections) fn widths(shape: &Architecture) -> [u32; 2] {
    [shape.heads, shape.kv_heads].map(|heads| heads * shape.head_dim)
}

/// Bytes of the matrices of a layer in bf16.
pub(super) fn layer(id: &str) -> Option<Variant> {
    let model = model(id)?;
    let shape = model.architecture;
    let all = shape.parameters().matrices;
    let count = all.checked_div(shape.layers.into())?;
    let bytes = Bytes(u128::from(count) * 2);
    let exact = bytes.0 as f64;
    let [queries, keys] = widths(&shape);
    let mlp = 3.0 * f64::from(shape.hidden_size) * f64::from(shape.intermediate_size) * 2.0;
    Some(Variant {
        values: vec![
            ("model", model.name.into()),
            ("hidden", number(shape.hidden_size)),
            ("queries", number(queries)),
            ("keys", number(keys)),
            ("inner", number(shape.intermediate_size)),
            ("count", Count(count).to_string()),
            ("size", size(bytes)),
        ],
        answer: exact,
        slips: vec![
            ("attention", exact - mlp),
            ("mlp", mlp),
            ("half", exact / 2.0),
            ("layers", exact * f64::from(shape.layers)),
        ],
    })
}

/// Pages that so many equal requests take, those of their common beginning counted once.
fn pages(requests: usize, tokens: u32, page: u32, shared: u32) -> u64 {
    let lengths = vec![tokens; requests];
    Served { tokens: &lengths, longest: tokens, page, shared }.shared_pages() / u64::from(page.max(1))
}

/// The most equal requests that go into so many pages, of which each takes one at least.
pub(in crate::sections) fn most(room: u64, tokens: u32, page: u32, shared: u32) -> usize {
    (1..=usize::try_from(room).unwrap_or(usize::MAX))
        .take_while(|requests| pages(*requests, tokens, page, shared) <= room)
        .count()
}

/// How many requests have room in the pool of a server of the minute.
pub(super) fn room((server, share, page, [prompt, answer, prefix]): (usize, u32, u32, [u32; 3])) -> Option<Variant> {
    let pool = u64::try_from(servers::all().nth(server)?.pool(share)?).ok()?.checked_div(page.into())?;
    let whole = prompt + answer;
    let requests = most(pool, whole, page, prefix);
    let [common, needs] = [prefix, whole].map(|tokens| tokens.div_ceil(page));
    let slip = |tokens, shared| most(pool, tokens, page, shared) as f64;
    Some(Variant {
        values: vec![
            ("pages", Grouped(pool.into()).to_string()),
            ("page", number(page)),
            ("prefix", number(prefix)),
            ("prompt", number(prompt)),
            ("answer", number(answer)),
            ("common", number(common)),
            ("needs", number(needs)),
            ("own", number(needs.checked_sub(common)?)),
            ("requests", Grouped(requests as u128).to_string()),
        ],
        answer: requests as f64,
        slips: vec![("alone", slip(whole, 0)), ("prompt", slip(prompt, prefix)), ("answers", slip(answer, 0))],
    })
}

/// What is computed again after a preemption.
pub(super) fn again((prompt, written, prefix): (u32, u32, u32)) -> Variant {
    let all = prompt + written;
    let answer = all - prefix;
    Variant {
        values: vec![
            ("prompt", number(prompt)),
            ("written", number(written)),
            ("prefix", number(prefix)),
            ("all", number(all)),
            ("answer", number(answer)),
        ],
        answer: answer.into(),
        slips: vec![("all", all.into()), ("prompt", (prompt - prefix).into()), ("written", written.into())],
    }
}

/// The two shares of the GPU that the question about a little more memory compares.
const SHARES: [u32; 2] = [92, 95];

/// A minute of the first server with a share of the GPU.
fn minute(server: &Server, share: u32, load: Load) -> Option<Film> {
    Film::of(server.settings(&load, PAGE, share)?).ok()
}

/// What becomes of the first server when its pool gets a little larger: with either share the film.
pub(super) fn larger() -> Option<[Film; 2]> {
    let server = servers::first()?;
    let [low, high] = SHARES.map(|share| minute(&server, share, LOAD));
    Some([low?, high?])
}

/// When somebody first has to wait for a page, in nanoseconds.
pub(super) fn full(film: &Film) -> Option<u64> {
    Some(film.steps.iter().find(|step| step.preempted > 0)?.start)
}

/// Requests that wait at the end of the minute.
pub(super) fn waiting(film: &Film) -> u32 {
    film.steps.last().map_or(0, |step| step.waiting)
}

/// Seconds with one digit behind the point.
fn seconds(nanoseconds: u64) -> String {
    format!("{:.1}\u{202f}s", nanoseconds as f64 / 1e9)
}

/// The variant of the question on waiting requests: the pool before and after a larger share of the GPU.
pub(super) fn queue() -> Option<Values> {
    let server = servers::first()?;
    let [low, high] = larger()?;
    let came = low.requests.iter().filter(|request| request.first <= MINUTE);
    let slow = percentile(&came.filter_map(Request::ttft), 95)?;
    let more = high.settings.pages.checked_sub(low.settings.pages)?;
    let [before, after] = SHARES.map(|share| share.to_string());
    Some(vec![
        ("model", server.model.name.into()),
        ("gpu", server.gpu.name.into()),
        ("arrivals", number(LOAD.arrivals)),
        ("waiting", waiting(&low).to_string()),
        ("ttft", seconds(slow)),
        ("low", before),
        ("high", after),
        ("pages", number(low.settings.pages)),
        ("more", number(more)),
        ("later", seconds(full(&high)?.checked_sub(full(&low)?)?)),
    ])
}

/// Tokens that are read, and as many that are written.
pub(super) const TOKENS: u32 = 2_048;

/// What reading a prompt takes at least, and the shortest step of decode, in seconds.
pub(super) fn times() -> Option<[f64; 2]> {
    let server = servers::first()?;
    let scenario = Scenario { seq_length: TOKENS, ..Scenario::new(server.model.architecture) }.check().ok()?;
    let passes = [Pass::Prefill, Pass::Decode];
    Some(passes.map(|pass| estimate(&scenario, server.gpu, pass, Counting::of(&scenario)).lower.0))
}

/// What is put into the question about reading and writing.
pub(super) fn passes() -> Option<Values> {
    let [read, step] = times()?;
    // To two digits: while tokens are written, the cache grows, and with it each step.
    let times = libm::round(step * f64::from(TOKENS) / read / 10.0) * 10.0;
    Some(vec![
        ("model", servers::first()?.model.name.into()),
        ("tokens", number(TOKENS)),
        ("read", Duration(read).to_string()),
        ("times", figure(times)),
    ])
}
