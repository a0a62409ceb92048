//! The holes of the original, one test for each that this crate can close; `seed.rs` has those that the profile `seed`
//! also closes. H11 is a hole of the arbiter; its test is in the crate `drive`.
//!
//! | | hole of 2016 | now | `seed` |
//! |---|---|---|---|
//! | H1 | the last speed is held forever | a command counts for `cmd_timeout` | closed |
//! | H2 | NaN and tiny numbers are full speed | refused, quantised | closed |
//! | H3 | release of the e-stop restarts | latch, reset, new enable | as in 2016: the profile's purpose |
//! | H4 | a silent e-stop counts as released | silence, an e-stop that has a publisher and was never received, and two publishers count as pressed | closed |
//! | H5 | enable stays | edge, optional lease, dropped by stops | as in 2016 |
//! | H6 | infra-red is a stub, ignores the direction, latches by mistake | per sensor, debounced in time, direction policy | closed except for the policy |
//! | H7 | causes are read several times | one snapshot per step | closed |
//! | H8 | a zero command is as slow as a start | `decel` | as in 2016 |
//! | H9 | the sign changes without a rest | a tick at zero | as in 2016 |
//! | H10 | no turn in place or in reverse, wrong sign | REP-103 | as in 2016 |
//! | H11 | an arbiter without votes reverses at full speed | the crate `arbiter` sends zero | closed |
//! | H12 | several publishers of commands | a soft stop | closed |
//! | H13 | motor values stop when nothing happens | a fixed rate, even at zero | closed |
//! | H14 | the state floods the link | on change, and twice a second | closed |
//! | H15 | a neutral value is called an emergency stop | both READMEs correct it | closed |
//! | H16 | a latched enable would start a restarted node | only a change to true arms, from a false that was received | starts stopped; the node subscribes `volatile` |

use crate::common;

use common::{Rig, command, ir, not_finite, params, publishers, rig, texts};
use hindbrain::{Cause, Input, Sensor, SoleTopic, StopState};
use params::Value;
use safety::{Instant, Stamp};

const FULL_AHEAD: fn() -> Input = || command(1.0, 0.0);

/// Nothing moves although a zero and then full speed are commanded repeatedly for `ms`, together with `inputs`.
fn stays_stopped(rig: &mut Rig, ms: u64, inputs: &[Input]) {
    let start = rig.drives.len();
    let tempting = [inputs, &[FULL_AHEAD()]].concat();
    for _ in 0..ms / 100 {
        rig.send(command(0.0, 0.0));
        rig.repeat(&tempting, 100);
    }
    assert!(rig.drives[start..].iter().all(|(_, motors)| motors.are_stopped()), "moved");
}

#[test]
fn h1_silence_stops_the_motors() {
    let mut rig = rig(&[]);
    rig.full_speed();
    // The last command was received 10 ms ago: stale at 500 ms, then 66 counts at 200 counts/s in 330 ms.
    rig.wait(480);
    assert_eq!(rig.levels(), [66, 66]);
    rig.wait(370);
    assert_eq!((rig.levels(), rig.last(), rig.state()), ([0, 0], [0, 0], StopState::Ok));
    assert!(rig.has(Cause::CommandStale));
}

#[test]
fn h2_a_command_that_is_not_finite_moves_nothing() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.repeat(&[not_finite()], 1_000);
    assert_eq!((rig.levels(), rig.hindbrain.counters().invalid), ([0, 0], 100));
    assert!(rig.has(Cause::CommandInvalid) && rig.has(Cause::CommandStale));
}

#[test]
fn h2_a_command_that_is_not_finite_does_not_keep_the_last_one_alive() {
    let mut rig = rig(&[]);
    rig.full_speed();
    rig.repeat(&[not_finite()], 850);
    assert_eq!(rig.levels(), [0, 0]);
}

#[test]
fn h3_release_of_the_estop_does_not_restart() {
    let mut rig = rig(&[]);
    rig.full_speed();
    rig.send(Input::EstopReceived(true));
    assert_eq!((rig.last(), rig.state()), ([0, 0], StopState::Estop));
    stays_stopped(&mut rig, 1_000, &[Input::EstopReceived(false)]);
    assert_eq!(rig.state(), StopState::Estop);
}

