use std::collections::BTreeSet;

/// How long a state is a state \[ms\].
const SILENT_AFTER: u64 = 1500;
/// A process that says something twice within less may have died meanwhile: 0.4 s, of which a late message may seem to be 0.3 s
/// \[ms\].
const LIVES_ON: u64 = 100;
/// The e-stop counts as pressed when it is silent for longer \[ms\].
const ESTOP_SILENT_AFTER: u64 = 250;
/// For so long after a hold messages may have waited since its beginning \[ms\].
const QUEUES: u64 = 50;
/// How soon the neighbour must follow when nothing disturbs it: a period of the state for the first message, one for its repetition,
/// and one for a message that was lost \[ms\].
const FOLLOWS_WITHIN: u64 = 1300;

/// The rules, and the truth about who did and published what, which neither hindbrain nor the neighbour can know.
///
/// 1. hindbrain, once in an emergency stop, says nothing else before a reset: pressed and released, with the e-stop released.
/// 2. The neighbour, once it received an emergency stop, moves only after hindbrain's reset or its own.
/// 3. hindbrain's counts only if the process that published `ESTOP` was reset and shows it, and if nothing was lost since.
/// 4. The neighbour's counts only while the only publisher says that it is in no emergency stop, and lives on.
/// 5. After a loss, a replacement or a second publisher the neighbour moves only after its own reset.
/// 6. A reset of the neighbour that may have waited while it was held is none; a state that may have is as old as the hold.
/// 7. When nothing of this prevents it, the neighbour moves.
#[derive(Clone, Default)]
pub struct Oracle {
    // hindbrain's present process, or the last one.
    brain: u8,
    is_alive: bool,
    /// When the e-stop was last received, and whether it was pressed.
    estop: Option<(u64, bool)>,
    is_stopped: bool,
    is_reset_down: bool,
    /// Whether the reset button is down, or was not received yet: then it cannot be pressed.
    is_button_down: bool,
    /// The resets that were pressed and released, by process, and their times.
    resets: BTreeSet<(u8, u64)>,
    // The neighbour.
    /// Whether a state was confirmed, and whether the neighbour moved since its start.
    has_begun: bool,
    has_moved: bool,
    /// The emergency stop that the neighbour knows of: its publisher, and when it was sent.
    owed: Option<(u8, u64)>,
    is_lost: bool,
    /// Whether an emergency stop ended and the neighbour has not moved since; and whether the neighbour may move then, or wait for its reset.
    has_just_ended: bool,
    is_doubtful: bool,
    graph: Vec<u8>,
    graph_changed: u64,
    /// Whether the neighbour cannot know who published the emergency stop: it came with a change of the graph.
    is_anybodys: bool,
    /// When a state was last received.
    last: Option<u64>,
    /// When the neighbour last read its messages.
    read: u64,
    /// When it last did so before its last hold, and when that ended. Of holds with less than [`QUEUES`] between them the first one's beginning.
    held: Option<(u64, u64)>,
    /// From when on the last state may count as too old, since it may have waited.
    expires: u64,
    /// Who first published another state, when, and whether that process lives on.
    clear: Option<(u8, u64, bool)>,
    quiet_since: u64,
    /// How many emergency stops were ended by hindbrain's reset, and how many halts by the neighbour's.
    pub ended: [u64; 2],
    /// How many of the neighbour's resets would have ended a halt, had they not waited.
    pub refused: u64,
}

impl Oracle {
    /// A process of hindbrain was started.
    pub fn started(&mut self, now: u64, id: u8) {
        (self.brain, self.estop, self.is_stopped, self.is_reset_down) = (id, None, false, false);
        (self.is_alive, self.is_button_down) = (true, true);
        self.disturbed(now);
    }

    /// It ended.
    pub fn ended(&mut self) {
        self.is_alive = false;
    }

    /// hindbrain received the e-stop. Its first message also stops: an earlier process may not have been reset.
    pub fn estop_received(&mut self, now: u64, pressed: bool) {
        self.pass(now);
        if pressed || self.estop.is_none() {
            self.stops();
        }
        self.estop = Some((now, pressed));
    }

    /// hindbrain received the reset button; `late` if the message waited while the process was held.
    pub fn reset_received(&mut self, now: u64, down: bool, late: bool) {
        self.pass(now);
        let is_released = self.estop.is_none_or(|(_, pressed)| !pressed) && !self.is_silent(now);
        if !down && self.is_reset_down {
            self.is_stopped = false;
            self.resets.insert((self.brain, now));
        }
        let is_pressed = self.is_reset_down || !self.is_button_down;
        self.is_reset_down = down && !late && is_released && is_pressed;
        self.is_button_down = down;
    }

    /// hindbrain published `text`.
    pub fn published(&mut self, now: u64, text: &str) -> Result<(), String> {
        self.pass(now);
        if text == "ESTOP" {
            self.is_stopped = true;
        } else if self.is_stopped {
            return Err(format!("hindbrain {} says {text} without a reset", self.brain));
        }
        Ok(())
    }

    fn is_silent(&self, now: u64) -> bool {
        self.estop.is_some_and(|(at, pressed)| !pressed && now >= at + ESTOP_SILENT_AFTER)
    }

    fn pass(&mut self, now: u64) {
        if self.is_silent(now) {
            self.stops();
        }
    }

