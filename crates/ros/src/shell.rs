use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use units::{Instant, Machine, Stamp};

use crate::alarm::{Alarm, AlarmThread};
use crate::{Error, clock, panics};

/// A machine and the way its outputs leave, shared by all who have events for it.
///
/// Whoever delivers an event takes it to its last output within the same call, under one lock: the order of delivery
/// is the order of the machine's inputs, and no thread switch lies between a stick event and a motor value. What is due without an
/// event is carried out by the thread of [`start_alarm`](Shell::start_alarm).
///
/// After a panic on any thread of the process ([`panics`]) no machine is given anything and no output leaves.
///
/// # Real-time
/// The lock is held while outputs are published, which the middleware does in tens of microseconds.
pub struct Shell<M: Machine> {
    inner: Arc<Mutex<Inner<M>>>,
    alarm: Arc<Alarm>,
}

struct Inner<M: Machine> {
    machine: M,
    clock_read: Option<fn(Stamp) -> M::Input>,
    publish: Box<dyn FnMut(M::Output) + Send>,
    mistake: Option<Box<dyn FnMut(Place) + Send>>,
}

/// Where a mistake may be, see [`Shell::add_mistake`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the machine, whatever is asked of it.
    Machine,
    /// In what carries its outputs away.
    Publish,
}

impl<M: Machine> Clone for Shell<M> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), alarm: Arc::clone(&self.alarm) }
    }
}

impl<M: Machine> Shell<M> {
    /// `publish` brings an output to the graph; `clock_read` makes the input that tells the machine the wall clock, for
    /// machines that stamp what they make themselves.
    pub fn new(
        machine: M,
        clock_read: Option<fn(Stamp) -> M::Input>,
        publish: impl FnMut(M::Output) + Send + 'static,
    ) -> Self {
        let inner = Inner { machine, clock_read, publish: Box::new(publish), mistake: None };
        Self { inner: Arc::new(Mutex::new(inner)), alarm: Arc::new(Alarm::new()) }
    }

    /// Calls `mistake` with the lock held before each use of the machine and before each output is published, for tests of what
    /// is left of a process when it panics or hangs there.
    pub fn add_mistake(&self, mistake: impl FnMut(Place) + Send + 'static) {
        self.lock().mistake = Some(Box::new(mistake));
    }

    /// Tells the machine that `input` happened now and carries out what it asks for.
    pub fn deliver(&self, input: M::Input) {
        self.deliver_all([input]);
    }

    /// The same if the machine as it is passes `check`, and after `note`, which takes note of `input` for whoever carries out what
    /// the machine asks for from then on. Nothing happens to the machine between the check and the input.
    /// # Errors
    /// What `check` says; then nothing is delivered.
    pub fn deliver_checked<E>(
        &self,
        input: M::Input,
        check: impl FnOnce(&M) -> Result<(), E>,
        note: impl FnOnce(),
    ) -> Result<(), E> {
        let Some(mut inner) = self.lock_whole() else { return Ok(()) };
        let now = inner.tell_clock();
        inner.drain(now); // what is due by now comes before the check, and is meant without the note
        check(&inner.machine)?;
        note();
        inner.machine.handle(now, input);
        inner.drain(now);
        Ok(())
    }

    /// Tells the machine that all of `inputs` happened now, and then carries out what it asks for.
    pub fn deliver_all(&self, inputs: impl IntoIterator<Item = M::Input>) {
        let Some(mut inner) = self.lock_whole() else { return };
        let now = inner.tell_clock();
        for input in inputs {
            inner.machine.handle(now, input);
        }
        inner.drain(now);
    }

    /// Lets the machine see the time, and that this thread, which read all there was at `since`, was to read again by `due`. Nothing
    /// is carried out: so it knows for how long what is delivered next may have waited, and what stops goes out before what was due
    /// meanwhile.
    pub fn read_again(&self, since: Instant, due: Instant) {
        if let Some(mut inner) = self.lock_whole() {
            let now = inner.tell_clock();
            inner.machine.read_again(now, since, due);
        }
    }

    /// Starts the thread that polls the machine at its deadlines, which ends with what is given back. One is enough.
    /// # Errors
    /// The operating system refuses the thread.
    pub fn start_alarm(&self) -> Result<AlarmThread, Error>
    where
        M: Send + 'static,
    {
        AlarmThread::start(self)
    }

    pub(crate) fn alarm(&self) -> &Alarm {
        &self.alarm
    }

    /// Carries out what is due, if anything is; when something is due next. `None` also after a panic.
    pub(crate) fn poll_at_deadline(&self) -> Option<Instant> {
        let mut inner = self.lock_whole()?;
        if inner.machine.deadline().is_some_and(|deadline| deadline <= clock::now()) {
            let now = inner.tell_clock();
            inner.drain(now);
        }
        let deadline = inner.machine.deadline();
        self.alarm.rearm(deadline);
        deadline
    }

    /// Looks at the machine.
    pub fn inspect<T>(&self, look: impl FnOnce(&M) -> T) -> T {
        look(&self.lock().machine)
    }

    /// Looks at the machine and tells it the input that comes of that, before anything else can happen to it.
    pub fn decide<T>(&self, look: impl FnOnce(&M) -> (T, Option<M::Input>)) -> T {
        let Some(mut inner) = self.lock_whole() else { return look(&self.lock().machine).0 };
        let now = inner.tell_clock();
        let (seen, input) = look(&inner.machine);
        if let Some(input) = input {
            inner.machine.handle(now, input);
        }
        inner.drain(now);
        seen
    }

