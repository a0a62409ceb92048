//! Where a panic in the control loop happened. Nothing is allocated, and the loop does nothing for it unless it panics.

use core::cell::Cell;
use core::fmt::{self, Write};
use std::panic::PanicHookInfo;
use std::sync::OnceLock;

/// The bytes of a text.
const LENGTH: usize = 256;
/// How many places are kept. More than that in one process are not named.
const PLACES: usize = 32;
/// Text before the place of a panic; [`AFTER`] follows the place.
const BEFORE: &str = "it panicked at ";
const AFTER: &str = "; unload it and load it again";
const WITHOUT: &str = "it panicked; unload it and load it again";

/// Sentence that reports a panic at one place.
#[derive(Clone, Copy)]
struct Sentence {
    bytes: [u8; LENGTH],
    length: usize,
}

thread_local! {
    /// The last panic of this thread.
    static LAST: Cell<Option<Sentence>> = const { Cell::new(None) };
}

/// The sentences that were given out, which stay: they cross threads as texts without an end of life.
static KEPT: [OnceLock<Sentence>; PLACES] = [const { OnceLock::new() }; PLACES];

/// Notes where this thread panics; for a panic hook.
/// # Real-time
/// It neither allocates nor locks, and makes no system call.
pub fn note(info: &PanicHookInfo<'_>) {
    let sentence = info.location().and_then(|at| Sentence::new(at.file(), at.line()));
    LAST.set(sentence);
}

/// Sentence that reports the panic that this thread has just caught, with its place if it was [noted](note).
/// # Real-time
/// As for [`note`]; the first time at a place it may wait for another thread that does the same.
pub fn sentence() -> &'static str {
    LAST.take().and_then(kept).unwrap_or(WITHOUT)
}

/// Keeps a sentence for the rest of the process and returns it; `None` if there is no room.
fn kept(new: Sentence) -> Option<&'static str> {
    KEPT.iter().map(|slot| slot.get_or_init(|| new).text()).find(|kept| *kept == new.text())
}

impl Sentence {
    /// A sentence with this place; `None` if it is too long.
    fn new(file: &str, line: u32) -> Option<Self> {
        let mut sentence = Self { bytes: [0; LENGTH], length: 0 };
        write!(sentence, "{BEFORE}{file}:{line}{AFTER}").ok()?;
        Some(sentence)
    }

    fn text(&self) -> &str {
        self.bytes.get(..self.length).and_then(|bytes| core::str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

impl Write for Sentence {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length + text.len();
        self.bytes.get_mut(self.length..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_kept_once_and_those_beyond_the_room_are_not_named() {
        let new = |line| Sentence::new("src/lib.rs", line).and_then(kept);
        let first = new(1);
        assert_eq!(first, Some("it panicked at src/lib.rs:1; unload it and load it again"));
        for line in 1..=32 {
            let (once, again) = (new(line), new(line));
            assert!(once.is_some() && once.map(str::as_ptr) == again.map(str::as_ptr), "{line}");
        }
        assert_eq!((new(33), new(32).is_some()), (None, true));
        assert_eq!(new(1).map(str::as_ptr), first.map(str::as_ptr));
    }

    #[test]
    fn a_place_that_is_too_long_is_not_named() {
        assert!(Sentence::new(&"x".repeat(200), 7).is_some());
        assert!(Sentence::new(&"x".repeat(LENGTH), 7).is_none());
    }
}
