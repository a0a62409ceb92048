use std::pin::Pin;

use futures::{FutureExt, Stream, StreamExt};

/// A stream of r2r, of messages or of requests.
pub type Received<T> = Pin<Box<dyn Stream<Item = T> + Send>>;

/// The items that r2r has now, in order of arrival; it waits for none.
pub fn ready<T>(stream: &mut Received<T>) -> impl Iterator<Item = T> {
    std::iter::from_fn(|| stream.next().now_or_never().flatten())
}
