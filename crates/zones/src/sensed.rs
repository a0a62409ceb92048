use core::time::Duration;

use safety::{Clock, Freshness, Instant, MessageTime, PublisherCount, Scale, Stamp};

use crate::{Params, Reason, Scaling, scaling};

/// The sampling period of a rising factor; in between it is constant, which never exceeds the permitted value.
const SAMPLE: Duration = Duration::from_millis(20);

/// The received scaling and the factors in force that follow from it.
///
/// The target is the last scaling while it is valid, else 0 for every zone. A factor in force falls to its target at
/// once and rises to it by no more than 1 in the rise time T: from the time t₀ of the last change of the target,
/// factor(t) = min(target, factor(t₀) + (t - t₀) / T), rounded down to an `f32`. It starts at 0.
/// # Source
/// own; LUCI has its own bounds for rise and fall, which its ROS node does not publish.
#[derive(Clone, Debug)]
pub(crate) struct Sensed {
    received: Option<(Scaling, MessageTime)>,
    /// Whether the scaling is no longer valid: it is too old, or it came from one of several publishers.
    has_lapsed: bool,
    /// The number of publishers of scalings.
    publishers: PublisherCount,
    /// Whether the target is a valid scaling, and if not, why.
    reason: Reason,
    target: Scaling,
    /// The factors at the last change of the target, at `since`.
    start: Scaling,
    since: Instant,
    in_force: Scaling,
    sampled: Instant,
}

impl Sensed {
    pub(crate) fn new() -> Self {
        let missing = Scaling::uniform(Scale::ZERO);
        Self {
            received: None,
            has_lapsed: false,
            publishers: PublisherCount::default(),
            reason: Reason::ScalingMissing,
            target: missing,
            start: missing,
            since: Instant::ZERO,
            in_force: missing,
            sampled: Instant::ZERO,
        }
    }

    /// The factors in force.
    pub(crate) fn in_force(&self) -> &Scaling {
        &self.in_force
    }

    /// [`Reason::Scaled`] while a scaling is valid.
    pub(crate) fn reason(&self) -> Reason {
        self.reason
    }

    pub(crate) fn count(&mut self, publishers: PublisherCount) {
        self.has_lapsed |= self.publishers.update(publishers);
    }

    /// The last scaling, valid or not.
    pub(crate) fn received(&self) -> Option<&Scaling> {
        self.received.as_ref().map(|(scaling, _)| scaling)
    }

    /// Receives a scaling that was read now; `false` if it may have waited unread for too long. It has no stamp.
    pub(crate) fn receive(&mut self, clock: &Clock, scaling: Scaling, timeout: Duration) -> bool {
        let judged = Freshness::default().judge(clock, Stamp::ZERO, timeout);
        if let Ok(time) = judged {
            (self.received, self.has_lapsed) = (Some((scaling, time)), false);
        }
        judged.is_ok()
    }

