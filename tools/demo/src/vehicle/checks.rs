use core::time::Duration;

use safety::Instant;

use crate::vehicle::course::Step;
use crate::vehicle::record::{Change, Record};
use crate::vehicle::stages::Stage;

/// The motors stop within this time after the e-stop, and after motion is disabled.
const STOP: Duration = Duration::from_millis(300);
/// The motors stop within this time after the stick is unplugged.
const UNPLUGGED: Duration = Duration::from_secs(1);
/// A robot travels at least this far in each step that drives \[m\].
const FAR: f64 = 0.05;
/// The states of hindbrain, and those that the course must pass through.
const STATES: [&str; 5] = ["OK", "ESTOP", "SSTOP.ROS", "SSTOP.IR", "SSTOP.BOTH"];
const NEEDED: [&str; 3] = ["OK", "ESTOP", "SSTOP.ROS"];
/// The valid servo values.
const SERVO: core::ops::RangeInclusive<i16> = 24..=156;

/// The violations in the course, one sentence each; empty if there are none.
///
/// * `end`: when the last step ended
/// * `messages`: the number of commands from each stage
pub fn judge(record: &Record, end: Instant, messages: [u64; 4]) -> Vec<String> {
    let mut failures: Vec<String> = Stage::ALL
        .into_iter()
        .zip(messages)
        .filter(|(_, count)| *count == 0)
        .map(|(stage, _)| format!("{} delivered nothing on '{}'", stage.name(), stage.topic()))
        .collect();
    match drive(record, end) {
        Ok(more) => failures.extend(more),
        Err(step) => failures
            .push(format!("the course was not driven to its end: the step '{}' is missing", step.text())),
    }
    failures.extend(states(record));
    failures.extend(servo_values(record));
    failures
}

/// The checks of the course's steps; `Err` names a step that never began.
fn drive(record: &Record, end: Instant) -> Result<Vec<String>, Step> {
    let began = |step: Step| record.began(step).ok_or(step);
    let (boot, enable, straight) = (began(Step::Boot)?, began(Step::Enable)?, began(Step::Straight)?);
    let (unplug, replug, drive_on) = (began(Step::Unplug)?, began(Step::Replug)?, began(Step::DriveOn)?);
    let (press, release) = (began(Step::Press)?, began(Step::Release)?);
    let (let_go, drive_again) = (began(Step::ResetAgain)?, began(Step::DriveAgain)?);
    let (navigate, disable) = (began(Step::Navigate)?, began(Step::Disable)?);

    let stands = |what: &str, from, to, since, event: &str| stands(record, what, (from, to), (since, event));
    let navigated = record.travelled_by("navigation", navigate, disable);
    Ok([
        stands("before motion is enabled", boot, enable, boot, "the course began"),
        drives(record, "while enabled", straight, unplug),
        stands("without a stick", unplug + UNPLUGGED, replug, unplug, "it was unplugged"),
        drives(record, "after the stick was plugged in again", drive_on, press),
        stands("after the e-stop", press + STOP, drive_again, press, "it was pressed"),
        is_in(record, "ESTOP", press + STOP, press, "the e-stop was pressed"),
        is_in(record, "ESTOP", release, press, "the e-stop was pressed"),
        is_in(record, "ESTOP", let_go, release, "the e-stop was released without a reset"),
        drives(record, "after the e-stop was reset", drive_again, navigate),
        (navigated < FAR).then(|| {
            let time = disable.since(navigate).as_secs_f64();
            format!("navigation drove {navigated:.3} m in {time:.2} s, must be {FAR} m or more")
        }),
        stands("while not enabled", disable + STOP, end, disable, "motion was disabled"),
        is_in(record, "SSTOP.ROS", end, disable, "motion was disabled"),
    ]
    .into_iter()
    .flatten()
    .collect())
}

fn stands(
    record: &Record,
    what: &str,
    (from, to): (Instant, Instant),
    (since, event): (Instant, &str),
) -> Option<String> {
    let (at, [port, starboard]) = record.moving(from, to)?;
    let (late, bound) = (at.since(since).as_secs_f64(), from.since(since).as_secs_f64());
    Some(format!(
        "{what} the motors were at {port} and {starboard}, {late:.3} s after {event}, must both be 90 from {bound:.1} s on"
    ))
}

