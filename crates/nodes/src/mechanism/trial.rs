use std::io::{Read, Write};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::Duration;

use mechanism::{Description, Robot};
use params::Value;
use plugins::Plugins;
use ros::clock;
use serde_json::{Value as Json, json};

/// The only argument of a process that tries a controller.
const ARGUMENT: &str = "--try-controller";
/// How much longer than a call may take a trial may take: a call that takes too long is refused as such.
const GRACE: Duration = Duration::from_millis(100);
/// How often the process is looked at.
const LOOK: Duration = Duration::from_millis(2);

/// The first creation of a controller of a library, in a process of its own: if the library crashes, exits or hangs there, it does
/// not do so here.
pub(super) struct Trial<'a> {
    pub(super) urdf: &'a str,
    pub(super) folders: &'a [String],
    pub(super) type_name: &'a str,
    pub(super) parameters: &'a [(String, Value)],
}

impl Trial<'_> {
    /// Makes it. That the library refuses the controller is no error here.
    /// # Errors
    /// The process does not start, does not end soon after `limit`, or ended by a signal or an exit.
    pub(super) fn run(&self, limit: Duration) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("it cannot be tried in a process of its own: {error}");
        let program = std::env::current_exe().map_err(failed)?;
        let mut command = Command::new(program);
        command.arg(ARGUMENT).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
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
        let Self { urdf, folders, type_name, parameters } = self;
        let parameters: Vec<Json> =
            parameters.iter().map(|(name, value)| json!([name, to_json(value)])).collect();
        json!({ "urdf": urdf, "folders": folders, "type": type_name, "parameters": parameters }).to_string()
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
pub(crate) fn asked(arguments: &[String]) -> Option<ExitCode> {
    if arguments.get(1).map(String::as_str) != Some(ARGUMENT) || arguments.len() != 2 {
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
    let folders = order["folders"].as_array()?.iter().map(|text| text.as_str().map(str::to_owned));
    let folders: Vec<String> = folders.collect::<Option<_>>()?;
    let robot = Robot::new(&Description::parse(order["urdf"].as_str()?).ok()?);
    let parameters = order["parameters"].as_array()?.iter();
    let parameters = parameters.map(|pair| Some((pair[0].as_str()?.to_owned(), from_json(&pair[1])?)));
    let parameters: Vec<(String, Value)> = parameters.collect::<Option<_>>()?;
    let (plugins, _) = Plugins::load(&folders, &[]);
    let known = plugins.types().iter().find(|known| Some(known.name()) == order["type"].as_str());
    // A refusal, or a type that is not there any more, is the same in the node, which says so.
    core::mem::forget(known.map(|known| known.create(&robot, parameters)));
    Some(())
}

/// The value by its type. Numbers that JSON does not have are kept: a double is its bits.
fn to_json(value: &Value) -> Json {
    match value {
        Value::Bool(value) => json!({ "bool": value }),
        Value::Integer(value) => json!({ "integer": value }),
        Value::Float(value) => json!({ "float": value.to_bits() }),
        Value::Text(value) => json!({ "text": value }),
        Value::Bools(values) => json!({ "bools": values }),
        Value::Integers(values) => json!({ "integers": values }),
        Value::Floats(values) => {
            json!({ "floats": values.iter().map(|value| value.to_bits()).collect::<Vec<_>>() })
        }
        Value::Texts(values) => json!({ "texts": values }),
    }
}

fn from_json(json: &Json) -> Option<Value> {
    fn all<T>(list: &Json, of: impl Fn(&Json) -> Option<T>) -> Option<Vec<T>> {
        list.as_array()?.iter().map(of).collect()
    }
    let (kind, given) = json.as_object()?.iter().next()?;
    let float = |bits: &Json| bits.as_u64().map(f64::from_bits);
    let text = |text: &Json| text.as_str().map(str::to_owned);
    match kind.as_str() {
        "bool" => given.as_bool().map(Value::Bool),
        "integer" => given.as_i64().map(Value::Integer),
        "float" => float(given).map(Value::Float),
        "text" => text(given).map(Value::Text),
        "bools" => all(given, Json::as_bool).map(Value::Bools),
        "integers" => all(given, Json::as_i64).map(Value::Integers),
        "floats" => all(given, float).map(Value::Floats),
        "texts" => all(given, text).map(Value::Texts),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn values_arrive_as_they_were() {
        let nan = f64::from_bits(0x7ff8_0000_0000_0001);
        for value in [
            Value::Bool(true),
            Value::Integer(i64::MIN),
            Value::Float(nan),
            Value::Float(0.1),
            Value::Text("größe\n\"".into()),
            Value::Bools(vec![false, true]),
            Value::Integers(vec![i64::MAX, -1]),
            Value::Floats(vec![f64::INFINITY, -0.0]),
            Value::Texts(vec![String::new(), "a".into()]),
        ] {
            let text = to_json(&value).to_string();
            let back = from_json(&serde_json::from_str(&text).unwrap()).unwrap();
            // NaN equals nothing, so texts are compared.
            assert_eq!((format!("{back:?}"), to_json(&back)), (format!("{value:?}"), to_json(&value)));
        }
    }

    #[test]
    fn a_process_that_does_not_end_is_killed() {
        let mut sleeper = Command::new("sleep").arg("60").spawn().unwrap();
        assert_eq!(end(&mut sleeper, Duration::from_millis(50)).unwrap(), None);
        assert!(sleeper.try_wait().unwrap().is_some(), "it runs on");
    }
}
