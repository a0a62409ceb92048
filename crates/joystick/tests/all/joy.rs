//! Messages on `joy` and `~/connected`.

use crate::common;

use common::{Bench, PAD, driving};
use joystick::{Hat, Input, JoyParams, JoyState, Output, Params};
use safety::{Instant, Machine};

/// No repeats, no dead zone; moves wait for 10 ms.
fn quiet() -> Params {
    let joy = JoyParams { dead_zone: 0.0, autorepeat_rate: 0.0, coalesce_interval: 0.01 };
    Params { joy, ..driving() }
}

fn with(change: impl FnOnce(&mut JoyParams)) -> Params {
    let mut params = quiet();
    change(&mut params.joy);
    params
}

/// The first axis of each message, in thousandths, with the time it left at [ms].
fn axis_messages(bench: &mut Bench, until: u64, events: &[(u64, i16)]) -> Vec<(u64, i32)> {
    let mut messages = Vec::new();
    while bench.millis < until {
        bench.millis += 1;
        for &(at, value) in events {
            if at == bench.millis {
                bench.axis(0, value);
            }
        }
        bench.outputs.clear();
        bench.drain();
        messages.extend(bench.joys().iter().map(|joy| (bench.millis, (joy.axes[0] * 1000.0) as i32)));
    }
    messages
}

#[test]
fn joy_has_more_inputs_than_a_port() {
    let mut bench = Bench::new(quiet());
    let (guid, serial, path, links) = Default::default();
    bench.give(Input::DeviceConnected {
        id: PAD,
        name: "Throttle".into(),
        guid,
        serial,
        path,
        links,
        mapping: String::new(),
        axes: vec![0; 20],
        buttons: vec![false; 24],
        hats: vec![],
    });
    bench.batch();
    bench.axis(19, -32768);
    bench.button(20, true);
    bench.batch();
    let joy = bench.joys().pop().unwrap();
    assert_eq!((joy.axes.len(), joy.buttons.len()), (20, 24));
    assert_eq!((joy.axes[19], joy.buttons[20], joy.buttons.iter().sum::<i32>()), (1.0, 1, 1));
    assert_eq!(bench.machine.counters().beyond_limits, 0);
}

#[test]
fn moves_within_the_interval_are_published_as_one_message() {
    let mut bench = Bench::with_pad(quiet());
    // 5 to 15 ms are one message, 16 ms begins the next: left is positive, 16384 / 32767 = 0.500
    let messages =
        axis_messages(&mut bench, 60, &[(5, -3277), (9, -16384), (15, 16384), (16, 0), (26, -32768)]);
    assert_eq!(messages, [(15, -500), (26, 1000)]);
}

#[test]
fn without_an_interval_each_batch_is_a_message() {
    let mut bench = Bench::with_pad(with(|joy| joy.coalesce_interval = 0.0));
    let messages = axis_messages(&mut bench, 20, &[(5, -3277), (5, -16384), (6, 0)]);
    assert_eq!(messages, [(5, 500), (6, 0)]);
}

#[test]
fn a_button_is_published_at_once_with_the_pending_moves() {
    let mut bench = Bench::with_pad(quiet());
    bench.axis(0, -32768);
    bench.millis = 1;
    bench.button(3, true);
    bench.drain();
    assert_eq!((bench.joys().len(), bench.joys()[0].axes[0], bench.joys()[0].buttons[3]), (1, 1.0, 1));
    bench.run(50);
    assert_eq!(bench.joys().len(), 1, "nothing is pending");
}

#[test]
fn a_press_within_one_batch_is_not_lost() {
    let mut bench = Bench::with_pad(quiet());
    bench.press(3);
    bench.press(3);
    bench.button(4, true);
    bench.button(4, true);
    bench.batch();
    let messages: Vec<_> = bench.joys().iter().map(|joy| (joy.buttons[3], joy.buttons[4])).collect();
    assert_eq!(messages, [(1, 0), (0, 0), (1, 0), (0, 0), (0, 1)]);
}

#[test]
fn a_hat_can_release_one_direction_alone() {
    let mut bench = Bench::new(quiet());
    bench.give(Input::DeviceConnected {
        id: PAD,
        name: "Pad".into(),
        guid: String::new(),
        serial: String::new(),
        path: String::new(),
        links: vec![],
        mapping: String::new(),
        axes: vec![0],
        buttons: vec![],
        hats: vec![Hat::default()],
    });
    bench.batch();
    bench.outputs.clear();
    let centre = Hat::default();
    bench.hat(Hat { left: true, ..centre });
    bench.hat(Hat { left: true, up: true, ..centre });
    bench.hat(Hat { up: true, ..centre });
    bench.hat(Hat { down: true, right: true, ..centre });
    bench.hat(centre);
    bench.drain();
    let messages: Vec<_> = bench.joys().iter().map(|joy| joy.axes.clone()).collect();
    // left-right, then up-down; left and up are positive
    assert_eq!(
        messages,
        [[0.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0], [0.0, -1.0, -1.0], [0.0, 0.0, 0.0]]
    );
    assert!(bench.joys()[4].axes.iter().all(|axis| axis.is_sign_positive()));
}

