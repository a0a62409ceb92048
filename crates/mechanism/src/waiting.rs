//! Controllers whose commands of motion wait for a zero.

use core::time::Duration;

use units::Instant;

/// A controller is warned of again after this time.
const PAUSE: Duration = Duration::from_secs(10);

/// The controllers whose commands wait for a zero, and when that was said.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting(Vec<Entry>);

#[derive(Clone, Debug)]
struct Entry {
    controller: String,
    /// Its topic.
    topic: String,
    waits: bool,
    said: Instant,
}

impl Waiting {
    /// The commands on the input `input` of `controller` wait, or not any more. Returns what is to be said of it.
    pub(crate) fn set(&mut self, now: Instant, controller: &str, input: &str, waits: bool) -> Option<String> {
        let topic = format!("{controller}/{input}");
        let known = self.0.iter_mut().find(|entry| entry.topic == topic);
        if let Some(known) = known {
            known.waits = waits;
            if !waits || now.since(known.said) < PAUSE {
                return None;
            }
            known.said = now;
        } else if waits {
            self.0.push(Entry { controller: controller.to_owned(), topic: topic.clone(), waits, said: now });
        } else {
            return None;
        }
        Some(format!("controller '{controller}' waits for a zero on '{topic}' before it moves"))
    }

    /// The controllers that wait, each with its topic.
    pub(crate) fn list(&self) -> impl Iterator<Item = (&str, &str)> {
        let waiting = self.0.iter().filter(|entry| entry.waits);
        waiting.map(|entry| (entry.controller.as_str(), entry.topic.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_said_once_in_ten_seconds() {
        let mut waiting = Waiting::default();
        let mut set = |seconds: u64, waits| {
            let said = waiting.set(Instant::from_millis(1000 * seconds), "base", "cmd_vel", waits).is_some();
            (said, waiting.list().count())
        };
        assert_eq!(set(1, false), (false, 0));
        assert_eq!(set(2, true), (true, 1));
        assert_eq!(set(3, false), (false, 0));
        assert_eq!(set(11, true), (false, 1));
        assert_eq!(set(12, true), (true, 1));
        assert_eq!(waiting.list().collect::<Vec<_>>(), [("base", "base/cmd_vel")]);
    }
}
