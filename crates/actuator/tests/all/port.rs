//! A device that comes back at another port, and others that take its place.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)] // helpers of tests

use crate::common;

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use actuator::level::duty;
use actuator::{Actuator, Error, Kind, Port, Settings};
use common::fake::{Fake, Fault, Model};
use common::maestro::Maestro;
use common::roboclaw::RoboClaw;
use common::{ANSWER, Events, PATIENT, feed_until};
use tempfile::TempDir;

/// Vendor, product, interface and serial number of an adapter.
type Adapter = (&'static str, &'static str, &'static str, &'static str);

const FTDI: Adapter = ("0403", "6001", "00", "A5069RR4");

/// The folders `sys` and `dev` with the adapters that are plugged in.
struct Computer(TempDir);

impl Computer {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a new folder"))
    }

    fn dev(&self, line: &str) -> PathBuf {
        self.0.path().join("dev").join(line)
    }

    fn usb(&self, line: &str) -> PathBuf {
        self.0.path().join("sys/devices/usb1").join(line)
    }

    fn numbers(&self) -> PathBuf {
        self.0.path().join("sys/dev/char")
    }

    /// Plugs an adapter in; its line is the one at `path`.
    fn plug(&self, line: &str, adapter: Adapter, path: &Path) {
        let (vendor, product, interface, serial) = adapter;
        let usb = self.usb(line);
        let of_interface = usb.join("1-1:1.0");
        let of_line = of_interface.join("tty").join(line);
        let class = self.0.path().join("sys/class/tty");
        for folder in [&of_line, &class, &self.numbers(), &self.0.path().join("dev")] {
            fs::create_dir_all(folder).expect("a folder");
        }
        for (folder, name, text) in [
            (&usb, "idVendor", vendor),
            (&usb, "idProduct", product),
            (&usb, "serial", serial),
            (&of_interface, "bInterfaceNumber", interface),
        ] {
            fs::write(folder.join(name), format!("{text}\n")).expect("a file");
        }
        symlink(&of_line, class.join(line)).expect("a link");
        // A pseudo-terminal's numbers are small: `dev_t` has the major above eight bits of the minor.
        let number = fs::metadata(path).expect("a line").rdev();
        symlink(&of_line, self.numbers().join(format!("{}:{}", number >> 8, number & 0xff))).expect("a link");
        symlink(path, self.dev(line)).expect("a link");
    }

    fn unplug(&self, line: &str) {
        fs::remove_file(self.dev(line)).expect("a link");
        fs::remove_file(self.0.path().join("sys/class/tty").join(line)).expect("a link");
        let is_of_line =
            |number: &PathBuf| fs::read_link(number).is_ok_and(|folder| folder.starts_with(self.usb(line)));
        let numbers = fs::read_dir(self.numbers()).expect("a folder").flatten().map(|number| number.path());
        numbers.filter(is_of_line).for_each(|number| fs::remove_file(number).expect("a link"));
        fs::remove_dir_all(self.usb(line)).expect("a folder");
    }

    fn port(&self, kind: Kind) -> Port {
        let settings = Settings { answer: ANSWER, ..Settings::new(kind, self.dev("ttyUSB0")) };
        Port::below(self.0.path(), settings)
    }
}

/// The error of an opening; the device, if it opens, is stopped and closed.
fn refusal(port: &mut Port) -> Option<Error> {
    port.open().err()
}

/// A port whose device was opened and is unplugged.
fn opened_once(computer: &Computer, adapter: Adapter, kind: Kind, path: &Path) -> Port {
    computer.plug("ttyUSB0", adapter, path);
    let mut port = computer.port(kind);
    assert_eq!(refusal(&mut port), None);
    computer.unplug("ttyUSB0");
    port
}

#[test]
fn an_adapter_that_comes_back_at_another_port_is_found_stopped_and_driven() {
    let computer = Computer::new();
    let mut claw = Fake::new(RoboClaw::new());
    computer.plug("ttyUSB0", FTDI, &claw.path());
    let (events, mut port) = (Events::default(), computer.port(Kind::RoboClaw));
    let actuator = Actuator::start(move || port.open(), PATIENT, events.report()).expect("a thread");
    events.wait_for('R', 1);
    let full = [66, 66].map(|level| i32::from(duty(level)));
    feed_until(&actuator, [66, 66], "it drives", || claw.motors() == full);
    claw.unplug();
    computer.unplug("ttyUSB0");
    feed_until(&actuator, [66, 66], "it is lost", || events.count('L') == 1);
    // Something else is plugged in where it was.
    let other = Fake::new(RoboClaw::new());
    computer.plug("ttyUSB0", ("0403", "6001", "00", "B0000001"), &other.path());
    claw.plug();
    claw.with(|claw| claw.duties = [1, 1]);
    let before = claw.received().len();
    computer.plug("ttyUSB1", FTDI, &claw.path());
    events.wait_for('R', 2);
    let first: Vec<u8> = claw.received()[before..].iter().map(|(_, byte)| *byte).take(6).collect();
    assert_eq!(first, [0x80, 34, 0, 0, 0, 0], "a stop is the first");
    feed_until(&actuator, [66, 66], "it drives again", || claw.motors() == full);
    assert_eq!(other.received(), [], "not a byte is sent to the other one");
}

