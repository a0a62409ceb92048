//! Which way each joint of the MPL turns, against the two models that the HAPTIX project's users had.
//!
//! No number here comes from `devices/mpl.yaml`: the limits of the wrist's pronation and of others are symmetric, so a joint that turns
//! the wrong way passes every test of ranges.
#![allow(clippy::unwrap_used)]

use haptix::{Model, Skeleton};
use nalgebra::Vector3;

/// The axes of the right hand in `model.sdf` of osrf/handsim (`models/mpl_haptix_right_forearm`), in the frame of that model, rounded.
/// Its fingers point to -y, the back of the hand to +z, the thumb to +x. MuJoCo's MPL (`handL_chain.xml` of MyoHub/MPL_sim, a left
/// hand) has the same axes for the same positive directions, mirrored.
const AXES: [(&str, [f64; 3]); 22] = [
    ("wristy", [0.012, 1.0, 0.0]),
    ("wristx", [0.0, 0.0, -1.0]),
    ("wristz", [1.0, -0.012, 0.0]),
    ("thumb0", [0.27, 0.959, 0.087]),
    ("thumb1", [0.053, 0.076, -0.996]),
    ("thumb2", [0.053, 0.076, -0.996]),
    ("thumb3", [0.053, 0.076, -0.996]),
    ("index0", [-0.174, 0.002, -0.985]),
    ("index1", [0.985, -0.011, -0.174]),
    ("index2", [0.985, -0.011, -0.174]),
    ("index3", [0.985, -0.011, -0.174]),
    ("middle1", [1.0, -0.012, 0.0]),
    ("middle2", [1.0, -0.012, 0.0]),
    ("middle3", [1.0, -0.012, 0.0]),
    ("ring0", [0.174, -0.002, -0.985]),
    ("ring1", [0.985, -0.011, 0.174]),
    ("ring2", [0.985, -0.011, 0.174]),
    ("ring3", [0.985, -0.011, 0.174]),
    ("pinky0", [0.174, -0.002, -0.985]),
    ("pinky1", [0.985, -0.011, 0.174]),
    ("pinky2", [0.985, -0.011, 0.174]),
    ("pinky3", [0.985, -0.011, 0.174]),
];

// The frame of our base: x out of the back of the hand, y to the little finger, z to the finger tips.
const PALMAR: [f64; 3] = [-1.0, 0.0, 0.0];
const DORSAL: [f64; 3] = [1.0, 0.0, 0.0];
const ULNAR: [f64; 3] = [0.0, 1.0, 0.0];
/// Across the palm, as a thumb bends.
const ACROSS: [f64; 3] = [0.0, 1.0, 1.0];

/// Where a contact sensor goes when a joint turns to greater angles, from the same two models in words: pronation, ulnar deviation and
/// flexion of the wrist, opposition and flexion of the thumb, abduction and flexion of the fingers.
const MOVES: [(&str, &str, [f64; 3]); 24] = [
    ("wristy", "index_proximal", PALMAR),
    ("wristy", "palm_side", DORSAL),
    ("wristx", "middle_distal", ULNAR),
    ("wristz", "middle_distal", PALMAR),
    ("thumb0", "thumb_distal", PALMAR),
    ("thumb1", "thumb_distal", ACROSS),
    ("thumb2", "thumb_distal", ACROSS),
    ("thumb3", "thumb_distal", ACROSS),
    ("index0", "index_distal", ULNAR),
    ("index1", "index_distal", PALMAR),
    ("index2", "index_distal", PALMAR),
    ("index3", "index_distal", PALMAR),
    ("middle1", "middle_distal", PALMAR),
    ("middle2", "middle_distal", PALMAR),
    ("middle3", "middle_distal", PALMAR),
    ("ring0", "ring_distal", ULNAR),
    ("ring1", "ring_distal", PALMAR),
    ("ring2", "ring_distal", PALMAR),
    ("ring3", "ring_distal", PALMAR),
    ("pinky0", "pinky_distal", ULNAR),
    ("pinky1", "pinky_distal", PALMAR),
    ("pinky2", "pinky_distal", PALMAR),
    ("pinky3", "pinky_distal", PALMAR),
    ("wristx", "thumb_distal", ACROSS),
];

#[test]
fn every_joint_of_the_mpl_has_the_axis_of_the_original() {
    for device in ["mpl", "mpl_gazebo"] {
        let model = Model::builtin(device).unwrap();
        let names = &model.constants.description.joint_names;
        assert_eq!(names[..], AXES.map(|(name, _)| name));
        for ((name, [x, y, z]), frame) in AXES.into_iter().zip(model.frames) {
            let original = Vector3::new(z, -x, -y).normalize();
            // Ours have no splay of the fingers and no tilt of the thumb: up to 17 degrees.
            let cosine = original.dot(&frame.axis);
            assert!(cosine > 0.95, "{device}: {name} turns about {:?} instead of {original:?}", frame.axis);
        }
    }
}

#[test]
fn a_positive_angle_moves_every_part_where_the_original_moves_it() {
    for device in ["mpl", "mpl_gazebo"] {
        let model = Model::builtin(device).unwrap();
        let description = &model.constants.description;
        let skeleton = Skeleton::new(&model);
        for (joint, contact, way) in MOVES {
            let index = description.joint_names.iter().position(|name| name == joint).unwrap();
            let pad = description.contact_names.iter().position(|name| name == contact).unwrap();
            let at = |angle: f32| {
                let mut angles = [0.0; haptix::MAX];
                angles[index] = angle;
                Vector3::from(skeleton.posture(&angles).contacts[pad])
            };
            let moved = (at(0.05) - at(-0.05)).normalize();
            let cosine = moved.dot(&Vector3::from(way).normalize());
            assert!(cosine > 0.6, "{device}: {joint} moves {contact} to {moved:?} instead of {way:?}");
        }
        for name in &description.joint_names {
            assert!(MOVES.iter().any(|(joint, ..)| joint == name), "{name} is in no row");
        }
    }
}
