mod page;

use core::time::Duration;

use haptix::{AnalyticHand, DeviceLoop, GraspValue, Haptix, MAX, Model, Params, Report, Settings};
use safety::Machine;

use super::*;
use crate::calls::Failure;
use crate::client::page::table;
use crate::client::{self, Operator, Pilot};
use crate::hand::calls::CAP;
use crate::hand::device::PARAMETERS;
use crate::hand::script::{HOLDERS, script};

type Input = client::Input<Hand>;
type Output = client::Output<Call, ()>;

const LENGTH: Duration = Duration::from_secs(12);

fn at(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

fn operator(is_headless: bool) -> Operator<Hand> {
    Operator::new(Hand::new(Device::read().unwrap()), script(LENGTH), is_headless)
}

/// Fault of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// A NaN is replaced by 0.
    TakesNan,
    /// Parameters are refused.
    FixedParameters,
}

/// The machine of the node, and its device, without ROS.
struct Node {
    operator: Operator<Hand>,
    machine: Haptix,
    device: DeviceLoop,
    settings: Settings,
    fault: Fault,
}

impl Node {
    fn new(is_headless: bool, fault: Fault) -> Self {
        let values = params::file::read(PARAMETERS).unwrap().remove(0).values;
        let set = haptix::specification().resolve(values).unwrap();
        let model = Model::builtin("mpl").unwrap();
        let parameters =
            Params::read(&set, &model.constants.description, model.constants.info.update_rate).unwrap();
        let settings = parameters.settings;
        let contacts = model.constants.description.contact_names.clone();
        let imus = model.constants.description.imu_names.clone();
        let hand = AnalyticHand::new(model, 1);
        let device = DeviceLoop::new(Box::new(hand), Duration::from_millis(1), settings);
        let machine = Haptix::new(&device, &settings);
        let mut operator = operator(is_headless);
        operator.handle(at(0), Input::ServicesFound);
        operator.handle(at(0), Input::Received(Message::Described(Names { contacts, imus })));
        Self { operator, machine, device, settings, fault }
    }

    /// Delivers an input to the node's machine, and what follows to the device and to the operator.
    fn deliver(&mut self, now: Instant, input: Option<haptix::Input>) -> Option<haptix::Answer> {
        input.into_iter().for_each(|input| self.machine.handle(now, input));
        let mut answered = None;
        while let Some(output) = self.machine.poll(now) {
            match output {
                haptix::Output::Order(order) => self.device.take(*order),
                haptix::Output::Answer(_, answer) => answered = Some(answer),
                haptix::Output::PublishState(state) => {
                    let word = state.to_string().split(':').next().unwrap().into();
                    self.operator.handle(now, Input::Received(Message::State(word)));
                }
                haptix::Output::PublishReading(reading, _) => {
                    let haptix::Sensor { contact, imu_linear_acc: acceleration, .. } = reading.sensor;
                    let reading = Box::new(Reading { contact, acceleration });
                    self.operator.handle(now, Input::Received(Message::Reading(reading)));
                }
                haptix::Output::Warn(text) | haptix::Output::Inform(text) => panic!("{text}"),
                haptix::Output::PassStates(_) | haptix::Output::Stay { .. } => panic!("this hand is here"),
            }
        }
        answered
    }

    fn update(&mut self, now: Instant, command: haptix::Command) -> Answer<()> {
        let input =
            haptix::Input::UpdateRequested { id: 0, command: Box::new(command), wait_for_tick: false };
        match self.deliver(now, Some(input)) {
            Some(haptix::Answer::Update(Ok(()), _)) => Ok(()),
            Some(haptix::Answer::Update(Err(why), _)) => Err(Failure::Refused(why)),
            other => panic!("{other:?}"),
        }
    }

