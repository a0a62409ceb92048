/// The level of a node in `/diagnostics`, from best to worst.
///
/// # Source
/// `diagnostic_msgs/msg/DiagnosticStatus` (ROS 2 Jazzy); the numbers are those of its constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Works as it should.
    #[default]
    Ok = 0,
    /// Works, but needs attention.
    Warn = 1,
    /// Does not work.
    Error = 2,
    /// Waits for an input that is missing.
    Stale = 3,
}
