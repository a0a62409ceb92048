use safety::Stale;
use why::{Code, Explain, Flow, Stage};

use crate::{Chair, Hold, Remote, State};

/// The node, as in a sentence.
const NAME: &str = "chair";
/// The topic of commands, as in a sentence.
const COMMAND: &str = "cmd_vel";

impl Explain for Chair {
    fn explain(&self) -> Stage {
        self.remote().explain()
    }
}

impl Explain for Remote {
    fn explain(&self) -> Stage {
        let command = self.command.command();
        let velocity =
            command.map_or([0.0; 2], |command| [command.velocity.forward(), command.velocity.turn()]);
        let sent = self.sent.map(|(joystick, _)| joystick).filter(|_| self.state == State::Active);
        let drives = sent.and_then(|joystick| self.velocity(&joystick));
        let moves = sent.is_some_and(|joystick| [joystick.forward_back(), joystick.left_right()] != [0, 0]);
        let mut stage = Stage {
            asked: Flow { velocity, is_motion: self.command.asks_for_motion() },
            passed: Flow {
                velocity: drives.map_or([0.0; 2], |velocity| [velocity.forward(), velocity.turn()]),
                is_motion: moves,
            },
            ..Stage::new(NAME)
        };
        if self.hold() == Some(Hold::CommandMissing) && self.publishers.is_unfit() {
            stage.find(Code::CmdUnfit, [NAME, COMMAND]);
        } else if let Some(hold) = self.hold() {
            explain_hold(hold, &mut stage);
        } else if stage.asked.is_motion && !moves {
            stage.find(Code::TooSlow, [COMMAND]);
        }
        if !self.is_active() {
            stage.find(Code::Inactive, [NAME]);
        }
        if self.stopping {
            stage.find(Code::Stopping, [NAME]);
        }
        stage
    }
}

fn explain_hold(hold: Hold, stage: &mut Stage) {
    match hold {
        Hold::Inactive => stage.find(Code::ChairOff, []),
        Hold::Activating | Hold::Deactivating => stage.find(Code::ChairChanges, []),
        Hold::FeedbackSilent | Hold::FeedbackScarce => stage.find(Code::ChairSilent, []),
        Hold::WrongSource(source) => stage.find(Code::ChairElsewhere, [source.as_str()]),
        Hold::Taken(source) => stage.find(Code::ChairTaken, [source.as_str()]),
        Hold::CommandMissing => stage.find(Code::CmdSilent, [NAME, COMMAND]),
        Hold::CommandInvalid | Hold::CommandImplausible => stage.find(Code::CmdInvalid, [COMMAND]),
        Hold::CommandStale(Stale::Ahead { .. }) => stage.find(Code::CmdAhead, [COMMAND]),
        Hold::CommandStale(_) => stage.find(Code::CmdTooOld, [COMMAND]),
        Hold::CommandConflict(_) => stage.find(Code::CmdConflict, [COMMAND]),
        Hold::OtherDrivers(_) => stage.find(Code::MotorConflict, ["luci/remote_joystick"]),
        Hold::OtherChairs(_) => stage.find(Code::ChairConflict, []),
        Hold::NotNeutral => stage.find(Code::WaitsForZero, []),
        Hold::ProfileMissing | Hold::NotCalibrated(_) => stage.find(Code::ProfileUnknown, [NAME]),
    }
}
