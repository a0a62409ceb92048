use core::time::Duration;

use params::Parameter;
use safety::Instant;

use crate::Robot;
use crate::builtin::LIMIT;
use crate::controllers::{
    Controller, ControllerFailure, ControllerInput, ControllerOutput, Message, OutputKind, Report, Step,
};
use crate::standard::PositionController;

/// Moves the joint of a gripper to a position and reports how that ended. The law and its input are those of [`PositionController`];
/// the greatest effort of the law is the force of the grip.
///
/// Output `state`: `holding` before the first command; then `moving`; `reached` within the tolerance of the command; `stalled`
/// when the joint was slower than `stall_velocity` for `stall_time` somewhere else, as on an object. In all states the effort
/// stays on.
/// # Errors
/// As for [`PositionController`].
/// # Source
/// `position_controllers/GripperActionController` of ros2_controllers 4 (Jazzy).
#[derive(Clone, Debug)]
pub struct GripperController {
    position: PositionController,
    settings: Gripper,
    state: &'static str,
    has_news: bool,
    /// Since when the joint stands.
    stands_since: Option<Instant>,
}

params::params! {
    /// When a gripper has reached its command, and when it is stalled.
    #[derive(Copy)]
    pub struct Gripper {
        /// How near to the command counts as reached.
        tolerance: f64 = Parameter::float("goal_tolerance", 0.01, 0.0, LIMIT).unit("rad or m"),
        /// Below this speed the joint counts as standing.
        stall_velocity: f64 = Parameter::float("stall_velocity", 0.001, 0.0, LIMIT).unit("rad/s or m/s"),
        /// How long the joint must stand to count as stalled.
        stall_time: Duration = Parameter::seconds("stall_time", 1.0, 0.0, 60.0),
    }
}

impl GripperController {
    /// A gripper whose joint `position` moves.
    pub fn new(position: PositionController, settings: Gripper) -> Self {
        Self { position, settings, state: "holding", has_news: false, stands_since: None }
    }

    fn state(&mut self, step: &Step<'_>) -> &'static str {
        let Some(joint) = step.robot.joints().get(self.position.joint()) else { return "holding" };
        let Some(error) = self.position.error(joint) else { return "holding" };
        if step.robot.is_halted() || !joint.position.is_finite() || !joint.velocity.is_finite() {
            self.stands_since = None;
            return if step.robot.is_halted() { "halted" } else { "lost" };
        }
        let Gripper { tolerance, stall_velocity, stall_time } = self.settings;
        if error.abs() <= tolerance {
            self.stands_since = None;
            return "reached";
        }
        if joint.velocity.abs() > stall_velocity {
            self.stands_since = None;
            return "moving";
        }
        let since = *self.stands_since.get_or_insert(step.now);
        if step.now.since(since) >= stall_time { "stalled" } else { "moving" }
    }
}

impl Controller for GripperController {
    fn inputs(&self) -> &'static [ControllerInput] {
        self.position.inputs()
    }

    fn outputs(&self) -> &'static [ControllerOutput] {
        &[ControllerOutput { name: "state", kind: OutputKind::Word }]
    }

    fn receive(&mut self, input: usize, message: &mut Message, now: Instant) {
        let before = self.position.command();
        self.position.receive(input, message, now);
        if self.position.command() != before {
            self.stands_since = None; // it gets the whole time to move
        }
    }

    fn is_rest(&self, input: usize, message: &Message, robot: &Robot) -> bool {
        self.position.is_rest(input, message, robot)
    }

    fn can_start(&self, robot: &Robot) -> Result<(), ControllerFailure> {
        self.position.can_start(robot)
    }

    fn starting(&mut self, step: &mut Step<'_>) {
        self.position.starting(step);
        (self.state, self.has_news, self.stands_since) = ("holding", true, None);
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        self.position.update(step)?;
        let state = self.state(step);
        self.has_news |= state != self.state;
        self.state = state;
        Ok(())
    }

    fn report(&mut self) -> Option<(usize, Report)> {
        let state = core::mem::take(&mut self.has_news).then_some((0, Report::Word(self.state)));
        state.or_else(|| self.position.report())
    }
}
