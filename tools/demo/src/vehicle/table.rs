use ros::Quantiles;
use safety::Instant;

use crate::error::Error;
use crate::print;
use crate::vehicle::checks;
use crate::vehicle::course::Step;
use crate::vehicle::machine::{Operator, Pilot};
use crate::vehicle::stages::Stage;

/// A line of progress.
pub fn line(operator: &Operator) -> String {
    let observed = &operator.observed;
    let [port, starboard] = observed.motors();
    let (state, source) =
        (observed.state.as_deref().unwrap_or("-"), observed.source.as_deref().unwrap_or("-"));
    let text = operator.step().map_or("", Step::text);
    format!("{state:<10} {source:<11} port {port:>3}  starboard {starboard:>3}  {text}")
}

/// Prints the results of the course, and judges it.
/// # Errors
/// A check failed.
pub fn finish(operator: &Operator) -> Result<(), Error> {
    let Pilot::Finished(end) = operator.pilot else { return Err(Error::Interrupted) };
    table(operator, end).iter().for_each(print);
    let messages = Stage::ALL.map(|stage| operator.traffic(stage).messages);
    let failures = checks::judge(&operator.record, end, messages);
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
    for (what, stood) in checks::stop_times(&operator.record, end) {
        lines.push(match stood {
            Some(time) => format!("{what}: motors at stop after {:.1} ms", time.as_secs_f64() * 1e3),
            None => format!("{what}: motors not at stop"),
        });
    }
    lines.push(format!("travelled {:.2} m", operator.observed.travelled));
    lines
}
