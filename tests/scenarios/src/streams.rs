use crate::message::CALIBRATED;
use crate::{
    Driver, Ending, Fault, Hand, Message, Nonsense, Payload, PrioritySource, Reading, Second, Setup, Topic,
};

/// How long a source that takes over is at rest first \[ms\].
const NEUTRAL: u64 = 100;
/// When a second publisher that coincides with another fault begins to publish \[ms\]: it is discovered by then. Until then its
/// messages may be obeyed.
const KNOWN: u64 = 300;

/// All message streams to a vehicle, each at its own rate.
pub(crate) struct Streams {
    pub setup: Setup,
    pub driver: Driver,
    /// The time since the vehicle was started.
    pub millis: u64,
    /// The time of the previous step.
    before: Option<u64>,
    /// The present faults and their beginnings.
    pub faults: Vec<(Fault, u64)>,
    /// The factor of full speed.
    pub throttle: f64,
    /// Whether the dead-man button is down, while the stick drives.
    pub button: bool,
    /// How a stick that took over ended.
    pub ended: Option<Ending>,
}

impl Streams {
    pub(crate) fn new(setup: Setup) -> Self {
        let driver = Driver::Navigation;
        Self {
            setup,
            driver,
            millis: 0,
            before: None,
            faults: Vec::new(),
            throttle: 1.0,
            button: false,
            ended: None,
        }
    }

    /// The number of messages of a stream with this rate from `begun` until now, and until the previous step.
    fn counts(&self, begun: u64, rate: f64) -> (u64, Option<u64>) {
        let count = |at: u64| at.checked_sub(begun).map(|millis| (millis as f64 * rate / 1000.0) as u64);
        (count(self.millis).unwrap_or_default(), self.before.and_then(count))
    }

    fn is_due(&self, begun: u64, rate: f64) -> bool {
        let (now, before) = self.counts(begun, rate);
        before.is_none_or(|before| now > before)
    }

    /// Whether the next message of a flicker is a bad one; the first one is.
    fn is_bad(&self, begun: u64, rate: f64, share: f64) -> bool {
        let (now, before) = self.counts(begun, rate);
        let bad = |count: u64| (count as f64 * share) as u64;
        before.is_none_or(|before| bad(now) > bad(before))
    }

    /// Whether a flicker publishes now, and whether the message is a bad one.
    fn flicker(&self, begun: u64, rate: f64, share: f64) -> Option<bool> {
        self.is_due(begun, rate).then(|| self.is_bad(begun, rate, share))
    }

    fn every(&self, millis: u64) -> bool {
        self.is_due(0, 1000.0 / millis as f64)
    }

    /// All messages that are due now.
    pub(crate) fn due_messages(&mut self) -> Vec<Message> {
        let mut messages = Vec::with_capacity(12);
        messages.extend(self.estop());
        messages.extend([false, true].into_iter().filter_map(|starboard| self.infrared(starboard)));
        messages.extend(self.enable());
        if self.setup != Setup::Hindbrain {
            messages.extend(self.lock());
            messages.extend(self.scaling());
        }
        if self.every(20) {
            messages.extend(self.commands());
            messages.extend(self.dock());
            messages.extend(self.stick());
            messages.extend(self.second());
        }
        self.before = Some(self.millis);
        messages
    }

    fn estop(&self) -> Option<Message> {
        for &(fault, begun) in &self.faults {
            match fault {
                Fault::EstopPressed { rate, share } => {
                    return self.flicker(begun, rate, share).map(Message::Estop);
                }
                Fault::EstopSilent | Fault::LinkCut => return None,
                _ => {}
            }
        }
        self.every(40).then_some(Message::Estop(false))
    }

    /// Without a fault the switch was switched on once and publishes nothing.
    fn enable(&self) -> Option<Message> {
        self.faults.iter().find_map(|&(fault, begun)| match fault {
            Fault::EnableFlickers { rate, share } => {
                self.flicker(begun, rate, share).map(|is_bad| Message::Enable(!is_bad))
            }
            Fault::SecondSwitchOff { rate, .. } if self.before.is_some_and(|before| before >= begun) => {
                self.is_due(begun, rate).then_some(Message::Enable(true))
            }
            _ => None,
        })
    }

    fn infrared(&self, starboard: bool) -> Option<Message> {
        let of = |reading, repeated| Message::Infrared { starboard, reading, repeated };
        for &(fault, begun) in &self.faults {
            match fault {
                Fault::Infrared { starboard: side, rate, share, invalid } if side == starboard => {
                    let bad = if invalid { Reading::Invalid } else { Reading::Blocked };
                    let is_bad = self.flicker(begun, rate, share)?;
                    return Some(of(if is_bad { bad } else { Reading::Clear }, false));
                }
                Fault::InfraredSilent { starboard: side } if side == starboard => return None,
                Fault::InfraredRepeated { starboard: side } if side == starboard => {
                    return self.every(50).then(|| of(Reading::Clear, true));
                }
                _ => {}
            }
        }
        self.every(50).then(|| of(Reading::Clear, false))
    }

