//! The command `list`.

use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use gamepad::{Capabilities, Details, Event};
use joystick::Binding;

use crate::access;
use crate::devices::{Device, Devices, plain};

/// How long SDL may take to report connected devices; some pads answer slowly.
pub const GATHER: Duration = Duration::from_millis(1000);

const TITLES: [&str; 11] =
    ["NAME", "GUID", "SERIAL", "PATH", "DRIVER", "AXES", "BUTTONS", "HATS", "BATTERY", "CAN", "LINKS"];

/// Prints the connected devices, or why there may be none, and with `watch` all changes as long as events arrive.
/// Returns whether there was a device.
/// # Errors
/// The output fails, for example when the reader of a pipe has exited.
pub fn run(events: &Receiver<Event>, watch: bool, root: &Path, out: &mut dyn Write) -> io::Result<bool> {
    let mut devices = Devices::gather(events, GATHER);
    let found = !devices.all.is_empty();
    if found {
        write!(out, "{}", table(&devices.all))?;
        devices.all.iter().try_for_each(|device| writeln!(out, "{}", names(device)))?;
    } else {
        writeln!(out, "No joystick is connected that SDL {} can see.", gamepad::sdl_version())?;
        access::obstacles(root).iter().try_for_each(|why| writeln!(out, "- {why}"))?;
    }
    for obstacle in devices.failures.iter().chain(&access::hidraw(root)) {
        writeln!(out, "- {obstacle}")?;
    }
    out.flush()?;
    if watch {
        for event in events {
            let gone = devices.update(&event);
            for line in lines(&event, gone.as_ref(), &mut devices) {
                writeln!(out, "{line}")?;
                out.flush()?;
            }
        }
    }
    Ok(found)
}

