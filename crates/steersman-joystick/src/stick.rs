//! Measurements of a device's axes: rest position, noise at rest, and throw.

use gamepad::Hat;

/// All axes of a device as node `joystick` numbers them: SDL's, then two for each hat, the vertical one first.
///
/// # Source
/// The openrobots joystick component: up and left are -32768, down and right 32767.
#[derive(Debug, Clone)]
pub struct Stick {
    axes: Vec<Axis>,
    /// The index of the first hat axis.
    hats: usize,
}

#[derive(Debug, Clone, Copy)]
struct Axis {
    value: i16,
    /// The minimum and maximum at rest.
    rest: (i16, i16),
    /// The minimum and maximum since the last reset.
    range: (i16, i16),
}

/// The largest movement of an axis from its rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Throw {
    /// The index of the axis.
    pub axis: usize,
    /// The farthest value.
    pub value: i16,
    /// The movement as a part of the range on this side, 0 to 1.
    pub part: f64,
}

/// A side with less range than this has none: the axis rests at its end, as a trigger does.
const MIN_RANGE: i32 = 6554; // a tenth of the full range
/// An axis that moves by more than this part of the full range was moved by the user.
const MAX_REST_NOISE: f64 = 0.1;

impl Stick {
    /// Starts with the positions at the connection.
    pub fn new(axes: &[i16], hats: &[Hat]) -> Self {
        let positions = axes.iter().copied().chain(hats.iter().flat_map(|hat| positions(*hat)));
        let axes: Vec<_> = positions.map(Axis::at).collect();
        let hats = axes.len() - 2 * hats.len();
        Self { axes, hats }
    }

    /// The number of axes, hats included.
    pub fn len(&self) -> usize {
        self.axes.len()
    }

    /// An axis moved.
    pub fn axis(&mut self, axis: usize, value: i16) {
        if axis < self.hats {
            self.set(axis, value);
        }
    }

    /// A hat moved.
    pub fn hat(&mut self, hat: usize, state: Hat) {
        for (axis, value) in (self.hats + 2 * hat..).zip(positions(state)) {
            self.set(axis, value);
        }
    }

    fn set(&mut self, axis: usize, value: i16) {
        if let Some(axis) = self.axes.get_mut(axis) {
            axis.value = value;
            axis.range = wider(axis.range, value);
        }
    }

    /// Resets the measured ranges to the current positions.
    pub fn reset_range(&mut self) {
        for axis in &mut self.axes {
            axis.range = (axis.value, axis.value);
        }
    }

    /// Records the ranges since the last reset as the rest of all axes, or returns an axis that was moved.
    pub fn rests(&mut self) -> Result<(), usize> {
        let moved = |axis: &Axis| f64::from(width(axis.range)) > MAX_REST_NOISE * f64::from(u16::MAX);
        if let Some(moved) = self.axes.iter().position(moved) {
            return Err(moved);
        }
        self.axes.iter_mut().for_each(|axis| axis.rest = axis.range);
        Ok(())
    }

    /// Extends the rest of an axis to its current position: springs do not always return it to the same one. A
    /// position far away is due to the user and is not added.
    pub fn widen_rest(&mut self, axis: usize) {
        if let Some(axis) = self.axes.get_mut(axis) {
            let rest = wider(axis.rest, axis.value);
            if f64::from(width(rest)) <= 2.0 * MAX_REST_NOISE * f64::from(u16::MAX) {
                axis.rest = rest;
            }
        }
    }

    /// The largest movement of each axis since the last reset, sorted from the largest.
    pub fn throws(&self) -> Vec<Throw> {
        let mut throws: Vec<_> = (0..).zip(&self.axes).map(|(number, axis)| axis.throw(number)).collect();
        throws.sort_by(|a, b| b.part.total_cmp(&a.part));
        throws
    }

    /// The distance of an axis from its rest as a part of its range, 0 to 1.
    pub fn part(&self, axis: usize) -> f64 {
        self.axes.get(axis).map_or(0.0, |axis| axis.part(axis.value))
    }

    /// The centre of the rest of an axis.
    pub fn center(&self, axis: usize) -> i16 {
        self.axes.get(axis).map_or(0, Axis::center)
    }

    /// The deviation of an axis from that centre at rest.
    pub fn noise(&self, axis: usize) -> i32 {
        self.axes.get(axis).map_or(0, |axis| (width(axis.rest) + 1) / 2)
    }

