use safety::Stamp;

/// The number of newest samples that count.
const WINDOW: usize = 2048;

/// Latencies of the newest messages, from the stick event to where it is recorded.
///
/// # Real-time
/// [`record`](Latency::record) neither allocates nor sorts; [`quantiles`](Latency::quantiles) does both.
#[derive(Clone, Debug)]
pub struct Latency {
    micros: Vec<f64>,
    next: usize,
    total: u64,
    /// The last stamp that was recorded.
    last: Stamp,
}

/// The quantiles of a set of latencies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quantiles {
    /// How many messages were recorded since the start.
    pub total: u64,
    /// Half of the newest ones took no longer \[µs\].
    pub p50: f64,
    /// 99 of 100 of the newest ones took no longer \[µs\].
    pub p99: f64,
    /// The longest of the newest ones \[µs\].
    pub max: f64,
}

impl Default for Latency {
    fn default() -> Self {
        Self { micros: Vec::with_capacity(WINDOW), next: 0, total: 0, last: Stamp::ZERO }
    }
}

impl Latency {
    /// Records the time from `stamp` to `now`. Three kinds are left out: a zero stamp and an unknown one carry no time, a stamp from the future
    /// is no latency, and a stamp equal to the last one is the same stick event again, as during a ramp, whose age is not a
    /// latency.
    pub fn record(&mut self, stamp: Stamp, now: Stamp) {
        let again = std::mem::replace(&mut self.last, stamp) == stamp;
        if again || stamp <= Stamp::UNKNOWN || stamp > now {
            return;
        }
        self.push((now.as_nanos() - stamp.as_nanos()) as f64 / 1000.0);
    }

    /// Records a latency \[µs\].
    pub fn push(&mut self, micros: f64) {
        if self.micros.len() < WINDOW {
            self.micros.push(micros);
        } else {
            self.micros[self.next] = micros;
        }
        self.next = (self.next + 1) % WINDOW;
        self.total += 1;
    }

    /// The quantiles of the newest samples; `None` without samples.
    pub fn quantiles(&self) -> Option<Quantiles> {
        let mut sorted = self.micros.clone();
        sorted.sort_by(f64::total_cmp);
        let max = *sorted.last()?;
        let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
        Some(Quantiles { total: self.total, p50: at(0.5), p99: at(0.99), max })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_a_known_set() {
        let mut latency = Latency::default();
        assert_eq!(latency.quantiles(), None);
        for micros in (1..=101).rev() {
            latency.push(f64::from(micros));
        }
        // 101 values 1..=101: the middle one is 51, the one at 0.99 * 100 = 99 is 100.
        assert_eq!(latency.quantiles(), Some(Quantiles { total: 101, p50: 51.0, p99: 100.0, max: 101.0 }));
    }

    #[test]
    fn only_the_newest_count() {
        let mut latency = Latency::default();
        latency.push(1e6);
        for _ in 0..WINDOW {
            latency.push(1.0);
        }
        assert_eq!(latency.quantiles().map(|q| (q.max, q.total)), Some((1.0, WINDOW as u64 + 1)));
    }

    #[test]
    fn a_stamp_from_the_future_is_no_latency() {
        let mut latency = Latency::default();
        let now = Stamp { sec: 10, nanosec: 0 };
        latency.record(Stamp { sec: 10, nanosec: 1 }, now);
        latency.record(Stamp::ZERO, now);
        latency.record(Stamp::UNKNOWN, now);
        assert_eq!(latency.quantiles(), None);
        latency.record(Stamp { sec: 9, nanosec: 999_000_000 }, now);
        assert_eq!(latency.quantiles().map(|q| q.p50), Some(1000.0));
    }
}
