//! Invariants during minutes of messages that are lost, late, doubled, out of order or NaN, under a clock that is set.
#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

use crate::common;
use crate::events;

use std::collections::BTreeMap;
use std::time::Duration;

use arbiter::Invalid;
use common::{Bench, STOP, arbiter_params, drive_by};
use drive_chain::{Input, Output};
use events::{Driver, Event, driver, minute};
use joystick::PoseState;
use params::Value;
use proptest::prelude::*;
use safety::{Instant, Machine, PublisherCount, Stamp, Velocity};

/// From the last valid command on: 0.5 s until its sender counts as lost (the arbiter's and the joystick's time-outs), 66
/// counts at 200 counts/s down the slope, and a tick at either end.
const BOUND: Duration = Duration::from_millis(500 + 330 + 2 * 20);
/// How long after a factor fell a motor may still be faster: the slope and two ticks.
const FADING: Duration = Duration::from_millis(330 + 2 * 20);
/// After a silence of this time there is no scaling.
const SCALING_TIMEOUT: Duration = Duration::from_millis(500);
const FULL: f64 = 66.0;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

struct World {
    bench: Bench,
    /// The messages in transit, by their time of arrival [ms] and a number.
    mail: BTreeMap<(u64, usize), Input>,
    sent: usize,
    /// The last enable and the last e-stop that arrived.
    enabled: bool,
    pressed: bool,
    /// When the e-stop repeats its value, once it has published one.
    next_beat: Option<Instant>,
    /// The values that the lock and the sensor publish ten times a second.
    lock: Option<bool>,
    distance: Option<f64>,
    next_publish: Instant,
    /// Since when the front sensor has measured an obstacle.
    near: Option<Instant>,
    /// The greatest factor of the scalings that arrived, each with its time; the last one is in force.
    factors: Vec<(Instant, f64)>,
    looked_at: (usize, usize),
    /// How many motor values moved, and how many commands the zones reduced.
    moved: usize,
}

impl World {
    fn new() -> Self {
        let hindbrain =
            [("accel", Value::Float(200.0)), ("ir.sensors", Value::Texts(vec!["ir_front_port".into()]))];
        let mut bench = Bench::with(drive_by(params(false), &hindbrain));
        bench.scaling = None; // the test sends it as messages
        bench.plug();
        let factors = vec![(Instant::ZERO, 0.0)];
        let (mail, sent, enabled, pressed, looked_at, moved) = (BTreeMap::new(), 0, false, false, (0, 0), 0);
        let (lock, distance, next_publish) = (Some(false), Some(9.0), bench.now);
        Self {
            bench,
            mail,
            sent,
            enabled,
            pressed,
            next_beat: None,
            lock,
            distance,
            next_publish,
            near: None,
            factors,
            looked_at,
            moved,
        }
    }

    fn post(&mut self, delays: &[u64], input: &Input) {
        let now = self.bench.now.as_nanos() / 1_000_000;
        for delay in delays {
            self.sent += 1;
            self.mail.insert((now + delay, self.sent), input.clone());
        }
    }

    fn send(&mut self, input: Input) {
        match &input {
            Input::Hindbrain(hindbrain::Input::EnableReceived(on)) => self.enabled = *on,
            Input::Hindbrain(hindbrain::Input::EstopReceived(pressed)) => {
                (self.pressed, self.next_beat) = (*pressed, Some(self.bench.now + ms(100)));
            }
            Input::Zones(zones::Input::ScalingReceived(fields)) => {
                let factors = fields.iter().map(|&field| f64::from(field));
                let sane = factors.filter(|factor| (0.0..=1.0).contains(factor));
                self.factors.push((self.bench.now, sane.fold(0.0, f64::max)));
            }
            _ => {}
        }
        self.bench.send([input]);
        self.check();
    }

