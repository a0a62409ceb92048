use units::Stamp;

use crate::{DeviceId, DeviceState, Hat, MOST};

/// What a device is known by, besides its port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    /// SDL's GUID of its model.
    pub(crate) guid: String,
    /// Its own serial number; empty where it has none.
    pub(crate) serial: String,
    /// Where it is plugged in; empty where nobody knows.
    pub(crate) path: String,
    /// Links to that, some of which stay the same when the path does not.
    pub(crate) links: Vec<String>,
    /// What SDL calls it.
    pub(crate) label: String,
}

/// How many axes of a device are looked at, hats as two.
pub(crate) const AXES: usize = 64;
/// How many buttons of a device are looked at.
pub(crate) const BUTTONS: usize = 128;

/// One connected device and what of it is published.
#[derive(Clone, Debug)]
pub(crate) struct Device {
    pub(crate) id: DeviceId,
    /// Its port.
    pub(crate) name: String,
    pub(crate) identity: Identity,
    /// Whether its port was asked for.
    pub(crate) open: bool,
    /// Whether something happened to it since it was published last.
    pub(crate) dirty: bool,
    /// Whether somebody reads it: otherwise nobody knows where it is.
    pub(crate) is_read: bool,
    /// Whether it was there beside the device that drove last.
    pub(crate) is_other: bool,
    /// All of it, more than is published.
    state: DeviceState,
    /// The buttons that went down after the device was connected, and still are.
    pressed: Vec<bool>,
    /// The axes to go back to when it is pulled out.
    rest: Vec<i16>,
    /// Which axes have moved since the device was connected, a bit each.
    moved: u64,
    /// How many axes it really has; its hats come after these.
    axes: usize,
    hats: usize,
}

/// The event was about something that the device does not have, or that is not looked at.
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
            open,
            dirty,
            is_read: true,
            is_other: false,
            state,
            pressed,
            rest,
            moved,
            axes,
            hats,
        }
    }

    /// All of it.
    pub(crate) fn state(&self) -> &DeviceState {
        &self.state
    }

    /// What its port carries: the first [`MOST`] axes and buttons.
    pub(crate) fn published(&self) -> DeviceState {
        let DeviceState { stamp, buttons, axes } = &self.state;
        let (axes, buttons) = (axes.iter().take(MOST), buttons.iter().take(MOST));
        DeviceState { stamp: *stamp, axes: axes.copied().collect(), buttons: buttons.copied().collect() }
    }

    /// Which buttons count as held: one that was down when the device was connected does so from its next press on.
    ///
    /// # Source
    /// own: a pad that comes back while its dead-man is held down, by whatever, must not drive by that.
    pub(crate) fn pressed(&self) -> &[bool] {
        &self.pressed
    }

    /// From now on no button counts as held before its next press.
    pub(crate) fn forget_presses(&mut self) {
        self.pressed.fill(false);
    }

    /// Axes where they rest, for those that are no hats.
    pub(crate) fn rest(&self) -> &[i16] {
        self.rest.get(..self.axes).unwrap_or(&self.rest)
    }

    /// How many of the axes are no hats.
    pub(crate) fn plain_axes(&self) -> usize {
        self.axes.min(self.state.axes.len())
    }

    pub(crate) fn stamp(&mut self, stamp: Stamp) {
        self.state.stamp = stamp;
    }

    pub(crate) fn axis(&mut self, axis: usize, value: i16) -> Result<(), BeyondLimits> {
        if axis >= self.axes {
            return Err(BeyondLimits); // the numbers after the axes are the hats'
        }
        *self.state.axes.get_mut(axis).ok_or(BeyondLimits)? = value;
        self.dirty = true;
        self.learn_rest(axis, value);
        Ok(())
    }

    /// An axis at its end when the device is connected is a trigger, or a stick that was held there just then: that one
    /// jumps to its middle when it is let go, a trigger goes there step by step.
    ///
    /// # Source
    /// SDL judges the same by the same quarter.
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

    /// All axes but these rest in their middle.
    pub(crate) fn know_triggers(&mut self, triggers: &[usize]) {
        let sticks = self.rest.iter_mut().take(self.axes).enumerate();
        for (_, rest) in sticks.filter(|(axis, _)| !triggers.contains(axis)) {
            *rest = 0;
        }
    }

    /// Says whether the button went down just now.
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
        // At the limit of what is looked at a hat may have its vertical half only.
        for (place, value) in places.iter_mut().zip(to.axes()) {
            *place = value;
        }
        self.dirty = true;
        Ok(())
    }

    /// Nobody reads it any more.
    pub(crate) fn lose(&mut self) {
        self.release();
        (self.dirty, self.is_read) = (true, false);
    }

    /// It is read again, and is like this. A button counts as held only if its press was seen.
    pub(crate) fn read(&mut self, axes: &[i16], buttons: &[bool], hats: &[Hat]) {
        (self.dirty, self.is_read) = (true, true);
        let count = self.plain_axes();
        // Only what it has and what is looked at: no part is beyond its limits.
        for (axis, &value) in axes.iter().enumerate().take(count) {
            let _ = self.axis(axis, value);
        }
        for (hat, &state) in hats.iter().enumerate() {
            let _ = self.hat(hat, state);
        }
        for ((state, pressed), &down) in self.state.buttons.iter_mut().zip(&mut self.pressed).zip(buttons) {
            *state = down;
            *pressed &= down;
        }
    }

    /// Lets everything go: buttons up, axes where they were when the device was connected, hats centred.
    ///
    /// # Source
    /// SDL says the same in events before it removes a device; this holds also where it does not.
    pub(crate) fn release(&mut self) {
        self.state.buttons.fill(false);
        self.pressed.fill(false);
        let hats = self.axes;
        for (index, (axis, rest)) in self.state.axes.iter_mut().zip(&self.rest).enumerate() {
            *axis = if index < hats { *rest } else { 0 };
        }
    }
}

