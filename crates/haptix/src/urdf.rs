//! The robot description of a hand, for controllers of its joints and for pictures.

use core::fmt::Write;

use nalgebra::{Rotation3, Vector3};
use safety::Coupling;

use crate::hand::kinematics::JointFrame;
use crate::model::{Model, Motor};
use crate::skeleton::BASE;

/// How thick a link is drawn \[m\]; the description of a hand has no thickness.
const BONE: f64 = 0.004;

/// A motor that no transmission can stand for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "motor '{motor}' drives no joint whose slopes are all of one sign and none of them 0, so no joint measures its position"
)]
pub struct UrdfError {
    /// The motor.
    pub motor: String,
}

/// A joint as its motor moves it.
struct Reach {
    /// \[rad\]
    lower: f64,
    upper: f64,
    /// The most that it takes and the fastest that it goes \[N·m, rad/s\].
    effort: f64,
    velocity: f64,
}

impl Model {
    /// The URDF of the hand: links with the names of the joints that move them, inertial units, and a transmission for each motor,
    /// whose name is that of the actuator.
    ///
    /// The first joint of a transmission is moved: the one with the motor's name, or the first whose angle determines the motor's. The
    /// others follow it. Limits are those that the motor reaches; the greatest velocity is the one that it reaches against its
    /// damping, or from one end to the other. The safety controller is the hand's own servo at the end stops: k_velocity is its
    /// gain_vel, and k_position gain_pos / gain_vel. Links are drawn as lines, contact sensors as balls.
    /// # Errors
    /// A motor drives no joint that measures its position.
    pub fn urdf(&self) -> Result<String, UrdfError> {
        let leaders = self.leaders()?;
        let mut text = String::new();
        let out = &mut text;
        line(out, 0, "<?xml version=\"1.0\"?>");
        line(
            out,
            0,
            "<!-- Generated from the description of the hand. A link has the name of the joint that moves it. -->",
        );
        line(out, 0, &format!("<robot name=\"{}\">", escape(&self.constants.description.model_name)));
        self.link(out, None);
        for (index, joint) in self.joints.iter().enumerate() {
            self.link(out, Some(index));
            self.joint(out, index, leaders.get(joint.motor) == Some(&index));
        }
        for (frame, imu) in self.constants.description.imu_frames.iter().zip(&self.imus) {
            let (frame, link) = (escape(frame), escape(self.link_name(imu.mount.link)));
            let pose = pose(imu.mount.position, &imu.rotation);
            line(out, 1, &format!("<link name=\"{frame}\"/>"));
            line(
                out,
                1,
                &format!(
                    "<joint name=\"{frame}\" type=\"fixed\"><parent link=\"{link}\"/><child link=\"{frame}\"/>{pose}</joint>"
                ),
            );
        }
        for (index, leader) in leaders.into_iter().enumerate() {
            self.transmission(out, index, leader);
        }
        line(out, 0, "</robot>");
        Ok(text)
    }

    /// The joint that each motor moves first.
    fn leaders(&self) -> Result<Vec<usize>, UrdfError> {
        let leader = |(index, name): (usize, &String)| {
            let measures = |&(_, joint): &(usize, &crate::model::Joint)| {
                joint.motor == index && joint.coupling.is_invertible()
            };
            let candidates = || self.joints.iter().enumerate().filter(measures).map(|(joint, _)| joint);
            let named =
                candidates().find(|&joint| self.constants.description.joint_names.get(joint) == Some(name));
            named.or(candidates().next()).ok_or_else(|| UrdfError { motor: name.clone() })
        };
        self.constants.description.motor_names.iter().enumerate().map(leader).collect()
    }

    fn link_name(&self, joint: Option<usize>) -> &str {
        joint.and_then(|joint| self.constants.description.joint_names.get(joint)).map_or(BASE, String::as_str)
    }

