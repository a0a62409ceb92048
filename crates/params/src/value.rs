use core::fmt;

/// The value of a parameter, in the types that ROS 2 has for them.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// True or false.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A real number.
    Float(f64),
    /// Text.
    Text(String),
    /// True or false, several.
    Bools(Vec<bool>),
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Real numbers.
    Floats(Vec<f64>),
    /// Texts.
    Texts(Vec<String>),
}

impl Value {
    /// The name of the value's type, as ROS 2 users read it in messages.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Bool(_) => "boolean",
            Self::Integer(_) => "integer",
            Self::Float(_) => "double",
            Self::Text(_) => "string",
            Self::Bools(_) => "boolean array",
            Self::Integers(_) => "integer array",
            Self::Floats(_) => "double array",
            Self::Texts(_) => "string array",
        }
    }

    /// The real numbers in it.
    pub(crate) fn floats(&self) -> impl Iterator<Item = &f64> {
        match self {
            Self::Float(value) => core::slice::from_ref(value).iter(),
            Self::Floats(values) => values.iter(),
            _ => [].iter(),
        }
    }

    /// The texts in it.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &String> {
        match self {
            Self::Text(text) => core::slice::from_ref(text).iter(),
            Self::Texts(texts) => texts.iter(),
            _ => [].iter(),
        }
    }
}

/// Writes the value as YAML would read it back with the same type: `1.0`, not `1`, for a real number.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(v) => write!(f, "{v}"),
            Self::Integer(v) => write!(f, "{v}"),
            Self::Float(v) => write!(f, "{}", yaml_float(*v)),
            Self::Text(v) => write!(f, "{}", yaml_text(v)),
            Self::Bools(v) => list(f, v, bool::to_string),
            Self::Integers(v) => list(f, v, i64::to_string),
            Self::Floats(v) => list(f, v, |x| yaml_float(*x)),
            Self::Texts(v) => list(f, v, |x| yaml_text(x)),
        }
    }
}

fn list<T>(f: &mut fmt::Formatter<'_>, items: &[T], write: impl Fn(&T) -> String) -> fmt::Result {
    write!(f, "[{}]", items.iter().map(write).collect::<Vec<_>>().join(", "))
}

fn yaml_float(value: f64) -> String {
    match value {
        v if v.is_nan() => ".nan".into(),
        f64::INFINITY => ".inf".into(),
        f64::NEG_INFINITY => "-.inf".into(),
        v => format!("{v:?}"),
    }
}

fn yaml_text(text: &str) -> String {
    let escaped = text.chars().map(|letter| match letter {
        '\\' | '"' => format!("\\{letter}"),
        '\n' => "\\n".into(),
        '\r' => "\\r".into(),
        '\t' => "\\t".into(),
        _ => letter.into(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_back_as_it_was() {
        let text = Value::Text("größe\n\"\t\r\\".into());
        assert_eq!(crate::file::read_value(&text.to_string()), Ok(text));
    }

    #[test]
    fn a_real_number_never_looks_like_a_whole_one() {
        assert_eq!(Value::Float(1.0).to_string(), "1.0");
        assert_eq!(Value::Float(1e-9).to_string(), "1e-9");
        assert_eq!(Value::Float(f64::NAN).to_string(), ".nan");
        assert_eq!(Value::Floats(vec![0.5, -2.0]).to_string(), "[0.5, -2.0]");
    }

    #[test]
    fn text_is_quoted_and_escaped() {
        assert_eq!(Value::Text("a \"b\" \\".into()).to_string(), r#""a \"b\" \\""#);
        assert_eq!(Value::Texts(vec!["true".into()]).to_string(), "[\"true\"]");
    }
}