    fn answer(&mut self, now: Instant, call: Call) -> Answer<()> {
        match call {
            Call::Cap => self.update(now, cap()),
            Call::WrongCommand => {
                let mut ref_pos = [0.5; MAX];
                ref_pos[2] = if self.fault == Fault::TakesNan { 0.0 } else { f32::NAN };
                self.update(now, haptix::Command { ref_pos: Some(ref_pos), ..Default::default() })
            }
            Call::Grasp(name, value) => {
                let grasps = vec![GraspValue { name, value }];
                match self.deliver(now, Some(haptix::Input::GraspRequested { id: 0, grasps })) {
                    Some(haptix::Answer::Grasp(Ok(_))) => Ok(()),
                    Some(haptix::Answer::Grasp(Err(why))) => Err(Failure::Refused(why)),
                    other => panic!("{other:?}"),
                }
            }
            Call::Ball(_) if self.fault == Fault::FixedParameters => {
                Err(Failure::Refused("read-only".into()))
            }
            Call::Ball(is_there) => {
                let mut settings = self.settings;
                if !is_there {
                    settings.simulation.objects = Default::default();
                }
                self.deliver(now, Some(haptix::Input::ParametersChanged(Box::new(settings))));
                Ok(())
            }
            Call::Reset => {
                let input = haptix::Input::ResetRequested { id: 0, reset_limb_pose: true };
                assert!(matches!(self.deliver(now, Some(input)), Some(haptix::Answer::Reset(Ok(())))));
                Ok(())
            }
        }
    }

    /// 1 ms: what the operator does, and what follows.
    fn step(&mut self, now: Instant) {
        while let Some(output) = self.operator.poll(now) {
            match output {
                Output::Call(call) => {
                    let answer = self.answer(now, call);
                    self.operator.handle(now, Input::Answered(answer));
                }
                Output::Publish(()) => {
                    let command = Box::new(cap());
                    self.deliver(now, Some(haptix::Input::CommandReceived { command, at: now }));
                }
            }
        }
        let report = self.device.step(now);
        let input = report.map(|report| match report {
            Report::Stepped(reading) => haptix::Input::DeviceStepped(Box::new(reading)),
            Report::Failed(error) => panic!("{error}"),
        });
        self.deliver(now, input);
    }

    fn play(&mut self, from: u64, until: u64) {
        (from..until).for_each(|millis| self.step(at(millis)));
    }

    /// A node after the script.
    fn after_script(fault: Fault) -> Self {
        let mut node = Self::new(true, fault);
        node.play(0, 13_000);
        assert!(matches!(node.operator.pilot, Pilot::Finished(_)), "{:?}", node.operator.pilot);
        node
    }
}

fn cap() -> haptix::Command {
    haptix::Command { ref_vel_max: Some([CAP; MAX]), ..haptix::Command::default() }
}

#[test]
fn each_act_of_the_script_is_listed_with_what_came_of_it() {
    let node = Node::after_script(Fault::None);
    assert_eq!(node.operator.failure, None);
    assert_eq!(node.operator.done.len(), node.operator.script.len());
    let hand = &node.operator.client;
    for (name, strongest) in hand.names.contacts.iter().zip(hand.strongest) {
        assert!(strongest > 1.0 || !HOLDERS.contains(&name.as_str()), "{name} {strongest}");
        assert!(strongest == 0.0 || name != "palm_back", "{strongest}");
    }
    let outcomes: Vec<&str> = node.operator.done.iter().map(|done| done.outcome.as_str()).collect();
    for (index, start, end) in [
        (0, "HOLDING   ball there  0 contacts", " 0.0 N"),
        (1, "accepted; GRASPING  ball there ", " N"),
        (3, "update was refused: ref_pos[2] is NaN, must be a finite number [rad]; GRASPING", " N"),
        (4, "HOLDING   ball there ", " N"),
        (5, "FOLLOWING ball there ", " N"),
        (6, "accepted; GRASPING  ball there  0 contacts", " 0.0 N"),
        (8, "accepted; GRASPING  ball away   0 contacts", " 0.0 N"),
        (9, "accepted; HOLDING   ball away   0 contacts", " 0.0 N"),
    ] {
        assert!(outcomes[index].starts_with(start) && outcomes[index].ends_with(end), "{outcomes:#?}");
    }
    assert!(
        table(&node.operator).join("\n").contains("\n 9 grasp Cylindrical, closed to 0.5\n   accepted; ")
    );
}

#[test]
fn the_script_ends_with_the_first_wrong_answer() {
    let away = "take the ball away: set_parameters_atomically was refused: read-only";
    let nan = "command positions of all motors, one of which is NaN: accepted, must be refused";
    for (fault, failure, count) in [(Fault::TakesNan, nan, 4), (Fault::FixedParameters, away, 8)] {
        let node = Node::after_script(fault);
        assert_eq!(node.operator.failure.as_deref(), Some(failure));
        assert_eq!(node.operator.done.len(), count);
    }
}