#[test]
fn a_move_inside_the_dead_zone_is_not_published() {
    let mut bench = Bench::with_pad(with(|joy| {
        joy.dead_zone = 0.2;
        joy.coalesce_interval = 0.0;
    }));
    // 0.2 of 32767 = 6553.4; 19660 is 0.6, halfway from 0.2 to 1
    let messages = axis_messages(&mut bench, 20, &[(1, 6553), (2, -6553), (3, -19660), (4, 32767), (5, 100)]);
    assert_eq!(messages, [(3, 499), (4, -1000), (5, 0)]);
}

#[test]
fn other_messages_do_not_affect_repeats() {
    let mut bench = Bench::with_pad(with(|joy| {
        joy.autorepeat_rate = 20.0;
        joy.coalesce_interval = 0.0;
    }));
    // One event right before and one right after the repeat of 50 ms, and a burst before that of 100 ms.
    let messages = axis_messages(&mut bench, 210, &[(49, 1), (51, 0), (90, 1), (95, 0), (99, 1)]);
    let times: Vec<u64> = messages.iter().map(|(at, _)| *at).collect();
    assert_eq!(times, [49, 50, 51, 90, 95, 99, 100, 150, 200]);
}

#[test]
fn repeats_have_the_stamp_of_their_time_and_moves_that_of_their_event() {
    let mut bench = Bench::with_pad(with(|joy| joy.autorepeat_rate = 100.0));
    bench.millis = 3;
    bench.axis(0, 5000);
    bench.millis = 25;
    bench.drain();
    // The next repeat contains the move; the repeat of 20 ms is late.
    assert_eq!(bench.joys().iter().map(|joy| joy.stamp).collect::<Vec<_>>(), [common::wall(25)]);
    bench.outputs.clear();
    bench.millis = 26;
    bench.axis(0, 9000);
    bench.millis = 40;
    bench.axis(0, 0);
    bench.drain();
    let stamps: Vec<_> = bench.joys().iter().map(|joy| (joy.stamp, joy.axes[0] == 0.0)).collect();
    assert_eq!(stamps, [(common::wall(40), false)], "the repeat of 30 ms, late, before the new move");
}

#[test]
fn moves_that_were_not_polled_in_time_keep_their_stamp_and_their_message() {
    let mut bench = Bench::with_pad(quiet());
    bench.millis = 3;
    bench.axis(0, 5000);
    bench.millis = 30;
    bench.axis(0, 0);
    bench.millis = 50;
    bench.drain();
    let messages: Vec<_> = bench.joys().iter().map(|joy| (joy.stamp, joy.axes[0] == 0.0)).collect();
    assert_eq!(messages, [(common::wall(3), false), (common::wall(30), true)]);
}

#[test]
fn repeats_end_with_the_device_and_begin_with_the_next() {
    let mut bench = Bench::with_pad(with(|joy| joy.autorepeat_rate = 50.0));
    bench.run(100);
    assert_eq!(bench.joys().len(), 5);
    bench.disconnect(PAD);
    bench.batch();
    bench.outputs.clear();
    bench.run(100);
    assert_eq!(bench.joys(), []);
    assert_eq!(bench.machine.deadline(), Some(Instant::from_millis(205)), "only the filter has a deadline");
    bench.connect(PAD, "Pad", "guid");
    bench.run(100);
    assert_eq!((bench.joys().len(), bench.connections()), (6, vec![true]));
}

#[test]
fn without_a_subscriber_no_move_and_no_repeat_is_due() {
    let mut bench = Bench::with_pad(with(|joy| joy.autorepeat_rate = 300.0));
    bench.axis(0, -3277);
    bench.give(Input::JoySubscribersCounted(0));
    bench.run(100);
    bench.axis(0, -16384);
    assert_eq!(bench.machine.deadline(), Some(Instant::from_millis(105)), "only the filter has a deadline");
    bench.run(100);
    assert_eq!(bench.joys(), []);
    // One that was not noticed yet receives edges.
    bench.button(0, true);
    bench.drain();
    assert_eq!(bench.joys().len(), 1);
    bench.give(Input::JoySubscribersCounted(1));
    bench.run(100);
    // The state at once, and at every cycle a repeat; the others are not polled in time.
    assert_eq!(bench.joys().len(), 2 + 20);
    assert_eq!(bench.joys()[1].stamp, common::wall(200));
}

