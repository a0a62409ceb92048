use core::time::Duration;
use std::collections::VecDeque;

use units::{
    Clock, Freshness, Instant, Machine, MessageTime, NotFinite, PublisherCount, Scale, Stamp, Velocity,
    earliest,
};
use zones::Scaling;

use crate::bins::{BINS, runs};
use crate::cloud::Rules;
use crate::factors::Pace;
use crate::sensor::Kind;
use crate::sweeps::Sweeps;
use crate::table::Table;
use crate::view::View;
use crate::watch::Watch;
use crate::{Cloud, Condition, Counters, Params, Scan, Sensor, Unusable, ZeroRange, cloud, factors, scan};

/// All that can happen to the node.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // one input lives at a time, and the large one is rare
pub enum Input {
    /// A scan of a sensor came.
    ScanReceived {
        /// Index of the sensor in [`Params::sensors`].
        sensor: usize,
        /// Its stamp; [`Stamp::ZERO`] if it has none.
        stamp: Stamp,
        /// What it says; see [`Surround::scan_received`] for one that is only borrowed.
        scan: Scan<'static>,
    },
    /// A cloud of a sensor came.
    CloudReceived {
        /// Index of the sensor in [`Params::sensors`].
        sensor: usize,
        /// Its stamp; [`Stamp::ZERO`] if it has none.
        stamp: Stamp,
        /// What it says; see [`Surround::cloud_received`] for one that is only borrowed.
        cloud: Cloud<'static>,
    },
    /// The vehicle's velocity came, measured or commanded.
    VelocityReceived {
        /// What it is.
        velocity: Velocity,
        /// Its stamp; [`Stamp::ZERO`] if it has none.
        stamp: Stamp,
    },
    /// A message came that was no velocity.
    VelocityRefused(NotFinite),
    /// So many publish the topic of a sensor; [`usize::MAX`] if the graph cannot tell. Of more than one none counts: it blocks.
    PublishersCounted {
        /// Index of the sensor in [`Params::sensors`]; others with its topic are meant too.
        sensor: usize,
        /// How many.
        count: usize,
    },
    /// So many publish the velocity, counted likewise. Of more than one none counts.
    VelocityPublishersCounted(usize),
    /// The wall clock showed this: stamps are judged by it.
    ClockRead(Stamp),
    /// The parameters in force are these from now on.
    ParametersChanged(Params),
    /// The node is about to end.
    Stopping,
}

/// All that the node can ask for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output {
    /// Publish these fields of a `LuciZoneScaling`, in the order of [`Scaling::fields`]. NaN is a factor that nobody knows,
    /// since a sensor that would tell it is lost: a reader takes it for 0.
    Publish([f32; 16]),
}

/// Makes a zone scaling of what the sensors see.
///
/// * It goes out from the call that brought a message of a sensor, from the call that changed it otherwise (a velocity,
///   a sensor that timed out, parameters), and every heartbeat.
/// * A sensor that was never heard, is silent or sent no measurement blocks its sector: something touches the vehicle
///   on every bearing of it.
///   What is 0 for that alone is told as NaN, so that whoever is stopped by it knows that nothing was seen.
/// * When the node stops a scaling of NaN goes out, and nothing after it.
/// # Real-time
/// Nothing is allocated after construction, but by [`Surround::report`], [`Surround::health`] and a change of
/// parameters; one that changes the geometry takes some 100 ms. Time grows with the beams or points of a message.
/// # Source
/// own; LUCI publishes what its scaling looks like, not how it is made.
#[derive(Clone, Debug)]
pub struct Surround {
    params: Params,
    clock: Clock,
    /// Whether it was ever called: before, nobody was held.
    is_running: bool,
    sweeps: Sweeps,
    table: Table,
    watches: Vec<Watch>,
    /// Bins that no sensor answers for.
    uncovered: Vec<bool>,
    /// The square of the distance of the nearest point of all, by bin \[m²\].
    squares: Vec<f64>,
    /// The velocity and when it came; `None` for one that was refused or never heard.
    velocity: Option<(Velocity, MessageTime)>,
    odometry: Freshness,
    velocity_publishers: PublisherCount,
    scaling: Scaling,
    /// What they would leave if every sensor that is lost saw nothing.
    seen: Scaling,
    /// When one of the sensors or the velocity times out.
    expiry: Option<Instant>,
    /// When the next scaling is due; `None` when the node stops.
    next_beat: Option<Instant>,
    queue: VecDeque<Output>,
    counters: Counters,
}

/// The scaling goes out this often while no sensor says anything; so often the machine notices that the process was held.
const HEARTBEAT: Duration = Duration::from_millis(100);
/// More than one drain ever leaves; beyond it the oldest output goes, since the newest is the one that counts.
const QUEUE: usize = 64;

