//! Each of the four stages is called as in a process of its own: the clock, holds, deadlines, and which source is the stick.
#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

use crate::common;

use std::time::Duration;

use arbiter::Refused;
use common::Bench;
use drive_chain::{Input, Output};
use joystick::PoseState;
use params::Value;
use safety::{Command, Instant, Machine, Stamp, Velocity};

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// The machine was called in time, but messages that are read now may have been queued for a second.
#[test]
fn every_stage_detects_that_the_reading_thread_was_held() {
    for held in [false, true] {
        let mut bench = Bench::new();
        bench.plug();
        bench.send([Input::Hindbrain(hindbrain::Input::EnableReceived(false))]);
        bench.pass(ms(1000));
        if held {
            let since = Instant::from_nanos(bench.now.as_nanos() - ms(1000).as_nanos() as u64);
            bench.drive.read_again(bench.now, since, since + ms(20));
        }
        // None of these has a stamp: each counts as maximally old.
        let zero = PoseState::standing(Stamp::ZERO, true);
        bench.outputs.clear();
        bench.send([Input::Joystick(joystick::Input::ReferenceReceived(zero))]);
        let passed = bench.outputs.iter().any(|output| {
            matches!(output, Output::Joystick(joystick::Output::PublishDesired(state)) if *state == zero)
        });
        assert_eq!(passed, !held, "the joystick passes on a recent reference");

        let navigation = bench.drive.stages().arbiter.source_index("navigation").unwrap();
        let command = arbiter::Input::command(navigation, Ok(Velocity::ZERO), Stamp::ZERO);
        bench.send([Input::Arbiter(command)]);
        let traffic = bench.drive.stages().arbiter.traffic(navigation).unwrap();
        assert_eq!(
            traffic.refused.of(Refused::TooOld),
            u64::from(held),
            "the arbiter accepts a recent command"
        );

        let old = bench.drive.stages().zones.counters().old_scalings;
        bench.send([Input::Zones(zones::Input::ScalingReceived([1.0; 16]))]);
        let refused = bench.drive.stages().zones.counters().old_scalings - old;
        assert_eq!(refused, u64::from(held), "the zones accept a recent scaling");

        bench.send([Input::Hindbrain(hindbrain::Input::EnableReceived(true))]);
        let armed = bench.drive.stages().hindbrain.core().enable.is_armed();
        assert_eq!(armed, !held, "only a recent enable arms hindbrain");
    }
}

/// Each stage is tested by itself: a message that one stage refuses never reaches the next one.
#[test]
fn every_stage_judges_stamps_by_the_wall_clock_itself() {
    for age in [0, 1000] {
        let mut bench = Bench::new();
        bench.plug();
        bench.pass(ms(1000));
        bench.wall = -age;
        let stamp = bench.stamp();
        bench.wall = 0;
        let is_old = u64::from(age > 0);
        let moving = Command::new(Velocity::planar(0.5, 0.0).unwrap(), stamp);

        let reference = PoseState::standing(stamp, true);
        bench.outputs.clear();
        bench.send([Input::Joystick(joystick::Input::ReferenceReceived(reference))]);
        let passed = bench.outputs.iter().any(|output| {
            matches!(output, Output::Joystick(joystick::Output::PublishDesired(state)) if *state == reference)
        });
        assert_eq!(passed, age == 0, "joystick");

        let navigation = bench.drive.stages().arbiter.source_index("navigation").unwrap();
        bench.send([Input::Arbiter(arbiter::Input::command(navigation, Ok(moving.velocity), stamp))]);
        let traffic = bench.drive.stages().arbiter.traffic(navigation).unwrap();
        assert_eq!(traffic.refused.of(Refused::TooOld), is_old, "arbiter");

        bench.send([Input::Zones(zones::Input::CommandReceived(moving))]);
        assert_eq!(bench.drive.stages().zones.counters().old_commands, is_old, "zones");

        bench.send([Input::Hindbrain(hindbrain::Input::CommandReceived(Ok(moving)))]);
        assert_eq!(bench.drive.stages().hindbrain.counters().invalid, is_old, "hindbrain");
    }
}

#[test]
fn every_stage_is_called_at_its_deadline() {
    let mut bench = Bench::new();
    bench.plug();
    bench.send([Input::Joystick(joystick::Input::JoySubscribersCounted(1))]); // which has repeats
    let mut was_next = [false; 4];
    let navigation = bench.drive.stages().arbiter.source_index("navigation").unwrap();
    for step in 0..4_000 {
        // Times that are no multiples of a stage's period, so not all are due together.
        if step < 1_000 && step % 37 == 0 {
            let stamp = bench.stamp();
            bench.send([Input::Arbiter(arbiter::Input::command(navigation, Ok(Velocity::ZERO), stamp))]);
        }
        if step % 53 == 0 {
            bench.enable(false);
        }
        if step == 2_001 {
            bench.send([Input::Arbiter(arbiter::Input::Stopping)]);
        }
        let stages = bench.drive.stages();
        let asked = [
            stages.joystick.deadline(),
            stages.arbiter.deadline(),
            stages.zones.deadline(),
            stages.hindbrain.deadline(),
        ];
        let next = asked.iter().flatten().min().copied();
        assert_eq!(bench.drive.deadline(), next);
        for (stage, own) in asked.iter().enumerate() {
            let alone = asked.iter().enumerate().all(|(other, at)| other == stage || *at != next);
            was_next[stage] |= *own == next && alone;
        }
        bench.pass(Duration::from_micros(700));
    }
    assert_eq!(was_next, [true; 4], "each was the only one due at some time");
}

#[test]
fn the_stick_drives_only_as_its_configured_source() {
    let mut bench = Bench::new();
    bench.plug();
    let params = common::arbiter_params(&[]);
    let place = |bench: &Bench, name| bench.drive.stages().arbiter.source_index(name);
    for name in [Some("navigation"), None, Some("joystick")] {
        let stick = name.map(|name| place(&bench, name).unwrap());
        bench.send([Input::SourcesChanged { params: params.clone(), stick }]);
        bench.pass(ms(2000));
        bench.stick(0.0, 0.0, true);
        bench.pass(ms(100));
        assert_eq!(bench.drive.stages().arbiter.active().source, stick, "{name:?}");
    }
}

#[test]
fn changed_sources_take_effect_in_the_arbiter() {
    let mut bench = Bench::new();
    let params = common::arbiter_params(&[("limits.linear.x.acceleration", Value::Float(2.0))]);
    assert_ne!(*bench.drive.stages().arbiter.params(), params);
    bench.send([Input::SourcesChanged { params: params.clone(), stick: None }]);
    assert_eq!(*bench.drive.stages().arbiter.params(), params);
}
