//! What the figure shows.

use memory_wall_core::display::{Count, Grouped, Percent};
use memory_wall_core::published::{RUNS, Run, Took};
use memory_wall_core::scaling::usable;
use memory_wall_core::spending::{
    POWER_SHARE, board_watts, dense_peak, energy, gpu_hours, training_flops, training_rate,
};
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::units::FlopRate;

use crate::dials::Dial;
use crate::figures::{Answer, bindings, dash, money, number};
use crate::live::Snapshot;
use crate::state::spending::Spending;
use crate::words::{self, labels};

/// The end of the scale of MFU, beyond all published runs.
pub(super) const SCALE: f64 = 0.6;
/// Bytes of states for each parameter, as the section on training has them.
const STATES: u64 = 16;

/// What the figure shows.
#[derive(PartialEq)]
pub struct Model {
    name: String,
    gpu: &'static Gpu,
    spending: Spending,
    /// Parameters that a token visits.
    parameters: u64,
    tokens: u64,
    /// GPUs whose memory holds the states of all parameters, before any activation.
    holds: u64,
    peak: Option<FlopRate>,
    mfu: Option<[f64; 2]>,
}

bindings! {
    /// What follows it on the page.
    pub enum Binding {
        /// Parameters that a token visits.
        Parameters,
        /// Tokens that are trained on.
        Tokens,
        /// FLOPs of the run.
        Flops,
        /// The GPU's dense peak.
        Peak,
        /// The MFU from and to.
        Share,
        /// GPUs that train.
        Gpus,
        /// GPU hours from and to.
        Hours,
        /// How long the run takes.
        Time,
        /// Tokens a second.
        Rate,
        /// What an hour of a GPU costs.
        PerHour,
        /// What the run costs.
        Price,
        /// The limit of the board's power.
        Watts,
        /// What of it is drawn, from and to.
        Drawn,
        /// What the run takes of energy.
        Energy,
        /// Where the range of the MFU begins on the scale.
        BandFrom,
        /// How wide it is.
        BandWidth,
        /// GPU hours that Meta reports of Llama 2 7B.
        PublishedHours,
        /// How long one GPU would have taken for them.
        PublishedTime,
        /// The MFU of the steps of a run whose makers state a range.
        Stated,
        /// The MFU of the same run from all its hours.
        Whole,
        /// All of it in words.
        Sentence,
    }
}

impl crate::figures::Model for Model {
    const ID: &'static str = "train_cost";
    type Binding = Binding;

    fn of(snapshot: &Snapshot) -> Self {
        let state = &snapshot.state;
        let all = u128::from(state.shape.parameters().total());
        let holds = (all * u128::from(STATES)).div_ceil(usable(state.gpu).0.max(1));
        Self {
            name: state.model_name(),
            gpu: state.gpu,
            spending: state.spending,
            parameters: state.shape.active_parameters(),
            tokens: state.spending.tokens_in_use(&state.shape),
            holds: u64::try_from(holds).unwrap_or(u64::MAX),
            peak: dense_peak(state.gpu),
            mfu: state.spending.mfu_in_use(state.gpu),
        }
    }

    fn answer(&self, binding: Binding) -> Answer {
        let text = |text: Option<String>| Answer::Text(text.unwrap_or_else(|| words::spend_unknown().into()));
        let band = self.mfu.map(|ends| ends.map(|end| (end / SCALE).min(1.0) * 100.0));
        match binding {
            Binding::Parameters => Answer::Text(Count(self.parameters).to_string()),
            Binding::Tokens => Answer::Text(Count(self.tokens).to_string()),
            Binding::Flops => Answer::Text(money::power_of_ten(self.flops())),
            Binding::Peak => text(self.peak.map(|peak| number(peak.as_tflops()))),
            Binding::Share => text(self.mfu.map(shares)),
            Binding::Gpus => Answer::Count(self.spending.gpus_in_use()),
            Binding::Hours => text(self.hours().map(money::numbers)),
            Binding::Time => text(self.seconds().map(money::lasts)),
            Binding::Rate => text(self.rate()),
            Binding::PerHour => {
                Answer::Text(self.spending.price_in_use().map_or_else(|| dash().into(), money::dollars))
            }
            Binding::Price => Answer::Text(self.price().unwrap_or_else(|| dash().into())),
            Binding::Watts => text(board_watts(self.gpu).map(|watts| watts.to_string())),
            Binding::Drawn => Answer::Text(shares(POWER_SHARE)),
            Binding::Energy => text(self.energy()),
            Binding::BandFrom => Answer::Percent(band.map_or(0.0, |[from, _]| from)),
            Binding::BandWidth => Answer::Percent(band.map_or(0.0, |[from, to]| to - from)),
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "published hours are whole")]
            Binding::PublishedHours => text(published_hours().map(|hours| Grouped(hours as u128).to_string())),
            Binding::PublishedTime => text(published_hours().map(|hours| money::lasts([hours * 3_600.0; 2]))),
            Binding::Stated => text(stated().and_then(|run| run.stated).map(shares)),
            Binding::Whole => text(stated().and_then(Run::mfu).map(|mfu| Percent(mfu).to_string())),
            Binding::Sentence => Answer::Text(self.sentence()),
        }
    }
}

