//! The node's machine: its inputs, and its outputs other than commands.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use chair::{
    Chair, ChairInput, ChairOutput, Hold, ImuFields, Input, Level, Output, Params, Service, Side, State,
    specification,
};
use safety::{Command, Instant, Machine, PublisherCount, Stamp, Velocity};
use zones::published;

struct Bench {
    chair: Chair,
    ms: u64,
    outputs: Vec<ChairOutput>,
}

/// Parameters with the published profiles.
fn params() -> Params {
    Params::read(&specification().resolve(published()).unwrap()).unwrap()
}

fn stick(forward_back: i32, left_right: i32, input_source: i32) -> ChairInput {
    let zone = if forward_back == 0 && left_right == 0 { 8 } else { 0 };
    let fields = zones::Joystick { forward_back, left_right, joystick_zone: zone, input_source };
    ChairInput::PositionReceived(fields)
}

fn go(forward: f64, sec: i32) -> ChairInput {
    let velocity = Velocity::planar(forward, 0.0).unwrap();
    ChairInput::Remote(Input::CommandReceived(Command::new(velocity, Stamp { sec, nanosec: 0 })))
}

impl Bench {
    fn new() -> Self {
        let mut bench = Self { chair: Chair::new(&params()), ms: 1000, outputs: Vec::new() };
        bench.on(ChairInput::Remote(Input::ProfileReceived(1)));
        bench
    }

    /// A bench in the shared mode, with a chair that shows it, and nothing recorded yet.
    fn active() -> Self {
        let mut bench = Self::new();
        bench.on(ChairInput::Remote(Input::Activated));
        bench.on(ChairInput::Remote(Input::ServiceAnswered(Service::SetShared)));
        for _ in 0..5 {
            bench.pass(50);
            bench.on(stick(0, 0, 5));
        }
        bench.on(go(0.0, 9));
        bench.on(go(0.27, 10));
        bench.pass(20);
        assert_eq!((bench.chair.remote().state(), bench.last()), (State::Active, Some((50, 0))));
        bench.outputs.clear();
        bench
    }

    fn on(&mut self, input: ChairInput) {
        self.chair.handle(Instant::from_millis(self.ms), input);
        self.drain();
    }

    fn pass(&mut self, ms: u64) {
        for _ in 0..ms {
            self.ms += 1;
            self.drain();
        }
    }

    fn drain(&mut self) {
        let now = Instant::from_millis(self.ms);
        while let Some(output) = self.chair.poll(now) {
            self.outputs.push(output);
        }
        assert!(self.chair.deadline().is_none_or(|at| at > now), "nothing is due after a drain");
    }

    fn last(&self) -> Option<(i32, i32)> {
        self.outputs.iter().rev().find_map(|output| match output {
            ChairOutput::Remote(Output::PublishJoystick(joystick)) => {
                Some((joystick.forward_back(), joystick.left_right()))
            }
            _ => None,
        })
    }

    fn occupant(&self) -> Vec<(f64, f64)> {
        let velocity = |output: &ChairOutput| match output {
            ChairOutput::PublishOccupant(command) => {
                Some((command.velocity.forward(), command.velocity.turn()))
            }
            _ => None,
        };
        self.outputs.iter().filter_map(velocity).collect()
    }
}

#[test]
fn states_are_published_when_they_change() {
    let mut bench = Bench::active();
    bench.pass(700);
    let states: Vec<_> = bench
        .outputs
        .iter()
        .filter_map(|output| if let ChairOutput::PublishState(state) = output { Some(*state) } else { None })
        .collect();
    // 0.3 s of silence from the chair; the simultaneous loss of the command has no effect.
    assert_eq!(states, [State::Lost]);
    assert_eq!(Bench::new().outputs, [ChairOutput::PublishState(State::Inactive)]);
}

#[test]
fn the_occupants_stick_is_a_velocity_with_the_signs_of_rep_103() {
    let mut bench = Bench::new();
    bench.on(stick(50, -25, 4));
    // Profile 1: half of 0.54 m/s, and a quarter of 1.2212 rad/s to the left, which is positive.
    assert_eq!(bench.occupant(), [(0.27, 0.3053)]);
    bench.on(stick(101, 0, 4));
    bench.pass(1000);
    assert_eq!(bench.occupant()[1..], [(0.0, 0.0)], "an invalid stick is zero at once, and once");
    bench.on(stick(50, 0, 4));
    bench.pass(1000);
    assert_eq!(bench.occupant()[2..], [(0.27, 0.0), (0.0, 0.0)], "silence is zero as well");
}

#[test]
fn without_a_calibration_the_occupants_stick_is_zero() {
    let mut bench = Bench::new();
    bench.on(ChairInput::Remote(Input::ProfileReceived(6)));
    bench.on(stick(50, 0, 4));
    assert_eq!(bench.occupant(), [(0.0, 0.0)]);
    let report = bench.chair.report();
    assert!(report.contains(&("sticks without a velocity", "1".into())), "{report:?}");
}

#[test]
fn an_older_stamp_is_late_and_an_equal_one_does_not_renew() {
    let mut bench = Bench::active();
    bench.on(go(0.54, 9));
    bench.pass(50);
    assert_eq!((bench.last(), bench.chair.remote().counters().late_commands), (Some((50, 0)), 1));
    // The command came 70 ms ago; the same stamp again and again lives no longer than 0.5 s from then.
    for _ in 0..10 {
        bench.on(stick(0, 0, 5));
        bench.on(go(0.27, 10));
        bench.pass(50);
    }
    assert_eq!(bench.chair.remote().counters().lost_commands, 1);
    // Without a stamp each counts as new.
    bench.on(go(0.0, 0));
    bench.on(go(0.54, 0));
    bench.pass(10);
    assert_eq!(bench.last(), Some((100, 0)));
}

