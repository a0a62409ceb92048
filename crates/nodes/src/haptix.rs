//! Node `haptix`: takes the commands of a HAPTIX hand and publishes its sensors. The device runs in a real-time loop.

mod device_thread;
pub(crate) mod hand;
mod messages;
mod picture;
mod robot;
mod services;
mod topics;

use haptix::{DeviceLoop, Haptix, Input, Order, Output, Params, Report, State, specification};
use r2r::haptix_msgs::msg::Command;
use realtime::Timing;
use ros::{Error, Runner, Shell, Status, Stop, clock, qos};
use safety::{ClockReading, Level};

use self::device_thread::{DeviceThread, Orders, Ready, link};
use self::hand::{Hand, check_simulation};
use self::picture::{Objects, Picture};
use self::robot::{Commands, RobotEnd, StatesSender};
use self::services::Calls;
use self::topics::Topics;
use crate::start::{self, Member};

/// The node's name, which is also its executable and its key in a YAML file.
pub const NAME: &str = "haptix";

/// Of two clients the last writer wins; that there are two is reported.
const COMMAND: &str = "~/command";

/// Passes the machine's orders to the device at once; they wait for no send.
struct Actions {
    orders: Orders,
    objects: Objects,
}

impl Actions {
    /// Returns what has to be published.
    fn act(&mut self, output: Output) -> Option<Output> {
        match output {
            Output::Order(order) => {
                if let Order::Configure(settings) = &*order {
                    self.objects.set(&settings.simulation);
                }
                self.orders.send(*order);
                return None;
            }
            Output::PublishReading(..) => self.orders.flush(),
            _ => {}
        }
        Some(output)
    }
}

/// Publishes what the machine outputs.
struct Publications {
    topics: Topics,
    calls: Calls,
    /// The way to a robot elsewhere, if the hand is one.
    robot: Option<(StatesSender, RobotEnd)>,
}

impl Publications {
    fn publish(&mut self, output: Output) {
        match output {
            Output::Order(_) => {} // an act
            Output::Answer(id, answer) => self.calls.answer(id, answer),
            Output::PublishReading(reading, stamp) => self.topics.publish_reading(&reading, stamp),
            Output::PassStates(states) => {
                if let Some((sender, _)) = &mut self.robot {
                    sender.send(&states);
                }
            }
            Output::Stay { is_last } => {
                if let Some((_, end)) = &self.robot {
                    end.stay(is_last);
                }
            }
            Output::PublishState(state) => self.topics.publish_state(&state),
            Output::Warn(sentence) => log::warn!(target: NAME, "{sentence}"),
            Output::Inform(sentence) => log::info!(target: NAME, "{sentence}"),
        }
    }
}

/// Starts the device's thread, whose reports go to the machine in `shell` and to the picture.
fn start_device(
    ready: Ready,
    shell: &Shell<Haptix>,
    stop: &Stop,
    mut picture: Option<Picture>,
    mut commands: Option<Commands>,
) -> Result<DeviceThread, Error> {
    let (shell, stop) = (shell.clone(), stop.clone());
    let report = move |report| match report {
        _ if stop.is_set() => {} // the node's publishers end before the device's thread
        Report::Stepped(reading) => {
            if let Some(has_subscriber) = commands.as_mut().and_then(Commands::publish) {
                shell.deliver(Input::CommandsSubscribed(has_subscriber));
            }
            shell.deliver(Input::DeviceStepped(Box::new(reading)));
            if let Some(picture) = &mut picture {
                picture.draw(&reading);
            }
        }
        Report::Failed(error) => shell.deliver(Input::DeviceFailed(error)),
    };
    let (thread, refused) =
        ready.start(report).map_err(|error| Error::Start(format!("the device has no thread: {error}")))?;
    for refused in refused {
        log::warn!(target: NAME, "{refused}");
    }
    Ok(thread)
}

fn status(machine: &Haptix, timing: &Timing) -> Status {
    let state = machine.state();
    let level = match state {
        State::Starting | State::Following | State::Grasping | State::Holding => Level::Ok,
        State::Waiting(_) | State::Inactive | State::NoSubscriber => Level::Warn,
        State::Halted(halt) => halt.level(),
        State::Failed(_) | State::NotAnswering(_) => Level::Error,
    };
    let hand = &machine.constants().description.model_name;
    let values = timing.values();
    Status { level, message: state.to_string(), values, hardware: hand.clone() }.with("hand", hand)
}

/// Runs the node until `stop` is set.
/// # Errors
/// The node does not start.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    run_with(context, stop, |runner| runner)
}

