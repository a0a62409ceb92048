//! The samples drawn by the example and compared by the test.

use pictures::Snapshot;
use safety::{Instant, Machine};
use zones::{Boundaries, Input, Joystick, Params, ZoneScaler};

/// The name, which is also that of the file, and the snapshot.
pub fn all() -> [(&'static str, Snapshot); 4] {
    [
        ("front_limited", after(&Params::default(), &[(90, 15)], 0)),
        ("way_out", after(&Params { keep_direction: true, ..Params::default() }, &[(80, -70)], 0)),
        ("held", after(&held(), &[(90, 15), (90, 26)], 0)),
        ("stale", after(&Params::default(), &[(60, 60)], 500)),
    ]
}

fn held() -> Params {
    Params { boundaries: Boundaries { hysteresis: 5.0, ..Boundaries::default() }, ..Params::default() }
}

/// After an obstacle ahead and one to the left, these sticks, and some time [ms].
fn after(params: &Params, sticks: &[(i32, i32)], ms: u64) -> Snapshot {
    let mut scaler = ZoneScaler::new(params.clone());
    #[rustfmt::skip]
    let fields = [
        0.35, 0.8, // front
        0.9, 1.0,  // front right
        0.0, 0.6,  // front left
        1.0, 1.0,  // right
        0.5, 0.45, // left
        1.0, 0.7,  // back right
        1.0, 1.0,  // back left
        1.0, 1.0,  // back
    ];
    scaler.handle(Instant::ZERO, Input::ScalingReceived(fields));
    for &(forward_back, left_right) in sticks {
        let joystick = Joystick { forward_back, left_right, joystick_zone: 8, input_source: 4 };
        scaler.handle(Instant::from_millis(ms), Input::JoystickReceived(joystick));
    }
    Snapshot::of(&scaler)
}
