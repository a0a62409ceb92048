//! What the hand touches: forces against closed forms.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Rig, close};
use haptix::{Device, Model, Object, Shape, Simulation};
use nalgebra::Vector3;

fn place(rig: &mut Rig, objects: &[Object]) {
    let mut simulation = Simulation::default();
    for (place, object) in simulation.objects.iter_mut().zip(objects) {
        *place = Some(*object);
    }
    rig.hand.simulate(&simulation).unwrap();
}

fn sphere(center: [f64; 3], radius: f64, stiffness: f64) -> Object {
    Object { shape: Shape::Sphere { center: Vector3::from(center), radius }, stiffness, damping: 0.5 }
}

fn plane(point: [f64; 3], normal: [f64; 3], stiffness: f64) -> Object {
    let (point, normal) = (Vector3::from(point), Vector3::from(normal));
    Object { shape: Shape::Plane { point, normal }, stiffness, damping: 0.5 }
}

fn stop(contact: usize, angle: f64, stiffness: f64) -> Object {
    Object { shape: Shape::Stop { contact, angle }, stiffness, damping: 0.5 }
}

#[test]
fn a_stop_and_the_servo_balance() {
    for stiffness in [10.0, 1000.0, 1e6] {
        let mut rig = Rig::new("two_finger");
        place(&mut rig, &[stop(2, 0.2, stiffness)]);
        rig.turn(0, 0.45);
        rig.run(5.0);
        // The distal joint turns by half of the drive d; the sensor is √(8² + 20²) mm from its axis.
        // 10 (0.45 - d) = F l/2 and F = k l (d/2 - 0.2).
        let lever = 0.008_f64.hypot(0.020);
        let half = stiffness * lever * lever / 2.0;
        let drive = (4.5 + half * 0.2) / (10.0 + half / 2.0);
        let force = stiffness * lever * (drive / 2.0 - 0.2);
        let sensor = rig.read();
        assert!(close(sensor.motor_pos[0], drive, 1e-5), "{} {drive}", sensor.motor_pos[0]);
        assert!(close(sensor.contact[2], force, 1e-3 * force), "{} {force}", sensor.contact[2]);
        assert!(close(sensor.motor_torque[0], force * lever / 2.0, 1e-4), "the object pushes back");
        let others: f32 = sensor.contact.iter().sum();
        assert_eq!(others, sensor.contact[2]);
    }
}

#[test]
fn the_damping_of_an_object_resists_the_motion_into_it_and_pulls_at_nothing() {
    let mut rig = Rig::new("two_finger");
    // So deep in the object that only its damping counts; the servo has only its velocity.
    let damping = 100.0;
    place(&mut rig, &[Object { damping, ..stop(2, -1.0, 0.0) }]);
    rig.setpoints.gain_pos[0] = 0.0;
    rig.setpoints.ref_vel[0] = 0.5;
    rig.turn(0, 0.0);
    rig.run(1.0);
    // 0.3 (0.5 - v) = 0.02 v + F l/2 with F = c v l/2
    let half = 0.008_f64.hypot(0.020) / 2.0;
    let speed = 0.15 / (0.32 + damping * half * half);
    let sensor = rig.read();
    assert!(close(sensor.motor_vel[0], speed, 1e-5), "{} {speed}", sensor.motor_vel[0]);
    assert!(close(sensor.contact[2], damping * speed * half, 1e-4), "{}", sensor.contact[2]);
    rig.setpoints.ref_vel[0] = -0.5;
    rig.turn(0, 0.0);
    rig.run(0.5);
    let sensor = rig.read();
    assert_eq!(sensor.contact[2], 0.0);
    assert!(close(sensor.motor_vel[0], -0.15 / 0.32, 1e-5), "out of it the motion is free");
}

#[test]
fn a_plane_pushes_along_its_normal() {
    // The palm's sensor, a ball of 10 mm at (0, 0, 50 mm) of the base, is 2 mm deep.
    let mut rig = Rig::new("two_finger");
    place(&mut rig, &[plane([0.3, 0.4, 0.058], [0.0, 0.0, -1.0], 500.0)]);
    assert!(close(rig.read().contact[0], 1.0, 1e-6));
    // Two opposite ones cancel, a perpendicular one adds by Pythagoras.
    place(
        &mut rig,
        &[
            plane([0.0, 0.0, 0.058], [0.0, 0.0, -1.0], 500.0),
            plane([0.0, 0.0, 0.042], [0.0, 0.0, 1.0], 500.0),
            plane([0.004, 0.0, 0.0], [-1.0, 0.0, 0.0], 500.0),
        ],
    );
    assert!(close(rig.read().contact[0], 3.0, 1e-6));
    place(
        &mut rig,
        &[
            plane([0.0, 0.0, 0.058], [0.0, 0.0, -1.0], 500.0),
            plane([0.004, 0.0, 0.0], [-1.0, 0.0, 0.0], 500.0),
        ],
    );
    assert!(close(rig.read().contact[0], 10.0_f64.sqrt(), 1e-6));
}

