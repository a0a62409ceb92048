//! What the zones cost: a stick, a scan and a cloud, each beside the least that has to be done with it.
//!
//! Times are from the message, as r2r hands it over, to the scaling; those of a stick are means over all positions in whole percents.
//! The floor is measured in turns with it: an arc tangent and two limits for a stick, every beam's sine and cosine for a scan, every
//! coordinate read, turned and moved for a cloud. `crates/surround/tests/all/allocation.rs` counts the allocations per message: none.

mod floor;
mod sights;

use core::fmt;
use std::hint::black_box;
use std::time::Duration;

use ros::{Error, clock};
use safety::{Command, Instant, Machine, Stamp, Velocity};
use surround::Surround;
use zones::{Boundaries, Mode, Params, Scaling, Stick, ZoneScaler};

use crate::distribution::Distribution;
use crate::table::machine;

/// How often each is measured.
const SAMPLES: usize = 2000;
/// All whole percents of a stick.
const STICKS: usize = 201 * 201;
/// From one sample to the next, as the machines know it.
const PERIOD: Duration = Duration::from_millis(10);

/// The figures; shown as a table in Markdown.
pub struct Report {
    rows: Vec<Row>,
}

struct Row {
    what: &'static str,
    goal: Option<Duration>,
    cost: Distribution,
    floor: Distribution,
    /// A sample is of so many.
    of: u32,
}

/// Measures all of it on this thread.
/// # Errors
/// The sensors' parameters are refused.
pub fn measure() -> Result<Report, Error> {
    let sticks: Vec<Stick> = (0..STICKS)
        .map(|index| Stick::new((index / 201) as f64 - 100.0, (index % 201) as f64 - 100.0))
        .collect();
    let (boundaries, scaling) = (Boundaries::default(), half());
    eprintln!("bench: zones: sticks");
    let classify = |stick: &Stick| {
        let factors = scaling.of(boundaries.classify(*stick));
        zones::scale(Mode::Limit, *stick, factors).left_right
    };
    let mut rows = Vec::new();
    rows.extend(row(
        "stick: classify and scale",
        None,
        (STICKS as u32, SAMPLES / 20),
        || {
            black_box(sticks.iter().map(classify).sum::<f64>());
        },
        || {
            black_box(floor::sticks(&sticks));
        },
    ));
    let commands: Vec<Command> = sticks.iter().filter_map(command).collect();
    let mut scaler = ZoneScaler::new(Params::default());
    let mut now = Instant::ZERO;
    scaler.handle(now, zones::Input::CommandReceived(Command::STOP)); // a command begins with a zero
    rows.extend(row(
        "command: through the machine of `zone_scaler`",
        None,
        (STICKS as u32, SAMPLES / 20),
        || {
            scaler.handle(now, zones::Input::ScalingReceived(scaling.fields()));
            for command in &commands {
                scaler.handle(now, zones::Input::CommandReceived(*command));
                while let Some(output) = scaler.poll(now) {
                    black_box(output);
                }
            }
            now = now + PERIOD;
        },
        || {
            black_box(floor::sticks(&sticks));
        },
    ));

    eprintln!("bench: zones: scans and clouds");
    let mut surround = Surround::new(sights::params()?);
    let (scan, cloud) = (sights::scan(360), sights::cloud());
    let mut now = Instant::ZERO;
    let goal = Some(Duration::from_micros(100));
    rows.extend(row(
        "scan: 360 points to a zone scaling",
        goal,
        (1, SAMPLES),
        || {
            surround.scan_received(now, sights::SCANNER, Stamp::ZERO, black_box(&scan));
            black_box(surround.poll(now));
            now = now + PERIOD;
        },
        || {
            black_box(floor::scan(black_box(&scan)));
        },
    ));
    let goal = Some(Duration::from_millis(1));
    rows.extend(row(
        "cloud: 24,000 points to a zone scaling",
        goal,
        (1, SAMPLES),
        || {
            surround.cloud_received(now, sights::CAMERA, Stamp::ZERO, black_box(&cloud));
            black_box(surround.poll(now));
            now = now + PERIOD;
        },
        || {
            black_box(floor::cloud(black_box(&cloud)));
        },
    ));
    if surround.counters().unusable > 0 {
        return Err(Error::Start("the bench's own scan or cloud is no measurement".into()));
    }
    Ok(Report { rows })
}

/// Measures `cost` and `floor` in turns, `samples` times each, every one of them `of` at once.
fn row(
    what: &'static str,
    goal: Option<Duration>,
    (of, samples): (u32, usize),
    mut cost: impl FnMut(),
    mut floor: impl FnMut(),
) -> Option<Row> {
    let timed = |run: &mut dyn FnMut()| {
        let start = clock::now();
        run();
        clock::now().since(start)
    };
    let (costs, floors) = (0..samples).map(|_| (timed(&mut cost), timed(&mut floor))).unzip();
    Some(Row { what, goal, cost: Distribution::new(costs)?, floor: Distribution::new(floors)?, of })
}

/// Every zone leaves a half, so that each stick is classified and cut.
fn half() -> Scaling {
    Scaling::from_fields(&[0.5; 16]).0
}

fn command(stick: &Stick) -> Option<Command> {
    let velocity = Velocity::planar(stick.forward_back / 100.0, -stick.left_right / 100.0).ok()?;
    Some(Command::new(velocity, Stamp::ZERO))
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(self.of);
        let [p50, p99] = [0.5, 0.99].map(|share| micros(self.cost.quantile(share)));
        let digits = if self.of > 1 { 3 } else { 1 };
        let floor = micros(self.floor.quantile(0.5));
        let (goal, within) = match self.goal {
            None => ("–".into(), "–".into()),
            Some(goal) => {
                let within = format!("{} of {}", self.cost.within(goal), self.cost.count());
                (format!("{:.0}", goal.as_secs_f64() * 1e6), within)
            }
        };
        let max = micros(self.cost.max());
        writeln!(
            f,
            "| {} | {p50:.digits$} | {p99:.digits$} | {max:.digits$} | {floor:.digits$} | {:.1} | {goal} | {within} |",
            self.what,
            p50 / floor
        )
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| what | p50 [µs] | p99 [µs] | max [µs] | floor, p50 [µs] | p50 to floor | goal [µs] | within |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|---|")?;
        self.rows.iter().try_for_each(|row| write!(f, "{row}"))?;
        write!(f, "\n{}", machine())
    }
}
