use super::SwitchInput;

/// The software switch `hind/enable`, and whether its rise armed the vehicle.
///
/// A rise arms: true after a false, both received while there was only one publisher. So the repeated true of one publisher
/// does not switch on a vehicle that another one switched off, and a switch that is on at start does not arm it.
/// # Source
/// own, after ISO 14118 on unexpected start-up; the original's enable was a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct EnableSwitch {
    level: Level,
    armed: bool,
    /// Age of the last message \[ns\]; zero while no lease runs.
    age: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Level {
    #[default]
    NeverReceived,
    /// Off; `alone` if its publisher was the only one since.
    Off {
        alone: bool,
    },
    On,
}

impl EnableSwitch {
    /// The last level; `None` before the first.
    pub const fn level(self) -> Option<bool> {
        match self.level {
            Level::NeverReceived => None,
            Level::Off { .. } => Some(false),
            Level::On => Some(true),
        }
    }

    /// Whether it is on.
    pub const fn is_on(self) -> bool {
        matches!(self.level, Level::On)
    }

    /// Whether it rose since the last stop that requires a rise.
    pub const fn is_armed(self) -> bool {
        self.armed
    }

    /// Whether it is on and was not repeated within `lease` \[ns\]; 0 is no lease.
    pub const fn is_lapsed(self, lease: u64) -> bool {
        lease > 0 && self.is_on() && self.age >= lease
    }

    /// The time until it lapses \[ns\].
    pub fn lapses_in(self, lease: u64) -> Option<u64> {
        (lease > 0 && self.is_on() && self.age < lease).then(|| lease - self.age)
    }

    /// Lets `dt` \[ns\] pass.
    pub fn pass_time(&mut self, dt: u64, lease: u64) {
        self.age = if lease > 0 && self.is_on() { self.age.saturating_add(dt).min(lease) } else { 0 };
    }

    /// Records a level. `alone`: there is one publisher; `lease` as in [`EnableSwitch::is_lapsed`]. A true that is not recent is
    /// no rise.
    pub fn receive(&mut self, SwitchInput { on, age }: SwitchInput, alone: bool, lease: u64) {
        let is_recent = SwitchInput { on, age }.is_recent();
        let rises = alone && is_recent && self.level == Level::Off { alone: true };
        self.armed = on && (self.armed || rises);
        self.level = if on { Level::On } else { Level::Off { alone } };
        self.age = 0;
        self.pass_time(age, lease);
    }

    /// Records that there is more than one publisher: levels received until now make no rise.
    pub fn record_conflict(&mut self) {
        if matches!(self.level, Level::Off { .. }) {
            self.level = Level::Off { alone: false };
        }
    }

    /// Requires a new rise.
    pub fn disarm(&mut self) {
        self.armed = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(on: bool) -> SwitchInput {
        SwitchInput { on, age: 0 }
    }

    fn switch(levels: &[(bool, bool)]) -> EnableSwitch {
        let mut switch = EnableSwitch::default();
        levels.iter().for_each(|&(on, alone)| switch.receive(input(on), alone, 100));
        switch
    }

    #[test]
    fn only_a_rise_arms() {
        assert!(!switch(&[(true, true)]).is_armed(), "it was on at the start");
        assert!(switch(&[(false, true), (true, true)]).is_armed());
        assert!(
            switch(&[(false, true), (true, true), (true, false)]).is_armed(),
            "only a conflict ends that"
        );
        assert!(!switch(&[(false, true), (true, true), (false, true)]).is_armed());
        let mut disarmed = switch(&[(false, true), (true, true)]);
        disarmed.disarm();
        disarmed.receive(input(true), true, 100);
        assert!(!disarmed.is_armed(), "a repeated true is not a rise");
    }

    #[test]
    fn a_queued_true_is_not_a_rise_but_a_queued_false_counts() {
        for (off, on, arms) in [(true, false, true), (false, true, false)] {
            let mut switch = EnableSwitch::default();
            let waited = |is| if is { 100_000_000 } else { 99_999_999 };
            switch.receive(SwitchInput { on: false, age: waited(off) }, true, 100);
            switch.receive(SwitchInput { on: true, age: waited(on) }, true, 100);
            assert_eq!(switch.is_armed(), arms);
        }
    }

    #[test]
    fn a_false_and_a_true_of_two_publishers_are_not_a_rise() {
        for (off, on) in [(true, false), (false, true), (false, false)] {
            assert!(!switch(&[(false, off), (true, on)]).is_armed());
        }
        let mut contested = switch(&[(false, true)]);
        contested.record_conflict();
        contested.receive(input(true), true, 100);
        assert!(!contested.is_armed());
    }

    #[test]
    fn a_lease_lapses_unless_it_is_repeated() {
        let mut switch = switch(&[(false, true), (true, true)]);
        switch.pass_time(99, 100);
        assert_eq!(
            (switch.is_lapsed(100), switch.lapses_in(100), switch.lapses_in(0)),
            (false, Some(1), None)
        );
        switch.pass_time(1, 100);
        assert_eq!((switch.is_lapsed(100), switch.lapses_in(100), switch.is_lapsed(0)), (true, None, false));
        switch.receive(input(true), true, 100);
        assert!(!switch.is_lapsed(100));
        switch.receive(SwitchInput { on: true, age: 101 }, true, 100);
        assert!(switch.is_lapsed(100), "a queued repetition is assumed maximally old");
        assert!(!switch.is_lapsed(101), "a longer lease does not restore one that lapsed");
    }

    #[test]
    fn a_switch_that_is_off_does_not_age() {
        let mut off = switch(&[(false, true)]);
        off.pass_time(50, 100);
        assert_eq!(off, switch(&[(false, true)]), "no lease runs");
    }
}
