use leptos::prelude::RenderHtml as _;
use memory_wall_core::advise::{Idle, ladder as rungs_of};

use super::view::{JOBS, Job, size};
use crate::words;

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
    let prices = [words::ladder_way_other(), words::ladder_way_gpu(), words::ladder_way_lossy()];
    let places = prices.map(|price| place(&serve, &format!("<strong>{price}</strong>")));
    assert!(places.is_sorted(), "{serve}");
    for job in 0..JOBS.len() {
        let html = said(job);
        assert!(html.contains("it fits") && !html.contains("it fits, barely"), "{html}");
        assert!(!html.contains(words::ladder_way_slow()), "{html}");
    }
}

#[test]
fn the_page_in_english_gives_the_reasons_of_the_command() {
    for reason in Idle::ALL {
        assert_eq!(words::idle(*reason), reason.sentence());
    }
}
