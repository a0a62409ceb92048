use std::path::Path;
use std::time::Duration;

use processes::Folder;
use ros::{Error, clock};
use safety::Stamp;

use super::wires::{BARE, Message, Wires};
use super::{failed, start};
use crate::child;
use crate::hand::{STICK, StickControl, Task};

/// How long processes get to start and to find each other.
const START: Duration = Duration::from_secs(15);
/// How long a subject runs before it is measured.
const WARM_UP: Duration = Duration::from_secs(1);

/// How long messages took, from the stick event as SDL reports it; of the bare chain from its publishing.
#[derive(Debug, Default)]
pub struct Paths {
    /// To `~/device/<name>`.
    pub device: Vec<Duration>,
    /// To `joy`.
    pub joy: Vec<Duration>,
    /// To `~/desired`.
    pub desired: Vec<Duration>,
    /// Of one message between two bare processes.
    pub bare: Vec<Duration>,
}

impl Paths {
    fn add(&mut self, message: &Message, now: Stamp) {
        let (times, stamp) = match *message {
            Message::Device(stamp, _) => (&mut self.device, stamp),
            Message::Joy(stamp, _) => (&mut self.joy, stamp),
            Message::Desired(stamp, _) => (&mut self.desired, stamp),
            Message::Bare(stamp) => (&mut self.bare, stamp),
        };
        // Before it was stamped nothing arrives; a clock that was set back shows it.
        if let Ok(nanos) = u64::try_from(now.as_nanos() - stamp.as_nanos()) {
            times.push(Duration::from_nanos(nanos));
        }
    }
}

/// A round: the node, then a bare chain of as many messages, each for `window`.
pub fn measure(
    wires: &mut Wires,
    hand: &StickControl,
    window: Duration,
    parameters: &Path,
    folder: &Folder,
    paths: &mut Paths,
) -> Result<(), Error> {
    let node = start(parameters, folder)?;
    hand.set(Task::Enable);
    let there = wires.listen(clock::now() + START, |message, _| matches!(message, Message::Device(..)));
    // A whole press of the dead-man button is in this.
    there
        .and_then(|_| wires.listen(clock::now() + WARM_UP, |_, _| false))
        .map_err(|why| failed("the joystick", &why, &node))?;
    hand.set(Task::Drive);
    let recorded = record(wires, window, |message| matches!(message, Message::Desired(_, false)), paths);
    hand.set(Task::Rest);
    recorded.map_err(|why| failed("the joystick", &why, &node))?;
    drop(node);
    let bare = child::start("bench", &["stamp".to_owned(), STICK.into(), BARE.into()], folder)?;
    hand.set(Task::Drive);
    let recorded = record(wires, window, |message| matches!(message, Message::Bare(_)), paths);
    hand.set(Task::Rest);
    recorded.map_err(|why| failed("the bare chain", &why, &bare))
}

fn record(
    wires: &mut Wires,
    window: Duration,
    begins: impl Fn(&Message) -> bool,
    paths: &mut Paths,
) -> Result<(), String> {
    if !wires.listen(clock::now() + START, |message, _| begins(&message))? {
        return Err("nothing came".into());
    }
    wires.listen(clock::now() + WARM_UP, |_, _| false)?;
    wires.listen(clock::now() + window, |message, now| {
        paths.add(&message, now);
        false
    })?;
    Ok(())
}