#[test]
fn each_new_subscriber_receives_the_current_state() {
    let mut bench = Bench::with_pad(quiet());
    bench.axis(0, -16384);
    bench.run(100);
    let mut published = |count| {
        bench.outputs.clear();
        bench.give(Input::JoySubscribersCounted(count));
        bench.drain();
        // 16384 / 32767 = 0.500
        bench.joys().iter().map(|joy| (joy.axes[0] * 1000.0) as i32).collect::<Vec<_>>()
    };
    // The second one replaces one that was killed, which still counts.
    let expected = [(1, vec![]), (2, vec![500]), (1, vec![]), (0, vec![]), (1, vec![500])];
    for (count, messages) in expected {
        assert_eq!(published(count), messages, "{count}");
    }
}

#[test]
fn a_device_that_is_lost_while_nobody_listens_is_published_as_released() {
    let mut bench = Bench::with_pad(quiet());
    bench.give(Input::JoySubscribersCounted(0));
    bench.button(0, true);
    bench.batch();
    bench.disconnect(PAD);
    bench.batch();
    assert_eq!(bench.joys().iter().map(|joy| joy.buttons[0]).collect::<Vec<_>>(), [1, 0]);
}

#[test]
fn a_lost_device_is_published_as_released_with_triggers_at_rest() {
    let mut bench = Bench::new(quiet());
    bench.drain();
    assert_eq!(bench.connections(), [false], "published at the start");
    bench.give(Input::DeviceConnected {
        id: PAD,
        name: "Pad".into(),
        guid: String::new(),
        serial: String::new(),
        path: String::new(),
        links: vec![],
        mapping: String::new(),
        axes: vec![900, -32768, -32768],
        buttons: vec![true],
        hats: vec![Hat { up: true, ..Hat::default() }],
    });
    bench.axis(2, 100); // deflected at the connection, and released
    bench.batch();
    bench.outputs.clear();
    bench.axis(1, 12345);
    bench.disconnect(PAD);
    bench.batch();
    let neutral = JoyState { stamp: common::wall(0), axes: vec![0.0, 1.0, 0.0, 0.0, 0.0], buttons: vec![0] };
    assert_eq!((bench.joys(), bench.connections()), (vec![neutral], vec![false]));
}

#[test]
fn parameters_of_joy_take_effect_at_once() {
    let mut bench = Bench::with_pad(quiet());
    bench.axis(0, 16384);
    bench.run(50);
    bench.outputs.clear();
    bench.give(Input::ParametersChanged(with(|joy| joy.dead_zone = 0.9)));
    bench.run(20);
    assert_eq!(bench.joys().iter().map(|joy| joy.axes[0]).collect::<Vec<_>>(), [0.0]);
    bench.outputs.clear();
    bench.give(Input::ParametersChanged(with(|joy| joy.autorepeat_rate = 100.0)));
    bench.run(100);
    assert_eq!(bench.joys().len(), 10, "the first repeat also contains the change by the dead zone");
    assert_eq!(bench.joys()[0].axes[0], -0.500_015_26, "-16384 / 32767");
}

#[test]
fn the_desired_state_is_published_before_joy() {
    let mut bench = Bench::with_pad(with(|joy| joy.coalesce_interval = 0.0));
    bench.button(1, true);
    bench.axis(0, 1000);
    bench.batch();
    assert!(matches!(bench.outputs[0], Output::PublishDesired(_)));
    assert!(matches!(bench.outputs.last(), Some(Output::PublishJoy(_))));
}

#[test]
fn joy_of_a_node_that_is_not_active_is_released() {
    let mut bench = Bench::with_pad(quiet());
    bench.button(1, true);
    bench.axis(0, 16384);
    bench.run(50);
    bench.outputs.clear();
    bench.give(Input::ActivityChanged(false));
    bench.button(0, true);
    bench.axis(0, 20000);
    bench.run(100);
    let released = bench.joys();
    assert!(released.iter().all(|joy| joy.axes[0] == 0.0 && joy.buttons.iter().all(|&button| button == 0)));
    assert_eq!((released.len(), bench.connections()), (1, vec![false]));
    bench.outputs.clear();
    bench.give(Input::ActivityChanged(true));
    bench.run(50);
    assert_eq!((bench.joys().last().map(|joy| joy.buttons[0]), bench.connections()), (Some(1), vec![true]));
}
