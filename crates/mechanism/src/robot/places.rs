use safety::{ActuatorSample, Places};

use crate::Robot;
use crate::robot::transmission::{Simple, Transmission};
use crate::robot::{Joint, JointKind};

/// How far beyond its end stops a joint may be measured: stops give way and zeros are not exact, but an encoder that is a turn off is not one
/// \[rad\], \[m\].
const FAR: [f64; 2] = [0.5, 0.1];

impl Places for Robot {
    fn misplaced(&self, actuators: &[ActuatorSample]) -> Option<String> {
        let mut robot = self.clone();
        for (actuator, sample) in robot.actuators.iter_mut().zip(actuators) {
            actuator.state.position = sample.position;
        }
        for transmission in &mut robot.transmissions {
            if let Transmission::Belt(belt) = transmission {
                // Its filters need time.
                let (actuator, joint, reduction) = (belt.actuator, belt.joint, belt.reduction);
                *transmission = Transmission::Simple(Simple { actuator, joint, reduction, simulated: None });
            }
            transmission.actuators_to_joints(&robot.actuators, &mut robot.joints);
        }
        robot.commanded().find_map(misplacement)
    }
}

fn misplacement(joint: &Joint) -> Option<String> {
    let Joint { name, position, kind, .. } = joint;
    let (most, unit) = (FAR[usize::from(*kind == JointKind::Prismatic)], kind.unit());
    let [lower, upper] = joint.end_stops()?;
    (*position < lower - most || *position > upper + most).then(|| {
        format!(
            "joint '{name}' would be at {position:.4} {unit}, must be within {most} {unit} of its <limit>, {lower} to {upper} {unit}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Description;

    const URDF: &str = r#"<robot name="r"><link name="a"/><link name="b"/><link name="c"/><link name="d"/><link name="e"/>
      <joint name="pan" type="revolute"><parent link="a"/><child link="b"/><limit lower="-1" upper="2" effort="1" velocity="1"/></joint>
      <joint name="lift" type="prismatic"><parent link="b"/><child link="c"/><limit lower="0" upper="0.3" effort="1" velocity="1"/></joint>
      <joint name="wheel" type="continuous"><parent link="c"/><child link="d"/></joint>
      <joint name="belt" type="revolute"><parent link="d"/><child link="e"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
      <transmission name="1"><type>transmission_interface/SimpleTransmission</type><joint name="pan"><offset>0.5</offset></joint>
        <actuator name="m1"><mechanicalReduction>-10</mechanicalReduction></actuator></transmission>
      <transmission name="2" type="pr2_mechanism_model/SimpleTransmission"><actuator name="m2"/><joint name="lift"/>
        <mechanicalReduction>100</mechanicalReduction></transmission>
      <transmission name="3" type="pr2_mechanism_model/SimpleTransmission"><actuator name="m3"/><joint name="wheel"/>
        <mechanicalReduction>1</mechanicalReduction></transmission>
      <transmission name="4" type="pr2_mechanism_model/PR2BeltCompensatorTransmission"><actuator name="m4"/><joint name="belt"/>
        <mechanicalReduction>5</mechanicalReduction><compensator k_belt="4000" mass_motor="0.05" kd_motor="15" lambda_motor="60"
        lambda_joint="60" lambda_combined="0"/></transmission></robot>"#;

    #[test]
    fn a_joint_is_misplaced_half_a_radian_or_a_tenth_of_a_metre_beyond_its_end_stops() {
        let robot = Robot::new(&Description::parse(URDF).unwrap());
        let misplaced = |positions: [f64; 4]| {
            let samples = positions.map(|position| ActuatorSample { position, ..ActuatorSample::default() });
            robot.misplaced(&samples)
        };
        // pan = -m1 / 10 + 0.5, lift = m2 / 100, belt = m4 / 5.
        for at in [[-19.9, 39.9, 1e6, 7.4], [19.9, -9.9, -1e6, -7.4]] {
            assert_eq!(misplaced(at), None);
        }
        let turned = "joint 'pan' would be at 6.7832 rad, must be within 0.5 rad of its <limit>, -1 to 2 rad";
        assert_eq!(misplaced([-62.832, 0.0, 0.0, 0.0]).as_deref(), Some(turned));
        for at in [[-20.1, 0.0, 0.0, 0.0], [20.1, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 7.6], [0.0, 0.0, 0.0, -7.6]]
        {
            assert!(misplaced(at).is_some_and(|text| text.contains("0.5 rad")), "{at:?}");
        }
        for at in [[0.0, 40.1, 0.0, 0.0], [0.0, -10.1, 0.0, 0.0]] {
            assert!(
                misplaced(at).is_some_and(|text| text.contains("0.1 m of its <limit>, 0 to 0.3 m")),
                "{at:?}"
            );
        }
    }
}
