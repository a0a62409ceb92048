use core::fmt::{self, Write};

/// Formats a number like C's `printf("%g")`: six significant digits, no trailing zeros, an exponent below 1e-4 and
/// from 1e6 on. NaN is `nan` whatever its sign.
/// # Source
/// ISO C, 7.21.6.1; own: the sign of a NaN means nothing here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct G(pub(crate) f64);

/// The number of significant digits.
const DIGITS: i32 = 6;

impl fmt::Display for G {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.0;
        if value.is_nan() {
            return f.write_str("nan");
        }
        if value.is_infinite() {
            return f.write_str(if value > 0.0 { "inf" } else { "-inf" });
        }
        // Round first: 999999.5 becomes seven digits, which need an exponent.
        let mut text = Text::default();
        write!(text, "{value:.5e}")?;
        let (mantissa, exponent) = text.as_str().split_once('e').ok_or(fmt::Error)?;
        let exponent: i32 = exponent.parse().map_err(|_| fmt::Error)?;
        if (-4..DIGITS).contains(&exponent) {
            let places = usize::try_from(DIGITS - 1 - exponent).map_err(|_| fmt::Error)?;
            let mut text = Text::default();
            write!(text, "{value:.places$}")?;
            f.write_str(without_zeros(text.as_str()))
        } else {
            let sign = if exponent < 0 { '-' } else { '+' };
            write!(f, "{}e{sign}{:02}", without_zeros(mantissa), exponent.abs())
        }
    }
}

fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// A buffer for a sign, six digits, a point, four zeros and an exponent, without allocation.
#[derive(Default)]
struct Text {
    bytes: [u8; 24],
    length: usize,
}

impl Text {
    fn as_str(&self) -> &str {
        self.bytes.get(..self.length).and_then(|bytes| str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

impl Write for Text {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        let end = self.length + s.len();
        self.bytes.get_mut(self.length..end).ok_or(fmt::Error)?.copy_from_slice(s.as_bytes());
        self.length = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(G(value).to_string(), text, "{value:e}");
        }
    }
}
