use core::cell::RefCell;
use core::ffi::{CStr, c_char};
use core::time::Duration;
use std::ffi::CString;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The text of the last error of the process.
static LAST: Mutex<String> = Mutex::new(String::new());

thread_local! {
    /// Text that this thread got last: it stays until the thread asks again.
    static GIVEN: RefCell<CString> = RefCell::default();
}

/// Which lines were printed in the last second, and when: few, since a program has few errors at once.
static PRINTED: Mutex<Vec<(String, Instant)>> = Mutex::new(Vec::new());
/// How long a line is not printed again.
const QUIET: Duration = Duration::from_secs(1);

/// Whether `text` has not been printed in the second before `now`; then it counts as printed.
pub fn is_news(text: &str, now: Instant) -> bool {
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    printed.retain(|(_, at)| now.saturating_duration_since(*at) < QUIET);
    let is_news = printed.iter().all(|(line, _)| line != text);
    if is_news {
        printed.push((text.to_owned(), now));
    }
    is_news
}

/// Remembers the text of an error.
pub fn set(text: String) {
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = text;
}

/// The text of the last error, empty before the first one. It stays valid until this thread asks again or ends, whatever other threads do.
pub fn get() -> *const c_char {
    const NOTHING: &CStr = c"";
    let text = LAST.lock().unwrap_or_else(PoisonError::into_inner).replace('\0', "");
    let given = GIVEN.try_with(|given| {
        let mut given = given.try_borrow_mut().ok()?;
        *given = CString::new(text).ok()?;
        Some(given.as_ptr())
    });
    // A thread that is about to end has no place for it any more.
    given.ok().flatten().unwrap_or(NOTHING.as_ptr())
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // any time will do
mod tests {
    use super::*;

    #[test]
    fn the_same_line_is_printed_once_a_second() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let printed = |text: &str, times: [u64; 6]| times.map(|millis| is_news(text, at(millis)));
        assert_eq!(printed("a", [0, 1, 999, 1000, 1500, 2000]), [true, false, false, true, false, true]);
        // Other lines in between change nothing.
        assert!(is_news("b", at(2100)) && !is_news("a", at(2200)) && !is_news("b", at(3000)));
    }
}
