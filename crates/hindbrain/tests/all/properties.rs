//! Properties for any numbers at the edge, and for any traces with any timing.

#![allow(clippy::unwrap_used)] // clippy takes helpers of tests for production code

use crate::common;

use std::time::Duration;

use common::{command, not_finite, params, stamped, text, texts};
use hindbrain::core::Reading;
use hindbrain::{
    FullSpeed, Hindbrain, Input, IrLimits, Motors, Output, Params, Sensor, StopState, TICK, reading_of,
    setpoint_of,
};
use params::Value;
use proptest::prelude::*;
use safety::{Instant, Machine, Stamp, Velocity};

/// Any finite number, often a special one.
fn finite() -> impl Strategy<Value = f64> {
    let awkward = [
        0.0,
        -0.0,
        5e-324,
        1e-300,
        1e-40,
        -1e-60,
        3.5e38,
        1e39,
        1e308,
        f64::MAX,
        f64::MIN,
        f64::MIN_POSITIVE,
    ];
    prop_oneof![
        3 => -3.0..3.0f64,
        1 => prop::sample::select(awkward.to_vec()),
        1 => any::<f64>().prop_filter("finite", |x| x.is_finite()),
    ]
}

#[derive(Clone, Debug)]
enum Event {
    Drive(f64, f64, i32),
    NotFinite,
    Enable(bool),
    Estop(bool),
    Reset(bool),
    Ir(usize, f64),
}

impl Event {
    fn input(&self) -> Input {
        match *self {
            Self::Drive(forward, turn, 0) => command(forward, turn),
            Self::Drive(forward, turn, sec) => stamped(forward, turn, Stamp { sec, nanosec: 0 }),
            Self::NotFinite => not_finite(),
            Self::Enable(enabled) => Input::EnableReceived(enabled),
            Self::Estop(pressed) => Input::EstopReceived(pressed),
            Self::Reset(down) => Input::ResetReceived(down),
            Self::Ir(sensor, distance) => Input::IrReceived {
                sensor: Sensor::ALL[sensor],
                distance: Some(distance),
                stamp: Stamp::ZERO,
            },
        }
    }
}

/// Mostly events that let the vehicle move, so the properties are not trivially true.
fn event() -> impl Strategy<Value = Event> {
    let part = || prop_oneof![2 => Just(0.0), 2 => Just(1.0), 1 => Just(-1.0), 3 => -1.5..1.5f64];
    prop_oneof![
        60 => (part(), part(), prop_oneof![3 => Just(0), 1 => 1..9]).prop_map(|(f, t, s)| Event::Drive(f, t, s)),
        20 => Just(Event::Drive(0.0, 0.0, 0)),
        2 => Just(Event::NotFinite),
        10 => prop::bool::weighted(0.7).prop_map(Event::Enable),
        3 => prop::bool::weighted(0.2).prop_map(Event::Estop),
        6 => any::<bool>().prop_map(Event::Reset),
        20 => (0..4usize, prop_oneof![40 => Just(1.0), 1 => Just(0.1), 1 => Just(f64::NAN)]).prop_map(|(s, d)| Event::Ir(s, d)),
    ]
}

/// Waits in microseconds: bursts, streams and stalls.
fn wait() -> impl Strategy<Value = u64> {
    prop_oneof![2 => Just(0), 6 => 0..8_000u64, 3 => 8_000..60_000u64, 1 => 60_000..700_000u64]
}

fn trace() -> impl Strategy<Value = Vec<(u64, Event, bool)>> {
    let step = (wait(), event(), prop::bool::weighted(0.9));
    prop::collection::vec(step, 1..150).prop_map(|mut trace| {
        let clear = |sensor| (50_000, Event::Ir(sensor, 1.0), true);
        let sensors = (0..6).map(|n| clear(if n % 2 == 0 { 0 } else { 3 }));
        let start = [(0, Event::Enable(true), true), (30_000, Event::Drive(0.0, 0.0, 0), true)];
        trace.splice(0..0, sensors.chain(start));
        trace
    })
}

/// Three times as steep, and at least the minimum of the parameter.
fn decel(accel: f64) -> f64 {
    (accel * 3.0).max(20.0)
}

/// With two infra-red sensors or none, for motors or for a base, which gets a velocity.
fn fitted(with_sensors: bool, is_base: bool, accel: f64) -> Params {
    let changes = [
        ("ir.sensors", texts(&["ir_front_port", "ir_back_starboard"])),
        ("output", text(if is_base { "twist" } else { "motors" })),
        ("ir.timeout", Value::Float(0.2)),
        ("accel", Value::Float(accel)),
        ("decel", Value::Float(decel(accel))),
    ];
    let changes = if with_sensors { &changes[..] } else { &changes[1..] }; // without sensors it moves more often
    params(changes).unwrap()
}

/// Motor values that were sent: when, which, and the state at that time.
type Sent = (Instant, Motors, StopState);

