//! Inertial units and contact sensors.

use std::collections::BTreeMap;

use haptix::{BASE, GRAVITY, Object, Sensor, Shape, Skeleton};
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};

use crate::rig::{assert_near, sphere};
use crate::{Make, Rig};

/// The poses of all frames in the base at the joint positions of `sensor`, link by link as tf does it.
fn poses(rig: &Rig, sensor: &Sensor) -> BTreeMap<String, Isometry3<f64>> {
    let skeleton = Skeleton::new(&rig.model);
    let mut poses = BTreeMap::from([(BASE.to_owned(), Isometry3::identity())]);
    for frame in skeleton.links(sensor).chain(skeleton.imus()) {
        let [x, y, z, w] = frame.rotation;
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
        let pose = poses[frame.parent] * Isometry3::from_parts(Translation3::from(frame.translation), turn);
        poses.insert(frame.name.to_owned(), pose);
    }
    poses
}

/// Where a contact sensor is in the base, at the joint positions of `sensor` \[m\], and its radius.
fn pad(rig: &Rig, sensor: &Sensor, contact: usize) -> (Vector3<f64>, f64) {
    let skeleton = Skeleton::new(&rig.model);
    let pad = skeleton.pads().nth(contact).unwrap();
    let at = poses(rig, sensor)[pad.frame] * Point3::from(pad.position);
    (at.coords, pad.radius)
}

#[track_caller]
fn assert_vector(found: [f32; 3], expected: Vector3<f64>, tolerance: f64, what: &str) {
    for (found, expected) in found.into_iter().zip(expected.iter()) {
        assert_near(found, *expected, tolerance, what);
    }
}

/// Proper acceleration: +9.81 m/s² along what is up, in the frame of the unit; no turn, and no estimate of the orientation.
pub fn at_rest_each_unit_measures_gravity_upward(make: &Make) {
    for (name, positions) in
        [("mpl", [0.0; 13]), ("mpl", [0.5, 0.3, -0.4, 1.0, 0.5, 0.4, 0.6, -0.2, 1.2, 0.3, 0.9, 0.2, 0.1])]
    {
        let mut rig = Rig::new(make, name);
        rig.setpoints.ref_pos[..13].copy_from_slice(&positions);
        let first = rig.setpoints.ref_pos[0];
        rig.turn(0, first);
        rig.run(3.0);
        assert_gravity(&mut rig, Vector3::z());
    }
    // One unit of it is on the base, which never moves.
    let mut rig = Rig::new(make, "two_finger");
    assert_gravity(&mut rig, Vector3::z());
    rig.turn(0, 1.0);
    rig.run(2.0);
    assert_gravity(&mut rig, Vector3::z());
}

#[track_caller]
fn assert_gravity(rig: &mut Rig, up: Vector3<f64>) {
    let sensor = rig.read();
    let poses = poses(rig, &sensor);
    let skeleton = Skeleton::new(&rig.model);
    for (index, imu) in skeleton.imus().enumerate() {
        let expected = poses[imu.name].rotation.inverse() * up * GRAVITY;
        assert_vector(sensor.imu_linear_acc[index], expected, 0.02, imu.name);
        assert_vector(sensor.imu_angular_vel[index], Vector3::zeros(), 5e-3, imu.name);
        assert_eq!(sensor.imu_orientation[index], [1.0, 0.0, 0.0, 0.0]);
    }
}

/// Pronation about the vertical at 1 rad/s.
pub fn a_turning_hand_measures_its_turn(make: &Make) {
    let mut rig = Rig::new(make, "mpl");
    (rig.setpoints.ref_vel_max[0], rig.setpoints.ref_vel[0]) = (1.0, 1.0);
    rig.turn(0, 1.5);
    rig.run(1.0);
    let sensor = rig.read();
    assert_near(sensor.joint_vel[0], 1.0, 1e-3, "the wrist");
    // Pronation turns about the direction from the finger tips to the arm.
    for unit in 1..5 {
        assert_vector(sensor.imu_angular_vel[unit], -Vector3::z(), 1e-3, "a finger");
    }
    // The unit of the little finger is at x = 0.004 m, y = 0.034 m from the axis: the acceleration is ω² r toward it.
    assert_vector(sensor.imu_linear_acc[4], Vector3::new(-0.004, -0.034, GRAVITY), 1e-3, "the little finger");
    // The thumb's x is (0, -1, -1)/√2 and its z (0, -1, 1)/√2.
    let part = 0.5_f64.sqrt();
    assert_vector(sensor.imu_angular_vel[0], Vector3::new(part, 0.0, -part), 1e-3, "the thumb");
}

