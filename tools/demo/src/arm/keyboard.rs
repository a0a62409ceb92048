use core::time::Duration;

use ratatui::crossterm::event::KeyCode;

use crate::arm::act::{Act, example};
use crate::arm::client::Arm;
use crate::arm::robot::{Controller, Joint, runs};
use crate::screen::index_of;

/// By how much an arrow key changes a command: rad, rad/s or Nm.
const NUDGE: f64 = 0.1;
/// A velocity or an effort is commanded up to this.
const MOST: f64 = 1.0;
/// How long the example of a trajectory takes, and one to a nudged position.
const EXAMPLE: Duration = Duration::from_secs(3);
const SHORT: Duration = Duration::from_millis(400);

/// Act of a key; `Some(None)` if no controller is there for it, `None` for a key without a meaning.
pub fn press(arm: &Arm, key: KeyCode) -> Option<Option<Act>> {
    Some(match key {
        // To the left is counter-clockwise from above, and up is a negative tilt.
        KeyCode::Left => nudge(arm, Joint::Pan, NUDGE),
        KeyCode::Right => nudge(arm, Joint::Pan, -NUDGE),
        KeyCode::Up => nudge(arm, Joint::Tilt, -NUDGE),
        KeyCode::Down => nudge(arm, Joint::Tilt, NUDGE),
        KeyCode::Char('t') => Some(Act::Follow(example(EXAMPLE))),
        KeyCode::Char('c') if arm.is_pulled => Some(Act::Plug),
        KeyCode::Char('c') => Some(Act::Pull(arm.mover(Joint::Pan))),
        KeyCode::Char('w') => Some(Act::WrongSwitch),
        KeyCode::Char('h') => Some(Act::Halt),
        KeyCode::Char('r') => Some(Act::Reset),
        KeyCode::Char('u') => Some(Act::Unload),
        digit => Some(toggle(arm, *Controller::ALL.get(index_of(digit)?)?)),
    })
}

/// Starts a controller in place of those of its joints, or stops it.
fn toggle(arm: &Arm, controller: Controller) -> Act {
    if runs(&arm.list, controller) {
        Act::Switch { start: vec![], stop: vec![controller] }
    } else {
        Act::start(controller, &arm.list)
    }
}

/// Changes the command of a joint; nothing if no controller moves it.
fn nudge(arm: &Arm, joint: Joint, by: f64) -> Option<Act> {
    let mover = arm.mover(joint)?;
    let positions = arm.joints?.map(|state| state.position);
    let commanded = |joint: Joint| arm.commanded(joint).unwrap_or(positions[joint as usize]);
    let [lower, upper] = joint.soft_limits();
    let target = (commanded(joint) + by).clamp(lower, upper);
    Some(match mover {
        Controller::PanPosition => Act::Move([Some(target), None]),
        Controller::TiltPosition => Act::Move([None, Some(target)]),
        Controller::PanVelocity | Controller::PanEffort => {
            let value = arm.last_command(mover).unwrap_or_default() + by;
            // Adding zero makes a zero positive; sums of a tenth are rounded back to it.
            Act::Repeat(mover, (value.clamp(-MOST, MOST) * 100.0).round() / 100.0 + 0.0)
        }
        Controller::ArmTrajectory => {
            let mut end = Joint::ALL.map(commanded);
            end[joint as usize] = target;
            Act::Follow(vec![(SHORT, end)])
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm::robot::Listed;

    fn switch(start: &[Controller], stop: &[Controller]) -> Option<Option<Act>> {
        Some(Some(Act::Switch { start: start.into(), stop: stop.into() }))
    }

    #[test]
    fn digits_are_the_controllers_in_their_order() {
        let pressed = |letter| press(&Arm::default(), KeyCode::Char(letter));
        assert_eq!(['0', '6', 'x'].map(pressed), [None, None, None]);
        assert_eq!(pressed('1'), switch(&[Controller::PanEffort], &[]));
        assert_eq!(pressed('5'), switch(&[Controller::ArmTrajectory], &[]));
    }

    #[test]
    fn up_raises_the_arm() {
        let list = vec![Listed { name: "tilt_position".into(), is_running: true }];
        let mut arm = Arm::default();
        (arm.joints, arm.list) = (Some(Default::default()), list);
        assert_eq!(press(&arm, KeyCode::Up), Some(Some(Act::Move([None, Some(-0.1)]))));
        assert_eq!(press(&arm, KeyCode::Left), Some(None), "nothing moves pan");
    }
}
