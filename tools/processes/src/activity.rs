use std::fs;
use std::io;
use std::time::Duration;

use boot_clock::now;

use crate::Process;

/// Activity of processes since their start, or in each second of a time; all their threads together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Activity {
    /// Time on a processor \[s], or in each second \[1].
    pub cpu: f64,
    /// How often a thread woke up, or in each second \[1/s].
    pub wakeups: f64,
    /// How many threads there are at the end.
    pub threads: usize,
    /// Resident memory at the end, shared pages included \[MB].
    pub memory: f64,
}

/// Observes processes since it was made.
pub struct Meter<'a> {
    processes: &'a [Process],
    thread: Option<&'a str>,
    began: Duration,
    before: Activity,
}

impl<'a> Meter<'a> {
    /// Begins to observe `processes`, or only their threads of a name.
    /// # Errors
    /// A process has ended, or has no such thread.
    pub fn new(processes: &'a [Process], thread: Option<&'a str>) -> io::Result<Self> {
        Ok(Self { processes, thread, began: now(), before: Activity::of(processes, thread)? })
    }

    /// Activity in each second until now. Threads that have ended are not counted.
    /// # Errors
    /// A process has ended.
    pub fn read(&self) -> io::Result<Activity> {
        let seconds = (now() - self.began).as_secs_f64();
        let after = Activity::of(self.processes, self.thread)?;
        Ok(Activity {
            cpu: (after.cpu - self.before.cpu) / seconds,
            wakeups: (after.wakeups - self.before.wakeups) / seconds,
            ..after
        })
    }
}

impl Activity {
    /// Sum of all `processes` since their start.
    fn of(processes: &[Process], thread: Option<&str>) -> io::Result<Self> {
        let mut sum = Self::default();
        for process in processes {
            let folder = format!("/proc/{}", process.id());
            let ended = || io::Error::other(format!("'{}' has ended", process.name()));
            sum.add_threads(&folder, thread).ok_or_else(ended)?;
            let status = fs::read_to_string(format!("{folder}/status")).ok();
            sum.memory += status.and_then(|status| memory(&status)).ok_or_else(ended)?;
        }
        Ok(sum)
    }

    /// Adds the threads of a process, or those called `name`; `None` without any.
    fn add_threads(&mut self, process: &str, name: Option<&str>) -> Option<()> {
        let before = self.threads;
        for thread in fs::read_dir(format!("{process}/task")).ok()?.flatten() {
            let file = |name| fs::read_to_string(thread.path().join(name)).ok();
            if name.is_some_and(|name| file("comm").is_none_or(|comm| comm.trim() != name)) {
                continue;
            }
            let nanos =
                file("schedstat").and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
            let wakeups = file("status").and_then(|text| wakeups(&text));
            if let (Some(nanos), Some(wakeups)) = (nanos, wakeups) {
                self.cpu += nanos / 1e9;
                self.wakeups += wakeups;
                self.threads += 1;
            }
        }
        (self.threads > before).then_some(())
    }
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
    use crate::Folder;

    #[test]
    fn memory_is_what_is_resident() {
        assert_eq!(memory("VmSize:\t 9 kB\nVmRSS:\t  2048 kB\n"), Some(2.0));
        assert_eq!(memory("VmSize:\t 9 kB\n"), None);
    }

    #[test]
    fn a_busy_process_is_measured_until_it_ends() {
        let folder = Folder::new("test").unwrap();
        let mut processes = [crate::tests::shell("while :; do :; done", &folder)];
        let meter = Meter::new(&processes, None).unwrap();
        assert!(Meter::new(&processes, Some("control")).is_err());
        std::thread::park_timeout(Duration::from_millis(200));
        let Activity { cpu, threads, memory, .. } = meter.read().unwrap();
        assert!((0.01..1.1).contains(&cpu) && threads == 1 && memory > 0.1, "{cpu} {threads} {memory}");
        crate::end(&mut processes);
        assert_eq!(Meter::new(&processes, None).err().unwrap().to_string(), "'sh' has ended");
    }
}
