//! What must hold on every step, numbered from I1 on, stated about what goes in and what comes out.

use hindbrain::Cause;
use hindbrain::core::{EstopLine, Inputs, Mode, SoftStop, StopState, step};

use crate::walker::{Edge, T};

/// What must hold on an edge.
type Holds = fn(&Edge) -> bool;

pub fn check(edge: &Edge) -> Result<(), String> {
    let named: [(&str, Holds); 18] = [
        ("I1 a stop is zero", stop_is_zero),
        ("I1 a ramp brakes only", ramp_brakes_only),
        ("I2 a level is in range", level_is_in_range),
        ("I3 a slope is kept", slope_is_kept),
        ("I4 the sign changes through zero", sign_changes_through_zero),
        ("I4 a wheel stands for a tick at zero", stands_at_zero),
        ("I5 a latch opens by reset only", latch_opens_by_reset_only),
        ("I6 OK begins at zero", ok_begins_at_zero),
        ("I7 motion has its reasons", motion_has_its_reasons),
        ("I8 not enabled is zero", not_enabled_is_zero),
        ("I9 stale never gets faster", stale_never_gets_faster),
        ("I10 an invalid command is as none", invalid_is_as_none),
        ("I11 the state has its causes", state_has_its_causes),
        ("arming takes an edge", arming_takes_an_edge),
        ("neutral takes a zero wish", neutral_takes_a_zero_wish),
        ("memory fits the mode", memory_fits_the_mode),
        ("the e-stop is obeyed", estop_is_obeyed),
        ("nothing drives toward a bad pair", nothing_drives_toward_a_bad_pair),
    ];
    match named.iter().find(|(_, holds)| !holds(edge)) {
        Some((name, _)) => Err((*name).into()),
        None => Ok(()),
    }
}

fn wheels<'a>(edge: &'a Edge) -> impl Iterator<Item = (i16, i16)> + 'a {
    edge.before.levels().into_iter().zip(edge.outputs.levels)
}

fn is_stopped(edge: &Edge) -> bool {
    edge.outputs.levels == [0, 0]
}

fn is_cut(edge: &Edge) -> bool {
    edge.params.soft_stop == SoftStop::Cut || edge.after.mode.is_latched()
}

fn stop_is_zero(edge: &Edge) -> bool {
    edge.outputs.state == StopState::Ok || !is_cut(edge) || is_stopped(edge)
}

fn ramp_brakes_only(edge: &Edge) -> bool {
    edge.outputs.state == StopState::Ok
        || wheels(edge).all(|(before, after)| after.abs() <= before.abs() && after * before >= 0)
}

fn level_is_in_range(edge: &Edge) -> bool {
    edge.outputs.levels.iter().all(|level| level.abs() <= edge.params.full)
}

fn slope_is_kept(edge: &Edge) -> bool {
    let dt = edge.inputs.dt.min(T) as f64 / 1e9;
    let most = |slope: u64| slope as f64 / 1000.0 * dt;
    wheels(edge).all(|(before, after)| {
        let change = f64::from(after.abs() - before.abs());
        // What is left over from earlier is less than a count.
        let faster = change < most(edge.params.slopes.accel) + 1.0;
        let slower = -change < most(edge.params.slopes.decel) + 1.0;
        faster && (slower || edge.outputs.state != StopState::Ok)
    })
}

fn sign_changes_through_zero(edge: &Edge) -> bool {
    wheels(edge).all(|(before, after)| before * after >= 0)
}

/// Without a tick in between the wheel does not leave zero: what it does in no time at all it must not do.
fn stands_at_zero(edge: &Edge) -> bool {
    let came_to_zero = |(before, after): &(i16, i16)| *before != 0 && *after == 0;
    if !wheels(edge).any(|wheel| came_to_zero(&wheel)) {
        return true;
    }
    let again = Inputs { dt: T - 1, command: edge.inputs.command, ..Inputs::default() };
    let (_, outputs) = step(edge.after, &again, edge.params);
    wheels(edge).zip(outputs.levels).all(|(wheel, level)| !came_to_zero(&wheel) || level == 0)
}

