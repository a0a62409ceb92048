//! The mean of the motor values is the command, also between two counts, by the formula of the document and by time alone.

use crate::common::{Rig, command, ir, params, rig, text, texts};

use std::time::Duration;

use hindbrain::{Cause, Input, Sensor, StopState};
use params::Value;
use proptest::prelude::*;
use safety::{Command, Instant, Stamp, Velocity};

/// Both wheels' levels in counts for a command, by `docs/nodes/hindbrain.md`, of a vehicle whose wheels do 1.7 m/s and are 0.46 m apart.
fn levels(forward: f64, turn: f64) -> [f64; 2] {
    let [port, starboard] = [-1.0, 1.0].map(|side| (forward + side * turn * 0.46 / 2.0) / 1.7);
    let beyond = port.abs().max(starboard.abs()).max(1.0);
    [port, starboard].map(|share| 66.0 * share / beyond)
}

fn robot(changes: &[(&str, Value)]) -> Rig {
    let robot = [("wheel_speed", Value::Float(1.7)), ("track", Value::Float(0.46))];
    let mut rig = rig(&[&robot, changes].concat());
    rig.ready();
    rig
}

/// Ten periods.
const OVER: Duration = Duration::from_millis(3_200);

fn before(now: Instant, time: Duration) -> Instant {
    Instant::from_nanos(now.as_nanos().saturating_sub(time.as_nanos() as u64))
}

/// The mean of each level over the last ten periods, each value for as long as it was in force.
fn mean(rig: &Rig) -> [f64; 2] {
    let from = before(rig.now, OVER);
    let mut sums = [0.0; 2];
    let ends = rig.drives.iter().skip(1).map(|(at, _)| *at).chain([rig.now]);
    for ((start, motors), end) in rig.drives.iter().zip(ends) {
        let time = end.since((*start).max(from)).as_secs_f64(); // zero for what ended before
        for (sum, level) in sums.iter_mut().zip(motors.levels()) {
            *sum += f64::from(level) * time;
        }
    }
    sums.map(|sum| sum / OVER.as_secs_f64())
}

