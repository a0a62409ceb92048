//! Attributes of XML elements as names and numbers.

use roxmltree::Node;

use crate::description::DescriptionError;

/// The line of the document in which the element begins, from 1.
pub(super) fn line(node: Node<'_, '_>) -> u32 {
    node.document().text_pos_at(node.range().start).row
}

/// The element as an error names it: its tag, and the name of its joint or transmission.
pub(super) fn describe(node: Node<'_, '_>) -> String {
    let tag = node.tag_name().name();
    let named = node.ancestors().find_map(|node| node.attribute("name").map(|name| (node, name)));
    match named {
        Some((owner, name)) if owner == node => format!("{tag} '{name}'"),
        Some((owner, name)) => format!("<{tag}> of {} '{name}'", owner.tag_name().name()),
        None => format!("<{tag}>"),
    }
}

/// The attribute `name`, without spaces around it.
pub(super) fn text<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.attribute(name).map(str::trim).filter(|text| !text.is_empty())
}

/// The attribute `name`, which must be there and not empty.
pub(super) fn required<'a>(node: Node<'a, '_>, name: &'static str) -> Result<&'a str, DescriptionError> {
    let missing = || DescriptionError::Missing { element: describe(node), what: name, line: line(node) };
    text(node, name).ok_or_else(missing)
}

/// The child element `tag`, which must be there.
pub(super) fn child<'a, 'input>(
    node: Node<'a, 'input>,
    tag: &'static str,
) -> Result<Node<'a, 'input>, DescriptionError> {
    let missing = || DescriptionError::Missing { element: describe(node), what: tag, line: line(node) };
    node.children().find(|child| child.has_tag_name(tag)).ok_or_else(missing)
}

/// The number `text` of `node`, in the range `least` to `most`.
pub(super) fn parse(
    node: Node<'_, '_>,
    attribute: &'static str,
    text: &str,
    [least, most]: [f64; 2],
) -> Result<f64, DescriptionError> {
    let number =
        text.trim().parse().ok().filter(|number: &f64| number.is_finite() && (least..=most).contains(number));
    let range = match [least, most] {
        [f64::MIN, _] => "a finite number".to_owned(),
        [least, f64::MAX] => format!("a finite number of {least} or more"),
        [least, most] => format!("{least} to {most}"),
    };
    number.ok_or_else(|| not_in(node, attribute, text, range))
}

/// The error of a value that is not in `range`.
pub(super) fn not_in(
    node: Node<'_, '_>,
    attribute: &'static str,
    value: &str,
    range: impl Into<String>,
) -> DescriptionError {
    let (value, range) = (value.to_owned(), range.into());
    DescriptionError::Number { element: describe(node), attribute, value, range, line: line(node) }
}

/// The attribute `name` as a number in `range`, which must be there.
pub(super) fn number(
    node: Node<'_, '_>,
    name: &'static str,
    range: [f64; 2],
) -> Result<f64, DescriptionError> {
    parse(node, name, required(node, name)?, range)
}

/// The attribute `name` as a number in `range`, or `default`.
pub(super) fn number_or(
    node: Node<'_, '_>,
    name: &'static str,
    range: [f64; 2],
    default: f64,
) -> Result<f64, DescriptionError> {
    node.attribute(name).map_or(Ok(default), |text| parse(node, name, text, range))
}

/// The attribute `name` as three finite numbers, or `default`.
pub(super) fn numbers(
    node: Node<'_, '_>,
    name: &'static str,
    default: [f64; 3],
) -> Result<[f64; 3], DescriptionError> {
    let Some(text) = node.attribute(name) else { return Ok(default) };
    let parts: Option<Vec<f64>> = text.split_whitespace().map(|part| part.parse().ok()).collect();
    let parts: Option<[f64; 3]> = parts.and_then(|parts| parts.try_into().ok());
    let finite = parts.filter(|parts| parts.iter().all(|part| part.is_finite()));
    finite.ok_or_else(|| not_in(node, name, text, "three finite numbers"))
}
