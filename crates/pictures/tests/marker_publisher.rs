//! The picture of why a vehicle stands.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use pictures::{Colour, Input, Marker, MarkerPublisher, Output, Params, Report, Shape, Source, Stop};
use safety::{Instant, Level, Machine, Velocity};

struct Bench(MarkerPublisher);

impl Bench {
    fn new() -> Self {
        Self(MarkerPublisher::new(Params::default()))
    }

    fn on(&mut self, ms: u64, input: Input) {
        self.0.handle(Instant::from_millis(ms), input);
    }

    /// The picture at a time, if one is published.
    fn picture(&mut self, ms: u64) -> Option<Vec<Marker>> {
        let Output::Publish(markers, frame) = self.0.poll(Instant::from_millis(ms))?;
        assert_eq!(frame, "base_link");
        assert_eq!(self.0.poll(Instant::from_millis(ms)), None);
        Some(markers)
    }
}

fn stop(state: &str, causes: &[&str]) -> Input {
    let source = |name: &str, says: &str, blocks| Source { name: name.into(), says: says.into(), blocks };
    Input::StopReceived(Stop {
        state: state.into(),
        causes: causes.iter().map(|&cause| cause.into()).collect(),
        sources: vec![
            source("hind/enable", "false", state != "OK"),
            source("ir_front_port", "clear", false),
            source("ir_back_port", "blocked", true),
            source("ir_back_starboard", "silent", true),
        ],
    })
}

fn report(node: &str, level: Level, message: &str) -> Input {
    Input::ReportsReceived(vec![Report { node: node.into(), level, message: message.into() }])
}

fn of<'a>(markers: &'a [Marker], namespace: &str, id: i32) -> &'a Marker {
    markers.iter().find(|marker| marker.namespace == namespace && marker.id == id).unwrap()
}

fn text(markers: &[Marker]) -> &str {
    let Shape::Text { text, .. } = &of(markers, "state", 1).shape else { panic!("a text") };
    text
}

fn beacon(markers: &[Marker]) -> Colour {
    let Shape::Ball { colour, .. } = of(markers, "state", 0).shape else { panic!("a ball") };
    colour
}

#[test]
fn a_vehicle_that_stands_shows_its_state_its_causes_and_who_blocks() {
    let mut bench = Bench::new();
    bench.on(0, stop("SSTOP.ROS", &["not enabled", "no fresh command"]));
    bench.on(0, report("hindbrain", Level::Ok, "SSTOP.ROS: not enabled"));
    bench.on(0, report("zone_scaler", Level::Ok, "scaled"));
    let how = "inactive: hold rightshoulder, button 5 (enable.on) to drive; there is no reference to pass on";
    bench.on(0, report("joystick", Level::Ok, how));
    bench.on(0, report("stranger", Level::Error, "not ours"));
    let markers = bench.picture(0).unwrap();
    let expected = "SSTOP.ROS\nnot enabled\nno fresh command\nhind/enable: false\nir_back_port: blocked\n\
                    ir_back_starboard: silent\njoystick: inactive: hold rightshoulder, button 5\n   (enable.on) to drive; \
                    there is no reference to pass\n   on\nzone_scaler: scaled";
    assert_eq!(text(&markers), expected);
    assert_eq!(beacon(&markers), Colour::of(0.5), "a stop that a person ends");
    // Red, teal and grey rays in the sensors' own frames; the others are deleted.
    let rays: Vec<_> = (0..8).map(|id| of(&markers, "infrared", id)).collect();
    let colours = rays[..3].iter().map(|ray| match ray.shape {
        Shape::Arrow { colour, .. } => colour,
        _ => panic!("an arrow"),
    });
    assert!(colours.eq([Colour::of(1.0), Colour::of(0.0), Colour::UNKNOWN]));
    assert_eq!(rays[1].frame.as_deref(), Some("ir_back_port"));
    assert!(rays.iter().enumerate().all(|(id, ray)| ray.visible == (id < 3)));
}

