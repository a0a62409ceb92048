//! LUCI's own messages: its stick, its feedback, and the mode in which it scales.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use safety::{Command, Instant, Machine, PublisherCount, Stamp, Velocity};
use zones::{
    Applied, Channel, Feedback, FullSpeed, Input, Joystick, Level, Mode, Operation, Output, Params,
    Published, Reason, Stick, Zone, ZoneScaler,
};

fn params() -> Params {
    Params { full_speed: FullSpeed { linear: 2.0, angular: 0.5 }, ..Params::default() }
}

fn predict() -> Params {
    Params { operation: Operation::Predict, ..params() }
}

fn front(forward_back: f32) -> Input {
    let mut fields = [1.0; 16];
    fields[0] = forward_back;
    Input::ScalingReceived(fields)
}

fn joystick(forward_back: i32, left_right: i32, joystick_zone: i32, input_source: i32) -> Input {
    Input::JoystickReceived(Joystick { forward_back, left_right, joystick_zone, input_source })
}

fn command(forward: f64, sec: i32) -> Input {
    let stamp = Stamp { sec, nanosec: 0 };
    Input::CommandReceived(Command::new(Velocity::planar(forward, 0.0).unwrap(), stamp))
}

fn feedback(forward_back: i32, input_source: i32) -> Feedback {
    Feedback {
        forward_back,
        left_right: 0,
        joystick_zone: Zone::Front.number(),
        input_source,
        forward_back_scaling: 0.5,
        left_right_scaling: 1.0,
    }
}

const WITHHELD: Command = Command { withheld: true, ..Command::STOP };

struct Bench(ZoneScaler);

impl Bench {
    /// After what a fresh scaler sends, and with half of forward left.
    fn new(params: Params) -> Self {
        let mut bench = Self(ZoneScaler::new(params));
        bench.on(0, command(0.0, 0));
        bench.on(0, front(0.5));
        bench
    }

    /// One that predicts, and has commanded nothing so far.
    fn silent() -> Self {
        let mut bench = Self(ZoneScaler::new(predict()));
        assert!(bench.at(0).0.is_empty() && bench.on(0, command(0.0, 0)).0.is_empty());
        assert!(bench.on(0, front(0.5)).0.is_empty());
        bench
    }

    fn at(&mut self, ms: u64) -> (Vec<Command>, Vec<Applied>) {
        let now = Instant::from_millis(ms);
        let (mut driven, mut results) = (vec![], vec![]);
        while let Some(output) = self.0.poll(now) {
            match output {
                Output::Drive(command) => driven.push(command),
                Output::PublishApplied(applied) => results.push(applied),
            }
        }
        assert!(self.0.deadline().is_none_or(|at| at > now), "nothing is due after a drain");
        (driven, results)
    }

    fn on(&mut self, ms: u64, input: Input) -> (Vec<Command>, Vec<Applied>) {
        self.0.handle(Instant::from_millis(ms), input);
        self.at(ms)
    }
}

#[test]
fn the_result_for_a_joystick_is_reported_and_nothing_is_commanded() {
    let mut bench = Bench::new(params());
    let (driven, applied) = bench.on(10, joystick(100, -9, 0, 4));
    let expected = Applied {
        channel: Channel::Joystick,
        requested: Stick { forward_back: 100.0, left_right: -9.0 },
        forward_back: 50,
        left_right: -9,
        zone: Zone::Front,
        input_source: 4,
        forward_back_scaling: 0.5,
        left_right_scaling: 1.0,
        limited_by: Some(Zone::Front),
        reason: Reason::Scaled,
    };
    assert_eq!((driven, applied), (vec![], vec![expected]));
    assert_eq!(bench.0.applied_to_joystick(), Some(&expected));
    let (driven, applied) = bench.on(20, front(0.2));
    assert_eq!(
        (driven, applied.len(), applied[0].forward_back),
        (vec![], 1, 20),
        "a change acts on the stick in force"
    );
    assert_eq!(bench.0.health(), (Level::Ok, "scaled".into()));
}

#[test]
fn fields_outside_are_cut_and_a_wrong_zone_or_source_is_counted() {
    let mut bench = Bench::new(params());
    let (_, applied) = bench.on(10, joystick(101, i32::MIN, 1, 4));
    assert_eq!(applied[0].requested, Stick { forward_back: 100.0, left_right: -100.0 });
    let counters = *bench.0.counters();
    assert_eq!((counters.cut_fields, counters.other_zones, counters.unknown_sources), (2, 0, 0));
    // Pulled back and left is back right, 6, as drawn; by the sign of the parts it would be 5.
    bench.on(20, joystick(-60, -60, 6, 4));
    assert_eq!(bench.0.counters().other_zones, 0);
    let (_, applied) = bench.on(30, joystick(-60, -60, 5, 4));
    assert_eq!((bench.0.counters().other_zones, applied[0].zone), (1, Zone::BackRight), "ours is reported");
    let (_, applied) = bench.on(40, joystick(0, 0, 8, 6));
    assert_eq!(
        (bench.0.counters().unknown_sources, applied[0].input_source),
        (1, 5),
        "the parameter is used instead"
    );
    // All zero is not neutral: it means front, and ramp assist.
    let (_, applied) = bench.on(50, joystick(0, 0, 0, 0));
    assert_eq!(
        (bench.0.counters().other_zones, applied[0].zone, applied[0].input_source),
        (2, Zone::Origin, 0)
    );
    assert_eq!(bench.0.counters().joysticks, 5);
}

