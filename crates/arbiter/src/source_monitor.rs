use core::time::Duration;

use safety::{Clock, Command, CommandMonitor, Instant, Received, Stale};

use crate::source_stats::{Refused, SourceStats};
use crate::{Invalid, SourceType, Traffic, Verdict, ZeroCause};

/// A source whose first message is received within this time after it was added may have been publishing before, and begins with
/// a zero: a publisher may be discovered only with the middleware's second announcement, after 3 s.
///
/// Requiring a zero of every source, at any time, would be simpler. But navigation begins its first goal with motion, and so does
/// a manual `ros2 topic pub`: the vehicle would stand still without a visible reason.
const ALREADY_SENDING: Duration = Duration::from_secs(5);

/// The state of one source. Its commands are not kept: a command drives from the call that received it or never.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SourceMonitor {
    commands: CommandMonitor,
    /// Why a zero is required, if it is.
    zero_cause: ZeroCause,
    /// When it was added.
    since: Instant,
    is_received: bool,
    /// The fault of the last message that was refused, and when it was received.
    fault: Option<(Verdict, Instant)>,
    /// Until when a late zero keeps the turn of the command that it ended.
    stopped_until: Option<Instant>,
    /// Whether its last command that counted asked for motion, or held the vehicle still.
    pub(crate) is_unreleased: bool,
    pub(crate) stats: SourceStats,
}

impl SourceMonitor {
    /// A source that was added at `now`.
    pub(crate) fn new(now: Instant, kind: SourceType) -> Self {
        let commands = if kind.is_silent_at_rest() {
            CommandMonitor::silent_at_rest()
        } else {
            CommandMonitor::default()
        };
        Self { since: now, commands, ..Self::default() }
    }

    /// Receives a message that is read now, and returns the command that it puts in force.
    ///
    /// * A message that is too old, from the future or invalid ends the command in force. Unless it asked for a stop when nothing
    ///   moved, a zero is required before the next command counts.
    /// * A late message changes nothing, but a late zero stops: the source keeps its turn as long as the command that it ended
    ///   would have.
    /// # Errors
    /// Why it puts no command in force.
    pub(crate) fn receive(
        &mut self,
        clock: &Clock,
        command: Result<Command, Invalid>,
        timeout: Duration,
    ) -> Result<Command, Refused> {
        let now = clock.now();
        self.stats.receive(now);
        if !core::mem::replace(&mut self.is_received, true) && now.since(self.since) < ALREADY_SENDING {
            self.require_zero(ZeroCause::Begins);
        }
        let Ok(command) = command else {
            self.fail(Verdict::Invalid, now);
            return Err(Refused::Invalid);
        };
        let (previous, until) = (self.commands.command(), self.commands.expiry(timeout));
        let waited = self.commands.waits_for_zero();
        match self.commands.receive(clock, command, timeout) {
            Received::InForce => {
                (self.fault, self.stopped_until) = (None, None);
                Ok(command)
            }
            Received::WaitsForZero => {
                self.fault = Some((Verdict::WaitsForZero(self.zero_cause), now));
                Err(Refused::WaitsForZero)
            }
            Received::Stopped(Stale::Late | Stale::Repeated { .. }) => {
                self.stopped_until = until.or(self.stopped_until);
                self.explain(waited, ZeroCause::Begins);
                Err(Refused::Late)
            }
            Received::Refused(Stale::Late) => Err(Refused::Late),
            Received::Refused(Stale::Repeated { .. }) => Err(Refused::Repeated),
            Received::Stopped(stale) | Received::Refused(stale) => {
                let (fault, refused) = match stale {
                    Stale::Ahead { .. } => (Verdict::FromFuture, Refused::FromFuture),
                    _ => (Verdict::TooOld, Refused::TooOld),
                };
                if !command.asks_for_motion() && previous.is_none_or(|command| !command.asks_for_motion()) {
                    self.explain(waited, ZeroCause::Begins);
                    self.fault = Some((fault, now));
                } else {
                    self.explain(waited, ZeroCause::Lost);
                    self.fail(fault, now);
                }
                Err(refused)
            }
        }
    }

