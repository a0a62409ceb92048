//! The zone scaler's behaviour, one sentence at a time.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use crate::bench;

use std::time::Duration;

use bench::{Bench, WITHHELD, command, free, front, go, params, stop};
use safety::{Command, Instant, Machine, Stamp, Velocity};
use zones::{
    Applied, Boundaries, Channel, FullSpeed, Input, Joystick, Level, Mode, Operation, Output, Params, Reason,
    Scaling, Stick, Zone, scale,
};

#[test]
fn a_command_goes_out_scaled_from_the_call_that_brought_it() {
    let mut bench = Bench::new(params());
    assert_eq!(bench.on(0, front(0.5, 1.0)), []);
    // 2 m/s is 100 percent, limited to 50 percent: 1 m/s; the turn of 0.045 rad/s (9 percent left) stays.
    assert_eq!(bench.on(10, command(2.0, 0.045, 7)), [go(1.0, 0.045, 7)]);
    let expected = Applied {
        channel: Channel::Velocity,
        requested: Stick { forward_back: 100.0, left_right: -9.0 },
        forward_back: 50,
        left_right: -9,
        zone: Zone::Front,
        input_source: 5,
        forward_back_scaling: 0.5,
        left_right_scaling: 1.0,
        limited_by: Some(Zone::Front),
        reason: Reason::Scaled,
    };
    assert_eq!(*bench.0.applied(), expected);
    let limits = "front limits the command: 50 % forward or back, 100 % to a side";
    assert_eq!(bench.0.health(), (Level::Ok, limits.into()));
}

#[test]
fn a_zone_that_stops_the_vehicle_is_named_until_the_command_leads_elsewhere() {
    let mut bench = Bench::new(params());
    bench.on(0, front(0.0, 1.0));
    bench.on(10, command(1.0, 0.0, 7));
    let blocks = "front blocks the command: it stands still";
    assert_eq!(bench.0.health(), (Level::Warn, blocks.into()));
    bench.on(20, command(-1.0, 0.0, 8));
    assert_eq!(bench.0.health(), (Level::Ok, "scaled".into()));
    bench.on(30, front(0.002, 1.0));
    bench.on(40, command(1.0, 0.0, 9));
    let (level, text) = bench.0.health();
    assert_eq!(
        (level, text.starts_with("front limits")),
        (Level::Ok, true),
        "it creeps, below a percent: {text}"
    );
}

#[test]
fn the_worked_examples_come_out_in_their_zones() {
    // name, stick, zone, first field of the zone in the message, factors, limit, multiply
    let examples = [
        ("A", (100.0, 9.0), Zone::Front, 0, (0.5, 1.0), (50, 9), (50, 9)),
        ("B", (40.0, 3.0), Zone::Front, 0, (0.5, 1.0), (40, 3), (20, 3)),
        ("C", (100.0, 100.0), Zone::FrontRight, 2, (0.3, 0.8), (30, 80), (30, 80)),
        ("D", (100.0, 9.0), Zone::Front, 0, (0.1, 1.0), (10, 9), (10, 9)),
        ("E", (-60.0, -60.0), Zone::BackRight, 10, (0.0, 0.5), (0, -50), (0, -30)),
        ("F", (0.0, -100.0), Zone::Left, 8, (1.0, 0.25), (0, -25), (0, -25)),
        ("G", (0.0, 0.0), Zone::Origin, 0, (1.0, 1.0), (0, 0), (0, 0)),
    ];
    for (name, (fb, lr), zone, first, (sf, sr), limited, multiplied) in examples {
        let stick = Stick { forward_back: fb, left_right: lr };
        let mut fields = [0.0; 16];
        fields[first..first + 2].copy_from_slice(&[sf, sr]);
        assert_eq!(Boundaries::default().classify(stick), zone, "{name}");
        let (scaling, invalid) = Scaling::from_fields(&fields);
        assert_eq!(invalid, 0, "{name}");
        for (mode, (forward_back, left_right)) in [(Mode::Limit, limited), (Mode::Multiply, multiplied)] {
            let out = scale(mode, stick, scaling.of(zone));
            assert_eq!(
                (out.forward_back as i32, out.left_right as i32),
                (forward_back, left_right),
                "{name}"
            );
            // At full throws of 100 m/s and 100 rad/s percents are velocities; left is positive there.
            let full_speed = FullSpeed { linear: 100.0, angular: 100.0 };
            let mut bench = Bench::new(Params { scaling: mode, full_speed, ..params() });
            bench.on(0, Input::ScalingReceived(fields));
            let [driven] = bench.on(0, command(fb, -lr, 1)).try_into().unwrap();
            assert!((driven.velocity.forward() - f64::from(forward_back)).abs() < 1e-5, "{name}");
            assert!((driven.velocity.turn() + f64::from(left_right)).abs() < 1e-5, "{name}");
            let applied = bench.0.applied();
            assert_eq!((applied.forward_back, applied.left_right), (forward_back, left_right), "{name}");
            assert_eq!(applied.zone, zone, "{name}");
        }
    }
}