/// Runs a trace. If `exact` is set the machine is also called at its deadlines, else only with events.
fn run(params: &Params, trace: &[(u64, Event, bool)]) -> (Vec<Sent>, String) {
    let mut hindbrain = Hindbrain::new(*params);
    let (mut now, mut sent, mut log) = (Instant::from_millis(10), Vec::new(), String::new());
    let mut drain = |hindbrain: &mut Hindbrain, now: Instant| {
        while let Some(output) = hindbrain.poll(now) {
            log += &format!("{now:?} {output:?}\n");
            if let Output::Drive(motors) = output {
                sent.push((now, motors, hindbrain.state()));
            }
        }
        assert!(hindbrain.deadline().is_none_or(|at| at > now), "a deadline has passed");
    };
    hindbrain.handle(now, Input::EnableReceived(false));
    drain(&mut hindbrain, now);
    for (wait, event, exact) in trace {
        let end = now + Duration::from_micros(*wait);
        while let Some(at) = hindbrain.deadline().filter(|&at| *exact && at <= end) {
            now = at.max(now);
            drain(&mut hindbrain, now);
        }
        now = end;
        hindbrain.handle(now, event.input());
        drain(&mut hindbrain, now);
    }
    (sent, log)
}

/// Whether the mean of a wheel's values lies between two counts.
fn has_fraction(motors: &Motors, params: &Params) -> bool {
    let (forward, turn) = motors.velocity(params);
    let (forward, turn) = (forward / params.full_speed.linear, turn / params.full_speed.angular);
    [forward - turn, forward + turn].iter().any(|part| (part * 66.0 - (part * 66.0).round()).abs() > 1e-6)
}

