use hindbrain::{Cause, Detail, Leds, Motors, Output, Params, Profile, Rgb, Source, SourceDetail, StopState};
use r2r::geometry_msgs::msg as geometry;
use r2r::hindbrain_msgs::msg as hind;
use r2r::std_msgs::msg::{ColorRGBA, String as Text};
use ros::{Error, Names, Topic, clock, panics, qos};
use safety::{Command, Stamp};

use super::NAME;
use super::controller::Controller;
use super::drive_topics::DriveTopics;
use super::graph::{Publishers, list};
use super::watch::{Supervisor, Watch};
use crate::command_topic::SharedLatency;
use crate::messages;
use crate::zone_scaler::COMMAND;

/// The velocity that the motor values stand for, for monitoring.
///
/// It has the stamp of the stick event, which the motor topics (`Int16`) cannot have: the latency is measured by it.
pub const APPLIED: &str = "hind/applied";
/// Every cause of the state, and what each source was last.
pub const DETAIL: &str = "hind/state_detail";
/// The infra-red sensors, `sensor_msgs/Range`.
pub const INFRARED: &str = "hind/ir";

/// Topics that the node publishes, and the motor controller.
pub struct Topics {
    /// The topics that move the vehicle.
    pub drives: DriveTopics,
    applied: Topic<geometry::TwistStamped>,
    state: Topic<Text>,
    detail: Topic<hind::StateDetail>,
    leds: Topic<hind::Leds>,
    /// The age of commands when they become motor values.
    pub latency: SharedLatency,
    /// The state that the supervising thread watches.
    pub watch: Watch,
    publishers: Publishers,
    /// Whether a silent e-stop was reported.
    is_silence_reported: bool,
    controller: Option<Controller>,
    params: Params,
    names: Names,
    // Dropped last: it may stop the motors until the very end.
    _supervisor: Supervisor,
}

impl Topics {
    /// Opens the topics and starts the supervising thread. If any thread panics, including that one, a stop is published.
    /// # Errors
    /// The middleware refuses a topic, or the operating system a thread.
    pub fn new(
        node: &mut r2r::Node,
        params: &Params,
        publishers: Publishers,
        controller: Option<Controller>,
        names: Names,
    ) -> Result<Self, Error> {
        let drives = DriveTopics::new(node, params)?;
        let state: Topic<Text> = Topic::new(node, "hind/state", qos::state())?;
        let last_drives = drives.clone();
        let last_state = state.share();
        let stopper = controller.as_ref().map(Controller::stopper);
        panics::final_messages(move || {
            if let Some(stop) = &stopper {
                stop(); // first: a topic may hang
            }
            last_drives.stop();
            // After the motors. The memory of a machine that panicked is not trusted, and a hang is a fault too.
            let _ = last_state.publish(&Text { data: StopState::Estop.as_str().into() });
        });
        let watch = Watch::new();
        let supervisor = Supervisor::start(watch.clone(), drives.clone(), controller.clone())?;
        Ok(Self {
            drives,
            applied: Topic::new(node, APPLIED, qos::command())?,
            state,
            detail: Topic::new(node, DETAIL, qos::state())?,
            leds: Topic::new(node, "hind/leds", qos::state())?,
            latency: SharedLatency::default(),
            watch,
            publishers,
            is_silence_reported: false,
            controller,
            params: *params,
            names,
            _supervisor: supervisor,
        })
    }

    /// The function that gives the motor controller its values at once; the topics follow by [`publish`](Self::publish).
    pub fn acts(&self) -> impl Fn(&Output) + Send + use<> {
        let (watch, controller) = (self.watch.clone(), self.controller.clone());
        move |output| {
            if let (Output::Drive(motors), Some(controller)) = (output, &controller) {
                watch.drive(controller, motors.levels());
            }
        }
    }

