use crate::course::FULL;
use crate::message::UNKNOWN;
use crate::plan::{Claim, Plan};
use crate::streams::Streams;
use crate::{
    Driver, Effect, Ending, Episode, Fault, Message, Motion, Needs, Occurrence, PrioritySource, Publishers,
    Setup, Topic, Vehicle,
};

/// One step \[ms\].
pub(crate) const STEP: u64 = 10;
/// How long the vehicle takes at most to drive, once all recovery steps are done \[ms\].
const DRIVE_TIME: u64 = 1_000;
/// How long the vehicle is observed after an act \[ms\].
const OBSERVATION: u64 = 200;
/// How long a motor controller takes at most to recover \[ms\].
const DEVICE_TIME: u64 = 5_000;

/// A vehicle and all message streams to it, in steps of 10 ms: full speed ahead is commanded, the e-stop, the sensors, locks
/// and zones have their heartbeats, and one or more faults occur.
pub struct World<V> {
    vehicle: V,
    streams: Streams,
    plan: Plan,
    /// When the held processes continue.
    held: Vec<(u64, Message)>,
}

/// An action of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Reset,
    Enable,
    Button,
    Zero,
}

const ACTS: [Act; 4] = [Act::Reset, Act::Enable, Act::Button, Act::Zero];

type Check = Result<(), String>;

fn millis(seconds: f64) -> u64 {
    (seconds * 1000.0).ceil() as u64
}

impl<V: Vehicle> World<V> {
    /// For a vehicle that was just started.
    pub fn new(vehicle: V, setup: Setup) -> Self {
        Self { vehicle, streams: Streams::new(setup), plan: Plan::default(), held: Vec::new() }
    }

    /// The vehicle.
    pub fn vehicle(&self) -> &V {
        &self.vehicle
    }

    /// The vehicle.
    pub fn vehicle_mut(&mut self) -> &mut V {
        &mut self.vehicle
    }

    /// Starts the vehicle and drives until it is at full speed.
    /// # Errors
    /// It does not drive.
    pub fn start(&mut self) -> Check {
        self.plan.reset(self.now());
        self.vehicle.receive(Message::Device(None));
        self.vehicle.receive(self.streams.profile());
        self.run(V::START)?;
        self.open()?;
        self.recover(Needs::ALL, false)
    }

    /// Plays `episode` to a vehicle that drives, and makes it drive again.
    /// # Errors
    /// The violation: what the vehicle did or did not do.
    pub fn play(&mut self, episode: &Episode) -> Check {
        self.hand_over(episode.driver)?;
        self.plan.clear(self.now());
        if episode.goes() {
            self.plan.go(self.now(), FULL);
        }
        let start = self.now();
        let mut order: Vec<&Occurrence> = episode.faults.iter().collect();
        order.sort_by(|one, other| one.begins.total_cmp(&other.begins));
        for one in &order {
            self.run_until(start + millis(one.begins))?;
            self.begin(episode, one)?;
        }
        self.run(millis(episode.lasts) + V::SLACK)?;
        if episode.faults.iter().any(|one| matches!(one.fault, Fault::Rearmed { .. })) {
            self.act_in_vain(Act::Enable)?;
        }
        if episode.insists {
            ACTS.into_iter().try_for_each(|act| self.act_in_vain(act))?;
        }
        let end = self.now();
        order.sort_by(|one, other| one.ends.total_cmp(&other.ends));
        for one in &order {
            self.run_until(end + millis(one.ends))?;
            self.end(episode, one)?;
        }
        self.go_on(episode)
    }

    /// The time since the start \[ms\].
    pub fn millis(&self) -> u64 {
        self.now()
    }

    /// Ends what is left of `episode`, which failed, and makes the vehicle drive.
    /// # Errors
    /// It does not drive.
    pub fn restore(&mut self, episode: &Episode) -> Check {
        self.plan.reset(self.now());
        for (_, process) in core::mem::take(&mut self.held) {
            self.vehicle.receive(process);
        }
        for one in &episode.faults {
            if self.streams.faults.iter().any(|(fault, _)| *fault == one.fault) {
                self.end(episode, one)?;
            }
        }
        (self.streams.throttle, self.streams.button) = (1.0, self.streams.driver == Driver::Stick);
        self.plan.reset(self.now());
        self.run(1_000)?;
        self.recover(Needs::ALL, false)
    }

