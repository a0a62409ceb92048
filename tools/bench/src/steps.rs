//! Steps of the pure crates beside their floors: `benches/steps`, measured by criterion, as tables.
//!
//! Each p50 is the median of criterion's samples, means over many steps; step and floor are measured one after the other.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::stage::Result;
use crate::table::{goal, table};

/// A part of `benches/steps`: the groups of criterion whose names begin with its own.
pub struct Part {
    name: &'static str,
    /// The header of its table, with the unit, and whether there are readings.
    header: &'static str,
    /// The unit of its table \[ns\].
    unit: f64,
    /// The rest of the name of each group, and the longest time for a step if there is a goal, in that unit.
    groups: &'static [(&'static str, Option<f64>)],
}

/// The arbiter, and the chain from the stick to the motors.
pub const DRIVE: Part = Part {
    name: "drive",
    header: "| what | p50 [ns] | floor, p50 [ns] | p50 to floor | goal [ns] |",
    unit: 1.0,
    groups: &[
        ("arbiter: who drives, of 2 sources", None),
        ("arbiter: who drives, of 8 sources, 4 locks", None),
        ("arbiter: who drives, of 2 sources, all limits on", None),
        ("arbiter: who is masked, of 2 sources", None),
        ("drive: stick event to motor value", Some(5000.0)),
        ("drive: stick event until no output is left", None),
    ],
};

/// Sticks, scans and clouds.
pub const ZONES: Part = Part {
    name: "zones",
    header: "| what | p50 [µs] | floor, p50 [µs] | p50 to floor | goal [µs] |",
    unit: 1e3,
    groups: &[
        ("stick: classify and scale", None),
        ("command: through the zone scaler", None),
        ("scan: 360 points to a zone scaling", Some(100.0)),
        ("cloud: 24,000 points to a zone scaling", Some(1000.0)),
    ],
};

/// The cycle of the control loop.
pub const LOOP: Part = Part {
    name: "loop",
    header: "| controllers | p50 [µs] | floor, p50 [µs] | p50 to floor | goal |",
    unit: 1e3,
    groups: &[("1", None), ("10", None), ("100", None)],
};

/// The analytic hand.
pub const HAND: Part = Part {
    name: "hand",
    header: "| analytic hand | step, p50 [µs] | floor, p50 [µs] | p50 to floor | goal [µs] | reading, p50 [µs] |",
    unit: 1e3,
    groups: &[
        ("`mpl`", Some(2.0)),
        ("`mpl`, a ball in it", Some(2.0)),
        ("`mpl_gazebo`", Some(2.0)),
        ("`two_finger`", Some(2.0)),
    ],
};

/// Builds the benchmarks with the profile of this executable, runs those of `part` for so many `seconds` each, and returns a table of
/// the estimates.
/// # Errors
/// They cannot be built or run, or one does not do what is to be measured; the output is shown.
pub fn measure(part: &Part, seconds: u64) -> Result<String> {
    // Both are in a folder of the profile in the target folder.
    let home = processes::beside("").join("../criterion");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
    let status = Command::new(cargo)
        // The packages that `cargo xtask bench` builds: others would have other features and be built anew.
        .args(["bench", "--quiet", "-p", "nodes", "-p", "bench", "--bench", "steps", "--profile", profile])
        .args(["--".into(), format!("^{} ", part.name), format!("--measurement-time={seconds}")])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("CRITERION_HOME", &home)
        .stdout(Stdio::from(io::stderr()))
        .status()
        .map_err(|error| format!("cargo, which builds the benchmarks, does not start: {error}"))?;
    if status.success() {
        read(part, &home)
    } else {
        Err(format!("the steps of '{}' could not be measured: {status}", part.name).into())
    }
}

