//! The states of a robot elsewhere as they arrive: which count, and why the others do not.

use core::fmt;
use core::mem::{Discriminant, discriminant};
use core::time::Duration;
use std::sync::Arc;

mod jumps;
mod places;

use jumps::Jumps;
pub use jumps::SpeedBound;
pub use places::Places;

use crate::{Clock, Freshness, Instant, MessageTime, PublisherCount, Stale, Stamp};

/// Whether a robot elsewhere is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkState {
    /// Whether its states are awaited or lost.
    pub is_silent: bool,
    /// How often they were lost.
    pub losses: u64,
}

/// The states of all parts, as one message has them.
#[derive(Clone, Debug, PartialEq)]
pub struct StateSample {
    /// The time from which they count.
    pub time: MessageTime,
    /// One for each part that is known, in its order.
    pub actuators: Vec<ActuatorSample>,
}

/// The state of one actuator or joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActuatorSample {
    /// \[rad or m\]
    pub position: f64,
    /// \[rad/s or m/s\]
    pub velocity: f64,
    /// \[Nm or N\], if it is measured.
    pub effort: Option<f64>,
}

/// The states of some actuators, as `sensor_msgs/msg/JointState` has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatesMessage {
    /// When they were measured; zero if that is not known.
    pub stamp: Stamp,
    /// The actuators, in any order.
    pub names: Vec<String>,
    /// One for each \[rad or m\].
    pub positions: Vec<f64>,
    /// One for each \[rad/s or m/s\].
    pub velocities: Vec<f64>,
    /// One for each, or none \[Nm or N\].
    pub efforts: Vec<f64>,
}

/// Why a message of states does not count.
#[derive(Clone, Debug, PartialEq)]
pub enum StatesError {
    /// There are several publishers.
    Publishers {
        /// The topic.
        topic: String,
        /// How many.
        count: PublisherCount,
    },
    /// It is too old, late, from the future, or repeated.
    Stale {
        /// Which of these.
        stale: Stale,
        /// The age at which a message is too old.
        timeout: Duration,
    },
    /// It has another number of values than of names.
    Count {
        /// `positions`, `velocities` or `efforts`.
        what: &'static str,
        /// How many it has.
        found: usize,
        /// How many names it has.
        names: usize,
    },
    /// It names a part that the robot does not have, or one twice.
    Unknown {
        /// Kind of the part, `actuator` or `joint`.
        part: &'static str,
        /// The name.
        name: String,
        /// Whether it is there twice.
        is_repeated: bool,
    },
    /// It does not name a part of the robot.
    Missing {
        /// Kind of the part, `actuator` or `joint`.
        part: &'static str,
        /// The name.
        name: String,
    },
    /// A joint is where it cannot be, in a sentence.
    Misplaced(String),
    /// A part moved further since the last states that counted than its speed allows.
    Jump {
        /// The part.
        name: String,
        /// How far \[rad or m\].
        way: f64,
        /// How far it may be \[rad or m\].
        most: f64,
        /// Time in which it moved that far.
        time: Duration,
    },
    /// A part is faster than it can be.
    Speed {
        /// The part.
        name: String,
        /// How fast \[rad/s or m/s\].
        speed: f64,
        /// How fast it may be \[rad/s or m/s\].
        most: f64,
    },
    /// A part has a speed and does not move.
    Frozen {
        /// The part.
        name: String,
        /// How long its position has been the same.
        time: Duration,
    },
    /// A value is not finite.
    Value {
        /// The part.
        name: String,
        /// `position`, `velocity` or `effort`.
        what: &'static str,
        /// The value.
        value: f64,
    },
}

/// Judges the states of a robot elsewhere.
///
/// A message counts if it has a finite position and velocity of each actuator, is fresh, and has moved none further, and none is faster,
/// than twice [its speed](Self::within) allows. Positions that do not change while there is a speed are a driver's last ones. An effort of NaN is not measured. None counts
/// while a topic on which one publisher is expected has several. Actuators that the robot does not have are ignored.
/// [`of_joints`](Self::of_joints) is for a robot that measures something else, or of which only some joints are used: all its
/// joints are known, so other names are refused.
#[derive(Clone, Debug)]
pub struct StateMonitor {
    topic: String,
    /// Kind of the parts, `actuator` or `joint`.
    part: &'static str,
    actuators: Vec<String>,
    /// Parts of the robot whose states do not matter.
    others: Vec<String>,
    measures: Measures,
    timeout: Duration,
    freshness: Freshness,
    jumps: Jumps,
    places: Option<Arc<dyn Places>>,
    /// The names that are ignored, and how many of them were reported.
    ignored: (Vec<String>, usize),
    /// How many publishers topics have on which one is expected.
    publishers: Vec<(String, PublisherCount)>,
    link: LinkState,
    /// Why the last message did not count; `None` if it did.
    refused: Option<StatesError>,
    /// When each kind of refusal was reported last.
    reported: Vec<(Discriminant<StatesError>, Instant)>,
}

