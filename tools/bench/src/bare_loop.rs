//! The least that a periodic real-time thread does: it sleeps until a time, and reads the clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use mechanism::Histogram;
use ros::Error;
use rustix::mm::MlockAllFlags;
use rustix::thread::{CpuSet, clock_nanosleep_absolute, sched_setaffinity};
use rustix::time::{ClockId, Timespec, clock_gettime};
use thread_priority::{
    RealtimeThreadSchedulePolicy, ThreadPriority, ThreadPriorityValue, ThreadSchedulePolicy,
    set_thread_priority_and_policy, thread_native_id,
};

/// The priority of the node's loop, see the parameter `priority` of `mechanism`.
const PRIORITY: u8 = 50;
/// A little longer than that of the node's loop \[ns\], so that all phases between the two occur, each in every second.
const PERIOD: u64 = 1_001_000;
/// For how many wake-ups there is room: ten minutes.
const ROOM: usize = 600_000;

/// A bare loop of 1 kHz with the settings of the node's loop, on the same processor, and with none of its code. It ends when this is dropped.
pub struct Bare {
    thread: Option<JoinHandle<()>>,
    record: Arc<Record>,
}

#[derive(Debug)]
struct Record {
    /// How late each wake-up was \[ns\].
    late: Vec<AtomicU64>,
    count: AtomicU64,
    missed: AtomicU64,
    ended: AtomicBool,
}

/// How far the record is at a time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mark {
    count: u64,
    missed: u64,
}

impl Bare {
    /// Starts it, and locks the memory of this process. It has no real-time priority where the operating system refuses it,
    /// as the node's loop.
    /// # Errors
    /// The operating system refuses the thread.
    pub fn start(core: usize) -> Result<Self, Error> {
        let record = Arc::new(Record {
            late: std::iter::repeat_with(AtomicU64::default).take(ROOM).collect(),
            count: AtomicU64::new(0),
            missed: AtomicU64::new(0),
            ended: AtomicBool::new(false),
        });
        let own = Arc::clone(&record);
        let thread = thread::Builder::new().name("bare".into()).spawn(move || {
            let flags = MlockAllFlags::CURRENT | MlockAllFlags::FUTURE | MlockAllFlags::ONFAULT;
            let _ = rustix::mm::mlockall(flags); // refused: the node warns of it
            let mut cores = CpuSet::new();
            cores.set(core);
            let _ = sched_setaffinity(None, &cores); // refused: there is no such processor, and the node warns of it
            let value = ThreadPriorityValue::try_from(PRIORITY).unwrap_or(ThreadPriorityValue::MIN);
            let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
            let _ = set_thread_priority_and_policy(
                thread_native_id(),
                ThreadPriority::Crossplatform(value),
                policy,
            );
            run(&own);
        });
        let thread = thread.map_err(|error| Error::Start(format!("the bare loop has no thread: {error}")))?;
        Ok(Self { thread: Some(thread), record })
    }

    /// How far it is now.
    pub fn mark(&self) -> Mark {
        let load = |number: &AtomicU64| number.load(Ordering::SeqCst);
        Mark { count: load(&self.record.count), missed: load(&self.record.missed) }
    }

    /// How late it woke up between two marks, and how many of its periods were left out.
    pub fn between(&self, from: Mark, to: Mark) -> (Histogram, u64) {
        let mut late = Histogram::new();
        let window = from.count as usize..(to.count as usize).min(ROOM);
        for nanos in self.record.late.get(window).unwrap_or_default() {
            late.add(Duration::from_nanos(nanos.load(Ordering::Relaxed)));
        }
        (late, to.missed - from.missed)
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        self.record.ended.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // it has nothing that can panic
        }
    }
}

fn run(record: &Record) {
    let mut due = now() + PERIOD;
    while !record.ended.load(Ordering::SeqCst) {
        let part = |part: u64| i64::try_from(part).unwrap_or(i64::MAX);
        let time = Timespec { tv_sec: part(due / 1_000_000_000), tv_nsec: part(due % 1_000_000_000) };
        while clock_nanosleep_absolute(ClockId::Monotonic, &time).is_err() {} // a signal
        let late = now().saturating_sub(due);
        let number = record.count.load(Ordering::Relaxed);
        if let Some(place) = record.late.get(number as usize) {
            place.store(late, Ordering::Relaxed);
        }
        record.missed.fetch_add(late / PERIOD, Ordering::Relaxed);
        record.count.store(number + 1, Ordering::SeqCst);
        due += PERIOD * (1 + late / PERIOD);
    }
}

/// \[ns\]
fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::disallowed_methods)] // the loop runs meanwhile
    fn it_records_each_wake_up_of_its_window() {
        let bare = Bare::start(0).unwrap();
        thread::sleep(Duration::from_millis(20));
        let from = bare.mark();
        thread::sleep(Duration::from_millis(200));
        let to = bare.mark();
        let (late, missed) = bare.between(from, to);
        assert_eq!(late.count(), to.count - from.count);
        assert!((150..=220).contains(&(late.count() + missed)), "{} and {missed}", late.count());
        assert_eq!(bare.between(to, to).0.count(), 0);
    }
}
