//! Requirements that only the system's package manager can provide: compilers, libclang, SDL2, Python's headers, and mocked
//! devices.
//!
//! Each is checked by use, not in dpkg's list, since it may come from elsewhere.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::python;
use crate::process::{answers, capture, succeeds};
use crate::report::{Failure, Outcome, step};
use crate::root::folders;

/// A requirement, the Debian package that has it, and a check whether it is installed.
struct Need {
    package: &'static str,
    why: &'static str,
    is_there: fn() -> bool,
}

const TOOLS: &[Need] = &[
    Need { package: "g++", why: "a C++ compiler", is_there: || tool("g++") || tool("c++") },
    Need { package: "make", why: "make", is_there: || tool("make") },
    Need { package: "cmake", why: "CMake", is_there: || tool("cmake") },
    Need {
        package: "libclang-dev",
        why: "libclang (r2r reads the headers of ROS with it)",
        is_there: libclang,
    },
    Need { package: "libsdl2-dev", why: "SDL2 (for gamepads)", is_there: sdl2 },
];

/// Requirements of tests only; without them some tests are skipped.
const MOCKS: &[Need] = &[
    Need { package: "umockdev", why: "umockdev (mocked gamepads)", is_there: || tool("umockdev-run") },
    Need {
        package: "iproute2",
        why: "iproute2 (two hosts in network namespaces)",
        is_there: || answers(Command::new("ip").arg("-Version")),
    },
    Need { package: "nftables", why: "nft (a lossy link between two hosts)", is_there: || tool("nft") },
];

fn tool(name: &str) -> bool {
    answers(Command::new(name).arg("--version"))
}

/// The library and the compiler's own headers (`stddef.h`), without which it parses nothing.
fn libclang() -> bool {
    let versions = folders(Path::new("/usr/lib"))
        .into_iter()
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("llvm")));
    let mut places: Vec<PathBuf> = versions.map(|path| path.join("lib")).collect();
    places.extend(
        ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
            .map(PathBuf::from),
    );
    places.extend(env::var_os("LIBCLANG_PATH").map(PathBuf::from));
    let is_library = |name: &str| {
        name.starts_with("libclang.so") || (name.starts_with("libclang-") && name.contains(".so"))
    };
    let has_library = places.iter().any(|place| {
        fs::read_dir(place)
            .is_ok_and(|files| files.flatten().any(|f| is_library(&f.file_name().to_string_lossy())))
    });
    let has_headers = places.iter().any(|place| {
        folders(&place.join("clang")).iter().any(|version| version.join("include/stddef.h").is_file())
    });
    has_library && has_headers
}

/// Links an empty program against it.
fn sdl2() -> bool {
    answers(Command::new("cc").args([
        "-shared",
        "-nostartfiles",
        "-Wl,--no-as-needed",
        "-lSDL2",
        "-o",
        "/dev/null",
    ]))
}

/// Checks the tools, and installs what is missing where that is possible.
///
/// # Errors
/// If that is not possible: the command to run.
pub fn ensure_tools() -> Outcome<()> {
    let first = missing(TOOLS);
    if first.is_empty() {
        return Ok(());
    }
    install(&first)?;
    match missing(TOOLS).first() {
        None => Ok(()),
        Some((package, why)) => {
            Err(Failure::new(format!("{package} was installed, but {why} is still not found")))
        }
    }
}

/// The packages that are missing, each with its reason.
fn missing(needs: &[Need]) -> Vec<(&'static str, &'static str)> {
    needs.iter().filter(|need| !(need.is_there)()).map(|need| (need.package, need.why)).collect()
}

/// Checks the tools with which the tests mock devices and hosts, and installs them where that is possible. CI needs them;
/// elsewhere the tests that need them are skipped.
///
/// # Errors
/// In CI only.
pub fn ensure_mocks() -> Outcome<()> {
    let missing = missing(MOCKS);
    if missing.is_empty() {
        return Ok(());
    }
    match install(&missing) {
        Err(Failure(why)) if !in_ci() => {
            step(format_args!("tests with mocked gamepads or hosts are skipped: {why}"));
            Ok(())
        }
        outcome => outcome,
    }
}

/// The Python for the prefix, completed or installed where that is possible.
///
/// # Errors
/// When there is none: the versions found, and what is needed.
pub fn ensure_python() -> Outcome<PathBuf> {
    let search = python::search(&python::places());
    if let Some(found) = search.found {
        return Ok(found);
    }
    let why = python::none_fits(&search);
    if !search.completable && Path::new("/usr/bin/python3").exists() {
        return Err(Failure::new(why)); // The system's Python does not fit: its packages would not help.
    }
    let reason = "a Python with venv and headers";
    install(&[("python3", reason), ("python3-venv", reason), ("python3-dev", reason)])?;
    let search = python::search(&python::places());
    match search.found {
        Some(found) => Ok(found),
        None => Err(Failure::new(python::none_fits(&search))),
    }
}

/// Installs packages: as root, or in CI with sudo.
fn install(needs: &[(&str, &str)]) -> Outcome<()> {
    let packages: Vec<&str> = needs.iter().map(|(package, _)| *package).collect();
    let mut reasons: Vec<&str> = needs.iter().map(|(_, why)| *why).collect();
    reasons.dedup();
    let line = format!("sudo apt-get install {}", packages.join(" "));
    let missing = format!("missing: {}", reasons.join(", "));
    if !answers(Command::new("apt-get").arg("--version")) {
        let names = packages.join(", ");
        return Err(Failure::new(format!("{missing}; install what Debian calls {names}, then run it again")));
    }
    let Some(prefix) = privilege() else {
        return Err(Failure::new(format!("{missing}; install it with\n  {line}\nthen run it again")));
    };
    step(format_args!("{missing}; installing {}", packages.join(" ")));
    let apt_get = |arguments: &[&str]| {
        let words: Vec<&str> =
            prefix.iter().copied().chain(["apt-get"]).chain(arguments.iter().copied()).collect();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
        // What apt-get says is progress; stdout belongs to the command's result.
        succeeds(command.stdout(std::io::stderr()))
    };
    let install = [&["install", "--yes", "--quiet", "--no-install-recommends"], &packages[..]].concat();
    // A machine that never had a package list, or an old one, has to fetch it first.
    if apt_get(&["update", "--quiet"])? && apt_get(&install)? {
        return Ok(());
    }
    Err(Failure::new(format!("{missing}; apt-get could not install it (no network?): try\n  {line}")))
}

/// The prefix that runs a command as root, if that needs no password.
fn privilege() -> Option<Vec<&'static str>> {
    let id = capture(Command::new("id").arg("-u").stdin(Stdio::null())).ok()?;
    if id.out.trim() == "0" {
        return Some(Vec::new());
    }
    (in_ci() && answers(Command::new("sudo").args(["-n", "true"]))).then(|| vec!["sudo", "-n"])
}

fn in_ci() -> bool {
    env::var("CI").is_ok_and(|value| value == "true")
}