#[test]
fn the_input_source_of_a_stick_is_copied_and_that_of_a_velocity_is_set() {
    let mut bench =
        Bench::new(Params { published: Published { input_source: 1, ..Published::default() }, ..params() });
    assert_eq!(bench.on(10, joystick(100, 0, 0, 4)).1[0].input_source, 4);
    assert_eq!(bench.on(10, command(1.0, 3)).1[0].input_source, 1);
}

#[test]
fn a_lost_joystick_is_reported_as_a_zero_of_its_own_source_at_once_and_every_heartbeat() {
    let mut bench = Bench::new(params());
    assert!(bench.at(99).1.is_empty() && bench.0.applied_to_joystick().is_none());
    assert!(bench.at(100).1.iter().all(|applied| applied.channel == Channel::Velocity), "none has come");
    bench.on(100, joystick(100, 0, 0, 4));
    let lost = |bench: &mut Bench, ms| {
        let applied = bench.at(ms).1.into_iter().find(|applied| applied.channel == Channel::Joystick);
        applied.map(|applied| (applied.forward_back, applied.zone, applied.input_source, applied.reason))
    };
    for ms in (110..600).step_by(10) {
        bench.on(ms, front(0.5));
    }
    assert_eq!(lost(&mut bench, 599), None);
    let zero = Some((0, Zone::Origin, 4, Reason::CommandStale));
    assert_eq!(lost(&mut bench, 600), zero);
    assert_eq!(lost(&mut bench, 699), None);
    assert_eq!(lost(&mut bench, 700), zero);
    assert_eq!(bench.0.counters().lost_joysticks, 1);
    assert_eq!(bench.0.health().0, Level::Ok);
    let (_, applied) = bench.on(750, Input::Stopping);
    let reasons = applied.iter().map(|applied| (applied.channel, applied.reason));
    assert!(reasons.eq([Channel::Velocity, Channel::Joystick].map(|channel| (channel, Reason::Stopping))));
    assert_eq!(bench.on(760, joystick(100, 0, 0, 4)), (vec![], vec![]));
    assert_eq!((bench.at(9000), bench.0.deadline()), ((vec![], vec![]), None));
}

#[test]
fn a_velocity_and_a_joystick_do_not_mix() {
    let mut bench = Bench::new(params());
    bench.on(10, command(2.0, 3));
    bench.on(20, joystick(-40, 0, 7, 4));
    assert_eq!((bench.0.applied().forward_back, bench.0.active().channel), (50, Channel::Velocity));
    assert_eq!(bench.0.applied_to_joystick().unwrap().forward_back, -40);
    for ms in (50..=500).step_by(50) {
        bench.on(ms, front(0.5));
    }
    bench.on(510, joystick(-40, 0, 7, 4));
    assert_eq!(
        (bench.0.applied().reason, bench.0.active().channel),
        (Reason::CommandStale, Channel::Joystick)
    );
}

#[test]
fn a_prediction_is_reported_and_nothing_is_commanded() {
    let mut bench = Bench::silent();
    let (driven, applied) = bench.on(10, command(2.0, 3));
    assert_eq!((driven, applied.len()), (vec![], 1));
    assert_eq!((applied[0].forward_back, applied[0].reason), (50, Reason::Predicted));
    assert_eq!(bench.on(20, front(0.25)).1[0].forward_back, 25);
    assert_eq!(bench.0.health(), (Level::Ok, "predicted, nothing is commanded".into()));
    assert_eq!(bench.at(509), (vec![], vec![]));
    let (driven, applied) = bench.at(510);
    assert_eq!((driven, applied[0].reason), (vec![], Reason::CommandStale));
}

/// A prediction moves nothing, so it continues where a command would need a new zero.
#[test]
fn a_prediction_outlives_the_loss_of_the_scaling_but_no_second_publisher() {
    let mut bench = Bench::silent();
    assert_eq!(bench.on(10, command(2.0, 3)).1[0].forward_back, 50);
    let (_, applied) = bench.on(20, front(f32::NAN));
    assert_eq!((applied[0].forward_back, applied[0].reason), (0, Reason::Predicted));
    assert_eq!(bench.on(30, front(0.5)).1[0].forward_back, 50, "a factor was no number");
    let (_, applied) = bench.on(40, Input::ScalingPublishersCounted(PublisherCount::of(2)));
    assert_eq!((applied[0].forward_back, applied[0].reason), (0, Reason::ScalingConflict));
    bench.on(50, Input::ScalingPublishersCounted(PublisherCount::of(1)));
    assert_eq!(bench.on(60, front(0.5)).1[0].forward_back, 50);
    let (_, applied) = bench.on(70, Input::CommandPublishersCounted(PublisherCount::of(2)));
    assert_eq!((applied[0].forward_back, applied[0].reason), (0, Reason::CommandConflict));
    bench.on(80, Input::CommandPublishersCounted(PublisherCount::of(1)));
    let (_, applied) = bench.on(90, command(2.0, 4));
    assert!(applied.iter().all(|applied| applied.forward_back == 0), "a zero comes first");
}

