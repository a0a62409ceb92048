use std::time::Duration;

use ros::{Quantiles, Shell, Stop, clock};
use units::Instant;

use crate::checks;
use crate::children::Children;
use crate::error::Error;
use crate::machine::{Operator, Pilot};
use crate::print;
use crate::stages::Stage;

/// How long the nodes may take to publish.
const START_TIME: Duration = Duration::from_secs(20);
/// How often to check the nodes and the course.
const POLL_PERIOD: Duration = Duration::from_millis(50);
/// How often to print the progress.
const PROGRESS: Duration = Duration::from_secs(1);

/// Runs the course to its end, prints the progress, and then the table.
/// # Errors
/// A node ended or published nothing, the user interrupted, or a check failed.
pub fn run(shell: &Shell<Operator>, children: &mut Children, stop: &Stop) -> Result<(), Error> {
    let started = clock::now();
    let mut progress_due = started;
    print(format_args!("the nodes are starting; their logs are in {}", children.folder().display()));
    loop {
        if stop.is_set() {
            return Err(Error::Interrupted);
        }
        if let Some(error) = children.ended() {
            return Err(error);
        }
        let now = clock::now();
        match shell.inspect(Operator::pilot) {
            Pilot::Finished(end) => return shell.inspect(|operator| finish(operator, end)),
            Pilot::Starting if now >= started + START_TIME => {
                let topics = shell.inspect(Operator::missing);
                return Err(Error::NoMessage { topics, seconds: START_TIME.as_secs() });
            }
            Pilot::Course(leg) if now >= progress_due => {
                progress_due = now + PROGRESS;
                print(format_args!("{:5.1} s  {}", now.since(leg.began).as_secs_f64(), shell.inspect(line)));
            }
            _ => {}
        }
        std::thread::park_timeout(POLL_PERIOD);
    }
}

/// A line of progress.
fn line(operator: &Operator) -> String {
    let observed = operator.observed();
    let [port, starboard] = observed.motors();
    let (state, source) =
        (observed.state.as_deref().unwrap_or("-"), observed.source.as_deref().unwrap_or("-"));
    let text = match operator.pilot() {
        Pilot::Course(leg) => leg.step.text(),
        _ => "",
    };
    format!("{state:<10} {source:<11} port {port:>3}  starboard {starboard:>3}  {text}")
}

fn finish(operator: &Operator, end: Instant) -> Result<(), Error> {
    table(operator, end).iter().for_each(print);
    let messages = Stage::ALL.map(|stage| operator.traffic(stage).messages);
    let failures = checks::judge(operator.record(), end, messages);
    if failures.is_empty() { Ok(()) } else { Err(Error::Failed(failures)) }
}

/// The results of the course.
fn table(operator: &Operator, end: Instant) -> Vec<String> {
    let mut lines = vec![
        String::new(),
        format!(
            "{:<17}{:>9}{:>10}{:>10}{:>10}{:>10}  {}",
            "stage", "messages", "rate [Hz]", "p50 [us]", "p99 [us]", "max [us]", "seen"
        ),
    ];
    for stage in Stage::ALL {
        let traffic = operator.traffic(stage);
        let quantiles = traffic.latency.quantiles();
        let number = |value: Option<f64>| value.map_or_else(|| "-".into(), |value| format!("{value:.0}"));
        let part = |part: fn(&Quantiles) -> f64| number(quantiles.as_ref().map(part));
        let states: Vec<&str> = traffic.states.iter().map(String::as_str).collect();
        lines.push(format!(
            "{:<17}{:>9}{:>10}{:>10}{:>10}{:>10}  {}",
            stage.name(),
            traffic.messages,
            number(traffic.rate()),
            part(|q| q.p50),
            part(|q| q.p99),
            part(|q| q.max),
            states.join(", ")
        ));
    }
    lines.push(
        "Rate and latency are those while the stick drives, from the stick's event to the receipt here."
            .into(),
    );
    lines.push(String::new());
    for (what, stood) in checks::stop_times(operator.record(), end) {
        lines.push(match stood {
            Some(time) => format!("{what}: motors at stop after {:.1} ms", time.as_secs_f64() * 1e3),
            None => format!("{what}: motors not at stop"),
        });
    }
    lines.push(format!("travelled {:.2} m", operator.observed().travelled));
    lines
}
