use std::fmt::Write;
use std::fs;

use params::file::{Block, is_for, read, read_value};
use params::{FOREIGN_PAGE, Specification, Value, nearest, quoted};

use crate::{Error, clock_topic};

/// The parameters in the process's arguments: its files and its `-p` rules, in their order.
///
/// # Source
/// own: r2r reads the same, but silently ignores parameters of other nodes and the wildcards `*`, `/ns/**` and `/**/node`,
/// which rclcpp honours. If a parameter is given both as a whole and as a decimal number, r2r takes the whole one, whichever
/// came last.
pub(crate) struct Overrides {
    files: Vec<String>,
    given: Vec<Given>,
}

struct Given {
    /// The file and its line, or the rule.
    place: String,
    is_rule: bool,
    block: Block,
}

impl Given {
    /// The last name of its key: a node's name, without a namespace.
    fn last_name(&self) -> &str {
        last_name(&self.block.node)
    }

    fn is_pattern(&self) -> bool {
        matches!(self.last_name(), "*" | "**")
    }

    /// Whether it sets something, and nothing like what the `specification` of a node declares.
    fn is_foreign_to(&self, specification: &Specification) -> bool {
        self.names().next().is_some() && !self.names().any(|name| specification.may_mean(name))
    }

    /// The names of its parameters, but for those that any node of ROS may have.
    fn names(&self) -> impl Iterator<Item = &str> {
        let names = self.block.values.iter().map(|(name, _)| name.as_str());
        names.filter(|name| {
            ![clock_topic::NAME, "autostart"].contains(name) && !name.starts_with("qos_overrides.")
        })
    }
}

fn last_name(node: &str) -> &str {
    node.rsplit('/').next().unwrap_or(node)
}

