//! Somebody who only saw what went in and what came out, and wrote down by himself what counts of it.
//!
//! On every edge of the walk what the witness writes down must be what the core remembers ([`Witness::of`]); so by
//! induction over the ways there it is the truth in every reachable state, and the invariants may be stated about it.

use hindbrain::core::{CoreParams, Device, EstopLine, Inputs, Outputs, Reading, State, StopState, Wish};

/// What was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Witness {
    pub state: StopState,
    pub levels: [i16; 2],
    /// The last level of enable.
    pub enable: Option<bool>,
    /// How long ago enable was last heard, where a lease runs, at most the lease.
    pub lease: u64,
    /// Whether enable went from false to true since the last stop that asks for it.
    pub armed: bool,
    /// Whether a zero command came since the state is OK.
    pub zero_seen: bool,
    /// The last level of the emergency stop, and for how long a released one has been silent, at most the time-out.
    pub estop: Option<bool>,
    pub estop_silent: u64,
    pub button: bool,
    /// Whether the button went down while a stop was latched for which there was no cause any more.
    pub click: bool,
    /// The command in force and its age.
    pub wish: Option<Wish>,
    pub wish_age: u64,
    pub invalid: bool,
    pub rivals: bool,
    pub device: Option<bool>,
    /// Whether nobody watched, which led to the fault.
    pub overrun: bool,
    /// Whether the front and the back pair count as blocked.
    pub bad: [bool; 2],
    /// Whether a fitted sensor is silent, and whether one sends what is no measurement.
    pub eyes: [bool; 2],
}

/// What happened in one step, beside what is remembered of it.
#[derive(Clone, Copy, Debug)]
pub struct Happened {
    pub was_armed: bool,
    /// The reset button was let go, and counts.
    pub reset: bool,
    pub overrun: bool,
}

impl Witness {
    /// Before anything has happened.
    pub fn at_start(params: &CoreParams) -> Self {
        let [front_port, front_starboard, back_port, back_starboard] = params.infrared.fitted;
        Self {
            state: if params.estop_required { StopState::Estop } else { StopState::SoftRos },
            levels: [0, 0],
            enable: None,
            lease: 0,
            armed: false,
            zero_seen: false,
            estop: None,
            estop_silent: 0,
            button: false,
            click: false,
            wish: None,
            wish_age: 0,
            invalid: false,
            rivals: false,
            device: None,
            overrun: false,
            bad: [front_port || front_starboard, back_port || back_starboard],
            eyes: [params.infrared.fitted.contains(&true), false],
        }
    }

    /// The core's memory, in the witness's words.
    pub fn of(state: &State, params: &CoreParams) -> Self {
        let (estop, estop_silent) = match state.estop {
            EstopLine::Unheard => (None, 0),
            EstopLine::Released { age } => (Some(false), age),
            EstopLine::Silent => (Some(false), params.estop_timeout),
            EstopLine::Pressed => (Some(true), 0),
        };
        let fitted = params.infrared.fitted;
        let is_bad = |sensor: usize| fitted[sensor] && state.eyes[sensor].is_bad();
        let says = |wanted: Option<Reading>| {
            state.eyes.iter().zip(fitted).any(|(eye, fitted)| fitted && eye.reading() == wanted)
        };
        Self {
            state: state.mode.into(),
            levels: state.levels(),
            enable: state.enabled,
            lease: state.lease_age,
            armed: state.armed,
            zero_seen: state.neutral,
            estop,
            estop_silent,
            button: state.reset.down,
            click: state.reset.pressed_in_time,
            wish: state.command.wish,
            wish_age: state.command.age,
            invalid: state.command.followed_by_invalid,
            rivals: state.rivals,
            device: match state.device {
                Device::Unready => None,
                Device::Works => Some(true),
                Device::Lost => Some(false),
            },
            overrun: state.overrun,
            bad: [is_bad(0) || is_bad(1), is_bad(2) || is_bad(3)],
            eyes: [says(None), says(Some(Reading::Invalid))],
        }
    }

