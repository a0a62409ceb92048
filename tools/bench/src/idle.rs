//! Cost of the nodes while nothing moves: time on a processor and wake-ups, beside a bare relay and a bare loop.
//!
//! All are measured in the same time, each in a ROS domain of its own. Together they keep the cores awake, so each costs less than it
//! would alone. The cost of a wake-up differs between machines and runs: compare with the bare processes. Wake-ups are voluntary context
//! switches of all threads, those of the middleware included.
//!
//! The floor of a node is the bare relay, which wakes up 4 times a second as the nodes do, and the bare loop with as many values as the
//! node publishes at rest: one of velocity_arbiter, zone_scaler and surround, two of hindbrain. The floor of steersman is that of its
//! four nodes together. The nodes in steersman, the joystick and hindbrain wake up 10 times a second; the joystick also looks for pads as
//! often.

use core::fmt;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use isolation::{Isolation, inherited};
use processes::{Activity, Folder, Meter, Process};
use ros::{Error, Stop, clock};

use crate::child;
use crate::table::machine;

/// How long the processes run before they are measured: by then all of them are at rest.
const WARM_UP: Duration = Duration::from_secs(15);
/// How long they are measured.
const WINDOW: Duration = Duration::from_secs(30);
/// The period at which a request to end is noticed.
const CHECK_PERIOD: Duration = Duration::from_millis(100);

/// The parameters of a vehicle with one pad at rest.
const PAD: &str = include_str!("idle.yaml");

/// Processes that are started together, and the goal of their cost.
struct Subject {
    name: &'static str,
    processes: &'static [(&'static str, &'static [&'static str])],
    /// Limit of their cost, where there is a goal.
    goal: Option<Goal>,
}

/// Limit of a subject's cost, and the processes that it is compared with.
struct Goal {
    /// Time on a processor \[% of a core\].
    cpu: f64,
    /// The bare processes whose cost together is its floor.
    floor: &'static [&'static str],
}

/// Most wake-ups that a subject may have \[1/s\].
const MAX_WAKEUPS: f64 = 120.0;

const MOTORS: &str = "bare loop of 50 Hz that publishes two values";
const ZERO: &str = "bare loop of 10 Hz that publishes one value";
const RELAY: &str = "bare relay";
/// A node that waits for messages.
const WAITS: Option<Goal> = Some(Goal { cpu: 0.2, floor: &[RELAY] });
/// A node that waits for messages and for pads, which come and go.
const WATCHES: Option<Goal> = Some(Goal { cpu: 0.5, floor: &[RELAY] });
/// A node that waits for messages, and repeats its zero 10 times a second, so that its followers know that it lives.
const REPEATS: Option<Goal> = Some(Goal { cpu: 0.2, floor: &[RELAY, ZERO] });
/// The driver of a vehicle waits for messages, and publishes the values of two motors 50 times a second.
const DRIVES: Option<Goal> = Some(Goal { cpu: 0.6, floor: &[RELAY, MOTORS] });
/// One process that does the work of four nodes.
const ALL: Option<Goal> = Some(Goal { cpu: 1.0, floor: &[RELAY, RELAY, ZERO, RELAY, ZERO, RELAY, MOTORS] });

const WITH_PAD: &[&str] = &["--ros-args", "--params-file", "PAD"];

const SUBJECTS: &[Subject] = &[
    Subject {
        name: MOTORS,
        processes: &[("bench", &["loop", "50", "/bench/idle/port", "/bench/idle/starboard"])],
        goal: None,
    },
    Subject { name: ZERO, processes: &[("bench", &["loop", "10", "/bench/idle/zero"])], goal: None },
    Subject {
        name: RELAY,
        processes: &[("bench", &["relay", "/bench/idle/from", "/bench/idle/to"])],
        goal: None,
    },
    Subject { name: "steersman", processes: &[("steersman", &[])], goal: ALL },
    Subject { name: "steersman, a pad at rest", processes: &[("steersman", WITH_PAD)], goal: ALL },
    Subject { name: "joystick", processes: &[("joystick", &[])], goal: WATCHES },
    Subject { name: "joystick, a pad at rest", processes: &[("joystick", WITH_PAD)], goal: WATCHES },
    Subject { name: "velocity_arbiter", processes: &[("velocity_arbiter", &[])], goal: REPEATS },
    Subject { name: "zone_scaler", processes: &[("zone_scaler", &[])], goal: REPEATS },
    Subject { name: "surround", processes: &[("surround", &[])], goal: REPEATS },
    Subject { name: "chair", processes: &[("chair", &[])], goal: WAITS },
    Subject { name: "hindbrain", processes: &[("hindbrain", &[])], goal: DRIVES },
];

