use core::fmt;
use std::borrow::Cow;

use crate::Value;
use crate::declaration::NUMBER_OR_NAME;
use crate::value::quoted;

/// Why a value was refused: name, value and what is allowed.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// There is no parameter of this name.
    Unknown {
        /// The given name.
        name: String,
        /// A similar known name, if there is one.
        nearest: Option<String>,
    },
    /// The value has another type.
    WrongType {
        /// Full name of the parameter.
        name: String,
        /// The given value.
        value: Value,
        /// The declared type, as ROS 2 calls it.
        expected: &'static str,
    },
    /// The value, or one of its entries, lies outside the range or is not finite.
    OutOfRange {
        /// Full name of the parameter.
        name: String,
        /// The given value.
        value: Value,
        /// Smallest allowed value.
        min: String,
        /// Largest allowed value.
        max: String,
        /// Unit, may be empty.
        unit: &'static str,
    },
    /// The text is not one of the allowed ones.
    NotAllowed {
        /// Full name of the parameter.
        name: String,
        /// The given value.
        value: Value,
        /// The allowed texts.
        allowed: &'static [&'static str],
    },
    /// The list is too long.
    TooLong {
        /// Full name of the parameter.
        name: String,
        /// The given value.
        value: Value,
        /// The maximum number of entries.
        longest: usize,
    },
    /// The parameter can be set only when the node starts.
    ReadOnly {
        /// Full name of the parameter.
        name: String,
        /// The value in force.
        current: Value,
    },
    /// The parameter cannot be deleted.
    NotRemovable {
        /// Full name of the parameter.
        name: String,
        /// The value in force.
        current: Value,
        /// The parameter whose deletion removes the whole entry, if there is one.
        key: Option<String>,
    },
    /// Each value is allowed, but not together with the others.
    Rule {
        /// Full name of the parameter.
        name: String,
        /// The given value.
        value: Value,
        /// The rule that it breaks.
        rule: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, value) = self.quoted();
        match self {
            Self::Unknown { nearest: Some(nearest), .. } => {
                write!(f, "parameter '{name}' does not exist; did you mean '{nearest}'?")
            }
            Self::Unknown { nearest: None, .. } => write!(f, "parameter '{name}' does not exist"),
            Self::WrongType { value: given, expected, .. } => {
                write!(
                    f,
                    "parameter '{name}' is {value} ({}), must be of type {expected}",
                    given.type_name()
                )?;
                // YAML reads some texts as another type, such as a GUID of digits.
                let plain = matches!(given, Value::Bool(_) | Value::Integer(_) | Value::Float(_));
                // YAML reads the name `y` as true.
                let is_name = matches!(given, Value::Bool(_)) && *expected == NUMBER_OR_NAME;
                let quotes = plain && *expected == "string" || is_name;
                f.write_str(if quotes { "; write it in quotes" } else { "" })
            }
            Self::OutOfRange { min, max, unit, .. } => {
                let space = if unit.is_empty() { "" } else { " " };
                write!(f, "parameter '{name}' is {value}, must be from {min} to {max}{space}{unit}")
            }
            Self::NotAllowed { allowed, .. } => {
                write!(f, "parameter '{name}' is {value}, must be one of: {}", allowed.join(", "))
            }
            Self::TooLong { longest, .. } => {
                write!(f, "parameter '{name}' is {value}, must have at most {longest} entries")
            }
            Self::ReadOnly { .. } => {
                write!(f, "parameter '{name}' is read-only and stays {value}; set it when the node starts")
            }
            Self::NotRemovable { key, .. } => {
                write!(f, "parameter '{name}' cannot be deleted and stays {value}")?;
                key.as_ref().map_or(Ok(()), |key| write!(f, "; delete '{key}' to remove the entry"))
            }
            Self::Rule { rule, .. } => write!(f, "parameter '{name}' is {value}, {rule}"),
        }
    }
}

impl Refusal {
    /// The parameter's name, and the value that is quoted with it: no sentence uses them at full length.
    fn quoted(&self) -> (Cow<'_, str>, String) {
        match self {
            Self::Unknown { name, .. } => (quoted(name), String::new()),
            Self::WrongType { name, value, .. }
            | Self::OutOfRange { name, value, .. }
            | Self::NotAllowed { name, value, .. }
            | Self::TooLong { name, value, .. }
            | Self::ReadOnly { name, current: value }
            | Self::NotRemovable { name, current: value, .. }
            | Self::Rule { name, value, .. } => (quoted(name), value.quoted()),
        }
    }
}

impl core::error::Error for Refusal {}
