use std::time::Duration;

use gamepad::{VirtualPad, VirtualState};
use processes::Meter;
use r2r::Client;
use r2r::or_joystick::srv::{Log, LogInfo};
use ros::{Error, Stop, clock};

use super::{Message, STACK, Topic, WARM_UP};
use crate::hand::{Hand, Task};
use crate::peer::Peer;
use crate::stage::{Result, Stage, on_signals};
use crate::table::table;

/// As [`STACK`], without a virtual pad, for pads that move by themselves, and at the full rate.
const MANY: &str = include_str!("many.yaml");
/// A usual pad that is moved reports so often \[Hz].
const MOVES: u32 = 125;
/// How many pads there are, how often each is moved in a second, the first of which drives, and the name of their row.
const LOADS: [(u32, u32, &str); 5] = [
    (0, 0, "none"),
    (1, 0, "1 at rest"),
    (1, MOVES, "1, each moved 125 times a second"),
    (8, 0, "8 at rest"),
    (8, MOVES, "8, each moved 125 times a second"),
];
/// How often a service is asked whose answer may be lost.
const TRIES: usize = 3;

/// Measures what the node costs with different numbers of pads; returns a table.
/// # Errors
/// It does not start, or ends.
pub fn measure(stage: &Stage, wires: &mut Peer<Message>) -> Result<String> {
    stage.put("many.yaml", MANY)?;
    let mut rows = Vec::new();
    for (pads, rate, name) in LOADS {
        eprintln!("bench: pads: {name}");
        let (pads, rate) = (pads.to_string(), rate.to_string());
        let command = ["bench", "pads", &pads, &rate, "--ros-args", "--params-file", "many.yaml"];
        let used = stage.with("a node with pads", &[&command], |children| {
            wires.pause(WARM_UP * 2)?;
            let meter = Meter::new(children, None)?;
            wires.pause(stage.arguments.window())?;
            Ok(meter.read()?)
        })?;
        rows.push(format!("| {name} | {:.1} | {:.0} |", 100.0 * used.cpu, used.memory));
    }
    Ok(table("| pads | CPU [% of a core] | memory [MB] |", rows))
}

/// Has the node log each of its cycles, a thousand in a second, while the hand drives; returns a sentence.
/// # Errors
/// It does not start, or refuses.
pub fn measure_log(stage: &Stage, wires: &mut Peer<Message>, hand: &Hand) -> Result<String> {
    eprintln!("bench: pads: log");
    let parameters = STACK.replacen("ros__parameters:\n", "ros__parameters:\n    rate: 1000\n", 1);
    stage.put("log.yaml", &parameters)?;
    let path = stage.put("rows", "")?;
    stage.with("the log", &[&["joystick", "--ros-args", "--params-file", "log.yaml"]], |_| {
        wires.forget();
        hand.set(Task::Enable);
        wires.expect("it does not start", |message| message.topic == Topic::Device)?;
        hand.set(Task::Drive);
        let log: Client<Log::Service> = wires.client("/joystick/log")?;
        let info: Client<LogInfo::Service> = wires.client("/joystick/log_info")?;
        let request = Log::Request { path, decimation: 1 };
        // The way back may not be known to the node yet: then its answer is lost, and a further one does no harm.
        let answer = (0..TRIES).find_map(|_| wires.call(&log, &request).ok());
        let (answer, _) = answer.ok_or("the log service does not answer")?;
        if !answer.genom_success {
            return Err(answer.genom_exdetail.into());
        }
        let (began, (before, _)) = (clock::now(), wires.call(&info, &LogInfo::Request::default())?);
        wires.pause(stage.arguments.window())?;
        let (time, (after, _)) = (clock::now().since(began), wires.call(&info, &LogInfo::Request::default())?);
        hand.set(Task::Rest);
        let (seconds, cycles, missed) = (time.as_secs_f64(), after.total - before.total, after.miss - before.miss);
        Ok(format!(
            "A log at 1 kHz for {seconds:.1} s: {cycles} of {:.0} cycles ran, of their rows {missed} were missed.",
            1000.0 * seconds
        ))
    })
}

/// The joystick node with `pads` virtual pads, each moved `rate` times a second by itself.
/// # Errors
/// The node does not start.
pub fn run(pads: u32, rate: u32) -> Result<()> {
    let (stop, context) = (on_signals()?, ros::context()?);
    let end = stop.clone();
    Ok(nodes::joystick::run_and(&context, &stop, move |devices| {
        let pads =
            (0..pads).map(|_| devices.plug("Bench Pad")).collect::<core::result::Result<Vec<_>, _>>()?;
        let body = move || move_all(&pads, rate, &end);
        let thread = std::thread::Builder::new().name("hand".into()).spawn(body);
        thread.map(drop).map_err(|error| Error::Start(format!("no thread to move the pads: {error}")))
    })?)
}

/// Moves the pads, or only holds them, until the request to end.
#[allow(clippy::disallowed_methods)] // the pace is its own; nothing else waits for this thread
fn move_all(pads: &[VirtualPad], rate: u32, end: &Stop) {
    let period = Duration::from_secs(1) / rate.max(10);
    let (mut due, mut number) = (clock::now(), 0_i16);
    while !end.is_set() {
        due = due + period;
        std::thread::sleep(due.since(clock::now()));
        if rate > 0 {
            number = (number + 1) % 100;
            let mut state = VirtualState { axes: vec![0; 6], buttons: vec![false; 11], hats: Vec::new() };
            (state.axes[1], state.buttons[5]) = (-number * 300, true);
            pads.iter().for_each(|pad| pad.set(state.clone()));
        }
    }
}
