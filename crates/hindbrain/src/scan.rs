use core::f64::consts::{PI, TAU};

use crate::{Sectors, Sensor};

/// A planar scan, as `sensor_msgs/LaserScan` has it: beam `i` points to `angle_min + i * angle_increment`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scan<'a> {
    /// The direction of the first beam, counter-clockwise from the scanner's x axis \[rad\].
    pub angle_min: f64,
    /// From beam to beam \[rad\], not zero; negative for a scanner that turns clockwise.
    pub angle_increment: f64,
    /// What a measurement lies between \[m\].
    pub range: [f64; 2],
    /// The beams \[m\]: infinite is nothing in reach, minus infinite too near to measure (REP-117), NaN no measurement.
    pub ranges: &'a [f32],
}

/// The nearest distance \[m\] in each sensor's sector, in the order of [`Sensor`]; `None` where the scan says nothing.
///
/// * Minus infinity wins over any distance. Finite beams below the scanner's range count as it, those beyond as nothing
///   in reach.
/// * A sector in which no beam measures, or into which none points, is no measurement: a scanner that does not look
///   there must not make the way free.
/// * An angle that is not finite, or an increment of zero, makes the whole scan no measurement.
/// # Source
/// own; REP-117, `sensor_msgs/LaserScan`. The nearest obstacle is found, a missing floor is not: a planar scan does not
/// see it.
pub fn distances(scan: &Scan, sectors: &Sectors) -> [Option<f64>; 4] {
    let mut nearest = [None; 4];
    let angles = [scan.angle_min, scan.angle_increment, sectors.yaw, sectors.width];
    if scan.angle_increment == 0.0 || !angles.iter().all(|angle| angle.is_finite()) {
        return nearest;
    }
    for (index, &range) in scan.ranges.iter().enumerate() {
        let Some(distance) = measured(f64::from(range), scan.range) else { continue };
        let angle = wrapped(scan.angle_min + index as f64 * scan.angle_increment + sectors.yaw);
        for (sensor, nearest) in Sensor::ALL.into_iter().zip(&mut nearest) {
            if is_in(sensor, angle, sectors.width) {
                *nearest = Some(nearest.map_or(distance, |known: f64| known.min(distance)));
            }
        }
    }
    nearest
}

/// What one beam or sensor measured \[m\]; `None` if it is no measurement.
///
/// * `range`: NaN is no measurement, infinite is nothing in reach, minus infinite too near to measure (REP-117)
/// * `least`, `most`: what it can measure \[m\]. Nearer is too near, whatever the number says, and farther is nothing in
///   reach. Where both are zero nothing is known of them, and a distance is believed unless it is negative
/// # Source
/// REP-117; `sensor_msgs/Range` and `LaserScan`.
pub fn measured(range: f64, [least, most]: [f64; 2]) -> Option<f64> {
    let most = if least == 0.0 && most == 0.0 { f64::INFINITY } else { most };
    if range.is_nan() {
        None
    } else if range < least {
        // Also what is negative: some drivers say so for "too near".
        Some(f64::NEG_INFINITY)
    } else if range > most {
        Some(f64::INFINITY)
    } else {
        Some(range)
    }
}

/// The same angle between minus pi and pi.
fn wrapped(angle: f64) -> f64 {
    (angle + PI).rem_euclid(TAU) - PI
}