/// The figures of all subjects, shown as a table in Markdown.
pub struct Report {
    rows: Vec<(&'static Subject, Activity)>,
}

/// Measures all subjects in the same time, each in a ROS domain of its own, so what a wake-up costs is the same for all.
/// # Errors
/// A process does not start, or ends; its output is shown.
pub fn measure(folder: &Folder, stop: &Stop) -> Result<Report, Error> {
    let parameters = folder.put("idle.yaml", PAD).map_err(child::failed)?;
    let refused = |error: isolation::Refused| Error::Start(error.to_string());
    let own = Isolation::new(&inherited, std::process::id()).map_err(refused)?;
    let domains = own.beside(&inherited, SUBJECTS.len());
    if domains.len() < SUBJECTS.len() || domains.iter().collect::<BTreeSet<_>>().len() < domains.len() {
        return Err(Error::Start("there are too few free ROS domains on this machine".into()));
    }
    let mut all = Vec::new();
    for (subject, domain) in SUBJECTS.iter().zip(domains) {
        let children = subject.processes.iter().map(|(executable, arguments)| {
            let arguments: Vec<String> = arguments.iter().map(|word| argument(word, &parameters)).collect();
            Process::start(executable, arguments, Some(domain), folder).map_err(child::failed)
        });
        all.push((subject, children.collect::<Result<Vec<_>, _>>()?));
    }
    pause(WARM_UP, stop).map_err(Error::Start)?;
    let mut meters = Vec::new();
    for (subject, children) in &all {
        meters.push(Meter::new(children, None).map_err(|why| failed(subject, children, &why))?);
    }
    pause(WINDOW, stop).map_err(Error::Start)?;
    let rows = all.iter().zip(meters).map(|((subject, children), meter)| {
        Ok((*subject, meter.read().map_err(|why| failed(subject, children, &why))?))
    });
    Ok(Report { rows: rows.collect::<Result<_, Error>>()? })
}

fn failed(subject: &Subject, children: &[Process], why: &std::io::Error) -> Error {
    let outputs: Vec<String> = children.iter().map(Process::output).collect();
    Error::Start(format!("{} could not be measured: {why}\n{}", subject.name, outputs.join("\n")))
}

fn argument(word: &str, parameters: &Path) -> String {
    if word == "PAD" { parameters.to_string_lossy().into_owned() } else { word.to_owned() }
}

#[allow(clippy::disallowed_methods)] // who measures does nothing else
/// Waits.
/// # Errors
/// `stop` is set.
pub fn pause(time: Duration, stop: &Stop) -> Result<(), String> {
    let end = clock::now() + time;
    while clock::now() < end {
        if stop.is_set() {
            return Err("interrupted".into());
        }
        std::thread::sleep(end.since(clock::now()).min(CHECK_PERIOD));
    }
    Ok(())
}

impl Report {
    /// Sum over the bare processes of `floor`: time on a processor and wake-ups.
    fn floor(&self, floor: &[&str]) -> (f64, f64) {
        let of = |name: &&str| self.rows.iter().find(|(subject, _)| subject.name == *name);
        let floors = floor.iter().filter_map(of);
        floors.fold((0.0, 0.0), |(cpu, wakeups), (_, bare)| (cpu + bare.cpu, wakeups + bare.wakeups))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| at rest | CPU [% of a core] | CPU goal | wake-ups [1/s] | wake-ups goal | threads | CPU to its floor | wake-ups to its floor |\n\
             |---|--:|---|--:|---|--:|--:|--:|"
        )?;
        for (subject, Activity { cpu, wakeups, threads, .. }) in &self.rows {
            let (name, percent) = (subject.name, 100.0 * cpu);
            let Some(Goal { cpu: most, floor }) = &subject.goal else {
                writeln!(f, "| {name} | {percent:.2} | – | {wakeups:.0} | – | {threads} | – | – |")?;
                continue;
            };
            let (bare_cpu, bare_wakeups) = self.floor(floor);
            let (cpu_ratio, wakeup_ratio) = (cpu / bare_cpu, wakeups / bare_wakeups);
            let goals = [(percent, *most), (*wakeups, MAX_WAKEUPS)].map(|(value, most)| {
                format!("{most} {}", if value <= most { "reached" } else { "not reached" })
            });
            let [cpu_goal, wakeup_goal] = goals;
            writeln!(
                f,
                "| {name} | {percent:.2} | {cpu_goal} | {wakeups:.0} | {wakeup_goal} | {threads} | {cpu_ratio:.2} | {wakeup_ratio:.2} |"
            )?;
        }
        write!(f, "\nFor {} s after {} s. {}", WINDOW.as_secs(), WARM_UP.as_secs(), machine())
    }
}
