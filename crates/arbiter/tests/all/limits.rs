//! Limits and the hand-over from one source to another.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use crate::common;

use arbiter::{Input, Invalid, Lock, Params, Verdict, specification};
use common::{Bench, HIGH, LOW, WITHHELD, at, command, go, lock, params, stamp};
use params::Value;
use proptest::prelude::*;
use safety::{Command, Machine, Stamp, Velocity};

/// The two sources with these parameters.
fn with(overrides: &[(&str, f64)], locks: Vec<Lock>) -> Params {
    let overrides = overrides.iter().map(|&(name, value)| (name.to_owned(), Value::Float(value)));
    let read = Params::read(&specification().resolve(overrides).unwrap()).unwrap();
    Params { limits: read.limits, ..params(locks) }
}

/// 1 m/s² up, 2 m/s² down.
fn slopes() -> Params {
    with(&[("limits.linear.x.acceleration", 1.0), ("limits.linear.x.deceleration", 2.0)], vec![])
}

fn close(got: &[Command], forward: f64, sec: i32) {
    let [command] = got else { panic!("one command, not {got:?}") };
    assert!((command.velocity.forward() - forward).abs() < 1e-9, "{command:?}, not {forward}");
    assert_eq!(command.stamp, stamp(sec));
}

#[test]
fn a_command_is_sent_at_once_and_reached_on_the_grid() {
    let mut bench = Bench::with(slopes());
    // From rest the velocity is still zero in the call that receives it; the grid of 50 Hz follows.
    close(&bench.command(7, LOW, 0.03, 1), 0.0, 1);
    assert_eq!(bench.0.deadline(), Some(at(20)));
    assert_eq!(bench.at(19), []);
    close(&bench.at(20), 0.013, 1); // 13 ms at 1 m/s²
    close(&bench.command(30, LOW, 0.03, 2), 0.023, 2); // between the points of the grid as well
    close(&bench.at(40), 0.03, 2); // 33 ms would exceed it: it is reached
    assert_eq!(bench.at(529), [], "it is not repeated");
    assert_eq!(bench.at(530), [Command::STOP], "its source is lost");
}

#[test]
fn a_late_poll_returns_the_velocity_of_its_own_time() {
    let mut bench = Bench::with(slopes());
    bench.command(0, LOW, 1.0, 1);
    close(&bench.poll(75), 0.075, 1);
    assert_eq!(bench.0.deadline(), Some(at(80)));
}

#[test]
fn a_hand_over_begins_with_the_present_velocity() {
    let mut bench = Bench::with(slopes());
    bench.command(0, LOW, 0.2, 1);
    bench.at(299);
    close(&bench.command(300, HIGH, -0.1, 2), 0.2, 2);
    close(&bench.at(320), 0.16, 2); // down by 2 m/s²
    bench.at(399);
    close(&bench.at(400), 0.0, 2);
    close(&bench.at(420), -0.02, 2); // and up again, in the other direction
    assert_eq!(bench.verdicts(), [Verdict::Outranked { by: HIGH }, Verdict::Drives]);
    assert_eq!(bench.0.counters().taken_over, 1);
}

#[test]
fn a_safety_stop_never_ramps() {
    let guard = || with(&[("limits.linear.x.deceleration", 0.1)], vec![lock(50)]);
    let driving = || {
        let mut bench = Bench::opened(guard());
        bench.lock(150, false);
        close(&bench.command(150, LOW, 1.0, 1), 1.0, 1);
        bench
    };
    assert_eq!(driving().lock(160, true), [WITHHELD]);
    assert_eq!(driving().command(160, LOW, f64::NAN, 2), [WITHHELD]);
    let mut bench = driving();
    assert_eq!((bench.at(349), bench.at(350)), (vec![], vec![WITHHELD]), "the lock is silent");
    assert_eq!(driving().on(160, Input::Stopping), [WITHHELD]);
    let mut bench = Bench::with(with(&[("limits.linear.x.deceleration", 0.1)], vec![]));
    bench.command(0, LOW, 1.0, 1);
    assert_eq!(bench.at(500), [Command::STOP], "the source is silent");
    let mut gone = bench.0.params().clone();
    bench.command(510, LOW, 0.0, 2);
    bench.command(510, LOW, 1.0, 3);
    gone.sources.remove(LOW);
    assert_eq!(bench.on(520, Input::ParametersChanged(gone)), [Command::STOP]);
}

