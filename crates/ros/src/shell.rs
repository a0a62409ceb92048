use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use safety::{ClockReading, Instant, Machine, earliest};

use crate::alarm::{Alarm, AlarmThread};
use crate::outputs::Outputs;
use crate::turns::send_in_turn;
use crate::{Error, clock, panics};

/// A machine and the functions that carry out its outputs, shared by all threads that have events for it.
///
/// Each call delivers an event under the machine's lock, releases the lock, and then publishes every output that follows. So a send that
/// hangs in the middleware holds neither the machine nor the threads that have events for it: their outputs wait in a queue, and the
/// thread that publishes takes them over. The order of delivery is the order of the machine's inputs and of its outputs, and no thread
/// switch lies between a stick event and a motor value unless another thread is publishing. The thread of
/// [`start_alarm`](Shell::start_alarm) carries out what is due without an event.
///
/// The machine decides which of the outputs that wait may be lost or overtaken ([`Machine::backlog`]).
///
/// An output that must not wait for a send is an act ([`act_first`](Shell::act_first)): it is carried out under the machine's lock, at once.
///
/// After a panic on any thread of the process ([`panics`]) the machine receives no input and no output is carried out.
///
/// # Real-time
/// The machine's lock is held for the machine and its acts, never for a send.
pub struct Shell<M: Machine> {
    inner: Arc<Mutex<Inner<M>>>,
    /// Locked while outputs are published.
    publisher: Arc<Mutex<Publish<M::Output>>>,
    alarm: Arc<Alarm>,
}

type Publish<O> = Box<dyn FnMut(O) + Send>;
type Fault = Arc<dyn Fn(FaultPlace) + Send + Sync>;

struct Inner<M: Machine> {
    machine: M,
    /// When the machine has to be polled at the latest since a deadline had passed when it read the time, whatever its deadline is
    /// now.
    overdue: Option<Instant>,
    /// When the alarm's timer rings.
    rings: Option<Instant>,
    clock_read: Option<fn(ClockReading) -> M::Input>,
    outputs: Outputs<M>,
    fault: Option<Fault>,
}

/// The time in which the messages that were read are delivered, before the alarm's thread carries out what the machine may have
/// forgotten when it read the time.
const DELIVERY: Duration = Duration::from_millis(2);
/// How often [`flush`](Shell::flush) looks.
const LOOK: Duration = Duration::from_millis(1);

/// Where a fault can be injected, see [`Shell::add_fault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultPlace {
    /// The machine, at every use.
    Machine,
    /// The publishing of its outputs.
    Publish,
}

impl<M: Machine> Clone for Shell<M> {
    fn clone(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            publisher: Arc::clone(&self.publisher),
            alarm: Arc::clone(&self.alarm),
        }
    }
}

impl<M: Machine> Shell<M> {
    /// `publish` publishes an output; it may be slow. `clock_read` makes the input that gives the machine the clock of stamps, for machines
    /// that stamp their outputs themselves.
    pub fn new(
        machine: M,
        clock_read: Option<fn(ClockReading) -> M::Input>,
        publish: impl FnMut(M::Output) + Send + 'static,
    ) -> Self {
        let inner =
            Inner { machine, overdue: None, rings: None, clock_read, outputs: Outputs::new(), fault: None };
        Self {
            inner: Arc::new(Mutex::new(inner)),
            publisher: Arc::new(Mutex::new(Box::new(publish))),
            alarm: Arc::new(Alarm::new()),
        }
    }

    /// Carries out each output by `act` first, under the machine's lock, and publishes what `act` returns. `act` must not send, wait or
    /// take a lock that is held during a send.
    #[must_use]
    pub fn act_first(self, act: impl FnMut(M::Output) -> Option<M::Output> + Send + 'static) -> Self {
        self.lock().outputs.act = Some(Box::new(act));
        self
    }

    /// Calls `fault` with the machine's lock held before each use of the machine, and without it before each output is published. Tests
    /// use it to examine a process that panics or hangs there.
    pub fn add_fault(&self, fault: impl Fn(FaultPlace) + Send + Sync + 'static) {
        self.lock().fault = Some(Arc::new(fault));
    }

