use super::{Cause, Causes, CoreParams, Eye, Reading, Wheel, Wish};

/// All that the core remembers from step to step.
///
/// Every part is finite for a given set of time steps: ages are zero where nothing ages and stop at what they lapse at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// Which of the four states.
    pub mode: Mode,
    /// The last level of the software switch; `None` before the first. Only one that was seen off can be switched on.
    pub enabled: Option<bool>,
    /// Whether the switch went from false to true since the last stop that asks for it.
    pub armed: bool,
    /// Whether a wish of zero came since the last stop.
    pub neutral: bool,
    /// Age of the last enable \[ns\]; zero where no lease runs.
    pub lease_age: u64,
    /// The emergency stop.
    pub estop: EstopLine,
    /// The reset button.
    pub reset: ResetButton,
    /// The infra-red sensors, in the order of [`Sensor`](crate::Sensor).
    pub eyes: [Eye; 4],
    /// The command in force.
    pub command: HeldCommand,
    /// Whether more than one node publishes commands.
    pub rivals: bool,
    /// The motor controller.
    pub device: Device,
    /// Whether the fault is that nobody watched; a lost motor controller that is back must not be taken for it.
    pub overrun: bool,
    /// Port and starboard.
    pub wheels: [Wheel; 2],
}

/// The four states of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The motors follow the command.
    Ok,
    /// Stopped for as long as there is somebody to blame.
    Soft(Blame),
    /// Stopped by the emergency stop; latched.
    Estop,
    /// Stopped by a fault of the machine; latched.
    Fault,
}

/// Who keeps the soft stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Blame {
    /// The software switch.
    Ros,
    /// The infra-red sensors.
    Ir,
    /// Both.
    Both,
}

/// What is known of the emergency stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EstopLine {
    /// Nothing was ever heard: pressed if an emergency stop is required, else there is none.
    Unheard,
    /// Released, as of `age` \[ns\] ago.
    Released {
        /// Age of the last message \[ns\].
        age: u64,
    },
    /// Pressed, until it says otherwise.
    Pressed,
    /// Heard before and now silent: counts as pressed.
    Silent,
}

/// What is known of the motor controller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Device {
    /// Nothing yet: where there is one it has not been opened.
    #[default]
    Unready,
    /// Open and answering.
    Works,
    /// Gone, or it does not answer as it should.
    Lost,
}

/// The reset button acts when it is let go, having been pressed while the latch waited for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ResetButton {
    /// The last level.
    pub down: bool,
    /// Whether it went down while latched with no cause left.
    pub pressed_in_time: bool,
}

/// The last command, as far as it still counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HeldCommand {
    /// What is wanted; `None` if nothing came, or what came is stale.
    pub wish: Option<Wish>,
    /// Age of the wish \[ns\]; zero without one.
    pub age: u64,
    /// Whether a message that was no command came after it.
    pub followed_by_invalid: bool,
}

/// The state as it is published on `hind/state`.
///
/// # Source
/// hindbrain, `/hind/state`; its undocumented `SSTOP.UNK` and `UNKNOWN` cannot occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopState {
    /// The motors follow the command.
    Ok,
    /// Soft stop, blame on the software switch.
    SoftRos,
    /// Soft stop, blame on the infra-red sensors.
    SoftIr,
    /// Soft stop, blame on both.
    SoftBoth,
    /// Emergency stop, latched.
    Estop,
    /// A fault, latched; published as an emergency stop.
    Fault,
}

impl State {
    /// The state at start: an emergency stop if one is required, else a soft stop until somebody enables.
    /// # Source
    /// own; the original started in a soft stop.
    pub fn boot(params: &CoreParams) -> Self {
        Self {
            mode: if params.estop_required { Mode::Estop } else { Mode::Soft(Blame::Ros) },
            enabled: None,
            armed: false,
            neutral: false,
            lease_age: 0,
            estop: EstopLine::Unheard,
            reset: ResetButton::default(),
            eyes: [Eye::default(); 4],
            command: HeldCommand::default(),
            rivals: false,
            device: Device::Unready,
            overrun: false,
            wheels: [Wheel::default(); 2],
        }
    }

