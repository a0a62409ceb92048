//! The port of a device: which serial line it is, also after it came back.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use safety::{Identity, Likeness};

use crate::driver::Driver;
use crate::error::Error;
use crate::line::Line;
use crate::settings::Settings;

/// Opens one device again and again, and only that one; [`safety::identity`] has the rule.
///
/// After the first opening the device is known by its USB adapter and by its own answer, [`Driver::model`]. The adapter is that of the
/// opened file, by its device number, and no name on the way to it counts: a link may have the name of another line, and so may the file
/// that a container gets. It is compared before the first byte is sent.
///
/// | found at the configured path | opened |
/// |---|---|
/// | the known adapter, or one that cannot be distinguished from it | the path |
/// | nothing, or another adapter, but the known one is at one other port | that port |
/// | another adapter | nothing; no byte is sent |
/// | any of these, and the device's own answer is another one | nothing: it received only stop |
///
/// Only an adapter with a serial number that no other one had at any opening is found at another port: some makers give one number to all.
/// A line that is not on USB, or whose adapter the folder `sys` does not have, is known by its path.
pub struct Port {
    settings: Settings,
    known: Option<Known>,
    /// The folder with `sys` and `dev`.
    root: PathBuf,
}

struct Known {
    adapter: Adapter,
    model: String,
    /// Whether another adapter had the same serial number at an opening.
    has_twin: bool,
}

/// A USB adapter, or empty texts for a line that is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Adapter {
    /// Vendor, product, interface and port: one adapter may have several lines.
    model: String,
    serial: String,
}

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
        let settings = Settings { device: path.clone(), ..self.settings.clone() };
        let line = Line::open(&settings)?;
        let adapter = self.adapter_of(&line.metadata()?);
        let is_elsewhere = path != self.settings.device;
        // Judged again, and for good: the file is open, and what its name leads to does not matter any more.
        if let Some(Known { adapter: known, .. }) = &self.known
            && known.likeness(&adapter) < Known::least(is_elsewhere)
        {
            return Err(other_device(&path, describe(Some(&adapter)), describe(Some(known))));
        }
        let driver = settings.open_on(line)?;
        let model = driver.model().to_owned();
        if let Some(known) = self.known.as_ref().filter(|known| known.model != model) {
            return Err(other_device(&path, model, known.model.clone()));
        }
        if is_elsewhere {
            let (found, device) = (path.display(), self.settings.device.display());
            log::warn!(
                "the motor controller of '{device}' came back at '{found}': {}",
                describe(Some(&adapter))
            );
        }
        let has_twin = self.search(&adapter).len() > 1;
        self.known.get_or_insert(Known { adapter, model, has_twin: false }).has_twin |= has_twin;
        Ok(driver)
    }

    /// The path to open.
    fn locate(&self) -> Result<PathBuf, Error> {
        let device = &self.settings.device;
        let Some(Known { adapter: known, has_twin, .. }) = &self.known else { return Ok(device.clone()) };
        let found = self.adapter(device);
        if found.as_ref().is_some_and(|found| known.likeness(found) >= Known::least(false)) {
            return Ok(device.clone());
        }
        let elsewhere = if *has_twin { Vec::new() } else { self.search(known) };
        match (elsewhere.as_slice(), found) {
            ([only], _) => Ok(only.clone()),
            (_, Some(found)) => Err(other_device(device, describe(Some(&found)), describe(Some(known)))),
            // Opening the missing path has the system's reason.
            (_, None) => Ok(device.clone()),
        }
    }

    /// A path of each line of an adapter that is the same as `known`. Two paths may lead to one line.
    fn search(&self, known: &Adapter) -> Vec<PathBuf> {
        let lines = fs::read_dir(self.root.join("sys/class/tty")).into_iter().flatten().flatten();
        let paths = lines.map(|line| self.root.join("dev").join(line.file_name()));
        let found = paths.filter_map(|path| {
            let file = fs::metadata(&path).ok()?;
            (known.likeness(&self.adapter_of(&file)) >= Known::least(true)).then_some((file.rdev(), path))
        });
        BTreeMap::from_iter(found).into_values().collect()
    }

    /// The adapter of the line at `path`; `None` if nothing is there.
    fn adapter(&self, path: &Path) -> Option<Adapter> {
        fs::metadata(path).ok().map(|file| self.adapter_of(&file))
    }

    /// The adapter of an open line.
    fn adapter_of(&self, file: &Metadata) -> Adapter {
        if !file.file_type().is_char_device() {
            return Adapter::default();
        }
        let line = self.root.join("sys/dev/char").join(number(file.rdev()));
        fs::canonicalize(line).map_or_else(|_| Adapter::default(), |line| Adapter::of_line(&line))
    }
}

impl Known {
    /// How alike an adapter has to be to be opened.
    fn least(is_elsewhere: bool) -> Likeness {
        if is_elsewhere { Likeness::Same } else { Likeness::Indistinguishable }
    }
}

/// A device's number as `/sys/dev/char` has it, `188:0`.
/// # Source
/// `gnu_dev_major` and `gnu_dev_minor` of glibc's `sysmacros.h`.
fn number(device: u64) -> String {
    let major = ((device >> 8) & 0xfff) | ((device >> 32) & 0xffff_f000);
    let minor = (device & 0xff) | ((device >> 12) & 0xffff_ff00);
    format!("{major}:{minor}")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_number_is_written_as_the_kernel_writes_it() {
        assert_eq!(number(0xbc00), "188:0", "ttyUSB0");
        assert_eq!(number(0xa603), "166:3", "ttyACM3");
        assert_eq!(number(0x0010_bc2c), "188:300");
    }
}
