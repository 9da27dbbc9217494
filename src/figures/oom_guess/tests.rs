use super::ROUND;

#[test]
fn the_answer_is_the_engines() {
    assert_eq!((ROUND.answer)("peak-line"), Some("5"));
}
