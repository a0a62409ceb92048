use core::time::Duration;

use safety::Stamp;

use crate::device::{Constants, Device, DeviceError};
use crate::grasps::Grasps;
use crate::setpoints::Setpoints;
use crate::wire::{Description, Limit, MAX, RobotInfo, Sensor};

/// A device that never moves and whose every value is known, to test what lies between it and a client.
///
/// 4 motors, 5 joints, 6 contact sensors, 7 inertial units, 8 Hz; limits of part i are -i and i. Its reading, at 9 s and 10 ns:
/// position i, velocity i + 1, torque i + 2, contact i; acceleration (i, i + 1, i + 2), angular velocity (i + 3, i + 4, i + 5),
/// orientation w = i + 9, x = i + 6, y = i + 7, z = i + 8.
/// # Source
/// HAPTIX: the values of haptix-comm's test responder.
#[derive(Clone, Debug, PartialEq)]
pub struct DummyDevice(Constants);

const MOTORS: usize = 4;
const JOINTS: usize = 5;
const CONTACTS: usize = 6;
const IMUS: usize = 7;

impl Default for DummyDevice {
    fn default() -> Self {
        let limits = |count: usize| {
            let limit = |index: usize| Limit { minimum: -(index as f32), maximum: index as f32 };
            core::array::from_fn(|index| if index < count { limit(index) } else { Limit::default() })
        };
        let names = |kind: &str, count: usize| (0..count).map(|index| format!("{kind}{index}")).collect();
        Self(Constants {
            info: RobotInfo {
                motor_count: MOTORS,
                joint_count: JOINTS,
                contact_sensor_count: CONTACTS,
                imu_count: IMUS,
                motor_limit: limits(MOTORS),
                joint_limit: limits(JOINTS),
                update_rate: 8.0,
            },
            description: Description {
                model_name: "Dummy".into(),
                motor_names: names("motor", MOTORS),
                joint_names: names("joint", JOINTS),
                contact_names: names("contact", CONTACTS),
                imu_names: names("imu", IMUS),
                imu_frames: names("imu_frame", IMUS),
                gear_ratio: vec![1.0; MOTORS],
            },
            grasps: Grasps::default(),
            start: Setpoints::new(MOTORS, [0.0; MAX], [0.0; MAX], [0.0; MAX]),
        })
    }
}

impl Device for DummyDevice {
    fn constants(&self) -> &Constants {
        &self.0
    }

    fn command(&mut self, _: &Setpoints) -> Result<(), DeviceError> {
        Ok(())
    }

    fn hold(&mut self, _: f64) -> Result<(), DeviceError> {
        Ok(())
    }

    fn step(&mut self, _: Duration) -> Result<(), DeviceError> {
        Ok(())
    }

    fn read(&mut self, sensor: &mut Sensor) -> Result<(), DeviceError> {
        sensor.time_stamp = Stamp { sec: 9, nanosec: 10 };
        for index in 0..IMUS {
            let part = |offset: usize| (index + offset) as f32;
            if index < MOTORS {
                sensor.motor_pos[index] = part(0);
                sensor.motor_vel[index] = part(1);
                sensor.motor_torque[index] = part(2);
            }
            if index < JOINTS {
                sensor.joint_pos[index] = part(0);
                sensor.joint_vel[index] = part(1);
            }
            if index < CONTACTS {
                sensor.contact[index] = part(0);
            }
            sensor.imu_linear_acc[index] = [part(0), part(1), part(2)];
            sensor.imu_angular_vel[index] = [part(3), part(4), part(5)];
            sensor.imu_orientation[index] = [part(9), part(6), part(7), part(8)];
        }
        Ok(())
    }

    fn reset(&mut self, _: bool) -> Result<(), DeviceError> {
        Ok(())
    }
}
