use hindbrain::{Motors, OutputType, Params};
use r2r::std_msgs::msg::Int16;
use ros::{Error, Topic, clock, qos};
use safety::{Command, Stamp, Velocity};

use super::MOTORS;
use crate::command_topic::TwistTopic;

/// The velocity for a base with a driver of its own, in place of the motors' values.
pub const BASE: &str = "hind/cmd_vel";

/// The topics that move the vehicle: the values of two motors, or a velocity. A clone is for another thread.
#[derive(Clone)]
pub struct DriveTopics {
    kind: Kind,
    params: Params,
}

#[derive(Clone)]
enum Kind {
    Motors([Topic<Int16>; 2]),
    Base(TwistTopic),
}

impl DriveTopics {
    /// Opens the topics.
    /// # Errors
    /// The middleware refuses one.
    pub fn new(node: &mut r2r::Node, params: &Params) -> Result<Self, Error> {
        let kind = match params.output {
            OutputType::Motors => {
                let [port, starboard] = MOTORS;
                Kind::Motors([
                    Topic::new(node, port, qos::command())?,
                    Topic::new(node, starboard, qos::command())?,
                ])
            }
            OutputType::Twist => Kind::Base(TwistTopic::new(node, BASE, false)?),
            OutputType::TwistStamped => Kind::Base(TwistTopic::new(node, BASE, true)?),
        };
        Ok(Self { kind, params: *params })
    }

    /// The names of the topics.
    pub fn names(output: OutputType) -> &'static [&'static str] {
        if output == OutputType::Motors { &MOTORS } else { &[BASE] }
    }

    /// Whether the velocity has a subscriber. The motors' controller confirms their values, so it is missed without this.
    pub fn has_subscribers(&self) -> bool {
        match &self.kind {
            Kind::Motors(_) => true,
            Kind::Base(base) => base.has_subscribers(),
        }
    }

    /// The first topic if no node subscribes to any, so that nothing moves: one motor alone turns the vehicle.
    pub fn without_subscriber(&self) -> Option<&'static str> {
        match &self.kind {
            Kind::Motors(motors) => {
                let is_obeyed = motors.iter().any(|motor| motor.has_subscribers());
                (!is_obeyed).then(|| MOTORS[0])
            }
            Kind::Base(base) => (!base.has_subscribers()).then_some(BASE),
        }
    }

    /// Whether publishing the last message on one of them failed.
    pub fn are_failing(&self) -> bool {
        match &self.kind {
            Kind::Motors(motors) => motors.iter().any(Topic::is_failing),
            Kind::Base(base) => base.is_failing(),
        }
    }

    /// Publishes the stop of both motors, in place of a machine that cannot. A failure is not logged.
    pub fn stop(&self) {
        match &self.kind {
            Kind::Motors(motors) => motors
                .iter()
                .for_each(|motor| motor.publish_last(&Int16 { data: Motors::stop(Stamp::ZERO).port })),
            Kind::Base(base) => base.publish_last_zero(),
        }
    }

    /// Publishes `motors` as far as `judge` permits, which is asked before each message and after the last one: one that hung may have
    /// published a value from before a stop. Returns the values that the motors really got.
    pub fn publish(&self, motors: Motors, judge: impl Fn(Motors) -> Motors) -> Motors {
        let first = judge(motors);
        let mut after = first;
        match &self.kind {
            Kind::Motors([port, starboard]) => {
                port.publish(&Int16 { data: first.port });
                after = judge(first);
                starboard.publish(&Int16 { data: after.starboard });
            }
            Kind::Base(base) => base.publish(&self.command(&first)),
        }
        after = judge(after);
        if after == first { after } else { self.publish(after, judge) }
    }

    /// The velocity that the values of both motors stand for. The stamp is the time of publishing: a base would refuse the zero of a stop
    /// that had the stamp of an old command.
    fn command(&self, motors: &Motors) -> Command {
        let (forward, turn) = motors.velocity(&self.params);
        Command::new(Velocity::planar(forward, turn).unwrap_or_default(), clock::stamp())
    }
}
