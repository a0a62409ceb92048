//! The desired state: modes, integration, takeover, frames, pace.

use crate::common;

use common::{Bench, CYCLE, ON, SLOW, TOGGLE, bits, driving, guarded, reference, wall};
use joystick::{EnableButtons, Input, Level, Output, Params, PoseState, Report};
use safety::{Instant, Machine};

#[test]
fn full_stick_for_a_second_gives_the_closed_form() {
    let mut bench = Bench::with_pad(driving());
    bench.axis(0, i16::MAX);
    bench.run(1000);
    // amax/drag * (1 - exp(-drag * t)) = 10/3 * (1 - exp(-3)) = 3.333333 * (1 - 0.049787) = 3.167376 m/s
    assert!((bench.forward() - 3.167_376).abs() < 1e-6, "{}", bench.forward());
    // acc = a - drag * v = 10 - 3 * 3.167376 = 0.497871 m/s^2
    assert!((bench.last().acc.unwrap()[0] - 0.497_871).abs() < 1e-5);
}

#[test]
fn polling_alone_integrates_and_time_never_goes_back() {
    let mut bench = Bench::with_pad(driving());
    bench.axis(0, i16::MAX);
    bench.millis = 1000;
    bench.drain();
    assert!((bench.forward() - 3.167_376).abs() < 1e-6, "{}", bench.forward());
    bench.outputs.clear();
    bench.millis = 500; // earlier than the latest call
    bench.batch();
    bench.drain();
    assert!((bench.forward() - 3.167_376).abs() < 1e-6, "{}", bench.forward());
    bench.millis = 1003;
    bench.drain();
    assert_eq!(bench.desired().len(), 1, "the next cycle is due at 1005 ms");
}

#[test]
fn an_active_state_has_velocities_and_accelerations_only() {
    let mut bench = Bench::with_pad(driving());
    bench.axis(1, i16::MIN);
    bench.run(2 * CYCLE);
    let PoseState { stamp, intrinsic, vel, avel, acc, aacc, .. } = bench.last();
    let expected = PoseState { stamp, intrinsic, vel, avel, acc, aacc, ..PoseState::default() };
    assert_eq!(bench.last(), expected);
    assert_eq!((stamp, intrinsic, vel, acc), (wall(2 * CYCLE), true, Some([0.0; 3]), Some([0.0; 3])));
    assert!(avel.unwrap()[2] < 0.0 && aacc.unwrap()[2] < 0.0);
}

#[test]
fn the_old_command_is_integrated_before_the_new_one_applies() {
    let mut bench = Bench::with_pad(driving());
    bench.axis(0, i16::MAX);
    bench.millis = 3; // no poll in between
    bench.axis(0, 0);
    bench.batch();
    // 10/3 * (1 - exp(-0.009)) = 3.333333 * 0.00895962 = 0.0298654 m/s, and then it only decays
    assert!((bench.forward() - 0.029_865_4).abs() < 1e-7, "{}", bench.forward());
    assert!((bench.last().acc.unwrap()[0] + 3.0 * 0.029_865_4).abs() < 1e-6);
}

#[test]
fn a_released_stick_ends_at_exactly_zero() {
    let mut bench = Bench::with_pad(driving());
    bench.axis(0, i16::MAX);
    bench.run(1000);
    bench.axis(0, 0);
    // 3.17 * exp(-3 t) < 1e-4 after ln(31700) / 3 = 3.46 s
    bench.run(3400);
    assert!(bench.forward() > 0.0);
    bench.run(100);
    assert_eq!((bench.forward(), bench.last().acc), (0.0, Some([0.0; 3])));
}

#[test]
fn each_mode_settles_at_its_own_velocity() {
    // amax / drag / divisor: 10/3, 10/3/2 with both, 10/3/4 slow
    for (on, slow, settled) in [(true, false, 10.0 / 3.0), (true, true, 5.0 / 3.0), (false, true, 2.5 / 3.0)]
    {
        let mut bench = Bench::with_pad(guarded());
        bench.button(ON, on);
        bench.button(SLOW, slow);
        bench.axis(0, i16::MAX);
        bench.run(20_000);
        assert!((bench.forward() - settled).abs() < 1e-9, "{on} {slow}: {}", bench.forward());
    }
}

