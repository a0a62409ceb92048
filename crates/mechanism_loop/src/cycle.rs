use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mechanism::controllers::{Change, ControlLoop, ControllerFailure, ControllerId, Message, Report};
use mechanism::robot::{HaltAction, HaltGate, Hardware, is_hold, step_time};
use mechanism::{Recorder, Snapshot};
use realtime::Cycle;
use rtrb::{Consumer, Producer};
use safety::{Instant, MessageTime};

use crate::delivery::{Delivery, Inbox, InputStop, MOST_DELIVERIES};
use crate::link::Shared;

/// Event that the loop reports; events are in the order in which they happened.
#[derive(Debug)]
pub enum Event {
    /// A change was made.
    Changed(Box<Change>),
    /// A controller stopped by itself: its index in the order of loading, and why.
    Failed(usize, ControllerFailure),
    /// The state after a step; give it back with [`Events::recycle`](crate::Events::recycle).
    Reported(Box<Snapshot>),
    /// The output of a controller in the step at this time, and the output's index.
    ControllerOutput(ControllerId, Instant, usize, Report),
    /// A message that a controller needs no longer: it is freed outside the loop.
    Used(Message),
    /// The motion of a goal that its controller did not receive, since a stop ended it on its way.
    Dropped(ControllerId, Message),
}

/// How many events a cycle makes besides failures, which wait in their controllers, and used messages: a change and a report.
const EVENTS_OF_A_CYCLE: usize = 2;
/// How many messages a cycle delivers for each millisecond of its period: the others wait, so that no flood delays the step, and no slow
/// loop keeps them waiting.
const MESSAGES_OF_A_MILLISECOND: usize = 32;

/// The loop's side of the queues, for the thread that calls [`cycle`](Self::cycle) periodically.
pub struct Body {
    pub(crate) control: ControlLoop,
    pub(crate) hardware: Box<dyn Hardware>,
    pub(crate) recorder: Recorder,
    pub(crate) shared: Arc<Shared>,
    pub(crate) inbox: Inbox,
    pub(crate) events: Producer<Event>,
    pub(crate) free: Consumer<Box<Snapshot>>,
    /// The one that is filled next.
    pub(crate) snapshot: Option<Box<Snapshot>>,
    pub(crate) gate: HaltGate,
    /// Whether the motors were halted since the last report, because the loop or its node was held.
    pub(crate) was_held: bool,
    pub(crate) period: Duration,
}

impl Body {
    /// Makes one cycle.
    /// # Real-time
    /// No lock, no allocation, no system call but reading the clock.
    pub fn cycle(&mut self, cycle: Cycle) {
        let resets = self.shared.resets.load(Ordering::SeqCst);
        // A node that hangs, in a send for example, reads no stop; nor does one that has not begun.
        let is_node_lost = self.shared.node.is_lost(cycle.now);
        let is_halt_wanted = is_node_lost || self.shared.is_halt_wanted.load(Ordering::SeqCst);
        match self.gate.step(is_halt_wanted, resets, cycle.since_last, self.period) {
            Some(HaltAction::Halt) => self.hardware.halt(),
            Some(HaltAction::Reset) => self.hardware.reset(),
            None => {}
        }
        let was_node_held = is_node_lost && self.shared.node.has_begun();
        self.was_held |= was_node_held || is_hold(cycle.since_last, self.period);
        self.hardware.read(&mut self.control.robot, cycle.now, cycle.since_last);
        // With little room for events nothing is taken that would need it; the loop itself goes on.
        let room = self.events.slots();
        let has_room = room >= EVENTS_OF_A_CYCLE + MESSAGES_OF_A_MILLISECOND;
        let mut change = if has_room { self.shared.change.take() } else { None };
        let most = messages_of(self.period);
        self.deliver_stops(cycle, most);
        if has_room {
            self.deliver(cycle, most.min(room - EVENTS_OF_A_CYCLE));
        }
        let period = step_time(cycle.since_last, self.period);
        self.control.step(cycle.now, period, realtime::now, change.as_deref_mut());
        self.hardware.write(&self.control.robot);
        if has_room {
            self.report(cycle, change);
        }
    }

    fn deliver_stops(&mut self, cycle: Cycle, most: usize) {
        let time = MessageTime::new(cycle.now, Duration::ZERO);
        for _ in 0..most {
            let Some(stop) = self.inbox.next_stop() else { return };
            let InputStop { controller, input, .. } = stop;
            self.control.deliver(controller, input, &mut stop.message(), time, cycle.now);
        }
    }

    fn deliver(&mut self, cycle: Cycle, most: usize) {
        for _ in 0..most {
            let Some((delivery, is_over)) = self.inbox.next_message() else { return };
            let Delivery { controller, input, mut message, time, .. } = delivery;
            let goal = message.goal();
            if !is_over {
                self.control.deliver(controller, input, &mut message, time, cycle.now);
            }
            if goal.is_some() && message.goal() == goal {
                self.send(Event::Dropped(controller, message)); // as it came
            } else if matches!(message, Message::Trajectory(Some(_))) {
                self.send(Event::Used(message));
            }
        }
    }

    fn report(&mut self, cycle: Cycle, change: Option<Box<Change>>) {
        if let Some(change) = change {
            self.send(Event::Changed(change));
        }
        let Self { control, events, .. } = self;
        // Half of the room stays free for what must not wait.
        let most = events.slots().saturating_sub(events.buffer().capacity() / 2);
        control.take_reports(most, |controller, output, report| {
            let _ = events.push(Event::ControllerOutput(controller, cycle.now, output, report));
        });
        // One place stays for the report.
        control.take_failures(events.slots().saturating_sub(1), |index, failure| {
            let _ = events.push(Event::Failed(index, failure));
        });
        if self.snapshot.is_none() {
            self.snapshot = self.free.pop().ok();
        }
        if let Some(mut snapshot) = self.snapshot.take() {
            if self.recorder.record(cycle.now, &mut self.control, self.hardware.link(), &mut snapshot) {
                snapshot.was_held = core::mem::take(&mut self.was_held);
                self.send(Event::Reported(snapshot));
            } else {
                self.snapshot = Some(snapshot);
            }
        }
    }

    /// There is room, see `cycle`.
    fn send(&mut self, event: Event) {
        let sent = self.events.push(event);
        debug_assert!(sent.is_ok(), "the events have no room");
    }
}

/// How many messages a cycle delivers at most.
fn messages_of(period: Duration) -> usize {
    let millis = usize::try_from(period.as_millis()).unwrap_or(usize::MAX).max(1);
    millis.saturating_mul(MESSAGES_OF_A_MILLISECOND).min(MOST_DELIVERIES)
}

impl Drop for Body {
    /// The last command of every actuator, also after a panic: no effort, not enabled.
    fn drop(&mut self) {
        self.control.stop();
        self.hardware.write(&self.control.robot);
    }
}