    /// After the faults: the vehicle drives on, by itself or after a person did the recovery steps.
    fn go_on(&mut self, episode: &Episode) -> Check {
        if episode.goes() {
            return self.run(300 + self.plan.until_settled(self.now()));
        }
        // A zone also checks the command that a lock has reduced: while a factor is invalid, nothing of it remains.
        let needs = |one: &Occurrence| match one.fault {
            Fault::ScalingInvalid { .. } => one.course.needs | Needs::ZERO,
            _ => one.course.needs,
        };
        let all = episode.faults.iter().map(needs).fold(Needs::NOTHING, core::ops::BitOr::bitor);
        if all == Needs::NOTHING {
            let latest = episode.faults.iter().filter_map(|one| one.course.resumes).fold(0.0, f64::max);
            self.run(millis(latest))?;
            return self.drives("by itself");
        }
        let certain = episode.faults.iter().filter(|one| episode.is_certain(one));
        let mut certain = certain.map(needs).fold(Needs::NOTHING, core::ops::BitOr::bitor);
        // A flickering switch is switched on again at its end, perhaps after all other faults were over.
        let flickers = episode.faults.iter().any(|one| matches!(one.fault, Fault::EnableFlickers { .. }));
        certain.enable &= certain.reset || !flickers;
        let brakes = episode.faults.iter().map(|one| match one.course.after {
            Motion::Stops(bound) => millis(bound),
            Motion::Goes(..) | Motion::Free => 0,
        });
        // Long enough for a sensor to have been clear.
        self.run(brakes.max().unwrap_or_default() + 700 + V::SLACK)?;
        let lesser = match certain {
            Needs { reset: true, .. } => &[Act::Zero, Act::Button, Act::Enable][..],
            Needs { enable: true, .. } => &[Act::Zero, Act::Button],
            Needs { button: true, .. } => &[Act::Zero],
            _ => &[],
        };
        for act in lesser {
            self.act_in_vain(*act)?;
        }
        self.recover(all, certain == all)
    }

    /// A person does the recovery steps in order, and then the vehicle has to drive; if the need is `certain`, not before.
    fn recover(&mut self, needs: Needs, certain: bool) -> Check {
        let is_stick = self.streams.driver == Driver::Stick;
        let last = if needs.button && is_stick { Act::Button } else { Act::Zero };
        let mut left = needs;
        for act in [Act::Reset, Act::Enable] {
            let is_asked = if act == Act::Reset { needs.reset } else { needs.enable };
            if !is_asked {
                continue;
            }
            if certain {
                self.check_waits_for(left, act)?;
            }
            self.act(act)?;
            self.run(OBSERVATION)?;
            left = match act {
                Act::Reset => left.without_reset(),
                _ => Needs { enable: false, ..left.without_reset() },
            };
        }
        if certain && needs.enable {
            self.check_waits_for(left, last)?;
        }
        self.act(last)?;
        self.drives("after the recovery")
    }

    /// Checks that hindbrain reports exactly `needs` before `act`: the earlier acts have had their effect, and no other.
    fn check_waits_for(&mut self, needs: Needs, act: Act) -> Check {
        let end = self.now() + V::NEWS;
        loop {
            let says = self.vehicle.waits_for();
            // With a latch it need not report what follows the reset.
            if says.reset == needs.reset && (says.reset || says.enable == needs.enable) {
                return Ok(());
            }
            if self.now() >= end {
                return Err(format!("before {act:?} hindbrain waits for {says:?}, must be {needs:?}"));
            }
            self.step()?;
        }
    }

    /// Requires that the vehicle drives at full speed, a second later at the latest.
    fn drives(&mut self, when: &'static str) -> Check {
        self.streams.ended = None; // a stick that took over is back, at rest
        self.plan.clear(self.now());
        self.run(DRIVE_TIME + V::SLACK)?;
        self.plan.go(self.now(), FULL);
        self.plan.set_reason(when);
        self.run(50)
    }

