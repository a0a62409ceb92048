//! Each machine, its possible inputs, and the invariants of its outputs.

use std::borrow::Cow;
use std::cell::Cell;

use fastrand::Rng;
use safety::{Command, Instant, PublisherCount, Stamp, Velocity};

use crate::{Subject, awkward, command, parameters, stamp, velocity};

/// Servo values that a motor controller accepts.
fn is_servo(value: i16) -> bool {
    (24..=156).contains(&value)
}

thread_local! {
    /// The number of motor values other than stop in this test.
    pub static MOVED: Cell<u64> = const { Cell::new(0) };
}

/// The inputs of a hindbrain that drives: raw inputs alone would never enable it.
pub fn helpful(rng: &mut Rng) -> hindbrain::Input {
    use hindbrain::Input;
    match rng.u8(0..9) {
        8 => Input::ActivityChanged(true),
        0 => Input::EnableReceived(rng.u8(0..4) > 0),
        1 => Input::EstopReceived(false),
        2 => Input::ResetReceived(rng.bool()),
        3 => Input::PublishersCounted(hindbrain::Publishers::default()),
        4 => Input::DeviceOpened,
        _ => {
            let velocity = Velocity::planar(f64::from(rng.u8(0..3)) / 2.0, 0.0);
            Input::CommandReceived(velocity.map(|velocity| Command::new(velocity, Stamp::ZERO)))
        }
    }
}

/// The publishers of a topic: mostly none or one.
fn publishers(rng: &mut Rng) -> PublisherCount {
    match rng.u8(0..8) {
        0 => PublisherCount::Unknown,
        1 => PublisherCount::Known { compatible: rng.usize(..), incompatible: rng.usize(0..3) },
        _ => PublisherCount::Known { compatible: rng.usize(0..2), incompatible: 0 },
    }
}

pub fn hindbrain() -> Subject<hindbrain::Hindbrain> {
    use hindbrain::{Hindbrain, Input, Output, Params, Publishers, Sensor, SoleTopic, StopState};
    fn params(rng: &mut Rng) -> Params {
        parameters(rng, &hindbrain::specification(), Params::read)
    }
    Subject {
        name: "hindbrain",
        begin: |rng| Hindbrain::new(params(rng)),
        input: |rng, now| match rng.u8(0..40) {
            20.. => helpful(rng),
            0..=7 => Input::CommandReceived(Ok(command(rng, now))),
            8 => Input::CommandReceived(velocity(rng).map(|_| command(rng, now))),
            9..=11 => Input::EnableReceived(rng.bool()),
            12 => Input::EstopReceived(rng.u8(0..4) == 0),
            13 => Input::ResetReceived(rng.bool()),
            14 | 15 => Input::IrReceived {
                sensor: Sensor::ALL[rng.usize(0..4)],
                distance: rng.bool().then(|| awkward(rng)),
                stamp: stamp(rng, now),
            },
            16 => Input::PublishersCounted(
                SoleTopic::ALL
                    .into_iter()
                    .fold(Publishers::default(), |all, topic| all.with(topic, publishers(rng))),
            ),
            17 => {
                if rng.bool() {
                    Input::DeviceOpened
                } else {
                    Input::DeviceLost
                }
            }
            18 => Input::ParametersChanged(params(rng)),
            _ if rng.u8(0..100) == 0 => Input::Stopping,
            _ if rng.u8(0..4) == 0 => Input::ActivityChanged(rng.bool()),
            _ if rng.bool() => Input::Interrupted,
            _ => Input::Unwatched,
        },
        clock_read: |reading| Some(Input::ClockRead(reading)),
        holds: |machine, output| match output {
            Output::Drive(motors) => {
                let stops = machine.state() == StopState::Ok || motors.are_stopped();
                MOVED.set(MOVED.get() + u64::from(!motors.are_stopped()));
                is_servo(motors.port) && is_servo(motors.starboard) && stops
            }
            _ => true,
        },
    }
}

