use core::time::Duration;

use crate::{ActuatorSample, Instant, MessageTime, StateSample};

/// How fast an actuator moves, and after which way it is where it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpeedBound {
    /// The greatest speed \[rad/s or m/s\], greater than 0; infinite for any.
    pub speed: f64,
    /// The turn after which a driver may begin its position anew \[rad\]; `None` if it does not.
    pub turn: Option<f64>,
}

/// An actuator may be this much faster than its limit, since a limit of speed is one of commands.
const MOST_RATE: f64 = 2.0;

/// Positions that do not change are a driver's last ones if an actuator has at least this part of its greatest speed, \[1\], which is not noise,
/// and this speed \[rad/s or m/s\] if it has no greatest one.
const FROZEN_RATE: f64 = 0.02;
const FROZEN_SPEED: f64 = 1.0;
/// They are so after this time, and after the way of 0.03 s at its greatest speed: a coarse encoder stands, too.
const FROZEN: Duration = Duration::from_millis(250);
const FROZEN_WAY: f64 = 0.03;

/// A position that has not changed, for how long there was a speed, and the way that this leads to \[rad or m\].
#[derive(Clone, Copy, Debug, Default)]
struct Still {
    position: f64,
    time: Duration,
    way: f64,
}

/// Which states moved further than the actuators can: one message that lies is not to be followed.
///
/// ```text
/// |position - last| <= 2 · speed · (time since the last + latency)
/// ```
///
/// The last states are those that counted. States that are nearer to a jump that was refused than to them belong to that jump,
/// however long ago that was: a jump that persists is refused until the states count as lost.
/// # Source
/// own; drivers that send zeros once: Universal_Robots_ROS2_Driver 302.
#[derive(Clone, Debug, Default)]
pub(super) struct Jumps {
    bounds: Vec<SpeedBound>,
    last: Option<(MessageTime, Vec<ActuatorSample>)>,
    refused: Option<Vec<ActuatorSample>>,
    still: Vec<Still>,
    seen: Option<Instant>,
}

/// A way that is too long \[rad or m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Jump {
    pub(super) way: f64,
    pub(super) most: f64,
    pub(super) time: Duration,
}

impl SpeedBound {
    /// The distance between two positions, or the shorter one round.
    fn way(self, from: f64, to: f64) -> f64 {
        let way = (to - from).abs();
        match self.turn {
            Some(turn) if turn > 0.0 => {
                let rest = way.rem_euclid(turn);
                rest.min(turn - rest)
            }
            _ => way,
        }
    }
}

impl Jumps {
    pub(super) fn new(bounds: Vec<SpeedBound>) -> Self {
        Self { bounds, ..Self::default() }
    }

    /// The first actuator that is faster than it can be, and how fast it may be.
    pub(super) fn too_fast(&self, actuators: &[ActuatorSample]) -> Option<(usize, f64)> {
        let mosts = self.bounds.iter().map(|bound| MOST_RATE * bound.speed);
        let mut mosts = mosts.zip(actuators).enumerate();
        mosts.find_map(|(index, (most, actuator))| (actuator.velocity.abs() > most).then_some((index, most)))
    }

    /// The first actuator that has a speed and does not move, and for how long.
    pub(super) fn frozen(&mut self, sample: &StateSample) -> Option<(usize, Duration)> {
        let now = sample.time.begin();
        let passed = self.seen.replace(now).map_or(Duration::ZERO, |seen| now.since(seen));
        self.still.resize(self.bounds.len(), Still::default());
        for ((still, bound), actuator) in self.still.iter_mut().zip(&self.bounds).zip(&sample.actuators) {
            let least = if bound.speed.is_finite() { FROZEN_RATE * bound.speed } else { FROZEN_SPEED };
            if still.position == actuator.position && actuator.velocity.abs() >= least {
                still.time += passed.min(FROZEN);
                still.way += actuator.velocity * passed.min(FROZEN).as_secs_f64();
            } else {
                *still = Still { position: actuator.position, ..Still::default() };
            }
        }
        let is_frozen = |(still, bound): (&Still, &SpeedBound)| {
            let most = if bound.speed.is_finite() { FROZEN_WAY * bound.speed } else { FROZEN_SPEED };
            still.time >= FROZEN && still.way.abs() >= most
        };
        let index = self.still.iter().zip(&self.bounds).position(is_frozen)?;
        Some((index, self.still.get(index)?.time))
    }

    /// States were refused for another reason: those near to them belong to them.
    pub(super) fn refuse(&mut self, actuators: Vec<ActuatorSample>) {
        self.refused = Some(actuators);
    }

    /// The next states are compared with these.
    pub(super) fn begin(&mut self, sample: &StateSample) {
        if !self.bounds.is_empty() {
            self.last = Some((sample.time, sample.actuators.clone()));
        }
        self.refused = None;
    }

    /// Judges states with this `latency`; those that count are the last ones then.
    /// # Errors
    /// The actuator, and how far it moved.
    pub(super) fn judge(&mut self, sample: &StateSample, latency: Duration) -> Result<(), (usize, Jump)> {
        let Some((time, last)) = &self.last else {
            self.begin(sample);
            return Ok(());
        };
        let time = sample.time.begin().since(time.begin());
        let Some((index, way, least)) = self.furthest(last, &sample.actuators) else { return Ok(()) };
        let refused = self.refused.as_ref().and_then(|refused| self.furthest(refused, &sample.actuators));
        let speed = self.bounds.get(index).map_or(f64::INFINITY, |bound| bound.speed);
        let most = MOST_RATE * (time + latency).as_secs_f64();
        if least > most || refused.is_some_and(|(.., to_refused)| to_refused < least) {
            self.refuse(sample.actuators.clone());
            return Err((index, Jump { way, most: most * speed, time }));
        }
        self.begin(sample);
        Ok(())
    }

    /// The actuator that needs the most time from one place to another, its way, and that time at its greatest speed \[s\].
    fn furthest(&self, from: &[ActuatorSample], to: &[ActuatorSample]) -> Option<(usize, f64, f64)> {
        let ways =
            self.bounds.iter().zip(from.iter().zip(to)).enumerate().map(|(index, (bound, (from, to)))| {
                let way = bound.way(from.position, to.position);
                (index, way, way / bound.speed)
            });
        ways.reduce(|most, one| if one.2 > most.2 { one } else { most })
    }
}
