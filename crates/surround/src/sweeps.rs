use zones::{Boundaries, FullSpeed, Stick, Zone};

use crate::motion::Motion;

/// A family of motions with one common distance to the nearest object in the swept region.
///
/// The index is also that in [`Reach`](crate::table::Reach).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sweep {
    /// Straight ahead.
    Ahead,
    /// Straight back.
    Astern,
    /// Turning left on the spot.
    TurnLeft,
    /// Turning right on the spot.
    TurnRight,
    /// Along the arcs of the sticks in a zone.
    Arcs(Zone),
}

pub(crate) const SWEEPS: usize = 4 + Zone::AROUND.len();

impl Sweep {
    pub const ALL: [Self; SWEEPS] = [
        Self::Ahead,
        Self::Astern,
        Self::TurnLeft,
        Self::TurnRight,
        Self::Arcs(Zone::Front),
        Self::Arcs(Zone::FrontLeft),
        Self::Arcs(Zone::FrontRight),
        Self::Arcs(Zone::Left),
        Self::Arcs(Zone::Right),
        Self::Arcs(Zone::BackLeft),
        Self::Arcs(Zone::BackRight),
        Self::Arcs(Zone::Back),
    ];

    pub const fn index(self) -> usize {
        match self {
            Self::Ahead => 0,
            Self::Astern => 1,
            Self::TurnLeft => 2,
            Self::TurnRight => 3,
            Self::Arcs(zone) => 4 + zone as usize,
        }
    }

    /// The zone whose stop and slow distances apply.
    pub const fn zone(self) -> Zone {
        match self {
            Self::Ahead => Zone::Front,
            Self::Astern => Zone::Back,
            Self::TurnLeft => Zone::Left,
            Self::TurnRight => Zone::Right,
            Self::Arcs(zone) => zone,
        }
    }
}

/// The motions that the sticks of each zone request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sweeps {
    /// Every motion, with its sweep.
    pub motions: Vec<(Sweep, Motion)>,
    /// For each zone, in the order of the numbers.
    pub requested: [StickSigns; 8],
}

/// The signs of the parts of the sticks in one zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StickSigns {
    pub ahead: bool,
    pub astern: bool,
    pub left: bool,
    pub right: bool,
}

impl StickSigns {
    /// Whether a stick of the zone requests `sweep`; for an arc, whether it is that zone's own.
    pub fn holds(self, zone: Zone, sweep: Sweep) -> bool {
        match sweep {
            Sweep::Ahead => self.ahead,
            Sweep::Astern => self.astern,
            Sweep::TurnLeft => self.left,
            Sweep::TurnRight => self.right,
            Sweep::Arcs(of) => of == zone,
        }
    }
}

/// The number of sticks that represent a sector of the ring, both borders included.
const STICKS: usize = 7;

impl Sweeps {
    /// The motions of a vehicle whose velocities at full throw are `full`.
    pub fn new(boundaries: &Boundaries, full: FullSpeed) -> Self {
        let boundaries = &Boundaries { dead_zone: 0.0, ..*boundaries };
        let spot = |left| Motion::Turn { centre: 0.0, left };
        let mut motions = vec![
            (Sweep::Ahead, Motion::Ahead),
            (Sweep::Astern, Motion::Astern),
            (Sweep::TurnLeft, spot(true)),
            (Sweep::TurnRight, spot(false)),
        ];
        let mut requested = [StickSigns::default(); 8];
        let Boundaries { front, front_side, side_back, back, .. } = *boundaries;
        for (from, to) in
            [(0.0, front), (front, front_side), (front_side, side_back), (side_back, back), (back, 180.0)]
        {
            for side in [-1.0, 1.0] {
                let zone = boundaries.classify(stick(side * (from + to) / 2.0));
                for index in 0..STICKS {
                    let share = index as f64 / (STICKS - 1) as f64;
                    let stick = stick(side * (from + (to - from) * share));
                    // The sign of `left_right` is that of LUCI: right is positive.
                    let forward = stick.forward_back / 100.0 * full.linear;
                    let turn = -stick.left_right / 100.0 * full.angular;
                    if let Some(requested) = requested.get_mut(zone as usize) {
                        requested.ahead |= forward > NONE;
                        requested.astern |= forward < -NONE;
                        requested.left |= turn > NONE;
                        requested.right |= turn < -NONE;
                    }
                    if forward.abs() > NONE && turn.abs() > NONE {
                        let arc = Motion::Turn { centre: forward / turn, left: turn > 0.0 };
                        motions.push((Sweep::Arcs(zone), arc));
                    }
                }
            }
        }
        Self { motions, requested }
    }
}

/// Parts below this are rounding errors of a sine [m/s, rad/s].
const NONE: f64 = 1e-9;

/// The stick at full throw `degrees` to the right of straight ahead.
fn stick(degrees: f64) -> Stick {
    let (right, ahead) = degrees.to_radians().sin_cos();
    Stick { forward_back: 100.0 * ahead, left_right: 100.0 * right }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: FullSpeed = FullSpeed { linear: 1.0, angular: 1.0 };

    fn requested(zone: Zone) -> StickSigns {
        Sweeps::new(&Boundaries::default(), FULL).requested[zone as usize]
    }

    #[test]
    fn a_sweep_stands_at_its_index() {
        for (index, sweep) in Sweep::ALL.into_iter().enumerate() {
            assert_eq!(sweep.index(), index);
        }
    }

    #[test]
    fn each_zone_asks_for_the_motions_of_its_sticks() {
        let all = StickSigns { ahead: true, astern: true, left: true, right: true };
        assert_eq!(requested(Zone::Front), StickSigns { astern: false, ..all });
        assert_eq!(requested(Zone::Back), StickSigns { ahead: false, ..all });
        assert_eq!(requested(Zone::Left), StickSigns { right: false, ..all });
        assert_eq!(
            requested(Zone::FrontRight),
            StickSigns { ahead: true, right: true, ..StickSigns::default() }
        );
        // The stick back and to the left turns the heading left, and the tail goes to the rear right.
        assert_eq!(
            requested(Zone::BackRight),
            StickSigns { astern: true, left: true, ..StickSigns::default() }
        );
    }

    #[test]
    fn without_the_swap_the_rear_zones_change_places() {
        let plain = Boundaries { rear_swap: false, ..Boundaries::default() };
        let requested = Sweeps::new(&plain, FULL).requested;
        assert_eq!(
            requested[Zone::BackLeft as usize],
            StickSigns { astern: true, left: true, ..StickSigns::default() }
        );
    }

    #[test]
    fn the_radius_of_an_arc_is_speed_by_turning_rate() {
        // At 78.45 degrees to the left: 2 m/s · cos / (0.5 rad/s · sin) = 4 · 0.20445 = 0.8178 m to the left.
        let full = FullSpeed { linear: 2.0, angular: 0.5 };
        let found = Sweeps::new(&Boundaries::default(), full).motions.into_iter().any(|(sweep, motion)| {
            matches!((sweep, motion), (Sweep::Arcs(Zone::FrontLeft), Motion::Turn { centre, left: true })
                if (centre - 0.8178).abs() < 1e-3)
        });
        assert!(found);
    }
}
