//! ROS 2 Jazzy from wheels into `.ros2/prefix`: every version and hash is in ros2.lock, so a changed wheel is refused.

use std::fs;
use std::io::IsTerminal;
use std::path::Path;
use std::process::Command;

use super::guard::Guard;
use super::stamp::{self, Digest};
use super::{debian, disk, fixes};
use crate::environment::clean;
use crate::process::{Ended, capture, watch};
use crate::report::{Failure, Outcome, Watch, step};
use crate::root::{Root, remove, write};

/// The lock is read at run time, so an edited one is used without building xtask again.
pub const LOCK: &str = "tools/xtask/ros2.lock";

/// The packages that build the one package without a wheel (empy), which are installed first.
const FIRST: &[&str] = &["setuptools", "wheel"];

/// The mark of a complete prefix at this place from this lock.
fn mark(root: &Root, lock: &str) -> String {
    // The place is included: scripts of a prefix contain its path, so a moved repository needs a new prefix.
    let digest = Digest::new().add(lock.as_bytes()).add(root.prefix().to_string_lossy().as_bytes());
    format!("{} fixes {}\n", digest.text(), fixes::VERSION)
}

fn read_lock(root: &Root) -> Outcome<String> {
    let path = root.join(LOCK);
    fs::read_to_string(&path).map_err(|e| Failure::io("read", &path, &e))
}

/// Whether the prefix exists, is complete, and is made from the present lock.
pub fn is_complete(root: &Root) -> bool {
    let marked =
        read_lock(root).is_ok_and(|lock| stamp::is(&root.prefix().join(".complete"), &mark(root, &lock)));
    marked && root.prefix().join("bin/python").exists() // Its target disappears when the system's Python is replaced.
}

/// Makes the prefix unless it is complete.
///
/// # Errors
/// No wheels for this machine, no Python, no free space, no network, a wheel with another hash.
pub fn ensure(root: &Root, guard: &Guard) -> Outcome<()> {
    if is_complete(root) {
        return Ok(());
    }
    if !cfg!(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")) {
        return Err(Failure::new(
            "there are wheels of ROS 2 for x86-64 Linux with glibc only: install ROS 2 another way and source it \
             (`source /opt/ros/jazzy/setup.bash`), then run it again",
        ));
    }
    let interpreter = debian::ensure_python()?;
    let prefix = root.prefix();
    if prefix.exists() {
        step("removing an old or half-made .ros2/prefix");
        remove(&prefix)?;
    }
    disk::ensure_room(&root.made(""))?;
    let lock = read_lock(root)?;
    let time = Watch::start();
    step(format_args!("making .ros2/prefix with {}", interpreter.display()));
    make_venv(&interpreter, &prefix, guard)?;
    let first = root.made("first.lock");
    write(&first, &subset(&lock, FIRST))?;
    install(root, guard, &first, FIRST.len())?;
    install(root, guard, &root.join(LOCK), lock.lines().filter(|line| is_package(line)).count())?;
    fixes::apply(&prefix)?;
    write(&prefix.join(".complete"), &mark(root, &lock))?;
    step(format_args!("ROS 2 Jazzy is in .ros2/prefix ({time})"));
    Ok(())
}

/// Makes a virtual environment in `prefix`.
///
/// # Errors
/// Python refuses.
pub fn make_venv(interpreter: &Path, prefix: &Path, guard: &Guard) -> Outcome<()> {
    let mut command = Command::new(interpreter);
    command.args(["-I", "-m", "venv"]).arg(prefix).stdin(guard.stdin());
    let ended = capture(clean(&mut command))?;
    if ended.success {
        return Ok(());
    }
    Err(explain(&ended, prefix, LOCK).unwrap_or_else(|| {
        let why = last_line(&format!("{}{}", ended.out, ended.err));
        Failure::new(format!("{} could not make a virtual environment: {why}", interpreter.display()))
    }))
}

fn install(root: &Root, guard: &Guard, lock: &Path, count: usize) -> Outcome<()> {
    let prefix = root.prefix();
    // On the same disk as the prefix, whose free space was checked.
    let temporary = root.made("tmp");
    remove(&temporary)?;
    fs::create_dir_all(&temporary).map_err(|e| Failure::io("make", &temporary, &e))?;
    let mut command = Command::new(prefix.join("bin/python"));
    command.args([
        "-I",
        "-m",
        "pip",
        "install",
        "--no-deps",
        "--no-build-isolation",
        "--require-hashes",
        "-r",
    ]);
    command
        .arg(lock)
        .env("TMPDIR", &temporary)
        .env("PIP_USER", "0")
        .env("_ROS_WHEELS_BOOTSTRAP_COMPLETE", "1");
    command.env("PIP_DISABLE_PIP_VERSION_CHECK", "1").env("PIP_PROGRESS_BAR", "off").stdin(guard.stdin());
    command
        .env_remove("PYTHONPATH")
        .env_remove("PIP_TARGET")
        .env_remove("PIP_PREFIX")
        .env_remove("PIP_REQUIRE_VIRTUALENV");
    let mut fetched = 0;
    let ended = watch(clean(&mut command), |line| {
        if line.starts_with("Collecting ") {
            fetched += 1;
            progress(fetched, count);
        } else if line.starts_with("Installing collected packages") {
            finish_progress();
            step(format_args!("installing {fetched} packages"));
        }
    })?;
    if ended.success {
        return remove(&temporary);
    }
    finish_progress();
    Err(refusal(&ended, &prefix, LOCK))
}

