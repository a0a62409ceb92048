//! The interface packages of this repository, built with plain CMake into `.ros2/install`.
//!
//! A package is built again only if its sources changed. r2r keeps its generated bindings as long as the paths stay the same,
//! so it is removed from cargo's folder when an interface changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::available_parallelism;

use super::guard::Guard;
use super::package::{Package, in_order};
use super::python;
use super::stamp::{self, Digest};
use crate::environment::{Environment, Ros, clean};
use crate::process::{capture, logged};
use crate::report::{Failure, Outcome, Watch, step};
use crate::root::{Root, folders, remove, write};

/// Incremented when packages are built in another way: all are built again then.
const RECIPE: &str = "4";

/// Path of the file that CMake includes in each package.
const INCLUDE: &str = "tools/xtask/src/setup/interfaces.cmake";

/// Rust packages with code generated from the interfaces.
const GENERATED: &[&str] = &["r2r_msg_gen", "r2r_actions", "r2r_rcl", "r2r"];

/// Builds and installs what is missing or changed.
///
/// # Errors
/// When a package cannot be built: its name and the end of the log.
pub fn ensure(root: &Root, ros: &Ros, environment: &Environment, guard: &Guard) -> Outcome<()> {
    let install = root.install();
    fs::create_dir_all(&install).map_err(|e| Failure::io("make", &install, &e))?;
    let packages = in_order(all(root, ros)?)?;
    let mut digests: Vec<(String, String)> = Vec::new();
    let mut rebuilt = false;
    for package in &packages {
        let digest = digest(root, ros, package, &digests)?;
        let mark = root.made("stamps").join(&package.name);
        if !stamp::is(&mark, &digest)
            || !install.join("share").join(&package.name).join("package.xml").is_file()
        {
            let time = Watch::start();
            step(format_args!("building the interfaces of {}", package.name));
            rebuilt |= mark.exists();
            let _ = fs::remove_file(&mark); // If it stays, the package is only built once more.
            build(root, ros, package, environment, guard)?;
            write(&mark, &digest)?;
            step(format_args!("{} is built ({time})", package.name));
        }
        digests.push((package.name.clone(), digest));
    }
    rebuilt |= forget_removed(root, &packages)?;
    let all = digests.iter().fold(Digest::new(), |all, (_, digest)| all.add(digest.as_bytes()));
    forget_bindings(root, rebuilt, &all.text())
}

/// A package of ROS that has no wheel, with the interfaces of it that are used here. Its files have other names in this crate,
/// where colcon and rosdep would take them for a package of the repository.
struct Foreign {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
}

const FOREIGN: &[Foreign] = &[
    Foreign {
        name: "control_msgs",
        files: &[
            (
                "action/FollowJointTrajectory.action",
                include_str!("control_msgs/FollowJointTrajectory.action"),
            ),
            ("msg/JointComponentTolerance.msg", include_str!("control_msgs/JointComponentTolerance.msg")),
            ("msg/JointTolerance.msg", include_str!("control_msgs/JointTolerance.msg")),
            ("CMakeLists.txt", include_str!("control_msgs/lists.cmake")),
            ("package.xml", include_str!("control_msgs/description.xml")),
        ],
    },
    Foreign {
        name: "tf2_msgs",
        files: &[
            ("msg/TFMessage.msg", "geometry_msgs/TransformStamped[] transforms\n"),
            ("CMakeLists.txt", include_str!("tf2_msgs/lists.cmake")),
            ("package.xml", include_str!("tf2_msgs/description.xml")),
        ],
    },
];

/// Every interface package: those of the repository, and the foreign ones that the ROS in use lacks.
fn all(root: &Root, ros: &Ros) -> Outcome<Vec<Package>> {
    let mut places: Vec<PathBuf> = ["msg", "srv"].iter().flat_map(|kind| folders(&root.join(kind))).collect();
    places.retain(|folder| folder.join("package.xml").is_file());
    let prefixes = match ros {
        Ros::Sourced { prefixes, .. } => prefixes.iter().map(PathBuf::from).collect(),
        Ros::Own => vec![root.prefix()],
    };
    for foreign in FOREIGN {
        let manifest = format!("share/{}/package.xml", foreign.name);
        if !prefixes.iter().any(|prefix| prefix.join(&manifest).is_file()) {
            places.push(foreign.write(root)?);
        }
    }
    places.iter().map(|folder| Package::read(folder)).collect()
}

impl Foreign {
    /// Writes its source, and returns the folder.
    fn write(&self, root: &Root) -> Outcome<PathBuf> {
        let folder = root.made("src").join(self.name);
        for (name, text) in self.files {
            write(&folder.join(name), text)?;
        }
        Ok(folder)
    }
}

