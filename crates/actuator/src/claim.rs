//! One process at a time.

use std::fs::{File, TryLockError};
use std::path::Path;

use crate::error::Error;

/// Holds a device for this process as long as `file`, or a copy of it, is open.
///
/// An advisory lock: it keeps out a second actuator, which would send its own levels between ours, not every program.
/// # Errors
/// [`Error::Busy`]. A file system without locks is only logged: a robot shall not stand for that.
pub(crate) fn claim(file: &File, device: &Path) -> Result<(), Error> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(Error::Busy { device: device.display().to_string() }),
        Err(TryLockError::Error(error)) => {
            log::warn!("'{}' cannot be held for this process alone: {error}", device.display());
            Ok(())
        }
    }
}
