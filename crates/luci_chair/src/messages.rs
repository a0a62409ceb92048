use chair::Service;

use crate::Params;

/// Inputs of the chair.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // inputs are passed one by one, never stored
pub enum Input {
    /// A new position of the occupant's stick: forward and RIGHT positive \[percent\], cut to -100 to 100. It is
    /// kept.
    StickMoved(i32, i32),
    /// A `luci/remote_joystick` was received, with any content.
    RemoteReceived(zones::Joystick),
    /// A service was called.
    ServiceCalled(Service),
    /// The scaling from LUCI's simulated sensors, in the field order of `LuciZoneScaling`. An invalid factor counts
    /// as 0. Before the first one the chair is free.
    ScalingGiven([f32; 16]),
    /// The occupant selects this profile, 1 to 5; others are ignored.
    ProfileSelected(i32),
    /// The occupant selects this speed setting, which is published and has no effect.
    SpeedSelected(i32),
    /// The override button is pressed (`true`) or released.
    OverridePressed(bool),
    /// The measured motion of the base, forward \[m/s\] and counter-clockwise \[rad/s\]: the encoders follow it for
    /// 0.2 s, then the commanded wheel speeds. Speeds that are not finite are ignored.
    BaseMeasured(f64, f64),
    /// A simulated fault: while `true`, services are answered and have no effect.
    ServicesRefused(bool),
    /// A simulated fault: the chair ends the remote mode.
    ModeEnded,
    /// A simulated fault: while `true`, nothing is published; the chair continues to drive.
    StreamsHalted(bool),
    /// New parameters; read-only ones keep their values.
    ParametersChanged(Params),
    /// The node's life cycle became active, or left that state. A machine is active until it receives this.
    ActivityChanged(bool),
    /// The node shuts down: the wheels stop, and nothing is answered afterwards.
    Stopping,
}

/// Outputs of the chair, and of its wheels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output {
    /// `luci/joystick_position`: the occupant's stick, with the source in force; silent in the auto mode.
    PublishPosition(zones::Joystick),
    /// `luci/joystick_scaling`: the driving stick.
    PublishScaling(JoystickScaling),
    /// `luci/scaling`.
    PublishZoneScaling([f32; 16]),
    /// `luci/encoders`.
    PublishEncoders(EncoderFields),
    /// `luci/imu`.
    PublishImu(ImuMessage),
    /// `luci/odom`: the speed forward \[m/s\] and the turn counter-clockwise \[rad/s\].
    PublishOdometry(f64, f64),
    /// The clouds of the radar, the ultrasonic sensors and the cameras, and the depth cameras' images: all empty.
    PublishSurroundings,
    /// The infra-red images and the data of their cameras.
    PublishCameras,
    /// `luci/chair_profile`, kept for late joiners; on change only.
    PublishProfile(i32),
    /// `luci/speed_setting`, kept for late joiners; on change only.
    PublishSpeedSetting(i32),
    /// `luci/override_button_data`, kept for late joiners; on change only: 0 pressed, 1 released.
    PublishOverride(i32),
    /// `luci/override_button_press_count_data`, kept for late joiners; on change only.
    PublishOverrideCount(i32),
    /// The empty answer to a service, sent whether or not it had an effect.
    Answer(Service),
    /// The commanded wheel speeds of the base, left and right \[m/s\], forward positive.
    TurnWheels(f64, f64),
}

/// The fields of a `LuciJoystickScaling`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JoystickScaling {
    /// The stick after scaling; its zone is that before scaling.
    pub joystick: zones::Joystick,
    /// Factor on `forward_back`, 0 to 1; 0 at the origin.
    pub forward_back_scaling: f32,
    /// Factor on `left_right`, 0 to 1; 0 at the origin.
    pub left_right_scaling: f32,
}

/// The fields of a `LuciEncoders` that are not always 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EncoderFields {
    /// Angle of the left encoder, 0 to 359.99, in steps of 0.01 \[degrees\].
    pub left_angle: f32,
    /// Angle of the right encoder, 0 to 359.99, in steps of 0.01 \[degrees\].
    pub right_angle: f32,
    /// Time since the board started, wraps \[ms\].
    pub edge_timestamp: u32,
}

/// The fields of a `LuciImu`, including undefined ones; the others are 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImuMessage {
    /// Orientation x, y, z, w; axes x right, y forward, z up.
    pub quaternion: [f32; 4],
    /// Acceleration including gravity \[m/s²\], in these axes.
    pub accelerometer: [f32; 3],
    /// Angular velocity about these axes \[rad/s\]; the second and third are garbage, as LUCI's node leaves them
    /// uninitialised.
    pub gyro: [f32; 3],
    /// The four `cal_*` fields: garbage.
    pub calibration: [i32; 4],
    /// Always 2.
    pub source: i32,
    /// Always 0: LUCI's node never fills it.
    pub edge_timestamp: u32,
}
