//! Executable `steersman-why`: why the vehicle stands, in one sentence.
#![forbid(unsafe_code)]

mod answers;

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use answers::{Answer, Answers};
use clap::Parser;
use r2r::diagnostic_msgs::msg::DiagnosticStatus;
use ros::{Node, Stop, clock, print_line};
use serde_json::{Map, Value, json};
use why::Reason;

/// Prints why the vehicle stands, and what to do next.
///
/// The exit code is 0 if it moves or may move at the next command, 1 if it stands until the act is done, 2 if no node answers (within
/// 2 s, or 4 s while one publishes why), and 3 if the question cannot be asked. Of several answers the worst counts, and with --watch the last.
#[derive(Debug, Parser)]
#[command(name = "steersman-why", version)]
struct Arguments {
    /// Print each stage as well, from the hand to the motors: what it is asked for, what it passes, and what holds it back.
    #[arg(long)]
    all: bool,
    /// Print each change until Ctrl-C.
    #[arg(long)]
    watch: bool,
    /// Print JSON, one object a line.
    #[arg(long)]
    json: bool,
    /// The namespace of the vehicle, for example /robot1.
    #[arg(long, default_value = "", value_parser = namespace)]
    namespace: String,
}

/// The exit code if no node answers.
const NO_ANSWER: i32 = 2;
/// The exit code of a wrong command line, and if ROS cannot be used.
const NOT_ASKED: i32 = 3;
/// How long the tool may take to end after a signal.
const LONGEST_END: Duration = Duration::from_secs(2);
/// How long it waits for messages at a time.
const SLICE: Duration = Duration::from_millis(20);
/// How long it waits for the stages after the first answer.
const STAGES: Duration = Duration::from_millis(600);

fn main() -> ExitCode {
    // What is for ROS comes last.
    let own = std::env::args().take_while(|argument| argument != "--ros-args");
    let arguments = match Arguments::try_parse_from(own) {
        Ok(arguments) => arguments,
        Err(error) => {
            drop(error.print());
            return if error.use_stderr() { ExitCode::from(NOT_ASKED as u8) } else { ExitCode::SUCCESS };
        }
    };
    let code = run(&arguments).unwrap_or_else(|error| {
        print_line(format_args!("steersman-why: {error}"));
        NOT_ASKED
    });
    ros::exit_at_once(code)
}

fn run(arguments: &Arguments) -> Result<i32, ros::Error> {
    let stop = Stop::on_signals(LONGEST_END)
        .map_err(|error| ros::Error::Start(format!("signals cannot be caught: {error}")))?;
    let mut node = Node::new(&ros::context()?, &format!("steersman_why_{}", std::process::id()))?;
    let mut answers = Answers::new(&mut node, &arguments.namespace, arguments.all)?;
    let (mut last, mut code) = (None, NO_ANSWER);
    while !stop.is_set() {
        node.spin_once(SLICE);
        let Some(answer) = answers.receive(&node, clock::now()) else { continue };
        if !arguments.watch && arguments.all {
            let end = clock::now() + STAGES;
            while clock::now() < end && !stop.is_set() {
                node.spin_once(SLICE);
                answers.receive_stages();
            }
        }
        code = answer.code();
        let text = text_of(&answer, &answers, arguments);
        if last.as_ref() != Some(&text) {
            drop(writeln!(std::io::stdout(), "{text}")); // a reader that has gone is no error
            last = Some(text);
        }
        if !arguments.watch {
            break;
        }
    }
    Ok(code)
}

fn text_of(answer: &Answer, answers: &Answers, arguments: &Arguments) -> String {
    let stages = answers.stages();
    if arguments.json {
        let mut object = answer.found.first().map_or_else(|| silence(&answer.silent), fields);
        object.insert("sentence".into(), answer.sentence().into());
        if let [_, _, ..] = answer.found.as_slice() {
            let others: Vec<Value> = answer.found.iter().map(|found| found.message.clone().into()).collect();
            object.insert("sentences".into(), others.into());
        }
        if arguments.all {
            let stages = stages.map(|stage| {
                let mut object = fields(stage);
                object.insert("stage".into(), stage.name.clone().into());
                Value::from(object)
            });
            object.insert("stages".into(), stages.collect::<Vec<_>>().into());
        }
        return json!(object).to_string();
    }
    let mut lines = vec![answer.sentence()];
    if arguments.all {
        lines.extend(stages.map(|stage| {
            let of = |key| answers::value(stage, key).unwrap_or_default();
            let found = if stage.message.is_empty() { "-" } else { &stage.message };
            format!("{:17} asked {:20} passed {:20} {found}", stage.name, of("asked"), of("passed"))
        }));
    }
    lines.join("\n")
}

/// The values of a message, without the time at which it was published: a change is one of the state.
fn fields(status: &DiagnosticStatus) -> Map<String, Value> {
    let values = status.values.iter().filter(|field| field.key != answers::AT);
    values.map(|field| (field.key.clone(), field.value.clone().into())).collect()
}

/// The values in place of a message. Whether the vehicle moves is not known.
fn silence(reason: &Reason) -> Map<String, Value> {
    let values = [
        ("code", reason.row().name),
        ("act", reason.act().as_str()),
        ("actor", reason.actor().as_str()),
        ("moves", "unknown"),
    ];
    values.map(|(key, value)| (key.to_owned(), value.into())).into_iter().collect()
}

fn namespace(text: &str) -> Result<String, &'static str> {
    ros::namespace(text).map(|_| text.to_owned())
}
