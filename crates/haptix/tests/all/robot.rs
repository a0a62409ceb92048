//! The node of a robot elsewhere: what its states do, and that nothing moves it by itself.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::node::{Node, at, update};
use common::values;
use haptix::{
    Command, Constants, Device, DeviceError, Input, Mode, Order, Output, RobotCommand, RobotHand, RobotModel,
    RobotStates, Sensor, Setpoints, State,
};
use safety::{Instant, PublisherCount, PublisherId, StateMonitor, StatesMessage};

const TIMEOUT: Duration = Duration::from_millis(100);
const TOPIC: &str = "joint_states";

/// Link to the robot and back, in place of the rings.
#[derive(Clone, Default)]
struct Link(Arc<Mutex<Way>>);

#[derive(Default)]
struct Way {
    states: Option<RobotStates>,
    commands: Vec<RobotCommand>,
    now: Instant,
}

/// The device, as its shell makes it.
struct Robot {
    hand: RobotHand,
    link: Link,
    is_due: bool,
}

impl Robot {
    fn now(&self) -> Instant {
        self.link.0.lock().unwrap().now
    }
}

impl Device for Robot {
    fn constants(&self) -> &Constants {
        &self.hand.model().constants
    }

    fn command(&mut self, setpoints: &Setpoints) -> Result<(), DeviceError> {
        self.hand.follow(self.now(), setpoints)
    }

    fn hold(&mut self, _: f64) -> Result<(), DeviceError> {
        let command = self.hand.hold(self.now())?;
        self.link.0.lock().unwrap().commands.push(command);
        Ok(())
    }

    fn step(&mut self, dt: Duration) -> Result<(), DeviceError> {
        self.hand.pass(dt);
        let now = self.now();
        let command = if std::mem::take(&mut self.is_due) { self.hand.command(now) } else { None };
        self.link.0.lock().unwrap().commands.extend(command);
        Ok(())
    }

    fn read(&mut self, sensor: &mut Sensor) -> Result<(), DeviceError> {
        let (states, now) = {
            let mut link = self.link.0.lock().unwrap();
            (link.states.take(), link.now)
        };
        if let Some(states) = states {
            self.hand.take(states);
        }
        self.is_due = true;
        self.hand.read(now, sensor)
    }

    fn reset(&mut self, _: bool) -> Result<(), DeviceError> {
        Ok(())
    }
}

struct Rig {
    node: Node,
    link: Link,
    /// The positions of the joints; while it is `None` the robot is silent.
    positions: Option<[f64; 4]>,
}

impl Rig {
    fn new() -> Self {
        let model = RobotModel::parse(include_str!("../../devices/robot.yaml")).unwrap();
        let names = model.constants.description.joint_names.clone();
        let monitor =
            StateMonitor::new(TOPIC, names, TIMEOUT).of_joints(model.others.to_vec(), model.measures);
        let link = Link::default();
        let hand = RobotHand::new(model, TIMEOUT);
        let mut node = Node::of(Robot { hand, link: link.clone(), is_due: false });
        node.machine = node.machine.with_states(monitor);
        Self { node, link, positions: None }
    }

    /// Passes `millis`, with states every 5 ms.
    fn run(&mut self, millis: u64) {
        for _ in 0..millis {
            if self.node.millis.is_multiple_of(5)
                && let Some(positions) = self.positions
            {
                self.states(positions);
            }
            self.link.0.lock().unwrap().now = at(self.node.millis);
            self.node.run(1);
            let passed: Vec<_> = self.node.outputs.iter().filter_map(passed).collect();
            self.node.outputs.retain(|output| passed_ref(output).is_none());
            if let Some(states) = passed.last() {
                self.link.0.lock().unwrap().states = Some(*states);
            }
        }
    }

    fn states(&mut self, positions: [f64; 4]) {
        let names = ["right_knuckle_joint", "elbow_joint", "left_knuckle_joint", "left_tip_joint"];
        self.node.input(Input::StatesReceived(StatesMessage {
            names: names.map(str::to_owned).to_vec(),
            positions: positions.to_vec(),
            velocities: vec![0.0; 4],
            efforts: vec![f64::NAN; 4], // as ros2_control publishes what is not there
            ..StatesMessage::default()
        }));
    }

    /// The positions that the robot was sent since the last call.
    fn sent(&mut self) -> Vec<Vec<f64>> {
        let sent: Vec<RobotCommand> = self.link.0.lock().unwrap().commands.drain(..).collect();
        sent.iter().map(|command| command.positions().to_vec()).collect()
    }

    fn command(&mut self, command: Command) {
        let (command, at) = (Box::new(command), at(self.node.millis));
        self.node.input(Input::CommandReceived { command, at });
    }

