use safety::{Machine, Outbox};

/// Carries out at once what must not wait, and returns what has to be published.
pub(crate) type Act<O> = Box<dyn FnMut(O) -> Option<O> + Send>;

/// The outputs of a machine between the machine's lock and the send.
pub(crate) struct Outputs<M: Machine> {
    pub(crate) act: Option<Act<M::Output>>,
    waiting: Outbox<M::Output>,
}

impl<M: Machine> Outputs<M> {
    pub(crate) fn new() -> Self {
        Self { act: None, waiting: Outbox::default() }
    }

    /// Acts on `output`, and keeps what has to be published.
    pub(crate) fn push(&mut self, output: M::Output) {
        let rest = match &mut self.act {
            Some(act) => act(output),
            None => Some(output),
        };
        if let Some(output) = rest {
            self.waiting.push(M::backlog(&output), output);
        }
    }

    /// The next output to publish.
    pub(crate) fn pop(&mut self) -> Option<M::Output> {
        self.waiting.pop()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether so much waits that nothing must be asked of the machine that it has to answer.
    pub(crate) fn is_full(&self) -> bool {
        self.waiting.is_full()
    }
}
