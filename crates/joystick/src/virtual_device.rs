use core::time::Duration;

use units::{Clock, Freshness, Instant, MessageTime, Stale, Stamp};

use crate::{DeviceId, Hat, Input, Report};

/// Axes, buttons and hats of the virtual device: those of a common pad.
const AXES: usize = 6;
const BUTTONS: usize = 11;
const HATS: usize = 1;
/// What a state of it has, hats as two axes.
const ENTRIES: usize = AXES + 2 * HATS;

/// Without a new state for so long, nobody moves the virtual device any more, and it is unplugged.
const SILENCE: Duration = Duration::from_millis(500);

/// Its instance id, which SDL gives to nobody.
pub(crate) const ID: DeviceId = DeviceId(u32::MAX);
/// What stands in the place of SDL's GUID of a model.
const GUID: &str = "virtual";

/// How the virtual device is to be held: axes, with the hat's vertical and horizontal half behind them, and buttons. What
/// is missing at the end is at rest; nothing at all unplugs it.
///
/// # Source
/// or_joystick `state`, in the order in which a device's port carries it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VirtualState {
    /// When this was so; zero: now.
    pub stamp: Stamp,
    /// Raw values, at most 8: six axes, then the hat's vertical and horizontal half.
    pub axes: Vec<i16>,
    /// Pressed or not, at most 11.
    pub buttons: Vec<bool>,
}

/// What becomes of a state.
#[allow(clippy::large_enum_variant)] // made and taken apart at once
enum Check {
    Taken,
    /// It was overtaken on the way, which is no fault.
    Late,
    Refused(Report),
}

/// The virtual device of `~/virtual_device`: there as long as states of it come.
///
/// It comes at rest and is moved in the same batch: an axis that is held at the plug was not at rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct VirtualDevice {
    /// Empty: there is none.
    name: String,
    freshness: Freshness,
    /// Since when it is held so; `None`: unplugged.
    held: Option<MessageTime>,
    axes: Vec<i16>,
    buttons: Vec<bool>,
    /// Why states are refused, until one is taken.
    refused: Option<Report>,
    /// How many publish its states.
    publishers: usize,
}

impl VirtualDevice {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The batch of events that `state` makes of it, and a reason where it is refused anew.
    pub(crate) fn set(&mut self, clock: &Clock, state: VirtualState) -> (Vec<Input>, Option<Report>) {
        if self.publishers > 1 {
            return (Vec::new(), None);
        }
        match self.check(clock, &state) {
            Check::Taken => self.refused = None,
            Check::Late => return (Vec::new(), None),
            Check::Refused(report) => {
                let is_news = self.refused.as_ref() != Some(&report);
                self.refused = Some(report.clone());
                return (Vec::new(), is_news.then_some(report));
            }
        }
        if state.axes.is_empty() && state.buttons.is_empty() {
            return (self.unplug(), None);
        }
        let VirtualState { mut axes, mut buttons, .. } = state;
        axes.resize(ENTRIES, 0);
        buttons.resize(BUTTONS, false);
        let mut events = Vec::new();
        if self.axes.is_empty() {
            // Buttons that are down at the plug count from their next press on.
            (self.axes, self.buttons) = (vec![0; ENTRIES], buttons.clone());
            events.push(Input::DeviceConnected {
                id: ID,
                name: self.name.clone(),
                guid: GUID.into(),
                serial: String::new(),
                path: String::new(),
                links: Vec::new(),
                axes: vec![0; AXES],
                buttons: buttons.clone(),
                hats: vec![Hat::default(); HATS],
            });
            events.push(Input::TriggersKnown { id: ID, axes: Vec::new() });
        }
        for (axis, (&before, &value)) in self.axes.iter().zip(&axes).take(AXES).enumerate() {
            if before != value {
                events.push(Input::AxisMoved { id: ID, axis, value });
            }
        }
        let halves = |axes: &[i16]| axes.get(AXES..).map(hat).unwrap_or_default();
        if halves(&self.axes) != halves(&axes) {
            events.push(Input::HatMoved { id: ID, hat: 0, state: halves(&axes) });
        }
        for (button, (&before, &pressed)) in self.buttons.iter().zip(&buttons).enumerate() {
            if before != pressed {
                events.push(Input::ButtonChanged { id: ID, button, pressed });
            }
        }
        (self.axes, self.buttons) = (axes, buttons);
        if !events.is_empty() {
            events.push(Input::BatchEnded);
        }
        (events, None)
    }

    /// So many publish its states; the batch of events by which it goes while that is more than one.
    pub(crate) fn count(&mut self, publishers: usize) -> Vec<Input> {
        self.publishers = publishers;
        if publishers > 1 { self.unplug() } else { Vec::new() }
    }

    fn check(&mut self, clock: &Clock, state: &VirtualState) -> Check {
        if self.name.is_empty() {
            return Check::Refused(Report::VirtualUnnamed);
        }
        let (axes, buttons) = (state.axes.len(), state.buttons.len());
        if axes > ENTRIES || buttons > BUTTONS {
            return Check::Refused(Report::VirtualTooBig { axes, buttons });
        }
        match self.freshness.judge(clock, state.stamp, SILENCE) {
            Ok(said) => {
                self.held = Some(said);
                Check::Taken
            }
            Err(Stale::Late) => Check::Late,
            Err(_) => Check::Refused(Report::VirtualStale),
        }
    }

    /// The batch of events by which it goes when it is silent for too long.
    pub(crate) fn expire(&mut self, now: Instant) -> Option<Vec<Input>> {
        let is_silent = !self.axes.is_empty() && self.held.is_some_and(|said| said.is_expired(now, SILENCE));
        is_silent.then(|| self.unplug())
    }

    /// When it goes if nothing comes.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.held.filter(|_| !self.axes.is_empty()).map(|said| said.expiry(SILENCE))
    }

    fn unplug(&mut self) -> Vec<Input> {
        self.held = None;
        self.buttons.clear();
        if core::mem::take(&mut self.axes).is_empty() {
            return Vec::new();
        }
        vec![Input::DeviceDisconnected { id: ID }, Input::BatchEnded]
    }
}

/// Where a hat points whose two halves are these: beyond half of the way counts.
fn hat(halves: &[i16]) -> Hat {
    const HALF: i16 = i16::MAX / 2;
    let [vertical, horizontal] = [0, 1].map(|half| halves.get(half).copied().unwrap_or(0));
    Hat { up: vertical < -HALF, down: vertical > HALF, left: horizontal < -HALF, right: horizontal > HALF }
}
