use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use haptix::{DeviceLoop, Order, Params, Report};
use realtime::{Cycle, LONGEST_SILENCE, Periodic, Pulse, RealTime, Refused, Reporter, Timing};
use ros::panics;
use rtrb::{Consumer, Producer, RingBuffer};
use safety::Instant;

use crate::start;

/// How many orders may wait for the device.
const MOST_ORDERS: usize = 64;
/// How many reports may wait for the node; a further one is lost, and the next one is newer.
const MOST_REPORTS: usize = 64;
/// The longest sleep of the thread that passes reports on: it must notice its end.
const LONGEST_SLEEP: Duration = Duration::from_millis(100);

/// The real-time thread that steps the device, and the thread that passes its reports on. When it is dropped both end, the device's first,
/// and the device holds.
pub(super) struct DeviceThread {
    _periodic: Periodic,
    _reporter: Reporter,
}

/// Orders to the device, from one thread at a time, without waiting.
pub(super) struct Orders {
    ring: Producer<Order>,
    /// Orders that found no room in the ring, because the device's thread is held. Of equal orders in a row only the last is kept.
    backlog: VecDeque<Order>,
}

impl Orders {
    /// Passes an order on, or keeps it until there is room.
    pub(super) fn send(&mut self, order: Order) {
        let is_same = self.backlog.back().is_some_and(|last| match (last, &order) {
            (Order::Reset { reset_limb_pose: last }, Order::Reset { reset_limb_pose }) => {
                last == reset_limb_pose
            }
            (last, order) => core::mem::discriminant(last) == core::mem::discriminant(order),
        });
        if is_same {
            self.backlog.pop_back();
        }
        self.backlog.push_back(order);
        self.flush();
    }

    /// Passes on as many orders as the ring has room for. It is called with every reading, so no order stays.
    pub(super) fn flush(&mut self) {
        while self.ring.slots() > 0 {
            let Some(order) = self.backlog.pop_front() else { return };
            let _ = self.ring.push(order); // there is room
        }
    }
}

/// The device's side of the rings.
pub(super) struct Body {
    device: DeviceLoop,
    orders: Consumer<Order>,
    reports: Producer<Report>,
    /// The sign of life of the node, which reads the commands: before its first one and while the node hangs, the device holds.
    node: Arc<Pulse>,
    /// After a panic the device holds for ever.
    is_held: Arc<AtomicBool>,
    is_aligned: bool,
}

impl Body {
    /// Makes one cycle; returns whether there is a report.
    /// # Real-time
    /// No lock and no system call but reading the clock; no allocation, unless the device fails. A hand in a process of its own adds
    /// its socket, and waits for it as `remote_hand` says.
    fn cycle(&mut self, cycle: Cycle) -> bool {
        while let Ok(order) = self.orders.pop() {
            self.device.take(order);
        }
        if self.is_held.load(Ordering::SeqCst) || self.node.is_lost(cycle.now) {
            self.device.take(Order::Hold);
        }
        // The device's steps are due when the cycles are, so the first one counts from when it was due.
        let late = if self.is_aligned { Duration::ZERO } else { cycle.late };
        let nanos = u64::try_from(late.as_nanos()).unwrap_or(0);
        self.is_aligned = true;
        let report = self.device.step(Instant::from_nanos(cycle.now.as_nanos().saturating_sub(nanos)));
        report.is_some_and(|report| self.reports.push(report).is_ok())
    }
}

/// A device that is ready to run, before its threads start.
pub(super) struct Ready {
    body: Body,
    reports: Consumer<Report>,
    real_time: RealTime,
    step: Duration,
    timing: Arc<Timing>,
}

