//! The loop's thread makes no system call but its sleep, whatever it is asked: no lock that waits, no memory, no file.
//!
//! The kernel itself watches: it ends the process at any other call of that thread. So each case runs in a process of its own.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::process::{Command, Output};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use control::{Control, Event, HandHardware, Settings, start};
use haptix::{AnalyticHand, Model};
use mechanism::controllers::{self, ControlLoop, Message, NewController, Request};
use mechanism::robot::{Hardware, JointDynamics, SimulatedRobot};
use mechanism::{BUILTIN_TYPES, Description, Input, Mechanism, Robot};
use params::Value;
use rt::RealTime;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};
use units::Machine;

const URDF: &str = r#"<robot name="one">
  <link name="base"/><link name="head"/>
  <joint name="pan" type="continuous">
    <parent link="base"/><child link="head"/><limit effort="2" velocity="6"/>
  </joint>
  <transmission name="pan_trans" type="pr2_mechanism_model/SimpleTransmission">
    <actuator name="pan_motor"/><joint name="pan"/><mechanicalReduction>2</mechanicalReduction>
  </transmission>
</robot>"#;

/// How many requests are made while the kernel watches.
const REQUESTS: usize = 400;
const LONGEST: Duration = Duration::from_secs(60);
/// Which case this process is, see [`run`].
const CASE: &str = "STEERSMAN_TEST_SYSTEM_CALLS";
/// SIGSYS.
const BAD_SYSTEM_CALL: i32 = 31;

/// What the hardware does in each cycle, beside simulating.
#[derive(Clone, Copy)]
enum Does {
    Nothing,
    /// Is a hand instead of a simulated robot.
    Hand,
    /// Waits for a lock that another thread holds.
    Waits,
    /// Makes room for a million numbers, for which it needs the system.
    Allocates,
}

static LOCKED: Mutex<()> = Mutex::new(());

/// Some hardware; from its first cycle on the kernel allows its thread only to sleep.
struct Watched(Box<dyn Hardware>, Does, bool);

impl Hardware for Watched {
    fn read(&mut self, robot: &mut Robot, now: units::Instant, period: Duration) {
        if !std::mem::replace(&mut self.2, true) {
            seccompiler::apply_filter(&filter()).unwrap();
        }
        match self.1 {
            Does::Nothing | Does::Hand => {}
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

/// Loads, switches, commands, halts and unloads on a running loop, which does so much more in each cycle; ends the process.
#[allow(clippy::disallowed_methods)] // the test has the clock of its own
fn run(does: Does) -> ! {
    let model = Model::builtin("mpl").unwrap();
    let (urdf, joint) = match does {
        Does::Hand => (model.urdf().unwrap(), "index1"),
        _ => (URDF.to_owned(), "pan"),
    };
    let (mut robot, _) = Robot::new(&Description::parse(&urdf).unwrap(), None);
    robot.joints_mut().iter_mut().for_each(|joint| joint.is_calibrated = true);
    let hardware: Box<dyn Hardware> = match does {
        Does::Hand => Box::new(HandHardware::new(AnalyticHand::new(model, 1), &robot).unwrap()),
        _ => Box::new(SimulatedRobot::new(&robot, JointDynamics::default())),
    };
    let settings = Settings {
        period: Duration::from_millis(1),
        joint_state_rate: 100.0,
        statistics_rate: 10.0,
        is_halted: false,
        real_time: RealTime { priority: Some(50), lock_memory: true, cores: Vec::new() },
    };
    let held = LOCKED.lock();
    let hardware = Box::new(Watched(hardware, does, false));
    let control = start(ControlLoop::new(robot.clone()), hardware, &settings).unwrap();
    let machine = Mechanism::new(LONGEST, false);
    let mut client = Client { control, robot, joint, machine, answers: 0, cycles: 0, created: 0 };
    let end = Instant::now() + LONGEST;
    for number in 0..REQUESTS {
        let name = || if number / 4 % 2 == 0 { "all".to_owned() } else { "pan".to_owned() };
        client.request(match number % 4 {
            0 => Request::Load(name()),
            1 => Request::Switch { start: vec![name()], stop: Vec::new(), strictness: 2 },
            2 => Request::Switch { start: Vec::new(), stop: vec![name()], strictness: 2 },
            _ => Request::Unload(name()),
        });
        client.control.deliveries.send(client.created, 0, Message::Float(1.0));
        if number % 20 == 0 {
            client.control.commands.halt();
            client.control.commands.reset();
        }
        while client.answers <= number && Instant::now() < end {
            client.work();
            std::thread::sleep(Duration::from_micros(200));
        }
    }
    println!("answers {} cycles {}", client.answers, client.cycles);
    drop(held);
    std::process::exit(0) // the thread cannot end: that needs system calls
}

/// What the node is for the loop.
struct Client {
    control: Control,
    robot: Robot,
    /// The one that is moved.
    joint: &'static str,
    machine: Mechanism,
    answers: usize,
    cycles: u64,
    created: u64,
}

impl Client {
    fn request(&mut self, request: Request) {
        self.machine.handle(rt::now(), Input::Manager(controllers::Input::Requested(1, request)));
    }

    fn work(&mut self) {
        let now = rt::now();
        while let Some(event) = self.control.events.take() {
            let input = match event {
                Event::Changed(change) => Input::Manager(controllers::Input::Changed(change)),
                Event::Failed(index, failure) => Input::Manager(controllers::Input::Failed(index, failure)),
                Event::Reported(snapshot) => Input::Reported(snapshot),
                Event::Said(..) | Event::Used(_) => continue,
            };
            self.machine.handle(now, input);
        }
        while let Some(output) = self.machine.poll(now) {
            match output {
                mechanism::Output::Manager(controllers::Output::Create { name, .. }) => {
                    let created = self.create(&name);
                    self.machine.handle(now, Input::Manager(controllers::Input::Created(Ok(created))));
                }
                mechanism::Output::Manager(controllers::Output::Change(change)) => {
                    self.control.commands.submit(change);
                }
                mechanism::Output::Manager(controllers::Output::Answer(_, answer)) => {
                    answer.unwrap();
                    self.answers += 1;
                }
                mechanism::Output::Publish(snapshot, names, _) => {
                    self.cycles = snapshot.cycles.map_or(self.cycles, |cycles| cycles.cycles);
                    self.control.events.recycle(snapshot, names.len());
                }
                _ => {}
            }
        }
    }

    fn create(&mut self, name: &str) -> NewController {
        let (type_name, parameter) = match name {
            "all" => ("steersman/JointStateController", ("joints", Value::Texts(vec![self.joint.into()]))),
            _ => ("steersman/JointEffortController", ("joint", Value::Text(self.joint.into()))),
        };
        let known = BUILTIN_TYPES.iter().find(|known| known.name == type_name).unwrap();
        let setup = known.create(&self.robot, [(parameter.0.to_owned(), parameter.1)]).unwrap();
        self.created += 1;
        NewController { id: self.created, controller: setup.controller, dependencies: Vec::new() }
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

#[test]
fn the_loop_makes_no_system_call_but_its_sleep() {
    ends_well(&in_own_process("the_loop_makes_no_system_call_but_its_sleep", Does::Nothing));
}

#[test]
fn the_loop_of_a_hand_makes_none_either() {
    ends_well(&in_own_process("the_loop_of_a_hand_makes_none_either", Does::Hand));
}

fn ends_well(output: &Output) {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{:?}: {text}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains(&format!("answers {REQUESTS} ")), "{text}");
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
