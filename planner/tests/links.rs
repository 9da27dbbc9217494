//! Plans as links: what is written is read, links once written open for ever, and nothing that comes from outside breaks it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test that fails may panic")]

use memory_wall_core::number::Kilo;
use memory_wall_plan::answers::Spending;
use memory_wall_plan::{OPTIONS, Plan};
use memory_wall_planner::link::{self, Asked, LONGEST, Notice};
use proptest::prelude::*;

/// Links as they were once written. Never change one: it stands in somebody's notes.
const GOLDEN: &str = include_str!("links.txt");

#[test]
fn golden_links_open_for_ever() {
    for line in GOLDEN.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (plans, notices) = link::read(line);
        assert_eq!(notices, [], "{line}");
        assert_eq!(link::write(&plans), line);
    }
}

/// Every option that a link can say is in a golden link.
#[test]
fn every_option_has_a_golden_link() {
    for option in OPTIONS {
        assert!(GOLDEN.contains(&format!("&{}=", option.name)), "{}", option.name);
    }
}

#[test]
fn what_cannot_be_used_is_named_and_the_rest_applies() {
    let (plans, notices) = link::read("?v=1&plan=a&model=llama-3.1-8b&seq=0&colour=red&tp=2&tp=4&plan=b&price=x");
    assert_eq!(plans.len(), 2);
    assert_eq!(
        (plans[0].plan.model().unwrap().id, plans[0].plan.get("tp").unwrap().to_string()),
        ("llama-3.1-8b", "2".into())
    );
    let expected = [
        Notice::Value("seq".into(), "0".into()),
        Notice::Unknown("colour".into()),
        Notice::Twice("tp".into()),
        Notice::Value("price".into(), "x".into()),
    ];
    assert_eq!(notices, expected);
    assert_eq!(link::read("v=2&plan=a").1, [Notice::Version]);
    assert_eq!(link::read("plan=1&plan=2&plan=3&plan=4&plan=5&seq=0").1, [Notice::Many]);
    let long = format!("v=1&plan=a&model=llama-3.1-8b&{}", "x".repeat(LONGEST));
    assert!(link::read(&long).1.contains(&Notice::Long));
    assert_eq!(link::read(&long).0.len(), 1);
}

/// A letter behind a number is 1,000 in a link, as in those of the tutorial.
#[test]
fn numbers_in_links_are_decimal() {
    let (plans, _) = link::read("v=1&plan=&seq=32k");
    assert_eq!(plans[0].plan.get("seq").unwrap().to_string(), "32000");
}

proptest! {
    #[test]
    fn whatever_a_link_says_it_is_read(query in "\\PC{0,300}") {
        let (plans, notices) = link::read(&query);
        prop_assert!(plans.len() <= 4 && notices.len() <= 8);
        // What was understood of it is a link of its own.
        let (again, notices) = link::read(&link::write(&plans));
        prop_assert_eq!(again, plans);
        prop_assert_eq!(notices, []);
    }

    #[test]
    fn mutated_links_are_read(at in 0..400usize, with in any::<u8>()) {
        let line = GOLDEN.lines().rfind(|line| line.starts_with("v=1")).unwrap();
        let mut bytes = line.as_bytes().to_vec();
        let place = at % bytes.len();
        bytes[place] = with;
        let (plans, _) = link::read(&String::from_utf8_lossy(&bytes));
        prop_assert_eq!(link::read(&link::write(&plans)).0, plans);
    }

    #[test]
    fn names_and_sums_come_back(name in "[^\\p{Cc}]{0,80}", price in 1..=9_999_999_999u64, tokens in 1..=1_000_000_000_000_000_000u64) {
        let mut plan = Plan::new(name);
        for option in OPTIONS {
            if let Ok(value) = option.kind.typed("1", Kilo::Decimal) {
                plan.set(option.name, value);
            }
        }
        let asked = [Asked { plan, spending: Spending { price: Some(price), tokens: Some(tokens) } }];
        prop_assert_eq!(link::read(&link::write(&asked)).0, asked);
    }
}
