use core::fmt;
use core::time::Duration;

use safety::{Clock, Freshness, Instant, MessageTime, PublisherCount, REMOVAL_TIME, Stale, Stamp};

use crate::{DeviceId, Hat, Input, Params, Report, device};

/// Numbers of axes, buttons and hats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Size {
    axes: usize,
    hats: usize,
    buttons: usize,
}

impl Size {
    /// A common pad.
    const COMPONENT: Self = Self { axes: 6, hats: 1, buttons: 11 };

    /// The number of axes in a state, hats as two.
    const fn entries(self) -> usize {
        self.axes + 2 * self.hats
    }
}

/// Where the states of the virtual device come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VirtualSource {
    /// `~/virtual_device`, as in the openrobots component.
    #[default]
    Component,
    /// The topic `joy_input`: a pad of any size, whose inputs have numbers only.
    Joy,
}

impl fmt::Display for VirtualSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Component => "~/virtual_device",
            Self::Joy => "joy_input",
        })
    }
}

/// Without a new state for this time the virtual device is disconnected.
const TIMEOUT: Duration = Duration::from_millis(500);
/// The shortest time between two reports about its states.
const QUIET: Duration = Duration::from_millis(250);

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
    /// Raw values. Of `~/virtual_device` at most 8: six axes, then the hat's vertical and horizontal half.
    pub axes: Vec<i16>,
    /// The buttons; of `~/virtual_device` at most 11.
    pub buttons: Vec<bool>,
}

/// Why a `sensor_msgs/Joy` is none of a pad: the axis or button, its value and the range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableJoy(String);

impl fmt::Display for UnusableJoy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl VirtualState {
    /// The state of a pad in a `sensor_msgs/Joy`: raw values have the other sign, as SDL's have.
    /// # Errors
    /// The first value that is none of a pad.
    /// # Source
    /// The ROS 2 package `joy`: -1 to 1, left and up positive, which SDL counts as negative.
    pub fn of_joy(stamp: Stamp, axes: &[f32], buttons: &[i32]) -> Result<Self, UnusableJoy> {
        let raw = |(axis, &value): (usize, &f32)| {
            // Rounded values may be a little beyond 1; NaN is not within.
            let is_valid = value.abs() <= 1.001;
            // Within the range of i16 by the clamp.
            let raw = (-value.clamp(-1.0, 1.0) * f32::from(i16::MAX)).round() as i16;
            is_valid
                .then_some(raw)
                .ok_or_else(|| UnusableJoy(format!("has axes[{axis}] {value:?}, must be from -1 to 1")))
        };
        let down = |(button, &value): (usize, &i32)| match value {
            0 | 1 => Ok(value == 1),
            _ => Err(UnusableJoy(format!("has buttons[{button}] {value}, must be 0 or 1"))),
        };
        Ok(Self {
            stamp,
            axes: axes.iter().enumerate().map(raw).collect::<Result<_, _>>()?,
            buttons: buttons.iter().enumerate().map(down).collect::<Result<_, _>>()?,
        })
    }
}

/// The events that follow from a state, and a report.
type Change = (Vec<Input>, Option<Report>);

/// The result of checking a state.
#[allow(clippy::large_enum_variant)] // short-lived
enum Check {
    Accepted,
    /// A newer state arrived first, which is not an error.
    Late,
    Refused(Report),
}

/// The virtual device of `~/virtual_device` or of `joy_input`; connected as long as its states arrive.
///
/// It connects at rest and is moved in the same batch: an axis deflected at the connection counts as not at rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct VirtualDevice {
    /// Empty: the device is disabled.
    name: String,
    source: VirtualSource,
    /// The size of the connected device.
    size: Size,
    freshness: Freshness,
    is_connected: bool,
    /// When the last state was made.
    held: Option<MessageTime>,
    /// When the first state after the connection, or after a gap, was made.
    begun: Instant,
    /// When the last state that repeats none was received.
    received: Instant,
    /// When it connected.
    connected: Option<Instant>,
    /// The device was disconnected since its states were too old at their receipt. Until it connects only younger ones count.
    behind: Option<Report>,
    axes: Vec<i16>,
    buttons: Vec<bool>,
    /// Why states are refused, and when that was reported.
    refused: Option<(Report, Instant)>,
    /// The number of publishers of its states.
    publishers: PublisherCount,
}

impl VirtualDevice {
    /// The device that `params` declare.
    pub(crate) fn new(params: &Params) -> Self {
        let source = if params.joy_input.is_empty() { VirtualSource::Component } else { VirtualSource::Joy };
        Self { name: params.virtual_device.clone(), source, ..Self::default() }
    }

    /// The batch of events that disconnects the device, whose state is not usable, and the report if it is new.
    pub(crate) fn refuse(&mut self, now: Instant, why: UnusableJoy) -> Change {
        let report = self.news(now, Report::VirtualUnusable(why));
        (self.unplug(), report)
    }

    /// The reason of a refusal, unless it is that of the last one or follows it too soon.
    fn news(&mut self, now: Instant, report: Report) -> Option<Report> {
        let is_news = |(last, at): &(Report, Instant)| *last != report && now.since(*at) >= QUIET;
        let is_news = self.refused.as_ref().is_none_or(is_news);
        is_news.then(|| self.refused.insert((report, now)).0.clone())
    }

    /// When the last state was made.
    fn made(&self) -> Instant {
        self.held.map_or(Instant::ZERO, MessageTime::begin)
    }

    /// When the last state of a pad that another program reads was made. An empty state on `~/virtual_device` reports that a pad is gone; no
    /// `sensor_msgs/Joy` does.
    pub(crate) fn relayed(&self) -> Option<Instant> {
        (self.source == VirtualSource::Joy).then(|| self.made())
    }

