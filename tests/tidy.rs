//! Checks the rules of the repository.
#![allow(clippy::expect_used)] // a failed expectation is an error of the test's set-up

mod budget;
mod configuration;
mod packages;
#[path = "../crates/pictures/examples/draw/svg.rs"]
mod svg;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use configuration::{owners_yaml, yaml};
use safety::{Instant, Machine, Stamp};
use tests::{bless, executable, files, root, specifications};

/// Dependencies that no pure crate may have.
const SYSTEM: &[&str] = &[
    "r2r",
    "rustix",
    "log",
    "sdl2",
    "serial2",
    "boot_clock",
    "realtime",
    "libloading",
    "tempfile",
    "signal-hook",
    "libc",
];
const LONGEST_FILE: usize = 500;

fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let folder = |package: &serde_json::Value| {
        let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
        manifest.parent().and_then(Path::file_name).expect("a folder").to_string_lossy().into_owned()
    };
    let of = |package: &serde_json::Value| {
        let all = package["dependencies"].as_array().expect("dependencies");
        let all = all.iter().filter(|d| d["kind"].is_null());
        all.map(|dependency| dependency["name"].as_str().expect("a name").to_owned()).collect()
    };
    packages.iter().map(|package| (folder(package), of(package))).collect()
}

fn architecture() -> String {
    fs::read_to_string(root().join("crates/README.md")).expect("the architecture")
}

/// The words in backquotes.
fn quoted(text: &str) -> BTreeSet<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Dependencies that the map of the architecture allows for each crate; `None` is anything.
fn allowed() -> BTreeMap<String, Option<BTreeSet<String>>> {
    let text = architecture();
    let (_, map) = text.split_once("| crate | contents | depends on |\n|---|---|---|\n").expect("the map");
    let mut allowed = BTreeMap::new();
    for line in map.lines().take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(cells.len(), 3, "{line}");
        let dependencies = (cells[2] != "all").then(|| quoted(cells[2]));
        allowed.extend(quoted(cells[0]).into_iter().map(|name| (name, dependencies.clone())));
    }
    allowed
}

/// The crates without ROS, clock, thread and I/O by the picture of the architecture.
fn pure() -> Vec<String> {
    let text = architecture();
    let line = text.lines().find_map(|line| line.trim().strip_prefix("pure ")).expect("the pure layer");
    let pure: Vec<String> =
        line.split([' ', '|']).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    for (name, row) in allowed() {
        let row = row.unwrap_or_default();
        let is_node = row.contains("safety")
            && row.contains("params")
            && !row.iter().any(|other| SYSTEM.contains(&other.as_str()));
        assert!(
            !is_node || pure.contains(&name),
            "crates/README.md does not show `{name}` among the pure crates"
        );
    }
    pure
}

#[test]
fn crates_depend_on_what_the_architecture_says() {
    let (found, allowed) = (dependencies(), allowed());
    for (name, dependencies) in found.iter().filter(|(name, _)| *name != "tests") {
        let row = allowed.get(name).unwrap_or_else(|| panic!("crates/README.md has no row for `{name}`"));
        if let Some(row) = row {
            assert_eq!(
                dependencies, row,
                "left is what crate '{name}' depends on, right is its row in crates/README.md"
            );
        }
    }
    for name in allowed.keys() {
        assert!(found.contains_key(name), "crates/README.md has a row for `{name}`, which is no crate");
    }
}

/// No crate below ROS sees it, and siblings among the pure ones do not depend on each other.
#[test]
fn arrows_go_from_ros_to_the_pure_crates() {
    let (allowed, pure) = (allowed(), pure());
    let below = |name: &str| allowed[name].clone().unwrap_or_default();
    for name in &pure {
        for other in below(name) {
            let builds_on_it = matches!(
                (name.as_str(), other.as_str()),
                (_, "safety" | "params")
                    | ("joystick" | "arbiter" | "zones" | "hindbrain" | "chair" | "drive_chain", "why")
                    | ("arbiter", "limiter")
                    | ("surround" | "pictures" | "chair", "zones")
                    | ("luci_chair", "zones" | "chair")
                    | ("drive_chain", "joystick" | "arbiter" | "zones" | "hindbrain")
            );
            assert!(
                builds_on_it || !allowed.contains_key(&other),
                "crate '{name}' must not depend on '{other}'"
            );
            assert!(!SYSTEM.contains(&other.as_str()), "crate '{name}' is pure: '{other}' is not");
        }
    }
    for name in allowed.keys().filter(|name| below(name).contains("r2r")) {
        assert!(
            ["ros", "nodes", "libhaptix", "steersman-controller", "steersman-why"].contains(&name.as_str()),
            "'{name}' must not see ROS"
        );
    }
}

