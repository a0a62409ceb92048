use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use log::{Level, LevelFilter, Log, Metadata, Record};

/// Sends the program's log to ROS, which handles the console format, `/rosout` and `--log-level`.
///
/// The logger's name is the record's target: give the node's name there (`log::warn!(target: "hindbrain", …)`).
///
/// # Real-time
/// A record goes into a queue, and a separate thread writes it: a blocked console (a paused terminal, a full pipe) must not
/// hold up the motors. If the queue is full the record is dropped, and the next record that gets through is preceded by the
/// number of dropped ones.
#[derive(Debug)]
pub struct ShellLog {
    queue: OnceLock<SyncSender<Message>>,
    dropped: AtomicU64,
}

static LOGGER: ShellLog = ShellLog { queue: OnceLock::new(), dropped: AtomicU64::new(0) };

/// How many records the queue holds.
const QUEUE: usize = 1024;
/// How long the program waits for the console at its end.
const LAST_LINES: Duration = Duration::from_millis(200);

enum Message {
    Line { severity: Level, name: String, text: String, file: &'static str, line: u32, dropped: u64 },
    Flush(SyncSender<()>),
}

/// Makes [`ShellLog`] the program's logger. Harmless when called again.
pub fn start() {
    let (sender, receiver) = sync_channel(QUEUE);
    if LOGGER.queue.set(sender).is_err() {
        return;
    }
    // The thread lives as long as the process, since any thread may log at any time.
    let writer = thread::Builder::new().name("log".into()).spawn(move || write_all(&receiver));
    if writer.is_ok() && log::set_logger(&LOGGER).is_ok() {
        log::set_max_level(LevelFilter::Debug);
    }
}

fn write_all(receiver: &Receiver<Message>) {
    for message in receiver {
        match message {
            Message::Line { severity, name, text, file, line, dropped } => {
                if dropped > 0 {
                    let text =
                        format!("{dropped} lines of the log were dropped, the console did not accept them");
                    r2r::log(&text, &name, file, line, r2r::LogSeverity::Warn);
                }
                r2r::log(&text, &name, file, line, to_ros(severity));
            }
            Message::Flush(done) => drop(done.try_send(())),
        }
    }
}

fn to_ros(level: Level) -> r2r::LogSeverity {
    match level {
        Level::Error => r2r::LogSeverity::Error,
        Level::Warn => r2r::LogSeverity::Warn,
        Level::Info => r2r::LogSeverity::Info,
        Level::Debug | Level::Trace => r2r::LogSeverity::Debug,
    }
}

impl Log for ShellLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= Level::Debug
    }

    fn log(&self, record: &Record<'_>) {
        let Some(queue) = self.queue.get().filter(|_| self.enabled(record.metadata())) else { return };
        let dropped = self.dropped.swap(0, Ordering::Relaxed);
        let line = Message::Line {
            severity: record.level(),
            // r2r makes C strings of these and would panic on a NUL, which a device's name could carry.
            name: record.target().replace('\0', ""),
            text: record.args().to_string().replace('\0', "\u{fffd}"),
            file: record.file_static().unwrap_or(""),
            line: record.line().unwrap_or(0),
            dropped,
        };
        if queue.try_send(line).is_err() {
            self.dropped.fetch_add(dropped + 1, Ordering::Relaxed);
        }
    }

    /// Waits until all records are written, for `LAST_LINES` at most.
    fn flush(&self) {
        let (done, written) = sync_channel(1);
        if self.queue.get().is_some_and(|queue| queue.try_send(Message::Flush(done)).is_ok()) {
            let _ = written.recv_timeout(LAST_LINES);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_console_that_stands_still_holds_up_nobody() {
        let (sender, receiver) = sync_channel(2);
        let logger = ShellLog { queue: OnceLock::new(), dropped: AtomicU64::new(0) };
        assert!(logger.queue.set(sender).is_ok());
        let log = |text: &str| {
            logger.log(
                &Record::builder().level(Level::Info).target("node").args(format_args!("{text}")).build(),
            );
        };
        for text in ["a", "b", "c", "d"] {
            log(text); // nothing reads the queue; a blocking send would hang here
        }
        let read = || match receiver.try_recv() {
            Ok(Message::Line { text, dropped, .. }) => (text, dropped),
            Ok(Message::Flush(_)) | Err(_) => panic!("a line is missing"),
        };
        assert_eq!((read(), read()), (("a".into(), 0), ("b".into(), 0)));
        log("e\0");
        assert_eq!(read(), ("e\u{fffd}".into(), 2), "and two were dropped before it");
    }
}
