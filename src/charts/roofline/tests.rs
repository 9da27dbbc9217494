use crate::figures::roofline::Reading;
use memory_wall_core::Mode;
use memory_wall_core::roofline::{Accounting, Bound, Pass};
use memory_wall_core::tables::gpus::{self, GPUS};
use memory_wall_core::tables::models::MODELS;
use plotters::style::RGBColor;

use super::board::marks;
use super::draw::Style;
use super::marks::{Frame, Mark};
use super::*;
use crate::state::roofline::{Dots, Levers};

fn of(state: &State) -> Plot {
    Plot::of(state, &Look::default())
}

fn with(change: impl FnOnce(&mut Levers)) -> State {
    let mut state = State::default();
    change(&mut state.roofline);
    state
}

fn dot<'a>(plot: &'a Plot, id: &str) -> &'a Dot {
    plot.dots.iter().find(|dot| dot.key.id == id).unwrap_or_else(|| panic!("no {id}"))
}

#[test]
fn the_first_plot_is_the_textbooks() {
    let plot = of(&State::default());
    let ridge = plot.roof().ridge().0;
    assert!((ridge - 153.0).abs() < 0.5, "{ridge}");
    let [prefill, decode] = ["prefill", "decode"].map(|id| dot(&plot, id));
    assert_eq!((prefill.bound, decode.bound), (Bound::Compute, Bound::Memory));
    assert!((0.9..1.1).contains(&decode.intensity) && prefill.intensity > 1_000.0);
    assert_eq!(plot.selected.to_string(), "pass-decode");
    assert!(
        plot.sentence()
            .starts_with("A100 SXM4 80GB, bf16: at most 312\u{202f}TFLOP/s and 2,039 GB/s, so the ridge is at 153")
    );
}

#[test]
fn textbook_kernels_have_the_intensities_of_textbooks() {
    let plot = of(&with(|now| now.dots = Dots::Textbook));
    let found = |id: &str| dot(&plot, id).intensity;
    assert!((found("relu") - 0.25).abs() < 1e-9 && (found("layer_norm") - 2.0).abs() < 1e-9);
    assert!((found("softmax") - 1.25).abs() < 1e-9 && (found("gemm") - 4_096.0 / 3.0).abs() < 1e-6);
    assert_eq!(plot.selected.id, "gemm");
    assert!(plot.sentence().ends_with("5 of 6 textbook kernels wait for memory."));
    let reads = of(&with(|now| {
        now.dots = Dots::Textbook;
        now.accounting = Accounting::ReadsOnly;
    }));
    assert!((dot(&reads, "gemm").intensity - 2_048.0).abs() < 1e-6, "the round figure that drops the output");
    assert!(
        (dot(&reads, "relu").rate - dot(&plot, "relu").rate).abs() < 1.0,
        "counting otherwise makes nothing faster"
    );
}

#[test]
fn an_operation_of_ones_own_reaches_its_share() {
    let plot = of(&with(|now| {
        now.op = [3_000, 1_000];
        now.rate = 2_000;
    }));
    let own = plot.at().expect("the own one is read off first");
    assert_eq!(own.key.to_string(), "own-op");
    assert!((own.rate - 6.117e12).abs() < 1e9);
    assert_eq!(
        plot.reading(Reading::Own),
        "You reach 2.00\u{202f}TFLOP/s: that is 33% of your roof, not of the peak (0.6%)."
    );
    let beyond = of(&with(|now| {
        now.op = [3_000, 1_000];
        now.rate = 7_000;
    }));
    assert!(beyond.reading(Reading::Own).contains("more than this GPU can do"));
}

