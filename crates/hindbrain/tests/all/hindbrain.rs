//! The machine around the core: when outputs are sent, late and old commands, faults.

use crate::common;

use common::{command, ir, not_finite, params, rig, stamped, texts};
use hindbrain::core::Latch;
use hindbrain::{Cause, Hindbrain, Input, Level, Motors, Output, Params, Sensor, StopState};
use params::Value;
use safety::{Instant, Machine, Stamp};

fn stamp(sec: i32) -> Stamp {
    Stamp { sec, nanosec: 0 }
}

#[test]
fn the_first_output_is_a_stop() {
    let mut hindbrain = Hindbrain::new(Params::default());
    let now = Instant::from_millis(123_456);
    assert!(hindbrain.deadline().is_some_and(|at| at <= now));
    assert_eq!(hindbrain.poll(now), Some(Output::Drive(Motors::stop(Stamp::ZERO))));
    assert_eq!(hindbrain.poll(now), Some(Output::PublishState(StopState::SoftRos)));
    assert!(matches!(hindbrain.poll(now), Some(Output::PublishDetail(_))));
    assert!(matches!(hindbrain.poll(now), Some(Output::Report(_))));
    assert_eq!(hindbrain.poll(now), None);
    assert_eq!(hindbrain.deadline(), Some(Instant::from_millis(123_476)));
}

#[test]
fn a_fast_stream_gets_one_output_per_command() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.drives.clear();
    for n in 1..=200 {
        rig.send(stamped(1.0, 0.0, stamp(n)));
        rig.wait(5);
    }
    assert_eq!(rig.drives.len(), 200);
    // Each output has the stamp of its command.
    assert!(rig.drives.iter().zip(1..).all(|((_, motors), n)| motors.stamp == stamp(n)));
    // One second at 20 counts/s, less the 5 ms after the last command.
    assert_eq!(rig.last(), [19, 19]);
}

#[test]
fn a_slow_stream_is_filled_up_with_ticks() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.drives.clear();
    for _ in 0..10 {
        rig.send(command(1.0, 0.0));
        rig.wait(99);
    }
    // 99 ms: the command, then ticks at 20, 40, 60 and 80 ms after it.
    assert_eq!(rig.drives.len(), 10 * 5);
}

#[test]
fn a_stop_is_sent_at_once() {
    for stop in [Input::EstopReceived(true), Input::EnableReceived(false), Input::Stopping] {
        let mut rig = rig(&[]);
        rig.full_speed();
        rig.wait(3);
        let count = rig.drives.len();
        rig.send(stop);
        assert_eq!((rig.drives.len(), rig.last()), (count + 1, [0, 0]));
        assert_eq!(rig.drives[count].0, rig.now);
    }
}

#[test]
fn a_stop_by_a_sensor_is_sent_at_once() {
    let mut rig = rig(&[("ir.sensors", texts(&["ir_front_port"]))]);
    rig.repeat(&[ir(Sensor::FrontPort, 1.0)], 510);
    rig.ready();
    rig.repeat(&[ir(Sensor::FrontPort, 1.0), command(1.0, 0.0)], 500);
    rig.wait(3);
    let count = rig.drives.len();
    rig.send(ir(Sensor::FrontPort, 0.1));
    assert_eq!((rig.drives.len(), rig.last(), rig.state()), (count + 1, [0, 0], StopState::SoftIr));
    rig.send(ir(Sensor::FrontPort, 0.1));
    assert_eq!(rig.drives.len(), count + 1, "nothing changed");
}

#[test]
fn after_stopping_nothing_moves() {
    let mut rig = rig(&[]);
    rig.full_speed();
    rig.send(Input::Stopping);
    let count = rig.drives.len();
    rig.send(Input::EnableReceived(true));
    rig.send(command(1.0, 0.0));
    rig.send(Input::Stopping);
    rig.wait(1_000);
    assert_eq!((rig.drives.len(), rig.hindbrain.deadline()), (count, None));
    assert!(rig.has(Cause::Stopping));
    assert_eq!(rig.states.last().unwrap().1, StopState::SoftRos);
}