/// Whether an axis that rests here is a trigger.
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
        assert_eq!(pad.axis(3, 7), Err(BeyondLimits), "3 is the first hat's, no axis");
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
            (Ok(()), Err(BeyondLimits), Err(BeyondLimits))
        );
        assert_eq!((pad.button(127, true), pad.button(128, true)), (Ok(true), Err(BeyondLimits)));
        assert_eq!(pad.hat(0, UP_LEFT), Err(BeyondLimits));
        assert!(pad.state().axes[63] == 1 && pad.state().buttons[127]);
    }

    #[test]
    fn a_hat_across_the_limit_keeps_its_vertical_half() {
        let mut pad = device(15, 0, 1);
        pad.hat(0, UP_LEFT).unwrap();
        assert_eq!(pad.published().axes.len(), 16);
        assert_eq!((pad.published().axes[15], pad.state().axes[16]), (-32768, -32768));
    }

    #[test]
    fn only_going_down_is_a_press() {
        let mut pad = device(0, 1, 0);
        let presses = [true, true, false, false, true].map(|down| pad.button(0, down).unwrap());
        assert_eq!(presses, [true, false, false, false, true]);
    }

    #[test]
    fn a_button_held_from_the_plug_on_counts_from_its_next_press_on() {
        let mut pad = Device::new(DeviceId(1), "pad".into(), Identity::default(), &[], &[true, false], &[]);
        assert_eq!((&pad.state().buttons[..], pad.pressed()), (&[true, false][..], &[false, false][..]));
        let mut counts = |down| {
            pad.button(0, down).unwrap();
            pad.pressed()[0]
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
    fn only_triggers_rest_where_they_were_once_it_is_known_which_they_are() {
        let identity = Identity::default();
        let mut pad =
            Device::new(DeviceId(1), "pad".into(), identity, &[-32768, -32768, 9000], &[], &[UP_LEFT]);
        pad.know_triggers(&[1, 7]);
        pad.axis(0, -20_000).unwrap(); // let go step by step
        assert_eq!(pad.rest(), [0, -32768, 0]);
        pad.axis(0, -32768).unwrap(); // where SDL thinks that it rests
        pad.release();
        assert_eq!(pad.state().axes, [0, -32768, 0, 0, 0]);
    }

    #[test]
    fn what_is_read_again_is_as_told_and_its_lengths_stay() {
        let identity = Identity::default();
        let mut pad = Device::new(DeviceId(1), "pad".into(), identity, &[0, -32768], &[true], &[UP_LEFT]);
        pad.lose();
        assert_eq!((&pad.state().axes[..], pad.is_read), (&[0, -32768, 0, 0][..], false));
        pad.read(&[5, 6, 7], &[true, true], &[UP_LEFT, UP_LEFT]);
        assert_eq!(pad.state().axes, [5, 6, -32768, -32768]);
        assert_eq!((&pad.state().buttons[..], pad.pressed(), pad.is_read), (&[true][..], &[false][..], true));
        pad.read(&[], &[], &[]);
        assert_eq!(pad.state().axes, [5, 6, -32768, -32768]);
    }

    #[test]
    fn a_stick_held_while_it_was_plugged_in_rests_in_its_middle() {
        let identity = Identity::default();
        let mut pad = Device::new(DeviceId(1), "pad".into(), identity, &[-32768, 32767, 9000], &[], &[]);
        pad.axis(0, 8190).unwrap(); // jumps: below 32767 / 4 = 8191
        pad.axis(1, 8191).unwrap(); // a first step as far as that may still be a trigger's
        pad.axis(1, 0).unwrap();
        pad.axis(2, 0).unwrap(); // never was at an end
        assert_eq!(pad.rest(), [0, 32767, 9000]);
    }
}
