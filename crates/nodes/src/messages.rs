//! Conversion between messages and the machines' types. A value that the target type cannot represent is refused by name.

use joystick::{DeviceState, JoyState, PoseState};
use r2r::geometry_msgs::msg as geometry;
use r2r::luci_messages::msg as luci;
use r2r::nav_msgs::msg::Odometry;
use r2r::or_joystick::msg as or_joystick;
use r2r::or_pose_estimator::msg as or_pose;
use r2r::sensor_msgs::msg as sensor;
use r2r::tf2_msgs::msg::TFMessage;
use ros::clock::{from_wire, to_wire};
use safety::{Command, NotFinite, Stamp, StatesMessage, Velocity};

/// A Twist as a velocity.
/// # Errors
/// [`NotFinite`] if one of the six parts is NaN or infinite.
pub fn velocity(twist: &geometry::Twist) -> Result<Velocity, NotFinite> {
    let geometry::Twist { linear, angular } = twist;
    Velocity::new([linear.x, linear.y, linear.z], [angular.x, angular.y, angular.z])
}

/// A velocity as a Twist.
pub fn twist(velocity: &Velocity) -> geometry::Twist {
    let vector = |[x, y, z]: [f64; 3]| geometry::Vector3 { x, y, z };
    geometry::Twist { linear: vector(velocity.linear()), angular: vector(velocity.angular()) }
}

/// The states of a robot's joints or actuators.
pub fn states(message: sensor::JointState) -> StatesMessage {
    StatesMessage {
        stamp: from_wire(&message.header.stamp),
        names: message.name,
        positions: message.position,
        velocities: message.velocity,
        efforts: message.effort,
    }
}

/// The frame of a command.
pub const FRAME: &str = "base_link";
/// Name in place of the frame of a command that is a zero and withholds motion, see [`Command::withheld`].
const WITHHELD: &str = "withheld";

/// A command as a stamped Twist in the vehicle's frame.
pub fn twist_stamped(command: &Command) -> geometry::TwistStamped {
    let mut message = geometry::TwistStamped { twist: twist(&command.velocity), ..Default::default() };
    message.header.stamp = to_wire(command.stamp);
    message.header.frame_id = if command.withheld { WITHHELD } else { FRAME }.into();
    message
}

/// A stamped Twist as a command; any frame but `WITHHELD` is the vehicle's.
/// # Errors
/// [`NotFinite`] as for [`velocity`].
pub fn command(message: &geometry::TwistStamped) -> Result<Command, NotFinite> {
    let (velocity, stamp) = (velocity(&message.twist)?, stamp(message));
    Ok(Command { withheld: message.header.frame_id == WITHHELD, ..Command::new(velocity, stamp) })
}

/// A stamped Twist's stamp.
pub fn stamp(message: &geometry::TwistStamped) -> Stamp {
    from_wire(&message.header.stamp)
}

/// A plain Twist as a command without a stamp. It cannot carry [`Command::withheld`].
/// # Errors
/// [`NotFinite`] as for [`velocity`].
pub fn unstamped(message: &geometry::Twist) -> Result<Command, NotFinite> {
    Ok(Command::new(velocity(message)?, Stamp::ZERO))
}

/// A vehicle's pose `[x, y, heading]` in the first of two frames, and its velocity `[forward, turn]` in the second, without
/// covariances.
pub fn odometry(
    [x, y, heading]: [f64; 3],
    [forward, turn]: [f64; 2],
    stamp: Stamp,
    [frame, child]: [&str; 2],
) -> Odometry {
    let (z, w) = (heading / 2.0).sin_cos();
    let mut message = Odometry { child_frame_id: child.into(), ..Default::default() };
    message.header.stamp = to_wire(stamp);
    message.header.frame_id = frame.into();
    message.pose.pose.position = geometry::Point { x, y, z: 0.0 };
    message.pose.pose.orientation = geometry::Quaternion { x: 0.0, y: 0.0, z, w };
    message.twist.twist.linear.x = forward;
    message.twist.twist.angular.z = turn;
    message
}

