use units::{Instant, Stamp};

use crate::view::View;
use crate::{Sensor, Unusable};

/// How a sensor is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    /// Its last message is a measurement and new enough.
    Fresh,
    /// No message has come yet: its sector is blocked.
    NeverHeard,
    /// Nothing new has come within its timeout: its sector is blocked.
    TimedOut,
    /// Its last message was no measurement: its sector is blocked.
    Unusable(Unusable),
}

/// One sensor and what was last heard of it.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub view: View,
    last: Option<Message>,
}

#[derive(Clone, Copy, Debug)]
struct Message {
    at: Instant,
    stamp: Stamp,
    unusable: Option<Unusable>,
}

impl Watch {
    pub fn new(view: View) -> Self {
        Self { view, last: None }
    }

    /// Whether a message with this stamp is news.
    ///
    /// The same stamp again is none: a relay that repeats a dead sensor's last message does not keep it alive. An older
    /// one is none while the sensor is fresh; later it is, so that a clock which was set back costs one timeout.
    /// Without a stamp everything is news.
    pub fn is_news(&self, now: Instant, stamp: Stamp, sensor: &Sensor) -> bool {
        let Some(last) = self.last.filter(|last| !last.stamp.is_zero() && !stamp.is_zero()) else {
            return true;
        };
        stamp > last.stamp || (stamp < last.stamp && now >= last.at + sensor.timeout)
    }

    /// Takes note of a message that the view was filled from.
    pub fn receive(&mut self, now: Instant, stamp: Stamp, unusable: Option<Unusable>) {
        self.last = Some(Message { at: now, stamp, unusable });
    }

    pub fn condition(&self, now: Instant, sensor: &Sensor) -> Condition {
        match self.last {
            None => Condition::NeverHeard,
            Some(last) if now >= last.at + sensor.timeout => Condition::TimedOut,
            Some(Message { unusable: Some(unusable), .. }) => Condition::Unusable(unusable),
            Some(_) => Condition::Fresh,
        }
    }

    /// When a fresh sensor times out.
    pub fn expiry(&self, now: Instant, sensor: &Sensor) -> Option<Instant> {
        let is_fresh = self.condition(now, sensor) == Condition::Fresh;
        self.last.filter(|_| is_fresh).map(|last| last.at + sensor.timeout)
    }

    /// Puts what is nearest in each bin into `squares` \[m²\]; a sensor that is not fresh blocks its sector.
    pub fn merge(&self, now: Instant, sensor: &Sensor, squares: &mut [f64]) {
        if self.condition(now, sensor) == Condition::Fresh {
            for (nearest, &square) in squares.iter_mut().zip(self.view.squares()) {
                *nearest = nearest.min(square);
            }
        } else {
            for (nearest, _) in squares.iter_mut().zip(self.view.sector()).filter(|(_, is_in)| **is_in) {
                *nearest = 0.0;
            }
        }
    }
}
