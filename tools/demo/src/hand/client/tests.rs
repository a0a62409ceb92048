mod page;

use haptix::{AnalyticHand, DeviceLoop, GraspValue, Haptix, MAX, Model, Params, Report, Settings};
use safety::Machine;

use super::*;
use crate::calls::Failure;
use crate::client::page::{failures, table};
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
    /// A NaN is refused, but the rest of the command is taken.
    TakesTheRest,
    /// The last command is followed for ever.
    NoTimeout,
    /// The hand holds too soon.
    ShortTimeout,
    /// There is no ball at the start.
    NoBall,
    /// The ball cannot be removed.
    BallStays,
    /// A reset is accepted and does nothing.
    NoReset,
    /// All readings of the inertial units are 0.
    NoGravity,
    /// The readings of the thumb's and the index finger's units are exchanged.
    OtherOrder,
    /// A motor does not move.
    Stuck,
    /// A contact sensor reads 0.
    DeadContact,
    /// Forces never fall.
    StickyForces,
    /// The readings of the motors are noisy.
    Shaking,
    /// After a silence no command is followed.
    StaysHolding,
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
    strongest: [f32; MAX],
}

impl Node {
    fn new(is_headless: bool, fault: Fault) -> Self {
        let values = params::file::read(PARAMETERS).unwrap().remove(0).values;
        let set = haptix::specification().resolve(values).unwrap();
        let model = Model::builtin("mpl").unwrap();
        let parameters =
            Params::read(&set, &model.constants().description, model.constants().info.update_rate).unwrap();
        let mut settings = parameters.settings;
        let faults = &mut settings.simulation.faults;
        match fault {
            Fault::NoTimeout => settings.command_timeout = None,
            Fault::ShortTimeout => settings.command_timeout = Some(Duration::from_millis(500)),
            Fault::NoBall => settings.simulation.objects = Default::default(),
            Fault::NoGravity => faults.dead_imus = [true; MAX],
            // The first joint of the index finger.
            Fault::Stuck => faults.stuck_motors[8] = true,
            Fault::DeadContact => faults.dead_contacts = [true; MAX],
            Fault::Shaking => settings.simulation.noise.position = 0.02,
            _ => {}
        }
        let contacts = model.constants().description.contact_names.clone();
        let imus = model.constants().description.imu_names.clone();
        let hand = AnalyticHand::new(model, 1);
        let device = DeviceLoop::new(Box::new(hand), Duration::from_millis(1), settings);
        let machine = Haptix::new(&device, &settings);
        let mut operator = operator(is_headless);
        operator.handle(at(0), Input::ServicesFound);
        operator.handle(at(0), Input::Received(Message::Described(Names { contacts, imus })));
        Self { operator, machine, device, settings, fault, strongest: [0.0; MAX] }
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
                    let mut acceleration = reading.sensor.imu_linear_acc;
                    if self.fault == Fault::OtherOrder {
                        acceleration.swap(0, 1);
                    }
                    let haptix::Sensor { motor_pos, motor_vel, mut contact, .. } = reading.sensor;
                    if self.fault == Fault::StickyForces {
                        for (strongest, force) in self.strongest.iter_mut().zip(&mut contact) {
                            *strongest = strongest.max(*force);
                            *force = *strongest;
                        }
                    }
                    let reading = Box::new(Reading { motor_pos, motor_vel, contact, acceleration });
                    self.operator.handle(now, Input::Received(Message::Reading(reading)));
                }
                haptix::Output::Warn(text) | haptix::Output::Inform(text) => panic!("{text}"),
                haptix::Output::PassStates(_) | haptix::Output::Stay { .. } => panic!("this hand is here"),
            }
        }
        answered
    }

    fn update(&mut self, now: Instant, command: haptix::Command) -> Answer<Goal> {
        let input =
            haptix::Input::UpdateRequested { id: 0, command: Box::new(command), wait_for_tick: false };
        match self.deliver(now, Some(input)) {
            Some(haptix::Answer::Update(Ok(()), _)) => Ok(None),
            Some(haptix::Answer::Update(Err(why), _)) => Err(Failure::Refused(why)),
            other => panic!("{other:?}"),
        }
    }

    fn answer(&mut self, now: Instant, call: Call) -> Answer<Goal> {
        match call {
            Call::Cap => self.update(now, cap()),
            Call::WrongCommand => {
                let mut ref_pos = [0.5; MAX];
                ref_pos[2] = if self.fault == Fault::TakesNan { 0.0 } else { f32::NAN };
                let answer =
                    self.update(now, haptix::Command { ref_pos: Some(ref_pos), ..Default::default() });
                if self.fault == Fault::TakesTheRest {
                    ref_pos[2] = 0.0;
                    let rest = haptix::Command { ref_pos: Some(ref_pos), ..Default::default() };
                    assert!(self.update(now, rest).is_ok());
                }
                answer
            }
            Call::Grasp(name, value) => {
                let grasps = vec![GraspValue { name, value }];
                match self.deliver(now, Some(haptix::Input::GraspRequested { id: 0, grasps })) {
                    Some(haptix::Answer::Grasp(Ok(command))) => Ok(Some(Box::new(command.ref_pos.unwrap()))),
                    Some(haptix::Answer::Grasp(Err(why))) => Err(Failure::Refused(why)),
                    other => panic!("{other:?}"),
                }
            }
            Call::Ball(_) if self.fault == Fault::FixedParameters => {
                Err(Failure::Refused("read-only".into()))
            }
            Call::Ball(is_there) => {
                let mut settings = self.settings;
                if !is_there && self.fault != Fault::BallStays {
                    settings.simulation.objects = Default::default();
                }
                self.deliver(now, Some(haptix::Input::ParametersChanged(Box::new(settings))));
                Ok(None)
            }
            Call::Reset if self.fault == Fault::NoReset => Ok(None),
            Call::Reset => {
                let input = haptix::Input::ResetRequested { id: 0, reset_limb_pose: true };
                assert!(matches!(self.deliver(now, Some(input)), Some(haptix::Answer::Reset(Ok(())))));
                Ok(None)
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
                    let is_held = self.operator.client.state() == "HOLDING";
                    if is_held && self.fault == Fault::StaysHolding {
                        continue;
                    }
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

    /// The failures of the script.
    fn failures(fault: Fault) -> Vec<String> {
        let mut node = Self::new(true, fault);
        node.play(0, 13_000);
        assert!(matches!(node.operator.pilot, Pilot::Finished(_)), "{:?}", node.operator.pilot);
        failures(&node.operator)
    }
}

fn cap() -> haptix::Command {
    haptix::Command { ref_vel_max: Some([CAP; MAX]), ..haptix::Command::default() }
}

#[test]
fn the_script_passes_with_the_nodes_machine() {
    let mut node = Node::new(true, Fault::None);
    node.play(0, 13_000);
    assert_eq!(failures(&node.operator), Vec::<String>::new());
    assert_eq!(node.operator.outcomes.len(), node.operator.script.len());
    let hand = &node.operator.client;
    for (name, strongest) in hand.names.contacts.iter().zip(hand.strongest) {
        assert!(strongest > 1.0 || !HOLDERS.contains(&name.as_str()), "{name} {strongest}");
        assert!(strongest == 0.0 || name != "palm_back", "{strongest}");
    }
    let table = table(&node.operator).join("\n");
    assert!(table.contains("thumb_distal") && !table.contains("FAILED"), "{table}");
}

/// Each check fails with a node for which it is meant, and no other one does.
#[test]
fn the_script_fails_with_a_node_that_is_wrong() {
    let rest = "watch the hand at rest; ";
    let close = "grasp Cylindrical, closed to 0.5; expected: forces rise";
    let hold = "go on with the grasp; ";
    let nan = "command positions of all motors";
    let pull = "pull the commander's cable; ";
    let plug = "plug the commander's cable in again; ";
    let open = "open the grasp Cylindrical; ";
    let away = "take the ball away; ";
    let free = "grasp Cylindrical, closed to 0.5; expected: the fingers get there";
    let reset = "reset the hand; ";
    let there = "put the ball before the hand; ";
    for (fault, wrong) in [
        (Fault::TakesNan, vec![nan]),
        (Fault::TakesTheRest, vec![nan]),
        (Fault::NoTimeout, vec![pull, plug]),
        (Fault::ShortTimeout, vec![pull]),
        (Fault::NoBall, vec![close, hold]),
        (Fault::BallStays, vec![free]),
        (Fault::NoReset, vec![reset]),
        (Fault::NoGravity, vec![rest]),
        (Fault::OtherOrder, vec![rest]),
        (Fault::Stuck, vec![close, hold, free]),
        (Fault::DeadContact, vec![close, hold]),
        (Fault::StickyForces, vec![open, away, free]),
        (Fault::Shaking, vec![hold, nan, open, free, reset]),
        (Fault::StaysHolding, vec![plug]),
        (Fault::FixedParameters, vec![away, free, there]),
    ] {
        let failures = Node::failures(fault);
        let is_each = failures.len() == wrong.len()
            && failures.iter().zip(&wrong).all(|(failure, start)| failure.starts_with(start));
        assert!(is_each, "{fault:?}: {failures:#?}");
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
    assert!(matches!(node.operator.pilot, Pilot::Waiting(_)) && node.operator.episode.is_none());
    node.play(4990, 8000);
    assert!(matches!(node.operator.pilot, Pilot::Script(_)));
    node.operator.handle(at(8000), Input::KeyPressed(KeyCode::Char('r')));
    node.play(8000, 30_000);
    assert!(matches!(node.operator.pilot, Pilot::Keyboard(())), "the script does not come back");
    assert_eq!(node.operator.client.state(), "HOLDING");
    assert!(node.operator.verdict().unwrap().is_good());
}

#[test]
fn the_script_begins_again_on_the_screen() {
    let mut node = Node::new(false, Fault::None);
    // 5 s of waiting, 12 s of script
    node.play(0, 19_000);
    let Pilot::Script(place) = node.operator.pilot else { panic!("{:?}", node.operator.pilot) };
    assert!(place.index > 0 && node.operator.outcomes.len() == place.index, "{place:?}");
}

/// Presses keys one after the other, with 2 s for each.
struct Fingers(Node, u64);

impl Fingers {
    fn new() -> Self {
        let mut node = Node::new(false, Fault::None);
        node.play(0, 20);
        Self(node, 20)
    }

    /// Presses a key, and returns its act and the verdict on it.
    fn press(&mut self, key: KeyCode) -> (Option<Act>, Option<Verdict>) {
        let Self(node, now) = self;
        node.operator.handle(at(*now), Input::KeyPressed(key));
        node.play(*now, *now + 2000);
        *now += 2000;
        (node.operator.episode.as_ref().map(|episode| episode.act.clone()), node.operator.verdict())
    }

    /// The level of the grasp that is set, and the state.
    fn grasp(&self) -> (Option<(usize, f32)>, &str) {
        let hand = &self.0.operator.client;
        (hand.grasp, hand.state())
    }
}

#[test]
fn keys_set_a_grasp_and_how_far_it_is_closed() {
    let mut fingers = Fingers::new();
    assert_eq!(fingers.press(KeyCode::Up), (None, None), "there is no grasp yet");
    let (act, verdict) = fingers.press(KeyCode::Char('2'));
    assert!(matches!(act, Some(Act::Grasp { level: CLOSED, feels: Feels::Anything, .. })), "{act:?}");
    let Some(Verdict::Good(seen)) = verdict else { panic!("{verdict:?}") };
    assert!(HOLDERS.iter().all(|name| seen.contains(name)), "{seen}");
    assert_eq!(fingers.grasp(), (Some((1, 0.5)), "GRASPING"));
    for (key, level) in [
        (KeyCode::Up, 0.6),
        (KeyCode::Down, 0.5),
        (KeyCode::Down, 0.4),
        (KeyCode::Char(' '), 0.0),
        (KeyCode::Down, 0.0),
    ] {
        let (_, verdict) = fingers.press(key);
        assert_eq!(fingers.grasp().0, Some((1, level)));
        assert!(verdict.is_some_and(|verdict| verdict.is_good()), "{key:?}");
    }
    assert_eq!(fingers.press(KeyCode::Char('9')), (None, None), "the hand has eight");
    fingers.press(KeyCode::Char('8'));
    assert_eq!(fingers.grasp(), (Some((7, 0.5)), "GRASPING"), "an open grasp is closed to the middle");
}

#[test]
fn keys_take_the_ball_away_and_reset_the_hand() {
    let mut fingers = Fingers::new();
    fingers.press(KeyCode::Char('2'));
    let (act, verdict) = fingers.press(KeyCode::Char('o'));
    assert_eq!(
        (act, verdict.unwrap().seen()),
        (Some(Act::Ball(false)), "the ball is away, forces up to 0.0 N")
    );
    let (act, verdict) = fingers.press(KeyCode::Char('2'));
    assert!(matches!(act, Some(Act::Grasp { feels: Feels::Nothing, .. })), "{act:?}");
    assert!(verdict.unwrap().is_good());
    let (_, verdict) = fingers.press(KeyCode::Char('r'));
    assert!(verdict.unwrap().is_good());
    assert_eq!(fingers.grasp(), (None, "HOLDING"));
    assert_eq!(fingers.press(KeyCode::Char('o')).0, Some(Act::Ball(true)));
}

#[test]
fn the_cable_is_pulled_and_plugged_in_again() {
    let mut fingers = Fingers::new();
    let (act, verdict) = fingers.press(KeyCode::Char('c'));
    assert_eq!((act, verdict.unwrap().seen()), (Some(Act::Pull), "it was HOLDING already"));
    assert_eq!(fingers.press(KeyCode::Char('c')).0, Some(Act::Plug));
    fingers.press(KeyCode::Char('1'));
    let (_, verdict) = fingers.press(KeyCode::Char('c'));
    let Some(Verdict::Good(seen)) = verdict else { panic!("{verdict:?}") };
    assert!(seen.starts_with("HOLDING after 0.9") || seen.starts_with("HOLDING after 1.0"), "{seen}");
    let (act, verdict) = fingers.press(KeyCode::Char('c'));
    assert_eq!((act, verdict.unwrap().is_good(), fingers.grasp().1), (Some(Act::Plug), true, "FOLLOWING"));
}

#[test]
fn a_wrong_command_changes_nothing() {
    let mut fingers = Fingers::new();
    fingers.press(KeyCode::Char('2'));
    let (_, verdict) = fingers.press(KeyCode::Char('w'));
    let Some(Verdict::Good(seen)) = verdict else { panic!("{verdict:?}") };
    let expected = "'ref_pos[2] is NaN, must be a finite number [rad]'; motors moved 0.00";
    assert!(seen.starts_with(expected), "{seen}");
    assert_eq!(fingers.grasp(), (Some((1, 0.5)), "GRASPING"));
}

#[test]
fn a_call_without_an_answer_is_given_up() {
    let mut operator = operator(false);
    operator.handle(at(0), Input::KeyPressed(KeyCode::Char('r')));
    assert_eq!(operator.poll(at(0)), Some(Output::Call(Call::Reset)));
    operator.handle(at(10), Input::KeyPressed(KeyCode::Char('w')));
    assert_eq!((operator.poll(at(4999)), operator.deadline()), (None, Some(at(5000))));
    assert_eq!(operator.poll(at(5000)), None);
    assert_eq!(operator.verdict(), Some(Verdict::Bad("reset was not answered".into())));
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
