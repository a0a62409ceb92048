//! Properties of every level, target and packet.

use std::time::Duration;

use actuator::level::{FULL, duty, limited, pulse};
use actuator::pololu::{Errors, set_target, target};
use actuator::roboclaw::{Status, command, crc16, is_signed, query, timeout_units};
use proptest::prelude::*;

/// The servo value of a level, as in the seed.
fn servo(level: i16) -> i32 {
    90 - i32::from(level.clamp(-66, 66))
}

#[test]
fn every_level_is_within_its_range_and_more_forward_is_a_shorter_pulse() {
    for level in i16::MIN..=i16::MAX {
        let inside = level.clamp(-FULL, FULL);
        assert!((791..=2152).contains(&pulse(level)) && pulse(level) == pulse(inside));
        assert!((-32_767..=32_767).contains(&duty(level)) && duty(level) == duty(inside));
        assert_eq!(limited(level, true), -limited(level, false));
        // The servo library rounds down, so the pulse is at most one microsecond short.
        let exact = 544.0 + f64::from(servo(level)) * 1856.0 / 180.0;
        assert!((0.0..1.0).contains(&(exact - f64::from(pulse(level)))));
    }
    for level in -FULL..FULL {
        assert!(pulse(level + 1) < pulse(level) && duty(level + 1) > duty(level));
        assert_eq!(duty(-level), -duty(level));
    }
}

#[test]
fn stop_is_exactly_neutral() {
    assert_eq!((pulse(0), target(0), duty(0)), (1472, 5888, 0));
    for level in (i16::MIN..=i16::MAX).filter(|level| *level != 0) {
        assert!(pulse(level) != pulse(0) && duty(level) != 0 && (level < 0) == (pulse(level) > 1472));
    }
}

proptest! {
    #[test]
    fn a_packet_preserves_its_target(channel in 0..24_u8, target in 0..16_384_u16) {
        let [command, to, low, high] = set_target(channel, target);
        prop_assert_eq!((command, to), (0x84, channel));
        prop_assert_eq!(u16::from(low) + 128 * u16::from(high), target);
    }

    #[test]
    fn data_bytes_are_never_command_bytes(channel: u8, target: u16) {
        let [command, data @ ..] = set_target(channel, target);
        prop_assert_eq!(command, 0x84);
        prop_assert!(data.iter().all(|byte| *byte < 0x80));
    }

    #[test]
    fn every_error_bit_is_named(low: u8, high: u8) {
        let errors = Errors::from_answer([low, high]);
        let bits = low.count_ones() + high.count_ones();
        let names = errors.names();
        let named = names.split(", ").filter(|name| !name.is_empty()).count();
        prop_assert_eq!(u32::try_from(named).unwrap(), bits);
    }

    #[test]
    fn a_signed_packet_has_the_remainder_zero(address: u8, number: u8, data: Vec<u8>) {
        let packet = command(address, number, &data);
        prop_assert_eq!(packet.len(), data.len() + 4);
        // The packet with its CRC divides without a remainder.
        prop_assert_eq!(crc16(&packet), 0);
    }

    #[test]
    fn one_wrong_bit_is_detected(address in 0x80..0x88_u8, data in prop::collection::vec(any::<u8>(), 1..50), at: prop::sample::Index) {
        let question = query(address, 21);
        let signature = crc16(&[&question, data.as_slice()].concat()).to_be_bytes();
        let mut answer = [data.as_slice(), &signature].concat();
        prop_assert!(is_signed(question, &answer));
        let bit = at.index(answer.len() * 8);
        answer[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(!is_signed(question, &answer));
    }

    #[test]
    fn a_status_bit_is_an_error_or_a_warning(bytes: [u8; 4]) {
        for status in [Status::wide(bytes), Status::narrow([bytes[0], bytes[1]])] {
            prop_assert_eq!(status.errors() | status.warnings(), status.bits);
            prop_assert_eq!(status.errors() & status.warnings(), 0);
        }
    }

    #[test]
    fn a_time_out_is_never_longer_than_requested_or_off(time in 100..25_600_u64) {
        let units = u64::from(timeout_units(Duration::from_millis(time)));
        prop_assert!(units >= 1 && units * 100 <= time && time - units * 100 < 200);
    }

    #[test]
    fn an_answer_that_is_too_short_is_not_signed(answer: Vec<u8>) {
        // No panic on any length.
        let signed = is_signed([0x80, 90], &answer);
        prop_assert!(answer.len() > 2 || !signed);
    }
}