/// Another `up` turns what the units measure.
pub fn what_is_up_is_a_matter_of_the_description(make: &Make) {
    for (up, expected) in [("[1, 0, 0]", Vector3::x()), ("[0, -2, 0]", -Vector3::y())] {
        for base in ["mpl", "two_finger"] {
            let mut rig = Rig::of(make, &format!("based_on: {base}\nup: {up}"));
            assert_gravity(&mut rig, expected);
            rig.run(1.0);
            assert_gravity(&mut rig, expected);
        }
    }
}

fn ball(center: [f64; 3], radius: f64, stiffness: f64) -> Object {
    Object { stiffness, damping: 0.5, ..sphere(center, radius) }
}

fn plane(point: [f64; 3], normal: [f64; 3], stiffness: f64) -> Object {
    let (point, normal) = (Vector3::from(point), Vector3::from(normal));
    Object { shape: Shape::Plane { point, normal }, stiffness, damping: 0.5 }
}

/// With stiffness · depth: a ball between two fingers, a wall before one.
pub fn an_object_presses_on_the_sensor_that_touches_it(make: &Make) {
    for stiffness in [10_000.0, 50_000.0] {
        let mut rig = Rig::new(make, "two_finger");
        let (center, radius) = ([0.0, 0.0, 0.105], 0.012);
        rig.place(&[ball(center, radius, stiffness)]);
        rig.turn(0, 0.9);
        rig.turn(1, 0.9);
        rig.run(3.0);
        let sensor = rig.read();
        for name in ["left_distal", "right_distal"] {
            let contact = rig.contact(name);
            let (at, own) = pad(&rig, &sensor, contact);
            let force = stiffness * (radius + own - (at - Vector3::from(center)).norm());
            assert!(force > 0.5, "{name} at {at} does not touch: {force}");
            let what = format_args!("{name}, {stiffness} N/m");
            assert_near(sensor.contact[contact], force, 0.03 * force, what);
        }
        for name in ["palm", "left_proximal", "right_proximal"] {
            assert_eq!(sensor.contact[rig.contact(name)], 0.0, "{name} touches nothing");
        }
        assert_near(sensor.motor_pos[0], sensor.motor_pos[1].into(), 1e-6, "both fingers alike");
        assert_near(sensor.contact[2], sensor.contact[4].into(), 1e-4, "both fingers alike");
        rig.place(&[plane([0.0, 0.01, 0.0], [0.0, 1.0, 0.0], stiffness)]);
        rig.turn(1, 0.0);
        rig.run(3.0);
        let sensor = rig.read();
        let contact = rig.contact("left_distal");
        let (at, own) = pad(&rig, &sensor, contact);
        let force = stiffness * (own - (at.y - 0.01));
        assert!(force > 0.5, "the finger at {at} does not touch the wall: {force}");
        assert_near(sensor.contact[contact], force, 0.03 * force, format_args!("a wall, {stiffness} N/m"));
    }
}

/// At rest the work of each motor is the work on the object: torque = force · the derivative of the depth by its position.
pub fn the_force_on_a_sensor_is_the_torque_of_its_motor(make: &Make) {
    let mut rig = Rig::new(make, "mpl");
    let (index, tip, radius) = (rig.motor("index1"), rig.contact("index_distal"), 0.02);
    let start = rig.read();
    // The tip's sensor when the motors are where `sensor` has them, but one of them, whose joints follow it.
    let tip_at = |rig: &Rig, sensor: &Sensor, motor: usize, drive: f64| {
        let mut posed = *sensor;
        for (position, joint) in posed.joint_pos.iter_mut().zip(&rig.model.joints) {
            if joint.motor == motor {
                *position = joint.coupling.angle(drive) as f32;
            }
        }
        pad(rig, &posed, tip)
    };
    // A ball in the way of the finger's tip, which bends to it through two knees, and a little aside, so that it pushes the finger
    // and the wrist there.
    let [(before, _), (at, own), (after, _)] =
        [0.94, 0.95, 0.96].map(|drive| tip_at(&rig, &start, index, drive));
    let way: Vector3<f64> = (after - before).normalize() + 0.1 * Vector3::y();
    let center = at + way.normalize() * (radius + own);
    rig.place(&[ball(center.into(), radius, 3000.0)]);
    rig.turn(index, 1.05);
    rig.run(4.0);
    let sensor = rig.read();
    let touching: Vec<usize> = (0..19).filter(|index| sensor.contact[*index] > 0.0).collect();
    assert_eq!(touching, [tip], "{:?}", sensor.contact);
    let force = f64::from(sensor.contact[tip]);
    assert!(force > 1.0, "{force} N");
    for motor in [0, 1, 2, 7, index] {
        let position = f64::from(sensor.motor_pos[motor]);
        let distance = |shift| (tip_at(&rig, &sensor, motor, position + shift).0 - center).norm();
        let torque = -force * (distance(0.01) - distance(-0.01)) / 0.02;
        assert!(torque.abs() > 0.005, "motor {motor}: {torque}");
        let tolerance = 0.02 * torque.abs() + 5e-4;
        assert_near(sensor.motor_torque[motor], torque, tolerance, format_args!("motor {motor}"));
    }
}

