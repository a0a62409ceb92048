use core::fmt;

use units::{Level, Stale};
use zones::explain;

use crate::feedback::{Evidence, Topic};
use crate::remote::Unheard;
use crate::{Remote, Source, State};

/// What has come and gone since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Commands that came, invalid ones included.
    pub commands: u64,
    /// Messages that were not a command.
    pub invalid_commands: u64,
    /// Commands beyond a hundred times full throw.
    pub unreasonable_commands: u64,
    /// Commands with an older stamp than the one in force, which were left out; a stop never is.
    pub late_commands: u64,
    /// Commands whose stamps were too old to count at all.
    pub old_commands: u64,
    /// Commands with stamps from the future, which are none.
    pub future_commands: u64,
    /// How often a command was lost by silence.
    pub lost_commands: u64,
    /// Commands with other parts than forward and turn, which were left out.
    pub dropped_parts: u64,
    /// Commands beyond full throw.
    pub cut: u64,
    /// Messages from the chair that show a source and count as evidence.
    pub feedback: u64,
    /// Messages from the chair that made no sense.
    pub invalid_feedback: u64,
    /// Messages from the chair with another source while it was ours.
    pub wrong_sources: u64,
    /// How often the chair was ours and no longer showed it in time.
    pub lost_chairs: u64,
    /// Services called, repetitions included.
    pub calls: u64,
    /// Services called again.
    pub repeated_calls: u64,
    /// Answers to what was not asked, or no longer.
    pub unexpected_answers: u64,
    /// How often the mode was left without the chair showing another source after it.
    pub unconfirmed_removals: u64,
    /// Sticks published, neutral ones included.
    pub published: u64,
}

/// Why nothing but neutral goes out, or nothing at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Not activated.
    Inactive,
    /// The mode is being entered.
    Activating,
    /// The mode is being left.
    Deactivating,
    /// Nothing that shows the mode is heard from the chair.
    FeedbackSilent,
    /// The chair is driven by another source.
    WrongSource(Source),
    /// The chair shows our source, but not often enough yet.
    FeedbackScarce,
    /// No command has come in time.
    CommandMissing,
    /// The last message was not a command.
    CommandInvalid,
    /// The last command is not of now.
    CommandStale(Stale),
    /// The last command was a hundred times full throw or more.
    CommandBeyondReason,
    /// So many publish commands.
    Rivals(usize),
    /// So many publish sticks for the chair.
    OtherDrivers(usize),
    /// So many publish a topic by which the chair shows itself: it may be silent behind them.
    OtherChairs(usize),
    /// The chair was driven by this source in between.
    Taken(Source),
    /// The publisher of commands asks for motion and sent no zero since the chair did not follow, or since a loss.
    NotNeutral,
    /// The chair has not told its profile, or not since more than one told it.
    ProfileMissing,
    /// There is no calibration for the chair's profile, this one.
    NotCalibrated(i32),
}

/// Why the node gave up; kept until it is activated again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The service that enters the mode did not answer.
    NoAnswer,
    /// It answered, but the chair did not show the mode.
    NotEntered,
    /// The service that leaves the mode did not answer, or the chair still shows the mode.
    NotLeft,
}

impl Remote {
    /// What has come and gone since the start.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Why the node gave up last; `None` since the last activation.
    pub fn fault(&self) -> Option<Fault> {
        self.fault
    }

