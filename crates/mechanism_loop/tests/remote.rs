//! A robot elsewhere behind the loop: what goes to it and comes from it, without an allocation in the loop.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::time::Duration;

use allocations::{Counting, count};
use mechanism::Robot;
use mechanism::robot::{Actuator, Hardware};
use mechanism_loop::{EffortsReceiver, RemoteHardware, StatesSender, remote};
use safety::{ActuatorSample, Instant, MessageTime, StateSample};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const PERIOD: Duration = Duration::from_millis(1);

struct Rig {
    robot: Robot,
    hardware: RemoteHardware,
    states: StatesSender,
    efforts: EffortsReceiver,
    now: Instant,
}

impl Rig {
    fn new(rate: f64) -> Self {
        let robot = Robot::from_parts(Vec::new(), vec![Actuator::new("a")], Vec::new());
        let (hardware, states, efforts) = remote(&robot, Duration::from_millis(100), rate);
        Self { robot, hardware, states, efforts, now: Instant::from_millis(10_000) }
    }

    /// A cycle that commands `effort`; with states if `has_states`.
    fn cycle(&mut self, effort: f64, has_states: bool) {
        self.now = self.now + PERIOD;
        if has_states {
            let sample = ActuatorSample { position: 0.25, ..ActuatorSample::default() };
            let time = MessageTime::new(self.now, Duration::ZERO);
            self.states.send(Box::new(StateSample { time, actuators: vec![sample] }));
        }
        let Self { robot, hardware, now, .. } = self;
        let before = count();
        hardware.read(robot, *now, PERIOD);
        let command = &mut robot.actuators_mut()[0].command;
        (command.enable, command.effort) = (true, effort);
        hardware.write(robot);
        assert_eq!(count(), before, "it allocates");
    }

    /// The efforts sent in `cycles` cycles, as their node reads them.
    fn sent(&mut self, cycles: usize, effort: f64, has_states: bool) -> Vec<f64> {
        let mut sent = Vec::new();
        for _ in 0..cycles {
            self.cycle(effort, has_states);
            if let Some(efforts) = self.efforts.take() {
                assert_eq!(efforts.at, self.now);
                sent.extend(&efforts.efforts);
                self.efforts.recycle(efforts);
            }
        }
        sent
    }
}

#[test]
fn efforts_go_out_at_their_rate_and_a_zero_at_once() {
    let mut rig = Rig::new(100.0);
    rig.sent(20, 1.5, true); // the reset of the start
    assert_eq!(rig.sent(100, 1.5, true), [1.5; 10]);
    assert_eq!(rig.robot.actuators()[0].state.position, 0.25);
    rig.hardware.halt();
    assert_eq!(rig.sent(1, 1.5, true), [0.0]);
}

#[test]
fn silence_sends_a_zero_in_the_same_cycle() {
    let mut rig = Rig::new(1000.0);
    rig.sent(20, 1.5, true);
    let sent = rig.sent(200, 1.5, false);
    assert_eq!(sent.iter().filter(|effort| **effort == 1.5).count(), 99);
    assert_eq!(sent[sent.len() - 50..], [0.0; 50]);
    assert_eq!(rig.hardware.link().map(|link| (link.is_silent, link.losses)), Some((true, 1)));
}

#[test]
fn a_node_that_does_not_read_gets_the_newest_efforts_afterwards() {
    let mut rig = Rig::new(1000.0);
    rig.sent(20, 1.5, true);
    for number in 0..100 {
        rig.cycle(f64::from(number), true);
    }
    assert_eq!(rig.sent(1, 100.0, true), [100.0]);
    let held = rig.efforts.take();
    assert_eq!(held, None);
    // One that is not given back takes no place from the others.
    rig.cycle(7.0, true);
    let held = rig.efforts.take();
    assert_eq!((rig.sent(1, 8.0, true), held.map(|efforts| efforts.efforts)), (vec![8.0], Some(vec![7.0])));
}
