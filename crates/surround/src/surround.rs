use core::time::Duration;
use std::collections::VecDeque;

use safety::{
    Backlog, Clock, ClockReading, Freshness, Instant, Machine, MessageTime, NotFinite, PublisherCount, Scale,
    Stamp, Velocity, earliest,
};
use zones::Scaling;

use crate::bins::{BINS, runs};
use crate::cloud::Rules;
use crate::factors::Pace;
use crate::sensor::Kind;
use crate::sensor_monitor::SensorMonitor;
use crate::sweeps::Sweeps;
use crate::table::Table;
use crate::view::View;
use crate::{Cloud, Condition, Counters, Params, Scan, Sensor, Unusable, ZeroRange, cloud, factors, scan};

/// Inputs of the node.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // only one input exists at a time, and the large one is rare
pub enum Input {
    /// A scan of a sensor was received.
    ScanReceived {
        /// Index of the sensor in [`Params::sensors`].
        sensor: usize,
        /// Its stamp; [`Stamp::ZERO`] if it has none.
        stamp: Stamp,
        /// The scan; see [`Surround::scan_received`] for a borrowed one.
        scan: Scan<'static>,
    },
    /// A cloud of a sensor was received.
    CloudReceived {
        /// Index of the sensor in [`Params::sensors`].
        sensor: usize,
        /// Its stamp; [`Stamp::ZERO`] if it has none.
        stamp: Stamp,
        /// The cloud; see [`Surround::cloud_received`] for a borrowed one.
        cloud: Cloud<'static>,
    },
    /// The vehicle's velocity was received, measured or commanded.
    VelocityReceived {
        /// The velocity.
        velocity: Velocity,
        /// Its stamp; [`Stamp::ZERO`] if it has none.
        stamp: Stamp,
    },
    /// An invalid velocity was received.
    VelocityRefused(NotFinite),
    /// The publishers of a sensor's topic were counted. With several the sensor blocks.
    PublishersCounted {
        /// Index of the sensor in [`Params::sensors`]; applies to all sensors with its topic.
        sensor: usize,
        /// The publishers.
        count: PublisherCount,
    },
    /// The publishers of the velocity were counted. With several the velocity is not used.
    VelocityPublishersCounted(PublisherCount),
    /// The clock of stamps; stamps are compared with it.
    ClockRead(ClockReading),
    /// New parameters.
    ParametersChanged(Params),
    /// The node's life cycle became active, or left that state. A machine is active until it receives this.
    ActivityChanged(bool),
    /// The node shuts down.
    Stopping,
}

/// Outputs of the node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output {
    /// Publish these fields of a `LuciZoneScaling`, in the order of [`Scaling::fields`]. NaN is a factor that is
    /// unknown because its sensor is lost: a reader treats it as 0.
    Publish([f32; 16]),
}

/// Computes a zone scaling from the sensors.
///
/// * It is published in the call that received a message of a sensor, in the call of any other change (a velocity, a
///   sensor that timed out, parameters), and every heartbeat.
/// * A sensor that was never received, is silent or sent an invalid message blocks its sector: an object touches the
///   vehicle on every bearing of it. A factor that is 0 only for this reason is published as NaN, which tells a
///   stopped reader that the direction is unobserved.
/// * When the node stops, a scaling of NaN is published, and nothing after it.
/// # Real-time
/// Nothing is allocated after construction, except by [`Surround::report`], [`Surround::health`] and a change of
/// parameters; one that changes the geometry takes some 100 ms. The time grows with the beams or points of a message.
/// # Source
/// own; LUCI publishes the format of its scaling, not its computation.
#[derive(Clone, Debug)]
pub struct Surround {
    params: Params,
    clock: Clock,
    /// Whether the node's life cycle is in the state active; otherwise every factor is unknown.
    pub(crate) is_active: bool,
    sweeps: Sweeps,
    table: Table,
    monitors: Vec<SensorMonitor>,
    /// Bins that no sensor covers.
    uncovered: Vec<bool>,
    /// The square of the distance of the nearest point of all, by bin \[m²\].
    squares: Vec<f64>,
    /// The velocity and its time; `None` if it was refused or never received.
    velocity: Option<(Velocity, MessageTime)>,
    odometry: Freshness,
    velocity_publishers: PublisherCount,
    scaling: Scaling,
    /// The scaling if every lost sensor measured free space.
    seen: Scaling,
    /// When the first sensor or the velocity times out.
    expiry: Option<Instant>,
    /// When the next scaling is due; `None` after the node stopped.
    next_heartbeat: Option<Instant>,
    queue: VecDeque<Output>,
    counters: Counters,
}