#[test]
fn another_adapter_at_the_path_receives_no_byte_and_is_named() {
    let others: [Adapter; 4] = [
        ("0403", "6001", "00", "B0000001"),
        ("0403", "6015", "00", "A5069RR4"),
        ("1a86", "7523", "00", ""),
        // The second line of the same adapter.
        ("0403", "6001", "02", "A5069RR4"),
    ];
    for adapter in others {
        let (computer, claw) = (Computer::new(), Fake::new(RoboClaw::new()));
        let mut port = opened_once(&computer, FTDI, Kind::RoboClaw, &claw.path());
        let other = Fake::new(RoboClaw::new());
        computer.plug("ttyUSB0", adapter, &other.path());
        let error = refusal(&mut port).expect("another device");
        let known = "not USB adapter 0403:6001, interface 00, port , serial number A5069RR4 as at first";
        assert!(matches!(error, Error::OtherDevice { .. }) && error.to_string().contains(known), "{error}");
        assert_eq!(other.received(), [], "{adapter:?}");
        computer.unplug("ttyUSB0");
        computer.plug("ttyUSB0", FTDI, &claw.path());
        assert_eq!(refusal(&mut port), None, "the known one is back");
    }
}

#[test]
fn an_adapter_that_cannot_be_distinguished_is_found_at_its_path_only() {
    let (computer, claw) = (Computer::new(), Fake::new(RoboClaw::new()));
    let without = ("1a86", "7523", "00", "");
    let mut port = opened_once(&computer, without, Kind::RoboClaw, &claw.path());
    computer.plug("ttyUSB1", without, &claw.path());
    assert!(matches!(refusal(&mut port), Some(Error::Io { action: "opening it", .. })));
    computer.unplug("ttyUSB1");
    computer.plug("ttyUSB0", without, &claw.path());
    assert_eq!(refusal(&mut port), None);
    // Adapters whose maker gave all of them one serial number.
    let (computer, claw) = (Computer::new(), Fake::new(RoboClaw::new()));
    let mut port = opened_once(&computer, FTDI, Kind::RoboClaw, &claw.path());
    let other = Fake::new(RoboClaw::new());
    computer.plug("ttyUSB1", FTDI, &claw.path());
    computer.plug("ttyUSB2", FTDI, &other.path());
    assert!(matches!(refusal(&mut port), Some(Error::Io { action: "opening it", .. })));
}

#[test]
fn an_adapter_whose_serial_number_another_one_has_is_found_at_its_path_only() {
    let (computer, claw) = (Computer::new(), Fake::new(RoboClaw::new()));
    let twin = Fake::new(RoboClaw::new());
    computer.plug("ttyUSB1", FTDI, &twin.path());
    let mut port = opened_once(&computer, FTDI, Kind::RoboClaw, &claw.path());
    // Now the twin is the only one of its serial number.
    assert!(matches!(refusal(&mut port), Some(Error::Io { action: "opening it", .. })));
    assert_eq!(twin.received(), [], "not a byte is sent to the other one");
    computer.plug("ttyUSB0", FTDI, &claw.path());
    assert_eq!(refusal(&mut port), None);
}

const OTHER: Adapter = ("0403", "6001", "00", "B0000001");

/// The device that is at `path` is opened, unplugged and plugged in again at another port: it is found there, and the other one, whose
/// line is called ttyUSB0, receives nothing.
fn is_followed_and_no_other(
    computer: &Computer,
    path: PathBuf,
    line: &str,
    claw: &Fake<RoboClaw>,
    other: &Fake<RoboClaw>,
) {
    let settings = Settings { answer: ANSWER, ..Settings::new(Kind::RoboClaw, path.clone()) };
    let mut port = Port::below(computer.0.path(), settings);
    assert_eq!(refusal(&mut port), None);
    computer.unplug(line);
    fs::remove_file(path).expect("a link");
    computer.plug("ttyUSB4", FTDI, &claw.path());
    let before = claw.received().len();
    assert_eq!(refusal(&mut port), None);
    assert!(claw.received().len() > before, "the known one is opened");
    assert_eq!(other.received(), [], "not a byte is sent to the other one");
}

#[test]
fn a_link_with_the_name_of_another_line_is_the_line_that_it_leads_to() {
    let (computer, claw, other) = (Computer::new(), Fake::new(RoboClaw::new()), Fake::new(RoboClaw::new()));
    computer.plug("ttyUSB0", OTHER, &other.path());
    computer.plug("ttyUSB3", FTDI, &claw.path());
    fs::create_dir(computer.dev("robot")).expect("a folder");
    symlink("../ttyUSB3", computer.dev("robot/ttyUSB0")).expect("a link");
    is_followed_and_no_other(&computer, computer.dev("robot/ttyUSB0"), "ttyUSB3", &claw, &other);
}

