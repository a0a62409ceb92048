use core::time::Duration;

use crate::core::{Causes, Device, EstopLine, Reading, Rule, State};
use crate::{Hindbrain, Sensor, StopState};

/// Something that hindbrain listens to.
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
    /// How many there are.
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

    pub(crate) const fn index(self) -> usize {
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

/// What one source said last and whether it keeps the vehicle from moving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceDetail {
    /// Which one.
    pub source: Source,
    /// How long ago it was heard; `None` if never.
    pub age: Option<Duration>,
    /// What it says, in a word.
    pub says: &'static str,
    /// Whether it keeps the vehicle from moving, or from moving as is wanted.
    pub blocks: bool,
}

/// All that there is to say of a state: every cause, the age of every source, and who blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// The state.
    pub state: StopState,
    /// Why.
    pub causes: Causes,
    /// The rule that led to the state; `None` before the first change.
    pub rule: Option<Rule>,
    /// For how long it has been the state.
    pub since: Duration,
    /// The levels of port and starboard, forward positive.
    pub levels: [i16; 2],
    /// The sources, in the order of [`Source::ALL`]; `None` for one that is not fitted.
    pub sources: [Option<SourceDetail>; Source::COUNT],
}

impl Hindbrain {
    /// The state in all detail, as of the last call.
    pub fn detail(&self) -> Detail {
        let sources = Source::ALL.map(|source| {
            self.is_fitted(source).then(|| SourceDetail {
                source,
                age: self.age(source),
                says: self.says(source),
                blocks: self.blocks(source),
            })
        });
        let (rule, since) = self.last_change();
        Detail {
            state: self.state(),
            causes: self.causes(),
            rule,
            since,
            levels: self.core().levels(),
            sources,
        }
    }

    fn is_fitted(&self, source: Source) -> bool {
        let core = &self.params().core;
        match source {
            Source::Ir(sensor) => core.infrared.fitted[sensor.index()],
            Source::Device => core.device_required,
            Source::Command | Source::Enable | Source::Estop | Source::Reset => true,
        }
    }

    fn says(&self, source: Source) -> &'static str {
        let State { enabled, estop, reset, eyes, command, device, .. } = self.core();
        match source {
            Source::Command => match command.wish {
                None => "nothing",
                Some(_) if command.followed_by_invalid => "refused",
                Some(wish) if wish.is_within(self.params().core.deadband) => "zero",
                Some(_) => "move",
            },
            Source::Enable => match enabled {
                None => "nothing",
                Some(true) => "true",
                Some(false) => "false",
            },
            Source::Estop => match estop {
                EstopLine::Unheard => "nothing",
                EstopLine::Released { .. } => "released",
                EstopLine::Pressed => "pressed",
                EstopLine::Silent => "silent",
            },
            Source::Reset => {
                if reset.down {
                    "pressed"
                } else {
                    "released"
                }
            }
            Source::Ir(sensor) => match eyes[sensor.index()].reading() {
                None => "silent",
                Some(Reading::Clear) => "clear",
                Some(Reading::Blocked) => "blocked",
                Some(Reading::Invalid) => "no measurement",
            },
            Source::Device => match device {
                Device::Unready => "nothing",
                Device::Works => "works",
                Device::Lost => "lost",
            },
        }
    }

    fn blocks(&self, source: Source) -> bool {
        let core = self.core();
        let params = &self.params().core;
        match source {
            Source::Command => {
                core.command.wish.is_none()
                    || core.rivals && params.single_publisher
                    || self.causes().contains(crate::Cause::NeutralWait)
            }
            Source::Enable => !core.is_enabled() || params.arming && !core.armed || core.is_lapsed(params),
            Source::Estop => core.estop.is_pressed(params.estop_required),
            Source::Reset => core.mode.is_latched() && params.latch,
            Source::Ir(sensor) => core.eyes[sensor.index()].is_bad(),
            Source::Device => core.device != Device::Works,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_has_its_place() {
        for (index, source) in Source::ALL.into_iter().enumerate() {
            assert_eq!(source.index(), index);
        }
    }
}
