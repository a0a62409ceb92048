//! The contents of `hind/state_detail` (every source, its age, its last value and whether it blocks) and when it is published.

#![allow(clippy::unwrap_used)] // clippy takes helpers of tests for production code

use crate::common;

use std::time::Duration;

use common::{Rig, command, ir, not_finite, params, publishers, rig, text, texts};
use hindbrain::{
    Cause, Hindbrain, Input, Output, Params, Sensor, SoleTopic, Source, SourceDetail, StopState,
};
use params::Value;
use safety::{Instant, Machine};

fn source_detail(rig: &Rig, source: Source) -> Option<SourceDetail> {
    let place = Source::ALL.iter().position(|&known| known == source).unwrap();
    let detail = rig.hindbrain.detail();
    assert!(detail.sources[place].is_none_or(|found| found.source == source));
    detail.sources[place]
}

/// The source's last value and whether it blocks.
fn last_value(rig: &Rig, source: Source) -> (&'static str, bool) {
    let detail = source_detail(rig, source).unwrap();
    (detail.says, detail.blocks)
}

fn age(rig: &Rig, source: Source) -> Option<u128> {
    source_detail(rig, source).unwrap().age.map(|age| age.as_millis())
}

#[test]
fn the_detail_shows_the_commands_value() {
    let mut rig = rig(&[]);
    assert_eq!(last_value(&rig, Source::Command), ("nothing", true));
    rig.ready();
    assert_eq!(last_value(&rig, Source::Command), ("zero", false));
    rig.send(command(1.0, 0.0));
    assert_eq!(last_value(&rig, Source::Command), ("move", false));
    rig.send(not_finite());
    assert_eq!(last_value(&rig, Source::Command), ("refused", false), "the previous setpoint still counts");
    rig.wait(500);
    assert_eq!(last_value(&rig, Source::Command), ("nothing", true));
    rig.send(command(0.02, 0.0));
    assert_eq!(last_value(&rig, Source::Command), ("zero", false), "within the dead band");
    rig.send(publishers(SoleTopic::Command, 2, 0));
    assert_eq!(last_value(&rig, Source::Command), ("zero", true), "the sender is not known");
    rig.send(publishers(SoleTopic::Command, 1, 0));
    rig.send(command(1.0, 0.0));
    assert_eq!(last_value(&rig, Source::Command), ("move", true), "zero first");
}

#[test]
fn enable_blocks_until_it_has_risen() {
    let mut rig = rig(&[("enable.lease", Value::Float(0.2))]);
    assert_eq!(last_value(&rig, Source::Enable), ("false", true));
    rig.ready();
    assert_eq!(last_value(&rig, Source::Enable), ("true", false));
    rig.wait(200);
    assert_eq!(last_value(&rig, Source::Enable), ("true", true), "the lease lapsed");
    rig.send(Input::EnableReceived(true));
    assert_eq!(last_value(&rig, Source::Enable), ("true", true), "not armed");
    rig.send(Input::EnableReceived(false));
    assert_eq!(last_value(&rig, Source::Enable), ("false", true));
}

#[test]
fn enable_needs_no_edge_under_seed() {
    let mut rig = rig(&[("profile", text("seed"))]);
    rig.send(Input::EstopReceived(true));
    rig.send(Input::EnableReceived(true));
    assert_eq!(last_value(&rig, Source::Enable), ("true", false));
}

#[test]
fn the_estop_shows_every_value() {
    for required in [false, true] {
        let mut rig = rig(&[("estop.required", Value::Bool(required))]);
        assert_eq!(last_value(&rig, Source::Estop), ("nothing", required));
        rig.send(publishers(SoleTopic::Estop, 1, 0));
        assert_eq!(last_value(&rig, Source::Estop), ("silent", true));
        rig.send(Input::EstopReceived(false));
        assert_eq!(last_value(&rig, Source::Estop), ("released", false));
        rig.send(Input::EstopReceived(true));
        assert_eq!(last_value(&rig, Source::Estop), ("pressed", true));
        rig.send(Input::EstopReceived(false));
        rig.wait(260);
        assert_eq!(last_value(&rig, Source::Estop), ("silent", true));
    }
}

