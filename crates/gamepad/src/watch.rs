//! What wakes the SDL thread: a pad that has something to say, or another thread that asks for something.

use std::fs::{File, OpenOptions};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{EventfdFlags, Timespec, epoll, eventfd};
use rustix::fs::OFlags;

/// By which other threads wake the SDL thread.
#[derive(Debug)]
pub(crate) struct Bell(OwnedFd);

impl Bell {
    /// # Errors
    /// The operating system has no file descriptor left.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    /// Ends the wait, or the next one.
    pub(crate) fn ring(&self) {
        // It fails only where it was rung 2^64 - 2 times and not heard.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }
}

/// The bell, and the files of the devices that are open in SDL.
///
/// Each device's own file is opened a second time beside SDL, to be told when something comes, and is never read: what SDL reads is
/// its own copy. The kernel tells it once for each report, however much lies unread.
///
/// # Source
/// own: SDL has no wait that ends when a joystick has something; its own wait looks every millisecond.
#[derive(Debug)]
pub(crate) struct Watch {
    epoll: OwnedFd,
    bell: Arc<Bell>,
    watched: Vec<(u32, File)>,
    /// Devices whose file cannot be opened.
    blind: Vec<u32>,
}

/// How many readings of files are taken at a time; what is more comes with the next wait.
const MOST: usize = 16;

impl Watch {
    /// Waits for `bell` alone.
    /// # Errors
    /// The operating system has no file descriptor left.
    pub(crate) fn new(bell: Arc<Bell>) -> io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        add(&epoll, &bell.0)?;
        Ok(Self { epoll, bell, watched: Vec::new(), blind: Vec::new() })
    }

    /// Waits for device `id` too, whose file SDL says is `path`; empty for a virtual one, which moves only when it is asked to.
    pub(crate) fn add(&mut self, id: u32, path: &str) {
        if path.is_empty() {
            return;
        }
        let open = || -> io::Result<File> {
            // A path that is none, as SDL's driver over libusb has them, could name a file of the working directory.
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
                log::debug!("device {id} is looked at every millisecond, '{path}' does not open: {error}");
                self.blind.push(id);
            }
        }
    }

    /// Waits for device `id` no more.
    pub(crate) fn remove(&mut self, id: u32) {
        self.watched.retain(|(of, _)| *of != id); // which closes the file, and epoll forgets it
        self.blind.retain(|of| *of != id);
    }

    /// Whether there is a device that nothing tells of.
    pub(crate) fn is_blind(&self) -> bool {
        !self.blind.is_empty()
    }

    /// Waits until something may have come, at most for `longest`.
    pub(crate) fn wait(&self, longest: Duration) {
        let longest = Timespec::try_from(longest).ok();
        let mut events = [const { MaybeUninit::<epoll::Event>::uninit() }; MOST];
        // Whatever it says, a signal included: the devices are looked at next.
        let _ = epoll::wait(&self.epoll, &mut events, longest.as_ref());
        let _ = rustix::io::read(&self.bell.0, &mut [0; 8]);
    }
}

/// Edge-triggered: what lies unread wakes nobody again.
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

    #[allow(clippy::disallowed_methods, reason = "what is tested is how long it waits")]
    fn time(wait: impl FnOnce()) -> Duration {
        let start = Instant::now();
        wait();
        start.elapsed()
    }

    #[test]
    fn a_bell_that_rang_before_the_wait_ends_it_and_only_it() {
        let bell = Arc::new(Bell::new().unwrap());
        let watch = Watch::new(Arc::clone(&bell)).unwrap();
        bell.ring();
        bell.ring();
        assert!(time(|| watch.wait(LONG)) < LONG);
        let short = Duration::from_millis(20);
        assert!(time(|| watch.wait(short)) >= short);
    }

    #[test]
    fn each_report_of_a_file_that_nobody_reads_ends_a_wait() {
        let watch = Watch::new(Arc::new(Bell::new().unwrap())).unwrap();
        let (device, reader) = UnixDatagram::pair().unwrap();
        add(&watch.epoll, &reader).unwrap();
        for _ in 0..3 {
            device.send(&[1]).unwrap();
            assert!(time(|| watch.wait(LONG)) < LONG);
            let short = Duration::from_millis(20);
            assert!(time(|| watch.wait(short)) >= short, "it was told of once");
        }
        thread::scope(|scope| {
            scope.spawn(|| device.send(&[1]));
            assert!(time(|| watch.wait(LONG)) < LONG);
        });
    }

    #[test]
    fn a_device_whose_file_does_not_open_is_looked_at() {
        let mut watch = Watch::new(Arc::new(Bell::new().unwrap())).unwrap();
        watch.add(1, "");
        assert!(!watch.is_blind(), "a virtual one");
        watch.add(2, "/dev/input/there-is-none");
        watch.add(3, "Cargo.toml");
        assert!(watch.is_blind());
        watch.remove(2);
        assert!(watch.is_blind());
        watch.remove(3);
        assert!(!watch.is_blind());
    }
}
