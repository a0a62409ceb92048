use std::path::Path;
use std::time::Duration;

use processes::Folder;
use r2r::or_joystick::msg::State;
use ros::{Error, clock};

use super::wires::{Message, Wires};
use super::{failed, start};

/// How long the node gets to do what is waited for.
const PATIENCE: Duration = Duration::from_secs(15);
/// The pad is moved so often while it drives; after half a second without it is unplugged by itself.
const REPEAT: Duration = Duration::from_millis(20);
/// It drives for so long, and a bit more each time, so that the node is met in every phase of its cycle.
const DRIVES: Duration = Duration::from_millis(100);

/// The time from the unplugging until each was received.
#[derive(Debug, Default)]
pub struct Unplugs {
    /// The released state on `~/device/<name>`.
    pub device: Vec<Duration>,
    /// The neutral message on `joy`.
    pub joy: Vec<Duration>,
    /// Exact zero on `~/desired`.
    pub desired: Vec<Duration>,
    /// All three.
    pub all: Vec<Duration>,
}

/// Unplugs a pad that drives at full speed, `count` times.
/// # Errors
/// The node does not start, or one of the three never comes.
pub fn measure(wires: &mut Wires, count: u32, parameters: &Path, folder: &Folder) -> Result<Unplugs, Error> {
    let node = start(parameters, folder)?;
    let mut unplugs = Unplugs::default();
    for trial in 0..count {
        unplug(wires, trial, &mut unplugs).map_err(|why| failed("the unplugging", &why, &node))?;
        if (trial + 1) % 50 == 0 {
            eprintln!("bench: pads: {} of {count} unplugged", trial + 1);
        }
    }
    Ok(unplugs)
}

fn unplug(wires: &mut Wires, trial: u32, unplugs: &mut Unplugs) -> Result<(), String> {
    // The dead-man button goes down after the pad is there: what is held at the plug does not drive.
    let patience = clock::now() + PATIENCE;
    let mut there = false;
    while !there {
        if clock::now() >= patience {
            return Err(format!("in trial {}: the pad does not come", trial + 1));
        }
        wires.set(&pad(0, false))?;
        there =
            wires.listen(clock::now() + REPEAT, |message, _| matches!(message, Message::Device(_, true)))?;
    }
    // Both topics must have reported full speed before anything is measured.
    let (mut drives, mut reported) = (false, false);
    while !(drives && reported) {
        if clock::now() >= patience {
            return Err(format!("in trial {}: the pad does not drive", trial + 1));
        }
        wires.set(&pad(-32_767, true))?;
        wires.listen(clock::now() + REPEAT, |message, _| {
            drives |= matches!(message, Message::Desired(_, false));
            reported |= matches!(message, Message::Joy(_, false));
            drives && reported
        })?;
    }
    let mut left = DRIVES + Duration::from_micros(337) * (trial % 60);
    while !left.is_zero() {
        wires.set(&pad(-32_767, true))?;
        let step = left.min(REPEAT);
        wires.listen(clock::now() + step, |_, _| false)?;
        left -= step;
    }

    let gone = clock::stamp();
    wires.set(&State::default())?;
    let mut came = [None; 3];
    wires.listen(clock::now() + PATIENCE, |message, now| {
        let place = match message {
            Message::Device(_, true) => 0,
            Message::Joy(_, true) => 1,
            Message::Desired(_, true) => 2,
            _ => return false,
        };
        let took = Duration::from_nanos(u64::try_from(now.as_nanos() - gone.as_nanos()).unwrap_or(0));
        came[place] = came[place].or(Some(took));
        came.iter().all(Option::is_some)
    })?;
    let [Some(device), Some(joy), Some(desired)] = came else {
        return Err(format!("in trial {}: of device, joy and desired came {came:?}", trial + 1));
    };
    unplugs.device.push(device);
    unplugs.joy.push(joy);
    unplugs.desired.push(desired);
    unplugs.all.push(device.max(joy).max(desired));
    Ok(())
}

fn pad(forward: i16, dead_man: bool) -> State {
    let (mut axes, mut buttons) = (vec![0; 6], vec![false; 11]);
    axes[1] = forward;
    buttons[5] = dead_man;
    State { axes, buttons, ..Default::default() }
}
