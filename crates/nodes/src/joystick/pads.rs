use std::sync::{Arc, Mutex};

use gamepad::{Event, Gamepads, VirtualDevice, VirtualPad};
use joystick::{DeviceId, Effect, Feedback, Hat, Input, Joystick, Printable, UnusableJoy, VirtualState};
use r2r::or_joystick::msg as or_joystick;
use r2r::sensor_msgs::msg::{Joy, JoyFeedback};
use ros::panics::lock;
use ros::{Error, Shell, Stop, clock};
use safety::Contains;

use super::NAME;
use super::extras::Extras;

/// The number of axes, buttons and hats of an additional virtual device, shaped like a common pad.
const SHAPE: (usize, usize, usize) = (6, 11, 1);

/// The devices: SDL's thread delivers each event to the machine.
#[derive(Clone)]
pub struct Pads {
    gamepads: Arc<Mutex<Gamepads>>,
    extras: Arc<Mutex<Extras>>,
}

impl Pads {
    /// Starts SDL.
    /// # Errors
    /// SDL does not start, or the middleware refuses a topic.
    pub fn start<M: Contains<Joystick, Input: Send> + Send + 'static>(
        node: &mut r2r::Node,
        shell: Shell<M>,
    ) -> Result<Self, Error> {
        let extras = Arc::new(Mutex::new(Extras::new(node)?));
        let handled = Arc::clone(&extras);
        let mut batch: Vec<M::Input> = Vec::with_capacity(64);
        let gamepads = Gamepads::start(move |event| {
            if is_extra(&event) {
                let driver = shell.inspect(|machine| machine.stage().controlled_id());
                lock(&handled).handle(&event, driver.map(|id| id.0));
            }
            let triggers = triggers(&event);
            for input in input(event).into_iter().chain(triggers) {
                let ends = matches!(input, Input::BatchEnded | Input::DevicesPolled);
                batch.push(M::wrap(input));
                if ends {
                    shell.deliver_all(batch.drain(..));
                }
            }
        })
        .map_err(|error| Error::Start(format!("joysticks cannot be read: {error}")))?;
        log::info!(target: NAME, "SDL {} looks for joysticks", gamepad::sdl_version());
        if gamepads.is_starting() {
            log::error!(target: NAME, "SDL hangs while it starts: a device does not answer when it is opened");
        }
        Ok(Self { gamepads: Arc::new(Mutex::new(gamepads)), extras })
    }

    /// Connects an additional virtual device, which exists as long as the returned value.
    /// # Errors
    /// SDL refuses it.
    pub fn plug(&self, name: &str) -> Result<VirtualPad, Error> {
        let (axes, buttons, hats) = SHAPE;
        let pad = lock(&self.gamepads).plug(VirtualDevice::new(name, axes, buttons, hats));
        pad.map_err(|error| {
            Error::Start(format!("the virtual device '{}' cannot be made: {error}", Printable(name)))
        })
    }

    /// Publishes battery and motion of the device that drives.
    pub fn serve_extras(&self, driver: Option<u32>) {
        // Locked first: who holds it may wait for SDL's thread, which waits for the extras.
        let gamepads = lock(&self.gamepads);
        lock(&self.extras).serve(driver, |id, on| {
            if let Err(error) = gamepads.enable_sensors(id, on) {
                log::warn!(target: NAME, "sensors: {error}");
            }
        });
    }

    /// Carries out the effects that the machine requested.
    pub fn carry_out(&self, effects: impl IntoIterator<Item = (DeviceId, Effect)>) {
        let gamepads = lock(&self.gamepads);
        for (DeviceId(id), effect) in effects {
            let done = match effect {
                Effect::Rumble { low, high, time } => gamepads.rumble(id, low, high, time),
                Effect::Light(colour) => gamepads.set_led(id, colour),
            };
            if let Err(error) = done {
                log::warn!(target: NAME, "'joy/set_feedback' has no effect: {error}");
            }
        }
    }

    /// Requests the full state of every device, for a machine that no longer knows it.
    pub fn request_states(&self) {
        // Refused only if SDL's thread has ended, which ends the node.
        let _ = lock(&self.gamepads).request_states();
    }

    /// A task that ends the node when SDL's thread has died.
    pub fn watch(self, stop: &Stop) -> impl FnMut(&mut r2r::Node) + Send + 'static {
        let stop = stop.clone();
        move |_| {
            if !stop.is_set() && !lock(&self.gamepads).alive() {
                log::error!(target: NAME, "joysticks are no longer read; the node ends");
                stop.set();
            }
        }
    }
}

/// Whether [`Extras`] handles the event, which SDL's thread would otherwise wait for.
const fn is_extra(event: &Event) -> bool {
    !matches!(
        event,
        Event::Axis { .. }
            | Event::Button { .. }
            | Event::Hat { .. }
            | Event::State { .. }
            | Event::Polled
            | Event::BatchEnded
    )
}

/// The requested state of the virtual device.
pub fn virtual_state(message: or_joystick::State) -> VirtualState {
    let or_joystick::State { ts, buttons, axes } = message;
    VirtualState { stamp: clock::from_wire(&ts), axes, buttons }
}

/// The state of a pad that another program reads.
pub fn state_of_joy(message: &Joy) -> Result<VirtualState, UnusableJoy> {
    VirtualState::of_joy(clock::from_wire(&message.header.stamp), &message.axes, &message.buttons)
}

/// The requested feedback of the device that drives.
pub fn feedback(message: &JoyFeedback) -> Feedback {
    Feedback { kind: message.type_, id: message.id, intensity: message.intensity }
}

/// The axes of a connected device that are triggers, if they are known.
fn triggers(event: &Event) -> Option<Input> {
    let Event::Connected { id, details, .. } = event else { return None };
    details.triggers.clone().map(|axes| Input::TriggersKnown { id: DeviceId(*id), axes })
}

/// The input for the machine; other events are handled by [`Extras`].
fn input(event: Event) -> Option<Input> {
    let hat = |hat: gamepad::Hat| Hat { up: hat.up, down: hat.down, left: hat.left, right: hat.right };
    Some(match event {
        Event::Connected { id, name, guid, axes, buttons, hats, details } => Input::DeviceConnected {
            id: DeviceId(id),
            name,
            guid,
            serial: details.serial,
            path: details.path,
            links: details.links,
            mapping: details.mapping,
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
        Event::State { id, axes, buttons, hats } => {
            Input::DeviceRead { id: DeviceId(id), axes, buttons, hats: hats.into_iter().map(hat).collect() }
        }
        Event::BatchEnded => Input::BatchEnded,
        Event::Polled => Input::DevicesPolled,
        Event::OpenFailed { .. } | Event::BatteryChanged { .. } => return None,
        Event::SensorMoved { .. } | Event::Refused { .. } => return None,
        Event::CapabilitiesChanged { .. } => return None,
    })
}
