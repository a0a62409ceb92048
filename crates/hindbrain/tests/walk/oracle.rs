//! The behaviour that the document (`docs/safety.md`, "The rules of hindbrain") defines. From the machine the oracle uses only the
//! inputs, the outputs and the parameter values.

use std::hash::{Hash, Hasher};

use hindbrain::{Cause, Causes, Input, Params, SoleTopic, StopState};
use safety::PublisherCount;

use crate::books::{Commands, Enable, Estop, MS, Message, Moment, Ns, Received, Reset, Seen, Sensor, Want};
use crate::motion::Motion;
use crate::table::{Asks, Does, any, asks, does, state_of};
use crate::wheel::{Aim, Slopes};

/// How late a call may be before received messages may have been queued.
const LATE: Ns = 20 * MS;
/// How long after that messages may still have been queued.
const HELD: Ns = 50 * MS;

/// An act of a person that may have been queued for this time is not recent.
const LONG: Ns = 100 * MS;

/// The latched stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Latch {
    Fault,
    Estop,
}

/// The state of the motor controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Device {
    NeverOpened,
    Open,
    Lost,
}

/// A late call, the last one before it, and since when messages may have been queued.
#[derive(Clone, Copy, Debug)]
struct Hold {
    seen: Ns,
    before: Ns,
    since: Ns,
}

/// Everything that was received, and its consequences.
#[derive(Clone, Copy, Debug)]
pub struct Oracle {
    pub params: Params,
    wall: Ns,
    is_time_known: bool,
    last_call: Option<Ns>,
    last_snapshot: Option<Ns>,
    /// The time since the last motor values.
    unsent: Ns,
    held: Option<Hold>,
    pub commands: Commands,
    /// The command was discarded when the state became OK.
    taken_back: bool,
    zero: bool,
    estop: Estop,
    enable: Enable,
    armed: bool,
    reset: Reset,
    sensors: [Sensor; 4],
    conflicts: [bool; 5],
    device: Device,
    inactive: bool,
    stopping: bool,
    latch: Option<Latch>,
    overrun: bool,
    pub state: StopState,
    pub causes: Causes,
    motion: Motion,
    /// The target of each wheel since the last snapshot.
    aims: [Aim; 2],
    became_ok: bool,
    /// There was a snapshot since the levels were checked.
    has_snapshot: bool,
}

/// The events within one snapshot.
#[derive(Default)]
struct Now {
    rises: bool,
    resets: bool,
    fresh: bool,
    fresh_zero: bool,
    first_estop: bool,
    unwatched: bool,
    interrupted: bool,
}

impl Oracle {
    pub fn new(params: Params, state: StopState, causes: Causes) -> Self {
        Self {
            params,
            wall: 0,
            is_time_known: true,
            last_call: None,
            last_snapshot: None,
            unsent: 0,
            held: None,
            commands: Commands::default(),
            taken_back: false,
            zero: false,
            estop: Estop::default(),
            enable: Enable::default(),
            armed: false,
            reset: Reset { down: true, counts: false },
            sensors: [Sensor::default(); 4],
            conflicts: [false; 5],
            device: Device::NeverOpened,
            inactive: false,
            stopping: false,
            latch: None,
            overrun: false,
            state,
            causes,
            motion: Motion::STILL,
            aims: [Aim::REST; 2],
            became_ok: false,
            has_snapshot: false,
        }
    }

    /// The machine is called at `now`; its next motor value was due at `due`.
    fn called(&mut self, now: Ns, due: Option<Ns>) {
        let before = self.last_call.unwrap_or(now);
        let unread = self.held.filter(|held| before - held.seen < HELD);
        // Further late calls do not make a hold longer.
        self.held = self.held.filter(|held| now - held.seen < HELD);
        let late = due.map_or(0, |due| now - due);
        if late > LATE && before < now && self.held.is_none() {
            let since = unread.filter(|_| late > HELD).map_or(before, |held| held.before);
            self.held = Some(Hold { seen: now, before, since });
        }
        self.unsent = due.map_or(0, |due| now - (due - 20 * MS)); // due a tick after the last ones
        self.wall += now - before;
        self.last_call = Some(now);
    }

