//! The joints' and controllers' statuses for `/diagnostics`.

use std::collections::BTreeMap;
use std::time::Duration;

use safety::{Instant, Level, Stamp};

use crate::Joint;
use crate::controllers::ControllerTiming;

mod status;

pub(crate) use status::Concern;
pub use status::Status;

/// Collects reports of joints and controllers, and makes their statuses.
///
/// # Source
/// `pr2_mechanism_diagnostics` 1.8.21; own: the extremes are those of all reports since the last statuses, where the original's
/// minimum is that of the last report; a joint that hit its limits in any of them has hit them.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    joints: BTreeMap<String, JointEntry>,
    controllers: BTreeMap<String, ControllerEntry>,
    /// Whether the statuses leave out that a controller took too long.
    pub(crate) ignores_overruns: bool,
    /// Warnings about running controllers, with the controllers' names.
    pub(crate) concerns: Vec<(String, Concern)>,
    /// The loaded controllers: names, types and the joints that they move.
    pub(crate) loaded: Vec<(String, String, Vec<String>)>,
    /// The joints that running controllers move: each joint with a controller.
    pub(crate) moved: Vec<(String, String)>,
}

/// State of a controller, as the control loop reports it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ControllerReport {
    /// Whether it runs.
    pub is_running: bool,
    /// How long its updates took.
    pub timing: ControllerTiming,
}

#[derive(Clone, Debug)]
struct JointEntry {
    last: Joint,
    received: Instant,
    window: Window,
}

/// Extremes since the last statuses.
#[derive(Clone, Copy, Debug)]
struct Window {
    is_over: bool,
    min: f64,
    max: f64,
    velocity: f64,
    effort: f64,
    has_violated_limits: bool,
}

#[derive(Clone, Copy, Debug)]
struct ControllerEntry {
    last: ControllerReport,
    received: Instant,
}

/// A joint or controller that reported nothing for longer is silent.
const SILENCE: Duration = Duration::from_secs(3);
/// How long an overrun is a warning.
const WARNING: Duration = Duration::from_secs(30);
const BROKE: &str = "!!! Broke Realtime, used more than 1000 micro seconds in update loop";

impl Diagnostics {
    /// A joint was reported at `now`, with the statistics of a window.
    pub fn add_joint(&mut self, now: Instant, joint: &Joint) {
        let statistics = &joint.statistics;
        let entry = self.joints.entry(joint.name.clone()).or_insert_with(|| JointEntry {
            last: joint.clone(),
            received: now,
            window: Window::new(),
        });
        let before = if entry.window.is_over { Window::new() } else { entry.window };
        entry.window = if !joint.is_calibrated {
            // Where it is was not known.
            Window {
                is_over: false,
                has_violated_limits: before.has_violated_limits || statistics.has_violated_limits,
                ..before
            }
        } else {
            Window {
                is_over: false,
                min: before.min.min(statistics.min_position),
                max: before.max.max(statistics.max_position),
                velocity: before.velocity.max(statistics.max_abs_velocity),
                effort: before.effort.max(statistics.max_abs_effort),
                has_violated_limits: before.has_violated_limits || statistics.has_violated_limits,
            }
        };
        entry.last.clone_from(joint);
        entry.received = now;
    }

    /// A controller was reported at `now`.
    pub fn add_controller(&mut self, now: Instant, name: &str, report: ControllerReport) {
        self.controllers.insert(name.to_owned(), ControllerEntry { last: report, received: now });
    }

