use units::Level;

use crate::{Applied, Reason, ZoneScaler};

/// What has come and gone since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Commands that came, invalid ones included.
    pub commands: u64,
    /// Messages that were not a command.
    pub invalid_commands: u64,
    /// How often a command was lost by silence and a zero went out.
    pub lost_commands: u64,
    /// Commands with other parts than forward and turn, which were set to zero.
    pub dropped_parts: u64,
    /// Commands that were cut to full throw.
    pub cut: u64,
    /// Scalings that came.
    pub scalings: u64,
    /// Fields of scalings that were not a factor and counted as 0.
    pub invalid_factors: u64,
    /// Outputs that were thrown away because nobody took them: a fault of the caller.
    pub dropped: u64,
}

impl ZoneScaler {
    /// How well the node is and why, as of the last call.
    pub fn health(&self) -> (Level, String) {
        let reason = self.applied().reason;
        let level = match reason {
            Reason::Scaled | Reason::PassedThrough => Level::Ok,
            Reason::ScalingStale | Reason::ScalingMissing | Reason::CommandInvalid => Level::Error,
            Reason::CommandStale => Level::Stale,
            Reason::Stopping => Level::Warn,
        };
        if level == Level::Ok && self.has_invalid_factors() {
            return (
                Level::Warn,
                "the last scaling held values that are not factors; they count as 0".into(),
            );
        }
        (level, reason.to_string())
    }

    /// Keys and values for `/diagnostics`.
    pub fn report(&self) -> Vec<(&'static str, String)> {
        let Applied { zone, forward_back_scaling, left_right_scaling, reason, .. } = *self.applied();
        let counters = self.counters();
        let mut report = vec![
            ("zone", zone.to_string()),
            ("forward_back scaling", forward_back_scaling.to_string()),
            ("left_right scaling", left_right_scaling.to_string()),
            ("reason", reason.to_string()),
        ];
        if let Some(invalid) = self.last_invalid() {
            report.push(("last invalid command", invalid.to_string()));
        }
        let numbers = [
            ("commands", counters.commands),
            ("invalid commands", counters.invalid_commands),
            ("lost commands", counters.lost_commands),
            ("dropped parts", counters.dropped_parts),
            ("cut", counters.cut),
            ("scalings", counters.scalings),
            ("invalid factors", counters.invalid_factors),
            ("dropped", counters.dropped),
        ];
        report.extend(numbers.map(|(key, count)| (key, count.to_string())));
        report
    }
}
