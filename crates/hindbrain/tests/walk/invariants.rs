//! What must hold on every step, I1 to I14, said of what the witness saw: inputs, outputs and what it wrote down.
//!
//! I12 to I14 are about more than one step: the walk finds them. W1 to W3 tie the machine to the witness and to its parts.

use hindbrain::Motors;
use hindbrain::core::{CoreParams, Inputs, Outputs, SoftStop, State, StopState, Wish, step};
use units::Stamp;

use crate::table;
use crate::witness::{Happened, Witness};

/// One step of the walk.
pub struct Edge<'a> {
    pub params: &'a CoreParams,
    pub inputs: &'a Inputs,
    pub outputs: &'a Outputs,
    /// The states, for what is said of the core's parts and to go on from.
    pub states: [&'a State; 2],
    pub before: Witness,
    /// What was heard, before it is known what came of it.
    pub heard: Witness,
    pub happened: Happened,
    pub after: Witness,
}

impl<'a> Edge<'a> {
    /// The edge from one state to another, and what the witness makes of it; `before` is the first state in its words.
    pub fn new(
        params: &'a CoreParams,
        before: Witness,
        states: [&'a State; 2],
        inputs: &'a Inputs,
        outputs: &'a Outputs,
    ) -> Self {
        let mut heard = before;
        let happened = heard.hear(inputs, &Witness::of(states[1], params), params);
        let mut after = heard;
        after.see(inputs, &happened, outputs, params);
        Self { params, inputs, outputs, states, before, heard, happened, after }
    }

    /// The levels before and after.
    pub fn wheels(&self) -> impl Iterator<Item = (i16, i16)> {
        self.before.levels.into_iter().zip(self.after.levels)
    }

    /// Whether what ends motion now ends it at once.
    pub fn is_cut(&self) -> bool {
        self.params.soft_stop == SoftStop::Cut || self.after.is_latched()
    }
}

/// A number, a sentence, and what must hold on an edge.
pub struct Invariant {
    pub name: &'static str,
    pub text: &'static str,
    holds: fn(&Edge) -> bool,
}

/// The invariants of single steps, those that find most first.
pub const INVARIANTS: [Invariant; 16] = [
    Invariant {
        name: "I1",
        text: "a stop is zero, or brakes with every tick where a ramp is asked for",
        holds: stop_is_zero,
    },
    Invariant {
        name: "I2",
        text: "no level is beyond full, no servo value outside 24 to 156",
        holds: level_is_in_range,
    },
    Invariant {
        name: "I3",
        text: "no step is steeper than its slope, nor is any time (`seed`: one count in 50 ms both ways)",
        holds: slope_is_kept,
    },
    Invariant {
        name: "I4",
        text: "the sign changes through zero, and a wheel rests there (`strict`: for a tick)",
        holds: sign_changes_through_zero,
    },
    Invariant {
        name: "I5",
        text: "ESTOP and FAULT are left by the reset button alone, with no cause left, to a soft stop, disarmed (`seed`: with their cause)",
        holds: latch_opens_by_reset_only,
    },
    Invariant { name: "I6", text: "OK begins at level zero", holds: ok_begins_at_zero },
    Invariant {
        name: "I7",
        text: "what moves is enabled, armed, within its lease, has seen a zero command, and nothing stands against it: e-stop, fault, motor controller, rival, infra-red",
        holds: motion_has_its_reasons,
    },
    Invariant {
        name: "I8",
        text: "an enable of false stops in the same step, and so does the e-stop",
        holds: stop_is_obeyed,
    },
    Invariant {
        name: "I9",
        text: "a level grows only toward what a fresh command wants, never beyond",
        holds: growth_is_wanted,
    },
    Invariant {
        name: "I10",
        text: "what is no command neither sets a target nor keeps one fresh",
        holds: invalid_is_as_none,
    },
    Invariant {
        name: "I11",
        text: "the published state is the table's for this very snapshot",
        holds: state_is_the_tables,
    },
    Invariant {
        name: "I11",
        text: "its causes are those of this snapshot, each and no other",
        holds: causes_are_the_snapshots,
    },
    Invariant {
        name: "I11",
        text: "the rule fits its row, and there is one whenever the state changes",
        holds: rule_fits_its_row,
    },
    Invariant {
        name: "W1",
        text: "the core remembers what was heard, as the witness wrote it down",
        holds: memory_is_what_was_heard,
    },
    Invariant {
        name: "W2",
        text: "the sensors' verdicts are fed with readings and time",
        holds: eyes_are_fed,
    },
    Invariant { name: "W3", text: "the wheels are driven to what the table says", holds: wheels_are_driven },
];

/// The first invariant that the edge breaks.
pub fn broken(edge: &Edge) -> Option<&'static Invariant> {
    INVARIANTS.iter().find(|invariant| !(invariant.holds)(edge))
}

