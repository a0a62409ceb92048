use std::sync::mpsc::channel;
use std::time::Duration;

use gamepad::{Event, Gamepads};

/// How long SDL may take to tell of the devices that are plugged in.
const PATIENCE: Duration = Duration::from_millis(500);
/// What the demo's mapping needs: two axes, and a dead-man button of number 5.
const AXES: usize = 2;
const BUTTONS: usize = 6;

/// The name of a connected gamepad that could drive; `None` also where SDL does not start, which the joystick node
/// will say in its own words.
pub fn gamepad() -> Option<String> {
    let (sender, receiver) = channel();
    let gamepads = Gamepads::start(move |event| {
        if let Event::Connected { name, axes, buttons, .. } = event
            && axes.len() >= AXES
            && buttons.len() >= BUTTONS
        {
            let _ = sender.send(name); // Nobody waits any more for a second one.
        }
    });
    let name = gamepads.as_ref().ok().and_then(|_| receiver.recv_timeout(PATIENCE).ok());
    drop(gamepads);
    name
}
