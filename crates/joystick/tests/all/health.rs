//! The health of a node whose stick does not drive although it is pushed.

use crate::common;
use crate::rest::{axis, button, plug};

use common::{Bench, ON, PAD, guarded};
use joystick::{Level, Report};

#[test]
fn a_stick_off_rest_is_named_whether_its_button_is_held_or_not() {
    let mut bench = Bench::new(guarded());
    plug(&mut bench, PAD, "Pad", "", [10_000, 0], &[]);
    let off = "axis 0 (linear.x) is 31 % of its range off rest";
    let says = |bench: &Bench, level, start: &str, part: &str| {
        let (shown, text) = bench.machine.health();
        assert!(shown == level && text.starts_with(start) && text.contains(part), "{text}");
    };
    says(&bench, Level::Warn, "inactive: hold button", off);
    let before = bench.reports().len();
    button(&mut bench, PAD, ON, true);
    says(&bench, Level::Warn, "waits for the stick at rest", off);
    let reports = bench.reports();
    assert!(matches!(reports[before..], [Report::WaitsForRest(Some(_))]), "{reports:?}");
    axis(&mut bench, PAD, 0, 0);
    says(&bench, Level::Ok, "active: the stick drives", "");
}

#[test]
fn a_stick_that_is_pushed_with_another_button_says_which_one_drives() {
    let mut bench = Bench::new(guarded());
    plug(&mut bench, PAD, "Pad", "", [0; 2], &[]);
    axis(&mut bench, PAD, 0, i16::MAX);
    assert_eq!(bench.machine.health().0, Level::Ok, "it is touched, and nobody asks for motion");
    button(&mut bench, PAD, 9, true);
    let (level, text) = bench.machine.health();
    let start = format!("inactive: the stick is pushed with button 9 held; hold button {ON} (enable.on)");
    assert!(level == Level::Warn && text.starts_with(&start), "{text}");
    axis(&mut bench, PAD, 0, 0);
    assert_eq!(bench.machine.health().0, Level::Ok);
}
