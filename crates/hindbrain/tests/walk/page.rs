//! The parts of the README that are generated.

use std::collections::BTreeSet;
use std::fmt::Write;

use hindbrain::core::Rule;

use crate::figures::Row;
use crate::invariants::INVARIANTS;
use crate::walker::{Found, LAPSES, Model};

/// The invariants of more than one step, which the walk itself finds.
const OF_THE_WALK: [(&str, &str); 3] = [
    ("I12", "the step is total: with overflow checks on, no state, input or parameters make it panic"),
    ("I13", "there is a way to full speed, forward and back: it is not safe by never moving"),
    ("I14", "silence ends motion from every state: command time-out, braking from full, two ticks"),
];

/// The text between two markers, or what is wrong with them.
fn between<'a>(page: &'a str, name: &str) -> Result<(usize, &'a str), String> {
    let (start, end) = (format!("<!-- generated: {name} -->\n"), "<!-- end -->");
    let from = page.find(&start).ok_or(format!("the README has no {start}"))? + start.len();
    let to = page[from..].find(end).ok_or(format!("'{name}' has no end in the README"))?;
    Ok((from, &page[from..from + to]))
}

/// `page` with `text` in the place of this name.
///
/// # Errors
/// Without such a place.
pub fn with(page: &str, name: &str, text: &str) -> Result<String, String> {
    let (from, old) = between(page, name)?;
    Ok([&page[..from], "\n", text, "\n", &page[from + old.len()..]].concat())
}

/// All places and what belongs there.
pub fn places(walks: &[(Model, Found)], rows: &[Row]) -> Vec<(&'static str, String)> {
    vec![
        ("states of strict", diagram(walks, "strict", &["ROS : no e-stop", "ESTOP : e-stop required"])),
        ("states of seed", diagram(walks, "seed", &["ROS : no e-stop", "ESTOP : e-stop required"])),
        ("transitions", transitions()),
        ("invariants", invariants()),
        ("small scale", figures(rows)),
    ]
}

/// A name that mermaid takes.
fn id(state: &str) -> &str {
    state.strip_prefix("SSTOP.").unwrap_or(state)
}

fn diagram(walks: &[(Model, Found)], profile: &str, starts: &[&str]) -> String {
    let of_profile = walks.iter().filter(|(model, _)| model.name.starts_with(profile));
    let moves: BTreeSet<_> = of_profile.flat_map(|(_, found)| found.moves()).collect();
    let ways: BTreeSet<(&str, &str)> = moves.iter().map(|&(from, _, to)| (from, to)).collect();
    let mut text = String::from("```mermaid\nstateDiagram-v2\n");
    let states: BTreeSet<&str> = ways.iter().flat_map(|&(from, to)| [from, to]).collect();
    for state in states.into_iter().filter(|state| id(state) != *state) {
        let _ = writeln!(text, "    state \"{state}\" as {}", id(state));
    }
    for start in starts {
        let _ = writeln!(text, "    [*] --> {start}");
    }
    for (from, to) in ways {
        let by: Vec<String> = moves
            .iter()
            .filter(|&&(f, _, t)| (f, t) == (from, to))
            .map(|(_, rule, _)| rule.to_string())
            .collect();
        let _ = writeln!(text, "    {} --> {} : {}", id(from), id(to), by.join(", "));
    }
    text + "```\n"
}

fn transitions() -> String {
    let mut text = String::from("| rule | from | when | to | effect |\n|---|---|---|---|---|\n");
    for rule in Rule::ALL {
        let _ = writeln!(text, "| {rule} | {} |", rule.row().join(" | "));
    }
    text
}

fn invariants() -> String {
    let mut text = String::from("| | holds on every edge |\n|---|---|\n");
    let single = INVARIANTS.iter().map(|invariant| (invariant.name, invariant.text));
    let (numbered, of_the_witness): (Vec<_>, Vec<_>) = single.partition(|(name, _)| name.starts_with('I'));
    for (name, sentence) in numbered.into_iter().chain(OF_THE_WALK).chain(of_the_witness).chain([LAPSES]) {
        let _ = writeln!(text, "| {name} | {sentence} |");
    }
    text
}

fn figures(rows: &[Row]) -> String {
    let mut text = String::from("| model | what | states | edges |\n|---|---|--:|--:|\n");
    for Row { name, text: what, states, edges, .. } in rows {
        let _ = writeln!(text, "| {name} | {what} | {} | {} |", grouped(*states), grouped(*edges));
    }
    let (states, edges) = rows.iter().fold((0, 0), |sum, row| (sum.0 + row.states, sum.1 + row.edges));
    let _ = writeln!(text, "| in all | | {} | {} |", grouped(states), grouped(edges));
    text
}

/// 1234567 as 1,234,567.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
