use core::time::Duration;

use safety::{Instant, earliest};

use crate::arm::machine::Output;
use crate::arm::motion::Motion;
use crate::arm::robot::{Controller, Joint, Quantity};

/// Commands of the operator, and when each is sent.
///
/// A velocity and an effort are repeated, as their controllers need it. A position is sent a few times, since its subscriber may be
/// new, and a trajectory once. With its cable pulled the commander sends nothing.
#[derive(Clone, Debug, Default)]
pub struct Commander {
    is_pulled: bool,
    /// The positions of pan and tilt, and until when they are repeated.
    positions: [Option<(f64, Instant)>; 2],
    /// The velocity or the effort of pan.
    repeated: Option<(Controller, f64)>,
    /// The trajectory, and when it is or was sent.
    motion: Option<Sent>,
    due: Instant,
}

#[derive(Clone, Debug)]
struct Sent {
    motion: Motion,
    /// When it is due, or where it began.
    at: Instant,
    start: Option<[f64; 2]>,
}

/// From one repetition to the next.
const PERIOD: Duration = Duration::from_millis(50);
/// How long a position is repeated.
const POSITION: Duration = Duration::from_millis(250);
/// How long after its load a controller's topic may take to be known.
const DISCOVERY: Duration = Duration::from_millis(300);
/// The script turns round where pan is further than this from the middle \[rad\].
const FAR: f64 = 1.2;

impl Commander {
    /// Commands a position.
    pub fn move_to(&mut self, joint: Joint, position: f64, now: Instant) {
        self.positions[joint as usize] = Some((position, now + POSITION));
        self.due = now;
    }

    /// Commands a velocity or an effort of pan.
    pub fn repeat(&mut self, controller: Controller, value: f64, now: Instant) {
        self.repeated = Some((controller, value));
        self.due = now;
    }

    /// Sends a trajectory, not before `loaded`, when its controller was loaded, is long enough ago.
    pub fn follow(&mut self, motion: Motion, loaded: Instant, now: Instant) {
        self.motion = Some(Sent { motion, at: now.max(loaded + DISCOVERY), start: None });
    }

    /// Pulls the cable, or plugs it in.
    pub fn pull(&mut self, is_pulled: bool) {
        self.is_pulled = is_pulled;
    }

    /// Whether the cable is pulled.
    pub fn is_pulled(&self) -> bool {
        self.is_pulled
    }

    /// Forgets the command of a controller, as it does itself when it starts.
    pub fn forget(&mut self, controller: Controller) {
        match controller {
            Controller::PanPosition => self.positions[Joint::Pan as usize] = None,
            Controller::TiltPosition => self.positions[Joint::Tilt as usize] = None,
            Controller::ArmTrajectory => self.motion = None,
            Controller::PanEffort | Controller::PanVelocity => {
                self.repeated = self.repeated.filter(|(to, _)| *to != controller);
            }
        }
    }

    /// Turns round before pan, at `pan`, comes to an end of its way.
    pub fn turn_round(&mut self, pan: f64) {
        if let Some((_, value)) = &mut self.repeated
            && pan.abs() > FAR
            && pan * *value > 0.0
        {
            *value = -*value;
        }
    }

    /// Command at `now` to the controller that moves `joint`.
    pub fn command(&self, joint: Joint, by: Option<Controller>, now: Instant) -> Option<(Quantity, f64)> {
        let by = by?;
        let value = match by {
            Controller::PanPosition | Controller::TiltPosition => self.positions[joint as usize]?.0,
            Controller::PanEffort | Controller::PanVelocity => {
                self.repeated.filter(|(to, _)| *to == by && !self.is_pulled)?.1
            }
            Controller::ArmTrajectory => {
                let Sent { motion, at, start } = self.motion.as_ref()?;
                motion.at(now.since(*at), (*start)?)[joint as usize]
            }
        };
        Some((by.quantity(), value))
    }

    /// The value that is repeated to a controller.
    pub fn repeated(&self, controller: Controller) -> Option<f64> {
        self.repeated.filter(|(to, _)| *to == controller).map(|(_, value)| value)
    }

