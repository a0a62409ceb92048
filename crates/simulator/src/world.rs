use std::collections::VecDeque;
use std::sync::Arc;

use safety::{Backlog, Instant, Level, Machine, Stamp, earliest};

use crate::motors::{Drive, Motors};
use crate::pace::{Pace, nanos};
use crate::scaling::Zones;
use crate::sensors::{self, BEAMS};
use crate::vehicle::{Body, Vehicle};
use crate::{Input, Odometry, Output, Params, Range, Snapshot, Wheel};

/// A vehicle among walls, and its sensors.
///
/// Time advances in physics steps at the multiples of `physics_period` since the clock's origin, regardless of the
/// calls. A step that ends at `t` uses the inputs before `t`, so the pose depends only on the inputs and their times,
/// not on the number of polls. After a stall all missed steps are made, but each sensor reports once.
///
/// The e-stop button is only a signal here: pressing it does not cut the motors, so a vehicle that stops proves that
/// the chain behind the button works. On a real vehicle a button must cut the power without any software.
///
/// # Real-time
/// No allocation after [`World::new`], except for a scan while the one before is still held; a call after a stall
/// makes as many steps as the vehicle needed to come to rest, no more.
/// # Source
/// own.
#[derive(Clone, Debug)]
pub struct World {
    params: Params,
    vehicle: Vehicle,
    motors: Motors,
    /// Whether the node's life cycle is in the state active; otherwise the wheels take no values.
    is_active: bool,
    zones: Zones,
    estop: bool,
    /// Pressed since the last heartbeat: a press is reported even if it has ended by then.
    press_unreported: bool,
    stopping: bool,
    pub(crate) drive: Drive,
    pub(crate) counters: Counters,

    now: Instant,
    /// Physics steps since the clock's origin.
    steps: u64,
    /// The clock of stamps, and when it was read.
    clock: (Stamp, Instant),
    paces: Paces,

    scaling: [f32; 16],
    ranges: [Range; 4],
    scan: Arc<[f32]>,
    outputs: VecDeque<Output>,
}

#[derive(Clone, Debug)]
struct Paces {
    estop: Pace,
    odometry: Pace,
    ranges: Pace,
    scaling: Pace,
    scan: Pace,
}

/// One output of each sensor, with four ranges.
const LONGEST_QUEUE: usize = 8;

impl World {
    /// The vehicle is at rest at its start, and no motor value was received.
    pub fn new(params: Params) -> Self {
        let zones = Zones::new();
        Self {
            vehicle: Vehicle::new(params.start),
            motors: Motors::default(),
            is_active: true,
            estop: false,
            press_unreported: false,
            stopping: false,
            drive: Drive::Silent,
            counters: Counters::default(),
            now: Instant::ZERO,
            steps: 0,
            clock: (Stamp::ZERO, Instant::ZERO),
            paces: Paces {
                estop: Pace::new(params.estop_period),
                odometry: Pace::new(params.physics_period),
                ranges: Pace::new(params.range_period),
                scaling: Pace::new(params.scaling_period),
                scan: Pace::new(params.scan_period),
            },
            scaling: zones.scaling(&params.start, &params.walls, &params),
            ranges: sensors::ranges(&params.start, &params.walls, &params, Stamp::ZERO),
            scan: [f32::INFINITY; BEAMS].into(),
            outputs: VecDeque::with_capacity(LONGEST_QUEUE),
            zones,
            params,
        }
    }

