use std::iter::successors;
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, OnceLock};
use std::thread;

use r2r::rcl_interfaces::msg::Log;

use crate::logger::{Message, QUEUE, Queue};
use crate::overrides::ros_options;
use crate::panics::lock;
use crate::{Error, clock, full_name, panics, qos};

/// Crates that log for one node alone, and its name in the code.
const LIBRARIES: [(&str, &str); 2] = [("actuator", "hindbrain"), ("gamepad", "joystick")];

/// The loggers of this process, also of nodes that ended.
static LOGGERS: Mutex<Vec<Logger>> = Mutex::new(Vec::new());
/// The lines that are published on `/rosout` since the process has a node.
///
/// # Real-time
/// A thread of its own publishes: a send that hangs holds up neither a node nor the console. A line that finds the queue full is
/// dropped, as in [`ShellLog`](crate::ShellLog).
static TOPIC: OnceLock<Queue> = OnceLock::new();

/// The logger of a node.
struct Logger {
    /// Its name as rcl makes it: the node's full name, with dots in place of slashes.
    name: String,
    /// The first parts of the targets of its records: what the code and the graph call the node, and its libraries.
    targets: Vec<String>,
    publisher: Option<r2r::Publisher<Log>>,
}

/// Lets `node`, which the code calls `name`, publish its log.
pub(crate) fn add(node: &mut r2r::Node, name: &str) -> Result<(), Error> {
    let options = ros_options(std::env::args());
    let is_published = is_published(&options);
    let publisher = is_published.then(|| node.create_publisher("/rosout", qos::rosout()));
    if let Some(Err(error)) = &publisher {
        log::warn!(target: name, "the log is not on '/rosout', which cannot be published: {error}");
    }
    let (full, own) = (full_name(node)?, node.name().map_err(Error::ros("read the node's name"))?);
    let mut targets = vec![full.replace('/', "."), full, own, name.into()];
    targets.extend(LIBRARIES.iter().filter(|(_, of)| *of == name).map(|(library, _)| (*library).into()));
    let logger = Logger { name: targets[0].clone(), targets, publisher: publisher.and_then(Result::ok) };
    lock(&LOGGERS).push(logger);
    let start = || {
        let (sender, receiver) = sync_channel(QUEUE);
        // It lives as long as the process, as the log does; without it nothing is published.
        let thread = thread::Builder::new().name("rosout".into());
        drop(thread.spawn(move || receiver.iter().for_each(|message| publish(message, &options))));
        Queue::new(sender, "'/rosout' did not take them")
    };
    if is_published {
        TOPIC.get_or_init(start);
    }
    Ok(())
}

/// The logger of records with `target`; the only one of its process for all.
fn logger<'a>(loggers: &'a [Logger], target: &str) -> Option<&'a Logger> {
    let first = target.split("::").next();
    let is_meant = |logger: &&Logger| logger.targets.iter().any(|one| Some(one.as_str()) == first);
    loggers.iter().rev().find(is_meant).or(loggers.first().filter(|_| loggers.len() == 1))
}

/// The name of the logger of records with `target`. In a process of several nodes what belongs to none keeps its target.
pub(crate) fn logger_name(target: &str) -> String {
    logger(&lock(&LOGGERS), target).map_or(target, |logger| &logger.name).into()
}

/// Passes on a record to be published.
pub(crate) fn pass(message: Message) {
    let Some(queue) = TOPIC.get() else { return };
    match message {
        Message::Line(line) => queue.send(line),
        Message::Flush(_) => drop(queue.pass(message)),
    }
}

/// Passes on an error that is printed and not logged, of the thread or node `target`.
pub(crate) fn pass_error(target: &str, msg: String) {
    let stamp = clock::to_wire(clock::wall());
    pass(Message::Line(Log { stamp, level: 40, name: target.into(), msg, ..Log::default() }));
}

/// Whether there is a topic: the last such argument decides.
fn is_published(options: &[(String, String)]) -> bool {
    let last = options.iter().rev().find(|(_, flag)| flag.ends_with("able-rosout-logs"));
    last.is_none_or(|(_, flag)| flag == "--enable-rosout-logs")
}