    /// Outputs that are due at `now`, while the joints are at `positions`.
    pub fn poll(&mut self, now: Instant, positions: [f64; 2]) -> Vec<Output> {
        let mut outputs = Vec::new();
        if self.is_pulled {
            return outputs;
        }
        if let Some(Sent { motion, at, start }) = &mut self.motion
            && start.is_none()
            && now >= *at
        {
            (*start, *at) = (Some(positions), now);
            outputs.push(Output::Follow(motion.clone()));
        }
        if now >= self.due {
            self.due = now + PERIOD;
            for (joint, controller) in
                [Controller::PanPosition, Controller::TiltPosition].into_iter().enumerate()
            {
                if let Some((position, _)) = self.positions[joint].filter(|(_, until)| now <= *until) {
                    outputs.push(Output::Command(controller, position));
                }
            }
            outputs.extend(self.repeated.map(|(controller, value)| Output::Command(controller, value)));
        }
        outputs
    }

    /// When something is due.
    pub fn deadline(&self, now: Instant) -> Option<Instant> {
        let repeats =
            self.repeated.is_some() || self.positions.iter().flatten().any(|(_, until)| now <= *until);
        let motion = self.motion.as_ref().filter(|sent| sent.start.is_none()).map(|sent| sent.at);
        if self.is_pulled { None } else { earliest(repeats.then_some(self.due), motion) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Controller::{ArmTrajectory, PanPosition, PanVelocity};

    fn at(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    /// How often something is sent from `from` on, within a second.
    fn count(commander: &mut Commander, from: u64) -> usize {
        (from..from + 1000).map(|millis| commander.poll(at(millis), [0.0; 2]).len()).sum()
    }

    #[test]
    fn a_velocity_is_repeated_and_a_position_only_at_first() {
        let mut commander = Commander::default();
        commander.repeat(PanVelocity, 0.5, at(0));
        assert_eq!(count(&mut commander, 0), 20);
        commander.forget(PanVelocity);
        commander.move_to(Joint::Pan, 1.0, at(1000));
        // At 0, 50, ... 250 ms.
        assert_eq!(count(&mut commander, 1000), 6);
        assert_eq!(
            commander.command(Joint::Pan, Some(PanPosition), at(9000)),
            Some((Quantity::Position, 1.0))
        );
        assert_eq!(commander.deadline(at(9000)), None);
    }

    #[test]
    fn with_its_cable_pulled_it_is_silent() {
        let mut commander = Commander::default();
        commander.repeat(PanVelocity, 0.5, at(0));
        commander.pull(true);
        assert_eq!((count(&mut commander, 0), commander.deadline(at(0))), (0, None));
        assert_eq!(commander.command(Joint::Pan, Some(PanVelocity), at(0)), None);
        commander.pull(false);
        assert_eq!(count(&mut commander, 1000), 20);
    }

    #[test]
    fn a_trajectory_is_sent_once_and_not_before_its_topic_is_known() {
        let mut commander = Commander::default();
        commander.follow(Motion::to([1.0, 0.0], Duration::from_secs(1)), at(0), at(100));
        assert!(commander.poll(at(299), [0.0; 2]).is_empty());
        assert_eq!(commander.command(Joint::Pan, Some(ArmTrajectory), at(299)), None);
        assert_eq!(commander.deadline(at(299)), Some(at(300)));
        assert_eq!(count(&mut commander, 300), 1);
        assert_eq!(
            commander.command(Joint::Pan, Some(ArmTrajectory), at(800)),
            Some((Quantity::Position, 0.5))
        );
    }

    #[test]
    fn pan_is_turned_round_before_its_ends() {
        let mut commander = Commander::default();
        commander.repeat(PanVelocity, 0.5, at(0));
        for (pan, value) in [(1.1, 0.5), (1.3, -0.5), (1.25, -0.5), (-1.3, 0.5)] {
            commander.turn_round(pan);
            assert_eq!(commander.repeated(PanVelocity), Some(value), "{pan}");
        }
    }
}
