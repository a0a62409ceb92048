//! The trials against the real stop machine, in simulated time and with wires that take none.

use hindbrain::{Hindbrain, Params};
use safety::{Command, Velocity};

use super::*;
use crate::reactions::reaction::plans;

const MS: Duration = Duration::from_millis(1);

/// Which messages reach the other end.
type Wire = fn(Instant, &Message) -> bool;

/// The machine with the parameters of `reactions.yaml`.
fn hindbrain() -> Hindbrain {
    let mut params = Params::default();
    params.core.estop_required = true;
    params.core.slopes.accel = 200_000;
    params.core.infrared.fitted[0] = true;
    Hindbrain::new(params)
}

fn input_of(message: Message) -> Option<hindbrain::Input> {
    use hindbrain::Input::{CommandReceived, EnableReceived, EstopReceived, IrReceived, ResetReceived};
    Some(match message {
        Message::Command(speed) => CommandReceived(Ok(Command {
            velocity: Velocity::planar(speed, 0.0).unwrap(),
            ..Default::default()
        })),
        Message::Estop(pressed) => EstopReceived(pressed),
        Message::Enable(enabled) => EnableReceived(enabled),
        Message::Reset(down) => ResetReceived(down),
        Message::Infrared { blocked } => {
            let distance = Some(if blocked { 0.1 } else { 1.0 });
            IrReceived { sensor: hindbrain::Sensor::FrontPort, distance, stamp: safety::Stamp::ZERO }
        }
        Message::Relay(_) => return None,
    })
}

/// Everything but messages that the trials of `plans` give, and when; what `wire` refuses is lost.
fn run(plans: impl Iterator<Item = Plan>, wire: Wire) -> Vec<(Instant, Output)> {
    let mut now = Instant::from_millis(1000);
    let (mut trials, mut hindbrain) = (Trials::new(plans, now), hindbrain());
    let mut ended = Vec::new();
    while let Some(deadline) = trials.deadline() {
        now = hindbrain.deadline().map_or(deadline, |tick| tick.min(deadline)).max(now);
        while let Some(output) = trials.poll(now) {
            match output {
                Output::Publish(message) if !wire(now, &message) => {}
                Output::Publish(Message::Relay(number)) => {
                    trials.handle(now + MS, Input::RelayAnswered(number))
                }
                Output::Publish(message) => hindbrain.handle(now, input_of(message).unwrap()),
                other => ended.push((now, other)),
            }
        }
        while let Some(output) = hindbrain.poll(now) {
            match output {
                hindbrain::Output::Drive(motors) => {
                    trials.handle(now, Input::PortSet(motors.port));
                    trials.handle(now, Input::StarboardSet(motors.starboard));
                }
                hindbrain::Output::PublishState(state) => {
                    trials.handle(now, Input::StateReceived(state.as_str().into()));
                }
                _ => {}
            }
        }
    }
    ended
}

/// How long a reaction took at least and at most, in all trials.
fn extremes(ended: &[(Instant, Output)], reaction: Reaction) -> (Duration, Duration) {
    let took = ended.iter().filter_map(|(_, output)| match output {
        Output::Measured(measured) if measured.plan.reaction == reaction => Some(measured.took),
        _ => None,
    });
    took.fold((Duration::MAX, Duration::ZERO), |(least, most), time| (least.min(time), most.max(time)))
}

#[test]
fn with_no_time_on_the_way_each_reaction_keeps_its_bound_and_the_worst_phase_is_met() {
    let ended = run(plans(64), |_, _| true);
    assert_eq!(ended.len(), 5 * 64, "nothing is repeated: {ended:?}");
    for reaction in Reaction::ALL {
        let (least, most) = extremes(&ended, reaction);
        assert!(most <= reaction.bound(), "{reaction:?}: {most:?}");
        let (expected_least, expected_most) = match reaction {
            // A message that stops is answered at once.
            Reaction::EstopPressed | Reaction::Disabled | Reaction::WayBlocked => (0, 0),
            // The timeout, and 66 counts at 200 counts/s less the first step, which brakes for up to a tick.
            Reaction::CommandLost => (800, 810),
            // A time-out ends when it ends, whatever the tick's phase.
            Reaction::EstopSilent => (250, 250),
        };
        assert!(least >= MS * expected_least, "{reaction:?}: {least:?}");
        assert!(most >= MS * expected_most, "{reaction:?}: {most:?}");
    }
}

#[test]
fn the_relay_is_timed_in_each_trial() {
    let ended = run(plans(2), |_, _| true);
    for (_, output) in ended {
        let Output::Measured(measured) = output else { panic!("{output:?}") };
        assert_eq!((measured.relay, measured.late), (MS, Duration::ZERO));
    }
}

#[test]
fn trials_that_need_no_waiting_take_well_below_a_second() {
    let only = |reaction| plans(8).filter(move |plan| plan.reaction == reaction);
    for reaction in [Reaction::EstopPressed, Reaction::Disabled, Reaction::WayBlocked] {
        let (end, _) = *run(only(reaction), |_, _| true).last().unwrap();
        assert!(end.since(Instant::from_millis(1000)) < MS * 1250 * 8, "{reaction:?}");
    }
}

