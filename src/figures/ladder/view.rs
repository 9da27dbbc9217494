//! How the figure is drawn, once, when the page is built: runs that do not fit, and every known fix with what the engine says
//! that it does to them. The search behind it is more program than a page should load; which run is shown is for the style sheet.

use leptos::prelude::*;
use memory_wall_core::advise::{Effect, Idle, Mitigation, Plan, Plans, Risk, ladder as rungs_of};
use memory_wall_core::display::{ByteUnit, Figure, Grouped, Size};
use memory_wall_core::training::Loss;
use memory_wall_core::{Attention, Bytes, Checked, Mode, Scenario, Verdict, engines, evaluate};

use crate::charts::wall::percent;
use crate::sections::masonry::kept_unit;
use crate::state::query;
use crate::words::{self, labels};

/// What something is called.
type Name = fn() -> &'static str;

/// The runs, each by its id, its name, and as a link would have it.
pub const JOBS: [(&str, Name, &str); 3] = [
    ("tune", words::ladder_short_job_tune, "model=llama-3.2-1b&mode=training&batch=8&seq=1024&gpu=rtx4090"),
    ("train", words::ladder_short_job_train, "model=llama-3.1-8b&mode=training&batch=4&seq=4096&gpu=h100-sxm"),
    ("serve", words::ladder_short_job_serve, "model=llama-3.1-8b&batch=8&seq=128000&gpu=a100-80-sxm"),
];

pub(super) fn size(bytes: Bytes) -> String {
    Size::new(bytes, ByteUnit::Gb).to_string()
}

pub(in crate::figures) fn name(rung: Mitigation) -> &'static str {
    words::mitigation(rung)
}

/// The same within a sentence.
pub(in crate::figures) fn inside(rung: Mitigation) -> String {
    lower(name(rung))
}

/// What begins a sentence as it stands within one: in lower case, unless it begins with an abbreviation.
fn lower(name: &str) -> String {
    let mut letters = name.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(std::iter::once(second)).chain(letters).collect()
        }
        _ => name.into(),
    }
}

/// `1.33×`.
fn times(time_ratio: f64) -> String {
    words::LadderTimes { n: &Figure(time_ratio).to_string() }.text()
}

/// A run: what is asked of the engine, its name in words, its peak and what its GPU takes.
pub(super) struct Job {
    pub(super) id: &'static str,
    name: &'static str,
    pub(super) scenario: Checked,
    title: String,
    pub(super) needs: Bytes,
    pub(super) limit: Bytes,
}

