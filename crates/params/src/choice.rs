/// The values of a parameter that is one of a few words: an enum, for which [`choices!`](crate::choices!) implements it.
pub trait Choice: Copy + 'static {
    /// The words, in the order of [`ALL`](Self::ALL).
    const NAMES: &'static [&'static str];
    /// Each value.
    const ALL: &'static [Self];

    /// The word for it.
    fn name(self) -> &'static str;

    /// The value of a word.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.name() == name)
    }
}

/// Gives each value of an enum its word in a parameter. One without a word does not compile.
///
/// ```
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Mode {
///     Shared,
///     Auto,
/// }
/// params::choices! { Mode: Shared = "shared", Auto = "auto" }
/// params::params! {
///     struct Declared {
///         /// The mode.
///         mode: Mode = params::Parameter::choice("mode", "shared"),
///     }
/// }
/// assert_eq!(Declared::default().mode, Mode::Shared);
/// ```
#[macro_export]
macro_rules! choices {
    ($type:ty: $($value:ident = $name:literal),+ $(,)?) => {
        impl $crate::Choice for $type {
            const NAMES: &'static [&'static str] = &[$($name),+];
            const ALL: &'static [Self] = &[$(Self::$value),+];

            fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name),+
                }
            }
        }
    };
}