/// One line for each device, columns aligned.
pub fn table(devices: &[Device]) -> String {
    let rows: Vec<_> = [TITLES.map(str::to_owned)].into_iter().chain(devices.iter().map(row)).collect();
    let mut widths = [0; TITLES.len()];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let aligned = |row: &[String; 11]| {
        let cells: Vec<_> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(aligned).collect()
}

fn row(device: &Device) -> [String; 11] {
    let Details { serial, path, links, driver, battery, capabilities, .. } = &device.details;
    [
        device.name.clone(),
        device.guid.clone(),
        serial.clone(),
        path.clone(),
        driver.to_string(),
        device.hat_axis(0).to_string(),
        device.buttons.to_string(),
        device.hats.to_string(),
        battery.to_string(),
        can(*capabilities),
        links.join(","),
    ]
    .map(|cell| if cell.is_empty() { "-".into() } else { plain(&cell) })
}

/// SDL's names of a device's inputs with their numbers.
fn names(device: &Device) -> String {
    let (whole, other): (Vec<_>, Vec<_>) =
        device.bindings.iter().partition(|(_, binding)| !matches!(binding, Binding::Other(_)));
    let list = |all: &[(&str, &Binding)]| {
        all.iter().map(|(name, binding)| format!("{name} {binding}")).collect::<Vec<_>>().join(", ")
    };
    let text = match (whole.as_slice(), other.as_slice()) {
        ([], []) => "SDL has no names for its inputs, parameters take their numbers".into(),
        (whole, []) => list(whole),
        (whole, other) => format!("{}; not for parameters: {}", list(whole), list(other)),
    };
    plain(&format!("{}: {text}", device.name))
}

fn can(capabilities: Capabilities) -> String {
    let Capabilities { rumble, led, accelerometer, gyro } = capabilities;
    let all = [(rumble, "rumble"), (led, "led"), (accelerometer, "accelerometer"), (gyro, "gyro")];
    all.iter().filter(|(has, _)| *has).map(|(_, what)| *what).collect::<Vec<_>>().join(",")
}

/// The lines that `--watch` prints for an event.
fn lines(event: &Event, gone: Option<&Device>, devices: &mut Devices) -> Vec<String> {
    if let Event::OpenFailed { name, path, reason } = event {
        return vec![format!("cannot be opened: {} {}: {}", plain(name), plain(path), plain(reason))];
    }
    if let Some(gone) = gone {
        return vec![format!("- {}", row(gone)[..4].join("  "))];
    }
    let Some(device) = id(event).and_then(|id| devices.of(id)) else { return Vec::new() };
    let name = plain(&device.name);
    match event {
        Event::Connected { .. } => vec![format!("+ {}", row(device).join("  ")), names(device)],
        Event::BatteryChanged { battery, .. } => vec![format!("battery {battery}: {name}")],
        Event::CapabilitiesChanged { capabilities, .. } => {
            vec![format!("can now {}: {name}", can(*capabilities))]
        }
        Event::Button { button, pressed: true, .. } => {
            vec![act(device, &Binding::Button(*button), "pressed")]
        }
        Event::Axis { axis, value, .. } => moved(device, *axis, *value).into_iter().collect(),
        Event::Hat { hat, state, .. } => {
            let position = |least, greatest| match (least, greatest) {
                (true, false) => i16::MIN,
                (false, true) => i16::MAX,
                _ => 0,
            };
            let vertical = device.hat_axis(*hat);
            let halves = [(0, position(state.up, state.down)), (1, position(state.left, state.right))];
            halves.into_iter().filter_map(|(half, value)| moved(device, vertical + half, value)).collect()
        }
        _ => Vec::new(),
    }
}

/// The device of an event that changes one.
fn id(event: &Event) -> Option<u32> {
    match event {
        Event::Connected { id, .. }
        | Event::BatteryChanged { id, .. }
        | Event::CapabilitiesChanged { id, .. }
        | Event::Axis { id, .. }
        | Event::Button { id, .. }
        | Event::Hat { id, .. } => Some(*id),
        _ => None,
    }
}

fn moved(device: &mut Device, axis: usize, value: i16) -> Option<String> {
    let input = Binding::Axis { axis, inverted: false };
    device.has_moved(axis, value).then(|| act(device, &input, &format!("moved to {value}")))
}

fn act(device: &Device, input: &Binding, what: &str) -> String {
    let names = device.names(input);
    let names = if names.is_empty() { names } else { format!(" ({names})") };
    format!("{input}{names} {what}: {}", plain(&device.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::devices::tests::{connected, devices, linked};
    use gamepad::{Battery, Hat};
    use std::sync::mpsc::channel;

    #[test]
    fn the_table_has_a_line_for_each_device_and_aligned_columns() {
        let devices = devices(&[
            linked(connected(1, "Päd", "03ab", "S1", "/dev/input/event7"), &["/by-path/p", "/by-id/i"]),
            connected(2, "A longer name\u{1b}", "03cd", "", ""),
        ]);
        let expected = "\
NAME            GUID  SERIAL  PATH               DRIVER  AXES  BUTTONS  HATS  BATTERY  CAN     LINKS
Päd             03ab  S1      /dev/input/event7  evdev   2     3        1     wired    rumble  /by-path/p,/by-id/i
A longer name?  03cd  -       -                  evdev   2     3        1     wired    rumble  -
";
        assert_eq!(table(&devices.all), expected);
    }

    #[test]
    fn a_device_that_cannot_be_opened_is_listed() {
        let (events, received) = channel();
        let reason = "Unable to open /dev/input/event7".to_owned();
        events
            .send(Event::OpenFailed { name: "Pad".into(), path: "/dev/input/event7".into(), reason })
            .unwrap();
        drop(events);
        let mut out = Vec::new();
        assert!(!run(&received, false, Path::new("/nonexistent"), &mut out).unwrap());
        let text = String::from_utf8(out).unwrap();
        let line = "- Pad /dev/input/event7 cannot be opened: Unable to open /dev/input/event7";
        assert_eq!(text.lines().last(), Some(line), "{text}");
    }

    #[test]
    fn all_capabilities_are_listed() {
        let all = Capabilities { rumble: true, led: true, accelerometer: true, gyro: true };
        assert_eq!(can(all), "rumble,led,accelerometer,gyro");
        assert_eq!(can(Capabilities::default()), "");
    }

    #[test]
    fn watching_lists_changes_with_names_and_numbers_until_sdl_ends() {
        let (events, received) = channel();
        let teller = std::thread::Builder::new().spawn(move || {
            // After the time for gathering.
            #[allow(clippy::disallowed_methods, reason = "a test")]
            std::thread::sleep(GATHER + Duration::from_millis(300));
            let _ = events.send(connected(1, "Pad", "03ab", "S1", "/dev/input/event7"));
            let _ = events.send(Event::Axis { id: 1, axis: 0, value: 5 });
            let _ = events.send(Event::Axis { id: 1, axis: 1, value: -20_000 });
            let _ = events.send(Event::Button { id: 1, button: 2, pressed: true });
            let _ = events.send(Event::Button { id: 1, button: 2, pressed: false });
            let _ = events.send(Event::Button { id: 1, button: 1, pressed: true });
            let state = Hat { right: true, ..Hat::default() };
            let _ = events.send(Event::Hat { id: 1, hat: 0, state });
            let _ = events.send(Event::BatteryChanged { id: 1, battery: Battery::Low });
            let capabilities = Capabilities { gyro: true, ..Capabilities::default() };
            let _ = events.send(Event::CapabilitiesChanged { id: 1, capabilities });
            let _ = events.send(Event::Disconnected { id: 1 });
        });
        let mut out = Vec::new();
        let nowhere = Path::new("/nonexistent");
        assert!(!run(&received, true, nowhere, &mut out).unwrap());
        teller.unwrap().join().unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].starts_with("No joystick is connected"), "{text}");
        assert!(lines[1].starts_with("- There is no /dev/input"), "{text}");
        let tail = &lines[lines.len() - 9..];
        assert_eq!(tail[0], "+ Pad  03ab  S1  /dev/input/event7  evdev  2  3  1  wired  rumble  -");
        let after = [
            "Pad: a button 0, rightshoulder button 2, leftx axis 0, lefty axis 1 inverted; not for parameters: dpup h0.1",
            "axis 1 (lefty) moved to -20000: Pad",
            "button 2 (rightshoulder) pressed: Pad",
            "button 1 pressed: Pad",
            "axis 3 moved to 32767: Pad",
            "battery low: Pad",
            "can now gyro: Pad",
            "- Pad  03ab  S1  /dev/input/event7",
        ];
        assert_eq!(tail[1..], after);
    }
}
