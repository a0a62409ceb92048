//! Numbers as bytes, little-endian, and the values that consist of them.

use haptix::{Faults, Group, MAX, Noise, Object, Sensor, Setpoints, Shape, Simulation};
use nalgebra::Vector3;
use safety::Stamp;

/// Writes into a buffer that is long enough; what does not fit is left out, which the reader notices.
pub(crate) struct Writer<'a> {
    buffer: &'a mut [u8],
    length: usize,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(buffer: &'a mut [u8]) -> Self {
        Self { buffer, length: 0 }
    }

    pub(crate) fn length(&self) -> usize {
        self.length
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        if let Some(place) = self.buffer.get_mut(self.length..self.length + bytes.len()) {
            place.copy_from_slice(bytes);
            self.length += bytes.len();
        }
    }

    pub(crate) fn byte(&mut self, value: u8) {
        self.bytes(&[value]);
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.bytes(&value.to_le_bytes());
    }

    pub(crate) fn u64(&mut self, value: u64) {
        self.bytes(&value.to_le_bytes());
    }

    pub(crate) fn f64(&mut self, value: f64) {
        self.bytes(&value.to_le_bytes());
    }

    fn f64s(&mut self, values: &[f64]) {
        values.iter().for_each(|value| self.f64(*value));
    }

    fn f32s(&mut self, values: &[f32]) {
        values.iter().for_each(|value| self.bytes(&value.to_le_bytes()));
    }

    fn flags(&mut self, flags: &[bool]) {
        flags.iter().for_each(|flag| self.byte((*flag).into()));
    }

    pub(crate) fn setpoints(&mut self, setpoints: &Setpoints) {
        self.u32(setpoints.motor_count() as u32); // at most MAX
        let Setpoints { ref_pos, ref_vel, ref_vel_max, gain_pos, gain_vel, .. } = setpoints;
        for group in [ref_pos, ref_vel, ref_vel_max, gain_pos, gain_vel] {
            self.f64s(group);
        }
    }

    pub(crate) fn sensor(&mut self, sensor: &Sensor) {
        self.bytes(&sensor.time_stamp.sec.to_le_bytes());
        self.u32(sensor.time_stamp.nanosec);
        for values in [
            &sensor.motor_pos,
            &sensor.motor_vel,
            &sensor.motor_torque,
            &sensor.joint_pos,
            &sensor.joint_vel,
            &sensor.contact,
        ] {
            self.f32s(values);
        }
        self.f32s(sensor.imu_linear_acc.as_flattened());
        self.f32s(sensor.imu_angular_vel.as_flattened());
        self.f32s(sensor.imu_orientation.as_flattened());
    }

    pub(crate) fn simulation(&mut self, simulation: &Simulation) {
        let Simulation { objects, noise, delay, faults } = simulation;
        for object in objects {
            // Each object has the same length whatever it is.
            let none = Shape::Stop { contact: 0, angle: 0.0 };
            let Object { shape, stiffness, damping } =
                object.unwrap_or(Object { shape: none, stiffness: 0.0, damping: 0.0 });
            let (kind, numbers) = match shape {
                _ if object.is_none() => (0, [0.0; 6]),
                Shape::Sphere { center, radius } => (1, [center.x, center.y, center.z, radius, 0.0, 0.0]),
                Shape::Plane { point, normal } => {
                    (2, [point.x, point.y, point.z, normal.x, normal.y, normal.z])
                }
                Shape::Stop { contact, angle } => (3, [contact as f64, angle, 0.0, 0.0, 0.0, 0.0]),
            };
            self.byte(kind);
            self.f64s(&numbers);
            self.f64s(&[stiffness, damping]);
        }
        let Noise { position, velocity, torque, contact, acceleration, angular_velocity } = *noise;
        self.f64s(&[position, velocity, torque, contact, acceleration, angular_velocity]);
        self.u64(*delay as u64);
        let Faults { stuck_motors, dead_motors, dead_joints, dead_contacts, dead_imus, is_silent } = faults;
        for marks in [stuck_motors, dead_motors, dead_joints, dead_contacts, dead_imus] {
            self.flags(marks);
        }
        self.flags(&[*is_silent]);
    }
}

