use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::time::Duration;

use ros::{Error, clock};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// How long a process may take to end on SIGTERM.
const PATIENCE: Duration = Duration::from_secs(3);
/// The period at which its end is noticed.
const CHECK_PERIOD: Duration = Duration::from_millis(5);
/// How much of the output of a process is shown when it fails \[lines].
const SHOWN: usize = 12;

/// A process that ends when this is dropped.
pub struct Child {
    name: String,
    process: process::Child,
    log: PathBuf,
}

/// What a process has used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Time on a processor since its start \[s].
    pub cpu: f64,
    /// Resident memory now, shared pages included \[MB].
    pub memory: f64,
}

/// What a process does, all of its threads together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Activity {
    /// Time on a processor since its start \[s], or in each second \[1].
    pub cpu: f64,
    /// How often a thread woke up since its start, or in each second \[1/s].
    pub wakeups: f64,
    /// How many threads there are now.
    pub threads: usize,
}

impl Activity {
    /// What all of `children` have done so far.
    /// # Errors
    /// One has ended.
    pub fn of(children: &[Child]) -> Result<Self, String> {
        children.iter().try_fold(Self::default(), |sum, child| {
            let one = child.activity(None)?;
            Ok(Self {
                cpu: sum.cpu + one.cpu,
                wakeups: sum.wakeups + one.wakeups,
                threads: sum.threads + one.threads,
            })
        })
    }

    /// What was done in each of the `seconds` since `before`.
    #[must_use]
    pub fn since(&self, before: &Self, seconds: f64) -> Self {
        Self {
            cpu: (self.cpu - before.cpu) / seconds,
            wakeups: (self.wakeups - before.wakeups) / seconds,
            threads: self.threads,
        }
    }
}

impl Child {
    /// Starts the executable beside this one; its output goes to a file in `folder`.
    /// # Errors
    /// There is no such executable.
    pub fn start(name: &str, arguments: &[String], folder: &Folder) -> Result<Self, Error> {
        Self::start_in(None, name, arguments, folder)
    }

    /// The same in another ROS `domain` than this process.
    /// # Errors
    /// There is no such executable.
    pub fn start_in(
        domain: Option<u8>,
        name: &str,
        arguments: &[String],
        folder: &Folder,
    ) -> Result<Self, Error> {
        let path = beside(name);
        let log = folder.0.path().join(format!("{name}-{}.log", folder.count()));
        let failed = |error| Error::Start(format!("'{}' cannot be started: {error}", path.display()));
        let out = File::create(&log).map_err(failed)?;
        let err = out.try_clone().map_err(failed)?;
        let mut command = Command::new(&path);
        command.args(arguments).stdin(Stdio::null()).stdout(out).stderr(err);
        for variable in [isolation::OWN, isolation::DOMAIN] {
            command.envs(domain.map(|domain| (variable, domain.to_string())));
        }
        Ok(Self { name: name.into(), process: command.spawn().map_err(failed)?, log })
    }

    /// What it has used so far.
    /// # Errors
    /// It has ended.
    pub fn usage(&self) -> Result<Usage, String> {
        let file = |name| fs::read_to_string(format!("/proc/{}/{name}", self.process.id())).ok();
        let cpu = file("stat").and_then(|stat| cpu(&stat));
        let memory = file("status").and_then(|status| memory(&status));
        match (cpu, memory) {
            (Some(cpu), Some(memory)) => Ok(Usage { cpu, memory }),
            _ => Err(format!("'{}' has ended", self.name)),
        }
    }

    /// What its threads have done so far, or those called `name` alone, more exactly than [`usage`](Child::usage). Threads that
    /// have ended are not counted.
    /// # Errors
    /// It has ended, or has no such thread.
    pub fn activity(&self, name: Option<&str>) -> Result<Activity, String> {
        let mut sum = Activity::default();
        let threads = fs::read_dir(format!("/proc/{}/task", self.process.id()));
        for thread in threads.into_iter().flatten().flatten() {
            let file = |name| fs::read_to_string(thread.path().join(name)).ok();
            if name.is_some_and(|name| file("comm").is_none_or(|comm| comm.trim() != name)) {
                continue;
            }
            let nanos =
                file("schedstat").and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
            let wakeups = file("status").and_then(|text| wakeups(&text));
            if let (Some(nanos), Some(wakeups)) = (nanos, wakeups) {
                sum.cpu += nanos / 1e9;
                sum.wakeups += wakeups;
                sum.threads += 1;
            }
        }
        if sum.threads == 0 { Err(format!("'{}' has ended", self.name)) } else { Ok(sum) }
    }

