use core::time::Duration;

use safety::Stamp;

use crate::OdometryParams;

/// The fields of a `LuciEncoders` that the odometry uses. The casters are omitted: the public firmware always sends
/// 0.
///
/// # Source
/// LUCI `luci_messages` 2.0.0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encoders {
    /// Angle of the left drive wheel's encoder, 0 to 360, wraps \[degrees\].
    pub left_angle: f32,
    /// Angle of the right one, likewise \[degrees\].
    pub right_angle: f32,
    /// The encoder board's clock, wraps after 49.7 days \[ms\].
    pub edge_timestamp: u32,
    /// Time of reception at LUCI's node.
    pub stamp: Stamp,
}

/// An invalid angle.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{field} is {value}, must be from 0 to 360 degrees")]
pub struct BadAngle {
    /// `left_angle` or `right_angle`.
    pub field: &'static str,
    /// The value \[degrees\].
    pub value: f32,
}

/// The result of comparing two messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step {
    /// The distances of the left and right wheel \[m\], in this time.
    Way([f64; 2], Duration),
    /// The message is as old as the last one, or older.
    Late,
    /// Too much time passed.
    Gap(Duration),
    /// The board's clock went back: it restarted.
    Restart,
    /// A wheel would have been faster \[m/s\] than possible.
    Jump(f64, Duration),
}

impl Encoders {
    /// Whether both angles are from 0 to 360 degrees.
    /// # Errors
    /// [`BadAngle`] names the first invalid angle.
    pub(crate) fn check(&self) -> Result<(), BadAngle> {
        for (field, value) in [("left_angle", self.left_angle), ("right_angle", self.right_angle)] {
            if !(0.0..=360.0).contains(&value) {
                return Err(BadAngle { field, value });
            }
        }
        Ok(())
    }

    /// Compares `last` with `self`, both checked.
    ///
    /// way = ± nearest angle / 360 / gear · circumference
    /// # Source
    /// LUCI's `encoder-to-odom` 1.1.0. Own: the nearest angle (its threshold is 100 degrees), the whole clock of 32
    /// bit (it cuts it to 16, so time runs backward every 65.5 s), gaps and jumps.
    pub(crate) fn step(&self, last: &Self, params: &OdometryParams) -> Step {
        let millis = self.edge_timestamp.wrapping_sub(last.edge_timestamp);
        if millis == 0 {
            return Step::Late;
        }
        if millis > u32::MAX / 2 {
            let back = Duration::from_millis(millis.wrapping_neg().into());
            return if back <= REORDERED { Step::Late } else { Step::Restart };
        }
        let time = Duration::from_millis(millis.into());
        if time > params.max_gap {
            return Step::Gap(time);
        }
        let angles = [(last.left_angle, self.left_angle), (last.right_angle, self.right_angle)];
        let mut way = [0.0; 2];
        for ((way, (from, to)), forward) in
            way.iter_mut().zip(angles).zip([params.left_forward, params.right_forward])
        {
            let angle = nearest(f64::from(to) - f64::from(from));
            *way = angle / 360.0 / params.gear * params.circumference;
            if !forward {
                *way = -*way;
            }
        }
        let fastest = way.iter().fold(0.0_f64, |fastest, way| fastest.max(way.abs())) / time.as_secs_f64();
        if fastest > params.max_speed { Step::Jump(fastest, time) } else { Step::Way(way, time) }
    }
}

/// Messages may be reordered within this time; beyond it the clock has restarted.
const REORDERED: Duration = Duration::from_secs(1);

/// Wraps `angle`, in -360 to 360 degrees, to -180 to 180 degrees.
fn nearest(angle: f64) -> f64 {
    if angle > 180.0 {
        angle - 360.0
    } else if angle < -180.0 {
        angle + 360.0
    } else {
        angle
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Params;

    fn encoders(left_angle: f32, right_angle: f32, edge_timestamp: u32) -> Encoders {
        Encoders { left_angle, right_angle, edge_timestamp, stamp: Stamp::ZERO }
    }

    fn step(from: (f32, f32, u32), to: (f32, f32, u32)) -> Step {
        encoders(to.0, to.1, to.2).step(&encoders(from.0, from.1, from.2), &Params::default().odometry)
    }

    fn way(step: Step) -> ([f64; 2], u128) {
        match step {
            Step::Way(way, time) => (way, time.as_millis()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_right_angle_grows_forward_and_the_left_one_falls() {
        // 10 degrees of encoder are 10 / 360 / 2.38462 · 1.0373 m = 0.0120833 m.
        let ([left, right], millis) = way(step((100.0, 100.0, 10), (90.0, 110.0, 30)));
        assert!((left - 0.012_083_3).abs() < 1e-7 && (right - 0.012_083_3).abs() < 1e-7, "{left} {right}");
        assert_eq!(millis, 20);
    }

    #[test]
    fn an_angle_that_wraps_takes_the_near_way() {
        // 355 to 5 is 10 degrees up, 5 to 355 is 10 degrees down.
        let ([left, right], _) = way(step((5.0, 355.0, 10), (355.0, 5.0, 30)));
        assert!((left - 0.012_083_3).abs() < 1e-7 && (right - 0.012_083_3).abs() < 1e-7, "{left} {right}");
        assert_eq!(way(step((0.0, 360.0, 0), (360.0, 0.0, 10))).0, [0.0, 0.0], "0 and 360 are the same");
    }

    #[test]
    fn the_clock_wraps_at_32_bit_and_not_at_16() {
        assert_eq!(way(step((0.0, 0.0, 65_535), (0.0, 0.0, 65_545))).1, 10);
        assert_eq!(way(step((0.0, 0.0, u32::MAX - 4), (0.0, 0.0, 5))).1, 10);
    }

    #[test]
    fn an_old_message_is_late_and_a_new_clock_is_a_restart() {
        assert_eq!(step((0.0, 0.0, 500), (90.0, 0.0, 500)), Step::Late);
        assert_eq!(step((0.0, 0.0, 500), (0.0, 0.0, 490)), Step::Late);
        assert_eq!(step((0.0, 0.0, 500_000), (0.0, 0.0, 20)), Step::Restart);
    }

    #[test]
    fn gaps_and_jumps_have_limits() {
        assert!(matches!(step((0.0, 0.0, 0), (0.0, 0.0, 70)), Step::Way(..)));
        assert_eq!(step((0.0, 0.0, 0), (0.0, 0.0, 71)), Step::Gap(Duration::from_millis(71)));
        // 3 m/s in 10 ms are 0.03 m, 24.83 degrees.
        assert!(matches!(step((0.0, 0.0, 0), (0.0, 24.8, 10)), Step::Way(..)));
        assert!(matches!(step((0.0, 0.0, 0), (0.0, 24.9, 10)), Step::Jump(speed, _) if speed > 3.0));
        assert!(matches!(step((24.9, 0.0, 0), (0.0, 0.0, 10)), Step::Jump(..)), "the left wheel as well");
    }

    #[test]
    fn what_is_no_angle_is_named() {
        for bad in [f32::NAN, -0.1, 360.1, f32::INFINITY] {
            assert_eq!(encoders(bad, 0.0, 0).check().unwrap_err().field, "left_angle");
        }
        let text = encoders(0.0, 400.0, 0).check().unwrap_err().to_string();
        assert_eq!(text, "right_angle is 400, must be from 0 to 360 degrees");
    }
}
