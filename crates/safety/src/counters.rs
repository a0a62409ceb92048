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
