//! Walls side by side: the fullest GPU of each plan, all to one scale, with the line of what its GPU has.

use memory_wall_core::{Bucket, Verdict};
use memory_wall_plan::reply::Reply;

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
pub(crate) fn scale<'a>(all: impl Iterator<Item = &'a Reply>) -> f64 {
    let tallest = all.map(|reply| reply.total().max(reply.capacity().unwrap_or_default()));
    tallest.max().map_or(1, |bytes| bytes.0).max(1) as f64 * ROOM
}

impl Wall {
    /// The wall of a plan.
    pub(crate) fn of(reply: &Reply, scale: f64) -> Self {
        let share = |bytes: u128| bytes as f64 / scale;
        let mut below = 0.0;
        let parts = Bucket::EACH.map(|bucket| {
            let height = share(reply.bytes(bucket).0);
            below += height;
            [1.0 - below, height]
        });
        let over = match reply {
            Reply::Engine(_) => reply.limit().or_else(|| reply.capacity()).is_some_and(|most| reply.total() > most),
            // Their parts are drawn by the upper ends of their ranges.
            _ => matches!(reply.verdict(), Some(Verdict::Queues | Verdict::DoesNotFit)),
        };
        Self {
            parts: parts.to_vec(),
            line: reply.capacity().map(|capacity| 1.0 - share(capacity.0)),
            limit: reply.limit().map(|limit| 1.0 - share(limit.0)),
            over,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    #[test]
    fn parts_stand_on_each_other_and_all_walls_go_in() {
        let all: Vec<Reply> = Board::default()
            .sheets()
            .iter()
            .map(|sheet| Reply::of(&sheet.asked.plan, sheet.asked.spending).unwrap())
            .collect();
        let scale = scale(all.iter());
        for reply in &all {
            let wall = Wall::of(reply, scale);
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
