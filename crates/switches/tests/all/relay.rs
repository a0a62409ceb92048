//! Each rule of the relay.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::time::Duration;

use safety::{Level, Machine, PublisherCount};
use switches::{Input, Invalid, Output, Params, Silence, Switch, SwitchRelay};

use crate::common::{Bench, TIMEOUT, at, id, latched, switch};

/// A relay whose source, publisher 1, sent `on` at 100 ms; it repeats within `timeout`.
fn sent(timeout: Option<Duration>, on: bool) -> Bench {
    let mut bench = Bench::new(switch(timeout));
    bench.pass(100, &[1]);
    bench.receive(on);
    bench
}

#[test]
fn a_word_is_published_at_once_and_at_the_rate() {
    let mut bench = sent(None, true);
    bench.pass(220, &[1]);
    assert_eq!(bench.take(), [(100, true), (150, true), (200, true)]);
    bench.receive(false);
    bench.pass(330, &[1]);
    assert_eq!(bench.take(), [(220, false), (270, false), (320, false)]);
    // The same word again is no change.
    bench.receive(false);
    assert_eq!(bench.take(), []);
}

#[test]
fn each_edge_between_two_polls_is_published() {
    let mut bench = sent(None, false);
    for on in [true, false] {
        bench.relay.handle(at(100), Input::StateReceived { switch: 0, state: Ok(on) });
    }
    bench.state().unwrap();
    assert_eq!(bench.take(), [(100, false), (100, true), (100, false)]);
}

#[test]
fn an_inverted_switch_is_the_opposite_and_as_silent() {
    let mut bench = Bench::new(Switch { invert: true, ..switch(Some(TIMEOUT)) });
    bench.pass(100, &[1]);
    assert_eq!(bench.state(), Err(Silence::NotReceived));
    bench.receive(false);
    assert_eq!(bench.state(), Ok(true));
    bench.receive(true);
    assert_eq!(bench.state(), Ok(false));
    bench.pass(600, &[1]);
    assert_eq!(bench.state(), Err(Silence::TimedOut));
}

#[test]
fn nothing_is_published_before_the_publishers_are_counted() {
    let mut bench = Bench::new(switch(None));
    bench.receive(true);
    assert_eq!(bench.state(), Err(Silence::NotCounted));
    // The message came before its publisher was known.
    bench.count(&[1]);
    assert_eq!((bench.state(), bench.take()), (Err(Silence::NotReceived), vec![]));
}

#[test]
fn a_source_without_a_publisher_is_silent_until_that_publisher_sends_again() {
    for timeout in [None, Some(TIMEOUT)] {
        let mut bench = sent(timeout, true);
        bench.take();
        bench.count(&[]);
        assert_eq!((bench.state(), bench.take()), (Err(Silence::NoPublisher), vec![]));
        bench.count(&[1]);
        assert_eq!((bench.state(), bench.take()), (Err(Silence::NotReceived), vec![]));
        bench.receive(true);
        assert_eq!(bench.state(), Ok(true));
    }
}

#[test]
fn a_second_publisher_silences_it_and_no_earlier_message_counts() {
    let mut bench = sent(None, true);
    bench.count(&[1, 2]);
    bench.receive(true);
    let conflict = Err(Silence::Conflict(PublisherCount::of(2)));
    assert_eq!(bench.state(), conflict);
    bench.pass(199, &[1, 2]);
    bench.count(&[1]);
    assert_eq!(bench.state(), Err(Silence::NotReceived));
    assert_eq!(bench.take(), [(100, true)]);
}

#[test]
fn a_publisher_that_cannot_be_received_or_counted_is_a_conflict() {
    for publishers in [
        PublisherCount::Known { compatible: 0, incompatible: 1 },
        PublisherCount::Unknown,
        PublisherCount::Loop,
    ] {
        let mut bench = sent(None, true);
        let publisher = Some(id(1));
        bench.input(Input::PublishersCounted { switch: 0, publishers, publisher });
        assert_eq!(bench.state(), Err(Silence::Conflict(publishers)));
        bench.receive(true);
        assert_eq!(bench.state(), Err(Silence::Conflict(publishers)));
        bench.count(&[1]);
        assert_eq!(bench.state(), Err(Silence::NotReceived));
    }
}

#[test]
fn the_word_of_a_publisher_is_not_that_of_its_successor() {
    let mut bench = sent(None, true);
    bench.take();
    bench.count(&[2]);
    assert_eq!((bench.state(), bench.take()), (Err(Silence::NotReceived), vec![]));
    bench.receive(false);
    assert_eq!((bench.state(), bench.take()), (Ok(false), vec![(100, false)]));
}

#[test]
fn a_source_that_must_repeat_is_silent_after_its_timeout_and_no_earlier() {
    let mut bench = sent(Some(TIMEOUT), true);
    bench.pass(599, &[1]);
    assert_eq!(bench.state(), Ok(true));
    bench.pass(600, &[1]);
    assert_eq!(bench.state(), Err(Silence::TimedOut));
    assert_eq!(bench.take().last(), Some(&(550, true)));
    bench.pass(5_000, &[1]);
    assert_eq!(bench.take(), []);
    bench.receive(true);
    assert_eq!(bench.take(), [(5_000, true)]);
}

