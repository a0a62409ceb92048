//! The start and the end that all executables share.

use std::ffi::OsString;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Duration;

use params::{LoopThread, Refusal, Set, Specification};
use r2r::std_msgs::msg::String as Text;
use realtime::RealTime;
use ros::{Error, Inputs, KnownNode, Names, Node, Parameters, Runner, Shell, Stop, panics, print_line, qos};
use safety::{Machine, PublisherId};

/// How long the process waits for the final messages to be sent.
const FINAL_MESSAGES_TIME: Duration = Duration::from_millis(100);
/// How long final messages may wait for an answer.
const ANSWER_TIME: Duration = Duration::from_millis(1500);
/// How long a process may take to end after a signal or a panic. It usually takes a twentieth of this limit; a process that
/// waits for an answer stays below the limit.
const LONGEST_END: Duration = Duration::from_secs(2);

/// Runs `node` as a process: log, signals, ROS context. An error is printed as one message and gives exit code 1.
pub fn main(name: &str, node: impl FnOnce(&r2r::Context, &Stop) -> Result<(), Error>) -> ExitCode {
    let arguments = match texts(std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(error) => {
            print_line(format_args!("{name}: {error}"));
            return ExitCode::FAILURE;
        }
    };
    if let Some(text) = answer(name, &arguments) {
        let _ = std::io::stdout().write_all(text.as_bytes());
        return ExitCode::SUCCESS;
    }
    let transport = dds_profile::ensure(); // first: it may start the process again
    panics::install();
    let run = || {
        check_arguments(arguments.iter().skip(1).cloned())?;
        ros::check_remap_rules(arguments.iter().cloned())?;
        ros::check_overrides(&arguments, &NODES)?;
        let stop = Stop::on_signals(LONGEST_END)
            .map_err(|error| Error::Start(format!("signals cannot be caught: {error}")))?;
        let ends = stop.clone();
        panics::at_once(move || ends.end());
        let context = ros::context()?;
        ros::start_logger();
        match transport {
            Ok(warnings) => warnings.iter().for_each(|warning| log::warn!(target: name, "{warning}")),
            Err(error) => return Err(Error::Start(format!("the Fast DDS profile cannot be set: {error}"))),
        }
        node(&context, &stop)
    };
    let ended = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err(panicked()));
    let ended = ended.and_then(|()| if panics::happened() { Err(panicked()) } else { Ok(()) });
    log::logger().flush();
    panics::print_backtraces();
    if let Err(error) = &ended {
        print_line(format_args!("{name}: {error}"));
    }
    // All final messages are sent. What the libraries do at an ordinary end could hang, or crash beside a thread that still runs.
    ros::exit_at_once(ended.is_err().into())
}

/// The arguments as text: no later reader, ROS included, supports anything else.
fn texts(arguments: impl Iterator<Item = OsString>) -> Result<Vec<String>, Error> {
    let text = |argument: OsString| {
        argument.into_string().map_err(|argument| {
            Error::Start(format!("argument '{}' is not valid UTF-8", argument.to_string_lossy()))
        })
    };
    arguments.map(text).collect()
}

/// All nodes that a parameter file may configure: one file may serve several processes.
const NODES: [KnownNode; 12] = [
    (crate::joystick::NAME, joystick::specification),
    (crate::velocity_arbiter::NAME, arbiter::specification),
    (crate::zone_scaler::NAME, zones::specification),
    (crate::hindbrain::NAME, hindbrain::specification),
    (crate::surround::NAME, surround::specification),
    (crate::chair::NAME, chair::specification),
    (crate::mechanism::NAME, mechanism::specification),
    (crate::haptix::NAME, haptix::specification),
    ("interface", luci_chair::specification), // by LUCI's name for it
    (crate::simulator::NAME, simulator::specification),
    (crate::marker_publisher::NAME, pictures::specification),
    (crate::switch_relay::NAME, switches::specification),
];

