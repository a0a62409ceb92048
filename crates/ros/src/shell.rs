use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use units::{Instant, Machine, Stamp, earliest};

use crate::alarm::{Alarm, AlarmThread};
use crate::{Error, clock, panics};

/// A machine and the function that publishes its outputs, shared by all threads that have events for it.
///
/// Each call delivers an event and publishes every output that follows from it, under one lock. The order of delivery is the
/// order of the machine's inputs, and no thread switch lies between a stick event and a motor value. The thread of
/// [`start_alarm`](Shell::start_alarm) carries out what is due without an event.
///
/// After a panic on any thread of the process ([`panics`]) the machine receives no input and no output is published.
///
/// # Real-time
/// The lock is held while outputs are published, which the middleware does in tens of microseconds.
pub struct Shell<M: Machine> {
    inner: Arc<Mutex<Inner<M>>>,
    alarm: Arc<Alarm>,
}

struct Inner<M: Machine> {
    machine: M,
    /// When the machine has to be polled at the latest since a deadline had passed when it read the time, whatever its deadline is
    /// now.
    overdue: Option<Instant>,
    /// When the alarm's timer rings.
    rings: Option<Instant>,
    clock_read: Option<fn(Stamp) -> M::Input>,
    publish: Box<dyn FnMut(M::Output) + Send>,
    fault: Option<Box<dyn FnMut(FaultPlace) + Send>>,
}

/// The time in which the messages that were read are delivered, before the alarm's thread carries out what the machine may have
/// forgotten when it read the time.
const DELIVERY: Duration = Duration::from_millis(2);

/// Where a fault can be injected, see [`Shell::add_fault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultPlace {
    /// In the machine, at every use.
    Machine,
    /// In the publishing of its outputs.
    Publish,
}

impl<M: Machine> Clone for Shell<M> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), alarm: Arc::clone(&self.alarm) }
    }
}

impl<M: Machine> Shell<M> {
    /// `publish` publishes an output. `clock_read` makes the input that gives the machine the wall clock, for machines that
    /// stamp their outputs themselves.
    pub fn new(
        machine: M,
        clock_read: Option<fn(Stamp) -> M::Input>,
        publish: impl FnMut(M::Output) + Send + 'static,
    ) -> Self {
        let inner = Inner {
            machine,
            overdue: None,
            rings: None,
            clock_read,
            publish: Box::new(publish),
            fault: None,
        };
        Self { inner: Arc::new(Mutex::new(inner)), alarm: Arc::new(Alarm::new()) }
    }

    /// Calls `fault` with the lock held before each use of the machine and before each output is published. Tests use it to
    /// examine a process that panics or hangs there.
    pub fn add_fault(&self, fault: impl FnMut(FaultPlace) + Send + 'static) {
        self.lock().fault = Some(Box::new(fault));
    }

    /// Delivers `input` to the machine as of now and carries out the resulting outputs.
    pub fn deliver(&self, input: M::Input) {
        self.deliver_all([input]);
    }

    /// Delivers `input` if the machine passes `check`. `on_accepted` runs before the input; it prepares the code that carries
    /// out the outputs from then on. Nothing happens to the machine between the check and the input.
    /// # Errors
    /// The error of `check`; nothing is delivered then.
    pub fn deliver_checked<E>(
        &self,
        input: M::Input,
        check: impl FnOnce(&M) -> Result<(), E>,
        on_accepted: impl FnOnce(),
    ) -> Result<(), E> {
        let Some(mut inner) = self.lock_whole() else { return Ok(()) };
        let now = inner.update_clock();
        inner.drain(now); // what is due by now comes before the check and before `on_accepted`
        check(&inner.machine)?;
        on_accepted();
        inner.machine.handle(now, input);
        inner.drain(now);
        Ok(())
    }