    /// Its name and the last lines of its output.
    pub fn output(&self) -> String {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let last = &lines[lines.len().saturating_sub(SHOWN)..];
        format!("--- {}\n{}", self.name, if last.is_empty() { "(no output)".into() } else { last.join("\n") })
    }

    /// Asks it to end.
    pub fn ask_to_end(&self) {
        // It is not waited for yet: its number is still its own, even if it has ended.
        let _ = kill_process(Pid::from_child(&self.process), Signal::TERM);
    }

    #[allow(clippy::disallowed_methods)] // nothing is measured while a subject ends
    fn wait(&mut self) {
        let end = clock::now() + PATIENCE;
        while clock::now() < end {
            if !matches!(self.process.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(CHECK_PERIOD);
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if matches!(self.process.try_wait(), Ok(None)) {
            self.ask_to_end();
            self.wait();
        }
    }
}

/// A folder for parameter files and for the output of processes, removed when this is dropped.
pub struct Folder(TempDir);

impl Folder {
    /// Makes the folder.
    /// # Errors
    /// The system's temporary folder is not writable.
    pub fn new() -> Result<Self, Error> {
        let made = tempfile::Builder::new().prefix("steersman-bench-").tempdir();
        made.map(Self).map_err(|error| Error::Start(format!("no temporary folder: {error}")))
    }

    /// Writes `text` to the file `name` in it; gives the file's path.
    /// # Errors
    /// It cannot be written.
    pub fn put(&self, name: &str, text: &str) -> Result<PathBuf, Error> {
        let path = self.0.path().join(name);
        match fs::write(&path, text) {
            Ok(()) => Ok(path),
            Err(error) => Err(Error::Start(format!("'{}' cannot be written: {error}", path.display()))),
        }
    }

    fn count(&self) -> usize {
        fs::read_dir(self.0.path()).map_or(0, Iterator::count)
    }
}

/// The path of the executable `name` in the folder of this one.
pub fn beside(name: &str) -> PathBuf {
    std::env::current_exe().unwrap_or_default().parent().unwrap_or(Path::new("")).join(name)
}

/// Time on a processor \[s] from `/proc/<pid>/stat`: fields 14 and 15, in hundredths of a second on every Linux that
/// ROS 2 runs on. The name, field 2, may hold blanks and parentheses; nothing after it does.
fn cpu(stat: &str) -> Option<f64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<f64>().ok();
    Some((next()? + next()?) / 100.0)
}

/// How often a thread waited and was woken, from its `status`.
fn wakeups(status: &str) -> Option<f64> {
    status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?.trim().parse().ok()
}

/// Resident memory \[MB] from `/proc/<pid>/status`.
fn memory(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_user_and_system_time() {
        let stat = "12 (a) b) S 3 4 5 6 7 8 9 10 11 12 150 25 0 0 20 0 9 0";
        // 150 + 25 hundredths
        assert_eq!(cpu(stat), Some(1.75));
        assert_eq!(cpu("12 (a) S 3"), None);
    }

    #[test]
    fn memory_is_what_is_resident() {
        assert_eq!(memory("VmSize:\t 9 kB\nVmRSS:\t  2048 kB\n"), Some(2.0));
        assert_eq!(memory("VmSize:\t 9 kB\n"), None);
    }

    #[test]
    fn this_process_has_used_something() {
        let file = |name: &str| fs::read_to_string(format!("/proc/self/{name}")).unwrap();
        assert!(cpu(&file("stat")).is_some());
        assert!(memory(&file("status")).unwrap() > 0.1);
        assert!(wakeups(&file("status")).is_some());
    }
}