    /// A thread that emptied its queue at `since` and was due at `due` reads again.
    pub fn read_again(&mut self, now: Ns, since: Ns, due: Ns) {
        if now - due > LATE && now - since > self.waited(now) {
            self.held = Some(Hold { seen: now, before: since, since });
        }
    }

    /// How long a message may have been queued.
    pub fn waited(&self, now: Ns) -> Ns {
        self.held.map_or(0, |held| now - held.since)
    }

    /// The moment of a call, after [`called`](Self::called).
    fn moment(&self, now: Ns) -> Moment {
        let waited = self.waited(now);
        Moment { now, wall: self.wall, is_time_known: self.is_time_known, waited, late: waited >= LONG }
    }

    /// Predicts the state and the causes after a call without an event.
    pub fn polled(&mut self, now: Ns, due: Option<Ns>, is_due: bool, takes_snapshot: bool) {
        self.called(now, due);
        if is_due {
            self.pass(now);
        }
        if takes_snapshot {
            self.snapshot(now, &Now::default());
        }
    }

    /// Predicts one more snapshot at the same time.
    pub fn snapshot_again(&mut self, now: Ns) {
        self.snapshot(now, &Now::default());
    }

    /// Predicts the state and the causes after a call with an event.
    pub fn handled(&mut self, now: Ns, due: Option<Ns>, input: &Input) {
        self.called(now, due);
        if let Input::ClockRead(reading) = input {
            // The reading of the clock is expected before its events.
            (self.wall, self.is_time_known) = (reading.stamp.as_nanos(), reading.is_reliable);
            return;
        }
        if let Input::ParametersChanged(params) = input
            && self.accepts_parameters()
        {
            // An age beyond its limit does not restart.
            let (core, last) = (self.params.core, self.last_snapshot.unwrap_or(now));
            self.enable.forget_before(last - core.lease as Ns);
            for sensor in &mut self.sensors {
                sensor.forget_before(last - core.infrared.timeout as Ns);
            }
            self.params = *params;
        }
        self.pass(now);
        let what = self.receive(self.moment(now), input);
        self.snapshot(now, &what);
    }

    fn pass(&mut self, now: Ns) {
        let core = &self.params.core;
        self.commands.pass(now, core.command_timeout as Ns);
        self.estop.pass(now, core.estop_timeout as Ns);
        for sensor in &mut self.sensors {
            sensor.pass(now, core.infrared.timeout as Ns);
        }
    }