#[test]
fn more_roofs_are_drawn_when_asked_for() {
    let plot = of(&with(|now| {
        now.precisions = Precisions::All;
        now.versus = [gpus::by_id("h100-sxm"), gpus::by_id("mi300x")];
        now.own_gpu = [1_000_000, 1_000_000];
    }));
    let owners: Vec<Owner> = plot.lines.iter().map(|line| line.owner).collect();
    assert_eq!(owners[0], Owner::Rig);
    assert_eq!(owners.iter().filter(|owner| **owner == Owner::Versus).count(), 2);
    assert_eq!(owners.last(), Some(&Owner::Custom));
    assert_eq!(plot.lines[0].name, "A100 SXM4 80GB, bf16, fp16");
    let custom = plot.lines.last().expect("there are roofs").roof;
    assert!((custom.ridge().0 - 1_000.0).abs() < 1e-9);
}

/// Names of roofs that others run through lie on plates: the names are read, and the roofs are seen.
#[test]
fn a_name_that_a_roof_runs_through_lies_on_a_plate() {
    let plates = |plot: &Plot| {
        let marks = marks(plot, Frame::NARROW);
        let plate = |mark: &&Mark| matches!(mark, Mark::Area { ink, .. } if ink.percent < 100);
        marks.iter().filter(plate).count()
    };
    assert_eq!(plates(&of(&State::default())), 0);
    let near = with(|now| {
        now.versus = [gpus::by_id("h100-sxm"), gpus::by_id("mi300x")];
        now.own_gpu = [600_000, 2_000];
    });
    assert!(plates(&of(&near)) > 0);
}

/// Points that lie on one another stand together, others apart.
#[test]
fn points_on_one_spot_stand_together() {
    let spots = |state: &State| {
        let html = of(state).dots_html();
        let spots = html.split("<g ").skip(1).map(|spot| spot.matches("<circle").count());
        assert_eq!(html.matches("<g ").count(), html.matches("</g>").count());
        spots.collect::<Vec<_>>()
    };
    assert_eq!(spots(&with(|now| now.dots = Dots::Textbook)), [1; 6]);
    // At batch 1 all that reads weights has an intensity of 1.
    assert_eq!(spots(&State::default()), [7, 1, 1]);
}

#[test]
fn the_walk_goes_from_left_to_right_and_the_table_has_every_point() {
    for batch in [1, 64, 4_096] {
        let plot = of(&State { batch, ..State::default() });
        let walk = plot.walk();
        assert!(walk.windows(2).all(|pair| pair[0].intensity <= pair[1].intensity));
        assert_eq!(plot.dots_html().matches("<circle").count(), walk.len());
        assert_eq!(plot.table_html().matches("<tr").count(), plot.dots.len());
        assert_eq!(plot.csv().lines().count(), plot.dots.len() + 1);
        let shares: f64 = plot.dots.iter().filter_map(|dot| dot.share).sum();
        assert!((shares - 1.0).abs() < 1e-9, "{shares}");
    }
}

#[test]
fn ghosts_stay_where_the_passes_were() {
    let before = Plot::ghosts_of(&State::default());
    let look = Look { ghosts: before.clone(), ..Look::default() };
    assert_eq!(Plot::of(&State::default(), &look).ghosts, [], "nothing has moved");
    let now = Plot::of(&State { batch: 64, ..State::default() }, &look);
    assert_eq!(now.ghosts, before);
    assert!(dot(&now, "decode").intensity > before[1].intensity * 10.0);
}

/// The corners of a roof and the points, where the engine says, in both drawings.
#[test]
fn what_is_drawn_stands_where_the_engine_says() {
    for (frame, state) in [(Frame::WIDE, State::default()), (Frame::NARROW, State { batch: 256, ..State::default() })] {
        let plot = of(&state);
        let [left, top, right, bottom] = frame.field();
        let place = |intensity: f64, rate: f64| {
            let (x, y) = plot.place(intensity, rate);
            let x = (left + (right - left) * x / 100.0) * f64::from(frame.width);
            let y = (top + (bottom - top) * y / 100.0) * f64::from(frame.height);
            format!("{},{}", x.round(), y.round())
        };
        let svg = sketch::still(&plot, frame);
        let roof = plot.roof();
        assert!(svg.contains(&place(roof.ridge().0, roof.peak.0)), "the ridge");
        for dot in plot.walk() {
            let (x, y) =
                place(dot.intensity, dot.rate).split_once(',').map(|(x, y)| (x.to_owned(), y.to_owned())).expect("two");
            assert!(svg.contains(&format!("<circle cx=\"{x}\" cy=\"{y}\"")), "{}", dot.name);
        }
        assert!(!svg.contains("NaN") && svg.matches("class=\"").count() > 30);
    }
}