pub fn arbiter() -> Subject<arbiter::Arbiter> {
    use arbiter::{Arbiter, Input, Invalid, Output, Params};
    fn params(rng: &mut Rng) -> Params {
        parameters(rng, &arbiter::specification(), Params::read)
    }
    Subject {
        name: "arbiter",
        begin: |rng| Arbiter::new(params(rng)),
        input: |rng, now| match rng.u8(0..14) {
            13 => Input::ActivityChanged(rng.u8(0..4) > 0),
            12 => Input::LockPublishersCounted { lock: rng.usize(0..2), publishers: publishers(rng) },
            0..=6 => {
                Input::command(rng.usize(0..3), velocity(rng).map_err(Invalid::NotFinite), stamp(rng, now))
            }
            7 => Input::command(rng.usize(..), Err(Invalid::WorldFrame), stamp(rng, now)),
            8 => Input::LockReceived { lock: rng.usize(0..2), closed: rng.bool() },
            9 => Input::ParametersChanged(params(rng)),
            _ if rng.u8(0..100) == 0 => Input::Stopping,
            _ => Input::SourcePublishersCounted { source: rng.usize(0..3), publishers: publishers(rng) },
        },
        clock_read: |reading| Some(Input::ClockRead(reading)),
        holds: |_, output| match output {
            Output::Drive(command) => command.velocity.linear().iter().all(|part| part.is_finite()),
            Output::PublishActive(_) => true,
        },
    }
}

fn luci_stick(rng: &mut Rng) -> zones::Joystick {
    let mut percent = || match rng.u8(0..8) {
        0 => rng.i32(..),
        _ => rng.i32(-110..110),
    };
    let (forward_back, left_right) = (percent(), percent());
    zones::Joystick { forward_back, left_right, joystick_zone: rng.i32(-1..10), input_source: rng.i32(-1..7) }
}

fn factors(rng: &mut Rng) -> [f32; 16] {
    let odd = rng.u8(0..8) == 0;
    std::array::from_fn(|_| if odd { awkward(rng) as f32 } else { rng.f32() })
}

pub fn zones() -> Subject<zones::ZoneScaler> {
    use safety::NotFinite;
    use zones::{Feedback, Input, Output, Params, ZoneScaler};
    fn params(rng: &mut Rng) -> Params {
        parameters(rng, &zones::specification(), Params::read)
    }
    Subject {
        name: "zones",
        begin: |rng| ZoneScaler::new(params(rng)),
        input: |rng, now| match rng.u8(0..16) {
            0..=5 => Input::CommandReceived(command(rng, now)),
            6 => Input::CommandRefused(NotFinite { part: "linear.x", value: f64::NAN }),
            7 => Input::CommandPublishersCounted(publishers(rng)),
            8 => Input::JoystickReceived(luci_stick(rng)),
            9..=11 => Input::ScalingReceived(factors(rng)),
            12 => Input::ScalingPublishersCounted(publishers(rng)),
            13 => Input::FeedbackReceived(Feedback {
                forward_back: rng.i32(-110..110),
                left_right: rng.i32(..),
                joystick_zone: rng.i32(-1..10),
                input_source: rng.i32(-1..7),
                forward_back_scaling: awkward(rng) as f32,
                left_right_scaling: awkward(rng) as f32,
            }),
            14 => Input::ProfileReceived(rng.i32(-1..8)),
            _ if rng.u8(0..100) == 0 => Input::Stopping,
            _ if rng.bool() => Input::ActivityChanged(rng.u8(0..4) > 0),
            _ => Input::ParametersChanged(params(rng)),
        },
        clock_read: |reading| Some(Input::ClockRead(reading)),
        holds: |_, output| match output {
            Output::Drive(command) => {
                command.velocity.forward().is_finite() && command.velocity.turn().is_finite()
            }
            Output::PublishApplied(_) => true,
        },
    }
}

