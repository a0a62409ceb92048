use core::time::Duration;

use safety::{Instant, LinkState, MessageTime, StateSample};

use crate::Robot;
use crate::robot::MotorHalt;

/// A robot elsewhere, which sends the states of its actuators and is sent their efforts.
///
/// The states are lost when the last ones are as old as the time-out: then all motors are halted until a reset that comes after
/// fresh states. Before the first states the motors are halted, too; those begin the reset with which every driver starts. A
/// halted or disabled actuator is sent an effort of 0.
/// # Real-time
/// No method allocates or blocks.
/// # Source
/// own; halts and resets as in pr2_mechanism.
#[derive(Clone, Debug)]
pub struct RemoteRobot {
    timeout: Duration,
    halt: MotorHalt,
    /// The time of the last states.
    last: Option<MessageTime>,
    link: LinkState,
    time: Duration,
}

impl RemoteRobot {
    /// The robot elsewhere behind `robot`, whose states count for `timeout`.
    pub fn new(robot: &Robot, timeout: Duration) -> Self {
        Self {
            timeout,
            halt: MotorHalt::new(robot.actuators().len()),
            last: None,
            link: LinkState { is_silent: true, losses: 0 },
            time: Duration::ZERO,
        }
    }

    /// Whether it is there.
    pub fn link(&self) -> LinkState {
        self.link
    }

    /// Sets the actuators' states at `now`, `period` after the last call, with the states that came since then.
    pub fn read(&mut self, robot: &mut Robot, new: Option<&StateSample>, now: Instant, period: Duration) {
        self.time += period;
        for actuator in robot.actuators_mut() {
            let sent = actuator.admitted_effort();
            let state = &mut actuator.state;
            (state.last_commanded_effort, state.last_executed_effort) = (actuator.command.effort, sent);
        }
        if let Some(sample) = new {
            self.last = Some(sample.time);
            for (actuator, sample) in robot.actuators_mut().iter_mut().zip(&sample.actuators) {
                let state = &mut actuator.state;
                state.sample_time = self.time;
                state.position = sample.position - state.zero_offset;
                state.velocity = sample.velocity;
                state.last_measured_effort = sample.effort.unwrap_or(state.last_executed_effort);
            }
        }
        let was_silent = self.link.is_silent;
        self.link.is_silent = self.last.is_none_or(|last| last.is_expired(now, self.timeout));
        if !self.link.is_silent {
            self.halt.step();
        } else if !was_silent {
            self.link.losses += 1;
            self.halt.halt();
        }
        for (index, actuator) in robot.actuators_mut().iter_mut().enumerate() {
            let state = &mut actuator.state;
            state.device_id = i32::try_from(index).unwrap_or(i32::MAX);
            state.is_halted = self.link.is_silent || self.halt.is_halted(index);
            state.is_enabled = actuator.command.enable && !state.is_halted;
        }
    }

    /// Writes the effort that each actuator is sent.
    pub fn efforts(&self, robot: &Robot, efforts: &mut [f64]) {
        for (effort, actuator) in efforts.iter_mut().zip(robot.actuators()) {
            *effort = actuator.admitted_effort();
        }
    }

    /// Halts all motors, until a reset.
    pub fn halt(&mut self) {
        self.halt.halt();
    }

    /// Begins a reset of the motors; after a loss of the states only once they are back.
    pub fn reset(&mut self) {
        if !self.link.is_silent || self.link.losses == 0 {
            self.halt.reset();
        }
    }
}

#[cfg(test)]
mod tests {
    use safety::ActuatorSample;

    use super::*;
    use crate::robot::Actuator;

    const TIMEOUT: Duration = Duration::from_millis(100);

    struct Rig {
        robot: Robot,
        remote: RemoteRobot,
        now: u64,
    }

    impl Rig {
        fn new() -> Self {
            let mut robot =
                Robot::from_parts(Vec::new(), vec![Actuator::new("a"), Actuator::new("b")], Vec::new());
            for actuator in robot.actuators_mut() {
                (actuator.command.enable, actuator.command.effort) = (true, 2.0);
            }
            let remote = RemoteRobot::new(&robot, TIMEOUT);
            Self { robot, remote, now: 1000 }
        }