    /// Delivers `input` to the machine as of now and carries out the resulting outputs.
    pub fn deliver(&self, input: M::Input) {
        self.deliver_all([input]);
    }

    /// Delivers `input` if the machine passes `check`. `on_accepted` runs before the input; it prepares the code that publishes the
    /// outputs from then on, so every earlier output is published first. Nothing happens to the machine between the check and the input.
    /// # Errors
    /// The error of `check`; nothing is delivered then.
    pub fn deliver_checked<E>(
        &self,
        input: M::Input,
        check: impl FnOnce(&M) -> Result<(), E>,
        on_accepted: impl FnOnce(),
    ) -> Result<(), E> {
        let checked = (|| {
            let mut publish = self.publisher.lock().unwrap_or_else(PoisonError::into_inner);
            let Some((mut inner, now)) = self.lock_published(&mut publish) else { return Ok(()) };
            check(&inner.machine)?;
            on_accepted();
            inner.machine.handle(now, input);
            inner.drain(now);
            Ok(())
        })();
        // Also after a refusal: meanwhile another thread may have left its outputs to this one.
        self.publish_waiting();
        checked
    }

    /// The machine, once everything that was due by now is published.
    fn lock_published(&self, publish: &mut Publish<M::Output>) -> Option<(LockedMachine<'_, M>, Instant)> {
        loop {
            let mut inner = self.lock_whole()?;
            let now = inner.update_clock();
            inner.drain(now);
            if inner.outputs.is_empty() {
                return Some((inner, now));
            }
            drop(inner);
            self.publish_all(publish);
        }
    }

    /// Delivers all of `inputs` to the machine as of now, and then carries out the resulting outputs.
    pub fn deliver_all(&self, inputs: impl IntoIterator<Item = M::Input>) {
        {
            let Some(mut inner) = self.lock_whole() else { return };
            let now = inner.update_clock();
            for input in inputs {
                inner.machine.handle(now, input);
            }
            inner.drain(now);
        }
        self.publish_waiting();
    }

    /// Whether so many outputs wait behind a send that nothing must be asked of the machine that it has to answer.
    pub(crate) fn is_full(&self) -> bool {
        self.lock().outputs.is_full()
    }

    /// Waits until all outputs are published, for `limit` at most; returns whether they are. For the end of a node.
    pub fn flush(&self, limit: Duration) -> bool {
        let end = clock::now() + limit;
        loop {
            self.publish_waiting();
            let is_done = self.publisher.try_lock().is_ok() && self.lock().outputs.is_empty();
            if is_done || clock::now() >= end {
                return is_done;
            }
            thread::park_timeout(LOOK);
        }
    }

    /// Publishes what waits, unless another thread is publishing, which then takes it over.
    fn publish_waiting(&self) {
        let has_more = || !panics::happened() && !self.lock().outputs.is_empty();
        send_in_turn(&self.publisher, |publish| self.publish_all(publish), has_more);
    }

    fn publish_all(&self, publish: &mut Publish<M::Output>) {
        while !panics::happened() {
            let mut inner = self.lock(); // the machine is not used, so its deadline stays
            let Some(output) = inner.outputs.pop().filter(|_| !panics::happened()) else { return };
            let fault = inner.fault.clone();
            drop(inner);
            if let Some(fault) = fault {
                fault(FaultPlace::Publish);
            }
            publish(output);
        }
    }

    /// Reports to the machine the current time, and that this thread, which had read all messages at `since`, was due to read
    /// again by `due`. No output is carried out. So the machine knows how long the next inputs may have waited, and a stop
    /// among them goes out before what became due meanwhile.
    pub fn read_again(&self, since: Instant, due: Instant) {
        let Some(mut inner) = self.lock_whole() else { return };
        let deadline = inner.machine.deadline();
        let now = inner.update_clock();
        inner.machine.read_again(now, since, due);
        if deadline.is_some_and(|deadline| deadline <= now) {
            inner.overdue.get_or_insert(now + DELIVERY);
        }
    }

