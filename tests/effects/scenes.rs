//! The inputs of each machine: the usual ones, and often enough the rare ones.

use std::borrow::Cow;

use fastrand::Rng;
use params::Value;
use safety::{PublisherCount, PublisherId, Stamp};

use crate::{Subject, command, velocity};

fn text(value: &str) -> Value {
    Value::Text(value.into())
}

pub fn hindbrain() -> Subject<hindbrain::Hindbrain, hindbrain::Params> {
    use hindbrain::{Hindbrain, Input, Params, Sensor};
    Subject {
        specification: hindbrain::specification(),
        base: vec![("ir.sensors", Value::Texts(vec!["ir_front_port".into()]))],
        read: Params::read,
        begin: Hindbrain::new,
        changed: Input::ParametersChanged,
        scene: |mood, rng, step| {
            let (publishes, wanted) = (mood.u8(0..4) > 0, velocity(mood));
            let (clear, estop_publishes, switch_publishes) =
                (mood.f64(), mood.u8(0..8) > 0, mood.u8(0..8) > 0);
            let mut inputs = Vec::new();
            if step % 5 == 0 && estop_publishes {
                inputs.push(Input::EstopReceived(false));
            }
            if switch_publishes {
                // Occasionally off and on again, followed by a zero.
                inputs.push(Input::EnableReceived(step % 50 > 2));
            }
            if rng.u8(0..100) < 2 {
                inputs.extend([
                    Input::ResetReceived(false),
                    Input::ResetReceived(true),
                    Input::ResetReceived(false),
                ]);
            }
            let distance = if mood.bool() { 0.5 + 12.0 * clear } else { clear * 0.5 };
            inputs.push(Input::IrReceived {
                sensor: Sensor::ALL[0],
                distance: Some(distance),
                stamp: Stamp::ZERO,
            });
            if publishes {
                let wanted = if step % 50 < 6 { safety::Velocity::ZERO } else { wanted };
                inputs.push(Input::CommandReceived(Ok(command(wanted))));
            }
            inputs
        },
        report: |machine| format!("{:?}", machine.health()),
        scenes: 20,
        elsewhere: &[],
    }
}

pub fn arbiter() -> Subject<arbiter::Arbiter, arbiter::Params> {
    use arbiter::{Arbiter, Input, Params};
    Subject {
        specification: arbiter::specification(),
        base: vec![
            ("locks.door.topic", text("door")),
            ("locks.door.priority", Value::Integer(50)),
            ("limits.linear.x.deceleration", Value::Float(0.5)),
            ("limits.linear.x.emergency", Value::Float(4.0)),
            ("limits.angular.z.deceleration", Value::Float(0.5)),
            ("limits.angular.z.emergency", Value::Float(4.0)),
        ],
        read: Params::read,
        begin: Arbiter::new,
        changed: Input::ParametersChanged,
        scene: |mood, _, step| {
            let mut inputs = Vec::new();
            for source in 0..2 {
                let (publishes, wanted) = (mood.u8(0..4) > 0, velocity(mood));
                if publishes {
                    let wanted = if step % 50 < 3 { safety::Velocity::ZERO } else { wanted };
                    inputs.push(Input::CommandReceived { source, command: Ok(command(wanted)) });
                }
            }
            let (publishes, closed) = (mood.u8(0..4) > 0, mood.u8(0..4) == 0);
            if publishes {
                inputs.push(Input::LockReceived { lock: 0, closed });
            }
            inputs
        },
        report: |machine| format!("{:?}", machine.health()),
        scenes: 20,
        elsewhere: &[
            (
                "sources.*.topic",
                "test_arbiter_parameters.py::test_topic_and_type_are_changed_while_a_source_drives",
            ),
            (
                "sources.*.type",
                "test_arbiter_parameters.py::test_topic_and_type_are_changed_while_a_source_drives",
            ),
            (
                "locks.*.topic",
                "test_arbiter_parameters.py::test_a_lock_that_is_added_masks_until_it_is_open_or_gone",
            ),
        ],
    }
}

/// Factors at their limits and between them.
fn factors(mood: &mut Rng) -> [f32; 16] {
    std::array::from_fn(|_| [0.0, 1.0, 1.0, mood.f32()][mood.usize(0..4)])
}

