use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::trouble::Trouble;

/// The variable that tells which ROS nodes see one another.
const VARIABLE: &str = "ROS_DOMAIN_ID";
/// Domains to choose from: 0 is everybody's, and above 101 their ports may meet those of other programs.
const DOMAINS: u32 = 99;

/// Sees to it that a domain is set: without one the demo begins again in a domain of its own, so that it never meets
/// a robot that happens to run nearby.
///
/// A process cannot safely change its own environment once there may be threads; starting over can.
/// # Errors
/// The operating system refused the start.
pub fn ensure() -> Result<(), Trouble> {
    if std::env::var_os(VARIABLE).is_some_and(|domain| !domain.is_empty()) {
        return Ok(());
    }
    let again = || Trouble::io("start again in a ROS domain of its own");
    let own = std::env::current_exe().map_err(again())?;
    let domain = choose(std::process::id());
    Err(again()(Command::new(own).args(std::env::args_os().skip(1)).env(VARIABLE, domain.to_string()).exec()))
}

/// The domain for the process `id`, 1 to 99.
fn choose(id: u32) -> u32 {
    id % DOMAINS + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_is_never_everybody_s() {
        assert_eq!([0, 98, 99, u32::MAX].map(choose), [1, 99, 1, u32::MAX % 99 + 1]);
    }
}
