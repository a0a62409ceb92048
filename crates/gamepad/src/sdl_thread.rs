//! What happens on the SDL thread: wait, obey, drain, tend, forward.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sdl2::hint::{Hint, set_with_priority};
use sdl2::{EventPump, GameControllerSubsystem};

use crate::devices::Devices;
use crate::event::Event;
use crate::inbox::{Inbox, Order};
use crate::sdl::events;
use crate::sdl::pads::{self, Pads};
use crate::virtual_pad::VirtualPad;
use crate::watch::Watch;

/// SDL, the open devices and the sink. Lives and dies on one thread.
///
/// The fields are dropped in this order: handles first, then SDL itself, then what SDL pointed to.
pub(crate) struct SdlThread<Sink> {
    devices: Devices<Sink>,
    _controllers: GameControllerSubsystem,
    pump: EventPump,
    pads: Pads,
    inbox: Arc<Inbox>,
    passes: Arc<AtomicU64>,
    started: Instant,
}

/// How often SDL looks for devices that come, and at those that say nothing.
const REST: Duration = Duration::from_millis(100);

/// How often SDL looks while something has to be read that wakes nobody, or waits for its time: as often as its own wait does.
const POLL: Duration = Duration::from_millis(1);

impl<Sink: FnMut(Event)> SdlThread<Sink> {
    /// Starts SDL on this thread.
    pub(crate) fn start(
        inbox: Arc<Inbox>,
        watch: Watch,
        passes: Arc<AtomicU64>,
        sink: Sink,
    ) -> Result<Self, String> {
        // SDL would take SIGINT and SIGTERM and turn them into an event that nobody reads: the process would not end.
        set_with_priority("SDL_NO_SIGNAL_HANDLERS", "1", &Hint::Override);
        // Without a window there is no focus either; this says that none is needed.
        set_with_priority("SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS", "1", &Hint::Override);
        // Over Bluetooth a PlayStation pad has rumble, light and sensors only in the reports that this switches on,
        // which the kernel's driver uses anyway. The environment may say otherwise.
        set_with_priority("SDL_JOYSTICK_HIDAPI_PS4_RUMBLE", "1", &Hint::Default);
        // In a container no udev tells of devices that come and go: SDL then watches their folder by itself. The
        // environment may say otherwise.
        if !Path::new("/run/udev/control").exists() {
            set_with_priority("SDL_JOYSTICK_DISABLE_UDEV", "1", &Hint::Default);
        }
        let context = sdl2::init()?;
        let joysticks = context.joystick()?;
        joysticks.set_event_state(true);
        let controllers = context.game_controller()?;
        let pump = context.event_pump()?;
        events::select(&pump, &controllers);
        let devices = Devices::new(joysticks, watch, sink);
        let started = now();
        Ok(SdlThread {
            devices,
            _controllers: controllers,
            pump,
            pads: Pads::default(),
            inbox,
            passes,
            started,
        })
    }

    /// Forwards events and does what is asked for until `Stop`.
    pub(crate) fn run(&mut self) {
        loop {
            self.passes.fetch_add(1, Ordering::Relaxed);
            let mut order = self.inbox.order();
            if order.is_none() {
                self.devices.wait(REST, POLL);
                order = self.inbox.order();
            }
            match order {
                Some(Order::Stop) => return,
                Some(order) => {
                    self.obey(order);
                    // One pump for each state, whatever the drain below does: SDL samples virtual joysticks only here.
                    self.pump.pump_events();
                }
                None => {}
            }
            // All of them, for then SDL's own state is what they have told. A poll ends at a mark that SDL puts behind
            // what it read; more may have come behind that.
            loop {
                match events::poll(&mut self.pump) {
                    Some(heard) => self.devices.handle(heard),
                    None if events::waits(&self.pump) => {}
                    None => break,
                }
            }
            let wishes = self.inbox.wishes();
            let now = now().saturating_duration_since(self.started);
            self.devices.tend(now, wishes);
            self.devices.end_batch(now);
        }
    }

    fn obey(&mut self, order: Order) {
        let joysticks = self.devices.joysticks();
        match order {
            Order::Plug { device, reply, wanted } => {
                if wanted.strong_count() == 0 {
                    return; // whoever asked has given it up
                }
                let rest = device.rest();
                let outcome = self.pads.attach(joysticks, device);
                let pad = outcome.map(|id| VirtualPad::new(Arc::clone(&self.inbox), id, rest));
                let _ = reply.send(pad); // given up just now, the pad is dropped, and so unplugged
            }
            Order::Set { id, state } => {
                if !pads::set(joysticks, id, &state) {
                    log::debug!("virtual joystick {id} is not open, its state is lost");
                }
            }
            Order::Unplug { id } => {
                if !self.pads.detach(joysticks, id) {
                    log::warn!("virtual joystick {id} could not be unplugged");
                }
            }
            Order::Retell => self.devices.retell(),
            Order::Stop => {} // seen before
        }
    }
}

/// Whoever waits for an answer must hear that there is none, however the thread ends.
impl<Sink> Drop for SdlThread<Sink> {
    fn drop(&mut self) {
        self.inbox.close();
    }
}

#[allow(
    clippy::disallowed_methods,
    reason = "this thread paces its looks at batteries by the clock; nothing of it reaches the sink"
)]
fn now() -> Instant {
    Instant::now()
}
