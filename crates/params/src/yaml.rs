//! YAML as `rcl_yaml_param_parser` understands it.

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};

use crate::Value;

/// Why a text is not a parameter file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Wrong {
    /// The line, from 1.
    pub line: usize,
    /// The error.
    pub what: String,
}

/// A part of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its line, from 1; for an entry of a mapping that of its key.
    pub line: usize,
    /// Content of the part.
    pub what: Tree,
}

/// Content of a part of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    /// One value, not yet read.
    Scalar {
        /// The text without its quotes.
        text: String,
        /// Whether it was written without quotes.
        is_plain: bool,
    },
    /// A list.
    Sequence(Vec<Node>),
    /// Keys and what they stand for, in the order of the document.
    Mapping(Vec<(String, Node)>),
}

pub(crate) fn wrong(line: usize, what: impl Into<String>) -> Wrong {
    Wrong { line, what: what.into() }
}

/// How deep a file may be.
const DEEPEST: usize = 64;

/// All documents of `text`.
pub(crate) fn documents(text: &str) -> Result<Vec<Node>, Wrong> {
    for (number, line) in text.lines().enumerate() {
        let indent = &line[..line.len() - line.trim_start().len()];
        if indent.contains('\t') && !line.trim_start().is_empty() {
            return Err(wrong(number + 1, "it is indented by a tab, must be by spaces"));
        }
    }
    let mut parser = Parser::new_from_str(text);
    let mut found = Vec::new();
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| wrong(error.marker().line(), error.info()))?;
        if !matches!(
            event,
            Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd
        ) {
            found.push(tree(event, span, &mut parser, 0)?);
        }
    }
    Ok(found)
}

fn tree<'a>(
    event: Event<'a>,
    span: Span,
    parser: &mut Parser<'a, StrInput<'a>>,
    depth: usize,
) -> Result<Node, Wrong> {
    let line = span.start.line();
    if depth > DEEPEST {
        return Err(wrong(line, "it is nested too deeply"));
    }
    let mut next = |end: Event<'_>| -> Result<Option<(Node, bool)>, Wrong> {
        let Some(event) = parser.next_event() else { return Ok(None) };
        let (event, span) = event.map_err(|error| wrong(error.marker().line(), error.info()))?;
        if event == end {
            return Ok(None);
        }
        let is_scalar = matches!(event, Event::Scalar(..));
        tree(event, span, parser, depth + 1).map(|node| Some((node, is_scalar)))
    };
    let what = match event {
        Event::Scalar(text, style, ..) => {
            let is_plain = !matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted);
            Tree::Scalar {
                text: if text == "~" && is_plain { String::new() } else { text.into_owned() },
                is_plain,
            }
        }
        Event::SequenceStart(..) => {
            let mut items = Vec::new();
            while let Some((item, _)) = next(Event::SequenceEnd)? {
                items.push(item);
            }
            Tree::Sequence(items)
        }
        Event::MappingStart(..) => {
            let mut entries = Vec::new();
            while let Some((key, _)) = next(Event::MappingEnd)? {
                let Tree::Scalar { text: name, .. } = key.what else {
                    return Err(wrong(key.line, "a key must be a name"));
                };
                let Some((mut value, _)) = next(Event::MappingEnd)? else { break };
                value.line = key.line;
                entries.push((name, value));
            }
            Tree::Mapping(entries)
        }
        _ => return Err(wrong(line, "an alias or a tag is not understood here")),
    };
    Ok(Node { line, what })
}

/// The value of the parameter `name` in `node`.
pub(crate) fn value(name: &str, node: &Node) -> Result<Value, Wrong> {
    let items = match &node.what {
        Tree::Scalar { text, is_plain: true } if text.is_empty() => {
            return Err(wrong(node.line, format!("{name} has no value")));
        }
        Tree::Scalar { text, is_plain } => return Ok(scalar(text, *is_plain)),
        Tree::Mapping(_) => return Err(wrong(node.line, format!("{name} must be one value or a list"))),
        Tree::Sequence(items) => items,
    };
    let mut values = Vec::new();
    for item in items {
        match &item.what {
            Tree::Scalar { text, is_plain } => values.push(scalar(text, *is_plain)),
            _ => return Err(wrong(item.line, format!("{name} must be a list of single values"))),
        }
    }
    list(&values).ok_or_else(|| wrong(node.line, format!("the values of {name} must be of one type")))
}

