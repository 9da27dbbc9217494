use memory_wall_core::advise::Mitigation;

use super::ROUND;
use super::view::PAIRS;

#[test]
fn the_answers_are_in_the_order_of_the_engine() {
    let place = |rung: Mitigation| Mitigation::ALL.iter().position(|known| *known == rung).unwrap();
    for (question, [former, latter]) in PAIRS {
        let first = if place(former) < place(latter) { "former" } else { "latter" };
        assert_eq!((ROUND.answer)(question), Some(first), "{question}");
        assert!(ROUND.questions.contains(&question));
    }
    assert_eq!(PAIRS.len(), ROUND.questions.len());
}
