use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::process::{self, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use ros::Error;
use rustix::process::{Pid, Signal, kill_process};
use units::Stamp;

use crate::child::beside;
use crate::distribution::Distribution;
use crate::hand::{RATE, Task};
use crate::pairing::{Event, between};
use crate::round::{START, Stage, WARM_UP};
use crate::sink::{Listens, Received, Sink};
use crate::subject::{PARAMETERS, SUBJECTS};

/// Runs an executable among pads that are mocked, see its own text.
const HARNESS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/ros/mock_pad.py");
/// The pad's device file, and its button and axis that drive, see `stack.yaml`.
const PAD: &str = r#""event": 7"#;
const DEAD_MAN: &str = "5";
const DRIVING: &str = "1";
/// Where a bare reader publishes, one of the topics that are listened to.
const CHAIN_END: &str = "/bench/chain_of_1/end";
/// In this time a zero comes since motion was enabled, with which it begins: a stick at rest repeats it every 0.1 s.
const ZERO: Duration = Duration::from_millis(250);
/// What belongs to an event comes before the next one.
const PERIOD: Duration = Duration::from_nanos(1_000_000_000 / RATE as u64);

/// How long events of a mocked pad of evdev take to `/motor/port`.
#[derive(Debug)]
pub struct Evdev {
    /// From the time at which the kernel would have stamped them.
    pub from_event: Distribution,
    /// From the time at which SDL reports them.
    pub from_stamp: Distribution,
    /// From the event until a bare process has read it, which waits for nothing else: what the mock costs.
    pub to_reader: Distribution,
}

impl Evdev {
    /// What the way from the event costs, the mock taken off, to that from SDL's report.
    pub fn ratio(&self) -> f64 {
        let [event, stamp, reader] = [&self.from_event, &self.from_stamp, &self.to_reader]
            .map(|times| times.quantile(0.5).as_secs_f64());
        (event - reader) / stamp
    }
}

/// Measures it so often, the vehicle and the bare reader in turns; the round in which [`Evdev::ratio`] is the middle one. `None`
/// where umockdev is not installed.
/// # Errors
/// It does not start or does not drive.
pub fn measure(stage: &Stage<'_>, rounds: u32) -> Result<Option<Evdev>, Error> {
    let measured: Result<Option<Vec<Evdev>>, Error> = (0..rounds).map(|_| measure_once(stage)).collect();
    Ok(measured?.and_then(|mut measured| {
        measured.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
        let middle = measured.len() / 2;
        measured.into_iter().nth(middle)
    }))
}

/// Measures it with `steersman`; `None` where umockdev is not installed.
/// # Errors
/// It does not start or does not drive.
fn measure_once(stage: &Stage<'_>) -> Result<Option<Evdev>, Error> {
    let failed = |why| Error::Start(format!("a mocked pad could not be measured: {why}"));
    let with_the_pad: Vec<&str> = PARAMETERS.lines().filter(|line| !line.contains("_device:")).collect();
    let parameters = stage.folder.put("evdev.yaml", &with_the_pad.join("\n"))?;
    let parameters = ["--ros-args", "--params-file", &parameters.to_string_lossy()];
    let Some(mut pad) = MockedPad::start("steersman", &parameters)? else { return Ok(None) };
    let driven = drive(stage, &mut pad);
    stage.hand.set(Task::Rest);
    drop(pad);
    let (from_event, from_stamp) = driven.map_err(failed)?;
    let read = floor(stage);
    stage.hand.set(Task::Rest);
    Ok(Some(Evdev { from_event, from_stamp, to_reader: read.map_err(failed)? }))
}

/// How long the same events take to a bare reader, beside a vehicle that a virtual pad drives: the mock is a process, too, which is
/// quicker where it has the machine to itself.
fn floor(stage: &Stage<'_>) -> Result<Distribution, String> {
    let vehicle = &SUBJECTS[0];
    let children = stage.start(vehicle).map_err(|error| error.to_string())?;
    stage.prepare(&mut stage.sink(Listens::ToStampsToo)?, vehicle, &children)?;
    let mut sink = stage.sink(Listens::ToMotors)?;
    let reader =
        MockedPad::start("bench", &["reader", "/dev/input/event7", CHAIN_END]).map_err(|e| e.to_string())?;
    let mut pad = reader.ok_or("umockdev is gone")?;
    pad.order(&format!(r#"{{"do": "plug", {PAD}, "pad": "xbox"}}"#))?;
    pad.order(r#"{"do": "start"}"#)?;
    sink.listen(WARM_UP * 2, |_| false);
    let pairs = move_the_pad(stage, &mut pad, &mut sink)?;
    times(&pairs, |(happened, event)| between(*happened, event.stamp))
}

fn drive(stage: &Stage<'_>, pad: &mut MockedPad) -> Result<(Distribution, Distribution), String> {
    let mut sink = stage.sink(Listens::ToStampsToo)?;
    pad.order(r#"{"do": "start"}"#)?;
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
    let pairs = move_the_pad(stage, pad, &mut sink)?;
    let from_event = times(&pairs, |(happened, event)| between(*happened, event.came))?;
    let from_stamp = times(&pairs, |(_, event)| between(event.stamp, event.came))?;
    Ok((from_event, from_stamp))
}

/// Moves the pad for the window; what arrived, each with the time at which the pad reported it.
fn move_the_pad(
    stage: &Stage<'_>,
    pad: &mut MockedPad,
    sink: &mut Sink,
) -> Result<Vec<(Stamp, Event)>, String> {
    sink.clear();
    pad.begin_to_move(stage.window)?;
    sink.listen(stage.window + WARM_UP, |_| false);
    let happened = pad.end_to_move()?;
    let events = sink.received().pairing.events();
    Ok(events.iter().filter_map(|&event| Some((before(&happened, event.stamp)?, event))).collect())
}

fn times(pairs: &[(Stamp, Event)], time: fn(&(Stamp, Event)) -> Duration) -> Result<Distribution, String> {
    Distribution::new(pairs.iter().map(time).collect()).ok_or_else(|| "no event arrived".into())
}

/// The pad's state at event `number`, never as it was at the one before.
fn moves(number: u128) -> String {
    let value = if number.is_multiple_of(2) { -20_000 } else { -10_000 };
    format!(r#"{{"axes": {{"{DRIVING}": {value}}}}}"#)
}

/// Which of the events that `happened`, in order, was read at `read`.
fn before(happened: &[Stamp], read: Stamp) -> Option<Stamp> {
    let number = happened.partition_point(|&stamp| stamp <= read).checked_sub(1)?;
    Some(happened[number]).filter(|&stamp| between(stamp, read) < PERIOD)
}

/// The `"stamps": [µs, µs, …]` of an answer.
fn stamps(answer: &str) -> Option<Vec<Stamp>> {
    let list = answer.split_once(r#""stamps": ["#)?.1.split_once(']')?.0;
    list.split(", ").map(stamp).collect()
}

/// A time \[µs since 1970].
fn stamp(micros: &str) -> Option<Stamp> {
    let micros: u64 = micros.parse().ok()?;
    let sec = i32::try_from(micros / 1_000_000).ok()?;
    Some(Stamp { sec, nanosec: (micros % 1_000_000) as u32 * 1000 })
}

/// An executable in the harness. Both end when this is dropped.
struct MockedPad {
    process: process::Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl MockedPad {
    fn start(executable: &str, arguments: &[&str]) -> Result<Option<Self>, Error> {
        let failed = |error| Error::Start(format!("the harness of a mocked pad cannot be started: {error}"));
        let mut command = Command::new("umockdev-wrapper");
        command.args(["python3", HARNESS]).arg(beside(executable)).args(arguments);
        // Without udev's own file SDL would read /dev/input itself, which is not mocked.
        command.env("SDL_JOYSTICK_DISABLE_UDEV", "0").env("PYTHONDONTWRITEBYTECODE", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = match command.spawn() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            process => process.map_err(failed)?,
        };
        let pipes = process.stdin.take().zip(process.stdout.take());
        let (orders, answers) = pipes.ok_or_else(|| failed(ErrorKind::BrokenPipe.into()))?;
        Ok(Some(Self { process, orders, answers: BufReader::new(answers) }))
    }

    fn act(&mut self, batch: &str) -> Result<(), String> {
        self.order(&format!(r#"{{"do": "act", {PAD}, "batches": [{batch}]}}"#))
    }

    /// Moves the pad for `time`.
    fn begin_to_move(&mut self, time: Duration) -> Result<(), String> {
        let batches: Vec<String> = (1..=time.as_nanos() / PERIOD.as_nanos()).map(moves).collect();
        let pause = PERIOD.as_secs_f64();
        self.send(&format!(r#"{{"do": "act", {PAD}, "pause": {pause}, "batches": [{}]}}"#, batches.join(",")))
    }

    /// When the pad moved, once it has ended.
    fn end_to_move(&mut self) -> Result<Vec<Stamp>, String> {
        stamps(&self.answer()?).ok_or_else(|| "no stamps".into())
    }

    fn order(&mut self, order: &str) -> Result<(), String> {
        self.send(order)?;
        self.answer().map(drop)
    }

    fn send(&mut self, order: &str) -> Result<(), String> {
        writeln!(self.orders, "{order}").map_err(|error| error.to_string())
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

    fn at(micros: u64) -> Stamp {
        Stamp { sec: 0, nanosec: micros as u32 * 1000 }
    }

    #[test]
    fn an_event_belongs_to_the_last_report_before_it() {
        let happened = [at(1000), at(6000)];
        let belongs = |micros| before(&happened, at(micros));
        assert_eq!(
            [999, 1000, 5999, 6040].map(belongs),
            [None, Some(at(1000)), Some(at(1000)), Some(at(6000))]
        );
        assert_eq!(belongs(11_000), None, "another one was lost");
    }

    #[test]
    fn stamps_are_read_from_an_answer() {
        let answer = r#"{"at": 3.5, "stamps": [1700000000000001, 1700000000005000]}"#;
        let expected = [(1_700_000_000, 1000), (1_700_000_000, 5_000_000)];
        let expected = expected.map(|(sec, nanosec)| Stamp { sec, nanosec });
        assert_eq!(stamps(answer).unwrap(), expected);
    }
}