    /// The state for a display, as of the last call.
    pub fn snapshot(&self) -> Snapshot<'_> {
        let [port, starboard] = self.motors.last();
        Snapshot {
            pose: self.vehicle.pose,
            forward: self.vehicle.forward,
            turn: self.vehicle.turn,
            walls: &self.params.walls,
            scaling: self.scaling,
            ranges: self.ranges,
            collisions: self.counters.collisions,
            touching: self.vehicle.touching,
            radius: self.params.radius,
            port,
            starboard,
            driven: matches!(self.drive, Drive::Levels(_)),
            estop: self.estop,
        }
    }

    /// Makes all physics steps that end at `now` or before.
    fn advance(&mut self, now: Instant) {
        self.now = self.now.max(now);
        let period = nanos(self.params.physics_period);
        let last = self.now.as_nanos() / period;
        while self.steps < last && !self.stopping {
            if self.drive == Drive::Silent && self.vehicle.stands() {
                // Only an input ends a silence: the steps until now change nothing.
                self.steps = last;
            } else {
                self.steps += 1;
                self.step(Instant::from_nanos(self.steps * period));
            }
        }
    }

    fn step(&mut self, end: Instant) {
        let Params { radius, track, lag, wheel_speed, .. } = self.params;
        let drive = self.motors.drive(end, self.params.motor_timeout);
        self.record(drive);
        let targets = match drive {
            Drive::Levels(levels) => levels.map(|level| level * wheel_speed),
            Drive::Invalid | Drive::Silent | Drive::Waits => [0.0; 2],
        };
        let (dt, body) = (self.params.physics_period.as_secs_f64(), Body { radius, track, lag });
        let hit = self.vehicle.step(targets, dt, &body, &self.params.walls);
        self.counters.collisions += u64::from(hit);
    }

    /// Records the command for the wheels and counts the start of a silence.
    fn record(&mut self, drive: Drive) {
        self.counters.motor_silences += u64::from(drive == Drive::Silent && self.drive != Drive::Silent);
        self.drive = drive;
    }

    /// A value was received: until the next step it determines the command for the wheels.
    fn motor_received(&mut self, is_valid: bool) {
        self.counters.motors_invalid += u64::from(!is_valid);
        let drive = self.motors.drive(self.now, self.params.motor_timeout);
        self.record(drive);
    }

    fn sense(&mut self) {
        let (now, stamp, pose) = (self.now, self.stamp(), self.vehicle.pose);
        // The most urgent first.
        if self.paces.estop.due(now) {
            self.outputs.push_back(Output::PublishEstop(self.estop || self.press_unreported));
            self.press_unreported = false;
        }
        if self.paces.odometry.due(now) {
            self.outputs.push_back(self.odometry());
        }
        if self.paces.ranges.due(now) {
            self.ranges = sensors::ranges(&pose, &self.params.walls, &self.params, stamp);
            self.outputs.extend(self.ranges.map(Output::PublishRange));
        }
        if self.paces.scaling.due(now) {
            self.scaling = self.zones.scaling(&pose, &self.params.walls, &self.params);
            self.outputs.push_back(Output::PublishScaling(self.scaling));
        }
        if self.paces.scan.due(now) {
            let scan = sensors::scan(&mut self.scan, &pose, &self.params.walls, &self.params, stamp);
            self.outputs.push_back(Output::PublishScan(scan));
        }
    }

    fn odometry(&self) -> Output {
        let Vehicle { pose, forward, turn, .. } = self.vehicle;
        let radius = self.params.wheel_radius;
        let wheels =
            self.vehicle.wheels().map(|(way, speed)| Wheel { angle: way / radius, speed: speed / radius });
        Output::PublishOdometry(Odometry { stamp: self.stamp(), pose, forward, turn, wheels })
    }

    fn stop(&mut self) {
        self.stopping = true;
        self.vehicle.halt();
        self.scaling = [0.0; 16];
        self.outputs.clear();
        let last = [Output::PublishEstop(true), self.odometry(), Output::PublishScaling(self.scaling)];
        self.outputs.extend(last);
    }

    /// The clock of stamps at the last physics step; never negative.
    fn stamp(&self) -> Stamp {
        let (read, at) = self.clock;
        if read.is_zero() {
            return Stamp::ZERO;
        }
        let step = i128::from(self.steps) * i128::from(nanos(self.params.physics_period));
        let wall = (i128::from(read.as_nanos()) + step - i128::from(at.as_nanos())).max(0);
        // The remainder of a division by 10^9 fits.
        let nanosec = wall.rem_euclid(1_000_000_000) as u32;
        let sec = wall.div_euclid(1_000_000_000).min(i32::MAX.into()) as i32;
        Stamp { sec, nanosec }
    }
}

