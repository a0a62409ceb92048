/// What one infra-red sensor says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reading {
    /// Nothing is too near, and the floor is there.
    Clear,
    /// Something is too near, or the floor is not there.
    Blocked,
    /// The message is no measurement.
    Invalid,
}

/// How long an infra-red sensor must say something before it is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sight {
    /// Silence of so long counts as blocked \[ns\].
    pub timeout: u64,
    /// Not clear for so long counts as blocked \[ns\].
    pub debounce: u64,
    /// Clear for so long counts as clear \[ns\].
    pub clear_hold: u64,
}

/// What is believed of one infra-red sensor: bad until proven good.
///
/// * Never heard, or silent for the timeout: bad at once, since nothing is known.
/// * Blocked or invalid without a clear reading in between for the debounce time: bad. Clear without another reading in
///   between for the clear-hold: good. Both count time, not readings, so that the rate of a sensor does not matter.
/// # Source
/// own: the original counted calls (several per loop) and, by a reset that was never reached, stayed bad until reboot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Eye {
    /// The last reading; `None` if never heard or timed out.
    reading: Option<Reading>,
    /// Age of the reading \[ns\], zero without one.
    age: u64,
    bad: bool,
    /// For how long the readings have spoken against `bad` \[ns\].
    against: u64,
}

impl Default for Eye {
    /// A sensor of which nothing has been heard.
    fn default() -> Self {
        Self { reading: None, age: 0, bad: true, against: 0 }
    }
}

impl Eye {
    /// Whether the way in front of it counts as blocked.
    pub const fn is_bad(self) -> bool {
        self.bad
    }

    /// The last reading; `None` if it was never heard or is silent.
    pub const fn reading(self) -> Option<Reading> {
        self.reading
    }

    /// Lets `dt` \[ns\] pass.
    pub fn pass_time(&mut self, dt: u64, sight: &Sight) {
        let Some(reading) = self.reading else { return };
        self.age = self.age.saturating_add(dt);
        if self.age >= sight.timeout {
            *self = Self::default();
            return;
        }
        if self.is_against(reading) {
            self.against = self.against.saturating_add(dt);
            self.believe(reading, sight);
        }
    }

    /// Takes note of a reading.
    pub fn receive(&mut self, reading: Reading, sight: &Sight) {
        self.reading = Some(reading);
        self.age = 0;
        if self.is_against(reading) {
            self.believe(reading, sight);
        } else {
            self.against = 0;
        }
    }

    /// How long it takes until the verdict changes if nothing comes \[ns\]; `None` if it does not.
    pub fn expires_in(self, sight: &Sight) -> Option<u64> {
        let reading = self.reading?;
        let silence = sight.timeout.saturating_sub(self.age);
        if !self.is_against(reading) {
            return Some(silence);
        }
        let enough = if reading == Reading::Clear { sight.clear_hold } else { sight.debounce };
        Some(silence.min(enough.saturating_sub(self.against)))
    }

    fn is_against(self, reading: Reading) -> bool {
        self.bad == (reading == Reading::Clear)
    }

    /// Changes the verdict once the readings have spoken against it for long enough.
    fn believe(&mut self, reading: Reading, sight: &Sight) {
        let clear = reading == Reading::Clear;
        if self.against >= if clear { sight.clear_hold } else { sight.debounce } {
            self.bad = !clear;
            self.against = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGHT: Sight = Sight { timeout: 500, debounce: 40, clear_hold: 60 };

    /// An eye that has heard `readings`, each followed by a time.
    fn eye(readings: &[(Reading, u64)]) -> Eye {
        let mut eye = Eye::default();
        for &(reading, dt) in readings {
            eye.receive(reading, &SIGHT);
            eye.pass_time(dt, &SIGHT);
        }
        eye
    }

    #[test]
    fn it_is_bad_until_it_was_clear_for_the_hold() {
        assert!(Eye::default().is_bad());
        assert!(eye(&[(Reading::Clear, 59)]).is_bad());
        assert!(!eye(&[(Reading::Clear, 60)]).is_bad());
        assert!(!eye(&[(Reading::Clear, 30), (Reading::Clear, 30)]).is_bad());
        assert!(eye(&[(Reading::Clear, 59), (Reading::Blocked, 0), (Reading::Clear, 59)]).is_bad());
    }

    #[test]
    fn blocked_and_invalid_count_after_the_debounce() {
        for bad in [Reading::Blocked, Reading::Invalid] {
            assert!(!eye(&[(Reading::Clear, 60), (bad, 39)]).is_bad());
            assert!(eye(&[(Reading::Clear, 60), (bad, 40)]).is_bad());
            assert!(!eye(&[(Reading::Clear, 60), (bad, 39), (Reading::Clear, 0), (bad, 39)]).is_bad());
        }
        let both = [(Reading::Clear, 60), (Reading::Blocked, 20), (Reading::Invalid, 20)];
        assert!(eye(&both).is_bad(), "changing from one bad reading to another is no good news");
    }

    #[test]
    fn silence_is_bad_at_once() {
        assert!(!eye(&[(Reading::Clear, 499)]).is_bad());
        assert_eq!(eye(&[(Reading::Clear, 500)]), Eye::default());
        assert_eq!(eye(&[(Reading::Clear, u64::MAX)]), Eye::default());
    }

    #[test]
    fn it_knows_when_its_verdict_will_change() {
        assert_eq!(Eye::default().expires_in(&SIGHT), None);
        let cases = [
            (eye(&[(Reading::Clear, 10)]), 50),                         // the hold of 60
            (eye(&[(Reading::Clear, 100)]), 400),                       // silence, 500 after the reading
            (eye(&[(Reading::Clear, 60), (Reading::Blocked, 15)]), 25), // the debounce of 40
            (eye(&[(Reading::Blocked, 499)]), 1),                       // bad already, then silent
        ];
        for (eye, left) in cases {
            assert_eq!(eye.expires_in(&SIGHT), Some(left));
            let verdict = |dt| {
                let mut later = eye;
                later.pass_time(dt, &SIGHT);
                (later.is_bad(), later.reading())
            };
            assert_eq!(verdict(left - 1), (eye.is_bad(), eye.reading()));
            assert_ne!(verdict(left), (eye.is_bad(), eye.reading()));
        }
    }

    #[test]
    fn without_debounce_one_reading_counts() {
        let sight = Sight { debounce: 0, clear_hold: 0, ..SIGHT };
        let mut eye = Eye::default();
        eye.receive(Reading::Clear, &sight);
        assert!(!eye.is_bad());
        eye.receive(Reading::Blocked, &sight);
        assert!(eye.is_bad());
    }
}
