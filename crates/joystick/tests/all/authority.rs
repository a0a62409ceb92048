//! Authority of the stick: when it claims the vehicle, and the states published while it is connected, lost, or not in command.

use crate::common;

use common::{Bench, CYCLE, ON, PAD, SLOW, TOGGLE, driving, guarded, reference, wall};
use joystick::{Input, Level, Params, PoseState, Report};
use safety::{Machine, PublisherCount, Stamp};

/// How long \[ms] zero is published after a loss.
pub const FAREWELL: u64 = 1000;
/// How long \[ms] of these the states have no velocity.
const LOST: u64 = 100;

/// States that are published in the next `millis`.
pub fn published(bench: &mut Bench, millis: u64) -> Vec<PoseState> {
    bench.outputs.clear();
    bench.run(millis);
    bench.desired()
}

fn all_zero(states: &[PoseState]) -> bool {
    states.iter().all(|state| *state == PoseState::standing(state.stamp, state.intrinsic))
}

/// Whether the states up to 95 ms after `since` have no velocity, and all later ones are zero without an acceleration.
fn lost_then_zero(states: &[PoseState], since: u64) -> bool {
    states.iter().all(|state| {
        let is_lost = state.stamp < wall(since + LOST);
        *state
            == if is_lost {
                PoseState::lost(state.stamp, state.intrinsic)
            } else {
                PoseState::released(state.stamp, state.intrinsic)
            }
    })
}

pub fn unplug(bench: &mut Bench) {
    bench.outputs.clear();
    bench.disconnect(PAD);
    bench.batch();
}

#[test]
fn without_a_device_nothing_is_claimed() {
    for params in [Params::default(), driving(), guarded()] {
        let mut bench = Bench::new(params);
        assert_eq!(published(&mut bench, 3000), []);
        assert!(!bench.machine.active());
    }
}

#[test]
fn a_device_that_has_no_mapped_axis_claims_nothing() {
    let mut beyond = driving();
    (beyond.mappings.linear[0].axis, beyond.mappings.angular[2].axis) = (Some(8), None);
    for params in [Params::default(), beyond] {
        let mut bench = Bench::with_pad(params);
        bench.axis(0, i16::MAX);
        assert_eq!(published(&mut bench, 3000), []);
        assert!(!bench.machine.active() && bench.machine.health().0 == Level::Warn);
    }
}

#[test]
fn a_connected_stick_at_rest_claims_with_zero() {
    let mut bench = Bench::with_pad(driving());
    let states = published(&mut bench, 1000);
    assert!(states.len() == 20 && all_zero(&states) && bench.machine.active(), "20 times a second");
}

#[test]
fn without_a_device_a_fresh_reference_is_passed_on() {
    let mut bench = Bench::new(driving());
    bench.begin_reference();
    bench.give(Input::ReferenceReceived(reference(wall(0), true, 0.5)));
    assert_eq!(published(&mut bench, CYCLE), [reference(wall(0), true, 0.5)]);
}

#[test]
fn a_pad_unplugged_in_motion_is_lost_at_once_then_zero_for_a_second_and_then_silent() {
    for (params, hold) in [(driving(), None), (guarded(), Some(ON))] {
        let mut bench = Bench::with_pad(params);
        hold.into_iter().for_each(|button| bench.button(button, true));
        bench.axis(0, i16::MAX);
        bench.run(500);
        assert!(bench.forward() > 2.5);
        unplug(&mut bench);
        assert_eq!(bench.desired(), [PoseState::lost(wall(500), true)], "at once");
        let states = published(&mut bench, 2 * FAREWELL);
        assert!(lost_then_zero(&states, 500));
        // The cycles at 510 to 1495 ms; at 1500 the second is over.
        assert_eq!((states.len(), states.last().unwrap().stamp), (198, wall(1495)));
        assert_eq!(published(&mut bench, 3000), []);
    }
}

#[test]
fn a_pad_unplugged_at_rest_without_its_dead_man_is_no_loss() {
    let mut bench = Bench::with_pad(guarded());
    bench.begin_reference();
    bench.give(Input::ReferenceReceived(reference(wall(0), true, 0.5)));
    bench.run(100);
    unplug(&mut bench);
    assert_eq!(published(&mut bench, 2 * CYCLE), [reference(wall(0), true, 0.5)], "the reference continues");
}

