use safety::Stamp;

/// The maximum number of buttons and of axes published per device; the rest is dropped.
///
/// # Source
/// or_joystick: `sequence<boolean, 16>`, `sequence<short, 16>`.
pub const MAX_PUBLISHED: usize = 16;

/// The number that identifies a connected device: SDL's instance id. A replug gives a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceId(pub u32);

/// The direction of a hat: a diagonal sets two, the centre none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hat {
    /// Away from the user.
    pub up: bool,
    /// Towards the user.
    pub down: bool,
    /// To the left.
    pub left: bool,
    /// To the right.
    pub right: bool,
}

impl Hat {
    /// The two axes that represent a hat: vertical (up -32768, down 32767), then horizontal (left -32768, right
    /// 32767); 0 is the centre, also if both ends are reported as pressed.
    ///
    /// # Source
    /// joystick-genom3 1.0: vertical first.
    pub const fn axes(self) -> [i16; 2] {
        [along(self.up, self.down), along(self.left, self.right)]
    }
}

const fn along(negative: bool, positive: bool) -> i16 {
    match (negative, positive) {
        (true, false) => i16::MIN,
        (false, true) => i16::MAX,
        _ => 0,
    }
}

/// The message of a device's port.
///
/// # Source
/// or_joystick `state`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceState {
    /// When the last batch with an event of this device was handled; one stamp for all devices of a batch.
    pub stamp: Stamp,
    /// The buttons, at most [`MAX_PUBLISHED`].
    pub buttons: Vec<bool>,
    /// Raw values -32768 to 32767, at most [`MAX_PUBLISHED`]: first the axes, then two for each hat (see [`Hat::axes`]).
    pub axes: Vec<i16>,
}

/// The state of a rigid body with optional members: the reference that comes in and the desired state that goes out.
///
/// A reference is passed on bit for bit, NaN payloads included, while the stick does not drive. Only `vel` and `avel`
/// are used in computations, at a takeover and only if they are finite.
///
/// # Source
/// or_pose_estimator `state`; symmetric covariances are lower triangles, row by row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PoseState {
    /// The time of creation; a reference keeps its own.
    pub stamp: Stamp,
    /// Whether velocities and accelerations are in the body's own frame (true) or in the world frame (false).
    pub intrinsic: bool,
    /// Position x, y, z \[m].
    pub pos: Option<[f64; 3]>,
    /// Attitude as unit quaternion w, x, y, z.
    pub att: Option<[f64; 4]>,
    /// Linear velocity \[m/s].
    pub vel: Option<[f64; 3]>,
    /// Angular velocity \[rad/s].
    pub avel: Option<[f64; 3]>,
    /// Linear acceleration \[m/s²].
    pub acc: Option<[f64; 3]>,
    /// Angular acceleration \[rad/s²].
    pub aacc: Option<[f64; 3]>,
    /// Covariance of the position \[m²].
    pub pos_cov: Option<[f64; 6]>,
    /// Covariance of the attitude.
    pub att_cov: Option<[f64; 10]>,
    /// Covariance of attitude and position \[m].
    pub att_pos_cov: Option<[f64; 12]>,
    /// Covariance of the linear velocity \[m²/s²].
    pub vel_cov: Option<[f64; 6]>,
    /// Covariance of the angular velocity \[rad²/s²].
    pub avel_cov: Option<[f64; 6]>,
    /// Covariance of the linear acceleration \[m²/s⁴].
    pub acc_cov: Option<[f64; 6]>,
    /// Covariance of the angular acceleration \[rad²/s⁴].
    pub aacc_cov: Option<[f64; 6]>,
}

impl PoseState {
    /// A stick at rest, in the frame `intrinsic`: velocities and accelerations are zero, all else is absent.
    pub fn standing(stamp: Stamp, intrinsic: bool) -> Self {
        let zero = Some([0.0; 3]);
        Self { stamp, intrinsic, vel: zero, avel: zero, acc: zero, aacc: zero, ..Self::default() }
    }

    /// The state after a release by the user, in the frame `intrinsic`: the velocities are zero, and there is no
    /// acceleration because none is commanded.
    pub fn released(stamp: Stamp, intrinsic: bool) -> Self {
        Self { acc: None, aacc: None, ..Self::standing(stamp, intrinsic) }
    }

    /// The state after a loss of the commanding source, in the frame `intrinsic`: there is no velocity at all.
    pub fn lost(stamp: Stamp, intrinsic: bool) -> Self {
        Self { stamp, intrinsic, ..Self::default() }
    }
}

/// The `joy` message: the driving device, in the convention of the ROS `joy` node.
///
/// # Source
/// sensor_msgs/msg/Joy; sign and order are those of the ROS 2 `joy` package: left and up are +1 (the negative of
/// SDL's value), the hats come after the axes as left-right, then up-down. That is not the order of [`DeviceState`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JoyState {
    /// As in [`DeviceState::stamp`].
    pub stamp: Stamp,
    /// -1 to 1, at most 64.
    pub axes: Vec<f32>,
    /// 1 while pressed, else 0; at most 128.
    pub buttons: Vec<i32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hat_is_vertical_then_horizontal() {
        let centre = Hat::default();
        assert_eq!(centre.axes(), [0, 0]);
        assert_eq!(Hat { up: true, ..centre }.axes(), [-32768, 0]);
        assert_eq!(Hat { down: true, ..centre }.axes(), [32767, 0]);
        assert_eq!(Hat { left: true, ..centre }.axes(), [0, -32768]);
        assert_eq!(Hat { right: true, ..centre }.axes(), [0, 32767]);
        assert_eq!(Hat { up: true, right: true, ..centre }.axes(), [-32768, 32767]);
        assert_eq!(Hat { up: true, down: true, ..centre }.axes(), [0, 0]);
    }
}
