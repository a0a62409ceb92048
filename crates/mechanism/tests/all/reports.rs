//! Contents and times of the loop's reports: joint states, statistics of joints, actuators and controllers.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::{PERIOD, Rig};
use mechanism::robot::{JointLimits, SafetyController};
use mechanism::{Recorder, Snapshot};
use safety::Instant;

const STRICT: i32 = 2;

/// A rig, and what its loop reports of each step at these rates \[Hz\].
struct Reported {
    rig: Rig,
    recorder: Recorder,
    snapshot: Snapshot,
}

impl Reported {
    fn new(joint_states: f64, statistics: f64, names: &[&str]) -> Self {
        let rig = Rig::with(names);
        let recorder = Recorder::new(joint_states, statistics, rig.now);
        let mut snapshot = Snapshot::new(&rig.control.robot, 8);
        // The end of the first halt is a report of its own.
        let mut recorder_of_start = recorder;
        recorder_of_start.record(rig.now, &mut Rig::new().control, None, &mut snapshot);
        Self { rig, recorder: recorder_of_start, snapshot }
    }

    /// One step with the joint at `position`; what was reported of it: joint states, statistics.
    fn step(&mut self, position: f64) -> Option<(bool, bool)> {
        self.rig.control.robot.actuators_mut()[0].state.position = 2.0 * position;
        self.rig.step();
        self.record()
    }

    fn record(&mut self) -> Option<(bool, bool)> {
        let is_filled = self.recorder.record(self.rig.now, &mut self.rig.control, None, &mut self.snapshot);
        is_filled.then_some((self.snapshot.has_joint_states, self.snapshot.has_statistics))
    }
}

/// With 100 Hz and 20 Hz in steps of 1 ms: joint states later than 10, 20, ... ms after the start, statistics later than 50,
/// 100, ... ms.
#[test]
fn both_topics_are_due_in_phase_with_the_start_each_at_its_rate() {
    let mut reported = Reported::new(100.0, 20.0, &["a"]);
    let mut due = Vec::new();
    for millis in 1..=120 {
        if let Some(what) = reported.step(0.0) {
            due.push((millis, what));
        }
    }
    let states = (1..=11).map(|index| 10 * index + 1);
    let expected: Vec<_> = states.map(|at| (at, (true, (at - 1) % 50 == 0))).collect();
    assert_eq!(due, expected);
}

/// A report that cannot be made, since nobody gave the last one back, is made in the next step, and the phase stays.
#[test]
fn a_report_without_a_free_place_is_made_later_without_a_shift() {
    let mut reported = Reported::new(100.0, 100.0, &["a", "b"]);
    (1..=14).for_each(|_| reported.rig.step());
    let due: Vec<_> = (15..=32).filter(|_| reported.step(0.0).is_some()).collect();
    assert_eq!(due, [15, 21, 31]);
}

/// Positions 1, 3, 2 in the first window: extremes 1 and 3. A report of joint states alone leaves the window, one of the
/// statistics begins another, whose only sample so far is its extremes; the way is that since the start.
#[test]
fn a_report_of_the_statistics_begins_the_next_window() {
    let mut reported = Reported::new(500.0, 200.0, &[]);
    let mut seen = Vec::new();
    for position in [1.0, 3.0, 2.0, 2.0, 2.0, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5, 2.5] {
        if let Some(what) = reported.step(position) {
            let statistics = &reported.snapshot.joints[0].statistics;
            seen.push((what, statistics.min_position, statistics.max_position, statistics.odometer));
        }
    }
    let (states, both) = ((true, false), (true, true));
    // In the steps 3, 5, 6 (the statistics, later than 5 ms, and not the joint states), 7, 9, 11. The way: 2 + 1 + 0.5.
    let expected = [
        (states, 1.0, 3.0, 3.0),
        (states, 1.0, 3.0, 3.0),
        ((false, true), 1.0, 3.0, 3.5),
        (states, 2.5, 2.5, 3.5),
        (states, 2.5, 2.5, 3.5),
        (both, 2.5, 2.5, 3.5),
    ];
    assert_eq!(seen, expected);
}

