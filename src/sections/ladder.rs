//! Section 7: runs that do not fit, and every known fix with what the engine says that it does to them. All of it is drawn at
//! build time, since the search behind it is more program than a page should load; which run is shown is for the style sheet.

use leptos::prelude::*;
use memory_wall_core::advise::{Effect, Idle, Plan, Risk, Rung, ladder as rungs_of, search};
use memory_wall_core::display::{ByteUnit, Figure, Grouped, Size};
use memory_wall_core::training::Loss;
use memory_wall_core::{Attention, Bytes, Checked, Mode, Scenario, Verdict, engines, evaluate};

use super::reasons::reasons_named;
use crate::charts::ladder::FIRST;
use crate::charts::wall::percent;
use crate::live::verdict_words;
use crate::state::query;
use crate::widgets::prediction::{guess_named, reveal};
use crate::words::{self, fill, t};

use super::masonry::{kept_unit, live};

/// The runs, each by its name and as a link would have it.
pub const JOBS: [(&str, &str); 3] = [
    ("tune", "model=llama-3.2-1b&mode=training&batch=8&seq=1024&gpu=rtx4090"),
    ("train", "model=llama-3.1-8b&mode=training&batch=4&seq=4096&gpu=h100-sxm"),
    ("serve", "model=llama-3.1-8b&batch=8&seq=128000&gpu=a100-80-sxm"),
];

/// The pairs that are asked about.
pub const PAIRS: [(&str, [Rung; 2]); 3] = [
    ("rungs-loss", [Rung::ChunkedLoss, Rung::FullCheckpointing]),
    ("rungs-memory", [Rung::OffloadOptimizer, Rung::EightBitOptimizer]),
    ("rungs-card", [Rung::SmallerMicroBatch, Rung::BiggerCard]),
];

fn size(bytes: Bytes) -> String {
    Size::new(bytes, ByteUnit::Gb).to_string()
}

fn name(rung: Rung) -> String {
    words::choice("rung", rung.id())
}

/// The same within a sentence.
fn inside(rung: Rung) -> String {
    lower(name(rung))
}

/// What begins a sentence as it stands within one: in lower case, unless it begins with an abbreviation.
fn lower(name: String) -> String {
    let mut letters = name.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(std::iter::once(second)).chain(letters).collect()
        }
        _ => name,
    }
}

/// `1.33×`.
fn times(time_ratio: f64) -> String {
    fill("ladder.times", &[("n", &Figure(time_ratio).to_string())])
}

/// A run: what is asked of the engine, its name in words, its peak and what its card takes.
struct Job {
    id: &'static str,
    scenario: Checked,
    title: String,
    needs: Bytes,
    limit: Bytes,
}

