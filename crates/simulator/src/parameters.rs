//! The parameters of the node `simulator`.

use core::time::Duration;

use params::{Parameter, Refusal, Set, Specification};

use crate::geometry::{Pose, Segment, clearance, wrap};

/// A room of 8 m x 6 m, a wall that divides its lower half, and a pillar behind the gap.
const ROOM: &[f64] = &[
    0.0, 0.0, 8.0, 0.0, 8.0, 0.0, 8.0, 6.0, 8.0, 6.0, 0.0, 6.0, 0.0, 6.0, 0.0, 0.0, // outer walls
    4.0, 0.0, 4.0, 3.2, // inner wall
    5.8, 2.8, 6.3, 2.8, 6.3, 2.8, 6.3, 3.3, 6.3, 3.3, 5.8, 3.3, 5.8, 3.3, 5.8, 2.8, // pillar
];

/// Four numbers for each wall, which [`Params::read`] checks.
const WALLS: Parameter<Vec<f64>> =
    Parameter::floats("walls", ROOM, -1000.0, 1000.0, 400).unit("m").at_start();
const START: Parameter<Vec<f64>> =
    Parameter::floats("start", &[1.5, 3.0, 0.0], -1000.0, 1000.0, 3).at_start();

const fn rate(name: &'static str, default: i64, min: i64, max: i64) -> Parameter<i64> {
    Parameter::integer(name, default, min, max).unit("Hz").at_start()
}

params::params! {
    /// The parameters in the types that the world works with; units and ranges as in [`specification`].
    pub struct Params {
        /// Straight walls, four numbers each: x and y of one end, x and y of the other, in the map frame.
        walls: Vec<Segment> = WALLS => segments,
        /// Where the vehicle starts: x and y in the map frame in metres, heading counter-clockwise in radians.
        start: Pose = START => pose,
        /// Radius of the round footprint.
        radius: f64 = Parameter::float("radius", 0.35, 0.05, 2.0).unit("m").at_start(),
        /// Distance between the driven wheels.
        track: f64 = Parameter::float("track", 0.5, 0.05, 3.0).unit("m").at_start(),
        /// Radius of the driven wheels, for motor_states.
        wheel_radius: f64 = Parameter::float("wheel_radius", 0.1, 0.01, 1.0).unit("m").at_start(),
        /// Speed of a wheel at full servo value.
        wheel_speed: f64 = Parameter::float("wheel_speed", 1.2, 0.05, 5.0).unit("m/s"),
        /// Time constant with which the wheels follow the servo values; 0 for none.
        lag: f64 = Parameter::float("lag", 0.1, 0.0, 2.0).unit("s"),
        /// When either motor topic has been silent for this long, both wheels stop until both values are 90. Any motor
        /// controller behind hindbrain must do the same: nothing else is left to act when hindbrain or the link dies.
        motor_timeout: Duration = Parameter::seconds("motor_timeout", 0.25, 0.02, 2.0),
        /// Zone scaling: with a wall this near to the footprint's edge the zone's factor is 0.
        stop_distance: f64 = Parameter::float("stop_distance", 0.3, 0.0, 5.0).unit("m"),
        /// Zone scaling: with no wall nearer than this the zone's factor is 1. Greater than stop_distance.
        slow_distance: f64 = Parameter::float("slow_distance", 1.5, 0.05, 20.0).unit("m"),
        /// Zone scaling: the least factor for turning in place, so that a way out is always left. A round footprint touches
        /// nothing by turning.
        turn_least: f64 = Parameter::float("turn_least", 0.2, 0.05, 1.0),
        /// Farthest distance that the laser measures; beyond it a range is infinite.
        scan_max: f64 = Parameter::float("scan_max", 12.0, 0.5, 100.0).unit("m").at_start(),
        /// Farthest distance that an infra-red sensor measures; it reports this where nothing is.
        range_max: f64 = Parameter::float("range_max", 4.0, 0.1, 100.0).unit("m").at_start(),
        /// How often the vehicle is moved on and odometry is published.
        physics_period: Duration = rate("physics_rate", 50, 20, 1000) => period,
        /// How often the laser scan is published.
        scan_period: Duration = rate("scan_rate", 10, 1, 100) => period,
        /// How often zone scaling is published.
        scaling_period: Duration = rate("scaling_rate", 20, 1, 200) => period,
        /// How often each infra-red range is published.
        range_period: Duration = rate("range_rate", 20, 1, 200) => period,
        /// Whether the e-stop button publishes at all: false for a robot whose own e-stop publishes `hind/estop`.
        publish_estop: bool = Parameter::bool("publish_estop", true).at_start(),
        /// Heartbeat of the e-stop button.
        estop_period: Duration = rate("estop_rate", 20, 10, 200) => period,
    }
}

