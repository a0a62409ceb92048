//! The open devices, and the sink that receives their events.

use std::collections::BTreeMap;
use std::time::Duration;

use sdl2::JoystickSubsystem;

use crate::details::Capabilities;
use crate::device::ReportedState;
use crate::event::{Event, Feature};
use crate::inbox::DeviceRequests;
use crate::links;
use crate::pending_devices::{PendingDevice, PendingDevices};
use crate::sdl::events::SdlEvent;
use crate::sdl::{self, Handle};
use crate::serial;
use crate::watch::Watch;

/// The open devices in the order in which they were reported, and the sink.
pub(crate) struct Devices<Sink> {
    open: Vec<Device>,
    /// Open devices that were not reported to the sink yet.
    pending: PendingDevices<Handle>,
    pub(crate) joysticks: JoystickSubsystem,
    watch: Watch,
    sink: Sink,
    batch: bool,
    /// When batteries and capabilities were last checked, since the thread's start.
    checked: Duration,
    /// When the sink last received [`Event::Polled`].
    heartbeat: Duration,
    /// Whether the state of every device is to be reported.
    reports_states: bool,
}

struct Device {
    handle: Handle,
    known: ReportedState,
}

/// How often batteries and capabilities are checked, in addition to SDL's battery events.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The minimum period of [`Event::Polled`].
const HEARTBEAT_INTERVAL: Duration = Duration::from_millis(50);

impl<Sink: FnMut(Event)> Devices<Sink> {
    pub(crate) fn new(joysticks: JoystickSubsystem, watch: Watch, sink: Sink) -> Self {
        let (open, pending) = (Vec::new(), PendingDevices::new());
        let (checked, heartbeat) = Default::default();
        Devices {
            open,
            pending,
            joysticks,
            watch,
            sink,
            batch: false,
            checked,
            heartbeat,
            reports_states: false,
        }
    }

    /// Waits until there may be something to do, at most for `rest`, or for `poll` while a device cannot wake this
    /// thread.
    pub(crate) fn wait(&self, rest: Duration, poll: Duration) {
        let must_be_polled = self.watch.must_be_polled() || !self.pending.is_empty();
        self.watch.wait(if must_be_polled { poll } else { rest });
    }

    /// Requests that this pass reports the state of every device.
    pub(crate) fn request_states(&mut self) {
        self.reports_states = true;
    }

    pub(crate) fn handle(&mut self, event: SdlEvent) {
        match event {
            SdlEvent::Added { index } => self.connect(index),
            SdlEvent::Removed { id } => self.disconnect(id),
            SdlEvent::Axis { id, axis, value } => self.change(id, |known| known.axis(axis.into(), value)),
            SdlEvent::Button { id, button, pressed } => {
                self.change(id, |known| known.button(button.into(), pressed));
            }
            SdlEvent::Hat { id, hat, state } => self.change(id, |known| known.hat(hat.into(), state)),
            SdlEvent::Battery { id, battery } => self.change(id, |known| known.battery(battery)),
            SdlEvent::Sensor { id, sensor, values } => {
                self.change(id, |known| known.measured(sensor, values));
            }
            SdlEvent::Other => {}
        }
    }

    fn connect(&mut self, index: u32) {
        let handle = match Handle::open(&self.joysticks, index) {
            Ok(handle) => handle,
            Err(reason) => {
                let (name, path) = sdl::name_and_path(&self.joysticks, index);
                self.report(Event::OpenFailed { name, path, reason });
                return;
            }
        };
        let id = handle.id();
        if self.pending.has(id) || self.open.iter().any(|device| device.handle.id() == id) {
            return; // SDL counts how often a device is open; dropping `handle` takes this one back
        }
        self.watch.add(id, &handle.path());
        if handle.has_reported() {
            self.report_connected(handle);
        } else {
            self.pending.add(handle);
        }
    }

