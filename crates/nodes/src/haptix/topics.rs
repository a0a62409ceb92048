use haptix::{Description, Haptix, Params, Reading, Skeleton, State};
use r2r::haptix_msgs::msg as wire;
use r2r::sensor_msgs::msg::{Imu, JointState};
use r2r::std_msgs::msg::String as Text;
use r2r::tf2_msgs::msg::TFMessage;
use ros::{Error, Topic, clock, qos};
use safety::Stamp;

use super::messages;

/// Topics that the node publishes.
pub(super) struct Topics {
    sensor: Topic<wire::Sensor>,
    state: Topic<Text>,
    /// `None` for a robot elsewhere, which publishes its joint states itself.
    joint_states: Option<Topic<JointState>>,
    imus: Vec<Topic<Imu>>,
    tf: Option<Frames>,
    description: Description,
    prefix: String,
    /// Topics with one message that does not change: late subscribers receive it as long as these publishers exist.
    _constant: (Topic<wire::RobotInfo>, Topic<wire::RobotDescription>),
}

/// The frames of the hand, and its URDF for rviz.
struct Frames {
    links: Topic<TFMessage>,
    skeleton: Skeleton,
    _constant: (Topic<TFMessage>, Option<Topic<Text>>),
}

impl Topics {
    /// Opens the topics and publishes the messages that do not change.
    /// # Errors
    /// The middleware refuses a topic.
    pub(super) fn new(
        node: &mut r2r::Node,
        machine: &Haptix,
        skeleton: Option<&(Skeleton, Option<String>)>,
        params: &Params,
        has_joint_states: bool,
    ) -> Result<Self, Error> {
        let description = machine.constants().description.clone();
        let prefix = params.frame_prefix.clone();
        let info = Topic::new(node, "~/robot_info", qos::state())?;
        info.publish(&messages::robot_info(&machine.constants().info));
        let names = Topic::new(node, "~/robot_description", qos::state())?;
        names.publish(&messages::robot_description(&description, &prefix));
        let mut imus = Vec::new();
        for name in &description.imu_names {
            imus.push(Topic::new(node, &format!("~/imu/{name}"), qos::command())?);
        }
        let tf = skeleton.filter(|_| params.publish_tf);
        Ok(Self {
            sensor: Topic::new(node, "~/sensor", qos::sensor())?,
            state: Topic::new(node, "~/state", qos::state())?,
            joint_states: has_joint_states
                .then(|| Topic::new(node, "joint_states", qos::command()))
                .transpose()?,
            imus,
            tf: tf.map(|skeleton| Frames::new(node, skeleton, &prefix)).transpose()?,
            description,
            prefix,
            _constant: (info, names),
        })
    }

    pub(super) fn publish_state(&mut self, state: &State) {
        self.state.publish(&Text { data: messages::text(&state.to_string()) });
    }

    /// Publishes a reading and what is derived from it, as far as anybody subscribes to it.
    pub(super) fn publish_reading(&mut self, reading: &Reading, stamp: Stamp) {
        let Self { description, prefix, .. } = self;
        let sensor = &reading.sensor;
        self.sensor.publish_if_subscribed(|| messages::sensor(sensor));
        if let Some(joint_states) = &mut self.joint_states {
            joint_states
                .publish_if_subscribed(|| messages::joint_states(&description.joint_names, sensor, stamp));
        }
        for (index, (topic, frame)) in self.imus.iter_mut().zip(&description.imu_frames).enumerate() {
            let frame = || messages::text(&[prefix.as_str(), frame].concat());
            topic.publish_if_subscribed(|| messages::imu(sensor, index, &frame(), stamp));
        }
        if let Some(Frames { links, skeleton, .. }) = &mut self.tf {
            links.publish_if_subscribed(|| messages::transforms(skeleton.links(sensor), prefix, stamp));
        }
    }
}

impl Frames {
    fn new(
        node: &mut r2r::Node,
        (skeleton, urdf): &(Skeleton, Option<String>),
        prefix: &str,
    ) -> Result<Self, Error> {
        let imus = Topic::new(node, "/tf_static", qos::state())?;
        imus.publish(&messages::transforms(skeleton.imus(), prefix, clock::stamp()));
        let describe = |urdf: &String| {
            let topic = Topic::new(node, "robot_description", qos::state())?;
            topic.publish(&Text { data: messages::text(urdf) });
            Ok(topic)
        };
        let urdf = urdf.as_ref().map(describe).transpose()?;
        let links = Topic::new(node, "/tf", qos::command())?;
        Ok(Self { links, skeleton: skeleton.clone(), _constant: (imus, urdf) })
    }
}
