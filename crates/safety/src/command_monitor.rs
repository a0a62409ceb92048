//! The commands of one publisher: which one is in force, and whether motion may begin.

use core::time::Duration;

use crate::{Clock, Command, Freshness, Instant, MessageTime, Stale};

/// The result of receiving a command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Received {
    /// It is in force.
    InForce,
    /// It asks for motion where a zero has to come first: nothing moves until this publisher sends a zero.
    WaitsForZero,
    /// It is neutral and stale: it ended the command in force, but motion cannot begin with it.
    Stopped(Stale),
    /// It is stale and changed nothing.
    Refused(Stale),
}

/// The commands of one publisher: which one is in force, for how long, and whether motion may begin.
///
/// * A zero is a neutral velocity behind which no motion is [withheld](Command::withheld).
/// * A command is in force until it is as old as the timeout, see [`Freshness`].
/// * **Motion begins with a zero**: while nothing is in force only a zero counts. So a stage that was restarted, a link that comes
///   back or a process that was held does not drive off by itself.
/// * A publisher that [may fall silent at rest](Self::silent_at_rest) needs the zero only after a command that asked for motion was lost.
/// * **A stop is never too late**: a stale neutral velocity ends what is in force.
/// # Real-time
/// No allocation; constant time.
/// # Source
/// own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CommandMonitor {
    freshness: Freshness,
    in_force: Option<(Command, MessageTime)>,
    waits_for_zero: bool,
    silent_at_rest: bool,
    /// When motion was asked for last, by a command that was not overtaken; `None` since a zero.
    last_motion: Option<Instant>,
}

impl Default for CommandMonitor {
    /// A monitor whose first command must be a zero.
    fn default() -> Self {
        Self {
            freshness: Freshness::default(),
            in_force: None,
            waits_for_zero: true,
            silent_at_rest: false,
            last_motion: None,
        }
    }
}

impl CommandMonitor {
    /// A monitor of a publisher that may be silent while it asks for no motion, as navigation is between two goals: its first command
    /// may ask for motion, and so may a command after a zero and silence.
    pub fn silent_at_rest() -> Self {
        Self { waits_for_zero: false, silent_at_rest: true, ..Self::default() }
    }

    /// Receives a command that is read now.
    /// * `timeout`: the time for which a command counts; call [`expire`](Self::expire) before
    pub fn receive(&mut self, clock: &Clock, command: Command, timeout: Duration) -> Received {
        let asks = command.asks_for_motion();
        let judged = self.freshness.judge(clock, command.stamp, timeout);
        match judged {
            Ok(_) if !asks => self.last_motion = None,
            Ok(_) | Err(Stale::Old { .. } | Stale::Ahead { .. } | Stale::Repeated { .. }) if asks => {
                self.last_motion = Some(clock.now());
            }
            _ => {}
        }
        match judged {
            Err(stale) if command.velocity.is_neutral() => {
                self.in_force = None;
                self.waits_for_zero |= !self.silent_at_rest;
                Received::Stopped(stale)
            }
            Err(stale) => Received::Refused(stale),
            Ok(_) if self.waits_for_zero && asks => Received::WaitsForZero,
            Ok(time) => {
                self.waits_for_zero = false;
                self.in_force = Some((command, time));
                Received::InForce
            }
        }
    }

    /// Lets time pass. Returns whether the command in force timed out.
    pub fn expire(&mut self, now: Instant, timeout: Duration) -> bool {
        if self.last_motion.is_some_and(|at| now.since(at) >= timeout) {
            (self.last_motion, self.waits_for_zero) = (None, true);
        }
        let is_lost = self.in_force.is_some_and(|(_, time)| time.is_expired(now, timeout));
        if is_lost {
            self.lose();
        }
        is_lost
    }

    /// Ends the command in force as lost.
    pub fn lose(&mut self) {
        let in_motion = self.in_force.is_some_and(|(command, _)| command.asks_for_motion());
        self.waits_for_zero |= in_motion || !self.silent_at_rest;
        self.in_force = None;
    }

    /// Ends the command in force as lost, by a command that asks for motion and cannot be followed.
    /// * `now`: the time of its receipt
    pub fn refuse(&mut self, now: Instant) {
        self.lose();
        (self.last_motion, self.waits_for_zero) = (Some(now), true);
    }

