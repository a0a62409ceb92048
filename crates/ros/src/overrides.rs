use std::fs;

use params::file::{Block, is_for, read, read_value};
use params::{Value, nearest};

use crate::Error;

/// The parameters in the process's arguments: its files and its `-p` rules, in their order.
///
/// # Source
/// own: r2r reads the same, but silently ignores parameters of other nodes and the wildcards `*`, `/ns/**` and `/**/node`,
/// which rclcpp honours. If a parameter is given both as a whole and as a decimal number, r2r takes the whole one, whichever
/// came last.
pub(crate) struct Overrides(Vec<Given>);

struct Given {
    /// The file and its line, or the rule.
    place: String,
    is_rule: bool,
    block: Block,
}

impl Overrides {
    /// Reads `arguments`.
    /// # Errors
    /// A file or a rule that does not have the form of parameters.
    pub(crate) fn new(arguments: impl IntoIterator<Item = String>) -> Result<Self, Error> {
        let mut all = Vec::new();
        let (mut for_ros, mut option) = (false, String::new());
        for argument in arguments {
            match (argument.as_str(), option.as_str()) {
                ("--ros-args", _) => for_ros = true,
                ("--", _) => for_ros = false,
                (path, "--params-file") if for_ros => {
                    let text = fs::read_to_string(path).map_err(|error| {
                        Error::Start(format!("parameter file '{path}' cannot be read: {error}"))
                    })?;
                    let blocks = read(&text)
                        .map_err(|wrong| Error::Start(format!("parameter file '{path}', {wrong}")))?;
                    all.extend(blocks.into_iter().map(|block| Given {
                        place: format!("{path}, line {}", block.line),
                        is_rule: false,
                        block,
                    }));
                }
                (rule, "-p" | "--param") if for_ros => all.push(parse(rule)?),
                _ => {}
            }
            option = argument;
        }
        Ok(Self(all))
    }

    /// The values for the node whose full name is `name`; of several values the last one counts.
    pub(crate) fn of(&self, name: &str) -> Vec<(String, Value)> {
        let mut values: Vec<(String, Value)> = Vec::new();
        for (parameter, value) in
            self.0.iter().filter(|given| is_for(&given.block.node, name)).flat_map(|g| &g.block.values)
        {
            values.retain(|(known, _)| known != parameter);
            values.push((parameter.clone(), value.clone()));
        }
        values
    }

    /// Whether there are files but none has values for the node whose full name is `name`.
    pub(crate) fn have_nothing_for(&self, name: &str) -> bool {
        let mut files = self.0.iter().filter(|given| !given.is_rule).peekable();
        files.peek().is_some() && !files.any(|given| is_for(&given.block.node, name))
    }

    /// A block of a file for a node of the same last name in another namespace, where no block names the node whose full name
    /// is `name`: the block was meant for this node.
    pub(crate) fn misplaced(&self, name: &str) -> Option<(&str, &str)> {
        let last = |text: &str| text.rsplit('/').next().unwrap_or_default().to_owned();
        let blocks = || self.0.iter().filter(|given| !given.is_rule && last(&given.block.node) == last(name));
        let is_named = blocks().any(|given| is_for(&given.block.node, name));
        let other = blocks().next().filter(|_| !is_named)?;
        Some((&other.place, &other.block.node))
    }

    /// Refuses a block that applies neither to one of the nodes `known`, which may run in other processes, nor to a node in
    /// `renamed`.
    fn check(&self, known: &[&str], renamed: &[String]) -> Result<(), Error> {
        let known: Vec<&str> = known.iter().copied().chain(renamed.iter().map(String::as_str)).collect();
        for Given { place, is_rule, block } in &self.0 {
            let name = block.node.rsplit('/').next().unwrap_or(&block.node);
            if matches!(name, "*" | "**") || known.contains(&name) {
                continue;
            }
            let hint = match nearest(name, known.iter().copied()) {
                Some(nearest) => format!("did you mean '{nearest}'?"),
                None if *is_rule => format!("it must be one of: {}", known.join(", ")),
                None => "what is for other programs must be in a file of its own".to_owned(),
            };
            return Err(Error::Start(format!("{place}: '{}' is no node of Steersman; {hint}", block.node)));
        }
        Ok(())
    }
}

