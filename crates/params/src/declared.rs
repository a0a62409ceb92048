/// Declares parameters once: the macro generates the struct for their values, the list of their declarations and the
/// functions that read them.
///
/// The type of a field is the `T` of the [`Parameter<T>`](crate::Parameter) after the `=`, which is a constant; or, after a
/// `=>`, that of the function which makes the value of it. The field's comment is also the description of the parameter, for
/// `ros2 param describe` and the YAML file, unless that [has another](crate::Parameter::text). Every field has the visibility
/// of the struct. The struct has
///
/// * `declarations()`, the list for [`Specification::with_all`](crate::Specification::with_all) or for the members of a
///   [`Group`](crate::Group), in the order of the fields;
/// * `get(set)`, with the values in force in a [`Set`](crate::Set), and the defaults as its `default()`;
/// * `get_entry(set, prefix, name)`, with those of the entry `name` of the group `prefix`.
///
/// Take a private one apart by [`values!`](crate::values!), or without `..`: then the compiler warns of a parameter that is
/// declared and not used.
///
/// ```
/// use core::time::Duration;
/// use params::{Parameter, Specification};
///
/// params::params! {
///     /// The parameters of the example.
///     struct Declared {
///         /// How often the state is published.
///         rate: i64 = Parameter::integer("rate", 50, 1, 1000).unit("Hz").at_start(),
///         /// An older command is lost.
///         timeout: Duration = Parameter::seconds("timeout", 0.5, 0.05, 5.0),
///         /// The widest angle.
///         angle: f64 = Parameter::float("angle", 90.0, 0.0, 180.0).unit("degrees") => f64::to_radians,
///     }
/// }
///
/// let specification = Specification::new("example", "An example.").with_all(Declared::declarations());
/// let set = specification.defaults();
/// let Declared { rate, timeout, angle } = Declared::get(&set);
/// assert_eq!((rate, timeout, angle), (50, Duration::from_millis(500), core::f64::consts::FRAC_PI_2));
/// assert_eq!(set.declaration("timeout").map(|timeout| timeout.text), Some("An older command is lost."));
/// ```
#[macro_export]
macro_rules! params {
    (@parameter $type:ty, $parameter:expr) => {{
        const P: $crate::Parameter<$type> = $parameter;
        P
    }};
    (@parameter $type:ty, $parameter:expr, $convert:expr) => {
        const { $parameter }
    };
    (@value $value:expr) => {
        $value
    };
    (@value $value:expr, $convert:expr) => {
        ($convert)($value)
    };
    (
        $(#[$about:meta])*
        $visible:vis struct $name:ident {
            $($(#[doc = $text:literal])* $field:ident: $type:ty = $parameter:expr $(=> $convert:expr)?),+ $(,)?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        $visible struct $name {
            $($(#[doc = $text])* $visible $field: $type),+
        }

        impl $name {
            /// The declarations in the order of the fields.
            $visible fn declarations() -> ::std::vec::Vec<$crate::Declaration> {
                ::std::vec![$(
                    $crate::params!(@parameter $type, $parameter $(, $convert)?)
                        .declaration()
                        .described(concat!($($text),*))
                ),+]
            }

            /// The values in force in `set`.
            #[allow(dead_code)] // the members of a group are read by entry only
            $visible fn get(set: &$crate::Set) -> Self {
                Self { $($field: $crate::params!(
                    @value $crate::params!(@parameter $type, $parameter $(, $convert)?).get(set) $(, $convert)?
                )),+ }
            }

            /// The values in force for the entry `name` of the group `prefix`.
            #[allow(dead_code)] // only the members of a group are read by entry
            $visible fn get_entry(set: &$crate::Set, prefix: &str, name: &str) -> Self {
                Self { $($field: $crate::params!(
                    @value $crate::params!(@parameter $type, $parameter $(, $convert)?).get_in(set, prefix, name)
                        $(, $convert)?
                )),+ }
            }
        }

        impl ::core::default::Default for $name {
            fn default() -> Self {
                Self::get(&$crate::Specification::new("", "").with_all(Self::declarations()).defaults())
            }
        }
    };
}

/// Puts the values of a struct of [`params!`](crate::params!) into variables of their names. A field that is not
/// named does not compile, and of a variable without a use the compiler warns; `field: _` has none.
///
/// ```
/// params::params! {
///     struct Declared {
///         /// How often the state is published.
///         rate: i64 = params::Parameter::integer("rate", 50, 1, 1000).unit("Hz"),
///     }
/// }
/// params::values! { Declared { rate } = Declared::default() }
/// assert_eq!(rate, 50);
/// ```
#[macro_export]
macro_rules! values {
    ($name:ident $fields:tt = $values:expr) => {
        let $name $fields = $values; // the caller's own tokens: the compiler warns of no others
    };
}

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
