use crate::{AxisMapping, Mappings};

/// What a stick with these `axes` commands: six numbers in \[-1, 1], linear x, y, z, then angular.
pub(crate) fn commands(mappings: &Mappings, axes: &[i16]) -> [f64; 6] {
    let [x, y, z] = mappings.linear.map(|mapping| command(&mapping, axes));
    let [ax, ay, az] = mappings.angular.map(|mapping| command(&mapping, axes));
    [x, y, z, ax, ay, az]
}

/// `scale * (input + offset)`, cut to \[-1, 1].
///
/// A mapping without axis, or with one that the stick does not have, commands 0 itself rather than the offset: an
/// offset of 1 and a scale of 0.5 make +0.5 of "no input", and a lost trigger would drive away.
fn command(mapping: &AxisMapping, axes: &[i16]) -> f64 {
    let Some(&raw) = mapping.axis.and_then(|axis| axes.get(axis)) else { return 0.0 };
    let command = mapping.scale * (unit(raw) + mapping.offset);
    if command.is_nan() { 0.0 } else { command.clamp(-1.0, 1.0) }
}

/// A raw axis as a number in \[-1, 1]: 0 is exactly 0, and -32768 counts as -32767, as in the ROS `joy` node.
pub(crate) fn unit(raw: i16) -> f64 {
    f64::from(raw.max(-i16::MAX)) / f64::from(i16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(axis: Option<usize>, offset: f64, scale: f64, axes: &[i16]) -> f64 {
        command(&AxisMapping { axis, offset, scale }, axes)
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
