//! The emergency stop of the vehicle that carries the hand: it holds, and only a command after the end moves it.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use crate::common;

use common::node::{Node, at, positions, settings, update};
use haptix::{Answer, Command, GraspValue, Haptix, Input, MAX_WAITING, Mode, Order, Output, State};
use proptest::collection::vec;
use proptest::prelude::*;
use safety::{Clock, Instant, Machine, MessageTime, PublisherId, VehicleHalt, VehicleMonitor};

const BRAIN: PublisherId = PublisherId([1; 24]);
const OTHER: PublisherId = PublisherId([2; 24]);

/// A hand that obeys a vehicle, of which nothing is known.
fn waiting() -> Node {
    let mut node = Node::new("two_finger");
    node.machine = Haptix::new(&node.device, &settings()).obeying_vehicle();
    node.run(25);
    node
}

/// One that may move.
fn cleared() -> Node {
    let mut node = waiting();
    clear(&mut node);
    assert_eq!(node.machine.halt(), None);
    node.run(1);
    node.taken();
    node.orders.clear();
    node
}

/// A reading of the graph, and a state that its only publisher sent.
fn say(node: &mut Node, publisher: PublisherId, state: &str) {
    node.input(Input::VehiclePublishersCounted(Some(vec![publisher])));
    node.input(Input::VehicleStateReceived(state.into()));
}

/// The vehicle is clear: it says so, and repeats that.
fn clear(node: &mut Node) {
    clear_by(node, BRAIN);
}

fn clear_by(node: &mut Node, publisher: PublisherId) {
    say(node, publisher, "OK");
    say(node, publisher, "OK");
    node.run(400);
    say(node, publisher, "OK");
}

fn grasp() -> Vec<GraspValue> {
    vec![GraspValue { name: "Pinch".into(), value: 1.0 }]
}

/// The refusals of all that moves the hand: an update, a message, a grasp and a reset of the pose.
fn refusals(node: &mut Node) -> Vec<String> {
    node.taken();
    node.update(1, positions(&[0.4]), false);
    let command = Box::new(positions(&[0.4]));
    node.input(Input::CommandReceived { command, at: at(node.millis) });
    node.input(Input::GraspRequested { id: 2, grasps: grasp() });
    node.input(Input::ResetRequested { id: 3, reset_limb_pose: true });
    let refusal = |output| match output {
        Output::Answer(
            _,
            Answer::Update(Err(why), _) | Answer::Grasp(Err(why)) | Answer::Reset(Err(why)),
        ) => Some(why),
        Output::Warn(why) => why.strip_prefix("a command was refused: ").map(str::to_owned),
        _ => None,
    };
    node.taken().into_iter().filter_map(refusal).collect()
}

fn reset_motors(node: &mut Node) -> Result<(), String> {
    node.taken();
    node.input(Input::MotorsResetRequested { id: 9 });
    match node.answer(9) {
        Some(Answer::MotorsReset(outcome)) => outcome,
        other => panic!("{other:?}"),
    }
}

#[test]
fn until_its_vehicle_is_clear_the_hand_takes_no_command_and_gives_readings() {
    let mut node = waiting();
    let sentence = "the hand is halted: the vehicle's state is awaited; it ends when the state is received and repeated without \
                    an emergency stop";
    assert!(node.outputs.contains(&Output::Warn(sentence.into())));
    assert_eq!(node.machine.state(), State::Halted(VehicleHalt::Awaited));
    assert_eq!(refusals(&mut node), [sentence; 4]);
    assert_eq!(node.orders, []);
    node.update(4, Command::default(), false);
    assert_eq!(update(node.answer(4)).0, Ok(()), "a command without groups is a reading");
    node.input(Input::ResetRequested { id: 5, reset_limb_pose: false });
    assert_eq!(node.answer(5), Some(Answer::Reset(Ok(()))), "it does not move the hand");
    clear(&mut node);
    node.run(100);
    node.update(6, positions(&[node.last_position()]), false);
    assert_eq!(update(node.answer(6)).0, Ok(()), "it asks for rest");
}

