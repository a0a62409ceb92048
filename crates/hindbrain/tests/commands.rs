//! Which commands count: old ones, repeated ones, refused ones.

mod common;

use common::{command, not_finite, rig, stamped};
use units::Stamp;

fn stamp(sec: i32) -> Stamp {
    Stamp { sec, nanosec: 0 }
}

#[test]
fn an_older_command_is_refused_while_the_newer_one_is_fresh() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.send(stamped(0.0, 0.0, stamp(10)));
    rig.repeat(&[stamped(1.0, 0.0, stamp(9))], 450);
    assert_eq!((rig.levels(), rig.hindbrain.counters().late), ([0, 0], 45));
    assert_eq!(rig.hindbrain.motors().stamp, stamp(10));
    rig.wait(50);
    rig.repeat(&[stamped(1.0, 0.0, stamp(9))], 200);
    assert!(rig.levels()[0] > 0, "a clock that was set back costs one time-out");
}

#[test]
fn a_command_without_a_stamp_is_judged_by_its_arrival() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.send(stamped(0.0, 0.0, stamp(10)));
    rig.repeat(&[command(1.0, 0.0)], 200);
    assert!(rig.levels()[0] > 0);
}

#[test]
fn a_refused_command_sends_nothing() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.send(stamped(0.0, 0.0, stamp(10)));
    let count = rig.drives.len();
    rig.send(stamped(0.0, 0.0, stamp(9)));
    rig.send(not_finite());
    assert_eq!(rig.drives.len(), count);
}

#[test]
fn the_same_stamp_again_is_not_late() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.repeat(&[stamped(1.0, 0.0, stamp(10))], 100);
    assert_eq!((rig.hindbrain.counters().late, rig.hindbrain.counters().commands), (0, 1 + 10));
}

#[test]
fn an_older_stamp_counts_from_the_moment_the_newer_one_is_stale() {
    for (wait, late) in [(499, 1), (500, 0)] {
        let mut rig = rig(&[]);
        rig.ready();
        rig.send(stamped(0.0, 0.0, stamp(10)));
        rig.wait(wait);
        rig.send(stamped(1.0, 0.0, stamp(9)));
        assert_eq!(rig.hindbrain.counters().late, late, "after {wait} ms");
    }
}

#[test]
fn what_is_refused_is_told_at_once_and_then_once_a_second() {
    let mut rig = rig(&[]);
    rig.repeat(&[not_finite()], 2_500);
    assert_eq!((rig.refusals.len(), rig.hindbrain.counters().invalid), (3, 250));
    assert_eq!(rig.refusals[0].to_string(), "linear.x is NaN, must be finite");
    rig.wait(1_000);
    assert_eq!(rig.refusals.len(), 3, "nothing came");
    // The default of full speed is 1 m/s.
    rig.send(command(100.1, 0.0));
    assert_eq!(rig.refusals[3].to_string(), "linear.x is 1.001e2, must be from -100 to 100 m/s");
    assert_eq!(rig.hindbrain.counters().commands, 0);
}