    /// Delivers all of `inputs` to the machine as of now, and then carries out the resulting outputs.
    pub fn deliver_all(&self, inputs: impl IntoIterator<Item = M::Input>) {
        let Some(mut inner) = self.lock_whole() else { return };
        let now = inner.update_clock();
        for input in inputs {
            inner.machine.handle(now, input);
        }
        inner.drain(now);
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
        let Some(mut inner) = self.lock_whole() else { return };
        inner.rings = None; // it has rung: the same deadline is set again
        if inner.deadline().is_some_and(|deadline| deadline <= clock::now()) {
            let now = inner.update_clock();
            inner.drain(now);
        }
    }

    /// Reads the machine's state.
    pub fn inspect<T>(&self, read: impl FnOnce(&M) -> T) -> T {
        read(&self.lock().machine)
    }

    /// Reads the machine's state and delivers the input that `read` returns, before anything else can happen to the machine.
    pub fn decide<T>(&self, read: impl FnOnce(&M) -> (T, Option<M::Input>)) -> T {
        let Some(mut inner) = self.lock_whole() else { return read(&self.lock().machine).0 };
        let now = inner.update_clock();
        let (answer, input) = read(&inner.machine);
        if let Some(input) = input {
            inner.machine.handle(now, input);
        }
        inner.drain(now);
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
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(fault) = &mut inner.fault {
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
            self.machine.handle(now, clock_read(clock::stamp()));
        }
        now
    }

    fn deadline(&self) -> Option<Instant> {
        earliest(self.overdue, self.machine.deadline())
    }

    fn drain(&mut self, now: Instant) {
        self.overdue = None;
        while let Some(output) = self.machine.poll(now).filter(|_| !panics::happened()) {
            if let Some(fault) = &mut self.fault {
                fault(FaultPlace::Publish);
            }
            (self.publish)(output);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Doubles its input and does nothing on its own.
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
    fn a_decision_is_carried_out_before_it_is_returned() {
        let (sender, receiver) = mpsc::channel();
        let shell = Shell::new(Doubler(Vec::new()), None, move |out| sender.send(out).unwrap());
        assert_eq!(shell.decide(|machine| (machine.0.len(), Some(4))), 0);
        assert_eq!(receiver.try_recv(), Ok(8));
        assert_eq!(shell.decide(|_| ("nothing", None)), "nothing");
        assert!(receiver.try_recv().is_err());
    }

    /// Opens and closes by turns: with each event, and when it is polled although nothing happened.
    struct Door {
        is_open: bool,
        is_due: bool,
        taken: u32,
    }

    impl Machine for Door {
        type Input = bool;
        type Output = ();

        /// `true` counts while the door is open; `false` toggles it.
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

    /// Rings at its deadline; a new time alone consumes the deadline.
    struct Sleeper {
        deadline: Instant,
        rings: bool,
    }

    impl Machine for Sleeper {
        type Input = ();
        type Output = ();

        fn handle(&mut self, _: Instant, (): ()) {}

        fn poll(&mut self, now: Instant) -> Option<()> {
            self.read_again(now, now, now);
            std::mem::take(&mut self.rings).then_some(())
        }

        fn deadline(&self) -> Option<Instant> {
            Some(self.deadline)
        }

        fn read_again(&mut self, now: Instant, _: Instant, _: Instant) {
            if self.deadline <= now {
                (self.deadline, self.rings) = (now + Duration::from_secs(60), true);
            }
        }
    }

    #[test]
    fn reading_again_postpones_nothing_that_is_due() {
        let (sender, rung) = mpsc::channel();
        let machine = Sleeper { deadline: clock::now(), rings: false };
        let shell = Shell::new(machine, None, move |()| sender.send(clock::now()).unwrap());
        let _alarm = shell.start_alarm().unwrap();
        rung.recv_timeout(Duration::from_secs(10)).unwrap();
        // Its timer is not set to this, as if its thread were late.
        let began = clock::now();
        shell.lock().machine.deadline = began;
        let reads_again = |_| {
            thread::park_timeout(DELIVERY / 4);
            shell.read_again(began, began);
            rung.try_recv().ok()
        };
        let rang = (0..10_000).find_map(reads_again).unwrap();
        assert!(rang >= began + DELIVERY, "messages that were read come first");
        assert_eq!(rung.try_recv(), Err(mpsc::TryRecvError::Empty), "once");
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
