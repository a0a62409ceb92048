//! How late a node's loop of 1 kHz wakes up at rest and while it is called, beside a bare loop in the same time.
//!
//! Windows at rest and under calls alternate. The bare loop is a thread that only sleeps until each millisecond and reads the clock, with
//! the same settings and on the same processor. Its period is a thousandth longer, so that all phases between the two occur. Each time is
//! rounded up by a sixteenth at most: 1 ms is 1.05 here.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus};
use realtime::{Histogram, RealTime};
use ros::panics::lock;
use ros::{clock, qos};
use rustix::thread::clock_nanosleep_absolute;
use rustix::time::{ClockId, Timespec, clock_gettime};

use crate::peer::Peer;
use crate::stage::{Result, Stage};
use crate::table::{goal, table};

const ROUNDS: u32 = 5;
/// The length of a window without calls.
const QUIET: Duration = Duration::from_secs(6);
/// How long the loop's report may take; it comes once a second.
const LONGEST: Duration = Duration::from_secs(10);
/// The priority of the node's loop, see the parameter `priority` of `mechanism`, and its period.
const PRIORITY: u8 = 50;
const PERIOD: Duration = Duration::from_millis(1);
/// A little longer, so that all phases between the two loops occur, each in every second.
const BARE_PERIOD: Duration = Duration::from_micros(1001);
/// p99.9 at most, to that of the bare loop.
const GOAL: f64 = 1.2;

/// Steps of a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Steps {
    /// How many were left out.
    missed: u64,
    /// How many took longer than the period.
    long: u64,
    /// How late they were.
    late: Histogram,
}

impl Steps {
    /// Adds the steps from one time to another, both counted from the start of the loop.
    fn add(&mut self, from: &Self, to: &Self) {
        self.missed += to.missed - from.missed;
        self.long += to.long - from.long;
        self.late = self.late.with(&to.late.since(&from.late));
    }
}

/// The node's loop, as far as it reports on itself, and the bare loop.
struct Loops {
    reports: Peer<Option<Steps>>,
    bare: BareLoop,
}

impl Loops {
    fn new(stage: &Stage, core: usize) -> Result<Self> {
        let mut reports = Peer::new(stage, "bench_reports")?;
        reports.subscribe("/diagnostics", qos::edge(), |message: DiagnosticArray| {
            message.status.iter().find_map(read)
        })?;
        Ok(Self { reports, bare: BareLoop::start(core)? })
    }

    /// Steps of both since their start, at the next report of the node.
    fn steps(&mut self) -> Result<[Steps; 2]> {
        self.reports.forget(); // those that came meanwhile are old
        let mut found = None;
        self.reports.listen(LONGEST, |steps, _| {
            found = found.or(steps); // another node's report may follow
            found.is_some()
        })?;
        let node = found.ok_or(format!("no loop reports its steps on /diagnostics within {LONGEST:?}"))?;
        Ok([node, self.bare.steps()])
    }
}

/// Steps of a loop since its start, from the status of its node.
fn read(status: &DiagnosticStatus) -> Option<Steps> {
    let value = |key: &str| Some(status.values.iter().find(|value| value.key == key)?.value.as_str());
    Some(Steps {
        missed: value("steps left out")?.parse().ok()?,
        long: value("steps longer than the period")?.parse().ok()?,
        late: value("lateness (ns:steps)")?.parse().ok()?,
    })
}

/// The processor of the loops: the last one, which has fewer interrupts of devices as a rule.
pub fn core() -> usize {
    thread::available_parallelism().map_or(0, |cores| cores.get() - 1)
}

/// Measures the loop of the node that runs on [`core()`] without and with `calls` in turns; `call` receives the number of the round and
/// returns how often it called. Returns a table.
/// # Errors
/// The node does not report, or `call` fails.
pub fn measure(stage: &Stage, calls: &str, mut call: impl FnMut(u32) -> Result<usize>) -> Result<String> {
    let mut loops = Loops::new(stage, core())?;
    loops.steps()?; // the middleware has found all of them
    let [mut quiet, mut busy] = [[Steps::default(); 2]; 2];
    let (mut count, mut calling) = (0, Duration::ZERO);
    let add = |sums: &mut [Steps; 2], from: [Steps; 2], to: [Steps; 2]| {
        sums.iter_mut().zip(from.iter().zip(&to)).for_each(|(sum, (from, to))| sum.add(from, to));
    };
    for round in 1..=ROUNDS {
        eprintln!("bench: round {round} of {ROUNDS}, at rest and under {calls}");
        let before = loops.steps()?;
        loops.reports.pause(QUIET)?;
        add(&mut quiet, before, loops.steps()?);
        let before = loops.steps()?;
        let began = clock::now();
        count += call(round)?;
        calling += clock::now().since(began);
        add(&mut busy, before, loops.steps()?);
    }
    let rate = count as f64 / calling.as_secs_f64();
    let rows = [rows("at rest", &quiet), rows(&format!("under {calls}"), &busy)];
    let table = table(HEADER, rows.into_iter().flatten());
    Ok(format!(
        "{table}\n{ROUNDS} windows at rest and {ROUNDS} under {calls}; {count} {calls}, {rate:.0} a second.\n"
    ))
}

const HEADER: &str = "| 1 kHz | steps | p50 [µs] | p99 [µs] | p99.9 [µs] | max [µs] | p99.9 to bare | goal | later than 1 ms | left out \
                      | longer than 1 ms |";

