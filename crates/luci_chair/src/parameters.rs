use core::time::Duration;

use params::{Parameter, Refusal, Set, Specification};
use zones::Boundaries;

/// The words of `position_source`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PositionSource {
    Mode,
    Stick,
}

params::choices! { PositionSource: Mode = "mode", Stick = "stick" }

/// The words of `position_sent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PositionSent {
    Streamed,
    OnChange,
}

params::choices! { PositionSent: Streamed = "streamed", OnChange = "on_change" }

params::params! {
    /// Parameters of the fake chair.
    struct Declared {
        remote_timeout: Duration = Parameter::seconds("remote_timeout", 0.1, 0.02, 1.0)
            .text("With no remote joystick for so long the brakes engage; LUCI states 10 Hz, and 4 Hz on an older page."),
        override_time: Duration = Parameter::seconds("override_time", 20.0, 0.1, 60.0)
            .text("So long the override button suspends the scaling, or until it is pressed again."),
        acceleration: f64 = Parameter::float("acceleration", 1.0, 0.1, 10.0).unit("m/s^2")
            .text("How fast a wheel follows the stick, both ways."),
        brake: f64 = Parameter::float("brake", 2.0, 0.1, 20.0).unit("m/s^2").text("How fast the brakes stop a wheel."),
        forward: Vec<f64> = Parameter::floats("forward", &[0.54, 1.07, 1.57, 2.01, 2.77], 0.01, 20.0, 5).unit("m/s")
            .text("Speed at full throw in each of the five profiles."),
        turn: Vec<f64> = Parameter::floats("turn", &[1.2212, 1.2212, 1.2212, 1.2212, 1.2212], 0.01, 20.0, 5).unit("rad/s")
            .text("Turning speed at full throw in each of the five profiles."),
        profile: i64 = Parameter::integer("profile", 1, 1, 5).at_start().text("The profile at the start."),
        wheel_base: f64 = Parameter::float("wheel_base", 0.5065, 0.1, 3.0).unit("m").at_start()
            .text("Distance between the drive wheels."),
        circumference: f64 = Parameter::float("circumference", 1.0373, 0.1, 5.0).unit("m").at_start()
            .text("Circumference of a drive wheel."),
        gear: f64 = Parameter::float("gear", 2.38462, 0.1, 100.0).at_start()
            .text("Turns of an encoder for one turn of its wheel."),
        left_forward: bool = Parameter::bool("left_increases_forward", false).at_start()
            .text("Whether the left angle grows when the chair goes forward."),
        right_forward: bool = Parameter::bool("right_increases_forward", true).at_start()
            .text("Whether the right angle grows when the chair goes forward."),
        boot_millis: i64 = Parameter::integer("boot_millis", 1000, 0, 4_294_967_295).unit("ms").at_start()
            .text("What the encoder board's clock shows at the start; it wraps at 2^32."),
        joystick_rate: i64 = rate("joystick_rate", 20)
            .text("How often joystick_position and joystick_scaling are published; LUCI states no rate. Whole periods of 10 ms \
                are taken."),
        position_source: PositionSource = Parameter::choice("position_source", "mode")
            .text("Which source joystick_position carries, which LUCI does not state: the one in force, or always the stick's \
                own, 4. joystick_scaling carries the one in force."),
        position_sent: PositionSent = Parameter::choice("position_sent", "streamed")
            .text("Whether joystick_position is streamed, or sent when the stick or its source changes; LUCI does not state \
                it."),
        scaling_rate: i64 = rate("scaling_rate", 10).text("How often scaling is published, in whole periods of 10 ms."),
        encoder_rate: i64 = rate("encoder_rate", 100).text("How often encoders is published, in whole periods of 10 ms."),
        imu_rate: i64 = rate("imu_rate", 50).text("How often imu is published, in whole periods of 10 ms."),
        surroundings_rate: i64 = rate("surroundings_rate", 5)
            .text("How often the clouds and the depth pictures are published, in whole periods of 10 ms; nothing is in them."),
        camera_rate: i64 = Parameter::integer("camera_rate", 0, 0, 15).unit("Hz").at_start()
            .text("How often the infra-red pictures and the cameras' data are published, in whole periods of 10 ms; 0: never, \
                as LUCI's node without its option -f."),
        wheel_speed: f64 = Parameter::float("wheel_speed", 1.2, 0.05, 5.0).unit("m/s").at_start()
            .text("Speed of the base's wheels at full servo value, the same as the simulator's wheel_speed; faster ones are \
                cut."),
    }
}

const fn rate(name: &'static str, default: i64) -> Parameter<i64> {
    Parameter::integer(name, default, 1, 100).unit("Hz").at_start()
}

/// All parameters of the fake chair's node.
pub fn specification() -> Specification {
    Specification::new("interface", "A LUCI wheelchair that is not there, to test with.")
        .with_all(Declared::declarations())
}

