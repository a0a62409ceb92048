//! The loop's cycle, called without its thread: what it takes, what it reports, and that it allocates nothing.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::sync::{Arc, Mutex};
use std::time::Duration;

use allocations::{Counting, count};
use mechanism::controllers::{self, ControlLoop, Message, NewController, Report, Request};
use mechanism::laws::{Point, Trajectory};
use mechanism::robot::{Actuator, Hardware, JointDynamics, SimulatedRobot};
use mechanism::{BUILTIN_TYPES, Description, Input, Mechanism, Output, Robot};
use mechanism_loop::{Body, Commands, Deliveries, Event, Events, Settings, link};
use params::Value;
use realtime::{Cycle, RealTime};
use safety::{Instant, Machine, MessageTime};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const URDF: &str = include_str!("one.urdf");

const PERIOD: Duration = Duration::from_millis(1);

/// A simulated robot whose actuators' commands can be read from outside.
struct Watched(SimulatedRobot, Arc<Mutex<Vec<Actuator>>>);

impl Hardware for Watched {
    fn read(&mut self, robot: &mut Robot, now: Instant, period: Duration) {
        self.0.read(robot, now, period);
    }

    fn write(&mut self, robot: &Robot) {
        for (own, actuator) in self.1.lock().unwrap().iter_mut().zip(robot.actuators()) {
            (own.command, own.state) = (actuator.command, actuator.state);
        }
    }

    fn halt(&mut self) {
        self.0.halt();
    }

    fn reset(&mut self) {
        self.0.reset();
    }
}

struct Rig {
    period: Duration,
    body: Body,
    commands: Commands,
    deliveries: Deliveries,
    events: Events,
    machine: Mechanism,
    robot: Robot,
    actuators: Arc<Mutex<Vec<Actuator>>>,
    now: Instant,
    answers: Vec<Result<(), String>>,
    reports: Vec<(bool, bool, usize)>,
    used: usize,
    published: usize,
    /// While it is false, nobody reads the events.
    reads: bool,
    /// Whether the node gives a sign of life before each cycle.
    lives: bool,
}

impl Rig {
    fn new() -> Self {
        Self::with(PERIOD)
    }

    fn with(period: Duration) -> Self {
        Self::of(URDF, period)
    }

    fn of(urdf: &str, period: Duration) -> Self {
        let mut robot = Robot::new(&Description::parse(urdf).unwrap());
        robot.joints_mut().iter_mut().for_each(|joint| joint.is_calibrated = true);
        let actuators = Arc::new(Mutex::new(robot.actuators().to_vec()));
        let hardware =
            Box::new(Watched(SimulatedRobot::new(&robot, JointDynamics::default()), Arc::clone(&actuators)));
        let settings = Settings {
            period,
            joint_state_rate: 100.0,
            statistics_rate: 1.0,
            is_halted: false,
            real_time: RealTime::default(),
        };
        let now = realtime::now();
        let (body, commands, deliveries, events) = link(ControlLoop::new(robot.clone()), hardware, &settings);
        let machine = Mechanism::new(Duration::from_secs(2), false);
        let (answers, reports) = (Vec::new(), Vec::new());
        let (used, published, reads, lives) = (0, 0, true, true);
        Self {
            period,
            body,
            commands,
            deliveries,
            events,
            machine,
            robot,
            actuators,
            now,
            answers,
            reports,
            used,
            published,
            reads,
            lives,
        }
    }

    /// One cycle, which must not allocate, and what follows from it.
    fn cycle(&mut self) {
        self.cycle_after(self.period);
    }