#[test]
fn motors_that_do_not_stop_fail_by_name() {
    // The false before the trial is received, the one that is to stop is lost.
    let ended = run(plans(1).skip(1), |now, message| {
        *message != Message::Enable(false) || now < Instant::from_millis(1200)
    });
    let [(_, Output::Failed(why))] = &ended[..] else { panic!("{ended:?}") };
    let sentence = "trial 1 of 'enable false': the motors did not stop within 3s; \
                    /motor/port is 24, /motor/starboard 24, /hind/state OK";
    assert_eq!(why, sentence);
}

#[test]
fn a_lost_press_is_a_late_stop() {
    // The heartbeat is lost with it, which stops within 270 ms instead.
    let ended = run(plans(1).take(1), |_, message| *message != Message::Estop(true));
    let [(_, Output::Measured(measured))] = &ended[..] else { panic!("{ended:?}") };
    assert!(measured.took > Reaction::EstopPressed.bound() && measured.took <= Reaction::EstopSilent.bound());
}

#[test]
fn a_vehicle_that_does_not_start_fails_by_name() {
    let ended = run(plans(1), |_, message| *message != Message::Enable(true));
    let [repeated @ .., (at, Output::Failed(why))] = &ended[..] else { panic!("{ended:?}") };
    assert!(repeated.iter().all(|(_, output)| matches!(output, Output::Repeated(_))), "{repeated:?}");
    assert!(why.starts_with("trial 1 of 'e-stop pressed': full speed was not reached within 20s; "), "{why}");
    assert!(at.since(Instant::from_millis(1000)) < PREPARATION + TICK * 2);
}

#[test]
fn a_rise_of_enable_that_is_not_taken_is_tried_anew() {
    // As if nothing but the repetitions of true counted: hindbrain takes no true as a rise that is found on.
    let ended = run(plans(1).take(1), |now, message| {
        *message != Message::Enable(false) || now > Instant::from_millis(2500)
    });
    let [(_, Output::Repeated(why)), (_, Output::Measured(_))] = &ended[..] else { panic!("{ended:?}") };
    assert!(why.starts_with("trial 1 of 'e-stop pressed': the rise of enable was not taken; "), "{why}");
}

#[test]
fn a_silent_relay_fails_before_anything_moves() {
    let ended = run(plans(1), |_, message| !matches!(message, Message::Relay(_)));
    let [(_, Output::Failed(why))] = &ended[..] else { panic!("{ended:?}") };
    assert!(why.ends_with("/hind/state SSTOP.ROS, the bare relay nothing yet"), "{why}");
}

/// A wire that loses the e-stop's heartbeat from `from` to `to` \[ms]; the first event is at 2080 ms.
fn loses_heartbeat(from: u64, to: u64, now: Instant, message: &Message) -> bool {
    *message == Message::Estop(false) && (Instant::from_millis(from)..Instant::from_millis(to)).contains(&now)
}

#[test]
fn a_trial_that_is_stopped_before_its_event_is_repeated() {
    // Silent from 1680 ms on for more than 250 ms.
    let ended = run(plans(1).skip(1).take(1), |now, message| !loses_heartbeat(1680, 1980, now, message));
    let [(_, Output::Repeated(why)), (_, Output::Measured(measured))] = &ended[..] else {
        panic!("{ended:?}")
    };
    assert!(why.starts_with("trial 1 of 'enable false': stopped before the event; "), "{why}");
    assert!(measured.took <= Reaction::Disabled.bound());
}

#[test]
fn a_trial_that_is_stopped_by_something_else_is_repeated() {
    // The command is silent from 2080 ms on, and the e-stop stops first; the state would be OK otherwise.
    let ended = run(plans(1).skip(2).take(1), |now, message| !loses_heartbeat(2080, 2480, now, message));
    let [(_, Output::Repeated(why)), (_, Output::Measured(measured))] = &ended[..] else {
        panic!("{ended:?}")
    };
    let sentence = "trial 1 of 'cmd_vel silent': stopped for another reason; \
                    /motor/port is 90, /motor/starboard 90, /hind/state ESTOP";
    assert_eq!(why, sentence);
    assert!(measured.took > MS * 800);
}

#[test]
fn time_ends_when_the_second_motor_stands() {
    let at = Instant::from_millis;
    let mut trials = Trials::new(plans(1), at(0));
    trials.step = Step::React { since: at(100) };
    trials.handle(at(130), Input::PortSet(90));
    assert_eq!(trials.step, Step::React { since: at(100) });
    trials.handle(at(150), Input::StarboardSet(90));
    assert_eq!(trials.step, Step::Judge { took: MS * 50 });
}

#[test]
fn a_late_answer_of_the_relay_is_not_taken_for_a_newer_one() {
    let at = Instant::from_millis;
    let mut trials = Trials::new(plans(1), at(0));
    for slot in [0, 20] {
        let published = std::iter::from_fn(|| trials.poll(at(slot))).last();
        assert_eq!(published, Some(Output::Publish(Message::Relay(1 + slot / 20))));
    }
    trials.handle(at(23), Input::RelayAnswered(1));
    assert_eq!(trials.relay.took, None);
    trials.handle(at(24), Input::RelayAnswered(2));
    assert_eq!(trials.relay.took, Some(MS * 4));
}