    /// The machine unless the process panicked.
    fn lock_whole(&self) -> Option<Held<'_, M>> {
        if panics::happened() {
            return None;
        }
        // Once more, since the thread that had the lock may have panicked.
        let inner = Some(self.lock()).filter(|_| !panics::happened())?;
        Some(Held { inner, alarm: &self.alarm })
    }

    /// A panic while the lock was held leaves the machine between two events at worst; stopping still works, and that
    /// matters more than the poison.
    fn lock(&self) -> MutexGuard<'_, Inner<M>> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mistake) = &mut inner.mistake {
            mistake(Place::Machine);
        }
        inner
    }
}

/// The machine while somebody has it. Its deadline may be another one afterwards, which the alarm gets to know.
struct Held<'a, M: Machine> {
    inner: MutexGuard<'a, Inner<M>>,
    alarm: &'a Alarm,
}

impl<M: Machine> Deref for Held<'_, M> {
    type Target = Inner<M>;

    fn deref(&self) -> &Inner<M> {
        &self.inner
    }
}

impl<M: Machine> DerefMut for Held<'_, M> {
    fn deref_mut(&mut self) -> &mut Inner<M> {
        &mut self.inner
    }
}

impl<M: Machine> Drop for Held<'_, M> {
    fn drop(&mut self) {
        // A machine that just panicked is asked nothing.
        if !thread::panicking() {
            self.alarm.arm(self.inner.machine.deadline());
        }
    }
}

impl<M: Machine> Inner<M> {
    fn tell_clock(&mut self) -> Instant {
        let now = clock::now();
        if let Some(clock_read) = self.clock_read {
            self.machine.handle(now, clock_read(clock::stamp()));
        }
        now
    }

    fn drain(&mut self, now: Instant) {
        while let Some(output) = self.machine.poll(now).filter(|_| !panics::happened()) {
            if let Some(mistake) = &mut self.mistake {
                mistake(Place::Publish);
            }
            (self.publish)(output);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Doubles what comes in and has nothing to do on its own.
    struct Doubler(Vec<i32>);

    impl Machine for Doubler {
        type Input = i32;
        type Output = i32;

        fn handle(&mut self, _: Instant, input: i32) {
            self.0.push(2 * input);
        }

        fn poll(&mut self, _: Instant) -> Option<i32> {
            self.0.pop()
        }

        fn deadline(&self) -> Option<Instant> {
            None
        }
    }

    #[test]
    fn an_event_is_carried_out_before_deliver_returns() {
        let (sender, receiver) = mpsc::channel();
        let shell = Shell::new(Doubler(Vec::new()), None, move |out| sender.send(out).unwrap());
        shell.deliver(21);
        assert_eq!(receiver.try_recv(), Ok(42));
        assert!(receiver.try_recv().is_err());
    }

    #[test]
    fn a_decision_is_carried_out_before_it_is_told() {
        let (sender, receiver) = mpsc::channel();
        let shell = Shell::new(Doubler(Vec::new()), None, move |out| sender.send(out).unwrap());
        assert_eq!(shell.decide(|machine| (machine.0.len(), Some(4))), 0);
        assert_eq!(receiver.try_recv(), Ok(8));
        assert_eq!(shell.decide(|_| ("nothing", None)), "nothing");
        assert!(receiver.try_recv().is_err());
    }

    /// Is open by turns: with each event, and when it is polled although nothing happened.
    struct Door {
        is_open: bool,
        is_due: bool,
        taken: u32,
    }

    impl Machine for Door {
        type Input = bool;
        type Output = ();

        /// True is taken while it is open.
        fn handle(&mut self, _: Instant, offers: bool) {
            if offers {
                self.taken += u32::from(self.is_open);
                self.is_due = true;
            } else {
                self.is_open = !self.is_open;
            }
        }

        fn poll(&mut self, _: Instant) -> Option<()> {
            self.is_open ^= std::mem::take(&mut self.is_due);
            None
        }

        fn deadline(&self) -> Option<Instant> {
            None
        }
    }

    #[test]
    fn what_passes_its_check_takes_effect() {
        let shell = Shell::new(Door { is_open: true, is_due: true, taken: 0 }, None, |()| {});
        let check = |door: &Door| if door.is_open { Ok(()) } else { Err(()) };
        let passed = std::thread::scope(|scope| {
            scope.spawn(|| (0..20_000).for_each(|_| shell.deliver(false)));
            (0..20_000).filter(|_| shell.deliver_checked(true, check, || {}).is_ok()).count()
        });
        assert_eq!(shell.inspect(|door| door.taken as usize), passed);
    }

    #[test]
    fn a_panic_in_one_thread_does_not_stop_the_others() {
        let (sender, receiver) = mpsc::channel();
        let shell = Shell::new(Doubler(Vec::new()), None, move |out| {
            assert_ne!(out, 26, "thirteen is not published");
            sender.send(out).unwrap();
        });
        let other = shell.clone();
        let died = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| other.deliver(13)));
        assert!(died.is_err());
        shell.deliver(1);
        assert_eq!(receiver.try_recv(), Ok(2));
    }
}
