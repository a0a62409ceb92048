use core::cell::RefCell;
use core::ffi::{CStr, c_char};
use std::ffi::CString;
use std::sync::{Mutex, PoisonError};

/// The text of the last error of the process.
static LAST: Mutex<String> = Mutex::new(String::new());

thread_local! {
    /// What this thread was last given: it stays until the thread asks again.
    static GIVEN: RefCell<CString> = RefCell::default();
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
