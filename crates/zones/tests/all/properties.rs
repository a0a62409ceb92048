//! Any velocity, stick, factor and time.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::time::Duration;

use proptest::num::{f32, f64};
use proptest::prelude::*;
use safety::{Command, Instant, Machine, NotFinite, Scale, Stamp, Velocity};
use zones::{
    Boundaries, Channel, Factors, Feedback, FullSpeed, HeldZones, Input, Joystick, Mode, Operation, Output,
    Params, Reason, Scaling, Stick, Zone, ZoneScaler, scale, scale_keeping_direction,
};

fn modes() -> impl Strategy<Value = Mode> {
    prop_oneof![Just(Mode::Limit), Just(Mode::Multiply)]
}

fn factors() -> impl Strategy<Value = Factors> {
    let factor = || prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0].prop_map(|v: f64| Scale::new(v).unwrap());
    (factor(), factor()).prop_map(|(forward_back, left_right)| Factors { forward_back, left_right })
}

fn part() -> impl Strategy<Value = f64> {
    prop_oneof![f64::ANY, -120.0..120.0, Just(0.0)]
}

fn sticks() -> impl Strategy<Value = Stick> {
    (part(), part()).prop_map(|(forward_back, left_right)| Stick { forward_back, left_right })
}

fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![1 => f64::NORMAL | f64::SUBNORMAL | f64::ZERO, 4 => -3.0..3.0]
}

fn velocities() -> impl Strategy<Value = Velocity> {
    (prop::array::uniform3(finite()), prop::array::uniform3(finite()))
        .prop_map(|(v, w)| Velocity::new(v, w).unwrap())
}

fn parameters() -> impl Strategy<Value = Params> {
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    let operations = prop_oneof![
        3 => Just(Operation::Apply),
        1 => Just(Operation::Predict),
        1 => Just(Operation::Passthrough),
    ];
    let times = (operations, prop_oneof![Just(0u64), 1..3000u64]);
    let full = (0.01..20.0, 0.01..20.0);
    (modes(), flags, times, full).prop_map(
        |(scaling, (keep_direction, dead, held), (operation, rise), (linear, angular))| Params {
            operation,
            scaling,
            keep_direction,
            rise_time: Duration::from_millis(rise),
            full_speed: FullSpeed { linear, angular },
            boundaries: Boundaries {
                dead_zone: if dead { 10.0 } else { 0.0 },
                hysteresis: if held { 6.0 } else { 0.0 },
                ..Boundaries::default()
            },
            ..Params::default()
        },
    )
}

fn joysticks() -> impl Strategy<Value = Joystick> {
    let field = || prop_oneof![4 => -110..=110, 1 => any::<i32>()];
    (field(), field(), -1..10, -1..7).prop_map(|(forward_back, left_right, joystick_zone, input_source)| {
        Joystick { forward_back, left_right, joystick_zone, input_source }
    })
}

fn feedbacks() -> impl Strategy<Value = Feedback> {
    (joysticks(), f32::ANY, 0.0..=1.0f32).prop_map(|(joystick, bad, good)| Feedback {
        forward_back: joystick.forward_back,
        left_right: joystick.left_right,
        joystick_zone: joystick.joystick_zone,
        input_source: joystick.input_source,
        forward_back_scaling: if joystick.left_right > 90 { bad } else { good },
        left_right_scaling: good,
    })
}

/// One event and the time until the next [ms].
fn events() -> impl Strategy<Value = Vec<(u64, Input)>> {
    let command =
        velocities().prop_map(|velocity| Input::CommandReceived(Command::new(velocity, Stamp::ZERO)));
    let fields = prop::array::uniform16(prop_oneof![1 => f32::ANY, 9 => 0.0..=1.0f32]);
    let invalid = Just(Input::CommandRefused(NotFinite { part: "linear.x", value: f64::NAN }));
    let event = prop_oneof![
        5 => command,
        3 => fields.prop_map(Input::ScalingReceived),
        2 => joysticks().prop_map(Input::JoystickReceived),
        1 => feedbacks().prop_map(Input::FeedbackReceived),
        1 => invalid,
        1 => parameters().prop_map(Input::ParametersChanged),
    ];
    prop::collection::vec((0..300u64, event), 1..60)
}

