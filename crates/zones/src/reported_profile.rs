use safety::PublisherCount;

/// The chair's profile, as reported on `luci/chair_profile`.
///
/// With more than one publisher the profile is unknown. It stays unknown afterwards until it is reported again, since
/// the origin of the last message is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReportedProfile {
    number: Option<i32>,
    publishers: PublisherCount,
}

impl ReportedProfile {
    /// The profile's number; `None` if none is known.
    pub fn number(self) -> Option<i32> {
        self.number
    }

    /// The number of publishers.
    pub fn publishers(self) -> PublisherCount {
        self.publishers
    }

    /// Receives the number of the profile.
    pub fn receive(&mut self, number: i32) {
        self.number = Some(number).filter(|_| !self.publishers.are_several());
    }

    /// Sets the number of publishers.
    pub fn count(&mut self, publishers: PublisherCount) {
        if self.publishers.update(publishers) {
            self.number = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_of_two_publishers_is_unknown_until_one_reports_it_again() {
        let mut profile = ReportedProfile::default();
        profile.receive(1);
        profile.count(PublisherCount::of(1));
        assert_eq!(profile.number(), Some(1));
        profile.count(PublisherCount::of(2));
        profile.receive(5);
        assert_eq!((profile.number(), profile.publishers()), (None, PublisherCount::of(2)));
        profile.count(PublisherCount::of(1));
        assert_eq!(profile.number(), None);
        profile.receive(1);
        assert_eq!(profile.number(), Some(1));
        profile.count(PublisherCount::Unknown);
        assert_eq!(profile.number(), None, "a graph that cannot be read");
    }
}
