//! The joystick's pass-through, at the output of the arbiter.
#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

use crate::common;

use common::Bench;
use drive_chain::{Input, Output};
use joystick::PoseState;
use proptest::prelude::*;
use safety::{Command, Stamp};

fn number() -> impl Strategy<Value = f64> {
    let special =
        prop_oneof![Just(0.0), Just(-0.0), Just(f64::from_bits(1)), Just(f64::MAX), Just(-f64::MAX)];
    prop_oneof![2 => -2.0..2.0f64, 1 => special, 1 => prop::num::f64::NORMAL, 1 => prop::num::f64::SUBNORMAL]
}

fn bits([a, b, c]: [f64; 3]) -> [u64; 3] {
    [a, b, c].map(f64::to_bits)
}

fn driven(bench: &Bench) -> Vec<Command> {
    let command = |output: &Output| match output {
        Output::Arbiter(arbiter::Output::Drive(command)) => Some(*command),
        _ => None,
    };
    bench.outputs.iter().filter_map(command).collect()
}

proptest! {
    /// Neither a stick that does not drive nor the arbiter changes a reference: each is sent by the call that received it, bit
    /// for bit, with its stamp.
    #[test]
    fn a_reference_passes_joystick_and_arbiter_bit_for_bit(
        references in prop::collection::vec(
            (1..200u64, prop::array::uniform3(number()), prop::array::uniform3(number()), any::<bool>(), any::<bool>()),
            1..40,
        ),
        parts in 1..4u8,
    ) {
        let mut bench = Bench::new();
        bench.plug();
        // A source begins with a zero.
        let zero = PoseState::standing(bench.stamp(), true);
        bench.send([Input::Joystick(joystick::Input::ReferenceReceived(zero))]);
        for (wait, linear, angular, stamped, moved) in references {
            bench.pass(core::time::Duration::from_millis(wait));
            if moved {
                bench.stick(1.0, -0.5, false);
            }
            bench.outputs.clear();
            let stamp = if stamped { bench.stamp() } else { Stamp::ZERO };
            let (vel, avel) = ((parts & 1 != 0).then_some(linear), (parts & 2 != 0).then_some(angular));
            let reference = PoseState { stamp, intrinsic: true, vel, avel, ..PoseState::default() };
            bench.send([Input::Joystick(joystick::Input::ReferenceReceived(reference))]);
            let got = driven(&bench);
            let last = got.last().expect("a command is sent by the call that received the reference");
            prop_assert_eq!(bits(last.velocity.linear()), bits(vel.unwrap_or_default()));
            prop_assert_eq!(bits(last.velocity.angular()), bits(avel.unwrap_or_default()));
            prop_assert_eq!(last.stamp, stamp);
        }
    }

    /// A reference that is not a velocity in the vehicle's own frame is a stop.
    #[test]
    fn a_reference_of_nan_or_of_the_world_moves_nothing(part in 0..6usize, world in any::<bool>(), sane in -2.0..2.0f64) {
        let mut bench = Bench::new();
        bench.plug();
        let mut parts = [sane; 6];
        parts[part] = if world { sane } else { f64::NAN };
        let [x, y, z, ax, ay, az] = parts;
        let reference = PoseState {
            stamp: bench.stamp(),
            intrinsic: !world,
            vel: Some([x, y, z]),
            avel: Some([ax, ay, az]),
            ..PoseState::default()
        };
        bench.send([Input::Joystick(joystick::Input::ReferenceReceived(reference))]);
        prop_assert!(driven(&bench).iter().all(|command| command.velocity.is_zero()));
        prop_assert_eq!(bench.drive.stages().arbiter.active().source, None);
    }
}