    /// Lets `time` pass in small steps, and delivers the messages that arrive between them.
    fn pass(&mut self, time: u64) {
        let end = self.bench.now.as_nanos() / 1_000_000 + time;
        loop {
            let now = self.bench.now.as_nanos() / 1_000_000;
            if let Some(entry) = self.mail.first_entry().filter(|entry| entry.key().0 <= now) {
                let input = entry.remove();
                self.send(input);
                continue;
            }
            if self.next_beat.is_some_and(|at| at <= self.bench.now) {
                self.send(Input::Hindbrain(hindbrain::Input::EstopReceived(self.pressed)));
            }
            if self.next_publish <= self.bench.now {
                self.publish();
                continue;
            }
            if now >= end {
                return;
            }
            let next = self.mail.first_key_value().map_or(end, |(&(at, _), _)| at.min(end));
            self.bench.pass(ms((next - now).clamp(1, 10)));
            self.check();
        }
    }

    /// Publishes the lock and the sensor.
    fn publish(&mut self) {
        self.next_publish = self.bench.now + ms(100);
        if let Some(closed) = self.lock {
            self.send(Input::Arbiter(arbiter::Input::LockReceived { lock: 0, closed }));
        }
        if self.distance.is_some() {
            let (sensor, distance) = (hindbrain::Sensor::FrontPort, self.distance);
            let input = hindbrain::Input::IrReceived { sensor, distance, stamp: Stamp::ZERO };
            self.send(Input::Hindbrain(input));
        }
        let is_near = self.distance.is_some_and(|distance| distance < 0.1);
        self.near = self.near.filter(|_| is_near).or(is_near.then_some(self.bench.now));
    }

    /// The greatest factor that was in force at some time since `since`.
    fn greatest(&self, since: Instant) -> f64 {
        let mut greatest: f64 = 0.0;
        let mut until = self.bench.now;
        for &(at, factor) in self.factors.iter().rev() {
            if (at + SCALING_TIMEOUT).min(until) >= since {
                greatest = greatest.max(factor);
            }
            until = at;
            if at < since {
                break;
            }
        }
        greatest
    }

    /// Checks that all outputs since the last check are within their limits.
    fn check(&mut self) {
        let now = self.bench.now;
        // A check is never more than 11 ms behind.
        let instant = |back: Duration| {
            Instant::from_nanos(now.as_nanos().saturating_sub((back + ms(11)).as_nanos() as u64))
        };
        let factor = self.greatest(instant(Duration::ZERO));
        for output in &self.bench.outputs[self.looked_at.0..] {
            if let Output::Zones(zones::Output::Drive(command)) = output {
                let (v, w) = (command.velocity.forward().abs(), command.velocity.turn().abs());
                assert!(v.max(w) <= factor + 1e-9, "{command:?} of {factor} at {now:?}");
            }
        }
        // Both wheels have the sum of both parts at most.
        let level = (FULL * (2.0 * self.greatest(instant(FADING))).min(1.0)).ceil() as i16;
        for (at, motors) in &self.bench.motors[self.looked_at.1..] {
            for value in [motors.port, motors.starboard] {
                let may = if self.enabled && !self.pressed { level } else { 0 };
                let (on, pressed) = (self.enabled, self.pressed);
                assert!(
                    (value - STOP).abs() <= may,
                    "{motors:?} at {at:?}, at most {may} from stop: enabled {on}, pressed {pressed}"
                );
                // Forward is the lower value; debounced for 40 ms, and received again 100 ms later.
                let ahead = STOP * 2 - motors.port - motors.starboard;
                let blocked = self.near.is_some_and(|since| *at >= since + ms(160 + 20));
                assert!(
                    !blocked || ahead <= 0,
                    "{motors:?} at {at:?}, and an obstacle is near since {:?}",
                    self.near
                );
                self.moved += usize::from(value != STOP);
            }
        }
        self.looked_at = (self.bench.outputs.len(), self.bench.motors.len());
    }

    fn navigation(&self, forward: f64, turn: f64, stamp: Stamp) -> Input {
        let source = self.bench.drive.stages().arbiter.source_index("navigation").unwrap();
        let velocity = Velocity::planar(forward, turn).map_err(Invalid::NotFinite);
        Input::Arbiter(arbiter::Input::command(source, velocity, stamp))
    }

