use r2r::{QosProfile, WrappedTypesupport};
use units::Machine;

use crate::candidate::{self, Read};
use crate::names::type_of;
use crate::port::Port;
use crate::{Error, Names, Shell, Status, publishers};

/// The topics that a node listens to from its start to its end, in the order they are read: what stops comes before what moves.
///
/// r2r takes at most one message per topic and wake-up and keeps ten that are not read; what else waits lies in the middleware,
/// oldest first. The runner takes all of it, topic after topic until nothing comes any more, before the first is delivered: so
/// nothing waits longer than a wake-up, and what stops counts before what moves, however much of either there is.
pub struct Inputs<M: Machine> {
    heard: Vec<Heard<M>>,
    names: Names,
}

struct Heard<M: Machine> {
    port: Port,
    read: Read<M>,
    /// More than one publisher is one too many, which the machine is told like this.
    count: Option<Count<M>>,
}

/// What the machine is told of a number of publishers.
type Count<M> = Box<dyn Fn(usize) -> <M as Machine>::Input + Send>;

impl<M: Machine + 'static> Inputs<M> {
    /// Nothing yet, for the node that `names` speaks of.
    pub fn new(names: Names) -> Self {
        Self { heard: Vec::new(), names }
    }

    /// How the node's names come out in the graph.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Listens to `topic`; `convert` makes an input of a message, or `None` if the message says nothing.
    /// # Errors
    /// The middleware refuses the topic, for example because its name is not legal.
    pub fn subscribe<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        node: &mut r2r::Node,
        topic: &str,
        qos: QosProfile,
        mut convert: impl FnMut(T) -> Option<M::Input> + Send + 'static,
    ) -> Result<(), Error> {
        let type_name = type_of::<T>();
        let port = Port::new(self.names.resolve(topic), type_name.clone(), candidate::is_reliable(&qos));
        let read = candidate::subscribe(node, topic, qos, move |_, message| convert(message))
            .map_err(Error::ros(format!("listen to '{topic}' as {type_name}")))?;
        self.heard.push(Heard { port, read, count: None });
        Ok(())
    }

    /// Asks for one publisher only on `topic`, which is listened to already. More are told, and the machine gets `input`
    /// of their number whenever it changes, within 0.2 s of the graph knowing it: what follows is
    /// its decision.
    pub fn expect_one_publisher(&mut self, topic: &str, input: impl Fn(usize) -> M::Input + Send + 'static) {
        let full = self.names.resolve(topic);
        if let Some(heard) = self.heard.iter_mut().find(|heard| heard.port.topic == full) {
            heard.port.sole = true;
            heard.count = Some(Box::new(input));
        }
    }

    /// Takes what r2r has; how many messages.
    pub(crate) fn take(&mut self) -> usize {
        self.heard.iter_mut().map(|heard| heard.read.take()).sum()
    }

    /// Delivers everything that was taken.
    pub(crate) fn deliver(&mut self, shell: &Shell<M>) {
        for heard in &mut self.heard {
            heard.port.received += heard.read.deliver(shell, 0);
        }
    }

    /// Looks in the graph for publishers that are not heard, where one is expected (`sole`) or elsewhere.
    pub(crate) fn look_for_strangers(
        &mut self,
        node: &r2r::Node,
        node_name: &str,
        shell: &Shell<M>,
        sole: bool,
    ) {
        let twins = self.heard.iter().filter(|heard| !heard.port.reliable);
        let best_effort: Vec<String> = twins.map(|heard| heard.port.topic.clone()).collect();
        for Heard { port, count, .. } in self.heard.iter_mut().filter(|heard| heard.count.is_some() == sole) {
            let before = port.publishers;
            match publishers(node, &port.topic) {
                Some(found) => port.look(&found, node_name, best_effort.contains(&port.topic)),
                // A graph that cannot be read is no proof that there is one only.
                None if count.is_some() => port.publishers = usize::MAX,
                None => continue,
            }
            if let Some(count) = count
                && before != port.publishers
            {
                shell.deliver(count(port.publishers));
            }
        }
    }

    /// Adds to `status` what there is to say of the topics.
    pub(crate) fn report(&self, status: &mut Status) {
        for Heard { port, .. } in &self.heard {
            // A topic may be heard both ways, so that nobody speaks to deaf ears.
            let is_twin = |other: &Port| other.topic == port.topic && other.reliable != port.reliable;
            port.report(status, self.heard.iter().any(|other| is_twin(&other.port)));
        }
    }
}
