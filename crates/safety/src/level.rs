/// The level of a node in `/diagnostics`, from best to worst: whether an operator has to act. A vehicle that is parked is well.
///
/// # Source
/// `diagnostic_msgs/msg/DiagnosticStatus` (ROS 2 Jazzy); the numbers are those of its constants. Its `STALE` is left to the aggregator,
/// which shows it for a node that is silent, and a group that has one as an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Works as it should, or waits for a person who need not come.
    #[default]
    Ok = 0,
    /// Works, but keeps from what is wanted until a person acts.
    Warn = 1,
    /// Does not work.
    Error = 2,
}
