use core::fmt;
use std::io;
use std::process::ExitStatus;

use crate::other_nodes::OtherNode;

/// Why the demo failed.
#[derive(Debug)]
pub enum Error {
    /// The demo cannot have a ROS domain of its own.
    Isolation(isolation::Error),
    /// A conflicting node is in the demo's ROS domain.
    OtherNode(OtherNode),
    /// The demo's own node does not run.
    Ros(ros::Error),
    /// The file of the demo's hand is wrong.
    Device {
        /// Description of the fault.
        what: String,
    },
    /// The operating system refused something.
    Io {
        /// Action that was tried.
        what: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A node ended although the demo still runs.
    NodeEnded {
        /// Its name.
        name: String,
        /// Its exit status.
        status: ExitStatus,
        /// Its last lines.
        words: String,
    },
    /// Some nodes published nothing.
    NoMessage {
        /// The topics without a message.
        topics: Vec<&'static str>,
        /// The time waited \[s\].
        seconds: u64,
    },
    /// The script was played, and its checks failed.
    Failed(Vec<String>),
    /// The user ended the demo early.
    Interrupted,
}

impl Error {
    /// An error that names what was tried when the operating system refused.
    pub fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }
}

impl From<ros::Error> for Error {
    fn from(error: ros::Error) -> Self {
        Self::Ros(error)
    }
}

impl From<isolation::Error> for Error {
    fn from(error: isolation::Error) -> Self {
        Self::Isolation(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Isolation(error) => error.fmt(f),
            Self::OtherNode(other) => {
                write!(
                    f,
                    "{other}, which the demo would drive with: choose another ROS domain by {}",
                    isolation::OWN
                )
            }
            Self::Ros(error) => error.fmt(f),
            Self::Device { what } => write!(f, "config/hand.yaml: {what}"),
            Self::Io { what, source } => write!(f, "could not {what}: {source}"),
            Self::NodeEnded { name, status, words } => {
                write!(f, "the node process '{name}' ended ({status})")?;
                match words.as_str() {
                    "" => f.write_str(" without any output"),
                    words => write!(f, "; its last lines:\n{words}"),
                }
            }
            Self::NoMessage { topics, seconds } => {
                write!(f, "nothing was received within {seconds} s on: {}", topics.join(", "))
            }
            Self::Failed(failures) => {
                let count = failures.len();
                write!(f, "{count} of the script's checks failed:")?;
                failures.iter().try_for_each(|failure| write!(f, "\n  {failure}"))
            }
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Error {}
