use core::f64::consts::{PI, TAU};

use crate::robot::{Actuator, CalibrationEdges, Joint, JointKind};

/// The calibration sensor of a simulated joint, which its actuator reads.
///
/// With x the joint's position:
///
/// * A joint with end stops has one edge R or F: the sensor reads high where x > R, or where x < F. With both, R counts.
/// * A continuous joint has both: it reads high between R and F. A missing one lies half a turn from the other.
///
/// Where the reading changes, the encoder's position of the previous call becomes the actuator's rising or its falling edge: rising if
/// the reading became high while x grew or low while it did not.
/// # Source
/// `pr2_mechanism_model` 1.8.21, `JointCalibrationSimulator`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SimulatedSensor {
    /// The reading, x, and the encoder's position of the previous call.
    previous: Option<(bool, f64, f64)>,
}

impl SimulatedSensor {
    /// Sets the sensor's reading and the edges of `actuator`, which moves `joint`. The first call only sets the reading.
    ///
    /// Nothing is set where the joint has no edges, or where its position is not finite.
    pub fn read(&mut self, joint: &Joint, actuator: &mut Actuator) {
        let x = joint.position;
        let Some(reading) = reading(joint.kind, &joint.calibration, x) else { return };
        let state = &mut actuator.state;
        state.calibration_reading = reading;
        if let Some((before, old_x, position)) = self.previous.filter(|(before, ..)| *before != reading) {
            if before != (x > old_x) {
                state.last_calibration_rising_edge = Some(position);
            } else {
                state.last_calibration_falling_edge = Some(position);
            }
        }
        self.previous = Some((reading, x, state.position + state.zero_offset));
    }
}

/// Reading of the sensor at `x`; `None` if there is none.
fn reading(kind: JointKind, edges: &CalibrationEdges, x: f64) -> Option<bool> {
    if !x.is_finite() {
        return None;
    }
    let opposite = |edge: f64| normalized(edge + PI);
    match (kind, edges.rising, edges.falling) {
        (_, None, None) => None,
        (JointKind::Continuous, rising, falling) => {
            let (rising, falling) = (rising.map(normalized), falling.map(normalized));
            let rising = rising.or(falling.map(opposite))?;
            let falling = falling.unwrap_or(opposite(rising));
            let x = normalized(x);
            Some(if rising < falling { rising < x && x < falling } else { !(falling < x && x < rising) })
        }
        (_, Some(rising), _) => Some(x > rising),
        (_, None, Some(falling)) => Some(x < falling),
    }
}

/// Normalizes an angle: above -π, up to π.
fn normalized(angle: f64) -> f64 {
    let turned = angle.rem_euclid(TAU);
    if turned > PI { turned - TAU } else { turned }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(kind: JointKind, rising: Option<f64>, falling: Option<f64>) -> Joint {
        Joint { calibration: CalibrationEdges { rising, falling }, ..Joint::new("j", kind) }
    }

    /// The readings at these positions; the actuator is at ten times the joint's position.
    fn readings(mut joint: Joint, positions: &[f64]) -> (Vec<bool>, Actuator) {
        let (mut sensor, mut actuator) = (SimulatedSensor::default(), Actuator::new("m"));
        let read = |&position: &f64| {
            joint.position = position;
            actuator.state.position = 10.0 * position;
            sensor.read(&joint, &mut actuator);
            actuator.state.calibration_reading
        };
        (positions.iter().map(read).collect(), actuator)
    }

    fn edges(actuator: &Actuator) -> [Option<f64>; 2] {
        [actuator.state.last_calibration_rising_edge, actuator.state.last_calibration_falling_edge]
    }

    #[test]
    fn above_a_rising_edge_the_sensor_reads_high() {
        let (read, actuator) = readings(joint(JointKind::Revolute, Some(0.5), None), &[0.4, 0.5, 0.6, 0.7]);
        assert_eq!(read, [false, false, true, true]);
        // Seen between 0.5 and 0.6: the actuator was at 5 before.
        assert_eq!(edges(&actuator), [Some(5.0), None]);
    }

    #[test]
    fn the_same_edge_is_rising_from_both_sides() {
        // Down through a rising edge: high to low while x falls.
        let (_, actuator) = readings(joint(JointKind::Revolute, Some(0.5), None), &[0.75, 0.25]);
        assert_eq!(edges(&actuator), [Some(7.5), None]);
        let (read, actuator) = readings(joint(JointKind::Prismatic, None, Some(0.5)), &[0.25, 0.75, 0.25]);
        assert_eq!((read, edges(&actuator)), (vec![true, false, true], [None, Some(7.5)]));
    }

    #[test]
    fn the_reference_position_does_not_move_the_edge_of_the_sensor() {
        let mut joint = joint(JointKind::Revolute, Some(0.5), None);
        joint.reference_position = 1.0;
        assert_eq!(readings(joint, &[0.4, 0.6]).0, [false, true]);
    }

    #[test]
    fn a_continuous_joint_reads_high_between_its_edges_in_every_turn() {
        let both = joint(JointKind::Continuous, Some(1.0), Some(2.0));
        assert_eq!(
            readings(both, &[0.5, 1.5, 2.5, 1.5 + TAU, 0.5 - TAU]).0,
            [false, true, false, true, false]
        );
        // From 2 on over π to 1: low only between falling and rising.
        let over = joint(JointKind::Continuous, Some(2.0), Some(1.0));
        assert_eq!(readings(over, &[1.5, 2.5, PI, -3.0, 0.5]).0, [false, true, true, true, true]);
        // The falling edge lies half a turn from the rising one: high from 0 to π.
        let half = joint(JointKind::Continuous, Some(0.0), None);
        assert_eq!(readings(half, &[1.0, -1.0]).0, [true, false]);
        let half = joint(JointKind::Continuous, None, Some(0.0));
        assert_eq!(readings(half, &[1.0, -1.0]).0, [false, true]);
    }

    #[test]
    fn of_two_edges_and_end_stops_the_rising_one_counts() {
        let (read, _) = readings(joint(JointKind::Revolute, Some(0.0), Some(1.0)), &[-1.0, 0.5, 2.0]);
        assert_eq!(read, [false, true, true]);
    }

    #[test]
    fn a_joint_without_edges_has_no_sensor() {
        let (read, actuator) = readings(joint(JointKind::Revolute, None, None), &[-1.0, 0.5, 2.0]);
        assert_eq!((read, edges(&actuator)), (vec![false; 3], [None, None]));
        let (read, _) =
            readings(joint(JointKind::Revolute, Some(0.0), None), &[1.0, f64::NAN, f64::INFINITY]);
        assert_eq!(read, [true; 3], "the last reading stays");
    }
}
