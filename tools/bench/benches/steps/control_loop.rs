//! A cycle of the control loop with so many controllers, without its thread and without DDS.
//!
//! The state of the actuators, joints and their statistics, the updates, limits, efforts, and the reports that are due. Each controller
//! holds the position of a joint of its own. The floor: for each controller the same PID law, two multiplications, a limit and a reading
//! of the clock, since each update is timed.

use std::hint::black_box;
use std::time::Duration;

use criterion::Criterion;
use mechanism::controllers::{self, ControlLoop, NewController, Request};
use mechanism::laws::{Gains, Pid};
use mechanism::robot::transmission::{Simple, Transmission};
use mechanism::robot::{Actuator, Hardware, JointKind, JointLimits};
use mechanism::standard::PositionController;
use mechanism::{Input, Joint, Mechanism, Output, Robot};
use mechanism_loop::{Body, Commands, Event, Events, Settings, link};
use realtime::{Cycle, RealTime};
use safety::{Instant, Machine};

const PERIOD: Duration = Duration::from_millis(1);
const GAINS: Gains = Gains { p: 20.0, i: 2.0, d: 3.0, i_clamp: 0.5, max_effort: f64::INFINITY };
const EFFORT: f64 = 2.0;

pub fn measure(criterion: &mut Criterion) {
    for (controllers, name) in [(1, "loop 1"), (10, "loop 10"), (100, "loop 100")] {
        let mut rig = Rig::new(controllers);
        let mut group = criterion.benchmark_group(name);
        group.bench_function("step", |bencher| {
            bencher.iter_custom(|cycles| {
                let cycle = |_| {
                    let took = rig.cycle();
                    rig.take_events();
                    took
                };
                (0..cycles).map(cycle).sum()
            });
        });
        rig.check(controllers);
        // Position and effort of each joint.
        let (mut pids, mut joints) = (vec![Pid::new(GAINS); controllers], vec![[0.0; 2]; controllers]);
        group.bench_function("floor", |bencher| bencher.iter(|| control(&mut pids, &mut joints)));
    }
}

/// The PID law, the reduction, the limit and the time of each controller.
fn control(pids: &mut [Pid], joints: &mut [[f64; 2]]) {
    let mut last = realtime::now();
    for (pid, joint) in pids.iter_mut().zip(joints) {
        let [position, effort] = black_box(*joint);
        let position = position / 6.0 + effort * 1e-6;
        let effort = pid.update(0.5 - position, 0.0, 0.001).clamp(-EFFORT, EFFORT);
        *joint = black_box([position * 6.0, effort]);
        let now = realtime::now();
        black_box(now.since(last));
        last = now;
    }
}

/// Actuators that follow their command at once.
struct Follower;

impl Hardware for Follower {
    fn read(&mut self, robot: &mut Robot, _: Instant, _: Duration) {
        for actuator in robot.actuators_mut() {
            actuator.state.position += 1e-6 * actuator.command.effort;
            actuator.state.last_measured_effort = actuator.command.effort;
        }
    }

    fn write(&mut self, _: &Robot) {}

    fn halt(&mut self) {}

    fn reset(&mut self) {}
}

/// A loop with position controllers, one for each joint, and what is around it.
struct Rig {
    body: Body,
    commands: Commands,
    events: Events,
    machine: Mechanism,
    now: Instant,
    /// The answers that were no refusals.
    accepted: usize,
    created: u64,
}

impl Rig {
    fn new(controllers: usize) -> Self {
        let settings = Settings {
            period: PERIOD,
            joint_state_rate: 100.0,
            statistics_rate: 1.0,
            is_halted: false,
            real_time: RealTime::default(),
        };
        let control = ControlLoop::new(robot(controllers));
        let (body, commands, _, events) = link(control, Box::new(Follower), &settings);
        let machine = Mechanism::new(Duration::from_secs(2), false);
        let mut rig = Self { body, commands, events, machine, now: realtime::now(), accepted: 0, created: 0 };
        let names: Vec<String> = (0..controllers).map(|number| format!("c{number:03}")).collect();
        names.iter().for_each(|name| rig.call(Request::Load(name.clone())));
        rig.call(Request::Switch { start: names, stop: Vec::new(), strictness: 2 });
        rig.check(controllers);
        rig
    }

    /// All run, and were asked nothing else.
    fn check(&self, controllers: usize) {
        let running = self.machine.manager().list().iter().filter(|controller| controller.is_running).count();
        assert_eq!((self.accepted, running), (controllers + 1, controllers));
    }

    fn call(&mut self, request: Request) {
        self.machine.handle(self.now, Input::Manager(controllers::Input::Requested(1, request)));
        self.drain();
        self.cycle();
        self.take_events();
    }

    /// How long one cycle takes.
    fn cycle(&mut self) -> Duration {
        self.now = self.now + PERIOD;
        let cycle = Cycle { now: self.now, late: Duration::ZERO, since_last: PERIOD, missed: 0 };
        let began = realtime::now();
        self.body.cycle(cycle);
        realtime::now().since(began)
    }

    fn take_events(&mut self) {
        while let Some(event) = self.events.take() {
            match event {
                Event::Changed(change) => {
                    self.machine.handle(self.now, Input::Manager(controllers::Input::Changed(change)));
                }
                Event::Reported(snapshot) => self.machine.handle(self.now, Input::Reported(snapshot)),
                _ => {}
            }
        }
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.machine.poll(self.now) {
            match output {
                Output::Manager(controllers::Output::Create(_)) => {
                    self.created += 1;
                    let created = position_controller(self.created);
                    self.machine.handle(self.now, Input::Manager(controllers::Input::Created(Ok(created))));
                }
                Output::Manager(controllers::Output::Change(change)) => self.commands.submit(change),
                Output::Manager(controllers::Output::Answer(_, Ok(()))) => self.accepted += 1,
                Output::Publish(snapshot, ..) => self.events.recycle(snapshot),
                _ => {}
            }
        }
    }
}

/// The controller `id`, of the joint before it.
fn position_controller(id: u64) -> NewController {
    let controller = Box::new(PositionController::new(id as usize - 1, Pid::new(GAINS)));
    NewController::new(id, controller)
}

fn robot(joints: usize) -> Robot {
    let names: Vec<String> = (0..joints).map(|number| format!("joint_{number:03}")).collect();
    let joint = |name: &String| {
        let mut joint = Joint::new(name, JointKind::Revolute);
        joint.limits = Some(JointLimits { effort: EFFORT, velocity: 5.0, lower: -3.0, upper: 3.0 });
        joint.is_calibrated = true;
        joint
    };
    let simple = |index| {
        Transmission::Simple(Simple { actuator: index, joint: index, reduction: 6.0, simulated: None })
    };
    Robot::from_parts(
        names.iter().map(joint).collect(),
        names.iter().map(Actuator::new).collect(),
        (0..joints).map(simple).collect(),
    )
}