/// mujoco-rs is for one version of the library, which is the build part of its own version.
#[test]
fn the_library_of_mujoco_is_the_one_that_its_crate_is_for() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).expect("a lock");
    let (_, rest) = lock.split_once("name = \"mujoco-rs\"\nversion = \"").expect("mujoco-rs");
    let version = rest.split('"').next().and_then(|version| version.split_once("+mj-")).expect("a version").1;
    let wheel = fs::read_to_string(root().join("tools/xtask/mujoco.lock")).expect("a lock");
    assert!(wheel.contains(&format!("\nmujoco=={version} ")), "mujoco-rs is for {version}; {wheel}");
}

#[test]
fn pure_crates_forbid_unsafe_code() {
    for name in pure() {
        let path = root().join("crates").join(name).join("src/lib.rs");
        let text = fs::read_to_string(&path).expect("a library");
        assert!(text.contains("#![forbid(unsafe_code)]"), "{} lacks #![forbid(unsafe_code)]", path.display());
    }
}

/// r2r makes Rust types of the interface packages that are named to it and installed before.
#[test]
fn every_interface_package_that_is_used_is_named_where_the_build_needs_it() {
    let package = fs::read_to_string(root().join("crates/package.xml")).unwrap();
    let filter = fs::read_to_string(root().join(".cargo/config.toml")).unwrap();
    let mut used = BTreeSet::new();
    for file in files(&root().join("crates"), &["rs"]) {
        let text = fs::read_to_string(&file).unwrap();
        for rest in text.split("r2r::").skip(1) {
            if let Some((name, rest)) = rest.split_once("::")
                && ["msg::", "srv::", "action::"].iter().any(|kind| rest.starts_with(kind))
            {
                used.insert(name.to_owned());
            }
        }
    }
    assert!(used.len() > 10, "{used:?}");
    for name in used {
        assert!(package.contains(&format!("<depend>{name}</depend>")), "crates/package.xml lacks {name}");
        assert!(filter.contains(&format!("{name};")) || filter.contains(&format!("{name}\"")), "{name}");
    }
}

#[test]
fn no_file_is_too_long() {
    let sources = files(&root(), &["rs", "py"]);
    assert!(sources.len() > 50, "only {} source files found", sources.len());
    for path in sources {
        let lines = fs::read_to_string(&path).expect("a source file").lines().count();
        assert!(
            lines <= LONGEST_FILE,
            "{} has {lines} lines, at most {LONGEST_FILE} are allowed",
            path.display()
        );
    }
}

