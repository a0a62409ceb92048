use safety::Machine;

use super::*;

const LENGTH: Duration = Duration::from_secs(12);

fn at(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

/// A node as it behaves, without its dynamics: joints are where they are commanded to be, and a switch of an unknown controller is
/// refused.
struct Node {
    operator: Operator,
    controllers: Vec<(String, bool)>,
    is_halted: bool,
    joints: [JointState; 2],
    /// The last command of pan's velocity or effort, and when it came.
    pan: Option<(Controller, f64, Instant)>,
    motion: Option<(Motion, Instant, [f64; 2])>,
    calls: Vec<Call>,
    /// Whether the answers are those of a node that accepts everything.
    accepts_all: bool,
    /// Whether efforts and velocities have no time-out.
    goes_on: bool,
}

impl Node {
    fn new(is_headless: bool) -> Self {
        let mut operator = Operator::new(Script::new(LENGTH), is_headless);
        operator.handle(at(0), Input::ServicesFound);
        operator.handle(at(0), Input::HaltReported(false));
        operator.handle(at(0), Input::ControllersReported(vec![]));
        Self {
            operator,
            controllers: Vec::new(),
            is_halted: false,
            joints: Default::default(),
            pan: None,
            motion: None,
            calls: Vec::new(),
            accepts_all: false,
            goes_on: false,
        }
    }

    fn runs(&self, name: &str) -> bool {
        self.controllers.iter().any(|(own, runs)| own == name && *runs)
    }

    fn answer(&mut self, call: Call) -> Answer {
        self.calls.push(call.clone());
        match call {
            Call::Load(name) => self.controllers.push((name, false)),
            Call::Unload(name) => self.controllers.retain(|(own, _)| *own != name),
            Call::Switch { start, stop } => {
                if !self.accepts_all
                    && !start.iter().all(|name| self.controllers.iter().any(|(own, _)| own == name))
                {
                    return Answer::Refused;
                }
                for (name, runs) in &mut self.controllers {
                    *runs = (*runs && !stop.contains(name)) || start.contains(name);
                }
            }
            Call::List => {
                let each = self.controllers.iter();
                let listed =
                    each.map(|(name, is_running)| Listed { name: name.clone(), is_running: *is_running });
                return Answer::Listed(listed.collect());
            }
            Call::Halt => self.is_halted = true,
            Call::Reset => self.is_halted = false,
        }
        Answer::Accepted
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
                    self.operator.handle(now, Input::HaltReported(self.is_halted));
                }
                Output::Command(controller, value) => self.obey(now, controller, value),
                Output::Follow(motion) => {
                    self.motion = Some((motion, now, self.joints.map(|joint| joint.position)));
                }
            }
        }
        if let Some((motion, began, start)) = self.motion.as_ref().filter(|_| self.runs("arm_trajectory")) {
            let positions = motion.at(now.since(*began), *start);
            self.joints.iter_mut().zip(positions).for_each(|(joint, position)| joint.position = position);
        }
        let is_fresh = |at: Instant| self.goes_on || now.since(at) <= Duration::from_millis(500);
        let pan = self.pan.filter(|(controller, _, at)| self.runs(controller.name()) && is_fresh(*at));
        (self.joints[0].velocity, self.joints[0].effort) = match pan {
            Some((Controller::PanVelocity, value, _)) => (value, 0.0),
            Some((_, value, _)) => (0.0, value),
            None => (0.0, 0.0),
        };
        self.joints[0].position += self.joints[0].velocity * 0.01;
        self.operator.handle(now, Input::JointsMoved(self.joints));
    }

    fn play(&mut self, from: u64, until: u64) {
        (from..until).step_by(10).for_each(|millis| self.step(at(millis)));
    }

    /// The failures of the script.
    fn failures(&mut self) -> Vec<String> {
        self.play(0, 13_000);
        assert!(matches!(self.operator.pilot(), Pilot::Finished(_)), "{:?}", self.operator.pilot());
        crate::arm::table::failures(&self.operator)
    }
}

