//! The way from the event of a mocked pad.
//!
//! The mock hands each reading over by way of another process, which a real pad does not. So the time in which a bare process reads a
//! like event is subtracted, its own wake-up and reading included.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{self, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use processes::beside;
use ros::clock;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, kill_process};
use safety::Stamp;
use serde_json::{Value, json};

use super::pairing::{before, between};
use super::sink::Sink;
use super::{Chain, WARM_UP};
use crate::hand::{RATE, Task};
use crate::stage::Result;
use crate::table::{Distribution, goal, table, times};

/// Runs an executable among pads that are mocked, see its own text.
const HARNESS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/ros/harness/mock_pad.py");
/// The number of the pad's device file.
const PAD: u32 = 7;
/// Number of the device file that a bare process reads at the same time. It is no joystick to SDL.
const FLOOR: u32 = 8;
/// In this time a zero comes since motion was enabled, with which it begins: a stick at rest repeats it every 0.1 s.
const ZERO: Duration = Duration::from_millis(250);
/// How often the pad moves; what belongs to an event comes before the next one.
const PERIOD: Duration = Duration::from_nanos(1_000_000_000 / RATE as u64);
/// p50 from the pad's event, at most, to that from SDL's stamp.
const GOAL: f64 = 1.15;

/// How long events of a mocked pad of evdev take to `/motor/port`.
#[derive(Debug, Default)]
struct Times {
    /// From the event, as the kernel would have stamped it, to the motor.
    from_event: Vec<Duration>,
    /// From there until SDL reports the event.
    to_report: Vec<Duration>,
    /// From SDL's report to the motor.
    from_report: Vec<Duration>,
    /// From an event beside them until a bare process has read it, which waits for nothing else: what the mock costs.
    to_reader: Vec<Duration>,
}

/// Measures all rounds, all events together, and returns a table.
/// # Errors
/// The vehicle does not start or does not drive.
pub fn measure(chain: &Chain<'_>) -> Result<String> {
    let no_virtual = include_str!("../stack.yaml").lines().filter(|line| !line.contains("_device:"));
    let parameters = chain.stage.put("evdev.yaml", &no_virtual.collect::<Vec<_>>().join("\n"))?;
    let mut all = Times::default();
    for _ in 0..chain.stage.arguments.rounds {
        let command = ["steersman", "--ros-args", "--params-file", &parameters];
        let Some(mut pad) = MockedPad::start(&command)? else {
            return Ok("No pad of evdev was measured: umockdev is not installed.\n".into());
        };
        let driven = drive(chain, &mut pad, &mut all);
        chain.hand.set(Task::Rest);
        driven.map_err(|why| format!("a mocked pad could not be measured: {why}"))?;
    }
    shown(all)
}

fn shown(all: Times) -> Result<String> {
    let [event, report, motor, reader] =
        Distribution::all([all.from_event, all.to_report, all.from_report, all.to_reader])?;
    let ratio = (report.micros(0.5) - reader.micros(0.5) + motor.micros(0.5)) / motor.micros(0.5);
    let rows = [
        times("from the pad's event to `/motor/port`", &event, &motor),
        times("from the pad's event to SDL's report", &report, &motor),
        times("from SDL's report to `/motor/port`", &motor, &motor),
        times("from a like event until a bare process beside the vehicle has read it", &reader, &motor),
        format!("| from the pad's event, without the mock | – | – | – | – | {ratio:.2} |"),
    ];
    let table =
        table("| a mocked pad of evdev | events | p50 [µs] | p99 [µs] | max [µs] | p50 to SDL's |", rows);
    Ok(format!("{table}\nGoal without the mock: {}.\n", goal(ratio, GOAL)))
}

/// Prints when it has read a report of the pad with this device `file`, until it is stopped. It reads as SDL does: until nothing
/// is left.
/// # Errors
/// The file does not open.
pub fn read(file: &Path) -> Result<()> {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let pad = OpenOptions::new().read(true).custom_flags(flags).open(file);
    let mut pad = pad.map_err(|error| format!("'{}': {error}", file.display()))?;
    let mut buffer = [0; 768];
    loop {
        poll(&mut [PollFd::new(&pad, PollFlags::IN)], None)?;
        while pad.read(&mut buffer).is_ok_and(|count| count > 0) {}
        println!("{}", clock::stamp().as_nanos() / 1000);
    }
}

