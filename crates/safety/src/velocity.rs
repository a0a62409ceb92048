use crate::Stamp;

/// A velocity of a rigid body: three linear and three angular parts, all finite.
///
/// * `linear` [m/s], `angular` [rad/s], axes x (forward), y (left), z (up), counter-clockwise positive
/// * NaN and the infinities cannot occur: [`Velocity::new`] refuses them
/// # Source
/// REP-103; `geometry_msgs/msg/Twist`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Velocity {
    linear: [f64; 3],
    angular: [f64; 3],
}

/// A part of a velocity was NaN or infinite.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{part} is {value}, must be finite")]
pub struct NotFinite {
    /// Which part, in the names of `geometry_msgs/msg/Twist`.
    pub part: &'static str,
    /// Its value.
    pub value: f64,
}

/// A velocity beyond this many times full speed is a mistake, not a command: it moves nothing.
///
/// # Source
/// own; the original hindbrain decoded 1e308 as half speed.
pub const MAX_PLAUSIBLE: f64 = 100.0;

/// A neutral velocity has no linear part further from zero than this \[m/s]: it is the output of a released stick, drift included.
///
/// # Source
/// own: for a vehicle with a full speed of 1 m/s it is the first step of its motors.
pub const NEUTRAL_LINEAR: f64 = 0.02;
/// A neutral velocity has no angular part further from zero than this \[rad/s].
pub const NEUTRAL_ANGULAR: f64 = 0.05;

/// The slowest full speed that a vehicle may declare [m/s, rad/s]: if every possible command were neutral, no stop would last until
/// a zero.
///
/// # Source
/// own
pub const SLOWEST_FULL_SPEED: f64 = 0.1;
const _: () =
    assert!(SLOWEST_FULL_SPEED >= 2.0 * NEUTRAL_LINEAR && SLOWEST_FULL_SPEED >= 2.0 * NEUTRAL_ANGULAR);

/// A part of a velocity was implausibly large.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{part} is {value:e}, must be from -{most} to {most} {}", self.unit())]
pub struct Implausible {
    /// Which part, in the names of `geometry_msgs/msg/Twist`.
    pub part: &'static str,
    /// Its value [m/s, rad/s].
    pub value: f64,
    /// Its limit, either way.
    pub most: f64,
}

const PARTS: [&str; 6] = ["linear.x", "linear.y", "linear.z", "angular.x", "angular.y", "angular.z"];

/// The velocity at full deflection of a stick, or at full level of the motors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FullSpeed {
    /// Forward and back [m/s], positive.
    pub linear: f64,
    /// Turning left and right [rad/s], positive.
    pub angular: f64,
}

impl Velocity {
    /// Standstill.
    pub const ZERO: Self = Self { linear: [0.0; 3], angular: [0.0; 3] };

    /// The velocity with these parts, `linear` [m/s] and `angular` [rad/s].
    /// # Errors
    /// [`NotFinite`] names the first part that is NaN or infinite.
    pub fn new(linear: [f64; 3], angular: [f64; 3]) -> Result<Self, NotFinite> {
        for (&value, part) in linear.iter().chain(&angular).zip(PARTS) {
            if !value.is_finite() {
                return Err(NotFinite { part, value });
            }
        }
        Ok(Self { linear, angular })
    }

    /// The velocity of a vehicle on a plane: `forward` [m/s] along x, `turn` [rad/s] about z.
    /// # Errors
    /// [`NotFinite`] as for [`Velocity::new`].
    pub fn planar(forward: f64, turn: f64) -> Result<Self, NotFinite> {
        Self::new([forward, 0.0, 0.0], [0.0, 0.0, turn])
    }

    /// The linear parts x, y, z [m/s].
    pub const fn linear(&self) -> [f64; 3] {
        self.linear
    }

    /// The angular parts about x, y, z [rad/s].
    pub const fn angular(&self) -> [f64; 3] {
        self.angular
    }

    /// The part along x [m/s], forward positive.
    pub const fn forward(&self) -> f64 {
        self.linear[0]
    }

    /// The part about z [rad/s], counter-clockwise positive.
    pub const fn turn(&self) -> f64 {
        self.angular[2]
    }

    /// Whether forward and turn lie within [`MAX_PLAUSIBLE`] times `full` speed.
    /// # Errors
    /// The first part that is beyond.
    pub fn check_plausible(&self, full: FullSpeed) -> Result<(), Implausible> {
        let FullSpeed { linear, angular } = full;
        for (part, value, full) in [("linear.x", self.forward(), linear), ("angular.z", self.turn(), angular)]
        {
            let most = MAX_PLAUSIBLE * full;
            if value.abs() > most {
                return Err(Implausible { part, value, most });
            }
        }
        Ok(())
    }

