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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_has_its_index() {
        for (index, source) in Source::ALL.into_iter().enumerate() {
            assert_eq!(source.index(), index);
        }
    }
}
