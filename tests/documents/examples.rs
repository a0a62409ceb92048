//! The nodes accept every block of YAML in the documents and every file in `config/`.

use std::fs;

use params::file::{is_for, read};
use params::{Refusal, Set, Value};
use tests::{files, root, specifications};

use crate::markdown::pages;

/// A node's check of all its parameters together.
fn check(node: &str, set: &Set) -> Result<(), Refusal> {
    match node {
        "joystick" => joystick::Params::read(set).map(drop),
        "velocity_arbiter" => arbiter::Params::read(set).map(drop),
        "zone_scaler" => zones::Params::read(set).map(drop),
        "surround" => surround::Params::read(set).map(drop),
        "hindbrain" => hindbrain::Params::read(set).and(hindbrain::Driver::read(set)).map(drop),
        "simulator" => simulator::Params::read(set).map(drop),
        "chair" => chair::Params::read(set).map(drop),
        "haptix" if haptix::device(set) == "topics" => {
            let refuse = |rule: String| set.refuse("topics.robot", rule);
            let text = fs::read_to_string(root().join(haptix::robot(set)));
            let text = text.map_err(|error| refuse(error.to_string()))?;
            let model = haptix::RobotModel::parse(&text).map_err(|error| refuse(error.to_string()))?;
            haptix::Params::read(set, &model.constants.description, model.constants.info.update_rate)
                .map(drop)
        }
        "haptix" => {
            let model = haptix::Model::builtin(&haptix::device(set));
            let model = model.map_err(|_| set.refuse("device", "must be a built-in device"))?;
            haptix::Params::read(set, &model.constants.description, model.constants.info.update_rate)
                .map(drop)
        }
        "switch_relay" => switches::Params::read(set).map(drop),
        "interface" => luci_chair::Params::read(set).map(drop),
        _ => Ok(()),
    }
}

/// All errors of a parameter file.
fn faults(text: &str) -> Vec<String> {
    let blocks = match read(text) {
        Ok(blocks) => blocks,
        Err(wrong) => return vec![wrong.to_string()],
    };
    let mut faults = Vec::new();
    if blocks.is_empty() {
        faults.push("it has no block of a node".into());
    }
    for block in &blocks {
        let known = specifications();
        let Some(specification) = known.iter().find(|known| is_for(&block.node, &format!("/{}", known.node)))
        else {
            faults.push(format!("'{}' is no node", block.node));
            continue;
        };
        let values: Vec<(String, Value)> = block.values.clone();
        match specification.resolve(values) {
            Ok(set) => {
                faults.extend(check(specification.node, &set).err().map(|refusal| refusal.to_string()))
            }
            Err(refusals) => faults.extend(refusals.iter().map(ToString::to_string)),
        }
    }
    faults
}

#[test]
fn every_example_is_a_parameter_file_that_the_nodes_accept() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for page in pages() {
        for fence in page.fences().into_iter().filter(|fence| fence.language == "yaml") {
            count += 1;
            let place = format!("{}, line {}", page.path, fence.line);
            wrong.extend(faults(&fence.text).into_iter().map(|fault| format!("{place}: {fault}")));
        }
    }
    assert!(count > 10, "only {count} examples were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_in_config_is_one_that_the_nodes_accept() {
    let mut files = files(&root().join("config"), &["yaml"]);
    files.retain(|file| !file.ends_with("analyzers.yaml")); // diagnostic_aggregator's; test_diagnostics.py reads it
    assert!(files.len() > 10, "only {} files were found", files.len());
    for file in files {
        let faults = faults(&fs::read_to_string(&file).expect("a file"));
        assert!(faults.is_empty(), "{}: {}", file.display(), faults.join("\n"));
    }
}