#[test]
fn after_a_safety_stop_the_ramp_begins_at_rest() {
    let mut bench = Bench::with(slopes());
    bench.command(0, HIGH, 0.1, 1);
    bench.command(400, HIGH, 0.1, 2);
    bench.at(409);
    assert_eq!(bench.command(410, HIGH, f64::NAN, 3), [WITHHELD]);
    assert_eq!(bench.0.deadline(), Some(at(510)), "the heartbeat; the ramp is complete");
    bench.command(415, LOW, 0.0, 4);
    close(&bench.command(420, LOW, 0.1, 5), 0.0, 5);
    close(&bench.at(440), 0.02, 5);
}

#[test]
fn a_zero_brakes_with_the_emergency_deceleration() {
    let mut bench = Bench::with(with(
        &[("limits.linear.x.deceleration", 2.0), ("limits.linear.x.emergency", 5.0)],
        vec![],
    ));
    bench.command(0, LOW, 0.5, 1);
    close(&bench.command(20, HIGH, 0.0, 2), 0.5, 2);
    close(&bench.at(40), 0.4, 2); // 20 ms at 5 m/s²
    close(&bench.command(50, HIGH, 0.0, 3), 0.35, 3);
}

#[test]
fn without_an_emergency_deceleration_a_zero_stops_at_once() {
    let mut bench = Bench::with(slopes());
    bench.command(0, LOW, 0.5, 1);
    bench.at(409);
    close(&bench.command(410, HIGH, 0.0, 2), 0.0, 2);
    assert_eq!(bench.at(420), []);
}

#[test]
fn a_velocity_is_clamped() {
    let bounds = [("limits.linear.x.min", -0.2), ("limits.linear.x.max", 0.5), ("limits.angular.z.max", 0.0)];
    let mut bench = Bench::with(with(&bounds, vec![]));
    for (sec, (setpoint, forward)) in
        [(2.0, 0.5), (-2.0, -0.2), (0.3, 0.3), (0.049, 0.049)].into_iter().enumerate()
    {
        close(&bench.command(sec as u64, LOW, setpoint, 1 + sec as i32), forward, 1 + sec as i32);
    }
    let velocity = Ok(Velocity::planar(0.3, 1.0).unwrap());
    let [command] = bench.on(9, Input::command(LOW, velocity, stamp(9)))[..] else { panic!("one command") };
    assert_eq!(command.velocity, Velocity::planar(0.3, 0.0).unwrap());
}

#[test]
fn other_limits_take_effect_at_once_and_without_a_step() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 1.0, 1);
    let slow = with(&[("limits.linear.x.max", 0.5), ("limits.linear.x.deceleration", 1.0)], vec![]);
    close(&bench.on(10, Input::ParametersChanged(slow.clone())), 1.0, 1);
    close(&bench.at(20), 0.99, 1);
    assert_eq!(bench.on(21, Input::ParametersChanged(slow.clone())), [], "nothing changed");
    assert_eq!(bench.0.deadline(), Some(at(40)));
    assert_eq!(
        bench.on(35, Input::ParametersChanged(params(vec![]))),
        [go(1.0, 1)],
        "all off: the command passes"
    );
    assert_eq!(bench.at(60), []);
}

#[test]
fn limits_while_no_source_drives_move_nothing() {
    let mut bench = Bench::new(vec![]);
    assert_eq!(bench.on(10, Input::ParametersChanged(slopes())), []);
    assert_eq!(bench.at(99), []);
    assert_eq!(bench.at(100), [Command::STOP]);
}

fn parts() -> impl Strategy<Value = [f64; 6]> {
    let special =
        prop_oneof![Just(0.0), Just(-0.0), Just(f64::MIN_POSITIVE / 2.0), Just(f64::MAX), Just(-1e300)];
    prop::array::uniform6(prop_oneof![2 => -2.0..2.0f64, 1 => special, 1 => prop::num::f64::NORMAL])
}

fn velocity([x, y, z, ax, ay, az]: [f64; 6]) -> Velocity {
    Velocity::new([x, y, z], [ax, ay, az]).unwrap()
}

fn bits(velocity: &Velocity) -> [u64; 6] {
    let ([x, y, z], [ax, ay, az]) = (velocity.linear(), velocity.angular());
    [x, y, z, ax, ay, az].map(f64::to_bits)
}