/// The parameters in force, parsed; units and ranges as in [`specification`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// The brakes engage after this time without the remote.
    pub remote_timeout: Duration,
    /// Time for which the override button suspends the scaling.
    pub override_time: Duration,
    /// Acceleration of a wheel that follows the stick, both ways \[m/s²\].
    pub acceleration: f64,
    /// Deceleration of a wheel that is braked \[m/s²\].
    pub brake: f64,
    /// Speed at full throw, by profile \[m/s\].
    pub forward: [f64; 5],
    /// Turning speed at full throw, by profile \[rad/s\].
    pub turn: [f64; 5],
    /// Profile at the start, 1 to 5.
    pub profile: i32,
    /// Distance between the drive wheels \[m\].
    pub wheel_base: f64,
    /// Circumference of a drive wheel \[m\].
    pub circumference: f64,
    /// Turns of an encoder for one turn of its wheel.
    pub gear: f64,
    /// Whether the left and the right angle grow when the chair goes forward.
    pub increases_forward: [bool; 2],
    /// The encoder board's clock at the start \[ms\].
    pub boot_millis: u32,
    /// Ticks of 10 ms between two messages of the stick, 1 or more.
    pub joystick_ticks: u64,
    /// Whether the stick's position carries its own source, and not the one in force.
    pub position_is_physical: bool,
    /// Whether the stick's position is sent when it changes, and not streamed.
    pub position_on_change: bool,
    /// Ticks between two messages of the zones' scaling.
    pub scaling_ticks: u64,
    /// Ticks between two messages of the encoders.
    pub encoder_ticks: u64,
    /// Ticks between two messages of the inertial unit.
    pub imu_ticks: u64,
    /// Ticks between two messages with clouds and depth pictures.
    pub surroundings_ticks: u64,
    /// Ticks between two messages with infra-red pictures and the cameras' data; `None` without them.
    pub camera_ticks: Option<u64>,
    /// Speed of the base's wheels at full servo value \[m/s\].
    pub wheel_speed: f64,
    /// Where one zone ends and the next begins, as LUCI publishes it.
    pub boundaries: Boundaries,
}

impl Params {
    /// The parameters in `set`.
    /// # Errors
    /// A [`Refusal`] of speeds that are not five.
    pub fn read(set: &Set) -> Result<Self, Refusal> {
        let declared = Declared::read(set);
        for (name, speeds) in [("forward", &declared.forward), ("turn", &declared.turn)] {
            if speeds.len() != 5 {
                return Err(set.refuse(name, "must have five entries, one for each profile"));
            }
        }
        Ok(Self::parse(declared))
    }

    fn parse(declared: Declared) -> Self {
        let Declared {
            remote_timeout,
            override_time,
            acceleration,
            brake,
            forward,
            turn,
            profile,
            wheel_base,
            circumference,
            gear,
            left_forward,
            right_forward,
            boot_millis,
            joystick_rate,
            position_source,
            position_sent,
            scaling_rate,
            encoder_rate,
            imu_rate,
            surroundings_rate,
            camera_rate,
            wheel_speed,
        } = declared;
        // The specification allows 1 to 100 Hz.
        let ticks = |rate: i64| u64::try_from(100 / rate.max(1)).unwrap_or(1).max(1);
        let speeds = |list: Vec<f64>| core::array::from_fn(|index| list.get(index).copied().unwrap_or(0.0));
        Self {
            remote_timeout,
            override_time,
            acceleration,
            brake,
            forward: speeds(forward),
            turn: speeds(turn),
            profile: i32::try_from(profile).unwrap_or(1),
            wheel_base,
            circumference,
            gear,
            increases_forward: [left_forward, right_forward],
            boot_millis: u32::try_from(boot_millis).unwrap_or(0),
            joystick_ticks: ticks(joystick_rate),
            position_is_physical: position_source == PositionSource::Stick,
            position_on_change: position_sent == PositionSent::OnChange,
            scaling_ticks: ticks(scaling_rate),
            encoder_ticks: ticks(encoder_rate),
            imu_ticks: ticks(imu_rate),
            surroundings_ticks: ticks(surroundings_rate),
            camera_ticks: (camera_rate > 0).then(|| ticks(camera_rate)),
            wheel_speed,
            boundaries: Boundaries::default(),
        }
    }

    /// These parameters, with those that may change at run time taken from `next`.
    pub(crate) fn changed(self, next: Self) -> Self {
        let Self { remote_timeout, override_time, acceleration, brake, forward, turn, boundaries, .. } = next;
        let Self { position_is_physical, position_on_change, .. } = next;
        Self {
            remote_timeout,
            override_time,
            acceleration,
            brake,
            forward,
            turn,
            boundaries,
            position_is_physical,
            position_on_change,
            ..self
        }
    }
}

impl Default for Params {
    fn default() -> Self {
        Self::parse(Declared::read(&specification().defaults()))
    }
}
