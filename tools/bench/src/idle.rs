//! Cost of the nodes while nothing moves: time on a processor and wake-ups, beside a bare relay and bare loops.
//!
//! All are measured in the same time, each in a ROS domain of its own. Together they keep the cores awake, so each costs less than it
//! would alone. The cost of a wake-up differs between machines and runs: compare with the bare processes. Wake-ups are voluntary context
//! switches of all threads, those of the middleware included.
//!
//! The floor of a node is the bare relay, which wakes up 4 times a second as the nodes do, and the bare loop with as many values as the
//! node publishes at rest: one of velocity_arbiter, zone_scaler and surround, two of hindbrain. The floor of steersman is that of its
//! four nodes together. The nodes in steersman, the joystick and hindbrain wake up 10 times a second; the joystick also looks for pads as
//! often.

use std::collections::BTreeSet;
use std::time::Duration;

use isolation::{Isolation, inherited};
use processes::{Activity, Meter};

use crate::stage::{Result, Stage};
use crate::table::{goal, table};

/// How long the processes run before they are measured: by then all of them are at rest.
const WARM_UP: Duration = Duration::from_secs(15);
/// How long they are measured.
const WINDOW: Duration = Duration::from_secs(30);
/// Most wake-ups that a subject may have \[1/s\].
const MAX_WAKEUPS: f64 = 120.0;

/// A process, and the goal of its cost.
struct Subject {
    name: &'static str,
    command: &'static [&'static str],
    goal: Option<Goal>,
}

/// Limit of a subject's cost, and the processes that it is compared with.
struct Goal {
    /// Time on a processor \[% of a core\].
    cpu: f64,
    /// The bare processes whose cost together is its floor.
    floor: &'static [&'static str],
}

const MOTORS: &str = "bare loop of 50 Hz that publishes two values";
const ZERO: &str = "bare loop of 10 Hz that publishes one value";
const RELAY: &str = "bare relay";
/// A node that waits for messages.
const WAITS: Goal = Goal { cpu: 0.2, floor: &[RELAY] };
/// A node that waits for messages and for pads, which come and go.
const WATCHES: Goal = Goal { cpu: 0.5, floor: &[RELAY] };
/// A node that waits for messages, and repeats its zero 10 times a second, so that its followers know that it lives.
const REPEATS: Goal = Goal { cpu: 0.2, floor: &[RELAY, ZERO] };
/// The driver of a vehicle waits for messages, and publishes the values of two motors 50 times a second.
const DRIVES: Goal = Goal { cpu: 0.6, floor: &[RELAY, MOTORS] };
/// One process that does the work of four nodes.
const ALL: Goal = Goal { cpu: 1.0, floor: &[RELAY, RELAY, ZERO, RELAY, ZERO, RELAY, MOTORS] };

/// Parameters of a vehicle with one pad at rest.
const PAD: &str = "idle.yaml";

const SUBJECTS: [Subject; 12] = [
    bare(MOTORS, &["bench", "loop", "50", "/bench/idle/port", "/bench/idle/starboard"]),
    bare(ZERO, &["bench", "loop", "10", "/bench/idle/zero"]),
    bare(RELAY, &["bench", "relay", "/bench/idle/from", "/bench/idle/to"]),
    node("steersman", &["steersman"], ALL),
    node("steersman, a pad at rest", &["steersman", "--ros-args", "--params-file", PAD], ALL),
    node("joystick", &["joystick"], WATCHES),
    node("joystick, a pad at rest", &["joystick", "--ros-args", "--params-file", PAD], WATCHES),
    node("velocity_arbiter", &["velocity_arbiter"], REPEATS),
    node("zone_scaler", &["zone_scaler"], REPEATS),
    node("surround", &["surround"], REPEATS),
    node("chair", &["chair"], WAITS),
    node("hindbrain", &["hindbrain"], DRIVES),
];

