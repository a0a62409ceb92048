//! What follows a panic, in this order: the motors are stopped, its sentence is printed, the process ends, and its backtrace is
//! printed when nothing moves.
//!
//! A panic on any thread counts, since nobody knows what it left behind. A [`Shell`](crate::Shell) runs no machine after it:
//! what stops the motors are the [`at_once`] actions, which the panicking thread runs before it unwinds, and the [`last_words`], which
//! were prepared at the start.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::{clock, print_line};

/// How often the last words are repeated.
const REPEAT: Duration = Duration::from_millis(20);

type Words = Box<dyn FnMut() + Send>;

thread_local! {
    /// Whether this thread is in a call whose panic is an error and no more.
    static IS_CONTAINED: Cell<bool> = const { Cell::new(false) };
}

static HAPPENED: AtomicBool = AtomicBool::new(false);
static AT_ONCE: Mutex<Vec<Box<dyn Fn() + Send>>> = Mutex::new(Vec::new());
static LAST_WORDS: Mutex<Vec<Words>> = Mutex::new(Vec::new());
/// Those that were not printed yet, without names: to find the names takes 0.3 s and more, in which the vehicle would drive
/// on, and the standard library does so before anything else learns of the panic.
static BACKTRACES: Mutex<Vec<Backtrace>> = Mutex::new(Vec::new());

/// From now on a panic is followed by what this module says. `RUST_BACKTRACE` means what it always does.
pub fn install() {
    panic::set_hook(Box::new(|info| {
        if IS_CONTAINED.get() {
            return;
        }
        HAPPENED.store(true, Ordering::SeqCst);
        for action in lock(&AT_ONCE).iter() {
            action();
        }
        print_line(format_args!("{}", sentence(info)));
        let backtrace = Backtrace::capture();
        if backtrace.status() == BacktraceStatus::Captured {
            lock(&BACKTRACES).push(backtrace);
        }
    }));
}

/// What `call` gives; `None` if it panics, of which nothing follows then. For a library that panics at what others in the graph
/// send, and whose state that does not harm.
pub fn contain<T>(call: impl FnOnce() -> T) -> Option<T> {
    IS_CONTAINED.set(true);
    let outcome = catch_unwind(AssertUnwindSafe(call));
    IS_CONTAINED.set(false);
    outcome.ok()
}

/// Whether any thread of this process panicked.
pub fn happened() -> bool {
    HAPPENED.load(Ordering::SeqCst)
}

/// Does `action` at each panic, on the thread that panics and before it unwinds. It must not panic, and not wait for long.
pub fn at_once(action: impl Fn() + Send + 'static) {
    lock(&AT_ONCE).push(Box::new(action));
}

/// Says `words` in place of a machine's last words if the process panicked.
pub fn last_words(words: impl FnMut() + Send + 'static) {
    lock(&LAST_WORDS).push(Box::new(words));
}

/// Says all last words again and again for that long.
pub fn say_last_words(time: Duration) {
    repeat(&mut lock(&LAST_WORDS), time);
}

fn repeat(words: &mut [Words], time: Duration) {
    let end = clock::now() + time;
    while clock::now() < end {
        for words in &mut *words {
            // A mistake in some does not keep the others back.
            let _ = catch_unwind(AssertUnwindSafe(words));
        }
        thread::park_timeout(REPEAT);
    }
}

/// Prints what was postponed.
pub fn print_backtraces() {
    for backtrace in lock(&BACKTRACES).drain(..) {
        print_line(format_args!("backtrace of the panic:\n{backtrace}"));
    }
}

/// A panic leaves a list a list.
fn lock<T>(list: &Mutex<T>) -> MutexGuard<'_, T> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

fn sentence(info: &PanicHookInfo<'_>) -> String {
    let thread = thread::current();
    let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    let reason = info.payload_as_str().unwrap_or("no reason was given");
    format!("thread '{}' panicked at {place}: {reason}", thread.name().unwrap_or("without a name"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn a_panic_says_its_thread_place_and_reason_in_one_line() {
        let before = panic::take_hook();
        let said = Arc::new(Mutex::new(String::new()));
        let printed = said.clone();
        panic::set_hook(Box::new(move |info| {
            if thread::current().name() == Some("joystick") {
                *printed.lock().unwrap() = sentence(info);
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

    #[test]
    fn last_words_are_repeated_and_a_panic_of_some_does_not_keep_the_others_back() {
        let count = Arc::new(AtomicUsize::new(0));
        let (said, mut times) = (count.clone(), 0);
        let fails = move || {
            times += 1;
            assert_ne!(times, 1, "a mistake in the last words");
        };
        let counts = move || {
            said.fetch_add(1, Ordering::SeqCst);
        };
        repeat(&mut [Box::new(fails), Box::new(counts)], REPEAT * 50); // a backtrace takes some of it
        assert!(count.load(Ordering::SeqCst) >= 2);
    }
}