#[test]
fn no_file_has_merge_markers() {
    for path in files(&root(), &["rs", "py", "md", "toml", "yaml", "xml", "msg", "srv"]) {
        let text = fs::read_to_string(&path).expect("a file of ours");
        let marked = text.lines().find(|line| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> "));
        assert_eq!(marked, None, "in {}", path.display());
    }
}

/// Words for which the field has another: report, receive, publish, request, and a subject with a name.
const OTHER_WORDS: [&str; 9] =
    ["whoever", "somebody", "wish", "wishes", "told", "hear", "hears", "heard", "said"];

#[test]
fn code_and_documents_use_the_words_of_the_field() {
    for path in files(&root(), &["rs", "py", "md", "yaml", "xml"]) {
        if ["tidy.rs", "CONTRIBUTING.md"].iter().any(|name| path.ends_with(name)) {
            continue; // they have the list
        }
        let text = fs::read_to_string(&path).expect("a file of ours").to_lowercase();
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let found = words.find(|word| OTHER_WORDS.contains(word));
        assert_eq!(found, None, "in {}", path.display());
    }
}

/// Beginnings of sentences that do not name their subject.
const NO_SUBJECT: [&str; 5] = ["What ", "That ", "Those ", "The same ", "So many "];

#[test]
fn doc_comments_begin_with_their_subject() {
    let mut found = Vec::new();
    for path in files(&root(), &["rs"]) {
        let text = fs::read_to_string(&path).expect("a file of ours");
        let mut before = "";
        for (line, text) in text.lines().map(str::trim_start).enumerate() {
            for mark in ["/// ", "//! "] {
                let first = text.strip_prefix(mark).filter(|_| !before.starts_with(mark.trim_end()));
                if first.is_some_and(|first| NO_SUBJECT.iter().any(|begin| first.starts_with(begin))) {
                    found.push(format!("{}:{}: {text}", path.display(), line + 1));
                }
            }
            before = text;
        }
    }
    assert!(found.is_empty(), "no subject:\n{}", found.join("\n"));
}

/// A wall 0.9 m ahead of the vehicle and a post beside its left front corner, as a scanner of 720 beams sees them, and
/// a stick ahead and a little to the left: 70 percent, -25 percent.
#[test]
fn the_picture_of_the_zones_is_generated() {
    let (wall, post) = (1.5, [0.9, 0.65]);
    let range = |beam: i32| {
        let (sin, cos) = (f64::from(beam) * core::f64::consts::PI / 360.0).sin_cos();
        let ahead = if cos > 0.3 { wall / cos } else { f64::INFINITY };
        let along = post[0] * cos + post[1] * sin;
        let aside = (post[1] * cos - post[0] * sin).abs();
        if along > 0.0 && aside < 0.05 { ahead.min(along) as f32 } else { ahead as f32 }
    };
    let scan = surround::Scan {
        frame: "".into(),
        angle_min: -core::f64::consts::PI,
        angle_increment: core::f64::consts::PI / 360.0,
        range_min: 0.05,
        ranges: (-360..360).map(range).collect(),
    };
    let sensors = [("sensors.scanner.topic".to_owned(), params::Value::Text("scan".into()))];
    let set = surround::specification().resolve(sensors).expect("a scanner");
    let mut surround = surround::Surround::new(surround::Params::read(&set).expect("a vehicle"));
    surround.scan_received(Instant::ZERO, 0, Stamp::ZERO, &scan);
    let mut scaler = zones::ZoneScaler::new(zones::Params::default());
    scaler.handle(Instant::ZERO, zones::Input::ScalingReceived(surround.scaling().fields()));
    let joystick = zones::Joystick { forward_back: 70, left_right: -25, joystick_zone: 1, input_source: 4 };
    scaler.handle(Instant::ZERO, zones::Input::JoystickReceived(joystick));
    let snapshot = pictures::Snapshot::of(&scaler);
    bless("crates/pictures/zones.svg", &svg::svg(&snapshot));
}

/// A controller of each type of `mechanism`, named after it: `joint_state` for `steersman/JointStateController`.
fn controllers() -> String {
    let owner = |known: &mechanism::BuiltinType| {
        let mut name = String::new();
        for c in known.name.trim_start_matches("steersman/").trim_end_matches("Controller").chars() {
            if c.is_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.extend(c.to_lowercase());
        }
        let specification = (known.specification)();
        let kind = ("type".to_owned(), params::Value::Text(known.name.into()));
        let set = specification.resolve([kind]).expect("a type");
        (name, specification, set)
    };
    let text = "A controller of each type that mechanism has, with every parameter of the type at its default. Copy an entry to \
                your own file, name it as you like, and set its joints and gains.";
    owners_yaml("mechanism", text, &mechanism::BUILTIN_TYPES.iter().map(owner).collect::<Vec<_>>())
}

#[test]
fn configuration_files_list_every_parameter() {
    for specification in specifications() {
        let file = format!("config/{}.yaml", executable(&specification));
        bless(&file, &yaml(&specification));
    }
    bless("config/controllers.yaml", &controllers());
    bless("config/luci_profiles.yaml", &zones::example());
    let hand = haptix::Model::builtin("mpl").expect("it is built in");
    bless("config/urdf/mpl.urdf", &hand.urdf().expect("each of its motors has a joint"));
}

#[test]
fn every_default_is_allowed_and_every_parameter_described() {
    for specification in specifications() {
        for (name, declaration, value) in specification.defaults().iter() {
            assert_eq!(declaration.check(name, value.clone()).as_ref(), Ok(value), "default of '{name}'");
            assert!(!declaration.text.is_empty(), "'{name}' of '{}' has no description", specification.node);
        }
    }
}

#[test]
fn every_node_has_its_launch_file_and_its_executable() {
    for specification in specifications() {
        let name = executable(&specification);
        for path in [
            format!("launch/{name}.launch.xml"),
            format!("config/{name}.yaml"),
            format!("crates/nodes/src/bin/{name}.rs"),
            format!("docs/nodes/{name}.md"),
        ] {
            assert!(root().join(&path).is_file(), "{path} is missing");
        }
    }
}
