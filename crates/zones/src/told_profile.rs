use units::PublisherCount;

/// The profile that a chair is in, as it is told on `luci/chair_profile`.
///
/// While more than one publisher tells it the chair is in none that is known, and so it stays afterwards until the profile is told
/// again: nobody knows whose word was the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToldProfile {
    number: Option<i32>,
    publishers: PublisherCount,
}

impl ToldProfile {
    /// The profile's number; `None` if none is known.
    pub fn number(self) -> Option<i32> {
        self.number
    }

    /// How many publishers tell it.
    pub fn publishers(self) -> usize {
        self.publishers.get()
    }

    /// The chair is in the profile of this number, somebody says.
    pub fn receive(&mut self, number: i32) {
        self.number = Some(number).filter(|_| !self.publishers.are_several());
    }

    /// So many publishers tell it; [`usize::MAX`] if the graph cannot tell.
    pub fn count(&mut self, publishers: usize) {
        if self.publishers.set(publishers) {
            self.number = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_tell_is_known_of_nobody_until_one_tells_it_again() {
        let mut told = ToldProfile::default();
        told.receive(1);
        told.count(1);
        assert_eq!(told.number(), Some(1));
        told.count(2);
        told.receive(5);
        assert_eq!((told.number(), told.publishers()), (None, 2));
        told.count(1);
        assert_eq!(told.number(), None);
        told.receive(1);
        assert_eq!(told.number(), Some(1));
        told.count(usize::MAX);
        assert_eq!(told.number(), None, "a graph that cannot be read");
    }
}
