//! Executable `steersman-controller`: the controllers of the node mechanism from a shell and from launch files.
#![forbid(unsafe_code)]

/// Prints a line; a reader that has gone, as in `list | head -1`, is no error.
macro_rules! print_out {
    ($($arguments:tt)*) => {
        drop(writeln!(std::io::stdout(), $($arguments)*))
    };
}

mod arguments;
mod details;
mod inhibition;
mod manager;
mod reasons;

use std::fmt::Display;
use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use arguments::{Arguments, Command, Spawner};
use clap::{CommandFactory, Parser};
use inhibition::Inhibition;
use manager::{Failure, Identity, Listed, Manager};
use ros::{Stop, print_line};
use serde_json::json;

/// How long the tool may take to end after a signal: the spawner takes its controllers down.
const LONGEST_END: Duration = Duration::from_secs(20);

/// How often the unspawner looks for its controllers.
const INHIBIT_PERIOD: Duration = Duration::from_secs(3);

fn main() -> ExitCode {
    // What is for ROS comes last.
    let own = std::env::args().take_while(|argument| argument != "--ros-args");
    let arguments = Arguments::parse_from(own);
    if let Command::Completion { shell } = arguments.command {
        let name = "steersman-controller";
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut Arguments::command(), name, &mut text);
        let _ = std::io::stdout().write_all(&text);
        return ExitCode::SUCCESS;
    }
    let started = start(&arguments).map_err(|error| Failure::Silent(error.to_string()));
    let done = started.and_then(|mut manager| run(&mut manager, &arguments));
    let failures = done.unwrap_or_else(|failure| vec![failure]);
    failures.iter().filter(|failure| !matches!(failure, Failure::Reported(_))).for_each(report);
    // The first one decides.
    failures.first().map_or(ExitCode::SUCCESS, |failure| ExitCode::from(exit_code(failure)))
}

fn exit_code(failure: &Failure) -> u8 {
    match failure {
        Failure::Refused(..) | Failure::Deserted => 1,
        Failure::Silent(_) | Failure::Gone(_) => 3,
        Failure::Ended => 130,
        Failure::Reported(code) => *code,
    }
}

fn start(arguments: &Arguments) -> Result<Manager, ros::Error> {
    let stop = Stop::on_signals(LONGEST_END)
        .map_err(|error| ros::Error::Start(format!("signals cannot be caught: {error}")))?;
    Manager::new(&ros::context()?, &arguments.namespace, arguments.timeout, stop, arguments.json)
}

/// Prints a line for the user, beside the results.
fn report(line: impl Display) {
    print_line(format_args!("steersman-controller: {line}"));
}

/// Runs the command; returns what failed.
fn run(manager: &mut Manager, arguments: &Arguments) -> Result<Vec<Failure>, Failure> {
    let strict = |manager: &mut Manager, start: &[String], stop: &[String]| manager.switch(start, stop, true);
    let one = |name: &String| [name.clone()];
    Ok(match &arguments.command {
        Command::List { verbose: false } => {
            shown(manager.list().map(|list| print_list(&list, arguments.json)))
        }
        Command::List { verbose: true } => {
            shown(manager.details().map(|details| details.print(arguments.json)))
        }
        Command::ListTypes => {
            shown(manager.types().map(|types| print_names("types", &types, arguments.json)))
        }
        Command::ListJoints => shown(manager.joints().map(|joints| print_joints(&joints, arguments.json))),
        Command::Load(names) => each(&names.names, |name| manager.load(name)),
        Command::Unload(names) => each(&names.names, |name| manager.unload(name)),
        Command::Start(names) => each(&names.names, |name| strict(manager, &one(name), &[])),
        Command::Stop(names) => {
            let list = manager.list()?;
            each(&names.names, |name| {
                if is_stopped(&list, name) {
                    report(format_args!("'{name}' is stopped already"));
                }
                strict(manager, &[], &one(name))
            })
        }
        Command::Switch(switch) => shown(manager.switch(&switch.start, &switch.stop, !switch.best_effort)),
        Command::Spawn(names) => {
            let Loaded { all, mut failures, .. } = load(manager, &names.names);
            failures.extend(each(&all, |name| strict(manager, &one(name), &[])));
            failures
        }
        Command::Kill(names) => {
            // All motion ends before the first controller is unloaded, which may take its time.
            let mut failures = each(&names.names, |name| strict(manager, &[], &one(name)));
            if failures.iter().all(|failure| matches!(failure, Failure::Refused(..))) {
                failures.extend(each(&names.names, |name| manager.unload(name)));
            }
            failures
        }
        Command::ReloadLibraries { restore } => reload(manager, *restore)?,
        Command::Spawner(spawner) => spawn(manager, spawner)?,
        Command::Unspawner(names) => inhibit(manager, &names.names),
        Command::Completion { .. } => Vec::new(),
    })
}