#[test]
fn a_fresh_reference_waits_until_the_stop_of_the_lost_stick_was_published() {
    let mut bench = Bench::with_pad(guarded());
    bench.button(ON, true);
    bench.axis(0, i16::MAX);
    bench.run(500);
    unplug(&mut bench);
    for _ in 0..FAREWELL / 100 {
        bench.give(Input::ReferenceReceived(reference(wall(bench.millis), true, 0.5)));
        assert!(lost_then_zero(&published(&mut bench, 95), 500));
        bench.run(5);
    }
    bench.give(Input::ReferenceReceived(reference(wall(bench.millis), true, 0.5)));
    assert_eq!(published(&mut bench, 100), [], "no motion starts by itself");
    bench.give(Input::ReferenceReceived(reference(wall(bench.millis), true, 0.0)));
    bench.give(Input::ReferenceReceived(reference(wall(bench.millis), true, 0.5)));
    let states = published(&mut bench, 100);
    assert!(states.iter().all(|state| state.vel == Some([0.5, 0.0, 0.0])) && states.len() == 20);
}

#[test]
fn a_takeover_by_toggle_holds_the_vehicle_until_its_pad_returns_and_ends_it() {
    let mut bench = Bench::with_pad(guarded());
    bench.press(TOGGLE);
    bench.axis(0, i16::MAX);
    bench.run(500);
    unplug(&mut bench);
    bench.begin_reference();
    bench.give(Input::ReferenceReceived(reference(wall(500), true, 0.5)));
    let states = published(&mut bench, 5 * FAREWELL);
    assert!(all_zero(&states) && states.len() == 100, "the takeover was not ended");
    let (level, text) = bench.machine.health();
    assert!(level == Level::Warn && text.contains("enable.toggle commands zero"), "{text}");
    bench.connect(PAD, "Pad", "guid");
    bench.batch();
    assert!(bench.machine.active());
    bench.press(TOGGLE);
    bench.batch();
    assert!(!bench.machine.active());
}

#[test]
fn a_replug_claims_again() {
    let mut bench = Bench::with_pad(driving());
    bench.axis(0, i16::MAX);
    bench.run(500);
    unplug(&mut bench);
    bench.run(2 * FAREWELL);
    bench.connect(PAD, "Pad", "guid");
    bench.batch();
    assert!(bench.machine.active());
    let states = published(&mut bench, 1000);
    assert!(states.len() == 20 && all_zero(&states));
    bench.axis(0, i16::MAX);
    bench.run(500);
    assert!(bench.forward() > 2.5);
}

#[test]
fn releasing_the_dead_man_publishes_one_stop() {
    let mut bench = Bench::with_pad(guarded());
    bench.button(ON, true);
    bench.axis(0, i16::MAX);
    bench.run(500);
    bench.outputs.clear();
    bench.button(ON, false);
    bench.batch();
    assert_eq!(bench.desired(), [PoseState::released(wall(500), true)]);
    assert_eq!(published(&mut bench, 2000), []);
}

#[test]
fn unmapping_the_axis_in_motion_is_a_loss() {
    let mut bench = Bench::with_pad(driving());
    bench.axis(0, i16::MAX);
    bench.batch();
    bench.run(500);
    bench.outputs.clear();
    bench.give(Input::ParametersChanged(Params::default()));
    bench.drain();
    assert_eq!(bench.desired(), [PoseState::lost(wall(500), true)], "at once");
    assert_eq!(published(&mut bench, 2 * FAREWELL).len(), 198);
}

#[test]
fn a_reference_lost_in_motion_is_lost_then_zero_for_a_second_and_begins_with_zero() {
    let mut bench = Bench::with_pad(guarded());
    bench.begin_reference();
    bench.give(Input::ReferenceReceived(reference(wall(0), true, 0.5)));
    bench.run(495);
    assert_eq!(bench.forward(), 0.5);
    let states = published(&mut bench, 2 * FAREWELL);
    assert!(lost_then_zero(&states, 500) && states.len() == 199, "{}", states.len());
    assert!(bench.reports().contains(&Report::ReferenceWaits(true)));
    for vel in [0.5, 0.7] {
        bench.give(Input::ReferenceReceived(reference(wall(bench.millis), true, vel)));
        assert_eq!(published(&mut bench, 100), [], "it does not start by itself");
        assert!(bench.machine.health().1.contains("after it asks for zero"));
    }
    bench.give(Input::ReferenceReceived(reference(wall(bench.millis), true, 0.0)));
    bench.run(CYCLE);
    bench.give(Input::ReferenceReceived(reference(wall(bench.millis), true, 0.5)));
    bench.run(CYCLE);
    assert_eq!(bench.forward(), 0.5);
    assert!(bench.reports().contains(&Report::ReferenceWaits(false)));
}

