//! Rumble, light, sensors and battery through the whole of SDL.
#![allow(unsafe_code, reason = "puts events into SDL's queue that no virtual joystick can make")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::ffi::CString;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use common::{Bench, PATIENCE};
use gamepad::{
    Battery, Capabilities, Driver, Error, Event, Feature, Feedback, VirtualDevice, VirtualFeedback,
};
use gamepad::{VirtualPad, VirtualState};
use sdl2::sys;

mod common;

/// A pad with motors and a light, and the receiver of their changes.
fn pad_with_feedback(bench: &Bench) -> (VirtualPad, Receiver<Feedback>) {
    let (changes, felt) = channel();
    let feedback = VirtualFeedback { rumble: true, led: true, changes };
    let device = VirtualDevice {
        name: "shaker".into(),
        axes: 6,
        buttons: 11,
        hats: 1,
        vendor: 0x1234,
        product: 0x5678,
        game_controller: true,
        feedback: Some(feedback),
    };
    (bench.gamepads.plug(device).unwrap(), felt)
}

#[allow(clippy::disallowed_methods, reason = "the test measures how long motors run")]
fn now() -> Instant {
    Instant::now()
}

const fn rumble(low: u16, high: u16) -> Feedback {
    Feedback::Rumble { low, high }
}

fn feel(felt: &Receiver<Feedback>) -> Feedback {
    felt.recv_timeout(PATIENCE).expect("no feedback was received")
}

#[test]
fn a_connection_reports_identity_and_capabilities() {
    let bench = Bench::new();
    let (pad, _felt) = pad_with_feedback(&bench);
    let Event::Connected { details, axes, .. } = bench.next_of(pad.id) else { panic!() };
    // Triggers of a game controller rest at their end; the numbering is the joystick's nevertheless.
    assert_eq!(axes, [0, 0, 0, 0, -32768, -32768]);
    assert_eq!((details.serial.as_str(), details.path.as_str()), ("", ""));
    assert_eq!(details.driver, Driver::Virtual);
    assert_eq!(details.battery, Battery::Unknown);
    assert_eq!(details.triggers.as_deref(), Some(&[4, 5][..])); // SDL's own mapping of virtual gamepads
    let all = Capabilities { rumble: true, led: true, ..Capabilities::default() };
    assert_eq!(details.capabilities, all);

    let plain = bench.gamepads.plug(VirtualDevice::new("plain", 2, 2, 0)).unwrap();
    let Event::Connected { details, .. } = bench.next_of(plain.id) else { panic!() };
    assert_eq!(details.capabilities, Capabilities::default());
    assert_eq!(details.triggers, None);
    assert_eq!(details.mapping, "", "SDL does not know it");
}

#[test]
fn a_device_that_sdl_s_database_has_comes_with_its_names() {
    let bench = Bench::new();
    let plug = || {
        let pad = bench.gamepads.plug(VirtualDevice::new("mapped", 4, 8, 1)).unwrap();
        let Event::Connected { details, guid, .. } = bench.next_of(pad.id) else { panic!() };
        bench.unplug(pad);
        (guid, details)
    };
    let (guid, details) = plug();
    assert_eq!(details.mapping, "");
    let names = "a:b3,b:b1,rightshoulder:b6,dpup:h0.1,leftx:a2,lefty:a1~,righttrigger:+a3,";
    // The database has no checksum of the name, and SDL 2.26 finds no entry that has one: digits 5 to 8 are zero.
    let mapping = CString::new(format!("{}0000{},mapped,{names}", &guid[..4], &guid[8..])).unwrap();
    // SDL adds the environment's SDL_GAMECONTROLLERCONFIG in the same way when it starts.
    // SAFETY: SDL is running; the lock keeps its thread from the database, and SDL copies the text.
    let added = unsafe {
        sys::SDL_LockJoysticks();
        let added = sys::SDL_GameControllerAddMapping(mapping.as_ptr());
        sys::SDL_UnlockJoysticks();
        added
    };
    assert_eq!(added, 1);
    let (_, details) = plug();
    assert!(details.mapping.starts_with(&format!("{guid},mapped,{names}")), "{}", details.mapping);
    assert_eq!(details.triggers, Some(vec![3]));
}

#[test]
fn a_game_controller_s_events_are_the_joystick_s_alone() {
    let bench = Bench::new();
    let (pad, _felt) = pad_with_feedback(&bench);
    let id = pad.id;
    assert!(matches!(bench.next_of(id), Event::Connected { .. }));
    let mut buttons = vec![false; 11];
    buttons[10] = true;
    pad.set(VirtualState { axes: vec![1, 2, 3, 4, 5, 6], buttons, ..VirtualState::default() });
    for (axis, value) in (0..).zip([1, 2, 3, 4, 5, 6]) {
        assert_eq!(bench.next_of(id), Event::Axis { id, axis, value });
    }
    assert_eq!(bench.next_of(id), Event::Button { id, button: 10, pressed: true });
    // After the release the triggers are at -32768 again, the pad's rest state.
    pad.set(VirtualState::default());
    for (axis, value) in (0..).zip([0, 0, 0, 0, -32768, -32768]) {
        assert_eq!(bench.next_of(id), Event::Axis { id, axis, value });
    }
    assert_eq!(bench.next_of(id), Event::Button { id, button: 10, pressed: false });
    assert_eq!(bench.unplug(pad), []);
}

