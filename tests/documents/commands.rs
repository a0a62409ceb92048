//! Every command in a block `sh` of the documents exists, as far as can be checked without running it.

use std::collections::BTreeSet;
use std::fs;

use params::Value;
use tests::{root, specifications};

use crate::interfaces::{SERVICES, TOPICS, configured, types};
use crate::markdown::{Page, pages};

/// The words of a line, without comments; quotes hold a word together.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c == '#' && word.is_none() => break,
            None if c.is_whitespace() || c == ';' => {
                words.extend(word.take());
                words.extend((c == ';').then(|| ";".to_owned()));
            }
            None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The state while the commands of one page are read.
struct Shell<'a> {
    page: &'a Page,
    functions: BTreeSet<String>,
}

impl Shell<'_> {
    /// # Errors
    /// The error of the first invalid command.
    fn line(&mut self, line: &str) -> Result<(), String> {
        let words = words(line);
        let is_end = |word: &String| [";", "&&", "|", "{", "}", ">"].contains(&word.as_str());
        let mut is_file = false;
        for command in words.split_inclusive(is_end) {
            let text: Vec<&str> = command.iter().filter(|word| !is_end(word)).map(String::as_str).collect();
            let is_to_file = std::mem::replace(&mut is_file, command.last().is_some_and(|word| word == ">"));
            if !text.is_empty() && !is_to_file {
                self.command(&text)?;
            }
        }
        Ok(())
    }

    fn command(&mut self, words: &[&str]) -> Result<(), String> {
        match words {
            ["cargo", "xtask", rest @ ..] => xtask(rest),
            ["cargo", "run", "-p", "steersman-joystick", "--", rest @ ..] => mapper(rest),
            ["cargo", "test" | "install" | "mutants" | "build", ..] => Ok(()),
            ["python3", script, ..] => exists("file", script),
            ["cc", file, ..] if file.contains('/') => exists("file", file),
            ["cc", ..] | ["./my_program"] => Ok(()),
            ["cp", "-r", path, _] => exists("folder", path),
            ["ros2", "run", "steersman", "steersman-why", rest @ ..] => why(rest),
            ["ros2", "run", "steersman", node, ..] => {
                exists("node", &format!("crates/nodes/src/bin/{node}.rs"))
            }
            ["ros2", "security", "generate_artifacts" | "create_enclave", ..] => Ok(()),
            ["ros2", "launch", "steersman", file, rest @ ..] => launch(file, rest),
            ["ros2", "topic", "pub", rest @ ..] => self.publish(rest),
            ["ros2", "topic", "echo" | "hz", name]
            | ["ros2", "topic", "echo", "--once", name]
            | ["ros2", "topic", "info", "-v", name] => self.topic(name),
            ["ros2", "service", "call", name, kind, ..] => match types(&SERVICES, name) {
                Some(kinds) if kinds.iter().any(|known| known == kind) => Ok(()),
                Some(kinds) => Err(format!("{name} is of type {}", kinds.join(", "))),
                None => Err(format!("no page lists the service {name}")),
            },
            ["ros2", "param", "set" | "delete" | "get", node, name, ..] => parameter(node, name),
            // Packages of ROS itself.
            ["ros2", "run", "teleop_twist_keyboard", "teleop_twist_keyboard", ..]
            | ["ros2", "run", "diagnostic_aggregator", "aggregator_node", ..] => Ok(()),
            ["ros2", "param", "load", node, _] => specification(node).map(drop),
            ["rosdep", "install", ..]
            | ["colcon", "build" | "test" | "test-result", ..]
            | ["cargo", "vendor", ..]
            | ["mkdir" | "touch", ..]
            | ["source", _]
            | ["export" | "eval" | "echo", ..] => Ok(()),
            [name] if name.ends_with("()") => {
                self.functions.insert(name.trim_end_matches("()").into());
                Ok(())
            }
            [name, topic, ..] if self.functions.contains(*name) => self.topic(topic),
            _ => Err("this kind of command is unknown".into()),
        }
    }

    fn topic(&self, name: &str) -> Result<(), String> {
        let is_known =
            types(&TOPICS, name).is_some() || configured(self.page).iter().any(|known| known == name);
        if is_known || name.starts_with('$') {
            Ok(())
        } else {
            Err(format!("no page lists the topic {name}"))
        }
    }

    /// `[-r RATE] [-t TIMES] NAME TYPE [VALUES]`
    fn publish(&self, mut words: &[&str]) -> Result<(), String> {
        while let ["-r" | "-t", _, rest @ ..] = words {
            words = rest;
        }
        let [name, kind, ..] = words else { return Err("a topic and a type must be given".into()) };
        self.topic(name)?;
        match types(&TOPICS, name) {
            Some(kinds) if !kinds.iter().any(|known| known == kind) => {
                Err(format!("{name} is of type {}", kinds.join(", ")))
            }
            _ => Ok(()),
        }
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_default()
}

fn exists(what: &str, path: &str) -> Result<(), String> {
    if root().join(path).exists() { Ok(()) } else { Err(format!("there is no {what}: {path}")) }
}

fn xtask(words: &[&str]) -> Result<(), String> {
    let Some((command, rest)) = words.split_first() else { return Err("a command must be given".into()) };
    let variant = format!("Arguments::{}{}", command[..1].to_uppercase(), &command[1..]);
    let main = read("tools/xtask/src/main.rs");
    if ![" ", "("].iter().any(|end| main.contains(&format!("{variant}{end}"))) {
        return Err(format!("cargo xtask has no command {command}"));
    }
    match (*command, rest) {
        ("run", ["steersman-joystick", "--", rest @ ..]) => mapper(rest),
        ("run", ["steersman-controller", "--", rest @ ..]) => controller(rest),
        ("run", [node, ..]) => exists("node", &format!("crates/nodes/src/bin/{node}.rs")),
        ("demo" | "bench", rest) => {
            let known = read(&format!("tools/{command}/src/arguments.rs"));
            let field = |word: &str| format!("pub {}:", word.trim_start_matches("--").replace('-', "_"));
            let is_option = |word: &&&str| word.starts_with("--") && !known.contains(&field(word));
            rest.iter().find(is_option).map_or(Ok(()), |word| Err(format!("{command} has no option {word}")))
        }
        _ => Ok(()),
    }
}

