//! The queue of requests from other threads to the SDL thread.

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use crate::event::Feature;
use crate::virtual_pad::{VirtualDevice, VirtualPad, VirtualState};
use crate::watch::Waker;

/// The request queue of the SDL thread. Posting never waits, and the queue is bounded.
#[derive(Debug)]
pub(crate) struct Inbox {
    waiting: Mutex<Waiting>,
    waker: Arc<Waker>,
}

#[derive(Debug, Default)]
struct Waiting {
    orders: VecDeque<Order>,
    requests: BTreeMap<u32, DeviceRequests>,
    closed: bool,
}

/// Orders, executed in the order in which they were posted.
#[derive(Debug)]
pub(crate) enum Order {
    /// Create a virtual joystick; replies with it, or with SDL's error. `wanted` is alive as long as the caller
    /// waits.
    Plug { device: VirtualDevice, reply: Sender<Result<VirtualPad, String>>, wanted: Weak<()> },
    /// Set the state of a virtual joystick, whose lengths are the pad's.
    Set { id: u32, state: VirtualState },
    /// Remove a virtual joystick.
    Unplug { id: u32 },
    /// Report the state of every device.
    ReportStates,
    /// End the thread.
    Stop,
}

/// The requests for one device: the latest of each kind.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct DeviceRequests {
    pub(crate) rumble: Option<((u16, u16), Duration)>,
    pub(crate) led: Option<[u8; 3]>,
    pub(crate) sensors: Option<bool>,
}

/// Why an order was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rejected {
    /// The thread has ended.
    Ended,
    /// Requests for too many devices are pending.
    TooMany,
}

/// The maximum number of pending states of one virtual joystick; beyond it the newest replaces the last one.
pub(crate) const STATES: usize = 256;
/// The maximum number of devices with pending requests: more than SDL can have in a millisecond, even with invalid
/// ids.
pub(crate) const MAX_REQUESTED: usize = 64;

impl Inbox {
    /// An empty queue, which wakes the SDL thread through `waker` on each post.
    pub(crate) fn new(waker: Arc<Waker>) -> Self {
        Self { waiting: Mutex::default(), waker }
    }

    /// Appends an order. If too many states of a pad are pending a new one replaces the last.
    pub(crate) fn post(&self, order: Order) -> Result<(), Rejected> {
        let mut waiting = self.lock();
        if waiting.closed {
            return Err(Rejected::Ended);
        }
        waiting.put(order);
        self.waker.wake();
        Ok(())
    }

    /// Changes the requests for a device.
    pub(crate) fn request(&self, id: u32, want: impl FnOnce(&mut DeviceRequests)) -> Result<(), Rejected> {
        let mut waiting = self.lock();
        if waiting.closed {
            return Err(Rejected::Ended);
        }
        if waiting.requests.len() >= MAX_REQUESTED && !waiting.requests.contains_key(&id) {
            return Err(Rejected::TooMany);
        }
        want(waiting.requests.entry(id).or_default());
        self.waker.wake();
        Ok(())
    }

    /// Removes the first order.
    pub(crate) fn order(&self) -> Option<Order> {
        self.lock().orders.pop_front()
    }

    /// All requests.
    pub(crate) fn requests(&self) -> BTreeMap<u32, DeviceRequests> {
        std::mem::take(&mut self.lock().requests)
    }

