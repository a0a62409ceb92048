//! The hand on the screen.

use super::*;
use crate::client::page::Page;
use crate::screen::drawn;

/// The screen of the page of `haptix`: the smallest one, in the middle of the script.
fn screen() -> String {
    let mut node = Node::new(false, Fault::None);
    // 5 s of waiting, then 8, 12 and half of 8 percent of 12 s.
    node.play(0, 7_900);
    drawn(80, 24, |frame| Page::of(&node.operator, at(7_900)).draw(frame, 152)).join("\n")
}

#[test]
fn the_page_shows_the_screen_as_it_is() {
    const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/nodes/haptix.md");
    const MARK: &str = "<!-- screen -->\n";
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once(MARK).unwrap();
    let (_, after) = rest.split_once("<!-- end -->").unwrap();
    let screen = screen();
    assert!(screen.contains("script 3/11: go on with the grasp"), "{screen}");
    let expected = format!("{before}{MARK}\n```text\n{screen}\n```\n\n<!-- end -->{after}");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(PAGE, &expected).unwrap();
    }
    let page = std::fs::read_to_string(PAGE).unwrap();
    assert!(
        page == expected,
        "the page has another screen; write it anew with `BLESS=1 cargo test -p demo`:\n{screen}"
    );
}

/// An operator of a hand with a ball that was closed by a key, with all values of a reading.
fn shown() -> Operator<Hand> {
    let mut reading = Reading::default();
    (reading.contact[6], reading.contact[10]) = (5.0, 0.4);
    reading.acceleration[..2].copy_from_slice(&[[-6.94, 0.0, 6.94], [0.0, 0.0, 9.8]]);
    let mut node = Node::new(false, Fault::None);
    node.play(0, 20);
    let mut operator = node.operator;
    operator.handle(at(20), Input::KeyPressed(KeyCode::Char('2')));
    while let Some(output) = operator.poll(at(20)) {
        if let Output::Call(_) = output {
            operator.handle(at(20), Input::Answered(Ok(())));
        }
    }
    operator.handle(at(30), Input::Received(Message::Reading(Box::new(reading))));
    operator
}

#[test]
fn everything_is_on_the_smallest_screen() {
    let operator = shown();
    for (width, height) in [(80, 24), (100, 30), (200, 60)] {
        let screen = drawn(width, height, |frame| Page::of(&operator, at(30)).draw(frame, 42)).join("\n");
        for text in [
            "Steersman, ROS domain 42",
            "cable plugged in  ball there",
            "1 2Pinch",
            "2 Cylindrical 0.5",
            "8 Hook",
            "thumb_distal     5.0  5.0",
            "middle_proximal  0.4  0.4",
            "IMUs, m/s²   9.81  9.80",
            "grasp Cylindrical, closed to 0.5",
            "expected  the fingers come to rest",
            "answer    accepted",
            "1-8 grasp",
            "wrong command",
            "q quit",
        ] {
            assert!(screen.contains(text), "'{text}' is missing at {width} x {height}:\n{screen}");
        }
        for name in &operator.client.names.contacts {
            assert!(screen.contains(name), "'{name}' is missing at {width} x {height}:\n{screen}");
        }
    }
    for (width, height) in [(1, 1), (10, 3), (49, 5), (51, 24)] {
        drawn(width, height, |frame| Page::of(&operator, at(30)).draw(frame, 42));
    }
}
