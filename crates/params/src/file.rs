//! Parameter files: the values that they set for each node.

use std::collections::BTreeSet;

use crate::Value;
use crate::value::FOREIGN_PAGE;
use crate::yaml::{Node, Tree, documents, value, wrong};

pub use crate::yaml::Wrong;

/// The values of a parameter file for one node, or for the nodes that match a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The node's name or a pattern, see [`is_for`].
    pub node: String,
    /// The line of its `ros__parameters`, from 1.
    pub line: usize,
    /// Names and values in the order of the file; `a: {b: 1}` is `a.b`.
    pub values: Vec<(String, Value)>,
}

/// Reads a parameter file.
/// # Errors
/// It is not YAML, not a parameter file, or a key occurs twice; other parsers silently use the last one.
/// # Source
/// `rcl_yaml_param_parser` 9.2 (ROS 2 Jazzy); own: repeated keys are refused.
pub fn read(text: &str) -> Result<Vec<Block>, Wrong> {
    let mut blocks = Blocks::default();
    for document in documents(text)? {
        match document.what {
            Tree::Mapping(entries) => blocks.read("", &[], &entries)?,
            Tree::Scalar { ref text, .. } if text.is_empty() => {}
            _ => return Err(wrong(document.line, "must be a node's name")),
        }
    }
    Ok(blocks.found)
}

/// Reads the value of an argument `NAME:=VALUE`.
/// # Errors
/// It is not a value.
pub fn read_value(text: &str) -> Result<Value, Wrong> {
    let mut documents = documents(text)?;
    match (documents.pop(), documents.is_empty()) {
        (Some(node), true) => value("it", &node),
        _ => Err(wrong(1, "must be one value")),
    }
}

/// Whether `pattern` matches the node `name`, which is its full name in the graph.
///
/// `*` matches one name and `**` any number of names between slashes. A name without a slash matches in every namespace.
/// # Source
/// rclcpp 28 (ROS 2 Jazzy), `parameter_map_from`; own: there a name without a slash matches in the root namespace only.
pub fn is_for(pattern: &str, name: &str) -> bool {
    fn matches(pattern: &[&str], name: &[&str]) -> bool {
        match (pattern, name) {
            ([], []) => true,
            (["**", rest @ ..], _) => (0..=name.len()).any(|skip| matches(rest, &name[skip..])),
            (["*", rest @ ..], [_, names @ ..]) => matches(rest, names),
            ([first, rest @ ..], [own, names @ ..]) => first == own && matches(rest, names),
            _ => false,
        }
    }
    fn parts(text: &str) -> Vec<&str> {
        text.split('/').filter(|part| !part.is_empty()).collect()
    }
    if !pattern.contains('/') && !pattern.contains('*') {
        return parts(name).last() == Some(&pattern);
    }
    matches(&parts(pattern), &parts(name))
}

/// Keys at the top of parameter files of ROS 1 for twist_mux and teleop_twist_joy.
const ROS_1: [&str; 6] = ["topics", "locks", "axis_linear", "axis_angular", "scale_linear", "enable_button"];

fn ros_1() -> String {
    format!("; for twist_mux's and teleop_twist_joy's files of ROS 1 see {FOREIGN_PAGE}")
}

#[derive(Default)]
struct Blocks {
    found: Vec<Block>,
    /// All parameters with their nodes, to find repeated ones.
    names: BTreeSet<(String, String)>,
}

impl Blocks {
    /// Reads the entries below `path`, whose names form `node`.
    fn read(&mut self, node: &str, path: &[&str], entries: &[(String, Node)]) -> Result<(), Wrong> {
        let mut keys = BTreeSet::new();
        for (key, value) in entries {
            let path = [path, &[key.as_str()]].concat();
            if !keys.insert(key) {
                return Err(repeated_key(&path, value.line));
            }
            match &value.what {
                Tree::Mapping(below) if key == "ros__parameters" => {
                    self.found.push(Block { node: node.into(), line: value.line, values: Vec::new() });
                    self.read_values("", &path, below)?;
                }
                Tree::Scalar { text, .. } if key == "ros__parameters" && text.is_empty() => {
                    self.found.push(Block { node: node.into(), line: value.line, values: Vec::new() });
                }
                Tree::Mapping(below) => {
                    let name = if node.is_empty() {
                        key.clone()
                    } else {
                        format!("{}/{}", node.trim_end_matches('/'), key.trim_start_matches('/'))
                    };
                    if name.split('/').any(|part| part.contains('*') && !matches!(part, "*" | "**")) {
                        return Err(wrong(
                            value.line,
                            format!("'{name}' is no pattern of nodes: * and ** stand for whole names"),
                        ));
                    }
                    self.read(&name, &path, below)?;
                }
                _ => {
                    let names = path.join(".");
                    let hint =
                        if path.iter().any(|name| ROS_1.contains(name)) { ros_1() } else { String::new() };
                    let what = format!("'{names}' must be below the key 'ros__parameters' of a node{hint}");
                    return Err(wrong(value.line, what));
                }
            }
        }
        Ok(())
    }

    fn read_values(&mut self, prefix: &str, path: &[&str], entries: &[(String, Node)]) -> Result<(), Wrong> {
        let mut keys = BTreeSet::new();
        for (key, node) in entries {
            let path = [path, &[key.as_str()]].concat();
            let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
            if !keys.insert(key) {
                return Err(repeated_key(&path, node.line));
            }
            if let Tree::Mapping(below) = &node.what {
                self.read_values(&name, &path, below)?;
                continue;
            }
            let value = value(&format!("'{name}'"), node)?;
            let Some(block) = self.found.last_mut() else { continue };
            // A node's name with and without a slash before it is the same.
            if !self.names.insert((block.node.trim_start_matches('/').to_owned(), name.clone())) {
                return Err(repeated_key(&path, node.line));
            }
            block.values.push((name, value));
        }
        Ok(())
    }
}

