/// How well a node is, from well to worst, as `/diagnostics` says it.
///
/// # Source
/// `diagnostic_msgs/msg/DiagnosticStatus` (ROS 2 Jazzy); the numbers are those of its constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// As it should be.
    #[default]
    Ok = 0,
    /// Works, but somebody should look.
    Warn = 1,
    /// Does not work.
    Error = 2,
    /// Waits for what does not come.
    Stale = 3,
}