fn stop_is_zero(edge: &Edge) -> bool {
    if edge.after.state == StopState::Ok {
        return true;
    }
    if edge.is_cut() {
        return !edge.after.is_moving();
    }
    let least = edge.params.slopes.decel.saturating_mul(edge.inputs.dt.min(edge.params.slopes.tick)) / COUNT;
    edge.wheels().all(|(before, after)| {
        let [was, is] = [before, after].map(|level| u64::from(level.unsigned_abs()));
        after == 0 || (after.signum() == before.signum() && is <= was.saturating_sub(least))
    })
}

fn level_is_in_range(edge: &Edge) -> bool {
    let motors = Motors::from_levels(edge.after.levels, Stamp::ZERO);
    let is_servo = [motors.port, motors.starboard].iter().all(|servo| (24..=156).contains(servo));
    is_servo && edge.after.levels.iter().all(|level| level.abs() <= edge.params.full)
}

/// A count in thousandths of a count per second, times nanoseconds.
pub const COUNT: u64 = 1_000_000_000_000;

fn slope_is_kept(edge: &Edge) -> bool {
    let slopes = &edge.params.slopes;
    let dt = edge.inputs.dt.min(slopes.tick);
    // What earlier steps left over is less than a count.
    let within = |counts: i32, slope: u64| {
        counts <= 0
            || u128::from(counts.unsigned_abs() - 1) * u128::from(COUNT) < u128::from(slope) * u128::from(dt)
    };
    edge.wheels().all(|(before, after)| {
        let growth = i32::from(after.abs()) - i32::from(before.abs());
        let is_braking = edge.after.state == StopState::Ok || !edge.is_cut();
        within(growth, slopes.accel) && (!is_braking || within(-growth, slopes.decel))
    })
}

/// Without the rest in between a wheel does not leave zero: what it does in less time it must not do.
fn sign_changes_through_zero(edge: &Edge) -> bool {
    if !edge.wheels().all(|(before, after)| i32::from(before) * i32::from(after) >= 0) {
        return false;
    }
    let came_to_zero = |(before, after): (i16, i16)| before != 0 && after == 0;
    let Some(shorter) = edge.params.slopes.rest.checked_sub(1) else { return true };
    if !edge.wheels().any(came_to_zero) {
        return true;
    }
    let again = Inputs { dt: shorter, command: edge.inputs.command, ..Inputs::default() };
    let (_, outputs) = step(edge.states[1], &again, edge.params);
    edge.wheels().zip(outputs.levels).all(|(wheel, level)| !came_to_zero(wheel) || level == 0)
}

fn latch_opens_by_reset_only(edge: &Edge) -> bool {
    let Edge { before, heard, after, happened, params, .. } = edge;
    if !params.latch {
        return after.state == table::of_the_seed(before, heard, happened, params);
    }
    let opened = before.is_latched() && !after.is_latched();
    let let_go = before.button && edge.inputs.reset == Some(false);
    let gone = !heard.is_pressed(params) && heard.device != Some(false);
    !opened || (let_go && before.click && gone && after.is_soft() && !after.armed && !after.is_moving())
}

fn ok_begins_at_zero(edge: &Edge) -> bool {
    let began = edge.before.state != StopState::Ok && edge.after.state == StopState::Ok;
    !began || (!edge.before.is_moving() && !edge.after.is_moving())
}

fn motion_has_its_reasons(edge: &Edge) -> bool {
    let Edge { after, params, .. } = edge;
    let runs_down = after.is_soft() && !edge.is_cut(); // I1 has it
    if !after.is_moving() || runs_down {
        return true;
    }
    let willed = after.is_enabled()
        && !after.is_lapsed(params)
        && (after.armed || !params.arming)
        && (after.zero_seen || !params.zero_first);
    let watched = !after.is_pressed(params) && !edge.happened.overrun;
    let connected = after.device != Some(false)
        && !after.is_unready(params)
        && !(after.rivals && params.single_publisher);
    willed && watched && connected && after.state == StopState::Ok && is_clear(edge)
}

