//! The ready mappings in `config/pads`: checks that need no device.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const PADS: [&str; 3] = ["gamepad", "logitech_extreme_3d", "spacemouse"];

/// The comment, and the parameters of node `joystick`.
fn pad(name: &str) -> (String, BTreeMap<String, String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/pads");
    let text = fs::read_to_string(folder.join(format!("{name}.yaml"))).unwrap();
    let is_comment = |line: &&str| line.trim_start().starts_with('#');
    let comment = text.lines().filter(is_comment).map(|line| format!("{line}\n")).collect();
    let mut lines = text.lines().filter(|line| !is_comment(line));
    assert_eq!((lines.next(), lines.next()), (Some("joystick:"), Some("  ros__parameters:")), "{name}");
    let mut parameters = BTreeMap::new();
    for line in lines {
        let (key, value) = line.strip_prefix("    ").unwrap().split_once(": ").expect(line);
        assert!(!key.starts_with(' '), "{name}: {line}");
        let twice = parameters.insert(key.to_owned(), value.to_owned());
        assert!(twice.is_none(), "{name}: {key} twice");
    }
    (comment, parameters)
}

#[test]
fn the_list_of_files_is_complete() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/pads");
    let mut found: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    found.sort();
    assert_eq!(found, PADS);
}

#[test]
fn each_drives_by_two_axes_and_never_without_a_dead_man_switch() {
    for name in PADS {
        let (_, parameters) = pad(name);
        let expected = [
            "angular.z.axis",
            "angular.z.dead_zone",
            "angular.z.scale",
            "enable.on",
            "enable.slow",
            "linear.x.axis",
            "linear.x.dead_zone",
            "linear.x.scale",
        ];
        assert_eq!(parameters.keys().collect::<Vec<_>>(), expected, "{name}");
        let [turn, turn_dead, turn_scale, on, slow, drive, drive_dead, drive_scale] =
            expected.map(|key| parameters[key].as_str());
        if name == "gamepad" {
            assert_eq!([turn, drive, on, slow], ["leftx", "lefty", "rightshoulder", "leftshoulder"]);
        } else {
            for number in [turn, on, slow, drive] {
                // The node reads the first 16; -1 means none.
                assert!(number.parse().is_ok_and(|number: u8| number < 16), "{name}: {number}");
            }
        }
        assert!(turn != drive && on != slow, "{name}");
        // Up and left are negative on every one of these devices, forward and left are positive for the robot.
        assert_eq!((drive_scale, turn_scale), ("-1.0", "-1.0"), "{name}");
        for dead_zone in [turn_dead, drive_dead] {
            let part = dead_zone.parse().is_ok_and(|part: f64| (0.05..=0.3).contains(&part));
            assert!(part, "{name}: {dead_zone}");
        }
    }
}

#[test]
fn each_states_its_sources_and_whether_it_was_tried() {
    for name in PADS {
        let (comment, _) = pad(name);
        for word in
            ["tried with a real device", "Sources:", "control_device", "steersman-joystick", "by-path"]
        {
            assert!(comment.contains(word), "{name} lacks {word:?}");
        }
        let longest = comment.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(130), "{name}: {longest:?}");
    }
}
