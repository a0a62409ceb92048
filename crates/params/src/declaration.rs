use core::marker::PhantomData;
use core::time::Duration;

use crate::{Choice, Refusal, Set, Value};

/// The declaration of one parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Declaration {
    /// Name, lower case with dots between levels; inside a [`Group`](crate::Group) its last part.
    pub name: &'static str,
    /// Description of its effect, one or two sentences.
    pub text: &'static str,
    /// Unit of the value as text; empty for a plain number or text.
    pub unit: &'static str,
    /// Added to the refusal of a number beyond the range: how to get what such a number stands for elsewhere.
    pub instead: &'static str,
    /// Type, default and allowed values.
    pub kind: Kind,
    /// When it may be changed.
    pub change: Change,
}

/// When a parameter may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The parameter may be changed at any time, with immediate effect.
    Live,
    /// The parameter may be changed only when the node starts.
    AtStart,
}

/// Type, default and allowed values. Bounds are inclusive; for lists they hold for every entry.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // the names are clear: default, min, max, allowed, longest
pub enum Kind {
    Bool {
        default: bool,
    },
    Integer {
        default: i64,
        min: i64,
        max: i64,
    },
    Float {
        default: f64,
        min: f64,
        max: f64,
    },
    Text {
        default: &'static str,
        allowed: &'static [&'static str],
    },
    Integers {
        default: &'static [i64],
        min: i64,
        max: i64,
        longest: usize,
    },
    Floats {
        default: &'static [f64],
        min: f64,
        max: f64,
        longest: usize,
    },
    Texts {
        default: &'static [&'static str],
        allowed: &'static [&'static str],
        longest: usize,
    },
    /// A whole number, or one of the texts `names`.
    NumberOrName {
        default: i64,
        min: i64,
        max: i64,
        names: &'static [&'static str],
    },
    /// A real number, or the empty text, its default: it is not set.
    OptionalFloat {
        min: f64,
        max: f64,
    },
    /// Any type and value, see [`Specification::with_open`](crate::Specification::with_open).
    Any,
}

impl Kind {
    /// The default as a value.
    pub fn default(&self) -> Value {
        match *self {
            Self::Bool { default } => Value::Bool(default),
            Self::Integer { default, .. } => Value::Integer(default),
            Self::Float { default, .. } => Value::Float(default),
            Self::Text { default, .. } => Value::Text(default.into()),
            Self::Integers { default, .. } => Value::Integers(default.into()),
            Self::Floats { default, .. } => Value::Floats(default.into()),
            Self::Texts { default, .. } => Value::Texts(default.iter().map(|&t| t.into()).collect()),
            Self::NumberOrName { default, .. } => Value::Integer(default),
            Self::OptionalFloat { .. } | Self::Any => Value::Text(String::new()),
        }
    }

    /// The name of the type, as ROS 2 users read it in messages.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::NumberOrName { .. } => NUMBER_OR_NAME,
            Self::OptionalFloat { .. } => "double or empty string",
            kind => kind.default().type_name(),
        }
    }

    fn has_type_of(&self, value: &Value) -> bool {
        match self {
            Self::Any => true,
            Self::NumberOrName { .. } => matches!(value, Value::Integer(_) | Value::Text(_)),
            Self::OptionalFloat { .. } => matches!(value, Value::Float(_) | Value::Text(_)),
            kind => value.type_name() == kind.type_name(),
        }
    }

    /// The most entries of a list.
    const fn longest(&self) -> Option<usize> {
        match self {
            Self::Integers { longest, .. } | Self::Floats { longest, .. } | Self::Texts { longest, .. } => {
                Some(*longest)
            }
            _ => None,
        }
    }

    /// Whether the type of the value may change.
    pub const fn is_dynamic(&self) -> bool {
        matches!(self, Self::Any | Self::NumberOrName { .. } | Self::OptionalFloat { .. })
    }
}

/// The type of [`Kind::NumberOrName`].
const NUMBER_OR_NAME: &str = "integer or string";

impl Declaration {
    /// Makes `comment`, that of the field, the description unless there is one.
    #[must_use]
    pub fn described(self, comment: &'static str) -> Self {
        if self.text.is_empty() { Self { text: comment.trim_start(), ..self } } else { self }
    }

