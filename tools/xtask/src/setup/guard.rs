//! One setup at a time.

use std::fs::{self, File, TryLockError};
use std::process::Stdio;

use crate::report::{Failure, Outcome, step};
use crate::root::Root;

/// The lock on `.ros2/`, held as long as this value exists.
///
/// Children get it as their standard input: if setup is killed, its pip or compiler lives on for a while and keeps writing, and
/// the next setup waits until it has ended before it cleans up.
pub struct Guard(File);

impl Guard {
    /// Takes the lock, and waits while another process has it.
    ///
    /// # Errors
    /// When the lock file cannot be made.
    pub fn take(root: &Root) -> Outcome<Self> {
        let folder = root.made("");
        fs::create_dir_all(&folder).map_err(|e| Failure::io("make", &folder, &e))?;
        let path = root.made("lock");
        let fail = |e: &std::io::Error| Failure::io("lock", &path, e);
        let open = File::options().create(true).read(true).write(true).truncate(false).open(&path);
        let file = open.map_err(|e| fail(&e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                step(
                    "another setup, or the rest of an interrupted one, is running here; waiting for its end",
                );
                file.lock().map_err(|e| fail(&e))?;
            }
            Err(TryLockError::Error(e)) => return Err(fail(&e)),
        }
        Ok(Self(file))
    }

    /// An empty input for a child, which holds the lock as long as the child lives.
    pub fn stdin(&self) -> Stdio {
        self.0.try_clone().map_or_else(|_| Stdio::null(), Stdio::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_child_that_outlives_setup_holds_the_lock() {
        let folder = std::env::temp_dir().join(format!("xtask-guard-{}", std::process::id()));
        let root = Root::at(&folder);
        let guard = Guard::take(&root).unwrap();
        let mut child = Command::new("sleep").arg("30").stdin(guard.stdin()).spawn().unwrap();
        drop(guard);
        let file = File::open(root.made("lock")).unwrap();
        assert!(matches!(file.try_lock(), Err(TryLockError::WouldBlock)));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(file.try_lock().is_ok());
        fs::remove_dir_all(folder).unwrap();
    }
}