    fn lock(&self) -> Option<Message> {
        for &(fault, begun) in &self.faults {
            match fault {
                Fault::LockSilent { .. } => return None,
                Fault::LockFlickers { rate, share } => {
                    return self.flicker(begun, rate, share).map(Message::Lock);
                }
                Fault::LockClosed | Fault::Rearmed { zone: false } => {
                    let is_first = self.before.is_none_or(|before| before < begun);
                    return (self.every(50) || is_first).then_some(Message::Lock(true));
                }
                _ => {}
            }
        }
        self.every(50).then_some(Message::Lock(false))
    }

    fn scaling(&self) -> Option<Message> {
        let of = |ahead, others| Message::Scaling { ahead, others };
        for &(fault, begun) in &self.faults {
            match fault {
                Fault::ScalingSilent { .. } => return None,
                Fault::ScalingBlocked { rate, share } => {
                    return self
                        .flicker(begun, rate, share)
                        .map(|is_bad| of(if is_bad { 0.0 } else { 1.0 }, 1.0));
                }
                Fault::ScalingInvalid { ahead, nonsense, rate, share } => {
                    let is_bad = self.flicker(begun, rate, share)?;
                    let bad = if is_bad { Nonsense::factor(nonsense) } else { 1.0 };
                    return Some(if ahead { of(bad, 1.0) } else { of(1.0, bad) });
                }
                Fault::Rearmed { zone: true } => return self.every(50).then(|| of(0.0, 1.0)),
                _ => {}
            }
        }
        self.every(50).then(|| of(1.0, 1.0))
    }

    /// The command of the driver without a stick.
    fn commands(&self) -> Option<Message> {
        let (mut forward, mut behind) = (self.throttle, Some(0));
        for (fault, _) in &self.faults {
            match *fault {
                Fault::CommandSilent { .. } | Fault::LinkCut | Fault::Takeover { gap: true, .. } => {
                    return None;
                }
                Fault::CommandNonsense { huge } => forward = if huge { 1e6 } else { f64::NAN },
                Fault::CommandStamps { behind: by } => behind = Some(by),
                Fault::CommandRepeated => behind = None,
                _ => {}
            }
        }
        match self.driver {
            Driver::Navigation => Some(Message::Command { forward, behind }),
            Driver::Reference => Some(Message::Reference { forward, behind }),
            Driver::Stick => None,
        }
    }

    /// The command of a source that takes over since `begun`: rest first.
    fn takeover_command(&self, begun: u64) -> f64 {
        if self.millis - begun < NEUTRAL { 0.0 } else { 1.0 }
    }

    fn dock(&self) -> Option<Message> {
        self.faults.iter().find_map(|&(fault, begun)| match fault {
            Fault::Takeover { by: PrioritySource::Dock, .. } => {
                Some(Message::Dock { forward: self.takeover_command(begun) })
            }
            _ => None,
        })
    }

    fn stick(&self) -> Option<Message> {
        if self.setup == Setup::Hindbrain {
            return None;
        }
        let hand = |forward, button| Some(Message::Stick(Some(Hand { forward, button })));
        for &(fault, begun) in &self.faults {
            match fault {
                Fault::StickSilent { .. } => return None,
                Fault::StickUnplugged => return Some(Message::Stick(None)),
                Fault::ButtonLetGo => return hand(self.throttle, false),
                Fault::Takeover { by: PrioritySource::Stick, .. } => {
                    return hand(self.takeover_command(begun), true);
                }
                Fault::Takeover { by: PrioritySource::StickAtRest, .. } => return hand(0.0, true),
                _ => {}
            }
        }
        match self.ended {
            Some(Ending::Silent) => None,
            Some(Ending::Unplugged) => Some(Message::Stick(None)),
            _ if self.driver == Driver::Stick => hand(self.throttle, self.button),
            _ => hand(0.0, false),
        }
    }

    /// The messages of second publishers.
    fn second(&self) -> impl Iterator<Item = Message> + '_ {
        let is_alone = self.faults.len() < 2;
        self.faults.iter().filter_map(move |&(fault, begun)| {
            let Fault::SecondPublisher { topic, second, says } = fault else {
                return None;
            };
            let since = self.millis - begun;
            // The graph is read before each true of a switch.
            let may = is_alone || topic == Topic::Enable || since >= KNOWN;
            let says = match says {
                Payload::Nothing => return None,
                Payload::Both if (since / 20).is_multiple_of(2) => Payload::Motion,
                Payload::Both => Payload::Stop,
                says => says,
            };
            may.then_some(Message::Second { topic, second, says })
        })
    }

    /// The messages that wait in a link that was cut at `begun`, oldest first.
    pub(crate) fn backlog(&self, begun: u64) -> Vec<Message> {
        let lasted = i32::try_from(self.millis - begun).unwrap_or(i32::MAX);
        let forward = self.throttle;
        let of_age = |behind| {
            let behind = Some(behind);
            let command = match self.driver {
                Driver::Reference => Message::Reference { forward, behind },
                _ => Message::Command { forward, behind },
            };
            [command, Message::Estop(false)]
        };
        (0..lasted).rev().step_by(20).flat_map(of_age).collect()
    }

    /// The profile that the occupant selects.
    pub(crate) fn profile(&self) -> Message {
        Message::Profile(CALIBRATED)
    }

    /// The message of a second switch when it appears.
    pub(crate) fn switched_off(second: Second) -> Message {
        Message::Second { topic: Topic::Enable, second, says: Payload::Stop }
    }
}
