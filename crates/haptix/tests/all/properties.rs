//! Properties that hold for any input.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::time::Duration;

use common::{Rig, make, rig};
use haptix::{
    AnalyticHand, Command, Device, DeviceLoop, GraspValue, Haptix, Input, MAX, MAX_DELAY, Mode, Model, Noise,
    Object, Order, Output, Report, Sensor, Settings, Shape, Simulation,
};
use nalgebra::Vector3;
use proptest::collection::vec;
use proptest::prelude::*;
use safety::{Instant, Machine};

/// Any bits, and often values that a hand understands.
fn value() -> impl Strategy<Value = f32> {
    prop_oneof![3 => -3.0_f32..3.0, 1 => any::<f32>(), 1 => Just(f32::NAN), 1 => Just(f32::INFINITY)]
}

fn finite() -> impl Strategy<Value = f32> {
    prop_oneof![5 => -3.0_f32..3.0, 1 => any::<f32>().prop_filter("finite", |value| value.is_finite())]
}

fn group(value: impl Strategy<Value = f32> + 'static) -> impl Strategy<Value = Option<[f32; MAX]>> {
    prop::option::of(vec(value, MAX).prop_map(|values| values.try_into().unwrap()))
}

fn any_command() -> impl Strategy<Value = Command> {
    command_of(|| value().boxed())
}

fn good_command() -> impl Strategy<Value = Command> {
    command_of(|| finite().boxed()).prop_map(|mut command| {
        for gains in [&mut command.gain_pos, &mut command.gain_vel].into_iter().flatten() {
            gains.iter_mut().for_each(|gain| *gain = gain.abs());
        }
        command
    })
}

fn command_of(value: fn() -> BoxedStrategy<f32>) -> impl Strategy<Value = Command> {
    let groups = (group(value()), group(value()), group(value()), group(value()), group(value()));
    groups.prop_map(|(ref_pos, ref_vel, ref_vel_max, gain_pos, gain_vel)| Command {
        ref_pos,
        ref_vel,
        ref_vel_max,
        gain_pos,
        gain_vel,
    })
}

fn vector() -> impl Strategy<Value = Vector3<f64>> {
    [-0.15..0.15, -0.1..0.1, -0.05..0.25].prop_map(Vector3::from)
}

fn object() -> impl Strategy<Value = Object> {
    let shape = prop_oneof![
        (vector(), 0.0..0.1).prop_map(|(center, radius)| Shape::Sphere { center, radius }),
        (vector(), vector()).prop_map(|(point, out)| {
            Shape::Plane { point, normal: out.try_normalize(1e-6).unwrap_or(Vector3::x()) }
        }),
        (0_usize..40, -1.0..1.5).prop_map(|(contact, angle)| Shape::Stop { contact, angle }),
    ];
    (shape, 0.0..1e5, 0.0..100.0).prop_map(|(shape, stiffness, damping)| Object { shape, stiffness, damping })
}

fn simulation() -> impl Strategy<Value = Simulation> {
    let noise = prop_oneof![Just(0.0), 0.0..2.0];
    (vec(object(), 0..4), noise, 0..=MAX_DELAY, 0_usize..MAX).prop_map(|(objects, noise, delay, broken)| {
        let mut simulation = Simulation { delay, ..Simulation::default() };
        for (place, object) in simulation.objects.iter_mut().zip(objects) {
            *place = Some(object);
        }
        simulation.noise = Noise {
            position: noise,
            velocity: noise,
            torque: noise,
            contact: noise,
            acceleration: noise,
            angular_velocity: noise,
        };
        simulation.faults.stuck_motors[broken] = true;
        simulation.faults.dead_contacts[broken] = true;
        simulation
    })
}

