//! `cargo xtask lock`: resolves ros2.in into ros2.lock, for every Python that setup accepts.

use std::process::Command;

use crate::environment::clean;
use crate::process::{capture, succeeds};
use crate::report::{Failure, Outcome, Watch, step};
use crate::root::{Root, remove, write};
use crate::setup::{debian, wheels};

/// Writes the lock anew. It is committed: review the difference first.
///
/// # Errors
/// No Python, no network, or a package without a wheel for one of the Pythons.
pub fn run(root: &Root) -> Outcome<()> {
    let time = Watch::start();
    let folder = root.made("lock-venv");
    remove(&folder)?;
    let interpreter = debian::ensure_python()?;
    step(
        "making a virtual environment with the newest pip, which reads hashes from the index without fetching wheels",
    );
    let mut venv = Command::new(interpreter);
    let python = folder.join("bin/python");
    let mut pip = Command::new(&python);
    pip.args(["-I", "-m", "pip", "install", "--quiet", "--upgrade", "pip"]);
    if !succeeds(clean(venv.args(["-I", "-m", "venv"]).arg(&folder)))? || !succeeds(clean(&mut pip))? {
        return Err(Failure::new("could not make a virtual environment for the lock (no network?)"));
    }
    let script = folder.join("resolve.py");
    write(&script, include_str!("lock/resolve.py"))?;
    let mut resolve = Command::new(&python);
    let ended = capture(clean(resolve.arg("-I").arg(script).arg(root.join("tools/xtask/ros2.in"))))?;
    if !ended.success {
        return Err(Failure::new(format!("pip could not resolve ros2.in: {}", ended.err.trim())));
    }
    write(&root.join(wheels::LOCK), &ended.out)?;
    remove(&folder)?;
    let count = ended.out.lines().filter(|line| wheels::is_package(line)).count();
    step(format_args!("{} holds {count} packages ({time})", wheels::LOCK));
    Ok(())
}