fn repeated_key(path: &[&str], line: usize) -> Wrong {
    wrong(line, format!("'{}' is in line {line} for the second time, must be once", path.join(".")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str) -> Vec<(String, Vec<String>)> {
        let one = |block: Block| {
            (block.node, block.values.into_iter().map(|(name, value)| format!("{name}={value}")).collect())
        };
        read(text).unwrap().into_iter().map(one).collect()
    }

    #[test]
    fn a_file_has_blocks_of_names_and_values() {
        let text = "\
# a: comment
/**:
  ros__parameters: {a: 1, b: {a: 2.5}}
robot:
  arm:
    ros__parameters:
      a: 1 # a: 2
      b.c: \"a: {a: 1, a: 2}\"
      d:
      - x
      - 'y'
---
/robot/**/n:
  ros__parameters: {}
m: {ros__parameters: }
";
        let owned = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let expected = [
            ("/**", owned(&["a=1", "b.a=2.5"])),
            ("robot/arm", owned(&["a=1", "b.c=\"a: {a: 1, a: 2}\"", "d=[\"x\", \"y\"]"])),
            ("/robot/**/n", owned(&[])),
            ("m", owned(&[])),
        ];
        assert_eq!(blocks(text), expected.map(|(node, values)| (node.to_owned(), values)));
        assert_eq!(read("# nothing\n"), Ok(Vec::new()));
        let lines: Vec<usize> = read(text).unwrap().iter().map(|block| block.line).collect();
        assert_eq!(lines, [3, 6, 14, 15]);
    }

    #[test]
    fn an_error_is_reported_with_its_line() {
        let below = |text: &str| format!("n:\n  ros__parameters:\n{text}");
        for (text, sentence) in [
            ("n:\n\tros__parameters: {}", "line 2: it is indented by a tab, must be by spaces"),
            ("n: [1, 2", "line 2: "),
            ("- 1", "line 1: must be a node's name"),
            ("n:\n  a: 1", "line 2: 'n.a' must be below the key 'ros__parameters' of a node"),
            (
                "topics:\n- name: nav",
                "line 1: 'topics' must be below the key 'ros__parameters' of a node; for twist_mux's and teleop_twist_joy's files of \
                 ROS 1 see docs/coming_from_joy_and_twist_mux.md",
            ),
            (
                "/hind*:\n  ros__parameters: {}",
                "line 1: '/hind*' is no pattern of nodes: * and ** stand for whole names",
            ),
            (&below("    a: [1, 2.0]"), "line 3: the values of 'a' must be of one type"),
            (&below("    a: [[1]]"), "line 3: 'a' must be a list of single values"),
            (&below("    a:\n    b: 1"), "line 3: 'a' has no value"),
            (&below("    a: *b"), "line 3: "),
            (&below("    a: &b 1\n    c: *b"), "line 4: an alias"),
        ] {
            let wrong = read(text).unwrap_err().to_string();
            assert!(wrong.starts_with(sentence), "{wrong} instead of {sentence}");
        }
        assert!(read_value("").is_err() && read_value("a: 1").is_err());
        assert!(read(&"[".repeat(10_000)).is_err());
    }

    #[test]
    fn a_repeated_key_is_refused_in_either_style() {
        let repeated_key = |text: &str| read(text).unwrap_err().what;
        let sentence =
            |path: &str, line: usize| format!("'{path}' is in line {line} for the second time, must be once");
        let block =
            "n:\n  ros__parameters:\n    dock:\n      t: /a\n    other: 1\n    \"dock\":\n      t: /b\n";
        assert_eq!(repeated_key(block), sentence("n.ros__parameters.dock", 6));
        assert_eq!(
            repeated_key("{n: {ros__parameters: {a: 1,\n 'a': 2}}}"),
            sentence("n.ros__parameters.a", 2)
        );
        let dotted = "n:\n  ros__parameters:\n    s.dock.t: /a\n    s:\n      dock: {p: 1, t: /b}\n";
        assert_eq!(repeated_key(dotted), sentence("n.ros__parameters.s.dock.t", 5));
        let slash = "n:\n  ros__parameters: {a: 1, b: 2}\n/n:\n  ros__parameters: {b: 3}\n";
        assert_eq!(repeated_key(slash), sentence("/n.ros__parameters.b", 4));
        assert_eq!(repeated_key("n:\n  ros__parameters: {}\nn:\n  ros__parameters: {}\n"), sentence("n", 3));
    }

    #[test]
    fn patterns_match_nodes_as_in_rclcpp() {
        for (pattern, hits) in [
            ("/**", [true, true, true]),
            ("**", [true, true, true]),
            ("/*", [true, false, false]),
            ("*", [true, false, false]),
            ("/*/*", [false, true, false]),
            ("/**/hindbrain", [true, true, true]),
            ("/*/hindbrain", [false, true, false]),
            ("/robot/**", [false, true, true]),
            ("robot/hindbrain", [false, true, false]),
            ("/robot/**/hindbrain", [false, true, true]),
            ("/hindbrain", [true, false, false]),
            ("hindbrain", [true, true, true]),
            ("joystick", [false, false, false]),
            ("/robot", [false, false, false]),
        ] {
            let names = ["/hindbrain", "/robot/hindbrain", "/robot/left/hindbrain"];
            assert_eq!(names.map(|name| is_for(pattern, name)), hits, "{pattern}");
        }
    }
}
