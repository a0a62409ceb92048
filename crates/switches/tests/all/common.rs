//! A relay of one switch, with what it publishes.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::time::Duration;

use safety::{Instant, Machine, PublisherCount, PublisherId};
use switches::{
    Durability, Input, Invalid, Output, Params, Reliability, Silence, Source, Switch, SwitchRelay,
};

pub const TIMEOUT: Duration = Duration::from_millis(500);

pub fn at(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

pub fn id(number: u8) -> PublisherId {
    PublisherId([number; 24])
}

/// A switch that must repeat within `timeout`.
pub fn switch(timeout: Option<Duration>) -> Switch {
    Switch {
        name: "door".into(),
        from: "/door".into(),
        source: Source::Bool,
        reliability: Reliability::Reliable,
        durability: Durability::Volatile,
        to: "/lock".into(),
        invert: false,
        timeout,
    }
}

pub fn latched() -> Switch {
    Switch { durability: Durability::TransientLocal, ..switch(None) }
}

pub struct Bench {
    pub relay: SwitchRelay,
    now: u64,
    /// Published states, each with its time.
    pub published: Vec<(u64, bool)>,
}

impl Bench {
    /// A relay of `switch`, whose source has no publisher.
    pub fn new(switch: Switch) -> Self {
        let params = Params { switches: vec![switch], period: Duration::from_millis(50) };
        Self { relay: SwitchRelay::new(params), now: 0, published: Vec::new() }
    }

    fn drain(&mut self, now: u64) {
        while let Some(output) = self.relay.poll(at(now)) {
            let Output::Publish { switch, on, .. } = output;
            assert_eq!(switch, 0);
            assert!(output.is_current(at(now)));
            self.published.push((now, on));
        }
    }

    /// Lets time pass to `now` \[ms], with a count of the same publishers every 0.1 s.
    pub fn pass(&mut self, now: u64, found: &[u8]) {
        while self.now < now {
            self.now += 1;
            if self.now.is_multiple_of(100) {
                self.count(found);
            }
            self.poll();
        }
    }

    pub fn poll(&mut self) {
        if self.relay.deadline().is_some_and(|due| due <= at(self.now)) {
            self.drain(self.now);
        }
    }

    /// Lets time pass to `now` without a call.
    pub fn hold(&mut self, now: u64) {
        self.now = now;
    }

    pub fn input(&mut self, input: Input) {
        self.relay.handle(at(self.now), input);
        self.drain(self.now);
    }

    pub fn count(&mut self, found: &[u8]) {
        let publisher = if let [one] = found { Some(id(*one)) } else { None };
        let publishers = PublisherCount::of(found.len());
        self.input(Input::PublishersCounted { switch: 0, publishers, publisher });
    }

    pub fn receive(&mut self, on: bool) {
        self.input(Input::StateReceived { switch: 0, state: Ok(on) });
    }

    pub fn receive_invalid(&mut self, reason: Invalid) {
        self.input(Input::StateReceived { switch: 0, state: Err(reason) });
    }

    /// The state, which is also what a call at this time publishes.
    pub fn state(&mut self) -> Result<bool, Silence> {
        self.drain(self.now);
        self.relay.state(0)
    }

    /// The states that were published since the last call of this.
    pub fn take(&mut self) -> Vec<(u64, bool)> {
        std::mem::take(&mut self.published)
    }
}