    /// Checks `value` for the parameter called `name` and returns it in the declared type.
    ///
    /// A whole number is accepted as a real one (YAML writes `1` for `1.0`); nothing else is converted. An empty list
    /// has no type in YAML and is accepted as any list.
    /// # Errors
    /// [`Refusal`] quotes `name`, the value and what is allowed. NaN and the infinities are always refused.
    pub fn check(&self, name: &str, value: Value) -> Result<Value, Refusal> {
        let value = widen(self.kind, value);
        if !self.kind.has_type_of(&value) {
            return Err(wrong_type(name, &value, self.kind.type_name()));
        }
        match self.broken_rule(&value) {
            Some(rule) => Err(Refusal::of(name, &value, &rule)),
            None => Ok(value),
        }
    }

    /// The rule that a value of the right type breaks.
    fn broken_rule(&self, value: &Value) -> Option<String> {
        if value.texts().any(|text| text.contains('\0')) {
            return Some("must not contain a NUL character".into());
        }
        if let Some(longest) = self.kind.longest()
            && value.entries().is_some_and(|entries| entries > longest)
        {
            return Some(format!("must have at most {longest} entries"));
        }
        let space = if self.unit.is_empty() { "" } else { " " };
        let unit = self.unit;
        match self.kind {
            Kind::NumberOrName { min, max, names, .. }
                if value.texts().any(|text| !names.contains(&text.as_str())) =>
            {
                Some(format!("must be a number from {min} to {max} or one of: {}", names.join(", ")))
            }
            Kind::Integer { min, max, .. }
            | Kind::Integers { min, max, .. }
            | Kind::NumberOrName { min, max, .. } => {
                let is_outside = value.integers().any(|v| !(min..=max).contains(v));
                is_outside.then(|| format!("must be from {min} to {max}{space}{unit}"))
            }
            Kind::Float { min, max, .. } | Kind::Floats { min, max, .. } => {
                let is_outside = value.floats().any(|v| !(min..=max).contains(v) || !v.is_finite());
                is_outside.then(|| format!("must be from {min:?} to {max:?}{space}{unit}{}", self.instead))
            }
            Kind::Text { allowed, .. } | Kind::Texts { allowed, .. } => {
                let is_other = value.texts().any(|text| !allowed.contains(&text.as_str()));
                (is_other && !allowed.is_empty()).then(|| format!("must be one of: {}", allowed.join(", ")))
            }
            Kind::OptionalFloat { min, max } => {
                let is_allowed =
                    value.floats().all(|v| (min..=max).contains(v)) && value.texts().all(String::is_empty);
                (!is_allowed).then(|| format!("must be from {min:?} to {max:?}{space}{unit}, or ''"))
            }
            Kind::Any => value.floats().any(|v| !v.is_finite()).then(|| "must be finite".into()),
            Kind::Bool { .. } => None,
        }
    }
}

fn wrong_type(name: &str, value: &Value, expected: &str) -> Refusal {
    // YAML reads some texts as another type: a GUID of digits as a number, and the name `y` as true.
    let is_misread = match value {
        Value::Bool(_) => expected == "string" || expected == NUMBER_OR_NAME,
        Value::Integer(_) | Value::Float(_) => expected == "string",
        _ => false,
    };
    let hint = if is_misread { "; write it in quotes" } else { "" };
    let (quoted, found) = (value.quoted(), value.type_name());
    Refusal::new(name, format!("is {quoted} ({found}), must be of type {expected}{hint}"))
}

/// Whole numbers up to 2^53 become real numbers without loss; larger ones are left and refused by type.
fn widen(kind: Kind, value: Value) -> Value {
    const EXACT: core::ops::RangeInclusive<i64> = -(1 << 53)..=(1 << 53);
    match (kind, value) {
        (Kind::Float { .. } | Kind::OptionalFloat { .. }, Value::Integer(v)) if EXACT.contains(&v) => {
            Value::Float(v as f64)
        }
        (Kind::Floats { .. }, Value::Integers(v)) if v.iter().all(|x| EXACT.contains(x)) => {
            Value::Floats(v.into_iter().map(|x| x as f64).collect())
        }
        (kind, value) if value.entries() == Some(0) => match kind {
            Kind::Integers { .. } => Value::Integers(Vec::new()),
            Kind::Floats { .. } => Value::Floats(Vec::new()),
            Kind::Texts { .. } => Value::Texts(Vec::new()),
            _ => value,
        },
        (_, value) => value,
    }
}

