//! A simulated user, device and clock.

use gamepad::Hat;

use super::*;

pub const PATIENCE: Duration = Duration::from_secs(30);

/// Moves a device like a hand: in steps of 10 ms, with noise.
pub struct Hand {
    pub mapper: Mapper,
    pub now: Duration,
    pub printed: Vec<String>,
    pub end: Option<Output>,
    pub rest: Vec<i16>,
    pub noise: i16,
}

impl Hand {
    /// A pad whose axes rest at `rest`, with a hat behind them and eleven buttons.
    pub fn on(rest: &[i16]) -> Self {
        Self::with(rest, 11, false)
    }

    pub fn with(rest: &[i16], buttons: usize, keep_lines: bool) -> Self {
        let stick = Stick::new(rest, &[Hat::default()]);
        let mapper = Mapper::new(stick, buttons, Duration::ZERO, PATIENCE, keep_lines);
        let (now, rest) = (Duration::ZERO, rest.to_vec());
        let mut hand = Self { mapper, now, printed: Vec::new(), end: None, rest, noise: 50 };
        hand.drain_outputs();
        hand
    }

    pub fn drain_outputs(&mut self) {
        while let Some(output) = self.mapper.poll() {
            match output {
                Output::Print(text) => self.printed.push(text),
                end => self.end = Some(end),
            }
        }
    }

    pub fn feed(&mut self, input: Input) {
        self.mapper.handle(self.now, input);
        self.drain_outputs();
    }

    pub fn wait(&mut self, milliseconds: u64) {
        for _ in 0..milliseconds / 10 {
            self.now += Duration::from_millis(10);
            self.mapper.tick(self.now);
            self.drain_outputs();
        }
    }

    /// Stays at rest for two and a half seconds, with noise.
    pub fn rest(&mut self) {
        for step in 0..250 {
            let noise = if step % 2 == 0 { self.noise } else { -self.noise };
            for axis in 0..self.rest.len() {
                let value = self.rest[axis].saturating_add(noise);
                self.feed(Input::Axis(axis, value));
            }
            self.wait(10);
        }
    }

    /// Pushes an axis to a value in ten steps, moves its neighbour by a tenth, and releases it.
    pub fn push(&mut self, axis: usize, to: i16) {
        let rest = self.rest[axis];
        for step in 1..=10 {
            let part = |of: i32| i16::try_from(i32::from(rest) + of * step / 10).unwrap();
            self.feed(Input::Axis(axis, part(i32::from(to) - i32::from(rest))));
            let neighbour = axis ^ 1; // the other axis of the same stick
            if self.rest.get(neighbour) == Some(&0) {
                self.feed(Input::Axis(neighbour, i16::try_from(300 * step).unwrap()));
            }
            self.wait(10);
        }
        self.wait(200);
        // Springs overshoot.
        for value in [rest.saturating_sub(to / 20), rest.saturating_add(to / 50), rest] {
            self.feed(Input::Axis(axis, value));
            self.wait(10);
        }
        let neighbour = axis ^ 1; // the other axis of the same stick
        if self.rest.get(neighbour) == Some(&0) {
            self.feed(Input::Axis(neighbour, 0));
        }
        self.wait(600);
    }

    pub fn both_ends(&mut self, axis: usize, first: i16) {
        self.push(axis, first);
        self.push(axis, first.saturating_neg());
    }

    pub fn press(&mut self, button: usize) {
        self.feed(Input::Button(button, true));
        self.wait(100);
        self.feed(Input::Button(button, false));
        self.wait(100);
    }

    pub fn last(&self) -> &str {
        self.printed.last().map_or("", String::as_str)
    }

    pub fn mapping(&self) -> &Mapping {
        match &self.end {
            Some(Output::Done(mapping)) => mapping,
            other => panic!("{other:?}, printed {:#?}", self.printed),
        }
    }

    pub fn failure(&self) -> &str {
        match &self.end {
            Some(Output::Failed(why)) => why,
            other => panic!("{other:?}, printed {:#?}", self.printed),
        }
    }
}
