use safety::Velocity;
use zones::{Scaling, Zone};

use crate::sweeps::{SWEEPS, StickSigns, Sweep};
use crate::table::{FAR, Reach};
use crate::{Params, sweeps};

/// The limits of a factor, as lengths \[m\] or times \[s\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distances {
    /// At this value and below, the factor is 0.
    pub stop: f64,
    /// At this value and above, the factor is 1; linear between; greater than `stop`.
    pub slow: f64,
}

impl Distances {
    /// The factor at `distance`; 0 for NaN.
    fn factor(self, distance: f64) -> f64 {
        if distance >= self.slow {
            return 1.0;
        }
        let factor = (distance - self.stop) / (self.slow - self.stop);
        if factor.is_nan() { 0.0 } else { factor.clamp(0.0, 1.0) }
    }
}

/// The velocity of the vehicle, for the time to a collision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pace {
    /// The time to a collision is not used.
    Unused,
    /// The velocity is known.
    Known(Velocity),
    /// The velocity is required but missing: full throw in all directions is assumed.
    Lost,
}

/// Computes the scaling from the reach of the sweeps; see the table of the [crate](crate).
pub(crate) fn scaling(reach: &Reach, requested: &[StickSigns; 8], params: &Params, pace: Pace) -> Scaling {
    let mut left = [0.0; SWEEPS];
    for ((left, sweep), &travel) in left.iter_mut().zip(Sweep::ALL).zip(reach) {
        *left = if travel == FAR {
            1.0
        } else {
            factor(f64::from(travel) / 1000.0, sweep, requested, params, pace)
        };
    }
    let least = |zone: Zone, of: fn(Zone, Sweep) -> bool| {
        let requested = requested.get(zone as usize).copied().unwrap_or_default();
        let looked_at = Sweep::ALL
            .into_iter()
            .zip(left)
            .filter(|&(sweep, _)| requested.holds(zone, sweep) && of(zone, sweep));
        looked_at.map(|(_, left)| left).fold(1.0, f64::min)
    };
    let mut fields = [0.0; 16];
    for (zone, pair) in Scaling::FIELD_ORDER.into_iter().zip(fields.as_chunks_mut::<2>().0) {
        *pair = [least(zone, moves) as f32, least(zone, turns) as f32];
    }
    Scaling::from_fields(&fields).0
}

/// Whether the factor of forward and back depends on `sweep`: straight motions, and arcs unless the stick requests
/// little turning, which the other factor can remove.
fn moves(zone: Zone, sweep: Sweep) -> bool {
    match sweep {
        Sweep::Ahead | Sweep::Astern => true,
        Sweep::TurnLeft | Sweep::TurnRight => false,
        Sweep::Arcs(_) => !matches!(zone, Zone::Front | Zone::Back),
    }
}

/// Whether the factor of left and right depends on `sweep`: turns on the spot, and arcs unless the stick requests
/// little motion, which the other factor can remove.
fn turns(zone: Zone, sweep: Sweep) -> bool {
    match sweep {
        Sweep::Ahead | Sweep::Astern => false,
        Sweep::TurnLeft | Sweep::TurnRight => true,
        Sweep::Arcs(_) => !matches!(zone, Zone::Left | Zone::Right),
    }
}

fn factor(travel: f64, sweep: Sweep, requested: &[StickSigns; 8], params: &Params, pace: Pace) -> f64 {
    let by_distance = params.distances_of(sweep.zone()).factor(travel);
    let speed = match pace {
        Pace::Unused => return by_distance,
        Pace::Known(velocity) => speed(velocity.forward(), velocity.turn(), sweep, requested, params),
        Pace::Lost => {
            let full = params.full_speed;
            let both = [1.0, -1.0]
                .map(|sign| speed(sign * full.linear, sign * full.angular, sweep, requested, params));
            let mixed = [1.0, -1.0]
                .map(|sign| speed(sign * full.linear, -sign * full.angular, sweep, requested, params));
            both.into_iter().chain(mixed).fold(0.0, f64::max)
        }
    };
    if speed > 0.0 { by_distance.min(params.collision_time.factor(travel / speed)) } else { by_distance }
}

/// The maximum speed of any part of the outline along `sweep` \[m/s\].
fn speed(forward: f64, turn: f64, sweep: Sweep, requested: &[StickSigns; 8], params: &Params) -> f64 {
    let requested = match sweep {
        Sweep::Ahead => sweeps::StickSigns { ahead: true, ..StickSigns::default() },
        Sweep::Astern => StickSigns { astern: true, ..StickSigns::default() },
        Sweep::TurnLeft => StickSigns { left: true, ..StickSigns::default() },
        Sweep::TurnRight => StickSigns { right: true, ..StickSigns::default() },
        Sweep::Arcs(zone) => requested.get(zone as usize).copied().unwrap_or_default(),
    };
    let part = |is_asked: bool, speed: f64| if is_asked { speed.max(0.0) } else { 0.0 };
    part(requested.ahead, forward)
        + part(requested.astern, -forward)
        + (part(requested.left, turn) + part(requested.right, -turn)) * params.footprint.corner()
}

#[cfg(test)]
mod tests {
    use safety::Scale;
    use zones::{Boundaries, FullSpeed};

