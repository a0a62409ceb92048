//! The analytic hand behind the loop: controllers move its fingers by the torques of its motors, and nothing allocates.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::time::Duration;

use allocations::{Counting, count};
use haptix::{AnalyticHand, Model, Sensor, Skeleton};
use mechanism::controllers::{Change, ControlLoop, Message};
use mechanism::robot::{Actuator, Hardware};
use mechanism::{BUILTIN_TYPES, Chain, Description, Input, Mechanism, Output, Robot, controllers};
use mechanism_loop::{Body, Commands, Deliveries, Event, Events, HandHardware, Settings, link};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};
use params::Value;
use realtime::{Cycle, RealTime};
use safety::{Instant, Machine, MessageTime};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const PERIOD: Duration = Duration::from_millis(1);

fn robot(model: &Model) -> Robot {
    let description = Description::parse(&model.urdf().unwrap()).unwrap();
    let mut robot = Robot::new(&description);
    assert_eq!(description.skipped, []);
    robot.joints_mut().iter_mut().for_each(|joint| joint.is_calibrated = true);
    robot
}

/// A loop with one controller, which is loaded and started.
struct Rig {
    body: Body,
    commands: Commands,
    deliveries: Deliveries,
    events: Events,
    machine: Mechanism,
    robot: Robot,
    now: Instant,
    /// Position and velocity of each joint, and whether a motor is halted, as reported last.
    joints: Vec<(f64, f64)>,
    is_halted: bool,
}

impl Rig {
    fn new(device: &str, type_name: &str, joint: &str, gains: &[(&str, f64)]) -> Self {
        let model = Model::builtin(device).unwrap();
        let robot = robot(&model);
        let hardware = Box::new(HandHardware::new(AnalyticHand::new(model, 1), &robot).unwrap());
        let settings = Settings {
            period: PERIOD,
            joint_state_rate: 1000.0,
            statistics_rate: 1.0,
            is_halted: false,
            real_time: RealTime::default(),
        };
        let now = realtime::now();
        let (body, commands, deliveries, events) = link(ControlLoop::new(robot.clone()), hardware, &settings);
        let machine = Mechanism::new(Duration::from_secs(2), false);
        let (joints, is_halted) = (Vec::new(), true);
        let mut rig = Self { body, commands, deliveries, events, machine, robot, now, joints, is_halted };
        let known = BUILTIN_TYPES.iter().find(|known| known.name == type_name).unwrap();
        let parameters = gains.iter().map(|(name, value)| ((*name).to_owned(), Value::Float(*value)));
        let parameters = parameters.chain([("joint".to_owned(), Value::Text(joint.into()))]);
        let controller = known.create(&rig.robot, parameters).unwrap().controller;
        let created = controllers::NewController::new(7, controller);
        rig.ask(controllers::Request::Load("finger".into()));
        rig.cycles(1);
        rig.machine.handle(rig.now, Input::Manager(controllers::Input::Created(Ok(created))));
        rig.cycles(40); // two steps for each motor until all are reset
        let start = vec!["finger".to_owned()];
        rig.ask(controllers::Request::Switch { start, stop: Vec::new(), strictness: 2 });
        rig.cycles(2);
        assert!(!rig.is_halted && rig.machine.manager().list()[0].is_running);
        rig
    }

    fn ask(&mut self, request: controllers::Request) {
        self.machine.handle(self.now, Input::Manager(controllers::Input::Requested(1, request)));
    }

    fn cycles(&mut self, cycles: usize) {
        for _ in 0..cycles {
            while let Some(output) = self.machine.poll(self.now) {
                match output {
                    Output::Manager(controllers::Output::Change(change)) => self.submit(change),
                    Output::Halt => self.commands.halt(),
                    Output::Reset => self.commands.reset(),
                    Output::Publish(snapshot, ..) => self.events.recycle(snapshot),
                    _ => {}
                }
            }
            self.now = self.now + PERIOD;
            self.commands.beat(self.now);
            let before = count();
            self.body.cycle(Cycle { now: self.now, late: Duration::ZERO, since_last: PERIOD, missed: 0 });
            assert_eq!(count(), before, "allocations in a cycle");
            while let Some(event) = self.events.take() {
                let input = match event {
                    Event::Changed(change) => Input::Manager(controllers::Input::Changed(change)),
                    Event::Failed(index, failure) => {
                        Input::Manager(controllers::Input::Failed(index, failure))
                    }
                    Event::Reported(snapshot) => {
                        let state = |joint: &mechanism::robot::Joint| (joint.position, joint.velocity);
                        self.joints = snapshot.joints.iter().map(state).collect();
                        self.is_halted = snapshot.is_halted;
                        Input::Reported(snapshot)
                    }
                    Event::ControllerOutput(..) | Event::Used(_) | Event::Dropped(..) => continue,
                };
                self.machine.handle(self.now, input);
            }
        }
    }

