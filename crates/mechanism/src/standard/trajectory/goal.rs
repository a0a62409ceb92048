use core::time::Duration;

/// The greatest distances from the desired positions \[rad or m\]; infinite for any.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// On the way.
    pub path: f64,
    /// At the end, no later than `time` after the trajectory's end.
    pub goal: f64,
    /// The time for which the end is awaited.
    pub time: Duration,
}

/// How the last trajectory ended, if it did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Goal {
    /// There was none since the start.
    #[default]
    None,
    /// It was stopped on its way.
    Stopped,
    /// It is being followed.
    Active,
    /// Its end was reached.
    Reached,
    /// It was refused when it came, and changed nothing.
    Refused {
        /// The joint that is too far from it.
        violation: Violation,
        /// How long it was until its start, by its stamp.
        start: Duration,
    },
    /// A joint left its tolerance on the way.
    PathViolated(Violation),
    /// A joint left its tolerance while the end was held; the joints are held where they were then.
    Displaced(Violation),
    /// A joint was not within its tolerance at the end.
    GoalMissed(Violation),
    /// The motors were halted.
    Halted,
}

/// A joint that is not within its tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Violation {
    /// Its index in the controller.
    pub joint: usize,
    /// Which quantity is too far from the desired value.
    pub quantity: Quantity,
    /// The desired value minus the measured one, in the unit of the quantity.
    pub error: f64,
    /// The greatest distance, in the same unit.
    pub tolerance: f64,
}

/// A quantity that has a tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// \[rad or m\]
    Position,
    /// \[rad/s or m/s\]
    Velocity,
    /// The planned speed to the first point, and the joint's limit, instead of an error and a tolerance \[rad/s or m/s\].
    Speed,
}
