use std::collections::VecDeque;

use chair::{Mode, Service, Source};
use safety::{Backlog, Instant, Level, Machine};
use zones::Scaling;

use crate::drive::{Drive, Driven};
use crate::wheels::{TICK, Wheels};
use crate::{Input, Output, Params};

/// Simulates a chair as seen through LUCI's interface node.
///
/// * The occupant's stick drives until a service hands the chair to a remote; a service that removes a mode which is
///   not in force has no effect. In a remote mode the stick does not drive; in the shared one it is published for
///   blending.
/// * A remote joystick is accepted if its source is the one in force and the mode's; it drives for `remote_timeout`,
///   then the brakes are engaged until the next one.
/// * The driving stick is limited by the factors of its zone, then by the profile's speeds, and the wheels follow
///   with a limited acceleration, in steps of 10 ms counted from the clock's origin.
/// # Real-time
/// Nothing is allocated after construction, except by [`LuciChair::report`] and [`LuciChair::health`]. After a pause
/// all missed steps are made up for, at most a minute of them; of messages only the newest are published.
/// # Source
/// LUCI `luci-ros2-grpc` 2.0.3 and its texts. The behaviour of the chair itself is known from texts only and
/// simulated in the simplest way; that the stick does not drive in the shared mode is own. The content and timing of
/// `joystick_position` are a parameter.
#[derive(Clone, Debug)]
pub struct LuciChair {
    params: Params,
    now: Instant,
    /// The number of steps.
    tick: u64,
    drive: Drive,
    driven: Driven,
    /// The last published state of the occupant's stick.
    position: Option<zones::Joystick>,
    wheels: Wheels,
    profile: i32,
    presses: i32,
    is_pressed: bool,
    refuses: bool,
    is_silent: bool,
    /// Whether the node's life cycle is in the state active; otherwise no stick drives.
    is_active: bool,
    is_stopping: bool,
    queue: VecDeque<Output>,
    counters: Counters,
}

/// More than one drain produces; beyond it the oldest output is dropped.
const QUEUE: usize = 128;
/// The maximum number of steps that are made up for.
const MISSED: u64 = 6000;

impl LuciChair {
    /// A chair at rest, driven by its occupant.
    pub fn new(params: Params) -> Self {
        let drive = Drive::new();
        let mut chair = Self {
            params,
            now: Instant::ZERO,
            tick: 0,
            driven: drive.driven(Instant::ZERO, &params),
            drive,
            position: None,
            wheels: Wheels::default(),
            profile: params.profile,
            presses: 0,
            is_pressed: false,
            refuses: false,
            is_silent: false,
            is_active: true,
            is_stopping: false,
            queue: VecDeque::with_capacity(QUEUE),
            counters: Counters::default(),
        };
        chair.push(Output::PublishProfile(chair.profile));
        chair.push(Output::PublishSpeedSetting(1));
        chair.push(Output::PublishOverride(1));
        chair.push(Output::PublishOverrideCount(0));
        chair
    }

    /// The source that drives.
    pub fn source(&self) -> Source {
        self.drive.source
    }

    /// The profile, 1 to 5.
    pub fn profile(&self) -> i32 {
        self.profile
    }

    /// The commanded wheel speeds, left and right \[m/s\].
    pub fn wheel_speeds(&self) -> [f64; 2] {
        self.wheels.speeds
    }

    /// Whether the brakes are engaged because the remote was too slow.
    pub fn is_braked(&self) -> bool {
        self.driven.is_braked
    }

