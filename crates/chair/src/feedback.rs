use core::time::Duration;

use units::{Clock, Freshness, Instant, MessageTime, Stamp};

use crate::{Mode, Source};

/// A topic on which the chair shows a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// `luci/joystick_position`: the occupant's stick. LUCI does not state whether it carries the mode's source or the stick's
    /// own, nor whether it is streamed or sent on change.
    Position,
    /// `luci/joystick_scaling`: what was last sent to the wheels, and the source in force.
    Scaling,
}

/// What the chair shows of the source in force, and how regularly, on both topics.
///
/// * Either topic confirms the mode: our source on it, regularly and lately. The chair ignores sticks of another source than
///   the one in force, so that who believes it too long drives nothing; but see the next.
/// * What contradicts ends the mode at once, and what either topic showed before confirms nothing any more: another source on `joystick_scaling`, on `joystick_position` in the auto mode, in
///   which it should be silent, and in the shared mode if it has shown ours since the activation. If it never has it carries
///   the stick's own source, which says nothing of the mode.
#[derive(Clone, Debug, Default)]
pub(crate) struct Feedback {
    position: Shown,
    scaling: Shown,
}

/// What one topic shows.
#[derive(Clone, Debug, Default)]
struct Shown {
    last: Option<(Source, MessageTime)>,
    /// Whether it has shown ours since the activation.
    was_ours: bool,
    /// When the last messages with the wanted source came, without another one or silence between them; a ring.
    arrivals: [Instant; WINDOW],
    /// How many came so.
    count: usize,
}

/// What follows from that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// Nothing that shows the mode was heard for too long, or ever.
    Silent,
    /// Another source is in force.
    Wrong(Source),
    /// The wanted source, but too few messages yet.
    Scarce,
    /// The wanted source.
    Right,
}

/// Over so many messages a rate is taken.
const WINDOW: usize = 10;
/// So many messages with the wanted source are needed.
const ENOUGH: usize = 5;

impl Feedback {
    /// `source` was shown on `topic`; whether that is evidence.
    /// * `timeout`: after which the chair counts as silent
    pub fn hear(
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
        // The messages have no stamp: after a pause of the process they are as old as they may be.
        let said = match Freshness::default().judge(clock, Stamp::ZERO, timeout) {
            Ok(said) => said,
            Err(_) if is_ours => return false,
            Err(_) => MessageTime::new(clock.now(), Duration::ZERO),
        };
        if !is_ours && self.contradicts(topic, mode) {
            (self.position.count, self.scaling.count) = (0, 0);
        }
        let shown = match topic {
            Topic::Position => &mut self.position,
            Topic::Scaling => &mut self.scaling,
        };
        if !is_ours || shown.is_silent(clock.now(), timeout) {
            shown.count = 0;
        }
        shown.last = Some((source, said));
        shown.was_ours |= is_ours;
        if is_ours {
            if let Some(slot) = shown.arrivals.get_mut(shown.count % WINDOW) {
                *slot = clock.now();
            }
            shown.count = shown.count.saturating_add(1);
        }
        is_ours || self.contradicts(topic, mode)
    }

    /// What was shown so far says nothing any more: the mode is asked for.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// What can be said at `now`.
    pub fn evidence(&self, now: Instant, mode: Mode, timeout: Duration) -> Evidence {
        let fresh = |topic| Some(self.shown(topic)).filter(|shown| !shown.is_silent(now, timeout));
        for topic in [Topic::Scaling, Topic::Position] {
            if let Some((source, _)) = fresh(topic).and_then(|shown| shown.last)
                && source != mode.source()
                && self.contradicts(topic, mode)
            {
                return Evidence::Wrong(source);
            }
        }
        let ours = |topic| fresh(topic).map_or(0, |shown| shown.count);
        match ours(Topic::Scaling).max(ours(Topic::Position)) {
            0 => Evidence::Silent,
            count if count < ENOUGH => Evidence::Scarce,
            _ => Evidence::Right,
        }
    }

    /// The source shown last on `topic`.
    pub fn source(&self, topic: Topic) -> Option<Source> {
        self.shown(topic).last.map(|(source, _)| source)
    }

    /// The source in force as far as it was shown after `instant`: the last that is evidence.
    pub fn since(&self, now: Instant, instant: Instant, mode: Mode) -> Option<Source> {
        let topics = [Topic::Position, Topic::Scaling].into_iter();
        let newest = topics
            .filter_map(|topic| Some((topic, self.shown(topic).last?)))
            .filter(|&(topic, (source, _))| source == mode.source() || self.contradicts(topic, mode))
            .filter(|(_, (_, said))| said.age(now) < now.since(instant))
            .min_by_key(|(_, (_, said))| said.age(now));
        newest.map(|(_, (source, _))| source)
    }