#[test]
fn a_file_of_its_own_has_its_own_colours() {
    let style = Style { frame: Frame::WIDE, colours: [RGBColor(1, 2, 3); 6], family: "Arial".into(), ground: true };
    let svg = sketch::file(&of(&State::default()), &style);
    assert!(svg.starts_with("<svg viewBox=\"0 0 928 522\" xmlns="));
    assert!(svg.contains("#010203") && !svg.contains("class="));
}

/// Everything legal can be drawn: no point leaves the field, no number is none.
#[test]
fn the_far_corners_are_drawn() {
    let mut states = Vec::new();
    for &mode in Mode::ALL {
        for (batch, seq_length) in [(1, 1), (1_000_000, 10_000_000), (1, 10_000_000), (1_000_000, 1)] {
            states.push(State { mode, batch, seq_length, ..State::default() });
        }
    }
    for model in MODELS {
        let mut state = State::default();
        state.choose_model(model);
        state.roofline.pass = Pass::Prefill;
        states.push(state);
    }
    for gpu in GPUS {
        states.push(State { gpu, ..with(|now| now.precisions = Precisions::All) });
    }
    for (op, card) in
        [([1, 1_000_000_000_000_000_000], [1, 9_999_999_999]), ([1_000_000_000_000_000_000, 1], [9_999_999_999, 1])]
    {
        states.push(with(|now| (now.op, now.own_gpu, now.gemm, now.rate) = (op, card, [10_000_000; 3], 1)));
    }
    for state in states {
        let plot = of(&state);
        assert!(plot.x.to > plot.x.from && plot.y.to > plot.y.from);
        for dot in &plot.dots {
            let (x, y) = plot.place(dot.intensity, dot.rate);
            assert!((0.0..=100.0).contains(&x) && (0.0..=100.0).contains(&y), "{}: {x} {y}", dot.name);
            assert!(dot.seconds.is_finite() && dot.rate.is_finite(), "{}", dot.name);
        }
        for frame in [Frame::WIDE, Frame::NARROW, Frame { width: 1, height: 1, scale: 0.1 }] {
            let all = marks(&plot, frame);
            assert!((10..800).contains(&all.len()), "{} shapes", all.len());
            for mark in all {
                if let Mark::Text { text, .. } = mark {
                    assert!(!text.is_empty() && !text.contains("NaN") && !text.contains("inf"), "{text}");
                }
            }
        }
        for text in [plot.sentence(), plot.times(), plot.dots_html(), plot.table_html(), plot.csv()] {
            assert!(!text.contains("NaN") && !text.contains(",inf"), "{text}");
        }
    }
}

#[test]
fn training_is_one_pass() {
    let plot = of(&State { mode: Mode::Training, ..State::default() });
    assert_eq!(plot.passes.len(), 1);
    assert_eq!(plot.selected.to_string(), "pass-training");
    assert!(plot.times().starts_with("A step takes "));
}

#[test]
fn rates_of_a_run_that_does_not_fit_say_so() {
    let said =
        |mode| of(&State { mode, ..State::default() }).times().contains("This run does not fit on A100 SXM4 80GB");
    assert!(!said(Mode::Inference));
    assert!(said(Mode::Training), "7B parameters with 16 bytes each are more than 80 GB");
}