pub fn zones() -> Subject<zones::ZoneScaler, zones::Params> {
    use zones::{Feedback, Input, Params, ZoneScaler};
    Subject {
        specification: zones::specification(),
        base: Vec::new(),
        read: Params::read,
        begin: ZoneScaler::new,
        changed: Input::ParametersChanged,
        scene: |mood, rng, step| {
            let (publishes, scales, wanted, all) =
                (mood.u8(0..4) > 0, mood.u8(0..4) > 0, velocity(mood), factors(mood));
            let mut inputs = Vec::new();
            if scales {
                inputs.push(Input::ScalingReceived(all));
            }
            if publishes {
                // Around one direction, to and fro over a boundary.
                let (sin, cos) = (mood.f64() * 6.3 + rng.f64() * 0.2).sin_cos();
                let about = safety::Velocity::planar(cos, sin).unwrap_or_default();
                let wanted = [wanted, about][mood.usize(0..2)];
                let wanted = if step % 50 < 3 { safety::Velocity::ZERO } else { wanted };
                inputs.push(Input::CommandReceived(command(wanted)));
            }
            let (forward_back, left_right) = (mood.i32(-100..=100), mood.i32(-100..=100));
            inputs.push(Input::JoystickReceived(zones::Joystick {
                forward_back,
                left_right,
                joystick_zone: rng.i32(0..=8),
                input_source: 5,
            }));
            inputs.push(Input::FeedbackReceived(Feedback {
                forward_back: forward_back / 2 + rng.i32(-4..5),
                left_right: left_right / 2,
                joystick_zone: 1,
                input_source: 5,
                forward_back_scaling: 0.5,
                left_right_scaling: 0.5,
            }));
            inputs
        },
        report: |machine| format!("{:?} {:?}", machine.health(), machine.report()),
        scenes: 20,
        elsewhere: &[("markers.*", "test_zone_markers.py::test_the_zones_and_both_sticks_are_drawn")],
    }
}

pub fn joystick() -> Subject<joystick::Joystick, joystick::Params> {
    use joystick::{DeviceId, Hat, Input, Joystick, Params, PoseState};
    const AXES: [&str; 6] = [
        "linear.x.axis",
        "linear.y.axis",
        "linear.z.axis",
        "angular.x.axis",
        "angular.y.axis",
        "angular.z.axis",
    ];
    const BUTTONS: [&str; 6] =
        ["enable.on", "enable.slow", "enable.toggle", "coords.intrinsic", "coords.world", "coords.toggle"];
    let mut base: Vec<(&str, Value)> = AXES.into_iter().zip((0..).map(Value::Integer)).collect();
    base.extend(BUTTONS.into_iter().zip((0..).map(Value::Integer)));
    Subject {
        specification: joystick::specification(),
        base,
        read: Params::read,
        begin: Joystick::new,
        changed: Input::ParametersChanged,
        scene: |mood, rng, step| {
            let connect = |id: u32, name: &str| Input::DeviceConnected {
                id: DeviceId(id as _),
                name: name.into(),
                guid: "03000000100800000100000010010000".into(),
                serial: String::new(),
                path: format!("/dev/input/event{id}"),
                links: Vec::new(),
                mapping: String::new(),
                axes: vec![0; 16],
                buttons: vec![false; 16],
                hats: vec![Hat::default()],
            };
            let mut inputs = vec![Input::ClockRead(Stamp { sec: 100, nanosec: step as u32 }.into())];
            if step == 0 {
                inputs.extend([Input::JoySubscribersCounted(1), connect(1, "Pad"), connect(2, "other")]);
            }
            inputs.push(Input::DevicesPolled);
            for id in [1, 2] {
                // At rest at the beginning of each scene, since a stick that is held when it is connected does not drive.
                let is_held = step > 10 && mood.u8(0..4) > 0;
                for axis in 0..16 {
                    let value = mood.i16(-32767..=32767);
                    let value = if is_held && (step + axis as u64).is_multiple_of(3) { value } else { 0 };
                    if step % 5 == 0 {
                        inputs.push(Input::AxisMoved { id: DeviceId(id as _), axis, value });
                    }
                }
                let button = rng.usize(0..6);
                if step % 10 == 5 {
                    let pressed = rng.u8(0..3) > 0;
                    inputs.push(Input::ButtonChanged { id: DeviceId(id as _), button, pressed });
                }
            }
            inputs.push(Input::BatchEnded);
            inputs.push(Input::ReferenceReceived(PoseState {
                stamp: Stamp::ZERO,
                intrinsic: true,
                vel: Some([0.1, 0.0, 0.0]),
                avel: Some([0.0; 3]),
                ..PoseState::default()
            }));
            inputs
        },
        report: |_| String::new(),
        scenes: 20,
        elsewhere: &[],
    }
}