/// The period of the scaling while no sensor sends anything; also the period of the check for a suspension of the
/// process.
const HEARTBEAT: Duration = Duration::from_millis(100);
/// More than one drain produces; beyond it the oldest output is dropped, since the newest one matters.
const QUEUE: usize = 64;

impl Surround {
    /// A surround without any message: its first output blocks the sectors of its sensors.
    pub fn new(params: Params) -> Self {
        let sweeps = Sweeps::new(&params.boundaries, params.full_speed);
        let mut surround = Self {
            clock: Clock::default(),
            is_active: true,
            table: Table::new(&params.footprint, &sweeps, params.reach),
            sweeps,
            monitors: Vec::new(),
            uncovered: Vec::new(),
            squares: vec![f64::INFINITY; BINS],
            velocity: None,
            odometry: Freshness::default(),
            velocity_publishers: PublisherCount::default(),
            scaling: Scaling::uniform(Scale::ZERO),
            seen: Scaling::uniform(Scale::ZERO),
            expiry: None,
            next_heartbeat: Some(Instant::ZERO),
            queue: VecDeque::with_capacity(QUEUE),
            counters: Counters::default(),
            params,
        };
        surround.reset();
        surround.update_scaling();
        surround
    }

    /// The parameters in force.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The index of the sensor called `name`.
    pub fn sensor_index(&self, name: &str) -> Option<usize> {
        self.params.sensors.iter().position(|sensor| sensor.name == name)
    }

    /// The scaling, as of the last call.
    pub fn scaling(&self) -> &Scaling {
        &self.scaling
    }

    /// The condition of the sensor of this index, as of the last call; `None` if there is none.
    pub fn condition(&self, sensor: usize) -> Option<Condition> {
        Some(self.monitors.get(sensor)?.condition(self.clock.now(), self.params.sensors.get(sensor)?))
    }

    /// Counts since the start.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The distance of the nearest object that a fresh sensor measures from the turning point, within reach \[m\].
    pub fn nearest(&self) -> Option<f64> {
        let fresh = |index: &usize| self.condition(*index) == Some(Condition::Fresh);
        let views = (0..self.monitors.len()).filter(fresh).filter_map(|index| self.monitors.get(index));
        let square = views.flat_map(|monitor| monitor.view.squares()).copied().fold(f64::INFINITY, f64::min);
        (square < f64::INFINITY).then(|| square.sqrt())
    }

    /// The bearings that no sensor covers, from and to, counter-clockwise \[degrees\].
    pub(crate) fn uncovered(&self) -> Vec<[f64; 2]> {
        runs(|bin| self.uncovered.get(bin).is_some_and(|&uncovered| uncovered))
    }

    /// The bearings that a fresh sensor covers but does not measure, likewise.
    pub(crate) fn unmeasured(&self, sensor: usize) -> Vec<[f64; 2]> {
        let fresh = self.condition(sensor) == Some(Condition::Fresh);
        self.monitors
            .get(sensor)
            .filter(|_| fresh)
            .map(|monitor| monitor.view.unmeasured())
            .unwrap_or_default()
    }

    /// The last wrong frame of a sensor's messages.
    pub(crate) fn wrong_frame(&self, sensor: usize) -> &str {
        self.monitors.get(sensor).map(SensorMonitor::wrong_frame).unwrap_or_default()
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.next_heartbeat.is_none()
    }

    /// [`Input::ScanReceived`] for a borrowed scan.
    pub fn scan_received(&mut self, now: Instant, sensor: usize, stamp: Stamp, scan: &Scan) {
        self.advance(now);
        let spec = self.params.sensors.get(sensor);
        let (least, zero) =
            spec.map_or((1.0, ZeroRange::Blocked), |spec| (spec.measured_least, spec.zero_range));
        self.receive(sensor, Kind::Scan, stamp, &scan.frame, |view| scan::read(scan, least, zero, view));
    }

    /// [`Input::CloudReceived`] for a borrowed cloud.
    pub fn cloud_received(&mut self, now: Instant, sensor: usize, stamp: Stamp, cloud: &Cloud) {
        self.advance(now);
        let Some(spec) = self.params.sensors.get(sensor) else {
            self.counters.unknown += 1;
            return;
        };
        let rules = Rules {
            least: spec.measured_least,
            least_points: spec.least_points,
            empty_is_free: spec.empty_is_free,
            band: spec.band,
        };
        self.receive(sensor, Kind::Cloud, stamp, &cloud.frame, |view| cloud::read(cloud, rules, view));
    }

