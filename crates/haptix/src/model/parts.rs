use nalgebra::{Rotation3, Unit, Vector3};
use params::nearest;
use params::tree::{Node, Wrong};
use safety::{Coupling, MAX_KNEES};

use crate::device::Constants;
use crate::grasps::{Grasp, Grasps};
use crate::hand::contacts::Pad;
use crate::hand::kinematics::{ImuMount, JointFrame, Mount};
use crate::hand::servo::Plant;
use crate::model::fields::{Fields, mapping, numbers, wrong};
use crate::model::{Joint, Model, Motor};
use crate::setpoints::Setpoints;
use crate::wire::{Description, Limit, MAX, RobotInfo};

/// No hand is larger \[m\].
const FAR: f64 = 10.0;
const TURN: f64 = 100.0;

/// Reads a complete description.
pub(crate) fn model(node: &Node) -> Result<Model, Wrong> {
    let known =
        ["model", "update_rate", "up", "joints", "motors", "contacts", "imus", "grasp_motors", "grasps"];
    let top = Fields::new("", node, &known)?;
    let joints = named(&top, "joints")?;
    let joint_names: Vec<String> = joints.iter().map(|(name, ..)| (*name).into()).collect();
    let (mut frames, mut joint_limits) = (Vec::new(), [Limit::default(); MAX]);
    let mut ranges = Vec::new();
    for (index, (_, path, node)) in joints.iter().enumerate() {
        let fields = Fields::new(path, node, &["parent", "origin", "axis", "limit"])?;
        let parent = link(&fields, "parent", &joint_names[..index])?;
        let origin = Vector3::from(fields.floats("origin", -FAR..=FAR, "m")?);
        frames.push(JointFrame { parent, origin, axis: direction(&fields, "axis")? });
        let range = interval(&fields, "limit")?;
        joint_limits[index] = limit(range, 1.0);
        ranges.push(range);
    }
    let motors = motors(&top, &joint_names, &ranges)?;
    let (mut pads, mut contact_names) = (Vec::new(), Vec::new());
    for (name, path, node) in named(&top, "contacts")? {
        let fields = Fields::new(&path, node, &["link", "position", "radius"])?;
        let radius = fields.float("radius", 0.0..=FAR, "m", None)?;
        pads.push(Pad { mount: mount(&fields, &joint_names)?, radius });
        contact_names.push(name.into());
    }
    let (mut imus, mut imu_names, mut imu_frames) = (Vec::new(), Vec::new(), Vec::new());
    for (name, path, node) in named(&top, "imus")? {
        let fields = Fields::new(&path, node, &["link", "position", "x", "z", "frame"])?;
        imus.push(ImuMount { mount: mount(&fields, &joint_names)?, rotation: rotation(&fields)? });
        imu_names.push(name.into());
        imu_frames.push(fields.text("frame")?);
    }
    let mut motor_limit = [Limit::default(); MAX];
    let (mut position, mut gain_pos, mut gain_vel) = ([0.0; MAX], [0.0; MAX], [0.0; MAX]);
    for (index, (motor, gains)) in motors.all.iter().zip(&motors.gains).enumerate() {
        motor_limit[index] = limit([motor.plant.minimum, motor.plant.maximum], motor.gear);
        position[index] = motor.start * motor.gear;
        let square = motor.gear * motor.gear;
        (gain_pos[index], gain_vel[index]) = (gains[0] / square, gains[1] / square);
    }
    let info = RobotInfo {
        motor_count: motors.all.len(),
        joint_count: joint_names.len(),
        contact_sensor_count: pads.len(),
        imu_count: imus.len(),
        motor_limit,
        joint_limit: joint_limits,
        update_rate: top.float("update_rate", 2.0..=1000.0, "Hz", None)? as f32,
    };
    let constants = Constants {
        grasps: grasps(&top, &motors.names, &motors.all.iter().map(|motor| motor.gear).collect::<Vec<_>>())?,
        start: Setpoints::new(info.motor_count, position, gain_pos, gain_vel),
        description: Description {
            model_name: top.text("model")?,
            gear_ratio: motors.all.iter().map(|motor| motor.gear as f32).collect(),
            motor_names: motors.names,
            joint_names,
            contact_names,
            imu_names,
            imu_frames,
        },
        info,
    };
    Ok(Model {
        constants,
        joints: motors.joints,
        motors: motors.all,
        frames,
        pads,
        imus,
        up: direction(&top, "up")?,
    })
}

