use chair::Source;
use safety::Instant;
use zones::{Boundaries, Factors, Mode, Scaling, Stick, Zone, scale};

use crate::{JoystickScaling, Params};

/// The source that drives the chair, and its limits by LUCI.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drive {
    pub source: Source,
    /// The occupant's stick, -100 to 100 \[percent\].
    pub stick: (i32, i32),
    /// The last remote joystick accepted in this mode, and its time.
    remote: Option<((i32, i32), Instant)>,
    pub scaling: Scaling,
    /// The fields of the scaling.
    pub fields: [f32; 16],
    pub override_until: Option<Instant>,
    /// Where one zone ends and the next begins, as LUCI publishes it.
    boundaries: Boundaries,
}

/// The driving stick at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Driven {
    pub scaling: JoystickScaling,
    pub is_braked: bool,
}

impl Drive {
    pub fn new() -> Self {
        Self {
            source: Source::ChairPhysical,
            stick: (0, 0),
            remote: None,
            scaling: Scaling::from_fields(&[1.0; 16]).0,
            fields: [1.0; 16],
            override_until: None,
            boundaries: Boundaries::default(),
        }
    }

    /// Another source drives from now on; earlier remote joysticks no longer count.
    pub fn hand_to(&mut self, source: Source) {
        if source != self.source {
            self.source = source;
            self.remote = None;
        }
    }

    /// Centres the occupant's stick and forgets the remote joystick.
    pub fn centre(&mut self) {
        (self.stick, self.remote) = ((0, 0), None);
    }

    /// Receives a remote joystick; `false` if it was ignored.
    ///
    /// A source unknown to LUCI's node is forwarded as that of the chair itself. The zone is not forwarded.
    pub fn receive(&mut self, now: Instant, fields: zones::Joystick) -> bool {
        let source = Source::numbered(fields.input_source).unwrap_or(Source::ChairVirtual);
        let is_accepted = self.is_remote() && source == self.source;
        if is_accepted {
            let part = |value: i32| value.clamp(-100, 100);
            self.remote = Some(((part(fields.forward_back), part(fields.left_right)), now));
        }
        is_accepted
    }

    pub fn is_remote(&self) -> bool {
        matches!(self.source, Source::AutonomousRemote | Source::SharedRemote)
    }

    /// The driving stick at `now`.
    pub fn driven(&self, now: Instant, params: &Params) -> Driven {
        let fresh = self.remote.filter(|&(_, at)| now < at + params.remote_timeout).map(|(stick, _)| stick);
        let (stick, is_braked) = match fresh {
            _ if !self.is_remote() => (self.stick, false),
            Some(stick) => (stick, false),
            None => ((0, 0), true),
        };
        let input = Stick { forward_back: stick.0.into(), left_right: stick.1.into() };
        let zone = self.boundaries.classify(input);
        let factors = match self.override_until {
            Some(until) if now < until && zone != Zone::Origin => Factors::ALL,
            _ => self.scaling.of(zone),
        };
        let output = scale(Mode::Limit, input, factors);
        Driven {
            scaling: JoystickScaling {
                joystick: zones::Joystick {
                    // Both parts are within ±100, and `as` rounds toward zero.
                    forward_back: output.forward_back as i32,
                    left_right: output.left_right as i32,
                    joystick_zone: zone.number(),
                    input_source: self.source.number(),
                },
                forward_back_scaling: factors.forward_back.get() as f32,
                left_right_scaling: factors.left_right.get() as f32,
            },
            is_braked,
        }
    }

    /// The occupant's stick as published, `None` if it is not.
    pub fn position(&self, params: &Params) -> Option<zones::Joystick> {
        let (forward_back, left_right) = self.stick;
        let stick = Stick { forward_back: forward_back.into(), left_right: left_right.into() };
        (self.source != Source::AutonomousRemote).then(|| zones::Joystick {
            forward_back,
            left_right,
            joystick_zone: self.boundaries.classify(stick).number(),
            input_source: if params.position_is_physical { Source::ChairPhysical } else { self.source }
                .number(),
        })
    }
}
