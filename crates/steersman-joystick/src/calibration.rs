//! Converts the measurements of an axis to the parameters of the node.

use crate::stick::{Stick, Throw};

/// The mapping of one axis in node `joystick`: calibration, dead zone, then the factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AxisMap {
    /// The index of the axis, hats included.
    pub axis: usize,
    /// 1 or -1: the sign of the raw value that means forward, left or up.
    pub scale: f64,
    /// The raw value of one end; equal to the centre where the axis has no range on that side.
    pub min: i16,
    /// The raw value at rest.
    pub center: i16,
    /// The raw value of the other end.
    pub max: i16,
    /// The part of the range, 0 to 1, in which the axis counts as at rest.
    pub dead_zone: f64,
}

/// Part of the measured range that is used, so the ends are certainly reached again.
const END_MARGIN: f64 = 0.98;
/// The limits of the dead zone: no stick is better than the lower one, and beyond the upper one it is broken.
const MIN_DEAD_ZONE: f64 = 0.03;
const MOST: f64 = 0.4;

impl AxisMap {
    /// Computes the mapping of an axis from its throw to the end that means forward, left or up, and to the other end
    /// if it has one.
    ///
    /// The dead zone is 1.5 times the deviation seen at rest plus 2 %, rounded up to whole percent.
    pub fn measured(stick: &Stick, positive: Throw, negative: Option<Throw>) -> Self {
        let axis = positive.axis;
        let center = stick.center(axis);
        let inside = |end: i16| {
            let way = f64::from(end) - f64::from(center);
            (f64::from(center) + END_MARGIN * way).round() as i16 // between centre and end, both of which fit
        };
        let up = positive.value > center;
        let (there, back) = (inside(positive.value), negative.map_or(center, |throw| inside(throw.value)));
        let (min, max) = if up { (back, there) } else { (there, back) };
        // The dead zone is a part of the range of each side: the narrower side needs the larger part.
        let ways = [(min, center), (center, max)].map(|(low, high)| f64::from(high) - f64::from(low));
        let narrow = ways.into_iter().filter(|way| *way > 0.0).fold(f64::INFINITY, f64::min);
        let strays = f64::from(stick.noise(axis)) / narrow;
        let dead_zone = ((100.0 * (1.5 * strays + 0.02)).ceil() / 100.0).clamp(MIN_DEAD_ZONE, MOST);
        Self { axis, scale: if up { 1.0 } else { -1.0 }, min, center, max, dead_zone }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn throw(value: i16) -> Throw {
        Throw { axis: 0, value, part: 1.0 }
    }

    #[test]
    fn a_stick_is_measured_from_its_rest_to_both_ends() {
        let mut stick = Stick::new(&[0], &[]);
        for value in [900, 1100] {
            stick.axis(0, value);
        }
        stick.reset_range();
        stick.axis(0, 900);
        assert_eq!(stick.rests(), Ok(()));
        // At rest from 900 to 1100: centre 1000, strays by 100. Up (forward) was -31000: 1000 - 0.98 * 32000 = -30360;
        // down was 29000: 1000 + 0.98 * 28000 = 28440. 100 / 27440 = 0.36 %, and half as much again and 2 %: 2.55 %.
        let map = AxisMap::measured(&stick, throw(-31_000), Some(throw(29_000)));
        let expected =
            AxisMap { axis: 0, scale: -1.0, min: -30_360, center: 1000, max: 28_440, dead_zone: 0.03 };
        assert_eq!(map, expected);
    }

    #[test]
    fn a_trigger_has_one_way() {
        let stick = Stick::new(&[-32768], &[]);
        // -32768 + 0.98 * 65535 = 31456.3
        let map = AxisMap::measured(&stick, throw(32_767), None);
        let expected =
            AxisMap { axis: 0, scale: 1.0, min: -32_768, center: -32_768, max: 31_456, dead_zone: 0.03 };
        assert_eq!(map, expected);
    }

    #[test]
    fn a_worn_stick_gets_a_wider_dead_zone() {
        let mut stick = Stick::new(&[-1000], &[]);
        stick.axis(0, 1000);
        assert_eq!(stick.rests(), Ok(()));
        // Strays by 1000 of 0.98 * 32767 = 32112: 3.114 %; 1.5 * 3.114 + 2 = 6.67, so 7 %.
        let map = AxisMap::measured(&stick, throw(32_767), Some(throw(-32_767)));
        assert_eq!((map.dead_zone, map.center), (0.07, 0));
    }
}
