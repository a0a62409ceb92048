//! What happens on the SDL thread: wait, obey, drain, forward.

use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::time::Duration;

use sdl2::event::Event as SdlEvent;
use sdl2::hint::{Hint, set_with_priority};
use sdl2::{EventPump, JoystickSubsystem};

use crate::device::Known;
use crate::event::{Event, Hat};
use crate::sdl::{self, Handle};
use crate::virtual_pad::VirtualState;

/// What the other threads ask of the SDL thread.
#[derive(Debug)]
pub(crate) enum Command {
    /// Make a virtual joystick with so many axes, buttons and hats; answers its instance id, or SDL's refusal.
    Plug { name: CString, counts: [u16; 3], reply: Sender<Result<u32, String>> },
    /// Let a virtual joystick show this state, whose lengths are the pad's.
    Set { id: u32, state: VirtualState },
    /// Remove a virtual joystick.
    Unplug { id: u32 },
    /// Leave [`SdlThread::run`].
    Stop,
}

/// SDL, the open devices and the sink. Lives and dies on one thread.
///
/// The fields are dropped in this order: handles first, SDL itself last.
pub(crate) struct SdlThread<Sink> {
    devices: Devices<Sink>,
    pump: EventPump,
    inbox: Receiver<Command>,
    virtual_pads: usize,
    passes: Arc<AtomicU64>,
}

/// How long SDL waits for an event while no virtual joystick is plugged in. SDL looks every millisecond all the same,
/// so a shorter wait costs nothing, and a stop or a first virtual joystick has to wait no longer than this.
const WAIT_MS: u32 = 10;

/// How often devices are read while there are virtual joysticks: as often as SDL's own wait does it.
const POLL: Duration = Duration::from_millis(1);

impl<Sink: FnMut(Event)> SdlThread<Sink> {
    /// Starts SDL on this thread.
    pub(crate) fn start(
        inbox: Receiver<Command>,
        passes: Arc<AtomicU64>,
        sink: Sink,
    ) -> Result<Self, String> {
        // SDL would take SIGINT and SIGTERM and turn them into an event that nobody reads: the process would not end.
        set_with_priority("SDL_NO_SIGNAL_HANDLERS", "1", &Hint::Override);
        // Without a window there is no focus either; this says that none is needed.
        set_with_priority("SDL_JOYSTICK_ALLOW_BACKGROUND_EVENTS", "1", &Hint::Override);
        let context = sdl2::init()?;
        let joysticks = context.joystick()?;
        joysticks.set_event_state(true);
        let pump = context.event_pump()?;
        let devices = Devices { open: Vec::new(), joysticks, sink, batch: false };
        Ok(SdlThread { devices, pump, inbox, virtual_pads: 0, passes })
    }

    /// Forwards events and obeys commands until `Stop`.
    pub(crate) fn run(&mut self) {
        loop {
            self.passes.fetch_add(1, Ordering::Relaxed);
            let mut first = None;
            let command = if self.virtual_pads == 0 {
                match self.inbox.try_recv() {
                    Ok(command) => Some(command),
                    Err(TryRecvError::Disconnected) => return,
                    Err(TryRecvError::Empty) => {
                        first = self.pump.wait_event_timeout(WAIT_MS);
                        None
                    }
                }
            } else {
                // SDL's wait would only be looked at every millisecond; this one wakes at once for a queued state.
                match self.inbox.recv_timeout(POLL) {
                    Ok(command) => Some(command),
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => None,
                }
            };
            match command {
                Some(Command::Stop) => return,
                Some(command) => {
                    self.obey(command);
                    // One pump for each state, whatever the drain below does: SDL samples virtual joysticks only here.
                    self.pump.pump_events();
                }
                None => {}
            }
            for event in first.into_iter().chain(self.pump.poll_iter()) {
                self.devices.handle(event);
            }
            self.devices.end_batch();
        }
    }

    fn obey(&mut self, command: Command) {
        let joysticks = &self.devices.joysticks;
        match command {
            Command::Plug { name, counts, reply } => {
                let outcome = sdl::attach(joysticks, &name, counts);
                self.virtual_pads += usize::from(outcome.is_ok());
                let _ = reply.send(outcome); // whoever asked may be gone, which only leaves the pad plugged in
            }
            Command::Set { id, state } => {
                if !sdl::set(joysticks, id, &state) {
                    log::debug!("virtual joystick {id} is not open, its state is lost");
                }
            }
            Command::Unplug { id } => {
                if sdl::detach(joysticks, id) {
                    self.virtual_pads = self.virtual_pads.saturating_sub(1);
                } else {
                    log::warn!("virtual joystick {id} could not be unplugged");
                }
            }
            Command::Stop => {} // seen before
        }
    }
}

/// The open devices, and the sink that hears of them.
struct Devices<Sink> {
    open: Vec<(Handle, Known)>,
    joysticks: JoystickSubsystem,
    sink: Sink,
    batch: bool,
}

impl<Sink: FnMut(Event)> Devices<Sink> {
    fn handle(&mut self, event: SdlEvent) {
        match event {
            // The only event that carries an index; all others carry the instance id.
            SdlEvent::JoyDeviceAdded { which: index, .. } => self.connect(index),
            SdlEvent::JoyDeviceRemoved { which: id, .. } => self.disconnect(id),
            SdlEvent::JoyAxisMotion { which: id, axis_idx, value, .. } => {
                self.change(id, |known| known.axis(axis_idx.into(), value));
            }
            SdlEvent::JoyButtonDown { which: id, button_idx, .. } => {
                self.change(id, |known| known.button(button_idx.into(), true));
            }
            SdlEvent::JoyButtonUp { which: id, button_idx, .. } => {
                self.change(id, |known| known.button(button_idx.into(), false));
            }
            SdlEvent::JoyHatMotion { which: id, hat_idx, state, .. } => {
                self.change(id, |known| known.hat(hat_idx.into(), Hat::from_bits(state.to_raw())));
            }
            _ => {}
        }
    }

    fn connect(&mut self, index: u32) {
        let handle = match Handle::open(&self.joysticks, index) {
            Ok(handle) => handle,
            Err(reason) => {
                log::warn!("a joystick cannot be opened and is ignored: {reason}");
                return;
            }
        };
        let id = handle.id();
        if self.open.iter().any(|(open, _)| open.id() == id) {
            return; // SDL counts how often a device is open; dropping `handle` takes this one back
        }
        // Read before anything else happens: these are the true values at rest, for which SDL sends no events.
        let known = Known::new(id, handle.axes(), handle.buttons(), handle.hats());
        let connected = known.connected(handle.name(), handle.guid());
        self.open.push((handle, known));
        self.tell(connected);
    }

    fn disconnect(&mut self, id: u32) {
        // Unknown if it could not be opened.
        if let Some(position) = self.open.iter().position(|(handle, _)| handle.id() == id) {
            self.open.remove(position);
            self.tell(Event::Disconnected { id });
        }
    }

    fn change(&mut self, id: u32, change: impl FnOnce(&mut Known) -> Option<Event>) {
        let device = self.open.iter_mut().find(|(handle, _)| handle.id() == id);
        if let Some(event) = device.and_then(|(_, known)| change(known)) {
            self.tell(event);
        }
    }

    fn tell(&mut self, event: Event) {
        self.batch = true;
        (self.sink)(event);
    }

    fn end_batch(&mut self) {
        if std::mem::take(&mut self.batch) {
            (self.sink)(Event::BatchEnded);
        }
    }
}
