use std::collections::VecDeque;

use params::Refusal;
use r2r::qos::ReliabilityPolicy;
use r2r::{QosProfile, WrappedTypesupport};
use safety::Machine;

use crate::names::type_of;
use crate::{Endpoint, Received, Shell, overridden, ready};

/// A subscription. r2r keeps ten messages of a topic and receives one with each wake-up; the middleware keeps the rest.
pub(crate) trait Subscription<M: Machine>: Send {
    /// Receives the messages that r2r has and returns their number.
    fn receive(&mut self) -> usize;
    /// Delivers the received messages in order and returns their number. `index` is the topic's current index for the machine.
    ///
    /// If more than [`BACKLOG`] messages were received, a command [for motion](Machine::asks_for_motion) that a later one of the same
    /// read replaces is left out: a process that was held must not release all commands that waited for it. The machine judges
    /// the newest command as it would have after the others, and every stop.
    fn deliver(&mut self, shell: &Shell<M>, index: usize) -> u64;
    /// Drops the received messages.
    fn discard(&mut self);
}

/// More commands than this arrive at once only if the process was held: 20 ms at 1 kHz.
const BACKLOG: usize = 20;

/// A subscription of any message type.
pub(crate) type Read<M> = Box<dyn Subscription<M>>;
/// Creates a subscription.
type Open<M> = Box<dyn FnOnce(&mut r2r::Node, &str, QosProfile) -> r2r::Result<Read<M>> + Send>;

/// The message type and QoS of a topic that the parameters add and remove, see [`SubscriptionSpec`](crate::SubscriptionSpec).
pub struct Candidate<M: Machine> {
    type_name: String,
    qos: QosProfile,
    open: Open<M>,
}

impl<M: Machine + 'static> Candidate<M> {
    /// A subscription to `T`. `convert` makes an input of a message, or returns `None` if the message carries none.
    pub fn new<T: WrappedTypesupport + Send + 'static>(
        qos: QosProfile,
        mut convert: impl FnMut(T) -> Option<M::Input> + Send + 'static,
    ) -> Self {
        Self::indexed(qos, move |_, message| convert(message))
    }

    /// A subscription to `T` on one of several like topics: `convert` also receives the topic's index at the time of delivery.
    pub fn indexed<T: WrappedTypesupport + Send + 'static>(
        qos: QosProfile,
        convert: impl FnMut(usize, T) -> Option<M::Input> + Send + 'static,
    ) -> Self {
        let open: Open<M> = Box::new(move |node, topic, qos| subscribe(node, topic, qos, convert));
        Self { type_name: type_of::<T>(), qos, open }
    }

    /// The ROS name of the type.
    pub(crate) fn type_name(&self) -> &str {
        &self.type_name
    }

    pub(crate) fn is_reliable(&self) -> bool {
        is_reliable(&self.qos)
    }

    /// Puts the overrides of `node` for `topic` in force.
    pub(crate) fn overridden(self, node: &r2r::Node, topic: &str) -> Result<Self, Refusal> {
        let qos = overridden(node, Endpoint::Subscription, topic, self.qos)?;
        Ok(Self { qos, ..self })
    }

    /// Subscribes `node` to `topic` with this type.
    pub(crate) fn open(self, node: &mut r2r::Node, topic: &str) -> r2r::Result<Read<M>> {
        (self.open)(node, topic, self.qos)
    }
}

pub(crate) fn is_reliable(qos: &QosProfile) -> bool {
    matches!(qos.reliability, ReliabilityPolicy::Reliable)
}

/// Subscribes `node` to `topic`.
pub(crate) fn subscribe<M: Machine + 'static, T: WrappedTypesupport + Send + 'static>(
    node: &mut r2r::Node,
    topic: &str,
    qos: QosProfile,
    convert: impl FnMut(usize, T) -> Option<M::Input> + Send + 'static,
) -> r2r::Result<Read<M>> {
    let stream = Box::pin(node.subscribe::<T>(topic, qos)?);
    Ok(Box::new(Typed { stream, received: VecDeque::new(), convert }))
}

struct Typed<T, C> {
    stream: Received<T>,
    received: VecDeque<T>,
    convert: C,
}

impl<M, T, C> Subscription<M> for Typed<T, C>
where
    M: Machine + 'static,
    T: Send + 'static,
    C: FnMut(usize, T) -> Option<M::Input> + Send + 'static,
{
    fn receive(&mut self) -> usize {
        let before = self.received.len();
        self.received.extend(ready(&mut self.stream));
        self.received.len() - before
    }

    fn deliver(&mut self, shell: &Shell<M>, index: usize) -> u64 {
        let mut count = 0;
        let is_backlog = self.received.len() > BACKLOG;
        while let Some(message) = self.received.pop_front() {
            count += 1;
            let Some(input) = (self.convert)(index, message) else { continue };
            let is_replaced = is_backlog && !self.received.is_empty() && M::asks_for_motion(&input);
            if !is_replaced {
                shell.deliver(input);
            }
        }
        count
    }

    fn discard(&mut self) {
        self.received.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use futures::channel::mpsc;
    use safety::Instant;

    use super::*;

    /// A positive input asks for motion.
    struct Sink(Arc<Mutex<Vec<f64>>>);

    impl Machine for Sink {
        type Input = f64;
        type Output = ();

        fn backlog((): &()) -> safety::Backlog {
            safety::Backlog::Each
        }

        fn handle(&mut self, _: Instant, input: f64) {
            self.0.lock().unwrap().push(input);
        }

        fn poll(&mut self, _: Instant) -> Option<()> {
            None
        }

        fn asks_for_motion(input: &f64) -> bool {
            *input > 0.0
        }

        fn deadline(&self) -> Option<Instant> {
            None
        }
    }

    /// The delivered part of `messages`, which are received in two rounds.
    fn delivered(messages: &[f64]) -> Vec<f64> {
        let (mut sender, stream) = mpsc::channel(100);
        let convert = |_, message| Some(message);
        let mut typed = Typed { stream: Box::pin(stream), received: VecDeque::new(), convert };
        let seen = Arc::new(Mutex::new(Vec::new()));
        let shell = Shell::new(Sink(seen.clone()), None, |()| {});
        for (number, message) in messages.iter().enumerate() {
            sender.try_send(*message).unwrap();
            if number == messages.len() / 2 {
                assert_eq!(Subscription::<Sink>::receive(&mut typed), number + 1);
            }
        }
        Subscription::<Sink>::receive(&mut typed);
        assert_eq!(typed.deliver(&shell, 0), messages.len() as u64);
        seen.lock().unwrap().clone()
    }

    /// The delivered part of `count` commands followed by `parts`.
    fn after_backlog(count: usize, parts: &[f64]) -> Vec<f64> {
        delivered(&[&vec![1.0; count], parts].concat())
    }

    #[test]
    fn of_a_backlog_the_last_command_and_every_other_message_count() {
        assert_eq!(after_backlog(BACKLOG, &[2.0, 0.0, 3.0, 4.0]), [0.0, 4.0]);
        assert_eq!(after_backlog(BACKLOG, &[0.0]), [0.0]);
        assert_eq!(delivered(&[0.0; 50]), [0.0; 50]);
    }

    #[test]
    fn few_commands_are_all_delivered() {
        assert_eq!(after_backlog(0, &[1.0, 2.0, 0.0, 3.0]), [1.0, 2.0, 0.0, 3.0]);
        assert_eq!(after_backlog(BACKLOG, &[]), [1.0; BACKLOG]);
    }
}
