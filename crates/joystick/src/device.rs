use safety::{Likeness, Stamp};

use crate::names::{Bindings, Unnamed};
use crate::{DeviceId, DeviceState, Hat, MAX_PUBLISHED};

/// Identifies a device, in addition to its port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    /// SDL's GUID of the model.
    pub(crate) guid: String,
    /// The serial number; empty if the device has none.
    pub(crate) serial: String,
    /// The path where it is plugged in; empty if unknown.
    pub(crate) path: String,
    /// Links to the path; some of them stay the same when the path changes.
    pub(crate) links: Vec<String>,
    /// SDL's name of the device.
    pub(crate) label: String,
}

impl Identity {
    /// Compares the device that appears, `found`, with this one; see [`safety::identity`].
    pub(crate) fn likeness(&self, found: &Self) -> Likeness {
        let known = safety::Identity { model: &self.guid, serial: &self.serial };
        known.likeness(safety::Identity { model: &found.guid, serial: &found.serial })
    }
}

/// The maximum number of axes processed per device; a hat counts as two.
pub(crate) const AXES: usize = 64;
/// The maximum number of buttons processed per device.
pub(crate) const BUTTONS: usize = 128;

/// A trigger as a button, which a parameter can name.
#[derive(Clone, Copy, Debug)]
struct Trigger {
    axis: usize,
    is_inverted: bool,
    /// Where it is was seen: at an end when the device connected, or by an event. Some drivers have 0 before the first one.
    is_known: bool,
    is_down: bool,
    /// It went down since it has a meaning.
    counts: bool,
}

impl Trigger {
    /// A trigger is down from three quarters of its way on, and up again below five eighths, so that no tremor releases it.
    const DOWN: i16 = 16_384;
    const UP: i16 = 8_192;

    /// Follows the axis, and returns whether it just went down.
    fn follow(&mut self, raw: i16) -> bool {
        let value = if self.is_inverted { raw.saturating_neg() } else { raw };
        let was_down = self.is_down;
        self.is_down = value >= if was_down { Self::UP } else { Self::DOWN };
        let went_down = self.is_down && !was_down && self.is_known;
        self.is_known = true;
        self.counts = self.is_down && (went_down || self.counts);
        went_down
    }
}

/// The number of an axis as a button: after all buttons.
pub(crate) const fn as_button(axis: usize) -> usize {
    BUTTONS + axis
}

/// One connected device and its published state.
#[derive(Clone, Debug)]
pub(crate) struct Device {
    pub(crate) id: DeviceId,
    /// The name of the port.
    pub(crate) name: String,
    pub(crate) identity: Identity,
    /// SDL's names of its inputs.
    pub(crate) bindings: Bindings,
    /// The parameters whose names mean nothing on it; if there are any, it may not drive.
    pub(crate) unnamed: Vec<Unnamed>,
    /// Whether the port was requested.
    pub(crate) open: bool,
    /// Whether the state changed since it was last published.
    pub(crate) dirty: bool,
    /// Whether the device is being read; if not, its state is unknown.
    pub(crate) is_read: bool,
    /// Whether it was connected at the same time as the last driving device.
    pub(crate) is_other: bool,
    /// The number of its last sign of a person, its connection or a press, among those of all devices.
    pub(crate) last_sign: u64,
    /// The complete state, which may be more than is published.
    state: DeviceState,
    /// Buttons that were pressed after the connection and are still down.
    pressed: Vec<bool>,
    /// The axis values to return to on disconnection.
    rest: Vec<i16>,
    /// Bit mask of the axes that have moved since the connection.
    moved: u64,
    /// The number of real axes; the axes of the hats follow them.
    axes: usize,
    hats: usize,
    triggers: [Option<Trigger>; 2],
}

/// The event refers to an axis, button or hat that the device does not have or that is not processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BeyondLimits;

impl Device {
    pub(crate) fn new(
        id: DeviceId,
        name: String,
        identity: Identity,
        axes: &[i16],
        buttons: &[bool],
        hats: &[Hat],
    ) -> Self {
        let all = axes.iter().copied().chain(hats.iter().flat_map(|hat| hat.axes()));
        let rest: Vec<i16> = all.take(AXES).collect();
        let buttons: Vec<bool> = buttons.iter().copied().take(BUTTONS).collect();
        let pressed = vec![false; buttons.len()];
        let state = DeviceState { stamp: Stamp::ZERO, buttons, axes: rest.clone() };
        let (open, dirty, moved) = (false, true, 0);
        let (axes, hats) = (axes.len(), hats.len());
        Self {
            id,
            name,
            identity,
            bindings: Bindings::default(),
            unnamed: Vec::new(),
            open,
            dirty,
            is_read: true,
            is_other: false,
            last_sign: 0,
            state,
            pressed,
            rest,
            moved,
            axes,
            hats,
            triggers: [None; 2],
        }
    }

