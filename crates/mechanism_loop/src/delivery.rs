//! The ways of messages to controllers.

use mechanism::controllers::{ControllerId, Message};
use mechanism::laws::GoalId;
use rtrb::{Consumer, Producer, RingBuffer};
use safety::{MessageTime, PublisherCount};

/// How many messages may wait for the loop.
pub(crate) const MOST_DELIVERIES: usize = 1024;
/// How many stops may be on their way to the loop. Further ones wait in [`Deliveries`], one for each input.
const MOST_STOPS: usize = 256;

/// A message to the input `input` of a controller.
pub(crate) struct Delivery {
    number: u64,
    pub(crate) controller: ControllerId,
    pub(crate) input: usize,
    pub(crate) message: Message,
    pub(crate) time: MessageTime,
}

/// An input whose earlier messages count no more, or of which only one goal does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InputStop {
    number: u64,
    pub(crate) controller: ControllerId,
    pub(crate) input: usize,
    goal: Option<GoalId>,
    /// The publishers of the input, if it is stopped since there are several.
    publishers: Option<PublisherCount>,
}

impl InputStop {
    /// Whether what is for this input, and for this goal if for one, ends with it.
    fn ends(&self, controller: ControllerId, input: usize, goal: Option<GoalId>) -> bool {
        (self.controller, self.input) == (controller, input) && (self.goal.is_none() || self.goal == goal)
    }

    /// Whether it has all that `old` has, which was on its way before.
    fn replaces(&self, old: &Self) -> bool {
        self.ends(old.controller, old.input, old.goal)
            && (self.publishers.is_some() || old.publishers.is_none())
    }

    /// The message to its controller.
    pub(crate) fn message(&self) -> Message {
        let stop = self.goal.map_or(Message::Stop, Message::Cancel);
        self.publishers.map_or(stop, Message::Counted)
    }
}

/// Messages to controllers, from one thread.
///
/// A stop has a way of its own past all messages that wait, and ends those before it on its input; one that cancels a goal ends that
/// alone. So no flood delays it, and no full ring loses it. A count of several publishers is a stop.
pub struct Deliveries {
    messages: Producer<Delivery>,
    stops: Producer<InputStop>,
    /// The stops that found no room yet, oldest first.
    waiting: Vec<InputStop>,
    number: u64,
}

impl Deliveries {
    /// Sends a message of this `time` to the input `input` of a controller. Returns `false` if too many wait, and it is lost: a number or
    /// a velocity may have been meant to stop, so a stop takes its place. A stop is never lost.
    pub fn send(
        &mut self,
        controller: ControllerId,
        input: usize,
        message: Message,
        time: MessageTime,
    ) -> bool {
        self.number += 1;
        let number = self.number;
        let (is_stop, goal, publishers) = match message {
            Message::Stop => (true, None, None),
            Message::Cancel(goal) => (true, Some(goal), None),
            Message::Counted(count) if count.are_several() => (true, None, Some(count)),
            _ => (false, None, None),
        };
        let may_stop = matches!(message, Message::Float(_) | Message::Velocity(..));
        let is_sent =
            is_stop || self.messages.push(Delivery { number, controller, input, message, time }).is_ok();
        if is_stop || !is_sent && may_stop {
            let stop = InputStop { number, controller, input, goal, publishers };
            self.waiting.retain(|old| !stop.replaces(old));
            self.waiting.push(stop);
        }
        self.flush();
        is_sent
    }

    /// Sends the stops that found no room yet, as far as there is room now.
    pub fn flush(&mut self) {
        let sent = self.waiting.iter().take_while(|stop| self.stops.push(**stop).is_ok()).count();
        self.waiting.drain(..sent);
    }
}

/// The loop's side.
///
/// # Real-time
/// It waits for nothing and allocates nothing.
pub(crate) struct Inbox {
    messages: Consumer<Delivery>,
    stops: Consumer<InputStop>,
    /// The stops behind which older messages may still come, one for each input.
    stopped: Vec<InputStop>,
}