/// A table of the last estimates of each group.
fn read(part: &Part, home: &Path) -> Result<String> {
    let row = |&(name, most): &(&str, Option<f64>)| {
        // Criterion's name of the folder.
        let group = home.join(format!("{} {name}", part.name).replace(':', "_"));
        let median = |benchmark| median(&group.join(benchmark)).map(|nanos| nanos / part.unit);
        let (step, floor) = (median("step")?, median("floor")?);
        let goal = most.map_or("–".into(), |most| goal(step, most));
        let row =
            format!("| {name} | {} | {} | {:.1} | {goal} |", rounded(step), rounded(floor), step / floor);
        let has_reading = part.header.contains("reading");
        Ok(if has_reading { format!("{row} {} |", rounded(median("reading")?)) } else { row })
    };
    Ok(table(part.header, part.groups.iter().map(row).collect::<Result<Vec<_>>>()?))
}

/// The median time of one benchmark, or of each element of its throughput \[ns\].
fn median(benchmark: &Path) -> Result<f64> {
    let file = |name: &str| -> Option<Value> {
        serde_json::from_str(&fs::read_to_string(benchmark.join("new").join(name)).ok()?).ok()
    };
    let time = || file("estimates.json")?["median"]["point_estimate"].as_f64();
    let elements = || file("benchmark.json")?["throughput"]["Elements"].as_f64();
    let time = time().ok_or_else(|| format!("criterion has no estimate in '{}'", benchmark.display()))?;
    Ok(time / elements().unwrap_or(1.0))
}

/// With three digits, at least those before the point.
fn rounded(number: f64) -> String {
    let digits = (2.0 - number.log10().floor()).clamp(0.0, 3.0) as usize;
    format!("{number:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_that_of_the_medians_of_one_element() {
        let home = processes::Folder::new("test").unwrap();
        let put = |group: &str, benchmark: &str, median: f64, throughput: &str| {
            let folder = home.path().join(group).join(benchmark).join("new");
            fs::create_dir_all(&folder).unwrap();
            let estimates =
                format!(r#"{{"mean":{{"point_estimate":9.0}},"median":{{"point_estimate":{median}}}}}"#);
            fs::write(folder.join("estimates.json"), estimates).unwrap();
            fs::write(folder.join("benchmark.json"), format!(r#"{{"throughput":{throughput}}}"#)).unwrap();
        };
        let groups = &[("`mpl`", Some(2.0)), ("ball: in it", Some(2.0))];
        let part = Part { groups, ..HAND };
        put("hand `mpl`", "step", 301.4, "null");
        put("hand `mpl`", "floor", 120.0, "null");
        put("hand `mpl`", "reading", 1512.0, "null");
        put("hand ball_ in it", "step", 300_000.0, r#"{"Elements":10}"#);
        put("hand ball_ in it", "reading", 1_234_567.0, "null");
        let refusal = read(&part, home.path()).err().unwrap().to_string();
        assert!(refusal.ends_with("hand ball_ in it/floor'"), "{refusal}");
        put("hand ball_ in it", "floor", 1000.0, r#"{"Elements":10}"#);
        let text = read(&part, home.path()).unwrap();
        let rows: Vec<&str> = text.lines().skip(2).collect();
        let one = "| `mpl` | 0.301 | 0.120 | 2.5 | 2 reached | 1.51 |";
        assert_eq!(rows, [one, "| ball: in it | 30.0 | 0.100 | 300.0 | 2 not reached | 1235 |"]);
    }

    #[test]
    fn each_group_is_one_of_the_benchmarks() {
        let sources = [
            include_str!("../benches/steps/drive.rs"),
            include_str!("../benches/steps/zones.rs"),
            include_str!("../benches/steps/control_loop.rs"),
            include_str!("../benches/steps/hand.rs"),
        ]
        .concat();
        for part in [DRIVE, ZONES, LOOP, HAND] {
            for (name, _) in part.groups {
                assert!(sources.contains(&format!("\"{} {name}\"", part.name)), "{name}");
            }
        }
    }
}
