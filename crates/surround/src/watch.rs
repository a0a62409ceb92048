use core::time::Duration;

use units::{Clock, Freshness, Instant, MessageTime, PublisherCount, Stale, Stamp};

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
    /// It has so many publishers, and nobody knows whose word counts: its sector is blocked. [`usize::MAX`]: the graph cannot tell.
    Rivals(usize),
    /// Its last message was no measurement: its sector is blocked.
    Unusable(Unusable),
}

/// One sensor and what was last heard of it.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub view: View,
    freshness: Freshness,
    last: Option<Message>,
    publishers: PublisherCount,
    /// The frame of the last message in a wrong one, cut to [`FRAME`] bytes.
    wrong_frame: String,
}

#[derive(Clone, Copy, Debug)]
struct Message {
    said: MessageTime,
    stamp: Stamp,
    unusable: Option<Unusable>,
}

/// Of a wrong frame so much is kept, so that nothing is allocated for it.
const FRAME: usize = 100;

impl Watch {
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

    /// The same sensor seen anew: nothing was measured yet. Who publishes it is no measurement, and stays known.
    pub fn anew(&self, view: View) -> Self {
        Self { publishers: self.publishers, ..Self::new(view) }
    }

    /// When a message with this stamp counts as said, or why it is no measurement; `None` if it is no news and changes
    /// nothing: it is late, or the same again, so that a relay which repeats a dead sensor's last message does not keep it
    /// alive.
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
            Ok(said) => Some(Ok(said)),
            Err(Stale::Late | Stale::Repeated { .. }) => None,
            Err(Stale::Old { age }) => {
                let (age, timeout) = (age.as_secs_f64(), timeout.as_secs_f64());
                Some(Err(Unusable::Old { age, timeout }))
            }
            Err(Stale::Ahead { by }) => Some(Err(Unusable::Ahead { by: by.as_secs_f64() })),
        }
    }

    /// So many publish it. What was received while there were several is forgotten: the one that is left has to measure anew.
    pub fn note_publishers(&mut self, publishers: usize) {
        if self.publishers.set(publishers) {
            self.last = None;
        }
    }

    /// Takes note of a message that the view was filled from.
    pub fn receive(&mut self, said: MessageTime, stamp: Stamp, unusable: Option<Unusable>) {
        self.last = Some(Message { said, stamp, unusable });
    }

    /// Takes note of the frame of a message that is in a wrong one.
    pub fn note_frame(&mut self, frame: &str) {
        self.wrong_frame.clear();
        let end = (0..=FRAME.min(frame.len())).rev().find(|&end| frame.is_char_boundary(end)).unwrap_or(0);
        self.wrong_frame.push_str(frame.get(..end).unwrap_or_default());
    }

    /// The frame of the last message in a wrong one.
    pub fn wrong_frame(&self) -> &str {
        &self.wrong_frame
    }

    pub fn condition(&self, now: Instant, sensor: &Sensor) -> Condition {
        match self.last {
            _ if self.publishers.are_several() => Condition::Rivals(self.publishers.get()),
            None => Condition::NeverHeard,
            Some(last) if last.said.is_expired(now, sensor.timeout) => Condition::TimedOut,
            Some(Message { unusable: Some(unusable), .. }) => Condition::Unusable(unusable),
            Some(_) => Condition::Fresh,
        }
    }

    /// When a fresh sensor times out.
    pub fn expiry(&self, now: Instant, sensor: &Sensor) -> Option<Instant> {
        let is_fresh = self.condition(now, sensor) == Condition::Fresh;
        self.last.filter(|_| is_fresh).map(|last| last.said.expiry(sensor.timeout))
    }

    /// Puts what is nearest in each bin into `squares` \[m²\].
    pub fn merge(&self, squares: &mut [f64]) {
        for (nearest, &square) in squares.iter_mut().zip(self.view.squares()) {
            *nearest = nearest.min(square);
        }
    }

    /// Lets something touch on every bearing of the sector.
    pub fn block(&self, squares: &mut [f64]) {
        for (nearest, _) in squares.iter_mut().zip(self.view.sector()).filter(|(_, is_in)| **is_in) {
            *nearest = 0.0;
        }
    }
}
