use why::{Code, Explain, Flow, Stage};

use crate::core::{Cause, Reading, State};
use crate::{Hindbrain, Sensor, Source};

/// The node, as in a sentence.
const NAME: &str = "hindbrain";

impl Explain for Hindbrain {
    fn explain(&self) -> Stage {
        let State { command, .. } = self.core();
        let (accepted, motors) = (self.accepted(), self.motors());
        let (forward, turn) = motors.velocity(self.params());
        let velocity =
            command.setpoint.map_or([0.0; 2], |_| [accepted.velocity.forward(), accepted.velocity.turn()]);
        let mut stage = Stage {
            asked: Flow { velocity, is_motion: command.setpoint.is_some() && accepted.asks_for_motion() },
            passed: Flow { velocity: [forward, turn], is_motion: self.core().is_rolling() },
            ..Stage::new(NAME)
        };
        self.causes().iter().for_each(|cause| self.explain_cause(cause, &mut stage));
        if stage.findings.first(|_| true).is_none() {
            self.explain_rest(&mut stage);
        }
        stage
    }
}

impl Hindbrain {
    fn explain_cause(&self, cause: Cause, stage: &mut Stage) {
        let core = &self.params().core;
        let [front, back] = self.core().blocked_pairs(core);
        match cause {
            Cause::EstopPressed => stage.find(Code::EstopPressed, []),
            Cause::EstopConflict => stage.find(Code::EstopConflict, []),
            Cause::EstopStale => stage.find(Code::EstopStale, []),
            Cause::DeviceLost => stage.find(Code::DeviceLost, []),
            Cause::ResetConflict if self.core().latch.is_some() => stage.find(Code::ResetConflict, []),
            Cause::ResetConflict => {} // it matters while a reset is awaited
            Cause::EstopLatched => {
                self.explain_reset(stage);
                stage.find(Code::EstopLatched, []);
            }
            Cause::FaultLatched => {
                self.explain_reset(stage);
                stage.find(Code::FaultLatched, []);
            }
            Cause::Overrun => stage.find(Code::Overrun, []),
            Cause::Stopping => stage.find(Code::Stopping, [NAME]),
            Cause::Inactive => stage.find(Code::Inactive, [NAME]),
            Cause::MotorConflict => stage.find(Code::MotorConflict, []),
            Cause::EnableConflict => stage.find(Code::EnableConflict, []),
            Cause::LeaseLapsed => stage.find(Code::LeaseLapsed, []),
            Cause::NotArmed => stage.find(Code::NotArmed, []),
            Cause::NotEnabled if self.core().enable.level().is_none() => stage.find(Code::EnableSilent, []),
            Cause::NotEnabled => stage.find(Code::NotEnabled, []),
            Cause::DeviceUnready => stage.find(Code::DeviceUnready, []),
            Cause::CommandConflict => stage.find(Code::CmdConflict, [Source::Command.name()]),
            Cause::MotorGap => stage.find(Code::MotorGap, []),
            Cause::CommandStale => stage.find(Code::CmdSilent, [NAME, Source::Command.name()]),
            Cause::CommandBelowCount => self.explain_slow(stage),
            Cause::CommandInvalid => stage.find(Code::CmdInvalid, [Source::Command.name()]),
            Cause::NeutralWait => stage.find(Code::WaitsForZero, []),
            Cause::WayBlocked => {
                self.explain_sensors([front, back], stage);
                stage.find(Code::WayBlocked, [if front { "front" } else { "back" }]);
            }
            Cause::FrontBlocked | Cause::BackBlocked if front && back => {
                self.explain_sensors([front, back], stage);
                stage.find(Code::BothBlocked, []);
            }
            // Details of the way that is blocked: on another way it drives.
            Cause::FrontBlocked | Cause::BackBlocked | Cause::IrStale | Cause::IrInvalid => {}
        }
    }

    /// A button that is down and does not count has to come up before the next press.
    fn explain_reset(&self, stage: &mut Stage) {
        let reset = self.core().reset;
        if reset.down && !reset.pressed_in_time && self.age(Source::Reset).is_some() {
            stage.find(Code::ResetHeld, []);
        }
    }

    /// A sensor of the blocked pairs that cannot become clear by itself.
    fn explain_sensors(&self, [front, back]: [bool; 2], stage: &mut Stage) {
        let infrared = &self.params().core.infrared;
        for sensor in Sensor::ALL {
            let is_of_pair = match sensor {
                Sensor::FrontPort | Sensor::FrontStarboard => front,
                Sensor::BackPort | Sensor::BackStarboard => back,
            };
            let is_fitted = infrared.fitted.get(sensor.index()) == Some(&true);
            let reading = self.core().sensors.get(sensor.index()).map(|sensor| sensor.reading());
            match reading.filter(|_| is_of_pair && is_fitted) {
                Some(None) => stage.find(Code::SensorSilent, [sensor.frame_id()]),
                Some(Some(Reading::Invalid)) => stage.find(Code::SensorInvalid, [sensor.frame_id()]),
                Some(Some(Reading::Clear | Reading::Blocked)) | None => {}
            }
        }
    }

    /// The reason when no wheel can turn by the command: it has another part, or is too slow.
    fn explain_slow(&self, stage: &mut Stage) {
        let command = Source::Command.name();
        match self.dropped() {
            Some(dropped) => stage.find(Code::CmdUndriven, [command, dropped.part]),
            None => stage.find(Code::TooSlow, [command]),
        }
    }

    /// No cause holds it back, and nothing turns.
    fn explain_rest(&self, stage: &mut Stage) {
        let Some(setpoint) = self.core().command.setpoint else { return };
        let is_slow = self.params().core.targets(setpoint) == [0, 0];
        let creeps = !self.accepted().velocity.is_zero();
        match (is_slow, stage.asked.is_motion && !stage.passed.is_motion) {
            (false, true) => stage.find(Code::Starts, []),
            // A zero that another stage sent in the place of motion is that stage's.
            (true, true) if creeps => self.explain_slow(stage),
            (true, false) if creeps => stage.find(Code::DeadBand, [Source::Command.name()]),
            _ => {}
        }
    }
}
