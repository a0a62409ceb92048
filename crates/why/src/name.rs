use core::fmt::{self, Write};

/// A name within a sentence: of a node, a topic, a source, a device. A long one is shortened in its middle, so every sentence has a
/// greatest length.
///
/// # Real-time
/// It is copied without allocation: stages are read under a machine's lock.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Name {
    bytes: [u8; Name::LONGEST],
    length: u8,
}

impl Name {
    /// The most bytes of a name.
    pub const LONGEST: usize = 31;
    /// No name.
    pub const NONE: Self = Self { bytes: [0; Self::LONGEST], length: 0 };
    /// Stands for what is left out.
    const GAP: &'static str = "...";

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..usize::from(self.length)).unwrap_or_default();
        core::str::from_utf8(bytes).unwrap_or_default()
    }

    fn push(&mut self, text: &str) {
        let from = usize::from(self.length);
        if let Some(to) = self.bytes.get_mut(from..from + text.len()) {
            to.copy_from_slice(text.as_bytes());
            self.length += text.len() as u8; // at most `LONGEST`
        }
    }
}

impl Default for Name {
    fn default() -> Self {
        Self::NONE
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        let mut name = Self::NONE;
        if text.len() <= Self::LONGEST {
            name.push(text);
            return name;
        }
        let half = (Self::LONGEST - Self::GAP.len()) / 2;
        let from =
            (text.len() - half..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
        name.push(safety::first_bytes(text, half));
        name.push(Self::GAP);
        name.push(text.get(from..).unwrap_or_default());
        name
    }
}

/// A text that is written in parts; what does not fit is cut off.
impl Write for Name {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(safety::first_bytes(text, Self::LONGEST - usize::from(self.length)));
        Ok(())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{self}'")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_its_beginning_and_its_end() {
        for (text, name) in [
            ("", ""),
            ("cmd_vel", "cmd_vel"),
            ("0123456789012345678901234567890", "0123456789012345678901234567890"),
            ("01234567890123456789012345678901", "01234567890123...89012345678901"),
            // 20 letters of two bytes each: 7 fit before and 7 behind.
            ("üüüüüüüüüüüüüüüüüüüü", "üüüüüüü...üüüüüüü"),
        ] {
            assert_eq!(Name::from(text).as_str(), name);
        }
    }

    #[test]
    fn a_name_written_in_parts_ends_where_it_is_full() {
        let mut name = Name::NONE;
        for number in 0..20 {
            write!(name, "{number},").unwrap();
        }
        assert_eq!(name.as_str(), "0,1,2,3,4,5,6,7,8,9,10,11,12,13");
    }
}