#[test]
fn the_script_passes_with_a_node_that_behaves() {
    let mut node = Node::new(true);
    assert_eq!(node.failures(), Vec::<String>::new());
    assert_eq!(node.operator.outcomes().len(), node.operator.script().count());
    assert_eq!((node.controllers, node.is_halted), (vec![], false));
    let table = crate::arm::table::table(&node.operator).join("\n");
    assert!(table.contains("expected: it is refused") && !table.contains("FAILED"), "{table}");
}

#[test]
fn the_script_fails_with_a_node_that_accepts_everything() {
    let mut node = Node::new(true);
    node.accepts_all = true;
    let failures = node.failures();
    assert!(
        failures[0].starts_with("wrong switch") && failures[0].ends_with("it was accepted"),
        "{failures:?}"
    );
}

#[test]
fn the_script_fails_with_commands_that_never_expire() {
    let mut node = Node::new(true);
    node.goes_on = true;
    let failures = node.failures();
    let both = ["pull the cable of pan_velocity", "pull the cable of pan_effort"];
    assert!(failures.len() == 2 && both.iter().zip(&failures).all(|(b, f)| f.starts_with(b)), "{failures:?}");
}

#[test]
fn nothing_is_called_before_the_node_has_published() {
    let mut operator = Operator::new(Script::new(LENGTH), true);
    operator.handle(at(0), Input::ServicesFound);
    operator.handle(at(0), Input::HaltReported(true));
    assert_eq!((operator.poll(at(10_000)), operator.observed().missing().len()), (None, 3));
}

#[test]
fn the_script_waits_for_a_key_and_a_key_takes_over() {
    let mut node = Node::new(false);
    node.play(0, 4990);
    assert!(matches!(node.operator.pilot(), Pilot::Waiting(_)) && node.calls.is_empty());
    node.play(4990, 8000);
    assert!(matches!(node.operator.pilot(), Pilot::Script(_)));
    node.operator.handle(at(8000), Input::KeyPressed(Key::Unload));
    node.play(8000, 60_000);
    assert!(matches!(node.operator.pilot(), Pilot::Keyboard(())), "the script does not come back");
    assert!(node.controllers.is_empty());
    assert_eq!(node.operator.verdict(), Some(Verdict::Good("no controller is loaded".into())));
}

#[test]
fn the_script_begins_again_on_the_screen() {
    let mut node = Node::new(false);
    // 5 s of waiting, 12 s of script
    node.play(0, 18_000);
    let Pilot::Script(place) = node.operator.pilot() else { panic!("{:?}", node.operator.pilot()) };
    assert!(place.index > 0 && node.operator.outcomes().len() == place.index, "{place:?}");
}

#[test]
fn a_number_starts_a_controller_in_place_of_those_of_its_joints() {
    let mut node = Node::new(false);
    let mut now = 0;
    let mut press = |key: Key| {
        node.play(now, now + 10);
        node.operator.handle(at(now + 10), Input::KeyPressed(key));
        node.play(now + 10, now + 100);
        now += 100;
        let verdict = node.operator.verdict();
        assert!(matches!(verdict, Some(Verdict::Good(_))), "{verdict:?}");
        let mut running: Vec<String> =
            node.controllers.iter().filter(|one| one.1).map(|one| one.0.clone()).collect();
        running.sort();
        running.join(" ")
    };
    assert_eq!(press(Key::Toggle(Controller::PanPosition)), "pan_position");
    assert_eq!(press(Key::Toggle(Controller::TiltPosition)), "pan_position tilt_position");
    assert_eq!(press(Key::Toggle(Controller::PanVelocity)), "pan_velocity tilt_position");
    assert_eq!(press(Key::WrongSwitch), "pan_velocity tilt_position");
    assert_eq!(press(Key::Toggle(Controller::ArmTrajectory)), "arm_trajectory");
    assert_eq!(press(Key::Toggle(Controller::ArmTrajectory)), "");
}

