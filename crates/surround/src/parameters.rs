use core::time::Duration;

use crate::sensor::Unseen;
use params::{Parameter, Refusal, Set, Specification};
use safety::SLOWEST_FULL_SPEED;
use zones::{Boundaries, FullSpeed, Zone};

use crate::{Distances, Footprint, Sensor, sensor};

/// The words of `velocity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Velocity {
    Unused,
    Used,
}

params::choices! { Velocity: Unused = "unused", Used = "used" }

params::params! {
    /// Treatment of bearings that no sensor covers.
    struct Uncovered {
        /// How to treat bearings that no sensor covers.
        uncovered: Unseen = Parameter::choice("uncovered", "blocked"),
    }
}

const REACH: Parameter<f64> = Parameter::float("reach", 3.0, 0.1, 10.0)
    .unit("m")
    .at_start()
    .text("The look-ahead distance along the vehicle's path; obstacles beyond it limit nothing.");

/// The distances at which the motion of each zone stops and slows, in the order of the zones' numbers.
const DISTANCES: [[Parameter<f64>; 2]; 8] = [
    [stop("front.stop", 0.3), slow("front.slow", 1.5)],
    [stop("front_left.stop", 0.2), slow("front_left.slow", 1.0)],
    [stop("front_right.stop", 0.2), slow("front_right.slow", 1.0)],
    [stop("left.stop", 0.05), slow("left.slow", 0.5)],
    [stop("right.stop", 0.05), slow("right.slow", 0.5)],
    [stop("back_left.stop", 0.2), slow("back_left.slow", 1.0)],
    [stop("back_right.stop", 0.2), slow("back_right.slow", 1.0)],
    [stop("back.stop", 0.3), slow("back.slow", 1.5)],
];

params::params! {
    /// The vehicle's velocities.
    struct Declared {
        /// Speed at full throw forward or back, as in the zone scaler: with max_angular it determines how arcs curve.
        max_linear: f64 = Parameter::float("max_linear", 1.0, SLOWEST_FULL_SPEED, 20.0).unit("m/s").at_start(),
        /// Turning speed at full throw left or right, as in the zone scaler.
        max_angular: f64 = Parameter::float("max_angular", 1.0, SLOWEST_FULL_SPEED, 20.0).unit("rad/s").at_start(),
        /// Angle of the stick from straight ahead where front ends and the front corners begin.
        front: f64 = angle("boundaries.front", 13.7),
        /// Angle where the front corners end and left and right begin.
        front_side: f64 = angle("boundaries.front_side", 78.45),
        /// Angle where left and right end and the rear corners begin.
        side_back: f64 = angle("boundaries.side_back", 101.55),
        /// Angle where the rear corners end and back begins.
        back: f64 = angle("boundaries.back", 166.3),
        /// A stick back and left is in the zone back right, as in the zone scaler.
        rear_swap: bool = Parameter::bool("boundaries.rear_swap", true).at_start(),
        /// Whether the time to a collision at the vehicle's velocity limits the factors as well. If the velocity is used and
        /// lost, that of full throw is assumed.
        velocity: Velocity = Parameter::choice("velocity", "unused"),
        /// A velocity older than this, by its time of receipt, is lost.
        velocity_timeout: Duration = Parameter::seconds("velocity_timeout", 0.5, 0.01, 10.0),
        /// At this time to a collision or less the factor is 0.
        stop: f64 = Parameter::float("collision_time.stop", 0.5, 0.0, 10.0).unit("s"),
        /// At this time to a collision or more the factor is 1; linear between.
        slow: f64 = Parameter::float("collision_time.slow", 2.0, 0.01, 20.0).unit("s"),
    }
}

const STOP_TEXT: &str = "The distance to an obstacle on this zone's path at or below which its factor is 0.";
const SLOW_TEXT: &str = "The distance at or above which that factor is 1; linear between.";

const fn angle(name: &'static str, default: f64) -> Parameter<f64> {
    Parameter::float(name, default, 0.1, 179.9).unit("degrees").at_start()
}

const fn stop(name: &'static str, default: f64) -> Parameter<f64> {
    Parameter::float(name, default, 0.0, 10.0).unit("m").text(STOP_TEXT)
}

const fn slow(name: &'static str, default: f64) -> Parameter<f64> {
    Parameter::float(name, default, 0.01, 10.0).unit("m").text(SLOW_TEXT)
}