    /// The levels of port and starboard, forward positive.
    pub fn levels(&self) -> [i16; 2] {
        self.wheels.map(Wheel::level)
    }

    /// Whether a wheel is told to turn.
    pub fn is_rolling(&self) -> bool {
        self.levels() != [0, 0]
    }

    /// Whether the front and the back pair count as blocked.
    pub fn bad_pairs(&self, params: &CoreParams) -> [bool; 2] {
        let bad = |index: usize| params.infrared.fitted[index] && self.eyes[index].is_bad();
        [bad(0) || bad(1), bad(2) || bad(3)]
    }

    /// Whether the software switch is on.
    pub const fn is_enabled(&self) -> bool {
        matches!(self.enabled, Some(true))
    }

    /// Whether the enable was not repeated within its lease.
    pub const fn is_lapsed(&self, params: &CoreParams) -> bool {
        params.lease > 0 && self.is_enabled() && self.lease_age >= params.lease
    }

    /// How long it takes until something lapses by itself \[ns\]: a time-out, a lease, a debounce. `None` if nothing does.
    ///
    /// A step is due then, or the time until the next tick would come on top of every time-out.
    pub fn expires_in(&self, params: &CoreParams) -> Option<u64> {
        let estop = match self.estop {
            EstopLine::Released { age } => Some(params.estop_timeout.saturating_sub(age)),
            _ => None,
        };
        let command = self.command.wish.map(|_| params.command_timeout.saturating_sub(self.command.age));
        let lease = (params.lease > 0 && self.is_enabled() && !self.is_lapsed(params))
            .then(|| params.lease.saturating_sub(self.lease_age));
        let eyes = self.eyes.iter().zip(params.infrared.fitted).filter(|(_, fitted)| *fitted);
        let eye = eyes.filter_map(|(eye, _)| eye.expires_in(&params.infrared.sight)).min();
        [estop, command, lease, eye].into_iter().flatten().min()
    }

    /// Whether somebody but the infra-red sensors keeps a soft stop.
    pub fn is_held_by_ros(&self, params: &CoreParams) -> bool {
        !self.is_enabled()
            || self.is_lapsed(params)
            || params.arming && !self.armed
            || params.single_publisher && self.rivals
            || params.device_required && self.device == Device::Unready
    }

    /// Why the vehicle does not do what is wanted.
    pub fn causes(&self, params: &CoreParams) -> Causes {
        let latched = self.mode.is_latched() && params.latch;
        let estop = self.estop.is_pressed(params.estop_required);
        let [front, back] = self.bad_pairs(params);
        let eyes = || self.eyes.iter().zip(params.infrared.fitted).filter(|(_, fitted)| *fitted);
        let not_armed = self.is_enabled() && !self.armed && params.arming && !latched;
        let settling = match self.mode {
            Mode::Soft(blame) => {
                let ros = blame.is_ros() && !self.is_held_by_ros(params);
                let ir = blame.is_ir() && !(front || back);
                ros || ir
            }
            _ => false,
        };
        Causes::NONE
            .with(Cause::NeutralWait, self.mode == Mode::Ok && params.zero_first && !self.neutral)
            .with(Cause::CommandInvalid, self.command.followed_by_invalid)
            .with(Cause::CommandStale, self.command.wish.is_none())
            .with(Cause::FrontBlocked, front)
            .with(Cause::BackBlocked, back)
            .with(Cause::IrInvalid, eyes().any(|(eye, _)| eye.reading() == Some(Reading::Invalid)))
            .with(Cause::IrStale, eyes().any(|(eye, _)| eye.reading().is_none()))
            .with(Cause::Settling, settling)
            .with(Cause::NotArmed, not_armed)
            .with(Cause::LeaseLapsed, self.is_lapsed(params))
            .with(Cause::RivalPublishers, self.rivals)
            .with(Cause::NotEnabled, !self.is_enabled())
            .with(Cause::DeviceUnready, params.device_required && self.device == Device::Unready)
            .with(Cause::Latched, latched)
            .with(Cause::EstopStale, estop && self.estop != EstopLine::Pressed)
            .with(Cause::EstopPressed, self.estop == EstopLine::Pressed)
            .with(Cause::DeviceLost, self.device == Device::Lost)
            .with(Cause::Overrun, self.overrun)
    }
}

