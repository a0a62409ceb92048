use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::Duration;

use mechanism::{Description, Robot};
use params::Value;
use params::file::read_value;
use ros::clock;
use serde_json::{Value as Json, json};

/// The only argument of a process that tries a controller.
const ARGUMENT: &str = "--try-controller";
/// A trial may take this much longer than a call, so that a call that takes too long is refused as such.
const GRACE: Duration = Duration::from_millis(100);
/// The period at which the end of the process is noticed.
const LOOK: Duration = Duration::from_millis(2);

/// The first creation of a controller of a library, in a process of its own: if the library crashes, exits or hangs there, it does
/// not do so here.
pub(super) struct Trial<'a> {
    pub(super) urdf: &'a str,
    /// The library's file, as it is now.
    pub(super) path: &'a Path,
    pub(super) type_name: &'a str,
    pub(super) parameters: &'a [(String, Value)],
}

impl Trial<'_> {
    /// Runs the trial. If the library refuses the controller, that is no error here: the load that follows reports it.
    /// # Errors
    /// The process does not start, does not end soon after `limit`, or ended by a signal or an exit.
    pub(super) fn run(&self, limit: Duration) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("it cannot be tried in a process of its own: {error}");
        let program = std::env::current_exe().map_err(failed)?;
        let mut command = Command::new(program);
        command
            .arg0(super::NAME)
            .arg(ARGUMENT)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn().map_err(failed)?;
        if let Some(mut input) = child.stdin.take() {
            let _ = input.write_all(self.order().as_bytes()); // one that has ended says why by its status
        }
        match end(&mut child, limit + GRACE).map_err(failed)? {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(format!("it ends its process ({status})")),
            None => Err(format!("it does not finish within {limit:?}")),
        }
    }

    fn order(&self) -> String {
        let Self { urdf, path, type_name, parameters } = self;
        let parameters: Vec<_> = parameters.iter().map(|(name, value)| (name, value.to_string())).collect();
        json!({ "urdf": urdf, "path": path, "type": type_name, "parameters": parameters }).to_string()
    }
}

/// Waits for the end of `child`; after `limit` it is killed.
#[allow(clippy::disallowed_methods)] // the factory's own thread waits, nobody else
fn end(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let until = clock::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if clock::now() >= until {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(LOOK);
    }
}

/// Creates the controller that is described on the input, if this process was started for that; ends it before anything is dropped.
pub(super) fn asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_none_or(|argument| argument != ARGUMENT) || arguments.next().is_some() {
        return None;
    }
    let mut order = String::new();
    if std::io::stdin().read_to_string(&mut order).is_err() || create(&order).is_none() {
        return Some(ExitCode::FAILURE);
    }
    ros::exit_at_once(0)
}

fn create(order: &str) -> Option<()> {
    let order: Json = serde_json::from_str(order).ok()?;
    let robot = Robot::new(&Description::parse(order["urdf"].as_str()?).ok()?);
    let parameters = order["parameters"].as_array()?.iter();
    let parameters =
        parameters.map(|pair| Some((pair[0].as_str()?.to_owned(), read_value(pair[1].as_str()?).ok()?)));
    let parameters: Vec<(String, Value)> = parameters.collect::<Option<_>>()?;
    let types = plugin_loader::open(Path::new(order["path"].as_str()?)).ok()?;
    let known = types.iter().find(|known| Some(known.name()) == order["type"].as_str());
    // That the library refuses it is seen again in the node, which reports it.
    core::mem::forget(known.map(|known| known.create(&robot, parameters)));
    Some(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn values_arrive_as_they_were() {
        for value in [
            Value::Bool(true),
            Value::Integer(i64::MIN),
            Value::Float(f64::NAN),
            Value::Float(0.1),
            Value::Text("größe\n\"\t\r\\".into()),
            Value::Bools(vec![false, true]),
            Value::Integers(vec![i64::MAX, -1]),
            Value::Floats(vec![f64::INFINITY, -0.0]),
            Value::Texts(vec![String::new(), "a".into()]),
        ] {
            let back = read_value(&value.to_string()).unwrap();
            assert_eq!(
                format!("{back:?}"),
                format!("{value:?}"),
                "NaN equals nothing, so texts are compared"
            );
        }
    }

    #[test]
    fn a_process_that_does_not_end_is_killed() {
        let mut sleeper = Command::new("sleep").arg("60").spawn().unwrap();
        assert_eq!(end(&mut sleeper, Duration::from_millis(50)).unwrap(), None);
        assert!(sleeper.try_wait().unwrap().is_some(), "it runs on");
    }
}
