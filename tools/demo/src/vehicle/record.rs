use core::time::Duration;

use safety::Instant;

use crate::vehicle::course::Step;

/// The changes during the course, in the order of their observation.
#[derive(Clone, Debug, Default)]
pub struct Record(Vec<(Instant, Change)>);

/// A state that changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The course reached this step.
    Step(Step),
    /// The values of both motors, port and starboard.
    Motors([i16; 2]),
    /// hindbrain's state.
    State(String),
    /// The source that drives.
    Source(String),
    /// How far the robot has travelled since it was first seen \[m\].
    Travelled(f64),
}

/// The servo values of both motors at stop.
pub const STAND: [i16; 2] = [90, 90];

impl Record {
    /// Records a change.
    pub fn push(&mut self, now: Instant, change: Change) {
        self.0.push((now, change));
    }

    /// All changes.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &(Instant, Change)> {
        self.0.iter()
    }

    /// The latest value that `pick` selects, no later than `time`.
    fn last<'a, T>(&'a self, time: Instant, pick: impl Fn(&'a Change) -> Option<T>) -> Option<T> {
        let until = self.iter().rev().skip_while(|(at, _)| *at > time);
        until.map(|(_, change)| change).find_map(pick)
    }

    /// When `step` began.
    pub fn began(&self, step: Step) -> Option<Instant> {
        self.iter().find(|(_, change)| *change == Change::Step(step)).map(|(at, _)| *at)
    }

    /// hindbrain's state at `time`.
    pub fn state_at(&self, time: Instant) -> Option<&str> {
        self.last(time, |change| if let Change::State(state) = change { Some(state.as_str()) } else { None })
    }

    /// How far the robot had travelled at `time` \[m\]; zero before it was observed.
    pub fn travelled_at(&self, time: Instant) -> f64 {
        let travelled = |change: &Change| if let Change::Travelled(far) = change { Some(*far) } else { None };
        self.last(time, travelled).unwrap_or_default()
    }

    /// How far the robot travelled in a time while `source` drove \[m\].
    pub fn travelled_by(&self, source: &str, from: Instant, to: Instant) -> f64 {
        let mut driven = 0.0;
        let mut drives = None;
        for (at, change) in self.iter().filter(|(at, _)| *at < to) {
            if let Change::Source(name) = change {
                driven +=
                    drives.take().map_or(0.0, |since| self.travelled_at(*at) - self.travelled_at(since));
                drives = (name == source).then_some((*at).max(from));
            }
        }
        (driven + drives.map_or(0.0, |since| self.travelled_at(to) - self.travelled_at(since))).max(0.0)
    }

    /// When and at which values the motors first did not stand between `from` and `to`, including the values in force at
    /// `from`.
    pub fn moving(&self, from: Instant, to: Instant) -> Option<(Instant, [i16; 2])> {
        let motors = |change: &Change| if let Change::Motors(values) = change { Some(*values) } else { None };
        if let Some(values) = self.last(from, motors).filter(|values| *values != STAND) {
            return Some((from, values));
        }
        let within = self.iter().filter(|(at, _)| from < *at && *at < to);
        within.filter_map(|(at, change)| Some((*at, motors(change)?))).find(|(_, values)| *values != STAND)
    }

    /// How long after `from` the motors stood for the rest of the time up to `to`; `None` if they still moved then.
    pub fn stopped_after(&self, from: Instant, to: Instant) -> Option<Duration> {
        let mut standing = self.moving(from, from).is_none().then_some(from);
        for (at, change) in self.iter().filter(|(at, _)| from < *at && *at < to) {
            if let Change::Motors(values) = change {
                standing = if *values == STAND { standing.or(Some(*at)) } else { None };
            }
        }
        standing.map(|at| at.since(from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    fn record(changes: impl IntoIterator<Item = (u64, Change)>) -> Record {
        let mut record = Record::default();
        changes.into_iter().for_each(|(millis, change)| record.push(at(millis), change));
        record
    }

    #[test]
    fn the_values_in_force_at_the_beginning_count() {
        let record = record([(0, Change::Motors([80, 90])), (100, Change::Motors(STAND))]);
        assert_eq!(record.moving(at(50), at(200)), Some((at(50), [80, 90])));
        assert_eq!(record.moving(at(100), at(200)), None);
    }

    #[test]
    fn stopping_counts_from_the_last_time_the_motors_moved() {
        let record = record([
            (0, Change::Motors([80, 80])),
            (110, Change::Motors(STAND)),
            (120, Change::Motors([90, 89])),
            (130, Change::Motors(STAND)),
            (900, Change::Motors([80, 80])),
        ]);
        assert_eq!(record.stopped_after(at(100), at(500)), Some(Duration::from_millis(30)));
        assert_eq!(record.stopped_after(at(200), at(500)), Some(Duration::ZERO));
        assert_eq!(record.stopped_after(at(100), at(901)), None);
    }

    #[test]
    fn a_distance_belongs_to_the_source_that_drives() {
        let record = record([
            (0, Change::Source("joystick".into())),
            (10, Change::Travelled(1.0)),
            (20, Change::Source("navigation".into())),
            (30, Change::Travelled(1.5)),
            (40, Change::Source("nobody".into())),
            (50, Change::Travelled(1.75)),
            (60, Change::Source("navigation".into())),
            (70, Change::Travelled(2.0)),
        ]);
        // (1.5 - 1.0) + (2.0 - 1.75)
        assert_eq!(record.travelled_by("navigation", at(0), at(100)), 0.75);
        // from 30 on 1.5 m are done: (1.5 - 1.5) + 0.25
        assert_eq!(record.travelled_by("navigation", at(30), at(100)), 0.25);
        assert_eq!(record.travelled_by("navigation", at(0), at(65)), 0.5);
        assert_eq!(record.travelled_by("joystick", at(0), at(100)), 1.0);
        assert_eq!(record.travelled_by("hand", at(0), at(100)), 0.0);
    }

    #[test]
    fn the_state_in_force_is_the_last_one_received() {
        let record = record([(10, Change::State("ESTOP".into())), (20, Change::State("OK".into()))]);
        assert_eq!(record.state_at(at(9)), None);
        assert_eq!(record.state_at(at(19)), Some("ESTOP"));
        assert_eq!(record.state_at(at(20)), Some("OK"));
    }
}