#[test]
fn a_reference_that_was_silent_at_rest_begins_with_zero_and_its_silence_is_not_reported() {
    let mut bench = Bench::with_pad(guarded());
    bench.begin_reference();
    published(&mut bench, 1_000);
    bench.reports();
    assert!(!bench.machine.health().1.contains("after it asks for zero"));
    bench.give(Input::ReferenceReceived(reference(wall(bench.millis), true, 0.5)));
    assert_eq!(published(&mut bench, CYCLE), []);
    assert!(bench.machine.health().1.contains("after it asks for zero"));
    bench.give(Input::ReferenceReceived(reference(wall(bench.millis), true, 0.0)));
    bench.run(CYCLE);
    bench.give(Input::ReferenceReceived(reference(wall(bench.millis), true, 0.5)));
    bench.run(CYCLE);
    assert_eq!(bench.forward(), 0.5);
}

#[test]
fn a_stick_begins_with_zero_even_if_it_was_deflected_before_the_button() {
    let mut bench = Bench::with_pad(guarded());
    bench.axis(0, i16::MAX);
    bench.run(2_000);
    bench.outputs.clear();
    bench.button(ON, true);
    bench.run(100);
    let states = bench.desired();
    assert_eq!((states[0].vel, states[0].avel), (Some([0.0; 3]), Some([0.0; 3])));
    assert!(states[1..].iter().all(|state| state.vel.unwrap()[0] > 0.0), "{states:?}");
}

#[test]
fn a_reference_that_is_old_late_repeated_or_from_the_future_is_not_passed_on() {
    let mut bench = Bench::with_pad(guarded());
    bench.run(10_000);
    for stamp in [wall(9_500), wall(10_200), Stamp { sec: i32::MAX, nanosec: 0 }] {
        bench.give(Input::ReferenceReceived(reference(stamp, true, 0.5)));
        assert_eq!(published(&mut bench, CYCLE), [], "{stamp:?}");
    }
    bench.give(Input::ReferenceReceived(reference(wall(10_000), true, 0.0)));
    bench.run(CYCLE);
    bench.give(Input::ReferenceReceived(reference(wall(9_990), true, 0.5)));
    bench.run(CYCLE);
    assert_eq!(bench.last(), reference(wall(10_000), true, 0.0), "a late reference has no effect");
    for _ in 0..10 {
        bench.give(Input::ReferenceReceived(reference(wall(10_000), true, 0.0)));
        bench.run(100);
    }
    assert_eq!(published(&mut bench, 100), [], "a repeated stamp does not refresh");
}

#[test]
fn a_reference_of_two_publishers_is_lost_until_a_zero_of_one() {
    let mut bench = Bench::with_pad(guarded());
    bench.run(1000);
    let send = |bench: &mut Bench, forward| {
        bench.give(Input::ReferenceReceived(reference(wall(bench.millis), true, forward)));
        published(bench, CYCLE)
    };
    send(&mut bench, 0.0);
    assert!(send(&mut bench, 0.5).iter().any(|state| state.vel == Some([0.5, 0.0, 0.0])));
    bench.give(Input::ReferencePublishersCounted(PublisherCount::of(2)));
    let lost = published(&mut bench, CYCLE);
    assert!(!lost.is_empty() && lost.iter().all(|state| state.vel.is_none()), "{lost:?}");
    let moves =
        |states: Vec<PoseState>| states.iter().any(|state| state.vel.is_some_and(|vel| vel[0] != 0.0));
    for forward in [0.0, 0.5] {
        assert!(!moves(send(&mut bench, forward)), "its publisher is unknown");
    }
    bench.give(Input::ReferencePublishersCounted(PublisherCount::of(1)));
    assert!(!moves(send(&mut bench, 0.5)), "it never stopped asking for motion");
    send(&mut bench, 0.0);
    assert!(moves(send(&mut bench, 0.5)));
}

#[test]
fn a_reference_queued_while_the_process_was_held_is_assumed_maximally_old() {
    let mut bench = Bench::with_pad(guarded());
    bench.run(1000);
    bench.millis += 5000; // held
    bench.give(Input::ClockRead(wall(bench.millis).into()));
    bench.begin_reference();
    bench.give(Input::ReferenceReceived(reference(Stamp::ZERO, true, 0.5)));
    assert_eq!(published(&mut bench, 100), []);
}