#[test]
fn nothing_is_called_before_the_node_has_published() {
    let mut operator = operator(true);
    operator.handle(at(0), Input::ServicesFound);
    operator.handle(at(0), Input::Received(Message::State("STARTING".into())));
    assert_eq!((operator.poll(at(10_000)), operator.missing().len()), (None, 3));
    operator.handle(at(0), Input::Received(Message::State("HOLDING".into())));
    assert_eq!(operator.missing(), ["haptix/robot_description", "haptix/sensor"]);
}

#[test]
fn the_script_waits_for_a_key_and_a_key_takes_over() {
    let mut node = Node::new(false, Fault::None);
    node.play(0, 4990);
    assert!(matches!(node.operator.pilot, Pilot::Waiting(_)) && node.operator.step.is_none());
    node.play(4990, 8000);
    assert!(matches!(node.operator.pilot, Pilot::Script(_)));
    node.operator.handle(at(8000), Input::KeyPressed(KeyCode::Char('r')));
    node.play(8000, 30_000);
    assert!(matches!(node.operator.pilot, Pilot::Keyboard(())), "the script does not come back");
    assert_eq!(node.operator.client.state.as_deref(), Some("HOLDING"));
    assert_eq!(answer(&node.operator), "accepted");
}

#[test]
fn the_script_begins_again_on_the_screen() {
    let mut node = Node::new(false, Fault::None);
    // 5 s of waiting, 12 s of script
    node.play(0, 19_000);
    let Pilot::Script(place) = node.operator.pilot else { panic!("{:?}", node.operator.pilot) };
    assert!(place.index > 0 && node.operator.done.len() == place.index, "{place:?}");
}

/// Presses keys one after the other, with 2 s for each.
struct Fingers(Node, u64);

impl Fingers {
    fn new() -> Self {
        let mut node = Node::new(false, Fault::None);
        node.play(0, 20);
        Self(node, 20)
    }

    /// Presses a key, and returns its act and the answer.
    fn press(&mut self, key: KeyCode) -> Option<(Act, String)> {
        let Self(node, now) = self;
        node.operator.handle(at(*now), Input::KeyPressed(key));
        node.play(*now, *now + 2000);
        *now += 2000;
        node.operator.step.as_ref().map(|step| (step.act.clone(), step.answer().to_owned()))
    }

    /// The level of the grasp that is set, and the state.
    fn grasp(&self) -> (Option<(usize, f32)>, &str) {
        let hand = &self.0.operator.client;
        (hand.grasp, hand.state.as_deref().unwrap_or_default())
    }
}

#[test]
fn keys_set_a_grasp_and_how_far_it_is_closed() {
    let mut fingers = Fingers::new();
    assert_eq!(fingers.press(KeyCode::Up), None, "there is no grasp yet");
    let pressed = fingers.press(KeyCode::Char('2'));
    assert!(
        matches!(&pressed, Some((Act::Grasp { level: CLOSED, .. }, seen)) if seen == "accepted"),
        "{pressed:?}"
    );
    assert_eq!(fingers.grasp(), (Some((1, 0.5)), "GRASPING"));
    for (key, level) in [
        (KeyCode::Up, 0.6),
        (KeyCode::Down, 0.5),
        (KeyCode::Down, 0.4),
        (KeyCode::Char(' '), 0.0),
        (KeyCode::Down, 0.0),
    ] {
        fingers.press(key);
        assert_eq!(fingers.grasp().0, Some((1, level)));
    }
    assert_eq!(fingers.press(KeyCode::Char('9')), None, "the hand has eight");
    fingers.press(KeyCode::Char('8'));
    assert_eq!(fingers.grasp(), (Some((7, 0.5)), "GRASPING"), "an open grasp is closed to the middle");
}

#[test]
fn keys_take_the_ball_away_and_reset_the_hand() {
    let mut fingers = Fingers::new();
    let force = |fingers: &Fingers| fingers.0.operator.client.present().contact.iter().sum::<f32>();
    fingers.press(KeyCode::Char('2'));
    assert!(force(&fingers) > 5.0);
    let accepted = |act: Act| Some((act, "accepted".to_owned()));
    assert_eq!(fingers.press(KeyCode::Char('o')), accepted(Act::Ball(false)));
    assert_eq!(force(&fingers), 0.0);
    assert_eq!(fingers.press(KeyCode::Char('r')), accepted(Act::Reset));
    assert_eq!(fingers.grasp(), (None, "HOLDING"));
    assert_eq!(fingers.press(KeyCode::Char('o')), accepted(Act::Ball(true)));
}

