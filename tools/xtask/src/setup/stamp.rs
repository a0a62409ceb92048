//! Marks with the digest from which a result was made. They are written last, so an incomplete result has none.

use std::fs;
use std::path::Path;

use crate::report::{Failure, Outcome};
use crate::root::files;

/// A digest of names and contents (FNV-1a, 64 bits): it detects changes, it does not protect against an attacker.
#[derive(Clone, Copy, Debug)]
pub struct Digest(u64);

impl Digest {
    /// The digest of no data.
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds `bytes`; their length counts too.
    pub fn add(mut self, bytes: &[u8]) -> Self {
        let length = (bytes.len() as u64).to_le_bytes();
        for byte in bytes.iter().chain(&length) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        self
    }

    /// Adds every file beneath `folder`: its name and its contents.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn folder(mut self, folder: &Path) -> Outcome<Self> {
        for file in files(folder)? {
            let name = file.strip_prefix(folder).unwrap_or(&file).to_string_lossy().into_owned();
            let content = fs::read(&file).map_err(|e| Failure::io("read", &file, &e))?;
            self = self.add(name.as_bytes()).add(&content);
        }
        Ok(self)
    }

    /// Sixteen hexadecimal digits.
    pub fn text(self) -> String {
        format!("{:016x}", self.0)
    }
}

/// Whether the mark at `path` is `text`.
pub fn is(path: &Path, text: &str) -> bool {
    fs::read_to_string(path).is_ok_and(|found| found == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_fnv_1a() {
        // Published test vector: FNV-1a of "a" is af63dc4c8601ec8c; here its length follows, so compute by hand.
        let a = (0xcbf2_9ce4_8422_2325_u64 ^ 0x61).wrapping_mul(0x0000_0100_0000_01b3);
        assert_eq!(a, 0xaf63_dc4c_8601_ec8c);
        let with_length = [1u8, 0, 0, 0, 0, 0, 0, 0]
            .iter()
            .fold(a, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3));
        assert_eq!(Digest::new().add(b"a").text(), format!("{with_length:016x}"));
    }

    #[test]
    fn where_a_piece_ends_counts() {
        assert_ne!(Digest::new().add(b"ab").add(b"c").text(), Digest::new().add(b"a").add(b"bc").text());
    }
}