impl Surround {
    /// A surround that has heard of nobody: its first output blocks what its sensors answer for.
    pub fn new(params: Params) -> Self {
        let sweeps = Sweeps::new(&params.boundaries, params.full_throw);
        let mut surround = Self {
            clock: Clock::default(),
            is_running: false,
            table: Table::new(&params.footprint, &sweeps, params.reach),
            sweeps,
            watches: Vec::new(),
            uncovered: Vec::new(),
            squares: vec![f64::INFINITY; BINS],
            velocity: None,
            odometry: Freshness::default(),
            velocity_publishers: PublisherCount::default(),
            scaling: Scaling::uniform(Scale::ZERO),
            seen: Scaling::uniform(Scale::ZERO),
            expiry: None,
            next_beat: Some(Instant::ZERO),
            queue: VecDeque::with_capacity(QUEUE),
            counters: Counters::default(),
            params,
        };
        surround.forget();
        surround.settle();
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

    /// What the surroundings leave of each zone, as of the last call.
    pub fn scaling(&self) -> &Scaling {
        &self.scaling
    }

    /// How the sensor of this index is, as of the last call; `None` if there is none.
    pub fn condition(&self, sensor: usize) -> Option<Condition> {
        Some(self.watches.get(sensor)?.condition(self.clock.now(), self.params.sensors.get(sensor)?))
    }

    /// What has come and gone since the start.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// How far the nearest thing seen by a fresh sensor is from the turning point, within reach \[m\].
    pub fn nearest(&self) -> Option<f64> {
        let fresh = |index: &usize| self.condition(*index) == Some(Condition::Fresh);
        let views = (0..self.watches.len()).filter(fresh).filter_map(|index| self.watches.get(index));
        let square = views.flat_map(|watch| watch.view.squares()).copied().fold(f64::INFINITY, f64::min);
        (square < f64::INFINITY).then(|| square.sqrt())
    }

    /// The bearings that no sensor answers for, from and to, counter-clockwise \[degrees\].
    pub(crate) fn uncovered(&self) -> Vec<[f64; 2]> {
        runs(|bin| self.uncovered.get(bin).is_some_and(|&uncovered| uncovered))
    }

    /// The bearings that a fresh sensor answers for and does not measure, likewise.
    pub(crate) fn unmeasured(&self, sensor: usize) -> Vec<[f64; 2]> {
        let fresh = self.condition(sensor) == Some(Condition::Fresh);
        self.watches.get(sensor).filter(|_| fresh).map(|watch| watch.view.unmeasured()).unwrap_or_default()
    }

    /// The frame of a sensor's last message in a wrong one.
    pub(crate) fn wrong_frame(&self, sensor: usize) -> &str {
        self.watches.get(sensor).map(Watch::wrong_frame).unwrap_or_default()
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.next_beat.is_none()
    }

    /// [`Input::ScanReceived`] for a scan that is only borrowed.
    pub fn scan_received(&mut self, now: Instant, sensor: usize, stamp: Stamp, scan: &Scan) {
        self.advance(now);
        let spec = self.params.sensors.get(sensor);
        let (least, zero) =
            spec.map_or((1.0, ZeroRange::Blocked), |spec| (spec.measured_least, spec.zero_range));
        self.receive(sensor, Kind::Scan, stamp, &scan.frame, |view| scan::read(scan, least, zero, view));
    }

    /// [`Input::CloudReceived`] for a cloud that is only borrowed.
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
        let (Some(spec), Some(watch)) = (self.params.sensors.get(sensor), self.watches.get_mut(sensor))
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
        let Some(judged) = watch.judge(&self.clock, stamp, spec.timeout) else {
            self.counters.repeated += 1;
            return;
        };
        let judged = judged.and_then(|said| {
            if spec.is_in(frame) {
                read(&mut watch.view).map(|()| said)
            } else {
                watch.note_frame(frame);
                Err(Unusable::Frame)
            }
        });
        let unusable = judged.err();
        let now = MessageTime::new(self.clock.now(), Duration::ZERO);
        watch.receive(judged.unwrap_or(now), stamp, unusable);
        self.counters.unusable += u64::from(unusable.is_some());
        self.settle();
        self.publish();
    }

    fn count(&mut self, sensor: usize, count: usize) {
        let Some(topic) = self.params.sensors.get(sensor).map(|sensor| &sensor.topic) else {
            self.counters.unknown += 1;
            return;
        };
        for (watch, _) in
            self.watches.iter_mut().zip(&self.params.sensors).filter(|(_, other)| other.topic == *topic)
        {
            watch.note_publishers(count);
        }
    }

    fn adopt(&mut self, params: Params) {
        let old = core::mem::replace(&mut self.params, params);
        let new = &self.params;
        let is_same_vehicle = old.footprint == new.footprint && old.reach == new.reach;
        if !is_same_vehicle || old.boundaries != new.boundaries || old.full_throw != new.full_throw {
            self.sweeps = Sweeps::new(&new.boundaries, new.full_throw);
            self.table = Table::new(&new.footprint, &self.sweeps, new.reach);
        }
        let pairs = || old.sensors.iter().zip(&new.sensors);
        let are_same = old.sensors.len() == new.sensors.len() && pairs().all(|(a, b)| a.sees_as(b));
        if !are_same || !is_same_vehicle {
            self.forget();
        }
    }

