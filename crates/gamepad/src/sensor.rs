//! Converts SDL's sensor axes to those of REP-103; the only place that does.

/// Converts a sensor vector of a gamepad from SDL's axes to those of REP-103.
///
/// The pad is held in the usual way. SDL: x to the right, y up out of the buttons, z towards the player. REP-103: x
/// forward (away from the player), y to the left, z up. Both are right-handed, so one rule serves acceleration
/// \[m/s²] and angular velocity \[rad/s]: `(x, y, z) = (-z, -x, y)` of SDL's.
///
/// An acceleration includes the reaction to gravity: at rest it is 9.81 m/s² upwards, as in `sensor_msgs/Imu`. `None`
/// if a number is not finite.
///
/// # Source
/// `SDL_sensor.h` ("farther ... closer" is its z, turning counter-clockwise is positive); REP-103.
pub(crate) fn rep103([x, y, z]: [f32; 3]) -> Option<[f32; 3]> {
    [x, y, z].into_iter().all(f32::is_finite).then_some([-z, -x, y])
}

#[cfg(test)]
mod tests {
    use super::*;

    const G: f32 = 9.806_65; // SDL_STANDARD_GRAVITY

    #[test]
    fn a_pad_on_the_table_is_accelerated_upwards() {
        // SDL: "a device at rest will have a value of SDL_STANDARD_GRAVITY away from the center of the earth", its y.
        assert_eq!(rep103([0.0, G, 0.0]), Some([-0.0, -0.0, G]));
    }

    #[test]
    fn ahead_is_x_and_left_is_y() {
        // Pushed away from the player: SDL's z points towards the player, so it is negative.
        assert_eq!(rep103([0.0, 0.0, -2.0]), Some([2.0, -0.0, 0.0]));
        // Pushed to the left: SDL's x points to the right.
        assert_eq!(rep103([-3.0, 0.0, 0.0]), Some([-0.0, 3.0, 0.0]));
    }

    #[test]
    fn a_turn_to_the_left_is_positive_about_z() {
        // Seen from above counter-clockwise: SDL's yaw about its y, which points up, is positive too.
        assert_eq!(rep103([0.0, 1.0, 0.0]), Some([-0.0, -0.0, 1.0]));
        // The front goes down: about SDL's x (right) that is clockwise seen from the right, hence negative; about
        // REP-103's y (left) the front going down is positive.
        assert_eq!(rep103([-1.0, 0.0, 0.0]), Some([-0.0, 1.0, 0.0]));
        // The right side goes down: about REP-103's x (forward) positive, about SDL's z (towards the player) negative.
        assert_eq!(rep103([0.0, 0.0, -1.0]), Some([1.0, -0.0, 0.0]));
    }

    #[test]
    fn both_frames_are_right_handed() {
        // x cross y = z must hold for the images of SDL's unit vectors.
        let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|v| rep103(v).unwrap());
        let cross = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
        assert_eq!(cross, z);
    }

    #[test]
    fn a_value_that_is_not_finite_is_no_measurement() {
        assert_eq!(rep103([f32::NAN, 0.0, 0.0]), None);
        assert_eq!(rep103([0.0, f32::INFINITY, 0.0]), None);
    }
}
