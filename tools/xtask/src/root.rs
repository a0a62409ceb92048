//! The folders: the repository, and `.ros2/` in it, which holds everything that setup makes.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::report::{Failure, Outcome};

/// The repository's folder, absolute and without symbolic links, since r2r is rebuilt when a path is spelled differently.
#[derive(Clone, Debug)]
pub struct Root(PathBuf);

impl Root {
    /// The repository of the crate that cargo runs, else the one around the current folder.
    ///
    /// # Errors
    /// When there is none, or when its path cannot be part of a search path.
    pub fn find() -> Outcome<Self> {
        let here = env::current_dir().map_err(|e| Failure::io("find", Path::new("."), &e))?;
        let start = env::var_os("CARGO_MANIFEST_DIR").map_or(here, PathBuf::from);
        let start = start.canonicalize().map_err(|e| Failure::io("find", &start, &e))?;
        let is_root = |folder: &&Path| {
            fs::read_to_string(folder.join("Cargo.toml")).is_ok_and(|text| text.contains("[workspace]"))
        };
        let Some(root) = start.ancestors().find(is_root) else {
            return Err(Failure::new(format!(
                "{} is in no Cargo workspace: run it in the repository",
                start.display()
            )));
        };
        match root.to_str() {
            Some(text) if !text.contains([':', ';', '\'']) => Ok(Self(root.to_path_buf())),
            _ => Err(Failure::new(format!(
                "the repository's path {} holds a colon, a semicolon, a quote or bytes that are no UTF-8, which the \
                 search paths of ROS cannot hold: move it",
                root.display()
            ))),
        }
    }

    /// For tests: any folder.
    #[cfg(test)]
    pub fn at(folder: &Path) -> Self {
        Self(folder.to_path_buf())
    }

    /// The repository itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A file or folder of the repository.
    pub fn join(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    /// `.ros2/<path>`: made by setup, ignored by git.
    pub fn made(&self, path: &str) -> PathBuf {
        self.0.join(".ros2").join(path)
    }

    /// The ROS 2 made from wheels, where none is sourced.
    pub fn prefix(&self) -> PathBuf {
        self.made("prefix")
    }

    /// Where this repository's interface packages are installed.
    pub fn install(&self) -> PathBuf {
        self.made("install")
    }

    /// Cargo's target folder.
    pub fn target(&self) -> PathBuf {
        self.target_by(env::var("CARGO_TARGET_DIR").ok())
    }

    /// Cargo's target folder for a given value of `CARGO_TARGET_DIR`.
    pub fn target_by(&self, variable: Option<String>) -> PathBuf {
        self.0.join(variable.filter(|value| !value.is_empty()).unwrap_or_else(|| "target".to_owned()))
    }
}

/// All files beneath `folder` in a fixed order, without symbolic links.
///
/// # Errors
/// When a folder cannot be read.
pub fn files(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|e| Failure::io("read", &folder, &e))? {
            let entry = entry.map_err(|e| Failure::io("read", &folder, &e))?;
            let kind = entry.file_type().map_err(|e| Failure::io("read", &entry.path(), &e))?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The sub-folders of `folder` in a fixed order; none if it does not exist.
pub fn folders(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = match fs::read_dir(folder) {
        Ok(entries) => entries.flatten().map(|e| e.path()).filter(|p| p.is_dir()).collect(),
        Err(_) => Vec::new(),
    };
    found.sort();
    found
}

/// Writes `text` to `path` unless it is there already; first to a temporary file beside it, so no reader sees half of it.
///
/// # Errors
/// When it cannot be written.
pub fn write(path: &Path, text: &str) -> Outcome<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|e| Failure::io("make", parent, &e))?;
    }
    let neighbour: OsString = [path.as_os_str(), ".new".as_ref()].into_iter().collect();
    let neighbour = Path::new(&neighbour);
    fs::write(neighbour, text).map_err(|e| Failure::io("write", neighbour, &e))?;
    fs::rename(neighbour, path).map_err(|e| Failure::io("write", path, &e))
}

/// Removes a folder with its contents, if it exists.
///
/// # Errors
/// When it stays.
pub fn remove(folder: &Path) -> Outcome<()> {
    match fs::remove_dir_all(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Failure::io("remove", folder, &e)),
        _ => Ok(()),
    }
}
