//! Joysticks that exist only in SDL.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use crate::event::Hat;
use crate::inbox::{Inbox, Order};

/// A virtual joystick, connected as long as this value lives.
///
/// Made by [`Gamepads::plug`](crate::Gamepads::plug). It may be used from any thread. After the end of the SDL thread
/// all calls have no effect and return no error.
#[derive(Debug)]
pub struct VirtualPad {
    inbox: Arc<Inbox>,
    /// SDL's instance id, which identifies the pad's events.
    pub id: u32,
    rest: VirtualState,
}

/// The state of a virtual joystick: always complete, never a difference.
///
/// A missing entry is at rest (axis 0, or -32768 for a trigger of a game controller, button up, hat centred), so
/// `VirtualState::default()` is the released pad. Entries beyond those of the pad are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VirtualState {
    /// Position of each axis, -32768 to 32767.
    pub axes: Vec<i16>,
    /// Whether each button is down.
    pub buttons: Vec<bool>,
    /// Position of each hat; opposite directions together count as neither.
    pub hats: Vec<Hat>,
}

/// The description of a virtual joystick; `VirtualDevice::default()` has no name and no inputs.
#[derive(Debug, Clone, Default)]
pub struct VirtualDevice {
    /// Any text without NUL, even one that another device has; reported unchanged.
    pub name: String,
    /// The number of axes, 0 to 255.
    pub axes: usize,
    /// The number of buttons, 0 to 255.
    pub buttons: usize,
    /// The number of hats, 0 to 255.
    pub hats: usize,
    /// The USB vendor number; 0 for none.
    pub vendor: u16,
    /// The USB product number; 0 for none.
    pub product: u16,
    /// Whether SDL treats it as a game controller, whose axes 4 and 5 are triggers that rest at -32768.
    pub game_controller: bool,
    /// The receiver of rumble and light; `None`: it has neither motors nor light.
    pub feedback: Option<VirtualFeedback>,
}

/// The motors and the light of a virtual joystick.
///
/// Each change is sent as a [`Feedback`]. When the receiver is dropped the device refuses requests, as a broken one
/// does.
#[derive(Debug, Clone)]
pub struct VirtualFeedback {
    /// Whether it has the two motors.
    pub rumble: bool,
    /// Whether it has a light.
    pub led: bool,
    /// The channel for changes.
    pub changes: Sender<Feedback>,
}

/// A change of the motors or the light of a virtual joystick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feedback {
    /// The two motors run with these strengths, 0 to 65535; 0 is at rest.
    Rumble {
        /// The slow, strong motor.
        low: u16,
        /// The fast, weak motor.
        high: u16,
    },
    /// The light has this colour: red, green, blue.
    Led([u8; 3]),
}

impl VirtualPad {
    pub(crate) fn new(inbox: Arc<Inbox>, id: u32, rest: VirtualState) -> VirtualPad {
        VirtualPad { inbox, id, rest }
    }

    /// Queues a state; its changes reach the sink as events, axes first, then buttons, then hats.
    ///
    /// States of all pads are applied one by one in the order of queueing, and SDL is polled after each: a press and
    /// a release in two states are two events, however quickly they follow. Only if 256 states of this pad are
    /// pending, the newest replaces the last of them: intermediate states are lost then, but the last state is always
    /// applied, and it may overtake states of other pads.
    ///
    /// # Real-time
    /// Never blocks; allocates. The queue is bounded.
    ///
    /// # Source
    /// Own: SDL samples a virtual joystick only when it is polled, and would lose the press.
    pub fn set(&self, mut state: VirtualState) {
        complete(&mut state.axes, &self.rest.axes);
        complete(&mut state.buttons, &self.rest.buttons);
        complete(&mut state.hats, &self.rest.hats);
        self.post(Order::Set { id: self.id, state });
    }

    /// Disconnects the pad after the states queued so far; dropping it does the same.
    pub fn unplug(self) {}

    fn post(&self, order: Order) {
        if self.inbox.post(order).is_err() {
            log::debug!("virtual joystick {}: the SDL thread has ended", self.id);
        }
    }
}

impl VirtualDevice {
    /// A plain device with these numbers of axes, buttons and hats, 0 to 255 each.
    pub fn new(name: &str, axes: usize, buttons: usize, hats: usize) -> Self {
        Self { name: name.into(), axes, buttons, hats, ..Self::default() }
    }

    /// The state of the released pad, with an entry for each input.
    pub(crate) fn rest(&self) -> VirtualState {
        let mut axes = vec![0; self.axes];
        if self.game_controller
            && let Some(triggers) = axes.get_mut(4..6)
        {
            triggers.fill(i16::MIN);
        }
        VirtualState { axes, buttons: vec![false; self.buttons], hats: vec![Hat::default(); self.hats] }
    }
}

/// Cuts `entries` to the length of `rest` and fills missing ones from it.
fn complete<T: Copy>(entries: &mut Vec<T>, rest: &[T]) {
    entries.truncate(rest.len());
    entries.extend(rest.iter().skip(entries.len()));
}

impl Drop for VirtualPad {
    fn drop(&mut self) {
        self.post(Order::Unplug { id: self.id });
    }
}