pub fn chair() -> Subject<chair::Chair, chair::Params> {
    use chair::{Chair, ChairInput, Encoders, ImuFields, Input, Params, Service};
    Subject {
        specification: chair::specification(),
        // Without a calibration nothing moves.
        base: vec![
            ("profiles.line.number", Value::Integer(1)),
            ("profiles.line.forward.full_throw", Value::Float(1.0)),
            ("profiles.line.turn.full_throw", Value::Float(1.0)),
        ],
        read: Params::read,
        begin: |params| Chair::new(&params),
        changed: ChairInput::ParametersChanged,
        scene: |mood, rng, step| {
            let mut inputs = Vec::new();
            if step % 100 == 0 {
                inputs.push(ChairInput::Remote(Input::Activated));
                inputs.push(ChairInput::Remote(Input::ProfileReceived(1)));
            }
            let (answers, publishes, shows, turns) =
                (mood.u8(0..4) > 0, mood.u8(0..4) > 0, mood.u8(0..4) > 0, mood.u8(0..8) > 0);
            let wanted = velocity(mood);
            if answers && step % 10 == 0 {
                inputs.push(ChairInput::Remote(Input::ServiceAnswered(Service::SetShared)));
            }
            if shows {
                // The chair's source of a shared remote; occasionally the occupant's own.
                inputs.push(ChairInput::ScalingReceived(5));
                let (forward_back, left_right) = (mood.i32(-100..=100), mood.i32(-100..=100));
                if rng.u8(0..4) == 0 {
                    inputs.push(ChairInput::PositionReceived(zones::Joystick {
                        forward_back,
                        left_right,
                        joystick_zone: 8,
                        input_source: 4,
                    }));
                }
            }
            if publishes {
                let wanted = if step % 50 < 3 { safety::Velocity::ZERO } else { wanted };
                inputs.push(ChairInput::Remote(Input::CommandReceived(command(wanted))));
            }
            if turns {
                let angle = (step as f32 * mood.f32() * 10.0) % 360.0;
                inputs.push(ChairInput::EncodersReceived(Encoders {
                    left_angle: angle,
                    right_angle: (angle * 1.5) % 360.0,
                    edge_timestamp: step as u32 * 20,
                    stamp: Stamp { sec: 100 + (step / 50) as i32, nanosec: (step % 50) as u32 * 20_000_000 },
                }));
            }
            inputs.push(ChairInput::ImuReceived(
                ImuFields { quaternion: [0.0, 0.0, 0.0, 1.0], accelerometer: [0.0, 0.1, 1.0] },
                Stamp { sec: 100, nanosec: step as u32 },
            ));
            inputs
        },
        report: |machine| format!("{:?} {:?}", machine.health(), machine.odometry().health()),
        scenes: 20,
        elsewhere: &[],
    }
}

pub fn surround() -> Subject<surround::Surround, surround::Params> {
    use surround::{Cloud, Field, Input, Params, Scan, Surround};
    fn scan(mood: &mut Rng, rng: &mut Rng) -> Scan<'static> {
        let (near, count) = (mood.f32() * 2.0, [45, 12][mood.usize(0..2)]);
        let ranges = (0..count)
            .map(|_| match rng.u8(0..100) {
                0 => 0.0,
                1 => f32::INFINITY,
                2 => f32::NAN,
                3 => near,
                _ => near + 0.2 + rng.f32() * 3.0,
            })
            .collect();
        Scan {
            frame: Cow::Borrowed(""),
            angle_min: -std::f64::consts::PI,
            angle_increment: std::f64::consts::TAU / f64::from(count),
            range_min: 0.05,
            ranges,
        }
    }
    fn cloud(mood: &mut Rng, rng: &mut Rng) -> Cloud<'static> {
        let count = [0, 20, 80][mood.usize(0..3)];
        let near = mood.f32() * 2.0;
        let mut data = Vec::new();
        for _ in 0..count {
            let x = if rng.u8(0..4) == 0 { f32::NAN } else { near + rng.f32() * 3.0 };
            data.extend([x, rng.f32() * 2.0 - 1.0, 0.5].into_iter().flat_map(f32::to_le_bytes));
        }
        Cloud {
            frame: Cow::Borrowed(""),
            width: count,
            height: 1,
            point_step: 12,
            row_step: 12 * count,
            is_bigendian: false,
            fields: [0, 4, 8].map(|offset| Some(Field { offset, datatype: 7 })),
            data: data.into(),
        }
    }
    Subject {
        specification: surround::specification(),
        base: vec![
            ("velocity", text("used")),
            ("uncovered", text("free")),
            ("sensors.points.topic", text("points")),
            ("sensors.points.type", text("cloud")),
            ("sensors.points.z", Value::Float(0.0)),
            ("sensors.points.covers_from", Value::Float(-60.0)),
            ("sensors.points.covers_to", Value::Float(60.0)),
            ("sensors.scanner.topic", text("scan")),
            ("sensors.scanner.covers_from", Value::Float(30.0)),
            ("sensors.scanner.covers_to", Value::Float(-120.0)),
        ],
        read: Params::read,
        begin: Surround::new,
        changed: Input::ParametersChanged,
        scene: |mood, rng, step| {
            let (scans, points, moves) = (mood.u8(0..8) > 0, mood.u8(0..8) > 0, mood.u8(0..4) > 0);
            let (sensor, stamp, mut inputs) = (0, Stamp::ZERO, Vec::new());
            if points && step % 4 == 0 {
                inputs.push(Input::CloudReceived { sensor, stamp, cloud: cloud(mood, rng) });
            }
            if scans && step % 4 == 2 {
                inputs.push(Input::ScanReceived { sensor: 1, stamp, scan: scan(mood, rng) });
            }
            if moves {
                inputs.push(Input::VelocityReceived { velocity: velocity(mood), stamp: safety::Stamp::ZERO });
            }
            inputs
        },
        report: |machine| format!("{:?}", machine.health()),
        scenes: 4,
        elsewhere: &[
            ("sensors.scanner.least_points", "only clouds"),
            ("sensors.scanner.empty", "only clouds"),
            ("sensors.points.zero_range", "only scans"),
            ("sensors.points.gap", "only scans"),
        ],
    }
}