struct Motors {
    names: Vec<String>,
    all: Vec<Motor>,
    /// Of position and velocity, at the joint side of the gear.
    gains: Vec<[f64; 2]>,
    joints: Vec<Joint>,
}

fn motors(top: &Fields<'_>, joint_names: &[String], ranges: &[[f64; 2]]) -> Result<Motors, Wrong> {
    let (mut names, mut all, mut gains) = (Vec::new(), Vec::new(), Vec::new());
    let mut joints: Vec<Option<Joint>> = vec![None; joint_names.len()];
    let known = ["gear", "limit", "start", "torque", "inertia", "damping", "gain_pos", "gain_vel", "drives"];
    for (index, (name, path, node)) in named(top, "motors")?.into_iter().enumerate() {
        let fields = Fields::new(&path, node, &known)?;
        let [minimum, maximum] = interval(&fields, "limit")?;
        let start = 0.0_f64.max(minimum).min(maximum);
        let plant = Plant {
            inertia: fields.float("inertia", 1e-9..=1e3, "kg·m²", None)?,
            damping: fields.float("damping", 0.0..=1e3, "N·m·s/rad", None)?,
            torque: fields.float("torque", 0.0..=1e4, "N·m", None)?,
            minimum,
            maximum,
        };
        gains.push([
            fields.float("gain_pos", 0.0..=1e6, "N·m/rad", None)?,
            fields.float("gain_vel", 0.0..=1e6, "N·m·s/rad", None)?,
        ]);
        all.push(Motor {
            gear: fields.float("gear", 1e-3..=1e5, "", Some(1.0))?,
            start: fields.float("start", minimum..=maximum, "rad", Some(start))?,
            plant,
        });
        names.push(name.to_owned());
        for (joint, path, node) in fields.mapping("drives")? {
            let of =
                find(joint, joint_names).map_err(|hint| wrong(node.line, format!("'{path}': {hint}")))?;
            let form = format!(
                "must be a slope, then angle and slope of up to {MAX_KNEES} knees in ascending order"
            );
            let numbers = numbers(&path, node, -TURN..=TURN, "")?;
            let coupling =
                Coupling::new(&numbers).ok_or_else(|| wrong(node.line, format!("'{path}' {form}")))?;
            if joints[of].replace(Joint { motor: index, coupling }).is_some() {
                return Err(wrong(node.line, format!("'{path}': another motor drives this joint")));
            }
            check_range(&path, node.line, &coupling, [minimum, maximum], ranges[of])?;
        }
    }
    let mut driven = Vec::new();
    for (joint, name) in joints.into_iter().zip(joint_names) {
        driven.push(
            joint.ok_or_else(|| top.wrong("joints", format_args!("has '{name}', which no motor drives")))?,
        );
    }
    Ok(Motors { names, all, gains, joints: driven })
}

/// The joint must stay within its range wherever its motor is: the angle is greatest and least at an end or a knee.
fn check_range(
    path: &str,
    line: usize,
    coupling: &Coupling,
    motor: [f64; 2],
    joint: [f64; 2],
) -> Result<(), Wrong> {
    let within = |angle: &f64| *angle > motor[0] && *angle < motor[1];
    let knees = coupling.knees().iter().map(|(angle, _)| *angle).filter(within);
    for drive in knees.chain(motor) {
        let angle = coupling.angle(drive);
        if !(joint[0] - 1e-9..=joint[1] + 1e-9).contains(&angle) {
            let range = format!("must be from {} to {} rad", joint[0], joint[1]);
            return Err(wrong(
                line,
                format!("'{path}' turns the joint to {angle} rad at {drive} rad, {range}"),
            ));
        }
    }
    Ok(())
}

