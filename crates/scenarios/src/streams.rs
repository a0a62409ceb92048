use crate::{Driver, Ending, Fault, Hand, Message, Nonsense, Reading, Rival, Setup};

/// One step \[ms\].
pub(crate) const STEP: u32 = 10;
/// Who takes over is at rest for so long first \[ms\].
const NEUTRAL: u64 = 100;
/// So many messages of a topic wait for a process that is held; what is newer is lost.
const WAITING: u64 = 10;

/// Everything that talks to a vehicle, each at its own rate: what is said in a step of 10 ms.
pub(crate) struct Streams {
    pub setup: Setup,
    pub driver: Driver,
    pub millis: u64,
    pub fault: Option<Fault>,
    /// Milliseconds since the fault began, or since it ended.
    pub since: u64,
    /// What full speed is multiplied with.
    pub throttle: f64,
    /// Whether the dead-man button is down, while the stick drives.
    pub button: bool,
    /// How a stick ended that took over.
    pub ended: Option<Ending>,
}

impl Streams {
    pub(crate) fn new(setup: Setup) -> Self {
        let (driver, fault, ended) = (Driver::Navigation, None, None);
        Self { setup, driver, millis: 0, fault, since: 0, throttle: 1.0, button: false, ended }
    }

    pub(crate) fn step(&mut self) {
        self.millis += u64::from(STEP);
        self.since += u64::from(STEP);
    }

    /// How many messages of a stream of so many a second there were until now, and a step before; without one it is the first.
    fn counts(&self, rate: f64) -> (u64, Option<u64>) {
        let count = |millis: u64| (millis as f64 * rate / 1000.0) as u64;
        (count(self.since), self.since.checked_sub(u64::from(STEP)).map(count))
    }

    fn is_due(&self, rate: f64) -> bool {
        let (now, before) = self.counts(rate);
        before.is_none_or(|before| now > before)
    }

    /// Of the messages of a flicker every so many is a bad one, the first one at least.
    fn is_bad(&self, rate: f64, share: f64) -> bool {
        let (now, before) = self.counts(rate);
        let bad = |count: u64| (count as f64 * share) as u64;
        before.is_none_or(|before| bad(now) > bad(before))
    }

    /// Whether a flicker says something now, and whether it is a bad one.
    fn flicker(&self, rate: f64, share: f64) -> Option<bool> {
        self.is_due(rate).then(|| self.is_bad(rate, share))
    }

    fn every(&self, millis: u64) -> bool {
        self.millis.is_multiple_of(millis)
    }

    /// All that is said in this step.
    pub(crate) fn said(&self) -> Vec<Message> {
        let mut messages = Vec::with_capacity(8);
        messages.extend(self.estop());
        messages.extend([false, true].into_iter().filter_map(|starboard| self.infrared(starboard)));
        if let Some(Fault::SecondSwitchOff { rate, .. }) = self.fault
            && self.since > 0
            && self.is_due(rate)
        {
            messages.push(Message::Enable(true));
        }
        if self.setup != Setup::Hindbrain {
            messages.extend(self.lock());
            messages.extend(self.scaling());
        }
        if self.every(20) {
            messages.extend(self.navigation());
            messages.extend(self.dock());
            messages.extend(self.stick());
        }
        messages
    }

    /// What waited unread for a process that was held for so long and reads it now: the oldest of each topic.
    pub(crate) fn waited(&self, millis: u32) -> Vec<Message> {
        let held = u64::from(millis);
        let mut messages = Vec::new();
        for (number, ago) in (0..held).rev().step_by(20).enumerate() {
            if number as u64 >= WAITING {
                break;
            }
            messages.push(Message::Estop(false));
            if self.driver == Driver::Navigation {
                let behind = i32::try_from(ago).unwrap_or(i32::MAX);
                messages.push(Message::Command { forward: self.throttle, behind: Some(behind) });
            }
            if self.setup != Setup::Hindbrain {
                messages.extend(self.stick());
                messages.extend([Message::Lock(false), Message::Scaling { ahead: 1.0, others: 1.0 }]);
            }
        }
        messages
    }