    /// Ends the command in force as lost, and requires a zero.
    fn fail(&mut self, fault: Verdict, now: Instant) {
        self.require_zero(ZeroCause::Lost);
        self.commands.lose();
        (self.fault, self.stopped_until) = (Some((fault, now)), None);
    }

    /// Requires a zero before motion.
    pub(crate) fn require_zero(&mut self, cause: ZeroCause) {
        if !self.commands.waits_for_zero() {
            self.zero_cause = cause;
        }
        self.commands.require_zero();
    }

    /// The node's life cycle became active, or left that state: a source from which messages came lately begins with a zero, another one
    /// as if it was added now.
    pub(crate) fn begin_again(&mut self, now: Instant, kind: SourceType) {
        if self.stats.last.is_some_and(|last| now.since(last) < ALREADY_SENDING) {
            self.require_zero(ZeroCause::Begins);
        } else {
            *self = Self { stats: self.stats, ..Self::new(now, kind) };
        }
    }

    /// Lets time pass.
    pub(crate) fn expire(&mut self, now: Instant, timeout: Duration) {
        let (waited, asked_for_motion) = (self.commands.waits_for_zero(), self.commands.asks_for_motion());
        self.commands.expire(now, timeout);
        self.explain(waited, if asked_for_motion { ZeroCause::Lost } else { ZeroCause::Begins });
    }

    /// Records why a zero is required, if it was not before.
    fn explain(&mut self, waited: bool, cause: ZeroCause) {
        if self.commands.waits_for_zero() && !waited {
            self.zero_cause = cause;
        }
    }

    /// Why it may not drive at `now`, without regard to locks and other sources; call [`expire`](Self::expire) before.
    pub(crate) fn hindrance(&self, now: Instant, timeout: Duration) -> Option<Verdict> {
        let has_turn = self.is_in_force() || self.stopped_until.is_some_and(|until| now < until);
        match self.fault {
            Some((Verdict::WaitsForZero(_), at)) if now < at + timeout => {
                Some(Verdict::WaitsForZero(self.zero_cause)) // the latest cause
            }
            Some((fault, at)) if now < at + timeout => Some(fault),
            _ if !self.is_received => Some(Verdict::NeverReceived),
            _ if !has_turn => Some(Verdict::TimedOut),
            _ => self.commands.waits_for_zero().then_some(Verdict::WaitsForZero(self.zero_cause)),
        }
    }

    /// Whether it may no longer drive although it was not released; it is true once for each loss.
    pub(crate) fn take_loss(&mut self, now: Instant, timeout: Duration) -> bool {
        let is_lost = self.is_unreleased && self.hindrance(now, timeout).is_some();
        self.is_unreleased &= !is_lost;
        is_lost
    }

    /// Another source was lost, or parameters changed who drives: it has to begin again with a zero.
    pub(crate) fn lose_another(&mut self) {
        self.require_zero(ZeroCause::OtherLost);
        self.is_unreleased = false;
    }

    /// A zero in its name, which withholds the motion that it asks for.
    pub(crate) fn zero(&self) -> Command {
        Command { withheld: self.asks_for_motion(), ..Command::STOP }
    }

    /// Whether it asks for motion, in force or not.
    pub(crate) fn asks_for_motion(&self) -> bool {
        self.commands.asks_for_motion()
    }

    /// The command in force.
    pub(crate) fn command(&self) -> Option<Command> {
        self.commands.command()
    }

    pub(crate) fn is_in_force(&self) -> bool {
        self.commands.command().is_some()
    }

    /// When the state changes if no message is received.
    pub(crate) fn expiry(&self, now: Instant, timeout: Duration) -> Option<Instant> {
        let fault = self.fault.map(|(_, at)| at + timeout);
        let times = [self.commands.expiry(timeout), self.stopped_until, fault];
        times.into_iter().flatten().filter(|&at| now < at).min()
    }

    /// The counts and rates of its messages.
    pub(crate) fn traffic(&self, now: Instant) -> Traffic {
        self.stats.traffic(now, self.commands.age(now))
    }
}