/// Nothing drives toward a pair that counts as blocked, nor turns beside one; without the policy nothing drives at all.
fn is_clear(edge: &Edge) -> bool {
    let [port, starboard] = edge.after.levels;
    match edge.after.bad {
        [false, false] => true,
        [true, true] => false,
        _ if !edge.params.infrared.direction_policy => false,
        [true, false] => port <= 0 && starboard <= 0,
        [false, true] => port >= 0 && starboard >= 0,
    }
}

fn stop_is_obeyed(edge: &Edge) -> bool {
    let Edge { after, inputs, .. } = edge;
    let brakes = edge.wheels().all(|(before, after)| after.abs() <= before.abs());
    let stops = if edge.is_cut() { !after.is_moving() } else { brakes };
    let disabled = inputs.enable == Some(false);
    let pressed = inputs.estop == Some(true);
    (!disabled || (after.state != StopState::Ok && stops))
        && (!pressed || (after.state == StopState::Estop && !after.is_moving()))
}

fn growth_is_wanted(edge: &Edge) -> bool {
    let wanted = table::wanted(&edge.heard, edge.params);
    let wish = edge.after.wish.map_or(Wish::ZERO, |_| wanted);
    let targets = edge.params.mapping.levels(wish, edge.params.full);
    edge.wheels().zip(targets).all(|((before, after), target)| {
        let grows = after.abs() > before.abs();
        !grows || (after.signum() == target.signum() && after.abs() <= target.abs())
    })
}

fn invalid_is_as_none(edge: &Edge) -> bool {
    if !matches!(edge.inputs.command, Some(Err(_))) {
        return true;
    }
    let (mut none, outputs) = step(edge.states[0], &Inputs { command: None, ..*edge.inputs }, edge.params);
    none.command.followed_by_invalid = true;
    none == *edge.states[1] && outputs.levels == edge.outputs.levels && outputs.state == edge.outputs.state
}

fn state_is_the_tables(edge: &Edge) -> bool {
    edge.outputs.state == table::state(&edge.before, &edge.heard, &edge.happened, edge.params)
}

fn causes_are_the_snapshots(edge: &Edge) -> bool {
    edge.outputs.causes == table::causes(&edge.after, edge.params)
}

fn rule_fits_its_row(edge: &Edge) -> bool {
    table::rule_fits(edge.outputs.rule, edge.before.state, edge.after.state, edge.params)
}

fn memory_is_what_was_heard(edge: &Edge) -> bool {
    edge.after == Witness::of(edge.states[1], edge.params)
}

fn eyes_are_fed(edge: &Edge) -> bool {
    let Edge { params, inputs, states: [before, after], .. } = edge;
    let sight = &params.infrared.sight;
    (0..4).all(|place| {
        let mut eye = before.eyes[place];
        eye.pass_time(inputs.dt, sight);
        if let Some(reading) = inputs.infrared[place].filter(|_| params.infrared.fitted[place]) {
            eye.receive(reading, sight);
        }
        eye == after.eyes[place]
    })
}

fn wheels_are_driven(edge: &Edge) -> bool {
    let Edge { params, inputs, states: [before, after], .. } = edge;
    let drives = edge.before.state == StopState::Ok && edge.after.state == StopState::Ok;
    let may_move = drives && (edge.after.zero_seen || !params.zero_first);
    let wish = if may_move { table::wanted(&edge.heard, params) } else { Wish::ZERO };
    let targets = params.mapping.levels(wish, params.full);
    (0..2).all(|side| {
        let mut wheel = before.wheels[side];
        if edge.after.state != StopState::Ok && edge.is_cut() {
            wheel.cut(inputs.dt, &params.slopes);
        } else {
            wheel.advance(targets[side], inputs.dt, &params.slopes);
        }
        wheel == after.wheels[side]
    })
}

/// W4, of a state: silence changes what lapses by itself just when the core says that it will, and not before.
pub fn lapses_in_time(state: &State, params: &CoreParams) -> bool {
    let lapsed = |state: &State| {
        let eyes = state.eyes.map(|eye| (eye.is_bad(), eye.reading()));
        let is_fitted = |place: usize| params.infrared.fitted[place].then_some(eyes[place]);
        let pressed = state.estop.is_pressed(params.estop_required);
        (pressed, state.command.wish.is_some(), state.is_lapsed(params), [0, 1, 2, 3].map(is_fitted))
    };
    let after = |dt: u64| lapsed(&step(state, &Inputs::after(dt), params).0);
    match state.expires_in(params) {
        None => after(u64::MAX) == lapsed(state),
        Some(left) => after(left) != lapsed(state) && after(left.saturating_sub(1)) == lapsed(state),
    }
}
