use crate::{Act, Code, Name, Reason, Stage};

/// The ranks of stops, each of which is shown whether or not motion is asked for.
const STOPS: u8 = 6;

/// The one reason that is shown: why the vehicle stands, or that it moves.
///
/// * `chain`: the stages from the hand to the last gate, those that are received
///
/// 1. A stop (ranks 1 to 6) of any stage, the least rank first.
/// 2. If the motors have values: no subscriber, a limit, or that it moves (9 to 11).
/// 3. The first stage from the hand that receives nothing where it must, or that is asked for motion and passes none (7).
/// 4. Nobody asks: the source of highest priority that is present (8).
///
/// What a node or the zones need comes before what a person does with the stick (in 3 and 4), whether or not motion is asked for.
pub fn choose(chain: &[Stage]) -> Reason {
    let stop = chain.iter().filter_map(|stage| stage.findings.first(|reason| reason.rank() <= STOPS));
    if let Some(reason) = stop.min_by_key(|reason| reason.code) {
        return reason;
    }
    let Some(gate) = chain.last() else { return Reason::new(Code::GateSilent) };
    if gate.passed.is_motion {
        moves(chain, gate)
    } else {
        held_back(chain).unwrap_or_else(|| idle(chain, gate))
    }
}

/// The stage of `chain` that `reason` is about; without one of its own the last gate.
pub fn stage_of<'a>(reason: &Reason, chain: &'a [Stage]) -> Option<&'a Stage> {
    let is_of = |stage: &&Stage| match reason.code {
        Code::StageHolds => stage.name == reason.names[0],
        Code::StickEarly if stage.findings.contain(Code::WaitsForZero) => true,
        code => stage.findings.contain(code),
    };
    chain.iter().find(is_of).or(chain.last())
}

/// The stage that knows who drives.
fn driver(chain: &[Stage]) -> Option<&Stage> {
    chain.iter().rev().find(|stage| !stage.by.is_empty())
}

fn moves(chain: &[Stage], gate: &Stage) -> Reason {
    let limits = chain.iter().filter_map(|stage| stage.findings.first(|reason| reason.rank() == 10));
    let found =
        gate.findings.first(|reason| reason.rank() == 9).or_else(|| limits.min_by_key(|reason| reason.code));
    found.unwrap_or_else(|| Reason::of(Code::Moves, driver(chain).map(|stage| stage.by.as_str())))
}

/// The reason of the first stage from the hand that passes no motion although it is asked for some.
fn held_back(chain: &[Stage]) -> Option<Reason> {
    let mut before: Option<&Stage> = None;
    for (index, stage) in chain.iter().enumerate() {
        let is_asked = stage.asked.is_motion || before.is_some_and(|before| before.passed.is_motion);
        let found = if is_asked && !stage.passed.is_motion {
            // Asked by the stage before it alone, it knows no source of its own that asks.
            let lost = |reason: &Reason| reason.rank() == 7 || reason.code == Code::StickSilent;
            let found =
                stage.findings.first(|reason| lost(reason) || stage.asked.is_motion && reason.rank() > 7);
            found.or(Some(Reason::of(Code::StageHolds, [stage.name.as_str()])))
        } else {
            // Each stage sends zeros while nobody asks for motion: silence is a fault in any case.
            stage.findings.first(|reason| matches!(reason.code, Code::CmdSilent | Code::CmdUnfit))
        };
        if let Some(reason) = found {
            let waits = matches!(reason.act(), Act::LetGo | Act::Synchronize);
            let repair = chain.get(index..).filter(|_| waits).and_then(repair);
            return Some(repair.unwrap_or_else(|| named(reason, stage, chain)));
        }
        before = Some(stage);
    }
    None
}

/// The reason that would hold back the next motion, too: it comes before an act with the stick, which would have to be done again.
fn repair(stages: &[Stage]) -> Option<Reason> {
    let is_repair = |reason: &Reason| {
        matches!(reason.code, Code::StageStopping | Code::StageInactive | Code::CmdSilent | Code::CmdUnfit)
            || (Code::ClockStands..=Code::Predicts).contains(&reason.code)
    };
    let found = stages.iter().filter_map(|stage| stage.findings.first(is_repair));
    found.min_by_key(|reason| reason.code)
}

