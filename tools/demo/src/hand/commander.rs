use core::time::Duration;

use safety::Instant;

/// The client that commands a grasp: it repeats a command without which the hand would hold after its time-out.
///
/// Its command is the cap on the speed of the motors, so a grasp goes on, and goes on gently. With its cable pulled it is silent, and
/// the hold that follows ends the grasp.
#[derive(Clone, Debug, Default)]
pub struct Commander {
    is_pulled: bool,
    is_active: bool,
    due: Instant,
}

/// Time from one repetition to the next.
const PERIOD: Duration = Duration::from_millis(50);
/// The cap on the speed of each motor \[rad/s\].
pub const CAP: f32 = 3.0;

impl Commander {
    /// Begins to repeat.
    pub fn begin(&mut self, now: Instant) {
        (self.is_active, self.due) = (true, now);
    }

    /// Repeats nothing any more.
    pub fn rest(&mut self) {
        self.is_active = false;
    }

    /// Pulls the cable, or plugs it in.
    pub fn pull(&mut self, is_pulled: bool) {
        self.is_pulled = is_pulled;
    }

    /// Whether the cable is pulled.
    pub fn is_pulled(&self) -> bool {
        self.is_pulled
    }

    /// Whether it has something to repeat.
    pub fn is_active(&self) -> bool {
        self.is_active
    }

    /// Whether a command is due.
    pub fn poll(&mut self, now: Instant) -> bool {
        let is_due = self.deadline().is_some_and(|due| now >= due);
        if is_due {
            self.due = now + PERIOD;
        }
        is_due
    }

    /// When a command is due.
    pub fn deadline(&self) -> Option<Instant> {
        (self.is_active && !self.is_pulled).then_some(self.due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often it commands from `from` on, within a second.
    fn count(commander: &mut Commander, from: u64) -> usize {
        (from..from + 1000).filter(|millis| commander.poll(Instant::from_millis(*millis))).count()
    }

    #[test]
    fn it_repeats_from_the_first_grasp_to_the_reset() {
        let mut commander = Commander::default();
        assert_eq!(count(&mut commander, 0), 0);
        commander.begin(Instant::from_millis(1000));
        assert_eq!(count(&mut commander, 1000), 20);
        commander.rest();
        assert_eq!(count(&mut commander, 2000), 0);
    }

    #[test]
    fn with_its_cable_pulled_it_is_silent() {
        let mut commander = Commander::default();
        commander.begin(Instant::ZERO);
        commander.pull(true);
        assert_eq!((count(&mut commander, 0), commander.deadline()), (0, None));
        commander.pull(false);
        assert_eq!(count(&mut commander, 1000), 20);
    }
}
