use core::f64::consts::{FRAC_1_SQRT_2, PI, TAU};
use std::sync::Arc;

use nalgebra::{Point2, Vector2};
use safety::Stamp;

use crate::geometry::{Pose, Segment, bearing, cast};
use crate::messages::{Range, Scan};
use crate::parameters::Params;

/// Beams of the laser: one per degree, and the first one again at the end.
pub(crate) const BEAMS: usize = 361;
/// The minimum distance that an infra-red sensor reports \[m\].
const RANGE_MIN: f64 = 0.02;
/// Displayed width of an infra-red beam \[rad\]; the measurement is a single ray.
const FIELD_OF_VIEW: f64 = 0.05;
const STEP: f64 = TAU / (BEAMS - 1) as f64;

/// Name, and x and y side of the sensor's corner: +1 is front and port. Each points straight away along x.
const CORNERS: [(&str, f64, f64); 4] = [
    ("ir_front_port", 1.0, 1.0),
    ("ir_front_starboard", 1.0, -1.0),
    ("ir_back_port", -1.0, 1.0),
    ("ir_back_starboard", -1.0, -1.0),
];

/// A scan around the vehicle's centre, written into `ranges`.
///
/// # Real-time
/// Allocates only if the previous scan is still in use.
pub(crate) fn scan(
    ranges: &mut Arc<[f32]>,
    pose: &Pose,
    walls: &[Segment],
    params: &Params,
    stamp: Stamp,
) -> Scan {
    for (index, range) in Arc::make_mut(ranges).iter_mut().enumerate() {
        let way = bearing(pose.heading - PI + index as f64 * STEP);
        *range = cast(walls, pose.point(), way, params.scan_max).map_or(f32::INFINITY, |t| t as f32);
    }
    Scan {
        stamp,
        angle_min: -PI as f32,
        angle_max: PI as f32,
        angle_increment: STEP as f32,
        range_min: 0.0,
        range_max: params.scan_max as f32,
        ranges: Arc::clone(ranges),
    }
}

/// The measurements of the four infra-red sensors, in the order front port, front starboard, back port, back
/// starboard.
pub(crate) fn ranges(pose: &Pose, walls: &[Segment], params: &Params, stamp: Stamp) -> [Range; 4] {
    let isometry = pose.isometry();
    CORNERS.map(|(frame_id, front, port)| {
        // On the rim of the footprint, 45 degrees from the axis: no wall is ever between the sensor and the rim.
        let out = params.radius * FRAC_1_SQRT_2;
        let origin = isometry * Point2::new(front * out, port * out);
        let met = cast(walls, origin, isometry * Vector2::new(front, 0.0), params.range_max);
        let distance = met.unwrap_or(params.range_max).max(RANGE_MIN);
        Range {
            stamp,
            frame_id,
            distance,
            min: RANGE_MIN,
            max: params.range_max,
            field_of_view: FIELD_OF_VIEW,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ahead(x: f64) -> [Segment; 1] {
        [Segment::new([x, -5.0], [x, 5.0])]
    }

    #[test]
    fn front_sensors_look_forward_and_back_ones_backward() {
        let (params, stamp) = (Params::default(), Stamp { sec: 7, nanosec: 8 });
        // The sensor sits 0.35 / sqrt 2 = 0.2475 m ahead of the centre: 2 - 0.2475 = 1.7525 m.
        let got = ranges(&Pose::default(), &ahead(2.0), &params, stamp);
        for (range, want) in got.iter().zip([1.752_513, 1.752_513, 4.0, 4.0]) {
            assert!((range.distance - want).abs() < 1e-6 && range.stamp == stamp, "{range:?}");
        }
        let behind = ranges(&Pose::default(), &ahead(-2.0), &params, stamp);
        assert!(behind[0].distance == 4.0 && (behind[2].distance - 1.752_513).abs() < 1e-6);
    }

    #[test]
    fn each_sensor_sees_its_own_side() {
        // A plate on the port side of the path only, seen after a quarter turn to the left.
        let pose = Pose { x: 1.0, y: 1.0, heading: PI / 2.0 };
        let plate = [Segment::new([0.5, 3.0], [0.9, 3.0])];
        let got = ranges(&pose, &plate, &Params::default(), Stamp::ZERO);
        assert_eq!(got.map(|range| range.distance < 4.0), [true, false, false, false]);
        assert_eq!(got[0].frame_id, "ir_front_port");
    }

    #[test]
    fn a_beam_per_degree_and_infinity_where_nothing_is() {
        let mut buffer: Arc<[f32]> = [0.0; BEAMS].into();
        let scan = scan(&mut buffer, &Pose::default(), &ahead(2.0), &Params::default(), Stamp::ZERO);
        assert_eq!((scan.ranges.len(), scan.ranges[180]), (361, 2.0));
        // 60 degrees to the left: 2 / cos 60 = 4 m
        assert!((scan.ranges[240] - 4.0).abs() < 1e-5);
        assert_eq!((scan.ranges[0], scan.ranges[360]), (f32::INFINITY, f32::INFINITY), "behind is nothing");
    }

    #[test]
    fn the_buffer_is_used_again_once_the_scan_is_gone() {
        let mut buffer: Arc<[f32]> = [0.0; BEAMS].into();
        let (params, place) = (Params::default(), buffer.as_ptr());
        for _ in 0..3 {
            drop(scan(&mut buffer, &Pose::default(), &[], &params, Stamp::ZERO));
        }
        assert_eq!(buffer.as_ptr(), place);
    }
}
