use core::time::Duration;

use safety::Instant;

use crate::Reason;

/// The time for which a reason of rank 7 to 11 must last before it is shown: stages report one after another, and a command takes a
/// moment from the hand to the motors.
pub const LASTS: Duration = Duration::from_millis(200);
/// Up to this rank a reason is shown at once.
const AT_ONCE: u8 = 6;
/// How long one that was logged keeps the next from the log: reasons that alternate would fill it.
const LOGGED: Duration = Duration::from_secs(1);

/// The reason that is shown.
///
/// One of rank 1 to 6 is shown at once, any other when it has lasted for [`LASTS`], or when the one that is shown has been over for that
/// long, whatever came instead: so an old one never stays because others alternate.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    shown: Option<Reason>,
    /// When the reason that is shown was last found.
    last: Option<Instant>,
    /// The reason that was found last, and since when.
    next: Option<(Reason, Instant)>,
    /// The reason that was logged last, and when.
    logged: Option<(Reason, Instant)>,
}

impl Shown {
    /// Records that `reason` was found at `now`. Returns the reason to show, and whether it is another one than before.
    pub fn update(&mut self, now: Instant, reason: Reason) -> Option<(&Reason, bool)> {
        let over = self.last.get_or_insert(now);
        if self.shown == Some(reason) {
            *over = now;
            self.next = None;
            return self.shown.as_ref().map(|shown| (shown, false));
        }
        let since = match self.next {
            Some((next, since)) if next == reason => since,
            _ => now,
        };
        self.next = Some((reason, since));
        let is_due = reason.rank() <= AT_ONCE || now.since(since) >= LASTS || now.since(*over) >= LASTS;
        if is_due {
            (self.shown, self.last, self.next) = (Some(reason), Some(now), None);
        }
        self.shown.as_ref().map(|shown| (shown, is_due))
    }

    /// The reason to log at `now`: the one that is shown unless it was logged, once a second at most. So the last one is always logged.
    pub fn to_log(&mut self, now: Instant) -> Option<Reason> {
        let is_new = |(last, at): (Reason, Instant)| self.shown != Some(last) && now.since(at) >= LOGGED;
        let reason = self.shown.filter(|_| self.logged.is_none_or(is_new))?;
        self.logged = Some((reason, now));
        Some(reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    /// The codes that are shown at each time \[ms] for those that are found.
    fn shown(found: &[(u64, Code)]) -> Vec<Option<Code>> {
        let mut shown = Shown::default();
        let update = |&(at, code): &(u64, Code)| {
            shown.update(Instant::from_millis(at), Reason::new(code)).map(|(reason, _)| reason.code)
        };
        found.iter().map(update).collect()
    }

    #[test]
    fn a_stop_is_shown_at_once_and_motion_after_it_has_lasted() {
        use Code::{EstopPressed, Moves, ZoneBlocked};
        let found = [
            (0, Moves),
            (199, Moves),
            (200, Moves),
            (210, EstopPressed),
            (220, ZoneBlocked),
            (419, ZoneBlocked),
            (420, ZoneBlocked),
        ];
        let expected = [
            None,
            None,
            Some(Moves),
            Some(EstopPressed),
            Some(EstopPressed),
            Some(ZoneBlocked),
            Some(ZoneBlocked),
        ];
        // At 419 ms the e-stop has been over for 209 ms.
        assert_eq!(shown(&found), expected);
    }

    #[test]
    fn a_reason_that_flickers_is_not_shown() {
        use Code::{Moves, ZoneBlocked};
        let found: Vec<_> = (0..100)
            .map(|step| (step * 50, if step > 10 && step % 3 == 0 { ZoneBlocked } else { Moves }))
            .collect();
        assert!(shown(&found)[4..].iter().all(|code| *code == Some(Moves)));
    }

    #[test]
    fn an_old_reason_does_not_stay_because_others_alternate() {
        use Code::{DeadMan, EstopPressed, ZoneBlocked};
        let found: Vec<_> = [(0, EstopPressed)]
            .into_iter()
            .chain((1..20).map(|step| (step * 50, if step % 2 == 0 { DeadMan } else { ZoneBlocked })))
            .collect();
        assert!(shown(&found)[4..].iter().all(|code| *code != Some(EstopPressed)));
    }

    #[test]
    fn the_log_has_one_line_a_second_and_the_last_reason() {
        use Code::{EstopPressed, NotEnabled};
        let mut shown = Shown::default();
        let mut logged = Vec::new();
        for step in 0..100 {
            let now = Instant::from_millis(step * 50);
            let code = if step % 2 == 0 && step < 70 { EstopPressed } else { NotEnabled };
            shown.update(now, Reason::new(code));
            logged.extend(shown.to_log(now).map(|reason| (step, reason.code)));
        }
        let all = [(0, EstopPressed), (21, NotEnabled), (42, EstopPressed), (63, NotEnabled)];
        assert_eq!(logged, all, "it alternated for 3.5 s, and stays");
    }
}
