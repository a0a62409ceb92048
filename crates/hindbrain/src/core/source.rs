use crate::Sensor;

/// A source of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The commands.
    Command,
    /// The software switch.
    Enable,
    /// The emergency stop.
    Estop,
    /// The reset button.
    Reset,
    /// An infra-red sensor.
    Ir(Sensor),
    /// The motor controller.
    Device,
}

impl Source {
    /// The number of sources.
    pub const COUNT: usize = 9;

    /// All sources.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Command,
        Self::Enable,
        Self::Estop,
        Self::Reset,
        Self::Ir(Sensor::FrontPort),
        Self::Ir(Sensor::FrontStarboard),
        Self::Ir(Sensor::BackPort),
        Self::Ir(Sensor::BackStarboard),
        Self::Device,
    ];

    /// Its name: that of its topic, of its frame, or `motor_controller`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Command => "cmd_vel",
            Self::Enable => "hind/enable",
            Self::Estop => "hind/estop",
            Self::Reset => "hind/reset",
            Self::Ir(sensor) => sensor.frame_id(),
            Self::Device => "motor_controller",
        }
    }

    /// Its index in [`ALL`](Self::ALL).
    pub const fn index(self) -> usize {
        match self {
            Self::Command => 0,
            Self::Enable => 1,
            Self::Estop => 2,
            Self::Reset => 3,
            Self::Ir(sensor) => 4 + sensor.index(),
            Self::Device => 8,
        }
    }
}

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
    fn every_source_has_its_index() {
        for (index, source) in Source::ALL.into_iter().enumerate() {
            assert_eq!(source.index(), index);
        }
    }

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
