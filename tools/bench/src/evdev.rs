//! The way from the event of a mocked pad.
//!
//! The mock hands each reading over by way of another process, which a real pad does not. So the time in which a bare process reads a
//! like event is subtracted, its own wake-up and reading included.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{self, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use processes::beside;
use ros::{Error, clock};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, kill_process};
use safety::Stamp;

use crate::distribution::Distribution;
use crate::hand::{RATE, Task};
use crate::pairing::{Event, before, between};
use crate::round::{START, Stage, WARM_UP};
use crate::sink::{Listens, Received, Sink};

/// Runs an executable among pads that are mocked, see its own text.
const HARNESS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/ros/harness/mock_pad.py");
/// The number of the pad's device file, and its button and axis that drive, see `stack.yaml`.
const PAD: &str = r#""event": 7"#;
/// Number of the device file that a bare process reads at the same time. It is no joystick to SDL.
const FLOOR: u32 = 8;
const DEAD_MAN: &str = "5";
const DRIVING: &str = "1";
/// In this time a zero comes since motion was enabled, with which it begins: a stick at rest repeats it every 0.1 s.
const ZERO: Duration = Duration::from_millis(250);
/// How often the pad moves; what belongs to an event comes before the next one.
const PERIOD: Duration = Duration::from_nanos(1_000_000_000 / RATE as u64);

/// How long events of a mocked pad of evdev take to `/motor/port`.
#[derive(Debug)]
pub struct Evdev {
    /// Times from the event, as the kernel would have stamped it, to the motor.
    pub from_event: Distribution,
    /// Times from there until SDL reports the events.
    pub to_report: Distribution,
    /// Times from SDL's report to the motor.
    pub from_report: Distribution,
    /// Times from an event beside them until a bare process has read it, which waits for nothing else: what the mock costs.
    pub to_reader: Distribution,
}

impl Evdev {
    /// Ratio of the time from the event, less the cost of the mock, to the time from SDL's report.
    pub fn ratio(&self) -> f64 {
        let [report, reader, from_report] = [&self.to_report, &self.to_reader, &self.from_report]
            .map(|times| times.quantile(0.5).as_secs_f64());
        (report - reader + from_report) / from_report
    }
}

/// Events of the pad and of the device beside it, with their times.
#[derive(Default)]
struct Moves {
    /// When the pad reported an event, and the event.
    driven: Vec<(Stamp, Event)>,
    /// When the device beside it reported an event, and when the bare process had read that.
    read: Vec<(Stamp, Stamp)>,
}

/// Measures it in so many rounds, all events together; `None` where umockdev is not installed.
/// # Errors
/// It does not start or does not drive.
pub fn measure(stage: &Stage<'_>, rounds: u32) -> Result<Option<Evdev>, Error> {
    let parameters = ["--ros-args", "--params-file", &stage.parameters.to_string_lossy()];
    let failed = |why: String| Error::Start(format!("a mocked pad could not be measured: {why}"));
    let mut moves = Moves::default();
    for _ in 0..rounds {
        let Some(mut pad) = MockedPad::start("steersman", &parameters)? else { return Ok(None) };
        let driven = drive(stage, &mut pad, &mut moves);
        stage.hand.set(Task::Rest);
        driven.map_err(failed)?;
    }
    let Moves { driven, read } = moves;
    let distribution =
        |times: Vec<Duration>| Distribution::new(times).ok_or_else(|| failed("no event arrived".into()));
    Ok(Some(Evdev {
        from_event: distribution(driven.iter().map(|(at, event)| between(*at, event.came)).collect())?,
        to_report: distribution(driven.iter().map(|(at, event)| between(*at, event.stamp)).collect())?,
        from_report: distribution(
            driven.iter().map(|(_, event)| between(event.stamp, event.came)).collect(),
        )?,
        to_reader: distribution(read.iter().map(|(at, read)| between(*at, *read)).collect())?,
    }))
}

/// Prints when it has read a report of the pad with this device `file`, until it is stopped. It reads as SDL does: until nothing
/// is left.
/// # Errors
/// The file does not open.
pub fn read(file: &Path) -> Result<(), Error> {
    let failed = |error: std::io::Error| Error::Start(format!("'{}': {error}", file.display()));
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let mut pad = OpenOptions::new().read(true).custom_flags(flags).open(file).map_err(failed)?;
    let mut buffer = [0; 768];
    loop {
        let wait = &mut [PollFd::new(&pad, PollFlags::IN)];
        poll(wait, None).map_err(|error| failed(error.into()))?;
        while pad.read(&mut buffer).is_ok_and(|count| count > 0) {}
        println!("{}", clock::stamp().as_nanos() / 1000);
    }
}

