//! Converts a level to its value on the wire: a servo pulse or a duty.

/// Full forward; full reverse is its negative, stop is 0.
/// # Source
/// hindbrain: servo values 24 (full forward), 90 (stop), 156 (full reverse), so 66 steps to each side.
pub const FULL: i16 = 66;

/// The servo value of a motor at rest.
const STOP: i32 = 90;
/// The servo library's pulse at 0 degrees and its whole span, both in microseconds, and the degrees of that span.
const SERVO: [i32; 3] = [544, 1856, 180];
/// The largest duty that is used, in 1/32767 of full; -32768 is not used, so both directions are alike.
const FULL_DUTY: i32 = 32_767;

/// The level within its range, with the side's sign.
///
/// `level` beyond -66 to 66 is full; `invert` turns forward into reverse. 0 stays 0.
/// # Source
/// Own: the last check before the wire.
pub fn limited(level: i16, invert: bool) -> i16 {
    let level = level.clamp(-FULL, FULL);
    if invert { -level } else { level }
}

/// The servo pulse of a level in microseconds, 791 (full forward) to 2152 (full reverse), 1472 at stop.
///
/// `544 + (90 - level) * 1856 / 180`, rounded down; a level out of range is full.
/// # Source
/// The seed's servo library: 544 to 2400 us over 180 degrees in whole microseconds; 24 is 791, 90 is 1472, 156 is 2152.
/// Whole microseconds make full reverse one microsecond shorter than full forward. That is kept: a motor controller that is
/// set up for the seed needs no new calibration.
pub fn pulse(level: i16) -> u16 {
    let [zero, span, degrees] = SERVO;
    let servo = STOP - i32::from(limited(level, false));
    // 791 to 2152 by the clamp above.
    u16::try_from(zero + servo * span / degrees).unwrap_or(1472)
}

/// The signed duty of a level, -32767 (full reverse) to 32767 (full forward).
///
/// `level * 32767 / 66`, rounded toward 0; a level out of range is full.
/// # Source
/// Own: linear, and alike in both directions.
pub fn duty(level: i16) -> i16 {
    let duty = i32::from(limited(level, false)) * FULL_DUTY / i32::from(FULL);
    i16::try_from(duty).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pulses_are_those_of_the_seeds_servo_library() {
        // Servo 24: 544 + 24 * 1856 / 180 = 544 + 247.5 = 791; 90: 544 + 928 = 1472; 156: 544 + 1608.5 = 2152.
        assert_eq!([66, 0, -66].map(pulse), [791, 1472, 2152]);
        // One step is 1856 / 180 = 10.3 us: servo 89 is 544 + 917.7 = 1461, servo 91 is 544 + 938.3 = 1482.
        assert_eq!([1, -1].map(pulse), [1461, 1482]);
    }

    #[test]
    fn duties_are_alike_in_both_directions() {
        // 33 is half: 33 * 32767 / 66 = 16383.5.
        assert_eq!([66, 33, 1, 0, -1, -33, -66].map(duty), [32_767, 16_383, 496, 0, -496, -16_383, -32_767]);
    }

    #[test]
    fn a_level_out_of_range_is_full() {
        for (level, full) in [(i16::MIN, -66), (-67, -66), (67, 66), (i16::MAX, 66)] {
            assert_eq!((limited(level, false), limited(level, true)), (full, -full));
            assert_eq!((pulse(level), duty(level)), (pulse(full), duty(full)));
        }
        assert_eq!(limited(0, true), 0);
    }
}