#[test]
fn stopping_hides_no_estop() {
    let mut rig = rig(&[]);
    rig.send(Input::EstopReceived(true));
    rig.send(Input::Stopping);
    assert_eq!((rig.state(), rig.states.last().unwrap().1), (StopState::Estop, StopState::Estop));
}

#[test]
fn a_stall_does_not_make_a_larger_step() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.repeat(&[command(1.0, 0.0)], 1_000);
    let [before, _] = rig.levels();
    rig.stall(190);
    rig.send(command(1.0, 0.0));
    // One tick at 20 counts/s is 0.4 counts.
    assert!((0..=1).contains(&(rig.levels()[0] - before)));
    assert_eq!(rig.state(), StopState::Ok);
}

#[test]
fn a_long_stall_while_driving_is_a_fault_that_waits_for_a_reset() {
    let mut rig = rig(&[]);
    rig.full_speed();
    rig.stall(501);
    rig.send(command(1.0, 0.0));
    assert_eq!((rig.state(), rig.last()), (StopState::Fault, [0, 0]));
    assert!(rig.has(Cause::Overrun));
    assert_eq!(rig.states.last().unwrap().1.as_str(), "ESTOP");
    assert_eq!(rig.hindbrain.health().0, Level::Error);
    assert_eq!((rig.hindbrain.counters().faults, rig.hindbrain.counters().overruns), (1, 1));
    rig.wait(50); // a click that was queued meanwhile would not count
    rig.click_reset();
    assert_eq!(rig.state(), StopState::SoftRos);
}

#[test]
fn a_long_stall_while_stopped_is_not_a_fault() {
    let mut rig = rig(&[]);
    rig.stall(60_000);
    rig.drain();
    assert_eq!((rig.state(), rig.hindbrain.counters().overruns), (StopState::SoftRos, 1));
}

#[test]
fn an_earlier_instant_counts_as_the_latest() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.repeat(&[command(1.0, 0.0)], 400);
    let levels = rig.levels();
    for _ in 0..100 {
        rig.hindbrain.handle(Instant::ZERO, command(1.0, 0.0));
    }
    assert!(matches!(rig.hindbrain.poll(Instant::ZERO), Some(Output::Drive(_))));
    rig.hindbrain.handle(Instant::ZERO, command(1.0, 0.0));
    assert_eq!(rig.levels(), levels);
    rig.send(command(1.0, 0.0));
    assert_eq!((rig.state(), rig.hindbrain.counters().overruns), (StopState::Ok, 0));
}

#[test]
fn stops_that_are_not_polled_are_not_lost() {
    let mut rig = rig(&[]);
    rig.full_speed();
    for _ in 0..1_000 {
        rig.hindbrain.handle(rig.now, Input::EnableReceived(false));
        rig.hindbrain.handle(rig.now, command(1.0, 0.0));
        rig.hindbrain.handle(rig.now, Input::EnableReceived(true));
        rig.hindbrain.handle(rig.now, Input::EstopReceived(true));
    }
    rig.drain();
    assert_eq!((rig.last(), rig.states.last().unwrap().1), ([0, 0], StopState::Estop));
}

#[test]
fn pending_outputs_are_due_now() {
    let mut hindbrain = Hindbrain::new(Params::default());
    let mut now = Instant::from_millis(1_000);
    for n in 0..600 {
        // Refusals once a second without a change of the causes, commands, states every half second.
        match n % 120 {
            0 => hindbrain.handle(now, not_finite()),
            1 => hindbrain.handle(now, command(0.0, 0.0)),
            60 => hindbrain.handle(now, Input::EstopReceived(n > 300)),
            61..70 => hindbrain.handle(now, not_finite()),
            _ => {}
        }
        loop {
            let is_due = hindbrain.deadline().is_some_and(|at| at <= now);
            assert_eq!(is_due, hindbrain.clone().poll(now).is_some(), "at {now:?}");
            if hindbrain.poll(now).is_none() {
                break;
            }
        }
        now = now + core::time::Duration::from_millis(10);
    }
}

#[test]
fn outputs_are_counted() {
    let mut rig = rig(&[]);
    rig.repeat(&[command(0.0, 0.0)], 100);
    assert_eq!(rig.hindbrain.counters().drives, rig.drives.len() as u64);
    assert_eq!(rig.hindbrain.counters().commands, 10);
}