/// The first sample after a report lies within the old extremes, and becomes both new ones; one beyond them keeps the gap to the
/// old range, since the two are exchanged.
#[test]
fn a_window_that_begins_outside_the_old_range_reaches_to_it() {
    let mut reported = Reported::new(0.0, 1000.0, &[]);
    for position in [1.0, 3.0] {
        reported.step(position);
    }
    let extremes = |reported: &Reported| {
        let statistics = &reported.snapshot.joints[0].statistics;
        (statistics.min_position, statistics.max_position)
    };
    // The first step is not later than the period of 1 ms; the second and all others are.
    assert_eq!(extremes(&reported), (1.0, 3.0));
    assert_eq!(reported.step(5.0), Some((false, true)));
    // After (1, 3) was exchanged to min 3 and max 1: min(3, 5) = 3, max(1, 5) = 5.
    assert_eq!(extremes(&reported), (3.0, 5.0));
}

/// An effort of 100 is limited to 2 by the joint's limits: the report has what was sent.
#[test]
fn the_commanded_effort_is_that_after_the_limits() {
    let mut reported = Reported::new(1e6, 1e6, &["a"]);
    let joint = &mut reported.rig.control.robot.joints_mut()[0];
    joint.limits = Some(JointLimits { effort: 2.0, velocity: 10.0, lower: 0.0, upper: 0.0 });
    joint.safety = Some(SafetyController { k_velocity: 1.0, ..SafetyController::default() });
    reported.rig.switch(&["a"], &[], STRICT).unwrap();
    reported.rig.behaviour("a").set(|plan| plan.effort = Some(100.0));
    reported.rig.control.robot.actuators_mut()[0].state.last_measured_effort = 0.5;
    assert_eq!(reported.step(0.0), Some((true, true)));
    let joint = &reported.snapshot.joints[0];
    // The measured one is 0.5 times the reduction of 2.
    assert_eq!((joint.commanded_effort, joint.measured_effort), (2.0, 1.0));
    assert!(joint.statistics.has_violated_limits);
}

#[test]
fn controllers_are_reported_in_the_order_of_loading_running_or_stopped() {
    let mut reported = Reported::new(1e6, 1e6, &["z", "a"]);
    reported.rig.switch(&["z"], &[], STRICT).unwrap();
    assert_eq!(reported.step(0.0), Some((true, true)));
    let running: Vec<bool> = reported.snapshot.controllers.iter().map(|one| one.is_running).collect();
    assert_eq!(
        (reported.rig.manager.names().collect::<Vec<_>>(), running),
        (vec!["z", "a"], vec![true, false])
    );
    assert_eq!(reported.rig.list(), ["a stopped", "z running"], "unlike the list");
}

#[test]
fn a_rate_of_nothing_reports_no_more_than_that_the_loop_steps_and_the_halt() {
    for rate in [0.0, -100.0, f64::NAN] {
        let mut reported = Reported::new(rate, rate, &[]);
        let reports: Vec<_> = (0..5000).filter_map(|_| reported.step(0.0)).collect();
        assert!(reports.iter().all(|report| *report == (false, false)), "{rate}");
        assert!((24..=26).contains(&reports.len()), "{rate}: {} in 5 s", reports.len());
        reported.rig.control.robot.actuators_mut()[0].state.is_halted = true;
        assert_eq!(reported.step(0.0), Some((false, false)), "{rate}: a halt is reported at once");
    }
}

/// A loop that was held for 10 s reports once, not a thousand times, and then in its old phase.
#[test]
fn a_loop_that_was_held_reports_once_and_keeps_its_phase() {
    let mut reported = Reported::new(100.0, 1.0, &[]);
    let start = reported.rig.now;
    assert!((0..5).all(|_| reported.step(0.0).is_none()));
    reported.rig.now = reported.rig.now + PERIOD * 10_000;
    assert_eq!(reported.step(0.0), Some((true, true)));
    let mut due = Vec::new();
    for _ in 0..30 {
        if reported.step(0.0).is_some() {
            due.push(reported.rig.now.since(start).as_millis());
        }
    }
    assert_eq!(due, [10_011, 10_021, 10_031]);
    assert!(reported.rig.now > Instant::ZERO);
}
