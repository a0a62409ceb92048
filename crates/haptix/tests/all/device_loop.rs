//! Ticks, catching up, hold, failures.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::node::{at, settings};
use common::{STEP, close};
use haptix::{
    AnalyticHand, Constants, Device, DeviceError, DeviceLoop, DummyDevice, Mode, Model, Order, Reading,
    Report, Sensor, Setpoints, Settings, Simulation,
};
use safety::{Instant, Stamp};

/// The two fingers, which tick every 10 ms, stepped every millisecond.
fn two_finger(settings: Settings) -> DeviceLoop {
    DeviceLoop::new(Box::new(AnalyticHand::new(Model::builtin("two_finger").unwrap(), 1)), STEP, settings)
}

fn stepped(report: Option<Report>) -> Reading {
    match report {
        Some(Report::Stepped(reading)) => reading,
        other => panic!("{other:?}"),
    }
}

fn command(device: &DeviceLoop, position: f64, millis: u64) -> Order {
    let mut setpoints = device.constants().start;
    setpoints.ref_pos[0] = position;
    Order::Command { setpoints, at: at(millis) }
}

/// Steps every millisecond from `from` up to before `to`; the readings with their times.
fn run(device: &mut DeviceLoop, from: u64, to: u64) -> Vec<Reading> {
    (from..to).filter_map(|millis| device.step(at(millis))).map(|report| stepped(Some(report))).collect()
}

#[test]
fn a_reading_comes_at_the_update_rate_in_simulated_time() {
    let mut device = two_finger(settings());
    let readings = run(&mut device, 5000, 5100);
    // From the first step on, every 10 ms; the simulated time begins with the loop.
    let times: Vec<_> = readings.iter().map(|reading| (reading.at, reading.sensor.time_stamp)).collect();
    let expected: Vec<_> =
        (0..10).map(|n| (at(5000 + 10 * n), Stamp { sec: 0, nanosec: 10_000_000 * n as u32 })).collect();
    assert_eq!(times, expected);
}

#[test]
fn a_rate_that_divides_no_step_is_kept_on_average() {
    let model = Model::builtin("two_finger").unwrap().with_update_rate(60.0);
    let mut device = DeviceLoop::new(Box::new(AnalyticHand::new(model, 1)), STEP, settings());
    assert_eq!(run(&mut device, 0, 10_000).len(), 600);
    // With a step longer than the period each step is a tick.
    let model = Model::builtin("two_finger").unwrap();
    let long = Duration::from_millis(20);
    let mut device = DeviceLoop::new(Box::new(AnalyticHand::new(model, 1)), long, settings());
    assert_eq!(run(&mut device, 0, 1000).len(), 50);
}

#[test]
fn the_latest_command_of_a_tick_is_picked_up_and_shows_in_the_next_one() {
    let mut device = two_finger(settings());
    run(&mut device, 0, 15);
    device.take(command(&device, 1.5, 15));
    device.take(command(&device, 0.5, 15));
    let reading = stepped((15..21).find_map(|millis| device.step(at(millis))));
    assert_eq!((reading.sensor.motor_pos[0], reading.mode), (0.0, Mode::Following));
    let next = run(&mut device, 21, 31);
    assert!(next[0].sensor.motor_pos[0] > 0.0);
    let last = run(&mut device, 31, 900).pop().unwrap();
    assert!(close(last.sensor.motor_pos[0], 0.5, 1e-3));
}

#[test]
fn the_hand_holds_before_the_first_command_and_after_the_time_out() {
    let mut device = two_finger(settings());
    assert!(run(&mut device, 0, 500).iter().all(|reading| reading.mode == Mode::Holding));
    device.take(command(&device, 1.0, 500));
    let readings = run(&mut device, 500, 2000);
    for reading in &readings {
        // Received at 500 ms; at 1500 ms it is too old.
        let expected = if reading.at < at(1500) { Mode::Following } else { Mode::Holding };
        assert_eq!(reading.mode, expected, "{:?}", reading.at);
    }
    device.take(command(&device, 0.2, 2000));
    assert_eq!(run(&mut device, 2000, 2001)[0].mode, Mode::Following);
    assert!(close(run(&mut device, 2001, 2900).pop().unwrap().sensor.motor_pos[0], 0.2, 1e-3));
}

#[test]
fn without_a_time_out_the_last_command_is_followed_for_ever() {
    let mut device = two_finger(Settings { command_timeout: None, ..settings() });
    device.take(command(&device, 1.0, 0));
    let readings = run(&mut device, 0, 60_000);
    assert!(readings.iter().all(|reading| reading.mode == Mode::Following));
    assert!(close(readings.last().unwrap().sensor.motor_pos[0], 1.0, 1e-6));
    // A time-out that is switched on counts from the command.
    device.take(Order::Configure(settings()));
    assert_eq!(run(&mut device, 60_000, 60_001)[0].mode, Mode::Holding);
}