fn drives(record: &Record, what: &str, from: Instant, to: Instant) -> Option<String> {
    let far = record.travelled_at(to) - record.travelled_at(from);
    let time = to.since(from).as_secs_f64();
    let state = record.state_at(to).unwrap_or("no state");
    (far < FAR).then(|| {
        format!(
            "{what} the stick drove {far:.3} m in {time:.2} s, must be {FAR} m or more; state was {state}"
        )
    })
}

fn is_in(record: &Record, wanted: &str, at: Instant, since: Instant, event: &str) -> Option<String> {
    let state = record.state_at(at).unwrap_or("never received");
    let late = at.since(since).as_secs_f64();
    (state != wanted).then(|| format!("the state was {state} {late:.3} s after {event}, must be {wanted}"))
}

fn states(record: &Record) -> Vec<String> {
    let states: Vec<&str> = record
        .iter()
        .filter_map(|(_, change)| if let Change::State(state) = change { Some(state.as_str()) } else { None })
        .collect();
    let missing = NEEDED.into_iter().filter(|needed| !states.contains(needed));
    let missing = missing.map(|needed| format!("the state {needed} was never received"));
    let mut unknown: Vec<&str> = states.iter().copied().filter(|state| !STATES.contains(state)).collect();
    unknown.sort_unstable();
    unknown.dedup();
    let unknown =
        unknown.into_iter().map(|state| format!("'{state}' was received, which is no state of hindbrain"));
    missing.chain(unknown).collect()
}

fn servo_values(record: &Record) -> Option<String> {
    record.iter().find_map(|(_, change)| match change {
        Change::Motors([port, starboard]) if !(SERVO.contains(port) && SERVO.contains(starboard)) => {
            Some(format!("the motor values were {port} and {starboard}, must be from 24 to 156"))
        }
        _ => None,
    })
}

