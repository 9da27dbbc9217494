//! The speeds that the tutorial shows are those of the measured rows.

#![allow(clippy::unwrap_used, reason = "a row that is missing is a failure")]

use memory_wall_accuracy::csv::File;
use memory_wall_core::published::SPEEDS;
use memory_wall_core::roofline::Pass;

#[test]
fn every_speed_is_copied_from_its_row() {
    let file = File::read(include_str!("../data/speed.csv"));
    for speed in SPEEDS {
        let row = file.rows().find(|row| row.text("row_id") == speed.row).unwrap();
        assert_eq!(row.text("value").parse(), Ok(speed.measured), "{}", speed.row);
        for (column, said) in [
            ("model_id", speed.model),
            ("gpu_id", speed.gpu),
            ("weight_dtype", speed.weights.id()),
            ("phase", speed.pass.id()),
            ("n_gpus", "1"),
            ("batch", "1"),
            ("use", "threshold"),
        ] {
            assert_eq!(row.text(column), said, "{}, {column}", speed.row);
        }
        let column = if speed.pass == Pass::Prefill { "prompt_tokens" } else { "context_tokens_mid" };
        assert_eq!(row.text(column), speed.tokens.to_string(), "{}", speed.row);
    }
}
