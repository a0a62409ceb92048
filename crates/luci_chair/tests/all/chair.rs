//! The fake chair's behaviour, one sentence at a time.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use chair::{Service, Source};
use luci_chair::{Input, LuciChair, Output, Params, specification};
use safety::{Instant, Machine};

struct Bench {
    chair: LuciChair,
    ms: u64,
    outputs: Vec<(u64, Output)>,
}

fn remote(forward_back: i32, left_right: i32, input_source: i32) -> Input {
    Input::RemoteReceived(zones::Joystick { forward_back, left_right, joystick_zone: 8, input_source })
}

impl Bench {
    fn new(params: Params) -> Self {
        Self { chair: LuciChair::new(params), ms: 0, outputs: Vec::new() }
    }

    fn on(&mut self, input: Input) {
        self.chair.handle(Instant::from_millis(self.ms), input);
        self.drain();
    }

    fn drain(&mut self) {
        let now = Instant::from_millis(self.ms);
        while let Some(output) = self.chair.poll(now) {
            self.outputs.push((self.ms, output));
        }
        assert!(self.chair.deadline().is_none_or(|at| at > now), "nothing is due after a drain");
    }

    /// Advances by `ms`, with `input` every 50 ms.
    fn pass(&mut self, ms: u64, input: Option<Input>) {
        let end = self.ms + ms;
        while self.ms < end {
            if let Some(input) = input.clone().filter(|_| self.ms.is_multiple_of(50)) {
                self.on(input);
            }
            self.ms += 10;
            self.drain();
        }
    }

    fn in_mode(service: Service) -> Self {
        let mut bench = Self::new(Params::default());
        bench.on(Input::ServiceCalled(service));
        assert!(bench.outputs.contains(&(0, Output::Answer(service))));
        bench
    }

    fn speeds(&self) -> [f64; 2] {
        self.chair.wheel_speeds()
    }

    fn last(&self, pick: impl Fn(Output) -> Option<zones::Joystick>) -> Option<zones::Joystick> {
        self.outputs.iter().rev().find_map(|&(_, output)| pick(output))
    }

    fn scaled(&self) -> zones::Joystick {
        self.last(|output| if let Output::PublishScaling(s) = output { Some(s.joystick) } else { None })
            .unwrap()
    }

    fn count(&self, pick: impl Fn(&Output) -> bool) -> usize {
        self.outputs.iter().filter(|(_, output)| pick(output)).count()
    }
}

fn near(a: [f64; 2], b: [f64; 2]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9)
}

#[test]
fn the_occupant_drives_at_first() {
    let mut bench = Bench::new(Params::default());
    bench.on(Input::StickMoved(100, 0));
    bench.pass(1000, None);
    // Profile 1 goes 0.54 m/s, reached after 0.54 s at 1 m/s².
    assert!(near(bench.speeds(), [0.54, 0.54]), "{:?}", bench.speeds());
    bench.on(Input::StickMoved(0, -50));
    bench.pass(2000, None);
    // Half to the left: 0.6106 rad/s counter-clockwise, 0.15463 m/s at each wheel, right forward.
    let wheel = 0.5 * 1.2212 * 0.5065 / 2.0;
    assert!(near(bench.speeds(), [-wheel, wheel]), "{:?}", bench.speeds());
    assert_eq!(
        bench.scaled(),
        zones::Joystick { forward_back: 0, left_right: -50, joystick_zone: 3, input_source: 4 }
    );
}

#[test]
fn a_remote_drives_only_in_its_mode_and_with_its_source() {
    for (service, source) in [(Service::SetAuto, 1), (Service::SetShared, 5)] {
        for other in (-1..=6).filter(|&other| other != source) {
            let mut bench = Bench::in_mode(service);
            bench.pass(500, Some(remote(50, 0, other)));
            assert_eq!((bench.speeds(), bench.chair.counters().ignored), ([0.0; 2], 10), "source {other}");
        }
        let mut bench = Bench::in_mode(service);
        bench.pass(1000, Some(remote(50, 0, source)));
        assert!(near(bench.speeds(), [0.27, 0.27]), "half of 0.54 m/s");
        assert_eq!((bench.chair.source().number(), bench.chair.counters().ignored), (source, 0));
    }
    let mut bench = Bench::new(Params::default());
    bench.pass(500, Some(remote(50, 0, 4)));
    assert_eq!(bench.speeds(), [0.0; 2], "a remote is never the physical stick");
}

