use core::time::Duration;
use std::collections::VecDeque;

use units::{Instant, Machine, Stamp};

use crate::clock::Clock;
use crate::devices::{Devices, Ignored};
use crate::filter::{Filter, STALE};
use crate::{Counters, Input, Level, Output, Params, PoseState, Report};

/// How many outputs fit before the queue grows; a batch of four devices has about twelve.
const ROOM: usize = 64;

/// The openrobots `joystick` component.
///
/// The desired state leaves at the configured rate, at once at the end of a batch in which the device that drives
/// changed, and at once when a reference comes while the stick does not drive. It leaves before everything else that
/// waits, and only the latest: an older one that nobody polled is replaced. Cycles keep their phase: the next is due
/// one period after the last was *due*, and those that nobody polled in time are skipped, not made up for.
///
/// After [`Input::Stopping`] one explicit stop leaves if the stick drives, `joy` is let go, and nothing is taken in
/// any more. When the stick lets go and no reference ever came, one explicit stop leaves too; otherwise nothing is
/// published while there is no reference.
///
/// # Real-time
/// The desired state is made and handed over without allocation. What a batch publishes of its devices and on `joy`
/// is cloned after the desired state was polled.
/// # Source
/// joystick-genom3 1.1/1.2, tasks `publish` and `state`; own: publishing at once, and the explicit stops.
#[derive(Clone, Debug)]
pub struct Joystick {
    devices: Devices,
    filter: Filter,
    clock: Clock,
    period: Duration,
    /// When the next cycle is due; before the first poll there is no pace yet.
    next_cycle: Option<Instant>,
    last_cycle: Option<Instant>,
    now: Instant,
    stopped: bool,
    desired: Option<PoseState>,
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
            clock: Clock::default(),
            period: Duration::from_nanos(1_000_000_000 / u64::from(params.rate.max(1))),
            next_cycle: None,
            last_cycle: None,
            now: Instant::ZERO,
            stopped: false,
            desired: None,
            batch: None,
            queue: VecDeque::with_capacity(ROOM),
            counters: Counters::default(),
        };
        joystick.warn(true, true);
        joystick
    }

    /// Whether the stick drives; otherwise the reference is passed on.
    pub fn active(&self) -> bool {
        !self.stopped && self.filter.active()
    }

    /// Whether velocities of the stick are told in the vehicle's own frame (true) or in the world's (false).
    pub fn intrinsic(&self) -> bool {
        self.filter.intrinsic()
    }

    /// The port of the device that drives, if it is connected.
    pub fn controlled(&self) -> Option<&str> {
        self.devices.driver()
    }

    /// What was ignored or refused so far.
    pub fn counters(&self) -> Counters {
        Counters { seeds_refused: self.filter.seeds_refused(), ..self.counters }
    }

    /// Keys and values for `/diagnostics`.
    pub fn report(&self) -> Vec<(&'static str, String)> {
        let Counters { unknown_device, beyond_limits, duplicate_device, missed_cycles, seeds_refused } =
            self.counters();
        let age = self.filter.reference_age(self.now);
        vec![
            ("devices", self.devices.len().to_string()),
            ("controlled device", self.controlled().unwrap_or("none").to_owned()),
            ("active", self.active().to_string()),
            ("toggled", self.filter.latched().to_string()),
            ("divisor", self.filter.divisor().to_string()),
            ("intrinsic", self.intrinsic().to_string()),
            (
                "reference age [s]",
                age.map_or_else(|| "never received".into(), |a| format!("{:.3}", a.as_secs_f64())),
            ),
            ("events of unknown devices", unknown_device.to_string()),
            ("events beyond limits", beyond_limits.to_string()),
            ("duplicate connections", duplicate_device.to_string()),
            ("missed cycles", missed_cycles.to_string()),
            ("takeovers from zero", seeds_refused.to_string()),
        ]
    }

    /// How the node is, and why.
    pub fn health(&self) -> (Level, String) {
        if self.stopped {
            return (Level::Stale, "stopped".into());
        }
        if self.controlled().is_none() {
            let text = match self.devices.awaited() {
                Some(name) => format!("waiting for the device {name}; control_device selects another"),
                None => "no device is connected".into(),
            };
            return (Level::Warn, text);
        }
        match (self.active(), self.filter.reference_age(self.now)) {
            (true, _) if !self.filter.has_axis() => (Level::Warn, Report::Unmapped.to_string()),
            (true, _) => (Level::Ok, Report::Active(true).to_string()),
            (false, None) => (Level::Ok, "inactive: no reference was ever received".into()),
            (false, Some(age)) if age >= STALE => (Level::Stale, "inactive: the reference is old".into()),
            (false, Some(_)) => (Level::Ok, Report::Active(false).to_string()),
        }
    }

    fn stamp(&self) -> Stamp {
        self.clock.at(self.now)
    }

    fn tell(&mut self, report: Report) {
        self.queue.push_back(Output::Report(report));
    }

    /// Warns of mappings with which little can be done, where that is news.
    fn warn(&mut self, had_axis: bool, had_enable_button: bool) {
        if had_axis && !self.filter.has_axis() {
            self.tell(Report::Unmapped);
        }
        if had_enable_button && !self.filter.has_enable_button() {
            self.tell(Report::AlwaysActive);
        }
    }

    fn take(&mut self, input: Input) -> Result<(), Ignored> {
        match input {
            Input::DeviceConnected { id, name, guid, axes, buttons, hats } => {
                if self.devices.contains(id) {
                    self.counters.duplicate_device = self.counters.duplicate_device.saturating_add(1);
                    self.disconnect(id)?;
                }
                let (sdl_name, sdl_guid) = (name, guid.clone());
                let name = self.devices.connect(id, &sdl_name, guid, &axes, &buttons, &hats);
                let (axes, buttons) = (axes.len().saturating_add(2 * hats.len()), buttons.len());
                self.tell(Report::Connected { name, sdl_name, guid: sdl_guid, axes, buttons });
            }
            Input::DeviceDisconnected { id } => self.disconnect(id)?,
            Input::AxisMoved { id, axis, value } => self.devices.axis(id, axis, value)?,
            Input::HatMoved { id, hat, state } => self.devices.hat(id, hat, state)?,
            Input::ButtonChanged { id, button, pressed } => {
                if self.devices.button(id, button, pressed)? {
                    self.filter.pressed(button);
                }
            }
            Input::BatchEnded => self.end_batch(),
            Input::ClockRead(stamp) => self.clock.read(self.now, stamp),
            Input::ReferenceReceived(reference) => {
                self.filter.receive(self.now, reference);
                if !self.filter.active() {
                    self.desire();
                }
            }
            Input::ParametersChanged(params) => self.configure(&params),
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
        self.filter.configure(params);
        self.warn(had_axis, had_enable_button);
        let handovers = self.devices.handovers();
        self.devices.want(&params.control_device);
        if self.devices.handovers() != handovers {
            // No batch ends here that would let go of what `joy` last told.
            let stamp = self.stamp();
            self.devices.publish_joy(stamp, &mut self.queue);
        }
    }

    fn end_batch(&mut self) {
        self.filter.apply_frame();
        if self.devices.driver_dirty() {
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
        // What waits may go back to a stick that was let go since: better the reference again than that.
        let waiting = self.desired.take();
        self.desired =
            self.filter.stop(stamp).or_else(|| waiting.and_then(|_| self.filter.desired(self.now, stamp)));
        self.devices.release_joy(stamp, &mut self.queue);
        self.stopped = true;
    }

    /// Makes the desired state of now the one that leaves next.
    fn desire(&mut self) {
        let stamp = self.stamp();
        if let Some(desired) = self.filter.desired(self.now, stamp) {
            self.desired = Some(desired);
        }
    }

    /// Runs the filter if its cycle is due.
    fn cycle(&mut self) {
        let due = self.next_cycle.unwrap_or(self.now);
        if self.stopped || self.now < due || self.last_cycle == Some(self.now) {
            return;
        }
        let missed = self.now.since(due).as_nanos() / self.period.as_nanos().max(1);
        let missed = u64::try_from(missed).unwrap_or(u64::MAX);
        self.counters.missed_cycles = self.counters.missed_cycles.saturating_add(missed);
        let periods = u32::try_from(missed.saturating_add(1)).unwrap_or(u32::MAX);
        self.next_cycle = Some(due + self.period.saturating_mul(periods));
        self.last_cycle = Some(self.now);
        let intrinsic = self.filter.intrinsic();
        self.filter.advance(self.now);
        self.filter.apply_frame();
        self.desire();
        if self.filter.intrinsic() != intrinsic {
            self.tell(Report::Intrinsic(!intrinsic));
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
        self.now = self.now.max(now);
        self.publish_batch();
        self.filter.advance(self.now);
        let (active, intrinsic) = (self.filter.active(), self.filter.intrinsic());
        let (driven, handovers) = (self.controlled().is_some(), self.devices.handovers());
        match self.take(input) {
            Ok(()) => {}
            Err(Ignored::UnknownDevice) => {
                self.counters.unknown_device = self.counters.unknown_device.saturating_add(1);
            }
            Err(Ignored::BeyondLimits) => {
                self.counters.beyond_limits = self.counters.beyond_limits.saturating_add(1);
            }
        }
        if self.devices.handovers() != handovers {
            if driven {
                self.filter.lose_stick();
            }
            let name = self.controlled().map(str::to_owned);
            self.tell(Report::Controlled { name });
        }
        let stamp = self.stamp();
        self.filter.look(self.now, stamp, self.devices.stick());
        if self.filter.intrinsic() != intrinsic {
            self.tell(Report::Intrinsic(!intrinsic));
        }
        if self.filter.active() != active {
            self.tell(Report::Active(!active));
        }
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.now = self.now.max(now);
        self.cycle();
        if let Some(desired) = self.desired.take() {
            return Some(Output::PublishDesired(desired));
        }
        if self.queue.is_empty() {
            self.publish_batch();
        }
        self.queue.pop_front()
    }

    fn deadline(&self) -> Option<Instant> {
        (!self.stopped).then(|| self.next_cycle.unwrap_or(Instant::ZERO))
    }
}
