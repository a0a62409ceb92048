use core::fmt;

use safety::Stamp;

use crate::PoseState;

/// The first line of a log: the names of the columns.
///
/// # Source
/// own, after the related openrobots components, whose logs start like this; the component's own columns are not
/// known.
pub const LOG_HEADER: &str = "ts intrinsic active vx vy vz wx wy wz ax ay az dwx dwy dwz";

/// The data that one cycle writes to the log. In the row, numbers are formatted as `%g` and absent values as `nan`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LogRow {
    /// The stamp of the published state; that of the cycle if no state was published.
    pub stamp: Stamp,
    /// The frame of the published state.
    pub intrinsic: bool,
    /// Whether the stick drove.
    pub active: bool,
    /// The published linear velocity \[m/s\].
    pub vel: Option<[f64; 3]>,
    /// The published angular velocity \[rad/s\].
    pub avel: Option<[f64; 3]>,
    /// The published linear acceleration \[m/s²\].
    pub acc: Option<[f64; 3]>,
    /// The published angular acceleration \[rad/s²\].
    pub aacc: Option<[f64; 3]>,
    /// How many cycles before this one did not run because the machine was not polled in time. Not written.
    pub skipped: u64,
}

impl LogRow {
    /// Makes the row of the state that a cycle published, or of `stamp` and `intrinsic` if it published none.
    pub(crate) fn of(published: Option<PoseState>, stamp: Stamp, intrinsic: bool, active: bool) -> Self {
        let PoseState { stamp, intrinsic, vel, avel, acc, aacc, .. } =
            published.unwrap_or(PoseState { stamp, intrinsic, ..PoseState::default() });
        Self { stamp, intrinsic, active, vel, avel, acc, aacc, skipped: 0 }
    }
}

impl fmt::Display for LogRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stamp { sec, nanosec } = self.stamp;
        write!(f, "{sec}.{nanosec:09} {} {}", u8::from(self.intrinsic), u8::from(self.active))?;
        let parts = [self.vel, self.avel, self.acc, self.aacc];
        let numbers = parts.iter().flat_map(|part| part.unwrap_or([f64::NAN; 3]));
        numbers.into_iter().try_for_each(|number| write!(f, " {}", general(number)))
    }
}

/// The number as C's `printf("%g")` writes it: six significant digits, no trailing zeros, an exponent below 1e-4 and
/// from 1e6 on. NaN is `nan` whatever its sign.
/// # Source
/// ISO C, 7.21.6.1; own: the sign of a NaN means nothing here.
fn general(value: f64) -> String {
    /// The number of significant digits.
    const DIGITS: i32 = 6;
    if !value.is_finite() {
        return value.to_string().to_lowercase();
    }
    // Rounded first: 999999.5 becomes seven digits, which need an exponent.
    let rounded = format!("{value:.5e}");
    let (mantissa, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..DIGITS).contains(&exponent) {
        let places = (DIGITS - 1 - exponent).unsigned_abs() as usize;
        without_zeros(&format!("{value:.places$}")).to_owned()
    } else {
        format!("{}e{exponent:+03}", without_zeros(mantissa))
    }
}

fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// Decides which cycles are logged, and counts those missed because the disk was busy.
///
/// A row is due in the first cycle and in each whose number `decimation` divides. A due row is missed if the writer
/// is busy. A row after a gap is preceded by a blank line; a due cycle that did not run is also a gap. It belongs to the writer, which
/// alone knows what is in flight; the machine knows nothing of the disk.
///
/// # Source
/// The related openrobots components, which write asynchronously and check completion in due cycles only; their
/// writer is busy while it writes its single row.
#[derive(Clone, Copy, Debug)]
pub struct LogPace {
    decimation: u64,
    total: u64,
    miss: u64,
    in_flight: bool,
    gap: bool,
}

/// How to write a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLine {
    /// Directly after the previous row.
    Next,
    /// After a blank line: rows are missing before it.
    AfterGap,
}

impl LogPace {
    /// Every `decimation`th cycle; 0 counts as 1.
    pub fn new(decimation: u32) -> Self {
        let decimation = u64::from(decimation.max(1));
        Self { decimation, total: 0, miss: 0, in_flight: false, gap: false }
    }

    /// Skips cycles that did not run. They do not count as missed, since the disk did not cause it, but are a gap if
    /// one of them had a row due.
    pub fn skip(&mut self, cycles: u64) {
        self.gap |= cycles > 0 && (self.total % self.decimation).saturating_add(cycles) >= self.decimation;
    }

    /// Counts one cycle; `busy` means that the writer accepts no further row. A returned row must be written.
    pub fn cycle(&mut self, busy: bool) -> Option<LogLine> {
        self.total = self.total.saturating_add(1);
        if self.total.is_multiple_of(self.decimation) && self.in_flight {
            if busy {
                self.miss = self.miss.saturating_add(1);
                self.gap = true;
            } else {
                self.in_flight = false;
            }
        }
        if self.in_flight {
            return None;
        }
        self.in_flight = true;
        Some(if core::mem::take(&mut self.gap) { LogLine::AfterGap } else { LogLine::Next })
    }

