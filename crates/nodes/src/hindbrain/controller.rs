use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use actuator::{Actuator, Event, Kind, NotStarted, Settings, Watchdog};
use hindbrain::{Driver, DriverKind, Hindbrain, Input, Source};
use ros::{Error, Shell};
use safety::Contains;

use super::NAME;
use super::graph::Publishers;

/// The motor controller, driven by a thread of its own that stops it when the node stops commanding it.
#[derive(Clone)]
pub struct Controller(Arc<Actuator>);

/// The controller's events for the machine.
///
/// They go through a channel and not through the controller's thread: a thread that holds the machine may hang, and the
/// controller's thread must still be able to stop the motors.
pub struct Events {
    actuator: Arc<Actuator>,
    events: Receiver<Event>,
}

impl Controller {
    /// Opens `driver`. A missing device is not an error; opening it is tried again.
    /// # Errors
    /// A parameter that this device does not allow, or no thread.
    pub fn start(driver: &Driver) -> Result<(Self, Events), Error> {
        let kind = match driver.kind {
            DriverKind::Pololu => Kind::Pololu,
            DriverKind::RoboClaw => Kind::RoboClaw,
        };
        let settings = Settings {
            baud: driver.baud,
            channels: driver.channels,
            address: driver.address,
            invert: driver.invert,
            ..Settings::new(kind, driver.device.clone())
        };
        let (sender, events) = channel();
        let report = move |event| {
            let _ = sender.send(event); // the receiver is gone only when the node ends
        };
        let actuator = Actuator::open(settings, report).map_err(|error| match error {
            NotStarted::Setting(wrong) => Error::Start(format!(
                "parameter 'driver.{}' is {}, must be {}",
                wrong.name, wrong.value, wrong.range
            )),
            NotStarted::Thread(error) => Error::Start(format!("the driver's thread does not start: {error}")),
        })?;
        let actuator = Arc::new(actuator);
        Ok((Self(Arc::clone(&actuator)), Events { actuator, events }))
    }

    /// Sets the motor levels; never waits for the device.
    pub fn drive(&self, levels: [i16; 2]) {
        self.0.drive(levels);
    }

    /// A function that stops the motors while the controller exists, without keeping it open.
    pub fn stopper(&self) -> impl Fn() + Send + 'static {
        let actuator = Arc::downgrade(&self.0);
        move || {
            if let Some(actuator) = actuator.upgrade() {
                actuator.drive([0, 0]);
            }
        }
    }
}

impl Events {
    /// A task that reports the controller's events to the machine.
    pub fn watch<M: Contains<Hindbrain> + 'static>(
        self,
        shell: Shell<M>,
        publishers: Publishers,
    ) -> impl FnMut(&mut r2r::Node) + Send + 'static
    where
        Shell<M>: Send,
    {
        move |_| {
            // The queued events come before the hang state: a lost device must not count as opened again because it no longer
            // hangs.
            for event in
                self.events.try_iter().chain(std::iter::once_with(|| self.actuator.hangs()).flatten())
            {
                match event {
                    Event::Ready { description, watchdog } => {
                        log::info!(target: NAME, "motor controller: {description}");
                        log_watchdog(watchdog);
                        publishers.describe(Source::Device, description);
                        shell.deliver(M::wrap(Input::DeviceOpened));
                    }
                    Event::Lost(error) => {
                        log::error!(target: NAME, "motor controller: {error}");
                        publishers.describe(Source::Device, error.to_string());
                        shell.deliver(M::wrap(Input::DeviceLost));
                    }
                    Event::Silent => {
                        log::error!(target: NAME, "motor controller: no motor value came in time, so it stopped its \
                            motors");
                        shell.deliver(M::wrap(Input::Unwatched));
                    }
                    Event::Interrupted => {
                        log::error!(target: NAME, "motor controller: it received no value in its own time-out, so it may have \
                            stopped its motors: they stay at stop");
                        shell.deliver(M::wrap(Input::Interrupted));
                    }
                    Event::Fed => log::info!(target: NAME, "motor controller: values arrive again"),
                    Event::Hangs => {
                        log::error!(target: NAME, "motor controller: the device hangs; the state of the motors is \
                            unknown");
                        shell.deliver(M::wrap(Input::DeviceLost));
                    }
                    Event::HangsNoLonger => {
                        log::warn!(target: NAME, "motor controller: the device responds again");
                        shell.deliver(M::wrap(Input::DeviceOpened));
                    }
                }
            }
        }
    }
}

/// Logs what stops the motors when this computer dies.
fn log_watchdog(watchdog: Watchdog) {
    match watchdog {
        Watchdog::Set(time) => {
            log::info!(target: NAME, "motor controller: it stops by itself after {time:?}")
        }
        Watchdog::Seen(time) => {
            log::info!(target: NAME, "motor controller: it was seen to stop by itself within {time:?}");
        }
        Watchdog::NotSeen(time) => log::warn!(
            target: NAME,
            "motor controller: it did not stop by itself within {time:?} of silence; set its own time-out, or the motors \
             run on when this computer dies"
        ),
        Watchdog::Absent => log::warn!(
            target: NAME,
            "motor controller: it has no time-out of its own; something else must stop the motors when this computer dies"
        ),
    }
}
