use core::time::Duration;

use safety::{Instant, LinkState};

use crate::controllers::{ControlLoop, PublishPeriod};
use crate::diagnostics::ControllerReport;
use crate::{Actuator, Joint, Robot};

/// Report of a control loop after a step.
///
/// # Real-time
/// Filling one in the loop allocates nothing: it was made outside, with the names of the robot and room for controllers.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The time of the step.
    pub now: Instant,
    /// Whether `joint_states` is due.
    pub has_joint_states: bool,
    /// Whether `mechanism_statistics` is due; the joints' windows begin again after it.
    pub has_statistics: bool,
    /// Whether a motor that a transmission uses is halted.
    pub is_halted: bool,
    /// Whether the loop was held since the last report, and halted the motors for it.
    pub was_held: bool,
    /// Whether the robot is there, if it can be absent.
    pub link: Option<LinkState>,
    /// The joints, after the step.
    pub joints: Vec<Joint>,
    /// All actuators of the hardware, sorted by name.
    pub actuators: Vec<Actuator>,
    /// The loaded controllers in the order of loading.
    pub controllers: Vec<ControllerReport>,
}

impl Snapshot {
    /// One for `robot`, with room for `controllers`.
    pub fn new(robot: &Robot, controllers: usize) -> Self {
        Self {
            now: Instant::ZERO,
            has_joint_states: false,
            has_statistics: false,
            is_halted: true,
            was_held: false,
            link: None,
            joints: robot.joints().to_vec(),
            actuators: robot.actuators().to_vec(),
            controllers: Vec::with_capacity(controllers),
        }
    }

    /// Takes the state of `control`, with as many controllers as it has room for.
    fn fill(&mut self, control: &ControlLoop) {
        self.controllers.clear();
        let report = |slot: &crate::controllers::ControllerSlot| ControllerReport {
            is_running: slot.is_running,
            timing: slot.timing,
        };
        let room = self.controllers.capacity();
        self.controllers.extend(control.controllers().map(report).take(room));
        for (own, joint) in self.joints.iter_mut().zip(control.robot.joints()) {
            own.copy_state(joint);
        }
        for (own, actuator) in self.actuators.iter_mut().zip(control.robot.actuators()) {
            (own.command, own.state) = (actuator.command, actuator.state);
        }
        self.is_halted = control.robot.is_halted();
    }
}

/// Decides in which steps what is reported.
#[derive(Clone, Copy, Debug)]
pub struct Recorder {
    joint_states: PublishPeriod,
    statistics: PublishPeriod,
    /// Period of the reports that only show that the loop runs, while nothing else is due.
    sign_of_life: PublishPeriod,
    was_halted: bool,
    link: Option<LinkState>,
}

/// How often a loop reports at least \[Hz\]; after [`LOOP_SILENCE`] without a report it hangs.
pub const SIGNS_OF_LIFE: f64 = 5.0;
/// See [`SIGNS_OF_LIFE`].
pub const LOOP_SILENCE: Duration = Duration::from_millis(500);

impl Recorder {
    /// A recorder for `joint_states` and `mechanism_statistics` at these rates \[Hz\], from `start` on.
    pub fn new(joint_states: f64, statistics: f64, start: Instant) -> Self {
        let period = |rate| PublishPeriod::new(rate, start);
        Self {
            joint_states: period(joint_states),
            statistics: period(statistics),
            sign_of_life: period(SIGNS_OF_LIFE),
            was_halted: true,
            link: None,
        }
    }

    /// Fills `snapshot` after the step at `now`; `false` if nothing is due. A halt of the motors and its end, and a change of the `link`, are reported at once.
    /// # Real-time
    /// It allocates nothing.
    pub fn record(
        &mut self,
        now: Instant,
        control: &mut ControlLoop,
        link: Option<LinkState>,
        snapshot: &mut Snapshot,
    ) -> bool {
        let (has_joint_states, has_statistics) = (self.joint_states.is_due(now), self.statistics.is_due(now));
        let state = (control.robot.is_halted(), link);
        let has_changed = state != (self.was_halted, self.link);
        (self.was_halted, self.link) = state;
        let is_due = self.sign_of_life.is_due(now);
        if !(has_joint_states || has_statistics || has_changed || is_due) {
            return false;
        }
        snapshot.fill(control);
        snapshot.link = link;
        (snapshot.now, snapshot.has_joint_states, snapshot.has_statistics) =
            (now, has_joint_states, has_statistics);
        if has_statistics {
            control.robot.joints_mut().iter_mut().for_each(|joint| joint.statistics.restart_window());
        }
        true
    }
}
