//! The middleware that the variable `RMW_IMPLEMENTATION` names has to be there: ROS would end each process with a message of its own.

use std::fs;
use std::path::Path;

use crate::environment::Ros;
use crate::report::{Failure, Outcome};

/// The one of the wheels.
pub const OWN: &str = "rmw_fastrtps_cpp";
/// Where the packages of a prefix are registered that are middlewares; `rmw_implementation` selects one.
const INDEX: &str = "share/ament_index/resource_index/rmw_typesupport";

/// Checks that `ros` has the middleware `named`, if one is.
///
/// # Errors
/// It does not: the sentence names those that are there.
pub fn check(ros: &Ros, named: Option<String>) -> Outcome<()> {
    let Some(named) = named.filter(|name| !name.is_empty()) else { return Ok(()) };
    let (place, mut there) = match ros {
        Ros::Own => ("the ROS 2 in .ros2/", vec![OWN.to_owned()]),
        Ros::Sourced { prefixes, .. } => {
            ("the sourced ROS 2", prefixes.iter().flat_map(registered).collect())
        }
    };
    there.sort();
    // A ROS without a registration is not judged.
    if there.is_empty() || there.contains(&named) {
        return Ok(());
    }
    let there = there.join(", ");
    Err(Failure::new(format!(
        "RMW_IMPLEMENTATION is '{named}', and {place} has {there}: unset it, or source a ROS 2 that has it"
    )))
}

fn registered(prefix: impl AsRef<Path>) -> Vec<String> {
    let entries = fs::read_dir(prefix.as_ref().join(INDEX)).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name != "rmw_implementation").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_middleware_that_is_not_there_is_named_with_those_that_are() {
        let prefix = std::env::temp_dir().join(format!("xtask-middleware-{}", std::process::id()));
        let index = prefix.join(INDEX);
        fs::create_dir_all(&index).unwrap();
        for name in [OWN, "rmw_implementation", "rmw_zenoh_cpp"] {
            fs::write(index.join(name), "").unwrap();
        }
        let prefixes = vec![prefix.display().to_string()];
        let sourced = Ros::Sourced { distro: "jazzy".to_owned(), prefixes };
        let cyclone = || Some("rmw_cyclonedds_cpp".to_owned());
        for (ros, there) in [
            (&Ros::Own, "the ROS 2 in .ros2/ has rmw_fastrtps_cpp:"),
            (&sourced, "the sourced ROS 2 has rmw_fastrtps_cpp, rmw_zenoh_cpp:"),
        ] {
            let Failure(sentence) = check(ros, cyclone()).unwrap_err();
            let start = format!("RMW_IMPLEMENTATION is 'rmw_cyclonedds_cpp', and {there} unset it");
            assert!(sentence.starts_with(&start), "{sentence}");
            for fine in [None, Some(String::new()), Some(OWN.to_owned())] {
                assert!(check(ros, fine).is_ok());
            }
        }
        assert!(check(&sourced, Some("rmw_zenoh_cpp".to_owned())).is_ok());
        fs::remove_dir_all(&prefix).unwrap();
        let bare = Ros::Sourced { distro: "jazzy".to_owned(), prefixes: Vec::new() };
        assert!(check(&bare, cyclone()).is_ok());
    }
}
