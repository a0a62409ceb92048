//! A model of a Maestro, after its User's Guide.

use std::time::{Duration, Instant};

use super::fake::Model;

/// The home position of its channels: 1472 us.
pub const NEUTRAL: i32 = 5888;

pub struct Maestro {
    pub targets: [i32; 24],
    pub errors: u16,
    /// Its own time-out, if it is set up.
    pub timeout: Option<Duration>,
    /// The channels of the two motors.
    pub channels: [usize; 2],
    /// Where it goes by itself.
    pub home: i32,
    /// Whether it is reset when its motors have begun to turn, and the positions that it then takes.
    pub browns_out: Option<i32>,
    packet: Vec<u8>,
    last_command: Option<Instant>,
}

impl Maestro {
    pub fn new() -> Maestro {
        let timeout = Some(Duration::from_millis(200));
        Maestro {
            targets: [0; 24],
            errors: 0,
            timeout,
            channels: [0, 1],
            home: NEUTRAL,
            browns_out: None,
            packet: Vec::new(),
            last_command: None,
        }
    }

    pub fn fail(&mut self, bits: u16) {
        self.errors |= bits;
        self.targets = [self.home; 24];
    }
}

impl Model for Maestro {
    fn receive(&mut self, byte: u8, now: Instant) -> Vec<u8> {
        if byte >= 0x80 {
            if !self.packet.is_empty() {
                self.fail(1 << 4); // a packet was cut short
            }
            self.packet = vec![byte];
        } else if self.packet.is_empty() {
            self.fail(1 << 4); // data without a command
        } else {
            self.packet.push(byte);
        }
        match *self.packet.as_slice() {
            [0x84, channel, low, high] => {
                let target = i32::from(low) | i32::from(high) << 7;
                match self.targets.get_mut(usize::from(channel)) {
                    Some(position) => *position = target,
                    None => self.fail(1 << 4),
                }
                if usize::from(channel) == self.channels[1]
                    && target != NEUTRAL
                    && let Some(home) = self.browns_out.take()
                {
                    self.targets = [home; 24];
                }
            }
            [0xA1] => {
                let answer = self.errors.to_le_bytes();
                self.errors = 0;
                self.packet.clear();
                self.last_command = Some(now);
                return answer.to_vec();
            }
            [0x90, channel] => {
                let position = self.targets.get(usize::from(channel)).copied().unwrap_or(0);
                let position = u16::try_from(position).expect("a position");
                self.packet.clear();
                self.last_command = Some(now);
                return position.to_le_bytes().to_vec();
            }
            [0x84, ..] | [0x90] | [] => return Vec::new(),
            _ => {
                self.fail(1 << 4);
                self.packet.clear();
                return Vec::new();
            }
        }
        self.packet.clear();
        self.last_command = Some(now);
        Vec::new()
    }

    fn tick(&mut self, now: Instant) {
        if let (Some(timeout), Some(last)) = (self.timeout, self.last_command)
            && now - last >= timeout
        {
            self.fail(1 << 5);
        }
    }

    fn motors(&self) -> [i32; 2] {
        self.channels.map(|channel| self.targets[channel])
    }
}
