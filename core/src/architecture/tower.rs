//! What turns images into tokens beside a language model.

/// A vision model with its projector, which servers load with the language model and pass an image through while they start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tower {
    /// Its parameters, in 16 bits whatever the format of the weights.
    pub parameters: u32,
    /// Tokens of the largest image.
    pub tokens: u32,
    /// Values of its pixels.
    pub values: u32,
    /// Outputs of layers within it that go to layers of the language model, beside that of the last (`DeepStack`).
    pub levels: u16,
    /// Width of its layers, where it is known what a pass over its largest image takes; 0 elsewhere.
    pub width: u16,
}
