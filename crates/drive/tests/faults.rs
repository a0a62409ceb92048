//! Minutes of messages that are lost, late, doubled, out of order and no numbers, under a clock that is set: what holds
//! at every instant.
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test's own ground

mod common;

use std::collections::BTreeMap;
use std::time::Duration;

use arbiter::Invalid;
use common::{Bench, STOP};
use drive::{Input, Output};
use joystick::PoseState;
use proptest::prelude::*;
use units::{Instant, Machine, Velocity};

/// From the last valid command on: 0.5 s until whoever gave it counts as lost (as the arbiter's and the joystick's limits
/// say it), 66 counts at 200 counts/s down the slope, and a tick at either end.
const BOUND: Duration = Duration::from_millis(500 + 330 + 2 * 20);
/// How long after a factor fell a motor may still be quicker: the slope and two ticks.
const FADING: Duration = Duration::from_millis(330 + 2 * 20);
/// A scaling that is silent for so long counts as none.
const SCALING_TIMEOUT: Duration = Duration::from_millis(500);
const FULL: f64 = 66.0;

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// What happens; what comes over a network has a delay for each copy that arrives, of which there may be none.
#[derive(Clone, Debug)]
enum Event {
    Stick(f64, f64, bool),
    Plug,
    Unplug,
    ReadingLost,
    Reference {
        parts: (f64, f64),
        stamped: bool,
        intrinsic: bool,
        delays: Vec<u64>,
    },
    Navigation {
        parts: (f64, f64),
        stamped: bool,
        delays: Vec<u64>,
    },
    Scaling {
        fields: [f32; 16],
        delays: Vec<u64>,
    },
    Enable {
        on: bool,
        delays: Vec<u64>,
    },
    Estop(bool),
    Reset(bool),
    /// The wall clock is set by so many milliseconds.
    Jump(i64),
    /// Somebody tells a time that was before.
    Back(u64),
}

fn event() -> impl Strategy<Value = (u64, Event)> {
    let number = || {
        prop_oneof![
            8 => -1.2..=1.2f64,
            1 => prop::sample::select(vec![0.0, -0.0, 1e308, -1e308, f64::NAN, f64::INFINITY, f64::NEG_INFINITY])
        ]
    };
    let parts = move || (number(), number());
    // Most arrive once and soon; some never, twice or late.
    let delays = || {
        let delay = prop_oneof![6 => 0..15u64, 2 => 0..200u64, 1 => 200..900u64];
        prop_oneof![7 => prop::collection::vec(delay.clone(), 1), 3 => prop::collection::vec(delay, 0..3)]
    };
    let factor = || prop_oneof![3 => Just(1.0f32), 3 => 0.0..=1.0f32, 1 => prop::sample::select(vec![f32::NAN, -1.0, 2.0])];
    let fields = prop_oneof![
        factor().prop_map(|factor| [factor; 16]),
        prop::collection::vec(factor(), 16).prop_map(|fields| fields.try_into().unwrap()),
    ];
    let event = prop_oneof![
        12 => (-1.0..=1.0f64, -1.0..=1.0f64, prop::bool::weighted(0.7))
            .prop_map(|(forward, left, held)| Event::Stick(forward, left, held)),
        6 => prop::bool::weighted(0.7).prop_map(|held| Event::Stick(0.0, 0.0, held)),
        1 => Just(Event::Plug),
        1 => prop_oneof![Just(Event::Unplug), Just(Event::ReadingLost)],
        8 => (parts(), prop::bool::weighted(0.8), prop::bool::weighted(0.95), delays()).prop_map(
            |(parts, stamped, intrinsic, delays)| Event::Reference { parts, stamped, intrinsic, delays }
        ),
        12 => (parts(), prop::bool::weighted(0.8), delays())
            .prop_map(|(parts, stamped, delays)| Event::Navigation { parts, stamped, delays }),
        24 => (fields, delays()).prop_map(|(fields, delays)| Event::Scaling { fields, delays }),
        4 => (prop::bool::weighted(0.8), delays()).prop_map(|(on, delays)| Event::Enable { on, delays }),
        1 => prop::bool::weighted(0.2).prop_map(Event::Estop),
        1 => any::<bool>().prop_map(Event::Reset),
        1 => prop_oneof![-2_000..2_000i64, Just(3_600_000), Just(-3_600_000)].prop_map(Event::Jump),
        1 => (1..2_000u64).prop_map(Event::Back),
    ];
    (prop_oneof![8 => 0..40u64, 1 => 0..700u64], event)
}

/// A minute or so.
fn minute() -> impl Strategy<Value = Vec<(u64, Event)>> {
    prop::collection::vec(event(), 600..1_500)
}

struct World {
    bench: Bench,
    /// What is under way, by its time of arrival [ms] and a number.
    mail: BTreeMap<(u64, usize), Input>,
    sent: usize,
    /// The last enable and the last e-stop that arrived.
    enabled: bool,
    pressed: bool,
    /// The greatest factor of the scalings that arrived, each with its time; the last one is in force.
    factors: Vec<(Instant, f64)>,
    looked_at: (usize, usize),
    /// How many motor values moved, and how many commands the zones took something from.
    moved: usize,
}

impl World {
    fn new() -> Self {
        let mut bench = Bench::new();
        bench.scaling = None; // it comes by mail
        bench.plug();
        let factors = vec![(Instant::ZERO, 0.0)];
        let (mail, sent, enabled, pressed, looked_at, moved) = (BTreeMap::new(), 0, false, false, (0, 0), 0);
        Self { bench, mail, sent, enabled, pressed, factors, looked_at, moved }
    }