fn latch_opens_by_reset_only(edge: &Edge) -> bool {
    let opened = edge.before.mode.is_latched() && !edge.after.mode.is_latched();
    let let_go = edge.before.reset.down && edge.inputs.reset == Some(false);
    let released = match edge.after.estop {
        EstopLine::Unheard => !edge.params.estop_required,
        EstopLine::Released { age } => age < edge.params.estop_timeout,
        EstopLine::Pressed | EstopLine::Silent => false,
    };
    !opened || (let_go && released && edge.after.mode.is_soft() && !edge.after.armed)
}

fn ok_begins_at_zero(edge: &Edge) -> bool {
    let began = edge.before.mode != Mode::Ok && edge.after.mode == Mode::Ok;
    !began || (edge.before.levels() == [0, 0] && is_stopped(edge))
}

fn motion_has_its_reasons(edge: &Edge) -> bool {
    let after = edge.after;
    let good_estop = !after.estop.is_pressed(edge.params.estop_required);
    let neutral = after.neutral || !edge.params.zero_first;
    is_stopped(edge) || !is_cut(edge) || (after.enabled && after.armed && neutral && good_estop)
}

fn not_enabled_is_zero(edge: &Edge) -> bool {
    edge.inputs.enable != Some(false) || !is_cut(edge) || is_stopped(edge)
}

fn stale_never_gets_faster(edge: &Edge) -> bool {
    edge.after.command.wish.is_some() || wheels(edge).all(|(before, after)| after.abs() <= before.abs())
}

fn invalid_is_as_none(edge: &Edge) -> bool {
    if !matches!(edge.inputs.command, Some(Err(_))) {
        return true;
    }
    let (mut none, _) = step(edge.before, &Inputs { command: None, ..*edge.inputs }, edge.params);
    none.command.followed_by_invalid = true;
    none == *edge.after
}

fn state_has_its_causes(edge: &Edge) -> bool {
    let has = |cause| edge.outputs.causes.contains(cause);
    let ros = has(Cause::NotEnabled) || has(Cause::NotArmed) || has(Cause::Settling);
    let ir = has(Cause::FrontBlocked) || has(Cause::BackBlocked) || has(Cause::Settling);
    match edge.outputs.state {
        StopState::Ok => !ros && !has(Cause::Latched),
        StopState::SoftRos => ros,
        StopState::SoftIr => ir,
        StopState::SoftBoth => ros && ir,
        StopState::Estop => has(Cause::Latched),
        StopState::Fault => has(Cause::Latched) && has(Cause::Overrun),
    }
}

fn arming_takes_an_edge(edge: &Edge) -> bool {
    let armed = !edge.before.armed && edge.after.armed;
    let is_edge = !edge.before.enabled && edge.inputs.enable == Some(true);
    !armed || (is_edge && !edge.before.mode.is_latched() && edge.after.mode.is_soft())
}

fn neutral_takes_a_zero_wish(edge: &Edge) -> bool {
    let neutral = !edge.before.neutral && edge.after.neutral;
    let zero = matches!(edge.inputs.command, Some(Ok(wish)) if wish.is_within(edge.params.deadband));
    !neutral || (zero && edge.after.mode == Mode::Ok)
}

fn memory_fits_the_mode(edge: &Edge) -> bool {
    let after = edge.after;
    let armed = !after.armed || (after.enabled && !after.mode.is_latched());
    let neutral = !after.neutral || after.mode == Mode::Ok;
    armed && neutral && (!after.reset.pressed_in_time || after.mode.is_latched())
}

fn estop_is_obeyed(edge: &Edge) -> bool {
    edge.inputs.estop != Some(true) || (edge.outputs.state == StopState::Estop && is_stopped(edge))
}

fn nothing_drives_toward_a_bad_pair(edge: &Edge) -> bool {
    let [front, back] = edge.after.bad_pairs(edge.params);
    if !is_cut(edge) {
        return true;
    }
    if !edge.params.infrared.direction_policy || (front && back) {
        return !(front || back) || is_stopped(edge);
    }
    edge.outputs.levels.iter().all(|&level| !(front && level > 0 || back && level < 0))
}