#[test]
fn h3_reset_does_not_restart_without_a_new_enable() {
    let mut rig = rig(&[]);
    rig.full_speed();
    rig.send(Input::EstopReceived(true));
    rig.send(Input::EstopReceived(false));
    rig.click_reset();
    assert_eq!(rig.state(), StopState::SoftRos);
    stays_stopped(&mut rig, 1_000, &[Input::EstopReceived(false), Input::EnableReceived(true)]);
    assert!(rig.has(Cause::NotArmed));
    rig.send(Input::EnableReceived(false));
    rig.ready();
    rig.repeat(&[FULL_AHEAD()], 100);
    assert!(rig.levels()[0] > 0);
}

#[test]
fn h3_a_jammed_reset_button_does_not_reset() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.send(Input::ResetReceived(true));
    rig.send(Input::EstopReceived(true));
    rig.send(Input::ResetReceived(true));
    rig.send(Input::EstopReceived(false));
    rig.repeat(&[Input::EstopReceived(false), Input::ResetReceived(true)], 200);
    assert_eq!(rig.state(), StopState::Estop, "held down");
    rig.send(Input::ResetReceived(false));
    assert_eq!(rig.state(), StopState::Estop, "it was down before the stop");
    rig.click_reset();
    assert_eq!(rig.state(), StopState::SoftRos);
}

#[test]
fn h3_reset_while_pressed_does_nothing() {
    let mut rig = rig(&[]);
    rig.send(Input::EstopReceived(true));
    rig.click_reset();
    rig.send(Input::ResetReceived(true));
    rig.send(Input::EstopReceived(false));
    rig.send(Input::ResetReceived(false));
    assert_eq!(rig.state(), StopState::Estop, "it went down while the e-stop was pressed");
}

#[test]
fn h4_a_silent_estop_counts_as_pressed() {
    let mut rig = rig(&[]);
    rig.first_estop();
    rig.ready();
    rig.repeat(&[Input::EstopReceived(false), FULL_AHEAD()], 1_000);
    assert!(rig.levels()[0] > 0);
    let start = rig.now;
    rig.repeat(&[FULL_AHEAD()], 270);
    assert_eq!((rig.state(), rig.last()), (StopState::Estop, [0, 0]));
    // The last message was received 10 ms before `start`: 250 ms of silence and at most a tick.
    let (at, _) = rig.states.iter().rfind(|(_, state)| *state == StopState::Estop).unwrap();
    assert!((240..=260).contains(&at.since(start).as_millis()), "{:?}", at.since(start));
    assert!(rig.has(Cause::EstopStale));
}

/// hindbrain was killed while its emergency stop waited for the reset: the button is released, and so is the first message.
#[test]
fn an_emergency_stop_from_before_the_start_waits_for_the_reset() {
    let mut rig = rig(&[]);
    rig.send(Input::EstopReceived(false));
    assert!(rig.has(Cause::EstopLatched));
    stays_stopped(
        &mut rig,
        500,
        &[
            Input::EstopReceived(false),
            Input::EnableReceived(false),
            Input::EnableReceived(true),
            command(0.0, 0.0),
        ],
    );
    assert_eq!(rig.state(), StopState::Estop);
    rig.click_reset();
    rig.send(Input::EnableReceived(false));
    rig.ready();
    // An e-stop that begins while the vehicle drives stops it.
    let mut rig = common::rig(&[]);
    rig.full_speed();
    rig.send(Input::EstopReceived(false));
    assert_eq!((rig.state(), rig.last()), (StopState::Estop, [0, 0]));
}

#[test]
fn h4_a_required_estop_that_was_never_received_counts_as_pressed() {
    let mut rig = rig(&[("estop.required", Value::Bool(true))]);
    assert_eq!(rig.state(), StopState::Estop);
    rig.click_reset();
    stays_stopped(&mut rig, 500, &[Input::EnableReceived(false), Input::EnableReceived(true)]);
    assert_eq!(rig.state(), StopState::Estop);
    rig.send(Input::EstopReceived(false));
    rig.click_reset();
    assert_eq!(rig.state(), StopState::SoftRos);
}

