//! A control loop with controllers that write down what is called, and a manager of it.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mechanism::Robot;
use mechanism::controllers::{
    Change, ControlLoop, Controller, ControllerFailure, Dependency, Manager, NewController,
};
use mechanism::controllers::{Input, Output, Refusal, Request, RequestId, Step};
use mechanism::robot::transmission::{Simple, Transmission};
use mechanism::robot::{Actuator, Joint, JointDynamics, JointKind, SimulatedRobot};
use safety::{Instant, Machine};

/// Calls of the controllers in their order: `update pan`.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub fn add(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }

    /// Takes the calls since the last time.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Behaviour that a test can change in a controller while it is in the loop.
#[derive(Clone, Default)]
pub struct Behaviour(Arc<Mutex<Plan>>);

#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The effort that it writes to the first joint; `None` writes nothing.
    pub effort: Option<f64>,
    /// It fails to start.
    pub refuses: bool,
    /// It fails in its next update.
    pub fails: bool,
    /// Its update takes so much longer than those of the others \[µs\].
    pub takes: u64,
}

impl Behaviour {
    pub fn set(&self, change: impl FnOnce(&mut Plan)) {
        change(&mut self.0.lock().unwrap());
    }

    fn get(&self) -> Plan {
        self.0.lock().unwrap().clone()
    }
}

pub struct Recorder {
    pub name: String,
    pub log: Log,
    pub behaviour: Behaviour,
    pub taken: Arc<AtomicU64>,
}

pub const REFUSES: ControllerFailure = ControllerFailure("it was asked not to start");
pub const FAILS: ControllerFailure = ControllerFailure("it was asked to fail");

impl Controller for Recorder {
    fn can_start(&self, _: &Robot) -> Result<(), ControllerFailure> {
        if self.behaviour.get().refuses { Err(REFUSES) } else { Ok(()) }
    }

    fn starting(&mut self, _: &mut Step<'_>) {
        self.log.add(format!("starting {}", self.name));
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        self.log.add(format!("update {}", self.name));
        let plan = self.behaviour.get();
        self.taken.fetch_add(plan.takes, Ordering::Relaxed);
        if let Some((joint, effort)) = step.robot.joints_mut().first_mut().zip(plan.effort) {
            joint.commanded_effort = effort;
        }
        if plan.fails { Err(FAILS) } else { Ok(()) }
    }

    fn stopping(&mut self, _: &mut Step<'_>) {
        self.log.add(format!("stopping {}", self.name));
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.log.add(format!("drop {}", self.name));
    }
}

/// A robot of one joint, whose actuator has a reduction of 2.
pub fn robot() -> Robot {
    let simple = Simple { actuator: 0, joint: 0, reduction: 2.0, simulated: None };
    let joint = Joint::new("pan", JointKind::Continuous);
    Robot::from_parts(vec![joint], vec![Actuator::new("pan_motor")], vec![Transmission::Simple(simple)])
}

/// A loop and its manager, which exchange what they ask for at once.
pub struct Rig {
    pub manager: Manager,
    pub control: ControlLoop,
    pub log: Log,
    pub now: Instant,
    pub answers: Vec<(RequestId, Result<(), Refusal>)>,
    pub warnings: Vec<String>,
    /// The dependencies of the controllers that are to be created, and those whose init fails.
    pub dependencies: Vec<(String, Dependency)>,
    /// The joints that they move.
    pub moves: Vec<(String, String)>,
    pub init_fails: Vec<String>,
    /// Whether controllers are created only by [`create_what_waits`](Self::create_what_waits).
    pub is_slow: bool,
    slow: Vec<String>,
    /// Why the libraries cannot be loaded again.
    pub libraries_fail: Option<String>,
    pub behaviours: Vec<(String, Behaviour)>,
    /// Controllers of the test's own, by name; all others are [`Recorder`]s.
    pub own: Vec<(String, Box<dyn Controller>)>,
    /// How long controllers have taken \[µs\], beside 10 µs for each reading of the clock.
    pub taken: Arc<AtomicU64>,
    /// The change that waits for the loop.
    pub waiting: Option<Box<Change>>,
    next: RequestId,
}

pub const TIMEOUT: Duration = Duration::from_secs(2);
pub const PERIOD: Duration = Duration::from_millis(1);

/// A robot of this joint with a motor, and one that simulates it.
pub fn simulated(joint: Joint) -> (Robot, SimulatedRobot) {
    let joint = Joint { is_calibrated: true, ..joint };
    let simple = Simple { actuator: 0, joint: 0, reduction: 2.0, simulated: None };
    let robot =
        Robot::from_parts(vec![joint], vec![Actuator::new("motor")], vec![Transmission::Simple(simple)]);
    let plant = SimulatedRobot::new(&robot, JointDynamics { inertia: 0.1, damping: 0.5 });
    (robot, plant)
}

impl Rig {
    pub fn new() -> Self {
        Self {
            manager: Manager::new(TIMEOUT),
            control: ControlLoop::new(robot()),
            log: Log::default(),
            now: Instant::from_millis(1),
            answers: Vec::new(),
            warnings: Vec::new(),
            dependencies: Vec::new(),
            moves: Vec::new(),
            init_fails: Vec::new(),
            libraries_fail: None,
            is_slow: false,
            slow: Vec::new(),
            behaviours: Vec::new(),
            own: Vec::new(),
            taken: Arc::default(),
            waiting: None,
            next: 0,
        }
    }

    /// A rig of another robot.
    pub fn of(robot: Robot) -> Self {
        Self { control: ControlLoop::new(robot), ..Self::new() }
    }

