//! Joysticks that exist in SDL only.

use std::sync::mpsc::Sender;

use crate::event::Hat;
use crate::sdl_thread::Command;

/// A virtual joystick, plugged in as long as this lives.
///
/// Made by [`Gamepads::plug_virtual`](crate::Gamepads::plug_virtual). It may be used from any thread. When the SDL
/// thread has ended nothing happens any more, without an error.
#[derive(Debug)]
pub struct VirtualPad {
    commands: Sender<Command>,
    id: u32,
    counts: [usize; 3],
}

/// What a virtual joystick shows: always a whole state, never a difference.
///
/// An entry that is missing is at rest (axis 0, button up, hat centred), so `VirtualState::default()` is the pad let
/// go. Entries beyond what the pad has are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VirtualState {
    /// Position of each axis, -32768 to 32767.
    pub axes: Vec<i16>,
    /// Whether each button is down.
    pub buttons: Vec<bool>,
    /// Position of each hat; opposite directions together count as neither.
    pub hats: Vec<Hat>,
}

impl VirtualPad {
    pub(crate) fn new(commands: Sender<Command>, id: u32, counts: [usize; 3]) -> VirtualPad {
        VirtualPad { commands, id, counts }
    }

    /// SDL's instance id, by which the pad's events are known.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Queues a state; its changes reach the sink as events, axes first, then buttons, then hats.
    ///
    /// States are applied one by one in the order in which they were queued, over all pads, and SDL is asked for events
    /// after each: a press and a release in two states are two events, however quickly they follow.
    ///
    /// # Real-time
    /// Never blocks; allocates. The queue is unbounded.
    ///
    /// # Source
    /// Own: SDL only samples a virtual joystick when events are asked for, and would lose the press.
    pub fn set(&self, mut state: VirtualState) {
        let [axes, buttons, hats] = self.counts;
        state.axes.resize(axes, 0);
        state.buttons.resize(buttons, false);
        state.hats.resize(hats, Hat::default());
        self.tell(Command::Set { id: self.id, state });
    }

    /// Unplugs the pad after the states queued so far; dropping it does the same.
    pub fn unplug(self) {}

    fn tell(&self, command: Command) {
        if self.commands.send(command).is_err() {
            log::debug!("virtual joystick {}: the SDL thread has ended", self.id);
        }
    }
}

impl Drop for VirtualPad {
    fn drop(&mut self) {
        self.tell(Command::Unplug { id: self.id });
    }
}
