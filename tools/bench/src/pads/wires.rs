use std::time::Duration;

use r2r::Publisher;
use r2r::geometry_msgs::msg::TwistStamped;
use r2r::or_joystick::msg::State;
use r2r::or_joystick::srv;
use r2r::or_pose_estimator::msg::State as PoseState;
use r2r::sensor_msgs::msg::Joy;
use ros::{Error, Stop, clock, qos};
use safety::{Instant, Stamp};

use crate::incoming::Incoming;

/// The end of the bare chain.
pub const BARE: &str = "/bench/pads/bare";
/// The longest wait: a request to end must be noticed.
const LONGEST_SLEEP: Duration = Duration::from_millis(10);

/// How long a service may take, and how often it is asked.
const ANSWERS: Duration = Duration::from_secs(3);
const TRIES: usize = 3;

/// The topics between the bench and the joystick node.
pub struct Wires {
    node: r2r::Node,
    stop: Stop,
    stick: Publisher<State>,
    device: Incoming<State>,
    joy: Incoming<Joy>,
    desired: Incoming<PoseState>,
    bare: Incoming<TwistStamped>,
    log: r2r::Client<srv::Log::Service>,
    log_info: r2r::Client<srv::LogInfo::Service>,
}

/// A message that came.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// `~/device/Bench_Pad`: whether all of it is let go.
    Device(Stamp, bool),
    /// `joy`: the same.
    Joy(Stamp, bool),
    /// `~/desired`: whether it is zero.
    Desired(Stamp, bool),
    /// The bare chain's.
    Bare(Stamp),
}

impl Wires {
    /// Opens the topics with `node`; `stick` moves the virtual pad.
    /// # Errors
    /// The middleware refuses something.
    pub fn new(mut node: r2r::Node, stick: Publisher<State>, stop: Stop) -> Result<Self, Error> {
        let what = || Error::ros("open the joystick's topics");
        let services = r2r::QosProfile::services_default();
        Ok(Self {
            stick,
            device: Incoming::new(&mut node, "/joystick/device/Bench_Pad", qos::commands())?,
            joy: Incoming::new(&mut node, "/joy", qos::commands())?,
            desired: Incoming::new(&mut node, "/joystick/desired", qos::commands())?,
            bare: Incoming::new(&mut node, BARE, qos::commands())?,
            log: node.create_client("/joystick/log", services.clone()).map_err(what())?,
            log_info: node.create_client("/joystick/log_info", services).map_err(what())?,
            node,
            stop,
        })
    }

    /// Sets the virtual pad; a state without axes and buttons unplugs it.
    /// # Errors
    /// The middleware refuses it.
    pub fn set(&self, state: &State) -> Result<(), String> {
        self.stick.publish(state).map_err(|error| error.to_string())
    }

    /// Passes received messages to `handle` until `end` or until it has enough; returns whether it has.
    /// # Errors
    /// The user interrupted the measurement.
    pub fn listen(
        &mut self,
        end: Instant,
        mut handle: impl FnMut(Message, Stamp) -> bool,
    ) -> Result<bool, String> {
        loop {
            let left = end.since(clock::now());
            if left.is_zero() {
                return Ok(false);
            }
            if self.stop.is_set() {
                return Err("interrupted".into());
            }
            self.node.spin_once(left.min(LONGEST_SLEEP));
            let mut enough = false;
            let now = clock::stamp();
            while let Some(message) = self.take() {
                enough |= handle(message, now);
            }
            if enough {
                return Ok(true);
            }
        }
    }

    fn take(&mut self) -> Option<Message> {
        if let Some(State { ts, axes, buttons, .. }) = self.device.take() {
            let rests = axes.iter().all(|&axis| axis == 0) && !buttons.contains(&true);
            return Some(Message::Device(clock::from_wire(&ts), rests));
        }
        if let Some(Joy { header, axes, buttons }) = self.joy.take() {
            let rests = axes.iter().all(|&axis| axis == 0.0) && buttons.iter().all(|&button| button == 0);
            return Some(Message::Joy(clock::from_wire(&header.stamp), rests));
        }
        if let Some(PoseState { ts, vel, .. }) = self.desired.take() {
            let rests = vel.first().is_none_or(|vel| vel.vx == 0.0);
            return Some(Message::Desired(clock::from_wire(&ts), rests));
        }
        let TwistStamped { header, .. } = self.bare.take()?;
        Some(Message::Bare(clock::from_wire(&header.stamp)))
    }

    /// Has the node log each cycle to `path`.
    /// # Errors
    /// It does not answer, or refuses.
    pub fn start_log(&mut self, path: &str) -> Result<(), String> {
        let available = r2r::Node::is_available(&self.log).map_err(|error| error.to_string())?;
        self.wait(available)?;
        let request = srv::Log::Request { path: path.into(), decimation: 1 };
        // The way back may not be known to the node yet: then its answer is lost, and a further one does no harm.
        let answer = (0..TRIES).find_map(|_| {
            let answer = self.log.request(&request).map_err(|error| error.to_string());
            answer.and_then(|answer| self.wait(answer)).ok()
        });
        let answer = answer.ok_or("the log service does not answer")?;
        if answer.genom_success { Ok(()) } else { Err(answer.genom_exdetail) }
    }

    /// Rows missed and cycles since the log was started.
    /// # Errors
    /// It does not answer.
    pub fn log_info(&mut self) -> Result<(u32, u32), String> {
        let answer =
            self.log_info.request(&srv::LogInfo::Request::default()).map_err(|error| error.to_string())?;
        self.wait(answer).map(|answer| (answer.miss, answer.total))
    }

    fn wait<T>(&mut self, answer: impl Future<Output = r2r::Result<T>>) -> Result<T, String> {
        let mut answer = Box::pin(answer);
        let end = clock::now() + ANSWERS;
        loop {
            if let Some(answer) = futures::FutureExt::now_or_never(answer.as_mut()) {
                return answer.map_err(|error| error.to_string());
            }
            if clock::now() >= end || self.stop.is_set() {
                return Err("no answer".into());
            }
            self.node.spin_once(LONGEST_SLEEP);
        }
    }
}