/// Reads what a [`Writer`] wrote; `None` if it is something else.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    /// Takes the bytes that are left.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        core::mem::take(&mut self.0)
    }

    /// `value` if nothing is left.
    pub(crate) fn end<T>(&self, value: T) -> Option<T> {
        self.0.is_empty().then_some(value)
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    pub(crate) fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn f64(&mut self) -> Option<f64> {
        self.array().map(f64::from_le_bytes)
    }

    fn f64s<const N: usize>(&mut self) -> Option<[f64; N]> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.f64()?;
        }
        Some(values)
    }

    fn f32s(&mut self, values: &mut [f32]) -> Option<()> {
        for value in values {
            *value = self.array().map(f32::from_le_bytes)?;
        }
        Some(())
    }

    fn flags(&mut self) -> Option<[bool; MAX]> {
        let mut flags = [false; MAX];
        for flag in &mut flags {
            *flag = self.flag()?;
        }
        Some(flags)
    }

    pub(crate) fn setpoints(&mut self) -> Option<Setpoints> {
        let motor_count = usize::try_from(self.u32()?).ok().filter(|count| *count <= MAX)?;
        let mut setpoints = Setpoints::new(motor_count, self.f64s()?, [0.0; MAX], [0.0; MAX]);
        (setpoints.ref_vel, setpoints.ref_vel_max) = (self.f64s()?, self.f64s()?);
        (setpoints.gain_pos, setpoints.gain_vel) = (self.f64s()?, self.f64s()?);
        let is_finite = |group| setpoints.group(group).iter().all(|value| value.is_finite());
        Group::ALL.into_iter().all(is_finite).then_some(setpoints)
    }

    pub(crate) fn sensor(&mut self, sensor: &mut Sensor) -> Option<()> {
        sensor.time_stamp = Stamp { sec: i32::from_le_bytes(self.array()?), nanosec: self.u32()? };
        for values in [
            &mut sensor.motor_pos,
            &mut sensor.motor_vel,
            &mut sensor.motor_torque,
            &mut sensor.joint_pos,
            &mut sensor.joint_vel,
            &mut sensor.contact,
        ] {
            self.f32s(values)?;
        }
        self.f32s(sensor.imu_linear_acc.as_flattened_mut())?;
        self.f32s(sensor.imu_angular_vel.as_flattened_mut())?;
        self.f32s(sensor.imu_orientation.as_flattened_mut())
    }

    pub(crate) fn simulation(&mut self) -> Option<Simulation> {
        let mut simulation = Simulation::default();
        for place in &mut simulation.objects {
            let kind = self.byte()?;
            let [x, y, z, a, b, c] = self.f64s()?;
            let [stiffness, damping] = self.f64s()?;
            let shape = match kind {
                0 => continue,
                1 => Shape::Sphere { center: Vector3::new(x, y, z), radius: a },
                2 => Shape::Plane { point: Vector3::new(x, y, z), normal: Vector3::new(a, b, c) },
                3 => Shape::Stop { contact: x as usize, angle: y },
                _ => return None,
            };
            *place = Some(Object { shape, stiffness, damping });
        }
        let [position, velocity, torque, contact, acceleration, angular_velocity] = self.f64s()?;
        simulation.noise = Noise { position, velocity, torque, contact, acceleration, angular_velocity };
        simulation.delay = usize::try_from(self.u64()?).ok()?;
        simulation.faults = Faults {
            stuck_motors: self.flags()?,
            dead_motors: self.flags()?,
            dead_joints: self.flags()?,
            dead_contacts: self.flags()?,
            dead_imus: self.flags()?,
            is_silent: self.flag()?,
        };
        Some(simulation)
    }
}
