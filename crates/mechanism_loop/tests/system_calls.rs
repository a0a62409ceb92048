//! The loop's thread makes no system call but its sleep, whatever it is asked: no lock that waits, no memory, no file.
//!
//! The kernel itself watches: it ends the process at any other call of that thread. So each case runs in a process of its own.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::collections::BTreeSet;
use std::process::{Command, Output};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use haptix::{AnalyticHand, Model};
use mechanism::controllers::{self, ControlLoop, ControllerId, Message, NewController, Report, Request};
use mechanism::laws::{Motion, Point, Trajectory};
use mechanism::robot::{Hardware, JointDynamics, SimulatedRobot};
use mechanism::{BUILTIN_TYPES, Description, Input, Mechanism, Robot};
use mechanism_loop::{Control, EffortsReceiver, Event, HandHardware, Settings, StatesSender, remote, start};
use params::Value;
use realtime::RealTime;
use safety::{ActuatorSample, Clock, Machine, MessageTime, Stamp, StateSample, Velocity};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

/// A joint with a motor of its own for each purpose.
const URDF: &str = r#"<robot name="all">
  <link name="base"/><link name="a"/><link name="b"/><link name="c"/><link name="d"/><link name="e"/><link name="f"/>
  <joint name="pan" type="continuous"><parent link="base"/><child link="a"/><limit effort="2" velocity="6"/></joint>
  <joint name="tilt" type="revolute"><parent link="a"/><child link="b"/><limit effort="2" velocity="6" lower="-1" upper="1"/></joint>
  <joint name="left" type="continuous"><parent link="base"/><child link="c"/></joint>
  <joint name="right" type="continuous"><parent link="base"/><child link="d"/></joint>
  <joint name="grip" type="prismatic"><parent link="b"/><child link="e"/><limit effort="2" velocity="6" lower="0" upper="0.1"/></joint>
  <joint name="search" type="revolute"><parent link="b"/><child link="f"/><limit effort="2" velocity="6" lower="-1" upper="1"/>
    <calibration rising="0.02"/></joint>
  TRANSMISSIONS
</robot>"#;
const JOINTS: [&str; 6] = ["pan", "tilt", "left", "right", "grip", "search"];
/// A controller of each type that the program has itself; the last one for hardware with calibration sensors.
const CONTROLLERS: [(&str, &str); 8] = [
    ("drive", "steersman/DiffDriveController"),
    ("gripper", "steersman/GripperController"),
    ("effort", "steersman/JointEffortController"),
    ("position", "steersman/JointPositionController"),
    ("states", "steersman/JointStateController"),
    ("trajectory", "steersman/JointTrajectoryController"),
    ("velocity", "steersman/JointVelocityController"),
    ("calibration", "steersman/JointCalibrationController"),
];
/// Number of the controllers, from the first one on, that a robot elsewhere runs: it has no calibration sensor.
const ELSEWHERE: usize = CONTROLLERS.len() - 1;

/// Controllers of a hand.
const OF_A_HAND: [(&str, &str); 3] = [
    ("effort", "steersman/JointEffortController"),
    ("position", "steersman/JointPositionController"),
    ("states", "steersman/JointStateController"),
];

fn robot() -> Robot {
    let transmission = |joint: &str| {
        format!(
            r#"<transmission name="{joint}_trans" type="pr2_mechanism_model/SimpleTransmission"><actuator name="{joint}_motor"/>
            <joint name="{joint}"/><mechanicalReduction>2</mechanicalReduction></transmission>"#
        )
    };
    let transmissions: String = JOINTS.iter().map(|joint| transmission(joint)).collect();
    let description = Description::parse(&URDF.replace("TRANSMISSIONS", &transmissions)).unwrap();
    let mut robot = Robot::new(&description);
    robot.joints_mut().iter_mut().for_each(|joint| joint.is_calibrated = true);
    robot
}

