use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use log::{Level, LevelFilter, Log, Metadata, Record};
use r2r::rcl_interfaces::msg;

use crate::{clock, rosout};

/// Sends the program's log to ROS, which handles the console format, the file and `--log-level`, and to `/rosout`.
///
/// A record's target is its node's name in the code, or in the graph (`log::warn!(target: "hindbrain", …)`). Its line has the name of
/// that node's logger.
///
/// # Real-time
/// A record goes into a queue, and a separate thread writes it: a blocked console (a paused terminal, a full pipe) must not
/// hold up the motors. If the queue is full the record is dropped, and the next record that gets through is preceded by the
/// number of dropped ones. `/rosout` has a queue and a thread of its own.
#[derive(Debug)]
pub struct ShellLog {
    queue: OnceLock<Queue>,
}

static LOGGER: ShellLog = ShellLog { queue: OnceLock::new() };

/// How many records a queue holds.
pub(crate) const QUEUE: usize = 1024;
/// How long the program waits for the console at its end.
const LAST_LINES: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub(crate) enum Message {
    /// A record, whose name is its target.
    Line(msg::Log),
    /// Dropped once all lines before it are written and published.
    Flush(SyncSender<()>),
}

/// A queue of lines that never holds up the thread that logs.
#[derive(Debug)]
pub(crate) struct Queue {
    sender: SyncSender<Message>,
    dropped: AtomicU64,
    /// Why lines are dropped.
    reason: &'static str,
}

impl Queue {
    pub(crate) fn new(sender: SyncSender<Message>, reason: &'static str) -> Self {
        Self { sender, dropped: AtomicU64::new(0), reason }
    }

    pub(crate) fn send(&self, line: msg::Log) {
        let dropped = self.dropped.swap(0, Ordering::Relaxed);
        let text = || format!("{dropped} lines of the log were dropped, {}", self.reason);
        let warning = || Message::Line(msg::Log { level: 30, msg: text(), ..line.clone() });
        let is_reported = dropped == 0 || self.pass(warning());
        if !is_reported || !self.pass(Message::Line(line)) {
            let before = if is_reported { 0 } else { dropped };
            self.dropped.fetch_add(before + 1, Ordering::Relaxed);
        }
    }

    /// Whether there was room for `message`.
    pub(crate) fn pass(&self, message: Message) -> bool {
        self.sender.try_send(message).is_ok()
    }
}

/// Makes [`ShellLog`] the program's logger. Harmless when called again.
pub fn start() {
    let (sender, receiver) = sync_channel(QUEUE);
    if LOGGER.queue.set(Queue::new(sender, "the console did not accept them")).is_err() {
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
            Message::Line(line) => {
                let name = rosout::logger_name(&line.name);
                r2r::log(&line.msg, &name, &line.file, line.line, severity(line.level));
            }
            Message::Flush(_) => rosout::pass(message),
        }
    }
}

fn severity(level: u8) -> r2r::LogSeverity {
    match level {
        40.. => r2r::LogSeverity::Error,
        30.. => r2r::LogSeverity::Warn,
        20.. => r2r::LogSeverity::Info,
        _ => r2r::LogSeverity::Debug,
    }
}

impl Log for ShellLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= Level::Debug
    }

    fn log(&self, record: &Record<'_>) {
        let Some(queue) = self.queue.get().filter(|_| self.enabled(record.metadata())) else { return };
        let line = msg::Log {
            stamp: clock::to_wire(clock::wall()),
            level: match record.level() {
                Level::Error => 40,
                Level::Warn => 30,
                Level::Info => 20,
                Level::Debug | Level::Trace => 10,
            },
            // r2r makes C strings of these and would panic on a NUL, which a device's name could carry.
            name: record.target().replace('\0', ""),
            msg: record.args().to_string().replace('\0', "\u{fffd}"),
            file: record.file_static().unwrap_or("").into(),
            function: record.module_path_static().unwrap_or("").into(),
            line: record.line().unwrap_or(0),
        };
        // Each has a queue of its own: a console that stands still keeps nothing from '/rosout'.
        rosout::pass(Message::Line(line.clone()));
        queue.send(line);
    }

    /// Waits until all records are written and published, for `LAST_LINES` at most.
    fn flush(&self) {
        let (done, written) = sync_channel(1);
        if self.queue.get().is_some_and(|queue| queue.pass(Message::Flush(done))) {
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
        let logger = ShellLog { queue: OnceLock::from(Queue::new(sender, "of the test")) };
        let log = |text: &str| {
            logger.log(
                &Record::builder().level(Level::Info).target("node").args(format_args!("{text}")).build(),
            );
        };
        for text in ["a", "b", "c", "d"] {
            log(text); // nothing reads the queue; a blocking send would hang here
        }
        let read = || match receiver.try_recv() {
            Ok(Message::Line(line)) => line.msg,
            Ok(Message::Flush(_)) | Err(_) => panic!("a line is missing"),
        };
        assert_eq!([read(), read()], ["a", "b"]);
        log("e\0");
        assert_eq!([read(), read()], ["2 lines of the log were dropped, of the test", "e\u{fffd}"]);
        ["f", "g", "h"].into_iter().for_each(log);
        assert_eq!(read(), "f");
        log("i"); // there is room for the warning alone
        log("j");
        assert_eq!([read(), read()], ["g", "1 lines of the log were dropped, of the test"]);
        log("k");
        assert_eq!([read(), read()], ["2 lines of the log were dropped, of the test", "k"]);
    }
}
