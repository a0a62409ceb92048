use std::collections::VecDeque;

use safety::{Backlog, Clock, Instant, Machine, Stamp, Velocity, WATCHDOG_INTERVAL, earliest};

pub use self::report::Counters;
pub(crate) use self::time::Course;
use self::time::{Pace, Reading};
use crate::device::Identity;
use crate::devices::{Devices, Ignored};
use crate::feedback::Feedbacks;
use crate::filter::Filter;
use crate::joy::Joy;
use crate::names::Bindings;
use crate::virtual_device::VirtualDevice;
use crate::{DeviceId, Input, Output, Params, PoseState, Report};

mod explain;
mod report;
mod time;

/// Capacity of the output queue before it grows; a batch of four devices has about twelve.
const CAPACITY: usize = 64;

/// The openrobots `joystick` component.
///
/// The desired state is published at the configured rate, and at once in two cases: at the end of a batch in which
/// the driving device changed, and when a reference arrives while the stick does not drive. It is published before
/// all other outputs. Only the latest state is kept: an older one that was not polled is replaced.
///
/// Cycles run while there is a state to repeat: at the configured rate while it is motion, 20 times a second while it
/// is zero. After a state published at once the next cycle is two periods away. A cycle is due one period after the
/// last was *due*; cycles that were not polled in time are skipped and not repeated. While a log is written, each
/// cycle appends a row, and cycles always run at the configured rate.
///
/// A stick commands nothing until all mapped axes are at rest together, within a tenth of their range, and a held
/// button counts only from its next press on. This applies whenever a device starts to drive, also again, or after
/// the devices were not read for a while. It also applies in another frame, with new mappings by which a held stick
/// would command something else or other buttons enable it, and with parameters that give motion to a stick which had
/// none. A takeover by `enable.toggle` outlasts a replug of its device, and no other device inherits it.
///
/// | commanding | `desired` carries |
/// |---|---|
/// | the stick: an enable button is active, or none is mapped and a stick with a mapped axis is connected | its velocity, zero while it waits for rest |
/// | none, since a button was released | one stop without an acceleration, 0.25 s later the reference |
/// | none, since the stick was lost: unplugged, not read, without mapped axes, or with another button | no velocity for 0.1 s, zero for the rest of a second, then the reference, but only after it requested zero |
/// | none, while a button that enables the stick is down but does not count, or the release of a pad elsewhere does not count yet | zero with an acceleration of zero, as of a stick that is held |
/// | a takeover by `enable.toggle` whose device is gone | zero until the device is back and ends it |
/// | a fresh reference, otherwise | the reference, bit for bit |
/// | a reference that was lost in motion | no velocity for 0.1 s, zero for the rest of a second, then nothing until it requests zero |
/// | none | nothing |
///
/// After [`Input::Stopping`] one explicit stop is published if anything was claimed, `joy` and all devices are
/// published as released, and later inputs are ignored.
///
/// # Real-time
/// The desired state is made and returned without allocation. Devices and `joy` are cloned after the desired state
/// was polled.
/// # Source
/// joystick-genom3 1.1/1.2, tasks `publish` and `state`; own: publishing at once, the explicit stops, and the
/// required rest of a stick: a pad may reconnect deflected or held, which is not a command of its user.
#[derive(Clone, Debug)]
pub struct Joystick {
    devices: Devices,
    filter: Filter,
    joy: Joy,
    clock: Clock,
    pace: Pace,
    now: Instant,
    stopped: bool,
    logging: bool,
    /// Whether a batch of events is open.
    in_batch: bool,
    reading: Reading,
    virtual_device: VirtualDevice,
    feedbacks: Feedbacks,
    /// Whether the wait for the stick, and for the reference, was reported.
    reported_to_wait: [bool; 2],
    /// The mapped inputs that the driving device does not have, as last reported.
    missing: Vec<(String, usize)>,
    /// The devices that lack a named input, as last reported.
    refused: Vec<Report>,
    desired: Option<PoseState>,
    /// Whether `desired` is a stop that has to be published before anything else.
    is_stop: bool,
    /// The stamp of a batch whose devices are still to be published, after the desired state.
    batch: Option<Stamp>,
    queue: VecDeque<Output>,
    counters: Counters,
}