/// The parameters of the controller `name`, for these joints.
fn parameters(name: &str, joints_of: &[&str]) -> Vec<(String, Value)> {
    let joint = |name: &str| vec![("joint", Value::Text(name.into()))];
    let joints = |names: &[&str]| Value::Texts(names.iter().map(|&name| name.into()).collect());
    let law =
        [("pid.p", Value::Float(4.0)), ("pid.i", Value::Float(1.0)), ("pid.i_clamp", Value::Float(1.0))];
    let laws = vec![("joints", joints(&["pan", "tilt"])), ("pid.p", Value::Floats(vec![4.0; 2]))];
    let search = [("velocity", Value::Float(0.5)), ("force_calibration", Value::Bool(true))];
    let wheels = vec![("left_wheel_names", joints(&["left"])), ("right_wheel_names", joints(&["right"]))];
    let given = match name {
        "drive" => [wheels, law.to_vec()].concat(),
        "gripper" => [joint("grip"), law.to_vec()].concat(),
        "calibration" => [joint("search"), search.to_vec(), law.to_vec()].concat(),
        "effort" => joint(joints_of[0]),
        "states" => vec![("joints", joints(joints_of))],
        "trajectory" => laws,
        _ => [joint(joints_of[0]), law.to_vec()].concat(),
    };
    given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Message `number` to the controller `name`.
fn message(name: &str, number: usize) -> Message {
    match name {
        "drive" => {
            let mut clock = Clock::default();
            clock.pass_to(realtime::now(), None);
            // Motion begins with a zero.
            let forward = if number.is_multiple_of(50) { 0.0 } else { 0.2 };
            Message::Velocity(
                safety::Command::new(Velocity::planar(forward, 0.0).unwrap(), Stamp::ZERO),
                clock,
            )
        }
        "trajectory" if number % 3 == 2 => Message::Trajectory(None),
        "trajectory" => {
            let point = Point {
                time: Duration::from_millis(200),
                positions: vec![0.2; 2],
                velocities: vec![0.0; 2],
                ..Point::default()
            };
            let trajectory = Trajectory::new(2, vec![point]).unwrap();
            let motion = Motion { goal: Some(number as u64), ..Motion::from(trajectory) };
            Message::Trajectory(Some(Box::new(motion)))
        }
        _ => Message::Float(0.05),
    }
}

/// How many requests are made while the kernel watches.
const REQUESTS: usize = 400;
const LONGEST: Duration = Duration::from_secs(60);
/// Which case this process is, see [`run`].
const CASE: &str = "STEERSMAN_TEST_SYSTEM_CALLS";
/// SIGSYS.
const BAD_SYSTEM_CALL: i32 = 31;

/// Kind of the hardware, or its work in each cycle beside simulating.
#[derive(Clone, Copy)]
enum Does {
    Nothing,
    /// It does nothing more: the hardware is that of a robot elsewhere.
    IsElsewhere,
    /// It does nothing more: the hardware is the simulated hand.
    IsHand,
    /// Waits for a lock that another thread holds.
    Waits,
    /// Makes room for a million numbers, for which it needs the system.
    Allocates,
}

static LOCKED: Mutex<()> = Mutex::new(());

/// Hardware; from its first cycle on the kernel allows its thread only to sleep.
struct Watched(Box<dyn Hardware>, Does, bool);

impl Hardware for Watched {
    fn read(&mut self, robot: &mut Robot, now: safety::Instant, period: Duration) {
        if !std::mem::replace(&mut self.2, true) {
            seccompiler::apply_filter(&filter()).unwrap();
        }
        match self.1 {
            Does::Nothing | Does::IsElsewhere | Does::IsHand => {}
            Does::Waits => drop(LOCKED.lock()),
            Does::Allocates => drop(std::hint::black_box(vec![1_u64; 1_000_000])),
        }
        self.0.read(robot, now, period);
    }

    fn write(&mut self, robot: &Robot) {
        self.0.write(robot);
    }

    fn halt(&mut self) {
        self.0.halt();
    }

    fn reset(&mut self) {
        self.0.reset();
    }

    fn link(&self) -> Option<safety::LinkState> {
        self.0.link()
    }
}

/// A robot elsewhere, as those of `topics` and `base` are to the loop: its states come every 2 ms, and pause for 150 ms three times a second.
#[allow(clippy::disallowed_methods)] // it has a thread of its own
fn be_elsewhere(count: usize, states: StatesSender, mut efforts: EffortsReceiver) {
    thread::spawn(move || {
        let mut actuators = vec![ActuatorSample::default(); count];
        for number in 0_u64.. {
            if let Some(new) = efforts.take() {
                for (actuator, effort) in actuators.iter_mut().zip(&new.efforts) {
                    actuator.velocity += (effort - actuator.velocity) * 0.01;
                    actuator.position += actuator.velocity * 0.002;
                }
                efforts.recycle(new);
            }
            let time = MessageTime::new(realtime::now(), Duration::ZERO);
            states.send(Box::new(StateSample { time, actuators: actuators.clone() }));
            thread::sleep(Duration::from_millis(if number % 150 == 149 { 150 } else { 2 }));
        }
    });
}

/// Ends the process at every call but a sleep, and the clock where it is one.
fn filter() -> BpfProgram {
    let allowed = [numbers::CLOCK_NANOSLEEP, numbers::CLOCK_GETTIME, numbers::RESTART_SYSCALL];
    let rules = allowed.map(|number| (number, Vec::new()));
    let arch = TargetArch::try_from(std::env::consts::ARCH).unwrap();
    let filter =
        SeccompFilter::new(rules.into(), SeccompAction::KillProcess, SeccompAction::Allow, arch).unwrap();
    filter.try_into().unwrap()
}

/// The numbers of the calls that are allowed.
mod numbers {
    #[cfg(target_arch = "x86_64")]
    mod of_this {
        pub const CLOCK_NANOSLEEP: i64 = 230;
        pub const CLOCK_GETTIME: i64 = 228;
        pub const RESTART_SYSCALL: i64 = 219;
    }
    #[cfg(not(target_arch = "x86_64"))]
    mod of_this {
        // Those of the kernel's generic table.
        pub const CLOCK_NANOSLEEP: i64 = 115;
        pub const CLOCK_GETTIME: i64 = 113;
        pub const RESTART_SYSCALL: i64 = 128;
    }
    pub use of_this::*;
}

/// Runs all controllers, then loads, switches, commands, halts and unloads, on a running loop with this hardware; ends the process.
#[allow(clippy::disallowed_methods)] // the test has the clock of its own
fn run(does: Does) -> ! {
    let mut robot = robot();
    let (mut known, mut joints): (&[_], &[_]) = (&CONTROLLERS, &JOINTS);
    let hardware: Box<dyn Hardware> = match does {
        Does::IsElsewhere => {
            let (hardware, states, efforts) = remote(&robot, Duration::from_millis(100), 500.0);
            be_elsewhere(robot.actuators().len(), states, efforts);
            known = &CONTROLLERS[..ELSEWHERE];
            Box::new(hardware)
        }
        Does::IsHand => {
            let model = Model::builtin("mpl").unwrap();
            robot = Robot::new(&Description::parse(&model.urdf().unwrap()).unwrap());
            robot.joints_mut().iter_mut().for_each(|joint| joint.is_calibrated = true);
            (known, joints) = (&OF_A_HAND, &["index1"]);
            Box::new(HandHardware::new(AnalyticHand::new(model, 1), &robot).unwrap())
        }
        _ => Box::new(SimulatedRobot::new(&robot, JointDynamics::default())),
    };
    robot.note_sensors(&*hardware);
    let settings = Settings {
        period: Duration::from_millis(1),
        joint_state_rate: 100.0,
        statistics_rate: 10.0,
        is_halted: false,
        real_time: RealTime { priority: Some(50), lock_memory: true, cores: Vec::new() },
    };
    let held = LOCKED.lock();
    let watched = Box::new(Watched(hardware, does, false));
    let control = start(ControlLoop::new(robot.clone()), watched, &settings).unwrap();
    let machine = Mechanism::new(LONGEST, false);
    let mut client = Client {
        control,
        robot,
        known,
        joints,
        machine,
        answers: 0,
        refused: BTreeSet::new(),
        losses: 0,
        created: Vec::new(),
        reported: BTreeSet::new(),
    };
    let end = Instant::now() + LONGEST;
    client.run_all(does, end);
    for number in 0..REQUESTS {
        let (name, _) = known[number / 4 % known.len()];
        let one = || vec![name.to_owned()];
        client.request(match number % 4 {
            0 => Request::Load(name.to_owned()),
            1 => Request::Switch { start: one(), stop: Vec::new(), strictness: 2 },
            2 => Request::Switch { start: Vec::new(), stop: one(), strictness: 2 },
            _ => Request::Unload(name.to_owned()),
        });
        client.send(name, number);
        if number % 20 == 0 {
            client.control.commands.halt();
            client.control.commands.reset();
        }
        client.wait(end, |client| client.answers > number);
    }
    client.wait(end, |client| client.losses > 0 || !matches!(does, Does::IsElsewhere));
    println!(
        "answers {} cycles {} refused {:?}",
        client.answers,
        client.control.timing.steps(),
        client.refused
    );
    drop(held);
    std::process::exit(0) // the thread cannot end: that needs system calls
}

/// Client of the loop, in place of the node.
struct Client {
    control: Control,
    robot: Robot,
    /// The controllers that it runs, and their joints.
    known: &'static [(&'static str, &'static str)],
    joints: &'static [&'static str],
    machine: Mechanism,
    answers: usize,
    /// Why requests were refused.
    refused: BTreeSet<String>,
    /// How often the robot elsewhere was lost.
    losses: u64,
    /// The names of the controllers that were created; the id of one is its place, from 1 on.
    created: Vec<String>,
    /// The controllers that reported something.
    reported: BTreeSet<String>,
}

