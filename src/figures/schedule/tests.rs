use leptos::prelude::RenderHtml as _;

use super::view::{lines, saved, view};

#[test]
fn every_block_is_drawn_and_every_stage_with_what_it_holds() {
    let html = view().to_html();
    // Eight micro-batches of six ticks on four stages, in each of three schedules.
    let runs = html.split(".5h").skip(1).filter_map(|rest| rest.split(['M', '"']).next()?.parse::<u32>().ok());
    assert_eq!(runs.sum::<u32>(), 3 * 4 * 8 * 6);
    let numbers = html.split("<text").skip(1).filter_map(|rest| rest.split_once('>')?.1.split_once('<'));
    let digits: usize = numbers.map(|(text, _)| text.len()).sum();
    // The blocks of the third schedule are too narrow for numbers.
    assert_eq!(digits, 2 * 4 * 8 * (1 + 1));
    for text in ["idle 27% of the time", "idle 16% of the time", "5.5"] {
        assert!(html.contains(text), "{text}: {html}");
    }
    assert_eq!(lines().count(), 3);
}

#[test]
fn a_micro_batch_saves_34_bytes_for_each_value_of_its_width_in_each_layer() {
    let (model, tokens, bytes) = saved().unwrap();
    let values = u128::from(tokens) * u128::from(model.architecture.hidden_size) * 8;
    let each = bytes.0 as f64 / values as f64;
    assert!((25.0..40.0).contains(&each), "{each}");
}