impl Joystick {
    /// A new joystick node; the first poll runs the first cycle.
    pub fn new(params: Params) -> Self {
        let filter = Filter::new(&params);
        let mut joystick = Self {
            devices: Devices::new(&params),
            filter,
            joy: Joy::new(params.joy),
            clock: Clock::default(),
            pace: Pace::new(params.rate),
            now: Instant::ZERO,
            stopped: false,
            logging: false,
            in_batch: false,
            reading: Reading::default(),
            virtual_device: VirtualDevice::new(&params),
            feedbacks: Feedbacks::default(),
            reported_to_wait: [false; 2],
            missing: Vec::new(),
            refused: Vec::new(),
            desired: None,
            is_stop: false,
            batch: None,
            queue: VecDeque::with_capacity(CAPACITY),
            counters: Counters::default(),
        };
        joystick.warn(true, true);
        joystick
    }

    /// Whether connected devices have an unknown state and can be read now: see [`Input::DeviceRead`].
    pub fn needs_reading(&self) -> bool {
        !self.stopped && !self.reading.is_lost() && self.devices.has_unread()
    }

    /// Whether the stick drives; otherwise the reference is passed on.
    pub fn active(&self) -> bool {
        !self.stopped && self.filter.active()
    }

    /// Whether the velocities of the stick are in the vehicle's own frame (true) or in the world frame (false).
    pub fn intrinsic(&self) -> bool {
        self.filter.intrinsic()
    }

    /// SDL's instance id of the driving device, if it is connected.
    pub fn controlled_id(&self) -> Option<DeviceId> {
        self.devices.driver_id()
    }

    /// The port of the driving device, if it is connected.
    pub fn controlled(&self) -> Option<&str> {
        self.devices.driver()
    }

    /// The awaited device: `control_device`, or the device that drove before; `None` if one drives, or any may.
    pub fn awaited(&self) -> Option<&str> {
        self.devices.awaited()
    }

    /// Counts of ignored and refused inputs.
    pub fn counters(&self) -> Counters {
        let (seeds_refused, seeds_limited) = self.filter.seeds();
        Counters { seeds_refused, seeds_limited, ..self.counters }
    }

    fn stamp(&self) -> Stamp {
        self.clock.at(self.now)
    }

    fn emit(&mut self, report: Report) {
        self.queue.push_back(Output::Report(report));
    }

    fn apply(&mut self, input: Input) -> Result<(), Ignored> {
        match input {
            Input::DeviceConnected { id, name, guid, serial, path, links, mapping, axes, buttons, hats } => {
                if self.devices.contains(id) {
                    self.counters.duplicate_device = self.counters.duplicate_device.saturating_add(1);
                    let name = self.devices.remove(id)?;
                    self.emit(Report::Disconnected { name });
                }
                let identity = Identity { guid, serial, path, links, label: name };
                let Identity { guid, serial, path, links, label: sdl_name } = identity.clone();
                let bindings = Bindings::read(&mapping);
                let (name, former) = self.devices.connect(id, identity, bindings, &axes, &buttons, &hats);
                let (axes, buttons) = (axes.len().saturating_add(2 * hats.len()), buttons.len());
                let came_back = former.map(|former| Report::CameBack { former, name: name.clone() });
                self.emit(Report::Connected { name, sdl_name, guid, serial, path, links, axes, buttons });
                self.queue.extend(came_back.map(Output::Report));
                self.report_refused();
            }
            Input::TriggersKnown { id, axes } => self.devices.set_triggers(id, &axes)?,
            Input::DeviceDisconnected { id } => self.disconnect(id)?,
            Input::DeviceRenamed { id, name } => {
                self.devices.rename(id, name, &mut self.queue)?;
                self.report_refused();
            }
            Input::AxisMoved { id, axis, value } => {
                if let Some(trigger) = self.devices.axis(id, axis, value)? {
                    self.filter.pressed(trigger);
                }
            }
            Input::HatMoved { id, hat, state } => self.devices.hat(id, hat, state)?,
            Input::ButtonChanged { id, button, pressed } => {
                if self.devices.button(id, button, pressed)? {
                    self.filter.pressed(button);
                }
            }
            Input::DevicesPolled => {
                if self.reading.record(self.now) {
                    self.emit(Report::ReadingLost(false));
                }
            }
            Input::ReadingLost => {
                self.reading.lose();
                if self.devices.lose_reading() {
                    self.filter.hand_over(self.now, false);
                }
                self.emit(Report::ReadingLost(true));
            }
            Input::DeviceRead { id, axes, buttons, hats } => self.devices.read(id, &axes, &buttons, &hats)?,
            Input::BatchEnded => self.end_batch(),
            Input::ClockRead(reading) => self.clock.read(self.now, reading),
            Input::ReferenceReceived(reference) => {
                if self.filter.receive(&self.clock, reference) && !self.filter.claims() {
                    self.publish_desired();
                }
            }
            Input::ReferencePublishersCounted(count) => {
                if self.filter.count_references(self.now, count) {
                    self.publish_desired();
                }
            }
            Input::ParametersChanged(params) => self.configure(&params),
            Input::FrameSelected(intrinsic) => self.filter.request_frame(intrinsic),
            Input::FrameParameterUpdated(intrinsic) => self.filter.record_frame_parameter(intrinsic),
            Input::JoySubscribersCounted(count) => self.joy.count_subscribers(self.stamp(), count),
            Input::LogSwitched(on) => self.logging = on,
            Input::FeedbackReceived(feedback) => {
                let output = self.feedbacks.receive(self.now, self.devices.driver_id(), feedback);
                self.queue.extend(output);
            }
            // Its events are handled one by one.
            Input::VirtualDeviceMoved(_) | Input::VirtualPublishersCounted(_) => {}
            Input::ActivityChanged(is_active) => {
                self.filter.set_active(is_active);
                self.devices.forget_presses();
                self.publish_desired();
            }
            Input::Stopping => self.stop(),
        }
        Ok(())
    }