#[test]
fn a_longer_time_out_does_not_make_an_old_command_fresh_again() {
    for longer in [Some(Duration::from_secs(60)), None] {
        let mut device = two_finger(settings());
        device.take(command(&device, 1.0, 0));
        assert_eq!(run(&mut device, 0, 1500).pop().unwrap().mode, Mode::Holding);
        device.take(Order::Configure(Settings { command_timeout: longer, ..settings() }));
        assert!(run(&mut device, 1500, 2000).iter().all(|reading| reading.mode == Mode::Holding));
    }
}

#[test]
fn an_ordered_hold_lasts_until_the_next_command() {
    let mut device = two_finger(settings());
    device.take(command(&device, 1.0, 0));
    run(&mut device, 0, 51);
    device.take(Order::Hold);
    let readings = run(&mut device, 51, 900);
    assert!(readings.iter().all(|reading| reading.mode == Mode::Holding));
    let (first, last) = (readings[0].sensor.motor_pos[0], readings.last().unwrap().sensor.motor_pos[0]);
    assert!(first > 0.1 && close(last, first.into(), 1e-3), "{first} {last}");
    device.take(command(&device, 1.0, 900));
    assert_eq!(run(&mut device, 900, 901)[0].mode, Mode::Following);
}

#[test]
fn a_reset_of_the_pose_drops_earlier_commands_and_obeys_later_ones() {
    let mut device = two_finger(settings());
    device.take(command(&device, 1.0, 0));
    run(&mut device, 0, 400);
    device.take(command(&device, 0.7, 400));
    device.take(Order::Reset { reset_limb_pose: true });
    let readings = run(&mut device, 400, 500);
    assert_eq!(readings[1].sensor.motor_pos[0], 0.0);
    assert!(
        readings[1..]
            .iter()
            .all(|reading| reading.mode == Mode::Holding && reading.sensor.motor_pos[0] == 0.0)
    );
    device.take(Order::Reset { reset_limb_pose: true });
    device.take(command(&device, 0.3, 500));
    let last = run(&mut device, 500, 1400).pop().unwrap();
    assert!(last.mode == Mode::Following && close(last.sensor.motor_pos[0], 0.3, 1e-3));
    // Without the pose it goes on.
    device.take(Order::Reset { reset_limb_pose: false });
    let last = run(&mut device, 1400, 1450).pop().unwrap();
    assert!(last.mode == Mode::Following && close(last.sensor.motor_pos[0], 0.3, 1e-3));
}

#[test]
fn a_late_thread_makes_up_for_its_pause_but_not_for_a_long_one() {
    let (mut even, mut late) = (two_finger(settings()), two_finger(settings()));
    for device in [&mut even, &mut late] {
        device.take(command(device, 1.0, 0));
    }
    run(&mut even, 0, 101);
    assert_eq!(run(&mut late, 0, 5).len(), 1);
    assert!(late.step(at(4)).is_none(), "not due yet");
    // 77 steps at once: one report, of the last tick.
    let reading = stepped(late.step(at(81)));
    assert_eq!(reading.sensor.time_stamp, Stamp { sec: 0, nanosec: 80_000_000 });
    run(&mut late, 82, 101);
    assert_eq!(run(&mut even, 101, 111)[0].sensor, run(&mut late, 101, 111)[0].sensor);
    // More than 100 ms: one step, and the simulated time lags.
    late.step(at(400));
    let reading = run(&mut late, 401, 420)[0];
    assert_eq!(reading.sensor.time_stamp, Stamp { sec: 0, nanosec: 120_000_000 });
}

/// Calls that a [`Broken`] device received, and its answers.
#[derive(Default)]
struct Plan {
    calls: Vec<String>,
    read: Option<DeviceError>,
    step: Option<DeviceError>,
    command: Option<DeviceError>,
    reset: Option<DeviceError>,
    simulate: Option<Result<(), DeviceError>>,
}

/// A device that fails as planned.
struct Broken {
    hand: AnalyticHand,
    plan: Arc<Mutex<Plan>>,
}

