//! Which commands count: old ones, repeated ones, refused ones.

#![allow(clippy::unwrap_used)] // clippy takes helpers of tests for production code

use crate::common;

use common::{Rig, command, not_finite, rig, stamped, text, texts};
use hindbrain::{Cause, Input, Refused, Sensor, StopState};
use params::Value;
use safety::{ClockReading, Command, NotFinite, Stamp, Velocity};
use why::Explain;

fn stamp(sec: i32) -> Stamp {
    Stamp { sec, nanosec: 0 }
}

#[test]
fn an_older_command_is_refused_while_the_newer_one_is_fresh() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.send(stamped(0.0, 0.0, stamp(10)));
    rig.repeat(&[stamped(1.0, 0.0, stamp(9))], 450);
    assert_eq!((rig.levels(), rig.hindbrain.counters().late), ([0, 0], 45));
    assert_eq!(rig.hindbrain.motors().stamp, stamp(10));
    rig.wait(50);
    rig.send(stamped(0.0, 0.0, stamp(8)));
    rig.repeat(&[stamped(1.0, 0.0, stamp(9))], 200);
    assert!(rig.levels()[0] > 0, "a clock that was set back costs one time-out");
}

#[test]
fn a_command_without_a_stamp_counts_from_its_receipt() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.send(stamped(0.0, 0.0, stamp(10)));
    rig.repeat(&[command(1.0, 0.0)], 200);
    assert!(rig.levels()[0] > 0);
}

#[test]
fn the_motors_carry_the_stamp_of_their_command_and_a_plain_twist_that_of_its_receipt() {
    for (kind, is_plain) in [("twist", true), ("twist_stamped", false)] {
        let mut rig = rig(&[("cmd_vel_type", text(kind))]);
        rig.read_clock();
        rig.wait(30);
        let earlier = rig.wall(-10);
        rig.send(stamped(0.0, 0.0, earlier));
        assert_eq!(rig.drives.last().unwrap().1.stamp, earlier, "{kind}");
        rig.wait(70);
        rig.send(command(0.0, 0.0));
        let expected = if is_plain { rig.wall(0) } else { Stamp::ZERO };
        assert_eq!(rig.drives.last().unwrap().1.stamp, expected, "{kind}");
    }
}

#[test]
fn a_refused_command_sends_no_motor_values() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.send(stamped(0.0, 0.0, stamp(10)));
    let count = rig.drives.len();
    rig.send(stamped(1.0, 0.0, stamp(9)));
    rig.send(not_finite());
    assert_eq!(rig.drives.len(), count);
}

#[test]
fn a_repeated_stamp_is_not_late() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.repeat(&[stamped(1.0, 0.0, stamp(10))], 100);
    assert_eq!((rig.hindbrain.counters().late, rig.hindbrain.counters().commands), (0, 1 + 10));
}

#[test]
fn an_older_stamp_counts_from_the_moment_the_newer_one_is_stale() {
    for (wait, late) in [(499, 1), (500, 0)] {
        let mut rig = rig(&[]);
        rig.ready();
        rig.send(stamped(0.0, 0.0, stamp(10)));
        rig.wait(wait);
        rig.send(stamped(1.0, 0.0, stamp(9)));
        assert_eq!(rig.hindbrain.counters().late, late, "after {wait} ms");
    }
}

#[test]
fn a_refused_command_is_reported_at_once_and_then_once_a_second() {
    let mut rig = rig(&[]);
    rig.repeat(&[not_finite()], 2_500);
    assert_eq!((rig.refusals.len(), rig.hindbrain.counters().invalid), (3, 250));
    assert_eq!(rig.refusals[0].to_string(), "linear.x is NaN, must be finite");
    rig.wait(1_000);
    assert_eq!(rig.refusals.len(), 3, "nothing was received");
    // The default of full speed is 1 m/s.
    rig.send(command(100.1, 0.0));
    assert_eq!(rig.refusals[3].to_string(), "linear.x is 1.001e2, must be from -100 to 100 m/s");
    assert_eq!(rig.hindbrain.counters().commands, 0);
}

