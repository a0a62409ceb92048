use core::time::Duration;

use safety::Instant;

/// Determines when a picture is published: at most ten times a second when it has changed, and twice a second in any
/// case.
///
/// The latter serves late subscribers; and markers expire, which removes those of a node that died.
#[derive(Clone, Debug)]
pub struct Pace<T> {
    looked: Option<Instant>,
    published: Option<(Instant, T)>,
}

impl<T> Default for Pace<T> {
    fn default() -> Self {
        Self { looked: None, published: None }
    }
}

/// The lifetime of a marker without a new one: two regular pictures may be lost.
pub const LIFETIME: Duration = Duration::from_millis(1500);
const LEAST: Duration = Duration::from_millis(100);
const ANYWAY: Duration = Duration::from_millis(500);

impl<T: Clone + PartialEq> Pace<T> {
    /// Whether a picture is to be made; true ten times a second at most.
    pub fn is_time(&mut self, now: Instant) -> bool {
        let is_time = self.looked.is_none_or(|at| now >= at + LEAST);
        if is_time {
            self.looked = Some(now);
        }
        is_time
    }

    /// Whether `picture` is to be published now; if so it counts as published.
    pub fn is_due(&mut self, now: Instant, picture: &T) -> bool {
        let is_due = self
            .published
            .as_ref()
            .is_none_or(|(at, last)| last != picture && now >= *at + LEAST || now >= *at + ANYWAY);
        if is_due {
            self.published = Some((now, picture.clone()));
        }
        is_due
    }

    /// When a picture is to be made next, which has changed or not.
    pub fn next(&self, has_changed: bool) -> Instant {
        let after = |at: Option<Instant>, time| at.map_or(Instant::ZERO, |at| at + time);
        let anyway = after(self.published.as_ref().map(|(at, _)| *at), ANYWAY);
        let next = after(self.looked, LEAST);
        if has_changed { next } else { anyway.max(next) }
    }
}

#[cfg(test)]
mod tests {
    use zones::{Params, Zone, ZoneScaler};

    use crate::Snapshot;

    use super::*;

    fn picture(limited_by: Option<Zone>) -> Snapshot {
        Snapshot { limited_by, ..Snapshot::of(&ZoneScaler::new(Params::default())) }
    }

    /// The publication times within a second, checked every millisecond.
    fn published(picture: impl Fn(u64) -> Snapshot) -> Vec<u64> {
        let mut pace = Pace::default();
        let due = |&ms: &u64| {
            let now = Instant::from_millis(ms);
            pace.is_time(now) && pace.is_due(now, &picture(ms))
        };
        (0..1000).filter(due).collect()
    }

    #[test]
    fn a_changing_picture_is_published_ten_times_a_second() {
        let flicker = |ms: u64| picture((ms / 100).is_multiple_of(2).then_some(Zone::Front));
        assert_eq!(published(flicker), (0..1000).step_by(100).collect::<Vec<_>>());
    }

    #[test]
    fn a_constant_picture_is_published_twice_a_second() {
        assert_eq!(published(|_| picture(None)), [0, 500]);
    }

    #[test]
    fn a_change_is_published_at_the_next_check() {
        assert_eq!(published(|ms| picture((ms >= 210).then_some(Zone::Back))), [0, 300, 800]);
    }

    #[test]
    fn a_picture_outlives_two_that_are_lost_and_no_more() {
        assert_eq!(LIFETIME, 3 * ANYWAY);
    }
}
