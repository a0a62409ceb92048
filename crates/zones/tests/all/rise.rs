//! Factors rise no faster than stated, whenever the machine is polled.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::time::Duration;

use proptest::prelude::*;
use safety::{Command, Instant, Machine, Scale, Stamp, Velocity};
use zones::{FullSpeed, Input, Joystick, Output, Params, Scaling, Zone, ZoneScaler};

fn ms(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

/// Full throw of 1 m/s and 1 rad/s, factors that rise within this many seconds.
fn params(seconds: u64) -> Params {
    let full_speed = FullSpeed { linear: 1.0, angular: 1.0 };
    Params { rise_time: Duration::from_secs(seconds), full_speed, ..Params::default() }
}

fn drive(forward: f64) -> Input {
    Input::CommandReceived(Command::new(Velocity::planar(forward, 0.0).unwrap(), Stamp::ZERO))
}

fn drain(scaler: &mut ZoneScaler, now: Instant) -> Vec<f64> {
    let drives =
        |output| if let Output::Drive(command) = output { Some(command.velocity.forward()) } else { None };
    std::iter::from_fn(|| scaler.poll(now)).filter_map(drives).collect()
}

#[test]
fn a_command_in_force_speeds_up_by_itself_and_slows_down_at_once() {
    let mut scaler = ZoneScaler::new(params(1));
    scaler.handle(ms(0), drive(0.0));
    scaler.handle(ms(0), Input::ScalingReceived([1.0; 16]));
    scaler.handle(ms(0), drive(1.0));
    assert_eq!(drain(&mut scaler, ms(0)), [0.0, 0.0], "nothing is left yet of the one after the zero");
    let mut last = 0.0;
    for step in 1..=10 {
        let now = scaler.deadline().unwrap();
        assert_eq!(now, ms(step * 20), "20 ms apart");
        let [forward] = drain(&mut scaler, now)[..] else { unreachable!("one command") };
        assert!((forward - step as f64 * 0.02).abs() < 1e-6 && forward <= step as f64 * 0.02, "{forward}");
        last = forward;
    }
    assert!(last > 0.19);
    scaler.handle(ms(205), Input::ScalingReceived([0.125; 16]));
    assert_eq!(drain(&mut scaler, ms(205)), [0.125]);
    assert_eq!(scaler.deadline(), Some(ms(255)), "nothing rises: next is the check for a suspension");
}

#[test]
fn a_command_that_comes_while_a_factor_rises_goes_out_once() {
    let mut scaler = ZoneScaler::new(params(1));
    scaler.handle(ms(0), drive(0.0));
    scaler.handle(ms(0), Input::ScalingReceived([1.0; 16]));
    drain(&mut scaler, ms(0));
    scaler.handle(ms(0), drive(1.0));
    drain(&mut scaler, ms(0));
    // Half way between two samples of the rise, with the factor reached by then.
    scaler.handle(ms(30), drive(1.0));
    assert!(matches!(drain(&mut scaler, ms(30))[..], [forward] if (0.0299..=0.03).contains(&forward)));
}

#[test]
fn polling_often_does_not_publish_often() {
    let mut scaler = ZoneScaler::new(params(1));
    scaler.handle(ms(0), drive(0.0));
    scaler.handle(ms(0), Input::ScalingReceived([1.0; 16]));
    scaler.handle(ms(0), drive(1.0));
    drain(&mut scaler, ms(0));
    let outputs: usize =
        (1..100_000u64).map(|us| drain(&mut scaler, Instant::from_nanos(us * 1_000)).len()).sum();
    assert_eq!(outputs, 4, "100 ms, less one microsecond: after 20, 40, 60 and 80");
}

#[test]
fn without_a_rise_time_a_factor_is_there_at_once() {
    let mut scaler = ZoneScaler::new(params(0));
    scaler.handle(ms(0), drive(0.0));
    scaler.handle(ms(0), Input::ScalingReceived([0.5; 16]));
    scaler.handle(ms(0), drive(1.0));
    assert_eq!(drain(&mut scaler, ms(0)), [0.0, 0.5]);
    scaler.handle(ms(1), Input::ScalingReceived([1.0; 16]));
    assert_eq!(drain(&mut scaler, ms(1)), [1.0]);
    assert_eq!(scaler.deadline(), Some(ms(51)));
}

#[test]
fn another_rise_time_makes_no_step() {
    let mut scaler = ZoneScaler::new(params(1));
    scaler.handle(ms(0), drive(0.0));
    scaler.handle(ms(0), Input::ScalingReceived([1.0; 16]));
    scaler.handle(ms(0), drive(1.0));
    drain(&mut scaler, ms(0));
    scaler.handle(ms(250), Input::ParametersChanged(params(10)));
    assert_eq!(drain(&mut scaler, ms(250)), [0.25], "a quarter of a second of 1 s");
    scaler.handle(ms(350), Input::ParametersChanged(params(1)));
    // 0.25 and 0.1 s of 10 s
    assert!(drain(&mut scaler, ms(350)).iter().all(|forward| (0.2599..=0.26).contains(forward)));
    scaler.handle(ms(400), Input::ParametersChanged(params(0)));
    assert_eq!(drain(&mut scaler, ms(400)).last(), Some(&1.0));
}

#[derive(Clone, Debug)]
enum Event {
    Scaling([f32; 16]),
    Joystick,
    Poll,
}

fn events() -> impl Strategy<Value = Vec<(u64, Event)>> {
    let factor = prop_oneof![Just(0.0f32), Just(1.0f32), 0.0..=1.0f32, Just(f32::NAN)];
    let event = prop_oneof![
        3 => prop::array::uniform16(factor).prop_map(Event::Scaling),
        1 => Just(Event::Joystick),
        3 => Just(Event::Poll),
    ];
    let wait = prop_oneof![0..5_000u64, 0..5_000_000u64, 0..700_000_000u64]; // ns
    prop::collection::vec((wait, event), 1..80)
}

proptest! {
    #[test]
    fn a_factor_rises_no_faster_than_stated_whenever_it_is_polled(
        events in events(), rise in 1..5000u64,
    ) {
        let params = Params {
            rise_time: Duration::from_millis(rise),
            ..Params::default()
        };
        let mut scaler = ZoneScaler::new(params.clone());
        let (mut now, mut target) = (0, Scaling::uniform(Scale::ZERO));
        let mut stale = u64::MAX;
        let mut seen: Vec<(u64, [f64; 16])> = vec![(0, [0.0; 16])];
        for (wait, event) in events {
            now += wait;
            let at = Instant::from_nanos(now);
            match event {
                Event::Scaling(fields) => {
                    scaler.handle(at, Input::ScalingReceived(fields));
                    (target, stale) = (Scaling::from_fields(&fields).0, now + 500_000_000);
                }
                Event::Joystick => {
                    let stick = Joystick { forward_back: 9, left_right: 9, joystick_zone: 2, input_source: 4 };
                    scaler.handle(at, Input::JoystickReceived(stick));
                }
                Event::Poll => {}
            }
            while scaler.poll(at).is_some() {}
            if now >= stale {
                target = Scaling::uniform(Scale::ZERO);
            }
            let all = |scaling: &Scaling| {
                let mut factors = [0.0; 16];
                for (index, zone) in Zone::AROUND.into_iter().enumerate() {
                    factors[2 * index] = scaling.of(zone).forward_back.get();
                    factors[2 * index + 1] = scaling.of(zone).left_right.get();
                }
                factors
            };
            let factors = all(scaler.scaling());
            for (factor, target) in factors.iter().zip(all(&target)) {
                prop_assert!(*factor <= target, "{} above its target {}", factor, target);
            }
            // Between two samples the factors are constant; each sample is compared at its time.
            if seen.last().is_some_and(|(_, last)| *last == factors) {
                continue;
            }
            for (before, old) in &seen {
                // In force is what was reached, rounded down to an f32 below 1: by less than 2^-24.
                let most = (now - before) as f64 / (rise as f64 * 1e6) + f64::from(f32::EPSILON) / 2.0;
                for (factor, old) in factors.iter().zip(old) {
                    prop_assert!(factor - old <= most, "from {} to {}, at most {} more", old, factor, most);
                }
            }
            seen.push((now, factors));
        }
    }
}
