use std::collections::VecDeque;

/// Carries out at once what must not wait, and returns what has to be published.
pub(crate) type Act<O> = Box<dyn FnMut(O) -> Option<O> + Send>;
/// Of the outputs with the same key only the newest is worth publishing.
pub(crate) type Key<O> = fn(&O) -> Option<u8>;

/// How many outputs wait at most while a send hangs; then the oldest one is lost.
const MOST_WAITING: usize = 1000;

/// The outputs of a machine between the machine's lock and the send.
pub(crate) struct Outputs<O> {
    pub(crate) act: Option<Act<O>>,
    pub(crate) key: Key<O>,
    waiting: VecDeque<O>,
}

impl<O> Outputs<O> {
    pub(crate) fn new() -> Self {
        Self { act: None, key: |_| None, waiting: VecDeque::new() }
    }

    /// Acts on `output`, and keeps what has to be published.
    pub(crate) fn push(&mut self, output: O) {
        let rest = match &mut self.act {
            Some(act) => act(output),
            None => Some(output),
        };
        let Some(output) = rest else { return };
        // In the place of the older one: at the end, a value that is made more often than the queue is emptied would never get its turn.
        if let Some(key) = (self.key)(&output)
            && let Some(older) = self.waiting.iter_mut().find(|older| (self.key)(older) == Some(key))
        {
            *older = output;
            return;
        }
        if self.waiting.len() == MOST_WAITING {
            self.waiting.pop_front();
        }
        self.waiting.push_back(output);
    }

    /// The next output to publish.
    pub(crate) fn pop(&mut self) -> Option<O> {
        self.waiting.pop_front()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(outputs: &mut Outputs<i32>) -> Vec<i32> {
        std::iter::from_fn(|| outputs.pop()).collect()
    }

    #[test]
    fn a_newer_value_takes_the_place_of_the_one_that_waits() {
        let mut outputs = Outputs::new();
        outputs.key = |value| (*value < 10).then_some(0);
        [1, 20, 2, 30, 3].into_iter().for_each(|value| outputs.push(value));
        assert_eq!(taken(&mut outputs), [3, 20, 30]);
    }

    #[test]
    fn what_is_done_at_once_does_not_wait_to_be_published() {
        let (sender, done) = std::sync::mpsc::channel();
        let mut outputs = Outputs::new();
        outputs.act = Some(Box::new(move |value| {
            sender.send(value).unwrap();
            (value != 2).then_some(value)
        }));
        [1, 2, 3].into_iter().for_each(|value| outputs.push(value));
        assert_eq!((done.try_iter().collect::<Vec<_>>(), taken(&mut outputs)), (vec![1, 2, 3], vec![1, 3]));
    }

    #[test]
    fn a_send_that_hangs_for_ever_fills_no_memory() {
        let mut outputs = Outputs::new();
        (0..5000).for_each(|value| outputs.push(value));
        assert_eq!(taken(&mut outputs), (4000..5000).collect::<Vec<_>>());
    }
}
