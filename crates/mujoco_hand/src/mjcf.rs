//! The hand as MuJoCo's own description (MJCF), made of the same model as the analytic hand.

use core::fmt::Write as _;

use haptix::parts::{ImuMount, Plant};
use haptix::{GRAVITY, MAX_OBJECTS, Model, Object, Shape};
use nalgebra::{UnitQuaternion, Vector3};

/// The longest step \[s\]; longer ones are divided.
pub(crate) const STEP: f64 = 0.001;
/// The part of a contact that is rigid: so small that the object is a spring with a damper.
pub(crate) const RIGID: f64 = 0.1;
/// Links have next to no weight: what hangs on a motor is in its inertia already \[kg/m³\].
const DENSITY: f64 = 100.0;
/// The radius of a link's capsules, as a part of its largest contact sensor's: what lies before a sensor touches the sensor first.
const SLENDER: f64 = 0.5;
/// The radius of the capsules of a link without contact sensors \[m\].
const RADIUS: f64 = 0.004;
/// A link is a body of its own only if it is longer \[m\].
const SHORT: f64 = 0.002;

/// The names of a hand's parts in its MJCF: by their indices, since names of people may hold any character.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    /// The joint of each motor. If no joint is the motor's one to one, the motor has one of its own.
    pub motors: Vec<String>,
    /// The joints that are not their motor's one to one; each has an equality constraint, in this order.
    pub followers: Vec<usize>,
    /// Geoms that may touch objects: contact pads and bones.
    pub skins: Vec<String>,
}

impl Plan {
    pub(crate) fn new(model: &Model) -> Self {
        let lead = |motor| {
            let is_lead = |joint: &haptix::parts::Joint| joint.motor == motor && joint.coupling.is_identity();
            model.joints.iter().position(is_lead)
        };
        let leads: Vec<Option<usize>> = (0..model.motors.len()).map(lead).collect();
        let motors = leads.iter().enumerate();
        let motors = motors.map(|(motor, lead)| match lead {
            Some(joint) => joint_name(*joint),
            None => format!("rotor{motor}"),
        });
        let joints = model.joints.iter().enumerate();
        let followers = joints.filter(|(index, joint)| leads.get(joint.motor) != Some(&Some(*index)));
        let mut skins = Vec::new();
        for (index, pad) in model.pads.iter().enumerate() {
            skins.extend(pad.mount.link.map(|_| format!("pad{index}")));
        }
        skins.extend((0..bones(model).len()).map(|index| format!("bone{index}")));
        Self { motors: motors.collect(), followers: followers.map(|(index, _)| index).collect(), skins }
    }
}

/// The name of a joint, which is also that of its link.
pub(crate) fn joint_name(joint: usize) -> String {
    format!("joint{joint}")
}

/// The name of an object.
pub(crate) fn object_name(object: usize) -> String {
    format!("object{object}")
}

/// The capsules of the links: from a link's joint to each joint that it carries, or else to the middle of its sensors. Link, end
/// \[m\], radius \[m\].
fn bones(model: &Model) -> Vec<(usize, Vector3<f64>, f64)> {
    let mut bones = Vec::new();
    for link in 0..model.frames.len() {
        let of_link = |mount: &haptix::parts::Mount| mount.link == Some(link);
        let pads: Vec<_> = model.pads.iter().filter(|pad| of_link(&pad.mount)).collect();
        let radius = pads.iter().map(|pad| pad.radius).fold(f64::NAN, f64::max); // NaN is nobody's maximum
        let radius = if radius > 0.0 { SLENDER * radius } else { RADIUS };
        let carried = model.frames.iter().filter(|frame| frame.parent == Some(link));
        let mut ends: Vec<Vector3<f64>> = carried.map(|frame| frame.origin).collect();
        if ends.is_empty() {
            let imus = model.imus.iter().filter(|imu| of_link(&imu.mount)).map(|imu| imu.mount.position);
            let sensors: Vec<_> = pads.iter().map(|pad| pad.mount.position).chain(imus).collect();
            ends.extend(
                (!sensors.is_empty()).then(|| sensors.iter().sum::<Vector3<f64>>() / sensors.len() as f64),
            );
        }
        bones.extend(ends.into_iter().filter(|end| end.norm() > SHORT).map(|end| (link, end, radius)));
    }
    bones
}