#[test]
fn a_disconnected_game_controller_is_closed() {
    let bench = Bench::new();
    let (pad, felt) = pad_with_feedback(&bench);
    let id = pad.id;
    bench.next_of(id);
    // SAFETY: SDL is running and locks its lists; the answers are only compared.
    let is_open = || unsafe {
        let (joystick, controller) = (
            sys::SDL_JoystickFromInstanceID(id.cast_signed()),
            sys::SDL_GameControllerFromInstanceID(id.cast_signed()),
        );
        (!joystick.is_null(), !controller.is_null())
    };
    assert_eq!(is_open(), (true, true));
    bench.unplug(pad);
    assert_eq!(is_open(), (false, false));
    // The user data of SDL's callbacks is freed, too.
    assert_eq!(felt.recv_timeout(PATIENCE), Err(RecvTimeoutError::Disconnected));
}

#[test]
fn motors_run_independently_and_stop_after_their_time() {
    let bench = Bench::new();
    let (pad, felt) = pad_with_feedback(&bench);
    bench.next_of(pad.id);
    let asked = now();
    bench.gamepads.rumble(pad.id, 65535, 100, Duration::from_millis(300)).unwrap();
    assert_eq!(feel(&felt), rumble(65535, 100));
    assert_eq!(feel(&felt), rumble(0, 0));
    let ran = asked.elapsed();
    // SDL counts whole milliseconds.
    assert!(ran >= Duration::from_millis(298), "{ran:?}");
    assert!(ran < Duration::from_millis(1500), "{ran:?}");
    assert!(felt.try_recv().is_err());
}

#[test]
fn a_time_of_seconds_is_kept() {
    let bench = Bench::new();
    let (pad, felt) = pad_with_feedback(&bench);
    bench.next_of(pad.id);
    let asked = now();
    bench.gamepads.rumble(pad.id, 1, 2, Duration::from_millis(3300)).unwrap();
    let mut changes = Vec::new();
    while changes.last() != Some(&rumble(0, 0)) {
        changes.push(feel(&felt));
    }
    let ran = asked.elapsed();
    // SDL sends the same strengths again every 2 s, for pads that would stop by themselves.
    assert!(changes[..changes.len() - 1].iter().all(|change| *change == rumble(1, 2)), "{changes:?}");
    assert!(ran >= Duration::from_millis(3298) && ran < Duration::from_millis(4500), "{ran:?}");
}

#[test]
fn a_new_rumble_replaces_the_old_and_nothing_stops_it() {
    let bench = Bench::new();
    let (pad, felt) = pad_with_feedback(&bench);
    bench.next_of(pad.id);
    bench.gamepads.rumble(pad.id, 1, 1, Duration::from_secs(60)).unwrap();
    assert_eq!(feel(&felt), rumble(1, 1));
    bench.gamepads.rumble(pad.id, 2, 2, Duration::from_secs(60)).unwrap();
    assert_eq!(feel(&felt), rumble(2, 2));
    bench.gamepads.rumble(pad.id, 0, 0, Duration::ZERO).unwrap();
    assert_eq!(feel(&felt), rumble(0, 0));
}

#[test]
fn motors_stop_when_the_handle_is_dropped() {
    let bench = Bench::new();
    let (pad, felt) = pad_with_feedback(&bench);
    bench.next_of(pad.id);
    bench.gamepads.rumble(pad.id, 9, 9, Duration::MAX).unwrap();
    assert_eq!(feel(&felt), rumble(9, 9));
    drop(bench);
    assert_eq!(feel(&felt), rumble(0, 0));
    // The sender was dropped with SDL: nothing leaks, and no callback follows.
    assert!(felt.recv_timeout(PATIENCE).is_err());
    drop(pad);
}

#[test]
fn the_light_has_the_newest_colour() {
    let bench = Bench::new();
    let (pad, felt) = pad_with_feedback(&bench);
    bench.next_of(pad.id);
    for blue in 0..=200 {
        bench.gamepads.set_led(pad.id, [1, 2, blue]).unwrap();
    }
    let mut last = feel(&felt);
    while last != Feedback::Led([1, 2, 200]) {
        last = feel(&felt);
    }
    assert!(felt.try_recv().is_err());
}

