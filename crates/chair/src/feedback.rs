use core::time::Duration;

use safety::{Clock, Freshness, Instant, MessageTime, Stamp};

use crate::{Mode, Source};

/// A topic on which the chair reports a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// `luci/joystick_position`: the occupant's stick. LUCI does not document whether it carries the mode's source or
    /// the stick's own, nor whether it is streamed or sent on change.
    Position,
    /// `luci/joystick_scaling`: the last command to the wheels, and the source in force.
    Scaling,
}

/// Monitors the source in force as the chair reports it on both topics, and its rate.
///
/// * Either topic confirms the mode: our source on it, regularly and recently. The chair ignores sticks from a source
///   other than the one in force, so an outdated confirmation drives nothing; but see the next point.
/// * A contradiction ends the mode at once and cancels earlier confirmations on both topics: another source on
///   `joystick_scaling`; another source on `joystick_position` in the auto mode, in which it should be silent; and in
///   the shared mode, if that topic has reported ours since the activation. If it never has, it carries the stick's
///   own source, which is no information about the mode.
#[derive(Clone, Debug, Default)]
pub(crate) struct Feedback {
    position: TopicState,
    scaling: TopicState,
}

/// The state of one topic.
#[derive(Clone, Debug, Default)]
struct TopicState {
    last: Option<(Source, MessageTime)>,
    /// Whether it has reported our source since the activation.
    was_ours: bool,
    /// Times of the last messages with the wanted source, without another source or silence in between; a ring
    /// buffer.
    arrivals: [Instant; WINDOW],
    /// The number of these messages.
    count: usize,
}

/// The resulting evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// Nothing that reports the mode was received for too long, or ever.
    Silent,
    /// Another source is in force.
    Wrong(Source),
    /// The wanted source, but too few messages yet.
    Scarce,
    /// The wanted source.
    Right,
}

/// The number of messages over which the rate is computed.
const WINDOW: usize = 10;
/// The minimum number of messages with the wanted source.
const MIN_MESSAGES: usize = 5;

impl Feedback {
    /// Receives `source` on `topic` and returns whether it is evidence.
    /// * `timeout`: after this time the chair counts as silent
    pub fn receive(
        &mut self,
        clock: &Clock,
        topic: Topic,
        source: Source,
        mode: Mode,
        timeout: Duration,
    ) -> bool {
        let wanted = mode.source();
        let is_ours = source == wanted;
        if is_ours && topic == Topic::Position && mode == Mode::Auto {
            return false;
        }
        // The messages have no stamp: after a suspension of the process their maximum age is assumed.
        let time = match Freshness::default().judge(clock, Stamp::ZERO, timeout) {
            Ok(time) => time,
            Err(_) if is_ours => return false,
            Err(_) => MessageTime::new(clock.now(), Duration::ZERO),
        };
        if !is_ours && self.contradicts(topic, mode) {
            (self.position.count, self.scaling.count) = (0, 0);
        }
        let reported = match topic {
            Topic::Position => &mut self.position,
            Topic::Scaling => &mut self.scaling,
        };
        if !is_ours || reported.is_silent(clock.now(), timeout) {
            reported.count = 0;
        }
        reported.last = Some((source, time));
        reported.was_ours |= is_ours;
        if is_ours {
            if let Some(slot) = reported.arrivals.get_mut(reported.count % WINDOW) {
                *slot = clock.now();
            }
            reported.count = reported.count.saturating_add(1);
        }
        is_ours || self.contradicts(topic, mode)
    }

    /// Discards all reports: the mode is requested again.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// The evidence at `now`.
    pub fn evidence(&self, now: Instant, mode: Mode, timeout: Duration) -> Evidence {
        let fresh = |topic| Some(self.reported(topic)).filter(|reported| !reported.is_silent(now, timeout));
        for topic in [Topic::Scaling, Topic::Position] {
            if let Some((source, _)) = fresh(topic).and_then(|reported| reported.last)
                && source != mode.source()
                && self.contradicts(topic, mode)
            {
                return Evidence::Wrong(source);
            }
        }
        let ours = |topic| fresh(topic).map_or(0, |reported| reported.count);
        match ours(Topic::Scaling).max(ours(Topic::Position)) {
            0 => Evidence::Silent,
            count if count < MIN_MESSAGES => Evidence::Scarce,
            _ => Evidence::Right,
        }
    }