/// Straight ahead and straight back belong to both sides.
fn is_in(sensor: Sensor, angle: f64, width: f64) -> bool {
    match sensor {
        Sensor::FrontPort => (0.0..=width).contains(&angle),
        Sensor::FrontStarboard => (-width..=0.0).contains(&angle),
        Sensor::BackPort => angle >= PI - width || angle == -PI,
        Sensor::BackStarboard => angle <= width - PI,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTORS: Sectors = Sectors { width: 0.6, yaw: 0.0 };
    const FREE: f32 = f32::INFINITY;

    /// A full turn from -pi on in steps of a degree, with these beams in it.
    fn turn(beams: &[(i32, f32)]) -> Vec<f32> {
        let mut ranges = vec![FREE; 360];
        for &(degrees, range) in beams {
            ranges[(degrees + 180) as usize] = range;
        }
        ranges
    }

    fn look(ranges: &[f32], sectors: &Sectors) -> [Option<f64>; 4] {
        let scan = Scan { angle_min: -PI, angle_increment: TAU / 360.0, range: [0.25, 10.0], ranges };
        distances(&scan, sectors)
    }

    #[test]
    fn each_sensor_has_its_sector() {
        let far = Some(f64::INFINITY);
        // 0.6 rad are 34.4 degrees.
        for (degrees, hit) in [(10, 0), (34, 0), (-10, 1), (-34, 1), (170, 2), (146, 2), (-170, 3), (-146, 3)]
        {
            let seen = look(&turn(&[(degrees, 1.5)]), &SECTORS);
            for (index, distance) in seen.into_iter().enumerate() {
                assert_eq!(distance, if index == hit { Some(1.5) } else { far }, "{degrees} {index}");
            }
        }
        for degrees in [35, 90, 145, -35, -90, -145] {
            assert_eq!(look(&turn(&[(degrees, 1.5)]), &SECTORS), [far; 4], "{degrees} is at the side");
        }
    }

    #[test]
    fn straight_ahead_and_straight_back_belong_to_both_sides() {
        let scan = |angle: f64| {
            distances(
                &Scan { angle_min: angle, angle_increment: 1.0, range: [0.1, 9.0], ranges: &[2.0] },
                &SECTORS,
            )
        };
        assert_eq!(scan(0.0), [Some(2.0), Some(2.0), None, None]);
        assert_eq!(scan(PI), [None, None, Some(2.0), Some(2.0)]);
        assert_eq!(scan(-PI), [None, None, Some(2.0), Some(2.0)]);
    }

    #[test]
    fn the_nearest_beam_counts_and_too_near_is_nearest() {
        assert_eq!(look(&turn(&[(5, 3.0), (6, 2.0), (7, 4.0)]), &SECTORS)[0], Some(2.0));
        for near in [f32::NEG_INFINITY, 0.2, 0.0, -1.0] {
            assert_eq!(look(&turn(&[(5, 3.0), (6, near)]), &SECTORS)[0], Some(f64::NEG_INFINITY), "{near}");
        }
        assert_eq!(look(&turn(&[(5, 11.0)]), &SECTORS)[0], Some(f64::INFINITY), "beyond its range");
    }

    #[test]
    fn a_sensor_that_does_not_say_its_range_is_believed() {
        assert_eq!(measured(1.5, [0.0, 0.0]), Some(1.5));
        assert_eq!(measured(-0.1, [0.0, 0.0]), Some(f64::NEG_INFINITY));
        assert_eq!(measured(f64::NAN, [0.0, 0.0]), None);
        // A sensor that knows near and far only (REP-117): its distance is fixed.
        assert_eq!(measured(f64::NEG_INFINITY, [0.3, 0.3]), Some(f64::NEG_INFINITY));
        assert_eq!(measured(f64::INFINITY, [0.3, 0.3]), Some(f64::INFINITY));
    }

    #[test]
    fn a_turned_scanner_is_turned_back() {
        // The scanner looks to the left; its beam at -90 degrees points ahead.
        let sectors = Sectors { yaw: PI / 2.0, ..SECTORS };
        assert_eq!(look(&turn(&[(-85, 1.0)]), &sectors)[0], Some(1.0));
        assert_eq!(look(&turn(&[(-95, 1.0)]), &sectors)[1], Some(1.0));
    }

    #[test]
    fn what_is_not_looked_at_is_no_measurement() {
        let ahead = Scan { angle_min: -0.5, angle_increment: 0.1, range: [0.1, 9.0], ranges: &[FREE; 11] };
        let free = Some(f64::INFINITY);
        assert_eq!(distances(&ahead, &SECTORS), [free, free, None, None]);
        assert_eq!(distances(&Scan { ranges: &[f32::NAN; 11], ..ahead }, &SECTORS), [None; 4]);
        assert_eq!(distances(&Scan { ranges: &[], ..ahead }, &SECTORS), [None; 4]);
        for odd in [f64::NAN, f64::INFINITY] {
            assert_eq!(distances(&Scan { angle_min: odd, ..ahead }, &SECTORS), [None; 4]);
            assert_eq!(distances(&Scan { angle_increment: odd, ..ahead }, &SECTORS), [None; 4]);
        }
        assert_eq!(distances(&Scan { angle_increment: 0.0, ..ahead }, &SECTORS), [None; 4]);
    }

    #[test]
    fn what_a_sensor_can_measure_bounds_what_is_believed() {
        // At its limits a distance is one.
        assert_eq!(measured(0.25, [0.25, 4.0]), Some(0.25));
        assert_eq!(measured(4.0, [0.25, 4.0]), Some(4.0));
        assert_eq!(measured(0.24, [0.25, 4.0]), Some(f64::NEG_INFINITY));
        assert_eq!(measured(4.1, [0.25, 4.0]), Some(f64::INFINITY));
        // One limit of zero is a limit, two are none.
        assert_eq!(measured(4.1, [0.0, 4.0]), Some(f64::INFINITY));
        assert_eq!(measured(4.1, [0.0, 0.0]), Some(4.1));
        assert_eq!(measured(-0.1, [0.0, 0.0]), Some(f64::NEG_INFINITY));
        assert_eq!(measured(4.1, [5.0, 0.0]), Some(f64::NEG_INFINITY));
        assert_eq!(measured(f64::NAN, [0.0, 4.0]), None);
    }

    #[test]
    fn a_scan_the_other_way_round_is_the_same() {
        let mut ranges = turn(&[(10, 1.5), (-150, 2.5)]);
        ranges.reverse();
        let last = -PI + 359.0 * TAU / 360.0;
        let scan =
            Scan { angle_min: last, angle_increment: -TAU / 360.0, range: [0.25, 10.0], ranges: &ranges };
        let far = Some(f64::INFINITY);
        assert_eq!(distances(&scan, &SECTORS), [Some(1.5), far, far, Some(2.5)]);
    }
}
