//! One open device and what the sink knows of it.

use crate::event::{Event, Hat};

/// The state that the sink knows of a device; lets through only what changes it.
///
/// SDL repeats itself: the first pump after opening sends each axis of a virtual joystick its initial value twice, and
/// the first real motion of an axis is preceded by its value at rest.
pub(crate) struct Known {
    id: u32,
    axes: Vec<i16>,
    buttons: Vec<bool>,
    hats: Vec<Hat>,
}

impl Known {
    pub(crate) fn new(id: u32, axes: Vec<i16>, buttons: Vec<bool>, hats: Vec<Hat>) -> Known {
        Known { id, axes, buttons, hats }
    }

    /// The event that introduces the device.
    pub(crate) fn connected(&self, name: String, guid: String) -> Event {
        let (axes, buttons, hats) = (self.axes.clone(), self.buttons.clone(), self.hats.clone());
        Event::Connected { id: self.id, name, guid, axes, buttons, hats }
    }

    /// The event for an axis, if it is a change. An axis that the device does not have is ignored.
    pub(crate) fn axis(&mut self, axis: usize, value: i16) -> Option<Event> {
        change(&mut self.axes, axis, value).then_some(Event::Axis { id: self.id, axis, value })
    }

    /// The event for a button, if it is a change. A button that the device does not have is ignored.
    pub(crate) fn button(&mut self, button: usize, pressed: bool) -> Option<Event> {
        change(&mut self.buttons, button, pressed).then_some(Event::Button { id: self.id, button, pressed })
    }

    /// The event for a hat, if it is a change. A hat that the device does not have is ignored.
    pub(crate) fn hat(&mut self, hat: usize, state: Hat) -> Option<Event> {
        change(&mut self.hats, hat, state).then_some(Event::Hat { id: self.id, hat, state })
    }
}

fn change<T: PartialEq>(known: &mut [T], index: usize, value: T) -> bool {
    match known.get_mut(index) {
        Some(slot) if *slot != value => {
            *slot = value;
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repetition_is_kept_back_and_a_change_passes_once() {
        let mut known = Known::new(7, vec![0, -32768], vec![false], vec![Hat::default()]);
        assert_eq!(known.axis(1, -32768), None);
        assert_eq!(known.axis(1, 5), Some(Event::Axis { id: 7, axis: 1, value: 5 }));
        assert_eq!(known.axis(1, 5), None);
        assert_eq!(known.button(0, false), None);
        assert_eq!(known.button(0, true), Some(Event::Button { id: 7, button: 0, pressed: true }));
        let up = Hat { up: true, ..Hat::default() };
        assert_eq!(known.hat(0, Hat::default()), None);
        assert_eq!(known.hat(0, up), Some(Event::Hat { id: 7, hat: 0, state: up }));
    }

    #[test]
    fn what_the_device_does_not_have_is_ignored() {
        let mut known = Known::new(7, vec![0], vec![], vec![]);
        assert_eq!(known.axis(1, 5), None);
        assert_eq!(known.button(0, true), None);
        assert_eq!(known.hat(0, Hat { up: true, ..Hat::default() }), None);
    }
}
