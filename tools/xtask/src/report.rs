//! The output for the user: progress, times, and one sentence when a step failed.
//!
//! Everything goes to stderr, since the stdout of `cargo xtask env` is evaluated by a shell.

use std::fmt;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// Why a command failed: one sentence, with what to do if that is known.
#[derive(Debug)]
pub struct Failure(pub String);

/// The result of everything here.
pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    /// A failure with this sentence.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }

    /// An input or output error while doing `what` to `path`; a full disk is named as such.
    pub fn io(what: &str, path: &Path, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::StorageFull {
            return Self::disk_full(path);
        }
        Self(format!("could not {what} {}: {error}", path.display()))
    }

    /// The disk that holds `path` is full.
    pub fn disk_full(path: &Path) -> Self {
        Self(format!(
            "the disk that holds {} is full: free about 1.5 GB there and run it again",
            path.display()
        ))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Prints the present step.
pub fn step(text: impl fmt::Display) {
    eprintln!("xtask: {text}");
}

/// The wall time of a part of the work.
pub struct Watch(Instant);

impl Watch {
    /// Starts counting.
    #[allow(clippy::disallowed_methods)] // A developer's tool reports how long it took.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

impl fmt::Display for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&seconds(self.elapsed()))
    }
}

/// `3.2 s`, and from two minutes on `2 min 5 s`.
pub fn seconds(time: Duration) -> String {
    if time.as_secs() < 120 {
        return format!("{:.1} s", time.as_secs_f64());
    }
    format!("{} min {} s", time.as_secs() / 60, time.as_secs() % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_named() {
        let error = io::Error::from(io::ErrorKind::StorageFull);
        assert!(
            Failure::io("write", Path::new("/a/b"), &error).0.contains("the disk that holds /a/b is full")
        );
    }

    #[test]
    fn times_are_readable() {
        assert_eq!(seconds(Duration::from_millis(3_240)), "3.2 s");
        assert_eq!(seconds(Duration::from_secs(125)), "2 min 5 s"); // 125 = 2 * 60 + 5
    }
}
