/// Declares parameters once: the macro generates the struct for their values, the list of their declarations and the
/// functions that read them.
///
/// The type of a field is the `T` of the [`Parameter<T>`](crate::Parameter) after the `=`, which is a constant. Every field
/// has the visibility of the struct, and attributes of the struct and of its fields are kept. The struct has
///
/// * `declarations()`, the list for [`Specification::with_all`](crate::Specification::with_all) or for the members of a
///   [`Group`](crate::Group), in the order of the fields;
/// * `read(set)`, with the values in force in a [`Set`](crate::Set), and `defaults()`;
/// * `read_entry(set, prefix, name)`, with those of the entry `name` of the group `prefix`.
///
/// Destructure it without `..`: then the compiler warns of a parameter that is declared and not used.
///
/// ```
/// use core::time::Duration;
/// use params::{Parameter, Specification};
///
/// params::params! {
///     /// The parameters of the example.
///     struct Declared {
///         rate: i64 = Parameter::integer("rate", 50, 1, 1000).unit("Hz").text("How often.").at_start(),
///         timeout: Duration = Parameter::seconds("timeout", 0.5, 0.05, 5.0).text("An older command is lost."),
///     }
/// }
///
/// let specification = Specification::new("example", "An example.").with_all(Declared::declarations());
/// let Declared { rate, timeout } = Declared::read(&specification.defaults());
/// assert_eq!((rate, timeout), (50, Duration::from_millis(500)));
/// ```
#[macro_export]
macro_rules! params {
    (
        $(#[$about:meta])*
        $visible:vis struct $name:ident {
            $($(#[$about_field:meta])* $field:ident: $type:ty = $parameter:expr),+ $(,)?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        $visible struct $name {
            $($(#[$about_field])* $visible $field: $type),+
        }

        impl $name {
            /// The declarations in the order of the fields.
            $visible fn declarations() -> ::std::vec::Vec<$crate::Declaration> {
                ::std::vec![$({
                    const P: $crate::Parameter<$type> = $parameter;
                    P.declaration()
                }),+]
            }

            /// The values in force in `set`.
            #[allow(dead_code)] // the members of a group are read by entry only
            $visible fn read(set: &$crate::Set) -> Self {
                Self { $($field: {
                    const P: $crate::Parameter<$type> = $parameter;
                    P.get(set)
                }),+ }
            }

            /// The defaults.
            #[allow(dead_code)] // rarely used without a specification
            $visible fn defaults() -> Self {
                Self::read(&$crate::Specification::new("", "").with_all(Self::declarations()).defaults())
            }

            /// The values in force for the entry `name` of the group `prefix`.
            #[allow(dead_code)] // only the members of a group are read by entry
            $visible fn read_entry(set: &$crate::Set, prefix: &str, name: &str) -> Self {
                Self { $($field: {
                    const P: $crate::Parameter<$type> = $parameter;
                    P.get_in(set, prefix, name)
                }),+ }
            }
        }
    };
}
