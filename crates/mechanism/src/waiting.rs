//! Controllers whose commands move nothing yet.

use core::time::Duration;

use safety::Instant;

use crate::controllers::ControllerId;

/// A controller is warned of again after this time.
const PAUSE: Duration = Duration::from_secs(10);

/// The inputs whose commands wait, each of a controller, and when that was reported.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting(Vec<Entry>);

/// For what commands wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// A zero before motion.
    Zero,
    /// Rest, after a halt of the motors or several publishers.
    Rest,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    wait: Wait,
    controller: ControllerId,
    input: &'static str,
    waits: bool,
    reported: Instant,
}

impl Waiting {
    /// The commands on the input `input` of `controller` wait, or not any more. Returns whether that is to be reported.
    pub(crate) fn set(
        &mut self,
        now: Instant,
        wait: Wait,
        controller: ControllerId,
        input: &'static str,
        waits: bool,
    ) -> bool {
        let is_known =
            |entry: &&mut Entry| (entry.wait, entry.controller, entry.input) == (wait, controller, input);
        match self.0.iter_mut().find(is_known) {
            Some(known) => {
                known.waits = waits;
                let is_due = waits && now.since(known.reported) >= PAUSE;
                if is_due {
                    known.reported = now;
                }
                is_due
            }
            None => {
                self.0.extend(waits.then_some(Entry { wait, controller, input, waits, reported: now }));
                waits
            }
        }
    }

    /// Forgets the controllers that are not loaded any more.
    pub(crate) fn retain(&mut self, is_loaded: impl Fn(ControllerId) -> bool) {
        self.0.retain(|entry| is_loaded(entry.controller));
    }

    /// The controllers that wait for this, each with its input.
    pub(crate) fn list(&self, wait: Wait) -> impl Iterator<Item = (ControllerId, &'static str)> {
        self.0
            .iter()
            .filter(move |entry| entry.waits && entry.wait == wait)
            .map(|entry| (entry.controller, entry.input))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_said_once_in_ten_seconds() {
        let mut waiting = Waiting::default();
        let mut set = |seconds: u64, waits| {
            let reported = waiting.set(Instant::from_millis(1000 * seconds), Wait::Zero, 7, "cmd_vel", waits);
            (reported, waiting.list(Wait::Zero).count())
        };
        assert_eq!(set(1, false), (false, 0));
        assert_eq!(set(2, true), (true, 1));
        assert_eq!(set(3, false), (false, 0));
        assert_eq!(set(11, true), (false, 1));
        assert_eq!(set(12, true), (true, 1));
        assert_eq!(waiting.list(Wait::Zero).collect::<Vec<_>>(), [(7, "cmd_vel")]);
        waiting.retain(|controller| controller != 7);
        assert_eq!(waiting.list(Wait::Zero).count(), 0, "the next one of its name has another id");
    }
}
