use super::{
    Cause, Causes, CommandInput, CoreParams, Device, Effect, EstopLine, HeldCommand, Inputs, Latch, Outputs,
    Recovery, ResetButton, Setpoint, SoleTopic, State, StopState,
};

/// One step of the stop state machine: the successor of `state` for `inputs`.
///
/// 1. Time passes, and inputs that were not repeated in time lapse.
/// 2. The inputs are received.
/// 3. The conditions of the table of causes ([`Cause::row`]) are evaluated once, for this snapshot.
/// 4. In the profile `strict` a condition is remembered if its row asks for a reset, a rise of enable or a zero command; a
///    remembered condition is a cause of its own.
/// 5. The most severe effect among all causes is the state, and decides on the motors.
///
/// Total: any state, inputs and parameters have a successor; nothing panics, overflows or allocates.
/// # Source
/// own, around the states and strings of hindbrain (Bravo, 2016); see [`Cause::row`]. An overrun at standstill is not a fault,
/// since nothing moved unsupervised.
pub fn step(state: &State, inputs: &Inputs, params: &CoreParams) -> (State, Outputs) {
    let mut next = *state;
    let overrun = state.moves_or_could() && (inputs.unwatched || inputs.dt > params.overrun_limit);
    // Motors that stopped by themselves must not start again at the level that they had.
    let gap = state.moves_or_could() && (inputs.interrupted || inputs.unsent > params.gap_limit);
    next.pass_time(inputs.dt, params);
    let reset = next.receive(inputs, params);
    let conditions = next.conditions(state.levels(), params);
    let conditions = conditions.with(Cause::Overrun, overrun).with(Cause::MotorGap, gap);
    // An emergency stop from before this start is over by a reset only, whatever its source says by now.
    let begins = params.strict && inputs.estop.is_some() && !state.estop.is_received();
    let conditions = conditions.with(Cause::EstopLatched, begins);
    let remembered =
        if params.strict { next.remember(conditions, reset, inputs, params) } else { Causes::NONE };
    let causes = conditions.union(remembered);
    let before = state.stop;
    next.stop = StopState::of(causes);
    let passing = next.command.setpoint.map(|setpoint| next.gate(state.levels(), params).pass(setpoint));
    let follows = next.stop == StopState::Ok && !causes.have(Effect::Brakes);
    let is_below_count = follows && passing.is_some_and(|setpoint| params.is_below_count(setpoint));
    let causes = causes.with(Cause::CommandBelowCount, is_below_count);
    if before != StopState::Ok && next.stop == StopState::Ok && inputs.fresh_command(params).is_none() {
        // A setpoint from before the state became OK does not move the vehicle.
        next.command.setpoint = next.command.setpoint.map(|_| Setpoint::ZERO);
    }
    // The step that enters OK does not move the wheels yet.
    let setpoint = passing.filter(|_| follows && before == StopState::Ok).unwrap_or(Setpoint::ZERO);
    let rest = next.drive(setpoint, inputs.dt, params);
    let outputs = next.outputs(causes, params);
    let exact = [0, 1].map(|i| outputs.exact[i] + rest[i]);
    (next, Outputs { exact, ..outputs })
}

impl State {
    /// Lets `dt` pass: inputs that were not repeated in time lapse until they are received again.
    fn pass_time(&mut self, dt: u64, params: &CoreParams) {
        self.estop.pass_time(dt, params.estop_timeout);
        if self.command.setpoint.is_some() {
            self.command.age = self.command.age.saturating_add(dt);
            if self.command.age >= params.command_timeout {
                self.command.setpoint = None;
                self.command.age = 0;
            }
        }
        self.enable.pass_time(dt, params.lease);
        for sensor in &mut self.sensors {
            sensor.pass_time(dt, params.infrared.timeout);
        }
    }