    fn submit(&self, change: Box<Change>) {
        self.commands.submit(change);
    }

    fn command(&mut self, value: f64) {
        assert!(self.deliveries.send(
            7,
            0,
            Message::Float(value),
            MessageTime::new(self.now, Duration::ZERO)
        ));
    }

    fn joint(&self, name: &str) -> (f64, f64) {
        self.joints[self.robot.joint(name).unwrap()]
    }
}

const POSITION: &str = "steersman/JointPositionController";
const EFFORT: &str = "steersman/JointEffortController";
const GAINS: [(&str, f64); 4] = [("pid.p", 4.0), ("pid.i", 8.0), ("pid.d", 0.1), ("pid.i_clamp", 0.05)];

#[test]
fn a_position_controller_bends_a_finger_and_its_joints_follow_their_couplings() {
    for device in ["mpl", "mpl_gazebo"] {
        let mut rig = Rig::new(device, POSITION, "index1", &GAINS);
        rig.command(0.6);
        rig.cycles(3000); // it is approached at 0.5 rad/s
        assert!((rig.joint("index1").0 - 0.6).abs() < 1e-3, "{device}: {:?}", rig.joint("index1"));
        // The motor is at 0.1745 + (0.6 - 0.1745) / 0.8333 = 0.68512 rad; the others bend from 0.384 rad on.
        let bent = (0.6 - 0.1745) / 0.8333 + 0.1745 - 0.384;
        for (joint, slope) in [("index2", 0.71875), ("index3", 0.69792)] {
            assert!((rig.joint(joint).0 - slope * bent).abs() < 1e-3, "{device}: {:?}", rig.joint(joint));
        }
        let others = ["wristy", "thumb1", "middle1", "pinky3"].map(|joint| rig.joint(joint));
        assert_eq!(others, [(0.0, 0.0); 4], "nobody moves them");
    }
}

#[test]
fn a_command_beyond_the_reach_ends_at_it_without_a_push() {
    let mut rig = Rig::new("mpl", POSITION, "index1", &GAINS);
    rig.command(9.0);
    rig.cycles(20_000); // slow above 1.8 rad of the motor, where the joint tells little of it
    // 0.1745 + (1.8 - 0.1745) · 0.8333 + (2.777 - 1.8) · 0.0413
    assert!((rig.joint("index1").0 - 1.569_379).abs() < 1e-3, "{:?}", rig.joint("index1"));
    assert!(rig.joint("index1").1.abs() < 1e-3);
}

#[test]
fn an_effort_turns_a_motor_as_its_inertia_and_damping_say() {
    // Thumb: J 0.0006 kg·m², b 0.03 N·m·s/rad, so v(t) = τ/b · (1 - exp(-b·t/J)), with τ/b = 0.1 rad/s here and J/b = 20 ms.
    let mut rig = Rig::new("mpl", EFFORT, "thumb1", &[("timeout", 2.0)]);
    rig.command(0.003);
    rig.cycles(21); // the effort of one step acts in the next one
    let expected = 0.1 * (1.0 - (-1.0_f64).exp());
    assert!((rig.joint("thumb1").1 - expected).abs() < 0.003, "{:?} is not {expected}", rig.joint("thumb1"));
    rig.cycles(500);
    assert!((rig.joint("thumb1").1 - 0.1).abs() < 1e-6);
}