    fn link(&self, out: &mut String, of: Option<usize>) {
        let bones = self.frames.iter().filter(|frame| frame.parent == of).filter_map(bone);
        let balls = self.pads.iter().filter(|pad| pad.mount.link == of).map(|pad| {
            let radius = number(pad.radius);
            (pose(pad.mount.position, &Rotation3::identity()), format!("<sphere radius=\"{radius}\"/>"))
        });
        let name = escape(self.link_name(of));
        let shapes: Vec<(String, String)> = bones.chain(balls).collect();
        if shapes.is_empty() {
            line(out, 1, &format!("<link name=\"{name}\"/>"));
            return;
        }
        line(out, 1, &format!("<link name=\"{name}\">"));
        for (pose, shape) in shapes {
            line(out, 2, &format!("<visual>{pose}<geometry>{shape}</geometry></visual>"));
        }
        line(out, 1, "</link>");
    }

    fn joint(&self, out: &mut String, index: usize, is_moved: bool) {
        let Some((joint, frame)) = self.joints.get(index).zip(self.frames.get(index)) else { return };
        let Some(motor) = self.motors.get(joint.motor) else { return };
        let (name, parent) = (escape(self.link_name(Some(index))), escape(self.link_name(frame.parent)));
        let Reach { lower, upper, effort, velocity } = reach(motor, &joint.coupling);
        let (lower, upper, velocity) = (number(lower), number(upper), number(velocity));
        // Nothing moves a joint that follows.
        let effort = number(if is_moved { effort } else { 0.0 });
        line(out, 1, &format!("<joint name=\"{name}\" type=\"revolute\">"));
        line(out, 2, &format!("<parent link=\"{parent}\"/><child link=\"{name}\"/>"));
        line(
            out,
            2,
            &format!("<origin xyz=\"{}\"/><axis xyz=\"{}\"/>", vector(&frame.origin), vector(&frame.axis)),
        );
        line(
            out,
            2,
            &format!(
                "<limit lower=\"{lower}\" upper=\"{upper}\" effort=\"{effort}\" velocity=\"{velocity}\"/>"
            ),
        );
        let square = motor.gear * motor.gear;
        let gain = |gains: &[f64]| gains.get(joint.motor).copied().unwrap_or_default() * square;
        let (gain_pos, gain_vel) =
            (gain(&self.constants.start.gain_pos), gain(&self.constants.start.gain_vel));
        // Without one of the gains the limits could only brake everywhere.
        if is_moved && gain_pos > 0.0 && gain_vel > 0.0 {
            let steepest = joint.coupling.steepest();
            let (position, velocity) =
                (number(gain_pos / gain_vel), number(gain_vel / (steepest * steepest)));
            let gains = format!("k_position=\"{position}\" k_velocity=\"{velocity}\"");
            let ends = format!("soft_lower_limit=\"{lower}\" soft_upper_limit=\"{upper}\"");
            line(out, 2, &format!("<safety_controller {gains} {ends}/>"));
        }
        line(out, 1, "</joint>");
    }

    fn transmission(&self, out: &mut String, index: usize, leader: usize) {
        let Some((name, motor)) =
            self.constants.description.motor_names.get(index).zip(self.motors.get(index))
        else {
            return;
        };
        let followers =
            self.joints.iter().enumerate().filter(|(joint, it)| it.motor == index && *joint != leader);
        let moved: Vec<(usize, &Coupling)> = self
            .joints
            .get(leader)
            .map(|joint| (leader, &joint.coupling))
            .into_iter()
            .chain(followers.map(|(index, joint)| (index, &joint.coupling)))
            .collect();
        // A transmission that everybody knows, where it is one.
        let (kind, reduction) = match moved.as_slice() {
            [(_, coupling)] if coupling.knees().is_empty() => {
                ("pr2_mechanism_model/SimpleTransmission", motor.gear / coupling.slope(0.0))
            }
            _ => ("steersman/CoupledTransmission", motor.gear),
        };
        let name = escape(name);
        line(out, 1, &format!("<transmission name=\"{name}_transmission\" type=\"{kind}\">"));
        line(out, 2, &format!("<actuator name=\"{name}\"/>"));
        for (joint, coupling) in moved {
            let joint = escape(self.link_name(Some(joint)));
            let coupling = if kind.starts_with("steersman") {
                format!(" coupling=\"{}\"", numbers(coupling))
            } else {
                String::new()
            };
            line(out, 2, &format!("<joint name=\"{joint}\"{coupling}/>"));
        }
        line(out, 2, &format!("<mechanicalReduction>{}</mechanicalReduction>", number(reduction)));
        line(out, 1, "</transmission>");
    }
}

