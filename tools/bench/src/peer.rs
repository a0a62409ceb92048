use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use futures::FutureExt;
use r2r::{Client, Publisher, QosProfile, WrappedServiceTypeSupport, WrappedTypesupport};
use ros::{Error, Node, Received, Stop, clock, ready};
use safety::Stamp;

use crate::stage::{Result, START, Stage, check};

/// The longest wait: a request to end must be noticed.
const LONGEST_SLEEP: Duration = Duration::from_millis(10);
/// How long a service may take to appear, and an answer to come.
const LONGEST: Duration = Duration::from_secs(10);

/// A node of the bench, which communicates with the nodes that are measured. Its subscriptions deliver messages of one type `M`.
pub struct Peer<M = ()> {
    node: Node,
    stop: Stop,
    /// The next unread message of each subscription.
    unread: Vec<Box<dyn FnMut() -> Option<M> + Send>>,
}

impl<M: 'static> Peer<M> {
    /// A node called `name`.
    /// # Errors
    /// The middleware refuses it.
    pub fn new(stage: &Stage, name: &str) -> Result<Self> {
        Ok(Self { node: Node::new(&stage.context, name)?, stop: stage.stop.clone(), unread: Vec::new() })
    }

    /// Subscribes to `topic`; `read` makes the message of the bench.
    /// # Errors
    /// The middleware refuses the topic.
    pub fn subscribe<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        topic: &str,
        qos: QosProfile,
        read: impl Fn(T) -> M + Send + 'static,
    ) -> Result<()> {
        let stream = self.node.subscribe(topic, qos).map_err(Error::ros(format!("listen to '{topic}'")))?;
        let mut stream: Received<T> = Box::pin(stream);
        self.unread.push(Box::new(move || ready(&mut stream).next().map(&read)));
        Ok(())
    }

    /// A publisher on `topic`.
    /// # Errors
    /// The middleware refuses the topic.
    pub fn publisher<T: WrappedTypesupport>(&mut self, topic: &str, qos: QosProfile) -> Result<Publisher<T>> {
        Ok(self.node.create_publisher(topic, qos).map_err(Error::ros(format!("publish '{topic}'")))?)
    }

    /// Waits for a message, `time` at most, and passes all that are there to `handle`, with the time of their receipt: r2r keeps ten
    /// of a topic and drops the newest when an eleventh comes.
    pub fn receive(&mut self, time: Duration, mut handle: impl FnMut(M, Stamp)) {
        self.node.spin_once(time);
        let now = clock::stamp();
        for next in &mut self.unread {
            std::iter::from_fn(next).for_each(|message| handle(message, now));
        }
    }

    /// Passes messages to `handle` for `time`, or until it returns true; returns whether it has.
    /// # Errors
    /// The user has requested the end.
    pub fn listen(&mut self, time: Duration, mut handle: impl FnMut(M, Stamp) -> bool) -> Result<bool> {
        let (end, mut is_enough) = (clock::now() + time, false);
        loop {
            let left = end.since(clock::now());
            if is_enough || left.is_zero() {
                return Ok(is_enough);
            }
            check(&self.stop)?;
            self.receive(left.min(LONGEST_SLEEP), |message, now| is_enough |= handle(message, now));
        }
    }

    /// Waits for a message that is `expected`.
    /// # Errors
    /// `failure`: none comes.
    pub fn expect(&mut self, failure: &str, expected: impl Fn(M) -> bool) -> Result<()> {
        if self.listen(START, |message, _| expected(message))? { Ok(()) } else { Err(failure.into()) }
    }

    /// Waits, and forgets what comes meanwhile.
    /// # Errors
    /// The user has requested the end.
    pub fn pause(&mut self, time: Duration) -> Result<()> {
        self.listen(time, |_, _| false).map(drop)
    }

    /// Forgets the messages that are there.
    pub fn forget(&mut self) {
        let mut is_empty = false;
        while !is_empty {
            is_empty = true;
            self.receive(Duration::ZERO, |_, _| is_empty = false);
        }
    }

    /// A client of the service `name`, once the service is there.
    /// # Errors
    /// It does not appear.
    pub fn client<S: WrappedServiceTypeSupport + 'static>(&mut self, name: &str) -> Result<Client<S>> {
        let client = self.node.create_client(name, QosProfile::services_default());
        let client = client.map_err(Error::ros(format!("call '{name}'")))?;
        let available = r2r::Node::is_available(&client).map_err(Error::ros("look for a service"))?;
        self.wait(available)?.map_err(Error::ros(format!("find '{name}'")))?;
        Ok(client)
    }

    /// The answer to `request`, and how long it took.
    /// # Errors
    /// There is none.
    pub fn call<S: WrappedServiceTypeSupport + 'static>(
        &mut self,
        client: &Client<S>,
        request: &S::Request,
    ) -> Result<(S::Response, Duration)> {
        let began = clock::now();
        let answer = client.request(request).map_err(Error::ros("call a service"))?;
        let answer = self.wait(answer)?.map_err(Error::ros("receive an answer"))?;
        Ok((answer, clock::now().since(began)))
    }

    fn wait<T>(&mut self, future: impl Future<Output = T>) -> Result<T> {
        let end = clock::now() + LONGEST;
        let mut future = pin!(future);
        while clock::now() < end {
            if let Some(ready) = future.as_mut().now_or_never() {
                return Ok(ready);
            }
            self.node.spin_once(LONGEST_SLEEP);
        }
        Err(format!("no service answers within {LONGEST:?}").into())
    }
}