/// Planes in the palm of the gripper, whose base never moves.
pub fn a_sensor_of_the_base_feels_an_object(make: &Make) {
    // The palm's sensor, a ball of 10 mm at (0, 0, 50 mm) of the base, is 2 mm deep.
    let mut rig = Rig::new(make, "two_finger");
    let above = plane([0.3, 0.4, 0.058], [0.0, 0.0, -1.0], 500.0);
    let below = plane([0.0, 0.0, 0.042], [0.0, 0.0, 1.0], 500.0);
    let beside = plane([0.004, 0.0, 0.0], [-1.0, 0.0, 0.0], 500.0);
    // Two opposite ones cancel, a perpendicular one adds by Pythagoras.
    for (planes, force) in
        [(&[above][..], 1.0), (&[above, below, beside], 3.0), (&[above, beside], 10.0_f64.sqrt())]
    {
        rig.place(planes);
        assert_near(rig.read().contact[0], force, 1e-6, format_args!("{} planes", planes.len()));
    }
}

/// And the hand goes on as if it had never been there.
pub fn an_object_that_is_removed_presses_no_more(make: &Make) {
    let mut rig = Rig::new(make, "two_finger");
    rig.turn(0, 0.9);
    rig.turn(1, 0.9);
    rig.run(0.02);
    let moving = rig.read();
    assert!(moving.motor_vel[0] > 1.0);
    // One that appears while the fingers move, and one that is far away.
    rig.place(&[ball([0.0, 0.0, 0.105], 0.012, 5000.0), plane([0.0, 0.0, -3.0], [0.0, 0.0, 1.0], 1e5)]);
    assert_eq!(rig.read().motor_vel, moving.motor_vel, "they move on");
    rig.run(2.0);
    let sensor = rig.read();
    assert!(sensor.contact[2] > 1.0 && sensor.contact[4] > 1.0, "{:?}", &sensor.contact[..5]);
    assert!(sensor.motor_pos[0] < 0.85);
    let held = sensor.motor_pos[0];
    rig.place(&[]);
    let after = rig.read();
    assert_eq!(after.motor_pos[0], held, "nothing jumps");
    rig.run(2.0);
    let sensor = rig.read();
    assert_eq!(sensor.contact, [0.0; 32]);
    assert_near(sensor.motor_pos[0], 0.9, 2e-3, "the fingers close on");
}

/// Whatever the parameters of the node allow, and with the whole hand pressed into two objects, it comes to rest.
pub fn hard_objects_and_long_steps_stay_stable(make: &Make) {
    for stiffness in [0.0, 1e3, 1e4, 1e5] {
        // Without damping the step alone must bring them to rest.
        for (damping, millis) in [(0.0, 1), (0.0, 5), (0.0, 20), (1.0, 1), (1e4, 1), (1e4, 20)] {
            let mut rig = Rig::new(make, "mpl");
            let objects = [
                plane([0.0, 0.0, 0.06], [0.0, 0.0, 1.0], stiffness),
                ball([-0.05, 0.0, 0.1], 0.04, stiffness),
            ];
            rig.place(&objects.map(|object| Object { damping, ..object }));
            for (motor, limit) in rig.limits().into_iter().enumerate() {
                rig.turn(motor, if motor == 7 { limit.minimum } else { limit.maximum }.into());
            }
            // Without stiffness it sinks into the objects for long; with it as slowly as their damping lets it.
            let (rest, time) =
                if stiffness > 0.0 { (1e-3, 20.0 + 5.0 * damping / stiffness) } else { (1.0, 20.0) };
            let is_force = |force: &f32| force.is_finite() && *force >= 0.0;
            let is_at_rest = (0..time as usize)
                .any(|_| rig.second(millis, |sensor| assert!(sensor.contact.iter().all(is_force))) < rest);
            assert!(is_at_rest, "{stiffness} N/m, {damping} N·s/m, {millis} ms: in motion after {time} s");
        }
    }
}