    fn warnings(&mut self) -> Vec<String> {
        let warning = |output| if let Output::Warn(text) = output { Some(text) } else { None };
        self.node.outputs.drain(..).filter_map(warning).collect()
    }
}

fn passed_ref(output: &Output) -> Option<&safety::StateSample> {
    if let Output::PassStates(sample) = output { Some(sample) } else { None }
}

fn passed(output: &Output) -> Option<RobotStates> {
    passed_ref(output).map(RobotStates::new)
}

#[test]
fn before_the_first_states_nothing_goes_out_and_then_a_hold_where_the_robot_is() {
    let mut rig = Rig::new();
    rig.run(500);
    rig.command(Command { ref_pos: values(&[0.5, 0.5]), ..Command::default() });
    rig.run(800);
    assert_eq!(rig.sent(), Vec::<Vec<f64>>::new());
    let absence = format!("no states came on '{TOPIC}' within 100ms");
    assert_eq!(rig.node.machine.state(), State::NotAnswering(Some(absence)));
    rig.positions = Some([0.3, 9.0, 0.1, 0.2]);
    rig.run(200);
    assert_eq!(rig.sent(), [[0.1, 0.3]]);
    assert_eq!(rig.node.machine.state(), State::Holding);
    let sensor = rig.node.readings.last().unwrap().0.sensor;
    assert_eq!(
        (sensor.motor_pos[..3].to_vec(), sensor.joint_pos[..4].to_vec()),
        (vec![0.1, 0.3, 0.0], vec![0.1, 0.2, 0.3, 0.0])
    );
}

#[test]
fn a_command_without_positions_moves_nothing_also_after_a_reset() {
    let mut rig = Rig::new();
    rig.positions = Some([0.3, 0.0, 0.1, 0.2]);
    rig.run(100);
    let gains = Command { gain_pos: values(&[1.0, 1.0]), ..Command::default() };
    rig.command(gains);
    rig.run(100);
    let near = |sent: &Vec<f64>| (sent[0] - 0.1).abs() < 1e-6 && (sent[1] - 0.3).abs() < 1e-6;
    let sent = rig.sent();
    assert!(sent.len() > 3 && sent.iter().all(near), "{sent:?}");
    rig.command(Command { ref_pos: values(&[0.8, 0.8]), ..Command::default() });
    rig.run(100);
    assert!(rig.sent().last().unwrap()[0] > 0.5);
    rig.node.input(Input::ResetRequested { id: 1, reset_limb_pose: true });
    rig.command(gains);
    rig.run(100);
    let sent = rig.sent();
    assert!(sent.len() > 3 && sent.iter().all(near), "{sent:?}");
}

#[test]
fn silence_of_a_client_holds_where_the_robot_is_then() {
    let mut rig = Rig::new();
    rig.positions = Some([0.3, 0.0, 0.1, 0.2]);
    rig.run(100);
    rig.command(Command { ref_pos: values(&[0.8, 0.8]), ..Command::default() });
    rig.run(100);
    rig.positions = Some([0.4, 0.0, 0.2, 0.2]);
    rig.run(1000);
    rig.sent();
    rig.run(500);
    assert_eq!(rig.sent(), Vec::<Vec<f64>>::new(), "a hold is sent once");
    assert_eq!(rig.node.readings.last().unwrap().0.mode, Mode::Holding);
    rig.command(Command { ref_pos: values(&[0.8, 0.8]), ..Command::default() });
    rig.run(40);
    assert!(!rig.sent().is_empty());
}

#[test]
fn states_that_do_not_count_say_why_and_end_the_motion() {
    let mut rig = Rig::new();
    rig.positions = Some([0.3, 0.0, 0.1, 0.2]);
    rig.run(100);
    rig.command(Command { ref_pos: values(&[0.8, 0.8]), ..Command::default() });
    rig.run(50);
    rig.positions = Some([0.3, 0.0, f64::NAN, 0.2]);
    rig.run(150);
    let sentence = "the position of 'left_knuckle_joint' is NaN, must be finite";
    assert_eq!(rig.warnings(), [format!("the robot's states do not count: {sentence}")]);
    rig.sent();
    rig.run(1000);
    assert_eq!(rig.sent(), Vec::<Vec<f64>>::new());
    let state = rig.node.machine.state();
    assert_eq!(state, State::NotAnswering(Some(sentence.into())));
    assert!(state.to_string().ends_with(&format!("no reading for 1000 ms; {sentence}")));
    rig.positions = Some([0.3, 0.0, 0.1, 0.2]);
    rig.run(100);
    assert_eq!(rig.sent(), [[0.1, 0.3]], "what is back is held");
}