    /// Counts since the start.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Makes all steps up to now, then publishes what is due.
    fn update(&mut self) {
        let target = self.now.as_nanos() / nanos();
        if self.is_stopping || target == self.tick {
            return;
        }
        if target - self.tick > MISSED {
            self.tick = target - MISSED;
            self.wheels.speeds = [0.0; 2];
        }
        let first = self.tick + 1;
        while self.tick < target {
            self.step();
        }
        let is_due = |every: u64| target / every > (first - 1) / every;
        self.push(Output::TurnWheels(self.wheels.speeds[0], self.wheels.speeds[1]));
        let Params { joystick_ticks, scaling_ticks, encoder_ticks, imu_ticks, .. } = self.params;
        let Params { surroundings_ticks, camera_ticks, wheel_base, .. } = self.params;
        if is_due(encoder_ticks) {
            let millis = self.tick.wrapping_mul(10).wrapping_add(self.params.boot_millis.into());
            // The board's clock has 32 bits.
            let millis = (millis & u64::from(u32::MAX)) as u32;
            self.publish(Output::PublishEncoders(self.wheels.encoders(&self.params, millis)));
        }
        if is_due(imu_ticks) {
            self.publish(Output::PublishImu(self.wheels.imu(self.tick)));
            let [left, right] = self.wheels.turning(self.now);
            self.publish(Output::PublishOdometry(f64::midpoint(left, right), (right - left) / wheel_base));
        }
        if is_due(surroundings_ticks) {
            self.publish(Output::PublishSurroundings);
        }
        if camera_ticks.is_some_and(is_due) {
            self.publish(Output::PublishCameras);
        }
        if is_due(scaling_ticks) {
            self.publish(Output::PublishZoneScaling(self.drive.fields));
        }
        if is_due(joystick_ticks) {
            let position = self.drive.position(&self.params);
            if let Some(position) = position
                && !(self.params.position_on_change && self.position == Some(position))
            {
                self.publish(Output::PublishPosition(position));
            }
            self.position = position;
            self.publish(Output::PublishScaling(self.driven.scaling));
        }
    }

    fn step(&mut self) {
        self.tick += 1;
        let now = Instant::from_nanos(self.tick.saturating_mul(nanos()));
        let was_braked = self.driven.is_braked;
        self.driven = self.drive.driven(now, &self.params);
        self.counters.brakes += u64::from(self.driven.is_braked && !was_braked);
        let Params { acceleration, brake, wheel_base, .. } = self.params;
        let rate = if self.driven.is_braked { brake } else { acceleration };
        let targets = self.targets();
        self.wheels.tick(now, targets, rate, wheel_base);
    }

    /// The wheel speeds that the stick requests in this profile \[m/s\].
    fn targets(&self) -> [f64; 2] {
        let joystick = self.driven.scaling.joystick;
        let index = usize::try_from(self.profile - 1).unwrap_or(0);
        let full = |speeds: [f64; 5]| speeds.get(index).copied().unwrap_or(0.0);
        let forward = f64::from(joystick.forward_back) / 100.0 * full(self.params.forward);
        // Right is positive on the stick, left in the world.
        let turn = -f64::from(joystick.left_right) / 100.0 * full(self.params.turn);
        let half = turn * self.params.wheel_base / 2.0;
        [forward - half, forward + half]
    }

    fn serve(&mut self, service: Service) {
        self.counters.services += 1;
        if !self.refuses {
            for mode in [Mode::Auto, Mode::Shared] {
                if service == mode.set() {
                    self.drive.hand_to(mode.source());
                } else if service == mode.remove() && self.drive.source == mode.source() {
                    self.drive.hand_to(Source::ChairPhysical);
                }
            }
        }
        self.push(Output::Answer(service));
    }

    fn press(&mut self, is_pressed: bool) {
        if is_pressed == self.is_pressed {
            return;
        }
        self.is_pressed = is_pressed;
        self.publish(Output::PublishOverride(i32::from(!is_pressed)));
        if is_pressed {
            self.presses = self.presses.saturating_add(1);
            self.publish(Output::PublishOverrideCount(self.presses));
            let is_on = self.drive.override_until.is_some_and(|until| self.now < until);
            self.drive.override_until = (!is_on).then(|| self.now + self.params.override_time);
        }
    }

    fn publish(&mut self, output: Output) {
        if !self.is_silent {
            self.push(output);
        }
    }

    fn push(&mut self, output: Output) {
        if self.queue.len() >= QUEUE {
            self.queue.pop_front();
            self.counters.dropped += 1;
        }
        self.queue.push_back(output);
    }
}

fn nanos() -> u64 {
    u64::try_from(TICK.as_nanos()).unwrap_or(u64::MAX)
}

