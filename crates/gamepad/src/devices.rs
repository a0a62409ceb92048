//! The open devices, and the sink that hears of them.

use std::collections::BTreeMap;
use std::time::Duration;

use sdl2::JoystickSubsystem;

use crate::details::Capabilities;
use crate::device::Known;
use crate::event::{Event, Feature};
use crate::inbox::Wishes;
use crate::links;
use crate::newcomers::{Newcomer, Newcomers};
use crate::sdl::events::Heard;
use crate::sdl::{self, Handle};
use crate::serial;
use crate::watch::Watch;

/// The open devices in the order in which the sink heard of them, and the sink.
pub(crate) struct Devices<Sink> {
    open: Vec<Device>,
    /// Open too, but the sink has not heard of them.
    newcomers: Newcomers<Handle>,
    joysticks: JoystickSubsystem,
    watch: Watch,
    sink: Sink,
    batch: bool,
    /// When batteries and capabilities were last looked at, since the thread's start.
    looked: Duration,
    /// When the sink last learned that devices are looked at.
    pulse: Duration,
    /// Whether it is to be told where every device is.
    retells: bool,
}

struct Device {
    handle: Handle,
    known: Known,
}

/// How often batteries are looked at, besides when SDL says that one changed, and what devices can do.
const LOOK: Duration = Duration::from_secs(1);
/// How often the sink learns that devices are looked at, unless nothing happens for longer.
const PULSE: Duration = Duration::from_millis(50);

impl<Sink: FnMut(Event)> Devices<Sink> {
    pub(crate) fn new(joysticks: JoystickSubsystem, watch: Watch, sink: Sink) -> Self {
        let (open, newcomers) = (Vec::new(), Newcomers::new());
        let (looked, pulse) = Default::default();
        Devices { open, newcomers, joysticks, watch, sink, batch: false, looked, pulse, retells: false }
    }

    pub(crate) fn joysticks(&self) -> &JoystickSubsystem {
        &self.joysticks
    }

    /// Waits until there may be something to do, at most for `rest`, or for `poll` while there is a device that wakes nobody.
    pub(crate) fn wait(&self, rest: Duration, poll: Duration) {
        let is_blind = self.watch.is_blind() || !self.newcomers.is_empty();
        self.watch.wait(if is_blind { poll } else { rest });
    }

    /// From the end of this pass on the sink knows where every device is, whatever it knew before.
    pub(crate) fn retell(&mut self) {
        self.retells = true;
    }

    pub(crate) fn handle(&mut self, heard: Heard) {
        match heard {
            Heard::Added { index } => self.connect(index),
            Heard::Removed { id } => self.disconnect(id),
            Heard::Axis { id, axis, value } => self.change(id, |known| known.axis(axis.into(), value)),
            Heard::Button { id, button, pressed } => {
                self.change(id, |known| known.button(button.into(), pressed));
            }
            Heard::Hat { id, hat, state } => self.change(id, |known| known.hat(hat.into(), state)),
            Heard::Battery { id, battery } => self.change(id, |known| known.battery(battery)),
            Heard::Sensor { id, sensor, values } => {
                self.change(id, |known| known.measured(sensor, values));
            }
            Heard::Other => {}
        }
    }

    fn connect(&mut self, index: u32) {
        let handle = match Handle::open(&self.joysticks, index) {
            Ok(handle) => handle,
            Err(reason) => {
                let (name, path) = sdl::name_and_path(&self.joysticks, index);
                self.tell(Event::OpenFailed { name, path, reason });
                return;
            }
        };
        let id = handle.id();
        if self.newcomers.has(id) || self.open.iter().any(|device| device.handle.id() == id) {
            return; // SDL counts how often a device is open; dropping `handle` takes this one back
        }
        self.watch.add(id, &handle.path());
        if handle.has_reported() {
            self.introduce(handle);
        } else {
            self.newcomers.add(handle);
        }
    }