/// Runs the node like [`run`], with `change` applied to its runner, for tests.
/// # Errors
/// The node does not start.
pub fn run_with(
    context: &r2r::Context,
    stop: &Stop,
    change: impl FnOnce(Runner<Haptix>) -> Runner<Haptix>,
) -> Result<(), Error> {
    let mut member = Member::new(context, specification(), |_| Ok(()))?;
    let Hand { device, skeleton, params, robot } = Hand::open(member.set())?;
    let device = DeviceLoop::new(device, params.step, params.settings);
    let mut machine = Haptix::new(&device, &params.settings);
    if let Some(topic) = &params.halt_on {
        machine = machine.obeying_vehicle();
        member.obey_vehicle(topic, Input::VehicleStateReceived, Input::VehiclePublishersCounted)?;
    }
    let robot = match robot {
        Some(robot) => {
            machine = machine.with_states(robot.monitor());
            Some(robot.open(&mut member.node, &mut member.inputs)?)
        }
        None => None,
    };
    let (description, rate) = (machine.constants().description.clone(), machine.constants().info.update_rate);
    let topics = Topics::new(&mut member.node, &machine, skeleton.as_ref(), &params, robot.is_none())?;
    let objects = Objects::default();
    objects.set(&params.settings.simulation);
    let prefix = params.frame_prefix.clone();
    let picture = skeleton
        .map(|(skeleton, _)| Picture::new(&mut member.node, skeleton, prefix.clone(), objects.clone()))
        .transpose()?;
    member.inputs.subscribe::<Command>(&mut member.node, COMMAND, qos::commands(), |message| {
        let command = Box::new(messages::command(&message));
        Some(Input::CommandReceived { command, at: clock::now() })
    })?;
    member.inputs.advise_one_publisher(COMMAND);
    let (ready, orders) = link(device, &params);
    let (timing, lives) = (ready.timing(), ready.pulse());
    let calls = Calls::default();
    let (mut ways, mut commands, mut sole) = (None, None, Vec::new());
    if let Some(robot) = robot {
        sole = Vec::from(robot.sole);
        (ways, commands) = (Some((robot.states, robot.end)), Some(robot.commands));
    }
    let mut actions = Actions { orders, objects };
    let mut publications = Publications { topics, calls: calls.clone(), robot: ways };
    let clock_read: fn(ClockReading) -> Input = Input::ClockRead;
    let shell = Shell::new(machine, Some(clock_read), move |output| publications.publish(output))
        .act_first(move |output| actions.act(output));
    let runner = member
        .runner(&shell, move |set| {
            let params = Params::read(set, &description, rate)?;
            check_simulation(set, &params)?;
            Ok(Input::ParametersChanged(Box::new(params.settings)))
        })?
        .managed(Input::ActivityChanged)?;
    let runner = runner.count_publishers(sole, |topic, count| Input::PublishersCounted { topic, count });
    let runner = runner.task(move |_| lives.beat()); // after the messages were delivered
    let runner = services::serve(runner, &calls, prefix, params.halt_on.is_some())?
        .status(move |machine| status(machine, &timing))
        .log_levels();
    let thread = start_device(ready, &shell, stop, picture, commands)?;
    let ended = start::run(change(runner), stop, &shell, [Input::Stopping]);
    drop(thread);
    ended
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use haptix::{AnalyticHand, MAX, Mode, Model};
    use safety::PublisherId;

    use super::*;

    fn say(shell: &Shell<Haptix>, state: &str) {
        shell.deliver(Input::VehiclePublishersCounted(Some(vec![PublisherId([1; 24])])));
        shell.deliver(Input::VehicleStateReceived(state.into()));
    }

    #[test]
    fn an_emergency_stop_holds_the_device_while_a_send_hangs() {
        let model = Model::builtin("two_finger").unwrap();
        let set = specification().defaults();
        let params =
            Params::read(&set, &model.constants.description, model.constants.info.update_rate).unwrap();
        let params = Params {
            thread: params::LoopThread { priority: None, lock_memory: false, ..params.thread },
            ..params
        };
        let device = DeviceLoop::new(Box::new(AnalyticHand::new(model, 1)), params.step, params.settings);
        let machine = Haptix::new(&device, &params.settings).obeying_vehicle();
        let (ready, orders) = link(device, &params);
        let lives = ready.pulse();
        let mut actions = Actions { orders, objects: Objects::default() };
        let hangs = Arc::new(AtomicBool::new(false));
        let (hung, is_hung) = channel();
        let send = {
            let hangs = Arc::clone(&hangs);
            move |_| {
                if hangs.load(Ordering::SeqCst) {
                    hung.send(()).unwrap();
                    loop {
                        thread::park();
                    }
                }
            }
        };
        let clock_read: fn(ClockReading) -> Input = Input::ClockRead;
        let shell = Shell::new(machine, Some(clock_read), send).act_first(move |output| actions.act(output));
        let (sender, readings) = channel();
        let report = move |report| {
            if let Report::Stepped(reading) = report {
                let _ = sender.send(reading); // the test may be over
            }
        };
        let (thread, _) = ready.start(report).unwrap();
        // A client commands the hand at each reading, to stay where it is before it follows: its stream began before the halt ended.
        let next_mode = || {
            lives.beat();
            let reading = readings.recv_timeout(Duration::from_secs(5)).unwrap();
            shell.deliver(Input::DeviceStepped(Box::new(reading)));
            let is_holding = reading.mode == Mode::Holding;
            let place = if is_holding { reading.sensor.motor_pos } else { [0.5; MAX] };
            let command = haptix::Command { ref_pos: Some(place), ..haptix::Command::default() };
            shell.deliver(Input::CommandReceived { command: Box::new(command), at: clock::now() });
            reading.mode
        };
        let begin = clock::now();
        while next_mode() == Mode::Holding {
            assert!(clock::now().since(begin) < Duration::from_secs(20), "it never follows");
            say(&shell, "OK");
        }
        hangs.store(true, Ordering::SeqCst);
        let sending = shell.clone();
        thread::Builder::new().spawn(move || sending.deliver(Input::ReadRequested { id: 1 })).unwrap();
        is_hung.recv().unwrap();
        assert_eq!(next_mode(), Mode::Following);
        say(&shell, "ESTOP");
        let modes: Vec<Mode> = (0..50).map(|_| next_mode()).collect();
        let (first, rest) = modes.split_at(10); // what was on its way
        assert!(rest.iter().all(|mode| *mode == Mode::Holding), "{first:?} {rest:?}");
        drop(thread);
    }
}