/// A list of values of one type; an empty list is one of texts.
fn list(values: &[Value]) -> Option<Value> {
    macro_rules! all {
        ($one:ident, $many:ident) => {
            values
                .iter()
                .map(|value| if let Value::$one(v) = value { Some(v.clone()) } else { None })
                .collect::<Option<Vec<_>>>()
                .map(Value::$many)
        };
    }
    match values.first() {
        Some(Value::Bool(_)) => all!(Bool, Bools),
        Some(Value::Integer(_)) => all!(Integer, Integers),
        Some(Value::Float(_)) => all!(Float, Floats),
        _ => all!(Text, Texts),
    }
}

/// # Source
/// `get_value` of `rcl_yaml_param_parser`
fn scalar(text: &str, is_plain: bool) -> Value {
    if is_plain {
        match text {
            "Y" | "y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
                return Value::Bool(true);
            }
            "N" | "n" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
                return Value::Bool(false);
            }
            _ => {}
        }
        if let Some(number) = integer(text) {
            return Value::Integer(number);
        }
        if let Some(number) = float(text) {
            return Value::Float(number);
        }
    }
    Value::Text(text.into())
}

/// A whole number as C's `strtol` reads it with base 0: 0x is hexadecimal and 0 is octal.
fn integer(text: &str) -> Option<i64> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, base) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None if digits.len() > 1 && digits.starts_with('0') => (digits, 8),
        None => (digits, 10),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let number = i128::from_str_radix(digits, base).ok()?;
    i64::try_from(if is_negative { -number } else { number }).ok()
}

fn float(text: &str) -> Option<f64> {
    let bare = text.trim_start_matches(['+', '-']);
    let number = match bare {
        ".nan" | ".NaN" | ".NAN" => f64::NAN,
        ".inf" | ".Inf" | ".INF" if text.starts_with('-') => f64::NEG_INFINITY,
        ".inf" | ".Inf" | ".INF" => f64::INFINITY,
        _ => {
            let number: f64 = text.parse().ok()?;
            // C refuses a number that is too large; the parser then reads it as text.
            return Some(number).filter(|number| {
                number.is_finite() || !bare.starts_with(|sign: char| sign.is_ascii_digit() || sign == '.')
            });
        }
    };
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_value(yaml: &str) -> Result<Value, Wrong> {
        value("it", &documents(yaml)?[0])
    }

    #[test]
    fn values_have_the_types_that_rcl_gives_them() {
        use Value::{Bool, Bools, Float, Floats, Integer, Integers, Text, Texts};
        let text = |text: &str| Text(text.into());
        for (yaml, value) in [
            ("on", Bool(true)),
            ("'on'", text("on")),
            ("12", Integer(12)),
            ("-0x10", Integer(-16)),
            ("010", Integer(8)),
            ("09", Float(9.0)),
            ("1.0", Float(1.0)),
            ("-.5e1", Float(-5.0)),
            ("-.inf", Float(f64::NEG_INFINITY)),
            ("99999999999999999999", Float(1e20)),
            ("1e999", text("1e999")),
            ("1 2", text("1 2")),
            ("''", text("")),
            ("a:b", text("a:b")),
            ("[]", Texts(Vec::new())),
            ("[1, 2]", Integers(vec![1, 2])),
            ("[1.0, .inf]", Floats(vec![1.0, f64::INFINITY])),
            ("[yes, n]", Bools(vec![true, false])),
        ] {
            assert_eq!(read_value(yaml), Ok(value), "{yaml}");
        }
        assert!(matches!(read_value(".nan"), Ok(Float(number)) if number.is_nan()));
    }
}
