use std::time::Duration;

use gamepad::{Error, Gamepads, Plugging, VirtualDevice, VirtualPad, VirtualState};
use joystick::Printable;
use ros::clock;
use units::Instant;

use super::NAME;
use super::newcomer::Newcomer;

/// Axes, buttons and hats of the virtual device.
const SHAPE: (usize, usize, usize) = (6, 11, 1);
/// Without a new state for so long, whoever moves the virtual device is gone, and the device goes too.
const SILENCE: Duration = Duration::from_millis(500);

/// The virtual device of `~/virtual_device`: there as long as somebody says how it is held.
///
/// Plugging it in waits for nobody: SDL may hang, and who calls here also watches whether it does.
pub struct StandIn {
    /// Empty: there is none.
    name: String,
    newcomer: Newcomer,
    plug: Plug,
    /// When it was last moved.
    moved: Option<Instant>,
    said_that_there_is_none: bool,
}

enum Plug {
    Out,
    /// Asked for, and how it is held by now.
    Asked(Plugging, VirtualState),
    In(VirtualPad),
}

impl StandIn {
    /// What `~/virtual_device` moves shows up as `name`, held as `newcomer` then hears.
    pub fn new(name: &str, newcomer: Newcomer) -> Self {
        Self { name: name.into(), newcomer, plug: Plug::Out, moved: None, said_that_there_is_none: false }
    }

    /// Holds it like that; a state without axes and buttons unplugs it, the next other one plugs it in again.
    pub fn set(&mut self, gamepads: &Gamepads, held: VirtualState) {
        if self.name.is_empty() {
            if !std::mem::replace(&mut self.said_that_there_is_none, true) {
                log::warn!(
                    target: NAME,
                    "'~/virtual_device' is ignored: parameter 'virtual_device' names no virtual device"
                );
            }
            return;
        }
        if held.axes.is_empty() && held.buttons.is_empty() {
            return self.unplug();
        }
        self.moved = Some(clock::now());
        match &mut self.plug {
            Plug::Out => self.ask(gamepads, held),
            Plug::Asked(_, latest) => *latest = held,
            Plug::In(pad) => pad.set(held),
        }
    }

    /// Sees to it that it is plugged in once SDL has done that, and goes when nobody moves it any more.
    pub fn watch(&mut self) {
        if let Plug::Asked(plugging, latest) = &self.plug {
            match plugging.poll() {
                Ok(None) => {}
                Ok(Some(pad)) => {
                    pad.set(latest.clone());
                    self.plug = Plug::In(pad);
                }
                Err(error) => self.fail(&error),
            }
        }
        if self.moved.is_some_and(|at| clock::now().since(at) >= SILENCE) {
            log::warn!(target: NAME, "'~/virtual_device' is silent for {SILENCE:?}: the device is unplugged");
            self.unplug();
        }
    }

    fn ask(&mut self, gamepads: &Gamepads, held: VirtualState) {
        self.newcomer.announce(&self.name, held.clone());
        match gamepads.begin_plug(device(&self.name)) {
            Ok(plugging) => self.plug = Plug::Asked(plugging, held),
            Err(error) => self.fail(&error),
        }
    }

    fn unplug(&mut self) {
        self.newcomer.forget();
        self.moved = None;
        if let Plug::In(pad) = std::mem::replace(&mut self.plug, Plug::Out) {
            pad.unplug();
        }
    }

    fn fail(&mut self, error: &Error) {
        log::error!(target: NAME, "the virtual device '{}' cannot be made: {error}", Printable(&self.name));
        self.unplug();
    }
}

/// A virtual device of this name, shaped like a common pad.
pub fn device(name: &str) -> VirtualDevice {
    let (axes, buttons, hats) = SHAPE;
    VirtualDevice { name: name.into(), axes, buttons, hats, ..VirtualDevice::default() }
}
