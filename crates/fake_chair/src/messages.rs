use chair::Service;

use crate::Params;

/// All that can happen to the chair.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // inputs are handed over one by one, never stored
pub enum Input {
    /// The occupant holds the stick like this: forward and RIGHT positive \[percent\], cut to -100 to 100. It stays so.
    StickMoved(i32, i32),
    /// A `luci/remote_joystick` came, whatever is in it.
    RemoteReceived(zones::Joystick),
    /// A service was called.
    ServiceCalled(Service),
    /// What LUCI's sensors would allow, in the field order of `LuciZoneScaling`. What is no factor counts as 0. Before
    /// the first one the chair is free.
    ScalingGiven([f32; 16]),
    /// The occupant selects this profile, 1 to 5; others are left out.
    ProfileSelected(i32),
    /// The occupant selects this speed setting, which is shown and does nothing.
    SpeedSelected(i32),
    /// The override button is pressed (`true`) or released.
    OverridePressed(bool),
    /// The base moves like this in fact, forward \[m/s\] and counter-clockwise \[rad/s\]: the encoders follow it for 0.2 s,
    /// then what the wheels were told. Speeds that are not finite are left out.
    BaseMeasured(f64, f64),
    /// A fault to test with: while `true` services are answered and do nothing.
    ServicesRefused(bool),
    /// A fault to test with: the chair takes itself back.
    ModeEnded,
    /// A fault to test with: while `true` nothing is published; the chair drives on.
    StreamsHalted(bool),
    /// The parameters in force are these from now on. Those that are read-only keep their values.
    ParametersChanged(Params),
    /// The node is about to end: the wheels stand, and nothing is answered afterwards.
    Stopping,
}

/// All that the chair says, and what its wheels do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output {
    /// `luci/joystick_position`: the occupant's stick, with the source in force; silent in the auto mode.
    PublishPosition(zones::Joystick),
    /// `luci/joystick_scaling`: what drives the chair.
    PublishScaling(JoystickScaling),
    /// `luci/scaling`.
    PublishZoneScaling([f32; 16]),
    /// `luci/encoders`.
    PublishEncoders(EncoderFields),
    /// `luci/imu`.
    PublishImu(ImuMessage),
    /// `luci/odom`: the speed forward \[m/s\] and the turn counter-clockwise \[rad/s\].
    PublishOdometry(f64, f64),
    /// The clouds of the radar, the ultrasonic sensors and the cameras, and the depth cameras' pictures: nothing is in them.
    PublishSurroundings,
    /// The infra-red pictures and what is said of their cameras.
    PublishCameras,
    /// `luci/chair_profile`, kept for late joiners; on change only.
    PublishProfile(i32),
    /// `luci/speed_setting`, kept for late joiners; on change only.
    PublishSpeedSetting(i32),
    /// `luci/override_button_data`, kept for late joiners; on change only: 0 pressed, 1 released.
    PublishOverride(i32),
    /// `luci/override_button_press_count_data`, kept for late joiners; on change only.
    PublishOverrideCount(i32),
    /// The empty answer to a service, which comes whether or not it did anything.
    Answer(Service),
    /// The wheels of the base shall turn like this, left and right \[m/s\], forward positive.
    TurnWheels(f64, f64),
}

/// The fields of a `LuciJoystickScaling`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JoystickScaling {
    /// After scaling; its zone is that before scaling.
    pub joystick: zones::Joystick,
    /// Factor on `forward_back`, 0 to 1; 0 at the origin.
    pub forward_back_scaling: f32,
    /// Factor on `left_right`, 0 to 1; 0 at the origin.
    pub left_right_scaling: f32,
}

/// The fields of a `LuciEncoders` that are not always 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EncoderFields {
    /// 0 to 359.99, in steps of 0.01 \[degrees\].
    pub left_angle: f32,
    /// 0 to 359.99, in steps of 0.01 \[degrees\].
    pub right_angle: f32,
    /// Since the board started, wraps \[ms\].
    pub edge_timestamp: u32,
}

/// The fields of a `LuciImu`, garbage included; the others are 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImuMessage {
    /// x, y, z, w; axes x right, y forward, z up.
    pub quaternion: [f32; 4],
    /// With gravity \[m/s²\], in these axes.
    pub accelerometer: [f32; 3],
    /// About these axes \[rad/s\]; the second and third are garbage, as LUCI's node leaves them uninitialised.
    pub gyro: [f32; 3],
    /// The four `cal_*` fields: garbage.
    pub calibration: [i32; 4],
    /// Always 2.
    pub source: i32,
    /// Always 0: LUCI's node never fills it.
    pub edge_timestamp: u32,
}