#[test]
fn stopping_keeps_the_reason_of_a_fault() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.send(Input::Unwatched);
    rig.send(Input::Stopping);
    assert_eq!(rig.state(), StopState::Fault);
    assert!(rig.has(Cause::Overrun) && rig.has(Cause::Stopping));
    let core = rig.hindbrain.core();
    assert_eq!((core.stop, core.latch, core.overrun), (StopState::Fault, Some(Latch::Fault), true));
}

#[test]
fn a_changed_parameter_takes_effect_at_once() {
    let mut rig = rig(&[]);
    let faster = params(&[("accel", Value::Float(200.0)), ("wheel_speed", Value::Float(2.0))]).unwrap();
    rig.send(Input::ParametersChanged(faster));
    rig.ready();
    rig.repeat(&[command(1.0, 0.0)], 1_000);
    assert_eq!(rig.levels(), [33, 33]);
}

#[test]
fn a_longer_timeout_does_not_restore_a_stale_command() {
    let mut rig = rig(&[]);
    rig.full_speed();
    rig.wait(850);
    assert_eq!(rig.levels(), [0, 0]);
    rig.send(Input::EnableReceived(false));
    rig.send(Input::ParametersChanged(params(&[("cmd_timeout", Value::Float(2.0))]).unwrap()));
    rig.send(Input::EnableReceived(true));
    rig.wait(500);
    assert_eq!(rig.levels(), [0, 0]);
}

#[test]
fn the_stop_is_explained() {
    let mut rig = rig(&[]);
    assert_eq!(rig.reports[0].to_string(), "SSTOP.ROS: not enabled, no fresh command");
    assert_eq!(rig.hindbrain.health(), (Level::Ok, "SSTOP.ROS: not enabled, no fresh command".into()));
    rig.ready();
    assert_eq!(rig.hindbrain.health(), (Level::Ok, "OK".into()));
    let mut waits = common::rig(&[]);
    waits.send(Input::EnableReceived(true));
    waits.wait(20);
    waits.send(command(1.0, 0.0));
    assert_eq!(waits.hindbrain.health(), (Level::Ok, "OK: waits for a zero command".into()));
    rig.wait(500);
    assert_eq!(rig.hindbrain.health(), (Level::Ok, "OK: no fresh command".into()));
    rig.send(Input::EstopReceived(true));
    assert_eq!(rig.hindbrain.health().0, Level::Warn);
    rig.send(Input::EstopReceived(false));
    rig.wait(300);
    assert_eq!(rig.hindbrain.health().0, Level::Error, "a silent e-stop");
    assert!(rig.hindbrain.report().contains(&("estops", "1".into())));
}

#[test]
fn readings_of_sensors_that_are_not_fitted_have_no_effect() {
    let mut rig = rig(&[("ir.sensors", texts(&["ir_back_port"]))]);
    rig.send(ir(Sensor::FrontPort, 0.0));
    rig.ready();
    assert_eq!(rig.hindbrain.counters().unfitted, 1);
    assert!(!rig.has(Cause::FrontBlocked) && rig.has(Cause::BackBlocked));
    assert!(
        rig.hindbrain.report().iter().any(|(key, value)| *key == "ir_back_port" && value == "silent, blocks")
    );
}

#[test]
fn parameters_do_not_change_while_something_moves_or_could() {
    let mut rig = rig(&[]);
    rig.ready();
    assert!(!rig.hindbrain.accepts_parameters());
    rig.send(Input::ParametersChanged(params(&[("cmd_timeout", Value::Float(2.0))]).unwrap()));
    assert_eq!(*rig.hindbrain.params(), Params::default());
    rig.send(Input::EnableReceived(false));
    assert!(rig.hindbrain.accepts_parameters());
}

#[test]
fn a_suspended_computer_wakes_up_to_a_fault() {
    let mut rig = rig(&[]);
    rig.full_speed();
    rig.stall(8 * 3_600_000);
    rig.send(command(1.0, 0.0));
    assert_eq!((rig.state(), rig.last()), (StopState::Fault, [0, 0]));
    assert!(rig.has(Cause::CommandStale), "a queued command is as old as the suspend");
}