/// The answers to `--help` and `--version`.
fn answer(name: &str, arguments: &[String]) -> Option<String> {
    let version = env!("CARGO_PKG_VERSION");
    match arguments.get(1).map(String::as_str)? {
        "-h" | "--help" => Some(format!(
            "{name} {version}, a node of Steersman\n\n\
             usage: {name} [--ros-args [-p NAME:=VALUE] [--params-file FILE] [-r FROM:=TO] [--log-level LEVEL] ...]\n\n\
             Its parameters with their texts, units and ranges are in config/, and served to `ros2 param describe`.\n"
        )),
        "--version" => Some(format!("{name} {version}\n")),
        _ => None,
    }
}

/// Refuses arguments outside of `--ros-args` … `--`, which would be ignored; ROS checks those inside.
fn check_arguments(arguments: impl Iterator<Item = String>) -> Result<(), Error> {
    let mut for_ros = false;
    for argument in arguments {
        match argument.as_str() {
            "--ros-args" => for_ros = true,
            "--" if for_ros => for_ros = false,
            _ if for_ros => {}
            _ => {
                return Err(Error::Start(format!(
                    "argument '{argument}' is not known; arguments for ROS come after --ros-args, --help shows more"
                )));
            }
        }
    }
    Ok(())
}

/// A node before it runs: in the graph, with its parameters read, without subscriptions.
///
/// `P` are its parameters in the machine's types, `M` is the machine that its inputs go to.
pub struct Member<P, M: Machine> {
    /// The node in the graph.
    pub node: Node,
    /// Its parameters in the machine's types.
    pub params: P,
    /// Its subscriptions.
    pub inputs: Inputs<M>,
    parameters: Parameters,
}

impl<P, M: Machine + 'static> Member<P, M> {
    /// Makes the node that `specification` describes.
    /// # Errors
    /// The middleware refuses the node, or a parameter is refused.
    pub fn new(
        context: &r2r::Context,
        specification: Specification,
        read: fn(&Set) -> Result<P, Refusal>,
    ) -> Result<Self, Error> {
        let name = specification.node;
        let mut node = Node::new(context, name)?;
        let parameters = Parameters::new(&mut node, &specification, &NODES.map(|(name, _)| name))?;
        let params = read(parameters.set())
            .map_err(|refusal| Error::Parameters { node: name.into(), refusals: vec![refusal] })?;
        let namespace = node.namespace().map_err(Error::ros("read the node's namespace"))?;
        let given = node.name().map_err(Error::ros("read the node's name"))?;
        let inputs = Inputs::new(Names::new(&given, &namespace, std::env::args()));
        Ok(Self { node, params, inputs, parameters })
    }

    /// Its parameters as a set.
    pub fn set(&self) -> &Set {
        self.parameters.set()
    }

    /// Subscribes to the state of a vehicle whose emergency stop the node obeys: `received` and `counted` are the machine's inputs for
    /// [`safety::VehicleMonitor`]. Call it before what moves something is subscribed to: topics are delivered in their order.
    /// # Errors
    /// The middleware refuses the topic.
    pub fn obey_vehicle(
        &mut self,
        topic: &str,
        received: fn(String) -> M::Input,
        counted: fn(Option<Vec<PublisherId>>) -> M::Input,
    ) -> Result<(), Error> {
        let convert = move |message: Text| Some(received(message.data));
        self.inputs.subscribe::<Text>(&mut self.node, topic, qos::edge(), convert)?;
        self.inputs.identify_publishers(topic, counted);
        Ok(())
    }

    /// The runner of the node for the machine in `shell`; `apply` makes the input that puts a set of parameters in force.
    /// # Errors
    /// The middleware refuses `/diagnostics`.
    pub fn runner(
        self,
        shell: &Shell<M>,
        apply: impl FnMut(&Set) -> Result<M::Input, Refusal> + Send + 'static,
    ) -> Result<Runner<M>, Error> {
        Runner::new(self.node, shell.clone(), self.inputs, self.parameters, apply)
    }
}

/// The requests of a loop's thread to the operating system.
pub fn real_time(thread: &LoopThread) -> RealTime {
    let LoopThread { priority, lock_memory, cores } = thread.clone();
    RealTime { priority, lock_memory, cores }
}

