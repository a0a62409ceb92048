use safety::Scale;

use crate::Zone;

/// The factors of one zone for the two parts of the stick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factors {
    /// The factor of forward and back.
    pub forward_back: Scale,
    /// The factor of left and right.
    pub left_right: Scale,
}

/// The factors of all eight zones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling([Factors; 8]);

impl Factors {
    /// Both factors are 0.
    pub const NONE: Self = Self::both(Scale::ZERO);
    /// Both factors are 1.
    pub const ALL: Self = Self::both(Scale::ONE);

    /// Uses `factor` for both parts.
    pub const fn both(factor: Scale) -> Self {
        Self { forward_back: factor, left_right: factor }
    }

    /// For each part the smaller of the factors in `self` and `other`.
    pub fn min(self, other: Self) -> Self {
        self.combine(other, Scale::min)
    }

    fn combine(self, other: Self, rule: impl Fn(Scale, Scale) -> Scale) -> Self {
        Self {
            forward_back: rule(self.forward_back, other.forward_back),
            left_right: rule(self.left_right, other.left_right),
        }
    }

    /// The smaller factor for both parts.
    pub fn smaller(self) -> Self {
        Self::both(self.forward_back.min(self.left_right))
    }
}

/// The tolerance outside of \[0, 1\] for a factor computed in `f32`.
const ROUNDING: f32 = 1e-5;

impl Scaling {
    /// The zones in the order of the pairs of fields of a `LuciZoneScaling`, which is NOT that of the zones' numbers.
    /// # Source
    /// LUCI `luci_messages` 2.0.0, `LuciZoneScaling`.
    pub const FIELD_ORDER: [Zone; 8] = [
        Zone::Front,
        Zone::FrontRight,
        Zone::FrontLeft,
        Zone::Right,
        Zone::Left,
        Zone::BackRight,
        Zone::BackLeft,
        Zone::Back,
    ];

    /// Uses `factor` for both parts in every zone.
    pub const fn uniform(factor: Scale) -> Self {
        Self([Factors::both(factor); 8])
    }

    /// Reads the sixteen fields of a `LuciZoneScaling`, and counts those that were not a factor.
    ///
    /// A field that is NaN or outside \[0, 1\] by more than rounding counts as 0. The order is
    /// [`Scaling::FIELD_ORDER`], with the factor of forward and back before that of left and right.
    /// # Source
    /// LUCI `luci_messages` 2.0.0, `LuciZoneScaling`. LUCI's treatment of other values is not documented; 0 is own,
    /// since an invalid value is no permission.
    pub fn from_fields(fields: &[f32; 16]) -> (Self, u32) {
        let mut scaling = Self::uniform(Scale::ZERO);
        let mut invalid = 0;
        let mut factor = |field: f32| {
            let within = field.clamp(0.0, 1.0);
            let field = if (field - within).abs() < ROUNDING { within } else { field };
            Scale::new(field.into()).unwrap_or_else(|_| {
                invalid += 1;
                Scale::ZERO
            })
        };
        for (zone, pair) in Self::FIELD_ORDER.into_iter().zip(fields.as_chunks::<2>().0) {
            let [forward_back, left_right] = pair.map(&mut factor);
            if let Some(slot) = scaling.0.get_mut(zone as usize) {
                *slot = Factors { forward_back, left_right };
            }
        }
        (scaling, invalid)
    }

    /// The sixteen fields of a `LuciZoneScaling`: the reverse of [`Scaling::from_fields`], whose numbers are returned
    /// unchanged. Other factors are rounded down to an `f32`, so no published factor is too large.
    pub fn fields(&self) -> [f32; 16] {
        let mut fields = [0.0; 16];
        for (zone, pair) in Self::FIELD_ORDER.into_iter().zip(fields.as_chunks_mut::<2>().0) {
            let factors = self.of(zone);
            *pair = [factors.forward_back, factors.left_right].map(down);
        }
        fields
    }

    /// The factors of `zone`. Those of [`Zone::Origin`] are 0: a centred stick drives nothing.
    pub fn of(&self, zone: Zone) -> Factors {
        self.0.get(zone as usize).copied().unwrap_or(Factors::NONE)
    }

