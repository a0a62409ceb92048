use rustix::mm::MlockAllFlags;
use rustix::thread::{CpuSet, sched_setaffinity};
use thread_priority::{
    RealtimeThreadSchedulePolicy, ThreadPriority, ThreadPriorityValue, ThreadSchedulePolicy,
    set_thread_priority_and_policy, thread_native_id,
};

/// Settings that a thread requests from the operating system, so that it wakes up in time.
///
/// Each request may be refused; the thread then runs without it, and the caller gets the remedy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RealTime {
    /// The priority of `SCHED_FIFO`, 1 to 99; `None` for the normal scheduler.
    pub priority: Option<u8>,
    /// Whether all memory of the process stays in memory once it was used, what it will allocate included. Memory that is never
    /// used takes none.
    pub lock_memory: bool,
    /// The processors that it may run on; all if there are none.
    pub cores: Vec<usize>,
}

/// A request that the operating system refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The priority, and the reason.
    #[error(
        "the real-time loop runs without real-time priority: SCHED_FIFO {0} is refused ({1}); allow it with 'rtprio {0}' for this user \
         in /etc/security/limits.conf, or LimitRTPRIO in its systemd unit"
    )]
    Priority(u8, String),
    /// Memory could not be locked; the reason.
    #[error(
        "the real-time loop may wait for pages: memory cannot be locked ({0}); allow it with 'memlock unlimited' for this user in \
         /etc/security/limits.conf, or LimitMEMLOCK in its systemd unit"
    )]
    Memory(String),
    /// The processors, and the reason.
    #[error("the real-time loop runs on any processor: {0:?} is refused ({1})")]
    Cores(Vec<usize>, String),
}

impl RealTime {
    /// Applies the settings to the calling thread, and to the process's memory. Returns what was refused.
    pub fn apply(&self) -> Vec<Refused> {
        let mut refused = Vec::new();
        if let Some(priority) = self.priority
            && let Err(reason) = set_priority(priority)
        {
            refused.push(Refused::Priority(priority, reason));
        }
        if self.lock_memory
            && let Err(error) =
                rustix::mm::mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE | MlockAllFlags::ONFAULT)
        {
            refused.push(Refused::Memory(error.to_string()));
        }
        if !self.cores.is_empty()
            && let Err(reason) = self.pin()
        {
            refused.push(Refused::Cores(self.cores.clone(), reason));
        }
        refused
    }

    fn pin(&self) -> Result<(), String> {
        let mut set = CpuSet::new();
        for &core in &self.cores {
            if core >= CpuSet::MAX_CPU {
                return Err(format!("{core} is no number of a processor"));
            }
            set.set(core);
        }
        sched_setaffinity(None, &set).map_err(|error| error.to_string())
    }
}

fn set_priority(priority: u8) -> Result<(), String> {
    let value = ThreadPriorityValue::try_from(priority)?;
    let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo);
    let set =
        set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Crossplatform(value), policy);
    set.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies the settings on a thread of its own, so the others keep theirs.
    fn applied(settings: RealTime) -> Vec<Refused> {
        std::thread::scope(|scope| scope.spawn(|| settings.apply()).join()).unwrap()
    }

    #[test]
    fn without_a_request_nothing_is_refused() {
        assert_eq!(applied(RealTime::default()), []);
    }

    #[test]
    fn a_processor_that_does_not_exist_is_refused_and_the_thread_goes_on() {
        for core in [1023, 1_000_000] {
            let refused = applied(RealTime { cores: vec![core], ..RealTime::default() });
            assert!(matches!(&refused[..], [Refused::Cores(cores, _)] if *cores == [core]), "{refused:?}");
            assert!(refused[0].to_string().contains(&format!("[{core}] is refused")), "{}", refused[0]);
        }
        assert_eq!(applied(RealTime { cores: vec![0], ..RealTime::default() }), []);
    }

    /// Fields 40 and 41 of `/proc/thread-self/stat`: the real-time priority and the policy, of which 1 is `SCHED_FIFO`.
    fn scheduling() -> (u32, u32) {
        let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        (fields[37].parse().unwrap(), fields[38].parse().unwrap())
    }

    #[test]
    fn the_kernel_has_the_priority_and_the_processor_that_were_not_refused() {
        let settings = RealTime { priority: Some(20), cores: vec![0], ..RealTime::default() };
        let (refused, scheduling, cores) = std::thread::scope(|scope| {
            let applied =
                || (settings.apply(), scheduling(), rustix::thread::sched_getaffinity(None).unwrap());
            scope.spawn(applied).join().unwrap()
        });
        assert_eq!((cores.count(), cores.is_set(0)), (1, true));
        if refused.is_empty() {
            assert_eq!(scheduling, (20, 1));
        } else {
            assert!(matches!(&refused[..], [Refused::Priority(20, _)]), "{refused:?}");
            assert_eq!(scheduling, (0, 0), "refused, so the normal scheduler");
        }
    }

    #[test]
    fn a_priority_that_is_none_is_refused_with_the_remedy() {
        for priority in [0, 100, 255] {
            let refused = applied(RealTime { priority: Some(priority), ..RealTime::default() });
            assert!(
                matches!(&refused[..], [Refused::Priority(found, _)] if *found == priority),
                "{refused:?}"
            );
            assert!(refused[0].to_string().contains("/etc/security/limits.conf"), "{}", refused[0]);
        }
    }
}