    /// Whether an axis has range on that side of its rest: `true` is towards 32767.
    pub fn has_range(&self, axis: usize, up: bool) -> bool {
        self.axes.get(axis).is_some_and(|axis| axis.way(up) >= MIN_RANGE)
    }
}

impl Axis {
    fn at(value: i16) -> Self {
        Self { value, rest: (value, value), range: (value, value) }
    }

    fn center(&self) -> i16 {
        let (low, high) = self.rest;
        i16::midpoint(low, high)
    }

    /// The distance from the rest to the end.
    fn way(&self, up: bool) -> i32 {
        let (center, end) = (i32::from(self.center()), if up { i16::MAX } else { i16::MIN });
        (i32::from(end) - center).abs()
    }

    fn part(&self, value: i16) -> f64 {
        let moved = i32::from(value) - i32::from(self.center());
        let way = self.way(moved > 0);
        if way < MIN_RANGE { 0.0 } else { f64::from(moved.abs()) / f64::from(way) }
    }

    fn throw(&self, axis: usize) -> Throw {
        let (low, high) = self.range;
        let value = if self.part(high) >= self.part(low) { high } else { low };
        Throw { axis, value, part: self.part(value) }
    }
}

fn positions(hat: Hat) -> [i16; 2] {
    let position = |least: bool, greatest: bool| match (least, greatest) {
        (true, false) => i16::MIN,
        (false, true) => i16::MAX,
        _ => 0,
    };
    [position(hat.up, hat.down), position(hat.left, hat.right)]
}

fn wider((low, high): (i16, i16), value: i16) -> (i16, i16) {
    (low.min(value), high.max(value))
}

fn width((low, high): (i16, i16)) -> i32 {
    i32::from(high) - i32::from(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hats_follow_the_axes_vertical_first() {
        let mut stick = Stick::new(&[0, 0, 0], &[Hat::default(), Hat::default()]);
        assert_eq!(stick.len(), 7); // 3 + 2 * 2
        stick.hat(1, Hat { up: true, ..Hat::default() });
        assert_eq!(stick.throws()[0], Throw { axis: 5, value: i16::MIN, part: 1.0 }); // 3 + 2 * 1
        stick.reset_range();
        stick.hat(1, Hat { right: true, ..Hat::default() });
        assert_eq!(stick.throws()[0].axis, 5); // still the farthest from rest at the reset
        stick.reset_range();
        stick.axis(3, 30_000); // a hat's place is not an axis
        assert_eq!(stick.throws()[0], Throw { axis: 6, value: i16::MAX, part: 1.0 });
    }

    #[test]
    fn the_range_is_counted_from_the_rest() {
        let mut stick = Stick::new(&[1000, -32768], &[]);
        // (32767 - 1000) / 2 beyond 1000 is half of the way up
        stick.axis(0, 1000 + 15_884);
        assert!((stick.part(0) - 0.5).abs() < 1e-4);
        // a trigger half pressed: 0 is 32768 of 65535
        stick.axis(1, 0);
        assert!((stick.part(1) - 0.5).abs() < 1e-4);
        assert!(stick.has_range(1, true) && !stick.has_range(1, false));
        assert!(stick.has_range(0, true) && stick.has_range(0, false));
    }

    #[test]
    fn an_axis_with_noise_rests_and_one_that_moves_does_not() {
        let mut stick = Stick::new(&[0, 0], &[]);
        for value in [100, -300, 200] {
            stick.axis(0, value);
        }
        assert_eq!(stick.rests(), Ok(()));
        assert_eq!((stick.center(0), stick.noise(0)), (-50, 250)); // (-300 + 200) / 2, (200 + 300) / 2
        stick.reset_range();
        stick.axis(1, 7000); // more than 6553.5
        assert_eq!(stick.rests(), Err(1));
    }

    #[test]
    fn a_second_resting_place_widens_the_rest() {
        let mut stick = Stick::new(&[0], &[]);
        assert_eq!(stick.rests(), Ok(()));
        stick.axis(0, 2000);
        stick.widen_rest(0);
        assert_eq!((stick.center(0), stick.noise(0)), (1000, 1000));
        stick.axis(0, 30_000); // a movement by the user
        stick.widen_rest(0);
        assert_eq!(stick.center(0), 1000);
    }
}