    /// Combines each factor of `self` and `other` by `rule`.
    pub(crate) fn combine(&self, other: &Self, rule: impl Fn(Scale, Scale) -> Scale) -> Self {
        let mut combined = *self;
        for (mine, theirs) in combined.0.iter_mut().zip(other.0) {
            *mine = mine.combine(theirs, &rule);
        }
        combined
    }
}

/// The greatest `f32` not above the factor.
pub(crate) fn down(factor: Scale) -> f32 {
    let near = factor.get() as f32;
    if f64::from(near) > factor.get() { near.next_down() } else { near }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factors(forward_back: f64, left_right: f64) -> Factors {
        Factors {
            forward_back: Scale::new(forward_back).unwrap(),
            left_right: Scale::new(left_right).unwrap(),
        }
    }

    #[test]
    fn fields_are_in_the_order_of_the_message() {
        // Field i holds i / 16, exact in f32.
        let fields = core::array::from_fn(|index| index as f32 / 16.0);
        let (scaling, invalid) = Scaling::from_fields(&fields);
        assert_eq!(invalid, 0);
        let starts = [
            (Zone::Front, 0.0),
            (Zone::FrontLeft, 4.0),
            (Zone::FrontRight, 2.0),
            (Zone::Left, 8.0),
            (Zone::Right, 6.0),
            (Zone::BackLeft, 12.0),
            (Zone::BackRight, 10.0),
            (Zone::Back, 14.0),
        ];
        for (zone, start) in starts {
            assert_eq!(scaling.of(zone), factors(start / 16.0, (start + 1.0) / 16.0), "{zone}");
        }
    }

    #[test]
    fn fields_are_returned_unchanged_and_never_greater() {
        let fields = core::array::from_fn(|index| index as f32 / 16.0);
        assert_eq!(Scaling::from_fields(&fields).0.fields(), fields);
        // 0.3 as f32 is 0.300000012, which is above.
        let fields = Scaling::uniform(Scale::new(0.3).unwrap()).fields();
        assert_eq!(fields, [0.3f32.next_down(); 16]);
    }

    #[test]
    fn an_invalid_factor_stops_and_is_counted() {
        let mut fields = [1.0; 16];
        let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.1, 1.1];
        fields[..5].copy_from_slice(&bad);
        let (scaling, invalid) = Scaling::from_fields(&fields);
        assert_eq!(invalid, 5);
        assert_eq!((scaling.of(Zone::Front), scaling.of(Zone::FrontRight)), (Factors::NONE, Factors::NONE));
        assert_eq!(scaling.of(Zone::FrontLeft), factors(0.0, 1.0));
        assert_eq!(scaling.of(Zone::Back), Factors::ALL);
        let (rounded, invalid) = Scaling::from_fields(&[1.0f32.next_up(); 16]);
        assert_eq!((rounded, invalid), (Scaling::uniform(Scale::ONE), 0));
        assert_eq!(Scaling::from_fields(&[-1e-9; 16]), (Scaling::uniform(Scale::ZERO), 0));
    }

    #[test]
    fn the_centre_has_no_factors() {
        assert_eq!(Scaling::uniform(Scale::ONE).of(Zone::Origin), Factors::NONE);
        for zone in Zone::AROUND {
            assert_eq!(Scaling::uniform(Scale::ONE).of(zone), Factors::ALL);
        }
    }

    #[test]
    fn the_smaller_factor_of_each_part_is_taken() {
        assert_eq!(factors(0.2, 0.8).min(factors(0.3, 0.7)), factors(0.2, 0.7));
        let (low, high) = (Scaling::uniform(Scale::ZERO), Scaling::uniform(Scale::ONE));
        assert_eq!((high.combine(&low, Scale::min), low.combine(&high, Scale::min)), (low, low));
    }

    #[test]
    fn the_smaller_factor_serves_both() {
        assert_eq!(factors(0.2, 0.8).smaller(), factors(0.2, 0.2));
        assert_eq!(factors(0.8, 0.2).smaller(), factors(0.2, 0.2));
    }
}