impl Client {
    fn request(&mut self, request: Request) {
        self.machine.handle(realtime::now(), Input::Manager(controllers::Input::Requested(1, request)));
    }

    /// Sends a message to the last controller of this name.
    fn send(&mut self, name: &str, number: usize) {
        if let Some(place) = self.created.iter().rposition(|created| created == name) {
            let time = MessageTime::new(realtime::now(), Duration::ZERO);
            self.control.deliveries.send(place as ControllerId + 1, 0, message(name, number), time);
        }
    }

    #[allow(clippy::disallowed_methods)] // the test has the clock of its own
    fn wait(&mut self, end: Instant, condition: impl Fn(&Self) -> bool) {
        while !condition(self) && Instant::now() < end {
            self.work();
            thread::sleep(Duration::from_micros(200));
        }
    }

    /// Runs all controllers at once until each that reports something has done so, then unloads them.
    #[allow(clippy::disallowed_methods)] // the test has the clock of its own
    fn run_all(&mut self, does: Does, end: Instant) {
        let names: Vec<String> = self.known.iter().map(|(name, _)| (*name).to_owned()).collect();
        self.wait(end, |client| client.control.timing.steps() > 0 && !client.machine.is_halted());
        for name in &names {
            self.request(Request::Load(name.clone()));
        }
        self.wait(end, |client| client.answers == names.len());
        self.request(Request::Switch { start: names.clone(), stop: Vec::new(), strictness: 2 });
        self.wait(end, |client| client.answers == names.len() + 1);
        let running = self.machine.manager().list().iter().filter(|one| one.is_running).count();
        let talkers: &[&str] = match does {
            Does::IsHand => &["states"],
            Does::IsElsewhere => &["drive", "gripper", "states", "trajectory"],
            _ => &["calibration", "drive", "gripper", "states", "trajectory"],
        };
        let expected: BTreeSet<String> = talkers.iter().map(|&name| name.to_owned()).collect();
        for number in 0_usize.. {
            if self.reported.is_superset(&expected) || Instant::now() > end {
                break;
            }
            for name in names.iter().filter(|name| *name != "trajectory" || number % 100 == 0) {
                self.send(name, if name == "trajectory" { number / 100 } else { number });
            }
            if number % 100 == 99 {
                self.control.commands.reset(); // the robot elsewhere was lost
            }
            let soon = Instant::now() + Duration::from_millis(2);
            self.wait(soon.min(end), |_| false);
        }
        println!("all {running} running, reported {:?}", self.reported);
        self.request(Request::Switch { start: Vec::new(), stop: names.clone(), strictness: 2 });
        names.iter().for_each(|name| self.request(Request::Unload(name.clone())));
        self.wait(end, |client| client.answers == 2 * names.len() + 2);
        self.answers = 0;
    }