    /// A cycle so long after the previous one.
    fn cycle_after(&mut self, gap: Duration) {
        self.now = self.now + gap;
        if self.lives {
            self.commands.beat(self.now);
        }
        let before = count();
        self.body.cycle(Cycle { now: self.now, late: Duration::ZERO, since_last: gap, missed: 0 });
        assert_eq!(count(), before, "allocations in a cycle");
        while let Some(event) = self.reads.then(|| self.events.take()).flatten() {
            let input = match event {
                Event::Changed(change) => Input::Manager(controllers::Input::Changed(change)),
                Event::Failed(index, failure) => Input::Manager(controllers::Input::Failed(index, failure)),
                Event::Reported(snapshot) => Input::Reported(snapshot),
                Event::ControllerOutput(_, at, output, report) => {
                    assert!(at <= self.now && output == 0);
                    assert!(matches!(report, Report::Joint { index: 0, .. }), "{report:?}");
                    self.published += 1;
                    continue;
                }
                Event::Used(_) | Event::Dropped(..) => {
                    self.used += 1;
                    continue;
                }
            };
            self.machine.handle(self.now, input);
        }
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.machine.poll(self.now) {
            match output {
                Output::Manager(controllers::Output::Create(name)) => {
                    let joints = ("joints", Value::Texts(vec!["pan".into()]));
                    let (type_name, one) = match &name[..3] {
                        "arm" => ("steersman/JointTrajectoryController", joints),
                        "all" => ("steersman/JointStateController", joints),
                        _ => ("steersman/JointEffortController", ("joint", Value::Text("pan".into()))),
                    };
                    let known = BUILTIN_TYPES.iter().find(|known| known.name == type_name).unwrap();
                    let setup = known.create(&self.robot, [(one.0.to_owned(), one.1)]).unwrap();
                    let created = NewController::new(7, setup.controller);
                    self.machine.handle(self.now, Input::Manager(controllers::Input::Created(Ok(created))));
                }
                Output::Manager(controllers::Output::Change(change)) => self.commands.submit(change),
                Output::Manager(controllers::Output::Answer(_, answer)) => {
                    self.answers.push(answer.map_err(|refusal| refusal.to_string()));
                }
                Output::Manager(controllers::Output::Withdraw) => {
                    let change = self.commands.withdraw();
                    self.machine.handle(self.now, Input::Manager(controllers::Input::Withdrawn(change)));
                }
                Output::Halt => self.commands.halt(),
                Output::Reset => self.commands.reset(),
                Output::Publish(snapshot, names, _) => {
                    self.reports.push((snapshot.has_joint_states, snapshot.has_statistics, names.len()));
                    self.events.recycle(snapshot);
                }
                _ => {}
            }
        }
    }

    fn cycles(&mut self, count: usize) {
        (0..count).for_each(|_| self.cycle());
    }

    fn call(&mut self, request: Request) -> Result<(), String> {
        self.machine.handle(self.now, Input::Manager(controllers::Input::Requested(1, request)));
        self.drain();
        self.cycle();
        self.answers.pop().unwrap()
    }

    fn start(&mut self, name: &str) {
        self.call(Request::Load(name.into())).unwrap();
        let start = vec![name.to_owned()];
        self.call(Request::Switch { start, stop: Vec::new(), strictness: 2 }).unwrap();
    }

    fn send(&mut self, controller: u64, message: Message) -> bool {
        self.deliveries.send(controller, 0, message, MessageTime::new(self.now, Duration::ZERO))
    }

    fn effort(&self) -> f64 {
        self.actuators.lock().unwrap()[0].command.effort
    }

    fn position(&self) -> f64 {
        self.actuators.lock().unwrap()[0].state.position
    }
}

#[test]
fn a_controller_is_loaded_started_and_commanded() {
    let mut rig = Rig::new();
    rig.cycles(20); // the motors are reset
    rig.start("pan");
    assert!(rig.send(7, Message::Float(1.5)));
    rig.cycle();
    assert_eq!(rig.effort(), 0.75, "1.5 Nm at a reduction of 2");
    assert!(rig.send(8, Message::Float(9.0)), "for nobody");
    rig.cycle();
    assert_eq!(rig.effort(), 0.75);
}

#[test]
fn reports_are_due_at_their_rates_and_come_back() {
    let mut rig = Rig::new();
    rig.start("pan");
    rig.reports.clear();
    rig.cycles(2000);
    let count = |is: fn(&(bool, bool, usize)) -> bool| rig.reports.iter().filter(|report| is(report)).count();
    assert!((198..=201).contains(&count(|report| report.0)), "{}", count(|report| report.0));
    assert!((1..=2).contains(&count(|report| report.1)));
    assert!(rig.reports.iter().all(|report| report.2 == 1));
}

#[test]
fn the_reports_of_a_hundred_joints_allocate_nothing() {
    let (_, joint) = URDF.split_once("<link name=\"head\"/>").unwrap();
    let joint = joint.trim_end().trim_end_matches("</robot>");
    let more = (1..100).map(|number| {
        let joint = joint.replace("pan", &format!("pan_{number}")).replace("head", &format!("head_{number}"));
        format!("<link name=\"head_{number}\"/>{joint}")
    });
    let mut rig = Rig::of(&URDF.replace("</robot>", &(more.collect::<String>() + "</robot>")), PERIOD);
    assert_eq!(rig.robot.joints().len(), 100);
    rig.start("pan");
    rig.cycles(1200);
    assert!(rig.reports.len() >= 120);
}