/// A stage behind the arbiter does not know who sends its commands: whether a person has to let go, or which program has to be corrected.
fn named(reason: Reason, stage: &Stage, chain: &[Stage]) -> Reason {
    use Code::{CmdAhead, CmdInvalid, CmdTooOld, CmdUndriven, CmdUnjudged, DeadBand, TooSlow};
    match (reason.code, driver(chain)) {
        (
            CmdInvalid | CmdUnjudged | CmdUndriven | CmdTooOld | CmdAhead | DeadBand | TooSlow,
            Some(driver),
        ) if stage.by.is_empty() => Reason { names: [driver.by, reason.names[1], Name::NONE], ..reason },
        (Code::WaitsForZero, Some(driver)) if reason.names[0].is_empty() => {
            let code = if driver.by_hand { Code::StickEarly } else { Code::WaitsForZero };
            Reason::of(code, [driver.by.as_str()])
        }
        _ => reason,
    }
}

/// Nobody asks for motion.
fn idle(chain: &[Stage], gate: &Stage) -> Reason {
    let is_slow = |reason: &Reason| matches!(reason.code, Code::DeadBand | Code::TooSlow);
    let slow = |stage: &Stage| Some(named(stage.findings.first(is_slow)?, stage, chain));
    let unfit = |stage: &Stage| stage.findings.first(|reason| reason.code == Code::SourceUnfit);
    let found = repair(chain).or_else(|| chain.iter().find_map(slow));
    if let Some(reason) = found.or_else(|| chain.iter().find_map(unfit)) {
        return reason;
    }
    let idle = |stage: &Stage| stage.findings.first(|reason| reason.rank() == 8);
    let stick = |reason: &Reason| reason.code == Code::StickSilent;
    let is_stick_lost = chain.first().and_then(|first| first.findings.first(stick)); // no stage of a joystick is before it
    let with_device = chain.iter().find(|stage| stage.has_device).and_then(idle);
    // A source that is not a stick counts before a joystick without a device.
    let other = |reason: &Reason| matches!(reason.code, Code::SourceAtRest | Code::SourceSilent);
    let found = with_device
        .or(is_stick_lost)
        .or_else(|| chain.iter().find_map(|stage| stage.findings.first(other)))
        .or_else(|| chain.iter().find_map(idle));
    found.unwrap_or_else(|| Reason::of(Code::NoCommand, [gate.name.as_str()]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Flow;

    fn stage(name: &str, asks: bool, passes: bool, codes: &[Code]) -> Stage {
        let flow = |is_motion| Flow { is_motion, ..Flow::default() };
        let mut stage = Stage { asked: flow(asks), passed: flow(passes), ..Stage::new(name) };
        codes.iter().for_each(|&code| stage.find(code, [name]));
        stage
    }

    fn code(chain: &[Stage]) -> Code {
        choose(chain).code
    }

    #[test]
    fn a_stop_comes_first_in_the_order_in_which_it_is_resolved() {
        let mut chain = [
            stage("zone_scaler", true, false, &[Code::CmdConflict]),
            stage("hindbrain", true, false, &[Code::NotEnabled, Code::EstopLatched, Code::EstopPressed]),
        ];
        assert_eq!(code(&chain), Code::EstopPressed);
        chain[1] = stage("hindbrain", true, false, &[Code::NotEnabled, Code::EstopLatched]);
        assert_eq!(code(&chain), Code::EstopLatched);
        chain[1] = stage("hindbrain", true, false, &[Code::NotEnabled]);
        assert_eq!(code(&chain), Code::NotEnabled);
        chain[1] = stage("hindbrain", true, true, &[]);
        assert_eq!(code(&chain), Code::CmdConflict);
        // It is the reason, while the wheels still turn.
        assert_eq!(crate::Moves::in_chain(&choose(&chain), &chain), crate::Moves::Yes);
        chain[1] = stage("hindbrain", true, false, &[]);
        assert_eq!(crate::Moves::in_chain(&choose(&chain), &chain), crate::Moves::No);
        chain = [stage("zone_scaler", true, true, &[]), stage("hindbrain", true, true, &[Code::NoMotorNode])];
        assert_eq!(crate::Moves::in_chain(&choose(&chain), &chain), crate::Moves::No);
    }

    #[test]
    fn the_first_stage_from_the_hand_that_passes_nothing_is_named() {
        let passes = stage("joystick", true, true, &[]);
        let locked = stage("velocity_arbiter", true, false, &[Code::LockClosed]);
        let zones = stage("zone_scaler", true, false, &[Code::ZoneBlocked]);
        let gate = stage("hindbrain", true, false, &[Code::WayBlocked]);
        let clear = |name| stage(name, true, true, &[]);
        assert_eq!(code(&[passes, locked, zones, gate]), Code::LockClosed);
        assert_eq!(code(&[passes, clear("velocity_arbiter"), zones, gate]), Code::ZoneBlocked);
        assert_eq!(code(&[passes, clear("velocity_arbiter"), clear("zone_scaler"), gate]), Code::WayBlocked);
        let silent = stage("zone_scaler", false, false, &[]);
        assert_eq!(code(&[passes, clear("velocity_arbiter"), silent, gate]), Code::StageHolds, "it is asked");
    }

    #[test]
    fn silence_between_stages_is_named_although_nobody_asks() {
        let chain = [
            stage("joystick", false, false, &[Code::DeadMan]),
            stage("zone_scaler", false, false, &[Code::CmdSilent]),
            stage("hindbrain", false, false, &[]),
        ];
        assert_eq!(code(&chain), Code::CmdSilent);
    }

    #[test]
    fn nobody_asks_because_of_the_device_that_is_there_or_the_source_that_is_not() {
        let mut chain = [
            stage("joystick", false, false, &[Code::NoDevice]),
            stage("velocity_arbiter", false, false, &[Code::SourceSilent]),
            stage("hindbrain", false, false, &[]),
        ];
        assert_eq!(code(&chain), Code::SourceSilent);
        chain[0] = Stage { has_device: true, ..stage("joystick", false, false, &[Code::DeadMan]) };
        assert_eq!(code(&chain), Code::DeadMan);
        assert_eq!(code(&[stage("joystick", false, false, &[Code::NoDevice]), chain[2]]), Code::NoDevice);
        assert_eq!(code(&chain[2..]), Code::NoCommand);
        assert_eq!(code(&[]), Code::GateSilent);
    }

    #[test]
    fn a_stick_whose_node_died_is_missed_before_a_source_that_never_was() {
        let silent = stage("velocity_arbiter", false, false, &[Code::SourceSilent, Code::StickSilent]);
        let gate = stage("hindbrain", false, false, &[]);
        assert_eq!(code(&[silent, gate]), Code::StickSilent);
        let mut joystick = stage("joystick", false, false, &[Code::NoDevice]);
        assert_eq!(code(&[joystick, silent, gate]), Code::SourceSilent, "its node is there");
        joystick = stage("joystick", true, true, &[]);
        assert_eq!(code(&[joystick, silent, gate]), Code::StickSilent, "it just died");
        let other = stage("velocity_arbiter", false, false, &[Code::SourceSilent]);
        assert_eq!(code(&[joystick, other, gate]), Code::StageHolds, "no source has its topic");
    }

    #[test]
    fn it_moves_only_where_a_node_obeys() {
        let by = Name::from("nav");
        let arbiter = Stage { by, ..stage("velocity_arbiter", true, true, &[]) };
        let limited = stage("zone_scaler", true, true, &[Code::ZoneLimits]);
        let moving = stage("hindbrain", true, true, &[]);
        assert_eq!(choose(&[arbiter, moving]), Reason::of(Code::Moves, ["nav"]));
        assert_eq!(code(&[arbiter, limited, moving]), Code::ZoneLimits);
        assert_eq!(
            code(&[arbiter, limited, stage("hindbrain", true, true, &[Code::NoMotorNode])]),
            Code::NoMotorNode
        );
    }

    #[test]
    fn a_person_lets_go_and_a_program_sends_a_zero() {
        let gate = Stage { findings: Default::default(), ..stage("hindbrain", true, false, &[]) };
        let mut waits = gate;
        waits.find(Code::WaitsForZero, []);
        let arbiter = Stage { by: "nav".into(), ..stage("velocity_arbiter", true, true, &[]) };
        assert_eq!(choose(&[arbiter, waits]), Reason::of(Code::WaitsForZero, ["nav"]));
        let chain = [Stage { by_hand: true, ..arbiter }, waits, stage("hindbrain", false, false, &[])];
        assert_eq!(code(&chain), Code::StickEarly);
        assert_eq!(stage_of(&choose(&chain), &chain), Some(&waits), "which waits, not the last one");
        let chain = [arbiter, stage("zone_scaler", false, false, &[]), gate];
        assert_eq!(code(&chain), Code::StageHolds);
        assert_eq!(stage_of(&choose(&chain), &chain), Some(&chain[1]));
        assert_eq!(choose(&[waits]), Reason::new(Code::WaitsForZero));
    }

    #[test]
    fn what_stops_the_next_motion_too_is_repaired_before_the_stick_is_moved() {
        let stick = |passes, code| stage("joystick", true, passes, &[code]);
        let zones = stage("zone_scaler", false, false, &[Code::ScalingStale]);
        let gate = stage("hindbrain", false, false, &[]);
        assert_eq!(code(&[stick(false, Code::StickEarly), zones, gate]), Code::ScalingStale);
        assert_eq!(
            code(&[stage("joystick", false, false, &[Code::DeadMan]), zones, gate]),
            Code::ScalingStale
        );
        // Not a stage before the one that waits: another source asks.
        let arbiter = stage("velocity_arbiter", true, false, &[Code::WaitsForZero]);
        let unused = stage("joystick", false, false, &[Code::StageInactive]);
        assert_eq!(code(&[unused, arbiter, gate]), Code::WaitsForZero);
        // Clocks are not synchronized while none runs, whatever else stands with it.
        let old = stage("velocity_arbiter", true, false, &[Code::CmdTooOld]);
        let stands = stage("hindbrain", false, false, &[Code::ClockStands]);
        assert_eq!(code(&[old, zones, stands]), Code::ClockStands);
    }

    #[test]
    fn a_program_is_named_and_not_the_topic_of_a_later_stage() {
        let driver = Stage { by: "nav".into(), ..stage("velocity_arbiter", true, true, &[]) };
        let zones = stage("zone_scaler", true, false, &[Code::CmdInvalid]);
        let gate = stage("hindbrain", false, false, &[]);
        assert_eq!(choose(&[driver, zones, gate]), Reason::of(Code::CmdInvalid, ["nav"]));
        assert_eq!(choose(&[zones, gate]), Reason::of(Code::CmdInvalid, ["zone_scaler"]), "nothing is known");
        let slow = stage("hindbrain", false, false, &[Code::TooSlow]);
        assert_eq!(choose(&[driver, slow]), Reason::of(Code::TooSlow, ["nav"]));
    }

    /// Exactly one reason for every combination: each stage asks and passes or not, with each single finding.
    #[test]
    fn every_state_has_one_sentence_and_moves_only_with_moving_motors() {
        let flags = [false, true];
        for &one in Code::ALL {
            for bits in 0..64 {
                let is = |bit: usize| flags[bits >> bit & 1];
                let finding = [one];
                let codes = |here: bool| if here { &finding[..] } else { &[] };
                let chain = [
                    stage("joystick", is(0), is(1), codes(is(5))),
                    stage("hindbrain", is(2), is(3), codes(!is(5))),
                ];
                let reason = choose(&chain);
                assert!(!reason.sentence().is_empty());
                let moves = crate::Moves::of(&reason) == crate::Moves::Yes;
                assert!(!moves || is(3) || one.row().rank >= 10, "{chain:?}: {reason:?}");
            }
        }
    }
}
