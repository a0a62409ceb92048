//! Which commands are lost, and what restores motion.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::bench;

use std::time::Duration;

use bench::{Bench, WITHHELD, command, free, front, go, params, stop};
use safety::{Command, Instant, Level, Machine, NotFinite, PublisherCount, Stamp, Velocity};
use zones::{Input, Params, Reason};

/// The wall clock is at 100 s plus `ms`.
fn clock(ms: i64) -> Input {
    Input::ClockRead(wall(ms).into())
}

fn wall(ms: i64) -> Stamp {
    let ms = 100_000 + ms;
    Stamp { sec: (ms / 1000) as i32, nanosec: (ms % 1000) as u32 * 1_000_000 }
}

#[test]
fn without_a_scaling_the_vehicle_stands_still() {
    let mut bench = Bench::new(params());
    assert_eq!((bench.reason(), bench.0.health().0), (Reason::ScalingMissing, Level::Error), "no command");
    assert_eq!(bench.on(0, command(1.0, 0.2, 3)), [WITHHELD]);
    assert_eq!((bench.reason(), bench.0.health().0), (Reason::ScalingMissing, Level::Error));
    // The first scaling does not restore motion that was requested before.
    assert_eq!(bench.on(10, free()), []);
    assert_eq!(bench.on(20, command(1.0, 0.2, 4)), []);
    assert_eq!((bench.reason(), bench.0.health().0), (Reason::WaitsForZero, Level::Warn));
    assert_eq!(bench.on(30, command(0.0, 0.0, 5)), [stop(5)]);
    assert_eq!(bench.on(40, command(1.0, 0.2, 6)), [go(1.0, 0.2, 6)]);
}

#[test]
fn a_stale_scaling_stops_at_once_and_a_zero_frees() {
    let mut bench = Bench::new(params());
    bench.on(0, free());
    bench.on(300, command(1.0, 0.2, 3));
    assert_eq!(bench.at(480), []);
    assert_eq!(bench.0.deadline(), Some(Instant::from_millis(500)));
    assert_eq!(bench.at(499), []);
    assert_eq!(bench.at(500), [WITHHELD]);
    assert_eq!(bench.reason(), Reason::ScalingStale);
    assert_eq!(bench.on(510, command(1.0, 0.2, 4)), []);
    assert_eq!(bench.on(520, free()), []);
    assert_eq!(bench.on(530, command(1.0, 0.2, 5)), [], "held all the while");
    assert_eq!(bench.on(540, command(0.0, 0.0, 6)), [stop(6)]);
    assert_eq!(bench.on(550, command(1.0, 0.2, 7)), [go(1.0, 0.2, 7)]);
}

#[test]
fn a_zero_of_before_the_activation_frees_nothing() {
    let mut bench = Bench::new(params());
    bench.on(0, free());
    bench.on(10, command(0.0, 0.0, 3));
    bench.on(20, Input::ActivityChanged(false));
    bench.on(30, command(0.0, 0.0, 4));
    bench.on(40, Input::ActivityChanged(true));
    assert_eq!(bench.on(50, command(1.0, 0.2, 5)), []);
    bench.on(60, command(0.0, 0.0, 6));
    assert_eq!(bench.on(70, command(1.0, 0.2, 7)), [go(1.0, 0.2, 7)]);
}

#[test]
fn with_two_publishers_no_scaling_counts() {
    let mut bench = Bench::new(params());
    bench.on(0, free());
    assert_eq!(bench.on(10, command(1.0, 0.2, 3)), [go(1.0, 0.2, 3)]);
    assert_eq!(bench.on(20, Input::ScalingPublishersCounted(PublisherCount::of(2))), [WITHHELD]);
    assert_eq!((bench.reason(), bench.0.health().0), (Reason::ScalingConflict, Level::Error));
    assert_eq!(bench.on(30, free()), []);
    assert_eq!(bench.on(40, Input::ScalingPublishersCounted(PublisherCount::of(1))), []);
    assert_eq!(bench.on(50, command(0.0, 0.0, 4)), [stop(4)]);
    assert_eq!(
        bench.on(55, command(1.0, 0.2, 4)),
        [WITHHELD],
        "it is unknown which publisher reported free zones"
    );
    assert_eq!(bench.on(58, free()), []);
    assert_eq!(bench.on(60, command(0.0, 0.0, 5)), [stop(5)]);
    assert_eq!(bench.on(70, command(1.0, 0.2, 6)), [go(1.0, 0.2, 6)]);
    // An unreadable graph does not prove that there is only one.
    assert_eq!(bench.on(80, Input::ScalingPublishersCounted(PublisherCount::Unknown)), [WITHHELD]);
}

