use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gamepad::{Driver, Event, VirtualState};

/// How the virtual device is held when it is plugged in: a real device comes with that, a virtual one always at rest,
/// and is moved afterwards. Without this a stick held while it is plugged in would have been at rest before.
#[derive(Clone, Default)]
pub struct Newcomer(Arc<Mutex<Option<(String, VirtualState)>>>);

impl Newcomer {
    /// A virtual device of this name is about to be plugged in, held like this.
    pub fn announce(&self, name: &str, held: VirtualState) {
        *self.lock() = Some((name.to_owned(), held));
    }

    /// It is plugged in, or could not be.
    pub fn forget(&self) {
        *self.lock() = None;
    }

    /// Makes of the plug of the device that was announced a plug with its buttons held, and gives the moves of its axes,
    /// which belong to it. Its axes rest where they do at the plug, which only a virtual device's mover never tells.
    pub fn hold(&self, event: &mut Event) -> Vec<Event> {
        let Event::Connected { id, name, axes, buttons, details, .. } = event else { return Vec::new() };
        let mut announced = self.lock();
        if details.driver != Driver::Virtual
            || announced.as_ref().is_none_or(|(expected, _)| expected != name)
        {
            return Vec::new();
        }
        let Some((_, held)) = announced.take() else { return Vec::new() };
        for (button, held) in buttons.iter_mut().zip(held.buttons) {
            *button = held;
        }
        let axes = axes.iter().zip(held.axes).enumerate().filter(|(_, (rest, held))| *rest != held);
        axes.map(|(axis, (_, value))| Event::Axis { id: *id, axis, value }).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Option<(String, VirtualState)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::super::mock;
    use super::*;

    /// With two axes and two buttons at rest.
    fn connected(id: u32, name: &str, driver: Driver) -> Event {
        let mut event = mock::connected(id, name, driver);
        if let Event::Connected { axes, buttons, .. } = &mut event {
            (*axes, *buttons) = (vec![0; 2], vec![false; 2]);
        }
        event
    }

    #[test]
    fn the_device_that_was_announced_comes_as_it_is_held() {
        let newcomer = Newcomer::default();
        let held = VirtualState { axes: vec![0, 32767, 5], buttons: vec![false, true, true], hats: vec![] };
        newcomer.announce("Pad", held.clone());
        for mut other in [connected(1, "Other", Driver::Virtual), connected(2, "Pad", Driver::Evdev)] {
            let before = other.clone();
            assert!(newcomer.hold(&mut other).is_empty() && other == before, "it is another one");
        }
        let mut event = connected(3, "Pad", Driver::Virtual);
        assert_eq!(newcomer.hold(&mut event), [Event::Axis { id: 3, axis: 1, value: 32767 }]);
        let Event::Connected { axes, buttons, .. } = event else { unreachable!() };
        assert_eq!((axes, buttons), (vec![0, 0], vec![false, true]));
        assert!(newcomer.hold(&mut connected(4, "Pad", Driver::Virtual)).is_empty(), "once");
        newcomer.announce("Pad", held);
        newcomer.forget();
        assert!(newcomer.hold(&mut connected(5, "Pad", Driver::Virtual)).is_empty());
    }
}