fn shown(result: Result<(), Failure>) -> Vec<Failure> {
    result.err().into_iter().collect()
}

/// Calls `call` for each name. A refusal does not keep the others back; silence does.
fn each(names: &[String], mut call: impl FnMut(&String) -> Result<(), Failure>) -> Vec<Failure> {
    let mut failures = Vec::new();
    for name in names {
        if let Err(failure) = call(name) {
            let is_over = !matches!(failure, Failure::Refused(..));
            failures.push(failure);
            if is_over {
                break;
            }
        }
    }
    failures
}

fn is_stopped(list: &[Listed], name: &str) -> bool {
    list.iter().any(|(other, state)| other == name && state == "stopped")
}

/// Outcome of a request to load several controllers.
#[derive(Default)]
struct Loaded {
    /// Controllers that are loaded and stopped, in the order of the request.
    all: Vec<String>,
    /// Controllers that this process loaded, and the one whose load was not answered in time: it may still take effect.
    own: Vec<String>,
    failures: Vec<Failure>,
}

/// Loads those of `names` that are not loaded and stopped already. The manager refuses one that runs: it may be another's.
fn load(manager: &mut Manager, names: &[String]) -> Loaded {
    let list = match manager.list() {
        Ok(list) => list,
        Err(failure) => return Loaded { failures: vec![failure], ..Loaded::default() },
    };
    let (mut all, mut own) = (Vec::new(), Vec::new());
    let failures = each(names, |name| {
        if is_stopped(&list, name) {
            report(format_args!("'{name}' was loaded already, and stays loaded"));
        } else {
            let outcome = manager.load(name);
            if matches!(outcome, Ok(()) | Err(Failure::Silent(_))) {
                own.push(name.clone());
            }
            outcome?;
        }
        all.push(name.clone());
        Ok(())
    });
    Loaded { all, own, failures }
}

fn reload(manager: &mut Manager, restore: bool) -> Result<Vec<Failure>, Failure> {
    let before = manager.list()?;
    let mut failures = shown(manager.reload());
    if restore {
        failures.extend(restore_to(manager, &before).unwrap_or_else(|failure| vec![failure]));
    }
    Ok(failures)
}

/// Loads what is missing of `before`, and starts what ran then and does not now.
fn restore_to(manager: &mut Manager, before: &[Listed]) -> Result<Vec<Failure>, Failure> {
    let loaded = manager.list()?;
    let missing = before.iter().filter(|(name, _)| loaded.iter().all(|(other, _)| other != name));
    let missing: Vec<String> = missing.map(|(name, _)| name.clone()).collect();
    let mut failures = each(&missing, |name| manager.load(name));
    let now = manager.list()?;
    let runs = |name: &String| now.contains(&(name.clone(), "running".to_owned()));
    let ran = before.iter().filter(|(_, state)| state == "running").map(|(name, _)| name.clone());
    let stopped: Vec<String> = ran.filter(|name| !runs(name)).collect();
    if !stopped.is_empty() {
        failures.extend(start_all(manager, &stopped)?);
    }
    Ok(failures)
}

fn spawn(manager: &mut Manager, spawner: &Spawner) -> Result<Vec<Failure>, Failure> {
    manager.wait_for_manager()?;
    if let Some(topic) = &spawner.wait_for {
        manager.wait_for(topic)?;
    }
    let Loaded { all, own, mut failures } = load(manager, &spawner.names());
    if !spawner.stopped && !all.is_empty() {
        failures.extend(start_all(manager, &all).unwrap_or_else(|failure| vec![failure]));
    }
    if !own.is_empty() {
        // Now, since it may be long until this ends.
        for failure in &mut failures {
            report(&*failure);
            *failure = Failure::Reported(exit_code(failure));
        }
        let known: Vec<&str> = own.iter().filter(|name| all.contains(name)).map(String::as_str).collect();
        report(format_args!("{} loaded, until this ends", known.join(", ")));
        if let Err(failure) = manager.wait_for_end() {
            failures.push(failure);
            return Ok(failures);
        }
        manager.go_on();
        failures.extend(take_down(manager, &own));
    }
    failures.retain(|failure| !matches!(failure, Failure::Ended));
    Ok(failures)
}

