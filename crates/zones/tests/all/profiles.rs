//! Zones judged where the chair judges them: on its stick.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::bench;

use bench::{Bench, WITHHELD, command, free, go};
use safety::Level;
use zones::{Input, Params, Reason, Zone};

/// Profiles as users published them: 0.54 and 2.77 m/s in the first and the fifth, 1.2212 rad/s in all.
fn described() -> Params {
    Params::read(&zones::specification().resolve(zones::published()).unwrap()).unwrap()
}

#[test]
fn zones_are_judged_on_the_stick_of_the_chairs_profile() {
    let mut bench = Bench::new(described());
    let mut fields = [1.0; 16];
    fields[8] = 0.5; // left
    fields[4] = 0.25; // front left, forward
    bench.on(0, Input::ScalingReceived(fields));
    bench.on(0, Input::ProfileReceived(1));
    // 0.1 m/s of 0.54 is 18 percent and 0.3 rad/s 24 to the left: 53 degrees, front left, all within its limit of 25.
    assert_eq!(bench.on(10, command(0.1, 0.3, 1)), [go(0.1, 0.3, 1)]);
    assert_eq!((bench.0.applied().zone, bench.0.applied().forward_back), (Zone::FrontLeft, 18));
    // Of 2.77 it is 3 percent: 83 degrees, left.
    bench.on(20, Input::ProfileReceived(5));
    assert_eq!((bench.0.applied().zone, bench.0.applied().forward_back), (Zone::Left, 3));
    assert_eq!(bench.0.applied().left_right, -24);
    // Half of 2.77 m/s is 50 percent and straight ahead; in front left 25 are left of it, which is 0.6925 m/s.
    let [driven] = bench.on(30, command(1.385, 0.6106, 2)).try_into().unwrap();
    assert!((driven.velocity.forward() - 0.6925).abs() < 1e-9 && driven.velocity.turn() == 0.6106);
}

#[test]
fn in_a_profile_that_is_not_described_nothing_moves() {
    let mut bench = Bench::new(described());
    bench.on(0, free());
    assert_eq!(bench.on(10, command(0.1, 0.3, 1)), [WITHHELD]);
    assert_eq!((bench.reason(), bench.0.health().0), (Reason::ProfileUnknown, Level::Error));
    bench.on(20, Input::ProfileReceived(2));
    assert_eq!(bench.on(30, command(0.1, 0.3, 2)), []);
    assert_eq!(bench.reason(), Reason::WaitsForZero);
    bench.on(40, command(0.0, 0.0, 3));
    assert_eq!(bench.on(50, command(0.1, 0.3, 4)), [go(0.1, 0.3, 4)]);
    assert_eq!(bench.on(60, Input::ProfileReceived(6)), [WITHHELD]);
    assert_eq!(bench.reason(), Reason::ProfileUnknown);
}

#[test]
fn what_counts_as_a_zero_is_a_centred_stick_as_the_chair_makes_it() {
    let mut bench = Bench::new(described());
    bench.on(0, free());
    bench.on(0, Input::ProfileReceived(1));
    bench.on(10, command(0.0, 0.0, 1));
    // 0.02 m/s of 0.54 would be 3 percent, and 0.05 rad/s of 1.2212 4 to the left: more off than a chair may be.
    assert_eq!(bench.on(20, command(0.02, 0.05, 2)), [go(0.0, 0.0, 2)]);
    let applied = bench.0.applied();
    assert_eq!((applied.zone, applied.forward_back, applied.left_right), (Zone::Origin, 0, 0));
    assert_eq!(bench.on(30, command(0.1, 0.3, 3)), [go(0.1, 0.3, 3)], "nothing was withheld");
}
