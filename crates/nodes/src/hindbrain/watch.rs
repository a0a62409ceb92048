use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use hindbrain::{Motors, TICK};
use r2r::std_msgs::msg::Int16;
use ros::{Error, clock};
use units::{Instant, Stamp};

use super::NAME;
use super::controller::Controller;

/// How often the supervising thread looks.
const LOOK: Duration = Duration::from_millis(10);

/// What the supervising thread knows of the others: when a motor value last went out, and when the node's loop last
/// went round.
///
/// The motors are watched over only while both go on: in the composed process other threads would go on driving although
/// nobody listens to the emergency stop.
/// # Real-time
/// Atomics only; whoever hangs holds nothing that the supervising thread needs.
#[derive(Clone)]
pub struct Watch(Arc<Seen>);

struct Seen {
    driven: AtomicU64,
    turned: AtomicU64,
    limit: AtomicU64,
    tripped: AtomicBool,
}

impl Watch {
    /// Everything was seen just now.
    pub fn new(limit: Duration) -> Self {
        let now = clock::now().as_nanos();
        Self(Arc::new(Seen {
            driven: AtomicU64::new(now),
            turned: AtomicU64::new(now),
            limit: AtomicU64::new(nanos(limit)),
            tripped: AtomicBool::new(false),
        }))
    }

    /// A motor value went out.
    pub fn set_driven(&self) {
        self.0.driven.store(clock::now().as_nanos(), Ordering::SeqCst);
    }

    /// The node's loop went round; from now on it may take up to `limit` until the next time.
    pub fn set_turned(&self, limit: Duration) {
        self.0.limit.store(nanos(limit), Ordering::SeqCst);
        self.0.turned.store(clock::now().as_nanos(), Ordering::SeqCst);
    }

    /// Whether the supervising thread had to stop the motors; nothing but a stop may go out until it is cleared.
    pub fn is_tripped(&self) -> bool {
        self.0.tripped.load(Ordering::SeqCst)
    }

    /// The machine knows that it was unwatched.
    pub fn clear(&self) {
        self.0.tripped.store(false, Ordering::SeqCst);
    }

    /// For how long the less recent of the two has not been seen.
    fn silence(&self, now: Instant) -> Duration {
        let seen = self.0.driven.load(Ordering::SeqCst).min(self.0.turned.load(Ordering::SeqCst));
        now.since(Instant::from_nanos(seen))
    }

    /// Trips if it is time; whether it just did.
    fn look(&self, now: Instant) -> bool {
        let limit = Duration::from_nanos(self.0.limit.load(Ordering::SeqCst));
        self.silence(now) > limit && !self.0.tripped.swap(true, Ordering::SeqCst)
    }
}

/// The thread that stops the motors when nobody else does.
///
/// It ends when it is dropped.
pub struct Supervisor {
    thread: Option<JoinHandle<()>>,
    ended: Arc<AtomicBool>,
}

impl Supervisor {
    /// Watches from now on; `motors` are the two motors' topics, `controller` is what stands behind them.
    /// # Errors
    /// The operating system refuses the thread.
    pub fn start(
        watch: Watch,
        motors: [r2r::Publisher<Int16>; 2],
        controller: Option<Controller>,
    ) -> Result<Self, Error> {
        let ended = Arc::new(AtomicBool::new(false));
        let end = Arc::clone(&ended);
        let thread = thread::Builder::new()
            .name("supervisor".into())
            .spawn(move || supervise(&watch, &motors, controller.as_ref(), &end))
            .map_err(|error| Error::Start(format!("the supervising thread does not start: {error}")))?;
        Ok(Self { thread: Some(thread), ended })
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

fn supervise(
    watch: &Watch,
    motors: &[r2r::Publisher<Int16>; 2],
    controller: Option<&Controller>,
    ended: &AtomicBool,
) {
    let stop = Motors::stop(Stamp::ZERO);
    let mut due = Instant::ZERO;
    while !ended.load(Ordering::SeqCst) {
        thread::park_timeout(LOOK);
        let now = clock::now();
        let tripped = watch.look(now);
        if watch.is_tripped() && now >= due {
            due = now + TICK;
            if let Some(controller) = controller {
                controller.drive(stop.levels()); // first: a topic may hang
            }
            for (motor, value) in motors.iter().zip([stop.port, stop.starboard]) {
                // Whether it leaves is out of our hands; the next try is one tick away.
                let _ = motor.publish(&Int16 { data: value });
            }
        }
        if tripped {
            log::error!(
                target: NAME,
                "nobody watched over the motors for {:?}: the supervising thread stops them",
                watch.silence(now)
            );
        }
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(100);

    #[test]
    fn it_trips_once_when_either_is_silent() {
        let watch = Watch::new(LIMIT);
        let start = clock::now();
        assert!(!watch.look(start + LIMIT / 2));
        assert!(watch.look(start + LIMIT * 2) && watch.is_tripped());
        assert!(!watch.look(start + LIMIT * 3), "once is enough");
        watch.clear();
        assert!(watch.look(start + LIMIT * 3), "nothing was seen since");
    }

    #[test]
    fn one_of_both_is_not_enough() {
        for drives in [true, false] {
            let watch = Watch::new(LIMIT);
            let start = clock::now();
            let later = Instant::from_nanos(start.as_nanos() + nanos(LIMIT * 2));
            let slot = if drives { &watch.0.driven } else { &watch.0.turned };
            slot.store(later.as_nanos(), Ordering::SeqCst);
            assert!(watch.look(later), "drives: {drives}");
        }
    }

    #[test]
    fn the_limit_may_change() {
        let watch = Watch::new(LIMIT);
        watch.set_driven();
        watch.set_turned(LIMIT * 10);
        assert!(!watch.look(clock::now() + LIMIT * 5));
    }
}
