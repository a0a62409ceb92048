use safety::{FullSpeed, Velocity};

use crate::IrLimits;
use crate::core::{Reading, Setpoint};

/// The infra-red sensors.
///
/// # Source
/// hindbrain, pins A0 to A3; on ROS 2 a sensor is named by its messages' `frame_id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sensor {
    /// `ir_front_port`.
    FrontPort,
    /// `ir_front_starboard`.
    FrontStarboard,
    /// `ir_back_port`.
    BackPort,
    /// `ir_back_starboard`.
    BackStarboard,
}

impl Sensor {
    /// All sensors, in the order of the core.
    pub const ALL: [Self; 4] = [Self::FrontPort, Self::FrontStarboard, Self::BackPort, Self::BackStarboard];

    /// All frame names, in the order of [`Sensor::ALL`].
    pub const FRAMES: [&'static str; 4] =
        ["ir_front_port", "ir_front_starboard", "ir_back_port", "ir_back_starboard"];

    /// The name of its frame.
    pub const fn frame_id(self) -> &'static str {
        Self::FRAMES[self.index()]
    }

    /// The sensor with this frame; `None` if there is none.
    pub fn from_frame_id(frame_id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sensor| sensor.frame_id() == frame_id)
    }

    /// Its index in [`ALL`](Self::ALL).
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// `velocity` in millionths of `full` speed, rounded toward zero.
///
/// With `keep_curve` a velocity beyond full speed is scaled down as a whole; without it each part is limited on its own, as
/// in the original.
/// * a NaN cannot occur, and an overflow counts as full speed
/// # Source
/// own; the original's float decoder took NaN for full forward and 1e-40 for full reverse. Here anything less than a
/// millionth is zero.
pub fn setpoint_of(velocity: &Velocity, full: FullSpeed, keep_curve: bool) -> Setpoint {
    /// Far beyond any full speed, and small enough that no product overflows.
    const FAR: f64 = 1e9;
    let linear = (velocity.forward() / full.linear).clamp(-FAR, FAR);
    let angular = (velocity.turn() / full.angular).clamp(-FAR, FAR);
    let excess = if keep_curve { linear.abs().max(angular.abs()).max(1.0) } else { 1.0 };
    // `as` rounds toward zero, saturates, and makes zero of NaN.
    let millionths = |part: f64| (part / excess * 1e6) as i32; // `Setpoint` limits each part
    Setpoint::new(millionths(linear), millionths(angular))
}

/// The reading for a measured distance \[m\].
///
/// * less than `near`, or minus infinity (REP-117: too close to measure): blocked
/// * more than `far`, or infinity (nothing in reach), if `far` is set: blocked, the floor is missing
/// * `None`, NaN, or a negative distance: invalid
/// # Source
/// REP-117; hindbrain's stair detector stopped for both too near and too far.
pub fn reading_of(distance: Option<f64>, limits: &IrLimits) -> Reading {
    match distance {
        Some(f64::NEG_INFINITY) => Reading::Blocked,
        Some(d) if d.is_nan() || d < 0.0 => Reading::Invalid,
        Some(d) if d < limits.near || limits.far.is_some_and(|far| d > far) => Reading::Blocked,
        Some(_) => Reading::Clear,
        None => Reading::Invalid,
    }
}

