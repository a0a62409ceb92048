//! Corrections of the wheels after they are installed. A second run of each does nothing.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use super::python;
use crate::process::capture;
use crate::report::{Failure, Outcome, step};
use crate::root::files;

/// Incremented when a fix is added: prefixes with an older number are made anew.
pub const VERSION: u32 = 1;

/// Corrects the prefix.
///
/// # Errors
/// When a file cannot be read or written.
pub fn apply(prefix: &Path) -> Outcome<()> {
    step("correcting the wheels' CMake paths and libraries");
    exports(prefix)?;
    needed(prefix)?;
    implementation(prefix)
}

/// The CMake exports name folders of the machine that built the wheels; without this every interface package that
/// depends on another fails to generate.
fn exports(prefix: &Path) -> Outcome<()> {
    let python = prefix.join("bin/python");
    let headers = python::line(&python, "import sysconfig; print(sysconfig.get_paths()['include'])")?;
    let numpy = python::line(&python, "import numpy; print(numpy.get_include())")?;
    for file in
        files(&prefix.join("share"))?.into_iter().filter(|f| f.extension().is_some_and(|e| e == "cmake"))
    {
        let bytes = fs::read(&file).map_err(|e| Failure::io("read", &file, &e))?;
        let Ok(text) = String::from_utf8(bytes) else { continue };
        let corrected = replace_paths(&text, &headers, &numpy);
        if corrected != text {
            fs::write(&file, corrected).map_err(|e| Failure::io("write", &file, &e))?;
        }
    }
    Ok(())
}

/// Replaces every `/opt/python/…` that ends as Python's or numpy's include folder does; others stay.
fn replace_paths(text: &str, headers: &str, numpy: &str) -> String {
    const START: &str = "/opt/python/";
    let mut corrected = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(START) {
        corrected.push_str(&rest[..start]);
        let tail = &rest[start..];
        let end = tail.find([';', '"', ' ', ')', '\n', '>']).unwrap_or(tail.len());
        let path = &tail[..end];
        corrected.push_str(match path.rsplit_once("/include") {
            Some((before, "")) if before.ends_with("/numpy/_core") || before.ends_with("/numpy/core") => {
                numpy
            }
            Some((_, after)) if after.starts_with("/python3.") => headers,
            _ => path,
        });
        rest = &tail[end..];
    }
    corrected + rest
}

/// Some C libraries NEED Python's message libraries without using them: a Rust program would die of an undefined
/// symbol of Python. Python's own modules do need them and lie elsewhere.
fn needed(prefix: &Path) -> Outcome<()> {
    let patchelf = prefix.join("bin/patchelf");
    let run = |arguments: &[&str], library: &Path| -> Outcome<String> {
        let ended = capture(Command::new(&patchelf).args(arguments).arg(library).stdin(Stdio::null()))?;
        if ended.success {
            return Ok(ended.out);
        }
        Err(Failure::new(format!("patchelf failed on {}: {}", library.display(), ended.err.trim())))
    };
    for library in files(&prefix.join("lib"))?.into_iter().filter(|path| is_c_library(prefix, path)) {
        for name in run(&["--print-needed"], &library)?.lines().filter(|line| is_python_library(line)) {
            run(&["--remove-needed", name], &library)?;
        }
    }
    Ok(())
}

fn is_python_library(name: &str) -> bool {
    name.contains("__rosidl_generator_py.so")
}

fn is_c_library(prefix: &Path, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let direct = path.parent() == Some(&prefix.join("lib"));
    direct && name.starts_with("lib") && name.contains(".so") && !is_python_library(&name)
}

/// The wheels have one RMW only and not the library that selects one, which r2r links.
fn implementation(prefix: &Path) -> Outcome<()> {
    let link = prefix.join("lib/librmw_implementation.so");
    if link.exists() {
        return Ok(());
    }
    let _ = fs::remove_file(&link); // A dangling link; if it stays, the next line reports it.
    symlink("librmw_fastrtps_cpp.so", &link).map_err(|e| Failure::io("make", &link, &e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    const WHEEL: &str = "INCLUDE \"/opt/python/cp311-cp311/include/python3.11;\
                         /opt/python/cp311-cp311/lib/python3.11/site-packages/numpy/_core/include\")\n/opt/python/x y";

    #[test]
    fn include_folders_of_the_builder_become_ours() {
        let corrected = replace_paths(WHEEL, "/usr/include/python3.11", "/np/include");
        assert_eq!(corrected, "INCLUDE \"/usr/include/python3.11;/np/include\")\n/opt/python/x y");
    }

    #[test]
    fn a_second_correction_changes_nothing() {
        let once = replace_paths(WHEEL, "/h", "/n");
        assert_eq!(replace_paths(&once, "/h", "/n"), once);
    }

    #[test]
    fn only_c_libraries_at_the_top_are_touched() {
        let is = |path: &str| is_c_library(Path::new("/p"), &PathBuf::from(path));
        assert!(is("/p/lib/librcl.so"));
        assert!(is("/p/lib/libfastrtps.so.2.14"));
        assert!(!is("/p/lib/libstd_msgs__rosidl_generator_py.so"));
        assert!(!is("/p/lib/python3.11/site-packages/std_msgs/std_msgs_s__rosidl_typesupport_c.so"));
        assert!(!is("/p/lib/libfoonathan_memory-0.7.3.a"));
    }
}
