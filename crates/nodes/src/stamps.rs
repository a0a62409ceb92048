//! What a command's stamp says of its age.

use core::time::Duration;

use units::Stamp;

/// A command as old as its stamp says it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Age {
    /// Nothing is said, or it is not to be judged: it counts from its receipt on.
    Unsaid,
    /// So old.
    Old(Duration),
    /// So far ahead of this machine's clock \[s\] that it is no command.
    Ahead(f64),
}

/// The age of `stamp` at `now`: a header can make a command older, never fresher. `judge` is how far it may lie in the
/// future; `None` leaves stamps alone, and a zero one is none.
pub fn age(stamp: Stamp, now: Stamp, judge: Option<Duration>) -> Age {
    let Some(tolerance) = judge.filter(|_| !stamp.is_zero()) else { return Age::Unsaid };
    let (stamp, now) = (stamp.as_nanos(), now.as_nanos());
    let ahead = Duration::from_nanos(u64::try_from(stamp - now).unwrap_or(0));
    if ahead > tolerance {
        return Age::Ahead(ahead.as_secs_f64());
    }
    Age::Old(Duration::from_nanos(u64::try_from(now - stamp).unwrap_or(0)))
}
