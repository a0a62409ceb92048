//! Settings and messages of the model, and its memory of each source and lock.

use arbiter::ZeroCause;

#[derive(Clone, Debug)]
pub struct Setting {
    /// Priority and timeout.
    pub sources: Vec<(u8, i64)>,
    /// Which sources are sticks: they send zero at rest, so after any silence they begin with one.
    pub sticks: Vec<bool>,
    /// Priority and timeout.
    pub locks: Vec<(u8, i64)>,
}

/// Request of a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Asks {
    Go,
    Stop,
    /// A zero of a stick that was not released.
    Hold,
    /// A zero that a stick passes on its way from ahead to back.
    Pass,
    Nonsense,
}

impl Asks {
    pub fn is_motion(self) -> bool {
        matches!(self, Self::Go | Self::Pass)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    TooOld,
    Future,
    Nonsense,
    Unasked,
}

/// The model's state of a source.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    pub ticks_in_list: i64,
    pub received: bool,
    /// The command in force: whether it asks for motion, and its age.
    pub obeyed: Option<(bool, i64)>,
    /// The remaining ticks of a turn that a late stop keeps.
    pub turn: i64,
    /// Why a zero is required, if it is.
    pub owes: Option<ZeroCause>,
    pub publishers: usize,
    pub fault: Option<(Fault, i64)>,
    /// The newest stamp that was accepted (0: none), and the age of its message.
    pub newest: i64,
    pub newest_age: i64,
    /// The last stamp that was refused as from the future.
    pub future: i64,
    /// How long ago it asked for motion, if it sent no zero since.
    pub wants: Option<i64>,
    /// The stamp of the last message, to repeat it.
    pub sent: i64,
    /// Whether its last command that counted was no released zero; false again once that was answered by the others.
    pub engaged: bool,
}

impl Memory {
    /// A source that was added just now.
    pub fn new(is_stick: bool) -> Self {
        Self { owes: is_stick.then_some(ZeroCause::Begins), ..Self::default() }
    }
}

/// The model's state of a lock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bar {
    /// Closed, and the age of the message.
    pub last: Option<(bool, i64)>,
    /// The ticks of only open that are left before it opens.
    pub opens_in: i64,
    pub publishers: usize,
}
