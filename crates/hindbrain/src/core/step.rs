use super::{Blame, CoreParams, Device, EstopLine, Gate, HeldCommand, Inputs, Mode, Outputs, Rule, SoftStop, State, Wish};

/// One step of the stop state machine: what follows from `state` when `inputs` happened.
///
/// Time passes, the inputs are heard, and the first [`Rule`] that applies decides on the state; otherwise it stays. The
/// table of the rules is in the crate's README, generated from [`Rule::row`].
///
/// Total: any state, inputs and parameters have a successor; nothing panics, overflows or allocates.
/// # Source
/// own, around the states and strings of hindbrain (Bravo, 2016), after ISO 13850 (an emergency stop stays until it is
/// reset, and reset starts nothing) and LinuxCNC's `estop_latch`. An overrun while everything stands is no fault, since
/// nothing ran unwatched; T3 leads to blame BOTH where the gate is closed.
pub fn step(state: &State, inputs: &Inputs, params: &CoreParams) -> (State, Outputs) {
    let mut next = *state;
    next.pass_time(inputs.dt, params);
    let armed_before = next.armed;
    let reset = next.hear(inputs, params);

    let wish = next.command.wish.unwrap_or(Wish::ZERO);
    let rests = params.mapping.levels(wish, params.full) == [0, 0];
    let policy = params.infrared.direction_policy;
    let gate = Gate::new(next.bad_pairs(params), wish, rests, state.levels(), policy);
    let could_move = state.mode == Mode::Ok || state.is_rolling();
    let overrun = could_move && (inputs.unwatched || inputs.dt > params.overrun_limit);
    let stopped_by = if next.estop.is_pressed(params.estop_required) {
        Some(Mode::Estop) // T1
    } else if overrun || next.device == Device::Lost {
        Some(Mode::Fault) // T2
    } else {
        None
    };
    // An edge arms for the next step on: no step leads from an edge to motion.
    let ros = next.is_held_by_ros(params) || params.arming && !armed_before;
    let ir = gate == Gate::Closed;
    next.mode = stopped_by.unwrap_or(match state.mode {
        Mode::Estop | Mode::Fault if params.latch && !reset => state.mode,
        Mode::Estop | Mode::Fault if params.latch => Mode::Soft(if ir { Blame::Both } else { Blame::Ros }), // T3
        _ => match (Blame::of(ros, ir), state.mode) {
            (Some(blame), _) => Mode::Soft(blame), // T4, T6, T10
            (None, Mode::Soft(blame)) if state.is_rolling() => Mode::Soft(blame), // still braking
            (None, _) => Mode::Ok,                 // T7
        },
    });

    next.overrun = next.mode == Mode::Fault && (overrun || state.overrun);
    next.settle(state.mode, stopped_by.is_some(), inputs, params);
    next.drive(state.mode, gate, inputs.dt, params);
    let outputs = Outputs {
        levels: next.levels(),
        state: next.mode.into(),
        causes: next.causes(params),
        rule: Rule::between(state.mode, next.mode),
    };
    (next, outputs)
}

impl Rule {
    /// The rule that leads from one state to another; `None` from a state to itself.
    const fn between(before: Mode, after: Mode) -> Option<Self> {
        match (before, after) {
            (Mode::Estop, Mode::Estop) | (Mode::Fault, Mode::Fault) | (Mode::Ok, Mode::Ok) => None,
            (_, Mode::Estop) => Some(Self::T1),
            (_, Mode::Fault) => Some(Self::T2),
            (Mode::Estop | Mode::Fault, _) => Some(Self::T3),
            (Mode::Soft(_), Mode::Ok) => Some(Self::T7),
            (Mode::Ok, Mode::Soft(Blame::Ir)) => Some(Self::T6),
            (Mode::Ok, Mode::Soft(_)) => Some(Self::T4),
            (Mode::Soft(was), Mode::Soft(is)) if was as u8 == is as u8 => None,
            (Mode::Soft(_), Mode::Soft(_)) => Some(Self::T10),
        }
    }
}

impl State {
    /// Lets `dt` pass: what is not repeated in time lapses, and stays so until it is heard again.
    fn pass_time(&mut self, dt: u64, params: &CoreParams) {
        if let EstopLine::Released { age } = &mut self.estop {
            *age = age.saturating_add(dt);
            if *age >= params.estop_timeout {
                self.estop = EstopLine::Silent;
            }
        }
        if self.command.wish.is_some() {
            self.command.age = self.command.age.saturating_add(dt);
            if self.command.age >= params.command_timeout {
                self.command.wish = None;
                self.command.age = 0;
            }
        }
        if params.lease > 0 && self.is_enabled() {
            self.lease_age = self.lease_age.saturating_add(dt).min(params.lease);
            if self.lease_age >= params.lease {
                self.armed = false;
            }
        } else {
            self.lease_age = 0;
        }
        for eye in &mut self.eyes {
            eye.pass_time(dt, &params.infrared.sight);
        }
    }

