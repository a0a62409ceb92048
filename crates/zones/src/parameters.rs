use core::time::Duration;

use params::{Parameter, Refusal, Set, Specification};
use units::Scale;

use crate::{Boundaries, FullThrow, Mode};

const MODE: Parameter<String> = Parameter::choice("mode", "apply", &["apply", "predict", "passthrough"]).text(
    "Apply the scaling to each command; predict, for a vehicle that scales commands itself: tell what it will leave of \
     them and command nothing; or pass commands through unscaled (twice is once too often). Either way a command is cut \
     to full throw and needs to come in time.",
);
const SCALING: Parameter<String> = Parameter::choice("scaling", "limit", &["limit", "multiply"])
    .text("A factor is the upper limit of the stick, or it multiplies the stick; the same at full throw.");
const KEEP_DIRECTION: Parameter<bool> = Parameter::bool("keep_direction", false)
    .text("Use the smaller of a zone's two factors for both parts and shorten them in proportion.");
const WAY_OUT: Parameter<bool> = Parameter::bool("way_out", true).text(
    "What is blocked ahead holds neither a turn nor a way back: zones ahead lose the say that hysteresis gave them over a \
     stick that turns in place or reverses, and with keep_direction a stick whose forward factor is below 0.1 gets its \
     turn back (all of it at 0), as far as its own zone and left or right allow. Never more than the factors of the \
     stick's own zone, and only while a scaling counts.",
);
const RISE_TIME: Parameter<f64> = Parameter::float("rise_time", 0.0, 0.0, 10.0).unit("s").text(
    "A factor that rises takes this long from 0 to 1 (1 / rise_time per second); 0 lets it rise at once. A factor falls \
     at once.",
);
const SCALING_TIMEOUT: Parameter<f64> = Parameter::float("scaling_timeout", 0.5, 0.01, 10.0)
    .unit("s")
    .text("A scaling older than this, by its time of receipt, no longer counts.");
const MISSING_FACTOR: Parameter<f64> = Parameter::float("missing_factor", 0.0, 0.0, 1.0)
    .text("Factor of every zone while the scaling is stale or has not come yet; 0 stands still.");
const RIVAL_SCALINGS: Parameter<String> = Parameter::choice("rival_scalings", "stop", &["stop", "warn"]).text(
    "What a second publisher of the scaling does: no scaling counts until it is gone, as if it were missing, or a warning \
     only, and the last one to speak counts.",
);
const COMMAND_TIMEOUT: Parameter<f64> = Parameter::float("command_timeout", 0.5, 0.01, 10.0)
    .unit("s")
    .text("A command older than this, by its time of receipt, is lost, and a zero goes out.");
const HEARTBEAT: Parameter<f64> = Parameter::float("heartbeat", 0.1, 0.01, 1.0)
    .unit("s")
    .text("While no command is in force a zero velocity goes out this often.");

const MAX_LINEAR: Parameter<f64> = Parameter::float("max_linear", 1.0, 0.01, 20.0)
    .unit("m/s")
    .text("Speed at full throw forward or back; a faster command is cut to it.");
const MAX_ANGULAR: Parameter<f64> = Parameter::float("max_angular", 1.0, 0.01, 20.0)
    .unit("rad/s")
    .text("Turning speed at full throw left or right; a faster command is cut to it.");

const FRONT: Parameter<f64> = Parameter::float("boundaries.front", 13.7, 0.1, 179.9)
    .unit("degrees")
    .text("Angle of the stick from straight ahead where front ends and the front corners begin.");
const FRONT_SIDE: Parameter<f64> = Parameter::float("boundaries.front_side", 78.45, 0.1, 179.9)
    .unit("degrees")
    .text("Angle where the front corners end and left and right begin.");
const SIDE_BACK: Parameter<f64> = Parameter::float("boundaries.side_back", 101.55, 0.1, 179.9)
    .unit("degrees")
    .text("Angle where left and right end and the rear corners begin.");