/// A declaration with the Rust type of its value: a wrong read does not compile. It is written in
/// [`params!`](crate::params!).
#[derive(Clone, Copy, Debug)]
pub struct Parameter<T> {
    declaration: Declaration,
    value: PhantomData<fn() -> T>,
}

impl<T> Parameter<T> {
    const fn new(name: &'static str, kind: Kind) -> Self {
        let declaration = Declaration { name, text: "", unit: "", instead: "", kind, change: Change::Live };
        Self { declaration, value: PhantomData }
    }

    /// Adds to the refusal of a number beyond the range how to get what such a number stands for elsewhere.
    pub const fn instead(mut self, text: &'static str) -> Self {
        self.declaration.instead = text;
        self
    }

    /// Sets the unit.
    pub const fn unit(mut self, unit: &'static str) -> Self {
        self.declaration.unit = unit;
        self
    }

    /// Sets the description, in place of the field's comment.
    pub const fn text(mut self, text: &'static str) -> Self {
        self.declaration.text = text;
        self
    }

    /// Makes it changeable only when the node starts.
    pub const fn at_start(mut self) -> Self {
        self.declaration.change = Change::AtStart;
        self
    }

    /// The untyped declaration.
    pub const fn declaration(&self) -> Declaration {
        self.declaration
    }
}

/// A Rust type that the value of a parameter is read into.
pub trait Typed: Sized {
    /// The value in this type; `None` if `kind` does not allow it.
    fn of(kind: &Kind, value: &Value) -> Option<Self>;

    /// A value for what is not reached: a set holds only allowed values, and the default is one.
    fn unreached() -> Self;
}

impl<T: Typed> Parameter<T> {
    /// The value in force in `set`, which must contain it.
    pub fn get(&self, set: &Set) -> T {
        self.read(set, self.declaration.name)
    }

    /// The value in force for the entry `name` of the group `prefix`.
    pub fn get_in(&self, set: &Set, prefix: &str, name: &str) -> T {
        self.read(set, &format!("{prefix}.{name}.{}", self.declaration.name))
    }

    fn read(&self, set: &Set, name: &str) -> T {
        debug_assert!(set.value(name).is_some(), "'{name}' is read but not in the specification");
        let kind = &self.declaration.kind;
        let found = set.value(name).and_then(|value| T::of(kind, value));
        found.or_else(|| T::of(kind, &kind.default())).unwrap_or_else(T::unreached)
    }
}

macro_rules! typed {
    ($type:ty, $variant:ident by $read:path, $($constructor:tt)*) => {
        impl Parameter<$type> {
            $($constructor)*
        }

        impl Typed for $type {
            fn of(_: &Kind, value: &Value) -> Option<Self> {
                if let Value::$variant(value) = value { Some($read(value)) } else { None }
            }

            fn unreached() -> Self {
                Self::default()
            }
        }
    };
}

