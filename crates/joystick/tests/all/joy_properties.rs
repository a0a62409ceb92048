//! The guarantees of `joy` at any polling times.
#![allow(clippy::unwrap_used)] // the lint's exception for tests does not see helpers

use crate::common;

use common::{PAD, driving};
use joystick::{Input, JoyParams, JoyState, Joystick, Output, Params};
use proptest::collection::vec;
use proptest::prelude::*;
use safety::{Instant, Machine};

/// An event, some time after the previous one.
#[derive(Clone, Copy, Debug)]
enum Event {
    Axis(i16),
    Button(bool),
    /// Nothing: the machine is only polled.
    Poll,
}

/// Times in nanoseconds, at most 4 ms apart: less than any repeat's period here.
fn story() -> impl Strategy<Value = Vec<(u64, Event)>> {
    let event = prop_oneof![
        3 => any::<i16>().prop_map(Event::Axis),
        1 => any::<bool>().prop_map(Event::Button),
        3 => Just(Event::Poll),
    ];
    vec((0..4_000_000_u64, event), 1..200)
}

/// All messages of `joy` with their times [ns], from the moment when the pad drives; polled after each event, and often at
/// the end.
fn messages(params: Params, story: &[(u64, Event)]) -> Vec<(u64, JoyState)> {
    let mut machine = Joystick::new(params);
    machine.handle(Instant::ZERO, Input::JoySubscribersCounted(1));
    let connected = Input::DeviceConnected {
        id: PAD,
        name: "Pad".into(),
        guid: String::new(),
        serial: String::new(),
        path: String::new(),
        links: vec![],
        mapping: String::new(),
        axes: vec![0],
        buttons: vec![false],
        hats: vec![],
    };
    machine.handle(Instant::ZERO, connected);
    let mut messages = Vec::new();
    let mut poll = |machine: &mut Joystick, now: u64| {
        while let Some(output) = machine.poll(Instant::from_nanos(now)) {
            if let Output::PublishJoy(joy) = output {
                messages.push((now, joy));
            }
        }
    };
    poll(&mut machine, 0);
    let mut now = 0;
    for &(wait, event) in story.iter().chain(&[(20_000_000, Event::Poll)]) {
        now += wait;
        let input = match event {
            Event::Axis(value) => Some(Input::AxisMoved { id: PAD, axis: 0, value }),
            Event::Button(pressed) => Some(Input::ButtonChanged { id: PAD, button: 0, pressed }),
            Event::Poll => None,
        };
        if let Some(input) = input {
            machine.handle(Instant::from_nanos(now), input);
        }
        poll(&mut machine, now);
    }
    messages.remove(0); // the state at the connection
    messages
}

fn params(autorepeat_rate: f64, coalesce_interval: f64) -> Params {
    let joy = JoyParams { dead_zone: 0.0, autorepeat_rate, coalesce_interval };
    Params { joy, ..driving() }
}

proptest! {
    #[test]
    fn the_number_of_repeats_is_exact(rate in 20.0..200.0, polls in vec(0..4_000_000_u64, 1..300)) {
        let story: Vec<_> = polls.iter().map(|&wait| (wait, Event::Poll)).collect();
        let end: u64 = polls.iter().sum();
        let repeats = messages(params(rate, 0.001), &story);
        let in_time = repeats.iter().filter(|(at, _)| *at <= end).count();
        prop_assert_eq!(in_time, (end as f64 * rate / 1e9) as usize);
    }

    #[test]
    fn no_event_replaces_a_repeat(rate in 20.0..200.0, story in story()) {
        let messages = messages(params(rate, 0.001), &story);
        let mut now = 0;
        let calls: Vec<u64> = story.iter().map(|(wait, _)| { now += wait; now }).collect();
        for n in 1.. {
            let due = (n as f64 * 1e9 / rate) as u64;
            let Some(call) = calls.iter().find(|&&call| call >= due) else { break };
            prop_assert!(messages.iter().any(|(at, _)| at == call), "repeat {n} of {due} at {call}");
        }
        // There are no more: each is a repeat of the grid or contains a change.
        let changes = messages.windows(2).filter(|pair| pair[0].1.axes != pair[1].1.axes || pair[0].1.buttons != pair[1].1.buttons);
        let grid = ((now + 20_000_000) as f64 * rate / 1e9) as usize;
        prop_assert!(messages.len() <= changes.count() + 1 + grid);
    }

    #[test]
    fn no_button_is_lost_or_delayed(interval in 0.0..0.01, rate in 0.0..100.0, story in story()) {
        let messages = messages(params(rate, interval), &story);
        let (mut now, mut down, mut edges) = (0, false, Vec::new());
        for &(wait, event) in &story {
            now += wait;
            if let Event::Button(pressed) = event && pressed != down {
                down = pressed;
                edges.push((now, i32::from(pressed)));
            }
        }
        let mut before = 0;
        let messages: Vec<_> = messages.iter().map(|(at, joy)| (*at, joy.buttons[0])).filter(|(_, button)| {
            let is_edge = *button != before;
            before = *button;
            is_edge
        }).collect();
        prop_assert_eq!(messages, edges);
    }

    #[test]
    fn moves_are_published_in_time_and_not_too_often(interval in 0.0..0.01, story in story()) {
        // Without buttons: moves only.
        let story: Vec<_> = story.into_iter().filter(|(_, event)| !matches!(event, Event::Button(_))).collect();
        let messages = messages(params(0.0, interval), &story);
        let nanos = (interval * 1e9) as u64;
        let (mut now, mut value, mut moves, mut calls) = (0, 0, Vec::new(), Vec::new());
        for &(wait, event) in story.iter().chain(&[(20_000_000, Event::Poll)]) {
            now += wait;
            calls.push(now);
            if let Event::Axis(to) = event && to.max(-32767) != value {
                value = to.max(-32767);
                moves.push(now);
            }
        }
        // Each move is published by the first call at least the interval after it, and nothing without a move.
        for &moved in &moves {
            let call = *calls.iter().find(|&&call| call > moved + nanos).unwrap_or(&now);
            prop_assert!(messages.iter().any(|(at, _)| (moved..=call).contains(at)), "move at {moved}, {messages:?}");
        }
        prop_assert!(messages.len() <= moves.len());
        // Between two messages lies the interval, counted from a move.
        for pair in messages.windows(2) {
            prop_assert!(pair[1].0 - pair[0].0 >= nanos.saturating_sub(1) || interval == 0.0 || pair[1].0 == pair[0].0
                || moves.iter().any(|&m| m <= pair[0].0 && m + nanos <= pair[1].0 + 1), "{pair:?}");
        }
        // The last message has the final position of the stick.
        let stands = (0.0 - f64::from(value) / 32767.0) as f32;
        prop_assert_eq!(messages.last().map_or(0.0, |(_, joy)| joy.axes[0]), stands);
    }
}