#[test]
fn h5_a_lease_that_lapses_requires_a_new_enable() {
    let mut rig = rig(&[("enable.lease", Value::Float(0.3))]);
    rig.ready();
    rig.repeat(&[Input::EnableReceived(true), FULL_AHEAD()], 1_000);
    assert!(rig.levels()[0] > 0);
    rig.repeat(&[FULL_AHEAD()], 320);
    assert_eq!((rig.state(), rig.levels()), (StopState::SoftRos, [0, 0]));
    assert!(rig.has(Cause::LeaseLapsed));
    stays_stopped(&mut rig, 500, &[Input::EnableReceived(true)]);
    rig.send(Input::EnableReceived(false));
    rig.ready();
}

#[test]
fn h5_disable_stops_at_once_and_disarms() {
    let mut rig = rig(&[]);
    rig.full_speed();
    let before = rig.now;
    rig.send(Input::EnableReceived(false));
    assert_eq!((rig.last(), rig.drives.last().unwrap().0), ([0, 0], before));
    assert_eq!(rig.state(), StopState::SoftRos);
    stays_stopped(&mut rig, 1_000, &[]);
}

#[test]
fn h6_a_fitted_sensor_that_is_silent_or_invalid_stops() {
    let fitted = [("ir.sensors", texts(&["ir_front_starboard"]))];
    let sees = |distance| Input::IrReceived { sensor: Sensor::FrontStarboard, distance, stamp: Stamp::ZERO };
    for what in [None, Some(None), Some(Some(f64::NAN)), Some(Some(0.1))] {
        let mut rig = rig(&fitted);
        rig.repeat(&[sees(Some(1.0))], 510);
        rig.ready();
        rig.repeat(&[sees(Some(1.0)), FULL_AHEAD()], 300);
        assert!(rig.levels()[0] > 0);
        let bad: Vec<Input> = what.map(sees).into_iter().chain([FULL_AHEAD()]).collect();
        rig.repeat(&bad, 520);
        assert_eq!((rig.state(), rig.levels()), (StopState::SoftIr, [0, 0]), "{what:?}");
    }
}

#[test]
fn h6_one_good_sensor_does_not_clear_the_other() {
    let mut rig = rig(&[("ir.sensors", texts(&["ir_front_port", "ir_front_starboard"]))]);
    rig.repeat(&[ir(Sensor::FrontPort, 1.0), ir(Sensor::FrontStarboard, 0.1)], 200);
    rig.ready();
    stays_stopped(
        &mut rig,
        500,
        &[ir(Sensor::FrontPort, 1.0), ir(Sensor::FrontStarboard, 0.1), FULL_AHEAD()],
    );
    assert_eq!(rig.state(), StopState::SoftIr);
}

#[test]
fn h6_the_vehicle_can_drive_away_after_a_zero() {
    let sensors = texts(&["ir_front_port", "ir_back_port"]);
    let mut rig = rig(&[("ir.sensors", sensors), ("track", Value::Float(2.0))]);
    let around = |front| [ir(Sensor::FrontPort, front), ir(Sensor::BackPort, 1.0)];
    let with = |front, input| [&around(front)[..], &[input]].concat();
    rig.repeat(&around(1.0), 510);
    rig.ready();
    rig.repeat(&with(1.0, FULL_AHEAD()), 300);
    assert!(rig.levels()[0] > 0);
    rig.repeat(&with(0.1, FULL_AHEAD()), 60);
    assert_eq!((rig.state(), rig.levels()), (StopState::SoftIr, [0, 0]), "blocked in front");
    rig.repeat(&with(0.1, command(-1.0, 0.0)), 500);
    assert_eq!((rig.state(), rig.levels()), (StopState::Ok, [0, 0]), "it may drive away, after a zero");
    assert!(rig.has(Cause::NeutralWait));
    rig.repeat(&with(0.1, command(0.0, 0.0)), 50);
    assert_eq!(rig.state(), StopState::Ok, "at rest before an obstacle it may drive away");
    rig.repeat(&with(0.1, command(0.0, 1.0)), 500);
    assert_eq!((rig.state(), rig.levels()), (StopState::SoftIr, [0, 0]), "a turn does not lead away");
    rig.repeat(&with(0.1, command(0.0, 0.0)), 50);
    // A stick that is not pulled back quite straight: both wheels reverse at the same speed.
    rig.repeat(&with(0.1, command(-1.0, 0.3)), 3_500);
    assert_eq!(rig.levels(), [-66, -66]);
    rig.repeat(&with(1.0, command(-1.0, 0.3)), 1_010);
    // -1300 and -700 over 1300: -66 and -35.54.
    assert!([[-66, -35], [-66, -36]].contains(&rig.levels()), "the turn is back once the front is clear");
}