#[test]
fn a_ball_between_two_fingers_is_squeezed_evenly() {
    let mut rig = Rig::new("two_finger");
    place(&mut rig, &[sphere([0.0, 0.0, 0.105], 0.012, 5000.0)]);
    rig.turn(0, 0.9);
    rig.turn(1, 0.9);
    rig.run(3.0);
    let sensor = rig.read();
    assert!(sensor.contact[2] > 1.0, "{:?}", &sensor.contact[..5]);
    assert!(close(sensor.contact[2], sensor.contact[4].into(), 1e-4));
    assert!(close(sensor.motor_pos[0], sensor.motor_pos[1].into(), 1e-6));
    assert_eq!(sensor.contact[0], 0.0, "the palm does not reach it");
    // Without the ball the fingers close on.
    place(&mut rig, &[]);
    rig.run(3.0);
    let sensor = rig.read();
    assert_eq!(sensor.contact, [0.0; 32]);
    assert!(close(sensor.motor_pos[0], 0.9, 1e-4));
}

/// How deep the index finger's distal sensor is in a ball when the motors of the MPL have these positions.
fn depth(positions: &[f32], center: [f64; 3], radius: f64) -> f64 {
    let mut rig = Rig::new("mpl");
    // So soft that it moves nothing, and the force is the depth.
    place(&mut rig, &[Object { damping: 0.0, ..sphere(center, radius, 1.0) }]);
    rig.setpoints.gain_pos = [1e6; 32];
    for (motor, position) in positions.iter().enumerate() {
        rig.turn(motor, f64::from(*position));
    }
    rig.run(2.0);
    f64::from(rig.read().contact[9])
}

#[test]
fn the_work_of_each_motor_is_its_work_on_the_object() {
    // A ball in the way of the index finger's tip, which bends to it through two knees; the wrist gives way, too.
    let (center, radius) = ([-0.078, -0.03, 0.128], 0.01);
    let mut rig = Rig::new("mpl");
    place(&mut rig, &[sphere(center, radius, 3000.0)]);
    rig.turn(8, 1.1);
    rig.run(4.0);
    let sensor = rig.read();
    let touching: Vec<usize> = (0..19).filter(|index| sensor.contact[*index] > 0.0).collect();
    assert_eq!(touching, [9], "{:?}", sensor.contact);
    let force = f64::from(sensor.contact[9]);
    assert!(force > 1.0);
    for motor in [0, 1, 2, 7, 8] {
        let at = |shift: f32| {
            let mut positions = sensor.motor_pos;
            positions[motor] += shift;
            depth(&positions[..13], center, radius)
        };
        let torque = force * (at(0.002) - at(-0.002)) / 0.004;
        assert!(close(sensor.motor_torque[motor], torque, 1e-3), "motor {motor}: {torque}");
        assert!(torque.abs() > 0.02, "motor {motor}: {torque}");
    }
}

#[test]
fn hard_objects_and_long_steps_stay_stable() {
    let mut hard = 0.0_f32;
    // Without damping: the step alone must bring them to rest.
    for millis in [1, 5, 20] {
        for stiffness in [1e3, 1e4, 1e5] {
            let mut rig = Rig::new("mpl");
            let all: Vec<Object> = [
                plane([0.0, 0.0, 0.06], [0.0, 0.0, 1.0], stiffness),
                sphere([-0.05, 0.0, 0.1], 0.04, stiffness),
            ]
            .map(|object| Object { damping: 0.0, ..object })
            .into();
            place(&mut rig, &all);
            for motor in 0..13 {
                let limit = rig.limits()[motor];
                rig.turn(motor, if motor == 7 { limit.minimum } else { limit.maximum }.into());
            }
            let dt = core::time::Duration::from_millis(millis);
            let mut speed = 0.0;
            for step in 0..20_000 / millis {
                rig.hand.step(dt).unwrap();
                let sensor = rig.read();
                assert!(sensor.contact.iter().all(|force| force.is_finite() && *force >= 0.0));
                if step > 19_000 / millis {
                    speed = sensor.motor_vel[..13].iter().fold(speed, |speed: f32, v| speed.max(v.abs()));
                }
            }
            hard = hard.max(speed);
        }
    }
    assert!(hard < 1e-3, "{hard} rad/s after 19 s");
}

#[test]
fn objects_that_are_far_do_nothing_at_all() {
    let mut far = Rig::new("mpl");
    place(&mut far, &[sphere([5.0, 5.0, 5.0], 0.1, 1e6), plane([0.0, 0.0, -3.0], [0.0, 0.0, 1.0], 1e6)]);
    let mut free = Rig::new("mpl");
    for _ in 0..50 {
        for rig in [&mut far, &mut free] {
            rig.turn(8, 1.2);
            rig.run(0.01);
        }
        assert_eq!(far.read(), free.read());
    }
}

#[test]
fn a_stop_on_the_base_is_never_touched() {
    let mut rig = Rig::of(Model::builtin("two_finger").unwrap());
    place(&mut rig, &[stop(0, -10.0, 1e6)]);
    rig.turn(0, 1.0);
    rig.run(0.5);
    assert_eq!(rig.read().contact, [0.0; 32]);
}
