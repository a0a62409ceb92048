use core::time::Duration;

/// A motion of both joints from point to point, with a stand in each: what the demo sends as a trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Times since the begin, ascending, and the positions of pan and tilt then \[rad\].
    pub points: Vec<(Duration, [f64; 2])>,
}

/// Points of a motion in parts of its duration.
const PATH: [(f64, [f64; 2]); 3] = [(0.33, [0.4, 0.8]), (0.67, [0.0, 0.2]), (1.0, [-0.4, 0.5])];

impl Motion {
    /// The example, which takes `duration`.
    pub fn example(duration: Duration) -> Self {
        Self { points: PATH.map(|(part, positions)| (duration.mul_f64(part), positions)).into() }
    }

    /// A motion to one point.
    pub fn to(positions: [f64; 2], duration: Duration) -> Self {
        Self { points: vec![(duration, positions)] }
    }

    /// How long it takes.
    pub fn duration(&self) -> Duration {
        self.points.last().map_or(Duration::ZERO, |(time, _)| *time)
    }

    /// Where it ends.
    pub fn end(&self) -> Option<[f64; 2]> {
        self.points.last().map(|(_, positions)| *positions)
    }

    /// The positions `passed` after the begin at `start`.
    ///
    /// Between two points a joint follows the cubic that stands at both: a + (b - a) (3 u² - 2 u³), u from 0 to 1.
    pub fn at(&self, passed: Duration, start: [f64; 2]) -> [f64; 2] {
        let next = self.points.partition_point(|(time, _)| *time <= passed);
        let (since, from) = next
            .checked_sub(1)
            .and_then(|before| self.points.get(before))
            .map_or((Duration::ZERO, start), |p| *p);
        let Some((until, to)) = self.points.get(next) else { return from };
        let part = (passed - since).as_secs_f64() / (*until - since).as_secs_f64();
        let share = part * part * (3.0 - 2.0 * part);
        [0, 1].map(|joint: usize| from[joint] + (to[joint] - from[joint]) * share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm::robot::Joint;

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    #[test]
    fn a_motion_passes_its_points_and_holds_its_end() {
        let motion = Motion { points: vec![(seconds(1.0), [1.0, 0.0]), (seconds(3.0), [1.0, 0.8])] };
        let at = |time| motion.at(seconds(time), [0.0, 0.0]);
        // u = 1/4: 3/16 - 2/64 = 0.15625
        assert_eq!((at(0.0), at(0.25), at(0.5)), ([0.0, 0.0], [0.15625, 0.0], [0.5, 0.0]));
        assert_eq!((at(1.0), at(2.0), at(3.0), at(9.0)), ([1.0, 0.0], [1.0, 0.4], [1.0, 0.8], [1.0, 0.8]));
        assert_eq!((motion.duration(), motion.end()), (seconds(3.0), Some([1.0, 0.8])));
    }

    #[test]
    fn the_example_stays_within_the_limits() {
        for (_, positions) in Motion::example(seconds(3.0)).points {
            for (joint, position) in Joint::ALL.into_iter().zip(positions) {
                let [lower, upper] = joint.soft_limits();
                assert!(lower < position && position < upper, "{} {position}", joint.name());
            }
        }
    }
}