    /// A person acts without effect.
    fn act_in_vain(&mut self, act: Act) -> Check {
        self.act(act)?;
        self.run(OBSERVATION)
    }

    fn act(&mut self, act: Act) -> Check {
        let is_stick = self.streams.driver == Driver::Stick;
        match act {
            Act::Button if !is_stick => Ok(()),
            Act::Zero | Act::Button => {
                self.streams.throttle = 0.0;
                if act == Act::Button {
                    self.streams.button = false;
                    self.run(300)?;
                    self.streams.button = true;
                }
                // The desired velocity follows the stick gradually, and a limit may hold back a command.
                self.run(if is_stick { 900 } else { 400 } + V::SLACK)?;
                self.streams.throttle = 1.0;
                Ok(())
            }
            Act::Enable => self.click(Message::Enable, &[false, true]),
            Act::Reset => self.click(Message::Reset, &[false, true, false]),
        }
    }

    fn click(&mut self, message: fn(bool) -> Message, values: &[bool]) -> Check {
        for &value in values {
            self.vehicle.receive(message(value));
            self.run(50)?;
        }
        Ok(())
    }

    /// The present driver comes to rest and falls silent, and then `driver` drives.
    fn hand_over(&mut self, driver: Driver) -> Check {
        if self.streams.driver == driver {
            return Ok(());
        }
        (self.streams.throttle, self.streams.button) = (0.0, false);
        self.plan.clear(self.now());
        self.run(1_000 + V::SLACK)?;
        self.streams.driver = driver;
        self.run(700)?;
        self.recover(Needs::BUTTON, false)
    }

    fn now(&self) -> u64 {
        self.streams.millis
    }

    fn run_until(&mut self, end: u64) -> Check {
        while self.now() < end {
            self.step()?;
        }
        Ok(())
    }

    fn run(&mut self, time: u64) -> Check {
        self.run_until(self.now() + time)
    }

    fn step(&mut self) -> Check {
        let now = self.now();
        for (_, process) in self.held.extract_if(.., |(until, _)| *until <= now) {
            self.vehicle.receive(process);
        }
        for message in self.streams.due_messages() {
            self.vehicle.receive(message);
        }
        self.streams.millis += self.vehicle.pass(STEP);
        self.plan.judge(now, &self.vehicle.seen())
    }

    /// Waits until the motor controller works.
    fn open(&mut self) -> Check {
        let end = self.now() + DEVICE_TIME;
        while !self.vehicle.is_ready() {
            if self.now() > end {
                return Err("the motor controller does not recover".into());
            }
            self.step()?;
        }
        Ok(())
    }

    fn publish(&mut self, topic: Topic, publishers: Publishers) {
        self.vehicle.receive(Message::Publishers { topic, publishers });
    }