/// A node's name, and its specification.
pub type KnownNode = (&'static str, fn() -> Specification);

impl Overrides {
    /// Reads `arguments`.
    /// # Errors
    /// A file or a rule that does not have the form of parameters.
    pub(crate) fn new(arguments: impl IntoIterator<Item = String>) -> Result<Self, Error> {
        let (mut files, mut all) = (Vec::new(), Vec::new());
        for (option, value) in ros_options(arguments) {
            match option.as_str() {
                "--params-file" => {
                    let path = value;
                    let text = fs::read_to_string(&path).map_err(|error| {
                        Error::Start(format!("parameter file '{path}' cannot be read: {error}"))
                    })?;
                    let blocks = read(&text)
                        .map_err(|wrong| Error::Start(format!("parameter file '{path}', {wrong}")))?;
                    all.extend(blocks.into_iter().map(|block| Given {
                        place: format!("{path}, line {}", block.line),
                        is_rule: false,
                        block,
                    }));
                    if !files.contains(&path) {
                        files.push(path);
                    }
                }
                "-p" | "--param" => all.push(parse(&value)?),
                _ => {}
            }
        }
        Ok(Self { files, given: all })
    }

    /// The values for the node whose full name is `name`; of several values the last one counts.
    pub(crate) fn of(&self, name: &str) -> Vec<(String, Value)> {
        let mut values: Vec<(String, Value)> = Vec::new();
        for (parameter, value) in
            self.given.iter().filter(|given| is_for(&given.block.node, name)).flat_map(|g| &g.block.values)
        {
            values.retain(|(known, _)| known != parameter);
            values.push((parameter.clone(), value.clone()));
        }
        values
    }

    /// Whether blocks and rules for all nodes give `parameter` to the node whose full name is `name`, and nothing else gives it.
    pub(crate) fn is_for_all(&self, parameter: &str, name: &str) -> bool {
        let mut giving = self.given.iter().filter(|given| {
            is_for(&given.block.node, name) && given.block.values.iter().any(|(known, _)| known == parameter)
        });
        giving.all(Given::is_pattern)
    }

    /// Why there are all defaults for the node whose full name is `name`, if files were given and none has a block for it.
    ///
    /// A robot's file serves several processes, so it may hold blocks for other nodes only.
    pub(crate) fn nothing_for(&self, name: &str) -> Option<String> {
        let mut blocks = self.given.iter().filter(|given| !given.is_rule);
        let own = last_name(name);
        let mut fitting = blocks.clone().filter(|given| is_for(&given.block.node, name));
        let is_named = fitting.clone().any(|given| !given.is_pattern());
        let is_given = fitting.any(|given| given.names().next().is_some());
        if self.files.is_empty()
            || is_named
            || is_given && !blocks.clone().any(|given| given.last_name() == own)
        {
            return None;
        }
        let what = if is_given { "all other" } else { "all" };
        let found = blocks.next().map_or("no block at all".to_owned(), |first| {
            let mut keys = vec![first.block.node.as_str()];
            blocks.for_each(|given| {
                if !keys.contains(&given.block.node.as_str()) {
                    keys.push(&given.block.node);
                }
            });
            format!("only {}", keys.join(", "))
        });
        Some(format!(
            "the parameter files hold nothing for '{name}'{}: {what} defaults are in force; in {} there is {found}",
            if is_given { " alone" } else { "" },
            self.files.join(" and ")
        ))
    }

    /// Checks that what was meant for the node whose full name is `name` applies to it, under the name that it has now and under
    /// that of its `specification`, which the arguments may have replaced. Blocks for other nodes and for patterns do not count: they are no
    /// substitute for the block that names the node.
    /// # Errors
    /// A block, or a rule, names this node and does not apply, and none that names it does: another namespace, or another name.
    /// Blocks of files in several other namespaces are those of a fleet, which may lack this robot, but for its protections.
    pub(crate) fn check_meant_for(&self, name: &str, specification: &Specification) -> Result<(), Error> {
        // A rule for this node is no substitute for the block that a file has for it.
        self.check_of_kind(false, name, specification)?;
        self.check_of_kind(true, name, specification)
    }

    /// Checks the blocks of files alone, or the rules alone.
    fn check_of_kind(&self, is_rule: bool, name: &str, specification: &Specification) -> Result<(), Error> {
        let (own, original) = (last_name(name), specification.node);
        let meant = || {
            let alike = self.given.iter().filter(move |given| given.is_rule == is_rule);
            alike.filter(move |given| [own, original].contains(&given.last_name()))
        };
        let is_named = meant().any(|given| is_for(&given.block.node, name));
        let Some(first) = meant().next().filter(|_| !is_named) else { return Ok(()) };
        let mut found = format!("{}: '{}'", first.place, first.block.node);
        for other in meant().skip(1) {
            let _ = write!(found, "; {}: '{}'", other.place, other.block.node);
        }
        let is_fleet = !is_rule
            && meant().all(|given| given.last_name() == own)
            && meant().any(|given| given.block.node != first.block.node);
        let own_values = self.of(name);
        let is_lost =
            |lost: &&str| specification.protects(lost) && own_values.iter().all(|(given, _)| given != lost);
        let lost = meant().flat_map(Given::names).find(is_lost);
        let reason = if is_fleet {
            let Some(lost) = lost else { return Ok(()) };
            format!(
                "sets '{lost}', which this node, '{name}', would lose: add a block '{name}', empty for the defaults"
            )
        } else if first.last_name() == own {
            format!(
                "is in another namespace than this node, which is '{name}'; without a slash, '{own}' is meant in any, and \
                 an empty block '{name}' leaves the defaults"
            )
        } else {
            format!(
                "is not for this node, which was renamed from '{original}' to '{name}', so its values would be passed over; write \
                 '{own}' in place of '{original}' there, or do not rename the node (__node:={own}, or name= in a launch file)"
            )
        };
        Err(Error::Start(format!("{found} {reason}")))
    }

    /// Checks that no block of a file has a name that is none of `nodes` and sets only what the node whose full name is `name`
    /// declares by its `specification`, if no block names this node: what was meant for it would not be in force. Without any block for
    /// `nodes` what it knows as another program's is refused, too, such as a lock of twist_mux.
    /// # Errors
    /// The first such block.
    pub(crate) fn check_unnamed(
        &self,
        name: &str,
        nodes: &[&str],
        specification: &Specification,
    ) -> Result<(), Error> {
        let own = last_name(name);
        let mut blocks = self.given.iter().filter(|given| !given.is_rule && !given.is_pattern());
        if blocks.clone().any(|given| given.last_name() == own) {
            return Ok(());
        }
        let is_robots = blocks.clone().any(|given| nodes.contains(&given.last_name()));
        let (is_declared, is_foreign) =
            (|name: &_| specification.declares(name), |name: &_| specification.is_foreign(name));
        let is_theirs = |given: &Given| {
            let is_known = given.names().all(|name| is_declared(name) || is_foreign(name));
            !is_robots
                && (is_known && given.names().any(is_foreign)
                    || specification.knows_program(given.last_name()))
        };
        let unnamed = blocks.find(|given| {
            let is_meant = given.names().all(is_declared) || is_theirs(given);
            is_meant && !nodes.contains(&given.last_name()) && given.names().next().is_some()
        });
        let Some(given) = unnamed else { return Ok(()) };
        let what = if is_theirs(given) {
            let translate = format!("'{own}' has no block: translate it by {FOREIGN_PAGE}");
            format!("sets what '{own}' has under other names, and {translate}")
        } else {
            format!("sets only parameters of '{own}', which has no block: write '{own}' in its place")
        };
        let (place, node) = (&given.place, &given.block.node);
        let empty = format!("add an empty block '{own}' if it is another program's");
        Err(Error::Start(format!("{place}: '{node}' is not a node of Steersman and {what}, or {empty}")))
    }

    /// Refuses a rule that applies neither to one of the nodes `known`, which may run in other processes, nor to a node in `renamed`,
    /// and a file's block whose name is similar to one of these, unless that node declares nothing like what it sets: a file may have blocks
    /// for other programs.
    fn check(&self, nodes: &[KnownNode], renamed: &[String]) -> Result<(), Error> {
        let names = nodes.iter().map(|(name, _)| *name);
        let known: Vec<&str> = names.chain(renamed.iter().map(String::as_str)).collect();
        let is_foreign = |given: &Given, alike: &str| {
            let node = nodes.iter().find(|(name, _)| *name == alike);
            !given.is_rule && node.is_some_and(|(_, specification)| given.is_foreign_to(&specification()))
        };
        for given in &self.given {
            let (Given { place, is_rule, block }, name) = (given, given.last_name());
            if given.is_pattern() || known.contains(&name) {
                continue;
            }
            let hint = match nearest(name, known.iter().copied()) {
                Some(nearest) if is_foreign(given, nearest) => continue,
                Some(nearest) => format!("did you mean '{nearest}'?"),
                None if *is_rule => format!("it must be one of: {}", known.join(", ")),
                None => continue,
            };
            return Err(Error::Start(format!(
                "{place}: '{}' is not a node of Steersman; {hint}",
                block.node
            )));
        }
        Ok(())
    }
}

/// Each argument between `--ros-args` and `--`, with the one before it, whose value it may be.
pub(crate) fn ros_options(arguments: impl IntoIterator<Item = String>) -> Vec<(String, String)> {
    let mut options = Vec::new();
    let (mut for_ros, mut before) = (false, String::new());
    for argument in arguments {
        match argument.as_str() {
            "--ros-args" => for_ros = true,
            "--" => for_ros = false,
            _ if for_ros => options.push((before, argument.clone())),
            _ => {}
        }
        before = argument;
    }
    options
}

/// `NAME:=VALUE`, or `NODE:NAME:=VALUE`.
fn parse(rule: &str) -> Result<Given, Error> {
    let refuse = |what: &str| Error::Start(format!("argument -p {}: {what}", quoted(rule)));
    let (name, text) = rule.split_once(":=").ok_or_else(|| refuse("it must be NAME:=VALUE"))?;
    let value = read_value(text).map_err(|wrong| refuse(&wrong.what))?;
    let (node, name) = name.rsplit_once(':').unwrap_or(("/**", name));
    let block = Block { node: node.into(), line: 1, values: vec![(name.into(), value)] };
    Ok(Given { place: format!("argument -p {}", quoted(rule)), is_rule: true, block })
}

/// Refuses parameters among `arguments` that apply to no node: neither to one of `known`, which may run in other processes, nor
/// to one that the arguments rename.
/// # Errors
/// The first such parameter with the name that was probably meant, or a file that is not a parameter file.
pub fn check_overrides(arguments: &[String], known: &[KnownNode]) -> Result<(), Error> {
    let name = |argument: &String| {
        let (rule, name) = argument.split_once(":=")?;
        (rule.ends_with("__node") || rule.ends_with("__name")).then(|| name.to_owned())
    };
    let renamed: Vec<String> = arguments.iter().filter_map(name).collect();
    Overrides::new(arguments.iter().cloned())?.check(known, &renamed)
}

#[cfg(test)]
mod tests {
    use params::Parameter;

    use super::*;

    const KNOWN: [KnownNode; 2] =
        [("hindbrain", hindbrain), ("joystick", || Specification::new("joystick", ""))];

    fn hindbrain() -> Specification {
        const TRACK: Parameter<bool> = Parameter::bool("track", false);
        Specification::new("hindbrain", "").with_all(vec![TRACK.declaration()])
    }

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

    /// Overrides from two files, with the keys `nodes`.
    fn given(nodes: &[&str]) -> Overrides {
        let block = |(line, node): (usize, &&str)| Given {
            place: format!("f, line {line}"),
            is_rule: false,
            block: Block { node: (*node).into(), line, values: Vec::new() },
        };
        Overrides {
            files: vec!["f".into(), "g".into()],
            given: nodes.iter().enumerate().map(block).collect(),
        }
    }

    /// Overrides from blocks with parameters of these names.
    fn setting(blocks: &[(&str, &[&str])]) -> Overrides {
        let nodes: Vec<&str> = blocks.iter().map(|(node, _)| *node).collect();
        let mut overrides = given(&nodes);
        for (given, (_, names)) in overrides.given.iter_mut().zip(blocks) {
            given.block.values = names.iter().map(|name| ((*name).into(), Value::Bool(true))).collect();
        }
        overrides
    }

    fn meant(nodes: &[&str], name: &str) -> Result<(), String> {
        given(nodes).check_meant_for(name, &hindbrain()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_block_in_another_namespace_is_for_this_node_if_no_other_is() {
        let refused = meant(&["/**", "/robot/hindbrain"], "/hindbrain").unwrap_err();
        assert_eq!(
            refused,
            "f, line 1: '/robot/hindbrain' is in another namespace than this node, which is '/hindbrain'; without a slash, \
             'hindbrain' is meant in any, and an empty block '/hindbrain' leaves the defaults"
        );
        assert_eq!(
            meant(&["/robot/hindbrain", "/hindbrain"], "/hindbrain"),
            Ok(()),
            "one file for two robots"
        );
        assert_eq!(meant(&["hindbrain"], "/hindbrain"), Ok(()));
        assert_eq!(meant(&["/**", "/robot/joystick"], "/hindbrain"), Ok(()));
    }

    #[test]
    fn a_block_for_the_name_that_a_node_had_is_refused_unless_another_names_it() {
        let refused = meant(&["/**", "hindbrain", "joystick", "/r/hindbrain"], "/r/brain").unwrap_err();
        assert_eq!(
            refused,
            "f, line 1: 'hindbrain'; f, line 3: '/r/hindbrain' is not for this node, which was renamed from 'hindbrain' to \
             '/r/brain', so its values would be passed over; write 'brain' in place of 'hindbrain' there, or do not rename the node \
             (__node:=brain, or name= in a launch file)"
        );
        for fine in [
            &["hindbrain", "brain"][..], // one file for two vehicles
            &["/**"],
            &["/r/**", "joystick"],
            &["/**/brain"],
            &[],
        ] {
            assert_eq!(meant(fine, "/r/brain"), Ok(()), "{fine:?}");
        }
        let mut with_rule = given(&["hindbrain"]);
        with_rule.given.push(parse("brain:a:=1").unwrap());
        assert!(with_rule.check_meant_for("/brain", &hindbrain()).is_err(), "a rule replaces no block");
        let arguments = words("x --ros-args -r __node:=brain -p hindbrain:a:=1");
        let refused = Overrides::new(arguments).unwrap().check_meant_for("/brain", &hindbrain()).unwrap_err();
        assert!(
            refused.to_string().starts_with("argument -p hindbrain:a:=1: 'hindbrain' is not for this node")
        );
    }

    #[test]
    fn files_without_a_block_for_the_node_leave_its_defaults() {
        let nothing = |nodes: &[&str]| given(nodes).nothing_for("/joystick");
        assert_eq!(
            nothing(&["hindbrain", "zone_scaler", "hindbrain"]).as_deref(),
            Some(
                "the parameter files hold nothing for '/joystick': all defaults are in force; in f and g there is only hindbrain, zone_scaler"
            )
        );
        assert!(nothing(&[]).is_some_and(|text| text.ends_with("in f and g there is no block at all")));
        assert_eq!(nothing(&["hindbrain", "joystick"]), None, "an empty block is one");
        assert!(nothing(&["hindbrain", "/**"]).is_some(), "a block for all nodes that sets nothing");
        assert_eq!(
            Overrides::new(words("x --ros-args -p hindbrain:a:=1")).unwrap().nothing_for("/joystick"),
            None
        );
    }

    #[test]
    fn a_block_of_an_unknown_name_with_a_nodes_parameters_alone_is_refused() {
        let check = |blocks: &[(&str, &[&str])]| {
            const ESTOP: Parameter<bool> = Parameter::bool("estop.required", false);
            let nodes = KNOWN.map(|(name, _)| name);
            let specification = hindbrain()
                .with_all(vec![ESTOP.declaration()])
                .with_foreign(&[["mux", "topics.", "sources.{}"], ["mux", "gauge", "track"]]);
            setting(blocks)
                .check_unnamed("/hindbrain", &nodes, &specification)
                .map_err(|error| error.to_string())
        };
        let meant: (&str, &[&str]) = ("brain", &["estop.required", "autostart"]);
        assert_eq!(
            check(&[("/**", &["use_sim_time"]), meant]).unwrap_err(),
            "f, line 1: 'brain' is not a node of Steersman and sets only parameters of 'hindbrain', which has no block: write \
             'hindbrain' in its place, or add an empty block 'hindbrain' if it is another program's"
        );
        for theirs in [
            ("chooser", &["topics.nav.priority", "gauge", "track", "use_sim_time"][..]),
            ("/**/mux", &["track"]),
            ("mux_node", &["unknown"]),
        ] {
            let refused = check(&[theirs]).unwrap_err();
            let end = "sets what 'hindbrain' has under other names, and 'hindbrain' has no block: translate it by \
                docs/coming_from_joy_and_twist_mux.md, or add an empty block 'hindbrain' if it is another program's";
            assert_eq!(refused, format!("f, line 0: '{}' is not a node of Steersman and {end}", theirs.0));
            assert_eq!(check(&[theirs, ("hindbrain", &[])]), Ok(()));
        }
        for fine in [
            &[meant, ("hindbrain", &[])][..],
            &[("mux_node", &["unknown"]), ("joystick", &["rate"])],
            &[("camera", &["gauge", "exposure"])],
            &[("mux", &["use_sim_time"])],
            &[("controller", &["track", "gain"])],
            &[("controller", &["use_sim_time", "autostart"])],
            &[("joystick", &["track"])],
        ] {
            assert_eq!(check(fine), Ok(()), "{fine:?}");
        }
    }

    #[test]
    fn a_block_of_a_similar_name_is_refused_unless_that_node_declares_nothing_like_what_it_sets() {
        let renamed = ["cart".to_owned()];
        let check = |node, names: &[&str]| setting(&[(node, names)]).check(&KNOWN, &renamed);
        for names in [&["track", "max_velocity"][..], &["trak"], &["autostart", "use_sim_time"], &[]] {
            assert_eq!(
                check("hindbrian", names).unwrap_err().to_string(),
                "f, line 0: 'hindbrian' is not a node of Steersman; did you mean 'hindbrain'?",
                "{names:?}"
            );
        }
        assert!(check("hindbrian", &["max_velocity", "use_sim_time"]).is_ok());
        assert!(check("card", &["max_velocity"]).is_err(), "what a renamed node declares is not known here");
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
            "argument -p hindbrian:a:=1: 'hindbrian' is not a node of Steersman; did you mean 'hindbrain'?";
        assert_eq!(refusal("x --ros-args -p hindbrian:a:=1"), sentence);
        let sentence =
            "argument -p foo:a:=1: 'foo' is not a node of Steersman; it must be one of: hindbrain, joystick";
        assert_eq!(refusal("x --ros-args -p foo:a:=1"), sentence);
        assert_eq!(refusal("x --ros-args -p a=1"), "argument -p a=1: it must be NAME:=VALUE");
        assert!(
            refusal("x --ros-args --params-file /no/file")
                .starts_with("parameter file '/no/file' cannot be read: ")
        );
    }
}