#[test]
fn a_second_publisher_holds_at_once_and_refuses_commands() {
    let mut rig = Rig::new();
    rig.positions = Some([0.3, 0.0, 0.1, 0.2]);
    rig.run(100);
    rig.command(Command { ref_pos: values(&[0.8, 0.8]), ..Command::default() });
    rig.run(40);
    rig.sent();
    rig.node.orders.clear();
    rig.node.input(Input::PublishersCounted { topic: TOPIC.into(), count: PublisherCount::of(2) });
    assert_eq!(rig.node.orders, [Order::Hold]);
    rig.command(Command { ref_pos: values(&[0.8, 0.8]), ..Command::default() });
    assert_eq!(rig.node.orders.len(), 1);
    let sentence = format!("'{TOPIC}' has 2 publishers, must have 1");
    let expected = ["the robot's states do not count", "a command was refused"]
        .map(|what| format!("{what}: {sentence}"));
    assert_eq!(rig.warnings(), expected);
    rig.run(20);
    assert_eq!(rig.sent(), [[0.1, 0.3]]);
    rig.run(1200);
    assert_eq!((rig.sent(), rig.node.machine.state()), (vec![], State::NotAnswering(Some(sentence))));
    rig.node.input(Input::PublishersCounted { topic: TOPIC.into(), count: PublisherCount::of(1) });
    rig.run(100);
    assert_eq!((rig.sent(), rig.node.machine.state()), (vec![vec![0.1, 0.3]], State::Holding));
}

#[test]
fn a_command_that_comes_while_the_states_are_lost_is_refused_and_moves_nothing_later() {
    let mut rig = Rig::new();
    let open = Command { ref_pos: values(&[0.8, 0.8]), ..Command::default() };
    let mut settings = common::node::settings();
    settings.command_timeout = None;
    rig.node.input(Input::ParametersChanged(Box::new(settings)));
    rig.positions = Some([0.3, 0.0, 0.1, 0.2]);
    rig.run(100);
    rig.command(open);
    rig.run(100);
    rig.positions = None;
    rig.run(85);
    rig.node.update(1, open, true);
    rig.node.update(2, Command::default(), true);
    rig.run(115);
    assert!(update(rig.node.answer(1)).0.unwrap_err().contains("did not answer in its last tick"));
    assert_eq!(rig.node.answer(2), None, "what gave no command waits on");
    assert!(rig.node.machine.state().to_string().starts_with("WAITING"), "{}", rig.node.machine.state());
    rig.sent();
    rig.warnings();
    rig.node.orders.clear();
    rig.command(open);
    let refused = "a command was refused: the device did not answer in its last tick, so it takes no command";
    let refused = format!("{refused}; no states came on '{TOPIC}' within 100ms");
    assert_eq!((rig.warnings(), rig.node.orders.len()), (vec![refused], 0));
    rig.run(100);
    rig.positions = Some([0.3, 0.0, 0.1, 0.2]);
    rig.run(1000);
    assert_eq!((rig.sent(), rig.node.machine.state()), (vec![vec![0.1, 0.3]], State::Holding));
    rig.command(open);
    rig.run(100);
    assert!(rig.sent().len() > 3);
}

#[test]
fn after_a_hold_a_loss_a_conflict_or_a_reset_nothing_but_positions_moves_the_robot() {
    let hold: fn(&mut Rig) = |rig| rig.run(1100);
    let loss: fn(&mut Rig) = |rig| {
        rig.positions = None;
        rig.run(200);
    };
    let conflict: fn(&mut Rig) = |rig| {
        rig.node.input(Input::PublishersCounted { topic: TOPIC.into(), count: PublisherCount::of(2) });
        rig.run(20);
        rig.node.input(Input::PublishersCounted { topic: TOPIC.into(), count: PublisherCount::of(1) });
    };
    let reset: fn(&mut Rig) = |rig| rig.node.input(Input::ResetRequested { id: 1, reset_limb_pose: false });
    let others = [
        Command { gain_pos: values(&[1.0, 1.0]), ..Command::default() },
        Command { ref_vel_max: values(&[1.0, 1.0]), ..Command::default() },
    ];
    for end in [hold, loss, conflict, reset] {
        for other in others {
            let mut rig = Rig::new();
            rig.positions = Some([0.3, 0.0, 0.1, 0.2]);
            rig.run(100);
            rig.command(Command { ref_pos: values(&[0.8, 0.8]), ..Command::default() });
            rig.run(100);
            end(&mut rig);
            rig.positions = Some([0.25, 0.0, 0.15, 0.2]);
            rig.run(100);
            rig.sent();
            rig.command(other);
            rig.run(100);
            let sent = rig.sent();
            let near = |sent: &Vec<f64>| (sent[0] - 0.15).abs() < 1e-6 && (sent[1] - 0.25).abs() < 1e-6;
            assert!(sent.len() > 3 && sent.iter().all(near), "{sent:?}");
        }
    }
}

