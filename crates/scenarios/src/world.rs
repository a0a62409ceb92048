use crate::{Clears, Episode, Fault, Second, Topic};

/// What is said to the vehicle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // the sentences name the fields
pub enum Message {
    /// A command ahead, as a part of full speed, whose stamp lies so many milliseconds behind the clock; `None`: the stamp of the
    /// command before.
    Command { forward: f64, behind: Option<i32> },
    /// `hind/enable`.
    Enable(bool),
    /// `hind/estop`: whether it is pressed.
    Estop(bool),
    /// `hind/reset`: whether it is down.
    Reset(bool),
    /// One of the two sensors in front; `repeated`: with the stamp of its message before.
    Infrared { starboard: bool, reading: Reading, repeated: bool },
    /// A topic has one publisher, and a second one like this.
    Publishers { topic: Topic, second: Option<Second> },
    /// The motor controller works or is lost.
    Device(bool),
    /// A parameter is set; it may be refused.
    Parameter { name: &'static str, value: f64 },
}

/// What a sensor says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Reading {
    Clear,
    Blocked,
    Invalid,
}

/// A machine with motors, as a world of [`Message`]s sees it.
pub trait Vehicle {
    /// The message comes now.
    fn receive(&mut self, message: Message);
    /// Lets time pass, and whatever is due happen.
    fn pass(&mut self, millis: u32);
    /// Lets time pass while the process is held: nothing happens.
    fn hold(&mut self, millis: u32);
    /// The levels that the motors were told last.
    fn levels(&self) -> [i16; 2];
}

/// Everything that talks to a vehicle, in steps of 10 ms: full speed ahead is asked for, the e-stop and the sensors have their
/// heartbeats, and one thing goes wrong.
pub struct World<V> {
    vehicle: V,
    millis: u64,
    fault: Option<Fault>,
    /// Milliseconds since the fault began.
    since: u64,
    /// What full speed is multiplied with.
    throttle: f64,
}

/// One step \[ms\].
const STEP: u32 = 10;

impl<V: Vehicle> World<V> {
    /// Around a vehicle that was just started.
    pub fn new(vehicle: V) -> Self {
        Self { vehicle, millis: 0, fault: None, since: 0, throttle: 1.0 }
    }

    /// The vehicle.
    pub fn vehicle(&self) -> &V {
        &self.vehicle
    }

    /// Starts the vehicle, and drives until it is at full speed.
    /// # Errors
    /// It does not drive.
    pub fn start(&mut self) -> Result<(), String> {
        self.vehicle.receive(Message::Device(true));
        self.run(700, |_| Ok(()))?;
        self.recover(Clears::Reset)
    }

    /// Lets `episode` happen to a vehicle that drives, and gets it to drive again.
    /// # Errors
    /// What the vehicle did that it should not, or did not do.
    pub fn play(&mut self, episode: &Episode) -> Result<(), String> {
        let Episode { fault, lasts } = *episode;
        let bound = fault.bound().map(|bound| (bound * 1000.0).ceil() as u64 + 2 * u64::from(STEP));
        self.begin(fault);
        self.run((lasts * 1000.0) as u64, |world| match bound {
            Some(bound) if world.since > bound => world.expect_stop("during the fault"),
            Some(_) => Ok(()),
            None => world.expect_motion("during the fault"),
        })?;
        self.end(fault);
        if bound.is_none() {
            return self.run(300, |world| world.expect_motion("after the fault"));
        }
        // Long enough for a sensor to have been clear.
        self.run(700, |world| world.expect_stop("after the fault, without anybody's act"))?;
        for lesser in [Clears::Zero, Clears::Enable] {
            if lesser < fault.clears() {
                self.act(lesser)?;
                self.run(200, |world| world.expect_stop("although more is asked for"))?;
            }
        }
        self.recover(fault.clears())
    }

    /// What a person does, and then the vehicle has to drive.
    fn recover(&mut self, clears: Clears) -> Result<(), String> {
        for act in [Clears::Reset, Clears::Enable, Clears::Zero] {
            if act <= clears {
                self.act(act)?;
            }
        }
        self.run(1_000, |_| Ok(()))?;
        self.expect_motion("after the recovery")
    }

    fn act(&mut self, act: Clears) -> Result<(), String> {
        match act {
            Clears::Itself => Ok(()),
            Clears::Zero => {
                self.throttle = 0.0;
                self.run(100, |_| Ok(()))?;
                self.throttle = 1.0;
                Ok(())
            }
            Clears::Enable => self.click(Message::Enable),
            Clears::Reset => {
                self.vehicle.receive(Message::Reset(true));
                self.run(50, |_| Ok(()))?;
                self.vehicle.receive(Message::Reset(false));
                self.run(50, |_| Ok(()))
            }
        }
    }

    /// Off, and on again.
    fn click(&mut self, message: fn(bool) -> Message) -> Result<(), String> {
        self.vehicle.receive(message(false));
        self.run(50, |_| Ok(()))?;
        self.vehicle.receive(message(true));
        self.run(50, |_| Ok(()))
    }

    fn run(&mut self, millis: u64, check: impl Fn(&Self) -> Result<(), String>) -> Result<(), String> {
        let end = self.millis + millis;
        while self.millis < end {
            self.talk();
            self.vehicle.pass(STEP);
            self.millis += u64::from(STEP);
            self.since += u64::from(STEP);
            check(self)?;
        }
        Ok(())
    }