pub fn surround() -> Subject<surround::Surround> {
    use params::Value;
    use surround::{Cloud, Input, Output, Params, Scan, Surround};
    fn params(rng: &mut Rng) -> Params {
        let sensors = [
            ("sensors.lidar.topic".to_owned(), Value::Text("scan".into())),
            ("sensors.rear.topic".to_owned(), Value::Text("points".into())),
            ("sensors.rear.type".to_owned(), Value::Text("cloud".into())),
            ("sensors.rear.z".to_owned(), Value::Float(0.0)),
            ("sensors.rear.yaw".to_owned(), Value::Float(f64::from(rng.i32(-180..180)))),
        ];
        surround::specification()
            .resolve(sensors)
            .ok()
            .and_then(|set| Params::read(&set).ok())
            .unwrap_or_default()
    }
    Subject {
        name: "surround",
        begin: |rng| Surround::new(params(rng)),
        input: |rng, now| match rng.u8(0..16) {
            0..=8 => Input::ScanReceived {
                sensor: rng.usize(0..3),
                stamp: stamp(rng, now),
                scan: Scan {
                    frame: Cow::Borrowed(""),
                    angle_min: awkward(rng),
                    angle_increment: if rng.bool() { 0.1 } else { awkward(rng) },
                    range_min: awkward(rng).abs(),
                    ranges: (0..rng.usize(0..200)).map(|_| awkward(rng) as f32).collect(),
                },
            },
            9..=12 => Input::CloudReceived {
                sensor: rng.usize(0..3),
                stamp: stamp(rng, now),
                cloud: Cloud {
                    frame: Cow::Borrowed(""),
                    width: rng.u32(..) >> rng.u8(0..32),
                    height: rng.u32(0..4),
                    point_step: rng.u32(..) >> rng.u8(0..32),
                    row_step: rng.u32(..) >> rng.u8(0..32),
                    is_bigendian: rng.bool(),
                    fields: std::array::from_fn(|place| {
                        let offset = if rng.bool() { 4 * place as u32 } else { rng.u32(..) };
                        (rng.u8(0..16) > 0).then(|| surround::Field { offset, datatype: rng.u8(6..10) })
                    }),
                    data: (0..rng.usize(0..400)).map(|_| rng.u8(..)).collect(),
                },
            },
            13 => match velocity(rng) {
                Ok(velocity) => Input::VelocityReceived { velocity, stamp: stamp(rng, now) },
                Err(wrong) => Input::VelocityRefused(wrong),
            },
            14 => Input::ParametersChanged(params(rng)),
            _ if rng.u8(0..100) == 0 => Input::Stopping,
            _ if rng.u8(0..4) == 0 => Input::ActivityChanged(rng.u8(0..4) > 0),
            15 => Input::PublishersCounted { sensor: rng.usize(0..3), count: publishers(rng) },
            _ => Input::VelocityReceived { velocity: safety::Velocity::ZERO, stamp: Stamp::ZERO },
        },
        clock_read: |reading| Some(Input::ClockRead(reading)),
        holds: |_, output| match output {
            Output::Publish(fields) => {
                fields.iter().all(|factor| factor.is_nan() || (0.0..=1.0).contains(factor))
            }
        },
    }
}

