use crate::Error;
use crate::overrides::ros_options;

/// Resolves topic names as the graph shows them: `~` and the namespace are expanded, remap rules of the command line applied.
///
/// The middleware does this itself for every topic but does not return the result. It is needed to look up a topic's publishers
/// in the graph, and for messages to the user.
///
/// # Source
/// ROS 2 design, "Topic and Service name mapping" and "Static remapping".
#[derive(Clone, Debug)]
pub struct Names {
    node: String,
    namespace: String,
    rules: Vec<(String, String)>,
}

impl Names {
    /// The names for the node `node` in `namespace`, with the rules among `arguments`.
    pub fn new(node: &str, namespace: &str, arguments: impl IntoIterator<Item = String>) -> Self {
        let names = Self { node: node.into(), namespace: namespace.into(), rules: Vec::new() };
        let rules = names.rules(arguments);
        Self { rules, ..names }
    }

    /// The full name of `name` in the graph.
    pub fn resolve(&self, name: &str) -> String {
        let full = self.expand(name);
        match self.rules.iter().find(|(from, _)| *from == full) {
            Some((_, to)) => to.clone(),
            None => full,
        }
    }

    fn expand(&self, name: &str) -> String {
        let root = self.namespace.trim_end_matches('/');
        if name.starts_with('/') {
            name.into()
        } else if let Some(own) = name.strip_prefix('~') {
            format!("{root}/{}{own}", self.node)
        } else {
            format!("{root}/{name}")
        }
    }

    /// The rules among `arguments` that apply to this node's topics.
    fn rules(&self, arguments: impl IntoIterator<Item = String>) -> Vec<(String, String)> {
        let mut rules = Vec::new();
        for text in texts(arguments) {
            let Some(Rule { node, kind, from, to }) = Rule::read(&text) else { continue }; // refused at the start
            let is_for_us = node.is_none_or(|node| node == self.node) && kind != Kind::Service;
            if is_for_us && !from.starts_with("__") {
                rules.push((self.expand(from), self.expand(to)));
            }
        }
        rules
    }
}

/// The full name of `node` without its first slash, as in `/diagnostics`.
/// # Errors
/// The middleware has none.
pub fn full_name(node: &r2r::Node) -> Result<String, Error> {
    let name = node.fully_qualified_name().map_err(Error::ros("read the node's name"))?;
    Ok(name.trim_start_matches('/').to_owned())
}

/// The namespace that a user wrote with or without slashes at its ends, without them.
/// # Errors
/// It is not one that ROS accepts; the rule.
pub fn namespace(text: &str) -> Result<&str, &'static str> {
    let is_name = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && part.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    match text.trim_matches('/') {
        "" => Ok(""),
        inner if inner.split('/').all(is_name) => Ok(inner),
        _ => Err(
            "must be names of letters, digits and '_' with '/' between them, none of which begins with a digit",
        ),
    }
}

/// Refuses remap rules among `arguments` that cannot be parsed here: the middleware might apply them all the same.
/// # Errors
/// The first such rule.
pub fn check_remap_rules(arguments: impl IntoIterator<Item = String>) -> Result<(), Error> {
    match texts(arguments).find(|text| text.contains(":=") && Rule::read(text).is_none()) {
        None => Ok(()),
        Some(text) => Err(Error::Start(format!(
            "argument -r {text}: it cannot be read, must be FROM:=TO or NODE:FROM:=TO, where FROM may begin with rostopic:// or \
             rosservice://"
        ))),
    }
}

/// The values of `-r` and `--remap`.
fn texts(arguments: impl IntoIterator<Item = String>) -> impl Iterator<Item = String> {
    let rules =
        ros_options(arguments).into_iter().filter(|(option, _)| matches!(option.as_str(), "-r" | "--remap"));
    rules.map(|(_, text)| text)
}

/// A remap rule: `FROM:=TO`, `NODE:FROM:=TO`, and with `rostopic://` or `rosservice://` before `FROM`.
struct Rule<'a> {
    node: Option<&'a str>,
    kind: Kind,
    from: &'a str,
    to: &'a str,
}

/// The kind of name that a rule applies to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Any,
    Topic,
    Service,
}

