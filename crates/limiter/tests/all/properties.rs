//! Any limits, targets, stops and times.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;
use crate::watch;

use std::time::Duration;

use common::{Axis, nanos};
use limiter::{Limiter, Limits, Settings, Stop};
use proptest::prelude::*;
use safety::{Instant, Velocity};
use watch::Watch;

/// 0 for off, or a number from a hundredth to a hundred.
fn slope() -> impl Strategy<Value = f64> {
    prop_oneof![1 => Just(0.0), 4 => (-2.0..2.0f64).prop_map(|x| 10f64.powf(x))]
}

fn settings() -> impl Strategy<Value = Settings> {
    let end = || prop_oneof![1 => Just(f64::INFINITY), 1 => Just(0.0), 4 => 0.0..3.0f64];
    (end(), end(), slope(), slope(), slope(), slope(), prop_oneof![Just(0.0), 0.0..0.3]).prop_map(
        |(min, max, acceleration, deceleration, emergency, jerk, dead_band)| Settings {
            min: -min,
            max,
            acceleration,
            deceleration,
            emergency: if deceleration == 0.0 || emergency == 0.0 {
                0.0
            } else {
                emergency.max(deceleration)
            },
            jerk,
            dead_band,
        },
    )
}

fn setpoint() -> impl Strategy<Value = f64> {
    prop_oneof![6 => -3.0..3.0f64, 1 => Just(0.0), 1 => -0.4..0.4f64]
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Aim(f64),
    Stop(Stop),
    Configure(Settings),
}

fn event() -> impl Strategy<Value = Event> {
    let stop = prop::sample::select(vec![Stop::Ordinary, Stop::Emergency, Stop::AtOnce]);
    prop_oneof![
        8 => setpoint().prop_map(Event::Aim),
        1 => stop.prop_map(Event::Stop),
        1 => settings().prop_map(Event::Configure),
    ]
}

/// An event, and the time until the next one \[ns].
fn events() -> impl Strategy<Value = Vec<(Event, u64)>> {
    let wait = prop_oneof![1 => Just(0), 3 => 0..3_000_000_000u64, 3 => 0..100_000_000u64];
    prop::collection::vec((event(), wait), 1..12)
}

fn apply(axis: &mut Axis, now: Instant, event: Event) {
    match event {
        Event::Aim(setpoint) => axis.aim(now, setpoint),
        Event::Stop(how) => axis.stop(now, how),
        Event::Configure(settings) => axis.configure(now, settings),
    }
}

/// An axis after `events`, and when that is.
fn driven(settings: Settings, events: &[(Event, u64)]) -> (Axis, Instant) {
    let (mut axis, mut now) = (Axis::new(settings), Instant::ZERO);
    for &(event, wait) in events {
        apply(&mut axis, now, event);
        now = now + Duration::from_nanos(wait);
    }
    axis.v(now);
    (axis, now)
}

/// Events with ordinary stops in place of emergencies, which continue after the next target.
fn calm(mut events: Vec<(Event, u64)>) -> Vec<(Event, u64)> {
    for (event, _) in &mut events {
        if let Event::Stop(how @ Stop::Emergency) = event {
            *how = Stop::Ordinary;
        }
    }
    events
}