proptest! {
    #[test]
    fn the_mean_of_what_is_sent_is_the_command(forward in -1.8..1.8f64, turn in -3.0..3.0f64, every in 1u64..250) {
        prop_assume!(forward.abs() > 0.02 || turn.abs() > 0.05);
        let mut rig = robot(&[("accel", Value::Float(200.0))]);
        for _ in 0..5_000 / every {
            rig.send(command(forward, turn));
            rig.wait(every);
        }
        for (mean, wanted) in mean(&rig).into_iter().zip(levels(forward, turn)) {
            // One count for 0.1 s at either end is 1/16 of 3.2 s.
            let is_right = if wanted.abs() < 1.0 { mean == 0.0 } else { (mean - wanted).abs() < 0.0625 };
            // At a whole count the last digit decides.
            let is_between = (wanted.abs() - 1.0).abs() < 1e-3;
            prop_assert!(is_right || is_between, "{mean} for {wanted}, a command every {every} ms");
        }
        let last = before(rig.now, OVER);
        for (_, motors) in rig.drives.iter().filter(|(at, _)| *at > last) {
            for (level, wanted) in motors.levels().into_iter().zip(levels(forward, turn)) {
                let (level, wanted) = (f64::from(level), wanted + wanted.signum() * 1e-3);
                let is_next = level == wanted.trunc() || level == (wanted - wanted.signum() * 2e-3).trunc() + wanted.signum();
                prop_assert!(is_next && (level == 0.0 || level.signum() == wanted.signum()), "{level} for {wanted}");
                prop_assert!(wanted.abs() < 1.01 || level != 0.0, "a stop for {wanted}");
            }
        }
    }

    /// Whatever the shares were in a turn before: on two wheels with one command they are one.
    #[test]
    fn straight_ahead_stays_straight(turn in -3.0..3.0f64, forward in -1.7..1.7f64, every in 1u64..250) {
        let mut rig = robot(&[("accel", Value::Float(6600.0)), ("decel", Value::Float(6600.0))]);
        for (forward, turn) in [(0.8 * forward, turn), (forward, 0.0)] {
            for _ in 0..2_000 / every {
                rig.send(command(forward, turn));
                rig.wait(every);
            }
        }
        let last = before(rig.now, Duration::from_millis(1_200));
        for (at, motors) in rig.drives.iter().filter(|(at, _)| *at > last) {
            prop_assert!(motors.port == motors.starboard, "{motors:?} at {at:?}");
        }
    }

    /// A motor node that writes every 20 or 50 ms the last value it has received, as of `docs/motor_controllers.md`, has the mean, too.
    #[test]
    fn a_motor_that_samples_the_values_turns_as_commanded(
        forward in 0.1..1.6f64, every in 1u64..100, phase in 0u64..50, slow in any::<bool>(),
    ) {
        let mut rig = robot(&[("accel", Value::Float(200.0))]);
        for _ in 0..4_000 / every {
            rig.send(command(forward, 0.0));
            rig.wait(every);
        }
        let period = Duration::from_millis(if slow { 50 } else { 20 });
        let (mut at, mut sum, mut count) = (before(rig.now, OVER) + Duration::from_millis(phase), 0.0, 0.0);
        while at < rig.now {
            let value = rig.drives.iter().rev().find(|(sent, _)| *sent <= at).unwrap().1;
            (sum, count) = (sum + f64::from(value.levels()[0]), count + 1.0);
            at = at + period;
        }
        let [wanted, _] = levels(forward, 0.0);
        prop_assert!((sum / count - wanted).abs() < 0.2, "{} for {wanted}", sum / count);
    }

    /// No count is kept for less than 0.1 s for a fraction, however often commands come and jitter.
    #[test]
    fn fractions_change_the_values_ten_times_a_second(every in 1u64..30, jitter in 0.0..0.3f64) {
        let mut rig = robot(&[("accel", Value::Float(6600.0)), ("decel", Value::Float(6600.0))]);
        for number in 0..4_000 / every {
            // 20.2 to 20.8 counts
            let counts = 20.5 + jitter * if number % 2 == 0 { 1.0 } else { -1.0 };
            rig.send(command(counts * 1.7 / 66.0, 0.0));
            rig.wait(every);
        }
        let last = before(rig.now, OVER);
        let values: Vec<_> = rig.drives.iter().filter(|(at, _)| *at > last).map(|(_, motors)| motors.port).collect();
        let changes = values.windows(2).filter(|pair| pair[0] != pair[1]).count();
        prop_assert!((10..=33).contains(&changes), "{changes} in 3.2 s");
    }
}

#[test]
fn half_a_metre_per_second_for_two_seconds_is_one_metre() {
    let mut rig = robot(&[("accel", Value::Float(6600.0)), ("decel", Value::Float(6600.0))]);
    let start = rig.now;
    rig.repeat(&[command(0.5, 0.0)], 2_000);
    rig.send(command(0.0, 0.0));
    rig.wait(100);
    let metres: f64 = rig
        .drives
        .windows(2)
        .filter(|pair| pair[0].0 >= start)
        .map(|pair| f64::from(pair[0].1.levels()[0]) / 66.0 * 1.7 * pair[1].0.since(pair[0].0).as_secs_f64())
        .sum();
    assert!((metres - 1.0).abs() < 0.01, "{metres}");
}

