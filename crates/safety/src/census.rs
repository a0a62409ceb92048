use core::fmt;

/// How many publishers one topic has: every endpoint in the graph counts, of any type, any QoS and any node name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Census {
    /// The graph could not be read: that counts as a conflict.
    Unknown,
    /// The counts.
    Known {
        /// Compatible publishers, whose messages can be received.
        fitting: usize,
        /// Publishers of another type or reliability, whose messages cannot be received.
        others: usize,
    },
    /// It carries what a later stage made of the counting node's own commands: that counts as a conflict.
    Loop,
}

impl Census {
    /// Whether there is more than one publisher, or one whose messages are not received.
    pub const fn is_conflict(self) -> bool {
        match self {
            Self::Unknown | Self::Loop => true,
            Self::Known { fitting, others } => fitting > 1 || others > 0,
        }
    }

    /// Whether there is more than one publisher of any kind, the number is not known, or the topic is a loop.
    pub const fn are_several(self) -> bool {
        match self {
            Self::Unknown | Self::Loop => true,
            Self::Known { fitting, others } => fitting.saturating_add(others) > 1,
        }
    }

    /// Whether there is a publisher of any kind, or the number is not known.
    pub const fn is_any(self) -> bool {
        !matches!(self, Self::Known { fitting: 0, others: 0 })
    }
}

impl Default for Census {
    fn default() -> Self {
        Self::Known { fitting: 0, others: 0 }
    }
}

impl fmt::Display for Census {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Unknown => f.write_str("its publishers cannot be read from the graph"),
            Self::Loop => {
                f.write_str("its topic carries this node's own command, passed on by a later stage")
            }
            Self::Known { fitting, others: 0 } => write!(f, "{fitting} publishers, must be 1"),
            Self::Known { fitting, others } => {
                let all = fitting.saturating_add(others);
                write!(f, "ignores {others} of {all} publishers: another type, or best effort")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_and_one_compatible_publisher_are_no_conflict() {
        for (fitting, others, expected) in
            [(0, 0, false), (1, 0, false), (2, 0, true), (0, 1, true), (1, 1, true)]
        {
            assert_eq!(Census::Known { fitting, others }.is_conflict(), expected, "{fitting} {others}");
        }
        assert!(Census::Unknown.is_conflict());
    }

    #[test]
    fn several_are_more_than_one_of_any_kind() {
        for (fitting, others, several, any) in [
            (0, 0, false, false),
            (1, 0, false, true),
            (0, 1, false, true),
            (1, 1, true, true),
            (2, 0, true, true),
        ] {
            let census = Census::Known { fitting, others };
            assert_eq!((census.are_several(), census.is_any()), (several, any), "{fitting} {others}");
        }
        assert!(Census::Unknown.are_several() && Census::Unknown.is_any(), "not known");
        assert!(Census::Loop.are_several() && Census::Loop.is_conflict() && Census::Loop.is_any());
        assert!(Census::Known { fitting: usize::MAX, others: 1 }.are_several());
    }

    #[test]
    fn a_conflict_is_displayed() {
        let text = |fitting, others| Census::Known { fitting, others }.to_string();
        assert_eq!(text(2, 0), "2 publishers, must be 1");
        assert_eq!(text(1, 1), "ignores 1 of 2 publishers: another type, or best effort");
        assert!(Census::Unknown.to_string().contains("cannot be read"));
    }
}