impl<'a> Rule<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let (matched, to) = text.split_once(":=")?;
        // A scheme contains a colon, as a node prefix does, so the scheme is looked for first.
        let (node, (kind, from)) = match (scheme(matched), matched.split_once(':')) {
            ((Kind::Any, _), Some((node, rest))) => (Some(node), scheme(rest)),
            (whole, _) => (None, whole),
        };
        let is_name = |name: &str| {
            let rest = name.strip_prefix("~/").unwrap_or(name);
            !rest.is_empty() && rest.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '/'))
        };
        [node.unwrap_or("any"), from, to].into_iter().all(is_name).then_some(Self { node, kind, from, to })
    }
}

/// The kind of a rule with `matched` before `:=`, and the name after the scheme.
fn scheme(matched: &str) -> (Kind, &str) {
    let strip = |scheme, kind| matched.strip_prefix(scheme).map(|name| (kind, name));
    strip("rostopic://", Kind::Topic)
        .or_else(|| strip("rosservice://", Kind::Service))
        .unwrap_or((Kind::Any, matched))
}

/// The ROS name of a message type that r2r generated: `geometry_msgs/msg/Twist`.
pub(crate) fn type_of<T>() -> String {
    let path = std::any::type_name::<T>();
    let mut parts: Vec<&str> = path.rsplit("::").take(3).collect();
    parts.reverse();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(arguments: &[&str]) -> Names {
        Names::new("joystick", "/robot", arguments.iter().map(|&a| a.to_owned()))
    }

    #[test]
    fn namespace_and_node_are_put_in() {
        let names = names(&[]);
        assert_eq!(names.resolve("cmd_vel"), "/robot/cmd_vel");
        assert_eq!(names.resolve("/cmd_vel"), "/cmd_vel");
        assert_eq!(names.resolve("~/desired"), "/robot/joystick/desired");
        assert_eq!(Names::new("a", "/", []).resolve("b"), "/b");
    }

    #[test]
    fn remap_rules_apply_to_this_node_only() {
        let names = names(&[
            "x",
            "-r",
            "no:=no",
            "--ros-args",
            "-r",
            "cmd_vel:=/v",
            "--remap",
            "joystick:joy:=j",
            "-r",
            "b:joy:=k",
        ]);
        assert_eq!(names.resolve("cmd_vel"), "/v");
        assert_eq!(names.resolve("joy"), "/robot/j");
        assert_eq!(names.resolve("no"), "/robot/no");
    }

    #[test]
    fn a_rule_for_topics_is_one_with_a_node_and_without() {
        for (rule, name) in [
            ("rostopic://joy:=k", "/robot/k"),
            ("rostopic:///robot/joy:=/k", "/k"),
            ("joystick:rostopic://joy:=k", "/robot/k"),
            ("other:rostopic://joy:=k", "/robot/joy"),
            ("rosservice://joy:=k", "/robot/joy"),
            ("joystick:rosservice://joy:=k", "/robot/joy"),
            ("rostopic:joy:=k", "/robot/joy"), // for a node of that name
        ] {
            assert_eq!(names(&["--ros-args", "-r", rule]).resolve("joy"), name, "{rule}");
            assert!(check(rule).is_ok(), "{rule}");
        }
    }

    fn check(rule: &str) -> Result<(), String> {
        let arguments = ["x", "--ros-args", "-r", rule].map(str::to_owned);
        check_remap_rules(arguments).map_err(|error| error.to_string())
    }

    #[test]
    fn a_rule_that_cannot_be_read_is_refused_with_its_text() {
        for rule in [
            "rostopic://a:b:=c",
            "a:b:c:=d",
            "a:ros://b:=c",
            "rostopic://:=a",
            ":a:=b",
            "a:=",
            "a*:=b",
            "a:=\\1",
        ] {
            let refused = check(rule).unwrap_err();
            assert!(
                refused.starts_with(&format!("argument -r {rule}: it cannot be read, must be")),
                "{refused}"
            );
        }
        for rule in ["__ns:=/robot", "joystick:__node:=a", "~/a:=b", "/a/b:=~/c_d"] {
            assert_eq!(check(rule), Ok(()), "{rule}");
        }
    }

    #[test]
    fn a_generated_type_knows_its_ros_name() {
        assert_eq!(type_of::<r2r::std_msgs::msg::Bool>(), "std_msgs/msg/Bool");
    }
}