impl Machine for LuciChair {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        self.now = self.now.max(now);
        self.update();
        if self.is_stopping {
            return;
        }
        match input {
            Input::StickMoved(..) | Input::RemoteReceived(_) if !self.is_active => {}
            Input::StickMoved(forward_back, left_right) => {
                self.drive.stick = (forward_back.clamp(-100, 100), left_right.clamp(-100, 100));
            }
            Input::RemoteReceived(fields) => {
                let parts = [fields.forward_back, fields.left_right];
                let is_outside = parts.iter().any(|part| !(-100..=100).contains(part));
                self.counters.remotes += 1;
                self.counters.outside += u64::from(is_outside);
                self.counters.ignored += u64::from(!self.drive.receive(self.now, fields));
            }
            Input::ServiceCalled(service) => self.serve(service),
            Input::ScalingGiven(fields) => {
                self.drive.scaling = Scaling::from_fields(&fields).0;
                self.drive.fields = fields;
            }
            Input::ProfileSelected(profile) if (1..=5).contains(&profile) => {
                self.profile = profile;
                self.publish(Output::PublishProfile(profile));
            }
            Input::ProfileSelected(_) => self.counters.invalid += 1,
            Input::SpeedSelected(setting) => self.publish(Output::PublishSpeedSetting(setting)),
            Input::OverridePressed(is_pressed) => self.press(is_pressed),
            Input::BaseMeasured(forward, turn) if forward.is_finite() && turn.is_finite() => {
                let half = turn * self.params.wheel_base / 2.0;
                self.wheels.measured = Some(([forward - half, forward + half], self.now));
            }
            Input::BaseMeasured(..) => self.counters.invalid += 1,
            Input::ServicesRefused(refuses) => self.refuses = refuses,
            Input::ModeEnded => self.drive.hand_to(Source::ChairPhysical),
            Input::StreamsHalted(is_silent) => self.is_silent = is_silent,
            Input::ActivityChanged(is_active) => {
                self.is_active = is_active;
                self.drive.centre();
                // A remote that ran on meanwhile drives again only after the mode was entered again.
                self.drive.hand_to(Source::ChairPhysical);
            }
            Input::ParametersChanged(params) => self.params = self.params.changed(params),
            Input::Stopping => {
                self.is_stopping = true;
                self.wheels.speeds = [0.0; 2];
                self.push(Output::TurnWheels(0.0, 0.0));
            }
        }
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.now = self.now.max(now);
        self.update();
        self.queue.pop_front()
    }

    fn backlog(_: &Self::Output) -> Backlog {
        Backlog::Recent // the caller has its answer already
    }

    fn deadline(&self) -> Option<Instant> {
        if !self.queue.is_empty() {
            return Some(self.now);
        }
        let next = self.tick.checked_add(1)?.checked_mul(nanos())?;
        (!self.is_stopping).then_some(Instant::from_nanos(next))
    }
}

safety::counters! {
    /// Counts since the start, which a real chair does not report.
    pub struct Counters {
        /// Received remote joysticks.
        remotes: "remote joysticks",
        /// Ignored ones: from a source that does not drive.
        ignored: "ignored",
        /// Ones with a part outside -100 to 100, which was cut.
        outside: "outside",
        /// How often the brakes engaged because the remote was too slow, or had not sent anything yet in its mode.
        brakes: "brakes",
        /// Called services.
        services: "services",
        /// Invalid profiles and measured speeds.
        invalid: "invalid",
        /// Outputs that were dropped because they were not polled: a fault of the caller.
        dropped: "dropped",
    }
}

impl LuciChair {
    /// The health of the chair and the reason, as of the last call.
    pub fn health(&self) -> (Level, String) {
        let source = self.source();
        if self.is_braked() {
            return (Level::Warn, format!("driven by '{source}', which is too slow: the brakes are engaged"));
        }
        (Level::Ok, format!("driven by '{source}'"))
    }

    /// Keys and values for `/diagnostics`.
    pub fn report(&self) -> Vec<(&'static str, String)> {
        let [left, right] = self.wheel_speeds();
        let mut report = vec![
            ("source", self.source().to_string()),
            ("profile", self.profile().to_string()),
            ("left wheel [m/s]", format!("{left:.3}")),
            ("right wheel [m/s]", format!("{right:.3}")),
        ];
        report.extend(self.counters().report());
        report
    }
}
