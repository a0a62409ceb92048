//! A device in memory that records its calls.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use actuator::{Actuator, Driver, Error, Event, Timing};

use super::sleep;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    Open,
    Drive([i16; 2]),
    Stop,
    Confirm([i16; 2]),
    Check,
    Close,
}

/// The effect of a call, in addition to being recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    Work,
    Fail,
    Panic,
    Take(Duration),
    /// Takes this time and is not answered.
    Miss(Duration),
}

pub type Matches = fn(Call) -> bool;

#[derive(Default)]
struct Inside {
    calls: Vec<(Instant, Call)>,
    does: Vec<(Matches, Does)>,
}

/// A device that records its calls and fails as the test requests.
#[derive(Clone, Default)]
pub struct Device(Arc<Mutex<Inside>>);

/// One opening of it.
struct Opened(Device);

impl Device {
    pub fn when(&self, matches: Matches, does: Does) {
        self.0.lock().unwrap().does.insert(0, (matches, does));
    }

    fn call(&self, call: Call) -> Result<(), Error> {
        let does = {
            let mut inside = self.0.lock().unwrap();
            inside.calls.push((Instant::now(), call));
            inside.does.iter().find(|(matches, _)| matches(call)).map(|(_, does)| *does)
        };
        match does {
            None | Some(Does::Work) => Ok(()),
            Some(Does::Fail) => Err(Error::Busy { device: format!("{call:?}") }),
            Some(Does::Panic) => panic!("{call:?} was set to panic"),
            Some(Does::Take(time)) => {
                sleep(time);
                Ok(())
            }
            Some(Does::Miss(limit)) => {
                sleep(limit);
                let device = "memory".into();
                Err(Error::NoAnswer { device, action: "answering", found: Vec::new(), wanted: 1, limit })
            }
        }
    }

    pub fn calls(&self) -> Vec<Call> {
        self.0.lock().unwrap().calls.iter().map(|(_, call)| *call).collect()
    }

    pub fn timed(&self) -> Vec<(Instant, Call)> {
        self.0.lock().unwrap().calls.clone()
    }

    /// The last levels that were sent.
    pub fn last(&self) -> Option<Call> {
        self.calls().into_iter().rev().find(|call| matches!(call, Call::Drive(_) | Call::Stop))
    }

    pub fn start(&self, timing: Timing, report: impl FnMut(Event) + Send + 'static) -> Actuator {
        let device = self.clone();
        let open = move || {
            device.call(Call::Open)?;
            Ok(Box::new(Opened(device.clone())) as Box<dyn Driver>)
        };
        Actuator::start(open, timing, report).expect("a thread")
    }
}

impl Driver for Opened {
    fn drive(&mut self, levels: [i16; 2]) -> Result<(), Error> {
        self.0.call(Call::Drive(levels))
    }

    fn confirm(&mut self, sides: [i16; 2]) -> Result<(), Error> {
        self.0.call(Call::Confirm(sides))
    }

    fn check(&mut self) -> Result<(), Error> {
        self.0.call(Call::Check)
    }

    fn stop(&mut self) -> Result<(), Error> {
        self.0.call(Call::Stop)
    }

    fn may_repeat(&self) -> bool {
        true
    }

    fn description(&self) -> String {
        "memory".into()
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // One test needs a panic in a drop.
        if let Err(error) = self.0.call(Call::Close) {
            panic!("{error}");
        }
    }
}