impl Job {
    pub(super) fn of((id, name, link): (&'static str, Name, &str)) -> Self {
        let state = query::decode(link).state;
        let scenario = state.scenario();
        let limit = engines::limit(&scenario, state.gpu.capacity);
        let [batch, seq] = [scenario.batch, scenario.seq_length].map(|n| Grouped(n.into()).to_string());
        let (model, gpu) = (state.model_name(), state.gpu.name);
        let title = if scenario.mode == Mode::Training {
            words::LadderTrained { model: &model, gpu, batch: &batch, seq: &seq }.text()
        } else {
            words::LadderServed { model: &model, gpu, batch: &batch, seq: &seq }.text()
        };
        Self { id, name: name(), scenario, title, needs: evaluate::evaluate(&scenario).total, limit }
    }

    /// How much of the drawing an amount takes.
    fn x(&self, bytes: Bytes) -> String {
        percent((bytes.share_of(self.needs.max(self.limit)) * 100.0).min(100.0))
    }

    fn sentence(&self) -> String {
        let gpu = self.scenario.gpu.map_or("", |gpu| gpu.name);
        let (needs, limit) = (size(self.needs), size(self.limit));
        words::LadderNeeds { needs: &needs, gpu, limit: &limit }.text()
    }

    fn row(&self, rung: Mitigation, effect: &Effect) -> AnyView {
        let bytes = size(effect.saved.magnitude());
        let saved = match effect.saved.0 {
            0 => "–".into(),
            1.. => bytes,
            _ => words::LadderAdds { bytes: &bytes }.text(),
        };
        // A bigger GPU has a line of its own.
        let limit = effect.scenario.gpu.map_or(self.limit, |gpu| engines::limit(&effect.scenario, gpu.capacity));
        let gpus = (effect.gpus > 1).then(|| words::LadderGpus { n: &Grouped(effect.gpus.into()).to_string() }.text());
        let mut about = vec![words::effort(rung.effort()).to_owned(), words::risk(rung.risk()).to_owned()];
        about.extend(gpus);
        let about = words::joined(&about, ", ");
        let verdict = verdict(effect);
        let fits = verdict.holds();
        let gpu_name =
            effect.scenario.gpu.filter(|_| rung == Mitigation::BiggerGpu).map(|gpu| format!(": {}", gpu.name));
        view! {
            <tr data-fits=fits.then_some("")>
                <th scope="row">
                    {name(rung)} {gpu_name} <span class="about">{about}</span>
                </th>
                <td class="rung-left">
                    <svg class="rung-bar" aria-hidden="true" height="14">
                        <rect class="rung-before" x="0" width=self.x(self.needs) y="5" height="4"></rect>
                        <rect class="rung-after" x="0" width=self.x(effect.total) y="2" height="10"></rect>
                        <line class="rung-line" x1=self.x(limit) x2=self.x(limit) y1="0" y2="14"></line>
                    </svg>
                    {size(effect.total)}
                </td>
                <td class="numeric" data-head=words::ladder_head_saved()>{saved}</td>
                <td class="numeric" data-head=words::ladder_head_time()>{times(effect.time_ratio)}</td>
                <td>{words::verdict(verdict)}</td>
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
                Some(view! { <li><strong>{name(*rung)}</strong> ": " {words::idle(*because)} "."</li> })
            })
            .collect();
        let count = words::LadderIdle { n: &idle.len().to_string() }.text();
        let heads = [
            words::ladder_head_fix(),
            words::ladder_head_left(),
            words::ladder_head_saved(),
            words::ladder_head_time(),
            words::ladder_head_fits(),
        ]
        .map(|head| view! { <th scope="col">{head}</th> })
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

    /// The ways to make it fit, each with what it costs in GPUs: the best combination on this GPU, the best single fix over
    /// several, and a larger GPU of the same maker and class. What leaves the results as they are comes first, and of that the quickest.
    /// What is only tight or takes too long is named last, and only where nothing on this GPU is better.
    pub(super) fn ways(&self, rungs: &[(Mitigation, Result<Effect, Idle>)]) -> AnyView {
        let mut ways = Vec::new();
        let plans = Plans::of(&self.scenario);
        let of_kind = |plan: Plan| {
            (plan.lossy, if plan.lossy { words::ladder_way_lossy() } else { words::ladder_way_same() }, plan)
        };
        let best = plans.recommended.into_iter().chain(plans.quicker).map(of_kind);
        let worse = [(words::ladder_way_slow(), plans.slow), (words::ladder_way_tight(), plans.tight)];
        let worse = worse.into_iter().filter_map(|(price, plan)| Some((true, price, plan?)));
        for (comes_later, price, plan) in best.chain(worse) {
            let changed = words::joined(&changes(&self.scenario, &plan.effect.scenario), ", ");
            ways.push((comes_later, price.to_owned(), changed, plan.effect));
        }
        let alone = || {
            let effects = rungs.iter().filter_map(|(rung, effect)| Some((*rung, *effect.as_ref().ok()?)));
            effects.filter(|(rung, effect)| rung.risk() == Risk::None && verdict(effect) == Verdict::Fits)
        };
        let slower = |(_, one): &(Mitigation, Effect), (_, other): &(Mitigation, Effect)| {
            one.time_ratio.total_cmp(&other.time_ratio)
        };
        if let Some((rung, effect)) = alone().filter(|(_, effect)| effect.gpus > 1).min_by(slower) {
            let price = match effect.gpus - 1 {
                1 => words::ladder_way_gpu().into(),
                more => words::LadderWayGpus { n: &Grouped(more.into()).to_string() }.text(),
            };
            ways.push((false, price, inside(rung), effect));
        }
        if let Some((_, effect)) = alone().find(|(rung, _)| *rung == Mitigation::BiggerGpu) {
            let gpu_name = effect.scenario.gpu.map_or("", |gpu| gpu.name);
            ways.push((false, words::ladder_way_other().into(), gpu_name.into(), effect));
        }
        ways.sort_by(|(worse, .., one), (lossy, .., other)| {
            worse.cmp(lossy).then(one.time_ratio.total_cmp(&other.time_ratio))
        });
        let ways = ways.into_iter().map(|(_, price, changes, effect)| {
            let verdict = lower(words::verdict(verdict(&effect)));
            let (total, time) = (size(effect.total), times(effect.time_ratio));
            let way = words::LadderWay { changes: &changes, total: &total, verdict: &verdict, time: &time }.text();
            view! { <li><strong>{price}</strong> ": " {way}</li> }
        });
        let title = if plans.recommended.is_some() { words::ladder_ways() } else { words::ladder_ways_elsewhere() };
        view! {
            <p class="summary ladder-plan">{title}</p>
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
        said.push(words::LadderChangeBatch { n: &n, times: &times }.text());
    }
    let rung = [
        (from.attention != to.attention && to.attention == Attention::Flash, Mitigation::FlashAttention),
        (from.training.loss != to.training.loss && to.training.loss == Loss::Chunked, Mitigation::ChunkedLoss),
        (from.optimizer != to.optimizer, Mitigation::EightBitOptimizer),
        (from.kv != to.kv, Mitigation::QuantizedCache),
        (from.offload.optimizer != to.offload.optimizer, Mitigation::OffloadOptimizer),
        (from.offload.parameters != to.offload.parameters, Mitigation::OffloadParameters),
        (from.offload.kv_cache != to.offload.kv_cache, Mitigation::OffloadCache),
    ];
    said.extend(rung.into_iter().filter(|(changed, _)| *changed).map(|(_, rung)| inside(rung)));
    if from.checkpointing != to.checkpointing {
        let kind = labels::checkpointing(to.checkpointing);
        said.push(words::LadderChangeCheckpointing { kind }.text());
    }
    if from.weights != to.weights {
        said.push(words::LadderChangeWeights { format: to.weights.label() }.text());
    }
    said
}

/// The figure: the ladders, one for each run.
pub fn view() -> AnyView {
    let jobs = JOBS.map(Job::of);
    let buttons = jobs
        .iter()
        .enumerate()
        .map(|(place, job)| {
            view! {
                <label class="radio">
                    <input type="radio" name="ladder-job" value=job.id checked=place == 0 autocomplete="off" />
                    <span>{job.name}</span>
                </label>
            }
        })
        .collect_view();
    view! {
        <div class="ladder">
            <p class="figure-title">{words::ladder_title()}</p>
            <fieldset class="control control-radios">
                <legend>{words::ladder_which()}</legend>
                <div class="radios">{buttons}</div>
            </fieldset>
            {kept_unit()} {jobs.iter().map(Job::view).collect_view()} <p class="caption">{words::ladder_note()}</p>
        </div>
    }
    .into_any()
}
