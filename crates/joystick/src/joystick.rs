use core::time::Duration;
use std::collections::VecDeque;

use units::{Clock, Instant, Machine, Stamp, earliest};

pub(crate) use self::pace::Course;
use self::pace::Pace;
use self::reading::Reading;
use crate::device::Identity;
use crate::devices::{Devices, Ignored};
use crate::feedback::Feedbacks;
use crate::filter::Filter;
use crate::joy::Joy;
use crate::virtual_device::VirtualDevice;
use crate::{Counters, DeviceId, Input, Output, Params, PoseState, Report};

mod pace;
mod reading;
mod report;
mod services;
mod time;
mod warnings;

/// How many outputs fit before the queue grows; a batch of four devices has about twelve.
const ROOM: usize = 64;

/// While a command is in force the machine is called at least so often, so that it notices when it was held.
const WATCH: Duration = Duration::from_millis(50);

/// The openrobots `joystick` component.
///
/// The desired state leaves at the configured rate, at once at the end of a batch in which the device that drives
/// changed, and at once when a reference comes while the stick does not drive. It leaves before everything else that
/// waits, and only the latest: an older one that nobody polled is replaced. There are cycles while there is something to
/// repeat: at the configured rate while that is motion, 20 times a second while it is zero, and after what left at once the next is two
/// periods away. The next is due one period after the last was *due*, and those that nobody polled in time are skipped, not made up for.
/// While a log is written, each cycle gives it a row, and they come at the configured rate whatever happens.
///
/// Whenever another device gets to drive, or the same one anew, or nobody has read the devices for a while, it commands
/// nothing until all axes mapped were at rest together, within a tenth of their way, and a button that is held then counts
/// from its next press on. So it is in another frame, with new mappings by which a held stick would command something else or
/// other buttons enable it, and with parameters by which one that got no motion would get some. A takeover by `enable.toggle` outlasts a replug of its device, and no other device inherits it.
///
/// | who commands | `desired` carries |
/// |---|---|
/// | the stick: an enable button says so, or none is mapped and a stick is there with an axis that is mapped | its velocity, zero while it waits for rest |
/// | nobody since a button was let go | one stop without an acceleration, then the reference |
/// | nobody since the stick was lost: unplugged, not read, without mapped axes, or with another button | no velocity for 0.1 s, zero for the rest of a second, then the reference, but none before it asked for zero |
/// | a takeover by `enable.toggle` whose device is gone | zero until that is back and ends it |
/// | a fresh reference, otherwise | that, bit for bit |
/// | a reference that was lost in motion | no velocity for 0.1 s, zero for the rest of a second, then nothing before it asked for zero |
/// | nobody | nothing |
///
/// After [`Input::Stopping`] one explicit stop leaves if anything was claimed, `joy` and all devices are published as let
/// go, and nothing is taken in any more.
///
/// # Real-time
/// The desired state is made and handed over without allocation. What a batch publishes of its devices and on `joy`
/// is cloned after the desired state was polled.
/// # Source
/// joystick-genom3 1.1/1.2, tasks `publish` and `state`; own: publishing at once, the explicit stops, and that a stick
/// must have been at rest: a pad may come back deflected or held, which nobody meant as a command.
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
    /// Whether a batch of events has begun and not ended.
    in_batch: bool,
    reading: Reading,
    virtual_device: VirtualDevice,
    feedbacks: Feedbacks,
    /// Whether it was reported that the stick, and that the reference, is waited for.
    reported_to_wait: [bool; 2],
    /// What of the mappings the device that drives does not have, as it was reported.
    lacks: Vec<(String, usize)>,
    desired: Option<PoseState>,
    /// Whether that is a stop which has to be published before anything else is.
    is_stop: bool,
    /// The stamp of a batch whose devices are still to be published, after the desired state left.
    batch: Option<Stamp>,
    queue: VecDeque<Output>,
    counters: Counters,
}

impl Joystick {
    /// A joystick node to which nothing happened yet; the first poll runs the first cycle.
    pub fn new(params: Params) -> Self {
        let filter = Filter::new(&params);
        let mut joystick = Self {
            devices: Devices::new(&params.control_device),
            filter,
            joy: Joy::new(params.joy),
            clock: Clock::default(),
            pace: Pace::new(params.rate),
            now: Instant::ZERO,
            stopped: false,
            logging: false,
            in_batch: false,
            reading: Reading::default(),
            virtual_device: VirtualDevice::new(&params.virtual_device),
            feedbacks: Feedbacks::default(),
            reported_to_wait: [false; 2],
            lacks: Vec::new(),
            desired: None,
            is_stop: false,
            batch: None,
            queue: VecDeque::with_capacity(ROOM),
            counters: Counters::default(),
        };
        joystick.warn(true, true);
        joystick
    }