    /// When a topic that shows something now counts as silent if it says nothing more.
    pub fn silent_at(&self, now: Instant, timeout: Duration) -> Option<Instant> {
        let at = |shown: &Shown| shown.last.map(|(_, said)| said.expiry(timeout)).filter(|&at| at > now);
        units::earliest(at(&self.position), at(&self.scaling))
    }

    /// How fast the wanted source is shown \[Hz\], on the faster topic; `None` before there are enough messages.
    pub fn rate(&self) -> Option<f64> {
        let rates = [self.position.rate(), self.scaling.rate()];
        rates.into_iter().flatten().reduce(f64::max)
    }

    fn shown(&self, topic: Topic) -> &Shown {
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

impl Shown {
    fn is_silent(&self, now: Instant, timeout: Duration) -> bool {
        self.last.is_none_or(|(_, said)| said.is_expired(now, timeout))
    }

    fn rate(&self) -> Option<f64> {
        let known = self.count.min(WINDOW);
        let newest = self.arrivals.get(self.count.checked_sub(1)? % WINDOW)?;
        let oldest = self.arrivals.get((self.count - known) % WINDOW)?;
        let seconds = newest.since(*oldest).as_secs_f64();
        (known >= ENOUGH).then(|| (known - 1) as f64 / seconds)
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

    fn hear(feedback: &mut Feedback, ms: u64, topic: Topic, source: Source) -> Evidence {
        feedback.hear(&clock(ms), topic, source, Mode::Shared, TIMEOUT);
        feedback.evidence(Instant::from_millis(ms), Mode::Shared, TIMEOUT)
    }

    /// The evidence right after each of the messages on one topic, `gap` \[ms\] apart.
    fn after(gap: u64, topic: Topic, sources: &[Source]) -> Vec<Evidence> {
        let mut feedback = Feedback::default();
        (0..)
            .zip(sources)
            .map(|(index, &source)| hear(&mut feedback, 1000 + index * gap, topic, source))
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
            hear(&mut feedback, ms, Topic::Position, OURS);
            assert_eq!(hear(&mut feedback, ms, Topic::Scaling, OURS), Evidence::Scarce);
        }
    }

    #[test]
    fn one_wrong_source_takes_all_back() {
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
    fn a_position_with_the_sticks_own_source_says_nothing_in_the_shared_mode() {
        let mut feedback = Feedback::default();
        for ms in [0, 50, 100, 150, 200] {
            hear(&mut feedback, ms, Topic::Scaling, OURS);
            hear(&mut feedback, ms, Topic::Position, Source::ChairPhysical);
        }
        let at = Instant::from_millis(200);
        assert_eq!(feedback.evidence(at, Mode::Shared, TIMEOUT), Evidence::Right);
        let wrong = hear(&mut feedback, 250, Topic::Scaling, Source::ChairPhysical);
        assert_eq!(wrong, Evidence::Wrong(Source::ChairPhysical), "the scaling tells");
        assert_eq!(after(50, Topic::Position, &[Source::ChairPhysical; 9])[8], Evidence::Silent);
        // In the auto mode it should be silent.
        feedback.forget();
        feedback.hear(&clock(300), Topic::Position, Source::ChairPhysical, Mode::Auto, TIMEOUT);
        let evidence = feedback.evidence(Instant::from_millis(300), Mode::Auto, TIMEOUT);
        assert_eq!(evidence, Evidence::Wrong(Source::ChairPhysical));
    }

    #[test]
    fn one_of_ten_a_second_may_be_missing() {
        let mut feedback = Feedback::default();
        for ms in [0, 100, 200, 300, 400, 500, 700] {
            hear(&mut feedback, ms, Topic::Scaling, OURS);
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
            hear(&mut feedback, now, Topic::Position, OURS);
        }
        // Nine gaps of 200 ms.
        assert!((feedback.rate().unwrap() - 5.0).abs() < 1e-9);
    }

    #[test]
    fn silence_starts_anew() {
        let mut feedback = Feedback::default();
        let at = |feedback: &Feedback, ms| feedback.evidence(Instant::from_millis(ms), Mode::Shared, TIMEOUT);
        assert_eq!(at(&feedback, 0), Evidence::Silent, "nothing was ever heard");
        for ms in [0, 50, 100, 150, 200] {
            hear(&mut feedback, ms, Topic::Position, OURS);
        }
        assert_eq!((at(&feedback, 499), at(&feedback, 500)), (Evidence::Right, Evidence::Silent));
        assert_eq!(hear(&mut feedback, 600, Topic::Position, OURS), Evidence::Scarce);
    }

    #[test]
    fn what_can_have_waited_unread_confirms_nothing() {
        let mut feedback = Feedback::default();
        let mut clock = clock(100);
        clock.pass_to(Instant::from_millis(10_000), Some(Instant::from_millis(150)));
        for _ in 0..10 {
            feedback.hear(&clock, Topic::Scaling, OURS, Mode::Shared, TIMEOUT);
        }
        assert_eq!(feedback.evidence(clock.now(), Mode::Shared, TIMEOUT), Evidence::Silent);
    }
}
