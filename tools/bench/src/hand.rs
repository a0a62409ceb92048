use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nodes::messages::zone_scaling;
use r2r::Publisher;
use r2r::luci_messages::msg::LuciZoneScaling;
use r2r::or_joystick::msg::State;
use r2r::std_msgs::msg::Bool;
use ros::panics::lock;
use ros::{clock, qos};
use safety::Stamp;

use crate::peer::Peer;
use crate::stage::{Result, Stage};

/// How many stick events there are in a second \[Hz].
pub const RATE: u32 = 200;
/// Where the stick states of a bare chain come from.
pub const STICK: &str = "/bench/stick";
/// One of so many events is accompanied by the other messages that the nodes need: 20 times a second.
const SURROUNDINGS: u64 = 10;
/// The axis that drives, see `stack.yaml`.
const DRIVING: usize = 1;
/// An axis that means nothing there: moving it is an event all the same.
const UNUSED: usize = 4;
/// The dead-man button, see `stack.yaml`.
const DEAD_MAN: usize = 5;
/// The dead-man button is let go for so many events out of so many.
const LET_GO: (u64, u64) = (8, 64);

/// A hand that moves the virtual stick and that of the bare chains, reports that nothing stands around the vehicle, and enables motion.
///
/// It has a thread of its own, so that publishing does not delay what is measured.
pub struct Hand {
    orders: Arc<Mutex<Orders>>,
    thread: Option<JoinHandle<()>>,
    /// Publishes for it.
    _peer: Peer,
}

#[derive(Default)]
struct Orders {
    task: Task,
    /// When stick events were sent.
    sent: Vec<Stamp>,
}

/// Task of the hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Task {
    /// Nothing.
    #[default]
    Rest,
    /// Enables motion with the stick at rest, presses the dead-man button and lets it go; each event moves an axis that
    /// means nothing.
    Enable,
    /// Drives, each event by another speed.
    Drive,
    /// Ends.
    End,
}

impl Hand {
    /// A hand that rests.
    /// # Errors
    /// The middleware refuses a topic, or the operating system the thread.
    pub fn new(stage: &Stage) -> Result<Self> {
        let mut peer = Peer::new(stage, "bench_hand")?;
        let pad: Publisher<State> = peer.publisher("/joystick/virtual_device", qos::edge())?;
        let orders = Arc::default();
        let publishers = Publishers {
            sticks: [pad, peer.publisher(STICK, qos::edge())?],
            scaling: peer.publisher("/luci/scaling", qos::command())?,
            enable: peer.publisher("/hind/enable", qos::edge())?,
        };
        let own = Arc::clone(&orders);
        let thread = thread::Builder::new().name("hand".into()).spawn(move || publishers.run(&own));
        Ok(Self { orders, thread: Some(thread?), _peer: peer })
    }

    /// From now on the hand does `task`.
    pub fn set(&self, task: Task) {
        lock(&self.orders).task = task;
    }

    /// When the stick events were sent since the last call.
    pub fn take_sent(&self) -> Vec<Stamp> {
        std::mem::take(&mut lock(&self.orders).sent)
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        self.set(Task::End);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // a panic was reported there
        }
    }
}

struct Publishers {
    sticks: [Publisher<State>; 2],
    scaling: Publisher<LuciZoneScaling>,
    enable: Publisher<Bool>,
}

impl Publishers {
    /// Carries out the tasks until one is [`Task::End`].
    #[allow(clippy::disallowed_methods)] // the pace is its own; nothing else waits for this thread
    fn run(&self, orders: &Mutex<Orders>) {
        let (mut due, mut number) = (clock::now(), 0);
        loop {
            due = due + Duration::from_secs(1) / RATE;
            thread::sleep(due.since(clock::now()));
            let mut orders = lock(orders);
            let drive = match orders.task {
                Task::End => return,
                Task::Rest => continue,
                task => task == Task::Drive,
            };
            orders.sent.push(clock::stamp());
            drop(orders);
            self.act(number, drive);
            number += 1;
        }
    }

    /// Publishes the messages of an event, which drives if `drive`. A message that the middleware refuses is missing at the motors, and
    /// is reported there.
    fn act(&self, number: u64, drive: bool) {
        let state = stick(number, drive);
        self.sticks.iter().for_each(|stick| drop(stick.publish(&state)));
        if number.is_multiple_of(SURROUNDINGS) {
            let _ = self.scaling.publish(&zone_scaling(&[1.0; 16]));
            if !drive {
                // Only a switch that was seen off can be switched on.
                let _ = self.enable.publish(&Bool { data: false });
                let _ = self.enable.publish(&Bool { data: true });
            }
        }
    }
}

/// The stick at event number `number`, never as it was at the one before: SDL reports changes only.
fn stick(number: u64, drive: bool) -> State {
    // One that is held when the stick is plugged in does not count before it was let go.
    let mut state = pad(0, drive || number % LET_GO.1 >= LET_GO.0);
    let value = if number.is_multiple_of(2) { -20_000 } else { -10_000 };
    state.axes[if drive { DRIVING } else { UNUSED }] = value;
    state
}

/// A pad with these values of what drives.
fn pad(forward: i16, dead_man: bool) -> State {
    let (mut axes, mut buttons) = (vec![0; 6], vec![false; 11]);
    (axes[DRIVING], buttons[DEAD_MAN]) = (forward, dead_man);
    State { axes, buttons, ..Default::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_differs_from_the_one_before() {
        assert_ne!(stick(4, true), stick(5, true));
        assert_ne!(stick(4, false), stick(5, false));
        assert_ne!(stick(4, false), stick(5, true));
    }

    #[test]
    fn the_stick_at_rest_drives_nothing() {
        for number in 0..2 {
            assert_eq!(stick(number, false).axes[DRIVING], 0);
            assert!(stick(number, true).axes[DRIVING] < 0);
        }
    }
}
