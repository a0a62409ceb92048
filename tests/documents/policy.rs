//! The security policy for SROS2, one enclave for each executable: the topics, services and actions in the tables of the nodes' pages.
//! `tests/ros/chain/test_policy.py` compares it with running nodes.

use std::fmt::Write;

use tests::{bless, executable, specifications};

use crate::markdown::{Page, node_pages, quoted, rows};

const FILE: &str = "config/sros2/policy.xml";
const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- The policy of Steersman's nodes for SROS2: each may publish, subscribe to, serve and call what its page declares, and nothing else. How to
     use it is in docs/your_robot.md. Do not edit it: copy it, and change the copy.

     A node in a namespace needs `ns`, a node with another name `node`, and a remapped topic its new name.
     A star stands for any name, such as that of a device or of a controller: name yours instead.
     Topics that a parameter names are in a comment: add them with the names that your parameters have. -->
<policy version="0.2.0">
  <enclaves>
"#;
/// Executables of several nodes. What one of them publishes for another is handed over within the process and not subscribed to.
const COMPOSED: [(&str, &[&str]); 1] =
    [("steersman", &["joystick", "velocity_arbiter", "zone_scaler", "hindbrain"])];
/// The tool for the services of a controller manager.
const TOOL: (&str, &str) = ("steersman_controller", "pr2_controller_manager/");
/// Nodes that declare, on a topic that users do not see, what they make of a command; the arbiter reads it.
const STAGES: (&str, [&str; 3]) = ("/_steersman/stages", ["joystick", "zone_scaler", "hindbrain"]);
/// Of a composed process its first node alone subscribes to it.
const CLOCK: &str = "/clock";
/// Topics of a node whose `hardware` is another one, which the sections on hardware describe.
const HARDWARE: (&str, [&str; 3]) = ("mechanism", ["topics.states", "topics.commands", "hardware"]);
const PARAMETERS: [&str; 6] = [
    "~/describe_parameters",
    "~/get_parameter_types",
    "~/get_parameters",
    "~/list_parameters",
    "~/set_parameters",
    "~/set_parameters_atomically",
];
const LIFE_CYCLE: [&str; 5] = [
    "~/change_state",
    "~/get_available_states",
    "~/get_available_transitions",
    "~/get_state",
    "~/get_transition_graph",
];

/// The kinds of rules, in the order of the file: element of the group, its attribute, element of one rule, heading of the tables, and the
/// word with which these begin, as the head of the first column or as a line before them.
const KINDS: [(&str, &str, &str, &str, &str); 5] = [
    ("topics", "subscribe", "topic", "Topics", "subscribed"),
    ("topics", "publish", "topic", "Topics", "published"),
    ("services", "reply", "service", "Services", "service"),
    ("services", "request", "service", "Services", "called"),
    ("actions", "execute", "action", "Services", "action"),
];
const SUBSCRIBE: usize = 0;
const PUBLISH: usize = 1;
const REPLY: usize = 2;
const REQUEST: usize = 3;
const EXECUTE: usize = 4;

/// Declared names of a node, by kind, and the parameters that name further topics.
#[derive(Default)]
struct Declared {
    names: [Vec<String>; KINDS.len()],
    parameters: Vec<String>,
}

impl Declared {
    fn add(&mut self, kind: usize, name: &str) {
        let name = name.split('/').map(|part| if part.starts_with('<') { "*" } else { part });
        let name = name.collect::<Vec<_>>().join("/");
        if !self.names[kind].contains(&name) {
            self.names[kind].push(name);
        }
    }

    fn of(page: &Page, node: &str) -> Self {
        let mut declared = Self::default();
        for (kind, (.., heading, word)) in KINDS.iter().enumerate() {
            for row in page.tables(heading, word) {
                for name in quoted(&row[0]) {
                    if name.contains('.') || row[0].starts_with("the topic in") {
                        declared.parameters.push(name.to_owned());
                    } else {
                        declared.add(kind, name);
                    }
                }
            }
        }
        // An action is declared by a sentence: "The action `name`", "the action `name`".
        for rest in page.text.split("he action `").skip(1) {
            declared.add(EXECUTE, rest.split('`').next().expect("a name"));
        }
        if node == HARDWARE.0 {
            declared.parameters.extend(HARDWARE.1.map(str::to_owned));
        }
        let (stages, nodes) = STAGES;
        if nodes.contains(&node) {
            declared.add(PUBLISH, stages);
        } else if node == "velocity_arbiter" {
            declared.add(SUBSCRIBE, stages);
        }
        declared.add(SUBSCRIBE, CLOCK);
        declared.add(PUBLISH, "/diagnostics");
        declared.add(PUBLISH, "/parameter_events");
        declared.add(PUBLISH, "/rosout");
        for service in PARAMETERS {
            declared.add(REPLY, service);
        }
        if node != "marker_publisher" {
            declared.add(PUBLISH, "~/transition_event");
            for service in LIFE_CYCLE {
                declared.add(REPLY, service);
            }
        }
        declared
    }

