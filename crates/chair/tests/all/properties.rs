//! Any velocity, curve, message and time.
#![allow(clippy::unwrap_used)] // helpers of tests

use chair::{
    Encoders, Input, Joystick, Mode, Odometry, OdometryInput, OdometryParams, Output, Params, Remote,
    RemoteParams, Service, Source, State, imu, specification,
};
use proptest::num::{f32, f64};
use proptest::prelude::*;
use safety::{Command, Instant, Machine, NotFinite, Stamp, Velocity};
use zones::{Calibration, Curve, Zone, published};

fn curves() -> impl Strategy<Value = Curve> {
    let linear = (0.1..5.0).prop_map(|full| Curve::linear(full).unwrap());
    let table = prop::collection::vec((1.0..20.0, 0.02..0.5), 1..8).prop_filter_map("is too slow", |steps| {
        let percents = steps.iter().scan(0.0, |sum, &(step, _)| {
            *sum += step;
            Some(*sum)
        });
        let mut percents: Vec<f64> = percents.collect();
        let end = *percents.last().unwrap();
        percents.iter_mut().for_each(|percent| *percent *= 100.0 / end);
        *percents.last_mut().unwrap() = 100.0;
        let speeds: Vec<f64> = steps
            .iter()
            .scan(0.0, |sum, &(_, step)| {
                *sum += step;
                Some(*sum)
            })
            .collect();
        Curve::piecewise(&percents, &speeds).ok()
    });
    let cubic = (-5.0..20.0, -30.0..30.0, 10.0..100.0)
        .prop_filter_map("grows", |(a, b, c)| Curve::cubic([a, b, c]).ok());
    prop_oneof![linear, table, cubic]
}

fn calibrations() -> impl Strategy<Value = Calibration> {
    (curves(), 0.05..=1.0, curves()).prop_map(|(f, back, t)| Calibration::new(f, back, t).unwrap())
}

fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![1 => f64::NORMAL | f64::SUBNORMAL | f64::ZERO, 4 => -3.0..3.0]
}

fn sources() -> impl Strategy<Value = Source> {
    (0_usize..6).prop_map(|index| Source::ALL[index])
}

fn events() -> impl Strategy<Value = Vec<(u64, Input)>> {
    let part = || prop_oneof![2 => Just(0.0), 3 => finite()];
    let command = (part(), part()).prop_map(|(v, w)| {
        Input::CommandReceived(Command::new(Velocity::planar(v, w).unwrap(), Stamp::ZERO))
    });
    let reported = || prop_oneof![30 => Just(Source::SharedRemote), 1 => sources()];
    let event = prop_oneof![
        4 => command,
        1 => Just(Input::CommandRefused(NotFinite { part: "linear.x", value: f64::NAN })),
        12 => reported().prop_map(|source| Input::PositionReceived(Joystick::neutral(source))),
        6 => reported().prop_map(Input::ScalingReceived),
        2 => (0_usize..6).prop_map(|index| Input::ServiceAnswered(Service::ALL[index])),
        4 => Just(Input::ServiceAnswered(Service::SetShared)),
        2 => (0..=6).prop_map(Input::ProfileReceived),
        2 => Just(Input::Activated),
        1 => Just(Input::Deactivated),
    ];
    prop::collection::vec((prop_oneof![9 => 0_u64..80, 1 => 80_u64..3000], event), 0..300)
}

fn remote_params() -> RemoteParams {
    let set = specification().resolve(published()).unwrap();
    RemoteParams { mode: Mode::Shared, ..Params::read(&set).unwrap().remote }
}

/// Nothing to drive by, in any of the six parts.
fn is_zero(command: &Command) -> bool {
    let within = |parts: [f64; 3], most: f64| parts.iter().all(|part| part.abs() <= most);
    within(command.velocity.linear(), 0.02) && within(command.velocity.angular(), 0.05)
}