#[test]
fn the_beacon_has_the_colour_of_the_worst() {
    let mut bench = Bench::new();
    assert_eq!(bench.picture(0).map(|markers| beacon(&markers)), Some(Colour::UNKNOWN));
    for (ms, input, colour) in [
        (100, stop("OK", &[]), Colour::of(1.0)),
        (200, report("surround", Level::Warn, "no velocity in time"), Colour::of(0.5)),
        (300, report("surround", Level::Error, "scanner counts as blocked"), Colour::of(0.0)),
        (400, report("surround", Level::Ok, "every sensor is fresh"), Colour::of(1.0)),
        (500, stop("ESTOP", &["the e-stop is pressed"]), Colour::of(0.0)),
    ] {
        bench.on(ms, input);
        assert_eq!(bench.picture(ms).map(|markers| beacon(&markers)), Some(colour), "{ms}");
    }
}

#[test]
fn the_simulator_is_shown_while_it_holds_the_vehicle() {
    let mut bench = Bench::new();
    bench.on(0, report("velocity_arbiter", Level::Ok, "joystick drives"));
    bench.on(0, report("simulator", Level::Ok, "the wheels follow the motor topics"));
    assert_eq!(text(&bench.picture(0).unwrap()), "velocity_arbiter: joystick drives");
    bench.on(100, report("simulator", Level::Warn, "the vehicle is held by a wall"));
    let markers = bench.picture(100).unwrap();
    assert!(text(&markers).ends_with("\nsimulator: the vehicle is held by a wall"));
    assert_eq!(beacon(&markers), Colour::of(0.5));
}

#[test]
fn a_chair_without_hindbrain_shows_the_sentence_of_its_node() {
    let mut bench = Bench::new();
    bench.on(0, report("chair", Level::Error, "no calibration for the chair's profile 3, neutral"));
    let markers = bench.picture(0).unwrap();
    assert_eq!(text(&markers), "chair: no calibration for the chair's profile 3, neutral");
    assert_eq!(beacon(&markers), Colour::of(0.0));
    bench.on(100, report("hindbrain", Level::Ok, "OK"));
    assert!(text(&bench.picture(100).unwrap()).starts_with("hindbrain: OK\nchair: "));
}

#[test]
fn what_is_not_repeated_disappears() {
    let mut bench = Bench::new();
    bench.on(0, stop("OK", &[]));
    bench.on(0, report("chair", Level::Ok, "not activated"));
    bench.on(0, Input::RequestReceived(Velocity::planar(1.0, 0.0).ok()));
    bench.on(0, Input::GrantReceived(Velocity::planar(0.3, 0.0).ok()));
    let shown = |markers: &[Marker]| {
        let velocities = [0, 2].map(|id| of(markers, "velocity", id).visible);
        (velocities, text(markers).to_owned())
    };
    let mut seen = Vec::new();
    for ms in (0..5000).step_by(100) {
        if let Some(markers) = bench.picture(ms) {
            seen.push((ms, shown(&markers)));
        }
    }
    let at = |ms| seen.iter().rev().find(|(at, _)| *at <= ms).unwrap().1.clone();
    assert_eq!(
        at(499),
        ([true; 2], "OK\nir_back_port: blocked\nir_back_starboard: silent\nchair: not activated".into())
    );
    assert_eq!(at(999).0, [false; 2]);
    assert!(at(1400).1.starts_with("OK") && at(2000).1 == "chair: not activated");
    assert_eq!(at(4500).1, "no node is received");
    // Twice a second, also when nothing happens.
    assert_eq!(
        seen.iter().map(|(ms, _)| *ms).collect::<Vec<_>>(),
        (0..5000).step_by(500).collect::<Vec<_>>()
    );
}

#[test]
fn a_flood_is_drawn_ten_times_a_second_and_rest_twice() {
    let mut bench = Bench::new();
    let mut drawn = 0;
    for ms in 0..1000 {
        bench.on(ms, Input::GrantReceived(Velocity::planar(ms as f64 / 1000.0, 0.2).ok()));
        drawn += u32::from(bench.picture(ms).is_some());
        assert!(bench.0.deadline() > Some(Instant::from_millis(ms)), "it does not spin");
    }
    assert_eq!(drawn, 10);
    bench.on(1000, Input::GrantReceived(None));
    let markers = bench.picture(1000).unwrap();
    assert!(!of(&markers, "velocity", 2).visible, "not finite");
    assert_eq!(bench.0.deadline(), Some(Instant::from_millis(1500)));
}