#[test]
fn a_change_to_prediction_commands_one_zero_and_back_nothing_before_a_zero() {
    let mut bench = Bench::new(params());
    bench.on(10, command(2.0, 3));
    assert_eq!(bench.on(20, Input::ParametersChanged(predict())).0, [WITHHELD]);
    assert_eq!(bench.on(30, Input::ParametersChanged(predict())).0, []);
    assert_eq!(bench.on(40, command(1.0, 4)).0, []);
    assert_eq!(bench.on(50, Input::ParametersChanged(params())).0, []);
    assert_eq!(bench.on(51, command(1.0, 5)).0, []);
    bench.on(52, command(0.0, 6));
    let (driven, _) = bench.on(53, command(1.0, 7));
    assert_eq!((driven.len(), driven[0].velocity.forward(), driven[0].stamp.sec), (1, 1.0, 7));
    bench.on(60, Input::Stopping);
    assert_eq!(bench.on(70, Input::ParametersChanged(predict())), (vec![], vec![]), "after the end nothing");
}

#[test]
fn a_chair_that_deviates_from_the_prediction_is_reported() {
    let mut bench = Bench::new(predict());
    bench.on(0, command(2.0, 3)); // 100 percent, of which 50 are left
    for (ms, forward_back, deviations) in [(10, 50, 0), (20, 47, 0), (30, 53, 0), (40, 54, 1), (50, 100, 2)] {
        bench.on(ms, Input::FeedbackReceived(feedback(forward_back, 5)));
        assert_eq!(bench.0.counters().deviations, deviations, "{forward_back}");
    }
    let text = "the chair is 50 percent of full throw from what was predicted";
    assert_eq!(bench.0.health(), (Level::Warn, text.into()));
    let other = Feedback { joystick_zone: 7, ..feedback(50, 5) };
    bench.on(60, Input::FeedbackReceived(other));
    let text =
        "the chair is 0 percent of full throw from what was predicted and reports the stick in another zone";
    assert_eq!(bench.0.health(), (Level::Warn, text.into()));
    assert!(bench.0.report().contains(&("last deviation", text.into())));
    bench.on(70, Input::FeedbackReceived(feedback(50, 5)));
    assert_eq!(bench.0.health().0, Level::Ok, "the last one counts");
    let counters = bench.0.counters();
    assert_eq!((counters.feedbacks, counters.deviations, counters.uncompared), (7, 3, 0));
}

#[test]
fn only_a_prediction_for_the_same_source_is_compared() {
    let mut bench = Bench(ZoneScaler::new(params()));
    bench.on(0, front(0.5));
    bench.on(0, joystick(100, 0, 0, 4));
    bench.on(10, Input::FeedbackReceived(feedback(100, 5)));
    let counters = *bench.0.counters();
    assert_eq!((counters.uncompared, counters.deviations), (1, 0), "no velocity has come");
    bench.on(20, Input::FeedbackReceived(feedback(100, 4)));
    assert_eq!((bench.0.counters().uncompared, bench.0.counters().deviations), (1, 1));
    bench.on(30, Input::FeedbackReceived(Feedback { forward_back_scaling: f32::NAN, ..feedback(100, 4) }));
    assert_eq!((bench.0.counters().invalid_feedbacks, bench.0.counters().deviations), (1, 1));
    bench.on(40, joystick(100, 0, 0, 5));
    bench.on(45, command(0.0, 2));
    bench.on(50, command(1.0, 3));
    bench.on(60, Input::FeedbackReceived(feedback(-50, 5)));
    assert_eq!(bench.0.counters().deviations, 2, "both channels are of source 5, and it is neither");
}

#[test]
fn a_chair_that_scales_twice_is_reported() {
    // We multiply 80 by 0.5 to 40 and command that; the chair multiplies again to 20.
    let mut bench = Bench::new(Params { scaling: Mode::Multiply, ..params() });
    bench.on(0, command(1.6, 3));
    assert_eq!(bench.0.applied().forward_back, 40);
    for ms in (50..=900).step_by(50) {
        bench.on(ms, front(0.5));
        bench.on(ms, command(1.6, 3 + ms as i32));
    }
    bench.on(900, Input::FeedbackReceived(feedback(20, 5)));
    let text = "the chair is 20 percent of full throw from what was predicted";
    assert_eq!(bench.0.health(), (Level::Warn, text.into()));
}