    fn work(&mut self) {
        let now = realtime::now();
        self.control.commands.beat(now);
        while let Some(event) = self.control.events.take() {
            let input = match event {
                Event::Changed(change) => Input::Manager(controllers::Input::Changed(change)),
                Event::Failed(index, failure) => Input::Manager(controllers::Input::Failed(index, failure)),
                Event::Reported(snapshot) => Input::Reported(snapshot),
                Event::ControllerOutput(id, _, _, report) => {
                    // A goal that is replaced ends at once.
                    if !matches!(report, Report::GoalEnded(..)) {
                        self.reported.insert(self.created[id as usize - 1].clone());
                    }
                    continue;
                }
                Event::Used(_) | Event::Dropped(..) => continue,
            };
            self.machine.handle(now, input);
        }
        while let Some(output) = self.machine.poll(now) {
            match output {
                mechanism::Output::Manager(controllers::Output::Create(name)) => {
                    let created = self.create(&name);
                    self.machine.handle(now, Input::Manager(controllers::Input::Created(Ok(created))));
                }
                mechanism::Output::Manager(controllers::Output::Change(change)) => {
                    self.control.commands.submit(change);
                }
                mechanism::Output::Manager(controllers::Output::Answer(_, answer)) => {
                    // A calibration does not start in a halt.
                    let halted = "controller 'calibration' does not start: the motors are halted";
                    let refusal = answer.err().map(|refusal| refusal.to_string());
                    self.refused.extend(refusal.filter(|refusal| !refusal.starts_with(halted)));
                    self.answers += 1;
                }
                mechanism::Output::Publish(snapshot, ..) => {
                    self.losses = snapshot.link.map_or(0, |link| link.losses);
                    self.control.events.recycle(snapshot);
                }
                _ => {}
            }
        }
    }