    fn disconnect(&mut self, id: crate::DeviceId) -> Result<(), Ignored> {
        let name = self.devices.disconnect(id)?;
        self.emit(Report::Disconnected { name });
        self.report_refused();
        Ok(())
    }

    fn configure(&mut self, params: &Params) {
        let (had_axis, had_enable_button) = (self.filter.has_axis(), self.filter.has_enable_button());
        let handovers = self.devices.handovers();
        self.devices.remap(params.mappings, params.names);
        let mappings = self.devices.mappings();
        if self.filter.mappings().enable != mappings.enable {
            self.devices.forget_presses();
        }
        self.filter.configure(mappings, params, self.devices.stick());
        self.warn(had_axis, had_enable_button);
        self.report_missing();
        self.devices.set_control_device(&params.control_device);
        self.report_refused();
        let stamp = self.stamp();
        // A device that starts to drive now is published later.
        let device = self.devices.driving().filter(|_| self.devices.handovers() == handovers);
        self.joy.configure(self.now, stamp, &params.joy, device);
    }

    /// Updates `joy`; the previous device comes before a new one. Of a node that is not active every device counts as released there, since
    /// others drive by it.
    fn update_joy(&mut self, handed_over: bool, at_once: bool) {
        let stamp = self.stamp();
        match self.devices.driving().filter(|_| self.filter.is_active()) {
            None => self.joy.lose(stamp, true),
            Some(device) if handed_over || !self.joy.has_device() => {
                self.joy.lose(stamp, false);
                self.joy.begin(self.now, stamp, device);
            }
            Some(device) => self.joy.update(self.now, stamp, device, at_once),
        }
    }

    fn end_batch(&mut self) {
        self.filter.apply_frame();
        if self.devices.take_driver_dirty() {
            self.publish_desired();
        }
        self.batch = Some(self.stamp());
    }

    /// Publishes the devices of the ended batch, unless already done.
    fn publish_batch(&mut self) {
        if let Some(stamp) = self.batch.take() {
            self.devices.publish(stamp, &mut self.queue);
        }
    }

    fn stop(&mut self) {
        let stamp = self.stamp();
        self.desired = self.filter.stop(self.now, stamp);
        self.joy.lose(stamp, true);
        self.devices.release_all();
        self.batch = Some(stamp);
        self.stopped = true;
    }

    /// Publishes the current desired state outside of the cycles.
    fn publish_desired(&mut self) {
        // The log has a row for each cycle, so cycles keep their phase.
        if self.make_desired().is_some() && !self.logging {
            self.pace.restart(self.now);
        }
    }

    /// Queues the current desired state as the next output and returns it.
    fn make_desired(&mut self) -> Option<PoseState> {
        let stamp = self.stamp();
        let desired = self.filter.desired(self.now, stamp);
        if desired.is_some() {
            (self.desired, self.is_stop) = (desired, self.filter.needs_stop());
        }
        desired
    }

    /// Updates the command from the stick.
    fn update_filter(&mut self) {
        let whole = !self.in_batch && self.devices.is_read();
        let made = self.virtual_device.relayed().filter(|_| self.devices.is_virtual());
        self.filter.update(self.now, self.devices.stick(), whole, made);
        self.report_waiting();
    }

