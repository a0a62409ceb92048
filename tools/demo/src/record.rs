use safety::Instant;

/// The changes of type `C` while a script plays, in the order of their observation.
#[derive(Clone, Debug)]
pub struct Record<C> {
    changes: Vec<(Instant, C)>,
}

impl<C> Default for Record<C> {
    fn default() -> Self {
        Self { changes: Vec::new() }
    }
}

impl<C> Record<C> {
    /// Records a change.
    pub fn push(&mut self, now: Instant, change: C) {
        self.changes.push((now, change));
    }

    /// Records changes that are later than all before.
    pub fn extend(&mut self, changes: impl IntoIterator<Item = (Instant, C)>) {
        self.changes.extend(changes);
    }

    /// All changes.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &(Instant, C)> {
        self.changes.iter()
    }

    /// The changes from `from` on.
    pub fn since(&self, from: Instant) -> &[(Instant, C)] {
        &self.changes[self.changes.partition_point(|(at, _)| *at < from)..]
    }

    /// The latest value that `pick` selects, no later than `time`.
    pub fn last<'a, T>(&'a self, time: Instant, pick: impl Fn(&'a C) -> Option<T>) -> Option<T> {
        let until = self.iter().rev().skip_while(|(at, _)| *at > time);
        until.map(|(_, change)| change).find_map(pick)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_is_no_later_than_asked_for() {
        let mut record = Record::default();
        for (millis, value) in [(10, 1), (20, 2), (30, 3)] {
            record.push(Instant::from_millis(millis), value);
        }
        let odd = |value: &i32| (value % 2 == 1).then_some(*value);
        assert_eq!(record.last(Instant::from_millis(29), odd), Some(1));
        assert_eq!(record.last(Instant::from_millis(30), odd), Some(3));
        assert_eq!(record.last(Instant::from_millis(9), odd), None);
        assert_eq!(record.since(Instant::from_millis(20)).len(), 2);
        assert_eq!(record.since(Instant::from_millis(31)).len(), 0);
    }
}