    /// The statuses at `now`: joints by name, then controllers by name. Begins the next window of the joints, and forgets
    /// controllers that are silent, after they were shown once more.
    ///
    /// `stamp` is the wall clock at an instant.
    pub fn statuses(&mut self, now: Instant, stamp: impl Fn(Instant) -> Stamp) -> Vec<Status> {
        let moved = &self.moved;
        let mut statuses: Vec<Status> =
            self.joints.values_mut().map(|entry| entry.status(now).with_limits(&entry.last, moved)).collect();
        if self.controllers.is_empty() {
            statuses.push(Status {
                name: "Controller: No controllers loaded in controller manager".to_owned(),
                level: Level::Ok,
                message: "Nothing loaded",
                values: Vec::new(),
            });
        }
        let ignores = self.ignores_overruns;
        let (concerns, loaded) = (&self.concerns, &self.loaded);
        statuses.extend(self.controllers.iter().map(|(name, entry)| {
            let own = concerns.iter().filter(|(of, _)| of == name).map(|(_, concern)| concern);
            let (_, kind, moves) = loaded.iter().find(|(of, ..)| of == name).cloned().unwrap_or_default();
            let about = [("Type", kind), ("Joints", moves.join(", "))];
            entry.status(name, now, ignores, &stamp).with(about).with_concerns(own)
        }));
        self.controllers.retain(|_, entry| now.since(entry.received) <= SILENCE);
        statuses
    }
}

impl Window {
    fn new() -> Self {
        Self {
            is_over: false,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            velocity: 0.0,
            effort: 0.0,
            has_violated_limits: false,
        }
    }
}

impl JointEntry {
    fn status(&mut self, now: Instant) -> Status {
        let (joint, window) = (&self.last, self.window);
        let state = [joint.position, joint.velocity, joint.measured_effort, joint.commanded_effort];
        let (level, message) = if state.iter().any(|value| !value.is_finite() || value.is_subnormal()) {
            (Level::Error, "NaN Values in Joint State")
        } else if now.since(self.received) > SILENCE {
            (Level::Error, "No updates")
        } else if joint.is_calibrated {
            (Level::Ok, "OK")
        } else {
            (Level::Warn, "Uncalibrated")
        };
        let [position, velocity, measured, commanded] = state.map(six_digits);
        let known = |value| if joint.is_calibrated { six_digits(value) } else { "N/A".to_owned() };
        let truth = |is_true| if is_true { "True" } else { "False" }.to_owned();
        let values = vec![
            ("Position", position),
            ("Velocity", velocity),
            ("Measured Effort", measured),
            ("Commanded Effort", commanded),
            ("Calibrated", truth(joint.is_calibrated)),
            ("Odometer", six_digits(joint.statistics.odometer)),
            ("Max Position", known(window.max)),
            ("Min Position", known(window.min)),
            ("Max Abs. Velocity", known(window.velocity)),
            ("Max Abs. Effort", known(window.effort)),
            ("Limits Hit", truth(window.has_violated_limits)),
        ];
        self.window.is_over = true;
        Status { name: format!("Joint ({})", self.last.name), level, message, values }
    }
}

impl ControllerEntry {
    fn status(
        &self,
        name: &str,
        now: Instant,
        ignores_overruns: bool,
        stamp: impl Fn(Instant) -> Stamp,
    ) -> Status {
        let ControllerReport { is_running, timing } = self.last;
        let (level, message) = match timing.last_overrun.filter(|_| !ignores_overruns) {
            Some(last) if now.since(last) < WARNING => (Level::Warn, BROKE),
            Some(_) => (Level::Ok, BROKE),
            None if is_running => (Level::Ok, "Running"),
            None => (Level::Ok, "Stopped"),
        };
        // Whole microseconds and percents, cut off.
        let micros = |seconds: f64| ((seconds * 1e6) as i64).to_string();
        let last = timing.last_overrun.map_or(0.0, |last| stamp(last).as_nanos() as f64 / 1e9);
        let values = vec![
            ("Avg Update Time (usec)", micros(timing.mean)),
            ("Max Update Time (usec)", micros(timing.max.as_secs_f64())),
            ("Variance Update Time (usec)", micros(timing.standard_deviation())),
            ("Percent of Cycle Time Used", ((timing.mean / 1e-5) as i64).to_string()),
            ("Number of Control Loop Overruns", timing.overruns.to_string()),
            ("Timestamp of Last Overrun (sec)", six_digits(last)),
        ];
        Status { name: format!("Controller ({name})"), level, message, values }
    }
}

