use crate::streams::{STEP, Streams};
use crate::{
    Clears, Driver, Effect, Ending, Episode, Fault, Message, Motion, Publishers, Rival, Setup, Topic, Vehicle,
};

/// A vehicle and everything that talks to it, in steps of 10 ms: full speed ahead is asked for, the e-stop, the sensors, locks and
/// zones have their heartbeats, and one thing goes wrong.
pub struct World<V> {
    vehicle: V,
    streams: Streams,
}

/// What a person can do, in the order in which it helps.
const ACTS: [Clears; 4] = [Clears::Reset, Clears::Enable, Clears::Button, Clears::Zero];

type Check = Result<(), String>;

fn millis(seconds: f64) -> u64 {
    (seconds * 1000.0).ceil() as u64
}

impl<V: Vehicle> World<V> {
    /// Around a vehicle that was just started.
    pub fn new(vehicle: V, setup: Setup) -> Self {
        Self { vehicle, streams: Streams::new(setup) }
    }

    /// The vehicle.
    pub fn vehicle(&self) -> &V {
        &self.vehicle
    }

    /// Starts the vehicle, and drives until it is at full speed.
    /// # Errors
    /// It does not drive.
    pub fn start(&mut self) -> Check {
        self.vehicle.receive(Message::Device(true));
        self.run(700, |_| Ok(()))?;
        self.recover(Clears::Reset)
    }

    /// Lets `episode` happen to a vehicle that drives, and gets it to drive again.
    /// # Errors
    /// What the vehicle did that it should not, or did not do.
    pub fn play(&mut self, episode: &Episode) -> Check {
        let Episode { driver, fault, lasts, insists, course } = *episode;
        self.hand_over(driver)?;
        self.begin(fault);
        self.watch(millis(lasts), course.during, "during the fault")?;
        let acts = match fault {
            Fault::Rearmed { .. } => &[Clears::Enable],
            _ if insists => &ACTS[..],
            _ => &[],
        };
        for act in acts {
            self.act(*act)?;
            self.watch(200, Motion::Stops(0.0), "during the fault, by what a person does")?;
        }
        self.end(fault);
        if let Some(at) = course.resumes {
            if course.during != Motion::Free {
                self.watch(millis(at).saturating_sub(2 * u64::from(STEP)), course.after, "after the fault")?;
            }
            return self.drives("by itself");
        }
        if course.clears == Clears::Itself {
            return self.watch(300, course.after, "after the fault");
        }
        let brakes = if let Motion::Stops(bound) = course.after { millis(bound) } else { 0 };
        // Long enough for a sensor to have been clear.
        self.watch(brakes + 700, course.after, "after the fault, without anybody's act")?;
        for lesser in [Clears::Zero, Clears::Button, Clears::Enable] {
            if lesser < course.clears && course.after != Motion::Free {
                self.act(lesser)?;
                self.watch(200, Motion::Stops(0.0), "although more is asked for")?;
            }
        }
        self.recover(course.clears)
    }

    /// What a person does, and then the vehicle has to drive.
    fn recover(&mut self, clears: Clears) -> Check {
        for act in ACTS {
            if act <= clears {
                self.act(act)?;
            }
        }
        self.drives("after the recovery")
    }

    /// A second later it drives.
    fn drives(&mut self, when: &str) -> Check {
        self.streams.ended = None; // a stick that took over is there again, at rest
        self.run(1_000, |_| Ok(()))?;
        self.expect_motion(when)
    }

    fn act(&mut self, act: Clears) -> Check {
        let is_stick = self.streams.driver == Driver::Stick;
        match act {
            Clears::Itself => Ok(()),
            Clears::Button if !is_stick => Ok(()),
            Clears::Zero | Clears::Button => {
                self.streams.throttle = 0.0;
                if act == Clears::Button {
                    self.streams.button = false;
                    self.run(300, |_| Ok(()))?;
                    self.streams.button = true;
                }
                // What is desired follows the stick by and by.
                self.run(if is_stick { 900 } else { 100 }, |_| Ok(()))?;
                self.streams.throttle = 1.0;
                Ok(())
            }
            Clears::Enable => self.click(Message::Enable, [false, true]),
            Clears::Reset => self.click(Message::Reset, [true, false]),
        }
    }

    fn click(&mut self, message: fn(bool) -> Message, values: [bool; 2]) -> Check {
        for value in values {
            self.vehicle.receive(message(value));
            self.run(50, |_| Ok(()))?;
        }
        Ok(())
    }

    /// Whoever drives comes to rest and says nothing more, and then `driver` drives.
    fn hand_over(&mut self, driver: Driver) -> Check {
        if self.streams.driver == driver {
            return Ok(());
        }
        (self.streams.throttle, self.streams.button) = (0.0, false);
        self.run(100, |_| Ok(()))?;
        self.streams.driver = driver;
        self.run(700, |_| Ok(()))?;
        self.act(Clears::Button)?;
        self.act(Clears::Zero)?;
        self.drives("after a hand-over")
    }