/// All parameters of the node.
pub fn specification() -> Specification {
    Specification::new(
        "surround",
        "Computes LUCI's zone scaling from laser scans and point clouds, for vehicles without LUCI.",
    )
    .managed()
    .with_all(Uncovered::declarations())
    .with_all(Footprint::declarations())
    .with_all(vec![REACH.declaration()])
    .with_all(DISTANCES.as_flattened().iter().map(Parameter::declaration).collect())
    .with_all(Declared::declarations())
    .with_group(sensor::group())
    .with_protections(&["sensors."])
}

/// The parameters in force, parsed. Sensors are in alphabetical order of their names.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Sensors of the vehicle; inputs refer to them by their index in here.
    pub sensors: Vec<Sensor>,
    /// Whether what no sensor answers for is free; otherwise it is blocked.
    pub uncovered_is_free: bool,
    /// Outline of the vehicle on the floor.
    pub footprint: Footprint,
    /// How far the vehicle's travel is looked ahead \[m\].
    pub reach: f64,
    /// When to stop and to slow, by zone in the order of the numbers; see [`Params::distances_of`].
    pub distances: [Distances; 8],
    /// The velocities at full throw of the stick.
    pub full_speed: FullSpeed,
    /// Where one zone ends and the next begins.
    pub boundaries: Boundaries,
    /// Whether the time to a collision limits as well.
    pub uses_velocity: bool,
    /// A velocity older than this is lost.
    pub velocity_timeout: Duration,
    /// At which time to a collision to stop and to slow \[s\].
    pub collision_time: Distances,
}

impl Params {
    /// The parameters in `set`.
    /// # Errors
    /// A [`Refusal`] of boundaries that do not increase from front to back, of a slow distance or time that is not
    /// beyond its stop, of one beyond `reach`, and of a sensor whose topic, heights or sector make no sense.
    pub fn read(set: &Set) -> Result<Self, Refusal> {
        let params = Self::parse(set);
        params.boundaries.check(set)?;
        for ([stop, slow], distances) in DISTANCES.iter().zip(params.distances) {
            let [stop, slow] = [stop, slow].map(|parameter| parameter.declaration().name);
            check_above(set, (stop, distances.stop), (slow, distances.slow))?;
            if distances.slow > params.reach {
                let rule = format!("must not be greater than 'reach', which is {:?} m", params.reach);
                return Err(set.refuse(slow, rule));
            }
        }
        let Distances { stop, slow } = params.collision_time;
        check_above(set, ("collision_time.stop", stop), ("collision_time.slow", slow))?;
        sensor::check(set, &params.sensors)?;
        Ok(params)
    }

    fn parse(set: &Set) -> Self {
        let Uncovered { uncovered } = Uncovered::get(set);
        params::values! { Declared {
            max_linear, max_angular, front, front_side, side_back, back, rear_swap, velocity,
            velocity_timeout, stop, slow,
        } = Declared::get(set) }
        Self {
            sensors: set.group(sensor::SENSORS).into_iter().map(|name| Sensor::parse(set, name)).collect(),
            uncovered_is_free: uncovered == Unseen::Free,
            footprint: Footprint::get(set),
            reach: REACH.get(set),
            distances: DISTANCES.map(|[stop, slow]| Distances { stop: stop.get(set), slow: slow.get(set) }),
            full_speed: FullSpeed { linear: max_linear, angular: max_angular },
            boundaries: Boundaries {
                front,
                front_side,
                side_back,
                back,
                rear_swap,
                // The others only make the scaler more careful: a stick's own zone always has its say.
                ..Boundaries::default()
            },
            uses_velocity: velocity == Velocity::Used,
            velocity_timeout,
            collision_time: Distances { stop, slow },
        }
    }

    /// When the motion in the middle of `zone` stops and slows \[m\]. [`Zone::Origin`] has none and never drives.
    pub fn distances_of(&self, zone: Zone) -> Distances {
        self.distances
            .get(zone as usize)
            .copied()
            .unwrap_or(Distances { stop: f64::INFINITY, slow: f64::INFINITY })
    }
}

impl Default for Params {
    fn default() -> Self {
        Self::parse(&specification().defaults())
    }
}

/// Refuses `upper` if it is not above `lower`, both with their names.
fn check_above(set: &Set, lower: (&str, f64), upper: (&str, f64)) -> Result<(), Refusal> {
    if lower.1 >= upper.1 {
        return Err(
            set.refuse(upper.0, format!("must be greater than '{}', which is {:?}", lower.0, lower.1))
        );
    }
    Ok(())
}
