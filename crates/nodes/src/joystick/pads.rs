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
use super::stand_in::{self, StandIn};

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
    stand_in: StandIn,
    extras: ExtraTopics,
    feedbacks: Feedbacks,
}

impl Pads {
    /// Starts SDL; `wrap` makes an input of the machine at hand, in which `view` finds the joystick.
    /// # Errors
    /// SDL does not start, or the middleware refuses a topic.
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
        if gamepads.is_starting() {
            log::error!(target: NAME, "SDL hangs while it starts: a device does not answer when it is opened");
        }
        let devices = Devices {
            gamepads,
            lose_reading: Box::new(lose_reading),
            pass: (0, clock::now(), false),
            stand_in: StandIn::new(&params.virtual_device, newcomer),
            extras: ExtraTopics::new(node, said)?,
            feedbacks: Feedbacks::new(params.feedback_duration),
        };
        Ok(Self(Arc::new(Mutex::new(devices))))
    }

    /// Plugs a further virtual device in, which is there as long as what is given back.
    /// # Errors
    /// SDL refuses it.
    pub fn plug(&self, name: &str) -> Result<VirtualPad, Error> {
        let pad = self.lock().gamepads.plug(stand_in::device(name));
        pad.map_err(|error| {
            Error::Start(format!("the virtual device '{}' cannot be made: {error}", Printable(name)))
        })
    }

    /// Moves the virtual device; a state without axes and buttons unplugs it, the next other one plugs it in again.
    pub fn set_virtual(&self, state: or_joystick::State) {
        let Devices { stand_in, gamepads, .. } = &mut *self.lock();
        stand_in.set(gamepads, VirtualState { axes: state.axes, buttons: state.buttons, hats: Vec::new() });
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
            devices.stand_in.watch();
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