#[test]
fn a_halt_takes_the_torque_and_a_reset_gives_it_back() {
    let mut rig = Rig::new("mpl", EFFORT, "thumb1", &[("timeout", 2.0)]);
    rig.command(0.006);
    rig.cycles(100);
    assert!(rig.joint("thumb1").1 > 0.15);
    rig.machine.handle(rig.now, Input::HaltRequested);
    rig.cycles(500);
    let (position, velocity) = rig.joint("thumb1");
    assert!(rig.is_halted && velocity.abs() < 1e-6, "{velocity}");
    rig.cycles(100);
    assert!((rig.joint("thumb1").0 - position).abs() < 1e-6);
    rig.machine.handle(rig.now, Input::ResetRequested);
    rig.cycles(100);
    assert!(!rig.is_halted);
    rig.command(0.006);
    rig.cycles(100);
    assert!(rig.joint("thumb1").1 > 0.15);
}

/// The hardware alone, with these commands of all its actuators.
fn torques(commands: &[(bool, f64)]) -> Vec<f64> {
    let model = Model::builtin("two_finger").unwrap();
    let mut robot = robot(&model);
    let mut hardware = HandHardware::new(AnalyticHand::new(model, 1), &robot).unwrap();
    for _ in 0..20 {
        hardware.read(&mut robot, Instant::ZERO, PERIOD);
    }
    for (actuator, (enable, effort)) in robot.actuators_mut().iter_mut().zip(commands) {
        (actuator.command.enable, actuator.command.effort) = (*enable, *effort);
    }
    hardware.read(&mut robot, Instant::ZERO, PERIOD);
    robot.actuators().iter().map(|actuator| actuator.state.last_measured_effort).collect()
}

#[test]
fn a_motor_has_the_torque_that_is_commanded_and_no_other() {
    assert_eq!(torques(&[(true, 0.25), (true, -0.5)]), [0.25, -0.5]);
    assert_eq!(torques(&[(true, 9.0), (true, -9.0)]), [1.0, -1.0], "the motor has no more");
    assert_eq!(torques(&[(false, 0.25), (true, f64::NAN)]), [0.0, 0.0]);
    assert_eq!(torques(&[(true, f64::INFINITY), (true, 0.0)]), [0.0, 0.0]);
}

#[test]
fn an_actuator_that_is_no_motor_of_the_hand_is_refused() {
    let hand = AnalyticHand::new(Model::builtin("two_finger").unwrap(), 1);
    let robot = Robot::from_parts(Vec::new(), vec![Actuator::new("elbow")], Vec::new());
    let error = HandHardware::new(hand, &robot).unwrap_err().to_string();
    assert_eq!(error, "the robot has the actuator 'elbow', must be a motor of the hand: left, right");
}

/// The frames that the node haptix publishes on tf, and those of the robot description at the same angles.
#[test]
fn links_and_inertial_units_are_where_the_hand_has_them() {
    let model = Model::builtin("mpl").unwrap();
    let description = Description::parse(&model.urdf().unwrap()).unwrap();
    let mut robot = Robot::new(&description);
    let mut sensor = Sensor::default();
    for (index, name) in model.constants.description.joint_names.iter().enumerate() {
        sensor.joint_pos[index] = 0.1 + 0.03 * index as f32;
        let joint = robot.joint(name).unwrap();
        robot.joints_mut()[joint].position = sensor.joint_pos[index].into();
    }
    let skeleton = Skeleton::new(&model);
    let mut poses = vec![("base", Isometry3::identity())];
    for frame in skeleton.links(&sensor).chain(skeleton.imus()) {
        let [x, y, z, w] = frame.rotation;
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
        let own = Isometry3::from_parts(Translation3::from(frame.translation), turn);
        let parent = poses.iter().find(|(name, _)| *name == frame.parent).unwrap().1;
        poses.push((frame.name, parent * own));
    }
    assert_eq!(poses.len(), 1 + 22 + 5);
    for (link, expected) in &poses[1..] {
        let pose = Chain::new(&description, &robot, "base", link).unwrap().pose(&robot);
        let off = (expected.inverse() * pose).to_homogeneous() - Isometry3::identity().to_homogeneous();
        assert!(off.norm() < 1e-6, "{link}: {pose} is not {expected}");
    }
}

#[test]
fn a_joint_that_follows_has_no_controller() {
    let robot = robot(&Model::builtin("mpl").unwrap());
    let known = BUILTIN_TYPES.iter().find(|known| known.name == POSITION).unwrap();
    let refused = known.create(&robot, [("joint".to_owned(), Value::Text("index2".into()))]).err();
    let expected =
        "parameter 'joint' is 'index2', must be a joint that an actuator moves: it follows 'index1'";
    assert_eq!(refused.as_deref(), Some(expected));
}
