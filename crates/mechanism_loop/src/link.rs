use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use mechanism::controllers::{Change, ControlLoop, Manager};
use mechanism::robot::{HaltGate, Hardware};
use mechanism::{Recorder, Snapshot};
use realtime::{LONGEST_SILENCE, Mailbox, Periodic, Pulse, RealTime, Refused, Timing};
use rtrb::{Consumer, Producer, RingBuffer};
use safety::Instant;

use crate::cycle::{Body, Event};
use crate::delivery::{Deliveries, deliveries};

/// How many events may wait outside it.
const MOST_EVENTS: usize = 1024;
/// How many reports are on their way at once.
const SNAPSHOTS: usize = 3;

/// How the loop runs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The time between two steps.
    pub period: Duration,
    /// How often a report is marked for `joint_states` \[Hz\].
    pub joint_state_rate: f64,
    /// How often a report is marked for `mechanism_statistics` \[Hz\].
    pub statistics_rate: f64,
    /// Whether the motors are halted from the start.
    pub is_halted: bool,
    /// Requests of the thread to the operating system.
    pub real_time: RealTime,
}

/// A running loop, and the ways to it.
pub struct Control {
    /// The thread. When it is dropped it ends after its present cycle; the last command of every actuator is an effort of zero.
    pub thread: Periodic,
    /// How well it keeps its times.
    pub timing: Arc<Timing>,
    /// Requests that the operating system refused.
    pub refused: Vec<Refused>,
    /// Changes and halts.
    pub commands: Commands,
    /// Messages to controllers.
    pub deliveries: Deliveries,
    /// Events that the loop reports.
    pub events: Events,
}

/// State that the node and the loop share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) change: Mailbox<Change>,
    pub(crate) is_halt_wanted: AtomicBool,
    pub(crate) resets: AtomicU64,
    /// The sign of life of the node, which reads the stops.
    pub(crate) node: Pulse,
}

/// Changes and halts of the motors, from any thread.
#[derive(Clone, Debug)]
pub struct Commands(Arc<Shared>);

impl Commands {
    /// Passes a change to the loop; there is one at a time.
    pub fn submit(&self, change: Box<Change>) {
        drop(self.0.change.put(change));
    }

    /// Takes the change back, if the loop has not taken it yet.
    pub fn withdraw(&self) -> Option<Box<Change>> {
        self.0.change.take()
    }

    /// Gives the node's sign of life: every message that was there is delivered. The loop halts the motors before the first one, and
    /// while the last one is older than [`LONGEST_SILENCE`].
    pub fn beat(&self, now: Instant) {
        self.0.node.beat_at(now);
    }

    /// Halts all motors in the next cycle, and until a reset.
    pub fn halt(&self) {
        self.0.is_halt_wanted.store(true, Ordering::SeqCst);
    }

    /// Ends a halt and begins a reset of the motors.
    pub fn reset(&self) {
        self.0.resets.fetch_add(1, Ordering::SeqCst);
        self.0.is_halt_wanted.store(false, Ordering::SeqCst);
    }
}

/// Queue of the loop's events, for one thread.
pub struct Events {
    events: Consumer<Event>,
    free: Producer<Box<Snapshot>>,
}

impl Events {
    /// The next event.
    pub fn take(&mut self) -> Option<Event> {
        self.events.pop().ok()
    }

    /// Gives a report back to the loop.
    pub fn recycle(&mut self, snapshot: Box<Snapshot>) {
        let _ = self.free.push(snapshot); // there is room for all of them
    }
}

/// Starts the loop of `control` and `hardware` on a thread of its own.
/// # Errors
/// The operating system refuses the thread.
pub fn start(control: ControlLoop, hardware: Box<dyn Hardware>, settings: &Settings) -> io::Result<Control> {
    let (mut body, commands, deliveries, events) = link(control, hardware, settings);
    let (real_time, timing) = (settings.real_time.clone(), Arc::<Timing>::default());
    let cycle = move |cycle| body.cycle(cycle);
    let (thread, refused) =
        Periodic::start("control", real_time, settings.period, Arc::clone(&timing), cycle)?;
    Ok(Control { thread, timing, refused, commands, deliveries, events })
}

/// The loop's side and the other ends of its queues.
pub fn link(
    control: ControlLoop,
    hardware: Box<dyn Hardware>,
    settings: &Settings,
) -> (Body, Commands, Deliveries, Events) {
    let shared = Arc::new(Shared {
        change: Mailbox::default(),
        is_halt_wanted: AtomicBool::new(settings.is_halted),
        resets: AtomicU64::new(0),
        node: Pulse::new(LONGEST_SILENCE),
    });
    let (deliveries, inbox) = deliveries();
    let (events, reported) = RingBuffer::new(MOST_EVENTS);
    let (mut given, free) = RingBuffer::new(SNAPSHOTS);
    for _ in 0..SNAPSHOTS {
        let _ = given.push(Box::new(Snapshot::new(&control.robot, Manager::MOST_CONTROLLERS)));
    }
    let body = Body {
        recorder: Recorder::new(settings.joint_state_rate, settings.statistics_rate, realtime::now()),
        control,
        hardware,
        shared: Arc::clone(&shared),
        inbox,
        events,
        free,
        snapshot: None,
        gate: HaltGate::default(),
        was_held: false,
        period: settings.period,
    };
    (body, Commands(shared), deliveries, Events { events: reported, free: given })
}