/// Runs the node, then publishes the machine's final messages. After a panic the machine may be broken and is not used any
/// more, see [`panics`]: a motor must not keep a value because of a fault in this program.
/// # Errors
/// The node panicked.
pub fn run<M: Machine + Send + 'static>(
    runner: Runner<M>,
    stop: &Stop,
    shell: &Shell<M>,
    last: impl IntoIterator<Item = M::Input>,
) -> Result<(), Error> {
    run_with_threads(runner, stop, shell, last, || ())
}

/// Runs the node like [`run`], for one with threads that publish: `join` ends them after the final messages, while the node is
/// still in the graph. Before it has returned the end is no clean one.
/// # Errors
/// The node panicked.
pub fn run_with_threads<M: Machine + Send + 'static>(
    mut runner: Runner<M>,
    stop: &Stop,
    shell: &Shell<M>,
    last: impl IntoIterator<Item = M::Input>,
    join: impl FnOnce(),
) -> Result<(), Error> {
    let alarm = shell.start_alarm()?;
    let body = || {
        runner.run(stop);
        drop(alarm);
    };
    guarded(body, shell, stop, last, join)
}

/// Runs the node like [`run`], for a machine whose final messages need an answer: after `last` it continues until the machine
/// is `finished`, for 1.5 s at most. If the node panicked, the machine may be broken and is not used any more: `broken`
/// publishes the final messages in its place and is called repeatedly until it is `true`.
/// # Errors
/// The node panicked.
pub fn run_until_finished<M: Machine + Send + 'static>(
    mut runner: Runner<M>,
    stop: &Stop,
    shell: &Shell<M>,
    last: M::Input,
    finished: fn(&M) -> bool,
    mut broken: impl FnMut() -> bool,
) -> Result<(), Error> {
    let alarm = shell.start_alarm()?;
    let ended = catch_unwind(AssertUnwindSafe(|| {
        runner.run(stop);
        shell.deliver(last);
        runner.run_on(ANSWER_TIME, finished)
    }));
    drop(alarm);
    let name = runner.name().to_owned();
    let is_answered = match ended {
        Ok(is_answered) if !panics::happened() => is_answered,
        _ => catch_unwind(AssertUnwindSafe(|| runner.wait(ANSWER_TIME, &mut broken))).unwrap_or(false),
    };
    if !is_answered {
        log::error!(target: &name, "the final messages were sent and not answered within {ANSWER_TIME:?}");
    }
    conclude(ended.is_ok(), shell, []);
    stop.set_done();
    ended.map(|_| ()).map_err(|_| panicked())
}

fn panicked() -> Error {
    Error::Start("it panicked; the reason is printed above".into())
}

/// Runs `body`, publishes the final messages however it ended, and ends the node's threads by `join`.
fn guarded<M: Machine>(
    body: impl FnOnce(),
    shell: &Shell<M>,
    stop: &Stop,
    last: impl IntoIterator<Item = M::Input>,
    join: impl FnOnce(),
) -> Result<(), Error> {
    let ended = catch_unwind(AssertUnwindSafe(body));
    conclude(ended.is_ok(), shell, last);
    join();
    stop.set_done();
    ended.map_err(|_| panicked())
}

/// Sets the stop when it is dropped, also by a panic, so no thread continues without the others.
pub struct StopOnDrop(Stop);

impl StopOnDrop {
    /// Will set `stop`.
    pub fn new(stop: &Stop) -> Self {
        Self(stop.clone())
    }

