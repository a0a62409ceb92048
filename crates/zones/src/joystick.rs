/// A `LuciJoystick` as received, with any numbers in its fields.
/// # Source
/// LUCI `luci_messages` 2.0.0, `LuciJoystick`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joystick {
    /// Forward positive, -100 to 100 \[percent\]; values outside are cut and counted.
    pub forward_back: i32,
    /// RIGHT positive, -100 to 100 \[percent\]; values outside are cut and counted.
    pub left_right: i32,
    /// The sender's zone, 0 to 8; only compared with the own classification.
    pub joystick_zone: i32,
    /// LUCI's number of the input source, 0 to 5.
    pub input_source: i32,
}

impl Joystick {
    /// The stick, cut to -100 to 100, and how many of its two parts were outside.
    pub fn stick(&self) -> (crate::Stick, u32) {
        let parts = [self.forward_back, self.left_right];
        let [forward_back, left_right] = parts.map(|part| f64::from(part.clamp(-100, 100)));
        let outside = parts.map(|part| u32::from(!(-100..=100).contains(&part)));
        (crate::Stick { forward_back, left_right }, outside.iter().sum())
    }

    /// The input source, if it is one of LUCI's.
    pub fn source(&self) -> Option<i32> {
        (0..=5).contains(&self.input_source).then_some(self.input_source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stick;

    fn joystick(forward_back: i32, left_right: i32, input_source: i32) -> Joystick {
        Joystick { forward_back, left_right, joystick_zone: 8, input_source }
    }

    #[test]
    fn parts_outside_are_cut_and_counted() {
        let stick = |forward_back, left_right| Stick { forward_back, left_right };
        assert_eq!(joystick(100, -100, 5).stick(), (stick(100.0, -100.0), 0));
        assert_eq!(joystick(101, -100, 5).stick(), (stick(100.0, -100.0), 1));
        assert_eq!(joystick(i32::MIN, i32::MAX, 5).stick(), (stick(-100.0, 100.0), 2));
    }

    #[test]
    fn only_lucis_sources_are_sources() {
        for source in 0..=5 {
            assert_eq!(joystick(0, 0, source).source(), Some(source));
        }
        for source in [-1, 6, i32::MIN, i32::MAX] {
            assert_eq!(joystick(0, 0, source).source(), None);
        }
    }
}
