use core::mem::replace;
use core::time::Duration;

use safety::Instant;

use crate::device::{Constants, Device, DeviceError};
use crate::setpoints::Setpoints;
use crate::simulation::Simulation;
use crate::wire::Sensor;

/// How much time a [`DeviceLoop`] makes up for at most.
const MAX_CATCH_UP: Duration = Duration::from_millis(100);

/// An order to a [`DeviceLoop`]. It is plain data, so it can travel to a real-time thread in a ring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    /// New setpoints.
    Command {
        /// The setpoints.
        setpoints: Setpoints,
        /// When their command was received.
        at: Instant,
    },
    /// Bring the device back to its start.
    Reset {
        /// Whether its pose and setpoints, too; it then holds until the next command.
        reset_limb_pose: bool,
    },
    /// Hold until the next command.
    Hold,
    /// New settings.
    Configure(Settings),
}

/// Settings that may change while the loop runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Without a command for this long the device holds; `None` for never.
    pub command_timeout: Option<Duration>,
    /// The part of the gains of its start with which it holds, 0 to 1.
    pub hold_gain: f64,
    /// Objects, noise, delay and faults of a simulated device.
    pub simulation: Simulation,
}

/// Mode of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It follows the setpoints.
    Following,
    /// It holds its position with reduced gains: there is no command yet, or none any more.
    Holding,
}

/// The outcome of a tick.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // a box would allocate on the device's thread
pub enum Report {
    /// The device gave a reading.
    Stepped(Reading),
    /// The device failed.
    Failed(DeviceError),
}

/// The reading of a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// When it was taken.
    pub at: Instant,
    /// Mode of the device from then on.
    pub mode: Mode,
    /// When the latest command was received that the loop took, whether or not it is still followed; `None` before the first one.
    pub last_command: Option<Instant>,
    /// The reading.
    pub sensor: Sensor,
}

/// Steps a device, and exchanges data with it at its update rate.
///
/// The device's time advances in steps of a fixed length. A tick is the first step of an update period: the device is read, then what was
/// ordered since the last tick is picked up, of commands the latest. So a reading never shows the effect of a command of its own tick,
/// and all readers between two ticks see the same one. Silence stops: without a command within the time-out the device holds, also before
/// the first command and after a reset of the pose. A hold lasts until the next command, whatever the settings become. A tick
/// without an answer also ends the command, including one that is received in it: the device holds when it answers again. The last thing
/// that the device receives is a hold, also after a panic.
///
/// # Real-time
/// `take` and `step` do not allocate, unless the device fails.
/// # Source
/// HAPTIX, its Gazebo server: the ticks. Own: the hold; the original follows its last command for ever.
pub struct DeviceLoop {
    device: Box<dyn Device>,
    step: Duration,
    /// The length of a tick.
    update: Duration,
    settings: Settings,
    /// The setpoints that are followed, and when their command was received; `None` while there are none, and then the device holds.
    commanded: Option<(Setpoints, Instant)>,
    last_command: Option<Instant>,
    ordered: Ordered,
    mode: Option<Mode>,
    /// Whether the device did not answer in the last tick.
    is_unanswered: bool,
    /// A failure that the next tick reports.
    failure: Option<DeviceError>,
    /// When the next step is due.
    due: Option<Instant>,
    /// The device's time, and that of the next tick.
    passed: Duration,
    tick: Duration,
}

/// Orders since the last tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Ordered {
    reset: Option<bool>,
    /// Setpoints or the hold's gain are new.
    is_changed: bool,
    /// The device has not answered to the present simulation.
    is_simulation_new: bool,
}

impl DeviceLoop {
    /// The loop of `device`, which passes time in steps of `step`; its ticks are the first steps of the periods of its update rate.
    pub fn new(device: Box<dyn Device>, step: Duration, settings: Settings) -> Self {
        let update =
            Duration::try_from_secs_f64(1.0 / f64::from(device.constants().info.update_rate)).unwrap_or(step);
        let mut new = Self {
            device,
            step: step.max(Duration::from_micros(1)),
            update,
            settings,
            commanded: None,
            last_command: None,
            ordered: Ordered::default(),
            mode: None,
            is_unanswered: false,
            failure: None,
            due: None,
            passed: Duration::ZERO,
            tick: Duration::ZERO,
        };
        new.take(Order::Configure(settings));
        new
    }

    /// Constant properties of the hand.
    pub fn constants(&self) -> &Constants {
        self.device.constants()
    }

