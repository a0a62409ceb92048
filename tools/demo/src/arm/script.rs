use core::time::Duration;

use crate::arm::act::Act;
use crate::arm::motion::Motion;
use crate::arm::robot::Controller::{self, ArmTrajectory, PanEffort, PanPosition, PanVelocity, TiltPosition};

/// The script: what is done one after the other, each for its part of the length.
///
/// It loads all controllers, moves the arm by each of them, makes a mistake, pulls the cable of a velocity and of an effort, halts
/// and resets the motors in a motion, and unloads everything.
pub type Script = crate::script::Script<Step>;

/// The parts of the script, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // each is an act
pub enum Step {
    Load,
    ToPositions,
    Reach,
    WrongSwitch,
    ToTrajectory,
    Follow,
    ToVelocity,
    Turn,
    PullVelocity,
    ToEffort,
    Push,
    PullEffort,
    ToPosition,
    Swing,
    Halt,
    Reset,
    Return,
    Unload,
}

/// The steps, and their shares of the length in percent.
const STEPS: [(Step, u32); 18] = [
    (Step::Load, 5),
    (Step::ToPositions, 3),
    (Step::Reach, 8),
    (Step::WrongSwitch, 4),
    (Step::ToTrajectory, 3),
    (Step::Follow, 17),
    (Step::ToVelocity, 3),
    (Step::Turn, 6),
    (Step::PullVelocity, 11),
    (Step::ToEffort, 3),
    (Step::Push, 5),
    (Step::PullEffort, 8),
    (Step::ToPosition, 3),
    (Step::Swing, 1),
    (Step::Halt, 6),
    (Step::Reset, 5),
    (Step::Return, 7),
    (Step::Unload, 2),
];

/// The swing is halted before it is over, whatever the script's length.
const SWING: Duration = Duration::from_millis(120);
/// A trajectory takes this part of its step, the rest is for reaching its end.
const MOTION: f64 = 0.7;
/// A trajectory takes no longer than this.
const LONGEST_MOTION: Duration = Duration::from_secs(6);
/// Commanded values: positions \[rad\], a velocity \[rad/s\], an effort \[Nm\].
const REACHED: [f64; 2] = [0.8, 0.5];
const SWUNG: f64 = 1.4;
const VELOCITY: f64 = 0.6;
const EFFORT: f64 = 0.4;

impl Script {
    /// A script of this length.
    pub const fn new(length: Duration) -> Self {
        Self::of(&STEPS, length)
    }

    /// The step with this index, and how long it takes; `None` after the last.
    pub fn step(&self, index: usize) -> Option<(Step, Duration)> {
        let (step, time) = self.part(index)?;
        Some((step, if step == Step::Swing { SWING } else { time }))
    }
}

impl Step {
    /// Act of this step of length `time`, while pan is at `pan` \[rad\].
    pub fn act(self, time: Duration, pan: f64) -> Act {
        let switch = |stop: &[Controller], start: &[Controller]| Act::Switch {
            start: start.into(),
            stop: stop.into(),
        };
        match self {
            Self::Load => Act::Load(Controller::ALL.into()),
            Self::ToPositions => switch(&[], &[PanPosition, TiltPosition]),
            Self::Reach => Act::Move(REACHED.map(Some)),
            Self::WrongSwitch => Act::WrongSwitch { stop: vec![PanPosition, TiltPosition] },
            Self::ToTrajectory => switch(&[PanPosition, TiltPosition], &[ArmTrajectory]),
            Self::Follow => Act::Follow(Motion::example(time.mul_f64(MOTION).min(LONGEST_MOTION))),
            Self::ToVelocity => switch(&[ArmTrajectory], &[PanVelocity, TiltPosition]),
            Self::Turn => Act::Repeat(PanVelocity, VELOCITY),
            Self::PullVelocity => Act::Pull(Some(PanVelocity)),
            Self::ToEffort => switch(&[PanVelocity], &[PanEffort]),
            Self::Push => Act::Repeat(PanEffort, EFFORT),
            Self::PullEffort => Act::Pull(Some(PanEffort)),
            Self::ToPosition => switch(&[PanEffort], &[PanPosition]),
            // To the other side, so that the way is long.
            Self::Swing => Act::Move([Some(if pan > 0.0 { -SWUNG } else { SWUNG }), None]),
            Self::Halt => Act::Halt,
            Self::Reset => Act::Reset(true),
            Self::Return => Act::Move([Some(0.0), Some(0.0)]),
            Self::Unload => Act::Unload,
        }
    }

