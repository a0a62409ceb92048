//! The other process dies, hangs, refuses, says nonsense; and it ends with its caller.
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::process::Command;
use std::time::Duration;

use common::{program, start, two_finger};
use haptix::{BUILTIN, Device, DeviceError, Model, Sensor, Simulation};
use remote_hand::{ANSWER_TIMEOUT, END_TIMEOUT, RemoteHand, StartError};
use rustix::process::{Pid, Signal, kill_process};

const LONG: Duration = Duration::from_secs(20);
const STEP: Duration = Duration::from_millis(1);

#[test]
fn serving() {
    common::serve_if_started_for_it();
}

fn signal(process: u32, signal: Signal) {
    kill_process(Pid::from_raw(i32::try_from(process).unwrap()).unwrap(), signal).unwrap();
}

/// The letter of the process's state; `None` if there is none.
fn state(process: u32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit(") ").next()?.chars().next()
}

/// Repeats `attempt` until it gives something, for a few seconds.
fn wait<T>(mut attempt: impl FnMut() -> Option<T>) -> Option<T> {
    let end = boot_clock::now() + Duration::from_secs(10);
    loop {
        let found = attempt();
        if found.is_some() || boot_clock::now() > end {
            return found;
        }
        std::thread::park_timeout(Duration::from_millis(1));
    }
}

/// Stops the process, and waits until it is.
fn stop(process: u32) {
    signal(process, Signal::STOP);
    wait(|| (state(process) == Some('T')).then_some(())).unwrap();
}

/// All calls with an answer.
fn calls(hand: &mut RemoteHand) -> Vec<Result<(), DeviceError>> {
    let setpoints = hand.constants().start;
    vec![
        hand.read(&mut Sensor::default()),
        hand.command(&setpoints),
        hand.hold(0.5),
        hand.reset(true),
        hand.simulate(&Simulation::default()),
    ]
}

#[test]
fn a_process_that_is_killed_is_a_failure_with_its_reason_for_every_call() {
    let mut hand = two_finger(LONG);
    hand.read(&mut Sensor::default()).unwrap();
    signal(hand.process(), Signal::KILL);
    let text = wait(|| match hand.read(&mut Sensor::default()) {
        Err(DeviceError::Failed(text)) => Some(text),
        _ => None,
    });
    let text = text.unwrap();
    assert!(text.contains("the hand's process ended: signal: 9"), "{text}");
    let failed = Err(DeviceError::Failed(text));
    assert_eq!(hand.step(STEP), failed);
    assert!(calls(&mut hand).iter().all(|outcome| *outcome == failed));
}

#[test]
fn a_process_that_hangs_costs_one_wait_and_then_none_and_may_come_back() {
    let mut hand = two_finger(ANSWER_TIMEOUT);
    let mut sensor = Sensor::default();
    wait(|| hand.read(&mut sensor).ok()).unwrap(); // on a busy machine the first answers may be late
    let before = sensor.time_stamp;
    stop(hand.process());
    let no = Err(DeviceError::NoAnswer);
    let begin = boot_clock::now();
    assert_eq!(hand.step(STEP), Ok(()), "a step does not wait");
    assert!(boot_clock::now() - begin < ANSWER_TIMEOUT);
    sensor = Sensor::default();
    let begin = boot_clock::now();
    assert_eq!(hand.read(&mut sensor), no);
    let waited = boot_clock::now() - begin;
    assert!(waited >= ANSWER_TIMEOUT && waited < ANSWER_TIMEOUT * 4, "{waited:?}");
    assert_eq!(sensor, Sensor::default());
    let begin = boot_clock::now();
    for _ in 0..100 {
        assert_eq!(hand.step(STEP), no);
        assert!(calls(&mut hand).iter().all(|outcome| *outcome == no));
    }
    assert!(boot_clock::now() - begin < ANSWER_TIMEOUT * 4, "600 calls wait for nothing");
    signal(hand.process(), Signal::CONT);
    wait(|| hand.read(&mut sensor).ok()).unwrap();
    // The one step that was sent, and none of those that were refused.
    assert_eq!(sensor.time_stamp.nanosec, before.nanosec + 1_000_000);
}

#[test]
fn steps_that_nobody_takes_are_refused_when_there_is_no_room_and_none_is_cut() {
    let mut hand = two_finger(LONG);
    stop(hand.process());
    let mut sent = 0;
    while hand.step(STEP).is_ok() {
        sent += 1;
        assert!(sent < 100_000);
    }
    assert_eq!(hand.step(STEP), Err(DeviceError::NoAnswer));
    assert!(sent > 150, "{sent} steps: less than a device's loop makes up for");
    signal(hand.process(), Signal::CONT);
    let mut sensor = Sensor::default();
    wait(|| hand.read(&mut sensor).ok()).unwrap();
    let passed = u64::try_from(sensor.time_stamp.sec).unwrap() * 1000
        + u64::from(sensor.time_stamp.nanosec) / 1_000_000;
    assert_eq!(passed, sent);
}

