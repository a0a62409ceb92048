//! SDL with a sink that a test reads.
//!
//! A real joystick may be plugged in where this runs, lying still.
#![allow(dead_code, reason = "each test file uses its part")]

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gamepad::{Event, Gamepads, VirtualDevice, VirtualPad};

/// SDL runs once per process at a time; the tests of this file take turns.
pub static TURN: Mutex<()> = Mutex::new(());

/// Long enough for a loaded machine, short enough to see a failure.
pub const PATIENCE: Duration = Duration::from_secs(5);

pub struct Bench {
    pub gamepads: Gamepads,
    pub received: Receiver<Event>,
    pub _turn: MutexGuard<'static, ()>,
}

impl Bench {
    pub fn new() -> Bench {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let (events, received) = channel();
        let sink = move |event| {
            if event != Event::Polled {
                drop(events.send(event))
            }
        };
        let gamepads = Gamepads::start(sink).unwrap();
        Bench { gamepads, received, _turn: turn }
    }

    pub fn next(&self) -> Event {
        self.received.recv_timeout(PATIENCE).expect("an event")
    }

    /// The next event of this pad. Other devices' events and ends of batches are skipped.
    pub fn next_of(&self, id: u32) -> Event {
        loop {
            let event = self.next();
            if id_of(&event) == Some(id) {
                return event;
            }
        }
    }

    pub fn plug(&self, name: &str, axes: usize, buttons: usize, hats: usize) -> VirtualPad {
        let pad = self.gamepads.plug(VirtualDevice::new(name, axes, buttons, hats)).unwrap();
        let connected = self.next_of(pad.id);
        let Event::Connected { name: reported, guid, .. } = connected else { panic!("{connected:?}") };
        assert_eq!(reported, name);
        assert!(guid.len() == 32 && guid.starts_with("ff00"), "{guid}");
        pad
    }

    /// Unplugs and returns all unread events of this pad, without the final `Disconnected`.
    pub fn unplug(&self, pad: VirtualPad) -> Vec<Event> {
        let id = pad.id;
        pad.unplug();
        let mut events = Vec::new();
        loop {
            match self.next_of(id) {
                Event::Disconnected { .. } => return events,
                event => events.push(event),
            }
        }
    }
}

pub fn id_of(event: &Event) -> Option<u32> {
    match *event {
        Event::Connected { id, .. }
        | Event::Disconnected { id }
        | Event::Axis { id, .. }
        | Event::Button { id, .. }
        | Event::Hat { id, .. }
        | Event::State { id, .. }
        | Event::BatteryChanged { id, .. }
        | Event::CapabilitiesChanged { id, .. }
        | Event::SensorMoved { id, .. }
        | Event::Refused { id, .. } => Some(id),
        Event::OpenFailed { .. } | Event::BatchEnded | Event::Polled => None,
    }
}
