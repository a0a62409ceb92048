//! A pad that another program reads, as the states of a `sensor_msgs/Joy`: it drives, is lost and comes back as a local pad.

use crate::common;

use common::{Bench, ON, TOGGLE, guarded, reference, wall};
use joystick::{Input, Level, Output, Params, PoseState, Report, VirtualSource, VirtualState, specification};
use params::Value;
use safety::{PublisherCount, Stamp};

fn bench() -> Bench {
    Bench::new(Params { joy_input: "pad".into(), virtual_device: "joy".into(), ..guarded() })
}

/// Axis 0 as the package `joy` has it, and the dead-man button.
fn hold(bench: &mut Bench, axis: f32, on: bool) {
    let mut buttons = [0; 13];
    buttons[ON] = on.into();
    give(bench, Stamp::ZERO, &[axis, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0], &buttons);
}

fn give(bench: &mut Bench, stamp: Stamp, axes: &[f32], buttons: &[i32]) {
    bench.give(Input::ClockRead(wall(bench.millis).into()));
    bench.give(Input::VirtualDeviceMoved(VirtualState::of_joy(stamp, axes, buttons)));
    bench.drain();
}

/// At rest for longer than a press after a connection does not count.
fn rest(bench: &mut Bench) {
    for _ in 0..15 {
        hold(bench, 0.0, false);
        bench.run(20);
    }
}

/// Whether the last desired state asks for motion; a loss has no velocity.
fn moves(bench: &Bench) -> bool {
    bench.last().vel.is_some_and(|vel| vel[0] != 0.0)
}

fn drive(bench: &mut Bench, axis: f32) {
    rest(bench);
    hold(bench, 0.0, true);
    for _ in 0..20 {
        hold(bench, axis, true);
        bench.run(20);
    }
}

#[test]
fn it_drives_with_the_signs_of_a_local_pad() {
    let mut bench = bench();
    drive(&mut bench, -1.0); // right or down, which SDL counts as positive
    assert!(bench.machine.active() && bench.forward() > 0.5, "{}", bench.forward());
    assert_eq!(bench.machine.device_list(), ["joy"]);
    hold(&mut bench, -1.0, false);
    bench.run(20);
    assert!(!bench.machine.active() && bench.forward() == 0.0, "the release of its button is a stop");
}

#[test]
fn after_a_silence_it_needs_rest_and_a_new_press() {
    let mut bench = bench();
    drive(&mut bench, -1.0);
    bench.run(505);
    assert_eq!((bench.last().vel, bench.machine.device_list()), (None, vec![]), "a loss");
    assert!(bench.reports().contains(&Report::VirtualSilent(VirtualSource::Joy)));
    let stays = |bench: &mut Bench, axis, on, why: &str| {
        for _ in 0..20 {
            hold(bench, axis, on);
            bench.run(20);
            assert!(!moves(bench), "{why}");
        }
    };
    stays(&mut bench, -1.0, true, "stick and button were held when it came back");
    stays(&mut bench, 0.0, true, "the button was down when it came back");
    stays(&mut bench, -1.0, true, "the button was not pressed since");
    drive(&mut bench, -1.0);
    assert!(bench.forward() > 0.5);
}

#[test]
fn what_no_pad_sends_unplugs_it_at_once() {
    for (axes, buttons, sentence) in [
        (
            &[0.0, f32::NAN][..],
            &[0][..],
            "'joy_input' has axes[1] NaN, must be from -1 to 1: the device is unplugged",
        ),
        (&[1.1], &[0], "'joy_input' has axes[0] 1.1, must be from -1 to 1: the device is unplugged"),
        (&[f32::INFINITY], &[], "'joy_input' has axes[0] inf, must be from -1 to 1: the device is unplugged"),
        (&[0.0], &[0, 2], "'joy_input' has buttons[1] 2, must be 0 or 1: the device is unplugged"),
        (&[0.0], &[-1], "'joy_input' has buttons[0] -1, must be 0 or 1: the device is unplugged"),
    ] {
        let mut bench = bench();
        drive(&mut bench, -1.0);
        give(&mut bench, Stamp::ZERO, axes, buttons);
        assert_eq!((bench.machine.active(), bench.machine.device_list()), (false, vec![]), "{sentence}");
        assert_eq!(bench.last().vel, None, "a loss: {sentence}");
        assert!(
            bench.reports().iter().any(|report| report.to_string() == sentence && report.is_warning()),
            "{sentence}"
        );
    }
}