#[test]
fn an_example_that_a_node_refuses_is_a_fault() {
    let below = |text: &str| format!("hindbrain:\n  ros__parameters:\n    {text}\n");
    for (text, fault) in [
        (below("wheel_sped: 1.0"), "did you mean 'wheel_speed'"),
        (below("wheel_speed: 50.0"), "must be from"),
        ("hindbrian:\n  ros__parameters: {}\n".into(), "is no node"),
        ("hindbrain: {wheel_speed: 1.0}".into(), "ros__parameters"),
    ] {
        let found = faults(&text).join("\n");
        assert!(found.contains(fault), "{text}: {found}");
    }
    assert!(faults(&below("wheel_speed: 2.0")).is_empty());
}

/// Every robot of a document in XML has the transmissions that it shows.
#[test]
fn every_robot_of_an_example_can_be_moved() {
    let mut count = 0;
    for page in pages() {
        for fence in page.fences().into_iter().filter(|fence| fence.text.starts_with("<robot")) {
            let place = format!("{}, line {}", page.path, fence.line);
            let robot = mechanism::Description::parse(&fence.text).expect(&place);
            assert!(robot.skipped.is_empty(), "{place}: {:?}", robot.skipped);
            assert_eq!(robot.transmissions.len(), robot.joints.len(), "{place}: each joint has one");
            count += robot.transmissions.len();
        }
    }
    assert!(count >= 2, "only {count} transmissions were found");
}

/// Controller type that `mechanism` does not have, though an example names it: a library outside of this repository provides it.
const FOREIGN: &str = "sway/Sway";

#[test]
fn every_controller_of_an_example_can_be_created() {
    let mut created = 0;
    let mut texts: Vec<(String, String)> = files(&root().join("config"), &["yaml"])
        .into_iter()
        .map(|path| (path.display().to_string(), fs::read_to_string(&path).unwrap()))
        .collect();
    for page in pages() {
        let fences = page.fences().into_iter().filter(|fence| fence.language == "yaml");
        texts.extend(fences.map(|fence| (page.path.clone(), fence.text)));
    }
    for (place, text) in texts {
        for block in read(&text).unwrap_or_default().iter().filter(|block| block.node.ends_with("mechanism"))
        {
            let set = mechanism::specification().resolve(block.values.clone()).unwrap();
            let Ok(params) = mechanism::Params::read(&set) else { continue };
            let urdf = match params.hand.filter(|_| params.robot_description.is_empty()) {
                Some(hand) => haptix::Model::builtin(&hand).unwrap().urdf().unwrap(),
                None => fs::read_to_string(root().join(params.robot_description)).unwrap(),
            };
            let robot = mechanism::Robot::new(&mechanism::Description::parse(&urdf).unwrap());
            let types = block.values.iter().filter_map(|(name, value)| match value {
                Value::Text(text) => name.strip_suffix(".type").map(|name| (name, text)),
                _ => None,
            });
            for (name, type_name) in types.filter(|(_, type_name)| *type_name != FOREIGN) {
                let known = mechanism::BUILTIN_TYPES.iter().find(|known| known.name == type_name);
                let parameters =
                    set.open(name).into_iter().map(|(name, value)| (name.to_owned(), value.clone()));
                let outcome = known.map(|known| known.create(&robot, parameters).map(drop));
                assert_eq!(outcome, Some(Ok(())), "{place}: {name}");
                created += 1;
            }
        }
    }
    assert!(created > 6, "only {created} were found");
}

#[test]
fn the_code_of_the_page_about_controllers_is_that_of_the_example() {
    let example = root().join("crates/controller_plugin/example");
    let read = |file: &str| fs::read_to_string(example.join(file)).unwrap();
    let (code, manifest) = (read("src/lib.rs"), read("Cargo.toml"));
    let page = pages().into_iter().find(|page| page.path == "docs/write_a_controller.md").unwrap();
    let mut count = 0;
    for fence in page.fences() {
        let whole = match fence.language {
            "rust" => &code,
            "toml" => &manifest,
            _ => continue,
        };
        assert!(whole.contains(&fence.text), "line {}:\n{}", fence.line, fence.text);
        count += 1;
    }
    assert!(count > 5, "only {count} blocks");
}
