use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use joystick::{Joystick, Printable};
use ros::clock;
use rustix::fs::Access;
use units::Instant;

use super::NAME;

/// How long nothing is said of a device that is missing.
const FIRST_REPORT: Duration = Duration::from_secs(1);
/// How often it is said that it still is.
const REPEAT: Duration = Duration::from_secs(60);

/// Says that no device drives, and what may be the reason, to whoever reads the log.
pub struct Absence {
    /// When it is to be said next; `None` while a device drives.
    due: Option<Instant>,
}

impl Absence {
    /// Nothing is known yet.
    pub fn new() -> Self {
        Self { due: None }
    }

    /// To be called all the time, with whether no device drives and who tells more of it; looks for reasons besides.
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
    /// Who is waited for; `None`: anyone.
    awaited: Option<String>,
    /// The ports of those that are connected.
    connected: Vec<String>,
}

impl Missing {
    /// What `joystick` misses; `None` if a device drives.
    pub fn of(joystick: &Joystick) -> Option<Self> {
        let awaited = || joystick.awaited().map(str::to_owned);
        joystick
            .controlled_id()
            .is_none()
            .then(|| Self { awaited: awaited(), connected: joystick.device_list() })
    }

    /// `root` is `/`.
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
        } else {
            text += &format!("; connected: {} (control_device selects)", self.connected.join(", "));
        }
        text
    }
}

/// What may be in the way of all devices; `steersman-joystick list` says more.
///
/// Only what udev takes for a joystick: keyboards and mice are not readable on any ordinary desktop, and need not be.
fn obstacle(root: &Path) -> Option<String> {
    let input = root.join("dev/input");
    if !input.is_dir() {
        return Some("there is no /dev/input (a container needs it given)".into());
    }
    let entries = fs::read_dir(input.join("by-path")).into_iter().flatten().flatten();
    let is_joystick = |path: &Path| path.to_str().is_some_and(|path| path.ends_with("-event-joystick"));
    let joysticks: Vec<_> = entries.map(|entry| entry.path()).filter(|path| is_joystick(path)).collect();
    // Asked, not opened: a device may take its time to open.
    let is_locked = |path: &&PathBuf| rustix::fs::access(path.as_path(), Access::READ_OK).is_err();
    let locked = joysticks.iter().filter(is_locked).count();
    (locked > 0).then(|| {
        format!(
            "{locked} of {} files /dev/input/by-path/*-event-joystick are not readable; `steersman-joystick list` says more",
            joysticks.len()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absence_is_said_after_a_second_and_then_each_minute() {
        let mut absence = Absence::new();
        let at = |millis| Instant::from_millis(millis);
        let mut due = |missing, millis| absence.is_due(missing, at(millis));
        assert_eq!(
            [due(true, 0), due(true, 999), due(true, 1000), due(true, 1001)],
            [false, false, true, false]
        );
        assert_eq!([due(true, 60_999), due(true, 61_005), due(true, 61_010)], [false, true, false]);
        // There for a moment: it begins anew.
        assert_eq!([due(false, 61_020), due(true, 61_030), due(true, 62_030)], [false, false, true]);
    }

    #[test]
    fn a_missing_device_is_told_with_what_is_there_instead() {
        let missing = |awaited: Option<&str>, connected: &[&str]| Missing {
            awaited: awaited.map(str::to_owned),
            connected: connected.iter().map(|&name| name.to_owned()).collect(),
        };
        let root = std::env::temp_dir().join(format!("steersman-absence-{}", std::process::id()));
        let text_of = |missing: Missing| missing.text(&root);
        let no_input = "there is no /dev/input (a container needs it given)";
        assert_eq!(
            text_of(missing(Some("Pad\n"), &[])),
            format!("no device drives: waiting for 'Pad\\n'; none is connected: {no_input}")
        );
        assert_eq!(
            text_of(missing(Some("Pad"), &["Other", "Pad_1"])),
            "no device drives: waiting for 'Pad'; connected: Other, Pad_1 (control_device selects)"
        );
        let ports = root.join("dev/input/by-path");
        fs::create_dir_all(&ports).unwrap();
        // A link to nothing is not readable, whoever runs the test.
        let locked = |path: PathBuf| std::os::unix::fs::symlink("/nonexistent", path).unwrap();
        locked(root.join("dev/input/event0"));
        locked(ports.join("platform-i8042-serio-0-event-kbd"));
        fs::write(ports.join("pci-usb-0:1-event-joystick"), "").unwrap();
        let none = "no device drives: waiting for any; none is connected";
        assert_eq!(
            text_of(missing(None, &[])),
            none,
            "a keyboard that is not readable is none of its business"
        );
        locked(ports.join("pci-usb-0:2-event-joystick"));
        let found = text_of(missing(None, &[]));
        assert!(
            found.starts_with(&format!("{none}: 1 of 2 files /dev/input/by-path/*-event-joystick")),
            "{found}"
        );
        fs::remove_dir_all(&root).unwrap();
    }
}
