use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use processes::{Folder, Process};

use crate::error::Error;

/// The processes of the nodes, which are ended when this is dropped: at the end, on an error and in a panic.
pub struct Children {
    list: Vec<Process>,
    folder: Folder,
}

impl Children {
    /// No processes yet, and a new folder for parameters and logs.
    /// # Errors
    /// The folder cannot be created.
    pub fn new() -> Result<Self, Error> {
        let folder = Folder::new("demo").map_err(Error::io("make a folder for logs"))?;
        Ok(Self { list: Vec::new(), folder })
    }

    /// Writes a file for the nodes into the folder.
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf, Error> {
        self.folder.put(name, text).map_err(Error::io("prepare the nodes"))
    }

    /// Starts the node `name` from the demo's own folder with the parameters of the file `parameters` and with `overrides`, each
    /// `node:parameter:=value`.
    /// # Errors
    /// The executable is missing or does not start.
    pub fn start(&mut self, name: &str, parameters: &Path, overrides: &[String]) -> Result<(), Error> {
        let parameters = parameters.to_string_lossy();
        let mut arguments = vec!["--ros-args", "--params-file", &parameters];
        arguments.extend(overrides.iter().flat_map(|one| ["-p", one]));
        let process = Process::start(name, arguments, None, &self.folder);
        self.list.push(process.map_err(Error::io("start the nodes"))?);
        Ok(())
    }

    /// The first node that has ended, with its last lines.
    pub fn ended(&mut self) -> Option<Error> {
        self.find_ended(|_| true)
    }

    /// The folder of parameters and logs.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Keeps that folder, which is removed otherwise.
    pub fn keep_folder(&mut self) {
        self.folder.keep();
    }

    /// Ends all processes that still run.
    /// # Errors
    /// One ended with another exit code than 0.
    pub fn end(&mut self) -> Result<(), Error> {
        processes::end(&mut self.list);
        self.find_ended(|status| !status.success()).map_or(Ok(()), Err)
    }

    fn find_ended(&mut self, counts: impl Fn(ExitStatus) -> bool) -> Option<Error> {
        self.list.iter_mut().find_map(|node| {
            let status = node.ended().filter(|&status| counts(status))?;
            Some(Error::NodeEnded { name: node.name().into(), status, words: node.tail() })
        })
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        processes::end(&mut self.list); // all at once, not one after the other
    }
}