#[test]
fn sticks_that_are_not_read_count_as_released_within_250_ms_and_before_a_held_process_publishes() {
    for (hold, params) in [(None, driving()), (Some(ON), guarded())] {
        for gap in [250, 5000] {
            let mut bench = Bench::with_pad(params.clone());
            bench.give(Input::DevicesPolled);
            hold.into_iter().for_each(|button| bench.button(button, true));
            bench.axis(0, i16::MAX);
            bench.run(245);
            assert!(bench.forward() > 1.0);
            bench.outputs.clear();
            // In steps, or at once as after a hold.
            bench.millis = if gap == 250 { 250 } else { 245 + gap };
            bench.drain();
            let (states, lost) = (bench.desired(), bench.millis);
            assert!(lost_then_zero(&states, lost) && !states.is_empty(), "no earlier command is published");
            assert!(bench.reports().contains(&Report::ReadingLost(true)));
            assert_eq!(bench.machine.health().0, Level::Error);
            assert!(!bench.machine.needs_reading(), "no device is connected");
            bench.give(Input::DevicesPolled);
            assert!(bench.machine.needs_reading());
            let held = (0..10).map(|button| Some(button) == hold).collect();
            bench.give(Input::DeviceRead { id: PAD, axes: vec![i16::MAX, 0], buttons: held, hats: vec![] });
            bench.batch();
            assert!(!bench.machine.needs_reading() && bench.reports().contains(&Report::ReadingLost(false)));
            for _ in 0..5 {
                // A dead-man counts from its next press on and holds the vehicle meanwhile, after the loss; without one the stick
                // claims the vehicle again, with zero.
                let states = published(&mut bench, 100);
                let after =
                    states.iter().position(|state| hold.is_none() || state.stamp >= wall(lost + LOST));
                let (states, held) = states.split_at(after.unwrap_or(states.len()));
                let still = lost_then_zero(states, lost) && all_zero(held);
                assert!(still, "the stick was held the whole time");
                bench.give(Input::DevicesPolled);
            }
        }
    }
}

#[test]
fn a_takeover_in_slow_motion_begins_slowly() {
    // 10 / 3 at full speed, a quarter of it in slow motion, half of it with both buttons.
    for (held, expected) in [(vec![SLOW], 2.5 / 3.0), (vec![ON], 10.0 / 3.0)] {
        let mut bench = Bench::with_pad(guarded());
        bench.begin_reference();
        bench.give(Input::ReferenceReceived(reference(wall(0), true, 5.0)));
        held.into_iter().for_each(|button| bench.button(button, true));
        bench.batch();
        assert_eq!(bench.forward(), expected);
    }
}

#[test]
fn a_command_in_force_is_checked_every_50_ms_at_any_rate() {
    let mut params = guarded();
    params.rate = 1;
    params.joy.autorepeat_rate = 0.0;
    let mut bench = Bench::with_pad(params);
    let wait = |bench: &Bench| Some(bench.machine.deadline()?.since(bench.now()).as_millis());
    assert_eq!(wait(&bench), None, "nothing to repeat");
    bench.begin_reference();
    bench.give(Input::ReferenceReceived(reference(wall(0), true, 0.5)));
    bench.drain();
    assert_eq!(wait(&bench), Some(50));
    bench.run(500);
    assert_eq!(bench.last(), PoseState::lost(wall(500), true), "a loss does not wait for a cycle");
}

#[test]
fn the_status_names_the_button_to_hold_and_the_axis_that_is_not_at_rest() {
    let mut bench = Bench::with_pad(guarded());
    let health = |bench: &Bench| bench.machine.health();
    let how =
        "hold button 0 (enable.on) or hold button 1 (enable.slow) or press button 2 (enable.toggle) to drive";
    let text = format!("inactive: {how}; there is no reference to pass on");
    assert_eq!(health(&bench), (Level::Ok, text));
    bench.give(Input::ReferenceReceived(reference(wall(0), true, 0.0)));
    bench.drain();
    assert_eq!(health(&bench), (Level::Ok, format!("inactive: the reference is passed on; {how}")));
    bench.button(ON, true);
    bench.batch();
    assert_eq!(health(&bench).1, "active: the stick drives");
    let mut other = guarded();
    other.mappings.enable.toggle = None;
    bench.give(Input::ParametersChanged(other.clone()));
    assert!(
        health(&bench).1.contains("hold button 0 (enable.on) (release it first)"),
        "{}",
        health(&bench).1
    );
    // A pad that connects with its stick half deflected.
    unplug(&mut bench);
    bench.connect(PAD, "Pad", "guid");
    bench.axis(1, 16_000);
    bench.batch();
    bench.button(ON, true);
    bench.batch();
    // 16000 / 32767 = 0.488
    let off = "axis 1 (angular.z) is 49 % of its range off rest, must be at most 10 %";
    assert!(health(&bench).0 == Level::Warn && health(&bench).1.ends_with(off), "{}", health(&bench).1);
    assert!(bench.reports().iter().any(|report| report.to_string().ends_with(off)));
}

