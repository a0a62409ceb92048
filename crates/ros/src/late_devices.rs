//! Network devices that came after this process had begun, which the middleware never uses.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use if_addrs::{IfAddr, get_if_addrs};
use safety::Instant;

use crate::clock;
use crate::panics::lock;

/// How often the devices are read.
const PERIOD: Duration = Duration::from_secs(5);

/// A device that carries IPv4 to other computers: its index, which no later device has, and its name.
type Device = (u32, String);

/// The devices of this process, whichever node reads them.
static DEVICES: Mutex<Devices> = Mutex::new(Devices { known: None, due: Instant::ZERO });

struct Devices {
    /// The indices of the devices at the begin, and of the reported ones.
    known: Option<BTreeSet<u32>>,
    due: Instant,
}

/// Warns of each device that was not there, or had no carrier or address, at the first call, once in this process. Expected when a node
/// is made, and repeatedly.
///
/// # Source
/// Fast DDS, as of 2.14: a participant sends to and receives from the devices that ran when it was made. An address that is given anew
/// to one of them is found; a device that was removed and comes back is another one.
pub(crate) fn warn_of_late_devices(node: &str) {
    let mut devices = lock(&DEVICES);
    let now = clock::now();
    if now >= devices.due {
        devices.due = now + PERIOD;
        for name in devices.take(running()) {
            log::warn!(
                target: node,
                "the network device '{name}' came up after this node had started: other computers on it neither receive nor reach this \
                 node; restart it once the network is up (in a unit of systemd: After=network-online.target)"
            );
        }
    }
}

impl Devices {
    /// The names of those that are new, except at the first call.
    fn take(&mut self, running: impl IntoIterator<Item = Device>) -> Vec<String> {
        let is_first = self.known.is_none();
        let known = self.known.get_or_insert_default();
        let new = running.into_iter().filter(|(index, _)| known.insert(*index) && !is_first);
        new.map(|(_, name)| name).collect()
    }
}

/// The devices that run now and have an address; none if they cannot be read.
fn running() -> BTreeSet<Device> {
    let addresses = get_if_addrs().into_iter().flatten();
    let running =
        addresses.filter(|one| one.is_oper_up() && !one.is_loopback() && matches!(one.addr, IfAddr::V4(_)));
    running.filter_map(|one| Some((one.index?, one.name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_comes_later_is_new_and_once() {
        let mut devices = Devices { known: None, due: Instant::ZERO };
        let device = |index, name: &str| (index, name.to_owned());
        let wlan = |index| device(index, "wlan0");
        assert_eq!(devices.take([device(2, "eth0"), wlan(3)]), Vec::<String>::new());
        assert_eq!(devices.take([wlan(3)]), Vec::<String>::new(), "eth0 is unplugged");
        assert_eq!(devices.take([device(2, "eth0"), wlan(4)]), ["wlan0"], "it comes back as another one");
        assert_eq!(devices.take([wlan(4)]), Vec::<String>::new());
    }
}
