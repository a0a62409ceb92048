use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gamepad::{Event, Gamepads, VirtualPad, VirtualState};
use joystick::{DeviceId, Hat, Input, Joystick, Params, Printable};
use r2r::or_joystick::msg as or_joystick;
use r2r::sensor_msgs::msg::JoyFeedback;
use ros::{Error, Shell, Stop, clock};
use units::{Instant, Machine};

use super::NAME;
use super::alarm::Alarm;
use super::extra_topics::ExtraTopics;
use super::extras::Extras;
use super::feedback::Feedbacks;
use super::newcomer::Newcomer;

/// Axes, buttons and hats of the virtual device.
const VIRTUAL_SHAPE: (usize, usize, usize) = (6, 11, 1);
/// Without a new state for so long, whoever moves the virtual device is gone, and the device goes too.
const VIRTUAL_SILENCE: Duration = Duration::from_millis(500);
/// If SDL does not look at the devices for so long, nobody knows where the sticks are.
const SDL_SILENCE: Duration = Duration::from_millis(250);

/// The devices: SDL's thread brings each event to the machine, and a virtual device stands in where none is connected.
#[derive(Clone)]
pub struct Pads(Arc<Mutex<Devices>>);

struct Devices {
    gamepads: Gamepads,
    /// Tells the machine that nobody reads the devices.
    lose_reading: Box<dyn FnMut() + Send>,
    /// The last pass of SDL's thread, when it was seen, and whether it has been given up since.
    pass: (u64, Instant, bool),
    virtual_name: String,
    virtual_pad: Option<VirtualPad>,
    newcomer: Newcomer,
    /// When the virtual device was last moved; it stays at rest without anybody moving it.
    virtual_moved: Option<Instant>,
    said_that_there_is_none: bool,
    extras: ExtraTopics,
    feedbacks: Feedbacks,
}