/// Drives with the pad. The bare process beside the vehicle reads the same reports of its own device half a period later: the mock is
/// a process, too, and quicker where it has the machine to itself.
fn drive(chain: &Chain<'_>, pad: &mut MockedPad, all: &mut Times) -> Result<()> {
    let mut sink = Sink::new(chain.stage, true)?;
    let reader = [beside("bench").display().to_string(), "reader".into(), format!("/dev/input/event{FLOOR}")];
    pad.order(&json!({"do": "plug", "event": FLOOR, "pad": "xbox", "joystick": false}))?;
    pad.order(&json!({"do": "start", "beside": reader}))?;
    pad.order(&json!({"do": "plug", "event": PAD, "pad": "xbox"}))?;
    sink.listen(WARM_UP * 2)?;
    pad.order(&json!({"do": "act", "event": PAD, "batches": [{"buttons": {"5": true}}]}))?;
    chain.hand.set(Task::Enable);
    sink.wait("motion was not enabled", |received| received.vehicle.is_ok())?;
    chain.hand.set(Task::Rest);
    sink.listen(ZERO)?;
    chain.hand.set(Task::Drive);
    pad.order(&json!({"do": "act", "event": PAD, "batches": [moved(0)]}))?;
    sink.wait("the motors did not turn", |received| received.vehicle.moves())?;
    sink.listen(WARM_UP)?;
    sink.clear();
    let window = chain.stage.arguments.window();
    let batches: Vec<Value> = (1..=window.as_nanos() / PERIOD.as_nanos()).map(moved).collect();
    let pause = PERIOD.as_secs_f64();
    pad.send(&json!({"do": "act", "event": PAD, "also": FLOOR, "pause": pause, "batches": batches}))?;
    sink.listen(window + WARM_UP)?;
    let answer = pad.answer()?;
    let (happened, happened_beside) = (stamps(&answer["stamps"])?, stamps(&answer["also"])?);
    for event in sink.received().pairing.events() {
        if let Some(at) = before(&happened, event.stamp, PERIOD) {
            all.from_event.push(between(at, event.came));
            all.to_report.push(between(at, event.stamp));
            all.from_report.push(between(event.stamp, event.came));
        }
    }
    for read in pad.end()?.lines().filter_map(|line| stamp(line.trim().parse().ok()?)) {
        all.to_reader.extend(before(&happened_beside, read, PERIOD).map(|at| between(at, read)));
    }
    Ok(())
}

/// The pad's state at event `number`, never as it was at the one before; for axis and button see `stack.yaml`.
fn moved(number: u128) -> Value {
    json!({"axes": {"1": if number.is_multiple_of(2) { -20_000 } else { -10_000 }}})
}

/// The stamps of an answer, `[µs, µs, …]`.
fn stamps(micros: &Value) -> Result<Vec<Stamp>> {
    let micros = micros.as_array().ok_or("the harness answers without stamps")?.iter();
    Ok(micros.filter_map(|micros| stamp(micros.as_u64()?)).collect())
}

/// A time \[µs since 1970].
fn stamp(micros: u64) -> Option<Stamp> {
    let sec = i32::try_from(micros / 1_000_000).ok()?;
    Some(Stamp { sec, nanosec: (micros % 1_000_000) as u32 * 1000 })
}

/// An executable in the harness. Both end when this is dropped.
struct MockedPad {
    process: process::Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl MockedPad {
    /// Starts the harness; `None` where umockdev is not installed.
    fn start([executable, arguments @ ..]: &[&str; 4]) -> Result<Option<Self>> {
        let mut command = Command::new("umockdev-wrapper");
        command.args(["python3", HARNESS]).arg(beside(executable)).args(arguments);
        // Without udev's own file SDL would read /dev/input itself, which is not mocked.
        command.env("SDL_JOYSTICK_DISABLE_UDEV", "0").env("PYTHONDONTWRITEBYTECODE", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = match command.spawn() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            process => process?,
        };
        let answers = BufReader::new(process.stdout.take().ok_or("the harness has no output")?);
        Ok(Some(Self { orders: process.stdin.take(), process, answers }))
    }

    fn order(&mut self, order: &Value) -> Result<Value> {
        self.send(order)?;
        self.answer()
    }

    fn send(&mut self, order: &Value) -> Result<()> {
        Ok(writeln!(self.orders.as_mut().ok_or("the harness was stopped")?, "{order}")?)
    }

    fn answer(&mut self) -> Result<Value> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let answer: Value = serde_json::from_str(&line).map_err(|_| "the harness has ended")?;
        if answer["error"].is_null() { Ok(answer) } else { Err(line.into()) }
    }

    /// Ends the processes and returns what they have printed.
    fn end(&mut self) -> Result<String> {
        drop(self.orders.take());
        let mut text = String::new();
        self.process.stderr.take().ok_or("the harness was stopped")?.read_to_string(&mut text)?;
        Ok(text)
    }
}

impl Drop for MockedPad {
    fn drop(&mut self) {
        // It was not waited for yet: its number is still its own, even if it has ended.
        let _ = kill_process(Pid::from_child(&self.process), Signal::TERM);
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_read_from_an_answer() {
        let answer = json!({"at": 3.5, "stamps": [1_700_000_000_000_001_u64, 1_700_000_000_005_000_u64]});
        let expected = [(1_700_000_000, 1000), (1_700_000_000, 5_000_000)];
        let expected = expected.map(|(sec, nanosec)| Stamp { sec, nanosec });
        assert_eq!(stamps(&answer["stamps"]).unwrap(), expected);
        assert!(stamps(&answer["also"]).is_err());
    }
}