/// Limits of a joint: its angle is least and greatest at an end of the motor or at a knee.
fn reach(motor: &Motor, coupling: &Coupling) -> Reach {
    let plant = &motor.plant;
    let within = |angle: &f64| *angle > plant.minimum && *angle < plant.maximum;
    let knees = coupling.knees().iter().map(|(angle, _)| *angle).filter(within);
    let angles = || knees.clone().chain([plant.minimum, plant.maximum]).map(|drive| coupling.angle(drive));
    let steepest = coupling.steepest();
    // From rest at one end: v² = 2 (τ/J) s; and never faster than τ/b.
    let way = plant.maximum - plant.minimum;
    let fastest = (2.0 * plant.torque / plant.inertia * way).sqrt().min(plant.torque / plant.damping);
    Reach {
        lower: angles().fold(f64::INFINITY, f64::min),
        upper: angles().fold(f64::NEG_INFINITY, f64::max),
        effort: plant.torque / steepest,
        // Without torque and damping the quotient is no number, and min keeps the other.
        velocity: fastest * steepest,
    }
}

/// A link as a line from its origin to that of a joint that it carries.
fn bone(frame: &JointFrame) -> Option<(String, String)> {
    let length = frame.origin.norm();
    if length < BONE {
        return None;
    }
    // Against z there is no shortest turn, but any will do.
    let turn = Rotation3::rotation_between(&Vector3::z(), &frame.origin).unwrap_or_default();
    let shape = format!("<cylinder radius=\"{BONE}\" length=\"{}\"/>", number(length));
    Some((pose(frame.origin / 2.0, &turn), shape))
}

fn pose(position: Vector3<f64>, rotation: &Rotation3<f64>) -> String {
    let (roll, pitch, yaw) = rotation.euler_angles();
    let turn = match vector(&Vector3::new(roll, pitch, yaw)).as_str() {
        "0 0 0" => String::new(),
        angles => format!(" rpy=\"{angles}\""),
    };
    format!("<origin xyz=\"{}\"{turn}/>", vector(&position))
}

fn vector(vector: &Vector3<f64>) -> String {
    let [x, y, z] = [vector.x, vector.y, vector.z].map(number);
    format!("{x} {y} {z}")
}

/// The numbers of which the coupling is made: a slope, then angle and slope of each knee.
fn numbers(coupling: &Coupling) -> String {
    let below = coupling.knees().first().map_or(0.0, |(angle, _)| angle - 1.0);
    let mut text = number(coupling.slope(below));
    for (angle, _) in coupling.knees() {
        let _ = write!(text, " {} {}", number(*angle), number(coupling.slope(*angle))); // a String takes everything
    }
    text
}

/// A number to nine decimals, without what arithmetic adds behind them.
fn number(value: f64) -> String {
    let rounded = (value * 1e9).round() / 1e9;
    let value = if rounded == 0.0 && value != 0.0 { value } else { rounded };
    format!("{}", value + 0.0) // no -0
}

fn line(out: &mut String, depth: usize, text: &str) {
    let _ = writeln!(out, "{:depth$}{text}", "", depth = 2 * depth); // a String takes everything
}

