//! Joysticks that exist in SDL only.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use crate::event::Hat;
use crate::inbox::{Inbox, Order};

/// A virtual joystick, plugged in as long as this lives.
///
/// Made by [`Gamepads::plug`](crate::Gamepads::plug). It may be used from any thread. When the SDL thread has ended nothing happens any more, without an error.
#[derive(Debug)]
pub struct VirtualPad {
    inbox: Arc<Inbox>,
    id: u32,
    rest: VirtualState,
}

/// What a virtual joystick shows: always a whole state, never a difference.
///
/// An entry that is missing is at rest (axis 0, or -32768 for a trigger of a game controller, button up, hat centred),
/// so `VirtualState::default()` is the pad let go. Entries beyond what the pad has are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VirtualState {
    /// Position of each axis, -32768 to 32767.
    pub axes: Vec<i16>,
    /// Whether each button is down.
    pub buttons: Vec<bool>,
    /// Position of each hat; opposite directions together count as neither.
    pub hats: Vec<Hat>,
}

/// What a virtual joystick is; `VirtualDevice::default()` has no name and nothing to move.
#[derive(Debug, Clone, Default)]
pub struct VirtualDevice {
    /// Any text without NUL, also one that another device has already; reported as given.
    pub name: String,
    /// How many axes, 0 to 255.
    pub axes: usize,
    /// How many buttons, 0 to 255.
    pub buttons: usize,
    /// How many hats, 0 to 255.
    pub hats: usize,
    /// USB vendor number to show; 0 for none.
    pub vendor: u16,
    /// USB product number to show; 0 for none.
    pub product: u16,
    /// Whether SDL takes it for a game controller, whose axes 4 and 5 are triggers that rest at -32768.
    pub game_controller: bool,
    /// Who feels the rumble and sees the light; `None`: it has neither motors nor light.
    pub feedback: Option<VirtualFeedback>,
}

/// The motors and the light of a virtual joystick.
///
/// Each change is sent as a [`Feedback`]. When its receiver is gone the device refuses, as a broken one does.
#[derive(Debug, Clone)]
pub struct VirtualFeedback {
    /// Whether it has the two motors.
    pub rumble: bool,
    /// Whether it has a light.
    pub led: bool,
    /// Where changes go.
    pub changes: Sender<Feedback>,
}

/// What happened to the motors or the light of a virtual joystick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feedback {
    /// The two motors run with these strengths, 0 to 65535; 0 is at rest.
    Rumble {
        /// The slow, strong one.
        low: u16,
        /// The quick, weak one.
        high: u16,
    },
    /// The light has this colour: red, green, blue.
    Led([u8; 3]),
}

impl VirtualPad {
    pub(crate) fn new(inbox: Arc<Inbox>, id: u32, rest: VirtualState) -> VirtualPad {
        VirtualPad { inbox, id, rest }
    }

    /// SDL's instance id, by which the pad's events are known.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Queues a state; its changes reach the sink as events, axes first, then buttons, then hats.
    ///
    /// States are applied one by one in the order in which they were queued, over all pads, and SDL is asked for events
    /// after each: a press and a release in two states are two events, however quickly they follow. Only when 256
    /// states of this pad wait already, the newest replaces the last of them: what lies between is not seen then, but
    /// the last state always is, and it may overtake what other pads queued.
    ///
    /// # Real-time
    /// Never blocks; allocates. The queue is bounded.
    ///
    /// # Source
    /// Own: SDL only samples a virtual joystick when events are asked for, and would lose the press.
    pub fn set(&self, mut state: VirtualState) {
        complete(&mut state.axes, &self.rest.axes);
        complete(&mut state.buttons, &self.rest.buttons);
        complete(&mut state.hats, &self.rest.hats);
        self.tell(Order::Set { id: self.id, state });
    }

    /// Unplugs the pad after the states queued so far; dropping it does the same.
    pub fn unplug(self) {}

    fn tell(&self, order: Order) {
        if self.inbox.post(order).is_err() {
            log::debug!("virtual joystick {}: the SDL thread has ended", self.id);
        }
    }
}

impl VirtualDevice {
    /// A plain one with so many axes, buttons and hats, 0 to 255 each.
    pub fn new(name: &str, axes: usize, buttons: usize, hats: usize) -> Self {
        Self { name: name.into(), axes, buttons, hats, ..Self::default() }
    }

    /// The state of the pad let go, with an entry for all it has.
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

/// Takes away what is beyond `rest`, and adds what is missing from there.
fn complete<T: Copy>(entries: &mut Vec<T>, rest: &[T]) {
    entries.truncate(rest.len());
    entries.extend(rest.iter().skip(entries.len()));
}

impl Drop for VirtualPad {
    fn drop(&mut self) {
        self.tell(Order::Unplug { id: self.id });
    }
}
