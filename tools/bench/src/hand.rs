use core::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use r2r::Publisher;
use r2r::luci_messages::msg::LuciZoneScaling;
use r2r::or_joystick::msg::State;
use r2r::std_msgs::msg::Bool;
use ros::panics::lock;
use ros::{Error, clock, qos};
use safety::Stamp;

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

/// Moves the virtual stick and that of the bare chains, reports that nothing stands around the vehicle, and enables motion.
///
/// It has a thread of its own, so that publishing does not delay what is measured.
pub struct Hand {
    sticks: [Publisher<State>; 2],
    scaling: Publisher<LuciZoneScaling>,
    enable: Publisher<Bool>,
    orders: Orders,
}

/// Sets the hand's task from another thread. When it is dropped the hand's thread ends.
pub struct StickControl(Orders);

#[derive(Clone, Default)]
struct Orders {
    task: Arc<AtomicU8>,
    sent: Arc<Mutex<Vec<Stamp>>>,
}

/// Task of the hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Nothing.
    Rest = 0,
    /// Enables motion with the stick at rest, presses the dead-man button and lets it go; each event moves an axis that
    /// means nothing.
    Enable = 1,
    /// Drives, each event by another speed.
    Drive = 2,
    /// Ends.
    End = 3,
}

impl Hand {
    /// A hand that rests, and what controls it; `node` publishes for it.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(node: &mut r2r::Node) -> Result<(Self, StickControl), Error> {
        let what = || Error::ros("publish what moves the stick");
        let orders = Orders::default();
        let hand = Self {
            sticks: [
                node.create_publisher("/joystick/virtual_device", qos::edge()).map_err(what())?,
                node.create_publisher(STICK, qos::edge()).map_err(what())?,
            ],
            scaling: node.create_publisher("/luci/scaling", qos::command()).map_err(what())?,
            enable: node.create_publisher("/hind/enable", qos::edge()).map_err(what())?,
            orders: orders.clone(),
        };
        Ok((hand, StickControl(orders)))
    }

    /// Its publisher of the virtual pad: another one would be a conflict for the joystick node.
    pub fn pad(&self) -> Publisher<State> {
        self.sticks[0].clone()
    }

    /// Carries out its tasks until one is [`Task::End`].
    #[allow(clippy::disallowed_methods)] // the pace is its own; nothing else waits for this thread
    pub fn run(self) {
        let (mut due, mut number) = (clock::now(), 0);
        loop {
            due = due + Duration::from_secs(1) / RATE;
            std::thread::sleep(due.since(clock::now()));
            match self.orders.task() {
                end if end == Task::End as u8 => return,
                rest if rest == Task::Rest as u8 => {}
                task => {
                    self.act(number, task == Task::Drive as u8);
                    number += 1;
                }
            }
        }
    }

    /// Publishes the messages of an event, which drives if `drive`. A message that the middleware refuses is missing at the motors, and
    /// is reported there.
    fn act(&self, number: u64, drive: bool) {
        lock(&self.orders.sent).push(clock::stamp());
        let state = stick(number, drive);
        self.sticks.iter().for_each(|stick| drop(stick.publish(&state)));
        if number.is_multiple_of(SURROUNDINGS) {
            let _ = self.scaling.publish(&free());
            if !drive {
                // Only a switch that was seen off can be switched on.
                let _ = self.enable.publish(&Bool { data: false });
                let _ = self.enable.publish(&Bool { data: true });
            }
        }
    }
}

impl Orders {
    fn task(&self) -> u8 {
        self.task.load(Ordering::SeqCst)
    }
}

impl StickControl {
    /// From now on the hand does `task`.
    pub fn set(&self, task: Task) {
        self.0.task.store(task as u8, Ordering::SeqCst);
    }

    /// When the stick events were sent since the last call.
    pub fn take_sent(&self) -> Vec<Stamp> {
        std::mem::take(&mut lock(&self.0.sent))
    }
}

impl Drop for StickControl {
    fn drop(&mut self) {
        self.set(Task::End);
    }
}

/// The stick at event number `number`, never as it was at the one before: SDL reports changes only.
fn stick(number: u64, drive: bool) -> State {
    let (mut axes, mut buttons) = (vec![0; 6], vec![false; 11]);
    let value = if number.is_multiple_of(2) { -20_000 } else { -10_000 };
    axes[if drive { DRIVING } else { UNUSED }] = value;
    // One that is held when the stick is plugged in does not count before it was let go.
    buttons[DEAD_MAN] = drive || number % LET_GO.1 >= LET_GO.0;
    State { axes, buttons, ..Default::default() }
}

fn free() -> LuciZoneScaling {
    let one = 1.0;
    LuciZoneScaling {
        front_fb: one,
        front_rl: one,
        front_right_fb: one,
        front_right_rl: one,
        front_left_fb: one,
        front_left_rl: one,
        right_fb: one,
        right_rl: one,
        left_fb: one,
        left_rl: one,
        back_right_fb: one,
        back_right_rl: one,
        back_left_fb: one,
        back_left_rl: one,
        back_fb: one,
        back_rl: one,
    }
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
