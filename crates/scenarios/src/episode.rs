use core::fmt;

use crate::{Fault, Second, Topic};

/// One fault, and how long it lasts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Episode {
    /// What goes wrong.
    pub fault: Fault,
    /// For how long \[s\]; longer than its bound.
    pub lasts: f64,
}

/// Episodes without end, the same ones for the same seed.
#[derive(Clone, Debug)]
pub struct Dice(fastrand::Rng);

impl Dice {
    /// From this seed.
    pub fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.0.f64()
    }

    /// From 1 to 200 messages a second, slow ones as often as quick ones.
    fn rate(&mut self) -> f64 {
        self.between(0.0, 200_f64.ln()).exp()
    }

    fn share(&mut self) -> f64 {
        self.between(0.01, 1.0)
    }

    fn one<T: Copy>(&mut self, of: &[T], otherwise: T) -> T {
        self.0.choice(of).copied().unwrap_or(otherwise)
    }

    fn second(&mut self) -> Second {
        self.one(&[Second::Alike, Second::SameName, Second::BestEffort, Second::OtherType], Second::Alike)
    }

    fn fault(&mut self) -> Fault {
        let starboard = self.0.bool();
        match self.0.u8(0..16) {
            0 => Fault::EstopPressed { rate: self.rate(), share: self.share() },
            1 => Fault::EstopSilent,
            2 => Fault::EnableFalse,
            3 => Fault::SecondSwitchOff { second: self.second(), rate: self.rate() },
            4 => Fault::CommandSilent,
            5 => Fault::CommandNonsense { huge: self.0.bool() },
            // Clear of both edges, where the wire's own delay decides.
            6 => {
                let behind = self.one(&[-5_000, -200, -50, 0, 200, 600, 60_000], 0);
                Fault::CommandStamps { behind }
            }
            7 => Fault::CommandRepeated,
            8 => Fault::Infrared {
                starboard,
                rate: self.rate().max(5.0),
                share: self.share(),
                invalid: self.0.bool(),
            },
            9 => Fault::InfraredSilent { starboard },
            10 => Fault::InfraredRepeated { starboard },
            11 => {
                let topics = [Topic::Command, Topic::Enable, Topic::Estop, Topic::Motors];
                let topic = self.one(&topics, Topic::Command);
                // The e-stop is received from publishers of any reliability, and the motors' type is theirs.
                let second = match (topic, self.second()) {
                    (Topic::Motors, Second::OtherType) => Second::Alike,
                    (_, second) => second,
                };
                Fault::SecondPublisher { topic, second }
            }
            12 => Fault::Held { millis: self.one(&[5, 40, 90, 450, 800, 3_000], 40) },
            13 => {
                let parameters =
                    [("accel", 40.0), ("decel", 300.0), ("cmd_timeout", 2.0), ("estop.timeout", 1.0)];
                let (name, value) = self.one(&parameters, ("accel", 40.0));
                Fault::ParameterSet { name, value }
            }
            14 => Fault::LinkCut,
            _ => Fault::DeviceLost,
        }
    }
}

impl Iterator for Dice {
    type Item = Episode;

    fn next(&mut self) -> Option<Episode> {
        let fault = self.fault();
        let lasts = fault.bound().unwrap_or(0.0) + self.between(0.2, 1.5);
        Some(Episode { fault, lasts })
    }
}

/// As one line of `key=value`, for other languages.
impl fmt::Display for Episode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = self.fault.bound().map_or_else(|| "none".to_owned(), |bound| format!("{bound:.3}"));
        write!(f, "{} lasts={:.3} bound={bound} clears={}", self.fault, self.lasts, self.fault.clears())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_episodes_and_all_kinds_come() {
        let of = |seed| Dice::new(seed).take(500).collect::<Vec<_>>();
        assert_eq!(of(7), of(7));
        assert_ne!(of(7), of(8));
        let names: BTreeSet<&str> = of(7).iter().map(|episode| episode.fault.name()).collect();
        assert_eq!(names.len(), 16);
    }

    #[test]
    fn an_episode_is_a_line() {
        let fault = Fault::Infrared { starboard: true, rate: 20.0, share: 0.25, invalid: false };
        let line = Episode { fault, lasts: 1.0 }.to_string();
        assert_eq!(
            line,
            "infrared starboard=true rate=20.000 share=0.250 invalid=false lasts=1.000 bound=0.020 clears=zero"
        );
    }
}
