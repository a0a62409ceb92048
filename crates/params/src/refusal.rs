use crate::Value;
use crate::value::quoted;

/// Why a value was refused, as one sentence: the parameter's name, its value and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("parameter '{}' {what}", quoted(.name))]
pub struct Refusal {
    /// Full name of the parameter.
    name: String,
    /// The rest of the sentence.
    what: String,
}

impl Refusal {
    pub(crate) fn new(name: &str, what: impl Into<String>) -> Self {
        Self { name: name.into(), what: what.into() }
    }

    /// `value` breaks `rule`, which says what it must be.
    pub fn of(name: &str, value: &Value, rule: &str) -> Self {
        Self::new(name, format!("is {}, {rule}", value.quoted()))
    }

    /// There is no parameter of this name; `nearest` is a similar one.
    pub(crate) fn unknown(name: &str, nearest: Option<&str>) -> Self {
        let hint = nearest.map(|nearest| format!("; did you mean '{nearest}'?")).unwrap_or_default();
        Self::new(name, format!("does not exist{hint}"))
    }
}
