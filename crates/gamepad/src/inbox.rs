//! What the other threads ask of the SDL thread, and how it waits there.

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use crate::event::Feature;
use crate::virtual_pad::{VirtualDevice, VirtualPad, VirtualState};
use crate::watch::Bell;

/// The SDL thread's letter box. Nobody is ever kept waiting to put something in, and it cannot grow without bound.
#[derive(Debug)]
pub(crate) struct Inbox {
    waiting: Mutex<Waiting>,
    bell: Arc<Bell>,
}

#[derive(Debug, Default)]
struct Waiting {
    orders: VecDeque<Order>,
    wishes: BTreeMap<u32, Wishes>,
    closed: bool,
}

/// What is done in the order in which it was asked for.
#[derive(Debug)]
pub(crate) enum Order {
    /// Make a virtual joystick; answers it, or SDL's refusal. `wanted` is alive as long as somebody waits for it.
    Plug { device: VirtualDevice, reply: Sender<Result<VirtualPad, String>>, wanted: Weak<()> },
    /// Let a virtual joystick show this state, whose lengths are the pad's.
    Set { id: u32, state: VirtualState },
    /// Remove a virtual joystick.
    Unplug { id: u32 },
    /// Tell where every device is.
    Retell,
    /// End the thread.
    Stop,
}

/// What is wanted of one device: of each kind the newest only.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Wishes {
    pub(crate) rumble: Option<((u16, u16), Duration)>,
    pub(crate) led: Option<[u8; 3]>,
    pub(crate) sensors: Option<bool>,
}

/// Why something was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotTaken {
    /// The thread has ended.
    Ended,
    /// Wishes wait for so many devices already.
    TooMany,
}

/// How many states of one virtual joystick wait at most; then the newest takes the place of the last one waiting.
pub(crate) const STATES: usize = 256;
/// For how many devices wishes wait at most: more than SDL can have in a millisecond, even with made-up ids.
pub(crate) const WISHED: usize = 64;

impl Inbox {
    /// An empty one, which rings `bell` when something is put in.
    pub(crate) fn new(bell: Arc<Bell>) -> Self {
        Self { waiting: Mutex::default(), bell }
    }

    /// Puts an order at the end. An order that does not fit, a state, replaces the last state of the same pad.
    pub(crate) fn post(&self, order: Order) -> Result<(), NotTaken> {
        let mut waiting = self.lock();
        if waiting.closed {
            return Err(NotTaken::Ended);
        }
        waiting.put(order);
        self.bell.ring();
        Ok(())
    }

    /// Changes what is wanted of a device.
    pub(crate) fn wish(&self, id: u32, want: impl FnOnce(&mut Wishes)) -> Result<(), NotTaken> {
        let mut waiting = self.lock();
        if waiting.closed {
            return Err(NotTaken::Ended);
        }
        if waiting.wishes.len() >= WISHED && !waiting.wishes.contains_key(&id) {
            return Err(NotTaken::TooMany);
        }
        want(waiting.wishes.entry(id).or_default());
        self.bell.ring();
        Ok(())
    }

    /// The first order, if there is one.
    pub(crate) fn order(&self) -> Option<Order> {
        self.lock().orders.pop_front()
    }

    /// All wishes.
    pub(crate) fn wishes(&self) -> BTreeMap<u32, Wishes> {
        std::mem::take(&mut self.lock().wishes)
    }

    /// Takes nothing any more, and lets go of what waits: whoever waits for a reply hears that there is none.
    pub(crate) fn close(&self) {
        let orders = {
            let mut waiting = self.lock();
            waiting.closed = true;
            waiting.wishes.clear();
            std::mem::take(&mut waiting.orders)
        };
        drop(orders); // outside the lock: what is dropped here may post
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wishes {
    /// What is wished for.
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
        if matches!(order, Order::Retell) && self.orders.iter().any(|order| matches!(order, Order::Retell)) {
            return; // asked already, and not answered
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
        let inbox = Inbox::new(Arc::new(Bell::new().unwrap()));
        for value in 0..10_000 {
            inbox.post(set(1, value)).unwrap();
        }
        // 0 to 254 wait, and in place 255, the 256th, stands whatever came last.
        let expected: Vec<i16> = (0..255).chain([9_999]).collect();
        assert_eq!(values(&inbox, 1), expected);
    }

    #[test]
    fn a_flooding_pad_takes_no_place_from_another() {
        let inbox = Inbox::new(Arc::new(Bell::new().unwrap()));
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
    fn who_asks_where_devices_are_again_and_again_asks_once() {
        let inbox = Inbox::new(Arc::new(Bell::new().unwrap()));
        for _ in 0..1_000 {
            inbox.post(Order::Retell).unwrap();
        }
        assert_eq!(inbox.lock().orders.len(), 1);
        assert!(matches!(inbox.order(), Some(Order::Retell)));
    }

    #[test]
    fn of_each_kind_the_newest_wish_is_left() {
        let inbox = Inbox::new(Arc::new(Bell::new().unwrap()));
        inbox.wish(1, |wishes| wishes.led = Some([1, 2, 3])).unwrap();
        inbox.wish(1, |wishes| wishes.sensors = Some(true)).unwrap();
        inbox.wish(1, |wishes| wishes.led = Some([4, 5, 6])).unwrap();
        inbox.wish(2, |wishes| wishes.sensors = Some(false)).unwrap();
        let wishes: Vec<_> = inbox.wishes().into_iter().collect();
        let one = Wishes { led: Some([4, 5, 6]), sensors: Some(true), ..Wishes::default() };
        let two = Wishes { sensors: Some(false), ..Wishes::default() };
        assert_eq!(wishes, [(1, one), (2, two)]);
        assert!(inbox.wishes().is_empty());
    }

    #[test]
    fn wishes_for_made_up_devices_do_not_pile_up() {
        let inbox = Inbox::new(Arc::new(Bell::new().unwrap()));
        let sensors = |wishes: &mut Wishes| wishes.sensors = Some(true);
        let taken = (0..1_000).filter(|id| inbox.wish(*id, sensors).is_ok()).count();
        assert_eq!(taken, WISHED);
        assert_eq!(inbox.wish(999, sensors), Err(NotTaken::TooMany));
        assert_eq!(inbox.wish(0, sensors), Ok(())); // waits already, so there is room
    }

    #[test]
    fn a_closed_box_takes_nothing_and_holds_nothing() {
        let inbox = Inbox::new(Arc::new(Bell::new().unwrap()));
        let (reply, answer) = std::sync::mpsc::channel();
        inbox.post(Order::Plug { device: VirtualDevice::default(), reply, wanted: Weak::new() }).unwrap();
        inbox.close();
        assert!(answer.recv().is_err());
        assert_eq!(inbox.post(Order::Stop), Err(NotTaken::Ended));
        assert_eq!(inbox.wish(1, |_| ()), Err(NotTaken::Ended));
        assert!(inbox.order().is_none());
    }

    #[test]
    fn a_pad_that_nobody_takes_is_unplugged() {
        let inbox = std::sync::Arc::new(Inbox::new(Arc::new(Bell::new().unwrap())));
        let (reply, answer) = std::sync::mpsc::channel();
        let pad = |id| VirtualPad::new(std::sync::Arc::clone(&inbox), id, VirtualState::default());
        reply.send(pad(1)).unwrap();
        drop(answer); // with the pad in it
        assert!(matches!(inbox.order(), Some(Order::Unplug { id: 1 })));
        let _ = reply.send(pad(2));
        assert!(matches!(inbox.order(), Some(Order::Unplug { id: 2 })));
    }
}