    /// Tells the sink of a device.
    fn introduce(&mut self, handle: Handle) {
        let id = handle.id();
        // Read before anything else happens: these are the true values at rest, for which SDL sends no events.
        let mut known = Known::new(id, handle.axes(), handle.buttons(), handle.hats());
        let mut details = handle.details();
        if details.serial.is_empty() {
            details.serial = serial::of(&details.path);
        }
        details.links = links::to(&details.path);
        let connected = known.connected(handle.name(), handle.guid(), details);
        self.open.push(Device { handle, known });
        self.tell(connected);
    }

    fn disconnect(&mut self, id: u32) {
        self.watch.remove(id);
        self.newcomers.remove(id);
        // Unknown if it could not be opened.
        if let Some(position) = self.open.iter().position(|device| device.handle.id() == id) {
            let mut device = self.open.remove(position);
            let last = device.known.measurement();
            drop(device); // closed before anybody hears of it
            last.into_iter().chain([Event::Disconnected { id }]).for_each(|event| self.tell(event));
        }
    }

    fn change(&mut self, id: u32, change: impl FnOnce(&mut Known) -> Option<Event>) {
        let device = self.open.iter_mut().find(|device| device.handle.id() == id);
        if let Some(event) = device.and_then(|device| change(&mut device.known)) {
            self.tell(event);
        }
    }

    /// Does what is wanted of the devices, and looks at what SDL sends no events for. All that
    /// it did send has been handled.
    pub(crate) fn tend(&mut self, now: Duration, wishes: BTreeMap<u32, Wishes>) {
        while let Some(handle) = self.newcomers.ready(now) {
            self.introduce(handle);
        }
        let mut events = Vec::new(); // allocates nothing while it stays empty
        for (id, wishes) in wishes {
            let device = self.open.iter_mut().find(|device| device.handle.id() == id);
            let mut refuse = |feature, reason: &str| {
                events.push(Event::Refused { id, feature, reason: reason.into() });
            };
            match device {
                Some(device) => device.obey(wishes, refuse),
                None => wishes.features().for_each(|feature| refuse(feature, "there is no such device")),
            }
        }
        let look = now.saturating_sub(self.looked) >= LOOK;
        if look {
            self.looked = now;
        }
        let retells = std::mem::take(&mut self.retells);
        for device in &mut self.open {
            device.known.compare(&device.handle, &mut events);
            events.extend(retells.then(|| device.known.state()));
            if look {
                events.extend(device.known.battery(device.handle.battery()));
                events.extend(device.known.capabilities(device.handle.capabilities()));
            }
            events.extend(device.known.measurement());
        }
        events.into_iter().for_each(|event| self.tell(event));
    }

    fn tell(&mut self, event: Event) {
        self.batch = true;
        (self.sink)(event);
    }

    /// All of a pass at `now` has been reported.
    pub(crate) fn end_batch(&mut self, now: Duration) {
        if std::mem::take(&mut self.batch) {
            (self.sink)(Event::BatchEnded);
        }
        if now.saturating_sub(self.pulse) >= PULSE {
            self.pulse = now;
            (self.sink)(Event::Looked);
        }
    }
}

impl Device {
    fn obey(&mut self, wishes: Wishes, mut refuse: impl FnMut(Feature, &str)) {
        const LACKS: &str = "it has none";
        let Capabilities { rumble, led, .. } = self.handle.capabilities();
        let mut report = |feature, done: Result<(), String>| {
            if let Err(reason) = done {
                refuse(feature, &reason);
            }
        };
        // Asked first, since SDL says of a second call with the same numbers that it went well.
        let if_it_has = |has: bool| if has { Ok(()) } else { Err(LACKS.to_owned()) };
        if let Some((strengths, time)) = wishes.rumble {
            report(Feature::Rumble, if_it_has(rumble).and_then(|()| self.handle.rumble(strengths, time)));
        }
        if let Some(colour) = wishes.led {
            report(Feature::Led, if_it_has(led).and_then(|()| self.handle.set_led(colour)));
        }
        if let Some(enable) = wishes.sensors {
            let done = self.handle.enable_sensors(enable);
            if !enable {
                self.known.forget_measurements();
            }
            report(Feature::Sensors, done);
        }
    }
}
