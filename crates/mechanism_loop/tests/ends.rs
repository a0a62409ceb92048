//! The loop on its thread with controllers that misbehave, and each way in which it ends: the last command that an actuator receives is
//! no effort.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)] // real threads, whose ends are waited for

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant as SystemInstant};

use mechanism::Robot;
use mechanism::controllers::{
    Change, ControlLoop, Controller, ControllerFailure, Input, Manager, Message, NewController, Output,
    Report, Request, Step,
};
use mechanism::laws::{Gains, Motion, Pid, Point, Trajectory};
use mechanism::robot::transmission::{Simple, Transmission};
use mechanism::robot::{Actuator, ActuatorCommand, Hardware, Joint, JointKind};
use mechanism::standard::{Goal, Tolerance, TrajectoryController};
use mechanism_loop::{Body, Control, Deliveries, Event, Events, Settings, start};
use realtime::RealTime;
use safety::{Instant, Machine, MessageTime};

const PERIOD: Duration = Duration::from_millis(1);

/// Hardware that keeps each command of its actuator, and panics in a read on request.
struct RecordingHardware {
    commands: Arc<Mutex<Vec<ActuatorCommand>>>,
    panics_in: Arc<AtomicU64>,
}

impl Hardware for RecordingHardware {
    fn read(&mut self, _: &mut Robot, _: Instant, _: Duration) {
        let left = self.panics_in.load(Ordering::SeqCst);
        if left > 0 {
            self.panics_in.store(left - 1, Ordering::SeqCst);
            assert!(left > 1, "a panic on request");
        }
    }

    fn write(&mut self, robot: &Robot) {
        self.commands.lock().unwrap().push(robot.actuators()[0].command);
    }

    fn halt(&mut self) {}

    fn reset(&mut self) {}
}

/// Commands an effort, and acts as requested in its update number 20.
struct Odd {
    updates: u64,
    act: fn() -> f64,
}

impl Controller for Odd {
    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        self.updates += 1;
        let effort = if self.updates == 20 { (self.act)() } else { 1.0 };
        step.robot.joints_mut()[0].commanded_effort += effort;
        Ok(())
    }
}

struct Rig {
    control: Control,
    manager: Manager,
    commands: Arc<Mutex<Vec<ActuatorCommand>>>,
    panics_in: Arc<AtomicU64>,
    overruns: u32,
}

impl Rig {
    /// A loop whose only controller runs.
    fn new(act: fn() -> f64) -> Self {
        let simple = Simple { actuator: 0, joint: 0, reduction: 2.0, simulated: None };
        let joint = Joint::new("pan", JointKind::Continuous);
        let robot =
            Robot::from_parts(vec![joint], vec![Actuator::new("motor")], vec![Transmission::Simple(simple)]);
        let (commands, panics_in) = (Arc::<Mutex<Vec<_>>>::default(), Arc::<AtomicU64>::default());
        let hardware =
            RecordingHardware { commands: Arc::clone(&commands), panics_in: Arc::clone(&panics_in) };
        let settings = Settings {
            period: PERIOD,
            joint_state_rate: 1000.0,
            statistics_rate: 1.0,
            is_halted: false,
            real_time: RealTime::default(),
        };
        let control = start(ControlLoop::new(robot), Box::new(hardware), &settings).unwrap();
        let manager = Manager::new(Duration::from_secs(2));
        let mut rig = Self { control, manager, commands, panics_in, overruns: 0 };
        rig.call(Request::Load("odd".into()), act).unwrap();
        rig.call(Request::Switch { start: vec!["odd".into()], stop: Vec::new(), strictness: 2 }, act)
            .unwrap();
        rig
    }

    fn call(&mut self, request: Request, act: fn() -> f64) -> Result<(), String> {
        self.manager.handle(realtime::now(), Input::Requested(1, request));
        let end = SystemInstant::now() + Duration::from_secs(5);
        while SystemInstant::now() < end {
            while let Some(output) = self.manager.poll(realtime::now()) {
                match output {
                    Output::Create(_) => {
                        let controller = Box::new(Odd { updates: 0, act });
                        let created = NewController::new(1, controller);
                        self.manager.handle(realtime::now(), Input::Created(Ok(created)));
                    }
                    Output::Change(change) => self.control.commands.submit(change),
                    Output::Answer(_, answer) => return answer.map_err(|refusal| refusal.to_string()),
                    _ => {}
                }
            }
            self.read();
            std::thread::sleep(PERIOD);
        }
        Err("no answer".into())
    }

    fn read(&mut self) {
        while let Some(event) = self.control.events.take() {
            match event {
                Event::Changed(change) => self.manager.handle(realtime::now(), Input::Changed(change)),
                Event::Failed(index, failure) => {
                    self.manager.handle(realtime::now(), Input::Failed(index, failure))
                }
                Event::Reported(snapshot) => {
                    if let Some(controller) = snapshot.controllers.first() {
                        self.overruns = controller.timing.overruns;
                    }
                    self.control.events.recycle(snapshot);
                }
                _ => {}
            }
        }
    }

