use crate::{Boundaries, Factors, Scaling, Stick, Zone};

/// The zones whose factors limit a stick: the one that it points to and those that it has just left.
///
/// With hysteresis h and the stick at direction a:
/// held' = {zone(a)} ∪ {z ∈ held: distance of a from the sector of z < h}; none while the stick is centred.
///
/// A zone is held as soon as the stick enters it, and released only when the stick is h outside. For each part the
/// smallest factor of the held zones applies. Since the stick's own zone is always held, no stick exceeds the factors
/// of its own zone; and since a stick that trembles on a boundary by less than h holds both sides, its factors do not
/// flicker. With h = 0 only the own zone is held.
/// # Source
/// own
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeldZones(u8);

impl HeldZones {
    /// No zone is held: no stick moves.
    pub const NONE: Self = Self(0);

    /// Updates the held zones for `stick` and returns its zone.
    ///
    /// Repeating the same stick changes nothing.
    pub fn follow(&mut self, boundaries: &Boundaries, stick: Stick) -> Zone {
        let zone = boundaries.classify(stick);
        if zone == Zone::Origin {
            *self = Self::NONE;
            return zone;
        }
        let direction = stick.direction();
        let left = |zone| {
            boundaries.sector(zone).is_none_or(|sector| sector.distance(direction) >= boundaries.hysteresis)
        };
        let kept = self.zones().filter(|&held| !left(held)).fold(0, |kept, zone| kept | bit(zone));
        self.0 = kept | bit(zone);
        zone
    }

    /// The held zones in the order of their numbers.
    pub fn zones(self) -> impl Iterator<Item = Zone> {
        Zone::AROUND.into_iter().filter(move |&zone| self.0 & bit(zone) != 0)
    }

    /// Without the zones that lie ahead.
    pub(crate) fn without_ahead(self) -> Self {
        let rest = self.zones().filter(|zone| !zone.is_ahead());
        Self(rest.fold(0, |rest, zone| rest | bit(zone)))
    }

    /// For each part the smallest factor of the held zones; [`Factors::NONE`] if none is held.
    pub fn factors(self, scaling: &Scaling) -> Factors {
        self.zones().map(|zone| scaling.of(zone)).reduce(Factors::min).unwrap_or(Factors::NONE)
    }
}

fn bit(zone: Zone) -> u8 {
    match zone {
        Zone::Origin => 0,
        zone => 1 << zone.number(),
    }
}

#[cfg(test)]
mod tests {
    use safety::Scale;

    use super::*;

    /// A stick at full length towards `direction` [degrees].
    fn towards(direction: f64) -> Stick {
        let (sin, cos) = direction.to_radians().sin_cos();
        Stick { forward_back: 100.0 * cos, left_right: 100.0 * sin }
    }

    fn follow(hysteresis: f64, directions: &[f64]) -> Vec<Zone> {
        let boundaries = Boundaries { hysteresis, ..Boundaries::default() };
        let mut held = HeldZones::NONE;
        for &direction in directions {
            held.follow(&boundaries, towards(direction));
        }
        held.zones().collect()
    }

    #[test]
    fn a_zone_left_by_less_than_the_hysteresis_is_held() {
        // Front ends at 13.7 degrees; with 3 degrees of hysteresis it is held up to 16.7.
        assert_eq!(follow(3.0, &[0.0, 16.6]), [Zone::Front, Zone::FrontRight]);
        assert_eq!(follow(3.0, &[0.0, 16.8]), [Zone::FrontRight]);
        assert_eq!(follow(3.0, &[0.0, 16.8, 14.0]), [Zone::FrontRight], "front was not entered again");
        assert_eq!(follow(3.0, &[0.0, 16.8, 13.0]), [Zone::Front, Zone::FrontRight]);
        assert_eq!(follow(3.0, &[0.0, -16.6]), [Zone::Front, Zone::FrontLeft]);
    }

    #[test]
    fn trembling_on_a_boundary_changes_nothing() {
        let once = follow(3.0, &[13.0, 14.0]);
        assert_eq!(once, [Zone::Front, Zone::FrontRight]);
        assert_eq!(follow(3.0, &[13.0, 14.0, 13.0]), once);
        assert_eq!(follow(3.0, &[13.0, 14.0, 13.0, 11.0, 16.0]), once);
    }

    #[test]
    fn without_hysteresis_only_the_own_zone_is_held() {
        assert_eq!(follow(0.0, &[13.69, 13.71]), [Zone::FrontRight]);
        assert_eq!(follow(0.0, &[13.71, 13.69]), [Zone::Front]);
        // On the boundary of 45 degrees itself, which is front's, coming from beyond it.
        let boundaries = Boundaries { front: 45.0, front_side: 75.0, ..Boundaries::default() };
        let mut held = HeldZones::NONE;
        held.follow(&boundaries, Stick { forward_back: 50.0, left_right: 60.0 });
        held.follow(&boundaries, Stick { forward_back: 50.0, left_right: 50.0 });
        assert!(held.zones().eq([Zone::Front]));
    }

    #[test]
    fn back_is_held_on_both_sides_of_180_degrees() {
        // Back begins at 166.3, so 164 is 2.3 outside; the rear corner of a stick to the right is the left one.
        assert_eq!(follow(3.0, &[179.0, -179.0, 164.0]), [Zone::BackLeft, Zone::Back]);
        assert_eq!(follow(3.0, &[179.0, -164.0]), [Zone::BackRight, Zone::Back]);
    }

    #[test]
    fn a_centred_stick_holds_nothing_and_forgets() {
        let (mut held, boundaries) =
            (HeldZones::NONE, Boundaries { hysteresis: 9.0, ..Boundaries::default() });
        assert_eq!(held.factors(&Scaling::uniform(Scale::ONE)), Factors::NONE);
        held.follow(&boundaries, towards(0.0));
        assert_eq!(held.follow(&boundaries, Stick::ORIGIN), Zone::Origin);
        assert_eq!(held, HeldZones::NONE);
        held.follow(&boundaries, towards(14.0));
        assert!(held.zones().eq([Zone::FrontRight]));
    }

    #[test]
    fn what_lies_ahead_can_be_left_out() {
        let (mut held, boundaries) =
            (HeldZones::NONE, Boundaries { hysteresis: 9.0, ..Boundaries::default() });
        held.follow(&boundaries, towards(78.0));
        held.follow(&boundaries, towards(79.0));
        assert!(held.zones().eq([Zone::FrontRight, Zone::Right]));
        assert!(held.without_ahead().zones().eq([Zone::Right]));
    }
}
