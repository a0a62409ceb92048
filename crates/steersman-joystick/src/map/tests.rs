//! The whole command, on a virtual pad that follows the questions.

use super::*;
use gamepad::{Gamepads, VirtualDevice, VirtualPad, VirtualState};
use std::sync::mpsc::{Sender, channel};

/// The receiver of the questions.
struct Questions(Sender<String>);

impl Write for Questions {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let _ = self.0.send(String::from_utf8_lossy(text).into_owned());
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[allow(clippy::disallowed_methods, reason = "a user takes some time")]
fn pause(milliseconds: u64) {
    std::thread::sleep(Duration::from_millis(milliseconds));
}

/// Pushes an axis to the end and releases it; all others keep their positions.
fn push(pad: &VirtualPad, axis: usize, value: i16) {
    let mut axes = vec![0, 0, 0, 0, -32768, -32768];
    for part in [4, 2, 1] {
        axes[axis] = value / part;
        pad.set(VirtualState { axes: axes.clone(), ..VirtualState::default() });
        pause(20);
    }
    pad.set(VirtualState::default());
}

fn press(pad: &VirtualPad, button: usize) {
    let mut buttons = vec![false; button + 1];
    buttons[button] = true;
    pad.set(VirtualState { buttons, ..VirtualState::default() });
    pause(50);
    pad.set(VirtualState::default());
}

/// Follows one question: an ordinary pad, left stick, triggers for up; no sideways, no toggle.
fn answer(question: &str, pad: &VirtualPad, lines: &Sender<Line>) {
    let skip = || lines.send(Line::Enter).unwrap();
    match question {
        q if q.contains("To drive FORWARD") => push(pad, 1, -32768),
        q if q.contains("Now to drive BACKWARD") => push(pad, 1, 32767),
        q if q.contains("To turn LEFT") => push(pad, 0, -32768),
        q if q.contains("Now to turn RIGHT") => push(pad, 0, 32767),
        q if q.contains("SIDEWAYS") => skip(),
        q if q.contains("To go UP") => push(pad, 5, 32767),
        q if q.contains("release the DEAD-MAN") => press(pad, 5),
        q if q.contains("release the SLOW") => press(pad, 4),
        q if q.contains("release the TOGGLE") => skip(),
        _ => {}
    }
}

fn asked(device: Option<&str>) -> Map {
    Map { device: device.map(str::to_owned), output: None, force: false, timeout: 10 }
}

/// Both outcomes of the command with SDL, one after the other: SDL runs once per process.
#[test]
fn a_virtual_pad_is_mapped_and_its_disconnection_is_reported() {
    let (sender, events) = channel();
    let gamepads = Gamepads::start(move |event| drop(sender.send(event))).unwrap();
    let device = VirtualDevice {
        name: "Test \"pad\"".into(),
        axes: 6,
        buttons: 11,
        hats: 1,
        game_controller: true,
        ..VirtualDevice::default()
    };
    let pad = gamepads.plug(device).unwrap();
    let (questions, sentences) = channel::<String>();
    let (typed, lines) = channel();
    let user = std::thread::Builder::new()
        .spawn(move || {
            let mut text = String::new();
            for part in sentences {
                text.push_str(&part);
                while let Some((line, rest)) = text.split_once('\n') {
                    answer(line, &pad, &typed);
                    text = rest.to_owned();
                }
            }
            (pad, typed)
        })
        .unwrap();
    let yaml = run(&events, &lines, false, &asked(Some("Test \"pad\"")), &mut Questions(questions)).unwrap();
    let (pad, _typed) = user.join().unwrap();
    let values: Vec<_> = yaml.lines().filter(|line| !line.contains('#')).skip(2).map(str::trim).collect();
    let guid = values[0].strip_prefix("control_device: ").unwrap();
    assert!(guid.len() == 34 && guid.starts_with("\"ff00"), "{guid}"); // 32 digits in quotes
    let expected = [
        "linear.x.axis: 1",
        "linear.x.scale: -1.0",
        "linear.x.offset: 0.0",
        "linear.x.min: -32113", // 0.98 * 32768 = 32112.6
        "linear.x.center: 0",
        "linear.x.max: 32112", // 0.98 * 32767 = 32111.7
        "linear.x.dead_zone: 0.03",
        "angular.z.axis: 0",
        "angular.z.scale: -1.0",
        "angular.z.offset: 0.0",
        "angular.z.min: -32113",
        "angular.z.center: 0",
        "angular.z.max: 32112",
        "angular.z.dead_zone: 0.03",
        "linear.z.axis: 5",
        "linear.z.scale: 1.0",
        "linear.z.offset: 0.0",
        "linear.z.min: -32768",
        "linear.z.center: -32768",
        "linear.z.max: 31456", // -32768 + 0.98 * 65535 = 31456.3
        "linear.z.dead_zone: 0.03",
        "enable.on: 5",
        "enable.slow: 4",
    ];
    assert_eq!(values[1..], expected);

    // Once more, and the pad is disconnected during the questions. Then it is no longer known.
    drop(pad);
    let pad = gamepads.plug(VirtualDevice::new("Going", 2, 2, 0)).unwrap();
    let (questions, sentences) = channel();
    let user = std::thread::Builder::new().spawn(move || {
        let _ = sentences.recv(); // the table: the device was found
        pause(100);
        drop(pad);
        sentences
    });
    let why = run(&events, &lines, false, &asked(Some("Going")), &mut Questions(questions)).unwrap_err();
    assert_eq!(why, "The device was unplugged. Nothing was written.");
    drop(user.unwrap().join().unwrap());
    let none = run(&events, &lines, false, &asked(Some("Going")), &mut io::sink()).unwrap_err();
    assert!(none.starts_with("no "), "{none}"); // another wording if a real one is plugged in here
}

#[test]
fn a_line_is_enter_or_q_or_nothing() {
    assert_eq!(Line::of("\n"), Some(Line::Enter));
    assert_eq!(Line::of(" q \r\n"), Some(Line::Quit));
    assert_eq!(Line::of("forward"), None);
}

#[test]
fn a_file_is_only_overwritten_with_force() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let file = folder.join("pad.yaml");
    assert_eq!(may_write(&file, false), Ok(()));
    assert_eq!(write(&file, "one", false), Ok(()));
    let refused = may_write(&file, false).unwrap_err();
    assert!(refused.ends_with("exists already; --force overwrites it"), "{refused}");
    assert_eq!(write(&file, "two", false), Err(refused)); // written in the meantime
    assert_eq!(fs::read_to_string(&file).unwrap(), "one");
    assert_eq!(may_write(&file, true), Ok(()));
    assert_eq!(write(&file, "three", true), Ok(()));
    assert_eq!(fs::read_to_string(&file).unwrap(), "three");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 1); // no temporary file remains
    assert!(may_write(folder, true).is_err());
    assert!(may_write(&folder.join("no/pad.yaml"), false).is_err());
}