    /// Starts over with no sensor heard.
    fn forget(&mut self) {
        let Params { sensors, footprint, .. } = &self.params;
        let old = core::mem::take(&mut self.watches);
        let watch = |(index, sensor): (usize, &Sensor)| {
            let view = View::new(sensor, *footprint, self.table.radius());
            match old.get(index) {
                Some(watch) => watch.anew(view),
                None => Watch::new(view),
            }
        };
        self.watches = sensors.iter().enumerate().map(watch).collect();
        self.uncovered = vec![true; BINS];
        for watch in &self.watches {
            for (uncovered, &is_in) in self.uncovered.iter_mut().zip(watch.view.sector()) {
                *uncovered &= !is_in;
            }
        }
    }

    fn pass_to(&mut self, now: Instant) {
        self.clock.pass_to(now, self.deadline().filter(|_| self.is_running));
        self.is_running = true;
    }

    /// Lets time pass: what is lost by now is lost before the next thing happens.
    fn advance(&mut self, now: Instant) {
        self.pass_to(now);
        if self.expiry.is_some_and(|at| at <= self.clock.now()) {
            self.settle();
            self.publish();
        }
    }

    /// Brings the scaling in line with what is known now.
    fn settle(&mut self) {
        let (now, params) = (self.clock.now(), &self.params);
        for (square, &uncovered) in self.squares.iter_mut().zip(&self.uncovered) {
            *square = if uncovered && !params.uncovered_is_free { 0.0 } else { f64::INFINITY };
        }
        let watches = || self.watches.iter().zip(&params.sensors);
        let is_fresh = |(watch, sensor): &(&Watch, &Sensor)| watch.condition(now, sensor) == Condition::Fresh;
        for (watch, _) in watches().filter(is_fresh) {
            watch.merge(&mut self.squares);
        }
        let until =
            self.velocity.map(|(_, said)| said.expiry(params.velocity_timeout)).filter(|&at| now < at);
        let pace = match self.velocity {
            _ if !params.uses_velocity => Pace::Unused,
            Some((velocity, _)) if until.is_some() => Pace::Known(velocity),
            _ => Pace::Lost,
        };
        let expiry = watches().filter_map(|(watch, sensor)| watch.expiry(now, sensor)).min();
        self.expiry = earliest(expiry, until.filter(|_| params.uses_velocity));
        let reach = self.table.look(&self.squares);
        self.seen = factors::scaling(&reach, &self.sweeps.asked, params, pace);
        self.scaling = self.seen;
        if !watches().all(|watched| is_fresh(&watched)) {
            for (watch, _) in watches().filter(|watched| !is_fresh(watched)) {
                watch.block(&mut self.squares);
            }
            let reach = self.table.look(&self.squares);
            self.scaling = factors::scaling(&reach, &self.sweeps.asked, params, pace);
        }
    }

    /// Whether the time to a collision is asked for and no velocity tells it.
    pub(crate) fn lacks_velocity(&self) -> bool {
        let timeout = self.params.velocity_timeout;
        let is_there = self.velocity.is_some_and(|(_, said)| !said.is_expired(self.clock.now(), timeout));
        self.params.uses_velocity && !is_there
    }

    fn publish(&mut self) {
        if self.is_stopping() {
            return;
        }
        self.next_beat = Some(self.clock.now() + HEARTBEAT);
        self.push(Output::Publish(self.fields()));
    }

    /// The scaling as it is told: NaN for what is 0 only because a sensor is lost.
    fn fields(&self) -> [f32; 16] {
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

    /// Publishes a scaling that a message other than of a sensor has changed.
    fn publish_change(&mut self) {
        let before = (self.scaling, self.seen);
        self.settle();
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
                self.velocity = judged.map(|said| (velocity, said)).or(self.velocity);
                self.publish_change();
            }
            Input::VelocityRefused(_) => {
                self.advance(now);
                self.counters.velocities += 1;
                self.counters.invalid_velocities += 1;
                self.velocity = None;
                self.publish_change();
            }
            Input::ClockRead(stamp) => {
                self.pass_to(now);
                self.clock.read(now, stamp); // what time does comes with the next call, which is at this same instant
            }
            Input::VelocityPublishersCounted(count) => {
                self.advance(now);
                if self.velocity_publishers.set(count) {
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
                self.adopt(params);
                self.publish_change();
            }
            Input::Stopping => {
                self.advance(now);
                if !self.is_stopping() {
                    self.next_beat = None;
                    self.push(Output::Publish([f32::NAN; 16]));
                }
            }
        }
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.advance(now);
        if self.next_beat.is_some_and(|at| at <= self.clock.now()) {
            self.publish();
        }
        self.queue.pop_front()
    }

    fn deadline(&self) -> Option<Instant> {
        if !self.queue.is_empty() {
            return Some(self.clock.now());
        }
        self.next_beat.and_then(|beat| earliest(Some(beat), self.expiry))
    }
}
