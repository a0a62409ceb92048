//! Wakes the SDL thread when a pad has data or another thread posts an order.

use std::fs::{File, OpenOptions};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use rustix::event::{EventfdFlags, Timespec, epoll, eventfd};
use rustix::fs::OFlags;

/// Wakes the SDL thread from other threads.
#[derive(Debug)]
pub(crate) struct Waker(OwnedFd);

impl Waker {
    /// # Errors
    /// The operating system has no file descriptor left.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    /// Ends the current wait, or the next one.
    pub(crate) fn wake(&self) {
        // Never read: each write is a new edge. It fails only after 2^64 - 2 calls.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }
}

/// The waker, and the files of the devices that are open in SDL.
///
/// Each device's file is opened a second time, beside SDL, only for notification and never read: SDL reads its own
/// descriptor. The kernel notifies once for each report, regardless of unread data. A device without such a file is polled every
/// millisecond.
///
/// # Source
/// own: SDL has no wait that ends when a joystick has data; its own wait polls every millisecond.
#[derive(Debug)]
pub(crate) struct Watch {
    epoll: OwnedFd,
    watched: Vec<(u32, File)>,
    /// Devices whose file cannot be opened, which must be polled.
    polled: Vec<u32>,
}

/// The maximum number of notifications handled at a time; the rest follows at the next wait.
const MOST: usize = 16;

impl Watch {
    /// Waits for `waker` only.
    /// # Errors
    /// The operating system has no file descriptor left.
    pub(crate) fn new(waker: &Waker) -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        add(&epoll, &waker.0)?;
        Ok(Self { epoll, watched: Vec::new(), polled: Vec::new() })
    }

    /// Also waits for device `id` with the file `path` according to SDL; empty for a virtual one, which changes only
    /// on request.
    pub(crate) fn add(&mut self, id: u32, path: &str) {
        if path.is_empty() {
            return;
        }
        let open = || -> io::Result<File> {
            // A path that is not a file, as from SDL's libusb driver, could name a file of the working directory.
            if !Path::new(path).is_absolute() {
                return Err(io::ErrorKind::NotFound.into());
            }
            let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
            let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
            add(&self.epoll, &file)?;
            Ok(file)
        };
        match open() {
            Ok(file) => self.watched.push((id, file)),
            Err(error) => {
                log::debug!("device {id} is polled every millisecond, '{path}' does not open: {error}");
                self.polled.push(id);
            }
        }
    }

    /// Stops waiting for device `id`.
    pub(crate) fn remove(&mut self, id: u32) {
        self.watched.retain(|(of, _)| *of != id); // this closes the file and removes it from epoll
        self.polled.retain(|of| *of != id);
    }

    /// Whether a device must be polled.
    pub(crate) fn must_be_polled(&self) -> bool {
        !self.polled.is_empty()
    }

    /// Waits for a notification, at most for `longest`.
    pub(crate) fn wait(&self, longest: Duration) {
        let longest = Timespec::try_from(longest).ok();
        let mut events = [const { MaybeUninit::<epoll::Event>::uninit() }; MOST];
        // An error, such as a signal, does not matter: the devices are polled next.
        let _ = epoll::wait(&self.epoll, &mut events, longest.as_ref());
    }
}

/// Edge-triggered: unread data does not wake the thread again.
fn add(epoll: &OwnedFd, file: &impl std::os::fd::AsFd) -> io::Result<()> {
    let flags = epoll::EventFlags::IN | epoll::EventFlags::ET;
    Ok(epoll::add(epoll, file, epoll::EventData::new_u64(0), flags)?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixDatagram;
    use std::thread;
    use std::time::Instant;

    use super::*;

    const LONG: Duration = Duration::from_secs(10);

    #[allow(clippy::disallowed_methods, reason = "the test measures how long it waits")]
    fn time(wait: impl FnOnce()) -> Duration {
        let start = Instant::now();
        wait();
        start.elapsed()
    }

    #[test]
    fn a_wake_before_the_wait_ends_it_and_only_it() {
        let waker = Waker::new().unwrap();
        let watch = Watch::new(&waker).unwrap();
        waker.wake();
        waker.wake();
        assert!(time(|| watch.wait(LONG)) < LONG);
        let short = Duration::from_millis(20);
        assert!(time(|| watch.wait(short)) >= short);
        waker.wake(); // the counter was not read
        assert!(time(|| watch.wait(LONG)) < LONG);
    }

    #[test]
    fn each_report_of_an_unread_file_ends_a_wait() {
        let watch = Watch::new(&Waker::new().unwrap()).unwrap();
        let (device, reader) = UnixDatagram::pair().unwrap();
        add(&watch.epoll, &reader).unwrap();
        for _ in 0..3 {
            device.send(&[1]).unwrap();
            assert!(time(|| watch.wait(LONG)) < LONG);
            let short = Duration::from_millis(20);
            assert!(time(|| watch.wait(short)) >= short, "it was notified once");
        }
        thread::scope(|scope| {
            scope.spawn(|| device.send(&[1]));
            assert!(time(|| watch.wait(LONG)) < LONG);
        });
    }

    #[test]
    fn a_device_whose_file_does_not_open_is_polled() {
        let mut watch = Watch::new(&Waker::new().unwrap()).unwrap();
        watch.add(1, "");
        assert!(!watch.must_be_polled(), "a virtual device is not polled");
        watch.add(2, "/dev/input/there-is-none");
        watch.add(3, "Cargo.toml");
        assert!(watch.must_be_polled());
        watch.remove(2);
        assert!(watch.must_be_polled());
        watch.remove(3);
        assert!(!watch.must_be_polled());
    }
}
