use core::f64::consts::{PI, TAU};

use crate::{Sectors, Sensor};

/// A planar scan, as `sensor_msgs/LaserScan` has it: beam `i` points to `angle_min + i * angle_increment`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scan<'a> {
    /// The direction of the first beam, counter-clockwise from the scanner's x axis \[rad\].
    pub angle_min: f64,
    /// From beam to beam \[rad\], not zero; negative for a scanner that turns clockwise.
    pub angle_increment: f64,
    /// The nearest that it can measure \[m\].
    pub least: f64,
    /// The beams \[m\]: infinite is nothing in reach, minus infinite too near to measure (REP-117), NaN no measurement.
    pub ranges: &'a [f32],
}

/// The nearest distance \[m\] in each sensor's sector, in the order of [`Sensor`]; `None` where the scan says nothing.
///
/// * Minus infinity wins over any distance. Finite beams below the scanner's range count as it.
/// * A sector of which less than half is measured, by its beams or by its angle, is no measurement: a scanner that does
///   not look there must not make the way free.
/// * An angle that is not finite, or an increment of zero, makes the whole scan no measurement.
/// # Source
/// own; REP-117, `sensor_msgs/LaserScan`. The nearest obstacle is found, a missing floor is not: a planar scan does not
/// see it.
pub fn distances(scan: &Scan, sectors: &Sectors) -> [Option<f64>; 4] {
    let mut seen = [Seen::default(); 4];
    for (index, &range) in scan.ranges.iter().enumerate() {
        let distance = measured(f64::from(range), scan.least);
        let angle = wrapped(scan.angle_min + index as f64 * scan.angle_increment + sectors.yaw);
        for (sensor, seen) in Sensor::ALL.into_iter().zip(&mut seen) {
            if is_in(sensor, angle, sectors.width) {
                seen.add(distance);
            }
        }
    }
    // An angle that is no number is in no sector, and beams that all point the same way cover none.
    let covered = |seen: &Seen| seen.measured as f64 * scan.angle_increment.abs() >= sectors.width * ENOUGH;
    seen.map(|seen| (seen.is_enough() && covered(&seen)).then_some(seen.nearest))
}

/// The part of a sector that has to be measured.
const ENOUGH: f64 = 0.5;

/// What the beams of one sector say.
#[derive(Clone, Copy)]
struct Seen {
    beams: usize,
    measured: usize,
    nearest: f64,
}

impl Default for Seen {
    fn default() -> Self {
        Self { beams: 0, measured: 0, nearest: f64::INFINITY }
    }
}

impl Seen {
    fn add(&mut self, distance: Option<f64>) {
        self.beams += 1;
        if let Some(distance) = distance {
            self.measured += 1;
            self.nearest = self.nearest.min(distance);
        }
    }

    /// Of a scan of more than a turn the angle alone says too much.
    fn is_enough(&self) -> bool {
        self.measured as f64 >= self.beams as f64 * ENOUGH
    }
}

