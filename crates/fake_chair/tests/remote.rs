//! The remote that drives, against the chair, over a link that loses, delays and reorders.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use chair::{
    Encoders, Joystick, Mode, Odometry, OdometryInput, Params, Remote, RemoteParams, Service, Source, State,
    published, specification,
};
use fake_chair::FakeChair;
use proptest::prelude::*;
use units::{Command, Instant, Machine, Stamp, Velocity};

/// What a message may suffer.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// Lost, of a thousand.
    loss: u64,
    /// Longest delay [ms]; messages overtake one another.
    delay: u64,
}

/// What is under way, with the time of its arrival.
#[allow(clippy::large_enum_variant)] // a handful of them at a time
enum Letter {
    ToChair(fake_chair::Input),
    ToRemote(chair::Input),
}

struct World {
    remote: Remote,
    chair: FakeChair,
    odometry: Odometry,
    link: Link,
    /// Nothing passes, neither way.
    is_cut: bool,
    letters: Vec<(u64, Letter)>,
    ms: u64,
    seed: u64,
    /// Where the odometry says the chair went forward [m].
    x: f64,
    /// How far it went in fact, to the front [m].
    truth: f64,
}

/// An own generator (xorshift64*), so that one number tells a whole run.
fn chance(seed: &mut u64, below: u64) -> u64 {
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    (seed.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % below
}

impl World {
    fn new(mode: Mode, link: Link, seed: u64) -> Self {
        let set = specification().resolve(published()).unwrap();
        let params = Params::read(&set).unwrap();
        let remote = Remote::new(RemoteParams { mode, zero_first: false, ..params.remote });
        Self {
            remote,
            chair: FakeChair::new(fake_chair::Params::default()),
            odometry: Odometry::new(params.odometry),
            link,
            is_cut: false,
            letters: Vec::new(),
            ms: 0,
            seed: seed | 1,
            x: 0.0,
            truth: 0.0,
        }
    }

    fn post(&mut self, letter: Letter) {
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

    fn command(&mut self, forward: f64, turn: f64) {
        let velocity = Velocity::planar(forward, turn).unwrap();
        self.remote.handle(
            Instant::from_millis(self.ms),
            chair::Input::CommandReceived(Command { velocity, stamp: Stamp::ZERO }),
        );
    }

    fn tell(&mut self, input: chair::Input) {
        self.remote.handle(Instant::from_millis(self.ms), input);
    }

    fn fault(&mut self, input: fake_chair::Input) {
        self.chair.handle(Instant::from_millis(self.ms), input);
    }

    /// One millisecond.
    fn step(&mut self) {
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

    fn chair_said(&mut self, now: Instant, output: fake_chair::Output) {
        let letter = match output {
            fake_chair::Output::PublishPosition(fields) => {
                chair::Input::PositionReceived(Joystick::parse(fields).unwrap())
            }
            fake_chair::Output::PublishScaling(scaling) => {
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

    fn is_at_rest(&self) -> bool {
        self.chair.wheel_speeds() == [0.0, 0.0]
    }

    /// Lets `ms` pass, with a command every 50 ms.
    fn drive(&mut self, ms: u64, forward: f64, turn: f64) {
        for _ in 0..ms {
            if self.ms.is_multiple_of(50) {
                self.command(forward, turn);
            }
            self.step();
        }
    }

    fn pass(&mut self, ms: u64) {
        (0..ms).for_each(|_| self.step());
    }
}

const PERFECT: Link = Link { loss: 0, delay: 0 };

/// The longest way from the last valid command to rest [ms]: the command's own time, the delay of the last stick that
/// drives, the chair's time-out, a step of its simulation, and its wheels' way to rest: at most 0.54 m/s and 1.2212 rad/s
/// in profile 1, 0.849 m/s at the outer wheel, with 1 m/s².
fn bound(link: Link) -> u64 {
    500 + link.delay + 100 + 10 + 850
}

#[test]
fn the_chair_goes_as_it_is_told() {
    for (mode, source) in [(Mode::Auto, Source::AutonomousRemote), (Mode::Shared, Source::SharedRemote)] {
        let mut world = World::new(mode, PERFECT, 1);
        world.tell(chair::Input::Activated);
        world.drive(2000, 0.27, -0.6106);
        assert_eq!((world.remote.state(), world.chair.source()), (State::Active, source));
        // Half of 0.54 m/s; half to the right is 0.6106 rad/s clockwise, the left wheel faster.
        let half = 0.6106 * 0.5065 / 2.0;
        let [left, right] = world.chair.wheel_speeds();
        assert!((left - 0.27 - half).abs() < 1e-9 && (right - 0.27 + half).abs() < 1e-9, "{left} {right}");
        assert_eq!((world.chair.counters().ignored, world.remote.counters().lost_chairs), (0, 0));
    }
}

#[test]
fn the_odometry_follows_the_wheels() {
    let mut world = World::new(Mode::Auto, PERFECT, 1);
    world.tell(chair::Input::Activated);
    world.pass(500);
    world.drive(10_000, 0.54, 0.0);
    assert!(world.truth > 4.9, "{}", world.truth);
    // Centidegrees: at most half of one at each end, 0.005 / 360 / 2.38462 · 1.0373 m; the first three messages, in which
    // it stands, do not count.
    assert!((world.x - world.truth).abs() < 1e-5, "{} {}", world.x, world.truth);
    assert_eq!(world.odometry.counters().jumps + world.odometry.counters().gaps, 0);
}

#[test]
fn stopping_leaves_the_mode_at_rest() {
    let mut world = World::new(Mode::Auto, PERFECT, 1);
    world.tell(chair::Input::Activated);
    world.drive(3000, 0.54, 0.0);
    assert!(!world.is_at_rest());
    world.tell(chair::Input::Stopping);
    world.pass(100);
    assert!(world.remote.is_finished() && world.remote.fault().is_none());
    assert_eq!(world.chair.source(), Source::ChairPhysical);
    world.pass(600);
    assert!(world.is_at_rest());
}

#[test]
fn a_chair_that_leaves_the_mode_is_noticed() {
    for mode in [Mode::Auto, Mode::Shared] {
        let mut world = World::new(mode, PERFECT, 1);
        world.tell(chair::Input::Activated);
        world.drive(3000, 0.54, 0.0);
        world.fault(fake_chair::Input::ModeEnded);
        world.drive(51, 0.54, 0.0);
        assert_eq!(world.remote.state(), State::Lost);
        assert!(world.remote.health().1.contains("chair physical"), "{}", world.remote.health().1);
        world.drive(1000, 0.54, 0.0);
        assert!(world.is_at_rest());
    }
}

#[test]
fn a_chair_that_refuses_is_given_up() {
    let mut world = World::new(Mode::Auto, PERFECT, 1);
    world.fault(fake_chair::Input::ServicesRefused(true));
    world.tell(chair::Input::Activated);
    world.drive(20_000, 0.54, 0.0);
    assert!(world.is_at_rest() && world.remote.state() == State::Inactive);
    assert_eq!(world.remote.fault(), Some(chair::Fault::NotEntered));
}

#[test]
fn silence_of_the_chair_stops_it() {
    let mut world = World::new(Mode::Auto, PERFECT, 1);
    world.tell(chair::Input::Activated);
    world.drive(3000, 0.54, 0.0);
    world.fault(fake_chair::Input::StreamsHalted(true));
    // 0.3 s until it counts as silent, 0.54 s to rest, and a step.
    world.drive(860, 0.54, 0.0);
    assert!(world.is_at_rest());
    world.fault(fake_chair::Input::StreamsHalted(false));
    world.drive(1000, 0.54, 0.0);
    assert!(!world.is_at_rest(), "confirmed again");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Two minutes of commands that come and go, over a bad link, with a chair that now and then leaves the mode.
    #[test]
    fn the_chair_rests_within_the_bound(
        seed in any::<u64>(), is_auto in any::<bool>(), loss in 0_u64..400, delay in 0_u64..120,
    ) {
        let link = Link { loss, delay };
        let mode = if is_auto { Mode::Auto } else { Mode::Shared };
        let mut world = World::new(mode, link, seed);
        let mut dice = seed | 1;
        world.tell(chair::Input::Activated);
        let (mut commanding, mut last_command, mut rested, mut moved) = (true, 0, 0_u64, 0_u64);
        while world.ms < 120_000 {
            if chance(&mut dice, 3000) == 0 {
                commanding = !commanding;
            }
            match chance(&mut dice, 20_000) {
                0 => world.fault(fake_chair::Input::ModeEnded),
                1 => world.tell(chair::Input::Activated),
                2 => world.tell(chair::Input::Deactivated),
                3 => world.is_cut = true,
                4..8 => world.is_cut = false,
                // Somebody else with a wrong source, or with the right one and no zone: the chair takes the latter only.
                8 => world.fault(fake_chair::Input::RemoteReceived(zones::Joystick {
                    forward_back: 100, left_right: 0, joystick_zone: 0, input_source: 0,
                })),
                9 => world.post(Letter::ToRemote(chair::Input::ScalingReceived(Source::ChairPhysical))),
                10 => world.post(Letter::ToRemote(chair::Input::PositionReceived(Joystick::neutral(Source::Wdi)))),
                _ => {}
            }
            if commanding && world.ms.is_multiple_of(50) {
                let forward = chance(&mut dice, 200) as f64 / 100.0 - 1.0;
                let turn = chance(&mut dice, 400) as f64 / 100.0 - 2.0;
                world.command(forward, turn);
                last_command = world.ms;
            }
            world.step();
            moved += u64::from(!world.is_at_rest());
            if world.ms > last_command + bound(link) {
                rested += 1;
                prop_assert!(world.is_at_rest(), "{:?} {} ms", world.chair.wheel_speeds(), world.ms - last_command);
            }
        }
        // Otherwise nothing was tested.
        prop_assert!(rested > 0);
        prop_assert!(moved > 0 || loss > 200, "it never moved");
        // In the end the mode is left, even over this link: services are reliable. Answers are not.
        world.is_cut = false;
        world.tell(chair::Input::Stopping);
        let longest = 2 * (5 * (1000 + 2000) + 1000);
        for _ in 0..longest {
            world.step();
            if world.remote.is_finished() {
                break;
            }
        }
        prop_assert!(world.remote.is_finished());
        prop_assert_eq!(world.chair.source(), Source::ChairPhysical);
        world.pass(bound(link));
        prop_assert!(world.is_at_rest());
    }

    /// The chair takes anything without a panic, and stays within its speeds.
    #[test]
    fn the_chair_takes_anything(
        fields in prop::collection::vec((any::<i32>(), any::<i32>(), any::<i32>(), -1..7, 0_u64..200, 0_usize..8), 0..200),
    ) {
        let mut chair = FakeChair::new(fake_chair::Params::default());
        let mut ms = 0;
        for (forward_back, left_right, joystick_zone, input_source, wait, what) in fields {
            ms += wait;
            let now = Instant::from_millis(ms);
            let remote = zones::Joystick { forward_back, left_right, joystick_zone, input_source };
            chair.handle(now, match what {
                0 => fake_chair::Input::StickMoved(forward_back, left_right),
                1 => fake_chair::Input::ProfileSelected(input_source),
                2 => fake_chair::Input::ServiceCalled(Service::ALL[usize::try_from(input_source.clamp(0, 5)).unwrap()]),
                3 => fake_chair::Input::BaseMeasured(f64::from(forward_back), f64::NAN),
                4 => fake_chair::Input::ScalingGiven([f32::from_bits(forward_back.cast_unsigned()); 16]),
                _ => fake_chair::Input::RemoteReceived(remote),
            });
            while chair.poll(now).is_some() {}
            // At most 2.77 m/s and 1.2212 rad/s · 0.25325 m.
            prop_assert!(chair.wheel_speeds().iter().all(|speed| speed.abs() <= 2.77 + 0.31));
        }
    }
}
