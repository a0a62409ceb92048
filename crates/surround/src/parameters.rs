use core::time::Duration;

use params::{Parameter, Refusal, Set, Specification};
use units::SLOWEST_FULL_SPEED;
use zones::{Boundaries, FullThrow, Zone};

use crate::{Distances, Footprint, Sensor, sensor};

const UNCOVERED: Parameter<String> = Parameter::choice("uncovered", "blocked", &["blocked", "free"])
    .text("What the surroundings count as where no sensor answers for them.")
    .needed_by("a vehicle with one scanner ahead that has to reverse");

const FRONT: Parameter<f64> = extent("footprint.front", 0.6).text(
    "From the point that the vehicle turns about, commonly the middle of the driven axle, to its front edge.",
);
const BACK: Parameter<f64> = extent("footprint.back", 0.5).text("From there to the rear edge.");
const LEFT: Parameter<f64> = extent("footprint.left", 0.35).text("From there to the left edge.");
const RIGHT: Parameter<f64> = extent("footprint.right", 0.35).text("From there to the right edge.");
const REACH: Parameter<f64> = Parameter::float("reach", 3.0, 0.1, 10.0)
    .unit("m")
    .text("How far the vehicle's travel is looked ahead; what it would touch later limits nothing.")
    .at_start()
    .needed_by("vehicles' speeds and ways to a stop differ");

const MAX_LINEAR: Parameter<f64> = Parameter::float("max_linear", 1.0, SLOWEST_FULL_SPEED, 20.0)
    .unit("m/s")
    .text("Speed at full throw forward or back, as in the zone scaler: with max_angular it determines how arcs curve.")
    .at_start()
    .needed_by("vehicles differ");
const MAX_ANGULAR: Parameter<f64> = Parameter::float("max_angular", 1.0, SLOWEST_FULL_SPEED, 20.0)
    .unit("rad/s")
    .text("Turning speed at full throw left or right, as in the zone scaler.")
    .at_start()
    .needed_by("vehicles differ");
const ANGLE_FRONT: Parameter<f64> = angle("boundaries.front", 13.7)
    .text("Angle of the stick from straight ahead where front ends and the front corners begin.");
const ANGLE_FRONT_SIDE: Parameter<f64> =
    angle("boundaries.front_side", 78.45).text("Angle where the front corners end and left and right begin.");
const ANGLE_SIDE_BACK: Parameter<f64> =
    angle("boundaries.side_back", 101.55).text("Angle where left and right end and the rear corners begin.");
const ANGLE_BACK: Parameter<f64> =
    angle("boundaries.back", 166.3).text("Angle where the rear corners end and back begins.");
const REAR_SWAP: Parameter<bool> = Parameter::bool("boundaries.rear_swap", true)
    .text("A stick back and left is in the zone back right, as in the zone scaler.")
    .at_start()
    .needed_by("LUCI: its picture swaps them, and of its users some do and some do not");
const VELOCITY: Parameter<String> = Parameter::choice("velocity", "unused", &["unused", "used"]).text(
    "Whether the time to a collision at the vehicle's velocity limits as well. If used and lost, full throw is assumed.",
)
    .needed_by("nav2 collision_monitor: approach, time_before_collision");
const VELOCITY_TIMEOUT: Parameter<f64> = Parameter::float("velocity_timeout", 0.5, 0.01, 10.0)
    .unit("s")
    .text("A velocity older than this, by its time of receipt, is lost.")
    .needed_by("odometry's rates differ");
const TIME_STOP: Parameter<f64> = Parameter::float("collision_time.stop", 0.5, 0.0, 10.0)
    .unit("s")
    .text("At this time to a collision or less the factor is 0.")
    .needed_by("nav2 collision_monitor: time_before_collision");
const TIME_SLOW: Parameter<f64> = Parameter::float("collision_time.slow", 2.0, 0.01, 20.0)
    .unit("s")
    .text("At this time to a collision or more the factor is 1; linear between.")
    .needed_by("nav2 collision_monitor: time_before_collision");

const STOP_TEXT: &str =
    "Travel to what the motion of this zone would touch at which, or nearer, its factor is 0.";
const SLOW_TEXT: &str = "Travel at which, or farther, that factor is 1; linear between.";

/// Stop and slow distance of each zone, in the order of the numbers.
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

const fn extent(name: &'static str, default: f64) -> Parameter<f64> {
    Parameter::float(name, default, 0.05, 5.0).unit("m").needed_by("vehicles' outlines differ").at_start()
}

const fn angle(name: &'static str, default: f64) -> Parameter<f64> {
    Parameter::float(name, default, 0.1, 179.9)
        .unit("degrees")
        .needed_by("LUCI: as in the zone scaler")
        .at_start()
}