    /// Whether the next sample of a rise is due.
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        self.in_force != self.target && now >= self.sampled + SAMPLE
    }

    /// Advances the time; `now` never decreases. A rise is applied with `sample`, and when the target changes; a fall
    /// always. Returns whether a factor or the reason in force changed.
    pub(crate) fn advance(&mut self, now: Instant, params: &Params, sample: bool) -> bool {
        let nothing = Scaling::uniform(Scale::ZERO);
        // A longer timeout does not restore a scaling that was too old.
        self.has_lapsed |=
            self.received.is_some_and(|(_, time)| time.is_expired(now, params.scaling_timeout));
        let (target, reason) = match self.received {
            // It is unknown which publisher is right: alternating between them, a blocked zone would be free.
            _ if self.publishers.are_several() => (nothing, Reason::ScalingConflict),
            None => (nothing, Reason::ScalingMissing),
            Some(_) if self.has_lapsed => (nothing, Reason::ScalingStale),
            Some((scaling, _)) => (scaling, Reason::Scaled),
        };
        let mut is_other = reason != self.reason;
        self.reason = reason;
        let turned = target != self.target;
        if turned {
            self.anchor(now, params.rise_time);
            self.target = target;
        }
        if sample || turned {
            let risen = self.risen(now, params.rise_time);
            is_other |= risen != self.in_force;
            (self.in_force, self.sampled) = (risen, now);
        }
        is_other
    }

    /// Fixes the rise at its current value before `rise_time` changes.
    pub(crate) fn anchor(&mut self, now: Instant, rise_time: Duration) {
        self.start = self.risen(now, rise_time);
        self.since = now;
    }

    /// When the factors will have risen further, or expire.
    pub(crate) fn deadline(&self, now: Instant, scaling_timeout: Duration) -> Option<Instant> {
        let stale = self.received.map(|(_, time)| time.expiry(scaling_timeout)).filter(|&at| at > now);
        let rise = (self.in_force != self.target).then(|| self.sampled + SAMPLE);
        safety::earliest(stale, rise)
    }

    fn risen(&self, now: Instant, rise_time: Duration) -> Scaling {
        if rise_time.is_zero() {
            return self.target;
        }
        let risen = now.since(self.since).as_secs_f64() / rise_time.as_secs_f64();
        self.start.combine(&self.target, |start, target| down((start.get() + risen).min(target.get())))
    }
}

