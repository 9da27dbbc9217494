//! Whether a scenario goes on its GPU, in one word.

choices! {
    /// Whether a scenario goes on its GPU, from the best to the worst.
    Verdict {
        /// With more than a tenth of the GPU to spare.
        Fits = "fits";
        /// By calculation, but with less to spare than an allocator was seen to lose to fragmentation.
        Tight = "tight";
        /// A server starts, but its pool holds fewer requests at once than were asked for: the others wait.
        Queues = "queues";
        /// Not even by calculation.
        DoesNotFit = "does_not_fit";
    }
}

impl Verdict {
    /// Whether all that was asked for goes in at once, however tightly.
    #[must_use]
    pub const fn holds(self) -> bool {
        matches!(self, Self::Fits | Self::Tight)
    }

    /// The worse of two.
    #[must_use]
    pub const fn worse(self, other: Self) -> Self {
        if other as u8 > self as u8 { other } else { self }
    }
}
