use core::time::Duration;

use params::{Parameter, Refusal, Set, Specification};
use safety::{SHORTEST_COMMAND_TIMEOUT, SLOWEST_FULL_SPEED};

use crate::{Boundaries, FullSpeed, Mode, Profiles, profile_parameters};

params::params! {
    /// Parameters of the treatment of a command.
    struct Declared {
        /// apply: scale each command. predict, for a vehicle that scales commands itself: publish what it will leave of them
        /// and command nothing. passthrough: do not scale. A command must not be scaled twice. In every mode a command is
        /// limited to full throw and times out. linear.y and z and angular.x and y, which no zone judges, pass in passthrough
        /// without profiles only; otherwise such a command is refused. After a change a command has to be zero once.
        mode: Operation = Parameter::choice("mode", "apply"),
        /// limit: a factor is the upper limit of the stick. multiply: it multiplies the stick. At full throw both are the same.
        scaling: Mode = Parameter::choice("scaling", "limit"),
        /// Use the smaller of a zone's two factors for both parts and shorten them in proportion. As the forward factor falls
        /// from 0.1 to 0, the turn is given back gradually, within the limits of its own zone and of left or right.
        keep_direction: bool = Parameter::bool("keep_direction", false),
        /// A factor that rises takes this long from 0 to 1 (1 / rise_time per second); 0 lets it rise at once. A factor falls
        /// at once.
        rise_time: Duration = Parameter::seconds("rise_time", 0.0, 0.0, 10.0),
        /// A scaling older than this, by its time of receipt, no longer counts: the vehicle stands still, and a command that
        /// asked for motion has to be zero once before it moves again.
        scaling_timeout: Duration = Parameter::seconds("scaling_timeout", 0.5, 0.01, 2.0),
        /// A command older than this, by its stamp or its time of receipt, is lost: zeros go out, and its publisher has to send
        /// a zero before anything moves again.
        command_timeout: Duration = Parameter::seconds("command_timeout", 0.5, SHORTEST_COMMAND_TIMEOUT, 2.0),
        /// Speed at full throw forward or back; a faster command is cut to it, with parts sideways or up the whole vector.
        /// Without effect where profiles are described.
        max_linear: f64 = Parameter::float("max_linear", 1.0, SLOWEST_FULL_SPEED, 20.0).unit("m/s"),
        /// Turning speed at full throw left or right; a faster command is cut to it. Without effect where profiles are
        /// described.
        max_angular: f64 = Parameter::float("max_angular", 1.0, SLOWEST_FULL_SPEED, 20.0).unit("rad/s"),
    }
}

params::params! {
    /// Parameters of the published messages.
    #[derive(Copy)]
    pub struct Published {
        /// LUCI's number of the input source, published with a scaled velocity: 0 ramp assist, 1 autonomous remote, 2 WDI, 3
        /// chair virtual, 4 chair physical, 5 shared remote. A scaled LuciJoystick keeps the number of its own message.
        input_source: i32 = Parameter::integer("input_source", 5, 0, 5).at_start() => |value| i32::try_from(value).unwrap_or(5),
        /// The deviation of the chair's output from the prediction above which it is reported.
        deviation_tolerance: i32 = Parameter::integer("deviation_tolerance", 3, 0, 100).unit("percent of full throw")
            => |value| i32::try_from(value).unwrap_or(0),
        /// Take and publish geometry_msgs/TwistStamped; otherwise geometry_msgs/Twist, which loses the time of the stick event.
        stamped: bool = Parameter::bool("stamped", true).at_start(),
    }
}

/// All parameters of the node.
pub fn specification() -> Specification {
    Specification::new(
        "zone_scaler",
        "Limits each command to what the zone that it drives into allows (LUCI).",
    )
    .managed()
    .with_all(Declared::declarations())
    .with_all(Boundaries::declarations())
    .with_all(Published::declarations())
    .with_all(Markers::declarations())
    .with_group(profile_parameters())
}

/// Operating mode of the node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operation {
    /// Scales each command and publishes the result.
    #[default]
    Apply,
    /// Predicts what the vehicle will leave of each command, and commands nothing.
    Predict,
    /// Publishes each command as it is, cut to full throw.
    Passthrough,
}

params::choices! { Operation: Apply = "apply", Predict = "predict", Passthrough = "passthrough" }