#[test]
fn a_reference_never_received_publishes_nothing() {
    let mut bench = Bench::with_pad(guarded());
    bench.axis(0, i16::MAX);
    bench.batch();
    bench.run(1000);
    assert_eq!(bench.desired(), []);
    assert!(!bench.machine.active());
}

#[test]
fn without_a_reference_a_release_publishes_one_stop() {
    let mut bench = Bench::with_pad(guarded());
    bench.button(ON, true);
    bench.axis(0, i16::MAX);
    bench.run(100);
    assert!(bench.forward() > 0.0);
    bench.outputs.clear();
    bench.button(ON, false);
    bench.batch();
    bench.run(100);
    assert_eq!(bench.desired(), [PoseState::released(wall(100), true)]);
}

#[test]
fn an_inactive_stick_passes_the_reference_bit_for_bit() {
    let odd = f64::from_bits(0x7ff8_dead_beef_0001); // a NaN with a payload
    let signalling = f64::from_bits(0xfff0_0000_0000_0001);
    let reference = PoseState {
        stamp: wall(0),
        intrinsic: false,
        pos: Some([odd, -0.0, f64::INFINITY]),
        att: Some([signalling; 4]),
        vel: None,
        avel: Some([odd; 3]),
        acc: Some([f64::MIN_POSITIVE; 3]),
        aacc: None,
        pos_cov: Some([odd; 6]),
        att_cov: Some([signalling; 10]),
        att_pos_cov: Some([odd; 12]),
        vel_cov: None,
        avel_cov: Some([odd; 6]),
        acc_cov: None,
        aacc_cov: Some([1.0; 6]),
    };
    let mut bench = Bench::with_pad(guarded());
    bench.begin_reference();
    bench.give(Input::ReferenceReceived(reference));
    bench.drain();
    assert_eq!(bench.desired().len(), 1, "at once");
    // From 10 ms on in every cycle while it is fresh, always with its own stamp.
    bench.run(495);
    assert_eq!(bench.desired().len(), 99);
    for desired in bench.desired() {
        assert_eq!(bits(&desired), bits(&reference));
    }
    bench.run(5);
    assert_eq!(bench.last(), PoseState::lost(wall(500), true), "it is lost in motion");
    assert_eq!(bench.machine.health().0, Level::Warn, "NaN counts as motion");
}

#[test]
fn an_active_stick_masks_the_reference_until_its_release() {
    let mut bench = Bench::with_pad(guarded());
    bench.press(TOGGLE);
    bench.begin_reference();
    bench.give(Input::ReferenceReceived(reference(wall(0), true, 9.0)));
    bench.run(CYCLE);
    assert_eq!(bench.forward(), 0.0);
    bench.press(TOGGLE);
    bench.batch();
    assert_eq!(bench.forward(), 0.0, "a stop first, which cannot be late");
    bench.run(245);
    assert_eq!(bench.forward(), 0.0, "the stick may prove to be gone");
    bench.run(2 * CYCLE);
    assert_eq!(bench.last(), reference(wall(0), true, 9.0));
}

#[test]
fn cycles_keep_their_phase_and_never_run_in_a_burst() {
    let mut bench = Bench::with_pad(driving());
    bench.axis(0, i16::MAX);
    bench.batch();
    let mut machine = bench.machine;
    // The stick's event was published at 0 ms, and the next cycle is two periods away.
    let mut desired_at = |micros: u64| {
        let now = Instant::from_nanos(micros * 1000);
        std::iter::from_fn(|| machine.poll(now))
            .filter(|o| matches!(o, joystick::Output::PublishDesired(_)))
            .count()
    };
    assert_eq!(desired_at(9_999), 0);
    assert_eq!(desired_at(10_400), 1, "a little late");
    assert_eq!(desired_at(15_000), 1, "the next one is not delayed by that");
    assert_eq!(desired_at(37_000), 1, "four were missed");
    assert_eq!(desired_at(37_000), 0);
    assert_eq!(desired_at(39_999), 0);
    assert_eq!(desired_at(40_000), 1);
    // due at 20, 25, 30 and 35 ms; one of them ran
    assert_eq!(machine.counters().missed_cycles, 3);
    assert_eq!(machine.deadline(), Some(Instant::from_millis(45)));
}

