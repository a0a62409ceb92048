//! Executable `steersman-controller`: the controllers of the node mechanism from a shell and from launch files.
#![forbid(unsafe_code)]

mod arguments;
mod manager;

use std::process::ExitCode;
use std::time::Duration;

use arguments::{Arguments, Command, Spawner};
use clap::{CommandFactory, Parser};
use manager::{Failure, Listed, Manager};
use ros::{Stop, print_line};
use serde_json::json;

/// How long the tool may take to end after a signal: the spawner takes its controllers down.
const LONGEST_END: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    // What is for ROS comes last.
    let own = std::env::args().take_while(|argument| argument != "--ros-args");
    let arguments = Arguments::parse_from(own);
    if let Command::Completion { shell } = arguments.command {
        let name = "steersman-controller";
        clap_complete::generate(shell, &mut Arguments::command(), name, &mut std::io::stdout());
        return ExitCode::SUCCESS;
    }
    let failures = match start(&arguments) {
        Ok(mut manager) => run(&mut manager, &arguments),
        Err(error) => vec![Failure::Silent(error.to_string())],
    };
    for failure in &failures {
        print_line(format_args!("steersman-controller: {failure}"));
    }
    // The first one decides.
    match failures.first() {
        None => ExitCode::SUCCESS,
        Some(Failure::Refused(_)) => ExitCode::from(1),
        Some(Failure::Silent(_)) => ExitCode::from(3),
        Some(Failure::Ended) => ExitCode::from(130),
    }
}

fn start(arguments: &Arguments) -> Result<Manager, ros::Error> {
    let stop = Stop::on_signals(LONGEST_END)
        .map_err(|error| ros::Error::Start(format!("signals cannot be caught: {error}")))?;
    Manager::new(&ros::context()?, &arguments.namespace, arguments.timeout, stop)
}

/// Runs the command; returns what failed.
fn run(manager: &mut Manager, arguments: &Arguments) -> Vec<Failure> {
    let strict = |manager: &mut Manager, start: &[String], stop: &[String]| manager.switch(start, stop, true);
    let one = |name: &String| [name.clone()];
    match &arguments.command {
        Command::List => shown(manager.list().map(|list| print_list(&list, arguments.json))),
        Command::ListTypes => {
            shown(manager.types().map(|types| print_names("types", &types, arguments.json)))
        }
        Command::ListJoints => shown(manager.joints().map(|joints| print_joints(&joints, arguments.json))),
        Command::Load(names) => each(&names.names, |name| manager.load(name)),
        Command::Unload(names) => each(&names.names, |name| manager.unload(name)),
        Command::Start(names) => each(&names.names, |name| strict(manager, &one(name), &[])),
        Command::Stop(names) => each(&names.names, |name| strict(manager, &[], &one(name))),
        Command::Switch(switch) => shown(manager.switch(&switch.start, &switch.stop, !switch.best_effort)),
        // All are loaded before one starts, and all are stopped before one is unloaded.
        Command::Spawn(names) => both(
            &names.names,
            manager,
            |manager, name| manager.load(name),
            |manager, name| strict(manager, &one(name), &[]),
        ),
        Command::Kill(names) => both(
            &names.names,
            manager,
            |manager, name| strict(manager, &[], &one(name)),
            |manager, name| manager.unload(name),
        ),
        Command::ReloadLibraries { restore } => reload(manager, *restore),
        Command::Spawner(spawner) => spawn(manager, spawner),
        Command::Completion { .. } => Vec::new(),
    }
}

fn shown(result: Result<(), Failure>) -> Vec<Failure> {
    result.err().into_iter().collect()
}

/// Calls `call` for each name. A refusal does not keep the others back; silence does.
fn each(names: &[String], mut call: impl FnMut(&String) -> Result<(), Failure>) -> Vec<Failure> {
    let mut failures = Vec::new();
    for name in names {
        if let Err(failure) = call(name) {
            let is_over = !matches!(failure, Failure::Refused(_));
            failures.push(failure);
            if is_over {
                break;
            }
        }
    }
    failures
}

/// Calls `first` for each name, and then `second` for each for which that succeeded.
fn both(
    names: &[String],
    manager: &mut Manager,
    first: impl Fn(&mut Manager, &String) -> Result<(), Failure>,
    second: impl Fn(&mut Manager, &String) -> Result<(), Failure>,
) -> Vec<Failure> {
    let mut done: Vec<String> = Vec::new();
    let mut failures = each(names, |name| first(manager, name).map(|()| done.push(name.clone())));
    if failures.iter().all(|failure| matches!(failure, Failure::Refused(_))) {
        failures.extend(each(&done, |name| second(manager, name)));
    }
    failures
}

/// Loads the libraries again. With `restore` all controllers are loaded in the order of the list before, and those that ran
/// start; one that cannot be loaded any more keeps no other back.
fn reload(manager: &mut Manager, restore: bool) -> Vec<Failure> {
    let before = match manager.list().and_then(|before| manager.reload().map(|()| before)) {
        Ok(before) if restore => before,
        other => return shown(other.map(|_| ())),
    };
    let names: Vec<String> = before.iter().map(|(name, _)| name.clone()).collect();
    let mut failures = each(&names, |name| manager.load(name));
    let running = |(name, state): &Listed| (state == "running").then(|| name.clone());
    let start: Vec<String> = before.iter().filter_map(running).collect();
    failures.extend(shown(manager.switch(&start, &[], false)));
    failures
}

fn spawn(manager: &mut Manager, spawner: &Spawner) -> Vec<Failure> {
    if let Some(topic) = &spawner.wait_for
        && let Err(failure) = manager.wait_for(topic)
    {
        return vec![failure];
    }
    let mut loaded: Vec<String> = Vec::new();
    let mut failures = each(&spawner.names, |name| {
        manager.load(name)?;
        loaded.push(name.clone());
        Ok(())
    });
    if !spawner.stopped
        && !loaded.is_empty()
        && let Err(failure) = manager.switch(&loaded, &[], true)
    {
        failures.push(failure);
    }
    for failure in &failures {
        print_line(format_args!("steersman-controller: {failure}"));
    }
    if !loaded.is_empty() {
        print_line(format_args!("steersman-controller: {} loaded, until this ends", loaded.join(", ")));
        manager.wait_for_end();
    }
    manager.go_on();
    if !loaded.is_empty()
        && let Err(failure) = manager.switch(&[], &loaded, true)
    {
        failures.push(failure);
    }
    loaded.reverse();
    failures.extend(each(&loaded, |name| manager.unload(name)));
    failures.retain(|failure| !matches!(failure, Failure::Ended));
    failures
}

fn print_list(list: &[Listed], is_json: bool) {
    if is_json {
        let one = |(name, state): &Listed| json!({ "name": name, "state": state });
        println!("{}", json!(list.iter().map(one).collect::<Vec<_>>()));
    } else if list.is_empty() {
        println!("no controllers are loaded");
    } else {
        let width = list.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        list.iter().for_each(|(name, state)| println!("{name:width$}  {state}"));
    }
}

fn print_names(title: &str, names: &[String], is_json: bool) {
    if is_json {
        println!("{}", json!({ title: names }));
    } else {
        names.iter().for_each(|name| println!("{name}"));
    }
}

fn print_joints((actuators, joints): &(Vec<String>, Vec<String>), is_json: bool) {
    if is_json {
        println!("{}", json!({ "actuators": actuators, "joints": joints }));
        return;
    }
    for (title, names) in [("actuators", actuators), ("joints", joints)] {
        println!("{title}:");
        names.iter().enumerate().for_each(|(index, name)| println!("  {index:3} {name}"));
    }
}