const fn bare(name: &'static str, command: &'static [&'static str]) -> Subject {
    Subject { name, command, goal: None }
}

const fn node(name: &'static str, command: &'static [&'static str], goal: Goal) -> Subject {
    Subject { name, command, goal: Some(goal) }
}

/// Measures all subjects in the same time, each in a ROS domain of its own, so the cost of a wake-up is the same for all; returns a
/// table.
/// # Errors
/// A process does not start, or ends.
pub fn measure(stage: &Stage) -> Result<String> {
    stage.put(PAD, include_str!("idle.yaml"))?;
    let domains = Isolation::new(&inherited, std::process::id())?.beside(&inherited, SUBJECTS.len());
    if domains.iter().collect::<BTreeSet<_>>().len() < SUBJECTS.len() {
        return Err("there are too few free ROS domains on this machine".into());
    }
    let mut children = Vec::new();
    for (subject, domain) in SUBJECTS.iter().zip(domains) {
        children.push(stage.start(subject.command, Some(domain))?);
    }
    stage.pause(WARM_UP)?;
    let observe = || -> Result<Vec<Activity>> {
        let meters = children.chunks(1).map(|child| Meter::new(child, None));
        let meters = meters.collect::<std::io::Result<Vec<_>>>()?;
        stage.pause(WINDOW)?;
        Ok(meters.iter().map(Meter::read).collect::<std::io::Result<_>>()?)
    };
    let activities = stage.explained("the nodes at rest", &children, observe())?;
    let (window, warm_up) = (WINDOW.as_secs(), WARM_UP.as_secs());
    Ok(format!("{}\nFor {window} s after {warm_up} s.\n", table(HEADER, rows(&activities))))
}

const HEADER: &str = "| at rest | CPU [% of a core] | CPU goal | wake-ups [1/s] | wake-ups goal | threads | CPU to its floor \
                      | wake-ups to its floor |";

fn rows(activities: &[Activity]) -> Vec<String> {
    let named = SUBJECTS.iter().zip(activities);
    let of =
        |name: &str| named.clone().find(|(subject, _)| subject.name == name).map(|(_, activity)| activity);
    let row = |(subject, activity): (&Subject, &Activity)| {
        let (name, percent) = (subject.name, 100.0 * activity.cpu);
        let &Activity { cpu, wakeups, threads, .. } = activity;
        let Some(limit) = &subject.goal else {
            return format!("| {name} | {percent:.2} | – | {wakeups:.0} | – | {threads} | – | – |");
        };
        let floor = limit.floor.iter().filter_map(|name| of(name));
        let floor_cpu: f64 = floor.clone().map(|bare| bare.cpu).sum();
        let floor_wakeups: f64 = floor.map(|bare| bare.wakeups).sum();
        format!(
            "| {name} | {percent:.2} | {} | {wakeups:.0} | {} | {threads} | {:.2} | {:.2} |",
            goal(percent, limit.cpu),
            goal(wakeups, MAX_WAKEUPS),
            cpu / floor_cpu,
            wakeups / floor_wakeups
        )
    };
    named.clone().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_is_the_sum_of_the_bare_processes() {
        let activity = |subject: &Subject| Activity {
            cpu: if subject.goal.is_some() { 0.003 } else { 0.001 },
            wakeups: if subject.name == RELAY { 4.0 } else { 20.0 },
            threads: 7,
            memory: 30.0,
        };
        let rows = rows(&SUBJECTS.iter().map(activity).collect::<Vec<_>>());
        assert!(rows.contains(&"| bare relay | 0.10 | – | 4 | – | 7 | – | – |".into()), "{rows:?}");
        // 0.3 % to 0.1 + 0.1, 20 wake-ups to 4 + 20
        let expected = "| zone_scaler | 0.30 | 0.2 not reached | 20 | 120 reached | 7 | 1.50 | 0.83 |";
        assert!(rows.contains(&expected.into()), "{rows:?}");
        // four relays, two zeros and one loop of the motors
        assert!(
            rows[3].starts_with("| steersman | 0.30 | 1 reached |") && rows[3].ends_with("| 0.43 | 0.26 |")
        );
    }
}