#[test]
fn a_halt_lasts_until_the_reset_and_the_controllers_go_on() {
    let mut rig = Rig::new();
    rig.cycles(20);
    rig.start("pan");
    let is_halted = |rig: &Rig| rig.actuators.lock().unwrap()[0].state.is_halted;
    rig.cycle();
    assert!(!is_halted(&rig));
    rig.machine.handle(rig.now, Input::HaltRequested);
    rig.drain();
    rig.cycles(100);
    assert!(is_halted(&rig));
    rig.machine.handle(rig.now, Input::ResetRequested);
    rig.drain();
    rig.cycles(6);
    assert!(is_halted(&rig));
    rig.cycles(4);
    assert!(!is_halted(&rig));
    let list = rig.machine.manager().list();
    assert!(list.len() == 1 && list[0].is_running, "{list:?}");
}

#[test]
fn a_process_that_was_held_moves_nothing_before_its_controllers_began_anew() {
    let mut rig = Rig::new();
    rig.cycles(20);
    rig.start("pan");
    assert!(rig.send(7, Message::Float(1.5)));
    rig.cycle();
    assert_eq!(rig.effort(), 0.75);
    let before = rig.position();
    rig.cycle_after(Duration::from_secs(2));
    assert_eq!(rig.effort(), 0.0);
    // The motor stopped by itself: in 2 s, 0.75 Nm would have turned it by several radians.
    assert!((rig.position() - before).abs() < 0.1, "{} after {before}", rig.position());
    rig.cycles(20);
    assert!(!rig.actuators.lock().unwrap()[0].state.is_halted, "the motors came back");
    assert_eq!(rig.effort(), 0.0, "the command of before is over");
    assert!(rig.machine.manager().list()[0].is_running);
    assert!(rig.send(7, Message::Float(1.5)));
    rig.cycle();
    assert_eq!(rig.effort(), 0.75);
}

#[test]
fn nothing_moves_before_the_first_sign_of_life_of_the_node() {
    let mut rig = Rig::new();
    rig.lives = false;
    let is_halted = |rig: &Rig| rig.actuators.lock().unwrap()[0].state.is_halted;
    rig.cycles(100);
    rig.start("pan");
    assert!(rig.send(7, Message::Float(1.5)));
    rig.cycles(600); // longer than the pause after which a command is no stream through the halt
    assert!(is_halted(&rig) && rig.effort() == 0.0, "nobody reads a stop");
    rig.lives = true;
    rig.cycles(20);
    assert!(!is_halted(&rig), "the motors are reset");
    assert!(rig.send(7, Message::Float(1.5)));
    rig.cycle();
    assert_eq!(rig.effort(), 0.75);
}

#[test]
fn a_node_that_gives_no_sign_of_life_leaves_nothing_moving() {
    let mut rig = Rig::new();
    let is_halted = |rig: &Rig| rig.actuators.lock().unwrap()[0].state.is_halted;
    rig.cycles(20);
    rig.start("pan");
    rig.commands.beat(rig.now);
    rig.lives = false;
    // The loop runs on, and commands come on, for what sends them is another thread.
    for _ in 0..25 {
        assert!(rig.send(7, Message::Float(1.5)));
        rig.cycle_after(Duration::from_millis(10));
        assert_eq!(rig.effort(), 0.75);
    }
    assert!(rig.send(7, Message::Float(1.5)));
    rig.cycle();
    assert_eq!(rig.effort(), 0.0, "251 ms after the last sign of life");
    rig.cycles(300);
    assert!(is_halted(&rig));
    rig.commands.beat(rig.now);
    rig.cycles(20);
    assert!(!is_halted(&rig), "the motors came back");
    rig.cycles(240);
    rig.commands.halt(); // by a stop that the node read after it hung
    rig.commands.beat(rig.now);
    rig.cycles(20);
    assert!(is_halted(&rig));
}

#[test]
fn the_last_thing_that_an_actuator_hears_is_no_effort() {
    let mut rig = Rig::new();
    rig.cycles(20);
    rig.start("pan");
    rig.send(7, Message::Float(1.0));
    rig.cycle();
    assert_eq!(rig.effort(), 0.5);
    let Rig { body, actuators, .. } = rig;
    drop(body);
    let actuators = actuators.lock().unwrap();
    assert_eq!((actuators[0].command.effort, actuators[0].command.enable), (0.0, false));
}