#[test]
fn reset_blocks_while_something_is_latched() {
    for (profile, latched) in [("strict", true), ("seed", false)] {
        let mut rig = rig(&[("profile", text(profile))]);
        assert_eq!(last_value(&rig, Source::Reset), ("nothing", false));
        rig.send(Input::ResetReceived(false));
        assert_eq!(last_value(&rig, Source::Reset), ("released", false));
        rig.send(Input::EstopReceived(true));
        rig.send(Input::ResetReceived(true));
        assert_eq!(last_value(&rig, Source::Reset), ("pressed", latched), "{profile}");
    }
}

#[test]
fn a_fitted_sensor_shows_its_reading_and_another_nothing() {
    let mut rig = rig(&[("ir.sensors", texts(&["ir_front_starboard"]))]);
    let sensor = Source::Ir(Sensor::FrontStarboard);
    assert_eq!(last_value(&rig, sensor), ("silent", true));
    rig.repeat(&[ir(Sensor::FrontStarboard, 1.0)], 510);
    assert_eq!(last_value(&rig, sensor), ("clear", false));
    rig.repeat(&[ir(Sensor::FrontStarboard, 0.1)], 100);
    assert_eq!(last_value(&rig, sensor), ("blocked", true));
    rig.send(ir(Sensor::FrontStarboard, f64::NAN));
    assert_eq!(last_value(&rig, sensor), ("no measurement", true));
    for other in [Sensor::FrontPort, Sensor::BackPort, Sensor::BackStarboard] {
        assert_eq!(source_detail(&rig, Source::Ir(other)), None);
    }
}

#[test]
fn the_motor_controller_shows_whether_it_answers() {
    assert_eq!(source_detail(&rig(&[]), Source::Device), None);
    let mut rig = rig(&[("driver.kind", text("pololu")), ("driver.device", text("/dev/ttyACM0"))]);
    assert_eq!(last_value(&rig, Source::Device), ("nothing", true));
    rig.send(Input::DeviceOpened);
    assert_eq!(last_value(&rig, Source::Device), ("works", false));
    rig.send(Input::DeviceLost);
    assert_eq!(last_value(&rig, Source::Device), ("lost", true));
}

#[test]
fn every_source_has_its_own_age() {
    let every = texts(&["ir_front_port", "ir_front_starboard", "ir_back_port", "ir_back_starboard"]);
    let device = [("driver.kind", text("pololu")), ("driver.device", text("/dev/ttyACM0"))];
    let mut rig = Rig::without_messages(params(&[&device[..], &[("ir.sensors", every)]].concat()).unwrap());
    let sources = [
        (Source::Command, command(0.0, 0.0)),
        (Source::Enable, Input::EnableReceived(true)),
        (Source::Estop, Input::EstopReceived(false)),
        (Source::Reset, Input::ResetReceived(false)),
        (Source::Ir(Sensor::FrontPort), ir(Sensor::FrontPort, 1.0)),
        (Source::Ir(Sensor::FrontStarboard), ir(Sensor::FrontStarboard, 1.0)),
        (Source::Ir(Sensor::BackPort), ir(Sensor::BackPort, 1.0)),
        (Source::Ir(Sensor::BackStarboard), ir(Sensor::BackStarboard, 1.0)),
        (Source::Device, Input::DeviceOpened),
    ];
    assert_eq!(sources.each_ref().map(|(source, _)| *source), Source::ALL);
    for (source, input) in sources.clone() {
        assert_eq!(age(&rig, source), None, "{source:?}");
        rig.send(input);
        rig.wait(10);
    }
    for (place, (source, _)) in sources.iter().enumerate() {
        // The first was received 90 ms ago, each of the others 10 ms later; the last tick may be 10 ms ago.
        let expected = 90 - 10 * place as u128;
        assert!((expected - 10..=expected).contains(&age(&rig, *source).unwrap()), "{source:?}");
    }
    rig.send(not_finite());
    assert!(age(&rig, Source::Command) > Some(0), "a refused command does not count as received");
}

