use super::{
    COUNT, Cause, Causes, Conflicts, CoreParams, Effect, EnableSwitch, Gate, IrSensor, Outputs, Reading,
    Setpoint, SoleTopic, SwitchInput, Wheels,
};

/// The state of the core between two steps.
///
/// Every part is finite for a given set of time steps: an age is zero where nothing ages, and stops growing at its time-out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The published state.
    pub stop: StopState,
    /// The emergency stop or fault that waits for a reset.
    pub latch: Option<Latch>,
    /// The software switch.
    pub enable: EnableSwitch,
    /// Whether a zero command was received since the last cause that requires one.
    pub neutral: bool,
    /// The emergency stop.
    pub estop: EstopLine,
    /// The reset button.
    pub reset: ResetButton,
    /// The infra-red sensors, in the order of [`Sensor`](crate::Sensor).
    pub sensors: [IrSensor; 4],
    /// The command in force.
    pub command: HeldCommand,
    /// The topics with more than one publisher, or an incompatible one.
    pub conflicts: Conflicts,
    /// The motor controller.
    pub device: Device,
    /// Whether the node's life cycle is in another state than active.
    pub inactive: bool,
    /// Whether the latched stop began with an overrun.
    pub overrun: bool,
    /// Port and starboard.
    pub wheels: Wheels,
}

/// A latched stop, which waits for a reset; an emergency stop outlasts a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Latch {
    /// A fault of the machine.
    Fault,
    /// An emergency stop.
    Estop,
}

/// The state of the emergency stop's topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EstopLine {
    /// Never received, and it has no publisher: counts as pressed if an emergency stop is required, otherwise there is none.
    NeverReceived,
    /// Never received, but it has a publisher: counts as pressed.
    Mute,
    /// The last message is false.
    Released {
        /// Age of the last message \[ns\].
        age: u64,
    },
    /// The last message is true; it does not time out.
    Pressed,
    /// Received before and now silent: counts as pressed.
    Silent,
}

/// The state of the motor controller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Device {
    /// Not opened yet, if there is one.
    #[default]
    Unready,
    /// Open and answering.
    Works,
    /// Gone, or it does not answer as it should.
    Lost,
}

/// The reset button. It acts when it is released after a press while the latch waited for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ResetButton {
    /// The last level.
    pub down: bool,
    /// Whether it went down while latched with no cause left.
    pub pressed_in_time: bool,
}

/// The command in force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HeldCommand {
    /// The setpoint; `None` if no command was received, or the last one is stale.
    pub setpoint: Option<Setpoint>,
    /// Age of the setpoint \[ns\]; zero without one.
    pub age: u64,
    /// Whether an invalid command was received after it.
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
    /// Soft stop caused by ROS: the switch, a conflict, the motor controller.
    SoftRos,
    /// Soft stop caused by the infra-red sensors.
    SoftIr,
    /// Soft stop caused by both.
    SoftBoth,
    /// Emergency stop, latched.
    Estop,
    /// A fault, latched; published as an emergency stop.
    Fault,
}

impl State {
    /// The state at start: an emergency stop if one is required, else a soft stop until enable is received.
    /// # Source
    /// own; the original started in a soft stop.
    pub fn boot(params: &CoreParams) -> Self {
        let mut state = Self {
            stop: StopState::SoftRos,
            latch: None,
            enable: EnableSwitch::default(),
            neutral: false,
            estop: EstopLine::NeverReceived,
            reset: ResetButton::JAMMED,
            sensors: [IrSensor::default(); 4],
            command: HeldCommand::default(),
            conflicts: Conflicts::NONE,
            device: Device::Unready,
            inactive: false,
            overrun: false,
            wheels: Wheels::default(),
        };
        if params.estop_required {
            (state.stop, state.latch) = (StopState::Estop, params.strict.then_some(Latch::Estop));
        }
        state
    }

    /// The levels of port and starboard, forward positive.
    pub fn levels(&self) -> [i16; 2] {
        self.wheels.levels()
    }

    /// The outputs of this state, whose causes these are, without a rest of what is commanded.
    pub fn outputs(&self, causes: Causes, params: &CoreParams) -> Outputs {
        let levels = self.levels();
        let exact =
            if params.is_exact { self.wheels.exact() } else { levels.map(|level| i64::from(level) * COUNT) };
        Outputs { levels, exact, state: self.stop, causes }
    }

    /// Whether a wheel's level is not zero.
    pub fn is_rolling(&self) -> bool {
        self.levels() != [0, 0]
    }

    /// Whether something moves, or would move at the next command.
    pub fn moves_or_could(&self) -> bool {
        self.stop == StopState::Ok || self.is_rolling()
    }