    fn estop(&self) -> Option<Message> {
        match self.fault {
            Some(Fault::EstopPressed { rate, share }) => self.flicker(rate, share).map(Message::Estop),
            Some(Fault::EstopSilent | Fault::LinkCut) => None,
            _ => self.every(40).then_some(Message::Estop(false)),
        }
    }

    fn infrared(&self, starboard: bool) -> Option<Message> {
        let of = |reading, repeated| Message::Infrared { starboard, reading, repeated };
        match self.fault {
            Some(Fault::Infrared { starboard: side, rate, share, invalid }) if side == starboard => {
                let bad = if invalid { Reading::Invalid } else { Reading::Blocked };
                let is_bad = self.flicker(rate, share)?;
                Some(of(if is_bad { bad } else { Reading::Clear }, false))
            }
            Some(Fault::InfraredSilent { starboard: side }) if side == starboard => None,
            Some(Fault::InfraredRepeated { starboard: side }) if side == starboard => {
                Some(of(Reading::Clear, true))
            }
            _ => self.every(50).then(|| of(Reading::Clear, false)),
        }
    }

    fn lock(&self) -> Option<Message> {
        match self.fault {
            Some(Fault::LockSilent { .. }) => None,
            Some(Fault::LockFlickers { rate, share }) => self.flicker(rate, share).map(Message::Lock),
            fault => {
                let closed = matches!(fault, Some(Fault::LockClosed | Fault::Rearmed { zone: false }));
                (self.every(50) || closed && self.since == 0).then_some(Message::Lock(closed))
            }
        }
    }

    fn scaling(&self) -> Option<Message> {
        let of = |ahead, others| Message::Scaling { ahead, others };
        match self.fault {
            Some(Fault::ScalingSilent { .. }) => None,
            Some(Fault::ScalingBlocked { rate, share }) => {
                self.flicker(rate, share).map(|is_bad| of(if is_bad { 0.0 } else { 1.0 }, 1.0))
            }
            Some(Fault::ScalingInvalid { ahead, nonsense, rate, share }) => {
                let is_bad = self.flicker(rate, share)?;
                let bad = if is_bad { Nonsense::factor(nonsense) } else { 1.0 };
                Some(if ahead { of(bad, 1.0) } else { of(1.0, bad) })
            }
            fault => {
                let blocked = matches!(fault, Some(Fault::Rearmed { zone: true }));
                self.every(50).then(|| of(if blocked { 0.0 } else { 1.0 }, 1.0))
            }
        }
    }

    fn navigation(&self) -> Option<Message> {
        if self.driver != Driver::Navigation {
            return None;
        }
        let of = |forward, behind| Some(Message::Command { forward, behind });
        match self.fault {
            Some(Fault::CommandSilent { .. } | Fault::LinkCut | Fault::Takeover { gap: true, .. }) => None,
            Some(Fault::CommandNonsense { huge }) => of(if huge { 1e6 } else { f64::NAN }, Some(0)),
            Some(Fault::CommandStamps { behind }) => of(self.throttle, Some(behind)),
            Some(Fault::CommandRepeated) => of(self.throttle, None),
            _ => of(self.throttle, Some(0)),
        }
    }

    /// What somebody asks for who takes over: rest first.
    fn takes_over(&self) -> f64 {
        if self.since < NEUTRAL { 0.0 } else { 1.0 }
    }

    fn dock(&self) -> Option<Message> {
        let drives = matches!(self.fault, Some(Fault::Takeover { by: Rival::Dock, .. }));
        drives.then(|| Message::Dock { forward: self.takes_over() })
    }

    fn stick(&self) -> Option<Message> {
        if self.setup == Setup::Hindbrain {
            return None;
        }
        let hand = |forward, button| Some(Message::Stick(Some(Hand { forward, button })));
        match self.fault {
            Some(Fault::StickSilent { .. }) => None,
            Some(Fault::StickUnplugged) => Some(Message::Stick(None)),
            Some(Fault::ButtonLetGo) => hand(self.throttle, false),
            Some(Fault::Takeover { by: Rival::Stick, .. }) => hand(self.takes_over(), true),
            _ => match self.ended {
                Some(Ending::Silent) => None,
                Some(Ending::Unplugged) => Some(Message::Stick(None)),
                _ if self.driver == Driver::Stick => hand(self.throttle, self.button),
                _ => hand(0.0, false),
            },
        }
    }
}