#[test]
fn the_cable_is_pulled_and_plugged_in_again() {
    let mut fingers = Fingers::new();
    fingers.press(KeyCode::Char('1'));
    assert_eq!(fingers.press(KeyCode::Char('c')), Some((Act::Pull, String::new())));
    assert_eq!(fingers.grasp().1, "HOLDING");
    assert_eq!(fingers.press(KeyCode::Char('c')), Some((Act::Plug, String::new())));
    assert_eq!(fingers.grasp().1, "FOLLOWING");
}

#[test]
fn a_wrong_command_changes_nothing() {
    let mut fingers = Fingers::new();
    fingers.press(KeyCode::Char('2'));
    let refused = "update was refused: ref_pos[2] is NaN, must be a finite number [rad]".to_owned();
    assert_eq!(fingers.press(KeyCode::Char('w')), Some((Act::WrongCommand, refused)));
    assert_eq!(fingers.grasp(), (Some((1, 0.5)), "GRASPING"));
}

/// The answers to the present act.
fn answer(operator: &Operator<Hand>) -> &str {
    operator.step.as_ref().unwrap().answer()
}

#[test]
fn a_call_without_an_answer_is_given_up() {
    let mut operator = operator(false);
    operator.handle(at(0), Input::KeyPressed(KeyCode::Char('r')));
    assert_eq!(operator.poll(at(0)), Some(Output::Call(Call::Reset)));
    operator.handle(at(10), Input::KeyPressed(KeyCode::Char('w')));
    assert_eq!((operator.poll(at(4999)), operator.deadline()), (None, Some(at(5000))));
    assert_eq!(operator.poll(at(5000)), None);
    assert_eq!(answer(&operator), "reset was not answered");
}

#[test]
fn stopping_ends_all_commands() {
    let mut fingers = Fingers::new();
    fingers.press(KeyCode::Char('2'));
    let Fingers(mut node, now) = fingers;
    assert!(node.operator.deadline().is_some());
    node.operator.handle(at(now), Input::Stopping);
    node.play(now, now + 1500);
    assert_eq!(node.operator.deadline(), None);
    assert_eq!(node.machine.state(), haptix::State::Holding);
}

#[test]
fn a_fault_is_listed() {
    let hand = Hand {
        state: Some("NOT_ANSWERING".into()),
        is_pulled: true,
        has_ball: false,
        ..Hand::new(Device::read().unwrap())
    };
    assert_eq!(hand.listing()[0], "NOT_ANSWERING  cable PULLED  ball away");
}

#[test]
fn the_strongest_force_stays() {
    let mut hand = Hand::new(Device::read().unwrap());
    let mut reading = Reading::default();
    reading.contact[1] = 2.5;
    hand.receive(&Message::Reading(Box::new(reading)));
    hand.receive(&Message::Reading(Box::default()));
    assert_eq!((hand.strongest[1], hand.present().contact[1]), (2.5, 0.0));
}

#[test]
fn the_command_is_repeated_from_the_first_grasp_to_the_reset() {
    let mut hand = Hand::new(Device::read().unwrap());
    assert!(!hand.is_commanding(at(0)));
    let grasp = hand.close(0, CLOSED).unwrap();
    for (act, is_commanding) in [(grasp, true), (Act::Pull, false), (Act::Plug, true), (Act::Reset, false)] {
        hand.begin(at(0), &act);
        assert_eq!(hand.is_commanding(at(0)), is_commanding, "{act}");
    }
}

#[test]
fn digits_are_the_grasps_and_signs_close_and_open() {
    let mut hand = Hand::new(Device::read().unwrap());
    assert_eq!(['0', 'x'].map(|letter| hand.press(KeyCode::Char(letter))), [None, None]);
    assert_eq!(hand.press(KeyCode::Char('9')), Some(None), "the hand has eight");
    hand.grasp = Some((7, 0.5));
    let level = |key| match hand.press(key) {
        Some(Some(Act::Grasp { name, level, .. })) if name == "Hook" => level,
        other => panic!("{other:?}"),
    };
    let signs = ['8', '+', '-', ' '].map(|letter| level(KeyCode::Char(letter)));
    assert_eq!((signs, [KeyCode::Up, KeyCode::Down].map(level)), ([0.5, 0.6, 0.4, 0.0], [0.6, 0.4]));
}