impl Device for Broken {
    fn constants(&self) -> &Constants {
        self.hand.constants()
    }
    fn command(&mut self, setpoints: &Setpoints) -> Result<(), DeviceError> {
        let mut plan = self.plan.lock().unwrap();
        plan.calls.push(format!("command {}", setpoints.ref_pos[0]));
        plan.command.clone().map_or(Ok(()), Err)
    }
    fn hold(&mut self, gain: f64) -> Result<(), DeviceError> {
        let mut plan = self.plan.lock().unwrap();
        plan.calls.push(format!("hold by {}", self.hand.constants().start.gain_pos[0] * gain));
        plan.command.clone().map_or(Ok(()), Err)
    }
    fn step(&mut self, _: Duration) -> Result<(), DeviceError> {
        self.plan.lock().unwrap().step.clone().map_or(Ok(()), Err)
    }
    fn read(&mut self, _: &mut Sensor) -> Result<(), DeviceError> {
        self.plan.lock().unwrap().read.clone().map_or(Ok(()), Err)
    }
    fn reset(&mut self, reset_limb_pose: bool) -> Result<(), DeviceError> {
        let mut plan = self.plan.lock().unwrap();
        plan.calls.push(format!("reset {reset_limb_pose}"));
        plan.reset.clone().map_or(Ok(()), Err)
    }
    fn simulate(&mut self, simulation: &Simulation) -> Result<(), DeviceError> {
        let mut plan = self.plan.lock().unwrap();
        let Some(outcome) = plan.simulate.clone() else {
            return DummyDevice::default().simulate(simulation); // as a device that is not simulated
        };
        plan.calls.push(format!("delay {}", simulation.delay));
        outcome
    }
}

fn broken() -> (DeviceLoop, Arc<Mutex<Plan>>) {
    let hand = AnalyticHand::new(Model::builtin("two_finger").unwrap(), 1);
    let plan = Arc::new(Mutex::new(Plan::default()));
    (DeviceLoop::new(Box::new(Broken { hand, plan: plan.clone() }), STEP, settings()), plan)
}

fn calls(plan: &Mutex<Plan>) -> Vec<String> {
    core::mem::take(&mut plan.lock().unwrap().calls)
}

#[test]
fn a_device_is_asked_only_for_what_is_new() {
    let (mut device, plan) = broken();
    run(&mut device, 0, 100);
    assert_eq!(calls(&plan), ["hold by 5"]);
    device.take(command(&device, 0.25, 100));
    run(&mut device, 100, 300);
    assert_eq!(calls(&plan), ["command 0.25"]);
    run(&mut device, 300, 2000);
    assert_eq!(calls(&plan), ["hold by 5"]);
    device.take(Order::Configure(Settings { hold_gain: 0.1, ..settings() }));
    run(&mut device, 2000, 2100);
    assert_eq!(calls(&plan), ["hold by 1"]);
    device.take(Order::Reset { reset_limb_pose: false });
    run(&mut device, 2100, 2200);
    assert_eq!(calls(&plan), ["reset false"]);
    // With the device's own gain of 10, not that of the last command.
    let mut setpoints = device.constants().start;
    setpoints.gain_pos[0] = 3.0;
    device.take(Order::Command { setpoints, at: at(2200) });
    device.take(Order::Reset { reset_limb_pose: true });
    run(&mut device, 2200, 2300);
    assert_eq!(calls(&plan), ["reset true", "hold by 1"]);
    // Of two resets in one tick the wider one counts.
    for reset_limb_pose in [true, false] {
        device.take(Order::Reset { reset_limb_pose });
    }
    run(&mut device, 2300, 2400);
    assert_eq!(calls(&plan), ["reset true", "hold by 1"]);
}

#[test]
fn a_failure_is_reported_once_per_tick_and_silence_once() {
    let failed = DeviceError::Failed("the cable is out".into());
    let (mut device, plan) = broken();
    let reports = |device: &mut DeviceLoop, from| {
        (from..from + 100).filter_map(|t| device.step(at(t))).collect::<Vec<_>>()
    };
    plan.lock().unwrap().read = Some(failed.clone());
    assert_eq!(reports(&mut device, 0), vec![Report::Failed(failed.clone()); 10]);
    plan.lock().unwrap().read = Some(DeviceError::NoAnswer);
    assert_eq!(reports(&mut device, 100), [Report::Failed(DeviceError::NoAnswer)]);
    assert_eq!(reports(&mut device, 200), []);
    *plan.lock().unwrap() = Plan { step: Some(failed.clone()), ..Plan::default() };
    let found = reports(&mut device, 300);
    assert!(matches!(found[0], Report::Stepped(_)), "it fails after the first tick");
    assert_eq!(found[1..], vec![Report::Failed(failed); 9]);
}