const fn stop(name: &'static str, default: f64) -> Parameter<f64> {
    Parameter::float(name, default, 0.0, 10.0)
        .unit("m")
        .text(STOP_TEXT)
        .needed_by("vehicles' ways to a stop differ")
}

const fn slow(name: &'static str, default: f64) -> Parameter<f64> {
    Parameter::float(name, default, 0.01, 10.0)
        .unit("m")
        .text(SLOW_TEXT)
        .needed_by("vehicles' ways to a stop differ")
}

/// All parameters of the node.
pub fn specification() -> Specification {
    let specification = Specification::new(
        "surround",
        "Makes LUCI's zone scaling of laser scans and point clouds, for vehicles without LUCI.",
    )
    .with(&UNCOVERED)
    .with(&FRONT)
    .with(&BACK)
    .with(&LEFT)
    .with(&RIGHT)
    .with(&REACH);
    let specification = DISTANCES.iter().flatten().fold(specification, Specification::with);
    specification
        .with(&MAX_LINEAR)
        .with(&MAX_ANGULAR)
        .with(&ANGLE_FRONT)
        .with(&ANGLE_FRONT_SIDE)
        .with(&ANGLE_SIDE_BACK)
        .with(&ANGLE_BACK)
        .with(&REAR_SWAP)
        .with(&VELOCITY)
        .with(&VELOCITY_TIMEOUT)
        .with(&TIME_STOP)
        .with(&TIME_SLOW)
        .with_group(sensor::group())
}

/// The parameters in force, parsed. Sensors are in alphabetical order of their names.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Who looks around; the index in here is the one in inputs.
    pub sensors: Vec<Sensor>,
    /// Whether what no sensor answers for is free; otherwise it is blocked.
    pub uncovered_is_free: bool,
    /// What the vehicle touches with.
    pub footprint: Footprint,
    /// How far the vehicle's travel is looked ahead \[m\].
    pub reach: f64,
    /// When to stop and to slow, by zone in the order of the numbers; see [`Params::distances_of`].
    pub distances: [Distances; 8],
    /// The velocities at full throw of the stick.
    pub full_throw: FullThrow,
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
        let not_above = |lower: &Parameter<f64>, upper: &Parameter<f64>| {
            let rule =
                format!("must be greater than '{}', which is {:?}", lower.declaration().name, lower.get(set));
            (lower.get(set) >= upper.get(set)).then(|| set.refuse(upper.declaration().name, rule))
        };
        let angles = [ANGLE_FRONT, ANGLE_FRONT_SIDE, ANGLE_SIDE_BACK, ANGLE_BACK];
        for pair in angles
            .windows(2)
            .chain(DISTANCES.iter().map(|pair| pair.as_slice()))
            .chain([&[TIME_STOP, TIME_SLOW][..]])
        {
            if let [lower, upper] = pair
                && let Some(refusal) = not_above(lower, upper)
            {
                return Err(refusal);
            }
        }
        for [_, slow] in &DISTANCES {
            if slow.get(set) > REACH.get(set) {
                let rule = format!("must not be greater than 'reach', which is {:?} m", REACH.get(set));
                return Err(set.refuse(slow.declaration().name, rule));
            }
        }
        let params = Self::parse(set);
        sensor::check(set, &params.sensors)?;
        Ok(params)
    }

    fn parse(set: &Set) -> Self {
        let pair = |stop: &Parameter<f64>, slow: &Parameter<f64>| Distances {
            stop: stop.get(set),
            slow: slow.get(set),
        };
        Self {
            sensors: set.group(sensor::SENSORS).into_iter().map(|name| Sensor::parse(set, name)).collect(),
            uncovered_is_free: UNCOVERED.get(set) == "free",
            footprint: Footprint {
                front: FRONT.get(set),
                back: BACK.get(set),
                left: LEFT.get(set),
                right: RIGHT.get(set),
            },
            reach: REACH.get(set),
            distances: DISTANCES.map(|[stop, slow]| pair(&stop, &slow)),
            full_throw: FullThrow { linear: MAX_LINEAR.get(set), angular: MAX_ANGULAR.get(set) },
            boundaries: Boundaries {
                front: ANGLE_FRONT.get(set),
                front_side: ANGLE_FRONT_SIDE.get(set),
                side_back: ANGLE_SIDE_BACK.get(set),
                back: ANGLE_BACK.get(set),
                rear_swap: REAR_SWAP.get(set),
                // The others only make the scaler more careful: a stick's own zone always has its say.
                ..Boundaries::default()
            },
            uses_velocity: VELOCITY.get(set) == "used",
            velocity_timeout: VELOCITY_TIMEOUT.time(set),
            collision_time: pair(&TIME_STOP, &TIME_SLOW),
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
