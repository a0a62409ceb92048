use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use controller_plugin::abi::{self, Entry, Library, SYMBOL, Type, VERSION};
use controller_plugin::glue::{slice, text};
use libloading::os::unix::{Library as Loaded, RTLD_LOCAL, RTLD_NOW};
use mechanism::controllers::{ControllerInput, ControllerOutput, InputKind, OutputKind};

/// The types of controllers of all libraries in some folders.
#[derive(Debug, Default)]
pub struct Plugins(Vec<PluginType>);

/// A type of controller of a library.
#[derive(Clone, Copy, Debug)]
pub struct PluginType {
    pub(crate) table: &'static Type,
    pub(crate) inputs: &'static [ControllerInput],
    pub(crate) outputs: &'static [ControllerOutput],
    /// The file of its library.
    pub path: &'static Path,
}

// SAFETY: a table is a constant of its library, which stays; its functions create controllers on any thread.
unsafe impl Send for PluginType {}
// SAFETY: as above.
unsafe impl Sync for PluginType {}

/// Why libraries were not loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{}' is not loaded: {reason}", .path.display())]
pub struct PluginsError {
    /// The folder or the library.
    pub path: PathBuf,
    /// Why.
    pub reason: String,
}

impl Plugins {
    /// Loads every library (`*.so`) in `folders`, in alphabetical order, and those that could not be loaded with the reason. A
    /// type whose name another library or `known` has is none.
    pub fn load(folders: &[String], known: &[&str]) -> (Self, Vec<PluginsError>) {
        let (mut types, mut errors) = (Vec::<PluginType>::new(), Vec::new());
        for folder in folders {
            let files = match libraries(Path::new(folder)) {
                Ok(files) => files,
                Err(error) => {
                    errors.push(error);
                    continue;
                }
            };
            for path in files {
                let found = open(&path).and_then(|found| {
                    let is_taken =
                        |name: &str| known.contains(&name) || types.iter().any(|of| of.name() == name);
                    match found.iter().find(|new| is_taken(new.name())) {
                        Some(new) => Err(format!("its type '{}' is there already", new.name())),
                        None => Ok(found),
                    }
                });
                match found {
                    Ok(found) => types.extend(found),
                    Err(reason) => errors.push(PluginsError { path, reason }),
                }
            }
        }
        (Self(types), errors)
    }

    /// The types.
    pub fn types(&self) -> &[PluginType] {
        &self.0
    }
}

/// The libraries in `folder`, sorted.
fn libraries(folder: &Path) -> Result<Vec<PathBuf>, PluginsError> {
    let refuse = |error: std::io::Error| PluginsError {
        path: folder.to_owned(),
        reason: format!("it cannot be read: {error}"),
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(refuse)? {
        let path = entry.map_err(refuse)?.path();
        if path.extension() == Some(OsStr::new("so")) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The types of the library in `path`.
/// # Errors
/// It cannot be loaded, was written for another version of the interface, or has a type without a proper name.
pub fn open(path: &Path) -> Result<Vec<PluginType>, String> {
    // A copy under a name that was never loaded: the system gives what it has for a name that it knows.
    let copy = tempfile::Builder::new().prefix("controllers").suffix(".so").tempfile();
    let copy = copy.map_err(|error| format!("it cannot be copied: {error}"))?;
    fs::copy(path, copy.path()).map_err(|error| format!("it cannot be copied: {error}"))?;
    // SAFETY: the code of a library that the user names is trusted; all its symbols are bound now, and it is never unloaded.
    let library = unsafe { Loaded::open(Some(copy.path()), RTLD_NOW | RTLD_LOCAL) }
        .map_err(|error| format!("it cannot be loaded: {error}"))?;
    // SAFETY: a symbol of this name has this type, see `abi`.
    let entry = unsafe { library.get::<Entry>(SYMBOL) };
    let entry = *entry.map_err(|_| {
        "it is not a library of controllers: it lacks the symbol 'steersman_controllers'".to_owned()
    })?;
    // The library stays, see the crate's documentation.
    let _ = library.into_raw();
    // SAFETY: the table lives as long as the library. Its first fields are the same in every version.
    let found: &'static Library = unsafe { entry().as_ref() }.ok_or("it has no table of controllers")?;
    let size = size_of::<Type>();
    if found.version != VERSION || found.type_size as usize != size {
        let theirs = found.version;
        return Err(format!(
            "it has version {theirs} of the plugin interface, must be {VERSION}: build it with the controller_plugin of this program"
        ));
    }
    // As the library, it stays.
    let path: &'static Path = Box::leak(path.into());
    let types: Vec<PluginType> =
        slice(&found.types).iter().map(|table| PluginType::new(table, path)).collect();
    match types.iter().find(|new| !is_name(new.name())) {
        Some(new) => Err(format!("its type '{}' is not a name like package/Class", new.name())),
        None => Ok(types),
    }
}

fn is_name(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    name.split_once('/').is_some_and(|(package, class)| is_word(package) && is_word(class))
}

/// The names that a function of a table gives, up to the first empty one.
fn names(of: unsafe extern "C" fn(usize) -> abi::Text) -> impl Iterator<Item = &'static str> {
    /// More than a controller can use; it ends a function that has no end.
    const MOST: usize = 64;
    // SAFETY: the function takes any number, and its texts live as long as the library.
    (0..MOST).map(move |index| text(unsafe { of(index) })).take_while(|name| !name.is_empty())
}

impl PluginType {
    pub(crate) fn new(table: &'static Type, path: &'static Path) -> Self {
        let inputs: Vec<_> =
            names(table.input).map(|name| ControllerInput { name, kind: InputKind::Float }).collect();
        let outputs: Vec<_> =
            names(table.output).map(|name| ControllerOutput { name, kind: OutputKind::Float }).collect();
        // They live as long as the library, which is for ever.
        Self { table, inputs: inputs.leak(), outputs: outputs.leak(), path }
    }

    /// Its name: `package/Class`.
    pub fn name(&self) -> &'static str {
        text(self.table.name)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn load(folder: &Path) -> (Vec<&'static str>, Vec<String>) {
        let (plugins, errors) = Plugins::load(&[folder.display().to_string()], &[]);
        let names = plugins.types().iter().map(PluginType::name).collect();
        (names, errors.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn what_is_no_library_of_controllers_is_refused_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(load(folder.path()), (vec![], vec![]), "an empty folder is none");
        fs::write(folder.path().join("text.so"), "no library").unwrap();
        fs::write(folder.path().join("text.txt"), "no library").unwrap();
        // The C library has no controllers.
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        let mut files = maps.lines().filter_map(|line| line.split_whitespace().last());
        let libc = files.find(|path| path.contains("libc.so")).unwrap();
        fs::copy(libc, folder.path().join("a.so")).unwrap();
        let (types, errors) = load(folder.path());
        assert_eq!((types.len(), errors.len()), (0, 2));
        assert!(
            errors[0].contains("a.so' is not loaded: it is not a library of controllers"),
            "{}",
            errors[0]
        );
        assert!(errors[1].contains("text.so' is not loaded: it cannot be loaded: "), "{}", errors[1]);
        let (_, errors) = load(&folder.path().join("none"));
        assert!(errors[0].contains("none' is not loaded: it cannot be read: "), "{}", errors[0]);
    }

    #[test]
    fn a_name_has_a_package_and_a_class() {
        for (name, expected) in [
            ("sway/Sway", true),
            ("Sway", false),
            ("/Sway", false),
            ("sway/", false),
            ("a/b/c", false),
            ("a b/c", false),
        ] {
            assert_eq!(is_name(name), expected, "{name}");
        }
    }
}