    /// Whether the front and the back pair count as blocked.
    pub fn blocked_pairs(&self, params: &CoreParams) -> [bool; 2] {
        let blocks = |index: usize| {
            params.infrared.fitted[index] && self.sensors[index].is_blocking(params.infrared.timeout)
        };
        [blocks(0) || blocks(1), blocks(2) || blocks(3)]
    }

    /// The gate for the command in force and wheels with `levels`.
    pub(super) fn gate(&self, levels: [i16; 2], params: &CoreParams) -> Gate {
        let setpoint = self.command.setpoint.unwrap_or(Setpoint::ZERO);
        let rests = params.targets(setpoint) == [0, 0];
        Gate::new(self.blocked_pairs(params), setpoint, rests, levels, params.strict)
    }

    /// The running time-outs: the cause that begins or ends with each, and the time left \[ns\].
    ///
    /// A step is due when one ends; otherwise every time-out would be longer by the time until the next tick.
    pub fn timers(&self, params: &CoreParams) -> impl Iterator<Item = (Cause, u64)> {
        let estop = match self.estop {
            EstopLine::Released { age } => Some(params.estop_timeout.saturating_sub(age)),
            _ => None,
        };
        let command = self.command.setpoint.map(|_| params.command_timeout.saturating_sub(self.command.age));
        let timeout = params.infrared.timeout;
        let sensors = self.sensors.into_iter().zip(params.infrared.fitted).filter(|(_, fitted)| *fitted);
        let sensors = sensors.filter_map(move |(sensor, _)| sensor.changes_in(timeout)).min();
        [
            (Cause::EstopStale, estop),
            (Cause::CommandStale, command),
            (Cause::LeaseLapsed, self.enable.lapses_in(params.lease)),
            (Cause::IrStale, sensors),
        ]
        .into_iter()
        .filter_map(|(cause, left)| Some((cause, left?)))
    }

    /// Every condition of the table of causes that holds, for wheels that turned with `levels` before the step.
    pub(super) fn conditions(&self, levels: [i16; 2], params: &CoreParams) -> Causes {
        Cause::ALL
            .iter()
            .fold(Causes::NONE, |causes, &cause| causes.with(cause, self.holds(cause, levels, params)))
    }

    /// Whether the condition of `cause` holds: the table's column `condition` as code.
    fn holds(&self, cause: Cause, levels: [i16; 2], params: &CoreParams) -> bool {
        let any_fitted = |is: fn(Option<Reading>) -> bool| {
            let mut sensors = self.sensors.iter().zip(params.infrared.fitted);
            sensors.any(|(sensor, fitted)| fitted && is(sensor.reading()))
        };
        let [front, back] = self.blocked_pairs(params);
        match cause {
            Cause::CommandInvalid => self.command.followed_by_invalid,
            Cause::ResetConflict => self.conflicts.on(SoleTopic::Reset),
            Cause::IrInvalid => any_fitted(|reading| reading == Some(Reading::Invalid)),
            Cause::IrStale => any_fitted(|reading| reading.is_none()),
            Cause::FrontBlocked => front,
            Cause::BackBlocked => back,
            Cause::CommandStale => self.command.setpoint.is_none(),
            Cause::WayBlocked => self.gate(levels, params) == Gate::Closed,
            Cause::LeaseLapsed => self.enable.is_lapsed(params.lease),
            Cause::NotEnabled => !self.enable.is_on(),
            Cause::DeviceUnready => params.device_required && self.device == Device::Unready,
            Cause::CommandConflict => self.conflicts.on(SoleTopic::Command),
            Cause::EnableConflict => self.conflicts.on(SoleTopic::Enable),
            Cause::MotorConflict => self.conflicts.on(SoleTopic::Motors),
            Cause::Inactive => self.inactive,
            Cause::DeviceLost => self.device == Device::Lost,
            Cause::EstopConflict => self.conflicts.on(SoleTopic::Estop),
            Cause::EstopStale => match self.estop {
                EstopLine::NeverReceived => params.estop_required,
                EstopLine::Mute | EstopLine::Silent => true,
                EstopLine::Released { .. } | EstopLine::Pressed => false,
            },
            Cause::EstopPressed => self.estop == EstopLine::Pressed,
            // Not conditions: the step detects an overrun, a gap and what is below a count and remembers the others, and the machine handles
            // the node's end.
            Cause::CommandBelowCount
            | Cause::Overrun
            | Cause::MotorGap
            | Cause::FaultLatched
            | Cause::EstopLatched => false,
            Cause::NotArmed | Cause::NeutralWait | Cause::Stopping => false,
        }
    }
}

impl EstopLine {
    /// Whether it was received since the start.
    pub(super) fn is_received(self) -> bool {
        matches!(self, Self::Released { .. } | Self::Pressed | Self::Silent)
    }

