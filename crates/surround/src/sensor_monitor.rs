use core::time::Duration;

use safety::{Clock, Freshness, Instant, MessageTime, PublisherCount, Stale, Stamp};

use crate::view::View;
use crate::{Sensor, Unusable};

/// The condition of a sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    /// Its last message is valid and recent.
    Fresh,
    /// No message was received yet: its sector is blocked.
    NeverReceived,
    /// No new message within its timeout: its sector is blocked.
    TimedOut,
    /// It has several publishers, and it is unknown which one is right: its sector is blocked.
    Conflict(PublisherCount),
    /// Its last message was invalid: its sector is blocked.
    Unusable(Unusable),
}

/// One sensor and its last message.
#[derive(Clone, Debug)]
pub(crate) struct SensorMonitor {
    pub view: View,
    freshness: Freshness,
    last: Option<Message>,
    publishers: PublisherCount,
    /// The last wrong frame, cut to [`FRAME`] bytes.
    wrong_frame: String,
}

#[derive(Clone, Copy, Debug)]
struct Message {
    time: MessageTime,
    stamp: Stamp,
    unusable: Option<Unusable>,
}

/// The maximum length of a stored frame, which avoids allocation.
const FRAME: usize = 100;

impl SensorMonitor {
    pub fn new(view: View) -> Self {
        let wrong_frame = String::with_capacity(FRAME);
        Self {
            view,
            freshness: Freshness::default(),
            last: None,
            publishers: PublisherCount::default(),
            wrong_frame,
        }
    }

    /// Monitor of the same sensor with a new view, without measurements. The number of publishers does not depend on the view
    /// and is kept.
    pub fn with_view(&self, view: View) -> Self {
        Self { publishers: self.publishers, ..Self::new(view) }
    }

    /// The time of a message with this stamp, or why it is invalid. `None` if it is late or repeated and must be
    /// ignored: a relay that repeats a dead sensor's last message must not keep it alive.
    pub fn judge(
        &mut self,
        clock: &Clock,
        stamp: Stamp,
        timeout: Duration,
    ) -> Option<Result<MessageTime, Unusable>> {
        if !stamp.is_zero() && self.last.is_some_and(|last| last.stamp == stamp) {
            return None;
        }
        match self.freshness.judge(clock, stamp, timeout) {
            Ok(time) => Some(Ok(time)),
            Err(Stale::Late | Stale::Repeated { .. }) => None,
            Err(Stale::Old { age }) => {
                let (age, timeout) = (age.as_secs_f64(), timeout.as_secs_f64());
                Some(Err(Unusable::Old { age, timeout }))
            }
            Err(Stale::NoTime) => Some(Err(Unusable::NoTime)),
            Err(Stale::Ahead { by }) => Some(Err(Unusable::Ahead { by: by.as_secs_f64() })),
        }
    }

    /// Sets the number of publishers. Messages received from several are discarded: the remaining publisher has to
    /// measure again.
    pub fn set_publishers(&mut self, publishers: PublisherCount) {
        if self.publishers.update(publishers) {
            self.last = None;
        }
    }

    /// Records a message from which the view was filled.
    pub fn receive(&mut self, time: MessageTime, stamp: Stamp, unusable: Option<Unusable>) {
        self.last = Some(Message { time, stamp, unusable });
    }

    /// Records a wrong frame.
    pub fn record_frame(&mut self, frame: &str) {
        self.wrong_frame.clear();
        self.wrong_frame.push_str(safety::first_bytes(frame, FRAME));
    }

    /// The last wrong frame.
    pub fn wrong_frame(&self) -> &str {
        &self.wrong_frame
    }

    pub fn condition(&self, now: Instant, sensor: &Sensor) -> Condition {
        match self.last {
            _ if self.publishers.are_several() => Condition::Conflict(self.publishers),
            None => Condition::NeverReceived,
            Some(last) if last.time.is_expired(now, sensor.timeout) => Condition::TimedOut,
            Some(Message { unusable: Some(unusable), .. }) => Condition::Unusable(unusable),
            Some(_) => Condition::Fresh,
        }
    }

    /// When a fresh sensor times out.
    pub fn expiry(&self, now: Instant, sensor: &Sensor) -> Option<Instant> {
        let is_fresh = self.condition(now, sensor) == Condition::Fresh;
        self.last.filter(|_| is_fresh).map(|last| last.time.expiry(sensor.timeout))
    }

    /// Merges the nearest distance of each bin into `squares` \[m²\].
    pub fn merge(&self, squares: &mut [f64]) {
        for (nearest, &square) in squares.iter_mut().zip(self.view.squares()) {
            *nearest = nearest.min(square);
        }
    }

    /// Blocks every bearing of the sector.
    pub fn block(&self, squares: &mut [f64]) {
        for (nearest, _) in squares.iter_mut().zip(self.view.sector()).filter(|(_, is_in)| **is_in) {
            *nearest = 0.0;
        }
    }
}
