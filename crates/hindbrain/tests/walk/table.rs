//! The causes of `docs/safety.md`, written a second time: the effect of each one, and what motion requires after it.

use hindbrain::{Cause, Causes, StopState};

/// The effect of a cause, the least severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Does {
    Nothing,
    Brake,
    StopByIr,
    StopByRos,
    Fault,
    EmergencyStop,
}

/// Condition for motion once a cause has ended; each one includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asks {
    Nothing,
    Zero,
    Enable,
    Reset,
}

/// The most severe first.
static TABLE: [(&str, Cause, Does, Asks); 27] = [
    ("ESTOP_PRESSED", Cause::EstopPressed, Does::EmergencyStop, Asks::Reset),
    ("ESTOP_STALE", Cause::EstopStale, Does::EmergencyStop, Asks::Reset),
    ("ESTOP_CONFLICT", Cause::EstopConflict, Does::EmergencyStop, Asks::Reset),
    ("ESTOP_LATCHED", Cause::EstopLatched, Does::EmergencyStop, Asks::Reset),
    ("OVERRUN", Cause::Overrun, Does::Fault, Asks::Reset),
    ("DEVICE_LOST", Cause::DeviceLost, Does::Fault, Asks::Reset),
    ("FAULT_LATCHED", Cause::FaultLatched, Does::Fault, Asks::Reset),
    ("STOPPING", Cause::Stopping, Does::StopByRos, Asks::Enable),
    ("INACTIVE", Cause::Inactive, Does::StopByRos, Asks::Enable),
    ("MOTOR_CONFLICT", Cause::MotorConflict, Does::StopByRos, Asks::Enable),
    ("ENABLE_CONFLICT", Cause::EnableConflict, Does::StopByRos, Asks::Enable),
    ("CMD_CONFLICT", Cause::CommandConflict, Does::StopByRos, Asks::Zero),
    ("MOTOR_GAP", Cause::MotorGap, Does::StopByRos, Asks::Zero),
    ("DEVICE_UNREADY", Cause::DeviceUnready, Does::StopByRos, Asks::Zero),
    ("NOT_ENABLED", Cause::NotEnabled, Does::StopByRos, Asks::Enable),
    ("LEASE_LAPSED", Cause::LeaseLapsed, Does::StopByRos, Asks::Enable),
    ("NOT_ARMED", Cause::NotArmed, Does::StopByRos, Asks::Enable),
    ("WAY_BLOCKED", Cause::WayBlocked, Does::StopByIr, Asks::Zero),
    ("CMD_STALE", Cause::CommandStale, Does::Brake, Asks::Zero),
    ("NEUTRAL_WAIT", Cause::NeutralWait, Does::Brake, Asks::Zero),
    ("BACK_BLOCKED", Cause::BackBlocked, Does::Nothing, Asks::Nothing),
    ("FRONT_BLOCKED", Cause::FrontBlocked, Does::Nothing, Asks::Nothing),
    ("IR_STALE", Cause::IrStale, Does::Nothing, Asks::Nothing),
    ("IR_INVALID", Cause::IrInvalid, Does::Nothing, Asks::Nothing),
    ("RESET_CONFLICT", Cause::ResetConflict, Does::Nothing, Asks::Nothing),
    ("CMD_INVALID", Cause::CommandInvalid, Does::Nothing, Asks::Nothing),
    ("CMD_BELOW_COUNT", Cause::CommandBelowCount, Does::Nothing, Asks::Nothing),
];

fn rows(causes: Causes) -> impl Iterator<Item = (Does, Asks)> {
    TABLE.iter().filter(move |&&(_, cause, ..)| causes.contains(cause)).map(|&(.., does, asks)| (does, asks))
}

/// The most severe effect of `causes`.
pub fn does(causes: Causes) -> Does {
    rows(causes).map(|(does, _)| does).max().unwrap_or(Does::Nothing)
}

/// Whether one of `causes` does this.
pub fn any(causes: Causes, what: Does) -> bool {
    rows(causes).any(|(does, _)| does == what)
}

/// The most severe effect is the state.
pub fn state_of(causes: Causes) -> StopState {
    match does(causes) {
        Does::Nothing | Does::Brake => StopState::Ok,
        Does::StopByIr => StopState::SoftIr,
        Does::StopByRos if any(causes, Does::StopByIr) => StopState::SoftBoth,
        Does::StopByRos => StopState::SoftRos,
        Does::Fault => StopState::Fault,
        Does::EmergencyStop => StopState::Estop,
    }
}

/// Condition for motion after `causes`.
pub fn asks(causes: Causes) -> Asks {
    rows(causes).map(|(_, asks)| asks).max().unwrap_or(Asks::Nothing)
}

/// A wrong row may not affect the machine, but it would be wrong in the document.
#[test]
fn the_machine_has_the_rows_of_the_document_in_their_order() {
    use hindbrain::core::{Effect, Recovery};
    let machine = Cause::ALL.iter().rev().map(|&cause| {
        let does = match cause.row().effect {
            Effect::Reports => Does::Nothing,
            Effect::Brakes => Does::Brake,
            Effect::StopsByIr => Does::StopByIr,
            Effect::StopsByRos => Does::StopByRos,
            Effect::Faults => Does::Fault,
            Effect::EmergencyStops => Does::EmergencyStop,
        };
        let asks = match cause.row().recovery {
            Recovery::Itself => Asks::Nothing,
            Recovery::Zero => Asks::Zero,
            Recovery::Enable => Asks::Enable,
            Recovery::Reset => Asks::Reset,
        };
        (cause.code(), cause, does, asks)
    });
    assert_eq!(machine.collect::<Vec<_>>(), TABLE);
}
