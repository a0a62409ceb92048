//! The topics and services of the nodes are those in the tables of their pages.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use tests::{executable, specifications};

use crate::markdown::{Page, node_pages, quoted};

/// Names in the graph, each with its types.
pub type Names = BTreeMap<String, Vec<String>>;

/// The names in the tables below `## heading` of all nodes.
fn listed(heading: &str) -> Names {
    let mut names = Names::new();
    let pages = node_pages();
    for specification in specifications() {
        let page = format!("docs/nodes/{}.md", executable(&specification));
        let page = pages.iter().find(|known| known.path == page).expect("a page");
        for row in page.rows(heading) {
            let types: Vec<String> = quoted(&row[1])
                .into_iter()
                .filter(|text| text.contains('/'))
                .map(|text| text.replacen('/', if heading == "Services" { "/srv/" } else { "/msg/" }, 1))
                .collect();
            for name in quoted(&row[0]) {
                names.entry(full(name, specification.node)).or_default().extend(types.clone());
            }
        }
    }
    names
}

/// The name in the graph, without a namespace, of `name` in the node `node`.
fn full(name: &str, node: &str) -> String {
    match name.strip_prefix("~/") {
        Some(rest) => format!("/{node}/{rest}"),
        None => format!("/{}", name.trim_start_matches('/')),
    }
}

/// The types of the topic or service `name`; a part `<word>` of a listed name stands for any one.
pub fn types<'a>(names: &'a Names, name: &str) -> Option<&'a [String]> {
    let is_placeholder = |part: &str| part.starts_with('<') && part.ends_with('>');
    let fits = |listed: &str| {
        let (listed, given): (Vec<_>, Vec<_>) = (listed.split('/').collect(), name.split('/').collect());
        let mut parts = listed.iter().zip(&given);
        listed.len() == given.len() && parts.all(|(listed, given)| listed == given || is_placeholder(listed))
    };
    names.iter().find(|(listed, _)| fits(listed)).map(|(_, types)| &types[..])
}

/// The topics of the nodes.
pub static TOPICS: LazyLock<Names> = LazyLock::new(|| {
    let mut topics = listed("Topics");
    topics.insert("/diagnostics".into(), vec!["diagnostic_msgs/msg/DiagnosticArray".into()]);
    topics
});

/// The services of the nodes.
pub static SERVICES: LazyLock<Names> = LazyLock::new(|| listed("Services"));

/// The topics that examples of `page` configure, such as a source's, which have no row of their own.
pub fn configured(page: &Page) -> Vec<String> {
    let fences = page.fences();
    let texts = fences.iter().flat_map(|fence| fence.text.split("topic: ").skip(1));
    let ends = |c: char| c == ',' || c == '}' || c.is_whitespace();
    let mut names: Vec<String> =
        texts.filter_map(|text| text.split(ends).next()).map(|name| full(name, "")).collect();
    // The inputs and outputs of a controller in code, for each controller in YAML: `sway: {type: ...`.
    let lines = || fences.iter().flat_map(|fence| fence.text.lines());
    for controller in lines().filter_map(|line| line.split_once(": {type:")).map(|(name, _)| name.trim()) {
        for line in lines().filter(|line| line.contains(" INPUTS: ") || line.contains(" OUTPUTS: ")) {
            names.extend(line.split('"').skip(1).step_by(2).map(|word| format!("/{controller}/{word}")));
        }
    }
    names
}

#[test]
fn the_tables_of_the_pages_are_read() {
    let (topics, services) = (&*TOPICS, &*SERVICES);
    assert_eq!(topics["/hind/enable"], ["std_msgs/msg/Bool"]);
    assert_eq!(topics["/velocity_arbiter/active"], ["diagnostic_msgs/msg/DiagnosticStatus"]);
    assert!(topics["/cmd_vel"].contains(&"geometry_msgs/msg/TwistStamped".into()));
    assert_eq!(types(topics, "/pan/command").unwrap(), ["std_msgs/msg/Float64"]);
    assert_eq!(types(topics, "/pan/commands"), None);
    assert_eq!(services["/chair/activate"], ["std_srvs/srv/SetBool"]);
    assert_eq!(services.keys().filter(|name| name.starts_with("/joystick/")).count(), 9);
}
