use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gamepad::{Event, Gamepads, VirtualPad, VirtualState};
use joystick::{DeviceId, Hat, Input};
use r2r::or_joystick::msg as or_joystick;
use ros::{Error, Shell, Stop};
use units::Machine;

use super::NAME;

/// Axes, buttons and hats of the virtual device.
const VIRTUAL_SHAPE: (usize, usize, usize) = (6, 11, 1);

/// The devices: SDL's thread brings each event to the machine, and a virtual device stands in where none is connected.
#[derive(Clone)]
pub struct Pads(Arc<Mutex<Devices>>);

struct Devices {
    gamepads: Gamepads,
    virtual_name: String,
    virtual_pad: Option<VirtualPad>,
    said_that_there_is_none: bool,
}

impl Pads {
    /// Starts SDL; `wrap` makes an input of the machine at hand. With a `virtual_name`, a virtual device of that name
    /// is plugged in.
    /// # Errors
    /// SDL does not start or refuses the virtual device.
    pub fn start<M: Machine<Input: Send> + Send + 'static>(
        shell: Shell<M>,
        wrap: fn(Input) -> M::Input,
        virtual_name: String,
    ) -> Result<Self, Error> {
        let mut batch: Vec<M::Input> = Vec::with_capacity(64);
        let gamepads = Gamepads::start(move |event| {
            let input = input(event);
            let ends = matches!(input, Input::BatchEnded);
            batch.push(wrap(input));
            if ends {
                shell.deliver_all(batch.drain(..));
            }
        })
        .map_err(|error| Error::Start(format!("joysticks cannot be read: {error}")))?;
        log::info!(target: NAME, "SDL {} looks for joysticks", gamepad::sdl_version());
        let mut devices =
            Devices { gamepads, virtual_name, virtual_pad: None, said_that_there_is_none: false };
        if !devices.virtual_name.is_empty() {
            devices.plug()?;
        }
        Ok(Self(Arc::new(Mutex::new(devices))))
    }

    /// Moves the virtual device; a state without axes and buttons unplugs it, the next other one plugs it in again.
    pub fn set_virtual(&self, state: or_joystick::State) {
        self.lock().set_virtual(state);
    }

    /// A chore that ends the node when SDL's thread has died: a stick that nobody reads would stay where it was.
    pub fn watch(self, stop: &Stop) -> impl FnMut(&mut r2r::Node) + Send + 'static {
        let stop = stop.clone();
        move |_| {
            if !stop.is_set() && !self.lock().gamepads.alive() {
                log::error!(target: NAME, "joysticks are read no more; the node ends");
                stop.set();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Devices> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Devices {
    fn set_virtual(&mut self, state: or_joystick::State) {
        if self.virtual_name.is_empty() {
            if !self.said_that_there_is_none {
                self.said_that_there_is_none = true;
                log::warn!(
                    target: NAME,
                    "'~/virtual_device' is ignored: parameter 'virtual_device' names no virtual device"
                );
            }
        } else if state.axes.is_empty() && state.buttons.is_empty() {
            if let Some(pad) = self.virtual_pad.take() {
                pad.unplug();
            }
        } else {
            if self.virtual_pad.is_none()
                && let Err(error) = self.plug()
            {
                log::error!(target: NAME, "{error}");
            }
            if let Some(pad) = &self.virtual_pad {
                pad.set(VirtualState { axes: state.axes, buttons: state.buttons, hats: Vec::new() });
            }
        }
    }

    fn plug(&mut self) -> Result<(), Error> {
        let (axes, buttons, hats) = VIRTUAL_SHAPE;
        let pad = self.gamepads.plug_virtual(&self.virtual_name, axes, buttons, hats);
        let pad = pad.map_err(|error| {
            Error::Start(format!("the virtual device '{}' cannot be made: {error}", self.virtual_name))
        })?;
        self.virtual_pad = Some(pad);
        Ok(())
    }
}

fn input(event: Event) -> Input {
    let hat = |hat: gamepad::Hat| Hat { up: hat.up, down: hat.down, left: hat.left, right: hat.right };
    match event {
        Event::Connected { id, name, guid, axes, buttons, hats } => Input::DeviceConnected {
            id: DeviceId(id),
            name,
            guid,
            axes,
            buttons,
            hats: hats.into_iter().map(hat).collect(),
        },
        Event::Disconnected { id } => Input::DeviceDisconnected { id: DeviceId(id) },
        Event::Axis { id, axis, value } => Input::AxisMoved { id: DeviceId(id), axis, value },
        Event::Button { id, button, pressed } => Input::ButtonChanged { id: DeviceId(id), button, pressed },
        Event::Hat { id, hat: number, state } => {
            Input::HatMoved { id: DeviceId(id), hat: number, state: hat(state) }
        }
        Event::BatchEnded => Input::BatchEnded,
    }
}
