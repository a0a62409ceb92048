use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ros::clock;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::error::Error;

/// The processes of the nodes, which are ended when this is dropped: at the end, on an error and in a panic.
///
/// They stay in the demo's process group, so Ctrl-C reaches them. If the demo is killed, the kernel ends them: `setpriv` (of
/// util-linux, on every Debian and Ubuntu) requests that.
pub struct Children {
    list: Vec<Node>,
    folder: TempDir,
}

struct Node {
    name: &'static str,
    process: Child,
    log: PathBuf,
}

/// How long a process has to end by itself.
const GRACE: Duration = Duration::from_secs(3);
/// How often to check whether it has ended.
const POLL_PERIOD: Duration = Duration::from_millis(10);
/// How much of a log is quoted \[lines\].
const TAIL: usize = 8;

impl Children {
    /// No processes yet, and a new folder for parameters and logs.
    /// # Errors
    /// The folder cannot be created.
    pub fn new() -> Result<Self, Error> {
        let folder = TempDir::with_prefix("steersman-demo-").map_err(Error::io("make a folder for logs"))?;
        Ok(Self { list: Vec::new(), folder })
    }

    /// Writes a file for the nodes into the folder.
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf, Error> {
        let path = self.folder.path().join(name);
        fs::write(&path, text).map_err(Error::io(format!("write {}", path.display())))?;
        Ok(path)
    }

    /// Starts the node `name` from the demo's own folder with the parameters of the file `parameters` and with `overrides`, each
    /// `node:parameter:=value`.
    /// # Errors
    /// The executable is missing or does not start.
    pub fn start(
        &mut self,
        name: &'static str,
        parameters: &Path,
        overrides: &[String],
    ) -> Result<(), Error> {
        let own = std::env::current_exe().map_err(Error::io("find the demo's own folder"))?;
        let path = own.with_file_name(name);
        if !path.is_file() {
            return Err(Error::MissingExecutable { path });
        }
        let log = self.folder.path().join(format!("{name}.log"));
        let what = || Error::io(format!("start '{}'", path.display()));
        let out = File::create(&log).map_err(what())?;
        let err = out.try_clone().map_err(what())?;
        let mut command = ending_with_parent(&path);
        command.args(["--ros-args", "--params-file"]).arg(parameters);
        for one in overrides {
            command.args(["-p", one]);
        }
        let process = command.stdin(Stdio::null()).stdout(out).stderr(err).spawn().map_err(what())?;
        self.list.push(Node { name, process, log });
        Ok(())
    }

    /// The first node that has ended, with its last lines.
    pub fn ended(&mut self) -> Option<Error> {
        self.list.iter_mut().find_map(|node| {
            let status = node.process.try_wait().ok().flatten()?;
            Some(Error::NodeEnded { name: node.name, status, words: tail(&node.log) })
        })
    }

    /// The folder of parameters and logs.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Keeps that folder, which is removed otherwise.
    pub fn keep_folder(&mut self) {
        self.folder.disable_cleanup(true);
    }

    /// Ends all processes that still run.
    /// # Errors
    /// One ended with another exit code than 0.
    pub fn end(&mut self) -> Result<(), Error> {
        for node in &mut self.list {
            // An error means that it has already ended; its id may belong to another process then.
            if matches!(node.process.try_wait(), Ok(None)) {
                let _ = kill_process(Pid::from_child(&node.process), Signal::TERM);
            }
        }
        let end = clock::now() + GRACE;
        while clock::now() < end && !self.list.iter_mut().all(|node| has_ended(&mut node.process)) {
            std::thread::park_timeout(POLL_PERIOD);
        }
        for node in &mut self.list {
            if !has_ended(&mut node.process) {
                let _ = node.process.kill();
                let _ = node.process.wait();
            }
        }
        self.failed().map_or(Ok(()), Err)
    }

    fn failed(&mut self) -> Option<Error> {
        self.list.iter_mut().find_map(|node| {
            let status = node.process.try_wait().ok().flatten().filter(|status| !status.success())?;
            Some(Error::NodeEnded { name: node.name, status, words: tail(&node.log) })
        })
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

fn has_ended(process: &mut Child) -> bool {
    !matches!(process.try_wait(), Ok(None))
}

/// A command for the program at `path`, which receives SIGTERM when the thread that starts it ends; without `setpriv` it does
/// not.
fn ending_with_parent(path: &Path) -> Command {
    const SETPRIV: &str = "/usr/bin/setpriv";
    if !Path::new(SETPRIV).is_file() {
        return Command::new(path);
    }
    let mut command = Command::new(SETPRIV);
    command.args(["--pdeathsig", "TERM", "--"]).arg(path);
    command
}

fn tail(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines.len().saturating_sub(TAIL);
    lines[last..].iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_quoted_from_its_end() {
        let folder = TempDir::new().unwrap();
        let log = folder.path().join("a.log");
        fs::write(&log, (1..=20).map(|n| format!("line {n}\n\n")).collect::<String>()).unwrap();
        let tail = tail(&log);
        assert!(tail.starts_with("  line 13\n") && tail.ends_with("  line 20"), "{tail}");
    }

    #[test]
    fn a_process_is_ended_when_its_owner_is_dropped() {
        let folder = TempDir::new().unwrap();
        let process = Command::new("sleep").arg("60").spawn().unwrap();
        let id = process.id();
        let node = Node { name: "sleep", process, log: folder.path().join("none") };
        let begin = clock::now();
        let mut children = Children { list: vec![node], folder };
        assert!(children.ended().is_none());
        drop(children);
        assert!(clock::now().since(begin) < GRACE, "SIGTERM is enough");
        assert!(!Path::new(&format!("/proc/{id}")).exists());
    }

    #[test]
    fn an_end_with_another_exit_code_is_a_failure() {
        for (code, is_failure) in [(0, false), (4, true)] {
            let mut children = Children::new().unwrap();
            let script = format!("trap 'exit {code}' TERM; echo ready; while :; do sleep 0.01; done");
            let log = children.folder().join("sh.log");
            let out = File::create(&log).unwrap();
            let process = Command::new("sh").args(["-c", &script]).stdout(out).spawn().unwrap();
            children.list.push(Node { name: "sh", process, log: log.clone() });
            while fs::read(&log).unwrap().is_empty() {
                std::thread::park_timeout(POLL_PERIOD);
            }
            assert_eq!(children.end().is_err(), is_failure, "{code}");
        }
    }

    #[test]
    fn a_process_that_ends_by_itself_is_reported() {
        let folder = TempDir::new().unwrap();
        let log = folder.path().join("sh.log");
        let out = File::create(&log).unwrap();
        let process = Command::new("sh").args(["-c", "echo no stick; exit 3"]).stdout(out).spawn().unwrap();
        let mut children = Children { list: vec![Node { name: "joystick", process, log }], folder };
        children.list[0].process.wait().unwrap();
        let message = children.ended().unwrap().to_string();
        let expected = "the node process 'joystick' ended (exit status: 3); its last lines:\n  no stick";
        assert_eq!(message, expected);
    }
}