    /// Receives the inputs. Returns whether they are a reset.
    fn receive(&mut self, inputs: &Inputs, params: &CoreParams) -> bool {
        if let Some(published) = inputs.estop_published {
            self.estop.count(published);
        }
        match inputs.estop {
            Some((true, _)) => self.estop = EstopLine::Pressed,
            Some((false, age)) if age < params.estop_timeout => self.estop = EstopLine::Released { age },
            Some((false, _)) => self.estop = EstopLine::Silent,
            None => {}
        }
        if let Some(conflicts) = inputs.conflicts {
            self.conflicts = conflicts;
        }
        let contested = self.conflicts.on(SoleTopic::Enable);
        if contested {
            self.enable.record_conflict();
        }
        if let Some(switch) = inputs.enable {
            self.enable.receive(switch, !contested, params.lease);
        }
        for (index, reading) in inputs.infrared.into_iter().enumerate() {
            if let Some((reading, age)) = reading
                && params.infrared.fitted[index]
            {
                self.sensors[index].receive(reading, age);
            }
        }
        match inputs.command {
            Some(Ok(CommandInput { setpoint, age, .. })) if age < params.command_timeout => {
                self.command = HeldCommand { setpoint: Some(setpoint), age, followed_by_invalid: false };
            }
            // A stop is never too late: a stale one is not a command, but it ends the one in force.
            Some(Ok(CommandInput { setpoint: Setpoint::ZERO, .. })) => self.command = HeldCommand::default(),
            // An invalid command neither sets a setpoint nor keeps the last one fresh.
            Some(_) => self.command.followed_by_invalid = true,
            None => {}
        }
        self.device = match inputs.device {
            Some(true) => Device::Works,
            Some(false) => Device::Lost,
            None => self.device,
        };
        if let Some(active) = inputs.active {
            self.inactive = !active;
        }
        if self.conflicts.on(SoleTopic::Reset) {
            self.reset = ResetButton::JAMMED;
            return false;
        }
        inputs.reset.is_some_and(|button| self.reset.receive(button, self.latch.is_some()))
    }

    /// Remembers what `conditions` require after their end: a reset, a rise of enable, a zero command. Returns what is still
    /// outstanding, as causes.
    fn remember(&mut self, conditions: Causes, reset: bool, inputs: &Inputs, params: &CoreParams) -> Causes {
        let latch = match conditions.effect() {
            Effect::EmergencyStops => Some(Latch::Estop),
            Effect::Faults => Some(Latch::Fault),
            _ => None,
        };
        if latch.is_some() {
            self.reset.pressed_in_time = false; // pressed before the cause ended
        }
        let was_latched = self.latch.is_some();
        self.latch = self.latch.filter(|_| !reset).max(latch);
        self.overrun = self.latch.is_some() && (self.overrun || conditions.contains(Cause::Overrun));
        let latched = Causes::NONE
            .with(Cause::EstopLatched, self.latch == Some(Latch::Estop))
            .with(Cause::FaultLatched, self.latch == Some(Latch::Fault))
            .with(Cause::Overrun, self.overrun);
        let required = conditions.union(latched).recovery();
        // A rise while latched does not count either, not even in the step of the reset.
        if required >= Recovery::Enable || was_latched {
            self.enable.disarm();
        }
        let is_armed = self.enable.is_armed();
        if required >= Recovery::Zero || !is_armed {
            self.neutral = false;
        } else if inputs.fresh_command(params).is_some_and(|command| command.is_zero) {
            self.neutral = true;
        }
        latched
            .with(Cause::NotArmed, self.enable.is_on() && !is_armed && self.latch.is_none())
            .with(Cause::NeutralWait, !self.neutral && required < Recovery::Zero && is_armed)
    }

