use mechanism::Frames;
use mechanism::controllers::{ControllerId, ControllerOutput, OutputKind, Report};
use r2r::WrappedTypesupport;
use r2r::nav_msgs::msg::Odometry;
use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::{Empty, Float64, String as Text};
use r2r::tf2_msgs::msg::TFMessage;
use ros::clock::to_wire;
use ros::{Error, Topic, qos};
use safety::Stamp;

use super::factory::Created;
use crate::messages;

/// The topics that controllers publish: `<controller>/<output>`, and `/tf`.
///
/// A topic stays until the node ends, as the topics that feed controllers do: the next controller of the name has it.
#[derive(Default)]
pub(super) struct ControllerOutputs {
    topics: Vec<(String, Publisher)>,
    controllers: Vec<TopicPublisher>,
}

/// A loaded controller with outputs.
struct TopicPublisher {
    name: String,
    id: ControllerId,
    /// For each output the index of its topic.
    topics: Vec<usize>,
    joints: Vec<String>,
    frames: Frames,
    /// The joints' states that are published already.
    state: JointState,
}

enum Publisher {
    Float(Topic<Float64>),
    Event(Topic<Empty>),
    Word(Topic<Text>),
    Joints(Topic<JointState>),
    Odometry(Topic<Odometry>),
    Transform(Topic<TFMessage>),
    /// An action has no topic of this node's own.
    Action,
}

impl Publisher {
    fn new(node: &mut r2r::Node, topic: &str, kind: OutputKind) -> Result<Self, Error> {
        Ok(match kind {
            OutputKind::Float => Self::Float(Topic::new(node, topic, qos::command())?),
            OutputKind::Event => Self::Event(Topic::new(node, topic, qos::command())?),
            OutputKind::Word => Self::Word(Topic::new(node, topic, qos::state())?),
            OutputKind::Joints => Self::Joints(Topic::new(node, topic, qos::command())?),
            OutputKind::Odometry => Self::Odometry(Topic::new(node, topic, qos::command())?),
            OutputKind::Transform => Self::Transform(Topic::new(node, topic, qos::commands())?),
            OutputKind::Follow => Self::Action,
        })
    }

    fn kind(&self) -> OutputKind {
        match self {
            Self::Float(_) => OutputKind::Float,
            Self::Event(_) => OutputKind::Event,
            Self::Word(_) => OutputKind::Word,
            Self::Joints(_) => OutputKind::Joints,
            Self::Odometry(_) => OutputKind::Odometry,
            Self::Transform(_) => OutputKind::Transform,
            Self::Action => OutputKind::Follow,
        }
    }
}

impl ControllerOutputs {
    /// Publishes the reports of the controller `name` from now on.
    /// # Errors
    /// The middleware refuses a topic, or it has another type since an earlier controller of this name.
    pub(super) fn attach(
        &mut self,
        node: &mut r2r::Node,
        name: &str,
        created: &Created,
    ) -> Result<(), Error> {
        let topics = created.outputs.iter().map(|output| self.topic(node, name, *output));
        let topics = topics.collect::<Result<Vec<_>, _>>()?;
        self.controllers.retain(|known| known.name != name);
        if !topics.is_empty() {
            self.controllers.push(TopicPublisher {
                name: name.to_owned(),
                id: created.controller.id,
                topics,
                joints: created.joints.iter().map(|joint| joint.name.clone()).collect(),
                frames: created.frames.clone(),
                state: JointState::default(),
            });
        }
        Ok(())
    }

    /// The index of an output's topic.
    fn topic(&mut self, node: &mut r2r::Node, name: &str, output: ControllerOutput) -> Result<usize, Error> {
        let is_transform = output.kind == OutputKind::Transform;
        let topic = if is_transform { "/tf".to_owned() } else { format!("{name}/{}", output.name) };
        match self.topics.iter().position(|(known, _)| *known == topic) {
            Some(place) if self.topics[place].1.kind() == output.kind => Ok(place),
            Some(_) => Err(Error::Start(format!("topic '{topic}' keeps its type until this node ends"))),
            None => {
                let publisher = Publisher::new(node, &topic, output.kind)?;
                self.topics.push((topic, publisher));
                Ok(self.topics.len() - 1)
            }
        }
    }

    /// The message with the output of a controller at `stamp`, which is published once it is called: where nothing is locked.
    pub(super) fn message(
        &mut self,
        controller: ControllerId,
        output: usize,
        report: Report,
        stamp: Stamp,
    ) -> Option<Box<dyn FnOnce()>> {
        let Self { topics, controllers } = self;
        let speaker = controllers.iter_mut().find(|known| known.id == controller)?;
        let topic = topics.get(*speaker.topics.get(output)?)?;
        match (&topic.1, report) {
            (Publisher::Float(topic), Report::Float(data)) => publish(topic, Float64 { data }),
            (Publisher::Event(topic), Report::Event) => publish(topic, Empty {}),
            (Publisher::Word(topic), Report::Word(word)) => publish(topic, Text { data: word.into() }),
            (Publisher::Joints(topic), Report::Joint { index, position, velocity, effort }) => {
                let TopicPublisher { joints, state, .. } = speaker;
                if index == 0 {
                    *state = JointState::default();
                }
                state.position.push(position);
                state.velocity.push(velocity);
                state.effort.push(effort);
                if index + 1 != joints.len() || state.position.len() != joints.len() {
                    return None;
                }
                state.name.clone_from(joints);
                state.header.stamp = to_wire(stamp);
                publish(topic, std::mem::take(state))
            }
            (Publisher::Odometry(topic), Report::Odometry(odometry)) => {
                publish(topic, speaker.odometry(odometry, stamp))
            }
            (Publisher::Transform(topic), Report::Odometry(odometry)) => {
                publish(topic, messages::transform(&speaker.odometry(odometry, stamp)))
            }
            _ => None,
        }
    }
}

#[allow(clippy::unnecessary_wraps)] // of its caller, which has no message for each report
fn publish<T: WrappedTypesupport + 'static>(topic: &Topic<T>, message: T) -> Option<Box<dyn FnOnce()>> {
    let topic = topic.clone();
    Some(Box::new(move || topic.publish(&message)))
}

impl TopicPublisher {
    fn odometry(&self, odometry: mechanism::controllers::Odometry, stamp: Stamp) -> Odometry {
        let mechanism::controllers::Odometry { x, y, heading, linear, angular } = odometry;
        let Frames { odometry, base } = &self.frames;
        messages::odometry([x, y, heading], [linear, angular], stamp, [odometry, base])
    }
}