/// The MJCF of `model` among `objects`.
///
/// # Errors
/// An object that MuJoCo cannot have, in words.
pub(crate) fn mjcf(
    model: &Model,
    plan: &Plan,
    objects: &[Option<Object>; MAX_OBJECTS],
) -> Result<String, String> {
    let mut text = String::new();
    write(&mut text, model, plan, objects).map_err(|error| error.to_string())?;
    let is_stop = |object: &&Object| matches!(object.shape, Shape::Stop { .. });
    match objects.iter().flatten().find(is_stop) {
        None => Ok(text),
        Some(_) => Err("an object of shape stop is not possible in MuJoCo: use sphere or plane".into()),
    }
}

fn write(
    out: &mut String,
    model: &Model,
    plan: &Plan,
    objects: &[Option<Object>; MAX_OBJECTS],
) -> core::fmt::Result {
    let gravity = vector(model.up.into_inner() * -GRAVITY);
    writeln!(out, "<mujoco model=\"hand\">")?;
    writeln!(out, "<compiler angle=\"radian\" autolimits=\"false\"/>")?;
    writeln!(out, "<option timestep=\"{STEP}\" integrator=\"implicitfast\" gravity=\"{gravity}\"/>")?;
    writeln!(
        out,
        "<default><geom contype=\"0\" conaffinity=\"0\" density=\"{DENSITY}\"/>\
         <equality solref=\"{} 1\" solimp=\"0.999 0.9999 0.001\"/></default>",
        2.0 * STEP
    )?;
    writeln!(out, "<worldbody>")?;
    for (index, object) in objects.iter().enumerate() {
        let name = object_name(index);
        match object.map(|object| object.shape) {
            Some(Shape::Sphere { center, radius }) => writeln!(
                out,
                "<geom name=\"{name}\" type=\"sphere\" size=\"{}\" pos=\"{}\"/>",
                radius.max(1e-9), // a point is allowed to us
                vector(center)
            )?,
            Some(Shape::Plane { point, normal }) => writeln!(
                out,
                "<geom name=\"{name}\" type=\"plane\" size=\"0 0 1\" pos=\"{}\" zaxis=\"{}\"/>",
                vector(point),
                vector(normal)
            )?,
            Some(Shape::Stop { .. }) | None => {}
        }
    }
    let bones = bones(model);
    for (link, frame) in model.frames.iter().enumerate() {
        if frame.parent.is_none() {
            body(out, model, plan, &bones, link)?;
        }
    }
    for (index, (motor, name)) in model.motors.iter().zip(&plan.motors).enumerate() {
        if *name == format!("rotor{index}") {
            writeln!(out, "<body name=\"{name}\" pos=\"0 0 0\">{LIGHT}")?;
            drive(out, name, "0 0 1", &motor.plant)?;
            writeln!(out, "</body>")?;
        }
    }
    writeln!(out, "</worldbody>")?;
    writeln!(out, "<contact>")?;
    for skin in &plan.skins {
        for (index, object) in objects.iter().enumerate() {
            if object.is_some_and(|object| !matches!(object.shape, Shape::Stop { .. })) {
                writeln!(
                    out,
                    "<pair geom1=\"{skin}\" geom2=\"{}\" condim=\"1\" solimp=\"{RIGID} {RIGID} 0.001\"/>",
                    object_name(index)
                )?;
            }
        }
    }
    writeln!(out, "</contact>")?;
    constraints(out, model, plan)?;
    sensors(out, model)?;
    writeln!(out, "</mujoco>")
}

/// The inertia of a body that has no shape of its own.
const LIGHT: &str = "<inertial pos=\"0 0 0\" mass=\"1e-5\" diaginertia=\"1e-9 1e-9 1e-9\"/>";