    /// The source last reported on `topic`.
    pub fn source(&self, topic: Topic) -> Option<Source> {
        self.reported(topic).last.map(|(source, _)| source)
    }

    /// The source in force according to reports after `instant`: the last one that is evidence.
    pub fn since(&self, now: Instant, instant: Instant, mode: Mode) -> Option<Source> {
        let topics = [Topic::Position, Topic::Scaling].into_iter();
        let newest = topics
            .filter_map(|topic| Some((topic, self.reported(topic).last?)))
            .filter(|&(topic, (source, _))| source == mode.source() || self.contradicts(topic, mode))
            .filter(|(_, (_, time))| time.age(now) < now.since(instant))
            .min_by_key(|(_, (_, time))| time.age(now));
        newest.map(|(_, (source, _))| source)
    }

    /// When a currently fresh topic counts as silent without further messages.
    pub fn silent_at(&self, now: Instant, timeout: Duration) -> Option<Instant> {
        let at = |reported: &TopicState| {
            reported.last.map(|(_, time)| time.expiry(timeout)).filter(|&at| at > now)
        };
        safety::earliest(at(&self.position), at(&self.scaling))
    }

    /// The rate of the wanted source \[Hz\] on the faster topic; `None` before there are enough messages.
    pub fn rate(&self) -> Option<f64> {
        let rates = [self.position.rate(), self.scaling.rate()];
        rates.into_iter().flatten().reduce(f64::max)
    }

    fn reported(&self, topic: Topic) -> &TopicState {
        match topic {
            Topic::Position => &self.position,
            Topic::Scaling => &self.scaling,
        }
    }

    /// Whether another source than ours on `topic` means that the mode is not in force.
    fn contradicts(&self, topic: Topic, mode: Mode) -> bool {
        topic == Topic::Scaling || mode == Mode::Auto || self.position.was_ours
    }
}

impl TopicState {
    fn is_silent(&self, now: Instant, timeout: Duration) -> bool {
        self.last.is_none_or(|(_, time)| time.is_expired(now, timeout))
    }

