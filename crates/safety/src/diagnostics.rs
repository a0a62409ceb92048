/// Declares the counters of a machine once, each with its key in `/diagnostics`.
///
/// ```
/// safety::counters! {
///     /// Counts since the start.
///     pub struct Counters {
///         /// Commands that were received.
///         commands: "commands",
///         /// Commands that were too old.
///         old: "old commands",
///     }
/// }
///
/// let counters = Counters { old: 2, ..Counters::default() };
/// assert!(counters.report().eq([("commands", "0".to_owned()), ("old commands", "2".to_owned())]));
/// ```
#[macro_export]
macro_rules! counters {
    (
        $(#[$about:meta])*
        $visible:vis struct $name:ident {
            $($(#[$about_field:meta])* $field:ident: $key:literal),+ $(,)?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        $visible struct $name {
            $($(#[$about_field])* $visible $field: u64),+
        }

        impl $name {
            /// The keys and the counts, for `/diagnostics`.
            $visible fn report(&self) -> impl Iterator<Item = (&'static str, ::std::string::String)> + use<> {
                [$(($key, self.$field)),+].into_iter().map(|(key, count)| (key, count.to_string()))
            }
        }
    };
}

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

/// The first `most` bytes of `text`, or slightly fewer where that would split a character.
pub fn first_bytes(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    text.get(..end.unwrap_or_default()).unwrap_or_default()
}