proptest! {
    #[test]
    fn a_curve_is_the_inverse_of_itself(curve in curves(), percent in 0.0..=100.0) {
        let speed = curve.speed(percent);
        prop_assert!((0.0..=curve.full()).contains(&speed));
        prop_assert!((curve.percent(speed) - percent).abs() < 1e-6, "{percent} {speed} {}", curve.percent(speed));
    }

    #[test]
    fn a_curve_grows(curve in curves(), a in 0.0..=100.0, b in 0.0..=100.0) {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        prop_assert!(curve.speed(low) <= curve.speed(high));
        let full = curve.full() / 100.0;
        prop_assert!(curve.percent(low * full) <= curve.percent(high * full) + 1e-9);
    }

    #[test]
    fn any_curve_made_of_any_numbers_stays_in_range(
        abc in prop::array::uniform3(f64::ANY), p in prop::collection::vec(f64::ANY, 0..5),
        v in prop::collection::vec(f64::ANY, 0..5), full in f64::ANY, at in f64::ANY,
    ) {
        for curve in [Curve::linear(full), Curve::piecewise(&p, &v), Curve::cubic(abc)].into_iter().flatten() {
            prop_assert!((0.0..=100.0).contains(&curve.percent(at)));
            prop_assert!((0.0..=curve.full()).contains(&curve.speed(at)) && (0.1..=20.0).contains(&curve.full()));
        }
    }

    /// Short of what was asked for by less than a percent, where that is within full throw.
    #[test]
    fn a_velocity_comes_back_within_a_percent(
        chair in calibrations(), forward in -1.0..=1.0, turn in -1.0..=1.0,
    ) {
        let full = [chair.velocity(if forward < 0.0 { -100 } else { 100 }, 0), chair.velocity(0, -100)];
        let asked = Velocity::planar(forward * full[0].forward().abs(), turn * full[1].turn()).unwrap();
        prop_assume!(!asked.is_neutral());
        let stick = chair.deflection(&asked);
        let got = chair.velocity(stick.forward_back, stick.left_right);
        // The velocities a percent to both sides enclose what was asked for.
        let within = |asked: f64, at: &dyn Fn(i32) -> f64, percent: i32| {
            let (below, above) = (at((percent - 1).max(-100)), at((percent + 1).min(100)));
            (below.min(above)..=below.max(above)).contains(&asked)
        };
        let ahead = |percent| chair.velocity(percent, 0).forward();
        let around = |percent| chair.velocity(0, percent).turn();
        prop_assert!(within(asked.forward(), &ahead, stick.forward_back));
        prop_assert!(within(asked.turn(), &around, stick.left_right));
        prop_assert!(got.forward() * asked.forward() >= 0.0 && got.turn() * asked.turn() >= 0.0, "the sign stays");
        // And the stick itself comes back, unless it goes no faster than a zero.
        let again = chair.deflection(&got);
        let expected = if got.is_neutral() { (0, 0) } else { (stick.forward_back, stick.left_right) };
        prop_assert_eq!((again.forward_back, again.left_right), expected);
    }

    /// A previous limit is kept, within full throw and beyond it, forward, back and turning.
    #[test]
    fn no_stick_goes_beyond_the_asked_velocity(
        forward_curve in curves(), back in 0.05..=1.0, turn_curve in curves(),
        forward in -2.0_f64..=2.0, turn in -2.0_f64..=2.0,
    ) {
        let chair = Calibration::new(forward_curve.clone(), back, turn_curve.clone()).unwrap();
        let asked = Velocity::planar(forward * forward_curve.full(), turn * turn_curve.full()).unwrap();
        let stick = chair.deflection(&asked);
        let got = chair.velocity(stick.forward_back, stick.left_right);
        // Compared as percents: a curve may be so flat there that the tolerance of 1e-6 percent is a speed one can see.
        let share = if forward < 0.0 { back } else { 1.0 };
        for (curve, got, asked, share) in
            [(&forward_curve, got.forward(), asked.forward(), share), (&turn_curve, got.turn(), asked.turn(), 1.0)]
        {
            let percent = |speed: f64| curve.percent(speed.abs() / share);
            prop_assert!(percent(got) <= percent(asked) + 1.1e-6, "{got} beyond {asked}");
        }
    }

    /// For a line the same in plain numbers.
    #[test]
    fn a_line_comes_back_within_a_percent(full in 0.1_f64..5.0, share in -1.0_f64..=1.0) {
        let chair = Calibration::new(Curve::linear(full).unwrap(), 1.0, Curve::linear(full).unwrap()).unwrap();
        let asked = Velocity::planar(share * full, -share * full).unwrap();
        prop_assume!(!asked.is_neutral());
        let stick = chair.deflection(&asked);
        let got = chair.velocity(stick.forward_back, stick.left_right);
        // Short by less than a hundredth of full throw, beyond by at most the tolerance of 1e-8 of it.
        let short = [asked.forward().abs() - got.forward().abs(), asked.turn().abs() - got.turn().abs()];
        prop_assert!(short.iter().all(|short| (-1.1e-8 * full..full * 0.01).contains(short)), "{short:?}");
        prop_assert_eq!(stick.forward_back, stick.left_right, "a turn to the right is to the right");
    }

    #[test]
    fn any_velocity_gives_a_stick_within_full_throw(
        chair in calibrations(), v in prop::array::uniform3(finite()), w in prop::array::uniform3(finite()),
    ) {
        let stick = chair.deflection(&Velocity::new(v, w).unwrap());
        prop_assert!(stick.forward_back.abs() <= 100 && stick.left_right.abs() <= 100);
        prop_assert!(f64::from(stick.forward_back) * v[0] >= 0.0 && f64::from(stick.left_right) * w[2] <= 0.0);
    }

    #[test]
    fn a_kept_path_keeps_its_curvature(forward in 0.1..3.0, turn in 0.1..3.0) {
        let line = |full| Curve::linear(full).unwrap();
        let chair = Calibration::new(line(1.0), 1.0, line(1.0)).unwrap();
        let stick = chair.deflection(&Velocity::planar(forward, turn).unwrap());
        let (fb, lr) = (f64::from(stick.forward_back), -f64::from(stick.left_right));
        // Each is short of the exact one by less than a percent, and the two errors have opposite effects.
        prop_assert!((fb * turn - lr * forward).abs() <= turn.max(forward) + 1e-5);
    }

    /// Counted independently of the machine: reported sources, commands, and their times.
    #[test]
    fn anything_but_neutral_is_confirmed_and_fresh_and_began_with_a_zero(events in events()) {
        let params = remote_params();
        let mut remote = Remote::new(params.clone());
        let (mut ms, mut command, mut active, mut answered) = (0_u64, None::<(Instant, bool)>, false, false);
        let (mut right, mut began) = ([Vec::new(), Vec::new()], false);
        for (wait, input) in events {
            for step in 0..=wait {
                let now = Instant::from_millis(ms + step);
                if command.is_some_and(|(at, moves)| moves && now.since(at) >= params.command_timeout) {
                    began = false;
                }
                if step == wait {
                    match &input {
                        Input::CommandReceived(received) => {
                            began |= is_zero(received);
                            command = Some((now, !is_zero(received)));
                        }
                        Input::CommandRefused(_) => {
                            began &= !command.is_some_and(|(_, moves)| moves);
                            command = None;
                        }
                        Input::PositionReceived(joystick) if joystick.source() == Source::SharedRemote => right[0].push(now),
                        Input::PositionReceived(_) => right[0].clear(),
                        Input::ScalingReceived(Source::SharedRemote) => right[1].push(now),
                        Input::ScalingReceived(_) => right = [Vec::new(), Vec::new()],
                        Input::Activated => active = true,
                        Input::Deactivated => {
                            began &= !command.is_some_and(|(_, moves)| moves);
                            (active, command) = (false, None);
                        }
                        Input::ServiceAnswered(Service::SetShared) => answered = true,
                        _ => {}
                    }
                    remote.handle(now, input.clone());
                }
                while let Some(output) = remote.poll(now) {
                    let Output::PublishJoystick(joystick) = output else { continue };
                    prop_assert_eq!(joystick.source(), Source::SharedRemote);
                    if joystick.is_neutral() {
                        prop_assert_eq!(joystick.zone(), Zone::Origin);
                        continue;
                    }
                    prop_assert!(active && answered && remote.state() == State::Active);
                    prop_assert!(command.is_some_and(|(at, _)| now.since(at) < params.command_timeout), "fresh");
                    prop_assert!(began, "no zero came before it");
                    let confirms = |right: &Vec<Instant>| {
                        let [.., a, b, c, d, e] = right[..] else { return false };
                        [(a, b), (b, c), (c, d), (d, e), (e, now)].iter().all(|(a, b)| b.since(*a) < params.feedback_timeout)
                    };
                    prop_assert!(right.iter().any(confirms), "five in a row on one topic, and none silent");
                }
                prop_assert!(remote.deadline().is_none_or(|at| at > now));
            }
            ms += wait;
        }
    }

    /// However late the machine is asked, nothing that is stale by then comes out.
    #[test]
    fn a_late_poll_is_neutral(late in 500_u64..5000) {
        let mut remote = Remote::new(remote_params());
        let at = Instant::from_millis;
        remote.handle(at(0), Input::ProfileReceived(1));
        remote.handle(at(0), Input::Activated);
        while remote.poll(at(0)).is_some() {}
        remote.handle(at(0), Input::ServiceAnswered(Service::SetShared));
        for ms in [10, 20, 30, 40, 50] {
            remote.handle(at(ms), Input::PositionReceived(Joystick::neutral(Source::SharedRemote)));
        }
        remote.handle(at(55), Input::CommandReceived(Command::STOP));
        let velocity = Velocity::planar(0.5, 0.0).unwrap();
        remote.handle(at(60), Input::CommandReceived(Command::new(velocity, Stamp::ZERO)));
        prop_assert_eq!(remote.state(), State::Active);
        while let Some(output) = remote.poll(at(60 + late)) {
            prop_assert!(!matches!(output, Output::PublishJoystick(joystick) if !joystick.is_neutral()));
        }
    }

    /// For any encoder messages the pose moves no farther than the fastest wheel could carry it.
    #[test]
    fn no_encoders_teleport_the_pose(
        messages in prop::collection::vec((0_u64..120, f32::ANY, 0.0_f32..=360.0, 0.0_f32..=360.0, any::<bool>()), 1..200),
        boot in any::<u32>(),
    ) {
        let params = OdometryParams { discard: 0, ..Params::default().odometry };
        let mut odometry = Odometry::new(params);
        let (mut ms, mut last) = (0, (0.0, 0.0, 0));
        for (wait, garbage, left, right, is_garbage) in messages {
            ms += wait;
            let encoders = Encoders {
                left_angle: if is_garbage { garbage } else { left },
                right_angle: right,
                edge_timestamp: boot.wrapping_add(u32::try_from(ms).unwrap()),
                stamp: Stamp::ZERO,
            };
            let now = Instant::from_millis(ms);
            odometry.handle(now, OdometryInput::EncodersReceived(encoders));
            if let Some(estimate) = odometry.poll(now) {
                let way = (estimate.x - last.0).hypot(estimate.y - last.1);
                prop_assert!(way <= params.max_speed * (ms - last.2) as f64 / 1000.0 + 1e-9, "{way}");
                prop_assert!(estimate.pose_covariance.iter().chain(&estimate.twist_covariance).all(|x| x.is_finite()));
                prop_assert!(estimate.heading.abs() <= std::f64::consts::PI);
                last = (estimate.x, estimate.y, ms);
            }
        }
    }

    #[test]
    fn an_imu_never_says_what_is_not_a_number(
        quaternion in prop::array::uniform4(f32::ANY), accelerometer in prop::array::uniform3(f32::ANY),
    ) {
        let got = imu(&chair::ImuFields { quaternion, accelerometer }, 9.8);
        let length: f64 = got.orientation.iter().map(|x| x * x).sum();
        prop_assert!((length - 1.0).abs() < 1e-6);
        prop_assert!(got.linear_acceleration.iter().chain(&got.angular_velocity).all(|x| x.is_finite()));
    }
}
