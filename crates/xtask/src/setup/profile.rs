//! The Fast DDS profile that keeps everything on this machine.

use crate::report::Outcome;
use crate::root::{Root, write};

/// Writes `.ros2/fastdds.xml`.
///
/// # Errors
/// When it cannot be written.
pub fn write_to(root: &Root) -> Outcome<()> {
    write(&root.made("fastdds.xml"), isolation::PROFILE)
}