/// Kind of the parts that [`of_joints`](StateMonitor::of_joints) judges; the robot may have others of this kind.
const JOINT: &str = "joint";
/// How much later than its stamp a state may have been measured or sent.
const LATENCY: Duration = Duration::from_millis(20);
/// How much later a state without a stamp may have been received, whose time is that of their receipt: those of 10 Hz that come at once are 0.1 s apart.
const UNSTAMPED_LATENCY: Duration = Duration::from_millis(50);
/// More names than this are ignored in silence.
const MOST_IGNORED: usize = 64;
/// A kind of refusal is reported once in this time, also when messages that count come between.
const REPORT_PERIOD: Duration = Duration::from_secs(1);

/// Quantities that a robot measures beside positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measures {
    /// Whether it has velocities; if not, they are not read.
    pub velocity: bool,
    /// Whether it has efforts, or `None` if a message may be without them.
    pub effort: Option<bool>,
}

impl StateMonitor {
    /// A monitor of the states of `actuators` on `topic`, which count for `timeout`.
    pub fn new(topic: impl Into<String>, actuators: Vec<String>, timeout: Duration) -> Self {
        let (freshness, jumps, places, ignored, publishers, refused) = Default::default();
        let link = LinkState { is_silent: true, losses: 0 };
        let (topic, part, others) = (topic.into(), "actuator", Vec::new());
        let measures = Measures { velocity: true, effort: None };
        Self {
            topic,
            part,
            actuators,
            others,
            measures,
            timeout,
            freshness,
            jumps,
            places,
            ignored,
            publishers,
            link,
            refused,
            reported: Vec::new(),
        }
    }

    /// Makes it judge joints of a robot in place of actuators: states of the joints `others` do not matter, and `measures` are the
    /// quantities that the robot measures.
    #[must_use]
    pub fn of_joints(mut self, others: Vec<String>, measures: Measures) -> Self {
        (self.part, self.others, self.measures) = (JOINT, others, measures);
        self
    }

    /// Refuses states that moved further than these bounds allow, one for each actuator in their order.
    #[must_use]
    pub fn within(mut self, bounds: Vec<SpeedBound>) -> Self {
        self.jumps = Jumps::new(bounds);
        self
    }

    /// Refuses states that put a joint where it cannot be.
    #[must_use]
    pub fn placed_by(mut self, places: Arc<dyn Places>) -> Self {
        self.places = Some(places);
        self
    }

    /// The names that are ignored, since the robot does not have them, if there are new ones: `gripper, tool`.
    pub fn newly_ignored(&mut self) -> Option<String> {
        let (names, reported) = &mut self.ignored;
        let new = names.get(*reported..).filter(|new| !new.is_empty())?.join(", ");
        *reported = names.len();
        Some(new)
    }

    /// Judges a message that is read now. Returns the states, in the order of the robot's actuators, and whether a refusal differs
    /// from the one before in kind, so users should know; of each kind that is once a second at most.
    /// # Errors
    /// Why it does not count.
    pub fn receive(
        &mut self,
        clock: &Clock,
        message: &StatesMessage,
    ) -> Result<Box<StateSample>, (StatesError, bool)> {
        let judged = self.judge(clock, message);
        let before = self.refused.take();
        judged.map_err(|error| {
            let same = before.filter(|before| discriminant(before) == discriminant(&error));
            let is_other = same.is_none() && self.is_due(clock.now(), &error);
            // The age of stale states differs in each message; the first one is enough.
            let first = same.filter(|_| matches!(error, StatesError::Stale { .. }));
            self.refused = Some(first.unwrap_or_else(|| error.clone()));
            (error, is_other)
        })
    }

