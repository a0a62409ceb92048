use core::ffi::c_int;

/// The length of every array.
pub const MAX: usize = 32;

/// `hxOK`
pub const OK: c_int = 0;
/// `hxERROR`
pub const ERROR: c_int = 1;

/// A flag of `hxCommand`: set if it is 1, and not with any other number.
///
/// haptix-comm sends `flag == 1`, so a program that leaves its flags uninitialised, as its own `hx_requester.c` does, moves nothing.
/// The documentation of the struct says "above 0"; no program can rely on that.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Flag(pub c_int);

impl Flag {
    /// Whether its group counts.
    pub const fn is_set(self) -> bool {
        self.0 == 1
    }
}

/// `hxTime`
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Time {
    pub sec: c_int,
    pub nsec: c_int,
}

/// `hxRobotInfo`: limits \[rad\], rate \[Hz\]
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RobotInfo {
    pub motor_count: c_int,
    pub joint_count: c_int,
    pub contact_sensor_count: c_int,
    pub imu_count: c_int,
    pub motor_limit: [[f32; 2]; MAX],
    pub joint_limit: [[f32; 2]; MAX],
    pub update_rate: f32,
}

/// `hxSensor`: positions \[rad\], velocities \[rad/s\], torques \[Nm\], contacts \[N\], accelerations \[m/s²\], orientations w x y z
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sensor {
    pub time_stamp: Time,
    pub motor_pos: [f32; MAX],
    pub motor_vel: [f32; MAX],
    pub motor_torque: [f32; MAX],
    pub joint_pos: [f32; MAX],
    pub joint_vel: [f32; MAX],
    pub contact: [f32; MAX],
    pub imu_linear_acc: [[f32; 3]; MAX],
    pub imu_angular_vel: [[f32; 3]; MAX],
    pub imu_orientation: [[f32; 4]; MAX],
}

/// `hxCommand`: positions \[rad\], velocities \[rad/s\], gains \[Nm/rad\] and \[Nm·s/rad\]
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Command {
    pub ref_pos: [f32; MAX],
    pub ref_pos_enabled: Flag,
    pub ref_vel: [f32; MAX],
    pub ref_vel_enabled: Flag,
    pub ref_vel_max: [f32; MAX],
    pub ref_vel_max_enabled: Flag,
    pub gain_pos: [f32; MAX],
    pub gain_pos_enabled: Flag,
    pub gain_vel: [f32; MAX],
    pub gain_vel_enabled: Flag,
}

// The sizes of haptix-comm 0.9; `tests/layout.c` has the offsets.
const _: () = assert!(size_of::<Sensor>() == 2056 && align_of::<Sensor>() == 4);
const _: () = assert!(size_of::<Command>() == 660 && align_of::<Command>() == 4);
const _: () = assert!(size_of::<RobotInfo>() == 532 && align_of::<RobotInfo>() == 4);
