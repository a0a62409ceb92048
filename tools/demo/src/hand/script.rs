use core::time::Duration;

use crate::hand::act::{Act, Feels};

/// The script: what is done one after the other, each for its part of the length.
///
/// The hand rests, grasps the ball and holds it, refuses a wrong command, holds by itself while the commander is silent, goes on,
/// opens, closes without the ball, and is reset.
pub type Script = crate::script::Script<Step>;

/// The parts of the script, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // each is an act
pub enum Step {
    Rest,
    Close,
    Hold,
    WrongCommand,
    Pull,
    Plug,
    Open,
    TakeBall,
    CloseFree,
    Reset,
    PutBall,
}

/// The steps, and their shares of the length in percent.
const STEPS: [(Step, u32); 11] = [
    (Step::Rest, 8),
    (Step::Close, 12),
    (Step::Hold, 8),
    (Step::WrongCommand, 7),
    (Step::Pull, 20),
    (Step::Plug, 8),
    (Step::Open, 11),
    (Step::TakeBall, 3),
    (Step::CloseFree, 11),
    (Step::Reset, 8),
    (Step::PutBall, 4),
];

/// The grasp of the script, and how far it is closed.
pub const GRASP: &str = "Cylindrical";
pub const CLOSED: f32 = 0.5;
/// The contact sensors with which it holds the ball of `config/hand.yaml`, one of each finger.
pub const HOLDERS: [&str; 5] =
    ["thumb_distal", "index_medial", "middle_medial", "ring_medial", "pinky_distal"];

impl Script {
    /// A script of this length.
    pub const fn new(length: Duration) -> Self {
        Self::of(&STEPS, length)
    }
}

impl Step {
    /// Act of this step.
    pub fn act(self) -> Act {
        let grasp = |level: f32, feels: Feels| Act::Grasp { name: GRASP.into(), level, feels };
        match self {
            Self::Rest => Act::Rest,
            Self::Close => grasp(CLOSED, Feels::Contact(&HOLDERS)),
            Self::Hold => Act::Hold(&HOLDERS),
            Self::WrongCommand => Act::WrongCommand,
            Self::Pull => Act::Pull,
            Self::Plug => Act::Plug(true),
            Self::Open => grasp(0.0, Feels::Nothing),
            Self::TakeBall => Act::Ball(false),
            Self::CloseFree => grasp(CLOSED, Feels::Nothing),
            Self::Reset => Act::Reset,
            Self::PutBall => Act::Ball(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand::device::Device;

    #[test]
    fn the_shares_are_the_whole() {
        assert_eq!(STEPS.iter().map(|(_, share)| share).sum::<u32>(), 100);
    }

    #[test]
    fn the_shortest_script_leaves_time_for_each_bound() {
        let timeout = Device::read().unwrap().command_timeout;
        for (step, share) in STEPS {
            let time = Duration::from_secs(12) * share / 100;
            let needed = match step {
                // The longest way of a finger is 1.8 rad at 3 rad/s, and then the servo settles.
                Step::Close | Step::Open | Step::CloseFree => Duration::from_millis(1300),
                Step::Pull => timeout + Duration::from_millis(600),
                Step::TakeBall | Step::PutBall => Duration::from_millis(300),
                _ => Duration::from_millis(800),
            };
            assert!(time >= needed, "{step:?} {time:?}");
        }
    }
}