    fn rate(&self) -> Option<f64> {
        let known = self.count.min(WINDOW);
        let newest = self.arrivals.get(self.count.checked_sub(1)? % WINDOW)?;
        let oldest = self.arrivals.get((self.count - known) % WINDOW)?;
        let seconds = newest.since(*oldest).as_secs_f64();
        (known >= MIN_MESSAGES).then(|| (known - 1) as f64 / seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: Source = Source::SharedRemote;
    const TIMEOUT: Duration = Duration::from_millis(300);

    fn clock(ms: u64) -> Clock {
        let mut clock = Clock::default();
        clock.pass_to(Instant::from_millis(ms), None);
        clock
    }

    fn receive(feedback: &mut Feedback, ms: u64, topic: Topic, source: Source) -> Evidence {
        feedback.receive(&clock(ms), topic, source, Mode::Shared, TIMEOUT);
        feedback.evidence(Instant::from_millis(ms), Mode::Shared, TIMEOUT)
    }

    /// The evidence after each of the messages on one topic, `gap` \[ms\] apart.
    fn after(gap: u64, topic: Topic, sources: &[Source]) -> Vec<Evidence> {
        let mut feedback = Feedback::default();
        (0..)
            .zip(sources)
            .map(|(index, &source)| receive(&mut feedback, 1000 + index * gap, topic, source))
            .collect()
    }

    #[test]
    fn five_messages_in_a_row_on_either_topic_confirm() {
        let mut expected = vec![Evidence::Scarce; 4];
        expected.push(Evidence::Right);
        for topic in [Topic::Position, Topic::Scaling] {
            assert_eq!(after(50, topic, &[OURS; 5]), expected);
        }
    }

    #[test]
    fn messages_on_both_do_not_add_up() {
        let mut feedback = Feedback::default();
        for ms in [0, 50, 100, 150] {
            receive(&mut feedback, ms, Topic::Position, OURS);
            assert_eq!(receive(&mut feedback, ms, Topic::Scaling, OURS), Evidence::Scarce);
        }
    }

    #[test]
    fn one_wrong_source_cancels_all_confirmations() {
        let mut sources = [OURS; 10];
        sources[5] = Source::ChairPhysical;
        for topic in [Topic::Position, Topic::Scaling] {
            let got = after(50, topic, &sources);
            assert_eq!(
                got[4..=6],
                [Evidence::Right, Evidence::Wrong(Source::ChairPhysical), Evidence::Scarce]
            );
            assert_eq!(got[9], Evidence::Scarce, "only four since");
        }
    }

    #[test]
    fn a_position_with_the_sticks_own_source_is_ignored_in_the_shared_mode() {
        let mut feedback = Feedback::default();
        for ms in [0, 50, 100, 150, 200] {
            receive(&mut feedback, ms, Topic::Scaling, OURS);
            receive(&mut feedback, ms, Topic::Position, Source::ChairPhysical);
        }
        let at = Instant::from_millis(200);
        assert_eq!(feedback.evidence(at, Mode::Shared, TIMEOUT), Evidence::Right);
        let wrong = receive(&mut feedback, 250, Topic::Scaling, Source::ChairPhysical);
        assert_eq!(wrong, Evidence::Wrong(Source::ChairPhysical), "the scaling contradicts");
        assert_eq!(after(50, Topic::Position, &[Source::ChairPhysical; 9])[8], Evidence::Silent);
        // In the auto mode it should be silent.
        feedback.reset();
        feedback.receive(&clock(300), Topic::Position, Source::ChairPhysical, Mode::Auto, TIMEOUT);
        let evidence = feedback.evidence(Instant::from_millis(300), Mode::Auto, TIMEOUT);
        assert_eq!(evidence, Evidence::Wrong(Source::ChairPhysical));
    }

    #[test]
    fn one_of_ten_a_second_may_be_missing() {
        let mut feedback = Feedback::default();
        for ms in [0, 100, 200, 300, 400, 500, 700] {
            receive(&mut feedback, ms, Topic::Scaling, OURS);
        }
        assert_eq!(feedback.evidence(Instant::from_millis(999), Mode::Shared, TIMEOUT), Evidence::Right);
        assert_eq!(feedback.evidence(Instant::from_millis(1000), Mode::Shared, TIMEOUT), Evidence::Silent);
    }

    #[test]
    fn the_rate_is_that_of_the_last_ten() {
        let mut feedback = Feedback::default();
        let mut now = 0;
        for index in 0..30 {
            now += if index < 15 { 10 } else { 200 };
            receive(&mut feedback, now, Topic::Position, OURS);
        }
        // Nine gaps of 200 ms.
        assert!((feedback.rate().unwrap() - 5.0).abs() < 1e-9);
    }

    #[test]
    fn silence_starts_the_count_again() {
        let mut feedback = Feedback::default();
        let at = |feedback: &Feedback, ms| feedback.evidence(Instant::from_millis(ms), Mode::Shared, TIMEOUT);
        assert_eq!(at(&feedback, 0), Evidence::Silent, "nothing was ever received");
        for ms in [0, 50, 100, 150, 200] {
            receive(&mut feedback, ms, Topic::Position, OURS);
        }
        assert_eq!((at(&feedback, 499), at(&feedback, 500)), (Evidence::Right, Evidence::Silent));
        assert_eq!(receive(&mut feedback, 600, Topic::Position, OURS), Evidence::Scarce);
    }

    #[test]
    fn a_message_that_may_have_waited_unread_confirms_nothing() {
        let mut feedback = Feedback::default();
        let mut clock = clock(100);
        clock.pass_to(Instant::from_millis(10_000), Some(Instant::from_millis(150)));
        for _ in 0..10 {
            feedback.receive(&clock, Topic::Scaling, OURS, Mode::Shared, TIMEOUT);
        }
        assert_eq!(feedback.evidence(clock.now(), Mode::Shared, TIMEOUT), Evidence::Silent);
    }
}
