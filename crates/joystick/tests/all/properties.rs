//! Properties for any input.
#![allow(clippy::unwrap_used)] // the lint's exception for tests does not see helpers

use crate::common;

use common::{PAD, bits, driving, guarded, reference, wall};
use joystick::{
    AxisMapping, DeviceId, Dynamics, Effect, EnableButtons, Feedback, FrameButtons, Hat, Input, JoyParams,
    Joystick, MAX_NAME_LENGTH, MAX_PUBLISHED, Mappings, Names, Output, Params, PoseState, Shape,
    VirtualState, port_name,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use safety::{ClockReading, Instant, Machine, Stamp};

fn connect(machine: &mut Joystick) {
    machine.handle(
        Instant::ZERO,
        Input::DeviceConnected {
            id: PAD,
            name: "Pad".into(),
            guid: String::new(),
            serial: String::new(),
            path: String::new(),
            links: vec![],
            mapping: String::new(),
            axes: vec![0; 2],
            buttons: vec![false; 10],
            hats: vec![],
        },
    );
    machine.handle(Instant::ZERO, Input::BatchEnded);
}

fn drain(machine: &mut Joystick, now: Instant) -> Vec<Output> {
    std::iter::from_fn(|| machine.poll(now)).collect()
}

/// The velocity after the stick was held at `axis` for the sum of `pieces` [ns], polled after each.
fn velocity_after(params: &Params, axis: i16, pieces: &[u64]) -> [f64; 3] {
    let mut machine = Joystick::new(params.clone());
    connect(&mut machine);
    machine.handle(Instant::ZERO, Input::AxisMoved { id: PAD, axis: 0, value: axis });
    drain(&mut machine, Instant::ZERO);
    let mut now = 0;
    let mut last = [0.0; 3];
    for piece in pieces {
        now += piece;
        machine.handle(Instant::from_nanos(now), Input::AxisMoved { id: PAD, axis: 0, value: axis });
        machine.handle(Instant::from_nanos(now), Input::BatchEnded);
        for output in drain(&mut machine, Instant::from_nanos(now)) {
            if let Output::PublishDesired(state) = output {
                last = state.vel.unwrap();
            }
        }
    }
    last
}

fn button() -> impl Strategy<Value = Option<usize>> {
    option::of(0..20_usize)
}

fn params() -> impl Strategy<Value = Params> {
    let shape = (any::<[i16; 3]>(), any::<bool>(), any::<f64>(), any::<f64>()).prop_map(
        |([min, center, max], invert, dead_zone, curve)| Shape { min, center, max, invert, dead_zone, curve },
    );
    let speed = || option::of(any::<f64>());
    let axis = (option::of(0..20_usize), any::<f64>(), any::<f64>(), shape, speed(), speed()).prop_map(
        |(axis, offset, scale, shape, max_speed, slow_speed)| AxisMapping {
            axis,
            offset,
            scale,
            shape,
            max_speed,
            slow_speed,
        },
    );
    let axes = [axis.clone(), axis.clone(), axis];
    let enable =
        (button(), button(), button()).prop_map(|(on, slow, toggle)| EnableButtons { on, slow, toggle });
    let coords = (button(), button(), button()).prop_map(|(intrinsic, world, toggle)| FrameButtons {
        intrinsic,
        world,
        toggle,
    });
    let dynamics = (any::<f64>(), any::<f64>(), any::<f64>(), any::<f64>())
        .prop_map(|(drag, amax, awmax, slow)| Dynamics { drag, amax, awmax, slow });
    // Beyond the ranges of the specification.
    let joy = (any::<f64>(), any::<f64>(), any::<f64>()).prop_map(
        |(dead_zone, autorepeat_rate, coalesce_interval)| JoyParams {
            dead_zone,
            autorepeat_rate,
            coalesce_interval,
        },
    );
    (any::<u32>(), "(Pad|a|b|7)?", any::<bool>(), dynamics, axes.clone(), axes, enable, coords, joy).prop_map(
        |(rate, control_device, intrinsic, dynamics, linear, angular, enable, coords, joy)| Params {
            rate,
            control_device,
            joy_input: String::new(),
            virtual_device: "Hand".into(),
            intrinsic,
            dynamics,
            names: Names::default(),
            mappings: Mappings { linear, angular, enable, coords },
            joy,
        },
    )
}

fn id() -> impl Strategy<Value = DeviceId> {
    (0..4_u32).prop_map(DeviceId)
}

fn hat() -> impl Strategy<Value = Hat> {
    any::<[bool; 4]>().prop_map(|[up, down, left, right]| Hat { up, down, left, right })
}

fn number() -> impl Strategy<Value = usize> {
    prop_oneof![9 => 0..20_usize, 1 => any::<usize>()]
}

fn stamp() -> impl Strategy<Value = Stamp> {
    (any::<i32>(), any::<u32>()).prop_map(|(sec, nanosec)| Stamp { sec, nanosec })
}

fn input() -> impl Strategy<Value = Input> {
    let connected = (
        id(),
        ".{0,40}",
        "[ab]",
        "7?",
        vec(any::<i16>(), 0..20),
        vec(any::<bool>(), 0..20),
        vec(hat(), 0..5),
    )
        .prop_map(|(id, name, guid, serial, axes, buttons, hats)| Input::DeviceConnected {
            id,
            name,
            guid,
            serial,
            path: String::new(),
            links: vec![],
            mapping: String::new(),
            axes,
            buttons,
            hats,
        });
    let state =
        (stamp(), any::<bool>(), option::of(any::<[f64; 3]>()), option::of(any::<[f64; 3]>())).prop_map(
            |(stamp, intrinsic, vel, avel)| PoseState { stamp, intrinsic, vel, avel, ..PoseState::default() },
        );
    prop_oneof![
        3 => connected,
        2 => id().prop_map(|id| Input::DeviceDisconnected { id }),
        9 => (id(), number(), any::<i16>()).prop_map(|(id, axis, value)| Input::AxisMoved { id, axis, value }),
        9 => (id(), number(), any::<bool>())
            .prop_map(|(id, button, pressed)| Input::ButtonChanged { id, button, pressed }),
        3 => (id(), number(), hat()).prop_map(|(id, hat, state)| Input::HatMoved { id, hat, state }),
        9 => Just(Input::BatchEnded),
        4 => (stamp(), any::<bool>())
            .prop_map(|(stamp, is_reliable)| Input::ClockRead(ClockReading { stamp, is_reliable })),
        4 => state.prop_map(Input::ReferenceReceived),
        2 => params().prop_map(Input::ParametersChanged),
        2 => (id(), "[a-c_]{0,3}").prop_map(|(id, name)| Input::DeviceRenamed { id, name }),
        1 => any::<bool>().prop_map(Input::FrameSelected),
        1 => any::<bool>().prop_map(Input::FrameParameterUpdated),
        1 => any::<bool>().prop_map(Input::LogSwitched),
        3 => Just(Input::DevicesPolled),
        1 => Just(Input::ReadingLost),
        2 => (stamp(), vec(any::<i16>(), 0..10), vec(any::<bool>(), 0..13)).prop_map(|(stamp, axes, buttons)| {
            Input::VirtualDeviceMoved(Ok(VirtualState { stamp, axes, buttons }))
        }),
        1 => (0..4_u8, 0..4_u8, any::<f32>())
            .prop_map(|(kind, id, intensity)| Input::FeedbackReceived(Feedback { kind, id, intensity })),
    ]
}

/// Inputs, each some nanoseconds, sometimes very many, after the previous one.
fn story() -> impl Strategy<Value = Vec<(u64, Input)>> {
    let wait = prop_oneof![9 => 0..20_000_000_u64, 1 => any::<u64>()];
    vec((wait, input()), 0..60)
}

/// All outputs of a story, and the state of the machine after it.
fn play(params: &Params, story: &[(u64, Input)]) -> (Vec<Output>, Joystick) {
    let mut machine = Joystick::new(params.clone());
    let mut outputs = Vec::new();
    let mut now = 0_u64;
    for (wait, input) in story {
        now = now.saturating_add(*wait);
        machine.handle(Instant::from_nanos(now), input.clone());
        outputs.extend(drain(&mut machine, Instant::from_nanos(now)));
    }
    machine.handle(Instant::from_nanos(now), Input::Stopping);
    outputs.extend(drain(&mut machine, Instant::from_nanos(now)));
    (outputs, machine)
}

fn part<const N: usize>(present: bool, words: &mut impl Iterator<Item = f64>) -> Option<[f64; N]> {
    present.then(|| std::array::from_fn(|_| words.next().unwrap_or_default()))
}

proptest! {
    #[test]
    fn the_velocity_does_not_depend_on_how_time_is_divided(
        axis: i16, drag in 0.0..1000.0, pieces in vec(0..50_000_000_u64, 1..40),
    ) {
        let mut params = driving();
        params.dynamics.drag = drag;
        let whole = velocity_after(&params, axis, &[pieces.iter().sum()]);
        let cut = velocity_after(&params, axis, &pieces);
        // No coordinate decays, so none is set to zero: only rounding remains.
        prop_assert!((whole[0] - cut[0]).abs() <= 1e-9 * whole[0].abs(), "{whole:?} {cut:?}");
    }

    #[test]
    fn the_velocity_is_that_of_the_closed_form(
        axis: i16, drag in (-8.0..3.0).prop_map(|power: f64| 10.0_f64.powf(power)),
        nanos in (0.0..11.0).prop_map(|power: f64| 10.0_f64.powf(power) as u64),
    ) {
        let mut params = driving();
        params.dynamics.drag = drag;
        let v = velocity_after(&params, axis, &[nanos])[0];
        // v = a / drag * (1 - exp(-drag t)), and a = 10 m/s^2 times the axis
        let a = 10.0 * f64::from(axis.max(-i16::MAX)) / 32767.0;
        let expected = a / drag * -(-drag * nanos as f64 * 1e-9).exp_m1();
        prop_assert!((v - expected).abs() <= 1e-9 * expected.abs(), "{v} {expected}");
    }

    #[test]
    fn any_reference_passes_bit_for_bit(words in vec(any::<u64>(), 73), present: [bool; 13], stamp in stamp()) {
        let mut words = words.into_iter().map(f64::from_bits);
        let reference = PoseState {
            stamp,
            intrinsic: present[0],
            pos: part(present[0], &mut words),
            att: part(present[1], &mut words),
            vel: part(present[2], &mut words),
            avel: part(present[3], &mut words),
            acc: part(present[4], &mut words),
            aacc: part(present[5], &mut words),
            pos_cov: part(present[6], &mut words),
            att_cov: part(present[7], &mut words),
            att_pos_cov: part(present[8], &mut words),
            vel_cov: part(present[9], &mut words),
            avel_cov: part(present[10], &mut words),
            acc_cov: part(present[11], &mut words),
            aacc_cov: part(present[12], &mut words),
        };
        let mut machine = Joystick::new(guarded());
        machine.handle(Instant::ZERO, Input::ReferenceReceived(PoseState::default()));
        machine.handle(Instant::ZERO, Input::ReferenceReceived(reference));
        let Some(Output::PublishDesired(desired)) = machine.poll(Instant::ZERO) else {
            return Err(TestCaseError::fail("nothing was passed on"));
        };
        prop_assert_eq!(bits(&desired), bits(&reference));
    }

    #[test]
    fn any_story_runs_without_panic_and_twice_alike(params in params(), story in story()) {
        let (first, machine) = play(&params, &story);
        let (second, again) = play(&params, &story);
        // As text, which has a NaN equal to itself.
        prop_assert_eq!(format!("{first:?}"), format!("{second:?}"));
        prop_assert_eq!(machine.report(), again.report());
        prop_assert_eq!(machine.health(), again.health());
    }

    #[test]
    fn every_output_keeps_the_limits_of_the_wire(params in params(), story in story()) {
        let mut open: Vec<String> = Vec::new();
        let mut given: Vec<PoseState> = Vec::new();
        let mut connected = None;
        for (_, input) in &story {
            if let Input::ReferenceReceived(state) = input {
                given.push(*state);
            }
        }
        for output in play(&params, &story).0 {
            match output {
                Output::OpenDevice { name } => {
                    prop_assert!(!open.contains(&name) && name.len() <= MAX_NAME_LENGTH);
                    prop_assert!(name.starts_with(|c: char| c.is_ascii_alphabetic()));
                    prop_assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
                    prop_assert!(!name.contains("__") && !name.ends_with('_'));
                    open.push(name);
                }
                Output::PublishDevice { name, state } => {
                    prop_assert!(open.contains(&name), "{} is open", name);
                    prop_assert!(state.axes.len() <= MAX_PUBLISHED && state.buttons.len() <= MAX_PUBLISHED);
                }
                Output::CloseDevice { name } => {
                    prop_assert!(open.contains(&name));
                    open.retain(|other| *other != name);
                }
                Output::PublishJoy(joy) => {
                    prop_assert!(joy.axes.len() <= 64 && joy.axes.iter().all(|x| x.abs() <= 1.0));
                    prop_assert!(joy.buttons.iter().all(|b| [0, 1].contains(b)));
                }
                // It is the reference, or finite for any parameters.
                Output::PublishDesired(state) => {
                    let text = format!("{state:?}");
                    if !given.iter().any(|given| format!("{given:?}") == text) {
                        for part in [state.vel, state.avel, state.acc, state.aacc] {
                            prop_assert!(part.iter().flatten().all(|x| x.is_finite()), "{text}");
                        }
                    }
                }
                Output::PublishConnected(now) => {
                    prop_assert!(connected != Some(now), "published twice");
                    connected = Some(now);
                }
                Output::LogRow(row) => prop_assert_eq!(row.to_string().split(' ').count(), 15),
                Output::Feedback { effect: Effect::Rumble { time, .. }, .. } => {
                    prop_assert!(time.as_secs() <= 1);
                }
                Output::Feedback { .. } | Output::Report(_) => {}
            }
        }
    }

    #[test]
    fn an_unplugged_stick_is_at_zero_at_once(
        drag in 0.0..10.0, hold in 0..5_000_000_000_u64, axis: i16, toggled: bool,
    ) {
        let mut params = if toggled { guarded() } else { driving() };
        params.dynamics.drag = drag;
        let mut machine = Joystick::new(params);
        connect(&mut machine);
        machine.handle(Instant::ZERO, Input::ButtonChanged { id: PAD, button: common::TOGGLE, pressed: true });
        machine.handle(Instant::ZERO, Input::AxisMoved { id: PAD, axis: 0, value: axis });
        let now = Instant::from_nanos(hold);
        machine.handle(now, Input::ReferenceReceived(reference(wall(0), true, 1.0)));
        machine.handle(now, Input::DeviceDisconnected { id: PAD });
        machine.handle(now, Input::BatchEnded);
        let Some(Output::PublishDesired(state)) = machine.poll(now) else {
            return Err(TestCaseError::fail("nothing is published"));
        };
        // A takeover outlasts its pad; otherwise the stick was lost, also at rest.
        let expected = if toggled { PoseState::standing } else { PoseState::lost };
        prop_assert_eq!(state, expected(Stamp::ZERO, true));
    }

    #[test]
    fn any_name_is_a_port_and_its_own_port(name in ".{0,60}") {
        let port = port_name(&name);
        prop_assert!((1..=MAX_NAME_LENGTH).contains(&port.len()));
        prop_assert_eq!(port_name(&port), port.clone());
    }
}
