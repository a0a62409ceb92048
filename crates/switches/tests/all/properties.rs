//! Random messages, publishers, pauses and times, against what is known about the sources.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::time::Duration;

use proptest::prelude::*;
use safety::{Instant, Machine, PublisherCount};
use switches::{Durability, Input, Invalid, Output, Params, Switch, SwitchRelay};

use crate::common::{at, id, latched, switch};

#[derive(Clone, Debug)]
enum Event {
    Receive(Option<bool>),
    Count(Vec<u8>),
    Read { late: u64 },
    Active(bool),
}

fn events() -> impl Strategy<Value = Vec<(u64, Event)>> {
    let event = prop_oneof![
        6 => prop::option::weighted(0.9, any::<bool>()).prop_map(Event::Receive),
        6 => prop::sample::select(vec![vec![], vec![1], vec![1], vec![1], vec![2], vec![1, 2]]).prop_map(Event::Count),
        1 => (0..400u64).prop_map(|late| Event::Read { late }),
        1 => prop::bool::weighted(0.8).prop_map(Event::Active),
    ];
    prop::collection::vec((prop_oneof![5 => 0..40u64, 1 => 0..700u64], event), 1..80)
}

fn switches() -> impl Strategy<Value = Switch> {
    let times = prop_oneof![Just(None), (50..600u64).prop_map(|ms| Some(Duration::from_millis(ms)))];
    let plain = (times, any::<bool>()).prop_map(|(timeout, invert)| Switch { invert, ..switch(timeout) });
    prop_oneof![2 => plain, 1 => Just(latched())]
}

/// The sources as their publishers know them.
#[derive(Default)]
struct Truth {
    /// The only publisher.
    publisher: Option<u8>,
    /// When the publishers were counted.
    counted: Option<u64>,
    /// The last message of this publisher since it is the only one, and when it was read at the earliest.
    word: Option<(u64, Option<bool>)>,
    is_active: bool,
}

impl Truth {
    /// Whether the state of a source that publishes on change, and is not latched, is to be repeated at `now`.
    fn stands(&self, now: u64) -> bool {
        let is_counted = self.counted.is_some_and(|counted| now - counted <= 250);
        let says_something = self.word.is_some_and(|(_, word)| word.is_some());
        self.is_active && self.publisher.is_some() && is_counted && says_something
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// A state is published only if it is the last word of the source's present publisher, received after each interruption, and young
    /// enough; and one that stands is repeated in time.
    #[test]
    fn nothing_is_published_but_the_last_word_of_the_present_publisher(
        switch in switches(), events in events(), is_polled in any::<bool>()
    ) {
        let timeout = switch.timeout.map(|timeout| timeout.as_millis() as u64);
        let invert = switch.invert;
        let period = Duration::from_millis(50);
        let is_repeated = is_polled && timeout.is_none() && switch.durability == Durability::Volatile;
        // Since when the state stands, or was published last.
        let mut quiet_since = None;
        let mut relay = SwitchRelay::new(Params { switches: vec![switch], period });
        let mut truth = Truth { is_active: true, ..Truth::default() };
        let mut now = 0;
        for (wait, event) in events {
            let end = now + wait;
            // With calls in time, or a process that did nothing meanwhile.
            while is_polled && now < end {
                now += 1;
                let is_due = relay.deadline().is_some_and(|due| due <= at(now));
                if is_due && check(&mut relay, now, &truth, timeout, invert)? || !truth.stands(now) {
                    quiet_since = None;
                }
                let since = *quiet_since.get_or_insert(now);
                prop_assert!(!is_repeated || now - since < 50, "not repeated since {} ms, at {} ms", since, now);
            }
            now = end;
            match event {
                Event::Receive(state) => {
                    if truth.publisher.is_some() {
                        truth.word = Some((now, state));
                    }
                    let state = state.ok_or(Invalid::AnotherType);
                    relay.handle(at(now), Input::StateReceived { switch: 0, state });
                }
                Event::Count(found) => {
                    let publisher = if let [one] = found[..] { Some(one) } else { None };
                    if truth.publisher != publisher {
                        truth.word = None;
                    }
                    (truth.publisher, truth.counted) = (publisher, Some(now));
                    let publishers = PublisherCount::of(found.len());
                    let publisher = publisher.map(id);
                    relay.handle(at(now), Input::PublishersCounted { switch: 0, publishers, publisher });
                }
                Event::Read { late } => {
                    let due = Instant::ZERO + Duration::from_millis(now.saturating_sub(late));
                    relay.read_again(at(now), due, due);
                    if late > 250 && now > 250 && timeout.is_some() {
                        truth.word = None;
                    }
                }
                Event::Active(is_active) => {
                    truth.is_active = is_active;
                    if timeout.is_some() {
                        truth.word = None;
                    }
                    relay.handle(at(now), Input::ActivityChanged(is_active));
                }
            }
            if check(&mut relay, now, &truth, timeout, invert)? {
                quiet_since = Some(now);
            }
        }
    }
}

/// Checks what is published at `now`, and returns whether something is.
fn check(
    relay: &mut SwitchRelay,
    now: u64,
    truth: &Truth,
    timeout: Option<u64>,
    invert: bool,
) -> Result<bool, TestCaseError> {
    let mut is_published = false;
    while let Some(output) = relay.poll(at(now)) {
        let Output::Publish { on, until, .. } = output;
        is_published = true;
        let (received, word) = truth.word.ok_or_else(|| TestCaseError::fail("nothing was received"))?;
        prop_assert_eq!(word, Some(on != invert), "not the last word, at {} ms", now);
        prop_assert!(truth.is_active && truth.publisher.is_some());
        prop_assert!(truth.counted.is_some_and(|counted| now - counted <= 250));
        prop_assert!(timeout.is_none_or(|timeout| now - received < timeout), "it is too old");
        prop_assert!(until <= at(now + 250));
        prop_assert!(timeout.is_none_or(|timeout| until <= at(received + timeout)));
    }
    Ok(is_published)
}
