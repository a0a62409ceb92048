use core::time::Duration;

use safety::Instant;

/// Which efforts go out to a robot elsewhere: those of the control loop, or zeros while the motors are halted, since a loop that hangs
/// in a step does not know of the halt.
///
/// It decides, and nobody has to hold it while something is sent. A send may hang, and efforts that [passed](Self::passes) before a halt may
/// go out after its zero. So the sender asks again whether they [stand](Self::stands), and sends a zero if not: the last message is
/// that zero, however the sends were interleaved. Efforts that are older than [`MOST_AGE`](Self::MOST_AGE) do not stand either: after a hold
/// of the process they would move motors that stopped by themselves meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffortGate(State);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Efforts that were computed since.
    Open(Instant),
    /// Zeros; when the last one went out, if one did.
    Halted(Option<Instant>),
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
    /// The oldest efforts that go out: motors stop by themselves after 0.25 s.
    pub const MOST_AGE: Duration = Duration::from_millis(200);

    /// Whether `efforts` that the loop computed `at` this time go out at `now`.
    pub fn passes(&mut self, now: Instant, at: Instant, efforts: &[f64]) -> bool {
        let passes = self.stands(now, at, efforts);
        if let State::Halted(last) = &mut self.0
            && passes
        {
            *last = Some(now);
        }
        passes
    }

    /// Whether `efforts` that the loop computed `at` this time may be the last that the robot received by `now`.
    #[must_use]
    pub fn stands(&self, now: Instant, at: Instant, efforts: &[f64]) -> bool {
        let is_open = matches!(self.0, State::Open(since) if since <= at);
        is_open && now.since(at) <= Self::MOST_AGE || efforts.iter().all(|effort| *effort == 0.0)
    }

    /// Only zeros go out from now on; the first one [is due](Self::takes_zero) at once.
    pub fn halt(&mut self) {
        if self.0 != State::Ended {
            self.0 = State::Halted(None);
        }
    }

    /// Efforts that the loop computes from `now` on go out again.
    pub fn reset(&mut self, now: Instant) {
        if matches!(self.0, State::Halted(_)) {
            self.0 = State::Open(now);
        }
    }

    /// Only zeros go out until the process ends, the first one at once.
    pub fn end(&mut self) {
        self.0 = State::Ended;
    }

    /// Whether a zero is due at `now`: the first one of a halt, or one that repeats it. The caller sends it.
    pub fn takes_zero(&mut self, now: Instant) -> bool {
        match &mut self.0 {
            State::Halted(last) if last.is_none_or(|last| now.since(last) >= ZERO_PERIOD) => {
                *last = Some(now);
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
        gate.halt();
        assert!(!gate.passes(at(21), at(19), PUSH) && gate.passes(at(22), at(21), &[0.0, 0.0]));
        gate.reset(at(30));
        assert!(!gate.passes(at(31), at(29), PUSH), "a step that hung ends late");
        assert!(gate.passes(at(32), at(30), PUSH));
    }

    #[test]
    fn efforts_from_before_a_hold_do_not_go_out() {
        let mut gate = EffortGate::default();
        assert!(gate.passes(at(1000), at(800), PUSH) && !gate.stands(at(1001), at(800), PUSH));
        assert!(!gate.passes(at(2000), at(1000), PUSH) && gate.passes(at(2000), at(1000), &[0.0]));
    }

    #[test]
    fn a_zero_is_repeated_while_the_loop_sends_none() {
        let mut gate = EffortGate::default();
        assert!(!gate.takes_zero(at(1000)), "the motors are on");
        gate.halt();
        let due =
            |gate: &mut EffortGate| (1000..1400).filter(|&now| gate.takes_zero(at(now))).collect::<Vec<_>>();
        assert_eq!(due(&mut gate), [1000, 1100, 1200, 1300]);
        assert!(gate.passes(at(1390), at(1390), &[0.0]) && !gate.takes_zero(at(1450)), "the loop sends some");
    }

    #[test]
    fn after_the_end_nothing_but_zeros_goes_out() {
        let mut gate = EffortGate::default();
        gate.end();
        gate.halt();
        gate.reset(at(2));
        assert!(
            !gate.passes(at(3), at(3), PUSH)
                && gate.passes(at(3), at(3), &[0.0])
                && !gate.takes_zero(at(500))
        );
    }

    /// A call of the gate or a send: nothing comes between its parts, and anything between two of them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Step {
        /// Asks whether the effort of this time passes.
        Ask(u64),
        /// Sends it if it passed.
        Send,
        /// Asks again after the send.
        AskAgain(u64),
        /// Sends a zero if the answer was no, or if one was taken.
        SendZero,
        TakeZero,
        Halt,
        Reset,
        End,
    }

    /// The gate, two threads that use it, and the messages that the robot received.
    #[derive(Clone)]
    struct World {
        gate: EffortGate,
        now: u64,
        /// Whether each thread has decided to send.
        decided: [bool; 2],
        /// The time of the efforts, or 0 for a zero.
        received: Vec<u64>,
    }

    impl World {
        fn make(&mut self, thread: usize, step: Step) {
            self.now += 1;
            let now = at(self.now);
            match step {
                Step::Ask(time) => self.decided[thread] = self.gate.passes(now, at(time), PUSH),
                Step::Send => {
                    if self.decided[thread] {
                        self.received.push(1);
                    }
                }
                Step::AskAgain(time) => self.decided[thread] &= !self.gate.stands(now, at(time), PUSH),
                Step::SendZero => {
                    if core::mem::take(&mut self.decided[thread]) {
                        self.received.push(0);
                    }
                }
                Step::TakeZero => self.decided[thread] = self.gate.takes_zero(now),
                Step::Halt => self.gate.halt(),
                Step::Reset => self.gate.reset(now),
                Step::End => {
                    self.gate.end();
                    self.decided[thread] = true;
                }
            }
        }

        /// Makes all interleavings of what the two threads have left to do, and returns how many there are.
        fn interleave(&self, left: [&[Step]; 2], check: &mut dyn FnMut(&World)) -> u64 {
            if left.iter().all(|steps| steps.is_empty()) {
                check(self);
                return 1;
            }
            let mut count = 0;
            for thread in 0..2 {
                if let Some((step, rest)) = left[thread].split_first() {
                    let (mut next, mut left) = (self.clone(), left);
                    next.make(thread, *step);
                    left[thread] = rest;
                    count += next.interleave(left, check);
                }
            }
            count
        }
    }

    /// Efforts of this time, as a thread of the loop's sends them, and the zero that it repeats.
    fn effort(time: u64) -> [Step; 6] {
        [Step::Ask(time), Step::Send, Step::AskAgain(time), Step::SendZero, Step::TakeZero, Step::SendZero]
    }

    #[test]
    fn however_sends_and_a_halt_are_interleaved_the_last_message_is_a_zero() {
        let begin =
            World { gate: EffortGate::default(), now: 100, decided: [false; 2], received: Vec::new() };
        let efforts = [effort(98), effort(99)].concat();
        for (name, other) in [
            ("a halt", &[Step::Halt, Step::TakeZero, Step::SendZero][..]),
            (
                "a halt after another one",
                &[Step::Halt, Step::Reset, Step::Halt, Step::TakeZero, Step::SendZero],
            ),
            // The efforts are from before the halt, so they do not count after the reset either.
            ("a halt and a reset", &[Step::Halt, Step::TakeZero, Step::SendZero, Step::Reset]),
            ("the end", &[Step::End, Step::SendZero]),
        ] {
            let mut longest = 0;
            let count = begin.interleave([&efforts, other], &mut |world| {
                let received = &world.received;
                assert_eq!(received.last(), Some(&0), "{name}: {received:?}");
                longest = longest.max(received.iter().filter(|message| **message == 1).count());
            });
            assert!(count > 90 && longest == 2, "{name}: {count}");
        }
    }
}
