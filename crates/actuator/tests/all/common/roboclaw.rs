//! A model of a RoboClaw, after its User Manual. Its CRC is implemented independently of the tested one.

use std::time::{Duration, Instant};

use super::fake::Model;

pub struct RoboClaw {
    pub address: u8,
    pub duties: [i32; 2],
    /// In 100 ms; 0 is off.
    pub timeout: u8,
    /// A false answer to command 15.
    pub pretended_timeout: Option<u8>,
    pub status: u32,
    pub wide: bool,
    /// Whether it stops by itself after its time-out.
    pub has_watchdog: bool,
    pub version: &'static [u8],
    /// Whether it is reset when its motors begin to turn; its time-out is saved.
    pub browns_out: bool,
    /// The number of invalid packets.
    pub refused: usize,
    packet: Vec<u8>,
    last_byte: Option<Instant>,
}

impl RoboClaw {
    pub fn new() -> RoboClaw {
        RoboClaw {
            address: 0x80,
            duties: [0, 0],
            timeout: 0,
            pretended_timeout: None,
            status: 0,
            wide: true,
            has_watchdog: true,
            version: b"USB Roboclaw 2x7a v4.1.34\n\0",
            browns_out: false,
            refused: 0,
            packet: Vec::new(),
            last_byte: None,
        }
    }

    /// With motors that another program left running.
    pub fn running(duties: [i32; 2]) -> RoboClaw {
        RoboClaw { duties, ..RoboClaw::new() }
    }

    fn signed(&self, command: u8, data: &[u8]) -> Vec<u8> {
        let all: Vec<u8> = [self.address, command].iter().chain(data).copied().collect();
        let mut answer = data.to_vec();
        answer.extend(crc(&all).to_be_bytes());
        answer
    }

    /// Executes a complete packet with a valid CRC.
    fn obey(&mut self) -> Vec<u8> {
        match *self.packet.as_slice() {
            [_, 34, a, b, c, d, _, _] => {
                self.duties = [i16::from_be_bytes([a, b]), i16::from_be_bytes([c, d])].map(i32::from);
                if self.duties != [0, 0] && std::mem::take(&mut self.browns_out) {
                    self.duties = [0, 0];
                }
            }
            [_, 14, units, _, _] => self.timeout = units,
            _ => {}
        }
        vec![0xFF]
    }
}

/// Bit by bit over a register of 17 bits: polynomial division as on paper.
pub fn crc(bytes: &[u8]) -> u16 {
    let mut register: u32 = 0;
    for bit in
        bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| u32::from(byte >> bit & 1))).chain([0; 16])
    {
        register = register << 1 | bit;
        if register & 0x1_0000 != 0 {
            register ^= 0x1_1021;
        }
    }
    u16::try_from(register).expect("sixteen bits")
}

impl Model for RoboClaw {
    fn receive(&mut self, byte: u8, now: Instant) -> Vec<u8> {
        if self.last_byte.is_some_and(|last| now - last > Duration::from_millis(10)) {
            self.packet.clear();
        }
        self.last_byte = Some(now);
        if self.packet.is_empty() && byte != self.address {
            return Vec::new();
        }
        self.packet.push(byte);
        let answer = match *self.packet.as_slice() {
            [_, 15] => self.signed(15, &[self.pretended_timeout.unwrap_or(self.timeout)]),
            [_, 21] => self.signed(21, self.version),
            [_, 48] => {
                let duties = self.duties.map(|duty| i16::try_from(duty).expect("a duty").to_be_bytes());
                self.signed(48, duties.as_flattened())
            }
            [_, 90] if self.wide => self.signed(90, &self.status.to_be_bytes()),
            [_, 90] => self.signed(90, &self.status.to_be_bytes()[2..]),
            [_, 34, ..] if self.packet.len() < 8 => return Vec::new(),
            [_, 14, ..] if self.packet.len() < 5 => return Vec::new(),
            [_] => return Vec::new(),
            [_, 14 | 34, ..] if crc(&self.packet) == 0 => self.obey(),
            _ => {
                self.refused += 1;
                Vec::new()
            }
        };
        self.packet.clear();
        answer
    }

    fn tick(&mut self, now: Instant) {
        let limit = Duration::from_millis(100) * u32::from(self.timeout);
        if self.has_watchdog && self.timeout > 0 && self.last_byte.is_some_and(|last| now - last >= limit) {
            self.duties = [0, 0];
        }
    }

    fn motors(&self) -> [i32; 2] {
        self.duties
    }
}
