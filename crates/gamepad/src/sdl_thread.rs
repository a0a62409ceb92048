//! The loop of the SDL thread: wait, execute orders, drain events, maintain devices, report.

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

/// SDL, the open devices and the sink, all on one thread.
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

/// How often SDL checks for new devices and for silent ones.
const REST: Duration = Duration::from_millis(100);

/// The polling period while a device cannot wake this thread or is pending: the same as in SDL's own wait.
const POLL: Duration = Duration::from_millis(1);

impl<Sink: FnMut(Event)> SdlThread<Sink> {
    /// Starts SDL on this thread.
    pub(crate) fn start(
        inbox: Arc<Inbox>,
        watch: Watch,
        passes: Arc<AtomicU64>,
        sink: Sink,
    ) -> Result<Self, String> {
        // SDL would handle SIGINT and SIGTERM and turn them into an unused event: the process would not end.
        set_with_priority("SDL_NO_SIGNAL_HANDLERS", "1", &Hint::Override);
        // Without a window there is no focus; this setting makes focus unnecessary.
        set_with_priority("SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS", "1", &Hint::Override);
        // Over Bluetooth a PlayStation pad has rumble, light and sensors only in the reports that this enables, which
        // the kernel's driver uses anyway. The environment may override it.
        set_with_priority("SDL_JOYSTICK_HIDAPI_PS4_RUMBLE", "1", &Hint::Default);
        // In a container udev does not report devices: SDL then watches their folder itself. The environment may
        // override it.
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

    /// Forwards events and executes orders until `Stop`.
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
                    self.execute(order);
                    // One pump for each state, regardless of the drain below: SDL samples virtual joysticks only
                    // here.
                    self.pump.pump_events();
                }
                None => {}
            }
            // Drain all events, so SDL's own state matches them. A poll ends at a marker that SDL puts behind what it
            // read; more may have arrived behind it.
            loop {
                match events::poll(&mut self.pump) {
                    Some(convert) => self.devices.handle(convert),
                    None if events::waits(&self.pump) => {}
                    None => break,
                }
            }
            let requests = self.inbox.requests();
            let now = now().saturating_duration_since(self.started);
            self.devices.maintain(now, requests);
            self.devices.end_batch(now);
        }
    }

    fn execute(&mut self, order: Order) {
        let joysticks = &self.devices.joysticks;
        match order {
            Order::Plug { device, reply, wanted } => {
                if wanted.strong_count() == 0 {
                    return; // the caller has stopped waiting
                }
                let rest = device.rest();
                let outcome = self.pads.attach(joysticks, device);
                let pad = outcome.map(|id| VirtualPad::new(Arc::clone(&self.inbox), id, rest));
                let _ = reply.send(pad); // if the caller stopped waiting just now, the pad is dropped and disconnected
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
            Order::ReportStates => self.devices.request_states(),
            Order::Stop => {} // handled before
        }
    }
}

/// A caller that waits for a reply must receive a disconnection, however the thread ends.
impl<Sink> Drop for SdlThread<Sink> {
    fn drop(&mut self) {
        self.inbox.close();
    }
}

#[allow(
    clippy::disallowed_methods,
    reason = "this thread times its battery checks by the clock, which the sink never sees"
)]
fn now() -> Instant {
    Instant::now()
}