    fn wait(&mut self, what: &str, mut condition: impl FnMut(&mut Self) -> bool) {
        let end = SystemInstant::now() + Duration::from_secs(5);
        while !condition(self) {
            assert!(SystemInstant::now() < end, "{what}");
            self.read();
            std::thread::sleep(PERIOD);
        }
    }

    fn last(&self) -> ActuatorCommand {
        *self.commands.lock().unwrap().last().unwrap()
    }

    fn is_commanded(&self) -> bool {
        self.commands.lock().unwrap().last().is_some_and(|command| command.effort == 0.5 && command.enable)
    }

    /// Ends the loop; the actuator's last command.
    fn end(self) -> ActuatorCommand {
        let Self { control, commands, .. } = self;
        drop(control);
        *commands.lock().unwrap().last().unwrap()
    }
}

const NOTHING: ActuatorCommand = ActuatorCommand { enable: false, effort: 0.0 };

#[test]
fn the_loop_that_is_ended_while_a_controller_commands_says_no_effort_last() {
    let mut rig = Rig::new(|| 1.0);
    rig.wait("no command", |rig| rig.is_commanded());
    assert_eq!(rig.end(), NOTHING);
}

#[test]
fn the_loop_that_is_ended_with_a_switch_on_its_way_says_no_effort_last() {
    for _ in 0..20 {
        let mut rig = Rig::new(|| 1.0);
        rig.wait("no command", |rig| rig.is_commanded());
        let request = Request::Switch { start: vec!["odd".into()], stop: vec!["odd".into()], strictness: 2 };
        rig.manager.handle(realtime::now(), Input::Requested(2, request));
        let outputs = std::iter::from_fn(|| rig.manager.poll(realtime::now()));
        let change = outputs
            .filter_map(|output| if let Output::Change(change) = output { Some(change) } else { None })
            .last();
        let change = change.unwrap();
        assert!(matches!(*change, Change::Switch { .. }));
        rig.control.commands.submit(change);
        assert_eq!(rig.end(), NOTHING);
    }
}

/// The node contains the panics of controllers; should one pass, the loop ends, and so does the effort.
#[test]
fn a_loop_that_panics_says_no_effort_last() {
    let mut rig = Rig::new(|| panic!("a panic on request"));
    rig.wait("the loop goes on after a panic", |rig| rig.control.thread.has_ended());
    assert_eq!(rig.last(), NOTHING);
}

#[test]
fn hardware_that_panics_hears_no_effort_last() {
    let mut rig = Rig::new(|| 1.0);
    rig.wait("no command", |rig| rig.is_commanded());
    rig.panics_in.store(3, Ordering::SeqCst);
    rig.wait("the loop goes on after a panic", |rig| rig.control.thread.has_ended());
    assert_eq!(rig.last(), NOTHING);
}

/// 30 ms in one update are one overrun, and about 30 cycles that are left out instead of being made up for.
#[test]
fn a_controller_that_sleeps_is_an_overrun_and_the_loop_goes_on_in_its_phase() {
    let mut rig = Rig::new(|| {
        std::thread::sleep(Duration::from_millis(30));
        1.0
    });
    // Cycles may be missed on a busy machine too, before the controller slept.
    rig.wait("no overrun", |rig| {
        let timing = &rig.control.timing;
        rig.overruns > 0 && timing.missed() >= 29 && timing.longest() >= Duration::from_millis(30)
    });
    let (before, at) = (rig.control.timing.steps(), SystemInstant::now());
    rig.wait("it does not go on", |rig| rig.control.timing.steps() >= before + 100);
    assert!(
        at.elapsed() >= Duration::from_millis(90),
        "missed cycles are made up for: 100 in {:?}",
        at.elapsed()
    );
    assert!(rig.is_commanded(), "{:?}", rig.last());
    assert_eq!(rig.end(), NOTHING);
}

#[test]
fn a_controller_that_writes_nan_sends_zero_in_that_step_and_goes_on() {
    let mut rig = Rig::new(|| f64::NAN);
    rig.wait("it does not go on", |rig| rig.commands.lock().unwrap().len() > 100);
    let commands = rig.commands.lock().unwrap().clone();
    assert!(commands.iter().all(|command| command.effort.is_finite()));
    let first = commands.iter().position(|command| command.effort == 0.5).unwrap();
    assert_eq!(commands[first..first + 40].iter().filter(|command| command.effort == 0.0).count(), 1);
    assert_eq!(rig.end(), NOTHING);
}

#[test]
fn a_controller_that_allocates_costs_only_its_own_time() {
    let mut rig = Rig::new(|| vec![1.0_f64; 1 << 20].iter().sum::<f64>() / f64::from(1 << 20));
    rig.wait("it does not go on", |rig| rig.commands.lock().unwrap().len() > 100);
    assert!(rig.is_commanded() && !rig.control.thread.has_ended());
    assert_eq!(rig.end(), NOTHING);
}

/// Notes when its message was received, and says how long before the update that was \[s\].
struct Postman(Option<Instant>, Option<f64>);

impl Controller for Postman {
    fn receive(&mut self, _: usize, message: &mut Message, now: Instant) {
        self.0 = (*message != Message::Stop).then_some(now);
    }

