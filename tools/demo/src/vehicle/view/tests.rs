use super::*;
use crate::screen::drawn;
use crate::vehicle::keyboard::Keyboard;
use crate::vehicle::observed::{Applied, Pose};
use crate::vehicle::operator_input::Stick;

/// The contents of a screen of this size, line by line.
fn screen(width: u16, height: u16, change: impl FnOnce(&mut Picture<'_>)) -> Vec<String> {
    let mut observed = Observed::default();
    observed.moved(Pose { point: [1.5, 3.0], heading: 0.0 });
    observed.scaling = Some([1.0; 16]);
    observed.state = Some("OK".into());
    observed.source = Some("navigation".into());
    observed.stick = Some(Stick::pushed(0.5, -1.0));
    observed.applied =
        Some(Applied { zone: Some(zones::Zone::BackRight), forward_back: 0.25, left_right: 1.0 });
    (observed.port, observed.starboard) = (Some(24), Some(156));
    let latency = Quantiles { total: 9, p50: 123.0, p99: 4567.0, max: 89_000.0 };
    let figures = [Figures { rate: Some(200.0), latency: Some(latency) }; 4];
    let world = Params::default();
    let mut picture = Picture {
        observed: &observed,
        operator_input: OperatorInput::REST,
        pilot: Pilot::Keyboard(Keyboard::take_over(OperatorInput::REST)),
        step: None,
        missing: &[],
        figures: &figures,
        world: &world,
        gamepad: None,
        domain: 42,
        now: Instant::ZERO,
    };
    change(&mut picture);
    drawn(width, height, |frame| draw(frame, &picture))
}

#[test]
fn everything_is_on_the_smallest_screen() {
    for (width, height) in [(80, 24), (100, 30), (200, 60)] {
        let screen = screen(width, height, |_| {}).join("\n");
        for text in [
            "Steersman, ROS domain 42",
            "state     OK",
            "dead-man held",
            "+50 %",
            "-100 %",
            "navigation",
            "back right x0.25 x1.00",
            "port      ·········|█████████  24",
            "starboard █████████|········· 156",
            "velocity_arbiter 200  123 4567   89k",
            "hindbrain        200  123 4567   89k",
            "drive with the arrow keys",
            "q quit",
            "unplug/replug",
        ] {
            assert!(screen.contains(text), "'{text}' is missing at {width} x {height}:\n{screen}");
        }
    }
}

#[test]
fn the_robot_is_where_it_is() {
    let screen = screen(100, 30, |_| {});
    // The map's part is 62 wide, 60 within its frame, and the room's 8.4 m fill it: x = 1.5 m is column
    // 1 + 60 * 1.7 / 8.4 = 13, and the arcs end 0.67 m or 4.8 columns from there; y = 3 m is the middle line.
    let drawn = |columns: core::ops::Range<usize>| {
        let lines = screen
            .iter()
            .skip(11)
            .take(6)
            .flat_map(|line| line.chars().skip(columns.start).take(columns.len()));
        lines.filter(|cell| ('\u{2801}'..='\u{28ff}').contains(cell)).count()
    };
    assert!(drawn(8..19) > 20, "{}", screen.join("\n"));
    assert_eq!((drawn(3..7), drawn(20..27)), (0, 0), "{}", screen.join("\n"));
}

#[test]
fn the_hint_shows_the_next_step() {
    let hint = |change: fn(&mut Picture<'_>)| screen(80, 24, change)[21].clone();
    assert!(hint(|p| p.operator_input.estop = true).contains("r releases it"));
    assert!(hint(|p| p.operator_input.stick = None).contains("u plugs it in"));
    assert!(hint(|p| p.gamepad = Some("Pad")).starts_with("Pad drives"));
    assert!(hint(|p| p.pilot = Pilot::Waiting(Instant::ZERO)).contains("begins in 5 s"));
    assert!(hint(|p| p.step = Some(Step::Press)).contains("a key takes over: the e-stop is pressed"));
    let missing = |p: &mut Picture<'_>| {
        p.pilot = Pilot::Starting;
        p.missing = &["odom", "hind/state"];
    };
    assert!(hint(missing).ends_with("no message yet on: odom, hind/state"));
}

#[test]
fn a_screen_that_is_too_small_does_not_panic() {
    for (width, height) in [(1, 1), (10, 3), (38, 5), (40, 24)] {
        screen(width, height, |_| {});
    }
}
