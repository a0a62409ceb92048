use params::{Parameter, Refusal, Set};

use crate::{Stick, Zone};

params::params! {
    /// Where one zone ends and the next begins, as angles of the stick from straight ahead, alike on both sides.
    ///
    /// angle = |atan2(left_right, forward_back)|, 0 to 180 degrees. An angle on a boundary belongs to the zone nearer to
    /// the front; no stick in whole percents lies on one of the default boundaries.
    /// # Source
    /// LUCI's picture of the zone ring, the only place where the numbers are published; also the swap of the rear corners.
    /// Which side a boundary belongs to is own.
    #[derive(Copy)]
    pub struct Boundaries {
        /// Angle of the stick from straight ahead where front ends and the front corners begin.
        front: f64 = angle("boundaries.front", 13.7),
        /// Angle where the front corners end and left and right begin.
        front_side: f64 = angle("boundaries.front_side", 78.45),
        /// Angle where left and right end and the rear corners begin.
        side_back: f64 = angle("boundaries.side_back", 101.55),
        /// Angle where the rear corners end and back begins.
        back: f64 = angle("boundaries.back", 166.3),
        /// A stick back and left is in the zone back right, the corner that the tail then sweeps, and the reverse.
        rear_swap: bool = Parameter::bool("boundaries.rear_swap", true),
        /// A stick no farther from the centre than this is centred and drives nothing. Without effect in the mode passthrough.
        dead_zone: f64 = Parameter::float("boundaries.dead_zone", 0.0, 0.0, 50.0).unit("percent of full throw"),
        /// A zone that the stick has left by less than this still counts: the smaller factor of both zones is taken, so a stick
        /// trembling on a boundary gives no flicker. Zones ahead do not count like this for a stick that turns in place or
        /// reverses.
        hysteresis: f64 = Parameter::float("boundaries.hysteresis", 0.0, 0.0, 10.0).unit("degrees"),
    }
}

/// LUCI labels its ring of zones with other angles than it draws: only a chair can settle it.
const fn angle(name: &'static str, default: f64) -> Parameter<f64> {
    Parameter::float(name, default, 0.1, 179.9).unit("degrees")
}

impl Boundaries {
    /// Checks that the boundaries between the zones, which are parameters in `set`, increase from front to back.
    /// # Errors
    /// A [`Refusal`] of the first that does not.
    pub fn check(&self, set: &Set) -> Result<(), Refusal> {
        let Self { front, front_side, side_back, back, .. } = *self;
        let angles = [
            ("boundaries.front", front),
            ("boundaries.front_side", front_side),
            ("boundaries.side_back", side_back),
            ("boundaries.back", back),
        ];
        for (&(lower_name, lower), (upper_name, upper)) in angles.iter().zip(&angles[1..]) {
            if lower >= *upper {
                let rule = format!("must be greater than '{lower_name}', which is {lower:?} degrees");
                return Err(set.refuse(upper_name, rule));
            }
        }
        Ok(())
    }

    /// The zone that `stick` points to; [`Zone::Origin`] if it is centred or not a number.
    pub fn classify(&self, stick: Stick) -> Zone {
        let Stick { forward_back, left_right } = stick;
        let throw = forward_back.hypot(left_right);
        if forward_back.is_nan() || left_right.is_nan() || throw <= self.dead_zone || throw == 0.0 {
            return Zone::Origin;
        }
        let right = left_right > 0.0;
        let side = |on_left, on_right| if right { on_right } else { on_left };
        match stick.direction().abs() {
            angle if angle <= self.front => Zone::Front,
            angle if angle <= self.front_side => side(Zone::FrontLeft, Zone::FrontRight),
            angle if angle <= self.side_back => side(Zone::Left, Zone::Right),
            angle if angle <= self.back && self.rear_swap => side(Zone::BackRight, Zone::BackLeft),
            angle if angle <= self.back => side(Zone::BackLeft, Zone::BackRight),
            _ => Zone::Back,
        }
    }
}

/// The directions of the stick in one zone, as angles clockwise from straight ahead \[degrees\].
///
/// `from` < `to`; [`Zone::Front`] begins below 0 and [`Zone::Back`] ends above 180, so neither is split.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sector {
    /// The start \[degrees\].
    pub from: f64,
    /// The end \[degrees\].
    pub to: f64,
}

