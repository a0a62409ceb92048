use core::time::Duration;

use haptix::MAX;

use super::*;
use crate::hand::machine::Place;
use crate::hand::observed::{Names, Reading};
use crate::hand::script::Step;
use crate::widgets::{dots, drawn};

const NOW: Instant = Instant::from_millis(20_000);
/// The contact sensors of `mpl`.
const CONTACTS: [&str; 19] = [
    "palm_thumb",
    "palm_pinky",
    "palm_side",
    "palm_back",
    "thumb_proximal",
    "thumb_medial",
    "thumb_distal",
    "index_proximal",
    "index_medial",
    "index_distal",
    "middle_proximal",
    "middle_medial",
    "middle_distal",
    "ring_proximal",
    "ring_medial",
    "ring_distal",
    "pinky_proximal",
    "pinky_medial",
    "pinky_distal",
];

/// The contents of a screen of this size, line by line.
fn screen(width: u16, height: u16, change: impl FnOnce(&mut Picture)) -> Vec<String> {
    let mut reading = Reading::default();
    (reading.contact[6], reading.contact[10]) = (5.0, 0.4);
    reading.acceleration[..5].copy_from_slice(&[
        [-6.94, 0.0, 6.94],
        [0.0, 0.0, 9.8],
        [0.0; 3],
        [9.8, 0.0, 0.0],
        [1.0; 3],
    ]);
    let names = Names {
        contacts: CONTACTS.map(Into::into).into(),
        imus: ["a", "b", "c", "d", "e"].map(Into::into).into(),
    };
    let seen = Verdict::Pending("thumb_distal 5.0 N".into());
    let mut picture = Picture {
        observed: Observed {
            has_services: true,
            names: Some(names),
            state: Some("GRASPING".into()),
            reading: Some(reading),
            strongest: [0.0; MAX],
        },
        device: Device::read().unwrap(),
        pilot: Pilot::Keyboard(()),
        grip: Some(Grip { grasp: 1, level: 0.5 }),
        has_ball: true,
        is_pulled: false,
        act: Some(("grasp Cylindrical".into(), "the fingers come to rest".into(), seen)),
        before: Some(Verdict::Good("refused".into())),
        step_count: 11,
        domain: 42,
        now: NOW,
    };
    change(&mut picture);
    drawn(width, height, |frame| draw(frame, &picture))
}

#[test]
fn everything_is_on_the_smallest_screen() {
    for (width, height) in [(80, 24), (100, 30), (200, 60)] {
        let screen = screen(width, height, |_| {}).join("\n");
        for text in [
            "Steersman, ROS domain 42",
            if width < 94 { "┌ hand ───" } else { "─┐┌ side ───" },
            "GRASPING  cable plugged in  ball there",
            "1 2Pinch                5 FinePinch(American)",
            "2 Cylindrical 0.5       6 FinePinch(British)",
            "8 Hook",
            "thumb_distal    █▌  5.0 ",
            "middle_proximal ▏   0.4 ",
            "IMUs, m/s²  9.81  9.80  0.00  9.80  1.73",
            "grasp Cylindrical",
            "expected  the fingers come to rest",
            "seen      thumb_distal 5.0 N",
            "1-8 grasp",
            "wrong command",
            "q quit",
        ] {
            assert!(screen.contains(text), "'{text}' is missing at {width} x {height}:\n{screen}");
        }
        for name in CONTACTS {
            assert!(screen.contains(name), "'{name}' is missing at {width} x {height}:\n{screen}");
        }
        assert_eq!(screen.contains("before    refused"), height >= HIGH, "{screen}");
    }
}

#[test]
fn a_fault_is_seen() {
    let screen = screen(80, 24, |picture| {
        picture.observed.state = Some("NOT_ANSWERING".into());
        picture.is_pulled = true;
        picture.has_ball = false;
        if let Some((.., verdict)) = &mut picture.act {
            *verdict = Verdict::Bad("it was accepted".into());
        }
    });
    let screen = screen.join("\n");
    assert!(screen.contains("NOT_ANSWERING  cable PULLED  ball away"), "{screen}");
    assert!(screen.contains("seen      NOT AS EXPECTED: it was accepted"), "{screen}");
}

/// At 150 x 45 each view has 50 columns and 40 lines with its frame, and 0.245 m are 38 lines of 4 dots: 1.6 mm a dot.
#[test]
fn a_closed_hand_is_lower_and_its_fingers_are_before_the_palm() {
    let hand = |angle: f32| {
        screen(150, 45, |picture| {
            picture.has_ball = false;
            // The fingers' joints but the first of the index finger, which spreads it.
            let reading = picture.observed.reading.as_mut().unwrap();
            reading.contact = [0.0; MAX];
            [8, 9, 10, 11, 12, 13, 15, 16, 17, 19, 20, 21]
                .iter()
                .for_each(|joint| reading.joint_pos[*joint] = angle);
        })
    };
    let (open, closed) = (hand(0.0), hand(1.3));
    // The tips are at 0.2 m; the knuckles at 0.1 m are (0.235 - 0.1) / 0.0016 / 4 = 21 lines below the top.
    for view in [1..49, 51..99] {
        assert!(dots(&open, 1..12, view.clone()) > 4, "{}", open.join("\n"));
        assert_eq!(dots(&closed, 1..12, view), 0, "{}", closed.join("\n"));
    }
    // In the side view x = 0 is at (0.115 / 0.16) of the width, and the thumb is at x = -0.01.
    assert_eq!(dots(&open, 1..22, 51..80), 0, "{}", open.join("\n"));
    assert!(dots(&closed, 1..39, 51..80) > 10, "{}", closed.join("\n"));
}

#[test]
fn the_ball_is_drawn_while_it_is_there() {
    let all = |has_ball: bool| dots(&screen(150, 45, |picture| picture.has_ball = has_ball), 1..40, 1..99);
    assert!(all(true) > all(false) + 20, "{} {}", all(true), all(false));
}

#[test]
fn the_first_line_shows_what_goes_on() {
    let first = |change: fn(&mut Picture)| screen(80, 24, change)[19].clone();
    let began = Place { began: NOW, index: 3, step: Step::WrongCommand, ends: NOW + Duration::from_secs(1) };
    assert_eq!(first(|_| {}), "grasp Cylindrical");
    assert!(first(|picture| picture.act = None).starts_with("no grasp is set"));
    let waiting = |picture: &mut Picture| (picture.act, picture.pilot) = (None, Pilot::Waiting(NOW));
    assert!(first(waiting).contains("begins in 5 s"));
    let starting = |picture: &mut Picture| {
        (picture.act, picture.pilot) = (None, Pilot::Starting);
        picture.observed.reading = None;
    };
    assert!(first(starting).ends_with("no message yet on: haptix/sensor"));
    let script = screen(80, 24, |picture| picture.pilot = Pilot::Script(began));
    assert_eq!(script[19], "script 4/11: grasp Cylindrical");
}

#[test]
fn a_screen_that_is_too_small_does_not_panic() {
    for (width, height) in [(1, 1), (10, 3), (49, 5), (51, 24)] {
        screen(width, height, |_| {});
    }
}
