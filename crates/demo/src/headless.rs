use std::time::Duration;

use ros::{Quantiles, Shell, Stop, clock};
use units::Instant;

use crate::checks;
use crate::children::Children;
use crate::machine::{Operator, Pilot};
use crate::say;
use crate::stages::Stage;
use crate::trouble::Trouble;

/// How long the nodes may take to speak.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often to look.
const LOOK: Duration = Duration::from_millis(50);
/// How often to print how it goes.
const PROGRESS: Duration = Duration::from_secs(1);

/// Watches the course to its end, printing how it goes, and then the table.
/// # Errors
/// A node ended or never spoke, somebody interrupted, or a check failed.
pub fn run(shell: &Shell<Operator>, children: &mut Children, stop: &Stop) -> Result<(), Trouble> {
    let started = clock::now();
    let mut progress_due = started;
    say(format_args!("the nodes are starting; their logs are in {}", children.folder().display()));
    loop {
        if stop.is_set() {
            return Err(Trouble::Interrupted);
        }
        if let Some(trouble) = children.fallen() {
            return Err(trouble);
        }
        let now = clock::now();
        match shell.inspect(Operator::pilot) {
            Pilot::Finished(end) => return shell.inspect(|operator| finish(operator, end)),
            Pilot::Starting if now >= started + PATIENCE => {
                let topics = shell.inspect(Operator::missing);
                return Err(Trouble::Silent { topics, seconds: PATIENCE.as_secs() });
            }
            Pilot::Course(leg) if now >= progress_due => {
                progress_due = now + PROGRESS;
                say(format_args!("{:5.1} s  {}", now.since(leg.began).as_secs_f64(), shell.inspect(line)));
            }
            _ => {}
        }
        std::thread::park_timeout(LOOK);
    }
}

/// How it goes.
fn line(operator: &Operator) -> String {
    let seen = operator.seen();
    let [port, starboard] = seen.motors();
    let (state, source) = (seen.state.as_deref().unwrap_or("-"), seen.source.as_deref().unwrap_or("-"));
    let text = match operator.pilot() {
        Pilot::Course(leg) => leg.step.text(),
        _ => "",
    };
    format!("{state:<10} {source:<11} port {port:>3}  starboard {starboard:>3}  {text}")
}

fn finish(operator: &Operator, end: Instant) -> Result<(), Trouble> {
    table(operator, end).iter().for_each(say);
    let messages = Stage::ALL.map(|stage| operator.traffic(stage).messages);
    let failures = checks::judge(operator.record(), end, messages);
    if failures.is_empty() { Ok(()) } else { Err(Trouble::Failed(failures)) }
}

/// What the course came to.
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
    lines.push(format!("travelled {:.2} m", operator.seen().travelled));
    lines
}