    /// Handles one input at the current time.
    fn step(&mut self, input: Input) {
        self.publish_batch();
        self.filter.advance(self.now);
        self.joy.advance(self.now, self.clock.at(self.now));
        let at_once =
            matches!(input, Input::ButtonChanged { .. } | Input::HatMoved { .. } | Input::ReadingLost);
        let stopping = matches!(input, Input::Stopping);
        self.in_batch = input.is_of_device() || (self.in_batch && !matches!(input, Input::BatchEnded));
        let (active, intrinsic) = (self.filter.active(), self.filter.intrinsic());
        let is_held_early = self.filter.is_held_early();
        let handovers = self.devices.handovers();
        match self.apply(input) {
            Ok(()) => {}
            Err(Ignored::UnknownDevice) => {
                self.counters.unknown_device = self.counters.unknown_device.saturating_add(1);
            }
            Err(Ignored::BeyondLimits) => {
                self.counters.beyond_limits = self.counters.beyond_limits.saturating_add(1);
            }
            Err(Ignored::Name) => self.counters.bad_names = self.counters.bad_names.saturating_add(1),
        }
        let handed_over = self.devices.handovers() != handovers;
        if !stopping {
            self.update_joy(handed_over, at_once);
        }
        if handed_over {
            self.filter.resolve(self.devices.mappings(), self.devices.stick());
            self.filter.hand_over(self.now, self.devices.take_new_driver());
            self.feedbacks.forget();
            let name = self.controlled().map(str::to_owned);
            self.emit(Report::Controlled { name });
            self.report_missing();
        }
        self.update_filter();
        self.report_reference();
        if self.filter.intrinsic() != intrinsic {
            self.emit(Report::Intrinsic(!intrinsic));
        }
        if self.filter.is_held_early() && !is_held_early {
            self.emit(Report::Holds);
        }
        if self.filter.active() != active {
            let [is_waiting, _] = self.reported_to_wait;
            self.emit(if !active && is_waiting { self.waiting() } else { Report::Active(!active) });
            if active && !self.in_batch && !stopping {
                self.publish_desired();
            }
        }
    }
}

impl Machine for Joystick {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        if self.stopped {
            return;
        }
        self.pass_to(now);
        match input {
            Input::VirtualDeviceMoved(state) => {
                let (events, report) = match state {
                    Ok(state) => self.virtual_device.set(&self.clock, state, self.filter.is_release_open()),
                    Err(why) => self.virtual_device.refuse(self.now, why),
                };
                self.queue.extend(report.map(Output::Report));
                self.handle_all(events);
                if self.filter.is_release_open() {
                    self.step(Input::BatchEnded); // the state may be the one by which the release counts
                }
            }
            Input::VirtualPublishersCounted(count) => {
                let events = self.virtual_device.count(count);
                self.handle_all(events);
            }
            input => self.step(input),
        }
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.pass_to(now);
        self.cycle();
        self.filter.record_claim(self.now);
        if let Some(desired) = self.desired.take() {
            self.filter.published();
            if core::mem::take(&mut self.is_stop) {
                self.filter.stopped();
            }
            return Some(Output::PublishDesired(desired));
        }
        if self.queue.is_empty() {
            self.publish_batch();
        }
        if let Some(output) = self.queue.pop_front() {
            return Some(output);
        }
        if !self.stopped {
            self.joy.finish(self.now, self.clock.at(self.now));
        }
        self.joy.poll()
    }

    fn read_again(&mut self, now: Instant, since: Instant, due: Instant) {
        self.pass_to(now);
        self.clock.read_again(since, due);
    }

    fn asks_for_motion(input: &Input) -> bool {
        let Input::ReferenceReceived(PoseState { vel: Some(vel), avel: Some(avel), .. }) = input else {
            return false;
        };
        Velocity::new(*vel, *avel).is_ok_and(|velocity| !velocity.is_neutral())
    }

    fn backlog(output: &Output) -> Backlog {
        match output {
            Output::OpenDevice { .. } | Output::CloseDevice { .. } => Backlog::Each,
            Output::PublishDevice { .. }
            | Output::PublishDesired(_)
            | Output::PublishJoy(_)
            | Output::PublishConnected(_)
            | Output::Feedback { .. }
            | Output::LogRow(_)
            | Output::Report(_) => Backlog::Recent,
        }
    }

    fn deadline(&self) -> Option<Instant> {
        if self.stopped {
            return None;
        }
        let is_watched = self.filter.claims() || self.filter.reference().in_force().is_some();
        let all = [
            self.pace.deadline(),
            self.joy.deadline(),
            self.reading.deadline(),
            self.virtual_device.deadline(),
            self.feedbacks.deadline(),
            self.filter.reference().expiry(),
            is_watched.then(|| self.now + WATCHDOG_INTERVAL),
        ];
        all.into_iter().fold(None, earliest)
    }
}
