use crate::change::{ARBITER, HINDBRAIN, JOYSTICK, LIMITS, ZONES};
use crate::fault::Part;
use crate::{
    Driver, Effect, Ending, Episode, Fault, Lack, Motion, Nonsense, Occurrence, Process, Rival, Says, Second,
    Setup, Topic,
};

/// Episodes without end, the same ones for the same seed and set-up.
#[derive(Clone, Debug)]
pub struct Dice {
    rng: fastrand::Rng,
    setup: Setup,
}

/// Kinds of faults of hindbrain and of who commands it, and those that only the chain has: of sources and locks, of zones.
const OF_HINDBRAIN: u8 = 19;
const OF_CHAIN: u8 = 12;
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
        let commands = driver != Driver::Stick;
        Some(match kind {
            0 => Fault::EstopPressed { rate: self.rate(), share: self.share() },
            1 => Fault::EstopSilent,
            2 => Fault::EnableFalse,
            3 => Fault::SecondSwitchOff { second: self.second(), rate: self.rate() },
            4 if commands => Fault::CommandSilent { gone: self.rng.bool() },
            5 if commands => Fault::CommandNonsense { huge: self.rng.bool() },
            // Clear of both edges, where the wire's own delay decides.
            6 if commands => {
                let behind = self.one(&[-5_000, -200, -50, 0, 200, 600, 60_000], 0);
                Fault::CommandStamps { behind }
            }
            7 if commands => Fault::CommandRepeated,
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
            14 => self.parameters(driver)?,
            15 if commands => Fault::LinkCut,
            16 => {
                let lack = self.one(&[Lack::Plug, Lack::Answers, Lack::Sense, Lack::Health], Lack::Plug);
                Fault::DeviceLost { lack }
            }
            17 => Fault::EnableFlickers { rate: self.rate(), share: self.share() },
            18 => Fault::ResetJammed,
            _ => return None,
        })
    }

    fn parameters(&mut self, driver: Driver) -> Option<Fault> {
        let change = match (self.is_chain(), self.rng.u8(0..8)) {
            (false, _) | (_, 0 | 1) => self.rng.choice(&HINDBRAIN),
            (_, 2 | 3) if driver == Driver::Navigation => self.rng.choice(&ARBITER),
            (_, 4) => self.rng.choice(&LIMITS),
            (_, 2 | 3 | 5) => self
                .rng
                .choice(&JOYSTICK)
                .filter(|one| driver == Driver::Stick || one.effect == Effect::DrivesOn),
            _ => self.rng.choice(&ZONES),
        };
        change.map(Fault::ParameterSet)
    }

    fn second_publisher(&mut self, driver: Driver) -> Fault {
        let mut topics =
            vec![Topic::Command, Topic::Enable, Topic::Estop, Topic::Reset, Topic::Port, Topic::Starboard];
        if self.is_chain() {
            let of_driver = match driver {
                Driver::Navigation => Topic::Source,
                Driver::Stick => Topic::Stick,
                Driver::Reference => Topic::Reference,
            };
            topics.extend([Topic::Lock, Topic::Scaling, Topic::Profile, of_driver, of_driver]);
        }
        // In one process nobody listens between two stages.
        if self.setup == Setup::Apart {
            topics.push(Topic::Arbitrated);
        }
        let topic = self.one(&topics, Topic::Command);
        // The motors' type is theirs.
        let second = match (topic, self.second()) {
            (Topic::Port | Topic::Starboard, Second::OtherType) => Second::Alike,
            (_, second) => second,
        };
        // Of the values that others send to the motors nobody is the judge.
        let says = if matches!(topic, Topic::Port | Topic::Starboard) {
            Says::Nothing
        } else {
            self.one(
                &[Says::Nothing, Says::Motion, Says::Motion, Says::Stop, Says::Both, Says::Old],
                Says::Both,
            )
        };
        Fault::SecondPublisher { topic, second, says }
    }

    fn held(&mut self) -> Fault {
        let all = [Process::Hindbrain, Process::Joystick, Process::Arbiter, Process::Zones];
        let process =
            if self.setup == Setup::Apart { self.one(&all, Process::Hindbrain) } else { Process::Hindbrain };
        let millis = match process {
            Process::Hindbrain => self.one(&[10, 40, 90, 450, 800, 3_000], 40),
            // Clear of the edge at 0.5 s.
            _ => self.one(&[10, 40, 90, 1_200, 3_000], 40),
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
            // A reference is withheld by the joystick too, which says zero itself.
            10 => Fault::Rearmed { zone: self.rng.bool() },
            11 => Fault::ProfileUnknown,
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

impl Dice {
    /// Some more that can come together with what there is, each with a time of its own to begin and to end.
    fn overlap(&mut self, episode: &mut Episode, most: usize) {
        let Episode { driver, faults, .. } = episode;
        for _ in 0..20 {
            if faults.len() >= most {
                break;
            }
            let fault = self.fault(*driver);
            let mut one = Occurrence::new(fault, *driver, self.setup);
            if faults.iter().all(|other| self.can_come_together(other, &one, *driver)) {
                // What jams does so before all else.
                one.begins = if fault == Fault::ResetJammed { 0.0 } else { self.between(0.0, 0.8) };
                faults.push(one);
            }
        }
        for one in faults {
            one.ends = self.between(0.0, 0.8);
        }
    }

    fn can_come_together(&self, one: &Occurrence, other: &Occurrence, driver: Driver) -> bool {
        let parts = [one, other].map(|one| one.fault.parts(driver, self.setup));
        let shares = parts[0].iter().any(|part| parts[1].contains(part));
        let is_alone = parts.iter().any(|parts| parts.contains(&Part::All));
        let misses = |one: &Occurrence, other: &Occurrence| one.fault.holds() > 0 && other.fault.flickers();
        let stopped = |one: &Occurrence, other: &Occurrence| one.fault.is_refused() && !other.course.goes();
        !shares
            && !is_alone
            && !misses(one, other)
            && !misses(other, one)
            && !stopped(one, other)
            && !stopped(other, one)
    }
}

impl Iterator for Dice {
    type Item = Episode;

    fn next(&mut self) -> Option<Episode> {
        let driver = match self.rng.u8(0..6) {
            0 | 1 if self.is_chain() => Driver::Stick,
            2 if self.is_chain() => Driver::Reference,
            _ => Driver::Navigation,
        };
        let first = Occurrence::new(self.fault(driver), driver, self.setup);
        let mut episode = Episode { driver, faults: vec![first], lasts: 0.0, insists: false };
        match self.rng.u8(0..6) {
            0 | 1 => self.overlap(&mut episode, 2),
            2 => self.overlap(&mut episode, 3),
            _ => {}
        }
        let bounds = episode.faults.iter().map(|one| match one.course.during {
            Motion::Stops(bound) | Motion::Goes(_, bound) => bound,
            Motion::Free => 0.0,
        });
        episode.lasts = bounds.fold(0.0, f64::max) + episode.late() + self.between(0.2, 1.5);
        let mut stopped = episode.faults.iter().filter(|one| !one.course.goes()).peekable();
        let insists = stopped.peek().is_some()
            && stopped.all(|one| matches!(one.course.during, Motion::Stops(_)) && one.fault.is_steady());
        episode.insists = insists && self.rng.bool();
        Some(episode)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn names(setup: Setup) -> BTreeSet<String> {
        let faults = Dice::new(7, setup).take(2_000).flat_map(|episode| episode.faults);
        faults.map(|one| one.fault.name()).collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_episodes_and_all_kinds_come() {
        let of = |seed| Dice::new(seed, Setup::Apart).take(500).collect::<Vec<_>>();
        assert_eq!(of(7), of(7));
        assert_ne!(of(7), of(8));
        assert_eq!(names(Setup::Hindbrain).len(), 18);
        for setup in [Setup::Together, Setup::Apart] {
            assert_eq!(names(setup).len(), 30, "{setup}");
            assert!(names(setup).is_superset(&names(Setup::Hindbrain)));
        }
    }

    #[test]
    fn hindbrain_alone_has_no_stick_and_no_process_but_its_own() {
        for episode in Dice::new(3, Setup::Hindbrain).take(1_000) {
            assert_eq!(episode.driver, Driver::Navigation);
            for Occurrence { fault, .. } in episode.faults {
                match fault {
                    Fault::Held { process, .. } => assert_eq!(process, Process::Hindbrain),
                    Fault::SecondPublisher { topic, .. } => {
                        let others = [Topic::Source, Topic::Lock, Topic::Arbitrated, Topic::Scaling];
                        assert!(!others.contains(&topic), "{topic}");
                    }
                    Fault::ParameterSet(change) => assert_eq!(change.node, Process::Hindbrain),
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn two_and_three_come_together_and_share_nothing() {
        let (mut twos, mut threes) = (0, 0);
        for episode in Dice::new(5, Setup::Together).take(1_000) {
            twos += usize::from(episode.faults.len() == 2);
            threes += usize::from(episode.faults.len() == 3);
            let parts: Vec<Part> = episode
                .faults
                .iter()
                .flat_map(|one| one.fault.parts(episode.driver, Setup::Together))
                .collect();
            for (index, part) in parts.iter().enumerate() {
                assert!(!parts[..index].contains(part), "{episode}: {part:?} twice");
            }
        }
        assert!(twos > 200 && threes > 80, "{twos} {threes}");
    }
}
