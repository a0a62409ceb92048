//! A hand that grasps a ball: the force comes to rest, and pressing further never lowers it.

use haptix::{GraspValue, MAX, Object};

use crate::rig::sphere;
use crate::{Make, Rig};

/// The ball of `config/hand.yaml`.
fn ball(stiffness: f64, damping: f64) -> Object {
    Object { stiffness, damping, ..sphere([-0.045, -0.02, 0.135], 0.035) }
}

/// Commands the motors to a grasp of the description.
fn grasp(rig: &mut Rig, name: &str, value: f32) {
    let values = [GraspValue { name: name.into(), value }];
    let positions: Vec<(usize, f64)> =
        rig.device.constants().grasps.positions(&values).unwrap().into_iter().collect();
    for (motor, position) in positions {
        rig.turn(motor, position);
    }
}

/// Whatever stiffness, damping and step the parameters of the node allow, a held ball is held: each force stays within a hundredth, and
/// no motor moves.
pub fn a_grasp_comes_to_rest_whatever_the_parameters_allow(make: &Make) {
    let names: Vec<String> = Rig::new(make, "mpl").model.constants.grasps.names().map(Into::into).collect();
    for (stiffness, damping) in [(1e3, 0.0), (1e5, 0.0), (1e5, 1e4)] {
        for (millis, name) in
            [1, 20].into_iter().flat_map(|millis| names.iter().map(move |name| (millis, name)))
        {
            let mut rig = Rig::new(make, "mpl");
            rig.place(&[ball(stiffness, damping)]);
            for value in [0.5, 1.0] {
                grasp(&mut rig, name, value);
                let mut last = (0.0, 0.0);
                let is_at_rest = (0..6).any(|_| {
                    last = second(&mut rig, millis);
                    last.0 < 1e-3 && last.1 < 1e-3
                });
                assert!(
                    is_at_rest,
                    "{name} {value}, {stiffness} N/m, {damping} N·s/m, {millis} ms: after 6 s {} rad/s, a force changes by {} N",
                    last.0, last.1
                );
            }
        }
    }
}

/// The greatest speed within a second \[rad/s\], and by how much a force changes beyond a hundredth of it \[N\].
fn second(rig: &mut Rig, millis: u64) -> (f32, f32) {
    let (mut least, mut most) = ([f32::MAX; MAX], [0.0_f32; MAX]);
    let fastest = rig.second(millis, |sensor| {
        for (index, force) in sensor.contact.into_iter().enumerate() {
            (least[index], most[index]) = (least[index].min(force), most[index].max(force));
        }
    });
    let swing = (0..MAX).map(|index| most[index] - least[index] - 0.01 * most[index]);
    (fastest, swing.fold(0.0, f32::max))
}

/// A finger of two joints with one contact sensor, strong enough to pass through any soft ball.
const FINGER: &str = "model: One finger
update_rate: 100.0
up: [0, 0, 1]
joints:
  near: {parent: base, origin: [0, 0, 0], axis: [0, -1, 0], limit: [0, 2.2]}
  far: {parent: near, origin: [0, 0, 0.05], axis: [0, -1, 0], limit: [0, 1.5]}
motors:
  finger: {limit: [0, 2.2], torque: 20, inertia: 0.001, damping: 0.05, gain_pos: 30, gain_vel: 0.5, drives: {near: [1], far: [0, 0.4, 0.6]}}
contacts:
  tip: {link: far, position: [0, 0, 0.03], radius: 0.006}
imus: {}
";

/// A finger closes further and further into a ball, at its middle and beside it, soft and hard: once the sensor has sunk in by half its
/// radius, the force never falls, and the finger never comes out on the other side.
pub fn pressing_further_never_lowers_the_force(make: &Make) {
    const RADIUS: f64 = 0.006;
    let cases = [30.0, 1e3, 1e5].into_iter().flat_map(|stiffness| {
        let sizes = [0.005, 0.02, 0.035].into_iter();
        let places = sizes.flat_map(|size| [0.0, 0.6, 0.8].map(|aside| (size, aside)));
        let all = places.flat_map(|(size, aside)| [0.03, 0.055, 0.075].map(|height| (size, aside, height)));
        all.map(move |(size, aside, height)| (stiffness, size, aside, height))
    });
    let mut pressed = 0;
    for (stiffness, size, aside, height) in cases {
        let mut rig = Rig::of(make, FINGER);
        rig.place(&[Object { stiffness, ..sphere([-0.045, aside * size, height], size) }]);
        let (sunk, mut most) = (stiffness * RADIUS * 0.51, 0.0_f32);
        for place in 0..=110 {
            rig.turn(0, 0.02 * f64::from(place));
            rig.run(0.2);
            let force = rig.read().contact[0];
            let case = format_args!("{stiffness} N/m, {size} m, {aside} beside, height {height}, at {place}");
            let falls = f64::from(most) > sunk && force < most * 0.999;
            assert!(!falls, "{case}: the force falls from {most} to {force} N");
            most = most.max(force);
        }
        pressed += usize::from(f64::from(most) > sunk);
    }
    assert!(pressed >= 30, "only {pressed} of 81 balls were pressed");
}
