use safety::Instant;

use crate::feedback::Predicted;
use crate::scale::keep_direction_but_turn_away;
use crate::sensed::Sensed;
use crate::{
    Applied, Channel, Factors, HeldZones, Operation, Params, Reason, Scaling, Stick, Zone, scale,
    scale_keeping_direction,
};

/// The result of scaling a stick, and its reason.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decision {
    pub input: Stick,
    pub output: Stick,
    /// The zone of the input.
    pub zone: Zone,
    /// The zone whose factor reduced the input, if a scaling is in force.
    pub limited_by: Option<Zone>,
    /// The factors that bound the output.
    pub factors: Factors,
    pub reason: Reason,
}

/// Scales `input` by `params` and the surroundings; `held` are the zones held before.
///
/// Each part is at most what the factors of the input's own zone allow.
pub(crate) fn decide(params: &Params, sensed: &Sensed, held: &mut HeldZones, input: Stick) -> Decision {
    let zone = held.follow(&params.boundaries, input);
    if params.operation == Operation::Passthrough {
        let (limited_by, factors, reason) = (None, Factors::ALL, Reason::PassedThrough);
        return Decision { input, output: input, zone, limited_by, factors, reason };
    }
    let scaling = sensed.in_force();
    let way_out = sensed.reason() == Reason::Scaled;
    // The zones ahead limit neither a turn in place nor reversing.
    let held_now = if way_out && !zone.is_ahead() { held.without_ahead() } else { *held };
    let factors = held_now.factors(scaling);
    let mode = params.scaling;
    let (output, bounds) = if !params.keep_direction {
        (scale(mode, input, factors), factors)
    } else if way_out && zone.is_ahead() {
        let side = if input.left_right > 0.0 { Zone::Right } else { Zone::Left };
        keep_direction_but_turn_away(mode, input, factors, scaling.of(side).left_right)
    } else {
        (scale_keeping_direction(mode, input, factors), factors.smaller())
    };
    let reason = match sensed.reason() {
        Reason::Scaled if params.operation == Operation::Predict => Reason::Predicted,
        reason => reason,
    };
    let limited_by = limiting(held_now, zone, scaling, params.keep_direction, input, output)
        .filter(|_| sensed.reason() == Reason::Scaled);
    Decision { input, output, zone, limited_by, factors: bounds, reason }
}

/// The held zone that reduced most, by the forward part if that was cut; the stick's own zone if several are equal.
fn limiting(
    held: HeldZones,
    own: Zone,
    scaling: &Scaling,
    keep_direction: bool,
    input: Stick,
    output: Stick,
) -> Option<Zone> {
    let forward = output.forward_back != input.forward_back;
    if !forward && output.left_right == input.left_right {
        return None;
    }
    let factor = |zone| match scaling.of(zone) {
        factors if keep_direction => factors.smaller().forward_back,
        factors if forward => factors.forward_back,
        factors => factors.left_right,
    };
    held.zones().reduce(|least, zone| {
        let less = factor(zone) < factor(least) || (factor(zone) == factor(least) && zone == own);
        if less { zone } else { least }
    })
}

/// The state of one channel: its request and the result.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Why no request is in force.
    pub absent: Reason,
    /// When the next zero is due; `None` while a request is in force, and on a silent channel before its first
    /// message.
    pub next_zero: Option<Instant>,
    /// Whether a new request was not published yet.
    pub is_new: bool,
    pub applied: Applied,
    held: HeldZones,
    pub predicted: Predicted,
}

impl Request {
    pub(crate) fn new(channel: Channel, source: i32, next_zero: Option<Instant>) -> Self {
        Self {
            absent: Reason::CommandStale,
            next_zero,
            is_new: false,
            applied: Applied::stop(Reason::CommandStale, channel, source),
            held: HeldZones::NONE,
            predicted: Predicted::default(),
        }
    }

    pub(crate) fn lose(&mut self, reason: Reason) {
        self.absent = reason;
        self.held = HeldZones::NONE;
    }

    /// The scaled `stick`, exact and as published.
    pub(crate) fn judge(
        &mut self,
        params: &Params,
        sensed: &Sensed,
        stick: Stick,
        source: i32,
    ) -> (Stick, Applied) {
        let decision = decide(params, sensed, &mut self.held, stick);
        (decision.output, Applied::new(&decision, self.applied.channel, source))
    }

    pub(crate) fn record(&mut self, now: Instant, applied: Applied) {
        self.is_new = false;
        self.applied = applied;
        self.predicted.record(now, &applied);
    }
}

#[cfg(test)]
mod tests {
    use safety::{Clock, Instant, Scale};

    use super::*;
    use crate::Boundaries;

    /// Factors of 1, except for one zone by the index of its first field.
    fn sensed(params: &Params, first: usize, pair: [f32; 2]) -> Sensed {
        let mut fields = [1.0; 16];
        fields[first..first + 2].copy_from_slice(&pair);
        let mut sensed = Sensed::new();
        let clock = Clock::default();
        assert!(sensed.receive(&clock, Scaling::from_fields(&fields).0, params.scaling_timeout));
        sensed.advance(Instant::ZERO, params, true);
        sensed
    }

