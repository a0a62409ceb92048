//! The world as seen by its shell: servo values in, sensors out, time from outside.

#![allow(clippy::panic)] // a helper outside of a test function is still a test

use core::time::Duration;

use safety::{Instant, Machine, Stamp};
use simulator::{Input, Level, Odometry, Output, Params, Pose, Segment, World};

fn empty() -> Params {
    Params { walls: Vec::new(), start: Pose::default(), lag: 0.0, ..Params::default() }
}

fn drain(world: &mut World, now: Instant) -> Vec<Output> {
    std::iter::from_fn(|| world.poll(now)).collect()
}

fn send(world: &mut World, millis: u64, port: i16, starboard: i16) {
    let now = Instant::from_millis(millis);
    world.handle(now, Input::PortReceived(port));
    world.handle(now, Input::StarboardReceived(starboard));
}

/// A world whose motors were at stop, with which motion begins.
fn started(params: Params) -> World {
    let mut world = World::new(params);
    send(&mut world, 0, 90, 90);
    world
}

/// Sends the values every 20 ms from `from` until before `to` and lets time pass until `to` [ms].
fn drive(world: &mut World, from: u64, to: u64, port: i16, starboard: i16) {
    (from..to).step_by(20).for_each(|t| send(world, t, port, starboard));
    drain(world, Instant::from_millis(to));
}

fn kind(output: &Output) -> &'static str {
    match output {
        Output::PublishOdometry(_) => "odometry",
        Output::PublishScan(_) => "scan",
        Output::PublishScaling(_) => "scaling",
        Output::PublishRange(range) => range.frame_id,
        Output::PublishEstop(_) => "estop",
    }
}

fn odometry(outputs: &[Output]) -> Odometry {
    match outputs.iter().find(|output| kind(output) == "odometry") {
        Some(Output::PublishOdometry(odometry)) => *odometry,
        _ => panic!("no odometry in {outputs:?}"),
    }
}

#[test]
fn full_forward_is_wheel_speed() {
    let mut world = started(empty());
    // 24 is full forward: 1.2 m/s for 2 s
    drive(&mut world, 0, 2000, 24, 24);
    let snapshot = world.snapshot();
    assert!((snapshot.pose.x - 2.4).abs() < 1e-9 && snapshot.pose.y == 0.0, "{snapshot:?}");
    assert_eq!((snapshot.forward, snapshot.port, snapshot.driven), (1.2, 24, true));
    assert_eq!(world.health().0, Level::Ok);
}

#[test]
fn a_faster_starboard_wheel_turns_left() {
    // port 73: (90-73)/66*1.2 = 0.30909 m/s; starboard 24: 1.2 m/s. After 3 s:
    // w = (1.2 - 0.30909)/0.5 = 1.78182 rad/s, v = 0.754545 m/s, R = v/w = 0.423469 m, angle 5.345455 rad
    let mut world = started(empty());
    drive(&mut world, 0, 3000, 73, 24);
    let (v, w) = ((1.2 + 17.0 / 66.0 * 1.2) / 2.0, (1.2 - 17.0 / 66.0 * 1.2) / 0.5);
    let (radius, angle) = (v / w, w * 3.0_f64);
    let pose = world.snapshot().pose;
    assert!((pose.x - radius * angle.sin()).abs() < 1e-9, "{pose:?}");
    assert!((pose.y - radius * (1.0 - angle.cos())).abs() < 1e-9, "{pose:?}");
    assert!((pose.heading - (angle - core::f64::consts::TAU)).abs() < 1e-9, "{pose:?}");
}

#[test]
fn silence_stops_the_wheels() {
    let mut world = started(empty());
    send(&mut world, 0, 24, 24);
    drain(&mut world, Instant::from_millis(5000));
    // The values count for less than 250 ms: the steps that end at 20, 40 .. 240 ms move, 12 * 0.02 s * 1.2 m/s.
    let snapshot = world.snapshot();
    assert!(
        (snapshot.pose.x - 0.288).abs() < 1e-9 && snapshot.forward == 0.0 && !snapshot.driven,
        "{snapshot:?}"
    );
    assert_eq!((world.health().0, world.counters().motor_silences), (Level::Warn, 1));
}

#[test]
fn values_that_come_back_after_a_silence_move_nothing_before_a_stop() {
    let mut world = started(empty());
    send(&mut world, 0, 24, 24);
    drain(&mut world, Instant::from_millis(5000));
    let before = world.snapshot().pose;
    drive(&mut world, 5000, 6000, 24, 24);
    assert_eq!((world.snapshot().pose, world.snapshot().driven), (before, false));
    assert_eq!(world.health().1, "the wheels are stopped until both motor values are 90");
    drive(&mut world, 6000, 6040, 90, 90);
    drive(&mut world, 6040, 7000, 24, 24);
    assert!(world.snapshot().pose.x > before.x + 1.0 && world.snapshot().driven);
}

