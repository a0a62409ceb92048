use core::time::Duration;
use std::collections::VecDeque;

use safety::{Instant, Stamp, earliest};

use crate::device::{AXES, Device, is_end};
use crate::mapping::{unit, without_dead_zone};
use crate::{JoyParams, JoyState, Output};

/// Capacity of the queue before it grows; a batch has few edges.
const CAPACITY: usize = 32;

/// Publishes the driving device on `joy` and `~/connected`.
///
/// * Each change of a button or a hat is published at once, in a message of its own, so no press is lost.
/// * The first move of an axis waits for `coalesce_interval`; all moves within it are published as one message. A
///   move without change beyond the dead zone is ignored.
/// * Repeats lie on a grid of `1 / autorepeat_rate` that starts when the device starts to drive. Other messages
///   neither move the grid nor replace a repeat: a subscriber may treat silence as a loss. Repeats that were not polled in time are skipped.
/// * A device that stops driving is published as released.
/// * Without a subscriber no move and no repeat is due. Buttons, hats and the released state are published all the same, since a new
///   subscriber is noticed later than it receives. When it is noticed, the current state is published.
///
/// # Source
/// The ROS 2 `joy` package; own: the exact grid, hats that release one direction, the message at the end, the
/// one for a new subscriber.
#[derive(Clone, Debug)]
pub(crate) struct Joy {
    params: JoyParams,
    /// The number of subscribers of `joy`.
    subscribers: usize,
    /// The current state of the driving device.
    state: Option<State>,
    /// When unpublished axis moves are due.
    moves_due: Option<Instant>,
    grid: Option<Grid>,
    /// The value last published on `~/connected`.
    connected: bool,
    waiting: VecDeque<Message>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    now: Snapshot,
    /// The message published when the device is lost.
    neutral: Snapshot,
    /// The stamp of the last event.
    stamp: Stamp,
}

#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant)] // a box would allocate for each message
enum Message {
    Joy(Stamp, Snapshot),
    Connected(bool),
}

/// A [`JoyState`] that is copied without allocation.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Snapshot {
    axes: [f32; AXES],
    /// The number of axes.
    width: usize,
    /// One bit for each button.
    pressed: u128,
    buttons: usize,
}

/// Instants with a fixed period. They are computed from a count, not summed, so their mean rate is exact.
#[derive(Clone, Copy, Debug)]
struct Grid {
    origin: Instant,
    rate: f64,
    /// The count of the next instant.
    next: u64,
}

impl Joy {
    /// No device drives yet, which is published.
    pub(crate) fn new(params: JoyParams) -> Self {
        let mut waiting = VecDeque::with_capacity(CAPACITY);
        waiting.push_back(Message::Connected(false));
        Self { params, subscribers: 0, state: None, moves_due: None, grid: None, connected: false, waiting }
    }

    /// Publishes what was due before `now`, and the repeat of `now`. Must be called before any other event of `now`.
    pub(crate) fn advance(&mut self, now: Instant, stamp: Stamp) {
        let repeat = self.grid.and_then(|grid| grid.at()).filter(|&at| at <= now);
        // Both may be due; in the order in which they were.
        let moves = self.moves_due.is_some_and(|due| due < now && repeat.is_none_or(|at| due <= at));
        if !moves && repeat.is_none() {
            return;
        }
        let Some(state) = self.state else { return };
        if moves {
            self.publish(state.stamp, state.now);
        }
        if repeat.is_some() {
            if self.subscribers > 0 {
                self.publish(stamp, state.now);
            }
            if let Some(grid) = &mut self.grid {
                grid.skip_to(now);
            }
        }
    }

    /// Publishes what is due at `now`, after all events of `now`, so it includes them.
    pub(crate) fn finish(&mut self, now: Instant, stamp: Stamp) {
        self.advance(now, stamp);
        if self.moves_due.is_some_and(|due| due <= now)
            && let Some(state) = self.state
        {
            self.publish(state.stamp, state.now);
        }
    }

    /// Whether a device drives.
    pub(crate) fn has_device(&self) -> bool {
        self.state.is_some()
    }

    /// `device` starts to drive.
    pub(crate) fn begin(&mut self, now: Instant, stamp: Stamp, device: &Device) {
        let (mut snapshot, mut neutral) = (Snapshot::default(), Snapshot::default());
        snapshot.update(device, self.params.dead_zone);
        neutral.release_all(device, self.params.dead_zone);
        self.state = Some(State { now: snapshot, neutral, stamp });
        self.grid = Grid::new(now, self.params.autorepeat_rate);
        self.publish_connected(true);
        self.publish(stamp, snapshot);
    }

    /// The driving device changed; `at_once` for a button or a hat.
    pub(crate) fn update(&mut self, now: Instant, stamp: Stamp, device: &Device, at_once: bool) {
        let Some(state) = &mut self.state else { return };
        state.neutral.release_all(device, self.params.dead_zone);
        if !state.now.update(device, self.params.dead_zone) {
            return;
        }
        state.stamp = stamp;
        let snapshot = state.now;
        if at_once {
            self.publish(stamp, snapshot);
        } else if self.subscribers > 0 && self.moves_due.is_none() {
            let wait = Duration::try_from_secs_f64(self.params.coalesce_interval).unwrap_or_default();
            self.moves_due = Some(now + wait);
        }
    }

    /// `joy` has so many subscribers now.
    pub(crate) fn count_subscribers(&mut self, stamp: Stamp, subscribers: usize) {
        let before = core::mem::replace(&mut self.subscribers, subscribers);
        if subscribers == 0 {
            self.moves_due = None;
        }
        if subscribers > before
            && let Some(state) = self.state
        {
            self.publish(stamp, state.now);
        }
    }

