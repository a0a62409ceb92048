use core::fmt;

use crate::{Course, Driver, Fault};

/// One fault, how long it lasts, and what must come of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Episode {
    /// Who drives.
    pub driver: Driver,
    /// What goes wrong.
    pub fault: Fault,
    /// For how long \[s\]; longer than its bound.
    pub lasts: f64,
    /// Whether a person does meanwhile all that a person can do, for nothing; it lasts as much longer.
    pub insists: bool,
    /// What must come of it.
    pub course: Course,
}

/// As one line of `key=value`, for other languages.
impl fmt::Display for Episode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { driver, fault, lasts, insists, course } = self;
        write!(f, "{fault} driver={driver} lasts={lasts:.3} insists={insists} {course}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ending, Rival, Setup};

    fn line(fault: Fault, setup: Setup) -> String {
        let driver = Driver::Navigation;
        let course = Course::of(&fault, driver, setup);
        Episode { driver, fault, lasts: 1.0, insists: false, course }.to_string()
    }

    #[test]
    fn an_episode_is_a_line() {
        let fault = Fault::Infrared { starboard: true, rate: 20.0, share: 0.25, invalid: false };
        assert_eq!(
            line(fault, Setup::Hindbrain),
            "infrared starboard=true rate=20.000 share=0.250 invalid=false driver=navigation lasts=1.000 \
             insists=false during=0.020 after=0.000 resumes=none clears=zero"
        );
        let fault = Fault::Takeover { by: Rival::Stick, ends: Ending::LetsGo, gap: false };
        assert_eq!(
            line(fault, Setup::Apart),
            "takeover by=stick ends=lets_go gap=false driver=navigation lasts=1.000 \
             insists=false during=goes after=0.350 resumes=0.500 clears=itself"
        );
    }
}
