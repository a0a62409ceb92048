//! The remote that drives, the chair, and the link between them.
#![allow(clippy::unwrap_used)] // helpers of tests

use chair::{Encoders, Joystick, Mode, Odometry, OdometryInput, Params, Remote, RemoteParams, specification};
use luci_chair::LuciChair;
use safety::{Command, Instant, Machine, Stamp, Velocity};
use zones::published;

/// The faults of the link.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Messages lost, of a thousand.
    pub loss: u64,
    /// The maximum delay [ms]; messages overtake one another.
    pub delay: u64,
}

/// A message in transit, with the time of its arrival.
#[allow(clippy::large_enum_variant)] // a handful of them at a time
pub enum LinkMessage {
    ToChair(luci_chair::Input),
    ToRemote(chair::Input),
}

pub struct World {
    pub remote: Remote,
    pub chair: LuciChair,
    pub odometry: Odometry,
    pub link: Link,
    /// No message passes in either direction.
    pub is_cut: bool,
    pub letters: Vec<(u64, LinkMessage)>,
    pub ms: u64,
    pub seed: u64,
    /// The distance forward according to the odometry [m].
    pub x: f64,
    /// The true distance forward [m].
    pub truth: f64,
    /// The chair's last report of its scaling.
    pub scaling: Option<luci_chair::JoystickScaling>,
}

/// An own generator (xorshift64*), so one number determines a whole run.
pub fn chance(seed: &mut u64, below: u64) -> u64 {
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    (seed.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % below
}

impl World {
    pub fn new(mode: Mode, link: Link, seed: u64) -> Self {
        Self::with(luci_chair::Params::default(), mode, link, seed)
    }

    pub fn with(fake: luci_chair::Params, mode: Mode, link: Link, seed: u64) -> Self {
        let set = specification().resolve(published()).unwrap();
        let params = Params::read(&set).unwrap();
        let remote = Remote::new(RemoteParams { mode, ..params.remote });
        Self {
            remote,
            chair: LuciChair::new(fake),
            odometry: Odometry::new(params.odometry),
            link,
            is_cut: false,
            letters: Vec::new(),
            ms: 0,
            seed: seed | 1,
            x: 0.0,
            truth: 0.0,
            scaling: None,
        }
    }

    pub fn post(&mut self, letter: LinkMessage) {
        // Latched topics and services are reliable and always arrive.
        let is_sure = matches!(
            letter,
            LinkMessage::ToRemote(chair::Input::ProfileReceived(_))
                | LinkMessage::ToChair(luci_chair::Input::ServiceCalled(_))
        );
        if !is_sure && (self.is_cut || chance(&mut self.seed, 1000) < self.link.loss) {
            return;
        }
        let at = self.ms + chance(&mut self.seed, self.link.delay + 1);
        self.letters.push((at, letter));
    }

    pub fn command(&mut self, forward: f64, turn: f64) {
        let velocity = Velocity::planar(forward, turn).unwrap();
        self.remote.handle(
            Instant::from_millis(self.ms),
            chair::Input::CommandReceived(Command::new(velocity, Stamp::ZERO)),
        );
    }

    pub fn send(&mut self, input: chair::Input) {
        self.remote.handle(Instant::from_millis(self.ms), input);
    }

    pub fn fault(&mut self, input: luci_chair::Input) {
        self.chair.handle(Instant::from_millis(self.ms), input);
    }

    /// One millisecond.
    pub fn step(&mut self) {
        self.ms += 1;
        let now = Instant::from_millis(self.ms);
        let mut index = 0;
        while index < self.letters.len() {
            if self.letters[index].0 > self.ms {
                index += 1;
                continue;
            }
            match self.letters.swap_remove(index).1 {
                LinkMessage::ToChair(input) => self.chair.handle(now, input),
                LinkMessage::ToRemote(input) => self.remote.handle(now, input),
            }
        }
        while let Some(output) = self.chair.poll(now) {
            self.receive_from_chair(now, output);
        }
        while let Some(output) = self.remote.poll(now) {
            self.post(LinkMessage::ToChair(match output {
                chair::Output::PublishJoystick(joystick) => {
                    luci_chair::Input::RemoteReceived(joystick.fields())
                }
                chair::Output::Call(service) => luci_chair::Input::ServiceCalled(service),
            }));
        }
    }

    pub fn receive_from_chair(&mut self, now: Instant, output: luci_chair::Output) {
        let letter = match output {
            luci_chair::Output::PublishPosition(fields) => {
                chair::Input::PositionReceived(Joystick::parse(fields).unwrap())
            }
            luci_chair::Output::PublishScaling(scaling) => {
                self.scaling = Some(scaling);
                chair::Input::ScalingReceived(Joystick::parse(scaling.joystick).unwrap().source())
            }
            luci_chair::Output::PublishProfile(profile) => chair::Input::ProfileReceived(profile),
            luci_chair::Output::Answer(service) => chair::Input::ServiceAnswered(service),
            luci_chair::Output::PublishEncoders(fields) => {
                let luci_chair::EncoderFields { left_angle, right_angle, edge_timestamp } = fields;
                let encoders = Encoders { left_angle, right_angle, edge_timestamp, stamp: Stamp::ZERO };
                self.odometry.handle(now, OdometryInput::EncodersReceived(encoders));
                self.x = self.odometry.poll(now).map_or(self.x, |estimate| estimate.x);
                return;
            }
            luci_chair::Output::TurnWheels(left, right) => {
                self.truth += f64::midpoint(left, right) * 0.01;
                return;
            }
            _ => return,
        };
        self.post(LinkMessage::ToRemote(letter));
    }

    pub fn is_at_rest(&self) -> bool {
        self.chair.wheel_speeds() == [0.0, 0.0]
    }

    /// The mode is requested, and the commands are zero until the chair follows.
    pub fn activate(&mut self) {
        self.send(chair::Input::Activated);
        self.drive(500, 0.0, 0.0);
    }

    /// Advances by `ms`, with a command every 50 ms.
    pub fn drive(&mut self, ms: u64, forward: f64, turn: f64) {
        for _ in 0..ms {
            if self.ms.is_multiple_of(50) {
                self.command(forward, turn);
            }
            self.step();
        }
    }

    pub fn pass(&mut self, ms: u64) {
        (0..ms).for_each(|_| self.step());
    }
}

pub const PERFECT: Link = Link { loss: 0, delay: 0 };

/// The possible behaviours of LUCI's `joystick_position`.
pub fn kinds() -> impl Iterator<Item = luci_chair::Params> {
    [(false, false), (false, true), (true, false), (true, true)].into_iter().map(
        |(position_is_physical, position_on_change)| luci_chair::Params {
            position_is_physical,
            position_on_change,
            ..luci_chair::Params::default()
        },
    )
}
