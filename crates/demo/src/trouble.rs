use core::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use crate::neighbours::Met;

/// Why the demo did not come to its good end.
#[derive(Debug)]
pub enum Trouble {
    /// The demo cannot have a ROS domain of its own.
    Isolation(isolation::Trouble),
    /// Somebody is in the demo's ROS domain.
    Met(Met),
    /// The demo's own node does not run.
    Ros(ros::Error),
    /// The operating system refused something.
    Io {
        /// What was tried.
        what: String,
        /// Its own words.
        source: io::Error,
    },
    /// A node's executable is not where the demo is.
    Absent {
        /// Where it should be.
        path: PathBuf,
    },
    /// A node ended although the demo still runs.
    Fell {
        /// Which one.
        name: &'static str,
        /// How.
        status: ExitStatus,
        /// Its last lines.
        words: String,
    },
    /// Some nodes never spoke.
    Silent {
        /// On these topics.
        topics: Vec<&'static str>,
        /// For so long \[s\].
        seconds: u64,
    },
    /// The course was driven and showed something wrong.
    Failed(Vec<String>),
    /// Somebody ended the demo before its time.
    Interrupted,
}

impl Trouble {
    /// Says what was tried when the operating system refused.
    pub fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }
}

impl From<ros::Error> for Trouble {
    fn from(error: ros::Error) -> Self {
        Self::Ros(error)
    }
}

impl From<isolation::Trouble> for Trouble {
    fn from(trouble: isolation::Trouble) -> Self {
        Self::Isolation(trouble)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Isolation(trouble) => trouble.fmt(f),
            Self::Met(met) => {
                write!(
                    f,
                    "{met}, which the demo would drive with: choose another ROS domain by {}",
                    isolation::OWN
                )
            }
            Self::Ros(error) => error.fmt(f),
            Self::Io { what, source } => write!(f, "could not {what}: {source}"),
            Self::Absent { path } => {
                write!(
                    f,
                    "there is no '{}'; build all executables with `cargo build -p nodes -p demo`",
                    path.display()
                )
            }
            Self::Fell { name, status, words } => {
                write!(f, "the node process '{name}' ended ({status})")?;
                match words.as_str() {
                    "" => f.write_str(" without a word"),
                    words => write!(f, "; its last words:\n{words}"),
                }
            }
            Self::Silent { topics, seconds } => {
                write!(f, "nothing came within {seconds} s on: {}", topics.join(", "))
            }
            Self::Failed(failures) => {
                let count = failures.len();
                write!(f, "{count} of the course's checks failed:")?;
                failures.iter().try_for_each(|failure| write!(f, "\n  {failure}"))
            }
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Trouble {}
