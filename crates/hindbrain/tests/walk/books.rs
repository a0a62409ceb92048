//! The oracle's records of each topic: absolute times of its messages, and nothing derived from them.
//!
//! The rules of each topic, as exactly as the proof needs them; `docs/safety.md` has them in short.
//!
//! **Command.** A message on `cmd_vel` is a command if all six parts are finite, `linear.x` and `angular.z` are within 100 times full speed,
//! and it is fresh, checked in this order. One that fails before the last check leaves no stamp. Its age is that of its stamp or of its
//! receipt, whichever is older.
//! * A stamp of zero, or up to 0.1 s ahead, counts as now. One that gives no age is refused: one further ahead, that of one nanosecond, and
//!   any other than zero while the clock is unreliable. So is the last such stamp, but that of an accepted command, once ages are known,
//!   until another one was accepted, or refused for this reason.
//! * An age of `cmd_timeout` is refused.
//! * A stamp older than the newest accepted one is refused while that is younger than `cmd_timeout`; then its age alone decides.
//! * A repeated stamp is the same command: its content counts, its age continues from the first.
//!
//! A command is in force until it is `cmd_timeout` old or another one is received. A refused message only sets `CMD_INVALID`; one that was
//! overtaken, or repeats a command that is too old, does not even do that. A velocity within the bounds of a zero, withheld or not, of which only the
//! freshness is wrong, ends the command in force, and is neither a zero command nor `CMD_INVALID`.
//!
//! **Setpoint.** The command in force, in whole millionths of full speed (`wheel_speed`, and `2 * wheel_speed / track` for the turn),
//! rounded toward zero; that of a zero is zero. If one of the two parts is beyond full speed, both are scaled down (in `seed` each by itself). Port is
//! the linear part less the angular part, starboard their sum; if one of these is beyond full speed, both are divided by the same number. Times 66, rounded
//! toward zero, each is a whole count (in `seed` as the original mixes and rounds them).
//!
//! **E-stop.** Without a publisher, and before its first message, there is none, unless `estop.required`. Before its first message one that
//! has a publisher, of any type and reliability, or may have one since the graph cannot be read, is silent, until a message is received or
//! no publisher is counted. Its first message is an emergency stop, also one that says released: the one that was pressed before the start
//! was not reset since. Released lasts `estop.timeout` from the message, less its possible queueing time; then it is silent until a message
//! is received, with or without a publisher.
//!
//! **Enable.** A rise is a true after a false, both received while the topic had no conflict, the false not followed by a conflict, and the
//! true not one that may have been queued for 0.1 s. A repeated true is no rise.
//!
//! **Reset.** The button acts when it is released (false) after a press (false, then true) while something was latched
//! and no cause that requires a reset was present in that snapshot or since, except the latch. A press that may have been queued for 0.1 s
//! does not count, and neither does one before it. During a conflict the button counts as held down since a press that does not count.
//!
//! **Infra-red sensor.** A reading is not clear if it is below `ir.near`, above `ir.far`, NaN, or clear with a stamp that is `ir.timeout` old
//! or that gives no age. A clear one with an older stamp than the newest, or with the same stamp once that is `ir.timeout` old, is ignored.
//! The sensor blocks until it was received and every reading was clear for `ir.timeout`. Silence of `ir.timeout`, counted from the measurement
//! (of a reading that is not clear: from its receipt), counts as never received.

use std::hash::{Hash, Hasher};

/// A time or a span \[ns\]; signed, so a difference is one too.
pub type Ns = i64;

pub const MS: Ns = 1_000_000;

/// How far ahead a stamp may be and still count as current.
const AHEAD: Ns = 100 * MS;

/// The stamp of a message whose sender knew no time.
const NO_TIME: Ns = 1;

/// The age of a message by its stamp and the wall clock, in the document's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Age {
    /// It is stamped, and its stamp gives no age.
    Unknown,
    Of(Ns),
}

/// The age of a message with `stamp`, where the same stamp was first received at `first`, and `unknown` is the last stamp without an age.
fn age(stamp: Ns, at: Moment, first: Option<Ns>, unknown: &mut Option<Ns>) -> Age {
    if stamp == 0 {
        return Age::Of(at.waited);
    }
    if let Some(first) = first
        && at.is_time_known
    {
        // A repeated stamp: its age continues, independent of the wall clock and of a late reader.
        return Age::Of(at.now - first);
    }
    if !at.is_time_known || stamp == NO_TIME || stamp - at.wall > AHEAD || *unknown == Some(stamp) {
        *unknown = Some(stamp);
        return Age::Unknown;
    }
    Age::Of((at.wall - stamp).max(at.waited))
}