    /// The batch of events for `state`, and the reason of a new refusal. `is_open`: a release does not count yet, and a gap in the
    /// states is an unplug.
    pub(crate) fn set(&mut self, clock: &Clock, state: VirtualState, is_open: bool) -> Change {
        if self.publishers.are_several() {
            return (Vec::new(), None);
        }
        let (now, before) = (clock.now(), self.made());
        match self.check(clock, &state) {
            Check::Accepted => drop(self.refused.take_if(|(_, at)| now.since(*at) >= QUIET)),
            Check::Late => return (Vec::new(), None),
            Check::Refused(report) => return (Vec::new(), self.news(now, report)),
        }
        if state.axes.is_empty() && state.buttons.is_empty() {
            return (self.unplug(), None);
        }
        let VirtualState { mut axes, mut buttons, .. } = state;
        let size = match self.source {
            VirtualSource::Component => Size::COMPONENT,
            VirtualSource::Joy => Size { axes: axes.len(), hats: 0, buttons: buttons.len() },
        };
        let is_gap = self.made().since(before) >= REMOVAL_TIME;
        // Another size is another pad.
        let is_other = size != self.size || is_gap && is_open;
        let mut events = if is_other { self.unplug() } else { Vec::new() };
        axes.resize(size.entries(), 0);
        buttons.resize(size.buttons, false);
        let connects = !self.is_connected;
        if connects || is_gap {
            self.begun = self.made();
        }
        if connects {
            // States that disconnect it again and again would fill the log and the graph.
            if self.connected.is_some_and(|at| now.since(at) < TIMEOUT) {
                return (events, None);
            }
            (self.is_connected, self.connected, self.behind) = (true, Some(now), None);
            // Buttons that are down at the connection count from their next press on.
            (self.axes, self.buttons, self.size) = (vec![0; size.entries()], buttons.clone(), size);
            events.push(Input::DeviceConnected {
                id: ID,
                name: self.name.clone(),
                guid: GUID.into(),
                serial: String::new(),
                path: String::new(),
                links: Vec::new(),
                mapping: if self.source == VirtualSource::Joy { "" } else { MAPPING }.into(),
                axes: vec![0; size.axes],
                buttons: buttons.clone(),
                hats: vec![Hat::default(); size.hats],
            });
            events.push(Input::TriggersKnown { id: ID, axes: Vec::new() });
        }
        let halves = |axes: &[i16]| axes.get(size.axes..).map(hat).unwrap_or_default();
        // A program that opens a pad reports what is held after a first state with all buttons up: that is no press.
        if !connects && self.relayed().is_some_and(|made| made.since(self.begun) < REMOVAL_TIME) {
            (self.axes, self.buttons) = (axes, buttons.clone());
            let hats = vec![halves(&self.axes); size.hats];
            let axes = self.axes.iter().copied().take(size.axes).collect();
            return (vec![Input::DeviceRead { id: ID, axes, buttons, hats }, Input::BatchEnded], None);
        }
        for (axis, (&before, &value)) in self.axes.iter().zip(&axes).take(size.axes).enumerate() {
            if connects || before != value {
                events.push(Input::AxisMoved { id: ID, axis, value });
            }
        }
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
        let most = match self.source {
            VirtualSource::Component => [Size::COMPONENT.entries(), Size::COMPONENT.buttons],
            VirtualSource::Joy => [device::AXES, device::BUTTONS],
        };
        if [axes, buttons].iter().zip(most).any(|(&count, most)| count > most) {
            return Check::Refused(Report::VirtualTooBig { source: self.source, axes, buttons });
        }
        match self.freshness.judge(clock, state.stamp, TIMEOUT) {
            Ok(time) => match &self.behind {
                Some(behind) if time.age(clock.now()) >= REMOVAL_TIME => Check::Refused(behind.clone()),
                _ => {
                    if self.held.replace(time) != Some(time) {
                        self.received = clock.now();
                    }
                    Check::Accepted
                }
            },
            Err(Stale::Late) => Check::Late,
            Err(_) => Check::Refused(Report::VirtualStale(self.source)),
        }
    }

    /// The batch of events that disconnects the device, whose last state is too old, and the report: after a silence, or since the
    /// state was already old when it was received.
    pub(crate) fn expire(&mut self, now: Instant) -> Option<(Vec<Input>, Report)> {
        let held = self.held.filter(|time| self.is_connected && time.is_expired(now, TIMEOUT))?;
        let age = held.age(self.received);
        let report = if age >= REMOVAL_TIME {
            let behind = Report::VirtualBehind { source: self.source, millis: age.as_millis() };
            self.refused = Some((behind.clone(), now)); // reported here
            self.behind.insert(behind).clone()
        } else {
            Report::VirtualSilent(self.source)
        };
        Some((self.unplug(), report))
    }

    /// When it is disconnected if no state arrives.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.held.filter(|_| self.is_connected).map(|time| time.expiry(TIMEOUT))
    }

    fn unplug(&mut self) -> Vec<Input> {
        if core::mem::take(&mut self.is_connected) {
            return vec![Input::DeviceDisconnected { id: ID }, Input::BatchEnded];
        }
        Vec::new()
    }
}

/// The direction of a hat from its two halves: more than half of the range counts.
fn hat(halves: &[i16]) -> Hat {
    const HALF: i16 = i16::MAX / 2;
    let [vertical, horizontal] = [0, 1].map(|half| halves.get(half).copied().unwrap_or(0));
    Hat { up: vertical < -HALF, down: vertical > HALF, left: horizontal < -HALF, right: horizontal > HALF }
}