fn mapper(words: &[&str]) -> Result<(), String> {
    let known = read("crates/steersman-joystick/src/arguments.rs").to_lowercase();
    let [command, rest @ ..] = words else { return Err("a command must be given".into()) };
    if !(known.contains(&format!("    {command} {{")) || known.contains(&format!("    {command}("))) {
        return Err(format!("steersman-joystick knows no {command}"));
    }
    let mut options = rest.iter().filter(|word| word.starts_with("--"));
    options
        .find(|word| !known.contains(&format!("{}: ", word.trim_start_matches('-'))))
        .map_or(Ok(()), |word| Err(format!("steersman-joystick has no option {word}")))
}

fn why(words: &[&str]) -> Result<(), String> {
    let known = read("crates/steersman-why/src/main.rs");
    let unknown =
        words.iter().find(|word| !known.contains(&format!("    {}: ", word.trim_start_matches('-'))));
    unknown.map_or(Ok(()), |word| Err(format!("steersman-why has no option {word}")))
}

fn controller(words: &[&str]) -> Result<(), String> {
    let known = read("crates/steersman-controller/src/arguments.rs");
    let [command, rest @ ..] = words else { return Err("a command must be given".into()) };
    let variant =
        |word: &str| word.split('-').map(|part| part[..1].to_uppercase() + &part[1..]).collect::<String>();
    if ![",", "(", " {"].iter().any(|end| known.contains(&format!("\n    {}{end}", variant(command)))) {
        return Err(format!("steersman-controller knows no {command}"));
    }
    let field = |word: &str| format!("{}: ", word.trim_start_matches("--").replace('-', "_"));
    let unknown = rest.iter().find(|word| word.starts_with("--") && !known.contains(&field(word)));
    unknown.map_or(Ok(()), |word| Err(format!("steersman-controller has no option {word}")))
}

fn launch(file: &str, words: &[&str]) -> Result<(), String> {
    exists("launch file", &format!("launch/{file}"))?;
    let text = read(&format!("launch/{file}"));
    for word in words {
        let Some((name, _)) = word.split_once(":=") else { return Err(format!("{word} is no argument")) };
        let declared = format!("<arg name=\"{name}\"");
        if !text.lines().any(|line| line.contains(&declared) && !line.contains("\"renamed: ")) {
            return Err(format!("{file} declares no argument {name}"));
        }
    }
    Ok(())
}

fn specification(node: &str) -> Result<params::Specification, String> {
    let found = specifications().into_iter().find(|known| format!("/{}", known.node) == node);
    found.ok_or_else(|| format!("there is no node {node}"))
}

fn parameter(node: &str, name: &str) -> Result<(), String> {
    let specification = specification(node)?;
    match specification.resolve([(name.to_owned(), Value::Text("/x".into()))]) {
        Err(refusals) if refusals.iter().any(|refusal| refusal.to_string().contains("does not exist")) => {
            Err(format!("{node} has no parameter {name}"))
        }
        _ => Ok(()),
    }
}

#[test]
fn every_command_is_one_that_exists() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for page in pages() {
        let mut shell = Shell { page: &page, functions: BTreeSet::new() };
        for fence in page.fences().into_iter().filter(|fence| fence.language == "sh") {
            for (number, line) in fence.text.lines().enumerate() {
                count += 1;
                if let Err(why) = shell.line(line) {
                    wrong.push(format!("{}, line {}: {line}: {why}", page.path, fence.line + number));
                }
            }
        }
    }
    assert!(count > 50, "only {count} commands were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_command_that_does_not_exist_is_found() {
    let page = Page { path: String::new(), text: "```yaml\n{topic: pause}\n```\n".into() };
    let mut shell = Shell { page: &page, functions: BTreeSet::new() };
    for wrong in [
        "cargo xtask dance",
        "cargo xtask run hindbrian -- --ros-args",
        "cargo xtask run steersman-controller -- spwan pan",
        "cargo xtask run steersman-controller -- spawn pan --stopd",
        "cargo xtask demo --headles",
        "ros2 launch steersman robot.launch.xml",
        "ros2 launch steersman steersman.launch.xml configuration:=x.yaml",
        "ros2 launch steersman steersman.launch.xml config:=x.yaml",
        "ros2 topic echo /hind/stat",
        "ros2 topic pub -r 10 /hind/enable std_msgs/msg/Int16 'data: 1'",
        "ros2 service call /chair/activate std_srvs/srv/Empty",
        "ros2 param set /velocity_arbiter source.nav.topic /x",
        "publish /hind/enable true",
        "rm -r /",
    ] {
        assert!(shell.line(wrong).is_err(), "{wrong}");
    }
    for right in [
        "publish() { ros2 topic pub -r 10 -t 50 \"$1\" std_msgs/msg/Bool \"data: $2\"; }",
        "publish /hind/enable false && publish /hind/enable true # why",
        "ros2 topic pub -r 10 /pause std_msgs/msg/Bool 'data: false'",
        "echo '{a: 1; b}' > file.yaml",
    ] {
        assert_eq!(shell.line(right), Ok(()), "{right}");
    }
}