    /// Loads and starts a controller of the test's own.
    pub fn run(&mut self, name: &str, controller: impl Controller + 'static) {
        self.own.push((name.to_owned(), Box::new(controller)));
        self.load(name).unwrap();
        self.switch(&[name], &[], 2).unwrap();
    }

    /// A rig with these loaded controllers.
    pub fn with(names: &[&str]) -> Self {
        let mut rig = Self::new();
        names.iter().for_each(|name| rig.load(name).unwrap());
        rig.log.take();
        rig
    }

    pub fn behaviour(&self, name: &str) -> Behaviour {
        self.behaviours.iter().rev().find(|(of, _)| of == name).unwrap().1.clone()
    }

    /// Carries out everything that the manager asks for, but what waits for a step of the loop.
    pub fn drain(&mut self) {
        while let Some(output) = self.manager.poll(self.now) {
            match output {
                Output::Create(name) if self.is_slow => self.slow.push(name),
                Output::Create(name) => {
                    let result = self.create(name);
                    self.manager.handle(self.now, Input::Created(result));
                }
                Output::Change(change) => self.waiting = Some(change),
                Output::Withdraw => {
                    let taken = self.waiting.take();
                    self.manager.handle(self.now, Input::Withdrawn(taken));
                }
                Output::ReloadLibraries => {
                    self.log.add("reload libraries".into());
                    let result =
                        self.libraries_fail.clone().map_or(Ok(()), |why| Err(Refusal::Libraries(why)));
                    self.manager.handle(self.now, Input::Reloaded(result));
                }
                Output::Answer(id, result) => self.answers.push((id, result)),
                Output::Warn(sentence) => self.warnings.push(sentence),
                Output::Discard(left_over) => drop(left_over),
            }
        }
    }

    /// Ends the creation of the controllers that were slow.
    pub fn create_what_waits(&mut self) {
        for name in std::mem::take(&mut self.slow) {
            let result = self.create(name);
            self.manager.handle(self.now, Input::Created(result));
        }
        self.drain();
    }

    fn create(&mut self, name: String) -> Result<NewController, Refusal> {
        if self.init_fails.contains(&name) {
            return Err(Refusal::Init { name, reason: "it was asked to".into() });
        }
        let dependencies = self.dependencies.iter().filter(|(of, _)| *of == name).map(|(_, one)| one.clone());
        let dependencies = dependencies.collect();
        let moves = self.moves.iter().filter(|(of, _)| *of == name).map(|(_, joint)| joint.clone()).collect();
        if let Some(place) = self.own.iter().position(|(of, _)| *of == name) {
            return Ok(NewController {
                dependencies,
                moves,
                ..NewController::new(1, self.own.remove(place).1)
            });
        }
        let behaviour = Behaviour::default();
        self.behaviours.push((name.clone(), behaviour.clone()));
        let controller =
            Box::new(Recorder { name, log: self.log.clone(), behaviour, taken: Arc::clone(&self.taken) });
        Ok(NewController { dependencies, moves, ..NewController::new(1, controller) })
    }

    /// One step of the loop, with the change that waits.
    pub fn step(&mut self) {
        self.now = self.now + PERIOD;
        let mut change = self.waiting.take();
        let mut time = self.now;
        let clock = || {
            time = time + Duration::from_micros(10 + self.taken.swap(0, Ordering::Relaxed));
            time
        };
        self.control.step(self.now, PERIOD, clock, change.as_deref_mut());
        if let Some(change) = change {
            self.manager.handle(self.now, Input::Changed(change));
        }
        let mut failures = Vec::new();
        self.control.take_failures(usize::MAX, |index, failure| failures.push((index, failure)));
        for (index, failure) in failures {
            self.manager.handle(self.now, Input::Failed(index, failure));
        }
        self.drain();
    }

    pub fn request(&mut self, request: Request) -> RequestId {
        self.next += 1;
        self.manager.handle(self.now, Input::Requested(self.next, request));
        self.drain();
        self.next
    }

    pub fn tell(&mut self, input: Input) {
        self.manager.handle(self.now, input);
        self.drain();
    }

    /// The answer to a request, if it came.
    pub fn answer(&mut self, id: RequestId) -> Option<Result<(), Refusal>> {
        let place = self.answers.iter().position(|(of, _)| *of == id)?;
        Some(self.answers.remove(place).1)
    }

    /// Requests, steps until the answer comes, and returns it.
    pub fn call(&mut self, request: Request) -> Result<(), Refusal> {
        let id = self.request(request);
        for _ in 0..1000 {
            if let Some(result) = self.answer(id) {
                return result;
            }
            self.step();
        }
        panic!("no answer");
    }

    pub fn load(&mut self, name: &str) -> Result<(), Refusal> {
        self.call(Request::Load(name.into()))
    }

    pub fn unload(&mut self, name: &str) -> Result<(), Refusal> {
        self.call(Request::Unload(name.into()))
    }

    pub fn switch(&mut self, start: &[&str], stop: &[&str], strictness: i32) -> Result<(), Refusal> {
        self.call(switch(start, stop, strictness))
    }

    pub fn list(&self) -> Vec<String> {
        let one =
            |state: &mechanism::controllers::ControllerState| format!("{} {}", state.name, state.as_str());
        self.manager.list().iter().map(one).collect()
    }
}

pub fn switch(start: &[&str], stop: &[&str], strictness: i32) -> Request {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    Request::Switch { start: names(start), stop: names(stop), strictness }
}
