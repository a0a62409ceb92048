use crate::hand::machine::{Operator, Pilot};
use crate::verdict;
use crate::widgets::number;

/// A line of progress.
pub fn line(operator: &Operator) -> String {
    let forces = operator.observed().forces();
    let touched = forces.iter().filter(|(_, force)| *force > 0.0).count();
    let sum: f32 = forces.iter().map(|(_, force)| force).sum();
    let state = operator.observed().state.as_deref().unwrap_or("-");
    let ball = if operator.has_ball() { "ball there" } else { "ball away" };
    let text = match (operator.pilot(), operator.episode()) {
        (Pilot::Script(_), Some(episode)) => episode.act.text(),
        _ => String::new(),
    };
    format!("{state:<9} {ball:<10} {touched:>2} contacts {:>5} N  {text}", number(sum.into(), 1))
}

/// The results of the script.
pub fn table(operator: &Operator) -> Vec<String> {
    let mut lines = vec![String::new()];
    lines.extend(verdict::table(operator.outcomes()));
    lines.push(String::new());
    lines.push(format!("{:<18}{:>14}", "contact", "strongest [N]"));
    let observed = operator.observed();
    let names = observed.names.iter().flat_map(|names| &names.contacts);
    for (name, force) in names.zip(observed.strongest).filter(|(_, force)| *force > 0.0) {
        lines.push(format!("{name:<18}{:>14}", number(force.into(), 2)));
    }
    lines.push(String::new());
    lines
}

/// The steps whose outcome is not the expected one, one sentence each.
pub fn failures(operator: &Operator) -> Vec<String> {
    verdict::failures(operator.outcomes(), operator.script().count())
}