    /// Takes an order; the device picks it up in the next tick.
    pub fn take(&mut self, order: Order) {
        match order {
            Order::Command { setpoints, at } => {
                (self.commanded, self.last_command) = (Some((setpoints, at)), Some(at));
                self.ordered.is_changed = true;
            }
            Order::Reset { reset_limb_pose } => {
                self.ordered.reset = Some(reset_limb_pose || self.ordered.reset == Some(true));
                if reset_limb_pose {
                    self.commanded = None;
                    self.ordered.is_changed = true;
                }
            }
            Order::Hold => self.commanded = None,
            Order::Configure(settings) => {
                self.ordered.is_changed |= settings.hold_gain != self.settings.hold_gain;
                self.settings = settings;
                self.simulate(); // at once: it may end a fault that keeps the device from being read
            }
        }
    }

    fn simulate(&mut self) {
        self.failure = self.device.simulate(&self.settings.simulation).err();
        self.ordered.is_simulation_new = self.failure == Some(DeviceError::NoAnswer);
    }

    /// Makes all steps that are due at `now` and returns the report of the last tick among them.
    ///
    /// After a pause at most 0.1 s is made up for; the device's time leaves out the rest. That a device does not answer is
    /// reported once, when it begins.
    pub fn step(&mut self, now: Instant) -> Option<Report> {
        let mut due = *self.due.get_or_insert(now);
        let behind = now.since(due);
        if behind > MAX_CATCH_UP {
            // The steps stay on their grid, so a caller that is called on it never waits for the next one.
            let whole = behind.as_nanos() / self.step.as_nanos() * self.step.as_nanos();
            due = due + Duration::from_nanos(u64::try_from(whole).unwrap_or(u64::MAX));
        }
        let mut report = None;
        while due <= now {
            due = due + self.step;
            if self.passed >= self.tick {
                // If a step is longer than a period, each step is a tick.
                self.tick = self.tick.saturating_add(self.update).max(self.passed);
                report = self.tick(now).or(report);
            }
            if let Err(error) = self.device.step(self.step) {
                self.failure = Some(error);
            }
            self.passed = self.passed.saturating_add(self.step);
        }
        self.due = Some(due);
        report
    }

    fn tick(&mut self, now: Instant) -> Option<Report> {
        if self.ordered.is_simulation_new {
            self.simulate();
        }
        let mut sensor = Sensor::default();
        let outcome = match self.failure.take() {
            Some(error) => Err(error),
            None => self.device.read(&mut sensor).and_then(|()| self.pick_up(now)),
        };
        match outcome {
            Ok(mode) => {
                self.is_unanswered = false;
                Some(Report::Stepped(Reading { at: now, mode, last_command: self.last_command, sensor }))
            }
            Err(DeviceError::NoAnswer) => {
                // What it did not take must not move it when it is back.
                (self.commanded, self.mode) = (None, None);
                (!replace(&mut self.is_unanswered, true)).then_some(Report::Failed(DeviceError::NoAnswer))
            }
            Err(error) => {
                self.is_unanswered = false;
                Some(Report::Failed(error))
            }
        }
    }

    /// Passes to the device what is new. What it does not take stays ordered, except a reset that it refuses and a command.
    fn pick_up(&mut self, now: Instant) -> Result<Mode, DeviceError> {
        if let Some(reset_limb_pose) = self.ordered.reset {
            let outcome = self.device.reset(reset_limb_pose);
            if outcome != Err(DeviceError::NoAnswer) {
                self.ordered.reset = None;
            }
            outcome?;
        }
        let timeout = self.settings.command_timeout;
        let is_fresh = |at| timeout.is_none_or(|timeout| now.since(at) < timeout);
        // A hold ends the command for good: a longer time-out that is set later must not make it fresh again.
        if self.commanded.as_ref().is_some_and(|(_, at)| !is_fresh(*at)) {
            self.commanded = None;
        }
        let mode = if self.commanded.is_some() { Mode::Following } else { Mode::Holding };
        if self.ordered.is_changed || self.mode != Some(mode) {
            match &self.commanded {
                Some((setpoints, _)) => self.device.command(setpoints)?,
                None => self.device.hold(self.settings.hold_gain)?,
            }
            (self.ordered.is_changed, self.mode) = (false, Some(mode));
        }
        Ok(mode)
    }
}

impl Drop for DeviceLoop {
    fn drop(&mut self) {
        let _ = self.device.hold(self.settings.hold_gain); // a device that fails now cannot be helped
    }
}

impl core::fmt::Debug for DeviceLoop {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("DeviceLoop")
            .field("mode", &self.mode)
            .field("passed", &self.passed)
            .finish_non_exhaustive()
    }
}
