/// How names of topics come out in the graph: `~` and the namespace put in, remap rules of the command line applied.
///
/// The middleware does this itself for every topic but tells nobody the result; this is for looking up in the graph
/// who publishes on a topic, and for messages to the user.
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
    /// For the node `node` in `namespace`, with the rules among `arguments`.
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

    /// What a node of another name must ask for to get what is `full` by the name `topic` here: rcl applies the rules of the
    /// command line to every node, those for this one alone excepted.
    pub(crate) fn for_others(&self, topic: &str) -> String {
        let full = self.resolve(topic);
        if self.resolve(&full) == full { full } else { self.expand(topic) }
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

    /// `-r FROM:=TO` and `--remap FROM:=TO` between `--ros-args` and `--`, also `NODE:FROM:=TO` for this node.
    fn rules(&self, arguments: impl IntoIterator<Item = String>) -> Vec<(String, String)> {
        let mut rules = Vec::new();
        let (mut for_ros, mut is_rule) = (false, false);
        for argument in arguments {
            match argument.as_str() {
                "--ros-args" => for_ros = true,
                "--" => for_ros = false,
                "-r" | "--remap" => is_rule = true,
                rule if for_ros && is_rule => {
                    is_rule = false;
                    let Some((from, to)) = rule.split_once(":=") else { continue };
                    let from = match from.split_once(':') {
                        Some((node, from)) if node == self.node => from,
                        Some(_) => continue,
                        None => from,
                    };
                    let from = from.strip_prefix("rostopic://").unwrap_or(from);
                    if !from.starts_with("__") {
                        rules.push((self.expand(from), self.expand(to)));
                    }
                }
                _ => is_rule = false,
            }
        }
        rules
    }
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
    fn a_rule_is_not_applied_twice_to_what_another_node_asks_for() {
        let swapped = names(&["--ros-args", "-r", "a:=b", "-r", "b:=a", "-r", "c:=d"]);
        assert_eq!(
            (swapped.for_others("a").as_str(), swapped.for_others("c").as_str()),
            ("/robot/a", "/robot/d")
        );
        let own = names(&["--ros-args", "-r", "joystick:a:=b"]);
        assert_eq!(own.for_others("a"), "/robot/b");
    }

    #[test]
    fn a_generated_type_knows_its_ros_name() {
        assert_eq!(type_of::<r2r::std_msgs::msg::Bool>(), "std_msgs/msg/Bool");
    }
}