    /// Whether this kind was not reported just before; then it counts as reported now.
    fn is_due(&mut self, now: Instant, error: &StatesError) -> bool {
        let kind = discriminant(error);
        match self.reported.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, at)) if now.since(*at) < REPORT_PERIOD => return false,
            Some((_, at)) => *at = now,
            None => self.reported.push((kind, now)),
        }
        true
    }

    fn judge(&mut self, clock: &Clock, message: &StatesMessage) -> Result<Box<StateSample>, StatesError> {
        if let Some(conflict) = self.conflict() {
            return Err(conflict);
        }
        let StatesMessage { stamp, names, positions, velocities, efforts } = message;
        let Measures { velocity: has_velocity, effort: has_effort } = self.measures;
        let groups = [
            ("positions", positions, true, false),
            ("velocities", velocities, has_velocity, false),
            ("efforts", efforts, has_effort != Some(false), has_effort.is_none()),
        ];
        for (what, values, is_read, may_be_empty) in groups {
            if !is_read {
                continue;
            }
            if values.len() != names.len() && !(may_be_empty && values.is_empty()) {
                return Err(StatesError::Count { what, found: values.len(), names: names.len() });
            }
        }
        for (index, name) in names.iter().enumerate() {
            let is_known = self.actuators.contains(name) || self.others.contains(name);
            if !is_known && self.part != JOINT {
                if !self.ignored.0.contains(name) && self.ignored.0.len() < MOST_IGNORED {
                    self.ignored.0.push(name.clone());
                }
                continue;
            }
            let is_repeated = names[..index].contains(name);
            if is_repeated || !is_known {
                return Err(StatesError::Unknown { part: self.part, name: name.clone(), is_repeated });
            }
        }
        let sample = |name: &String| {
            let place = names.iter().position(|found| found == name);
            let missing = || StatesError::Missing { part: self.part, name: name.clone() };
            let place = place.ok_or_else(missing)?;
            let value = |what, values: &[f64], is_read| match values.get(place).filter(|_| is_read) {
                Some(&value) if !value.is_finite() => {
                    Err(StatesError::Value { name: name.clone(), what, value })
                }
                value => Ok(value.copied()),
            };
            let position = value("position", positions, true)?;
            let velocity = value("velocity", velocities, has_velocity)?;
            // NaN is how ros2_control says that nothing is measured.
            let is_measured =
                has_effort.is_some() || efforts.get(place).is_some_and(|effort| !effort.is_nan());
            let effort = value("effort", efforts, has_effort != Some(false) && is_measured)?;
            Ok(ActuatorSample {
                position: position.unwrap_or_default(),
                velocity: velocity.unwrap_or_default(),
                effort,
            })
        };
        let actuators = self.actuators.iter().map(sample).collect::<Result<Vec<_>, _>>()?;
        if let Some((index, most)) = self.jumps.too_fast(&actuators) {
            let name = self.actuators.get(index).cloned().unwrap_or_default();
            let speed = actuators[index].velocity;
            self.jumps.refuse(actuators);
            return Err(StatesError::Speed { name, speed, most });
        }
        if let Some(misplaced) = self.places.as_ref().and_then(|places| places.misplaced(&actuators)) {
            return Err(StatesError::Misplaced(misplaced));
        }
        // Last: a message that is wrong otherwise does not make a later one repeated.
        let timeout = self.timeout;
        let time = self.freshness.judge(clock, *stamp, timeout);
        let time = time.map_err(|stale| StatesError::Stale { stale, timeout })?;
        let sample = StateSample { time, actuators };
        if let Some((index, time)) = self.jumps.frozen(&sample) {
            return Err(StatesError::Frozen {
                name: self.actuators.get(index).cloned().unwrap_or_default(),
                time,
            });
        }
        if self.link.is_silent {
            // Nothing moves before a reset, after which everything begins from the new states.
            self.jumps.begin(&sample);
        } else {
            let latency = if stamp.is_zero() { UNSTAMPED_LATENCY } else { LATENCY };
            let jump = self.jumps.judge(&sample, latency);
            jump.map_err(|(index, jump)| StatesError::Jump {
                name: self.actuators.get(index).cloned().unwrap_or_default(),
                way: jump.way,
                most: jump.most,
                time: jump.time,
            })?;
        }
        Ok(Box::new(sample))
    }

    /// Records how many publishers `topic` has. Returns whether there are several.
    pub fn count(&mut self, topic: &str, count: PublisherCount) -> bool {
        match self.publishers.iter_mut().find(|(known, _)| known == topic) {
            Some((_, known)) => *known = count,
            None => self.publishers.push((topic.to_owned(), count)),
        }
        count.are_several()
    }

    /// The topic that has several publishers, if there is one: nothing counts then.
    pub fn conflict(&self) -> Option<StatesError> {
        let (topic, count) = self.publishers.iter().find(|(_, count)| count.are_several())?;
        Some(StatesError::Publishers { topic: topic.clone(), count: *count })
    }

    /// Why no states count at present, if none do.
    pub fn absence(&self) -> String {
        let Self { topic, timeout, .. } = self;
        if let Some(error) = self.conflict().or_else(|| self.refused.clone()) {
            return error.to_string();
        }
        let is_known = |(known, _): &&(String, PublisherCount)| known == topic;
        match self.publishers.iter().find(is_known) {
            Some((_, count)) if !count.is_any() => format!("nothing publishes '{topic}'"),
            _ => format!("no states came on '{topic}' within {timeout:?}"),
        }
    }

    /// Takes what the control loop reports of the link. Returns whether the states were lost since the last report.
    pub fn report(&mut self, link: LinkState) -> bool {
        let before = core::mem::replace(&mut self.link, link);
        link.losses > before.losses
    }

    /// Whether the motors cannot be reset now.
    pub fn has_obstacle(&self) -> bool {
        self.link.is_silent || self.publishers.iter().any(|(_, count)| count.are_several())
    }

    /// Why the motors cannot be reset now, if they cannot.
    pub fn obstacle(&self) -> Option<String> {
        if let Some(conflict) = self.conflict() {
            return Some(conflict.to_string());
        }
        if !self.link.is_silent {
            return None;
        }
        let Self { topic, timeout, .. } = self;
        let silence = if self.link.losses == 0 {
            format!("the robot's states on '{topic}' are awaited")
        } else {
            format!("the robot's states on '{topic}' are lost: none counted within {timeout:?}")
        };
        Some(match &self.refused {
            Some(refused) => format!("{silence}; the last message did not count: {refused}"),
            None => silence,
        })
    }
}

