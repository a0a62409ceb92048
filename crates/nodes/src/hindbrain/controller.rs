use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use actuator::{Actuator, Event, Kind, NotStarted, Settings, Timing, Watchdog};
use hindbrain::{Driver, DriverKind, Input, Source};
use ros::{Error, Shell, clock};
use units::{Instant, Machine};

use super::NAME;
use super::graph::Publishers;

/// If the thread that alone touches the device does not come round for so long beyond the device's own time-out, it hangs in
/// the kernel, and what the motors do is not known. Opening takes it up to the time-out and some tenths of a second.
const HANGS: Duration = Duration::from_secs(1);

/// Without a value for so long the controller's thread stops the motors by itself: twelve are missing.
const SILENCE: Duration = Duration::from_millis(250);
/// How often opening a device that is lost is tried again.
const REOPEN: Duration = Duration::from_secs(1);

/// The motor controller, driven by a thread of its own that stops it when the node falls silent.
#[derive(Clone)]
pub struct Controller(Arc<Actuator>);

/// What the controller says, to be carried to the machine.
///
/// Over a channel and not by its thread: whoever holds the machine may hang, and then that thread has to go on stopping.
pub struct Events {
    actuator: Arc<Actuator>,
    said: Receiver<Event>,
    hangs: Duration,
}

impl Controller {
    /// Opens `driver`; that the device is not there is no error, it is tried again.
    /// # Errors
    /// A parameter that this device does not allow, or no thread.
    pub fn start(driver: &Driver) -> Result<(Self, Events), Error> {
        let kind = match driver.kind {
            DriverKind::Pololu => Kind::Pololu,
            DriverKind::RoboClaw => Kind::RoboClaw,
        };
        let settings = Settings {
            kind,
            device: driver.device.clone().into(),
            baud: driver.baud,
            channels: driver.channels,
            address: driver.address,
            invert: driver.invert,
            watchdog: driver.timeout,
            reopen: REOPEN,
        };
        let timing = Timing { silence: SILENCE, ..Timing::default() };
        let (sender, said) = channel();
        let report = move |event| {
            let _ = sender.send(event); // nobody listens any more when the node ends
        };
        let actuator = Actuator::open(settings, timing, report).map_err(|error| match error {
            NotStarted::Setting(wrong) => Error::Start(format!(
                "parameter 'driver.{}' is {}, must be {}",
                if wrong.name == "watchdog" { "timeout" } else { wrong.name },
                wrong.value,
                wrong.range
            )),
            NotStarted::Thread(error) => Error::Start(format!("the driver's thread does not start: {error}")),
        })?;
        let actuator = Arc::new(actuator);
        Ok((Self(Arc::clone(&actuator)), Events { actuator, said, hangs: driver.timeout + HANGS }))
    }

    /// Makes the motors turn so; never waits for the device.
    pub fn drive(&self, levels: [i16; 2]) {
        self.0.drive(levels);
    }
}

impl Events {
    /// A chore that tells the machine what became of the device.
    pub fn watch<M: Machine + 'static>(
        self,
        shell: Shell<M>,
        publishers: Publishers,
        wrap: fn(Input) -> M::Input,
    ) -> impl FnMut(&mut r2r::Node) + Send + 'static
    where
        Shell<M>: Send,
    {
        let mut pulse = Pulse::new(self.hangs);
        let mut open = false;
        move |_| {
            // What it said before what it does: a device that is lost does not come back by hanging no longer.
            for event in self.said.try_iter() {
                match event {
                    Event::Ready { description, watchdog } => {
                        open = true;
                        log::info!(target: NAME, "motor controller: {description}");
                        say(watchdog);
                        publishers.describe(Source::Device, description);
                        shell.deliver(wrap(Input::DeviceOpened));
                    }
                    Event::Lost(trouble) => {
                        open = false;
                        log::error!(target: NAME, "motor controller: {trouble}");
                        publishers.describe(Source::Device, trouble.to_string());
                        shell.deliver(wrap(Input::DeviceLost));
                    }
                    Event::Silent => {
                        log::error!(target: NAME, "motor controller: no value came in time, it was stopped");
                        shell.deliver(wrap(Input::Unwatched));
                    }
                    Event::Fed => log::info!(target: NAME, "motor controller: values come again"),
                }
            }
            match pulse.look(self.actuator.passes(), clock::now()) {
                Some(false) => {
                    log::error!(target: NAME, "motor controller: the device hangs, what the motors do is not known");
                    shell.deliver(wrap(Input::DeviceLost));
                }
                Some(true) => {
                    log::warn!(target: NAME, "motor controller: the device hangs no longer");
                    if open {
                        shell.deliver(wrap(Input::DeviceOpened));
                    }
                }
                None => {}
            }
        }
    }
}

/// What stops the motors when this computer dies.
fn say(watchdog: Watchdog) {
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

/// Whether the controller's thread still comes round.
struct Pulse {
    passes: u64,
    at: Instant,
    beats: bool,
    hangs: Duration,
}

impl Pulse {
    fn new(hangs: Duration) -> Self {
        Self { passes: 0, at: clock::now(), beats: true, hangs }
    }

    /// Looks again; what it found if that is news.
    fn look(&mut self, passes: u64, now: Instant) -> Option<bool> {
        if passes != self.passes {
            (self.passes, self.at) = (passes, now);
        }
        let beats = now.since(self.at) < self.hangs;
        (std::mem::replace(&mut self.beats, beats) != beats).then_some(beats)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pulse_that_stops_is_news_once() {
        let mut pulse =
            Pulse { passes: 0, at: Instant::ZERO, beats: true, hangs: Duration::from_millis(500) };
        let at = |ms| Instant::ZERO + Duration::from_millis(ms);
        assert_eq!(pulse.look(1, at(100)), None);
        assert_eq!(pulse.look(1, at(599)), None);
        assert_eq!(pulse.look(1, at(600)), Some(false));
        assert_eq!(pulse.look(1, at(900)), None);
        assert_eq!(pulse.look(2, at(901)), Some(true));
    }
}
