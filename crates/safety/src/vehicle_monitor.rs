use core::time::Duration;

use crate::{Instant, MessageTime, PublisherId, VehicleHalt};

/// Judges the state of a vehicle for a neighbour that obeys its emergency stop: whether the neighbour may move.
///
/// The vehicle is **clear** when its only publisher says that it is in no emergency stop, and says so again at least
/// [`CONFIRMED_AFTER`](Self::CONFIRMED_AFTER) later: a process that dies repeats nothing, and one that starts may not have received the
/// e-stop yet. It is clear until that publisher says `ESTOP`, is silent for [`TIMEOUT`](Self::TIMEOUT), is gone or was replaced (the
/// state is **lost**), or is not the only one any more, or the publishers cannot be read (it is **contested**).
///
/// An emergency stop ends by one act only, a reset that this monitor saw:
/// * the vehicle's own: the publisher of the `ESTOP` is clear, and nothing was lost or contested since.
/// * the neighbour's own, [`reset`](Self::reset), while the vehicle is clear. It alone ends a loss and a contest.
///
/// Before the vehicle was clear for the first time nothing can be lost, and the neighbour waits.
///
/// A message counts as the only publisher's if the publishers were read before it was received and again before it is passed to
/// [`receive`](Self::receive), and were the same. So no message of a publisher that ended counts as its successor's, nor the other
/// way round. `ESTOP` counts from any publisher; the reset of the only one ends it if that one published `ESTOP` too.
///
/// A process that says something else than `ESTOP` without a reset, says it again and dies at once is not seen through if the
/// second message is late by more than `CONFIRMED_AFTER`, the first one is not, and the end is not known yet.
/// # Real-time
/// No allocation; constant time.
/// # Source
/// own; ISO 13850: an emergency stop stays until it is reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VehicleMonitor {
    publishers: Publishers,
    /// Whether the publishers were read twice in a row and were the same.
    is_settled: bool,
    /// The last state, until it expires or may be another publisher's.
    state: Option<Known>,
    /// Since when the only publisher has published only states without an emergency stop.
    clear_since: Option<Instant>,
    /// Whether it has repeated that.
    is_clear: bool,
    // What halts, until it ends.
    is_awaited: bool,
    is_lost: bool,
    is_stopped: bool,
    /// Whether the emergency stop may be another publisher's than the only one's.
    is_strangers: bool,
    is_contested: bool,
}

/// The publishers of the state, as they were last read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Publishers {
    None,
    One(PublisherId),
    /// Several publishers, or a graph that could not be read.
    Several,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Known {
    until: Instant,
    is_estop: bool,
}

impl VehicleMonitor {
    /// The state is lost when it is as old; hindbrain repeats it twice a second.
    pub const TIMEOUT: Duration = Duration::from_millis(1500);

    /// The least time between two messages without an emergency stop that end one. It is shorter than hindbrain's period of 0.5 s, so
    /// the first repetition counts unless it was early, and longer than any last messages of a process that dies.
    pub const CONFIRMED_AFTER: Duration = Duration::from_millis(400);

    /// A monitor of a state that was never received: the neighbour is halted.
    pub const fn new() -> Self {
        Self {
            publishers: Publishers::None,
            is_settled: false,
            state: None,
            clear_since: None,
            is_clear: false,
            is_awaited: true,
            is_lost: false,
            is_stopped: false,
            is_strangers: false,
            is_contested: false,
        }
    }

    /// Records the publishers of the state at `now`; `None` if they cannot be read. Expected before the messages that were received
    /// since, also when they are the same as before.
    pub fn count(&mut self, now: Instant, publishers: Option<&[PublisherId]>) {
        self.expire(now);
        let publishers = match publishers {
            Some([]) => Publishers::None,
            Some([one]) => Publishers::One(*one),
            None | Some(_) => Publishers::Several,
        };
        self.is_settled = self.publishers == publishers;
        if !self.is_settled {
            if matches!(self.publishers, Publishers::One(_)) {
                self.lose();
            }
            self.publishers = publishers;
        }
        if publishers == Publishers::Several {
            self.is_contested = true;
            self.forget();
        }
    }

