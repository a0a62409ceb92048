//! Checks the free space first, since a full disk during setup shows as unrelated errors.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::process::capture;
use crate::report::{Failure, Outcome};

/// The space that the prefix, the interfaces, and a first build of the ROS crates take together in KiB.
const NEEDED_KIB: u64 = 1_500_000;

/// Checks that the disk beneath `folder` has room for a first setup.
///
/// # Errors
/// If it has not; passes if the free space is unknown.
pub fn ensure_room(folder: &Path) -> Outcome<()> {
    let ended = capture(Command::new("df").arg("-Pk").arg(folder).env("LC_ALL", "C").stdin(Stdio::null()));
    match ended.ok().and_then(|ended| available(&ended.out)) {
        Some(kib) if kib < NEEDED_KIB => Err(Failure::new(format!(
            "the disk that holds {} has {} MB free, and setup with a first build needs about {} MB: free some",
            folder.display(),
            kib / 1_000,
            NEEDED_KIB / 1_000
        ))),
        _ => Ok(()),
    }
}

/// The fourth column of the second line of `df -Pk`: available in KiB.
fn available(text: &str) -> Option<u64> {
    text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_free_space_is_read() {
        let text = "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/vda 263174212 1 81788928 14% /\n";
        assert_eq!(available(text), Some(81_788_928));
        assert_eq!(available("df: nothing\n"), None);
    }
}
