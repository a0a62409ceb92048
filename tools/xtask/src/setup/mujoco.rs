//! MuJoCo's library out of its Python wheel into `.ros2/mujoco/lib`, where `.cargo/config.toml` points: version and hash are in
//! mujoco.lock.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use super::guard::Guard;
use super::stamp::{self, Digest};
use super::{debian, wheels};
use crate::environment::clean;
use crate::process::capture;
use crate::report::{Failure, Outcome, Watch, step};
use crate::root::{Root, remove, write};

const LOCK: &str = "tools/xtask/mujoco.lock";

/// The wheel for which the lock has the hash, whichever Python fetches it.
const WHEEL: &[&str] = &[
    "--only-binary=:all:",
    "--implementation=cp",
    "--python-version=3.12",
    "--abi=cp312",
    "--platform=manylinux_2_28_x86_64",
];

/// Takes the library and the licence out of the only wheel in the folder.
const UNPACK: &str = "import glob, shutil, sys, zipfile
folder = sys.argv[1]
with zipfile.ZipFile(*glob.glob(folder + '/wheel/*.whl')) as wheel:
    for name in wheel.namelist():
        if name.startswith('mujoco/libmujoco.so.') or name.endswith(('/licenses/LICENSE', '/licenses/LICENSES_THIRD_PARTY.md')):
            with wheel.open(name) as source, open(folder + '/lib/' + name.rsplit('/', 1)[1], 'wb') as target:
                shutil.copyfileobj(source, target)";

/// Makes the library unless it is complete.
///
/// # Errors
/// No wheel for this machine, no Python, no network, a wheel with another hash.
pub fn ensure(root: &Root, guard: &Guard) -> Outcome<()> {
    let folder = root.made("mujoco");
    let lock = root.join(LOCK);
    let text = fs::read(&lock).map_err(|e| Failure::io("read", &lock, &e))?;
    let mark = Digest::new().add(&text).text();
    if stamp::is(&folder.join(".complete"), &mark) {
        return Ok(());
    }
    if !cfg!(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")) {
        return Err(Failure::new(
            "MuJoCo's library is fetched for x86-64 Linux with glibc only: install MuJoCo 3.17.0 another way, and set \
             MUJOCO_DYNAMIC_LINK_DIR to the folder of its libmujoco.so",
        ));
    }
    let time = Watch::start();
    remove(&folder)?;
    let library = folder.join("lib");
    fs::create_dir_all(&library).map_err(|e| Failure::io("make", &library, &e))?;
    // A sourced ROS may have a Python without pip.
    let venv = folder.join("venv");
    wheels::make_venv(&debian::ensure_python()?, &venv, guard)?;
    let python = venv.join("bin/python");
    let mut pip = Command::new(&python);
    pip.args(["-I", "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]).args(WHEEL);
    pip.arg("-r").arg(&lock).arg("-d").arg(folder.join("wheel"));
    pip.env("PIP_DISABLE_PIP_VERSION_CHECK", "1").stdin(guard.stdin());
    let ended = capture(clean(&mut pip))?;
    if !ended.success {
        return Err(wheels::refusal(&ended, &folder, LOCK));
    }
    let mut unpack = Command::new(&python);
    let ended = capture(clean(unpack.args(["-I", "-c", UNPACK]).arg(&folder)))?;
    if !ended.success {
        return Err(Failure::new(format!("the wheel of MuJoCo could not be unpacked: {}", ended.err.trim())));
    }
    link(&library)?;
    remove(&venv)?;
    remove(&folder.join("wheel"))?;
    write(&folder.join(".complete"), &mark)?;
    step(format_args!("MuJoCo's library is in .ros2/mujoco ({time})"));
    Ok(())
}

/// The name by which a linker finds the library, which the wheel lacks.
fn link(library: &Path) -> Outcome<()> {
    let files = fs::read_dir(library).map_err(|e| Failure::io("read", library, &e))?;
    let names = files.flatten().map(|file| file.file_name());
    let Some(name) = names.into_iter().find(|name| name.to_string_lossy().starts_with("libmujoco.so."))
    else {
        return Err(Failure::new("the wheel of MuJoCo has no libmujoco.so"));
    };
    let path = library.join("libmujoco.so");
    symlink(name, &path).map_err(|e| Failure::io("make", &path, &e))
}