    /// Whether devices are connected of which nobody knows where they are, and may be asked by now: see [`Input::DeviceRead`].
    pub fn needs_reading(&self) -> bool {
        !self.stopped && !self.reading.is_lost() && self.devices.has_unread()
    }

    /// Whether the stick drives; otherwise the reference is passed on.
    pub fn active(&self) -> bool {
        !self.stopped && self.filter.active()
    }

    /// Whether velocities of the stick are told in the vehicle's own frame (true) or in the world's (false).
    pub fn intrinsic(&self) -> bool {
        self.filter.intrinsic()
    }

    /// SDL's instance id of the device that drives, if it is connected.
    pub fn controlled_id(&self) -> Option<DeviceId> {
        self.devices.driver_id()
    }

    /// The port of the device that drives, if it is connected.
    pub fn controlled(&self) -> Option<&str> {
        self.devices.driver()
    }

    /// The device that is waited for: what `control_device` says, or who drove before; `None` if one drives, or any may.
    pub fn awaited(&self) -> Option<&str> {
        self.devices.awaited()
    }

    /// What was ignored or refused so far.
    pub fn counters(&self) -> Counters {
        let (seeds_refused, seeds_limited) = self.filter.seeds();
        Counters { seeds_refused, seeds_limited, ..self.counters }
    }

    fn stamp(&self) -> Stamp {
        self.clock.at(self.now)
    }

    fn tell(&mut self, report: Report) {
        self.queue.push_back(Output::Report(report));
    }

    fn take(&mut self, input: Input) -> Result<(), Ignored> {
        match input {
            Input::DeviceConnected { id, name, guid, serial, path, links, axes, buttons, hats } => {
                if self.devices.contains(id) {
                    self.counters.duplicate_device = self.counters.duplicate_device.saturating_add(1);
                    self.disconnect(id)?;
                }
                let sdl_name = name;
                let identity = Identity { guid, serial, path, links, label: String::new() };
                let Identity { guid, serial, path, links, .. } = identity.clone();
                let name = self.devices.connect(id, &sdl_name, identity, &axes, &buttons, &hats);
                let (axes, buttons) = (axes.len().saturating_add(2 * hats.len()), buttons.len());
                self.tell(Report::Connected { name, sdl_name, guid, serial, path, links, axes, buttons });
            }
            Input::TriggersKnown { id, axes } => self.devices.know_triggers(id, &axes)?,
            Input::DeviceDisconnected { id } => self.disconnect(id)?,
            Input::DeviceRenamed { id, name } => self.devices.rename(id, name, &mut self.queue)?,
            Input::AxisMoved { id, axis, value } => self.devices.axis(id, axis, value)?,
            Input::HatMoved { id, hat, state } => self.devices.hat(id, hat, state)?,
            Input::ButtonChanged { id, button, pressed } => {
                if self.devices.button(id, button, pressed)? {
                    self.filter.pressed(button);
                }
            }
            Input::DevicesLooked => {
                if self.reading.look(self.now) {
                    self.tell(Report::ReadingLost(false));
                }
            }
            Input::ReadingLost => {
                self.reading.lose();
                if self.devices.lose_reading() {
                    self.filter.hand_over(false);
                }
                self.tell(Report::ReadingLost(true));
            }
            Input::DeviceRead { id, axes, buttons, hats } => self.devices.read(id, &axes, &buttons, &hats)?,
            Input::BatchEnded => self.end_batch(),
            Input::ClockRead(stamp) => self.clock.read(self.now, stamp),
            Input::ReferenceReceived(reference) => {
                if self.filter.receive(&self.clock, reference) && !self.filter.active() {
                    self.desire();
                }
            }
            Input::ReferencePublishersCounted(count) => {
                if self.filter.count_references(self.now, count) {
                    self.desire();
                }
            }
            Input::ParametersChanged(params) => self.configure(&params),
            Input::FrameSelected(intrinsic) => self.filter.ask_frame(intrinsic),
            Input::FrameNoted(intrinsic) => self.filter.note_frame(intrinsic),
            Input::LogSwitched(on) => self.logging = on,
            Input::FeedbackReceived(feedback) => {
                let output = self.feedbacks.take(self.now, self.devices.driver_id(), feedback);
                self.queue.extend(output);
            }
            // Its events come one by one.
            Input::VirtualDeviceMoved(_) | Input::VirtualPublishersCounted(_) => {}
            Input::Stopping => self.stop(),
        }
        Ok(())
    }

    fn disconnect(&mut self, id: crate::DeviceId) -> Result<(), Ignored> {
        let name = self.devices.disconnect(id)?;
        self.tell(Report::Disconnected { name });
        Ok(())
    }