    fn receive(&mut self, at: Moment, input: &Input) -> Now {
        let mut what = Now::default();
        let core = &self.params.core;
        match input {
            Input::ClockRead(_) | Input::ParametersChanged(_) => {}
            Input::CommandReceived(message) => {
                let full = &self.params.full_speed;
                let want = message.ok().map(|command| {
                    let parts =
                        [command.velocity.forward() / full.linear, command.velocity.turn() / full.angular];
                    let neutral = command.velocity.linear().iter().all(|part| part.abs() <= 0.02)
                        && command.velocity.angular().iter().all(|part| part.abs() <= 0.05);
                    let [linear, angular] = if neutral { [0.0; 2] } else { parts };
                    Message {
                        want: Want::of(linear, angular, core.strict),
                        beyond: parts.iter().any(|part| part.abs() > 100.0),
                        neutral,
                        withheld: command.withheld,
                    }
                });
                let stamp = message.map_or(0, |command| command.stamp.as_nanos());
                if let Received::Accepted { zero } =
                    self.commands.receive(want, stamp, at, core.command_timeout as Ns)
                {
                    (what.fresh, what.fresh_zero, self.taken_back) = (true, zero, false);
                }
            }
            &Input::EnableReceived(on) => what.rises = self.enable.receive(on, at, self.conflicts[1]),
            &Input::EstopReceived(pressed) => {
                what.first_estop = self.estop.last.is_none();
                self.estop.receive(pressed, at);
            }
            // During a conflict every message counts as held down.
            Input::ResetReceived(_) if self.conflicts[3] => {}
            &Input::ResetReceived(down) => {
                let pressed = down && !at.late;
                what.resets = !down && self.reset.counts;
                let goes_down = pressed && !self.reset.down;
                self.reset.counts = pressed && (self.reset.counts || goes_down && self.latch.is_some());
                self.reset.down = down;
            }
            &Input::IrReceived { sensor, distance, stamp } => {
                let index = sensor as usize;
                if core.infrared.fitted[index] {
                    let limits = &self.params.infrared;
                    let seen = match distance {
                        Some(d) if d == f64::NEG_INFINITY || d >= 0.0 && d < limits.near => Seen::Blocked,
                        Some(d) if limits.far.is_some_and(|far| d > far) => Seen::Blocked,
                        Some(d) if d >= 0.0 => Seen::Clear,
                        _ => Seen::Nothing,
                    };
                    self.sensors[index].receive(seen, stamp.as_nanos(), at, core.infrared.timeout as Ns);
                }
            }
            Input::PublishersCounted(publishers) => {
                for topic in SoleTopic::ALL {
                    let single = PublisherCount::Known { compatible: 1, incompatible: 0 };
                    self.conflicts[topic as usize] =
                        ![PublisherCount::NONE, single].contains(&publishers.of(topic));
                }
                self.estop.count(publishers.of(SoleTopic::Estop) != PublisherCount::NONE);
                self.enable.ready_to_rise &= !self.conflicts[1];
                if self.conflicts[3] {
                    self.reset = Reset { down: true, counts: false };
                }
            }
            Input::DeviceOpened => self.device = Device::Open,
            Input::DeviceLost => self.device = Device::Lost,
            Input::ActivityChanged(active) => self.inactive = !active,
            Input::Unwatched => what.unwatched = true,
            Input::Interrupted => what.interrupted = true,
            Input::Stopping => self.stopping = true,
        }
        what
    }

    /// The newest stamps that were accepted, of commands and of each sensor.
    pub fn newest(&self) -> [Option<Ns>; 5] {
        let [a, b, c, d] = self.sensors.map(|sensor| sensor.newest.map(|newest| newest.0));
        [self.commands.newest.map(|newest| newest.0), a, b, c, d]
    }

    /// Whether there was no snapshot yet.
    pub fn is_new(&self) -> bool {
        self.last_snapshot.is_none()
    }

    /// Whether the node ends: it stops, and ignores everything else.
    pub fn is_ending(&self) -> bool {
        self.stopping
    }

    /// Whether parameters may change.
    pub fn accepts_parameters(&self) -> bool {
        self.state != StopState::Ok && self.motion.levels() == [0; 2]
    }

    fn is_strict(&self) -> bool {
        self.params.core.strict
    }

    /// The present setpoint.
    pub fn wanted(&self) -> Want {
        match self.commands.in_force {
            Some((want, _)) if !self.taken_back => want,
            _ => Want::default(),
        }
    }

    /// The setpoint that passes: without its turn before an obstacle.
    fn passes(&self, now: Ns) -> Want {
        let is_clear = self.blocked(now) == [false, false];
        if is_clear { self.wanted() } else { Want { angular: 0, ..self.wanted() } }
    }

    /// Whether front and back are blocked.
    fn blocked(&self, now: Ns) -> [bool; 2] {
        let ir = &self.params.core.infrared;
        [0, 2].map(|end| {
            (end..end + 2).any(|i| ir.fitted[i] && self.sensors[i].is_blocking(now, ir.timeout as Ns))
        })
    }

    fn is_way_blocked(&self, blocked: [bool; 2]) -> bool {
        let toward = match blocked {
            [false, false] => return false,
            [true, true] => return true,
            _ if !self.is_strict() => return true,
            [true, false] => 1,
            [false, true] => -1,
        };
        let want = self.wanted();
        let moves = want.faster(self.params.core.full) >= 1_000_000;
        let leads_away = want.linear * i32::from(toward) < 0 && want.angular.abs() <= want.linear.abs();
        self.motion.levels().iter().any(|level| level.signum() == toward) || moves && !leads_away
    }

