//! The lock that keeps a device to one process.

use std::fs::{File, TryLockError};
use std::path::Path;

use crate::error::Error;

/// Locks a device for this process as long as `file`, or a copy of it, is open.
///
/// The lock is advisory: it keeps out a second actuator, which would send its own levels in between, but not every program.
/// # Errors
/// [`Error::Busy`]. Missing lock support is logged, not fatal.
pub(crate) fn claim(file: &File, device: &Path) -> Result<(), Error> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(Error::Busy { device: device.display().to_string() }),
        Err(TryLockError::Error(error)) => {
            log::warn!("'{}' cannot be locked for this process: {error}", device.display());
            Ok(())
        }
    }
}