/// The largest factor not above `value` that an `f32` can hold.
///
/// The published factor is then the one that was used, and 100 times it is exact in `f64`: no rounding can exceed the
/// limit.
fn down(value: f64) -> Scale {
    Scale::new(value).and_then(|value| Scale::new(scaling::down(value).into())).unwrap_or(Scale::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Zone;

    fn at(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    fn params(rise_time: u64) -> Params {
        Params { rise_time: Duration::from_millis(rise_time), ..Params::default() }
    }

    fn all(factor: f64) -> Scaling {
        Scaling::uniform(Scale::new(factor).unwrap())
    }

    fn receive(sensed: &mut Sensed, ms: u64, scaling: Scaling) {
        let mut clock = Clock::default();
        clock.pass_to(at(ms), None);
        assert!(sensed.receive(&clock, scaling, Duration::from_millis(500)));
    }

    fn factor(sensed: &Sensed) -> f64 {
        sensed.in_force().of(Zone::Back).left_right.get()
    }

    #[test]
    fn a_factor_is_rounded_down_to_the_published_one() {
        // 0.3 as f32 is 0.300000012, which is above; the f32 below it is 2^-25 less.
        assert_eq!(down(0.3).get(), f64::from(0.3f32) - f64::from(f32::EPSILON) / 4.0);
        for exact in [0.0, 0.25, 1.0, f64::from(0.7f32)] {
            assert_eq!(down(exact).get(), exact);
        }
        assert_eq!(down(f64::NAN), Scale::ZERO);
    }

    #[test]
    fn a_factor_rises_in_its_time_and_falls_at_once() {
        let params = params(2000);
        let mut sensed = Sensed::new();
        receive(&mut sensed, 0, all(1.0));
        sensed.advance(at(0), &params, true);
        assert_eq!(factor(&sensed), 0.0);
        receive(&mut sensed, 500, all(0.75));
        sensed.advance(at(500), &params, true);
        assert_eq!(factor(&sensed), 0.25, "0.5 s of 2 s");
        receive(&mut sensed, 900, all(0.125));
        sensed.advance(at(900), &params, true);
        assert_eq!(factor(&sensed), 0.125, "at once");
        receive(&mut sensed, 1000, all(1.0));
        sensed.advance(at(1000), &params, true);
        assert_eq!(factor(&sensed), 0.125, "nothing rises in no time");
        receive(&mut sensed, 1250, all(1.0));
        sensed.advance(at(1250), &params, true);
        assert_eq!(factor(&sensed), 0.25, "0.125 and 0.25 s of 2 s");
    }

    #[test]
    fn a_rise_is_applied_on_a_sample_and_is_due_after_20_ms() {
        let params = params(1000);
        let mut sensed = Sensed::new();
        receive(&mut sensed, 0, all(1.0));
        sensed.advance(at(0), &params, false);
        assert_eq!(sensed.deadline(at(0), params.scaling_timeout), Some(at(20)));
        sensed.advance(at(19), &params, false);
        assert_eq!((factor(&sensed), sensed.is_due(at(19)), sensed.is_due(at(20))), (0.0, false, true));
        sensed.advance(at(19), &params, true);
        assert!((factor(&sensed) - 0.019).abs() < 1e-7);
        assert_eq!((sensed.is_due(at(38)), sensed.is_due(at(39))), (false, true));
        sensed.advance(at(50), &params, false);
        assert!((factor(&sensed) - 0.019).abs() < 1e-7);
        receive(&mut sensed, 50, all(0.5));
        sensed.advance(at(50), &params, false);
        assert!((factor(&sensed) - 0.05).abs() < 1e-7, "another target");
        receive(&mut sensed, 60, all(0.0));
        sensed.advance(at(60), &params, false);
        assert_eq!(factor(&sensed), 0.0, "a fall shows at once");
        assert!(!sensed.is_due(at(9000)), "nothing rises");
    }

    #[test]
    fn a_stale_scaling_leaves_nothing_at_once() {
        let params = params(1000);
        let mut sensed = Sensed::new();
        assert_eq!((factor(&sensed), sensed.reason()), (0.0, Reason::ScalingMissing));
        receive(&mut sensed, 0, all(1.0));
        sensed.advance(at(0), &params, true);
        sensed.advance(at(499), &params, true);
        assert_eq!(sensed.reason(), Reason::Scaled);
        assert!(factor(&sensed) > 0.49);
        sensed.advance(at(500), &params, true);
        assert_eq!((factor(&sensed), sensed.reason()), (0.0, Reason::ScalingStale));
        receive(&mut sensed, 750, all(0.125));
        sensed.advance(at(750), &params, true);
        assert_eq!((factor(&sensed), sensed.reason()), (0.0, Reason::Scaled), "it rises from 0 again");
    }

    #[test]
    fn a_scaling_that_may_have_waited_too_long_is_none() {
        let mut clock = Clock::default();
        clock.pass_to(at(100), Some(at(100)));
        clock.pass_to(at(800), Some(at(150)));
        assert!(!Sensed::new().receive(&clock, all(1.0), Duration::from_millis(500)), "held for 0.7 s");
        assert!(Sensed::new().receive(&clock, all(1.0), Duration::from_millis(701)));
    }

    #[test]
    fn another_rise_time_acts_from_then_on() {
        let mut sensed = Sensed::new();
        receive(&mut sensed, 0, all(1.0));
        sensed.advance(at(0), &params(1000), true);
        sensed.anchor(at(250), params(1000).rise_time);
        sensed.advance(at(250), &params(10_000), true);
        assert_eq!(factor(&sensed), 0.25);
        receive(&mut sensed, 250, all(1.0));
        sensed.advance(at(500), &params(10_000), true);
        assert!((factor(&sensed) - 0.275).abs() < 1e-7, "0.25 and 0.25 s of 10 s");
    }

    #[test]
    fn only_another_factor_or_reason_is_reported_as_a_change() {
        let params = params(1000);
        let mut sensed = Sensed::new();
        assert!(!sensed.advance(at(0), &params, true), "nothing came");
        receive(&mut sensed, 0, all(0.0));
        assert!(sensed.advance(at(0), &params, true), "the factors are as before, and now they are valid");
        assert!(!sensed.advance(at(10), &params, true));
        receive(&mut sensed, 20, all(1.0));
        assert!(!sensed.advance(at(20), &params, true), "nothing rises in no time");
        assert!(sensed.advance(at(40), &params, true), "it has risen");
        assert!(!sensed.advance(at(50), &params, false), "no sample of the rise");
        receive(&mut sensed, 60, all(0.0));
        assert!(sensed.advance(at(60), &params, false), "a fall");
        assert!(sensed.advance(at(560), &params, false), "no factor fell, and the scaling is stale");
        assert!(!sensed.advance(at(570), &params, false));
    }
}