    /// Whether its outcome is a check of the script: the swing is meant to be interrupted.
    pub fn is_checked(self) -> bool {
        self != Self::Swing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm::robot::Joint;

    const LENGTH: Duration = Duration::from_secs(12);

    fn steps() -> Vec<(Step, Duration)> {
        let script = Script::new(LENGTH);
        (0..).map_while(|index| script.step(index)).collect()
    }

    #[test]
    fn the_shares_are_the_whole() {
        assert_eq!(STEPS.iter().map(|(_, share)| share).sum::<u32>(), 100);
        assert_eq!(steps().len(), STEPS.len());
        // 5 % of 12 s
        assert_eq!(steps()[0], (Step::Load, Duration::from_millis(600)));
        assert_eq!(Script::new(LENGTH).step(STEPS.len()), None);
    }

    #[test]
    fn each_switch_stops_what_runs_on_the_joints_that_it_starts() {
        let mut running: Vec<Controller> = Vec::new();
        for (step, time) in steps() {
            match step.act(time, 0.5) {
                Act::Switch { start, stop } => {
                    assert!(stop.iter().all(|one| running.contains(one)), "{step:?} stops what does not run");
                    running.retain(|one| !stop.contains(one));
                    assert!(start.iter().all(|one| !running.contains(one)), "{step:?} starts what runs");
                    running.extend(start);
                    for one in &running {
                        assert!(!running.iter().any(|other| one.conflicts(*other)), "{step:?}: {running:?}");
                    }
                }
                Act::Move(targets) => {
                    for (joint, target) in Joint::ALL.into_iter().zip(targets) {
                        let mover = if joint == Joint::Pan { PanPosition } else { TiltPosition };
                        assert!(target.is_none() || running.contains(&mover), "{step:?}: {running:?}");
                    }
                }
                Act::Repeat(controller, _) | Act::Pull(Some(controller)) => {
                    assert!(running.contains(&controller))
                }
                Act::Follow(_) => assert!(running.contains(&ArmTrajectory)),
                _ => {}
            }
        }
    }

    #[test]
    fn the_shortest_script_leaves_time_for_each_bound() {
        for (step, time) in steps() {
            let needed = match step {
                // A time-out of 0.5 s, and pan slows down at 5 per second: ln(0.6 / 0.1) / 5 = 0.36 s.
                Step::PullVelocity => 1000,
                Step::PullEffort => 800,
                // The position controller's slow pole is at 7 per second: ln(1.3 / 0.02) / 7 = 0.6 s.
                Step::Reach | Step::Return => 750,
                _ => 100,
            };
            assert!(time >= Duration::from_millis(needed), "{step:?} {time:?}");
        }
    }

    #[test]
    fn the_swing_goes_to_the_other_side() {
        assert_eq!(Step::Swing.act(SWING, 0.3), Act::Move([Some(-1.4), None]));
        assert_eq!(Step::Swing.act(SWING, -0.3), Act::Move([Some(1.4), None]));
    }

    #[test]
    fn a_long_script_has_no_slow_trajectory() {
        let Act::Follow(motion) = Step::Follow.act(Duration::from_secs(600), 0.0) else { panic!() };
        assert_eq!(motion.duration(), LONGEST_MOTION);
    }
}