    /// Records that `state` was received at `now`.
    pub fn receive(&mut self, now: Instant, time: MessageTime, state: &str) {
        self.expire(now);
        let until = time.expiry(Self::TIMEOUT);
        let is_own = self.is_settled && matches!(self.publishers, Publishers::One(_));
        if !is_known_without_estop(state) {
            (self.is_stopped, self.is_clear, self.clear_since) = (true, false, None);
            self.is_strangers = !is_own;
            self.state = Some(Known { until, is_estop: true });
            return;
        }
        if !is_own || time.is_expired(now, Self::TIMEOUT) {
            return;
        }
        self.state = Some(Known { until, is_estop: false });
        // It was sent at the latest when the first one was received, and this one at the earliest when it began.
        let since = *self.clear_since.get_or_insert(now);
        self.is_clear |= time.begin().since(since) >= Self::CONFIRMED_AFTER;
        if self.is_clear && !self.was_interrupted() {
            (self.is_awaited, self.is_stopped) = (false, false);
        }
    }

    /// A person's reset of the neighbour at `now`: ends every halt, if the vehicle is clear. Otherwise it changes nothing.
    pub fn reset(&mut self, now: Instant) {
        self.expire(now);
        if self.is_clear {
            (self.is_awaited, self.is_lost, self.is_contested) = (false, false, false);
            (self.is_stopped, self.is_strangers) = (false, false);
        }
    }

    /// Notices at `now` that the state is lost.
    pub fn expire(&mut self, now: Instant) {
        if self.deadline().is_some_and(|until| now >= until) {
            self.lose();
        }
    }

    /// When the state is lost if nothing is received until then.
    pub fn deadline(&self) -> Option<Instant> {
        self.state.map(|state| state.until)
    }

    /// The most severe reason for which the neighbour may not move; `None` if it may.
    pub fn halt(&self) -> Option<VehicleHalt> {
        if self.publishers == Publishers::Several {
            return Some(VehicleHalt::Contested { is_on: true });
        }
        let is_on = !self.is_clear;
        if self.state.is_some_and(|state| state.is_estop) {
            Some(VehicleHalt::Estop)
        } else if self.is_contested && self.is_clear {
            Some(VehicleHalt::Contested { is_on: false })
        } else if self.is_stopped {
            Some(if self.was_interrupted() {
                VehicleHalt::LostInEstop { is_on }
            } else {
                VehicleHalt::EstopLeft
            })
        } else if self.was_interrupted() {
            Some(VehicleHalt::Lost { is_on })
        } else {
            self.is_awaited.then_some(VehicleHalt::Awaited)
        }
    }

    /// Whether nobody but a person can end the halt: what is received now does not continue what was received before.
    fn was_interrupted(&self) -> bool {
        self.is_lost || self.is_contested || self.is_strangers
    }

    /// The state may be another publisher's from now on, or is too old.
    fn lose(&mut self) {
        self.forget();
        self.is_lost |= !self.is_awaited || self.is_stopped;
    }

    fn forget(&mut self) {
        (self.state, self.clear_since, self.is_clear) = (None, None, false);
    }
}

