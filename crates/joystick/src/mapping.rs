use crate::{AxisMapping, Mappings, Shape};

/// Parameter names of the six coordinates, in the order of [`commands`].
pub(crate) const COORDINATES: [&str; 6] =
    ["linear.x", "linear.y", "linear.z", "angular.x", "angular.y", "angular.z"];

/// The command of a stick with these `axes`: six numbers in \[-1, 1], linear x, y, z, then angular.
pub(crate) fn commands(mappings: &Mappings, axes: &[i16]) -> [f64; 6] {
    let [x, y, z] = mappings.linear.map(|mapping| command(&mapping, axes));
    let [ax, ay, az] = mappings.angular.map(|mapping| command(&mapping, axes));
    [x, y, z, ax, ay, az]
}

/// `scale * (input + offset)`, limited to \[-1, 1].
///
/// A mapping without an axis, or with one that the stick does not have, commands 0 and not the offset: with an offset
/// of 1 and a scale of 0.5 a missing input would be +0.5, and a lost trigger would drive.
fn command(mapping: &AxisMapping, axes: &[i16]) -> f64 {
    let Some(&raw) = mapping.axis.and_then(|axis| axes.get(axis)) else { return 0.0 };
    let command = mapping.scale * (mapping.shape.input(raw) + mapping.offset);
    if command.is_nan() { 0.0 } else { command.clamp(-1.0, 1.0) }
}

/// An axis counts as at rest within this part of its range: sticks do not return exactly.
pub(crate) const REST: f64 = 0.1;

/// A mapped axis that is not at rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeflectedAxis {
    /// The commanded coordinate, such as `linear.x`.
    pub coordinate: &'static str,
    /// The index of the axis.
    pub axis: usize,
    /// The distance from rest in percent of the range, rounded up.
    pub percent: u32,
}

/// Whether every mapped axis is at rest; an axis that the stick does not have is at rest.
pub(crate) fn is_at_rest(mappings: &Mappings, axes: &[i16]) -> bool {
    deflected_axis(mappings, axes).is_none()
}

/// The mapped axis that is farthest from its rest, if one is not at rest.
///
/// An axis rests at its centre, after calibration and dead zone, whatever its offset. An axis with an offset of 1 or
/// more in either direction is a trigger, which rests at the end where it commands nothing.
///
/// # Source
/// own: a released stick is where its spring returns it.
pub(crate) fn deflected_axis(mappings: &Mappings, axes: &[i16]) -> Option<DeflectedAxis> {
    let mut farthest: Option<(f64, DeflectedAxis)> = None;
    for (mapping, coordinate) in mappings.linear.iter().chain(&mappings.angular).zip(COORDINATES) {
        let Some((axis, &raw)) = mapping.axis.and_then(|axis| Some((axis, axes.get(axis)?))) else {
            continue;
        };
        let distance = if mapping.offset.abs() >= 1.0 {
            (mapping.shape.input(raw) + mapping.offset.signum()).abs()
        } else {
            mapping.shape.straight(raw).abs()
        };
        let is_off = distance > REST || distance.is_nan();
        if is_off && farthest.is_none_or(|(other, _)| distance > other) {
            let percent = (distance * 100.0).ceil() as u32;
            farthest = Some((distance, DeflectedAxis { coordinate, axis, percent }));
        }
    }
    farthest.map(|(_, deflected_axis)| deflected_axis)
}

/// Whether both mappings read the same axes with the same centres and ends.
pub(crate) fn reads_the_same(one: &Mappings, other: &Mappings) -> bool {
    let read = |mappings: &Mappings| {
        [mappings.linear, mappings.angular].map(|mappings| {
            mappings.map(
                |AxisMapping { axis, offset, shape: Shape { min, center, max, invert, .. }, .. }| {
                    (axis, offset, [min, center, max], invert)
                },
            )
        })
    };
    read(one) == read(other)
}

impl Shape {
    /// The calibrated value of an axis, in \[-1, 1]; exactly 0 in the dead zone.
    ///
    /// A side of the centre without width is 0 (a trigger may rest at its centre).
    pub fn input(&self, raw: i16) -> f64 {
        let input = self.straight(raw);
        if self.curve == 1.0 { input } else { input.abs().powf(self.curve).copysign(input) }
    }

    /// The value of [`input`](Self::input) before the curve is applied.
    fn straight(&self, raw: i16) -> f64 {
        let input = self.calibrated(raw);
        without_dead_zone(if self.invert { 0.0 - input } else { input }, self.dead_zone)
    }

