//! A roof with four points: one of them is where a large ReLU can be.

use leptos::prelude::*;
use memory_wall_core::roofline::{Accounting, Kernel, Roof};
use memory_wall_core::tables::gpus::Gpu;
use memory_wall_core::units::{FlopRate, Intensity};

use super::numbers::{gpu, roof};
use super::written::{figure, flops};
use crate::words;

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 230.0;
/// Powers of ten at the ends of the two scales.
const ACROSS: (f64, f64) = (-1.3, 3.3);
const UP: (f64, f64) = (-1.4, 3.0);
const LEFT: f64 = 40.0;
const FOOT: f64 = 28.0;

fn x(intensity: f64) -> f64 {
    LEFT + (libm::log10(intensity) - ACROSS.0) / (ACROSS.1 - ACROSS.0) * (WIDTH - LEFT)
}

fn y(tflops: f64) -> f64 {
    (HEIGHT - FOOT) * (1.0 - (libm::log10(tflops) - UP.0) / (UP.1 - UP.0))
}

fn at(number: f64) -> String {
    format!("{number:.1}")
}

/// A point: its name, FLOPs a byte, and TFLOP/s.
type Point = (&'static str, f64, f64);

/// The GPU with its roof, and the points.
fn plan() -> Option<(&'static Gpu, Roof, [Point; 4])> {
    let a100_gpu = gpu("a100-80-sxm")?;
    let roof = roof(a100_gpu)?;
    let relu = Kernel::Relu { elements: 1 << 26 }.work(2).intensity(Accounting::ReadsAndWrites);
    let slope = roof.attainable(relu).as_tflops();
    let beyond = Intensity(roof.ridge().0 * 3.0);
    let points = [
        ("A", relu.0, slope * 12.0),
        ("B", beyond.0, roof.attainable(beyond).as_tflops()),
        ("C", relu.0, slope),
        ("D", relu.0, slope / 8.0),
    ];
    Some((a100_gpu, roof, points))
}

/// What the drawing shows, in words.
pub(super) fn in_words() -> String {
    let Some((a100_gpu, roof, points)) = plan() else { return String::new() };
    let said = points.map(|(name, intensity, tflops)| {
        let rate = flops(FlopRate::from_tflops(tflops));
        words::QuizPicturePoint { name, intensity: &figure(intensity), rate: &rate }.text()
    });
    words::QuizPicture { gpu: a100_gpu.name, peak: &flops(roof.peak), points: &said.join(" ") }.text()
}

/// The drawing, with its points in words.
pub(super) fn picture() -> AnyView {
    let Some((_, roof, points)) = plan() else {
        return ().into_any();
    };
    let label = in_words();
    let low = libm::pow(10.0, ACROSS.0);
    let (peak, ridge) = (roof.peak.as_tflops(), roof.ridge().0);
    let line = [(low, roof.attainable(Intensity(low)).as_tflops()), (ridge, peak), (libm::pow(10.0, ACROSS.1), peak)]
        .map(|(intensity, tflops)| format!("{},{}", at(x(intensity)), at(y(tflops))))
        .join(" ");
    let ticks_x = [0.1, 1.0, 10.0, 100.0, 1_000.0]
        .map(|n| {
            let label = if n < 1.0 { "0.1".to_string() } else { format!("{n}") };
            view! {
                <line class="grid" x1=at(x(n)) x2=at(x(n)) y1="0" y2=at(HEIGHT - FOOT)></line>
                <text class="quiz-tick" x=at(x(n)) y=at(HEIGHT - FOOT + 14.0)>{label}</text>
            }
        })
        .into_iter()
        .collect_view();
    let ticks_y = [0.1, 1.0, 10.0, 100.0]
        .map(|n| {
            let label = if n < 1.0 { "0.1".to_string() } else { format!("{n}") };
            view! {
                <line class="grid" x1=at(LEFT) x2=at(WIDTH) y1=at(y(n)) y2=at(y(n))></line>
                <text class="quiz-tick quiz-tick-y" x=at(LEFT - 6.0) y=at(y(n) + 4.0)>{label}</text>
            }
        })
        .into_iter()
        .collect_view();
    let dots = points
        .map(|(name, intensity, tflops)| {
            view! {
                <circle cx=at(x(intensity)) cy=at(y(tflops)) r="5"></circle>
                <text class="quiz-dot" x=at(x(intensity) + 10.0) y=at(y(tflops) + 14.0)>{name}</text>
            }
        })
        .into_iter()
        .collect_view();
    view! {
        <svg class="quiz-roof" role="img" aria-label=label viewBox=format!("0 0 {WIDTH} {HEIGHT}")>
            {ticks_x} {ticks_y} <polyline points=line></polyline> {dots}
            <text class="quiz-tick quiz-end" x=at(WIDTH) y=at(HEIGHT - 1.0)>{words::quiz_picture_x()}</text>
            <text class="quiz-tick quiz-start" x=at(LEFT + 6.0) y="12">{words::quiz_picture_y()}</text>
        </svg>
    }
    .into_any()
}
