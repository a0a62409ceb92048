//! Extreme behaviour of pads: floods, storms of connections, identical pads, one that cannot be opened.
#![allow(unsafe_code, reason = "makes SDL report a device that does not exist")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use common::{Bench, PATIENCE, TURN};
use gamepad::{Error, Event, Gamepads, VirtualDevice, VirtualPad, VirtualState};
use sdl2::sys;

mod common;

#[allow(clippy::disallowed_methods, reason = "the test measures rates")]
fn now() -> Instant {
    Instant::now()
}

#[allow(clippy::disallowed_methods, reason = "connects at a fixed rate")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

fn axis(value: i16) -> VirtualState {
    VirtualState { axes: vec![value], ..VirtualState::default() }
}

/// The kernel's data on this process.
#[derive(Debug, Clone, Copy)]
struct Usage {
    resident_kib: i64,
    files: i64,
    threads: i64,
}

impl Usage {
    fn now() -> Usage {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let number = |key: &str| -> i64 {
            let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap();
            line.split_whitespace().next().unwrap().parse().unwrap()
        };
        let files = i64::try_from(std::fs::read_dir("/proc/self/fd").unwrap().count()).unwrap();
        Usage { resident_kib: number("VmRSS:"), files, threads: number("Threads:") }
    }
}