fn rows(when: &str, [node, bare]: &[Steps; 2]) -> [String; 2] {
    let row = |what: &str, steps: &Steps, ratio: String, long: String| {
        let [p50, p99, p999, max] =
            [0.5, 0.99, 0.999, 1.0].map(|share| steps.late.quantile(share).as_micros());
        let (count, late, missed) = (steps.late.count(), steps.late.count_from(PERIOD), steps.missed);
        format!(
            "| {what}, {when} | {count} | {p50} | {p99} | {p999} | {max} | {ratio} | {late} | {missed} | {long} |"
        )
    };
    let tail = |steps: &Steps| steps.late.quantile(0.999).as_secs_f64();
    let ratio = tail(node) / tail(bare);
    [
        row("loop", node, format!("{ratio:.2} | {}", goal(ratio, GOAL)), node.long.to_string()),
        row("bare loop", bare, "1 | –".into(), "–".into()),
    ]
}

/// A bare loop of 1 kHz on the same processor as the node's loop. The same code requests its settings, and it has nothing else of that.
/// It ends when this is dropped.
struct BareLoop {
    thread: Option<JoinHandle<()>>,
    record: Arc<Record>,
}

#[derive(Default)]
struct Record {
    /// Its lock is free but for a few microseconds at the ends of a window.
    steps: Mutex<Steps>,
    ended: AtomicBool,
}

impl BareLoop {
    /// Starts it, and locks the memory of this process. Where the operating system refuses a setting, it goes without, as the node's
    /// loop, which warns of that.
    fn start(core: usize) -> Result<Self> {
        let record = Arc::<Record>::default();
        let own = Arc::clone(&record);
        let settings = RealTime { priority: Some(PRIORITY), lock_memory: true, cores: vec![core] };
        let thread = thread::Builder::new().name("bare".into()).spawn(move || {
            settings.apply();
            run(&own);
        });
        Ok(Self { thread: Some(thread?), record })
    }

    /// Its steps since its start.
    fn steps(&self) -> Steps {
        *lock(&self.record.steps)
    }
}

impl Drop for BareLoop {
    fn drop(&mut self) {
        self.record.ended.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // it has nothing that can panic
        }
    }
}

fn run(record: &Record) {
    let now = || Duration::try_from(clock_gettime(ClockId::Monotonic)).unwrap_or_default();
    let mut due = now() + BARE_PERIOD;
    while !record.ended.load(Ordering::SeqCst) {
        let Ok(time) = Timespec::try_from(due) else { return }; // in 300 billion years
        while clock_nanosleep_absolute(ClockId::Monotonic, &time).is_err() {} // a signal
        let late = now().saturating_sub(due);
        let missed = (late.as_nanos() / BARE_PERIOD.as_nanos()) as u32;
        let mut steps = lock(&record.steps);
        steps.late.add(late);
        steps.missed += u64::from(missed);
        due += BARE_PERIOD * (1 + missed);
    }
}

#[cfg(test)]
mod tests {
    use r2r::diagnostic_msgs::msg::KeyValue;

    use super::*;

    #[test]
    fn steps_are_read_from_the_status_of_the_node_alone() {
        let value = |key: &str, value: &str| KeyValue { key: key.into(), value: value.into() };
        let values = vec![
            value("steps left out", "3"),
            value("steps longer than the period", "1"),
            value("lateness (ns:steps)", "51200:7 1048576:2"),
        ];
        let status = DiagnosticStatus { values, ..DiagnosticStatus::default() };
        let steps = read(&status).unwrap();
        assert_eq!((steps.missed, steps.long, steps.late.count()), (3, 1, 9));
        assert_eq!(read(&DiagnosticStatus::default()), None);
    }

    #[test]
    fn the_tail_is_compared_with_that_of_the_same_time() {
        let steps = |micros: u64| {
            let mut late = Histogram::new();
            (0..1000).for_each(|_| late.add(Duration::from_micros(micros)));
            Steps { late, missed: 3, long: 2 }
        };
        let ends = |when, node, bare| rows(when, &[steps(node), steps(bare)]);
        assert!(ends("at rest", 110, 100)[0].contains("1.2 reached |"));
        assert!(ends("under calls", 2000, 1000)[0].ends_with("1.2 not reached | 1000 | 3 | 2 |"));
    }

    #[test]
    fn a_window_has_the_steps_between_its_ends() {
        let mut late = Histogram::new();
        late.add(Duration::from_micros(50));
        let from = Steps { missed: 1, long: 2, late };
        late.add(Duration::from_micros(70));
        let to = Steps { missed: 4, long: 2, late };
        let mut sum = Steps { missed: 10, ..Steps::default() };
        sum.add(&from, &to);
        assert_eq!((sum.missed, sum.long, sum.late.count()), (13, 0, 1));
    }

    #[test]
    #[allow(clippy::disallowed_methods)] // the loop runs meanwhile
    fn it_records_each_wake_up() {
        let bare = BareLoop::start(0).unwrap();
        thread::sleep(Duration::from_millis(20));
        let from = bare.steps();
        thread::sleep(Duration::from_millis(200));
        let mut window = Steps::default();
        window.add(&from, &bare.steps());
        let count = window.late.count() + window.missed;
        assert!((150..=220).contains(&count), "{count}");
    }
}
