//! The commented YAML files in `config/`, as the declarations of the parameters make them.

use std::fmt::Write;

use params::{Change, Declaration, Group, Kind, Set, Specification, Value};

/// The complete, commented YAML file of a node, every parameter at its default.
pub fn yaml(specification: &Specification) -> String {
    let set = specification.defaults();
    let mut page = Page { text: String::new(), open: Vec::new() };
    page.comment(0, specification.text);
    page.comment(0, "Every parameter with its default. A key that is not listed here is refused at start.");
    let _ = writeln!(page.text, "{}:\n  ros__parameters:", specification.node);
    for declaration in &specification.parameters {
        if let Some(value) = set.value(declaration.name) {
            page.entry(declaration.name, declaration, value, true);
        }
    }
    for group in &specification.groups {
        let _ = writeln!(page.text);
        page.comment(4, group.text);
        page.comment(4, "Naming one entry here replaces all of the default ones.");
        if let Some(key) = specification.live_key(group.prefix) {
            let text = "Entries can be added and removed at run time: set the";
            page.comment(
                4,
                &format!("{text} `{key}` of a new one to add it, delete its `{key}` to remove it."),
            );
        }
        let names = set.group(group.prefix);
        if names.is_empty() {
            page.example(group);
        }
        for (index, name) in names.into_iter().enumerate() {
            for member in &group.members {
                let full = format!("{}.{name}.{}", group.prefix, member.name);
                if let Some(value) = set.value(&full) {
                    // Only the first entry explains the members.
                    page.entry(&full, member, value, index == 0);
                }
            }
        }
    }
    page.text
}

/// A commented YAML file of parameters that a node leaves open ([`Specification::with_open`]): the name of each owner, its
/// specification and its values.
pub fn owners_yaml(node: &str, text: &str, owners: &[(String, Specification, Set)]) -> String {
    let mut page = Page { text: String::new(), open: Vec::new() };
    page.comment(0, text);
    let _ = writeln!(page.text, "{node}:\n  ros__parameters:");
    for (index, (name, specification, set)) in owners.iter().enumerate() {
        if index > 0 {
            let _ = writeln!(page.text);
        }
        page.comment(4, specification.text);
        for declaration in &specification.parameters {
            if let Some(value) = set.value(declaration.name) {
                page.entry(&format!("{name}.{}", declaration.name), declaration, value, true);
            }
        }
    }
    page.text
}

struct Page {
    text: String,
    /// The levels above the last entry: a shared level is written once.
    open: Vec<String>,
}

impl Page {
    fn comment(&mut self, indent: usize, text: &str) {
        for line in wrap(text, 110 - indent) {
            let _ = writeln!(self.text, "{:indent$}# {line}", "");
        }
    }

    /// An entry of a group that has none by default, all of it as a comment.
    fn example(&mut self, group: &Group) {
        let mut page = Page { text: String::new(), open: Vec::new() };
        for member in &group.members {
            let full = format!("{}.name.{}", group.prefix, member.name);
            page.entry(&full, member, &member.kind.default(), true);
        }
        for line in page.text.lines() {
            let _ = writeln!(self.text, "    # {}", line.strip_prefix("    ").unwrap_or(line));
        }
    }

    fn entry(&mut self, full: &str, declaration: &Declaration, value: &Value, explain: bool) {
        let mut levels: Vec<String> = full.split('.').map(str::to_owned).collect();
        let last = levels.pop().unwrap_or_default();
        let shared = self.open.iter().zip(&levels).take_while(|(a, b)| a == b).count();
        for (depth, level) in levels.iter().enumerate().skip(shared) {
            let _ = writeln!(self.text, "{:indent$}{level}:", "", indent = 4 + 2 * depth);
        }
        let indent = 4 + 2 * levels.len();
        self.open = levels;
        if explain {
            let limits = match (allowed(declaration), declaration.change) {
                (limits, Change::Live) if limits.is_empty() => String::new(),
                (limits, Change::AtStart) if limits.is_empty() => " (read-only)".into(),
                (limits, Change::Live) => format!(" ({limits})"),
                (limits, Change::AtStart) => format!(" ({limits}; read-only)"),
            };
            self.comment(indent, &format!("{}{limits}", declaration.text));
        }
        let _ = writeln!(self.text, "{:indent$}{last}: {value}", "");
    }
}