    /// Requires a zero before motion.
    pub fn require_zero(&mut self) {
        self.waits_for_zero = true;
    }

    /// Whether a zero is required before motion.
    pub fn waits_for_zero(&self) -> bool {
        self.waits_for_zero
    }

    /// Whether its publisher asks for motion as of the last call, whether or not a command is in force: a zero that another
    /// stage sends in its place then withholds motion.
    pub fn asks_for_motion(&self) -> bool {
        self.last_motion.is_some()
    }

    /// The command in force.
    pub fn command(&self) -> Option<Command> {
        self.in_force.map(|(command, _)| command)
    }

    /// The age of the command in force.
    pub fn age(&self, now: Instant) -> Option<Duration> {
        self.in_force.map(|(_, time)| time.age(now))
    }

    /// When the command in force times out if no other is received.
    pub fn expiry(&self, timeout: Duration) -> Option<Instant> {
        self.in_force.map(|(_, time)| time.expiry(timeout))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_clock::{TIMEOUT, clock, ms, wall};
    use crate::{Stamp, Velocity};

    fn command(forward: f64, stamp: Stamp) -> Command {
        Command::new(Velocity::planar(forward, 0.0).unwrap(), stamp)
    }

    #[test]
    fn after_a_loss_in_motion_a_zero_has_to_come_first() {
        let mut monitor = CommandMonitor::silent_at_rest();
        let drive = command(1.0, Stamp::ZERO);
        assert_eq!(monitor.receive(&clock(0), drive, TIMEOUT), Received::InForce);
        assert!(!monitor.expire(Instant::from_millis(499), TIMEOUT));
        assert!(monitor.expire(Instant::from_millis(500), TIMEOUT) && monitor.command().is_none());
        assert_eq!(monitor.receive(&clock(600), drive, TIMEOUT), Received::WaitsForZero);
        assert_eq!(monitor.command(), None);
        assert_eq!(monitor.receive(&clock(610), Command::STOP, TIMEOUT), Received::InForce);
        assert_eq!(monitor.receive(&clock(620), drive, TIMEOUT), Received::InForce);
    }

    #[test]
    fn after_silence_a_zero_comes_first_unless_the_publisher_may_be_silent_at_rest() {
        for (mut monitor, expected) in [
            (CommandMonitor::default(), Received::WaitsForZero),
            (CommandMonitor::silent_at_rest(), Received::InForce),
        ] {
            monitor.receive(&clock(0), Command::STOP, TIMEOUT);
            assert!(monitor.expire(Instant::from_millis(700), TIMEOUT));
            assert_eq!(monitor.receive(&clock(700), command(1.0, Stamp::ZERO), TIMEOUT), expected);
        }
    }

    #[test]
    fn a_stale_zero_stops_and_does_not_allow_motion() {
        let mut monitor = CommandMonitor::silent_at_rest();
        monitor.receive(&clock(1000), command(1.0, wall(1000)), TIMEOUT);
        let late = monitor.receive(&clock(1010), command(0.0, wall(990)), TIMEOUT);
        assert_eq!((late, monitor.command()), (Received::Stopped(Stale::Late), None));
        let mut monitor = CommandMonitor::default();
        let old = monitor.receive(&clock(1000), command(0.0, wall(0)), TIMEOUT);
        assert_eq!((old, monitor.waits_for_zero()), (Received::Stopped(Stale::Old { age: ms(1000) }), true));
    }

    #[test]
    fn the_first_command_is_a_zero() {
        let mut monitor = CommandMonitor::default();
        assert_eq!(monitor.receive(&clock(0), command(1.0, Stamp::ZERO), TIMEOUT), Received::WaitsForZero);
        assert_eq!(monitor.receive(&clock(1), command(0.003, Stamp::ZERO), TIMEOUT), Received::InForce);
        assert_eq!(monitor.receive(&clock(2), command(1.0, Stamp::ZERO), TIMEOUT), Received::InForce);
    }

    #[test]
    fn a_refused_command_asks_for_motion_and_waits_for_a_zero() {
        let mut monitor = CommandMonitor::silent_at_rest();
        monitor.receive(&clock(0), command(1.0, Stamp::ZERO), TIMEOUT);
        monitor.refuse(Instant::from_millis(10));
        assert!(monitor.command().is_none() && monitor.waits_for_zero() && monitor.asks_for_motion());
        monitor.expire(Instant::from_millis(510), TIMEOUT);
        assert!(!monitor.asks_for_motion() && monitor.waits_for_zero(), "it fell silent");
    }

    #[test]
    fn a_zero_that_withholds_motion_stops_and_does_not_allow_motion() {
        let withheld = command(1.0, Stamp::ZERO).reduced_to(Velocity::ZERO);
        let mut monitor = CommandMonitor::default();
        assert_eq!(monitor.receive(&clock(0), withheld, TIMEOUT), Received::WaitsForZero);
        let mut monitor = CommandMonitor::silent_at_rest();
        assert_eq!(monitor.receive(&clock(0), command(1.0, Stamp::ZERO), TIMEOUT), Received::InForce);
        assert_eq!(monitor.receive(&clock(1), withheld, TIMEOUT), Received::InForce);
        assert_eq!(monitor.command(), Some(withheld));
        assert!(monitor.expire(Instant::from_millis(501), TIMEOUT) && monitor.waits_for_zero());
    }

    #[test]
    fn after_a_stale_zero_a_stream_begins_again_with_a_zero() {
        let mut monitor = CommandMonitor::default();
        assert_eq!(monitor.receive(&clock(1000), command(0.0, wall(1000)), TIMEOUT), Received::InForce);
        assert!(!monitor.waits_for_zero());
        let late = monitor.receive(&clock(1010), command(0.0, wall(990)), TIMEOUT);
        assert_eq!((late, monitor.waits_for_zero()), (Received::Stopped(Stale::Late), true));
    }

    #[test]
    fn a_stale_motion_command_changes_nothing() {
        let mut monitor = CommandMonitor::silent_at_rest();
        let drive = command(1.0, wall(1000));
        monitor.receive(&clock(1000), drive, TIMEOUT);
        let late = monitor.receive(&clock(1010), command(0.5, wall(990)), TIMEOUT);
        assert_eq!((late, monitor.command()), (Received::Refused(Stale::Late), Some(drive)));
    }

    #[test]
    fn the_age_and_the_end_of_the_command_in_force_are_known() {
        let mut monitor = CommandMonitor::silent_at_rest();
        assert_eq!((monitor.age(Instant::from_millis(5)), monitor.expiry(TIMEOUT)), (None, None));
        monitor.receive(&clock(1000), command(1.0, wall(900)), TIMEOUT);
        assert_eq!(monitor.age(Instant::from_millis(1050)), Some(ms(150)));
        assert_eq!(monitor.expiry(TIMEOUT), Some(Instant::from_millis(1400)));
    }

    #[test]
    fn a_publisher_that_has_to_send_a_zero_moves_nothing_before_it() {
        let mut monitor = CommandMonitor::silent_at_rest();
        monitor.require_zero();
        let held = monitor.receive(&clock(0), command(1.0, Stamp::ZERO), TIMEOUT);
        assert_eq!((held, monitor.waits_for_zero()), (Received::WaitsForZero, true));
    }

    #[test]
    fn a_request_for_motion_is_known_whether_or_not_it_is_in_force() {
        let mut monitor = CommandMonitor::silent_at_rest();
        monitor.require_zero();
        monitor.receive(&clock(0), command(1.0, Stamp::ZERO), TIMEOUT);
        assert!(monitor.asks_for_motion(), "it waits for a zero");
        monitor.receive(&clock(10), command(0.0, wall(10)), TIMEOUT);
        assert!(!monitor.asks_for_motion());
        monitor.receive(&clock(20), command(1.0, wall(5)), TIMEOUT);
        assert!(!monitor.asks_for_motion(), "an overtaken command does not count");
        monitor.receive(&clock(700), command(1.0, wall(100)), TIMEOUT);
        monitor.receive(&clock(710), command(0.0, wall(90)), TIMEOUT);
        assert!(
            monitor.asks_for_motion(),
            "a stale command asks for motion, and a stale zero does not cancel it"
        );
        monitor.expire(Instant::from_millis(1_199), TIMEOUT);
        assert!(monitor.asks_for_motion() && !monitor.waits_for_zero());
        monitor.expire(Instant::from_millis(1_200), TIMEOUT);
        assert!(!monitor.asks_for_motion() && monitor.waits_for_zero(), "silence after it is a loss");
    }
}