/// The transform between the two frames of an odometry.
pub fn transform(odometry: &Odometry) -> TFMessage {
    let pose = &odometry.pose.pose;
    let geometry::Point { x, y, z } = pose.position;
    let mut transform = geometry::TransformStamped { header: odometry.header.clone(), ..Default::default() };
    transform.child_frame_id.clone_from(&odometry.child_frame_id);
    transform.transform.translation = geometry::Vector3 { x, y, z };
    transform.transform.rotation = pose.orientation.clone();
    TFMessage { transforms: vec![transform] }
}

/// A device's state as `or_joystick/State`; the machine has already limited it to the type's bounds.
pub fn device(state: DeviceState) -> or_joystick::State {
    or_joystick::State { ts: to_wire(state.stamp), buttons: state.buttons, axes: state.axes }
}

/// A stick as `sensor_msgs/Joy`, in the frame that the `joy` package names.
pub fn joy(state: JoyState) -> sensor::Joy {
    let mut message = sensor::Joy { axes: state.axes, buttons: state.buttons, ..Default::default() };
    message.header.frame_id = "joy".into();
    message.header.stamp = to_wire(state.stamp);
    message
}

/// A reference as `or_pose_estimator/State`: an absent part is an empty sequence.
pub fn pose_state(state: &PoseState) -> or_pose::State {
    or_pose::State {
        ts: to_wire(state.stamp),
        intrinsic: state.intrinsic,
        pos: state.pos.map(|[x, y, z]| or_pose::Pos { x, y, z }).into_iter().collect(),
        att: state.att.map(|[qw, qx, qy, qz]| or_pose::Att { qw, qx, qy, qz }).into_iter().collect(),
        vel: state.vel.map(|[vx, vy, vz]| or_pose::Vel { vx, vy, vz }).into_iter().collect(),
        avel: state.avel.map(|[wx, wy, wz]| or_pose::AVel { wx, wy, wz }).into_iter().collect(),
        acc: state.acc.map(|[ax, ay, az]| or_pose::Acc { ax, ay, az }).into_iter().collect(),
        aacc: state.aacc.map(|[awx, awy, awz]| or_pose::AAcc { awx, awy, awz }).into_iter().collect(),
        pos_cov: state.pos_cov.map(|c| or_pose::PosCov { cov: c.into() }).into_iter().collect(),
        att_cov: state.att_cov.map(|c| or_pose::AttCov { cov: c.into() }).into_iter().collect(),
        att_pos_cov: state.att_pos_cov.map(|c| or_pose::AttPosCov { cov: c.into() }).into_iter().collect(),
        vel_cov: state.vel_cov.map(|c| or_pose::VelCov { cov: c.into() }).into_iter().collect(),
        avel_cov: state.avel_cov.map(|c| or_pose::AVelCov { cov: c.into() }).into_iter().collect(),
        acc_cov: state.acc_cov.map(|c| or_pose::AccCov { cov: c.into() }).into_iter().collect(),
        aacc_cov: state.aacc_cov.map(|c| or_pose::AAccCov { cov: c.into() }).into_iter().collect(),
    }
}

/// `or_pose_estimator/State` as a reference. A covariance of the wrong length, which the type forbids, is absent.
pub fn reference(message: &or_pose::State) -> PoseState {
    PoseState {
        stamp: from_wire(&message.ts),
        intrinsic: message.intrinsic,
        pos: message.pos.first().map(|p| [p.x, p.y, p.z]),
        att: message.att.first().map(|q| [q.qw, q.qx, q.qy, q.qz]),
        vel: message.vel.first().map(|v| [v.vx, v.vy, v.vz]),
        avel: message.avel.first().map(|w| [w.wx, w.wy, w.wz]),
        acc: message.acc.first().map(|a| [a.ax, a.ay, a.az]),
        aacc: message.aacc.first().map(|a| [a.awx, a.awy, a.awz]),
        pos_cov: message.pos_cov.first().and_then(|c| c.cov.as_slice().try_into().ok()),
        att_cov: message.att_cov.first().and_then(|c| c.cov.as_slice().try_into().ok()),
        att_pos_cov: message.att_pos_cov.first().and_then(|c| c.cov.as_slice().try_into().ok()),
        vel_cov: message.vel_cov.first().and_then(|c| c.cov.as_slice().try_into().ok()),
        avel_cov: message.avel_cov.first().and_then(|c| c.cov.as_slice().try_into().ok()),
        acc_cov: message.acc_cov.first().and_then(|c| c.cov.as_slice().try_into().ok()),
        aacc_cov: message.aacc_cov.first().and_then(|c| c.cov.as_slice().try_into().ok()),
    }
}