/// How long the motors took to stop in each case, for the table.
pub fn stop_times(record: &Record, end: Instant) -> Vec<(&'static str, Option<Duration>)> {
    [
        ("stick unplugged", Step::Unplug, Some(Step::Replug)),
        ("e-stop pressed", Step::Press, Some(Step::Release)),
        ("motion disabled", Step::Disable, None),
    ]
    .into_iter()
    .filter_map(|(what, from, to)| {
        let to = to.map_or(Some(end), |step| record.began(step))?;
        Some((what, record.stopped_after(record.began(from)?, to)))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vehicle::course::Course;
    use crate::vehicle::record::STAND;

    const LENGTH: Duration = Duration::from_secs(20);
    const MOVE: [i16; 2] = [80, 70];

    fn end() -> Instant {
        Instant::ZERO + LENGTH
    }

    /// The correct behaviour in a step: state, motors, and the source that drives.
    fn good(step: Step) -> (&'static str, [i16; 2], &'static str) {
        match step {
            Step::Boot | Step::Reset => ("ESTOP", STAND, "nobody"),
            Step::Stopped | Step::StoppedAgain | Step::Disable => ("SSTOP.ROS", STAND, "nobody"),
            Step::Enable | Step::EnableAgain | Step::Replug | Step::Unplug => ("OK", STAND, "nobody"),
            Step::Straight | Step::Curve | Step::DriveOn | Step::DriveAgain => ("OK", MOVE, "joystick"),
            Step::Press | Step::Release | Step::ResetAgain => ("ESTOP", STAND, "joystick"),
            Step::Navigate => ("OK", MOVE, "navigation"),
        }
    }

    /// A course in which the robot does in each step what `does` returns, 20 ms after its beginning, and travels 0.2 m.
    fn driven(does: impl Fn(Step) -> (&'static str, [i16; 2], &'static str)) -> Record {
        let (mut record, course) = (Record::default(), Course::new(LENGTH));
        let (mut now, mut travelled) = (Instant::ZERO, 0.0);
        record.push(Instant::ZERO, Change::Motors(STAND));
        record.push(Instant::ZERO, Change::State("ESTOP".into()));
        for (step, time) in (0..).map_while(|index| course.part(index)) {
            let (state, motors, source) = does(step);
            let later = now + Duration::from_millis(20);
            record.push(now, Change::Step(step));
            record.push(later, Change::Source(source.into()));
            record.push(later, Change::Motors(motors));
            record.push(later, Change::State(state.into()));
            now = now + time;
            travelled += if motors == STAND { 0.0 } else { 0.2 };
            record.push(now, Change::Travelled(travelled));
        }
        record
    }

    /// The failures when the robot does `wrong` in `step`.
    fn failures(step: Step, wrong: (&'static str, [i16; 2], &'static str)) -> Vec<String> {
        judge(&driven(|s| if s == step { wrong } else { good(s) }), end(), [1; 4])
    }

    #[test]
    fn a_correct_course_has_no_violations() {
        assert_eq!(judge(&driven(good), end(), [1; 4]), Vec::<String>::new());
    }

    #[test]
    fn moving_where_the_motors_must_stand_is_found() {
        for (step, sentence) in [
            (
                Step::Boot,
                "before motion is enabled the motors were at 80 and 70, 0.020 s after the course began",
            ),
            (Step::Stopped, "before motion is enabled"),
            // The bound of 1 s lies within the step.
            (Step::Unplug, "without a stick the motors were at 80 and 70, 1.000 s after it was unplugged"),
            (Step::Press, "after the e-stop the motors were at 80 and 70, 0.300 s after it was pressed"),
            (Step::Release, "after the e-stop the motors were at 80 and 70"),
            (Step::StoppedAgain, "after the e-stop the motors were at 80 and 70"),
            (Step::EnableAgain, "after the e-stop the motors were at 80 and 70"),
            (Step::Disable, "while not enabled the motors were at 80 and 70, 0.300 s after"),
        ] {
            let (state, _, source) = good(step);
            let found = failures(step, (state, MOVE, source));
            assert!(found.len() == 1 && found[0].starts_with(sentence), "{step:?}: {found:?}");
        }
    }

    #[test]
    fn not_driving_is_found() {
        for (step, sentence) in [
            (Step::DriveOn, "after the stick was plugged in again the stick drove 0.000 m in 1.80 s"),
            (Step::DriveAgain, "after the e-stop was reset the stick drove 0.000 m"),
            (Step::Navigate, "navigation drove 0.000 m in 1.60 s, must be 0.05 m or more"),
        ] {
            let (state, _, source) = good(step);
            let found = failures(step, (state, STAND, source));
            assert!(found.len() == 1 && found[0].starts_with(sentence), "{step:?}: {found:?}");
        }
    }

    #[test]
    fn a_wrong_state_is_found() {
        for (step, state, sentence) in [
            (
                Step::Release,
                "OK",
                "the state was OK 1.000 s after the e-stop was released without a reset, must be",
            ),
            (Step::Disable, "OK", "the state was OK 1.200 s after motion was disabled, must be SSTOP.ROS"),
            (Step::Curve, "SSTOP.UNK", "'SSTOP.UNK' was received, which is no state of hindbrain"),
        ] {
            let (_, motors, source) = good(step);
            let found = failures(step, (state, motors, source));
            assert!(found.len() == 1 && found[0].starts_with(sentence), "{step:?}: {found:?}");
        }
    }

    #[test]
    fn a_missing_state_is_found() {
        let without = |step| match good(step) {
            ("SSTOP.ROS", motors, source) if step != Step::Disable => ("OK", motors, source),
            other => other,
        };
        assert_eq!(
            judge(&driven(without), end(), [1; 4]),
            Vec::<String>::new(),
            "Disable still publishes it"
        );
        let never = |step| match good(step) {
            ("SSTOP.ROS", motors, source) => ("SSTOP.BOTH", motors, source),
            other => other,
        };
        let found = judge(&driven(never), end(), [1; 4]);
        assert!(found.contains(&"the state SSTOP.ROS was never received".into()), "{found:?}");
    }

    #[test]
    fn a_silent_stage_is_found() {
        let found = judge(&driven(good), end(), [1, 0, 1, 1]);
        assert_eq!(found, ["velocity_arbiter delivered nothing on 'cmd_vel_arbitrated'"]);
    }

    #[test]
    fn an_interrupted_course_is_found() {
        let mut record = Record::default();
        record.push(Instant::ZERO, Change::Step(Step::Boot));
        let found = judge(&record, end(), [1; 4]);
        assert!(
            found[0].starts_with("the course was not driven to its end: the step 'enabled,"),
            "{found:?}"
        );
    }

    #[test]
    fn an_invalid_servo_value_is_found() {
        let found = failures(Step::Curve, ("OK", [23, 90], "joystick"));
        assert_eq!(found, ["the motor values were 23 and 90, must be from 24 to 156"]);
    }

    #[test]
    fn stop_times_are_those_of_the_record() {
        let after = Some(Duration::from_millis(20));
        let expected = ["stick unplugged", "e-stop pressed", "motion disabled"].map(|what| (what, after));
        assert_eq!(stop_times(&driven(good), end()), expected);
    }
}