    use super::*;
    use crate::sweeps::Sweeps;
    use crate::table::FREE;

    fn requested() -> [StickSigns; 8] {
        Sweeps::new(&Boundaries::default(), FullSpeed { linear: 1.0, angular: 1.0 }).requested
    }

    fn only(sweep: Sweep, travel: i16) -> Reach {
        let mut reach = FREE;
        reach[sweep.index()] = travel;
        reach
    }

    /// The names of the factors that `sweep` lowers on contact.
    fn lowered(sweep: Sweep) -> Vec<String> {
        let scaling = scaling(&only(sweep, 0), &requested(), &Params::default(), Pace::Unused);
        let mut names = Vec::new();
        for zone in Zone::AROUND {
            let factors = scaling.of(zone);
            for (part, factor) in [("fb", factors.forward_back), ("rl", factors.left_right)] {
                assert!(factor == Scale::ZERO || factor == Scale::ONE);
                if factor == Scale::ZERO {
                    names.push(format!("{zone} {part}"));
                }
            }
        }
        names
    }

    #[test]
    fn each_sweep_lowers_the_factors_that_look_at_it() {
        assert_eq!(
            lowered(Sweep::Ahead),
            ["front fb", "front left fb", "front right fb", "left fb", "right fb"]
        );
        assert_eq!(
            lowered(Sweep::Astern),
            ["left fb", "right fb", "back left fb", "back right fb", "back fb"]
        );
        // A stick back and left (back right, by the swap) turns left as well.
        assert_eq!(
            lowered(Sweep::TurnLeft),
            ["front rl", "front left rl", "left rl", "back right rl", "back rl"]
        );
        assert_eq!(
            lowered(Sweep::TurnRight),
            ["front rl", "front right rl", "right rl", "back left rl", "back rl"]
        );
        assert_eq!(lowered(Sweep::Arcs(Zone::Front)), ["front rl"]);
        assert_eq!(lowered(Sweep::Arcs(Zone::Left)), ["left fb"]);
        assert_eq!(lowered(Sweep::Arcs(Zone::BackLeft)), ["back left fb", "back left rl"]);
    }

    #[test]
    fn a_factor_is_linear_from_stop_to_slow() {
        let front = |travel| {
            let reach = only(Sweep::Ahead, travel);
            scaling(&reach, &requested(), &Params::default(), Pace::Unused).of(Zone::Front).forward_back.get()
        };
        // 0.3 to 1.5 m: (0.9 - 0.3) / 1.2 = 0.5, (0.6 - 0.3) / 1.2 = 0.25.
        let expected = [(0, 0.0), (300, 0.0), (600, 0.25), (900, 0.5), (1500, 1.0), (2999, 1.0), (FAR, 1.0)];
        for (travel, expected) in expected {
            assert!((front(travel) - expected).abs() < 1e-6, "{travel}: {}", front(travel));
        }
    }

    #[test]
    fn time_to_collision_counts_in_the_way_that_the_vehicle_goes() {
        let factor = |sweep: Sweep, travel, forward, turn| {
            let pace = Pace::Known(Velocity::planar(forward, turn).unwrap());
            super::factor(travel, sweep, &requested(), &Params::default(), pace)
        };
        let near = |got: f64, expected: f64| assert!((got - expected).abs() < 1e-9, "{got}, not {expected}");
        // 2 m at 1.6 m/s are 1.25 s: (1.25 - 0.5) / 1.5 = 0.5, where the distance alone would leave all.
        near(factor(Sweep::Ahead, 2.0, 1.6, 0.0), 0.5);
        near(factor(Sweep::Ahead, 2.0, -1.6, 0.0), 1.0);
        near(factor(Sweep::Astern, 2.0, -1.6, 0.0), 0.5);
        near(factor(Sweep::Ahead, 2.0, 1.0, 9.0), 1.0);
        // The farthest corner is sqrt(0.6² + 0.35²) = 0.69462 m away: at 1 rad/s 0.69462 m take 1 s, (1 - 0.5) / 1.5.
        near(factor(Sweep::TurnLeft, 0.6f64.hypot(0.35), 0.0, 1.0), 1.0 / 3.0);
        near(factor(Sweep::TurnLeft, 0.6f64.hypot(0.35), 0.0, -1.0), 1.0);
        // An arc adds both: 0.8 + 0.69462 · 0.5 m/s.
        near(factor(Sweep::Arcs(Zone::FrontLeft), 0.8 + 0.6f64.hypot(0.35) / 2.0, 0.8, 0.5), 1.0 / 3.0);
        // Distance and time: the smaller factor. (0.6 - 0.3) / 1.2 = 0.25; 0.6 m at 0.1 m/s are 6 s.
        near(factor(Sweep::Ahead, 0.6, 0.1, 0.0), 0.25);
    }

    #[test]
    fn a_lost_velocity_is_full_throw_in_every_way() {
        let params = Params::default();
        for sweep in Sweep::ALL {
            let lost = super::factor(1.2, sweep, &requested(), &params, Pace::Lost);
            for (forward, turn) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                let known = Pace::Known(Velocity::planar(forward, turn).unwrap());
                assert!(lost <= super::factor(1.2, sweep, &requested(), &params, known), "{sweep:?}");
            }
            assert!(lost < 1.0);
        }
    }
}
