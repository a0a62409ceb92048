//! What a step of the arbiter costs, and the way of a stick event to the motor value inside the crate `drive_chain`: in time beside the
//! least that has to be done, in instructions, and in allocations.
//!
//! A step of the arbiter is a command and all that comes of it; each sample is the mean of many. A stick event is a reading of the clock,
//! a moved axis and the end of the batch, on a moving robot with default parameters and no obstacles; each is timed alone, the clock's own
//! time included. The floor is measured in turns with it. Of the arbiter: the age of each source and lock compared, the command into a
//! queue and out of it, with limits each axis brought a bounded step nearer. Of a stick event: four ages compared, the count made a
//! velocity, its direction, two limits, a queue, the values of two motors. Allocations are those of one step on its thread, instructions
//! those of one step as callgrind counts them.

mod arbiters;
mod case;
mod floor;
mod instructions;
mod stick;

use core::fmt;
use std::time::Duration;

use ros::{Error, Stop, clock};

use self::case::{CASES, Case, Work};
use crate::distribution::Distribution;
use crate::table::machine;

pub use self::instructions::run as run_steps;

/// The figures; shown as a table in Markdown.
pub struct Report {
    rows: Vec<Row>,
    /// Two readings of the clock with nothing between.
    clock: Duration,
}

struct Row {
    case: &'static Case,
    cost: Distribution,
    floor: Distribution,
    /// Of all steps together.
    allocations: usize,
    /// Of one step, or why it is not known.
    instructions: Result<f64, String>,
}

/// Measures all of it on this thread, and the instructions in processes of their own.
/// # Errors
/// Parameters are refused, the work does not do what is to be measured, or `stop` is set.
pub fn measure(stop: &Stop) -> Result<Report, Error> {
    let empty = Distribution::new((0..2000).map(|_| timed(|| ())).collect());
    let clock = empty.map_or(Duration::ZERO, |times| times.quantile(0.5));
    let mut rows = Vec::new();
    for (index, case) in CASES.iter().enumerate() {
        eprintln!("bench: {}", case.what);
        let mut work = (case.work)()?;
        let Some((cost, floor, allocations)) = take_times(case, work.as_mut()) else { continue };
        work.check()?;
        let instructions = instructions::of(index);
        if stop.is_set() {
            return Err(Error::Start("interrupted".into()));
        }
        rows.push(Row { case, cost, floor, allocations, instructions });
    }
    Ok(Report { rows, clock })
}

/// The times of the work and of its floor, taken in turns, and how often the work allocated.
fn take_times(case: &Case, work: &mut dyn Work) -> Option<(Distribution, Distribution, usize)> {
    let (mut costs, mut floors) = (Vec::with_capacity(case.samples), Vec::with_capacity(case.samples));
    let mut allocated = 0;
    // A tenth more: the first ones, which allocate buffers, do not count.
    for number in 0..case.samples + case.samples / 10 {
        work.before();
        let before = allocations::count();
        let cost = timed(|| (0..case.of).for_each(|_| work.once()));
        let after = allocations::count();
        work.after();
        let floor = timed(|| (0..case.of).for_each(|_| work.floor()));
        if number >= case.samples / 10 {
            costs.push(cost);
            floors.push(floor);
            allocated += after - before;
        }
    }
    Some((Distribution::new(costs)?, Distribution::new(floors)?, allocated))
}

fn timed(run: impl FnOnce()) -> Duration {
    let start = clock::now();
    run();
    clock::now().since(start)
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = |time: Duration| time.as_secs_f64() * 1e9 / f64::from(self.case.of);
        let [p50, p99, max] = [0.5, 0.99, 1.0].map(|share| nanos(self.cost.quantile(share)));
        let floor = nanos(self.floor.quantile(0.5));
        let (goal, within) = match self.case.goal {
            None => ("–".into(), "–".into()),
            Some(goal) => {
                let within = format!("{} of {}", self.cost.within(goal), self.cost.count());
                (goal.as_nanos().to_string(), within)
            }
        };
        let allocations = match self.allocations {
            0 => "0".into(),
            some => format!("{:.3}", some as f64 / (self.cost.count() as f64 * f64::from(self.case.of))),
        };
        let instructions =
            self.instructions.as_ref().map_or_else(|_| "–".into(), |count| format!("{count:.0}"));
        writeln!(
            f,
            "| {} | {p50:.0} | {p99:.0} | {max:.0} | {floor:.0} | {:.1} | {goal} | {within} | {allocations} \
             | {instructions} |",
            self.case.what,
            p50 / floor
        )
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| what | p50 [ns] | p99 [ns] | max [ns] | floor, p50 [ns] | p50 to floor | goal [ns] | within | allocations \
             | instructions |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|---|---|---|")?;
        self.rows.iter().try_for_each(|row| write!(f, "{row}"))?;
        write!(f, "\nTwo readings of the clock take {} ns. ", self.clock.as_nanos())?;
        if let Some(why) = self.rows.iter().find_map(|row| row.instructions.as_ref().err()) {
            write!(f, "Instructions were not all counted: {why}. ")?;
        }
        f.write_str(&machine())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(allocations: usize, instructions: Result<f64, String>) -> Row {
        let times = |nanos: [u64; 4]| Distribution::new(nanos.map(Duration::from_nanos).to_vec()).unwrap();
        // The stick event to its motor value: timed alone, to be within 5000 ns.
        let case = CASES.iter().find(|case| case.goal.is_some()).unwrap();
        Row { case, cost: times([1000, 2000, 3000, 6000]), floor: times([100; 4]), allocations, instructions }
    }

    #[test]
    fn a_row_tells_how_many_were_within_the_goal() {
        let text = row(0, Ok(1234.4)).to_string();
        assert!(text.contains("| 2000 | 6000 | 6000 | 100 | 20.0 | 5000 | 3 of 4 | 0 | 1234 |"), "{text}");
        // 2 allocations in 4 events
        assert!(row(2, Ok(1.0)).to_string().contains("| 0.500 | 1 |"));
    }

    #[test]
    fn without_a_counter_of_instructions_the_table_says_why() {
        let rows = vec![row(0, Err("there is no valgrind".into()))];
        let text = Report { rows, clock: Duration::from_nanos(40) }.to_string();
        assert!(text.contains("| 3 of 4 | 0 | – |"), "{text}");
        assert!(text.contains("Instructions were not all counted: there is no valgrind."), "{text}");
    }

    #[test]
    fn each_case_does_what_is_measured() {
        let count = |case: &Case| {
            let mut work = (case.work)().unwrap();
            let few = Case { samples: 300, of: 1, ..*case };
            let (cost, floor, allocations) = take_times(&few, work.as_mut()).unwrap();
            assert_eq!((cost.count(), floor.count()), (300, 300), "{}", case.what);
            work.check().unwrap();
            allocations
        };
        // The outputs after the motor value are for observers: messages with lists.
        let [rows @ .., until_dry] = CASES else { unreachable!() };
        assert!(rows.iter().all(|case| count(case) == 0));
        assert!(count(until_dry) > 0, "the allocator does count");
    }
}