    /// The causes that do not depend on earlier states.
    fn present(&self, now: Ns, what: &Now) -> Causes {
        let core = &self.params.core;
        let fitted = || (0..4).filter(|&i| core.infrared.fitted[i]).map(|i| &self.sensors[i]);
        let [front, back] = self.blocked(now);
        let enabled = self.enable.last.is_some_and(|(on, _)| on);
        let lapsed = self.enable.last.is_some_and(|(_, at)| core.lease > 0 && now - at >= core.lease as Ns);
        let moved = self.state == StopState::Ok || self.motion.levels() != [0; 2];
        let late = self.last_snapshot.is_some_and(|last| now - last > core.overrun_limit as Ns);
        Causes::NONE
            .with(Cause::CommandInvalid, self.commands.last_was_refused)
            .with(Cause::IrInvalid, fitted().any(|sensor| sensor.invalid))
            .with(Cause::IrStale, fitted().any(|sensor| sensor.measured.is_none()))
            .with(Cause::FrontBlocked, front)
            .with(Cause::BackBlocked, back)
            .with(Cause::CommandStale, self.commands.in_force.is_none())
            .with(Cause::WayBlocked, self.is_way_blocked([front, back]))
            .with(Cause::LeaseLapsed, enabled && lapsed)
            .with(Cause::NotEnabled, !enabled)
            .with(Cause::DeviceUnready, core.device_required && self.device == Device::NeverOpened)
            .with(Cause::MotorGap, moved && (self.unsent > core.gap_limit as Ns || what.interrupted))
            .with(Cause::CommandConflict, self.conflicts[0])
            .with(Cause::EnableConflict, self.conflicts[1])
            .with(Cause::MotorConflict, self.conflicts[4])
            .with(Cause::ResetConflict, self.conflicts[3])
            .with(Cause::Inactive, self.inactive)
            .with(Cause::Stopping, self.stopping)
            .with(Cause::DeviceLost, self.device == Device::Lost)
            .with(Cause::Overrun, moved && (late || what.unwatched))
            .with(Cause::EstopConflict, self.conflicts[2])
            .with(Cause::EstopStale, self.estop.silent || core.estop_required && self.estop.last.is_none())
            .with(Cause::EstopLatched, what.first_estop && self.is_strict())
            .with(Cause::EstopPressed, self.estop.last.is_some_and(|(pressed, _)| pressed))
    }

    fn snapshot(&mut self, now: Ns, what: &Now) {
        self.pass(now);
        let mut causes = self.present(now, what);
        if self.is_strict() {
            causes = self.with_what_stays(causes, what);
        }
        let state = state_of(causes);
        let is_below = self.is_strict() && self.passes(now).is_below_count(self.params.core.full);
        let is_followed = state == StopState::Ok && !any(causes, Does::Brake);
        causes = causes.with(Cause::CommandBelowCount, is_below && is_followed);
        self.became_ok = state == StopState::Ok && self.state != StopState::Ok;
        if self.became_ok && !what.fresh {
            self.taken_back = true;
        }
        (self.state, self.causes, self.last_snapshot) = (state, causes, Some(now));
        self.aims = self.aim(now);
        self.has_snapshot = true;
    }

    /// The additional causes of the profile `strict`.
    fn with_what_stays(&mut self, present: Causes, what: &Now) -> Causes {
        let resets = asks(present) == Asks::Reset;
        self.reset.counts &= !resets;
        let reset = what.resets && !resets;
        if reset {
            (self.latch, self.overrun) = (None, false);
        }
        self.latch = self.latch.max(match does(present) {
            Does::EmergencyStop => Some(Latch::Estop),
            Does::Fault => Some(Latch::Fault),
            _ => None,
        });
        self.overrun |= present.contains(Cause::Overrun);
        let causes = present
            .with(Cause::Overrun, self.overrun)
            .with(Cause::FaultLatched, self.latch == Some(Latch::Fault))
            .with(Cause::EstopLatched, self.latch == Some(Latch::Estop));
        let enabled = self.enable.last.is_some_and(|(on, _)| on);
        self.armed = (self.armed || what.rises) && !reset && asks(causes) < Asks::Enable;
        let causes = causes.with(Cause::NotArmed, enabled && !self.armed && self.latch.is_none());
        let asked = asks(causes) >= Asks::Zero;
        self.zero = (self.zero || what.fresh_zero) && !asked;
        causes.with(Cause::NeutralWait, !self.zero && !asked)
    }