#[test]
fn what_a_controller_had_is_freed_outside() {
    let mut rig = Rig::new();
    rig.cycles(20);
    rig.start("arm");
    for _ in 0..100 {
        let time = Duration::from_secs(1);
        let points = vec![Point { time, positions: vec![1.0], ..Point::default() }];
        let trajectory = Box::new(Trajectory::new(1, points).unwrap().into());
        assert!(rig.send(7, Message::Trajectory(Some(trajectory))));
        rig.cycle();
    }
    // It keeps the one that it follows, and the place of the next one.
    assert_eq!(rig.used, 98);
}

#[test]
fn the_loop_goes_on_although_nobody_reads_its_reports() {
    let mut rig = Rig::new();
    rig.cycles(20);
    rig.start("pan");
    rig.reads = false;
    for _ in 0..3000 {
        rig.send(7, Message::Float(1.0));
        rig.cycle();
    }
    assert_eq!(rig.effort(), 0.5);
    rig.reads = true;
    rig.cycles(20);
    assert!(rig.call(Request::Unload("nobody".into())).is_err());
    assert!(rig.call(Request::Switch { start: vec![], stop: vec!["pan".into()], strictness: 2 }).is_ok());
}

#[test]
fn what_controllers_say_is_reported_and_lost_only_where_nobody_reads() {
    let mut rig = Rig::new();
    rig.start("all");
    rig.published = 0;
    rig.cycles(1001);
    assert!((49..=51).contains(&rig.published), "{} at 50 Hz", rig.published);
    rig.reads = false;
    rig.cycles(60_000);
    rig.reads = true;
    rig.published = 0;
    rig.cycle();
    assert!((256..=1024).contains(&rig.published), "{} waited", rig.published);
    // A switch has room all the same.
    rig.call(Request::Switch { start: vec![], stop: vec!["all".into()], strictness: 2 }).unwrap();
}

#[test]
fn more_messages_than_fit_are_refused() {
    let mut rig = Rig::new();
    let sent = (0..5000).filter(|_| rig.send(7, Message::Float(1.0))).count();
    assert_eq!(sent, 1024);
    rig.cycles(1);
    assert!(rig.send(7, Message::Float(1.0)));
}

#[test]
fn a_stop_passes_a_flood_to_another_controller_and_what_waited_before_it_is_over() {
    let mut rig = Rig::new();
    rig.cycles(20);
    rig.start("pan");
    assert!(rig.send(7, Message::Float(1.5)));
    rig.cycle();
    assert_eq!(rig.effort(), 0.75);
    while rig.send(8, Message::Float(1.0)) {}
    rig.cycle(); // makes room for one
    assert!(rig.send(7, Message::Float(1.2)) && rig.send(7, Message::Stop));
    for _ in 0..100 {
        rig.cycle();
        assert_eq!(rig.effort(), 0.0);
    }
    assert!(rig.send(7, Message::Float(1.5)));
    rig.cycle();
    assert_eq!(rig.effort(), 0.75);
}

#[test]
fn a_command_that_finds_no_room_stops() {
    let mut rig = Rig::new();
    rig.cycles(20);
    rig.start("pan");
    assert!(rig.send(7, Message::Float(1.5)));
    rig.cycle();
    assert_eq!(rig.effort(), 0.75);
    while rig.send(8, Message::Float(1.0)) {}
    assert!(!rig.send(7, Message::Float(0.0)), "it meant to stop");
    rig.cycle();
    assert_eq!(rig.effort(), 0.0);
}

#[test]
fn a_stop_needs_nobody_who_reads_the_reports() {
    let mut rig = Rig::new();
    rig.cycles(20);
    rig.start("arm");
    rig.reads = false;
    // Each one replaces the one before, which waits to be freed, until there is no room for more.
    for _ in 0..1100 {
        let (time, positions, efforts) = (Duration::from_secs(2), vec![0.1], vec![1.5]);
        let points = vec![Point { time, positions, efforts, ..Point::default() }];
        let trajectory = Box::new(Trajectory::new(1, points).unwrap().into());
        rig.send(7, Message::Trajectory(Some(trajectory)));
        rig.cycle();
    }
    assert!(rig.effort() > 0.01, "it grows from 0 to 0.75 Nm");
    assert!(rig.send(7, Message::Stop));
    rig.cycle();
    assert_eq!(rig.effort(), 0.0);
}

/// A loop of 10 Hz takes in a step what a loop of 1 kHz takes in a hundred.
#[test]
fn a_slow_loop_keeps_no_message_waiting() {
    let mut rig = Rig::with(Duration::from_millis(100));
    rig.cycles(20);
    rig.start("pan");
    for _ in 0..1000 {
        rig.send(8, Message::Float(1.0));
    }
    assert!(rig.send(7, Message::Float(1.5)));
    rig.cycle();
    assert_eq!(rig.effort(), 0.75);
}