    /// The device stopped driving and is published as released. `gone` means that no other device replaces it.
    pub(crate) fn lose(&mut self, stamp: Stamp, gone: bool) {
        if let Some(state) = self.state.take() {
            self.publish(stamp, state.neutral);
            if gone {
                self.publish_connected(false);
            }
        }
        self.grid = None;
    }

    /// Applies new parameters; `device` is the driving device.
    pub(crate) fn configure(
        &mut self,
        now: Instant,
        stamp: Stamp,
        params: &JoyParams,
        device: Option<&Device>,
    ) {
        let before = core::mem::replace(&mut self.params, *params);
        if before.autorepeat_rate != params.autorepeat_rate {
            self.grid = self.state.and_then(|_| Grid::new(now, params.autorepeat_rate));
        }
        if let Some(device) = device {
            self.update(now, stamp, device, false);
        }
    }

    /// The next message.
    pub(crate) fn poll(&mut self) -> Option<Output> {
        Some(match self.waiting.pop_front()? {
            Message::Connected(connected) => Output::PublishConnected(connected),
            Message::Joy(stamp, snapshot) => Output::PublishJoy(snapshot.state(stamp)),
        })
    }

    /// When [`finish`](Self::finish) has something to publish.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let grid = self.grid.filter(|_| self.subscribers > 0);
        earliest(self.moves_due, grid.and_then(|grid| grid.at()))
    }

    fn publish_connected(&mut self, connected: bool) {
        if self.connected != connected {
            self.connected = connected;
            self.waiting.push_back(Message::Connected(connected));
        }
    }

    /// Each message has the complete state, so no move remains to be published.
    fn publish(&mut self, stamp: Stamp, snapshot: Snapshot) {
        self.moves_due = None;
        self.waiting.push_back(Message::Joy(stamp, snapshot));
    }
}

impl Default for Snapshot {
    fn default() -> Self {
        Self { axes: [0.0; AXES], width: 0, pressed: 0, buttons: 0 }
    }
}

impl Snapshot {
    /// Copies axes and buttons, and returns whether anything changed. Axes that are not hats come first, then each
    /// hat as left-right, up-down. A hat of which only one half is processed is omitted.
    fn update(&mut self, device: &Device, dead_zone: f64) -> bool {
        let raw = &device.state().axes;
        let (plain, hats) = raw.split_at(device.plain_axes());
        let hats = hats.chunks_exact(2).flat_map(|hat| hat.iter().rev());
        let (mut width, mut is_other) = (0, false);
        for (axis, &raw) in self.axes.iter_mut().zip(plain.iter().chain(hats)) {
            let value = scaled(raw, dead_zone);
            is_other |= *axis != value;
            *axis = value;
            width += 1;
        }
        let (pressed, buttons) = (down(device), device.state().buttons.len());
        is_other |= (self.width, self.pressed, self.buttons) != (width, pressed, buttons);
        (self.width, self.pressed, self.buttons) = (width, pressed, buttons);
        is_other
    }

    /// Represents the device released: sticks centred, hats centred, buttons up, and triggers at rest, since the
    /// centre of a trigger is half pressed.
    fn release_all(&mut self, device: &Device, dead_zone: f64) {
        let rest = device.rest().iter().map(|&rest| if is_end(rest) { scaled(rest, dead_zone) } else { 0.0 });
        for (axis, rest) in self.axes.iter_mut().zip(rest) {
            *axis = rest;
        }
        let halves = device.state().axes.len() - device.plain_axes();
        self.width = (device.state().axes.len() - halves % 2).min(AXES);
        self.buttons = device.state().buttons.len();
    }

    fn state(&self, stamp: Stamp) -> JoyState {
        JoyState {
            stamp,
            axes: self.axes.iter().copied().take(self.width).collect(),
            buttons: (0..self.buttons).map(|button| i32::from(self.pressed >> button & 1 == 1)).collect(),
        }
    }
}

/// Left and up are positive. The value is subtracted from zero, not negated, which avoids -0.0 on the wire.
fn scaled(raw: i16, dead_zone: f64) -> f32 {
    (0.0 - without_dead_zone(unit(raw), dead_zone)) as f32
}

fn down(device: &Device) -> u128 {
    let buttons = device.state().buttons.iter().enumerate();
    buttons.fold(0, |down, (button, &pressed)| down | u128::from(pressed).unbounded_shl(button as u32))
}

impl Grid {
    /// # Source
    /// The maximum rate is that of the parameter: a grid finer than the clock would never end.
    fn new(origin: Instant, rate: f64) -> Option<Self> {
        (rate > 0.0).then_some(Self { origin, rate: rate.min(1000.0), next: 1 })
    }

    /// The next instant; `None` beyond the end of time.
    fn at(&self) -> Option<Instant> {
        // The cast saturates.
        let at = self.origin + Duration::from_nanos((self.next as f64 * 1e9 / self.rate) as u64);
        (at < Instant::from_nanos(u64::MAX)).then_some(at)
    }

    /// Advances to the first instant after `now`.
    fn skip_to(&mut self, now: Instant) {
        let passed = (now.since(self.origin).as_secs_f64() * self.rate) as u64;
        // One less in case rounding made it one too many; then at most three steps.
        self.next = self.next.max(passed.saturating_sub(1));
        while self.at().is_some_and(|at| at <= now) {
            self.next = self.next.saturating_add(1);
        }
    }
}
