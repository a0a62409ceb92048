//! Processes that a tool starts beside itself, and the folder of their logs: for the demo and the bench.
//!
//! * [`Process`] is one of them, which is ended when it is dropped: at the end, on an error and in a panic.
//! * [`Folder`] keeps their parameter files and their output.
//! * [`Meter`] measures their [`Activity`]: time on a processor, wake-ups and memory.
#![forbid(unsafe_code)]

mod activity;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use boot_clock::now;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

pub use activity::{Activity, Meter};

/// How long a process may take to end on SIGTERM.
pub const GRACE: Duration = Duration::from_secs(3);
/// How often to check whether it has ended.
const CHECK_PERIOD: Duration = Duration::from_millis(5);
/// How much of its output is quoted \[lines\].
const TAIL: usize = 12;

/// A process that ends when this is dropped.
///
/// It stays in the group of the process that started it, so Ctrl-C reaches it. If that one is killed, the kernel ends it: `setpriv`
/// (of util-linux, on every Debian and Ubuntu) requests that.
pub struct Process {
    name: String,
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts the executable `name` beside this one, in another ROS domain if one is given; its output goes to a file in `folder`.
    /// # Errors
    /// There is no such executable, or it does not start.
    pub fn start<S: AsRef<OsStr>>(
        name: &str,
        arguments: impl IntoIterator<Item = S>,
        domain: Option<u8>,
        folder: &Folder,
    ) -> io::Result<Self> {
        let path = beside(name);
        if !path.is_file() {
            let sentence =
                format!("there is no '{}'; `cargo build -p nodes` builds the nodes", path.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, sentence));
        }
        let mut command = ending_with_parent(&path);
        command.args(arguments);
        for variable in [isolation::OWN, isolation::DOMAIN] {
            command.envs(domain.map(|domain| (variable, domain.to_string())));
        }
        Self::run(name, command, folder)
    }

    fn run(name: &str, mut command: Command, folder: &Folder) -> io::Result<Self> {
        let log = folder.path().join(format!("{name}-{}.log", fs::read_dir(folder.path())?.count()));
        let out = File::create(&log)?;
        command.stdin(Stdio::null()).stderr(out.try_clone()?).stdout(out);
        let child = command.spawn().map_err(|error| explained("start", Path::new(name), &error))?;
        Ok(Self { name: name.into(), child, log })
    }

    /// The name of its executable.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its number, which is its own until its end was noticed.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How it ended; `None` while it runs.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// The last lines of its output.
    pub fn tail(&self) -> String {
        let text = fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines.len().saturating_sub(TAIL);
        lines[last..].iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
    }

    /// Its name and the last lines of its output.
    pub fn output(&self) -> String {
        let tail = self.tail();
        format!("--- {}\n{}", self.name, if tail.is_empty() { "  (no output)" } else { &tail })
    }

    fn ask_to_end(&mut self) {
        // An error means that it has already ended; its number may belong to another process then.
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        }
    }
}

/// Ends all of them together, within [`GRACE`]: all are asked first, and those that remain are killed.
pub fn end<'a>(processes: impl IntoIterator<Item = &'a mut Process>) {
    let mut running: Vec<&mut Process> = processes.into_iter().collect();
    running.iter_mut().for_each(|process| process.ask_to_end());
    let end = now() + GRACE;
    loop {
        running.retain_mut(|process| matches!(process.child.try_wait(), Ok(None)));
        if running.is_empty() || now() >= end {
            break;
        }
        std::thread::park_timeout(CHECK_PERIOD);
    }
    for process in running {
        let _ = process.child.kill();
        let _ = process.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        end([self]);
    }
}

/// A folder for parameter files and logs, removed when this is dropped.
pub struct Folder(TempDir);

impl Folder {
    /// Makes a folder `steersman-<tool>-…` among the system's temporary ones.
    /// # Errors
    /// They are not writable.
    pub fn new(tool: &str) -> io::Result<Self> {
        TempDir::with_prefix(format!("steersman-{tool}-")).map(Self)
    }

    /// Writes `text` to the file `name` in it; returns the file's path.
    /// # Errors
    /// It cannot be written.
    pub fn put(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.path().join(name);
        fs::write(&path, text).map_err(|error| explained("write", &path, &error))?;
        Ok(path)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Keeps it, which is removed otherwise.
    pub fn keep(&mut self) {
        self.0.disable_cleanup(true);
    }
}

/// The path of the executable `name` in the folder of this one.
pub fn beside(name: &str) -> PathBuf {
    std::env::current_exe().unwrap_or_default().with_file_name(name)
}

fn explained(what: &str, path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("could not {what} '{}': {error}", path.display()))
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

#[cfg(test)]
mod tests {
    use super::*;

    pub fn shell(script: &str, folder: &Folder) -> Process {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Process::run("sh", command, folder).unwrap()
    }

    fn wait_for_output(process: &Process) {
        while process.tail().is_empty() {
            std::thread::park_timeout(CHECK_PERIOD);
        }
    }

    #[test]
    fn an_output_is_quoted_from_its_end() {
        let folder = Folder::new("test").unwrap();
        let mut process = shell("for n in $(seq 20); do echo line $n; echo; done", &folder);
        process.child.wait().unwrap();
        let tail = process.tail();
        assert!(tail.starts_with("  line 9\n") && tail.ends_with("  line 20"), "{tail}");
    }

    #[test]
    fn a_process_is_ended_when_its_owner_is_dropped() {
        let folder = Folder::new("test").unwrap();
        let mut process = shell("echo ready; exec sleep 60", &folder);
        wait_for_output(&process);
        let (id, begin) = (process.id(), now());
        assert!(process.ended().is_none());
        drop(process);
        assert!(now() - begin < GRACE, "SIGTERM is enough");
        assert!(!Path::new(&format!("/proc/{id}")).exists());
    }

    #[test]
    fn one_that_ignores_the_request_is_killed_and_the_others_exit_codes_are_known() {
        let folder = Folder::new("test").unwrap();
        let script = |trap: &str| format!("trap '{trap}' TERM; echo ready; while :; do sleep 0.01; done");
        let mut all = ["exit 0", "exit 4", ""].map(|trap| shell(&script(trap), &folder));
        all.iter().for_each(wait_for_output);
        let begin = now();
        end(&mut all);
        assert!(now() - begin >= GRACE);
        assert_eq!(all.each_mut().map(|process| process.ended().unwrap().code()), [Some(0), Some(4), None]);
    }

    #[test]
    fn a_missing_executable_is_named() {
        let refusal = Process::start("no_such", [""; 0], None, &Folder::new("test").unwrap()).err().unwrap();
        assert!(refusal.to_string().contains("/no_such'; `cargo build -p nodes`"), "{refusal}");
    }

    #[test]
    fn a_kept_folder_stays() {
        let mut folders = [Folder::new("test").unwrap(), Folder::new("test").unwrap()];
        let paths = folders.each_ref().map(|folder| folder.path().to_owned());
        folders[1].put("a.yaml", "a: 1").unwrap();
        folders[1].keep();
        drop(folders);
        assert_eq!(paths.each_ref().map(|path| path.exists()), [false, true]);
        fs::remove_dir_all(&paths[1]).unwrap();
    }
}