#[test]
fn a_change_of_the_zone_acts_on_the_command_in_force() {
    let mut bench = Bench::new(params());
    bench.on(0, free());
    bench.on(0, command(2.0, 0.0, 3));
    assert_eq!(bench.on(10, front(0.5, 1.0)), [go(1.0, 0.0, 3)]);
    assert_eq!(bench.on(20, front(0.5, 1.0)), [], "nothing new");
    assert_eq!(bench.on(30, front(0.0, 1.0)), [Command { withheld: true, ..stop(3) }]);
}

#[test]
fn other_factors_with_the_same_result_are_only_reported() {
    let mut bench = Bench::new(params());
    bench.on(0, free());
    bench.on(0, command(0.4, 0.0, 3)); // 20 percent, below a limit of 50
    bench.0.handle(Instant::from_millis(10), front(0.5, 1.0));
    let [Output::PublishApplied(applied)] = bench.drain(10)[..] else { panic!("one output, and no command") };
    assert_eq!((applied.forward_back, applied.forward_back_scaling), (20, 0.5));
}

#[test]
fn a_factor_that_is_no_number_stops_its_part() {
    let mut bench = Bench::new(params());
    bench.on(0, front(f32::NAN, 1.0));
    assert_eq!(bench.on(0, command(1.0, 0.06, 3)), [go(0.0, 0.06, 3)]);
    assert_eq!(bench.0.counters().invalid_factors, 1);
    assert_eq!(bench.0.health().0, Level::Warn);
}

#[test]
fn what_stops_for_a_factor_that_is_no_number_waits_for_a_zero() {
    let mut bench = Bench::new(params());
    bench.on(0, free());
    bench.on(0, command(1.0, 0.0, 3));
    assert_eq!(bench.on(10, front(f32::NAN, 1.0)), [WITHHELD]);
    assert_eq!(bench.on(20, front(1.0, 1.0)), [], "it is observed again, and the stick was not released");
    assert_eq!(bench.on(30, command(1.0, 0.0, 4)), []);
    bench.on(40, command(0.0, 0.0, 5));
    assert_eq!(bench.on(50, command(1.0, 0.0, 6)), [go(1.0, 0.0, 6)]);
    // A zone that closes and opens requests no motion.
    assert_eq!(bench.on(60, front(0.0, 1.0)), [Command { withheld: true, ..stop(6) }]);
    assert_eq!(bench.on(70, front(1.0, 1.0)), [go(1.0, 0.0, 6)]);
}

#[test]
fn passthrough_scales_nothing_but_still_ends_at_full_throw_and_needs_commands() {
    let mut bench = Bench::new(Params { operation: Operation::Passthrough, ..params() });
    assert_eq!(bench.on(0, front(0.0, 0.0)), []);
    assert_eq!(bench.on(0, command(1.5, 0.1, 3)), [go(1.5, 0.1, 3)]);
    assert_eq!(bench.reason(), Reason::PassedThrough);
    assert_eq!(bench.on(10, command(9.0, 0.1, 4)), [go(2.0, 0.1, 4)]);
    assert_eq!(bench.0.counters().cut, 1);
    assert_eq!(bench.at(510), [Command::STOP]);
}

