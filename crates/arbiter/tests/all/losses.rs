//! Losing is a stop: a source that was lost in motion, or held, starts no motion by itself.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use arbiter::{Input, Level, LockState, Refused, Source, SourceType, State, Verdict, ZeroCause};
use common::{Bench, HIGH, LOW, WITHHELD, command, go, lock, params, stamp, stop};
use safety::{Command, PublisherCount, Velocity};

const LOST: Verdict = Verdict::WaitsForZero(ZeroCause::Lost);
const OTHER: Verdict = Verdict::WaitsForZero(ZeroCause::OtherLost);
const BEGINS: Verdict = Verdict::WaitsForZero(ZeroCause::Begins);

#[test]
fn a_source_that_was_silent_in_motion_drives_again_after_a_zero() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.5, 1);
    assert_eq!(bench.at(500), [Command::STOP]);
    assert!(bench.command(3_000, LOW, 0.5, 2).iter().all(|command| command.velocity.is_zero()));
    assert_eq!(bench.verdicts()[LOW], LOST);
    let text = "low waits for a zero: it was lost while it asked for motion; no source drives";
    assert_eq!(bench.0.health(), (Level::Warn, text.into()));
    assert_eq!(bench.0.counters().refused.of(Refused::WaitsForZero), 1);
    assert_eq!(bench.command(3_010, LOW, 0.0, 3), [stop(3)]);
    assert_eq!(bench.command(3_020, LOW, 0.5, 4), [go(0.5, 4)]);
}

#[test]
fn a_source_that_was_silent_at_rest_may_begin_with_motion() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.0, 1);
    bench.at(990);
    assert_eq!(bench.command(991, LOW, 0.5, 2), [go(0.5, 2)]);
}

#[test]
fn a_stick_that_was_silent_at_rest_begins_with_a_zero() {
    let mut params = params(vec![]);
    params.sources[LOW].kind = SourceType::PoseState;
    let mut bench = Bench::with(params);
    let mut begins = |ms: u64, sec: i32| {
        assert!(bench.command(ms, LOW, 0.5, sec).iter().all(|command| command.velocity.is_zero()));
        assert_eq!(bench.verdicts()[LOW], BEGINS, "{ms}");
        assert_eq!(bench.command(ms + 10, LOW, 0.0, sec + 1), [stop(sec + 1)]);
        assert_eq!(bench.command(ms + 20, LOW, 0.5, sec + 2), [go(0.5, sec + 2)]);
        assert_eq!(bench.command(ms + 30, LOW, 0.0, sec + 3), [stop(sec + 3)]);
        assert!(bench.at(ms + 1_000).iter().all(|command| command.velocity.is_zero()));
        assert_eq!(bench.verdicts()[LOW], Verdict::TimedOut, "while it is silent it is only timed out");
    };
    begins(0, 1);
    begins(60_000, 5);
}

#[test]
fn an_invalid_message_stops_its_source_until_a_zero() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.5, 1);
    assert_eq!(bench.command(10, LOW, f64::NAN, 2), [WITHHELD]);
    assert_eq!(bench.verdicts()[LOW], Verdict::Invalid);
    assert_eq!(bench.0.health(), (Level::Error, "low sent no valid command; no source drives".into()));
    let (source, reason) = bench.0.last_invalid().unwrap();
    assert_eq!((source, reason.to_string().as_str()), (LOW, "linear.x is NaN, must be finite"));
    assert_eq!(bench.command(20, LOW, 0.5, 3), []);
    assert_eq!(bench.verdicts()[LOW], LOST);
    assert_eq!(bench.command(30, LOW, 0.0, 4), [stop(4)]);
    assert_eq!(bench.command(40, LOW, 0.5, 5), [go(0.5, 5)]);
}