/// The link of a joint with all that it carries.
fn body(
    out: &mut String,
    model: &Model,
    plan: &Plan,
    bones: &[(usize, Vector3<f64>, f64)],
    link: usize,
) -> core::fmt::Result {
    let (Some(frame), Some(joint)) = (model.frames.get(link), model.joints.get(link)) else {
        return Ok(());
    };
    let name = joint_name(link);
    // Links have no weight; their accelerometers feel gravity all the same.
    writeln!(out, "<body name=\"{name}\" pos=\"{}\" gravcomp=\"1\">", vector(frame.origin))?;
    let axis = vector(frame.axis.into_inner());
    match (plan.motors.get(joint.motor), model.motors.get(joint.motor)) {
        (Some(lead), Some(motor)) if *lead == name => drive(out, &name, &axis, &motor.plant)?,
        _ => writeln!(out, "<joint name=\"{name}\" axis=\"{axis}\" armature=\"2e-6\"/>")?,
    }
    let mut is_light = true;
    for (index, (_, end, radius)) in bones.iter().enumerate().filter(|(_, (on, ..))| *on == link) {
        is_light = false;
        writeln!(
            out,
            "<geom name=\"bone{index}\" type=\"capsule\" size=\"{radius}\" fromto=\"0 0 0 {}\"/>",
            vector(*end)
        )?;
    }
    if is_light {
        writeln!(out, "{LIGHT}")?;
    }
    for (index, pad) in model.pads.iter().enumerate().filter(|(_, pad)| pad.mount.link == Some(link)) {
        let (at, radius) = (vector(pad.mount.position), pad.radius.max(1e-9));
        writeln!(
            out,
            "<geom name=\"pad{index}\" type=\"sphere\" size=\"{radius}\" pos=\"{at}\" mass=\"0\"/>"
        )?;
        writeln!(out, "<site name=\"pad{index}\" type=\"sphere\" size=\"{radius}\" pos=\"{at}\"/>")?;
    }
    for (index, ImuMount { mount, rotation }) in model.imus.iter().enumerate() {
        if mount.link == Some(link) {
            let turn = UnitQuaternion::from_rotation_matrix(rotation);
            let (at, w, v) = (vector(mount.position), turn.w, vector(turn.imag()));
            writeln!(out, "<site name=\"imu{index}\" size=\"0.001\" pos=\"{at}\" quat=\"{w} {v}\"/>")?;
        }
    }
    for (carried, frame) in model.frames.iter().enumerate() {
        if frame.parent == Some(link) {
            body(out, model, plan, bones, carried)?;
        }
    }
    writeln!(out, "</body>")
}

/// A joint that has a motor.
fn drive(out: &mut String, name: &str, axis: &str, plant: &Plant) -> core::fmt::Result {
    let Plant { inertia, damping, minimum, maximum, .. } = plant;
    // MuJoCo's ranges are not empty.
    let maximum = maximum.max(minimum + 1e-6);
    writeln!(
        out,
        "<joint name=\"{name}\" axis=\"{axis}\" armature=\"{inertia}\" damping=\"{damping}\" limited=\"true\" \
         range=\"{minimum} {maximum}\" solreflimit=\"{} 1\" solimplimit=\"0.99 0.9999 0.001\"/>",
        2.0 * STEP
    )
}

/// Writes the constraints that couple joints to their motors, the constraints for motors that are stuck, and the servos.
fn constraints(out: &mut String, model: &Model, plan: &Plan) -> core::fmt::Result {
    writeln!(out, "<equality>")?;
    for follower in &plan.followers {
        let motor = model.joints.get(*follower).and_then(|joint| plan.motors.get(joint.motor));
        let (follower, motor) = (joint_name(*follower), motor.map_or("", String::as_str));
        writeln!(out, "<joint joint1=\"{follower}\" joint2=\"{motor}\" polycoef=\"0 0 0 0 0\"/>")?;
    }
    for motor in &plan.motors {
        writeln!(out, "<joint joint1=\"{motor}\" polycoef=\"0 0 0 0 0\" active=\"false\"/>")?;
    }
    writeln!(out, "</equality>")?;
    writeln!(out, "<actuator>")?;
    for (joint, motor) in plan.motors.iter().zip(&model.motors) {
        let torque = motor.plant.torque.max(1e-9);
        // The servo of MuJoCo itself, which knows the derivatives of its torque: force = ctrl - kp·q - kd·q'.
        writeln!(
            out,
            "<general joint=\"{joint}\" gaintype=\"fixed\" gainprm=\"1\" biastype=\"affine\" biasprm=\"0 0 0\" \
             forcelimited=\"true\" forcerange=\"-{torque} {torque}\"/>"
        )?;
    }
    writeln!(out, "</actuator>")
}

/// The sensors of all links but the base: contacts, then accelerometer and gyroscope of each unit.
fn sensors(out: &mut String, model: &Model) -> core::fmt::Result {
    writeln!(out, "<sensor>")?;
    for (index, pad) in model.pads.iter().enumerate() {
        if pad.mount.link.is_some() {
            writeln!(out, "<touch site=\"pad{index}\"/>")?;
        }
    }
    for (index, imu) in model.imus.iter().enumerate() {
        if imu.mount.link.is_some() {
            writeln!(out, "<accelerometer site=\"imu{index}\"/><gyro site=\"imu{index}\"/>")?;
        }
    }
    writeln!(out, "</sensor>")
}

fn vector(v: Vector3<f64>) -> String {
    format!("{} {} {}", v.x, v.y, v.z)
}