/// The bound of the crate's documentation: `|a| / J`, and `L / C + C / J` for each leg.
fn bound(axis: &mut Axis, now: Instant, target: f64) -> (f64, f64) {
    let Settings { acceleration, deceleration, jerk, .. } = axis.settings;
    let [jerk, acceleration, deceleration] = [jerk, acceleration, deceleration].map(Axis::bound);
    let (v, a) = (axis.v(now), axis.a(now));
    let a = if jerk.is_infinite() { 0.0 } else { a };
    let settle = v + a * a.abs() / (2.0 * jerk);
    let leg = |length: f64, cap: f64| {
        if length == 0.0 {
            0.0
        } else if cap.is_infinite() {
            2.0 * (length / jerk).sqrt()
        } else {
            length / cap + cap / jerk
        }
    };
    let legs = if settle * target < 0.0 {
        leg(settle.abs(), deceleration) + leg(target.abs(), acceleration)
    } else if settle.abs() > target.abs() {
        leg((settle - target).abs(), deceleration)
    } else {
        leg((settle - target).abs(), acceleration)
    };
    (a.abs() / jerk + legs, settle)
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

proptest! {
    #![proptest_config(config(10_000))]

    #[test]
    fn no_limit_is_ever_exceeded(
        settings in settings(),
        events in events(),
        step in 1_000_000..40_000_000u64,
    ) {
        let mut axis = Axis::new(settings);
        let mut watch = Watch::new(&mut axis, Instant::ZERO);
        let mut now = Instant::ZERO;
        for (event, wait) in events {
            apply(&mut axis, now, event);
            match event {
                Event::Aim(_) | Event::Stop(Stop::Ordinary) => watch.retarget(&mut axis, now)?,
                Event::Stop(Stop::Emergency) => watch.emergency(&mut axis, now)?,
                Event::Stop(Stop::AtOnce) => watch.halt(&mut axis, now)?,
                Event::Configure(_) => watch.configured(&mut axis, now)?,
            }
            let end = now + Duration::from_nanos(wait);
            for instant in axis.instants(now, end, step) {
                watch.observe(&mut axis, instant)?;
            }
            now = end;
        }
    }

    #[test]
    fn every_target_is_reached_in_time_and_without_overshoot(
        settings in settings(),
        events in events(),
        setpoint in setpoint(),
    ) {
        let (mut axis, start) = driven(settings, &calm(events));
        let target = axis.target(setpoint);
        axis.aim(start, setpoint);
        let v = axis.v(start);
        let (bound, settle) = bound(&mut axis, start, target);
        // Half a millionth and a part in a thousand million are for rounding.
        let end = start + Duration::from_secs_f64(bound * (1.0 + 1e-9) + 5e-7);
        let turn = if settle < target { 1.0 } else { -1.0 };
        let mut last = None;
        for now in axis.instants(start, end, end.since(start).as_nanos() as u64 / 50 + 1) {
            let found = axis.v(now);
            prop_assert!((v.min(settle).min(target) - 1e-12..=v.max(settle).max(target) + 1e-12).contains(&found));
            // From settle on the path has one direction, and ends.
            if settle != target && (v - settle) * turn <= 0.0 {
                prop_assert!(found * turn <= target * turn, "{found} beyond {target}");
            }
            if axis.a(now) * turn > 0.0 || axis.limiter.is_settled() {
                prop_assert!(last.is_none_or(|last: f64| found * turn >= last * turn), "turns round");
                last = Some(found);
            }
        }
        prop_assert_eq!(axis.v(end), target);
        prop_assert_eq!(axis.a(end), 0.0);
        prop_assert!(axis.limiter.is_settled() && axis.limiter.next_change().is_none());
    }

    #[test]
    fn the_number_of_queries_changes_nothing(
        settings in settings(),
        events in events(),
        reads in prop::collection::vec(0.0..1.0f64, 0..6),
    ) {
        let (mut rare, mut often) = (Axis::new(settings), Axis::new(settings));
        let mut now = Instant::ZERO;
        for (event, wait) in events {
            apply(&mut rare, now, event);
            apply(&mut often, now, event);
            let end = now + Duration::from_nanos(wait);
            for read in &reads {
                now = now.max(end.min(now + Duration::from_nanos((wait as f64 * read) as u64)));
                often.v(now);
                // Neither a repeated target nor a late call has an effect.
                if !matches!(event, Event::Stop(Stop::AtOnce)) {
                    apply(&mut often, now, event);
                }
                often.a(Instant::ZERO);
            }
            now = end;
            prop_assert_eq!(rare.v(now).to_bits(), often.v(now).to_bits());
            prop_assert_eq!(rare.a(now).to_bits(), often.a(now).to_bits());
            prop_assert_eq!(rare.limiter.next_change(), often.limiter.next_change());
        }
    }

    #[test]
    fn a_setpoint_replaced_in_the_same_instant_has_no_effect(
        settings in settings(),
        events in events(),
        (other, part) in (setpoint(), 0.0..1.0f64),
    ) {
        let (mut axis, start) = driven(settings, &events);
        let Settings { acceleration, deceleration, jerk, .. } = axis.settings;
        // Without limits a setpoint is reached in its instant.
        if jerk == 0.0 && (acceleration == 0.0 || deceleration == 0.0) {
            return Ok(());
        }
        axis.aim(start, 1.0);
        let Some(change) = axis.limiter.next_change() else { return Ok(()) };
        // Some limits would take hours.
        let middle = start + change.since(start).min(Duration::from_secs(10)).mul_f64(part);
        axis.v(middle);
        let mut moved = axis;
        moved.aim(middle, other);
        moved.aim(middle, 1.0);
        for i in 0..100 {
            let now = middle + Duration::from_millis(i * i);
            prop_assert!((axis.v(now) - moved.v(now)).abs() < 1e-11, "{} {}", axis.v(now), moved.v(now));
        }
    }

    #[test]
    fn a_stronger_stop_is_never_slower(settings in settings(), events in events()) {
        let (axis, start) = driven(settings, &events);
        let stopped = |how| { let mut axis = axis; axis.stop(start, how); axis };
        let [mut ordinary, mut emergency, mut halt] =
            [Stop::Ordinary, Stop::Emergency, Stop::AtOnce].map(stopped);
        prop_assert_eq!(halt.v(start), 0.0);
        prop_assert!(halt.limiter.is_settled());
        for i in 0..200 {
            let now = start + Duration::from_millis(i * i);
            prop_assert!(emergency.v(now).abs() <= ordinary.v(now).abs() + 1e-12);
            prop_assert_eq!(halt.v(now), 0.0);
        }
    }

    #[test]
    fn motion_is_symmetric_in_its_sign(settings in settings(), events in events()) {
        let mirror = |s: Settings| Settings { min: -s.max, max: -s.min, ..s };
        let (mut axis, now) = driven(settings, &events);
        let turned: Vec<_> = events
            .iter()
            .map(|&(event, wait)| match event {
                Event::Aim(setpoint) => (Event::Aim(-setpoint), wait),
                Event::Configure(settings) => (Event::Configure(mirror(settings)), wait),
                Event::Stop(_) => (event, wait),
            })
            .collect();
        let (mut mirrored, _) = driven(mirror(settings), &turned);
        prop_assert_eq!(axis.v(now), -mirrored.v(now));
        prop_assert_eq!(axis.a(now), -mirrored.a(now));
    }

    #[test]
    fn no_number_and_no_time_causes_a_panic(
        axes in prop::array::uniform6(extreme_settings()),
        events in prop::collection::vec(
            (prop::array::uniform6(prop_oneof![any_number(), setpoint()]), 0..12u8, any_time(), extreme_settings()),
            1..10,
        ),
    ) {
        let mut limits = axes.map(|settings| Limits::new(&settings).unwrap());
        let mut limiter = Limiter::new(limits);
        let (mut largest, mut latest) = (0.0f64, Instant::ZERO);
        for ([x, y, z, ax, ay, az], kind, now, settings) in events {
            let now = nanos(now);
            match kind {
                0 => limiter.stop(now, Stop::Ordinary),
                1 => limiter.stop(now, Stop::Emergency),
                2 => limiter.stop(now, Stop::AtOnce),
                3 | 4 => {
                    limits[usize::from(kind)] = Limits::new(&settings).unwrap();
                    limiter.configure(now, limits);
                }
                _ => {
                    let target = Velocity::new([x, y, z], [ax, ay, az]).unwrap();
                    largest = [x, y, z, ax, ay, az].into_iter().fold(largest, |l, x| l.max(x.abs()));
                    limiter.aim(now, target);
                }
            }
            latest = latest.max(now);
            let velocity = limiter.velocity(Instant::ZERO);
            for v in velocity.linear().into_iter().chain(velocity.angular()) {
                prop_assert!(v.abs() <= largest * (1.0 + 1e-12) + 1e32 , "{v}");
            }
            let (linear, angular) = limiter.acceleration(now);
            prop_assert!(linear.iter().chain(&angular).all(|a| a.is_finite()));
        }
        // Six axes with seven phases and an emergency each: a caller that waits for changes sees an end.
        for _ in 0..48 {
            let Some(change) = limiter.next_change() else { break };
            prop_assert!(change > latest || latest == nanos(u64::MAX));
            latest = change;
            limiter.velocity(latest);
        }
        prop_assert!(limiter.is_settled() == limiter.next_change().is_none());
        prop_assert!(limiter.is_settled() || latest == nanos(u64::MAX));
    }
}

fn any_number() -> impl Strategy<Value = f64> {
    let awkward =
        [0.0, -0.0, 5e-324, -5e-324, 1e-308, 1e-160, -1e-30, 1e19, -1e160, 1e308, f64::MAX, f64::MIN];
    prop_oneof![prop::sample::select(awkward.to_vec()), any::<f64>().prop_filter("finite", |x| x.is_finite()),]
}

fn any_time() -> impl Strategy<Value = u64> {
    prop_oneof![2 => 0..20_000_000_000u64, 1 => any::<u64>(), 1 => Just(u64::MAX), 1 => 0..100_000_000_000_000u64]
}

fn extreme_settings() -> impl Strategy<Value = Settings> {
    let slope = || prop_oneof![Just(0.0), Just(1e-6), Just(1e6), (-6.0..6.0f64).prop_map(|x| 10f64.powf(x))];
    let end = || prop_oneof![Just(f64::INFINITY), any_number().prop_map(f64::abs)];
    (end(), end(), slope(), slope(), slope(), slope(), any_number()).prop_map(
        |(min, max, acceleration, deceleration, emergency, jerk, dead_band)| Settings {
            min: -min,
            max,
            acceleration,
            deceleration,
            emergency: if deceleration == 0.0 || emergency == 0.0 {
                0.0
            } else {
                emergency.max(deceleration)
            },
            jerk,
            dead_band: if dead_band.abs() < 1e3 { dead_band.abs() } else { 0.0 },
        },
    )
}