impl Machine for World {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        if self.stopping {
            return;
        }
        self.advance(now);
        match input {
            Input::PortReceived(_) | Input::StarboardReceived(_) if !self.is_active => {}
            Input::PortReceived(value) => {
                let is_valid = self.motors.port(value, self.now, self.params.motor_timeout);
                self.motor_received(is_valid);
            }
            Input::StarboardReceived(value) => {
                let is_valid = self.motors.starboard(value, self.now, self.params.motor_timeout);
                self.motor_received(is_valid);
            }
            Input::EstopPressed(pressed) => {
                if self.estop != pressed {
                    self.paces.estop.hasten(self.now);
                }
                self.estop = pressed;
                self.press_unreported |= pressed;
            }
            Input::ClockRead(reading) => self.clock = (reading.stamp, self.now),
            Input::ParametersChanged(params) => self.params.change(&params),
            Input::ActivityChanged(is_active) => {
                (self.is_active, self.motors) = (is_active, Motors::default()); // both values have to be stop first
                self.motor_received(true);
            }
            Input::Stopping => self.stop(),
        }
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.advance(now);
        if self.outputs.is_empty() && !self.stopping {
            self.sense();
        }
        self.outputs.pop_front()
    }

    fn backlog(_: &Self::Output) -> Backlog {
        Backlog::Recent
    }

    fn deadline(&self) -> Option<Instant> {
        if !self.outputs.is_empty() {
            return Some(self.now);
        }
        let Paces { estop, odometry, ranges, scaling, scan } = &self.paces;
        let next = [estop, odometry, ranges, scaling, scan].map(Pace::next).into_iter().fold(None, earliest);
        next.filter(|_| !self.stopping)
    }
}

safety::counters! {
    /// Counts of refusals and frequent events since the start.
    pub struct Counters {
        /// How often a wall was newly hit.
        collisions: "collisions",
        /// Servo values outside 24 to 156.
        motors_invalid: "motors invalid",
        /// How often a motor topic fell silent after both were received.
        motor_silences: "motor silences",
    }
}

impl World {
    /// The counts so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// The health of the world and the reason, in one sentence.
    pub fn health(&self) -> (Level, &'static str) {
        match self.drive {
            Drive::Silent => (Level::Warn, "a motor topic is silent; the wheels are stopped"),
            Drive::Waits => (Level::Warn, "the wheels are stopped until both motor values are 90"),
            Drive::Invalid => (Level::Error, "a motor value is outside 24 to 156; the wheels are stopped"),
            Drive::Levels(_) if self.snapshot().touching => (Level::Warn, "the vehicle is held by a wall"),
            Drive::Levels(_) => (Level::Ok, "the wheels follow the motor topics"),
        }
    }

    /// Key and value pairs for `/diagnostics`. Allocates.
    pub fn report(&self) -> Vec<(&'static str, String)> {
        let Snapshot { pose, forward, turn, port, starboard, estop, .. } = self.snapshot();
        let mut report = vec![
            ("x [m]", format!("{:.3}", pose.x)),
            ("y [m]", format!("{:.3}", pose.y)),
            ("heading [rad]", format!("{:.3}", pose.heading)),
            ("forward [m/s]", format!("{forward:.3}")),
            ("turn [rad/s]", format!("{turn:.3}")),
            ("port", port.to_string()),
            ("starboard", starboard.to_string()),
            ("estop pressed", estop.to_string()),
        ];
        report.extend(self.counters.report());
        report
    }
}
