use core::fmt;

/// Who publishes a topic, as the graph has it: every endpoint counts, whatever its type, its QoS and its node's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Publishers {
    /// The graph was read.
    Counted {
        /// All publishers.
        all: usize,
        /// Those among them whose type or reliability does not fit: the middleware never delivers what they send.
        incompatible: usize,
    },
    /// The graph could not be read, so that there may be any number.
    Unknown,
}

impl Publishers {
    /// Whether there is more than the one that should be there, or may be.
    pub const fn is_conflict(self) -> bool {
        self.are_several() || matches!(self, Self::Counted { incompatible: 1.., .. })
    }

    /// Whether messages of more than one may come.
    pub const fn are_several(self) -> bool {
        match self {
            Self::Counted { all, .. } => all > 1,
            Self::Unknown => true,
        }
    }
}

impl Default for Publishers {
    /// Nobody.
    fn default() -> Self {
        Self::Counted { all: 0, incompatible: 0 }
    }
}

impl fmt::Display for Publishers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("the graph does not tell who publishes it"),
            Self::Counted { all, incompatible: 0 } => write!(f, "{all} publishers, must be 1"),
            Self::Counted { all, incompatible } => {
                write!(
                    f,
                    "{incompatible} of {all} publishers has another type or is best effort, and is ignored"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_fits_is_no_conflict() {
        let counted = |all, incompatible| Publishers::Counted { all, incompatible };
        for (publishers, is_conflict) in [
            (Publishers::default(), false),
            (counted(1, 0), false),
            (counted(1, 1), true),
            (counted(2, 0), true),
            (Publishers::Unknown, true),
        ] {
            assert_eq!(publishers.is_conflict(), is_conflict, "{publishers}");
        }
    }
}