#[test]
fn without_room_one_call_waits_and_then_none() {
    let mut hand = two_finger(ANSWER_TIMEOUT);
    let mut sensor = Sensor::default();
    wait(|| hand.read(&mut sensor).ok()).unwrap();
    stop(hand.process());
    while hand.step(STEP).is_ok() {}
    let times: Vec<Duration> = (0..20)
        .map(|_| {
            let begin = boot_clock::now();
            assert_eq!(hand.read(&mut sensor), Err(DeviceError::NoAnswer));
            boot_clock::now() - begin
        })
        .collect();
    assert!(times[0] >= ANSWER_TIMEOUT && times.iter().sum::<Duration>() < ANSWER_TIMEOUT * 4, "{times:?}");
    signal(hand.process(), Signal::CONT);
    wait(|| hand.read(&mut sensor).ok()).unwrap();
}

#[test]
fn the_process_ends_with_the_hand_also_if_it_hangs() {
    let hand = two_finger(LONG);
    let process = hand.process();
    drop(hand);
    assert_eq!(state(process), None);
    let hand = two_finger(LONG);
    let process = hand.process();
    stop(process);
    let begin = boot_clock::now();
    drop(hand);
    assert!(boot_clock::now() - begin >= END_TIMEOUT);
    assert_eq!(state(process), None);
}

/// Set for the test below when it starts itself: what starts a hand and is then killed.
const HOLDS: &str = "STEERSMAN_TEST_HOLDS_A_HAND";

#[test]
fn the_process_ends_with_its_caller_even_if_that_is_killed() {
    if let Some(file) = std::env::var_os(HOLDS) {
        let hand = two_finger(LONG);
        fs::write(file, hand.process().to_string()).unwrap();
        loop {
            std::thread::park();
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("process");
    let mut caller = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_process_ends_with_its_caller_even_if_that_is_killed"])
        .env(HOLDS, &file)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let process: u32 =
        wait(|| fs::read_to_string(&file).ok()?.parse().ok()).expect("the caller starts a hand");
    assert_ne!(state(process), None);
    caller.kill().unwrap();
    caller.wait().unwrap();
    // Nobody may wait for an orphan here, so it may stay as a zombie.
    wait(|| matches!(state(process), None | Some('Z')).then_some(())).expect("the process ends");
}

#[test]
fn the_page_of_the_node_has_the_time_that_a_call_waits() {
    let pages = ["../../docs/nodes/haptix.md", "../README.md"]
        .map(|page| fs::read_to_string(format!("{}/{page}", env!("CARGO_MANIFEST_DIR"))).unwrap());
    let text = format!("{} ms at most", ANSWER_TIMEOUT.as_millis());
    assert!(pages.iter().all(|page| page.contains(&text)), "{text}");
}

fn refusal(program: Command, description: &str) -> String {
    let model = Model::builtin("two_finger").unwrap();
    RemoteHand::start(program, model, description, 1).unwrap_err().to_string()
}

#[test]
fn a_process_that_does_not_become_a_hand_is_refused_with_its_reason() {
    let missing = refusal(Command::new("/nonexistent/hand"), BUILTIN[2].1);
    assert_eq!(missing, "cannot be started: No such file or directory (os error 2)");
    assert_eq!(refusal(Command::new("false"), BUILTIN[2].1), "the hand's process ended: exit status: 1");
    assert_eq!(refusal(program(), "model: 3\n"), "line 1: 'update_rate' is missing");
    let long = refusal(program(), &"#".repeat((1 << 20) + 1));
    assert_eq!(long, "the description has 1048577 bytes, must have at most 1048576");
    // The longest one passes.
    let padded = format!("{}{}", BUILTIN[2].1, "#".repeat((1 << 20) - BUILTIN[2].1.len()));
    start(&padded, 1, LONG).unwrap();
}

#[test]
fn a_process_that_says_something_else_is_a_failure() {
    // It answers with what it is asked.
    let mut parrot = Command::new("sh");
    parrot.args(["-c", "cat <&0 >&0"]);
    let model = Model::builtin("two_finger").unwrap();
    let outcome = RemoteHand::start(parrot, model, BUILTIN[2].1, 1);
    // The description as an answer is too long to be one.
    let Err(StartError::Refused(text)) = outcome else { panic!("{outcome:?}") };
    assert_eq!(text, "the hand's process sent something that is no answer");
}