const BACK: Parameter<f64> = Parameter::float("boundaries.back", 166.3, 0.1, 179.9)
    .unit("degrees")
    .text("Angle where the rear corners end and back begins.");
const REAR_SWAP: Parameter<bool> = Parameter::bool("boundaries.rear_swap", true).text(
    "A stick back and left is in the zone back right, the corner that the tail then sweeps, and the reverse.",
);
const DEAD_ZONE: Parameter<f64> = Parameter::float("boundaries.dead_zone", 0.0, 0.0, 50.0)
    .unit("percent of full throw")
    .text("A stick no farther from the centre than this is centred and drives nothing.");

const HYSTERESIS: Parameter<f64> = Parameter::float("boundaries.hysteresis", 0.0, 0.0, 10.0)
    .unit("degrees")
    .text(
        "A zone that the stick has left by less than this keeps its say: the smaller factor of both zones counts, so \
         that a stick trembling on a boundary gives no flicker.",
    );

const INPUT_SOURCE: Parameter<i64> = Parameter::integer("input_source", 5, 0, 5)
    .text(
        "LUCI's number of the input source in joystick messages published for a velocity: 0 ramp assist, 1 autonomous remote, 2 WDI, \
         3 chair virtual, 4 chair physical, 5 shared remote.",
    )
    .at_start();
const COPY_INPUT_SOURCE: Parameter<bool> = Parameter::bool("copy_input_source", true)
    .text("What is told of a LuciJoystick carries the input source of that message; otherwise input_source.");
const DEVIATION_TOLERANCE: Parameter<i64> = Parameter::integer("deviation_tolerance", 3, 0, 100)
    .unit("percent of full throw")
    .text("A chair that leaves of a stick more or less than predicted by more than this deviates, which is told.");
const STAMPED: Parameter<bool> = Parameter::bool("stamped", true)
    .text(
        "Take and publish geometry_msgs/TwistStamped; otherwise geometry_msgs/Twist, which loses the time of the \
         stick event.",
    )
    .at_start();
const MARKERS_FRAME: Parameter<String> = Parameter::string("markers.frame", "base_link")
    .text("Frame of the picture on ~/markers: x ahead, y to the left.");
const MARKERS_RADIUS: Parameter<f64> = Parameter::float("markers.radius", 1.2, 0.1, 20.0)
    .unit("m")
    .text("Outer radius of the ring of zones on ~/markers.");

/// All parameters of the node.
pub fn specification() -> Specification {
    Specification::new(
        "zone_scaler",
        "Leaves of each command what the zone allows that it drives into (LUCI).",
    )
    .with(&MODE)
    .with(&SCALING)
    .with(&KEEP_DIRECTION)
    .with(&WAY_OUT)
    .with(&RISE_TIME)
    .with(&SCALING_TIMEOUT)
    .with(&MISSING_FACTOR)
    .with(&RIVAL_SCALINGS)
    .with(&COMMAND_TIMEOUT)
    .with(&HEARTBEAT)
    .with(&MAX_LINEAR)
    .with(&MAX_ANGULAR)
    .with(&FRONT)
    .with(&FRONT_SIDE)
    .with(&SIDE_BACK)
    .with(&BACK)
    .with(&REAR_SWAP)
    .with(&DEAD_ZONE)
    .with(&HYSTERESIS)
    .with(&INPUT_SOURCE)
    .with(&COPY_INPUT_SOURCE)
    .with(&DEVIATION_TOLERANCE)
    .with(&STAMPED)
    .with(&MARKERS_FRAME)
    .with(&MARKERS_RADIUS)
}

/// What the node does with a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operation {
    /// Scales it and commands what is left.
    #[default]
    Apply,
    /// Tells what the vehicle will leave of it, and commands nothing.
    Predict,
    /// Commands it as it is, cut to full throw.
    Passthrough,
}