/// The distance that a sensor measured \[m\]; `None` if it is not a measurement.
///
/// * `range`: NaN is no measurement, infinity is nothing in reach, minus infinity is too near to measure (REP-117)
/// * `least`: the shortest distance that it can measure \[m\]; any shorter distance is too near
///
/// The longest distance that it can measure is ignored: a number beyond it is used as it is, so a sensor that declares a wrong
/// range or none cannot turn an obstacle into nothing in reach.
/// # Source
/// REP-117; `sensor_msgs/Range`.
pub fn measured(range: f64, least: f64) -> Option<f64> {
    if range.is_nan() || least.is_nan() {
        None
    } else if range < least.max(0.0) {
        // Also negative numbers: some drivers send them for "too near".
        Some(f64::NEG_INFINITY)
    } else {
        Some(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL_SPEED: FullSpeed = FullSpeed { linear: 2.0, angular: 4.0 };

    fn setpoint(forward: f64, turn: f64) -> (i32, i32) {
        let setpoint = setpoint_of(&Velocity::planar(forward, turn).unwrap(), FULL_SPEED, true);
        (setpoint.linear(), setpoint.angular())
    }

    #[test]
    fn a_velocity_becomes_millionths_of_full_speed() {
        assert_eq!(setpoint(2.0, 0.0), (1_000_000, 0));
        assert_eq!(setpoint(-1.0, 1.0), (-500_000, 250_000));
        // 0.0000019 / 2: less than a millionth.
        assert_eq!(setpoint(1.9e-6, -3.9e-6), (0, 0));
    }

    #[test]
    fn excess_is_scaled_down_and_keeps_the_curve() {
        // 2 and 0.5 of full: over 2.
        assert_eq!(setpoint(4.0, 2.0), (1_000_000, 250_000));
        assert_eq!(setpoint(1.0, -8.0), (250_000, -1_000_000));
    }

    #[test]
    fn without_the_curve_each_part_is_limited_on_its_own() {
        let velocity = Velocity::planar(4.0, 2.0).unwrap();
        let setpoint = setpoint_of(&velocity, FULL_SPEED, false);
        assert_eq!((setpoint.linear(), setpoint.angular()), (1_000_000, 500_000));
    }

    #[test]
    fn numbers_that_the_original_misread_are_harmless() {
        for tiny in [1e-40, 1e-60, 1e-300, f64::MIN_POSITIVE, 5e-324, -1e-40, -0.0] {
            assert_eq!(setpoint(tiny, tiny), (0, 0), "{tiny}");
        }
        for huge in [1e39, 3.5e38, 1e308, f64::MAX] {
            assert_eq!(setpoint(huge, 0.0), (1_000_000, 0), "{huge}");
            assert_eq!(setpoint(0.0, -huge), (0, -1_000_000), "{huge}");
            assert_eq!(setpoint(-huge, huge), (-1_000_000, 1_000_000), "{huge}");
        }
    }

    #[test]
    fn a_distance_is_clear_between_near_and_far() {
        let limits = IrLimits { near: 0.2, far: Some(0.6) };
        let readings = [
            (Some(0.2), Reading::Clear),
            (Some(0.6), Reading::Clear),
            (Some(0.19), Reading::Blocked),
            (Some(0.61), Reading::Blocked),
            (Some(f64::INFINITY), Reading::Blocked),
            (Some(f64::NEG_INFINITY), Reading::Blocked),
            (Some(f64::NAN), Reading::Invalid),
            (Some(-0.1), Reading::Invalid),
            (Some(0.0), Reading::Blocked),
            (None, Reading::Invalid),
        ];
        for (distance, reading) in readings {
            assert_eq!(reading_of(distance, &limits), reading, "{distance:?}");
        }
        let open = IrLimits { far: None, ..limits };
        assert_eq!(reading_of(Some(f64::INFINITY), &open), Reading::Clear);
    }

    #[test]
    fn a_distance_below_the_sensors_minimum_is_too_near() {
        assert_eq!(measured(0.3, 0.2), Some(0.3));
        assert_eq!([measured(0.1, 0.2), measured(-1.0, -5.0)], [Some(f64::NEG_INFINITY); 2]);
        assert_eq!(
            [measured(0.2, 0.2), measured(0.0, 0.0)],
            [Some(0.2), Some(0.0)],
            "the minimum itself is measured"
        );
        assert_eq!([measured(f64::NAN, 0.2), measured(0.3, f64::NAN)], [None; 2]);
        assert_eq!(measured(f64::INFINITY, 0.2), Some(f64::INFINITY));
    }

    #[test]
    fn sensors_are_named_by_their_frames() {
        for (index, sensor) in Sensor::ALL.into_iter().enumerate() {
            assert_eq!(sensor.index(), index);
            assert_eq!(Sensor::from_frame_id(sensor.frame_id()), Some(sensor));
        }
        assert_eq!(Sensor::from_frame_id("ir_top"), None);
    }
}