    fn profile(mut self, node: &str) -> String {
        let mut text = format!("        <profile ns=\"/\" node=\"{node}\">\n");
        if !self.parameters.is_empty() {
            let names = self.parameters.join(", ");
            writeln!(text, "          <!-- By parameters: {names} -->").expect("a text");
        }
        for ((group, rule, one, ..), names) in KINDS.iter().zip(&mut self.names) {
            names.sort();
            if names.is_empty() {
                continue;
            }
            writeln!(text, "          <{group} {rule}=\"ALLOW\">").expect("a text");
            for name in names {
                writeln!(text, "            <{one}>{name}</{one}>").expect("a text");
            }
            writeln!(text, "          </{group}>").expect("a text");
        }
        text + "        </profile>\n"
    }
}

impl Page {
    /// The rows below `## heading` of the tables that begin with `word`.
    fn tables(&self, heading: &str, word: &str) -> Vec<Vec<String>> {
        let lines = self.prose();
        let below = lines.iter().skip_while(|line| **line != format!("## {heading}")).skip(1);
        let mut is_in = false;
        let mut found = Vec::new();
        for line in below.take_while(|line| !line.starts_with("## ")) {
            let first = line.trim_start_matches("| ").split([' ', ':']).next().unwrap_or_default();
            let is_head = line.starts_with("| ") && !line.starts_with("| `");
            let is_title = line.ends_with(':') && !line.contains(' ');
            if is_title || is_head && KINDS.iter().any(|(.., known)| *known == first) {
                is_in = first.eq_ignore_ascii_case(word);
            } else if is_in {
                found.push(*line);
            }
        }
        rows(&found)
    }
}

/// The declarations of the nodes of an executable, by the nodes' names.
fn declared<'a>(pages: &[Page], nodes: &[(&'a str, &str)]) -> Vec<(&'a str, Declared)> {
    let of = |&(node, executable): &(&'a str, &str)| {
        let path = format!("docs/nodes/{executable}.md");
        let page = pages.iter().find(|page| page.path == path).expect("a page");
        (node, Declared::of(page, node))
    };
    let mut all: Vec<_> = nodes.iter().map(of).collect();
    let full = |node: &str, name: &str| name.replacen("~/", &format!("{node}/"), 1);
    let made: Vec<String> = all
        .iter()
        .flat_map(|(node, declared)| declared.names[PUBLISH].iter().map(|name| full(node, name)))
        .filter(|name| name != STAGES.0)
        .collect();
    if nodes.len() > 1 {
        for (number, (node, declared)) in all.iter_mut().enumerate() {
            let is_subscribed = |name: &String| number == 0 || name != CLOCK;
            declared.names[SUBSCRIBE].retain(|name| is_subscribed(name) && !made.contains(&full(node, name)));
        }
    }
    all
}

/// The tool calls the services of a controller manager.
fn tool(pages: &[Page]) -> (String, String) {
    let (node, prefix) = TOOL;
    let mut calls = Declared::default();
    for name in pages
        .iter()
        .flat_map(|page| page.rows("Services"))
        .flat_map(|row| quoted(&row[0]).into_iter().map(str::to_owned).collect::<Vec<_>>())
    {
        if name.starts_with(prefix) {
            calls.add(REQUEST, &name);
        }
    }
    calls.add(SUBSCRIBE, "/rosout"); // for the reasons of refusals
    (node.to_owned(), calls.profile(node))
}

#[test]
fn the_policy_has_what_the_pages_declare() {
    let pages = node_pages();
    let specifications = specifications();
    let single = specifications.iter().map(|one| (executable(one), vec![(one.node, executable(one))]));
    let composed =
        COMPOSED.iter().map(|(name, nodes)| (*name, nodes.iter().map(|node| (*node, *node)).collect()));
    let mut all: Vec<(&str, Vec<(&str, &str)>)> = single.chain(composed).collect();
    all.sort();
    let enclave = |(name, nodes): (&str, Vec<(&str, &str)>)| {
        let declared = declared(&pages, &nodes).into_iter();
        (name.to_owned(), declared.map(|(node, declared)| declared.profile(node)).collect::<String>())
    };
    let mut all: Vec<(String, String)> = all.into_iter().map(enclave).collect();
    all.push(tool(&pages));
    let mut text = HEAD.to_owned();
    for (name, profiles) in all {
        write!(
            text,
            "    <enclave path=\"/steersman/{name}\">\n      <profiles>\n{profiles}      </profiles>\n    </enclave>\n"
        )
        .expect("a text");
    }
    bless(FILE, &(text + "  </enclaves>\n</policy>\n"));
}