#[test]
fn with_two_publishers_of_commands_none_moves_anything() {
    let mut bench = Bench::new(params());
    bench.on(0, free());
    assert_eq!(bench.on(10, command(1.0, 0.2, 3)), [go(1.0, 0.2, 3)]);
    assert_eq!(bench.on(20, Input::CommandPublishersCounted(PublisherCount::of(2))), [WITHHELD]);
    assert_eq!((bench.reason(), bench.0.health().0), (Reason::CommandConflict, Level::Error));
    // The zero of one publisher does not restore motion for the other.
    assert_eq!(bench.on(30, command(0.0, 0.0, 4)), [stop(4)]);
    assert_eq!(bench.on(40, command(1.0, 0.2, 5)), [WITHHELD]);
    // Nor does its last zero after it is gone.
    assert_eq!(bench.on(45, command(0.0, 0.0, 5)), [stop(5)]);
    assert_eq!(bench.on(50, Input::CommandPublishersCounted(PublisherCount::of(1))), []);
    assert_eq!(bench.on(60, command(1.0, 0.2, 6)), []);
    assert_eq!(bench.on(70, command(0.0, 0.0, 7)), [stop(7)]);
    assert_eq!(bench.on(80, command(1.0, 0.2, 8)), [go(1.0, 0.2, 8)]);
}

#[test]
fn a_longer_time_out_brings_no_scaling_back() {
    let mut bench = Bench::new(params());
    bench.on(0, free());
    let long = Params { scaling_timeout: std::time::Duration::from_secs(10), ..params() };
    bench.on(3_000, command(0.0, 0.0, 3));
    bench.on(3_010, Input::ParametersChanged(long));
    bench.on(3_020, command(0.0, 0.0, 4));
    assert_eq!(bench.on(3_030, command(1.0, 0.0, 5)), [WITHHELD]);
    assert_eq!(bench.reason(), Reason::ScalingStale);
}

#[test]
fn stamps_are_judged_by_the_wall_clock() {
    let mut bench = Bench::new(params());
    bench.on(0, clock(0));
    bench.on(0, free());
    let at = |ms, forward: f64| {
        Input::CommandReceived(Command::new(Velocity::planar(forward, 0.0).unwrap(), wall(ms)))
    };
    let forward = |commands: Vec<Command>| commands.iter().map(|c| c.velocity.forward()).collect::<Vec<_>>();
    assert_eq!(forward(bench.on(100, at(100, 1.0))), [1.0]);
    assert_eq!(forward(bench.on(110, at(211, 0.5))), [], "101 ms ahead");
    assert_eq!((bench.0.counters().future_commands, bench.0.health().0), (1, Level::Ok));
    assert_eq!(forward(bench.on(120, at(-1000, 0.5))), [], "before the one in force");
    assert_eq!(bench.0.counters().late_commands, 1);
    // An old zero stops, restores no motion, and is no reference for what is late after it.
    assert_eq!(forward(bench.on(130, at(-60_000, 0.0))), [0.0]);
    assert_eq!(
        bench.0.health().1,
        "no command in time, standing still: the last one was stamped earlier than the one before"
    );
    assert_eq!(forward(bench.on(140, at(-59_000, 1.0))), []);
    assert_eq!(bench.0.counters().late_commands, 3);
    assert_eq!(forward(bench.on(145, at(145, 1.0))), [], "a stop that came late is none to begin with");
    bench.on(147, at(147, 0.0));
    assert_eq!(forward(bench.on(150, at(150, 1.0))), [1.0]);
    // A command is as old as its stamp: it expires 0.5 s after that.
    bench.on(400, free());
    assert_eq!(forward(bench.at(649)), []);
    assert_eq!(forward(bench.at(650)), [0.0]);
    assert_eq!(forward(bench.on(660, at(-59_000, 0.0))), []);
    assert_eq!(bench.0.health().1, "no command in time, standing still: the last one was 59.660 s old");
}

