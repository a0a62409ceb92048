use safety::Level;

use crate::{Applied, Deviation, Factors, Reason, Zone, ZoneScaler, explain};

/// Counts since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Received commands, invalid ones included.
    pub commands: u64,
    /// Invalid commands.
    pub invalid_commands: u64,
    /// How often a command was lost by silence and replaced by a zero.
    pub lost_commands: u64,
    /// Commands with an older stamp than the one in force, which were ignored; a stop never is.
    pub late_commands: u64,
    /// Commands whose stamps or receipt were too old.
    pub old_commands: u64,
    /// Commands stamped ahead of this clock.
    pub future_commands: u64,
    /// Commands with motion before the zero that is required after a loss.
    pub held_commands: u64,
    /// Commands with parts other than forward and turn within a zero, which were set to zero; a greater part is invalid.
    pub dropped_parts: u64,
    /// Commands that were cut to full throw.
    pub cut: u64,
    /// Received `LuciJoystick` messages.
    pub joysticks: u64,
    /// How often they were lost by silence and a zero was reported.
    pub lost_joysticks: u64,
    /// Their fields outside of -100 to 100, which were cut.
    pub cut_fields: u64,
    /// Messages whose `joystick_zone` is not the zone of the stick.
    pub other_zones: u64,
    /// Messages whose `input_source` is none of LUCI's; the parameter was used instead.
    pub unknown_sources: u64,
    /// Received scalings.
    pub scalings: u64,
    /// Scalings that may have waited unread for too long.
    pub old_scalings: u64,
    /// Fields of scalings that were not a factor and counted as 0.
    pub invalid_factors: u64,
    /// Feedback messages received from the chair.
    pub feedbacks: u64,
    /// Feedback messages with an invalid field, which were ignored.
    pub invalid_feedbacks: u64,
    /// Feedback messages about a source without a prediction.
    pub uncompared: u64,
    /// Feedback messages that deviated too far from the prediction.
    pub deviations: u64,
    /// Outputs that were dropped because they were not polled: a fault of the caller.
    pub dropped: u64,
}

impl ZoneScaler {
    /// The health of the node and the reason, as of the last call.
    ///
    /// It describes the velocity channel, unless only `LuciJoystick` messages arrive.
    pub fn health(&self) -> (Level, String) {
        let reason = self.active().reason;
        let level = match reason {
            Reason::Scaled | Reason::Predicted | Reason::PassedThrough => Level::Ok,
            Reason::ScalingStale
            | Reason::ScalingMissing
            | Reason::ScalingConflict
            | Reason::CommandConflict
            | Reason::ProfileUnknown
            | Reason::CommandUnjudged
            | Reason::CommandInvalid => Level::Error,
            Reason::CommandStale => Level::Stale,
            Reason::WaitsForZero | Reason::Stopping => Level::Warn,
        };
        match (reason, self.stale) {
            (Reason::CommandStale | Reason::WaitsForZero, Some(stale)) => {
                return (Level::Error, format!("{reason}: the last one {}", explain(stale)));
            }
            (Reason::CommandUnjudged, _) => {
                let why = self.last_invalid.map_or(String::new(), |invalid| format!(": {invalid}"));
                return (level, format!("{reason}{why}; mode passthrough carries it unjudged"));
            }
            (Reason::Scaled | Reason::Predicted, _) if self.blocked().count() == Zone::AROUND.len() => {
                let text =
                    "every zone is blocked by the publisher of luci/scaling, whose status gives the reason";
                return (Level::Warn, text.into());
            }
            _ => {}
        }
        if level == Level::Ok && self.invalid_factors {
            let text = "the last scaling held values that are not factors; they count as 0";
            return (Level::Warn, text.into());
        }
        match self.deviation {
            Some(deviation) if level == Level::Ok => (Level::Warn, text(deviation)),
            _ => (level, reason.to_string()),
        }
    }

    /// The zones that the last scaling blocks completely.
    fn blocked(&self) -> impl Iterator<Item = Zone> {
        let scaling = self.sensed.received();
        Zone::AROUND.into_iter().filter(move |&zone| scaling.is_some_and(|s| s.of(zone) == Factors::NONE))
    }

    /// The result for the most important channel: the velocity, or the `LuciJoystick` while only that arrives.
    pub fn active(&self) -> &Applied {
        let silent = self.commands.command().is_none() && self.velocity.absent == Reason::CommandStale;
        if silent && self.joystick_setpoint.is_some() {
            &self.joystick.applied
        } else {
            &self.velocity.applied
        }
    }

    /// Keys and values for `/diagnostics`.
    pub fn report(&self) -> Vec<(&'static str, String)> {
        let mut report = about(self.active()).to_vec();
        let blocked: Vec<String> = self.blocked().map(|zone| zone.to_string()).collect();
        report.push(("blocked zones", if blocked.is_empty() { "none".into() } else { blocked.join(", ") }));
        if !self.params.profiles.is_empty() {
            report.push((
                "chair profile",
                self.profile.number().map_or("not reported".into(), |number| number.to_string()),
            ));
        }
        if let Some(stale) = self.stale {
            report.push(("last stale command", explain(stale)));
        }
        if let Some(invalid) = self.last_invalid {
            report.push(("last invalid command", invalid.to_string()));
        }
        if let Some(deviation) = self.deviation {
            report.push(("last deviation", text(deviation)));
        }
        report.extend(self.counters.numbers().map(|(key, count)| (key, count.to_string())));
        report
    }
}

impl Counters {
    fn numbers(&self) -> [(&'static str, u64); 22] {
        [
            ("commands", self.commands),
            ("invalid commands", self.invalid_commands),
            ("lost commands", self.lost_commands),
            ("late commands", self.late_commands),
            ("old commands", self.old_commands),
            ("future commands", self.future_commands),
            ("held commands", self.held_commands),
            ("dropped parts", self.dropped_parts),
            ("cut", self.cut),
            ("joysticks", self.joysticks),
            ("lost joysticks", self.lost_joysticks),
            ("cut fields", self.cut_fields),
            ("other zones", self.other_zones),
            ("unknown sources", self.unknown_sources),
            ("scalings", self.scalings),
            ("old scalings", self.old_scalings),
            ("invalid factors", self.invalid_factors),
            ("feedbacks", self.feedbacks),
            ("invalid feedbacks", self.invalid_feedbacks),
            ("uncompared", self.uncompared),
            ("deviations", self.deviations),
            ("dropped", self.dropped),
        ]
    }
}

fn about(applied: &Applied) -> [(&'static str, String); 6] {
    [
        ("zone", applied.zone.to_string()),
        ("limited by", applied.limited_by.map_or("none".into(), |zone| zone.to_string())),
        ("input source", applied.input_source.to_string()),
        ("forward_back scaling", applied.forward_back_scaling.to_string()),
        ("left_right scaling", applied.left_right_scaling.to_string()),
        ("reason", applied.reason.to_string()),
    ]
}

fn text(Deviation { percent, zone }: Deviation) -> String {
    let zone = if zone { " and reports the stick in another zone" } else { "" };
    format!("the chair is {percent} percent of full throw from what was predicted{zone}")
}
