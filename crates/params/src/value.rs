use core::fmt;
use std::borrow::Cow;

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

    /// The number of entries of a list.
    pub(crate) fn entries(&self) -> Option<usize> {
        match self {
            Self::Bools(values) => Some(values.len()),
            Self::Integers(values) => Some(values.len()),
            Self::Floats(values) => Some(values.len()),
            Self::Texts(values) => Some(values.len()),
            Self::Bool(_) | Self::Integer(_) | Self::Float(_) | Self::Text(_) => None,
        }
    }

    /// The whole numbers in it.
    pub(crate) fn integers(&self) -> impl Iterator<Item = &i64> {
        match self {
            Self::Integer(value) => core::slice::from_ref(value).iter(),
            Self::Integers(values) => values.iter(),
            _ => [].iter(),
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

/// The most characters of a text that a sentence quotes.
const QUOTED: usize = 200;
/// The most entries of a list that a sentence quotes.
const QUOTED_ENTRIES: usize = 20;

impl Value {
    /// The value as an error quotes it: of a long text the first 200 characters, of a long list the first 20 entries, and how long
    /// it is. A client of the parameter services chooses the length, and the log is written by the thread that also reads the stops.
    pub fn quoted(&self) -> String {
        fn entries<T: Clone>(all: &[T], of: fn(Vec<T>) -> Value) -> String {
            let shown = of(all[..all.len().min(QUOTED_ENTRIES)].to_vec()).to_string();
            match all.len() {
                ..=QUOTED_ENTRIES => shown,
                count => format!("{}, … ({count} entries)]", shown.trim_end_matches(']')),
            }
        }
        match self {
            Self::Text(text) => match shorten(text) {
                None => self.to_string(),
                Some((start, count)) => format!("{}… ({count} characters)", yaml_text(start)),
            },
            Self::Bools(all) => entries(all, Self::Bools),
            Self::Integers(all) => entries(all, Self::Integers),
            Self::Floats(all) => entries(all, Self::Floats),
            Self::Texts(all) => {
                let shown: Vec<String> =
                    all.iter().take(QUOTED_ENTRIES).map(|text| Self::Text(text.clone()).quoted()).collect();
                let rest = if all.len() > QUOTED_ENTRIES {
                    format!(", … ({} entries)", all.len())
                } else {
                    String::new()
                };
                format!("[{}{rest}]", shown.join(", "))
            }
            Self::Bool(_) | Self::Integer(_) | Self::Float(_) => self.to_string(),
        }
    }
}

/// `text` as an error quotes it: shortened like [`Value::quoted`], and without characters that would begin a line of their own.
pub fn quoted(text: &str) -> Cow<'_, str> {
    match shorten(text) {
        None if text.contains(char::is_control) => Cow::Owned(text.escape_debug().to_string()),
        None => Cow::Borrowed(text),
        Some((start, count)) => Cow::Owned(format!("{}… ({count} characters)", start.escape_debug())),
    }
}

/// The start of a text that is too long to be quoted, and its number of characters.
fn shorten(text: &str) -> Option<(&str, usize)> {
    let (end, _) = text.char_indices().nth(QUOTED)?;
    Some((text.get(..end)?, text.chars().count()))
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

    /// Names the page that translates all names of these programs, if its name is one of them; returns whether it is.
    pub(crate) fn names_page(&mut self, all: &[Foreign]) -> bool {
        let is_foreign = foreign(&self.name, all).is_some();
        if is_foreign {
            self.what.push_str(": see ");
            self.what.push_str(FOREIGN_PAGE);
        }
        is_foreign
    }

    /// `value` breaks `rule`, which says what it must be.
    pub fn of(name: &str, value: &Value, rule: &str) -> Self {
        Self::new(name, format!("is {}, {rule}", value.quoted()))
    }
}

/// The parameter of another program: the program, its name there, and what it is here. After a last `.` any name fits, for which `{}`
/// stands.
pub type Foreign = [&'static str; 3];

/// The page that translates the parameters of all [`Foreign`] programs.
pub const FOREIGN_PAGE: &str = "docs/coming_from_joy_and_twist_mux.md";

/// The hint what another program's parameter `name` is here, for a [`Refusal`].
pub(crate) fn foreign(name: &str, all: &[Foreign]) -> Option<String> {
    all.iter().find_map(|[program, theirs, ours]| {
        let rest = name.strip_prefix(theirs).filter(|rest| rest.is_empty() || theirs.ends_with('.'))?;
        Some(format!("; {program}'s '{}' is {} here", quoted(name), ours.replace("{}", &quoted(rest))))
    })
}

/// Checks that `topic` is a ROS 2 topic name: absolute, relative, or private with `~/`.
/// # Errors
/// The rule that it breaks, for a [`Refusal`](crate::Refusal).
pub fn check_topic(topic: &str) -> Result<(), &'static str> {
    const LONGEST: usize = 247; // rmw's limit
    let is_part = |part: &str| {
        part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && part.bytes().next().is_some_and(|first| !first.is_ascii_digit())
    };
    let rest = topic.strip_prefix("~/").or_else(|| topic.strip_prefix('/')).unwrap_or(topic);
    if topic.is_empty() {
        return Err("must name a topic");
    }
    if topic.len() > LONGEST || !rest.split('/').all(is_part) {
        return Err(
            "must be a ROS topic name: letters, digits, '_' and '/', each part starting with a letter or '_', \
                    at most 247 characters",
        );
    }
    Ok(())
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
    fn a_long_value_is_quoted_by_its_start_and_its_length() {
        let long = Value::Text("ß".repeat(20_000_000));
        assert_eq!(long.quoted(), format!("\"{}\"… (20000000 characters)", "ß".repeat(200)));
        let just = Value::Text("x".repeat(200));
        assert_eq!(just.quoted(), just.to_string());
        let zeros = ["0"; 20].join(", ");
        assert_eq!(Value::Integers(vec![0; 21]).quoted(), format!("[{zeros}, … (21 entries)]"));
        assert_eq!(Value::Integers(vec![0; 20]).quoted(), format!("[{zeros}]"));
        let texts = Value::Texts(vec!["y".repeat(1000); 1000]).quoted();
        assert!(texts.len() < 5_000 && texts.ends_with("… (1000 characters), … (1000 entries)]"), "{texts}");
        assert_eq!(quoted(&"z".repeat(201)), format!("{}… (201 characters)", "z".repeat(200)));
    }

    #[test]
    fn text_is_quoted_and_escaped() {
        assert_eq!(Value::Text("a \"b\" \\".into()).to_string(), r#""a \"b\" \\""#);
        assert_eq!(Value::Texts(vec!["true".into()]).to_string(), "[\"true\"]");
    }

    #[test]
    fn a_name_has_parts_that_begin_with_no_digit() {
        for name in ["cmd_vel", "/robot_1/scan", "~/reference", "_a/b2"] {
            assert_eq!(check_topic(name), Ok(()), "{name}");
        }
        for name in ["/", "a//b", "a/", "1a", "a/2", "a b", "a-b", "~a", "é", &"a".repeat(248)] {
            assert!(check_topic(name).unwrap_err().starts_with("must be a ROS topic name"), "{name}");
        }
        assert_eq!(check_topic(""), Err("must name a topic"));
    }
}
