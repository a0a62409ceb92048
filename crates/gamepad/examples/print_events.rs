//! Prints the events of this machine's joysticks until it is interrupted.
//!
//! `cargo run -p gamepad --example print_events` shows the real ones;
//! with `-- --virtual` it plugs in a virtual one as well, and moves it a little.

use std::sync::mpsc::channel;

use gamepad::{Event, Gamepads, Hat, VirtualDevice, VirtualState};

/// Writes warnings of the library to standard error.
struct Stderr;

impl log::Log for Stderr {
    fn enabled(&self, _: &log::Metadata) -> bool {
        true
    }

    fn log(&self, record: &log::Record) {
        eprintln!("{}: {}", record.level(), record.args());
    }

    fn flush(&self) {}
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    log::set_logger(&Stderr).map_err(|error| error.to_string())?;
    log::set_max_level(log::LevelFilter::Warn);

    let (events, received) = channel();
    let gamepads = Gamepads::start(move |event| drop(events.send(event)))?;
    println!("SDL {} is watching for joysticks", gamepad::sdl_version());

    let pad = match std::env::args().nth(1).as_deref() {
        None => None,
        Some("--virtual") => Some(gamepads.plug(VirtualDevice::new("Virtual joystick", 2, 2, 1))?),
        Some(other) => return Err(format!("unknown argument {other:?}, there is only --virtual").into()),
    };
    if let Some(pad) = &pad {
        let up = Hat { up: true, ..Hat::default() };
        pad.set(VirtualState { axes: vec![16384, -32768], buttons: vec![true], hats: vec![up] });
        pad.set(VirtualState::default());
    }

    // Ends when the SDL thread has ended and dropped its sender.
    for event in received {
        match event {
            Event::Connected { id, name, guid, axes, buttons, hats, .. } => {
                println!("{id}: connected {name:?}, GUID {guid}");
                println!("{id}: axes {axes:?}, {} buttons, {} hats", buttons.len(), hats.len());
            }
            Event::Disconnected { id } => println!("{id}: disconnected"),
            Event::Axis { id, axis, value } => println!("{id}: axis {axis} {value}"),
            Event::Button { id, button, pressed } => {
                println!("{id}: button {button} {}", if pressed { "down" } else { "up" });
            }
            Event::Hat { id, hat, state } => println!("{id}: hat {hat} {state:?}"),
            Event::BatteryChanged { id, battery } => println!("{id}: battery {battery}"),
            Event::BatchEnded | Event::Polled => {}
            other => println!("{other:?}"),
        }
    }
    Err("the SDL thread has ended".into())
}