#[test]
fn the_cause_that_led_to_the_state_is_named_with_its_time() {
    let mut rig = rig(&[]);
    assert_eq!(rig.hindbrain.detail().since_cause, Some(Cause::NotEnabled));
    rig.ready();
    rig.wait(100);
    let detail = rig.hindbrain.detail();
    assert_eq!(
        (detail.state, detail.since_cause, detail.since),
        (StopState::Ok, Some(Cause::CommandStale), Duration::from_millis(120))
    );
    rig.send(command(1.0, 0.0));
    rig.repeat(&[command(1.0, 0.0)], 1_000);
    assert_eq!(rig.hindbrain.detail().levels, rig.levels());
    rig.send(Input::EstopReceived(true));
    let detail = rig.hindbrain.detail();
    let expected = (StopState::Estop, Some(Cause::EstopPressed), Duration::ZERO);
    assert_eq!((detail.state, detail.since_cause, detail.since), expected);
    assert_eq!((detail.levels, detail.causes), ([0, 0], rig.hindbrain.causes()));
    assert_eq!(rig.details.last(), Some(&detail), "it is published with the state");
}

#[test]
fn the_first_state_has_its_cause_and_begins_with_the_machine() {
    let mut hindbrain = Hindbrain::new(Params::default());
    let uptime = Duration::from_secs(100_000);
    let mut now = Instant::ZERO + uptime;
    let mut detail = None;
    for _ in 0..100 {
        while let Some(output) = hindbrain.poll(now) {
            if let Output::PublishDetail(published) = output {
                detail = Some(published);
            }
        }
        now = now + Duration::from_millis(20);
    }
    let detail = detail.unwrap();
    assert_eq!((detail.state, detail.since_cause), (StopState::SoftRos, Some(Cause::NotEnabled)));
    assert!(detail.since < Duration::from_secs(2), "{:?}", detail.since);
}

#[test]
fn causes_that_change_by_themselves_are_published_at_most_once_per_tick() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.wait(100);
    rig.details.clear();
    // The cause flickers every millisecond.
    for n in 0..200 {
        rig.send(if n % 2 == 0 { not_finite() } else { command(0.0, 0.0) });
        rig.wait(1);
    }
    assert!((9..=11).contains(&rig.details.len()), "{} in 200 ms", rig.details.len());
    assert!(
        rig.states.iter().all(|(at, _)| rig.since(*at) > Duration::from_millis(200)),
        "the state did not change"
    );
    rig.wait(40);
    let last = rig.details.last().unwrap();
    assert!(!last.causes.contains(Cause::CommandInvalid), "the last detail is up to date");
}

#[test]
fn a_cause_that_changes_after_a_quiet_time_is_published_at_once() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.wait(100);
    rig.details.clear();
    rig.send(not_finite());
    assert_eq!(rig.details.len(), 1);
    assert!(rig.details[0].causes.contains(Cause::CommandInvalid));
}

#[test]
fn details_are_published_twice_a_second_when_nothing_changes() {
    let mut rig = rig(&[]);
    rig.details.clear();
    rig.wait(2_000);
    assert_eq!(rig.details.len(), 4);
}

#[test]
fn sources_are_named_by_their_topics() {
    let names: Vec<&str> = Source::ALL.into_iter().map(Source::name).collect();
    assert_eq!(
        names,
        [
            "cmd_vel",
            "hind/enable",
            "hind/estop",
            "hind/reset",
            "ir_front_port",
            "ir_front_starboard",
            "ir_back_port",
            "ir_back_starboard",
            "motor_controller",
        ]
    );
}
