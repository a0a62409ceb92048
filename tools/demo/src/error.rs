use std::io;
use std::process::ExitStatus;

use crate::other_nodes::OtherNode;

/// Why the demo failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The demo cannot have a ROS domain of its own.
    #[error(transparent)]
    Isolation(#[from] isolation::Error),
    /// A conflicting node is in the demo's ROS domain.
    #[error("{0}, which the demo would drive with: choose another ROS domain by {own}", own = isolation::OWN)]
    OtherNode(OtherNode),
    /// The demo's own node does not run.
    #[error(transparent)]
    Ros(#[from] ros::Error),
    /// The file of the demo's hand is wrong.
    #[error("config/hand.yaml: {0}")]
    Device(String),
    /// The operating system refused something.
    #[error("could not {what}: {source}")]
    Io {
        /// Action that was tried.
        what: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A node ended although the demo still runs.
    #[error("the node process '{name}' ended ({status}){}", last_lines(.words))]
    NodeEnded {
        /// Its name.
        name: String,
        /// Its exit status.
        status: ExitStatus,
        /// Its last lines.
        words: String,
    },
    /// Some nodes published nothing.
    #[error("nothing was received within {seconds} s on: {}", .topics.join(", "))]
    NoMessage {
        /// The topics without a message.
        topics: Vec<&'static str>,
        /// The time waited \[s\].
        seconds: u64,
    },
    /// The script was played, and its checks failed.
    #[error("{} of the script's checks failed:\n  {}", .0.len(), .0.join("\n  "))]
    Failed(Vec<String>),
    /// The node gave a wrong answer or none, or became silent.
    #[error("{0}")]
    Wrong(String),
    /// The user ended the demo early.
    #[error("interrupted")]
    Interrupted,
}

impl Error {
    /// An error that names what was tried when the operating system refused.
    pub fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }
}

fn last_lines(words: &str) -> String {
    if words.is_empty() { " without any output".into() } else { format!("; its last lines:\n{words}") }
}