impl Inbox {
    /// The next stop.
    pub(crate) fn next_stop(&mut self) -> Option<InputStop> {
        if self.stopped.len() == self.stopped.capacity() {
            return None; // until messages passed
        }
        let stop = self.stops.pop().ok()?;
        self.stopped.retain(|old| !stop.ends(old.controller, old.input, old.goal));
        self.stopped.push(stop);
        Some(stop)
    }

    /// The next message, and whether a stop that was taken has ended it.
    pub(crate) fn next_message(&mut self) -> Option<(Delivery, bool)> {
        let Ok(delivery) = self.messages.pop() else {
            self.stopped.clear(); // nothing is older than they are
            return None;
        };
        self.stopped.retain(|stop| stop.number > delivery.number);
        let goal = delivery.message.goal();
        let is_over = self.stopped.iter().any(|stop| stop.ends(delivery.controller, delivery.input, goal));
        Some((delivery, is_over))
    }
}

/// Both ends.
pub(crate) fn deliveries() -> (Deliveries, Inbox) {
    let (messages, received) = RingBuffer::new(MOST_DELIVERIES);
    let (stops, stopping) = RingBuffer::new(MOST_STOPS);
    let deliveries = Deliveries { messages, stops, waiting: Vec::new(), number: 0 };
    (deliveries, Inbox { messages: received, stops: stopping, stopped: Vec::with_capacity(MOST_STOPS) })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::iter;
    use std::time::Duration;

    use mechanism::laws::{Motion, Point, Trajectory};
    use safety::Instant;

    use super::*;

    fn send(deliveries: &mut Deliveries, controller: ControllerId, message: Message) -> bool {
        deliveries.send(controller, 0, message, MessageTime::new(Instant::ZERO, Duration::ZERO))
    }

    fn stops(inbox: &mut Inbox) -> Vec<ControllerId> {
        iter::from_fn(|| inbox.next_stop()).map(|stop| stop.controller).collect()
    }

    /// The numbers that count, and their controllers.
    fn messages(inbox: &mut Inbox) -> Vec<(ControllerId, f64)> {
        let all = iter::from_fn(|| inbox.next_message());
        let counting =
            all.filter(|(_, is_over)| !is_over).filter_map(|(delivery, _)| match delivery.message {
                Message::Float(value) => Some((delivery.controller, value)),
                _ => None,
            });
        counting.collect()
    }

    #[test]
    fn a_stop_passes_a_full_ring_and_ends_the_messages_before_it_on_its_input() {
        let (mut deliveries, mut inbox) = deliveries();
        assert!(send(&mut deliveries, 1, Message::Float(1.0)));
        assert!(send(&mut deliveries, 2, Message::Float(2.0)));
        while send(&mut deliveries, 3, Message::Float(3.0)) {}
        assert!(send(&mut deliveries, 1, Message::Stop));
        assert_eq!(stops(&mut inbox), [3, 1], "what is lost is a stop, too");
        assert_eq!(messages(&mut inbox), [(2, 2.0)]);
        assert!(send(&mut deliveries, 1, Message::Float(4.0)));
        assert_eq!((stops(&mut inbox), messages(&mut inbox)), (vec![], vec![(1, 4.0)]));
    }

    #[test]
    fn a_message_after_a_stop_counts_though_it_is_taken_in_another_cycle() {
        let (mut deliveries, mut inbox) = deliveries();
        for message in [Message::Float(1.0), Message::Stop, Message::Float(2.0)] {
            assert!(send(&mut deliveries, 1, message));
        }
        assert_eq!(stops(&mut inbox), [1]);
        assert!(inbox.next_message().unwrap().1, "the first one is over");
        assert_eq!((stops(&mut inbox), messages(&mut inbox)), (vec![], vec![(1, 2.0)]));
    }

    #[test]
    fn a_cancel_passes_a_full_ring_and_ends_its_goal_alone() {
        let (mut deliveries, mut inbox) = deliveries();
        let motion = |goal| {
            let points =
                vec![Point { time: Duration::from_secs(1), positions: vec![0.1], ..Point::default() }];
            let motion = Motion { goal: Some(goal), ..Motion::from(Trajectory::new(1, points).unwrap()) };
            Message::Trajectory(Some(Box::new(motion)))
        };
        for message in [motion(1), motion(2), Message::Cancel(1), motion(3)] {
            assert!(send(&mut deliveries, 7, message));
        }
        while send(&mut deliveries, 8, Message::Float(1.0)) {}
        assert!(send(&mut deliveries, 7, Message::Cancel(3)));
        let stops: Vec<_> = iter::from_fn(|| inbox.next_stop()).map(|stop| stop.message()).collect();
        assert_eq!(stops, [Message::Cancel(1), Message::Stop, Message::Cancel(3)]);
        let all = iter::from_fn(|| inbox.next_message()).take(3);
        let taken: Vec<_> = all.map(|(delivery, is_over)| (delivery.message.goal(), is_over)).collect();
        assert_eq!(taken, [(Some(1), true), (Some(2), false), (Some(3), true)]);
    }

    #[test]
    fn a_count_of_several_publishers_is_a_stop_and_no_later_stop_takes_its_place() {
        let (mut deliveries, mut inbox) = deliveries();
        let [one, two] = [1, 2].map(|count| Message::Counted(PublisherCount::of(count)));
        for message in [one.clone(), Message::Float(1.0), two.clone(), Message::Float(2.0), one.clone()] {
            assert!(send(&mut deliveries, 7, message));
        }
        while send(&mut deliveries, 8, Message::Float(1.0)) {}
        assert!(!send(&mut deliveries, 9, one.clone()));
        assert_eq!(inbox.next_stop().map(|stop| stop.message()), Some(two.clone()));
        let taken: Vec<_> = iter::from_fn(|| inbox.next_message()).take(4).collect();
        let counting =
            taken.into_iter().filter(|(_, is_over)| !is_over).map(|(delivery, _)| delivery.message);
        assert_eq!(counting.collect::<Vec<_>>(), [Message::Float(2.0), one]);
        assert_eq!(stops(&mut inbox), [8], "a count that is lost is no stop, and comes again");
        // Where there is no room for stops, a later one of the same input does not hide it.
        for controller in 100..100 + MOST_STOPS as u64 {
            send(&mut deliveries, controller, Message::Stop);
        }
        for message in [Message::Stop, two.clone(), Message::Stop, Message::Stop] {
            send(&mut deliveries, 7, message);
        }
        let waiting: Vec<_> = deliveries.waiting.iter().map(|stop| stop.message()).collect();
        assert_eq!(waiting, [two, Message::Stop]);
    }

    #[test]
    fn a_lost_trajectory_leaves_the_one_that_runs() {
        let (mut deliveries, mut inbox) = deliveries();
        while send(&mut deliveries, 3, Message::Trajectory(None)) {}
        assert_eq!(stops(&mut inbox), []);
    }

    /// Each of 2000 inputs is stopped once and again, while nobody takes anything.
    #[test]
    fn no_stop_is_lost_however_many_wait() {
        let (mut deliveries, mut inbox) = deliveries();
        for controller in (0..2000).chain(0..2000) {
            assert!(send(&mut deliveries, controller, Message::Stop));
        }
        let mut taken = Vec::new();
        while taken.len() < 2000 + MOST_STOPS {
            let more = stops(&mut inbox);
            assert!(!more.is_empty(), "{} of them come", taken.len());
            taken.extend(more);
            assert_eq!(messages(&mut inbox), []);
            deliveries.flush();
        }
        assert_eq!(stops(&mut inbox), []);
        taken.sort_unstable();
        taken.dedup();
        assert_eq!(taken.len(), 2000);
    }
}