/// Neither greater nor of another sign.
fn within(out: f64, requested: f64) -> bool {
    out == 0.0 || (out.abs() <= requested.abs() && out.signum() == requested.signum())
}

/// Runs `events`, polling at every deadline; gives each output with its time [ms].
fn run(params: &Params, events: &[(u64, Input)]) -> Vec<(u64, Output)> {
    let mut scaler = ZoneScaler::new(params.clone());
    let (mut now, mut outputs) = (0, Vec::new());
    let mut drain = |scaler: &mut ZoneScaler, ms: u64| {
        let at = Instant::from_millis(ms);
        outputs.extend(std::iter::from_fn(|| scaler.poll(at)).map(|output| (ms, output)));
        assert!(scaler.deadline().is_none_or(|due| due > at), "a deadline has passed");
    };
    for (wait, event) in events {
        scaler.handle(Instant::from_millis(now), event.clone());
        drain(&mut scaler, now);
        let end = now + wait;
        while let Some(due) = scaler.deadline().map(|at| at.as_nanos() / 1_000_000).filter(|&due| due <= end)
        {
            now = due;
            drain(&mut scaler, now);
        }
        now = end;
    }
    outputs
}

proptest! {
    #[test]
    fn every_stick_has_a_zone_and_a_scaled_stick_stays_in_bounds(
        stick in sticks(), factors in factors(), mode in modes(), keep in any::<bool>(),
    ) {
        let zone = Boundaries::default().classify(stick);
        prop_assert!((0..=8).contains(&zone.number()));
        let scaled = if keep { scale_keeping_direction } else { scale };
        let used = if keep { factors.smaller() } else { factors };
        let out = scaled(mode, stick, factors);
        for (out, requested, factor) in [
            (out.forward_back, stick.forward_back, used.forward_back),
            (out.left_right, stick.left_right, used.left_right),
        ] {
            if requested.is_nan() || factor == Scale::ZERO {
                prop_assert_eq!(out, 0.0);
            } else {
                prop_assert!(within(out, requested), "{} of {}", out, requested);
                prop_assert!(out.abs() <= 100.0 * factor.get(), "{} by {:?}", out, factor);
            }
        }
    }

    #[test]
    fn a_kept_direction_is_the_same_direction(
        fb in -100.0..100.0, lr in -100.0..100.0, factors in factors(), mode in modes(),
    ) {
        let stick = Stick { forward_back: fb, left_right: lr };
        let out = scale_keeping_direction(mode, stick, factors);
        // The cross product of two parallel vectors is 0; 1e-9 is its rounding at lengths of 100.
        prop_assert!((out.forward_back * lr - out.left_right * fb).abs() < 1e-9);
    }

    #[test]
    fn any_fields_are_a_scaling(fields in prop::array::uniform16(f32::ANY)) {
        let (scaling, invalid) = Scaling::from_fields(&fields);
        let valid = fields.iter().filter(|f| (-1e-5..=1.0 + 1e-5).contains(*f)).count();
        prop_assert_eq!(valid + invalid as usize, 16);
        let sum: f64 = Zone::AROUND
            .map(|zone| scaling.of(zone).forward_back.get() + scaling.of(zone).left_right.get())
            .iter()
            .sum();
        let expected: f64 = fields.iter().filter(|f| (0.0..=1.0).contains(*f)).map(|&f| f64::from(f)).sum();
        prop_assert!((sum - expected).abs() < 1e-9, "each field is used once");
    }

    #[test]
    fn what_goes_out_is_never_more_than_what_came_in(
        params in parameters(), velocity in velocities(), fields in prop::array::uniform16(0.0..=1.0f32),
    ) {
        let command = Command::new(velocity, Stamp::ZERO);
        let events = [
            (300, Input::ScalingReceived(fields)),
            (0, Input::CommandReceived(Command::STOP)),
            (0, Input::CommandReceived(command)),
        ];
        let outputs = run(&Params { operation: Operation::Apply, ..params.clone() }, &events);
        let [.., (_, Output::Drive(driven)), (_, Output::PublishApplied(applied))] = outputs[..] else {
            return Err(TestCaseError::fail("a command, then what was done"));
        };
        let out = driven.velocity;
        prop_assert!(within(out.forward(), velocity.forward()) && within(out.turn(), velocity.turn()));
        prop_assert!(out.linear()[1..] == [0.0; 2] && out.angular()[..2] == [0.0; 2]);
        // Nor more than the factors allow of full throw; 1 + 1e-12 is the rounding of percent and back.
        let FullSpeed { linear, angular } = params.full_speed;
        let slack = 1.0 + 1e-12;
        prop_assert!(out.forward().abs() <= f64::from(applied.forward_back_scaling) * linear * slack);
        prop_assert!(out.turn().abs() <= f64::from(applied.left_right_scaling) * angular * slack);
        prop_assert!(applied.forward_back.abs() <= 100 && applied.left_right.abs() <= 100);
        // Nor than the zone of the stick allows.
        let own = Scaling::from_fields(&fields).0.of(params.boundaries.classify(applied.requested));
        prop_assert!(f64::from(applied.forward_back_scaling) <= own.forward_back.get());
        prop_assert!(f64::from(applied.left_right_scaling) <= own.left_right.get());
    }

    #[test]
    fn no_stick_gets_more_than_its_own_zone_leaves_whatever_is_held(
        trace in prop::collection::vec(joysticks(), 1..40),
        fields in prop::array::uniform16(prop_oneof![Just(0.0f32), 0.0..=1.0f32]),
        params in parameters(),
    ) {
        let applied = [Operation::Apply, Operation::Predict].contains(&params.operation);
        let operation = if applied { params.operation } else { Operation::Apply };
        let own = Scaling::from_fields(&fields).0;
        let params = Params { operation, ..params };
        let mut events = vec![(0, Input::ScalingReceived(fields))];
        events.extend(trace.into_iter().map(|joystick| (10, Input::JoystickReceived(joystick))));
        for (_, output) in run(&params, &events) {
            let Output::PublishApplied(applied) = output else { continue };
            let factors = own.of(params.boundaries.classify(applied.requested));
            let limits = [
                (applied.forward_back, applied.requested.forward_back, factors.forward_back),
                (applied.left_right, applied.requested.left_right, factors.left_right),
            ];
            for (out, requested, factor) in limits {
                let out = f64::from(out);
                prop_assert!(within(out, requested), "{} of {}", out, requested);
                // 100 times an f32 is exact in f64: no slack.
                prop_assert!(out.abs() <= 100.0 * factor.get(), "{} by {:?}", out, factor);
                let bound = requested.abs() * factor.get();
                prop_assert!(params.scaling == Mode::Limit || out.abs() <= bound, "{} of {}", out, bound);
            }
        }
    }

    #[test]
    fn a_stick_that_trembles_by_less_than_the_hysteresis_has_factors_that_stand(
        boundary in prop::sample::select(vec![13.7, 78.45, 101.55, 166.3, -13.7, -78.45, -101.55, -166.3]),
        trembling in prop::collection::vec(-2.9..2.9f64, 2..40),
        fields in prop::array::uniform16(0.0..=1.0f32),
    ) {
        let boundaries = Boundaries { hysteresis: 3.0, ..Boundaries::default() };
        let scaling = Scaling::from_fields(&fields).0;
        let towards = |direction: f64| {
            let (sin, cos) = f64::to_radians(direction).sin_cos();
            Stick { forward_back: 90.0 * cos, left_right: 90.0 * sin }
        };
        let mut held = HeldZones::NONE;
        for aside in [-1.0, 1.0] {
            held.follow(&boundaries, towards(boundary + aside)); // both sides were entered
        }
        let factors = held.factors(&scaling);
        for aside in trembling {
            held.follow(&boundaries, towards(boundary + aside));
            prop_assert_eq!(held.factors(&scaling), factors);
        }
    }

    #[test]
    fn a_joystick_and_feedback_move_nothing(events in events(), params in parameters()) {
        let silent = |event: &Input| {
            matches!(event, Input::JoystickReceived(_) | Input::FeedbackReceived(_) | Input::ScalingReceived(_))
        };
        let events: Vec<_> = events.into_iter().filter(|(_, event)| silent(event)).collect();
        for (_, output) in run(&params, &events) {
            match output {
                Output::Drive(command) => prop_assert!(command.velocity.is_zero()),
                Output::PublishApplied(applied) => prop_assert!(
                    applied.channel == Channel::Joystick || applied.requested == Stick::ORIGIN
                ),
            }
        }
    }

    #[test]
    fn a_prediction_commands_nothing(events in events(), params in parameters()) {
        let params = Params { operation: Operation::Predict, ..params };
        let events: Vec<_> =
            events.into_iter().filter(|(_, event)| !matches!(event, Input::ParametersChanged(_))).collect();
        let outputs = run(&params, &events);
        prop_assert!(events.is_empty() || !outputs.is_empty());
        prop_assert!(outputs.iter().all(|(_, o)| matches!(o, Output::PublishApplied(_))));
    }

    #[test]
    fn nothing_moves_without_a_command_and_a_scaling_in_time(events in events(), params in parameters()) {
        let params = Params { operation: Operation::Apply, ..params };
        let events: Vec<_> =
            events.into_iter().filter(|(_, event)| !matches!(event, Input::ParametersChanged(_))).collect();
        let outputs = run(&params, &events);
        let times = |pick: fn(&Input) -> bool| {
            let mut now = 0;
            let mut times = Vec::new();
            for (wait, event) in &events {
                if pick(event) {
                    times.push(now);
                }
                now += wait;
            }
            times
        };
        let commands = times(|event| matches!(event, Input::CommandReceived(_)));
        let scalings = times(|event| matches!(event, Input::ScalingReceived(_)));
        let recent = |times: &[u64], now: u64| times.iter().any(|&at| at <= now && now < at + 500);
        for (now, output) in outputs {
            if let Output::Drive(command) = output && !command.velocity.is_zero() {
                prop_assert!(recent(&commands, now) && recent(&scalings, now), "at {} ms", now);
            }
        }
    }

    #[test]
    fn a_moving_vehicle_is_stopped_when_all_falls_silent(events in events(), params in parameters()) {
        let mut events = events;
        let params = Params { operation: Operation::Apply, ..params };
        events.push((501, Input::ParametersChanged(params.clone())));
        let outputs = run(&params, &events);
        let last = |pick: fn(&Output) -> bool| outputs.iter().rev().map(|(_, o)| *o).find(pick);
        let Some(Output::Drive(driven)) = last(|o| matches!(o, Output::Drive(_))) else {
            return Err(TestCaseError::fail("there is always a first zero"));
        };
        prop_assert!(driven.velocity.is_zero());
        let Some(Output::PublishApplied(applied)) = last(|o| matches!(o, Output::PublishApplied(_))) else {
            return Err(TestCaseError::fail("what was done follows"));
        };
        prop_assert!(applied.reason >= Reason::CommandStale || params.operation == Operation::Passthrough);
    }

    #[test]
    fn the_same_events_give_the_same_outputs(events in events(), params in parameters()) {
        prop_assert_eq!(format!("{:?}", run(&params, &events)), format!("{:?}", run(&params, &events)));
    }
}