#[test]
fn a_refusal_names_a_device_without_the_feature() {
    let bench = Bench::new();
    let pad = bench.plug("plain", 2, 2, 0);
    let id = pad.id;
    for round in 0..2 {
        // Twice, since SDL reports success for a repetition.
        bench.gamepads.rumble(id, 1, 1, Duration::from_secs(1)).unwrap();
        bench.gamepads.set_led(id, [1, 2, 3]).unwrap();
        bench.gamepads.enable_sensors(id, true).unwrap();
        let mut refused = Vec::new();
        while refused.len() < 3 {
            match bench.next_of(id) {
                Event::Refused { feature, .. } => refused.push(feature),
                other => panic!("{other:?}"),
            }
        }
        let all = [Feature::Rumble, Feature::Led, Feature::Sensors];
        assert!(all.iter().all(|feature| refused.contains(feature)), "round {round}: {refused:?}");
    }
    // A game controller without sensors has another reason than a device that is not a game controller.
    let (controller, _felt) = pad_with_feedback(&bench);
    bench.next_of(controller.id);
    bench.gamepads.enable_sensors(controller.id, true).unwrap();
    match bench.next_of(controller.id) {
        Event::Refused { feature: Feature::Sensors, reason, .. } => {
            assert_eq!(reason, "it has neither accelerometer nor gyro");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_refusal_names_a_device_that_fails_and_one_that_does_not_exist() {
    let bench = Bench::new();
    let (pad, felt) = pad_with_feedback(&bench);
    let id = pad.id;
    bench.next_of(id);
    drop(felt); // from here on the pad refuses
    for _ in 0..2 {
        bench.gamepads.rumble(id, 1, 1, Duration::from_secs(1)).unwrap();
        let refused = bench.next_of(id);
        assert!(matches!(refused, Event::Refused { feature: Feature::Rumble, .. }), "{refused:?}");
    }
    bench.gamepads.set_led(12345, [0; 3]).unwrap();
    let reason = "there is no such device".into();
    assert_eq!(bench.next_of(12345), Event::Refused { id: 12345, feature: Feature::Led, reason });
    // The sink's thread hangs, or the ids are invalid: the caller gets an error and does not wait.
    let refused = (0..10_000).find_map(|id| bench.gamepads.set_led(20_000 + id, [0; 3]).err());
    assert!(refused.is_none() || matches!(refused, Some(Error::TooManyWaiting { .. })));
}

/// Puts an event into SDL's queue.
fn push(event: sys::SDL_Event) {
    let mut event = event;
    // SAFETY: SDL is running, its queue may be written from any thread, and it copies the event.
    assert_eq!(unsafe { sys::SDL_PushEvent(&raw mut event) }, 1);
}

fn sensor(id: u32, sensor: sys::SDL_SensorType, data: [f32; 3]) -> sys::SDL_Event {
    let type_ = sys::SDL_EventType::SDL_CONTROLLERSENSORUPDATE as u32;
    let (which, sensor) = (id.cast_signed(), sensor as i32);
    let csensor =
        sys::SDL_ControllerSensorEvent { type_, timestamp: 0, which, sensor, data, timestamp_us: 0 };
    sys::SDL_Event { csensor }
}

#[test]
fn a_measurement_arrives_in_the_frame_of_the_robot() {
    let bench = Bench::new();
    let pad = bench.plug("sensors", 2, 2, 0);
    let id = pad.id;
    push(sensor(id, sys::SDL_SensorType::SDL_SENSOR_GYRO, [0.1, 0.2, 0.3]));
    push(sensor(id, sys::SDL_SensorType::SDL_SENSOR_ACCEL, [1.0, 2.0, 3.0]));
    // REP-103 (x, y, z) is SDL's (-z, -x, y). Both may come in one event or in two, as SDL's thread finds them.
    let mut measured = (None, None);
    while measured.0.is_none() || measured.1.is_none() {
        match bench.next_of(id) {
            Event::SensorMoved { acceleration, angular_velocity, .. } => {
                measured = (acceleration.or(measured.0), angular_velocity.or(measured.1));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(measured, (Some([-3.0, -1.0, 2.0]), Some([-0.3, -0.1, 0.2])));
    push(sensor(id, sys::SDL_SensorType::SDL_SENSOR_ACCEL, [f32::NAN, 2.0, 3.0]));
    push(sensor(id + 1000, sys::SDL_SensorType::SDL_SENSOR_ACCEL, [1.0, 2.0, 3.0]));
    assert_eq!(bench.unplug(pad), []);
}

#[test]
fn a_battery_is_reported_and_polled() {
    let bench = Bench::new();
    let pad = bench.plug("battery", 2, 2, 0);
    let id = pad.id;
    let jbattery = sys::SDL_JoyBatteryEvent {
        type_: sys::SDL_EventType::SDL_JOYBATTERYUPDATED as u32,
        timestamp: 0,
        which: id.cast_signed(),
        level: sys::SDL_JoystickPowerLevel::SDL_JOYSTICK_POWER_LOW,
    };
    push(sys::SDL_Event { jbattery });
    assert_eq!(bench.next_of(id), Event::BatteryChanged { id, battery: Battery::Low });
    // SDL has no battery for this device, so the check once a second reports unknown.
    assert_eq!(bench.next_of(id), Event::BatteryChanged { id, battery: Battery::Unknown });
}
