//! The core under any parameters and any inputs: total and in range.

use hindbrain::core::{
    CommandInput, Conflicts, CoreParams, Infrared, Inputs, InvalidCommand, Reading, Setpoint, Slopes,
    SoleTopic, State, SwitchInput, step,
};
use proptest::prelude::*;

fn time() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(20_000_000), Just(u64::MAX), any::<u64>()]
}

fn core_params() -> impl Strategy<Value = CoreParams> {
    let slopes = (time(), time(), time(), time()).prop_map(|(accel, decel, tick, rest)| Slopes {
        accel,
        decel,
        tick,
        rest,
    });
    let times = (time(), time(), time(), time(), time(), time());
    (any::<i16>(), slopes, times, any::<[bool; 5]>()).prop_map(|(full, slopes, times, flags)| {
        let (overrun_limit, gap_limit, command_timeout, estop_timeout, lease, timeout) = times;
        let [strict, is_exact, estop_required, device_required, fitted] = flags;
        CoreParams {
            strict,
            full,
            is_exact,
            slopes,
            overrun_limit,
            gap_limit,
            command_timeout,
            estop_required,
            estop_timeout,
            device_required,
            lease,
            infrared: Infrared { fitted: [fitted, false, true, false], timeout },
        }
    })
}

fn command() -> impl Strategy<Value = Result<CommandInput, InvalidCommand>> {
    let setpoint = (any::<i32>(), any::<i32>()).prop_map(|(linear, angular)| Setpoint::new(linear, angular));
    let command = (setpoint, any::<bool>(), time()).prop_map(|(setpoint, is_zero, age)| CommandInput {
        setpoint,
        is_zero,
        age,
    });
    prop_oneof![4 => command.prop_map(Ok), 1 => Just(Err(InvalidCommand))]
}

fn core_inputs() -> impl Strategy<Value = Inputs> {
    let reading = || {
        let reading = prop::sample::select(vec![Reading::Clear, Reading::Blocked, Reading::Invalid]);
        prop::option::of((reading, time()))
    };
    let switch = || prop::option::of((any::<bool>(), time()).prop_map(|(on, age)| SwitchInput { on, age }));
    let conflicts = prop::option::of(any::<[bool; SoleTopic::ALL.len()]>().prop_map(|are| {
        SoleTopic::ALL.into_iter().zip(are).fold(Conflicts::NONE, |all, (topic, is)| all.with(topic, is))
    }));
    (
        time(),
        prop::option::of((any::<bool>(), time())),
        switch(),
        switch(),
        [reading(), reading(), reading(), reading()],
        prop::option::of(command()),
        (conflicts, any::<Option<bool>>(), any::<Option<bool>>(), any::<[bool; 2]>(), time()),
    )
        .prop_map(
            |(
                dt,
                estop,
                reset,
                enable,
                infrared,
                command,
                (conflicts, estop_published, device, [unwatched, interrupted], unsent),
            )| {
                let last = Inputs { conflicts, estop_published, device, unwatched, ..Inputs::default() };
                let last = Inputs { interrupted, unsent, ..last };
                Inputs { dt, estop, reset, enable, infrared, command, ..last }
            },
        )
}

proptest! {
    /// I2 and I12: the step is total for any parameters.
    #[test]
    fn no_parameters_make_the_core_panic_or_leave_its_range(
        params in core_params(), inputs in prop::collection::vec(core_inputs(), 1..40),
    ) {
        let mut state = State::boot(&params);
        for inputs in &inputs {
            let (next, outputs) = step(&state, inputs, &params);
            prop_assert!(outputs.levels.iter().all(|level| level.unsigned_abs() <= params.full.unsigned_abs()));
            state = next;
        }
    }
}