/// Drives with the pad. The bare process beside the vehicle reads the same reports of its own device half a period later: the mock is
/// a process, too, and quicker where it has the machine to itself.
fn drive(stage: &Stage<'_>, pad: &mut MockedPad, all: &mut Moves) -> Result<(), String> {
    let mut sink =
        Sink::new(stage.context, Listens::ToStampsToo, stage.stop.clone()).map_err(|e| e.to_string())?;
    pad.order(&format!(r#"{{"do": "plug", "event": {FLOOR}, "pad": "xbox", "joystick": false}}"#))?;
    let bench = beside("bench");
    pad.order(&format!(r#"{{"do": "start", "beside": [{bench:?}, "reader", "/dev/input/event{FLOOR}"]}}"#))?;
    pad.order(&format!(r#"{{"do": "plug", {PAD}, "pad": "xbox"}}"#))?;
    sink.listen(WARM_UP * 2, |_| false);
    pad.act(&format!(r#"{{"buttons": {{"{DEAD_MAN}": true}}}}"#))?;
    stage.hand.set(Task::Enable);
    if !sink.listen(START, Received::is_enabled) {
        return Err(format!("motion was not enabled; {}", sink.received().summary()));
    }
    stage.hand.set(Task::Rest);
    sink.listen(ZERO, |_| false);
    stage.hand.set(Task::Drive);
    pad.act(&moves(0))?;
    if !sink.listen(START, Received::moves) {
        return Err(format!("the motors did not turn; {}", sink.received().summary()));
    }
    sink.listen(WARM_UP, |_| false);
    sink.clear();
    pad.begin_to_move(stage.window)?;
    sink.listen(stage.window + WARM_UP, |_| false);
    let (happened, beside) = pad.end_to_move()?;
    let events = sink.received().pairing.events().iter();
    all.driven.extend(events.filter_map(|&event| Some((before(&happened, event.stamp, PERIOD)?, event))));
    let output = pad.end()?;
    let read = output.lines().filter_map(|line| stamp(line.trim().parse().ok()?));
    all.read.extend(read.filter_map(|read| Some((before(&beside, read, PERIOD)?, read))));
    Ok(())
}

/// The pad's state at event `number`, never as it was at the one before.
fn moves(number: u128) -> String {
    let value = if number.is_multiple_of(2) { -20_000 } else { -10_000 };
    format!(r#"{{"axes": {{"{DRIVING}": {value}}}}}"#)
}

/// The `"name": [µs, µs, …]` of an answer.
fn stamps(answer: &str, name: &str) -> Option<Vec<Stamp>> {
    let answer: serde_json::Value = serde_json::from_str(answer).ok()?;
    answer[name].as_array()?.iter().map(|micros| stamp(micros.as_u64()?)).collect()
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
    errors: ChildStderr,
}

impl MockedPad {
    fn start(executable: &str, arguments: &[&str]) -> Result<Option<Self>, Error> {
        let failed = |error| Error::Start(format!("the harness of a mocked pad cannot be started: {error}"));
        let mut command = Command::new("umockdev-wrapper");
        command.args(["python3", HARNESS]).arg(beside(executable)).args(arguments);
        // Without udev's own file SDL would read /dev/input itself, which is not mocked.
        command.env("SDL_JOYSTICK_DISABLE_UDEV", "0").env("PYTHONDONTWRITEBYTECODE", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = match command.spawn() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            process => process.map_err(failed)?,
        };
        let orders = process.stdin.take();
        let piped = process.stdout.take().zip(process.stderr.take());
        let (answers, errors) = piped.ok_or_else(|| failed(ErrorKind::BrokenPipe.into()))?;
        Ok(Some(Self { process, orders, answers: BufReader::new(answers), errors }))
    }

    fn act(&mut self, batch: &str) -> Result<(), String> {
        self.order(&format!(r#"{{"do": "act", {PAD}, "batches": [{batch}]}}"#))
    }

    /// Moves the pad for `time`.
    fn begin_to_move(&mut self, time: Duration) -> Result<(), String> {
        let batches: Vec<String> = (1..=time.as_nanos() / PERIOD.as_nanos()).map(moves).collect();
        let pause = PERIOD.as_secs_f64();
        let batches = batches.join(",");
        self.send(&format!(
            r#"{{"do": "act", {PAD}, "also": {FLOOR}, "pause": {pause}, "batches": [{batches}]}}"#
        ))
    }

    /// When the pad moved, and when the other device did, once both have ended.
    fn end_to_move(&mut self) -> Result<(Vec<Stamp>, Vec<Stamp>), String> {
        let answer = self.answer()?;
        let stamps = |name| stamps(&answer, name).ok_or(format!("no '{name}' in an answer"));
        Ok((stamps("stamps")?, stamps("also")?))
    }

    /// Ends the processes and returns what they have printed.
    fn end(&mut self) -> Result<String, String> {
        drop(self.orders.take());
        let mut text = String::new();
        self.errors.read_to_string(&mut text).map_err(|error| error.to_string())?;
        Ok(text)
    }

    fn order(&mut self, order: &str) -> Result<(), String> {
        self.send(order)?;
        self.answer().map(drop)
    }

    fn send(&mut self, order: &str) -> Result<(), String> {
        let orders = self.orders.as_mut().ok_or("it was stopped")?;
        writeln!(orders, "{order}").map_err(|error| error.to_string())
    }

    fn answer(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.answers.read_line(&mut line) {
            Ok(0) => Err("the harness has ended".into()),
            Ok(_) if line.contains(r#""error""#) => Err(line),
            Ok(_) => Ok(line),
            Err(error) => Err(error.to_string()),
        }
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
        let answer = r#"{"at": 3.5, "stamps": [1700000000000001, 1700000000005000]}"#;
        let expected = [(1_700_000_000, 1000), (1_700_000_000, 5_000_000)];
        let expected = expected.map(|(sec, nanosec)| Stamp { sec, nanosec });
        assert_eq!(stamps(answer, "stamps").unwrap(), expected);
        assert_eq!(stamps(answer, "also"), None);
    }
}
