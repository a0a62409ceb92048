//! The questions, answered by a simulated hand.

use gamepad::Hat;

use super::hand::{Hand, PATIENCE};
use super::*;
use crate::mapping::{Motion, Switch};

/// The kernel's Xbox pad: triggers 2 and 5 rest at the end.
const XBOX: [i16; 6] = [0, 0, -32768, 0, 0, -32768];

#[test]
fn a_pad_is_mapped_from_the_first_question_to_the_last() {
    let mut hand = Hand::on(&XBOX);
    hand.rest();
    assert!(hand.last().contains("To drive FORWARD: move"), "{}", hand.last());
    hand.both_ends(1, -32768); // up is negative
    assert!(hand.last().contains("turn LEFT"), "{}", hand.last());
    hand.both_ends(0, -32767);
    assert!(hand.last().contains("SIDEWAYS to the LEFT") && hand.last().contains("Enter"), "{}", hand.last());
    hand.both_ends(3, -32767);
    hand.feed(Input::Enter); // not up
    hand.press(5);
    hand.press(4);
    hand.feed(Input::Enter); // no toggle
    let mapping = hand.mapping();
    let motions: Vec<_> = mapping.axes.iter().map(|(motion, map)| (*motion, map.axis, map.scale)).collect();
    assert_eq!(motions, [(Motion::Drive, 1, -1.0), (Motion::Turn, 0, -1.0), (Motion::Strafe, 3, -1.0)]);
    assert_eq!(mapping.buttons, [(Switch::On, 5), (Switch::Slow, 4)]);
    for (_, map) in &mapping.axes {
        // Noise of 50 about 0, ends at 32767: 0.98 of that is 32112; 1.5 * 50 / 32112 + 2 % is 2.2, so 3 %.
        assert!(map.center.abs() <= 50 && map.min < -32_000 && map.max > 32_000, "{map:?}");
        assert!(map.dead_zone >= 0.03 && map.dead_zone <= 0.05, "{map:?}");
    }
}

#[test]
fn a_trigger_drives_one_way_and_is_asked_for_one_end_only() {
    let mut hand = Hand::on(&XBOX);
    hand.rest();
    hand.push(5, 32767);
    assert!(hand.printed.iter().any(|printed| printed.contains("one way only")), "{:#?}", hand.printed);
    assert!(hand.last().contains("turn LEFT"), "{}", hand.last());
    hand.both_ends(0, -32767);
    hand.feed(Input::Enter);
    hand.feed(Input::Enter);
    hand.press(5);
    hand.feed(Input::Enter);
    hand.feed(Input::Enter);
    let (_, map) = hand.mapping().axes[0];
    assert_eq!((map.axis, map.scale, map.min, map.center), (5, 1.0, map.center, map.center));
    assert!(map.center <= -32700 && map.max > 30_000, "{map:?}");
}

#[test]
fn a_hat_is_two_axes_behind_the_others() {
    let mut hand = Hand::on(&XBOX);
    hand.rest();
    let rest = Hat::default();
    for state in [Hat { up: true, ..rest }, rest, Hat { down: true, ..rest }, rest] {
        hand.feed(Input::Hat(0, state));
        hand.wait(600);
    }
    for state in [Hat { left: true, ..rest }, rest, Hat { right: true, ..rest }, rest] {
        hand.feed(Input::Hat(0, state));
        hand.wait(600);
    }
    hand.feed(Input::Enter);
    hand.feed(Input::Enter);
    hand.press(0);
    hand.feed(Input::Enter);
    hand.feed(Input::Enter);
    let axes: Vec<_> = hand.mapping().axes.iter().map(|(_, map)| (map.axis, map.scale)).collect();
    assert_eq!(axes, [(6, -1.0), (7, -1.0)]); // vertical first; up and left are negative
}

