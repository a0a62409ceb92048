use zones::{Boundaries, Reason, Scaling, Sector, Stick, Zone, ZoneScaler};

/// The content of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snapshot {
    /// The factors in force.
    pub scaling: Scaling,
    /// The boundaries of the zones; if they do not increase from front to back the default ones are drawn.
    pub boundaries: Boundaries,
    /// The requested stick; drawn within -100 to 100, NaN as 0.
    pub requested: Stick,
    /// The granted stick, drawn likewise.
    pub granted: Stick,
    /// The zone of `requested`.
    pub zone: Zone,
    /// The zone that reduced the stick.
    pub limited_by: Option<Zone>,
    /// The reason; also indicates whether the scaling is stale or missing.
    pub reason: Reason,
}

impl Snapshot {
    /// The result of `scaler` for its most important channel, as of its last call.
    pub fn of(scaler: &ZoneScaler) -> Self {
        let applied = scaler.active();
        Self {
            scaling: *scaler.scaling(),
            boundaries: scaler.params().boundaries,
            requested: applied.requested,
            granted: Stick::new(applied.forward_back.into(), applied.left_right.into()),
            zone: applied.zone,
            limited_by: applied.limited_by,
            reason: applied.reason,
        }
    }

    /// The sector of `zone`; always of finite numbers.
    pub fn sector(&self, zone: Zone) -> Sector {
        let Boundaries { front, front_side, side_back, back, .. } = self.boundaries;
        // Written in this way NaN counts as not in order.
        let in_order =
            0.0 < front && front < front_side && front_side < side_back && side_back < back && back < 180.0;
        let default = Boundaries { rear_swap: self.boundaries.rear_swap, ..Boundaries::default() };
        let boundaries = if in_order { self.boundaries } else { default };
        boundaries.sector(zone).unwrap_or(Sector { from: 0.0, to: 0.0 })
    }

    /// Requested and granted stick, cut to the drawable range.
    pub fn sticks(&self) -> [Stick; 2] {
        [self.requested, self.granted].map(|stick| Stick::new(stick.forward_back, stick.left_right))
    }

    /// The limiting zone, as text.
    pub fn limit(&self) -> String {
        match (self.limited_by, self.reason) {
            (Some(zone), _) => format!("{zone} limits"),
            (None, Reason::ScalingStale | Reason::ScalingMissing | Reason::ScalingConflict) => {
                "the zones are not known".into()
            }
            (None, _) => "no zone limits".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use safety::{Instant, Machine};
    use zones::{Input, Joystick, Params};

    use super::*;

    #[test]
    fn it_is_what_the_scaler_has_done() {
        let mut scaler = ZoneScaler::new(Params::default());
        let mut fields = [1.0; 16];
        fields[0] = 0.5;
        scaler.handle(Instant::ZERO, Input::ScalingReceived(fields));
        let joystick = Joystick { forward_back: 90, left_right: -9, joystick_zone: 0, input_source: 4 };
        scaler.handle(Instant::ZERO, Input::JoystickReceived(joystick));
        let snapshot = Snapshot::of(&scaler);
        let expected = Snapshot {
            scaling: Scaling::from_fields(&fields).0,
            boundaries: Boundaries::default(),
            requested: Stick { forward_back: 90.0, left_right: -9.0 },
            granted: Stick { forward_back: 50.0, left_right: -9.0 },
            zone: Zone::Front,
            limited_by: Some(Zone::Front),
            reason: Reason::Scaled,
        };
        assert_eq!(snapshot, expected);
        assert_eq!(snapshot.limit(), "front limits");
        let nothing = Snapshot { limited_by: None, ..snapshot };
        assert_eq!(nothing.limit(), "no zone limits");
        assert_eq!(Snapshot { reason: Reason::ScalingStale, ..nothing }.limit(), "the zones are not known");
    }

    #[test]
    fn boundaries_without_order_are_drawn_as_the_default_ones() {
        let good = Snapshot::of(&ZoneScaler::new(Params::default()));
        let default = Boundaries::default();
        for boundaries in [
            Boundaries { front: f64::NAN, ..default },
            Boundaries { side_back: f64::INFINITY, ..default },
            Boundaries { front_side: 1.0, ..default },
            Boundaries { back: 181.0, ..default },
        ] {
            let bad = Snapshot { boundaries, ..good };
            assert!(Zone::AROUND.into_iter().all(|zone| bad.sector(zone) == good.sector(zone)));
        }
        let moved = Snapshot { boundaries: Boundaries { front: 20.0, ..default }, ..good };
        assert_eq!(moved.sector(Zone::Front), Sector { from: -20.0, to: 20.0 });
    }
}