#[test]
fn when_the_driving_source_is_lost_in_motion_every_source_needs_a_zero() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, HIGH, 1.0, 1);
    assert_eq!(bench.command(490, LOW, 0.5, 2), []);
    assert_eq!(bench.at(500), [WITHHELD]);
    assert_eq!(bench.verdicts(), [OTHER, Verdict::TimedOut]);
    assert_eq!(bench.command(510, LOW, 0.4, 3), [], "nothing starts by itself");
    assert_eq!(bench.command(520, LOW, 0.0, 4), [stop(4)]);
    assert_eq!(bench.command(530, LOW, 0.4, 5), [go(0.4, 5)]);
    // High still needs its own.
    assert_eq!(bench.command(540, HIGH, 1.0, 6), []);
    assert_eq!(bench.verdicts(), [Verdict::Drives, LOST]);
    assert_eq!(bench.command(550, HIGH, 0.0, 7), [stop(7)]);
    assert_eq!(bench.command(560, HIGH, 1.0, 8), [go(1.0, 8)]);
}

/// A zero of the stick `source`, held or released.
fn stands(source: usize, sec: i32, is_held: bool) -> Input {
    let zero = Some([0.0; 3]);
    let acc = zero.filter(|_| is_held);
    let state = State { stamp: stamp(sec), intrinsic: true, vel: zero, avel: zero, acc, ..State::default() };
    Input::StateReceived { source, state }
}

/// The commands with motion while navigation asks for motion from `from` to `to`; the lock is open if it `is_open`.
fn asks(bench: &mut Bench, from: u64, to: u64, is_open: bool) -> Vec<Command> {
    let mut out = Vec::new();
    for ms in (from..to).step_by(50) {
        if is_open {
            out.extend(bench.lock(ms, false));
        }
        out.extend(bench.command(ms, LOW, 0.5, ms as i32));
    }
    out.retain(|command| !command.velocity.is_zero());
    out
}

/// A stick holds the vehicle still at 500, above navigation, which asks for motion.
fn held_still() -> Bench {
    let mut params = params(vec![lock(150)]);
    params.sources[HIGH].kind = SourceType::PoseState;
    let mut bench = Bench::opened(params);
    bench.on(0, stands(HIGH, 0, true));
    assert_eq!(asks(&mut bench, 1, 250, true), []);
    bench.on(250, stands(HIGH, 1, true));
    assert_eq!(asks(&mut bench, 251, 500, true), []);
    assert_eq!(bench.on(500, stands(HIGH, 2, true)).last(), Some(&stop(2)));
    bench
}