    fn configure(&mut self, params: &Params) {
        let (had_axis, had_enable_button) = (self.filter.has_axis(), self.filter.has_enable_button());
        if self.filter.mappings().enable != params.mappings.enable {
            self.devices.forget_presses();
        }
        self.filter.configure(params, self.devices.stick());
        self.warn(had_axis, had_enable_button);
        self.report_lacks();
        let handovers = self.devices.handovers();
        self.devices.want(&params.control_device);
        let stamp = self.stamp();
        // A device that gets to drive just now is told after that.
        let device = self.devices.driving().filter(|_| self.devices.handovers() == handovers);
        self.joy.configure(self.now, stamp, &params.joy, device);
    }

    /// Lets `joy` follow what happened, with the device that drives before any new one.
    fn tell_joy(&mut self, handed_over: bool, at_once: bool) {
        let stamp = self.stamp();
        match self.devices.driving() {
            None => self.joy.lose(stamp, true),
            Some(device) if handed_over => {
                self.joy.lose(stamp, false);
                self.joy.begin(self.now, stamp, device);
            }
            Some(device) => self.joy.look(self.now, stamp, device, at_once),
        }
    }

    fn end_batch(&mut self) {
        self.filter.apply_frame();
        if self.devices.take_driver_dirty() {
            self.desire();
        }
        self.batch = Some(self.stamp());
    }

    /// Publishes the devices of the batch that ended, unless that was done.
    fn publish_batch(&mut self) {
        if let Some(stamp) = self.batch.take() {
            self.devices.publish(stamp, &mut self.queue);
        }
    }

    fn stop(&mut self) {
        let stamp = self.stamp();
        self.desired = self.filter.stop(self.now, stamp);
        self.joy.lose(stamp, true);
        self.devices.let_go();
        self.batch = Some(stamp);
        self.stopped = true;
    }

    /// Publishes the desired state of now, out of turn.
    fn desire(&mut self) {
        // A log has a row for each cycle, so cycles keep their phase.
        if self.make_desired().is_some() && !self.logging {
            self.pace.restart(self.now);
        }
    }

    /// Makes the desired state of now the one that leaves next, and gives it.
    fn make_desired(&mut self) -> Option<PoseState> {
        let stamp = self.stamp();
        let desired = self.filter.desired(self.now, stamp);
        if desired.is_some() {
            (self.desired, self.is_stop) = (desired, self.filter.owes_stop());
        }
        desired
    }

    /// Lets the command follow the stick.
    fn look(&mut self) {
        let whole = !self.in_batch && self.devices.is_read();
        self.filter.look(self.now, self.devices.stick(), whole);
        self.report_waiting();
    }

    /// One thing that happened now.
    fn step(&mut self, input: Input) {
        self.publish_batch();
        self.filter.advance(self.now);
        self.joy.advance(self.now, self.clock.at(self.now));
        let at_once =
            matches!(input, Input::ButtonChanged { .. } | Input::HatMoved { .. } | Input::ReadingLost);
        let stopping = matches!(input, Input::Stopping);
        self.in_batch = input.is_of_device() || (self.in_batch && !matches!(input, Input::BatchEnded));
        let (active, intrinsic) = (self.filter.active(), self.filter.intrinsic());
        let handovers = self.devices.handovers();
        match self.take(input) {
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
            self.tell_joy(handed_over, at_once);
        }
        if handed_over {
            self.filter.hand_over(self.devices.is_stranger());
            self.feedbacks.forget();
            let name = self.controlled().map(str::to_owned);
            self.tell(Report::Controlled { name });
            self.report_lacks();
        }
        self.look();
        self.report_reference();
        if self.filter.intrinsic() != intrinsic {
            self.tell(Report::Intrinsic(!intrinsic));
        }
        if self.filter.active() != active {
            self.tell(Report::Active(!active));
            if active && !self.in_batch && !stopping {
                self.desire();
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
                let (events, report) = self.virtual_device.set(&self.clock, state);
                self.queue.extend(report.map(Output::Report));
                self.carry_out(events);
            }
            Input::VirtualPublishersCounted(count) => {
                let events = self.virtual_device.count(count);
                self.carry_out(events);
            }
            input => self.step(input),
        }
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.pass_to(now);
        self.cycle();
        self.filter.note_claim();
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

    fn deadline(&self) -> Option<Instant> {
        if self.stopped {
            return None;
        }
        let is_watched = self.filter.active() || self.filter.reference().in_force().is_some();
        let all = [
            self.pace.deadline(),
            self.joy.deadline(),
            self.reading.deadline(),
            self.virtual_device.deadline(),
            self.feedbacks.deadline(),
            self.filter.reference().expiry(),
            is_watched.then(|| self.now + WATCH),
        ];
        all.into_iter().fold(None, earliest)
    }
}