    /// All that is said in this step: each stream at its own rate.
    #[allow(clippy::collapsible_match)] // a guard would fall through to the heartbeat
    fn talk(&mut self) {
        let fault = self.fault;
        let every = |millis: u64| self.millis.is_multiple_of(millis);
        let is_due = |rate: f64| {
            let count = |millis: u64| (millis as f64 * rate / 1000.0) as u64;
            self.since == 0 || count(self.since) > count(self.since - u64::from(STEP))
        };
        // Of the messages of a flicker every so many is a bad one, the first one at least.
        let is_bad = |rate: f64, share: f64| {
            let number = (self.since as f64 * rate / 1000.0) as u64;
            self.since == 0
                || (number as f64 * share) as u64 > (number.saturating_sub(1) as f64 * share) as u64
        };
        let mut messages = Vec::with_capacity(5);
        match fault {
            Some(Fault::EstopPressed { rate, share }) => {
                if is_due(rate) {
                    messages.push(Message::Estop(is_bad(rate, share)));
                }
            }
            Some(Fault::EstopSilent | Fault::LinkCut) => {}
            _ if every(40) => messages.push(Message::Estop(false)),
            _ => {}
        }
        for starboard in [false, true] {
            let clear = Message::Infrared { starboard, reading: Reading::Clear, repeated: false };
            match fault {
                Some(Fault::Infrared { starboard: side, rate, share, invalid }) if side == starboard => {
                    if is_due(rate) {
                        let bad = if invalid { Reading::Invalid } else { Reading::Blocked };
                        let reading = if is_bad(rate, share) { bad } else { Reading::Clear };
                        messages.push(Message::Infrared { starboard, reading, repeated: false });
                    }
                }
                Some(Fault::InfraredSilent { starboard: side }) if side == starboard => {}
                Some(Fault::InfraredRepeated { starboard: side }) if side == starboard => {
                    messages.push(Message::Infrared { starboard, reading: Reading::Clear, repeated: true });
                }
                _ if every(50) => messages.push(clear),
                _ => {}
            }
        }
        if let Some(Fault::SecondSwitchOff { rate, .. }) = fault
            && is_due(rate)
            && self.since > 0
        {
            messages.push(Message::Enable(true));
        }
        let forward = self.throttle;
        if every(20) {
            match fault {
                Some(Fault::CommandSilent | Fault::LinkCut) => {}
                Some(Fault::CommandNonsense { huge }) => {
                    let forward = if huge { 1e6 } else { f64::NAN };
                    messages.push(Message::Command { forward, behind: Some(0) });
                }
                Some(Fault::CommandStamps { behind }) => {
                    messages.push(Message::Command { forward, behind: Some(behind) });
                }
                Some(Fault::CommandRepeated) => messages.push(Message::Command { forward, behind: None }),
                _ => messages.push(Message::Command { forward, behind: Some(0) }),
            }
        }
        messages.into_iter().for_each(|message| self.vehicle.receive(message));
    }

    fn begin(&mut self, fault: Fault) {
        (self.fault, self.since) = (Some(fault), 0);
        match fault {
            Fault::EnableFalse => self.vehicle.receive(Message::Enable(false)),
            Fault::SecondSwitchOff { second, .. } => {
                self.vehicle.receive(Message::Publishers { topic: Topic::Enable, second: Some(second) });
                self.vehicle.receive(Message::Enable(false));
            }
            Fault::SecondPublisher { topic, second } => {
                self.vehicle.receive(Message::Publishers { topic, second: Some(second) });
            }
            Fault::Held { millis } => {
                self.vehicle.hold(millis);
                let steps = u64::from(millis / STEP) * u64::from(STEP);
                (self.millis, self.since) = (self.millis + steps, steps);
            }
            Fault::ParameterSet { name, value } => self.vehicle.receive(Message::Parameter { name, value }),
            Fault::DeviceLost => self.vehicle.receive(Message::Device(false)),
            _ => {}
        }
    }

    fn end(&mut self, fault: Fault) {
        let lasted = i32::try_from(self.since).unwrap_or(i32::MAX);
        (self.fault, self.since) = (None, 0);
        match fault {
            // What waited for the link comes at once, oldest first.
            Fault::LinkCut => {
                for behind in (0..lasted).rev().step_by(20) {
                    self.vehicle.receive(Message::Command { forward: self.throttle, behind: Some(behind) });
                    self.vehicle.receive(Message::Estop(false));
                }
            }
            Fault::SecondSwitchOff { .. } => {
                self.vehicle.receive(Message::Publishers { topic: Topic::Enable, second: None });
            }
            Fault::SecondPublisher { topic, .. } => {
                self.vehicle.receive(Message::Publishers { topic, second: None })
            }
            Fault::DeviceLost => self.vehicle.receive(Message::Device(true)),
            // Somebody switches on again, which is no rise without a false that counts.
            Fault::EnableFalse => self.vehicle.receive(Message::Enable(false)),
            _ => {}
        }
    }

    fn expect_stop(&self, when: &str) -> Result<(), String> {
        match self.vehicle.levels() {
            [0, 0] => Ok(()),
            levels => Err(format!("the motors are at {levels:?} {when}, {} ms after its begin", self.since)),
        }
    }

    fn expect_motion(&self, when: &str) -> Result<(), String> {
        match self.vehicle.levels() {
            [0, 0] => Err(format!("the motors stand {when}, {} ms after its begin", self.since)),
            _ => Ok(()),
        }
    }
}
