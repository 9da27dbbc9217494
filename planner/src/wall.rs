//! Walls side by side: the fullest GPU of each plan, all to one scale, with the line of what its GPU has.

use memory_wall_core::{Bucket, Evaluation};
use memory_wall_plan::answers::Answers;

/// A wall. Heights are shares of the drawing, from the top.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Wall {
    /// Upper edge and height of each part, in the order of [`Bucket::EACH`].
    pub(crate) parts: Vec<[f64; 2]>,
    /// The line of the GPU.
    pub(crate) line: Option<f64>,
    /// The line of what a server may take of it, where that is less.
    pub(crate) limit: Option<f64>,
    /// Whether the wall rises above what it may.
    pub(crate) over: bool,
}

/// Room above the tallest of walls and lines, for the label of a line.
const ROOM: f64 = 1.12;

/// What a drawing of all of these is as high as, in bytes.
pub(crate) fn scale<'a>(all: impl Iterator<Item = &'a Answers>) -> f64 {
    let tallest = all.map(|answers| {
        let Evaluation { total, fit, .. } = answers.evaluation;
        total.0.max(fit.map_or(0, |fit| fit.capacity.0))
    });
    tallest.max().unwrap_or(1).max(1) as f64 * ROOM
}

impl Wall {
    /// The wall of a plan.
    pub(crate) fn of(answers: &Answers, scale: f64) -> Self {
        let share = |bytes: u128| bytes as f64 / scale;
        let mut below = 0.0;
        let parts = Bucket::EACH.map(|bucket| {
            let height = share(answers.evaluation.bytes(bucket).0);
            below += height;
            [1.0 - below, height]
        });
        let fit = answers.evaluation.fit;
        let most = fit.map(|fit| if fit.limit.0 > 0 { fit.limit } else { fit.capacity });
        Self {
            parts: parts.to_vec(),
            line: fit.map(|fit| 1.0 - share(fit.capacity.0)),
            limit: most.zip(fit).filter(|(most, fit)| most.0 < fit.capacity.0).map(|(most, _)| 1.0 - share(most.0)),
            over: most.is_some_and(|most| answers.evaluation.total > most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    #[test]
    fn parts_stand_on_each_other_and_all_walls_go_in() {
        let all: Vec<Answers> = Board::default()
            .sheets()
            .iter()
            .map(|sheet| Answers::of(&sheet.asked.plan, sheet.asked.spending).unwrap())
            .collect();
        let scale = scale(all.iter());
        for answers in &all {
            let wall = Wall::of(answers, scale);
            let mut floor = 1.0;
            for [top, height] in &wall.parts {
                assert!((top + height - floor).abs() < 1e-9 && *top >= 0.0);
                floor = *top;
            }
            // vLLM may take less than there is.
            assert!(wall.line.unwrap() < wall.limit.unwrap());
            assert_eq!(wall.over, floor < wall.limit.unwrap());
        }
    }
}