/// The grasps of motors with these names and gears.
pub(super) fn grasps(top: &Fields<'_>, names: &[String], gears: &[f64]) -> Result<Grasps, Wrong> {
    let entries = top.mapping("grasps")?;
    if entries.is_empty() {
        return Ok(Grasps::default());
    }
    let mut fingers = Vec::new();
    for name in top.texts("grasp_motors")? {
        fingers
            .push(find(&name, names).map_err(|hint| {
                top.wrong("grasp_motors", format_args!("must be names of motors: {hint}"))
            })?);
    }
    let mut all = Vec::new();
    for (name, path, node) in entries {
        let mut way = Vec::new();
        for (level, node) in mapping(&path, node)? {
            let path = format!("{path}.{level}");
            let level = level
                .parse()
                .map_err(|_| wrong(node.line, format!("'{path}' must be a level from 0 to 1")))?;
            let values = numbers(&path, node, -TURN..=TURN, "rad")?;
            if values.len() != fingers.len() {
                let count = fingers.len();
                return Err(wrong(
                    node.line,
                    format!("'{path}' has {} numbers, must have {count}", values.len()),
                ));
            }
            let to_motor = |(&motor, value): (&usize, &f64)| value * gears[motor];
            way.push((level, fingers.iter().zip(&values).map(to_motor).collect()));
        }
        let grasp = Grasp::new(name, way);
        let rule = "must have levels in ascending order, the first 0 and the last 1";
        all.push(grasp.ok_or_else(|| wrong(node.line, format!("'{path}' {rule}")))?);
    }
    Ok(Grasps::new(fingers, all))
}

/// The entries of the mapping `name`, at most [`MAX`].
pub(super) fn named<'a>(top: &Fields<'a>, name: &str) -> Result<Vec<(&'a str, String, &'a Node)>, Wrong> {
    let entries = top.mapping(name)?;
    if entries.len() > MAX {
        return Err(top.wrong(name, format_args!("has {} entries, must have at most {MAX}", entries.len())));
    }
    Ok(entries)
}

/// The index of `name` among `names`, or a hint.
pub(super) fn find(name: &str, names: &[String]) -> Result<usize, String> {
    names.iter().position(|known| known == name).ok_or_else(|| {
        match nearest(name, names.iter().map(String::as_str)) {
            Some(nearest) => format!("'{name}' does not exist; did you mean '{nearest}'?"),
            None => format!("'{name}' does not exist; known are: {}", names.join(", ")),
        }
    })
}

/// The joint among `names` that moves the link `field`; `None` for the base.
fn link(fields: &Fields<'_>, field: &str, names: &[String]) -> Result<Option<usize>, Wrong> {
    let name = fields.text(field)?;
    if name == "base" {
        return Ok(None);
    }
    let rule = "must be 'base' or a joint above";
    find(&name, names).map(Some).map_err(|hint| fields.wrong(field, format_args!("{rule}: {hint}")))
}

fn mount(fields: &Fields<'_>, joints: &[String]) -> Result<Mount, Wrong> {
    let position = Vector3::from(fields.floats("position", -FAR..=FAR, "m")?);
    Ok(Mount { link: link(fields, "link", joints)?, position })
}

fn direction(fields: &Fields<'_>, name: &str) -> Result<Unit<Vector3<f64>>, Wrong> {
    let vector = Vector3::from(fields.floats(name, -FAR..=FAR, "")?);
    Unit::try_new(vector, 1e-6).ok_or_else(|| fields.wrong(name, "has no length, must be a direction"))
}

/// From an inertial unit's frame to its link's, by the directions of its x and z in the frame of the link.
fn rotation(fields: &Fields<'_>) -> Result<Rotation3<f64>, Wrong> {
    let (x, z) = (direction(fields, "x")?, direction(fields, "z")?);
    if x.dot(&z).abs() > 1e-3 {
        return Err(fields.wrong("x", "must be at a right angle to 'z'"));
    }
    // face_towards gives the rotation of z to the first direction, with y in the plane of both.
    Ok(Rotation3::face_towards(&z, &z.cross(&x)))
}

pub(super) fn interval(fields: &Fields<'_>, name: &str) -> Result<[f64; 2], Wrong> {
    let [minimum, maximum] = fields.floats(name, -TURN..=TURN, "rad")?;
    if minimum > maximum {
        return Err(fields
            .wrong(name, format_args!("is [{minimum}, {maximum}] rad, must have the smaller one first")));
    }
    Ok([minimum, maximum])
}

pub(super) fn limit([minimum, maximum]: [f64; 2], gear: f64) -> Limit {
    Limit { minimum: (minimum * gear) as f32, maximum: (maximum * gear) as f32 }
}