    fn begin(&mut self, episode: &Episode, one: &Occurrence) -> Check {
        let now = self.now();
        let fault = one.fault;
        self.streams.faults.push((fault, now));
        let claim = match one.course.during {
            Motion::Stops(bound) if episode.is_certain(one) || fault.is_steady() => {
                Some(now + millis(bound + episode.late()) + V::SLACK + 2 * STEP)
            }
            Motion::Goes(level, within) if episode.faults.len() == 1 || within > 0.0 && episode.goes() => {
                self.plan.go(now + millis(within) + V::SLACK.min(millis(within)), level);
                None
            }
            _ => None,
        };
        if let Some(from) = claim {
            self.plan.claim(Claim { of: fault, from, until: None });
        }
        if let Some(topic) = fault.deserted(episode.driver, self.streams.setup) {
            self.publish(topic, Publishers::Nobody);
        }
        match fault {
            Fault::EnableFalse => self.vehicle.receive(Message::Enable(false)),
            Fault::ResetJammed => self.vehicle.receive(Message::Reset(true)),
            Fault::SecondSwitchOff { second, .. } => {
                self.publish(Topic::Enable, Publishers::Two(second));
                self.vehicle.receive(Streams::switched_off(second));
            }
            Fault::SecondPublisher { topic, second, .. } => self.publish(topic, Publishers::Two(second)),
            Fault::Held { process, millis } => {
                self.vehicle.receive(Message::Held { process, on: true });
                self.held.push((now + u64::from(millis), Message::Held { process, on: false }));
            }
            Fault::Inactive { process } => self.vehicle.receive(Message::Active { process, on: false }),
            Fault::ParameterSet(change) => {
                let is_accepted = self.vehicle.set(change.node, change.set);
                if is_accepted == (change.effect == Effect::Refused) {
                    return Err(format!("accepted: {is_accepted}, must be otherwise"));
                }
            }
            Fault::DeviceLost { lack } => self.vehicle.receive(Message::Device(Some(lack))),
            Fault::ProfileUnknown => self.vehicle.receive(Message::Profile(UNKNOWN)),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, episode: &Episode, one: &Occurrence) -> Check {
        let now = self.now();
        let fault = one.fault;
        let begun =
            self.streams.faults.iter().find(|(other, _)| *other == fault).map_or(now, |(_, begun)| *begun);
        self.streams.faults.retain(|(other, _)| *other != fault);
        if let Some(topic) = fault.deserted(episode.driver, self.streams.setup) {
            self.publish(topic, Publishers::One);
        }
        match fault {
            // The messages that waited for the link arrive at once, oldest first.
            Fault::LinkCut => {
                let backlog = self.streams.backlog(begun);
                backlog.into_iter().for_each(|message| self.vehicle.receive(message));
            }
            Fault::SecondSwitchOff { .. } => self.publish(Topic::Enable, Publishers::One),
            Fault::SecondPublisher { topic, .. } => {
                self.publish(topic, Publishers::One);
                // A message before the second publisher's departure is discovered counts as one of two publishers.
                if matches!(topic, Topic::Profile | Topic::Reset) {
                    self.run(V::SLACK)?;
                }
                match topic {
                    Topic::Profile => self.vehicle.receive(self.streams.profile()),
                    Topic::Reset => self.vehicle.receive(Message::Reset(false)),
                    _ => {}
                }
            }
            Fault::ResetJammed => self.vehicle.receive(Message::Reset(false)),
            Fault::Inactive { process } => self.vehicle.receive(Message::Active { process, on: true }),
            Fault::DeviceLost { .. } => {
                self.vehicle.receive(Message::Device(None));
                self.open()?;
            }
            // A person switches on again, which is no rise without a false that counts.
            Fault::EnableFalse => self.vehicle.receive(Message::Enable(false)),
            Fault::EnableFlickers { .. } => self.vehicle.receive(Message::Enable(true)),
            Fault::ParameterSet(change) if change.effect != Effect::Refused => {
                let is_accepted = self.vehicle.set(change.node, change.undo);
                is_accepted.then_some(()).ok_or("the previous value is refused")?;
            }
            Fault::ProfileUnknown => self.vehicle.receive(self.streams.profile()),
            // The last message is a bad one.
            Fault::LockClosed | Fault::LockFlickers { .. } => self.vehicle.receive(Message::Lock(true)),
            Fault::Takeover { by: PrioritySource::Dock, ends: Ending::LetsGo, .. } => {
                self.vehicle.receive(Message::Dock { forward: 0.0 });
            }
            Fault::Takeover { by: PrioritySource::Stick | PrioritySource::StickAtRest, ends, .. } => {
                self.streams.ended = Some(ends);
            }
            _ => {}
        }
        self.claim_after(episode, one);
        Ok(())
    }

    /// Sets the requirements after the end of a fault.
    fn claim_after(&mut self, episode: &Episode, one: &Occurrence) {
        let now = self.now();
        let course = &one.course;
        let resumes = course.resumes.map(|at| (now + millis(at)).saturating_sub(2 * STEP));
        match (course.during, course.after) {
            (_, Motion::Goes(level, within)) if episode.goes() && within > 0.0 => {
                self.plan.go(now + millis(within) + V::SLACK, level);
            }
            (Motion::Goes(..), Motion::Stops(bound)) => {
                self.plan.clear(now);
                let from = now + millis(bound) + V::SLACK + 2 * STEP;
                self.plan.claim(Claim { of: one.fault, from, until: resumes });
            }
            (Motion::Stops(_), _) => {
                let until = if episode.is_certain(one) { resumes } else { Some(now) };
                self.plan.end(one.fault, until);
            }
            _ => {}
        }
    }
}
