use core::time::Duration;

use safety::{Clock, Freshness, Instant, MessageTime, PublisherCount, Stale, Stamp};

use crate::{DeviceId, Hat, Input, Report};

/// Numbers of axes, buttons and hats of the virtual device: those of a common pad.
const AXES: usize = 6;
const BUTTONS: usize = 11;
const HATS: usize = 1;
/// The number of axes in a state, hats as two.
const ENTRIES: usize = AXES + 2 * HATS;

/// Without a new state for this time the virtual device is disconnected.
const TIMEOUT: Duration = Duration::from_millis(500);

/// Its instance id, which SDL never assigns.
pub(crate) const ID: DeviceId = DeviceId(u32::MAX);
/// Replaces SDL's GUID.
const GUID: &str = "virtual";
/// The names of its inputs: those of an Xbox pad that the kernel reads, which has these numbers of each.
const MAPPING: &str = "virtual,virtual,leftx:a0,lefty:a1,lefttrigger:a2,rightx:a3,righty:a4,righttrigger:a5,a:b0,b:b1,\
                       x:b2,y:b3,leftshoulder:b4,rightshoulder:b5,back:b6,start:b7,guide:b8,leftstick:b9,rightstick:b10";

/// The requested state of the virtual device: axes, followed by the vertical and horizontal half of the hat, and
/// buttons. Missing entries at the end are at rest; an empty state disconnects it.
///
/// # Source
/// or_joystick `state`, in the order of a device's port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VirtualState {
    /// The time of the state; zero: now.
    pub stamp: Stamp,
    /// Raw values, at most 8: six axes, then the hat's vertical and horizontal half.
    pub axes: Vec<i16>,
    /// The buttons, at most 11.
    pub buttons: Vec<bool>,
}

/// The result of checking a state.
#[allow(clippy::large_enum_variant)] // short-lived
enum Check {
    Accepted,
    /// A newer state arrived first, which is not an error.
    Late,
    Refused(Report),
}

/// The virtual device of `~/virtual_device`; connected as long as its states arrive.
///
/// It connects at rest and is moved in the same batch: an axis deflected at the connection counts as not at rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct VirtualDevice {
    /// Empty: the device is disabled.
    name: String,
    freshness: Freshness,
    /// When the last state was made; `None`: disconnected.
    held: Option<MessageTime>,
    axes: Vec<i16>,
    buttons: Vec<bool>,
    /// Why states are refused, until one is accepted.
    refused: Option<Report>,
    /// The number of publishers of its states.
    publishers: PublisherCount,
}

impl VirtualDevice {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The batch of events for `state`, and the reason of a new refusal.
    pub(crate) fn set(&mut self, clock: &Clock, state: VirtualState) -> (Vec<Input>, Option<Report>) {
        if self.publishers.are_several() {
            return (Vec::new(), None);
        }
        match self.check(clock, &state) {
            Check::Accepted => self.refused = None,
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
            // Buttons that are down at the connection count from their next press on.
            (self.axes, self.buttons) = (vec![0; ENTRIES], buttons.clone());
            events.push(Input::DeviceConnected {
                id: ID,
                name: self.name.clone(),
                guid: GUID.into(),
                serial: String::new(),
                path: String::new(),
                links: Vec::new(),
                mapping: MAPPING.into(),
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

    /// Sets the number of publishers; returns the batch of events that disconnects the device if there are
    /// several.
    pub(crate) fn count(&mut self, publishers: PublisherCount) -> Vec<Input> {
        self.publishers = publishers;
        if publishers.are_several() { self.unplug() } else { Vec::new() }
    }

    fn check(&mut self, clock: &Clock, state: &VirtualState) -> Check {
        if self.name.is_empty() {
            return Check::Refused(Report::VirtualUnnamed);
        }
        let (axes, buttons) = (state.axes.len(), state.buttons.len());
        if axes > ENTRIES || buttons > BUTTONS {
            return Check::Refused(Report::VirtualTooBig { axes, buttons });
        }
        match self.freshness.judge(clock, state.stamp, TIMEOUT) {
            Ok(time) => {
                self.held = Some(time);
                Check::Accepted
            }
            Err(Stale::Late) => Check::Late,
            Err(_) => Check::Refused(Report::VirtualStale),
        }
    }

    /// The batch of events that disconnects the device after a silence.
    pub(crate) fn expire(&mut self, now: Instant) -> Option<Vec<Input>> {
        let is_silent = !self.axes.is_empty() && self.held.is_some_and(|time| time.is_expired(now, TIMEOUT));
        is_silent.then(|| self.unplug())
    }

    /// When it is disconnected if no state arrives.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.held.filter(|_| !self.axes.is_empty()).map(|time| time.expiry(TIMEOUT))
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

/// The direction of a hat from its two halves: more than half of the range counts.
fn hat(halves: &[i16]) -> Hat {
    const HALF: i16 = i16::MAX / 2;
    let [vertical, horizontal] = [0, 1].map(|half| halves.get(half).copied().unwrap_or(0));
    Hat { up: vertical < -HALF, down: vertical > HALF, left: horizontal < -HALF, right: horizontal > HALF }
}
