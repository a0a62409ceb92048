mod page;

use safety::Machine;

use super::*;
use crate::arm::script::script;
use crate::calls::Failure;
use crate::client::page::table;
use crate::client::{self, Operator, Pilot};

type Input = client::Input<Arm>;
type Output = client::Output<Call, Command>;

const LENGTH: Duration = Duration::from_secs(12);

fn at(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

fn operator(is_headless: bool) -> Operator<Arm> {
    Operator::new(Arm::default(), script(LENGTH), is_headless)
}

/// A node as it behaves, without its dynamics: joints are where they are commanded to be, and a switch of an unknown controller is
/// refused.
struct Node {
    operator: Operator<Arm>,
    controllers: Vec<(String, bool)>,
    is_halted: bool,
    joints: [JointState; 2],
    /// The last command of pan's velocity or effort, and when it came.
    pan: Option<(Controller, f64, Instant)>,
    motion: Option<(Motion, Instant)>,
    calls: Vec<Call>,
    /// Whether the answers are those of a node that accepts everything.
    accepts_all: bool,
    /// A call that is refused.
    refuses: Option<Call>,
}

impl Node {
    fn new(is_headless: bool) -> Self {
        let mut operator = operator(is_headless);
        operator.handle(at(0), Input::ServicesFound);
        operator.handle(at(0), Input::Received(Message::Halted(false)));
        operator.handle(at(0), Input::Received(Message::Controllers(vec![])));
        Self {
            operator,
            controllers: Vec::new(),
            is_halted: false,
            joints: Default::default(),
            pan: None,
            motion: None,
            calls: Vec::new(),
            accepts_all: false,
            refuses: None,
        }
    }

    fn runs(&self, name: &str) -> bool {
        self.controllers.iter().any(|(own, runs)| own == name && *runs)
    }

    fn answer(&mut self, call: Call) -> Answer<Vec<Listed>> {
        self.calls.push(call.clone());
        if self.refuses.as_ref() == Some(&call) {
            return Err(Failure::Refused("busy".into()));
        }
        match call {
            Call::Load(name) => self.controllers.push((name, false)),
            Call::Unload(name) => self.controllers.retain(|(own, _)| *own != name),
            Call::Switch { start, stop } => {
                if !self.accepts_all
                    && !start.iter().all(|name| self.controllers.iter().any(|(own, _)| own == name))
                {
                    return Err(Failure::Refused("unknown".into()));
                }
                for (name, runs) in &mut self.controllers {
                    *runs = (*runs && !stop.contains(name)) || start.contains(name);
                }
            }
            Call::List => {
                let each = self.controllers.iter();
                let listed =
                    each.map(|(name, is_running)| Listed { name: name.clone(), is_running: *is_running });
                return Ok(listed.collect());
            }
            Call::Halt => self.is_halted = true,
            Call::Reset => self.is_halted = false,
        }
        Ok(Vec::new())
    }

    fn obey(&mut self, now: Instant, controller: Controller, value: f64) {
        match controller {
            Controller::PanPosition if self.runs("pan_position") && !self.is_halted => {
                self.joints[0].position = value
            }
            Controller::TiltPosition if self.runs("tilt_position") && !self.is_halted => {
                self.joints[1].position = value;
            }
            Controller::PanVelocity | Controller::PanEffort => self.pan = Some((controller, value, now)),
            _ => {}
        }
    }

    /// 10 ms: what the operator does, and what follows.
    fn step(&mut self, now: Instant) {
        while let Some(output) = self.operator.poll(now) {
            match output {
                Output::Call(call) => {
                    let answer = self.answer(call);
                    self.operator.handle(now, Input::Answered(answer));
                    self.operator.handle(now, Input::Received(Message::Halted(self.is_halted)));
                }
                Output::Publish(Command::Value(controller, value)) => self.obey(now, controller, value),
                Output::Publish(Command::Follow(motion)) => self.motion = Some((motion, now)),
            }
        }
        if let Some((motion, began)) = self.motion.as_ref().filter(|_| self.runs("arm_trajectory"))
            && let Some((_, point)) = motion.iter().rev().find(|(time, _)| *time <= now.since(*began))
        {
            self.joints.iter_mut().zip(point).for_each(|(joint, position)| joint.position = *position);
        }
        let is_fresh = |at: Instant| now.since(at) <= Duration::from_millis(500);
        let pan = self.pan.filter(|(controller, _, at)| self.runs(controller.name()) && is_fresh(*at));
        (self.joints[0].velocity, self.joints[0].effort) = match pan {
            Some((Controller::PanVelocity, value, _)) => (value, 0.0),
            Some((_, value, _)) => (0.0, value),
            None => (0.0, 0.0),
        };
        self.joints[0].position += self.joints[0].velocity * 0.01;
        self.operator.handle(now, Input::Received(Message::Joints(self.joints)));
    }

    fn play(&mut self, from: u64, until: u64) {
        (from..until).step_by(10).for_each(|millis| self.step(at(millis)));
    }

    /// The failure of the script.
    fn failure(&mut self) -> Option<String> {
        self.play(0, 13_000);
        assert!(matches!(self.operator.pilot, Pilot::Finished(_)), "{:?}", self.operator.pilot);
        self.operator.failure.clone()
    }
}

#[test]
fn each_act_of_the_script_is_listed_with_what_came_of_it() {
    let mut node = Node::new(true);
    assert_eq!(node.failure(), None);
    assert_eq!(node.operator.done.len(), node.operator.script.len());
    assert_eq!((node.controllers, node.is_halted), (vec![], false));
    let table = table(&node.operator).join("\n");
    for lines in [
        " 3 command pan 0.80 rad and tilt 0.50 rad\n   pan position 0.80 rad, command 0.80; tilt position 0.50 rad",
        "which is unknown\n   start pan_acceleration, stop pan_position and tilt_position was refused: unknown; pan",
        "15 halt the motors\n   accepted; pan position",
    ] {
        assert!(table.contains(lines), "'{lines}' is missing:\n{table}");
    }
}

#[test]
fn the_script_ends_with_the_first_wrong_answer() {
    let mut node = Node::new(true);
    node.accepts_all = true;
    let failure = node.failure().unwrap();
    assert!(
        failure.starts_with("wrong switch") && failure.ends_with(": accepted, must be refused"),
        "{failure}"
    );
    assert_eq!(node.operator.done.len(), 4);
    let mut node = Node::new(true);
    node.refuses = Some(Call::Halt);
    assert_eq!(node.failure().as_deref(), Some("halt the motors: halt_motors was refused: busy"));
    assert_eq!(node.operator.done.len(), 15);
}

#[test]
fn the_script_ends_with_a_node_that_becomes_silent() {
    let mut node = Node::new(true);
    node.play(0, 6_000);
    // In the pull, which is from 49 % to 60 % of 12 s and has no calls.
    assert!(node.operator.failure.is_none() && node.operator.poll(at(7_300)).is_none());
    let failure = node.operator.failure.as_ref().unwrap();
    assert!(failure.ends_with(": nothing was received for 1.3 s"), "{failure}");
    assert!(matches!(node.operator.pilot, Pilot::Finished(_)));
}

#[test]
fn nothing_is_called_before_the_node_has_published() {
    let mut operator = operator(true);
    operator.handle(at(0), Input::Received(Message::Halted(true)));
    assert_eq!((operator.poll(at(10_000)), operator.missing().len()), (None, 4));
    operator.handle(at(0), Input::ServicesFound);
    operator.handle(at(0), Input::Received(Message::Halted(false)));
    assert_eq!(operator.missing(), ["joint_states", "mechanism_statistics"]);
}

#[test]
fn the_script_waits_for_a_key_and_a_key_takes_over() {
    let mut node = Node::new(false);
    node.play(0, 4990);
    assert!(matches!(node.operator.pilot, Pilot::Waiting(_)) && node.calls.is_empty());
    node.play(4990, 8000);
    assert!(matches!(node.operator.pilot, Pilot::Script(_)));
    node.operator.handle(at(8000), Input::KeyPressed(KeyCode::Char('u')));
    node.play(8000, 60_000);
    assert!(matches!(node.operator.pilot, Pilot::Keyboard(())), "the script does not come back");
    assert!(node.controllers.is_empty());
    assert_eq!(answer(&node.operator), "accepted");
}

#[test]
fn the_script_begins_again_on_the_screen() {
    let mut node = Node::new(false);
    // 5 s of waiting, 12 s of script
    node.play(0, 18_000);
    let Pilot::Script(place) = node.operator.pilot else { panic!("{:?}", node.operator.pilot) };
    assert!(place.index > 0 && node.operator.done.len() == place.index, "{place:?}");
}

#[test]
fn a_number_starts_a_controller_in_place_of_those_of_its_joints() {
    let mut node = Node::new(false);
    let mut now = 0;
    let mut press = |key: KeyCode| {
        node.play(now, now + 10);
        node.operator.handle(at(now + 10), Input::KeyPressed(key));
        node.play(now + 10, now + 100);
        now += 100;
        let mut running: Vec<String> =
            node.controllers.iter().filter(|one| one.1).map(|one| one.0.clone()).collect();
        running.sort();
        running.join(" ")
    };
    assert_eq!(press(KeyCode::Char('2')), "pan_position");
    assert_eq!(press(KeyCode::Char('3')), "pan_position tilt_position");
    assert_eq!(press(KeyCode::Char('4')), "pan_velocity tilt_position");
    assert_eq!(press(KeyCode::Char('w')), "pan_velocity tilt_position");
    assert_eq!(press(KeyCode::Char('5')), "arm_trajectory");
    assert_eq!(press(KeyCode::Char('5')), "");
}

#[test]
fn one_key_starts_the_trajectory_and_its_controller() {
    let mut node = Node::new(false);
    node.play(0, 10);
    node.operator.handle(at(10), Input::KeyPressed(KeyCode::Char('t')));
    node.play(10, 4000);
    assert!(node.runs("arm_trajectory"));
    assert_eq!(node.joints.map(|joint| joint.position), [-0.4, 0.5], "the end of the example");
    assert_eq!(answer(&node.operator), "accepted");
}

#[test]
fn arrows_change_what_the_running_controller_is_commanded() {
    let mut node = Node::new(false);
    let mut now = 0;
    let mut press = |key: KeyCode| {
        node.operator.handle(at(now), Input::KeyPressed(key));
        node.play(now, now + 1000);
        now += 1000;
        let act = node.operator.step.as_ref().map(|step| step.act.clone());
        (act, node.joints[0].position)
    };
    let left = KeyCode::Left;
    assert_eq!(press(left), (None, 0.0), "nothing runs");
    press(KeyCode::Char('2'));
    assert_eq!(press(KeyCode::Down), (None, 0.0), "nothing moves tilt");
    assert_eq!(press(left), (Some(Act::Move([Some(0.1), None])), 0.1));
    assert_eq!(press(left).1, 0.2);
    press(KeyCode::Char('1'));
    assert_eq!(press(left).0, Some(Act::Repeat(Controller::PanEffort, 0.1)));
    press(left);
    assert_eq!(press(KeyCode::Right).0, Some(Act::Repeat(Controller::PanEffort, 0.1)));
    press(KeyCode::Char('5'));
    let (act, position) = press(left);
    assert!(matches!(act, Some(Act::Follow(_))) && (position - 0.3).abs() < 1e-9, "{position}");
}

#[test]
fn the_cable_is_pulled_and_plugged_in_again() {
    let mut node = Node::new(false);
    node.operator.handle(at(0), Input::KeyPressed(KeyCode::Char('1')));
    node.play(0, 100);
    node.operator.handle(at(100), Input::KeyPressed(KeyCode::Left));
    node.play(100, 1000);
    assert_eq!(node.joints[0].effort, 0.1);
    node.operator.handle(at(1000), Input::KeyPressed(KeyCode::Char('c')));
    node.play(1000, 1700);
    assert_eq!((node.joints[0].effort, node.operator.client.is_pulled), (0.0, true));
    node.operator.handle(at(1700), Input::KeyPressed(KeyCode::Char('c')));
    node.play(1700, 1800);
    assert_eq!((node.joints[0].effort, node.operator.client.is_pulled), (0.1, false));
}

#[test]
fn a_call_without_an_answer_is_given_up() {
    let mut operator = operator(false);
    operator.handle(at(0), Input::KeyPressed(KeyCode::Char('h')));
    assert_eq!(operator.poll(at(0)), Some(Output::Call(Call::Halt)));
    operator.handle(at(10), Input::KeyPressed(KeyCode::Char('r')));
    assert_eq!((operator.poll(at(4999)), operator.deadline()), (None, Some(at(5000))));
    assert_eq!(operator.poll(at(5000)), Some(Output::Call(Call::List)), "the next one");
    assert_eq!(answer(&operator), "halt_motors was not answered");
}

#[test]
fn stopping_ends_all_commands() {
    let mut node = Node::new(false);
    node.operator.handle(at(0), Input::KeyPressed(KeyCode::Char('1')));
    node.play(0, 100);
    node.operator.handle(at(100), Input::KeyPressed(KeyCode::Left));
    node.play(100, 200);
    node.operator.handle(at(200), Input::Stopping);
    assert_eq!((node.operator.poll(at(1000)), node.operator.deadline()), (None, None));
}

/// The answers to the present act.
fn answer(operator: &Operator<Arm>) -> &str {
    operator.step.as_ref().unwrap().answer()
}

/// How many commands are sent within a second from `from` on.
fn count(arm: &mut Arm, from: u64) -> usize {
    let mut count = 0;
    for now in (from..from + 1000).step_by(50).map(at) {
        if arm.is_commanding(now) {
            count += arm.commands(now, false).len();
        }
    }
    count
}

fn running(name: &str) -> Vec<Listed> {
    vec![Listed { name: name.into(), is_running: true }]
}

#[test]
fn a_velocity_is_repeated_and_a_position_only_at_first() {
    let mut arm = Arm { list: running("pan_position"), ..Arm::default() };
    arm.begin(at(0), &Act::Repeat(Controller::PanVelocity, 0.5));
    assert_eq!(count(&mut arm, 0), 20);
    arm.forget(Controller::PanVelocity);
    arm.begin(at(1000), &Act::Move([Some(1.0), None]));
    // At 0, 50, ... 250 ms.
    assert_eq!(count(&mut arm, 1000), 6);
    assert_eq!((arm.commanded(Joint::Pan), arm.is_commanding(at(9000))), (Some(1.0), false));
}

#[test]
fn with_its_cable_pulled_it_is_silent() {
    let mut arm = Arm { list: running("pan_velocity"), ..Arm::default() };
    arm.begin(at(0), &Act::Repeat(Controller::PanVelocity, 0.5));
    arm.begin(at(0), &Act::Pull(Some(Controller::PanVelocity)));
    assert_eq!((count(&mut arm, 0), arm.commanded(Joint::Pan)), (0, None));
    arm.begin(at(1000), &Act::Plug);
    assert_eq!(count(&mut arm, 1000), 20);
}

#[test]
fn a_trajectory_is_sent_once_and_not_before_its_topic_is_known() {
    let mut arm = Arm { list: running("arm_trajectory"), ..Arm::default() };
    arm.answered(at(0), &Call::Load("arm_trajectory".into()), &Ok(vec![]));
    arm.begin(at(100), &Act::Follow(vec![(Duration::from_secs(1), [1.0, 0.0])]));
    assert!(arm.is_commanding(at(299)) && arm.commands(at(299), false).is_empty());
    assert_eq!(count(&mut arm, 300), 1);
    assert_eq!(arm.commanded(Joint::Pan), Some(1.0));
}

#[test]
fn a_trajectory_whose_controller_does_not_start_is_not_sent() {
    let follow = Act::Follow(vec![(Duration::from_secs(1), [1.0, 0.0])]);
    let switch = Call::Switch { start: vec!["arm_trajectory".into()], stop: vec![] };
    for (answer, sent) in [(Ok(vec![]), 1), (Err(Failure::Silent), 0)] {
        let mut arm = Arm::default();
        arm.begin(at(0), &follow);
        assert_eq!(count(&mut arm, 1000), 0, "it is not started yet");
        arm.answered(at(2000), &switch, &answer);
        arm.answered(at(2000), &Call::List, &Ok(running("arm_trajectory")));
        assert_eq!(count(&mut arm, 2000), sent);
    }
}

#[test]
fn pan_is_turned_round_before_its_ends() {
    let mut arm = Arm::default();
    arm.begin(at(0), &Act::Repeat(Controller::PanVelocity, 0.5));
    for (position, value) in [(1.1, 0.5), (1.3, -0.5), (1.25, -0.5), (-1.3, 0.5)] {
        arm.joints = Some([JointState { position, ..JointState::default() }, JointState::default()]);
        assert_eq!(arm.commands(at(0), true), [Command::Value(Controller::PanVelocity, value)], "{position}");
    }
}

#[test]
fn the_swing_goes_to_the_other_side() {
    for (position, target) in [(0.3, -1.4), (-0.3, 1.4)] {
        let pan = JointState { position, ..JointState::default() };
        let mut arm = Arm { joints: Some([pan, JointState::default()]), ..Arm::default() };
        assert_eq!(arm.prepare(&Act::Swing(1.4)), Act::Swing(target));
    }
}

#[test]
fn halted_motors_are_waited_for() {
    let mut arm = Arm { is_halted: Some(true), ..Arm::default() };
    assert!(arm.missing().contains(&"motors_halted"));
    arm.receive(&Message::Halted(false));
    assert!(!arm.missing().contains(&"motors_halted"));
}