impl Pads {
    /// Starts SDL; `wrap` makes an input of the machine at hand, in which `view` finds the joystick. With a
    /// `virtual_device` in `params` one of that name is plugged in.
    /// # Errors
    /// SDL does not start or refuses the virtual device, or the middleware a topic.
    pub fn start<M: Machine<Input: Send> + Send + 'static>(
        node: &mut r2r::Node,
        shell: Shell<M>,
        view: fn(&M) -> &Joystick,
        wrap: fn(Input) -> M::Input,
        params: &Params,
    ) -> Result<Self, Error> {
        let (mut extras, said) = Extras::channel();
        let alarm = Alarm::start(shell.clone(), view)?;
        let loser = shell.clone();
        let newcomer = Newcomer::default();
        let holder = newcomer.clone();
        let mut batch: Vec<M::Input> = Vec::with_capacity(64);
        let gamepads = Gamepads::start(move |event| {
            let Some(mut event) = extras.take(event) else { return };
            let moves = holder.hold(&mut event);
            let triggers = triggers(&event);
            let inputs = input(event).into_iter().chain(triggers).chain(moves.into_iter().filter_map(input));
            for input in inputs {
                let ends = matches!(input, Input::BatchEnded);
                batch.push(wrap(input));
                if ends {
                    shell.deliver_all(batch.drain(..));
                    alarm.look();
                }
            }
        })
        .map_err(|error| Error::Start(format!("joysticks cannot be read: {error}")))?;
        log::info!(target: NAME, "SDL {} looks for joysticks", gamepad::sdl_version());
        let lose_reading =
            move || loser.deliver_all([Input::ReadingLost, Input::BatchEnded].into_iter().map(wrap));
        let mut devices = Devices {
            gamepads,
            lose_reading: Box::new(lose_reading),
            pass: (0, clock::now(), false),
            virtual_name: params.virtual_device.clone(),
            virtual_pad: None,
            newcomer,
            virtual_moved: None,
            said_that_there_is_none: false,
            extras: ExtraTopics::new(node, said)?,
            feedbacks: Feedbacks::new(params.feedback_duration),
        };
        if !devices.virtual_name.is_empty() {
            devices.plug()?;
        }
        Ok(Self(Arc::new(Mutex::new(devices))))
    }

    /// Plugs a further virtual device in, which is there as long as what is given back.
    /// # Errors
    /// SDL refuses it.
    pub fn plug(&self, name: &str) -> Result<VirtualPad, Error> {
        self.lock().plug_another(name)
    }

    /// Moves the virtual device; a state without axes and buttons unplugs it, the next other one plugs it in again.
    pub fn set_virtual(&self, state: or_joystick::State) {
        self.lock().set_virtual(state);
    }

    /// Publishes battery and motion of the device that drives, and ends what its motors have done for long enough.
    pub fn serve_extras(&self, driver: Option<u32>) {
        let mut devices = self.lock();
        let Devices { extras, gamepads, feedbacks, .. } = &mut *devices;
        feedbacks.serve(driver, gamepads, clock::now());
        extras.serve(driver, |id, on| {
            if let Err(error) = gamepads.enable_sensors(id, on) {
                log::warn!(target: NAME, "sensors: {error}");
            }
        });
    }

    /// Lets the motors and the light of the device that drives do what `message` says.
    pub fn feed_back(&self, message: &JoyFeedback) {
        let Devices { feedbacks, gamepads, .. } = &mut *self.lock();
        feedbacks.take(message, gamepads, clock::now());
    }

    /// A chore that lets go what nobody reads any more: every device when SDL hangs, the virtual one when its mover is
    /// silent; and ends the node when SDL's thread has died.
    pub fn watch(self, stop: &Stop) -> impl FnMut(&mut r2r::Node) + Send + 'static {
        let stop = stop.clone();
        move |_| {
            let mut devices = self.lock();
            if !stop.is_set() && !devices.gamepads.alive() {
                log::error!(target: NAME, "joysticks are read no more; the node ends");
                stop.set();
            }
            devices.watch_sdl();
            devices.watch_virtual();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Devices> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Devices {
    fn watch_sdl(&mut self) {
        let (now, passes) = (clock::now(), self.gamepads.passes());
        let (last, at, given_up) = self.pass;
        if passes != last {
            if given_up {
                log::warn!(target: NAME, "joysticks are read again; sticks must be let go and buttons pressed anew");
                // Only now: what SDL's thread said while it was given up must not count for the truth. Refused only if
                // that thread has ended, which ends the node.
                let _ = self.gamepads.retell();
            }
            self.pass = (passes, now, false);
        } else if !given_up && now.since(at) >= SDL_SILENCE {
            log::error!(target: NAME, "SDL hangs: for {SDL_SILENCE:?} no joystick was read; all of them count as let go");
            (self.lose_reading)();
            self.pass = (last, at, true);
        }
    }

    fn watch_virtual(&mut self) {
        if self.virtual_moved.is_some_and(|at| clock::now().since(at) >= VIRTUAL_SILENCE) {
            log::warn!(target: NAME, "'~/virtual_device' is silent for {VIRTUAL_SILENCE:?}: the device is unplugged");
            self.unplug();
        }
    }

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
            self.unplug();
        } else {
            let held = VirtualState { axes: state.axes, buttons: state.buttons, hats: Vec::new() };
            if self.virtual_pad.is_none() {
                self.newcomer.announce(&self.virtual_name, held.clone());
                if let Err(error) = self.plug() {
                    self.newcomer.forget();
                    log::error!(target: NAME, "{error}");
                }
            }
            self.virtual_moved = Some(clock::now());
            if let Some(pad) = &self.virtual_pad {
                pad.set(held);
            }
        }
    }

    fn unplug(&mut self) {
        self.virtual_moved = None;
        if let Some(pad) = self.virtual_pad.take() {
            pad.unplug();
        }
    }

    fn plug(&mut self) -> Result<(), Error> {
        self.virtual_pad = Some(self.plug_another(&self.virtual_name)?);
        Ok(())
    }

    fn plug_another(&self, name: &str) -> Result<VirtualPad, Error> {
        let (axes, buttons, hats) = VIRTUAL_SHAPE;
        let pad = self.gamepads.plug_virtual(name, axes, buttons, hats);
        pad.map_err(|error| {
            Error::Start(format!("the virtual device '{}' cannot be made: {error}", Printable(name)))
        })
    }
}

/// Which axes of a device that comes are triggers, if anybody knows.
fn triggers(event: &Event) -> Option<Input> {
    let Event::Connected { id, details, .. } = event else { return None };
    details.triggers.clone().map(|axes| Input::TriggersKnown { id: DeviceId(*id), axes })
}

/// What the machine takes of an event; the rest is for [`Extras`].
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
        Event::OpenFailed { .. } | Event::BatteryChanged { .. } => return None,
        Event::SensorMoved { .. } | Event::Refused { .. } => return None,
        Event::CapabilitiesChanged { .. } => return None,
    })
}