    /// Sets SDL's names of its inputs. A trigger that is down counts from its next press on.
    pub(crate) fn name_inputs(&mut self, bindings: Bindings) {
        self.triggers = bindings.triggers().map(|trigger| {
            let (axis, is_inverted) = trigger?;
            let mut trigger = Trigger { axis, is_inverted, is_known: false, is_down: false, counts: false };
            let raw = *self.state.axes.get(axis)?;
            trigger.follow(raw);
            trigger.is_known = is_end(raw);
            Some(trigger)
        });
        self.bindings = bindings;
    }

    /// Whether a button, or a trigger as one, counts as held. One that was down at the connection counts only from its next press on.
    ///
    /// # Source
    /// own: a pad that reconnects with its dead-man button held down, for whatever reason, must not drive.
    pub(crate) fn is_held(&self, button: usize) -> bool {
        self.trigger(button).map_or(self.pressed.get(button) == Some(&true), |trigger| trigger.counts)
    }

    /// The first button that counts as held; triggers are not looked at.
    pub(crate) fn first_held(&self) -> Option<usize> {
        self.pressed.iter().position(|held| *held)
    }

    /// Whether a button, or a trigger as one, is down.
    pub(crate) fn is_down(&self, button: usize) -> bool {
        self.trigger(button).map_or(self.state.buttons.get(button) == Some(&true), |trigger| trigger.is_down)
    }

    fn trigger(&self, button: usize) -> Option<&Trigger> {
        self.triggers.iter().flatten().find(|trigger| as_button(trigger.axis) == button)
    }

    /// The complete state.
    pub(crate) fn state(&self) -> &DeviceState {
        &self.state
    }

    /// The published state: the first [`MAX_PUBLISHED`] axes and buttons.
    pub(crate) fn published(&self) -> DeviceState {
        let DeviceState { stamp, buttons, axes } = &self.state;
        let (axes, buttons) = (axes.iter().take(MAX_PUBLISHED), buttons.iter().take(MAX_PUBLISHED));
        DeviceState { stamp: *stamp, axes: axes.copied().collect(), buttons: buttons.copied().collect() }
    }

    /// No button counts as held until its next press.
    pub(crate) fn forget_presses(&mut self) {
        self.pressed.fill(false);
        self.triggers.iter_mut().flatten().for_each(|trigger| trigger.counts = false);
    }

    /// The rest positions of the axes that are not hats.
    pub(crate) fn rest(&self) -> &[i16] {
        self.rest.get(..self.axes).unwrap_or(&self.rest)
    }

    /// The number of axes that are not hats.
    pub(crate) fn plain_axes(&self) -> usize {
        self.axes.min(self.state.axes.len())
    }

    pub(crate) fn stamp(&mut self, stamp: Stamp) {
        self.state.stamp = stamp;
    }

    /// Sets an axis and returns the button that it is, if it is a trigger that just went down.
    pub(crate) fn axis(&mut self, axis: usize, value: i16) -> Result<Option<usize>, BeyondLimits> {
        if axis >= self.axes {
            return Err(BeyondLimits); // the following indices belong to the hats
        }
        *self.state.axes.get_mut(axis).ok_or(BeyondLimits)? = value;
        self.dirty = true;
        self.learn_rest(axis, value);
        let trigger = self.triggers.iter_mut().flatten().find(|trigger| trigger.axis == axis);
        Ok(trigger.and_then(|trigger| trigger.follow(value).then_some(as_button(axis))))
    }

    /// An axis at its end when the device connects is either a trigger, or a stick deflected at that moment. A stick
    /// jumps to its centre when it is released; a trigger moves there step by step.
    ///
    /// # Source
    /// SDL uses the same threshold of a quarter.
    fn learn_rest(&mut self, axis: usize, value: i16) {
        let first = self.moved & (1 << axis) == 0;
        self.moved |= 1 << axis;
        if let Some(rest) = self.rest.get_mut(axis)
            && first
            && is_end(*rest)
            && value.unsigned_abs() < i16::MAX.unsigned_abs() / 4
        {
            *rest = 0;
        }
    }