/// Whether rcl writes `line`, by the levels that its arguments give.
///
/// # Source
/// rcl's `arguments.c` and rcutils' `logging.c` (ROS 2 Jazzy): a logger without a level has that of its parent, whose name ends before
/// its last dot, and that without a name is everyone's. Of several levels the last one counts.
fn is_written(options: &[(String, String)], line: &Log) -> bool {
    let least = |name: &str| {
        let rules = options.iter().rev().filter(|(option, _)| option == "--log-level");
        let mut rules = rules.map(|(_, rule)| rule.rsplit_once(":=").unwrap_or(("", rule)));
        number(rules.find(|(of, _)| *of == name)?.1)
    };
    let loggers = successors(Some(line.name.as_str()), |name| {
        (!name.is_empty()).then(|| name.rsplit_once('.').map_or("", |(parent, _)| parent))
    });
    usize::from(line.level) >= loggers.filter_map(least).next().unwrap_or(20)
}

/// The number of the level that rcl calls `name`; `None` for `unset`.
fn number(name: &str) -> Option<usize> {
    let names = ["debug", "info", "warn", "error", "fatal"];
    Some(10 * (1 + names.iter().position(|one| one.eq_ignore_ascii_case(name))?))
}

/// Publishes a line that the arguments let pass, for its node; for the first one what belongs to none.
fn publish(message: Message, options: &[(String, String)]) {
    let mut line = match message {
        Message::Line(line) => line,
        Message::Flush(done) => return drop(done),
    };
    line.name = logger_name(&line.name);
    if !is_written(options, &line) {
        return;
    }
    let loggers = lock(&LOGGERS);
    let publisher = logger(&loggers, &line.name).or(loggers.first()).and_then(|one| one.publisher.clone());
    drop(loggers);
    if let Some(publisher) = publisher {
        // A failure has no remedy here: the node has ended, or the middleware refuses it. The console has the line.
        let _ = panics::contain(|| publisher.publish(&line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(text: &str) -> Vec<(String, String)> {
        ros_options(format!("x --ros-args {text}").split(' ').map(str::to_owned))
    }

    fn is_written(text: &str, name: &str, level: u8) -> bool {
        super::is_written(&options(text), &Log { level, name: name.into(), ..Log::default() })
    }

    #[test]
    fn a_logger_has_its_own_level_or_that_of_its_parent() {
        let levels = "--log-level WARN --log-level robot1:=debug --log-level robot1.arm:=fatal";
        for (logger, level, expected) in [
            ("hindbrain", 30, true),
            ("hindbrain", 20, false),
            ("robot1.hindbrain", 10, true),
            ("robot1.arm.mechanism", 40, false),
            ("robot11", 20, false),
        ] {
            assert_eq!(is_written(levels, logger, level), expected, "{logger}");
        }
        assert!(is_written("-p a:=1", "n", 20) && !is_written("-p a:=1", "n", 10));
        let changed = "--log-level n:=debug --log-level n:=error --log-level n:=unset";
        assert!(is_written(changed, "n", 20) && !is_written(changed, "n", 10));
    }

    #[test]
    fn the_last_argument_decides_whether_there_is_a_topic() {
        let is_published = |text| is_published(&options(text));
        assert!(is_published("-p a:=1"));
        assert!(!is_published("--enable-rosout-logs --disable-rosout-logs"));
        assert!(is_published("--disable-rosout-logs --enable-rosout-logs"));
        assert!(is_published("-- --disable-rosout-logs"));
    }

    #[test]
    fn a_record_is_of_the_node_that_its_target_names_or_of_the_only_one() {
        let logger = |name: &str, targets: &[&str]| Logger {
            name: name.into(),
            targets: targets.iter().map(|&target| target.into()).collect(),
            publisher: None,
        };
        let loggers =
            [logger("r.brain", &["hindbrain", "brain", "actuator"]), logger("r.joystick", &["joystick"])];
        let of = |target: &str| super::logger(&loggers, target).map(|logger| logger.name.as_str());
        assert_eq!(of("hindbrain"), Some("r.brain"));
        assert_eq!(of("actuator::thread"), Some("r.brain"));
        assert_eq!(of("ros::publishers"), None);
        assert_eq!(super::logger(&loggers[..1], "ros").map(|logger| logger.name.as_str()), Some("r.brain"));
    }
}