    /// The stop that it will set.
    pub fn stop(&self) -> &Stop {
        &self.0
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// Publishes the machine's final messages in order and waits until they are sent; after a panic, or while another thread hangs in a send,
/// publishes the [`panics::final_messages`] instead.
pub fn finish<M: Machine>(shell: &Shell<M>, stop: &Stop, last: impl IntoIterator<Item = M::Input>) {
    conclude(true, shell, last);
    stop.set_done();
}

/// Publishes the final messages as [`finish`] does; `is_whole` is false if the node ended with a panic.
#[allow(clippy::disallowed_methods)] // the machine has stopped; nothing waits for this thread
fn conclude<M: Machine>(is_whole: bool, shell: &Shell<M>, last: impl IntoIterator<Item = M::Input>) {
    let deliver = || {
        last.into_iter().for_each(|input| shell.deliver(input));
        shell.flush(FINAL_MESSAGES_TIME) // a send of another thread may hang
    };
    let is_published = is_whole
        && !panics::happened()
        && catch_unwind(AssertUnwindSafe(deliver)).is_ok_and(|is_flushed| is_flushed);
    if is_published {
        std::thread::sleep(FINAL_MESSAGES_TIME);
    } else {
        panics::publish_final_messages(FINAL_MESSAGES_TIME);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Outputs its input.
    struct Echo(Option<&'static str>);

    impl Machine for Echo {
        type Input = &'static str;
        type Output = &'static str;

        fn backlog(_: &&'static str) -> safety::Backlog {
            safety::Backlog::Each
        }

        fn handle(&mut self, _: safety::Instant, input: &'static str) {
            assert_ne!(input, "wrong", "a fault of the machine");
            self.0 = Some(input);
        }

        fn poll(&mut self, _: safety::Instant) -> Option<&'static str> {
            self.0.take()
        }

        fn deadline(&self) -> Option<safety::Instant> {
            None
        }
    }

    /// The last output of an echo that runs `body`, whether it ended well, and whether the prepared messages were published.
    fn ending(body: impl FnOnce(&Shell<Echo>), last: &'static str) -> (Option<&'static str>, bool, bool) {
        let (sender, outputs) = std::sync::mpsc::channel();
        let (prepared, published) = std::sync::mpsc::channel();
        panics::final_messages(move || {
            let _ = prepared.send(());
        });
        let shell = Shell::new(Echo(None), None, move |word| sender.send(word).unwrap());
        let ended = guarded(|| body(&shell), &shell, &Stop::new(), [last], || ());
        (outputs.try_iter().last(), ended.is_ok(), published.try_iter().count() > 0)
    }

    #[test]
    fn a_machine_publishes_its_final_messages_unless_it_panicked() {
        assert_eq!(ending(|shell| shell.deliver("right"), "stop"), (Some("stop"), true, false));
        // Then the machine is not used again, and the prepared messages are published.
        assert_eq!(ending(|shell| shell.deliver("wrong"), "stop"), (None, false, true));
        assert_eq!(ending(|shell| shell.deliver("right"), "wrong"), (Some("right"), true, true));
    }

    fn check(arguments: &str) -> Result<(), String> {
        check_arguments(arguments.split_whitespace().map(str::to_owned)).map_err(|error| error.to_string())
    }

    #[test]
    fn an_argument_that_is_not_utf8_is_refused() {
        use std::os::unix::ffi::OsStringExt;
        let arguments = [OsString::from("n"), OsString::from_vec(b"a\xffb".to_vec())];
        assert_eq!(texts(arguments[..1].iter().cloned()).ok(), Some(vec!["n".to_owned()]));
        let refused = texts(arguments.into_iter()).unwrap_err();
        assert_eq!(refused.to_string(), "argument 'a\u{fffd}b' is not valid UTF-8");
    }

    #[test]
    fn help_and_version_are_answered() {
        let answer = |text: &str| answer("n", &text.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert!(answer("n --help").is_some_and(|text| text.contains("usage: n [--ros-args")));
        assert_eq!(answer("n --version"), Some(format!("n {}\n", env!("CARGO_PKG_VERSION"))));
        assert_eq!((answer("n"), answer("n --ros-args --help")), (None, None));
    }

    #[test]
    fn what_is_not_for_ros_is_refused() {
        assert_eq!(check(""), Ok(()));
        assert_eq!(check("--ros-args -p a:=1 --params-file x.yaml"), Ok(()));
        assert_eq!(check("--ros-args -p a:=1 -- --ros-args -r b:=c"), Ok(()));
        let sentence = "argument '--params-file' is not known; arguments for ROS come after --ros-args, --help shows more";
        assert_eq!(check("--params-file x.yaml"), Err(sentence.into()));
        assert!(check("--ros-args -p a:=1 -- extra").is_err());
    }
}
