use core::fmt;

use crate::{Course, Driver, Fault, Motion, Setup};

/// One to three faults at the same time, their duration, and their required course.
///
/// Each fault begins at its own time, for a while all of them are present, and then each ends at its own time.
#[derive(Clone, Debug, PartialEq)]
pub struct Episode {
    /// The source that drives.
    pub driver: Driver,
    /// Faults of the episode.
    pub faults: Vec<Occurrence>,
    /// How long all faults are present together \[s\].
    pub lasts: f64,
    /// Whether a person tries every action meanwhile, without effect; the episode lasts that much longer.
    pub insists: bool,
}

/// A fault in an episode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Occurrence {
    /// Fault that occurs.
    pub fault: Fault,
    /// The required course.
    pub course: Course,
    /// When it begins, after the beginning of the episode \[s\].
    pub begins: f64,
    /// When it ends, after the end of the time at which all faults were present \[s\].
    pub ends: f64,
}

impl Occurrence {
    /// A fault that is present from the beginning to the end.
    pub fn new(fault: Fault, driver: Driver, setup: Setup) -> Self {
        Self { fault, course: Course::of(&fault, driver, setup), begins: 0.0, ends: 0.0 }
    }
}

impl Episode {
    /// Whether the vehicle drives on through all faults.
    pub fn goes(&self) -> bool {
        self.faults.iter().all(|one| one.course.goes())
    }

    /// How much later than usual everything is detected \[s\].
    pub(crate) fn late(&self) -> f64 {
        if self.faults.len() < 2 {
            return 0.0; // its own course includes it
        }
        self.faults.iter().map(|one| one.fault.holds()).sum::<u64>() as f64 / 1000.0
    }

    /// Whether `one` of the faults certainly needs its recovery steps. If it needs them only when it meets motion, no other
    /// fault may have begun before it met motion, and no release may have come before it met motion again.
    pub(crate) fn is_certain(&self, one: &Occurrence) -> bool {
        let bound = if let Motion::Stops(bound) = one.course.during { bound } else { 0.0 };
        let met = one.begins + bound + self.late();
        let mut others = self.faults.iter().filter(|other| !core::ptr::eq(one, *other));
        // Releasing the button commands a zero, and a flickering switch is switched on.
        let is_among = |found: fn(&Fault) -> bool| others.clone().any(|other| found(&other.fault));
        let needs = &one.course.needs;
        let is_enabled =
            !needs.enable || !needs.reset && is_among(|fault| matches!(fault, Fault::EnableFlickers { .. }));
        let is_said = is_enabled && is_among(|fault| *fault == Fault::ButtonLetGo);
        let is_met = others.all(|other| other.course.goes() || !self.insists && other.begins > met);
        !is_said && (is_met || !one.fault.needs_motion())
    }
}

/// The form in which a failure is reported.
impl fmt::Display for Episode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { driver, faults, lasts, insists } = self;
        for Occurrence { fault, begins, ends, .. } in faults {
            write!(f, "{fault:?} from {begins:.2} s")?;
            if faults.len() > 1 {
                write!(f, " to {ends:.2} s after")?;
            }
            f.write_str(", ")?;
        }
        write!(f, "while {driver:?} drives, for {lasts:.3} s{}", if *insists { ", insisting" } else { "" })
    }
}
