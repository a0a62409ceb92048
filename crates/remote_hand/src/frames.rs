//! Frames: length and number, 4 bytes each, then a byte for the kind, then what belongs to it.

use core::time::Duration;

use haptix::{DeviceError, Sensor, Setpoints, Simulation};

use crate::codec::{Reader, Writer};

/// Version of the frames, which both sides must share: it changes whenever a frame does.
pub(crate) const VERSION: u32 = 2;

/// The longest frame but [`Request::Start`], with its header.
pub(crate) const MAX_FRAME: usize = 4096;
/// The longest description of a hand.
pub(crate) const MAX_TEXT: usize = 1 << 20;
pub(crate) const HEADER: usize = 8;

/// Request of the caller.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // a box would allocate on the device's thread
pub(crate) enum Request {
    /// The first one: the description of the hand and the seed of its noise.
    Start {
        version: u32,
        seed: u64,
        description: String,
    },
    /// Passes time; it has no answer.
    Step(Duration),
    Read,
    Command(Setpoints),
    Hold(f64),
    Reset(bool),
    Simulate(Simulation),
}

/// Answer of the process.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)]
pub(crate) enum Answer {
    Done,
    Reading(Sensor),
    Refused(DeviceError),
}

/// The length of the frame that begins with `header`, its header included, and its number.
pub(crate) fn header(header: [u8; HEADER]) -> Option<(usize, u32)> {
    let mut reader = Reader::new(&header);
    Some((usize::try_from(reader.u32()?).ok()?, reader.u32()?))
}