impl Mode {
    /// Whether only a reset leads out.
    pub const fn is_latched(self) -> bool {
        matches!(self, Self::Estop | Self::Fault)
    }

    /// Whether it is a soft stop.
    pub const fn is_soft(self) -> bool {
        matches!(self, Self::Soft(_))
    }
}

impl Blame {
    /// Whom to blame, where `ros` and `ir` say who keeps the stop.
    pub const fn of(ros: bool, ir: bool) -> Option<Self> {
        match (ros, ir) {
            (true, true) => Some(Self::Both),
            (true, false) => Some(Self::Ros),
            (false, true) => Some(Self::Ir),
            (false, false) => None,
        }
    }

    /// Whether the software switch is to blame.
    pub const fn is_ros(self) -> bool {
        matches!(self, Self::Ros | Self::Both)
    }

    /// Whether the infra-red sensors are to blame.
    pub const fn is_ir(self) -> bool {
        matches!(self, Self::Ir | Self::Both)
    }
}

impl EstopLine {
    /// Whether it counts as pressed.
    pub const fn is_pressed(self, required: bool) -> bool {
        match self {
            Self::Unheard => required,
            Self::Released { .. } => false,
            Self::Pressed | Self::Silent => true,
        }
    }
}

impl StopState {
    /// The text on `hind/state`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::SoftRos => "SSTOP.ROS",
            Self::SoftIr => "SSTOP.IR",
            Self::SoftBoth => "SSTOP.BOTH",
            Self::Estop | Self::Fault => "ESTOP",
        }
    }
}

impl From<Mode> for StopState {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Ok => Self::Ok,
            Mode::Soft(Blame::Ros) => Self::SoftRos,
            Mode::Soft(Blame::Ir) => Self::SoftIr,
            Mode::Soft(Blame::Both) => Self::SoftBoth,
            Mode::Estop => Self::Estop,
            Mode::Fault => Self::Fault,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_texts_are_those_of_hindbrain() {
        let texts = [
            (StopState::Ok, "OK"),
            (StopState::SoftRos, "SSTOP.ROS"),
            (StopState::SoftIr, "SSTOP.IR"),
            (StopState::SoftBoth, "SSTOP.BOTH"),
            (StopState::Estop, "ESTOP"),
            (StopState::Fault, "ESTOP"),
        ];
        for (state, text) in texts {
            assert_eq!(state.as_str(), text);
        }
    }

    #[test]
    fn it_starts_latched_where_an_estop_is_required() {
        let mut params = CoreParams::default();
        assert_eq!(State::boot(&params).mode, Mode::Soft(Blame::Ros));
        params.estop_required = true;
        assert_eq!(State::boot(&params).mode, Mode::Estop);
    }

    #[test]
    fn only_fitted_sensors_count() {
        let mut params = CoreParams::default();
        let state = State::boot(&params); // all sensors unheard, hence bad
        assert_eq!(state.bad_pairs(&params), [false, false]);
        for (index, pairs) in
            [[true, false], [true, false], [false, true], [false, true]].into_iter().enumerate()
        {
            params.infrared.fitted = [false; 4];
            params.infrared.fitted[index] = true;
            assert_eq!(state.bad_pairs(&params), pairs);
        }
    }
}