    /// Rejects further orders and drops pending ones: a caller that waits for a reply receives a disconnection.
    pub(crate) fn close(&self) {
        let orders = {
            let mut waiting = self.lock();
            waiting.closed = true;
            waiting.requests.clear();
            std::mem::take(&mut waiting.orders)
        };
        drop(orders); // outside the lock: a dropped value may post
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DeviceRequests {
    /// The requested features.
    pub(crate) fn features(&self) -> impl Iterator<Item = Feature> {
        let of = |wanted: bool, feature| wanted.then_some(feature);
        [
            of(self.rumble.is_some(), Feature::Rumble),
            of(self.led.is_some(), Feature::Led),
            of(self.sensors.is_some(), Feature::Sensors),
        ]
        .into_iter()
        .flatten()
    }
}

impl Waiting {
    fn put(&mut self, order: Order) {
        if matches!(order, Order::ReportStates)
            && self.orders.iter().any(|order| matches!(order, Order::ReportStates))
        {
            return; // already pending
        }
        if let Order::Set { id, .. } = order
            && self.orders.len() >= STATES
        {
            let is_of_this_pad = |order: &&mut Order| matches!(order, Order::Set { id: of, .. } if *of == id);
            let mut its = self.orders.iter_mut().rev().filter(is_of_this_pad);
            if let Some(last) = its.next()
                && its.count() + 1 >= STATES
            {
                *last = order;
                return;
            }
        }
        self.orders.push_back(order);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(value: i16) -> VirtualState {
        VirtualState { axes: vec![value], ..VirtualState::default() }
    }

    fn set(id: u32, value: i16) -> Order {
        Order::Set { id, state: state(value) }
    }

    fn values(inbox: &Inbox, of: u32) -> Vec<i16> {
        let orders = std::iter::from_fn(|| inbox.order());
        orders
            .filter_map(|order| match order {
                Order::Set { id, state } if id == of => Some(state.axes[0]),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn a_flood_of_states_keeps_the_first_and_the_newest() {
        let inbox = Inbox::new(Arc::new(Waker::new().unwrap()));
        for value in 0..10_000 {
            inbox.post(set(1, value)).unwrap();
        }
        // 0 to 254 are pending, and entry 255, the 256th, holds the latest one.
        let expected: Vec<i16> = (0..255).chain([9_999]).collect();
        assert_eq!(values(&inbox, 1), expected);
    }

    #[test]
    fn a_flooding_pad_does_not_displace_another() {
        let inbox = Inbox::new(Arc::new(Waker::new().unwrap()));
        for value in 0..1_000 {
            inbox.post(set(1, value)).unwrap();
            inbox.post(set(2, value)).unwrap();
        }
        inbox.post(set(3, 7)).unwrap();
        inbox.post(Order::Unplug { id: 1 }).unwrap();
        assert_eq!(inbox.lock().orders.len(), 2 * STATES + 2);
        assert!(matches!(inbox.lock().orders.back(), Some(Order::Unplug { id: 1 })));
        assert_eq!(values(&inbox, 3), [7]);
    }

    #[test]
    fn repeated_requests_for_states_are_one() {
        let inbox = Inbox::new(Arc::new(Waker::new().unwrap()));
        for _ in 0..1_000 {
            inbox.post(Order::ReportStates).unwrap();
        }
        assert_eq!(inbox.lock().orders.len(), 1);
        assert!(matches!(inbox.order(), Some(Order::ReportStates)));
    }

    #[test]
    fn the_latest_request_of_each_kind_is_kept() {
        let inbox = Inbox::new(Arc::new(Waker::new().unwrap()));
        inbox.request(1, |requests| requests.led = Some([1, 2, 3])).unwrap();
        inbox.request(1, |requests| requests.sensors = Some(true)).unwrap();
        inbox.request(1, |requests| requests.led = Some([4, 5, 6])).unwrap();
        inbox.request(2, |requests| requests.sensors = Some(false)).unwrap();
        let requests: Vec<_> = inbox.requests().into_iter().collect();
        let one = DeviceRequests { led: Some([4, 5, 6]), sensors: Some(true), ..DeviceRequests::default() };
        let two = DeviceRequests { sensors: Some(false), ..DeviceRequests::default() };
        assert_eq!(requests, [(1, one), (2, two)]);
        assert!(inbox.requests().is_empty());
    }

    #[test]
    fn requests_for_invalid_devices_are_bounded() {
        let inbox = Inbox::new(Arc::new(Waker::new().unwrap()));
        let sensors = |requests: &mut DeviceRequests| requests.sensors = Some(true);
        let taken = (0..1_000).filter(|id| inbox.request(*id, sensors).is_ok()).count();
        assert_eq!(taken, MAX_REQUESTED);
        assert_eq!(inbox.request(999, sensors), Err(Rejected::TooMany));
        assert_eq!(inbox.request(0, sensors), Ok(())); // already pending, so there is room
    }

    #[test]
    fn a_closed_inbox_rejects_orders_and_is_empty() {
        let inbox = Inbox::new(Arc::new(Waker::new().unwrap()));
        let (reply, answer) = std::sync::mpsc::channel();
        inbox.post(Order::Plug { device: VirtualDevice::default(), reply, wanted: Weak::new() }).unwrap();
        inbox.close();
        assert!(answer.recv().is_err());
        assert_eq!(inbox.post(Order::Stop), Err(Rejected::Ended));
        assert_eq!(inbox.request(1, |_| ()), Err(Rejected::Ended));
        assert!(inbox.order().is_none());
    }

    #[test]
    fn a_pad_that_is_not_received_is_unplugged() {
        let inbox = std::sync::Arc::new(Inbox::new(Arc::new(Waker::new().unwrap())));
        let (reply, answer) = std::sync::mpsc::channel();
        let pad = |id| VirtualPad::new(std::sync::Arc::clone(&inbox), id, VirtualState::default());
        reply.send(pad(1)).unwrap();
        drop(answer); // which contains the pad
        assert!(matches!(inbox.order(), Some(Order::Unplug { id: 1 })));
        let _ = reply.send(pad(2));
        assert!(matches!(inbox.order(), Some(Order::Unplug { id: 2 })));
    }
}