#[test]
fn the_stick_is_silent_in_auto_and_published_in_shared() {
    let positions = |service| {
        let mut bench = Bench::in_mode(service);
        bench.on(Input::StickMoved(7, 8));
        bench.pass(1000, None);
        assert_eq!(bench.speeds(), [0.0; 2], "the occupant does not drive");
        (bench.count(|output| matches!(output, Output::PublishPosition(_))), bench)
    };
    assert_eq!(positions(Service::SetAuto).0, 0);
    let (count, bench) = positions(Service::SetShared);
    let last = bench.last(|output| if let Output::PublishPosition(p) = output { Some(p) } else { None });
    assert_eq!((count, last.map(|p| (p.forward_back, p.left_right, p.input_source))), (20, Some((7, 8, 5))));
}

#[test]
fn a_slow_remote_has_the_brakes_engaged() {
    let mut bench = Bench::in_mode(Service::SetAuto);
    bench.pass(1000, Some(remote(100, 0, 1)));
    assert!(near(bench.speeds(), [0.54, 0.54]) && bench.chair.counters().brakes == 0);
    // The last one came at 950: the brakes engage at 1050 and take 0.54 / 2 = 0.27 s.
    bench.pass(40, None);
    assert!(near(bench.speeds(), [0.54, 0.54]) && !bench.chair.is_braked());
    bench.pass(10, None);
    assert!(bench.chair.is_braked() && bench.chair.counters().brakes == 1);
    bench.pass(270, None);
    assert_eq!(bench.speeds(), [0.0; 2]);
    assert_eq!(
        bench.scaled(),
        zones::Joystick { forward_back: 0, left_right: 0, joystick_zone: 8, input_source: 1 }
    );
    bench.on(remote(100, 0, 1));
    bench.pass(50, None);
    assert!(!bench.chair.is_braked() && bench.speeds()[0] > 0.0, "the next one releases them");
}

#[test]
fn a_mode_stays_until_it_is_removed() {
    let mut bench = Bench::in_mode(Service::SetShared);
    bench.pass(60_000, None);
    bench.on(Input::ServiceCalled(Service::RemoveAuto));
    assert_eq!(bench.chair.source(), Source::SharedRemote, "that was another mode");
    bench.on(Input::ServiceCalled(Service::RemoveShared));
    assert_eq!(bench.chair.source(), Source::ChairPhysical);
    bench.on(Input::ServicesRefused(true));
    bench.outputs.clear();
    bench.on(Input::ServiceCalled(Service::SetAuto));
    assert_eq!(bench.chair.source(), Source::ChairPhysical);
    assert_eq!(bench.outputs, [(60_000, Output::Answer(Service::SetAuto))], "the answer guarantees nothing");
}

#[test]
fn an_old_command_does_not_drive_in_a_new_mode() {
    let mut bench = Bench::in_mode(Service::SetAuto);
    bench.on(remote(100, 0, 1));
    bench.on(Input::ServiceCalled(Service::RemoveAuto));
    bench.on(Input::ServiceCalled(Service::SetAuto));
    bench.pass(50, None);
    assert_eq!(bench.speeds(), [0.0; 2]);
}

