use core::time::Duration;

use crate::core::{Cause, Causes, Device, Effect, EstopLine, Reading, Source, State};
use crate::{Hindbrain, StopState};

/// The last message of one source, and whether the source keeps the vehicle from moving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceDetail {
    /// The source.
    pub source: Source,
    /// The time since it was last received; `None` if never.
    pub age: Option<Duration>,
    /// Its last message, as one word.
    pub says: &'static str,
    /// Whether it keeps the vehicle from moving, or from moving as commanded.
    pub blocks: bool,
}

/// The state in detail: every cause, the age of every source, and which sources block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// The state.
    pub state: StopState,
    /// The causes.
    pub causes: Causes,
    /// The most severe cause when the state began; `None` if there was none.
    pub since_cause: Option<Cause>,
    /// The time since the state began.
    pub since: Duration,
    /// The levels of port and starboard, forward positive.
    pub levels: [i16; 2],
    /// The sources, in the order of [`Source::ALL`]; `None` for one that is not fitted.
    pub sources: [Option<SourceDetail>; Source::COUNT],
}

impl Hindbrain {
    /// The state in detail, as of the last call.
    pub fn detail(&self) -> Detail {
        let sources = Source::ALL.map(|source| {
            self.is_fitted(source).then(|| SourceDetail {
                source,
                age: self.age(source),
                says: self.last_value(source),
                blocks: self.blocks(source),
            })
        });
        let (since_cause, since) = self.last_change();
        Detail {
            state: self.state(),
            causes: self.causes(),
            since_cause,
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

    /// The last message of `source`, as one word.
    pub(crate) fn last_value(&self, source: Source) -> &'static str {
        let State { enable, estop, reset, sensors, command, device, .. } = self.core();
        match source {
            Source::Command => match command.setpoint {
                None => "nothing",
                Some(_) if command.followed_by_invalid => "refused",
                Some(_) if self.accepted().withheld => "withheld",
                Some(_) if self.accepted().asks_for_motion() => "move",
                Some(_) => "zero",
            },
            Source::Enable => match enable.level() {
                None => "nothing",
                Some(true) => "true",
                Some(false) => "false",
            },
            Source::Estop => match estop {
                EstopLine::NeverReceived => "nothing",
                EstopLine::Released { .. } => "released",
                EstopLine::Pressed => "pressed",
                EstopLine::Mute | EstopLine::Silent => "silent",
            },
            Source::Reset => match self.age(source) {
                None => "nothing",
                Some(_) if reset.down => "pressed",
                Some(_) => "released",
            },
            Source::Ir(sensor) => match sensors[sensor.index()].reading() {
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
        if let Source::Ir(sensor) = source {
            let timeout = self.params().core.infrared.timeout;
            return self.core().sensors[sensor.index()].is_blocking(timeout);
        }
        self.causes()
            .iter()
            .map(Cause::row)
            .any(|row| row.effect > Effect::Reports && row.source == Some(source))
    }
}