    fn inputs(&self) -> &'static [mechanism::controllers::ControllerInput] {
        use mechanism::controllers::{ControllerInput, InputKind};
        &[ControllerInput { name: "command", kind: InputKind::Float }]
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        self.1 = self.0.take().map(|at| step.now.since(at).as_secs_f64());
        Ok(())
    }

    fn report(&mut self) -> Option<(usize, Report)> {
        self.1.take().map(|age| (0, Report::Float(age)))
    }
}

/// A loop in which `controller` runs under the id 5, and its time.
fn running(controller: impl Controller + 'static) -> (Body, Deliveries, Events, Instant) {
    let mut controller: Option<Box<dyn Controller>> = Some(Box::new(controller));
    let settings = Settings {
        period: PERIOD,
        joint_state_rate: 0.0,
        statistics_rate: 0.0,
        is_halted: false,
        real_time: RealTime::default(),
    };
    let hardware = RecordingHardware { commands: Arc::default(), panics_in: Arc::default() };
    let mut joint = Joint::new("pan", JointKind::Continuous);
    joint.is_calibrated = true;
    let robot = Robot::from_parts(vec![joint], vec![Actuator::new("motor")], Vec::new());
    let (mut body, commands, deliveries, mut events) =
        mechanism_loop::link(ControlLoop::new(robot), Box::new(hardware), &settings);
    let mut manager = Manager::new(Duration::from_secs(2));
    let now = Instant::from_millis(10_000);
    for request in [
        Request::Load("post".into()),
        Request::Switch { start: vec!["post".into()], stop: Vec::new(), strictness: 2 },
    ] {
        manager.handle(now, Input::Requested(1, request));
        while let Some(output) = manager.poll(now) {
            match output {
                Output::Create(_) => {
                    let created = NewController::new(5, controller.take().unwrap());
                    manager.handle(now, Input::Created(Ok(created)));
                }
                Output::Change(change) => {
                    commands.submit(change);
                    cycle(&mut body, now);
                    while let Some(event) = events.take() {
                        if let Event::Changed(change) = event {
                            manager.handle(now, Input::Changed(change));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    (body, deliveries, events, now)
}

fn cycle(body: &mut Body, now: Instant) {
    body.cycle(realtime::Cycle { now, late: Duration::ZERO, since_last: PERIOD, missed: 0 });
}

/// A message is as old as it may have waited while the process was held, and in the queue.
#[test]
fn a_message_that_waited_is_that_old_to_its_controller() {
    let (mut body, mut deliveries, mut events, mut now) = running(Postman(None, None));
    // After half a second nobody may want it any more: a stop follows it.
    let cases =
        [(0, 1, Some(0.001)), (400, 1, Some(0.401)), (400, 100, None), (500, 1, None), (60_000, 1, None)];
    for (waited, queued, age) in cases {
        let waited = Duration::from_millis(waited);
        assert!(deliveries.send(5, 0, Message::Float(1.0), MessageTime::new(now, waited)));
        now = now + Duration::from_millis(queued);
        cycle(&mut body, now);
        let reported = std::iter::from_fn(|| events.take()).find_map(|event| match event {
            Event::ControllerOutput(5, _, 0, Report::Float(age)) => Some(age),
            _ => None,
        });
        assert!(
            reported.zip(age).is_none_or(|(reported, age)| (reported - age).abs() < 1e-9),
            "{reported:?}, not {age:?}"
        );
        assert_eq!(reported.is_some(), age.is_some(), "{waited:?}");
    }
}

/// The client of a goal that waited learns so, and what the goal was to replace does not go on.
#[test]
fn a_goal_that_waited_does_not_begin_and_is_reported() {
    let pid = Pid::new(Gains { p: 1.0, i: 0.0, d: 0.0, i_clamp: 0.0, max_effort: 1.0 });
    let tolerance = Tolerance { path: f64::INFINITY, goal: 0.0, time: Duration::MAX };
    let controller = TrajectoryController::new([(0, pid)], tolerance);
    let (mut body, mut deliveries, mut events, mut now) = running(controller);
    let mut ended_after = |waited: u64, goal: u64| {
        let point = Point { time: Duration::from_secs(60), positions: vec![1.0], ..Point::default() };
        let trajectory = Trajectory::new(1, vec![point]).unwrap();
        let motion = Motion { goal: Some(goal), ..trajectory.into() };
        let time = MessageTime::new(now, Duration::from_millis(waited));
        assert!(deliveries.send(5, 0, Message::Trajectory(Some(Box::new(motion))), time));
        let mut ends = Vec::new();
        for _ in 0..3 {
            now = now + PERIOD;
            cycle(&mut body, now);
            while let Some(event) = events.take() {
                if let Event::ControllerOutput(5, _, 0, Report::GoalEnded(id, end)) = event {
                    ends.push((id, end));
                }
            }
        }
        ends
    };
    assert_eq!(ended_after(400, 1), [], "it is followed");
    let both = [(1, Goal::Stopped), (2, Goal::Stopped)];
    assert_eq!(ended_after(500, 2), both, "goal 1 is open until the controller decides on goal 2");
}