pub fn chair() -> Subject<chair::Chair> {
    use chair::{Chair, ChairInput, ChairOutput, Encoders, ImuFields, Input, Output, Params, Service, Side};
    use safety::NotFinite;
    const SERVICES: [Service; 4] =
        [Service::SetAuto, Service::RemoveAuto, Service::SetShared, Service::RemoveShared];
    fn params(rng: &mut Rng) -> Params {
        parameters(rng, &chair::specification(), Params::read)
    }
    fn remote(rng: &mut Rng, now: Instant) -> Input {
        match rng.u8(0..13) {
            12 => Input::ActivityChanged(rng.u8(0..4) > 0),
            0 => Input::Activated,
            1 if rng.u8(0..4) == 0 => Input::Deactivated,
            1..=6 => Input::CommandReceived(command(rng, now)),
            7 => Input::CommandRefused(NotFinite { part: "linear.x", value: f64::NAN }),
            8 => Input::PublishersCounted(publishers(rng)),
            9 => Input::StickPublishersCounted(publishers(rng)),
            10 => Input::ProfileReceived(rng.i32(-1..8)),
            _ if rng.u8(0..100) == 0 => Input::Stopping,
            _ => Input::ServiceAnswered(SERVICES[rng.usize(0..4)]),
        }
    }
    Subject {
        name: "chair",
        begin: |rng| Chair::new(&params(rng)),
        input: |rng, now| match rng.u8(0..16) {
            0..=7 => ChairInput::Remote(remote(rng, now)),
            8 | 9 => ChairInput::ScalingReceived(rng.i32(-1..7)),
            10 | 11 => ChairInput::PositionReceived(luci_stick(rng)),
            12 => ChairInput::EncodersReceived(Encoders {
                left_angle: awkward(rng) as f32 * 180.0,
                right_angle: rng.f32() * 360.0,
                edge_timestamp: if rng.bool() { rng.u32(..) } else { (now.as_nanos() / 1_000_000) as u32 },
                stamp: stamp(rng, now),
            }),
            13 => {
                let mut four =
                    || [awkward(rng), awkward(rng), awkward(rng), awkward(rng)].map(|part| part as f32);
                let (quaternion, [x, y, z, _]) = (four(), four());
                ChairInput::ImuReceived(ImuFields { quaternion, accelerometer: [x, y, z] }, stamp(rng, now))
            }
            14 => ChairInput::CameraReceived {
                side: Side::ALL[rng.usize(0..3)],
                stamp: stamp(rng, now),
                frame: "camera".into(),
                intrinsics: std::array::from_fn(|_| awkward(rng) as f32),
            },
            _ => ChairInput::ParametersChanged(params(rng)),
        },
        clock_read: |reading| Some(ChairInput::Remote(Input::ClockRead(reading))),
        holds: |_, output| match output {
            ChairOutput::Remote(Output::PublishJoystick(stick)) => {
                stick.forward_back().abs() <= 100 && stick.left_right().abs() <= 100
            }
            ChairOutput::PublishOdometry(estimate) => format!("{estimate:?}").find("NaN").is_none(),
            _ => true,
        },
    }
}

pub fn luci_chair() -> Subject<luci_chair::LuciChair> {
    use luci_chair::{Input, LuciChair, Output, Params};
    fn params(rng: &mut Rng) -> Params {
        parameters(rng, &luci_chair::specification(), Params::read)
    }
    Subject {
        name: "luci_chair",
        begin: |rng| LuciChair::new(params(rng)),
        input: |rng, _| match rng.u8(0..13) {
            12 => Input::ParametersChanged(params(rng)),
            0 => Input::StickMoved(rng.i32(..), rng.i32(-110..110)),
            1..=4 => Input::RemoteReceived(luci_stick(rng)),
            5 => Input::ScalingGiven(factors(rng)),
            6 => Input::ProfileSelected(rng.i32(-1..8)),
            7 => Input::OverridePressed(rng.bool()),
            8 => Input::BaseMeasured(awkward(rng), awkward(rng)),
            9 => Input::ServicesRefused(rng.bool()),
            10 => Input::StreamsHalted(rng.bool()),
            _ if rng.u8(0..100) == 0 => Input::Stopping,
            _ => Input::ModeEnded,
        },
        clock_read: |_| None,
        holds: |_, output| match output {
            Output::TurnWheels(port, starboard) => port.is_finite() && starboard.is_finite(),
            _ => true,
        },
    }
}

pub fn simulator() -> Subject<simulator::World> {
    use simulator::{Input, Output, Params, World};
    fn params(rng: &mut Rng) -> Params {
        parameters(rng, &simulator::specification(), Params::read)
    }
    fn motor(rng: &mut Rng) -> i16 {
        match rng.u8(0..4) {
            0 => 90, // motion begins with it
            1 => rng.i16(..),
            _ => rng.i16(20..160),
        }
    }
    Subject {
        name: "simulator",
        begin: |rng| World::new(params(rng)),
        input: |rng, _| match rng.u8(0..9) {
            8 => Input::ActivityChanged(rng.u8(0..4) > 0),
            0..=2 => Input::PortReceived(motor(rng)),
            3..=5 => Input::StarboardReceived(motor(rng)),
            6 => Input::EstopPressed(rng.bool()),
            _ => Input::ParametersChanged(params(rng)),
        },
        clock_read: |reading| Some(Input::ClockRead(reading)),
        holds: |_, output| match output {
            Output::PublishOdometry(odometry) => odometry.forward.is_finite() && odometry.turn.is_finite(),
            _ => true,
        },
    }
}

