use zones::{Factors, Reason};

/// A colour, each part 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Colour {
    /// Red.
    pub red: f32,
    /// Green.
    pub green: f32,
    /// Blue.
    pub blue: f32,
    /// 0 is invisible, 1 is opaque.
    pub alpha: f32,
}

impl Colour {
    /// The requested stick.
    pub const REQUESTED: Self = Self::opaque(0.38, 0.42, 0.47);
    /// The granted stick.
    pub const GRANTED: Self = Self::opaque(0.05, 0.25, 0.65);
    /// Text.
    pub const TEXT: Self = Self::opaque(0.11, 0.13, 0.16);
    /// Unknown factors.
    pub const UNKNOWN: Self = Self::opaque(0.66, 0.68, 0.70);

    const BLOCKED: Self = Self::opaque(0.78, 0.18, 0.16);
    const HALF: Self = Self::opaque(0.95, 0.76, 0.31);
    const FREE: Self = Self::opaque(0.10, 0.60, 0.55);

    const fn opaque(red: f32, green: f32, blue: f32) -> Self {
        Self { red, green, blue, alpha: 1.0 }
    }

    /// The colour of `factor`: red at 0, amber at 0.5, teal at 1, linear in between; outside as at the nearer end.
    /// NaN, which is no permission, is shown as 0.
    /// # Source
    /// own; teal in place of green is also distinguishable from red for people who do not see green.
    pub fn of(factor: f64) -> Self {
        let factor = if factor.is_nan() { 0.0 } else { factor.clamp(0.0, 1.0) as f32 };
        if factor < 0.5 {
            Self::BLOCKED.towards(Self::HALF, 2.0 * factor)
        } else {
            Self::HALF.towards(Self::FREE, 2.0 * factor - 1.0)
        }
    }

    /// The colours of the bands of a sector with `factors`: outer (forward and back), inner (left and right).
    pub fn bands(factors: Factors, reason: Reason) -> [Self; 2] {
        match reason {
            Reason::ScalingStale | Reason::ScalingMissing => [Self::UNKNOWN; 2],
            _ => [factors.forward_back, factors.left_right].map(|factor| Self::of(factor.get())),
        }
    }

    /// Returns this colour with another `alpha`.
    pub const fn with_alpha(self, alpha: f32) -> Self {
        Self { alpha, ..self }
    }

    /// The SVG notation without the alpha: `#rrggbb`.
    pub fn hex(self) -> String {
        let [red, green, blue] = [self.red, self.green, self.blue].map(|part| (part * 255.0).round() as u8);
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    fn towards(self, other: Self, share: f32) -> Self {
        let between = |from: f32, to: f32| from + (to - from) * share;
        Self::opaque(
            between(self.red, other.red),
            between(self.green, other.green),
            between(self.blue, other.blue),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_goes_from_red_by_amber_to_teal() {
        // 0.78 · 255 = 198.9 = 0xc7, 0.18 · 255 = 45.9 = 0x2e, 0.16 · 255 = 40.8 = 0x29, and so on.
        assert_eq!([0.0, 0.5, 1.0].map(|factor| Colour::of(factor).hex()), ["#c72e29", "#f2c24f", "#1a998c"]);
        // Half way from 0.78, 0.18, 0.16 to 0.95, 0.76, 0.31: 0.865, 0.47, 0.235.
        assert_eq!(Colour::of(0.25).hex(), "#dd783c");
    }

    #[test]
    fn an_invalid_factor_has_the_colour_of_the_nearer_end_and_nan_is_blocked() {
        for (factor, same) in [(f64::NAN, 0.0), (-3.0, 0.0), (f64::INFINITY, 1.0)] {
            assert_eq!(Colour::of(factor), Colour::of(same));
        }
    }

    #[test]
    fn an_unknown_factor_has_no_colour_of_a_factor() {
        for reason in [Reason::ScalingMissing, Reason::ScalingStale] {
            assert_eq!(Colour::bands(Factors::ALL, reason), [Colour::UNKNOWN; 2]);
        }
        let bands = Colour::bands(Factors::ALL, Reason::CommandStale);
        assert_eq!(bands, [Colour::of(1.0); 2], "a lost command says nothing of the zones");
    }
}