    /// The calibrated value; beyond -1 and 1 if the axis exceeds its ends.
    fn calibrated(&self, raw: i16) -> f64 {
        let [raw, min, center, max] = [raw, self.min, self.center, self.max].map(f64::from);
        let way = if raw < center { center - min } else { max - center };
        if way > 0.0 { (raw - center) / way } else { 0.0 }
    }
}

/// `input` with 0 up to `dead_zone` and the rest stretched to the whole range, so the output starts at 0 and the ends
/// stay exact; in \[-1, 1], even if `input` is beyond.
///
/// # Source
/// The ROS 2 `joy` package's `deadzone`, which it calls smooth.
pub(crate) fn without_dead_zone(input: f64, dead_zone: f64) -> f64 {
    let beyond = input.abs() - dead_zone;
    if beyond > 0.0 { (beyond / (1.0 - dead_zone)).min(1.0).copysign(input) } else { 0.0 }
}

/// A raw axis as a number in \[-1, 1]: 0 is exactly 0, and -32768 counts as -32767, as in the ROS `joy` node.
pub(crate) fn unit(raw: i16) -> f64 {
    f64::from(raw.max(-i16::MAX)) / f64::from(i16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(axis: Option<usize>, offset: f64, scale: f64, axes: &[i16]) -> f64 {
        command(&AxisMapping { axis, offset, scale, ..AxisMapping::default() }, axes)
    }

    #[test]
    fn the_default_shape_changes_no_bit() {
        for raw in i16::MIN..=i16::MAX {
            assert_eq!(Shape::RAW.input(raw).to_bits(), unit(raw).to_bits(), "{raw}");
        }
    }

    #[test]
    fn calibration_stretches_each_side_by_itself() {
        let shape = Shape { min: -20_000, center: 1000, max: 31_000, ..Shape::RAW };
        // (-9500 - 1000) / 21000 = -0.5; (16000 - 1000) / 30000 = 0.5
        for (raw, input) in
            [(i16::MIN, -1.0), (-20_000, -1.0), (-9500, -0.5), (1000, 0.0), (16_000, 0.5), (i16::MAX, 1.0)]
        {
            assert_eq!(shape.input(raw), input, "{raw}");
        }
    }

    #[test]
    fn a_side_without_width_is_zero() {
        let trigger = Shape { min: -32768, center: -32768, max: 32767, ..Shape::RAW };
        // (0 + 32768) / 65535
        assert_eq!([i16::MIN, 0, i16::MAX].map(|raw| trigger.input(raw)), [0.0, 32768.0 / 65535.0, 1.0]);
        let none = Shape { min: 5, center: 5, max: 5, ..Shape::RAW };
        assert_eq!([i16::MIN, 5, i16::MAX].map(|raw| none.input(raw)), [0.0; 3]);
    }

    #[test]
    fn the_dead_zone_comes_after_the_inversion_and_before_the_curve() {
        let shape = Shape { min: -1000, center: 0, max: 1000, invert: true, dead_zone: 0.2, curve: 2.0 };
        // 600: -0.6, beyond the dead zone 0.4 of 0.8 = 0.5, squared 0.25
        for (raw, input) in [(1000, -1.0), (-1000, 1.0), (600, -0.25), (-600, 0.25), (200, 0.0), (-200, 0.0)]
        {
            assert!((shape.input(raw) - input).abs() < 1e-12, "{raw}: {}", shape.input(raw));
        }
        assert_eq!(shape.input(0).to_bits(), 0, "no -0.0");
        let wider = Shape { curve: 0.5, ..Shape::RAW };
        assert!((wider.input(8192) - (8192.0_f64 / 32767.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn an_invalid_shape_commands_nothing() {
        for shape in [
            Shape { dead_zone: f64::NAN, ..Shape::RAW },
            Shape { curve: f64::NAN, ..Shape::RAW },
            Shape { min: 100, center: 0, max: -100, ..Shape::RAW },
        ] {
            let mapping = AxisMapping { axis: Some(0), shape, ..AxisMapping::default() };
            assert_eq!(command(&mapping, &[16000]), 0.0, "{shape:?}");
        }
    }

    fn rests(mapping: AxisMapping, raw: i16) -> bool {
        let mut mappings = Mappings::default();
        mappings.angular[1] = AxisMapping { axis: Some(0), ..mapping };
        is_at_rest(&mappings, &[raw])
    }

    #[test]
    fn a_stick_rests_about_its_centre_whatever_its_offset() {
        // 0.1 * 32767 = 3276.7
        for mapping in [
            AxisMapping::default(),
            AxisMapping { offset: 0.5, scale: -3.0, ..AxisMapping::default() },
            AxisMapping { shape: Shape { curve: 0.2, ..Shape::RAW }, ..AxisMapping::default() },
        ] {
            let at = [0, 3276, -3276, 3277, -3277, 32767].map(|raw| rests(mapping, raw));
            assert_eq!(at, [true, true, true, false, false, false], "{mapping:?}");
        }
        // centre 1000, dead zone 0.5: 0.5 + 0.1 * 0.5 = 0.55 of 31767 from 1000 is 18471.85
        let shape = Shape { center: 1000, dead_zone: 0.5, invert: true, ..Shape::RAW };
        let shaped = AxisMapping { shape, ..AxisMapping::default() };
        assert_eq!([18_471, 18_472].map(|raw| rests(shaped, raw)), [true, false]);
    }

    #[test]
    fn a_trigger_rests_at_its_end() {
        let calibrated = Shape { min: -32768, center: -32768, max: 32767, ..Shape::RAW };
        let calibrated = AxisMapping { shape: calibrated, ..AxisMapping::default() };
        let shifted = AxisMapping { offset: 1.0, scale: 0.5, ..AxisMapping::default() };
        for mapping in [calibrated, shifted] {
            let at = [i16::MIN, -29_500, -29_000, 0, i16::MAX].map(|raw| rests(mapping, raw));
            // a tenth of the calibrated way of 65535 ends at -26214, of the shifted one of 32767 at -29490
            assert_eq!([at[0], at[1], at[3], at[4]], [true, true, false, false], "{mapping:?}");
        }
        let other_way = AxisMapping { offset: -1.0, ..AxisMapping::default() };
        assert_eq!([i16::MIN, 0, i16::MAX].map(|raw| rests(other_way, raw)), [false, false, true]);
    }

    #[test]
    fn all_mapped_axes_rest_together() {
        let on = |axis| AxisMapping { axis: Some(axis), ..AxisMapping::default() };
        let mut mappings = Mappings::default();
        (mappings.linear[0], mappings.angular[2]) = (on(0), on(2));
        let at =
            [[0, 9, 0], [0, 32767, 0], [9999, 0, 0], [0, 0, 9999]].map(|axes| is_at_rest(&mappings, &axes));
        assert_eq!(at, [true, true, false, false], "axis 1 is not mapped");
        assert!(is_at_rest(&mappings, &[0, 9]) && is_at_rest(&mappings, &[]), "a missing axis rests");
        // 9999 / 32767 = 0.305, 20000 / 32767 = 0.610
        let farthest = DeflectedAxis { coordinate: "angular.z", axis: 2, percent: 62 };
        assert_eq!(deflected_axis(&mappings, &[9999, 0, 20_000]), Some(farthest));
    }

    #[test]
    fn the_ends_and_the_centre_are_exact() {
        assert_eq!([i16::MIN, -32767, 0, 32767].map(unit), [-1.0, -1.0, 0.0, 1.0]);
    }

    #[test]
    fn the_offset_is_added_before_scaling() {
        // A trigger that rests at -1: 0.5 * (-1 + 1) = 0, 0.5 * (0 + 1) = 0.5, 0.5 * (1 + 1) = 1
        for (raw, expected) in [(i16::MIN, 0.0), (0, 0.5), (i16::MAX, 1.0)] {
            assert_eq!(one(Some(0), 1.0, 0.5, &[raw]), expected);
        }
        assert_eq!(one(Some(0), 0.0, -1.0, &[i16::MAX]), -1.0);
    }

    #[test]
    fn a_command_never_exceeds_one() {
        assert_eq!(one(Some(0), 10.0, 10.0, &[i16::MAX]), 1.0);
        assert_eq!(one(Some(0), 10.0, -10.0, &[i16::MAX]), -1.0);
        assert_eq!(one(Some(0), f64::NAN, 1.0, &[i16::MAX]), 0.0);
    }

    #[test]
    fn a_missing_axis_commands_nothing_whatever_the_offset() {
        assert_eq!(one(None, 1.0, 0.5, &[100]), 0.0);
        assert_eq!(one(Some(1), 1.0, 0.5, &[100]), 0.0);
        assert_eq!(one(Some(0), 1.0, 0.5, &[]), 0.0);
    }

    #[test]
    fn each_coordinate_has_its_own_axis() {
        let on = |axis| AxisMapping { axis: Some(axis), ..AxisMapping::default() };
        let mappings =
            Mappings { linear: [on(5), on(4), on(3)], angular: [on(2), on(1), on(0)], ..Mappings::default() };
        let axes = [0, 0, 0, 0, 0, i16::MAX];
        assert_eq!(commands(&mappings, &axes), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let axes = [i16::MAX, 0, 0, 0, i16::MIN, 0];
        assert_eq!(commands(&mappings, &axes), [0.0, -1.0, 0.0, 0.0, 0.0, 1.0]);
    }
}
