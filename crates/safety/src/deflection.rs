use crate::{Command, NEUTRAL_ANGULAR, NEUTRAL_LINEAR, Stamp, Velocity};

/// A stick that accelerates from zero beyond what is neutral within this time is deflected, and does not drift \[s].
const SOON: f64 = 0.2;

/// The accelerations of a state, which show what a stick does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Accelerations {
    /// The linear ones \[m/s²], if the state has them.
    pub linear: Option<[f64; 3]>,
    /// The angular ones \[rad/s²], if the state has them.
    pub angular: Option<[f64; 3]>,
}

impl Accelerations {
    /// Whether a stick commands: a zero then holds the vehicle still, and is no release.
    pub fn are_held(self) -> bool {
        self.linear.is_some() || self.angular.is_some()
    }

    /// The command of a state with this `velocity`. A stick that is pushed or reversed passes a velocity of zero, and was not released
    /// there: while it accelerates beyond 0.1 m/s² or 0.25 rad/s², or by what is not a number, a neutral velocity is
    /// [withheld](Command::withheld) motion.
    /// # Source
    /// own
    pub fn command(self, velocity: Velocity, stamp: Stamp) -> Command {
        let withheld = velocity.is_neutral() && self.are_of_a_deflected_stick();
        Command { withheld, ..Command::new(velocity, stamp) }
    }

    fn are_of_a_deflected_stick(self) -> bool {
        let is_still = |parts: Option<[f64; 3]>, limit: f64| {
            parts.unwrap_or_default().iter().all(|part| part.abs() <= limit / SOON)
        };
        !is_still(self.linear, NEUTRAL_LINEAR) || !is_still(self.angular, NEUTRAL_ANGULAR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn withholds(linear: Option<[f64; 3]>, angular: Option<[f64; 3]>) -> bool {
        Accelerations { linear, angular }.command(Velocity::ZERO, Stamp::ZERO).withheld
    }

    #[test]
    fn any_part_beyond_its_limit_is_deflection() {
        assert!(!withholds(None, None));
        assert!(!withholds(Some([0.09, -0.09, 0.0]), Some([0.0, 0.24, -0.24])));
        for at in 0..3 {
            for (linear, angular) in
                [(0.11, 0.0), (-0.11, 0.0), (0.0, 0.26), (0.0, -0.26), (f64::NAN, 0.0), (0.0, f64::NAN)]
            {
                let [mut acc, mut aacc] = [[0.0; 3]; 2];
                (acc[at], aacc[at]) = (linear, angular);
                assert!(withholds(Some(acc), Some(aacc)), "{acc:?} {aacc:?}");
            }
        }
    }
}