#[test]
fn a_line_that_a_container_calls_by_another_name_is_known_by_its_number() {
    let (computer, claw, other) = (Computer::new(), Fake::new(RoboClaw::new()), Fake::new(RoboClaw::new()));
    computer.plug("ttyUSB0", OTHER, &other.path());
    computer.plug("ttyUSB3", FTDI, &claw.path());
    fs::remove_file(computer.dev("ttyUSB0")).expect("a link");
    symlink(claw.path(), computer.dev("ttyUSB0")).expect("a link");
    is_followed_and_no_other(&computer, computer.dev("ttyUSB0"), "ttyUSB3", &claw, &other);
}

#[test]
fn a_controller_that_answers_with_another_version_is_another_one_and_is_left_at_stop() {
    let (computer, claw) = (Computer::new(), Fake::new(RoboClaw::new()));
    computer.plug("ttyUSB0", FTDI, &claw.path());
    let (events, mut port) = (Events::default(), computer.port(Kind::RoboClaw));
    let actuator = Actuator::start(move || port.open(), PATIENT, events.report()).expect("a thread");
    events.wait_for('R', 1);
    claw.fail(Fault::Flipped);
    feed_until(&actuator, [66, 66], "it is lost", || events.count('L') == 1);
    claw.with(|claw| claw.version = b"USB Roboclaw 2x60a v4.1.34\n\0");
    claw.fail(Fault::Nothing);
    feed_until(&actuator, [66, 66], "it is named", || events.count('L') == 2);
    let text = events.error().to_string();
    assert!(
        text.contains("is USB Roboclaw 2x60a v4.1.34, not USB Roboclaw 2x7a v4.1.34 as at first"),
        "{text}"
    );
    assert_eq!((events.letters().as_str(), claw.motors()), ("RLL", [0, 0]));
}

/// Opens a device with this fault and checks that it is refused.
fn is_refused(kind: Kind, model: impl Model, fault: Fault) {
    let fake = Fake::new(model);
    fake.fail(fault);
    let error = Settings::new(kind, fake.path()).open().err();
    let is_wrong = |error: &Error| {
        matches!(error, Error::WrongAnswer { .. } | Error::NoAnswer { .. } | Error::DeviceFault { .. })
    };
    assert!(error.as_ref().is_some_and(is_wrong), "{kind:?} {fault:?}: {error:?}");
}

#[test]
fn a_line_that_echoes_is_not_opened() {
    for fault in [Fault::Echo, Fault::EchoFirst, Fault::Tail, Fault::Garbage] {
        is_refused(Kind::RoboClaw, RoboClaw::new(), fault);
        is_refused(Kind::Pololu, Maestro::new(), fault);
    }
}

#[test]
fn a_confirmation_with_more_behind_it_is_none() {
    let claw = Fake::new(RoboClaw::new());
    let settings = Settings { answer: ANSWER, ..Settings::new(Kind::RoboClaw, claw.path()) };
    let mut driver = settings.open().expect("a device");
    claw.fail(Fault::Tail);
    let error = driver.drive([66, 66]).expect_err("the rest of an echo");
    assert!(matches!(&error, Error::WrongAnswer { found, .. } if found == "'FF 80'"), "{error}");
}

#[test]
fn another_kind_of_device_is_not_opened() {
    is_refused(Kind::RoboClaw, Maestro::new(), Fault::Nothing);
    is_refused(Kind::Pololu, RoboClaw::new(), Fault::Nothing);
    is_refused(Kind::Pololu, Zeros, Fault::Nothing);
}

/// A device that answers every byte from 0x80 on with two zeros.
struct Zeros;

impl Model for Zeros {
    fn receive(&mut self, byte: u8, _: std::time::Instant) -> Vec<u8> {
        if [0xA1, 0x90].contains(&byte) { vec![0, 0] } else { Vec::new() }
    }
    fn tick(&mut self, _: std::time::Instant) {}
    fn motors(&self) -> [i32; 2] {
        [0, 0]
    }
}

#[test]
fn half_a_frame_that_waits_in_the_line_is_no_answer() {
    for (kind, half) in [(Kind::RoboClaw, vec![0xFF]), (Kind::Pololu, vec![0])] {
        let open = |path: PathBuf| Settings::new(kind, path).open().map(|_| ()).err();
        let refused = match kind {
            Kind::RoboClaw => {
                let fake = Fake::new(RoboClaw::new());
                fake.fail(Fault::Mute);
                fake.send_unasked(&half);
                open(fake.path())
            }
            Kind::Pololu => {
                let fake = Fake::new(Maestro::new());
                fake.fail(Fault::Short);
                fake.send_unasked(&half);
                open(fake.path())
            }
        };
        assert!(matches!(refused, Some(Error::NoAnswer { .. } | Error::WrongAnswer { .. })), "{refused:?}");
    }
}
