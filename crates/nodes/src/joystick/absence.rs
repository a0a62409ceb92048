use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use joystick::{Joystick, Printable};
use ros::clock;
use rustix::fs::Access;
use safety::Instant;

use super::NAME;

/// The delay before a missing device is logged.
const FIRST_REPORT: Duration = Duration::from_secs(1);
/// The period at which this is logged again.
const REPEAT: Duration = Duration::from_secs(60);

/// Logs that no device drives, and the possible reason.
pub struct Absence {
    /// When it is logged next; `None` while a device drives.
    due: Option<Instant>,
}

impl Absence {
    /// No device is missing yet.
    pub fn new() -> Self {
        Self { due: None }
    }

    /// Called after each wake-up, with whether no device drives and a function that describes the state; looks for reasons when
    /// it logs.
    pub fn watch(&mut self, missing: bool, describe: impl FnOnce() -> Option<Missing>) {
        if self.is_due(missing, clock::now())
            && let Some(missing) = describe()
        {
            log::warn!(target: NAME, "{}", missing.text(Path::new("/")));
        }
    }

    fn is_due(&mut self, missing: bool, now: Instant) -> bool {
        if !missing {
            self.due = None;
            return false;
        }
        let due = *self.due.get_or_insert(now + FIRST_REPORT);
        if due <= now {
            self.due = Some(now + REPEAT);
        }
        due <= now
    }
}

/// No device drives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The device that is waited for; `None`: any.
    awaited: Option<String>,
    /// The connected devices.
    connected: Vec<String>,
    /// A sentence for each of them that lacks inputs which parameters name.
    refused: Vec<String>,
}

impl Missing {
    /// The state of `joystick` without a driving device; `None` if a device drives.
    pub fn of(joystick: &Joystick) -> Option<Self> {
        let awaited = || joystick.awaited().map(str::to_owned);
        let refused = || joystick.refused().iter().map(ToString::to_string).collect();
        joystick.controlled_id().is_none().then(|| Self {
            awaited: awaited(),
            connected: joystick.device_list(),
            refused: refused(),
        })
    }

    /// The line of the log. `root` is `/` except in tests.
    fn text(&self, root: &Path) -> String {
        let mut text = match &self.awaited {
            Some(name) => format!("no device drives: waiting for '{}'", Printable(name)),
            None => "no device drives: waiting for any".to_owned(),
        };
        if self.connected.is_empty() {
            text += "; none is connected";
            if let Some(obstacle) = obstacle(root) {
                text += &format!(": {obstacle}");
            }
        } else if let ([first, ..], []) = (self.connected.as_slice(), self.refused.as_slice()) {
            text += &format!("; connected: {} (control_device:={first} selects)", self.connected.join(", "));
        } else {
            text += &format!("; {}", self.refused.join("; "));
        }
        text
    }
}

/// A likely reason why no device can be read, if there is one; `steersman-joystick list` shows more.
///
/// Checks only devices that udev classifies as joysticks: keyboards and mice are not readable on an ordinary desktop, and need not be.
fn obstacle(root: &Path) -> Option<String> {
    let input = root.join("dev/input");
    if !input.is_dir() {
        return Some("there is no /dev/input (a container needs it given)".into());
    }
    let entries = fs::read_dir(input.join("by-path")).into_iter().flatten().flatten();
    let is_joystick = |path: &Path| path.to_str().is_some_and(|path| path.ends_with("-event-joystick"));
    let joysticks: Vec<_> = entries.map(|entry| entry.path()).filter(|path| is_joystick(path)).collect();
    // Checked with `access`, not by opening: a device may take long to open.
    let is_locked = |path: &&PathBuf| rustix::fs::access(path.as_path(), Access::READ_OK).is_err();
    let locked = joysticks.iter().filter(is_locked).count();
    (locked > 0).then(|| {
        format!(
            "{locked} of {} files /dev/input/by-path/*-event-joystick are not readable; `steersman-joystick list` shows more",
            joysticks.len()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absence_is_logged_after_a_second_and_then_each_minute() {
        let mut absence = Absence::new();
        let at = |millis| Instant::from_millis(millis);
        let mut due = |missing, millis| absence.is_due(missing, at(millis));
        assert_eq!(
            [due(true, 0), due(true, 999), due(true, 1000), due(true, 1001)],
            [false, false, true, false]
        );
        assert_eq!([due(true, 60_999), due(true, 61_005), due(true, 61_010)], [false, true, false]);
        // A device that was connected for a moment restarts the delay.
        assert_eq!([due(false, 61_020), due(true, 61_030), due(true, 62_030)], [false, false, true]);
    }

    #[test]
    fn a_missing_device_is_logged_with_the_connected_ones() {
        let missing = |awaited: Option<&str>, connected: &[&str]| Missing {
            awaited: awaited.map(str::to_owned),
            connected: connected.iter().map(|&name| name.to_owned()).collect(),
            refused: Vec::new(),
        };
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let text_of = |missing: Missing| missing.text(root);
        let no_input = "there is no /dev/input (a container needs it given)";
        assert_eq!(
            text_of(missing(Some("Pad\n"), &[])),
            format!("no device drives: waiting for 'Pad\\n'; none is connected: {no_input}")
        );
        assert_eq!(
            text_of(missing(Some("Pad"), &["Other", "Pad_1"])),
            "no device drives: waiting for 'Pad'; connected: Other, Pad_1 (control_device:=Other selects)"
        );
        let refused = vec!["Pad may not drive: linear.x.axis is 'lefty', ...".to_owned()];
        assert_eq!(
            text_of(Missing { refused, ..missing(None, &["Pad"]) }),
            "no device drives: waiting for any; Pad may not drive: linear.x.axis is 'lefty', ..."
        );
        let ports = root.join("dev/input/by-path");
        fs::create_dir_all(&ports).unwrap();
        // A dangling link is not readable, whichever user runs the test.
        let locked = |path: PathBuf| std::os::unix::fs::symlink("/nonexistent", path).unwrap();
        locked(root.join("dev/input/event0"));
        locked(ports.join("platform-i8042-serio-0-event-kbd"));
        fs::write(ports.join("pci-usb-0:1-event-joystick"), "").unwrap();
        let none = "no device drives: waiting for any; none is connected";
        assert_eq!(text_of(missing(None, &[])), none, "a keyboard that is not readable does not matter");
        locked(ports.join("pci-usb-0:2-event-joystick"));
        let found = text_of(missing(None, &[]));
        assert!(
            found.starts_with(&format!("{none}: 1 of 2 files /dev/input/by-path/*-event-joystick")),
            "{found}"
        );
    }
}