/// The parameters in force, parsed.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Operating mode of the node.
    pub operation: Operation,
    /// How a factor acts.
    pub scaling: Mode,
    /// Whether the direction of the stick stays.
    pub keep_direction: bool,
    /// A factor that rises takes this long from 0 to 1; zero lets it rise at once.
    pub rise_time: Duration,
    /// A scaling older than this no longer counts.
    pub scaling_timeout: Duration,
    /// A command older than this is lost.
    pub command_timeout: Duration,
    /// The velocities at full throw of the stick, where no profiles are described.
    pub full_speed: FullSpeed,
    /// Meaning of a chair's stick in each of its profiles; none for a vehicle that is commanded velocities.
    pub profiles: Profiles,
    /// Where one zone ends and the next begins.
    pub boundaries: Boundaries,
    /// Parameters of the published messages.
    pub published: Published,
    /// Where the picture of the zones is drawn.
    pub markers: Markers,
}

params::params! {
    /// Where and how great the picture of the zones is drawn.
    pub struct Markers {
        /// Frame of the picture on ~/markers: x ahead, y to the left.
        frame: String = Parameter::string("markers.frame", "base_link"),
        /// Outer radius of the ring of zones on ~/markers.
        radius: f64 = Parameter::float("markers.radius", 1.2, 0.1, 20.0).unit("m"),
    }
}

impl Params {
    /// The parameters in `set`.
    /// # Errors
    /// A [`Refusal`] of boundaries that do not increase from front to back, of a frame without a name, and of profiles as
    /// [`Profiles::read`].
    pub fn read(set: &Set) -> Result<Self, Refusal> {
        Boundaries::get(set).check(set)?;
        let params = Self { profiles: Profiles::read(set)?, ..Self::parse(set) };
        if params.markers.frame.is_empty() {
            return Err(set.refuse("markers.frame", "must name a frame"));
        }
        Ok(params)
    }

    fn parse(set: &Set) -> Self {
        params::values! { Declared {
            mode, scaling, keep_direction, rise_time, scaling_timeout, command_timeout, max_linear,
            max_angular,
        } = Declared::get(set) }
        Self {
            operation: mode,
            scaling,
            keep_direction,
            rise_time,
            scaling_timeout,
            command_timeout,
            full_speed: FullSpeed { linear: max_linear, angular: max_angular },
            profiles: Profiles::default(),
            boundaries: Boundaries::get(set),
            published: Published::get(set),
            markers: Markers::get(set),
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
        assert_eq!((params.keep_direction, params.rise_time), (false, Duration::ZERO));
        assert_eq!((params.published.deviation_tolerance, params.boundaries), (3, Boundaries::default()));
        assert!(params.profiles.is_empty());
        let half = Duration::from_millis(500);
        assert_eq!((params.scaling_timeout, params.command_timeout), (half, half));
        assert_eq!((params.published.input_source, params.published.stamped), (5, true));
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
            ("rise_time", Value::Float(2.5)),
            ("boundaries.hysteresis", Value::Float(4.0)),
            ("boundaries.dead_zone", Value::Float(6.0)),
            ("input_source", Value::Integer(1)),
            ("deviation_tolerance", Value::Integer(7)),
            ("markers.frame", Value::Text("chair".into())),
            ("markers.radius", Value::Float(2.0)),
        ])
        .unwrap();
        assert_eq!(params.rise_time, Duration::from_millis(2500));
        assert_eq!((params.boundaries.hysteresis, params.boundaries.dead_zone), (4.0, 6.0));
        assert_eq!((params.published.input_source, params.published.deviation_tolerance), (1, 7));
        assert_eq!(params.markers, Markers { frame: "chair".into(), radius: 2.0 });
        assert!(read(&[("markers.frame", Value::Text(String::new()))]).is_err());
        assert!(read(&[("boundaries.hysteresis", Value::Float(10.1))]).is_err());
        assert!(read(&[("rise_time", Value::Float(-0.1))]).is_err());
    }

    #[test]
    fn profiles_that_are_described_are_the_chairs() {
        assert!(read(&[]).unwrap().profiles.is_empty());
        let described = crate::published();
        let values: Vec<_> = described.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        let profiles = read(&values).unwrap().profiles;
        assert_eq!(profiles.of(3).unwrap().full().linear, 1.57);
        assert!(profiles.of(6).is_none());
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