#[test]
fn the_timeout_of_a_command_is_shortened_by_its_age() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.read_clock();
    let command = rig.stamped_at(0.0, -100);
    rig.send(command);
    assert_eq!(rig.hindbrain.counters().commands, 2);
    assert!(!rig.has(Cause::CommandStale));
    rig.wait(399);
    assert!(!rig.has(Cause::CommandStale));
    rig.wait(1);
    assert!(rig.has(Cause::CommandStale), "100 ms in transit and 400 ms here");
}

#[test]
fn a_command_that_is_stale_at_its_receipt_is_refused() {
    for (ms, commands) in [(499, 1), (500, 0), (60_000, 0)] {
        let mut rig = rig(&[]);
        rig.read_clock();
        let command = rig.stamped_at(1.0, -ms);
        rig.send(command);
        assert_eq!(
            (rig.hindbrain.counters().commands, rig.hindbrain.counters().invalid),
            (commands, 1 - commands)
        );
        assert_eq!(rig.has(Cause::CommandStale), commands == 0);
    }
    let mut rig = rig(&[]);
    rig.read_clock();
    let command = rig.stamped_at(1.0, -600);
    rig.send(command);
    let refused = rig.refusals[0];
    assert_eq!((refused.part, refused.value, refused.most), ("header.stamp", -0.6, Some(0.5)));
}

/// The stamps of stops that are stale, in milliseconds from now.
const STALE: [i64; 3] = [-500, -60_000, 3_600_000];

#[test]
fn a_stop_is_never_too_late() {
    for ms in STALE {
        let mut rig = rig(&[]);
        rig.ready();
        rig.read_clock();
        for _ in 0..30 {
            let command = rig.stamped_at(1.0, 0);
            rig.send(command);
            rig.wait(10);
        }
        let (level, count) = (rig.levels()[0], rig.drives.len());
        // 20 counts/s for 300 ms, and braking at 200 counts/s takes a tenth of that.
        assert!(level >= 5, "{level}");
        let stop = rig.stamped_at(0.0, ms);
        rig.send(stop);
        assert_eq!((rig.hindbrain.counters().late, rig.hindbrain.counters().invalid), (1, 0), "{ms} ms");
        assert!(rig.drives.len() > count && rig.has(Cause::CommandStale), "{ms} ms");
        rig.wait(60);
        assert_eq!(rig.levels(), [0, 0], "{ms} ms");
        for (forward, moves) in [(1.0, false), (0.0, false), (1.0, true)] {
            let command = rig.stamped_at(forward, 0);
            rig.send(command);
            rig.wait(100);
            assert_eq!(rig.levels()[0] > 0, moves, "{ms} ms: a stale stop does not allow motion");
        }
    }
}

/// Stamps advance all the while, so by them alone each command is fresh.
#[test]
fn without_a_time_stamped_commands_stop_and_a_zero_comes_first() {
    let mut rig = rig(&[]);
    rig.ready();
    let drive = |rig: &mut Rig, forward, is_reliable, count| {
        for _ in 0..count {
            let reading = ClockReading { stamp: rig.wall(0), is_reliable };
            let command = rig.stamped_at(forward, 0);
            rig.send(Input::ClockRead(reading));
            rig.send(command);
            rig.wait(10);
        }
        rig.levels()[0]
    };
    assert!(drive(&mut rig, 1.0, true, 30) >= 5);
    assert!(drive(&mut rig, 1.0, false, 50) > 0, "the last one counts for its time");
    assert_eq!(rig.refusals[0].to_string(), Refused::NO_TIME.to_string());
    assert_eq!(drive(&mut rig, 1.0, false, 10), 0);
    assert!(rig.has(Cause::CommandStale) && rig.has(Cause::CommandInvalid));
    drive(&mut rig, 0.0, false, 10);
    assert_eq!(drive(&mut rig, 1.0, true, 30), 0, "a zero without a time allows no motion");
    drive(&mut rig, 0.0, true, 1);
    assert!(drive(&mut rig, 1.0, true, 30) > 0);
    let zero = rig.stamped_at(0.0, 0);
    rig.send(Input::ClockRead(ClockReading { stamp: rig.wall(0), is_reliable: false }));
    rig.send(zero);
    assert!(rig.has(Cause::CommandStale), "a zero stops without a time");
    rig.send(command(0.0, 0.0));
    rig.repeat(&[command(1.0, 0.0)], 100);
    assert!(rig.levels()[0] > 0, "a command without a stamp needs no time");
}