#[test]
fn a_command_below_one_count_is_named_and_moves_nothing() {
    // 0.1 rad/s are 0.89 counts, 0.024 m/s are 0.93.
    for (forward, turn) in [(0.0, 0.1), (0.0, -0.1), (0.024, 0.0), (-0.024, 0.0)] {
        let mut rig = robot(&[]);
        rig.repeat(&[command(forward, turn)], 1_000);
        assert_eq!(
            (rig.state(), rig.has(Cause::CommandBelowCount)),
            (StopState::Ok, true),
            "{forward} {turn}"
        );
        let (level, sentence) = rig.hindbrain.health();
        assert_eq!(level, hindbrain::Level::Warn);
        assert_eq!(sentence, "OK: the command asks for less than the least motor value: nothing moves");
        assert!(rig.drives.iter().all(|(_, motors)| motors.are_stopped()));
        rig.repeat(&[command(0.5, 0.0)], 1_000);
        assert!(!rig.has(Cause::CommandBelowCount) && rig.levels()[0] > 0);
        rig.repeat(&[command(0.0, 0.0)], 1_000);
        assert!(!rig.has(Cause::CommandBelowCount), "a zero asks for nothing");
    }
    // With one wheel the vehicle moves: port 0.93 counts, starboard 2.7.
    let mut rig = robot(&[]);
    rig.repeat(&[command(0.0466, 0.1)], 1_000);
    assert!(!rig.has(Cause::CommandBelowCount) && rig.levels()[0] == 0 && rig.levels()[1] > 0);
    // Other parts of a command are no command for the wheels.
    let mut rig = robot(&[]);
    let sideways = Velocity::new([0.0, 1.0, 0.0], [0.0; 3]).unwrap();
    rig.repeat(&[Input::CommandReceived(Ok(Command::new(sideways, Stamp::ZERO)))], 1_000);
    assert!(!rig.has(Cause::CommandBelowCount) && rig.hindbrain.motors().are_stopped());
    // Nothing moves for another reason.
    rig.repeat(&[Input::EnableReceived(false), command(0.0, 0.1)], 100);
    assert!(rig.has(Cause::NotEnabled) && !rig.has(Cause::CommandBelowCount));
    // A velocity is exact.
    let mut rig = robot(&[("output", text("twist_stamped"))]);
    rig.repeat(&[command(0.0, 0.1)], 1_000);
    assert!(!rig.has(Cause::CommandBelowCount) && !rig.hindbrain.motors().are_stopped());
}

/// Before an obstacle only the straight part passes, and may be less than one count.
#[test]
fn the_way_out_below_one_count_is_named() {
    let near = texts(&["ir_front_port"]);
    let mut rig = Rig::new(params(&[("wheel_speed", Value::Float(1.7)), ("ir.sensors", near)]).unwrap());
    rig.send(ir(Sensor::FrontPort, 0.1));
    rig.ready();
    // 0.025 m/s are 0.97 counts; with the turn the starboard wheel would have more.
    rig.repeat(&[ir(Sensor::FrontPort, 0.1), command(-0.025, -0.02)], 300);
    assert_eq!(rig.state(), StopState::Ok, "{}", rig.hindbrain.causes());
    assert!(rig.has(Cause::FrontBlocked) && rig.has(Cause::CommandBelowCount), "{}", rig.hindbrain.causes());
}

/// A stick that passes the first count again and again floods nobody.
#[test]
fn passing_the_first_count_is_published_twice_a_second() {
    let mut rig = robot(&[]);
    rig.repeat(&[command(0.0, 0.0)], 1_000);
    let before = rig.details.len();
    for _ in 0..100 {
        rig.repeat(&[command(0.024, 0.0)], 50);
        rig.repeat(&[command(0.027, 0.0)], 50);
    }
    assert!(rig.details.len() - before <= 22, "{} details in 10 s", rig.details.len() - before);
}

/// A level between two counts ends with a stop, and begins again only after a zero.
#[test]
fn after_a_stop_of_the_sensors_a_slow_command_starts_nothing() {
    let near = texts(&["ir_front_port"]);
    let mut rig = Rig::new(params(&[("wheel_speed", Value::Float(1.7)), ("ir.sensors", near)]).unwrap());
    let at = |distance| ir(Sensor::FrontPort, distance);
    rig.send(at(1.0));
    rig.wait(600);
    rig.send(at(1.0));
    rig.ready();
    for forward in [0.03, 0.06, 0.5] {
        rig.repeat(&[at(1.0), command(0.0, 0.0)], 600);
        rig.repeat(&[at(1.0), command(forward, 0.0)], 3_000);
        assert!(rig.levels()[0] >= 1, "{forward}");
        let before = rig.drives.len();
        rig.repeat(&[at(0.1), command(forward, 0.0)], 100);
        rig.repeat(&[at(1.0), command(forward, 0.0)], 3_000);
        assert!(rig.drives[before..].iter().all(|(_, motors)| motors.are_stopped()), "{forward}");
    }
}