/// What one beam or sensor measured \[m\]; `None` if it is no measurement.
///
/// * `range`: NaN is no measurement, infinite is nothing in reach, minus infinite too near to measure (REP-117)
/// * `least`: the nearest that it can measure \[m\]; nearer is too near, whatever the number says
///
/// The farthest that it can measure does not count: a number beyond it is believed as it is, so that a sensor which
/// tells a wrong or no range of its own cannot turn an obstacle into nothing in reach.
/// # Source
/// REP-117; `sensor_msgs/Range` and `LaserScan`.
pub fn measured(range: f64, least: f64) -> Option<f64> {
    if range.is_nan() || least.is_nan() {
        None
    } else if range < least.max(0.0) {
        // Also what is negative: some drivers say so for "too near".
        Some(f64::NEG_INFINITY)
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
        let scan = Scan { angle_min: -PI, angle_increment: TAU / 360.0, least: 0.25, ranges };
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
            distances(&Scan { angle_min: angle, angle_increment: 1.0, least: 0.1, ranges: &[2.0] }, &SECTORS)
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
    }

    #[test]
    fn what_a_sensor_says_of_its_own_range_makes_nothing_clear() {
        // At a near of 0.2 m all of these are an obstacle; the farthest is no part of the question.
        for range in [0.05, 0.1, 0.19] {
            assert_eq!(measured(range, 0.05), Some(range));
        }
        assert_eq!(measured(0.1, 0.3), Some(f64::NEG_INFINITY), "the least is wrong: too near");
        assert_eq!(measured(0.1, f64::INFINITY), Some(f64::NEG_INFINITY));
        assert_eq!(measured(-0.1, -5.0), Some(f64::NEG_INFINITY));
        assert_eq!(measured(1.5, f64::NAN), None);
        assert_eq!(measured(f64::NAN, 0.0), None);
        // A sensor that knows near and far only (REP-117): its distance is fixed.
        assert_eq!(measured(f64::NEG_INFINITY, 0.3), Some(f64::NEG_INFINITY));
        assert_eq!(measured(f64::INFINITY, 0.3), Some(f64::INFINITY));
    }

    #[test]
    fn a_sector_of_which_little_is_measured_is_no_measurement() {
        // Of the 34 or 35 beams from 0 to 34 degrees (rounding decides on the first) 16 blind ones are less than half, 19 more.
        let blind: Vec<_> = (0..=15).map(|degrees| (degrees, f32::NAN)).collect();
        assert_eq!(look(&turn(&blind), &SECTORS)[0], Some(f64::INFINITY));
        let blind: Vec<_> = (0..=18).map(|degrees| (degrees, f32::NAN)).collect();
        assert_eq!(look(&turn(&blind), &SECTORS)[0], None);
        // Five beams stand for 0.25 of 0.6 rad, seven for 0.35.
        let narrow = Scan { angle_min: 0.0, angle_increment: 0.05, least: 0.1, ranges: &[FREE; 5] };
        assert_eq!(distances(&narrow, &SECTORS)[0], None);
        let wide = Scan { ranges: &[FREE; 7], ..narrow };
        assert_eq!(distances(&wide, &SECTORS)[0], Some(f64::INFINITY));
    }

    #[test]
    fn a_second_turn_does_not_make_up_for_what_the_first_did_not_see() {
        // 12 of 34 degrees are measured, and once more: 24 beams of 68.
        let blind: Vec<_> = (0..=22).map(|degrees| (degrees, f32::NAN)).collect();
        let twice = [turn(&blind), turn(&blind)].concat();
        assert_eq!(look(&twice, &SECTORS), [None, Some(FREE.into()), Some(FREE.into()), Some(FREE.into())]);
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
        let ahead = Scan { angle_min: -0.5, angle_increment: 0.1, least: 0.1, ranges: &[FREE; 11] };
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
        assert_eq!(measured(0.25, 0.25), Some(0.25));
        assert_eq!(measured(4.0, 0.25), Some(4.0));
        assert_eq!(measured(0.24, 0.25), Some(f64::NEG_INFINITY));
        assert_eq!(measured(4.1, 0.25), Some(4.1));
        assert_eq!(measured(4.1, 0.0), Some(4.1));
        assert_eq!(measured(-0.1, 0.0), Some(f64::NEG_INFINITY));
        assert_eq!(measured(4.1, 5.0), Some(f64::NEG_INFINITY));
        assert_eq!(measured(f64::NAN, 0.0), None);
    }

    #[test]
    fn a_scan_the_other_way_round_is_the_same() {
        let mut ranges = turn(&[(10, 1.5), (-150, 2.5)]);
        ranges.reverse();
        let last = -PI + 359.0 * TAU / 360.0;
        let scan = Scan { angle_min: last, angle_increment: -TAU / 360.0, least: 0.25, ranges: &ranges };
        let far = Some(f64::INFINITY);
        assert_eq!(distances(&scan, &SECTORS), [Some(1.5), far, far, Some(2.5)]);
    }
}