#[test]
fn without_a_time_a_measurement_with_a_stamp_clears_nothing() {
    let mut rig = rig(&[("ir.sensors", texts(&["ir_front_port"]))]);
    let clear =
        |rig: &Rig| Input::IrReceived { sensor: Sensor::FrontPort, distance: Some(1.0), stamp: rig.wall(0) };
    for is_reliable in [true, false] {
        rig.send(Input::ClockRead(ClockReading { stamp: rig.wall(0), is_reliable }));
        let measured = clear(&rig);
        rig.send(measured);
        assert_eq!(rig.has(Cause::IrInvalid), !is_reliable);
    }
}

#[test]
fn an_overtaken_stop_ends_the_command_that_overtook_it() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.repeat(&[stamped(1.0, 0.0, stamp(10))], 300);
    rig.send(stamped(0.0, 0.0, stamp(9)));
    rig.wait(60);
    assert_eq!((rig.levels(), rig.hindbrain.counters().late), ([0, 0], 1));
}

#[test]
fn a_stop_that_is_too_late_does_not_allow_motion() {
    for ms in STALE {
        let mut rig = rig(&[]);
        rig.send(Input::EnableReceived(true));
        rig.wait(100);
        rig.read_clock();
        let stop = rig.stamped_at(0.0, ms);
        rig.send(stop);
        rig.repeat(&[command(1.0, 0.0)], 200);
        assert_eq!(rig.levels(), [0, 0], "{ms} ms: its age is not known");
        rig.send(command(0.0, 0.0));
        rig.repeat(&[command(1.0, 0.0)], 200);
        assert!(rig.levels()[0] > 0);
    }
}

#[test]
fn a_command_from_the_future_is_refused() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.read_clock();
    rig.send(command(1.0, 0.0));
    let count = rig.drives.len();
    let ahead = rig.stamped_at(1.0, 2_000);
    rig.send(ahead);
    assert_eq!((rig.drives.len(), rig.hindbrain.counters().invalid), (count, 1));
    let refused = rig.refusals[0];
    assert_eq!((refused.part, refused.value, refused.most), ("header.stamp", 2.0, Some(0.1)));
    rig.wait(500);
    assert!(rig.has(Cause::CommandStale), "it does not keep the command in force");
}

#[test]
fn after_a_lost_command_motion_requires_a_zero() {
    // Silence, a zero in between, and silence after a zero: nothing moves until a zero is received.
    for last in [1.0, 0.0] {
        let mut rig = rig(&[]);
        rig.ready();
        rig.repeat(&[command(1.0, 0.0)], 300);
        rig.send(command(last, 0.0));
        rig.wait(5_000);
        assert!(rig.has(Cause::CommandStale));
        rig.repeat(&[command(1.0, 0.0)], 1_000);
        assert_eq!(rig.levels(), [0, 0], "it started by itself");
        assert!(rig.has(Cause::NeutralWait));
        rig.send(command(0.0, 0.0));
        rig.repeat(&[command(1.0, 0.0)], 100);
        assert!(rig.levels()[0] > 0);
    }
}

