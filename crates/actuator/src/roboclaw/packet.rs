//! The bytes of packet serial.

use std::time::Duration;

/// The CRC of `bytes`: CCITT polynomial 0x1021, beginning at 0, most significant bit first, nothing inverted.
/// # Source
/// RoboClaw User Manual, "CRC16 Checksum Calculation"; the same as CRC-16/XMODEM.
pub fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, &byte| {
        (0..8).fold(crc ^ (u16::from(byte) << 8), |crc, _| {
            let shifted = crc << 1;
            if crc & 0x8000 == 0 { shifted } else { shifted ^ 0x1021 }
        })
    })
}

/// The packet of a command that is acknowledged: address, command, data, and the CRC of all three, high byte first.
///
/// * `address`: 0x80 to 0x87
pub fn command(address: u8, number: u8, data: &[u8]) -> Vec<u8> {
    let mut packet = Vec::with_capacity(data.len() + 4);
    packet.extend([address, number]);
    packet.extend(data);
    let crc = crc16(&packet);
    packet.extend(crc.to_be_bytes());
    packet
}

/// The packet of a query: address and command only.
pub fn query(address: u8, number: u8) -> [u8; 2] {
    [address, number]
}

/// Whether the last two bytes of `answer` are the CRC of `query` and the bytes before them. An answer without data is not signed.
/// # Source
/// RoboClaw User Manual, "CRC16 Checksum Calculation for Received data".
pub fn is_signed(query: [u8; 2], answer: &[u8]) -> bool {
    match answer.split_last_chunk::<2>() {
        Some((data, signature)) if !data.is_empty() => {
            crc16(&[&query, data].concat()).to_be_bytes() == *signature
        }
        _ => false,
    }
}

/// A time-out in the units of command 14, 100 ms: rounded down, 1 to 255, never 0, which would switch it off.
pub fn timeout_units(time: Duration) -> u8 {
    u8::try_from(time.as_millis() / 100).unwrap_or(u8::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crc_is_ccitt_from_zero() {
        // The check value of CRC-16/XMODEM in the catalogues of CRCs.
        assert_eq!(crc16(b"123456789"), 0x31C3);
        assert_eq!(crc16(&[]), 0);
        // One bit through the register: 0x80 << 8 = 0x8000, shifted out once, then seven more shifts of 0x1021 by hand:
        // 1021 2042 4084 8108 1231 2462 48C4 9188.
        assert_eq!(crc16(&[0x80]), 0x9188);
    }

    #[test]
    fn packets_are_signed_high_byte_first() {
        // Computed independently with Python: binascii.crc_hqx(bytes([0x80, 34, 0x7F, 0xFF, 0x80, 0x01]), 0).
        assert_eq!(
            command(0x80, 34, &[0x7F, 0xFF, 0x80, 0x01]),
            [0x80, 34, 0x7F, 0xFF, 0x80, 0x01, 0xCA, 0x56]
        );
        // binascii.crc_hqx(bytes([0x80, 14, 2]), 0).
        assert_eq!(command(0x80, 14, &[2]), [0x80, 14, 2, 0x38, 0x17]);
    }

    #[test]
    fn the_crc_of_an_answer_covers_its_query() {
        // binascii.crc_hqx(bytes([0x80, 15, 2]), 0).
        let answer = [2, 0x0B, 0x26];
        assert!(is_signed(query(0x80, 15), &answer));
        assert!(!is_signed(query(0x81, 15), &answer));
        assert!(!is_signed(query(0x80, 15), &[3, answer[1], answer[2]]));
        // The CRC of the query alone, 0x80 and 15, does not sign an answer.
        assert!(!is_signed(query(0x80, 15), &crc16(&[0x80, 15]).to_be_bytes()));
        assert!(!is_signed(query(0x80, 15), &[]));
    }

    #[test]
    fn a_time_out_is_never_zero() {
        let units = [0, 99, 200, 250, 25_500, 99_999].map(|ms| timeout_units(Duration::from_millis(ms)));
        assert_eq!(units, [1, 1, 2, 2, 255, 255]);
    }
}