    /// Moves the wheels. Returns what is commanded beyond the whole count, in 1/[`COUNT`](super::COUNT), of each wheel that has it.
    fn drive(&mut self, setpoint: Setpoint, dt: u64, params: &CoreParams) -> [i64; 2] {
        if self.stop != StopState::Ok {
            self.wheels.cut(dt, &params.slopes);
            return [0; 2];
        }
        let targets = params.targets(setpoint);
        self.wheels.advance(targets, dt, &params.slopes, params.strict, params.is_exact);
        let (exact, rest) = (self.wheels.exact(), params.rest(setpoint, targets));
        [0, 1].map(|i| if exact[i] == targets[i] { rest[i] } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{InvalidCommand, Slopes, SwitchInput};
    use super::*;

    const MS: u64 = 1_000_000;

    fn switch(on: bool) -> Option<SwitchInput> {
        Some(SwitchInput { on, age: 0 })
    }

    fn command(linear: i32, age: u64) -> Option<Result<CommandInput, InvalidCommand>> {
        Some(Ok(CommandInput { setpoint: Setpoint::new(linear * 1_000, 0), is_zero: linear == 0, age }))
    }

    /// The core after these inputs, and the outputs of the last step.
    fn after(params: &CoreParams, inputs: &[Inputs]) -> (State, Outputs) {
        let mut state = State::boot(params);
        let mut last = step(&state, &Inputs::default(), params).1;
        for inputs in inputs {
            (state, last) = step(&state, inputs, params);
        }
        (state, last)
    }

    /// Enables and sends a zero.
    fn ready() -> Vec<Inputs> {
        vec![
            Inputs { enable: switch(false), ..Inputs::default() },
            Inputs { enable: switch(true), ..Inputs::default() },
            Inputs { command: command(0, 0), ..Inputs::default() },
        ]
    }

    #[test]
    fn the_step_that_becomes_ok_moves_nothing_yet() {
        // 6600 counts/s are 132 counts a tick, and nothing waits for a zero.
        let quick = Slopes { accel: 6_600_000, decel: 6_600_000, tick: 20 * MS, rest: 0 };
        let params = CoreParams { strict: false, slopes: quick, ..CoreParams::default() };
        let enters =
            Inputs { dt: 20 * MS, enable: switch(true), command: command(1000, 0), ..Inputs::default() };
        let stays = Inputs { dt: 20 * MS, ..Inputs::default() };
        let (_, outputs) = after(&params, &[enters]);
        assert_eq!((outputs.state, outputs.levels), (StopState::Ok, [0, 0]));
        assert_eq!(after(&params, &[enters, stays]).1.levels, [66, 66]);
    }

    #[test]
    fn a_release_as_old_as_its_time_out_counts_as_silence_at_once() {
        let params = CoreParams::default();
        let stale = |age| {
            let released = Inputs { estop: Some((false, age)), ..Inputs::default() };
            after(&params, &[released]).1.causes.contains(Cause::EstopStale)
        };
        assert!(!stale(params.estop_timeout - 1));
        assert!(stale(params.estop_timeout), "the time-out itself is too late");
        assert!(stale(u64::MAX));
    }

    #[test]
    fn a_command_as_old_as_its_time_out_is_not_in_force_for_a_single_step() {
        let params = CoreParams::default();
        let setpoint = |linear, age| {
            let late = Inputs { command: command(linear, age), ..Inputs::default() };
            let state = after(&params, &[ready(), vec![late]].concat()).0;
            (
                state.command.setpoint.map(|setpoint| setpoint.linear() / 1_000),
                state.command.followed_by_invalid,
            )
        };
        assert_eq!(setpoint(500, params.command_timeout - 1), (Some(500), false));
        for age in [params.command_timeout, u64::MAX] {
            assert_eq!(setpoint(500, age), (Some(0), true), "the previous command continues");
            assert_eq!(setpoint(0, age), (None, false), "a stop ends the previous command");
        }
    }

    #[test]
    fn an_overrun_is_reported_until_the_fault_is_reset() {
        let params = CoreParams::default();
        let overrun = Inputs { unwatched: true, ..Inputs::default() };
        let press = |on| Inputs { reset: switch(on), ..Inputs::default() };
        let mut inputs = [ready(), vec![overrun, press(false), press(true)]].concat();
        let (_, outputs) = after(&params, &inputs);
        assert_eq!(outputs.state, StopState::Fault);
        assert!(outputs.causes.contains(Cause::Overrun), "it is the cause: {}", outputs.causes);
        inputs.push(press(false));
        let (state, outputs) = after(&params, &inputs);
        assert_eq!((state.latch, outputs.causes.contains(Cause::Overrun)), (None, false));
    }

    #[test]
    fn the_state_follows_from_its_causes() {
        let of = |causes: &[Cause]| {
            StopState::of(causes.iter().fold(Causes::NONE, |all, &cause| all.with(cause, true)))
        };
        use Cause::{
            DeviceLost, EstopLatched, EstopPressed, FrontBlocked, NeutralWait, NotEnabled, WayBlocked,
        };
        assert_eq!(of(&[]), StopState::Ok);
        assert_eq!(of(&[NeutralWait, FrontBlocked]), StopState::Ok);
        assert_eq!(of(&[WayBlocked, FrontBlocked]), StopState::SoftIr);
        assert_eq!(of(&[NotEnabled]), StopState::SoftRos);
        assert_eq!(of(&[NotEnabled, WayBlocked]), StopState::SoftBoth);
        assert_eq!(of(&[DeviceLost, WayBlocked, NotEnabled]), StopState::Fault);
        assert_eq!(of(&[EstopLatched, DeviceLost]), StopState::Estop);
        assert_eq!(of(&[EstopPressed]), StopState::Estop);
    }
}