/// `NAME:=VALUE`, or `NODE:NAME:=VALUE`.
fn parse(rule: &str) -> Result<Given, Error> {
    let refuse = |what: &str| Error::Start(format!("argument -p {rule}: {what}"));
    let (name, text) = rule.split_once(":=").ok_or_else(|| refuse("it must be NAME:=VALUE"))?;
    let value = read_value(text).map_err(|wrong| refuse(&wrong.what))?;
    let (node, name) = name.rsplit_once(':').unwrap_or(("/**", name));
    let block = Block { node: node.into(), line: 1, values: vec![(name.into(), value)] };
    Ok(Given { place: format!("argument -p {rule}"), is_rule: true, block })
}

/// Refuses parameters among `arguments` that apply to no node: neither to one of `known`, which may run in other processes, nor
/// to one that the arguments rename.
/// # Errors
/// The first such parameter with the name that was probably meant, or a file that is not a parameter file.
pub fn check_overrides(arguments: &[String], known: &[&str]) -> Result<(), Error> {
    let name = |argument: &String| {
        let (rule, name) = argument.split_once(":=")?;
        (rule.ends_with("__node") || rule.ends_with("__name")).then(|| name.to_owned())
    };
    let renamed: Vec<String> = arguments.iter().filter_map(name).collect();
    Overrides::new(arguments.iter().cloned())?.check(known, &renamed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 2] = ["hindbrain", "joystick"];

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn refusal(text: &str) -> String {
        check_overrides(&words(text), &KNOWN).unwrap_err().to_string()
    }

    #[test]
    fn what_was_given_last_is_in_force() {
        let text = "x -p a:=0 --ros-args -p a:=1 -p /**/n:a:=0.5 --param b:=2 -p other:b:=3 -- -p b:=4";
        let overrides = Overrides::new(words(text)).unwrap();
        let value = |name: &str, value| (name.to_owned(), value);
        assert_eq!(overrides.of("/robot/n"), [value("a", Value::Float(0.5)), value("b", Value::Integer(2))]);
        assert_eq!(overrides.of("/other"), [value("a", Value::Integer(1)), value("b", Value::Integer(3))]);
    }

    #[test]
    fn a_block_in_another_namespace_is_for_this_node_if_no_other_is() {
        let given = |nodes: &[&str]| {
            let block = |node: &&str| Block { node: (*node).into(), line: 1, values: Vec::new() };
            Overrides(
                nodes
                    .iter()
                    .map(block)
                    .map(|block| Given { place: "f, line 1".into(), is_rule: false, block })
                    .collect(),
            )
        };
        let misplaced =
            |nodes: &[&str]| given(nodes).misplaced("/hindbrain").map(|(_, block)| block.to_owned());
        assert_eq!(misplaced(&["/**", "/robot/hindbrain"]).as_deref(), Some("/robot/hindbrain"));
        assert_eq!(misplaced(&["/robot/hindbrain", "/hindbrain"]), None, "one file for two robots");
        assert_eq!(misplaced(&["hindbrain"]), None);
        assert_eq!(misplaced(&["/**", "/robot/joystick"]), None);
    }

    #[test]
    fn what_is_for_no_node_is_refused_with_the_name_that_was_meant() {
        for fine in [
            "x --ros-args -p hindbrain:a:=1 -p /r/**/joystick:a:=1 -p /r/*:a:=1",
            "x --ros-args -r __node:=a -p a:b:=1",
        ] {
            assert!(check_overrides(&words(fine), &KNOWN).is_ok(), "{fine}");
        }
        let sentence =
            "argument -p hindbrian:a:=1: 'hindbrian' is no node of Steersman; did you mean 'hindbrain'?";
        assert_eq!(refusal("x --ros-args -p hindbrian:a:=1"), sentence);
        let sentence =
            "argument -p foo:a:=1: 'foo' is no node of Steersman; it must be one of: hindbrain, joystick";
        assert_eq!(refusal("x --ros-args -p foo:a:=1"), sentence);
        assert_eq!(refusal("x --ros-args -p a=1"), "argument -p a=1: it must be NAME:=VALUE");
        assert!(
            refusal("x --ros-args --params-file /no/file")
                .starts_with("parameter file '/no/file' cannot be read: ")
        );
    }
}
