//! Minutes of events for a drive: the stick, and messages over a network that loses, delays and doubles them.
#![allow(clippy::unwrap_used)] // helpers of tests

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

/// An event. A message over the network has a delay for each copy that arrives, of which there may be none.
#[derive(Clone, Debug)]
pub enum Event {
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
    /// The value that the lock of navigation publishes from now on; `None` is silence.
    Lock(Option<bool>),
    /// The distance that the front sensor measures from now on \[m]; `None` is silence.
    Infrared(Option<f64>),
    /// The number of publishers of commands, or of the e-stop.
    Publishers {
        estop: bool,
        count: usize,
    },
    /// The arbiter's limits are set or removed.
    Limits(bool),
    /// A person clears every fault, and drives ahead for a second.
    Ahead(Driver),
    /// The wall clock is set by this many milliseconds.
    Jump(i64),
    /// A call with a time before the latest one.
    Back(u64),
}

/// The source that drives ahead.
#[derive(Clone, Copy, Debug)]
pub enum Driver {
    Stick,
    Navigation,
    /// With a stamp or without.
    Reference(bool),
}

pub fn driver() -> impl Strategy<Value = Driver> {
    prop_oneof![Just(Driver::Stick), Just(Driver::Navigation), any::<bool>().prop_map(Driver::Reference)]
}

fn event() -> impl Strategy<Value = (u64, Event)> {
    let number = || {
        prop_oneof![
            8 => -1.2..=1.2f64,
            1 => prop::sample::select(vec![0.0, -0.0, 1e308, -1e308, f64::NAN, f64::INFINITY, f64::NEG_INFINITY])
        ]
    };
    let parts = move || (number(), number());
    // Most arrive once and promptly; some never, twice or late.
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
        1 => prop::option::weighted(0.8, prop::bool::weighted(0.3)).prop_map(Event::Lock),
        1 => prop::option::weighted(0.8, prop::sample::select(vec![0.05, 9.0, f64::NAN])).prop_map(Event::Infrared),
        1 => (any::<bool>(), 1..3usize).prop_map(|(estop, count)| Event::Publishers { estop, count }),
        1 => any::<bool>().prop_map(Event::Limits),
        1 => driver().prop_map(Event::Ahead),
        1 => prop_oneof![-2_000..2_000i64, Just(3_600_000), Just(-3_600_000)].prop_map(Event::Jump),
        1 => (1..2_000u64).prop_map(Event::Back),
    ];
    (prop_oneof![8 => 0..40u64, 1 => 0..700u64], event)
}

/// About a minute of events, generated from a seed, since a failing list would be pages long.
pub fn minute(seed: u64) -> Vec<(u64, Event)> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::default(), rng);
    prop::collection::vec(event(), 400..1_000).new_tree(&mut runner).unwrap().current()
}
