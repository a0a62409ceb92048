//! How long a pair of motors runs.

use std::time::Duration;

/// How long SDL is told to run motors at most before it is told again.
///
/// SDL would run them for 65.535 s at most, however long is asked. A short time is told again and again instead, so that
/// they stop soon should nobody tell them to.
const TOLD: Duration = Duration::from_secs(2);
/// When SDL is told again.
const AGAIN: Duration = Duration::from_secs(1);

/// A pair of motors, and until when they run. Times are since some origin.
#[derive(Debug, Default)]
pub(crate) struct Motors {
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    strengths: (u16, u16),
    /// When they stop; `None`: so far away that no clock reaches it.
    until: Option<Duration>,
    told: Duration,
}

/// What SDL is to be told: two strengths, 0 to 65535, and for how long \[ms]; both 0 is stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Drive {
    pub(crate) strengths: (u16, u16),
    pub(crate) milliseconds: u32,
}

impl Drive {
    const STOP: Drive = Drive { strengths: (0, 0), milliseconds: 0 };

    fn run(strengths: (u16, u16)) -> Drive {
        Drive { strengths, milliseconds: u32::try_from(TOLD.as_millis()).unwrap_or(u32::MAX) }
    }
}

impl Motors {
    /// Starts anew, whatever ran before. No strength or no time is a stop.
    pub(crate) fn start(&mut self, now: Duration, strengths: (u16, u16), time: Duration) -> Drive {
        if strengths == (0, 0) || time.is_zero() {
            self.running = None;
            return Drive::STOP;
        }
        self.running = Some(Running { strengths, until: now.checked_add(time), told: now });
        Drive::run(strengths)
    }

    /// What SDL has to be told by now, if anything.
    pub(crate) fn tend(&mut self, now: Duration) -> Option<Drive> {
        let running = self.running.as_mut()?;
        if running.until.is_some_and(|until| now >= until) {
            self.running = None;
            return Some(Drive::STOP);
        }
        if now.saturating_sub(running.told) < AGAIN {
            return None;
        }
        running.told = now;
        Some(Drive::run(running.strengths))
    }

    /// Forgets what runs; true if something did.
    pub(crate) fn forget(&mut self) -> bool {
        self.running.take().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    const ON: Drive = Drive { strengths: (1, 2), milliseconds: 2000 };

    #[test]
    fn motors_stop_when_their_time_is_over() {
        let mut motors = Motors::default();
        assert_eq!(motors.start(ms(100), (1, 2), ms(300)), ON);
        assert_eq!(motors.tend(ms(399)), None);
        assert_eq!(motors.tend(ms(400)), Some(Drive::STOP)); // 100 + 300
        assert_eq!(motors.tend(ms(401)), None);
    }

    #[test]
    fn a_long_time_is_told_in_short_pieces() {
        let mut motors = Motors::default();
        motors.start(ms(0), (1, 2), ms(70_000)); // longer than SDL's 65.535 s
        // Once a second, at the whole ones, 1 s to 69 s; the stop comes at 70 s.
        let told: Vec<_> =
            (1..=70_010).filter_map(|now| motors.tend(ms(now)).map(|drive| (now, drive))).collect();
        let expected = (1..70).map(|second| (1000 * second, ON)).chain([(70_000, Drive::STOP)]);
        assert_eq!(told, expected.collect::<Vec<_>>());
    }

    #[test]
    fn each_piece_is_over_before_the_time_that_sdl_was_told() {
        assert!(AGAIN < TOLD);
    }

    #[test]
    fn a_new_start_replaces_the_old_one() {
        let mut motors = Motors::default();
        motors.start(ms(0), (9, 9), ms(100));
        motors.start(ms(50), (1, 2), ms(100));
        assert_eq!(motors.tend(ms(100)), None);
        assert_eq!(motors.tend(ms(150)), Some(Drive::STOP));
    }

    #[test]
    fn no_strength_and_no_time_are_stops() {
        let mut motors = Motors::default();
        motors.start(ms(0), (1, 2), ms(100));
        assert_eq!(motors.start(ms(1), (0, 0), ms(100)), Drive::STOP);
        assert_eq!(motors.tend(ms(200)), None);
        assert_eq!(motors.start(ms(1), (1, 2), Duration::ZERO), Drive::STOP);
        assert!(!motors.forget());
    }

    #[test]
    fn a_time_beyond_every_clock_does_not_wrap() {
        let mut motors = Motors::default();
        assert_eq!(motors.start(ms(1000), (1, 2), Duration::MAX), ON);
        assert_eq!(motors.tend(ms(2000)), Some(ON));
        assert!(motors.forget());
    }
}