#[test]
fn one_key_starts_the_trajectory_and_its_controller() {
    let mut node = Node::new(false);
    node.play(0, 10);
    node.operator.handle(at(10), Input::KeyPressed(Key::Trajectory));
    node.play(10, 4000);
    assert!(node.runs("arm_trajectory"));
    assert_eq!(node.joints.map(|joint| joint.position), [-0.4, 0.5], "the end of the example");
    assert!(matches!(node.operator.verdict(), Some(Verdict::Good(_))));
}

#[test]
fn arrows_change_what_the_running_controller_is_commanded() {
    let mut node = Node::new(false);
    let mut now = 0;
    let mut press = |key: Key| {
        node.operator.handle(at(now), Input::KeyPressed(key));
        node.play(now, now + 1000);
        now += 1000;
        let act = node.operator.episode().map(|episode| episode.act.clone());
        (act, node.joints[0].position)
    };
    let left = Key::Nudge(Joint::Pan, true);
    assert_eq!(press(left), (None, 0.0), "nothing runs");
    press(Key::Toggle(Controller::PanPosition));
    assert_eq!(press(Key::Nudge(Joint::Tilt, true)), (None, 0.0), "nothing moves tilt");
    assert_eq!(press(left), (Some(Act::Move([Some(0.1), None])), 0.1));
    assert_eq!(press(left).1, 0.2);
    press(Key::Toggle(Controller::PanEffort));
    assert_eq!(press(left).0, Some(Act::Repeat(Controller::PanEffort, 0.1)));
    press(left);
    assert_eq!(press(Key::Nudge(Joint::Pan, false)).0, Some(Act::Repeat(Controller::PanEffort, 0.1)));
    press(Key::Toggle(Controller::ArmTrajectory));
    let (act, position) = press(left);
    assert!(matches!(act, Some(Act::Follow(_))) && (position - 0.3).abs() < 1e-9, "{position}");
}

#[test]
fn the_cable_is_pulled_and_plugged_in_again() {
    let mut node = Node::new(false);
    node.operator.handle(at(0), Input::KeyPressed(Key::Toggle(Controller::PanEffort)));
    node.play(0, 100);
    node.operator.handle(at(100), Input::KeyPressed(Key::Nudge(Joint::Pan, true)));
    node.play(100, 1000);
    assert_eq!(node.joints[0].effort, 0.1);
    node.operator.handle(at(1000), Input::KeyPressed(Key::Cable));
    node.play(1000, 1700);
    let verdict = node.operator.verdict();
    assert!(
        matches!(&verdict, Some(Verdict::Good(seen)) if seen.starts_with("effort 0.00 Nm, from 0.4")),
        "{verdict:?}"
    );
    node.operator.handle(at(1700), Input::KeyPressed(Key::Cable));
    node.play(1700, 1800);
    assert_eq!((node.joints[0].effort, node.operator.commander().is_pulled()), (0.1, false));
}

#[test]
fn a_call_without_an_answer_is_given_up() {
    let mut operator = Operator::new(Script::new(LENGTH), false);
    operator.handle(at(0), Input::KeyPressed(Key::Halt));
    assert_eq!(operator.poll(at(0)), Some(Output::Call(Call::Halt)));
    operator.handle(at(10), Input::KeyPressed(Key::Reset));
    assert_eq!((operator.poll(at(4999)), operator.deadline()), (None, Some(at(5000))));
    assert_eq!(operator.poll(at(5000)), Some(Output::Call(Call::List)), "the next one");
    assert_eq!(operator.verdict(), Some(Verdict::Bad("no answer: halt_motors".into())));
}

#[test]
fn stopping_ends_all_commands() {
    let mut node = Node::new(false);
    node.operator.handle(at(0), Input::KeyPressed(Key::Toggle(Controller::PanEffort)));
    node.play(0, 100);
    node.operator.handle(at(100), Input::KeyPressed(Key::Nudge(Joint::Pan, true)));
    node.play(100, 200);
    node.operator.handle(at(200), Input::Stopping);
    assert_eq!((node.operator.poll(at(1000)), node.operator.deadline()), (None, None));
}
