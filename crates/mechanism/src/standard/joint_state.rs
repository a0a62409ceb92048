use crate::controllers::{
    Controller, ControllerFailure, ControllerOutput, OutputKind, PublishPeriod, Report, Step,
};

/// Publishes the state of some joints at a rate of its own, and moves nothing.
///
/// Output `joint_states`: position, velocity and measured effort of each joint, all of one step.
/// # Errors
/// `update`: a joint does not exist.
/// # Source
/// `joint_state_broadcaster` of ros2_controllers 4 (Jazzy).
#[derive(Clone, Debug)]
pub struct JointStateController {
    joints: Vec<usize>,
    rate: f64,
    due: Option<PublishPeriod>,
    /// The last state of each joint, and how many are reported.
    states: Vec<Report>,
    reported: usize,
}

impl JointStateController {
    /// Publishes the joints with these indices in the robot, at `rate` \[Hz\].
    pub fn new(joints: Vec<usize>, rate: f64) -> Self {
        let states = vec![Report::Event; joints.len()];
        let reported = joints.len();
        Self { joints, rate, due: None, states, reported }
    }
}

impl Controller for JointStateController {
    fn outputs(&self) -> &'static [ControllerOutput] {
        &[ControllerOutput { name: "joint_states", kind: OutputKind::Joints }]
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        let due = self.due.get_or_insert(PublishPeriod::new(self.rate, step.now));
        // A message that is not all reported yet stays what it is.
        if self.reported < self.states.len() || !due.is_due(step.now) {
            return Ok(());
        }
        for (index, (state, joint)) in self.states.iter_mut().zip(&self.joints).enumerate() {
            let joint = step.robot.joints().get(*joint).ok_or(ControllerFailure("a joint does not exist"))?;
            let (position, velocity, effort) = (joint.position, joint.velocity, joint.measured_effort);
            *state = Report::Joint { index, position, velocity, effort };
        }
        self.reported = 0;
        Ok(())
    }

    fn report(&mut self) -> Option<(usize, Report)> {
        let state = *self.states.get(self.reported)?;
        self.reported += 1;
        Some((0, state))
    }
}