#[test]
fn h6_an_infrared_stop_clears_by_itself_but_not_while_it_flickers() {
    let sensors = [("ir.sensors", texts(&["ir_front_port"]))];
    // In each 40 ms one, three or four of four readings are blocked.
    for (blocked, clears) in [(0, true), (1, false), (3, false), (4, false)] {
        let mut rig = rig(&sensors);
        rig.repeat(&[ir(Sensor::FrontPort, 1.0)], 510);
        rig.ready();
        rig.repeat(&[ir(Sensor::FrontPort, 1.0), FULL_AHEAD()], 300);
        assert!(rig.levels()[0] > 0);
        rig.send(ir(Sensor::FrontPort, 0.1));
        assert_eq!((rig.state(), rig.last()), (StopState::SoftIr, [0, 0]), "at once");
        for n in 0..300 {
            let distance = if n % 4 < blocked { 0.1 } else { 1.0 };
            let forward = if n % 2 == 0 { 0.0 } else { 1.0 };
            rig.repeat(&[ir(Sensor::FrontPort, distance), command(forward, 0.0)], 10);
            assert!(clears || rig.levels() == [0, 0], "{blocked} of 4 blocked");
        }
        rig.send(command(0.0, 0.0));
        rig.repeat(&[FULL_AHEAD()], 200);
        assert_eq!(rig.levels()[0] > 0, clears);
    }
}

#[test]
fn h7_one_snapshot_gives_one_state_and_its_causes() {
    let mut rig = rig(&[("ir.sensors", texts(&["ir_front_port", "ir_back_port"]))]);
    assert_eq!(rig.state(), StopState::SoftBoth, "with two silent sensors no direction is free");
    rig.send(Input::EnableReceived(true));
    rig.wait(20);
    assert_eq!(rig.state(), StopState::SoftIr);
    rig.repeat(&[ir(Sensor::FrontPort, 1.0), ir(Sensor::BackPort, 1.0)], 510);
    assert_eq!(rig.state(), StopState::Ok);
    let mut texts: Vec<&str> = rig.states.iter().map(|(_, state)| state.as_str()).collect();
    texts.dedup();
    assert_eq!(texts, ["SSTOP.BOTH", "SSTOP.IR", "OK"], "nothing in between");
}

#[test]
fn h8_a_zero_command_stops_ten_times_as_fast_as_it_started() {
    let mut rig = rig(&[]);
    rig.full_speed();
    rig.repeat(&[command(0.0, 0.0)], 320);
    assert_eq!(rig.levels()[0], 2, "66 - 320 ms at 200 counts/s");
    rig.repeat(&[command(0.0, 0.0)], 20);
    assert_eq!(rig.levels(), [0, 0]);
}

#[test]
fn h9_the_sign_changes_through_a_rest_at_zero() {
    let mut rig = rig(&[("accel", Value::Float(6600.0)), ("decel", Value::Float(6600.0))]);
    rig.ready();
    rig.repeat(&[FULL_AHEAD()], 100);
    assert_eq!(rig.levels(), [66, 66]);
    let start = rig.drives.len();
    for _ in 0..200 {
        rig.send(command(-1.0, 0.0));
        rig.wait(1);
    }
    let after = &rig.drives[start..];
    let zero = after.iter().position(|(_, motors)| motors.are_stopped()).unwrap();
    let reverse = after.iter().position(|(_, motors)| motors.levels()[0] < 0).unwrap();
    assert!(after[..zero].iter().all(|(_, motors)| motors.levels()[0] > 0));
    let rest = after[reverse].0.since(after[zero].0);
    assert!((20..=21).contains(&rest.as_millis()), "{rest:?}");
}

#[test]
fn a_setpoint_in_the_opposite_direction_brakes_as_a_zero_does() {
    let mut rig = rig(&[("accel", Value::Float(20.0)), ("decel", Value::Float(200.0))]);
    rig.full_speed();
    // 66 counts by 200 counts/s are 330 ms; by 20 counts/s they would be ten times as long.
    rig.repeat(&[command(-1.0, 0.0)], 340);
    assert!(rig.levels()[0] <= 0, "{:?}", rig.levels());
}

