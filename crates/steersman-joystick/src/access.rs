//! Why there may be no joystick: missing permissions, and what a container lacks.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

/// The obstacles found below `root`, which is `/`, as sentences for the user; empty if there are none.
pub fn obstacles(root: &Path) -> Vec<String> {
    let mut reasons = Vec::new();
    let input = root.join("dev/input");
    let joysticks = joysticks(&input);
    let unreadable = unreadable(&joysticks);
    if !input.is_dir() {
        reasons.push(
            "There is no /dev/input: the kernel knows no input device, or this is a container without it (docker run: \
             --device /dev/input, or -v /dev/input:/dev/input with a --device-cgroup-rule 'c 13:* rmw')."
                .into(),
        );
    } else if joysticks.is_empty() {
        reasons.push(
            "udev knows no joystick: there is no /dev/input/by-path/*-event-joystick. (SDL does not treat a SpaceMouse as a joystick: see \
             config/pads/spacemouse.yaml.)"
                .into(),
        );
    } else if unreadable.is_empty() {
        reasons.push(format!("Readable, but not a joystick to SDL: {}.", list(&joysticks)));
    } else {
        reasons.push(format!(
            "Not readable: {}. On a desktop the logged-in user may read joysticks; over ssh, or for a service, a udev rule \
             gives them to one group: SUBSYSTEM==\"input\", ENV{{ID_INPUT_JOYSTICK}}==\"1\", GROUP=\"plugdev\". (The group \
             `input` may read every keyboard too.)",
            list(&unreadable)
        ));
    }
    if !root.join("run/udev/control").exists() {
        reasons.push(
            "udev does not run here (a container?): devices are searched in /dev/input itself, and each needs its \
             file there. `-v /run/udev:/run/udev:ro` shares the host's udev."
                .into(),
        );
    }
    reasons
}

/// A hint about hidraw files that may not be read, although joysticks were found.
pub fn hidraw(root: &Path) -> Option<String> {
    let hidraw = files(&root.join("dev"), "hidraw");
    let unreadable = unreadable(&hidraw);
    (!unreadable.is_empty()).then(|| {
        format!(
            "Not readable: {}. A PlayStation or Switch pad among them is read through evdev instead, without its light, \
             gyro and battery, and with other axis and button numbers.",
            list(&unreadable)
        )
    })
}

/// The devices that udev treats as joysticks; keyboards and mice are not relevant here.
fn joysticks(input: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(input.join("by-path")).into_iter().flatten().flatten();
    let is_joystick = |path: &PathBuf| path.to_str().is_some_and(|path| path.ends_with("-event-joystick"));
    let mut joysticks: Vec<_> = entries.map(|entry| entry.path()).filter(is_joystick).collect();
    joysticks.sort();
    joysticks
}

/// The files of a folder with this word and a number as a name, in the order of the numbers.
fn files(folder: &Path, word: &str) -> Vec<PathBuf> {
    let number =
        |path: &PathBuf| -> Option<u32> { path.file_name()?.to_str()?.strip_prefix(word)?.parse().ok() };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).filter(|path| number(path).is_some()).collect();
    files.sort_by_key(number);
    files
}

/// Checks permissions without opening the file: a device may take long to open.
fn unreadable(files: &[PathBuf]) -> Vec<PathBuf> {
    files.iter().filter(|path| access(path.as_path(), Access::READ_OK).is_err()).cloned().collect()
}

fn list(files: &[PathBuf]) -> String {
    files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    /// A folder that represents `/`.
    struct Root(TempDir);

    impl Root {
        fn new() -> Root {
            let root = tempfile::tempdir().unwrap();
            fs::create_dir_all(root.path().join("run/udev")).unwrap();
            fs::write(root.path().join("run/udev/control"), "").unwrap();
            Root(root)
        }

        fn file(&self, path: &str) {
            let path = self.0.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }

        /// A file that cannot be opened by any user: a dangling link.
        fn locked(&self, path: &str) {
            let path = self.0.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink("/nonexistent", path).unwrap();
        }
    }

    #[test]
    fn each_obstacle_is_reported_separately() {
        let root = Root::new();
        let reasons = obstacles(root.0.path());
        assert!(reasons.len() == 1 && reasons[0].starts_with("There is no /dev/input:"), "{reasons:?}");
        fs::create_dir_all(root.0.path().join("dev/input")).unwrap();
        root.locked("dev/input/event0"); // a keyboard, which is not needed
        root.locked("dev/input/by-path/platform-i8042-serio-0-event-kbd");
        let none = obstacles(root.0.path());
        assert!(none.len() == 1 && none[0].starts_with("udev knows no joystick"), "{none:?}");
        root.file("dev/input/by-path/pci-usb-0:2-event-joystick");
        assert!(
            obstacles(root.0.path())[0].starts_with("Readable, but not a joystick to SDL:"),
            "{:?}",
            obstacles(root.0.path())
        );
        fs::remove_file(root.0.path().join("run/udev/control")).unwrap();
        let reasons = obstacles(root.0.path());
        assert!(reasons.len() == 2 && reasons[1].starts_with("udev does not run here"), "{reasons:?}");
    }

    #[test]
    fn unreadable_files_are_listed_in_order() {
        let root = Root::new();
        for port in ["3", "2"] {
            root.locked(&format!("dev/input/by-path/{port}-event-joystick"));
        }
        root.file("dev/input/by-path/4-event-joystick");
        root.locked("dev/input/event0");
        let reasons = obstacles(root.0.path()).remove(0);
        let name = |port| {
            root.0.path().join(format!("dev/input/by-path/{port}-event-joystick")).display().to_string()
        };
        assert!(reasons.starts_with(&format!("Not readable: {}, {}. On", name(2), name(3))), "{reasons}");
        assert!(!reasons.contains("usermod"), "the group input may read every keyboard");
        assert_eq!(hidraw(root.0.path()), None);
        root.locked("dev/hidraw0");
        assert!(hidraw(root.0.path()).unwrap().contains("hidraw0"));
    }
}