#[test]
fn the_zones_limit_what_drives() {
    let mut bench = Bench::in_mode(Service::SetAuto);
    let mut fields = [1.0; 16];
    fields[0] = 0.5; // front_fb
    fields[10] = f32::NAN; // back_right_fb
    bench.on(Input::ScalingGiven(fields));
    bench.pass(1000, Some(remote(100, 9, 1)));
    let stick = |bench: &Bench| {
        (bench.scaled().forward_back, bench.scaled().left_right, bench.scaled().joystick_zone)
    };
    assert_eq!(stick(&bench), (50, 9, 0));
    bench.pass(1000, Some(remote(40, 3, 1)));
    assert_eq!(stick(&bench), (40, 3, 0), "a limit, not a gain");
    bench.pass(1000, Some(remote(-60, -60, 1)));
    assert_eq!(stick(&bench), (0, -60, 6), "NaN is no permission");
    // The override suspends it for 20 s.
    bench.on(Input::OverridePressed(true));
    bench.pass(19_900, Some(remote(100, 0, 1)));
    assert_eq!(stick(&bench).0, 100);
    bench.pass(200, Some(remote(100, 0, 1)));
    assert_eq!(stick(&bench).0, 50);
    bench.on(Input::OverridePressed(false));
    for on in [100, 50] {
        bench.on(Input::OverridePressed(true));
        bench.on(Input::OverridePressed(false));
        bench.pass(100, Some(remote(100, 0, 1)));
        assert_eq!(stick(&bench).0, on, "pressed again it ends");
    }
    assert!(bench.outputs.iter().any(|(_, output)| *output == Output::PublishOverrideCount(3)));
}

#[test]
fn each_profile_has_its_speed() {
    for (profile, full) in (1..).zip([0.54, 1.07, 1.57, 2.01, 2.77]) {
        let mut bench = Bench::new(Params::default());
        bench.on(Input::ProfileSelected(profile));
        bench.on(Input::ProfileSelected(6));
        bench.on(Input::StickMoved(-100, 0));
        bench.pass(4000, None);
        assert!(near(bench.speeds(), [-full, -full]));
        assert_eq!((bench.chair.profile(), bench.chair.counters().invalid), (profile, 1));
    }
}

#[test]
fn topics_have_their_rates_and_latched_ones_come_on_change() {
    let mut bench = Bench::new(Params::default());
    bench.pass(1000, None);
    let counts = [
        bench.count(|o| matches!(o, Output::PublishPosition(_))),
        bench.count(|o| matches!(o, Output::PublishScaling(_))),
        bench.count(|o| matches!(o, Output::PublishZoneScaling(_))),
        bench.count(|o| matches!(o, Output::PublishEncoders(_))),
        bench.count(|o| matches!(o, Output::PublishImu(_))),
        bench.count(|o| matches!(o, Output::PublishProfile(_))),
        bench.count(|o| matches!(o, Output::PublishSpeedSetting(_))),
        bench.count(|o| matches!(o, Output::PublishOverride(_))),
    ];
    assert_eq!(counts, [20, 20, 10, 100, 50, 1, 1, 1]);
    bench.on(Input::StreamsHalted(true));
    let before = bench.count(|o| !matches!(o, Output::TurnWheels(..)));
    bench.pass(1000, None);
    assert_eq!(bench.count(|o| !matches!(o, Output::TurnWheels(..))), before, "silent");
}

#[test]
fn the_encoder_clock_wraps() {
    let params = Params { boot_millis: u32::MAX - 14, ..Params::default() };
    let mut bench = Bench::new(params);
    bench.pass(30, None);
    let stamps: Vec<u32> = bench
        .outputs
        .iter()
        .filter_map(|&(_, o)| if let Output::PublishEncoders(e) = o { Some(e.edge_timestamp) } else { None })
        .collect();
    // 2³² - 15 + 10, + 20, + 30 ms
    assert_eq!(stamps, [u32::MAX - 4, 5, 15]);
}

#[test]
fn polling_in_between_changes_nothing() {
    let run = |step: u64| {
        let mut chair = LuciChair::new(Params::default());
        let mut outputs = Vec::new();
        for ms in (0..2000).step_by(usize::try_from(step).unwrap()) {
            if ms == 500 {
                chair.handle(Instant::from_millis(ms), Input::StickMoved(80, 20));
            }
            while let Some(output) = chair.poll(Instant::from_millis(ms)) {
                outputs.push(format!("{output:?}"));
            }
        }
        outputs
    };
    assert_eq!(run(1), run(5));
}