/// The setpoint of the wheels, in whole millionths of full speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Want {
    pub linear: i32,
    pub angular: i32,
}

impl Want {
    /// The level of the faster wheel, in millionths of a count where full speed is `full` counts.
    pub fn faster(self, full: i16) -> i32 {
        (self.linear.abs() + self.angular.abs()) * i32::from(full)
    }

    /// It asks for motion, and no wheel has a whole count.
    pub fn is_below_count(self, full: i16) -> bool {
        (1..1_000_000).contains(&self.faster(full))
    }
}

/// A velocity, and whether it is a zero.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    pub want: Want,
    /// A part it uses is beyond 100 times full speed.
    pub beyond: bool,
    /// Each linear part within 0.02 m/s, each angular one within 0.05 rad/s.
    pub neutral: bool,
    pub withheld: bool,
}

impl Want {
    /// From two parts of full speed: beyond it both are scaled down together, or each is limited.
    pub fn of(linear: f64, angular: f64, together: bool) -> Self {
        let most = linear.abs().max(angular.abs());
        let scale = if together && most > 1.0 { most } else { 1.0 };
        let whole = |part: f64| ((part / scale).clamp(-1.0, 1.0) * 1e6).trunc() as i32;
        Self { linear: whole(linear), angular: whole(angular) }
    }
}

/// The messages on `cmd_vel`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Commands {
    /// The command in force, and the time from which it counts.
    pub in_force: Option<(Want, Ns)>,
    /// The newest stamp that was accepted, and the time from which that command counts.
    pub newest: Option<(Ns, Ns)>,
    /// The last stamp without an age; its repetitions are refused too.
    unknown: Option<Ns>,
    pub last_was_refused: bool,
}

/// The result of receiving a message on `cmd_vel`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    Accepted { zero: bool },
    Refused,
}

impl Commands {
    pub fn receive(&mut self, message: Option<Message>, stamp: Ns, at: Moment, timeout: Ns) -> Received {
        let reasonable = message.filter(|message| !message.beyond);
        let Some(Message { want, neutral, withheld, .. }) = reasonable else {
            self.last_was_refused = true;
            return Received::Refused;
        };
        let newest = self.newest.filter(|_| stamp != 0);
        let first = newest.filter(|newest| newest.0 == stamp).map(|newest| newest.1);
        // A stamp ahead of the clock was made before the clock was set back, and does not count as the newest.
        let newest = newest.filter(|(top, _)| first.is_some() || top - at.wall <= AHEAD);
        let judged = age(stamp, at, first, &mut self.unknown);
        // Another one was received since, or it is the same one and too old by now.
        let overtaken = judged != Age::Unknown
            && newest.is_some_and(|(top, born)| {
                stamp < top && at.now - born < timeout || stamp == top && at.now - born >= timeout
            });
        match judged {
            Age::Of(age) if age < timeout && !overtaken => {
                self.in_force = Some((want, at.now - age));
                if stamp != 0 {
                    self.newest = Some((stamp, at.now - age));
                    self.unknown = self.unknown.filter(|_| first.is_some());
                }
                self.last_was_refused = false;
                Received::Accepted { zero: neutral && !withheld }
            }
            _ => {
                self.last_was_refused = (self.last_was_refused || !overtaken) && !neutral;
                if neutral {
                    self.in_force = None;
                }
                Received::Refused
            }
        }
    }

    pub fn pass(&mut self, now: Ns, timeout: Ns) {
        self.in_force = self.in_force.filter(|(_, born)| now - born < timeout);
    }

    pub fn feed(&self, now: Ns, wall: Ns, cap: Ns, into: &mut impl Hasher) {
        self.in_force.map(|(want, born)| (want, now - born)).hash(into);
        let fresh = self.newest.filter(|(_, born)| now - born < cap);
        (fresh.map(|(stamp, born)| (stamp - wall, now - born)), self.last_was_refused).hash(into);
        self.unknown.map(|stamp| (stamp - wall).max(-cap)).hash(into);
    }
}

/// When and how something is received.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    pub now: Ns,
    pub wall: Ns,
    /// Whether stamps give an age.
    pub is_time_known: bool,
    /// How long it may have been queued; zero if no process was suspended.
    pub waited: Ns,
    /// It may have been queued too long to count as recent.
    pub late: bool,
}

/// The messages on `hind/estop`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Estop {
    /// Whether it is pressed, and the time of that message.
    pub last: Option<(bool, Ns)>,
    pub silent: bool,
}

impl Estop {
    pub fn receive(&mut self, pressed: bool, at: Moment) {
        *self = Self { last: Some((pressed, at.now - at.waited)), silent: false };
    }

    pub fn count(&mut self, published: bool) {
        if self.last.is_none() {
            self.silent = published;
        }
    }

