use core::time::Duration;

use safety::Instant;

/// The servo value for stop.
pub(crate) const STOP: i16 = 90;
/// Counts from stop to full speed: 24 is full forward, 156 full reverse.
const FULL: i16 = 66;

/// Simulates a motor controller with two servo inputs.
///
/// It is the last safety check of the chain and trusts no earlier one: silence on either side stops both wheels, and
/// so does an invalid servo value. With one wheel alone the vehicle would turn on the spot. After either, and after the start,
/// they stay at stop until the last value of both sides is stop: the sender may not know that they stopped.
///
/// # Source
/// own; `docs/motor_controllers.md` requires the same of every node behind the motor topics.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Motors {
    port: Side,
    starboard: Side,
    /// Whether both sides were at stop since the last silence or invalid value.
    may_turn: bool,
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
    /// Stop, until the last value of both sides is stop.
    Waits,
}

#[derive(Clone, Copy, Debug, Default)]
struct Side {
    last: Option<(i16, Instant)>,
}

impl Motors {
    /// Receives a value for the port motor; false if it is invalid. A value is fresh for less than `timeout`.
    pub fn port(&mut self, value: i16, now: Instant, timeout: Duration) -> bool {
        self.drive(now, timeout); // a silence counts, although this value ends it
        self.port.receive(value, now)
    }

    /// Receives a value for the starboard motor; false if it is invalid. A value is fresh for less than `timeout`.
    pub fn starboard(&mut self, value: i16, now: Instant, timeout: Duration) -> bool {
        self.drive(now, timeout);
        self.starboard.receive(value, now)
    }

    /// The command for the wheels at `now`; a value is fresh for less than `timeout`.
    pub fn drive(&mut self, now: Instant, timeout: Duration) -> Drive {
        let fresh = |side: Side| side.last.filter(|&(_, at)| now.since(at) < timeout).map(|(value, _)| value);
        let drive = match (fresh(self.port), fresh(self.starboard)) {
            (Some(port), Some(starboard)) => match (level(port), level(starboard)) {
                (Some(port), Some(starboard)) => Drive::Levels([port, starboard]),
                _ => Drive::Invalid,
            },
            _ => Drive::Silent,
        };
        self.may_turn = match drive {
            Drive::Levels(levels) => self.may_turn || levels == [0.0; 2],
            Drive::Invalid | Drive::Silent | Drive::Waits => false,
        };
        if matches!(drive, Drive::Levels(_)) && !self.may_turn { Drive::Waits } else { drive }
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

    /// Motors that were at stop at the start.
    fn started() -> Motors {
        let mut motors = Motors::default();
        send(&mut motors, STOP, STOP, 0);
        assert_eq!(at(&mut motors, 0), Drive::Levels([0.0; 2]));
        motors
    }

    fn send(motors: &mut Motors, port: i16, starboard: i16, millis: u64) {
        motors.port(port, Instant::from_millis(millis), TIMEOUT);
        motors.starboard(starboard, Instant::from_millis(millis), TIMEOUT);
    }

    fn at(motors: &mut Motors, millis: u64) -> Drive {
        motors.drive(Instant::from_millis(millis), TIMEOUT)
    }

    fn after(port: i16, starboard: i16, millis: u64) -> Drive {
        let mut motors = started();
        send(&mut motors, port, starboard, 0);
        at(&mut motors, millis)
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
        assert_eq!(at(&mut motors, 0), Drive::Silent, "nothing was received");
        motors.port(24, Instant::ZERO, TIMEOUT);
        assert_eq!(at(&mut motors, 0), Drive::Silent, "starboard was never received");
        motors.starboard(24, Instant::from_millis(200), TIMEOUT);
        assert_eq!(at(&mut motors, 300), Drive::Silent, "port is 300 ms old");
    }

    #[test]
    fn an_invalid_servo_value_stops_both() {
        for bad in [23, 157, 0, -1, i16::MIN, i16::MAX] {
            assert_eq!(after(bad, 24, 0), Drive::Invalid, "{bad}");
            assert_eq!(after(24, bad, 0), Drive::Invalid, "{bad}");
            assert!(!Motors::default().port(bad, Instant::ZERO, TIMEOUT));
        }
        assert!(Motors::default().starboard(156, Instant::ZERO, TIMEOUT));
    }

    #[test]
    fn after_a_stop_of_their_own_the_wheels_wait_for_stop_on_both_sides() {
        // At the start; after a silence of both sides, and of one, which the next value hides; after an invalid value.
        let sent = |port, starboard, millis| {
            let mut motors = started();
            send(&mut motors, port, starboard, millis);
            motors
        };
        let mut one_silent = sent(24, 24, 0);
        one_silent.starboard(24, Instant::from_millis(240), TIMEOUT);
        let starts = [
            ("start", Motors::default(), 0),
            ("silence", sent(24, 24, 0), 5_000),
            ("silence of port", one_silent, 250),
            ("an invalid value", sent(24, 23, 0), 20),
        ];
        for (what, mut motors, next) in starts {
            send(&mut motors, 24, 24, next);
            assert_eq!(at(&mut motors, next), Drive::Waits, "{what}");
            send(&mut motors, STOP, 24, next + 20);
            send(&mut motors, 24, STOP, next + 40);
            assert_eq!(at(&mut motors, next + 40), Drive::Waits, "{what}: never both at once");
            send(&mut motors, STOP, STOP, next + 60);
            send(&mut motors, 24, 24, next + 80);
            assert_eq!(at(&mut motors, next + 80), Drive::Levels([1.0; 2]), "{what}");
        }
    }
}