/// Allowed values as text: a range with its unit, or the choices.
fn allowed(declaration: &Declaration) -> String {
    let unit = if declaration.unit.is_empty() { String::new() } else { format!(" {}", declaration.unit) };
    let choices = |allowed: &[&str]| allowed.join(", ");
    match declaration.kind {
        Kind::Bool { .. } | Kind::Any => String::new(),
        Kind::Integer { min, max, .. } => format!("{min} to {max}{unit}"),
        Kind::Float { min, max, .. } => format!("{min:?} to {max:?}{unit}"),
        Kind::OptionalFloat { min, max } => format!("{min:?} to {max:?}{unit}, or empty"),
        Kind::Text { allowed, .. } => choices(allowed),
        Kind::NumberOrName { min, max, names, .. } => format!("{min} to {max}, or {}", choices(names)),
        Kind::Integers { min, max, longest, .. } => format!("up to {longest}, each {min} to {max}{unit}"),
        Kind::Floats { min, max, longest, .. } => format!("up to {longest}, each {min:?} to {max:?}{unit}"),
        Kind::Texts { allowed: &[], longest, .. } => format!("up to {longest}"),
        Kind::Texts { allowed, longest, .. } => format!("up to {longest} of: {}", choices(allowed)),
    }
}

fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
#[path = "../crates/params/tests/all/example.rs"]
mod example;

#[cfg(test)]
mod tests {
    use super::example::{Source, specification};
    use super::*;

    #[test]
    fn the_yaml_file_names_every_parameter() {
        let expected = "\
# An example.
# Every parameter with its default. A key that is not listed here is refused at start.
example:
  ros__parameters:
    # How long to wait. (0.05 to 5.0 s)
    timeout: 0.5
    scaling:
      # How. (limit, multiply)
      mode: \"limit\"
    # How often. (1 to 1000 Hz; read-only)
    rate: 50
    # Names. (up to 4)
    names: []

    # A source.
    # Naming one entry here replaces all of the default ones.
    sources:
      stick:
        # The topic of the commands.
        topic: \"/stick\"
        # The highest wins. (0 to 255)
        priority: 100
";
        assert_eq!(yaml(&specification()), expected);
    }

    #[test]
    fn a_group_without_entries_is_explained_by_a_comment() {
        let group =
            Group { prefix: "sources", text: "A source.", members: Source::declarations(), presets: &[] };
        let expected = "
    # A source.
    # Naming one entry here replaces all of the default ones.
    # sources:
    #   name:
    #     # The topic of the commands.
    #     topic: \"\"
    #     # The highest wins. (0 to 255)
    #     priority: 0
";
        let text = yaml(&Specification::new("example", "An example.").with_group(group));
        assert!(text.ends_with(expected), "{text}");
    }

    #[test]
    fn owners_of_open_parameters_have_a_block_each() {
        let specification = Specification::new("kind", "An owner.").with_all(Source::declarations());
        let owner = |name: &str| (name.to_owned(), specification.clone(), specification.defaults());
        let expected = "\
# Two owners.
example:
  ros__parameters:
    # An owner.
    one:
      # The topic of the commands.
      topic: \"\"
      # The highest wins. (0 to 255)
      priority: 0

    # An owner.
    two:
      # The topic of the commands.
      topic: \"\"
      # The highest wins. (0 to 255)
      priority: 0
";
        assert_eq!(owners_yaml("example", "Two owners.", &[owner("one"), owner("two")]), expected);
    }

    #[test]
    fn the_yaml_file_explains_how_to_add_and_remove_entries() {
        let source =
            Group { prefix: "sources", text: "A source.", members: Source::declarations(), presets: &[] };
        let specification = Specification::new("example", "An example.").with_live_group(source, "topic");
        let line = "# Entries can be added and removed at run time: set the `topic` of a new one to add it, delete its";
        assert_eq!(yaml(&specification).matches(line).count(), 1, "{}", yaml(&specification));
    }
}