    /// Reports a device to the sink.
    fn report_connected(&mut self, handle: Handle) {
        let id = handle.id();
        // Read first: these are the true values at rest, for which SDL sends no events.
        let mut known = ReportedState::new(id, handle.axes(), handle.buttons(), handle.hats());
        let mut details = handle.details();
        if details.serial.is_empty() {
            details.serial = serial::of(&details.path);
        }
        details.links = links::to(&details.path);
        let connected = known.connected(handle.name(), handle.guid(), details);
        self.open.push(Device { handle, known });
        self.report(connected);
    }

    fn disconnect(&mut self, id: u32) {
        self.watch.remove(id);
        self.pending.remove(id);
        // A device that could not be opened is not in the list.
        if let Some(position) = self.open.iter().position(|device| device.handle.id() == id) {
            let mut device = self.open.remove(position);
            let last = device.known.measurement();
            drop(device); // closed before it is reported
            last.into_iter().chain([Event::Disconnected { id }]).for_each(|event| self.report(event));
        }
    }

    fn change(&mut self, id: u32, change: impl FnOnce(&mut ReportedState) -> Option<Event>) {
        let device = self.open.iter_mut().find(|device| device.handle.id() == id);
        if let Some(event) = device.and_then(|device| change(&mut device.known)) {
            self.report(event);
        }
    }

    /// Executes requests and checks what SDL sends no events for. All events that SDL did send must have been
    /// handled.
    pub(crate) fn maintain(&mut self, now: Duration, requests: BTreeMap<u32, DeviceRequests>) {
        while let Some(handle) = self.pending.ready(now) {
            self.report_connected(handle);
        }
        let mut events = Vec::new(); // allocates nothing while it stays empty
        for (id, requests) in requests {
            let device = self.open.iter_mut().find(|device| device.handle.id() == id);
            let mut refuse = |feature, reason: &str| {
                events.push(Event::Refused { id, feature, reason: reason.into() });
            };
            match device {
                Some(device) => device.execute(requests, refuse),
                None => requests.features().for_each(|feature| refuse(feature, "there is no such device")),
            }
        }
        let is_due = now.saturating_sub(self.checked) >= CHECK_INTERVAL;
        if is_due {
            self.checked = now;
        }
        let reports_states = std::mem::take(&mut self.reports_states);
        for device in &mut self.open {
            device.known.compare(&device.handle, &mut events);
            events.extend(reports_states.then(|| device.known.state()));
            if is_due {
                events.extend(device.known.battery(device.handle.battery()));
                events.extend(device.known.capabilities(device.handle.capabilities()));
            }
            events.extend(device.known.measurement());
        }
        events.into_iter().for_each(|event| self.report(event));
    }

    fn report(&mut self, event: Event) {
        self.batch = true;
        (self.sink)(event);
    }

    /// All events of a pass at `now` have been reported.
    pub(crate) fn end_batch(&mut self, now: Duration) {
        if std::mem::take(&mut self.batch) {
            (self.sink)(Event::BatchEnded);
        }
        if now.saturating_sub(self.heartbeat) >= HEARTBEAT_INTERVAL {
            self.heartbeat = now;
            (self.sink)(Event::Polled);
        }
    }
}

impl Device {
    fn execute(&mut self, requests: DeviceRequests, mut refuse: impl FnMut(Feature, &str)) {
        const MISSING: &str = "it has none";
        let Capabilities { rumble, led, .. } = self.handle.capabilities();
        let mut report = |feature, done: Result<(), String>| {
            if let Err(reason) = done {
                refuse(feature, &reason);
            }
        };
        // Checked first, since SDL reports success for a repeated call with the same values.
        let if_it_has = |has: bool| if has { Ok(()) } else { Err(MISSING.to_owned()) };
        if let Some((strengths, time)) = requests.rumble {
            report(Feature::Rumble, if_it_has(rumble).and_then(|()| self.handle.rumble(strengths, time)));
        }
        if let Some(colour) = requests.led {
            report(Feature::Led, if_it_has(led).and_then(|()| self.handle.set_led(colour)));
        }
        if let Some(enable) = requests.sensors {
            let done = self.handle.enable_sensors(enable);
            if !enable {
                self.known.forget_measurements();
            }
            report(Feature::Sensors, done);
        }
    }
}
