use crate::{Act, Code, Name, Reason};

/// A machine that explains what it holds back.
pub trait Explain {
    /// The state as of the last call.
    /// # Real-time
    /// Nothing is allocated: it is called under the machine's lock.
    fn explain(&self) -> Stage;
}

/// A velocity, and whether it is motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Flow {
    /// Forward \[m/s] and turn \[rad/s], as far as they are known.
    pub velocity: [f64; 2],
    /// Whether motion is asked for, or passed. Velocities that count as a zero are none.
    pub is_motion: bool,
}

/// The state of one stage on the way of a command, from the hand to the motors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stage {
    /// Its node.
    pub name: Name,
    /// The motion that it is asked for.
    pub asked: Flow,
    /// The motion that it passes on.
    pub passed: Flow,
    /// The source that drives, if the stage knows one.
    pub by: Name,
    /// Whether that source is a person's stick.
    pub by_hand: bool,
    /// Whether it is the stick of a person and a device is there.
    pub has_device: bool,
    /// The reasons that hold it back.
    pub findings: Findings,
}

impl Stage {
    /// A stage that is asked for nothing and passes nothing.
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Gives it the name of its node, also within its findings.
    pub fn call(&mut self, node: &str) {
        let (old, new) = (self.name, Name::from(node));
        let names = self.findings.all.iter_mut().flat_map(|found| &mut found.names);
        names.chain([&mut self.name, &mut self.by]).filter(|name| **name == old).for_each(|name| *name = new);
    }

    /// Whether nothing but velocities differs from `other`.
    pub fn is_alike(&self, other: &Self) -> bool {
        let flow = |flow: Flow| Flow { velocity: [0.0; 2], ..flow };
        let plain = |stage: &Self| Self { asked: flow(stage.asked), passed: flow(stage.passed), ..*stage };
        plain(self) == plain(other)
    }

    /// Adds a finding.
    pub fn find<'a>(&mut self, code: Code, names: impl IntoIterator<Item = &'a str>) {
        self.findings.push(Reason::of(code, names));
    }
}

/// The findings of a stage: at most eight, of which those of the least rank stay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Findings {
    all: [Reason; 8],
    count: usize,
}

impl Default for Findings {
    fn default() -> Self {
        Self { all: [Reason::new(Code::Moves); 8], count: 0 }
    }
}

impl Findings {
    /// Adds `reason`, unless there is one of its code.
    pub fn push(&mut self, reason: Reason) {
        if self.iter().any(|known| known.code == reason.code) {
            return;
        }
        if let Some(place) = self.all.get_mut(self.count) {
            *place = reason;
            self.count += 1;
        } else if let Some(mildest) = self.all.iter_mut().max_by_key(|known| known.code)
            && reason.code < mildest.code
        {
            *mildest = reason;
        }
    }

    /// Replaces the names of the finding with this code, if there is one.
    pub fn name<'a>(&mut self, code: Code, names: impl IntoIterator<Item = &'a str>) {
        if let Some(found) = self.all.iter_mut().take(self.count).find(|found| found.code == code) {
            *found = Reason::of(code, names);
        }
    }

    /// The findings, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Reason> {
        self.all.iter().take(self.count)
    }

    /// The finding of the least rank among those that `are`.
    pub fn first(&self, are: impl Fn(&Reason) -> bool) -> Option<Reason> {
        self.iter().filter(|reason| are(reason)).min_by_key(|reason| reason.code).copied()
    }

    /// Whether one has this code.
    pub fn contain(&self, code: Code) -> bool {
        self.iter().any(|reason| reason.code == code)
    }
}

/// Whether the vehicle moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// The motors have a value that is not a stop.
    Yes,
    /// Nothing holds back the next command for motion, or only who sends it, or it starts by itself.
    May,
    /// It stands until the act is done.
    No,
}

impl Moves {
    /// Whether the vehicle moves if this is the `reason`.
    pub fn of(reason: &Reason) -> Self {
        match reason.rank() {
            10 | 11 => Self::Yes,
            8 => Self::May,
            7 if matches!(reason.act(), Act::Push | Act::Wait) => Self::May,
            _ => Self::No,
        }
    }

    /// Whether the vehicle moves if this is the `reason` and the last stage of `chain` is the gate: a stop that still brakes moves.
    pub fn in_chain(reason: &Reason, chain: &[Stage]) -> Self {
        let has_values = chain.last().is_some_and(|gate| gate.passed.is_motion);
        if has_values && reason.code != Code::NoMotorNode { Self::Yes } else { Self::of(reason) }
    }

    /// The word in the topic.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::May => "may",
            Self::No => "no",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_findings_that_matter_most_stay() {
        let mut findings = Findings::default();
        for &code in Code::ALL.iter().rev() {
            findings.push(Reason::new(code));
            findings.push(Reason::new(code)); // no second time
        }
        let mut found: Vec<Code> = findings.iter().map(|reason| reason.code).collect();
        found.sort_unstable();
        assert_eq!(found, Code::ALL[..8]);
        assert_eq!(
            findings.first(|reason| reason.rank() == 2).map(|reason| reason.code),
            Some(Code::EstopPressed)
        );
    }

    #[test]
    fn a_vehicle_moves_only_by_the_last_ranks() {
        for &code in Code::ALL {
            let is_moving = matches!(code, Code::ZoneLimits | Code::TopSpeed | Code::Moves);
            assert_eq!(Moves::of(&Reason::new(code)) == Moves::Yes, is_moving, "{code:?}");
        }
    }
}