#[test]
fn a_source_that_publishes_on_change_is_repeated_for_as_long_as_its_publisher_is_there() {
    let mut bench = sent(None, true);
    bench.pass(3_600_000, &[1]);
    assert_eq!(bench.state(), Ok(true));
    assert_eq!(bench.take().len(), 71_999);
}

#[test]
fn a_message_that_says_nothing_silences_it_until_one_does() {
    for timeout in [None, Some(TIMEOUT)] {
        let mut bench = sent(timeout, true);
        let reason = Invalid::NoButton { button: 7, count: 2 };
        bench.receive_invalid(reason);
        assert_eq!(bench.state(), Err(Silence::Invalid(reason)));
        bench.pass(150, &[1]);
        assert_eq!(bench.take(), [(100, true)]);
        bench.receive(true);
        assert_eq!(bench.state(), Ok(true));
    }
}

#[test]
fn publishers_that_are_not_counted_any_more_silence_it() {
    let mut bench = sent(None, true);
    for now in 101..=351 {
        bench.hold(now);
        bench.poll();
    }
    assert_eq!(bench.state(), Err(Silence::NotCounted));
    assert_eq!(bench.take().last(), Some(&(350, true)));
    bench.count(&[1]);
    assert_eq!(bench.state(), Ok(true), "its word stands");
}

/// The alarm's thread calls at each deadline, so its delay is that of the process.
#[test]
fn after_a_pause_of_the_process_nothing_from_before_counts_if_the_source_must_repeat() {
    for (timeout, late, state) in [
        (Some(TIMEOUT * 10), 250, Ok(true)),
        (Some(TIMEOUT * 10), 251, Err(Silence::Held)),
        (None, 251, Ok(true)),
    ] {
        let mut bench = sent(timeout, true);
        bench.take();
        bench.hold(150 + late);
        bench.poll();
        if timeout.is_some() && late > 250 {
            assert_eq!(bench.take(), []);
        }
        bench.count(&[1]);
        assert_eq!(bench.state(), state, "{late} ms late");
    }
}

/// The messages that waited meanwhile are read after the pause, and do not count either.
#[test]
fn a_message_that_may_have_waited_for_long_does_not_count_if_the_source_must_repeat() {
    for (timeout, state) in [(Some(TIMEOUT * 10), Err(Silence::Held)), (None, Ok(false))] {
        let mut bench = sent(timeout, true);
        bench.hold(600);
        bench.relay.read_again(at(600), at(100), at(200));
        bench.count(&[1]);
        bench.receive(false);
        assert_eq!(bench.state(), state);
        bench.pass(660, &[1]);
        bench.receive(false);
        assert_eq!(bench.state(), Ok(false), "the queues are empty");
    }
}

/// The other threads call in time, so only the reader shows that it was held.
#[test]
fn a_pause_of_the_thread_that_reads_counts_as_one() {
    let mut bench = sent(Some(TIMEOUT * 10), true);
    bench.pass(600, &[1]);
    bench.relay.read_again(at(600), at(100), at(349));
    assert_eq!(bench.state(), Err(Silence::Held));
    let mut bench = sent(Some(TIMEOUT * 10), true);
    bench.pass(600, &[1]);
    bench.relay.read_again(at(600), at(100), at(350));
    assert_eq!(bench.state(), Ok(true));
}

/// A message that is read now may be from 100.
fn counts_until_600(mut bench: Bench) {
    bench.receive(true);
    bench.pass(599, &[1]);
    assert_eq!(bench.state(), Ok(true));
    bench.pass(600, &[1]);
    assert_eq!(bench.state(), Err(Silence::TimedOut));
}

#[test]
fn a_short_pause_ages_a_message_by_the_time_that_it_may_have_waited() {
    let mut bench = sent(Some(TIMEOUT), true);
    bench.hold(300);
    bench.relay.read_again(at(300), at(100), at(200));
    bench.count(&[1]);
    counts_until_600(bench);
}

/// The other threads call in time, so only the reader shows how long its messages waited.
#[test]
fn a_short_pause_of_the_thread_that_reads_ages_its_messages() {
    let mut bench = sent(Some(TIMEOUT), true);
    bench.pass(300, &[1]);
    bench.relay.read_again(at(300), at(100), at(200));
    counts_until_600(bench);
}

#[test]
fn a_message_that_may_have_waited_for_the_timeout_does_not_count() {
    let mut bench = sent(Some(TIMEOUT / 2), true);
    bench.pass(400, &[1]);
    bench.relay.read_again(at(400), at(150), at(200));
    bench.take();
    bench.receive(true);
    assert_eq!((bench.state(), bench.take()), (Err(Silence::Held), vec![]));
}

