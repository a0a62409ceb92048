use core::time::Duration;

use safety::Instant;

/// The source of an operator's input: a script, or the user's keys with the state `K`.
#[derive(Clone, Copy, Debug)]
pub enum Pilot<K> {
    /// None yet: the nodes are starting.
    Starting,
    /// None yet: the nodes run since this time, and a key may be pressed.
    Waiting(Instant),
    /// The script.
    Script(Place),
    /// The user.
    Keyboard(K),
    /// None any more: the script ended at this time.
    Finished(Instant),
}

/// The place in a script.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// When the script began.
    pub began: Instant,
    /// The index of the step.
    pub index: usize,
    /// When the step ends, unless a call is not answered then.
    pub ends: Instant,
}

/// How long to wait for a first key.
const KEY_WAIT: Duration = Duration::from_secs(5);

/// Next action of an operator with a script.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Turn {
    /// Begin the script.
    Begin,
    /// End this step of the script, and enter the next one.
    Next(Place),
    /// Nothing new.
    Stay,
}

impl<K> Pilot<K> {
    /// Next action at `now`. `is_ready`: all nodes publish; `is_headless`: the script waits for no key; `is_idle`: no call of the
    /// present step waits for its answer.
    pub fn turn(&mut self, now: Instant, is_ready: bool, is_headless: bool, is_idle: bool) -> Turn {
        match *self {
            Self::Starting if is_ready && is_headless => Turn::Begin,
            Self::Starting if is_ready => {
                *self = Self::Waiting(now);
                Turn::Stay
            }
            Self::Waiting(since) if now >= since + KEY_WAIT => Turn::Begin,
            Self::Script(place) if now >= place.ends && is_idle => Turn::Next(place),
            _ => Turn::Stay,
        }
    }

    /// When [`Self::turn`] is due if nothing happens.
    pub fn deadline(&self, is_idle: bool) -> Option<Instant> {
        match self {
            Self::Waiting(since) => Some(*since + KEY_WAIT),
            Self::Script(place) if is_idle => Some(place.ends),
            _ => None,
        }
    }

    /// The line for a user while nothing is done; `missing`: the topics without a message, `advice`: what the user can do, at first
    /// `first`.
    pub fn line(&self, missing: &[&str], now: Instant, first: &str, advice: &str) -> String {
        match *self {
            Self::Starting => format!("the nodes are starting, no message yet on: {}", missing.join(", ")),
            Self::Waiting(since) => {
                let left = KEY_WAIT.saturating_sub(now.since(since)).as_secs_f64().ceil();
                format!("press a key to {first}; otherwise the script begins in {left:.0} s")
            }
            Self::Script(_) | Self::Keyboard(_) => advice.into(),
            Self::Finished(_) => "the script is over".into(),
        }
    }
}

/// The topics of which none was received.
pub fn missing(topics: &[(bool, &'static str)]) -> Vec<&'static str> {
    topics.iter().filter(|(is_received, _)| !is_received).map(|(_, topic)| *topic).collect()
}
