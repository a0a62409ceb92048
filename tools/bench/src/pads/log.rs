use std::time::Duration;

use processes::Folder;
use ros::{Error, clock};

use super::wires::{Message, Wires};
use super::{STACK, failed, start};
use crate::child;
use crate::hand::{StickControl, Task};

/// How long the node gets to start.
const START: Duration = Duration::from_secs(15);

/// Result of a log at 1 kHz.
#[derive(Clone, Copy, Debug)]
pub struct Logged {
    /// Time for which it was written.
    pub time: Duration,
    /// Cycles in it.
    pub cycles: u32,
    /// Rows that were missed.
    pub missed: u32,
}

/// Has the node log each of its cycles, a thousand in a second, for `window`, while the hand drives.
/// # Errors
/// It does not start, or refuses.
pub fn measure(
    wires: &mut Wires,
    hand: &StickControl,
    window: Duration,
    folder: &Folder,
) -> Result<Logged, Error> {
    let parameters = folder
        .put("log.yaml", &STACK.replacen("ros__parameters:\n", "ros__parameters:\n    rate: 1000\n", 1))
        .map_err(child::failed)?;
    let path = folder.put("rows", "").map_err(child::failed)?;
    let node = start(&parameters, folder)?;
    let mut log = || -> Result<Logged, String> {
        if !wires.listen(clock::now() + START, |message, _| matches!(message, Message::Device(..)))? {
            return Err("it does not start".into());
        }
        hand.set(Task::Drive);
        wires.start_log(&path.to_string_lossy())?;
        let (began, before) = (clock::now(), wires.log_info()?);
        wires.listen(began + window, |_, _| false)?;
        let (time, after) = (clock::now().since(began), wires.log_info()?);
        Ok(Logged { time, cycles: after.1 - before.1, missed: after.0 - before.0 })
    };
    hand.set(Task::Enable);
    let logged = log();
    hand.set(Task::Rest);
    logged.map_err(|why| failed("the log", &why, &node))
}
