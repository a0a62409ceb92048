use core::time::Duration;
use std::collections::VecDeque;

use units::{Instant, Stamp, earliest};

use crate::device::{AXES, Device, is_end};
use crate::mapping::{unit, without_dead_zone};
use crate::{JoyParams, JoyState, Output};

/// How many messages may wait before the queue grows: a batch has few edges.
const ROOM: usize = 32;

/// What `joy` and `~/connected` say of the device that drives.
///
/// * A button or a hat that changes is told at once, each change in a message of its own, so that no press is lost.
/// * The first move of an axis waits for `coalesce_interval`; all moves within it leave as one message. A move that
///   changes nothing beyond the dead zone is none.
/// * Repeats lie on a grid of `1 / autorepeat_rate` that begins when the device gets to drive. Nothing that is told in
///   between moves the grid or takes the place of a repeat; those that nobody polled in time are skipped.
/// * A device that drives no more is told as let go.
///
/// # Source
/// The ROS 2 `joy` package; own: the exact grid, hats that let go of one direction, the message at the end.
#[derive(Clone, Debug)]
pub(crate) struct Joy {
    params: JoyParams,
    /// The device that drives, as it is now.
    state: Option<State>,
    /// When the moves of axes that were not told yet are due.
    moves_due: Option<Instant>,
    grid: Option<Grid>,
    /// What `~/connected` said last.
    connected: bool,
    waiting: VecDeque<Message>,
}

#[derive(Clone, Copy, Debug)]
struct State {
    now: Picture,
    /// What is told when the device is lost.
    neutral: Picture,
    /// Of the last event.
    stamp: Stamp,
}

#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant)] // a box would be an allocation for each message
enum Message {
    Joy(Stamp, Picture),
    Connected(bool),
}

/// A [`JoyState`] that is copied without allocation.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Picture {
    axes: [f32; AXES],
    /// How many of the axes there are.
    width: usize,
    /// A bit each.
    pressed: u128,
    buttons: usize,
}

/// Instants a fixed time apart, counted and not added up, so that their mean rate is exact.
#[derive(Clone, Copy, Debug)]
struct Grid {
    origin: Instant,
    rate: f64,
    /// The number of the next one.
    next: u64,
}

impl Joy {
    /// No device drives yet, which is said.
    pub(crate) fn new(params: JoyParams) -> Self {
        let mut waiting = VecDeque::with_capacity(ROOM);
        waiting.push_back(Message::Connected(false));
        Self { params, state: None, moves_due: None, grid: None, connected: false, waiting }
    }

    /// Tells what was due before `now`, and the repeat of `now`. To be called before anything else that happens then.
    pub(crate) fn advance(&mut self, now: Instant, stamp: Stamp) {
        let repeat = self.grid.and_then(|grid| grid.at()).filter(|&at| at <= now);
        // Both may be due; in the order in which they were.
        let moves = self.moves_due.is_some_and(|due| due < now && repeat.is_none_or(|at| due <= at));
        if !moves && repeat.is_none() {
            return;
        }
        let Some(state) = self.state else { return };
        if moves {
            self.tell(state.stamp, state.now);
        }
        if repeat.is_some() {
            self.tell(stamp, state.now);
            if let Some(grid) = &mut self.grid {
                grid.skip_to(now);
            }
        }
    }

    /// The same after all that happened at `now`: what is due now has everything that belongs to it.
    pub(crate) fn finish(&mut self, now: Instant, stamp: Stamp) {
        self.advance(now, stamp);
        if self.moves_due.is_some_and(|due| due <= now)
            && let Some(state) = self.state
        {
            self.tell(state.stamp, state.now);
        }
    }

    /// `device` gets to drive.
    pub(crate) fn begin(&mut self, now: Instant, stamp: Stamp, device: &Device) {
        let (mut picture, mut neutral) = (Picture::default(), Picture::default());
        picture.take(device, self.params.dead_zone);
        neutral.let_go(device, self.params.dead_zone);
        self.state = Some(State { now: picture, neutral, stamp });
        self.grid = Grid::new(now, self.params.autorepeat_rate);
        self.tell_connected(true);
        self.tell(stamp, picture);
    }

