use safety::{Level, PublisherCount, Stale};

use crate::feedback::{Evidence, Topic};
use crate::remote::Rejection;
use crate::{Remote, Source, State};

safety::counters! {
    /// Counts since the start.
    pub struct Counters {
        /// Received commands, invalid ones included.
        commands: "commands",
        /// Invalid commands.
        invalid_commands: "invalid commands",
        /// Commands beyond a hundred times full throw.
        implausible_commands: "implausible commands",
        /// Commands with an older stamp than the one in force, which were ignored; a stop never is.
        late_commands: "late commands",
        /// Commands whose stamps were too old.
        old_commands: "old commands",
        /// Commands with stamps from the future, which were rejected.
        future_commands: "future commands",
        /// How often a command was lost by silence.
        lost_commands: "lost commands",
        /// Commands with parts other than forward and turn, which were ignored.
        dropped_parts: "dropped parts",
        /// Commands beyond full throw.
        cut: "cut",
        /// Messages from the chair that show a source and count as evidence.
        feedback: "feedback",
        /// Invalid messages from the chair.
        invalid_feedback: "invalid feedback",
        /// Messages from the chair with another source while it was under our control.
        wrong_sources: "wrong sources",
        /// How often the chair was under our control and no longer reported it in time.
        lost_chairs: "lost chairs",
        /// Services called, repetitions included.
        calls: "calls",
        /// Services called again.
        repeated_calls: "repeated calls",
        /// Answers to services that were not called, or no longer pending.
        unexpected_answers: "unexpected answers",
        /// How often the mode was left without a report of another source afterwards.
        unconfirmed_removals: "unconfirmed removals",
        /// Sticks published, neutral ones included.
        published: "published",
    }
}

const CHAIR_PUBLISHERS: &str =
    "publishers of luci/joystick_position, luci/joystick_scaling or luci/chair_profile";

/// Why only neutral is published, or nothing at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Hold {
    /// The mode is not activated.
    #[error("not activated")]
    Inactive,
    /// The mode is being entered.
    #[error("entering the mode, neutral")]
    Activating,
    /// The mode is being left.
    #[error("leaving the mode, neutral")]
    Deactivating,
    /// The chair does not report the mode.
    #[error("the chair does not report the mode, neutral")]
    FeedbackSilent,
    /// Another source drives the chair.
    #[error("the chair is driven by '{}' ({}) and ignores this node, neutral", .0, .0.number())]
    WrongSource(Source),
    /// The chair reports our source, but not often enough yet.
    #[error("the chair has not reported the mode often enough yet, neutral")]
    FeedbackScarce,
    /// No command was received in time.
    #[error("no command in time, neutral")]
    CommandMissing,
    /// The last command was invalid.
    #[error("invalid command, neutral")]
    CommandInvalid,
    /// The last command is stale.
    #[error("no valid command, the last one {0}, neutral")]
    CommandStale(Stale),
    /// The last command was a hundred times full throw or more.
    #[error("an implausible command, neutral")]
    CommandImplausible,
    /// Several publishers of commands.
    #[error("{}, neutral", conflict(*.0, "publishers of commands"))]
    CommandConflict(PublisherCount),
    /// Several publishers of sticks for the chair.
    #[error("{}, neutral", conflict(*.0, "publishers of sticks for the chair"))]
    OtherDrivers(PublisherCount),
    /// Several publishers of a topic on which the chair reports: it may itself be silent.
    #[error("{}, neutral", conflict(*.0, CHAIR_PUBLISHERS))]
    OtherChairs(PublisherCount),
    /// This source drove the chair in between.
    #[error("the chair was driven by '{0}' in between: activate again, neutral")]
    Taken(Source),
    /// The publisher of commands requests motion and has sent no zero since the chair did not follow, or since a
    /// loss.
    #[error("waits for a zero command, neutral")]
    NotNeutral,
    /// The chair has not reported its profile, or not since several publishers reported it.
    #[error("the chair's profile was not reported, or not since two publishers reported it, neutral")]
    ProfileMissing,
    /// No calibration for the chair's profile, this one.
    #[error("no calibration for the chair's profile {0}, neutral")]
    NotCalibrated(i32),
}