fn escape(name: &str) -> String {
    name.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(device: &str) -> Vec<String> {
        let urdf = Model::builtin(device).map(|model| model.urdf().unwrap_or_default());
        urdf.unwrap_or_default().lines().map(|line| line.trim().to_owned()).collect()
    }

    fn has(lines: &[String], expected: &[&str]) {
        let found = lines.windows(expected.len()).any(|window| window == expected);
        assert!(found, "{expected:#?} is not in {}", lines.join("\n"));
    }

    #[test]
    fn a_finger_is_a_coupled_transmission_with_what_its_motor_reaches() {
        let lines = lines("mpl");
        has(
            &lines,
            &[
                "<transmission name=\"index1_transmission\" type=\"steersman/CoupledTransmission\">",
                "<actuator name=\"index1\"/>",
                "<joint name=\"index1\" coupling=\"1 0.1745 0.8333 1.8 0.0413\"/>",
                "<joint name=\"index2\" coupling=\"0 0.384 0.71875\"/>",
                "<joint name=\"index3\" coupling=\"0 0.384 0.69792 2.361 0\"/>",
                "<mechanicalReduction>1</mechanicalReduction>",
                "</transmission>",
            ],
        );
        // 0.1745 + (1.8 - 0.1745) · 0.8333 + (2.777 - 1.8) · 0.0413 rad; 0.786 / 0.03 rad/s; 4 / 0.12 1/s.
        has(
            &lines,
            &[
                "<limit lower=\"-0.785\" upper=\"1.56937925\" effort=\"0.786\" velocity=\"26.2\"/>",
                "<safety_controller k_position=\"33.333333333\" k_velocity=\"0.12\" soft_lower_limit=\"-0.785\" \
                 soft_upper_limit=\"1.56937925\"/>",
                "</joint>",
            ],
        );
        // (2.777 - 0.384) · 0.71875 rad; 26.2 · 0.71875 rad/s
        has(
            &lines,
            &["<limit lower=\"0\" upper=\"1.71996875\" effort=\"0\" velocity=\"18.83125\"/>", "</joint>"],
        );
        has(
            &lines,
            &[
                "<actuator name=\"pinky0\"/>",
                "<joint name=\"pinky0\" coupling=\"1\"/>",
                "<joint name=\"ring0\" coupling=\"1\"/>",
            ],
        );
    }

    #[test]
    fn a_motor_of_one_joint_is_a_simple_transmission_with_its_gear() {
        has(
            &lines("mpl_gazebo"),
            &[
                "<transmission name=\"wristy_transmission\" type=\"pr2_mechanism_model/SimpleTransmission\">",
                "<actuator name=\"wristy\"/>",
                "<joint name=\"wristy\"/>",
                "<mechanicalReduction>180</mechanicalReduction>",
            ],
        );
        // Gears change the motor, not the joint.
        let of_joints = |device| -> Vec<String> {
            let lines = lines(device);
            lines
                .into_iter()
                .filter(|line| line.starts_with("<limit") || line.starts_with("<safety"))
                .collect()
        };
        let (joints, shafts) = (of_joints("mpl"), of_joints("mpl_gazebo"));
        assert_eq!((joints.len(), shafts.len()), (22 + 13, 22 + 13));
        assert_eq!(joints[..16], shafts[..16], "the fingers' ranges are others there");
    }

    #[test]
    fn names_are_escaped_and_a_motor_whose_position_no_joint_tells_is_refused() {
        let text = "based_on: two_finger\nmodel: 'A & \"B\" <C>'\n";
        let urdf = Model::parse(text).map(|model| model.urdf().unwrap_or_default()).unwrap_or_default();
        assert!(urdf.contains("<robot name=\"A &amp; &quot;B&quot; &lt;C>\">"), "{urdf}");
        let text = "based_on: two_finger\nmotors:\n  left: {drives: {left_proximal: [0, 0.1, 1], left_distal: [0]}}\n";
        let refused = Model::parse(text).map(|model| model.urdf().map_err(|error| error.to_string()));
        let rule = "drives no joint whose slopes are all of one sign and none of them 0, so no joint measures its position";
        assert_eq!(refused, Ok(Err(format!("motor 'left' {rule}"))));
    }
}
