use core::ops::RangeInclusive;

use params::Value;
use params::nearest;
use params::tree::{Node, Tree, Wrong};

/// The entries of a mapping, read by name. Errors quote line, full name, value, range and unit.
pub(crate) struct Fields<'a> {
    /// The full name of the mapping; empty at the top.
    path: String,
    line: usize,
    entries: &'a [(String, Node)],
}

impl<'a> Fields<'a> {
    /// The entries of `node`, all of which must be in `known`.
    pub(crate) fn new(path: &str, node: &'a Node, known: &[&str]) -> Result<Self, Wrong> {
        let fields = Self { path: path.into(), line: node.line, entries: mapping(path, node)? };
        for (key, node) in fields.entries {
            if !known.contains(&key.as_str()) {
                let hint = match nearest(key, known.iter().copied()) {
                    Some(nearest) => format!("did you mean '{nearest}'?"),
                    None => format!("known are: {}", known.join(", ")),
                };
                return Err(wrong(node.line, format!("'{}' does not exist; {hint}", fields.full(key))));
            }
        }
        Ok(fields)
    }

    fn full(&self, name: &str) -> String {
        if self.path.is_empty() { name.into() } else { format!("{}.{name}", self.path) }
    }

    fn get(&self, name: &str) -> Option<&'a Node> {
        self.entries.iter().find(|(key, _)| key == name).map(|(_, node)| node)
    }

    fn need(&self, name: &str) -> Result<&'a Node, Wrong> {
        self.get(name).ok_or_else(|| wrong(self.line, format!("'{}' is missing", self.full(name))))
    }

    /// An error about the entry `name`.
    pub(crate) fn wrong(&self, name: &str, rule: impl core::fmt::Display) -> Wrong {
        let line = self.get(name).map_or(self.line, |node| node.line);
        wrong(line, format!("'{}' {rule}", self.full(name)))
    }

    pub(crate) fn text(&self, name: &str) -> Result<String, Wrong> {
        match &self.need(name)?.what {
            Tree::Scalar { text, .. } if !text.is_empty() => Ok(text.clone()),
            _ => Err(self.wrong(name, "must be a text")),
        }
    }

    pub(crate) fn float(
        &self,
        name: &str,
        range: RangeInclusive<f64>,
        unit: &str,
        default: Option<f64>,
    ) -> Result<f64, Wrong> {
        let (None, Some(default)) = (self.get(name), default) else {
            let [value] = self.floats(name, range, unit)?;
            return Ok(value);
        };
        Ok(default)
    }

    /// `N` numbers; a single one may stand without brackets.
    pub(crate) fn floats<const N: usize>(
        &self,
        name: &str,
        range: RangeInclusive<f64>,
        unit: &str,
    ) -> Result<[f64; N], Wrong> {
        let values = numbers(&self.full(name), self.need(name)?, range, unit)?;
        <[f64; N]>::try_from(values.as_slice())
            .map_err(|_| self.wrong(name, format_args!("has {} numbers, must have {N}", values.len())))
    }

    /// The texts of a list.
    pub(crate) fn texts(&self, name: &str) -> Result<Vec<String>, Wrong> {
        match self.need(name)?.value(&self.full(name))? {
            Value::Texts(texts) => Ok(texts),
            _ => Err(self.wrong(name, "must be a list of texts")),
        }
    }

    /// The texts of a list, or `default` if it is missing.
    pub(crate) fn texts_or(&self, name: &str, default: &[&str]) -> Result<Vec<String>, Wrong> {
        match self.get(name) {
            Some(_) => self.texts(name),
            None => Ok(default.iter().map(|text| (*text).to_owned()).collect()),
        }
    }

    /// The entries of the mapping `name`, with their full names; none if it is missing.
    pub(crate) fn mapping(&self, name: &str) -> Result<Vec<(&'a str, String, &'a Node)>, Wrong> {
        let Some(node) = self.get(name) else { return Ok(Vec::new()) };
        let path = self.full(name);
        let entries = mapping(&path, node)?.iter();
        Ok(entries.map(|(key, node)| (key.as_str(), format!("{path}.{key}"), node)).collect())
    }
}

/// The entries of `node`, which is called `path`.
pub(crate) fn mapping<'a>(path: &str, node: &'a Node) -> Result<&'a [(String, Node)], Wrong> {
    match &node.what {
        Tree::Mapping(entries) => Ok(entries),
        _ if path.is_empty() => Err(wrong(node.line, "a device must be a mapping of names")),
        _ => Err(wrong(node.line, format!("'{path}' must be a mapping of names"))),
    }
}

/// The number or the numbers of `node`, each within `range`.
pub(crate) fn numbers(
    path: &str,
    node: &Node,
    range: RangeInclusive<f64>,
    unit: &str,
) -> Result<Vec<f64>, Wrong> {
    let number = |node: &Node| match node.value(path)? {
        Value::Float(value) => Ok(value),
        Value::Integer(value) => Ok(value as f64),
        value => Err(wrong(node.line, format!("'{path}' is {value}, must be numbers"))),
    };
    let values: Vec<f64> = match &node.what {
        Tree::Sequence(items) => items.iter().map(number).collect::<Result<_, _>>()?,
        _ => vec![number(node)?],
    };
    match values.iter().find(|value| !range.contains(value)) {
        None => Ok(values),
        Some(value) => {
            let (least, most) = (range.start(), range.end());
            Err(wrong(node.line, format!("'{path}' is {value}, must be from {least} to {most} {unit}")))
        }
    }
}

pub(crate) fn wrong(line: usize, what: impl Into<String>) -> Wrong {
    Wrong { line, what: what.into() }
}
