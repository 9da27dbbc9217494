//! How the figure is drawn, once, when the page is built: the formula, and where common work lands.

use leptos::prelude::*;
use memory_wall_core::display::{Figure, Percent, THIN_SPACE};
use memory_wall_core::roofline::{Accounting, Bound};
use memory_wall_core::tables::gpus;
use memory_wall_core::units::{ByteRate, FlopRate, Intensity};

use super::model::{LOW, TEXTBOOK};
use crate::figures::bound;
use crate::figures::sort::{self, COMPARED, Operation, flops, roof};
use crate::words;

/// A number without zeros behind its point.
fn short(number: f64) -> String {
    let figure = Figure(number).to_string();
    if figure.contains('.') { figure.trim_end_matches('0').trim_end_matches('.').into() } else { figure }
}

pub(super) fn tflops(rate: FlopRate) -> String {
    format!("{}{THIN_SPACE}TFLOP/s", Figure(rate.as_tflops()))
}

fn terabytes(rate: ByteRate) -> String {
    format!("{}{THIN_SPACE}TB/s", short(rate.as_gb_per_s() / 1e3))
}

/// A line of mathematics; the pieces are this file's own.
fn formula(pieces: &str) -> AnyView {
    view! { <math display="block" inner_html=format!("<mrow>{pieces}</mrow>")></math> }.into_any()
}

fn name(letter: &str, below: &str) -> String {
    format!("<msub><mi>{letter}</mi><mtext>{below}</mtext></msub>")
}

fn formulas() -> AnyView {
    let (peak, most) = (name("P", words::worked_peak()), name("P", words::worked_max()));
    let over = |above: &str, below: &str| format!("<mfrac><mrow>{above}</mrow><mrow>{below}</mrow></mfrac>");
    let text = |text: &str| format!("<mtext>{text}</mtext>");
    let is = "<mo>=</mo>";
    let ridge = Figure(TEXTBOOK.ridge().0).to_string();
    let low = short(LOW.0);
    let of = |inner: &str| format!("<mo stretchy=\"false\">(</mo>{inner}<mo stretchy=\"false\">)</mo>");
    let bandwidth = short(TEXTBOOK.bandwidth.as_gb_per_s() / 1e3);
    let peak_number = short(TEXTBOOK.peak.as_tflops());
    let lower = |left: &str, right: &str| format!("<mi>min</mi>{}", of(&format!("{left}<mo>,</mo>{right}")));
    let numbers = [
        format!("{most}{}{is}{}", of("<mi>I</mi>"), lower(&peak, "<mi>B</mi><mo>×</mo><mi>I</mi>")),
        format!(
            "{}{is}{}{is}{}{is}{}",
            text(words::worked_ridge()),
            over(&peak, "<mi>B</mi>"),
            over(&text(&tflops(TEXTBOOK.peak)), &text(&terabytes(TEXTBOOK.bandwidth))),
            text(&format!("{ridge}{THIN_SPACE}FLOP/byte"))
        ),
        format!(
            "{most}{}{is}{}{is}{}",
            of(&format!("<mn>{low}</mn>")),
            lower(&format!("<mn>{peak_number}</mn>"), &format!("<mn>{bandwidth}</mn><mo>×</mo><mn>{low}</mn>")),
            text(&tflops(TEXTBOOK.attainable(LOW)))
        ),
    ];
    let lines = numbers.iter().map(|pieces| formula(pieces)).collect_view();
    view! { <div class="formula" tabindex="0" role="region" aria-label=words::worked_formula()>{lines}</div> }
        .into_any()
}

/// A row: what it is, FLOPs, bytes, intensity.
fn row(what: String, work: String, bytes: String, intensity: Intensity) -> AnyView {
    let reached = TEXTBOOK.attainable(intensity);
    let bound = TEXTBOOK.bound(intensity);
    view! {
        <tr data-bound=bound.id()>
            <th scope="row">{what}</th>
            <td class="numeric">{work}</td>
            <td class="numeric">{bytes}</td>
            <td class="numeric">{Figure(intensity.0).to_string()}</td>
            <td>{if bound == Bound::Memory { words::worked_memory() } else { words::worked_compute() }}</td>
            <td class="numeric">{tflops(reached)}</td>
            <td class="numeric">{Percent(reached.0 / TEXTBOOK.peak.0).to_string()}</td>
        </tr>
    }
    .into_any()
}

/// The figure.
pub fn view() -> AnyView {
    let operations = [Operation::Relu, Operation::Token, Operation::Softmax, Operation::LayerNorm, Operation::Gemm];
    let mut rows: Vec<_> = operations
        .into_iter()
        .map(|operation| {
            let work = operation.work();
            let bytes = bound::<sort::Model>(sort::Binding::Bytes(operation));
            let intensity = work.intensity(Accounting::ReadsAndWrites);
            (intensity, row(words::operation(operation).into(), flops(work.flops), bytes, intensity))
        })
        .collect();
    let any = words::WorkedAny { n: &short(LOW.0) }.text();
    rows.push((LOW, row(any, "–".into(), "–".into(), LOW)));
    rows.sort_by(|(one, _), (other, _)| one.0.total_cmp(&other.0));
    let rows = rows.into_iter().map(|(_, row)| row).collect_view();
    let (peak, bandwidth) = (tflops(TEXTBOOK.peak), terabytes(TEXTBOOK.bandwidth));
    let exact = roof(COMPARED[0]).map(|roof| {
        let bandwidth = format!("{}{THIN_SPACE}GB/s", Figure(roof.bandwidth.as_gb_per_s()));
        words::WorkedExact { bandwidth: &bandwidth, ridge: &Figure(roof.ridge().0).to_string() }.text()
    });
    let headings = [
        ("", words::sort_operation()),
        ("numeric", words::sort_flops()),
        ("numeric", words::sort_bytes()),
        ("numeric", words::sort_intensity()),
        ("", words::worked_bound()),
        ("numeric", words::worked_rate()),
        ("numeric", words::worked_share()),
    ];
    let gpu_name = gpus::by_id(COMPARED[0]).map_or("", |gpu| gpu.name);
    view! {
        <div class="worked">
            <p class="figure-title">{words::WorkedTitle { gpu: gpu_name }.text()}</p>
            <p class="caption">{words::WorkedTerms { peak: &peak, bandwidth: &bandwidth }.text()}</p>
            {formulas()}
            <div class="table-scroll" tabindex="0" role="region" aria-label=words::worked_caption()>
                <table>
                    <caption>{words::worked_caption()}</caption>
                    <thead>
                        <tr>
                            {headings
                                .map(|(class, head)| view! { <th scope="col" class=(!class.is_empty()).then_some(class)>{head}</th> })
                                .into_iter()
                                .collect_view()}
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <p class="caption">{exact}</p>
        </div>
    }
    .into_any()
}
