/// The reading of one infra-red sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reading {
    /// Nothing is too near, and the floor is not missing.
    Clear,
    /// Something is too near, or the floor is missing.
    Blocked,
    /// The message is not a measurement.
    Invalid,
}

/// The state of one infra-red sensor: it blocks until every reading has been clear for the timeout.
///
/// One reading that is not clear blocks at once, and so does silence for the timeout. Neither the rate of a sensor nor a
/// flickering reading matters: one blocked reading within the timeout blocks.
/// # Source
/// own: the original counted calls (several per loop) and, by a reset that was never reached, stayed blocked until reboot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IrSensor {
    /// The last reading; `None` if none was received, or none for the timeout.
    reading: Option<Reading>,
    /// Age of the reading \[ns\], zero without one.
    age: u64,
    /// For how long every reading has been clear \[ns\], at most the timeout.
    clear_for: u64,
}

impl IrSensor {
    /// Whether the path in front of it counts as blocked.
    pub const fn is_blocking(self, timeout: u64) -> bool {
        self.clear_for < timeout
    }

    /// The last reading; `None` if none was received, or none for the timeout.
    pub const fn reading(self) -> Option<Reading> {
        self.reading
    }

    /// Lets `dt` \[ns\] pass.
    pub fn pass_time(&mut self, dt: u64, timeout: u64) {
        let Some(reading) = self.reading else { return };
        self.age = self.age.saturating_add(dt);
        if self.age >= timeout {
            *self = Self::default();
        } else if reading == Reading::Clear {
            self.clear_for = self.clear_for.saturating_add(dt).min(timeout);
        }
    }

    /// Records a reading that was measured `age` \[ns\] ago, which is less than the timeout.
    pub fn receive(&mut self, reading: Reading, age: u64) {
        self.reading = Some(reading);
        self.age = age;
        if reading != Reading::Clear {
            self.clear_for = 0;
        }
    }

    /// The time until it times out, or until it no longer blocks \[ns\]; `None` if neither happens by itself.
    pub fn changes_in(self, timeout: u64) -> Option<u64> {
        let silence = self.reading.map(|_| timeout.saturating_sub(self.age))?;
        match timeout - self.clear_for.min(timeout) {
            0 => Some(silence),
            _ if self.reading != Some(Reading::Clear) => Some(silence),
            clears => Some(silence.min(clears)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: u64 = 500;

    /// A sensor that has sent `readings`, each followed by a time.
    fn sensor(readings: &[(Reading, u64)]) -> IrSensor {
        let mut sensor = IrSensor::default();
        for &(reading, dt) in readings {
            sensor.receive(reading, 0);
            sensor.pass_time(dt, TIMEOUT);
        }
        sensor
    }

    fn blocks(readings: &[(Reading, u64)]) -> bool {
        sensor(readings).is_blocking(TIMEOUT)
    }

    #[test]
    fn it_blocks_until_it_has_been_clear_for_the_timeout() {
        use Reading::Clear;
        assert!(IrSensor::default().is_blocking(TIMEOUT));
        assert!(blocks(&[(Clear, 400), (Clear, 99)]));
        assert!(!blocks(&[(Clear, 400), (Clear, 100)]));
    }

    #[test]
    fn one_reading_that_is_not_clear_blocks_at_once() {
        use Reading::Clear;
        for bad in [Reading::Blocked, Reading::Invalid] {
            assert!(blocks(&[(Clear, 400), (Clear, 400), (bad, 0)]));
            assert!(blocks(&[(Clear, 400), (Clear, 400), (bad, 0), (Clear, 499)]));
            assert!(!blocks(&[(bad, 0), (Clear, 400), (Clear, 100)]));
        }
    }

    #[test]
    fn a_flickering_reading_blocks_at_any_rate_and_duty_cycle() {
        for period in [1, 10, 100, 499] {
            let mut sensor = sensor(&[(Reading::Clear, 400), (Reading::Clear, 400)]);
            for _ in 0..20 {
                sensor.receive(Reading::Blocked, 0);
                sensor.receive(Reading::Clear, 0);
                sensor.pass_time(period, TIMEOUT);
                assert!(sensor.is_blocking(TIMEOUT), "period {period}");
            }
        }
    }

    #[test]
    fn silence_blocks_and_the_age_of_a_measurement_counts() {
        assert!(!blocks(&[(Reading::Clear, 499), (Reading::Clear, 499)]));
        assert_eq!(sensor(&[(Reading::Clear, 499), (Reading::Clear, 500)]), IrSensor::default());
        let mut sensor = sensor(&[(Reading::Clear, 400), (Reading::Clear, 400)]);
        sensor.receive(Reading::Clear, 490);
        sensor.pass_time(10, TIMEOUT);
        assert_eq!(sensor, IrSensor::default());
    }

    #[test]
    fn it_predicts_its_next_change() {
        use Reading::{Blocked, Clear};
        assert_eq!(IrSensor::default().changes_in(TIMEOUT), None);
        let cases = [
            (sensor(&[(Clear, 400), (Clear, 10)]), 90),   // clear for 410
            (sensor(&[(Clear, 400), (Clear, 300)]), 200), // silence
            (sensor(&[(Blocked, 20)]), 480),              // silence
        ];
        for (sensor, left) in cases {
            assert_eq!(sensor.changes_in(TIMEOUT), Some(left));
            let after = |dt| {
                let mut later = sensor;
                later.pass_time(dt, TIMEOUT);
                (later.is_blocking(TIMEOUT), later.reading())
            };
            assert_eq!(after(left - 1), (sensor.is_blocking(TIMEOUT), sensor.reading()));
            assert_ne!(after(left), (sensor.is_blocking(TIMEOUT), sensor.reading()));
        }
    }
}