    /// All axes except `triggers` rest at their centre.
    pub(crate) fn set_triggers(&mut self, triggers: &[usize]) {
        let sticks = self.rest.iter_mut().take(self.axes).enumerate();
        for (_, rest) in sticks.filter(|(axis, _)| !triggers.contains(axis)) {
            *rest = 0;
        }
    }

    /// Sets a button and returns whether it was just pressed.
    pub(crate) fn button(&mut self, button: usize, pressed: bool) -> Result<bool, BeyondLimits> {
        let before = self.state.buttons.get_mut(button).ok_or(BeyondLimits)?;
        let went_down = pressed && !*before;
        *before = pressed;
        if let Some(counts) = self.pressed.get_mut(button) {
            *counts = pressed && (went_down || *counts);
        }
        self.dirty = true;
        Ok(went_down)
    }

    pub(crate) fn hat(&mut self, hat: usize, to: Hat) -> Result<(), BeyondLimits> {
        if hat >= self.hats {
            return Err(BeyondLimits);
        }
        let first = self.axes.saturating_add(2 * hat);
        let places = self.state.axes.get_mut(first..).ok_or(BeyondLimits)?;
        if places.is_empty() {
            return Err(BeyondLimits);
        }
        // At the axis limit a hat may have its vertical half only.
        for (place, value) in places.iter_mut().zip(to.axes()) {
            *place = value;
        }
        self.dirty = true;
        Ok(())
    }

    /// The device is no longer read. Where its triggers are is not known until they are seen again.
    pub(crate) fn lose(&mut self) {
        self.release();
        self.triggers.iter_mut().flatten().for_each(|trigger| trigger.is_known = false);
        (self.dirty, self.is_read) = (true, false);
    }

    /// The device is read again, with these values. A button counts as held only if its press was received.
    pub(crate) fn read(&mut self, axes: &[i16], buttons: &[bool], hats: &[Hat]) {
        (self.dirty, self.is_read) = (true, true);
        let count = self.plain_axes();
        let before = self.triggers;
        // Only axes that exist and are processed, so no index is beyond the limits.
        for (axis, &value) in axes.iter().enumerate().take(count) {
            let _ = self.axis(axis, value);
        }
        for (trigger, before) in self.triggers.iter_mut().flatten().zip(before.iter().flatten()) {
            trigger.counts &= before.counts;
        }
        for (hat, &state) in hats.iter().enumerate() {
            let _ = self.hat(hat, state);
        }
        for ((state, pressed), &down) in self.state.buttons.iter_mut().zip(&mut self.pressed).zip(buttons) {
            *state = down;
            *pressed &= down;
        }
    }

    /// Releases everything: buttons up, axes at their rest positions, hats centred.
    ///
    /// # Source
    /// SDL sends the same as events before it removes a device; this also covers the case that it does not.
    pub(crate) fn release(&mut self) {
        self.state.buttons.fill(false);
        self.pressed.fill(false);
        for trigger in self.triggers.iter_mut().flatten() {
            (trigger.is_down, trigger.counts) = (false, false);
        }
        let hats = self.axes;
        for (index, (axis, rest)) in self.state.axes.iter_mut().zip(&self.rest).enumerate() {
            *axis = if index < hats { *rest } else { 0 };
        }
    }
}

