//! The remote that drives, the chair, and the link between them.
#![allow(dead_code)] // each test file uses its own part

use chair::{Encoders, Joystick, Mode, Odometry, OdometryInput, Params, Remote, RemoteParams, specification};
use fake_chair::FakeChair;
use units::{Command, Instant, Machine, Stamp, Velocity};
use zones::published;

/// What a message may suffer.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Lost, of a thousand.
    pub loss: u64,
    /// Longest delay [ms]; messages overtake one another.
    pub delay: u64,
}

/// What is under way, with the time of its arrival.
#[allow(clippy::large_enum_variant)] // a handful of them at a time
pub enum Letter {
    ToChair(fake_chair::Input),
    ToRemote(chair::Input),
}

pub struct World {
    pub remote: Remote,
    pub chair: FakeChair,
    pub odometry: Odometry,
    pub link: Link,
    /// Nothing passes, neither way.
    pub is_cut: bool,
    pub letters: Vec<(u64, Letter)>,
    pub ms: u64,
    pub seed: u64,
    /// Where the odometry says the chair went forward [m].
    pub x: f64,
    /// How far it went in fact, to the front [m].
    pub truth: f64,
    /// What the chair said last of what it does.
    pub scaling: Option<fake_chair::JoystickScaling>,
}

/// An own generator (xorshift64*), so that one number tells a whole run.
pub fn chance(seed: &mut u64, below: u64) -> u64 {
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    (seed.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % below
}

impl World {
    pub fn new(mode: Mode, link: Link, seed: u64) -> Self {
        Self::with(fake_chair::Params::default(), mode, link, seed)
    }

    pub fn with(fake: fake_chair::Params, mode: Mode, link: Link, seed: u64) -> Self {
        let set = specification().resolve(published()).unwrap();
        let params = Params::read(&set).unwrap();
        let remote = Remote::new(RemoteParams { mode, ..params.remote });
        Self {
            remote,
            chair: FakeChair::new(fake),
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

    pub fn post(&mut self, letter: Letter) {
        // Latched topics and services are reliable and come in the end.
        let is_sure = matches!(
            letter,
            Letter::ToRemote(chair::Input::ProfileReceived(_))
                | Letter::ToChair(fake_chair::Input::ServiceCalled(_))
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

    pub fn tell(&mut self, input: chair::Input) {
        self.remote.handle(Instant::from_millis(self.ms), input);
    }

    pub fn fault(&mut self, input: fake_chair::Input) {
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
                Letter::ToChair(input) => self.chair.handle(now, input),
                Letter::ToRemote(input) => self.remote.handle(now, input),
            }
        }
        while let Some(output) = self.chair.poll(now) {
            self.chair_said(now, output);
        }
        while let Some(output) = self.remote.poll(now) {
            self.post(Letter::ToChair(match output {
                chair::Output::PublishJoystick(joystick) => {
                    fake_chair::Input::RemoteReceived(joystick.fields())
                }
                chair::Output::Call(service) => fake_chair::Input::ServiceCalled(service),
            }));
        }
    }

    pub fn chair_said(&mut self, now: Instant, output: fake_chair::Output) {
        let letter = match output {
            fake_chair::Output::PublishPosition(fields) => {
                chair::Input::PositionReceived(Joystick::parse(fields).unwrap())
            }
            fake_chair::Output::PublishScaling(scaling) => {
                self.scaling = Some(scaling);
                chair::Input::ScalingReceived(Joystick::parse(scaling.joystick).unwrap().source())
            }
            fake_chair::Output::PublishProfile(profile) => chair::Input::ProfileReceived(profile),
            fake_chair::Output::Answer(service) => chair::Input::ServiceAnswered(service),
            fake_chair::Output::PublishEncoders(fields) => {
                let fake_chair::EncoderFields { left_angle, right_angle, edge_timestamp } = fields;
                let encoders = Encoders { left_angle, right_angle, edge_timestamp, stamp: Stamp::ZERO };
                self.odometry.handle(now, OdometryInput::EncodersReceived(encoders));
                self.x = self.odometry.poll(now).map_or(self.x, |estimate| estimate.x);
                return;
            }
            fake_chair::Output::TurnWheels(left, right) => {
                self.truth += f64::midpoint(left, right) * 0.01;
                return;
            }
            _ => return,
        };
        self.post(Letter::ToRemote(letter));
    }

    pub fn is_at_rest(&self) -> bool {
        self.chair.wheel_speeds() == [0.0, 0.0]
    }

    /// The mode is asked for, and the commands are zero until the chair follows.
    pub fn activate(&mut self) {
        self.tell(chair::Input::Activated);
        self.drive(500, 0.0, 0.0);
    }

    /// Lets `ms` pass, with a command every 50 ms.
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

/// What is not known of LUCI's `joystick_position`, each way.
pub fn kinds() -> impl Iterator<Item = fake_chair::Params> {
    [(false, false), (false, true), (true, false), (true, true)].into_iter().map(
        |(position_is_physical, position_on_change)| fake_chair::Params {
            position_is_physical,
            position_on_change,
            ..fake_chair::Params::default()
        },
    )
}