#[test]
fn another_size_is_another_pad() {
    let mut bench = bench();
    drive(&mut bench, -1.0);
    for _ in 0..20 {
        give(&mut bench, Stamp::ZERO, &[-1.0, 0.0], &[1; 13]);
        bench.run(20);
    }
    assert!(!bench.machine.active() && bench.forward() == 0.0, "held at its connection");
    assert_eq!(bench.machine.device_list(), ["joy"]);
    // Buttons alone, or nothing at all, are no stick.
    drive(&mut bench, -1.0);
    give(&mut bench, Stamp::ZERO, &[], &[0; 13]);
    assert!(!bench.machine.active());
    give(&mut bench, Stamp::ZERO, &[], &[]);
    assert_eq!(bench.machine.device_list(), Vec::<String>::new());
}

#[test]
fn old_states_of_a_link_that_stood_still_move_nothing() {
    let mut bench = bench();
    drive(&mut bench, -1.0);
    let old = wall(bench.millis);
    bench.run(505);
    for _ in 0..20 {
        give(&mut bench, old, &[-1.0], &[1; 13]);
        bench.run(20);
        assert!(!moves(&bench) && bench.machine.device_list().is_empty());
    }
    assert!(bench.reports().contains(&Report::VirtualStale(VirtualSource::Joy)));
    give(&mut bench, Stamp::ZERO, &[0.0; 65], &[0]);
    let sentence = "'joy_input' is ignored: it has 65 axes and 1 buttons, must have at most 64 and 128";
    assert!(bench.reports().iter().any(|report| report.to_string() == sentence));
}

#[test]
fn a_second_publisher_unplugs_it() {
    let mut bench = bench();
    drive(&mut bench, -1.0);
    bench.give(Input::VirtualPublishersCounted(PublisherCount::Known { compatible: 2, incompatible: 0 }));
    bench.drain();
    assert_eq!((bench.last().vel, bench.machine.device_list()), (None, vec![]));
    hold(&mut bench, 0.0, false);
    assert_eq!(bench.machine.device_list(), Vec::<String>::new());
}

#[test]
fn it_alone_drives_unless_another_is_named() {
    let read = |changes: &[(&str, &str)]| {
        let changes = changes.iter().map(|(name, value)| ((*name).to_owned(), Value::Text((*value).into())));
        Params::read(&specification().resolve(changes).unwrap()).unwrap()
    };
    let names = |params: Params| (params.virtual_device, params.control_device);
    assert_eq!(names(read(&[("joy_input", "pad")])), ("joy".into(), "joy".into()));
    let both = read(&[("joy_input", "pad"), ("virtual_device", "remote"), ("control_device", "X-Box")]);
    assert_eq!(names(both), ("remote".into(), "X-Box".into()));
    assert_eq!(names(read(&[])), (String::new(), String::new()));
}

/// The reference is received at `vel`, and the pad in this state, every 20 ms for `millis`; `None`: the pad is silent.
fn pass(bench: &mut Bench, millis: u64, pad: Option<(f32, bool)>) {
    for _ in 0..millis / 20 {
        bench.give(Input::ReferenceReceived(reference(wall(bench.millis), true, 0.5)));
        if let Some((axis, on)) = pad {
            hold(bench, axis, on);
        }
        bench.run(20);
    }
}

/// Whether the reference was passed on since the outputs were cleared.
fn hands_over(bench: &Bench) -> bool {
    bench.desired().iter().any(|state| state.vel.is_some_and(|vel| vel[0] == 0.5))
}

