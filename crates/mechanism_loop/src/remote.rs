use std::sync::Arc;
use std::time::Duration;

use mechanism::Robot;
use mechanism::controllers::PublishPeriod;
use mechanism::robot::{Hardware, RemoteRobot};
use realtime::Mailbox;
use rtrb::{Consumer, Producer, RingBuffer};
use safety::{Instant, LinkState, StateSample};

/// How many messages of states that were used wait to be freed.
const USED: usize = 16;
/// How many efforts there are: one that waits, one that is published, one that is filled.
const EFFORTS: usize = 3;

/// The efforts of all actuators, in the robot's order.
#[derive(Clone, Debug, PartialEq)]
pub struct Efforts {
    /// The time of the step.
    pub at: Instant,
    /// \[Nm or N\], finite.
    pub efforts: Vec<f64>,
}

/// A robot elsewhere, for the loop's thread.
///
/// # Real-time
/// States come and efforts go by mailboxes, so that the newest ones count, and go back by rings: nothing waits, allocates or frees.
pub struct RemoteHardware {
    robot: RemoteRobot,
    states: Arc<Mailbox<StateSample>>,
    used: Producer<Box<StateSample>>,
    efforts: Arc<Mailbox<Efforts>>,
    free: Consumer<Box<Efforts>>,
    /// The one that is filled next.
    next: Option<Box<Efforts>>,
    due: PublishPeriod,
    now: Instant,
    is_zero: bool,
}

/// Sends states to the loop, from any thread: the newest ones count.
#[derive(Clone, Debug)]
pub struct StatesSender(Arc<Mailbox<StateSample>>);

/// Receives efforts from the loop, in one thread.
pub struct EffortsReceiver {
    efforts: Arc<Mailbox<Efforts>>,
    free: Producer<Box<Efforts>>,
    used: Consumer<Box<StateSample>>,
}

impl StatesSender {
    /// Passes states on.
    pub fn send(&self, states: Box<StateSample>) {
        drop(self.0.put(states));
    }
}

impl EffortsReceiver {
    /// The newest efforts; give them back with [`recycle`](Self::recycle). Frees what the loop needs no longer.
    pub fn take(&mut self) -> Option<Box<Efforts>> {
        while self.used.pop().is_ok() {}
        self.efforts.take()
    }

    /// Gives efforts back to the loop.
    pub fn recycle(&mut self, efforts: Box<Efforts>) {
        let _ = self.free.push(efforts); // there is room for all of them
    }
}

/// The hardware for a robot elsewhere, whose states count for `timeout` and which is sent efforts at `rate` \[Hz\], a zero at once;
/// and the other ends of its queues.
pub fn remote(
    robot: &Robot,
    timeout: Duration,
    rate: f64,
) -> (RemoteHardware, StatesSender, EffortsReceiver) {
    let states = Arc::<Mailbox<StateSample>>::default();
    let efforts = Arc::<Mailbox<Efforts>>::default();
    let (used, used_outside) = RingBuffer::new(USED);
    let (mut given, free) = RingBuffer::new(EFFORTS);
    for _ in 0..EFFORTS {
        let efforts = vec![0.0; robot.actuators().len()];
        let _ = given.push(Box::new(Efforts { at: Instant::ZERO, efforts }));
    }
    let hardware = RemoteHardware {
        robot: RemoteRobot::new(robot, timeout),
        states: Arc::clone(&states),
        used,
        efforts: Arc::clone(&efforts),
        free,
        next: None,
        due: PublishPeriod::new(rate, Instant::ZERO),
        now: Instant::ZERO,
        is_zero: false,
    };
    let receiver = EffortsReceiver { efforts, free: given, used: used_outside };
    (hardware, StatesSender(states), receiver)
}

impl Hardware for RemoteHardware {
    fn read(&mut self, robot: &mut Robot, now: Instant, period: Duration) {
        self.now = now;
        // Without room for what was used nothing is taken.
        let new = if self.used.slots() > 0 { self.states.take() } else { None };
        self.robot.read(robot, new.as_deref(), now, period);
        if let Some(used) = new {
            let _ = self.used.push(used); // there is room
        }
    }

    fn write(&mut self, robot: &Robot) {
        if self.next.is_none() {
            self.next = self.free.pop().ok();
        }
        let Some(mut next) = self.next.take() else { return };
        self.robot.efforts(robot, &mut next.efforts);
        let is_zero = next.efforts.iter().all(|effort| *effort == 0.0);
        if self.due.is_due(self.now) || is_zero && !self.is_zero {
            next.at = self.now;
            self.is_zero = is_zero;
            self.next = self.efforts.put(next); // what was not taken is filled again
        } else {
            self.next = Some(next);
        }
    }

    fn halt(&mut self) {
        self.robot.halt();
    }

    fn reset(&mut self) {
        self.robot.reset();
    }

    fn link(&self) -> Option<LinkState> {
        Some(self.robot.link())
    }
}
