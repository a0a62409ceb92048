use safety::{Stale, Velocity};
use why::{Code, Explain, Flow, Stage};

use crate::scaler::Invalid;
use crate::stick::StickMapping;
use crate::{Factors, Reason, Zone, ZoneScaler};

/// The node, as in a sentence.
const NAME: &str = "zone_scaler";
/// The topics, as in a sentence.
const COMMAND: &str = "cmd_vel_arbitrated";
const SCALING: &str = "luci/scaling";

impl Explain for ZoneScaler {
    fn explain(&self) -> Stage {
        let flow = |velocity: Velocity, is_motion| Flow {
            velocity: [velocity.forward(), velocity.turn()],
            is_motion,
        };
        let asked = self.commands.command().map_or(Velocity::ZERO, |command| command.velocity);
        let mut stage = Stage {
            asked: flow(asked, self.commands.asks_for_motion()),
            passed: flow(self.driven, !self.driven.is_neutral()),
            ..Stage::new(NAME)
        };
        self.explain_reason(&mut stage);
        stage
    }
}

impl ZoneScaler {
    fn explain_reason(&self, stage: &mut Stage) {
        let applied = self.applied();
        match applied.reason {
            Reason::Scaled => self.explain_limits(stage),
            Reason::PassedThrough => self.explain_top_speed(stage),
            Reason::Predicted => stage.find(Code::Predicts, [NAME]),
            Reason::CommandStale => match self.stale.filter(|_| stage.asked.is_motion) {
                Some(Stale::Ahead { .. }) => stage.find(Code::CmdAhead, [COMMAND]),
                Some(Stale::Late | Stale::Old { .. } | Stale::Repeated { .. } | Stale::NoTime) => {
                    stage.find(Code::CmdTooOld, [COMMAND]);
                }
                None if self.publishers.is_unfit() => stage.find(Code::CmdUnfit, [NAME, COMMAND]),
                None => stage.find(Code::CmdSilent, [NAME, COMMAND]),
            },
            // A zero would not help: the next motion is lost in the same way.
            Reason::WaitsForZero if self.invalid_factors => stage.find(Code::ScalingInvalid, [SCALING]),
            Reason::WaitsForZero => stage.find(Code::WaitsForZero, []),
            Reason::CommandInvalid => match self.last_invalid {
                Some(Invalid::Unjudged(_)) => stage.find(Code::CmdUnjudged, [COMMAND]),
                Some(Invalid::NotFinite(_) | Invalid::Implausible(_)) | None => {
                    stage.find(Code::CmdInvalid, [COMMAND]);
                }
            },
            Reason::CommandUnjudged => stage.find(Code::CmdUnjudged, [COMMAND]),
            Reason::CommandConflict => stage.find(Code::CmdConflict, [COMMAND]),
            Reason::ProfileUnknown => stage.find(Code::ProfileUnknown, [NAME]),
            Reason::ScalingStale => stage.find(Code::ScalingStale, [SCALING]),
            Reason::ScalingMissing => stage.find(Code::ScalingMissing, [SCALING]),
            Reason::ScalingConflict => stage.find(Code::ScalingConflict, [SCALING]),
            Reason::Inactive => stage.find(Code::StageInactive, [NAME]),
            Reason::Stopping => stage.find(Code::StageStopping, [NAME]),
        }
        if !self.is_commanding() {
            stage.find(Code::Predicts, [NAME]);
        }
    }

    fn explain_limits(&self, stage: &mut Stage) {
        let is_blocked =
            |zone: Zone| self.sensed.received().is_some_and(|scaling| scaling.of(zone) == Factors::NONE);
        match self.applied().limited_by {
            Some(zone) if stage.passed.is_motion => stage.find(Code::ZoneLimits, [zone.as_str()]),
            Some(_) if Zone::AROUND.into_iter().all(is_blocked) => stage.find(Code::ZonesBlocked, [SCALING]),
            Some(zone) => stage.find(Code::ZoneBlocked, [zone.as_str()]),
            None => self.explain_top_speed(stage),
        }
    }

    fn explain_top_speed(&self, stage: &mut Stage) {
        let mapping = StickMapping::of(&self.params, self.profile.number());
        let is_cut = mapping
            .zip(self.commands.command())
            .is_some_and(|(mapping, command)| mapping.stick(&command.velocity).1);
        if is_cut && stage.passed.is_motion {
            stage.find(Code::TopSpeed, [NAME]);
        }
    }
}
