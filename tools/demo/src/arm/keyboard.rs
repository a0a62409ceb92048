use core::time::Duration;

use safety::Instant;

use crate::arm::act::Act;
use crate::arm::machine::User;
use crate::arm::motion::Motion;
use crate::arm::robot::{Controller, Joint};

/// A key with a meaning for the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Starts a controller in place of those of its joints, or stops it.
    Toggle(Controller),
    /// Changes the command of a joint: up, or down.
    Nudge(Joint, bool),
    /// Sends the example of a trajectory.
    Trajectory,
    /// Pulls the commander's cable, or plugs it in again.
    Cable,
    /// Makes a wrong switch.
    WrongSwitch,
    /// Halts the motors.
    Halt,
    /// Resets the motors.
    Reset,
    /// Unloads all controllers.
    Unload,
}

/// By how much an arrow key changes a command: rad, rad/s or Nm.
const NUDGE: f64 = 0.1;
/// A velocity or an effort is commanded up to this.
const MOST: f64 = 1.0;
/// How long the trajectory takes, and one to a nudged position.
const EXAMPLE: Duration = Duration::from_secs(3);
const SHORT: Duration = Duration::from_millis(400);

/// Act of the operator for `key` at `now`; nothing if no controller is there for it.
pub fn act(key: Key, operator: &User, now: Instant) -> Option<Act> {
    let running = |controller: Controller| {
        operator.list().iter().any(|listed| listed.is_running && listed.name == controller.name())
    };
    let all = || Controller::ALL.into_iter().filter(|&controller| running(controller));
    Some(match key {
        Key::Toggle(controller) if running(controller) => {
            Act::Switch { start: vec![], stop: vec![controller] }
        }
        Key::Toggle(controller) => Act::Switch {
            start: vec![controller],
            stop: all().filter(|one| one.conflicts(controller)).collect(),
        },
        Key::Nudge(joint, up) => nudge(joint, if up { NUDGE } else { -NUDGE }, operator, now)?,
        Key::Trajectory if running(Controller::ArmTrajectory) => Act::Follow(Motion::example(EXAMPLE)),
        // The trajectory itself is another act, with an outcome of its own.
        Key::Trajectory => return act(Key::Toggle(Controller::ArmTrajectory), operator, now),
        Key::Cable if operator.commander().is_pulled() => Act::Plug,
        Key::Cable => Act::Pull(operator.mover(Joint::Pan)),
        Key::WrongSwitch => Act::WrongSwitch { stop: all().collect() },
        Key::Halt => Act::Halt,
        Key::Reset => {
            let mover = operator.mover(Joint::Pan);
            Act::Reset(matches!(mover, Some(Controller::PanPosition | Controller::ArmTrajectory)))
        }
        Key::Unload => Act::Unload,
    })
}

fn nudge(joint: Joint, by: f64, operator: &User, now: Instant) -> Option<Act> {
    let mover = operator.mover(joint)?;
    let positions = operator.observed().joints?.map(|state| state.position);
    let commanded = |joint: Joint| {
        let command = operator.commander().command(joint, Some(mover), now);
        command.map_or(positions[joint as usize], |(_, value)| value)
    };
    let [lower, upper] = joint.soft_limits();
    let target = (commanded(joint) + by).clamp(lower, upper);
    Some(match mover {
        Controller::PanPosition | Controller::TiltPosition => {
            let mut targets = [None; 2];
            targets[joint as usize] = Some(target);
            Act::Move(targets)
        }
        Controller::PanVelocity | Controller::PanEffort => {
            let value = operator.commander().repeated(mover).unwrap_or_default() + by;
            // Adding zero makes a zero positive; sums of a tenth are rounded back to it.
            Act::Repeat(mover, (value.clamp(-MOST, MOST) * 100.0).round() / 100.0 + 0.0)
        }
        Controller::ArmTrajectory => {
            let mut end = Joint::ALL.map(commanded);
            end[joint as usize] = target;
            Act::Follow(Motion::to(end, SHORT))
        }
    })
}
