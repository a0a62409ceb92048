//! The serial number for devices read by the kernel's driver, where SDL has none.

use std::fs;
use std::path::{Path, PathBuf};

/// The serial number of the device whose file is `path`, such as `/dev/input/event7`; empty if it has none.
///
/// The number that the device itself reports (mostly a Bluetooth address), otherwise the serial number of the USB
/// device or of its receiver.
///
/// # Source
/// Own: SDL 2 reads serial numbers from hidraw only, so two identical pads on evdev could not be distinguished.
pub(crate) fn of(path: &str) -> String {
    below(Path::new("/sys"), path).unwrap_or_default()
}

/// The maximum number of folders between an input device and its USB device; five are usual.
const MAX_DEPTH: usize = 8;

fn below(sys: &Path, path: &str) -> Option<String> {
    let event = Path::new(path).strip_prefix("/dev/input").ok()?.to_str()?;
    if !event.starts_with("event") || event.contains('/') {
        return None;
    }
    let input: PathBuf = fs::canonicalize(sys.join("class/input").join(event).join("device")).ok()?;
    let uniq = line(&input.join("uniq"));
    if uniq.is_some() {
        return uniq;
    }
    let usb = input.ancestors().take(MAX_DEPTH).find(|folder| folder.join("idVendor").exists())?;
    line(&usb.join("serial"))
}

/// The file's first line; `None` if there is none, or it is empty.
fn line(file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    /// A folder like `/sys`, with one input device, `event7`, of a USB device.
    fn sys(uniq: &str, serial: Option<&str>) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let usb = root.join("devices/usb1/1-2");
        let input = usb.join("1-2:1.0/input/input23");
        fs::create_dir_all(input.join("event7")).unwrap();
        fs::write(input.join("uniq"), format!("{uniq}\n")).unwrap();
        fs::write(usb.join("idVendor"), "045e\n").unwrap();
        if let Some(serial) = serial {
            fs::write(usb.join("serial"), format!("{serial}\n")).unwrap();
        }
        fs::create_dir_all(root.join("class/input")).unwrap();
        std::os::unix::fs::symlink(&input, input.join("event7/device")).unwrap();
        std::os::unix::fs::symlink(input.join("event7"), root.join("class/input/event7")).unwrap();
        folder
    }

    #[test]
    fn the_number_that_the_device_reports_comes_first() {
        let sys = sys("a0:5a:5c:01:02:03", Some("123"));
        assert_eq!(below(sys.path(), "/dev/input/event7").as_deref(), Some("a0:5a:5c:01:02:03"));
    }

    #[test]
    fn otherwise_the_usb_device_s_number_counts() {
        let sys = sys("", Some("3032363030"));
        assert_eq!(below(sys.path(), "/dev/input/event7").as_deref(), Some("3032363030"));
    }

    #[test]
    fn a_device_may_have_no_serial_number() {
        let sys = sys("", None);
        assert_eq!(below(sys.path(), "/dev/input/event7"), None);
        for other in ["/dev/input/event8", "/dev/hidraw0", "/dev/input/js0", "", "/dev/input/../event7"] {
            assert_eq!(below(sys.path(), other), None, "{other}");
        }
    }
}
