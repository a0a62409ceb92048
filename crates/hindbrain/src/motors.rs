use safety::Stamp;

use crate::Params;
use crate::core::{COUNT, FULL};

/// The servo value at which a motor stands.
const STOP: i16 = 90;

/// The values for the two motors: 24 is full forward, 90 stop, 156 full reverse.
///
/// # Source
/// hindbrain, `/motor/port` and `/motor/starboard`: forward is the **lower** number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Motors {
    /// The port motor's servo value, 24 to 156.
    pub port: i16,
    /// The starboard motor's servo value, 24 to 156.
    pub starboard: i16,
    /// The exact levels of port and starboard, forward positive, in 1/[`COUNT`]: the mean of the values, or those of a velocity.
    exact: [i64; 2],
    /// The stamp of the last command that was accepted, carried unchanged; zero before the first.
    pub stamp: Stamp,
}

impl Motors {
    /// Both motors at stop.
    pub const fn stop(stamp: Stamp) -> Self {
        Self { port: STOP, starboard: STOP, exact: [0; 2], stamp }
    }

    /// The values for these levels of port and starboard, forward positive; beyond full is full.
    pub fn from_levels(levels: [i16; 2], stamp: Stamp) -> Self {
        let levels = levels.map(|level| level.clamp(-FULL, FULL));
        Self::new(levels, levels.map(|level| i64::from(level) * COUNT), stamp)
    }

    /// The values for these levels, with their exact ones.
    pub(crate) fn new(levels: [i16; 2], exact: [i64; 2], stamp: Stamp) -> Self {
        let [port, starboard] = levels.map(|level| STOP - level.clamp(-FULL, FULL));
        Self { port, starboard, exact, stamp }
    }

    /// The values for these parts of full of port and starboard, from -1 to 1, forward positive; NaN is a stop.
    pub fn from_shares(shares: [f64; 2], stamp: Stamp) -> Self {
        // Within the range of levels; `as` rounds toward 0, and makes that of NaN.
        Self::from_levels(shares.map(|share| (share.clamp(-1.0, 1.0) * f64::from(FULL)) as i16), stamp)
    }

    /// The levels of port and starboard, -66 to 66, forward positive.
    pub fn levels(&self) -> [i16; 2] {
        [self.port, self.starboard].map(|servo| STOP.saturating_sub(servo).clamp(-FULL, FULL))
    }

    /// Whether both motors are at stop.
    pub fn are_stopped(&self) -> bool {
        self.levels() == [0, 0]
    }

    /// The velocity of these values, in the mean over 1.6 s: forward [m/s] and turn [rad/s], counter-clockwise positive.
    pub fn velocity(&self, params: &Params) -> (f64, f64) {
        let full = &params.full_speed;
        let [port, starboard] = self.exact.map(|level| level as f64 / (COUNT * i64::from(FULL)) as f64);
        ((port + starboard) / 2.0 * full.linear, (starboard - port) / 2.0 * full.angular)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use safety::FullSpeed;

    #[test]
    fn forward_is_the_lower_number() {
        assert_eq!(
            Motors::from_levels([66, -66], Stamp::ZERO),
            Motors { port: 24, starboard: 156, exact: [66 * COUNT, -66 * COUNT], stamp: Stamp::ZERO }
        );
        assert!(Motors::stop(Stamp::ZERO).are_stopped());
    }

    #[test]
    fn shares_of_full_become_values_that_are_no_further_from_a_stop() {
        let values = |port, starboard| {
            let motors = Motors::from_shares([port, starboard], Stamp::ZERO);
            (motors.port, motors.starboard)
        };
        assert_eq!(values(1.0, -1.0), (24, 156));
        assert_eq!(values(2.0, f64::NEG_INFINITY), (24, 156), "beyond full is full");
        // 66 · 0.5 = 33; 66 · 0.02 = 1.32.
        assert_eq!((values(0.5, 0.0), values(-0.02, 0.015)), ((57, 90), (91, 90)));
        assert_eq!(values(f64::NAN, -0.0), (90, 90));
    }

    #[test]
    fn one_turning_motor_is_not_a_stop() {
        for levels in [[1, 0], [0, 1], [-1, 0], [0, -1], [66, -66]] {
            assert!(!Motors::from_levels(levels, Stamp::ZERO).are_stopped(), "{levels:?}");
        }
    }

    #[test]
    fn no_level_leaves_the_servo_range() {
        for level in [i16::MIN, -67, 67, i16::MAX] {
            let motors = Motors::from_levels([level, level], Stamp::ZERO);
            assert!((24..=156).contains(&motors.port) && motors.port == motors.starboard);
            let _ = Motors { port: level, starboard: level, ..Motors::stop(Stamp::ZERO) }.levels();
        }
    }

    #[test]
    fn values_convert_to_a_velocity() {
        let params = Params { full_speed: FullSpeed { linear: 2.0, angular: 3.0 }, ..Params::default() };
        let velocity = |port: i16, starboard: i16| {
            Motors::from_levels([90 - port, 90 - starboard], Stamp::ZERO).velocity(&params)
        };
        assert_eq!(velocity(24, 24), (2.0, 0.0));
        // Port backward, starboard forward: a turn to the left.
        assert_eq!(velocity(156, 24), (0.0, 3.0));
        // Port half, starboard stopped: (0.5 + 0) / 2 of 2 m/s and (0 - 0.5) / 2 of 3 rad/s.
        assert_eq!(velocity(57, 90), (0.5, -0.75));
    }
}