#[test]
fn a_release_that_only_silence_follows_hands_nothing_over() {
    // The last messages of a program whose pad is pulled out: everything released.
    for silence in [20, 240, 300, 2000] {
        let mut bench = bench();
        bench.begin_reference();
        pass(&mut bench, 300, Some((0.0, false)));
        pass(&mut bench, 600, Some((-1.0, true)));
        assert!(moves(&bench));
        hold(&mut bench, 0.0, false);
        bench.outputs.clear();
        pass(&mut bench, silence, None);
        let all_held = bench
            .desired()
            .iter()
            .all(|state| state.acc.is_some() || state.vel.is_none() || bench.millis > 1400);
        assert!(all_held && !bench.machine.active(), "held as unreleased, or lost: {:?}", bench.last());
        // It is plugged in again within the half second in which it counts as connected, or not at all.
        let back = (250..500).contains(&silence);
        pass(&mut bench, 2000, (back || silence < 250).then_some((0.0, false)));
        assert_eq!(hands_over(&bench), silence < 250, "silent for {silence} ms");
    }
}

#[test]
fn a_release_counts_with_a_state_made_a_quarter_of_a_second_later() {
    let mut bench = bench();
    bench.begin_reference();
    pass(&mut bench, 300, Some((0.0, false)));
    pass(&mut bench, 600, Some((-1.0, true)));
    hold(&mut bench, -1.0, false);
    bench.outputs.clear();
    pass(&mut bench, 240, Some((-1.0, false)));
    let standing = |state: &PoseState| state.vel == Some([0.0; 3]) && state.acc == Some([0.0; 3]);
    assert!(!bench.desired().is_empty() && bench.desired().iter().all(standing), "{:?}", bench.last());
    assert!(!bench.machine.active(), "{:?}", bench.machine.health());
    pass(&mut bench, 60, Some((-1.0, false)));
    assert!(
        bench.desired().iter().any(|state| state.vel == Some([0.0; 3]) && state.acc.is_none()),
        "released"
    );
    assert!(!hands_over(&bench));
    pass(&mut bench, 300, Some((-1.0, false)));
    assert!(hands_over(&bench));
}

#[test]
fn a_press_before_the_release_counts_needs_rest() {
    let mut bench = bench();
    pass(&mut bench, 300, Some((0.0, false)));
    pass(&mut bench, 600, Some((-1.0, true)));
    hold(&mut bench, 0.0, false);
    pass(&mut bench, 100, None);
    pass(&mut bench, 500, Some((-1.0, true)));
    assert!(!moves(&bench), "the contact may have been lost: {:?}", bench.last());
    pass(&mut bench, 100, Some((0.0, true)));
    pass(&mut bench, 300, Some((-1.0, true)));
    assert!(moves(&bench));
}

#[test]
fn a_press_soon_after_a_connection_or_a_gap_does_not_count() {
    for gap in [0, 300, 600] {
        let mut bench = bench();
        if gap > 0 {
            pass(&mut bench, 300, Some((0.0, false)));
            pass(&mut bench, gap, None);
        }
        // A program that opens a pad whose button is held publishes its first state with all buttons up.
        hold(&mut bench, 0.0, false);
        bench.run(5);
        pass(&mut bench, 400, Some((0.0, true)));
        pass(&mut bench, 400, Some((-1.0, true)));
        assert!(!bench.machine.active(), "{gap}");
        // From then on it is a press.
        drive(&mut bench, -1.0);
        assert!(moves(&bench), "{gap}");
    }
}

#[test]
fn a_contact_that_is_lost_in_motion_needs_rest_and_a_press() {
    for gap in [100, 200, 340, 460, 540] {
        let mut bench = bench();
        drive(&mut bench, -1.0);
        hold(&mut bench, 0.0, false); // what a program makes of the removal
        bench.run(gap);
        hold(&mut bench, -1.0, false); // opened again: the axes as they are
        bench.run(5);
        bench.outputs.clear();
        pass(&mut bench, 2000, Some((-1.0, true)));
        assert!(bench.desired().iter().all(|state| state.vel.is_none_or(|vel| vel[0] == 0.0)), "{gap} ms");
        drive(&mut bench, -1.0);
        assert!(moves(&bench));
    }
}

