//! The sequence after a panic: the motors are stopped, the panic's message is printed, the process ends, and the backtrace is
//! printed once nothing moves.
//!
//! A panic on any thread counts, since the state that it left behind is unknown. A [`Shell`](crate::Shell) runs no machine
//! after it. Two things stop the motors: the [`at_once`] actions, which the panicking thread runs before it unwinds, and the
//! [`final_messages`], which were prepared at the start.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::stderr::print_line_within;
use crate::{clock, print_line, rosout};

/// The period at which the final messages are repeated.
const REPEAT: Duration = Duration::from_millis(20);
/// How long a panicking thread waits for its line on stderr.
const FIRST_LINE: Duration = Duration::from_millis(50);

type Publish = Box<dyn FnMut() + Send>;
/// Notes a panic, see [`contain_and_note`].
type Note = fn(&PanicHookInfo<'_>);

thread_local! {
    /// Set while this thread is in a call whose panic is treated as an error only: what the hook does then.
    static CONTAINED: Cell<Option<Note>> = const { Cell::new(None) };
}

static HAPPENED: AtomicBool = AtomicBool::new(false);
static AT_ONCE: Mutex<Vec<Box<dyn Fn() + Send>>> = Mutex::new(Vec::new());
static FINAL_MESSAGES: Mutex<Vec<Publish>> = Mutex::new(Vec::new());
/// Backtraces that were not printed yet, without symbol names: resolving the names takes 0.3 s and more, in which the vehicle
/// would drive on, and the standard library resolves them before it reports the panic.
static BACKTRACES: Mutex<Vec<Backtrace>> = Mutex::new(Vec::new());

/// Installs the panic hook of this module. `RUST_BACKTRACE` keeps its usual meaning.
pub fn install() {
    panic::set_hook(Box::new(|info| {
        if let Some(note) = CONTAINED.get() {
            note(info);
            return;
        }
        HAPPENED.store(true, Ordering::SeqCst);
        for action in lock(&AT_ONCE).iter() {
            action();
        }
        let sentence = sentence(info);
        rosout::pass_error(thread::current().name().unwrap_or_default(), sentence.clone());
        // A paused terminal accepts no line, and this thread has final messages to publish.
        print_line_within(FIRST_LINE, sentence);
        let backtrace = Backtrace::capture();
        if backtrace.status() == BacktraceStatus::Captured {
            lock(&BACKTRACES).push(backtrace);
        }
    }));
}

/// The result of `call`; `None` if it panics, which has no further effect. It is for a library that panics at data from other
/// participants of the graph and whose state remains valid.
pub fn contain<T>(call: impl FnOnce() -> T) -> Option<T> {
    contain_and_note(|_| (), call)
}

/// Calls `call` as [`contain`] does; the panic hook calls `note` with a panic of `call`.
/// # Real-time
/// It neither allocates nor locks, and makes no system call, unless `call` panics.
pub fn contain_and_note<T>(note: fn(&PanicHookInfo<'_>), call: impl FnOnce() -> T) -> Option<T> {
    let outer = CONTAINED.replace(Some(note));
    let outcome = catch_unwind(AssertUnwindSafe(call));
    CONTAINED.set(outer);
    outcome.ok()
}

/// Whether any thread of this process panicked.
pub fn happened() -> bool {
    HAPPENED.load(Ordering::SeqCst)
}

/// Runs `action` at each panic, on the panicking thread before it unwinds. It must not panic and must not block for long.
pub fn at_once(action: impl Fn() + Send + 'static) {
    lock(&AT_ONCE).push(Box::new(action));
}

/// Registers `publish`, which replaces a machine's final messages if the process panicked.
pub fn final_messages(publish: impl FnMut() + Send + 'static) {
    lock(&FINAL_MESSAGES).push(Box::new(publish));
}

/// Publishes all final messages repeatedly for `time`.
pub fn publish_final_messages(time: Duration) {
    repeat(&mut lock(&FINAL_MESSAGES), time);
}

fn repeat(messages: &mut [Publish], time: Duration) {
    let end = clock::now() + time;
    while clock::now() < end {
        for publish in &mut *messages {
            // A panic in one of them does not keep the others back.
            let _ = catch_unwind(AssertUnwindSafe(publish));
        }
        thread::park_timeout(REPEAT);
    }
}

/// Locks what stays valid when its holder panics, so the poison is ignored.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints the postponed backtraces.
pub fn print_backtraces() {
    for backtrace in lock(&BACKTRACES).drain(..) {
        print_line(format_args!("backtrace of the panic:\n{backtrace}"));
    }
}

fn sentence(info: &PanicHookInfo<'_>) -> String {
    let thread = thread::current();
    let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    let payload = info.payload();
    let reason = payload.downcast_ref::<&str>().copied();
    let reason = reason
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no reason was given");
    format!("thread '{}' panicked at {place}: {reason}", thread.name().unwrap_or("without a name"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn a_panic_reports_its_thread_place_and_reason_in_one_line() {
        let before = panic::take_hook();
        let output = Arc::new(Mutex::new(String::new()));
        let printed = output.clone();
        panic::set_hook(Box::new(move |info| {
            if thread::current().name() == Some("joystick") {
                *printed.lock().unwrap() = sentence(info);
            }
        }));
        let ended =
            thread::Builder::new().name("joystick".into()).spawn(|| panic!("{} axes", 7)).unwrap().join();
        panic::set_hook(before);
        assert!(ended.is_err());
        let output = output.lock().unwrap().clone();
        assert!(
            output.starts_with("thread 'joystick' panicked at ") && output.ends_with(": 7 axes"),
            "{output}"
        );
        assert!(output.contains("panics.rs:"), "{output}");
    }

    #[test]
    fn final_messages_are_repeated_and_a_panic_in_one_does_not_keep_the_others_back() {
        let count = Arc::new(AtomicUsize::new(0));
        let (counter, mut times) = (count.clone(), 0);
        let fails = move || {
            times += 1;
            assert_ne!(times, 1, "a fault in the final messages");
        };
        let counts = move || {
            counter.fetch_add(1, Ordering::SeqCst);
        };
        repeat(&mut [Box::new(fails), Box::new(counts)], REPEAT * 50); // a backtrace takes some of it
        assert!(count.load(Ordering::SeqCst) >= 2);
    }
}