impl Default for VehicleMonitor {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether a state of the vehicle is one of hindbrain's that is no emergency stop. One that is not known counts as one.
fn is_known_without_estop(state: &str) -> bool {
    state == "OK" || state == "SSTOP" || state.starts_with("SSTOP.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HaltEnds;

    const A: PublisherId = PublisherId([1; 24]);
    const B: PublisherId = PublisherId([2; 24]);

    /// A monitor, and its time \[ms\].
    struct Bench {
        monitor: VehicleMonitor,
        now: u64,
    }

    impl Bench {
        /// A monitor whose state is `OK`, of the publisher `A`.
        fn moving() -> Self {
            let mut bench = Self { monitor: VehicleMonitor::new(), now: 0 };
            bench.turn(0, &[A], &["OK"]);
            assert_eq!(bench.halt(), Some(VehicleHalt::Awaited), "the first message may be anybody's");
            bench.turn(100, &[A], &["OK"]);
            bench.turn(400, &[A], &["OK"]);
            assert_eq!(bench.halt(), None);
            bench
        }

        /// A reading of the publishers, and the messages that were received since the last one.
        fn turn(&mut self, after: u64, publishers: &[PublisherId], states: &[&str]) {
            self.now += after;
            let now = Instant::from_millis(self.now);
            self.monitor.count(now, Some(publishers));
            for state in states {
                self.monitor.receive(now, MessageTime::new(now, Duration::ZERO), state);
            }
        }

        fn reset(&mut self) {
            self.monitor.reset(Instant::from_millis(self.now));
        }

        fn halt(&self) -> Option<VehicleHalt> {
            self.monitor.halt()
        }
    }

    #[test]
    fn an_estop_ends_when_its_publisher_leaves_it_and_lives_on() {
        let mut bench = Bench::moving();
        for estop in ["ESTOP", "estop", "UNKNOWN", ""] {
            bench.turn(100, &[A], &[estop]);
            assert_eq!(bench.halt(), Some(VehicleHalt::Estop), "{estop}");
            bench.turn(100, &[A], &["SSTOP.ROS", "OK"]);
            bench.turn(399, &[A], &["OK"]);
            assert_eq!(bench.halt(), Some(VehicleHalt::EstopLeft), "{estop}");
            bench.turn(1, &[A], &["SSTOP.IR"]);
            assert_eq!(bench.halt(), None, "{estop}");
        }
    }

    #[test]
    fn an_estop_in_between_begins_the_confirmation_anew() {
        let mut bench = Bench::moving();
        bench.turn(100, &[A], &["ESTOP", "OK"]);
        bench.turn(300, &[A], &["OK", "ESTOP", "OK"]);
        bench.turn(300, &[A], &["OK"]);
        assert_eq!(bench.halt(), Some(VehicleHalt::EstopLeft));
    }

    #[test]
    fn the_last_message_of_a_process_that_dies_ends_no_estop() {
        let mut bench = Bench::moving();
        bench.turn(100, &[A], &["ESTOP"]);
        bench.turn(100, &[A], &["OK"]);
        bench.turn(1000, &[], &[]);
        assert_eq!(bench.halt(), Some(VehicleHalt::LostInEstop { is_on: true }));
        bench.reset();
        for after in [100, 500, 500] {
            bench.turn(after, &[B], &["OK"]);
            assert!(matches!(bench.halt(), Some(VehicleHalt::LostInEstop { .. })));
        }
        bench.reset();
        assert_eq!(bench.halt(), None);
    }

    #[test]
    fn another_publisher_is_no_continuity() {
        for states in [&["OK"][..], &[]] {
            let mut bench = Bench::moving();
            bench.turn(100, &[B], states);
            assert_eq!(bench.halt(), Some(VehicleHalt::Lost { is_on: true }), "it may be the old one's");
            bench.reset();
            assert_eq!(bench.halt(), Some(VehicleHalt::Lost { is_on: true }));
            bench.turn(100, &[B], &["OK"]);
            bench.turn(399, &[B], &["OK"]);
            bench.reset();
            assert_eq!(bench.halt(), Some(VehicleHalt::Lost { is_on: true }), "it is not clear yet");
            bench.turn(1, &[B], &["OK"]);
            assert_eq!(bench.halt(), Some(VehicleHalt::Lost { is_on: false }));
            bench.reset();
            assert_eq!(bench.halt(), None);
        }
    }

    #[test]
    fn silence_is_a_loss_and_the_same_publisher_needs_a_reset_after_it() {
        let mut bench = Bench::moving();
        bench.turn(1499, &[A], &[]);
        assert_eq!(bench.halt(), None);
        bench.turn(1, &[A], &["OK"]);
        assert_eq!(bench.halt(), Some(VehicleHalt::Lost { is_on: true }), "the message came too late");
        bench.turn(500, &[A], &["OK"]);
        assert_eq!(bench.halt(), Some(VehicleHalt::Lost { is_on: false }));
        bench.reset();
        assert_eq!(bench.halt(), None);
    }

    #[test]
    fn after_a_loss_only_a_reset_ends_an_estop() {
        let mut bench = Bench::moving();
        bench.turn(100, &[A], &["ESTOP"]);
        bench.turn(1500, &[A], &[]);
        bench.turn(100, &[A], &["ESTOP"]);
        bench.reset();
        assert_eq!(bench.halt(), Some(VehicleHalt::Estop));
        bench.turn(500, &[A], &["OK"]);
        bench.turn(500, &[A], &["OK"]);
        assert_eq!(bench.halt(), Some(VehicleHalt::LostInEstop { is_on: false }));
        bench.reset();
        assert_eq!(bench.halt(), None);
    }

    #[test]
    fn several_publishers_halt_whatever_they_say_until_a_reset_after_them() {
        let readings: [Option<&[PublisherId]>; 2] = [Some(&[A, B]), None];
        for several in readings {
            let mut bench = Bench::moving();
            bench.monitor.count(Instant::from_millis(bench.now), several);
            assert_eq!(bench.halt(), Some(VehicleHalt::Contested { is_on: true }));
            bench.turn(0, &[A], &["OK"]);
            bench.reset();
            assert_eq!(bench.halt(), Some(VehicleHalt::Lost { is_on: true }), "it may be from B");
            bench.turn(100, &[A], &["OK"]);
            bench.turn(400, &[A], &["OK"]);
            assert_eq!(bench.halt(), Some(VehicleHalt::Contested { is_on: false }));
            bench.reset();
            assert_eq!(bench.halt(), None);
        }
    }

    #[test]
    fn an_estop_counts_from_any_publisher_and_however_late() {
        let publishers: [&[PublisherId]; 3] = [&[], &[B], &[A, B]];
        for publishers in publishers {
            let mut bench = Bench::moving();
            bench.turn(10, publishers, &["ESTOP"]);
            assert!(bench.monitor.is_stopped);
        }
        let mut bench = Bench::moving();
        let now = Instant::from_millis(bench.now);
        bench.monitor.receive(now, MessageTime::new(now, Duration::from_secs(9)), "ESTOP");
        assert_eq!(bench.halt(), Some(VehicleHalt::Estop));
        bench.turn(0, &[A], &[]);
        assert_eq!(bench.halt(), Some(VehicleHalt::LostInEstop { is_on: true }));
    }

    #[test]
    fn what_may_have_waited_confirms_nothing_and_what_is_too_old_is_no_state() {
        let mut bench = Bench::moving();
        bench.turn(100, &[A], &["ESTOP"]);
        bench.turn(100, &[A], &["OK"]);
        bench.turn(1000, &[A], &[]);
        let now = Instant::from_millis(bench.now);
        bench.monitor.receive(now, MessageTime::new(now, Duration::from_millis(601)), "OK");
        assert_eq!(bench.halt(), Some(VehicleHalt::EstopLeft));
        bench.monitor.receive(now, MessageTime::new(now, Duration::from_millis(600)), "OK");
        assert_eq!(bench.halt(), None);
        let mut bench = Bench { monitor: VehicleMonitor::new(), now: 10_000 };
        bench.turn(0, &[A], &[]);
        bench.turn(0, &[A], &[]);
        let now = Instant::from_millis(bench.now);
        bench.monitor.receive(now, MessageTime::new(now, VehicleMonitor::TIMEOUT), "OK");
        assert_eq!((bench.monitor.deadline(), bench.halt()), (None, Some(VehicleHalt::Awaited)));
    }

    #[test]
    fn before_the_first_state_that_is_confirmed_nothing_is_lost() {
        let mut bench = Bench { monitor: VehicleMonitor::new(), now: 0 };
        for publishers in [&[A][..], &[A], &[], &[B], &[B]] {
            bench.turn(100, publishers, &["SSTOP.ROS"]);
            assert_eq!(bench.halt(), Some(VehicleHalt::Awaited), "a vehicle that starts knows no e-stop yet");
        }
        bench.turn(100, &[B], &["ESTOP"]);
        bench.turn(500, &[B], &["OK"]);
        bench.turn(500, &[B], &["OK"]);
        assert_eq!(bench.halt(), None);
        let mut bench = Bench { monitor: VehicleMonitor::new(), now: 0 };
        bench.turn(100, &[B], &["ESTOP"]);
        for after in [100, 500] {
            bench.turn(after, &[B], &["OK"]);
            assert!(matches!(bench.halt(), Some(VehicleHalt::LostInEstop { .. })), "the stop may be from A");
        }
        bench.turn(100, &[B], &["ESTOP"]);
        bench.turn(100, &[A], &[]);
        assert_eq!(bench.halt(), Some(VehicleHalt::LostInEstop { is_on: true }), "an e-stop is remembered");
    }

    #[test]
    fn a_halt_says_how_it_ends() {
        let text = |halt: VehicleHalt| (halt.to_string(), halt.ends());
        let lost = VehicleHalt::LostInEstop { is_on: true };
        assert_eq!(
            text(lost),
            ("the vehicle's state is lost in its emergency stop".into(), HaltEnds::ByResetLater)
        );
        let contested = VehicleHalt::Contested { is_on: false };
        assert_eq!(
            text(contested),
            ("the vehicle's state had more than one publisher".into(), HaltEnds::ByReset)
        );
        assert_eq!(VehicleHalt::Estop.ends(), HaltEnds::Alone);
    }
}
