use std::sync::mpsc::channel;
use std::time::Duration;

use gamepad::{Event, Gamepads};

/// How long SDL may take to report the connected devices.
const DEVICE_TIME: Duration = Duration::from_millis(500);
/// The demo's mapping needs two axes, and a dead-man button with number 5.
const AXES: usize = 2;
const BUTTONS: usize = 6;

/// The name of a connected gamepad that could drive; `None` also if SDL does not start, which the joystick node reports itself.
pub fn gamepad() -> Option<String> {
    let (sender, receiver) = channel();
    let gamepads = Gamepads::start(move |event| {
        if let Event::Connected { name, axes, buttons, .. } = event
            && axes.len() >= AXES
            && buttons.len() >= BUTTONS
        {
            let _ = sender.send(name); // The receiver may be gone for a second one.
        }
    });
    let name = gamepads.as_ref().ok().and_then(|_| receiver.recv_timeout(DEVICE_TIME).ok());
    drop(gamepads);
    name
}