/// Why pip did not fetch or install what `lock` names into `folder`.
pub fn refusal(ended: &Ended, folder: &Path, lock: &str) -> Failure {
    explain(ended, folder, lock).unwrap_or_else(|| {
        let errors: Vec<&str> = ended.err.lines().filter(|line| line.contains("ERROR")).collect();
        let why = errors.last().map_or_else(|| last_line(&ended.err), |line| (*line).to_owned());
        Failure::new(format!("pip could not install {lock}: {why}"))
    })
}

/// Shows the progress: on a terminal one line that counts, otherwise some lines.
fn progress(done: usize, of: usize) {
    if std::io::stderr().is_terminal() {
        eprint!("\rxtask: fetching package {done} of {of} at most ");
    } else if done % 40 == 1 {
        step(format_args!("fetching package {done} of {of} at most"));
    }
}

fn finish_progress() {
    if std::io::stderr().is_terminal() {
        eprintln!();
    }
}

fn last_line(text: &str) -> String {
    text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it gave no reason").trim().to_owned()
}

/// Whether this line of a lock starts a package.
pub fn is_package(line: &str) -> bool {
    !line.starts_with([' ', '#']) && line.contains("==")
}

/// The part of a lock that concerns `names`.
fn subset(lock: &str, names: &[&str]) -> String {
    let mut text = String::new();
    let mut inside = false;
    for line in lock.lines() {
        if !line.starts_with(' ') {
            inside = line.split_once("==").is_some_and(|(name, _)| names.contains(&name));
        }
        if inside {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// Explains the known failures of pip, each in one sentence.
fn explain(ended: &Ended, prefix: &Path, lock: &str) -> Option<Failure> {
    let output = format!("{}\n{}", ended.out, ended.err);
    if output.contains("No space left on device") || output.contains("Errno 28") {
        return Some(Failure::disk_full(prefix));
    }
    if output.contains("DO NOT MATCH THE HASHES") {
        let after = output.split("DO NOT MATCH THE HASHES").nth(1).unwrap_or_default();
        let package = after.lines().find_map(|line| {
            let line = line.trim();
            line.contains("==").then(|| line.split_whitespace().next().unwrap_or(line).to_owned())
        });
        let package = package.unwrap_or_else(|| "a package".to_owned());
        return Some(Failure::new(format!(
            "{package} is refused: its file is not the one whose hash is in {lock}; if it was changed on purpose, \
             change the hash there (`cargo xtask lock` does for ROS) and review the changes"
        )));
    }
    const NETWORK: &[&str] = &[
        "NewConnectionError",
        "Failed to establish a new connection",
        "name resolution",
        "Name or service not known",
        "Connection refused",
        "Max retries exceeded",
        "ConnectTimeoutError",
        "ReadTimeoutError",
        "ProxyError",
        "Network is unreachable",
        "connection broken",
    ];
    if NETWORK.iter().any(|sign| output.contains(sign)) {
        return Some(Failure::new(
            "the package index cannot be reached: setup needs the network once (or a mirror, set as pip's index-url); \
             what was fetched is kept by pip for the next run",
        ));
    }
    let missing = output.lines().find_map(|line| line.split_once("No matching distribution found for "));
    missing.map(|(_, name)| {
        let name = name.split_whitespace().next().unwrap_or(name);
        Failure::new(format!("the package index has no {name} for this machine: see {lock}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(err: &str) -> Ended {
        Ended { success: false, out: String::new(), err: err.to_owned() }
    }

    fn sentence(err: &str) -> String {
        explain(&failed(err), Path::new("/p"), LOCK).map_or_else(String::new, |failure| failure.0)
    }

    #[test]
    fn a_changed_wheel_is_named() {
        let output = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated\n    \
                    ros-rcl==9.2.8 from file:///x (from -r ros2.lock (line 9)):\n        Expected sha256 00\n";
        assert!(sentence(output).starts_with("ros-rcl==9.2.8 is refused"));
    }

    #[test]
    fn a_missing_network_is_reported_before_a_missing_package() {
        let output = "WARNING: Retrying ... NewConnectionError ...\nERROR: No matching distribution found for wheel==0.48.0\n";
        assert!(sentence(output).starts_with("the package index cannot be reached"));
        assert!(
            sentence("ERROR: No matching distribution found for wheel==0.48.0\n")
                .contains("no wheel==0.48.0")
        );
    }

    #[test]
    fn a_full_disk_is_named() {
        assert!(
            sentence("ERROR: Could not install: [Errno 28] No space left on device\n").contains("is full")
        );
    }

    #[test]
    fn an_unknown_failure_is_left_to_pips_message() {
        assert!(sentence("ERROR: something else\n").is_empty());
    }

    #[test]
    fn a_subset_keeps_the_hashes_of_its_packages() {
        let lock = "# made\na==1 \\\n    --hash=sha256:0\nab==2 \\\n    --hash=sha256:1\n";
        assert_eq!(subset(lock, &["a"]), "a==1 \\\n    --hash=sha256:0\n");
    }
}
