//! Two channels of a Linux PWM chip, through sysfs: servo pulses to two speed controllers.
//!
//! # The device's own watchdog
//! It has **none**. The chip keeps the last pulse for ever when this process is killed or the kernel hangs, and a speed
//! controller cannot tell that pulse from a living one. So it must not be the only thing that stops: put a hardware watchdog
//! behind it that takes the speed controllers' power, or use one of the other devices. After a clean end, and after a
//! restart of the process, the pulses are at stop.
//!
//! # Source
//! Linux kernel, `Documentation/ABI/testing/sysfs-class-pwm` and `Documentation/driver-api/pwm.rst`, "Using PWMs with the
//! sysfs interface". Period and pulses are those of the seed's servo library.

use std::fs::{File, OpenOptions, read_to_string};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::claim::claim;
use crate::driver::Driver;
use crate::level;
use crate::settings::Settings;
use crate::trouble::Trouble;

/// The time from pulse to pulse in nanoseconds: 20 ms.
pub const PERIOD: u32 = 20_000_000;

/// How long an exported channel has to appear and become writable: a rule of the system may have to give the right first.
const APPEARS_WITHIN: Duration = Duration::from_millis(300);

/// The pulse of a level in nanoseconds: 791000 (full forward), 1472000 (stop) to 2152000 (full reverse); out of range is full.
pub fn duty_cycle(level: i16) -> u32 {
    u32::from(level::pulse(level)) * 1000
}

/// Two channels of one chip.
/// # Real-time
/// A write is as quick as the chip's own driver in the kernel; nothing here waits. Opening waits up to 300 ms a channel.
pub struct Pwm {
    chip: PathBuf,
    channels: [Channel; 2],
    invert: [bool; 2],
}

/// One exported channel: the folder `pwmN`.
struct Channel {
    folder: PathBuf,
    duty_cycle: u32,
    /// Holds the channel for this process.
    _claim: File,
}

impl Pwm {
    /// Opens two channels of the chip whose folder [`Settings::device`] is, such as `/sys/class/pwm/pwmchip0`, and lets
    /// both give stop pulses.
    /// # Errors
    /// The chip or a channel is not there, cannot be written, or is held by another process.
    pub fn open(settings: &Settings) -> Result<Pwm, Trouble> {
        let chip = &settings.device;
        let [first, second] = settings.channels;
        let channels = [Channel::open(chip, first)?, Channel::open(chip, second)?];
        Ok(Pwm { chip: chip.clone(), channels, invert: settings.invert })
    }
}

impl Driver for Pwm {
    fn drive(&mut self, levels: [i16; 2]) -> Result<(), Trouble> {
        let [port, starboard] = levels;
        let [first, second] = &mut self.channels;
        let [a, b] = self.invert;
        // Both are tried: one that can still be stopped is.
        let outcome = first.set(duty_cycle(level::limited(port, a)));
        second.set(duty_cycle(level::limited(starboard, b))).and(outcome)
    }

    fn check(&mut self) -> Result<(), Trouble> {
        self.channels.iter().try_for_each(Channel::check)
    }

    fn description(&self) -> String {
        let names = self
            .channels
            .each_ref()
            .map(|channel| channel.folder.file_name().unwrap_or_default().to_string_lossy().into_owned());
        format!("PWM chip '{}', {}", self.chip.display(), names.join(" and "))
    }
}

impl Channel {
    fn open(chip: &Path, number: u8) -> Result<Channel, Trouble> {
        let folder = chip.join(format!("pwm{number}"));
        if !folder.is_dir() {
            within_the_chip(chip, number)?;
            write(&chip.join("export"), "exporting a channel", &number.to_string())?;
        }
        wait_until_writable(&folder)?;
        let claimed = File::open(&folder).map_err(|error| Trouble::io(&folder, "opening it", &error))?;
        claim(&claimed, &folder)?;
        let mut channel = Channel { folder, duty_cycle: 0, _claim: claimed };
        channel.prepare()?;
        Ok(channel)
    }

    /// Stop pulses every 20 ms. A channel that runs already, left over from a process that was killed, is not interrupted
    /// unless its period or polarity is another.
    fn prepare(&mut self) -> Result<(), Trouble> {
        let inversed = self.read("polarity").is_ok_and(|polarity| polarity == "inversed");
        if inversed || self.read("period")? != PERIOD.to_string() {
            if self.read("enable")? != "0" {
                self.write("enable", "0")?;
            }
            if inversed {
                self.write("polarity", "normal")?;
            }
            // The kernel refuses a period that is shorter than the pulse.
            self.write("duty_cycle", "0")?;
            self.write("period", &PERIOD.to_string())?;
        }
        self.set(duty_cycle(0))?;
        self.write("enable", "1")
    }

    fn set(&mut self, duty_cycle: u32) -> Result<(), Trouble> {
        self.duty_cycle = duty_cycle;
        self.write("duty_cycle", &duty_cycle.to_string())
    }

    /// Whether the channel still does what it was told.
    fn check(&self) -> Result<(), Trouble> {
        let wanted = [
            ("enable", "reading 'enable' back", "1".to_owned()),
            ("period", "reading 'period' back", PERIOD.to_string()),
            ("duty_cycle", "reading 'duty_cycle' back", self.duty_cycle.to_string()),
        ];
        for (name, action, wanted) in wanted {
            let found = self.read(name)?;
            if found != wanted {
                let device = self.folder.display().to_string();
                return Err(Trouble::Answer { device, action, found, wanted });
            }
        }
        Ok(())
    }

    fn read(&self, name: &'static str) -> Result<String, Trouble> {
        let path = self.folder.join(name);
        let text = read_to_string(&path).map_err(|error| Trouble::io(&path, "reading it", &error))?;
        Ok(text.trim().to_owned())
    }

    fn write(&self, name: &'static str, value: &str) -> Result<(), Trouble> {
        write(&self.folder.join(name), "writing it", value)
    }
}

/// Quotes the number of channels if the chip has too few.
fn within_the_chip(chip: &Path, number: u8) -> Result<(), Trouble> {
    let path = chip.join("npwm");
    let text = read_to_string(&path).map_err(|error| Trouble::io(&path, "counting its channels", &error))?;
    match text.trim().parse::<u32>() {
        Ok(count) if u32::from(number) >= count => {
            let found = format!("{count} channels");
            let (device, action) = (path.display().to_string(), "counting its channels");
            Err(Trouble::Answer { device, action, found, wanted: format!("one numbered {number}") })
        }
        // A chip that does not tell will refuse to export.
        _ => Ok(()),
    }
}

#[allow(clippy::disallowed_methods)] // the wait for a folder that the kernel makes has an end
fn wait_until_writable(folder: &Path) -> Result<(), Trouble> {
    let end = Instant::now() + APPEARS_WITHIN;
    loop {
        let missing = ["period", "duty_cycle", "enable"].into_iter().find_map(|name| {
            let path = folder.join(name);
            OpenOptions::new().write(true).open(&path).err().map(|error| (path, error))
        });
        match missing {
            None => return Ok(()),
            Some((path, error)) if Instant::now() >= end => {
                return Err(Trouble::io(&path, "opening it for writing", &error));
            }
            Some(_) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// Writes an attribute, which must be there already.
fn write(path: &Path, action: &'static str, value: &str) -> Result<(), Trouble> {
    let written = |path: &Path| -> io::Result<()> {
        OpenOptions::new().write(true).truncate(true).open(path)?.write_all(value.as_bytes())
    };
    written(path).map_err(|error| Trouble::io(path, action, &error))
}
