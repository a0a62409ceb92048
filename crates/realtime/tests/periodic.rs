//! The periodic thread, without a bound that a busy machine could miss.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use allocations::{Counting, count};
use realtime::{Cycle, Periodic, RealTime};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const PERIOD: Duration = Duration::from_millis(2);
const LONGEST: Duration = Duration::from_secs(20);

/// The first `count` cycles, in each of which `body` is called as well.
fn cycles(count: usize, mut body: impl FnMut(usize) + Send + 'static) -> Vec<Cycle> {
    let (sender, receiver) = channel();
    let mut number = 0;
    let (thread, refused) =
        Periodic::start("test", RealTime::default(), PERIOD, Arc::default(), move |cycle| {
            body(number);
            number += 1;
            let _ = sender.send(cycle);
        })
        .unwrap();
    assert_eq!(refused, []);
    let cycles = (0..count).map(|_| receiver.recv_timeout(LONGEST).unwrap()).collect();
    drop(thread);
    cycles
}

#[test]
fn no_cycle_is_early_and_each_lies_on_the_grid() {
    let cycles = cycles(100, |_| {});
    let due = |cycle: &Cycle| cycle.now.as_nanos() - cycle.late.as_nanos() as u64;
    for pair in cycles.windows(2) {
        let periods = (due(&pair[1]) - due(&pair[0])) / PERIOD.as_nanos() as u64;
        assert_eq!((due(&pair[1]) - due(&pair[0])) % PERIOD.as_nanos() as u64, 0, "{pair:?}");
        assert_eq!(periods, pair[1].missed + 1, "{pair:?}");
        assert_eq!(pair[1].since_last, pair[1].now.since(pair[0].now));
    }
}

#[test]
#[allow(clippy::disallowed_methods)] // it hangs on purpose
fn a_call_that_takes_too_long_leaves_cycles_out_and_makes_no_burst() {
    let cycles = cycles(4, |number| {
        if number == 1 {
            std::thread::sleep(PERIOD * 10);
        }
    });
    assert!(cycles[2].missed >= 9, "{cycles:?}");
    assert!(cycles[3].now.since(cycles[2].now) + cycles[2].late >= PERIOD, "{cycles:?}");
}

#[test]
fn between_the_calls_nothing_is_allocated() {
    let (sender, receiver) = channel();
    let mut counts = [0; 50];
    let mut number = 0;
    let (_thread, _) = Periodic::start("test", RealTime::default(), PERIOD, Arc::default(), move |_| {
        if let Some(slot) = counts.get_mut(number) {
            *slot = count();
        } else if number == counts.len() {
            let _ = sender.send(counts);
        }
        number += 1;
    })
    .unwrap();
    let counts = receiver.recv_timeout(LONGEST).unwrap();
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
}

#[test]
fn it_ends_when_it_is_dropped_and_reports_a_panic() {
    let (sender, receiver) = channel::<()>();
    let (thread, _) = Periodic::start("test", RealTime::default(), PERIOD, Arc::default(), move |_| {
        let _ = &sender;
    })
    .unwrap();
    assert!(!thread.has_ended());
    drop(thread);
    assert!(receiver.recv().is_err(), "its function is gone");

    #[allow(clippy::panic)]
    let (thread, _) =
        Periodic::start("test", RealTime::default(), PERIOD, Arc::default(), |_| panic!("on purpose"))
            .unwrap();
    let end = std::iter::repeat_with(std::thread::yield_now).take_while(|()| !thread.has_ended());
    end.count();
}