#[test]
fn a_command_that_a_silent_device_did_not_take_is_forgotten() {
    // Also one that it took before: it holds when it answers again, however young they are.
    for read in [true, false] {
        let (mut device, plan) = broken();
        device.take(Order::Configure(Settings { command_timeout: None, ..settings() }));
        device.take(command(&device, 0.25, 0));
        run(&mut device, 0, 100);
        calls(&plan);
        let silent = Some(DeviceError::NoAnswer);
        *plan.lock().unwrap() = if read {
            Plan { read: silent, ..Plan::default() }
        } else {
            Plan { command: silent, ..Plan::default() }
        };
        device.take(command(&device, 0.75, 100));
        let reports: Vec<_> = (100..200).filter_map(|millis| device.step(at(millis))).collect();
        assert_eq!(reports, [Report::Failed(DeviceError::NoAnswer)], "it is reported once");
        *plan.lock().unwrap() = Plan::default();
        assert!(run(&mut device, 200, 300).iter().all(|reading| reading.mode == Mode::Holding));
        assert_eq!(calls(&plan), ["hold by 5"]);
        device.take(command(&device, 0.5, 300));
        assert_eq!(run(&mut device, 300, 301)[0].mode, Mode::Following);
        assert_eq!(calls(&plan), ["command 0.5"]);
    }
}

#[test]
fn a_refused_reset_is_reported_once_and_one_without_an_answer_is_repeated() {
    let failed = DeviceError::Failed("this hand has no reset".into());
    for (error, calls_until_then) in [(failed.clone(), 1), (DeviceError::NoAnswer, 10)] {
        let (mut device, plan) = broken();
        run(&mut device, 0, 100);
        *plan.lock().unwrap() = Plan { reset: Some(error.clone()), ..Plan::default() };
        device.take(Order::Reset { reset_limb_pose: false });
        let reports: Vec<Report> = (100..200).filter_map(|millis| device.step(at(millis))).collect();
        assert_eq!(reports.len(), if error == failed { 10 } else { 1 });
        let failures = reports.iter().filter(|report| **report == Report::Failed(error.clone()));
        assert_eq!(failures.count(), 1);
        assert_eq!(calls(&plan), vec!["reset false"; calls_until_then]);
    }
}

#[test]
fn a_device_that_is_not_simulated_refuses_a_simulation() {
    let (mut device, _) = broken();
    let mut simulation = Simulation::default();
    simulation.faults.is_silent = true;
    device.take(Order::Configure(Settings { simulation, ..settings() }));
    assert!(
        matches!(device.step(at(0)), Some(Report::Failed(DeviceError::Failed(what))) if what.contains("not simulated"))
    );
    assert!(matches!(device.step(at(10)), Some(Report::Stepped(_))));
}

#[test]
fn a_simulation_that_a_device_did_not_answer_to_is_repeated_and_a_refused_one_is_not() {
    let failed = DeviceError::Failed("there is no such object".into());
    for (outcome, calls_until_then) in [(Err(DeviceError::NoAnswer), 11), (Err(failed), 1), (Ok(()), 1)] {
        let (mut device, plan) = broken();
        run(&mut device, 0, 100);
        *plan.lock().unwrap() = Plan { simulate: Some(outcome.clone()), ..Plan::default() };
        let simulation = Simulation { delay: 7, ..Simulation::default() };
        device.take(Order::Configure(Settings { simulation, ..settings() }));
        (100..200).for_each(|millis| drop(device.step(at(millis))));
        assert_eq!(calls(&plan), vec!["delay 7"; calls_until_then]);
        // When it answers it has the simulation, and the readings go on.
        plan.lock().unwrap().simulate = Some(Ok(()));
        assert_eq!(run(&mut device, 200, 300).len(), 10);
        let again: &[&str] =
            if outcome == Err(DeviceError::NoAnswer) { &["delay 7", "hold by 5"] } else { &[] };
        assert_eq!(calls(&plan), again);
    }
}

#[test]
fn the_last_thing_that_a_device_receives_is_a_hold() {
    let (mut device, plan) = broken();
    device.take(command(&device, 0.75, 0));
    run(&mut device, 0, 200);
    calls(&plan);
    drop(device);
    assert_eq!(calls(&plan), ["hold by 5"]);
}

#[test]
fn after_a_pause_the_steps_lie_on_the_same_grid() {
    let model = Model::builtin("two_finger").unwrap().with_update_rate(1000.0);
    let mut device = DeviceLoop::new(Box::new(AnalyticHand::new(model, 1)), STEP, settings());
    device.step(at(0));
    // A pause of 1 s that ends 0.6 ms after a step was due: the next step is due after 0.4 ms, not after 1 ms.
    assert!(device.step(Instant::from_nanos(1_000_600_000)).is_some());
    assert_eq!(run(&mut device, 1001, 1011).len(), 10);
}
