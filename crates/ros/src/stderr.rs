use core::fmt;
use std::io::{self, Write};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// Writes a line to stderr and ignores a failure: a closed pipe, a full disk or a lost terminal must not prevent what follows,
/// as the panic of `eprintln!` would.
pub fn print_line(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Writes a line like [`print_line`] and waits at most `limit` for it, since a paused terminal accepts none.
pub(crate) fn print_line_within(limit: Duration, line: String) {
    let (done, written) = channel();
    let writer = thread::Builder::new().name("stderr".into()).spawn(move || {
        print_line(format_args!("{line}"));
        let _ = done.send(());
    });
    if writer.is_ok() {
        let _ = written.recv_timeout(limit);
    }
}