/// The parameters in force, parsed.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// What is done with a command.
    pub operation: Operation,
    /// How a factor acts.
    pub scaling: Mode,
    /// Whether the direction of the stick stays.
    pub keep_direction: bool,
    /// Whether what is blocked ahead holds neither a turn nor a way back.
    pub way_out: bool,
    /// A factor that rises takes this long from 0 to 1; zero lets it rise at once.
    pub rise_time: Duration,
    /// A scaling older than this no longer counts.
    pub scaling_timeout: Duration,
    /// Whether no scaling counts while more than one tells scalings.
    pub single_scaler: bool,
    /// The factor of every zone without a scaling that counts.
    pub missing_factor: Scale,
    /// A command older than this is lost.
    pub command_timeout: Duration,
    /// While no command is in force a zero goes out this often.
    pub heartbeat: Duration,
    /// The velocities at full throw of the stick.
    pub full_throw: FullThrow,
    /// Where one zone ends and the next begins.
    pub boundaries: Boundaries,
    /// LUCI's number of the input source for published messages, 0 to 5.
    pub input_source: i32,
    /// Whether what is told of a `LuciJoystick` carries that message's input source instead.
    pub copy_input_source: bool,
    /// A chair that is off by more than this deviates \[percent of full throw\].
    pub deviation_tolerance: i32,
    /// Whether commands are taken and published as `TwistStamped`; otherwise as `Twist`.
    pub stamped: bool,
    /// Where the picture of the zones is drawn.
    pub markers: Markers,
}

/// Where and how great the picture of the zones is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Markers {
    /// The frame, x ahead and y to the left; not empty.
    pub frame: String,
    /// The outer radius \[m\].
    pub radius: f64,
}

impl Params {
    /// The parameters in `set`.
    /// # Errors
    /// A [`Refusal`] of boundaries that do not increase from front to back, and of a frame without a name.
    pub fn read(set: &Set) -> Result<Self, Refusal> {
        for (lower, upper) in [(&FRONT, &FRONT_SIDE), (&FRONT_SIDE, &SIDE_BACK), (&SIDE_BACK, &BACK)] {
            if lower.get(set) >= upper.get(set) {
                let lower_name = lower.declaration().name;
                let rule =
                    format!("must be greater than '{lower_name}', which is {:?} degrees", lower.get(set));
                return Err(set.refuse(upper.declaration().name, rule));
            }
        }
        if MARKERS_FRAME.get(set).is_empty() {
            return Err(set.refuse(MARKERS_FRAME.declaration().name, "must name a frame"));
        }
        Ok(Self::parse(set))
    }

    fn parse(set: &Set) -> Self {
        Self {
            operation: match MODE.get(set).as_str() {
                "predict" => Operation::Predict,
                "passthrough" => Operation::Passthrough,
                _ => Operation::Apply,
            },
            scaling: if SCALING.get(set) == "multiply" { Mode::Multiply } else { Mode::Limit },
            keep_direction: KEEP_DIRECTION.get(set),
            way_out: WAY_OUT.get(set),
            rise_time: RISE_TIME.time(set),
            scaling_timeout: SCALING_TIMEOUT.time(set),
            single_scaler: RIVAL_SCALINGS.get(set) == "stop",
            missing_factor: Scale::new(MISSING_FACTOR.get(set)).unwrap_or(Scale::ZERO),
            command_timeout: COMMAND_TIMEOUT.time(set),
            heartbeat: HEARTBEAT.time(set),
            full_throw: FullThrow { linear: MAX_LINEAR.get(set), angular: MAX_ANGULAR.get(set) },
            boundaries: Boundaries {
                front: FRONT.get(set),
                front_side: FRONT_SIDE.get(set),
                side_back: SIDE_BACK.get(set),
                back: BACK.get(set),
                rear_swap: REAR_SWAP.get(set),
                dead_zone: DEAD_ZONE.get(set),
                hysteresis: HYSTERESIS.get(set),
            },
            // The specification allows 0 to 5.
            input_source: i32::try_from(INPUT_SOURCE.get(set)).unwrap_or(5),
            copy_input_source: COPY_INPUT_SOURCE.get(set),
            // The specification allows 0 to 100.
            deviation_tolerance: i32::try_from(DEVIATION_TOLERANCE.get(set)).unwrap_or(0),
            stamped: STAMPED.get(set),
            markers: Markers { frame: MARKERS_FRAME.get(set), radius: MARKERS_RADIUS.get(set) },
        }
    }
}