#[test]
fn what_waits_behind_a_send_that_hangs_is_not_sent() {
    let mut bench = Bench::new(switch(Some(TIMEOUT)));
    bench.pass(100, &[1]);
    let publish = |bench: &mut Bench, now| {
        bench.relay.handle(at(now), Input::StateReceived { switch: 0, state: Ok(true) });
        bench.relay.poll(at(now)).unwrap()
    };
    let output = publish(&mut bench, 100);
    assert!(output.is_current(at(350)) && !output.is_current(at(351)));
    // Nor after the timeout of its message, if that comes first.
    let mut bench = Bench::new(switch(Some(Duration::from_millis(60))));
    bench.pass(100, &[1]);
    let output = publish(&mut bench, 100);
    assert!(output.is_current(at(160)) && !output.is_current(at(161)));
}

#[test]
fn of_several_latched_messages_only_the_last_is_published() {
    let mut bench = Bench::new(latched());
    bench.pass(130, &[1]);
    for on in [true, false, true, false] {
        bench.receive(on);
        assert_eq!(bench.state(), Err(Silence::Settling));
    }
    bench.pass(290, &[1]);
    assert_eq!(bench.take(), [(230, false), (280, false)]);
    bench.receive(true);
    assert_eq!(bench.take(), [(290, true)], "a change is published at once");
    // Those of another publisher settle anew.
    bench.count(&[2]);
    bench.receive(true);
    assert_eq!(bench.state(), Err(Silence::Settling));
}

#[test]
fn an_inactive_node_is_silent_and_a_source_that_must_repeat_begins_anew() {
    for (timeout, state) in [(Some(TIMEOUT), Err(Silence::NotReceived)), (None, Ok(true))] {
        let mut bench = sent(timeout, true);
        bench.take();
        bench.input(Input::ActivityChanged(false));
        bench.pass(200, &[1]);
        bench.receive(true);
        assert_eq!((bench.state(), bench.take()), (Err(Silence::Inactive), vec![]));
        bench.input(Input::ActivityChanged(true));
        assert_eq!(bench.state(), state);
    }
}

#[test]
fn a_node_that_ends_publishes_nothing_more() {
    let mut bench = sent(None, true);
    bench.take();
    bench.input(Input::Stopping);
    bench.receive(false);
    assert_eq!((bench.take(), bench.relay.deadline()), (vec![], None));
}

#[test]
fn the_rate_changes_at_run_time() {
    let mut bench = sent(None, true);
    let params = Params { switches: Vec::new(), period: Duration::from_millis(20) };
    bench.input(Input::ParametersChanged(params));
    bench.pass(175, &[1]);
    assert_eq!(bench.take(), [(100, true), (150, true), (170, true)]);
}

#[test]
fn an_unknown_switch_is_ignored() {
    let mut bench = sent(None, true);
    bench.input(Input::StateReceived { switch: 1, state: Ok(false) });
    bench.input(Input::PublishersCounted { switch: 9, publishers: PublisherCount::NONE, publisher: None });
    assert_eq!((bench.state(), bench.relay.state(1)), (Ok(true), Err(Silence::Inactive)));
}

#[test]
fn two_switches_of_one_source_are_relayed_side_by_side() {
    let other = Switch { name: "other".into(), to: "/other".into(), invert: true, ..switch(None) };
    let params = Params { switches: vec![switch(None), other], period: Duration::from_millis(50) };
    let mut relay = SwitchRelay::new(params);
    for switch in [0, 1] {
        let publisher = Some(id(1));
        relay
            .handle(at(0), Input::PublishersCounted { switch, publishers: PublisherCount::of(1), publisher });
        relay.handle(at(0), Input::StateReceived { switch, state: Ok(true) });
    }
    let outputs: Vec<_> = std::iter::from_fn(|| relay.poll(at(0))).collect();
    let publish = |switch, on| Output::Publish { switch, on, until: at(250) };
    assert_eq!(outputs, [publish(0, true), publish(1, false)]);
}

#[test]
fn the_diagnostics_name_what_is_silent_and_why() {
    let nothing = SwitchRelay::new(Params { switches: Vec::new(), period: TIMEOUT });
    assert_eq!(nothing.health(), (Level::Warn, "no switch is configured".into()));
    let mut bench = sent(None, true);
    assert!(
        bench.relay.may_move() && !nothing.may_move(),
        "the publishers of a latched switch are always counted"
    );
    assert_eq!(bench.relay.health(), (Level::Ok, "relays".into()));
    bench.count(&[1, 2]);
    let (level, text) = bench.relay.health();
    assert_eq!(
        (level, text.as_str()),
        (Level::Warn, "door is silent: its source is in conflict: 2 publishers, must be 1")
    );
    let report = bench.relay.report();
    assert_eq!(report[0].1, "door silent: its source is in conflict: 2 publishers, must be 1");
    assert_eq!(report[1], ("received", "door 1".into()));
    bench.input(Input::ActivityChanged(false));
    assert_eq!(bench.relay.health().1, "the node is not active, no switch is relayed");
    bench.input(Input::Stopping);
    assert_eq!(bench.relay.health().1, "stopping");
}
