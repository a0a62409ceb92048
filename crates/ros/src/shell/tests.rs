use std::sync::mpsc;

use safety::Backlog;

use super::*;

/// Doubles its input and does nothing on its own.
struct Doubler(Vec<i32>);

impl Machine for Doubler {
    type Input = i32;
    type Output = i32;

    /// Only the newest of the large outputs counts, and a negative one answers a request.
    fn backlog(output: &i32) -> Backlog {
        match *output {
            11.. => Backlog::Newest(0),
            ..0 => Backlog::Each,
            _ => Backlog::Recent,
        }
    }

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
fn a_send_that_hangs_holds_neither_the_machine_nor_an_act() {
    let (sender, published) = mpsc::channel();
    let (release, held) = mpsc::channel::<()>();
    let (begun, sends) = mpsc::channel();
    let (acts, done) = mpsc::channel();
    let shell = Shell::new(Doubler(Vec::new()), None, move |out| {
        if out == 2 {
            begun.send(()).unwrap();
            let _ = held.recv();
        }
        sender.send(out).unwrap();
    });
    let shell = shell.act_first(move |out| {
        acts.send(out).unwrap();
        Some(out)
    });
    thread::scope(|scope| {
        let hangs = scope.spawn(|| shell.deliver(1));
        assert_eq!((sends.recv(), done.recv()), (Ok(()), Ok(2)));
        for input in [10, -7, 3, 20] {
            shell.deliver(input);
            assert_eq!(done.try_recv(), Ok(2 * input), "at once");
        }
        (0..2000).for_each(|_| shell.deliver(0));
        assert!(!shell.flush(Duration::from_millis(20)) && shell.inspect(|_| true) && shell.is_full());
        release.send(()).unwrap();
        hangs.join().unwrap();
    });
    assert!(shell.flush(Duration::from_secs(10)));
    let published: Vec<i32> = published.try_iter().filter(|out| *out != 0).collect();
    assert_eq!(published, [2, 40, -14], "20 was overtaken, 6 is not recent, and the answer is not lost");
}

#[test]
fn what_prepares_publishing_runs_between_the_outputs_before_and_after_it() {
    let (sender, published) = mpsc::channel();
    let noted = sender.clone();
    let shell = Shell::new(Doubler(Vec::new()), None, move |out| sender.send(out).unwrap());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..1000).for_each(|_| shell.deliver(0)));
        }
        for number in 1..=100 {
            let Ok(()) = shell.deliver_checked(
                number,
                |_| Ok::<_, std::convert::Infallible>(()),
                || {
                    noted.send(-number).unwrap();
                },
            );
        }
    });
    let found: Vec<i32> = published.try_iter().filter(|out| *out != 0).collect();
    let expected: Vec<i32> = (1..=100).flat_map(|number| [-number, 2 * number]).collect();
    assert_eq!(found, expected);
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

    fn backlog((): &()) -> Backlog {
        Backlog::Each
    }

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

    fn backlog((): &()) -> Backlog {
        Backlog::Each
    }

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
