//! What was seen of a device's axes: where they rest, how much they tremble there, how far they were moved.

use gamepad::Hat;

/// All axes of a device as node `joystick` numbers them: SDL's, then two for each hat, the vertical one first.
///
/// # Source
/// The openrobots joystick component: up and left are -32768, down and right 32767.
#[derive(Debug, Clone)]
pub struct Stick {
    axes: Vec<Axis>,
    /// Where the hats begin.
    hats: usize,
}

#[derive(Debug, Clone, Copy)]
struct Axis {
    value: i16,
    /// The least and the greatest value at rest.
    rest: (i16, i16),
    /// The least and the greatest value since the last look.
    seen: (i16, i16),
}

/// How far an axis was moved from its rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Throw {
    /// Which axis.
    pub axis: usize,
    /// The farthest value.
    pub value: i16,
    /// That as a part of the way that there is on this side, 0 to 1.
    pub part: f64,
}

/// A side with less way than this has none: the axis rests at its end, as a trigger does.
const NO_WAY: i32 = 6554; // a tenth of all there is
/// Resting axes that move by more than this part of all there is are moved by somebody.
const MOVED: f64 = 0.1;

impl Stick {
    /// With the positions at the plug.
    pub fn new(axes: &[i16], hats: &[Hat]) -> Self {
        let positions = axes.iter().copied().chain(hats.iter().flat_map(|hat| positions(*hat)));
        let axes: Vec<_> = positions.map(Axis::at).collect();
        let hats = axes.len() - 2 * hats.len();
        Self { axes, hats }
    }

    /// How many axes there are, hats included.
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
            axis.seen = wider(axis.seen, value);
        }
    }

    /// Forgets what was seen: the positions now are all there is.
    pub fn look(&mut self) {
        for axis in &mut self.axes {
            axis.seen = (axis.value, axis.value);
        }
    }

    /// Takes what was seen since the last look for the rest of all axes, or names one that was moved.
    pub fn rests(&mut self) -> Result<(), usize> {
        let moved = |axis: &Axis| f64::from(width(axis.seen)) > MOVED * f64::from(u16::MAX);
        if let Some(moved) = self.axes.iter().position(moved) {
            return Err(moved);
        }
        self.axes.iter_mut().for_each(|axis| axis.rest = axis.seen);
        Ok(())
    }

    /// Adds where an axis lies now to where it rests: springs do not always bring it back to the same place. What is
    /// far off is somebody's hand, and is not added.
    pub fn rests_here_too(&mut self, axis: usize) {
        if let Some(axis) = self.axes.get_mut(axis) {
            let rest = wider(axis.rest, axis.value);
            if f64::from(width(rest)) <= 2.0 * MOVED * f64::from(u16::MAX) {
                axis.rest = rest;
            }
        }
    }

    /// How far each axis was moved at most since the last look, the farthest first.
    pub fn throws(&self) -> Vec<Throw> {
        let mut throws: Vec<_> = (0..).zip(&self.axes).map(|(number, axis)| axis.throw(number)).collect();
        throws.sort_by(|a, b| b.part.total_cmp(&a.part));
        throws
    }

    /// How far an axis is from its rest now, as a part of its way, 0 to 1.
    pub fn part(&self, axis: usize) -> f64 {
        self.axes.get(axis).map_or(0.0, |axis| axis.part(axis.value))
    }

    /// The middle of where an axis rests.
    pub fn center(&self, axis: usize) -> i16 {
        self.axes.get(axis).map_or(0, Axis::center)
    }

    /// How far an axis strays from that middle while it rests.
    pub fn tremble(&self, axis: usize) -> i32 {
        self.axes.get(axis).map_or(0, |axis| (width(axis.rest) + 1) / 2)
    }

    /// Whether an axis can be moved to that side of its rest: `true` is towards 32767.
    pub fn has_way(&self, axis: usize, up: bool) -> bool {
        self.axes.get(axis).is_some_and(|axis| axis.way(up) >= NO_WAY)
    }
}

impl Axis {
    fn at(value: i16) -> Self {
        Self { value, rest: (value, value), seen: (value, value) }
    }

    fn center(&self) -> i16 {
        let (low, high) = self.rest;
        i16::midpoint(low, high)
    }

    /// How far it is from the rest to the end.
    fn way(&self, up: bool) -> i32 {
        let (center, end) = (i32::from(self.center()), if up { i16::MAX } else { i16::MIN });
        (i32::from(end) - center).abs()
    }

    fn part(&self, value: i16) -> f64 {
        let moved = i32::from(value) - i32::from(self.center());
        let way = self.way(moved > 0);
        if way < NO_WAY { 0.0 } else { f64::from(moved.abs()) / f64::from(way) }
    }

    fn throw(&self, axis: usize) -> Throw {
        let (low, high) = self.seen;
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
        stick.look();
        stick.hat(1, Hat { right: true, ..Hat::default() });
        assert_eq!(stick.throws()[0].axis, 5); // still the farthest from rest when the look began
        stick.look();
        stick.axis(3, 30_000); // a hat's place is not an axis
        assert_eq!(stick.throws()[0], Throw { axis: 6, value: i16::MAX, part: 1.0 });
    }

    #[test]
    fn the_way_is_counted_from_the_rest() {
        let mut stick = Stick::new(&[1000, -32768], &[]);
        // (32767 - 1000) / 2 beyond 1000 is half of the way up
        stick.axis(0, 1000 + 15_884);
        assert!((stick.part(0) - 0.5).abs() < 1e-4);
        // a trigger half pressed: 0 is 32768 of 65535
        stick.axis(1, 0);
        assert!((stick.part(1) - 0.5).abs() < 1e-4);
        assert!(stick.has_way(1, true) && !stick.has_way(1, false));
        assert!(stick.has_way(0, true) && stick.has_way(0, false));
    }

    #[test]
    fn an_axis_that_trembles_rests_and_one_that_moves_does_not() {
        let mut stick = Stick::new(&[0, 0], &[]);
        for value in [100, -300, 200] {
            stick.axis(0, value);
        }
        assert_eq!(stick.rests(), Ok(()));
        assert_eq!((stick.center(0), stick.tremble(0)), (-50, 250)); // (-300 + 200) / 2, (200 + 300) / 2
        stick.look();
        stick.axis(1, 7000); // more than 6553.5
        assert_eq!(stick.rests(), Err(1));
    }

    #[test]
    fn a_second_resting_place_widens_the_rest() {
        let mut stick = Stick::new(&[0], &[]);
        assert_eq!(stick.rests(), Ok(()));
        stick.axis(0, 2000);
        stick.rests_here_too(0);
        assert_eq!((stick.center(0), stick.tremble(0)), (1000, 1000));
        stick.axis(0, 30_000); // a hand
        stick.rests_here_too(0);
        assert_eq!(stick.center(0), 1000);
    }
}