impl Sector {
    /// The distance of `direction` from the sector \[degrees\], the shorter way around; 0 within and on its
    /// boundaries.
    pub fn distance(self, direction: f64) -> f64 {
        let centre = (self.from + self.to) / 2.0;
        let turned = (direction - centre + 180.0).rem_euclid(360.0) - 180.0;
        (turned.abs() - (self.to - self.from) / 2.0).max(0.0)
    }

    /// The centre \[degrees\].
    pub fn middle(self) -> f64 {
        (self.from + self.to) / 2.0
    }
}

impl Boundaries {
    /// The directions of the stick in `zone`; `None` for [`Zone::Origin`], which is no direction.
    pub fn sector(&self, zone: Zone) -> Option<Sector> {
        let right = |from, to| Sector { from, to };
        let left = |from: f64, to: f64| Sector { from: -to, to: -from };
        Some(match zone {
            Zone::Front => Sector { from: -self.front, to: self.front },
            Zone::FrontLeft => left(self.front, self.front_side),
            Zone::FrontRight => right(self.front, self.front_side),
            Zone::Left => left(self.front_side, self.side_back),
            Zone::Right => right(self.front_side, self.side_back),
            Zone::BackLeft if self.rear_swap => right(self.side_back, self.back),
            Zone::BackLeft => left(self.side_back, self.back),
            Zone::BackRight if self.rear_swap => left(self.side_back, self.back),
            Zone::BackRight => right(self.side_back, self.back),
            Zone::Back => Sector { from: self.back, to: 360.0 - self.back },
            Zone::Origin => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stick;

    fn zone(forward_back: i32, left_right: i32) -> Zone {
        Boundaries::default().classify(stick(forward_back, left_right))
    }

    fn stick(forward_back: i32, left_right: i32) -> Stick {
        Stick { forward_back: forward_back.into(), left_right: left_right.into() }
    }

    #[test]
    fn every_stick_position_is_counted() {
        let mut counts = [0; 9];
        for forward_back in -100..=100 {
            for left_right in -100..=100 {
                counts[zone(forward_back, left_right) as usize] += 1;
            }
        }
        // Counted apart from this by slopes (tan) instead of angles; 2 · 2460 + 4 · 7837 + 2 · 2066 + 1 = 201².
        assert_eq!(counts, [2460, 7837, 7837, 2066, 2066, 7837, 7837, 2460, 1]);
    }

    #[test]
    fn left_and_right_are_mirrored_and_so_are_front_and_back() {
        let mirrored = |zone| match zone {
            Zone::FrontLeft => Zone::FrontRight,
            Zone::FrontRight => Zone::FrontLeft,
            Zone::Left => Zone::Right,
            Zone::Right => Zone::Left,
            Zone::BackLeft => Zone::BackRight,
            Zone::BackRight => Zone::BackLeft,
            zone => zone,
        };
        for forward_back in -100..=100 {
            for left_right in -100..=100 {
                assert_eq!(zone(forward_back, -left_right), mirrored(zone(forward_back, left_right)));
                let is_side = |zone| matches!(zone, Zone::Left | Zone::Right);
                assert_eq!(is_side(zone(-forward_back, left_right)), is_side(zone(forward_back, left_right)));
            }
        }
    }

    #[test]
    fn positions_next_to_a_boundary_are_on_the_right_side_of_it() {
        // atan2(10, 41) = 13.707 degrees and atan2(93, 19) = 78.453: 0.007 and 0.003 past the boundary.
        assert_eq!(
            (zone(41, 10), zone(41, -10), zone(42, 10)),
            (Zone::FrontRight, Zone::FrontLeft, Zone::Front)
        );
        assert_eq!((zone(19, 93), zone(19, -93), zone(20, 93)), (Zone::Right, Zone::Left, Zone::FrontRight));
        assert_eq!(
            (zone(-21, -100), zone(-20, 100), zone(-60, 60)),
            (Zone::BackRight, Zone::Right, Zone::BackLeft)
        );
        assert_eq!((zone(-100, 24), zone(-100, -24)), (Zone::Back, Zone::Back));
        assert_eq!((zone(-100, -25), zone(-100, 25)), (Zone::BackRight, Zone::BackLeft));
    }

    #[test]
    fn the_swap_of_the_rear_corners_can_be_switched_off() {
        let plain = Boundaries { rear_swap: false, ..Boundaries::default() };
        assert_eq!(plain.classify(stick(-60, -60)), Zone::BackLeft);
        assert_eq!(plain.classify(stick(-60, 60)), Zone::BackRight);
        assert_eq!(plain.classify(stick(60, -60)), Zone::FrontLeft);
    }

    #[test]
    fn an_angle_on_a_boundary_is_nearer_to_the_front() {
        let right_angles =
            Boundaries { front: 45.0, front_side: 90.0, side_back: 135.0, ..Boundaries::default() };
        assert_eq!(right_angles.classify(stick(50, 50)), Zone::Front);
        assert_eq!(right_angles.classify(stick(0, -50)), Zone::FrontLeft);
        assert_eq!(right_angles.classify(stick(-50, 50)), Zone::Right);
    }

    #[test]
    fn the_dead_zone_is_round() {
        let dead = Boundaries { dead_zone: 5.0, ..Boundaries::default() };
        assert_eq!(dead.classify(stick(3, 4)), Zone::Origin, "3² + 4² = 5²");
        assert_eq!(dead.classify(stick(4, 4)), Zone::FrontRight);
        assert_eq!(zone(0, 0), Zone::Origin);
    }

    #[test]
    fn what_is_not_a_number_is_centred() {
        for bad in [(f64::NAN, 1.0), (1.0, f64::NAN), (f64::NAN, f64::INFINITY)] {
            let stick = Stick { forward_back: bad.0, left_right: bad.1 };
            assert_eq!(Boundaries::default().classify(stick), Zone::Origin);
        }
        let stick = Stick { forward_back: -1.0, left_right: -0.0 };
        assert_eq!(Boundaries::default().classify(stick), Zone::Back, "the sign of zero is no side");
    }

    #[test]
    fn a_stick_lies_in_the_sector_of_its_zone_and_in_no_other() {
        for rear_swap in [true, false] {
            let boundaries = Boundaries { rear_swap, ..Boundaries::default() };
            for forward_back in -100..=100 {
                for left_right in -100..=100 {
                    let stick = Stick { forward_back: forward_back.into(), left_right: left_right.into() };
                    let zone = boundaries.classify(stick);
                    for other in Zone::AROUND.into_iter().filter(|_| zone != Zone::Origin) {
                        let distance = boundaries.sector(other).unwrap().distance(stick.direction());
                        // No stick lies on a boundary; the nearest is 0.003 degrees from one.
                        assert_eq!(distance < 0.001, other == zone, "{stick:?} {other} {distance}");
                    }
                }
            }
        }
        assert_eq!(Boundaries::default().sector(Zone::Origin), None);
    }

    #[test]
    fn sectors_fill_the_circle_once() {
        let boundaries = Boundaries::default();
        let widths = Zone::AROUND.map(|zone| boundaries.sector(zone).map_or(0.0, |s| s.to - s.from));
        // 27.4 + 2 · 64.75 + 2 · 23.1 + 2 · 64.75 + 27.4 = 360, in the order of the numbers
        let expected = [27.4, 64.75, 64.75, 23.1, 23.1, 64.75, 64.75, 27.4];
        for (width, expected) in widths.into_iter().zip(expected) {
            assert!((width - expected).abs() < 1e-9, "{width}, not {expected}");
        }
        assert_eq!(boundaries.sector(Zone::Back).unwrap().middle(), 180.0);
    }

    #[test]
    fn a_distance_is_measured_the_shorter_way_around() {
        let back = Boundaries::default().sector(Zone::Back).unwrap();
        // Back ends at 193.7, which is -166.3; -160 is 6.3 away from it, 160 from 166.3 as well.
        for direction in [160.0, -160.0, 200.0] {
            assert!((back.distance(direction) - 6.3).abs() < 1e-9);
        }
        assert_eq!((back.distance(180.0), back.distance(-180.0), back.distance(170.0)), (0.0, 0.0, 0.0));
    }
}