#[test]
fn after_a_stick_is_lost_at_rest_every_source_needs_a_zero() {
    type Loss = (&'static str, fn(&mut Bench));
    let losses: [Loss; 5] = [
        ("silent", |bench| {
            asks(bench, 501, 1_001, true);
        }),
        ("invalid message", |bench| {
            let state = State { stamp: stamp(3), intrinsic: true, ..State::default() };
            bench.on(501, Input::StateReceived { source: HIGH, state });
        }),
        ("two publishers", |bench| {
            let publishers = PublisherCount::of(2);
            bench.on(501, Input::SourcePublishersCounted { source: HIGH, publishers });
        }),
        ("removed", |bench| {
            let mut one = bench.0.params().clone();
            one.sources.truncate(1);
            bench.on(501, Input::ParametersChanged(one));
        }),
        ("a silent lock above it", |bench| {
            asks(bench, 501, 900, false);
        }),
    ];
    for (what, lose) in losses {
        let mut bench = held_still();
        lose(&mut bench);
        assert_eq!(asks(&mut bench, 1_001, 2_001, true), [], "{what}");
        assert_eq!(bench.verdicts()[LOW], OTHER, "{what}");
        assert_eq!(bench.command(2_001, LOW, 0.0, 2_001).last(), Some(&stop(2_001)), "{what}");
        assert_ne!(asks(&mut bench, 2_010, 2_100, true), [], "{what}");
    }
}

#[test]
fn after_a_stick_is_lost_behind_a_closed_lock_the_opening_starts_nothing() {
    for forward in [0.0, 0.5] {
        let mut bench = held_still();
        if forward > 0.0 {
            bench.command(501, HIGH, forward, 3);
        }
        for ms in (510..1_200).step_by(50) {
            bench.lock(ms, true);
            bench.command(ms, LOW, 0.5, ms as i32);
        }
        assert_eq!(asks(&mut bench, 1_201, 2_001, true), [], "{forward}");
        assert_eq!(bench.verdicts()[LOW], OTHER, "{forward}");
        assert_eq!(bench.command(2_001, LOW, 0.0, 2_001).last(), Some(&stop(2_001)), "{forward}");
        assert_ne!(asks(&mut bench, 2_010, 2_100, true), [], "{forward}");
    }
}

#[test]
fn a_source_that_is_lost_while_outranked_requires_a_zero_of_those_below_it_only() {
    const TOP: usize = 2;
    let mut params = params(vec![]);
    params.sources.push(Source::new("top", "/top", SourceType::TwistStamped, 200));
    let mut bench = Bench::with(params);
    bench.command(0, HIGH, 0.5, 1);
    for ms in (10..1_000).step_by(90) {
        bench.command(ms, LOW, 0.1, ms as i32);
        assert_eq!(bench.command(ms, TOP, 1.0, ms as i32), [go(1.0, ms as i32)], "HIGH is lost at 500");
    }
    bench.command(1_000, TOP, 0.0, 1_000); // its motion ends
    for ms in (1_010..1_600).step_by(90) {
        bench.command(ms, LOW, 0.1, ms as i32);
    }
    assert_eq!(bench.verdicts(), [OTHER, Verdict::TimedOut, Verdict::TimedOut]);
    assert_eq!(bench.command(1_610, LOW, 0.0, 1_610).last(), Some(&stop(1_610)));
    assert_eq!(bench.command(1_620, LOW, 0.1, 1_620), [go(0.1, 1_620)]);
}

#[test]
fn a_released_stick_hands_over_unless_it_was_held_again() {
    for holds in [false, true] {
        let mut bench = held_still();
        for (ms, is_held) in [(501, false), (502, true), (503, holds)] {
            bench.on(ms, stands(HIGH, 3, is_held));
        }
        assert_eq!(asks(&mut bench, 510, 1_000, true), [], "the rest of its time");
        assert_eq!(asks(&mut bench, 1_010, 2_000, true).is_empty(), holds);
    }
}

#[test]
fn a_stick_that_is_reversed_passes_zero_and_is_not_released_there() {
    let mut params = params(vec![]);
    params.sources[HIGH].kind = SourceType::PoseState;
    let mut bench = Bench::with(params);
    let at = |ms: u64, vel, acc| {
        let [vel, acc] = [vel, acc].map(|forward| Some([forward, 0.0, 0.0]));
        let state = State { stamp: stamp(ms as i32), intrinsic: true, vel, acc, ..State::default() };
        (ms, Input::StateReceived { source: HIGH, state })
    };
    let go_on = |bench: &mut Bench, states: &[(u64, f64, f64)]| -> Vec<Command> {
        let out = states.iter().flat_map(|&(ms, vel, acc)| {
            let (ms, state) = at(ms, vel, acc);
            bench.on(ms, state)
        });
        out.filter(|command| !command.velocity.is_zero()).collect()
    };
    let slow = |forward, sec| Command { withheld: true, ..go(forward, sec) };
    // Within a drive it passes zero freely.
    let drive = [(0, 0.0, 0.0), (10, 0.5, 1.0), (20, 0.01, -1.0), (30, 0.0, -1.0), (40, -0.5, 0.0)];
    assert_eq!(go_on(&mut bench, &drive), [go(0.5, 10), slow(0.01, 20), go(-0.5, 40)]);
    // Lost in motion, it comes back while it is reversed.
    let back =
        [(1_000, -0.1, 1.0), (1_010, -0.02, 1.0), (1_020, 0.0, 1.0), (1_030, 0.02, 0.11), (1_040, 0.5, 0.0)];
    assert_eq!(go_on(&mut bench, &back), []);
    assert_eq!(bench.verdicts()[HIGH], LOST);
    assert_eq!(
        go_on(&mut bench, &[(1_050, 0.0, 0.09), (1_060, 0.5, 1.0)]),
        [go(0.5, 1_060)],
        "a stick that drifts"
    );
}

#[test]
fn a_zero_sent_before_the_loss_is_not_enough() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.5, 1);
    bench.command(100, HIGH, 1.0, 2);
    bench.command(490, LOW, 0.0, 3);
    bench.at(600);
    assert_eq!(bench.command(610, LOW, 0.5, 4), []);
    assert_eq!(bench.verdicts()[LOW], OTHER);
}

