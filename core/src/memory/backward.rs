//! The backward pass frees activations and fills gradients, so it can be fullest where it begins, where it ends or behind it.

use crate::memory::{activations, gradients};
use crate::scenario::Scenario;
use crate::units::Bytes;
use crate::worked;

/// A moment of the backward pass. In between, memory rises or falls evenly from layer to layer, so that none is fuller than both its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// In the last layer, whose turn is first: nearly all activations are there, and the gradients of the head.
    LastLayer,
    /// In the first layer, whose turn is last: of the activations only its own, of the gradients all but its own and the embedding's.
    FirstLayer,
    /// At the end: all gradients, and what the last operations add.
    End,
}

impl Moment {
    /// Every moment, in order.
    pub const ALL: [Self; 3] = [Self::LastLayer, Self::FirstLayer, Self::End];
}

/// Bytes of gradients and activations at one moment.
pub fn bytes(scenario: &Scenario, moment: Moment) -> [Bytes; 2] {
    [
        worked::total(|sink| gradients::in_backward(scenario, moment, sink)),
        worked::total(|sink| activations::in_backward(scenario, moment, sink)),
    ]
}

/// The fullest moment of the backward pass, and its bytes of gradients and activations.
pub fn fullest(scenario: &Scenario) -> (Moment, [Bytes; 2]) {
    let mut best = (Moment::End, [Bytes::ZERO; 2]);
    let in_place = gradients::before_backward(scenario);
    for moment in Moment::ALL {
        // Where all gradients are there from the start, nothing grows on the way to the first layer.
        if in_place && moment == Moment::FirstLayer {
            continue;
        }
        let parts = bytes(scenario, moment);
        if parts.iter().copied().sum::<Bytes>() > best.1.iter().copied().sum() {
            best = (moment, parts);
        }
    }
    best
}