    /// Every fault is cleared, and a source drives ahead for a second over a network that works.
    fn ahead(&mut self, driver: Driver) {
        use hindbrain::Input::{EnableReceived, EstopReceived, PublishersCounted, ResetReceived};
        self.mail.clear();
        (self.lock, self.distance) = (Some(false), Some(9.0));
        self.publish();
        self.pass(200);
        for input in [
            PublishersCounted(hindbrain::Publishers::default()),
            EstopReceived(false),
            ResetReceived(false),
            ResetReceived(true),
            ResetReceived(false),
            EnableReceived(false),
            EnableReceived(true),
        ] {
            self.send(Input::Hindbrain(input));
        }
        let held = matches!(driver, Driver::Stick);
        if held {
            self.bench.plug();
        }
        for forward in [0.0; 30].into_iter().chain([0.9; 50]) {
            self.send(Input::Zones(zones::Input::ScalingReceived([1.0; 16])));
            self.bench.stick(if held { forward } else { 0.0 }, 0.0, held);
            let stamp = self.bench.stamp();
            match driver {
                Driver::Stick => {}
                Driver::Navigation => self.send(self.navigation(forward, 0.0, stamp)),
                Driver::Reference(true) => self.send(reference(forward, 0.0, stamp, true)),
                Driver::Reference(false) => self.send(reference(forward, 0.0, Stamp::ZERO, true)),
            }
            self.pass(20);
        }
    }

    fn happen(&mut self, event: &Event) {
        let stamp = |stamped: bool| if stamped { self.bench.stamp() } else { Stamp::ZERO };
        match *event {
            Event::Stick(forward, left, held) => self.bench.stick(forward, left, held),
            Event::Plug => self.bench.plug(),
            Event::Unplug => self.bench.unplug(),
            Event::ReadingLost => self.send(Input::Joystick(joystick::Input::ReadingLost)),
            Event::Reference { parts: (v, w), stamped, intrinsic, ref delays } => {
                self.post(delays, &reference(v, w, stamp(stamped), intrinsic));
            }
            Event::Navigation { parts: (v, w), stamped, ref delays } => {
                self.post(delays, &self.navigation(v, w, stamp(stamped)));
            }
            Event::Scaling { fields, ref delays } => {
                self.post(delays, &Input::Zones(zones::Input::ScalingReceived(fields)));
            }
            Event::Enable { on, ref delays } => {
                if on {
                    self.post(delays, &Input::Hindbrain(hindbrain::Input::EnableReceived(false)));
                }
                self.post(delays, &Input::Hindbrain(hindbrain::Input::EnableReceived(on)));
            }
            Event::Estop(pressed) => self.send(Input::Hindbrain(hindbrain::Input::EstopReceived(pressed))),
            Event::Reset(down) => self.send(Input::Hindbrain(hindbrain::Input::ResetReceived(down))),
            Event::Lock(closed) => self.lock = closed,
            Event::Infrared(distance) => self.distance = distance,
            Event::Publishers { estop, count } => {
                let topic = if estop { hindbrain::SoleTopic::Estop } else { hindbrain::SoleTopic::Command };
                let count = PublisherCount::of(count);
                let publishers = hindbrain::Publishers::default().with(topic, count);
                self.send(Input::Hindbrain(hindbrain::Input::PublishersCounted(publishers)));
            }
            Event::Limits(on) => {
                let stick = self.bench.drive.stages().arbiter.source_index("joystick");
                self.send(Input::SourcesChanged { params: params(on), stick });
            }
            Event::Ahead(driver) => self.ahead(driver),
            Event::Jump(millis) => {
                self.bench.wall = (self.bench.wall + millis).clamp(-10_000_000, 10_000_000)
            }
            Event::Back(millis) => {
                let before = self.bench.now.as_nanos().saturating_sub(millis * 1_000_000);
                let read = Input::ClockRead(self.bench.stamp().into());
                self.bench.drive.handle(Instant::from_nanos(before), read);
            }
        }
        self.check();
    }
}