    fn stops(&mut self) {
        (self.is_stopped, self.is_reset_down) = (true, false);
    }

    /// Something happened that may delay the neighbour.
    pub fn disturbed(&mut self, now: u64) {
        self.quiet_since = now;
    }

    /// The neighbour's process was started again: it knows nothing.
    pub fn neighbour_restarted(&mut self, now: u64) {
        (self.has_begun, self.has_moved, self.owed, self.is_lost) = (false, false, None, false);
        (self.graph, self.last, self.clear) = (Vec::new(), None, None);
        (self.has_just_ended, self.is_doubtful, self.held) = (false, false, None);
        self.disturbed(now);
    }

    /// The neighbour's process is held from now on.
    pub fn neighbour_held(&mut self, now: u64) {
        let began = match self.held {
            Some((began, ended)) if now < ended + QUEUES => began,
            _ => self.read,
        };
        self.held = Some((began, u64::MAX));
    }

    /// It goes on.
    pub fn neighbour_goes_on(&mut self, now: u64) {
        self.held = self.held.map(|(began, _)| (began, now));
        self.disturbed(now);
    }

    /// The neighbour read the graph.
    pub fn counted(&mut self, now: u64, publishers: &[u8]) {
        self.pass_neighbour(now);
        self.read = now;
        if self.graph != publishers {
            if self.graph.len() == 1 {
                self.lose();
            }
            (self.graph, self.graph_changed) = (publishers.to_vec(), now);
            self.disturbed(now);
        }
        if publishers.len() > 1 {
            self.is_lost = true;
        }
    }

    /// The neighbour received what `from` published.
    pub fn handed(&mut self, now: u64, from: u8, text: &str, sent: u64) {
        self.pass_neighbour(now);
        self.last = Some(now);
        let new = match self.held {
            Some((began, ended)) if now < ended + QUEUES => began,
            _ => now,
        };
        self.expires = new + SILENT_AFTER;
        if text == "ESTOP" {
            (self.owed, self.clear) = (Some((from, sent)), None);
            self.is_anybodys = self.graph != [from] || self.graph_changed == now;
            self.disturbed(now);
            return;
        }
        let since = match self.clear {
            Some((by, since, _)) if by == from => since,
            _ => sent,
        };
        let lives_on = sent >= since + LIVES_ON;
        self.clear = Some((from, since, lives_on));
        if self.graph != [from] {
            return;
        }
        let is_reset = self.owed.is_none_or(|(by, at)| {
            by == from && self.resets.iter().any(|&(of, reset)| of == from && (at..=sent).contains(&reset))
        });
        if is_reset && !self.is_lost {
            if self.owed.take().is_some() {
                self.ended[0] += 1;
                self.has_just_ended = true;
                self.is_doubtful |= self.is_anybodys;
            }
            self.has_begun |= lives_on;
        }
    }

    /// Whether a reset of the neighbour's motors may end its halt.
    pub fn may_reset(&mut self, now: u64) -> bool {
        self.pass_neighbour(now);
        self.clear.is_some_and(|(by, _, lives_on)| lives_on && self.graph == [by])
    }

    /// The neighbour obeyed its reset.
    pub fn motors_reset(&mut self) {
        self.ended[1] += u64::from(self.owed.is_some() || self.is_lost);
        (self.owed, self.is_lost, self.has_begun) = (None, false, true);
    }

    /// A reset of the neighbour's motors waited while it was held.
    pub fn reset_waited(&mut self, now: u64) {
        self.refused += u64::from(self.may_reset(now) && (self.owed.is_some() || self.is_lost));
    }

    /// Whether nothing has disturbed the neighbour for so long that it must follow.
    pub fn is_quiet(&self, now: u64) -> bool {
        self.is_alive && now >= self.quiet_since + FOLLOWS_WITHIN
    }

    /// Judges whether the neighbour may move, or has to.
    pub fn judge(&mut self, now: u64, moves: bool) -> Result<(), String> {
        self.pass_neighbour(now);
        self.has_moved |= moves;
        if moves {
            (self.has_just_ended, self.is_doubtful) = (false, false);
        }
        let forbids = [
            (self.owed.is_some(), "an emergency stop was not reset"),
            (self.is_lost, "a loss was not reset"),
            (!self.has_begun, "no state was confirmed"),
        ];
        match forbids.iter().find(|(holds, _)| *holds) {
            Some((_, why)) if moves => Err(format!("the neighbour moves, and {why}")),
            None if !moves && !self.is_doubtful && self.is_quiet(now) => {
                Err("the neighbour stays halted, and nothing forbids it".into())
            }
            _ => Ok(()),
        }
    }

    /// The last state is none any more when it is too old.
    fn pass_neighbour(&mut self, now: u64) {
        if self.last.is_some_and(|at| now >= at + SILENT_AFTER) {
            self.lose();
            self.disturbed(now);
        }
        // The neighbour may hold it for lost, and then waits for its reset.
        self.is_doubtful |= self.last.is_some() && now >= self.expires;
    }

    fn lose(&mut self) {
        (self.last, self.clear) = (None, None);
        self.is_lost |= self.has_moved || self.owed.is_some();
        self.has_begun &= self.has_moved;
        self.is_doubtful |= self.has_just_ended;
    }
}