typed! { bool, Bool by bool::clone,
    /// True or false.
    pub const fn bool(name: &'static str, default: bool) -> Self {
        Self::new(name, Kind::Bool { default })
    }
}
typed! { i64, Integer by i64::clone,
    /// A whole number from `min` to `max`.
    pub const fn integer(name: &'static str, default: i64, min: i64, max: i64) -> Self {
        Self::new(name, Kind::Integer { default, min, max })
    }
}
typed! { f64, Float by f64::clone,
    /// A real number from `min` to `max`.
    pub const fn float(name: &'static str, default: f64, min: f64, max: f64) -> Self {
        Self::new(name, Kind::Float { default, min, max })
    }
}
typed! { Duration, Float by duration,
    /// A time from `min` to `max` seconds, a real number in ROS.
    ///
    /// A number that is not a time, which the range excludes, is read as zero: the safe side for a time-out.
    pub const fn seconds(name: &'static str, default: f64, min: f64, max: f64) -> Self {
        Self::new(name, Kind::Float { default, min, max }).unit("s")
    }
}
typed! { String, Text by String::clone,
    /// Any text.
    pub const fn string(name: &'static str, default: &'static str) -> Self {
        Self::new(name, Kind::Text { default, allowed: &[] })
    }
}
typed! { Vec<i64>, Integers by Vec::clone,
    /// At most `longest` whole numbers from `min` to `max`.
    pub const fn integers(name: &'static str, default: &'static [i64], min: i64, max: i64, longest: usize) -> Self {
        Self::new(name, Kind::Integers { default, min, max, longest })
    }
}
typed! { Vec<f64>, Floats by Vec::clone,
    /// At most `longest` real numbers from `min` to `max`.
    pub const fn floats(name: &'static str, default: &'static [f64], min: f64, max: f64, longest: usize) -> Self {
        Self::new(name, Kind::Floats { default, min, max, longest })
    }
}
typed! { Vec<String>, Texts by Vec::clone,
    /// At most `longest` texts, each one of `allowed` (empty: any).
    pub const fn strings(
        name: &'static str, default: &'static [&'static str], allowed: &'static [&'static str], longest: usize,
    ) -> Self {
        Self::new(name, Kind::Texts { default, allowed, longest })
    }
}

const fn contains(words: &[&str], word: &str) -> bool {
    let mut index = 0;
    while index < words.len() {
        if equal(words[index].as_bytes(), word.as_bytes()) {
            return true;
        }
        index += 1;
    }
    false
}

const fn equal(one: &[u8], other: &[u8]) -> bool {
    let mut index = 0;
    while index < one.len() && index < other.len() && one[index] == other[index] {
        index += 1;
    }
    index == one.len() && index == other.len()
}

impl<C: Choice> Parameter<C> {
    /// One of the words of an enum; a default that is none of them does not compile.
    pub const fn choice(name: &'static str, default: &'static str) -> Self {
        assert!(contains(C::NAMES, default), "the default is not one of the words");
        Self::new(name, Kind::Text { default, allowed: C::NAMES })
    }
}

impl<C: Choice> Typed for C {
    fn of(_: &Kind, value: &Value) -> Option<Self> {
        if let Value::Text(word) = value { C::named(word) } else { None }
    }

    fn unreached() -> Self {
        C::ALL[0]
    }
}

/// The value of a parameter that is a number or a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberOrName {
    /// The number.
    Number(i64),
    /// One of the declared names.
    Name(&'static str),
}

impl Parameter<NumberOrName> {
    /// A whole number from `min` to `max`, or one of `names`. In ROS its type follows the value.
    pub const fn number_or_name(
        name: &'static str,
        default: i64,
        min: i64,
        max: i64,
        names: &'static [&'static str],
    ) -> Self {
        Self::new(name, Kind::NumberOrName { default, min, max, names })
    }
}

impl Typed for NumberOrName {
    fn of(kind: &Kind, value: &Value) -> Option<Self> {
        match (kind, value) {
            (_, Value::Integer(number)) => Some(Self::Number(*number)),
            (Kind::NumberOrName { names, .. }, Value::Text(text)) => {
                names.iter().find(|known| *known == text).map(|known| Self::Name(known))
            }
            _ => None,
        }
    }

    fn unreached() -> Self {
        Self::Number(0)
    }
}

impl Parameter<Option<f64>> {
    /// A real number from `min` to `max`, or the empty text, its default. In ROS its type follows the value.
    pub const fn optional_float(name: &'static str, min: f64, max: f64) -> Self {
        Self::new(name, Kind::OptionalFloat { min, max })
    }
}

impl Typed for Option<f64> {
    fn of(_: &Kind, value: &Value) -> Option<Self> {
        Some(value.floats().next().copied())
    }

    fn unreached() -> Self {
        None
    }
}

fn duration(seconds: &f64) -> Duration {
    Duration::try_from_secs_f64(*seconds).unwrap_or(Duration::ZERO)
}
