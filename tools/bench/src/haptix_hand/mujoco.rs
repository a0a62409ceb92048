//! Cost of a step of the hand in MuJoCo beside MuJoCo's own, as `mujoco_hand --bench` measures it.
//!
//! A step is 1 ms with all motors in motion, in turns with MuJoCo's own step of the same model in the same state.

use core::fmt;
use std::process::Command;

use processes::beside;
use ros::Error;

const NAME: &str = "mujoco_hand";

/// The figures; shown as a table in Markdown. Without rows the executable is not there.
pub struct Report(Vec<Row>);

struct Row {
    device: String,
    objects: String,
    /// Median and 99th percentile \[µs\].
    step: [f64; 2],
    mujoco: [f64; 2],
    read: [f64; 2],
}

/// Runs the executable beside this one, if it was built.
/// # Errors
/// It fails, or prints something else.
pub fn measure() -> Result<Report, Error> {
    let path = beside(NAME);
    if !path.is_file() {
        return Ok(Report(Vec::new()));
    }
    eprintln!("bench: hand: MuJoCo");
    let failed = |why: String| Error::Start(format!("'{} --bench': {why}", path.display()));
    let output = Command::new(&path).arg("--bench").output().map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(format!("{}, {}", output.status, String::from_utf8_lossy(&output.stderr))));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let rows: Option<Vec<Row>> = text.lines().map(read).collect();
    let rows = rows.filter(|rows| !rows.is_empty());
    rows.map(Report).ok_or_else(|| failed(format!("it has printed no figures: {text}")))
}

/// A line `device=mpl objects=free step_p50_us=…`.
fn read(line: &str) -> Option<Row> {
    let value = |key: &str| {
        line.split_whitespace()
            .filter_map(|word| word.split_once('='))
            .find_map(|(name, value)| (name == key).then_some(value))
    };
    let pair = |what: &str| {
        let of = |quantile: &str| value(&format!("{what}_{quantile}_us"))?.parse::<f64>().ok();
        Some([of("p50")?, of("p99")?])
    };
    Some(Row {
        device: value("device")?.into(),
        objects: value("objects")?.into(),
        step: pair("step")?,
        mujoco: pair("mj_step")?,
        read: pair("read")?,
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| a hand in MuJoCo | step, p50 [µs] | step, p99 [µs] | MuJoCo's own, p50 [µs] | MuJoCo's own, p99 [µs] \
             | p50 to MuJoCo's | reading, p50 [µs] | reading, p99 [µs] |\n|---|--:|--:|--:|--:|--:|--:|--:|"
        )?;
        for Row { device, objects, step, mujoco, read } in &self.0 {
            let ratio = step[0] / mujoco[0];
            writeln!(
                f,
                "| `{device}`, {objects} | {:.1} | {:.1} | {:.1} | {:.1} | {ratio:.2} | {:.1} | {:.1} |",
                step[0], step[1], mujoco[0], mujoco[1], read[0], read[1]
            )?;
        }
        if self.0.is_empty() {
            writeln!(
                f,
                "| not built | – | – | – | – | – | – | – |\n\n`cargo xtask setup --mujoco` and `cargo build --release -p {NAME}` build it."
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_and_one_that_is_none_is_not() {
        let line = "device=mpl objects=free step_p50_us=60.5 step_p99_us=80 mj_step_p50_us=55 mj_step_p99_us=70 read_p50_us=1.5 \
                    read_p99_us=2";
        let text = Report(vec![read(line).unwrap()]).to_string();
        assert!(text.contains("| `mpl`, free | 60.5 | 80.0 | 55.0 | 70.0 | 1.10 | 1.5 | 2.0 |"), "{text}");
        assert!(read(&line.replace("mj_step_p99_us=70", "")).is_none());
        assert!(Report(Vec::new()).to_string().contains("| not built |"));
    }
}
