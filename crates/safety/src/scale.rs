/// A factor in \[0, 1\].
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Scale(f64);

/// A factor is NaN or outside \[0, 1\].
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("scale {0} is outside [0, 1]")]
pub struct OutOfUnitRange(pub f64);

impl Scale {
    /// The factor 0, which leaves nothing.
    pub const ZERO: Self = Self(0.0);
    /// The factor 1, which changes nothing.
    pub const ONE: Self = Self(1.0);

    /// The factor `value`.
    /// # Errors
    /// [`OutOfUnitRange`] for NaN and for values outside \[0, 1\].
    pub fn new(value: f64) -> Result<Self, OutOfUnitRange> {
        if (0.0..=1.0).contains(&value) { Ok(Self(value)) } else { Err(OutOfUnitRange(value)) }
    }

    /// The plain number.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// The smaller of two factors.
    pub fn min(self, other: Self) -> Self {
        if other.0 < self.0 { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_unit_range_is_a_scale() {
        for good in [0.0, 0.5, 1.0] {
            assert_eq!(Scale::new(good).map(Scale::get), Ok(good));
        }
        for bad in [-0.001, 1.001, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(Scale::new(bad).is_err(), "{bad} must be refused");
        }
        assert_eq!(Scale::new(1.5).unwrap_err().to_string(), "scale 1.5 is outside [0, 1]");
    }

    #[test]
    fn the_minimum_does_not_depend_on_the_order() {
        let [small, great] = [0.25, 0.5].map(|value| Scale::new(value).unwrap());
        assert_eq!((small.min(great), great.min(small), small.min(small)), (small, small, small));
    }
}
