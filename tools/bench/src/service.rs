//! Calls of a service, one after the other.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use futures::FutureExt;
use r2r::{Client, QosProfile, WrappedServiceTypeSupport};
use ros::{Error, Node, clock};

/// How long a service may take to appear, and an answer to come.
const LONGEST: Duration = Duration::from_secs(10);
/// How long the client waits for messages at once.
const SLICE: Duration = Duration::from_millis(20);

/// A client of the service `name`.
/// # Errors
/// The middleware refuses it.
pub fn client<S: WrappedServiceTypeSupport + 'static>(
    node: &mut Node,
    name: &str,
) -> Result<Client<S>, Error> {
    node.create_client(name, QosProfile::services_default()).map_err(Error::ros(format!("call '{name}'")))
}

/// Waits until the service of `client`, which belongs to a `what`, is there.
/// # Errors
/// It does not appear.
pub fn wait_for<S: WrappedServiceTypeSupport + 'static>(
    node: &mut Node,
    client: &Client<S>,
    what: &str,
) -> Result<(), Error> {
    let available = r2r::Node::is_available(client).map_err(Error::ros("look for a service"))?;
    wait(node, available).map(drop).ok_or_else(|| Error::Start(format!("no {what} is there")))
}

/// The answer to `request`, and how long it took.
/// # Errors
/// There is none.
pub fn call<S: WrappedServiceTypeSupport + 'static>(
    node: &mut Node,
    client: &Client<S>,
    request: &S::Request,
) -> Result<(S::Response, Duration), Error> {
    let began = clock::now();
    let answer = client.request(request).map_err(Error::ros("call a service"))?;
    let answer = wait(node, answer).ok_or_else(|| Error::Start(format!("no answer within {LONGEST:?}")))?;
    let took = clock::now().since(began);
    answer.map(|answer| (answer, took)).map_err(Error::ros("receive an answer"))
}

fn wait<T>(node: &mut Node, future: impl Future<Output = T>) -> Option<T> {
    let end = clock::now() + LONGEST;
    let mut future = pin!(future);
    while clock::now() < end {
        if let Some(ready) = future.as_mut().now_or_never() {
            return Some(ready);
        }
        node.spin_once(SLICE);
    }
    None
}