    /// Lets `dt` \[ns\] pass; a message that is not repeated within `timeout` lapses.
    pub(super) fn pass_time(&mut self, dt: u64, timeout: u64) {
        let Self::Released { age } = self else { return };
        *age = age.saturating_add(dt);
        if *age >= timeout {
            *self = Self::Silent;
        }
    }

    /// Records whether it has a publisher, which matters until it is received.
    pub(super) fn count(&mut self, published: bool) {
        *self = match *self {
            Self::NeverReceived if published => Self::Mute,
            Self::Mute if !published => Self::NeverReceived,
            known => known,
        };
    }
}

impl ResetButton {
    /// The button while it has more than one publisher, and before its first message: down, by a press that does not count.
    pub(super) const JAMMED: Self = Self { down: true, pressed_in_time: false };

    /// Records a level and returns whether that is a reset. A press that was queued too long does not count, and neither does
    /// one before it.
    pub(super) fn receive(&mut self, button: SwitchInput, is_latched: bool) -> bool {
        let down = button.on;
        let resets = !down && self.pressed_in_time;
        let goes_down = !self.down && is_latched;
        self.pressed_in_time = down && button.is_recent() && (self.pressed_in_time || goes_down);
        self.down = down;
        resets
    }
}

impl StopState {
    /// The state of these causes: the most severe effect, where two soft stops combine.
    pub fn of(causes: Causes) -> Self {
        match (causes.effect(), causes.have(Effect::StopsByIr)) {
            (Effect::EmergencyStops, _) => Self::Estop,
            (Effect::Faults, _) => Self::Fault,
            (Effect::StopsByRos, true) => Self::SoftBoth,
            (Effect::StopsByRos, false) => Self::SoftRos,
            (Effect::StopsByIr, _) => Self::SoftIr,
            (Effect::Brakes | Effect::Reports, _) => Self::Ok,
        }
    }

    /// Whether only a reset ends it, in the profile `strict`.
    pub const fn is_latched(self) -> bool {
        matches!(self, Self::Estop | Self::Fault)
    }

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

#[cfg(test)]
mod tests {
    use super::super::Slopes;
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
        assert_eq!(State::boot(&params).stop, StopState::SoftRos);
        params.estop_required = true;
        let state = State::boot(&params);
        assert_eq!((state.stop, state.latch), (StopState::Estop, Some(Latch::Estop)));
    }

    #[test]
    fn only_fitted_sensors_count() {
        let mut params = CoreParams::default();
        let state = State::boot(&params); // no sensor was received, so all block
        assert_eq!(state.blocked_pairs(&params), [false, false]);
        for (index, pairs) in
            [[true, false], [true, false], [false, true], [false, true]].into_iter().enumerate()
        {
            params.infrared.fitted = [false; 4];
            params.infrared.fitted[index] = true;
            assert_eq!(state.blocked_pairs(&params), pairs);
        }
    }

    #[test]
    fn a_turning_wheel_is_motion_in_any_state() {
        let params = CoreParams::default();
        for targets in [[1, 0], [0, 1]] {
            let mut state = State::boot(&params);
            assert!(!state.is_rolling() && !state.moves_or_could());
            let slopes = Slopes { rest: 0, ..params.slopes };
            let targets = targets.map(|level| level * COUNT);
            (0..3).for_each(|_| state.wheels.advance(targets, 20_000_000, &slopes, true, false)); // 0.4 counts each
            assert!(state.is_rolling() && state.moves_or_could(), "{state:?}");
        }
        let ok = State { stop: StopState::Ok, ..State::boot(&params) };
        assert!(ok.moves_or_could(), "at the next command");
    }

    #[test]
    fn an_invalid_and_a_silent_sensor_are_distinguished() {
        let mut params = CoreParams::default();
        params.infrared.fitted = [false, false, true, false];
        let flags = |readings: [Option<Reading>; 4]| {
            let mut state = State::boot(&params);
            for (sensor, reading) in state.sensors.iter_mut().zip(readings) {
                reading.into_iter().for_each(|reading| sensor.receive(reading, 0));
            }
            let causes = state.conditions([0, 0], &params);
            [Cause::IrInvalid, Cause::IrStale].map(|cause| causes.contains(cause))
        };
        assert_eq!(flags([None; 4]), [false, true]);
        for (reading, is_invalid) in
            [(Reading::Clear, false), (Reading::Blocked, false), (Reading::Invalid, true)]
        {
            assert_eq!(flags([None, None, Some(reading), None]), [is_invalid, false], "{reading:?}");
        }
        assert_eq!(flags([Some(Reading::Invalid); 4]), [true, false]);
        let others = [Some(Reading::Invalid), Some(Reading::Invalid), None, Some(Reading::Invalid)];
        assert_eq!(flags(others), [false, true], "the others are not fitted");
    }
}