fn full(linear: [f64; 3], angular: [f64; 3]) -> Command {
    Command::new(Velocity::new(linear, angular).unwrap(), Stamp::ZERO)
}

#[test]
fn a_part_within_a_zero_is_dropped_and_counted() {
    let mut bench = Bench::new(params());
    bench.on(0, free());
    let input = Input::CommandReceived(full([1.0, 0.02, -0.02], [0.05, -0.05, 0.1]));
    assert_eq!(bench.0.counters().dropped_parts, 0);
    assert_eq!(bench.on(0, input), [go(1.0, 0.1, 0)]);
    bench.on(10, command(1.0, 0.1, 0));
    assert_eq!(bench.0.counters().dropped_parts, 1, "a command without other parts drops none");
}

#[test]
fn a_command_that_no_zone_judges_is_a_withheld_zero_with_its_reason() {
    for (linear, angular, part) in [
        ([0.2, 0.3, 0.0], [0.0; 3], "linear.y is 3e-1, must be from -0.02 to 0.02 m/s"),
        ([0.2, 0.0, -0.3], [0.0; 3], "linear.z is -3e-1"),
        ([0.2, 0.0, 0.0], [0.3, 0.0, 0.0], "angular.x is 3e-1, must be from -0.05 to 0.05 rad/s"),
        ([0.0; 3], [0.0, 0.3, 0.0], "angular.y is 3e-1"),
    ] {
        let mut bench = Bench::new(params());
        bench.on(0, free());
        bench.on(10, command(1.0, 0.1, 0));
        let lateral = Input::CommandReceived(full(linear, angular));
        assert_eq!(bench.on(20, lateral.clone()), [WITHHELD], "{part}");
        assert_eq!(bench.on(30, lateral), [], "a flood is no flood of zeros");
        assert_eq!(bench.reason(), Reason::CommandUnjudged);
        let (level, text) = bench.0.health();
        assert!(level == Level::Error && text.contains(part), "{text}");
        // Motion begins with a zero.
        assert_eq!(bench.on(40, command(1.0, 0.1, 0)), []);
        bench.on(50, command(0.0, 0.0, 0));
        assert_eq!(bench.on(60, command(1.0, 0.1, 0)), [go(1.0, 0.1, 0)]);
    }
    let mut bench = Bench::new(params());
    bench.on(0, free());
    bench.on(1, Input::ParametersChanged(Params { operation: Operation::Predict, ..params() }));
    assert_eq!(bench.on(2, Input::CommandReceived(full([0.2, 0.3, 0.0], [0.0; 3]))), []);
    assert_eq!(bench.reason(), Reason::CommandUnjudged, "nor can it be predicted");
}

#[test]
fn a_command_that_is_passed_through_keeps_all_parts_and_its_direction() {
    let mut bench = Bench::new(Params { operation: Operation::Passthrough, ..params() });
    let whole = full([0.2, 0.3, -0.1], [0.1, -0.2, 0.05]);
    assert_eq!(bench.on(0, Input::CommandReceived(whole)), [whole]);
    assert_eq!((bench.0.counters().dropped_parts, bench.0.counters().cut), (0, 0));
    // Full throw is 2 m/s: 3, 4 has the length 5, and becomes 1.2, 1.6.
    let [driven] = bench.on(10, Input::CommandReceived(full([3.0, 4.0, 0.0], [0.0; 3]))).try_into().unwrap();
    let [x, y, _] = driven.velocity.linear();
    assert!((x - 1.2).abs() < 1e-12 && (y - 1.6).abs() < 1e-12 && bench.0.counters().cut == 1, "{driven:?}");
    assert_eq!(bench.0.applied().forward_back, 60, "the stick is that of what is left");
    bench.on(20, Input::CommandReceived(full([0.0, 201.0, 0.0], [0.0; 3])));
    assert_eq!(bench.reason(), Reason::CommandInvalid);
}

