use super::Setpoint;

/// How the infra-red sensors limit a setpoint.
///
/// A pair is bad if one of its fitted sensors blocks. With no bad pair the gate is open. Without the direction policy any
/// bad pair closes it. With the policy:
///
/// 1. both pairs bad: closed for every setpoint;
/// 2. one pair bad: the way out is straight away from it. The gate is closed if a wheel still turns toward the bad pair, if
///    the setpoint leads toward it, or if the setpoint is a turn (its angular part is larger than its linear part). A setpoint
///    that moves no wheel does not close it. Any other setpoint leads away and passes **without its turn**, which would
///    swing a corner of the vehicle toward the obstacle.
///
/// So a stick that is not pulled back quite straight still leads away. Standing still before an obstacle is not a stop;
/// otherwise the zero that motion begins with could never be sent there.
/// # Source
/// own: the original (hindbrain, Bravo 2016) ignored the direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// The setpoint passes.
    Open,
    /// Only the setpoint's straight part passes.
    Straight,
    /// Nothing passes: the stop of the infra-red sensors.
    Closed,
}

impl Gate {
    /// The gate for `setpoint` of a vehicle whose wheels have `levels`.
    /// * `front`, `back`: whether that pair is bad
    /// * `rests`: whether `setpoint` moves no wheel
    /// * `policy`: whether the direction policy applies
    pub fn new(
        [front, back]: [bool; 2],
        setpoint: Setpoint,
        rests: bool,
        levels: [i16; 2],
        policy: bool,
    ) -> Self {
        let way_out = match (front, back) {
            (false, false) => return Self::Open,
            (true, false) if policy => -1,
            (false, true) if policy => 1_i16,
            _ => return Self::Closed,
        };
        let approaching = levels.iter().any(|level| level.signum() == -way_out);
        let turning = setpoint.angular().abs() > setpoint.linear().abs();
        if approaching || !rests && (turning || setpoint.linear().signum() != i32::from(way_out)) {
            Self::Closed
        } else {
            Self::Straight
        }
    }

    /// The part of `setpoint` that passes.
    pub fn pass(self, setpoint: Setpoint) -> Setpoint {
        match self {
            Self::Open => setpoint,
            Self::Straight => setpoint.straight(),
            Self::Closed => Setpoint::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::CoreParams;
    use super::*;

    const FRONT: [bool; 2] = [true, false];
    const BACK: [bool; 2] = [false, true];
    const BOTH: [bool; 2] = [true, true];

    fn gate(bad: [bool; 2], linear: i32, angular: i32) -> Gate {
        moving(bad, linear, angular, [0, 0])
    }

    fn moving(bad: [bool; 2], linear: i32, angular: i32, levels: [i16; 2]) -> Gate {
        let setpoint = Setpoint::new(linear * 1_000, angular * 1_000);
        Gate::new(bad, setpoint, CoreParams::default().targets(setpoint) == [0, 0], levels, true)
    }

    #[test]
    fn the_front_closes_forward_and_the_back_reverse() {
        assert_eq!(gate(FRONT, 500, 0), Gate::Closed);
        assert_eq!(gate(FRONT, -500, 0), Gate::Straight);
        assert_eq!(gate(BACK, -500, 0), Gate::Closed);
        assert_eq!(gate(BACK, 500, 0), Gate::Straight);
        assert_eq!(gate([false, false], 500, 500), Gate::Open);
    }

    #[test]
    fn any_pair_closes_turns() {
        for bad in [FRONT, BACK, BOTH] {
            for linear in [-499, 0, 499] {
                assert_eq!(gate(bad, linear, 500), Gate::Closed);
                assert_eq!(gate(bad, linear, -500), Gate::Closed);
            }
        }
    }

    #[test]
    fn the_way_out_loses_its_turn() {
        let setpoint = Setpoint::new(-500, 500);
        assert_eq!(gate(FRONT, -500, 500).pass(setpoint), Setpoint::new(-500, 0));
    }

    #[test]
    fn at_rest_the_gate_closes_only_between_two_bad_pairs() {
        assert_eq!(gate(FRONT, 0, 0), Gate::Straight);
        assert_eq!(gate(BACK, 0, 0), Gate::Straight);
        assert_eq!(gate(BOTH, 0, 0), Gate::Closed);
        // 15 thousandths are 0.99 counts: no wheel moves.
        assert_eq!(gate(FRONT, 15, 0), Gate::Straight);
    }

    #[test]
    fn rolling_toward_a_bad_pair_closes_for_any_setpoint() {
        for (bad, levels) in [(FRONT, [1, 0]), (FRONT, [-5, 5]), (BACK, [0, -1]), (BACK, [5, -5])] {
            for linear in [-500, 0, 500] {
                let gate = moving(bad, linear, 0, levels);
                assert_eq!(gate, Gate::Closed, "{bad:?} {levels:?} {linear}");
            }
        }
        assert_eq!(moving(FRONT, -500, 0, [-9, -20]), Gate::Straight);
    }

    #[test]
    fn without_the_policy_any_pair_closes_all() {
        for bad in [FRONT, BACK, BOTH] {
            for linear in [-500, 0, 500] {
                assert_eq!(
                    Gate::new(bad, Setpoint::new(linear, 0), linear == 0, [0, 0], false),
                    Gate::Closed
                );
            }
        }
    }
}