#[test]
fn one_silent_side_stops_both() {
    let mut world = started(empty());
    send(&mut world, 0, 24, 24);
    (20..2000).step_by(20).for_each(|t| world.handle(Instant::from_millis(t), Input::PortReceived(24)));
    drain(&mut world, Instant::from_millis(2000));
    let pose = world.snapshot().pose;
    assert!((pose.x - 0.288).abs() < 1e-9 && pose.heading == 0.0, "{pose:?}");
}

#[test]
fn an_invalid_servo_value_stops_both_and_is_counted() {
    let mut world = started(empty());
    drive(&mut world, 0, 1000, 24, 24);
    let before = world.snapshot().pose;
    drive(&mut world, 1000, 2000, 157, 24);
    assert_eq!((world.snapshot().pose, world.snapshot().driven), (before, false));
    // one every 20 ms for 1 s
    assert_eq!((world.counters().motors_invalid, world.health().0), (50, Level::Error));
    drive(&mut world, 2000, 2100, 24, 24);
    assert_eq!(
        (world.snapshot().pose, world.health().0),
        (before, Level::Warn),
        "the next sensible value waits for a stop"
    );
    drive(&mut world, 2100, 2200, 90, 90);
    drive(&mut world, 2200, 2300, 24, 24);
    assert!(world.snapshot().pose.x > before.x, "both sides were at stop");
}

#[test]
fn a_wall_stops_and_is_counted_once() {
    let wall = Segment::new([1.0, -1.0], [1.0, 1.0]);
    let mut world = started(Params { walls: vec![wall], ..empty() });
    drive(&mut world, 0, 3000, 24, 24);
    let snapshot = world.snapshot();
    // 1 m less the radius of 0.35 m
    assert!((snapshot.pose.x - 0.65).abs() < 1e-5 && snapshot.pose.x <= 0.65, "{snapshot:?}");
    assert!(snapshot.touching && snapshot.collisions == 1 && world.health().0 == Level::Warn);
    assert_eq!(snapshot.scaling[..2], [0.0, 1.0], "nothing forward, but turning is a way out");
    drive(&mut world, 3000, 3500, 156, 156);
    // Back for 0.5 s at 1.2 m/s.
    assert!((world.snapshot().pose.x - 0.05).abs() < 1e-5 && !world.snapshot().touching);
}

#[test]
fn every_sensor_keeps_its_rate() {
    let mut world = World::new(Params::default());
    let mut counts = std::collections::BTreeMap::new();
    for millis in 0..10_000 {
        for output in drain(&mut world, Instant::from_millis(millis)) {
            *counts.entry(kind(&output)).or_insert(0) += 1;
        }
    }
    let want = [
        ("estop", 200),
        ("ir_back_port", 200),
        ("ir_back_starboard", 200),
        ("ir_front_port", 200),
        ("ir_front_starboard", 200),
        ("odometry", 500),
        ("scaling", 200),
        ("scan", 100),
    ];
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), want);
}

#[test]
fn the_deadline_is_the_next_thing_due() {
    let mut world = World::new(empty());
    assert_eq!(world.deadline(), Some(Instant::ZERO), "at once");
    let mut now = Instant::from_millis(7);
    for want in [20, 40, 50, 60, 80, 100, 120] {
        drain(&mut world, now);
        assert_eq!(world.deadline(), Some(Instant::from_millis(want)));
        now = Instant::from_millis(want);
    }
}

#[test]
fn a_stall_makes_no_burst_and_loses_no_motion() {
    let mut world = started(Params { motor_timeout: Duration::from_secs(2), ..empty() });
    send(&mut world, 0, 24, 24);
    drain(&mut world, Instant::ZERO);
    let outputs = drain(&mut world, Instant::from_millis(1000));
    let kinds: Vec<_> = outputs.iter().map(kind).collect();
    let ir = ["ir_front_port", "ir_front_starboard", "ir_back_port", "ir_back_starboard"];
    assert_eq!(kinds, [&["estop", "odometry"][..], &ir, &["scaling", "scan"]].concat());
    assert!((odometry(&outputs).pose.x - 1.2).abs() < 1e-9);
}

#[test]
fn a_jump_of_ages_takes_no_time() {
    let mut world = started(empty());
    send(&mut world, 0, 24, 24);
    drain(&mut world, Instant::from_nanos(u64::MAX));
    assert!((world.snapshot().pose.x - 0.288).abs() < 1e-9);
    send(&mut world, 5, 24, 24);
    assert!(drain(&mut world, Instant::from_millis(5)).is_empty(), "time does not go back");
}

#[test]
fn a_stamp_is_the_time_of_the_physics_step() {
    let mut world = World::new(empty());
    let stamp = |world: &mut World, millis| odometry(&drain(world, Instant::from_millis(millis))).stamp;
    assert_eq!(stamp(&mut world, 7), Stamp::ZERO, "no clock was read");
    world.handle(Instant::from_millis(23), Input::ClockRead(Stamp { sec: 100, nanosec: 1_000_000 }.into()));
    // The step ended at 20 ms, 3 ms before the clock was read.
    assert_eq!(stamp(&mut world, 23), Stamp { sec: 99, nanosec: 998_000_000 });
    // The step at 1040 ms, 1017 ms after.
    assert_eq!(stamp(&mut world, 1055), Stamp { sec: 101, nanosec: 18_000_000 });
}