    fn create(&mut self, name: &str) -> NewController {
        let (_, type_name) = self.known.iter().find(|(known, _)| *known == name).unwrap();
        let known = BUILTIN_TYPES.iter().find(|known| known.name == *type_name).unwrap();
        let setup = known.create(&self.robot, parameters(name, self.joints)).unwrap();
        self.created.push(name.to_owned());
        let id = self.created.len() as ControllerId;
        NewController::new(id, setup.controller)
    }
}

/// Runs the test `name` in a process of its own, as the case `does`; inside that process it never returns.
fn in_own_process(name: &str, does: Does) -> Output {
    if std::env::var_os(CASE).is_some() {
        run(does);
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([name, "--exact", "--nocapture"]).env(CASE, "1").output().unwrap()
}

fn ended_by(output: &Output) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&output.status)
}

/// Each controller ran, each that says something did, and all requests were answered.
fn assert_watched(name: &str, does: Does, count: usize, reported: &str) {
    let output = in_own_process(name, does);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{:?}: {text}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains(&format!("all {count} running, reported {reported}")), "{text}");
    assert!(text.contains(&format!("answers {REQUESTS} ")), "{text}");
    assert!(text.contains("refused {}"), "{text}");
}

#[test]
fn all_types_of_controllers_are_watched() {
    let watched: BTreeSet<&str> = CONTROLLERS.iter().map(|(_, name)| *name).collect();
    assert_eq!(watched, BUILTIN_TYPES.iter().map(|known| known.name).collect());
}

#[test]
fn the_loop_makes_no_system_call_but_its_sleep() {
    let reported = r#"{"calibration", "drive", "gripper", "states", "trajectory"}"#;
    assert_watched("the_loop_makes_no_system_call_but_its_sleep", Does::Nothing, CONTROLLERS.len(), reported);
}

/// The hardware `topics` and `base`: what they publish and receive is another thread's to do.
#[test]
fn the_loop_of_a_robot_elsewhere_makes_no_system_call_but_its_sleep() {
    let reported = r#"{"drive", "gripper", "states", "trajectory"}"#;
    let name = "the_loop_of_a_robot_elsewhere_makes_no_system_call_but_its_sleep";
    assert_watched(name, Does::IsElsewhere, ELSEWHERE, reported);
}

#[test]
fn the_loop_of_a_hand_makes_no_system_call_but_its_sleep() {
    let name = "the_loop_of_a_hand_makes_no_system_call_but_its_sleep";
    assert_watched(name, Does::IsHand, OF_A_HAND.len(), r#"{"states"}"#);
}

#[test]
fn a_lock_that_waits_would_be_seen() {
    let output = in_own_process("a_lock_that_waits_would_be_seen", Does::Waits);
    assert_eq!(ended_by(&output), Some(BAD_SYSTEM_CALL), "{output:?}");
}

#[test]
fn memory_from_the_system_would_be_seen() {
    let output = in_own_process("memory_from_the_system_would_be_seen", Does::Allocates);
    assert_eq!(ended_by(&output), Some(BAD_SYSTEM_CALL), "{output:?}");
}
