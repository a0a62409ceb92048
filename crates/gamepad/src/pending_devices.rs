//! Open devices that have not reported their axes yet.

use std::time::Duration;

/// An open device.
pub(crate) trait PendingDevice {
    /// SDL's instance id.
    fn id(&self) -> u32;
    /// Whether SDL knows the value of each axis.
    fn has_reported(&self) -> bool;
}

/// Open devices that are not reported to the sink, because they have not sent a report.
///
/// # Source
/// Own: SDL's own drivers (hidraw) discard what a pad sends before it is open, so after opening every axis reads 0
/// and no button is down. The pad's first report arrives some milliseconds later: a dead-man button held at the
/// connection would then look like a new press.
pub(crate) struct PendingDevices<Device> {
    /// Each device with the start of its wait.
    waiting: Vec<(Device, Option<Duration>)>,
}

/// The time limit for the first report. Some devices report only when they are moved.
pub(crate) const TIMEOUT: Duration = Duration::from_millis(100);

impl<Device: PendingDevice> PendingDevices<Device> {
    pub(crate) fn new() -> Self {
        PendingDevices { waiting: Vec::new() }
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

    /// Closes the device, if it is pending.
    pub(crate) fn remove(&mut self, id: u32) {
        self.waiting.retain(|(device, _)| device.id() != id);
    }

    /// The next device whose wait has ended at the time `now`: it has reported, or the limit has passed.
    pub(crate) fn ready(&mut self, now: Duration) -> Option<Device> {
        let is_ready = |(device, since): &mut (Device, Option<Duration>)| {
            let since = *since.get_or_insert(now);
            device.has_reported() || now.saturating_sub(since) >= TIMEOUT
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

    /// A device that reports when the test sets its flag.
    #[derive(Clone)]
    struct Pad(u32, Rc<Cell<bool>>);

    impl Pad {
        fn new(id: u32) -> Pad {
            Pad(id, Rc::default())
        }
    }

    impl PendingDevice for Pad {
        fn id(&self) -> u32 {
            self.0
        }

        fn has_reported(&self) -> bool {
            self.1.get()
        }
    }

    const SECOND: Duration = Duration::from_secs(1);

    fn ready(pending: &mut PendingDevices<Pad>, now: Duration) -> Option<u32> {
        pending.ready(now).map(|pad| pad.id())
    }

    #[test]
    fn a_device_is_ready_with_its_first_report() {
        let (mut pending, slow, quick) = (PendingDevices::new(), Pad::new(1), Pad::new(2));
        pending.add(slow.clone());
        pending.add(quick.clone());
        assert_eq!(ready(&mut pending, SECOND), None);
        quick.1.set(true);
        assert_eq!(ready(&mut pending, SECOND), Some(2));
        assert_eq!(ready(&mut pending, SECOND), None);
        assert!(pending.has(1) && !pending.has(2));
        slow.1.set(true);
        assert_eq!(ready(&mut pending, SECOND), Some(1));
        assert!(pending.is_empty());
    }

    #[test]
    fn a_device_that_never_reports_is_ready_after_a_tenth_of_a_second() {
        let mut pending = PendingDevices::new();
        pending.add(Pad::new(1));
        assert_eq!(ready(&mut pending, SECOND), None);
        assert_eq!(ready(&mut pending, SECOND + Duration::from_millis(99)), None);
        pending.add(Pad::new(2)); // its own wait starts now
        assert_eq!(ready(&mut pending, SECOND + TIMEOUT), Some(1));
        assert_eq!(ready(&mut pending, SECOND + TIMEOUT), None);
        assert_eq!(ready(&mut pending, SECOND + 2 * TIMEOUT), Some(2));
    }

    #[test]
    fn a_device_disconnected_while_pending_is_closed_and_not_reported() {
        let (mut pending, pad) = (PendingDevices::new(), Pad::new(1));
        pending.add(pad.clone());
        assert_eq!(Rc::strong_count(&pad.1), 2);
        pending.remove(1);
        assert_eq!(Rc::strong_count(&pad.1), 1);
        assert_eq!(ready(&mut pending, SECOND + TIMEOUT), None);
    }
}