#[test]
fn the_button_is_reported_at_once_and_never_missed() {
    let mut world = World::new(empty());
    let estops = |world: &mut World, millis| -> Vec<bool> {
        let outputs = drain(world, Instant::from_millis(millis));
        outputs.iter().filter_map(|o| if let Output::PublishEstop(p) = o { Some(*p) } else { None }).collect()
    };
    assert_eq!(estops(&mut world, 0), [false]);
    world.handle(Instant::from_millis(3), Input::EstopPressed(true));
    assert_eq!(world.deadline(), Some(Instant::from_millis(3)));
    assert_eq!(estops(&mut world, 3), [true]);
    assert_eq!(estops(&mut world, 50), [true]);
    world.handle(Instant::from_millis(51), Input::EstopPressed(false));
    assert_eq!(estops(&mut world, 51), [false]);
    // Pressed and released between two polls.
    world.handle(Instant::from_millis(52), Input::EstopPressed(true));
    world.handle(Instant::from_millis(52), Input::EstopPressed(false));
    assert_eq!(estops(&mut world, 52), [true]);
    assert_eq!(estops(&mut world, 100), [false]);
}

#[test]
fn the_button_is_a_signal_and_cuts_no_motor() {
    let mut world = started(empty());
    world.handle(Instant::ZERO, Input::EstopPressed(true));
    drive(&mut world, 0, 1000, 24, 24);
    assert!((world.snapshot().pose.x - 1.2).abs() < 1e-9 && world.snapshot().estop);
}

#[test]
fn stopping_is_reported_once_and_then_nothing() {
    let mut world = started(empty());
    drive(&mut world, 0, 1000, 24, 24);
    // At 1050 ms five sensors are due: one output is polled, the rest is discarded.
    let now = Instant::from_millis(1050);
    assert!(world.poll(now).is_some());
    world.handle(now, Input::Stopping);
    let last = drain(&mut world, now);
    assert_eq!(last[0], Output::PublishEstop(true));
    assert_eq!((odometry(&last).forward, odometry(&last).turn), (0.0, 0.0));
    assert_eq!(last[2..], [Output::PublishScaling([0.0; 16])]);
    send(&mut world, 1060, 24, 24);
    assert_eq!((world.poll(Instant::from_millis(2000)), world.deadline()), (None, None));
    // 1 s, and the steps at 1020 and 1040 ms
    assert!((world.snapshot().pose.x - 1.248).abs() < 1e-9);
}

#[test]
fn parameters_change_at_run_time_but_not_the_world() {
    let mut world = started(empty());
    drain(&mut world, Instant::ZERO);
    world.handle(Instant::ZERO, Input::ParametersChanged(Params { wheel_speed: 0.6, ..Params::default() }));
    assert!(world.snapshot().walls.is_empty());
    drive(&mut world, 0, 1000, 24, 24);
    // The new parameters have the default lag of 0.1 s: 0.6 (1 - 0.1 (1 - e^-10)).
    let want = 0.6 * (1.0 - 0.1 * (1.0 - (-10.0_f64).exp()));
    assert!((world.snapshot().pose.x - want).abs() < 1e-9, "{:?}", world.snapshot().pose);
}

#[test]
fn the_report_names_what_was_counted() {
    let mut world = started(empty());
    send(&mut world, 0, 0, 24);
    let report = world.report();
    assert!(report.contains(&("motors invalid", "1".into())) && report.contains(&("port", "0".into())));
}

#[test]
fn a_world_that_is_not_active_stands_and_begins_with_a_stop() {
    let at = Instant::from_millis;
    let mut world = started(empty());
    drive(&mut world, 20, 500, 24, 24);
    assert!(world.counters().motor_silences == 0, "it drives");
    world.handle(at(500), Input::ActivityChanged(false));
    drive(&mut world, 500, 1000, 24, 24);
    let rests = odometry(&outputs_of(&mut world, 1000)).pose;
    world.handle(at(1000), Input::ActivityChanged(true));
    drive(&mut world, 1000, 1500, 24, 24);
    assert_eq!(odometry(&outputs_of(&mut world, 1500)).pose, rests, "its values were never stop");
    send(&mut world, 1500, 90, 90);
    drive(&mut world, 1520, 2000, 24, 24);
    assert_ne!(odometry(&outputs_of(&mut world, 2000)).pose, rests);
}

/// The outputs when the time has passed until `millis` and a little more.
fn outputs_of(world: &mut World, millis: u64) -> Vec<Output> {
    drain(world, Instant::from_millis(millis + 21))
}
