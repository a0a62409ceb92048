use crate::{Boundaries, Zone};

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