    /// Writes down what went in; the sensors' verdicts, which have a proof of their own, are those of `after`.
    pub fn hear(&mut self, inputs: &Inputs, after: &Self, params: &CoreParams) -> Happened {
        let could_move = self.state == StopState::Ok || self.is_moving();
        let overrun = could_move && (inputs.unwatched || inputs.dt > params.overrun_limit);
        if self.estop == Some(false) {
            self.estop_silent = self.estop_silent.saturating_add(inputs.dt).min(params.estop_timeout);
        }
        if self.wish.is_some() {
            self.wish_age = self.wish_age.saturating_add(inputs.dt);
            if self.wish_age >= params.command_timeout {
                (self.wish, self.wish_age) = (None, 0);
            }
        }
        self.lease = match self.is_enabled() && params.lease > 0 {
            true => self.lease.saturating_add(inputs.dt).min(params.lease),
            false => 0,
        };
        let was_armed = self.armed && !self.is_lapsed(params);
        self.armed = was_armed;

        if let Some(pressed) = inputs.estop {
            (self.estop, self.estop_silent) = (Some(pressed), 0);
        }
        let reset = self.click && inputs.reset == Some(false);
        if let Some(down) = inputs.reset {
            let goes_down = down && !self.button;
            self.click = down && self.click || goes_down && self.is_latched();
            self.button = down;
        }
        if let Some(enable) = inputs.enable {
            self.armed |= enable && self.enable == Some(false);
            (self.enable, self.lease) = (Some(enable), 0);
        }
        match inputs.command {
            Some(Ok(wish)) if !is_stale(inputs, params) => {
                (self.wish, self.wish_age, self.invalid) = (Some(wish), inputs.command_age, false);
            }
            Some(Ok(wish)) if wish == Wish::new(0, 0) => (self.wish, self.wish_age, self.invalid) = (None, 0, false),
            Some(_) => self.invalid = true,
            None => {}
        }
        self.rivals = inputs.rivals.unwrap_or(self.rivals);
        self.device = inputs.device.or(self.device);
        (self.bad, self.eyes) = (after.bad, after.eyes);
        Happened { was_armed, reset, overrun }
    }

    /// Writes down what came out of it.
    pub fn see(&mut self, inputs: &Inputs, happened: &Happened, outputs: &Outputs, params: &CoreParams) {
        let before = self.state;
        (self.state, self.levels) = (outputs.state, outputs.levels);
        let starts = before != StopState::Ok && self.state == StopState::Ok;
        if starts && self.wish.is_some() && !matches!(inputs.command, Some(Ok(_)) if !is_stale(inputs, params)) {
            self.wish = Some(Wish::ZERO); // said to a vehicle that stood
        }
        let zero_now = matches!(inputs.command, Some(Ok(wish)) if wish.is_within(params.deadband))
            && !is_stale(inputs, params);
        self.zero_seen = self.state == StopState::Ok && (self.zero_seen || zero_now);
        let by_sensor = matches!(self.state, StopState::SoftIr | StopState::SoftBoth);
        let rearm = params.infrared.rearm && before == StopState::Ok && by_sensor;
        self.armed &= self.is_enabled() && !is_latched(before) && !self.is_latched() && !rearm;
        self.overrun = self.state == StopState::Fault && (self.overrun || happened.overrun);
        self.click &= !self.is_pressed(params) && !happened.overrun && self.device != Some(false);
    }

    pub fn is_moving(&self) -> bool {
        self.levels != [0, 0]
    }

    pub fn is_latched(&self) -> bool {
        is_latched(self.state)
    }

    pub fn is_soft(&self) -> bool {
        !self.is_latched() && self.state != StopState::Ok
    }

    /// Whether the emergency stop counts as pressed.
    pub fn is_pressed(&self, params: &CoreParams) -> bool {
        match self.estop {
            None => params.estop_required,
            Some(pressed) => pressed || self.is_silent(params),
        }
    }

    /// Whether an emergency stop that was heard is silent.
    pub fn is_silent(&self, params: &CoreParams) -> bool {
        self.estop == Some(false) && self.estop_silent >= params.estop_timeout
    }

    /// Whether enable is true.
    pub fn is_enabled(&self) -> bool {
        self.enable == Some(true)
    }

    /// Whether the lease of enable lapsed.
    pub fn is_lapsed(&self, params: &CoreParams) -> bool {
        params.lease > 0 && self.is_enabled() && self.lease >= params.lease
    }

    /// Whether the motor controller keeps the soft stop: it is needed and was not opened yet.
    pub fn is_unready(&self, params: &CoreParams) -> bool {
        params.device_required && self.device.is_none()
    }
}

fn is_latched(state: StopState) -> bool {
    matches!(state, StopState::Estop | StopState::Fault)
}

/// Whether the command was too old when it came.
fn is_stale(inputs: &Inputs, params: &CoreParams) -> bool {
    inputs.command_age >= params.command_timeout
}
