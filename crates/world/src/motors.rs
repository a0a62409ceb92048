use core::time::Duration;

use units::Instant;

/// The servo value for stop.
pub(crate) const STOP: i16 = 90;
/// Counts from stop to full speed: 24 is full forward, 156 full reverse.
const FULL: i16 = 66;

/// Simulates a motor controller with two servo inputs.
///
/// It is the last safety check of the chain and trusts no earlier one: silence on either side stops both wheels, and
/// so does an invalid servo value, until that side sends a valid one. With one wheel alone the vehicle would turn on
/// the spot.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Motors {
    port: Side,
    starboard: Side,
}

/// The command for the wheels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Drive {
    /// Turn with these parts of full speed, port and starboard, each in \[-1, 1\], forward positive.
    Levels([f64; 2]),
    /// Stop, because the last value of one side is invalid.
    Invalid,
    /// Stop, because one side has been silent for too long, or was never received.
    Silent,
}

#[derive(Clone, Copy, Debug, Default)]
struct Side {
    last: Option<(i16, Instant)>,
}

impl Motors {
    /// Receives a value for the port motor; false if it is invalid.
    pub fn port(&mut self, value: i16, now: Instant) -> bool {
        self.port.receive(value, now)
    }

    /// Receives a value for the starboard motor; false if it is invalid.
    pub fn starboard(&mut self, value: i16, now: Instant) -> bool {
        self.starboard.receive(value, now)
    }

    /// The command for the wheels at `now`; a value is valid for `timeout`.
    pub fn drive(&self, now: Instant, timeout: Duration) -> Drive {
        let fresh = |side: Side| side.last.filter(|&(_, at)| now.since(at) < timeout).map(|(value, _)| value);
        match (fresh(self.port), fresh(self.starboard)) {
            (Some(port), Some(starboard)) => match (level(port), level(starboard)) {
                (Some(port), Some(starboard)) => Drive::Levels([port, starboard]),
                _ => Drive::Invalid,
            },
            _ => Drive::Silent,
        }
    }

    /// The last received values, port and starboard; stop if there is none.
    pub fn last(&self) -> [i16; 2] {
        [self.port, self.starboard].map(|side| side.last.map_or(STOP, |(value, _)| value))
    }
}

impl Side {
    fn receive(&mut self, value: i16, now: Instant) -> bool {
        self.last = Some((value, now));
        level(value).is_some()
    }
}

/// The part of full speed for a servo value, forward positive; `None` for an invalid value.
fn level(value: i16) -> Option<f64> {
    (STOP - FULL..=STOP + FULL).contains(&value).then(|| f64::from(STOP - value) / f64::from(FULL))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_millis(250);

    fn after(port: i16, starboard: i16, millis: u64) -> Drive {
        let mut motors = Motors::default();
        motors.port(port, Instant::ZERO);
        motors.starboard(starboard, Instant::ZERO);
        motors.drive(Instant::from_millis(millis), TIMEOUT)
    }

    #[test]
    fn forward_is_the_lower_number() {
        assert_eq!(after(24, 156, 0), Drive::Levels([1.0, -1.0]));
        // (90 - 57) / 66 = 0.5
        assert_eq!(after(57, 90, 0), Drive::Levels([0.5, 0.0]));
    }

    #[test]
    fn silence_on_either_side_stops_both() {
        assert_eq!(after(24, 24, 249), Drive::Levels([1.0, 1.0]));
        assert_eq!(after(24, 24, 250), Drive::Silent);
        let mut motors = Motors::default();
        assert_eq!(motors.drive(Instant::ZERO, TIMEOUT), Drive::Silent, "nobody has spoken");
        motors.port(24, Instant::ZERO);
        assert_eq!(motors.drive(Instant::ZERO, TIMEOUT), Drive::Silent, "starboard never spoke");
        motors.starboard(24, Instant::from_millis(200));
        assert_eq!(motors.drive(Instant::from_millis(300), TIMEOUT), Drive::Silent, "port is 300 ms old");
    }

    #[test]
    fn an_invalid_servo_value_stops_both() {
        for bad in [23, 157, 0, -1, i16::MIN, i16::MAX] {
            assert_eq!(after(bad, 24, 0), Drive::Invalid, "{bad}");
            assert_eq!(after(24, bad, 0), Drive::Invalid, "{bad}");
            assert!(!Motors::default().port(bad, Instant::ZERO));
        }
        assert!(Motors::default().starboard(156, Instant::ZERO));
    }
}