#[test]
fn a_message_that_waited_during_a_suspension_moves_nothing() {
    let mut bench = Bench::new(params());
    bench.on(0, clock(0));
    bench.on(0, free());
    assert_eq!(bench.on(0, command(1.0, 0.0, 0)), [go(1.0, 0.0, 0)]);
    // Ten seconds suspended; then all pending messages are read at once.
    bench.0.handle(Instant::from_millis(10_000), clock(10_000));
    bench.0.handle(Instant::from_millis(10_000), free());
    bench.0.handle(Instant::from_millis(10_000), command(0.0, 0.0, 0));
    bench.0.handle(Instant::from_millis(10_000), command(1.0, 0.0, 0));
    assert!(bench.at(10_000).iter().all(|command| command.velocity.is_zero()));
    assert_eq!((bench.0.counters().old_commands, bench.0.counters().old_scalings), (2, 1));
    assert_eq!(bench.on(10_060, free()), []);
    assert_eq!(bench.on(10_060, command(1.0, 0.0, 0)), [], "none of now has been zero");
    assert_eq!(bench.on(10_070, command(0.0, 0.0, 0)), [stop(0)]);
    assert_eq!(bench.on(10_080, command(1.0, 0.0, 0)), [go(1.0, 0.0, 0)]);
}

/// The machine was called in time; the reading thread last read everything `away` before.
#[test]
fn a_message_that_waited_for_the_reading_thread_has_its_maximum_age() {
    for (away, counts) in [(499, true), (500, false), (1000, false)] {
        let mut bench = Bench::new(params());
        bench.at(2_000);
        let since = Instant::from_millis(2_000 - away);
        bench.0.read_again(Instant::from_millis(2_000), since, since + Duration::from_millis(20));
        bench.on(2_000, free());
        bench.on(2_000, command(0.0, 0.0, 0));
        let counters = bench.0.counters();
        let old = (counters.old_scalings, counters.old_commands);
        assert_eq!(old, if counts { (0, 0) } else { (1, 1) }, "away for {away} ms");
    }
}

#[test]
fn an_older_stamp_is_late_an_equal_one_does_not_renew_and_a_stop_is_never_late() {
    let mut bench = Bench::new(params());
    bench.on(0, free());
    assert_eq!(bench.on(0, command(1.0, 0.2, 5)), [go(1.0, 0.2, 5)]);
    assert_eq!(bench.on(100, command(-1.0, 0.2, 4)), []);
    assert_eq!(bench.0.counters().late_commands, 1);
    bench.on(400, free());
    assert_eq!(bench.on(400, command(0.5, 0.2, 5)), [go(0.5, 0.2, 5)]);
    // 0.5 s after the first of this stamp.
    assert_eq!(bench.at(499), []);
    assert_eq!(bench.at(500), [WITHHELD]);
    assert_eq!(bench.on(510, command(1.0, 0.2, 3)), [], "lost in motion");
    assert_eq!(bench.on(520, command(0.0, 0.0, 4)), [stop(4)], "none is in force: any stamp is taken");
    assert_eq!(bench.on(530, command(1.0, 0.0, 5)), [go(1.0, 0.0, 5)]);
    assert_eq!(bench.on(540, command(0.0, 0.0, 3)), [WITHHELD], "a late stop");
}

#[test]
fn a_lost_command_is_a_zero_at_once_and_every_heartbeat() {
    let mut bench = Bench::new(params());
    bench.on(0, free());
    bench.on(0, command(0.0, 0.0, 3));
    for ms in [200, 400] {
        bench.on(ms, free());
    }
    assert_eq!(bench.at(499), []);
    assert_eq!(bench.at(500), [Command::STOP], "also when the command was a zero");
    assert_eq!(bench.reason(), Reason::CommandStale);
    assert_eq!(bench.at(599), []);
    assert_eq!(bench.at(600), [Command::STOP]);
    assert_eq!(bench.on(610, free()), [], "a scaling brings no command back");
    assert_eq!(bench.0.counters().lost_commands, 1);
    assert_eq!(bench.0.health(), (Level::Ok, "no command in time, standing still".into()));
}

