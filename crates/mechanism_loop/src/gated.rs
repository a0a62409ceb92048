use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mechanism::robot::EffortGate;
use safety::Instant;

/// Sends efforts to a robot elsewhere.
pub trait EffortSink {
    /// Sends efforts that were computed `at` this time. It may hang.
    fn send(&self, efforts: &[f64], at: Instant);

    /// Sends an effort of zero for each actuator. It may hang.
    fn send_zero(&self);
}

/// The way of efforts to a robot elsewhere, past the [`EffortGate`], whose rule decides. Each thread has a clone of it: all have one gate.
///
/// Nothing is locked during a send. So a send that hangs holds neither a halt nor another thread, and the zero of a halt is sent beside it. If
/// the sink lets that through, it is there at once; in any case the thread whose send hung sends a zero after it.
///
/// # Real-time
/// For threads outside the control loop. [`halt`](Self::halt) and [`reset`](Self::reset) send nothing and wait for no send.
#[derive(Clone, Debug)]
pub struct GatedEfforts<S> {
    gate: Arc<Mutex<EffortGate>>,
    sink: S,
}

impl<S: EffortSink> GatedEfforts<S> {
    /// The way to `sink`, open.
    pub fn new(sink: S) -> Self {
        Self { gate: Arc::default(), sink }
    }

    /// Sends efforts that were computed `at` this time, unless the motors are halted, or were since; zeros if they are too old. `clock` reads the
    /// time.
    pub fn publish(&self, clock: impl Fn() -> Instant, at: Instant, efforts: &[f64]) {
        let now = clock();
        let passes = self.lock().passes(now, at, efforts);
        if passes {
            self.sink.send(efforts, at);
        } else if now.since(at) <= EffortGate::MOST_AGE {
            return;
        }
        let stands = passes && self.lock().stands(clock(), at, efforts);
        if !stands {
            self.sink.send_zero();
        }
    }

    /// From now on only zeros are sent, until a [reset](Self::reset). The next [`publish_zero`](Self::publish_zero) of any thread sends the
    /// first one.
    pub fn halt(&self) {
        self.lock().halt();
    }

    /// Efforts that are computed from `now` on are sent again.
    pub fn reset(&self, now: Instant) {
        self.lock().reset(now);
    }

    /// Sends the zero of a halt, if it is due at `now`.
    pub fn publish_zero(&self, now: Instant) {
        let is_due = self.lock().takes_zero(now);
        if is_due {
            self.sink.send_zero();
        }
    }

    /// Sends a zero; from now on nothing else is sent.
    pub fn publish_last(&self) {
        self.lock().end();
        self.sink.send_zero();
    }

    fn lock(&self) -> MutexGuard<'_, EffortGate> {
        self.gate.lock().unwrap_or_else(PoisonError::into_inner) // it is valid between two calls
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread;
    use std::time::Duration;

    use super::*;

    /// A sink in which the send of an effort begins, and hangs until it is released.
    #[derive(Clone)]
    struct Hung {
        begun: Sender<()>,
        released: Arc<Mutex<Receiver<()>>>,
        received: Arc<Mutex<Vec<f64>>>,
    }

    impl EffortSink for Hung {
        fn send(&self, efforts: &[f64], _: Instant) {
            self.begun.send(()).unwrap();
            self.released.lock().unwrap().recv().unwrap();
            self.received.lock().unwrap().extend(efforts);
        }

        fn send_zero(&self) {
            self.received.lock().unwrap().push(0.0);
        }
    }

    fn at(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    /// The messages in order of arrival, where `act` happens while the send of an effort of 5 ms hangs.
    fn received(act: impl FnOnce(&GatedEfforts<Hung>)) -> Vec<f64> {
        let (begun, begins) = channel();
        let (release, released) = channel();
        let sink = Hung { begun, released: Arc::new(Mutex::new(released)), received: Arc::default() };
        let efforts = GatedEfforts::new(sink);
        let other = efforts.clone();
        thread::scope(|scope| {
            let hangs = scope.spawn(move || other.publish(|| at(10), at(5), &[0.7]));
            begins.recv_timeout(Duration::from_secs(10)).unwrap();
            act(&efforts);
            release.send(()).unwrap();
            hangs.join().unwrap();
        });
        efforts.sink.received.lock().unwrap().clone()
    }

    #[test]
    fn a_zero_goes_out_in_place_of_efforts_from_before_a_hold_or_after_them() {
        let sent = |times: [u64; 2]| {
            let (begun, _begins) = channel();
            let (release, released) = channel();
            release.send(()).unwrap();
            let sink = Hung { begun, released: Arc::new(Mutex::new(released)), received: Arc::default() };
            let (efforts, times) = (GatedEfforts::new(sink), Cell::new(times.into_iter()));
            let clock = || {
                let mut left = times.take();
                let now = left.next().unwrap();
                times.set(left);
                at(now)
            };
            efforts.publish(clock, at(5), &[0.7]);
            efforts.sink.received.lock().unwrap().clone()
        };
        assert_eq!(sent([205, 205]), [0.7]);
        assert_eq!(sent([206, 206]), [0.0], "it was held before the send");
        assert_eq!(sent([10, 206]), [0.7, 0.0], "in the send");
    }

    #[test]
    fn a_send_that_hangs_holds_no_halt_back_and_a_zero_follows_it() {
        assert_eq!(received(|_| {}), [0.7]);
        let halted = |efforts: &GatedEfforts<Hung>| {
            efforts.halt();
            efforts.publish_zero(at(20));
            efforts.publish_zero(at(30));
            efforts.publish_zero(at(120));
        };
        assert_eq!(received(halted), [0.0, 0.0, 0.7, 0.0], "at once, again after 0.1 s, and last");
        assert_eq!(received(GatedEfforts::publish_last), [0.0, 0.7, 0.0]);
        let reset = |efforts: &GatedEfforts<Hung>| {
            efforts.halt();
            efforts.reset(at(30));
        };
        assert_eq!(received(reset), [0.7, 0.0], "computed before the halt");
    }
}
