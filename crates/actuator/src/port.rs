//! The port of a device: which serial line it is, also after it came back.

use std::fs;
use std::path::{Path, PathBuf};

use units::{Identity, Likeness};

use crate::driver::Driver;
use crate::error::Error;
use crate::settings::Settings;

/// Opens one device again and again, and only that one; [`units::identity`] has the rule.
///
/// After the first opening the device is known by its USB adapter and by its own answer, [`Driver::model`].
///
/// | found at the configured path | opened |
/// |---|---|
/// | the known adapter, or one that cannot be distinguished from it | the path |
/// | nothing, or another adapter, but the known one is at one other port | that port |
/// | another adapter | nothing; no byte is sent |
/// | any of these, and the device's own answer is another one | nothing: it received only stop |
///
/// Only an adapter with a serial number is found at another port. A line that is not on USB is known by its path.
pub struct Port {
    settings: Settings,
    known: Option<Known>,
    /// The folder with `sys` and `dev`.
    root: PathBuf,
}

struct Known {
    adapter: Adapter,
    model: String,
}

/// A USB adapter, or empty texts for a line that is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Adapter {
    /// Vendor, product, interface and port: one adapter may have several lines.
    model: String,
    serial: String,
}

/// How many links lead to a line at most.
const MOST_LINKS: usize = 8;

impl Port {
    /// The port of the device that `settings` select.
    pub fn new(settings: Settings) -> Port {
        Port::below(Path::new("/"), settings)
    }

    /// As [`Port::new`], with the folders `sys` and `dev` below `root`: for tests.
    pub fn below(root: &Path, settings: Settings) -> Port {
        Port { settings, known: None, root: root.into() }
    }

    /// Opens the device, which stops its motors. Blocks up to about two seconds.
    /// # Errors
    /// [`Error::OtherDevice`] if another device has taken its place, and those of [`Settings::open`].
    pub fn open(&mut self) -> Result<Box<dyn Driver>, Error> {
        let path = self.locate()?;
        let before = self.adapter(&path);
        let driver = Settings { device: path.clone(), ..self.settings.clone() }.open()?;
        // Read again: the adapter may have been changed while it was opened.
        let after = self.adapter(&path);
        let (Some(adapter), true) = (after.clone(), before == after) else {
            return Err(other_device(&path, describe(after.as_ref()), describe(before.as_ref())));
        };
        let model = driver.model().to_owned();
        if let Some(known) = self.known.as_ref().filter(|known| known.model != model) {
            return Err(other_device(&path, model, known.model.clone()));
        }
        if path != self.settings.device {
            let (found, device) = (path.display(), self.settings.device.display());
            log::warn!(
                "the motor controller of '{device}' came back at '{found}': {}",
                describe(Some(&adapter))
            );
        }
        self.known.get_or_insert(Known { adapter, model });
        Ok(driver)
    }

    /// The path to open.
    fn locate(&self) -> Result<PathBuf, Error> {
        let device = &self.settings.device;
        let Some(Known { adapter: known, .. }) = &self.known else { return Ok(device.clone()) };
        let found = self.adapter(device);
        if found.as_ref().is_some_and(|found| known.likeness(found) >= Likeness::Indistinguishable) {
            return Ok(device.clone());
        }
        match (self.search(known).as_slice(), found) {
            ([only], _) => Ok(only.clone()),
            (_, Some(found)) => Err(other_device(device, describe(Some(&found)), describe(Some(known)))),
            // Opening the missing path has the system's reason.
            (_, None) => Ok(device.clone()),
        }
    }

    /// The paths of all lines of the known adapter.
    fn search(&self, known: &Adapter) -> Vec<PathBuf> {
        let lines = fs::read_dir(self.root.join("sys/class/tty")).into_iter().flatten().flatten();
        let paths = lines.map(|line| self.root.join("dev").join(line.file_name()));
        let same =
            |path: &PathBuf| self.adapter(path).is_some_and(|found| known.likeness(&found) == Likeness::Same);
        paths.filter(same).collect()
    }

    /// The adapter of the line at `path`; `None` if nothing is there.
    fn adapter(&self, path: &Path) -> Option<Adapter> {
        fs::metadata(path).ok()?;
        let mut path = path.to_owned();
        for _ in 0..MOST_LINKS {
            let line = self.root.join("sys/class/tty").join(path.file_name()?);
            if let Ok(line) = fs::canonicalize(line) {
                return Some(Adapter::of_line(&line));
            }
            let Ok(next) = fs::read_link(&path) else { break };
            path = path.parent().map_or(next.clone(), |folder| folder.join(&next));
        }
        Some(Adapter::default())
    }
}

impl Adapter {
    /// The adapter of a line by its folder in `/sys/devices`.
    /// # Source
    /// The kernel's documents `sysfs-bus-usb` and `sysfs-bus-usb-serial`.
    fn of_line(line: &Path) -> Adapter {
        let read = |folder: &Path, name: &str| {
            fs::read_to_string(folder.join(name)).map(|text| text.trim().to_owned()).unwrap_or_default()
        };
        let first = |name: &str| {
            line.ancestors()
                .map(|folder| read(folder, name))
                .find(|text| !text.is_empty())
                .unwrap_or_default()
        };
        let Some(device) = line.ancestors().find(|folder| folder.join("idVendor").exists()) else {
            return Adapter::default();
        };
        let ids = format!("{}:{}", read(device, "idVendor"), read(device, "idProduct"));
        let model = format!("{ids}, interface {}, port {}", first("bInterfaceNumber"), first("port_number"));
        Adapter { model, serial: read(device, "serial") }
    }

    fn likeness(&self, found: &Adapter) -> Likeness {
        let known = Identity { model: &self.model, serial: &self.serial };
        known.likeness(Identity { model: &found.model, serial: &found.serial })
    }
}

fn describe(adapter: Option<&Adapter>) -> String {
    match adapter {
        None => "nothing".into(),
        Some(Adapter { model, .. }) if model.is_empty() => "a line without a USB adapter".into(),
        Some(Adapter { model, serial }) if serial.is_empty() => format!("USB adapter {model}"),
        Some(Adapter { model, serial }) => format!("USB adapter {model}, serial number {serial}"),
    }
}

fn other_device(path: &Path, found: String, known: String) -> Error {
    Error::OtherDevice { device: path.display().to_string(), found, known }
}