    /// Publishes what the machine asks for.
    pub fn publish(&mut self, output: Output) {
        match output {
            Output::Drive(motors) => self.drive(motors),
            Output::PublishState(state) => {
                self.state.publish(&Text { data: state.as_str().into() });
                self.leds.publish(&leds(Leds::from(state)));
            }
            Output::PublishDetail(detail) => {
                let detail = state_detail(&detail, &self.params, &self.publishers);
                self.detail.publish(&detail);
            }
            Output::Refuse(refused) => {
                log::warn!(target: NAME, "a command on '{}' is refused: {refused}", self.names.resolve(COMMAND))
            }
            Output::Drop(dropped) => log::warn!(
                target: NAME,
                "of the commands on '{}' only linear.x and angular.z are followed: {dropped}",
                self.names.resolve(COMMAND)
            ),
            Output::Report(report) => {
                log::log!(target: NAME, ros::log_level(report.causes.level()), "{report}");
                self.report_silence(report.causes.contains(Cause::EstopStale));
            }
        }
    }

    /// Logs once which e-stop publisher is not received, and what to do.
    fn report_silence(&mut self, is_silent: bool) {
        if !std::mem::replace(&mut self.is_silence_reported, is_silent) && is_silent {
            let nodes = self.publishers.of(Source::Estop);
            let estop = self.names.resolve(Source::Estop.name());
            let found = if nodes.is_empty() {
                format!("'{estop}' has no publisher")
            } else {
                format!("{} publishes '{estop}', and it is not received", list(&nodes))
            };
            log::error!(
                target: NAME,
                "the vehicle is stopped: {found}: its publisher must repeat true or false as reliable std_msgs/Bool, faster than every \
                 estop.timeout"
            );
        }
    }

    fn drive(&mut self, motors: Motors) {
        let motors = self.send(motors);
        if !self.drives.are_failing() {
            self.watch.set_published();
        }
        let params = &self.params;
        self.applied.publish_if_subscribed(|| applied(&motors, params));
        self.latency.record(motors.stamp);
    }

    /// Publishes the values for both motors and returns the values that they really got. Once the supervising thread has
    /// stopped them, or they may have stopped by themselves, only a stop goes out until the machine knows of it.
    fn send(&mut self, motors: Motors) -> Motors {
        let _publishing = self.watch.publishing();
        self.drives.publish(motors, |motors| self.watch.judge(motors, clock::now()))
    }
}

/// The velocity that two motor values stand for, with the stamp of the stick event that caused them: the motor topics
/// themselves carry no stamp.
fn applied(motors: &Motors, params: &Params) -> geometry::TwistStamped {
    let (forward, turn) = motors.velocity(params);
    let velocity = safety::Velocity::planar(forward, turn).unwrap_or_default();
    messages::twist_stamped(&Command::new(velocity, motors.stamp))
}

fn leds(leds: Leds) -> hind::Leds {
    let color = |[r, g, b]: Rgb| {
        let part = |byte: u8| f32::from(byte) / 255.0;
        ColorRGBA { r: part(r), g: part(g), b: part(b), a: 1.0 }
    };
    let [rings_even, rings_odd] = leds.rings.map(color);
    let [strips_even, strips_odd] = leds.strips.map(color);
    let blink = leds.blink.map_or(0.0, |blink| blink.as_secs_f32());
    hind::Leds { rings_even, rings_odd, strips_even, strips_odd, blink }
}

fn state_detail(detail: &Detail, params: &Params, publishers: &Publishers) -> hind::StateDetail {
    let motors = Motors::from_levels(detail.levels, Stamp::ZERO);
    let mut message = hind::StateDetail {
        state: detail.state.as_str().into(),
        fault: detail.state == StopState::Fault,
        profile: if params.profile == Profile::Seed { "seed" } else { "strict" }.into(),
        rule: detail.since_cause.map(|cause| cause.code().to_owned()).unwrap_or_default(),
        since: detail.since.as_secs_f32(),
        causes: detail.causes.iter().map(cause).collect(),
        sources: detail.sources.iter().flatten().map(|source| source_of(source, publishers)).collect(),
        port: motors.port,
        starboard: motors.starboard,
        ..Default::default()
    };
    message.header.stamp = clock::to_wire(clock::stamp());
    message
}

fn cause(cause: Cause) -> hind::Cause {
    hind::Cause { name: cause.code().into(), text: cause.as_str().into() }
}

fn source_of(detail: &SourceDetail, publishers: &Publishers) -> hind::Source {
    hind::Source {
        name: detail.source.name().into(),
        says: detail.says.into(),
        blocks: detail.blocks,
        age: detail.age.map_or(-1.0, |age| age.as_secs_f32()),
        publishers: publishers.of(detail.source),
    }
}