/// A `LuciJoystick` unchanged.
pub fn joystick(message: &luci::LuciJoystick) -> zones::Joystick {
    let &luci::LuciJoystick { forward_back, left_right, joystick_zone, input_source } = message;
    zones::Joystick { forward_back, left_right, joystick_zone, input_source }
}

/// A stick of LUCI's as a message, unchanged.
pub fn luci_joystick(joystick: zones::Joystick) -> luci::LuciJoystick {
    let zones::Joystick { forward_back, left_right, joystick_zone, input_source } = joystick;
    luci::LuciJoystick { forward_back, left_right, joystick_zone, input_source }
}

/// The sixteen factors in the order of the message.
pub fn zone_fields(m: &luci::LuciZoneScaling) -> [f32; 16] {
    [
        m.front_fb,
        m.front_rl,
        m.front_right_fb,
        m.front_right_rl,
        m.front_left_fb,
        m.front_left_rl,
        m.right_fb,
        m.right_rl,
        m.left_fb,
        m.left_rl,
        m.back_right_fb,
        m.back_right_rl,
        m.back_left_fb,
        m.back_left_rl,
        m.back_fb,
        m.back_rl,
    ]
}

/// The message of sixteen factors in its order.
pub fn zone_scaling(f: &[f32; 16]) -> luci::LuciZoneScaling {
    luci::LuciZoneScaling {
        front_fb: f[0],
        front_rl: f[1],
        front_right_fb: f[2],
        front_right_rl: f[3],
        front_left_fb: f[4],
        front_left_rl: f[5],
        right_fb: f[6],
        right_rl: f[7],
        left_fb: f[8],
        left_rl: f[9],
        back_right_fb: f[10],
        back_right_rl: f[11],
        back_left_fb: f[12],
        back_left_rl: f[13],
        back_fb: f[14],
        back_rl: f[15],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_survives_the_wire_bit_for_bit() {
        let state = PoseState {
            stamp: Stamp { sec: 7, nanosec: 8 },
            intrinsic: true,
            pos: Some([1.0, -0.0, f64::MIN_POSITIVE]),
            att_pos_cov: Some([0.5; 12]),
            aacc: Some([1e308, 0.0, -1e-308]),
            ..PoseState::default()
        };
        let back = reference(&pose_state(&state));
        assert_eq!(format!("{back:?}"), format!("{state:?}"));
    }

    #[test]
    fn a_twist_that_is_not_finite_is_no_velocity() {
        let mut message = geometry::Twist::default();
        message.angular.y = f64::NAN;
        assert_eq!(velocity(&message).unwrap_err().part, "angular.y");
        message.angular.y = 2.0;
        assert_eq!(twist(&velocity(&message).unwrap()), message);
    }

    #[test]
    fn withheld_motion_is_marked_in_place_of_the_frame() {
        let stamp = Stamp { sec: 7, nanosec: 8 };
        let drives = Command::new(Velocity::planar(1.0, 0.5).unwrap(), stamp);
        for (sent, frame) in [(drives, "base_link"), (drives.reduced_to(Velocity::ZERO), "withheld")] {
            let message = twist_stamped(&sent);
            assert_eq!(message.header.frame_id, frame);
            assert_eq!(command(&message), Ok(sent));
        }
        // Frames of other nodes.
        let mut message = twist_stamped(&drives);
        for frame in ["", "chassis", "Withheld"] {
            message.header.frame_id = frame.into();
            assert_eq!(command(&message), Ok(drives), "{frame}");
        }
    }

    #[test]
    fn zone_factors_keep_their_places() {
        let fields = std::array::from_fn(|index| index as f32);
        let message = zone_scaling(&fields);
        assert_eq!((message.front_fb, message.front_right_rl, message.back_rl), (0.0, 3.0, 15.0));
        assert_eq!(zone_fields(&message), fields);
    }
}
