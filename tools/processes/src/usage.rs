use std::fs;

use crate::Process;

/// Usage of a process so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Time on a processor since its start \[s].
    pub cpu: f64,
    /// Resident memory now, shared pages included \[MB].
    pub memory: f64,
}

/// Activity of a process, all of its threads together.
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
    /// Sum of the activities of all `children` so far.
    /// # Errors
    /// One has ended.
    pub fn of(children: &[Process]) -> Result<Self, String> {
        children.iter().try_fold(Self::default(), |sum, child| {
            let one = child.activity(None)?;
            Ok(Self {
                cpu: sum.cpu + one.cpu,
                wakeups: sum.wakeups + one.wakeups,
                threads: sum.threads + one.threads,
            })
        })
    }

    /// Activity in each of the `seconds` since `before`.
    #[must_use]
    pub fn since(&self, before: &Self, seconds: f64) -> Self {
        Self {
            cpu: (self.cpu - before.cpu) / seconds,
            wakeups: (self.wakeups - before.wakeups) / seconds,
            threads: self.threads,
        }
    }
}

impl Process {
    /// Usage of the process so far.
    /// # Errors
    /// The process has ended.
    pub fn usage(&self) -> Result<Usage, String> {
        let file = |name| fs::read_to_string(format!("/proc/{}/{name}", self.id())).ok();
        let cpu = file("stat").and_then(|stat| cpu(&stat));
        let memory = file("status").and_then(|status| memory(&status));
        match (cpu, memory) {
            (Some(cpu), Some(memory)) => Ok(Usage { cpu, memory }),
            _ => Err(format!("'{}' has ended", self.name())),
        }
    }

    /// Activity of its threads so far, or of those called `name` alone, more exact than [`usage`](Process::usage). Threads that
    /// have ended are not counted.
    /// # Errors
    /// The process has ended, or has no such thread.
    pub fn activity(&self, name: Option<&str>) -> Result<Activity, String> {
        let mut sum = Activity::default();
        let threads = fs::read_dir(format!("/proc/{}/task", self.id()));
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
        if sum.threads == 0 { Err(format!("'{}' has ended", self.name())) } else { Ok(sum) }
    }
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