        /// A step of a millisecond, in which states of this `age` come, if any. Returns the efforts.
        fn step(&mut self, age: Option<u64>) -> [f64; 2] {
            self.now += 1;
            let now = Instant::from_millis(self.now);
            let sample = ActuatorSample { position: 0.5, velocity: 0.1, effort: None };
            let sample = age.map(|age| StateSample {
                time: MessageTime::new(now, Duration::from_millis(age)),
                actuators: vec![sample; 2],
            });
            self.remote.read(&mut self.robot, sample.as_ref(), now, Duration::from_millis(1));
            let mut efforts = [0.0; 2];
            self.remote.efforts(&self.robot, &mut efforts);
            efforts
        }

        fn steps(&mut self, count: usize, age: Option<u64>) -> [f64; 2] {
            (0..count).map(|_| self.step(age)).last().unwrap_or_default()
        }
    }

    #[test]
    fn the_first_states_begin_the_reset_of_a_start() {
        let mut rig = Rig::new();
        assert_eq!(rig.steps(500, None), [0.0; 2]);
        assert!(rig.robot.actuators().iter().all(|actuator| actuator.state.is_halted));
        assert_eq!(rig.remote.link(), LinkState { is_silent: true, losses: 0 });
        // A reset of two motors takes nine steps, and enables the first in the seventh.
        assert_eq!(rig.steps(6, Some(0)), [0.0; 2]);
        assert_eq!((rig.step(Some(0)), rig.steps(2, Some(0))), ([2.0, 0.0], [2.0; 2]));
        let state = &rig.robot.actuators()[1].state;
        assert_eq!((state.position, state.is_enabled, state.last_measured_effort), (0.5, true, 0.0));
        rig.step(Some(0));
        let state = &rig.robot.actuators()[1].state;
        assert_eq!(
            (state.last_executed_effort, state.last_measured_effort),
            (2.0, 2.0),
            "it is not measured"
        );
    }

    #[test]
    fn silence_halts_until_a_reset_that_comes_after_fresh_states() {
        let mut rig = Rig::new();
        rig.steps(9, Some(0));
        assert_eq!(rig.steps(99, None), [2.0; 2]);
        assert_eq!(rig.step(None), [0.0; 2], "the time-out itself is too late");
        assert_eq!(rig.remote.link(), LinkState { is_silent: true, losses: 1 });
        rig.remote.reset();
        assert_eq!(rig.steps(50, None), [0.0; 2]);
        assert_eq!(rig.steps(500, Some(0)), [0.0; 2], "states that are back move nothing");
        assert_eq!(rig.remote.link(), LinkState { is_silent: false, losses: 1 });
        rig.remote.reset();
        assert_eq!(rig.steps(9, Some(0)), [2.0; 2]);
    }

    #[test]
    fn states_count_from_their_time_on() {
        let mut rig = Rig::new();
        rig.steps(9, Some(60));
        assert_eq!((rig.steps(39, None), rig.step(None)), ([2.0; 2], [0.0; 2]));
    }

    #[test]
    fn a_halt_is_not_ended_by_the_first_states() {
        let mut rig = Rig::new();
        rig.remote.halt();
        assert_eq!(rig.steps(50, Some(0)), [0.0; 2]);
        rig.remote.reset();
        assert_eq!(rig.steps(9, Some(0)), [2.0; 2]);
        let mut rig = Rig::new();
        rig.remote.halt();
        rig.remote.reset();
        assert_eq!(rig.steps(9, Some(0)), [2.0; 2], "it ended before the first states");
    }

    #[test]
    fn an_actuator_that_is_not_enabled_or_has_no_finite_effort_is_sent_zero() {
        let mut rig = Rig::new();
        rig.steps(9, Some(0));
        rig.robot.actuators_mut()[0].command.enable = false;
        rig.robot.actuators_mut()[1].command.effort = f64::NAN;
        assert_eq!(rig.step(Some(0)), [0.0; 2]);
    }
}
