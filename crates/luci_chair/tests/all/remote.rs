//! The remote that drives, against the chair.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use crate::world;

use chair::{Mode, Source, State};
use safety::{Command, Instant, Machine, Stamp, Velocity};
use world::{PERFECT, World, chance, kinds};
use zones::{Channel, Operation, ZoneScaler, published};

#[test]
fn the_chair_follows_the_commands() {
    for (mode, source) in [(Mode::Auto, Source::AutonomousRemote), (Mode::Shared, Source::SharedRemote)] {
        let mut world = World::new(mode, PERFECT, 1);
        world.activate();
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
    world.activate();
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
    world.activate();
    world.drive(3000, 0.54, 0.0);
    assert!(!world.is_at_rest());
    world.send(chair::Input::Stopping);
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
        world.activate();
        world.drive(3000, 0.54, 0.0);
        world.fault(luci_chair::Input::ModeEnded);
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
    world.fault(luci_chair::Input::ServicesRefused(true));
    world.send(chair::Input::Activated);
    world.drive(20_000, 0.54, 0.0);
    assert!(world.is_at_rest() && world.remote.state() == State::Inactive);
    assert_eq!(world.remote.fault(), Some(chair::Fault::NotEntered));
}

#[test]
fn silence_of_the_chair_stops_it() {
    let mut world = World::new(Mode::Auto, PERFECT, 1);
    world.activate();
    world.drive(3000, 0.54, 0.0);
    world.fault(luci_chair::Input::StreamsHalted(true));
    // 0.3 s until it counts as silent, 0.54 s to rest, and a step.
    world.drive(860, 0.54, 0.0);
    assert!(world.is_at_rest());
    world.fault(luci_chair::Input::StreamsHalted(false));
    world.drive(1000, 0.54, 0.0);
    assert!(world.is_at_rest(), "confirmed again, and held all the while");
    world.drive(100, 0.0, 0.0);
    world.drive(1000, 0.54, 0.0);
    assert!(!world.is_at_rest());
}

#[test]
fn a_chair_of_any_kind_is_driven_lost_and_given_back() {
    for (kind, mode) in kinds().flat_map(|kind| [(kind, Mode::Auto), (kind, Mode::Shared)]) {
        let mut world = World::with(kind, mode, PERFECT, 1);
        world.activate();
        world.fault(luci_chair::Input::StickMoved(20, 0));
        world.drive(2000, 0.27, 0.0);
        assert!(!world.is_at_rest() && world.remote.counters().lost_chairs == 0, "{kind:?} {mode:?}");
        world.fault(luci_chair::Input::ModeEnded);
        world.drive(51, 0.27, 0.0);
        assert_eq!(world.remote.state(), State::Lost, "within one tick: {kind:?} {mode:?}");
        world.activate();
        world.drive(1000, 0.27, 0.0);
        assert!(!world.is_at_rest(), "{kind:?} {mode:?}");
        world.send(chair::Input::Deactivated);
        world.pass(100);
        assert_eq!(
            (world.remote.state(), world.remote.fault()),
            (State::Inactive, None),
            "{kind:?} {mode:?}"
        );
        assert_eq!(world.chair.source(), Source::ChairPhysical);
    }
}

/// Random velocities in every profile: the prediction of the zone scaler equals the behaviour of the chair, including
/// the zone.
#[test]
fn the_prediction_equals_the_chairs_behaviour_in_every_profile() {
    let set = zones::specification().resolve(published()).unwrap();
    let params = zones::Params { operation: Operation::Predict, ..zones::Params::read(&set).unwrap() };
    let mut seed = 7;
    for profile in 1..=5 {
        let mut world = World::new(Mode::Shared, PERFECT, 1);
        world.fault(luci_chair::Input::ProfileSelected(profile));
        let mut fields = [0.0_f32; 16];
        fields.fill_with(|| chance(&mut seed, 101) as f32 / 100.0);
        world.fault(luci_chair::Input::ScalingGiven(fields));
        world.activate();
        let mut scaler = ZoneScaler::new(params.clone());
        for _ in 0..300 {
            let (forward, turn) =
                (chance(&mut seed, 400) as f64 / 100.0 - 2.0, chance(&mut seed, 300) as f64 / 100.0 - 1.5);
            world.scaling = None;
            for _ in 0..3 {
                world.drive(40, forward, turn);
                while scaler.poll(Instant::from_millis(world.ms)).is_some() {}
            }
            let now = Instant::from_millis(world.ms);
            scaler.handle(now, zones::Input::ProfileReceived(profile));
            scaler.handle(now, zones::Input::ScalingReceived(fields));
            for velocity in [Velocity::ZERO, Velocity::planar(forward, turn).unwrap()] {
                scaler.handle(now, zones::Input::CommandReceived(Command::new(velocity, Stamp::ZERO)));
            }
            while scaler.poll(now).is_some() {}
            let (applied, did) = (scaler.applied(), world.scaling.unwrap());
            assert_eq!(applied.channel, Channel::Velocity);
            let predicted = [applied.forward_back, applied.left_right, applied.zone.number()];
            let joystick = did.joystick;
            assert_eq!(
                predicted,
                [joystick.forward_back, joystick.left_right, joystick.joystick_zone],
                "{forward} m/s and {turn} rad/s in profile {profile}"
            );
        }
    }
}
