//! What the figure shows.

use memory_wall_core::display::{Duration, Grouped};
use memory_wall_core::evaluate;
use memory_wall_core::spending::{Service, price_per_million, service};
use memory_wall_core::{Mode, Verdict};

use crate::figures::{Answer, Nth, bindings, dash, money, pick};
use crate::live::Snapshot;
use crate::state::State;
use crate::words;

/// The batches that are drawn.
pub(super) const BATCHES: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
/// One of them.
type Lane = Nth<{ BATCHES.len() }>;
/// Powers of ten from one end of the scale to the other, from one token a second.
pub(super) const DECADES: u32 = 5;

/// What the figure shows.
#[derive(PartialEq)]
pub struct Model {
    name: String,
    gpu: &'static str,
    seq_length: u32,
    batch: u32,
    price: Option<f64>,
    /// With the reader's batch, and whether that fits into the GPU.
    own: (Option<Service>, bool),
    /// The same with each batch that is drawn.
    lanes: [(Option<Service>, bool); BATCHES.len()],
}

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// Time to the first token.
        Ttft,
        /// Time for each further token.
        Tpot,
        /// Tokens a second that all sequences write together.
        Written,
        /// Tokens a second that are read of prompts.
        Read,
        /// What a million tokens of prompts cost.
        In,
        /// What a million written tokens cost.
        Out,
        /// What an hour of the GPU costs.
        PerHour,
        /// All of it in words.
        Sentence,
        /// Where the range of a batch begins on the scale.
        From(Lane),
        /// How wide it is.
        Width(Lane),
        /// Time for each further token with a batch.
        LaneTpot(Lane),
        /// Tokens a second of a batch.
        LaneWritten(Lane),
        /// What a million tokens cost with a batch.
        LanePrice(Lane),
        /// The same where the batch fits, and elsewhere that it does not.
        LaneNote(Lane),
        /// Whether a batch does not fit into the GPU.
        Over(Lane),
    }
}

/// How a batch of the reader's scenario is served, and whether it fits. In training the figure shows inference with the same settings.
fn served(state: &State, batch: u32) -> (Option<Service>, bool) {
    let state = State { mode: Mode::Inference, batch, ..*state };
    let Ok(scenario) = state.check() else { return (None, false) };
    let fits = evaluate::verdict(&scenario).is_none_or(Verdict::holds);
    (service(&scenario, state.gpu), fits)
}

impl crate::figures::Model for Model {
    const ID: &'static str = "serve_cost";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        let state = &snapshot.state;
        Self {
            name: state.model_name(),
            gpu: state.gpu.name,
            seq_length: state.seq_length,
            batch: state.batch,
            price: state.spending.price_in_use(),
            own: served(state, state.batch),
            lanes: BATCHES.map(|batch| served(state, batch)),
        }
    }

    fn answer(&self, binding: Binding) -> Answer {
        let text = |text: Option<String>| Answer::Text(text.unwrap_or_else(|| dash().into()));
        let own = self.own.0;
        let lane = |lane: Lane| pick(&self.lanes, lane.0);
        let service = |of: Lane| lane(of).0;
        match binding {
            Binding::Ttft => text(own.map(|own| times(own.ttft))),
            Binding::Tpot => text(own.map(|own| times(own.tpot))),
            Binding::Written => text(own.map(|own| rates(own.written))),
            Binding::Read => text(own.map(|own| rates(own.read))),
            Binding::In => text(self.price_of(own.map(|own| own.read))),
            Binding::Out => text(self.price_of(own.map(|own| own.written))),
            Binding::PerHour => text(self.price.map(money::dollars)),
            Binding::Sentence => Answer::Text(self.sentence()),
            Binding::From(of) => Answer::Percent(service(of).map_or(0.0, |it| along(it.written[1]))),
            Binding::Width(of) => {
                Answer::Percent(service(of).map_or(0.0, |it| along(it.written[0]) - along(it.written[1])))
            }
            Binding::LaneTpot(of) => text(service(of).map(|it| times(it.tpot))),
            Binding::LaneWritten(of) => text(service(of).map(|it| rates(it.written))),
            Binding::LanePrice(of) => text(self.price_of(service(of).map(|it| it.written))),
            Binding::LaneNote(of) if !lane(of).1 => Answer::Text(words::serve_over().into()),
            Binding::LaneNote(of) => text(self.price_of(service(of).map(|it| it.written))),
            Binding::Over(of) => Answer::Flag(!lane(of).1),
        }
    }
}

/// Where a rate stands on the scale, in percent.
pub(super) fn along(rate: f64) -> f64 {
    (libm::log10(rate.max(1.0)) / f64::from(DECADES)).min(1.0) * 100.0
}

/// Times from the least on.
fn times(ends: [memory_wall_core::units::Seconds; 2]) -> String {
    let [from, to] = ends.map(|end| Duration(end.0).to_string());
    words::SpendRange { from: &from, to: &to }.text()
}

/// Rates, given with the best first, from the least on.
fn rates([best, worst]: [f64; 2]) -> String {
    money::numbers([worst, best])
}

impl Model {
    /// What a million tokens cost at rates of which the best stands first.
    fn price_of(&self, rates: Option<[f64; 2]>) -> Option<String> {
        let (rates, price) = (rates?, self.price?);
        Some(money::dollar_range(rates.map(|rate| price_per_million(rate, 1, price))))
    }

    fn sentence(&self) -> String {
        let Some(own) = self.own.0 else { return words::serve_sentence_none().into() };
        let model = self.name.clone();
        let gpu = self.gpu;
        let batch = Grouped(self.batch.into()).to_string();
        let seq = Grouped(self.seq_length.into()).to_string();
        let ttft = times(own.ttft);
        let tpot = times(own.tpot);
        let written = rates(own.written);
        let reading = self.price_of(Some(own.read)).unwrap_or_default();
        let writing = self.price_of(Some(own.written)).unwrap_or_default();

        let mut parts = vec![
            words::ServeSentence {
                model: &model,
                gpu,
                batch: &batch,
                seq: &seq,
                ttft: &ttft,
                tpot: &tpot,
                written: &written,
            }
            .text(),
        ];
        if self.price.is_some() {
            parts.push(words::ServeSentencePrice { reading: &reading, writing: &writing }.text());
        }
        if !self.own.1 {
            parts.push(words::serve_sentence_over().into());
        }
        words::joined(&parts, " ")
    }
}

/// What a batch means, read out with it.
pub fn consequence(snapshot: &Snapshot) -> String {
    crate::far::apart();
    let model = <Model as crate::figures::Model>::of(snapshot);
    let said = |binding| crate::figures::Model::answer(&model, binding).text(snapshot.state.unit);
    words::ServeConsequence { tpot: &said(Binding::Tpot), written: &said(Binding::Written) }.text()
}