    fn stick(forward_back: f64, left_right: f64) -> Stick {
        Stick { forward_back, left_right }
    }

    fn hysteresis() -> Params {
        Params { boundaries: Boundaries { hysteresis: 5.0, ..Boundaries::default() }, ..Params::default() }
    }

    #[test]
    fn the_zone_that_reduced_the_stick_is_named() {
        let params = hysteresis();
        let front = sensed(&params, 0, [0.5, 0.0]);
        let mut held = HeldZones::NONE;
        let decision = decide(&params, &front, &mut held, stick(100.0, 0.0));
        assert_eq!((decision.output, decision.limited_by), (stick(50.0, 0.0), Some(Zone::Front)));
        // 40 of a limit of 50, and nothing to turn.
        let decision = decide(&params, &front, &mut held, stick(40.0, 0.0));
        assert_eq!((decision.output, decision.limited_by), (stick(40.0, 0.0), None));
        // atan2(25, 100) = 14.04 degrees: front right, but front is held until 18.7.
        let decision = decide(&params, &front, &mut held, stick(100.0, 25.0));
        assert_eq!((decision.zone, decision.limited_by), (Zone::FrontRight, Some(Zone::Front)));
        assert_eq!(decision.output, stick(50.0, 0.0));
        let decision = decide(&params, &front, &mut held, stick(100.0, 40.0));
        assert_eq!((decision.output, decision.limited_by), (stick(100.0, 40.0), None));
    }

    #[test]
    fn the_zone_named_is_the_one_with_the_least_factor_of_the_part_that_was_cut() {
        // Front leaves more of the turn and less of forward than front right, which is the stick's own zone: 14.04 degrees.
        let mut fields = [1.0; 16];
        fields[..4].copy_from_slice(&[0.5, 0.875, 0.75, 0.0625]);
        let named = |params: &Params, forward_back, left_right| {
            let mut sensed = Sensed::new();
            let scaling = Scaling::from_fields(&fields).0;
            assert!(sensed.receive(&Clock::default(), scaling, params.scaling_timeout));
            sensed.advance(Instant::ZERO, params, true);
            let mut held = HeldZones::NONE;
            decide(params, &sensed, &mut held, stick(100.0, 0.0));
            decide(params, &sensed, &mut held, stick(forward_back, left_right)).limited_by
        };
        let params = hysteresis();
        assert_eq!(named(&params, 100.0, 25.0), Some(Zone::Front), "forward was cut to 50");
        assert_eq!(named(&params, 40.0, 10.0), Some(Zone::FrontRight), "the turn alone was cut, to 6.25");
        let keeping = Params { keep_direction: true, ..params };
        assert_eq!(named(&keeping, 100.0, 25.0), Some(Zone::FrontRight), "its smaller factor served both");
    }

    #[test]
    fn the_own_zone_is_named_where_both_took_the_same() {
        let params = hysteresis();
        let mut sensed = Sensed::new();
        let clock = Clock::default();
        assert!(sensed.receive(&clock, Scaling::uniform(Scale::ZERO), params.scaling_timeout));
        sensed.advance(Instant::ZERO, &params, true);
        for (first, then, own) in [(0.0, 25.0, Zone::FrontRight), (40.0, 24.0, Zone::Front)] {
            let mut held = HeldZones::NONE;
            decide(&params, &sensed, &mut held, stick(100.0, first));
            let decision = decide(&params, &sensed, &mut held, stick(100.0, then));
            assert_eq!((decision.zone, decision.limited_by), (own, Some(own)));
        }
    }

    #[test]
    fn a_turn_in_place_is_not_held_by_what_lies_ahead() {
        // Front right, first field 2, is blocked. atan2(100, 20) = 78.7 degrees is right, 0.2 degrees past it.
        let params = hysteresis();
        let blocked = sensed(&params, 2, [0.0, 0.0]);
        let mut held = HeldZones::NONE;
        decide(&params, &blocked, &mut held, stick(30.0, 100.0));
        assert_eq!(decide(&params, &blocked, &mut held, stick(20.0, 100.0)).output, stick(20.0, 100.0));
    }

    #[test]
    fn a_side_blocked_beside_a_way_back_still_holds() {
        // Right, first field 6, is blocked. atan2(100, -21) = 101.9 degrees is behind it by 0.3 degrees.
        let params = hysteresis();
        let blocked = sensed(&params, 6, [0.0, 0.0]);
        let mut held = HeldZones::NONE;
        decide(&params, &blocked, &mut held, stick(0.0, 100.0));
        let decision = decide(&params, &blocked, &mut held, stick(-21.0, 100.0));
        assert_eq!((decision.zone, decision.output), (Zone::BackLeft, stick(0.0, 0.0)));
    }

    #[test]
    fn no_zone_is_named_while_none_is_known() {
        let params = Params::default();
        let (sensed, mut held) = (Sensed::new(), HeldZones::NONE);
        let decision = decide(&params, &sensed, &mut held, stick(100.0, 0.0));
        assert_eq!((decision.output, decision.limited_by), (stick(0.0, 0.0), None));
    }
}