impl Default for Params {
    fn default() -> Self {
        Self::parse(&specification().defaults())
    }
}

#[cfg(test)]
mod tests {
    use params::Value;

    use super::*;

    fn read(overrides: &[(&str, Value)]) -> Result<Params, String> {
        let overrides = overrides.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let set = specification().resolve(overrides).map_err(|refusals| refusals[0].to_string())?;
        Params::read(&set).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn defaults_limit_stop_without_scaling_and_use_the_zone_ring() {
        let params = read(&[]).unwrap();
        assert_eq!(params, Params::default());
        assert_eq!((params.operation, params.scaling), (Operation::Apply, Mode::Limit));
        assert_eq!((params.keep_direction, params.way_out, params.rise_time), (false, true, Duration::ZERO));
        assert_eq!((params.copy_input_source, params.deviation_tolerance), (true, 3));
        assert_eq!((params.missing_factor, params.boundaries), (Scale::ZERO, Boundaries::default()));
        let half = Duration::from_millis(500);
        assert_eq!((params.scaling_timeout, params.command_timeout), (half, half));
        assert_eq!((params.heartbeat, params.input_source, params.stamped), (half / 5, 5, true));
    }

    #[test]
    fn every_default_passes_its_own_check() {
        for (name, declaration, value) in specification().defaults().iter() {
            assert_eq!(declaration.check(name, value.clone()).as_ref(), Ok(value));
        }
    }

    #[test]
    fn choices_are_read() {
        let text = |text: &str| Value::Text(text.into());
        let params = read(&[("mode", text("passthrough")), ("scaling", text("multiply"))]).unwrap();
        assert_eq!((params.operation, params.scaling), (Operation::Passthrough, Mode::Multiply));
        assert_eq!(read(&[("mode", text("predict"))]).unwrap().operation, Operation::Predict);
        let refusal = read(&[("mode", text("watch"))]).unwrap_err();
        assert!(refusal.ends_with("must be one of: apply, predict, passthrough"), "{refusal}");
    }

    #[test]
    fn each_value_arrives_where_it_belongs() {
        let params = read(&[
            ("way_out", Value::Bool(false)),
            ("rise_time", Value::Float(2.5)),
            ("boundaries.hysteresis", Value::Float(4.0)),
            ("boundaries.dead_zone", Value::Float(6.0)),
            ("copy_input_source", Value::Bool(false)),
            ("input_source", Value::Integer(1)),
            ("deviation_tolerance", Value::Integer(7)),
            ("markers.frame", Value::Text("chair".into())),
            ("markers.radius", Value::Float(2.0)),
        ])
        .unwrap();
        assert_eq!((params.way_out, params.rise_time), (false, Duration::from_millis(2500)));
        assert_eq!((params.boundaries.hysteresis, params.boundaries.dead_zone), (4.0, 6.0));
        assert_eq!(
            (params.copy_input_source, params.input_source, params.deviation_tolerance),
            (false, 1, 7)
        );
        assert_eq!(params.markers, Markers { frame: "chair".into(), radius: 2.0 });
        assert!(read(&[("markers.frame", Value::Text(String::new()))]).is_err());
        assert!(read(&[("boundaries.hysteresis", Value::Float(10.1))]).is_err());
        assert!(read(&[("rise_time", Value::Float(-0.1))]).is_err());
    }

    #[test]
    fn boundaries_increase_from_front_to_back() {
        assert_eq!(
            read(&[("boundaries.front", Value::Float(80.0))]).unwrap_err(),
            "parameter 'boundaries.front_side' is 78.45, must be greater than 'boundaries.front', which is 80.0 degrees"
        );
        assert!(read(&[("boundaries.back", Value::Float(101.55))]).is_err(), "equal is not greater");
        assert!(read(&[("boundaries.back", Value::Float(180.0))]).is_err(), "back needs some room");
    }
}