#[test]
fn unplugging_a_pad_beside_another_one_is_a_loss_and_no_release() {
    let mut bench = Bench::with_pad(guarded());
    bench.connect(joystick::DeviceId(77), "Other", "other");
    bench.button(ON, true);
    bench.axis(0, i16::MAX);
    bench.run(500);
    assert!(bench.forward() > 2.5);
    unplug(&mut bench);
    assert_eq!(bench.desired().first(), Some(&PoseState::lost(wall(500), true)));
    bench.begin_reference();
    assert!(lost_then_zero(&published(&mut bench, FAREWELL - 100), 500), "the reference waits for a second");
}

#[test]
fn a_takeover_at_rest_that_does_not_end_by_its_button_is_a_loss() {
    type End = (&'static str, fn(&mut Bench));
    let ends: [End; 6] = [
        ("unplugged", |bench| bench.disconnect(PAD)),
        ("released by SDL, and unplugged", |bench| {
            bench.button(ON, false);
            bench.disconnect(PAD);
        }),
        ("not read", |bench| bench.give(Input::ReadingLost)),
        ("another device", |bench| {
            bench.give(Input::ParametersChanged(Params { control_device: "B".into(), ..guarded() }));
        }),
        ("another button", |bench| {
            let mut params = guarded();
            params.mappings.enable.on = Some(9);
            bench.give(Input::ParametersChanged(params));
        }),
        ("no button", |bench| {
            let mut params = guarded();
            params.mappings.enable.on = None;
            bench.give(Input::ParametersChanged(params));
        }),
    ];
    for (what, end) in ends {
        let mut bench = Bench::with_pad(guarded());
        bench.button(ON, true);
        bench.begin_reference();
        bench.run(500);
        bench.give(Input::ReferenceReceived(reference(wall(500), true, 0.5)));
        bench.outputs.clear();
        end(&mut bench);
        bench.batch();
        assert_eq!(bench.last(), PoseState::lost(wall(500), true), "{what}");
        for millis in (600..=2_000).step_by(100) {
            bench.give(Input::ReferenceReceived(reference(wall(millis - 100), true, 0.5)));
            assert!(lost_then_zero(&published(&mut bench, 100), 500), "{what}: no reference before its zero");
        }
        bench.begin_reference();
        bench.give(Input::ReferenceReceived(reference(wall(2_000), true, 0.5)));
        bench.run(CYCLE);
        assert_eq!(bench.forward(), 0.5, "{what}");
    }
}

#[test]
fn a_reference_published_before_the_start_of_the_node_begins_with_zero() {
    let mut bench = Bench::with_pad(guarded());
    for millis in (0..2_000).step_by(100) {
        bench.give(Input::ReferenceReceived(reference(wall(millis), true, 0.5)));
        assert_eq!(published(&mut bench, 100), []);
    }
    assert!(bench.machine.health().1.contains("after it asks for zero"));
    bench.give(Input::ReferenceReceived(reference(wall(2_000), true, 0.003)));
    bench.run(CYCLE);
    bench.give(Input::ReferenceReceived(reference(wall(2_005), true, 0.5)));
    assert!(published(&mut bench, CYCLE).iter().all(|state| state.vel == Some([0.5, 0.0, 0.0])));
}

/// SDL releases a pad before it removes it, in one batch.
#[test]
fn a_pad_released_in_the_batch_that_removes_it_is_lost_in_motion() {
    for params in [driving(), guarded()] {
        let mut bench = Bench::with_pad(params);
        bench.button(ON, true);
        bench.axis(0, i16::MAX);
        bench.batch();
        bench.run(500);
        bench.outputs.clear();
        bench.axis(0, 0);
        bench.button(ON, false);
        bench.disconnect(PAD);
        bench.batch();
        assert_eq!(bench.desired(), [PoseState::lost(wall(500), true)]);
        let states = published(&mut bench, FAREWELL - CYCLE);
        assert!(lost_then_zero(&states, 500) && states.len() == 198);
    }
}
