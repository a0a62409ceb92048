//! The remote against the chair, over a link that loses, delays and reorders.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use crate::world;

use chair::{Joystick, Mode, Service, Source};
use luci_chair::LuciChair;
use proptest::prelude::*;
use safety::{Instant, Machine};
use world::{Link, LinkMessage, World, chance, kinds};

/// The maximum time from the last valid command to rest [ms]: the command's timeout, the delay of the last stick that
/// drives, the chair's timeout, a step of its simulation, and the deceleration of its wheels: at most 0.54 m/s and
/// 1.2212 rad/s in profile 1, 0.849 m/s at the outer wheel, with 1 m/s².
fn bound(link: Link) -> u64 {
    500 + link.delay + 100 + 10 + 850
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Two minutes of commands with interruptions, over a bad link, with a chair that occasionally leaves the mode.
    #[test]
    fn the_chair_rests_within_the_bound(
        seed in any::<u64>(), is_auto in any::<bool>(), loss in 0_u64..400, delay in 0_u64..120, kind in 0_usize..4,
    ) {
        let link = Link { loss, delay };
        let mode = if is_auto { Mode::Auto } else { Mode::Shared };
        let mut world = World::with(kinds().nth(kind).unwrap(), mode, link, seed);
        let mut dice = seed | 1;
        world.send(chair::Input::Activated);
        let (mut commanding, mut last_command, mut rested, mut moved) = (true, 0, 0_u64, 0_u64);
        while world.ms < 120_000 {
            if chance(&mut dice, 3000) == 0 {
                commanding = !commanding;
            }
            match chance(&mut dice, 20_000) {
                0 => world.fault(luci_chair::Input::ModeEnded),
                // Often enough that every run drives, although the mode is lost repeatedly.
                1 | 11..18 => world.send(chair::Input::Activated),
                2 => world.send(chair::Input::Deactivated),
                3 => world.is_cut = true,
                4..8 => world.is_cut = false,
                // Another publisher with a wrong source, or with the right one and no zone: the chair accepts the
                // latter only.
                8 => world.fault(luci_chair::Input::RemoteReceived(zones::Joystick {
                    forward_back: 100, left_right: 0, joystick_zone: 0, input_source: 0,
                })),
                9 => world.post(LinkMessage::ToRemote(chair::Input::ScalingReceived(Source::ChairPhysical))),
                10 => world.post(LinkMessage::ToRemote(chair::Input::PositionReceived(Joystick::neutral(Source::Wdi)))),
                _ => {}
            }
            if commanding && world.ms.is_multiple_of(50) {
                let is_zero = chance(&mut dice, 20) == 0;
                let forward = chance(&mut dice, 200) as f64 / 100.0 - 1.0;
                let turn = chance(&mut dice, 400) as f64 / 100.0 - 2.0;
                if is_zero { world.command(0.0, 0.0) } else { world.command(forward, turn) }
                last_command = world.ms;
            }
            world.step();
            moved += u64::from(!world.is_at_rest());
            if world.ms > last_command + bound(link) {
                rested += 1;
                prop_assert!(world.is_at_rest(), "{:?} {} ms", world.chair.wheel_speeds(), world.ms - last_command);
            }
        }
        // Otherwise the test is void.
        prop_assert!(rested > 0);
        prop_assert!(moved > 0 || loss > 200, "it never moved");
        // Finally the mode is left, even over this link: services are reliable. Answers are not.
        world.is_cut = false;
        world.send(chair::Input::Stopping);
        let longest = 2 * (5 * (1000 + 1000) + 1000);
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

    /// The chair accepts any input without a panic, and stays within its speeds.
    #[test]
    fn the_chair_accepts_anything(
        fields in prop::collection::vec((any::<i32>(), any::<i32>(), any::<i32>(), -1..7, 0_u64..200, 0_usize..8), 0..200),
    ) {
        let mut chair = LuciChair::new(luci_chair::Params::default());
        let mut ms = 0;
        for (forward_back, left_right, joystick_zone, input_source, wait, what) in fields {
            ms += wait;
            let now = Instant::from_millis(ms);
            let remote = zones::Joystick { forward_back, left_right, joystick_zone, input_source };
            chair.handle(now, match what {
                0 => luci_chair::Input::StickMoved(forward_back, left_right),
                1 => luci_chair::Input::ProfileSelected(input_source),
                2 => luci_chair::Input::ServiceCalled(Service::ALL[usize::try_from(input_source.clamp(0, 5)).unwrap()]),
                3 => luci_chair::Input::BaseMeasured(f64::from(forward_back), f64::NAN),
                4 => luci_chair::Input::ScalingGiven([f32::from_bits(forward_back.cast_unsigned()); 16]),
                _ => luci_chair::Input::RemoteReceived(remote),
            });
            while chair.poll(now).is_some() {}
            // At most 2.77 m/s and 1.2212 rad/s · 0.25325 m.
            prop_assert!(chair.wheel_speeds().iter().all(|speed| speed.abs() <= 2.77 + 0.31));
        }
    }
}
