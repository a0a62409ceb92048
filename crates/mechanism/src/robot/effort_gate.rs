use core::time::Duration;

use units::Instant;

/// Which efforts go out to a robot elsewhere: those of the control loop, or zeros while the motors are halted, since a loop that hangs
/// in a step does not know of the halt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffortGate(State);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Efforts that were computed since.
    Open(Instant),
    /// Zeros; when the last one went out.
    Halted(Instant),
    /// Zeros, for good.
    Ended,
}

/// How often a zero is repeated where the control loop sends none.
const ZERO_PERIOD: Duration = Duration::from_millis(100);

impl Default for EffortGate {
    /// Open from the beginning.
    fn default() -> Self {
        Self(State::Open(Instant::ZERO))
    }
}

impl EffortGate {
    /// Whether `efforts` that the loop computed `at` this time go out at `now`.
    pub fn passes(&mut self, now: Instant, at: Instant, efforts: &[f64]) -> bool {
        let is_open = matches!(self.0, State::Open(since) if since <= at);
        let passes = is_open || efforts.iter().all(|effort| *effort == 0.0);
        if let State::Halted(last) = &mut self.0
            && passes
        {
            *last = now;
        }
        passes
    }

    /// Only zeros go out from `now` on, the first one at once.
    pub fn halt(&mut self, now: Instant) {
        if self.0 != State::Ended {
            self.0 = State::Halted(now);
        }
    }

    /// What the loop computes from `now` on goes out again.
    pub fn reset(&mut self, now: Instant) {
        if matches!(self.0, State::Halted(_)) {
            self.0 = State::Open(now);
        }
    }

    /// Only zeros go out until the process ends, the first one at once.
    pub fn end(&mut self) {
        self.0 = State::Ended;
    }

    /// Whether a zero is to be repeated at `now`.
    pub fn repeats_zero(&mut self, now: Instant) -> bool {
        match &mut self.0 {
            State::Halted(last) if now.since(*last) >= ZERO_PERIOD => {
                *last = now;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUSH: &[f64] = &[0.0, 0.5];

    fn at(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    #[test]
    fn what_was_computed_before_a_halt_or_during_it_goes_never_out() {
        let mut gate = EffortGate::default();
        assert!(gate.passes(at(10), at(9), PUSH));
        gate.halt(at(20));
        assert!(!gate.passes(at(21), at(19), PUSH) && gate.passes(at(22), at(21), &[0.0, 0.0]));
        gate.reset(at(30));
        assert!(!gate.passes(at(31), at(29), PUSH), "a step that hung ends late");
        assert!(gate.passes(at(32), at(30), PUSH));
    }

    #[test]
    fn a_zero_is_repeated_while_the_loop_sends_none() {
        let mut gate = EffortGate::default();
        assert!(!gate.repeats_zero(at(1000)), "the motors are on");
        gate.halt(at(1000));
        let due = |gate: &mut EffortGate| {
            (1000..1400).filter(|&now| gate.repeats_zero(at(now))).collect::<Vec<_>>()
        };
        assert_eq!(due(&mut gate), [1100, 1200, 1300]);
        assert!(
            gate.passes(at(1390), at(1390), &[0.0]) && !gate.repeats_zero(at(1450)),
            "the loop sends some"
        );
    }

    #[test]
    fn after_the_end_nothing_but_zeros_goes_out() {
        let mut gate = EffortGate::default();
        gate.end();
        gate.halt(at(1));
        gate.reset(at(2));
        assert!(
            !gate.passes(at(3), at(3), PUSH)
                && gate.passes(at(3), at(3), &[0.0])
                && !gate.repeats_zero(at(500))
        );
    }
}