#[test]
fn a_source_that_is_preempted_in_motion_continues_without_a_zero() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.5, 1);
    bench.command(10, HIGH, 1.0, 2);
    bench.command(20, HIGH, 0.0, 3); // the user releases the stick
    for ms in (100..=500).step_by(100) {
        assert!(bench.command(ms, LOW, 0.5, ms as i32).iter().all(|command| *command == Command::STOP));
    }
    assert_eq!(bench.at(520).last(), Some(&WITHHELD));
    assert_eq!(bench.command(530, LOW, 0.5, 530), [go(0.5, 530)]);
}

#[test]
fn an_outranked_source_that_falls_silent_in_motion_needs_a_zero() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.5, 1);
    bench.command(10, HIGH, 0.0, 2);
    bench.command(400, HIGH, 0.0, 3);
    bench.command(800, HIGH, 0.0, 4);
    bench.at(1_300);
    assert_eq!(bench.command(1_310, LOW, 0.5, 5), []);
    assert_eq!(bench.verdicts()[LOW], LOST);
}

#[test]
fn a_lock_that_is_closed_and_opened_requires_no_zero() {
    let mut bench = Bench::opened(params(vec![lock(50)]));
    bench.command(10, LOW, 0.5, 1);
    assert_eq!(bench.lock(20, true), [WITHHELD]);
    bench.command(30, LOW, 0.5, 2);
    bench.open(40);
    assert_eq!(bench.command(300, LOW, 0.5, 3), [go(0.5, 3)]);
}

#[test]
fn after_a_lock_falls_silent_during_motion_every_source_needs_a_zero() {
    let mut bench = Bench::opened(params(vec![lock(50)]));
    bench.command(10, LOW, 0.5, 1);
    assert_eq!(bench.at(200), [WITHHELD]);
    assert_eq!(bench.0.active().locks, [LockState::Silent]);
    bench.open(250);
    assert_eq!(bench.command(510, LOW, 0.5, 2), []);
    assert_eq!(bench.verdicts()[LOW], OTHER);
    assert_eq!(bench.command(520, HIGH, 0.5, 2), [], "above the lock, and still refused");
    assert_eq!(bench.command(530, LOW, 0.0, 3), [stop(3)]);
    assert_eq!(bench.command(540, LOW, 0.5, 4), [go(0.5, 4)]);
}

#[test]
fn a_lock_that_returns_does_not_start_a_source_that_asked_for_motion_meanwhile() {
    let mut bench = Bench::new(vec![lock(50)]);
    assert_eq!(bench.command(0, LOW, 0.5, 1), []);
    assert_eq!(bench.verdicts()[LOW], Verdict::Locked { by: 0 });
    bench.open(10);
    assert_eq!(bench.command(270, LOW, 0.5, 2), []);
    assert_eq!(bench.verdicts()[LOW], OTHER);
}

#[test]
fn a_source_that_published_before_the_start_begins_with_a_zero() {
    let mut bench = Bench::fresh(params(vec![]));
    bench.poll(0);
    assert_eq!(bench.on(4_990, command(LOW, 0.5, 1)).last(), Some(&Command::STOP));
    assert_eq!(bench.verdicts()[LOW], BEGINS);
    assert_eq!(bench.on(4_995, command(LOW, 0.0, 2)), [stop(2)]);
    assert_eq!(bench.on(4_999, command(LOW, 0.5, 3)), [go(0.5, 3)]);
    // Its first one comes later: it starts now, as nav2 does.
    assert_eq!(bench.on(5_001, command(HIGH, 0.6, 3)), [go(0.6, 3)]);
}

