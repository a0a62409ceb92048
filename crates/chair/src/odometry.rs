use core::time::Duration;

use nalgebra::Matrix3;
use safety::{Backlog, Instant, Level, Machine, Stamp};

use crate::OdometryParams;
use crate::encoders::{BadAngle, Encoders, Step};
use crate::pose::{Pose, planar};

/// Inputs of the odometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OdometryInput {
    /// A `LuciEncoders` was received.
    EncodersReceived(Encoders),
    /// New parameters.
    ParametersChanged(OdometryParams),
}

/// The position and velocity of the chair from its wheels, with covariances: the parts of a `nav_msgs/msg/Odometry`.
///
/// # Source
/// REP-103 for axes and signs, REP-105 for the frames (`odom` and `base_link`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The stamp of the encoder message.
    pub stamp: Stamp,
    /// Position relative to the start, forward \[m\].
    pub x: f64,
    /// Position relative to the start, to the left \[m\].
    pub y: f64,
    /// Heading, counter-clockwise, from -π to π \[rad\].
    pub heading: f64,
    /// Velocity along the heading \[m/s\].
    pub forward: f64,
    /// Angular velocity, counter-clockwise \[rad/s\].
    pub turn: f64,
    /// Covariance of the pose: 6 × 6, row by row, x, y, z, roll, pitch, yaw. Unobservable values have a million.
    pub pose_covariance: [f64; 36],
    /// Covariance of the velocities in the chair's own axes, in the same order.
    pub twist_covariance: [f64; 36],
}

safety::counters! {
    /// Counts since the start.
    pub struct OdometryCounters {
        /// Received encoder messages.
        messages: "messages",
        /// Messages with an invalid angle.
        invalid: "invalid",
        /// Messages as old as the one before, or older.
        late: "late",
        /// Gaps between messages longer than `max_gap`.
        gaps: "gaps",
        /// Messages in which a wheel was faster than `max_speed`.
        jumps: "jumps",
        /// How often the encoder board's clock restarted.
        restarts: "restarts",
    }
}

/// Integrates the drive wheels' encoders: exact arcs from message to message.
///
/// A gap, a jump or a restarted clock of the encoder board does not move the pose: the distance is unknown, so the
/// covariance grows by the maximum distance that the chair can have moved, nothing is published for that message, and
/// it is reported. Silence publishes nothing.
/// # Real-time
/// Nothing is allocated after construction, except by [`Odometry::report`] and [`Odometry::health`].
/// # Source
/// LUCI's `encoder-to-odom` 1.1.0 for signs and measures; covariance and limits are own.
#[derive(Clone, Debug)]
pub struct Odometry {
    params: OdometryParams,
    now: Instant,
    pose: Pose,
    /// The last accepted message, and its time of receipt.
    last: Option<(Encoders, Instant)>,
    /// The last error, and its time.
    error: Option<(OdometryError, Instant)>,
    bad: Option<BadAngle>,
    counters: OdometryCounters,
    /// Replaced by a newer one if it was not polled.
    output: Option<Estimate>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum OdometryError {
    Invalid(BadAngle),
    Gap(Duration),
    Jump(f64),
    Restart,
}

/// How long an error is reported.
const REPORT_TIME: Duration = Duration::from_secs(2);

impl Odometry {
    /// An odometry at the origin.
    pub fn new(params: OdometryParams) -> Self {
        Self {
            params,
            now: Instant::ZERO,
            pose: Pose::default(),
            last: None,
            error: None,
            bad: None,
            counters: OdometryCounters::default(),
            output: None,
        }
    }

    /// Counts since the start.
    pub fn counters(&self) -> &OdometryCounters {
        &self.counters
    }

    fn receive(&mut self, encoders: Encoders) {
        self.counters.messages += 1;
        if let Err(bad) = encoders.check() {
            self.counters.invalid += 1;
            self.bad = Some(bad);
            self.error = Some((OdometryError::Invalid(bad), self.now));
            return;
        }
        if self.counters.messages <= u64::from(self.params.discard) {
            return;
        }
        let Some((last, at)) = self.last else {
            self.last = Some((encoders, self.now));
            return;
        };
        match encoders.step(&last, &self.params) {
            Step::Late => {
                self.counters.late += 1;
                return; // the next message is compared with the previous one
            }
            Step::Way(way, time) => self.output = Some(self.advance(way, time, encoders.stamp)),
            Step::Gap(time) => {
                self.counters.gaps += 1;
                self.doubt(OdometryError::Gap(time), time);
            }
            Step::Jump(speed, time) => {
                self.counters.jumps += 1;
                self.doubt(OdometryError::Jump(speed), time);
            }
            Step::Restart => {
                self.counters.restarts += 1;
                self.doubt(OdometryError::Restart, self.now.since(at));
            }
        }
        self.last = Some((encoders, self.now));
    }