pub fn simulator() -> Subject<simulator::World, simulator::Params> {
    use simulator::{Input, Params, World};
    Subject {
        specification: simulator::specification(),
        base: Vec::new(),
        read: Params::read,
        begin: World::new,
        changed: Input::ParametersChanged,
        scene: |mood, _, step| {
            let (publishes, port, starboard) = (mood.u8(0..4) > 0, mood.i16(24..=156), mood.i16(24..=156));
            // The wheels turn once both values were at stop.
            let [port, starboard] = if step % 8 == 0 { [90; 2] } else { [port, starboard] };
            let mut inputs = vec![Input::ClockRead(Stamp { sec: 100, nanosec: step as u32 }.into())];
            if publishes {
                inputs.extend([Input::PortReceived(port), Input::StarboardReceived(starboard)]);
            }
            inputs
        },
        report: |_| String::new(),
        scenes: 20,
        elsewhere: &[],
    }
}

pub fn switches() -> Subject<switches::SwitchRelay, switches::Params> {
    use switches::{Input, Params, SwitchRelay};
    let text = |text: &str| Value::Text(text.into());
    Subject {
        specification: switches::specification(),
        base: vec![("switches.a.from", text("/a")), ("switches.a.to", text("/b"))],
        read: Params::read,
        begin: SwitchRelay::new,
        changed: Input::ParametersChanged,
        scene: |mood, _, _| {
            let (publishers, publisher) = (PublisherCount::of(1), Some(PublisherId([1; 24])));
            vec![
                Input::PublishersCounted { switch: 0, publishers, publisher },
                Input::StateReceived { switch: 0, state: Ok(mood.bool()) },
            ]
        },
        report: |_| String::new(),
        scenes: 2,
        elsewhere: &[],
    }
}

pub fn luci_chair() -> Subject<luci_chair::LuciChair, luci_chair::Params> {
    use luci_chair::{Input, LuciChair, Params};
    Subject {
        specification: luci_chair::specification(),
        base: Vec::new(),
        read: Params::read,
        begin: LuciChair::new,
        changed: Input::ParametersChanged,
        scene: |mood, rng, step| {
            let mut inputs = Vec::new();
            if step % 50 == 0 {
                inputs.push(Input::ProfileSelected(mood.i32(1..=5)));
                inputs.push(Input::StickMoved(mood.i32(-100..=100), mood.i32(-100..=100)));
                inputs.push(Input::ScalingGiven(factors(mood)));
                inputs.push(Input::OverridePressed(mood.bool()));
            }
            if rng.u8(0..50) == 0 {
                let service = if rng.bool() { chair::Service::SetShared } else { chair::Service::SetAuto };
                inputs.push(Input::ServiceCalled(service));
            }
            if mood.u8(0..4) > 0 && step % rng.u64(1..8) == 0 {
                inputs.push(Input::RemoteReceived(zones::Joystick {
                    forward_back: mood.i32(-100..=100),
                    left_right: mood.i32(-100..=100),
                    joystick_zone: mood.i32(0..=8),
                    input_source: 5,
                }));
            }
            inputs
        },
        report: |_| String::new(),
        scenes: 20,
        elsewhere: &[],
    }
}
