//! Cost of a step of the hand in MuJoCo beside MuJoCo's own, as `mujoco_hand --bench` measures it.
//!
//! A step is 1 ms with all motors in motion, in turns with MuJoCo's own step of the same model in the same state.

use std::collections::HashMap;
use std::process::Command;

use processes::beside;

use crate::stage::Result;
use crate::table::table;

const NAME: &str = "mujoco_hand";
const HEADER: &str = "| a hand in MuJoCo | step, p50 [µs] | step, p99 [µs] | MuJoCo's own, p50 [µs] | MuJoCo's own, p99 [µs] \
                      | p50 to MuJoCo's | reading, p50 [µs] | reading, p99 [µs] |";

/// Runs the executable beside this one, if it was built; returns a table.
/// # Errors
/// It fails, or prints something else.
pub fn measure() -> Result<String> {
    let path = beside(NAME);
    if !path.is_file() {
        let table = table(HEADER, ["| not built | – | – | – | – | – | – | – |".into()]);
        let remedy = format!("`cargo xtask setup --mujoco` and `cargo build --release -p {NAME}` build it.");
        return Ok(format!("{table}\n{remedy}\n"));
    }
    eprintln!("bench: hand: MuJoCo");
    let output = Command::new(&path).arg("--bench").output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let rows = text.lines().map(row).collect::<Option<Vec<_>>>().filter(|rows| !rows.is_empty());
    match rows.filter(|_| output.status.success()) {
        Some(rows) => Ok(table(HEADER, rows)),
        None => {
            let errors = String::from_utf8_lossy(&output.stderr);
            Err(format!("'{} --bench' gives no figures: {}, {text}{errors}", path.display(), output.status)
                .into())
        }
    }
}

/// The row of a line `device=mpl objects=free step_p50_us=…`.
fn row(line: &str) -> Option<String> {
    let values: HashMap<&str, &str> =
        line.split_whitespace().filter_map(|word| word.split_once('=')).collect();
    let keys =
        ["step_p50_us", "step_p99_us", "mj_step_p50_us", "mj_step_p99_us", "read_p50_us", "read_p99_us"];
    let numbers: Option<Vec<f64>> = keys.iter().map(|key| values.get(key)?.parse().ok()).collect();
    let [p50, p99, own_p50, own_p99, read_p50, read_p99] = numbers?.try_into().ok()?;
    Some(format!(
        "| `{}`, {} | {p50:.1} | {p99:.1} | {own_p50:.1} | {own_p99:.1} | {:.2} | {read_p50:.1} | {read_p99:.1} |",
        values.get("device")?,
        values.get("objects")?,
        p50 / own_p50
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_and_one_that_is_none_is_not() {
        let line = "device=mpl objects=free step_p50_us=60.5 step_p99_us=80 mj_step_p50_us=55 mj_step_p99_us=70 read_p50_us=1.5 \
                    read_p99_us=2";
        let expected = "| `mpl`, free | 60.5 | 80.0 | 55.0 | 70.0 | 1.10 | 1.5 | 2.0 |";
        assert_eq!(row(line).unwrap(), expected);
        assert!(row(&line.replace("mj_step_p99_us=70", "")).is_none());
    }
}
