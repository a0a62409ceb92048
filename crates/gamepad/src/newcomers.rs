//! Devices that are open and have not said yet where their axes are.

use std::time::Duration;

/// A device that is open.
pub(crate) trait Newcomer {
    /// SDL's instance id.
    fn id(&self) -> u32;
    /// Whether SDL knows where each axis is.
    fn has_reported(&self) -> bool;
}

/// Devices that nobody has heard of, for they have not reported.
///
/// # Source
/// Own: SDL's own drivers (hidraw) throw away what a pad says before it is open, so that after the opening every axis
/// reads 0 and no button is down. The pad's first report comes some milliseconds later: a dead-man that is held at the
/// plug would seem to be pressed then.
pub(crate) struct Newcomers<Device> {
    /// Each with the time when it was first seen to wait.
    waiting: Vec<(Device, Option<Duration>)>,
}

/// How long a device may wait for its first report. Some report only when they are moved.
pub(crate) const LONGEST: Duration = Duration::from_millis(100);

impl<Device: Newcomer> Newcomers<Device> {
    pub(crate) fn new() -> Self {
        Newcomers { waiting: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(crate) fn has(&self, id: u32) -> bool {
        self.waiting.iter().any(|(device, _)| device.id() == id)
    }

    pub(crate) fn add(&mut self, device: Device) {
        self.waiting.push((device, None));
    }

    /// Closes the device, if it is here.
    pub(crate) fn remove(&mut self, id: u32) {
        self.waiting.retain(|(device, _)| device.id() != id);
    }

    /// The next one that waits no longer at the time `now`: it has reported, or it never will.
    pub(crate) fn ready(&mut self, now: Duration) -> Option<Device> {
        let is_ready = |(device, since): &mut (Device, Option<Duration>)| {
            let since = *since.get_or_insert(now);
            device.has_reported() || now.saturating_sub(since) >= LONGEST
        };
        let position = self.waiting.iter_mut().position(is_ready)?;
        Some(self.waiting.remove(position).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    /// A device that reports when it is told to.
    #[derive(Clone)]
    struct Pad(u32, Rc<Cell<bool>>);

    impl Pad {
        fn new(id: u32) -> Pad {
            Pad(id, Rc::default())
        }
    }

    impl Newcomer for Pad {
        fn id(&self) -> u32 {
            self.0
        }

        fn has_reported(&self) -> bool {
            self.1.get()
        }
    }

    const SECOND: Duration = Duration::from_secs(1);

    fn ready(newcomers: &mut Newcomers<Pad>, now: Duration) -> Option<u32> {
        newcomers.ready(now).map(|pad| pad.id())
    }

    #[test]
    fn a_device_comes_with_its_first_report() {
        let (mut newcomers, slow, quick) = (Newcomers::new(), Pad::new(1), Pad::new(2));
        newcomers.add(slow.clone());
        newcomers.add(quick.clone());
        assert_eq!(ready(&mut newcomers, SECOND), None);
        quick.1.set(true);
        assert_eq!(ready(&mut newcomers, SECOND), Some(2));
        assert_eq!(ready(&mut newcomers, SECOND), None);
        assert!(newcomers.has(1) && !newcomers.has(2));
        slow.1.set(true);
        assert_eq!(ready(&mut newcomers, SECOND), Some(1));
        assert!(newcomers.is_empty());
    }

    #[test]
    fn a_device_that_never_reports_comes_after_a_tenth_of_a_second() {
        let mut newcomers = Newcomers::new();
        newcomers.add(Pad::new(1));
        assert_eq!(ready(&mut newcomers, SECOND), None);
        assert_eq!(ready(&mut newcomers, SECOND + Duration::from_millis(99)), None);
        newcomers.add(Pad::new(2)); // its own time begins now
        assert_eq!(ready(&mut newcomers, SECOND + LONGEST), Some(1));
        assert_eq!(ready(&mut newcomers, SECOND + LONGEST), None);
        assert_eq!(ready(&mut newcomers, SECOND + 2 * LONGEST), Some(2));
    }

    #[test]
    fn a_device_that_goes_while_it_waits_is_closed_and_does_not_come() {
        let (mut newcomers, pad) = (Newcomers::new(), Pad::new(1));
        newcomers.add(pad.clone());
        assert_eq!(Rc::strong_count(&pad.1), 2);
        newcomers.remove(1);
        assert_eq!(Rc::strong_count(&pad.1), 1);
        assert_eq!(ready(&mut newcomers, SECOND + LONGEST), None);
    }
}