impl fmt::Display for StatesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Publishers { topic, count } => match count.total() {
                Some(total) => write!(f, "'{topic}' has {total} publishers, must have 1"),
                None => write!(f, "the publishers of '{topic}' cannot be counted, must be 1"),
            },
            Self::Stale { stale: Stale::Late, .. } => {
                f.write_str("its stamp is older than that of the message before")
            }
            Self::Stale { stale: Stale::NoTime, .. } => {
                f.write_str("it has a stamp, and the time is not known")
            }
            Self::Stale { stale: Stale::Ahead { by }, .. } => {
                write!(f, "its stamp is {:.3} s ahead of the clock, must be 0.1 s at most", by.as_secs_f64())
            }
            Self::Stale { stale: Stale::Old { age }, timeout } => {
                write!(f, "it is {:.3} s old, must be younger than {timeout:?}", age.as_secs_f64())
            }
            Self::Stale { stale: Stale::Repeated { age }, timeout } => {
                let age = age.as_secs_f64();
                write!(f, "it repeats a stamp that is {age:.3} s old, must be younger than {timeout:?}")
            }
            Self::Count { what, found, names } => {
                write!(f, "it has {found} {what}, must have {names}, one for each name")
            }
            Self::Unknown { name, is_repeated: true, .. } => write!(f, "it has '{name}' twice"),
            Self::Unknown { part, name, .. } => {
                write!(f, "it has '{name}', which is not one of the robot's {part}s")?;
                if *part == JOINT { f.write_str(" and not one of its others") } else { Ok(()) }
            }
            Self::Missing { part, name } => {
                write!(f, "the message lacks {part} '{name}', must have all in one")
            }
            Self::Misplaced(misplaced) => f.write_str(misplaced),
            Self::Jump { name, way, most, time } => write!(
                f,
                "the position of '{name}' moved by {way:.4} in {:.3} s, must be {most:.4} at most, by twice its limit of speed",
                time.as_secs_f64()
            ),
            Self::Speed { name, speed, most } => {
                write!(f, "the speed of '{name}' is {speed:.4}, must be {most:.4} at most, twice its limit")
            }
            Self::Frozen { name, time } => {
                write!(
                    f,
                    "'{name}' has a speed, and its position has been the same for {:.2} s",
                    time.as_secs_f64()
                )
            }
            Self::Value { name, what, value } => {
                write!(f, "the {what} of '{name}' is {value}, must be finite")
            }
        }
    }
}

impl core::error::Error for StatesError {}

#[cfg(test)]
mod tests;