fn assert_sound(sensor: &Sensor, device: &dyn Device, what: &str) {
    let info = &device.constants().info;
    let positions = [(&sensor.motor_pos, &info.motor_limit), (&sensor.joint_pos, &info.joint_limit)];
    for (positions, limits) in positions {
        for (position, limit) in positions.iter().zip(limits) {
            assert!((limit.minimum..=limit.maximum).contains(position), "{what}: {position} {limit:?}");
        }
    }
    assert!(
        sensor.contact.iter().all(|force| *force >= 0.0 && force.is_finite()),
        "{what}: {:?}",
        sensor.contact
    );
    let others = [&sensor.motor_vel, &sensor.motor_torque, &sensor.joint_vel];
    assert!(others.into_iter().flatten().all(|value| value.is_finite()), "{what}: {sensor:?}");
    let imus = sensor.imu_linear_acc.iter().chain(&sensor.imu_angular_vel);
    assert!(imus.flatten().all(|value| value.is_finite()), "{what}: {sensor:?}");
    let tails = [(&sensor.motor_pos, info.motor_count), (&sensor.motor_vel, info.motor_count)];
    let more = [(&sensor.motor_torque, info.motor_count), (&sensor.joint_pos, info.joint_count)];
    let rest = [(&sensor.joint_vel, info.joint_count), (&sensor.contact, info.contact_sensor_count)];
    for (values, count) in tails.into_iter().chain(more).chain(rest) {
        assert_eq!(values[count..], [0.0; MAX][count..], "{what}");
    }
    assert_eq!(sensor.imu_linear_acc[info.imu_count..], [[0.0; 3]; MAX][info.imu_count..]);
    assert_eq!(sensor.imu_angular_vel[info.imu_count..], [[0.0; 3]; MAX][info.imu_count..]);
    assert_eq!(sensor.imu_orientation[info.imu_count..], [[0.0; 4]; MAX][info.imu_count..]);
}

fn device() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("mpl"), Just("mpl_gazebo"), Just("two_finger")]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_reading_is_sound_whatever_is_commanded_and_touched(
        name in device(),
        commands in vec(good_command(), 1..5),
        simulation in simulation(),
        millis in prop_oneof![Just(1_u64), 1_u64..21],
    ) {
        let mut rig = rig(name);
        rig.device.simulate(&simulation).unwrap();
        for command in commands {
            rig.command(&command);
            for step in 0..40 {
                rig.device.step(Duration::from_millis(millis)).unwrap();
                let sensor = rig.read();
                assert_sound(&sensor, &*rig.device, &format!("step {step}"));
            }
        }
    }

    #[test]
    fn two_runs_are_equal_bit_for_bit(
        name in device(),
        commands in vec(good_command(), 1..5),
        simulation in simulation(),
        seed in any::<u64>(),
    ) {
        let run = || {
            let mut rig = Rig::new(&move |text, _| make(text, seed), name);
            rig.device.simulate(&simulation).unwrap();
            let mut bits = Vec::new();
            for command in &commands {
                rig.command(command);
                rig.run(0.02);
                let sensor = rig.read();
                let imus = sensor.imu_linear_acc.iter().chain(&sensor.imu_angular_vel).flatten();
                let values = sensor.motor_pos.iter().chain(&sensor.motor_vel).chain(&sensor.motor_torque);
                let values = values.chain(&sensor.joint_pos).chain(&sensor.joint_vel).chain(&sensor.contact);
                bits.extend(values.chain(imus).map(|value| value.to_bits()));
            }
            bits
        };
        prop_assert_eq!(run(), run());
    }

    #[test]
    fn a_refused_command_changes_nothing_and_an_accepted_one_is_finite(commands in vec(any_command(), 1..20)) {
        let mut rig = rig("mpl");
        let limits = rig.limits();
        for command in commands {
            let before = rig.setpoints;
            let is_good = haptix::Group::ALL.iter().all(|group| {
                let values = command.group(*group).map_or(&[][..], |values| &values[..13]);
                values.iter().all(|value| value.is_finite() && (!group.is_gain() || *value >= 0.0))
            });
            let taken = rig.setpoints.take(&command, &limits, &[false; MAX]);
            prop_assert_eq!(taken.is_ok(), is_good);
            prop_assert!(is_good || rig.setpoints == before);
            for (position, limit) in rig.setpoints.ref_pos.iter().zip(&limits) {
                prop_assert!((f64::from(limit.minimum)..=f64::from(limit.maximum)).contains(position));
            }
        }
    }

    #[test]
    fn any_text_is_a_model_or_refused(text in "(based_on: two_finger\n)?[a-z_:\\[\\]{}0-9., \n-]{0,80}") {
        let _ = Model::parse(&text);
    }

    #[test]
    fn any_value_in_a_description_is_a_model_or_refused(
        from in prop_oneof![Just("0.005"), Just("[0, 1.57]"), Just("[1]"), Just("0.002"), Just("10.0"), Just("100.0")],
        to in "(-?[0-9]{1,3}(\\.[0-9]{1,3})?(e-?[0-9]{1,3})?|\\[(-?[0-9.]{1,4}, ){0,5}-?[0-9.]{1,4}\\]|\\.nan|\\.inf|~)",
    ) {
        let text = haptix::BUILTIN.iter().find(|(name, _)| *name == "two_finger").unwrap().1;
        let text = text.replace(from, &to);
        if Model::parse(&text).is_ok() {
            let mut rig = Rig::of(&make, &text);
            rig.turn(0, 1.0);
            rig.run(0.05);
            let sensor = rig.read();
            assert_sound(&sensor, &*rig.device, &to);
        }
    }
}

