//! The table of transitions once more, written down from its text and not from the code that is to be proved.

use hindbrain::core::{Cause, Causes, CoreParams, Rule, StopState, Wish};

use crate::witness::{Happened, Witness};

/// The state that follows from what was heard.
pub fn state(before: &Witness, heard: &Witness, happened: &Happened, params: &CoreParams) -> StopState {
    if !params.latch && !params.arming {
        return of_the_seed(before, heard, happened, params);
    }
    let blocked = is_blocked(before, heard, params);
    // An edge counts from the next step on.
    let armed = heard.armed && happened.was_armed || !params.arming;
    if heard.is_pressed(params) {
        StopState::Estop // T1
    } else if happened.overrun || heard.device == Some(false) {
        StopState::Fault // T2
    } else if before.is_latched() && params.latch {
        match (happened.reset, blocked) {
            (false, _) => before.state,
            (true, false) => StopState::SoftRos, // T3
            (true, true) => StopState::SoftBoth,
        }
    } else {
        let rival = heard.rivals && params.single_publisher;
        let held =
            !heard.is_enabled() || heard.is_lapsed(params) || !armed || rival || heard.is_unready(params);
        match (held, blocked) {
            (true, false) => StopState::SoftRos, // T4, T10
            (true, true) => StopState::SoftBoth,
            (false, true) => StopState::SoftIr, // T6, T10
            (false, false) if before.is_soft() && before.is_moving() => before.state,
            (false, false) => StopState::Ok, // T7
        }
    }
}

/// The original's states: each is the level of its causes, the e-stop before a fault before a soft stop.
pub fn of_the_seed(before: &Witness, heard: &Witness, happened: &Happened, params: &CoreParams) -> StopState {
    let [front, back] = is_blocked_by_pair(before, heard, params);
    let enabled = heard.is_enabled() && !heard.is_unready(params);
    match (enabled, front || back) {
        _ if heard.is_pressed(params) => StopState::Estop,
        _ if happened.overrun || heard.device == Some(false) => StopState::Fault,
        (false, true) => StopState::SoftBoth,
        (false, false) => StopState::SoftRos,
        (true, true) => StopState::SoftIr,
        (true, false) => StopState::Ok,
    }
}

/// The wish in force, without its turn where one pair is blocked.
pub fn wanted(heard: &Witness, params: &CoreParams) -> Wish {
    let wish = heard.wish.unwrap_or(Wish::ZERO);
    match heard.bad {
        [false, false] => wish,
        [true, true] => Wish::ZERO,
        _ if params.infrared.direction_policy => wish.straight(),
        _ => Wish::ZERO,
    }
}

/// Whether infra-red closes the way that is wanted or that the wheels still go.
fn is_blocked(before: &Witness, heard: &Witness, params: &CoreParams) -> bool {
    let [front, back] = is_blocked_by_pair(before, heard, params);
    front || back
}

fn is_blocked_by_pair(before: &Witness, heard: &Witness, params: &CoreParams) -> [bool; 2] {
    if !params.infrared.direction_policy || heard.bad == [true, true] {
        return heard.bad;
    }
    let wish = heard.wish.unwrap_or(Wish::ZERO);
    let moves_nothing = params.mapping.levels(wish, params.full) == [0, 0];
    let mostly_turns = wish.angular().abs() > wish.linear().abs();
    let leads_out = |out: bool| moves_nothing || (out && !mostly_turns);
    let rolls_forward = before.levels.iter().any(|&level| level > 0);
    let rolls_back = before.levels.iter().any(|&level| level < 0);
    [
        heard.bad[0] && (rolls_forward || !leads_out(wish.linear() < 0)),
        heard.bad[1] && (rolls_back || !leads_out(wish.linear() > 0)),
    ]
}

/// The causes of the state, from what was seen.
pub fn causes(seen: &Witness, params: &CoreParams) -> Causes {
    let latched = seen.is_latched() && params.latch;
    let not_armed = seen.is_enabled() && !seen.armed && params.arming;
    let rival = seen.rivals && params.single_publisher;
    let held = !seen.is_enabled() || not_armed || seen.is_lapsed(params) || rival || seen.is_unready(params);
    let no_longer = match seen.state {
        StopState::SoftRos => !held,
        StopState::SoftIr => seen.bad == [false, false],
        StopState::SoftBoth => !held || seen.bad == [false, false],
        StopState::Ok | StopState::Estop | StopState::Fault => false,
    };
    let silent = seen.is_silent(params) || seen.estop.is_none() && params.estop_required;
    let all = [
        (Cause::NeutralWait, seen.state == StopState::Ok && params.zero_first && !seen.zero_seen),
        (Cause::CommandInvalid, seen.invalid),
        (Cause::CommandStale, seen.wish.is_none()),
        (Cause::FrontBlocked, seen.bad[0]),
        (Cause::BackBlocked, seen.bad[1]),
        (Cause::IrInvalid, seen.eyes[1]),
        (Cause::IrStale, seen.eyes[0]),
        (Cause::Settling, no_longer),
        (Cause::NotArmed, not_armed && !latched),
        (Cause::LeaseLapsed, seen.is_lapsed(params)),
        (Cause::RivalPublishers, seen.rivals),
        (Cause::NotEnabled, !seen.is_enabled()),
        (Cause::DeviceUnready, seen.is_unready(params)),
        (Cause::Latched, latched),
        (Cause::EstopStale, silent),
        (Cause::EstopPressed, seen.estop == Some(true)),
        (Cause::DeviceLost, seen.device == Some(false)),
        (Cause::Overrun, seen.overrun),
    ];
    all.into_iter().fold(Causes::NONE, |causes, (cause, is)| causes.with(cause, is))
}

/// Whether `rule` may lead from one state to the other by what its row says.
pub fn rule_fits(rule: Option<Rule>, from: StopState, to: StopState, params: &CoreParams) -> bool {
    let Some(rule) = rule else { return from == to };
    let [from_text, _, to_text, _] = rule.row();
    // The row of T3 says it in words: without a latch it goes on with T4, T6 and T7.
    let goes_on = rule == Rule::T3 && !params.latch && to == StopState::Ok;
    from != to && is_named(from_text, from) && (is_named(to_text, to) || goes_on)
}

/// Whether `state` is in a row's list.
fn is_named(list: &str, state: StopState) -> bool {
    let name = name(state);
    list.split(", ").any(|word| word == "any" || word == name || word == "SSTOP" && name.starts_with("SSTOP"))
}

/// The state's name where a fault is told from an emergency stop.
pub fn name(state: StopState) -> &'static str {
    if state == StopState::Fault { "FAULT" } else { state.as_str() }
}