    pub fn pass(&mut self, now: Ns, timeout: Ns) {
        self.silent |= self.last.is_some_and(|(pressed, at)| !pressed && now - at >= timeout);
    }

    pub fn feed(&self, now: Ns, cap: Ns, into: &mut impl Hasher) {
        (self
            .last
            .map(|(pressed, at)| (pressed, if pressed || self.silent { 0 } else { (now - at).min(cap) })))
        .hash(into);
        self.silent.hash(into);
    }
}

/// The messages on `hind/enable`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Enable {
    pub last: Option<(bool, Ns)>,
    /// The last message was a false, without a conflict at its receipt or since.
    pub ready_to_rise: bool,
}

impl Enable {
    /// Limits its age to the time for which it counts.
    pub fn forget_before(&mut self, start: Ns) {
        self.last = self.last.map(|(on, at)| (on, at.max(start)));
    }

    /// Whether it is a rise.
    pub fn receive(&mut self, on: bool, at: Moment, conflict: bool) -> bool {
        let rises = on && self.ready_to_rise && !conflict && !at.late;
        self.last = Some((on, at.now - at.waited));
        self.ready_to_rise = !on && !conflict;
        rises
    }

    pub fn feed(&self, now: Ns, cap: Ns, into: &mut impl Hasher) {
        (self.last.map(|(on, at)| (on, if on { (now - at).min(cap) } else { 0 })), self.ready_to_rise)
            .hash(into);
    }
}

/// The messages on `hind/reset`.
#[derive(Clone, Copy, Debug, Hash)]
pub struct Reset {
    pub down: bool,
    /// It went down when a press counts, and was not interrupted.
    pub counts: bool,
}

/// A reading of an infra-red sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seen {
    Clear,
    Blocked,
    Nothing,
}

/// The messages of one infra-red sensor; every field is `None` if it counts as never received.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sensor {
    pub measured: Option<Ns>,
    pub clear_since: Option<Ns>,
    pub invalid: bool,
    /// The newest stamp, and the time from which that reading counts.
    pub newest: Option<(Ns, Ns)>,
    unknown: Option<Ns>,
}

impl Sensor {
    pub fn receive(&mut self, seen: Seen, stamp: Ns, at: Moment, timeout: Ns) {
        let newest = self.newest.filter(|_| stamp != 0);
        let first = newest.filter(|newest| newest.0 == stamp).map(|newest| newest.1);
        // A stamp ahead of the clock was made before the clock was set back, and does not count as the newest.
        let newest = newest.filter(|(top, _)| first.is_some() || top - at.wall <= AHEAD);
        let judged = age(stamp, at, first, &mut self.unknown);
        let born = if let Age::Of(age) = judged { at.now - age } else { at.now };
        let too_old = at.now - born >= timeout;
        let passed =
            |(top, first): (Ns, Ns)| stamp < top && at.now - first < timeout || stamp == top && too_old;
        if seen == Seen::Clear && judged != Age::Unknown && newest.is_some_and(passed) {
            return;
        }
        let refused = judged == Age::Unknown || too_old;
        let clear = seen == Seen::Clear && !refused;
        self.invalid = seen == Seen::Nothing || seen == Seen::Clear && refused;
        self.clear_since = clear.then(|| self.clear_since.unwrap_or(at.now));
        self.measured = Some(if clear { born } else { at.now });
        let overtaken = newest.is_some_and(|(top, first)| stamp < top && at.now - first < timeout);
        if stamp != 0 && !refused && !overtaken {
            self.newest = Some((stamp, born));
            self.unknown = self.unknown.filter(|_| first.is_some());
        }
    }

    pub fn pass(&mut self, now: Ns, timeout: Ns) {
        if self.measured.is_some_and(|measured| now - measured >= timeout) {
            *self = Self { newest: self.newest, unknown: self.unknown, ..Self::default() };
        }
    }

    /// Limits the time that it was clear to the time for which it counts.
    pub fn forget_before(&mut self, start: Ns) {
        self.clear_since = self.clear_since.map(|since| since.max(start));
    }

    pub fn is_blocking(&self, now: Ns, timeout: Ns) -> bool {
        self.clear_since.is_none_or(|since| now - since < timeout)
    }

    pub fn feed(&self, now: Ns, wall: Ns, cap: Ns, into: &mut impl Hasher) {
        let newest = self.newest.map(|(stamp, born)| ((stamp - wall).max(-cap), (now - born).min(cap)));
        let clear = self.clear_since.map(|since| (now - since).min(cap));
        let unknown = self.unknown.map(|stamp| (stamp - wall).max(-cap));
        (self.measured.map(|at| now - at), clear, self.invalid, newest, unknown).hash(into);
    }
}