    /// Cycles since the log was opened, saturated to the range of the message field.
    pub fn total(&self) -> u32 {
        u32::try_from(self.total).unwrap_or(u32::MAX)
    }

    /// Due rows that were not written, saturated to the range of the message field.
    pub fn miss(&self) -> u32 {
        u32::try_from(self.miss).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_that_did_not_run_is_a_gap_if_it_would_have_had_a_row() {
        // Decimation 4: of cycles 1 to 4 the first has a row and the fourth is due.
        let line = |before: u32, skipped| {
            let mut pace = LogPace::new(4);
            for _ in 0..before {
                pace.cycle(false);
            }
            pace.skip(skipped);
            (0..5).find_map(|_| pace.cycle(false))
        };
        assert_eq!([line(1, 0), line(1, 2)], [Some(LogLine::Next); 2]);
        assert_eq!([line(1, 3), line(3, 1), line(2, 100)], [Some(LogLine::AfterGap); 3]);
        let mut pace = LogPace::new(1);
        pace.cycle(false);
        pace.skip(u64::MAX);
        assert_eq!((pace.cycle(false), pace.miss()), (Some(LogLine::AfterGap), 0));
    }

    /// The numbers of the logged cycles; negative after a gap.
    fn rows(decimation: u32, busy: impl Fn(i32) -> bool, cycles: i32) -> (Vec<i32>, u32, u32) {
        let mut pace = LogPace::new(decimation);
        let mut rows = Vec::new();
        for cycle in 1..=cycles {
            match pace.cycle(busy(cycle)) {
                Some(LogLine::Next) => rows.push(cycle),
                Some(LogLine::AfterGap) => rows.push(-cycle),
                None => {}
            }
        }
        (rows, pace.miss(), pace.total())
    }

    #[test]
    fn the_first_cycle_and_every_multiple_is_a_row() {
        assert_eq!(rows(1, |_| false, 4), (vec![1, 2, 3, 4], 0, 4));
        assert_eq!(rows(0, |_| false, 3), (vec![1, 2, 3], 0, 3));
        assert_eq!(rows(5, |_| false, 17), (vec![1, 5, 10, 15], 0, 17));
    }

    #[test]
    fn a_row_missed_by_a_busy_disk_leaves_a_gap() {
        assert_eq!(rows(1, |cycle| (3..=5).contains(&cycle), 8), (vec![1, 2, -6, 7, 8], 3, 8));
        assert_eq!(rows(4, |cycle| cycle == 8, 17), (vec![1, 4, -12, 16], 1, 17));
        // Busy only in cycles without a due row, where it is not checked.
        assert_eq!(rows(4, |cycle| cycle % 4 != 0, 12), (vec![1, 4, 8, 12], 0, 12));
    }

    #[test]
    fn while_the_disk_hangs_every_due_row_is_missed() {
        assert_eq!(rows(3, |_| true, 10), (vec![1], 3, 10));
    }

    #[test]
    fn a_row_is_text_with_a_column_for_each_name() {
        let row = LogRow {
            skipped: 0,
            stamp: Stamp { sec: 12, nanosec: 34 },
            intrinsic: true,
            active: false,
            vel: Some([1.0, -0.5, 1e-7]),
            avel: Some([0.0; 3]),
            acc: None,
            aacc: Some([f64::INFINITY, f64::NAN, 1234567.0]),
        };
        assert_eq!(row.to_string(), "12.000000034 1 0 1 -0.5 1e-07 0 0 0 nan nan nan inf nan 1.23457e+06");
        assert_eq!(row.to_string().split(' ').count(), LOG_HEADER.split(' ').count());
    }
    #[test]
    fn a_number_is_written_as_c_writes_it() {
        // The output of printf("%g") of the GNU C library.
        let table = [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (0.1, "0.1"),
            (1.0 / 3.0, "0.333333"),
            (2.0 / 3.0, "0.666667"),
            (3.167_376_439_8, "3.16738"),
            (100_000.0, "100000"),
            (123_456.0, "123456"),
            (123_456.5, "123456"), // half to even
            (123_457.5, "123458"),
            (999_999.4, "999999"),
            (999_999.5, "1e+06"),
            (1_000_000.0, "1e+06"),
            (1_234_567.0, "1.23457e+06"),
            (0.0001, "0.0001"),
            (0.000_123_456_7, "0.000123457"),
            (0.000_099_999_94, "9.99999e-05"),
            (0.000_099_999_95, "0.0001"),
            (0.000_099_999_96, "0.0001"),
            (0.000_01, "1e-05"),
            (1e100, "1e+100"),
            (-1.25e-100, "-1.25e-100"),
            (f64::MAX, "1.79769e+308"),
            (f64::MIN_POSITIVE, "2.22507e-308"),
            (5e-324, "4.94066e-324"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
            (-f64::NAN, "nan"),
        ];
        for (value, text) in table {
            assert_eq!(general(value), text, "{value:e}");
        }
    }
}