    /// Checks that the parts other than forward and turn lie within `linear` [m/s] and `angular` [rad/s].
    /// # Errors
    /// The first part that is beyond.
    pub fn check_other_parts(&self, linear: f64, angular: f64) -> Result<(), Implausible> {
        let ([_, y, z], [roll, pitch, _]) = (self.linear, self.angular);
        let parts = [
            ("linear.y", y, linear),
            ("linear.z", z, linear),
            ("angular.x", roll, angular),
            ("angular.y", pitch, angular),
        ];
        match parts.into_iter().find(|(_, value, most)| value.abs() > *most) {
            Some((part, value, most)) => Err(Implausible { part, value, most }),
            None => Ok(()),
        }
    }

    /// Whether any part other than forward and turn is not zero.
    pub fn has_other_parts(&self) -> bool {
        self.check_other_parts(0.0, 0.0).is_err()
    }

    /// The velocity with its linear vector shortened to `linear` [m/s] and its angular one to `angular` [rad/s], if it is longer:
    /// the direction of either stays.
    #[must_use]
    pub fn shortened_to(&self, linear: f64, angular: f64) -> Self {
        let shorten = |vector: [f64; 3], most: f64| {
            let [x, y, z] = vector;
            let length = x.hypot(y).hypot(z);
            // No part becomes greater than it was, and an overflow of the length leaves nothing.
            if length > most { vector.map(|part| part * (most / length)) } else { vector }
        };
        Self { linear: shorten(self.linear, linear), angular: shorten(self.angular, angular) }
    }

    /// Whether it asks for no motion: every part is within [`NEUTRAL_LINEAR`] or [`NEUTRAL_ANGULAR`].
    ///
    /// This is the only definition of zero, also where a stop must not be refused. A stick that drifts sends no exact zero, and a
    /// vehicle that creeps slower than this is stopped too often rather than too seldom.
    pub fn is_neutral(&self) -> bool {
        self.linear.iter().all(|part| part.abs() <= NEUTRAL_LINEAR)
            && self.angular.iter().all(|part| part.abs() <= NEUTRAL_ANGULAR)
    }

    /// Whether every part is zero (of either sign): nothing moves at all.
    pub fn is_zero(&self) -> bool {
        self.linear.iter().chain(&self.angular).all(|&part| part == 0.0)
    }
}

/// A commanded velocity, with the time of the stick event that caused it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Command {
    /// The commanded velocity.
    pub velocity: Velocity,
    /// The time of the stick event, carried unchanged from hop to hop.
    pub stamp: Stamp,
    /// Whether the velocity is neutral because a stage withholds motion that is asked for: a lock, a zone, a source that has to
    /// send a zero first. Such a command stops like any other, but it does not count as a stick that was released.
    pub withheld: bool,
}

impl Command {
    /// A stop that a stage sends by itself. No stick event caused it, so it has no stamp: it is current, and no later stage
    /// treats it as late or old.
    pub const STOP: Self = Self::new(Velocity::ZERO, Stamp::ZERO);

    /// A command from its original sender, with nothing withheld.
    pub const fn new(velocity: Velocity, stamp: Stamp) -> Self {
        Self { velocity, stamp, withheld: false }
    }

    /// Whether its sender asks for motion, withheld or not.
    pub fn asks_for_motion(&self) -> bool {
        self.withheld || !self.velocity.is_neutral()
    }

    /// This command after a stage has reduced its velocity to `velocity`.
    #[must_use]
    pub fn reduced_to(self, velocity: Velocity) -> Self {
        Self { velocity, withheld: self.asks_for_motion() && velocity.is_neutral(), ..self }
    }
}