#[test]
fn an_emergency_stop_orders_a_hold_at_once_and_the_hand_stands_under_commands() {
    let mut node = cleared();
    let command = Command { ref_vel_max: Some([1.0; 32]), ..positions(&[1.2]) };
    for id in 0..10 {
        node.update(id, command, false);
        node.run(20);
    }
    assert_eq!(node.machine.state(), State::Following);
    let before = node.last_position();
    node.taken();
    node.orders.clear();
    say(&mut node, BRAIN, "ESTOP");
    assert_eq!(node.orders, [Order::Hold], "it waits for no reading");
    let why = "the vehicle is in its emergency stop; the vehicle's reset ends it";
    assert!(node.taken().contains(&Output::Warn(format!("the hand is halted: {why}"))));
    assert_eq!(node.machine.state().to_string(), format!("HALTED: {why}"));
    for _ in 0..50 {
        assert_eq!(refusals(&mut node)[0], format!("the hand is halted: {why}"));
        node.run(20);
        assert_eq!(node.readings.last().unwrap().0.mode, Mode::Holding);
        say(&mut node, BRAIN, "ESTOP");
    }
    assert_eq!(node.orders, [Order::Hold]);
    // At 1 rad/s, in a tick and the time in which the servo brakes.
    assert!(
        before > 0.1 && (node.last_position() - before).abs() < 0.03,
        "{before} {}",
        node.last_position()
    );
}

#[test]
fn commands_that_wait_for_a_tick_fail_when_the_halt_begins() {
    let mut node = cleared();
    node.update(1, positions(&[0.4]), true);
    node.update(2, Command::default(), true);
    say(&mut node, BRAIN, "ESTOP");
    let outputs = node.taken();
    let answered = |id| outputs.iter().any(|output| matches!(output, Output::Answer(of, _) if *of == id));
    assert!(answered(1) && !answered(2), "{outputs:?}");
    node.run(20);
    assert_eq!(update(node.answer(2)).0, Ok(()), "what gave no command waits on");
}

#[test]
fn after_the_vehicles_reset_only_a_command_that_is_received_later_moves_the_hand() {
    let mut node = cleared();
    node.update(1, positions(&[0.8]), false);
    node.run(100);
    say(&mut node, BRAIN, "ESTOP");
    node.run(500);
    let held = node.last_position();
    let received = at(node.millis);
    node.run(100);
    say(&mut node, BRAIN, "SSTOP.ROS");
    node.run(400);
    let why = "the vehicle leaves its emergency stop; it ends when the vehicle repeats its state";
    assert_eq!(refusals(&mut node)[0], format!("the hand is halted: {why}"));
    say(&mut node, BRAIN, "OK");
    assert_eq!(node.machine.halt(), None);
    let sentence =
        "the hand is not halted any more: a command moves it, or of a stream one that asks for where it is";
    assert!(node.taken().contains(&Output::Inform(sentence.into())));
    node.orders.clear();
    // They were received before, and are handled after the end.
    for at in [received, at(node.millis)] {
        node.input(Input::CommandReceived { command: Box::new(positions(&[0.8])), at });
    }
    assert_eq!(node.orders, []);
    node.run(500);
    assert_eq!(node.machine.state(), State::Holding);
    assert!((node.last_position() - held).abs() < 1e-3, "the end itself moves nothing");
    let gains = Command { gain_pos: Some([5.0; 32]), ..Command::default() };
    node.update(2, gains, false);
    node.run(300);
    assert!((node.last_position() - held).abs() < 1e-2, "the target from before the stop does not come back");
    node.update(3, positions(&[0.1]), false);
    node.run(600);
    assert!((node.last_position() - 0.1).abs() < 1e-2);
}

#[test]
fn a_stream_that_runs_on_through_a_halt_moves_nothing_until_it_asks_for_rest() {
    for pauses in [false, true] {
        let mut node = cleared();
        node.update(1, positions(&[0.8]), false);
        node.run(400);
        say(&mut node, BRAIN, "ESTOP");
        let held = node.last_position();
        for millis in (0..1500).step_by(20) {
            if millis == 500 {
                clear(&mut node);
            } else if millis > 500 {
                say(&mut node, BRAIN, "OK");
            }
            assert!(refusals(&mut node).len() >= 3, "after {millis} ms");
            node.run(20);
        }
        assert_eq!(node.machine.halt(), None);
        assert!((node.last_position() - held).abs() < 0.03);
        let why = "commands move nothing after a halt of the hand, until one asks for where the hand is, at no speed";
        assert_eq!(refusals(&mut node)[0], why);
        if pauses {
            for _ in 0..150 {
                say(&mut node, BRAIN, "OK");
                node.run(20);
            }
            assert_eq!(refusals(&mut node)[0], why, "its link may have dropped out");
        }
        let command = Command { ref_vel: Some([0.5; 32]), ..positions(&[node.last_position()]) };
        node.update(2, command, false);
        assert!(update(node.answer(2)).0.is_err(), "it asks for a speed");
        node.update(3, positions(&[node.last_position() + 0.04]), false);
        assert_eq!(update(node.answer(3)).0, Ok(()));
        assert_eq!(refusals(&mut node), [""; 0]);
    }
}

