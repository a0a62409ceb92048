use safety::Instant;

use crate::arm::calls::{Answer, Call};
use crate::arm::robot::{Controller, JointState, Listed};

/// The changes since the script began, or since the user's last act.
pub type Record = crate::record::Record<Change>;

/// Something that was seen or done.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The state of pan and tilt was received.
    Joints([JointState; 2]),
    /// Whether any motor is halted was received.
    Halted(bool),
    /// A call was answered.
    Answered(Call, Answer),
    /// A new command was sent.
    Commanded(Controller, f64),
    /// A trajectory was sent.
    Followed,
}

impl Record {
    /// The states of the joints from `from` on.
    pub fn joints(&self, from: Instant) -> impl DoubleEndedIterator<Item = (Instant, &[JointState; 2])> {
        self.since(from).iter().filter_map(|(at, change)| match change {
            Change::Joints(joints) => Some((*at, joints)),
            _ => None,
        })
    }

    /// The last state of the joints no later than `time`.
    pub fn joints_at(&self, time: Instant) -> Option<&[JointState; 2]> {
        self.last(time, |change| if let Change::Joints(joints) = change { Some(joints) } else { None })
    }

    /// The answers from `from` on.
    pub fn answers(&self, from: Instant) -> impl DoubleEndedIterator<Item = (&Call, &Answer)> {
        self.since(from).iter().filter_map(|(_, change)| match change {
            Change::Answered(call, answer) => Some((call, answer)),
            _ => None,
        })
    }

    /// The last list of controllers that was received from `from` on.
    pub fn list_since(&self, from: Instant) -> Option<&[Listed]> {
        self.answers(from).rev().find_map(|(_, answer)| list(answer))
    }

    /// The last list of controllers that was received before `from`; none before the first.
    pub fn list_before(&self, from: Instant) -> &[Listed] {
        let earlier = self.iter().rev().skip_while(|(at, _)| *at >= from);
        let lists = earlier.filter_map(|(_, change)| match change {
            Change::Answered(_, answer) => list(answer),
            _ => None,
        });
        lists.into_iter().next().unwrap_or_default()
    }

    /// When the motors were first halted, or first ran, from `from` on.
    pub fn halted_since(&self, from: Instant, is_halted: bool) -> Option<Instant> {
        self.since(from).iter().find_map(|(at, change)| (*change == Change::Halted(is_halted)).then_some(*at))
    }

    /// When a trajectory was sent, from `from` on.
    pub fn followed_since(&self, from: Instant) -> Option<Instant> {
        self.since(from).iter().find_map(|(at, change)| (*change == Change::Followed).then_some(*at))
    }

    /// The last command to `controller` no later than `time`.
    pub fn command_at(&self, controller: Controller, time: Instant) -> Option<f64> {
        self.last(time, |change| match change {
            Change::Commanded(to, value) if *to == controller => Some(*value),
            _ => None,
        })
    }
}

fn list(answer: &Answer) -> Option<&[Listed]> {
    if let Answer::Listed(list) = answer { Some(list) } else { None }
}