#[test]
fn an_axis_serves_one_motion_only() {
    let mut hand = Hand::on(&XBOX);
    hand.rest();
    hand.both_ends(1, -32767);
    hand.push(1, -32767);
    assert_eq!(hand.last(), "Axis 1 is already used to drive FORWARD. Use another.");
    hand.both_ends(0, -32767);
    assert!(hand.last().contains("SIDEWAYS"), "{}", hand.last());
}

#[test]
fn a_button_serves_one_function_only() {
    let mut hand = Hand::on(&XBOX);
    hand.rest();
    hand.both_ends(1, -32767);
    hand.both_ends(0, -32767);
    hand.feed(Input::Enter);
    hand.feed(Input::Enter);
    hand.press(5);
    hand.press(5);
    assert!(hand.last().starts_with("Button 5 is the DEAD-MAN button"), "{}", hand.last());
    hand.press(4);
    hand.press(6);
    assert_eq!(hand.mapping().buttons, [(Switch::On, 5), (Switch::Slow, 4), (Switch::Toggle, 6)]);
}

#[test]
fn the_other_end_is_the_same_axis_the_other_way() {
    let mut hand = Hand::on(&XBOX);
    hand.rest();
    hand.push(1, -32767);
    assert!(hand.last().contains("BACKWARD"), "{}", hand.last());
    hand.push(1, -32767);
    assert!(hand.last().contains("same end"), "{}", hand.last());
    hand.push(4, 32767);
    assert_eq!(hand.last(), "That is axis 4, the other end was axis 1. Use the same.");
    hand.push(1, 32767);
    assert!(hand.last().contains("turn LEFT"), "{}", hand.last());
}

#[test]
fn two_axes_at_once_and_two_buttons_at_once_are_asked_again() {
    let mut hand = Hand::on(&XBOX);
    hand.rest();
    for value in [30_000, 0] {
        hand.feed(Input::Axis(0, value));
        hand.feed(Input::Axis(1, value));
        hand.wait(100);
    }
    assert_eq!(hand.last(), "Axes 0 and 1 both moved; move one only.");
    hand.both_ends(1, -32767);
    hand.both_ends(0, -32767);
    hand.feed(Input::Enter);
    hand.feed(Input::Enter);
    hand.feed(Input::Button(5, true));
    hand.feed(Input::Button(4, true));
    assert!(hand.last().contains("together"), "{}", hand.last());
    hand.feed(Input::Button(5, false));
    hand.feed(Input::Button(4, false));
    hand.press(5);
    assert!(hand.last().contains("SLOW"), "{}", hand.last());
}

#[test]
fn a_partial_push_is_no_answer() {
    let mut hand = Hand::on(&XBOX);
    hand.rest();
    let asked = hand.printed.len();
    hand.push(1, -16_000); // less than 60 %
    assert_eq!(hand.printed.len(), asked);
}

#[test]
fn a_device_that_is_held_at_the_start_has_to_be_released() {
    let mut hand = Hand::on(&XBOX);
    hand.feed(Input::Axis(1, -20_000));
    hand.wait(500);
    hand.feed(Input::Axis(1, 0));
    hand.wait(2000);
    assert!(hand.last().starts_with("Axis 1 moved."), "{}", hand.last());
    hand.rest();
    assert!(hand.last().contains("FORWARD"), "{}", hand.last());
}

#[test]
fn silence_ends_a_needed_question_and_skips_another() {
    let mut hand = Hand::on(&XBOX);
    hand.rest();
    hand.wait(31_000);
    assert_eq!(hand.failure(), "No answer for 30 s.");

    let mut hand = Hand::on(&XBOX);
    hand.rest();
    hand.both_ends(1, -32767);
    hand.both_ends(0, -32767);
    hand.wait(61_000); // sideways and up
    hand.press(5);
    hand.wait(61_000); // slow and toggle
    assert_eq!((hand.mapping().axes.len(), hand.mapping().buttons.len()), (2, 1));
}

