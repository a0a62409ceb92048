/// Statistics of a joint: some since the start, others of the window since its last report.
///
/// # Source
/// `pr2_mechanism_model` 1.8.21, `JointStatistics`; own: `has_violated_limits` reports that the safety limits changed a
/// command, where the original compares the commanded with the measured effort; `invalid_commands`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointStatistics {
    /// The distance that the joint moved since the start, in either direction \[rad or m\].
    pub odometer: f64,
    /// The least position of the window \[rad or m\].
    pub min_position: f64,
    /// The greatest position of the window \[rad or m\].
    pub max_position: f64,
    /// The greatest speed of the window, without its sign \[rad/s or m/s\].
    pub max_abs_velocity: f64,
    /// The greatest measured effort of the window, without its sign \[Nm or N\].
    pub max_abs_effort: f64,
    /// Whether the safety limits changed a command in the window.
    pub has_violated_limits: bool,
    /// How many commands since the start were not finite.
    pub invalid_commands: u64,
    /// The position of the last sample; `None` before the first.
    last_position: Option<f64>,
}

impl JointStatistics {
    /// Adds a sample. The first one only sets the positions. A sample whose position is not finite
    /// counts for nothing.
    pub(crate) fn add(&mut self, position: f64, velocity: f64, effort: f64) {
        if position.is_finite() {
            if let Some(last) = self.last_position {
                self.odometer += (position - last).abs();
                self.min_position = self.min_position.min(position);
                self.max_position = self.max_position.max(position);
                self.max_abs_velocity = self.max_abs_velocity.max(velocity.abs());
                self.max_abs_effort = self.max_abs_effort.max(effort.abs());
            } else {
                (self.min_position, self.max_position) = (position, position);
            }
            self.last_position = Some(position);
        }
    }

    /// Begins the next window, after a report: the next sample replaces both extremes of the position.
    ///
    /// The extremes are exchanged, so the next sample between them becomes both; a sample outside keeps the window open
    /// to the previous range.
    pub fn restart_window(&mut self) {
        core::mem::swap(&mut self.min_position, &mut self.max_position);
        (self.max_abs_velocity, self.max_abs_effort, self.has_violated_limits) = (0.0, 0.0, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(positions: &[f64]) -> JointStatistics {
        let mut statistics = JointStatistics::default();
        positions.iter().for_each(|&position| statistics.add(position, -2.0 * position, 0.5));
        statistics
    }

    #[test]
    fn the_first_sample_only_sets_the_positions() {
        let statistics = fed(&[3.0]);
        assert_eq!((statistics.odometer, statistics.min_position, statistics.max_position), (0.0, 3.0, 3.0));
        assert_eq!((statistics.max_abs_velocity, statistics.max_abs_effort), (0.0, 0.0));
    }

    #[test]
    fn the_odometer_adds_the_way_in_both_directions() {
        // |2 - 1| + |-1 - 2| = 4
        let statistics = fed(&[1.0, 2.0, -1.0]);
        assert_eq!((statistics.odometer, statistics.min_position, statistics.max_position), (4.0, -1.0, 2.0));
        assert_eq!((statistics.max_abs_velocity, statistics.max_abs_effort), (4.0, 0.5));
    }

    #[test]
    fn a_report_restarts_the_window_but_not_the_odometer() {
        let mut statistics = fed(&[1.0, 2.0, -1.0]);
        statistics.has_violated_limits = true;
        statistics.restart_window();
        assert_eq!((statistics.max_abs_velocity, statistics.has_violated_limits), (0.0, false));
        statistics.add(0.5, 0.0, 0.0);
        assert_eq!((statistics.min_position, statistics.max_position), (0.5, 0.5));
        assert_eq!(statistics.odometer, 5.5);
    }

    #[test]
    fn a_position_that_is_not_finite_leaves_the_odometer_finite() {
        let statistics = fed(&[1.0, f64::NAN, f64::INFINITY, 2.0]);
        assert_eq!((statistics.odometer, statistics.min_position, statistics.max_position), (1.0, 1.0, 2.0));
    }
}