#[test]
fn while_it_drives_a_hang_of_sdl_is_not_its_fault() {
    let mut bench = bench();
    bench.give(Input::DevicesPolled);
    drive(&mut bench, -1.0);
    assert!(bench.reports().contains(&Report::ReadingLost(true)) && moves(&bench));
    assert_eq!(bench.machine.health(), (Level::Ok, "active: the stick drives".into()));
    let stage = why::Explain::explain(&bench.machine);
    assert!(stage.has_device && why::choose(&[stage]).code == why::Code::Moves);
}

/// The log lines and opened topics of ten seconds, in each of which 20 states are received as `state` gives them.
fn flood(mut state: impl FnMut(&mut Bench, usize)) -> (Bench, usize, usize) {
    let mut bench = bench();
    for count in 0..200 {
        bench.run(50);
        state(&mut bench, count);
    }
    let opened = bench.outputs.iter().filter(|output| matches!(output, Output::OpenDevice { .. })).count();
    let lines = bench.reports().len();
    (bench, lines, opened)
}

#[test]
fn a_clock_that_differs_is_named_once() {
    let (bench, lines, opened) = flood(|bench, count| {
        let stamp = wall(bench.millis - if count < 20 { 0 } else { 470 });
        give(bench, stamp, &[0.0; 8], &[0; 13]);
    });
    let sentence = "'joy_input' is stamped 470 ms before its receipt, must be at most 250 ms to connect: the clocks differ, or the link is slow";
    let named =
        bench.reports().iter().filter(|report| report.to_string() == sentence && report.is_warning()).count();
    assert_eq!(
        (named, opened),
        (1, 2),
        "it connects once more, since the first late states look like a silence"
    );
    assert!(lines < 12, "{:?}", bench.reports());
    // A clock that is 0.3 s behind is good enough for states at 20 Hz.
    let (bench, lines, opened) =
        flood(|bench, _| give(bench, wall(bench.millis.max(300) - 300), &[0.0; 8], &[0; 13]));
    assert!(opened == 1 && lines < 12, "{:?}", bench.reports());
}

#[test]
fn states_that_disconnect_it_in_turn_fill_no_log() {
    let size =
        |bench: &mut Bench, count: usize| give(bench, Stamp::ZERO, &vec![0.0; 6 + count % 2], &[0; 13]);
    let value = |bench: &mut Bench, count: usize| {
        give(bench, Stamp::ZERO, &[[0.0, 1.5 + count as f32][count % 2]; 8], &[0; 13])
    };
    let ahead = |bench: &mut Bench, count: usize| {
        give(bench, wall(bench.millis + [0, 200][count % 2]), &[0.0; 8], &[0; 13])
    };
    for (what, (bench, lines, opened)) in
        [("size", flood(size)), ("value", flood(value)), ("ahead", flood(ahead))]
    {
        // At most two connections a second, each with its loss, and four refusals.
        assert!(
            opened <= 20 && lines <= 160,
            "{what}: {opened} topics, {lines} lines: {:?}",
            bench.reports()
        );
    }
}

#[test]
fn a_takeover_ends_with_the_pad_that_began_it() {
    let toggle = |bench: &mut Bench, axes: usize, axis: f32, down: bool| {
        let mut all = vec![0.0; axes];
        all[0] = axis;
        let mut buttons = [0; 13];
        buttons[TOGGLE] = down.into();
        give(bench, Stamp::ZERO, &all, &buttons);
        bench.run(20);
    };
    for (axes, silence, publishers) in [(8, 60_000, 1), (8, 560, 1), (4, 0, 1), (8, 0, 2)] {
        let mut bench = bench();
        (0..15).for_each(|_| toggle(&mut bench, 8, 0.0, false));
        toggle(&mut bench, 8, 0.0, true);
        (0..20).for_each(|_| toggle(&mut bench, 8, -1.0, false));
        assert!(moves(&bench));
        bench.run(silence);
        for count in [publishers, 1] {
            bench.give(Input::VirtualPublishersCounted(PublisherCount::of(count)));
        }
        (0..30).for_each(|_| toggle(&mut bench, axes, 0.0, false));
        (0..30).for_each(|_| toggle(&mut bench, axes, -1.0, false));
        assert!(
            !bench.machine.active() && !moves(&bench),
            "{axes} axes after {silence} ms: nobody pressed its button"
        );
    }
}