#[test]
fn eight_identical_pads_are_eight_devices() {
    let bench = Bench::new();
    let pads: Vec<_> =
        (0..8).map(|_| bench.gamepads.plug(VirtualDevice::new("twin", 2, 2, 0)).unwrap()).collect();
    let (mut ids, mut guids) = (BTreeSet::new(), BTreeSet::new());
    for pad in &pads {
        match bench.next_of(pad.id) {
            Event::Connected { id, name, guid, .. } => {
                assert_eq!(name, "twin");
                ids.insert(id);
                guids.insert(guid);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((ids.len(), guids.len()), (8, 1)); // one model, eight devices
    for (value, pad) in (1..).zip(&pads) {
        pad.set(axis(value));
        assert_eq!(bench.next_of(pad.id), Event::Axis { id: pad.id, axis: 0, value });
    }
}

#[test]
fn a_replugged_pad_has_the_same_guid() {
    let bench = Bench::new();
    let mut seen = BTreeSet::new();
    for _ in 0..3 {
        let pad = bench.gamepads.plug(VirtualDevice::new("again", 2, 2, 0)).unwrap();
        let Event::Connected { guid, .. } = bench.next_of(pad.id) else { panic!() };
        seen.insert(guid);
        bench.unplug(pad);
    }
    assert_eq!(seen.len(), 1);
}

/// The counters of a sink that stores no events.
#[derive(Default)]
struct Seen {
    moves: AtomicU64,
    last: AtomicI64,
}

#[test]
fn a_flood_ends_with_the_last_value_and_bounded_memory() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let seen = Arc::new(Seen::default());
    let sink = Arc::clone(&seen);
    let gamepads = Gamepads::start(move |event| {
        if let Event::Axis { value, .. } = event {
            sink.moves.fetch_add(1, Ordering::Relaxed);
            sink.last.store(value.into(), Ordering::Relaxed);
        }
    })
    .unwrap();
    let pad = gamepads.plug(VirtualDevice::new("flood", 1, 1, 0)).unwrap();
    let before = Usage::now();
    let (began, mut sent) = (now(), 0_u64);
    while began.elapsed() < Duration::from_secs(2) {
        for value in 0..1000 {
            pad.set(axis(value));
        }
        sent += 1000;
    }
    pad.set(axis(12_345));
    let patience = now();
    while seen.last.load(Ordering::Relaxed) != 12_345 && patience.elapsed() < PATIENCE {
        pause(Duration::from_millis(1));
    }
    let (after, moves, behind) = (Usage::now(), seen.moves.load(Ordering::Relaxed), patience.elapsed());
    println!(
        "{sent} states sent in 2 s, {moves} moves received, the last one {behind:?} later; {before:?} {after:?}"
    );
    assert_eq!(seen.last.load(Ordering::Relaxed), 12_345);
    assert!(moves > 16_000, "only {moves} moves in 2 s: that is less than 8 kHz");
    // An unbounded queue of some hundred thousand states would be far more.
    assert!(after.resident_kib - before.resident_kib < 8 * 1024, "{before:?} {after:?}");
    assert!(gamepads.alive());
}

#[test]
fn eight_flooding_pads_do_not_starve_each_other() {
    let bench = Bench::new();
    let pads: Vec<_> = (0..8).map(|_| bench.plug("flood", 1, 1, 0)).collect();
    let began = now();
    while began.elapsed() < Duration::from_millis(500) {
        pads.iter().for_each(|pad| pad.set(axis(1)));
        pads.iter().for_each(|pad| pad.set(axis(2)));
    }
    pads.iter().for_each(|pad| pad.set(axis(30_000)));
    // In any order: a state that replaces the last pending one overtakes other pads' states.
    let mut missing: BTreeSet<_> = pads.iter().map(|pad| pad.id).collect();
    while !missing.is_empty() {
        if let Event::Axis { id, value: 30_000, .. } = bench.next() {
            missing.remove(&id);
        }
    }
}

/// Connects and disconnects 30 times a second for this time; returns the usage after the first second and at the end.
fn storm(bench: &Bench, seconds: u32) -> (Usage, Usage) {
    let cycle = Duration::from_secs(1) / 30;
    let began = now();
    let mut early = Usage::now();
    for round in 0..30 * seconds {
        let pad = bench.plug("storm", 6, 11, 1);
        pad.set(axis(1000));
        let id = pad.id;
        assert_eq!(bench.next_of(id), Event::Axis { id, axis: 0, value: 1000 }, "round {round}");
        bench.unplug(pad);
        assert!(bench.gamepads.alive());
        if round == 30 {
            early = Usage::now();
        }
        pause((cycle * (round + 1)).saturating_sub(began.elapsed()));
    }
    let took = began.elapsed();
    println!("{} cycles in {took:?}", 30 * seconds);
    assert!(took < Duration::from_secs(u64::from(seconds)) + PATIENCE, "{took:?}");
    (early, Usage::now())
}

fn survives_a_storm(seconds: u32) {
    let bench = Bench::new();
    let stays = bench.plug("stays", 1, 1, 0);
    let (before, after) = storm(&bench, seconds);
    println!("after the first second {before:?}, at the end {after:?}");
    assert_eq!(after.files, before.files);
    assert!(after.threads <= before.threads, "{before:?} {after:?}"); // other tests of this file may have ended
    // A pad costs SDL some kilobytes: leaking one in each cycle would show.
    assert!(after.resident_kib - before.resident_kib < 1024, "{before:?} {after:?}");
    stays.set(axis(77));
    assert_eq!(bench.next_of(stays.id), Event::Axis { id: stays.id, axis: 0, value: 77 });
}

#[test]
fn thirty_plugs_a_second_leave_nothing_behind() {
    survives_a_storm(3);
}

#[test]
#[ignore = "takes a minute"]
fn thirty_plugs_a_second_for_a_minute_leave_nothing_behind() {
    survives_a_storm(60);
}

#[test]
fn a_device_that_cannot_be_opened_is_reported_and_the_others_continue() {
    let bench = Bench::new();
    let pad = bench.plug("good", 1, 1, 0);
    // SDL reports a device by its index; no device has this one, as if it was removed again or may not be read.
    let jdevice = sys::SDL_JoyDeviceEvent {
        type_: sys::SDL_EventType::SDL_JOYDEVICEADDED as u32,
        timestamp: 0,
        which: 4321,
    };
    let mut event = sys::SDL_Event { jdevice };
    // SAFETY: SDL is running, its queue may be written from any thread, and it copies the event.
    assert_eq!(unsafe { sys::SDL_PushEvent(&raw mut event) }, 1);
    loop {
        if let Event::OpenFailed { name, path, reason } = bench.next() {
            assert_eq!((name.as_str(), path.as_str()), ("", ""));
            assert!(!reason.is_empty());
            break;
        }
    }
    pad.set(axis(5));
    assert_eq!(bench.next_of(pad.id), Event::Axis { id: pad.id, axis: 0, value: 5 });
    let another: VirtualPad = bench.plug("another", 1, 1, 0);
    assert_ne!(another.id, pad.id);
}

#[test]
fn a_pad_that_sdl_connects_too_late_is_an_error_and_is_not_connected() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let ((seen, events), (go_on, gate)) = (channel(), channel::<()>());
    let gamepads = Gamepads::start(move |event| {
        let hangs = matches!(&event, Event::Connected { name, .. } if name == "hangs");
        let _ = seen.send(event);
        if hangs {
            let _ = gate.recv();
        }
    })
    .unwrap();
    let connected = |wanted: &str| {
        let mut names = Vec::new();
        while names.last().is_none_or(|name| name != wanted) {
            if let Event::Connected { name, .. } = events.recv_timeout(PATIENCE).unwrap() {
                names.push(name);
            }
        }
        names
    };
    let _hangs = gamepads.plug(VirtualDevice::new("hangs", 1, 1, 0)).unwrap(); // returns before the sink receives it
    connected("hangs");
    let began = now();
    let refused = gamepads.plug(VirtualDevice::new("late", 1, 1, 0)).unwrap_err();
    let waited = began.elapsed();
    assert!(waited >= Duration::from_secs(1) && waited < PATIENCE, "{waited:?}");
    assert!(matches!(&refused, Error::NoAnswer { name, .. } if name == "late"), "{refused}");
    assert!(refused.to_string().ends_with("SDL hangs, no answer for 1s"), "{refused}");
    go_on.send(()).unwrap();
    let _next = gamepads.plug(VirtualDevice::new("next", 1, 1, 0)).unwrap();
    assert_eq!(connected("next"), ["next"]);
}
