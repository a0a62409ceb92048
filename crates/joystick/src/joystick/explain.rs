use core::fmt::Write;

use safety::{Accelerations, Velocity};
use why::{Code, Explain, Flow, Name, Stage};

use super::report::Health;
use crate::reference::requested_velocity;
use crate::{EnableButtons, Joystick, PoseState};

/// The node, as in a sentence.
const NAME: &str = "joystick";
/// The reference, as in a sentence.
const REFERENCE: &str = "joystick/reference";

impl Explain for Joystick {
    fn explain(&self) -> Stage {
        let desired = self.filter.desired(self.now, self.stamp());
        let velocity = desired.as_ref().map_or(Velocity::ZERO, requested_velocity);
        let passed = Flow { velocity: planar(velocity), is_motion: !velocity.is_neutral() };
        let mut stage = Stage { asked: passed, passed, ..Stage::new(NAME) };
        if !self.stopped && self.filter.claims() {
            (stage.by, stage.by_hand) = (NAME.into(), true);
        }
        stage.has_device = self.controlled().is_some() && self.judge() != Health::ReadingLost;
        if stage.has_device && !self.filter.is_active() {
            stage.find(Code::StageInactive, [NAME]); // no button enables the stick
        } else {
            self.explain_health(self.judge(), desired.as_ref(), &mut stage);
        }
        stage
    }
}

impl Joystick {
    fn explain_health(&self, health: Health, desired: Option<&PoseState>, stage: &mut Stage) {
        let device = self.controlled().unwrap_or_default();
        match health {
            Health::Stopped => stage.find(Code::StageStopping, [NAME]),
            Health::ReadingLost => stage.find(Code::ReadingLost, []),
            Health::NoDevice => match self.awaited() {
                Some(device) => stage.find(Code::DeviceAwaited, [device]),
                None => stage.find(Code::NoDevice, []),
            },
            Health::MissingInputs if self.lacks_enable() => stage.find(Code::MissingInputs, [device]),
            // The others command nothing, and the rest drives.
            Health::MissingInputs => self.explain_health(self.judge_stick(), desired, stage),
            Health::Unmapped => stage.find(Code::Unmapped, [device]),
            Health::WaitsForRest => {
                stage.asked.is_motion = true; // it is off rest, or its rest is not known
                stage.find(Code::StickEarly, [NAME]);
            }
            Health::Drives => self.explain_drive(desired, stage),
            Health::Holds => {
                stage.asked.is_motion = true; // a person wants to drive
                self.explain_button(device, stage);
            }
            Health::PushedEarly | Health::Pushed { .. } => self.explain_button(device, stage),
            Health::ReferenceWaits => {
                stage.asked.is_motion |= self.filter.reference().asks_for_motion();
                if stage.asked.is_motion {
                    stage.find(Code::WaitsForZero, [REFERENCE]);
                }
                self.explain_button(device, stage);
            }
            Health::PassesReference | Health::ReferenceOld | Health::NoReference => {
                self.explain_button(device, stage);
            }
        }
    }

    /// The stick drives: whether it is pushed, and far enough.
    fn explain_drive(&self, desired: Option<&PoseState>, stage: &mut Stage) {
        let accelerations = desired.map(|state| Accelerations { linear: state.acc, angular: state.aacc });
        let velocity = desired.map_or(Velocity::ZERO, requested_velocity);
        let command =
            accelerations.map(|acc| acc.command(velocity, desired.map_or(self.stamp(), |state| state.stamp)));
        stage.asked.is_motion |= command.is_some_and(|command| command.asks_for_motion());
        if !stage.passed.is_motion {
            let is_pushed = stage.asked.is_motion || self.filter.is_pushed();
            stage.find(if is_pushed { Code::DeadBand } else { Code::AtRest }, [NAME]);
        }
    }

    /// The button that enables the stick.
    fn explain_button(&self, device: &str, stage: &mut Stage) {
        let EnableButtons { on, slow, toggle } = self.filter.mappings().enable;
        let ways = [
            ("enable.on", on, Code::DeadMan),
            ("enable.slow", slow, Code::DeadMan),
            ("enable.toggle", toggle, Code::DeadManToggle),
        ];
        let ways = ways.into_iter().filter_map(|(name, button, code)| Some((name, button?, code)));
        let first = ways.min_by_key(|(_, button, _)| !self.devices.must_be_released(*button));
        let Some((parameter, button, code)) = first else { return }; // a stick without a button always drives
        let mut text = Name::NONE;
        let _ = match self.devices.mapped_names().of(parameter) {
            Some(name) => write!(text, "{name}"),
            None => write!(text, "button {button}"),
        };
        let code = if self.devices.must_be_released(button) { Code::DeadManAgain } else { code };
        stage.find(code, [text.as_str(), device]);
    }

    /// Whether the driving device lacks a button that would enable it, or all mapped axes.
    fn lacks_enable(&self) -> bool {
        self.missing.iter().any(|(parameter, _)| parameter.starts_with("enable."))
    }
}

fn planar(velocity: Velocity) -> [f64; 2] {
    [velocity.forward(), velocity.turn()]
}