/// Why the node gave up; kept until the next activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The service that enters the mode did not answer.
    #[error("the service that enters the mode did not answer")]
    NoAnswer,
    /// The service answered, but the chair did not report the mode.
    #[error("the service answered, but the chair did not enter the mode")]
    NotEntered,
    /// The service that leaves the mode did not answer, or the chair still reports the mode.
    #[error("the chair may still be in the mode: the service that leaves it had no effect")]
    NotLeft,
}

impl Remote {
    /// Counts since the start.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Why the node last gave up; `None` since the last activation.
    pub fn fault(&self) -> Option<Fault> {
        self.fault
    }

    /// The health of the node and the reason, as of the last call.
    pub fn health(&self) -> (Level, String) {
        if self.state == State::Inactive
            && let Some(fault) = self.fault
        {
            return (Level::Error, fault.to_string());
        }
        let Some(hold) = self.hold() else {
            return (Level::Ok, "the chair follows the commands".into());
        };
        let level = match hold {
            Hold::Inactive if self.is_left_over() => {
                let mode = self.params.mode;
                return (
                    Level::Warn,
                    format!("the chair is in the mode '{mode}' that this node is not driving in"),
                );
            }
            Hold::Inactive | Hold::CommandMissing => Level::Ok,
            Hold::Activating
            | Hold::Deactivating
            | Hold::FeedbackScarce
            | Hold::FeedbackSilent
            | Hold::ProfileMissing
            | Hold::NotNeutral => Level::Warn,
            Hold::WrongSource(_)
            | Hold::Taken(_)
            | Hold::CommandInvalid
            | Hold::CommandStale(_)
            | Hold::CommandImplausible
            | Hold::CommandConflict(_)
            | Hold::OtherDrivers(_)
            | Hold::OtherChairs(_)
            | Hold::NotCalibrated(_) => Level::Error,
        };
        (level, hold.to_string())
    }

    /// Whether the chair reports our source although this node does not drive: the mode was not left.
    pub(crate) fn is_left_over(&self) -> bool {
        matches!(self.evidence(), Evidence::Right | Evidence::Scarce)
    }

    /// Keys and values for `/diagnostics`.
    pub fn report(&self) -> Vec<(&'static str, String)> {
        let or_none = |value: Option<String>| value.unwrap_or_else(|| "none".into());
        let reported = |topic| self.feedback.source(topic).map(|source| source.to_string());
        let mut report = vec![
            ("mode", self.params.mode.to_string()),
            ("state", self.state.as_str().into()),
            ("hold", or_none(self.hold().map(|hold| hold.to_string()))),
            ("source on joystick_position", or_none(reported(Topic::Position))),
            ("source on joystick_scaling", or_none(reported(Topic::Scaling))),
            ("feedback rate [Hz]", or_none(self.feedback.rate().map(|rate| format!("{rate:.1}")))),
            ("chair profile", or_none(self.profile.number().map(|profile| profile.to_string()))),
            ("fault", or_none(self.fault.map(|fault| fault.to_string()))),
        ];
        match self.rejection {
            Some(Rejection::Invalid(invalid)) => report.push(("invalid command", invalid.to_string())),
            Some(Rejection::Stale(stale)) => report.push(("last stale command", stale.to_string())),
            _ => {}
        }
        if let Some(bad) = self.bad_feedback {
            report.push(("last invalid feedback", bad.to_string()));
        }
        report.extend(self.counters.report());
        report
    }
}

fn conflict(count: PublisherCount, publishers: &str) -> String {
    match count.total() {
        Some(total) => format!("{total} {publishers}"),
        None => format!("the {publishers} cannot be counted"),
    }
}