/// Whether `rest` is the rest position of a trigger.
pub(crate) fn is_end(rest: i16) -> bool {
    rest.unsigned_abs() >= i16::MAX.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(axes: usize, buttons: usize, hats: usize) -> Device {
        let hats = vec![Hat::default(); hats];
        let (axes, buttons) = (vec![0; axes], vec![false; buttons]);
        Device::new(DeviceId(1), "pad".into(), Identity::default(), &axes, &buttons, &hats)
    }

    const UP_LEFT: Hat = Hat { up: true, down: false, left: true, right: false };

    #[test]
    fn hats_come_after_the_axes() {
        let mut pad = device(3, 0, 2);
        pad.hat(1, UP_LEFT).unwrap();
        assert_eq!(pad.state().axes, [0, 0, 0, 0, 0, -32768, -32768]);
        pad.axis(2, 7).unwrap();
        assert_eq!(pad.axis(3, 7), Err(BeyondLimits), "index 3 belongs to the first hat");
        assert_eq!(pad.hat(2, UP_LEFT), Err(BeyondLimits));
        assert_eq!(pad.state().axes, [0, 0, 7, 0, 0, -32768, -32768]);
    }

    #[test]
    fn sixteen_of_each_are_published_and_more_are_kept() {
        let mut pad = device(70, 130, 2);
        assert_eq!((pad.state().axes.len(), pad.state().buttons.len()), (64, 128));
        assert_eq!((pad.published().axes.len(), pad.published().buttons.len()), (16, 16));
        assert_eq!(
            (pad.axis(63, 1), pad.axis(64, 1), pad.axis(usize::MAX, 1)),
            (Ok(None), Err(BeyondLimits), Err(BeyondLimits))
        );
        assert_eq!((pad.button(127, true), pad.button(128, true)), (Ok(true), Err(BeyondLimits)));
        assert_eq!(pad.hat(0, UP_LEFT), Err(BeyondLimits));
        assert!(pad.state().axes[63] == 1 && pad.state().buttons[127]);
    }

    #[test]
    fn a_hat_at_the_axis_limit_keeps_its_vertical_half() {
        let mut pad = device(15, 0, 1);
        pad.hat(0, UP_LEFT).unwrap();
        assert_eq!(pad.published().axes.len(), 16);
        assert_eq!((pad.published().axes[15], pad.state().axes[16]), (-32768, -32768));
    }

    #[test]
    fn only_a_change_to_down_is_a_press() {
        let mut pad = device(0, 1, 0);
        let presses = [true, true, false, false, true].map(|down| pad.button(0, down).unwrap());
        assert_eq!(presses, [true, false, false, false, true]);
    }

    #[test]
    fn a_button_held_at_the_connection_counts_from_its_next_press_on() {
        let mut pad = Device::new(DeviceId(1), "pad".into(), Identity::default(), &[], &[true, false], &[]);
        assert_eq!((&pad.state().buttons[..], pad.is_held(0)), (&[true, false][..], false));
        let mut counts = |down| {
            pad.button(0, down).unwrap();
            pad.is_held(0)
        };
        assert_eq!([true, false, true, true, false].map(&mut counts), [false, false, true, true, false]);
    }

    #[test]
    fn a_released_trigger_rests_at_its_end() {
        let identity = Identity::default();
        let mut pad = Device::new(DeviceId(1), "pad".into(), identity, &[0, -32768], &[true], &[UP_LEFT]);
        pad.axis(0, 99).unwrap();
        pad.axis(1, -30000).unwrap();
        pad.axis(1, 99).unwrap();
        pad.release();
        assert_eq!((&pad.state().axes[..], &pad.state().buttons[..]), (&[0, -32768, 0, 0][..], &[false][..]));
    }

    #[test]
    fn once_the_triggers_are_known_only_they_rest_at_their_ends() {
        let identity = Identity::default();
        let mut pad =
            Device::new(DeviceId(1), "pad".into(), identity, &[-32768, -32768, 9000], &[], &[UP_LEFT]);
        pad.set_triggers(&[1, 7]);
        pad.axis(0, -20_000).unwrap(); // released step by step
        assert_eq!(pad.rest(), [0, -32768, 0]);
        pad.axis(0, -32768).unwrap(); // the rest position according to SDL
        pad.release();
        assert_eq!(pad.state().axes, [0, -32768, 0, 0, 0]);
    }

    #[test]
    fn a_device_read_again_has_the_reported_state_and_keeps_its_lengths() {
        let identity = Identity::default();
        let mut pad = Device::new(DeviceId(1), "pad".into(), identity, &[0, -32768], &[true], &[UP_LEFT]);
        pad.lose();
        assert_eq!((&pad.state().axes[..], pad.is_read), (&[0, -32768, 0, 0][..], false));
        pad.read(&[5, 6, 7], &[true, true], &[UP_LEFT, UP_LEFT]);
        assert_eq!(pad.state().axes, [5, 6, -32768, -32768]);
        assert_eq!((&pad.state().buttons[..], pad.is_held(0), pad.is_read), (&[true][..], false, true));
        pad.read(&[], &[], &[]);
        assert_eq!(pad.state().axes, [5, 6, -32768, -32768]);
    }

    #[test]
    fn a_stick_deflected_at_the_connection_rests_at_its_centre() {
        let identity = Identity::default();
        let mut pad = Device::new(DeviceId(1), "pad".into(), identity, &[-32768, 32767, 9000], &[], &[]);
        pad.axis(0, 8190).unwrap(); // a jump: below 32767 / 4 = 8191
        pad.axis(1, 8191).unwrap(); // a first step of this size may still come from a trigger
        pad.axis(1, 0).unwrap();
        pad.axis(2, 0).unwrap(); // was never at an end
        assert_eq!(pad.rest(), [0, 32767, 9000]);
    }
}
