use crate::change::{ARBITER, HINDBRAIN, ZONES};
use crate::{Course, Driver, Ending, Episode, Fault, Motion, Nonsense, Process, Rival, Second, Setup, Topic};

/// Episodes without end, the same ones for the same seed and set-up.
#[derive(Clone, Debug)]
pub struct Dice {
    rng: fastrand::Rng,
    setup: Setup,
}

/// Kinds of faults of hindbrain and of who commands it, and those that only the chain has: of sources and locks, of zones.
const OF_HINDBRAIN: u8 = 17;
const OF_CHAIN: u8 = 11;
/// Kinds of faults of a stick that drives.
const OF_STICK: u8 = 4;

impl Dice {
    /// From this seed, for what there is of the chain.
    pub fn new(seed: u64, setup: Setup) -> Self {
        Self { rng: fastrand::Rng::with_seed(seed), setup }
    }

    fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.rng.f64()
    }

    /// From 1 to 200 messages a second, slow ones as often as quick ones.
    fn rate(&mut self) -> f64 {
        self.between(0.0, 200_f64.ln()).exp()
    }

    /// The same of a stream that must not count as silent.
    fn brisk(&mut self) -> f64 {
        self.rate().max(5.0)
    }

    fn share(&mut self) -> f64 {
        self.between(0.01, 1.0)
    }

    fn one<T: Copy>(&mut self, of: &[T], otherwise: T) -> T {
        self.rng.choice(of).copied().unwrap_or(otherwise)
    }

    fn second(&mut self) -> Second {
        self.one(&[Second::Alike, Second::SameName, Second::BestEffort, Second::OtherType], Second::Alike)
    }

    fn is_chain(&self) -> bool {
        self.setup != Setup::Hindbrain
    }

    /// What may happen to hindbrain, and to navigation.
    fn of_hindbrain(&mut self, kind: u8, driver: Driver) -> Option<Fault> {
        let starboard = self.rng.bool();
        let navigates = driver == Driver::Navigation;
        Some(match kind {
            0 => Fault::EstopPressed { rate: self.rate(), share: self.share() },
            1 => Fault::EstopSilent,
            2 => Fault::EnableFalse,
            3 => Fault::SecondSwitchOff { second: self.second(), rate: self.rate() },
            4 if navigates => Fault::CommandSilent { gone: self.rng.bool() },
            5 if navigates => Fault::CommandNonsense { huge: self.rng.bool() },
            // Clear of both edges, where the wire's own delay decides.
            6 if navigates => {
                let behind = self.one(&[-5_000, -200, -50, 0, 200, 600, 60_000], 0);
                Fault::CommandStamps { behind }
            }
            7 if navigates => Fault::CommandRepeated,
            8 => Fault::Infrared {
                starboard,
                rate: self.brisk(),
                share: self.share(),
                invalid: self.rng.bool(),
            },
            9 => Fault::InfraredSilent { starboard },
            10 => Fault::InfraredRepeated { starboard },
            11 | 12 => self.second_publisher(driver),
            13 => self.held(),
            14 => {
                let change = match (self.is_chain(), self.rng.u8(0..5)) {
                    (false, _) | (_, 0) => self.rng.choice(&HINDBRAIN),
                    (_, 1 | 2) if navigates => self.rng.choice(&ARBITER),
                    _ => self.rng.choice(&ZONES),
                };
                Fault::ParameterSet(change?)
            }
            15 if navigates => Fault::LinkCut,
            16 => Fault::DeviceLost,
            _ => return None,
        })
    }

    fn second_publisher(&mut self, driver: Driver) -> Fault {
        let mut topics = vec![Topic::Command, Topic::Enable, Topic::Estop, Topic::Motors];
        if self.is_chain() {
            let of_driver = if driver == Driver::Stick { Topic::Stick } else { Topic::Source };
            topics.extend([Topic::Lock, Topic::Scaling, of_driver]);
        }
        // In one process nobody listens between two stages.
        if self.setup == Setup::Apart {
            topics.push(Topic::Arbitrated);
        }
        let topic = self.one(&topics, Topic::Command);
        // The motors' type is theirs.
        let second = match (topic, self.second()) {
            (Topic::Motors, Second::OtherType) => Second::Alike,
            (_, second) => second,
        };
        Fault::SecondPublisher { topic, second }
    }

    fn held(&mut self) -> Fault {
        let all = [Process::Hindbrain, Process::Joystick, Process::Arbiter, Process::Zones];
        let process =
            if self.setup == Setup::Apart { self.one(&all, Process::Hindbrain) } else { Process::Hindbrain };
        let millis = match process {
            Process::Hindbrain => self.one(&[5, 40, 90, 450, 800, 3_000], 40),
            // Clear of the edge at 0.5 s.
            _ => self.one(&[5, 40, 90, 1_200, 3_000], 40),
        };
        Fault::Held { process, millis }
    }

    /// What may happen to sources, locks and zones.
    fn of_chain(&mut self, kind: u8, driver: Driver) -> Option<Fault> {
        let (rate, share) = (self.brisk(), self.share());
        let navigates = driver == Driver::Navigation;
        Some(match kind {
            0..=2 if navigates => {
                let by = self.one(&[Rival::Dock, Rival::Stick], Rival::Dock);
                let endings = [Ending::LetsGo, Ending::Silent, Ending::Unplugged];
                let most = if by == Rival::Stick { 3 } else { 2 };
                let ends = endings.get(self.rng.usize(..most)).copied()?;
                Fault::Takeover { by, ends, gap: self.rng.bool() }
            }
            3 => Fault::LockClosed,
            4 => Fault::LockSilent { gone: self.rng.bool() },
            5 => Fault::LockFlickers { rate, share },
            6 => Fault::ScalingSilent { gone: self.rng.bool() },
            7 => Fault::ScalingBlocked { rate, share: if self.rng.bool() { 1.0 } else { share } },
            8 | 9 => {
                let kinds = [Nonsense::NaN, Nonsense::Infinite, Nonsense::Negative, Nonsense::Above];
                let nonsense = self.one(&kinds, Nonsense::NaN);
                Fault::ScalingInvalid { ahead: kind == 8, nonsense, rate, share }
            }
            10 => Fault::Rearmed { zone: self.rng.bool() },
            _ => return None,
        })
    }

    fn of_stick(&mut self, kind: u8) -> Fault {
        match kind {
            0 | 1 => Fault::StickSilent { gone: kind == 0 },
            2 => Fault::StickUnplugged,
            _ => Fault::ButtonLetGo,
        }
    }

    fn fault(&mut self, driver: Driver) -> Fault {
        let chain = if self.is_chain() { OF_CHAIN } else { 0 };
        let stick = if driver == Driver::Stick { OF_STICK } else { 0 };
        loop {
            let kind = self.rng.u8(..OF_HINDBRAIN + chain + stick);
            let fault = match kind.checked_sub(OF_HINDBRAIN) {
                None => self.of_hindbrain(kind, driver),
                Some(kind) if kind < chain => self.of_chain(kind, driver),
                Some(kind) => Some(self.of_stick(kind - chain)),
            };
            // What this driver cannot have is drawn again.
            if let Some(fault) = fault {
                return fault;
            }
        }
    }
}

