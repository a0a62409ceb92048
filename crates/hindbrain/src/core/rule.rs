use core::fmt;

/// The rules of the machine, in the order in which they are asked; [`step`](super::step()) applies them.
///
/// T1 to T4, T6, T7 and T10 change the published state, T5 and T8 what is remembered for it, T9 the target.
/// # Source
/// own, after the transitions of hindbrain (Bravo, 2016), ISO 13850 and LinuxCNC's `estop_latch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// The emergency stop.
    T1,
    /// A fault of the node or the motor controller.
    T2,
    /// The way out of a latched stop.
    T3,
    /// The software switch, or whatever else blames ROS.
    T4,
    /// Arming.
    T5,
    /// The infra-red sensors.
    T6,
    /// Start.
    T7,
    /// Zero-first.
    T8,
    /// No command in force.
    T9,
    /// A soft stop that goes on for another cause.
    T10,
}

impl Rule {
    /// All rules, in order.
    pub const ALL: [Self; 10] =
        [Self::T1, Self::T2, Self::T3, Self::T4, Self::T5, Self::T6, Self::T7, Self::T8, Self::T9, Self::T10];

    /// Its row in the table of transitions: from, guard, to and effects.
    pub const fn row(self) -> [&'static str; 4] {
        match self {
            Self::T1 => {
                ["any", "e-stop pressed, silent, or required and never heard", "ESTOP", "level 0, disarmed"]
            }
            Self::T2 => [
                "any",
                "the motor controller is lost; or nobody watched for longer than the overrun limit while something \
                 moved or could",
                "FAULT",
                "level 0, disarmed",
            ],
            Self::T3 => [
                "ESTOP, FAULT",
                "the reset button is let go, having gone down after T1 and T2 had ceased to hold (`seed`: as soon as \
                 they cease)",
                "SSTOP",
                "disarmed: what came while latched is no edge (`seed`: goes on with T4, T6 and T7)",
            ],
            Self::T4 => [
                "OK",
                "not enabled, or the lease lapsed, or a second publisher of commands (`single_publisher`)",
                "SSTOP.ROS, SSTOP.BOTH",
                "cut or ramp; disarmed unless for the publisher",
            ],
            Self::T5 => ["SSTOP", "enable goes from a false that was heard to true", "same", "armed"],
            Self::T6 => ["OK", "the infra-red gate is closed for what is wanted", "SSTOP.IR", "cut or ramp"],
            Self::T7 => [
                "SSTOP",
                "enabled, armed before this step (`seed`: enabled), infra-red gate not closed, motor controller open, \
                 no rival publisher, standing",
                "OK",
                "starts at level 0, waits for a zero command",
            ],
            Self::T8 => ["OK", "a command within the dead band comes", "same", "may move"],
            Self::T9 => ["OK", "no command for the command time-out, or a zero that came too late to be one", "same", "target 0, down the slope"],
            Self::T10 => {
                ["SSTOP", "a cause comes or goes while another one stays", "SSTOP", "the blame changes"]
            }
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_complete_and_in_order() {
        for (index, rule) in Rule::ALL.into_iter().enumerate() {
            assert_eq!(rule as usize, index);
            assert_eq!(rule.to_string(), format!("T{}", index + 1));
        }
    }
}
