//! What a cycle costs with so many controllers, beside the least that they have to compute.
//!
//! A cycle is one of the loop without its thread and without DDS: the state of the actuators, joints and their statistics, the updates,
//! limits, efforts, and the reports that are due. Each controller holds the position of a joint of its own. The floor is measured in
//! turns with it: for each controller the same PID law, two multiplications, a limit and a reading of the clock, since each update is
//! timed. Allocations are those of all cycles together.

use core::fmt;
use std::hint::black_box;
use std::time::Duration;

use mechanism::controllers::{self, ControlLoop, NewController, Request};
use mechanism::laws::{Gains, Pid};
use mechanism::robot::transmission::{Simple, Transmission};
use mechanism::robot::{Actuator, Hardware, JointKind, JointLimits};
use mechanism::standard::PositionController;
use mechanism::{Input, Joint, Mechanism, Output, Robot};
use mechanism_loop::{Body, Commands, Event, Events, Settings, link};
use realtime::{Cycle, RealTime};
use ros::{Error, clock};
use safety::{Instant, Machine};

use crate::distribution::Distribution;

const COUNTS: [usize; 3] = [1, 10, 100];
const PRIORITY: u8 = 50;
const SAMPLES: usize = 20_000;
const REHEARSED: usize = 500;
const PERIOD: Duration = Duration::from_millis(1);
const GAINS: Gains = Gains { p: 20.0, i: 2.0, d: 3.0, i_clamp: 0.5, max_effort: f64::INFINITY };
const EFFORT: f64 = 2.0;

/// The figures; shown as a table in Markdown.
pub struct Report(Vec<Row>);

struct Row {
    controllers: usize,
    cost: Distribution,
    floor: Distribution,
    /// Of all cycles together.
    allocations: usize,
}

/// Measures cycles on a thread with real-time priority, if that is permitted, and their floor in turns.
/// # Errors
/// The controllers do not run: they are not those of this version.
pub fn measure() -> Result<Report, Error> {
    eprintln!("bench: loop: steps");
    let real_time = RealTime { priority: Some(PRIORITY), ..RealTime::default() };
    let body = move || {
        real_time.apply();
        take_times()
    };
    std::thread::scope(|scope| scope.spawn(body).join())
        .unwrap_or_else(|_| Err(Error::Start("the steps panicked".into())))
}

fn take_times() -> Result<Report, Error> {
    let mut rows = Vec::new();
    for controllers in COUNTS {
        let (mut rig, mut floor) = (Rig::new(controllers)?, Floor::new(controllers));
        let (mut costs, mut floors) = (Vec::with_capacity(SAMPLES), Vec::with_capacity(SAMPLES));
        let mut allocations = 0;
        for number in 0..SAMPLES + REHEARSED {
            let before = allocations::count();
            let cost = rig.cycle();
            let allocated = allocations::count() - before;
            rig.take_events();
            let least = floor.step();
            if number >= REHEARSED {
                costs.push(cost);
                floors.push(least);
                allocations += allocated;
            }
        }
        rig.check(controllers)?;
        let times = Distribution::new(costs).zip(Distribution::new(floors));
        rows.extend(times.map(|(cost, floor)| Row { controllers, cost, floor, allocations }));
    }
    Ok(Report(rows))
}

/// Actuators that follow their command at once.
struct Follower;

impl Hardware for Follower {
    fn read(&mut self, robot: &mut Robot, _: safety::Instant, _: Duration) {
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
    fn new(controllers: usize) -> Result<Self, Error> {
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
        rig.check(controllers)?;
        Ok(rig)
    }

    /// Whether all run, and were asked nothing else.
    fn check(&self, controllers: usize) -> Result<(), Error> {
        let running = self.machine.manager().list().iter().filter(|controller| controller.is_running).count();
        if (self.accepted, running) == (controllers + 1, controllers) {
            Ok(())
        } else {
            Err(Error::Start(format!("{running} of the bench's {controllers} controllers run")))
        }
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
        let began = clock::now();
        self.body.cycle(cycle);
        clock::now().since(began)
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
    NewController { id, controller, dependencies: Vec::new(), moves: Vec::new() }
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

/// What any program has to do for these controllers.
struct Floor {
    pids: Vec<Pid>,
    /// Position and effort of each joint.
    joints: Vec<[f64; 2]>,
}

impl Floor {
    fn new(controllers: usize) -> Self {
        let pids = vec![Pid::new(GAINS); controllers];
        Self { pids, joints: vec![[0.0; 2]; controllers] }
    }

    /// How long one step takes.
    fn step(&mut self) -> Duration {
        let began = clock::now();
        let mut last = clock::now();
        for (pid, joint) in self.pids.iter_mut().zip(&mut self.joints) {
            let [position, effort] = black_box(*joint);
            let position = position / 6.0 + effort * 1e-6;
            let effort = pid.update(0.5 - position, 0.0, 0.001).clamp(-EFFORT, EFFORT);
            *joint = black_box([position * 6.0, effort]);
            let now = clock::now();
            black_box(now.since(last));
            last = now;
        }
        clock::now().since(began)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| controllers | p50 [µs] | p99 [µs] | max [µs] | of the period, p99 | floor, p50 [µs] | p50 to floor | allocations \
             |\n|--:|--:|--:|--:|--:|--:|--:|--:|"
        )?;
        for Row { controllers, cost, floor, allocations } in &self.0 {
            let micros = |time: Duration| time.as_secs_f64() * 1e6;
            let [p50, p99, max] = [0.5, 0.99, 1.0].map(|share| micros(cost.quantile(share)));
            let (least, share) = (micros(floor.quantile(0.5)), p99 / micros(PERIOD) * 100.0);
            writeln!(
                f,
                "| {controllers} | {p50:.2} | {p99:.2} | {max:.1} | {share:.2} % | {least:.2} | {:.1} | {allocations} |",
                p50 / least
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_controllers_run_and_no_cycle_allocates() {
        for controllers in COUNTS {
            let mut rig = Rig::new(controllers).unwrap();
            for _ in 0..1200 {
                let before = allocations::count();
                rig.cycle();
                assert_eq!(allocations::count(), before);
                rig.take_events();
            }
            rig.check(controllers).unwrap();
        }
    }
}
