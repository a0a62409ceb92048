//! `cargo xtask setup`: everything that building and running the ROS crates needs. A second run does nothing.

pub mod debian;
pub mod disk;
pub mod fixes;
pub mod guard;
pub mod interfaces;
pub mod middleware;
mod mujoco;
pub mod package;
pub mod python;
pub mod stamp;
pub mod wheels;

use crate::environment::{Environment, Ros, detect, inherited};
use crate::report::{Failure, Outcome, Watch, step};
use crate::root::{Root, write};
use guard::Guard;

/// The distributions that r2r supports.
const DISTROS: &[&str] = &["humble", "iron", "jazzy", "rolling"];

/// Makes everything that is missing or outdated.
///
/// # Errors
/// The first requirement that cannot be met, in one sentence.
pub fn run(root: &Root) -> Outcome<()> {
    let watch = Watch::start();
    let guard = Guard::take(root)?;
    let ros = detect(&inherited);
    middleware::check(&ros, inherited("RMW_IMPLEMENTATION"))?;
    debian::ensure_tools()?;
    match &ros {
        Ros::Sourced { distro, .. } if !DISTROS.contains(&distro.as_str()) => {
            return Err(Failure::new(format!(
                "the sourced ROS 2 is {distro}, and r2r knows {} only: source one of them, or none",
                DISTROS.join(", ")
            )));
        }
        Ros::Sourced { distro, prefixes } => {
            step(format_args!("ROS 2 {distro} as sourced: {}", prefixes.join(":")))
        }
        Ros::Own => wheels::ensure(root, &guard)?,
    }
    write(&root.made("fastdds.xml"), isolation::PROFILE)?;
    interfaces::ensure(root, &ros, &Environment::new(root), &guard)?;
    step(format_args!("ready ({watch}); in a shell: eval \"$(cargo xtask env)\""));
    Ok(())
}

/// Makes MuJoCo's library, which needs no ROS, unless it is there.
///
/// # Errors
/// As [`run`].
pub fn mujoco(root: &Root) -> Outcome<()> {
    mujoco::ensure(root, &Guard::take(root)?)
}

/// Checks whether setup has been completed here, without changing anything.
///
/// # Errors
/// When it has not.
pub fn check(root: &Root) -> Outcome<()> {
    let ros = detect(&inherited);
    middleware::check(&ros, inherited("RMW_IMPLEMENTATION"))?;
    let ready = match ros {
        Ros::Sourced { .. } => root.install().is_dir(),
        Ros::Own => wheels::is_complete(root) && root.install().is_dir(),
    };
    if ready {
        Ok(())
    } else {
        Err(Failure::new("ROS 2 is not set up here yet: run `cargo xtask setup` first"))
    }
}
