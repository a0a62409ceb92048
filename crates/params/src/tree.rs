//! YAML documents that are no parameter files, as trees with line numbers.

use std::collections::BTreeSet;

use crate::Value;
use crate::yaml::{documents, value, wrong};

pub use crate::yaml::{Node, Tree, Wrong};

/// Reads a text that is one document.
/// # Errors
/// It is not YAML, not one document, or a key occurs twice in one mapping.
pub fn read(text: &str) -> Result<Node, Wrong> {
    let mut documents = documents(text)?;
    match (documents.pop(), documents.is_empty()) {
        (Some(node), true) => node.check_keys().map(|()| node),
        (_, is_empty) => {
            Err(wrong(1, if is_empty { "the document is empty" } else { "there is more than one document" }))
        }
    }
}

impl Node {
    /// The value, or the list of values of one type, that stands here; `name` is for the error.
    /// # Errors
    /// It is a mapping, has no value, or is a list of values of several types.
    pub fn value(&self, name: &str) -> Result<Value, Wrong> {
        value(name, self)
    }

    fn check_keys(&self) -> Result<(), Wrong> {
        match &self.what {
            Tree::Scalar { .. } => Ok(()),
            Tree::Sequence(items) => items.iter().try_for_each(Self::check_keys),
            Tree::Mapping(entries) => {
                let mut keys = BTreeSet::new();
                entries.iter().try_for_each(|(key, node)| {
                    if keys.insert(key) {
                        node.check_keys()
                    } else {
                        Err(wrong(
                            node.line,
                            format!("'{key}' stands here for the second time, must be once"),
                        ))
                    }
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_keeps_the_order_and_the_lines_of_its_keys() {
        let node = read("b: 1\na: {c: [1, 2.5], d: ~}\n").unwrap();
        let Tree::Mapping(entries) = &node.what else { panic!("{node:?}") };
        assert_eq!((entries[0].0.as_str(), entries[1].0.as_str(), entries[1].1.line), ("b", "a", 2));
        assert_eq!(entries[0].1.value("b"), Ok(Value::Integer(1)));
        assert_eq!(entries[1].1.value("a").unwrap_err().to_string(), "line 2: a must be one value or a list");
    }

    #[test]
    fn what_is_no_single_document_is_refused_with_its_line() {
        for (text, error) in [
            ("", "line 1: the document is empty"),
            ("a\n---\nb", "line 1: there is more than one document"),
            ("a:\n  b: 1\n  b: 2", "line 3: 'b' stands here for the second time, must be once"),
            ("- {b: 1, b: 1}", "line 1: 'b' stands here for the second time, must be once"),
        ] {
            assert_eq!(read(text).map_err(|wrong| wrong.to_string()), Err(error.into()), "{text}");
        }
    }
}
