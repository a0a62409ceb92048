use core::time::Duration;
use std::collections::BTreeSet;

use ros::Latency;
use safety::{Instant, Stamp};

/// A stage between the stick and the motors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // they are the nodes
pub enum Stage {
    Joystick,
    VelocityArbiter,
    ZoneScaler,
    Hindbrain,
}

impl Stage {
    /// All of them, in the order in which a command passes them.
    pub const ALL: [Self; 4] = [Self::Joystick, Self::VelocityArbiter, Self::ZoneScaler, Self::Hindbrain];

    /// The node's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Joystick => "joystick",
            Self::VelocityArbiter => "velocity_arbiter",
            Self::ZoneScaler => "zone_scaler",
            Self::Hindbrain => "hindbrain",
        }
    }

    /// The topic of its command.
    pub const fn topic(self) -> &'static str {
        match self {
            Self::Joystick => "joystick/desired",
            Self::VelocityArbiter => "cmd_vel_arbitrated",
            Self::ZoneScaler => "cmd_vel",
            Self::Hindbrain => "hind/applied",
        }
    }
}

/// The name of the arbiter's source for the stick.
pub const JOYSTICK: &str = "joystick";

/// The statistics of one stage.
///
/// Rate and latency are those of new events while the stick drives: commands of other sources have no stick event, and a
/// repeated stamp shows how long no new event came, not the latency.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// Messages since the start, from any source.
    pub messages: u64,
    /// From the stick's event to the receipt here.
    pub latency: Latency,
    /// The states that the stage reported.
    pub states: BTreeSet<String>,
    last_stamp: Stamp,
    last: Option<Instant>,
    intervals: u64,
    active_time: Duration,
}

/// A longer silence is a pause, which is not part of the rate.
const PAUSE: Duration = Duration::from_millis(100);

impl Traffic {
    /// Records a command with `stamp` that was received at `now`, with `clock` as the wall clock; `by_stick`: whether the
    /// stick drives.
    pub fn receive(&mut self, now: Instant, clock: Stamp, stamp: Stamp, by_stick: bool) {
        self.messages += 1;
        if !by_stick || stamp <= self.last_stamp {
            self.last = None;
            return;
        }
        self.last_stamp = stamp;
        self.latency.record(stamp, clock);
        if let Some(interval) = self.last.map(|last| now.since(last)).filter(|interval| *interval < PAUSE) {
            self.intervals += 1;
            self.active_time += interval;
        }
        self.last = Some(now);
    }

    /// Records a state of the stage.
    pub fn add_state(&mut self, state: &str) {
        if !self.states.contains(state) {
            self.states.insert(state.into());
        }
    }

    /// The rate of new events, without pauses \[Hz\]; `None` before there were two.
    pub fn rate(&self) -> Option<f64> {
        (!self.active_time.is_zero()).then(|| self.intervals as f64 / self.active_time.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(millis: u32) -> Stamp {
        Stamp { sec: 1, nanosec: millis * 1_000_000 }
    }

    #[test]
    fn a_pause_is_not_part_of_the_rate() {
        let mut traffic = Traffic::default();
        assert_eq!(traffic.rate(), None);
        for millis in [0, 5, 10, 15, 20, 500, 505, 510] {
            traffic.receive(Instant::from_millis(millis), stamp(600), stamp(1 + millis as u32), true);
        }
        // Six intervals of 5 ms: 200 Hz.
        assert_eq!(traffic.rate().map(f64::round), Some(200.0));
        assert_eq!(traffic.messages, 8);
    }

    #[test]
    fn only_the_first_message_of_an_event_and_only_the_stick_have_a_latency() {
        let mut traffic = Traffic::default();
        traffic.receive(Instant::from_millis(1), stamp(12), stamp(10), true);
        traffic.receive(Instant::from_millis(2), stamp(90), stamp(10), true);
        traffic.receive(Instant::from_millis(3), stamp(99), stamp(20), false);
        let quantiles = traffic.latency.quantiles().unwrap();
        // 12 ms - 10 ms = 2000 us
        assert_eq!((quantiles.total, quantiles.max), (1, 2000.0));
        assert_eq!(traffic.messages, 3);
    }
}