    fn advance(&mut self, [left, right]: [f64; 2], time: Duration, stamp: Stamp) -> Estimate {
        let OdometryParams { wheel_base, slip, .. } = self.params;
        self.pose.advance([left, right], wheel_base, slip);
        let seconds = time.as_secs_f64();
        let variance = |way: f64| self.speed_variance(way, seconds);
        let (left_variance, right_variance) = (variance(left), variance(right));
        let sum = left_variance + right_variance;
        let forward = sum / 4.0;
        let turn = sum / (wheel_base * wheel_base);
        let both = (right_variance - left_variance) / (2.0 * wheel_base);
        Estimate {
            stamp,
            x: self.pose.x,
            y: self.pose.y,
            heading: self.pose.heading,
            forward: f64::midpoint(left, right) / seconds,
            turn: (right - left) / wheel_base / seconds,
            pose_covariance: planar(&self.pose.covariance),
            twist_covariance: planar(&Matrix3::new(forward, 0.0, both, 0.0, SIDEWAYS, 0.0, both, 0.0, turn)),
        }
    }

    /// The variance of a wheel's speed: slip, the steps of its encoder, and the milliseconds of its clock.
    fn speed_variance(&self, way: f64, seconds: f64) -> f64 {
        // An encoder has 4096 steps. The difference of two roundings has a sixth of a squared step.
        let step = self.params.circumference / self.params.gear / 4096.0;
        let clock = way / seconds * 0.001 / seconds;
        (self.params.slip * way.abs() + step * step / 6.0) / (seconds * seconds) + clock * clock / 6.0
    }

    fn doubt(&mut self, error: OdometryError, time: Duration) {
        self.error = Some((error, self.now));
        let way = self.params.max_speed * time.as_secs_f64();
        self.pose.add_uncertainty(way, 2.0 * way / self.params.wheel_base);
    }

    /// The health and the reason, as of the last call.
    pub fn health(&self) -> (Level, String) {
        let Some((_, at)) = self.last else { return (Level::Warn, "no encoders yet".into()) };
        if self.now >= at + self.params.timeout {
            return (Level::Warn, "the encoders are silent".into());
        }
        match self.error.filter(|&(_, at)| self.now.since(at) < REPORT_TIME) {
            None => (Level::Ok, "the wheels are followed".into()),
            Some((OdometryError::Invalid(bad), _)) => {
                (Level::Warn, format!("encoder message ignored: {bad}"))
            }
            Some((OdometryError::Gap(time), _)) => (
                Level::Warn,
                format!("no encoder message for {} ms; the distance is unknown", time.as_millis()),
            ),
            Some((OdometryError::Jump(speed), _)) => {
                (Level::Warn, format!("a wheel at {speed:.2} m/s is implausible; the distance is unknown"))
            }
            Some((OdometryError::Restart, _)) => {
                (Level::Warn, "the encoder board restarted; the distance is unknown".into())
            }
        }
    }

    /// Keys and values for `/diagnostics`.
    pub fn report(&self) -> Vec<(&'static str, String)> {
        let mut report = vec![
            ("x [m]", format!("{:.3}", self.pose.x)),
            ("y [m]", format!("{:.3}", self.pose.y)),
            ("heading [rad]", format!("{:.3}", self.pose.heading)),
        ];
        if let Some(bad) = self.bad {
            report.push(("last invalid angle", bad.to_string()));
        }
        report.extend(self.counters.report());
        report
    }
}

/// Variance of the speed sideways \[m²/s²\]: wheels do not move sideways, casters may slip a little.
const SIDEWAYS: f64 = 0.01 * 0.01;

impl Machine for Odometry {
    type Input = OdometryInput;
    type Output = Estimate;

    fn handle(&mut self, now: Instant, input: Self::Input) {
        self.now = self.now.max(now);
        match input {
            OdometryInput::EncodersReceived(encoders) => self.receive(encoders),
            OdometryInput::ParametersChanged(params) => self.params = params,
        }
    }

    fn poll(&mut self, now: Instant) -> Option<Self::Output> {
        self.now = self.now.max(now);
        self.output.take()
    }

    fn backlog(_: &Self::Output) -> Backlog {
        Backlog::Recent
    }

    fn deadline(&self) -> Option<Instant> {
        self.output.map(|_| self.now)
    }
}