/// All parameters of the node `simulator`.
pub fn specification() -> Specification {
    Specification::new("simulator", "A vehicle with two driven wheels among walls, and its sensors.")
        .managed()
        .with_all(Params::declarations())
}

impl Params {
    /// The parameters in force in `set`.
    /// # Errors
    /// [`Refusal`] if a wall has not four numbers or no length, if `start` has not three numbers or the vehicle would
    /// stand in a wall, or if `slow_distance` is not greater than `stop_distance`.
    pub fn read(set: &Set) -> Result<Self, Refusal> {
        let params = Self::get(set);
        let refuse = |name: &str, rule: &str| Err(set.refuse(name, rule));
        if !WALLS.get(set).len().is_multiple_of(4) {
            return refuse("walls", "must have four numbers for each wall: x1, y1, x2, y2 [m]");
        }
        if params.walls.iter().any(|wall| wall.a == wall.b) {
            return refuse("walls", "must not have a wall whose two ends are the same");
        }
        if START.get(set).len() != 3 {
            return refuse("start", "must have three numbers: x [m], y [m], heading [rad]");
        }
        if clearance(&params.walls, params.start.point()) < params.radius {
            return refuse("start", "must be farther from every wall than 'radius'");
        }
        if params.slow_distance <= params.stop_distance {
            return refuse("slow_distance", "must be greater than 'stop_distance'");
        }
        Ok(params)
    }

    /// Takes from `next` what may change while the node runs.
    pub(crate) fn change(&mut self, next: &Self) {
        self.wheel_speed = next.wheel_speed;
        self.lag = next.lag;
        self.motor_timeout = next.motor_timeout;
        self.stop_distance = next.stop_distance;
        self.slow_distance = next.slow_distance;
        self.turn_least = next.turn_least;
    }
}

fn segments(numbers: Vec<f64>) -> Vec<Segment> {
    numbers.as_chunks().0.iter().map(|&[x1, y1, x2, y2]| Segment::new([x1, y1], [x2, y2])).collect()
}

fn pose(numbers: Vec<f64>) -> Pose {
    let part = |index: usize| numbers.get(index).copied().unwrap_or_default();
    Pose { x: part(0), y: part(1), heading: wrap(part(2)) }
}

fn period(rate: i64) -> Duration {
    Duration::from_secs(1) / u32::try_from(rate).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use params::{Change, Value};

    use super::*;

    fn read(overrides: &[(&str, Value)]) -> Result<Params, Refusal> {
        Params::read(
            &specification().resolve(overrides.iter().map(|(n, v)| ((*n).into(), v.clone()))).unwrap(),
        )
    }

    fn refused(name: &str, value: Value) -> String {
        read(&[(name, value)]).unwrap_err().to_string()
    }

    #[test]
    fn the_defaults_are_accepted_and_pass_their_own_checks() {
        assert_eq!(read(&[]).unwrap(), Params::default());
        for (name, declaration, value) in specification().defaults().iter() {
            assert_eq!(declaration.check(name, value.clone()).as_ref(), Ok(value));
        }
        // 4 outer walls, 1 inner wall, 4 sides of a pillar
        assert_eq!(Params::default().walls.len(), 9);
        assert_eq!(Params::default().physics_period, Duration::from_millis(20));
    }

    #[test]
    fn what_makes_no_world_is_refused_by_name() {
        let floats = |v: &[f64]| Value::Floats(v.to_vec());
        assert!(refused("walls", floats(&[1.0; 5])).starts_with("parameter 'walls' is [1.0,"));
        assert!(refused("walls", floats(&[9.0; 4])).contains("two ends"));
        assert!(refused("start", floats(&[1.0; 2])).contains("three numbers"));
        // 0.3 m from the wall at x = 0, less than the radius of 0.35 m
        assert!(refused("start", floats(&[0.3, 3.0, 0.0])).contains("farther from every wall"));
        assert!(refused("slow_distance", Value::Float(0.3)).contains("greater than 'stop_distance'"));
    }

    #[test]
    fn change_takes_exactly_what_is_not_read_only() {
        // A value that is allowed for every single parameter and is the default of none.
        let own = |(name, ..): &(&str, _, _)| *name != params::AUTOSTART; // the node's, not the world's
        for (name, declaration, default) in specification().defaults().iter().filter(own) {
            let value = match default {
                Value::Float(v) => Value::Float(v + 0.01),
                Value::Integer(v) => Value::Integer(v + 1),
                Value::Bool(v) => Value::Bool(!v),
                _ if name == "walls" => Value::Floats(vec![]),
                _ => Value::Floats(vec![2.0, 2.0, 1.0]),
            };
            let next = read(&[(name, value)]).unwrap();
            let mut params = Params::default();
            params.change(&next);
            assert_eq!(params == next, declaration.change == Change::Live, "{name}");
        }
    }
}
