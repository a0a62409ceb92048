use core::time::Duration;

use crate::arm::act::{Act, example};
use crate::arm::robot::Controller::{self, ArmTrajectory, PanEffort, PanPosition, PanVelocity, TiltPosition};
use crate::client;

/// The swing is halted before it is over, whatever the script's length.
const SWING: Duration = Duration::from_millis(120);
/// A trajectory takes this part of its step, the rest is for reaching its end.
const MOTION: f64 = 0.7;
/// A trajectory takes no longer than this.
const LONGEST_MOTION: Duration = Duration::from_secs(6);
/// Share of the trajectory \[percent\].
const FOLLOW: u32 = 17;

/// The script: what is done one after the other, each for its share of `length` in percent.
///
/// It loads all controllers, moves the arm by each of them, makes a mistake, pulls the cable of a velocity and of an effort, halts
/// and resets the motors in a motion, and unloads everything.
pub fn script(length: Duration) -> client::Script<Act> {
    let switch =
        |stop: &[Controller], start: &[Controller]| Act::Switch { start: start.into(), stop: stop.into() };
    let trajectory = (length * FOLLOW / 100).mul_f64(MOTION).min(LONGEST_MOTION);
    let acts = [
        (Act::Load, 5),
        (switch(&[], &[PanPosition, TiltPosition]), 3),
        (Act::Move([Some(0.8), Some(0.5)]), 8),
        (Act::WrongSwitch, 4),
        (switch(&[PanPosition, TiltPosition], &[ArmTrajectory]), 3),
        (Act::Follow(example(trajectory)), FOLLOW),
        (switch(&[ArmTrajectory], &[PanVelocity, TiltPosition]), 3),
        (Act::Repeat(PanVelocity, 0.6), 6),
        (Act::Pull(Some(PanVelocity)), 11),
        (switch(&[PanVelocity], &[PanEffort]), 3),
        (Act::Repeat(PanEffort, 0.4), 5),
        (Act::Pull(Some(PanEffort)), 8),
        (switch(&[PanEffort], &[PanPosition]), 3),
        (Act::Swing(1.4), 1),
        (Act::Halt, 6),
        (Act::Reset, 5),
        (Act::Move([Some(0.0), Some(0.0)]), 7),
        (Act::Unload, 2),
    ];
    let mut script = client::script(length, acts);
    for (act, time) in &mut script {
        if matches!(act, Act::Swing(_)) {
            *time = SWING;
        }
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm::robot::Joint;

    const LENGTH: Duration = Duration::from_secs(12);

    #[test]
    fn the_shares_are_the_whole() {
        // The rest is the 1 % of the swing, 120 ms.
        let times: Duration = script(LENGTH).iter().map(|(_, time)| *time).sum();
        assert_eq!((times, script(LENGTH).len()), (LENGTH, 18));
        // 5 % of 12 s
        assert_eq!(script(LENGTH)[0], (Act::Load, Duration::from_millis(600)));
    }

    #[test]
    fn each_switch_stops_what_runs_on_the_joints_that_it_starts() {
        let mut running: Vec<Controller> = Vec::new();
        for (act, _) in script(LENGTH) {
            match &act {
                Act::Switch { start, stop } => {
                    assert!(stop.iter().all(|one| running.contains(one)), "{act} stops what does not run");
                    running.retain(|one| !stop.contains(one));
                    assert!(start.iter().all(|one| !running.contains(one)), "{act} starts what runs");
                    running.extend(start);
                    for one in &running {
                        assert!(!running.iter().any(|other| one.conflicts(*other)), "{act}: {running:?}");
                    }
                }
                Act::Move(_) | Act::Swing(_) => {
                    for (joint, target) in Joint::ALL.into_iter().zip(act.targets()) {
                        let mover = if joint == Joint::Pan { PanPosition } else { TiltPosition };
                        assert!(target.is_none() || running.contains(&mover), "{act}: {running:?}");
                    }
                }
                Act::Repeat(controller, _) | Act::Pull(Some(controller)) => {
                    assert!(running.contains(controller))
                }
                Act::Follow(_) => assert!(running.contains(&ArmTrajectory)),
                _ => {}
            }
        }
    }

    #[test]
    fn the_shortest_script_leaves_time_for_each_bound() {
        for (act, time) in script(LENGTH) {
            let needed = match act {
                // A time-out of 0.5 s, and pan slows down at 5 per second: ln(0.6 / 0.1) / 5 = 0.36 s.
                Act::Pull(Some(PanVelocity)) => 1000,
                Act::Pull(_) => 800,
                // The position controller's slow pole is at 7 per second: ln(1.3 / 0.02) / 7 = 0.6 s.
                Act::Move(_) => 750,
                _ => 100,
            };
            assert!(time >= Duration::from_millis(needed), "{act} {time:?}");
        }
    }

    #[test]
    fn a_long_script_has_no_slow_trajectory() {
        let long = script(Duration::from_secs(3600));
        let motion =
            long.iter().find_map(|(act, _)| if let Act::Follow(motion) = act { Some(motion) } else { None });
        assert_eq!(motion.and_then(|motion| motion.last()).map(|(time, _)| *time), Some(LONGEST_MOTION));
    }
}