/// Writes a frame to the start of `buffer` and returns its length; `body` writes kind and contents.
fn frame(buffer: &mut [u8], number: u32, body: impl FnOnce(&mut Writer<'_>)) -> usize {
    let mut writer = Writer::new(buffer);
    writer.u32(0);
    writer.u32(number);
    body(&mut writer);
    let length = writer.length();
    Writer::new(buffer).u32(length as u32); // no buffer is longer than MAX_TEXT and some
    length
}

impl Request {
    pub(crate) fn encode(&self, number: u32, buffer: &mut [u8]) -> usize {
        frame(buffer, number, |writer| match self {
            Self::Start { version, seed, description } => {
                writer.byte(0);
                writer.u32(*version);
                writer.u64(*seed);
                writer.bytes(description.as_bytes());
            }
            Self::Step(dt) => {
                writer.byte(1);
                writer.u64(dt.as_secs());
                writer.u32(dt.subsec_nanos());
            }
            Self::Read => writer.byte(2),
            Self::Command(setpoints) => {
                writer.byte(3);
                writer.setpoints(setpoints);
            }
            Self::Hold(gain) => {
                writer.byte(4);
                writer.f64(*gain);
            }
            Self::Reset(reset_limb_pose) => {
                writer.byte(5);
                writer.byte((*reset_limb_pose).into());
            }
            Self::Simulate(simulation) => {
                writer.byte(6);
                writer.simulation(simulation);
            }
        })
    }

    /// `body` is what follows the header.
    pub(crate) fn decode(body: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(body);
        let request = match reader.byte()? {
            0 => Self::Start {
                version: reader.u32()?,
                seed: reader.u64()?,
                description: String::from_utf8(reader.rest().to_vec()).ok()?,
            },
            1 => {
                let (seconds, nanos) = (reader.u64()?, reader.u32()?);
                // `Duration::new` carries what is a second or more, and panics where that overflows.
                Self::Step(Duration::new(seconds, if nanos < 1_000_000_000 { nanos } else { return None }))
            }
            2 => Self::Read,
            3 => Self::Command(reader.setpoints()?),
            4 => Self::Hold(reader.f64()?),
            5 => Self::Reset(reader.flag()?),
            6 => Self::Simulate(reader.simulation()?),
            _ => return None,
        };
        reader.end(request)
    }
}

impl Answer {
    pub(crate) fn encode(&self, number: u32, buffer: &mut [u8]) -> usize {
        frame(buffer, number, |writer| match self {
            Self::Done => writer.byte(0),
            Self::Reading(sensor) => {
                writer.byte(1);
                writer.sensor(sensor);
            }
            Self::Refused(DeviceError::NoAnswer) => writer.byte(2),
            Self::Refused(DeviceError::Failed(text)) => {
                writer.byte(3);
                writer.bytes(safety::first_bytes(text, MAX_FRAME - HEADER - 1).as_bytes());
            }
        })
    }

    /// `body` is what follows the header.
    pub(crate) fn decode(body: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(body);
        let answer = match reader.byte()? {
            0 => Self::Done,
            1 => {
                let mut sensor = Sensor::default();
                reader.sensor(&mut sensor)?;
                Self::Reading(sensor)
            }
            2 => Self::Refused(DeviceError::NoAnswer),
            3 => {
                let text = String::from_utf8_lossy(reader.rest()).into_owned();
                Self::Refused(DeviceError::Failed(text))
            }
            _ => return None,
        };
        reader.end(answer)
    }
}

#[cfg(test)]
mod tests {
    use haptix::{MAX, Noise, Object, Shape};
    use nalgebra::Vector3;
    use safety::Stamp;

    use super::*;

    fn setpoints() -> Setpoints {
        let values = |start: usize| core::array::from_fn(|index| (start + index) as f64 / 3.0);
        let mut setpoints = Setpoints::new(13, values(1), values(2), values(3));
        (setpoints.ref_vel, setpoints.ref_vel_max) = (values(4), values(5));
        setpoints
    }

    fn simulation() -> Simulation {
        let mut simulation = Simulation { delay: 50, ..Simulation::default() };
        let shapes = [
            Shape::Sphere { center: Vector3::new(1.0, 2.0, 3.0), radius: 4.0 },
            Shape::Plane { point: Vector3::new(5.0, 6.0, 7.0), normal: Vector3::z() },
            Shape::Stop { contact: 18, angle: -0.25 },
        ];
        // The last place, too; the first one is empty.
        for (place, shape) in simulation.objects.iter_mut().rev().zip(shapes) {
            *place = Some(Object { shape, stiffness: 8.0, damping: 9.0 });
        }
        simulation.noise = Noise {
            position: 0.1,
            velocity: 0.2,
            torque: 0.3,
            contact: 0.4,
            acceleration: 0.5,
            angular_velocity: 0.6,
        };
        let faults = &mut simulation.faults;
        let all = [
            &mut faults.stuck_motors,
            &mut faults.dead_motors,
            &mut faults.dead_joints,
            &mut faults.dead_contacts,
            &mut faults.dead_imus,
        ];
        for (index, marks) in all.into_iter().enumerate() {
            (marks[index], marks[MAX - 1]) = (true, index % 2 == 0);
        }
        faults.is_silent = true;
        simulation
    }

    fn sensor() -> Sensor {
        let mut next = 0.0;
        let mut number = || {
            next += 0.5;
            next
        };
        let mut sensor = Sensor { time_stamp: Stamp { sec: 9, nanosec: 10 }, ..Sensor::default() };
        for values in [
            &mut sensor.motor_pos,
            &mut sensor.motor_vel,
            &mut sensor.motor_torque,
            &mut sensor.joint_pos,
            &mut sensor.joint_vel,
            &mut sensor.contact,
        ] {
            values.fill_with(&mut number);
        }
        sensor.imu_linear_acc.as_flattened_mut().fill_with(&mut number);
        sensor.imu_angular_vel.as_flattened_mut().fill_with(&mut number);
        sensor.imu_orientation.as_flattened_mut().fill_with(&mut number);
        sensor
    }

    fn requests() -> Vec<Request> {
        vec![
            Request::Start { version: 7, seed: u64::MAX, description: "modèle: {}".into() },
            Request::Step(Duration::new(3, 999_999_999)),
            Request::Read,
            Request::Command(setpoints()),
            Request::Hold(0.25),
            Request::Reset(true),
            Request::Reset(false),
            Request::Simulate(Simulation::default()),
            Request::Simulate(simulation()),
        ]
    }

    #[test]
    fn every_request_arrives_as_it_was_sent_with_its_number() {
        let mut buffer = [0xff; MAX_FRAME];
        for (number, request) in (40..).zip(requests()) {
            let length = request.encode(number, &mut buffer);
            assert_eq!(header(*buffer.first_chunk().unwrap()), Some((length, number)));
            assert_eq!(Request::decode(&buffer[HEADER..length]), Some(request));
        }
    }

    #[test]
    fn every_answer_arrives_as_it_was_sent() {
        let mut buffer = [0xff; MAX_FRAME];
        for answer in [
            Answer::Done,
            Answer::Reading(sensor()),
            Answer::Refused(DeviceError::NoAnswer),
            Answer::Refused(DeviceError::Failed("übel".into())),
        ] {
            let length = answer.encode(u32::MAX, &mut buffer);
            assert_eq!(Answer::decode(&buffer[HEADER..length]), Some(answer));
        }
        // A text that is too long is cut where a character ends.
        let long = Answer::Refused(DeviceError::Failed("ü".repeat(MAX_FRAME)));
        let length = long.encode(1, &mut buffer);
        let Some(Answer::Refused(DeviceError::Failed(text))) = Answer::decode(&buffer[HEADER..length]) else {
            panic!("no text");
        };
        assert_eq!(text, "ü".repeat((MAX_FRAME - HEADER - 1) / 2));
    }

    #[test]
    fn frames_that_are_cut_prolonged_or_changed_are_refused_or_something_else_but_never_a_panic() {
        let mut buffer = [0; MAX_FRAME];
        for request in requests() {
            let length = request.encode(1, &mut buffer);
            let body = buffer[HEADER..length].to_vec();
            let is_start = matches!(request, Request::Start { .. });
            for end in 0..body.len() {
                let cut = Request::decode(&body[..end]);
                assert!(cut.is_none() || (is_start && end > 12), "{request:?} cut to {end}");
            }
            assert!(is_start || Request::decode(&[&body[..], &[0]].concat()).is_none());
            for place in 0..body.len() {
                for value in [0, 1, 7, 0x7f, 0xff] {
                    let mut changed = body.clone();
                    changed[place] = value;
                    let _ = (Request::decode(&changed), Answer::decode(&changed));
                }
            }
        }
        let mut nan = setpoints();
        nan.ref_vel[12] = f64::NAN;
        let length = Request::Command(nan).encode(1, &mut buffer);
        assert_eq!(Request::decode(&buffer[HEADER..length]), None);
    }
}