/// The GPU hours of the run that the section begins with.
fn published_hours() -> Option<f64> {
    let run = RUNS.iter().find(|run| run.name == "Llama 2 7B")?;
    if let Took::Hours(hours) = run.took { Some(hours) } else { None }
}

/// The run whose makers state a range.
fn stated() -> Option<&'static Run> {
    RUNS.iter().find(|run| run.stated.is_some_and(|[least, most]| least < most))
}

/// Two shares as percentages.
fn shares([from, to]: [f64; 2]) -> String {
    let [from, to] = [from, to].map(|end| Percent(end).to_string());
    words::SpendRange { from: &from, to: &to }.text()
}

impl Model {
    fn flops(&self) -> f64 {
        training_flops(self.parameters, self.tokens)
    }

    /// GPU hours, least first; `None` where the GPU's peak or the MFU is not known.
    fn hours(&self) -> Option<[f64; 2]> {
        let (peak, [low, high]) = (self.peak?, self.mfu?);
        Some([high, low].map(|mfu| gpu_hours(self.flops(), peak, mfu)))
    }

    fn seconds(&self) -> Option<[f64; 2]> {
        let gpus = self.spending.gpus_in_use() as f64;
        Some(self.hours()?.map(|hours| hours * 3_600.0 / gpus))
    }

    fn rate(&self) -> Option<String> {
        let (peak, ends) = (self.peak?, self.mfu?);
        Some(money::numbers(ends.map(|mfu| training_rate(self.parameters, self.spending.gpus_in_use(), peak, mfu))))
    }

    fn price(&self) -> Option<String> {
        let price = self.spending.price_in_use()?;
        Some(money::dollar_range(self.hours()?.map(|hours| hours * price)))
    }

    fn energy(&self) -> Option<String> {
        Some(money::watt_hours(energy(self.hours()?, board_watts(self.gpu)?)))
    }

    fn sentence(&self) -> String {
        let said = |binding| crate::figures::Model::answer(self, binding).text(memory_wall_core::display::ByteUnit::Gb);
        let model = self.name.clone();
        let tokens = said(Binding::Tokens);
        let flops = said(Binding::Flops);
        let share = said(Binding::Share);
        let gpus = said(Binding::Gpus);
        let gpu = self.gpu.name;
        let hours = said(Binding::Hours);
        let time = said(Binding::Time);
        let price = said(Binding::Price);
        let energy = said(Binding::Energy);
        let holds = Count(self.holds).to_string();

        let mut parts = vec![if self.hours().is_some() {
            words::SpendSentence {
                model: &model,
                tokens: &tokens,
                flops: &flops,
                share: &share,
                hours: &hours,
                gpu,
                gpus: &gpus,
                time: &time,
            }
            .text()
        } else {
            words::SpendSentenceUnknown { model: &model, tokens: &tokens, flops: &flops, gpus: &gpus, gpu }.text()
        }];
        if self.price().is_some() {
            parts.push(words::SpendSentencePrice { price: &price }.text());
        }
        if self.energy().is_some() {
            parts.push(words::SpendSentenceEnergy { energy: &energy }.text());
        }
        if self.spending.gpus_in_use() < self.holds {
            parts.push(words::SpendSentenceShort { holds: &holds }.text());
        }
        words::joined(&parts, " ")
    }
}

/// The GPU hours of Llama 2 7B.
pub static DIAL: Dial = Dial {
    id: "hours",
    question: labels::dial_question_hours,
    unit: words::dial_unit_hours,
    range: (1_000.0, 10_000_000.0),
    answer: published_hours,
};