#[test]
fn after_an_activation_only_a_source_that_was_silent_begins_with_motion() {
    let mut bench = Bench::new(vec![]);
    assert_eq!(bench.command(0, LOW, 0.5, 1), [go(0.5, 1)]);
    bench.on(10, Input::ActivityChanged(false));
    assert_eq!(bench.0.health(), (Level::Warn, "the node is not active, no source drives".into()));
    bench.on(4_900, command(LOW, 0.5, 2)); // it asks on and on
    bench.on(9_800, command(LOW, 0.5, 3));
    bench.on(10_000, Input::ActivityChanged(true));
    let rests = |commands: Vec<Command>| {
        assert!(commands.iter().all(|command| command.velocity.is_neutral()), "{commands:?}")
    };
    rests(bench.on(10_010, command(LOW, 0.5, 4)));
    assert_eq!(bench.verdicts()[LOW], BEGINS);
    // The other one may have been sending before, at first.
    rests(bench.on(10_020, command(HIGH, 0.6, 5)));
    assert_eq!(bench.verdicts()[HIGH], BEGINS);
    let mut bench = Bench::new(vec![]);
    bench.on(0, Input::ActivityChanged(false));
    bench.on(10_000, Input::ActivityChanged(true));
    let last = bench.on(15_001, command(HIGH, 0.6, 6)).pop();
    assert_eq!(last, Some(go(0.6, 6)), "its first goal begins with motion");
}

#[test]
fn a_source_that_published_before_it_was_added_begins_with_a_zero() {
    let mut bench = Bench::new(vec![]);
    let mut one = params(vec![]);
    one.sources.truncate(1);
    bench.on(0, Input::ParametersChanged(one));
    bench.on(100, Input::ParametersChanged(params(vec![])));
    bench.command(1_000, HIGH, 0.5, 1);
    assert_eq!(bench.verdicts()[HIGH], BEGINS);
    assert_eq!(bench.command(1_010, LOW, 0.5, 1), [go(0.5, 1)], "this one stayed");
}

#[test]
fn after_a_hold_no_queued_command_is_sent() {
    for seconds in [3, 10] {
        let mut bench = Bench::new(vec![]);
        bench.command(0, HIGH, 0.0, 0);
        bench.command(10, HIGH, 0.5, 0);
        let wake = seconds * 1000;
        // Commands without stamps of a teleop that died meanwhile, and commands of another one.
        let mut out = bench.after_a_hold(wake, command(HIGH, 0.5, 0));
        for ms in 1..49 {
            out.extend(bench.on(wake + ms, command(if ms % 2 == 0 { HIGH } else { LOW }, 0.5, 0)));
        }
        assert!(out.iter().all(|command| command.velocity.is_zero()), "{out:?}");
        assert!(bench.0.counters().refused.of(Refused::TooOld) > 40);
        // The queues are empty, and it still publishes: it was lost.
        assert_eq!(bench.on(wake + 60, command(HIGH, 0.5, 0)), []);
        assert_eq!(bench.verdicts()[HIGH], LOST);
        bench.on(wake + 70, command(HIGH, 0.0, 0));
        assert_eq!(bench.on(wake + 80, command(HIGH, 0.5, 0)), [go(0.5, 0)]);
    }
}

#[test]
fn a_lock_message_read_after_a_hold_does_not_open_it() {
    let mut bench = Bench::opened(params(vec![lock(50)]));
    bench.command(0, LOW, 0.0, 0);
    bench.after_a_hold(3_000, Input::LockReceived { lock: 0, closed: false });
    assert_eq!(bench.0.active().locks, [LockState::Silent]);
    bench.open(3_060);
    assert_eq!(bench.0.active().locks, [LockState::Open]);
}

