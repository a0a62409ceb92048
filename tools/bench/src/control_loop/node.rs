//! The node `mechanism` as a process of its own.

use processes::{Folder, Process};
use ros::Error;

use crate::child;

/// The example of two joints and five controllers.
const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/arm.yaml");
const URDF: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/urdf/arm.urdf");
/// The executable and its node.
const NAME: &str = "mechanism";

/// Starts the node, whose loop has this `rate` \[Hz\], and one processor if it is given.
/// # Errors
/// There is no such executable.
pub fn start(rate: u32, core: Option<usize>, folder: &Folder) -> Result<Process, Error> {
    let description = format!("robot_description:={URDF}");
    let rate = format!("rate:={rate}");
    let mut arguments =
        ["--ros-args", "--params-file", CONFIG, "-p", &description, "-p", &rate].map(str::to_owned).to_vec();
    arguments.extend(core.into_iter().flat_map(|core| ["-p".to_owned(), format!("cores:=[{core}]")]));
    child::start(NAME, &arguments, folder)
}