/// The digest of the package's inputs: its files, the ROS beneath, and the packages of this repository that it needs.
fn digest(root: &Root, ros: &Ros, package: &Package, earlier: &[(String, String)]) -> Outcome<String> {
    let mut digest = Digest::new().add(RECIPE.as_bytes()).folder(&package.folder)?;
    digest = digest.add(root.install().to_string_lossy().as_bytes());
    digest = match ros {
        Ros::Sourced { distro, prefixes } => digest.add(distro.as_bytes()).add(prefixes.join(":").as_bytes()),
        Ros::Own => {
            let mark = root.prefix().join(".complete");
            digest.add(&fs::read(&mark).map_err(|e| Failure::io("read", &mark, &e))?)
        }
    };
    for (_, other) in earlier.iter().filter(|(name, _)| package.needs.contains(name)) {
        digest = digest.add(other.as_bytes());
    }
    Ok(digest.text())
}

fn build(root: &Root, ros: &Ros, package: &Package, environment: &Environment, guard: &Guard) -> Outcome<()> {
    let (folder, install) = (root.made("build").join(&package.name), root.install());
    // r2r would find files of an earlier version of the package.
    remove(&folder)?;
    remove_installed(&install, &package.name)?;
    fs::create_dir_all(&folder).map_err(|e| Failure::io("make", &folder, &e))?;
    let log = folder.join("xtask.log");
    let cmake = |arguments: &[&str], paths: &[(&str, &Path)]| {
        let mut command = Command::new("cmake");
        environment.apply(&mut command).args(arguments).stdin(guard.stdin());
        for (option, path) in paths {
            command.arg(format!("{option}{}", path.display()));
        }
        logged(&mut command, &log, &format!("building {}", package.name))
    };
    let python = python::of_ros(root, ros, environment);
    let mut paths = vec![("-S", package.folder.as_path()), ("-B", folder.as_path())];
    paths.push(("-DCMAKE_INSTALL_PREFIX=", &install));
    let include = root.join(INCLUDE);
    paths.push(("-DCMAKE_PROJECT_INCLUDE=", &include));
    if python.is_absolute() {
        paths.push(("-DPython3_EXECUTABLE=", &python)); // Otherwise CMake finds it as it does for every ROS package.
    }
    // Generated code is long and runs briefly: the first level of optimisation is enough.
    let mut options = vec!["-DBUILD_TESTING=OFF", "-DCMAKE_C_FLAGS=-O1", "-DCMAKE_CXX_FLAGS=-O1"];
    if matches!(ros, Ros::Own) {
        options.push("-DWITHOUT_CPP=ON");
    }
    cmake(&options, &paths)?;
    let jobs = available_parallelism().map_or(1, usize::from).to_string();
    let place = folder.to_string_lossy();
    cmake(&["--build", &place, "--parallel", &jobs], &[])?;
    cmake(&["--install", &place], &[])
}

/// Removes the installed headers, descriptions and index entries of a package; its libraries are overwritten.
fn remove_installed(install: &Path, name: &str) -> Outcome<()> {
    remove(&install.join("include").join(name))?;
    remove(&install.join("share").join(name))?;
    for kind in folders(&install.join("share/ament_index/resource_index")) {
        let _ = fs::remove_file(kind.join(name)); // Most kinds have no entry for it.
    }
    Ok(())
}

/// Removes packages that are no longer in the repository from the index, where r2r would find them; returns whether there were
/// any.
fn forget_removed(root: &Root, packages: &[Package]) -> Outcome<bool> {
    let Ok(stamps) = fs::read_dir(root.made("stamps")) else { return Ok(false) };
    let mut any = false;
    for stamp in stamps.flatten() {
        let name = stamp.file_name().to_string_lossy().into_owned();
        if !packages.iter().any(|package| package.name == name) {
            step(format_args!("removing {name}, which is no longer in the repository"));
            remove_installed(&root.install(), &name)?;
            fs::remove_file(stamp.path()).map_err(|e| Failure::io("remove", &stamp.path(), &e))?;
            any = true;
        }
    }
    Ok(any)
}

/// Makes cargo build r2r again if it was built for other interfaces. Every target folder has its own mark.
fn forget_bindings(root: &Root, rebuilt: bool, digest: &str) -> Outcome<()> {
    let mark = root.target().join(".interfaces");
    if stamp::is(&mark, digest) {
        return Ok(());
    }
    if !mark.exists() && !rebuilt {
        return write(&mark, digest); // A first build, or a first setup by this folder.
    }
    for (profile, folder) in [("dev", "debug"), ("release", "release")] {
        let built = folders(&root.target().join(folder).join("build"));
        if !built.iter().any(|path| path.to_string_lossy().contains("r2r_msg_gen-")) {
            continue;
        }
        step(format_args!("interfaces changed: r2r will be built again ({profile})"));
        let mut command = Command::new("cargo");
        command.current_dir(root.path()).args(["clean", "--quiet", "--profile", profile]);
        let ended = capture(clean(&mut command).args(GENERATED.iter().flat_map(|name| ["-p", name])))?;
        if !ended.success {
            return Err(Failure::new(format!(
                "interfaces changed, but cargo could not remove r2r, so run `cargo clean`: {}",
                ended.err.trim()
            )));
        }
    }
    write(&mark, digest)
}