pub fn joystick() -> Subject<joystick::Joystick> {
    use joystick::{DeviceId, Hat, Input, Joystick, Output, Params, PoseState, VirtualState};
    fn params(rng: &mut Rng) -> Params {
        parameters(rng, &joystick::specification(), Params::read)
    }
    fn id(rng: &mut Rng) -> DeviceId {
        DeviceId(rng.u32(0..4) as _)
    }
    fn axes(rng: &mut Rng) -> Vec<i16> {
        (0..rng.usize(0..20)).map(|_| rng.i16(..)).collect()
    }
    fn buttons(rng: &mut Rng) -> Vec<bool> {
        (0..rng.usize(0..20)).map(|_| rng.bool()).collect()
    }
    // A reference passes through unchanged, also one that is not finite, which the arbiter refuses. Only finite ones are used
    // here, so the joystick's own outputs can be judged.
    fn three(rng: &mut Rng) -> Option<[f64; 3]> {
        let parts = [awkward(rng), awkward(rng), awkward(rng)];
        rng.bool().then_some(parts.map(|part| if part.is_finite() { part } else { 0.0 }))
    }
    fn pose(rng: &mut Rng, stamp: Stamp) -> PoseState {
        PoseState {
            stamp,
            intrinsic: rng.u8(0..4) > 0,
            vel: three(rng),
            avel: three(rng),
            ..PoseState::default()
        }
    }
    Subject {
        name: "joystick",
        begin: |rng| Joystick::new(params(rng)),
        input: |rng, now: Instant| match rng.u8(0..23) {
            0 => Input::DeviceConnected {
                id: id(rng),
                name: ["Pad", "", "Stick \u{1f579}"][rng.usize(0..3)].into(),
                guid: "03000000100800000100000010010000".into(),
                serial: String::new(),
                path: "/dev/input/event7".into(),
                links: Vec::new(),
                mapping: ["", "g,n,leftx:a0,lefty:a1~,rightx:+a2,a:b0,b:b1,x:b0,y:h0.1"][rng.usize(0..2)]
                    .into(),
                axes: axes(rng),
                buttons: buttons(rng),
                hats: vec![Hat::default(); rng.usize(0..3)],
            },
            1 if rng.u8(0..4) == 0 => Input::DeviceDisconnected { id: id(rng) },
            1 => Input::TriggersKnown { id: id(rng), axes: vec![rng.usize(0..8)] },
            2 => Input::DeviceRenamed { id: id(rng), name: "other".into() },
            3..=7 => Input::AxisMoved { id: id(rng), axis: rng.usize(0..10), value: rng.i16(..) },
            8..=10 => Input::ButtonChanged { id: id(rng), button: rng.usize(0..12), pressed: rng.bool() },
            11 => Input::DevicesPolled,
            12 => Input::ReadingLost,
            13 => Input::DeviceRead { id: id(rng), axes: axes(rng), buttons: buttons(rng), hats: Vec::new() },
            14 | 15 => Input::BatchEnded,
            16 => {
                let (stamp, axes, buttons) = (stamp(rng, now), axes(rng), buttons(rng));
                Input::VirtualDeviceMoved(Ok(VirtualState { stamp, axes, buttons }))
            }
            17 => {
                let stamp = stamp(rng, now);
                Input::ReferenceReceived(pose(rng, stamp))
            }
            18 => Input::FrameSelected(rng.bool()),
            19 => Input::ReferencePublishersCounted(publishers(rng)),
            20 => Input::VirtualPublishersCounted(publishers(rng)),
            21 => Input::ActivityChanged(rng.u8(0..4) > 0),
            _ if rng.u8(0..100) == 0 => Input::Stopping,
            _ => Input::ParametersChanged(params(rng)),
        },
        clock_read: |reading| Some(Input::ClockRead(reading)),
        holds: |_, output| match output {
            Output::PublishDesired(state) => {
                state.vel.is_none_or(|parts| parts.iter().all(|part| part.is_finite()))
            }
            _ => true,
        },
    }
}
