//! The figures in the README: the transitions, written with `UPDATE_README=1`, and the size of the walk.

use std::fmt::Write;

use crate::Walked;
use crate::coverage::Seen;

/// More states than any model of the regular test run has.
pub const SMALL: usize = 60_000;
/// A walk of a single part ends after this many states.
pub const MOST: usize = 1_000_000;
/// The parts with more states, with the real times alone or with the seed's slow slope; of every other part every state is walked.
pub const LARGER: &[&str] = &["[Stamps]", "[Clock]", "[IrStamps]", "[Conflicts]", "seed [Wheels]"];
/// With longer times two parts may have more states than can be walked in a night: such a walk ends here and is listed.
pub const PART: usize = 20_000;
/// With the real times the recovery is tested from one in this many states.
pub const EVERY: u64 = 50;

/// The models that were not walked to their end.
pub fn cut(walked: &[Walked]) -> Vec<String> {
    let cut = walked.iter().filter(|walked| walked.walk.cut);
    cut.map(|walked| format!("{:?} {}", walked.model.scale, walked.model.name)).collect()
}

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");

/// The README's sentence on the size of the walk.
const SIZE: &str = "some two million states, by tens of millions of steps";

/// Compares the README with the walk, or writes it.
pub fn check(all: &[Seen; 2], walked: &[Vec<Walked>; 2]) {
    let written = std::fs::read_to_string(README).unwrap();
    let expected = with_section(&written, "transitions", &transitions(all));
    if std::env::var("UPDATE_README").is_ok() {
        std::fs::write(README, &expected).unwrap();
    } else {
        assert!(written == expected, "README.md differs from the walk: run it with UPDATE_README=1");
    }
    let walks = || walked.iter().flatten().map(|walked| &walked.walk);
    assert!(walks().all(|walk| !walk.cut), "a model is larger than {SMALL} states");
    let [states, steps] =
        [walks().map(|walk| walk.states).sum(), walks().map(|walk| walk.edges).sum::<usize>()];
    println!("{states} states, {steps} steps");
    let is_so = (1_500_000..2_500_000).contains(&states) && (10_000_000..100_000_000).contains(&steps);
    assert!(is_so && expected.contains(SIZE), "README.md must say: {states} states, {steps} steps");
}

fn with_section(text: &str, name: &str, content: &str) -> String {
    let start = format!("<!-- generated: {name} -->\n");
    let (before, rest) = text.split_once(&start).unwrap_or_else(|| panic!("README.md has no '{name}'"));
    let (_, after) = rest.split_once("<!-- end -->").expect("an end");
    format!("{before}{start}\n{content}\n<!-- end -->{after}")
}

/// The transitions, with the most severe cause of each state that was entered.
fn transitions(all: &[Seen; 2]) -> String {
    let mut text = "| to | from | most severe cause there |\n|---|---|---|\n".to_owned();
    for to in ["ESTOP", "FAULT", "BOTH", "ROS", "IR", "OK"] {
        let (mut froms, mut causes) = (Vec::new(), Vec::new());
        for ((from, _), worst) in
            all.iter().flat_map(|seen| &seen.transitions).filter(|((_, end), _)| *end == to)
        {
            froms.push(*from);
            causes.extend(worst.keys().copied());
        }
        froms.sort_unstable();
        froms.dedup();
        causes.sort_unstable_by(|a, b| b.cmp(a));
        causes.dedup();
        let causes: Vec<_> = causes.iter().map(|cause| format!("`{}`", cause.code())).collect();
        let causes = if to == "OK" { "none that stops".to_owned() } else { causes.join(" ") };
        writeln!(text, "| {to} | {} | {causes} |", froms.join(" ")).unwrap();
    }
    text
}

/// One line for each model, and the sums.
pub fn size_table(walked: &[Walked]) -> String {
    let mut text = "| model | scale | states | edges | seconds | |\n|---|---|--:|--:|--:|---|\n".to_owned();
    let mut sums = (0, 0, 0, 0.0);
    for Walked { model, walk, seconds, .. } in walked {
        let cut = if walk.cut { "not all" } else { "" };
        let (states, edges) = (thousands(walk.states), thousands(walk.edges));
        writeln!(text, "| {} | {:?} | {states} | {edges} | {seconds:.1} | {cut} |", model.name, model.scale)
            .unwrap();
        sums = (sums.0 + walk.states, sums.1 + walk.edges, sums.2 + usize::from(walk.cut), sums.3 + seconds);
    }
    let (states, edges) = (thousands(sums.0), thousands(sums.1));
    writeln!(text, "| in all {} | | {states} | {edges} | {:.0} | {} not all |", walked.len(), sums.3, sums.2)
        .unwrap();
    text
}

fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
