//! What is measured.

use std::time::Duration;

use ros::Error;

use super::arbiters::{ArbiterStep, Setting};
use super::stick::{StickEvent, Until};

/// The measured work, which is repeated.
pub trait Work {
    /// What passes before, which is not measured.
    fn before(&mut self) {}

    /// What is measured.
    fn once(&mut self);

    /// What comes after, which is not measured.
    fn after(&mut self) {}

    /// The least that any program has to do for the same.
    fn floor(&mut self);

    /// Whether it has done what it describes.
    /// # Errors
    /// It did not, so its figures would be meaningless.
    fn check(&self) -> Result<(), Error>;
}

/// A row of the table.
pub struct Case {
    /// As the table calls it.
    pub what: &'static str,
    /// What it should take at most.
    pub goal: Option<Duration>,
    /// How many samples are taken.
    pub samples: usize,
    /// A sample is of so many.
    pub of: u32,
    /// Makes the work.
    pub work: fn() -> Result<Box<dyn Work>, Error>,
}

/// A step is far below a reading of the clock's own time.
const STEPS: u32 = 100;
const SAMPLES: usize = 2000;
const EVENTS: usize = 20_000;

/// All rows, in the order of the table.
pub const CASES: &[Case] = &[
    Case {
        what: "arbiter: who drives, of 2 sources",
        goal: None,
        samples: SAMPLES,
        of: STEPS,
        work: || arbiter(Setting { sources: 2, locks: 0, limited: false, masked: false }),
    },
    Case {
        what: "arbiter: who drives, of 8 sources, 4 locks",
        goal: None,
        samples: SAMPLES,
        of: STEPS,
        work: || arbiter(Setting { sources: 8, locks: 4, limited: false, masked: false }),
    },
    Case {
        what: "arbiter: who drives, of 2 sources, all limits on",
        goal: None,
        samples: SAMPLES,
        of: STEPS,
        work: || arbiter(Setting { sources: 2, locks: 0, limited: true, masked: false }),
    },
    Case {
        what: "arbiter: who is masked, of 2 sources",
        goal: None,
        samples: SAMPLES,
        of: STEPS,
        work: || arbiter(Setting { sources: 2, locks: 0, limited: false, masked: true }),
    },
    Case {
        what: "drive: stick event to motor value",
        goal: Some(Duration::from_micros(5)),
        samples: EVENTS,
        of: 1,
        work: || stick(Until::MotorValue),
    },
    Case {
        what: "drive: stick event until no output is left",
        goal: None,
        samples: EVENTS,
        of: 1,
        work: || stick(Until::Dry),
    },
];

fn arbiter(setting: Setting) -> Result<Box<dyn Work>, Error> {
    Ok(Box::new(ArbiterStep::new(setting)?))
}

fn stick(until: Until) -> Result<Box<dyn Work>, Error> {
    Ok(Box::new(StickEvent::new(until)?))
}
