//! How a thread reads the middleware.

use std::time::Duration;

use safety::{Instant, Machine};

use crate::{Shell, clock};

/// The most wake-ups in a row before the received messages are delivered: enough for the longest queue of the middleware, see
/// [`qos::commands`](crate::qos::commands).
const MAX_ROUNDS: usize = 128;

/// A wake-up that is later than this after it was due shows that the process was held, so more messages may wait than the one
/// that caused it.
const LATE: Duration = Duration::from_millis(5);

/// A wait of at least this length was a sleep: no message was unread until it ended, and a single message of one topic ended
/// it.
const MIN_SLEEP: Duration = Duration::from_millis(1);

/// Reads the middleware for one thread, and keeps the time since when no message was left unread.
pub(crate) struct Reader {
    all_read: Instant,
}

impl Reader {
    /// A reader that has read everything up to now.
    pub(crate) fn new() -> Self {
        Self { all_read: clock::now() }
    }

    /// Waits for messages for `idle` at most, and receives with `receive` what the middleware has for `node`: after a sleep the
    /// message that ended it if that is the only one, otherwise until no more come. In between the machine sees the time, and learns
    /// whether this thread was held since its last read, here or elsewhere.
    pub(crate) fn wait_and_receive<M: Machine>(
        &mut self,
        node: &mut r2r::Node,
        shell: &Shell<M>,
        idle: Duration,
        mut receive: impl FnMut() -> usize,
    ) {
        let began = clock::now();
        node.spin_once(idle);
        let woke = clock::now();
        let slept = woke.since(began);
        let is_late = slept > idle + LATE;
        if is_late {
            // The process was held. The wait may have ended by its timeout alone, and messages that arrived meanwhile have to
            // be delivered before what is due.
            node.spin_once(Duration::ZERO);
        }
        shell.read_again(self.all_read, self.all_read + idle);
        if MIN_SLEEP <= slept && !is_late {
            self.all_read = woke;
            if receive() <= 1 {
                return;
            }
            // One of each topic and service was taken: others may have been sent before one of these, as a goal before a stop.
            node.spin_once(Duration::ZERO);
        }
        for _ in 0..MAX_ROUNDS {
            if receive() == 0 {
                self.all_read = clock::now();
                return;
            }
            node.spin_once(Duration::ZERO);
        }
    }
}
