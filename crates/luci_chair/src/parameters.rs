use core::time::Duration;

use params::{Parameter, Refusal, Set, Specification};

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

/// Speeds in five profiles, which [`Params::read`] counts.
const FORWARD: Parameter<Vec<f64>> =
    Parameter::floats("forward", &[0.54, 1.07, 1.57, 2.01, 2.77], 0.01, 20.0, 5).unit("m/s");
const TURN: Parameter<Vec<f64>> = Parameter::floats("turn", &[1.2212; 5], 0.01, 20.0, 5).unit("rad/s");

const fn rate(name: &'static str, default: i64) -> Parameter<i64> {
    Parameter::integer(name, default, 1, 100).unit("Hz").at_start()
}

params::params! {
    /// The parameters in force, parsed; units and ranges as in [`specification`]. A tick is 10 ms.
    #[derive(Copy)]
    pub struct Params {
        /// With no remote joystick for so long the brakes engage; LUCI states 10 Hz, and 4 Hz on an older page.
        remote_timeout: Duration = Parameter::seconds("remote_timeout", 0.1, 0.02, 1.0),
        /// So long the override button suspends the scaling, or until it is pressed again.
        override_time: Duration = Parameter::seconds("override_time", 20.0, 0.1, 60.0),
        /// How fast a wheel follows the stick, both ways.
        acceleration: f64 = Parameter::float("acceleration", 1.0, 0.1, 10.0).unit("m/s^2"),
        /// How fast the brakes stop a wheel.
        brake: f64 = Parameter::float("brake", 2.0, 0.1, 20.0).unit("m/s^2"),
        /// Speed at full throw in each of the five profiles.
        forward: [f64; 5] = FORWARD => by_profile,
        /// Turning speed at full throw in each of the five profiles.
        turn: [f64; 5] = TURN => by_profile,
        /// The profile at the start.
        profile: i32 = Parameter::integer("profile", 1, 1, 5).at_start() => |number| i32::try_from(number).unwrap_or(1),
        /// Distance between the drive wheels.
        wheel_base: f64 = Parameter::float("wheel_base", 0.5065, 0.1, 3.0).unit("m").at_start(),
        /// Circumference of a drive wheel.
        circumference: f64 = Parameter::float("circumference", 1.0373, 0.1, 5.0).unit("m").at_start(),
        /// Turns of an encoder for one turn of its wheel.
        gear: f64 = Parameter::float("gear", 2.38462, 0.1, 100.0).at_start(),
        /// Whether the left angle grows when the chair goes forward.
        left_forward: bool = Parameter::bool("left_increases_forward", false).at_start(),
        /// Whether the right angle grows when the chair goes forward.
        right_forward: bool = Parameter::bool("right_increases_forward", true).at_start(),
        /// Reading of the encoder board's clock at the start; it wraps at 2^32.
        boot_millis: u32 = Parameter::integer("boot_millis", 1000, 0, 4_294_967_295).unit("ms").at_start()
            => |millis| u32::try_from(millis).unwrap_or(0),
        /// How often joystick_position and joystick_scaling are published; LUCI states no rate. Whole periods of 10 ms are
        /// taken.
        joystick_ticks: u64 = rate("joystick_rate", 20) => ticks,
        /// Which source joystick_position carries, which LUCI does not state: the one in force, or always the stick's own, 4.
        /// joystick_scaling carries the one in force.
        position_is_physical: bool = Parameter::<PositionSource>::choice("position_source", "mode")
            => |source| source == PositionSource::Stick,
        /// Whether joystick_position is streamed, or sent when the stick or its source changes; LUCI does not state it.
        position_on_change: bool = Parameter::<PositionSent>::choice("position_sent", "streamed")
            => |sent| sent == PositionSent::OnChange,
        /// How often scaling is published, in whole periods of 10 ms.
        scaling_ticks: u64 = rate("scaling_rate", 10) => ticks,
        /// How often encoders is published, in whole periods of 10 ms.
        encoder_ticks: u64 = rate("encoder_rate", 100) => ticks,
        /// How often imu is published, in whole periods of 10 ms.
        imu_ticks: u64 = rate("imu_rate", 50) => ticks,
        /// How often the clouds and the depth pictures are published, in whole periods of 10 ms; nothing is in them.
        surroundings_ticks: u64 = rate("surroundings_rate", 5) => ticks,
        /// How often the infra-red pictures and the cameras' data are published, in whole periods of 10 ms; 0: never, as LUCI's
        /// node without its option -f.
        camera_ticks: Option<u64> = Parameter::integer("camera_rate", 0, 0, 15).unit("Hz").at_start()
            => |rate| (rate > 0).then(|| ticks(rate)),
        /// Speed of the base's wheels at full servo value, the same as the simulator's wheel_speed; faster ones are cut.
        wheel_speed: f64 = Parameter::float("wheel_speed", 1.2, 0.05, 5.0).unit("m/s").at_start(),
    }
}

/// All parameters of the fake chair's node.
pub fn specification() -> Specification {
    Specification::new("interface", "A LUCI wheelchair that is not there, to test with.")
        .managed()
        .with_all(Params::declarations())
}

impl Params {
    /// The parameters in `set`.
    /// # Errors
    /// A [`Refusal`] of speeds that are not five.
    pub fn read(set: &Set) -> Result<Self, Refusal> {
        for (name, speeds) in [("forward", FORWARD.get(set)), ("turn", TURN.get(set))] {
            if speeds.len() != 5 {
                return Err(set.refuse(name, "must have five entries, one for each profile"));
            }
        }
        Ok(Self::get(set))
    }

    /// These parameters, with those that may change at run time taken from `next`.
    pub(crate) fn changed(self, next: Self) -> Self {
        let Self { remote_timeout, override_time, acceleration, brake, forward, turn, .. } = next;
        let Self { position_is_physical, position_on_change, .. } = next;
        Self {
            remote_timeout,
            override_time,
            acceleration,
            brake,
            forward,
            turn,
            position_is_physical,
            position_on_change,
            ..self
        }
    }
}

/// The ticks between two messages; the specification allows 1 to 100 Hz.
fn ticks(rate: i64) -> u64 {
    u64::try_from(100 / rate.max(1)).unwrap_or(1).max(1)
}

fn by_profile(speeds: Vec<f64>) -> [f64; 5] {
    core::array::from_fn(|index| speeds.get(index).copied().unwrap_or(0.0))
}