#[test]
fn a_stream_through_a_halt_in_which_the_device_is_silent_too_moves_nothing() {
    let mut node = cleared();
    node.update(1, positions(&[0.8]), false);
    node.run(400);
    // An emergency stop that cuts the hand's power, too.
    for number in 0..200 {
        say(&mut node, BRAIN, if number < 75 { "ESTOP" } else { "OK" });
        node.update(2, positions(&[0.8]), false);
        node.wait(20);
    }
    assert_eq!(node.machine.halt(), None);
    node.run(20);
    node.taken();
    node.update(3, positions(&[0.2]), false);
    let why =
        "commands move nothing after a halt of the hand, until one asks for where the hand is, at no speed";
    assert_eq!(update(node.answer(3)).0, Err(why.to_owned()));
}

#[test]
fn a_reading_that_finds_no_room_ends_no_stream_through_a_halt() {
    let mut node = cleared();
    node.update(0, positions(&[0.8]), false);
    node.run(400);
    say(&mut node, BRAIN, "ESTOP");
    for millis in (0..800).step_by(20) {
        if millis == 200 {
            clear(&mut node);
        }
        node.update(0, positions(&[0.2]), false);
        node.run(20);
    }
    for id in 1..=MAX_WAITING as u64 + 1 {
        node.update(id, Command::default(), true);
    }
    let full = format!("{MAX_WAITING} calls wait for a tick already; no more may wait");
    assert_eq!(update(node.answer(MAX_WAITING as u64 + 1)).0, Err(full));
    assert!(refusals(&mut node)[0].starts_with("commands move nothing after a halt"));
}

#[test]
fn what_was_read_together_with_the_end_of_a_halt_moves_nothing() {
    let mut node = cleared();
    say(&mut node, BRAIN, "ESTOP");
    node.run(100);
    say(&mut node, BRAIN, "OK");
    node.run(450);
    let read_again =
        |node: &mut Node| node.machine.read_again(at(node.millis), at(node.millis), at(node.millis));
    read_again(&mut node);
    say(&mut node, BRAIN, "OK");
    node.millis += 1;
    node.orders.clear();
    assert!(
        refusals(&mut node).iter().all(|why| why.contains("was received before the halt of the hand ended"))
    );
    assert_eq!(node.orders, []);
    read_again(&mut node);
    node.update(1, positions(&[0.4]), false);
    assert_eq!(update(node.answer(1)).0, Ok(()));
}

#[test]
fn a_lost_state_halts_in_time_and_a_persons_reset_alone_ends_it() {
    let mut node = cleared();
    for id in 0..76 {
        node.update(id, positions(&[0.4]), false);
        node.run(20);
    }
    assert_eq!(node.machine.halt(), Some(VehicleHalt::Lost { is_on: true }));
    assert_eq!(node.orders.iter().filter(|order| **order == Order::Hold).count(), 1);
    let why = "the vehicle's state is lost; reset_motors ends it once that is over";
    assert_eq!(reset_motors(&mut node), Err(format!("the hand stays halted: {why}")));
    clear_by(&mut node, OTHER);
    let why = "the hand is halted: the vehicle's state was lost; reset_motors ends it";
    assert_eq!(refusals(&mut node)[0], why);
    // Programs call these two by themselves.
    node.input(Input::ResetRequested { id: 5, reset_limb_pose: false });
    node.input(Input::GraspRequested { id: 6, grasps: vec![] });
    assert!(node.machine.halt().is_some());
    node.orders.clear();
    assert_eq!(reset_motors(&mut node), Ok(()));
    assert_eq!((node.machine.halt(), node.orders.as_slice()), (None, &[][..]));
    node.run(1);
    node.update(7, positions(&[0.4]), false);
    assert_eq!(update(node.answer(7)).0, Ok(()));
    assert_eq!(reset_motors(&mut node), Ok(()), "there is no halt");
}

#[test]
fn a_persons_reset_that_may_have_waited_in_a_hold_changes_nothing() {
    let mut node = cleared();
    node.input(Input::VehiclePublishersCounted(None));
    clear_by(&mut node, BRAIN);
    node.run(300);
    node.machine.read_again(at(node.millis), at(node.millis - 900), at(node.millis - 800));
    let refusal = reset_motors(&mut node).unwrap_err();
    assert!(refusal.contains("may have waited for 900ms while the node was held"), "{refusal}");
    node.run(60);
    assert_eq!(reset_motors(&mut node), Ok(()));
}