impl Job {
    fn of((id, link): (&'static str, &str)) -> Self {
        let state = query::decode(link).state;
        let scenario = state.scenario();
        let limit = engines::limit(&scenario, state.gpu.capacity);
        let [batch, seq] = [scenario.batch, scenario.seq_length].map(|n| Grouped(n.into()).to_string());
        let key = if scenario.mode == Mode::Training { "ladder.trained" } else { "ladder.served" };
        let (model, gpu) = (state.model_name(), state.gpu.name);
        let title = fill(key, &[("model", &model), ("gpu", gpu), ("batch", &batch), ("seq", &seq)]);
        Self { id, scenario, title, needs: evaluate::evaluate(&scenario).total, limit }
    }

    /// How much of the drawing an amount takes.
    fn x(&self, bytes: Bytes) -> String {
        percent((bytes.share_of(self.needs.max(self.limit)) * 100.0).min(100.0))
    }

    fn sentence(&self) -> String {
        let gpu = self.scenario.gpu.map_or("", |gpu| gpu.name);
        let (needs, limit) = (size(self.needs), size(self.limit));
        fill("ladder.needs", &[("needs", &needs), ("gpu", gpu), ("limit", &limit)])
    }

    fn row(&self, rung: Rung, effect: &Effect) -> AnyView {
        let bytes = size(effect.saved.magnitude());
        let saved = match effect.saved.0 {
            0 => "–".into(),
            1.. => bytes,
            _ => fill("ladder.adds", &[("bytes", &bytes)]),
        };
        // A bigger card has a line of its own.
        let limit = effect.scenario.gpu.map_or(self.limit, |gpu| engines::limit(&effect.scenario, gpu.capacity));
        let cards = (effect.gpus > 1).then(|| fill("ladder.cards", &[("n", &Grouped(effect.gpus.into()).to_string())]));
        let mut about =
            vec![words::choice("ladder.effort", rung.effort().id()), words::choice("ladder.risk", rung.risk().id())];
        about.extend(cards);
        let about = about.join(", ");
        let verdict = verdict(effect);
        let fits = verdict != Verdict::DoesNotFit;
        let card = effect.scenario.gpu.filter(|_| rung == Rung::BiggerCard).map(|gpu| format!(": {}", gpu.name));
        view! {
            <tr data-fits=fits.then_some("")>
                <th scope="row">
                    {name(rung)} {card} <span class="about">{about}</span>
                </th>
                <td class="rung-left">
                    <svg class="rung-bar" aria-hidden="true" height="14">
                        <rect class="rung-before" x="0" width=self.x(self.needs) y="5" height="4"></rect>
                        <rect class="rung-after" x="0" width=self.x(effect.total) y="2" height="10"></rect>
                        <line class="rung-line" x1=self.x(limit) x2=self.x(limit) y1="0" y2="14"></line>
                    </svg>
                    {size(effect.total)}
                </td>
                <td class="numeric" data-head=t("ladder.head.saved")>{saved}</td>
                <td class="numeric" data-head=t("ladder.head.time")>{times(effect.time_ratio)}</td>
                <td>{verdict_words(verdict)}</td>
            </tr>
        }
        .into_any()
    }

    fn view(&self) -> AnyView {
        let rungs: Vec<_> = rungs_of(&self.scenario).collect();
        let rows = rungs.iter().filter_map(|(rung, effect)| Some(self.row(*rung, effect.as_ref().ok()?)));
        let idle: Vec<_> = rungs
            .iter()
            .filter_map(|(rung, effect)| {
                let because = effect.as_ref().err()?;
                Some(view! { <li><strong>{name(*rung)}</strong> ": " {words::choice("ladder.because", because.id())} "."</li> })
            })
            .collect();
        let count = fill("ladder.idle", &[("n", &idle.len().to_string())]);
        let heads =
            ["ladder.head.fix", "ladder.head.left", "ladder.head.saved", "ladder.head.time", "ladder.head.fits"]
                .map(|key| view! { <th scope="col">{t(key)}</th> })
                .into_iter()
                .collect_view();
        view! {
            <div class="ladder-job" data-job=self.id>
                <p class="summary">{self.sentence()}</p>
                <div class="table-scroll" tabindex="0" role="region" aria-label=self.title.clone()>
                    <table class="rungs">
                        <caption>{self.title.clone()}</caption>
                        <thead>
                            <tr>{heads}</tr>
                        </thead>
                        <tbody>{rows.collect_view()}</tbody>
                    </table>
                </div>
                <details>
                    <summary>{count}</summary>
                    <ul class="rungs-idle">{idle}</ul>
                </details>
                {self.ways(&rungs)}
            </div>
        }
        .into_any()
    }

    /// The ways to make it fit, each with what it costs in cards: the best combination on this card, the best single fix over
    /// several, and a larger GPU of the same maker and class. What leaves the results as they are comes first, and of that the quickest.
    /// What is only tight or takes too long is named last, and only where nothing on this GPU is better.
    fn ways(&self, rungs: &[(Rung, Result<Effect, Idle>)]) -> AnyView {
        let mut ways = Vec::new();
        let [exact, lossy] = [false, true].map(|lossy| search(&self.scenario, lossy));
        let plan = exact.fits.or(lossy.fits);
        // Results that may change a little are worth a tenth of the time.
        let quicker = |lossy: &Plan| plan.is_some_and(|plan| lossy.effect.time_ratio * 1.1 < plan.effect.time_ratio);
        let named = |key: &'static str| move |plan: Plan| (key, plan);
        let of_kind = |plan: Plan| (if plan.lossy { "ladder.way.lossy" } else { "ladder.way.same" }, plan);
        let slow = exact.slow.or(lossy.slow).map(named("ladder.way.slow"));
        let tight = exact.tight.or(lossy.tight).map(named("ladder.way.tight"));
        let worse = slow.into_iter().chain(tight).filter(|_| plan.is_none());
        for (key, plan) in plan.into_iter().chain(lossy.fits.filter(quicker)).map(of_kind).chain(worse) {
            let changed = changes(&self.scenario, &plan.effect.scenario).join(", ");
            ways.push((key != "ladder.way.same", t(key).to_owned(), changed, plan.effect));
        }
        let alone = || {
            let effects = rungs.iter().filter_map(|(rung, effect)| Some((*rung, *effect.as_ref().ok()?)));
            effects.filter(|(rung, effect)| rung.risk() == Risk::None && verdict(effect) == Verdict::Fits)
        };
        let slower =
            |(_, one): &(Rung, Effect), (_, other): &(Rung, Effect)| one.time_ratio.total_cmp(&other.time_ratio);
        if let Some((rung, effect)) = alone().filter(|(_, effect)| effect.gpus > 1).min_by(slower) {
            let price = match effect.gpus - 1 {
                1 => t("ladder.way.card").into(),
                more => fill("ladder.way.cards", &[("n", &Grouped(more.into()).to_string())]),
            };
            ways.push((false, price, inside(rung), effect));
        }
        if let Some((_, effect)) = alone().find(|(rung, _)| *rung == Rung::BiggerCard) {
            let card = effect.scenario.gpu.map_or("", |gpu| gpu.name);
            ways.push((false, t("ladder.way.other").into(), card.into(), effect));
        }
        ways.sort_by(|(worse, .., one), (lossy, .., other)| {
            worse.cmp(lossy).then(one.time_ratio.total_cmp(&other.time_ratio))
        });
        let ways = ways.into_iter().map(|(_, price, changes, effect)| {
            let verdict = lower(verdict_words(verdict(&effect)));
            let (total, time) = (size(effect.total), times(effect.time_ratio));
            let values = [("changes", changes.as_str()), ("total", &total), ("verdict", &verdict), ("time", &time)];
            view! { <li><strong>{price}</strong> ": " {fill("ladder.way", &values)}</li> }
        });
        view! {
            <p class="summary ladder-plan">{t(if plan.is_some() { "ladder.ways" } else { "ladder.ways.elsewhere" })}</p>
            <ol class="summary ladder-ways">{ways.collect_view()}</ol>
        }
        .into_any()
    }
}

/// What the calculator says to a changed run, with the same margin for fragmentation.
fn verdict(effect: &Effect) -> Verdict {
    effect.verdict.unwrap_or(Verdict::DoesNotFit)
}

/// What is different in another scenario, in words.
fn changes(from: &Scenario, to: &Scenario) -> Vec<String> {
    let mut said = Vec::new();
    if from.batch != to.batch {
        let [n, times] = [to.batch, to.training.micro_batches].map(|n| Grouped(n.into()).to_string());
        said.push(fill("ladder.change.batch", &[("n", &n), ("times", &times)]));
    }
    let rung = [
        (from.attention != to.attention && to.attention == Attention::Flash, Rung::FlashAttention),
        (from.training.loss != to.training.loss && to.training.loss == Loss::Chunked, Rung::ChunkedLoss),
        (from.optimizer != to.optimizer, Rung::EightBitOptimizer),
        (from.kv != to.kv, Rung::QuantizedCache),
        (from.offload.optimizer != to.offload.optimizer, Rung::OffloadOptimizer),
        (from.offload.parameters != to.offload.parameters, Rung::OffloadParameters),
        (from.offload.kv_cache != to.offload.kv_cache, Rung::OffloadCache),
    ];
    said.extend(rung.into_iter().filter(|(changed, _)| *changed).map(|(_, rung)| inside(rung)));
    if from.checkpointing != to.checkpointing {
        let kind = words::choice("control.checkpointing", to.checkpointing.id());
        said.push(fill("ladder.change.checkpointing", &[("kind", &kind)]));
    }
    if from.weights != to.weights {
        said.push(fill("ladder.change.weights", &[("format", to.weights.label())]));
    }
    said
}

/// Why one of a pair comes before the other.
fn why(question: &str, option: &str) -> String {
    let key = match (question, option) {
        ("rungs-loss", "former") => "ladder.why.loss",
        ("rungs-loss", _) => "ladder.why.checkpointing",
        ("rungs-memory", "former") => "ladder.why.offload",
        ("rungs-memory", _) => "ladder.why.8bit",
        (_, "former") => "ladder.why.batch",
        _ => "ladder.why.card",
    };
    t(key).into()
}

/// Of two fixes, the one to try first.
pub fn rungs() -> AnyView {
    let asked = PAIRS
        .into_iter()
        .map(|(question, [former, latter])| {
            let label = fill("ladder.pair", &[("former", &name(former)), ("latter", &inside(latter))]);
            let named = |option: &str| name(if option == "former" { former } else { latter });
            view! {
                <div class="rungs-pair">
                    {guess_named(&FIRST, question, label, &named)}
                    <p class="rungs-said">{live(&format!("predict.said.{question}"))}</p>
                    {reasons_named(&FIRST, question, &named, |option| why(question, option))}
                </div>
            }
        })
        .collect_view();
    view! {
        <div class="rungs-asked">
            {asked} {reveal(&FIRST)} <p class="sort-score">{live("predict.outcome.rungs")}</p>
        </div>
    }
    .into_any()
}

/// The ladders, one for each run.
pub fn ladder() -> AnyView {
    let jobs = JOBS.map(Job::of);
    let buttons = jobs
        .iter()
        .enumerate()
        .map(|(place, job)| {
            view! {
                <label class="radio">
                    <input type="radio" name="ladder-job" value=job.id checked=place == 0 autocomplete="off" />
                    <span>{words::choice("ladder.short_job", job.id)}</span>
                </label>
            }
        })
        .collect_view();
    view! {
        <div class="ladder">
            <p class="figure-title">{t("ladder.title")}</p>
            <fieldset class="control control-radios">
                <legend>{t("ladder.which")}</legend>
                <div class="radios">{buttons}</div>
            </fieldset>
            {kept_unit()} {jobs.iter().map(Job::view).collect_view()} <p class="caption">{t("ladder.note")}</p>
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_run_fits_as_it_is_and_each_has_rungs_that_help_and_rungs_that_do_not() {
        for job in JOBS.map(Job::of) {
            assert!(job.needs > job.limit, "{}: {} of {}", job.id, size(job.needs), size(job.limit));
            let rungs: Vec<_> = rungs_of(&job.scenario).collect();
            assert!(rungs.iter().any(|(_, effect)| effect.is_err()));
            assert!(rungs.iter().filter(|(_, effect)| effect.is_ok()).count() > 4, "{}", job.id);
        }
    }

    #[test]
    fn the_quickest_way_comes_first_with_its_price_and_none_is_only_tight() {
        let said = |job: usize| {
            let job = Job::of(JOBS[job]);
            let rungs: Vec<_> = rungs_of(&job.scenario).collect();
            job.ways(&rungs).to_html()
        };
        let place = |html: &str, text: &str| html.find(text).unwrap_or_else(|| panic!("{text}: {html}"));
        let serve = said(2);
        let prices = ["ladder.way.other", "ladder.way.card", "ladder.way.lossy"];
        let places = prices.map(|price| place(&serve, &format!("<strong>{}</strong>", t(price))));
        assert!(places.is_sorted(), "{serve}");
        for job in 0..JOBS.len() {
            let html = said(job);
            assert!(html.contains("it fits") && !html.contains("it fits, barely"), "{html}");
            assert!(!html.contains(t("ladder.way.slow")), "{html}");
        }
    }
}
