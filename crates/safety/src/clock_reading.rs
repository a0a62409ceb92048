use crate::Stamp;

/// A reading of the clock that stamps are compared with: the wall clock, or `/clock` in simulated time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClockReading {
    /// The time that it shows; [zero](Stamp::ZERO) if it has shown none.
    pub stamp: Stamp,
    /// Whether ages follow from it. Otherwise [nothing that is stamped counts](crate::Stale::NoTime).
    pub is_reliable: bool,
}

impl From<Stamp> for ClockReading {
    fn from(stamp: Stamp) -> Self {
        Self { stamp, is_reliable: true }
    }
}