#[test]
fn h10_it_turns_in_place_to_the_left_and_in_reverse() {
    let reach = |forward, turn| {
        let mut rig = rig(&[("track", Value::Float(2.0))]);
        rig.ready();
        rig.repeat(&[command(forward, turn)], 4_000);
        rig.levels()
    };
    assert_eq!(reach(0.0, 1.0), [-66, 66]);
    // 250 and 750 thousandths of 66: one count more for half of the time.
    assert!([[16, 49], [17, 50]].contains(&reach(0.5, 0.25)));
    assert!([[-49, -16], [-50, -17]].contains(&reach(-0.5, 0.25)));
}

#[test]
fn h12_a_second_publisher_stops_until_it_is_gone() {
    let mut rig = rig(&[]);
    rig.full_speed();
    let two = publishers(SoleTopic::Command, 2, 0);
    rig.send(two.clone());
    assert_eq!((rig.last(), rig.state()), ([0, 0], StopState::SoftRos));
    stays_stopped(&mut rig, 1_000, &[two, Input::EnableReceived(true)]);
    assert!(rig.has(Cause::CommandConflict));
    rig.send(publishers(SoleTopic::Command, 1, 0));
    rig.send(command(0.0, 0.0));
    rig.repeat(&[FULL_AHEAD()], 100);
    assert!(rig.levels()[0] > 0, "zero first, no new enable");
}

#[test]
fn h13_motor_values_are_sent_at_a_fixed_rate_even_at_zero() {
    let mut rig = rig(&[]);
    rig.drives.clear();
    rig.wait(1_000);
    assert_eq!(rig.drives.len(), 50);
    assert!(rig.drives.iter().all(|(_, motors)| motors.are_stopped() && motors.stamp == Stamp::ZERO));
}

#[test]
fn h14_the_state_is_published_on_change_and_twice_a_second() {
    let mut rig = rig(&[]);
    assert_eq!(rig.states.len(), 1, "at start");
    rig.wait(2_000);
    assert_eq!(rig.states.len(), 1 + 4);
    rig.send(Input::EstopReceived(true));
    rig.send(Input::EstopReceived(true));
    assert_eq!(rig.states.len(), 1 + 4 + 1);
    let at: Vec<Instant> = rig.states.iter().map(|(at, _)| *at).collect();
    assert_eq!(at[5], rig.now);
}

#[test]
fn h15_the_documents_state_that_a_stop_is_not_a_safety_function() {
    for (readme, power) in [
        (include_str!("../../README.md"), "cut the power in hardware"),
        (include_str!("../../../../README.md"), "cut the motors' power in hardware"),
    ] {
        let words: String = readme.replace(['*', '>'], " ");
        let text = words.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("not a safety function"), "{}", &text[..80]);
        assert!(text.contains(power), "{}", &text[..80]);
    }
}

/// A switch that repeats enable, as a lease requires, must not start a hindbrain that was restarted meanwhile.
#[test]
fn h16_a_repeated_enable_does_not_arm_a_restarted_machine() {
    let mut rig = Rig::without_messages(params(&[]).unwrap());
    stays_stopped(&mut rig, 500, &[Input::EnableReceived(true), command(0.0, 0.0), command(1.0, 0.0)]);
    assert!(rig.has(Cause::NotArmed));
    rig.send(Input::EnableReceived(false));
    rig.ready();
    rig.repeat(&[Input::EnableReceived(true), command(1.0, 0.0)], 200);
    assert_ne!(rig.levels(), [0, 0], "it was received off and then on");
}

#[test]
fn h16_a_restarted_machine_needs_an_edge() {
    let mut rig = rig(&[]);
    stays_stopped(&mut rig, 500, &[]);
    assert_eq!(rig.state(), StopState::SoftRos);
    rig.send(Input::EstopReceived(true));
    rig.send(Input::EnableReceived(true));
    rig.send(Input::EstopReceived(false));
    rig.click_reset();
    stays_stopped(&mut rig, 500, &[Input::EstopReceived(false), Input::EnableReceived(true)]);
    assert!(rig.has(Cause::NotArmed), "an edge during the e-stop does not count");
}