#[test]
fn a_kept_direction_keeps_the_curve() {
    let mut bench = Bench::new(Params { keep_direction: true, ..params() });
    bench.on(0, front(0.5, 1.0));
    // 100 percent forward is limited to a half; the turn of 0.045 rad/s is halved with it.
    let [driven] = bench.on(0, command(2.0, 0.045, 1)).try_into().unwrap();
    assert!(
        (driven.velocity.forward() - 1.0).abs() < 1e-12 && (driven.velocity.turn() - 0.0225).abs() < 1e-12
    );
}

#[test]
fn changed_parameters_act_on_the_command_in_force() {
    let mut bench = Bench::new(params());
    bench.on(0, front(0.5, 1.0));
    assert_eq!(bench.on(0, command(0.8, 0.0, 3)), [go(0.8, 0.0, 3)]); // 40 percent, below the limit
    let changed = Params { scaling: Mode::Multiply, ..params() };
    assert_eq!(bench.on(10, Input::ParametersChanged(changed.clone())), [go(0.4, 0.0, 3)]);
    assert_eq!(*bench.0.params(), changed);
    let shorter = Params { command_timeout: Duration::from_millis(20), ..params() };
    assert_eq!(bench.on(30, Input::ParametersChanged(shorter)), [Command::STOP]);
}

#[test]
fn stopping_sends_one_zero_and_then_nothing_ever() {
    let mut bench = Bench::new(params());
    bench.on(0, free());
    bench.on(0, command(1.0, 0.0, 3));
    assert_eq!(bench.on(10, Input::Stopping), [WITHHELD]);
    assert_eq!(bench.on(10, Input::Stopping), []);
    assert_eq!(bench.on(20, command(1.0, 0.0, 4)), []);
    assert_eq!(bench.0.counters().commands, 3, "it came, and moves nothing");
    assert_eq!(bench.on(30, front(0.5, 0.5)), []);
    assert_eq!((bench.at(5_000), bench.0.deadline()), (vec![], None));
    assert_eq!(bench.reason(), Reason::Stopping);
}

#[test]
fn the_end_reports_a_stick_only_if_there_was_one() {
    let channels = |stick: bool| {
        let mut bench = Bench::new(params());
        if stick {
            let centred = Joystick { forward_back: 0, left_right: 0, joystick_zone: 0, input_source: 1 };
            bench.on(0, Input::JoystickReceived(centred));
        }
        bench.0.handle(Instant::from_millis(10), Input::Stopping);
        let published = bench.drain(10).into_iter().filter_map(|output| match output {
            Output::PublishApplied(applied) => Some((applied.channel, applied.reason)),
            Output::Drive(_) => None,
        });
        published.collect::<Vec<_>>()
    };
    assert_eq!(channels(false), [(Channel::Velocity, Reason::Stopping)]);
    assert_eq!(
        channels(true),
        [(Channel::Velocity, Reason::Stopping), (Channel::Joystick, Reason::Stopping)]
    );
}

#[test]
fn of_unpolled_outputs_the_newest_stay_and_the_others_are_counted() {
    let mut bench = Bench::new(params());
    bench.on(0, free());
    for sec in 1..=200 {
        bench.0.handle(Instant::from_millis(1), command(f64::from(sec) / 200.0, 0.0, sec));
    }
    // Each command brings two outputs, of which 128 stay.
    assert_eq!(bench.0.counters().dropped, 2 * 200 - 128);
    let left = bench.drain(1);
    assert_eq!(left.len(), 128);
    assert!(left.contains(&Output::Drive(go(1.0, 0.0, 200))), "the last of all");
}

#[test]
fn a_report_says_what_was_done() {
    let mut bench = Bench::new(params());
    bench.on(0, front(0.5, 1.0));
    bench.on(0, command(2.0, 0.0, 7));
    let report = bench.0.report();
    let value = |key| report.iter().find(|(k, _)| *k == key).unwrap().1.as_str();
    assert_eq!((value("zone"), value("forward_back scaling"), value("reason")), ("front", "0.5", "scaled"));
    assert_eq!((value("commands"), value("scalings"), value("blocked zones")), ("2", "1", "none"));
    bench.on(10, Input::ScalingReceived([0.0; 16]));
    assert_eq!(bench.0.health().0, Level::Warn, "a silent sensor blocks, and only its node knows why");
}