    /// The possible targets of each wheel: whole millionths, times full, rounded toward zero.
    fn aim(&self, now: Ns) -> [Aim; 2] {
        if self.state != StopState::Ok || self.became_ok || any(self.causes, Does::Brake) {
            return [Aim::REST; 2];
        }
        let full = self.params.core.full;
        if !self.is_strict() {
            // The original's mixing, as documented: a turn slows one wheel, and there is no turn in place.
            return [Aim::up_to(f64::from(self.wanted().linear) / 1e6, full); 2];
        }
        let Want { linear, angular } = self.passes(now);
        let parts = [linear - angular, linear + angular];
        // If one is beyond full speed, both are divided by the same number.
        let most = parts[0].abs().max(parts[1].abs()).max(1_000_000);
        parts.map(|part| Aim::at(i32::from(full) * part, most))
    }

    /// Whether these are the previous levels.
    pub fn stands(&self, levels: [i16; 2]) -> bool {
        let known = self.motion.levels();
        known == levels || known == [0, 1].map(|i| self.aims[i].meant(known[i], levels[i]))
    }

    /// Whether there was a snapshot, or these are the previous levels.
    pub fn accepts_levels(&self, levels: [i16; 2]) -> bool {
        self.has_snapshot || self.stands(levels)
    }

    /// Checks the levels that the machine sends after the snapshot.
    /// # Errors
    /// A description of what is wrong.
    pub fn judge(&mut self, levels: [i16; 2], now: Ns) -> Result<(), String> {
        if !self.has_snapshot {
            let stands = self.stands(levels).then_some(());
            return stands.ok_or_else(|| format!("moves without a cause: {levels:?}"));
        }
        self.has_snapshot = false;
        let core = &self.params.core;
        let driving = self.state == StopState::Ok;
        if self.became_ok && levels != [0, 0] {
            return Err(format!("moves in the snapshot in which the state becomes OK: {levels:?}"));
        }
        if levels.iter().any(|level| level.abs() > core.full) {
            return Err(format!("beyond full: {levels:?}"));
        }
        let rest = if core.strict { core.slopes.rest as Ns } else { 0 };
        let slopes = Slopes { away: core.slopes.accel as i64, toward: core.slopes.decel as i64, rest };
        self.motion.follow(levels, now, driving, slopes, self.aims, core.strict)
    }

    /// Whether anything may move.
    pub fn may_move(&self) -> bool {
        self.state == StopState::Ok && !any(self.causes, Does::Brake)
    }

    /// Hashes its state, with times relative to `now`; ages that no longer matter count as `cap`.
    pub fn feed(&self, now: Ns, asked: Option<Ns>, cap: Ns, into: &mut impl Hasher) {
        asked.map(|asked| asked - now).hash(into);
        (self.is_time_known, self.last_call.map(|at| now - at)).hash(into);
        self.last_snapshot.map(|at| (now - at).min(cap)).hash(into);
        self.held.map(|held| (now - held.seen, now - held.before, now - held.since)).hash(into);
        self.commands.feed(now, self.wall, cap, into);
        self.estop.feed(now, cap, into);
        self.enable.feed(now, self.params.core.lease as Ns, into);
        for (sensor, fitted) in self.sensors.iter().zip(self.params.core.infrared.fitted) {
            if fitted {
                sensor.feed(now, self.wall, self.params.core.infrared.timeout as Ns, into);
            }
        }
        self.motion.feed(now, self.params.core.slopes.rest as Ns, self.is_strict(), into);
        (self.taken_back, self.zero, self.armed, self.reset, self.conflicts, self.device).hash(into);
        (self.inactive, self.stopping, self.latch, self.overrun, self.state, self.causes).hash(into);
    }
}