    fn receive(
        &mut self,
        sensor: usize,
        kind: Kind,
        stamp: Stamp,
        frame: &str,
        read: impl FnOnce(&mut View) -> Result<(), Unusable>,
    ) {
        let (Some(spec), Some(monitor)) = (self.params.sensors.get(sensor), self.monitors.get_mut(sensor))
        else {
            self.counters.unknown += 1;
            return;
        };
        if spec.kind != kind {
            self.counters.unknown += 1;
            return;
        }
        match kind {
            Kind::Scan => self.counters.scans += 1,
            Kind::Cloud => self.counters.clouds += 1,
        }
        let Some(judged) = monitor.judge(&self.clock, stamp, spec.timeout) else {
            self.counters.repeated += 1;
            return;
        };
        let judged = judged.and_then(|time| {
            if spec.is_in(frame) {
                read(&mut monitor.view).map(|()| time)
            } else {
                monitor.record_frame(frame);
                Err(Unusable::Frame)
            }
        });
        let unusable = judged.err();
        let now = MessageTime::new(self.clock.now(), Duration::ZERO);
        monitor.receive(judged.unwrap_or(now), stamp, unusable);
        self.counters.unusable += u64::from(unusable.is_some());
        self.update_scaling();
        self.publish();
    }

    fn count(&mut self, sensor: usize, count: PublisherCount) {
        let Some(topic) = self.params.sensors.get(sensor).map(|sensor| &sensor.topic) else {
            self.counters.unknown += 1;
            return;
        };
        for (monitor, _) in
            self.monitors.iter_mut().zip(&self.params.sensors).filter(|(_, other)| other.topic == *topic)
        {
            monitor.set_publishers(count);
        }
    }

    fn apply_parameters(&mut self, params: Params) {
        let old = core::mem::replace(&mut self.params, params);
        let new = &self.params;
        let is_same_vehicle = old.footprint == new.footprint && old.reach == new.reach;
        if !is_same_vehicle || old.boundaries != new.boundaries || old.full_speed != new.full_speed {
            self.sweeps = Sweeps::new(&new.boundaries, new.full_speed);
            self.table = Table::new(&new.footprint, &self.sweeps, new.reach);
        }
        let pairs = || old.sensors.iter().zip(&new.sensors);
        let are_same = old.sensors.len() == new.sensors.len() && pairs().all(|(a, b)| a.sees_as(b));
        if !are_same || !is_same_vehicle {
            self.reset();
        }
    }

    /// Starts over without any measurement.
    fn reset(&mut self) {
        let Params { sensors, footprint, .. } = &self.params;
        let old = core::mem::take(&mut self.monitors);
        let monitor = |(index, sensor): (usize, &Sensor)| {
            let view = View::new(sensor, *footprint, self.table.radius());
            match old.get(index) {
                Some(monitor) => monitor.with_view(view),
                None => SensorMonitor::new(view),
            }
        };
        self.monitors = sensors.iter().enumerate().map(monitor).collect();
        self.uncovered = vec![true; BINS];
        for monitor in &self.monitors {
            for (uncovered, &is_in) in self.uncovered.iter_mut().zip(monitor.view.sector()) {
                *uncovered &= !is_in;
            }
        }
    }

    fn pass_to(&mut self, now: Instant) {
        self.clock.pass_to(now, self.deadline());
    }

    /// Advances the time: expired measurements are lost before the next input.
    fn advance(&mut self, now: Instant) {
        self.pass_to(now);
        if self.expiry.is_some_and(|at| at <= self.clock.now()) {
            self.update_scaling();
            self.publish();
        }
    }

    /// Recomputes the scaling from the current state.
    fn update_scaling(&mut self) {
        let (now, params) = (self.clock.now(), &self.params);
        for (square, &uncovered) in self.squares.iter_mut().zip(&self.uncovered) {
            *square = if uncovered && !params.uncovered_is_free { 0.0 } else { f64::INFINITY };
        }
        let monitors = || self.monitors.iter().zip(&params.sensors);
        let is_fresh = |(monitor, sensor): &(&SensorMonitor, &Sensor)| {
            monitor.condition(now, sensor) == Condition::Fresh
        };
        for (monitor, _) in monitors().filter(is_fresh) {
            monitor.merge(&mut self.squares);
        }
        let until =
            self.velocity.map(|(_, time)| time.expiry(params.velocity_timeout)).filter(|&at| now < at);
        let pace = match self.velocity {
            _ if !params.uses_velocity => Pace::Unused,
            Some((velocity, _)) if until.is_some() => Pace::Known(velocity),
            _ => Pace::Lost,
        };
        let expiry = monitors().filter_map(|(monitor, sensor)| monitor.expiry(now, sensor)).min();
        self.expiry = earliest(expiry, until.filter(|_| params.uses_velocity));
        let reach = self.table.lookup(&self.squares);
        self.seen = factors::scaling(&reach, &self.sweeps.requested, params, pace);
        self.scaling = self.seen;
        if !monitors().all(|watched| is_fresh(&watched)) {
            for (monitor, _) in monitors().filter(|watched| !is_fresh(watched)) {
                monitor.block(&mut self.squares);
            }
            let reach = self.table.lookup(&self.squares);
            self.scaling = factors::scaling(&reach, &self.sweeps.requested, params, pace);
        }
    }

