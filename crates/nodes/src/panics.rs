//! What a panic says, and when: its sentence at once, its backtrace when the motors stand.
//!
//! To find the names for a backtrace takes 0.3 s and more, in which the vehicle would drive on: the standard library does so
//! before anybody else learns of the panic.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{self, PanicHookInfo};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Those that nobody has seen yet, without names.
static UNSEEN: Mutex<Vec<Backtrace>> = Mutex::new(Vec::new());

/// From now on a panic says its sentence alone. `RUST_BACKTRACE` means what it always does.
pub fn postpone_backtraces() {
    panic::set_hook(Box::new(|info| {
        eprintln!("{}", sentence(info));
        let backtrace = Backtrace::capture();
        if backtrace.status() == BacktraceStatus::Captured {
            UNSEEN.lock().unwrap_or_else(PoisonError::into_inner).push(backtrace);
        }
    }));
}

/// Prints what was postponed: when nothing moves any more.
pub fn print_backtraces() {
    for backtrace in UNSEEN.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        eprintln!("backtrace of the panic:\n{backtrace}");
    }
}

fn sentence(info: &PanicHookInfo<'_>) -> String {
    let thread = thread::current();
    let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    let reason = info.payload_as_str().unwrap_or("no reason was given");
    format!("thread '{}' panicked at {place}: {reason}", thread.name().unwrap_or("without a name"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_says_its_thread_place_and_reason_in_one_line() {
        let before = panic::take_hook();
        let said = std::sync::Arc::new(Mutex::new(String::new()));
        let heard = said.clone();
        panic::set_hook(Box::new(move |info| {
            if thread::current().name() == Some("joystick") {
                *heard.lock().unwrap() = sentence(info);
            }
        }));
        let ended =
            thread::Builder::new().name("joystick".into()).spawn(|| panic!("{} axes", 7)).unwrap().join();
        panic::set_hook(before);
        assert!(ended.is_err());
        let said = said.lock().unwrap().clone();
        assert!(said.starts_with("thread 'joystick' panicked at ") && said.ends_with(": 7 axes"), "{said}");
        assert!(said.contains("panics.rs:"), "{said}");
    }
}