#[test]
fn a_neutral_command_moves_nothing_also_after_a_silence() {
    for max in [1.0, 0.1] {
        let mut rig = rig(&[("wheel_speed", Value::Float(max)), ("track", Value::Float(2.0))]);
        rig.ready();
        for (forward, turn) in [(0.02, 0.0), (-0.02, 0.0), (0.0, 0.05), (0.02, -0.05)] {
            rig.repeat(&[command(forward, turn)], 1_000);
            rig.wait(1_000);
            rig.repeat(&[command(forward, turn)], 1_000);
            assert_eq!(rig.state(), StopState::Ok);
            assert!(rig.drives.iter().all(|(_, motors)| motors.levels() == [0, 0]), "{max} {forward} {turn}");
        }
    }
    let mut rig = rig(&[("wheel_speed", Value::Float(0.1)), ("track", Value::Float(0.2))]);
    rig.ready();
    // 0.021 of 0.1 are 13.86 counts.
    rig.repeat(&[command(0.021, 0.0)], 2_000);
    let [port, starboard] = rig.levels();
    assert!(port == starboard && [13, 14].contains(&port), "{port} {starboard}");
}

#[test]
fn the_stamp_of_an_implausible_command_is_ignored() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.read_clock();
    let beyond = rig.stamped_at(1_000.0, 50);
    rig.send(beyond);
    assert!(rig.has(Cause::CommandInvalid));
    let command = rig.stamped_at(1.0, 0);
    rig.send(command);
    assert_eq!((rig.hindbrain.counters().late, rig.has(Cause::CommandInvalid)), (0, false));
    // Refused as implausible, not as overtaken.
    let beyond = rig.stamped_at(1_000.0, -10);
    rig.send(beyond);
    assert!(rig.has(Cause::CommandInvalid));
}

#[test]
fn a_command_is_a_zero_only_if_every_part_is_neutral() {
    let mut rig = rig(&[]);
    rig.send(Input::EnableReceived(true));
    rig.wait(20);
    let sideways = Velocity::new([0.0, 0.5, 0.0], [0.0; 3]).unwrap();
    rig.repeat(&[Input::CommandReceived(Ok(Command::new(sideways, Stamp::ZERO)))], 100);
    assert!(rig.has(Cause::NeutralWait) && rig.levels() == [0, 0]);
    rig.send(Input::CommandReceived(Err(NotFinite { part: "linear.y", value: f64::NAN })));
    assert!(rig.has(Cause::CommandInvalid));
    assert_eq!(rig.refusals[0].to_string(), "linear.y is NaN, must be finite");
}

/// Half a meter per second to the left, as for a base with mecanum wheels, beside what it can follow.
#[test]
fn a_part_that_two_driven_sides_cannot_follow_is_reported_once_a_second() {
    let mut rig = rig(&[]);
    rig.ready();
    let mut repeat = |linear: [f64; 3], ms: u64| {
        let velocity = Velocity::new(linear, [0.0; 3]).unwrap();
        let reported = rig.dropped.len();
        for _ in 0..ms / 20 {
            rig.send(Input::CommandReceived(Ok(Command::new(velocity, Stamp::ZERO))));
            rig.wait(20);
        }
        let found = rig.hindbrain.explain().findings.first(|_| true);
        let health = rig.hindbrain.health().1;
        (rig.dropped.len() - reported, health, found.map(|found| found.sentence()), rig.levels() != [0, 0])
    };
    let (reports, health, ..) = repeat([0.0, 0.02, -0.02], 500);
    assert_eq!((reports, health.as_str()), (0, "OK"), "within a zero");
    let named =
        "OK: only linear.x and angular.z are followed: linear.y is 5e-1, must be from -0.02 to 0.02 m/s";
    let sentence =
        "cmd_vel asks for linear.y, which two driven sides cannot do. Send linear.x and angular.z.";
    assert_eq!(repeat([0.0, 0.5, 0.0], 2_500), (3, named.into(), Some(sentence.into()), false));
    assert_eq!(repeat([0.5, 0.5, 0.0], 1_000), (1, named.into(), None, true), "it moves");
    rig.wait(1_000);
    assert!(rig.has(Cause::CommandStale) && !rig.hindbrain.health().1.contains("linear.y"));
}