proptest! {
    #[test]
    fn with_all_limits_off_commands_pass_bit_for_bit(
        commands in prop::collection::vec((0..400u64, 0..2usize, parts()), 1..40),
    ) {
        let (mut bench, mut now) = (Bench::new(vec![]), 0);
        for (index, (wait, source, parts)) in commands.into_iter().enumerate() {
            now += wait;
            let velocity = velocity(parts);
            let sent = Stamp { sec: index as i32 + 1, nanosec: 7 };
            let got = bench.on(now, Input::command(source, Ok(velocity), sent));
            match bench.verdicts()[source] {
                Verdict::Drives => {
                    let last = got.last().unwrap();
                    prop_assert_eq!((bits(&last.velocity), last.stamp), (bits(&velocity), sent));
                }
                _ => prop_assert!(got.iter().all(|command| command.velocity.is_zero())),
            }
        }
    }

    /// Two intermittent sources at 20 Hz: between any two outputs the speed changes no faster than allowed, except for a
    /// zero, and the velocity lies within its bounds. Every stamp is that of the last command that drove,
    /// or none while no source drives.
    #[test]
    fn the_output_is_within_the_limits(
        setpoints in prop::collection::vec((prop::bool::weighted(0.4), -2.0..2.0f64, -2.0..2.0f64), 1..60),
        late in prop::collection::vec(0..3u64, 60),
    ) {
        let limits = [
            ("limits.linear.x.min", -0.5), ("limits.linear.x.max", 1.0),
            ("limits.linear.x.acceleration", 1.0), ("limits.linear.x.deceleration", 2.0),
            ("limits.linear.x.jerk", 10.0),
        ];
        let mut bench = Bench::with(with(&limits, vec![]));
        let (mut last, mut lost) = ((0u64, 0.0f64), 0);
        for (index, (high, low_setpoint, high_setpoint)) in setpoints.into_iter().enumerate() {
            let start = 50 * index as u64;
            let sec = index as i32 + 1;
            for ms in start..start + 50 {
                let mut got = Vec::new();
                if ms == start {
                    got.extend(bench.after_a_hold(ms, command(LOW, low_setpoint, sec)));
                }
                if high && ms == start + 25 {
                    got.extend(bench.after_a_hold(ms, command(HIGH, high_setpoint, sec)));
                }
                let late = late[index];
                if bench.0.deadline().is_some_and(|due| due <= at(ms.saturating_sub(late))) {
                    got.extend(bench.poll(ms));
                }
                // A loss is a zero, before the command of the same call.
                let mut stops = bench.0.counters().lost - lost;
                lost += stops;
                for command in got {
                    let v = command.velocity.forward();
                    prop_assert!((-0.5..=1.0).contains(&v), "{v} at {ms} ms");
                    let seconds = (ms - last.0) as f64 / 1e3;
                    let stopped = stops > 0 || v == 0.0; // a loss, or a zero, which brakes at once
                    stops = stops.saturating_sub(1);
                    prop_assert!(!stopped || v == 0.0);
                    prop_assert!(stopped || (v - last.1).abs() <= 2.0 * seconds + 1e-9, "{last:?} to {v} at {ms} ms");
                    prop_assert!(stopped || v.abs() - last.1.abs() <= 1.0 * seconds + 1e-9);
                    let own = [Command::STOP, WITHHELD].contains(&command);
                    prop_assert!(own || command.stamp.sec <= sec && command.stamp.sec >= sec - 12);
                    last = (ms, v);
                }
            }
        }
    }

    /// Polling more often changes no velocity, only the number of outputs.
    #[test]
    fn the_ramp_does_not_depend_on_the_polling(
        setpoints in prop::collection::vec((0..5u64, -1.0..1.0f64), 1..20), asked in prop::collection::vec(any::<bool>(), 2_000),
    ) {
        let params = with(&[("limits.linear.x.acceleration", 0.7), ("limits.linear.x.jerk", 3.0)], vec![]);
        let (mut idle, mut busy) = (Bench::with(params.clone()), Bench::with(params));
        let mut now = 0;
        for (index, (wait, setpoint)) in setpoints.into_iter().enumerate() {
            for _ in 0..wait * 20 {
                now += 1;
                let on_the_grid = now % 20 == 0;
                let due = if on_the_grid { idle.at(now) } else { Vec::new() };
                let got = if on_the_grid || asked[now as usize] { busy.at(now) } else { Vec::new() };
                prop_assert_eq!(due, got, "at {} ms", now);
            }
            let sec = index as i32 + 1;
            prop_assert_eq!(idle.command(now, LOW, setpoint, sec), busy.command(now, LOW, setpoint, sec));
        }
    }
}

#[test]
fn an_invalid_message_of_a_masked_source_changes_nothing() {
    let mut bench = Bench::with(slopes());
    bench.command(0, HIGH, 0.1, 1);
    let invalid = Input::command(LOW, Err(Invalid::NoVelocity), stamp(2));
    assert_eq!(bench.on(10, invalid), []);
    close(&bench.at(20), 0.02, 1);
}
