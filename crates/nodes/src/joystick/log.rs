use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use joystick::{Exception, LOG_HEADER, LogLine, LogPace, LogRow, Printable};
use ros::panics::lock;
use ros::{Status, clock};
use rustix::fs::{Mode, OFlags};
use safety::Instant;

use super::NAME;

/// How long a file may take to open or close before the client is answered anyway.
const PATIENCE: Duration = Duration::from_secs(2);
/// The longest path in the service's type \[bytes], which neither clients nor middleware check.
const LONGEST_PATH: usize = 64;
/// The most rows that may wait for the writer's thread, which is sometimes late although the disk is not \[rows].
const QUEUE: usize = 32;
/// The most writers that may hang on unresponsive files.
const MAX_WRITERS: usize = 8;

/// The log file: one row for each cycle, written by a thread of its own.
///
/// Nothing here waits for a file. The writer's thread, one for each file, opens, writes and closes it. If the file hangs, that
/// thread hangs and rows are missed.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    open: Option<Open>,
    /// Cycles and missed rows of the log that was closed last.
    counted: (u32, u32),
    /// Whether the machine was informed since the log was opened or closed.
    is_reported: bool,
    writers: Arc<AtomicUsize>,
}

struct Open {
    path: String,
    pace: LogPace,
    writer: Writer,
}

/// The channel to the thread that writes a file; the file is closed when this is dropped.
struct Writer {
    rows: SyncSender<(LogRow, LogLine)>,
    waiting: Arc<AtomicUsize>,
    ended: Ended,
}

/// Whether a writer's thread has closed its file.
#[derive(Clone)]
pub struct Ended(Arc<AtomicBool>);

/// A file that is being opened.
pub struct Opening {
    path: String,
    decimation: u32,
    until: Instant,
    outcome: Receiver<io::Result<()>>,
    writer: Writer,
}

impl Log {
    /// Begins to open `path` and truncates it; [`Log::opened`] returns the result. An open log continues meanwhile.
    /// # Errors
    /// The path is too long, no thread can be started, or too many files hang.
    pub fn open(&self, path: &str, decimation: u32) -> Result<Opening, Exception> {
        if path.len() > LONGEST_PATH {
            return Err(sys(path, &io::Error::from(rustix::io::Errno::NAMETOOLONG)));
        }
        let writers = Arc::clone(&self.lock().writers);
        if writers.fetch_add(1, Ordering::Relaxed) >= MAX_WRITERS {
            writers.fetch_sub(1, Ordering::Relaxed);
            return Err(sys(path, &io::Error::from(rustix::io::Errno::BUSY)));
        }
        let (rows, inbox) = sync_channel(QUEUE);
        let (opened, outcome) = sync_channel(1);
        let waiting = Arc::new(AtomicUsize::new(0));
        let ended = Ended(Arc::default());
        let job = Job { path: path.into(), waiting: Arc::clone(&waiting), ended: ended.clone(), writers };
        let thread = thread::Builder::new().name("log-file".into());
        // Not joined: it may hang on its file, and ends with `rows` otherwise.
        if let Err(error) = thread.spawn(move || job.run(&opened, &inbox)) {
            return Err(sys(path, &error));
        }
        let writer = Writer { rows, waiting, ended };
        Ok(Opening { path: path.into(), decimation, until: clock::now() + PATIENCE, outcome, writer })
    }

    /// The result of the opening; returns `opening` if it is not known yet. The opened file replaces the previous one.
    /// # Errors
    /// The system's error, or a timeout; the previous log stays open.
    pub fn opened(&self, opening: Opening) -> Result<Option<Opening>, Exception> {
        let path = &opening.path;
        match opening.outcome.try_recv() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(sys(path, &error)),
            Err(TryRecvError::Empty) if clock::now() < opening.until => return Ok(Some(opening)),
            Err(_) => return Err(sys(path, &io::Error::from(rustix::io::Errno::TIMEDOUT))),
        }
        let Opening { path, decimation, writer, .. } = opening;
        log::info!(target: NAME, "the published states are logged to '{}'", Printable(&path));
        let mut state = self.lock();
        state.open = Some(Open { path, pace: LogPace::new(decimation), writer });
        state.is_reported = false;
        Ok(None)
    }

    /// Closes the log; the returned value shows when that is done. `None` if no log is open.
    pub fn close(&self) -> Option<Ended> {
        self.lock().close()
    }

    /// Missed rows and cycles of the open log, or of the last one.
    pub fn counters(&self) -> (u32, u32) {
        self.lock().counters()
    }

    /// Logs a cycle. Never waits.
    pub fn row(&self, row: LogRow) {
        let mut state = self.lock();
        let Some(open) = &mut state.open else { return };
        open.pace.skip(row.skipped);
        let busy = open.writer.waiting.load(Ordering::Acquire) >= QUEUE;
        let Some(line) = open.pace.cycle(busy) else { return };
        open.writer.waiting.fetch_add(1, Ordering::AcqRel);
        if let Err(TrySendError::Disconnected(_)) = open.writer.rows.try_send((row, line)) {
            // The writer has logged the reason.
            state.close();
        }
    }

    /// Whether a log was opened (true) or closed (false) since the last call.
    pub fn switched(&self) -> Option<bool> {
        let mut state = self.lock();
        let is_changed = !std::mem::replace(&mut state.is_reported, true);
        is_changed.then_some(state.open.is_some())
    }

    /// Adds the state of the log to `status`.
    pub fn report(&self, status: Status) -> Status {
        let state = self.lock();
        let (miss, total) = state.counters();
        let path = state.open.as_ref().map_or("none", |open| &open.path);
        status.with("log", path).with("log rows missed", miss).with("log cycles", total)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }
}

