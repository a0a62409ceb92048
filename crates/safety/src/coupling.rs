/// The most knees of a [`Coupling`].
pub const MAX_KNEES: usize = 4;

/// The angle of a joint as a continuous, piecewise linear function of the angle of the drive that moves it.
///
/// q(d) = s₀·d + Σᵢ (sᵢ - sᵢ₋₁)·(max(0, d - aᵢ) - max(0, -aᵢ)): slope s₀ below the first knee a₁, sᵢ above aᵢ, and q(0) = 0.
/// # Source
/// HAPTIX, the fingers of the MPL: slopes and knees. Own: continuous; in the Gazebo server the angle jumps at a knee.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coupling {
    slope: f64,
    /// Angles of the knees, ascending, with the change of the slope.
    knees: [(f64, f64); MAX_KNEES],
    count: usize,
}

impl Coupling {
    /// `numbers` are the first slope, then angle \[rad\] and slope of each knee; `None` if their number is wrong, one is not finite, or the
    /// angles do not ascend.
    pub fn new(numbers: &[f64]) -> Option<Self> {
        let (&slope, rest) = numbers.split_first()?;
        let (pairs, left) = rest.as_chunks::<2>();
        if !left.is_empty() || pairs.len() > MAX_KNEES || numbers.iter().any(|number| !number.is_finite()) {
            return None;
        }
        let mut coupling = Self { slope, ..Self::default() };
        let (mut angle_before, mut slope_before) = (f64::NEG_INFINITY, slope);
        for (knee, &[angle, slope]) in coupling.knees.iter_mut().zip(pairs) {
            if angle <= angle_before {
                return None;
            }
            *knee = (angle, slope - slope_before);
            (angle_before, slope_before) = (angle, slope);
            coupling.count += 1;
        }
        Some(coupling)
    }

    /// The angles of the knees, ascending \[rad\], each with the change of the slope.
    pub fn knees(&self) -> &[(f64, f64)] {
        &self.knees[..self.count]
    }

    /// The joint's angle \[rad\] at the drive's angle \[rad\].
    pub fn angle(&self, drive: f64) -> f64 {
        let bent = |&(angle, change): &(f64, f64)| change * ((drive - angle).max(0.0) - (-angle).max(0.0));
        self.slope * drive + self.knees().iter().map(bent).sum::<f64>()
    }

    /// Whether the joint's angle is always that of the drive.
    pub fn is_identity(&self) -> bool {
        self.slope == 1.0 && self.count == 0
    }

    /// The derivative of the angle at the drive's angle \[rad\]; at a knee the one above it.
    pub fn slope(&self, drive: f64) -> f64 {
        let changes = self.knees().iter().filter(|(angle, _)| drive >= *angle).map(|(_, change)| change);
        self.slope + changes.sum::<f64>()
    }

    /// The slopes below, between and above the knees.
    fn slopes(&self) -> impl Iterator<Item = f64> + '_ {
        let above = self.knees().iter().scan(self.slope, |slope, (_, change)| {
            *slope += change;
            Some(*slope)
        });
        core::iter::once(self.slope).chain(above)
    }

    /// The steepest slope.
    pub fn steepest(&self) -> f64 {
        self.slopes().fold(0.0, |most: f64, slope| most.max(slope.abs()))
    }

    /// Whether the joint moves one way wherever the drive is, so that its angle determines the drive's.
    pub fn is_invertible(&self) -> bool {
        self.slopes().all(|slope| slope > 0.0) || self.slopes().all(|slope| slope < 0.0)
    }

    /// The drive's angle \[rad\] at the joint's angle \[rad\]; not finite if the coupling is not invertible.
    pub fn drive(&self, angle: f64) -> f64 {
        let (mut from, mut slope) = (self.knees().first().map_or(0.0, |(knee, _)| *knee), self.slope);
        for ((knee, _), above) in self.knees().iter().zip(self.slopes().skip(1)) {
            if (angle - self.angle(*knee)) * above > 0.0 {
                (from, slope) = (*knee, above);
            }
        }
        from + (angle - self.angle(from)) / slope
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MCP, PIP and DIP of the MPL's fingers.
    const FINGER: [&[f64]; 3] = [&[1.0, 0.1745, 0.8333], &[0.0, 0.384, 0.71875], &[0.0, 0.384, 0.69792]];

    #[test]
    fn a_finger_bends_as_its_slopes_and_knees_say() {
        let [mcp, pip, dip] = FINGER.map(|numbers| Coupling::new(numbers).unwrap());
        // below, between and above the knees of 0.1745 and 0.384
        for (drive, expected) in [
            (-0.5, [-0.5, 0.0, 0.0]),
            (0.1, [0.1, 0.0, 0.0]),
            (0.2745, [0.1745 + 0.1 * 0.8333, 0.0, 0.0]),
            (1.384, [0.1745 + 1.2095 * 0.8333, 0.71875, 0.69792]),
        ] {
            for (coupling, expected) in [mcp, pip, dip].iter().zip(expected) {
                assert!((coupling.angle(drive) - expected).abs() < 1e-12, "{drive}");
            }
        }
    }

    #[test]
    fn the_angle_is_continuous_at_each_knee_and_the_slope_is_its_derivative() {
        for numbers in [FINGER[0], FINGER[1], FINGER[2], &[2.0, -1.0, 0.5, 0.25, -3.0]] {
            let coupling = Coupling::new(numbers).unwrap();
            assert_eq!(coupling.angle(0.0), 0.0);
            for &(knee, _) in coupling.knees() {
                let step = 1e-9;
                let jump = coupling.angle(knee + step) - coupling.angle(knee - step);
                assert!(jump.abs() < 3.0 * 2.0 * step * 1.01, "{numbers:?} jumps by {jump} at {knee}");
            }
            for drive in [-1.5, -0.7, 0.1, 0.3, 1.0] {
                let derivative = (coupling.angle(drive + 1e-6) - coupling.angle(drive - 1e-6)) / 2e-6;
                assert!((coupling.slope(drive) - derivative).abs() < 1e-6, "{numbers:?} at {drive}");
            }
        }
    }

    #[test]
    fn the_joint_tells_the_drive_where_it_always_moves() {
        for numbers in [FINGER[0], &[-0.5], &[2.0, -1.0, 0.5, 0.25, 3.0], &[-1.0, 0.2, -4.0]] {
            let coupling = Coupling::new(numbers).unwrap();
            assert!(coupling.is_invertible());
            for drive in [-2.0, -1.0, -0.3, 0.0, 0.1745, 0.2, 0.25, 1.0, 9.0] {
                let found = coupling.drive(coupling.angle(drive));
                assert!((found - drive).abs() < 1e-12, "{numbers:?}: {found} for {drive}");
            }
        }
        for numbers in [FINGER[1], &[1.0, 0.5, -1.0], &[0.0]] {
            assert!(!Coupling::new(numbers).unwrap().is_invertible(), "{numbers:?}");
        }
        assert_eq!(Coupling::new(&[-1.0, 0.2, -4.0]).unwrap().steepest(), 4.0);
    }

    #[test]
    fn numbers_that_are_no_coupling_are_refused() {
        for numbers in [
            &[][..],
            &[1.0, 0.2],
            &[f64::NAN],
            &[1.0, 0.2, f64::INFINITY],
            &[1.0, 0.2, 1.0, 0.2, 2.0],
            &[0.0; 11],
        ] {
            assert_eq!(Coupling::new(numbers), None, "{numbers:?}");
        }
    }
}
