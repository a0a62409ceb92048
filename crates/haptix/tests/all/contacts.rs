//! Contacts of the hand with objects: forces against closed forms.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::{close, rig};
use haptix::{Object, Shape};
use nalgebra::Vector3;

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
        let mut rig = rig("two_finger");
        rig.place(&[stop(2, 0.2, stiffness)]);
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
    let mut rig = rig("two_finger");
    // So deep in the object that only its damping counts; the servo has only its velocity.
    let damping = 100.0;
    rig.place(&[Object { damping, ..stop(2, -1.0, 0.0) }]);
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
fn objects_that_are_far_do_nothing_at_all() {
    let mut far = rig("mpl");
    far.place(&[sphere([5.0, 5.0, 5.0], 0.1, 1e6), plane([0.0, 0.0, -3.0], [0.0, 0.0, 1.0], 1e6)]);
    let mut free = rig("mpl");
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
    let mut rig = rig("two_finger");
    rig.place(&[stop(0, -10.0, 1e6)]);
    rig.turn(0, 1.0);
    rig.run(0.5);
    assert_eq!(rig.read().contact, [0.0; 32]);
}