impl State {
    fn counters(&self) -> (u32, u32) {
        self.open.as_ref().map_or(self.counted, |open| (open.pace.miss(), open.pace.total()))
    }

    fn close(&mut self) -> Option<Ended> {
        self.counted = self.counters();
        self.is_reported &= self.open.is_none();
        self.open.take().map(|open| open.writer.ended)
    }
}

impl Ended {
    /// Whether the file is closed.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The job of a writer's thread.
struct Job {
    path: String,
    waiting: Arc<AtomicUsize>,
    ended: Ended,
    writers: Arc<AtomicUsize>,
}

impl Job {
    fn run(self, opened: &SyncSender<io::Result<()>>, rows: &Receiver<(LogRow, LogLine)>) {
        match self.begin() {
            Ok(file) if opened.send(Ok(())).is_ok() => self.write_all(file, rows),
            Ok(_) => {} // the client does not wait any more
            Err(error) => drop(opened.send(Err(error))),
        }
    }

    fn begin(&self) -> io::Result<File> {
        // A pipe without a reader must not block the opening; later writes may block.
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC;
        let file = rustix::fs::open(
            self.path.as_str(),
            flags | OFlags::NONBLOCK | OFlags::NOCTTY,
            Mode::from_raw_mode(0o666),
        )?;
        rustix::fs::fcntl_setfl(&file, OFlags::APPEND)?;
        let mut file = File::from(file);
        file.write_all(format!("{LOG_HEADER}\n").as_bytes())?;
        Ok(file)
    }

    fn write_all(&self, mut file: File, rows: &Receiver<(LogRow, LogLine)>) {
        let mut text = String::with_capacity(512);
        for (row, line) in rows {
            text.clear();
            if line == LogLine::AfterGap {
                text.push('\n');
            }
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{row}");
            if let Err(error) = file.write_all(text.as_bytes()) {
                let path = Printable(&self.path);
                log::warn!(target: NAME, "the log '{path}' is closed: {}", reason(&error));
                break;
            }
            self.waiting.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.writers.fetch_sub(1, Ordering::Relaxed);
        // The next row is sent then, and finds the receiver gone.
        self.waiting.store(0, Ordering::Release);
        self.ended.0.store(true, Ordering::Release);
    }
}

/// `e_sys` as the component has it: the system's number, and path and reason.
fn sys(path: &str, error: &io::Error) -> Exception {
    let code = error.raw_os_error().and_then(|code| i16::try_from(code).ok()).unwrap_or_default();
    Exception::Sys { code, what: format!("{path}: {}", reason(error)) }
}

/// The system's message without the number that Rust adds.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_hang_are_not_collected_without_end() {
        let log = Log::default();
        let open = || log.open("/dev/null", 1);
        let mut held: Vec<_> = (0..MAX_WRITERS).map(|_| open().map_err(|e| e.to_string())).collect();
        assert!(held.iter().all(Result::is_ok));
        let busy = Exception::Sys { code: 16, what: "/dev/null: Device or resource busy".into() };
        assert_eq!(open().err(), Some(busy));
        held.clear();
        // Their threads end when the last reference is dropped.
        let until = clock::now() + PATIENCE;
        while open().is_err() {
            assert!(clock::now() < until);
            thread::yield_now();
        }
    }

    #[test]
    fn rows_without_a_file_go_nowhere() {
        let log = Log::default();
        log.row(LogRow::default());
        assert_eq!((log.counters(), log.switched()), ((0, 0), Some(false)));
        assert!(log.close().is_none());
        assert_eq!(log.switched(), None, "nothing was open");
    }
}
