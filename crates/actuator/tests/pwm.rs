//! A PWM chip in a folder that imitates sysfs.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)] // what is expected here is the test's own ground
#![allow(clippy::disallowed_methods)] // the thread lives in real time

mod common;

use std::fs;
use std::path::PathBuf;

use actuator::pwm::{PERIOD, duty_cycle};
use actuator::{Actuator, Event, Kind, Settings, Timing, Trouble, Watchdog};
use common::{Folder, Told, calmly, feed_until, ms, sleep, wait};

struct Chip(Folder);

impl Chip {
    /// A chip with channels that are exported already.
    fn new(exported: &[u8]) -> Chip {
        let chip = Chip(Folder::new());
        chip.write("npwm", "4\n");
        chip.write("export", "");
        exported.iter().for_each(|channel| chip.appear(*channel));
        chip
    }

    fn appear(&self, channel: u8) {
        fs::create_dir(self.path(&format!("pwm{channel}"))).expect("a new channel");
        for (name, value) in [("period", "0"), ("duty_cycle", "0"), ("enable", "0"), ("polarity", "normal")] {
            self.write(&format!("pwm{channel}/{name}"), &format!("{value}\n"));
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.0.join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("an attribute").trim().to_owned()
    }

    /// In one go, as sysfs does it: nobody sees an attribute that is empty.
    fn write(&self, name: &str, value: &str) {
        fs::write(self.path("new"), value).expect("a file");
        fs::rename(self.path("new"), self.path(name)).expect("an attribute");
    }

    fn pulses(&self, channels: [u8; 2]) -> [String; 2] {
        channels.map(|channel| self.read(&format!("pwm{channel}/duty_cycle")))
    }

    fn settings(&self) -> Settings {
        Settings { reopen: ms(100), ..Settings::new(Kind::Pwm, &self.0.0) }
    }

    fn start(&self, told: &Told) -> Actuator {
        Actuator::open(self.settings(), Timing::default(), told.report()).expect("good settings")
    }
}

fn pulses(levels: [i16; 2]) -> [String; 2] {
    levels.map(|level| duty_cycle(level).to_string())
}

#[test]
fn levels_become_pulses_every_20_ms() {
    calmly(|| {
        let (chip, told) = (Chip::new(&[0, 1]), Told::default());
        let actuator = chip.start(&told);
        feed_until(&actuator, [66, -66], "it drives", || chip.pulses([0, 1]) == ["791000", "2152000"]);
        for channel in ["pwm0", "pwm1"] {
            assert_eq!(chip.read(&format!("{channel}/period")), "20000000");
            assert_eq!(chip.read(&format!("{channel}/enable")), "1");
        }
        let ready = told.all().remove(0);
        let Event::Ready { description, watchdog } = ready else { panic!("{ready:?}") };
        assert_eq!((watchdog, description.ends_with("pwm0 and pwm1")), (Watchdog::Absent, true));
        assert!(actuator.close());
        // The pulses go on, at stop.
        assert_eq!((chip.pulses([0, 1]), chip.read("pwm0/enable")), (pulses([0, 0]), "1".into()));
    });
}

#[test]
fn channels_and_signs_are_those_of_the_settings() {
    calmly(|| {
        let chip = Chip::new(&[2, 3]);
        let settings = Settings { channels: [3, 2], invert: [false, true], ..chip.settings() };
        let actuator = Actuator::open(settings, Timing::default(), |_| {}).expect("good settings");
        feed_until(&actuator, [40, 20], "it drives", || chip.pulses([3, 2]) == pulses([40, -20]));
    });
}

#[test]
fn silence_stops() {
    calmly(|| {
        let (chip, told) = (Chip::new(&[0, 1]), Told::default());
        let actuator = chip.start(&told);
        feed_until(&actuator, [66, 66], "it drives", || chip.pulses([0, 1]) == pulses([66, 66]));
        told.wait_for('S', 1);
        assert_eq!(chip.pulses([0, 1]), pulses([0, 0]));
    });
}

#[test]
fn a_channel_is_exported_and_waited_for() {
    calmly(|| {
        let (chip, told) = (Chip::new(&[0]), Told::default());
        let _actuator = chip.start(&told);
        wait("the export", || chip.read("export") == "1");
        sleep(ms(50));
        chip.appear(1);
        told.wait_for('R', 1);
        assert_eq!((chip.pulses([0, 1]), told.letters().as_str()), (pulses([0, 0]), "R"));
    });
}

#[test]
fn a_channel_that_does_not_appear_is_quoted() {
    calmly(|| {
        let (chip, told) = (Chip::new(&[0]), Told::default());
        let _actuator = chip.start(&told);
        told.wait_for('L', 1);
        assert!(matches!(told.trouble(), Trouble::Io { device, .. } if device.ends_with("pwm1/period")));
    });
}

#[test]
fn a_channel_that_the_chip_does_not_have_is_quoted() {
    calmly(|| {
        let (chip, told) = (Chip::new(&[0]), Told::default());
        let settings = Settings { channels: [0, 4], ..chip.settings() };
        let _actuator = Actuator::open(settings, Timing::default(), told.report()).expect("good settings");
        told.wait_for('L', 1);
        let text = told.trouble().to_string();
        assert!(text.ends_with("the answer is 4 channels, not one numbered 4"), "{text}");
    });
}

#[test]
fn a_pulse_that_a_killed_process_left_is_stopped_without_a_gap() {
    calmly(|| {
        let chip = Chip::new(&[0, 1]);
        for channel in ["pwm0", "pwm1"] {
            chip.write(&format!("{channel}/period"), "20000000");
            chip.write(&format!("{channel}/duty_cycle"), "791000");
            chip.write(&format!("{channel}/enable"), "1");
        }
        let written = |chip: &Chip| {
            fs::metadata(chip.path("pwm0/period")).and_then(|period| period.modified()).expect("a time")
        };
        let before = written(&chip);
        // Opening alone does it, before the actuator sends its stop.
        let _driver = chip.settings().open().expect("a chip");
        assert_eq!(chip.pulses([0, 1]), pulses([0, 0]));
        assert_eq!(written(&chip), before, "it was set up anew, which takes the pulses away for a moment");
    });
}

#[test]
fn another_period_or_polarity_is_put_right() {
    calmly(|| {
        let (chip, told) = (Chip::new(&[0, 1]), Told::default());
        chip.write("pwm0/period", "5000000");
        chip.write("pwm0/enable", "1");
        chip.write("pwm1/polarity", "inversed");
        let _actuator = chip.start(&told);
        told.wait_for('R', 1);
        assert_eq!((chip.read("pwm0/period"), chip.read("pwm0/enable")), (PERIOD.to_string(), "1".into()));
        assert_eq!((chip.read("pwm1/polarity"), chip.read("pwm1/enable")), ("normal".into(), "1".into()));
    });
}

#[test]
fn what_somebody_else_changed_is_lost_and_put_right() {
    calmly(|| {
        for (name, value) in [("enable", "0"), ("period", "10000000"), ("duty_cycle", "2000000")] {
            let (chip, told) = (Chip::new(&[0, 1]), Told::default());
            let actuator = chip.start(&told);
            feed_until(&actuator, [9, 9], "it drives", || chip.pulses([0, 1]) == pulses([9, 9]));
            // Again and again, so that it is seen between two repetitions of the same pulse.
            feed_until(&actuator, [9, 9], "it is lost", || {
                if told.count('L') == 0 {
                    chip.write(&format!("pwm1/{name}"), value);
                }
                told.count('L') == 1
            });
            let text = told.trouble().to_string();
            assert!(text.contains("pwm1': reading") && text.contains(value), "{text}");
            told.wait_for('R', 2);
            assert_eq!(chip.read("pwm1/enable"), "1");
        }
    });
}

#[test]
fn a_channel_belongs_to_one_actuator() {
    calmly(|| {
        let chip = Chip::new(&[0, 1, 2]);
        let driver = chip.settings().open().expect("a chip");
        let shared = Settings { channels: [2, 1], ..chip.settings() };
        let trouble = shared.open().err().expect("taken");
        assert!(matches!(&trouble, Trouble::Taken { device } if device.ends_with("pwm1")), "{trouble}");
        drop(driver);
        assert!(shared.open().is_ok());
    });
}

#[test]
fn a_chip_that_goes_is_lost() {
    calmly(|| {
        let (chip, told) = (Chip::new(&[0, 1]), Told::default());
        let actuator = chip.start(&told);
        feed_until(&actuator, [9, 9], "it drives", || chip.pulses([0, 1]) == pulses([9, 9]));
        fs::remove_dir_all(chip.path("pwm0")).expect("a channel");
        feed_until(&actuator, [9, 9], "it is lost", || told.count('L') == 1);
        // The other channel is stopped all the same.
        assert_eq!(chip.pulses([1, 1])[0], pulses([0, 0])[0]);
        assert!(matches!(told.trouble(), Trouble::Io { .. }));
    });
}