    /// Something happened to the device that drives; `at_once` for a button or a hat.
    pub(crate) fn look(&mut self, now: Instant, stamp: Stamp, device: &Device, at_once: bool) {
        let Some(state) = &mut self.state else { return };
        state.neutral.let_go(device, self.params.dead_zone);
        if !state.now.take(device, self.params.dead_zone) {
            return;
        }
        state.stamp = stamp;
        let picture = state.now;
        if at_once {
            self.tell(stamp, picture);
        } else if self.moves_due.is_none() {
            let wait = Duration::try_from_secs_f64(self.params.coalesce_interval).unwrap_or_default();
            self.moves_due = Some(now + wait);
        }
    }

    /// The device that drove does so no more: all of it is let go. `gone` where no other takes its place at once.
    pub(crate) fn lose(&mut self, stamp: Stamp, gone: bool) {
        if let Some(state) = self.state.take() {
            self.tell(stamp, state.neutral);
            if gone {
                self.tell_connected(false);
            }
        }
        self.grid = None;
    }

    /// Takes new parameters, with the device that drives.
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
            self.look(now, stamp, device, false);
        }
    }

    /// The next message.
    pub(crate) fn poll(&mut self) -> Option<Output> {
        Some(match self.waiting.pop_front()? {
            Message::Connected(connected) => Output::PublishConnected(connected),
            Message::Joy(stamp, picture) => Output::PublishJoy(picture.state(stamp)),
        })
    }

    /// When [`finish`](Self::finish) has something to tell.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        earliest(self.moves_due, self.grid.and_then(|grid| grid.at()))
    }

    fn tell_connected(&mut self, connected: bool) {
        if self.connected != connected {
            self.connected = connected;
            self.waiting.push_back(Message::Connected(connected));
        }
    }

    /// Every message has all that is known, so that no move is left to tell.
    fn tell(&mut self, stamp: Stamp, picture: Picture) {
        self.moves_due = None;
        self.waiting.push_back(Message::Joy(stamp, picture));
    }
}

impl Default for Picture {
    fn default() -> Self {
        Self { axes: [0.0; AXES], width: 0, pressed: 0, buttons: 0 }
    }
}

impl Picture {
    /// Takes axes and buttons; whether anything is another than before. First the axes that are none of a hat, then each hat as
    /// left-right, up-down. A hat of which only one half is looked at is left out.
    fn take(&mut self, device: &Device, dead_zone: f64) -> bool {
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

    /// Becomes the same device let go: sticks in their middle, hats centred, buttons up, triggers where they rest, for their middle is
    /// half pressed.
    fn let_go(&mut self, device: &Device, dead_zone: f64) {
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

/// Left and up are positive. Taken from zero, not negated: no -0.0 on the wire.
fn scaled(raw: i16, dead_zone: f64) -> f32 {
    (0.0 - without_dead_zone(unit(raw), dead_zone)) as f32
}

fn down(device: &Device) -> u128 {
    let buttons = device.state().buttons.iter().enumerate();
    buttons.fold(0, |down, (button, &pressed)| down | u128::from(pressed).unbounded_shl(button as u32))
}

impl Grid {
    /// # Source
    /// The largest rate is that of the parameter: a grid finer than the clock would never end.
    fn new(origin: Instant, rate: f64) -> Option<Self> {
        (rate > 0.0).then_some(Self { origin, rate: rate.min(1000.0), next: 1 })
    }

    /// When the next one is; `None` beyond the end of time.
    fn at(&self) -> Option<Instant> {
        // A cast ends at the largest number where the quotient is beyond it.
        let at = self.origin + Duration::from_nanos((self.next as f64 * 1e9 / self.rate) as u64);
        (at < Instant::from_nanos(u64::MAX)).then_some(at)
    }

    /// Goes on to the first one after `now`.
    fn skip_to(&mut self, now: Instant) {
        let passed = (now.since(self.origin).as_secs_f64() * self.rate) as u64;
        // One less, should rounding have made it one more; then by steps, of which there are three at most.
        self.next = self.next.max(passed.saturating_sub(1));
        while self.at().is_some_and(|at| at <= now) {
            self.next = self.next.saturating_add(1);
        }
    }
}