#[test]
fn at_the_end_of_the_node_no_silence_of_the_vehicle_follows() {
    let mut node = cleared();
    node.input(Input::Stopping);
    node.orders.clear();
    node.wait(3000);
    node.drain();
    assert_eq!(node.orders, []);
}

#[test]
fn a_silent_vehicle_halts_the_hand_without_any_other_input() {
    let mut node = cleared();
    // The last state came 1 ms ago.
    node.wait(1498);
    assert_eq!((node.machine.halt(), node.orders.as_slice()), (None, &[][..]));
    node.wait(1);
    assert_eq!(node.orders, [Order::Hold]);
}

#[test]
fn a_hand_without_a_vehicle_ignores_its_states() {
    let mut node = Node::new("two_finger");
    node.run(25);
    say(&mut node, BRAIN, "ESTOP");
    node.update(1, positions(&[0.4]), false);
    assert_eq!(update(node.answer(1)).0, Ok(()));
}

#[derive(Clone, Debug)]
enum Event {
    Say(usize, &'static str),
    Count(usize),
    Command,
    Grasp,
    Reset(bool),
    ResetMotors,
    Pass(u64),
}

fn event() -> impl Strategy<Value = Event> {
    let state = prop_oneof![4 => Just("OK"), 2 => Just("SSTOP.ROS"), 2 => Just("ESTOP"), 1 => Just("")];
    prop_oneof![
        4 => (prop_oneof![6 => Just(1_usize), 1 => 0_usize..4], state).prop_map(|(who, state)| Event::Say(who, state)),
        1 => (0_usize..4).prop_map(Event::Count),
        4 => Just(Event::Command),
        1 => Just(Event::Grasp),
        1 => any::<bool>().prop_map(Event::Reset),
        1 => Just(Event::ResetMotors),
        3 => prop_oneof![Just(450_u64), 0_u64..600, 0_u64..2000].prop_map(Event::Pass),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// The judge beside the hand receives the same; it is proved on its own.
    #[test]
    fn the_last_order_is_a_hold_while_the_vehicle_forbids_to_move(events in vec(event(), 1..80)) {
        let mut node = waiting();
        let mut judge = VehicleMonitor::new();
        let (mut is_following, mut was_halted) = (false, true);
        for event in events {
            let now = at(node.millis);
            node.orders.clear();
            let time = MessageTime::read_now(&clock(now));
            let publishers = |who: usize| match who {
                0 => None,
                3 => Some(vec![BRAIN, OTHER]),
                1 => Some(vec![BRAIN]),
                _ => Some(vec![OTHER]),
            };
            match event {
                Event::Say(who, state) => {
                    node.input(Input::VehiclePublishersCounted(publishers(who)));
                    node.input(Input::VehicleStateReceived(state.into()));
                    judge.count(now, publishers(who).as_deref());
                    judge.receive(now, time, state);
                }
                Event::Count(who) => {
                    node.input(Input::VehiclePublishersCounted(publishers(who)));
                    judge.count(now, publishers(who).as_deref());
                }
                Event::Command => node.update(1, positions(&[0.4]), false),
                Event::Grasp => node.input(Input::GraspRequested { id: 1, grasps: grasp() }),
                Event::Reset(reset_limb_pose) => node.input(Input::ResetRequested { id: 1, reset_limb_pose }),
                Event::ResetMotors => {
                    node.input(Input::MotorsResetRequested { id: 1 });
                    judge.reset(now);
                }
                Event::Pass(millis) => {
                    node.run(millis);
                    judge.expire(at(node.millis));
                    node.drain();
                }
            }
            for order in &node.orders {
                match order {
                    Order::Command { .. } => is_following = true,
                    Order::Hold => is_following = false,
                    Order::Reset { reset_limb_pose } => {
                        prop_assert!(!(*reset_limb_pose && judge.halt().is_some()));
                        is_following &= !reset_limb_pose;
                    }
                    Order::Configure(_) => {}
                }
            }
            prop_assert_eq!(node.machine.halt(), judge.halt());
            prop_assert!(!(is_following && judge.halt().is_some()));
            let is_halted = judge.halt().is_some();
            prop_assert!(was_halted || !is_halted || node.orders.contains(&Order::Hold), "no hold is ordered");
            was_halted = is_halted;
        }
    }
}

/// A clock that was never held, at `now`.
fn clock(now: Instant) -> Clock {
    let mut clock = Clock::default();
    clock.pass_to(now, None);
    clock
}
