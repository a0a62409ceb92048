use std::io;

use processes::{Folder, Process};
use ros::Error;

/// Starts the executable beside this one; its output goes to a file in `folder`.
/// # Errors
/// There is no such executable.
pub fn start(name: &str, arguments: &[String], folder: &Folder) -> Result<Process, Error> {
    Process::start(name, arguments, None, folder).map_err(failed)
}

/// Why a process or its file is missing, as the bench's error.
pub fn failed(error: io::Error) -> Error {
    Error::Start(error.to_string())
}
