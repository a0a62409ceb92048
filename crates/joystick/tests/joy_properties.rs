//! What `joy` promises whenever it is asked.
#![allow(clippy::unwrap_used)] // the lint's exception for tests does not see helpers

mod common;

use common::{PAD, driving};
use joystick::{Input, JoyParams, JoyState, Joystick, Output, Params};
use proptest::collection::vec;
use proptest::prelude::*;
use units::{Instant, Machine};

/// What happens, some time after the event before.
#[derive(Clone, Copy, Debug)]
enum Event {
    Axis(i16),
    Button(bool),
    /// Nothing: the machine is only polled.
    Poll,
}

/// Nanoseconds; up to 4 ms between two, less than any repeat's period here.
fn story() -> impl Strategy<Value = Vec<(u64, Event)>> {
    let event = prop_oneof![
        3 => any::<i16>().prop_map(Event::Axis),
        1 => any::<bool>().prop_map(Event::Button),
        3 => Just(Event::Poll),
    ];
    vec((0..4_000_000_u64, event), 1..200)
}

/// All that `joy` tells, with the time [ns], from the moment on when the pad drives; polled after each event, and often at the
/// end.
fn told(params: Params, story: &[(u64, Event)]) -> Vec<(u64, JoyState)> {
    let mut machine = Joystick::new(params);
    let connected = Input::DeviceConnected {
        id: PAD,
        name: "Pad".into(),
        guid: String::new(),
        serial: String::new(),
        path: String::new(),
        links: vec![],
        axes: vec![0],
        buttons: vec![false],
        hats: vec![],
    };
    machine.handle(Instant::ZERO, connected);
    let mut told = Vec::new();
    let mut poll = |machine: &mut Joystick, now: u64| {
        while let Some(output) = machine.poll(Instant::from_nanos(now)) {
            if let Output::PublishJoy(joy) = output {
                told.push((now, joy));
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
    told.remove(0); // the state at the plug
    told
}

fn params(autorepeat_rate: f64, coalesce_interval: f64) -> Params {
    let joy = JoyParams { dead_zone: 0.0, autorepeat_rate, coalesce_interval };
    Params { joy, ..driving() }
}

proptest! {
    #[test]
    fn there_are_exactly_as_many_repeats_as_time_has_room_for(rate in 20.0..200.0, polls in vec(0..4_000_000_u64, 1..300)) {
        let story: Vec<_> = polls.iter().map(|&wait| (wait, Event::Poll)).collect();
        let end: u64 = polls.iter().sum();
        let repeats = told(params(rate, 0.001), &story);
        let in_time = repeats.iter().filter(|(at, _)| *at <= end).count();
        prop_assert_eq!(in_time, (end as f64 * rate / 1e9) as usize);
    }

    #[test]
    fn no_event_takes_the_place_of_a_repeat(rate in 20.0..200.0, story in story()) {
        let told = told(params(rate, 0.001), &story);
        let mut now = 0;
        let calls: Vec<u64> = story.iter().map(|(wait, _)| { now += wait; now }).collect();
        for n in 1.. {
            let due = (n as f64 * 1e9 / rate) as u64;
            let Some(call) = calls.iter().find(|&&call| call >= due) else { break };
            prop_assert!(told.iter().any(|(at, _)| at == call), "repeat {n} of {due} at {call}");
        }
        // And they are not more: each has its grid place, or something to tell.
        let changes = told.windows(2).filter(|pair| pair[0].1.axes != pair[1].1.axes || pair[0].1.buttons != pair[1].1.buttons);
        let grid = ((now + 20_000_000) as f64 * rate / 1e9) as usize;
        prop_assert!(told.len() <= changes.count() + 1 + grid);
    }

    #[test]
    fn no_button_is_swallowed_and_none_waits(interval in 0.0..0.01, rate in 0.0..100.0, story in story()) {
        let told = told(params(rate, interval), &story);
        let (mut now, mut down, mut edges) = (0, false, Vec::new());
        for &(wait, event) in &story {
            now += wait;
            if let Event::Button(pressed) = event && pressed != down {
                down = pressed;
                edges.push((now, i32::from(pressed)));
            }
        }
        let mut before = 0;
        let told: Vec<_> = told.iter().map(|(at, joy)| (*at, joy.buttons[0])).filter(|(_, button)| {
            let is_edge = *button != before;
            before = *button;
            is_edge
        }).collect();
        prop_assert_eq!(told, edges);
    }

    #[test]
    fn moves_leave_in_time_and_not_too_often(interval in 0.0..0.01, story in story()) {
        // Without buttons: moves only.
        let story: Vec<_> = story.into_iter().filter(|(_, event)| !matches!(event, Event::Button(_))).collect();
        let told = told(params(0.0, interval), &story);
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
        // Each move is told by the first call that comes at least the interval after it, and nothing without a move.
        for &moved in &moves {
            let call = *calls.iter().find(|&&call| call > moved + nanos).unwrap_or(&now);
            prop_assert!(told.iter().any(|(at, _)| (moved..=call).contains(at)), "move at {moved}, {told:?}");
        }
        prop_assert!(told.len() <= moves.len());
        // Between two messages lies the interval, counted from a move.
        for pair in told.windows(2) {
            prop_assert!(pair[1].0 - pair[0].0 >= nanos.saturating_sub(1) || interval == 0.0 || pair[1].0 == pair[0].0
                || moves.iter().any(|&m| m <= pair[0].0 && m + nanos <= pair[1].0 + 1), "{pair:?}");
        }
        // What is told last is how the stick stands.
        let stands = (0.0 - f64::from(value) / 32767.0) as f32;
        prop_assert_eq!(told.last().map_or(0.0, |(_, joy)| joy.axes[0]), stands);
    }
}
