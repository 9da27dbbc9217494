//! The plot in words: its sentence, its points, its table, and the same as data.
//!
//! The pieces of HTML hold nothing but the engine's names and numbers, and the page's own words.

use std::fmt::Write as _;

use memory_wall_core::display::{Grouped, Percent, Size};
use memory_wall_core::roofline::latency::Estimate;
use memory_wall_core::roofline::{Bound, Pass, efficiency};
use memory_wall_core::{Bytes, Verdict, evaluate};

use super::quantity::{digits, flops, plain, rate, time};
use super::{Dot, Kind, Plot};
use crate::charts::wall::percent;
use crate::figures::dash;
use crate::figures::roofline::Reading;
use crate::state::roofline::Dots;
use crate::words;

/// Points this near to each other, in percent of the field, lie on one spot.
const SPOT: f64 = 0.5;

/// What holds an operation back, in words.
fn bound(bound: Bound) -> &'static str {
    words::bound(bound)
}

/// How often one rate fits into another: `×165`.
fn factor(times: f64) -> String {
    format!("×{}", digits(times))
}

impl Dot {
    /// Its time, or the range of it.
    fn time(&self) -> String {
        match self.upper {
            Some(upper) => words::RooflineRange { from: &time(self.seconds), to: &time(upper) }.text(),
            None => time(self.seconds),
        }
    }

    /// Its share of the pass, or nothing.
    fn share(&self) -> String {
        self.share.map(|share| Percent(share).to_string()).unwrap_or_default()
    }

    fn intensity_words(&self) -> String {
        match (self.flops, self.bytes) {
            (0, _) => words::roofline_no_flops().into(),
            (_, 0) => words::roofline_no_bytes().into(),
            _ => digits(self.intensity),
        }
    }

    /// Everything about it in a sentence, as it is read out.
    fn spoken(&self) -> String {
        let share = match self.share {
            Some(share) => words::RooflineDotShare { share: &Percent(share).to_string() }.text(),
            None => String::new(),
        };
        words::RooflineDot {
            name: self.name.as_str(),
            intensity: &self.intensity_words(),
            rate: &rate(self.rate),
            bound: bound(self.bound),
            time: &self.time(),
            share: &share,
        }
        .text()
    }
}

impl Dot {
    /// What it can reach, in a sentence.
    fn clause(&self) -> String {
        words::RooflineSentenceDot {
            name: self.name.as_str(),
            intensity: &self.intensity_words(),
            bound: bound(self.bound),
            rate: &rate(self.rate),
            share: &Percent(self.rate / self.peak).to_string(),
        }
        .text()
    }
}

impl Plot {
    /// What the point that is read off comes to, as a lever says it.
    pub fn consequence(&self) -> String {
        let Some(dot) = self.at() else { return String::new() };
        words::RooflineConsequence { name: &dot.name, rate: &rate(dot.rate), bound: bound(dot.bound) }.text()
    }

    /// The plot in two or three sentences: the picture for those who do not see it.
    pub fn sentence(&self) -> String {
        let gpu = self.lines.first().map(|line| line.name.as_str()).unwrap_or_default();
        let mut text = words::RooflineSentenceRoof {
            gpu,
            peak: &rate(self.roof().peak.0),
            bandwidth: &Grouped(whole(self.roof().bandwidth.as_gb_per_s())).to_string(),
            ridge: &digits(self.roof().ridge().0),
        }
        .text();
        let told = |dot: &&Dot| matches!(dot.key.kind, Kind::Pass | Kind::Own);
        for dot in self.dots.iter().filter(told) {
            text.push(' ');
            text.push_str(&dot.clause());
        }
        if self.state.roofline.dots == Dots::Textbook {
            let kernels = || self.dots.iter().filter(|dot| dot.key.kind == Kind::Kernel);
            let waiting = kernels().filter(|dot| dot.bound == Bound::Memory).count();
            let [n, all] = [waiting, kernels().count()].map(|count| count.to_string());
            text.push(' ');
            text.push_str(&words::RooflineSentenceTextbook { n: &n, all: &all }.text());
        }
        text
    }

