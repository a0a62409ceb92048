use safety::Instant;

use super::*;
use crate::calls::Answer;
use crate::client::Client as _;
use crate::client::episode::Change;
use crate::hand::calls::Goal;
use crate::hand::device::Device;
use crate::hand::reading::Names;

/// When the act begins.
const FROM: u64 = 1000;

fn at(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

/// A reading of the first motor's position and the forces on palm and tip, at rest and upright.
fn reading(position: f32, palm: f32, tip: f32) -> Reading {
    let mut reading = Reading::default();
    reading.motor_pos[0] = position;
    [reading.contact[0], reading.contact[1]] = [palm, tip];
    // 9.81 / √2 = 6.937
    [reading.acceleration[0], reading.acceleration[1]] = [[-6.937, 0.0, 6.937], [0.0, 0.0, 9.81]];
    reading
}

fn read(position: f32, palm: f32, tip: f32) -> Change<Hand> {
    Change::Received(Message::Reading(Box::new(reading(position, palm, tip))))
}

fn state(state: &str) -> Change<Hand> {
    Change::Received(Message::State(state.into()))
}

fn answered(call: Call, answer: Answer<Goal>) -> Change<Hand> {
    Change::Answered(call, answer)
}

/// The first motor's goal is 0.5 rad.
fn grasped() -> Change<Hand> {
    let mut goal = [0.0; MAX];
    goal[0] = 0.5;
    answered(Call::Grasp("Hook".into(), 0.5), Ok(Some(Box::new(goal))))
}

/// The verdict at `now` on an act that began at [`FROM`]; the changes before it are known then.
fn verdict(act: &Act, now: u64, changes: impl IntoIterator<Item = (u64, Change<Hand>)>) -> Verdict {
    let names = Names {
        contacts: ["palm", "tip"].map(Into::into).into(),
        imus: ["thumb", "index"].map(Into::into).into(),
    };
    let mut hand = Hand { names, is_active: true, ..Hand::new(Device::read().unwrap()) };
    let (before, since): (Vec<_>, Vec<_>) = changes.into_iter().partition(|(millis, _)| *millis < FROM);
    let take = |hand: &mut Hand, millis: u64, change: &Change<Hand>| match change {
        Change::Received(message) => hand.receive(message),
        Change::Answered(call, answer) => hand.answered(at(millis), call, answer),
        Change::Sent(()) => {}
    };
    before.iter().for_each(|(millis, change)| take(&mut hand, *millis, change));
    let mut episode = Episode::new(act.clone(), at(FROM), hand.clone());
    for (millis, change) in since {
        take(&mut hand, millis, &change);
        episode.push(at(millis), change);
    }
    hand.start = [0.0; MAX];
    judge(&hand, &episode, at(now).since(at(FROM)))
}

fn grasp(feels: Feels) -> Act {
    Act::Grasp { name: "Hook".into(), level: 0.5, feels }
}

#[test]
fn a_hand_at_rest_is_upright_free_and_holding() {
    let seen = |change: fn(&mut Reading), word: &str, now: u64| {
        let mut reading = reading(0.0, 0.0, 0.0);
        change(&mut reading);
        verdict(
            &Act::Rest,
            now,
            [(900, state(word)), (1010, Change::Received(Message::Reading(Box::new(reading))))],
        )
    };
    assert_eq!(
        seen(|_| {}, "HOLDING", 1400),
        Good("HOLDING; 2 units within 0.000 m/s² of it, forces up to 0.0 N".into())
    );
    assert!(matches!(seen(|_| {}, "HOLDING", 1299), Pending(_)), "it is watched for 0.3 s");
    assert!(matches!(seen(|_| {}, "GRASPING", 1400), Bad(_)));
    assert!(matches!(seen(|reading| reading.contact[1] = 0.1, "HOLDING", 1400), Bad(_)));
    // Upside down, lying, and gravity of another planet.
    for wrong in [
        |reading: &mut Reading| reading.acceleration[1] = [0.0, 0.0, -9.81],
        |reading: &mut Reading| reading.acceleration[1] = [9.81, 0.0, 0.0],
        |reading: &mut Reading| reading.acceleration[0] = [-6.8, 0.0, 6.8],
    ] {
        assert!(matches!(seen(wrong, "HOLDING", 1400), Bad(_)));
    }
    assert!(matches!(verdict(&Act::Rest, 1400, [(900, state("HOLDING"))]), Bad(_)), "no reading at all");
}

#[test]
fn forces_rise_where_they_are_expected_and_stay() {
    let act = grasp(Feels::Contact(&["tip"]));
    let seen = |before: f32, forces: &[(u64, f32)]| {
        let mut changes = vec![(900, read(0.0, 0.0, before)), (1010, grasped())];
        changes.extend(forces.iter().map(|(at, force)| (*at, read(0.4, 0.0, *force))));
        verdict(&act, 2000, changes)
    };
    assert_eq!(seen(0.0, &[(1100, 0.1), (1200, 0.4), (1300, 2.0)]), Good("tip 2.0 N after 0.20 s".into()));
    assert_eq!(seen(0.0, &[(1100, 2.0), (1200, 0.2)]), Pending("tip 0.2 N".into()), "it went away");
    assert_eq!(seen(1.0, &[(1100, 2.0)]), Bad("it was touched before: tip 1.0 N".into()));
    let elsewhere = [(900, read(0.0, 0.0, 0.0)), (1010, grasped()), (1100, read(0.4, 5.0, 0.0))];
    assert_eq!(verdict(&act, 2000, elsewhere), Pending("tip 0.0 N".into()));
    assert_eq!(verdict(&act, 2000, [(1100, read(0.4, 0.0, 2.0))]), Pending("no answer yet".into()));
}

#[test]
fn an_open_hand_has_arrived_and_feels_nothing() {
    let act = grasp(Feels::Nothing);
    let seen =
        |position: f32, tip: f32| verdict(&act, 2000, [(1010, grasped()), (1100, read(position, 0.0, tip))]);
    assert_eq!(seen(0.49, 0.0), Good("0.01 rad from it, forces up to 0.0 N, after 0.10 s".into()));
    assert_eq!(seen(0.47, 0.0), Pending("0.03 rad from it, forces up to 0.0 N".into()));
    assert_eq!(seen(0.5, 0.01), Pending("0.00 rad from it, forces up to 0.0 N".into()));
}

#[test]
fn fingers_settle_wherever_they_are() {
    let act = grasp(Feels::Anything);
    let seen = |velocity: f32, tip: f32, now: u64| {
        let mut reading = reading(0.3, 0.0, tip);
        reading.motor_vel[0] = velocity;
        verdict(&act, now, [(1010, grasped()), (1100, Change::Received(Message::Reading(Box::new(reading))))])
    };
    assert_eq!(seen(0.0, 1.5, 1400), Good("tip 1.5 N".into()));
    assert_eq!(seen(0.0, 0.0, 1400), Good("nothing is touched".into()));
    assert!(matches!(seen(-0.1, 1.5, 1400), Pending(_)), "it moves");
    assert!(matches!(seen(0.0, 1.5, 1390), Pending(_)), "it came to rest 0.29 s ago");
}

#[test]
fn a_held_ball_is_felt_all_the_time() {
    let act = Act::Hold(&["tip"]);
    let seen = |readings: &[(f32, f32)], now: u64| {
        let mut changes = vec![(900, read(0.4, 0.0, 2.0))];
        changes.extend(
            readings.iter().zip(1..).map(|((position, tip), n)| (1000 + 10 * n, read(*position, 0.0, *tip))),
        );
        verdict(&act, now, changes)
    };
    assert_eq!(
        seen(&[(0.41, 2.0), (0.4, 1.5)], 1300),
        Good("fingers moved 0.010 rad, no force below 1.5 N".into())
    );
    assert!(matches!(seen(&[(0.4, 2.0), (0.4, 0.2), (0.4, 2.0)], 1300), Bad(_)), "it went away for a moment");
    assert!(matches!(seen(&[(0.43, 2.0), (0.4, 2.0)], 1300), Bad(_)), "a finger moved");
    assert!(matches!(seen(&[(0.4, 2.0)], 1299), Pending(_)));
    assert_eq!(seen(&[], 1300), Pending("no reading yet".into()));
}

#[test]
fn a_wrong_command_is_to_be_refused_for_its_nan_and_to_move_nothing() {
    let seen = |answer: Answer<Goal>, position: f32| {
        let changes = [
            (900, read(0.1, 0.0, 0.0)),
            (1010, answered(Call::WrongCommand, answer)),
            (1200, read(position, 0.0, 0.0)),
        ];
        verdict(&Act::WrongCommand, 1400, changes)
    };
    let refused = |why: &str| Err(Failure::Refused(why.into()));
    assert_eq!(seen(refused("it is NaN"), 0.11), Good("'it is NaN'; motors moved 0.010 rad".into()));
    assert!(matches!(seen(refused("it is NaN"), 0.13), Bad(_)));
    assert!(matches!(seen(refused("the device does not answer"), 0.1), Bad(_)), "another reason");
    assert_eq!(seen(Ok(None), 0.1), Bad("it was accepted".into()));
    assert_eq!(seen(Err(Failure::Silent), 0.1), Bad("it was not answered".into()));
}

#[test]
fn silence_ends_in_a_hold_at_its_time() {
    let seen = |held: Option<u64>, now: u64| {
        let mut changes = vec![(900, state("GRASPING"))];
        changes.extend(held.map(|millis| (millis, state("HOLDING"))));
        verdict(&Act::Pull, now, changes)
    };
    assert_eq!(seen(Some(1980), 2400), Good("HOLDING after 0.98 s".into()));
    assert_eq!(seen(Some(1790), 2400), Bad("HOLDING already after 0.79 s".into()));
    assert!(matches!(seen(Some(2301), 2400), Bad(_)), "too late");
    assert_eq!(seen(None, 2300), Pending("GRASPING after 1.30 s".into()));
    assert_eq!(seen(None, 2301), Bad("GRASPING after 1.30 s".into()));
    let again = [(900, state("GRASPING")), (2000, state("HOLDING")), (2010, state("GRASPING"))];
    assert!(matches!(verdict(&Act::Pull, 2400, again), Bad(_)));
}

#[test]
fn commands_count_again_after_the_silence() {
    let seen = |words: &[&str]| {
        let states = words.iter().zip(0..).map(|(word, n)| (900 + 200 * n, state(word)));
        verdict(&Act::Plug, 1500, states)
    };
    assert_eq!(seen(&["HOLDING", "FOLLOWING"]), Good("FOLLOWING after 0.10 s".into()));
    assert_eq!(seen(&["FOLLOWING"]), Good("FOLLOWING".into()), "the silence was short");
    assert_eq!(seen(&["HOLDING"]), Pending("HOLDING".into()));
    assert_eq!(seen(&["HOLDING", "FOLLOWING", "HOLDING"]), Pending("HOLDING".into()));
}

#[test]
fn without_the_ball_nothing_is_felt() {
    let seen = |is_there: bool, tip: f32| {
        let accepted = answered(Call::Ball(is_there), Ok(None));
        verdict(&Act::Ball(is_there), 1400, [(1010, accepted), (1100, read(0.0, 0.0, tip))])
    };
    assert_eq!(seen(false, 0.0), Good("the ball is away, forces up to 0.0 N".into()));
    assert_eq!(seen(false, 0.5), Pending("forces up to 0.5 N".into()));
    assert_eq!(seen(true, 0.5), Good("the ball is there, forces up to 0.5 N".into()));
    let refused = answered(Call::Ball(true), Err(Failure::Refused("read-only".into())));
    let why = "set_parameters_atomically was refused: read-only";
    assert_eq!(verdict(&Act::Ball(true), 1400, [(1010, refused)]), Bad(why.into()));
}

#[test]
fn a_reset_hand_is_where_it_was_and_holds() {
    let seen = |position: f32, word: &str| {
        let accepted = answered(Call::Reset, Ok(None));
        verdict(&Act::Reset, 1400, [(1010, accepted), (1050, state(word)), (1100, read(position, 0.0, 0.0))])
    };
    assert_eq!(seen(0.01, "HOLDING"), Good("HOLDING, 0.010 rad from the start, after 0.10 s".into()));
    assert!(matches!(seen(0.03, "HOLDING"), Pending(_)));
    assert!(matches!(seen(0.0, "GRASPING"), Pending(_)));
    assert_eq!(verdict(&Act::Reset, 1400, [(1100, read(0.0, 0.0, 0.0))]), Pending("no answer yet".into()));
}
