/// A topic on which hindbrain expects one publisher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum SoleTopic {
    /// `cmd_vel`: of two publishers the faster one would drive.
    Command,
    /// `hind/enable`: one publisher would switch on what the other switched off.
    Enable,
    /// `hind/estop`: the release of one would hide the press of the other.
    Estop,
    /// `hind/reset`: the false of one would release the button of the other.
    Reset,
    /// `motor/port` or `motor/starboard`, which hindbrain publishes itself.
    Motors,
}

impl SoleTopic {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Command, Self::Enable, Self::Estop, Self::Reset, Self::Motors];
}

/// The topics that have more than one publisher, or an incompatible one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Conflicts(u8);

impl Conflicts {
    /// None.
    pub const NONE: Self = Self(0);

    /// This set, with a conflict on `topic` if `is` holds, and without one otherwise.
    #[must_use]
    pub const fn with(self, topic: SoleTopic, is: bool) -> Self {
        let bit = 1 << topic as u8;
        Self(if is { self.0 | bit } else { self.0 & !bit })
    }

    /// Whether there is a conflict on `topic`.
    pub const fn on(self, topic: SoleTopic) -> bool {
        self.0 & 1 << topic as u8 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_topic_has_its_own_conflict() {
        for topic in SoleTopic::ALL {
            let one = Conflicts::NONE.with(topic, true);
            for other in SoleTopic::ALL {
                assert_eq!(one.on(other), other == topic);
            }
            assert_eq!(one.with(topic, true), one, "a conflict that continues is still one");
            assert_eq!(one.with(topic, false), Conflicts::NONE);
        }
    }
}