impl Implausible {
    fn unit(&self) -> &'static str {
        if self.part.starts_with("linear") { "m/s" } else { "rad/s" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_part_that_is_not_finite_is_named() {
        let error = Velocity::new([0.0, 0.0, f64::INFINITY], [f64::NAN, 0.0, 0.0]).unwrap_err();
        assert_eq!(error, NotFinite { part: "linear.z", value: f64::INFINITY });
        assert_eq!(error.to_string(), "linear.z is inf, must be finite");
    }

    #[test]
    fn every_part_is_checked() {
        for bad in 0..6 {
            let mut parts = [0.0; 6];
            parts[bad] = f64::NAN;
            let [a, b, c, d, e, f] = parts;
            let error = Velocity::new([a, b, c], [d, e, f]).unwrap_err();
            assert_eq!(error.part, PARTS[bad]);
        }
    }

    #[test]
    fn a_stick_that_drifts_is_neutral_and_any_part_beyond_is_motion() {
        let v = |linear, angular| Velocity::new(linear, angular).unwrap();
        assert!(v([0.02, -0.02, 0.003], [0.05, -0.05, 0.0]).is_neutral());
        for at in 0..3 {
            let mut part = [0.0; 3];
            part[at] = -0.0201;
            assert!(!v(part, [0.0; 3]).is_neutral());
            part[at] = 0.0501;
            assert!(!v([0.0; 3], part).is_neutral());
        }
    }

    #[test]
    fn a_velocity_beyond_a_hundred_times_full_speed_is_refused() {
        let check = |forward, turn| {
            Velocity::planar(forward, turn).unwrap().check_plausible(FullSpeed { linear: 2.0, angular: 0.5 })
        };
        assert_eq!((check(200.0, -50.0), check(-200.0, 50.0)), (Ok(()), Ok(())));
        assert_eq!(check(201.0, 0.0), Err(Implausible { part: "linear.x", value: 201.0, most: 200.0 }));
        assert_eq!(check(0.0, -51.0), Err(Implausible { part: "angular.z", value: -51.0, most: 50.0 }));
        assert_eq!(
            check(201.0, 0.0).unwrap_err().to_string(),
            "linear.x is 2.01e2, must be from -200 to 200 m/s"
        );
        assert!(check(0.0, 51.0).unwrap_err().to_string().ends_with("must be from -50 to 50 rad/s"));
    }

    #[test]
    fn a_velocity_is_shortened_along_its_own_direction() {
        let v = |linear, angular| Velocity::new(linear, angular).unwrap();
        // 3, 4, 0 has the length 5, and 0, 0, 2 the length 2.
        assert_eq!(
            v([3.0, 4.0, 0.0], [0.0, 0.0, 2.0]).shortened_to(2.5, 1.0),
            v([1.5, 2.0, 0.0], [0.0, 0.0, 1.0])
        );
        let short = v([0.2, 0.3, -0.1], [0.1, -0.2, 0.3]);
        assert_eq!(short.shortened_to(0.5, 0.5), short, "to the last bit");
        assert!(v([f64::MAX; 3], [0.0; 3]).shortened_to(1.0, 1.0).is_zero(), "its length overflows");
    }

    #[test]
    fn parts_beside_forward_and_turn_are_found_by_name() {
        let v = |linear, angular| Velocity::new(linear, angular).unwrap();
        let refused = v([9.0, 0.02, -0.03], [0.0, 0.0, 9.0]).check_other_parts(0.02, 0.05).unwrap_err();
        assert_eq!(refused, Implausible { part: "linear.z", value: -0.03, most: 0.02 });
        assert_eq!(
            v([0.0; 3], [0.0, -0.06, 0.0]).check_other_parts(0.02, 0.05).unwrap_err().part,
            "angular.y"
        );
        assert!(
            !v([9.0, 0.0, -0.0], [0.0, 0.0, 9.0]).has_other_parts()
                && v([0.0, 1e-9, 0.0], [0.0; 3]).has_other_parts()
        );
    }

    #[test]
    fn a_reduced_command_keeps_its_stamp() {
        let stamp = Stamp { sec: 7, nanosec: 8 };
        let left = Velocity::planar(0.5, -0.25).unwrap();
        let command = Command::new(Velocity::planar(1.0, -0.5).unwrap(), stamp);
        assert_eq!(command.reduced_to(left), Command::new(left, stamp));
        assert_eq!((left.forward(), left.turn()), (0.5, -0.25));
    }

    #[test]
    fn motion_reduced_to_neutral_is_withheld() {
        let drives = |forward| Command::new(Velocity::planar(forward, 0.0).unwrap(), Stamp::ZERO);
        let left = |command: Command, forward| command.reduced_to(drives(forward).velocity).withheld;
        assert_eq!(
            [left(drives(1.0), 0.5), left(drives(1.0), 0.0), left(drives(1.0), 0.01)],
            [false, true, true]
        );
        // A neutral command is not withheld, and motion withheld by an earlier stage stays withheld.
        assert_eq!([left(drives(0.01), 0.0), left(drives(0.0), 0.0)], [false, false]);
        assert!(left(drives(1.0).reduced_to(Velocity::ZERO), 0.0));
    }

    #[test]
    fn a_planar_velocity_has_two_parts() {
        let v = Velocity::planar(1.0, -2.0).unwrap();
        assert_eq!((v.linear(), v.angular()), ([1.0, 0.0, 0.0], [0.0, 0.0, -2.0]));
        assert_eq!((v.forward(), v.turn(), v.is_zero()), (1.0, -2.0, false));
        assert!(Velocity::planar(-0.0, 0.0).unwrap().is_zero());
    }
}