    /// Takes note of what came; whether the reset button was let go.
    fn hear(&mut self, inputs: &Inputs, params: &CoreParams) -> bool {
        match inputs.estop {
            Some(true) => self.estop = EstopLine::Pressed,
            Some(false) => self.estop = EstopLine::Released { age: 0 },
            None => {}
        }
        let mut reset = false;
        if let Some(down) = inputs.reset {
            let was_down = self.reset.down;
            reset = !down && self.reset.pressed_in_time;
            self.reset.pressed_in_time =
                down && (self.reset.pressed_in_time || !was_down && self.mode.is_latched());
            self.reset.down = down;
        }
        if let Some(enabled) = inputs.enable {
            if enabled && self.enabled == Some(false) {
                self.armed = true; // T5
            }
            self.enabled = Some(enabled);
            self.lease_age = 0;
        }
        for (index, reading) in inputs.infrared.into_iter().enumerate() {
            if let Some(reading) = reading
                && params.infrared.fitted[index]
            {
                self.eyes[index].receive(reading, &params.infrared.sight);
            }
        }
        match inputs.command {
            Some(Ok(wish)) if inputs.command_age < params.command_timeout => {
                self.command =
                    HeldCommand { wish: Some(wish), age: inputs.command_age, followed_by_invalid: false };
            }
            // A stop is never too late: it ends what is in force, and sets nothing.
            Some(Ok(Wish::ZERO)) => self.command = HeldCommand::default(),
            // It neither sets a wish nor keeps the last one fresh.
            Some(_) => self.command.followed_by_invalid = true,
            None => {}
        }
        self.rivals = inputs.rivals.unwrap_or(self.rivals);
        self.device = match inputs.device {
            Some(true) => Device::Works,
            Some(false) => Device::Lost,
            None => self.device,
        };
        reset
    }

    /// Brings the memory in line with the mode that was just decided.
    fn settle(&mut self, before: Mode, stopped_by: bool, inputs: &Inputs, params: &CoreParams) {
        let enters_ok = before != Mode::Ok && self.mode == Mode::Ok;
        if self.mode != Mode::Ok {
            self.neutral = false;
        }
        let command = inputs.fresh_command(params);
        if enters_ok && command.is_none() && self.command.wish.is_some() {
            // What was said to a vehicle that stood is not what it shall do now.
            self.command.wish = Some(Wish::ZERO);
        }
        if self.mode == Mode::Ok
            && let Some(wish) = command
            && wish.is_within(params.deadband)
        {
            self.neutral = true; // T8
        }
        let rearm = match self.mode {
            Mode::Soft(blame) => params.infrared.rearm && blame.is_ir() && before == Mode::Ok,
            _ => false,
        };
        if !self.is_enabled() || before.is_latched() || self.mode.is_latched() || rearm {
            self.armed = false; // what came while latched is no edge either
        }
        if stopped_by {
            self.reset.pressed_in_time = false; // pressed before the cause was gone
        }
    }

    /// Moves the wheels; the step that enters OK does not move them yet.
    fn drive(&mut self, before: Mode, gate: Gate, dt: u64, params: &CoreParams) {
        let stays_ok = before == Mode::Ok && self.mode == Mode::Ok;
        let may_move = stays_ok && (self.neutral || !params.zero_first);
        let wish = match self.command.wish {
            Some(wish) if may_move => gate.pass(wish),
            _ => Wish::ZERO, // T9
        };
        let cut = self.mode.is_latched() || self.mode.is_soft() && params.soft_stop == SoftStop::Cut;
        for (wheel, target) in self.wheels.iter_mut().zip(params.mapping.levels(wish, params.full)) {
            if cut {
                wheel.cut(dt, &params.slopes);
            } else {
                wheel.advance(target, dt, &params.slopes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::StopState;

    /// Both profiles arm where they latch and do not where they do not; a reset starts nothing whatever the parameters.
    #[test]
    fn a_reset_leads_to_a_soft_stop_even_where_the_level_of_enable_counts() {
        let params = CoreParams { estop_required: true, arming: false, ..CoreParams::default() };
        let mut state = State::boot(&params);
        let mut hear = |inputs: Inputs| {
            let (next, outputs) = step(&state, &inputs, &params);
            state = next;
            outputs.state
        };
        hear(Inputs { estop: Some(false), enable: Some(true), ..Inputs::default() });
        hear(Inputs { reset: Some(true), ..Inputs::default() });
        assert_eq!(hear(Inputs { reset: Some(false), ..Inputs::default() }), StopState::SoftRos);
        assert_eq!(hear(Inputs::default()), StopState::Ok);
    }
}