/// Starts those of `names` that can start, in the same step, and returns the others: one that is not calibrated yet keeps no other
/// one back.
fn start_all(manager: &mut Manager, names: &[String]) -> Result<Vec<Failure>, Failure> {
    manager.switch(names, &[], false)?;
    let list = manager.list()?;
    let runs = |name: &String| list.iter().any(|(other, state)| other == name && state == "running");
    let failed: Vec<&String> = names.iter().filter(|name| !runs(name)).collect();
    if failed.is_empty() {
        return Ok(Vec::new());
    }
    let reason = manager.reason();
    let refused = |name: &String| Failure::Refused(format!("start '{name}'"), reason.about(name));
    Ok(failed.into_iter().map(refused).collect())
}

/// Stops what the spawner loaded, and unloads it in reverse order.
fn take_down(manager: &mut Manager, own: &[String]) -> Vec<Failure> {
    // Best effort: another client may have unloaded one of them, and the others must stop all the same.
    let mut failures = shown(manager.switch(&[], own, false));
    let reversed: Vec<String> = own.iter().rev().cloned().collect();
    if !matches!(failures.last(), Some(Failure::Gone(_))) {
        failures.extend(each(&reversed, |name| manager.unload(name)));
    }
    // As when a launch file ends both: that is what was to happen.
    if let Some(Failure::Gone(_)) = failures.last() {
        report(format_args!("the manager has ended, and its controllers with it"));
        failures.pop();
    }
    failures
}

/// Stops `names` whenever they run, until the user ends the tool; then starts those that it stopped, if that was by Ctrl-C: a lost
/// connection starts nothing. It starts nothing either that never ran together with what runs now.
fn inhibit(manager: &mut Manager, names: &[String]) -> Vec<Failure> {
    let mut inhibition = Inhibition::new(names);
    let mut failures = Vec::new();
    while !manager.is_ended() {
        let listed = manager.wait_for_manager().and_then(|()| list_of_one(manager, &mut inhibition));
        let result = listed.and_then(|list| {
            let running = inhibition.to_stop(&list);
            if !running.is_empty() {
                manager.switch(&[], &running, false)?;
                inhibition.stopped(running);
            }
            Ok(())
        });
        if let Err(failure) = result
            && !matches!(failure, Failure::Ended)
        {
            report(failure);
        }
        manager.pause(INHIBIT_PERIOD);
    }
    if !manager.is_interrupted() {
        inhibition.end("this was not ended by Ctrl-C").iter().for_each(report);
    }
    if inhibition.has_stopped() {
        manager.go_on();
        let started = list_of_one(manager, &mut inhibition).and_then(|list| {
            let startable = inhibition.to_start(&list);
            if startable.is_empty() { Ok(()) } else { manager.switch(&startable, &[], true) }
        });
        failures.extend(shown(started));
    }
    failures
}

/// The list of the manager's controllers, which `inhibition` was given with the identity of the manager.
fn list_of_one(manager: &mut Manager, inhibition: &mut Inhibition<Identity>) -> Result<Vec<Listed>, Failure> {
    let before = manager.identity();
    let list = manager.list()?;
    let identity = before.filter(|before| manager.identity() == Some(*before));
    inhibition.listed(identity, &list).iter().for_each(report);
    Ok(list)
}

fn print_list(list: &[Listed], is_json: bool) {
    if is_json {
        let one = |(name, state): &Listed| json!({ "name": name, "state": state });
        print_out!("{}", json!(list.iter().map(one).collect::<Vec<_>>()));
    } else if list.is_empty() {
        print_out!("no controllers are loaded");
    } else {
        let width = list.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        list.iter().for_each(|(name, state)| print_out!("{name:width$}  {state}"));
    }
}

fn print_names(title: &str, names: &[String], is_json: bool) {
    if is_json {
        print_out!("{}", json!({ title: names }));
    } else {
        names.iter().for_each(|name| print_out!("{name}"));
    }
}

fn print_joints((actuators, joints): &(Vec<String>, Vec<String>), is_json: bool) {
    if is_json {
        print_out!("{}", json!({ "actuators": actuators, "joints": joints }));
        return;
    }
    for (title, names) in [("actuators", actuators), ("joints", joints)] {
        print_out!("{title}:");
        names.iter().enumerate().for_each(|(index, name)| print_out!("  {index:3} {name}"));
    }
}
