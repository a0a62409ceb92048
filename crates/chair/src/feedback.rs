use units::Instant;

use crate::{RemoteParams, Source};

/// What the chair shows of the source in force, and how regularly.
#[derive(Clone, Debug, Default)]
pub(crate) struct Feedback {
    /// The last message that is evidence, and when it came.
    last: Option<(Source, Instant)>,
    /// When the last messages with the wanted source came, without another one or silence between them; a ring.
    arrivals: [Instant; WINDOW],
    /// How many came so.
    count: usize,
}

/// What follows from that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// Nothing was heard for too long, or ever.
    Silent,
    /// Another source is in force.
    Wrong(Source),
    /// The wanted source, but too few messages yet.
    Scarce,
    /// The wanted source, but the messages come too slowly.
    Slow,
    /// The wanted source.
    Right,
}

/// Over so many messages a rate is taken.
const WINDOW: usize = 10;
/// So many messages with the wanted source are needed.
const ENOUGH: usize = 5;
/// A rate may be lower by this, for what a network does to 10 Hz.
const TOLERANCE: f64 = 1.1;

impl Feedback {
    /// `source` was shown at `now`, where `wanted` is what this node drives as.
    pub fn hear(&mut self, now: Instant, source: Source, wanted: Source, params: &RemoteParams) {
        if source != wanted || self.is_silent(now, params) {
            self.count = 0;
        }
        self.last = Some((source, now));
        if source == wanted {
            if let Some(slot) = self.arrivals.get_mut(self.count % WINDOW) {
                *slot = now;
            }
            self.count = self.count.saturating_add(1);
        }
    }

    /// What can be said at `now`.
    pub fn evidence(&self, now: Instant, wanted: Source, params: &RemoteParams) -> Evidence {
        match self.last {
            _ if self.is_silent(now, params) => Evidence::Silent,
            Some((source, _)) if source != wanted => Evidence::Wrong(source),
            _ if self.count < ENOUGH => Evidence::Scarce,
            _ if self.is_slow(params) => Evidence::Slow,
            _ => Evidence::Right,
        }
    }

    /// The source shown last.
    pub fn source(&self) -> Option<Source> {
        self.last.map(|(source, _)| source)
    }

    /// The source shown last, if that was after `instant`.
    pub fn since(&self, instant: Instant) -> Option<Source> {
        self.last.filter(|&(_, at)| at > instant).map(|(source, _)| source)
    }

    /// When the chair counts as silent if it says nothing more.
    pub fn silent_at(&self, params: &RemoteParams) -> Option<Instant> {
        self.last.map(|(_, at)| at + params.feedback_timeout)
    }

    /// How fast the wanted source is shown \[Hz\]; `None` before there are enough messages.
    pub fn rate(&self) -> Option<f64> {
        let known = self.count.min(WINDOW);
        let newest = self.arrivals.get(self.count.checked_sub(1)? % WINDOW)?;
        let oldest = self.arrivals.get((self.count - known) % WINDOW)?;
        let seconds = newest.since(*oldest).as_secs_f64();
        (known >= ENOUGH).then(|| (known - 1) as f64 / seconds)
    }

    fn is_silent(&self, now: Instant, params: &RemoteParams) -> bool {
        self.silent_at(params).is_none_or(|at| now >= at)
    }

    fn is_slow(&self, params: &RemoteParams) -> bool {
        // Many messages at one instant have an infinite rate, which is not slow.
        self.rate().is_some_and(|rate| rate * TOLERANCE < params.feedback_rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Params;

    const OURS: Source = Source::SharedRemote;

    /// The evidence right after each of the messages, `gap` \[ms\] apart.
    fn after(gap: u64, sources: &[Source]) -> Vec<Evidence> {
        let params = Params::default().remote;
        let mut feedback = Feedback::default();
        let hear = |(index, &source): (u64, &Source)| {
            let now = Instant::from_millis(1000 + index * gap);
            feedback.hear(now, source, OURS, &params);
            feedback.evidence(now, OURS, &params)
        };
        (0..).zip(sources).map(hear).collect()
    }

    #[test]
    fn five_messages_in_a_row_confirm() {
        let mut expected = vec![Evidence::Scarce; 4];
        expected.push(Evidence::Right);
        assert_eq!(after(50, &[OURS; 5]), expected);
    }

    #[test]
    fn one_wrong_source_takes_all_back() {
        let mut sources = [OURS; 10];
        sources[5] = Source::ChairPhysical;
        let got = after(50, &sources);
        assert_eq!(got[4..=6], [Evidence::Right, Evidence::Wrong(Source::ChairPhysical), Evidence::Scarce]);
        assert_eq!(got[9], Evidence::Scarce, "only four since");
    }

    #[test]
    fn a_rate_more_than_a_tenth_below_ten_hertz_is_slow() {
        // 1 / 0.110 s = 9.09 Hz, with the tenth 10.0 Hz; 1 / 0.112 s = 8.93 Hz, with the tenth 9.8 Hz.
        assert_eq!(after(109, &[OURS; 12])[11], Evidence::Right);
        assert_eq!(after(112, &[OURS; 12])[11], Evidence::Slow);
        assert_eq!(after(0, &[OURS; 12])[11], Evidence::Right);
    }

    #[test]
    fn the_rate_is_that_of_the_last_ten() {
        let params = Params::default().remote;
        let mut feedback = Feedback::default();
        let mut now = 0;
        for index in 0..30 {
            now += if index < 15 { 10 } else { 200 };
            feedback.hear(Instant::from_millis(now), OURS, OURS, &params);
        }
        // Nine gaps of 200 ms.
        assert!((feedback.rate().unwrap() - 5.0).abs() < 1e-9);
    }

    #[test]
    fn silence_starts_anew() {
        let params = Params::default().remote;
        let mut feedback = Feedback::default();
        let silent = |feedback: &Feedback, ms| {
            feedback.evidence(Instant::from_millis(ms), OURS, &params) == Evidence::Silent
        };
        assert!(silent(&feedback, 0), "nothing was ever heard");
        for ms in [0, 50, 100, 150, 200] {
            feedback.hear(Instant::from_millis(ms), OURS, OURS, &params);
        }
        assert!(!silent(&feedback, 499) && silent(&feedback, 500), "0.3 s after the last");
        feedback.hear(Instant::from_millis(600), OURS, OURS, &params);
        assert_eq!(feedback.evidence(Instant::from_millis(600), OURS, &params), Evidence::Scarce);
    }
}