#[test]
fn a_command_beyond_all_reason_is_neutral_until_a_zero() {
    let mut bench = Bench::active();
    // 54 m/s is a hundred times full throw in profile 1.
    bench.on(go(54.0, 11));
    bench.pass(10);
    assert_eq!(bench.last(), Some((100, 0)), "cut to full throw");
    bench.on(go(54.1, 12));
    assert_eq!((bench.last(), bench.chair.remote().hold()), (Some((0, 0)), Some(Hold::CommandImplausible)));
    assert_eq!(bench.chair.health().0, Level::Error);
    assert_eq!(bench.chair.remote().counters().implausible_commands, 1);
    bench.on(go(0.27, 13));
    assert_eq!((bench.last(), bench.chair.remote().hold()), (Some((0, 0)), Some(Hold::NotNeutral)));
}

/// The thread that reads hung for a second, while the alarm's thread published in time.
#[test]
fn commands_that_waited_in_a_hold_of_the_reading_thread_move_nothing() {
    let mut bench = Bench::active();
    for _ in 0..20 {
        bench.pass(50);
        bench.on(stick(0, 0, 5));
    }
    assert_eq!(bench.chair.remote().hold(), Some(Hold::CommandMissing));
    let ago = |ms: u64| Instant::from_millis(bench.ms - ms);
    let (now, since, due) = (ago(0), ago(1000), ago(900));
    bench.chair.read_again(now, since, due);
    let drive = |bench: &mut Bench| {
        bench.on(go(0.0, 0));
        bench.on(go(0.27, 0));
        bench.pass(20);
        bench.last()
    };
    assert_eq!(drive(&mut bench), Some((0, 0)), "both may be a second old");
    bench.pass(30);
    bench.on(stick(0, 0, 5));
    assert_eq!(drive(&mut bench), Some((50, 0)), "the queues are empty");
}

#[test]
fn a_second_publisher_is_neutral() {
    let mut bench = Bench::active();
    bench.on(ChairInput::Remote(Input::PublishersCounted(PublisherCount::of(2))));
    assert_eq!(
        (bench.last(), bench.chair.remote().hold()),
        (Some((0, 0)), Some(Hold::CommandConflict(PublisherCount::of(2))))
    );
    assert_eq!(bench.chair.health(), (Level::Error, "2 publishers of commands, neutral".into()));
    bench.on(ChairInput::Remote(Input::StickPublishersCounted(PublisherCount::of(2))));
    bench.on(ChairInput::Remote(Input::PublishersCounted(PublisherCount::of(1))));
    assert_eq!(bench.chair.health(), (Level::Error, "2 publishers of sticks for the chair, neutral".into()));
    bench.on(ChairInput::Remote(Input::StickPublishersCounted(PublisherCount::Unknown)));
    let text = "the publishers of sticks for the chair cannot be counted, neutral";
    assert_eq!(bench.chair.health(), (Level::Error, text.into()));
    bench.on(ChairInput::Remote(Input::StickPublishersCounted(PublisherCount::of(1))));
    bench.on(go(0.27, 11));
    bench.pass(10);
    assert_eq!((bench.last(), bench.chair.remote().hold()), (Some((0, 0)), Some(Hold::NotNeutral)));
}

#[test]
fn information_is_the_newest() {
    let mut bench = Bench::new();
    bench.outputs.clear();
    let now = Instant::from_millis(bench.ms);
    let fields = ImuFields { quaternion: [0.0, 0.0, 0.0, 1.0], accelerometer: [0.0, 0.0, f32::NAN] };
    for sec in [1, 2] {
        bench.chair.handle(now, ChairInput::ImuReceived(fields, Stamp { sec, nanosec: 0 }));
        let camera = |side, intrinsics| ChairInput::CameraReceived {
            side,
            stamp: Stamp { sec, nanosec: 0 },
            frame: format!("frame_{sec}"),
            intrinsics,
        };
        bench.chair.handle(now, camera(Side::Rear, [100.0, 100.0, sec as f32, 5.0]));
        bench.chair.handle(now, camera(Side::Left, [0.0; 4]));
    }
    assert_eq!(bench.chair.deadline(), Some(now));
    bench.drain();
    match &bench.outputs[..] {
        [
            ChairOutput::PublishImu(_, imu_stamp),
            ChairOutput::PublishCamera { side: Side::Rear, stamp, frame, matrices },
        ] => {
            assert_eq!((imu_stamp.sec, stamp.sec, frame.as_str(), matrices.k[2]), (2, 2, "frame_2", 2.0));
        }
        others => panic!("{others:?}"),
    }
    let report = bench.chair.report();
    for (key, value) in [
        ("incomplete imus", "2"),
        ("invalid cameras", "2"),
        ("last invalid camera", "left: fx is 0 pixel, must be finite and above 0"),
    ] {
        assert!(report.contains(&(key, value.into())), "{key}: {report:?}");
    }
}

#[test]
fn of_a_backlog_commands_for_motion_are_replaced_and_everything_else_counts() {
    let command = |forward| Command::new(Velocity::planar(forward, 0.0).unwrap(), Stamp::ZERO);
    let asks = |input| Chair::asks_for_motion(&ChairInput::Remote(input));
    assert!(asks(Input::CommandReceived(command(0.5))));
    assert!(!asks(Input::CommandReceived(command(0.0))));
    assert!(!asks(Input::ProfileReceived(1)));
}