    /// Lets time pass, in which the motors have to do this.
    fn watch(&mut self, time: u64, motion: Motion, when: &str) -> Check {
        self.run(time, |world| match motion {
            Motion::Goes => world.expect_motion(when),
            Motion::Stops(bound) if world.streams.since > millis(bound) + 2 * u64::from(STEP) => {
                world.expect_stop(when)
            }
            // At stop before, at stop ever after.
            Motion::Stops(bound) if bound <= 0.0 => world.expect_stop(when),
            Motion::Stops(_) | Motion::Free => Ok(()),
        })
    }

    fn run(&mut self, time: u64, check: impl Fn(&Self) -> Check) -> Check {
        let end = self.streams.millis + time;
        while self.streams.millis < end {
            self.streams.said().into_iter().for_each(|message| self.vehicle.receive(message));
            self.vehicle.pass(STEP);
            self.streams.step();
            check(self)?;
        }
        Ok(())
    }

    /// The topic whose publisher goes in this fault.
    fn deserted(&self, fault: Fault) -> Option<Topic> {
        match fault {
            Fault::CommandSilent { gone: true } if self.streams.setup == Setup::Hindbrain => {
                Some(Topic::Command)
            }
            Fault::CommandSilent { gone: true } => Some(Topic::Source),
            Fault::LockSilent { gone: true } => Some(Topic::Lock),
            Fault::ScalingSilent { gone: true } => Some(Topic::Scaling),
            Fault::StickSilent { gone: true } => Some(Topic::Stick),
            _ => None,
        }
    }

    fn publish(&mut self, topic: Topic, publishers: Publishers) {
        self.vehicle.receive(Message::Publishers { topic, publishers });
    }

    fn begin(&mut self, fault: Fault) {
        (self.streams.fault, self.streams.since) = (Some(fault), 0);
        if let Some(topic) = self.deserted(fault) {
            self.publish(topic, Publishers::Nobody);
        }
        match fault {
            Fault::EnableFalse => self.vehicle.receive(Message::Enable(false)),
            Fault::SecondSwitchOff { second, .. } => {
                self.publish(Topic::Enable, Publishers::Two(second));
                self.vehicle.receive(Message::Enable(false));
            }
            Fault::SecondPublisher { topic, second } => self.publish(topic, Publishers::Two(second)),
            Fault::Held { millis, .. } => {
                self.vehicle.hold(millis);
                let waited = self.streams.waited(millis);
                waited.into_iter().for_each(|message| self.vehicle.receive(message));
                let steps = u64::from(millis / STEP) * u64::from(STEP);
                (self.streams.millis, self.streams.since) = (self.streams.millis + steps, steps);
            }
            Fault::ParameterSet(change) => {
                self.vehicle.receive(Message::Parameters { node: change.node, set: change.set });
            }
            Fault::DeviceLost => self.vehicle.receive(Message::Device(false)),
            _ => {}
        }
    }

    fn end(&mut self, fault: Fault) {
        let lasted = i32::try_from(self.streams.since).unwrap_or(i32::MAX);
        (self.streams.fault, self.streams.since) = (None, 0);
        if let Some(topic) = self.deserted(fault) {
            self.publish(topic, Publishers::One);
        }
        match fault {
            // What waited for the link comes at once, oldest first.
            Fault::LinkCut => {
                for behind in (0..lasted).rev().step_by(20) {
                    let forward = self.streams.throttle;
                    self.vehicle.receive(Message::Command { forward, behind: Some(behind) });
                    self.vehicle.receive(Message::Estop(false));
                }
            }
            Fault::SecondSwitchOff { .. } => self.publish(Topic::Enable, Publishers::One),
            Fault::SecondPublisher { topic, .. } => self.publish(topic, Publishers::One),
            Fault::DeviceLost => self.vehicle.receive(Message::Device(true)),
            // Somebody switches on again, which is no rise without a false that counts.
            Fault::EnableFalse => self.vehicle.receive(Message::Enable(false)),
            Fault::ParameterSet(change) if change.effect != Effect::Refused => {
                self.vehicle.receive(Message::Parameters { node: change.node, set: change.undo });
            }
            // The last message is a bad one.
            Fault::LockClosed | Fault::LockFlickers { .. } => self.vehicle.receive(Message::Lock(true)),
            Fault::Takeover { by: Rival::Dock, ends: Ending::LetsGo, .. } => {
                self.vehicle.receive(Message::Dock { forward: 0.0 });
            }
            Fault::Takeover { by: Rival::Stick, ends, .. } => self.streams.ended = Some(ends),
            _ => {}
        }
    }

    fn expect_stop(&self, when: &str) -> Check {
        match self.vehicle.levels() {
            [0, 0] => Ok(()),
            levels => Err(format!("the motors are at {levels:?} {when}, {} ms on", self.streams.since)),
        }
    }

    fn expect_motion(&self, when: &str) -> Check {
        match self.vehicle.levels() {
            [0, 0] => Err(format!("the motors stand {when}, {} ms on", self.streams.since)),
            _ => Ok(()),
        }
    }
}