    /// How well the node is and why, as of the last call.
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
            Hold::Inactive => Level::Ok,
            Hold::Activating | Hold::Deactivating | Hold::FeedbackScarce | Hold::NotNeutral => Level::Warn,
            Hold::CommandMissing | Hold::ProfileMissing | Hold::FeedbackSilent => Level::Stale,
            Hold::WrongSource(_)
            | Hold::Taken(_)
            | Hold::CommandInvalid
            | Hold::CommandStale(_)
            | Hold::CommandBeyondReason
            | Hold::Rivals(_)
            | Hold::OtherDrivers(_)
            | Hold::OtherChairs(_)
            | Hold::NotCalibrated(_) => Level::Error,
        };
        (level, hold.to_string())
    }

    /// Whether the chair shows our source although we do not drive: nobody left the mode.
    pub(crate) fn is_left_over(&self) -> bool {
        matches!(self.evidence(), Evidence::Right | Evidence::Scarce)
    }

    /// Keys and values for `/diagnostics`.
    pub fn report(&self) -> Vec<(&'static str, String)> {
        let Counters {
            commands,
            invalid_commands,
            unreasonable_commands,
            late_commands,
            old_commands,
            future_commands,
            lost_commands,
            dropped_parts,
            cut,
            feedback,
            invalid_feedback,
            wrong_sources,
            lost_chairs,
            calls,
            repeated_calls,
            unexpected_answers,
            unconfirmed_removals,
            published,
        } = self.counters;
        let or_none = |value: Option<String>| value.unwrap_or_else(|| "none".into());
        let shown = |topic| self.feedback.source(topic).map(|source| source.to_string());
        let mut report = vec![
            ("mode", self.params.mode.to_string()),
            ("state", self.state.as_str().into()),
            ("hold", or_none(self.hold().map(|hold| hold.to_string()))),
            ("source on joystick_position", or_none(shown(Topic::Position))),
            ("source on joystick_scaling", or_none(shown(Topic::Scaling))),
            ("feedback rate [Hz]", or_none(self.feedback.rate().map(|rate| format!("{rate:.1}")))),
            ("chair profile", or_none(self.profile.number().map(|profile| profile.to_string()))),
            ("fault", or_none(self.fault.map(|fault| fault.to_string()))),
        ];
        match self.unheard {
            Some(Unheard::Invalid(invalid)) => report.push(("invalid command", invalid.to_string())),
            Some(Unheard::Stale(stale)) => report.push(("last stale command", explain(stale))),
            _ => {}
        }
        if let Some(bad) = self.bad_feedback {
            report.push(("last invalid feedback", bad.to_string()));
        }
        let numbers = [
            ("commands", commands),
            ("invalid commands", invalid_commands),
            ("unreasonable commands", unreasonable_commands),
            ("late commands", late_commands),
            ("old commands", old_commands),
            ("future commands", future_commands),
            ("lost commands", lost_commands),
            ("dropped parts", dropped_parts),
            ("cut", cut),
            ("feedback", feedback),
            ("invalid feedback", invalid_feedback),
            ("wrong sources", wrong_sources),
            ("lost chairs", lost_chairs),
            ("calls", calls),
            ("repeated calls", repeated_calls),
            ("unexpected answers", unexpected_answers),
            ("unconfirmed removals", unconfirmed_removals),
            ("published", published),
        ];
        report.extend(numbers.map(|(key, count)| (key, count.to_string())));
        report
    }
}

impl fmt::Display for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inactive => f.write_str("not activated"),
            Self::Activating => f.write_str("asking the chair for the mode, neutral"),
            Self::Deactivating => f.write_str("giving the mode back, neutral"),
            Self::FeedbackSilent => {
                f.write_str("nothing that shows the mode is heard from the chair, neutral")
            }
            Self::WrongSource(source) => {
                write!(
                    f,
                    "the chair is driven by '{source}' ({}) and ignores this node, neutral",
                    source.number()
                )
            }
            Self::FeedbackScarce => f.write_str("the chair has not shown the mode often enough yet, neutral"),
            Self::CommandMissing => f.write_str("no command in time, neutral"),
            Self::CommandInvalid => f.write_str("invalid command, neutral"),
            Self::CommandStale(stale) => {
                write!(f, "no command of now, the last one {}, neutral", explain(*stale))
            }
            Self::Taken(source) => {
                write!(f, "the chair was driven by '{source}' in between: activate again, neutral")
            }
            Self::CommandBeyondReason => f.write_str("a command beyond all reason, neutral"),
            Self::Rivals(usize::MAX) => f.write_str("the publishers of commands cannot be counted, neutral"),
            Self::Rivals(count) => write!(f, "{count} publishers of commands, neutral"),
            Self::OtherDrivers(usize::MAX) => {
                f.write_str("the publishers of sticks for the chair cannot be counted, neutral")
            }
            Self::OtherChairs(usize::MAX) => {
                f.write_str("who publishes what the chair shows cannot be counted, neutral")
            }
            Self::OtherChairs(count) => {
                write!(
                    f,
                    "{count} publishers of luci/joystick_position, luci/joystick_scaling or luci/chair_profile, neutral"
                )
            }
            Self::OtherDrivers(count) => write!(f, "{count} nodes publish sticks for the chair, neutral"),
            Self::NotNeutral => f.write_str("waits for a zero command, neutral"),
            Self::ProfileMissing => {
                f.write_str("the chair has not told its profile, or not since two told it, neutral")
            }
            Self::NotCalibrated(profile) => {
                write!(f, "no calibration for the chair's profile {profile}, neutral")
            }
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoAnswer => "the service that enters the mode did not answer",
            Self::NotEntered => "the service answered, but the chair did not enter the mode",
            Self::NotLeft => "the chair may still be in the mode: the service that leaves it had no effect",
        })
    }
}