#[test]
fn a_long_pause_is_made_up_for_without_a_burst() {
    let mut bench = Bench::new(Params::default());
    bench.on(Input::StickMoved(100, 0));
    bench.outputs.clear();
    bench.ms = u64::MAX / 2_000_000;
    bench.drain();
    assert_eq!(bench.outputs.len(), 8, "{:?}", bench.outputs);
    bench.on(Input::Stopping);
    assert_eq!((bench.speeds(), bench.chair.deadline()), ([0.0; 2], None));
}

#[test]
fn every_default_passes_its_own_check() {
    for (name, declaration, value) in specification().defaults().iter() {
        assert_eq!(declaration.check(name, value.clone()).as_ref(), Ok(value));
    }
    assert_eq!(Params::read(&specification().defaults()).unwrap(), Params::default());
    let three = [("forward".to_owned(), params::Value::Floats(vec![1.0; 3]))];
    let error = Params::read(&specification().resolve(three).unwrap()).unwrap_err().to_string();
    assert_eq!(error, "parameter 'forward' is [1.0, 1.0, 1.0], must have five entries, one for each profile");
}

#[test]
fn a_measured_base_is_what_the_encoders_and_the_odometry_show() {
    let mut bench = Bench::new(Params::default());
    bench.on(Input::BaseMeasured(0.5, 1.0));
    bench.pass(100, Some(Input::BaseMeasured(0.5, 1.0)));
    let published = |output: &Output| match output {
        Output::PublishOdometry(forward, turn) => Some([*forward, *turn]),
        _ => None,
    };
    let last = bench.outputs.iter().rev().find_map(|(_, output)| published(output)).unwrap();
    assert!(near(last, [0.5, 1.0]), "{last:?}");
    // 0.1 s: the left wheel goes 0.1 · (0.5 - 0.5065 / 2) m, the right one 0.1 · (0.5 + 0.5065 / 2) m, 2.38462 turns of the
    // encoder each 1.0373 m: 360 · 0.0246750 · 2.298871 = 20.42 degrees, which the left counts down, and 62.34.
    let angles = |output: &Output| match output {
        Output::PublishEncoders(fields) => Some([fields.left_angle, fields.right_angle]),
        _ => None,
    };
    let [left, right] = bench.outputs.iter().rev().find_map(|(_, output)| angles(output)).unwrap();
    assert!((left - 339.58).abs() < 0.02 && (right - 62.34).abs() < 0.02, "{left} {right}");
    bench.on(Input::BaseMeasured(f64::NAN, 0.0));
    assert_eq!(bench.chair.counters().invalid, 1);
}

#[test]
fn cameras_publish_only_when_they_are_enabled() {
    let cameras = |camera_rate: i64| {
        let set =
            specification().resolve([("camera_rate".into(), params::Value::Integer(camera_rate))]).unwrap();
        let mut bench = Bench::new(Params::read(&set).unwrap());
        bench.pass(1000, None);
        [Output::PublishCameras, Output::PublishSurroundings].map(|wanted| bench.count(|o| *o == wanted))
    };
    assert_eq!((cameras(0), cameras(10)), ([0, 5], [10, 5]));
}

#[test]
fn a_chair_that_is_not_active_stands() {
    let mut bench = Bench::in_mode(Service::SetShared);
    bench.pass(1000, Some(remote(50, 0, 5)));
    bench.on(Input::ActivityChanged(false));
    bench.pass(2000, Some(remote(50, 0, 5)));
    assert_eq!(bench.speeds(), [0.0; 2]);
    bench.on(Input::ActivityChanged(true));
    bench.pass(1000, Some(remote(50, 0, 5)));
    assert_eq!(bench.speeds(), [0.0; 2], "activation is no permission to move");
    bench.on(Input::ServiceCalled(Service::SetShared));
    bench.pass(1000, Some(remote(50, 0, 5)));
    assert!(near(bench.speeds(), [0.27, 0.27]));
}