#[test]
fn an_invalid_command_stops_until_a_zero() {
    let mut bench = Bench::new(params());
    bench.on(0, free());
    bench.on(0, command(1.0, 0.0, 3));
    let invalid = || Input::CommandRefused(NotFinite { part: "linear.x", value: f64::NAN });
    assert_eq!(bench.on(10, invalid()), [WITHHELD]);
    assert_eq!((bench.reason(), bench.0.health().0), (Reason::CommandInvalid, Level::Error));
    assert_eq!(bench.on(20, invalid()), [], "a flood of them is no flood of zeros");
    assert_eq!(bench.at(110), [WITHHELD]);
    assert_eq!(bench.on(120, command(1.0, 0.0, 4)), []);
    assert_eq!(bench.on(120, command(0.0, 0.0, 5)), [stop(5)]);
    assert_eq!(bench.on(120, command(1.0, 0.0, 6)), [go(1.0, 0.0, 6)]);
    assert_eq!(bench.on(130, invalid()), [WITHHELD], "the next one stops as the first did");
    bench.on(140, command(0.0, 0.0, 7));
    assert_eq!(bench.on(140, command(1.0, 0.0, 8)), [go(1.0, 0.0, 8)]);
    assert_eq!(bench.on(150, invalid()), [WITHHELD], "also where nothing waited for a zero in between");
    assert_eq!((bench.0.counters().commands, bench.0.counters().invalid_commands), (11, 4));
    let report = bench.0.report();
    let last = report.iter().find(|(key, _)| *key == "last invalid command");
    assert!(last.is_some_and(|(_, why)| why.contains("linear.x")), "{report:?}");
}

/// Cut to full throw it would be full speed.
#[test]
fn a_command_beyond_reason_is_a_loss_and_not_full_throw() {
    let mut bench = Bench::new(params());
    bench.on(0, front(1.0, 1.0));
    bench.on(10, command(1.0, 0.0, 1));
    // 2 m/s is full throw: up to 200 m/s a command is cut, beyond it is none.
    assert_eq!(bench.on(20, command(200.0, 0.0, 2)), [go(2.0, 0.0, 2)]);
    assert_eq!(bench.on(30, command(200.1, 0.0, 3)), [WITHHELD]);
    assert_eq!(bench.on(40, command(1.0, 0.0, 4)), [], "a zero has to come first");
    bench.on(50, command(0.0, 0.0, 5));
    assert_eq!(bench.on(60, command(1.0, 0.0, 6)), [go(1.0, 0.0, 6)]);
}

#[test]
fn a_publisher_from_before_the_start_begins_with_a_zero() {
    let mut bench = Bench::fresh(params());
    bench.on(0, free());
    let mut drives = Vec::new();
    for ms in (10..400).step_by(10) {
        drives.extend(bench.on(ms, command(1.0, 0.0, ms as i32)));
    }
    assert!(drives.iter().all(|zero| *zero == WITHHELD), "{drives:?}");
    assert_eq!(bench.reason(), Reason::WaitsForZero);
    assert_eq!(bench.0.counters().held_commands, 39);
    assert_eq!(
        bench.on(400, command(0.003, 0.0, 400)),
        [go(0.003, 0.0, 400)],
        "a stick that drifts is at zero"
    );
    assert_eq!(bench.on(410, command(1.0, 0.0, 410)), [go(1.0, 0.0, 410)]);
}

#[test]
fn what_a_zone_withholds_is_no_zero_and_what_was_withheld_stays_so() {
    let mut bench = Bench::new(params());
    bench.on(0, front(0.0, 1.0));
    assert_eq!(bench.on(10, command(1.0, 0.0, 1)), [Command { withheld: true, ..stop(1) }]);
    // Nothing is withheld of a command without motion, drift included.
    assert_eq!(bench.on(20, command(0.003, 0.0, 2)), [stop(2)]);
    assert_eq!(bench.on(30, command(0.0, 0.0, 3)), [stop(3)]);
    let withheld = Command { withheld: true, ..stop(4) };
    assert_eq!(bench.on(40, Input::CommandReceived(withheld)), [withheld]);
    // A loss of it is a loss of motion.
    bench.on(400, free());
    assert_eq!(bench.at(540), [Command::STOP]);
    assert_eq!(bench.on(550, command(1.0, 0.0, 5)), []);
    assert_eq!(bench.reason(), Reason::WaitsForZero);
}

#[test]
fn its_own_zeros_withhold_what_is_asked_for_while_no_scaling_counts() {
    let mut bench = Bench::new(params());
    for ms in (10..1_000).step_by(10) {
        assert!(bench.on(ms, command(1.0, 0.0, ms as i32)).iter().all(|zero| *zero == WITHHELD));
    }
    assert_eq!(bench.reason(), Reason::ScalingMissing);
    assert_eq!(bench.on(1_000, command(0.0, 0.0, 1_000)), [stop(1_000)]);
}
