//! Why there may be no joystick: what this process may not read, and what a container lacks.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// What stands in the way below `root`, which is `/`; sentences for the user, none if nothing does.
pub fn obstacles(root: &Path) -> Vec<String> {
    let mut told = Vec::new();
    let input = root.join("dev/input");
    let events = files(&input, "event");
    let unreadable = unreadable(&events);
    if !input.is_dir() {
        told.push(
            "There is no /dev/input: the kernel knows no input device, or this is a container without it (docker run: \
             --device /dev/input, or -v /dev/input:/dev/input with a --device-cgroup-rule 'c 13:* rmw')."
                .into(),
        );
    } else if events.is_empty() {
        told.push("There is no /dev/input/event*: the kernel knows no input device.".into());
    } else if unreadable.is_empty() {
        told.push(format!(
            "All {} files /dev/input/event* are readable, so none of them is a joystick. (A SpaceMouse is none to SDL: \
             see config/pads/spacemouse.yaml.)",
            events.len()
        ));
    } else {
        told.push(format!(
            "Not readable: {}. Put the user into the group that owns them (mostly `sudo usermod -aG input $USER`, then \
             log in anew). On a desktop the one who sits at it may read them; over ssh nobody does.",
            list(&unreadable)
        ));
    }
    if !root.join("run/udev/control").exists() {
        told.push(
            "udev does not run here (a container?): devices are looked for in /dev/input itself, every one needs its \
             file there. `-v /run/udev:/run/udev:ro` shares the host's udev."
                .into(),
        );
    }
    told
}

/// What may be missed although joysticks are there: hidraw files that may not be read.
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

/// The files of a folder whose names are this word and a number, in the order of the numbers.
fn files(folder: &Path, word: &str) -> Vec<PathBuf> {
    let number =
        |path: &PathBuf| -> Option<u32> { path.file_name()?.to_str()?.strip_prefix(word)?.parse().ok() };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).filter(|path| number(path).is_some()).collect();
    files.sort_by_key(number);
    files
}

fn unreadable(files: &[PathBuf]) -> Vec<&Path> {
    files.iter().map(PathBuf::as_path).filter(|path| File::open(path).is_err()).collect()
}

fn list(files: &[&Path]) -> String {
    files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that stands for `/`.
    struct Root(PathBuf);

    impl Root {
        fn new(name: &str) -> Root {
            let root = std::env::temp_dir().join(format!("steersman-joystick-{}-{name}", std::process::id()));
            fs::create_dir_all(root.join("run/udev")).unwrap();
            fs::write(root.join("run/udev/control"), "").unwrap();
            Root(root)
        }

        fn file(&self, path: &str) {
            let path = self.0.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }

        /// A file that nobody can open, whoever runs the test: a link to nothing.
        fn locked(&self, path: &str) {
            let path = self.0.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink("/nonexistent", path).unwrap();
        }
    }

    impl Drop for Root {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn each_obstacle_is_told_by_itself() {
        let root = Root::new("bare");
        let told = obstacles(&root.0);
        assert!(told.len() == 1 && told[0].starts_with("There is no /dev/input:"), "{told:?}");
        fs::create_dir_all(root.0.join("dev/input")).unwrap();
        assert!(obstacles(&root.0)[0].starts_with("There is no /dev/input/event*"));
        root.file("dev/input/event0");
        root.file("dev/input/mice");
        assert!(obstacles(&root.0)[0].starts_with("All 1 files"), "{:?}", obstacles(&root.0));
        fs::remove_file(root.0.join("run/udev/control")).unwrap();
        let told = obstacles(&root.0);
        assert!(told.len() == 2 && told[1].starts_with("udev does not run here"), "{told:?}");
    }

    #[test]
    fn what_is_not_readable_is_listed_in_order() {
        let root = Root::new("locked");
        for number in [10, 9, 2] {
            root.locked(&format!("dev/input/event{number}"));
        }
        root.file("dev/input/event3");
        let told = obstacles(&root.0).remove(0);
        let name = |number| root.0.join(format!("dev/input/event{number}")).display().to_string();
        let expected = format!("Not readable: {}, {}, {}. Put", name(2), name(9), name(10));
        assert!(told.starts_with(&expected), "{told}");
        assert_eq!(hidraw(&root.0), None);
        root.locked("dev/hidraw0");
        assert!(hidraw(&root.0).unwrap().contains("hidraw0"));
    }
}
