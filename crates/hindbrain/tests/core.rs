//! The core under any parameters and any inputs: total and in range.

use hindbrain::core::{
    CoreParams, Infrared, Inputs, Mapping, Reading, Sight, Slopes, SoftStop, State, Wish, step,
};
use proptest::prelude::*;

fn core_params() -> impl Strategy<Value = CoreParams> {
    let time = || prop_oneof![Just(0), Just(20_000_000), Just(u64::MAX), any::<u64>()];
    let slopes = (time(), time(), time(), time()).prop_map(|(accel, decel, tick, rest)| Slopes {
        accel,
        decel,
        tick,
        rest,
    });
    let sight = (time(), time(), time()).prop_map(|(timeout, debounce, clear_hold)| Sight {
        timeout,
        debounce,
        clear_hold,
    });
    let times = (time(), time(), time(), time());
    (any::<i16>(), any::<i16>(), slopes, sight, times, any::<[bool; 11]>()).prop_map(
        |(full, deadband, slopes, sight, (overrun_limit, command_timeout, estop_timeout, lease), flags)| {
            let [
                estop_required,
                zero_first,
                ramp,
                fitted,
                direction_policy,
                rearm,
                latch,
                arming,
                seed,
                device_required,
                single_publisher,
            ] = flags;
            let mapping = if seed { Mapping::Seed } else { Mapping::Symmetric };
            let soft_stop = if ramp { SoftStop::Ramp } else { SoftStop::Cut };
            let infrared = Infrared { fitted: [fitted, false, true, false], sight, direction_policy, rearm };
            CoreParams {
                full,
                slopes,
                overrun_limit,
                command_timeout,
                latch,
                arming,
                mapping,
                device_required,
                single_publisher,
                estop_required,
                estop_timeout,
                lease,
                zero_first,
                deadband,
                soft_stop,
                infrared,
            }
        },
    )
}

fn core_inputs() -> impl Strategy<Value = Inputs> {
    let reading = prop::sample::select(vec![
        None,
        Some(Reading::Clear),
        Some(Reading::Blocked),
        Some(Reading::Invalid),
    ]);
    let dt = prop_oneof![Just(0), Just(20_000_000), Just(u64::MAX), any::<u64>()];
    let wish = (any::<i16>(), any::<i16>()).prop_map(|(linear, angular)| Wish::new(linear, angular));
    let flag = any::<Option<bool>>;
    (
        dt,
        flag(),
        flag(),
        flag(),
        [reading.clone(), reading.clone(), reading.clone(), reading],
        prop::option::of(wish),
        (flag(), flag(), any::<bool>(), any::<u64>()),
    )
        .prop_map(
            |(dt, estop, reset, enable, infrared, wish, (rivals, device, unwatched, command_age))| Inputs {
                command_age,
                dt,
                estop,
                reset,
                enable,
                infrared,
                command: wish.map(Ok),
                rivals,
                device,
                unwatched,
            },
        )
}

proptest! {
    /// I2 and I12: the step is total, whatever the parameters are.
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