/// The number with six significant digits, as a C++ stream writes it.
fn six_digits(value: f64) -> String {
    if !value.is_finite() {
        return format!("{value}").to_lowercase();
    }
    // Rounded first: 999999.9 has seven digits before the point then.
    let rounded = format!("{value:.5e}");
    let Some((digits, exponent)) = rounded.split_once('e') else { return rounded };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let without_zeros = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..6).contains(&exponent) {
        let decimals = usize::try_from(5 - exponent).unwrap_or(0);
        without_zeros(&format!("{value:.decimals$}"))
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", without_zeros(digits), exponent.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::JointKind;

    fn at(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    fn joint(name: &str) -> Joint {
        let mut joint = Joint::new(name, JointKind::Revolute);
        (joint.position, joint.velocity, joint.is_calibrated) = (0.25, -1.5, true);
        (joint.measured_effort, joint.commanded_effort) = (2.0, 3.0);
        joint.statistics.odometer = 12.5;
        joint
    }

    fn window(joint: &mut Joint, min: f64, max: f64, violated: bool) {
        (joint.statistics.min_position, joint.statistics.max_position) = (min, max);
        joint.statistics.has_violated_limits = violated;
    }

    fn stamp(at: Instant) -> Stamp {
        Stamp { sec: 1000 + i32::try_from(at.as_nanos() / 1_000_000_000).unwrap(), nanosec: 0 }
    }

    fn value(status: &Status, key: &str) -> String {
        status.values.iter().find(|(found, _)| *found == key).unwrap().1.clone()
    }

    #[test]
    fn joints_come_by_name_before_controllers_by_name() {
        let mut diagnostics = Diagnostics::default();
        ["tilt", "pan"].iter().for_each(|name| diagnostics.add_joint(at(0), &joint(name)));
        let report = ControllerReport { is_running: true, timing: ControllerTiming::default() };
        ["z", "a"].iter().for_each(|name| diagnostics.add_controller(at(0), name, report));
        let names: Vec<_> =
            diagnostics.statuses(at(0), stamp).into_iter().map(|status| status.name).collect();
        assert_eq!(names, ["Joint (pan)", "Joint (tilt)", "Controller (a)", "Controller (z)"]);
    }

    #[test]
    fn a_joint_is_ok_uncalibrated_silent_or_has_nan_and_the_last_that_holds_is_shown() {
        let mut diagnostics = Diagnostics::default();
        let mut shown = |now: u64, joint: Option<&Joint>| {
            joint.into_iter().for_each(|joint| diagnostics.add_joint(at(now), joint));
            let status = diagnostics.statuses(at(now), stamp).remove(0);
            (status.level, status.message)
        };
        let mut pan = joint("pan");
        assert_eq!(shown(0, Some(&pan)), (Level::Ok, "OK"));
        pan.is_calibrated = false;
        assert_eq!(shown(0, Some(&pan)), (Level::Warn, "Uncalibrated"));
        assert_eq!(shown(3000, None), (Level::Warn, "Uncalibrated"), "three seconds are not too long");
        assert_eq!(shown(3001, None), (Level::Error, "No updates"));
        for bad in [f64::NAN, f64::INFINITY, f64::MIN_POSITIVE / 2.0] {
            pan.velocity = bad;
            assert_eq!(shown(3001, Some(&pan)), (Level::Error, "NaN Values in Joint State"));
        }
        assert_eq!(shown(10_000, None), (Level::Error, "NaN Values in Joint State"), "it is never dropped");
    }

    #[test]
    fn a_joint_has_the_original_s_values_in_their_order_and_two_of_ours() {
        let mut diagnostics = Diagnostics::default();
        let mut pan = joint("pan");
        window(&mut pan, -0.5, 0.75, false);
        (pan.statistics.max_abs_velocity, pan.statistics.max_abs_effort) = (4.0, 5.0);
        diagnostics.add_joint(at(0), &pan);
        let status = diagnostics.statuses(at(0), stamp).remove(0);
        let expected = [
            ("Position", "0.25"),
            ("Velocity", "-1.5"),
            ("Measured Effort", "2"),
            ("Commanded Effort", "3"),
            ("Calibrated", "True"),
            ("Odometer", "12.5"),
            ("Max Position", "0.75"),
            ("Min Position", "-0.5"),
            ("Max Abs. Velocity", "4"),
            ("Max Abs. Effort", "5"),
            ("Limits Hit", "False"),
            ("Limits", "none"),
            ("Commanded By", ""),
        ];
        assert_eq!(status.values, expected.map(|(key, value)| (key, value.to_owned())));
        pan.is_calibrated = false;
        diagnostics.add_joint(at(0), &pan);
        let status = diagnostics.statuses(at(0), stamp).remove(0);
        for key in ["Max Position", "Min Position", "Max Abs. Velocity", "Max Abs. Effort"] {
            assert_eq!(value(&status, key), "N/A");
        }
    }

    #[test]
    fn extremes_are_those_of_all_reports_since_the_last_statuses() {
        let mut diagnostics = Diagnostics::default();
        let mut pan = joint("pan");
        for (min, max, violated) in [(-2.0, 0.0, true), (-1.0, 3.0, false)] {
            window(&mut pan, min, max, violated);
            diagnostics.add_joint(at(0), &pan);
        }
        let mut shown = || {
            let status = diagnostics.statuses(at(0), stamp).remove(0);
            ["Min Position", "Max Position", "Limits Hit"].map(|key| value(&status, key))
        };
        assert_eq!(shown(), ["-2", "3", "True"]);
        assert_eq!(shown(), ["-2", "3", "True"], "without a report the last window stays");
        diagnostics.add_joint(at(0), &pan);
        let status = diagnostics.statuses(at(0), stamp).remove(0);
        assert_eq!(
            ["Min Position", "Max Position", "Limits Hit"].map(|key| value(&status, key)),
            ["-1", "3", "False"]
        );
    }

    #[test]
    fn a_controller_runs_is_stopped_or_broke_real_time_for_30_seconds() {
        let mut diagnostics = Diagnostics::default();
        let mut timing = ControllerTiming::default();
        let mut shown = |now: u64, is_running: bool, timing: ControllerTiming| {
            diagnostics.add_controller(at(now), "pan", ControllerReport { is_running, timing });
            diagnostics.statuses(at(now), stamp).remove(0)
        };
        assert_eq!(shown(0, true, timing).message, "Running");
        assert_eq!((shown(0, false, timing).message, shown(0, false, timing).level), ("Stopped", Level::Ok));
        timing.add(Duration::from_micros(1500), at(1000));
        timing.add(Duration::from_micros(500), at(1001));
        let status = shown(30_999, true, timing);
        assert_eq!((status.level, status.message), (Level::Warn, BROKE));
        let values = [
            ("Avg Update Time (usec)", "1000"),
            ("Max Update Time (usec)", "1500"),
            ("Variance Update Time (usec)", "500"),
            ("Percent of Cycle Time Used", "100"),
            ("Number of Control Loop Overruns", "1"),
            ("Timestamp of Last Overrun (sec)", "1001"),
        ];
        assert_eq!(status.values.len(), values.len() + 2, "type and joints are ours");
        for ((key, expected), (found, shown)) in values.into_iter().zip(&status.values) {
            let is_near =
                |a: &str, b: &str| a == b || (a.parse::<i64>().unwrap() - b.parse::<i64>().unwrap()) == 1;
            assert!(key == *found && is_near(expected, shown), "{found} {shown}, not {expected}");
        }
        assert_eq!(shown(31_000, true, timing).level, Level::Ok, "the message stays");
    }

    #[test]
    fn a_concern_is_the_message_of_a_controller_with_no_worse_one() {
        let mut diagnostics = Diagnostics::default();
        let concern = Concern { message: "It shares", value: ("Shared Joint", "pan".into()) };
        diagnostics.concerns = vec![("pan".into(), concern.clone()), ("tilt".into(), concern)];
        let mut timing = ControllerTiming::default();
        let mut shown = |name: &str, timing| {
            diagnostics.add_controller(at(0), name, ControllerReport { is_running: true, timing });
            let statuses = diagnostics.statuses(at(1001), stamp);
            statuses.into_iter().find(|status| status.name.contains(name)).unwrap()
        };
        let status = shown("pan", timing);
        assert_eq!((status.level, status.message), (Level::Warn, "It shares"));
        assert_eq!(value(&status, "Shared Joint"), "pan");
        assert_eq!(shown("lift", timing).message, "Running");
        timing.add(Duration::from_micros(1500), at(1000));
        let status = shown("tilt", timing);
        assert_eq!((status.message, value(&status, "Shared Joint")), (BROKE, "pan".to_owned()));
    }

    #[test]
    fn overruns_can_be_left_out_of_the_level_and_the_message() {
        let mut diagnostics = Diagnostics { ignores_overruns: true, ..Diagnostics::default() };
        let mut timing = ControllerTiming::default();
        timing.add(Duration::from_micros(1500), at(1000));
        diagnostics.add_controller(at(1000), "pan", ControllerReport { is_running: true, timing });
        let status = diagnostics.statuses(at(1000), stamp).remove(0);
        assert_eq!((status.level, status.message), (Level::Ok, "Running"));
        assert_eq!(value(&status, "Number of Control Loop Overruns"), "1");
    }

    #[test]
    fn extremes_from_before_a_calibration_do_not_count() {
        let mut diagnostics = Diagnostics::default();
        let mut pan = joint("pan");
        pan.is_calibrated = false;
        window(&mut pan, -9.0, 9.0, true);
        diagnostics.add_joint(at(0), &pan);
        pan.is_calibrated = true;
        window(&mut pan, -1.0, 1.0, false);
        diagnostics.add_joint(at(0), &pan);
        let status = diagnostics.statuses(at(0), stamp).remove(0);
        let shown = ["Min Position", "Max Position", "Limits Hit"].map(|key| value(&status, key));
        assert_eq!(shown, ["-1", "1", "True"]);
    }

    #[test]
    fn a_silent_controller_is_shown_once_more_and_then_dropped() {
        let mut diagnostics = Diagnostics::default();
        let report = ControllerReport { is_running: true, timing: ControllerTiming::default() };
        diagnostics.add_controller(at(0), "pan", report);
        let names = |diagnostics: &mut Diagnostics, now: u64| {
            diagnostics.statuses(at(now), stamp).into_iter().map(|status| status.name).collect::<Vec<_>>()
        };
        assert_eq!(names(&mut diagnostics, 3000), ["Controller (pan)"]);
        assert_eq!(names(&mut diagnostics, 3001), ["Controller (pan)"]);
        assert_eq!(
            names(&mut diagnostics, 3002),
            ["Controller: No controllers loaded in controller manager"]
        );
    }

    #[test]
    fn numbers_have_six_significant_digits() {
        let cases = [
            (0.0, "0"),
            (0.1, "0.1"),
            (123_456.7, "123457"),
            (1_234_567.0, "1.23457e+06"),
            (999_999.9, "1e+06"),
            (0.0001, "0.0001"),
            (0.000_012_345_678, "1.23457e-05"),
            (-2.5, "-2.5"),
            (1e300, "1e+300"),
            (std::f64::consts::PI, "3.14159"),
            (100_000.0, "100000"),
        ];
        for (value, expected) in cases {
            assert_eq!(six_digits(value), expected);
        }
        assert_eq!([f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(six_digits), ["nan", "inf", "-inf"]);
    }
}
