use crate::Parameter;

crate::params! {
    /// The parameters of the thread of a real-time loop, in each node that has one.
    pub struct LoopThread {
        /// The priority of the loop's thread with SCHED_FIFO, if that is permitted; 0 for the normal scheduler.
        priority: Option<u8> = Parameter::integer("priority", 50, 0, 99).at_start() => priority,
        /// Whether the process's memory is locked (mlockall), if that is permitted.
        lock_memory: bool = Parameter::bool("lock_memory", true).at_start(),
        /// The processors that the loop may run on; empty for all.
        cores: Vec<usize> = Parameter::integers("cores", &[], 0, 1023, 64).at_start() => numbers,
    }
}

/// `None` for the normal scheduler.
fn priority(value: i64) -> Option<u8> {
    u8::try_from(value).ok().filter(|priority| *priority > 0)
}

fn numbers(values: Vec<i64>) -> Vec<usize> {
    values.into_iter().filter_map(|value| usize::try_from(value).ok()).collect()
}