#[test]
fn a_robot_beyond_its_range_stays_there_until_a_command_for_within_it() {
    let mut rig = Rig::new();
    rig.positions = Some([0.3, 0.0, 1.5, 0.2]);
    rig.run(100);
    assert_eq!(rig.sent(), [[1.5, 0.3]]);
    rig.command(Command { gain_pos: values(&[1.0, 1.0]), ..Command::default() });
    rig.run(100);
    assert!(rig.sent().iter().all(|sent| sent[0] == 1.5));
    rig.command(Command { ref_pos: values(&[0.7, 0.3]), ..Command::default() });
    rig.run(100);
    assert!(rig.sent().last().unwrap()[0] < 1.5);
}

#[test]
fn a_second_publisher_is_answered_with_a_hold_whatever_the_robot_does() {
    for is_commanded in [true, false] {
        let mut rig = Rig::new();
        rig.positions = Some([0.3, 0.0, 0.1, 0.2]);
        rig.run(100);
        if is_commanded {
            rig.command(Command { ref_pos: values(&[0.8, 0.8]), ..Command::default() });
            rig.run(50);
        }
        rig.node.orders.clear();
        rig.node.input(Input::PublishersCounted { topic: TOPIC.into(), count: PublisherCount::of(2) });
        assert_eq!(rig.node.orders, [Order::Hold]);
    }
}

#[test]
fn that_no_node_subscribes_to_the_commands_is_the_state_and_said_once() {
    let mut rig = Rig::new();
    rig.positions = Some([0.3, 0.0, 0.1, 0.2]);
    rig.run(100);
    rig.warnings();
    rig.command(Command { ref_pos: values(&[0.8, 0.8]), ..Command::default() });
    rig.run(50);
    rig.node.input(Input::CommandsSubscribed(false));
    rig.node.input(Input::CommandsSubscribed(false));
    assert_eq!(rig.node.machine.state(), State::NoSubscriber);
    assert_eq!(rig.warnings(), ["NO_SUBSCRIBER: no node subscribes to the robot's commands"]);
    rig.node.input(Input::CommandsSubscribed(true));
    assert_eq!(rig.node.machine.state(), State::Following);
}

#[test]
fn a_reset_without_the_pose_holds_a_robot() {
    let mut rig = Rig::new();
    rig.positions = Some([0.3, 0.0, 0.1, 0.2]);
    rig.run(100);
    rig.command(Command { ref_pos: values(&[0.8, 0.8]), ..Command::default() });
    rig.run(100);
    rig.sent();
    rig.node.input(Input::ResetRequested { id: 1, reset_limb_pose: false });
    rig.run(100);
    assert_eq!((rig.sent(), rig.node.machine.state()), (vec![vec![0.1, 0.3]], State::Holding));
}

#[test]
fn an_emergency_stop_of_the_vehicle_holds_a_robot_where_it_is_then() {
    let mut rig = Rig::new();
    rig.node.machine = rig.node.machine.obeying_vehicle();
    rig.positions = Some([0.3, 0.0, 0.1, 0.2]);
    let say = |rig: &mut Rig, state: &str| {
        rig.node.input(Input::VehiclePublishersCounted(Some(vec![PublisherId([1; 24])])));
        rig.node.input(Input::VehicleStateReceived(state.into()));
    };
    for _ in 0..3 {
        say(&mut rig, "OK");
        rig.run(400);
    }
    rig.command(Command { ref_pos: values(&[0.8, 0.8]), ..Command::default() });
    rig.run(50);
    rig.positions = Some([0.4, 0.0, 0.2, 0.2]);
    rig.run(10);
    rig.sent();
    rig.node.orders.clear();
    say(&mut rig, "ESTOP");
    assert_eq!(rig.node.orders, [Order::Hold]);
    assert!(rig.node.outputs.contains(&Output::Stay { is_last: false }), "also beside the device");
    for _ in 0..25 {
        rig.command(Command { ref_pos: values(&[0.8, 0.8]), ..Command::default() });
        rig.run(20);
    }
    assert_eq!(rig.sent(), [[0.2, 0.4]], "a hold is sent once");
}

#[test]
fn the_end_is_told_beside_the_device() {
    let mut rig = Rig::new();
    rig.positions = Some([0.3, 0.0, 0.1, 0.2]);
    rig.run(100);
    rig.node.input(Input::Stopping);
    assert!(rig.node.outputs.contains(&Output::Stay { is_last: true }));
}