/// A lock over the navigation and not over the stick; with limits or without.
fn params(limits: bool) -> arbiter::Params {
    let (float, slope) = (Value::Float, |on: f64| Value::Float(if limits { on } else { 0.0 }));
    arbiter_params(&[
        ("locks.door.topic", Value::Text("/door".into())),
        ("locks.door.priority", Value::Integer(50)),
        ("limits.linear.x.acceleration", slope(2.0)),
        ("limits.linear.x.deceleration", slope(0.5)),
        ("limits.linear.x.jerk", slope(10.0)),
        ("limits.angular.z.max", float(0.9)),
    ])
}

fn reference(forward: f64, turn: f64, stamp: Stamp, intrinsic: bool) -> Input {
    let (vel, avel) = (Some([forward, 0.0, 0.0]), Some([0.0, 0.0, turn]));
    let state = PoseState { stamp, intrinsic, vel, avel, ..PoseState::default() };
    Input::Joystick(joystick::Input::ReferenceReceived(state))
}

fn play(events: &[(u64, Event)]) -> World {
    let mut world = World::new();
    world.bench.enable(true);
    world.enabled = true;
    for (pause, event) in events {
        world.pass(*pause);
        world.happen(event);
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// At every instant nothing moves without enable, or faster than the zones allow; and when every publisher falls silent
    /// the motors are at stop in time, with any reading of the clock.
    #[test]
    fn motion_is_always_permitted_and_silence_stops(
        seed in any::<u64>(), driver in driver(), jump in -5_000..5_000i64, reading_lost in any::<bool>(),
    ) {
        let mut world = play(&minute(seed));
        world.ahead(driver);
        world.bench.wall += jump;
        let before = world.bench.outputs.len();
        if reading_lost {
            world.send(Input::Joystick(joystick::Input::ReadingLost));
        } else {
            world.bench.unplug();
        }
        let silent = world.bench.now;
        if matches!(driver, Driver::Stick) {
            // No limit delays the stop after a lost stick.
            world.pass(20);
            let zero = |output: &Output| match output {
                Output::Arbiter(arbiter::Output::Drive(command)) => command.velocity.is_zero(),
                _ => false,
            };
            let outputs = &world.bench.outputs[before..];
            prop_assert!(outputs.iter().any(zero), "{outputs:?}");
        }
        // Neither the surroundings nor a disable stop it, only the silence.
        for _ in 0..60 {
            world.send(Input::Zones(zones::Input::ScalingReceived([1.0; 16])));
            world.pass(50);
        }
        prop_assert_eq!(world.bench.last(), (STOP, STOP));
        let stopped = world.bench.stopped_since().unwrap();
        prop_assert!(stopped.since(silent) <= BOUND, "{:?} after the last command", stopped.since(silent));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn the_same_minute_twice_gives_the_same_outputs(seed in any::<u64>()) {
        let events = minute(seed);
        let (first, second) = (play(&events), play(&events));
        prop_assert_eq!(first.bench.outputs.len(), second.bench.outputs.len());
        for (a, b) in first.bench.outputs.iter().zip(&second.bench.outputs) {
            prop_assert_eq!(format!("{a:?}"), format!("{b:?}"));
        }
        prop_assert_eq!(&first.bench.motors, &second.bench.motors);
    }
}

/// The other tests would prove nothing without motion.
#[test]
fn in_such_minutes_the_motors_do_move() {
    let (mut moved, mut ahead) = (0, [0; 4]);
    for round in 0..20 {
        let mut world = play(&minute(round as u64));
        moved += world.moved;
        let drivers = [Driver::Stick, Driver::Navigation, Driver::Reference(true), Driver::Reference(false)];
        world.ahead(drivers[round % 4]);
        // 0.9 of 66 is 59.4; of a stick it is less, since the velocity follows it gradually.
        ahead[round % 4] += usize::from(world.bench.last().0 < STOP - 50);
    }
    assert!(moved > 10_000, "{moved} motor values moved in twenty minutes");
    assert!(
        ahead.iter().all(|&count| count >= 2),
        "{ahead:?} of 5 times each the vehicle was ahead at the end"
    );
}