    /// Starts the thread that polls the machine at its deadlines. It ends when the returned value is dropped. One is enough.
    /// # Errors
    /// The operating system refuses the thread.
    pub fn start_alarm(&self) -> Result<AlarmThread, Error>
    where
        M: Send + 'static,
    {
        AlarmThread::start(self)
    }

    pub(crate) fn alarm(&self) -> &Arc<Alarm> {
        &self.alarm
    }

    /// Carries out what is due when the alarm's timer has rung; nothing after a panic.
    pub(crate) fn poll_at_deadline(&self) {
        {
            let Some(mut inner) = self.lock_whole() else { return };
            inner.rings = None; // it has rung: the same deadline is set again
            if inner.deadline().is_some_and(|deadline| deadline <= clock::now()) {
                let now = inner.update_clock();
                inner.drain(now);
            }
        }
        self.publish_waiting();
    }

    /// Reads the machine's state.
    pub fn inspect<T>(&self, read: impl FnOnce(&M) -> T) -> T {
        read(&self.lock().machine)
    }

    /// Reads the machine's state and delivers the input that `read` returns, before anything else can happen to the machine.
    pub fn decide<T>(&self, read: impl FnOnce(&M) -> (T, Option<M::Input>)) -> T {
        let answer = {
            let Some(mut inner) = self.lock_whole() else { return read(&self.lock().machine).0 };
            let now = inner.update_clock();
            let (answer, input) = read(&inner.machine);
            if let Some(input) = input {
                inner.machine.handle(now, input);
            }
            inner.drain(now);
            answer
        };
        self.publish_waiting();
        answer
    }

    /// Locks the machine, unless the process panicked.
    fn lock_whole(&self) -> Option<LockedMachine<'_, M>> {
        if panics::happened() {
            return None;
        }
        // Checked again, since the thread that had the lock may have panicked.
        let inner = Some(self.lock()).filter(|_| !panics::happened())?;
        Some(LockedMachine { inner, alarm: &self.alarm })
    }

    /// A panic while the lock was held leaves the machine between two events at worst. Stopping still works, and that matters
    /// more than the poison.
    fn lock(&self) -> MutexGuard<'_, Inner<M>> {
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(fault) = &inner.fault {
            fault(FaultPlace::Machine);
        }
        inner
    }
}

/// The locked machine. Its deadline may have changed when the lock is released; the alarm is updated then.
struct LockedMachine<'a, M: Machine> {
    inner: MutexGuard<'a, Inner<M>>,
    alarm: &'a Alarm,
}

impl<M: Machine> Deref for LockedMachine<'_, M> {
    type Target = Inner<M>;

    fn deref(&self) -> &Inner<M> {
        &self.inner
    }
}

impl<M: Machine> DerefMut for LockedMachine<'_, M> {
    fn deref_mut(&mut self) -> &mut Inner<M> {
        &mut self.inner
    }
}

impl<M: Machine> Drop for LockedMachine<'_, M> {
    fn drop(&mut self) {
        // A machine that just panicked is not used.
        if !thread::panicking() {
            let deadline = self.inner.deadline();
            if std::mem::replace(&mut self.inner.rings, deadline) != deadline {
                self.alarm.set(deadline);
            }
        }
    }
}

impl<M: Machine> Inner<M> {
    fn update_clock(&mut self) -> Instant {
        let now = clock::now();
        if let Some(clock_read) = self.clock_read {
            self.machine.handle(now, clock_read(clock::reading()));
        }
        now
    }

    fn deadline(&self) -> Option<Instant> {
        earliest(self.overdue, self.machine.deadline())
    }

    /// Carries out all acts; what has to be published waits.
    fn drain(&mut self, now: Instant) {
        self.overdue = None;
        while let Some(output) = self.machine.poll(now).filter(|_| !panics::happened()) {
            self.outputs.push(output);
        }
    }
}

#[cfg(test)]
mod tests;