#[test]
fn a_half_answered_question_is_not_skipped() {
    let mut hand = Hand::on(&XBOX);
    hand.rest();
    hand.both_ends(1, -32767);
    hand.both_ends(0, -32767);
    hand.push(3, -32767); // one end of sideways
    hand.feed(Input::Enter);
    assert!(hand.last().starts_with("This one is needed"), "{}", hand.last());
    hand.wait(31_000);
    assert_eq!(hand.failure(), "No answer for 30 s.");
}

#[test]
fn enter_does_not_skip_a_required_question() {
    let mut hand = Hand::on(&XBOX);
    hand.rest();
    hand.feed(Input::Enter);
    assert!(hand.last().starts_with("This one is needed"), "{}", hand.last());
    hand.both_ends(1, -32767);
    assert!(hand.last().contains("turn LEFT"), "{}", hand.last());
}

#[test]
fn lines_of_a_pipe_wait_for_the_questions_that_they_can_answer() {
    let mut hand = Hand::with(&XBOX, 11, true);
    for _ in 0..4 {
        hand.feed(Input::Enter); // before the first question
    }
    hand.rest();
    hand.both_ends(1, -32767);
    hand.both_ends(0, -32767);
    hand.press(5);
    assert_eq!((hand.mapping().axes.len(), hand.mapping().buttons.len()), (2, 1));
}

#[test]
fn the_end_comes_by_the_user_or_by_the_device() {
    let mut hand = Hand::on(&XBOX);
    hand.feed(Input::Quit);
    assert_eq!(hand.failure(), "Ended by the user.");
    hand.rest(); // has no effect
    assert_eq!(hand.failure(), "Ended by the user.");
    let mut hand = Hand::on(&XBOX);
    hand.feed(Input::Gone);
    assert_eq!(hand.failure(), "The device was unplugged.");
}

#[test]
fn a_device_that_cannot_drive_is_refused_at_once() {
    let stick = Stick::new(&[0], &[]);
    let mut mapper = Mapper::new(stick, 4, Duration::ZERO, PATIENCE, false);
    assert_eq!(mapper.poll(), Some(Output::Failed("The device has 1 axes; driving takes two.".into())));
    assert!(Hand::with(&XBOX, 0, false).failure().contains("no button"));
}

#[test]
fn an_axis_or_button_that_the_node_does_not_read_is_refused() {
    let mut hand = Hand::with(&[0; 20], 20, false);
    hand.rest();
    hand.push(17, 32767);
    assert_eq!(hand.last(), "That is axis 17; the node reads the first 16 only. Use another.");
    hand.both_ends(15, -32767);
    hand.both_ends(0, -32767);
    hand.feed(Input::Enter);
    hand.feed(Input::Enter);
    hand.press(16);
    assert_eq!(hand.last(), "That is button 16; the node reads the first 16 only. Use another.");
    hand.press(15);
    assert!(hand.last().contains("SLOW"), "{}", hand.last());
}

#[test]
fn a_pad_with_two_axes_is_not_asked_for_more() {
    let mut hand = Hand::on(&[0, 0]);
    hand.mapper.stick = Stick::new(&[0, 0], &[]); // no hat
    hand.mapper.buttons = 1;
    hand.rest();
    hand.both_ends(1, -32767);
    hand.both_ends(0, -32767);
    hand.press(0);
    assert_eq!((hand.mapping().axes.len(), hand.mapping().buttons.len()), (2, 1));
}

#[test]
fn a_worn_stick_is_reported() {
    let mut hand = Hand::on(&XBOX);
    hand.noise = 3000;
    hand.rest();
    hand.both_ends(1, -32767);
    // Noise of 3000 of 32112, 9.342 %: 1.5 * 9.342 + 2 = 16.01, in whole percent 17
    assert!(hand.printed.iter().any(|printed| printed.contains("dead zone 17 %")), "{:#?}", hand.printed);
}
