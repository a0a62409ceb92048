use safety::Command;
use why::{Code, Explain, Flow, Stage};

use crate::{Arbiter, LockState, SourceType, Verdict};

/// The node, as in a sentence.
const NAME: &str = "velocity_arbiter";

impl Explain for Arbiter {
    fn explain(&self) -> Stage {
        let mut stage = Stage { passed: flow(self.sent), ..Stage::new(NAME) };
        if let Some(source) = self.driving.and_then(|index| self.params.sources.get(index)) {
            stage.by = source.name.as_str().into();
            stage.by_hand = source.kind == SourceType::PoseState;
        }
        match self.asking() {
            Some(index) => {
                let command = self.sources.get(index).and_then(|monitor| monitor.command());
                stage.asked = Flow { is_motion: true, ..command.map(flow).unwrap_or_default() };
                self.explain_asking(index, &mut stage);
            }
            None => self.explain_idle(&mut stage),
        }
        if !self.is_active {
            stage.find(Code::StageInactive, [NAME]);
        }
        if self.stopping {
            stage.find(Code::StageStopping, [NAME]);
        }
        stage
    }
}

impl Arbiter {
    /// The source of the highest priority that asks for motion, whether or not its command counts.
    fn asking(&self) -> Option<usize> {
        let sources = self.params.sources.iter().zip(&self.sources).zip(&self.active.verdicts).enumerate();
        sources
            .filter(|(_, ((source, monitor), verdict))| {
                // A stick that was lost sends states without a velocity.
                let is_wrong = **verdict == Verdict::Invalid && source.kind != SourceType::PoseState;
                monitor.asks_for_motion() || is_wrong
            })
            .max_by_key(|(_, ((source, _), _))| source.priority)
            .map(|(index, _)| index)
    }

    /// Why the source with this index, which asks for motion, does not drive; or that its command is a zero.
    fn explain_asking(&self, index: usize, stage: &mut Stage) {
        let (Some(source), Some(verdict)) = (self.params.sources.get(index), self.active.verdicts.get(index))
        else {
            return;
        };
        let (name, topic) = (source.name.as_str(), source.topic.as_str());
        match *verdict {
            Verdict::Drives if stage.passed.is_motion => {}
            Verdict::Drives => stage.find(Code::DeadBand, [name]),
            Verdict::Waits => stage.find(Code::WaitsForNext, [name]),
            Verdict::Outranked { by } => {
                let by = self.params.sources.get(by).map_or("?", |source| &source.name);
                stage.find(Code::Outranked, [by, name]);
            }
            Verdict::WaitsForZero(_) if source.kind == SourceType::PoseState => {
                stage.find(Code::StickEarly, [name]);
            }
            Verdict::WaitsForZero(_) => stage.find(Code::WaitsForZero, [name]),
            Verdict::Locked { by } => {
                let lock = self.params.locks.get(by).map_or("?", |lock| &lock.name);
                let code = match self.active.locks.get(by) {
                    Some(LockState::Open | LockState::Closed) => Code::LockClosed,
                    Some(LockState::Silent) | None => Code::LockSilent,
                    Some(LockState::Conflict(_)) => Code::LockConflict,
                };
                stage.find(code, [lock, name]);
            }
            Verdict::NeverReceived | Verdict::TimedOut if self.is_unfit(index) => {
                stage.find(Code::SourceUnfit, [name, topic]);
            }
            Verdict::NeverReceived | Verdict::TimedOut => stage.find(Code::SourceSilent, [name, topic]),
            Verdict::TooOld => stage.find(Code::CmdTooOld, [name]),
            Verdict::FromFuture => stage.find(Code::CmdAhead, [name]),
            Verdict::Invalid => stage.find(Code::CmdInvalid, [name]),
            Verdict::Conflict => stage.find(Code::SourceConflict, [name, topic]),
            Verdict::Inactive => stage.find(Code::StageInactive, [NAME]),
            Verdict::Stopping => stage.find(Code::StageStopping, [NAME]),
        }
    }

    /// Whether no message of the source with this index can be received.
    fn is_unfit(&self, index: usize) -> bool {
        self.active.publishers.get(index).is_some_and(|publishers| publishers.is_unfit())
    }

    /// Who could ask: one that cannot be received, the present source of the highest priority, then one that is not a stick; and a stick that fell silent.
    fn explain_idle(&self, stage: &mut Stage) {
        let is_silent = |verdict: &Verdict| matches!(verdict, Verdict::NeverReceived | Verdict::TimedOut);
        let is_stick = |source: &crate::Source| source.kind == SourceType::PoseState;
        let sources = || self.params.sources.iter().zip(&self.sources).zip(&self.active.verdicts);
        let first = sources().max_by_key(|((source, _), verdict)| {
            let is_present = !is_silent(verdict);
            (is_present, is_present || !is_stick(source), source.priority)
        });
        let lost =
            sources().find(|((source, _), verdict)| is_stick(source) && **verdict == Verdict::TimedOut);
        if let Some(((source, _), _)) = lost {
            stage.find(Code::StickSilent, [source.name.as_str(), source.topic.as_str()]);
        }
        let unfit =
            sources().enumerate().filter(|(index, (_, verdict))| is_silent(verdict) && self.is_unfit(*index));
        if let Some((_, ((source, _), _))) = unfit.max_by_key(|(_, ((source, _), _))| source.priority) {
            return stage.find(Code::SourceUnfit, [source.name.as_str(), source.topic.as_str()]);
        }
        let Some(((source, monitor), verdict)) = first else { return };
        let (name, topic) = (source.name.as_str(), source.topic.as_str());
        let creeps = |command: Command| !command.velocity.is_zero() && command.velocity.is_neutral();
        match verdict {
            verdict if is_silent(verdict) => {
                let code = if is_stick(source) { Code::StickSilent } else { Code::SourceSilent };
                stage.find(code, [name, topic]);
            }
            Verdict::Conflict => stage.find(Code::SourceConflict, [name, topic]),
            Verdict::Invalid => stage.find(Code::CmdInvalid, [name]),
            Verdict::TooOld => stage.find(Code::CmdTooOld, [name]),
            Verdict::FromFuture => stage.find(Code::CmdAhead, [name]),
            _ if monitor.command().is_some_and(creeps) => stage.find(Code::DeadBand, [name]),
            _ => stage.find(if is_stick(source) { Code::AtRest } else { Code::SourceAtRest }, [name]),
        }
    }
}

fn flow(command: Command) -> Flow {
    let velocity = command.velocity;
    Flow { velocity: [velocity.forward(), velocity.turn()], is_motion: !velocity.is_neutral() }
}
