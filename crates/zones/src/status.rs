use safety::Level;

use crate::{Applied, Deviation, Factors, Reason, Zone, ZoneScaler};

safety::counters! {
    /// Counts since the start.
    pub struct Counters {
        /// Received commands, invalid ones included.
        commands: "commands",
        /// Invalid commands.
        invalid_commands: "invalid commands",
        /// How often a command was lost by silence and replaced by a zero.
        lost_commands: "lost commands",
        /// Commands with an older stamp than the one in force, which were ignored; a stop never is.
        late_commands: "late commands",
        /// Commands whose stamps or receipt were too old.
        old_commands: "old commands",
        /// Commands stamped ahead of this clock.
        future_commands: "future commands",
        /// Commands with motion before the zero that is required after a loss.
        held_commands: "held commands",
        /// Commands with parts other than forward and turn within a zero, which were set to zero; a greater part is invalid.
        dropped_parts: "dropped parts",
        /// Commands that were cut to full throw.
        cut: "cut",
        /// Received `LuciJoystick` messages.
        joysticks: "joysticks",
        /// How often they were lost by silence and a zero was reported.
        lost_joysticks: "lost joysticks",
        /// Their fields outside of -100 to 100, which were cut.
        cut_fields: "cut fields",
        /// Messages whose `joystick_zone` is not the zone of the stick.
        other_zones: "other zones",
        /// Messages whose `input_source` is none of LUCI's; the parameter was used instead.
        unknown_sources: "unknown sources",
        /// Received scalings.
        scalings: "scalings",
        /// Scalings that may have waited unread for too long.
        old_scalings: "old scalings",
        /// Fields of scalings that were not a factor and counted as 0.
        invalid_factors: "invalid factors",
        /// Feedback messages received from the chair.
        feedbacks: "feedbacks",
        /// Feedback messages with an invalid field, which were ignored.
        invalid_feedbacks: "invalid feedbacks",
        /// Feedback messages about a source without a prediction.
        uncompared: "uncompared",
        /// Feedback messages that deviated too far from the prediction.
        deviations: "deviations",
        /// Outputs that were dropped because they were not polled: a fault of the caller.
        dropped: "dropped",
    }
}

impl ZoneScaler {
    /// The health of the node and the reason, as of the last call.
    ///
    /// It describes the velocity channel, unless only `LuciJoystick` messages arrive.
    pub fn health(&self) -> (Level, String) {
        let reason = self.active().reason;
        let level = match reason {
            Reason::Scaled | Reason::Predicted | Reason::PassedThrough | Reason::CommandStale => Level::Ok,
            Reason::ScalingStale
            | Reason::ScalingMissing
            | Reason::ScalingConflict
            | Reason::CommandConflict
            | Reason::ProfileUnknown
            | Reason::CommandUnjudged
            | Reason::CommandInvalid => Level::Error,
            Reason::WaitsForZero | Reason::Inactive | Reason::Stopping => Level::Warn,
        };
        match (reason, self.stale) {
            (Reason::CommandStale | Reason::WaitsForZero, Some(stale)) => {
                return (Level::Error, format!("{reason}: the last one {stale}"));
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
        match (self.deviation, self.limit()) {
            (Some(deviation), _) if level == Level::Ok => (Level::Warn, text(deviation)),
            (_, Some(limit)) if reason == Reason::Scaled => limit,
            _ => (level, reason.to_string()),
        }
    }

    /// The level and a sentence on the zone that reduces the command; `None` if none does.
    fn limit(&self) -> Option<(Level, String)> {
        let applied = self.active();
        let zone = applied.limited_by?;
        let factors = [applied.forward_back_scaling, applied.left_right_scaling];
        let parts = [applied.requested.forward_back, applied.requested.left_right];
        if parts.into_iter().zip(factors).all(|(part, factor)| part == 0.0 || factor == 0.0) {
            return Some((Level::Warn, format!("{zone} blocks the command: it stands still")));
        }
        let [ahead, aside] = factors.map(|factor| (f64::from(factor) * 100.0).floor());
        Some((
            Level::Ok,
            format!("{zone} limits the command: {ahead} % forward or back, {aside} % to a side"),
        ))
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
            report.push(("last stale command", stale.to_string()));
        }
        if let Some(invalid) = self.last_invalid {
            report.push(("last invalid command", invalid.to_string()));
        }
        if let Some(deviation) = self.deviation {
            report.push(("last deviation", text(deviation)));
        }
        report.extend(self.counters.report());
        report
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
