use crate::fault::Part;
use crate::kinds::kinds;
use crate::{
    DeviceFault, Driver, Episode, Fault, Motion, Nonsense, Occurrence, Payload, Second, Setup, Topic,
};

/// Random episodes without end, the same ones for the same seed and set-up.
///
/// Their first faults are each kind on each topic, parameter and process for each driver, in random order: all of them come once before
/// any comes twice.
#[derive(Clone, Debug)]
pub struct Episodes {
    rng: fastrand::Rng,
    setup: Setup,
    /// The first faults that are left.
    left: Vec<(Driver, Fault)>,
}

impl Episodes {
    /// Episodes from this seed for this set-up.
    pub fn new(seed: u64, setup: Setup) -> Self {
        Self { rng: fastrand::Rng::with_seed(seed), setup, left: Vec::new() }
    }

    fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.rng.f64()
    }

    /// From 1 to 200 messages a second, slow ones as often as quick ones.
    fn rate(&mut self) -> f64 {
        self.between(0.0, 200_f64.ln()).exp()
    }

    /// As [`rate`](Self::rate), for a stream that must not count as silent.
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

    /// Fault of the same kind with random rates, shares and other values.
    fn vary(&mut self, fault: Fault) -> Fault {
        match fault {
            Fault::EstopPressed { .. } => Fault::EstopPressed { rate: self.rate(), share: self.share() },
            Fault::EnableFlickers { .. } => Fault::EnableFlickers { rate: self.rate(), share: self.share() },
            Fault::SecondSwitchOff { .. } => {
                Fault::SecondSwitchOff { second: self.second(), rate: self.rate() }
            }
            Fault::Infrared { invalid, .. } => Fault::Infrared {
                starboard: self.rng.bool(),
                rate: self.brisk(),
                share: self.share(),
                invalid,
            },
            Fault::InfraredSilent { .. } => Fault::InfraredSilent { starboard: self.rng.bool() },
            Fault::InfraredRepeated { .. } => Fault::InfraredRepeated { starboard: self.rng.bool() },
            // The type of the motor topics is fixed, and the values of a second publisher cannot be judged.
            Fault::SecondPublisher { topic: topic @ (Topic::Port | Topic::Starboard), .. } => {
                let second = self.one(&[Second::Alike, Second::SameName, Second::BestEffort], Second::Alike);
                Fault::SecondPublisher { topic, second, says: Payload::Nothing }
            }
            Fault::SecondPublisher { topic, .. } => {
                let says = [
                    Payload::Nothing,
                    Payload::Motion,
                    Payload::Motion,
                    Payload::Stop,
                    Payload::Both,
                    Payload::Old,
                ];
                let says = self.one(&says, Payload::Both);
                Fault::SecondPublisher { topic, second: self.second(), says }
            }
            Fault::LockFlickers { .. } => Fault::LockFlickers { rate: self.brisk(), share: self.share() },
            Fault::ScalingBlocked { share, .. } => {
                let share = if share >= 1.0 { share } else { self.share() };
                Fault::ScalingBlocked { rate: self.brisk(), share }
            }
            Fault::ScalingInvalid { ahead, .. } => {
                let kinds = [Nonsense::NaN, Nonsense::Infinite, Nonsense::Negative, Nonsense::Above];
                let nonsense = self.one(&kinds, Nonsense::NaN);
                Fault::ScalingInvalid { ahead, nonsense, rate: self.brisk(), share: self.share() }
            }
            fault => fault,
        }
    }

    /// A random fault that is possible with `driver`.
    fn fault(&mut self, driver: Driver) -> Fault {
        let kinds = kinds(driver, self.setup);
        let fault = self.one(&kinds, Fault::EstopSilent);
        self.vary(fault)
    }

    /// The next first fault; when none is left all come again in another order.
    fn next_first(&mut self) -> (Driver, Fault) {
        if self.left.is_empty() {
            let drivers: &[Driver] = match self.setup {
                Setup::Hindbrain => &[Driver::Navigation],
                _ => &[Driver::Navigation, Driver::Stick, Driver::Reference],
            };
            for &driver in drivers {
                self.left.extend(kinds(driver, self.setup).into_iter().map(|fault| (driver, fault)));
            }
            self.rng.shuffle(&mut self.left);
        }
        let (driver, fault) = self.left.pop().unwrap_or((Driver::Navigation, Fault::EstopSilent));
        (driver, self.vary(fault))
    }
}