    /// Whether the time to a collision is used and no velocity is available.
    pub(crate) fn misses_velocity(&self) -> bool {
        let timeout = self.params.velocity_timeout;
        let is_there = self.velocity.is_some_and(|(_, time)| !time.is_expired(self.clock.now(), timeout));
        self.params.uses_velocity && !is_there
    }

    fn publish(&mut self) {
        if self.is_stopping() {
            return;
        }
        self.next_heartbeat = Some(self.clock.now() + HEARTBEAT);
        self.push(Output::Publish(self.fields()));
    }

    /// The published scaling: NaN where a factor is 0 only because a sensor is lost.
    fn fields(&self) -> [f32; 16] {
        if !self.is_active {
            return [f32::NAN; 16];
        }
        let mut fields = self.scaling.fields();
        for (field, seen) in fields.iter_mut().zip(self.seen.fields()) {
            if *field == 0.0 && seen > 0.0 {
                *field = f32::NAN;
            }
        }
        fields
    }

    fn push(&mut self, output: Output) {
        if self.queue.len() >= QUEUE {
            self.queue.pop_front();
            self.counters.dropped += 1;
        }
        self.queue.push_back(output);
    }

    /// Publishes the scaling if an input other than a sensor's message changed it.
    fn publish_change(&mut self) {
        let before = (self.scaling, self.seen);
        self.update_scaling();
        if (self.scaling, self.seen) != before {
            self.publish();
        }
    }
}

impl Machine for Surround {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        match input {
            Input::ScanReceived { sensor, stamp, scan } => self.scan_received(now, sensor, stamp, &scan),
            Input::CloudReceived { sensor, stamp, cloud } => self.cloud_received(now, sensor, stamp, &cloud),
            Input::VelocityReceived { velocity, stamp } => {
                self.advance(now);
                self.counters.velocities += 1;
                let timeout = self.params.velocity_timeout;
                let judged = self.odometry.judge(&self.clock, stamp, timeout);
                let judged = judged.ok().filter(|_| !self.velocity_publishers.are_several());
                self.velocity = judged.map(|time| (velocity, time)).or(self.velocity);
                self.publish_change();
            }
            Input::VelocityRefused(_) => {
                self.advance(now);
                self.counters.velocities += 1;
                self.counters.invalid_velocities += 1;
                self.velocity = None;
                self.publish_change();
            }
            Input::ClockRead(reading) => {
                self.pass_to(now);
                self.clock.read(now, reading); // the effects of time follow in the next call, at the same instant
            }
            Input::VelocityPublishersCounted(count) => {
                self.advance(now);
                if self.velocity_publishers.update(count) {
                    self.velocity = None;
                }
                self.publish_change();
            }
            Input::PublishersCounted { sensor, count } => {
                self.advance(now);
                self.count(sensor, count);
                self.publish_change();
            }
            Input::ParametersChanged(params) => {
                self.advance(now);
                self.apply_parameters(params);
                self.publish_change();
            }
            Input::ActivityChanged(_) | Input::Stopping if self.is_stopping() => {}
            Input::ActivityChanged(is_active) => {
                self.advance(now);
                self.is_active = is_active;
                self.publish();
            }
            Input::Stopping => {
                self.advance(now);
                self.next_heartbeat = None;
                self.push(Output::Publish([f32::NAN; 16]));
            }
        }
    }

    fn read_again(&mut self, now: Instant, since: Instant, due: Instant) {
        self.pass_to(now);
        self.clock.read_again(since, due);
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.advance(now);
        if self.next_heartbeat.is_some_and(|at| at <= self.clock.now()) {
            self.publish();
        }
        self.queue.pop_front()
    }

    fn backlog(_: &Self::Output) -> Backlog {
        Backlog::Recent
    }

    fn deadline(&self) -> Option<Instant> {
        if !self.queue.is_empty() {
            return Some(self.clock.now());
        }
        self.next_heartbeat.and_then(|beat| earliest(Some(beat), self.expiry))
    }
}
