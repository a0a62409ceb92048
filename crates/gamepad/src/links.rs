//! Links to a device's file, which are more stable than its number.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// The links in `/dev/input/by-path` and `/dev/input/by-id` to the file `path`, such as `/dev/input/event7`, then those of one's own udev
/// rules in `/dev/input` and `/dev`, each sorted by name. For `/dev/hidraw2`, the links to the kernel's input devices of the same hardware.
/// Empty if there are none.
///
/// # Source
/// Own: two identical pads without a serial number can only be distinguished by their ports, and the number of a file
/// depends on the order of connection.
pub(crate) fn to(path: &str) -> Vec<String> {
    below(Path::new("/"), path)
}

/// udev's folders of links, those by path first.
const FOLDERS: [&str; 2] = ["dev/input/by-path", "dev/input/by-id"];
/// The folders in which a rule such as `SYMLINK+="input/pad"` or `SYMLINK+="pad"` makes a link.
const OWN: [&str; 2] = ["dev/input", "dev"];

fn below(root: &Path, path: &str) -> Vec<String> {
    let events = events(root, path);
    let mut found: Vec<String> = FOLDERS.iter().flat_map(|folder| links(root, folder, &events)).collect();
    // A rule that also matches the device's second file, of the older interface, may give the link to that one.
    let older = events.iter().flat_map(|event| joystick(root, event)).collect();
    let files = [events, older].concat();
    found.extend(OWN.iter().flat_map(|folder| links(root, folder, &files)));
    found
}

/// The links in `folder` to one of `files` in `/dev/input`.
fn links(root: &Path, folder: &str, files: &[String]) -> Vec<String> {
    if files.is_empty() {
        return Vec::new();
    }
    let targets: Vec<_> = files.iter().map(|file| root.join("dev/input").join(file)).collect();
    let mut found = names(&root.join(folder));
    found.retain(|name| {
        let link = root.join(folder).join(name);
        let target = fs::read_link(&link).ok().and_then(|target| resolved(link.parent()?, &target));
        target.is_some_and(|target| targets.contains(&target))
    });
    found.sort();
    found.iter().map(|name| format!("/{folder}/{name}")).collect()
}

/// The path `target` as seen from `folder`, without `..`.
fn resolved(folder: &Path, target: &Path) -> Option<PathBuf> {
    let mut path = folder.to_owned();
    for part in target.components() {
        match part {
            Component::ParentDir => path.pop().then_some(())?,
            Component::CurDir => (),
            other => path.push(other),
        }
    }
    Some(path)
}

/// The files of the older interface, such as `js0`, of the hardware of `event`.
fn joystick(root: &Path, event: &str) -> Vec<String> {
    let mut found = names(&root.join("sys/class/input").join(event).join("device"));
    found.retain(|name| name.strip_prefix("js").is_some_and(|number| number.parse::<u32>().is_ok()));
    found
}

/// The names in `/dev/input` of the file, or of its related input devices.
fn events(root: &Path, path: &str) -> Vec<String> {
    let is_event = |name: &String| name.starts_with("event");
    if let Some(name) = path.strip_prefix("/dev/input/") {
        return Some(name.to_owned()).filter(is_event).into_iter().collect();
    }
    let Some(name) = path.strip_prefix("/dev/").filter(|name| name.starts_with("hidraw")) else {
        return Vec::new();
    };
    let inputs = root.join("sys/class/hidraw").join(name).join("device/input");
    let all = names(&inputs).into_iter().flat_map(|input| names(&inputs.join(input)));
    all.filter(is_event).collect()
}

/// The names in a folder; none if it cannot be read.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::TempDir;

    use super::*;

    /// A folder like `/`, with two pads, the second of them also at hidraw.
    fn root() -> TempDir {
        let root = tempfile::tempdir().unwrap();
        let dev = root.path().join("dev/input");
        for (folder, event, name) in [
            ("by-path", "event7", "pci-usb-0:2-event-joystick"),
            ("by-path", "event70", "pci-usb-0:3-event-joystick"),
            ("by-path", "event8", "pci-usb-0:4-event-mouse"),
            ("by-path", "event9", "pci-usb-0:4-event-joystick"),
            ("by-path", "js0", "pci-usb-0:2-joystick"),
            ("by-id", "event7", "usb-Pad-event-joystick"),
        ] {
            fs::create_dir_all(dev.join(folder)).unwrap();
            symlink(format!("../{event}"), dev.join(folder).join(name)).unwrap();
        }
        let inputs = root.path().join("sys/class/hidraw/hidraw2/device/input");
        for event in ["input30/event8", "input31/event9", "input31/capabilities"] {
            fs::create_dir_all(inputs.join(event)).unwrap();
        }
        root
    }

    #[test]
    fn links_by_path_come_first_and_other_devices_have_none_here() {
        let root = root();
        let port = "/dev/input/by-path/pci-usb-0:2-event-joystick";
        assert_eq!(
            below(root.path(), "/dev/input/event7"),
            [port, "/dev/input/by-id/usb-Pad-event-joystick"]
        );
        let other = "/dev/input/by-path/pci-usb-0:3-event-joystick";
        assert_eq!(below(root.path(), "/dev/input/event70"), [other]);
    }

    #[test]
    fn a_device_at_hidraw_has_the_links_of_the_kernel_s_devices() {
        let root = root();
        let ports = ["joystick", "mouse"].map(|kind| format!("/dev/input/by-path/pci-usb-0:4-event-{kind}"));
        assert_eq!(below(root.path(), "/dev/hidraw2"), ports);
    }

    #[test]
    fn a_link_of_one_s_own_rule_counts_wherever_it_leads() {
        let root = root();
        let dev = root.path().join("dev");
        fs::create_dir_all(root.path().join("sys/class/input/event7/device/js0")).unwrap();
        symlink("event7", dev.join("input/ps4")).unwrap();
        symlink("js0", dev.join("input/old")).unwrap();
        symlink("input/event7", dev.join("pad")).unwrap();
        symlink("event70", dev.join("input/other")).unwrap();
        symlink("../../../../event7", dev.join("astray")).unwrap();
        let all = below(root.path(), "/dev/input/event7");
        assert_eq!(all[2..], ["/dev/input/old", "/dev/input/ps4", "/dev/pad"]);
        assert_eq!(below(root.path(), "/dev/input/event70")[1..], ["/dev/input/other"]);
    }

    #[test]
    fn a_device_may_have_no_links() {
        let root = root();
        for path in
            ["/dev/input/event", "/dev/input/event99", "/dev/hidraw9", "/dev/input/js0", "", "/dev/input/"]
        {
            assert_eq!(below(root.path(), path), Vec::<String>::new(), "{path}");
        }
        assert_eq!(below(Path::new("/nonexistent"), "/dev/input/event7"), Vec::<String>::new());
    }
}