#[test]
fn a_short_hold_makes_messages_older_by_its_length() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.5, 0);
    let out = bench.after_a_hold(300, command(LOW, 0.6, 0));
    assert_eq!(out, [go(0.6, 0)]);
    assert_eq!(bench.at(499), []);
    assert_eq!(bench.at(500), [WITHHELD], "it may have been received at the previous call");
}

/// The arbiter's own commands between `from` and `to` while `source` continues to ask.
fn own_zeros(bench: &mut Bench, source: usize, from: u64, to: u64) -> Vec<Command> {
    (from..to).step_by(50).flat_map(|ms| bench.command(ms, source, 0.5, ms as i32)).collect()
}

#[test]
fn its_own_zeros_withhold_the_motion_of_a_locked_source() {
    let mut bench = Bench::new(vec![lock(50)]);
    assert_eq!(bench.lock(0, true), []);
    assert_eq!(bench.at(100), [Command::STOP], "no source asks for motion");
    let zeros = own_zeros(&mut bench, LOW, 150, 1_000);
    assert!(zeros.len() >= 8 && zeros.iter().all(|zero| *zero == WITHHELD), "{zeros:?}");
    bench.command(1_000, LOW, 0.0, 1_000);
    assert!(bench.at(1_200).iter().all(|zero| *zero == Command::STOP), "the stick was released");
}

#[test]
fn its_own_zeros_withhold_the_motion_of_a_source_that_waits_for_a_zero_until_it_falls_silent() {
    let mut bench = Bench::fresh(params(vec![]));
    assert_eq!(bench.poll(0), [Command::STOP]);
    let mut zeros = own_zeros(&mut bench, LOW, 50, 1_000);
    assert_eq!(bench.verdicts()[LOW], BEGINS);
    zeros.retain(|zero| *zero != WITHHELD);
    assert_eq!(zeros, []);
    // Its last message was at 950.
    assert!(bench.at(1_449).iter().all(|zero| *zero == WITHHELD));
    assert!(bench.at(1_700).iter().all(|zero| *zero == Command::STOP));
}

#[test]
fn a_withheld_zero_of_a_source_is_passed_on_and_does_not_allow_motion() {
    let withheld =
        |sec| Input::CommandReceived { source: LOW, command: Ok(go(0.5, sec).reduced_to(Velocity::ZERO)) };
    let mut bench = Bench::new(vec![]);
    assert_eq!(bench.on(0, withheld(1)), [Command { withheld: true, ..stop(1) }]);
    assert_eq!(bench.at(500), [Command::STOP]);
    assert_eq!(bench.command(510, HIGH, 0.5, 2), [], "the driving source was lost while it asked for motion");
    assert_eq!(bench.verdicts()[HIGH], OTHER);
    assert_eq!(bench.on(520, withheld(3)), []);
    assert_eq!(bench.verdicts()[LOW], LOST);
}

#[test]
fn a_stick_that_drifts_counts_as_zero() {
    let mut bench = Bench::fresh(params(vec![]));
    bench.poll(0);
    assert_eq!(bench.command(10, LOW, 0.003, 1), [go(0.003, 1)]);
    assert_eq!(bench.command(20, LOW, 0.5, 2), [go(0.5, 2)]);
    assert_eq!(bench.command(30, LOW, -0.003, 3), [go(-0.003, 3)]);
    bench.at(600);
    assert_eq!(bench.command(610, HIGH, 0.003, 4), [go(0.003, 4)], "nothing was lost in motion");
}

#[test]
fn an_idle_source_may_begin_its_goal_after_a_stick_was_lost_behind_a_lock() {
    let mut params = params(vec![lock(150)]);
    params.sources[HIGH].kind = SourceType::PoseState;
    let mut bench = Bench::opened(params);
    bench.on(0, stands(HIGH, 0, true));
    (10..1_500).step_by(50).for_each(|ms| drop(bench.lock(ms, true)));
    bench.open(1_500);
    assert_ne!(asks(&mut bench, 1_760, 2_000, true), []);
}
