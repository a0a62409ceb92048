//! Virtual joysticks through the whole of SDL: which events the sink receives, and in which order.
//!
//! A real joystick may be plugged in where this runs, lying still.
#![allow(unsafe_code, reason = "counts the devices that SDL has connected and open")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, PoisonError};

use gamepad::{Error, Event, Gamepads, Hat, VirtualDevice, VirtualState};

use common::{Bench, PATIENCE, TURN};

mod common;

fn axes(axes: &[i16]) -> VirtualState {
    VirtualState { axes: axes.to_vec(), ..VirtualState::default() }
}

fn button(pressed: bool) -> VirtualState {
    VirtualState { buttons: vec![pressed], ..VirtualState::default() }
}

#[test]
fn a_connection_is_one_event_with_the_rest_state() {
    let bench = Bench::new();
    // Six axes, eleven buttons, one hat: SDL would let axes 4 and 5 of a game controller rest at -32768.
    let pad = bench.gamepads.plug(VirtualDevice::new("rest", 6, 11, 1)).unwrap();
    match bench.next_of(pad.id) {
        Event::Connected { name, axes, buttons, hats, .. } => {
            assert_eq!(name, "rest");
            assert_eq!(axes, [0; 6]);
            assert_eq!(buttons, [false; 11]);
            assert_eq!(hats, [Hat::default()]);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(bench.next(), Event::BatchEnded);
    // A state equal to the rest state gives SDL several more pumps, in which it repeats the initial values.
    for _ in 0..5 {
        pad.set(VirtualState::default());
    }
    assert_eq!(bench.unplug(pad), []);
}

#[test]
fn the_sink_receives_polled_without_events() {
    let _turn = common::TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let (events, received) = std::sync::mpsc::channel();
    let _gamepads = Gamepads::start(move |event| drop(events.send(event))).unwrap();
    let next = || received.recv_timeout(common::PATIENCE).expect("an event");
    let mut polls = 0;
    while polls < 3 {
        polls += u32::from(next() == Event::Polled);
    }
}

#[test]
fn the_state_of_a_device_is_reported_on_request() {
    let bench = Bench::new();
    let pad = bench.plug("again", 2, 1, 1);
    let id = pad.id;
    let up = Hat { up: true, ..Hat::default() };
    pad.set(VirtualState { axes: vec![7, -8], buttons: vec![true], hats: vec![up] });
    while bench.next() != (Event::Hat { id, hat: 0, state: up }) {}
    bench.gamepads.request_states().unwrap();
    let state = Event::State { id, axes: vec![7, -8], buttons: vec![true], hats: vec![up] };
    assert_eq!([bench.next_of(id), bench.next()], [state, Event::BatchEnded]);
    pad.set(VirtualState { axes: vec![7, -9], buttons: vec![true], hats: vec![up] });
    assert_eq!(bench.next_of(id), Event::Axis { id, axis: 1, value: -9 }, "reported once");
}

#[test]
fn a_change_arrives_once_and_in_order() {
    let bench = Bench::new();
    let pad = bench.plug("order", 2, 2, 1);
    let id = pad.id;
    let left_down = Hat { left: true, down: true, ..Hat::default() };
    pad.set(VirtualState { axes: vec![-32768, 32767], buttons: vec![false, true], hats: vec![left_down] });
    pad.set(VirtualState { axes: vec![-32768, 1], buttons: vec![false, true], hats: vec![left_down] });
    let expected = [
        Event::Axis { id, axis: 0, value: -32768 },
        Event::Axis { id, axis: 1, value: 32767 },
        Event::Button { id, button: 1, pressed: true },
        Event::Hat { id, hat: 0, state: left_down },
        Event::BatchEnded,
        Event::Axis { id, axis: 1, value: 1 }, // the second state differs in this axis only
        Event::BatchEnded,
    ];
    assert_eq!(bench.next(), Event::BatchEnded); // of the connection
    for event in expected {
        assert_eq!(bench.next(), event);
    }
}

#[test]
fn none_of_two_hundred_quick_edges_is_lost() {
    let bench = Bench::new();
    let pad = bench.plug("edges", 1, 1, 0);
    let id = pad.id;
    for _ in 0..100 {
        pad.set(button(true));
        pad.set(button(false));
    }
    for press in 0..100 {
        for pressed in [true, false] {
            assert_eq!(bench.next_of(id), Event::Button { id, button: 0, pressed }, "press {press}");
        }
    }
}

#[test]
fn unplugging_resets_moved_inputs_and_then_disconnects() {
    let bench = Bench::new();
    let pad = bench.plug("centre", 2, 2, 1);
    let id = pad.id;
    let up = Hat { up: true, ..Hat::default() };
    pad.set(VirtualState { axes: vec![0, 20000], buttons: vec![true, false], hats: vec![up] });
    // The queued state comes first, although the disconnection follows at once. Inputs that never moved send no
    // event.
    let expected = [
        Event::Axis { id, axis: 1, value: 20000 },
        Event::Button { id, button: 0, pressed: true },
        Event::Hat { id, hat: 0, state: up },
        Event::Axis { id, axis: 1, value: 0 },
        Event::Button { id, button: 0, pressed: false },
        Event::Hat { id, hat: 0, state: Hat::default() },
    ];
    let events = bench.unplug(pad);
    assert_eq!(events[..3], expected[..3]);
    assert_eq!(events.len(), expected.len(), "{events:?}");
    for event in &expected[3..] {
        assert!(events[3..].contains(event), "{event:?} is not in {events:?}"); // SDL defines no order among these
    }
}

#[test]
fn a_missing_entry_is_at_rest_and_a_surplus_one_is_ignored() {
    let bench = Bench::new();
    let pad = bench.plug("entries", 2, 1, 0);
    let id = pad.id;
    pad.set(VirtualState { axes: vec![10, 20, 30], buttons: vec![false, true], hats: vec![Hat::default()] });
    assert_eq!(bench.next_of(id), Event::Axis { id, axis: 0, value: 10 });
    assert_eq!(bench.next_of(id), Event::Axis { id, axis: 1, value: 20 });
    pad.set(axes(&[10]));
    assert_eq!(bench.next_of(id), Event::Axis { id, axis: 1, value: 0 });
    let events = bench.unplug(pad);
    assert_eq!(events, [Event::Axis { id, axis: 0, value: 0 }]);
}

#[test]
fn a_replugged_pad_has_a_new_id() {
    let bench = Bench::new();
    let first = bench.plug("again", 1, 1, 0);
    let id = first.id;
    bench.unplug(first);
    let second = bench.plug("again", 1, 1, 0);
    assert_ne!(second.id, id);
}

#[test]
fn a_dropped_pad_is_unplugged() {
    let bench = Bench::new();
    let pad = bench.plug("dropped", 1, 1, 0);
    let id = pad.id;
    drop(pad);
    assert_eq!(bench.next_of(id), Event::Disconnected { id });
}

#[test]
fn eight_pads_do_not_mix() {
    let bench = Bench::new();
    let mut pads: Vec<_> = (0..8).map(|n| bench.plug(&format!("pad {n}"), 1, 1, 1)).collect();
    for (value, pad) in (1..).zip(&pads) {
        pad.set(axes(&[value]));
    }
    for (value, id) in (1..).zip(pads.iter().map(|pad| pad.id)) {
        assert_eq!(bench.next_of(id), Event::Axis { id, axis: 0, value });
    }
    // SDL's indices of later devices shift when an earlier one is removed.
    let gone = pads.remove(2);
    let id = gone.id;
    assert_eq!(bench.unplug(gone), [Event::Axis { id, axis: 0, value: 0 }]);
    for (value, pad) in (100..).zip(&pads) {
        pad.set(axes(&[value]));
        assert_eq!(bench.next_of(pad.id), Event::Axis { id: pad.id, axis: 0, value });
    }
}

#[test]
fn a_pad_may_have_many_axes_buttons_and_hats() {
    let bench = Bench::new();
    for (naxes, nbuttons, nhats) in [(20, 24, 2), (255, 255, 255), (0, 0, 0)] {
        let pad = bench.gamepads.plug(VirtualDevice::new("many", naxes, nbuttons, nhats)).unwrap();
        let id = pad.id;
        match bench.next_of(id) {
            Event::Connected { axes, buttons, hats, .. } => {
                assert_eq!((axes.len(), buttons.len(), hats.len()), (naxes, nbuttons, nhats));
            }
            other => panic!("{other:?}"),
        }
        let right = Hat { right: true, ..Hat::default() };
        let mut state = VirtualState {
            axes: vec![0; naxes],
            buttons: vec![false; nbuttons],
            hats: vec![Hat::default(); nhats],
        };
        if naxes == 0 {
            continue;
        }
        state.axes[naxes - 1] = -5;
        state.buttons[nbuttons - 1] = true;
        state.hats[nhats - 1] = right;
        pad.set(state);
        assert_eq!(bench.next_of(id), Event::Axis { id, axis: naxes - 1, value: -5 });
        assert_eq!(bench.next_of(id), Event::Button { id, button: nbuttons - 1, pressed: true });
        assert_eq!(bench.next_of(id), Event::Hat { id, hat: nhats - 1, state: right });
    }
    let refused = bench.gamepads.plug(VirtualDevice::new("many", 256, 0, 0)).unwrap_err();
    assert!(matches!(refused, Error::TooMany { what: "axes", asked: 256, most: 255 }), "{refused}");
}

#[test]
fn a_name_is_reported_as_given() {
    let bench = Bench::new();
    let long = "x".repeat(300);
    for name in ["Jöystick — 手柄 🎮", "8BitDo (2.4 GHz)", "  two  spaces ", &long] {
        let _pad = bench.plug(name, 1, 1, 0); // compares the name
    }
    assert!(matches!(bench.gamepads.plug(VirtualDevice::new("a\0b", 1, 1, 0)), Err(Error::Name(_))));
}

#[test]
fn two_pads_of_one_name_are_two_devices() {
    let bench = Bench::new();
    let (one, other) = (bench.plug("twin", 1, 1, 0), bench.plug("twin", 1, 1, 0));
    other.set(axes(&[7]));
    one.set(axes(&[8]));
    assert_eq!(bench.next_of(other.id), Event::Axis { id: other.id, axis: 0, value: 7 });
    assert_eq!(bench.next_of(one.id), Event::Axis { id: one.id, axis: 0, value: 8 });
}

#[test]
fn thirty_cycles_leave_no_device_and_no_handle_behind() {
    let bench = Bench::new();
    // Returns after all earlier commands are done and the real joysticks of this machine are known.
    let id = bench.plug("first", 1, 1, 0).id;
    assert_eq!(bench.next_of(id), Event::Disconnected { id });
    // SAFETY: SDL is running and locks its list of joysticks.
    let plugged = || unsafe { sdl2::sys::SDL_NumJoysticks() };
    // SAFETY: as above; the answer is only compared.
    let is_open = |id: u32| !unsafe { sdl2::sys::SDL_JoystickFromInstanceID(id.cast_signed()) }.is_null();
    let before = plugged();
    for cycle in 0..30 {
        let pad = bench.plug("cycle", 6, 11, 1);
        let id = pad.id;
        pad.set(axes(&[1, 2, 3, 4, 5, 6]));
        assert_eq!(plugged(), before + 1, "cycle {cycle}");
        assert!(is_open(id), "cycle {cycle}");
        bench.unplug(pad);
        assert_eq!(plugged(), before, "cycle {cycle}");
        assert!(!is_open(id), "cycle {cycle}");
    }
}

#[test]
fn sdl_runs_once_at_a_time_and_can_be_started_again() {
    let bench = Bench::new();
    let second = Gamepads::start(|_| ()).unwrap_err();
    assert!(second.to_string().starts_with("SDL could not start: "), "{second}");
    let pad = bench.plug("before", 1, 1, 0);
    assert!(bench.gamepads.alive());
    bench.gamepads.stop();
    pad.set(axes(&[1])); // has no effect
    drop((pad, bench._turn));

    let bench = Bench::new();
    let pad = bench.plug("after", 1, 1, 0);
    let id = pad.id;
    pad.set(axes(&[2]));
    assert_eq!(bench.next_of(id), Event::Axis { id, axis: 0, value: 2 });
}

#[test]
fn a_panic_in_the_sink_ends_the_thread_and_not_the_process() {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let armed = Arc::new(AtomicBool::new(false));
    let (seen, events) = channel();
    let gamepads = Gamepads::start({
        let armed = Arc::clone(&armed);
        move |event| {
            assert!(!armed.load(Ordering::SeqCst), "an intended panic");
            let _ = seen.send(event);
        }
    })
    .unwrap();
    let pad = gamepads.plug(VirtualDevice::new("panic", 1, 1, 0)).unwrap();
    assert!(gamepads.alive());
    armed.store(true, Ordering::SeqCst);
    pad.set(axes(&[1]));
    while events.recv_timeout(PATIENCE).is_ok() {} // until the sink is dropped with its thread
    assert!(matches!(gamepads.plug(VirtualDevice::new("late", 1, 1, 0)), Err(Error::Ended)));
    for _ in 0..1000 {
        // The thread ends shortly after it has dropped the sink.
        if !gamepads.alive() {
            break;
        }
        std::thread::yield_now();
    }
    assert!(!gamepads.alive());
    drop((gamepads, pad, turn));
    drop(Bench::new()); // SDL can be started again
}