impl Iterator for Dice {
    type Item = Episode;

    fn next(&mut self) -> Option<Episode> {
        let hand = self.is_chain() && self.rng.u8(0..3) == 0;
        let driver = if hand { Driver::Stick } else { Driver::Navigation };
        let fault = self.fault(driver);
        let course = Course::of(&fault, driver, self.setup);
        let bound = match course.during {
            Motion::Stops(bound) => bound,
            // Whoever takes over drives, and whoever is silent meanwhile is lost.
            _ if matches!(fault, Fault::Takeover { .. }) => 1.0,
            _ => 0.0,
        };
        let lasts = bound + self.between(0.2, 1.5);
        let is_stopped = matches!(course.during, Motion::Stops(_));
        let insists = is_stopped && Course::is_steady(&fault) && self.rng.bool();
        Some(Episode { driver, fault, lasts, insists, course })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn names(setup: Setup) -> BTreeSet<&'static str> {
        Dice::new(7, setup).take(1_500).map(|episode| episode.fault.name()).collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_episodes_and_all_kinds_come() {
        let of = |seed| Dice::new(seed, Setup::Apart).take(500).collect::<Vec<_>>();
        assert_eq!(of(7), of(7));
        assert_ne!(of(7), of(8));
        assert_eq!(names(Setup::Hindbrain).len(), 16);
        for setup in [Setup::Together, Setup::Apart] {
            assert_eq!(names(setup).len(), 27, "{setup}");
            assert!(names(setup).is_superset(&names(Setup::Hindbrain)));
        }
    }

    #[test]
    fn hindbrain_alone_has_no_stick_and_no_process_but_its_own() {
        for episode in Dice::new(3, Setup::Hindbrain).take(1_000) {
            assert_eq!(episode.driver, Driver::Navigation);
            match episode.fault {
                Fault::Held { process, .. } => assert_eq!(process, Process::Hindbrain),
                Fault::SecondPublisher { topic, .. } => {
                    assert!(matches!(topic, Topic::Command | Topic::Enable | Topic::Estop | Topic::Motors));
                }
                Fault::ParameterSet(change) => assert_eq!(change.node, Process::Hindbrain),
                _ => {}
            }
        }
    }
}
