use core::time::Duration;

use safety::Instant;

use crate::Snapshot;

/// Determines when a picture is published: at most ten times a second when it has changed, and twice a second in any
/// case.
///
/// The latter serves late subscribers; and markers expire, which removes those of a node that died.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    looked: Option<Instant>,
    published: Option<(Instant, Snapshot)>,
}

impl Pace {
    /// The lifetime of a marker without a new one: two regular pictures may be lost.
    pub const LIFETIME: Duration = Duration::from_millis(1500);
    const LEAST: Duration = Duration::from_millis(100);
    const ANYWAY: Duration = Duration::from_millis(500);

    /// Whether a snapshot is to be made; true ten times a second at most.
    pub fn is_time(&mut self, now: Instant) -> bool {
        let is_time = self.looked.is_none_or(|at| now >= at + Self::LEAST);
        if is_time {
            self.looked = Some(now);
        }
        is_time
    }

    /// Whether `snapshot` is to be published now; if so it counts as published.
    pub fn is_due(&mut self, now: Instant, snapshot: &Snapshot) -> bool {
        let is_due = self.published.is_none_or(|(at, last)| {
            last != *snapshot && now >= at + Self::LEAST || now >= at + Self::ANYWAY
        });
        if is_due {
            self.published = Some((now, *snapshot));
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use zones::{Params, Zone, ZoneScaler};

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
        assert_eq!(Pace::LIFETIME, 3 * Pace::ANYWAY);
    }
}
