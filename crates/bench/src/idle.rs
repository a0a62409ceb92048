//! What the nodes cost while nothing moves: time on a processor and wake-ups, beside a bare relay and a bare loop.

use core::fmt;
use std::path::Path;
use std::time::Duration;

use ros::{Error, Stop, clock};

use crate::child::{Activity, Child, Folder};
use crate::table::machine;

/// How long a process runs before it is measured: by then it has discovered the whole graph.
const WARM_UP: Duration = Duration::from_secs(4);
/// How long it is measured.
const WINDOW: Duration = Duration::from_secs(10);
/// The period at which a request to end is noticed.
const CHECK_PERIOD: Duration = Duration::from_millis(100);

/// The parameters of a vehicle with one pad at rest.
const PAD: &str = include_str!("idle.yaml");

/// What is started, and what it may cost.
struct Subject {
    name: &'static str,
    processes: &'static [(&'static str, &'static [&'static str])],
    /// Time on a processor \[% of a core] and wake-ups \[1/s], where there is a goal.
    goal: Option<(f64, Option<f64>)>,
}

const WITH_PAD: &[&str] = &["--ros-args", "--params-file", "PAD"];

const SUBJECTS: &[Subject] = &[
    Subject { name: "bare loop of 50 Hz", processes: &[("bench", &["loop", "50"])], goal: None },
    Subject {
        name: "bare loop of 50 Hz that publishes two values",
        processes: &[("bench", &["loop", "50", "/bench/idle/port", "/bench/idle/starboard"])],
        goal: None,
    },
    Subject {
        name: "bare relay",
        processes: &[("bench", &["relay", "/bench/idle/from", "/bench/idle/to"])],
        goal: None,
    },
    Subject { name: "steersman", processes: &[("steersman", &[])], goal: Some((1.0, Some(120.0))) },
    Subject {
        name: "steersman, a pad at rest",
        processes: &[("steersman", WITH_PAD)],
        goal: Some((1.0, Some(120.0))),
    },
    Subject { name: "joystick", processes: &[("joystick", &[])], goal: Some((0.5, None)) },
    Subject {
        name: "joystick, a pad at rest",
        processes: &[("joystick", WITH_PAD)],
        goal: Some((0.5, None)),
    },
    Subject { name: "velocity_arbiter", processes: &[("velocity_arbiter", &[])], goal: Some((0.2, None)) },
    Subject { name: "zone_scaler", processes: &[("zone_scaler", &[])], goal: Some((0.2, None)) },
    Subject { name: "surround", processes: &[("surround", &[])], goal: Some((0.2, None)) },
    Subject { name: "chair", processes: &[("chair", &[])], goal: Some((0.2, None)) },
    Subject { name: "hindbrain", processes: &[("hindbrain", &[])], goal: Some((0.6, None)) },
    Subject {
        name: "four processes, a pad at rest",
        processes: &[
            ("hindbrain", WITH_PAD),
            ("zone_scaler", WITH_PAD),
            ("velocity_arbiter", WITH_PAD),
            ("joystick", WITH_PAD),
        ],
        goal: None,
    },
];

/// The figures of all subjects, shown as a table in Markdown.
pub struct Report {
    rows: Vec<(&'static Subject, Activity)>,
}

/// Measures one subject after the other, each alone in the graph.
/// # Errors
/// A process does not start, or ends; its output is shown.
pub fn measure(folder: &Folder, stop: &Stop) -> Result<Report, Error> {
    let parameters = folder.put("idle.yaml", PAD)?;
    let mut rows = Vec::new();
    for subject in SUBJECTS {
        eprintln!("bench: idle: {}", subject.name);
        let mut children = Vec::new();
        for (executable, arguments) in subject.processes {
            let arguments: Vec<String> = arguments.iter().map(|word| argument(word, &parameters)).collect();
            children.push(Child::start(executable, &arguments, folder)?);
        }
        let activity = observe(&children, stop).map_err(|why| {
            let outputs: Vec<String> = children.iter().map(Child::output).collect();
            Error::Start(format!("{} could not be measured: {why}\n{}", subject.name, outputs.join("\n")))
        })?;
        rows.push((subject, activity));
    }
    Ok(Report { rows })
}

fn argument(word: &str, parameters: &Path) -> String {
    if word == "PAD" { parameters.to_string_lossy().into_owned() } else { word.to_owned() }
}

/// What `children` do in one second of [`WINDOW`], all together.
fn observe(children: &[Child], stop: &Stop) -> Result<Activity, String> {
    pause(WARM_UP, stop)?;
    let (began, before) = (clock::now(), Activity::of(children)?);
    pause(WINDOW, stop)?;
    let (after, seconds) = (Activity::of(children)?, clock::now().since(began).as_secs_f64());
    Ok(after.since(&before, seconds))
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

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| at rest | CPU [% of a core] | wake-ups [1/s] | threads | goal | reached |\n|---|--:|--:|--:|---|---|"
        )?;
        for (subject, activity) in &self.rows {
            let (cpu, wakeups) = (100.0 * activity.cpu, activity.wakeups);
            let (goal, reached) = match subject.goal {
                None => ("–".to_owned(), "–"),
                Some((most, None)) => (format!("{most} %"), yes(cpu <= most)),
                Some((most, Some(often))) => {
                    (format!("{most} %, {often}/s"), yes(cpu <= most && wakeups <= often))
                }
            };
            let (name, threads) = (subject.name, activity.threads);
            writeln!(f, "| {name} | {cpu:.2} | {wakeups:.0} | {threads} | {goal} | {reached} |")?;
        }
        write!(
            f,
            "\nEach alone in the graph for {} s, after {} s; wake-ups are voluntary context switches of all threads, those of the \
             middleware included. {}",
            WINDOW.as_secs(),
            WARM_UP.as_secs(),
            machine()
        )
    }
}

fn yes(is: bool) -> &'static str {
    if is { "yes" } else { "no" }
}