    fn post(&mut self, delays: &[u64], input: &Input) {
        let now = self.bench.now.as_nanos() / 1_000_000;
        for delay in delays {
            self.sent += 1;
            self.mail.insert((now + delay, self.sent), input.clone());
        }
    }

    fn tell(&mut self, input: Input) {
        match &input {
            Input::Hindbrain(hindbrain::Input::EnableReceived(on)) => self.enabled = *on,
            Input::Hindbrain(hindbrain::Input::EstopReceived(pressed)) => self.pressed = *pressed,
            Input::Zones(zones::Input::ScalingReceived(fields)) => {
                let factors = fields.iter().map(|&field| f64::from(field));
                let sane = factors.filter(|factor| (0.0..=1.0).contains(factor));
                self.factors.push((self.bench.now, sane.fold(0.0, f64::max)));
            }
            _ => {}
        }
        self.bench.tell([input]);
        self.check();
    }

    /// Lets `time` pass in small steps, between which what arrives is told.
    fn pass(&mut self, time: u64) {
        let end = self.bench.now.as_nanos() / 1_000_000 + time;
        loop {
            let now = self.bench.now.as_nanos() / 1_000_000;
            if let Some(entry) = self.mail.first_entry().filter(|entry| entry.key().0 <= now) {
                let input = entry.remove();
                self.tell(input);
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

    /// What was said since the last look: within what may be.
    fn check(&mut self) {
        let now = self.bench.now;
        // The bench hands out whole milliseconds and some microseconds; a look is never more than 11 ms behind.
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
                assert!((value - STOP).abs() <= may, "{motors:?} at {at:?}: {may} of {STOP}");
                self.moved += usize::from(value != STOP);
            }
        }
        self.looked_at = (self.bench.outputs.len(), self.bench.motors.len());
    }

    fn happen(&mut self, event: &Event) {
        let stamp = |stamped: bool| if stamped { self.bench.stamp() } else { units::Stamp::ZERO };
        match *event {
            Event::Stick(forward, left, held) => self.bench.stick(forward, left, held),
            Event::Plug => self.bench.plug(),
            Event::Unplug => self.bench.unplug(),
            Event::ReadingLost => self.tell(Input::Joystick(joystick::Input::ReadingLost)),
            Event::Reference { parts: (v, w), stamped, intrinsic, ref delays } => {
                let (vel, avel) = (Some([v, 0.0, 0.0]), Some([0.0, 0.0, w]));
                let state = PoseState { stamp: stamp(stamped), intrinsic, vel, avel, ..PoseState::default() };
                self.post(delays, &Input::Joystick(joystick::Input::ReferenceReceived(state)));
            }
            Event::Navigation { parts: (v, w), stamped, ref delays } => {
                let source = self.bench.drive.stages().arbiter.source_index("navigation").unwrap();
                let velocity = Velocity::planar(v, w).map_err(Invalid::NotFinite);
                let stamp = stamp(stamped);
                let input = arbiter::Input::CommandReceived { source, velocity, stamp };
                self.post(delays, &Input::Arbiter(input));
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
            Event::Estop(pressed) => self.tell(Input::Hindbrain(hindbrain::Input::EstopReceived(pressed))),
            Event::Reset(down) => self.tell(Input::Hindbrain(hindbrain::Input::ResetReceived(down))),
            Event::Jump(millis) => {
                self.bench.wall = (self.bench.wall + millis).clamp(-10_000_000, 10_000_000)
            }
            Event::Back(millis) => {
                let before = self.bench.now.as_nanos().saturating_sub(millis * 1_000_000);
                let read = joystick::Input::ClockRead(self.bench.stamp());
                self.bench.drive.handle(Instant::from_nanos(before), Input::Joystick(read));
            }
        }
        self.check();
    }
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
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 2_000, ..ProptestConfig::default() })]

    /// At every instant nothing moves without enable, nor quicker than the zones allow; and when everybody falls silent
    /// the motors are at stop in time, whatever the clock says then.
    #[test]
    fn nothing_moves_that_may_not_and_silence_stops(events in minute(), jump in -5_000..5_000i64, end in 0..3u8) {
        let mut world = play(&events);
        world.mail.clear();
        world.bench.wall += jump;
        match end {
            0 => world.bench.unplug(),
            1 => world.tell(Input::Joystick(joystick::Input::ReadingLost)),
            _ => world.bench.stick(0.0, 0.0, false),
        }
        let silent = world.bench.now;
        // What the surroundings allow does not stop it, and nobody has to disable it.
        for _ in 0..60 {
            world.tell(Input::Zones(zones::Input::ScalingReceived([1.0; 16])));
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
    fn the_same_minute_twice_is_the_same_to_the_last_byte(events in minute()) {
        let (first, second) = (play(&events), play(&events));
        prop_assert_eq!(first.bench.outputs.len(), second.bench.outputs.len());
        for (a, b) in first.bench.outputs.iter().zip(&second.bench.outputs) {
            prop_assert_eq!(format!("{a:?}"), format!("{b:?}"));
        }
        prop_assert_eq!(&first.bench.motors, &second.bench.motors);
    }
}

/// What is never seen to move proves nothing.
#[test]
fn in_such_minutes_the_motors_do_move() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let moved: usize = (0..10).map(|_| play(&minute().new_tree(&mut runner).unwrap().current()).moved).sum();
    assert!(moved > 1_000, "{moved} motor values moved in ten minutes");
}