#[test]
fn shutdown_publishes_a_stop_and_nothing_afterwards() {
    let mut bench = Bench::with_pad(driving());
    bench.axis(0, i16::MAX);
    bench.run(1000);
    bench.outputs.clear();
    bench.give(Input::Stopping);
    bench.axis(0, i16::MAX);
    bench.batch();
    bench.run(100);
    assert_eq!(bench.desired(), [PoseState::standing(wall(1000), true)]);
    assert_eq!(bench.joys().len(), 1);
    assert!(bench.joys()[0].axes.iter().all(|&axis| axis == 0.0));
    assert_eq!((bench.machine.deadline(), bench.machine.active()), (None, false));
}

#[test]
fn shutdown_stops_a_reference_that_was_passed_on() {
    let mut bench = Bench::with_pad(guarded());
    bench.begin_reference();
    bench.give(Input::ReferenceReceived(reference(wall(0), true, 1.0)));
    bench.drain();
    bench.outputs.clear();
    bench.give(Input::Stopping);
    bench.drain();
    assert_eq!(bench.desired(), [PoseState::standing(wall(0), true)], "it is no longer passed on");
}

#[test]
fn shutdown_before_any_claim_publishes_nothing() {
    let mut bench = Bench::with_pad(guarded());
    bench.give(Input::Stopping);
    bench.drain();
    assert_eq!(bench.desired(), []);
}

#[test]
fn shutdown_releases_all_devices_after_the_stop() {
    let mut bench = Bench::with_pad(driving());
    bench.axis(0, i16::MAX);
    bench.button(ON, true);
    bench.batch();
    bench.outputs.clear();
    bench.give(Input::Stopping);
    bench.drain();
    let place = |output: &dyn Fn(&Output) -> bool| bench.outputs.iter().position(output).unwrap();
    let stop = place(&|output| matches!(output, Output::PublishDesired(_)));
    let let_go = place(&|output| {
        matches!(output, Output::PublishDevice { state, .. }
            if state.axes == [0, 0] && !state.buttons.contains(&true))
    });
    assert!(stop < let_go, "{:?}", bench.outputs);
}

#[test]
fn no_state_of_the_stick_is_published_after_shutdown() {
    let mut bench = Bench::with_pad(guarded());
    bench.button(ON, true);
    bench.axis(0, i16::MAX);
    bench.run(1000);
    bench.begin_reference();
    bench.give(Input::ReferenceReceived(reference(wall(1000), true, 0.5)));
    bench.outputs.clear();
    bench.axis(1, 1);
    bench.give(Input::BatchEnded); // makes a state of 3 m/s that is not polled
    bench.button(ON, false);
    bench.give(Input::Stopping);
    bench.drain();
    assert_eq!(bench.desired(), [PoseState::standing(wall(1000), true)]);
}

#[test]
fn incomplete_mappings_cause_a_warning_when_they_are_set() {
    let mut bench = Bench::new(Params::default());
    bench.drain();
    assert_eq!(bench.reports(), [Report::Unmapped, Report::AlwaysActive]);
    bench.give(Input::ParametersChanged(guarded()));
    bench.drain();
    bench.outputs.clear();
    let mut open = driving();
    open.mappings.enable = EnableButtons::default();
    bench.give(Input::ParametersChanged(open));
    bench.drain();
    assert_eq!(bench.reports(), [Report::AlwaysActive]);
}