    /// How long the passes take and how fast that is, one sentence for each, and a last one where the run does not fit.
    pub fn times(&self) -> String {
        let scenario = self.state.scenario();
        let sentence = |pass: &Estimate| {
            let speed = pass.speed(&scenario, self.state.gpu);
            let both = |[slow, fast]: [f64; 2]| words::RooflineRange { from: &digits(slow), to: &digits(fast) }.text();
            let range = words::RooflineRange { from: &time(pass.lower.0), to: &time(pass.upper.0) }.text();
            let (user, all) = (both(speed.per_user), both(speed.per_gpu));
            match pass.pass {
                Pass::Prefill => words::RooflineTimePrefill { time: &range, all: &all }.text(),
                Pass::Decode => words::RooflineTimeDecode { time: &range, user: &user, all: &all }.text(),
                Pass::Training => words::RooflineTimeTraining { time: &range, all: &all }.text(),
            }
        };
        let mut text = String::new();
        for pass in &self.passes {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&sentence(pass));
            // What was measured beside the bound, which is a wide range.
            for typical in efficiency::like(&scenario, self.state.gpu, pass.pass) {
                text.push(' ');
                text.push_str(
                    &words::RooflineTimeTypical {
                        runtime: typical.runtime.name(),
                        time: &time(typical.seconds(pass.lower).0),
                        share: &Percent(typical.share).to_string(),
                        runs: &Grouped(typical.runs.into()).to_string(),
                        gpus: typical.gpus,
                    }
                    .text(),
                );
            }
        }
        if !evaluate::verdict(&scenario).is_none_or(Verdict::holds) {
            text.push(' ');
            text.push_str(&words::RooflineTimeNoRoom { gpu: self.state.gpu.name }.text());
        }
        text
    }

    /// A reading of the selected point.
    pub fn reading(&self, what: Reading) -> String {
        let Some(dot) = self.at() else { return dash().into() };
        // With a rate of the reader's own, it is that rate which is compared.
        let reached = self.measured.unwrap_or(dot.rate);
        match what {
            Reading::Name => dot.name.clone(),
            Reading::Intensity => words::RooflineReadIntensity { intensity: &dot.intensity_words() }.text(),
            Reading::Bound => bound(dot.bound).to_owned(),
            Reading::Rate => rate(dot.rate),
            Reading::OfRoof => Percent(reached / dot.roof.max(1.0)).to_string(),
            Reading::OfPeak => Percent(reached / dot.peak).to_string(),
            Reading::Ceiling => factor(dot.peak / reached.max(1.0)),
            Reading::Time => match dot.share {
                Some(_) => words::RooflineReadTime { time: &dot.time(), share: &dot.share() }.text(),
                None => dot.time(),
            },
            Reading::Own => match self.measured {
                Some(measured) if measured > dot.roof * 1.0005 => {
                    words::RooflineReadBeyond { rate: &rate(measured), roof: &rate(dot.roof) }.text()
                }
                Some(measured) => {
                    let [of_roof, of_peak] = [dot.roof, dot.peak].map(|whole| Percent(measured / whole).to_string());
                    words::RooflineReadOwn { rate: &rate(measured), roof: &of_roof, peak: &of_peak }.text()
                }
                None => String::new(),
            },
        }
    }

    /// The points as elements of a drawing, along the axis, those on one spot together: the style sheet lets a pointer through
    /// to the next of them. Which one is read off is said by the browser.
    pub fn dots_html(&self) -> String {
        let mut html = String::new();
        let mut spot = None;
        for dot in self.walk() {
            let (x, y) = self.place(dot.intensity, dot.rate);
            if spot.is_none_or(|(left, top): (f64, f64)| (x - left).abs() > SPOT || (y - top).abs() > SPOT) {
                html += if spot.is_some() { "</g><g role=\"none\">" } else { "<g role=\"none\">" };
                spot = Some((x, y));
            }
            // Writing into a string does not fail.
            let _ = write!(
                html,
                "<circle cx=\"{}\" cy=\"{}\" r=\"12\" role=\"option\" aria-selected=\"false\" tabindex=\"-1\" data-dot=\"{}\" aria-label=\"{}\"></circle>",
                percent(x),
                percent(y),
                dot.key,
                escaped(&dot.spoken())
            );
        }
        if spot.is_some() {
            html += "</g>";
        }
        html
    }

    /// The points as rows of a table.
    pub fn table_html(&self) -> String {
        let mut html = String::new();
        for dot in &self.dots {
            let cells = [
                flops(dot.flops),
                Size::new(Bytes(dot.bytes), self.state.unit).to_string(),
                dot.intensity_words(),
                bound(dot.bound).to_owned(),
                rate(dot.rate),
                dot.time(),
                dot.share(),
            ];
            let _ = write!(html, "<tr data-dot=\"{}\"><th scope=\"row\">{}</th>", dot.key, escaped(&dot.name));
            for cell in cells {
                let _ = write!(html, "<td>{}</td>", escaped(&cell));
            }
            html.push_str("</tr>");
        }
        html
    }

    /// The same as data: units in the heading, numbers with a point, commas between them.
    pub fn csv(&self) -> String {
        let mut csv = String::from(
            "name,flops,bytes,flop_per_byte,bound,attainable_flop_per_s,seconds_at_least,seconds_usually_at_most,share\n",
        );
        for dot in &self.dots {
            let empty = |value: Option<f64>| value.map(plain).unwrap_or_default();
            let intensity = if dot.bytes == 0 { String::new() } else { plain(dot.intensity) };
            let _ = writeln!(
                csv,
                "\"{}\",{},{},{intensity},{},{},{},{},{}",
                dot.name,
                dot.flops,
                dot.bytes,
                dot.bound.id(),
                plain(dot.rate),
                plain(dot.seconds),
                empty(dot.upper),
                empty(dot.share)
            );
        }
        csv
    }
}

/// A rate without its fraction.
fn whole(value: f64) -> u128 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and far below the largest integer"
    )]
    let whole = value.clamp(0.0, 1e18).round() as u128;
    whole
}

/// Text as HTML.
fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '"' => html.push_str("&quot;"),
            other => html.push(other),
        }
    }
    html
}