/// The two sides of the rings for a device.
pub(super) fn link(device: DeviceLoop, params: &Params) -> (Ready, Orders) {
    let (ring, orders) = RingBuffer::new(MOST_ORDERS);
    let (sender, reports) = RingBuffer::new(MOST_REPORTS);
    let body = Body {
        device,
        orders,
        reports: sender,
        node: Arc::new(Pulse::new(LONGEST_SILENCE)),
        is_held: Arc::default(),
        is_aligned: false,
    };
    let real_time = start::real_time(&params.thread);
    let ready = Ready { body, reports, real_time, step: params.step, timing: Arc::default() };
    (ready, Orders { ring, backlog: VecDeque::new() })
}

impl Ready {
    /// How well the thread will keep its times.
    pub(super) fn timing(&self) -> Arc<Timing> {
        Arc::clone(&self.timing)
    }

    /// The node's sign of life. The device holds before its first beat, and while the last one is older than [`LONGEST_SILENCE`].
    pub(super) fn pulse(&self) -> Arc<Pulse> {
        Arc::clone(&self.body.node)
    }

    /// Starts the threads; `report` is called with each report, on a thread of its own. Returns what the operating system refused.
    /// # Errors
    /// The operating system refuses a thread.
    pub(super) fn start(
        self,
        mut report: impl FnMut(Report) + Send + 'static,
    ) -> io::Result<(DeviceThread, Vec<Refused>)> {
        let Self { mut body, mut reports, real_time, step, timing } = self;
        let is_held = Arc::clone(&body.is_held);
        panics::at_once(move || is_held.store(true, Ordering::SeqCst));
        let reporter = Reporter::start("reports", move || {
            while let Ok(next) = reports.pop() {
                report(next);
            }
            LONGEST_SLEEP
        })?;
        let wake = reporter.thread().cloned();
        let cycle = move |cycle| {
            if body.cycle(cycle)
                && let Some(reporter) = &wake
            {
                reporter.unpark(); // wakes a thread that sleeps, and waits for nobody
            }
        };
        let (periodic, refused) = Periodic::start("device", real_time, step, timing, cycle)?;
        Ok((DeviceThread { _periodic: periodic, _reporter: reporter }, refused))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use haptix::{AnalyticHand, Mode, Model, Reading, specification};

    use super::*;

    fn hand() -> (Ready, Orders, haptix::Setpoints) {
        let model = Model::builtin("two_finger").unwrap();
        let set = specification().defaults();
        let params =
            Params::read(&set, &model.constants.description, model.constants.info.update_rate).unwrap();
        let params = Params {
            thread: params::LoopThread { priority: None, lock_memory: false, ..params.thread },
            ..params
        };
        let device = DeviceLoop::new(Box::new(AnalyticHand::new(model, 1)), params.step, params.settings);
        let start = device.constants().start;
        let (ready, orders) = link(device, &params);
        (ready, orders, start)
    }

    /// A hand whose node lives for all of a test.
    fn living_hand() -> (Ready, Orders, haptix::Setpoints) {
        let (ready, orders, start) = hand();
        ready.pulse().beat_at(Instant::from_millis(2000));
        (ready, orders, start)
    }

    /// The reports of 100 cycles of 1 ms from `millis` on.
    fn cycles(ready: &mut Ready, millis: u64) -> Vec<Reading> {
        let mut readings = Vec::new();
        for millis in millis..millis + 100 {
            let now = Instant::from_millis(millis);
            ready.body.cycle(Cycle {
                now,
                late: Duration::ZERO,
                since_last: Duration::from_millis(1),
                missed: 0,
            });
            if let Ok(Report::Stepped(reading)) = ready.reports.pop() {
                readings.push(reading);
            }
        }
        readings
    }

    #[test]
    fn a_command_reaches_the_device_and_its_readings_come_back() {
        let (mut ready, mut orders, mut setpoints) = living_hand();
        assert!(cycles(&mut ready, 0).iter().all(|reading| reading.mode == Mode::Holding));
        setpoints.ref_pos[0] = 1.0;
        orders.send(Order::Command { setpoints, at: Instant::from_millis(100) });
        let readings = cycles(&mut ready, 100);
        assert_eq!(readings.len(), 10);
        assert!(readings.iter().all(|reading| reading.mode == Mode::Following));
        assert!(readings[9].sensor.motor_pos[0] > 0.1);
    }

    #[test]
    fn after_a_panic_the_device_holds_whatever_is_ordered() {
        let (mut ready, mut orders, setpoints) = living_hand();
        orders.send(Order::Command { setpoints, at: Instant::ZERO });
        assert!(cycles(&mut ready, 0).iter().all(|reading| reading.mode == Mode::Following));
        ready.body.is_held.store(true, Ordering::SeqCst);
        orders.send(Order::Command { setpoints, at: Instant::from_millis(100) });
        assert!(cycles(&mut ready, 100).iter().all(|reading| reading.mode == Mode::Holding));
    }

    #[test]
    fn before_its_first_beat_and_while_it_hangs_the_device_holds_and_then_waits_for_a_command() {
        let (mut ready, mut orders, setpoints) = hand();
        let pulse = ready.pulse();
        let order = |millis| Order::Command { setpoints, at: Instant::from_millis(millis) };
        orders.send(order(900));
        assert!(cycles(&mut ready, 900).iter().all(|reading| reading.mode == Mode::Holding));
        pulse.beat_at(Instant::from_millis(1000));
        assert!(cycles(&mut ready, 1000).iter().all(|reading| reading.mode == Mode::Holding));
        orders.send(order(1000));
        assert!(cycles(&mut ready, 1000).iter().all(|reading| reading.mode == Mode::Following));
        pulse.beat_at(Instant::from_millis(1100));
        assert!(cycles(&mut ready, 1200).iter().all(|reading| reading.mode == Mode::Following));
        assert!(cycles(&mut ready, 1351).iter().all(|reading| reading.mode == Mode::Holding));
        pulse.beat_at(Instant::from_millis(1451));
        assert!(cycles(&mut ready, 1451).iter().all(|reading| reading.mode == Mode::Holding));
        orders.send(order(1551));
        assert!(cycles(&mut ready, 1551).iter().all(|reading| reading.mode == Mode::Following));
    }

    #[test]
    fn orders_that_the_ring_has_no_room_for_are_kept_and_the_last_command_counts() {
        let (mut ready, mut orders, mut setpoints) = hand();
        for number in 0..1000 {
            setpoints.ref_pos[0] = f64::from(number) / 1000.0;
            orders.send(Order::Command { setpoints, at: Instant::ZERO });
        }
        assert_eq!(orders.backlog.len(), 1);
        orders.send(Order::Hold);
        orders.send(Order::Reset { reset_limb_pose: true });
        orders.send(Order::Reset { reset_limb_pose: false });
        orders.send(Order::Command { setpoints, at: Instant::ZERO });
        assert_eq!(orders.backlog.len(), 5);
        cycles(&mut ready, 0);
        orders.flush();
        assert_eq!(orders.backlog.len(), 0);
        let last = std::iter::from_fn(|| ready.body.orders.pop().ok()).last();
        assert_eq!(last, Some(Order::Command { setpoints, at: Instant::ZERO }));
    }

    #[test]
    fn the_threads_run_and_end() {
        let (ready, _, _) = hand();
        let timing = ready.timing();
        let (sender, reports) = channel();
        let (thread, refused) = ready.start(move |report| sender.send(report).unwrap()).unwrap();
        assert_eq!(refused, []);
        for _ in 0..3 {
            let report = reports.recv_timeout(Duration::from_secs(5)).unwrap();
            assert!(matches!(report, Report::Stepped(_)), "{report:?}");
        }
        drop(thread);
        let steps = timing.steps();
        assert!(steps > 10, "{steps}");
        let (name, late) = timing.values().pop().unwrap();
        let late: realtime::Histogram = late.parse().unwrap();
        assert_eq!(late.count(), steps, "{name}");
        assert!(reports.iter().count() < 1000, "the sender is gone");
    }
}