impl Episodes {
    /// Adds faults that can coincide with the present ones, each with its own begin and end.
    fn overlap(&mut self, episode: &mut Episode, most: usize) {
        let Episode { driver, faults, .. } = episode;
        for _ in 0..20 {
            if faults.len() >= most {
                break;
            }
            let fault = self.fault(*driver);
            let mut one = Occurrence::new(fault, *driver, self.setup);
            if faults.iter().all(|other| self.can_come_together(other, &one, *driver)) {
                // A jammed button is jammed before all other faults.
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
        let takes_over = |parts: &Vec<Part>| parts.contains(&Part::AllButLock);
        let is_alone =
            is_alone || parts.iter().any(takes_over) && !parts.iter().any(|parts| *parts == [Part::Lock]);
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

impl Iterator for Episodes {
    type Item = Episode;

    fn next(&mut self) -> Option<Episode> {
        let (driver, fault) = self.next_first();
        let first = Occurrence::new(fault, driver, self.setup);
        let mut episode = Episode { driver, faults: vec![first], lasts: 0.0, insists: false };
        // The reset button has no visible effect unless there is something to reset.
        if matches!(fault, Fault::ResetJammed | Fault::SecondPublisher { topic: Topic::Reset, .. }) {
            let latches = [
                Fault::EstopPressed { rate: 1.0, share: 0.5 },
                Fault::EstopSilent,
                Fault::DeviceLost { lack: DeviceFault::Plug },
            ];
            let latches = self.one(&latches, Fault::EstopSilent);
            let fault = self.vary(latches);
            let begins = self.between(0.0, 0.8);
            episode.faults.push(Occurrence { begins, ..Occurrence::new(fault, driver, self.setup) });
            self.overlap(&mut episode, 2);
        }
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
    use crate::Process;

    fn names(setup: Setup) -> BTreeSet<String> {
        let faults = Episodes::new(7, setup).take(2_000).flat_map(|episode| episode.faults);
        faults.map(|one| one.fault.name()).collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_episodes_and_all_kinds_come() {
        let of = |seed| Episodes::new(seed, Setup::Apart).take(500).collect::<Vec<_>>();
        assert_eq!(of(7), of(7));
        assert_ne!(of(7), of(8));
        assert_eq!(names(Setup::Hindbrain).len(), 19);
        for setup in [Setup::Together, Setup::Apart] {
            assert_eq!(names(setup).len(), 31, "{setup}");
            assert!(names(setup).is_superset(&names(Setup::Hindbrain)));
        }
    }

    #[test]
    fn hindbrain_alone_has_no_stick_and_no_process_but_its_own() {
        for episode in Episodes::new(3, Setup::Hindbrain).take(1_000) {
            assert_eq!(episode.driver, Driver::Navigation);
            for Occurrence { fault, .. } in episode.faults {
                match fault {
                    Fault::Held { process, .. } | Fault::Inactive { process } => {
                        assert_eq!(process, Process::Hindbrain);
                    }
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
    fn each_topic_parameter_and_process_comes_once_before_any_comes_twice() {
        let key = |driver: Driver, fault: &Fault| match fault {
            Fault::SecondPublisher { topic, .. } => format!("{driver:?} {topic}"),
            Fault::ParameterSet(_) | Fault::Held { .. } => format!("{driver:?} {fault:?}"),
            fault => format!("{driver:?} {}", fault.name()),
        };
        for setup in [Setup::Hindbrain, Setup::Together, Setup::Apart] {
            let drivers = [Driver::Navigation, Driver::Stick, Driver::Reference];
            let of = |driver| kinds(driver, setup).into_iter().map(move |fault| key(driver, &fault));
            let drivers = if setup == Setup::Hindbrain { &drivers[..1] } else { &drivers };
            let all: Vec<String> = drivers.iter().flat_map(|&driver| of(driver)).collect();
            let drawn: BTreeSet<String> = Episodes::new(2, setup)
                .take(all.len())
                .filter_map(|episode| Some(key(episode.driver, &episode.faults.first()?.fault)))
                .collect();
            assert_eq!(drawn, all.iter().cloned().collect(), "{setup}");
            assert!(all.len() < 400, "{setup}: {} do not fit into the episodes of a test", all.len());
        }
    }

    #[test]
    fn two_and_three_come_together_and_share_nothing() {
        let (mut twos, mut threes) = (0, 0);
        for episode in Episodes::new(5, Setup::Together).take(1_000) {
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