proptest! {
    #[test]
    fn any_velocity_is_a_setpoint_in_range_of_the_same_direction(
        forward in finite(), turn in finite(), linear in 0.01..20.0f64, angular in 0.01..20.0f64,
    ) {
        let full = FullSpeed { linear, angular };
        let setpoint = setpoint_of(&Velocity::planar(forward, turn).unwrap(), full, true);
        prop_assert!(setpoint.linear().abs() <= 1_000_000 && setpoint.angular().abs() <= 1_000_000);
        prop_assert!(f64::from(setpoint.linear()) * forward.signum() >= 0.0);
        prop_assert!(f64::from(setpoint.angular()) * turn.signum() >= 0.0);
        // Never faster than commanded: rounded toward zero.
        prop_assert!(f64::from(setpoint.linear()).abs() <= (forward / linear * 1e6).abs());
        prop_assert!(f64::from(setpoint.angular()).abs() <= (turn / angular * 1e6).abs());
        if forward.abs() <= linear && turn.abs() <= angular {
            prop_assert_eq!(f64::from(setpoint.linear()), (forward / linear * 1e6).trunc());
            prop_assert_eq!(f64::from(setpoint.angular()), (turn / angular * 1e6).trunc());
        }
    }

    #[test]
    fn any_distance_is_a_reading(bits in any::<u64>(), near in 0.0..10.0f64, far in prop::option::of(0.0..10.0f64)) {
        let distance = f64::from_bits(bits);
        let limits = IrLimits { near, far };
        let clear = distance >= near && far.is_none_or(|far| distance <= far);
        prop_assert_eq!(reading_of(Some(distance), &limits) == Reading::Clear, clear);
    }

    /// Over any time a level grows and, while the state is OK, shrinks by less than its slope and half the other one allow, plus one
    /// count, and one more that motors have for a fraction: the half is what it contributes to make the forward part and the turn part
    /// shrink in time.
    #[test]
    fn no_timing_makes_a_ramp_steeper(
        trace in trace(), sensors in any::<bool>(), base in any::<bool>(), accel in 1.0..400.0f64,
    ) {
        let params = fitted(sensors, base, accel);
        let (sent, _) = run(&params, &trace);
        let decel = (accel * 3.0).max(20.0);
        for (index, (start, first, _)) in sent.iter().enumerate() {
            let mut is_ok = true;
            for (end, last, state) in &sent[index..] {
                is_ok &= *state == StopState::Ok;
                let seconds = end.since(*start).as_secs_f64();
                // A fraction may be one count more.
                let counts = if [first, last].iter().any(|motors| has_fraction(motors, &params)) && !base { 2.0 } else { 1.0 };
                for (a, b) in first.levels().into_iter().zip(last.levels()) {
                    let faster = f64::from(b.abs() - a.abs());
                    prop_assert!(faster < (accel + decel / 2.0) * seconds + counts, "{first:?} at {start:?} to {last:?} at {end:?}");
                    let slower = (decel + accel / 2.0) * seconds + counts;
                    prop_assert!(!is_ok || -faster < slower, "{first:?} at {start:?} to {last:?} at {end:?}");
                }
            }
        }
        for pair in sent.windows(2) {
            for (a, b) in pair[0].1.levels().into_iter().zip(pair[1].1.levels()) {
                prop_assert!(a * b >= 0, "the sign changed without a zero in between");
            }
        }
    }

    #[test]
    fn in_every_state_but_ok_the_motors_are_stopped(trace in trace(), sensors in any::<bool>(), base in any::<bool>()) {
        let (sent, _) = run(&fitted(sensors, base, 100.0), &trace);
        for (at, motors, state) in sent {
            prop_assert!((24..=156).contains(&motors.port) && (24..=156).contains(&motors.starboard));
            prop_assert!(state == StopState::Ok || motors.are_stopped(), "{state:?} at {at:?}: {motors:?}");
        }
    }

    /// A base stops and starts when motors do. Its velocity is theirs to within four counts, since those of motors are rounded toward stop
    /// and brake from there, and to what the slopes change in a tick, by which either may have made its last step earlier.
    #[test]
    fn a_base_is_as_motors(trace in trace(), accel in 20.0..400.0f64) {
        let trace: Vec<_> = trace.into_iter().map(|(wait, event, _)| (wait, event, true)).collect();
        let [motors, base] = [false, true].map(|base| run(&fitted(false, base, accel), &trace).0);
        // After the last values of both at the same time: a state that changes later at that time sends none to motors that stand.
        let last = |sent: &[Sent], time| sent.iter().rev().find(|(at, ..)| *at == time).copied();
        for (at, ..) in &base {
            let (Some((_, values, state)), Some((_, other, other_state))) = (last(&base, *at), last(&motors, *at))
            else {
                continue;
            };
            prop_assert!(state == other_state || values.are_stopped() && other.are_stopped(), "{state:?}, {other_state:?} at {at:?}");
            for (level, other) in values.levels().into_iter().zip(other.levels()) {
                let apart = f64::from((level - other).abs());
                let most = 4.0 + (2.0 * accel + decel(accel)) * TICK.as_secs_f64();
                prop_assert!(apart <= most, "{values:?} and {other:?} at {at:?}");
            }
            let (forward, turn) = values.velocity(&params(&[]).unwrap());
            prop_assert_eq!(values.are_stopped(), (forward, turn) == (0.0, 0.0));
        }
    }

    #[test]
    fn nothing_moves_without_enable(trace in trace(), sensors in any::<bool>(), base in any::<bool>()) {
        let params = fitted(sensors, base, 400.0);
        let never: Vec<_> = trace.into_iter().filter(|(_, event, _)| !matches!(event, Event::Enable(true))).collect();
        let (sent, _) = run(&params, &never);
        prop_assert!(sent.iter().all(|(_, motors, _)| motors.are_stopped()));
    }

    #[test]
    fn nothing_moves_after_an_estop_without_reset(trace in trace(), base in any::<bool>()) {
        let mut pressed = vec![(0, Event::Estop(true), true)];
        pressed.extend(trace.into_iter().filter(|(_, event, _)| !matches!(event, Event::Reset(_))));
        let (sent, _) = run(&fitted(false, base, 400.0), &pressed);
        prop_assert!(sent.iter().all(|(_, motors, _)| motors.are_stopped()));
    }

    #[test]
    fn silence_ends_motion(trace in trace(), sensors in any::<bool>(), base in any::<bool>()) {
        let mut hindbrain = Hindbrain::new(fitted(sensors, base, 400.0));
        let mut now = Instant::ZERO;
        for (wait, event, _) in &trace {
            now = now + Duration::from_micros(*wait);
            hindbrain.handle(now, event.input());
        }
        while hindbrain.poll(now).is_some() {}
        // 0.5 s, at most one tick late, then 66 counts at 1200 counts/s: 55 ms, and one tick for the change of sign.
        let end = now + Duration::from_millis(500 + 20 + 60 + 40);
        while let Some(at) = hindbrain.deadline().filter(|&at| at <= end) {
            while hindbrain.poll(at).is_some() {}
        }
        prop_assert!(hindbrain.motors().are_stopped(), "{:?}", hindbrain.motors());
    }

    #[test]
    fn the_same_events_give_the_same_outputs(trace in trace(), sensors in any::<bool>(), base in any::<bool>()) {
        let params = fitted(sensors, base, 50.0);
        prop_assert_eq!(run(&params, &trace).1, run(&params, &trace).1);
    }

    #[test]
    fn no_time_makes_it_panic(calls in prop::collection::vec((any::<u64>(), event()), 1..60), required in any::<bool>()) {
        let params = params(&[("estop.required", Value::Bool(required)), ("enable.lease", Value::Float(1.0))]).unwrap();
        let mut hindbrain = Hindbrain::new(params);
        for (nanos, event) in calls {
            let now = Instant::from_nanos(nanos);
            hindbrain.handle(now, event.input());
            let _ = (hindbrain.poll(now), hindbrain.deadline(), hindbrain.health(), hindbrain.report());
            let Motors { port, starboard, .. } = hindbrain.motors();
            prop_assert!((24..=156).contains(&port) && (24..=156).contains(&starboard));
        }
    }
}

/// The traces include motion.
#[test]
fn the_traces_move() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let moving = (0..100).filter(|n| {
        let trace = trace().new_tree(&mut runner).unwrap().current();
        let (sent, _) = run(&fitted(n % 2 == 0, n % 4 < 2, 100.0), &trace);
        sent.iter().any(|(_, motors, _)| !motors.are_stopped())
    });
    let moving = moving.count();
    assert!(moving > 50, "only {moving} of 100 traces move");
}
