use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::Path;
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

/// Runs an executable among pads that are mocked, see its own text.
const HARNESS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/ros/mock_pad.py");
/// The pad's device file, and its button and axis that drive, see `stack.yaml`.
const PAD: &str = r#""event": 7"#;
const DEAD_MAN: &str = "5";
const DRIVING: &str = "1";
/// What belongs to an event comes before the next one.
const PERIOD: Duration = Duration::from_nanos(1_000_000_000 / RATE as u64);

/// How long events of a mocked pad of evdev take to `/motor/port`.
#[derive(Debug)]
pub struct Evdev {
    /// From the time at which the kernel would have stamped them.
    pub from_event: Distribution,
    /// From the time at which SDL reports them.
    pub from_stamp: Distribution,
}

/// Measures it with `steersman`; `None` where umockdev is not installed.
/// # Errors
/// It does not start or does not drive.
pub fn measure(stage: &Stage<'_>) -> Result<Option<Evdev>, Error> {
    let Some(mut pad) = MockedPad::start(stage.parameters)? else { return Ok(None) };
    let measured = drive(stage, &mut pad);
    stage.hand.set(Task::Rest);
    measured.map(Some).map_err(|why| Error::Start(format!("a mocked pad could not be measured: {why}")))
}

fn drive(stage: &Stage<'_>, pad: &mut MockedPad) -> Result<Evdev, String> {
    let mut sink =
        Sink::new(stage.context, Listens::ToStampsToo, stage.stop.clone()).map_err(|e| e.to_string())?;
    pad.order(&format!(r#"{{"do": "start"}}"#))?;
    pad.order(&format!(r#"{{"do": "plug", {PAD}, "pad": "xbox"}}"#))?;
    sink.listen(WARM_UP * 2, |_| false);
    pad.act(&format!(r#"{{"buttons": {{"{DEAD_MAN}": true}}}}"#))?;
    stage.hand.set(Task::Enable);
    if !sink.listen(START, Received::is_enabled) {
        return Err(format!("motion was not enabled; {}", sink.received().summary()));
    }
    stage.hand.set(Task::Drive);
    pad.act(&moves(0))?;
    if !sink.listen(START, Received::moves) {
        return Err(format!("the motors did not turn; {}", sink.received().summary()));
    }
    sink.listen(WARM_UP, |_| false);
    sink.clear();
    let count = stage.window.as_nanos() / PERIOD.as_nanos();
    let batches: Vec<String> = (1..=count).map(moves).collect();
    let pause = PERIOD.as_secs_f64();
    pad.send(&format!(r#"{{"do": "act", {PAD}, "pause": {pause}, "batches": [{}]}}"#, batches.join(",")))?;
    sink.listen(stage.window + WARM_UP, |_| false);
    let happened = stamps(&pad.answer()?).ok_or("no stamps")?;
    let events = sink.received().pairing.events();
    let pairs: Vec<(Stamp, Event)> =
        events.iter().filter_map(|&e| Some((before(&happened, e)?, e))).collect();
    let times = |from: fn(&(Stamp, Event)) -> Stamp| {
        let times = pairs.iter().map(|pair| between(from(pair), pair.1.came));
        Distribution::new(times.collect()).ok_or("no event arrived")
    };
    Ok(Evdev { from_event: times(|pair| pair.0)?, from_stamp: times(|pair| pair.1.stamp)? })
}

/// The pad's state at event `number`, never as it was at the one before.
fn moves(number: u128) -> String {
    let value = if number.is_multiple_of(2) { -20_000 } else { -10_000 };
    format!(r#"{{"axes": {{"{DRIVING}": {value}}}}}"#)
}

/// What of `happened`, in order, SDL reported as `event`.
fn before(happened: &[Stamp], event: Event) -> Option<Stamp> {
    let number = happened.partition_point(|&stamp| stamp <= event.stamp).checked_sub(1)?;
    Some(happened[number]).filter(|&stamp| between(stamp, event.stamp) < PERIOD)
}

/// The `"stamps": [µs, µs, …]` of an answer.
fn stamps(answer: &str) -> Option<Vec<Stamp>> {
    let list = answer.split_once(r#""stamps": ["#)?.1.split_once(']')?.0;
    list.split(", ")
        .map(|micros| {
            let micros: u64 = micros.parse().ok()?;
            let sec = i32::try_from(micros / 1_000_000).ok()?;
            Some(Stamp { sec, nanosec: (micros % 1_000_000) as u32 * 1000 })
        })
        .collect()
}

/// `steersman` in the harness. Both end when this is dropped.
struct MockedPad {
    process: process::Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl MockedPad {
    fn start(parameters: &Path) -> Result<Option<Self>, Error> {
        let failed = |error| Error::Start(format!("the harness of a mocked pad cannot be started: {error}"));
        let mut command = Command::new("umockdev-wrapper");
        command.args(["python3", HARNESS]).arg(beside("steersman"));
        command.args(["--ros-args", "--params-file"]).arg(parameters);
        // Without udev's own file SDL would look into /dev/input itself, which is not mocked.
        command.env("SDL_JOYSTICK_DISABLE_UDEV", "0").env("PYTHONDONTWRITEBYTECODE", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = match command.spawn() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            process => process.map_err(failed)?,
        };
        let piped = process.stdin.take().zip(process.stdout.take());
        let (orders, answers) = piped.ok_or_else(|| failed(ErrorKind::BrokenPipe.into()))?;
        Ok(Some(Self { process, orders, answers: BufReader::new(answers) }))
    }

    fn act(&mut self, batch: &str) -> Result<(), String> {
        self.order(&format!(r#"{{"do": "act", {PAD}, "batches": [{batch}]}}"#))
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
        let belongs = |micros| before(&happened, Event { stamp: at(micros), came: at(0) });
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