#[derive(Clone, Debug)]
enum Event {
    Input(Box<Input>),
    Pass(u64),
    Steps(u64),
}

fn event() -> impl Strategy<Value = Event> {
    let command = || prop_oneof![any_command(), good_command()].prop_map(Box::new);
    let input = |input: Input| Event::Input(Box::new(input));
    let name = prop_oneof![Just("Pinch".to_owned()), "[A-Z][a-z]{0,5}"];
    let grasps = vec((name, value()).prop_map(|(name, value)| GraspValue { name, value }), 0..3);
    let settings = (prop::option::of(1_u64..3000), simulation(), any::<bool>());
    prop_oneof![
        (command(), 0_u64..3000).prop_map(move |(command, at)| {
            input(Input::CommandReceived { command, at: Instant::from_millis(at) })
        }),
        (any::<u64>(), command(), any::<bool>()).prop_map(move |(id, command, wait_for_tick)| {
            input(Input::UpdateRequested { id, command, wait_for_tick })
        }),
        any::<u64>().prop_map(move |id| input(Input::ReadRequested { id })),
        any::<u64>().prop_map(move |id| input(Input::InfoRequested { id })),
        (any::<u64>(), grasps).prop_map(move |(id, grasps)| input(Input::GraspRequested { id, grasps })),
        (any::<u64>(), any::<bool>())
            .prop_map(move |(id, reset_limb_pose)| input(Input::ResetRequested { id, reset_limb_pose })),
        settings.prop_map(move |(timeout, mut simulation, is_silent)| {
            simulation.faults.is_silent = is_silent;
            let command_timeout = timeout.map(Duration::from_millis);
            input(Input::ParametersChanged(Box::new(Settings {
                command_timeout,
                hold_gain: 0.5,
                simulation,
            })))
        }),
        (0_u64..2000).prop_map(Event::Pass),
        (1_u64..50).prop_map(Event::Steps),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_call_is_answered_once_and_within_the_time_out(events in vec(event(), 1..60)) {
        let settings =
            Settings { command_timeout: None, hold_gain: 0.5, simulation: Simulation::default() };
        let hand = AnalyticHand::new(Model::builtin("two_finger").unwrap(), 1);
        let mut device = DeviceLoop::new(Box::new(hand), Duration::from_millis(1), settings);
        let mut machine = Haptix::new(&device, &settings);
        let (mut millis, mut asked, mut answered) = (0, Vec::new(), Vec::new());
        let events = events.into_iter().chain([Event::Pass(1000)]);
        for event in events {
            let steps = match event {
                Event::Steps(steps) => steps,
                Event::Pass(time) => {
                    millis += time;
                    0
                }
                Event::Input(input) => {
                    if let Input::UpdateRequested { id, .. }
                    | Input::ReadRequested { id }
                    | Input::InfoRequested { id }
                    | Input::GraspRequested { id, .. }
                    | Input::ResetRequested { id, .. } = *input
                    {
                        asked.push(id);
                    }
                    machine.handle(Instant::from_millis(millis), *input);
                    0
                }
            };
            for step in 0..=steps {
                let now = Instant::from_millis(millis);
                if step < steps {
                    match device.step(now) {
                        Some(Report::Stepped(reading)) => {
                            machine.handle(now, Input::DeviceStepped(Box::new(reading)));
                        }
                        Some(Report::Failed(error)) => machine.handle(now, Input::DeviceFailed(error)),
                        None => {}
                    }
                    millis += 1;
                }
                while let Some(output) = machine.poll(Instant::from_millis(millis)) {
                    match output {
                        Output::Answer(id, _) => answered.push(id),
                        Output::Order(order) => device.take(*order),
                        _ => {}
                    }
                }
                prop_assert!(machine.deadline().is_none_or(|due| due > Instant::from_millis(millis)));
            }
        }
        asked.sort_unstable();
        answered.sort_unstable();
        prop_assert_eq!(asked, answered);
    }
}

/// Event of a loop: a command, a hold, another time-out, a reset of the pose, or time that passes.
#[derive(Clone, Debug)]
enum Turn {
    Command,
    Hold,
    Timeout(Option<u64>),
    Reset,
    Pass(u64),
}

fn turn() -> impl Strategy<Value = Turn> {
    prop_oneof![
        2 => Just(Turn::Command),
        1 => Just(Turn::Hold),
        2 => prop::option::of(1_u64..3000).prop_map(Turn::Timeout),
        1 => Just(Turn::Reset),
        4 => (0_u64..1500).prop_map(Turn::Pass),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_device_follows_only_a_command_younger_than_the_time_out_since_which_it_did_not_hold(
        turns in vec(turn(), 1..40),
    ) {
        let hand = AnalyticHand::new(Model::builtin("two_finger").unwrap(), 1);
        let settings = Settings { command_timeout: Some(Duration::from_secs(1)), hold_gain: 0.5, simulation: Simulation::default() };
        let mut device = DeviceLoop::new(Box::new(hand), Duration::from_millis(1), settings);
        let (mut millis, mut timeout, mut commanded) = (0, Some(1000), None);
        for turn in turns {
            match turn {
                Turn::Command => {
                    device.take(Order::Command { setpoints: device.constants().start, at: Instant::from_millis(millis) });
                    commanded = Some(millis);
                }
                Turn::Hold => {
                    device.take(Order::Hold);
                    commanded = None;
                }
                Turn::Timeout(given) => {
                    timeout = given;
                    let command_timeout = given.map(Duration::from_millis);
                    device.take(Order::Configure(Settings { command_timeout, ..settings }));
                }
                Turn::Reset => {
                    device.take(Order::Reset { reset_limb_pose: true });
                    commanded = None;
                }
                Turn::Pass(time) => {
                    for _ in 0..time {
                        if let Some(Report::Stepped(reading)) = device.step(Instant::from_millis(millis)) {
                            let is_fresh = |at: &u64| timeout.is_none_or(|timeout| millis - at < timeout);
                            let expected = if commanded.is_some_and(|at| is_fresh(&at)) { Mode::Following } else { Mode::Holding };
                            prop_assert_eq!(reading.mode, expected);
                            if reading.mode == Mode::Holding {
                                commanded = None;
                            }
                        }
                        millis += 1;
                    }
                }
            }
        }
    }
}
